//! Whether a compression costs more the more of them its session has behind it.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::Flags;
use crate::client::{Connection, request};
use crate::processor::Processor;
use crate::report::{self, Report, spread};
use crate::servers::Servers;
use crate::transcripts;

/// The compressions that are measured, by their number in their session.
const NUMBERS: [usize; 6] = [2, 4, 10, 20, 40, 60];
/// The place of the one that the others are compared with.
const EARLY: usize = 1;
/// One before it and one after it are measured with each, because spans differ.
const NEAR: usize = 3;
/// Messages that one compression covers, some 40 KB.
const STEP: usize = 40;
/// Sessions for each number, and when a look is enough.
const SESSIONS: [usize; 2] = [6, 2];
/// How long the background may take to index what was compressed.
const REST: Duration = Duration::from_mins(3);

/// Asks for compressions of short and of long sessions in turns, and waits for each.
pub async fn measure(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    report::section("growing: a compression, asked for and waited for, by its number in its session");
    let [all, few] = SESSIONS;
    let sessions = if flags.quick { few } else { all };
    let appends = transcripts::long(STEP);
    let mut rounds = Vec::with_capacity(flags.rounds);
    for number in 0..flags.rounds {
        let mut work =
            Work { connection: Connection::open(servers.address).await?, appends: &appends, number };
        rounds.push(work.round(servers, sessions).await?);
    }
    let row = |(place, number): (usize, usize)| {
        let of = |pick: fn(f64, f64) -> f64| {
            let both = rounds.iter().filter_map(|round| Some((round.p50.get(place)?, round.p50.get(EARLY)?)));
            spread(both.map(|(own, early)| pick(*own, *early)).collect())
        };
        let row = json!({ "compression": number, "p50_ms": of(|own, _| own), "ratio": of(|own, early| own / early) });
        report::line(&format!("number {number}: {}", report::brief(&row, &["p50_ms", "ratio"])));
        row
    };
    let rows: Vec<Value> = (0..).zip(NUMBERS).map(row).collect();
    let others = spread(rounds.iter().map(|round| round.others).collect());
    let told = json!({ "messages": STEP, "sessions": sessions, "rows": rows, "others": others });
    report.add("growing", told);
    report.memory(servers, "growing");
    Ok(())
}

#[derive(Debug)]
struct Round {
    /// Milliseconds by place in [`NUMBERS`].
    p50: Vec<f64>,
    others: f64,
}

/// The sessions of one round.
struct Work<'a> {
    connection: Connection,
    appends: &'a [String],
    number: usize,
}

impl Work<'_> {
    async fn round(&mut self, servers: &Servers, sessions: usize) -> anyhow::Result<Round> {
        for session in 0..sessions {
            for number in NUMBERS {
                let name = self.name(session, number);
                let put = request("PUT", format_args!("/v1/sessions/{name}"), r#"{"auto":false}"#);
                self.connection.done(&put).await?;
                for before in 1..number - NEAR / 2 {
                    self.append(&name, before).await?;
                    self.compress(&name).await?;
                }
            }
        }
        let before = Processor::of(servers);
        let mut times: Vec<Vec<f64>> = NUMBERS.iter().map(|_| Vec::new()).collect();
        for session in 0..sessions {
            for near in 0..NEAR {
                for (number, times) in NUMBERS.into_iter().zip(&mut times) {
                    let name = self.name(session, number);
                    self.append(&name, number - NEAR / 2 + near).await?;
                    // Nothing of the last one is left to do.
                    servers.rest(REST).await?;
                    times.push(self.compress(&name).await?.as_secs_f64() * 1000.0);
                }
            }
        }
        let others = before.used().others;
        Ok(Round { p50: times.into_iter().map(report::median).collect(), others })
    }

    fn name(&self, session: usize, number: usize) -> String {
        format!("growing-{}-{session}-{number}", self.number)
    }

    /// Appends what the compression of this number covers.
    async fn append(&mut self, name: &str, number: usize) -> anyhow::Result<()> {
        let body = self.appends.get(number - 1).context("the transcript is too short")?;
        let append = request("POST", format_args!("/v1/sessions/{name}/messages"), body);
        self.connection.done(&append).await.map(|_| ())
    }

    /// Compresses all but the last messages; tells how long the reply took.
    async fn compress(&mut self, name: &str) -> anyhow::Result<Duration> {
        let plain = request("POST", format_args!("/v1/sessions/{name}/compressions"), r#"{"target":0.1}"#);
        let waiting = String::from_utf8(plain)?.replacen("\r\n", "\r\nPrefer: wait=30\r\n", 1);
        let sent = Instant::now();
        let ended = self.connection.json(waiting.as_bytes()).await?;
        let took = sent.elapsed();
        ensure!(ended.get("status").is_some_and(|status| status == "succeeded"), "not compressed: {ended}");
        Ok(took)
    }
}
