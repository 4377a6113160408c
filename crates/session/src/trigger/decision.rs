//! The decision of an append: the most severe signal, and whether it starts a compression.

use serde::Serialize;
use utoipa::ToSchema;

use super::rules::{self, TriggerInput};
use crate::compression::Request;
use crate::settings::{HYSTERESIS_SHARE, Policy};
use crate::signal::{Action, Signal, SignalKind};

/// The rule of a signal.
type Rule = fn(&Policy, &TriggerInput<'_>) -> Signal;

/// Every rule. Of two with the same action, the first is named as the compression's trigger.
const RULES: [(SignalKind, Rule); 10] = [
    (SignalKind::Utilization, rules::utilization),
    (SignalKind::MessageCount, rules::message_count),
    (SignalKind::TurnCount, rules::turn_count),
    (SignalKind::TaskBoundary, rules::task_boundary),
    (SignalKind::IntentLost, rules::intent_lost),
    (SignalKind::CircularReasoning, rules::circular),
    (SignalKind::Rereading, rules::rereading),
    (SignalKind::Verbosity, rules::verbosity),
    (SignalKind::Growth, rules::growth),
    (SignalKind::Cycles, rules::cycles),
];

/// The messages that must arrive before the next automatic compression, unless enough tokens have.
const HYSTERESIS_MESSAGES: i64 = 10;

/// Why a compression that signals ask for does not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeldBack {
    /// The setting `auto` is off.
    AutoIsOff,
    /// A rollback suspended automatic compression below the critical level.
    Suspended,
    /// There are fewer messages than the setting `min_messages`, and the action is below `force`.
    FewMessages,
    /// The newest messages stay as they are, and no other follows the summary. At `force`, large outputs among them are
    /// masked instead, those of the newest group aside.
    NothingToCover,
    /// Compressions published nothing, and more messages must arrive before the next one.
    BackingOff,
    /// Neither a tenth of the window nor ten messages have arrived since the last one.
    JustCompressed,
}

/// The decision from the signals, as the reply to an append says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TriggerDecision)]
pub struct Decision {
    /// The most severe action of the signals that count.
    pub action: Action,
    /// The signals that ask for it; only with every signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<Vec<SignalKind>>,
    /// The signals that count and ask for something, and advice; or every signal, with its own action.
    pub signals: Vec<Signal>,
    /// Why no compression starts, although they ask for one; absent when one waits or runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_back: Option<HeldBack>,
}

/// A compression that the decision starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The signal that started it, which is the compression's trigger.
    pub kind: SignalKind,
    /// How severe it is.
    pub action: Action,
    /// The last message that the span may cover now.
    pub through_seq: i64,
}

impl Start {
    /// The request of the compression. After a task boundary its span ends with the task.
    pub fn request(&self) -> Request {
        let through_seq = (self.kind == SignalKind::TaskBoundary).then_some(self.through_seq);
        Request { through_seq, ..Request::default() }
    }
}

/// Evaluates the signals that the policy counts, and the advice, or `every` signal, and names those that ask for something, or
/// every one; returns a [`Start`] when a compression starts.
pub fn decide(policy: &Policy, input: &TriggerInput<'_>, every: bool) -> (Decision, Option<Start>) {
    let counts = |kind| policy.name.counts(kind);
    let evaluated = RULES.iter().filter(|(kind, _)| every || counts(*kind) || *kind == SignalKind::Cycles);
    let mut signals: Vec<Signal> =
        evaluated.map(|(kind, rule)| Signal { counts: counts(*kind), ..rule(policy, input) }).collect();
    // Advice is for the caller and starts nothing.
    let counted = || signals.iter().filter(|signal| signal.counts && signal.action != Action::Advise);
    let action = counted().map(|signal| signal.action).max().unwrap_or_default();
    let asks = |signal: &&Signal| signal.action == action && action != Action::None;
    let reasons: Vec<SignalKind> = counted().filter(asks).map(|signal| signal.kind).collect();
    let wanted = reasons.first().filter(|_| action >= Action::Compress);
    let wanted = wanted.map(|kind| start(policy, input, *kind, action));
    let held_back = wanted.and_then(Result::err);
    if !every {
        signals.retain(Signal::acts);
    }
    let decision = Decision { action, reasons: every.then_some(reasons), signals, held_back };
    (decision, wanted.and_then(Result::ok))
}

fn start(
    policy: &Policy,
    input: &TriggerInput<'_>,
    kind: SignalKind,
    action: Action,
) -> Result<Start, HeldBack> {
    let counts = input.counts;
    if !policy.auto {
        return Err(HeldBack::AutoIsOff);
    }
    if counts.suspended && action < Action::Immediate {
        return Err(HeldBack::Suspended);
    }
    // The minimum does not hold for force and above.
    if action == Action::Compress && counts.tail_messages < policy.min_messages {
        return Err(HeldBack::FewMessages);
    }
    let edge = counts.span_end(input.head, policy.preserve_recent);
    let task_end = (kind == SignalKind::TaskBoundary).then(|| rules::task_end(input)).flatten();
    let through_seq = task_end.map_or(edge, |end| end.min(edge));
    let floor = input.anchor.max(counts.system_through);
    if through_seq <= floor {
        return Err(HeldBack::NothingToCover);
    }
    if through_seq <= counts.attempted_through || input.head - counts.settled_head < counts.back_off() {
        return Err(if counts.refused > 0 { HeldBack::BackingOff } else { HeldBack::JustCompressed });
    }
    if action < Action::Immediate && !has_settled(policy, input) {
        return Err(HeldBack::JustCompressed);
    }
    Ok(Start { kind, action, through_seq })
}

/// Whether enough has arrived since the last compression ended, or there was none.
fn has_settled(policy: &Policy, input: &TriggerInput<'_>) -> bool {
    let counts = input.counts;
    if counts.settled_head == 0 {
        return true;
    }
    let arrived = counts.appended_tokens.saturating_sub(counts.settled_tokens);
    let enough = u64::from(anchord_record::fill::share_of(policy.effective_window, HYSTERESIS_SHARE));
    arrived >= enough || input.head - counts.settled_head >= HYSTERESIS_MESSAGES
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::accounting::{Accounting, MessageCounts};
    use crate::settings::PolicyName;
    use crate::settings::Settings;
    use crate::trigger::Recent;
    use anchord_messages::message::Role;

    /// A session of plain messages that together hold `tokens`; the effective window is 10,000.
    fn session(messages: u32, tokens: u32) -> Accounting {
        let mut counts = Accounting::default();
        for seq in 1..=i64::from(messages) {
            let role = if seq % 2 == 1 { Role::User } else { Role::Assistant };
            let tokens = tokens / messages;
            let message = MessageCounts::of(seq, role, tokens, None, false);
            counts.push(&message, 5);
        }
        counts
    }

    fn policy(name: PolicyName) -> Policy {
        Settings { context_window: Some(12_500), policy: Some(name), ..Settings::default() }.policy()
    }

    fn decide_on(name: PolicyName, counts: &Accounting) -> (Decision, Option<Start>) {
        decide_within(name, counts, None)
    }

    fn decide_within(
        name: PolicyName,
        counts: &Accounting,
        boundary: Option<i64>,
    ) -> (Decision, Option<Start>) {
        let (head, recent) = (i64::from(counts.tail_messages), &Recent::default());
        let (anchor, first, versions, now) = (0, head, 0, 0);
        let input = TriggerInput { counts, recent, head, first, anchor, boundary, versions, now };
        decide(&policy(name), &input, false)
    }

    #[rstest]
    #[case(20, 5_980, Action::None)]
    #[case(20, 6_000, Action::Warn)]
    #[case(20, 6_980, Action::Warn)]
    #[case(20, 7_000, Action::Compress)]
    #[case(9, 7_200, Action::Warn)]
    #[case(9, 8_550, Action::Force)]
    #[case(20, 8_500, Action::Force)]
    #[case(20, 9_000, Action::Immediate)]
    fn utilization_follows_its_rows(#[case] messages: u32, #[case] tokens: u32, #[case] action: Action) {
        let (decision, start) = decide_on(PolicyName::Utilization, &session(messages, tokens));
        assert_eq!(decision.action, action);
        assert_eq!(start.is_some(), action >= Action::Compress);
    }

    #[rstest]
    #[case(29, Action::None)]
    #[case(30, Action::Optional)]
    #[case(50, Action::Compress)]
    #[case(70, Action::Force)]
    fn the_message_count_follows_its_rows(#[case] messages: u32, #[case] action: Action) {
        let (decision, _) = decide_on(PolicyName::MessageCount, &session(messages, 1_000));
        assert_eq!(decision.action, action);
    }

    #[test]
    fn nothing_starts_again_before_a_tenth_of_the_window_or_ten_messages_arrived() {
        let mut counts = session(20, 7_600);
        counts.settled_head = 18;
        counts.settled_tokens = counts.appended_tokens - 800;
        assert_eq!(decide_on(PolicyName::Utilization, &counts).1, None);
        counts.settled_tokens = counts.appended_tokens - 1_000;
        assert!(decide_on(PolicyName::Utilization, &counts).1.is_some());
        counts.settled_tokens = counts.appended_tokens;
        counts.settled_head = 10;
        assert!(decide_on(PolicyName::Utilization, &counts).1.is_some());
    }

    #[test]
    fn immediate_skips_hysteresis_and_still_needs_a_new_group() {
        let mut counts = session(20, 9_500);
        counts.settled_head = 20;
        counts.settled_tokens = counts.appended_tokens;
        assert!(decide_on(PolicyName::Utilization, &counts).1.is_some());
        counts.attempted_through = 15;
        assert_eq!(decide_on(PolicyName::Utilization, &counts).1, None);
    }

    #[test]
    fn a_task_boundary_ends_the_span_with_the_task_and_leaves_the_preserved_messages() {
        let counts = session(20, 1_000);
        let through = |boundary| {
            let (_, start) = decide_within(PolicyName::Protocol, &counts, Some(boundary));
            start.map(|start| (start.kind, start.through_seq))
        };
        assert_eq!(through(12), Some((SignalKind::TaskBoundary, 12)), "what follows is the next task's");
        assert_eq!(through(20), Some((SignalKind::TaskBoundary, 15)), "the last five stay as they are");
        assert_eq!(through(0), None);
    }

    #[test]
    fn each_refusal_in_a_row_doubles_the_messages_that_must_arrive_at_any_level() {
        for (refused, distance) in [(1, 1), (2, 2), (3, 4), (7, 64), (40, 64)] {
            let mut counts = session(100, 9_500);
            counts.refused = refused;
            counts.settled_head = 100 - distance + 1;
            let (decision, start) = decide_on(PolicyName::Utilization, &counts);
            assert_eq!((decision.held_back, start), (Some(HeldBack::BackingOff), None), "{refused}");
            counts.settled_head -= 1;
            let (decision, start) = decide_on(PolicyName::Utilization, &counts);
            assert_eq!((decision.held_back, start.is_some()), (None, true), "{refused}");
        }
    }

    #[test]
    fn a_decision_says_why_no_compression_starts() {
        let held = |messages, tokens, change: &dyn Fn(&mut Accounting)| {
            let mut counts = session(messages, tokens);
            change(&mut counts);
            decide_on(PolicyName::Utilization, &counts).0.held_back
        };
        assert_eq!(held(20, 6_500, &|_| ()), None, "nothing asks for one");
        assert_eq!(held(5, 9_500, &|_| ()), Some(HeldBack::NothingToCover));
        assert_eq!(held(20, 8_600, &|counts| counts.suspended = true), Some(HeldBack::Suspended));
        let settled = |counts: &mut Accounting| {
            (counts.settled_head, counts.settled_tokens) = (18, counts.appended_tokens);
        };
        assert_eq!(held(20, 8_600, &settled), Some(HeldBack::JustCompressed));
    }

    #[test]
    fn a_suspended_session_starts_at_the_critical_level_alone() {
        let mut counts = session(20, 8_600);
        counts.suspended = true;
        assert_eq!(decide_on(PolicyName::Utilization, &counts).1, None);
        let mut critical = session(20, 9_000);
        critical.suspended = true;
        assert!(decide_on(PolicyName::Utilization, &critical).1.is_some());
    }
}
