//! What the Markdown styles share: how much of the bound each section gets, and in what order.

use std::cell::RefCell;
use std::rc::Rc;

use super::super::section::Section;
use super::super::summary::{ReadFile, RequestEntry, RequestState, Summary};
use super::budget::{BoundedText, SectionFrame, clip_middle, within};
use super::content::{self, ListShape};
use super::entries::{Entries, Line};
use super::escape;
use super::files::{Depth, Files, FilesShape, RankedFiles};
use super::rendering::{Count, Cut, Rendering, Subject};
use super::things;
use crate::critical::{CRITICAL_ERRORS, CRITICAL_FILES};
use anchord_facts::wording;
use anchord_messages::id::Seq;

/// The layout of a Markdown style.
pub(super) struct Layout {
    /// The first line; empty for none.
    pub title: String,
    /// The sections in the order of the text.
    pub sections: Vec<Shape>,
    /// Sections that a phase shows first, each with its part of the bound, as a divisor.
    pub first: &'static [(Section, u32)],
    /// How changed files are printed.
    pub files: FilesShape,
    /// How decisions are printed.
    pub decisions: ListShape,
    /// What stands before phase, task and description of the state.
    pub state_labels: [&'static str; 3],
    /// Whether only the latest open error is shown, in a fence.
    pub fenced_error: bool,
    /// Whether a line at the end names the sections that are left out because they are empty.
    pub tells_empty: bool,
}

/// The layout of one section.
pub(super) struct Shape {
    /// The section.
    pub section: Section,
    /// Its heading line.
    pub heading: String,
    /// The head of its table; empty for lists.
    pub opening: &'static str,
    /// Its text when it is empty; without one, an empty section is left out.
    pub empty: Option<&'static str>,
}

impl Shape {
    pub(super) fn new(section: Section, heading: impl Into<String>) -> Self {
        Self { section, heading: heading.into(), opening: "", empty: None }
    }

    pub(super) fn or(self, empty: &'static str) -> Self {
        Self { empty: Some(empty), ..self }
    }

    pub(super) fn table(self, opening: &'static str) -> Self {
        Self { opening, ..self }
    }
}

/// Renders a version in one size or several. What the sizes share is ranked, printed and counted once.
pub(super) struct Renderer<'a> {
    subject: &'a Subject<'a>,
    layout: Layout,
    count: Count<'a>,
    /// The lines of sections that are the same in every size, by the section's index in the layout.
    sections: Vec<Option<Rc<Entries<'a>>>>,
    files: RankedFiles<'a>,
    reads: Rc<[(usize, &'a ReadFile)]>,
    /// The lines of the files read, by how many of them a size considers.
    read_lines: BySize<'a>,
    pins: usize,
}

/// The lines of a section, by how many entries of the summary they were made from.
#[derive(Default)]
struct BySize<'a>(RefCell<Vec<(usize, Rc<Entries<'a>>)>>);

impl<'a> BySize<'a> {
    fn of(&self, taken: usize, print: impl FnOnce() -> Entries<'a>) -> Rc<Entries<'a>> {
        let mut sizes = self.0.borrow_mut();
        if let Some((_, lines)) = sizes.iter().find(|(size, _)| *size == taken) {
            return Rc::clone(lines);
        }
        let lines = Rc::new(print());
        sizes.push((taken, Rc::clone(&lines)));
        lines
    }
}

impl<'a> Renderer<'a> {
    pub(super) fn of(layout: Layout, subject: &'a Subject<'a>, count: Count<'a>) -> Self {
        let sections = layout
            .sections
            .iter()
            .map(|shape| {
                let lines = entries(&layout, shape.section, subject)?;
                Some(Rc::new(lines.leaving_out(subject.summary, shape.section)))
            })
            .collect();
        let files = RankedFiles::of(&subject.summary.files_modified, layout.files);
        let (reads, pins) = (content::ranked_reads(subject.summary), content::pins(subject.summary));
        let read_lines = BySize::default();
        Self { subject, layout, count, sections, files, reads, read_lines, pins }
    }

    /// Renders within the bound. What all sections leave of it shows more of the person's brief, in steps, so that it stands the
    /// same in later versions.
    pub(super) fn render(&self, bound: u32) -> Rendering {
        let with =
            |brief: u32| within(bound, self.count, |target| self.compose(bound.min(target), target, brief));
        let first = with(0);
        let step = bound / 8;
        // Of a small session the brief is nearly all, and a summary that repeats it would free nothing.
        let covered = u32::try_from(self.subject.meta.tokens_before).unwrap_or(0);
        let spare = bound.saturating_sub(first.tokens).min(covered / 8) / step.max(1) * step;
        if spare == 0 || !is_brief_cut(self.subject.summary, &first) {
            return first;
        }
        let longer = with(spare);
        if (first.tokens..=bound).contains(&longer.tokens) { longer } else { first }
    }

    /// Whether the summary has nothing for a section.
    fn is_empty(&self, section: Section, lines: Option<&Rc<Entries<'a>>>) -> bool {
        // These two have lines of their own.
        let is_shown = section == Section::FilesModified && !self.files.is_empty()
            || section == Section::FilesRead && !self.reads.is_empty();
        !is_shown && lines.is_none_or(|lines| lines.all == 0)
    }

    /// Fills a text of `target` tokens. Shares are of `bound`, so a larger target adds room for what is left
    /// over, and no share grows; but `brief` tokens are for the person's brief beyond the intent's share.
    fn compose(&self, bound: u32, target: u32, brief: u32) -> Rendering {
        let Self { subject, layout, count, .. } = self;
        let mut draft = BoundedText::new(&layout.title, target, *count);
        if layout.tells_empty {
            let empty = layout.sections.iter().zip(&self.sections).filter(|(shape, lines)| {
                shape.empty.is_none()
                    && shape.section.is_forced()
                    && self.is_empty(shape.section, lines.as_ref())
            });
            draft.close_with(&empty_line(empty.map(|(shape, _)| shape)));
        }
        // A line has at least five tokens, so no more than this many can be printed.
        let most = (bound / 5) as usize + 1;
        let (mut intent, intent_is_cut) = intent(subject, (intent_room(bound), brief), *count);
        for (shape, shared) in layout.sections.iter().zip(&self.sections) {
            let lines = match (shape.section, shared) {
                (_, Some(shared)) => Rc::clone(shared),
                (Section::FilesRead, None) => {
                    let taken = content::files_taken(&self.reads, most);
                    let lines = || content::files_read(&self.reads, taken);
                    self.read_lines.of(taken, || lines().leaving_out(subject.summary, shape.section))
                }
                (_, None) => Rc::new(Entries::printed(intent.take().into_iter().collect())),
            };
            let files_shown = shape.section == Section::FilesModified && !self.files.is_empty();
            let filled = files_shown || lines.lines > 0;
            let mut heading = shape.heading.clone();
            if filled && !shape.opening.is_empty() {
                heading.push('\n');
                heading.push_str(shape.opening);
            }
            let frame = SectionFrame {
                section: shape.section,
                heading,
                required: shape.empty.is_some(),
                empty: shape.empty.unwrap_or_default(),
            };
            draft.section(frame, lines);
        }
        let mut files = Files::of(&self.files);
        let open_errors = content::open_errors(subject.summary).len();
        let first = Ahead {
            pins: self.pins,
            open_errors,
            open_requests: content::open_requests(subject.summary),
            of_phase: layout.first,
        };
        fill(&mut draft, &mut files, &first, (bound, brief));
        let (hidden_files, shortened_files) = files.untold();
        draft.place(Section::FilesModified, files.into_lines(), hidden_files, shortened_files);
        if intent_is_cut {
            draft.shorten(Section::SessionIntent);
        }
        draft.finish(content::title)
    }
}

/// The line that names sections without entries; empty when there are none.
fn empty_line<'s>(shapes: impl Iterator<Item = &'s Shape>) -> String {
    let titles: Vec<&str> = shapes.map(|shape| shape.heading.trim_start_matches(['#', ' '])).collect();
    if titles.is_empty() { String::new() } else { format!("(nothing recorded: {})", titles.join(", ")) }
}

/// The room for a long intent: a third of the bound, and less of a small one, in which the other critical
/// facts would have no room.
fn intent_room(bound: u32) -> u32 {
    const SMALL: u32 = 1_200;
    if bound < SMALL { bound / 5 } else { bound / 3 }
}

/// How many of a section's first lines come ahead of the others.
struct Ahead {
    pins: usize,
    open_errors: usize,
    open_requests: usize,
    /// Sections that the phase shows first.
    of_phase: &'static [(Section, u32)],
}

/// Fills the sections by priority; shares are of the whole bound.
fn fill(draft: &mut BoundedText<'_>, files: &mut Files<'_>, first: &Ahead, (bound, brief): (u32, u32)) {
    use Section::{
        Blockers, Constraints, CurrentState, DecisionsMade, Errors, FilesRead, Findings, NextSteps, Notes,
        OpenQuestions, Requests, SessionIntent, TestResults, Things,
    };
    const ALL: usize = usize::MAX;
    // Pins may use the whole bound, because the caller set both.
    draft.offer(Constraints, u32::MAX, first.pins);
    // The room is for the text; its heading and the line about a cut are added.
    draft.offer(SessionIntent, intent_room(bound) + brief + 40, 1);
    // First, what critical probes ask for: the latest paths, constraints, the task, the latest open errors.
    files.paths(draft, bound / 20 * 9, CRITICAL_FILES);
    draft.offer(CurrentState, bound / 10, 1);
    draft.offer(Constraints, bound / 4, ALL);
    draft.offer(Errors, bound / 5, CRITICAL_ERRORS.min(first.open_errors));
    for (section, part) in first.of_phase {
        draft.offer(*section, bound / part, ALL);
    }
    files.paths(draft, bound / 20 * 9, ALL);
    let later_errors = first.open_errors.saturating_sub(CRITICAL_ERRORS);
    draft.offer(Errors, bound / 12, later_errors.min(1));
    // The other paths come before any description; a little is reserved for the state and the next steps.
    let waiting = |draft: &BoundedText<'_>, s| u32::from(draft.waiting(s) > 0);
    let kept_back = bound / 14 * waiting(draft, CurrentState)
        + bound / 14 * waiting(draft, NextSteps)
        + bound / 20 * waiting(draft, Blockers);
    files.paths(draft, draft.left.saturating_sub(kept_back), ALL);
    draft.offer(CurrentState, bound / 5, ALL);
    draft.offer(NextSteps, bound / 8, ALL);
    draft.offer(Errors, bound / 10, later_errors);
    draft.offer(Blockers, bound / 10, ALL);
    draft.offer(OpenQuestions, bound / 12, ALL);
    // The rest: every section gets its share before any gets more.
    files.details(draft, bound / 5, Depth::Brief);
    draft.offer(DecisionsMade, bound / 6, ALL);
    draft.offer(Findings, bound / 6, ALL);
    draft.offer(Things, bound / 4, ALL);
    draft.offer(Requests, bound / 10, first.open_requests);
    draft.offer(Notes, bound / 10, ALL);
    draft.offer(TestResults, bound / 16, ALL);
    draft.offer(FilesRead, bound / 16, ALL);
    // Then all of them in turn, so that a long list leaves the others their part. Errors get no more than their share: old
    // ones are mostly gone, and the digest uses the room better.
    for share in [bound / 8, bound / 8, u32::MAX] {
        files.details(draft, share, Depth::Brief);
        files.details(draft, share, Depth::Long);
        for section in [
            CurrentState, DecisionsMade, NextSteps, Blockers, Constraints, OpenQuestions, Findings, Things,
            TestResults, FilesRead, Notes,
        ] {
            draft.offer(section, share, ALL);
        }
    }
    // What is over gives way to all else.
    draft.offer(Requests, u32::MAX, ALL);
    draft.offer(Errors, bound / 10, ALL);
}

/// The lines of a section; `None` when they depend on the size of the text.
fn entries<'a>(layout: &Layout, section: Section, subject: &Subject<'a>) -> Option<Entries<'a>> {
    let summary = subject.summary;
    Some(match section {
        Section::SessionIntent | Section::FilesRead => return None,
        // Filled by their own code.
        Section::FilesModified => Entries::printed(Vec::new()),
        Section::Requests => content::requests(summary),
        Section::OpenQuestions => content::remarks(&summary.open_questions),
        Section::Findings => content::remarks(&summary.findings),
        Section::Notes => content::remarks(&summary.notes),
        Section::Things => things::things(summary),
        Section::DecisionsMade => content::decisions(summary, layout.decisions),
        Section::CurrentState => content::state(summary, layout.state_labels),
        Section::Errors if layout.fenced_error => {
            Entries::printed(fenced_error(subject).into_iter().collect())
        }
        Section::Errors => content::errors(summary, (subject.meta.version, subject.meta.through_seq)),
        Section::TestResults => content::test_results(summary),
        Section::Blockers => content::blockers(summary),
        Section::NextSteps => content::next_steps(summary),
        Section::Constraints => content::constraints(summary),
    })
}

/// The person's brief, where a model's words took its place as the intent: the first request that is open, when it is long.
fn brief(summary: &Summary) -> Option<&RequestEntry> {
    const LONG: usize = 300;
    let is_long = |request: &&RequestEntry| request.text.len() > LONG;
    let first = summary.requests.iter().filter(|one| one.state == RequestState::Open).find(is_long)?;
    let told = wording::normalized(&summary.session_intent);
    (!told.contains(&wording::normalized(wording::clip_words(&first.text, LONG / 4)))).then_some(first)
}

/// Whether a rendering shows less of the brief than there is.
fn is_brief_cut(summary: &Summary, shown: &Rendering) -> bool {
    let is_cut = |cut: &Cut| cut.section == Section::SessionIntent && cut.shortened > 0;
    brief(summary).is_some() || shown.cut.iter().any(is_cut)
}

/// The intent with the brief behind it, each whole or its beginning and end with the message that has all of it; and whether one
/// was cut. The intent has the first room, and the brief the second, which is also the intent's when there is no other brief.
fn intent(subject: &Subject<'_>, (room, more): (u32, u32), count: Count<'_>) -> (Option<Line>, bool) {
    let summary = subject.summary;
    let brief = brief(summary);
    let own = if brief.is_some() { room } else { room + more };
    let (mut shown, mut is_cut) =
        ends(summary.session_intent.trim(), summary.session_intent_seqs.first(), own, count);
    if let Some(brief) = brief.filter(|_| more > 0) {
        let (text, cut) =
            ends(&format!("In the person's words: {}", brief.text.trim()), brief.seqs.first(), more, count);
        if !text.is_empty() {
            shown.push('\n');
            shown.push_str(&text);
            is_cut |= cut;
        }
    }
    ((!shown.trim().is_empty()).then(|| Line::entry(0, shown)), is_cut)
}

/// A text, or its beginning and end with the message that has all of it; and whether it was cut.
fn ends(text: &str, seq: Option<&Seq>, room: u32, count: Count<'_>) -> (String, bool) {
    let mark = match seq {
        Some(seq) => format!("[… cut, all of it in message {seq} …]"),
        None => "[… cut …]".to_owned(),
    };
    // Enough of both ends for the largest bound, so that a pasted megabyte is not escaped as a whole.
    let most = (room as usize).saturating_mul(16).max(64);
    let is_large = text.len() > most.saturating_mul(2);
    let shown = if is_large {
        let head = wording::clip_words(text, most);
        let tail = wording::clip_words_tail(text, most / 2);
        format!("{head} {mark} {tail}")
    } else {
        text.to_owned()
    };
    let shown = escape::block(&shown, "");
    let clipped = clip_middle(&shown, &mark, room, count).unwrap_or_default();
    let is_cut = is_large || clipped.len() != shown.len();
    (clipped, is_cut)
}

fn fenced_error(subject: &Subject<'_>) -> Option<Line> {
    let open = content::open_errors(subject.summary);
    let error = open.first()?;
    let message = escape::short(&error.message, content::ERROR_CHARS).replace("```", "'''");
    let kind = match error.kind.as_ref().filter(|k| !message.starts_with(k.as_str())) {
        Some(kind) => format!("{}: ", escape::short(kind, 80).replace("```", "'''")),
        None => String::new(),
    };
    Some(Line::entry(0, format!("```\n{kind}{message}\n```")))
}
