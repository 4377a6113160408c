//! The rules, one function for each signal: what it says about the counts and the history of a session.

use super::recent::{LAST, Recent};
use crate::accounting::Accounting;
use crate::room::Room;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};
use anchord_messages::id::Seq;

/// The input of a decision.
#[derive(Clone, Copy, Debug)]
pub struct TriggerInput<'a> {
    /// The running counts after the append or the end of a compression.
    pub counts: &'a Accounting,
    /// The stored history.
    pub recent: &'a Recent,
    /// The newest message.
    pub head: Seq,
    /// The first message of the append; one more than `head` when nothing is appended.
    pub first: Seq,
    /// The anchor: the last message that the summary covers.
    pub anchor: Seq,
    /// The last message of the task that has just ended, if the caller reports an end.
    pub boundary: Option<Seq>,
    /// Versions published so far.
    pub versions: i64,
    /// The time, in seconds since 1970.
    pub now: i64,
}

/// Acts on the served tokens as a share of the effective window.
pub(super) fn utilization(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let usage = input.counts.usage(policy, 0);
    let share = usage.effective_utilization;
    let enough = input.counts.tail_messages >= policy.min_messages;
    let action = if share >= policy.critical {
        Action::Immediate
    } else if share >= policy.force {
        Action::Force
    } else if share >= policy.compress && enough {
        Action::Compress
    } else if share >= policy.warn {
        Action::Warn
    } else {
        Action::None
    };
    Signal::new(SignalKind::Utilization, action, format!("{:.1} % of effective window", share * 100.0))
}

/// Acts on the number of uncompressed messages.
pub(super) fn message_count(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let messages = input.counts.tail_messages;
    let [optional, compress, force] = policy.messages;
    let action = if messages >= force {
        Action::Force
    } else if messages >= compress && messages >= policy.min_messages {
        Action::Compress
    } else if messages >= optional {
        Action::Optional
    } else {
        Action::None
    };
    Signal::new(SignalKind::MessageCount, action, format!("{messages} uncompressed messages"))
}

/// Acts on the turns since the anchor, when a compression would save enough of what is served.
pub(super) fn turn_count(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let turns = input.counts.turns;
    let action = if turns <= policy.turns {
        Action::None
    } else if saves_enough(policy, input) && input.counts.tail_messages >= policy.min_messages {
        Action::Compress
    } else {
        Action::Evaluate
    };
    Signal::new(SignalKind::TurnCount, action, format!("{turns} turns since the anchor"))
}

/// Whether a compression would save enough. It leaves at most its goal, so the estimate is rather too low.
#[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
fn saves_enough(policy: &Policy, input: &TriggerInput<'_>) -> bool {
    let after = Room::of(policy, None, input.counts).goal();
    after as f64 <= input.counts.unbounded_tokens() as f64 * (1.0 - policy.history.savings)
}

/// Acts when the caller reports the end of a task, or when this append did the last open item of the todo
/// list.
pub(super) fn task_boundary(_: &Policy, input: &TriggerInput<'_>) -> Signal {
    let (action, detail) = if input.boundary.is_some() {
        (Action::Compress, "a task ended")
    } else if list_done(input).is_some() {
        (Action::Compress, "everything on the todo list is done")
    } else {
        (Action::None, "no task ended")
    };
    Signal::new(SignalKind::TaskBoundary, action, detail)
}

/// The last message that the finished task's span may cover: the caller's boundary, or the end of the group
/// that did the last open item. Later messages belong to the next task.
///
/// The newest messages are preserved all the same: the next task asks about the end of this one. A boundary
/// that comes while a compression runs, or when nothing may be covered, is not kept for later.
pub(super) fn task_end(input: &TriggerInput<'_>) -> Option<Seq> {
    let done = || Some(input.counts.group_end(list_done(input)?, input.head));
    input.boundary.or_else(done)
}

/// The message of this append in which the last open item was done.
fn list_done(input: &TriggerInput<'_>) -> Option<Seq> {
    input.recent.todos.done_at().filter(|done| *done >= input.first)
}

/// For how many messages the signal stays on: as long as hysteresis may delay a compression.
const HOLDS: Seq = 10;

/// Acts when the agent lost its task in the last messages.
pub(super) fn intent_lost(_: &Policy, input: &TriggerInput<'_>) -> Signal {
    let lost = input.recent.lost;
    let kind = SignalKind::IntentLost;
    if lost > 0 && input.head - lost < HOLDS {
        Signal::new(kind, Action::Compress, format!("message {lost} does not know the task"))
    } else {
        Signal::new(kind, Action::None, "the agent knows its task")
    }
}

/// Near-duplicate messages of the agent, and equal calls with equal results and no change between,
/// among the last twelve of each.
pub(super) fn circular(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let recent = &input.recent;
    let (said, called) = (recent.said.most_alike(), recent.calls.most_repeats());
    let least = policy.history.repeats as usize;
    let kind = SignalKind::CircularReasoning;
    if said >= least {
        Signal::new(kind, Action::Force, format!("{said} of the last 12 messages say the same"))
    } else if called >= least {
        Signal::new(kind, Action::Force, format!("a tool call was repeated {called} times in the last 12"))
    } else {
        Signal::new(kind, Action::None, "nothing repeats")
    }
}

/// With fewer readings the share is not used.
const LEAST_READS: usize = 8;

/// Acts on files that were read again without a change between, among the last twenty calls.
#[expect(clippy::cast_precision_loss, reason = "twenty calls at most")]
pub(super) fn rereading(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let found = input.recent.calls.rereads();
    let rules = &policy.history;
    let least = rules.rereads as usize;
    let share = if found.reads == 0 { 0.0 } else { found.again as f64 / found.reads as f64 };
    let often = found.again >= least || found.most >= least;
    let action = if often || (found.reads >= LEAST_READS && share > rules.reread_share) {
        Action::Immediate
    } else {
        Action::None
    };
    let detail =
        format!("{} of {} readings in the last 20 calls show the same again", found.again, found.reads);
    Signal::new(SignalKind::Rereading, action, detail)
}

/// Shorter messages do not count as verbose, whatever the session's median.
const LEAST_WEIGHT: u32 = 400;

/// Acts on the median of the last five messages against the session's, when they brought nothing new.
pub(super) fn verbosity(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let kind = SignalKind::Verbosity;
    let lengths = &input.recent.lengths;
    let mut last: Vec<u32> = lengths.last.iter().map(|(weight, _)| *weight).collect();
    last.sort_unstable();
    let (Some(recent), Some(usual)) = (last.get(LAST / 2).filter(|_| last.len() == LAST), lengths.median())
    else {
        return Signal::new(kind, Action::None, "too few messages to compare");
    };
    let is_long =
        *recent >= LEAST_WEIGHT && f64::from(*recent) >= f64::from(usual) * policy.history.verbosity;
    let is_news = lengths.last.iter().any(|(_, news)| *news != 0);
    let (action, told) = match (is_long, is_news) {
        (true, false) => (Action::Compress, ", with nothing new"),
        (true, true) => (Action::None, ", with something new"),
        (false, _) => (Action::None, ""),
    };
    Signal::new(kind, action, format!("{recent} characters at the median, usual are {usual}{told}"))
}

/// Acts on the tokens of the last five minutes as a share of the effective window.
#[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
pub(super) fn growth(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let tokens = input.recent.growth.within(input.now);
    let share = tokens as f64 / f64::from(policy.effective_window.max(1));
    let action = if share > policy.history.growth { Action::Warn } else { Action::None };
    let detail = format!("{:.1} % of effective window in 5 minutes", share * 100.0);
    Signal::new(SignalKind::Growth, action, detail)
}

/// Acts on the number of published versions. It only advises, because only the caller can start a new
/// session.
pub(super) fn cycles(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
    let versions = input.versions;
    let due = versions >= i64::from(policy.history.cycles);
    let (action, advice) =
        if due { (Action::Advise, ": hand over to a new session") } else { (Action::None, "") };
    Signal::new(SignalKind::Cycles, action, format!("{versions} published versions{advice}"))
}
