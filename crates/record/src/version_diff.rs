//! The difference between two versions: what was added, changed and dropped, section by section.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::file_history::path_key;
use super::section::Section;
use super::summary::Summary;
use anchord_facts::wording;

/// The difference between two versions; sections without one are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SummaryDiffSections)]
pub struct SummaryDiff {
    /// The sections that differ, in the order of the document.
    pub sections: Vec<SectionDiff>,
}

/// The difference within one section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SummarySectionDiff)]
pub struct SectionDiff {
    /// The section.
    pub section: Section,
    /// Entries that only the later version has.
    pub added: Vec<Value>,
    /// Entries that both have, in another form.
    pub changed: Vec<ChangedEntry>,
    /// Entries that only the earlier version has.
    pub dropped: Vec<Value>,
}

/// An entry before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SummaryEntryChange)]
pub struct ChangedEntry {
    /// What makes it the same entry: a path, a decision's text, a command …
    pub key: String,
    /// The earlier form.
    pub from: Value,
    /// The later form.
    pub to: Value,
}

/// Compares two documents.
pub fn diff(from: &Summary, to: &Summary) -> SummaryDiff {
    let sections = Section::ALL.iter().filter_map(|&section| {
        let (before, after) = (entries(from, section), entries(to, section));
        compare(section, before, after)
    });
    SummaryDiff { sections: sections.collect() }
}

fn compare(
    section: Section,
    before: Vec<(String, Value)>,
    after: Vec<(String, Value)>,
) -> Option<SectionDiff> {
    let mut earlier: HashMap<String, Value> = HashMap::with_capacity(before.len());
    let mut order: Vec<String> = Vec::with_capacity(before.len());
    for (key, value) in before {
        order.push(key.clone());
        earlier.insert(key, value);
    }
    let mut found = SectionDiff { section, added: Vec::new(), changed: Vec::new(), dropped: Vec::new() };
    for (key, value) in after {
        match earlier.remove(&key) {
            Some(was) if was == value => {}
            Some(was) => found.changed.push(ChangedEntry { key, from: was, to: value }),
            None => found.added.push(value),
        }
    }
    found.dropped = order.iter().filter_map(|key| earlier.remove(key)).collect();
    (!found.added.is_empty() || !found.changed.is_empty() || !found.dropped.is_empty()).then_some(found)
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// A section's entries, each under its key in other versions.
fn entries(summary: &Summary, section: Section) -> Vec<(String, Value)> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    // Two entries with the same key stay two entries.
    let mut unique = |key: String| {
        let n = seen.entry(key.clone()).or_insert(0);
        *n += 1;
        if *n == 1 { key } else { format!("{key} #{n}") }
    };
    macro_rules! list {
        ($field:ident, |$entry:ident| $key:expr) => {
            summary.$field.iter().map(|$entry| (unique($key), json($entry))).collect()
        };
    }
    match section {
        Section::SessionIntent if summary.session_intent.is_empty() => Vec::new(),
        Section::SessionIntent => vec![("session_intent".to_owned(), json(&summary.session_intent))],
        Section::CurrentState if summary.current_state == super::summary::CurrentState::default() => {
            Vec::new()
        }
        Section::CurrentState => vec![("current_state".to_owned(), json(&summary.current_state))],
        Section::Requests => list!(requests, |e| wording::normalized(&e.text)),
        // A renamed file is another entry, under its new path; the old one is dropped.
        Section::FilesModified => list!(files_modified, |e| path_key(&e.path)),
        Section::FilesRead => list!(files_read, |e| path_key(&e.path)),
        Section::DecisionsMade => list!(decisions_made, |e| wording::normalized(&e.decision)),
        Section::Errors => list!(errors, |e| wording::normalized_error(&e.message)),
        Section::TestResults => list!(test_results, |e| wording::one_line(&e.command)),
        Section::Blockers => list!(blockers, |e| wording::normalized(&e.text)),
        Section::NextSteps => list!(next_steps, |e| wording::normalized(e)),
        Section::OpenQuestions => list!(open_questions, |e| wording::normalized(&e.text)),
        Section::Findings => list!(findings, |e| wording::normalized(&e.text)),
        Section::Things => list!(things, |e| format!("{} {}", e.kind, e.id).trim().to_owned()),
        Section::Notes => list!(notes, |e| wording::normalized(&e.text)),
        Section::Constraints => list!(constraints, |e| e.id.clone()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::summary::{CurrentState, ModifiedFile};
    use super::*;
    use crate::testing::modified;
    use anchord_facts::ledger::FileAction;
    use anchord_facts::thing::Property;
    use anchord_facts::thing::Thing;

    fn file(path: &str, changes: &[&str]) -> ModifiedFile {
        modified(path, FileAction::Modified, changes, 1)
    }

    #[test]
    fn a_version_does_not_differ_from_itself() {
        let summary = Summary { files_modified: vec![file("a", &["x"])], ..Summary::default() };
        assert_eq!(diff(&summary, &summary), SummaryDiff::default());
    }

    #[test]
    fn what_came_what_changed_and_what_went_is_told_apart() {
        let from = Summary {
            files_modified: vec![file("a", &["x"]), file("b", &[])],
            next_steps: vec!["one".into()],
            current_state: CurrentState { text: "half".into(), ..CurrentState::default() },
            ..Summary::default()
        };
        let to = Summary {
            files_modified: vec![file("a", &["x", "y"]), file("c", &[])],
            next_steps: vec!["two".into()],
            current_state: CurrentState { text: "whole".into(), ..CurrentState::default() },
            ..Summary::default()
        };
        let found = diff(&from, &to);
        let by = |s| found.sections.iter().find(|d| d.section == s).unwrap();
        let files = by(Section::FilesModified);
        assert_eq!(files.changed[0].key, "a");
        assert_eq!(files.added[0]["path"], "c");
        assert_eq!(files.dropped[0]["path"], "b");
        assert_eq!(by(Section::NextSteps).added, ["two"]);
        assert_eq!(by(Section::NextSteps).dropped, ["one"]);
        assert_eq!(by(Section::CurrentState).changed.len(), 1);
        assert_eq!(found.sections.len(), 3);
    }

    #[test]
    fn a_thing_that_is_known_changes_and_another_one_is_added() {
        let fact = |id: &str, value: &str| Thing {
            id: id.into(),
            properties: vec![Property::new("", value)],
            ..Thing::default()
        };
        let from =
            Summary { things: vec![fact("port", "1"), fact("a", ""), fact("b", "")], ..Summary::default() };
        let to = Summary {
            things: vec![fact("port", "2"), fact("a", ""), fact("b", ""), fact("c", "")],
            ..Summary::default()
        };
        let found = diff(&from, &to);
        assert_eq!(found.sections[0].changed.len(), 1);
        assert_eq!(found.sections[0].added.len(), 1);
        assert!(found.sections[0].dropped.is_empty());
    }

    proptest! {
        #[test]
        fn added_one_way_is_dropped_the_other(
            a in proptest::collection::vec("[a-c]{1,2}", 0..6), b in proptest::collection::vec("[a-c]{1,2}", 0..6),
        ) {
            let of = |steps: &Vec<String>| Summary { next_steps: steps.clone(), ..Summary::default() };
            let count = |d: &SummaryDiff| d.sections.first().map_or((0, 0), |s| (s.added.len(), s.dropped.len()));
            let (there, back) = (diff(&of(&a), &of(&b)), diff(&of(&b), &of(&a)));
            prop_assert_eq!(count(&there), (count(&back).1, count(&back).0));
        }
    }
}
