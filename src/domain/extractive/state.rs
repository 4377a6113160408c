//! Where the work stands at the span's end.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ledger::line::{clip_middle, squash};
use super::super::ledger::{Facts, TodoStatus, pattern};
use super::super::summary::CurrentState;
use super::intent::substance;
use super::{Turn, Turns, clip, is_placeholder, is_pleasantry, talk};

/// The longest state, in characters.
const MAX_STATE: usize = 600;
/// The longest first message that is told as the task too, in characters.
const MAX_REPEATED: usize = 160;
/// The longest task, in characters.
const MAX_TASK: usize = 300;
/// The state at the span's end.
pub(super) fn current(turns: &Turns, facts: &Facts) -> CurrentState {
    let (text, mut seqs) = if turns.conversation { talk::last_words(turns) } else { last_report(turns) };
    // "yes" and "go on" answer something; the request is the last message that states one.
    let request = turns
        .persons()
        .rev()
        .find(|t| substance(&t.text) >= 3 && !is_placeholder(&t.text) && !is_pleasantry(&t.text))
        .filter(|_| !turns.conversation);
    let in_progress =
        facts.todos.as_ref().and_then(|t| t.items.iter().find(|i| i.status == TodoStatus::InProgress));
    let task = match (in_progress, request) {
        (Some(item), _) => Some(clip(&squash(&item.content), MAX_TASK)),
        // A long first message is the intent, which is told already.
        (None, Some(turn)) if !(is_first(turns, turn.seq) && turn.text.chars().count() > MAX_REPEATED) => {
            seqs.push(turn.seq);
            Some(clip(&squash(&without_tags(&without_fences(&turn.text))), MAX_TASK))
                .filter(|t| !t.is_empty())
        }
        (None, _) => None,
    };
    seqs.sort_unstable();
    seqs.dedup();
    CurrentState { phase: phase(facts), task, text, seqs }
}

/// Whether a message is the first that a person wrote in this span, when the span is the session's first.
fn is_first(turns: &Turns, seq: i64) -> bool {
    turns.all.first().is_some_and(|first| first.seq == seq)
        && turns.persons().filter(|t| !is_placeholder(&t.text)).nth(1).is_none()
}

/// What the session was last doing, by what its tools touched last.
fn phase(facts: &Facts) -> Option<String> {
    let last = |seqs: &[i64]| seqs.last().copied().unwrap_or(0);
    let changed = facts.files.iter().filter(|f| f.action.is_some()).map(|f| last(&f.seqs)).max();
    let tested = facts.test_runs.iter().map(|t| last(&t.seqs)).max();
    let worked = !facts.commands.is_empty() || !facts.files.is_empty();
    let phase = match (changed, tested) {
        (Some(change), Some(test)) if test >= change => "testing",
        (None, Some(_)) => "testing",
        (Some(_), _) => "implementation",
        (None, None) if worked => "exploration",
        (None, None) => return None,
    };
    Some(phase.to_owned())
}

/// The model's latest report: its last words, with the ones before when they only lead over to a tool.
fn last_report(turns: &Turns) -> (String, Vec<i64>) {
    let mut parts: Vec<(i64, String)> = Vec::new();
    let mut length = 0;
    for turn in turns.assistants().rev().take(6) {
        let words = report_text(turn);
        if is_placeholder(&words) {
            continue;
        }
        length += words.chars().count();
        parts.push((turn.seq, words));
        if length >= 160 {
            break;
        }
    }
    if parts.is_empty() {
        let (seq, text) = match turns.persons().next_back() {
            Some(turn) => (turn.seq, squash(&without_fences(&turn.text))),
            None => return (String::new(), Vec::new()),
        };
        return (clip(&text, MAX_STATE), vec![seq]);
    }
    parts.reverse();
    let text = parts.iter().map(|(_, t)| t.as_str()).collect::<Vec<_>>().join(" ");
    (clip_middle(&text, MAX_STATE), parts.iter().map(|(s, _)| *s).collect())
}

fn report_text(turn: &Turn) -> String {
    let sentences = turn.sentences();
    if sentences.is_empty() {
        return squash(&without_fences(&turn.text));
    }
    sentences.iter().map(|s| s.text.as_str()).filter(|s| !is_placeholder(s)).collect::<Vec<_>>().join(" ")
}

pub(super) fn without_fences(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            out.push_str(line);
            out.push('\n');
        }
    }
    if out.trim().is_empty() { text.to_owned() } else { out }
}

/// A request without the tags that it was wrapped in.
pub(super) fn without_tags(text: &str) -> Cow<'_, str> {
    static TAG: LazyLock<Regex> = LazyLock::new(|| pattern::unicode(r"</?[a-z][a-z_\-]{1,40}>"));
    TAG.replace_all(text, " ")
}
