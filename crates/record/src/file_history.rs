//! The history of files, in which composing changes gives the same result for any grouping.
//!
//! A fact about a file states whether it existed before and exists after, and whether anything changed
//! between. Composing two facts keeps the first's before and the last's after, so that it does not matter how
//! a session is cut into spans: `(a then b) then c` is `a then (b then c)`.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::summary::ModifiedFile;
use anchord_facts::ledger::{FileAction, FileFact};
use anchord_facts::wording::join_seqs;

/// The entry for a changed file that a summary lost, from the ledger; `None` when it was only read.
pub(super) fn restored(fact: &FileFact) -> Option<ModifiedFile> {
    Some(ModifiedFile::of(fact.clone(), fact.action?))
}

/// Whether a file existed before its first event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    There,
    Absent,
    /// A tool that does not say so wrote the whole file. `true` when nothing else happened to it, which
    /// counts as a creation; a file that was changed again is not called new without evidence.
    Unknown(bool),
}

fn before(fact: &FileFact) -> Before {
    match fact.action {
        Some(FileAction::Created) if fact.overwrite_possible => Before::Unknown(true),
        Some(FileAction::Deleted | FileAction::Modified) if fact.overwrite_possible => Before::Unknown(false),
        Some(FileAction::Created) => Before::Absent,
        Some(FileAction::Deleted) if fact.transient => Before::Absent,
        Some(FileAction::Deleted | FileAction::Modified | FileAction::Renamed) | None => Before::There,
    }
}

/// Composes two facts about one file, the earlier one first.
///
/// When `later` is a rename, `earlier` is the history of the path that it came from.
pub fn compose(earlier: FileFact, later: FileFact) -> FileFact {
    let (was_changed, is_changed) = (earlier.action.is_some(), later.action.is_some());
    let start = before(&earlier);
    let gone = later.action == Some(FileAction::Deleted);
    let path = later.path;
    let renamed_from = earlier.renamed_from.or(later.renamed_from).filter(|from| *from != path);
    // A file that was only read existed.
    let action = match start {
        _ if !was_changed && !is_changed => None,
        _ if gone => Some(FileAction::Deleted),
        Before::Absent => Some(FileAction::Created),
        Before::Unknown(true) if !is_changed => Some(FileAction::Created),
        Before::There if renamed_from.is_some() => Some(FileAction::Renamed),
        Before::There | Before::Unknown(_) => Some(FileAction::Modified),
    };
    let mut changes = earlier.changes;
    append_distinct(&mut changes, later.changes);
    // A changed file refers only to the messages that changed it, not to those that read it.
    let seqs = match (was_changed, is_changed) {
        (true, false) => earlier.seqs,
        (false, true) => later.seqs,
        (true, true) | (false, false) => {
            let mut seqs = earlier.seqs;
            join_seqs(&mut seqs, &later.seqs);
            seqs
        }
    };
    FileFact {
        path,
        action,
        overwrite_possible: matches!(start, Before::Unknown(_)),
        renamed_from,
        transient: gone && matches!(start, Before::Absent | Before::Unknown(_)),
        changes,
        reason: earlier.reason.or(later.reason),
        seqs,
    }
}

fn append_distinct(changes: &mut Vec<String>, more: Vec<String>) {
    if more.is_empty() {
        return;
    }
    let mut seen: HashSet<&str> = changes.iter().map(String::as_str).collect();
    let is_new: Vec<bool> = more.iter().map(|c| !c.trim().is_empty() && seen.insert(c)).collect();
    changes.extend(more.into_iter().zip(is_new).filter_map(|(change, is_new)| is_new.then_some(change)));
}

/// A path in one spelling: forward slashes, no leading `./`, no doubled slashes.
pub fn path_key(path: &str) -> String {
    identity(path).into_owned()
}

/// The same, borrowed where the path is in this spelling already.
pub fn identity(path: &str) -> Cow<'_, str> {
    let path = path.trim();
    // Most paths are.
    let mut before = 0;
    let is_spelt = path.bytes().all(|byte| {
        let doubled = byte == b'/' && before == b'/';
        before = byte;
        byte != b'\\' && !doubled
    });
    if is_spelt && !path.starts_with("./") {
        return Cow::Borrowed(path);
    }
    let path = path.replace('\\', "/");
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        if c != '/' || !out.ends_with('/') {
            out.push(c);
        }
    }
    while let Some(rest) = out.strip_prefix("./") {
        out = rest.to_owned();
    }
    Cow::Owned(out)
}

/// A set of files, by their paths in one spelling.
#[derive(Clone, Debug)]
pub struct PathSet(HashSet<String, foldhash::fast::RandomState>);

impl PathSet {
    /// The files of these paths.
    pub fn of<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        Self(paths.map(path_key).collect())
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a path is in the set, in any spelling.
    pub fn contains(&self, path: &str) -> bool {
        self.0.contains(identity(path).as_ref())
    }
}

/// Every file of a session, in the order of first appearance.
#[derive(Clone, Debug, Default)]
pub struct FileHistory {
    files: Vec<Option<FileFact>>,
    at: HashMap<String, usize>,
    left: BTreeSet<String>,
}

impl FileHistory {
    /// Starts from facts that are composed over the whole session, with no rename left to apply.
    pub fn of(files: Vec<FileFact>) -> Self {
        let mut history = Self::default();
        for fact in files {
            history.at.insert(path_key(&fact.path), history.files.len());
            history.files.push(Some(fact));
        }
        history
    }

    /// Adds one event.
    pub fn push(&mut self, event: FileFact) {
        self.extend(vec![event]);
    }

    /// Adds a later span, with one composed fact per file.
    ///
    /// All renames of the span apply to the files before it at once, so that two files may swap names.
    pub fn extend(&mut self, span: Vec<FileFact>) {
        let sources: HashSet<String> = span
            .iter()
            .filter_map(|f| f.renamed_from.as_deref().map(path_key).filter(|from| *from != path_key(&f.path)))
            .collect();
        let mut moved: HashMap<String, (usize, FileFact)> = HashMap::new();
        for source in &sources {
            let Some(slot) = self.at.remove(source) else { continue };
            let Some(place) = self.files.get_mut(slot) else { continue };
            let Some(fact) = place.take() else { continue };
            // The session created the file under its old name, so that name is transient.
            if fact.action.is_some() && matches!(before(&fact), Before::Absent | Before::Unknown(_)) {
                *place = Some(FileFact {
                    action: Some(FileAction::Deleted),
                    transient: true,
                    renamed_from: None,
                    changes: Vec::new(),
                    reason: None,
                    ..fact.clone()
                });
                self.at.insert(source.clone(), slot);
                moved.insert(source.clone(), (usize::MAX, fact));
            } else {
                moved.insert(source.clone(), (slot, fact));
            }
        }
        for fact in span {
            let key = path_key(&fact.path);
            // The entry of the new name stands for the old one too.
            if sources.contains(&key) && fact.action == Some(FileAction::Deleted) && !fact.transient {
                continue;
            }
            let source = fact.renamed_from.as_deref().map(path_key).filter(|from| *from != key);
            let old = self.at.get(&key).copied();
            let (slot, fact) = match source {
                // The file that had the new name before is overwritten, and its own history ends.
                Some(source) => match moved.remove(&source) {
                    Some((slot, earlier)) => {
                        (old.unwrap_or(slot.min(self.files.len())), compose(earlier, fact))
                    }
                    None => (old.unwrap_or(self.files.len()), fact),
                },
                None => match old.and_then(|slot| Some((slot, self.files.get_mut(slot)?.take()?))) {
                    Some((slot, earlier)) => {
                        let spelt = earlier.path.clone();
                        (slot, FileFact { path: spelt, ..compose(earlier, fact) })
                    }
                    None => (self.files.len(), fact),
                },
            };
            match self.files.get_mut(slot) {
                Some(place) => *place = Some(fact),
                None => self.files.push(Some(fact)),
            }
            self.at.insert(key, slot);
        }
        self.left.extend(sources);
    }

    /// Removes a file as if nothing had ever happened to it.
    pub fn withdraw(&mut self, path: &str) {
        let key = path_key(path);
        if let Some(place) = self.at.remove(&key).and_then(|slot| self.files.get_mut(slot)) {
            *place = None;
            self.left.insert(key);
        }
    }

    /// The path keys of files that were renamed or withdrawn; new files may have the same paths.
    pub fn left(&self) -> &BTreeSet<String> {
        &self.left
    }

    /// The facts in their order, with `None` for a file that was renamed or withdrawn.
    pub fn into_places(self) -> Vec<Option<FileFact>> {
        self.files
    }

    /// The facts, one per file.
    pub fn into_facts(self) -> Vec<FileFact> {
        self.files.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::testing::file_fact;

    fn fact(path: &str, action: Option<FileAction>, seq: i64) -> FileFact {
        let changes = action.map(|a| format!("{} {seq}", a.as_str())).into_iter().collect();
        FileFact { changes, ..file_fact(path, action, seq) }
    }

    const READ: Option<FileAction> = None;
    const CREATED: Option<FileAction> = Some(FileAction::Created);
    const MODIFIED: Option<FileAction> = Some(FileAction::Modified);
    const DELETED: Option<FileAction> = Some(FileAction::Deleted);

    #[rstest]
    #[case(READ, MODIFIED, MODIFIED, false)]
    #[case(READ, CREATED, MODIFIED, false)]
    #[case(READ, READ, READ, false)]
    #[case(READ, DELETED, DELETED, false)]
    #[case(CREATED, MODIFIED, CREATED, false)]
    #[case(CREATED, READ, CREATED, false)]
    #[case(CREATED, DELETED, DELETED, true)]
    #[case(MODIFIED, DELETED, DELETED, false)]
    #[case(MODIFIED, READ, MODIFIED, false)]
    #[case(DELETED, CREATED, MODIFIED, false)]
    fn an_action_follows_from_what_was_there_before(
        #[case] first: Option<FileAction>,
        #[case] second: Option<FileAction>,
        #[case] action: Option<FileAction>,
        #[case] transient: bool,
    ) {
        let both = compose(fact("a", first, 1), fact("a", second, 2));
        assert_eq!((both.action, both.transient), (action, transient));
    }

    #[test]
    fn a_file_made_again_after_a_transient_life_is_created() {
        let gone = compose(fact("a", CREATED, 1), fact("a", DELETED, 2));
        let back = compose(gone, fact("a", CREATED, 3));
        assert_eq!((back.action, back.transient), (CREATED, false));
    }

    #[test]
    fn a_write_that_may_overwrite_is_decided_by_what_is_known() {
        let write = FileFact { overwrite_possible: true, ..fact("a", CREATED, 2) };
        assert_eq!(compose(fact("a", READ, 1), write.clone()).action, MODIFIED);
        assert_eq!(compose(fact("a", CREATED, 1), write.clone()).action, CREATED);
        assert_eq!(compose(fact("a", DELETED, 1), write).action, MODIFIED);
    }

    #[test]
    fn a_rename_carries_the_history_along() {
        let mut history = FileHistory::default();
        history.push(fact("a", MODIFIED, 1));
        history.push(FileFact { renamed_from: Some("a".into()), ..fact("b", Some(FileAction::Renamed), 2) });
        history.push(fact("b", MODIFIED, 3));
        let facts = history.into_facts();
        assert_eq!(facts.len(), 1);
        assert_eq!(facts[0].path, "b");
        assert_eq!(facts[0].action, Some(FileAction::Renamed));
        assert_eq!(facts[0].renamed_from.as_deref(), Some("a"));
        assert_eq!(facts[0].changes, ["modified 1", "renamed 2", "modified 3"]);
    }

    #[test]
    fn a_new_file_that_is_renamed_leaves_its_first_name_as_one_that_came_and_went() {
        let mut history = FileHistory::default();
        history.push(fact("a", CREATED, 1));
        history.push(FileFact { renamed_from: Some("a".into()), ..fact("b", Some(FileAction::Renamed), 2) });
        let facts = history.into_facts();
        let shown: Vec<_> = facts.iter().map(|f| (f.path.as_str(), f.action, f.transient)).collect();
        assert_eq!(shown, [("a", DELETED, true), ("b", CREATED, false)]);
        assert_eq!(facts[1].changes, ["created 1", "renamed 2"]);
    }

    #[test]
    fn two_files_may_swap_their_names() {
        let rename = |from: &str, to: &str, seq| FileFact {
            renamed_from: Some(from.to_owned()),
            ..fact(to, Some(FileAction::Renamed), seq)
        };
        let mut history = FileHistory::default();
        history.extend(vec![fact("a", MODIFIED, 1), fact("b", MODIFIED, 2)]);
        history.extend(vec![rename("a", "b", 3), rename("b", "a", 4)]);
        let facts = history.into_facts();
        let b = facts.iter().find(|f| f.path == "b").unwrap();
        assert_eq!(b.changes, ["modified 1", "renamed 3"]);
        let a = facts.iter().find(|f| f.path == "a").unwrap();
        assert_eq!(a.changes, ["modified 2", "renamed 4"]);
    }

    #[rstest]
    #[case("src/a.rs", "./src//a.rs")]
    #[case("src/a.rs", " src\\\\a.rs ")]
    #[case("a.rs", "././/a.rs")]
    #[case("src/", ".\\src//")]
    #[case("./", "")]
    fn a_file_is_known_by_any_spelling(#[case] path: &str, #[case] other: &str) {
        let paths = PathSet::of([path].into_iter());
        assert!(paths.contains(path) && paths.contains(other), "{path} and {other}");
        assert!(!paths.contains("src/b.rs") && !paths.contains("lib/a.rs"));
        assert!(PathSet::of([other].into_iter()).contains(path));
    }

    #[test]
    fn one_path_has_one_spelling() {
        let mut history = FileHistory::default();
        history.push(fact("src/a.rs", READ, 1));
        history.push(fact("./src//a.rs", MODIFIED, 2));
        history.push(fact("src\\a.rs", MODIFIED, 3));
        let facts = history.into_facts();
        assert_eq!(facts.len(), 1);
        assert_eq!(facts[0].path, "src/a.rs");
    }

    fn event() -> impl Strategy<Value = FileFact> {
        (0..5usize, any::<bool>(), 1..50i64, 0..3usize).prop_map(|(action, unsure, seq, path)| {
            let path = ["a", "b/c", "d"][path];
            let action = [READ, CREATED, MODIFIED, DELETED, CREATED][action];
            FileFact { overwrite_possible: unsure && action == CREATED, ..fact(path, action, seq) }
        })
    }

    fn fold(events: &[FileFact]) -> Vec<FileFact> {
        let mut history = FileHistory::default();
        for e in events {
            history.push(e.clone());
        }
        history.into_facts()
    }

    proptest! {
        #[test]
        fn composing_is_associative(
            a in event(), b in event(), c in event(),
        ) {
            let one = |f: &FileFact| FileFact { path: "a".into(), ..f.clone() };
            let left = compose(compose(one(&a), one(&b)), one(&c));
            let right = compose(one(&a), compose(one(&b), one(&c)));
            prop_assert_eq!(left, right);
        }

        #[test]
        fn it_does_not_matter_where_a_session_is_cut(
            events in proptest::collection::vec(event(), 0..20), cut in 0..20usize,
        ) {
            let cut = cut.min(events.len());
            let mut halves = FileHistory::default();
            halves.extend(fold(&events[..cut]));
            halves.extend(fold(&events[cut..]));
            prop_assert_eq!(halves.into_facts(), fold(&events));
        }

        #[test]
        fn a_file_met_twice_is_no_longer_new(a in event()) {
            let twice = compose(a.clone(), a.clone());
            prop_assert_eq!(compose(twice.clone(), a).action, twice.action);
        }
    }
}
