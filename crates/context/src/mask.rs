//! The mask: which tool outputs are served as placeholders.
//!
//! What lives here: the policy of masking (what is eligible, what is protected), the stepwise move of
//! the mask position, and the placeholder's text.
//! Invariant: what is masked depends on what is stored up to the mask position, never on the present length of the
//! conversation, so that the served prefix changes in steps and stays cacheable between them. Exact repeats
//! are an exception: they are searched for every [`STRIDE`] messages.
//! Must not know: bodies, formats, budgets.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::tools::{ToolMode, output_named};
use anchord_messages::id::Seq;
use anchord_messages::shape::{AsShape, ResultShape, shows_error};

/// Exact repeats are searched for when the conversation passes a multiple of this many messages, so that
/// single repeats do not change the prefix at every turn. The cost: a repeat may be served whole for that
/// long.
pub const STRIDE: Seq = 20;
/// How many of the newest messages keep their outputs.
pub const PROTECTED_MESSAGES: Seq = 5;
/// At the warn level this many of the newest tool results are not masked.
const RECENT_RESULTS: usize = 10;
/// The fewest outputs that one step masks, at each level.
const WARN_STEP_OUTPUTS: usize = 5;
const FORCE_STEP_OUTPUTS: usize = 2;
/// At the force level a step may mask fewer outputs when they have this many tokens together.
const FORCE_STEP_TOKENS: u32 = 2_000;
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

/// How hard the session presses on its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Below the warn level: the mask position does not move.
    Calm,
    /// From the warn level on.
    Warn,
    /// From the force level on.
    Force,
}

/// How a step of the mask position is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Press {
    /// How hard the session presses on its window.
    pub level: Level,
    /// The first message whose outputs are not masked, nor those of later ones.
    pub protected_from: Seq,
}

/// What one step masks at a level.
#[derive(Clone, Copy, Debug)]
struct Thresholds {
    /// How many of the newest outputs are not masked.
    recent_results: usize,
    /// The fewest outputs of a step.
    outputs: usize,
    /// The fewest tokens of a step that has fewer outputs.
    tokens: u32,
}

impl Thresholds {
    fn at(level: Level) -> Option<Self> {
        match level {
            Level::Calm => None,
            Level::Warn => {
                Some(Self { recent_results: RECENT_RESULTS, outputs: WARN_STEP_OUTPUTS, tokens: u32::MAX })
            }
            Level::Force => {
                Some(Self { recent_results: 0, outputs: FORCE_STEP_OUTPUTS, tokens: FORCE_STEP_TOKENS })
            }
        }
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

/// The places of the outputs to mask, in order: the large ones up to `mask_upto`, the older copies of exact
/// repeats, and those of messages that the caller marked [`Keep::Never`].
pub fn masked<T: AsShape>(items: &[T], mask_upto: Seq, marks: &Marks, head_seq: Seq) -> Vec<OutputAt> {
    let mut found = Vec::new();
    let repeats = repeats(items, marks, head_seq);
    let open = open_errors(items, mask_upto);
    for (item, result, shape, seq) in outputs(items) {
        let at = OutputAt { item, result };
        let wanted = match marks.get(&seq) {
            Some(Keep::Always) => false,
            Some(Keep::Never) => true,
            None => {
                let old = seq <= mask_upto && shape.is_large() && !open.contains(&seq);
                old || repeats.contains(&at)
            }
        };
        if wanted && shape.is_maskable() {
            found.push(at);
        }
    }
    found
}

fn outputs<T: AsShape>(items: &[T]) -> impl DoubleEndedIterator<Item = (usize, usize, &ResultShape, Seq)> {
    items.iter().enumerate().flat_map(|(i, item)| {
        item.results().iter().enumerate().map(move |(r, shape)| (i, r, shape, item.seq()))
    })
}

/// The older copies of repeated outputs, as of the last multiple of [`STRIDE`].
fn repeats<T: AsShape>(items: &[T], marks: &Marks, head_seq: Seq) -> HashSet<OutputAt> {
    let seen_until = head_seq / STRIDE * STRIDE;
    let protected_from = seen_until - PROTECTED_MESSAGES;
    let mut newest: HashSet<&str> = HashSet::new();
    let mut older = HashSet::new();
    for (item, result, shape, seq) in outputs(items).rev() {
        if seq > seen_until || !shape.is_maskable() {
            continue;
        }
        // A newer copy that is itself removed does not replace the older one.
        if marks.get(&seq) == Some(&Keep::Never) {
            continue;
        }
        if !newest.insert(&shape.reference) && seq <= protected_from {
            older.insert(OutputAt { item, result });
        }
    }
    older
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

/// The first of the newest messages that keep their outputs.
#[must_use]
pub fn first_protected(head_seq: Seq) -> Seq {
    head_seq - PROTECTED_MESSAGES + 1
}

/// The next mask position, given the messages after the anchor: further on by a step of several outputs, or
/// the same. It never moves back, and `press` says how hard to press and from which message on nothing is masked.
pub fn step<T: AsShape>(mask_upto: Seq, items: &[T], marks: &Marks, press: Press) -> Seq {
    let Some(thresholds) = Thresholds::at(press.level) else { return mask_upto };
    let (mut count, mut tokens, mut last) = (0, 0u32, mask_upto);
    let all = outputs(items).count();
    let open = open_errors(items, Seq::MAX);
    for (_, _, shape, seq) in outputs(items).take(all.saturating_sub(thresholds.recent_results)) {
        if seq >= press.protected_from {
            break;
        }
        if seq > mask_upto && shape.is_large() && !marks.contains_key(&seq) && !open.contains(&seq) {
            count += 1;
            tokens = tokens.saturating_add(shape.tokens);
            last = seq;
        }
    }
    if count >= thresholds.outputs || tokens >= thresholds.tokens { last.max(mask_upto) } else { mask_upto }
}

/// The text in place of a masked output; `what` describes the call. It says how to read the output only where the model
/// that reads the text has the service's tools.
#[must_use]
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
