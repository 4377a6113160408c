//! The pre-aggregation bench: MB/s over reports as agents write them, and over texts made to hurt.
//!
//! Each text goes through three simple passes in the same run (a copy, a search for the markers' first
//! letters, a regex of an opening marker), so that the ratio to those is the result. Hostile texts run at two
//! sizes: twice the bytes are to take about twice the time.
//! Invariant: nothing here asserts on time; what a run prints is for people to judge.
//! Must not know: HTTP.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anchord_preaggregate::{AgentOutput, Options, preaggregate};
use clap::Parser;

/// Condenses reports and hostile texts and prints MB/s and ratios
#[derive(Debug, Parser)]
struct Flags {
    /// Bytes of each text
    #[arg(long, default_value_t = 8_000_000)]
    bytes: usize,
    /// How often each text is read; the fastest counts, since other programs only add to it
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Cargo says so to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

type Maker = fn(usize) -> String;

const REPORTS: [(&str, Maker); 4] = [
    ("findings P1 and P2", |n| report(n, "severity=\"P1\"")),
    ("findings P3", |n| report(n, "severity=\"P3\"")),
    ("nits", |n| report(n, "severity=\"P3\" interaction=\"nit\"")),
    ("prose without markers", |n| {
        fill("# R\n\n## Method\n\nI read the code and looked for what is wrong.\n", n)
    }),
];

const HOSTILE: [(&str, Maker); 14] = [
    ("<", |n| fill("<", n)),
    ("<!--", |n| fill("<!--", n)),
    ("openings without an end", |n| fill("<!-- RUNE:FINDING ", n)),
    ("openings in quotes of openings", |n| fill("<!-- RUNE:FINDING nonce=\"", n)),
    ("an opening, then no quote", |n| format!("<!-- RUNE:FINDING nonce=\"{}", fill("x", n))),
    ("openings, none closed", |n| {
        each(n, |i| format!("<!-- RUNE:FINDING nonce=\"n\" id=\"A-{i:06}\" -->\nx\n"))
    }),
    ("one id opened again and again", |n| fill("<!-- RUNE:FINDING nonce=\"n\" id=\"A-001\" -->\nx\n", n)),
    ("nested, closed at the end", |n| {
        let open = each(n / 2, |i| format!("<!-- RUNE:FINDING nonce=\"n\" id=\"A-{i:06}\" -->\n"));
        let count = open.lines().count();
        (0..count).rev().fold(open, |text, i| text + &format!("<!-- /RUNE:FINDING id=\"A-{i:06}\" -->\n"))
    }),
    ("closings alone", |n| fill("<!-- /RUNE:FINDING id=\"A-001\" -->", n)),
    ("one finding, megabytes of one line", |n| {
        format!(
            "<!-- RUNE:FINDING nonce=\"n\" id=\"A-001\" severity=\"P3\" -->{}<!-- /RUNE:FINDING id=\"A-001\" -->",
            fill("x", n)
        )
    }),
    ("one finding, fences that do not end", |n| {
        format!(
            "<!-- RUNE:FINDING nonce=\"n\" id=\"A-001\" severity=\"P3\" -->\n{}<!-- /RUNE:FINDING id=\"A-001\" -->",
            fill("**Trace:**\n```a\n", n)
        )
    }),
    ("headings of kept sections", |n| fill("## Summary\n", n)),
    ("kept sections with fences that do not end", |n| fill("## Summary\n````a\n", n)),
    ("fences of growing length", |n| {
        let mut text = String::from("## Summary\n");
        let mut length = 3;
        while text.len() < n {
            text.push_str(&"`".repeat(length));
            text.push_str("a\n## Summary\n");
            length += 1;
        }
        text
    }),
];

fn main() {
    let flags = Flags::parse();
    say("reports, one thread");
    say("   MB   condensed   copied  searched     regex  MB/s; ratio to the regex");
    for (name, make) in REPORTS {
        row(name, &make(flags.bytes), flags.rounds);
    }
    say("\nhostile texts; time of twice the bytes over time of the bytes at the end");
    for (name, make) in HOSTILE {
        let (once, twice) = (make(flags.bytes / 2), make(flags.bytes));
        let small = fastest(flags.rounds, || condense(&once));
        let large = row(name, &twice, flags.rounds);
        let grown = large.as_secs_f64() / small.as_secs_f64().max(1e-9);
        say(&format!("        ×{grown:.2} for ×{:.2} bytes", mega(twice.len()) / mega(once.len())));
    }
}

fn row(name: &str, text: &str, rounds: usize) -> Duration {
    let own = fastest(rounds, || condense(text));
    let copied = fastest(rounds, || text.to_owned().len());
    let searched = fastest(rounds, || memchr::memmem::find_iter(text.as_bytes(), "<!--").count());
    let regex = fastest(rounds, || scan(text));
    let rate = |time: Duration| mega(text.len()) / time.as_secs_f64().max(1e-9);
    say(&format!(
        "{:5.1} {:9.0} {:9.0} {:9.0} {:9.0}  {:.2}  {name}",
        mega(text.len()),
        rate(own),
        rate(copied),
        rate(searched),
        rate(regex),
        rate(own) / rate(regex)
    ));
    own
}

fn condense(text: &str) -> usize {
    let options = Options { threshold_bytes: 0, ..Options::default() };
    preaggregate(&[AgentOutput { name: "a.md", content: text }], options).report.condensed_bytes
}

fn scan(text: &str) -> usize {
    static OPENING: LazyLock<Option<regex::Regex>> =
        LazyLock::new(|| regex::Regex::new(r#"<!--\s*/?RUNE:FINDING(?:\s+\w+="[^"]*")*\s*-->"#).ok());
    OPENING.as_ref().map_or(0, |opening| opening.find_iter(text).count())
}

fn fastest<T>(rounds: usize, pass: impl Fn() -> T) -> Duration {
    let time = |_| {
        let begun = Instant::now();
        black_box(pass());
        begun.elapsed()
    };
    (0..rounds.max(1)).map(time).min().unwrap_or_default()
}

fn report(bytes: usize, attributes: &str) -> String {
    let mut text = String::from("# Review\n\n## Findings\n\n");
    let mut number = 1;
    while text.len() < bytes {
        let finding = format!(
            "<!-- RUNE:FINDING nonce=\"n\" id=\"SEC-{number:03}\" file=\"src/a.py\" line=\"7\" {attributes} -->\n\
             - [ ] **[SEC-{number:03}] What is wrong** in `src/a.py:7`\n  - **Rune Trace:**\n    ```python\n{}    ```\n\
             \x20 - **Issue:** it is wrong in this way and that.\n  - **Fix:** do it otherwise.\n\
             <!-- /RUNE:FINDING id=\"SEC-{number:03}\" -->\n\n",
            "    value = call(first, second)\n".repeat(8)
        );
        text.push_str(&finding);
        number += 1;
    }
    text + "## Summary\n\nAll told.\n"
}

fn fill(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes / unit.len().max(1) + 1)
}

fn each(bytes: usize, make: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(bytes + 100);
    let mut number = 0;
    while text.len() < bytes {
        text.push_str(&make(number));
        number += 1;
    }
    text
}

#[expect(clippy::cast_precision_loss, reason = "bytes of a bench are far below 2^52")]
fn mega(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
fn say(line: &str) {
    println!("{line}");
}
