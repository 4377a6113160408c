//! Finds the prose of a report that is kept (its header and some sections), by headings and code fences.

use std::ops::Range;

use super::fence::Fence;
use super::finding::Finding;

/// The longest header of a text without sections, in characters.
const HEADER_CHARS: usize = 500;
/// The sections that are kept whole.
const KEPT_SECTIONS: [&str; 2] = ["Reviewer Assumptions", "Summary"];
/// The beginning of a section's heading.
const SECTION: &str = "## ";

/// Where one or several blocks stand that come out as one piece.
pub(super) struct Place<'a> {
    pub range: Range<usize>,
    /// The finding, when the rules may touch it; word for word without one.
    pub finding: Option<&'a Finding<'a>>,
}

/// The ranges of the header and of kept sections, ascending and without overlap. A line like a heading within a finding
/// belongs to the finding.
pub(super) fn kept(text: &str, places: &[Place<'_>]) -> Vec<Range<usize>> {
    let headings = headings(text, places);
    let header = match headings.first() {
        Some(first) => 0..*first,
        None => 0..text.char_indices().nth(HEADER_CHARS).map_or(text.len(), |(at, _)| at),
    };
    let mut kept = vec![header];
    let fences = Fences::of(text, places);
    let mut at = 0;
    while let Some(start) = headings.get(at).copied() {
        at += 1;
        if is_kept(text, start) {
            let after = headings.get(at..).unwrap_or_default();
            let passed = fences.passed_over(start, after);
            at += passed;
            kept.push(start..headings.get(at).copied().unwrap_or(text.len()));
        }
    }
    kept
}

fn headings(text: &str, places: &[Place<'_>]) -> Vec<usize> {
    let mut headings = Vec::new();
    let mut places = places.iter().peekable();
    let first = text.starts_with(SECTION).then_some(0);
    for at in first.into_iter().chain(memchr::memmem::find_iter(text.as_bytes(), "\n## ").map(|at| at + 1)) {
        while places.next_if(|place| place.range.end <= at).is_some() {}
        if places.peek().is_none_or(|place| at < place.range.start) {
            headings.push(at);
        }
    }
    headings
}

fn is_kept(text: &str, heading: usize) -> bool {
    let rest = text.get(heading + SECTION.len()..).unwrap_or_default().trim_start_matches(' ');
    KEPT_SECTIONS.iter().any(|name| {
        let (said, after) = rest.split_at_checked(name.len()).unwrap_or_default();
        said.eq_ignore_ascii_case(name) && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

/// The code fences of a text outside of its findings; code in a finding ends within it.
struct Fences {
    lines: Vec<(usize, Fence)>,
    /// For each fence, the longest closing fence from it on: of backticks, of tildes.
    longest: Vec<[usize; 2]>,
}

impl Fences {
    fn of(text: &str, places: &[Place<'_>]) -> Self {
        let mut lines = Vec::new();
        let mut places = places.iter().peekable();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            while places.next_if(|place| place.range.end <= start).is_some() {}
            let outside = places.peek().is_none_or(|place| start < place.range.start);
            if let Some(fence) = Fence::of(line).filter(|_| outside) {
                lines.push((start, fence));
            }
            start += line.len();
        }
        let mut longest = vec![[0; 2]; lines.len() + 1];
        let mut so_far = [0; 2];
        for ((_, fence), longest) in lines.iter().zip(&mut longest).rev() {
            let [ticks, tildes] = &mut so_far;
            let of_letter = if fence.letter == b'`' { ticks } else { tildes };
            *of_letter = (*of_letter).max(if fence.bare { fence.length } else { 0 });
            *longest = so_far;
        }
        Self { lines, longest }
    }

    /// How many of the headings after `start` are in closed code blocks that begin after it.
    fn passed_over(&self, start: usize, headings: &[usize]) -> usize {
        let mut passed = 0;
        let mut line = self.lines.partition_point(|(at, _)| *at < start);
        while let (Some((at, fence)), Some(heading)) = (self.lines.get(line), headings.get(passed)) {
            if heading < at {
                break;
            }
            line += 1;
            if !self.ends(line, *fence) {
                continue;
            }
            let mut end = *at;
            for (at, close) in self.lines.get(line..).unwrap_or_default() {
                line += 1;
                end = *at;
                if close.closes(*fence) {
                    break;
                }
            }
            passed += headings.get(passed..).unwrap_or_default().partition_point(|heading| *heading < end);
        }
        passed
    }

    /// Whether a fence is closed by the fence at this index or a later one.
    fn ends(&self, line: usize, fence: Fence) -> bool {
        let [ticks, tildes] = self.longest.get(line).copied().unwrap_or_default();
        (if fence.letter == b'`' { ticks } else { tildes }) >= fence.length
    }
}

/// The start of the line, if there is only white space between it and `at`; else `at`.
pub(super) fn line_lead(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let lead = before.trim_end_matches([' ', '\t']);
    if lead.is_empty() || lead.ends_with('\n') { lead.len() } else { at }
}

/// The start of the next line, if there is only white space between `at` and it; else `at`.
pub(super) fn line_rest(text: &str, at: usize) -> usize {
    let after = text.get(at..).unwrap_or_default();
    let rest = after.trim_start_matches([' ', '\t', '\r']);
    let spaces = after.len() - rest.len();
    if rest.starts_with('\n') {
        at + spaces + 1
    } else if rest.is_empty() {
        at + spaces
    } else {
        at
    }
}
