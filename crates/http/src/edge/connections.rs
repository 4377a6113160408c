//! Accepts and serves connections, with timeouts for slow clients and a graceful shutdown.
//!
//! The accept loop of axum waits for a request head without a limit, and then a graceful shutdown would wait for a client
//! that sends one byte a second. Only HTTP/1.1 is served; a proxy in front may offer other protocols.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header;
use axum::serve::Listener;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use crate::admission::guesses::Peer;
use crate::edge::lingering::Lingering;

/// The most bytes of a request's head.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// The most bytes that a connection has read or written ahead: room for a head, and a fifth of what hyper would take.
const MAX_BUFFER_BYTES: usize = MAX_HEAD_BYTES + 16 * 1024;

/// The timeouts of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For the head of a request, idle time before it included.
    pub head: Duration,
    /// For accepting any byte of a reply that is ready to be sent.
    pub stalled: Duration,
    /// For finishing a running request during a graceful shutdown; shorter than the shutdown may take.
    pub shutdown: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            // Longer than load balancers commonly keep an idle connection, so that they close first.
            head: Duration::from_secs(65),
            stalled: Duration::from_mins(1),
            shutdown: Duration::from_secs(20),
        }
    }
}

/// Serves until `stop`, then closes every connection: an idle one at once, one with a request after its reply.
pub async fn serve(mut listener: TcpListener, router: Router, timeouts: Timeouts, stop: CancellationToken) {
    let connections = TaskTracker::new();
    // `accept` itself waits when the process has no file descriptors left.
    while let Some((stream, peer)) = stop.run_until_cancelled(Listener::accept(&mut listener)).await {
        let (router, stop) = (router.clone(), stop.clone());
        connections.spawn(async move {
            let _open = OpenConnection::count();
            serve_connection((stream, Peer(peer)), router, timeouts, &stop).await;
        });
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn serve_connection(
    (stream, peer): (TcpStream, Peer),
    router: Router,
    timeouts: Timeouts,
    stop: &CancellationToken,
) {
    // A reply that is written in parts must not wait for the client to confirm the part before, which takes up to 50 ms.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "http.delays_not_turned_off");
    }
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(timeouts.stalled));
    let router = router.map_request(move |request: Request<Incoming>| {
        let is_held_back = request.headers().contains_key(header::EXPECT);
        let mut request = request.map(|body| Body::new(Lingering::new(body, is_held_back)));
        request.extensions_mut().insert(peer);
        request
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.head)
        .max_header_size(MAX_HEAD_BYTES)
        .max_buf_size(MAX_BUFFER_BYTES)
        .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let Ok(ended) = tokio::time::timeout(timeouts.shutdown, connection).await else {
                tracing::info!("http.connection_cut");
                return;
            };
            ended
        }
    };
    if let Err(error) = ended {
        // A client that closes its connection is no failure of the service.
        tracing::debug!(%error, "http.connection_ended");
    }
}

/// Is counted as an open connection while it lives.
struct OpenConnection;

impl OpenConnection {
    fn count() -> Self {
        metrics::gauge!("anchord_http_connections").increment(1.0);
        Self
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        metrics::gauge!("anchord_http_connections").decrement(1.0);
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::{get, post};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::time::Instant;

    use super::*;
    use crate::edge::lingering::LONGEST;

    /// Bytes that no socket buffer takes whole.
    const LARGE: usize = 64 * 1024 * 1024;
    /// Longer than any of it may take, so that what hangs fails.
    const TEST_TIMEOUT: Duration = Duration::from_secs(20);

    struct Served {
        address: std::net::SocketAddr,
        stop: CancellationToken,
        tasks: TaskTracker,
    }

    async fn served(timeouts: Timeouts) -> Served {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let unread = async |request: Request| {
            drop(request);
            // Longer than what reads the rest of a body takes to begin.
            tokio::time::sleep(Duration::from_millis(50)).await;
            "well"
        };
        let router = Router::new()
            .route("/", get(async || "well"))
            .route("/large", get(async || "x".repeat(LARGE)))
            .route("/echo", post(async |body: String| body))
            .route("/unread", post(unread));
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        tasks.spawn(serve(listener, router, timeouts, stop.clone()));
        tasks.close();
        Served { address, stop, tasks }
    }

    impl Served {
        async fn send(&self, bytes: &[u8]) -> TcpStream {
            let mut stream = TcpStream::connect(self.address).await.unwrap();
            stream.write_all(bytes).await.unwrap();
            stream
        }

        async fn end(self) {
            self.stop.cancel();
            tokio::time::timeout(TEST_TIMEOUT, self.tasks.wait()).await.expect("an end");
        }
    }

    async fn rest(mut stream: TcpStream) -> usize {
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(TEST_TIMEOUT, stream.read_to_end(&mut bytes)).await.expect("an end");
        // Cut is an end too.
        read.map_or(bytes.len(), |_| bytes.len())
    }

    #[tokio::test]
    async fn a_head_that_does_not_come_to_its_end_and_a_connection_that_rests_are_ended() {
        let short = Duration::from_millis(50);
        let served = served(Timeouts { head: short, ..Timeouts::default() }).await;
        assert_eq!(rest(served.send(b"").await).await, 0);
        assert_eq!(rest(served.send(b"GET / HTTP/1.1\r\nhost: a\r\nx-slow: ").await).await, 0);
        assert!(rest(served.send(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await).await > 0);
        served.end().await;
    }

    #[tokio::test]
    async fn a_client_that_takes_nothing_of_its_reply_is_cut() {
        let short = Duration::from_millis(100);
        let served = served(Timeouts { stalled: short, ..Timeouts::default() }).await;
        let stream = served.send(b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n").await;
        // It reads nothing; that the server ends is that it has cut the connection.
        served.end().await;
        assert!(rest(stream).await < LARGE);
    }

    #[tokio::test]
    async fn an_end_waits_for_connections_no_longer_than_a_shutdown() {
        let short = Duration::from_millis(50);
        let served = served(Timeouts { shutdown: short, ..Timeouts::default() }).await;
        let resting = served.send(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
        let half = served.send(b"GET / HTTP/1.1\r\nhost: a\r\nx-slow: ").await;
        resting.readable().await.unwrap();
        served.end().await;
        assert!(rest(resting).await > 0);
        assert_eq!(rest(half).await, 0);
    }

    #[tokio::test]
    async fn a_client_whose_body_nobody_reads_gets_its_reply_and_may_send_another_request() {
        let served = served(Timeouts::default()).await;
        let head = |length: usize| format!("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: {length}\r\n\r\n");
        let mut stream = served.send(head(LARGE).as_bytes()).await;
        for round in 0..2 {
            // All of the body first, as simple clients do.
            stream.write_all(&vec![b'x'; LARGE]).await.unwrap();
            let mut start = [0; 12];
            stream.read_exact(&mut start).await.unwrap();
            assert_eq!(&start, b"HTTP/1.1 405", "{round}");
            let mut rest = vec![0; MAX_HEAD_BYTES];
            assert!(stream.read(&mut rest).await.unwrap() > 0);
            if round == 0 {
                stream.write_all(head(LARGE).as_bytes()).await.unwrap();
            }
        }
        drop(stream);
        served.end().await;
    }

    #[tokio::test]
    async fn nobody_waits_for_a_body_that_is_too_large_to_be_read_for_nobody() {
        let served = served(Timeouts::default()).await;
        let head =
            |length: usize| format!("POST /unread HTTP/1.1\r\nhost: a\r\ncontent-length: {length}\r\n\r\n");
        let begun = Instant::now();
        assert!(rest(served.send(head(LARGE + 1).as_bytes()).await).await > 0);
        assert!(begun.elapsed() < LONGEST, "{:?}", begun.elapsed());
        served.end().await;
    }

    #[tokio::test]
    async fn a_body_that_comes_slowly_is_read_for_nobody_only_for_a_while() {
        let served = served(Timeouts::default()).await;
        let head = b"POST /unread HTTP/1.1\r\nhost: a\r\ncontent-length: 9000\r\n\r\n";
        let (reading, mut writing) = served.send(head).await.into_split();
        let begun = Instant::now();
        let slow = tokio::time::timeout(TEST_TIMEOUT, async {
            while writing.write_all(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        slow.await.expect("an end");
        assert!(begun.elapsed() >= LONGEST, "{:?}", begun.elapsed());
        let mut start = [0; 12];
        reading.try_read(&mut start).unwrap();
        assert_eq!(&start, b"HTTP/1.1 200", "it has its reply");
        served.end().await;
    }

    #[tokio::test]
    async fn a_body_that_nobody_wants_is_not_invited() {
        let served = served(Timeouts::default()).await;
        let head = b"POST /unread HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n";
        let mut stream = served.send(head).await;
        let mut start = [0; 12];
        stream.read_exact(&mut start).await.unwrap();
        assert_eq!(&start, b"HTTP/1.1 200");
        served.end().await;
    }

    /// As RFC 9112, section 6.3, has it; which of two lengths a proxy in front believed, nobody knows.
    #[tokio::test]
    async fn a_request_with_two_lengths_is_read_by_its_chunks_and_is_the_last_of_its_connection() {
        let served = served(Timeouts::default()).await;
        for lengths in [
            "content-length: 3\r\ntransfer-encoding: chunked",
            "transfer-encoding: chunked\r\ncontent-length: 3",
        ] {
            let smuggled = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
            let sent = format!(
                "POST /echo HTTP/1.1\r\nhost: a\r\n{lengths}\r\n\r\n5\r\nhello\r\n0\r\n\r\n{smuggled}"
            );
            let mut stream = served.send(sent.as_bytes()).await;
            let mut got = Vec::new();
            let read =
                tokio::time::timeout(TEST_TIMEOUT, stream.read_to_end(&mut got)).await.expect("an end");
            let got = String::from_utf8_lossy(&got).into_owned();
            // What came behind it may end the connection as broken, once the answer is there.
            assert!(
                got.ends_with("hello") && got.matches("HTTP/1.1").count() == 1,
                "{lengths}: {got} {read:?}"
            );
        }
        let both = "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nhello";
        let mut stream = served.send(both.as_bytes()).await;
        let mut start = [0; 12];
        stream.read_exact(&mut start).await.unwrap();
        assert_eq!(&start, b"HTTP/1.1 400");
        served.end().await;
    }

    #[tokio::test]
    async fn a_head_that_is_too_large_is_refused() {
        let served = served(Timeouts::default()).await;
        let head = format!("GET / HTTP/1.1\r\nhost: a\r\nx-large: {}\r\n\r\n", "x".repeat(MAX_HEAD_BYTES));
        let mut stream = served.send(head.as_bytes()).await;
        let mut start = [0; 12];
        stream.read_exact(&mut start).await.unwrap();
        assert_eq!(&start, b"HTTP/1.1 431");
        served.end().await;
    }
}
