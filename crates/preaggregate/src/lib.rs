//! Shortens the Markdown reports of several reviewing agents before they are stored (`POST /v1/preaggregate`), by their
//! severity markers alone.
//!
//! What lives here: the parsing of findings (`marker`, `block`), the shortening of each one (`finding`), the choice of
//! the prose that is kept (`outline`), and the report with sizes and warnings.
//! Invariant: findings of severity P1 or P2, rejected blocks and everything that cannot be parsed are returned byte for
//! byte; no file grows; the time is linear in the bytes of any input.
//! Must not know: models, sessions, where files come from.
//!
//! These parts of a file are kept, in their order: the header (the text before the first `## `, or without one the
//! first 500 characters), every finding, and the sections `## Reviewer Assumptions` and `## Summary`. Condensing a result
//! again changes nothing, with one exception: a header longer than 500 characters in a file that keeps no section is
//! cut, because the result has no `## ` to end it.

mod block;
mod fence;
mod finding;
mod marker;
mod outline;

use serde::Serialize;
use utoipa::ToSchema;

pub use block::RejectReason;
use block::{Block, BlockContent, blocks};
use outline::Place;

/// The default threshold: files are condensed when they have this many bytes in total.
pub const DEFAULT_THRESHOLD_BYTES: usize = 25_000;
/// The default prefix of markers.
pub const DEFAULT_PREFIX: &str = "RUNE";
/// The longest prefix, in bytes.
pub const MAX_PREFIX_BYTES: usize = 32;
/// The share of rejected findings above which there is a warning, in percent.
const WARN_REJECTED_PERCENT: usize = 10;

/// An agent's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentOutput<'a> {
    /// Its file's name.
    pub name: &'a str,
    /// Its Markdown.
    pub content: &'a str,
}

/// Options for condensing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options<'a> {
    /// Files are condensed when they have this many bytes in total.
    pub threshold_bytes: usize,
    /// The prefix of markers.
    pub prefix: &'a str,
    /// The names of expected files.
    pub expected: &'a [String],
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { threshold_bytes: DEFAULT_THRESHOLD_BYTES, prefix: DEFAULT_PREFIX, expected: &[] }
    }
}

/// The condensed outputs.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = PreaggregateResult)]
pub struct Preaggregated {
    /// Whether the files together reached the threshold; if not, they are as they were.
    pub condensed: bool,
    /// The files, in the order of the request.
    pub files: Vec<CondensedFile>,
    /// Sizes, findings and coverage of all files.
    pub report: PreaggregationReport,
}

/// A condensed output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CondensedFile {
    /// The file's name.
    pub name: String,
    /// Its condensed content.
    pub content: String,
    /// Its bytes before.
    pub original_bytes: usize,
    /// Its bytes after.
    pub condensed_bytes: usize,
    /// Valid findings; all of them are in `content`.
    pub kept: usize,
    /// Findings that are not valid, in order; they are in `content` word for word.
    pub rejected: Vec<RejectedFinding>,
}

/// A finding that is not valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RejectedFinding {
    /// The id that its marker has, when it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Why it was rejected.
    pub reason: RejectReason,
}

/// Sizes, findings and coverage of all files.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = PreaggregateReport)]
pub struct PreaggregationReport {
    /// Bytes of all files before.
    pub original_bytes: usize,
    /// Bytes of all files after.
    pub condensed_bytes: usize,
    /// The share of bytes that was saved: 1 − `condensed_bytes` / `original_bytes`; 0 when nothing was condensed.
    pub reduction: f64,
    /// Bytes from which on files are condensed.
    pub threshold_bytes: usize,
    /// Valid findings of all files.
    pub kept: usize,
    /// Findings of all files that are not valid.
    pub rejected: usize,
    /// Whether an expected file is absent.
    pub coverage_incomplete: bool,
    /// The expected files that are absent, in the order of the request.
    pub missing: Vec<String>,
    /// Warnings for the reader.
    pub warnings: Vec<String>,
}

/// Condenses the outputs if their total size reaches the threshold; else returns them unchanged, with a report.
pub fn preaggregate(outputs: &[AgentOutput<'_>], options: Options<'_>) -> Preaggregated {
    let original_bytes = outputs.iter().fold(0usize, |sum, output| sum.saturating_add(output.content.len()));
    let condensed = original_bytes >= options.threshold_bytes;
    let mut warnings = Vec::new();
    let files: Vec<CondensedFile> =
        outputs.iter().map(|output| one(output, options.prefix, condensed, &mut warnings)).collect();
    let kept = files.iter().map(|file| file.kept).sum();
    let rejected = files.iter().map(|file| file.rejected.len()).sum();
    if rejects_many(kept, rejected) {
        warnings.insert(0, told("all files together", kept, rejected));
    }
    let missing: Vec<String> = options
        .expected
        .iter()
        .filter(|name| !outputs.iter().any(|output| output.name == name.as_str()))
        .cloned()
        .collect();
    if !missing.is_empty() {
        warnings.push(format!("coverage_incomplete: {} of the expected files are absent", missing.len()));
    }
    let condensed_bytes = files.iter().map(|file| file.condensed_bytes).sum();
    let report = PreaggregationReport {
        original_bytes,
        condensed_bytes,
        reduction: reduction(original_bytes, condensed_bytes),
        threshold_bytes: options.threshold_bytes,
        kept,
        rejected,
        coverage_incomplete: !missing.is_empty(),
        missing,
        warnings,
    };
    Preaggregated { condensed, files, report }
}

/// Whether a text is a valid prefix of markers: a letter, then letters, digits, `_` and `-`.
pub fn is_prefix(text: &str) -> bool {
    text.len() <= MAX_PREFIX_BYTES
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(marker::is_word_byte)
}

fn one(output: &AgentOutput<'_>, prefix: &str, condense: bool, warnings: &mut Vec<String>) -> CondensedFile {
    let text = output.content;
    let scan = marker::scan(text, prefix);
    let blocks = blocks(text, &scan.marks);
    let (mut kept, mut rejected) = (0, Vec::new());
    for block in &blocks {
        match &block.content {
            BlockContent::Finding(_) => kept += 1,
            BlockContent::Rejected { id, reason } => {
                rejected.push(RejectedFinding { id: id.map(str::to_owned), reason: *reason });
            }
        }
    }
    if rejects_many(kept, rejected.len()) {
        warnings.push(told(&format!("`{}`", output.name), kept, rejected.len()));
    }
    let seen = !scan.marks.is_empty() || scan.foreign;
    let mut content = None;
    if condense {
        if kept == 0 && seen {
            warnings.push(format!("`{}` has markers and no valid finding; it is as it was", output.name));
        } else {
            content = Some(condensed(text, &blocks)).filter(|condensed| condensed.len() < text.len());
            if !seen && content.is_some() {
                let name = output.name;
                warnings.push(format!("`{name}` has no markers; its header and kept sections are left"));
            }
        }
    }
    let content = content.unwrap_or_else(|| text.to_owned());
    CondensedFile {
        name: output.name.to_owned(),
        original_bytes: text.len(),
        condensed_bytes: content.len(),
        content,
        kept,
        rejected,
    }
}

fn rejects_many(kept: usize, rejected: usize) -> bool {
    rejected * 100 > (kept + rejected) * WARN_REJECTED_PERCENT
}

fn told(whose: &str, kept: usize, rejected: usize) -> String {
    format!("{whose}: {rejected} of {} findings were rejected and kept word for word", kept + rejected)
}

#[expect(clippy::cast_precision_loss, reason = "bytes of a request are far below 2^52")]
fn reduction(before: usize, after: usize) -> f64 {
    if before == 0 {
        return 0.0;
    }
    // With four decimals, as all ratios in replies.
    ((1.0 - after as f64 / before as f64) * 10_000.0).round() / 10_000.0
}

/// The condensed text: the findings, shortened by their rules, with the header and the kept sections.
fn condensed(text: &str, blocks: &[Block<'_>]) -> String {
    let places = places(text, blocks);
    let kept = outline::kept(text, &places);
    let mut page = Page::new(text);
    let mut sections = kept.into_iter().peekable();
    let mut at = 0;
    for place in places {
        // The kept text between the last finding and this one.
        while let Some(section) = sections.peek().cloned() {
            page.keep(section.start.max(at)..section.end.min(place.range.start));
            if section.end > place.range.end {
                break;
            }
            sections.next();
        }
        page.put(&place);
        at = place.range.end;
    }
    for section in sections {
        page.keep(section.start.max(at)..section.end);
    }
    page.out
}

/// The places of blocks, in order and without overlap; overlapping blocks become one place, which is copied.
fn places<'a>(text: &str, blocks: &'a [Block<'a>]) -> Vec<Place<'a>> {
    let mut places: Vec<Place<'a>> = Vec::with_capacity(blocks.len());
    for block in blocks {
        let end = outline::line_rest(text, block.range.end);
        let mut start = outline::line_lead(text, block.range.start);
        if let Some(last) = places.last_mut() {
            if block.range.start < last.range.end {
                last.range.end = last.range.end.max(end);
                last.finding = None;
                continue;
            }
            start = start.max(last.range.end);
        }
        let finding = match &block.content {
            BlockContent::Finding(finding) if !finding.nests => Some(finding),
            BlockContent::Finding(_) | BlockContent::Rejected { .. } => None,
        };
        places.push(Place { range: start..end, finding });
    }
    places
}

/// The output, written piece by piece.
struct Page<'t> {
    text: &'t str,
    out: String,
    /// The end of the last piece in the text.
    at: usize,
    newline: &'static str,
}

impl<'t> Page<'t> {
    fn new(text: &'t str) -> Self {
        let first = memchr::memchr(b'\n', text.as_bytes()).and_then(|at| text.get(..at)).unwrap_or_default();
        let newline = if first.ends_with('\r') { "\r\n" } else { "\n" };
        Self { text, out: String::new(), at: 0, newline }
    }

    /// Begins a piece, with an empty line before it if text was left out.
    fn begin(&mut self, start: usize) {
        if start > self.at && !self.out.is_empty() {
            if !self.out.ends_with('\n') {
                self.out.push_str(self.newline);
            }
            self.out.push_str(self.newline);
        }
    }

    fn keep(&mut self, range: std::ops::Range<usize>) {
        let piece = self.text.get(range.clone()).unwrap_or_default();
        if piece.is_empty() {
            return;
        }
        self.begin(range.start);
        self.out.push_str(piece);
        self.at = range.end;
    }

    fn put(&mut self, place: &Place<'_>) {
        let less = place.finding.and_then(|finding| Some((finding, finding.condensed(self.text)?)));
        let Some((finding, less)) = less else {
            self.keep(place.range.clone());
            return;
        };
        self.begin(place.range.start);
        self.out.push_str(self.text.get(place.range.start..finding.open.start).unwrap_or_default());
        self.out.push_str(&less);
        self.out.push_str(self.text.get(finding.close.end..place.range.end).unwrap_or_default());
        self.at = place.range.end;
    }
}

#[cfg(test)]
mod tests;
