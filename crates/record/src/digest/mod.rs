//! The digest: quotations of the messages that a version covers, fewer of what is less likely needed.
//!
//! What lives here: how a message becomes lines, which of them a version stores, which are served, and the
//! text that serves them. Code makes all of it from original messages. A version stores the lines for the
//! next one, so that the session is not read again from its beginning, and the text as it is served.
//! Invariant: limited in turns and bytes, without secrets, and recognisable as the past: every line stands
//! under its turn's number and speaker or is indented below it.
//! Must not know: the summary's sections, where anything is stored, how a context is assembled.

mod choose;
mod lines;
mod names;
mod turn;
mod write;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

use anchord_facts::ledger::constraints::dropped_among;
use anchord_facts::ledger::prose::is_minutes;
use anchord_facts::redact::redact;
use anchord_messages::message::{Numbered, Role};

pub use turn::{Line, LineKind, Turn};
pub use write::{MOST_TOKENS, STANDS_FOR, ServedDigest, cut, go_on, seqs, serve, served};

/// The most turns that a version stores.
const MOST_TURNS: usize = 1_024;
/// The most bytes of lines that a version stores: about twice what the largest digest serves.
pub const MOST_BYTES: usize = 128 * 1024;

/// Of which messages a digest has lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voices {
    /// Of all.
    All,
    /// Of people and the agent, where a model wrote down what tools returned.
    Spoken,
}

/// Adds the turns of a span. Turns from its first message on are replaced, because a span may be read again.
pub fn grow(turns: &mut Vec<Turn>, span: &[Numbered], voices: Voices) {
    let Some(first) = span.first().map(|message| message.seq) else { return };
    turns.truncate(turns.partition_point(|turn| turn.seq < first));
    // A hash of the exact text, not of a normalised one, because every version hashes all stored lines.
    let print = |line: &Line| FixedState::default().hash_one(line.text.as_str());
    let mut said: HashSet<u64> = turns.iter().flat_map(|turn| &turn.lines).map(print).collect();
    let minutes = is_minutes(span.iter().map(|numbered| &numbered.message));
    for numbered in span {
        let Numbered { seq, message } = numbered;
        if message.role.is_system() {
            continue;
        }
        let (name, mut lines) = lines::message_lines(numbered, minutes);
        if voices == Voices::Spoken {
            lines.retain(|line| matches!(line.kind, LineKind::Said | LineKind::Head));
        }
        // A line is stored only once.
        lines.retain(|line| said.insert(print(line)));
        let mut lines = choose::within_message(message.role, lines);
        // Lines of data are reformatted, so a secret may be recognisable only now.
        for line in &mut lines {
            if let Cow::Owned(redacted) = redact(&line.text) {
                line.text = redacted;
            }
        }
        if !lines.is_empty() {
            turns.push(Turn { seq: *seq, role: message.role, name, lines });
        }
    }
    let bytes: usize = turns.iter().map(Turn::bytes).sum();
    if bytes > MOST_BYTES || turns.len() > MOST_TURNS {
        // Well below the limits, so that not every version has to drop lines.
        choose::keep(turns, MOST_BYTES / 4 * 3, MOST_TURNS / 4 * 3);
    }
}

/// Removes the constraints that the caller dropped, which must not be written anywhere any more.
pub fn forget(turns: &mut Vec<Turn>, dropped: &BTreeSet<String>) {
    if dropped.is_empty() {
        return;
    }
    for turn in turns.iter_mut().filter(|turn| turn.role == Role::User) {
        let said = turn.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
        // Searched in the whole turn, because a constraint may be longer than a line and only the whole shows
        // its language; and in each line, because lines between may be missing.
        let mut gone = dropped_among(&said, dropped);
        gone.extend(turn.lines.iter().flat_map(|line| dropped_among(&line.text, dropped)));
        for line in turn.lines.iter_mut().filter(|_| !gone.is_empty()) {
            line.text = without(&line.text, &gone);
        }
        turn.lines.retain(|line| !line.text.is_empty());
    }
    turns.retain(|turn| !turn.lines.is_empty());
}

/// A line without these sentences; empty when it is a part of one.
fn without(line: &str, gone: &[String]) -> String {
    let mut left = line.to_owned();
    for sentence in gone {
        let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
        if sentence.contains(left.trim()) {
            return String::new();
        }
        left = left.replacen(&sentence, "", 1);
    }
    if left == line { left } else { left.trim().trim_start_matches(". ").trim_start().to_owned() }
}

#[cfg(test)]
mod tests;
