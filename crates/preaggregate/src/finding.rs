//! One valid finding, and how its rules shorten it.
//!
//! A trace is the code that a finding shows as its evidence: a fenced block under a label whose last word is
//! "trace" (`- **Rune Trace:**`, `**Trace:**`, `### Trace`, `Trace:`), with nothing but empty lines between
//! the two. A finding is kept whole if a fence in it is not closed, if its severity is unknown, or if it is a nit
//! without a title or a location.

use std::ops::Range;

use super::fence::Fence;
use super::marker::Attributes;

/// The number of lines of code that a shortened trace keeps.
const TRACE_LINES: usize = 3;
/// Replaces the rest of the code.
const TRUNCATED: &str = "# ... truncated ...";
/// The longest label; a longer line is prose.
const MAX_LABEL_BYTES: usize = 120;

/// A valid finding.
#[derive(Debug)]
pub(super) struct Finding<'a> {
    pub attributes: Attributes<'a>,
    /// The range of its opening marker.
    pub open: Range<usize>,
    /// The range of its closing marker.
    pub close: Range<usize>,
    /// Whether other findings begin within it.
    pub nests: bool,
}

impl Finding<'_> {
    /// The shortened finding, with its markers; `None` when it is kept as it is.
    pub(super) fn condensed(&self, text: &str) -> Option<String> {
        let by_severity = match self.attributes.severity {
            Some("P3") => true,
            None => false,
            // P1 and P2 are kept; an unknown severity may be worse.
            Some(_) => return None,
        };
        let body = text.get(self.open.end..self.close.start)?;
        let body = match self.attributes.interaction {
            Some("question") => without_traces(body)?,
            Some("nit") => self.one_line(body)?,
            _ if by_severity => with_short_traces(body)?,
            _ => return None,
        };
        let (open, close) = (text.get(self.open.clone())?, text.get(self.close.clone())?);
        Some(format!("{open}{body}{close}"))
    }

    fn one_line(&self, body: &str) -> Option<String> {
        let (id, file, line) = (self.attributes.id?, self.attributes.file?, self.attributes.line?);
        let title = title(body, id, &format!(" in `{file}:{line}`"))?;
        if file.is_empty() || file.contains(['`', '\n', '\r']) {
            return None;
        }
        let newline = if body.starts_with("\r\n") { "\r\n" } else { "\n" };
        Some(format!("{newline}- [ ] **[{id}] {title}** in `{file}:{line}` _(compressed)_{newline}"))
    }
}

/// The title: the text after the id in the first line, else that line, without bold marks.
fn title(body: &str, id: &str, place: &str) -> Option<String> {
    let line = body.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line = line.trim_start_matches(['#', '-', '*', '+', ' ']);
    let line = line.strip_prefix("[ ]").or_else(|| line.strip_prefix("[x]")).unwrap_or(line);
    let (bold, bracketed, bare) = (format!("**[{id}]"), format!("[{id}]"), format!("{id}:"));
    let after = |mark: &str| line.find(mark).and_then(|at| line.get(at + mark.len()..));
    let in_bold = after(&bold).and_then(|rest| rest.split_once("**")).map(|(title, _)| title);
    let title = in_bold.or_else(|| after(&bracketed)).or_else(|| after(&bare)).unwrap_or(line);
    let title = title.split(place).next().unwrap_or_default().replace("**", "");
    let title = title.trim_start_matches(|c: char| c.is_whitespace() || "*:-–—".contains(c));
    let title = title.trim_end_matches(|c: char| c.is_whitespace() || c == '*');
    (!title.is_empty()).then(|| title.to_owned())
}

/// The ranges of a trace in the finding.
struct Trace {
    /// From its label to its fence's end.
    whole: Range<usize>,
    /// The lines between the fences.
    code: Range<usize>,
    /// The indentation of its fence.
    indent: Range<usize>,
}

fn without_traces(body: &str) -> Option<String> {
    rewritten(body, |trace, _| (trace.whole, String::new()))
}

fn with_short_traces(body: &str) -> Option<String> {
    rewritten(body, |trace, code| {
        let mut ends = memchr::memchr_iter(b'\n', code.as_bytes()).map(|end| end + 1);
        let cut = ends.nth(TRACE_LINES - 1).unwrap_or(code.len());
        let (head, tail) = (code.get(..cut).unwrap_or(code), code.get(cut..).unwrap_or_default());
        if tail.is_empty() {
            return (trace.code, code.to_owned());
        }
        let newline = if head.ends_with("\r\n") { "\r\n" } else { "\n" };
        let indent = body.get(trace.indent).unwrap_or_default();
        (trace.code, format!("{head}{indent}{TRUNCATED}{newline}"))
    })
}

/// The body with a part of each trace replaced; `None` without a trace, or when it cannot be parsed.
fn rewritten(body: &str, replace: impl Fn(Trace, &str) -> (Range<usize>, String)) -> Option<String> {
    let traces = traces(body).filter(|traces| !traces.is_empty())?;
    let mut out = String::with_capacity(body.len());
    let mut at = 0;
    for trace in traces {
        let code = body.get(trace.code.clone())?;
        let (range, text) = replace(trace, code);
        out.push_str(body.get(at..range.start)?);
        out.push_str(&text);
        at = range.end;
    }
    out.push_str(body.get(at..)?);
    Some(out)
}

/// The traces of a finding; `None` when a fence is not closed within it.
fn traces(body: &str) -> Option<Vec<Trace>> {
    let mut traces = Vec::new();
    let mut label: Option<usize> = None;
    let mut open: Option<(Fence, Trace)> = None;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        if let Some((fence, mut trace)) = open.take() {
            if Fence::of(line).is_some_and(|close| close.closes(fence)) {
                trace.code.end = start;
                trace.whole.end = end;
                if label.take().is_some() {
                    traces.push(trace);
                }
            } else {
                open = Some((fence, trace));
            }
            continue;
        }
        if let Some(fence) = Fence::of(line) {
            let indent = start..start + (line.len() - line.trim_start().len());
            let whole = label.unwrap_or(start)..end;
            open = Some((fence, Trace { whole, code: end..end, indent }));
        } else if is_label(line) {
            label = label.or(Some(start));
        } else if !line.trim().is_empty() {
            label = None;
        }
    }
    open.is_none().then_some(traces)
}

/// Whether a line is a label for a trace.
fn is_label(line: &str) -> bool {
    let line = line.trim();
    if line.len() > MAX_LABEL_BYTES {
        return false;
    }
    let line =
        line.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with(' ')).map_or(line, str::trim);
    if line.starts_with('#') {
        return is_trace(line.trim_matches(['#', ' ', ':', '*']));
    }
    for bold in ["**", "__"] {
        let inner = line.strip_prefix(bold).and_then(|rest| rest.split_once(bold));
        if let Some((inner, _)) = inner {
            return is_trace(inner);
        }
    }
    line.strip_suffix(':').is_some_and(is_trace)
}

fn is_trace(label: &str) -> bool {
    let label = label.split('(').next().unwrap_or_default().trim_end_matches([':', ' ']);
    let word = label.split_whitespace().last().unwrap_or_default().as_bytes();
    word.len() >= 5 && word.get(word.len() - 5..).is_some_and(|end| end.eq_ignore_ascii_case(b"trace"))
}
