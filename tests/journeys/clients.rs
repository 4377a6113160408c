//! Clients that are slow, and clients that try to slip something past: every one has an end, and none is
//! taken for two.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};

use crate::support::app::app;
use crate::support::service::{Service, pid};
use crate::support::{database, number, until};

/// Between two bytes of a slow client.
const PACE: Duration = Duration::from_millis(50);
/// Far longer than the second that these services give.
const AT_MOST: Duration = Duration::from_secs(15);

/// Sends a byte now and then, until the server ends the connection; what it answered, and after how long.
fn drip(mut stream: TcpStream, byte: u8) -> (String, Duration) {
    let began = Instant::now();
    stream.set_read_timeout(Some(PACE)).expect("a timeout");
    let mut answer = Vec::new();
    while began.elapsed() < AT_MOST {
        let _ = stream.write_all(&[byte]);
        match stream.read_to_end(&mut answer) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            _ => return (String::from_utf8_lossy(&answer).into_owned(), began.elapsed()),
        }
    }
    panic!("it is still served: {}", String::from_utf8_lossy(&answer));
}

/// A connection on which a head has begun.
fn slow_head(service: &Service) -> TcpStream {
    let mut stream = service.client().connect().expect("a connection");
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\nx-slow: ").expect("room for a head");
    stream
}

#[tokio::test]
async fn a_client_that_sends_a_byte_now_and_then_is_ended_and_holds_up_no_end() {
    let database = database().await;
    let service = Service::on(&database.url, &["--header-timeout", "1", "--body-timeout", "1"]);
    let client = service.client();

    let (answer, after) = drip(slow_head(&service), b'x');
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(after < Duration::from_secs(10), "{after:?}");

    let mut body = client.connect().expect("a connection");
    let mut head = client.request("POST", "/v1/tokens", &[], "");
    head = head.replace("content-length: 0", "content-length: 100000");
    body.write_all(head.as_bytes()).expect("room for a head");
    let (answer, after) = drip(body, b' ');
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("/problems/slow-body"), "{answer}");
    assert!(after < Duration::from_secs(10), "{after:?}");

    // One that is in the middle of its head when the process is told to end.
    let begun = slow_head(&service);
    assert_eq!(client.get("/readyz").status, 200);
    let ending = Instant::now();
    let dripping = std::thread::spawn(move || drip(begun, b'x'));
    assert_eq!(service.end(Signal::SIGTERM), Some(0), "the end was cut short");
    assert!(ending.elapsed() < Duration::from_secs(10), "{:?}", ending.elapsed());
    dripping.join().expect("an end");
}

#[tokio::test]
async fn a_request_in_flight_when_the_process_is_told_to_end_is_answered() {
    const WAITING: &str = "select count(*) from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0";
    let database = database().await;
    let service = Service::on(&database.url, &["--roles", "api"]);
    let client = service.client();
    assert_eq!(client.call("PUT", "/v1/sessions/s", &[], "{}").expect("a reply").status, 201);
    let (mut look, mut holder) = (database.connect().await, database.connect().await);
    sqlx::raw_sql("begin; select from sessions for update").execute(&mut holder).await.expect("a lock");
    let asking = {
        let client = client.clone();
        std::thread::spawn(move || client.call("PUT", "/v1/sessions/s", &[], r#"{"task_id": "t"}"#))
    };
    until("a request that waits", async || (number(&mut look, WAITING).await == 1).then_some(())).await;
    kill(pid(service.id()), Signal::SIGTERM).expect("a process of ours");
    until("an address that is closed", async || client.connect().is_err().then_some(())).await;
    sqlx::raw_sql("rollback").execute(&mut holder).await.expect("a rollback");
    let reply = asking.join().expect("a client").expect("a reply");
    assert_eq!((reply.status, &reply.json()["settings"]["task_id"]), (200, &"t".into()), "{}", reply.text);
    assert_eq!(service.end(Signal::SIGCONT), Some(0));
}

/// Sends bytes and reads all that is answered.
fn answered(service: &Service, bytes: &str) -> String {
    let mut stream = service.client().connect().expect("a connection");
    stream.write_all(bytes.as_bytes()).expect("room for a request");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_body_whose_length_is_told_in_two_ways_is_refused_or_ends_its_connection() {
    let database = database().await;
    let service = Service::on(&database.url, &["--roles", "api"]);
    let after = "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
    for head in [
        "Content-Length: 4\r\nContent-Length: 5",
        "Content-Length: 4, 5",
        "Content-Length: +4",
        "Content-Length: 0x4",
        "Content-Length: -1",
        "Content-Length: 99999999999999999999999",
        "Transfer-Encoding: gzip",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding : chunked",
        " Transfer-Encoding: chunked",
        "X-Odd: a\0b",
        "X-Odd: a\r\n folded: b",
    ] {
        let request = format!("POST /healthz HTTP/1.1\r\nhost: a\r\n{head}\r\n\r\nabcd{after}");
        let answer = answered(&service, &request);
        assert!(answer.starts_with("HTTP/1.1 400"), "{head}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{head}: what follows was taken for a request");
    }
    let old = "POST /healthz HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert!(answered(&service, old).starts_with("HTTP/1.1 400"));
    // By the standard the chunks count, and the connection ends: nobody can disagree on what follows.
    for both in
        ["Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5"]
    {
        let request = format!("GET /healthz HTTP/1.1\r\nhost: a\r\n{both}\r\n\r\n0\r\n\r\n{after}");
        let answer = answered(&service, &request);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{both}: {answer}");
    }
    // HTTP/2 is not spoken at all.
    let answer = answered(&service, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert_eq!(service.end(Signal::SIGTERM), Some(0));
}

#[tokio::test]
async fn a_compressed_body_is_refused_and_told_how_to_come() {
    let app = app().await;
    let body = r#"{"messages": [{"role": "user", "content": "hello"}]}"#;
    for (path, coding) in [
        ("/v1/sessions/s/messages", "gzip"),
        ("/v1/sessions/s/messages", "gzip, identity"),
        ("/v1/tokens", "br"),
        ("/v1/sessions/s/compressions", "deflate"),
    ] {
        let refused = app.call_with("POST", path, body, &[("content-encoding", coding)]).await;
        assert_eq!(refused.refusal().1, "unsupported-media-type", "{path} {coding}: {}", refused.text);
        assert_eq!(refused.status, 415);
        assert_eq!(refused.headers["accept-encoding"], "identity");
        assert!(refused.text.contains("Content-Encoding"), "{}", refused.text);
    }
    let plain = [("content-encoding", "identity")];
    assert_eq!(app.call_with("POST", "/v1/sessions/s/messages", body, &plain).await.status, 201);
}
