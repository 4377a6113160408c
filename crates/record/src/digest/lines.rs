//! Splits a message into lines that can be read alone: sentences, lines of output, calls, pieces of data with
//! the path to them.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use super::turn::{Line, LineKind};
use anchord_facts::ledger::is_about_files;
use anchord_facts::ledger::prose::{around_site, is_listed, is_name, speaker, split};
use anchord_facts::ledger::reading::Reading;
use anchord_facts::ledger::requests::{is_pleasantry, without_examples};
use anchord_facts::phrases::Phrase;
use anchord_facts::redact::redact;
use anchord_facts::wording::{clip_chars, clip_words, clip_words_tail, one_line};
use anchord_messages::inner_json;
use anchord_messages::message::{Numbered, Part, Role};

/// The most characters of a line; a longer one is cut between two words.
const LONGEST: usize = 300;
/// From this length on a line of prose is split into sentences.
const LONG_PROSE: usize = 220;
/// A heading with fewer words is left out.
const LEAST_HEADING_WORDS: usize = 6;
/// Labels before an agent's thoughts, which a harness asks for.
const THOUGHTS: [&str; 3] = ["THOUGHT:", "Thought:", "**Thought:**"];
/// Beginnings of lines that a harness adds to an output.
const HARNESS: [&str; 4] = ["agentId: ", "... [", "Usage: ", "REMINDER: "];
/// The most characters of a call's arguments.
const LONGEST_CALL: usize = 240;
/// The most characters that are read of a text: two thirds at its beginning, a third at its end.
const MOST_READ: usize = 48 * 1024;
/// Data nested deeper is written as JSON.
const DEEPEST: usize = 24;

/// The lines of a message, without secrets, and in minutes the name of who speaks. Thinking, media and unknown blocks have none.
pub(super) fn message_lines(numbered: &Numbered, minutes: bool) -> (Option<String>, Vec<Line>) {
    let message = &numbered.message;
    let reading = Reading::new(numbered);
    let own = reading.person().map(around_site);
    let own: HashSet<&str> = own.iter().flat_map(|own| own.lines()).map(str::trim).collect();
    let is_own = |line: &str| message.role != Role::User || own.contains(line);
    let (mut name, mut lines) = (None, Vec::new());
    for part in &message.parts {
        match part {
            // A program wrote it in the place of a person.
            Part::Text(text) if message.role == Role::User && own.is_empty() => given(&mut lines, text),
            Part::Text(text) if minutes && message.role == Role::User && name.is_none() => {
                // A title may stand behind the name: `Ana Li (minister of finance)`.
                let spoken =
                    speaker(text).filter(|(name, _)| is_name(name.split(" (").next().unwrap_or(name)));
                name = spoken.map(|(name, _)| redact(name).into_owned());
                said(&mut lines, &without_fillers(spoken.map_or(text, |(_, words)| words)), &|_| true);
            }
            Part::Text(text) if message.role == Role::User => {
                let is_word = |line: &str| is_own(line) && !is_listed(line) && !is_command(line);
                said(&mut lines, &without_examples(text), &is_word);
            }
            Part::Text(text) => said(&mut lines, text, &is_own),
            Part::ToolCall(call) => called(&mut lines, &call.name, &call.arguments),
            Part::ToolResult(result) => given(&mut lines, &result.text()),
            Part::File(file) => {
                if let Some(text) = file.text() {
                    given(&mut lines, text);
                }
            }
            Part::Image(_) | Part::Thinking(_) | Part::Other(_) => {}
        }
    }
    // In minutes people thank and greet each other at every turn.
    if minutes {
        lines.retain(|line| !is_pleasantry(&line.text) && !Phrase::Greeting.is_in(&line.text));
    }
    if message.role == Role::Assistant {
        for line in &mut lines {
            let thought = THOUGHTS.iter().find_map(|label| line.text.strip_prefix(label));
            if let Some(thought) = thought.map(str::trim_start).filter(|thought| !thought.is_empty()) {
                line.text = thought.to_owned();
            }
        }
    }
    (name, lines)
}

/// Whether a line is a command for the agent's program (`/clear`).
fn is_command(line: &str) -> bool {
    line.starts_with('/') && !line.contains(char::is_whitespace) && line.matches('/').count() == 1
}

/// Sounds that fill a pause.
const FILLERS: [&str; 8] = ["uh", "um", "uhm", "er", "erm", "hmm", "mm", "mm-hmm"];

/// Spoken words without sounds that fill a pause, and without the marks of who wrote them down (`{pause}`).
fn without_fillers(words: &str) -> Cow<'_, str> {
    let is_filler = |word: &&str| FILLERS.iter().any(|filler| word.eq_ignore_ascii_case(filler));
    if !words.contains('{') && !words.split_whitespace().any(|word| is_filler(&word)) {
        return Cow::Borrowed(words);
    }
    let is_mark = |word: &&str| {
        let inner = word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
        inner.is_some_and(|inner| !inner.is_empty() && inner.chars().all(char::is_lowercase))
    };
    let lines = words.lines().map(|line| {
        line.split_whitespace()
            .filter(|word| !is_mark(word) && !is_filler(word))
            .collect::<Vec<_>>()
            .join(" ")
    });
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

fn push(lines: &mut Vec<Line>, kind: LineKind, text: &str) {
    let text = one_line(text);
    let text = text.trim();
    let words = text.chars().filter(|c| c.is_alphanumeric()).count();
    // A rule across the page, with a title in it or not.
    let length = text.chars().count();
    let is_rule = length > 24 && words * 3 < length;
    if words < 2 || is_rule {
        return;
    }
    lines.push(Line { kind, text: shortened(text, LONGEST), served: false });
}

/// Cuts between two words; of a single word that is too long, both ends are written.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    match clip_words(text, most) {
        "" => format!("{}…", clip_chars(text, most / 4)),
        head => format!("{head} …"),
    }
}

/// The text without secrets; only both ends of a long one.
fn readable(text: &str) -> String {
    if text.len() <= MOST_READ {
        return redact(text).into_owned();
    }
    let (head, tail) = (clip_words(text, MOST_READ / 3 * 2), clip_words_tail(text, MOST_READ / 3));
    format!("{}\n{}", redact(head), redact(tail))
}

/// What somebody said; a line that is not their own is one of a page that they copied.
fn said(lines: &mut Vec<Line>, text: &str, is_own: &dyn Fn(&str) -> bool) {
    let text = readable(text);
    let mut is_fenced = false;
    let mut rows = text.lines().peekable();
    while let Some(line) = rows.next() {
        let trimmed = line.trim();
        let heads_table = trimmed.starts_with('|') && rows.peek().is_some_and(|next| is_rule(next.trim()));
        if trimmed.starts_with("```") {
            is_fenced = !is_fenced;
        } else if trimmed == "<<<<<<< SEARCH" || trimmed == ">>>>>>> REPLACE" {
            // An edit in a message's text, in whatever fence.
            is_fenced = trimmed.starts_with('<');
        } else if is_fenced || is_code(trimmed) || !is_own(trimmed) {
            push(lines, LineKind::Code, line);
        } else if heads_table {
            push(lines, LineKind::Head, line);
        } else if is_bare_heading(trimmed) || is_tag(trimmed) && trimmed.find('>') == Some(trimmed.len() - 1)
        {
            // It says nothing alone.
        } else if line.len() <= LONG_PROSE {
            push(lines, LineKind::Said, line);
        } else {
            split(line).for_each(|sentence| push(lines, LineKind::Said, sentence));
        }
    }
}

/// Whether a line is the one between a table's head and its rows.
fn is_rule(line: &str) -> bool {
    line.starts_with('|') && line.contains("--") && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Whether a line is a heading that says nothing alone, such as `## Key files`.
fn is_bare_heading(line: &str) -> bool {
    let words = line.trim_start_matches('#');
    words.starts_with(' ')
        && words.len() < line.len()
        && words.split_whitespace().count() < LEAST_HEADING_WORDS
}

/// Whether a line that stands in no fence is code all the same: by its end or a sign, and by a bracket or a quotation mark,
/// which a sentence that only ends in `;` or compares two things has not.
fn is_code(line: &str) -> bool {
    const SIGNS: [&str; 7] = [":=", "==", "!=", "+=", "</", "/>", "();"];
    let looks = line.ends_with([';', '{', '}', '(', '['])
        || ["),", "',", "\","].iter().any(|end| line.ends_with(end));
    let assigns = line.ends_with(')') && line.contains(" = ");
    let is_call = |(name, _): (&str, &str)| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))
    };
    let calls = line.ends_with(')') && line.split_once('(').is_some_and(is_call);
    let imports = line.starts_with("from ") && line.contains(" import ");
    let compares = [" === ", " !== ", "={"].iter().any(|sign| line.contains(sign));
    // A branch of a condition, a frame of a stack.
    let continues = ["? \"", ": \"", "? '", ": '"].iter().any(|start| line.starts_with(start));
    let is_frame = line.starts_with("at ") && line.ends_with(')') && line.contains(':');
    imports
        || compares
        || continues
        || is_frame
        || (looks || assigns || calls || SIGNS.iter().any(|sign| line.contains(sign)))
            && line.contains(['(', '{', '}', '[', '<', '"', '\''])
}

fn called(lines: &mut Vec<Line>, name: &str, arguments: &str) {
    let arguments = readable(arguments);
    if let Some((path, text)) = document(&arguments) {
        push(lines, LineKind::Call, &format!("[{name}] {path}"));
        return said(lines, &text, &|_| true);
    }
    // What files it shows or changes, the record says, and their text is in the files.
    if is_about_files(name) {
        return;
    }
    let told = match inner_json::read::<Value>(&arguments) {
        Some(Value::Object(fields)) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key}={}", flat(value))).collect();
            fields.join(", ")
        }
        Some(value) => flat(&value),
        None => arguments,
    };
    push(lines, LineKind::Call, &format!("[{name}] {}", shortened(&one_line(&told), LONGEST_CALL)));
}

/// The name and text of a document that a call writes: a plan, notes, a report. The agent said it.
fn document(arguments: &str) -> Option<(String, String)> {
    const DOCUMENTS: [&str; 5] = [".md", ".markdown", ".txt", ".rst", ".adoc"];
    let Some(Value::Object(fields)) = inner_json::read::<Value>(arguments) else { return None };
    let text = |keys: &[&str]| keys.iter().find_map(|key| fields.get(*key)?.as_str().map(str::to_owned));
    if let Some(plan) = text(&["plan"]).filter(|plan| plan.lines().nth(2).is_some()) {
        return Some(("plan".to_owned(), plan));
    }
    let path = text(&["file_path", "path", "filename", "filePath", "target_file"])?;
    let is_document = DOCUMENTS.iter().any(|end| path.to_ascii_lowercase().ends_with(end));
    let words = text(&["content", "file_text", "contents", "text"])?;
    (is_document && words.lines().nth(2).is_some()).then_some((path, words))
}

fn given(lines: &mut Vec<Line>, text: &str) {
    // A call that the harness refused: the record has the error, and the rest repeats the call.
    if text.starts_with("<tool_use_error>") {
        return;
    }
    let text = readable(text);
    let looks_like_data = text.trim_start().starts_with(['{', '[']);
    match inner_json::read::<Value>(&text) {
        Some(value) if looks_like_data => data(lines, &value, "", 0),
        Some(_) | None => {
            let mut rows = text.lines().peekable();
            let mut is_hunk = false;
            let mut reported: HashSet<String> = HashSet::new();
            while let Some(line) = rows.next() {
                let trimmed = line.trim();
                // A program that reports the same of many things says it once.
                let is_again = line.starts_with('[') && !reported.insert(without_figures(line));
                if is_again || HARNESS.iter().any(|start| trimmed.starts_with(start)) {
                    continue;
                }
                // Of a diff, the lines with their signs are code, whatever they look like.
                is_hunk = line.starts_with("@@ ") || is_hunk && line.starts_with(['+', '-', ' ']);
                if is_hunk
                    || is_of_file(line)
                    || is_bare_heading(trimmed)
                    || is_of_diff(line)
                    || is_tag(trimmed)
                {
                    continue;
                }
                let heads_table =
                    trimmed.starts_with('|') && rows.peek().is_some_and(|next| is_rule(next.trim()));
                let kind = if heads_table {
                    LineKind::Head
                } else if is_code(trimmed) {
                    LineKind::Code
                } else {
                    LineKind::Output
                };
                push(lines, kind, line);
            }
        }
    }
}

/// Whether a line of an output is one of a file, behind its number (`12→…`, with a tab as `cat -n` writes it, or code behind a
/// colon as `grep -n` does): whoever needs it reads the file.
fn is_of_file(line: &str) -> bool {
    let numbered = line.trim_start();
    let rest = numbered.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < numbered.len();
    let is_found = || {
        let found = rest.strip_prefix([':', '-']).map(str::trim_end);
        found.is_some_and(|code| code.ends_with([';', ',']) || code.contains(['(', '{', '}', '[']))
    };
    is_numbered
        && (rest.starts_with('→')
            || is_listed(line)
            || rest.starts_with('\t') && numbered.len() < line.len()
            || is_found())
}

/// A line as others of its kind look: `[parser] line 4 of 9` is like `[parser] line 5 of 9`.
fn without_figures(line: &str) -> String {
    line.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Whether a line is one that a diff writes above its hunks.
fn is_of_diff(line: &str) -> bool {
    ["diff --git ", "index ", "--- ", "+++ ", "new file mode ", "similarity index "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Whether a line begins with a tag: a harness's own words, or markup.
fn is_tag(line: &str) -> bool {
    let name = line.strip_prefix('<').map(|rest| rest.trim_start_matches('/'));
    let name = name.and_then(|rest| rest.split(['>', ' ']).next()).unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// A value on one line, without its quotes.
fn flat(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flat).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key}: {}", flat(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Data as lines, each preceded by the thing that it belongs to.
fn data(lines: &mut Vec<Line>, value: &Value, path: &str, depth: usize) {
    let mut tell = |text: &str| {
        let text = if path.is_empty() { text.to_owned() } else { format!("{path}: {text}") };
        push(lines, LineKind::Output, &text);
    };
    let whole = flat(value);
    let is_small = whole.chars().count() <= LONGEST;
    match value {
        Value::Object(fields) if !is_small && depth < DEEPEST => {
            let path = thing(path, fields);
            let mut line = String::new();
            for (key, value) in fields {
                let field = format!("{key}: {}", flat(value));
                let is_long = field.chars().count() > LONGEST && (value.is_object() || value.is_array());
                if is_long || line.chars().count() + field.chars().count() + path.len() > LONGEST {
                    if !line.is_empty() {
                        push(lines, LineKind::Output, &below(&path, &line));
                        line.clear();
                    }
                    if is_long {
                        let inner = if path.is_empty() { key.clone() } else { format!("{path} {key}") };
                        data(lines, value, clip_chars(&inner, LONGEST), depth + 1);
                        continue;
                    }
                }
                if !line.is_empty() {
                    line.push_str(", ");
                }
                line.push_str(&field);
            }
            if !line.is_empty() {
                push(lines, LineKind::Output, &below(&path, &line));
            }
        }
        Value::Array(items) if !is_small && depth < DEEPEST => {
            for item in items {
                data(lines, item, path, depth + 1);
            }
        }
        Value::String(text) => text.lines().for_each(tell),
        Value::Object(_) | Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => tell(&whole),
    }
}

fn below(path: &str, line: &str) -> String {
    if path.is_empty() { line.to_owned() } else { format!("{path}: {line}") }
}

/// The path to an object, with what distinguishes it from others of its kind: an id, a name, a number.
fn thing(path: &str, fields: &serde_json::Map<String, Value>) -> String {
    let names = |key: &str| {
        let key = key.to_ascii_lowercase();
        ["id", "name", "number", "code", "key", "title"].iter().any(|end| key.ends_with(end))
    };
    let own = fields.iter().filter(|(key, _)| names(key)).find_map(|(_, value)| {
        let text = value.as_str().filter(|text| (1..40).contains(&text.len())).map(one_line);
        text.or_else(|| Some(value.as_number()?.to_string()))
    });
    match own {
        Some(own) if path.is_empty() => own,
        Some(own) => format!("{path} {own}"),
        None => clip_chars(path, LONGEST / 2).to_owned(),
    }
}
