//! The one decision of an append: the most severe signal, and whether it starts work.

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    Action, Signal, SignalKind, Situation, circular, cycles, growth, intent_lost, message_count, rereading,
    task_boundary, turn_count, utilization, verbosity,
};
use crate::domain::settings::Policy;

/// A signal's rule.
type Rule = fn(&Policy, &Situation<'_>) -> Signal;

/// Every rule; of two that ask for the same, the first gives a compression its name.
const RULES: [Rule; 10] = [
    utilization::signal,
    message_count::signal,
    turn_count::signal,
    task_boundary::signal,
    intent_lost::signal,
    circular::signal,
    rereading::signal,
    verbosity::signal,
    growth::signal,
    cycles::signal,
];

/// Share of the effective window that must arrive before the next automatic compression.
const HYSTERESIS_SHARE: f64 = 0.10;
/// Messages that must arrive before the next automatic compression, when fewer tokens have.
const HYSTERESIS_MESSAGES: i64 = 10;

/// What the signals come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TriggerDecision)]
pub struct Decision {
    /// The most severe action of the signals that count.
    pub action: Action,
    /// The signals that ask for it; empty when none does.
    pub reasons: Vec<SignalKind>,
    /// Every signal, with its own action.
    pub signals: Vec<Signal>,
}

/// A compression that the decision starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The signal that asked for it, for the compression's trigger.
    pub kind: SignalKind,
    /// How severe it is.
    pub action: Action,
    /// The last message that the span may cover now.
    pub through_seq: i64,
}

/// Evaluates every signal; `Some(Start)` when work begins.
#[must_use]
pub fn decide(policy: &Policy, situation: &Situation<'_>) -> (Decision, Option<Start>) {
    let mut signals: Vec<Signal> = RULES.iter().map(|rule| rule(policy, situation)).collect();
    for signal in &mut signals {
        signal.counts = policy.name.counts(signal.kind);
    }
    // Advice is for the caller, and no level.
    let counted = || signals.iter().filter(|signal| signal.counts && signal.action != Action::Advise);
    let action = counted().map(|signal| signal.action).max().unwrap_or_default();
    let asks = |signal: &&Signal| signal.action == action && action != Action::None;
    let reasons: Vec<SignalKind> = counted().filter(asks).map(|signal| signal.kind).collect();
    let start = reasons.first().and_then(|kind| start(policy, situation, *kind, action));
    (Decision { action, reasons, signals }, start)
}

fn start(policy: &Policy, situation: &Situation<'_>, kind: SignalKind, action: Action) -> Option<Start> {
    let counts = situation.counts;
    if !policy.auto || action < Action::Compress || (counts.suspended && action < Action::Immediate) {
        return None;
    }
    // The minimum is waived for force and above.
    if action == Action::Compress && counts.tail_messages < policy.min_messages {
        return None;
    }
    let through_seq = situation.counts.span_end(situation.head, policy.preserve_recent);
    let floor = situation.anchor.max(counts.attempted_through).max(counts.system_through);
    if through_seq <= floor || counts.tail_tokens < counts.retry_tokens {
        return None;
    }
    if kind == SignalKind::Utilization && counts.is_compressed_too_often(policy) {
        return None;
    }
    (action == Action::Immediate || has_settled(policy, situation)).then_some(Start {
        kind,
        action,
        through_seq,
    })
}

/// Enough has arrived since the last compression ended, or there was none.
fn has_settled(policy: &Policy, situation: &Situation<'_>) -> bool {
    let counts = situation.counts;
    if counts.settled_head == 0 {
        return true;
    }
    let arrived = counts.appended_tokens.saturating_sub(counts.settled_tokens);
    let enough = u64::from(crate::domain::settings::share_of(policy.effective_window, HYSTERESIS_SHARE));
    arrived >= enough || situation.head - counts.settled_head >= HYSTERESIS_MESSAGES
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::domain::accounting::{Accounting, Counted};
    use crate::domain::message::Role;
    use crate::domain::settings::Settings;
    use crate::domain::trigger::PolicyName;

    /// A session of plain messages that together hold `tokens`; the effective window is 10,000.
    fn session(messages: u32, tokens: u32) -> Accounting {
        let mut counts = Accounting::default();
        for seq in 1..=i64::from(messages) {
            let role = if seq % 2 == 1 { Role::User } else { Role::Assistant };
            let tokens = tokens / messages;
            let message = Counted {
                seq,
                role,
                tokens,
                tool_output_tokens: 0,
                calls: 0,
                results: 0,
                only_results: false,
                retrieved: false,
            };
            counts.push(&message, 5);
        }
        counts
    }

    fn policy(name: PolicyName) -> Policy {
        Settings { context_window: Some(12_500), policy: Some(name), ..Settings::default() }.policy()
    }

    fn decide_on(name: PolicyName, counts: &Accounting) -> (Decision, Option<Start>) {
        let head = i64::from(counts.tail_messages);
        decide(
            &policy(name),
            &Situation { counts, head, anchor: 0, first: head, task_boundary: false, versions: 0, now: 0 },
        )
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
    fn a_window_that_cannot_get_below_its_target_is_not_compressed_for_every_message() {
        let mut counts = session(20, 9_500);
        counts.publish(&policy(PolicyName::Utilization), 0.5, true);
        assert!(counts.above_target);
        // A third of the way from target to trigger is missing for a second one.
        counts.appended_tokens = 7_000 + 2 * 1_334 - 1;
        assert_eq!(decide_on(PolicyName::Utilization, &counts).1, None);
        counts.appended_tokens += 1;
        assert!(decide_on(PolicyName::Utilization, &counts).1.is_some());
        counts.appended_tokens = 7_100;
        counts.above_target = false;
        assert!(decide_on(PolicyName::Utilization, &counts).1.is_some(), "what helps is done in time");
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
