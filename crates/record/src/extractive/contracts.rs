//! The contracts that a plan fixes word for word (signatures, types, API contracts, data models), as things.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::text::clip;
use anchord_facts::pattern;
use anchord_facts::thing::Thing;
use anchord_messages::message::{Numbered, Role};

/// The most contracts of one span: the latest.
const MAX_NOTES: usize = 60;
/// The longest line that counts as a contract, in bytes; a longer one is data.
const MAX_LINE: usize = 300;

static KINDS: LazyLock<[(&str, Regex); 4]> = LazyLock::new(|| {
    [
        (
            "endpoint",
            pattern::unicode(r"^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+/[\w{}:<>*./\[\]?=&-]*"),
        ),
        (
            "data model",
            pattern::unicode(
                r"(?i)^(?:create\s+(?:unique\s+)?(?:table|index|type|view)|alter\s+table|message)\s+[\w.]+",
            ),
        ),
        (
            "signature",
            pattern::unicode(
                r"^(?:pub(?:\([a-z: ]+\))?\s+|export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|abstract\s+|async\s+|const\s+|unsafe\s+|override\s+)*(?:fn|def|func|function|fun)\s+(?:\([^()]{0,80}\)\s*)?\w+\s*(?:<[^()]{0,80}>)?\s*\(",
            ),
        ),
        (
            "type",
            pattern::unicode(
                r"^(?:pub(?:\([a-z: ]+\))?\s+|export\s+|default\s+|public\s+|abstract\s+|sealed\s+|data\s+|final\s+)*(?:struct|enum|trait|interface|class|record|protocol|typedef)\s+[A-Z]\w*|^(?:pub\s+|export\s+)?type\s+[A-Z]\w*(?:<[^=]{0,80}>)?\s*(?:=|struct|interface)",
            ),
        ),
    ]
});

/// The contracts that people and the model wrote, each once, the latest last. The ledger reads those that
/// tools print.
pub fn things(span: &[Numbered]) -> Vec<Thing> {
    let mut found: Vec<Thing> = Vec::new();
    for Numbered { seq, message } in span {
        if !matches!(message.role, Role::User | Role::Assistant) {
            continue;
        }
        for line in message.text().lines() {
            let line = line
                .trim()
                .trim_start_matches(['-', '*', '+', '`', ' ', '|'])
                .trim_end_matches(['`', '|', ' ', '{']);
            if line.len() > MAX_LINE || line.len() < 5 {
                continue;
            }
            if let Some((kind, _)) = KINDS.iter().find(|(_, pattern)| pattern.is_match(line)) {
                let value = clip(line.trim_end(), MAX_LINE);
                found.push(Thing {
                    kind: (*kind).to_owned(),
                    id: value,
                    seqs: vec![*seq],
                    ..Thing::default()
                });
            }
        }
    }
    let mut seen = BTreeSet::new();
    let mut notes: Vec<Thing> = found
        .into_iter()
        .rev()
        .filter(|fact| seen.insert((fact.kind.clone(), fact.id.clone())))
        .take(MAX_NOTES)
        .collect();
    notes.reverse();
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchord_messages::format::{self, Format};

    #[test]
    fn signatures_types_endpoints_and_models_are_told_word_for_word() {
        let text = "The plan:\n```rust\npub async fn rotate(key: KeyId, at: Instant) -> Result<Key, Error> {\n\
                    pub struct Session {\n```\n- `POST /v1/sessions/{id}/rotate`\n\
                    CREATE TABLE tokens (id uuid primary key)\ndef load(path: str) -> dict:\n\
                    export interface Token {\nI will make a function of it. Class dismissed.";
        let body = serde_json::json!({"role": "assistant", "content": text}).to_string();
        let span = [Numbered { seq: 4, message: format::parse(Format::OpenaiChat, &body).unwrap() }];
        let told: Vec<(String, String)> = things(&span).into_iter().map(|f| (f.kind, f.id)).collect();
        let expected = [
            ("signature", "pub async fn rotate(key: KeyId, at: Instant) -> Result<Key, Error>"),
            ("type", "pub struct Session"),
            ("endpoint", "POST /v1/sessions/{id}/rotate"),
            ("data model", "CREATE TABLE tokens (id uuid primary key)"),
            ("signature", "def load(path: str) -> dict:"),
            ("type", "export interface Token"),
        ];
        let expected: Vec<(String, String)> =
            expected.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        assert_eq!(told, expected);
    }
}
