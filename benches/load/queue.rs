//! The queue: how soon a job is taken, how many jobs with nothing to do end in a second, and how soon another
//! process takes over what a killed one held; each without and with a hundred thousand idle sessions beside.
//!
//! Times are the database's, of the rows themselves; where a time of the bench is held against one of those,
//! both are the same machine's clock.

use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anchord::clock::Clock;
use anyhow::{Context as _, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use sqlx::Row as _;

use crate::Flags;
use crate::client::{Connection, request};
use crate::random::Random;
use crate::report::{self, Report, median, rounded};
use crate::servers::Servers;
use crate::texts::batch;

/// Idle sessions of the second half.
const IDLE: usize = 100_000;
/// Jobs of one pickup measurement, one at a time.
const PICKUPS: usize = 100;
/// Jobs of one throughput measurement, and the tenants that they belong to: a tenant runs eight at once.
const NO_OPS: usize = 2_000;
const TENANTS: usize = 20;
/// How long a claim holds, from which the row tells when it was claimed.
const LEASE_SECONDS: u32 = 30;
/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// Measures everything twice.
pub async fn measure(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    for (idle, name) in [(0, "alone"), (IDLE, "beside_idle")] {
        report::section(&format!("queue: {idle} idle sessions beside"));
        fill_idle(servers, idle).await?;
        let http = pickup(servers, name, Asked::ByRequest).await?;
        let append = pickup(servers, name, Asked::ByAppend).await?;
        let mut rates = serde_json::Map::new();
        for kind in ["compress", "index"] {
            let mut all = Vec::new();
            for round in 0..flags.rounds.max(1) {
                all.push(no_ops(servers, kind, &format!("{name}-{kind}-{round}")).await?);
            }
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            let rate = median(all);
            report::line(&format!("{kind} jobs with nothing to do: {rate:.0}/s, {least:.0}/s at least"));
            rates
                .insert(kind.to_owned(), json!({ "median_per_s": rate.round(), "min_per_s": least.round() }));
        }
        let takeover = takeover(flags, servers, name).await?;
        let figures =
            json!({ "pickup_request": http, "pickup_append": append, "no_ops": rates, "takeover": takeover });
        report.add(&format!("queue_{name}"), figures);
    }
    Ok(())
}

/// Makes sessions of some tenants that nobody touches, each with what one has behind it.
async fn fill_idle(servers: &Servers, count: usize) -> anyhow::Result<()> {
    if count > 0 {
        let rows = [
            "insert into tenants (id, name) select gen_random_uuid(), 'idle ' || n from generate_series(1, 50) n".to_owned(),
            format!(
                "insert into sessions (tenant_id, id, name, head_seq)
                 select t.id, gen_random_uuid(), 'idle-' || n, 2
                 from generate_series(1, {count}) n
                 join (select id, row_number() over (order by id) as place from tenants where name like 'idle %') t
                   on t.place = 1 + n % 50"
            ),
            "insert into messages (tenant_id, session_id, seq, role, format, tokens, body)
             select s.tenant_id, s.id, q, 'user', 'openai-chat', 5, '{\"role\":\"user\",\"content\":\"idle\"}'
             from sessions s cross join generate_series(1, 2) q where s.name like 'idle-%'"
                .to_owned(),
            "insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, attempt, finished_at)
             select s.tenant_id, gen_random_uuid(), s.id, 'compress', 'succeeded', 'manual', '{}', 1, now()
             from sessions s where s.name like 'idle-%'"
                .to_owned(),
        ];
        for insert in rows {
            // Without a look at the sessions for each row, which takes a minute.
            servers.look(&format!("set session_replication_role = replica; {insert}")).await?;
        }
        servers.look("vacuum analyze").await?;
    }
    servers.settle().await
}

/// What asks for a job.
#[derive(Clone, Copy)]
enum Asked {
    ByRequest,
    ByAppend,
}

/// From the commit of what asks for a job to its claim, one job at a time.
async fn pickup(servers: &Servers, name: &str, asked: Asked) -> anyhow::Result<Value> {
    let mut connection = Connection::open(servers.address).await?;
    let mut random = Random::new(23);
    let (mut since_reply, mut since_begin) = (Vec::new(), Vec::new());
    let short = match asked {
        Asked::ByRequest => "request",
        Asked::ByAppend => "append",
    };
    for n in 0..PICKUPS {
        let session = format!("pickup-{name}-{short}-{n}");
        let settings = match asked {
            Asked::ByRequest => r#"{"auto":false}"#,
            Asked::ByAppend => r#"{"context_window":4000}"#,
        };
        connection.json(&request("PUT", format_args!("/v1/sessions/{session}"), settings)).await?;
        let asks = match asked {
            Asked::ByRequest => {
                let messages = format!("/v1/sessions/{session}/messages");
                connection.json(&request("POST", format_args!("{messages}"), &batch(2, &mut random))).await?;
                request("POST", format_args!("/v1/sessions/{session}/compressions"), r#"{"target":0.1}"#)
            }
            Asked::ByAppend => {
                request("POST", format_args!("/v1/sessions/{session}/messages"), &batch(16, &mut random))
            }
        };
        rest(servers).await?;
        connection.json(&asks).await?;
        let replied = now();
        rest(servers).await?;
        let sql = format!(
            "select extract(epoch from c.created_at)::float8 as asked, extract(epoch from c.started_at)::float8 as taken
             from compressions c join sessions s on s.tenant_id = c.tenant_id and s.id = c.session_id
             where s.name = '{session}' order by c.created_at limit 1"
        );
        let rows = servers.look(&sql).await?;
        let row = rows.first().with_context(|| format!("{session} asked for no job"))?;
        let (asked, taken): (f64, f64) = (row.get("asked"), row.get("taken"));
        // A worker may be there before the reply has travelled.
        since_reply.push((taken - replied).max(0.0) * 1000.0);
        since_begin.push((taken - asked) * 1000.0);
    }
    for times in [&mut since_reply, &mut since_begin] {
        times.sort_unstable_by(f64::total_cmp);
    }
    let of = |times: &[f64], share: f64| rounded(quantile(times, share));
    report::line(&format!(
        "pickup of a job by {short}: p50 {:.2} ms, p99 {:.2} ms after the reply; p50 {:.2} ms, p99 {:.2} ms after its \
         transaction began",
        quantile(&since_reply, 0.5),
        quantile(&since_reply, 0.99),
        quantile(&since_begin, 0.5),
        quantile(&since_begin, 0.99)
    ));
    Ok(json!({
        "after_reply_p50_ms": of(&since_reply, 0.5), "after_reply_p99_ms": of(&since_reply, 0.99),
        "after_begin_p50_ms": of(&since_begin, 0.5), "after_begin_p99_ms": of(&since_begin, 0.99),
    }))
}

/// Jobs that have nothing to do per second: compressions of sessions with two messages, which end as skipped, or
/// indexing of sessions that are indexed. They wait already when the workers are told of them.
async fn no_ops(servers: &Servers, kind: &str, name: &str) -> anyhow::Result<f64> {
    servers
        .look(&format!(
            "insert into tenants (id, name) select gen_random_uuid(), '{name} ' || n from generate_series(1, {TENANTS}) n"
        ))
        .await?;
    for statement in [
        format!(
            "insert into sessions (tenant_id, id, name, head_seq, indexed_seq)
             select t.id, gen_random_uuid(), '{name}-' || n, 2, 2
             from generate_series(1, {NO_OPS}) n
             join (select id, row_number() over (order by id) as place from tenants where name like '{name} %') t
               on t.place = 1 + n % {TENANTS}"
        ),
        format!(
            "insert into messages (tenant_id, session_id, seq, role, format, tokens, body)
             select s.tenant_id, s.id, q, 'user', 'openai-chat', 5, '{{\"role\":\"user\",\"content\":\"hello\"}}'
             from sessions s cross join generate_series(1, 2) q where s.name like '{name}-%'"
        ),
        format!(
            "insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, due_at)
             select s.tenant_id, gen_random_uuid(), s.id, '{kind}', 'queued', 'manual', '{{}}', now() + interval '1 day'
             from sessions s where s.name like '{name}-%'"
        ),
        "vacuum analyze".to_owned(),
        "checkpoint".to_owned(),
    ] {
        servers.look(&statement).await?;
    }
    servers
        .look("update compressions set due_at = now() where status = 'queued'; select pg_notify('anchord_queue', '')")
        .await?;
    rest(servers).await?;
    let rows = servers
        .look(&format!(
            "select extract(epoch from max(c.finished_at) - min(c.started_at))::float8 as seconds, count(*) as jobs,
                    count(*) filter (where c.status in ('skipped', 'succeeded')) as good
             from compressions c join sessions s on s.tenant_id = c.tenant_id and s.id = c.session_id
             where s.name like '{name}-%'"
        ))
        .await?;
    let row = rows.first().context("jobs")?;
    let (jobs, good): (i64, i64) = (row.get("jobs"), row.get("good"));
    ensure!(jobs == good, "{} of {jobs} jobs did not end well", jobs - good);
    let seconds: f64 = row.get("seconds");
    #[expect(clippy::cast_precision_loss, reason = "some thousand jobs")]
    Ok(jobs as f64 / seconds)
}

/// From the kill of a process that holds a job to the claim by another one.
async fn takeover(flags: &Flags, servers: &Servers, name: &str) -> anyhow::Result<Value> {
    // A model that never answers makes a job that lasts: the backlog takes its connections.
    let silent = TcpListener::bind("127.0.0.1:0")?;
    let model = silent.local_addr()?;
    let mut connection = Connection::open(servers.address).await?;
    let mut random = Random::new(29);
    let mut times = Vec::new();
    for round in 0..flags.rounds.max(1) {
        let session = format!("takeover-{name}-{round}");
        let settings = r#"{"auto":false,"context_window":10000}"#;
        connection.json(&request("PUT", format_args!("/v1/sessions/{session}"), settings)).await?;
        let messages =
            request("POST", format_args!("/v1/sessions/{session}/messages"), &batch(40, &mut random));
        connection.json(&messages).await?;
        rest(servers).await?;
        // The service of the bench has no model and would do the job at once.
        let service = Pid::from_raw(i32::try_from(servers.service_pid())?);
        kill(service, Signal::SIGSTOP)?;
        let taken = taken_over(flags, servers, (&session, model)).await;
        kill(service, Signal::SIGCONT)?;
        times.push(taken?);
    }
    times.sort_unstable_by(f64::total_cmp);
    let (p50, most) = (quantile(&times, 0.5), quantile(&times, 1.0));
    report::line(&format!("takeover after kill -9: {p50:.0} ms, {most:.0} ms at most"));
    Ok(json!({ "median_ms": p50.round(), "max_ms": most.round() }))
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

/// Waits until no job waits or runs, by looks that cost the same whatever has ended before.
async fn rest(servers: &Servers) -> anyhow::Result<()> {
    let live = "(select from compressions where status = 'queued' limit 1)
                union all (select from compressions where status = 'running' limit 1)";
    let begun = Instant::now();
    while !servers.look(live).await?.is_empty() {
        ensure!(begun.elapsed() < PATIENCE, "jobs are not done after {} s", PATIENCE.as_secs());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
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

/// What a share of ascending figures stays within.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a list"
)]
fn quantile(ascending: &[f64], share: f64) -> f64 {
    let place = (ascending.len().saturating_sub(1) as f64 * share).round() as usize;
    ascending.get(place).copied().unwrap_or(f64::NAN)
}
