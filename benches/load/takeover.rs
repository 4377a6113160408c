//! How soon another process takes over what a killed one held.
//!
//! Times are the database's, of the rows themselves; a time of the bench that is held against one of those is of the
//! same machine's clock.

use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anchord_runtime::clock::Clock;
use anyhow::ensure;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use sqlx::Row as _;

use crate::Flags;
use crate::client::{Connection, request};
use crate::random::Random;
use crate::report::{self, Report, spread};
use crate::servers::Servers;
use crate::texts::batch;

/// How long a claim holds, from which the row tells when it was claimed.
const LEASE_SECONDS: u32 = 30;
/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// From the kill of a process that holds a job to the claim by another one.
pub async fn measure(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    report::section("takeover: a worker is killed that holds a job");
    // A model that never answers makes a job that lasts: the backlog takes its connections.
    let silent = TcpListener::bind("127.0.0.1:0")?;
    let model = silent.local_addr()?;
    let mut connection = Connection::open(servers.address).await?;
    let mut random = Random::new(29);
    let mut times = Vec::new();
    for round in 0..flags.rounds.max(1) {
        let session = format!("takeover-{round}");
        let settings = r#"{"auto":false,"context_window":10000}"#;
        connection.json(&request("PUT", format_args!("/v1/sessions/{session}"), settings)).await?;
        let messages =
            request("POST", format_args!("/v1/sessions/{session}/messages"), &batch(40, &mut random));
        connection.json(&messages).await?;
        servers.rest(PATIENCE).await?;
        // The service of the bench has no model and would do the job at once.
        let service = Pid::from_raw(i32::try_from(servers.service_pid())?);
        kill(service, Signal::SIGSTOP)?;
        let taken = taken_over(flags, servers, (&session, model)).await;
        kill(service, Signal::SIGCONT)?;
        times.push(taken?);
    }
    let told = json!({ "takeover_ms": spread(times) });
    report::line(&report::brief(&told, &["takeover_ms"]));
    report.add("takeover", told);
    Ok(())
}

async fn taken_over(
    flags: &Flags,
    servers: &Servers,
    (session, model): (&str, SocketAddr),
) -> anyhow::Result<f64> {
    let job = format!(
        "select c.status, c.attempt,
                extract(epoch from c.lease_until - interval '{LEASE_SECONDS} s')::float8 as claimed
         from compressions c join sessions s on s.tenant_id = c.tenant_id and s.id = c.session_id
         where s.name = '{session}' and c.kind = 'compress'"
    );
    let first = Worker::start(flags, servers, model)?;
    until_living(servers, 2).await?;
    servers
        .look(&format!(
            "insert into compressions (tenant_id, id, session_id, kind, status, trigger, request)
             select s.tenant_id, gen_random_uuid(), s.id, 'compress', 'queued', 'manual', '{{}}' from sessions s
             where s.name = '{session}';
             select pg_notify('anchord_queue', '')"
        ))
        .await?;
    until_attempt(servers, &job, 1).await?;
    let second = Worker::start(flags, servers, model)?;
    until_living(servers, 3).await?;
    let killed = now();
    drop(first);
    let claimed = until_attempt(servers, &job, 2).await?;
    drop(second);
    let end = "update compressions set status = 'cancelled', finished_at = now(), lease_until = null where status = 'running'";
    servers.look(end).await?;
    Ok((claimed - killed) * 1000.0)
}

/// A process that works and has no API; it is killed when it goes.
struct Worker(Child);

impl Worker {
    fn start(flags: &Flags, servers: &Servers, model: SocketAddr) -> anyhow::Result<Self> {
        let child = Command::new(&flags.binary)
            .arg("worker")
            .env("DATABASE_URL", servers.url())
            .env("ANCHORD_LLM_PROVIDER", "openai")
            .env("ANCHORD_LLM_BASE_URL", format!("http://{model}/v1"))
            .env("ANCHORD_LLM_MODEL", "silent")
            .env("ANCHORD_LLM_API_KEY", "none")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self(child))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // SIGKILL: nothing of it is said.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until so many workers give a sign of life.
async fn until_living(servers: &Servers, workers: usize) -> anyhow::Result<()> {
    let signs = "select from pg_locks where locktype = 'advisory' and classid = 1633772132 and granted";
    let begun = Instant::now();
    while servers.look(signs).await?.len() < workers {
        ensure!(begun.elapsed() < PATIENCE, "there are no {workers} workers");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// Waits until a job was claimed so often; gives when that was, in seconds of the epoch.
async fn until_attempt(servers: &Servers, job: &str, attempt: i32) -> anyhow::Result<f64> {
    let begun = Instant::now();
    loop {
        let rows = servers.look(job).await?;
        if let Some(row) = rows.first()
            && row.get::<i32, _>("attempt") >= attempt
        {
            let status: String = row.get("status");
            ensure!(status == "running", "the job that was to last is {status}");
            return Ok(row.get("claimed"));
        }
        ensure!(begun.elapsed() < PATIENCE, "nobody took the job");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Seconds of the epoch: of the clock that the database's times are of, on the same machine.
#[expect(clippy::cast_precision_loss, reason = "microseconds of today are far below 2^53")]
fn now() -> f64 {
    Clock::system().now().timestamp_micros() as f64 / 1e6
}
