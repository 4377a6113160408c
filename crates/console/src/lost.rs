//! What the originals have and a context does not show: facts, and people's words.

use std::collections::HashSet;

use anchord_economy::kept;
use serde_json::Value;

use crate::message;
use crate::view::{Look as _, shown};

/// A text as it is compared. Characters that pages name are named here, too, for a context is compared as it is shown.
pub(crate) fn folded(text: &str) -> String {
    kept::folded(&shown(text, usize::MAX))
}

/// The kinds, in the order in which people miss them.
pub(crate) const ORDER: [&str; 7] = ["words", "constraint", "figure", "error", "test run", "file", "command"];

/// Something that is nowhere in the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lost {
    /// Its kind, for people.
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    /// What a context must have of it for it to be there.
    pub(crate) mark: String,
    pub(crate) seqs: Vec<i64>,
}

/// Facts of the ledger that a context's text does not have.
pub(crate) fn facts(ledger: &[Value], context: &str) -> Vec<Lost> {
    let mut seen = HashSet::new();
    ledger
        .iter()
        .filter_map(|fact| {
            let (kind, text, shown) = fact_of(fact)?;
            let is_lost = !text.is_empty() && !is_in(&text, context);
            let seqs = fact.list("seqs").iter().filter_map(Value::as_i64).collect();
            (is_lost && seen.insert((kind, shown.clone()))).then_some(Lost {
                kind,
                text: shown,
                mark: text,
                seqs,
            })
        })
        .collect()
}

/// A fact's kind, what must be in a context for the fact to be there, and what is shown of it.
pub(crate) fn fact_of(fact: &Value) -> Option<(&'static str, String, String)> {
    let one = |kind, key: &str| {
        let text = fact.text(key);
        Some((kind, text.clone(), text))
    };
    match fact.text("kind").as_str() {
        "file" => {
            // Renderings put files of a folder together, so that a name alone is enough.
            let path = fact.text("path");
            let name = path.rsplit(['/', '\\']).next().unwrap_or(&path).to_owned();
            Some(("file", name, path))
        }
        "command" => one("command", "command"),
        "test_run" => one("test run", "command"),
        "error" => one("error", "message"),
        "constraint" => one("constraint", "text"),
        "identifier" => {
            let (key, value) = (fact.text("key"), fact.text("value"));
            Some(("figure", value.clone(), format!("{key}: {value}")))
        }
        _ => None,
    }
}

/// Whether a folded context has a text.
fn is_in(text: &str, context: &str) -> bool {
    context.contains(&folded(text))
}

/// The least words of a sentence that counts.
const LEAST_WORDS: usize = 3;

/// People's words that a context does not have: of each of their messages the sentences that are nowhere in it.
pub(crate) fn words(messages: &[Value], context: &str) -> Vec<Lost> {
    let mut all = Vec::new();
    for stored in messages.iter().filter(|stored| stored.text("role") == "user") {
        let body = stored.under("message");
        // What a tool returned is in a user's message in one of the formats.
        let said: Vec<String> = message::parts(body, usize::MAX)
            .into_iter()
            .filter(|part| part.kind == "text")
            .map(|part| part.text)
            .collect();
        for sentence in said.iter().flat_map(|text| sentences(text)) {
            let counts = sentence.split_whitespace().count() >= LEAST_WORDS;
            if counts && !is_in(sentence, context) {
                let (text, seqs) = (sentence.to_owned(), vec![stored.whole("seq")]);
                all.push(Lost { kind: "words", mark: text.clone(), text, seqs });
            }
        }
    }
    all
}

/// The lines and sentences of a text.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split_inclusive(['。', '！', '？']).flat_map(latin)).map(str::trim)
}

/// Splits behind a mark that a space follows.
fn latin(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    let bytes = text.as_bytes();
    for at in 1..bytes.len() {
        let ends = bytes.get(at) == Some(&b' ') && bytes.get(at - 1).is_some_and(|b| b".!?".contains(b));
        if ends {
            out.extend(text.get(from..at));
            from = at;
        }
    }
    out.extend(text.get(from..));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_fact_is_lost_when_its_text_is_nowhere() {
        let ledger = [
            json!({"kind": "file", "path": "src/a.rs", "seqs": [1]}),
            json!({"kind": "file", "path": "src/b.rs", "seqs": [2]}),
            json!({"kind": "identifier", "key": "port", "value": "5433", "seqs": [3]}),
        ];
        let lost = facts(&ledger, &folded("changed SRC/a.rs  today"));
        let texts: Vec<&str> = lost.iter().map(|lost| lost.text.as_str()).collect();
        assert_eq!(texts, ["src/b.rs", "port: 5433"]);
    }

    #[test]
    fn of_peoples_words_the_sentences_are_lost_that_are_nowhere() {
        let messages = [
            json!({"role": "user", "seq": 4, "message": {"content": "Use port 5433 please. Keep the old name.\nOK?"}}),
            json!({"role": "assistant", "seq": 5, "message": {"content": "never mind what I say"}}),
        ];
        let lost = words(&messages, &folded("he said: use port 5433 please."));
        let text = "Keep the old name.".to_owned();
        assert_eq!(lost, [Lost { kind: "words", mark: text.clone(), text, seqs: vec![4] }]);
    }
}
