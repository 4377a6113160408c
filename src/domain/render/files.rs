//! Changed files within a bound: first every path, then what changed, the latest first.

use std::fmt::Write as _;

use std::collections::{BTreeMap, HashSet};

use super::super::section::Section;
use super::super::summary::{FileAction, FileStatus, ModifiedFile};
use super::super::wording;
use super::budget::Draft;
use super::escape;

/// From this many files on, paths are told folder by folder.
pub(super) const GROUP_FROM: usize = 13;
/// A change is told in at most this many characters.
const CHANGE_CHARS: usize = 200;

/// How files are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilesShape {
    /// ``- `path` (created): change, change``
    List,
    /// File, action, what changed.
    ActionTable,
    /// File, change, status.
    StatusTable,
}

struct Shown<'a> {
    file: &'a ModifiedFile,
    /// Its place in the record.
    order: usize,
    /// Whether its path is printed.
    path: bool,
    /// What changed, as printed.
    detail: String,
    detail_cost: u32,
    /// How many of its changes that is.
    told: usize,
}

/// The changed files of a rendering, the most telling first.
pub(super) struct Files<'a> {
    shape: FilesShape,
    ranked: Vec<Shown<'a>>,
    grouped: bool,
    /// Groups whose line is paid for.
    open: HashSet<(String, &'static str, &'static str)>,
}

impl<'a> Files<'a> {
    pub(super) fn new(files: &'a [ModifiedFile], shape: FilesShape) -> Self {
        let mut ranked: Vec<Shown<'a>> = files
            .iter()
            .enumerate()
            .map(|(order, file)| Shown {
                file,
                order,
                path: false,
                detail: String::new(),
                detail_cost: 0,
                told: 0,
            })
            .collect();
        // What came and went tells least; then the most recent, then the most changed.
        ranked.sort_by_key(|s| {
            let latest = s.file.seqs.last().copied().unwrap_or(0);
            (s.file.transient, std::cmp::Reverse((latest, s.file.changes.len(), s.order)))
        });
        Self { shape, ranked, grouped: files.len() >= GROUP_FROM, open: HashSet::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranked.is_empty()
    }

    /// Chooses as many of the first `most` paths that are left as fit `cap`.
    pub(super) fn paths(&mut self, draft: &mut Draft<'_>, cap: u32, most: usize) {
        if self.ranked.iter().all(|s| s.path) || draft.open(Section::FilesModified).is_none() {
            return;
        }
        if !self.grouped {
            let costs: Vec<u32> = self.ranked.iter().map(|s| draft.cost(&self.single(s)) + 1).collect();
            let all: u32 = costs.iter().fold(0, |sum, c| sum.saturating_add(*c));
            if all <= cap.min(draft.left) {
                draft.left -= all;
                self.ranked.iter_mut().for_each(|s| s.path = true);
                return;
            }
            self.grouped = true;
        }
        let mut room = cap.min(draft.left);
        let mut passed = 0;
        let shape = self.shape;
        for shown in self.ranked.iter_mut().filter(|s| !s.path).take(most) {
            let group = group_of(shown.file, shape);
            let mut cost = draft.cost(&format!("{}; ", member(shown.file)));
            if !self.open.contains(&group) {
                cost += draft.cost(&row(shape, &escape::code(&group.0), group.1, group.2, "")) + 2;
            }
            if cost > room {
                passed += 1;
                if passed > 8 {
                    break;
                }
                continue;
            }
            room -= cost;
            draft.left -= cost;
            self.open.insert(group);
            shown.path = true;
        }
    }

    /// Tells what changed in the files whose paths are printed, for at most `cap` tokens.
    pub(super) fn details(&mut self, draft: &mut Draft<'_>, cap: u32, changes_each: usize) {
        let mut room = cap.min(draft.left);
        let mut passed = 0;
        for shown in self.ranked.iter_mut().filter(|s| s.path && !s.file.transient) {
            if room < 4 || passed > 16 {
                break;
            }
            let detail = detail(shown.file, changes_each);
            if detail.len() <= shown.detail.len() {
                continue;
            }
            let cost = draft.cost(&detail) + 2;
            let more = cost.saturating_sub(shown.detail_cost);
            if more > room {
                passed += 1;
                continue;
            }
            room -= more;
            draft.left -= more;
            shown.detail = detail;
            shown.detail_cost = cost;
            shown.told = changes_each.min(shown.file.changes.len());
        }
    }

    /// How many files are not told, and of how many not every change is.
    pub(super) fn untold(&self) -> (usize, usize) {
        let hidden = self.ranked.iter().filter(|s| !s.path).count();
        let briefly = |s: &&Shown<'a>| s.path && !s.file.transient && s.told < s.file.changes.len();
        (hidden, self.ranked.iter().filter(briefly).count())
    }

    /// The lines, in the order of the record, transient files last.
    pub(super) fn into_lines(self) -> Vec<String> {
        let mut shown: Vec<&Shown<'a>> = self.ranked.iter().filter(|s| s.path).collect();
        shown.sort_by_key(|s| (s.file.transient, s.order));
        if !self.grouped {
            return shown.into_iter().map(|s| self.single(s)).collect();
        }
        let mut at: BTreeMap<(String, &str, &str), usize> = BTreeMap::new();
        let mut groups: Vec<Vec<&Shown<'a>>> = Vec::new();
        for s in shown {
            let next = groups.len();
            let slot = *at.entry(group_of(s.file, self.shape)).or_insert(next);
            match groups.get_mut(slot) {
                Some(group) => group.push(s),
                None => groups.push(vec![s]),
            }
        }
        let lines = groups.iter().map(|group| match group.as_slice() {
            [one] => self.single(one),
            many => self.group(many),
        });
        lines.collect()
    }

    fn single(&self, shown: &Shown<'a>) -> String {
        let file = shown.file;
        let head = escape::code(&file.path);
        let verb = verb(file);
        match &file.renamed_from {
            Some(from) => {
                let verb = format!("{verb} from {}", escape::code(from));
                row(self.shape, &head, &verb, status(file), &shown.detail)
            }
            None => row(self.shape, &head, verb, status(file), &shown.detail),
        }
    }

    fn group(&self, members: &[&Shown<'a>]) -> String {
        let Some(first) = members.first() else { return String::new() };
        let (folder, verb, status) = group_of(first.file, self.shape);
        let mut body = String::new();
        for shown in members {
            if !body.is_empty() {
                body.push_str("; ");
            }
            body.push_str(&member(shown.file));
            if !shown.detail.is_empty() {
                body.push_str(": ");
                body.push_str(&shown.detail);
            }
        }
        row(self.shape, &escape::code(&folder), verb, status, &body)
    }
}

/// The folder with its last slash, and the file's name.
pub(super) fn split(path: &str) -> (&str, &str) {
    match path.rfind(['/', '\\']) {
        Some(at) if at + 1 < path.len() => path.split_at(at + 1),
        _ => ("./", path),
    }
}

fn group_of(file: &ModifiedFile, shape: FilesShape) -> (String, &'static str, &'static str) {
    let status = if shape == FilesShape::StatusTable { status(file) } else { "" };
    (split(&file.path).0.to_owned(), verb(file), status)
}

fn member(file: &ModifiedFile) -> String {
    let name = escape::line(split(&file.path).1);
    match &file.renamed_from {
        Some(from) => format!("{name} (from {})", escape::code(from)),
        None => name,
    }
}

fn verb(file: &ModifiedFile) -> &'static str {
    match file.action {
        FileAction::Deleted if file.transient => "created, then deleted",
        FileAction::Created | FileAction::Modified | FileAction::Deleted | FileAction::Renamed => {
            file.action.as_str()
        }
    }
}

fn status(file: &ModifiedFile) -> &'static str {
    match file.status {
        FileStatus::Pass => "pass",
        FileStatus::Fail => "fail",
        FileStatus::Unknown => "unknown",
    }
}

/// The latest changes, oldest of them first; when there are more, their number.
fn detail(file: &ModifiedFile, changes_each: usize) -> String {
    let from = file.changes.len().saturating_sub(changes_each);
    let mut out = String::new();
    for change in file.changes.iter().skip(from) {
        let change = escape::line(change);
        let clipped = wording::clip_words(&change, CHANGE_CHARS);
        if clipped.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push_str(", ");
        }
        out.push_str(clipped);
        if clipped.len() < change.len() {
            out.push_str(" …");
        }
    }
    if from > 0 && !out.is_empty() {
        let _ = write!(out, " (+{from} earlier)");
    }
    out
}

fn row(shape: FilesShape, head: &str, verb: &str, status: &str, body: &str) -> String {
    match shape {
        FilesShape::List if body.is_empty() => format!("- {head} ({verb})"),
        FilesShape::List => format!("- {head} ({verb}): {body}"),
        FilesShape::ActionTable => {
            format!("| {} | {} | {} |", bars(head), bars(verb), escape::cell(body))
        }
        FilesShape::StatusTable if body.is_empty() => {
            format!("| {} | {} | {status} |", bars(head), bars(verb))
        }
        FilesShape::StatusTable => {
            format!("| {} | {}: {} | {status} |", bars(head), bars(verb), escape::cell(body))
        }
    }
}

/// Escapes bars that are not escaped yet; code in a table needs it too.
fn bars(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '|' && !out.ends_with('\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
