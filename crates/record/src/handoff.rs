//! Hand-off between agents: the text that an agent receives from another's session, or from all sessions of a task.
//!
//! What lives here: the hand-off's text, and the joined records of a task (`join`).
//! Invariant: every entry of a joined record names its session, and its `seqs` are that session's.
//! Must not know: where summaries are stored, and the caller.

mod join;
mod origin;

use super::digest::{self, Turn};
use super::render::{self, Subject};
use super::summary::{Summary, with_session};
use anchord_facts::key::Key;
use anchord_facts::wording;
use anchord_messages::tokens::TokenCounter;

pub use join::together;
pub use origin::Origin;

/// The sizes of a hand-off, in tokens.
pub const LEVELS: [u32; 3] = [500, 1_500, 3_000];
/// The default size, in tokens.
pub const DEFAULT_LEVEL: u32 = 1_500;

/// Renders a summary for a sub-agent's prompt within `level` tokens, to be put under a level-2 heading.
pub fn render(origin: &str, subject: &Subject<'_>, level: u32, count: impl Fn(&str) -> u32) -> String {
    let shown = with_origins(subject.summary);
    let subject = Subject { summary: &shown, ..*subject };
    render::handed_off(origin, &subject, level, count).text
}

/// Renders a summary as [`render`] does and, where `level` has room for them, `notes` of the session with that name and a
/// digest of it. The summary gets three fifths of the tokens that the notes leave, and what the digest leaves.
pub fn render_with_digest(
    origin: &str,
    subject: &Subject<'_>,
    (name, turns, notes): (&str, &[Turn], &str),
    level: u32,
    counter: &TokenCounter,
) -> String {
    let count = |text: &str| counter.count_text(text);
    if level < DEFAULT_LEVEL {
        return render(origin, subject, level, count);
    }
    let level = level.saturating_sub(count(notes)).saturating_sub(u32::from(!notes.is_empty()));
    let record = render(origin, subject, level, count);
    if turns.is_empty() {
        return record + notes;
    }
    let heading = format!("\n\n### Digest of session {name}\n\n");
    let beside = level.saturating_sub(count(&heading));
    let least = level * 3 / 5;
    let room = beside.saturating_sub(count(&record)).max(beside.saturating_sub(least));
    let digest = digest::serve(turns, &record, room, counter);
    if digest.text.is_empty() {
        return record + notes;
    }
    // The joined text may have a token more or less.
    let left = beside.saturating_sub(digest.tokens).saturating_sub(2);
    let record = if count(&record) <= left { record } else { render(origin, subject, left, count) };
    format!("{record}{heading}{}{notes}", digest.text)
}

/// Renders a summary as [`render`] does, within a number of words.
pub fn render_in_words(
    origin: &str,
    subject: &Subject<'_>,
    words: u32,
    count: impl Fn(&str) -> u32,
) -> String {
    // The room is limited by tokens: counted in words, a long path would be as short as "a", and paths would
    // leave no room for the intent.
    let mut level = words.saturating_mul(4);
    loop {
        let text = render(origin, subject, level, &count);
        if level == 0 || wording::count_words(&text) <= words {
            return text;
        }
        level = level * 4 / 5;
    }
}

/// The summary with the origin of each entry from another session in its text. Every rendering writes the
/// origin of errors, test runs and blockers itself.
fn with_origins(summary: &Summary) -> Summary {
    let mut shown = summary.clone();
    for file in &mut shown.files_modified {
        if let Some(origin) = &file.session_id {
            file.changes.push(format!("by session {origin}"));
        }
    }
    for file in &mut shown.files_read {
        if let Some(origin) = &file.session_id {
            let reason = file.reason.as_deref().map(|reason| with_session(reason, origin));
            file.reason = Some(reason.unwrap_or_else(|| format!("by session {origin}")));
        }
    }
    for decision in &mut shown.decisions_made {
        if let Some(origin) = &decision.session_id {
            decision.decision = with_session(&decision.decision, origin);
            decision.key = Key::default();
        }
    }
    shown
}

#[cfg(test)]
mod tests;
