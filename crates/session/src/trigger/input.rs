//! The input of a decision.

use super::recent::Recent;
use crate::accounting::Accounting;
use anchord_messages::id::Seq;

/// The input of a decision.
#[derive(Clone, Copy, Debug)]
pub struct TriggerInput<'a> {
    /// The running counts after the append or the end of a compression.
    pub counts: &'a Accounting,
    /// What is stored of the history.
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
