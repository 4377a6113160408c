//! A text of a reply to be checked: the kind of claim it makes, how much of it is supported, and its faults.

/// A clause of a reply that the data does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its place in the reply.
    pub place: String,
    /// The clause.
    pub clause: String,
    /// What is wrong with it.
    pub why: String,
}

/// The kind of a claim, which decides who must have said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// A fact: a message or a tool's output may state it.
    Fact,
    /// The current state of the work.
    Standing,
    /// What a person or the agent wants, decided, asks or plans.
    Will,
    /// What the person wants.
    Aim,
}

/// A text to be checked.
pub(super) struct Entry<'a> {
    pub(super) place: String,
    pub(super) claim: Claim,
    /// The name of the thing or file.
    pub(super) named: &'a str,
    /// The entry's text before.
    pub(super) before: &'a str,
}

/// How much of a text is supported.
pub(super) enum Support {
    Whole(String),
    Part(String),
    Nothing,
}
