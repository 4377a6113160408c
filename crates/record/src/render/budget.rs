//! Fills a text within a token bound: sections by priority, each piece counted once.

use std::fmt::Write as _;

use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use super::super::section::Section;
use super::entries::{Entries, Line};
use super::rendering::{Count, Cut, Rendering};
use anchord_facts::wording;

/// What is said of entries that the bound cut. The reader is a model, which can call no path; where it has the service's
/// tools, contexts put the call in place of these words, which has as many tokens.
pub const NOT_SHOWN: &str = "stored-only";

/// No entry is shortened to fewer bytes.
const MIN_CLIP_BYTES: usize = 60;

/// A section that is being filled.
struct SectionFill<'a> {
    section: Section,
    heading: String,
    required: bool,
    empty: &'static str,
    /// Lines that did not fit so far, the most important first.
    passed: VecDeque<Rc<Line>>,
    queue: Rc<Entries<'a>>,
    /// How many lines of the queue were tried.
    offered: usize,
    taken: Vec<Rc<Line>>,
    /// How many entries of the summary the taken lines show.
    told: usize,
    /// How many of these entries were shortened.
    clipped: usize,
    /// How many entries a special filler did not show.
    hidden: usize,
    opened: bool,
}

/// A text that is being filled within a bound.
pub(super) struct BoundedText<'a> {
    count: Count<'a>,
    title: String,
    /// The tokens that are left.
    pub left: u32,
    more_tokens: u32,
    slots: Vec<SectionFill<'a>>,
    /// The last line; empty for none.
    closing: String,
}

/// The fixed parts of a section.
pub(super) struct SectionFrame {
    /// The section.
    pub section: Section,
    /// Its heading line, with the opening of its list or table.
    pub heading: String,
    /// Whether it is printed when it is empty.
    pub required: bool,
    /// The text of an empty section.
    pub empty: &'static str,
}

impl<'a> BoundedText<'a> {
    pub(super) fn new(title: &str, bound: u32, count: Count<'a>) -> Self {
        let more_tokens = count(&more_line(9999, 9999));
        // Reserved for a last line that names the sections without any room.
        let last_line = more_tokens + 24;
        let title_tokens = if title.is_empty() { 0 } else { count(title) + 2 };
        let left = bound.saturating_sub(title_tokens + last_line.min(bound / 8));
        Self { count, title: title.to_owned(), left, more_tokens, slots: Vec::new(), closing: String::new() }
    }

    /// Ends the text with a line, when it takes little of the room.
    pub(super) fn close_with(&mut self, line: &str) {
        let cost = (self.count)(line) + 2;
        if !line.is_empty() && cost <= self.left / 8 {
            self.left -= cost;
            line.clone_into(&mut self.closing);
        }
    }

    /// Adds a section with its entries.
    pub(super) fn section(&mut self, frame: SectionFrame, queue: Rc<Entries<'a>>) {
        let mut slot = SectionFill {
            section: frame.section,
            heading: frame.heading,
            required: frame.required,
            empty: frame.empty,
            passed: VecDeque::new(),
            queue,
            offered: 0,
            taken: Vec::new(),
            told: 0,
            clipped: 0,
            hidden: 0,
            opened: false,
        };
        if slot.required {
            let cost = (self.count)(&slot.heading) + (self.count)(slot.empty) + 3;
            self.left = self.left.saturating_sub(cost + self.more_tokens);
            slot.opened = true;
        }
        self.slots.push(slot);
    }

    /// How many lines of a section are not printed yet.
    pub(super) fn waiting(&self, section: Section) -> usize {
        self.slots.iter().find(|s| s.section == section).map_or(0, SectionFill::waiting)
    }

    /// The tokens of a text.
    pub(super) fn cost(&self, text: &str) -> u32 {
        (self.count)(text)
    }

    /// The tokens of a line, which all attempts share.
    pub(super) fn cost_of(&self, line: &Line) -> u32 {
        line.tokens(self.count)
    }

    /// Takes the tokens of a section's heading; `None` when there is no room for it.
    pub(super) fn open(&mut self, section: Section) -> Option<()> {
        let slot = self.slots.iter_mut().find(|s| s.section == section)?;
        if !slot.opened {
            let cost = (self.count)(&slot.heading) + 3 + self.more_tokens;
            self.left = self.left.checked_sub(cost)?;
            slot.opened = true;
        }
        Some(())
    }

    /// Prints at most `limit` lines of a section, for at most `cap` tokens.
    pub(super) fn offer(&mut self, section: Section, cap: u32, limit: usize) {
        if self.waiting(section) == 0 || limit == 0 {
            return;
        }
        let before = self.left;
        let mut cap = cap.min(self.left);
        if self.open(section).is_none() {
            return;
        }
        cap = cap.saturating_sub(before - self.left);
        let (count, left) = (self.count, &mut self.left);
        let Some(slot) = self.slots.iter_mut().find(|s| s.section == section) else { return };
        let mut pending = slot.waiting().min(limit);
        // Lines that are too large are skipped, a few at most, because a smaller one may fit.
        let mut passed: Vec<Rc<Line>> = Vec::new();
        while pending > 0 && passed.len() < 4 {
            pending -= 1;
            let Some(line) = slot.next() else { break };
            let room = cap.min(*left);
            // A row is useless without the head of its table.
            if line.behind.is_some_and(|head| !slot.taken.iter().any(|taken| taken.order == head)) {
                passed.push(line);
                continue;
            }
            // A text of n bytes has at least n / 16 tokens in any tokenizer that is in use; counting
            // a megabyte to learn that it does not fit would cost more than all the rest.
            let hopeless = line.text.len() / 16 > room as usize;
            let cost = if hopeless { u32::MAX } else { line.tokens(count).saturating_add(1) };
            if cost <= room {
                cap -= cost;
                *left -= cost;
                slot.told += line.entries;
                slot.clipped += line.shortens;
                slot.taken.push(line);
            } else if let Some(short) = line.clip.then(|| clip_tokens(&line.text, room, count)).flatten() {
                let cost = count(&short).saturating_add(1);
                cap = cap.saturating_sub(cost);
                *left = left.saturating_sub(cost);
                slot.clipped += 1;
                slot.told += line.entries;
                slot.taken.push(Rc::new(Line::entry(line.order, short)));
            } else {
                passed.push(line);
            }
        }
        for line in passed.into_iter().rev() {
            slot.passed.push_front(line);
        }
    }

    /// Adds lines to a section that were chosen, and whose tokens were taken, elsewhere.
    pub(super) fn place(&mut self, section: Section, lines: Vec<String>, hidden: usize, shortened: usize) {
        if let Some(slot) = self.slots.iter_mut().find(|s| s.section == section) {
            let placed = lines.into_iter().enumerate();
            slot.taken = placed.map(|(order, text)| Rc::new(Line::entry(order, text))).collect();
            slot.hidden = hidden;
            slot.clipped = shortened;
        }
    }

    /// Counts an entry that was shortened before it was offered.
    pub(super) fn shorten(&mut self, section: Section) {
        if let Some(slot) = self.slots.iter_mut().find(|s| s.section == section) {
            slot.clipped += 1;
        }
    }

    /// The finished text.
    pub(super) fn finish(mut self, names: impl Fn(Section) -> &'static str) -> Rendering {
        let mut text = self.title.clone();
        let mut cut = Vec::new();
        let mut sections: Vec<(Section, Range<usize>)> = Vec::new();
        let mut absent: Vec<(Section, usize)> = Vec::new();
        for slot in &mut self.slots {
            let waiting = slot.queue.all.saturating_sub(slot.told);
            let (omitted, shortened) = (waiting + slot.hidden, slot.clipped);
            if omitted + shortened > 0 {
                cut.push(Cut { section: slot.section, omitted, shortened });
            }
            if slot.taken.is_empty() && !slot.required {
                if omitted > 0 {
                    absent.push((slot.section, omitted));
                }
                continue;
            }
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(&slot.heading);
            let start = text.len();
            slot.taken.sort_by_key(|line| line.order);
            for line in &slot.taken {
                text.push('\n');
                text.push_str(&line.text);
            }
            if slot.taken.is_empty() && omitted == 0 {
                text.push('\n');
                text.push_str(slot.empty);
            }
            if omitted + shortened > 0 {
                text.push('\n');
                text.push_str(&more_line(omitted, shortened));
            }
            sections.push((slot.section, start..text.len()));
        }
        if !absent.is_empty() {
            let all: usize = absent.iter().map(|(_, n)| n).sum();
            let missing: Vec<&str> = absent.iter().map(|(s, _)| names(*s)).collect();
            text.push_str("\n\n");
            let _ = write!(text, "(+{all} more in {}, {NOT_SHOWN})", missing.join(", "));
        }
        if !self.closing.is_empty() {
            text.push_str("\n\n");
            text.push_str(&self.closing);
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let tokens = (self.count)(&text);
        Rendering { text, tokens, cut, sections }
    }
}

impl SectionFill<'_> {
    fn waiting(&self) -> usize {
        self.passed.len() + self.queue.lines.saturating_sub(self.offered)
    }

    /// The next line to try.
    fn next(&mut self) -> Option<Rc<Line>> {
        if let Some(line) = self.passed.pop_front() {
            return Some(line);
        }
        self.offered += 1;
        self.queue.line(self.offered - 1)
    }
}

fn more_line(omitted: usize, shortened: usize) -> String {
    match (omitted, shortened) {
        (0, some) => format!("({some} shortened, {NOT_SHOWN})"),
        (more, 0) => format!("(+{more} more, {NOT_SHOWN})"),
        (more, some) => format!("(+{more} more, {some} shortened, {NOT_SHOWN})"),
    }
}

/// The longest beginning of a text that fits, cut between words and marked; `None` when none does.
pub(super) fn clip_tokens(text: &str, room: u32, count: Count<'_>) -> Option<String> {
    let mut chars = (room as usize).saturating_mul(5).min(text.len());
    for _ in 0..8 {
        let head = wording::clip_words(text, chars);
        if head.trim().is_empty() {
            return None;
        }
        // A few words of a long entry are useless.
        if head.len() < text.len().min(MIN_CLIP_BYTES) {
            return None;
        }
        let clipped = if head.len() < text.len() { format!("{head} …") } else { head.to_owned() };
        if count(&clipped).saturating_add(1) <= room {
            return Some(clipped);
        }
        chars = chars * 3 / 4;
    }
    None
}

/// The beginning and end of a text around a mark, within `room` tokens; all of it when it fits.
pub(super) fn clip_middle(text: &str, mark: &str, room: u32, count: Count<'_>) -> Option<String> {
    if text.len() / 16 <= room as usize && count(text) < room {
        return Some(text.to_owned());
    }
    let mut chars = (room as usize).saturating_mul(5).min(text.chars().count());
    for _ in 0..10 {
        let head = wording::clip_words(text, chars * 3 / 4).trim_end();
        let tail = from_paragraph(wording::clip_words_tail(text, chars / 4)).trim_start();
        if head.is_empty() && tail.is_empty() {
            return None;
        }
        let clipped = format!("{head} {mark} {tail}");
        if count(&clipped) < room {
            return Some(clipped.trim().to_owned());
        }
        chars = chars * 3 / 4;
    }
    None
}

/// The end of a text from a paragraph, a heading or at least a line on, when one begins in its first half: the rest of a sentence
/// or a command says nothing.
fn from_paragraph(tail: &str) -> &str {
    let begins = |mark: &str| tail.find(mark).filter(|at| *at <= tail.len() / 2);
    let at = begins("\n\n").or_else(|| begins("\n\\##")).or_else(|| begins("\n##")).or_else(|| begins("\n"));
    at.and_then(|at| tail.get(at..)).unwrap_or(tail)
}

/// Builds a text again, smaller each time, until it is within the bound: joined pieces may have a few more
/// tokens than separate ones.
pub(super) fn within(bound: u32, count: Count<'_>, build: impl Fn(u32) -> Rendering) -> Rendering {
    let mut target = bound - bound / 50;
    let mut last = None;
    for _ in 0..6 {
        let rendering = build(target);
        if rendering.tokens <= bound {
            return grow(rendering, target, bound, &build);
        }
        let over = rendering.tokens - bound;
        last = Some(rendering);
        if target == 0 {
            break;
        }
        target = target.saturating_sub(over + bound / 50 + 4);
    }
    last.map_or_else(|| build(0), |r| truncate(r, bound, count))
}

/// Tries once or twice to use the tokens that the separately counted pieces left.
fn grow(first: Rendering, target: u32, bound: u32, build: &impl Fn(u32) -> Rendering) -> Rendering {
    let (mut best, mut target) = (first, target);
    for _ in 0..2 {
        let unused = bound - best.tokens;
        if best.cut.is_empty() || unused < bound / 12 {
            break;
        }
        target = target.saturating_add(unused / 5 * 4);
        let larger = build(target);
        if larger.tokens > bound || larger.tokens <= best.tokens {
            break;
        }
        best = larger;
    }
    best
}

/// Keeps whole lines from the beginning, for a bound in which not even the headings fit.
fn truncate(mut rendering: Rendering, bound: u32, count: Count<'_>) -> Rendering {
    let mut text = String::new();
    let mut tokens = 0;
    for line in rendering.text.split_inclusive('\n') {
        let cost = count(line);
        if tokens + cost > bound {
            break;
        }
        tokens += cost;
        text.push_str(line);
    }
    while !text.is_empty() && count(&text) > bound {
        let end = text.trim_end().rfind('\n').unwrap_or(0);
        text.truncate(end);
    }
    rendering.tokens = count(&text);
    let end = text.len();
    rendering.sections.retain_mut(|(_, range)| {
        range.end = range.end.min(end);
        range.start < range.end
    });
    if rendering.sections.is_empty() {
        // An empty list would mean that the style has no sections.
        rendering.sections.push((Section::SessionIntent, 0..0));
    }
    rendering.text = text;
    rendering
}
