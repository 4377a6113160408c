//! The signal that the agent's messages grow longer and bring nothing new.

use super::input::TriggerInput;
use super::recent::LAST;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};

/// Shorter messages do not count as verbose, whatever the session's median.
const LEAST_WEIGHT: u32 = 400;

/// Acts on the median of the last five messages against the session's, when they brought nothing new.
pub(super) fn signal(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
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
