//! The document, section by section.

use std::fmt::Write as _;

use serde_json::Value;

use crate::Runs;
use crate::floors::{self, Bound, figure};

/// The whole document.
pub fn write(runs: &Runs) -> String {
    let mut text = String::from("# Performance\n\n");
    text += &intro(runs);
    text += &floors_table(runs);
    text += &duel(runs, "append", "## Append", APPEND);
    text += &duel(runs, "context", "## Context", CONTEXT);
    text += &duel(runs, "append_then_context", "### An append, then the context", PAIR);
    text += &sustained(runs);
    text += &length(runs);
    text += &footprint(runs);
    text += &sizes(runs);
    text
}

const APPEND: &str = "Two messages of 1 KB to one of 1,000 sessions with 10 to 50 messages, each reply after its durable commit, with
authentication, token counts, idempotency and the trigger's decision. The ceiling is one SQL statement by `pgbench` on the same
server that stores the same two messages: no HTTP, no JSON to parse, no tokens, no tenants.\n\n";
const CONTEXT: &str = "The context of one of 1,000 sessions, read anew each time: the process caches none. The ceiling's one statement reads
a conversation, a summary of as many bytes and the messages after it, and does nothing with them. A request with
a current `ETag` is answered from the session's row.\n\n";
const PAIR: &str = "Both on one connection, counted as one; the ceiling does the same as two statements. The tails grow meanwhile on both sides, and are
cut to twenty messages before each turn.\n\n";

fn intro(runs: &Runs) -> String {
    let of = |name: &str| {
        runs.load.pointer(&format!("/machine/{name}")).and_then(Value::as_str).unwrap_or_default()
    };
    format!(
        "Written by `just bench`; every figure and every verdict is computed from its run. Load, service and database shared one\n\
         machine with {} processors ({}), Postgres {} with its durable defaults, rustc {}. **Ratios are the result**; absolute\n\
         figures are this machine's. Service and ceiling took {} turns of {} s, one after the other, and a ratio is of neighbours in\n\
         time. A figure is the middle of its turns, with the least and the most in parentheses. *Others* is the share of all\n\
         processors that neither bench, nor service, nor Postgres used meanwhile. Every reply was checked.\n\n",
        runs.figure("/machine/processors"),
        of("kind"),
        of("postgres"),
        of("rustc"),
        runs.figure("/rounds"),
        runs.figure("/seconds"),
    )
}

fn floors_table(runs: &Runs) -> String {
    let mut text = String::from("## Floors\n\n| | must be | measured | |\n| --- | --- | --- | --- |\n");
    for floor in floors::all(runs) {
        let bound = match floor.bound {
            Bound::AtLeast(bound) => format!("≥ {bound}{}", floor.unit),
            Bound::AtMost(bound) => format!("≤ {bound}{}", floor.unit),
        };
        let figure = floor.figure.map_or_else(|| "–".to_owned(), shown);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| {} | {bound} | {figure} | {} |", floor.what, floor.verdict());
    }
    text + "\n"
}

fn duel(runs: &Runs, part: &str, title: &str, about: &str) -> String {
    let Some(rows) = runs.load.get(part).and_then(Value::as_array) else { return String::new() };
    let mut text = format!("{title}\n\n{about}");
    text += "| connections | ceiling/s | service/s | ratio | p50, ms | p99, ms | µs of processor for each: ceiling | service + Postgres + load | others |\n";
    text += "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for row in rows {
        let of = |name: &str| figure(row.get(name)).map_or_else(|| "–".to_owned(), shown);
        let middle = |name: &str| figure(row.get(name)).map_or(f64::NAN, |[middle, ..]| middle);
        let _ = writeln!(
            text,
            "| {} | {} | {} | **{}** | {} | {} | {:.0} | {:.0} + {:.0} + {:.0} | {:.0} % |",
            row.get("connections").unwrap_or(&Value::Null),
            of("ceiling_per_s"),
            of("service_per_s"),
            of("ratio"),
            of("p50_ms"),
            of("p99_ms"),
            middle("ceiling_us"),
            middle("service_us"),
            middle("postgres_us"),
            middle("load_us"),
            middle("others") * 100.0,
        );
    }
    text + "\n"
}

fn sustained(runs: &Runs) -> String {
    if runs.load.get("sustained").is_none() {
        return String::new();
    }
    let of = |name: &str| runs.figure(&format!("/sustained/{name}"));
    format!(
        "## Sustained\n\n{} agents, each with a session of its own, append a transcript {} messages at a time, read the context after every\n\
         append ({} read per append), and have it compressed by the deterministic engine, under a window of {} tokens, of which a compression\n\
         fills {}. An agent goes on when its session's compression is done, so that no backlog grows; that wait counts.\n\n\
         | | |\n| --- | --- |\n\
         | messages a second | {:.0} |\n| MB of messages a second | {:.2} |\n| appends a second | {:.0} |\n\
         | compressions a second | {:.1} |\n| messages in a compression | {:.0} |\n| compressions with nothing to cover, a second | {:.1} |\n\
         | append p50, p99, ms | {:.1}, {:.1} |\n| context p50, p99, ms | {:.1}, {:.1} |\n| wait for a compression p50, p99, ms | {:.0}, {:.0} |\n\
         | compressions that wait or run, first and second half of {:.0} s | {:.1}, {:.1} |\n\
         | processor time of service, Postgres, load | {:.0} %, {:.0} %, {:.0} % |\n\n",
        of("agents"),
        of("batch"),
        of("reads_per_append"),
        of("window"),
        of("fill"),
        of("messages_per_s"),
        of("mb_per_s"),
        of("appends_per_s"),
        of("compressions_per_s"),
        of("messages_per_compression"),
        of("skipped_per_s"),
        of("append/p50_ms"),
        of("append/p99_ms"),
        of("context/p50_ms"),
        of("context/p99_ms"),
        of("wait_for_compression/p50_ms"),
        of("wait_for_compression/p99_ms"),
        of("seconds"),
        of("backlog_first_half"),
        of("backlog_second_half"),
        of("share_of_time/service") * 100.0,
        of("share_of_time/postgres") * 100.0,
        of("share_of_time/load") * 100.0,
    )
}

fn length(runs: &Runs) -> String {
    let Some(rows) = runs.load.pointer("/length/rows").and_then(Value::as_array) else {
        return String::new();
    };
    let mut text = String::from(
        "## Cost by length\n\nThe same request to sessions of different lengths in turns, on one connection. Without a summary, a context is cut to\n\
         the budget; with one, all sessions are summarised up to their last messages. Ratios are of p50, to the shortest.\n\n\
         | | summary | messages | p50, ms | p99, ms | of the shortest |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for row in rows {
        let what = row.get("what").and_then(Value::as_str).unwrap_or_default();
        let summary = if row.get("is_summarised") == Some(&Value::Bool(true)) { "yes" } else { "no" };
        for column in row.get("by_length").and_then(Value::as_array).into_iter().flatten() {
            let of = |name: &str| figure(column.get(name)).map_or_else(|| "–".to_owned(), shown);
            let messages = column.get("messages").unwrap_or(&Value::Null);
            let _ = writeln!(
                text,
                "| {what} | {summary} | {messages} | {} | {} | {} |",
                of("p50_ms"),
                of("p99_ms"),
                of("ratio")
            );
        }
    }
    text + "\n"
}

fn footprint(runs: &Runs) -> String {
    let of = |name: &str| figure(runs.load.pointer(name)).map_or_else(|| "–".to_owned(), shown);
    format!(
        "## Takeover and footprint\n\nA worker is killed that holds a job; the time is until another one has claimed it. The footprint is the service's with a\n\
         database of its own, alone.\n\n| | |\n| --- | --- |\n| takeover, ms | {} |\n| binary, MB | {} |\n| first start, which makes the database, ms | {} |\n\
         | start on an existing data folder, ms | {} |\n| resident memory, idle, MB | {} |\n| idle, with both vocabularies, MB | {} |\n\
         | at most while appended to, MB | {} |\n| at most while contexts are read, MB | {} |\n| at most under the sustained load, MB | {} |\n\n",
        of("/takeover/takeover_ms"),
        of("/footprint/binary_mb"),
        of("/footprint/first_start_ms"),
        of("/footprint/cold_start_ms"),
        of("/footprint/idle_mb"),
        of("/footprint/idle_with_both_mb"),
        of("/memory_append/most_mb"),
        of("/memory_context/most_mb"),
        of("/memory_sustained/most_mb"),
    )
}

fn sizes(runs: &Runs) -> String {
    let Some(rows) = runs.load.pointer("/sizes/rows").and_then(Value::as_array) else { return String::new() };
    let mut text = format!(
        "## Disk\n\nBytes for each message, table by table, after the part on length: {:.0} messages, whose JSON has {:.0} bytes on average.\n\n\
         | | | bytes |\n| --- | --- | --- |\n",
        runs.figure("/sizes/messages"),
        runs.figure("/sizes/body_bytes"),
    );
    for row in rows {
        let of = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        let bytes = row.get("bytes").and_then(Value::as_f64).unwrap_or(f64::NAN);
        let _ = writeln!(text, "| {} | {} | {bytes:.1} |", of("kind"), of("name"));
    }
    let (rest, all) = (runs.figure("/sizes/rest_bytes"), runs.figure("/sizes/all_bytes"));
    let _ = writeln!(text, "| everything else | | {rest:.1} |\n| all | | {all:.1} |");
    text
}

/// A figure with its spread, in as many digits as mean something.
fn shown([median, least, most]: [f64; 3]) -> String {
    let of = |value: f64| match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    if (most - least).abs() < f64::EPSILON {
        of(median)
    } else {
        format!("{} ({}–{})", of(median), of(least), of(most))
    }
}
