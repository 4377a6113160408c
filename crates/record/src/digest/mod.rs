//! The digest: what was said and done before the anchor, in its own words, shorter the less of it is likely needed.
//!
//! What lives here: how a message becomes lines, which of them stay, which are served, and the text that serves them.
//! Code makes all of it from originals; a version keeps the lines for the next one, so that nothing is read again from
//! the beginning, and the text as it is served.
//! Invariant: bounded in turns and bytes, without secrets, and read as the past: every line stands under its turn's
//! number and speaker or is indented below it.
//! Must not know: the summary's sections, where anything is stored, how a context is put together.

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
use anchord_facts::redact::redact;
use anchord_messages::message::{Numbered, Role};

pub use turn::{Line, LineKind, Turn};
pub use write::{MOST_TOKENS, ServedDigest, cut, seqs, serve};

/// The most turns that a version keeps.
const MOST_TURNS: usize = 1_024;
/// The most bytes of lines that a version keeps: about twice what the largest digest serves.
pub const MOST_BYTES: usize = 128 * 1024;

/// Adds the turns of a span. What was known of its messages, and of those after them, is replaced: a span may be read
/// once more.
pub fn grow(turns: &mut Vec<Turn>, span: &[Numbered]) {
    let Some(first) = span.first().map(|message| message.seq) else { return };
    turns.truncate(turns.partition_point(|turn| turn.seq < first));
    // By their letters and not folded: every version asks it of all lines that are kept.
    let print = |line: &Line| FixedState::default().hash_one(line.text.as_str());
    let mut said: HashSet<u64> = turns.iter().flat_map(|turn| &turn.lines).map(print).collect();
    for Numbered { seq, message } in span {
        if message.role.is_system() {
            continue;
        }
        let mut lines = lines::message_lines(message);
        // What was said before is not said again.
        lines.retain(|line| said.insert(print(line)));
        let mut lines = choose::within_message(message.role, lines);
        // Data is written in another form than it came in, in which a secret may show.
        for line in &mut lines {
            if let Cow::Owned(redacted) = redact(&line.text) {
                line.text = redacted;
            }
        }
        if !lines.is_empty() {
            turns.push(Turn { seq: *seq, role: message.role, lines });
        }
    }
    let bytes: usize = turns.iter().map(Turn::bytes).sum();
    if bytes > MOST_BYTES || turns.len() > MOST_TURNS {
        // Well below the bounds, so that not every version drops something.
        choose::keep(turns, MOST_BYTES / 4 * 3, MOST_TURNS / 4 * 3);
    }
}

/// Takes out the demands that the caller dropped: dropped, they are written nowhere any more.
pub fn forget(turns: &mut Vec<Turn>, dropped: &BTreeSet<String>) {
    if dropped.is_empty() {
        return;
    }
    for turn in turns.iter_mut().filter(|turn| turn.role == Role::User) {
        let said = turn.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
        // Of the turn, for a demand may be longer than a line, and its language shows in all of it; of each line by
        // itself, for lines between them may be gone.
        let mut gone = dropped_among(&said, dropped);
        gone.extend(turn.lines.iter().flat_map(|line| dropped_among(&line.text, dropped)));
        for line in turn.lines.iter_mut().filter(|_| !gone.is_empty()) {
            line.text = without(&line.text, &gone);
        }
        turn.lines.retain(|line| !line.text.is_empty());
    }
    turns.retain(|turn| !turn.lines.is_empty());
}

/// A line without some sentences; nothing of it when it is a part of one.
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
