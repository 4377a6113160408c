//! The regenerative strategy: the summary is made again, page by page, from the whole history, and entries
//! that only the old summary has are kept.
//!
//! A page is compressed as a span of its own, so that a history of any length takes the memory of one page
//! and of the summary.

use std::collections::HashSet;
use std::hash::Hash;

use super::candidate::{self, Base, Material, Proposed};
use super::file_history::path_key;
use super::parts::Parts;
use super::summary::{Decision, RequestEntry, Summary};
use anchord_facts::ledger::Facts;
use anchord_facts::wording;

/// The summary with one more page merged, as the base of the next page.
pub fn grow(mut page: Material, facts: Facts, proposed: Proposed) -> Base {
    let draft = candidate::merge_last(&mut page, &facts, proposed);
    let (version, parts, served_tokens) = match page.base {
        Some(base) => (base.version, base.parts, base.served_tokens),
        None => (page.version, Parts::default(), 0),
    };
    Base { version, summary: draft.merged.summary, parts, carry: facts.carry, served_tokens }
}

/// Adds to a fresh record the entries that only the old one has: facts and constraints found by another
/// engine or with other page bounds. Of the narrative only decisions are
/// taken, because a decision stays a fact. They are older than the fresh entries and come first. The cost: a
/// wrong decision stays until a later one reverses it.
pub fn adopt(old: &Summary, fresh: &mut Summary) {
    fresh.ids.clone_from(&old.ids);
    let modified: HashSet<String> = fresh
        .files_modified
        .iter()
        .flat_map(|file| [Some(&file.path), file.renamed_from.as_ref()])
        .flatten()
        .map(|path| path_key(path))
        .collect();
    let missing = |file: &&super::summary::ModifiedFile| !modified.contains(&path_key(&file.path));
    let adopted: Vec<_> = old.files_modified.iter().filter(missing).cloned().collect();
    let keys: HashSet<String> = adopted.iter().map(|file| path_key(&file.path)).collect();
    fresh.files_read.retain(|file| !keys.contains(&path_key(&file.path)));
    fresh.files_modified.splice(0..0, adopted);

    let told: HashSet<String> =
        modified.into_iter().chain(fresh.files_modified.iter().map(|file| path_key(&file.path))).collect();
    let unchanged: Vec<_> =
        old.files_read.iter().filter(|file| !told.contains(&path_key(&file.path))).cloned().collect();
    put_first(&unchanged, &mut fresh.files_read, |file| path_key(&file.path));

    put_first(&old.decisions_made, &mut fresh.decisions_made, Decision::key);
    put_first(&old.errors, &mut fresh.errors, |error| wording::normalized_error(&error.message));
    put_first(&old.test_results, &mut fresh.test_results, |run| wording::one_line(&run.command));
    put_first(&old.requests, &mut fresh.requests, RequestEntry::key);
    put_first(&old.things, &mut fresh.things, anchord_facts::thing::Thing::key);
    put_first(&old.findings, &mut fresh.findings, |finding| wording::normalized(&finding.text));
    put_first(&old.notes, &mut fresh.notes, |note| wording::normalized(&note.text));
    // Also pins and constraints that the caller removed: the merge that follows reports them, so that their
    // probes are retired.
    put_first(&old.constraints, &mut fresh.constraints, |held| {
        (held.source, wording::normalized(&held.text))
    });
    put_first(&old.proposed_constraints, &mut fresh.proposed_constraints, |proposed| {
        wording::normalized(&proposed.text)
    });
}

fn put_first<T: Clone, K: Eq + Hash>(old: &[T], fresh: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let known: HashSet<K> = fresh.iter().map(&key).collect();
    let missing: Vec<T> = old.iter().filter(|entry| !known.contains(&key(entry))).cloned().collect();
    fresh.splice(0..0, missing);
}

#[cfg(test)]
mod tests {
    use super::super::summary::{ModifiedFile, ReadFile};
    use super::*;
    use crate::testing::modified;
    use anchord_facts::ledger::FileAction;
    use anchord_facts::ledger::constraints::{Constraint, ConstraintSource};

    fn file(path: &str, change: &str) -> ModifiedFile {
        modified(path, FileAction::Modified, &[change], 1)
    }

    fn read(path: &str) -> ReadFile {
        ReadFile { path: path.to_owned(), reason: None, seqs: vec![1], session_id: None }
    }

    fn demand(text: &str) -> Constraint {
        let source = ConstraintSource::User;
        Constraint::new(text.to_owned(), text.to_owned(), source, vec![1])
    }

    fn choice(text: &str) -> Decision {
        Decision {
            decision: text.to_owned(),
            rationale: "it is simpler".to_owned(),
            seqs: vec![1],
            ..Decision::default()
        }
    }

    #[test]
    fn what_only_the_old_record_has_is_kept_and_what_is_fresh_wins() {
        let old = Summary {
            session_intent: "an old intent".to_owned(),
            files_modified: vec![file("a.rs", "old"), file("b.rs", "only here")],
            files_read: vec![read("c.rs"), read("d.rs")],
            decisions_made: vec![choice("use a table")],
            constraints: vec![demand("never push"), demand("keep it small")],
            ..Summary::default()
        };
        let mut fresh = Summary {
            session_intent: "a fresh intent".to_owned(),
            files_modified: vec![file("a.rs", "fresh"), file("c.rs", "fresh")],
            files_read: vec![read("b.rs"), read("d.rs")],
            constraints: vec![demand("never push")],
            ..Summary::default()
        };
        adopt(&old, &mut fresh);
        let paths: Vec<(&str, &str)> =
            fresh.files_modified.iter().map(|f| (f.path.as_str(), f.changes[0].as_str())).collect();
        assert_eq!(paths, [("b.rs", "only here"), ("a.rs", "fresh"), ("c.rs", "fresh")]);
        assert_eq!(fresh.files_read.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["d.rs"]);
        assert_eq!(fresh.session_intent, "a fresh intent");
        assert_eq!(fresh.decisions_made, old.decisions_made);
        assert_eq!(fresh.constraints.len(), 2);
        let once = fresh.clone();
        adopt(&old, &mut fresh);
        assert_eq!(fresh, once, "a second time changes nothing");
    }
}
