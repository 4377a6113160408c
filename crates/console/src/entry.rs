//! What a record's entries show: one text, what else is known of it, and the messages that it came from.

use serde_json::Value;

use crate::lost::folded;
use crate::view::{Look as _, line, shown, word};
use crate::whereabouts::Shown;

/// The sections of a record, in the order in which people ask for them, with their names.
pub(crate) const SECTIONS: [(&str, &str); 14] = [
    ("requests", "Requests"),
    ("constraints", "Constraints"),
    ("proposed_constraints", "Proposed constraints"),
    ("decisions_made", "Decisions"),
    ("files_modified", "Files changed"),
    ("files_read", "Files read"),
    ("test_results", "Test runs"),
    ("errors", "Errors"),
    ("blockers", "Blockers"),
    ("open_questions", "Open questions"),
    ("findings", "Findings"),
    ("next_steps", "Next steps"),
    ("things", "Things"),
    ("notes", "Notes"),
];

/// Those that are one entry.
const SINGLE: [(&str, &str); 2] =
    [("session_intent", "What it is about"), ("current_state", "Current state")];

/// The most characters of an entry.
const MOST: usize = 1_500;

/// A section with its entries.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    pub(crate) entries: Vec<Entry>,
    /// How many a bound left out.
    pub(crate) left_out: i64,
}

/// An entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    /// Its id, where it can be dropped by one.
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) state: String,
    pub(crate) more: String,
    pub(crate) seqs: Vec<i64>,
    /// Whether the context of now does not have it; only told of the current version.
    pub(crate) is_unsent: bool,
}

/// The most characters of an entry that must be in a context for the entry to be there: renderings shorten what is long.
const BEGINNING: usize = 40;

/// The beginning of an entry's text as contexts show it, folded.
pub(crate) fn beginning(text: &str) -> String {
    let folded = folded(text);
    if folded.chars().count() <= BEGINNING {
        return folded;
    }
    let cut: String = folded.chars().take(BEGINNING).collect();
    // Not within a word, if there are several.
    cut.rsplit_once(' ').map_or(cut.clone(), |(whole, _)| whole.to_owned())
}

impl Entry {
    /// Reads an entry of any section.
    pub(crate) fn of(value: &Value) -> Self {
        if let Value::String(text) = value {
            return Self { text: shown(text, MOST), ..Self::default() };
        }
        let first = |keys: &[&str]| keys.iter().map(|key| value.text(key)).find(|text| !text.is_empty());
        let text = match (value.text("kind"), value.text("id")) {
            (kind, id) if !value.list("properties").is_empty() => format!("{kind} {id}"),
            _ => first(&["text", "decision", "path", "message", "command", "value"]).unwrap_or_default(),
        };
        let state = first(&["state", "status", "outcome", "action", "source"]).unwrap_or_default();
        let seqs = value.list("seqs").iter().filter_map(Value::as_i64).collect();
        Self {
            id: value.text("id"),
            text: shown(&text, MOST),
            state: word(&state),
            more: shown(&more(value), MOST),
            seqs,
            is_unsent: false,
        }
    }
}

/// What else is known of an entry.
fn more(value: &Value) -> String {
    let mut told: Vec<String> = Vec::new();
    for (key, words) in [
        ("rationale", "because"),
        ("purpose", "for"),
        ("reason", ""),
        ("resolution", "resolved:"),
        ("location", "at"),
        ("superseded_by", "superseded by"),
        ("renamed_from", "was"),
        ("speaker", "said by"),
        ("key", ""),
    ] {
        let text = value.text(key);
        if !text.is_empty() {
            told.push(format!("{words} {text}").trim().to_owned());
        }
    }
    if !value.text("state").is_empty() && !value.text("outcome").is_empty() {
        told.push(value.text("outcome"));
    }
    for key in ["changes", "alternatives", "failing", "replaces"] {
        let all: Vec<String> =
            value.list(key).iter().filter_map(Value::as_str).map(|text| line(text, 200)).collect();
        if !all.is_empty() {
            told.push(format!("{}: {}", word(key), all.join("; ")));
        }
    }
    for property in value.list("properties") {
        let was = property.text("was");
        let was = if was.is_empty() { was } else { format!(" (was {was})") };
        told.push(format!("{}: {}{was}", property.text("name"), property.text("value")));
    }
    for (key, words) in [("passed", "passed"), ("failed", "failed")] {
        if let Some(n) = value.get(key).and_then(Value::as_i64) {
            told.push(format!("{n} {words}"));
        }
    }
    told.join(" · ")
}

/// The sections whose entries are files.
pub(crate) const FILES: [&str; 2] = ["files_modified", "files_read"];

impl Entry {
    /// Whether it is shown as another one is.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        (&self.text, &self.state, &self.more) == (&other.text, &other.state, &other.more)
    }

    /// What must be in a context for an entry of a section to be there, folded.
    pub(crate) fn mark(&self, section: &str) -> String {
        // Files of a folder stand together, and a thing is known by its id.
        beginning(match section {
            section if FILES.contains(&section) => self.text.rsplit(['/', '\\']).next().unwrap_or_default(),
            "things" if !self.id.is_empty() => &self.id,
            _ => &self.text,
        })
    }
}

/// Marks the entries that a context does not have.
pub(crate) fn mark_unsent(sections: &mut [Section], context: &Shown) {
    for section in sections {
        for entry in &mut section.entries {
            entry.is_unsent = !context.has(&entry.mark(section.key), &entry.seqs);
        }
    }
}

/// The record's entries by section, without empty sections.
pub(crate) fn sections(record: &Value) -> Vec<Section> {
    let left_out = record.under("left_out");
    let mut all: Vec<Section> = Vec::new();
    let seqs = |key: &str| record.list(key).iter().filter_map(Value::as_i64).collect::<Vec<_>>();
    let intent = record.text("session_intent");
    if !intent.is_empty() {
        let entry =
            Entry { text: shown(&intent, MOST), seqs: seqs("session_intent_seqs"), ..Entry::default() };
        all.push(Section {
            key: "session_intent",
            name: "What it is about",
            entries: vec![entry],
            left_out: 0,
        });
    }
    let state = record.under("current_state");
    if !state.text("text").is_empty() {
        let mut entries = vec![Entry { state: state.text("phase"), ..Entry::of(state) }];
        entries.extend(state.list("since").iter().map(Entry::of));
        all.push(Section { key: "current_state", name: "Current state", entries, left_out: 0 });
    }
    for (key, name) in SECTIONS {
        let mut entries: Vec<Entry> = record.list(key).iter().map(Entry::of).collect();
        if key == "next_steps"
            && let Some(first) = entries.first_mut()
        {
            first.seqs = seqs("next_steps_seqs");
        }
        let left_out = left_out.whole(key);
        if !entries.is_empty() || left_out > 0 {
            all.push(Section { key, name, entries, left_out });
        }
    }
    all
}

/// A section's name.
pub(crate) fn name_of(key: &str) -> String {
    let known = SECTIONS.iter().chain(&SINGLE).find(|(known, _)| *known == key);
    known.map_or_else(|| word(key), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_entry_is_unsent_when_its_beginning_is_nowhere() {
        let record = json!({
            "requests": [{"text": "use port 8080 for the service and nothing else behind it, please", "seqs": [2]}],
            "findings": [{"text": "the cache is cold", "seqs": [3]}],
            "files_read": [{"path": "src/deep/a.rs", "seqs": [4]}],
            "things": [{"kind": "order", "id": "o1", "properties": [{"name": "sum", "value": "3"}], "seqs": [5]}]
        });
        let mut all = sections(&record);
        mark_unsent(
            &mut all,
            &Shown::of(&json!({"messages": [{"content":
                "- Use port 8080 for the service  and nothing … it\nsrc/deep: a.rs\norder O1"}]})),
        );
        let unsent: Vec<(&str, bool)> =
            all.iter().map(|section| (section.key, section.entries[0].is_unsent)).collect();
        assert_eq!(
            unsent,
            [("requests", false), ("files_read", false), ("findings", true), ("things", false)]
        );
    }

    #[test]
    fn each_kind_of_entry_has_its_text_and_its_messages() {
        let record = json!({
            "session_intent": "ship it", "session_intent_seqs": [1],
            "requests": [{"text": "use port 8080", "state": "open", "seqs": [2]}],
            "files_modified": [{"path": "a.rs", "action": "modified", "changes": ["x"], "seqs": [3, 4]}],
            "things": [{"kind": "order", "id": "o1", "properties": [{"name": "sum", "value": "3", "was": "2"}], "seqs": [5]}],
            "next_steps": ["test"], "next_steps_seqs": [6],
            "left_out": {"errors": 2}
        });
        let all = sections(&record);
        let keys: Vec<&str> = all.iter().map(|section| section.key).collect();
        assert_eq!(keys, ["session_intent", "requests", "files_modified", "errors", "next_steps", "things"]);
        assert_eq!(
            (all[1].entries[0].text.as_str(), all[1].entries[0].state.as_str()),
            ("use port 8080", "open")
        );
        assert_eq!(all[2].entries[0].seqs, [3, 4]);
        assert_eq!(all[3].left_out, 2);
        assert_eq!(
            (all[5].entries[0].text.as_str(), all[5].entries[0].more.as_str()),
            ("order o1", "sum: 3 (was 2)")
        );
        assert_eq!(all[4].entries[0].seqs, [6]);
    }
}
