//! Exams: whether a reader who knows only a context could answer what the work needs.
//!
//! A question counts as known when all of its facts stand together in the context. Two contexts of equal size are asked
//! the same, which no reader could work with, or which need no service: the newest messages alone, and half of them
//! beside a list of rare words.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::Value;

/// How far apart the facts of one question may stand, in characters.
const TOGETHER: usize = 600;
/// The shortest text that a control has.
const LEAST_CONTROL: usize = 400;
/// How often a word is said at most that counts as rare.
const RARE: usize = 6;

/// Questions whose facts stand together: in the context, and in its two controls.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    /// Questions asked.
    pub questions: usize,
    /// Known from the context.
    pub context: usize,
    /// Known from the newest messages alone.
    pub tail: usize,
    /// Known from half of them and rare words.
    pub words: usize,
}

/// Asks an exam of a context, and of controls made from the session's messages.
pub fn known(exam: &Value, context: &[Value], session: &[Value]) -> Known {
    let marked = |message: &Value| {
        let role = message["role"].as_str().unwrap_or_default();
        format!("<{role}>\n{}\n</{role}>", content(message))
    };
    let context = context.iter().map(marked).collect::<Vec<_>>().join("\n");
    let (tail, words) = controls(session, context.chars().count());
    let [context, tail, words] = [context, tail, words].map(|text| plain(&text));
    let mut known = Known::default();
    for question in list(&exam["questions"]) {
        let facts: Vec<Vec<String>> = list(&question["facts"])
            .map(|spellings| list(spellings).filter_map(Value::as_str).map(plain).collect())
            .collect();
        let holds = |text: &str| usize::from(stand_together(text, &facts));
        known.questions += 1;
        known.context += holds(&context);
        known.tail += holds(&tail);
        known.words += holds(&words);
    }
    known
}

/// The text of a message and of its calls.
pub fn content(message: &Value) -> String {
    let mut text = match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().map(|part| part["text"].as_str().unwrap_or_default()).collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    };
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let word = |name: &str| {
            call.pointer(&format!("/function/{name}")).and_then(Value::as_str).unwrap_or_default()
        };
        let _ = write!(text, "\n[calls {}] {}", word("name"), word("arguments"));
    }
    text
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The text in small letters, with one space for what markup and quotation put between words.
pub fn plain(text: &str) -> String {
    let is_between = |c: char| c.is_whitespace() || "`*_\"'’,".contains(c);
    let words: Vec<&str> = text.split(is_between).filter(|word| !word.is_empty()).collect();
    words.join(" ").to_lowercase()
}

/// Whether each fact stands in the text by one of its spellings, all of them near each other.
pub fn stand_together(text: &str, facts: &[Vec<String>]) -> bool {
    let places = |spellings: &Vec<String>| -> Vec<usize> {
        let spellings = spellings.iter().filter(|spelling| !spelling.is_empty());
        let mut places: Vec<usize> =
            spellings.flat_map(|spelling| text.match_indices(spelling.as_str()).map(|(at, _)| at)).collect();
        places.sort_unstable();
        places
    };
    let found: Vec<Vec<usize>> = facts.iter().map(places).collect();
    if let [places] = found.as_slice() {
        return !places.is_empty();
    }
    found.iter().flatten().any(|start| {
        let end = text[*start..].char_indices().nth(TOGETHER).map_or(text.len(), |(bytes, _)| start + bytes);
        let is_near = |places: &Vec<usize>| {
            places.get(places.partition_point(|place| place < start)).is_some_and(|place| *place <= end)
        };
        found.iter().all(is_near)
    })
}

/// The newest messages alone, and half of them with the session's rarer words.
fn controls(session: &[Value], size: usize) -> (String, String) {
    let is_system = |message: &&Value| matches!(message["role"].as_str(), Some("system" | "developer"));
    // The context has them too.
    let system: usize =
        session.iter().filter(is_system).map(|message| content(message).chars().count()).sum();
    let size = size.saturating_sub(system).max(LEAST_CONTROL);
    let said: Vec<String> = session.iter().filter(|message| !is_system(message)).map(content).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut in_order = Vec::new();
    for word in
        said.iter().flat_map(|text| text.split(|c: char| c.is_whitespace() || "\"'`(){}[],;".contains(c)))
    {
        let count = counts.entry(word).or_default();
        *count += 1;
        if *count == 1 {
            in_order.push(word);
        }
    }
    let rare =
        |word: &&str| counts.get(*word).is_some_and(|count| *count <= RARE) && word.chars().count() > 2;
    let rare: String =
        in_order.into_iter().filter(rare).collect::<Vec<_>>().join(" ").chars().take(size / 2).collect();
    let said = said.join("\n");
    let end = |length: usize| -> String {
        said.chars().skip(said.chars().count().saturating_sub(length)).collect()
    };
    let words = format!("{}\n{rare}", end(size - rare.chars().count()));
    (end(size), words)
}
