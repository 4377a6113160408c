//! A claim that an item of the list is done, and how sure it is.

use anchord_messages::id::Seq;

/// How sure a claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    /// Said to be done.
    Done,
    /// Perhaps done.
    Maybe,
    /// Said to be not done, which cancels earlier claims.
    Not,
}

/// What a span says about one item.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub certainty: Certainty,
    pub clause: Option<String>,
    pub seqs: Vec<Seq>,
}

impl Claim {
    /// The claim, lowered to `Maybe` when a test run failed after it.
    pub(super) fn doubted(mut self, failed_at: Option<Seq>) -> Self {
        let is_later = |failed: Seq| self.seqs.last().is_some_and(|said| *said < failed);
        if self.certainty == Certainty::Done && failed_at.is_some_and(is_later) {
            self.certainty = Certainty::Maybe;
        }
        self
    }
}
