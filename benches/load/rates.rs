//! How long replies take at rates that are shares of the most that the service does.

use std::time::Duration;

use serde_json::{Value, json};

use crate::Flags;
use crate::closed::{Turn, closed_loop};
use crate::open::{Opened, open_loop};
use crate::processor::{Processor, Used};
use crate::random::Random;
use crate::report::{self, Report, median, spread};
use crate::servers::Servers;
use crate::sessions::{self, Appends};

/// Rates, as shares of the most.
const SHARES: [f64; 4] = [0.1, 0.3, 0.5, 0.7];
/// Connections that the most is measured at.
const MOST_AT: usize = 64;

/// Appends, then contexts, each at every rate in turns.
pub async fn measure(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    report::section("rates: requests that come when they come, at shares of the most");
    sessions::to_append("append", flags.window, servers).await?;
    sessions::to_read(servers).await?;
    let appends = Appends::new(2);
    let append = move |random: &mut Random, turn: &mut Turn| {
        appends.add("append", random, turn);
    };
    let figures = at_rates(flags, servers, "append", append).await?;
    report.add("rates_append", figures);
    let figures = at_rates(flags, servers, "context", context).await?;
    report.add("rates_context", figures);
    report.memory(servers, "rates");
    Ok(())
}

/// Reads the context of any of the sessions.
pub fn context(random: &mut Random, turn: &mut Turn) {
    turn.add("GET", format_args!("/v1/sessions/read-{}/context", sessions::any(random)), "");
}

/// The most that is done in a closed loop, the middle of as many tries as there are rounds.
pub async fn most(
    flags: &Flags,
    servers: &Servers,
    make: impl Fn(&mut Random, &mut Turn) + Clone + 'static,
) -> anyhow::Result<f64> {
    let mut rates = Vec::new();
    for _ in 0..flags.rounds {
        servers.settle().await?;
        let time = Duration::from_secs(flags.seconds);
        rates.push(closed_loop(servers.address, MOST_AT, time, make.clone()).await?.rate);
    }
    Ok(median(rates))
}

async fn at_rates(
    flags: &Flags,
    servers: &Servers,
    name: &str,
    make: impl Fn(&mut Random, &mut Turn) + Clone + 'static,
) -> anyhow::Result<Value> {
    let most = most(flags, servers, make.clone()).await?;
    report::line(&format!("{name}: at most {most:.0}/s at {MOST_AT} connections"));
    let mut steps: Vec<Vec<(Opened, Used)>> = SHARES.map(|_| Vec::new()).into();
    for _ in 0..flags.rounds {
        for (share, rounds) in SHARES.iter().zip(&mut steps) {
            servers.settle().await?;
            let before = Processor::of(servers);
            let time = Duration::from_secs(flags.seconds);
            let opened = open_loop(servers.address, most * share, time, make.clone()).await?;
            rounds.push((opened, before.used()));
        }
    }
    let mut rows = Vec::new();
    for (share, rounds) in SHARES.iter().zip(&steps) {
        let of = |pick: fn(&(Opened, Used)) -> f64| spread(rounds.iter().map(pick).collect());
        let row = json!({
            "share": share,
            "per_s": of(|(opened, _)| opened.measured.rate),
            "p50_ms": of(|(opened, _)| opened.measured.quantile(0.5)),
            "p99_ms": of(|(opened, _)| opened.measured.quantile(0.99)),
            "late_p99_ms": of(|(opened, _)| opened.late.quantile(0.99)),
            "others": of(|(_, used)| used.others),
        });
        report::line(&format!(
            "{name} at {share:.1}: {}",
            report::brief(&row, &["per_s", "p50_ms", "p99_ms", "late_p99_ms"])
        ));
        rows.push(row);
    }
    Ok(json!({ "most_per_s": most.round(), "steps": rows }))
}
