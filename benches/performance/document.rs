//! The document, section by section.

use crate::figures::{Beside, Compared, Digest, Duel, Footprint, Gathered, Length, Load, Rates, Sizes, Work};
use crate::goals::{self, Bound};
use crate::tables::{Table, figure, percent, spread, thousands};

/// The whole document.
pub fn write(load: &Load, digest: &Digest) -> String {
    let mut text = intro(load);
    text += &goals_table(load, digest);
    if let Some(rows) = &load.append {
        text += "## Append\n\n";
        text += APPEND;
        text += "![Throughput by connections](performance-throughput.svg)\n\n";
        text += &duel(rows);
        text += ONE_BY_ONE;
        text += &one_by_one(rows);
    }
    if let (Some(unchanged), Some(after)) = (&load.read_unchanged, &load.read_after_append) {
        text += "## Read\n\n";
        if let Some(shape) = &load.read_shape {
            text += &format!(
                "Each of 1,000 sessions has a summary of {} bytes and {} messages of 1 KB after it, on average; the \
                 ceiling's one statement reads a conversation, a summary of as many bytes and the messages after it.\n\n",
                figure(shape.summary_bytes),
                figure(shape.tail)
            );
        }
        text += UNCHANGED;
        text += &duel(unchanged);
        text += AFTER_APPEND;
        text += &duel(after);
    }
    if let (Some(append), Some(context)) = (&load.rates_append, &load.rates_context) {
        text += RATES;
        text += "![Latency under fixed rates](performance-rates.svg)\n\n";
        text += &rates(&[("append", append), ("context", context)]);
    }
    if let Some(length) = &load.length {
        text += LENGTH;
        text += "![Cost by session length](performance-length.svg)\n\n";
        text += &by_length(length);
    }
    text += &beside_all(load);
    text += &of_digest(digest);
    if let Some(of) = &load.footprint {
        text += &footprint(load, of);
    }
    if let Some(of) = &load.sizes {
        text += &sizes(of);
    }
    if let Some(of) = &load.hangups {
        text += &format!(
            "## Clients that hang up\n\n{} clients sent a request and {} of them went away in the middle of it. No lock \
             and no open transaction stayed (looked at until {} ms later), no acknowledged message was lost, and every \
             later append worked; the bench fails otherwise.\n\n",
            of.clients,
            of.clients - of.stayed,
            figure(of.free_after_ms)
        );
    }
    text + END
}

fn intro(load: &Load) -> String {
    let machine = &load.machine;
    format!(
        "# Performance\n\nWritten by `just bench`; every figure and every verdict is computed from its run. Load, service \
         and database shared one machine with {} processors ({}), Postgres {} with its durable defaults, rustc {}. \
         **Ratios are the result**; absolute figures are this machine's.\n\n\
         Everything took {} turns of {} s or more, service and ceiling or idle and busy one after the other, and a ratio is of \
         neighbours in time. A figure is the middle of its turns, with the least and the most of them in \
         parentheses. *Others* is the share of all processors that neither bench, nor service, nor Postgres used \
         meanwhile: above a few percent a figure says as much about the neighbours. Every reply was checked.\n\n",
        machine.processors, machine.kind, machine.postgres, machine.rustc, load.rounds, load.seconds
    )
}

fn goals_table(load: &Load, digest: &Digest) -> String {
    let mut table = Table::new(&["goal", "aimed at", "measured", ""]);
    for goal in goals::all(load, digest) {
        let aim = match goal.bound {
            Bound::AtLeast(least) => format!("≥ {least}{}", goal.unit),
            Bound::AtMost(most) => format!("≤ {most}{}", goal.unit),
        };
        let measured = goal.figure.as_ref().map_or_else(|| "–".to_owned(), spread);
        table.row([goal.what.clone(), aim, measured, goal.verdict().to_owned()]);
    }
    format!("## Goals\n\n{}", table.finish())
}

const APPEND: &str = "\
Two messages of 1 KB to one of 1,000 sessions, each reply after its durable commit, with authentication, token \
counts, idempotency and the trigger's decision. The ceiling is one SQL statement by `pgbench` on the same server \
that stores the same two messages: no HTTP, no JSON to parse, no tokens, no tenants. Compressions are not in it; \
they are measured further down.\n\n";

const ONE_BY_ONE: &str = "\
### Gathered, beside one by one\n\n\
The service always gathers, and has no setting to turn that off. What stands for appends one by one is the ceiling: \
each of its statements has a commit of its own, and it does nothing else, so the service's work beside the database \
counts against it here. What gathering itself adds is told by the service's metrics: how long an append \
waited for its transaction to begin.\n\n";

const UNCHANGED: &str = "\
**Unchanged**: nobody has written since the last read. The service still asks the database whether that is so, and \
serves what it holds from the last read; the ceiling reads everything again.\n\n";

const AFTER_APPEND: &str = "\
**After an append**, as agents read: a message is appended, then the context is read, on one connection; both are \
counted as one, and the ceiling does the same as two statements. The tails grow meanwhile on both sides, and \
are cut to twenty by new summaries before each turn.\n\n";

const RATES: &str = "\
## Latency at fixed rates\n\n\
Requests come when they come, at random times, as those of many agents do, and their time runs from the moment \
they were due: a stall is not hidden by a client that waits. Rates are shares of the most that 64 connections reached \
in a closed loop. *Sent late* is the load's own part: how late 99 of 100 requests left at most.\n\n";

const LENGTH: &str = "\
## Cost by length\n\n\
The same request to sessions of different lengths in turns, on one connection. Without a summary, a context is cut \
to the budget; with one, all sessions are summarised up to their last messages. Ratios are of p50, to the shortest.\n\n";

const BESIDE: &str = "\
## Beside other work\n\n\
Times run from the moment that a request was due. The load has no processor of its own: when others keep all of \
them busy it sends late, which counts in full in what is judged. The ratio since requests were sent leaves that out; \
the truth for callers elsewhere is in between.\n\n";

const END: &str = "\
## What this does not say\n\n\
- Load and service share the processors, so the service would do more with the load elsewhere, and the ceiling, too.\n\
- The ceiling is a plain schema without tenants, counts and idempotency; it is what the database can do, and not a \
service that anybody could run.\n\
- Percentiles are of short turns: p99 at low rates is made of a few dozen requests.\n\
- One machine, one Postgres, no network in between.\n\n\
## Again\n\n\
```sh\n\
just bench            # everything, and this document anew\n\
just bench --quick    # a look in three minutes; writes beside the build, not here\n\
just bench --parts append,read --rounds 5    # some parts, printed only\n\
```\n";

fn duel(rows: &[Duel]) -> String {
    let mut table = Table::new(&[
        "connections",
        "ceiling/s",
        "service/s",
        "ratio",
        "ratio by processor time",
        "p50, ms",
        "p99, ms",
        "others",
    ]);
    for row in rows {
        table.row([
            row.connections.to_string(),
            spread(&row.ceiling_per_s),
            spread(&row.service_per_s),
            format!("**{}**", spread(&row.ratio)),
            spread(&row.ratio_by_processor_time),
            spread(&row.p50_ms),
            spread(&row.p99_ms),
            percent(&row.others),
        ]);
    }
    table.finish()
}

fn one_by_one(rows: &[Duel]) -> String {
    let mut table = Table::new(&[
        "connections",
        "appends in a commit",
        "waited, ms",
        "transaction, ms",
        "p50: service, ms",
        "one by one, ms",
        "ratio",
        "p99: service, ms",
        "one by one, ms",
        "ratio",
    ]);
    let gathered = rows.iter().filter_map(|row| Some((row, row.gathered.as_ref()?)));
    for (row, of) in gathered {
        let of: &Gathered = of;
        table.row([
            row.connections.to_string(),
            spread(&of.appends_per_commit),
            spread(&of.wait_ms),
            spread(&of.commit_ms),
            spread(&row.p50_ms),
            spread(&of.ceiling_p50_ms),
            spread(&of.p50_ratio),
            spread(&row.p99_ms),
            spread(&of.ceiling_p99_ms),
            spread(&of.p99_ratio),
        ]);
    }
    table.finish()
}

fn rates(all: &[(&str, &Rates)]) -> String {
    let mut table =
        Table::new(&["", "share of the most", "requests/s", "p50, ms", "p99, ms", "sent late, ms", "others"]);
    for (name, rates) in all {
        for step in &rates.steps {
            table.row([
                (*name).to_owned(),
                format!("{:.0} % of {}/s", step.share * 100.0, thousands(rates.most_per_s)),
                spread(&step.per_s),
                spread(&step.p50_ms),
                spread(&step.p99_ms),
                spread(&step.late_p99_ms),
                percent(&step.others),
            ]);
        }
    }
    table.finish()
}

fn by_length(length: &Length) -> String {
    let mut table =
        Table::new(&["", "summary", "messages", "p50, ms", "p99, ms", "of the shortest", "others"]);
    for row in &length.rows {
        for at in &row.by_length {
            table.row([
                row.what.clone(),
                if row.is_summarised { "yes" } else { "no" }.to_owned(),
                thousands(precise(at.messages)),
                spread(&at.p50_ms),
                spread(&at.p99_ms),
                spread(&at.ratio),
                percent(&row.others),
            ]);
        }
    }
    table.finish()
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn precise(count: usize) -> f64 {
    count as f64
}

fn beside_all(load: &Load) -> String {
    let parts = [
        ("while 200 sessions compress", &load.compressing, &load.compressing_work),
        ("beside a message of 4 MiB a second", &load.large_paced, &load.large_paced_work),
        ("beside messages of 4 MiB, each as soon as the last is answered", &load.large, &load.large_work),
    ];
    let mut text = String::new();
    for (what, beside, work) in parts {
        let (Some(beside), Some(work)) = (beside, work) else { continue };
        if text.is_empty() {
            text += BESIDE;
            text += "![Latency beside other work](performance-beside.svg)\n\n";
        }
        text += &beside_work(what, beside, work);
    }
    text
}

fn beside_work(what: &str, beside: &Beside, work: &Work) -> String {
    let rates = &work.rates;
    let mut text = format!(
        "### Appends and contexts {what}\n\n{} appends/s and {} contexts/s at once, {} of the most of each, alone and beside, in \
         turns; their sessions are others.",
        figure(rates.append),
        figure(rates.context),
        rates.share
    );
    if let (Some(count), Some(mb), Some(live)) = (&work.compressions_per_s, &work.mb_per_s, &work.fewest_live)
    {
        text += &format!(
            " Beside them {} compressions/s were published ({} MB/s of messages) with the default number of workers, \
             and at least {} of the 200 sessions had one queued or running at any look.",
            spread(count),
            spread(mb),
            figure(live.min)
        );
    }
    if let Some(count) = &work.messages_per_s {
        text += &format!(" Beside them {} messages of 4 MiB were stored a second.", spread(count));
    }
    text += "\n\n";
    let mut table = Table::new(&[
        "",
        "p50 idle, ms",
        "beside, ms",
        "ratio",
        "p99 idle, ms",
        "beside, ms",
        "ratio",
        "ratio since sent",
        "sent late, idle and beside, ms",
        "others",
    ]);
    let mut add = |name: &str, of: &Compared| {
        table.row([
            name.to_owned(),
            spread(&of.idle_p50_ms),
            spread(&of.busy_p50_ms),
            spread(&of.p50_ratio),
            spread(&of.idle_p99_ms),
            spread(&of.busy_p99_ms),
            format!("**{}**", spread(&of.p99_ratio)),
            spread(&of.sent_p99_ratio),
            format!("{}, {}", figure(of.late_idle_ms.median), figure(of.late_busy_ms.median)),
            percent(&of.others),
        ]);
    };
    add("append", &beside.append);
    add("context", &beside.context);
    text + &table.finish()
}

fn of_digest(digest: &Digest) -> String {
    let mut text = String::new();
    if let Some(speed) = &digest.sessions {
        text += &format!(
            "## Compression\n\nThe deterministic part on one thread, over made-up transcripts of {} MB of message JSON, in \
             spans as the service cuts them (`just bench-digest`).\n\n",
            figure(speed.mb)
        );
        let mut table = Table::new(&["", "MB/s"]);
        for (name, of) in [
            ("ledger", &speed.ledger),
            ("engine and merge", &speed.engine),
            ("rendering, probes and gate", &speed.proof),
            ("all", &speed.all),
        ] {
            table.row([name.to_owned(), spread(of)]);
        }
        text += &table.finish();
    }
    if let Some(length) = &digest.length {
        text +=
            &format!("One session of {} compressions; ms for each MB of the span.\n\n", length.compressions);
        let mut table =
            Table::new(&["compression", "ledger", "engine and merge", "rendering, probes and gate", "all"]);
        for row in &length.rows {
            let parts = [&row.ledger, &row.engine, &row.proof, &row.all].map(spread);
            table.row(std::iter::once(row.compression.to_string()).chain(parts));
        }
        text += &table.finish();
    }
    text
}

fn footprint(load: &Load, of: &Footprint) -> String {
    let mut table = Table::new(&["", ""]);
    table.row(["binary, as built for release".to_owned(), format!("{} MB", figure(of.binary_mb))]);
    table.row([
        "start to first acknowledged append, existing data folder, with a Postgres of its own".to_owned(),
        format!("{} ms", spread(&of.cold_start_ms)),
    ]);
    table.row(["the same on an empty folder, once".to_owned(), format!("{} ms", figure(of.first_start_ms))]);
    table.row([
        "resident memory idle, after an append, 2 s later".to_owned(),
        format!("{} MB", spread(&of.idle_mb)),
    ]);
    for (part, most) in load.memory() {
        table.row([format!("resident memory, most during `{part}`"), format!("{} MB", figure(most))]);
    }
    format!(
        "## Footprint\n\nThe service's process; Postgres is apart. Each part runs in a fresh process.\n\n{}",
        table.finish()
    )
}

fn sizes(of: &Sizes) -> String {
    let mut table = Table::new(&["table", "what", "bytes per message"]);
    for row in &of.rows {
        let what = if row.kind == "index" { format!("index `{}`", row.name) } else { row.kind.clone() };
        table.row([format!("`{}`", row.table), what, figure(row.bytes)]);
    }
    table.row(["all others".to_owned(), String::new(), figure(of.rest_bytes)]);
    table.row(["**all**".to_owned(), String::new(), format!("**{}**", figure(of.all_bytes))]);
    format!(
        "## Bytes per message\n\n{} messages whose JSON has {} bytes on average, in sessions of different lengths that are \
         summarised, after `vacuum`. What is small or does not grow with messages is in *all others*.\n\n{}",
        thousands(of.messages),
        figure(of.body_bytes),
        table.finish()
    )
}
