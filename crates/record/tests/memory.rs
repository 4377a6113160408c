//! The memory of one compression: a bounded multiple of what the span weighs, whatever the span says.
//!
//! Spans are written by tenants, and several are compressed at once: what is read out of a few bytes, again for each of
//! them or for each pair of them, would take the memory of all tenants. Each span here is made of one thing, as often as
//! it fits, of which reading, merging or checking could make much more than it is.

use std::fmt::Write;

use anchord_messages::message::{Message, Numbered, Part, Role, ToolCall, ToolResult};
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, Material, sample};
use chrono::DateTime;
use peak_alloc::PeakAlloc;
use serde_json::json;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The weight of a span's texts.
const SPAN: usize = 1_000_000;
/// About as many tokens.
const TOKENS: u32 = 250_000;
/// The most that a compression takes beside the span, in bytes per byte of the span.
const MOST: usize = 24;

fn message(role: Role, part: Part) -> Message {
    Message { role, name: None, parts: vec![part] }
}

/// The calls of a tool, each with its output, until they weigh a span.
fn calls(tool: &str, arguments: impl Fn(usize) -> String, output: &str) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut weight = 0;
    for at in 0.. {
        let (id, arguments) = (format!("c{at}"), arguments(at));
        weight += arguments.len() + output.len() + 100;
        if weight > SPAN {
            break;
        }
        let call = ToolCall { id: id.clone(), name: tool.to_owned(), arguments };
        messages.push(message(Role::Assistant, Part::ToolCall(call)));
        let parts = vec![Part::Text(output.to_owned())];
        messages
            .push(message(Role::Tool, Part::ToolResult(ToolResult { call_id: id, parts, is_error: None })));
    }
    messages
}

fn commands(command: impl Fn(usize) -> String) -> Vec<Message> {
    calls("bash", |at| json!({ "command": command(at) }).to_string(), "ok\n")
}

/// The same, with a command before it that names files of one folder.
fn after_files(command: impl Fn(usize) -> String) -> Vec<Message> {
    commands(|at| match at {
        0 => (0..400).fold("sed -i s/a/b/".to_owned(), |all, file| all + &format!(" a/{file}.c")),
        at => command(at),
    })
}

/// Messages of one role, each of one text as often as it fits into 20,000 bytes; `#` stands for a number.
fn said(role: Role, text: &str) -> Vec<Message> {
    let mut number = 0;
    let mut messages = Vec::new();
    while messages.len() < SPAN / 20_000 {
        let mut all = String::new();
        while all.len() < 20_000 {
            number += 1;
            all.push_str(&text.replace('#', &number.to_string()));
        }
        messages.push(message(role, Part::Text(all)));
    }
    messages
}

/// The same as outputs of a command.
fn printed(command: &str, text: &str) -> Vec<Message> {
    said(Role::Tool, text)
        .into_iter()
        .zip(0..)
        .flat_map(|(output, at)| {
            let id = format!("c{at}");
            let arguments = json!({ "command": command }).to_string();
            let call = ToolCall { id: id.clone(), name: "bash".to_owned(), arguments };
            let result = ToolResult { call_id: id, parts: output.parts, is_error: None };
            [message(Role::Assistant, Part::ToolCall(call)), message(Role::Tool, Part::ToolResult(result))]
        })
        .collect()
}

/// Commands in tags, with replies that are the output of all of them.
fn tagged() -> Vec<Message> {
    let reply = json!({ "returncode": 0, "output": "x\n".repeat(50_000) }).to_string();
    let command = "<function=bash><parameter=command>ls</parameter></function>\n";
    (0..SPAN / reply.len())
        .flat_map(|_| {
            [
                message(Role::Assistant, Part::Text(command.repeat(64))),
                message(Role::User, Part::Text(reply.clone())),
            ]
        })
        .collect()
}

fn numbered(of: usize, one: impl Fn(usize) -> String) -> String {
    (0..of).fold(String::new(), |all, at| all + &one(at))
}

fn nested(values: usize) -> String {
    let one = format!("{}0{}", "{\"\":".repeat(100), "}".repeat(100));
    vec![one; values / 101].join(",")
}

type Spans = Vec<(&'static str, Vec<Message>)>;

/// Arguments of calls.
fn arguments() -> Spans {
    let lists = |name: &'static str| move |_: usize| format!("{{\"{name}\":[{}]}}", nested(24_000));
    vec![
        ("values of unknown arguments", calls("run", lists("list"), "ok")),
        ("values of a todo list", calls("TodoWrite", lists("todos"), "ok")),
        ("values of edits", calls("MultiEdit", lists("edits"), "ok")),
        (
            "todos",
            calls(
                "TodoWrite",
                |_| json!({ "todos": vec![json!({ "content": "a" }); 500] }).to_string(),
                "ok",
            ),
        ),
        (
            "edits",
            calls(
                "MultiEdit",
                |_| {
                    json!({ "file_path": "/a.rs", "edits": vec![json!({ "old_string": "x\n", "new_string": "y\n" }); 100] }).to_string()
                },
                "ok",
            ),
        ),
        ("small reads", calls("Read", |at| json!({ "file_path": format!("/{at}.c") }).to_string(), "")),
        (
            "directories",
            calls(
                "run",
                |at| {
                    json!({ "workdir": format!("/{}", "a".repeat(if at == 0 { 100_000 } else { 1 })) })
                        .to_string()
                },
                "ok",
            ),
        ),
        (
            "questions and answers",
            calls(
                "AskUserQuestion",
                |at| json!({ "question": at.to_string() }).to_string(),
                r#""a"="b", "c"="d""#,
            ),
        ),
    ]
}

/// Commands.
fn scripts() -> Spans {
    vec![
        ("commands of a script", commands(|_| "a;".repeat(7_900))),
        ("commands of small scripts", commands(|_| "a;".repeat(50))),
        ("pipes", commands(|_| "a|".repeat(7_900))),
        ("words", commands(|_| "a ".repeat(7_900))),
        (
            "filters of a script in a script",
            commands(|_| format!("sh -c '{}' {}", "a;".repeat(3_900), "|b".repeat(3_900))),
        ),
        (
            "scripts in scripts",
            commands(|_| format!("sh -c \"sh -c 'sh -c \\\"{}\\\"'\"", "a;".repeat(3_900))),
        ),
        (
            "loops",
            commands(|_| {
                format!(
                    "for x in {}; do {} done",
                    numbered(50, |value| format!("{value} ")),
                    "rm $x.c;".repeat(39)
                )
            }),
        ),
        ("here-documents", commands(|_| "cat <<E\n".repeat(2_000))),
        ("groups", commands(|_| "(".repeat(7_900))),
        (
            "large filters of a script in a script",
            commands(|_| format!("sh -c '{}' |b{}", "a;".repeat(3_900), " x".repeat(3_900))),
        ),
        ("many scripts in scripts", commands(|_| format!("sh -c '{}'|b;", "a;".repeat(500)).repeat(200))),
        (
            "loops over empty words",
            commands(|_| {
                format!(
                    "for x in {0}; do for y in {0}; do a{1}; done; done",
                    numbered(40, |value| format!("{value} ")),
                    " ''".repeat(3_900)
                )
            }),
        ),
        (
            "a long value in many words",
            commands(|_| format!("for i in {}; do x {}; done", "A".repeat(100_000), "$i ".repeat(20_000))),
        ),
        (
            "values of variables in loops",
            commands(|_| {
                let values = "'$j$j$j$j$j$j$j$j$j$j' ".repeat(4);
                format!(
                    "for k in {values}; do for j in {values}; do for i in {values}; do x $k$i; done; done; done"
                )
            }),
        ),
        (
            "shells in containers",
            commands(|_| format!("docker run x{} '{}'", " -/sh".repeat(11), "a;".repeat(2_000))),
        ),
        (
            "formatters in loops",
            calls(
                "bash",
                |_| {
                    json!({ "command": format!("for i in {}; do black{}; done", numbered(50, |i| format!("{i} ")), " a.c".repeat(10)) }).to_string()
                },
                &format!("{}0 fixed", "\n".repeat(16_000)),
            ),
        ),
        (
            "nested loops",
            commands(|_| {
                let ten = numbered(10, |i| format!("{i} "));
                format!("for a in {ten};do for b in {ten};do for c in {ten};do :;done;done;done")
            }),
        ),
        ("one script of words", commands(|_| format!("{};", "a ".repeat(3_900)).repeat(110))),
    ]
}

/// Commands with files.
fn files() -> Spans {
    vec![
        ("removed files", commands(|_| format!("rm {}", "a.c ".repeat(3_900)))),
        (
            "other removed files",
            commands(|at| format!("rm {}", numbered(3_900, |file| format!("{at}_{file}.c ")))),
        ),
        (
            "files of small scripts",
            commands(|at| format!("touch {}", numbered(400, |file| format!("{at}_{file}.c ")))),
        ),
        (
            "files with one text",
            commands(|_| format!("tee {}<<E\n{}\nE\n", "a.c ".repeat(3_900), "x".repeat(64_000))),
        ),
        (
            "redirections of one text",
            commands(|_| format!("cat {}<<E\n{}\nE\n", "> a.c ".repeat(16), "x".repeat(64_000))),
        ),
        ("moves there and back", commands(|_| "mv a.c b.c; mv b.c a.c;".repeat(2))),
        ("moves of a folder", after_files(|_| "mv a b; mv b a;".repeat(300))),
        ("copies", commands(|_| numbered(300, |file| format!("cp a.c {file}.c;")))),
        ("folders", commands(|_| "cd a; ls > b.c;".repeat(300))),
        (
            "patches",
            commands(|_| {
                format!(
                    "apply_patch <<'E'\n*** Begin Patch\n{}*** End Patch\nE\n",
                    numbered(500, |file| format!("*** Update File: {file}.c\n@@\n-a\n+b\n"))
                )
            }),
        ),
        ("directories in directories", commands(|_| "cd aaaaaaaa; touch b.c;".repeat(2_000))),
        (
            "a long directory",
            commands(|_| {
                format!("cd /{}; touch {}", "a".repeat(60_000), numbered(400, |file| format!("{file}.c ")))
            }),
        ),
    ]
}

/// Outputs of calls.
fn outputs() -> Spans {
    vec![
        ("values of outputs", calls("cat", |_| "{}".to_owned(), &format!("[{}]", nested(24_000)))),
        ("errors", printed("make", "error: the #th\n")),
        ("failed tests", printed("pytest", "FAILED a.py::t#\n")),
        ("summaries of tests", printed("pytest", "1 passed in 0s\n")),
        ("paths", printed("ls -R", "a/#.c\n")),
        (
            "things",
            calls(
                "list",
                |_| "{}".to_owned(),
                &json!(vec![json!({ "id": "i", "name": "n" }); 1_000]).to_string(),
            ),
        ),
        ("keys and values", printed("gh pr view 1", "k#: v\n")),
        ("lines of things", printed("aws list", "{\"id\":\"i#\",\"name\":\"n#\"}\n")),
        ("rows", printed("kubectl get pods", "NAME READY\nn# 1\n")),
        (
            "names of columns",
            printed("kubectl get pods", &format!("{}\n{}", "A  ".repeat(3_000), "x\n".repeat(5_000))),
        ),
        ("a reply to many commands", tagged()),
        ("applied edits", applied_edits()),
        ("figures before errors", printed("eslint", " 2 error\n")),
    ]
}

/// What people and agents say.
fn texts() -> Spans {
    vec![
        ("sentences of a person", said(Role::User, "a. ")),
        ("sentences of an agent", said(Role::Assistant, "A. ")),
        ("orders of the system", orders()),
        (
            "answers that are quoted",
            calls("AskUserQuestion", |_| "{}".to_owned(), &"\"a\" = ".repeat(40_000)),
        ),
        ("calls without a result", unanswered()),
        ("demands", said(Role::User, "You must do #. ")),
        ("what is done in clauses", said(Role::Assistant, &format!("done{}. ", ", a".repeat(1_300)))),
        ("demands in lines", said(Role::User, "- never do #\n")),
        ("questions", said(Role::User, "Why #? ")),
        ("questions of an agent", said(Role::Assistant, "Shall I do #? ")),
        ("answers", said(Role::User, "yes\n")),
        (
            "decisions",
            said(
                Role::Assistant,
                "I decided to do # because it is simpler to test than all that was proposed before. ",
            ),
        ),
        ("steps", said(Role::Assistant, "Next, I will do #. ")),
        ("checklists", said(Role::Assistant, "- [ ] a#\n")),
        ("code", said(Role::Assistant, "```bash\nrm #.c\n```\n")),
        ("figures", said(Role::User, "#.5.1 #ms https://a.b/# ")),
        ("minutes", said(Role::User, "Ann: a#\n")),
        ("blocks", said(Role::User, "<a>#</a>\n")),
        ("quotes", said(Role::User, "> a#\n\n")),
        ("headings", said(Role::Assistant, "# a\n")),
        ("other languages", said(Role::User, "请不要#。")),
    ]
}

/// A proposal of twenty edits of a file, and a console that says again and again that it applied them.
fn applied_edits() -> Vec<Message> {
    let text = "x\n".repeat(8_000);
    let edit = format!("a.py\n<<<<<<< SEARCH\n{text}=======\n{text}y\n>>>>>>> REPLACE\n");
    let report = format!("aider {}", "\n> Applied edit to a.py".repeat(15_000));
    vec![
        message(Role::User, Part::Text("> Aider v0.50".to_owned())),
        message(Role::Assistant, Part::Text(edit.repeat(20))),
        Message { name: Some("aider".to_owned()), ..message(Role::User, Part::Text(report)) },
    ]
}

/// Many short messages of the system, each of its own.
fn orders() -> Vec<Message> {
    let first = message(Role::User, Part::Text("Begin.".to_owned()));
    let order = |at| message(Role::System, Part::Text(format!("never touch file {at}")));
    std::iter::once(first).chain((0..SPAN / 50).map(order)).collect()
}

/// One message of many calls, and as many results of others.
fn unanswered() -> Vec<Message> {
    let calls = (0..SPAN / 100).map(|at| {
        Part::ToolCall(ToolCall { id: format!("c{at}"), name: "cat".to_owned(), arguments: "{}".to_owned() })
    });
    let mut messages = vec![Message { role: Role::Assistant, name: None, parts: calls.collect() }];
    messages.extend((0..SPAN / 100).map(|at| {
        let parts = vec![Part::Text("ok".to_owned())];
        message(Role::Tool, Part::ToolResult(ToolResult { call_id: format!("x{at}"), parts, is_error: None }))
    }));
    messages
}

fn compress(messages: Vec<Message>) {
    let span: Vec<Numbered> = (1..).zip(messages).map(|(seq, message)| Numbered { seq, message }).collect();
    let material = Material::first(span, TOKENS, TokenCounter::default(), DateTime::UNIX_EPOCH);
    let facts = candidate::read(&material);
    let draft = candidate::draft(&material, &facts);
    drop(candidate::check(&material, &facts, draft));
}

#[test]
fn no_span_makes_much_of_little() {
    sample::warm_up();
    let mut too_much = String::new();
    for (name, messages) in [arguments(), scripts(), files(), outputs(), texts()].concat() {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let begun = std::time::Instant::now();
        compress(messages);
        let times = (MEMORY.peak_usage() - before) / SPAN;
        eprintln!("{times:>5} {:>8.2?} {name}", begun.elapsed());
        if times > MOST {
            writeln!(too_much, "{name}: {times} bytes per byte").unwrap();
        }
    }
    assert!(too_much.is_empty(), "{too_much}");
}
