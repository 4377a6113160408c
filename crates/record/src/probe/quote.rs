//! Finds the line of a session's messages that answers a caller's probe.

use std::collections::HashSet;

use super::super::digest::{LineKind, Turn};
use super::super::summary::Remark;
use super::question::Probe;
use super::score::Text;
use anchord_facts::redact::redact;
use anchord_facts::wording;
use anchord_messages::id::Seq;
use anchord_messages::message::{Numbered, Role};

/// The most characters of a quotation before the fact, and after its first character.
const BEFORE: usize = 120;
const AFTER: usize = 240;
/// The fewest characters of a word of the question that lines are compared by.
const LEAST_WORD: usize = 3;

/// The lines of the span, and those of earlier messages that the digest keeps.
pub(super) struct Lines(Vec<Line>);

struct Line {
    seq: Seq,
    is_output: bool,
    text: Text<'static>,
}

impl Lines {
    pub(super) fn of(span: &[Numbered], kept: &[Turn]) -> Self {
        let first = span.first().map_or(Seq::MAX, |first| first.seq);
        let mut lines = Vec::new();
        for turn in kept.iter().filter(|turn| turn.seq < first) {
            for line in &turn.lines {
                let is_output = line.kind == LineKind::Output;
                lines.push(Line { seq: turn.seq, is_output, text: Text::of(line.text.clone()) });
            }
        }
        for Numbered { seq, message } in span {
            let is_output = message.role == Role::Tool || message.results().next().is_some();
            message.each_text(&mut |text| {
                let texts = text.lines().map(wording::one_line).filter(|line| !line.is_empty());
                lines.extend(texts.map(|line| Line { seq: *seq, is_output, text: Text::of(line) }));
            });
        }
        Self(lines)
    }

    /// The line that tells a fact in the most words of the question, without secrets; of equal ones what somebody said
    /// before what a tool returned, and the latest. `None` when no line tells it.
    pub(super) fn quote(&self, probe: &Probe, fact: &str) -> Option<Remark> {
        let question = wording::normalized(&probe.question);
        let asked: HashSet<&str> =
            question.split(' ').filter(|word| word.chars().count() >= LEAST_WORD).collect();
        let shared = |line: &Line| {
            let words: HashSet<&str> = line.text.words().split(' ').collect();
            words.intersection(&asked).count()
        };
        let telling = self.0.iter().filter(|line| line.text.holds(fact, probe.exact, probe));
        let best = telling.max_by_key(|line| (shared(line), !line.is_output, line.seq))?;
        let text = redact(around(best.text.raw(), fact)).into_owned();
        let is_told = Text::of(text.as_str()).holds(fact, probe.exact, probe);
        is_told.then(|| Remark { text, seqs: vec![best.seq], session_id: None })
    }
}

/// The words of a line around a fact. A fact that stands there in other letters is looked for in the whole line.
fn around<'a>(line: &'a str, fact: &str) -> &'a str {
    let at = line.find(fact.trim()).unwrap_or_default();
    let (before, after) = line.split_at(at);
    let before = wording::clip_words_tail(before, BEFORE).len();
    let after = wording::clip_words(after, fact.chars().count() + AFTER).len();
    line.get(at - before..at + after).unwrap_or(line).trim()
}
