//! What each section tells of its figures.

use crate::figures::{
    Apart, Beside, Digest, DigestLength, DigestSpeed, Duel, Footprint, Gathered, Growing, Hangups, InState,
    JobRate, Length, Load, Pickup, Queue, Rates, ReadShape, Sizes, Work,
};
use crate::tables::{Table, figure, percent, spread, thousands};

const BESIDE: &str = "\
## Beside other work\n\n\
Times run from the moment that a request was due. The load has no processor of its own: when others keep all of \
them busy it sends late, which counts in full in what is judged. The ratio since requests were sent leaves that out; \
the truth for callers elsewhere is in between.\n\n\
A round takes its turns there and back: beside nothing, beside *computing*, beside the work, and the same the other way \
round, so that what grows from turn to turn weighs the same on each. *Computing* is a loop outside of the service that needs \
no memory, no disk and no lock, in as many threads as jobs may keep busy while requests come (half of the processors) and \
at their low priority. It shows what this machine charges requests for a busy processor, whoever keeps it busy. Ratios \
are to nothing beside, in the same round.\n\n";

/// What the sessions hold that are read.
pub fn shape(of: &ReadShape) -> String {
    format!(
        "Each of 1,000 sessions has a summary of {} bytes and {} messages of 1 KB after it, on average; the ceiling's \
         one statement reads a conversation, a summary of as many bytes and the messages after it.\n\n",
        figure(of.summary_bytes),
        figure(of.tail)
    )
}

/// The queue without and with idle sessions beside.
pub fn queue(alone: &Queue, beside: &Queue) -> String {
    let mut table = Table::new(&["", "alone", "beside 100,000 idle sessions"]);
    let mut add = |name: &str, tell: &dyn Fn(&Queue) -> String| {
        table.row([name.to_owned(), tell(alone), tell(beside)]);
    };
    let pickup = |of: &Pickup| {
        format!(
            "{}, {} ({}, {})",
            figure(of.after_begin_p50_ms),
            figure(of.after_begin_p99_ms),
            figure(of.after_reply_p50_ms),
            figure(of.after_reply_p99_ms)
        )
    };
    let rate = |of: &JobRate| format!("{} (≥ {})", figure(of.median_per_s), figure(of.min_per_s));
    add("pickup of a job by a request, p50 and p99, ms", &|queue| pickup(&queue.pickup_request));
    add("pickup of a job by an append, p50 and p99, ms", &|queue| pickup(&queue.pickup_append));
    add("compressions with nothing to do, a second", &|queue| rate(&queue.no_ops.compress));
    add("indexing with nothing to do, a second", &|queue| rate(&queue.no_ops.index));
    add("takeover after `kill -9`, ms", &|queue| {
        format!("{} (≤ {})", figure(queue.takeover.median_ms), figure(queue.takeover.max_ms))
    });
    format!(
        "## Queue\n\nPickup runs from the beginning of the transaction that asks for a job to its claim; in parentheses from \
         the reply to the asker.\n\n{}",
        table.finish()
    )
}

/// What clients that go away leave.
pub fn hangups(of: &Hangups) -> String {
    format!(
        "## Clients that hang up\n\n{} clients sent a request and {} of them went away in the middle of it. No lock and no \
         open transaction stayed (looked at until {} ms later), no acknowledged message was lost, and every later append \
         worked; the bench fails otherwise.\n\n",
        of.clients,
        of.clients - of.stayed,
        figure(of.free_after_ms)
    )
}

/// Throughput beside the ceiling.
pub fn duel(rows: &[Duel]) -> String {
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

/// Gathered appends beside statements that each have their commit.
pub fn one_by_one(rows: &[Duel]) -> String {
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

/// Appends to one process beside appends to many.
pub fn apart(rows: &[Apart]) -> String {
    let mut table = Table::new(&[
        "connections",
        "appends in a commit",
        "gathered/s",
        "one by one/s",
        "ratio",
        "p50: gathered, ms",
        "one by one, ms",
        "ratio",
        "p99: gathered, ms",
        "one by one, ms",
        "ratio",
        "others",
    ]);
    for row in rows {
        table.row([
            row.connections.to_string(),
            spread(&row.appends_per_commit),
            spread(&row.together_per_s),
            spread(&row.alone_per_s),
            spread(&row.rate_ratio),
            spread(&row.together_p50_ms),
            spread(&row.alone_p50_ms),
            spread(&row.p50_ratio),
            spread(&row.together_p99_ms),
            spread(&row.alone_p99_ms),
            format!("**{}**", spread(&row.p99_ratio)),
            percent(&row.others),
        ]);
    }
    table.finish()
}

/// Times at each rate.
pub fn rates(all: &[(&str, &Rates)]) -> String {
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

/// Times at each length.
pub fn by_length(length: &Length) -> String {
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

/// Times alone, beside what only computes, and beside other work.
pub fn beside_all(load: &Load) -> String {
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
        "### Appends and contexts {what}\n\n{} appends/s and {} contexts/s at once, {} of the most of each; their sessions \
         are others, and none of them becomes due for a summary.",
        figure(rates.append),
        figure(rates.context),
        rates.share
    );
    text += &work_told(work);
    text += "\n\n";
    let mut table = Table::new(&[
        "",
        "beside",
        "p50, ms",
        "ratio",
        "p99, ms",
        "ratio",
        "ratio since sent",
        "sent late, ms",
    ]);
    let mut add = |name: &str, state: &str, of: &InState| {
        table.row([
            name.to_owned(),
            state.to_owned(),
            spread(&of.p50_ms),
            spread(&of.p50_ratio),
            spread(&of.p99_ms),
            format!("**{}**", spread(&of.p99_ratio)),
            spread(&of.sent_p99_ratio),
            figure(of.late_ms.median),
        ]);
    };
    for (name, of) in [("append", &beside.append), ("context", &beside.context)] {
        add(name, "nothing", &of.idle);
        add(name, "computing", &of.computing);
        add(name, "the work", &of.busy);
    }
    text + &table.finish()
}

/// What went on beside.
fn work_told(work: &Work) -> String {
    let Work { compressions_per_s, mb_per_s, fewest_live, messages_per_s, .. } = work;
    match (compressions_per_s, mb_per_s, fewest_live, messages_per_s) {
        (Some(count), Some(mb), Some(live), _) => format!(
            " Beside them {} compressions/s were published ({} MB/s of messages) with the default number of workers, \
             and at least {} of the 200 sessions had one queued or running at any look.",
            spread(count),
            spread(mb),
            figure(live.min)
        ),
        (.., Some(count)) => {
            format!(" Beside them {} messages of 4 MiB were stored a second.", spread(count))
        }
        _ => String::new(),
    }
}

/// What compressions cost a processor.
pub fn of_digest(digest: &Digest) -> String {
    let speed = digest.sessions.as_ref().map(digest_speed).unwrap_or_default();
    speed + &digest.length.as_ref().map(digest_length).unwrap_or_default()
}

fn digest_speed(speed: &DigestSpeed) -> String {
    let mut table = Table::new(&["", "MB/s"]);
    for (name, of) in [
        ("ledger", &speed.ledger),
        ("engine and merge", &speed.engine),
        ("rendering, probes and gate", &speed.proof),
        ("all", &speed.all),
    ] {
        table.row([name.to_owned(), spread(of)]);
    }
    format!(
        "## Compression\n\nThe deterministic part on one thread, over made-up transcripts of {} MB of message JSON, in \
         spans as the service cuts them (`just bench-digest`).\n\n{}",
        figure(speed.mb),
        table.finish()
    )
}

fn digest_length(length: &DigestLength) -> String {
    let mut table =
        Table::new(&["compression", "ledger", "engine and merge", "rendering, probes and gate", "all"]);
    for row in &length.rows {
        let parts = [&row.ledger, &row.engine, &row.proof, &row.all].map(spread);
        table.row(std::iter::once(row.compression.to_string()).chain(parts));
    }
    format!(
        "One session of {} compressions; ms for each MB of the span, in each round the fastest of four runs.\n\n{}",
        length.compressions,
        table.finish()
    )
}

/// What compressions take that somebody waits for.
pub fn growing(growing: &Growing) -> String {
    let mut table = Table::new(&["compression", "p50, ms", "of the 4th"]);
    for row in &growing.rows {
        table.row([row.compression.to_string(), spread(&row.p50_ms), spread(&row.ratio)]);
    }
    format!(
        "### As it is waited for\n\nFrom the request to the reply, on the service: `POST …/compressions` with `Prefer: wait`, \
         for {} messages more of the same transcript. Sessions of all these numbers take turns, each number with the one \
         before and the one after it; nothing else is to do meanwhile.\n\n{}",
        growing.messages,
        table.finish()
    )
}

/// Memory, binary, starts.
pub fn footprint(load: &Load, of: &Footprint) -> String {
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
    table.row([
        "the same once a session with the other vocabulary was appended to".to_owned(),
        format!("{} MB", spread(&of.idle_with_both_mb)),
    ]);
    for (part, most) in load.memory() {
        table.row([format!("resident memory, most during `{part}`"), format!("{} MB", figure(most))]);
    }
    format!(
        "## Footprint\n\nThe service's process; Postgres is apart. Each part runs in a fresh process.\n\n{}",
        table.finish()
    )
}

/// Bytes on the disk.
pub fn sizes(of: &Sizes) -> String {
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
