//! Gathered appends beside appends one by one, by the same service.
//!
//! The service always gathers what comes while a transaction runs. A process with one connection has nothing
//! to gather, so as many processes as connections write one by one, with all the work that one does.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Flags;
use crate::closed::{Turn, closed_loop_over};
use crate::gathering::Gathered;
use crate::measured::Measured;
use crate::processor::{Processor, Used};
use crate::random::Random;
use crate::report::{self, Report, spread};
use crate::servers::Servers;
use crate::service::Service;
use crate::sessions::{self, Appends};

/// Connections, and processes that have one each. More would leave none to the database's pools.
const AT: [usize; 2] = [1, 16];

/// What one process did, and what many did.
struct Round {
    together: Measured,
    gathered: Gathered,
    apart: Measured,
    used: [Used; 2],
}

/// Takes turns: all connections to one process, and each to its own.
pub async fn measure(flags: &Flags, servers: &Servers, report: &mut Report) -> anyhow::Result<()> {
    report::section("apart: appends to one process, and to as many processes as there are connections");
    sessions::to_append("append", None, servers).await?;
    let others = (0..AT.into_iter().max().unwrap_or_default())
        .map(|number| servers.another(&flags.binary, "--roles api", &format!("apart-{number}")))
        .collect::<anyhow::Result<Vec<Service>>>()?;
    let addresses: Vec<SocketAddr> = others.iter().map(|service| service.address).collect();
    let appends = Appends::new(2);
    let make = move |random: &mut Random, turn: &mut Turn| {
        appends.add("append", random, turn);
    };
    // Once unmeasured: plans, caches and connections.
    closed_loop_over(&addresses, Duration::from_millis(500), make.clone()).await?;
    let time = Duration::from_secs(flags.seconds);
    let mut rows = Vec::new();
    for connections in AT {
        let mut rounds = Vec::with_capacity(flags.rounds);
        for _ in 0..flags.rounds {
            servers.settle().await?;
            let (gathered, before) = (Gathered::so_far(servers).await?, Processor::of(servers));
            let same = vec![servers.address; connections];
            let together = closed_loop_over(&same, time, make.clone()).await?;
            let first = before.used();
            let gathered = Gathered::so_far(servers).await?.since(gathered);
            servers.settle().await?;
            let before = Processor::of(servers);
            let each = addresses.get(..connections).unwrap_or_default();
            let apart = closed_loop_over(each, time, make.clone()).await?;
            rounds.push(Round { together, gathered, apart, used: [first, before.used()] });
        }
        let row = told(connections, &rounds);
        let names = ["rate_ratio", "together_p50_ms", "alone_p50_ms", "p50_ratio", "p99_ratio"];
        report::line(&format!("{connections:>5}  {}", report::brief(&row, &names)));
        rows.push(row);
    }
    report.add("apart", Value::Array(rows));
    others.into_iter().try_for_each(Service::stop)
}

fn told(connections: usize, rounds: &[Round]) -> Value {
    let of = |pick: &dyn Fn(&Round) -> f64| spread(rounds.iter().map(pick).collect());
    let ratio = |share| move |r: &Round| r.together.quantile(share) / r.apart.quantile(share);
    json!({
        "connections": connections,
        "appends_per_commit": of(&|r| r.gathered.size()),
        "together_per_s": of(&|r| r.together.rate),
        "together_p50_ms": of(&|r| r.together.quantile(0.5)),
        "together_p99_ms": of(&|r| r.together.quantile(0.99)),
        "alone_per_s": of(&|r| r.apart.rate),
        "alone_p50_ms": of(&|r| r.apart.quantile(0.5)),
        "alone_p99_ms": of(&|r| r.apart.quantile(0.99)),
        "rate_ratio": of(&|r| r.together.rate / r.apart.rate),
        "p50_ratio": of(&ratio(0.5)),
        "p99_ratio": of(&ratio(0.99)),
        "others": of(&|r| r.used.iter().map(|used| used.others).sum::<f64>() / 2.0),
    })
}
