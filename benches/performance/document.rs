//! The document, section by section.

use crate::figures::{Digest, Load};
use crate::goals::{self, Bound};
use crate::sections;
use crate::tables::{Table, spread};

/// Characters in a line of prose.
const LINE: usize = 110;

/// The whole document.
pub fn write(load: &Load, digest: &Digest) -> String {
    let mut text = intro(load);
    text += &goals_table(load, digest);
    if let Some(rows) = &load.append {
        text += "## Append\n\n";
        text += APPEND;
        text += "![Throughput by connections](performance-throughput.svg)\n\n";
        text += &sections::duel(rows);
        text += ONE_BY_ONE;
        text += &sections::one_by_one(rows);
    }
    if let Some(rows) = &load.apart {
        text += APART;
        text += &sections::apart(rows);
    }
    if let (Some(unchanged), Some(after)) = (&load.read_unchanged, &load.read_after_append) {
        text += "## Read\n\n";
        if let Some(shape) = &load.read_shape {
            text += &sections::shape(shape);
        }
        text += UNCHANGED;
        text += &sections::duel(unchanged);
        text += AFTER_APPEND;
        text += &sections::duel(after);
    }
    if let (Some(append), Some(context)) = (&load.rates_append, &load.rates_context) {
        text += RATES;
        text += "![Latency under fixed rates](performance-rates.svg)\n\n";
        text += &sections::rates(&[("append", append), ("context", context)]);
    }
    if let Some(length) = &load.length {
        text += LENGTH;
        text += "![Cost by session length](performance-length.svg)\n\n";
        text += &sections::by_length(length);
    }
    text += &sections::beside_all(load);
    text += &sections::of_digest(digest);
    if let Some(growing) = &load.growing {
        text += &sections::growing(growing);
    }
    if let Some(of) = &load.footprint {
        text += &sections::footprint(load, of);
    }
    if let Some(of) = &load.sizes {
        text += &sections::sizes(of);
    }
    if let (Some(alone), Some(beside)) = (&load.queue_alone, &load.queue_beside_idle) {
        text += &sections::queue(alone, beside);
    }
    if let Some(of) = &load.hangups {
        text += &sections::hangups(of);
    }
    wrapped(&(text + END))
}

/// Breaks long lines of prose; tables, headings and pictures stay as they are.
fn wrapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 50);
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        let indent = if line.starts_with("- ") { "  " } else { "" };
        if is_code || line.starts_with(['|', '#', '!', '`']) {
            out.push_str(line);
        } else {
            let mut width = 0;
            for word in line.split(' ') {
                if width > 0 && width + 1 + word.chars().count() > LINE {
                    out.push('\n');
                    out.push_str(indent);
                    width = indent.len();
                } else if width > 0 {
                    out.push(' ');
                    width += 1;
                }
                out.push_str(word);
                width += word.chars().count();
            }
        }
        out.push('\n');
    }
    out
}

fn intro(load: &Load) -> String {
    let machine = &load.machine;
    let mut others = load.others();
    others.sort_by(f64::total_cmp);
    let other = |place: usize| others.get(place).copied().unwrap_or(f64::NAN) * 100.0;
    format!(
        "# Performance\n\nWritten by `just bench`; every figure and every verdict is computed from its run. Load, service \
         and database shared one machine with {} processors ({}), Postgres {} with its durable defaults, rustc {}. \
         **Ratios are the result**; absolute figures are this machine's.\n\n\
         Everything took {} turns of {} s or more, service and ceiling or idle and busy one after the other, and a ratio is of \
         neighbours in time. A figure is the middle of its turns, with the least and the most of them in \
         parentheses. *Others* is the share of all processors that neither bench, nor service, nor Postgres used \
         meanwhile: above a few percent a figure says as much about the neighbours. In this run it was {:.0} % in the middle, \
         {:.0} % at least and {:.0} % at most. Every reply was checked.\n\n",
        machine.processors,
        machine.kind,
        machine.postgres,
        machine.rustc,
        load.rounds,
        load.seconds,
        other(others.len() / 2),
        other(0),
        other(others.len().saturating_sub(1)),
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
that stores the same two messages: no HTTP, no JSON to parse, no tokens, no tenants. The sessions are made anew for \
each turn, with 10 to 50 messages, so that none becomes due for a summary: compressions are measured further \
down, and sessions that grow until they are compressed at fixed rates.\n\n";

const ONE_BY_ONE: &str = "\
### Gathered, beside one by one\n\n\
The service always gathers, and has no setting to turn that off. Two things stand for appends one by one. \
First the ceiling: each of its statements has a commit of its own, and does nothing else, so the service's work beside \
the database counts against it. *Waited* is how long an append waited for its transaction to begin, by the \
service's own metrics: what gathering itself adds.\n\n";

const APART: &str = "\
Then the same service as many processes on one database, each with one connection, so that every append travels \
alone and does all the work that a gathered one does. There are connections enough for sixteen of them.\n\n";

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
just bench --quick    # a look in about three minutes; writes beside the build, not here\n\
just bench --parts append,read --rounds 5    # some parts, printed only\n\
```\n";
