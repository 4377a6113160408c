//! The mask: which tool outputs are served clipped, and which as placeholders.
//!
//! What lives here: what is eligible, what is protected, and the placeholder's text.
//! Invariant: whether an output is clipped depends on its message and the stored [`Clipping`], never on the present length
//! of the conversation. That changes when a compression ends, or when nothing is left to compress, so that the served
//! prefix stays cacheable between.
//! Must not know: bodies, formats, budgets.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::tools::{ToolMode, output_named};
use anchord_messages::id::Seq;
use anchord_messages::shape::{AsShape, ResultShape, shows_error};

/// How many of the newest messages keep their outputs whole.
pub const PROTECTED_MESSAGES: usize = 5;
/// An output is clipped from this share of the effective window on.
const CLIPPED_SHARE: u32 = 10;
/// No output with fewer tokens is clipped by its place alone.
const LEAST_CLIPPED: u32 = 600;
/// The fewest tokens that are left of an output that is clipped.
const LEAST_LEFT: u32 = 200;
/// What is left of an output that is clipped, as a share of the tokens from which on outputs are.
const LEFT_SHARE: u32 = 4;
/// The most open errors whose outputs are not masked: the newest. A session that fails all the time must
/// still be maskable. An error is open until the same command runs again: masking is decided within an
/// append, which reads no bodies, so the ledger cannot be asked. The cost: an error that something else
/// repaired stays too long.
const MOST_OPEN_ERRORS: usize = 3;

/// How the tool outputs of a message are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = KeepOutput)]
pub enum Keep {
    /// Served in full, unless the budget binds; also where a summary covers it.
    Always,
    /// Its outputs are masked at once, and a message without calls and results is left out.
    Never,
}

/// Marks by message, as callers set them.
pub type Marks = BTreeMap<Seq, Keep>;

/// Whether tool outputs are masked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MaskMode {
    /// By the policy of this module.
    #[default]
    Auto,
    /// Never; a budget that binds clips outputs instead.
    Off,
}

/// Up to where, and from which size on, tool outputs are clipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clipping {
    /// The last message whose outputs are.
    pub upto: Seq,
    /// The tokens from which on an output is.
    pub from: u32,
}

impl Clipping {
    /// The outputs up to `upto` with at least `from` tokens.
    pub fn of(upto: Seq, from: u32) -> Self {
        Self { upto, from }
    }

    /// The tokens from which on an output is too large to stay whole in an effective window for long.
    pub fn large_in(window: u32) -> u32 {
        (window / CLIPPED_SHARE).max(LEAST_CLIPPED)
    }

    /// The sizes from which on outputs are clipped, when larger ones alone do not save enough: the largest go first.
    pub fn sizes(window: u32) -> impl Iterator<Item = u32> {
        let next = |from: &u32| Some(from / 4 * 3).filter(|next| *next >= LEAST_CLIPPED);
        std::iter::successors(Some(Self::large_in(window)), next)
    }

    /// The tokens that are left of an output.
    pub fn left(self) -> u32 {
        (self.from / LEFT_SHARE).max(LEAST_LEFT)
    }

    /// Whether an output of a message is clipped.
    pub fn takes(self, seq: Seq, result: &ResultShape) -> bool {
        self.from > 0 && seq <= self.upto && result.tokens >= self.from && result.is_maskable()
    }

    /// The tokens that clipping saves of a message; nothing of one that the caller marked.
    pub fn saves<T: AsShape>(self, item: &T, marks: &Marks) -> u64 {
        if marks.contains_key(&item.seq()) {
            return 0;
        }
        let clipped = item.results().iter().filter(|result| self.takes(item.seq(), result));
        clipped.map(|result| u64::from(result.tokens - self.left())).sum()
    }
}

/// The place of a tool output among the given messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OutputAt {
    /// The message's index.
    pub item: usize,
    /// The result's index within the message.
    pub result: usize,
}

/// The outputs that the caller marked [`Keep::Never`], which are served as placeholders, and those that are clipped; each
/// in order.
pub fn masked<T: AsShape>(items: &[T], clipping: Clipping, marks: &Marks) -> (Vec<OutputAt>, Vec<OutputAt>) {
    let (mut removed, mut clipped) = (Vec::new(), Vec::new());
    for (item, result, shape, seq) in outputs(items) {
        let at = OutputAt { item, result };
        match marks.get(&seq) {
            Some(Keep::Never) if shape.is_maskable() => removed.push(at),
            None if clipping.takes(seq, shape) => clipped.push(at),
            Some(Keep::Always | Keep::Never) | None => {}
        }
    }
    (removed, clipped)
}

fn outputs<T: AsShape>(items: &[T]) -> impl DoubleEndedIterator<Item = (usize, usize, &ResultShape, Seq)> {
    items.iter().enumerate().flat_map(|(i, item)| {
        item.results().iter().enumerate().map(move |(r, shape)| (i, r, shape, item.seq()))
    })
}

/// The messages up to `upto` whose outputs show an error and whose command was not run again up to there;
/// only the newest few. They depend on `upto` alone, as masking does.
pub fn open_errors<T: AsShape>(items: &[T], upto: Seq) -> BTreeSet<Seq> {
    let mut open = BTreeSet::new();
    if !items.iter().any(|item| item.seq() <= upto) {
        return open;
    }
    let mut asked: HashMap<&str, &str> = HashMap::new();
    let mut runs: Vec<(Seq, &str, bool)> = Vec::new();
    for item in items.iter().take_while(|item| item.seq() <= upto) {
        for call in item.calls() {
            asked.insert(&call.id, &call.what);
        }
        for result in item.results() {
            let what = asked.get(result.call_id.as_str()).copied().unwrap_or_default();
            let failed = result.key.as_deref().is_some_and(shows_error);
            runs.push((item.seq(), what, failed));
        }
    }
    let mut known: HashSet<&str> = HashSet::new();
    for (seq, what, failed) in runs.into_iter().rev() {
        if open.len() == MOST_OPEN_ERRORS {
            break;
        }
        if known.insert(what) && failed {
            open.insert(seq);
        }
    }
    open
}

/// The text in place of a masked output; `what` describes the call. It says how to read the output only where the model
/// that reads the text has the service's tools.
pub fn placeholder(result: &ResultShape, what: Option<&str>, tools: ToolMode) -> String {
    let output = output_named(tools, &result.reference);
    let what = what.or(result.name.as_deref()).filter(|w| !w.is_empty()).unwrap_or("a tool");
    let lines = if result.lines == 1 { "line" } else { "lines" };
    let media = match result.media {
        0 => String::new(),
        1 => " and 1 image or file".to_owned(),
        n => format!(" and {n} images or files"),
    };
    let key = result.key.as_ref().map_or_else(String::new, |key| format!(" · key: {key}"));
    format!(
        "[{output}: {} {lines}{media} from \"{}\"{key}]",
        result.lines,
        anchord_messages::shape::one_line(what, 80)
    )
}

#[cfg(test)]
mod tests;
