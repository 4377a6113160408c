//! Blocks: each finding from its opening to its closing marker, valid or rejected.
//!
//! A block without a closing marker reaches to the next opening one, or to the end, so that it contains all of the
//! finding's text and nothing is lost.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;
use utoipa::ToSchema;

use super::finding::Finding;
use super::marker::{Attributes, Kind, Mark};

/// Why a finding is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RejectReason {
    /// Its marker cannot be read: no end, a value without quotes, an attribute twice.
    MalformedMarker,
    /// Its id is not like `SEC-001` or `SEC-001-Q`.
    BadId,
    /// Its path has a `..` or begins with `/`.
    BadPath,
    /// Its nonce is missing or blank.
    NoNonce,
    /// Its line is not a number.
    BadLine,
    /// Its closing marker is missing.
    NoCloser,
}

/// A finding, valid or rejected, and its range.
#[derive(Debug)]
pub(super) struct Block<'a> {
    pub range: Range<usize>,
    pub content: BlockContent<'a>,
}

#[derive(Debug)]
pub(super) enum BlockContent<'a> {
    Finding(Finding<'a>),
    Rejected { id: Option<&'a str>, reason: RejectReason },
}

/// Builds blocks from markers, in the order of the opening ones.
pub(super) fn blocks<'a>(text: &str, marks: &[Mark<'a>]) -> Vec<Block<'a>> {
    let closings = Closings::of(marks);
    let mut next_opening: Option<usize> = None;
    let mut next_of_id: BTreeMap<&str, usize> = BTreeMap::new();
    let mut blocks = Vec::new();
    // Backwards, because an opening marker needs the markers after it.
    for (at, mark) in marks.iter().enumerate().rev() {
        let attributes = match &mark.kind {
            Kind::Close(_) => continue,
            Kind::Unreadable => None,
            Kind::Open(attributes) => Some(attributes),
        };
        let id = attributes.and_then(|attributes| attributes.id);
        let following = marks.get(at + 1);
        let close = match (id, following.map(|next| &next.kind)) {
            // A closing marker directly after the opening one belongs to it, if one of the two has no id.
            (_, Some(Kind::Close(None))) | (None, Some(Kind::Close(Some(_)))) => Some(at + 1),
            (Some(id), _) => {
                let again = next_of_id.get(id).copied().unwrap_or(usize::MAX);
                closings.after(id, at).filter(|close| *close < again)
            }
            (None, _) => None,
        };
        let open = mark.range.clone();
        let close_range = close.and_then(|close| marks.get(close)).map(|mark| mark.range.clone());
        let end = close_range.as_ref().map_or_else(
            || next_opening.and_then(|next| marks.get(next)).map_or(text.len(), |next| next.range.start),
            |close| close.end,
        );
        let fault = attributes.map_or(Some(RejectReason::MalformedMarker), fault);
        let content = match (fault, attributes, close_range) {
            (None, Some(attributes), Some(close_range)) => {
                let nests = close.zip(next_opening).is_some_and(|(close, next)| next < close);
                let finding =
                    Finding { attributes: *attributes, open: open.clone(), close: close_range, nests };
                BlockContent::Finding(finding)
            }
            (fault, ..) => BlockContent::Rejected { id, reason: fault.unwrap_or(RejectReason::NoCloser) },
        };
        blocks.push(Block { range: open.start..end, content });
        next_opening = Some(at);
        if let Some(id) = id {
            next_of_id.insert(id, at);
        }
    }
    blocks.reverse();
    blocks
}

/// The first rule that the marker breaks; `None` when it is valid.
fn fault(attributes: &Attributes<'_>) -> Option<RejectReason> {
    if !attributes.id.is_some_and(is_id) {
        return Some(RejectReason::BadId);
    }
    if !attributes.file.is_none_or(is_path) {
        return Some(RejectReason::BadPath);
    }
    if attributes.nonce.is_none_or(|nonce| nonce.trim().is_empty()) {
        return Some(RejectReason::NoNonce);
    }
    let is_number = |line: &str| !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit());
    (!attributes.line.is_none_or(is_number)).then_some(RejectReason::BadLine)
}

/// Whether a text is an id such as `SEC-001` or `SEC-001-Q`: a word in capitals, a number of at least three digits.
fn is_id(id: &str) -> bool {
    let id = id.strip_suffix("-Q").unwrap_or(id);
    id.split_once('-').is_some_and(|(word, number)| {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
            && number.len() >= 3
            && number.bytes().all(|b| b.is_ascii_digit())
    })
}

fn is_path(path: &str) -> bool {
    !path.starts_with(['/', '\\']) && !path.split(['/', '\\']).any(|step| step == "..")
}

/// The closing markers of each id, as ascending indexes into the marks.
struct Closings<'a>(BTreeMap<&'a str, Vec<usize>>);

impl<'a> Closings<'a> {
    fn of(marks: &[Mark<'a>]) -> Self {
        let mut closings: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, mark) in marks.iter().enumerate() {
            if let Kind::Close(Some(id)) = mark.kind {
                closings.entry(id).or_default().push(at);
            }
        }
        Self(closings)
    }

    /// Index of the first closing marker with this id behind index `at`.
    fn after(&self, id: &str, at: usize) -> Option<usize> {
        let of_id = self.0.get(id)?;
        of_id.get(of_id.partition_point(|close| *close <= at)).copied()
    }
}
