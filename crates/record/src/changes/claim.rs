//! A text of a reply that is checked, what kind of claim it makes, how much of it is kept, and what is wrong with it.

/// Something of a reply that the data does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where in the reply.
    pub place: String,
    /// The clause.
    pub clause: String,
    /// What is wrong with it.
    pub why: String,
}

/// What a clause is about, which decides who must have said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// What is so: messages and tools alike say it.
    Fact,
    /// Where the work stands.
    Standing,
    /// What somebody wants, decided, asks or plans.
    Will,
    /// What the person wants.
    Aim,
}

/// What is checked.
pub(super) struct Entry<'a> {
    pub(super) place: String,
    pub(super) claim: Claim,
    /// What the entry is about.
    pub(super) named: &'a str,
    /// What the entry said before.
    pub(super) before: &'a str,
}

/// How much of a text is kept.
pub(super) enum Kept {
    Whole(String),
    Part(String),
    Nothing,
}
