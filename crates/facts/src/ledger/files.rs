//! Combines the events of a span into one fact for each file.

use std::collections::BTreeMap;

use super::event::{Act, Event, MOST_BYTES};
use super::line::clip_bytes;
use super::paths::{self, Spellings};
use super::{EarlierNames, FileFact, diff};
use crate::ledger::FileAction;
use anchord_messages::id::Seq;

/// The most distinct changes that are kept per file; those in the middle are dropped first.
const MAX_CHANGES: usize = 20;
const FIRST_CHANGES: usize = 8;
/// The most copies passed to the next span, the latest ones; the removal of an older one is reported like any other.
const MAX_COPIES: usize = 100;

/// The result: a span's facts about files.
#[derive(Debug, Default)]
pub(super) struct Folded {
    /// One fact per file.
    pub files: Vec<FileFact>,
    /// Copies of earlier spans that were removed.
    pub taken_back: Vec<String>,
    /// Files that are unchanged copies. A copy that is only read and then removed leaves no fact, even when a version
    /// was made in between. Once it is edited it is a file like any other, and its removal is reported.
    pub copies: Vec<String>,
    /// The directory that relative paths are relative to.
    pub root: Option<String>,
}

/// Combines the events of a span; `copies` are unchanged copies from earlier spans.
pub(super) fn fold(
    events: Vec<Event>,
    (known, copies): (&EarlierNames<'_>, &[String]),
    stated: Option<&str>,
) -> Folded {
    let given = events.iter().flat_map(|e| {
        let before = e.from.as_ref().map(|(written, full)| (written.as_str(), full.as_str()));
        std::iter::once((e.written.as_str(), e.full.as_str())).chain(before)
    });
    // A copy's two paths often share their end, which is no evidence for the session's directory.
    let evidence = events.iter().filter(|e| e.act != Act::Copy).map(|e| e.full.as_str());
    let book = Spellings::open(stated, &known.paths, &evidence, given);
    let earlier_copies = copies.iter().map(|path| book.key(path)).filter(|key| book.knows(key)).collect();
    let mut folder =
        Folder { book, earlier_copies, index: BTreeMap::new(), files: Vec::new(), room: MOST_BYTES };
    for event in events {
        folder.take(&event);
    }
    folder.finish()
}

/// The state of one file while events are applied.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent observations, each set by other events")]
struct File {
    key: String,
    action: Option<FileAction>,
    /// Whether it existed before the first change.
    existed: bool,
    overwrite_possible: bool,
    transient: bool,
    renamed_from: Option<String>,
    /// Whether it was moved; its fact is under the new path.
    gone: bool,
    /// Whether it is an unchanged copy of another file.
    copy: bool,
    /// Whether it was an earlier span's copy and was removed.
    taken_back: bool,
    changes: Vec<String>,
    seqs: Vec<Seq>,
}

struct Folder {
    book: Spellings,
    /// The identities of unchanged copies from earlier spans, newest last.
    earlier_copies: Vec<String>,
    index: BTreeMap<String, usize>,
    files: Vec<File>,
    /// What further files may weigh that are moved or removed with their folder.
    room: usize,
}

impl Folder {
    fn file(&mut self, key: &str) -> Option<&mut File> {
        let at = if let Some(at) = self.index.get(key) {
            *at
        } else {
            let at = self.files.len();
            let existed = self.book.knows(key);
            let copy = existed && self.earlier_copies.iter().any(|copy| copy == key);
            self.files.push(File { key: key.to_owned(), existed, copy, ..File::default() });
            self.index.insert(key.to_owned(), at);
            at
        };
        self.files.get_mut(at)
    }

    fn has(&self, key: &str) -> bool {
        self.index.contains_key(key)
    }

    fn take(&mut self, event: &Event) {
        let key = self.book.key(&event.full);
        match event.act {
            Act::Move => {
                if let Some((_, from)) = &event.from {
                    let from = self.book.key(from);
                    self.moved(&from, &key, event);
                }
            }
            Act::DeleteTree => self.deleted_tree(&key, event),
            act @ (Act::Read
            | Act::Create
            | Act::Write
            | Act::Copy
            | Act::Modify
            | Act::Touch
            | Act::Delete) => {
                let Some(file) = self.file(&key) else { return };
                if act == Act::Touch && file.existed && file.action.is_none() {
                    return;
                }
                if act == Act::Delete && file.forget_copy() {
                    return;
                }
                let was_changed = file.action.is_some();
                file.apply(act);
                // A changed file lists only the messages that changed it, not those that read it.
                if was_changed && act == Act::Read {
                    return;
                }
                if !was_changed && file.action.is_some() {
                    file.seqs.clear();
                }
                file.see(event);
            }
        }
    }

    /// The identities of all files below a folder, of this span and of earlier versions, as long as there is room for them
    /// and what is `added` to each.
    fn below(&mut self, folder: &str, added: usize) -> Vec<String> {
        let prefix = format!("{folder}/");
        let room = &mut self.room;
        let mut fits = |key: &str| {
            let left = room.checked_sub(size_of::<File>() + key.len() + added);
            left.map(|left| *room = left).is_some()
        };
        let mut keys: Vec<String> = self
            .index
            .range(prefix.clone()..)
            .take_while(|(k, _)| k.starts_with(&prefix) && fits(k))
            .filter(|(_, at)| {
                self.files.get(**at).is_some_and(|f| !f.gone && f.action != Some(FileAction::Deleted))
            })
            .map(|(k, _)| k.clone())
            .collect();
        let known = self.book.known_inside(folder).take_while(|k| fits(k));
        keys.extend(known.filter(|k| !self.index.contains_key(*k)).map(str::to_owned));
        keys
    }

    fn deleted_tree(&mut self, key: &str, event: &Event) {
        let below = self.below(key, 0);
        let itself =
            self.has(key) || self.book.knows(key) || (below.is_empty() && !paths::extension(key).is_empty());
        for key in below.into_iter().chain(itself.then(|| key.to_owned())) {
            if let Some(file) = self.file(&key)
                && !file.forget_copy()
            {
                file.apply(Act::Delete);
                file.see(event);
            }
        }
    }

    fn moved(&mut self, from: &str, to: &str, event: &Event) {
        if from == to {
            return;
        }
        if !self.has(from) && !self.book.knows(from) {
            let below = self.below(from, to.len());
            if !below.is_empty() {
                for key in below {
                    let Some(rest) = key.strip_prefix(from) else { continue };
                    self.moved_one(&key, &format!("{to}{rest}"), event);
                }
                return;
            }
            if paths::extension(from).is_empty() && paths::extension(to).is_empty() {
                // Probably a folder in which the session touched no file.
                return;
            }
        }
        self.moved_one(from, to, event);
    }

    fn moved_one(&mut self, from: &str, to: &str, event: &Event) {
        let target_was = self.book.knows(to)
            || self.index.get(to).and_then(|at| self.files.get(*at)).is_some_and(|f| {
                !f.gone && (f.existed || f.action.is_some_and(|a| a != FileAction::Deleted))
            });
        let from_spelled = self.book.spell(from);
        let Some(source) = self.file(from) else { return };
        let made_here = source.action == Some(FileAction::Created) && !source.existed;
        let changes = std::mem::take(&mut source.changes);
        let origin = source.renamed_from.clone().unwrap_or(from_spelled);
        let unsure = source.overwrite_possible;
        let mut seqs = Vec::new();
        if made_here || target_was {
            source.apply(Act::Delete);
            source.note(event);
        } else {
            seqs = std::mem::take(&mut source.seqs);
            source.gone = true;
            source.copy = false;
        }
        let Some(target) = self.file(to) else { return };
        target.gone = false;
        if made_here || target_was {
            if target_was {
                target.existed = true;
                target.apply(Act::Modify);
            } else {
                target.apply(Act::Write);
                // The target is new; whether it counts as created depends on the source.
                target.overwrite_possible = unsure;
            }
        } else {
            target.action = Some(FileAction::Renamed);
            target.transient = false;
            target.renamed_from = Some(origin);
            target.seqs.append(&mut seqs);
        }
        for change in changes {
            target.change(change);
        }
        if made_here || target_was {
            target.change(format!("moved from {}", clip_bytes(from.rsplit('/').next().unwrap_or(from), 80)));
        }
        target.see(event);
    }

    fn finish(self) -> Folded {
        let Self { book, files, index, earlier_copies, room: _ } = self;
        let now = |key: &String| index.get(key).and_then(|at| files.get(*at));
        let mut copies: Vec<String> = earlier_copies
            .iter()
            .filter(|key| now(key).is_none_or(|file| file.copy))
            .chain(files.iter().filter(|f| f.copy && !earlier_copies.contains(&f.key)).map(|f| &f.key))
            .map(|key| book.spell(key))
            .collect();
        copies.drain(..copies.len().saturating_sub(MAX_COPIES));
        let taken_back = files.iter().filter(|f| f.taken_back).map(|f| book.spell(&f.key)).collect();
        let root = book.root().map(str::to_owned);
        let files = files
            .into_iter()
            .filter(|f| !f.gone && !f.seqs.is_empty())
            .map(|mut file| {
                file.seqs.sort_unstable();
                file.seqs.dedup();
                FileFact {
                    path: book.spell(&file.key),
                    action: file.action,
                    overwrite_possible: file.overwrite_possible,
                    renamed_from: file.renamed_from,
                    transient: file.transient,
                    changes: file.changes,
                    reason: None,
                    seqs: file.seqs,
                }
            })
            .collect();
        Folded { files, taken_back, copies, root }
    }
}

impl File {
    /// Applies an event to the file's state.
    fn apply(&mut self, act: Act) {
        if act != Act::Read {
            self.copy = act == Act::Copy && (self.copy || !self.existed && self.action.is_none());
        }
        if self.gone && act != Act::Delete {
            // The earlier file was moved away; this is a new file under its old path.
            self.gone = false;
            self.existed = false;
            self.action = None;
            self.changes.clear();
        }
        let action = match (act, self.action) {
            (Act::Read, None) => {
                self.existed = true;
                None
            }
            (Act::Create | Act::Write | Act::Copy | Act::Touch, None) if self.existed => {
                Some(FileAction::Modified)
            }
            (Act::Create, None) => Some(FileAction::Created),
            (Act::Write | Act::Copy | Act::Touch, None) => {
                self.overwrite_possible = true;
                Some(FileAction::Created)
            }
            (Act::Modify, None) => {
                self.existed = true;
                Some(FileAction::Modified)
            }
            (Act::Create | Act::Write | Act::Copy | Act::Touch | Act::Modify, Some(FileAction::Deleted)) => {
                let is_new = self.transient && !self.overwrite_possible;
                let again = if is_new { FileAction::Created } else { FileAction::Modified };
                self.transient = false;
                Some(again)
            }
            // Nothing showed that it was new, so a file that is edited again counts as modified.
            (Act::Modify | Act::Create, Some(FileAction::Created)) if self.overwrite_possible => {
                Some(FileAction::Modified)
            }
            (Act::Delete, Some(_)) if self.overwrite_possible => {
                self.transient = true;
                Some(FileAction::Deleted)
            }
            (Act::Delete, Some(FileAction::Created)) => {
                self.transient = true;
                Some(FileAction::Deleted)
            }
            (Act::Delete, _) => Some(FileAction::Deleted),
            (_, now) => now,
        };
        self.action = action;
    }

    /// Resets the state of an unchanged copy that is removed, so that it leaves no fact; returns whether it was one.
    fn forget_copy(&mut self) -> bool {
        if self.copy {
            let taken_back = self.taken_back || self.existed;
            *self = Self { key: std::mem::take(&mut self.key), taken_back, ..Self::default() };
            return true;
        }
        false
    }

    /// Adds the messages of an event.
    fn note(&mut self, event: &Event) {
        for seq in &event.seqs {
            if self.seqs.last() != Some(seq) {
                self.seqs.push(*seq);
            }
        }
    }

    /// Adds the messages and the description of an event.
    fn see(&mut self, event: &Event) {
        self.note(event);
        let Some(change) = &event.change else { return };
        // When an existing file is written as a whole, most of its content existed before, so it is not "added".
        let whole = event.act == Act::Write && self.existed;
        match change.strip_prefix("added ").filter(|_| whole) {
            Some(content) => {
                self.change(clip_bytes(&format!("written anew with {content}"), diff::WORDING_BYTES));
            }
            None => self.change(change.clone()),
        }
    }

    fn change(&mut self, change: String) {
        // A definition that is removed again was never added, as far as a reader is concerned, and the other way round.
        let opposite = match (change.strip_prefix("removed "), change.strip_prefix("added ")) {
            (Some(names), _) => Some(format!("added {names}")),
            (None, Some(names)) => Some(format!("removed {names}")),
            (None, None) => None,
        };
        if let Some(at) = opposite.and_then(|other| self.changes.iter().position(|before| *before == other)) {
            self.changes.remove(at);
            return;
        }
        if change.is_empty() || self.changes.contains(&change) {
            return;
        }
        if self.changes.len() >= MAX_CHANGES {
            self.changes.remove(FIRST_CHANGES);
        }
        self.changes.push(change);
    }
}
