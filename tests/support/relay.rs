//! A relay between a service and the database of a test, which can stand still, or lose an answer.
//!
//! Stopping a process of the database instead would stop what it holds too: a lock of the server's memory, which every
//! other test would wait for.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::TestDatabase;

/// What stands in front of the port in the name of a server's socket.
const SOCKET: &str = ".s.PGSQL.";

/// The relay.
#[derive(Debug)]
pub struct Relay {
    /// The database's address behind the relay.
    pub url: String,
    connections: Arc<Mutex<Vec<Connection>>>,
    lost: Lost,
    /// Threads of its own, because a test that waits for a service holds up its own.
    runtime: Option<Runtime>,
}

/// Whether a connection stands still.
type Connection = watch::Sender<bool>;

/// What the next request contains whose answer is lost; `None` once it was lost.
type Lost = Arc<Mutex<Option<Vec<u8>>>>;

/// Connections that stand still; they go on when it is dropped.
#[derive(Debug)]
pub struct Still(Vec<watch::Sender<bool>>);

impl Drop for Still {
    fn drop(&mut self) {
        for connection in &self.0 {
            connection.send_replace(false);
        }
    }
}

impl Relay {
    /// Listens for connections to the database.
    pub async fn to(database: &TestDatabase) -> Self {
        let options: PgConnectOptions = database.url.parse().expect("the address of a database");
        let folder = options.get_socket().expect("a server with a socket");
        let socket = folder.join(format!("{SOCKET}{}", options.get_port()));
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let listening = runtime.spawn(TcpListener::bind("127.0.0.1:0"));
        let listener = listening.await.expect("a task").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let url =
            format!("postgres://{}@{address}/{}?sslmode=disable", options.get_username(), database.name());
        let connections = Arc::new(Mutex::new(Vec::new()));
        let lost = Lost::default();
        runtime.spawn(relay(listener, socket, Arc::clone(&connections), Arc::clone(&lost)));
        Self { url, connections, lost, runtime: Some(runtime) }
    }

    /// Loses the answer to the next request that contains `words`: the server gets it and answers, and the connection
    /// ends instead of the answer.
    pub fn lose_the_answer_to(&self, words: &str) {
        *self.lost.lock().expect("nobody fails with it") = Some(words.as_bytes().to_vec());
    }

    /// Whether the answer that was to be lost is lost.
    pub fn has_lost_it(&self) -> bool {
        self.lost.lock().expect("nobody fails with it").is_none()
    }

    /// Lets every connection stand still: nothing goes through in either direction. `None` when there is none.
    #[must_use]
    pub fn all_still(&self) -> Option<Still> {
        let still = self.connections.lock().expect("nobody fails with it").clone();
        for connection in &still {
            connection.send_replace(true);
        }
        (!still.is_empty()).then_some(Still(still))
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Takes connections and carries each to the socket.
async fn relay(listener: TcpListener, socket: PathBuf, connections: Arc<Mutex<Vec<Connection>>>, lost: Lost) {
    let mut carried = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let Ok(server) = UnixStream::connect(&socket).await else { return };
        let connection = Connection::new(false);
        connections.lock().expect("nobody fails with it").push(connection.clone());
        carried.spawn(relayed(client, server, connection, Arc::clone(&lost)));
    }
}

/// Carries both directions until one of them ends.
async fn relayed(client: TcpStream, server: UnixStream, connection: Connection, lost: Lost) {
    // Many small packets in both directions: without it each would wait for the last one's receipt.
    let _ = client.set_nodelay(true);
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let loses = AtomicBool::new(false);
    let sent = |bytes: &[u8]| {
        let mut lost = lost.lock().expect("nobody fails with it");
        let is_it = |words: &Vec<u8>| bytes.windows(words.len()).any(|window| window == words);
        if lost.as_ref().is_some_and(is_it) {
            *lost = None;
            loses.store(true, Ordering::Relaxed);
        }
        true
    };
    let answered = |_: &[u8]| !loses.load(Ordering::Relaxed);
    tokio::select! {
        () = carry(from_client, to_server, connection.subscribe(), sent) => {}
        () = carry(from_server, to_client, connection.subscribe(), answered) => {}
    }
}

/// Carries one direction until it ends, or `passes` refuses what came.
async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut is_still: watch::Receiver<bool>,
    mut passes: impl FnMut(&[u8]) -> bool,
) {
    let mut bytes = [0; 8192];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        let came = bytes.get(..count).unwrap_or_default();
        if !passes(came) {
            return;
        }
        if is_still.wait_for(|is_still| !is_still).await.is_err() || to.write_all(came).await.is_err() {
            return;
        }
    }
}
