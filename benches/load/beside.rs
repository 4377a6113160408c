//! How long appends and contexts take at a fixed rate: alone, beside a program that only computes, and beside other
//! work of the service, in short turns.
//!
//! What only computes shows what the machine itself charges for a busy processor, whoever keeps it busy: the other
//! work can hardly cost callers less.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anchord::background;
use anyhow::ensure;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::Flags;
use crate::measured::Measured;
use crate::open::{Opened, open_loop};
use crate::processor::Processor;
use crate::random::Random;
use crate::rates;
use crate::report::{self, spread};
use crate::servers::Servers;
use crate::sessions::{self, Appends};

/// The rate of each of the two, as a share of the most that is done of it alone.
const SHARE: f64 = 0.1;

/// The turns of a round: there and back, so that what grows from turn to turn weighs the same on each state.
pub const TURNS: [State; 6] =
    [State::Idle, State::Computing, State::Busy, State::Busy, State::Computing, State::Idle];

/// What goes on beside the rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Idle,
    /// As many threads compute as jobs may keep processors busy while requests come, at the priority of those.
    Computing,
    /// The work that is measured.
    Busy,
}

/// The rates that are kept up, in requests per second.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    append: f64,
    context: f64,
}

/// What appends and contexts came to at the same time, in every turn of a state.
#[derive(Debug, Default)]
struct Seen {
    append: Opened,
    context: Opened,
    /// The shares of the processors that others used.
    others: Vec<f64>,
}

/// What one round came to.
#[derive(Debug)]
pub struct Round {
    /// What its sessions are named after.
    sessions: Rc<str>,
    idle: Seen,
    computing: Seen,
    busy: Seen,
}

impl Rates {
    /// Finds the most that is done, and takes a moderate part of it.
    pub async fn moderate(flags: &Flags, servers: &Servers) -> anyhow::Result<Self> {
        // Sessions of their own: they grow until they are compressed, and idle is when nothing is.
        sessions::to_append("most", None, servers).await?;
        let appends = Appends::new(2);
        let append = rates::most(flags, servers, move |random: &mut Random, turn: &mut _| {
            appends.add("most", random, turn);
        })
        .await?;
        let context = rates::most(flags, servers, rates::context).await?;
        let rates = Self { append: append * SHARE, context: context * SHARE };
        report::line(&format!(
            "{:.0} appends/s and {:.0} contexts/s, {SHARE} of the most of each",
            rates.append, rates.context
        ));
        Ok(rates)
    }

    /// Keeps the rates up for a while.
    async fn keep_up(self, servers: &Servers, name: &Rc<str>, time: Duration) -> anyhow::Result<Seen> {
        let (appends, name) = (Appends::new(2), Rc::clone(name));
        let before = Processor::of(servers);
        let (append, context) = futures::try_join!(
            open_loop(servers.address, self.append, time, move |random: &mut Random, turn: &mut _| {
                appends.add(&name, random, turn);
            }),
            open_loop(servers.address, self.context, time, rates::context),
        )?;
        Ok(Seen { append, context, others: vec![before.used().others] })
    }

    /// The rates, as JSON.
    pub fn told(self) -> Value {
        json!({ "append": self.append.round(), "context": self.context.round(), "share": SHARE })
    }
}

impl Round {
    /// Makes sessions to append to, so named: what earlier rounds appended must not make them due for a summary.
    pub async fn begin(name: &str, servers: &Servers) -> anyhow::Result<Self> {
        let sessions = Rc::from(name);
        sessions::to_append(name, None, servers).await?;
        Ok(Self { sessions, idle: Seen::default(), computing: Seen::default(), busy: Seen::default() })
    }

    /// Keeps the rates up for a while, and notes what came of it in its state.
    pub async fn turn(
        &mut self,
        state: State,
        rates: Rates,
        servers: &Servers,
        time: Duration,
    ) -> anyhow::Result<()> {
        let computing = (state == State::Computing).then(Computing::start);
        let seen = rates.keep_up(servers, &self.sessions, time).await;
        if let Some(computing) = computing {
            computing.stop().await?;
        }
        match state {
            State::Idle => &mut self.idle,
            State::Computing => &mut self.computing,
            State::Busy => &mut self.busy,
        }
        .join(seen?);
        Ok(())
    }

    /// Makes sure that idle was idle: none of the round's sessions was compressed or indexed.
    pub async fn end(self, servers: &Servers) -> anyhow::Result<Self> {
        let due = servers
            .look(&format!(
                "select from compressions c join sessions s on s.tenant_id = c.tenant_id and s.id = c.session_id
                 where s.name like '{0}-%' union all
                 select from sessions where name like '{0}-%' and indexed_seq > 0 limit 1",
                self.sessions
            ))
            .await?;
        ensure!(due.is_empty(), "sessions that are appended to became due: idle was not idle");
        Ok(self)
    }
}

impl Seen {
    /// Takes in what another turn came to.
    fn join(&mut self, other: Self) {
        self.append.join(other.append);
        self.context.join(other.context);
        self.others.extend(other.others);
    }
}

/// Threads that keep processors busy and need nothing else: no memory, no disk, no lock.
#[derive(Debug)]
struct Computing {
    ends: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Computing {
    fn start() -> Self {
        let ends = Arc::new(AtomicBool::new(false));
        let threads = (0..background::turns()).map(|_| {
            let ends = Arc::clone(&ends);
            background::spawn(move || {
                let mut random = Random::new(41);
                while !ends.load(Ordering::Relaxed) {
                    black_box(random.below(2));
                }
            })
        });
        Self { threads: threads.collect(), ends }
    }

    async fn stop(self) -> anyhow::Result<()> {
        self.ends.store(true, Ordering::Relaxed);
        for thread in self.threads {
            thread.await?;
        }
        Ok(())
    }
}

/// Rounds as JSON.
pub fn told(rounds: &[Round]) -> Value {
    let append: fn(&Seen) -> &Opened = |seen| &seen.append;
    let context: fn(&Seen) -> &Opened = |seen| &seen.context;
    json!({ "append": of_requests("append", rounds, append), "context": of_requests("context", rounds, context) })
}

fn of_requests(name: &str, rounds: &[Round], of: fn(&Seen) -> &Opened) -> Value {
    let in_state = |state: &str, pick: fn(&Round) -> &Seen| {
        let told = |figure: &dyn Fn(&Round) -> f64| spread(rounds.iter().map(figure).collect());
        let figure =
            |measured: fn(&Opened) -> &Measured, share| move |seen: &Seen| measured(of(seen)).quantile(share);
        let due = |share| figure(|opened| &opened.measured, share);
        let sent = |share| figure(|opened| &opened.since_sent, share);
        let row = json!({
            "p50_ms": told(&|round| due(0.5)(pick(round))),
            "p99_ms": told(&|round| due(0.99)(pick(round))),
            "p50_ratio": told(&|round| due(0.5)(pick(round)) / due(0.5)(&round.idle)),
            "p99_ratio": told(&|round| due(0.99)(pick(round)) / due(0.99)(&round.idle)),
            "sent_p99_ratio": told(&|round| sent(0.99)(pick(round)) / sent(0.99)(&round.idle)),
            "late_ms": told(&|round| of(pick(round)).late.quantile(0.99)),
        });
        let names = ["p50_ms", "p99_ms", "p99_ratio", "sent_p99_ratio", "late_ms"];
        report::line(&format!("{name}, {state}: {}", report::brief(&row, &names)));
        row
    };
    let others = rounds.iter().flat_map(|round| [&round.idle, &round.computing, &round.busy]);
    json!({
        "idle": in_state("idle", |round| &round.idle),
        "computing": in_state("computing", |round| &round.computing),
        "busy": in_state("busy", |round| &round.busy),
        "others": spread(others.flat_map(|seen| seen.others.iter().copied()).collect()),
    })
}
