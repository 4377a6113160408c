//! Divides the part of the window that is filled after a compression among record, digest and newest
//! messages.
//!
//! Invariant: system prompt and pins come on top, and all of it together stays below the trigger less the
//! hysteresis, so that one compression does not trigger the next.

use super::accounting::{Accounting, MessageCounts};
use super::settings::{HYSTERESIS_SHARE, Policy};
use crate::signal::SignalKind;
use anchord_messages::group::{self, Group, NoSpan};
use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::shape::AsShape;
use anchord_record::digest;
use anchord_record::fill::{LEAST_DEFAULT_FILL_TOKENS, share_of};
use anchord_record::render::LEAST_BOUND_TOKENS;

/// The largest share of the fill that the record may take.
const RECORD_SHARE: f64 = 0.4;
/// The share of the fill that the newest messages may always take; more where record and digest leave more.
const TAIL_SHARE: f64 = 0.4;
/// The share of the fill that the digest gets, whatever the newest messages take.
const DIGEST_SHARE: f64 = 0.2;
/// In a small window record and digest together have at least their shares of the fill, up to so many tokens.
const MOST_SMALL_MEMORY_TOKENS: u32 = 3_000;
/// An automatic compression frees at least one part in so many of the tokens between trigger and goal.
const WORTH_SHARE: u64 = 5;
/// About how many calls fit between a compression and the next trigger.
const CALLS_BETWEEN: u32 = 8;
/// The least share of the policy's fill that is filled so that these calls fit.
const LEAST_FILL: f64 = 0.75;
/// How far a context may exceed its goal and still count as met: messages arrive while a version is made.
const TOLERANCE_SHARE: f64 = 0.05;
/// The share of the effective window that a model aims at, up to [`MOST_AIM_TOKENS`]. Readers of contexts with all that a
/// model wrote answered as much as those of a plain summary, with two thirds of it much less (docs/quality.md).
const AIM_SHARE: f64 = 0.15;
/// The share of the fill that it aims at where that is more: small windows are filled further.
const AIM_OF_FILL: f64 = 0.6;
/// The most tokens that a model aims at.
const MOST_AIM_TOKENS: u32 = 8_000;

/// How a context is divided after a compression, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Tokens that no compression removes: system prompt, pins, kept messages, and the current turn's user message.
    pub fixed: u32,
    /// For record, digest and newest messages.
    pub fill: u32,
    /// Whether `fill` is less than the caller asked for, because the trigger less the hysteresis does not
    /// allow more.
    pub is_lowered: bool,
    /// Whether the whole context is within its goal already.
    pub has_room: bool,
    /// The fill before depth took its part: the record's room is a share of it.
    before_depth: u32,
    /// How far the context may exceed its goal and still count as met.
    tolerated: u32,
}

/// The tokens of the fill that the messages after a span leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRoom {
    /// For the record.
    pub record: u32,
    /// For record and digest together.
    pub together: u32,
}

/// The record's size where a model writes it, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelRoom {
    /// The size that it should aim at.
    pub aim: u32,
    /// The most that is served.
    pub bound: u32,
}

impl ModelRoom {
    /// The room where code would have `record` tokens. `named` is the caller's own bound of a record.
    pub fn of(policy: &Policy, record: u32, named: Option<u32>) -> Self {
        if let Some(aim) = named {
            return Self { aim, bound: record };
        }
        let window = policy.effective_window;
        let of_fill = share_of(share_of(window, policy.fill), AIM_OF_FILL);
        let aim = share_of(window, AIM_SHARE).max(of_fill).clamp(LEAST_BOUND_TOKENS, MOST_AIM_TOKENS);
        // A little more than the model's own part, for what code adds to it: all of it within what a context may exceed
        // its goal by.
        Self { aim, bound: record.max(aim / 8 * 9) }
    }
}

impl Room {
    /// The room under a policy. `named` is a share of the effective window in place of the policy's `fill`.
    pub fn of(policy: &Policy, named: Option<f64>, counts: &Accounting) -> Self {
        let window = policy.effective_window;
        let fixed = counts.fixed_tokens();
        let asked = named.map_or_else(|| deep_enough(policy, counts), |named| share_of(window, named));
        let ceiling = share_of(window, policy.compress - HYSTERESIS_SHARE).saturating_sub(fixed);
        let tolerated = share_of(window, TOLERANCE_SHARE);
        let fill = asked.min(ceiling);
        let before_depth = named.map_or_else(|| share_of(window, policy.fill).min(ceiling), |_| fill);
        let has_room = counts.unbounded_tokens() <= u64::from(fixed) + u64::from(fill);
        Self {
            fixed,
            fill,
            is_lowered: named.is_some() && asked > ceiling,
            has_room,
            before_depth,
            tolerated,
        }
    }

    /// The most tokens that the whole context should have after a compression.
    pub fn goal(self) -> u64 {
        u64::from(self.fixed) + u64::from(self.fill)
    }

    /// Whether a context of `tokens` counts as within its goal.
    pub fn is_met(self, tokens: u64) -> bool {
        tokens <= self.goal() + u64::from(self.tolerated)
    }

    /// The most tokens of the record.
    fn record(self, policy: &Policy) -> u32 {
        let most = policy.max_summary_tokens;
        share_of(self.before_depth, RECORD_SHARE).min(most).max(LEAST_BOUND_TOKENS.min(most))
    }

    /// The last message that a span covers. The newest messages stay out of it as far as they fit, and at
    /// least the `preserve` newest ones; only these where the whole context has room already. `items` is
    /// every message after the anchor, `tail` the same with the tokens that are served.
    ///
    /// # Errors
    /// When no message may be covered, with the reason.
    pub fn span_end<T: AsShape>(
        self,
        policy: &Policy,
        (items, tail): (&[T], &[MessageCounts]),
        preserve: usize,
    ) -> Result<Seq, NoSpan> {
        let end = if self.has_room { None } else { self.tail_end(policy, tail, &group::groups(items)) };
        match end.map(|end| group::span_end(items, preserve, Some(end))) {
            Some(Ok(end)) => Ok(end),
            Some(Err(_)) | None => group::span_end(items, preserve, None),
        }
    }

    /// Whether a compression through `end` frees at least [`WORTH_SHARE`] of the tokens between trigger and goal. `tail` is
    /// every message after the anchor with the tokens that are served.
    pub fn frees_enough(
        self,
        policy: &Policy,
        counts: &Accounting,
        tail: &[MessageCounts],
        end: Seq,
    ) -> bool {
        let covered = tail.iter().filter(|message| message.seq <= end);
        let covered: u64 = covered.map(|message| u64::from(message.tokens)).sum();
        let now = u64::from(counts.summary_tokens) + u64::from(counts.digest_tokens);
        let memory = u64::from(self.beside(policy, tail, end).together).min((now + covered) * 4 / 5);
        let trigger = u64::from(share_of(policy.effective_window, policy.compress));
        let distance = trigger.saturating_sub(self.goal());
        // Where system prompt and pins leave hardly any room, every message would be a reason.
        let hysteresis = u64::from(share_of(policy.effective_window, HYSTERESIS_SHARE));
        let least = if distance <= hysteresis { hysteresis } else { distance / WORTH_SHARE };
        (now + covered).saturating_sub(memory) >= least
    }

    /// Whether all of these messages fit as newest messages, so that a follow-up compression has nothing to
    /// cover.
    pub fn holds<T: AsShape>(self, policy: &Policy, (items, tail): (&[T], &[MessageCounts])) -> bool {
        self.tail_end(policy, tail, &group::groups(items)).is_none()
    }

    /// The room for record and digest beside the messages after `through` and those that are kept.
    pub fn beside(self, policy: &Policy, tail: &[MessageCounts], through: Seq) -> MemoryRoom {
        let after = tail.iter().filter(|message| message.seq > through || message.kept);
        let tokens: u64 = after.map(|message| u64::from(message.tokens)).sum();
        let beside = u32::try_from(u64::from(self.fill).saturating_sub(tokens)).unwrap_or(u32::MAX);
        let least = LEAST_BOUND_TOKENS.min(policy.max_summary_tokens);
        // Large newest messages never take the room of the memory, because they are clipped a moment later and it would be
        // missing until the next version.
        let memory = self.record(policy).saturating_add(share_of(self.fill, DIGEST_SHARE));
        // Where the record is bounded to less than its share, the digest of a small window has the rest.
        let small = share_of(self.before_depth, RECORD_SHARE + DIGEST_SHARE).min(MOST_SMALL_MEMORY_TOKENS);
        let memory = memory.max(small);
        // In a small window it takes what they leave.
        let together = memory.max(beside.min(LEAST_DEFAULT_FILL_TOKENS));
        MemoryRoom { record: self.record(policy).max(least), together }
    }

    /// The last message that does not fit among the newest ones; `None` when all fit.
    fn tail_end(self, policy: &Policy, tail: &[MessageCounts], groups: &[Group]) -> Option<Seq> {
        let record = self.record(policy);
        let beside = self.fill.saturating_sub(record).saturating_sub(digest::MOST_TOKENS);
        let most = u64::from(share_of(self.fill, TAIL_SHARE).max(beside));
        let least = u64::from(policy.preserve_recent_tokens.min(self.fill.saturating_sub(record)));
        // Half of the count at which the message or turn signal acts; otherwise it would start the next
        // compression at once.
        let counted = |kind, at: u32| if policy.name.counts(kind) { (at / 2).max(1) } else { u32::MAX };
        let [_, messages, _] = policy.messages;
        let most_messages = counted(SignalKind::MessageCount, messages);
        let most_turns = counted(SignalKind::TurnCount, policy.turns);
        let (mut tokens, mut count, mut turns) = (0u64, 0u32, 0u32);
        for group in groups.iter().rev() {
            let members = tail.get(group.range.clone()).unwrap_or_default();
            tokens += members.iter().map(|member| u64::from(member.tokens)).sum::<u64>();
            count = count.saturating_add(u32::try_from(members.len()).unwrap_or(u32::MAX));
            turns += members.iter().map(|member| u32::from(is_turn(member))).sum::<u32>();
            let is_too_much = tokens > most.max(least) || count > most_messages || turns > most_turns;
            if is_too_much {
                return members.last().map(|last| last.seq);
            }
        }
        None
    }
}

/// The fill that leaves room for [`CALLS_BETWEEN`] calls before the next trigger; at most the policy's.
fn deep_enough(policy: &Policy, counts: &Accounting) -> u32 {
    let window = policy.effective_window;
    let trigger = share_of(window, policy.compress);
    let calls = counts.growth_of_a_call().saturating_mul(CALLS_BETWEEN);
    let fill = trigger.saturating_sub(counts.fixed_tokens()).saturating_sub(calls);
    fill.max(share_of(window, policy.fill * LEAST_FILL)).min(share_of(window, policy.fill))
}

fn is_turn(message: &MessageCounts) -> bool {
    message.role == Role::User && !message.only_results
}

#[cfg(test)]
mod tests;
