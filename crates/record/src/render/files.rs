//! Changed files within a bound: first every path, then the changes, the latest first.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::fmt::Write as _;

use fnv::FnvHashMap;

use super::super::section::Section;
use super::super::summary::{FileStatus, ModifiedFile};
use super::budget::BoundedText;
use super::content::ENTRY_CHARS;
use super::entries::Line;
use super::escape;
use anchord_facts::ledger::FileAction;
use anchord_facts::wording;

/// From this number on, paths are shown by folder.
pub(super) const GROUP_FROM: usize = 13;
/// The most characters of a change.
const CHANGE_CHARS: usize = 200;

/// The style of the list of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilesShape {
    /// ``- `path` (created): change, change``
    List,
    /// File, action, what changed.
    ActionTable,
    /// File, change, status.
    StatusTable,
}

/// The changed files, the most important first, with the lines that attempts at a text share.
pub(super) struct RankedFiles<'a> {
    shape: FilesShape,
    ranked: Vec<Entry<'a>>,
    groups: Vec<Group<'a>>,
    /// The indexes of the files in the printed order: as in the summary, transient ones last.
    printed: OnceCell<Vec<usize>>,
}

/// The folder, verb and status that the files of a line share.
struct Group<'a> {
    folder: &'a str,
    verb: &'static str,
    status: &'static str,
    /// The line without its files.
    bare: OnceCell<Line>,
}

struct Entry<'a> {
    file: &'a ModifiedFile,
    /// Its index in the summary.
    order: usize,
    /// The index of its group.
    group: usize,
    /// Its name in the line of its group.
    member: OnceCell<Line>,
    /// Its changes, briefly and at length.
    details: [OnceCell<Line>; 2],
}

impl<'a> RankedFiles<'a> {
    pub(super) fn of(files: &'a [ModifiedFile], shape: FilesShape) -> Self {
        let mut groups: Vec<Group<'a>> = Vec::new();
        let mut at: FnvHashMap<(&str, &str, &str), usize> = FnvHashMap::default();
        // Transient files last; then the most recent, then the most changed.
        let mut ranked: Vec<_> = files
            .iter()
            .enumerate()
            .map(|(order, file)| {
                let latest = file.seqs.last().copied().unwrap_or(0);
                ((file.transient, Reverse((latest, file.changes.len(), order))), file)
            })
            .collect();
        ranked.sort_unstable_by_key(|(rank, _)| *rank);
        let mut last = 0;
        let entry = |((_, Reverse((_, _, order))), file)| {
            let shared = shared_by(file, shape);
            // Consecutive files are mostly in the same folder.
            let is_last = groups.get(last).is_some_and(|group| group.is_shared(shared));
            let group = if is_last { last } else { *at.entry(shared).or_insert(groups.len()) };
            last = group;
            if group == groups.len() {
                let (folder, verb, status) = shared;
                groups.push(Group { folder, verb, status, bare: OnceCell::new() });
            }
            Entry { file, order, group, member: OnceCell::new(), details: Default::default() }
        };
        let ranked = ranked.into_iter().map(entry).collect();
        Self { shape, ranked, groups, printed: OnceCell::new() }
    }

    fn printed(&self) -> &[usize] {
        self.printed.get_or_init(|| {
            let key = |entry: &Entry<'_>| (entry.file.transient, entry.order);
            let mut places: Vec<_> = self.ranked.iter().map(key).zip(0..).collect();
            places.sort_unstable();
            places.into_iter().map(|(_, at)| at).collect()
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranked.is_empty()
    }
}

impl Entry<'_> {
    /// With the separator to the next one.
    fn member(&self) -> &Line {
        let between = || {
            let mut text = member(self.file);
            text.push_str("; ");
            text
        };
        self.member.get_or_init(|| Line::entry(self.order, between()))
    }

    fn detail(&self, depth: Depth) -> &Line {
        let [brief, long] = &self.details;
        // A little fits into both.
        let is_brief = |purpose: &String| purpose.len() <= Depth::Brief.purpose_chars();
        let is_all_told = self.file.changes.len() <= Depth::Brief.changes()
            && self.file.purpose.as_ref().is_none_or(is_brief);
        let cell = match depth {
            Depth::Long if !is_all_told => long,
            Depth::Brief | Depth::Long => brief,
        };
        cell.get_or_init(|| Line::entry(self.order, detail(self.file, depth)))
    }
}

/// How many of a file's changes are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// The last changes.
    Brief,
    /// Many of them.
    Long,
}

impl Depth {
    fn changes(self) -> usize {
        match self {
            Self::Brief => 2,
            Self::Long => 12,
        }
    }

    /// The most characters of what a model wrote about a file.
    fn purpose_chars(self) -> usize {
        match self {
            Self::Brief => 500,
            Self::Long => ENTRY_CHARS,
        }
    }
}

struct FileLine<'r> {
    entry: &'r Entry<'r>,
    /// Whether its path is printed.
    path: bool,
    /// How its changes are printed; `None` if they are not.
    detail: Option<Depth>,
}

impl FileLine<'_> {
    fn detail(&self) -> &str {
        self.detail.map_or("", |depth| &self.entry.detail(depth).text)
    }
}

/// The changed files of one attempt at a text.
pub(super) struct Files<'r> {
    roster: &'r RankedFiles<'r>,
    ranked: Vec<FileLine<'r>>,
    grouped: bool,
    /// The groups whose line is counted already.
    open: Vec<bool>,
}

impl<'r> Files<'r> {
    pub(super) fn of(roster: &'r RankedFiles<'r>) -> Self {
        let shown = |entry| FileLine { entry, path: false, detail: None };
        let ranked: Vec<FileLine<'r>> = roster.ranked.iter().map(shown).collect();
        let (grouped, open) = (ranked.len() >= GROUP_FROM, vec![false; roster.groups.len()]);
        Self { roster, ranked, grouped, open }
    }

    /// Chooses as many of the first `most` unprinted paths as fit into `cap` tokens.
    pub(super) fn paths(&mut self, draft: &mut BoundedText<'_>, cap: u32, most: usize) {
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
        let RankedFiles { shape, groups, .. } = self.roster;
        for shown in self.ranked.iter_mut().filter(|s| !s.path).take(most) {
            let (group, open) = (groups.get(shown.entry.group), self.open.get_mut(shown.entry.group));
            let (Some(group), Some(open)) = (group, open) else { continue };
            let mut cost = draft.cost_of(shown.entry.member());
            if !*open {
                cost += draft.cost_of(group.bare.get_or_init(|| Line::entry(0, group.line(*shape, "")))) + 2;
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
            *open = true;
            shown.path = true;
        }
    }

    /// Prints the changes of the files whose paths are printed, for at most `cap` tokens.
    pub(super) fn details(&mut self, draft: &mut BoundedText<'_>, cap: u32, depth: Depth) {
        let mut room = cap.min(draft.left);
        let mut passed = 0;
        for shown in self.ranked.iter_mut().filter(|s| s.path && !s.entry.file.transient) {
            if room < 4 || passed > 16 {
                break;
            }
            let detail = shown.entry.detail(depth);
            if detail.text.len() <= shown.detail().len() {
                continue;
            }
            let known = shown.detail.map_or(0, |told| draft.cost_of(shown.entry.detail(told)) + 2);
            let more = (draft.cost_of(detail) + 2).saturating_sub(known);
            if more > room {
                passed += 1;
                continue;
            }
            room -= more;
            draft.left -= more;
            shown.detail = Some(depth);
        }
    }

    /// How many files are not shown, and how many are shown without all of their changes.
    pub(super) fn untold(&self) -> (usize, usize) {
        let hidden = self.ranked.iter().filter(|s| !s.path).count();
        let briefly = |s: &&FileLine<'r>| {
            let told = s.detail.map_or(0, Depth::changes);
            s.path && !s.entry.file.transient && told < s.entry.file.changes.len()
        };
        (hidden, self.ranked.iter().filter(briefly).count())
    }

    /// The lines, in the order of the summary, transient files last.
    pub(super) fn into_lines(self) -> Vec<String> {
        let printed = self.roster.printed().iter();
        let shown = printed.filter_map(|at| self.ranked.get(*at)).filter(|s| s.path);
        if !self.grouped {
            return shown.map(|s| self.single(s)).collect();
        }
        // In the order of each group's first file.
        let groups = &self.roster.groups;
        let mut members: Vec<Vec<&FileLine<'r>>> = vec![Vec::new(); groups.len()];
        let mut order = Vec::new();
        for s in shown {
            let Some(members) = members.get_mut(s.entry.group) else { continue };
            if members.is_empty() {
                order.push(s.entry.group);
            }
            members.push(s);
        }
        let lines = order.into_iter().filter_map(|at| match members.get(at)?.as_slice() {
            [one] => Some(self.single(one)),
            many => Some(self.group(groups.get(at)?, many)),
        });
        lines.collect()
    }

    fn single(&self, shown: &FileLine<'r>) -> String {
        let file = shown.entry.file;
        let head = escape::code(&file.path);
        let verb = verb(file);
        match &file.renamed_from {
            Some(from) => {
                let verb = format!("{verb} from {}", escape::code(from));
                row(self.roster.shape, &head, &verb, status(file), shown.detail())
            }
            None => row(self.roster.shape, &head, verb, status(file), shown.detail()),
        }
    }

    fn group(&self, group: &Group<'r>, members: &[&FileLine<'r>]) -> String {
        let mut body = String::new();
        for shown in members {
            if !body.is_empty() {
                body.push_str("; ");
            }
            let member = &shown.entry.member().text;
            body.push_str(member.strip_suffix("; ").unwrap_or(member));
            if shown.detail.is_some() {
                body.push_str(": ");
                body.push_str(shown.detail());
            }
        }
        group.line(self.roster.shape, &body)
    }
}

impl Group<'_> {
    fn is_shared(&self, (folder, verb, status): (&str, &str, &str)) -> bool {
        self.folder == folder && self.verb == verb && self.status == status
    }

    fn line(&self, shape: FilesShape, body: &str) -> String {
        row(shape, &escape::code(self.folder), self.verb, self.status, body)
    }
}

/// The folder with its last slash, and the file's name.
pub(super) fn split(path: &str) -> (&str, &str) {
    match memchr::memrchr2(b'/', b'\\', path.as_bytes()) {
        Some(at) if at + 1 < path.len() => path.split_at(at + 1),
        _ => ("./", path),
    }
}

fn shared_by(file: &ModifiedFile, shape: FilesShape) -> (&str, &'static str, &'static str) {
    let status = if shape == FilesShape::StatusTable { status(file) } else { "" };
    (split(&file.path).0, verb(file), status)
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

/// The latest changes, in order; when there are more, with their number.
fn detail(file: &ModifiedFile, depth: Depth) -> String {
    let from = file.changes.len().saturating_sub(depth.changes());
    let purpose = file.purpose.as_ref().map(|purpose| escape::short(purpose, depth.purpose_chars()));
    let mut out = purpose.unwrap_or_default();
    let mut is_first = true;
    for change in file.changes.iter().skip(from) {
        let change = escape::line(change);
        let clipped = wording::clip_words(&change, CHANGE_CHARS);
        if clipped.is_empty() {
            continue;
        }
        if !out.is_empty() {
            // The purpose comes first, then the names that were changed.
            out.push_str(if is_first && file.purpose.is_some() { " | " } else { ", " });
        }
        is_first = false;
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

/// Escapes bars that are not escaped yet; in a table even code needs it.
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
