//! The mask: which tool outputs are served as placeholders.
//!
//! What lives here: the policy of masking (what is eligible, what is protected), the stepwise move of
//! the mask position, and the placeholder's text.
//! Invariant: what is masked depends on stored positions alone, never on how long the conversation is
//! at the moment, but for exact repeats, which are looked at anew only every [`STRIDE`] messages: the
//! served prefix changes in steps, and stays cacheable between them.
//! Must not know: bodies, formats, budgets.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use anchord_messages::id::Seq;
use anchord_messages::shape::{AsShape, ResultShape, shows_error};

/// Exact repeats are looked at when the conversation passes a multiple of this many messages, so that
/// one repeat after the other does not change the prefix at every turn. The cost: a repeat may be
/// served whole for that long.
pub const STRIDE: Seq = 20;
/// The last messages, whose outputs are protected.
pub const PROTECTED_MESSAGES: usize = 5;
/// From the warn level on, the last tool results stay.
const RECENT_RESULTS: usize = 10;
/// A step masks at least this many outputs at once.
const WARN_STEP_OUTPUTS: usize = 5;
const FORCE_STEP_OUTPUTS: usize = 2;
/// At the force level this many tokens are worth a step of their own.
const FORCE_STEP_TOKENS: u32 = 2_000;
/// The newest open errors stay; a session that fails all the time must still be maskable. An error is open until the same
/// command runs again: masking is decided within an append, which reads no bodies, so the ledger cannot be asked. The
/// cost: an error that something else repaired stays too long.
const MOST_OPEN_ERRORS: usize = 3;

/// What the caller wants done with a message's outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// Never masked, unless the budget binds.
    Always,
    /// Masked at once.
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

/// What a step needs.
#[derive(Clone, Copy, Debug)]
struct Thresholds {
    /// The newest outputs that stay.
    recent_results: usize,
    /// As many outputs are masked at once,
    outputs: usize,
    /// or outputs of so many tokens.
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

/// A tool output among the messages that were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OutputAt {
    /// The message's index.
    pub item: usize,
    /// The result's index within the message.
    pub result: usize,
}

/// The outputs to mask, in order: the large ones up to `mask_upto`, the older copies of exact repeats,
/// and what the caller wants removed.
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

/// The older copies of outputs that came again, as they were at the last multiple of [`STRIDE`].
fn repeats<T: AsShape>(items: &[T], marks: &Marks, head_seq: Seq) -> HashSet<OutputAt> {
    let seen_until = head_seq / STRIDE * STRIDE;
    let protected_from = seen_until - Seq::try_from(PROTECTED_MESSAGES).unwrap_or(Seq::MAX);
    let mut newest: HashSet<&str> = HashSet::new();
    let mut older = HashSet::new();
    for (item, result, shape, seq) in outputs(items).rev() {
        if seq > seen_until || !shape.is_maskable() {
            continue;
        }
        // A newer copy that is itself removed does not stand for the older one.
        if marks.get(&seq) == Some(&Keep::Never) {
            continue;
        }
        if !newest.insert(&shape.reference) && seq <= protected_from {
            older.insert(OutputAt { item, result });
        }
    }
    older
}

/// The messages up to a position whose outputs show an error that nothing up to there has answered: what
/// was run has not been run again. The newest of them; they depend on the position alone, as masking does.
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

/// Where the mask position moves, given the messages after the anchor: on, in a step of several
/// outputs, or not at all. It never moves back.
pub fn step<T: AsShape>(mask_upto: Seq, items: &[T], marks: &Marks, level: Level) -> Seq {
    let Some(thresholds) = Thresholds::at(level) else { return mask_upto };
    let protected_from = items.len().saturating_sub(PROTECTED_MESSAGES);
    let (mut count, mut tokens, mut last) = (0, 0u32, mask_upto);
    let all = outputs(items).count();
    let open = open_errors(items, Seq::MAX);
    for (item, _, shape, seq) in outputs(items).take(all.saturating_sub(thresholds.recent_results)) {
        if item >= protected_from {
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

/// The text that stands for a masked output. `what` is what was asked of the tool. It names no way to the whole: the
/// model that reads it could not go it.
#[must_use]
pub fn placeholder(result: &ResultShape, what: Option<&str>) -> String {
    let reference = &result.reference;
    let what = what.or(result.name.as_deref()).filter(|w| !w.is_empty()).unwrap_or("a tool");
    let lines = if result.lines == 1 { "line" } else { "lines" };
    let media = match result.media {
        0 => String::new(),
        1 => " and 1 image or file".to_owned(),
        n => format!(" and {n} images or files"),
    };
    let key = result.key.as_ref().map_or_else(String::new, |key| format!(" · key: {key}"));
    format!(
        "[tool output {reference}: {} {lines}{media} from \"{}\"{key}]",
        result.lines,
        anchord_messages::shape::one_line(what, 80)
    )
}

#[cfg(test)]
mod tests;
