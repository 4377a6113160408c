//! The deterministic engine: a span and its facts become a proposal, without a network or a clock.
//!
//! What lives here: intent, decisions, state, next steps and blockers, found by marker phrases in
//! the languages that `ledger::prose` knows, and by what tools wrote.
//! Invariant: every sentence stands in the span; nothing is invented, and nothing is a placeholder.
//! Must not know: merging, renderings, budgets.

mod blockers;
pub(in crate::domain) mod contracts;
mod decisions;
mod intent;
mod media;
mod open_questions;
mod phrases;
mod state;
mod steps;
mod talk;

use std::cell::OnceCell;
use std::sync::LazyLock;

use regex::Regex;

use super::ledger::line::squash;
use super::ledger::prose::{self, Sentence};
use super::ledger::{Facts, pattern};
use super::message::{Message, Numbered, Role, ToolResult};
use super::proposal::Proposal;
use super::summary::Summary;
use super::wording::{self, clip_chars};

/// Proposes the narrative of a span; `base` is the summary that the span follows.
#[must_use]
pub fn propose(span: &[Numbered], facts: &Facts, base: Option<&Summary>) -> Proposal {
    let turns = Turns::of(span);
    let phrases = phrases::of(&turns);
    let intent = intent::find(&turns, base, phrases);
    let (next_steps, next_steps_seqs) = steps::find(&turns, facts, phrases);
    let (blockers, blockers_resolved) = blockers::find(&turns, facts, base, phrases);
    Proposal {
        intent,
        decisions: decisions::find(span, &turns, phrases),
        current_state: state::current(&turns, facts),
        notes: talk::notes(&turns, facts).into_iter().chain(media::notes(span)).collect(),
        blockers,
        blockers_resolved,
        next_steps,
        next_steps_seqs,
        warnings: Vec::new(),
    }
}

/// Who said a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Voice {
    Person,
    Assistant,
}

/// What one message says in words.
#[derive(Clone, Debug)]
struct Turn {
    seq: i64,
    voice: Voice,
    /// The words, harness blocks and the marks of reasoning formats removed.
    text: String,
    /// The message also calls tools, so that its words lead over to them.
    calls: bool,
    /// It calls tools and the span goes on behind it: what it announced is under way or done.
    under_way: bool,
    /// The sentences of its words, once they were asked for.
    sentences: OnceCell<Vec<Sentence>>,
    /// Its words, tidied up, once they were asked for.
    tidy: OnceCell<String>,
    /// The sentences of what is said behind the speaker's name, tidied up, once they were asked for.
    tidy_sentences: OnceCell<Vec<Sentence>>,
}

impl Turn {
    fn new(seq: i64, voice: Voice, text: String) -> Self {
        Self {
            seq,
            voice,
            text,
            calls: false,
            under_way: false,
            sentences: OnceCell::new(),
            tidy: OnceCell::new(),
            tidy_sentences: OnceCell::new(),
        }
    }

    /// The sentences of its words.
    fn sentences(&self) -> &[Sentence] {
        self.sentences.get_or_init(|| prose::sentences(&self.text))
    }

    /// Its words without what transcribers and hesitation put between them.
    fn tidy(&self) -> &str {
        self.tidy.get_or_init(|| talk::tidy(&self.text))
    }

    /// What is said behind the speaker's name, where minutes have one.
    fn said(&self) -> &str {
        prose::speaker(&self.text).map_or(self.text.as_str(), |(_, said)| said)
    }

    /// The sentences of what is said, tidied up.
    fn tidy_sentences(&self) -> &[Sentence] {
        self.tidy_sentences.get_or_init(|| prose::sentences(&talk::tidy(self.said())))
    }
}

/// The words of a span, in order.
struct Turns {
    all: Vec<Turn>,
    /// What there is when nobody speaks in words of their own: the first text of any kind.
    fallback: Option<(i64, String)>,
    /// The span's last message is the model's and calls nothing: the turn is over.
    turn_is_over: bool,
    /// The first call, or the first tool's answer when there is no call: for a span without any words.
    first_call: Option<(i64, String)>,
    /// Tools are called in it.
    uses_tools: bool,
    /// Several people talk and no model does (minutes, transcripts).
    conversation: bool,
}

impl Turns {
    fn of(span: &[Numbered]) -> Self {
        let mut all = Vec::new();
        let mut fallback = None;
        let mut uses_tools = false;
        let last = span.last().map_or(0, |n| n.seq);
        for Numbered { seq, message } in span {
            match message.role {
                Role::User => match prose::person_text(message) {
                    Some(text) => all.push(Turn::new(*seq, Voice::Person, text)),
                    None if fallback.is_none() && !prose::is_observation(message) => {
                        fallback = Some((*seq, message.text())).filter(|(_, t)| !t.trim().is_empty());
                    }
                    None => {}
                },
                Role::Assistant => {
                    let text = message.words();
                    let words = spoken(&text);
                    let calls = message.calls().next().is_some() || has_command(&text);
                    uses_tools |= calls;
                    if !words.is_empty() {
                        let turn = Turn::new(*seq, Voice::Assistant, words);
                        all.push(Turn { calls, under_way: calls && *seq < last, ..turn });
                    }
                }
                Role::System | Role::Developer | Role::Tool => {}
            }
        }
        let turn_is_over = span.last().is_some_and(|n| ends_turn(&n.message));
        let conversation = prose::is_minutes(span);
        Self { all, fallback, first_call: first_call(span), turn_is_over, uses_tools, conversation }
    }

    fn persons(&self) -> impl DoubleEndedIterator<Item = &Turn> {
        self.all.iter().filter(|t| t.voice == Voice::Person)
    }

    fn assistants(&self) -> impl DoubleEndedIterator<Item = &Turn> {
        self.all.iter().filter(|t| t.voice == Voice::Assistant)
    }
}

/// The longest call or answer that stands for an intent, in characters.
const MAX_CALL: usize = 200;

fn first_call(span: &[Numbered]) -> Option<(i64, String)> {
    let line = |text: &str| clip(&squash(text), MAX_CALL);
    let calls = span.iter().find_map(|n| {
        let call = n.message.calls().find(|c| !c.name.trim().is_empty())?;
        let said = format!("{} {}", call.name, clip_chars(&call.arguments, 4 * MAX_CALL));
        Some((n.seq, line(&said)))
    });
    calls.or_else(|| {
        span.iter().find_map(|n| {
            let text = n.message.results().map(ToolResult::text).find(|t| !is_placeholder(t))?;
            Some((n.seq, line(clip_chars(&text, 4 * MAX_CALL))))
        })
    })
}

fn ends_turn(message: &Message) -> bool {
    message.role == Role::Assistant && message.calls().next().is_none() && !has_command(&message.words())
}

/// Whether a text-only agent's message ends in a command for its harness.
fn has_command(text: &str) -> bool {
    text.trim_end().ends_with("```")
        && ["```bash", "```sh", "```shell", "```tool_code", "```mswea_bash_command"]
            .iter()
            .any(|f| text.contains(f))
        || text.contains("<execute_bash>")
        || text.contains("</function>")
}

/// The model's words without the label that reasoning formats put first, and without inline thinking.
fn spoken(text: &str) -> String {
    let mut text = text.trim();
    if let Some(rest) = text.strip_prefix("<thinking>").or_else(|| text.strip_prefix("<think>")) {
        text = rest
            .split_once("</think")
            .map_or("", |(_, after)| after.trim_start_matches("ing").trim_start_matches('>'));
    }
    let text = text.trim();
    for label in ["THOUGHT:", "Thought:", "DISCUSSION", "DISCUSSION:"] {
        if let Some(rest) = text.strip_prefix(label) {
            return rest.trim_start_matches(':').trim().to_owned();
        }
    }
    text.to_owned()
}

/// At most `max` characters, never half a word, path or number, with `…` for what was cut.
fn clip(text: &str, max: usize) -> String {
    let head = wording::clip_words(text, max);
    if head.len() == text.len() {
        return text.to_owned();
    }
    // One word longer than all of the room is data; its start tells which.
    let head = if head.is_empty() { wording::clip_chars(text, max) } else { head };
    format!("{head}…")
}

/// Whether a text says nothing: to be left out rather than served.
fn is_placeholder(text: &str) -> bool {
    if is_control_token(text.trim()) {
        return true;
    }
    let bare = text.trim().trim_matches(|c: char| c.is_ascii_punctuation() && c != '.' || c == '…');
    let lower = bare.to_ascii_lowercase();
    bare.is_empty()
        || matches!(lower.as_str(), "..." | "etc." | "etc" | "none" | "n/a" | "todo" | "tbd" | "null")
        || lower.contains("[tbd]")
        || bare.chars().all(|c| !c.is_alphanumeric())
}

/// Whether a person only thanks or takes leave: nothing is asked for.
fn is_pleasantry(text: &str) -> bool {
    static THANKS: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)^\W*(?:(?:ok(?:ay)?|great|perfect|awesome|nice|no|yes|alright|好的?)[\s,.!，。]+){0,3}(?:thank|thanks|thx|cheers|that['’]s (?:all|it|everything|great|perfect)|bye|goodbye|good night|merci|au revoir|danke|tschüss|gracias|adiós|спасибо|до свидания|谢谢|感谢|再见|ありがとう|さようなら)",
        )
    });
    static ASKS: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)\b(?:now|next|then|maintenant|jetzt|noch|ahora|теперь|ещё)[, ]+\w+|\b(?:but|also|please|can you|could you|one more|mais|aussi|aber|pero|también|но)\b|但|还|请|接下来|次|でも",
        )
    });
    text.chars().count() <= 200
        && THANKS.is_match(text)
        && !ASKS.is_match(text)
        && !text.contains(['?', '？'])
}

/// Whether a text is a mark for a program (`###STOP###`, `<END>`, `[DONE]`) and no words.
fn is_control_token(text: &str) -> bool {
    let word = text.trim_matches(|c: char| c.is_ascii_punctuation() && c != '_');
    let marked = |c: Option<char>| c.is_some_and(|c| matches!(c, '#' | '<' | '>' | '[' | ']' | '*' | '|'));
    marked(text.chars().next())
        && marked(text.chars().next_back())
        && (2..=24).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
}

#[cfg(test)]
mod tests;
