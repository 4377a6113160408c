//! The signal that many messages wait for a summary, however short they are.

use super::input::TriggerInput;
use crate::settings::Policy;
use crate::signal::{Action, Signal, SignalKind};

/// Acts on the number of uncompressed messages.
pub(super) fn signal(policy: &Policy, input: &TriggerInput<'_>) -> Signal {
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
