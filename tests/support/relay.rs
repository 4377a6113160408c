//! A relay between a service and the database of a test, which can stand still.
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
/// What a worker sends on the connection that is its sign of life, and on no other.
const SIGN_OF_LIFE: &[u8] = b"look_after_workers";

/// The relay.
#[derive(Debug)]
pub struct Relay {
    /// The database's address behind the relay.
    pub url: String,
    connections: Arc<Mutex<Vec<Connection>>>,
    /// Threads of its own, because a test that waits for a service holds up its own.
    runtime: Option<Runtime>,
}

#[derive(Clone, Debug)]
struct Connection {
    is_sign_of_life: Arc<AtomicBool>,
    is_still: watch::Sender<bool>,
}

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
        runtime.spawn(relay(listener, socket, Arc::clone(&connections)));
        Self { url, connections, runtime: Some(runtime) }
    }

    /// Lets every connection stand still: nothing goes through in either direction. `None` when there is none.
    #[must_use]
    pub fn all_still(&self) -> Option<Still> {
        self.still(|_| true)
    }

    /// Lets the workers' signs of life stand still. `None` when none has been used so far.
    #[must_use]
    pub fn signs_of_life_still(&self) -> Option<Still> {
        self.still(|connection| connection.is_sign_of_life.load(Ordering::Relaxed))
    }

    fn still(&self, which: impl Fn(&Connection) -> bool) -> Option<Still> {
        let connections = self.connections.lock().expect("nobody fails with it");
        let chosen = connections.iter().filter(|connection| which(connection));
        let still: Vec<_> = chosen.map(|connection| connection.is_still.clone()).collect();
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
async fn relay(listener: TcpListener, socket: PathBuf, connections: Arc<Mutex<Vec<Connection>>>) {
    let mut carried = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let Ok(server) = UnixStream::connect(&socket).await else { return };
        let connection = Connection { is_sign_of_life: Arc::default(), is_still: watch::Sender::new(false) };
        connections.lock().expect("nobody fails with it").push(connection.clone());
        carried.spawn(relayed(client, server, connection));
    }
}

/// Carries both directions until one of them ends.
async fn relayed(client: TcpStream, server: UnixStream, connection: Connection) {
    // Many small packets in both directions: without it each would wait for the last one's receipt.
    let _ = client.set_nodelay(true);
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let sent = |bytes: &[u8]| {
        if bytes.windows(SIGN_OF_LIFE.len()).any(|window| window == SIGN_OF_LIFE) {
            connection.is_sign_of_life.store(true, Ordering::Relaxed);
        }
    };
    tokio::select! {
        () = carry(from_client, to_server, connection.is_still.subscribe(), sent) => {}
        () = carry(from_server, to_client, connection.is_still.subscribe(), |_: &[u8]| {}) => {}
    }
}

async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut is_still: watch::Receiver<bool>,
    mut seen: impl FnMut(&[u8]),
) {
    let mut bytes = [0; 8192];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        let came = bytes.get(..count).unwrap_or_default();
        seen(came);
        if is_still.wait_for(|is_still| !is_still).await.is_err() || to.write_all(came).await.is_err() {
            return;
        }
    }
}
