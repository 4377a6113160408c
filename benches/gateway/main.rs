//! The bench of the gateway: what it adds until the first byte of an answer, beside a proxy that only passes through.
//!
//! What lives here: a provider that answers at once, a proxy of a few lines, and the service's release binary before the same
//! provider. Agents send their whole list again at every turn, to one and to the other in turns; all figures of a row are of
//! one run. At the end every message must be stored, once and on one branch.
//! Must not know: the service's internals; it is a client.

#[path = "../load/client.rs"]
mod client;
#[path = "../load/quantile.rs"]
mod quantile;
#[path = "../load/random.rs"]
mod random;
#[path = "../load/service.rs"]
#[expect(dead_code, reason = "the load bench uses the rest")]
mod service;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header;
use axum::response::Response;
use clap::Parser;
use futures::{StreamExt as _, stream};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;

use crate::client::{Connection, KEY, request};
use crate::quantile::quantile;
use crate::random::{Random, WORDS};
use crate::service::Service;

/// Bytes of a message.
const MESSAGE_BYTES: usize = 2_000;
const MB: usize = 1_000_000;
/// The pause between two turns of an agent, in which the turn before is kept: an agent's model takes longer.
const PAUSE: Duration = Duration::from_millis(100);
/// The most that may be added until the first byte, in milliseconds, for 1 MB sent again by one agent: at the median and at the
/// 99th percentile.
const MOST_MEDIAN: f64 = 2.0;
const MOST_P99: f64 = 10.0;

/// Measures what the gateway adds until the first byte of an answer
#[derive(Debug, Parser)]
struct Flags {
    /// Turns of each agent
    #[arg(long, default_value_t = 300)]
    turns: usize,
    /// The service's binary
    #[arg(long, default_value = env!("CARGO_BIN_EXE_anchord"))]
    binary: PathBuf,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

#[expect(clippy::print_stdout, reason = "a bench prints")]
fn say(line: &str) {
    println!("{line}");
}

/// Serves on a port of its own.
async fn serve(tasks: &TaskTracker, app: Router) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let app = app.layer(axum::extract::DefaultBodyLimit::disable());
    tasks.spawn(async move { axum::serve(listener, app).await });
    Ok(address)
}

/// A provider that reads a request and answers at once, in a few events.
async fn provide(request: Request) -> Response {
    drop(request.into_body().collect().await);
    let events = [
        json!({"type": "message_start", "message": {"id": "m", "role": "assistant"}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Done."}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_stop"}),
    ];
    let events = events.map(|event| Ok::<_, Infallible>(Bytes::from(format!("data: {event}\n\n"))));
    let mut response = Response::new(Body::from_stream(stream::iter(events)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/event-stream"));
    response
}

/// A proxy that only passes through.
async fn pass(client: reqwest::Client, upstream: SocketAddr, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or("", |path| path.as_str());
    let mut headers = parts.headers;
    headers.remove(header::HOST);
    let sent = client
        .request(parts.method, format!("http://{upstream}{path}"))
        .headers(headers)
        .body(reqwest::Body::wrap_stream(body.into_data_stream()))
        .send()
        .await;
    match sent {
        Ok(answer) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = answer.status();
            answer.headers().clone_into(response.headers_mut());
            response.headers_mut().remove(header::TRANSFER_ENCODING);
            *response.body_mut() = Body::from_stream(answer.bytes_stream().boxed());
            response
        }
        Err(error) => Response::new(Body::from(error.to_string())),
    }
}

/// An agent that sends its whole list at every turn.
struct Agent {
    name: String,
    list: Vec<String>,
}

impl Agent {
    fn new(name: String, bytes: usize) -> Self {
        let mut random = Random::new(23);
        let mut list = Vec::new();
        while list.len() * MESSAGE_BYTES < bytes {
            let mut text = format!("{}:", list.len());
            while text.len() < MESSAGE_BYTES {
                text.push(' ');
                text.push_str(WORDS.get(random.below(WORDS.len())).copied().unwrap_or_default());
            }
            let role = if list.len().is_multiple_of(2) { "user" } else { "assistant" };
            list.push(json!({"role": role, "content": text}).to_string());
        }
        if list.len().is_multiple_of(2) {
            list.push(json!({"role": "user", "content": "Go on."}).to_string());
        }
        Self { name, list }
    }

    /// The request of a turn.
    fn request(&self, path: &str) -> Vec<u8> {
        let body = format!("{{\"model\":\"m\",\"stream\":true,\"messages\":[{}]}}", self.list.join(","));
        format!(
            "POST {path}/v1/messages HTTP/1.1\r\nhost: bench\r\nx-anchord-key: {KEY}\r\nx-api-key: provider\r\n\
             x-claude-code-session-id: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.name,
            body.len()
        )
        .into_bytes()
    }

    /// Goes on behind an answer.
    fn go_on(&mut self) {
        let said = json!({"role": "assistant", "content": [{"type": "text", "text": "Done."}]});
        let next = json!({"role": "user", "content": format!("{} is next.", self.list.len())});
        self.list.extend([said.to_string(), next.to_string()]);
    }
}

/// A connection whose answers are streams.
struct Line(TcpStream, Vec<u8>);

impl Line {
    async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self(stream, Vec::new()))
    }

    /// Sends a request, and reads the answer to its end. Gives the milliseconds until the first byte of its body.
    async fn first_byte(&mut self, request: &[u8]) -> anyhow::Result<f64> {
        let Self(stream, buffer) = self;
        buffer.clear();
        let started = Instant::now();
        stream.write_all(request).await?;
        let mut first = None;
        while !buffer.ends_with(b"\r\n0\r\n\r\n") {
            ensure!(stream.read_buf(buffer).await? > 0, "hung up");
            let begins = buffer.windows(6).any(|part| part == b"data: ");
            if first.is_none() && begins {
                first = Some(started.elapsed());
            }
        }
        ensure!(buffer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(buffer));
        Ok(first.context("an event")?.as_secs_f64() * 1_000.0)
    }
}

/// Milliseconds until the first byte, of the same turns.
#[derive(Default)]
struct Times {
    proxy: Vec<f64>,
    gateway: Vec<f64>,
}

/// Turns of an agent, to both.
async fn turns(
    mut agent: Agent,
    [proxy, gateway]: [SocketAddr; 2],
    count: usize,
) -> anyhow::Result<(Times, Agent)> {
    let (mut proxy, mut gateway) = (Line::open(proxy).await?, Line::open(gateway).await?);
    let mut times = Times::default();
    for turn in 0..count {
        let passed = agent.request("");
        let kept = agent.request("/gateway/anthropic");
        // Neither is always the first.
        if turn % 2 == 0 {
            times.proxy.push(proxy.first_byte(&passed).await?);
        }
        times.gateway.push(gateway.first_byte(&kept).await?);
        tokio::time::sleep(PAUSE).await;
        if turn % 2 == 1 {
            times.proxy.push(proxy.first_byte(&passed).await?);
            tokio::time::sleep(PAUSE).await;
        }
        agent.go_on();
    }
    Ok((times, agent))
}

/// Checks that a list is stored as it was sent, on one branch.
async fn check(address: SocketAddr, agent: &Agent) -> anyhow::Result<()> {
    let mut connection = Connection::open(address).await?;
    let name = &agent.name;
    // The last turn's answer is stored, and what the agent said behind it was not sent.
    let expected = agent.list.len() - 1;
    for _ in 0..200 {
        let session = connection.json(&request("GET", format_args!("/v1/sessions/{name}"), "")).await?;
        let head = session.get("head_seq").and_then(Value::as_u64);
        ensure!(session.get("branch").is_none_or(|branch| branch == "main"), "another branch");
        if head == Some(u64::try_from(expected)?) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    anyhow::bail!("{name} does not hold its {expected} messages")
}

/// A row: agents that send so many bytes each. Gives what is added at the median and at the 99th percentile.
async fn row(
    what: &str,
    (agents, bytes): (usize, usize),
    addresses: [SocketAddr; 2],
    turn_count: usize,
) -> anyhow::Result<(f64, f64)> {
    let all = (0..agents)
        .map(|at| turns(Agent::new(format!("{agents}-{bytes}-{at}"), bytes), addresses, turn_count));
    let (mut times, mut done) = (Times::default(), Vec::new());
    for result in futures::future::join_all(all).await {
        let (of_agent, agent) = result?;
        times.proxy.extend(of_agent.proxy);
        times.gateway.extend(of_agent.gateway);
        done.push(agent);
    }
    let [_, gateway] = addresses;
    for agent in &done {
        check(gateway, agent).await?;
    }
    let [proxy, ours] =
        [&times.proxy, &times.gateway].map(|times| [0.5, 0.99].map(|share| quantile(times, share)));
    let added = (ours[0] - proxy[0], ours[1] - proxy[1]);
    say(&format!(
        "| {what} | {:.1}; {:.1} | {:.1}; {:.1} | {:.1}; {:.1} |",
        proxy[0], proxy[1], ours[0], ours[1], added.0, added.1
    ));
    Ok(added)
}

async fn measure(flags: &Flags) -> anyhow::Result<bool> {
    let tasks = TaskTracker::new();
    let provider = serve(&tasks, Router::new().fallback(provide)).await?;
    // Fails when one is installed already; that is the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Arc::new(reqwest::Client::builder().no_proxy().build()?);
    let through =
        Router::new().fallback(move |request| pass(reqwest::Client::clone(&client), provider, request));
    let proxy = serve(&tasks, through).await?;
    let home = tempfile::Builder::new().prefix("anchord-gateway-").tempdir()?;
    let gateway = format!("--gateway-anthropic http://{provider}");
    let binary = flags.binary.clone();
    let folder = home.path().to_owned();
    let started = tokio::task::spawn_blocking(move || Service::start(&binary, &gateway, None, &folder));
    let service = started.await??;
    let addresses = [proxy, service.address];
    // Connections, caches and the first session.
    turns(Agent::new("warm".to_owned(), MESSAGE_BYTES * 50), addresses, 20).await?;
    say("| list | proxy, p50; p99 in ms | gateway | added |\n|---|---|---|---|");
    let (median, p99) = row("1 MB, one agent", (1, MB), addresses, flags.turns).await?;
    row("4 MB, one agent", (1, 4 * MB), addresses, flags.turns / 4).await?;
    row("1 MB, sixteen agents", (16, MB), addresses, flags.turns / 8).await?;
    service.stop()?;
    let is_kept = median <= MOST_MEDIAN && p99 <= MOST_P99;
    say(if is_kept { "every limit is kept" } else { "missed: 1 MB, one agent, adds more than 2 ms; 10 ms" });
    Ok(is_kept)
}

fn main() -> anyhow::Result<ExitCode> {
    let flags = Flags::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(2).build()?;
    let is_kept = runtime.block_on(measure(&flags))?;
    Ok(if is_kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
