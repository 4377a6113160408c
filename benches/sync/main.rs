//! The bench of transcript sync: what it costs beyond reading its body.
//!
//! What lives here: a durable Postgres and the service's release binary, an agent that puts a list of 2,000 messages and 4 MB
//! at every turn, alone and beside moderate load, and after a restart; and a session with many branches beside one without.
//! What is subtracted is a request with the same body and a key that may not read, which the service refuses once it has the
//! body and before it looks into it. All figures of a row are of one run, in turns.
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

use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anchord_postgres::{Config, Durability, Embedded};
use anyhow::Context as _;
use clap::Parser;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use tokio_util::sync::CancellationToken;

use crate::client::{Connection, KEY, request};
use crate::quantile::quantile;
use crate::random::{Random, WORDS};
use crate::service::Service;

/// The list of the agent.
const MESSAGES: usize = 2_000;
const MESSAGE_BYTES: usize = 2_000;
/// The most that a sync may take beyond reading its body, in milliseconds: at the median alone, and at the 99th percentile
/// beside load.
const MOST_ALONE: f64 = 15.0;
const MOST_BESIDE: f64 = 40.0;
/// Appends a second beside the agent, which is moderate.
const LOAD: u32 = 100;

/// Measures what a transcript sync costs beyond reading its body
#[derive(Debug, Parser)]
struct Flags {
    /// Turns of the agent in each measurement
    #[arg(long, default_value_t = 200)]
    turns: usize,
    /// Restarts, each before a first sync
    #[arg(long, default_value_t = 5)]
    restarts: usize,
    /// Branches of the session that has many
    #[arg(long, default_value_t = 10_000)]
    branches: usize,
    /// The service's binary
    #[arg(long, default_value = env!("CARGO_BIN_EXE_anchord"))]
    binary: PathBuf,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

/// The servers that are measured.
struct Servers {
    service: Service,
    embedded: Embedded,
    home: tempfile::TempDir,
}

impl Servers {
    fn start(binary: &Path) -> anyhow::Result<Self> {
        let home = tempfile::Builder::new().prefix("anchord-sync-").tempdir()?;
        // The server's user must be able to pass through, when the bench runs as root.
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o711))?;
        let embedded = Embedded::start_blocking(&Config {
            data_dir: home.path().join("data"),
            programs: None,
            path: path(),
            max_connections: 100,
            durability: Durability::Full,
        })?;
        let service = Service::start(binary, "", Some(&embedded.url()), home.path())?;
        Ok(Self { service, embedded, home })
    }

    /// The same with a process that knows nothing.
    fn restart(self, binary: &Path) -> anyhow::Result<Self> {
        let Self { service, embedded, home } = self;
        service.stop()?;
        let service = Service::start(binary, "", Some(&embedded.url()), home.path())?;
        Ok(Self { service, embedded, home })
    }

    fn address(&self) -> SocketAddr {
        self.service.address
    }

    /// The one number that a query gives.
    async fn number(&self, query: &str) -> anyhow::Result<i64> {
        let url = self.embedded.url_of(anchord_postgres::SUPERUSER, anchord_postgres::DATABASE);
        let mut connection = PgConnection::connect(&url).await?;
        let row = sqlx::raw_sql(AssertSqlSafe(query)).fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok(row.try_get(0)?)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the bench hands the launcher what config.rs reads in the service"
)]
fn path() -> Option<OsString> {
    std::env::var_os("PATH")
}

/// The list of an agent, as text of its messages.
struct Agent {
    random: Random,
    list: Vec<String>,
}

impl Agent {
    fn new() -> Self {
        let mut agent = Self { random: Random::new(23), list: Vec::new() };
        for _ in 0..MESSAGES {
            agent.say();
        }
        agent
    }

    fn say(&mut self) {
        let mut text = format!("{}:", self.list.len());
        while text.len() < MESSAGE_BYTES {
            text.push(' ');
            text.push_str(WORDS.get(self.random.below(WORDS.len())).copied().unwrap_or_default());
        }
        let role = if self.list.len().is_multiple_of(2) { "user" } else { "assistant" };
        self.list.push(json!({"role": role, "content": text}).to_string());
    }

    fn body(&self) -> String {
        format!("{{\"messages\":[{}]}}", self.list.join(","))
    }
}

/// Times of the same turns.
#[derive(Default)]
struct Times {
    sync: Vec<f64>,
    body: Vec<f64>,
    append: Vec<f64>,
}

async fn timed(connection: &mut Connection, request: &[u8], status: u16) -> anyhow::Result<f64> {
    let started = Instant::now();
    let reply = connection.call(request).await?;
    let took = started.elapsed().as_secs_f64() * 1_000.0;
    anyhow::ensure!(reply.status == status, "{}: {}", reply.status, String::from_utf8_lossy(reply.body));
    Ok(took)
}

/// Turns of the agent: a sync with one new message, the same body refused, and a plain append of one message to a session of
/// the same length, which returns its context as well.
async fn turns(
    connection: &mut Connection,
    agent: &mut Agent,
    refused_key: &str,
    count: usize,
) -> anyhow::Result<Times> {
    let mut times = Times::default();
    for _ in 0..count {
        agent.say();
        let body = agent.body();
        let sync = request("PUT", format_args!("/v1/sessions/synced/transcript"), &body);
        let refused = String::from_utf8(sync.clone())?.replacen(KEY, refused_key, 1).into_bytes();
        times.body.push(timed(connection, &refused, 403).await?);
        times.sync.push(timed(connection, &sync, 200).await?);
        let last = agent.list.last().map(String::as_str).unwrap_or_default();
        let append = format!("{{\"messages\":[{last}]}}");
        let append = request("POST", format_args!("/v1/sessions/appended/messages?return=context"), &append);
        times.append.push(timed(connection, &append, 201).await?);
    }
    Ok(times)
}

/// Prints a row, and gives the median and the 99th percentile beyond reading the body.
fn tell(what: &str, times: &Times) -> (f64, f64) {
    let body = quantile(&times.body, 0.5);
    let beyond: Vec<f64> = times.sync.iter().map(|time| time - body).collect();
    let (p50, p99) = (quantile(&beyond, 0.5), quantile(&beyond, 0.99));
    say(&format!(
        "{what}: sync {:.1} ms p50, {:.1} ms p99; reading the body {body:.1} ms p50, {:.1} ms p99; beyond it {p50:.1} ms p50, \
         {p99:.1} ms p99; plain append with context {:.1} ms p50, {:.1} ms p99",
        quantile(&times.sync, 0.5),
        quantile(&times.sync, 0.99),
        quantile(&times.body, 0.99),
        quantile(&times.append, 0.5),
        quantile(&times.append, 0.99),
    ));
    (p50, p99)
}

#[expect(clippy::print_stdout, reason = "a bench prints")]
fn say(line: &str) {
    println!("{line}");
}

/// Appends to other sessions at a steady pace until it is told to stop.
async fn load(address: SocketAddr, stop: CancellationToken) -> anyhow::Result<u32> {
    let (mut connection, mut sent) = (Connection::open(address).await?, 0);
    let mut pace = tokio::time::interval(Duration::from_secs(1) / LOAD);
    let message = json!({"messages": [{"role": "user", "content": "x".repeat(1_000)}]}).to_string();
    while !stop.is_cancelled() {
        pace.tick().await;
        let append = request("POST", format_args!("/v1/sessions/other-{}/messages", sent % 100), &message);
        connection.done(&append).await?;
        sent += 1;
    }
    Ok(sent)
}

async fn make_refused_key(connection: &mut Connection) -> anyhow::Result<String> {
    let made = connection.json(&request("POST", format_args!("/v1/keys"), r#"{"scopes":["write"]}"#)).await?;
    made.get("key").and_then(Value::as_str).map(str::to_owned).context("a key")
}

/// A session with many branches beside one without: what they add, and what a context takes.
async fn branches(servers: &Servers, connection: &mut Connection, flags: &Flags) -> anyhow::Result<f64> {
    const BYTES: &str = "select sum(pg_total_relation_size(c.oid))::bigint from pg_class c
        join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind = 'r'";
    let messages: Vec<Value> =
        (0..200).map(|n| json!({"role": "user", "content": format!("{n} {}", "y".repeat(500))})).collect();
    let body = json!({"messages": messages}).to_string();
    for session in ["many", "none"] {
        connection.done(&request("POST", format_args!("/v1/sessions/{session}/messages"), &body)).await?;
    }
    let before = servers.number(BYTES).await?;
    let started = Instant::now();
    for at in 0..flags.branches {
        let fork = json!({"seq": 1 + at % 200, "from": "main"}).to_string();
        connection.done(&request("POST", format_args!("/v1/sessions/many/branches"), &fork)).await?;
    }
    let each = started.elapsed().as_secs_f64() * 1_000.0 / f64::from(u32::try_from(flags.branches.max(1))?);
    let bytes = servers.number(BYTES).await? - before;
    let rows = servers.number("select count(*) from sessions where root_id is not null").await?;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..flags.turns {
        for (session, times) in ["many", "none"].iter().zip(&mut times) {
            let read = request("GET", format_args!("/v1/sessions/{session}/context"), "");
            times.push(timed(connection, &read, 200).await?);
        }
    }
    let [many, none] = times.map(|times| quantile(&times, 0.5));
    say(&format!(
        "{rows} branches: {each:.2} ms and {} bytes each; context {many:.2} ms p50 beside {none:.2} ms without branches, a ratio of {:.2}",
        bytes / i64::try_from(flags.branches.max(1)).unwrap_or(1),
        many / none,
    ));
    Ok(many / none)
}

async fn measure(flags: &Flags) -> anyhow::Result<bool> {
    let mut servers = Servers::start(&flags.binary)?;
    let mut agent = Agent::new();
    let mut connection = Connection::open(servers.address()).await?;
    let refused_key = make_refused_key(&mut connection).await?;
    for session in ["synced", "appended"] {
        // Summaries would come in the middle of a measurement, and make contexts small.
        let settings = r#"{"auto":false,"context_window":128000}"#;
        connection.done(&request("PUT", format_args!("/v1/sessions/{session}"), settings)).await?;
        let sync = request("PUT", format_args!("/v1/sessions/{session}/transcript"), &agent.body());
        connection.done(&sync).await?;
    }
    // The first turns make the process warm.
    turns(&mut connection, &mut agent, &refused_key, 10).await?;
    let (alone, _) = tell("alone", &turns(&mut connection, &mut agent, &refused_key, flags.turns).await?);
    let stop = CancellationToken::new();
    let (times, sent) = tokio::join!(
        async {
            let times = turns(&mut connection, &mut agent, &refused_key, flags.turns).await;
            stop.cancel();
            times
        },
        load(servers.address(), stop.clone())
    );
    let (_, beside) = tell(&format!("beside {LOAD} appends a second ({} in all)", sent?), &times?);
    let many = branches(&servers, &mut connection, flags).await?;
    let mut cold = Times::default();
    for _ in 0..flags.restarts {
        servers = servers.restart(&flags.binary)?;
        let mut connection = Connection::open(servers.address()).await?;
        // Connections and caches of the process, but no digest.
        connection.done(&request("GET", format_args!("/v1/sessions/none/context"), "")).await?;
        let first = turns(&mut connection, &mut agent, &refused_key, 1).await?;
        cold.sync.extend(first.sync);
        cold.body.extend(first.body);
        cold.append.extend(first.append);
    }
    tell("first after a restart", &cold);
    servers.service.stop()?;
    let missed: Vec<String> = [
        ("alone, p50", alone, MOST_ALONE),
        ("beside load, p99", beside, MOST_BESIDE),
        ("context beside many branches, ratio", many, 1.2),
    ]
    .into_iter()
    .filter(|(_, found, most)| found > most)
    .map(|(what, found, most)| format!("{what}: {found:.1}, at most {most}"))
    .collect();
    say(&if missed.is_empty() {
        "every limit is kept".to_owned()
    } else {
        format!("missed: {}", missed.join("; "))
    });
    Ok(missed.is_empty())
}

fn main() -> anyhow::Result<ExitCode> {
    let flags = Flags::parse();
    // One thread: the agent must cost little beside what it measures.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let is_kept = runtime.block_on(measure(&flags))?;
    Ok(if is_kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
