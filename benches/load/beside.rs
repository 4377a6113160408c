//! How long appends and contexts take at a fixed rate, alone and beside other work, in turns.

use std::time::Duration;

use serde_json::{Value, json};

use crate::Flags;
use crate::open::{Opened, open_loop};
use crate::processor::{Processor, Used};
use crate::rates;
use crate::report::{self, spread};
use crate::servers::Servers;
use crate::sessions::Appends;

/// The rate of each of the two, as a share of the most that is done of it alone.
const SHARE: f64 = 0.1;

/// The rates that are kept up, in requests per second.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    append: f64,
    context: f64,
}

/// What appends and contexts came to, at the same time.
#[derive(Debug)]
pub struct Seen {
    append: Opened,
    context: Opened,
    used: Used,
}

impl Rates {
    /// Finds the most that is done, and takes a moderate part of it.
    pub async fn moderate(flags: &Flags, servers: &Servers) -> anyhow::Result<Self> {
        let appends = Appends::new(2);
        let append = rates::most(flags, servers, move |random: &mut _, turn: &mut _| {
            appends.add("append", random, turn);
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
    pub async fn keep_up(self, servers: &Servers, time: Duration) -> anyhow::Result<Seen> {
        let appends = Appends::new(2);
        let before = Processor::of(servers);
        let (append, context) = futures::try_join!(
            open_loop(servers.address, self.append, time, move |random: &mut _, turn: &mut _| {
                appends.add("append", random, turn);
            }),
            open_loop(servers.address, self.context, time, rates::context),
        )?;
        Ok(Seen { append, context, used: before.used() })
    }

    /// The rates, as JSON.
    pub fn told(self) -> Value {
        json!({ "append": self.append.round(), "context": self.context.round(), "share": SHARE })
    }
}

/// Pairs of rounds, first alone and then beside other work, as JSON.
pub fn told(rounds: &[(Seen, Seen)]) -> Value {
    let append: fn(&Seen) -> &Opened = |seen| &seen.append;
    let context: fn(&Seen) -> &Opened = |seen| &seen.context;
    json!({ "append": compared("append", rounds, append), "context": compared("context", rounds, context) })
}

fn compared(name: &str, rounds: &[(Seen, Seen)], of: fn(&Seen) -> &Opened) -> Value {
    let told = |pick: &dyn Fn(&(Seen, Seen)) -> f64| spread(rounds.iter().map(pick).collect());
    let quantile = |seen: &Seen, share| of(seen).measured.quantile(share);
    let row = json!({
        "idle_p50_ms": told(&|(idle, _)| quantile(idle, 0.5)),
        "idle_p99_ms": told(&|(idle, _)| quantile(idle, 0.99)),
        "busy_p50_ms": told(&|(_, busy)| quantile(busy, 0.5)),
        "busy_p99_ms": told(&|(_, busy)| quantile(busy, 0.99)),
        "p50_ratio": told(&|(idle, busy)| quantile(busy, 0.5) / quantile(idle, 0.5)),
        "p99_ratio": told(&|(idle, busy)| quantile(busy, 0.99) / quantile(idle, 0.99)),
        "sent_p99_ratio": told(&|(idle, busy)| {
            of(busy).since_sent.quantile(0.99) / of(idle).since_sent.quantile(0.99)
        }),
        "late_idle_ms": told(&|(idle, _)| of(idle).late),
        "late_busy_ms": told(&|(_, busy)| of(busy).late),
        "others": told(&|(idle, busy)| f64::midpoint(idle.used.others, busy.used.others)),
    });
    let names = ["idle_p50_ms", "idle_p99_ms", "busy_p50_ms", "busy_p99_ms", "p99_ratio", "sent_p99_ratio"];
    report::line(&format!("{name}: {}", report::brief(&row, &names)));
    row
}
