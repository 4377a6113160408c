//! Inputs made to hurt, each in every seat of a conversation.

use std::fmt::Write as _;
use std::time::Duration;

use anchord_messages::message::{Message, Numbered, Role};
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, Material};
use chrono::DateTime;
use serde_json::json;

use crate::chain::fingerprint;
use crate::sessions::{call, result, text};
use crate::{cpu, rate, say};

type Maker = fn(usize) -> String;

/// A unit again and again, up to a number of bytes.
fn fill(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes / unit.len().max(1) + 1)
}

/// A text for each number, one behind the other.
fn each(count: usize, make: fn(usize) -> String) -> String {
    (0..count).map(make).collect()
}

/// Openings without their closings, and as many closings behind them.
fn nested(open: &str, close: &str, bytes: usize) -> String {
    let count = bytes / (open.len() + close.len());
    format!("{}{}", open.repeat(count), close.repeat(count))
}

fn base64(bytes: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut random = crate::random::Random::new(9);
    (0..bytes).filter_map(|_| LETTERS.get(random.below(64)).map(|b| char::from(*b))).collect()
}

fn minified(bytes: usize) -> String {
    format!(
        "[{}0]",
        fill(
            r#"{"id":"a1","error":{"code":7,"message":"not found"},"items":[1,2,{"url":"https://x.example/a"}]},"#,
            bytes
        )
    )
}

const INPUTS: &[(&str, Maker)] = &[
    ("one letter", |n| fill("a", n)),
    ("spaces", |n| fill(" ", n)),
    ("newlines", |n| fill("\n", n)),
    ("spaces and newlines", |n| fill("   \n", n)),
    ("(", |n| fill("(", n)),
    ("( … )", |n| nested("(", ")", n)),
    ("[[[ … ]]]", |n| nested("[", "]", n)),
    ("{ … }", |n| nested("{ ", "}", n)),
    ("../", |n| fill("../", n)),
    ("cd ../ lines", |n| fill("cd ../a\n", n)),
    ("nested quotes", |n| fill("\"'`", n)),
    ("escaped quotes", |n| fill("\\\"", n)),
    ("minified JSON", minified),
    ("deep JSON", |n| nested("{\"a\":[", "]}", n)),
    ("base64, one line", base64),
    ("base64, lines", |n| {
        base64(n).as_bytes().chunks(76).map(|c| String::from_utf8_lossy(c).into_owned() + "\n").collect()
    }),
    ("aider line", |n| fill("> ", n)),
    ("aider edits", |n| fill("> Applied edit to src/a.rs\n", n)),
    ("aider edits, all new", |n| each(n / 32, |i| format!("> Applied edit to src/a{i}.rs\n"))),
    ("<<<<<<<", |n| fill("<<<<<<<", n)),
    ("<<<<<<< SEARCH", |n| fill("<<<<<<< SEARCH\n", n)),
    ("search and replace", |n| fill("a.rs\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", n)),
    ("commands; semicolons", |n| fill("ls a; ", n)),
    ("commands| pipes", |n| fill("cat a | ", n)),
    ("; alone", |n| fill(";", n)),
    ("| alone", |n| fill("|", n)),
    ("&& rm", |n| fill("rm a.py && ", n)),
    ("touch, all new", |n| each(n / 14, |i| format!("touch a{i}.py\n"))),
    ("mv chain", |n| each(n / 20, |i| format!("mv a{i}.py a{}.py\n", i + 1))),
    ("$(", |n| fill("$(", n)),
    ("$( … )", |n| nested("$(a ", ")", n)),
    ("here-documents", |n| fill("cat <<A\n", n)),
    ("bash -c nested", |n| fill("bash -c '", n)),
    ("if", |n| fill("if a; then ", n)),
    ("CJK without spaces", |n| fill("汉字错误修改文件", n)),
    ("CJK sentences", |n| fill("我们决定使用数据库。", n)),
    ("Cyrillic", |n| fill("решили использовать ", n)),
    ("accents", |n| fill("é", n)),
    ("emoji", |n| fill("👩‍👩‍👧", n)),
    ("error: ", |n| fill("error: ", n)),
    ("error: lines", |n| fill("error: a b c\n", n)),
    ("errors, all new", |n| each(n / 24, |i| format!("TypeError: a{i} is bad\n"))),
    ("tracebacks", |n| {
        fill("Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError: x\n", n)
    }),
    ("error without end", |n| format!("error: {}", fill("x", n))),
    ("paths", |n| fill("src/a/b.rs ", n)),
    ("paths, all new", |n| each(n / 14, |i| format!("src/a{i}/b.rs\n"))),
    ("a/a/a", |n| fill("a/", n)),
    ("C:\\", |n| fill("C:\\a\\", n)),
    ("ANSI escapes", |n| fill("\u{1b}[31m", n)),
    ("ANSI coloured errors", |n| fill("\u{1b}[31merror\u{1b}[0m: x\n", n)),
    ("escape, unclosed", |n| fill("\u{1b}[", n)),
    ("fences", |n| fill("```\n", n)),
    ("bash fences", |n| fill("```bash\nls\n```\n", n)),
    ("open fences", |n| fill("```bash\n", n)),
    ("tags", |n| fill("<write_to_file><path>a", n)),
    ("closing tags", |n| fill("</output>", n)),
    ("open tags", |n| fill("<output>", n)),
    ("<", |n| fill("<", n)),
    ("<function=", |n| fill("<function=x><parameter=a>", n)),
    ("diff headers", |n| fill("diff --git a/x b/x\n", n)),
    ("diff hunks", |n| fill("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", n)),
    ("patch", |n| {
        format!("*** Begin Patch\n{}*** End Patch", fill("*** Update File: a.py\n@@\n-a\n+b\n", n))
    }),
    ("pytest lines", |n| fill("FAILED tests/a.py::b - x\n", n)),
    ("test oks", |n| fill("test a::b ... ok\n", n)),
    ("1 failed", |n| fill("1 failed, ", n)),
    ("full stops", |n| fill(". ", n)),
    ("questions", |n| fill("why not? ", n)),
    ("never sentences", |n| fill("Never do that. ", n)),
    ("instead of", |n| fill("use a instead of b because c. ", n)),
    ("we decided, one line", |n| fill("we decided to use ", n)),
    ("words", |n| fill("word ", n)),
    ("capitals", |n| fill("Aa", n)),
    ("digits", |n| fill("1", n)),
    ("digits and dots", |n| fill("1.", n)),
    ("dates", |n| fill("2026-01-02 ", n)),
    ("figures", |n| fill("v1.2.3 $4.50 ABC-12 #7 ", n)),
    ("identifiers, all new", |n| each(n / 22, |i| format!("order id: A{i} is new\n"))),
    ("hex", |n| fill("deadbeef", n)),
    ("@", |n| fill("a@", n)),
    ("emails", |n| fill("a@b.example ", n)),
    ("https://", |n| fill("https://", n)),
    ("urls", |n| fill("https://a.example/b?c=d ", n)),
    ("://:@", |n| fill("a://b:", n)),
    ("token=", |n| fill("token=", n)),
    ("key: words", |n| fill("api_key: abcdefgh12 ", n)),
    ("secrets", |n| fill("password=hunter22X ", n)),
    ("key names", |n| fill("a_key_", n)),
    ("private keys", |n| fill("-----BEGIN PRIVATE KEY-----", n)),
    ("eyJ", |n| fill("eyJaaaaaaaa.", n)),
    ("underscores", |n| fill("A_", n)),
    ("dashes", |n| fill("-", n)),
    ("list", |n| fill("- item\n", n)),
    ("todos", |n| fill("- [ ] do it\n", n)),
    ("headings", |n| fill("# Next steps\n", n)),
    ("table", |n| fill("| a | b |\n", n)),
    ("quotes", |n| fill("> a\n", n)),
    ("colons", |n| fill("A: b: ", n)),
    ("NUL", |n| fill("\0", n)),
    ("CR", |n| fill("a\r", n)),
    ("sed -i", |n| fill("sed -i s/a/b/ f.py\n", n)),
    ("for loops", |n| fill("for f in a b; do ", n)),
    ("python -c", |n| format!("python -c \"{}\"", fill("open('a.py','w');", n))),
    ("backslashes", |n| fill("\\", n)),
    ("backticks", |n| fill("`", n)),
    ("git", |n| fill("git checkout -b a/b\n", n)),
];

type Seat = fn(&str) -> Vec<Message>;

/// Where a text stands.
const SEATS: &[(&str, Seat)] = &[
    ("user", |t| vec![text(Role::User, t.to_owned()), text(Role::Assistant, "I see.".to_owned())]),
    ("assistant", |t| {
        vec![text(Role::Assistant, t.to_owned()), text(Role::User, "<output>\nok\n</output>".to_owned())]
    }),
    ("console", |t| {
        let mut console = text(Role::User, t.to_owned());
        console.name = Some("aider".to_owned());
        vec![text(Role::User, "/run make".to_owned()), console]
    }),
    ("output", |t| used("Bash", &json!({"command": "cargo build"}), t)),
    ("answer", |t| used("Read", &json!({"file_path": "a.rs"}), t)),
    ("command", |t| used("Bash", &json!({"command": t}), "ok")),
    ("edit", |t| {
        used(
            "Edit",
            &json!({"file_path": "a.rs", "old_string": "x", "new_string": t}),
            "The file has been updated.",
        )
    }),
    ("patch", |t| used("apply_patch", &json!({"patch": t}), "Done!")),
    ("many users", |t| scattered(t, |t, _| vec![text(Role::User, t.to_owned())])),
    ("many said", |t| scattered(t, |t, _| vec![text(Role::Assistant, t.to_owned())])),
    ("many runs", |t| {
        scattered(t, |t, at| {
            let id = format!("c{at}");
            vec![
                call(id.clone(), "Bash", json!({"command": "make all"}).to_string()),
                result(id, t.to_owned()),
            ]
        })
    }),
    ("arguments", |t| {
        vec![call("c".to_owned(), "update_order", t.to_owned()), result("c".to_owned(), "ok".to_owned())]
    }),
];

/// Bytes of each piece of a text that comes in many messages.
const PIECE: usize = 4_000;

/// A text in pieces, so that no bound on one message spares anything.
fn scattered(text: &str, seat: fn(&str, usize) -> Vec<Message>) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut from = 0;
    while from < text.len() {
        let to = text.ceil_char_boundary((from + PIECE).min(text.len()));
        messages.extend(seat(text.get(from..to).unwrap_or_default(), from));
        from = to;
    }
    messages
}

fn used(tool: &str, arguments: &serde_json::Value, output: &str) -> Vec<Message> {
    vec![call("c".to_owned(), tool, arguments.to_string()), result("c".to_owned(), output.to_owned())]
}

fn span(seat: Seat, input: &str) -> Vec<Numbered> {
    let mut messages = vec![text(Role::User, "Fix the login in src/auth.rs.".to_owned())];
    messages.extend(seat(input));
    messages.push(text(Role::Assistant, "It is done.".to_owned()));
    (1..).zip(messages).map(|(seq, message)| Numbered { seq, message }).collect()
}

/// The time of ledger and engine, and of the proof; the best of a few runs.
fn measure(seat: Seat, input: &str) -> (Duration, Duration, u64) {
    let span = span(seat, input);
    let material = Material::first(span, 300_000, TokenCounter::default(), DateTime::UNIX_EPOCH);
    let once = || {
        let begun = cpu::time();
        let facts = candidate::read(&material);
        let draft = candidate::draft(&material, &facts);
        let digested = cpu::time();
        let proof = candidate::check(&material, &facts, draft);
        let (digest, proof_time) = (digested.saturating_sub(begun), cpu::time().saturating_sub(digested));
        let made = serde_json::to_string(&(&facts, &proof.summary)).unwrap_or_default();
        (digest, proof_time, fingerprint(&made))
    };
    let first = once();
    // What is quick is at the mercy of the machine.
    if first.0 + first.1 > Duration::from_millis(200) { first } else { first.min(once()) }
}

/// Prints MB/s for every input in every seat, what is slow, and what more than doubles with its input.
pub fn run(bytes: usize, only: Option<&str>) {
    say(&format!(
        "\nhostile inputs of {} kB; MB/s of ledger+engine, of the time that the thread ran",
        bytes / 1000
    ));
    let seats: Vec<String> = SEATS.iter().map(|(seat, _)| format!("{seat:>11}")).collect();
    say(&format!("{:<24}{}", "", seats.concat()));
    let mut slow = Vec::new();
    let mut least = f64::INFINITY;
    let mut all = 0_u64;
    for (name, make) in INPUTS {
        let input = make(bytes);
        let half = make(bytes / 2);
        let mut line = format!("{name:<24}");
        for (seat, seated) in SEATS {
            if only.is_some_and(|o| !name.contains(o) && !seat.contains(o)) {
                line.push_str("          -");
                continue;
            }
            let (digest, proof, print) = measure(*seated, &input);
            let (less, less_proof, _) = measure(*seated, &half);
            let speed = rate(input.len(), digest);
            let whole = rate(input.len(), digest + proof);
            least = least.min(speed);
            all = all.rotate_left(7) ^ print;
            // Writing to a String cannot fail.
            let _ = write!(line, "{speed:11.1}");
            let growth = (digest + proof).as_secs_f64() / (less + less_proof).as_secs_f64().max(1e-4);
            let grows = growth > 3.0 && digest + proof > Duration::from_millis(30);
            if speed < 10.0 || whole < 3.0 || grows {
                slow.push((whole, format!("{name} as {seat}: {speed:.1} MB/s, with probes {whole:.1}; twice the input takes {growth:.1} times as long")));
            }
        }
        say(&line);
    }
    say(&format!("fingerprint of all that was made: {all:016x}"));
    slow.sort_by(|a, b| a.0.total_cmp(&b.0));
    say(&format!("\nthe slowest: {least:.1} MB/s; below 10 MB/s, or worse than linear:"));
    for (_, line) in slow {
        say(&line);
    }
}
