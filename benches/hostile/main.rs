//! The bench of the hostile neighbour: what a tenant notices while another calls each operation at its bounds.
//!
//! What lives here: a durable Postgres and the service's release binary with its default limits, a tenant that works, and
//! another that calls one operation after the other over many connections at once (`harness`). Printed are the waits of
//! the first and the service's memory for each operation, as a table and as JSON, and the limits that were missed.
//! Must not know: the service's internals; it is a client, and looks at the process and the database from outside.

mod harness;
#[path = "../../tests/support/service.rs"]
#[expect(
    dead_code,
    clippy::expect_used,
    clippy::panic,
    reason = "the tests use the rest, and fail where something is not as expected"
)]
mod service;

use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anchord_postgres::{Config, Durability, Embedded};
use axum::Router;
use axum::extract::Request;
use axum::http::header;
use clap::Parser;
use futures::future::join_all;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use crate::harness::Caller;
use crate::harness::attacker::{Attacker, Driven, Turn, make_tenant};
use crate::harness::neighbour::{Call, Neighbour, Sample};
use crate::harness::requests::{Bounds, Operation, operations, turns};
use crate::harness::watch::{Process, busy_connections};
use crate::service::Service;

const OPERATOR: &str = "operator-token-of-the-hostile-bench";
/// What the README documents.
const BOUNDS: Bounds = Bounds { body: 16 * 1024 * 1024, message: 4 * 1024 * 1024, batch: 1_000 };
/// What the tenant that works may wait at the 99th percentile, and the megabytes that the service may take.
struct Limits {
    append: Duration,
    call: Duration,
    memory: u64,
}
/// The limits beside one hostile tenant.
const LIMITS: Limits =
    Limits { append: Duration::from_millis(250), call: Duration::from_secs(1), memory: 500 };
/// Beside several the figures are told; what holds is that no call of the neighbour fails.
const NO_LIMITS: Limits = Limits { append: Duration::MAX, call: Duration::MAX, memory: u64::MAX };
/// In the end everything is called at once, over so many times the connections and for so many times as long: by the one
/// tenant, and then by so many tenants, which share the connections.
const TOGETHER: usize = 10;
const TENANTS: usize = 4;
const TOGETHER_LONGER: u32 = 10;
/// How long the service may take to be as before.
const RECOVERY: Duration = Duration::from_secs(20);

/// Measures what one tenant notices while another calls every operation at its bounds
#[derive(Debug, Parser)]
struct Flags {
    /// Seconds of each operation, and seconds after which the hostile tenant hangs up on what it has begun
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
    /// Requests of the hostile tenant at once
    #[arg(long, default_value_t = 20)]
    lanes: usize,
    /// Operations to call, by operationId; all without it
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// A file that the JSON is written to
    #[arg(long)]
    json: Option<PathBuf>,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let flags = Flags::parse();
    let home = tempfile::Builder::new().prefix("anchord-hostile-").tempdir()?;
    // The server's user must be able to pass through, when the bench runs as root.
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o711))?;
    let embedded = Embedded::start_blocking(&Config {
        data_dir: home.path().join("data"),
        programs: None,
        path: path(),
        max_connections: 60,
        durability: Durability::Full,
    })?;
    // Keys of providers are kept encrypted alone.
    let sealing = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    let provider = format!("http://{}", provider()?);
    let flags_of_service =
        ["--admin-token", OPERATOR, "--secrets-key", sealing, "--gateway-openai", &provider];
    let service = Service::on(&embedded.url(), &flags_of_service);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(measure(&flags, &service, &embedded.url()))?;
    if let Some(file) = &flags.json {
        fs::write(file, format!("{:#}\n", report.json))?;
    }
    say(&report.json.to_string());
    say("");
    for missed in &report.missed {
        say(&format!("missed: {missed}"));
    }
    if report.missed.is_empty() {
        say("every limit was kept");
        return Ok(ExitCode::SUCCESS);
    }
    say(&format!("{} limits were missed", report.missed.len()));
    Ok(ExitCode::FAILURE)
}

/// Starts a provider of models that answers at once, on a thread of its own; gives its address.
fn provider() -> anyhow::Result<SocketAddr> {
    const ANSWER: &str = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"Done.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let answer = |request: Request| async move {
        // To its end, as a model reads it.
        let _ = request.into_body().collect().await;
        ([(header::CONTENT_TYPE, "text/event-stream")], ANSWER)
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::spawn(move || {
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            axum::serve(listener, Router::new().fallback(answer)).await
        })
    });
    Ok(address)
}

/// What was found.
#[derive(Debug, Default)]
struct Report {
    json: Value,
    missed: Vec<String>,
}

async fn measure(flags: &Flags, service: &Service, database: &str) -> anyhow::Result<Report> {
    let operator = Caller::new(service.client().address(), OPERATOR)?;
    let document = operator.get("/openapi.json").await?;
    let mut operations = operations(&document, BOUNDS)?;
    operations.push(turns(BOUNDS));
    let attacker = Attacker::prepare("hostile", &operator, &operations).await?;
    let (_, key) = make_tenant(&operator, "neighbour").await?;
    let mut neighbour = Neighbour::start(operator.with_key(&key), true).await?;
    let process = Process::of(service.id());
    let time = Duration::from_secs_f64(flags.seconds);
    let mut report = Report::default();
    let mut rows = Vec::new();
    say(
        "The neighbour's waits in ms (p50 / p99), the service's memory in MB, and what the hostile tenant got.\n",
    );
    say(
        "| operation | append | context | compress | turn | neighbour's failures | memory | hostile tenant |",
    );
    say("|---|---|---|---|---|---|---|---|");
    tokio::time::sleep(time).await;
    rows.push(row(("alone", &LIMITS), &neighbour.samples(), process.most(), "", &mut report));
    for operation in chosen(&operations, flags) {
        neighbour.samples();
        process.most();
        let turn = Turn { lanes: flags.lanes, time, grace: time };
        let driven = attacker.drive(&[operation], turn).await.remove(0);
        // What goes on for nobody belongs to this operation, too.
        process.rest(RECOVERY).await;
        let brief = driven.brief();
        let mut row =
            row((&operation.id, &LIMITS), &neighbour.samples(), process.most(), &brief, &mut report);
        if let Some(fields) = row.as_object_mut() {
            fields.insert("group".to_owned(), json!(operation.tag));
        }
        rows.push(row);
        for (variant, told) in driven.refused().filter(|_| operation.entry.only.is_none()) {
            report
                .missed
                .push(format!("{}: its {variant} requests are refused each time: {told}", operation.id));
        }
        if !driven.is_driven(operation.entry.only) {
            let alone = attacker.reach(operation).await;
            if !alone.is_driven(operation.entry.only) {
                report.missed.push(format!("{} was not driven: {}", operation.id, alone.brief()));
            }
        }
    }
    // The operator's calls are no tenant's.
    let together: Vec<_> = chosen(&operations, flags).filter(|operation| !operation.is_operators).collect();
    let mut attackers = vec![attacker];
    if together.len() > 1 {
        for (name, tenants, limits) in
            [("everything at once", 1, LIMITS), ("everything at once, by four tenants", TENANTS, NO_LIMITS)]
        {
            while attackers.len() < tenants {
                let name = format!("hostile-{}", attackers.len());
                attackers.push(Attacker::prepare(&name, &operator, &operations).await?);
            }
            neighbour.samples();
            process.most();
            let lanes = flags.lanes * TOGETHER / attackers.len();
            let turn = Turn { lanes, time: time * TOGETHER_LONGER, grace: time };
            let driven = join_all(attackers.iter().map(|attacker| attacker.drive(&together, turn))).await;
            process.rest(RECOVERY).await;
            let brief = all_of(&driven.concat()).brief();
            rows.push(row((name, &limits), &neighbour.samples(), process.most(), &brief, &mut report));
        }
    }
    tokio::time::sleep(time).await;
    neighbour.samples();
    tokio::time::sleep(time).await;
    rows.push(row(("alone again", &LIMITS), &neighbour.samples(), process.most(), "", &mut report));
    neighbour.stop().await?;
    match neighbour.verify().await {
        Ok(count) => {
            say(&format!("\n{count} messages of the neighbour are stored as they were acknowledged"));
        }
        Err(error) => report.missed.push(error.to_string()),
    }
    for attacker in &attackers {
        if let Err(error) = attacker.verify(RECOVERY).await {
            report.missed.push(format!("a hostile tenant cannot work afterwards: {error}"));
        }
    }
    let recovered = tokio::time::timeout(RECOVERY, async {
        while busy_connections(database).await? > 0 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        anyhow::Ok(())
    });
    if recovered.await.is_err() {
        report.missed.push(format!("{} database connections stay busy", busy_connections(database).await?));
    }
    say(&format!("memory at the end: {} MB", process.now()));
    report.json = json!({"bench": "hostile", "seconds": flags.seconds, "lanes": flags.lanes, "rows": rows,
                         "memory_at_the_end_mb": process.now(), "missed": report.missed});
    Ok(report)
}

fn chosen<'a>(operations: &'a [Operation], flags: &Flags) -> impl Iterator<Item = &'a Operation> {
    operations.iter().filter(|operation| flags.only.is_empty() || flags.only.contains(&operation.id))
}

/// How the requests of all operations ended.
fn all_of(driven: &[Driven]) -> Driven {
    let mut all = Driven::default();
    for driven in driven {
        for (status, count) in &driven.statuses {
            *all.statuses.entry(*status).or_default() += count;
        }
        all.unanswered += driven.unanswered;
        all.broken += driven.broken;
    }
    all
}

/// Prints a row of the table, and writes down which limits it misses.
fn row(
    (name, limits): (&str, &Limits),
    samples: &[Sample],
    memory: u64,
    hostile: &str,
    report: &mut Report,
) -> Value {
    let mut waits = serde_json::Map::new();
    let mut cells = Vec::new();
    for (call, most) in [
        (Call::Append, limits.append),
        (Call::Context, limits.call),
        (Call::Compress, limits.call),
        (Call::Turn, limits.call),
    ] {
        let mut took: Vec<Duration> =
            samples.iter().filter(|sample| sample.call == call).map(|sample| sample.took).collect();
        took.sort_unstable();
        let [p50, p99] = [50, 99].map(|percent| percentile(&took, percent));
        let called = format!("{call:?}").to_lowercase();
        if took.is_empty() {
            report.missed.push(format!("{name}: the neighbour had no {call:?} in its time"));
        } else if p99 > most {
            report.missed.push(format!(
                "{name}: {called} p99 {} ms of {} ms",
                p99.as_millis(),
                most.as_millis()
            ));
        }
        cells.push(format!("{} / {}", p50.as_millis(), p99.as_millis()));
        waits.insert(
            called,
            json!({"count": took.len(), "p50_ms": p50.as_millis(), "p99_ms": p99.as_millis()}),
        );
    }
    let failed: Vec<String> = samples
        .iter()
        .filter(|sample| !sample.is_fine())
        .map(|sample| {
            format!("{:?} {}", sample.call, sample.status.map_or("broken".to_owned(), |s| s.to_string()))
        })
        .collect();
    let mut kinds = failed.clone();
    kinds.sort_unstable();
    kinds.dedup();
    if !failed.is_empty() {
        report.missed.push(format!(
            "{name}: the neighbour had {} failures: {}",
            failed.len(),
            kinds.join(", ")
        ));
    }
    if memory > limits.memory {
        report.missed.push(format!("{name}: {memory} MB of {} MB", limits.memory));
    }
    say(&format!(
        "| {name} | {} | {} {} | {memory} | {hostile} |",
        cells.join(" | "),
        failed.len(),
        kinds.join(", ")
    ));
    json!({"operation": name, "waits": waits, "failures": failed.len(), "failure_kinds": kinds,
           "memory_mb": memory, "hostile": hostile})
}

/// The value below which so many of a hundred sorted ones are.
fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied().unwrap_or_default()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the bench hands the launcher what config.rs reads in the service"
)]
fn path() -> Option<OsString> {
    std::env::var_os("PATH")
}

#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
fn say(line: &str) {
    println!("{line}");
}
