//! Whether appends and contexts wait while other sessions are compressed.

use std::cell::Cell;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::json;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection, Row as _};

use crate::Flags;
use crate::beside::{self, Rates, Round, State, TURNS};
use crate::client::{Connection, request};
use crate::report::{self, Report, spread};
use crate::servers::Servers;
use crate::sessions;
use crate::transcripts::{self, Transcript};

/// Sessions that are compressed, again and again, all through a measurement.
const SESSIONS: usize = 200;
/// Messages that one compression covers, some 40 KB.
const STEP: i64 = 40;
/// Messages that wait to be compressed in each session before a measurement.
const WAITING: i64 = 12 * STEP;
/// Messages that always stay verbatim, as the service has it by default.
const LEFT: i64 = 5;
/// How often sessions that are done are found and asked for again.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long the background may take to finish what a measurement left to do.
const REST: Duration = Duration::from_mins(3);

/// The sessions that nothing is queued for.
const DONE: &str = "
select s.name, s.anchor_seq, s.head_seq from sessions s where s.name like 'busy-%' and not exists (
  select from compressions c
  where c.tenant_id = s.tenant_id and c.session_id = s.id and c.status in ('queued', 'running'))";

/// Keeps the fixed rates up: alone, beside what only computes, and beside compressions.
pub async fn measure(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    report::section(&format!("compressing: appends and contexts while {SESSIONS} sessions are compressed"));
    sessions::to_read(servers).await?;
    let time = Duration::from_secs(flags.seconds);
    let rates = Rates::moderate(flags, servers).await?;
    let mut work = Work::prepare(servers).await?;
    let (mut rounds, mut done) = (Vec::new(), Vec::new());
    for number in 0..flags.rounds {
        let mut round = Round::begin(&format!("append-{number}"), servers).await?;
        for state in TURNS {
            work.refill().await?;
            servers.rest(REST).await?;
            servers.settle().await?;
            if state != State::Busy {
                round.turn(state, rates, servers, time).await?;
                continue;
            }
            work.ask_for_all().await?;
            let begun = work.now().await?;
            let ended = Cell::new(false);
            let beside = async {
                let seen = round.turn(state, rates, servers, time).await;
                ended.set(true);
                seen
            };
            let ((), fewest) = futures::try_join!(beside, work.keep_going(&ended))?;
            done.push(work.done_since(begun, fewest).await?);
        }
        rounds.push(round.end(servers).await?);
    }
    let of = |pick: fn(&Done) -> f64| spread(done.iter().map(pick).collect());
    let told = json!({
        "sessions": SESSIONS, "rates": rates.told(),
        "compressions_per_s": of(|done| done.per_second), "mb_per_s": of(|done| done.mb_per_second),
        "fewest_live": of(|done| done.fewest_live),
    });
    report::line(&report::brief(&told, &["compressions_per_s", "mb_per_s", "fewest_live"]));
    report.add("compressing_work", told);
    report.add("compressing", beside::told(&rounds));
    report.memory(servers, "compressing");
    servers.rest(REST).await
}

/// What was compressed during a measurement.
#[derive(Clone, Copy, Debug)]
struct Done {
    per_second: f64,
    mb_per_second: f64,
    /// The fewest sessions that had a compression queued or running, at any look.
    fewest_live: f64,
}

/// The sessions, and the way to ask for more.
struct Work<'a> {
    servers: &'a Servers,
    connection: Connection,
    watch: PgConnection,
    transcripts: Vec<Transcript>,
    /// Through which message each session was last asked to be compressed.
    asked: Vec<i64>,
}

impl<'a> Work<'a> {
    async fn prepare(servers: &'a Servers) -> anyhow::Result<Self> {
        let work = Self {
            servers,
            connection: Connection::open(servers.address).await?,
            watch: servers.watch().await?,
            transcripts: transcripts::made(),
            asked: vec![0; SESSIONS],
        };
        // Asked for below, so that the span is known; what asks makes no difference to the work.
        let put = |session| request("PUT", format_args!("/v1/sessions/busy-{session}"), r#"{"auto":false}"#);
        sessions::send_all(servers, (0..SESSIONS).map(put)).await?;
        Ok(work)
    }

    /// Appends transcripts to sessions that have not enough left.
    async fn refill(&mut self) -> anyhow::Result<()> {
        let mut appends = Vec::new();
        for session in self.idle().await? {
            let mut left = session.head - session.anchor;
            while left < WAITING {
                // Another one each time.
                let place = session.number + usize::try_from(session.head + left)? / 100;
                let transcript = self.transcripts.get(place % self.transcripts.len());
                let transcript = transcript.context("there are transcripts")?;
                let path = format_args!("/v1/sessions/busy-{}/messages", session.number);
                appends.push(request("POST", path, &transcript.body));
                left += i64::try_from(transcript.messages)?;
            }
        }
        sessions::send_all(self.servers, appends.into_iter()).await
    }

    async fn rows(&mut self, sql: &'static str) -> anyhow::Result<Vec<PgRow>> {
        Ok(sqlx::raw_sql(AssertSqlSafe(sql)).fetch_all(&mut self.watch).await?)
    }

    /// The sessions that nothing is queued for.
    async fn idle(&mut self) -> anyhow::Result<Vec<Idle>> {
        self.rows(DONE).await?.iter().map(Idle::of).collect()
    }

    /// Asks for a compression of each session that has none.
    async fn ask_for_all(&mut self) -> anyhow::Result<usize> {
        let idle = self.idle().await?;
        let mut live = SESSIONS - idle.len();
        for session in &idle {
            let Some(asked) = self.asked.get_mut(session.number) else { continue };
            // Beyond what was asked for before, even if that came to nothing.
            let next = session.anchor.max(*asked) + STEP;
            if next + LEFT > session.head {
                continue;
            }
            *asked = next;
            let body = format!(r#"{{"through_seq":{next}}}"#);
            let path = format_args!("/v1/sessions/busy-{}/compressions", session.number);
            self.connection.done(&request("POST", path, &body)).await?;
            live += 1;
        }
        ensure!(live > 0, "the transcripts are too short: nothing is left to compress");
        Ok(SESSIONS - idle.len())
    }

    /// Has every session compressed again as soon as it is done, and returns the fewest that were live.
    async fn keep_going(&mut self, ended: &Cell<bool>) -> anyhow::Result<usize> {
        let mut fewest = SESSIONS;
        while !ended.get() {
            tokio::time::sleep(LOOK_EVERY).await;
            fewest = fewest.min(self.ask_for_all().await?);
        }
        Ok(fewest)
    }

    /// The database's time, in seconds.
    async fn now(&mut self) -> anyhow::Result<f64> {
        let rows = self.rows("select extract(epoch from clock_timestamp())::float8").await?;
        Ok(rows.first().context("a row")?.try_get(0)?)
    }

    /// What was published since a time.
    async fn done_since(&mut self, begun: f64, fewest: usize) -> anyhow::Result<Done> {
        let took = self.now().await? - begun;
        let sql = format!(
            "select count(distinct c.id)::float8, coalesce(sum(octet_length(m.body)), 0)::float8 / 1e6
             from compressions c join messages m on m.tenant_id = c.tenant_id and m.session_id = c.session_id
               and m.seq between c.from_seq and c.through_seq
             where c.status = 'succeeded' and extract(epoch from c.finished_at) between {begun} and {begun} + {took}"
        );
        let found = self.servers.look(&sql).await?;
        let found = found.first().context("a row")?;
        let (count, mb): (f64, f64) = (found.try_get(0)?, found.try_get(1)?);
        ensure!(count > 0.0, "no compression succeeded during the measurement");
        #[expect(clippy::cast_precision_loss, reason = "at most 200")]
        let fewest_live = fewest as f64;
        Ok(Done { per_second: count / took, mb_per_second: mb / took, fewest_live })
    }
}

/// A session that nothing is queued for.
#[derive(Clone, Copy, Debug)]
struct Idle {
    number: usize,
    anchor: i64,
    head: i64,
}

impl Idle {
    fn of(row: &PgRow) -> anyhow::Result<Self> {
        let name: String = row.try_get(0)?;
        let number = name.trim_start_matches("busy-").parse()?;
        Ok(Self { number, anchor: row.try_get(1)?, head: row.try_get(2)? })
    }
}
