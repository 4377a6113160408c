//! What a decision is made from.

use super::recent::Recent;
use crate::accounting::Accounting;
use anchord_messages::id::Seq;

/// What a decision is made from.
#[derive(Clone, Copy, Debug)]
pub struct TriggerInput<'a> {
    /// The running counts after the append or the settlement.
    pub counts: &'a Accounting,
    /// What is kept of the history.
    pub recent: &'a Recent,
    /// The newest message.
    pub head: Seq,
    /// The first message of the append; one more than `head` when nothing is appended.
    pub first: Seq,
    /// Through which message the summary covers the session.
    pub anchor: Seq,
    /// The last message of the task that the caller says has just ended.
    pub boundary: Option<Seq>,
    /// Versions published so far.
    pub versions: i64,
    /// The time, in seconds since 1970.
    pub now: i64,
}
