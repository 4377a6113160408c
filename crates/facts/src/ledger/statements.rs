//! What a person or the agent states in so many words: decisions, blockers, next steps, open questions.
//!
//! Invariant: a statement is in the words of who made it; nothing that a tool printed, a harness wrote, or somebody
//! pasted or quoted is one, and nobody decides for somebody else.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::line::{clip, head, squash};
use super::prose::{self, list_item, sentences};
use super::reading::Reading;
use crate::pattern::{self, Grouped, Rule, Table};
use crate::rules;
use crate::wording;
use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::stop_words::is_stop_word;

#[cfg(test)]
pub(super) use samples::problems as rule_problems;

/// The most statements of a span: the latest.
const MOST: usize = 200;
/// The longest statement or reason, in characters.
const LONGEST: usize = 400;
/// The most items of a list below a label.
const MOST_ITEMS: usize = 12;
/// The longest part of a message that is read, in bytes.
const MOST_TEXT: usize = 256 * 1024;
/// How far a sentence may reach beyond its first line, in bytes.
const LONGEST_SENTENCE: usize = 800;
/// The most ends of sentences in a line behind which a label is looked for.
const MOST_ENDS: usize = 40;
/// The most open questions passed to the next span.
const MOST_OPEN: usize = 40;

/// Something that was stated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// The section that it belongs to.
    pub section: Stated,
    /// It, in the words of who made it.
    pub text: String,
    /// The reason that was given; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The alternative that was rejected; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rejected: String,
    /// Who made it; `None` for the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The message.
    pub seqs: Vec<Seq>,
}

/// The sections of a record that statements fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stated {
    /// A decision.
    Decision,
    /// The obstacle.
    Blocker,
    /// Nothing stands in the way any more.
    Unblocked,
    /// A step to be taken.
    NextStep,
    /// A question that is open.
    OpenQuestion,
    /// The reason of the decision before.
    Reason,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| rules::read(rules::STATEMENTS));
static REASON: LazyLock<Regex> = LazyLock::new(|| pattern::ascii(&RULES.reason));
static REJECTED: LazyLock<Regex> = LazyLock::new(|| pattern::ascii(&RULES.rejected));
static NONE: LazyLock<Regex> = LazyLock::new(|| pattern::ascii(&RULES.none));
/// The numbers of a list within a line.
static NUMBERS: LazyLock<Regex> = LazyLock::new(|| pattern::ascii(r"(?:^|[\s;,.:])\s*\(?\d{1,2}[.)]\s+"));

/// `rules/statements.toml` explains each field.
#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
struct Rules {
    reason: String,
    rejected: String,
    none: String,
    #[serde(rename = "statement")]
    statements: Table<Shape>,
}

#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
struct Shape {
    section: Stated,
    pattern: Grouped,
    unless: Option<Grouped>,
    #[serde(default)]
    label: bool,
    #[serde(default)]
    last: bool,
    #[cfg(test)]
    samples: Vec<samples::Sample>,
    #[cfg(test)]
    not: Vec<String>,
}

impl Rule for Shape {
    fn pattern(&self) -> &Grouped {
        &self.pattern
    }

    #[cfg(test)]
    fn name(&self) -> String {
        format!("statements.toml, {:?}, {}", self.section, self.pattern.text())
    }
}

/// The statements of a span, each once. In minutes, the speakers make them.
pub(super) fn read(span: &[Reading<'_>], minutes: bool) -> Vec<Statement> {
    let last = span.iter().rev().find(|reading| !reading.message.role.is_system());
    let mut found: Vec<Statement> = Vec::new();
    for reading in span {
        let Some(said) = reading.words().map(|words| head(words, MOST_TEXT)) else { continue };
        let is_person = reading.message.role == Role::User;
        let speaker = prose::speaker(said).filter(|_| minutes && is_person);
        let said = speaker.map_or(said, |(_, said)| said);
        let is_last =
            last.is_some_and(|last| last.seq == reading.seq) && reading.message.calls().next().is_none();
        let mut stated = of_text(said, is_last);
        // Most messages state nothing, and what a person pasted is found slowly.
        if stated.is_empty() {
            continue;
        }
        if is_person && !minutes {
            stated = of_text(&prose::around_paste(&prose::own_words(said)), is_last);
        }
        let by = match speaker {
            Some((name, _)) => Some(name.to_owned()),
            None => is_person.then(|| "The user".to_owned()),
        };
        for statement in stated {
            let again = found.iter().position(|one| {
                one.section == statement.section
                    && one.by == by
                    && wording::normalized(&one.text) == wording::normalized(&statement.text)
            });
            // What is stated again is stated last.
            let mut seqs = again.map(|at| found.remove(at).seqs).unwrap_or_default();
            wording::join_seqs(&mut seqs, &[reading.seq]);
            found.push(Statement { by: by.clone(), seqs, ..statement });
        }
        found.drain(..found.len().saturating_sub(MOST));
    }
    found
}

/// Questions that were stated as open, in this span or before, and that no person's later words take up.
pub(super) fn open_questions(
    span: &[Reading<'_>],
    statements: &[Statement],
    earlier: &[String],
) -> Vec<String> {
    let stated = statements.iter().filter(|one| one.section == Stated::OpenQuestion);
    let asked = earlier
        .iter()
        .map(|text| (0, text))
        .chain(stated.map(|one| (one.seqs.last().copied().unwrap_or(0), &one.text)));
    let mut open: Vec<String> = Vec::new();
    for (at, text) in asked {
        let mut later = span.iter().filter(|reading| reading.seq > at).filter_map(Reading::person);
        if !open.contains(text) && !later.any(|said| takes_up(said, text)) {
            open.push(text.clone());
        }
    }
    open.drain(..open.len().saturating_sub(MOST_OPEN));
    open
}

/// Whether a text has most of a question's words.
fn takes_up(said: &str, question: &str) -> bool {
    let question = wording::normalized(question);
    let words: Vec<&str> = question.split(' ').filter(|word| !is_stop_word(word)).collect();
    let said = wording::normalized(head(said, MOST_TEXT));
    let named = words.iter().filter(|word| said.split(' ').any(|one| one == **word)).count();
    named >= 2 && named * 5 >= words.len() * 3
}

/// The statements of a text.
fn of_text(text: &str, is_last: bool) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let (mut read, mut fenced) = (0, false);
    let mut after_label = 0;
    for line in RULES.statements.lines(text) {
        // Code and quotations state nothing.
        for before in text.get(read..line.start).unwrap_or_default().lines() {
            fenced ^= is_fence(before);
        }
        read = line.start;
        let raw = text.get(line.start..line.end).unwrap_or_default();
        if fenced || line.start < after_label || raw.trim_start().starts_with(['>', '|', '$']) {
            continue;
        }
        for rule in RULES.statements.candidates(&line).filter(|rule| is_last || !rule.last) {
            if rule.label {
                let below = text.get(line.end..).unwrap_or_default();
                if let Some((items, length)) = rule.labelled(raw, below) {
                    after_label = line.end + length;
                    rule.add(&items, &mut found);
                }
            } else if rule.unanchored(raw) {
                let behind = text.get(line.start..).unwrap_or_default();
                let paragraph = head(behind, raw.len() + LONGEST_SENTENCE);
                let end = paragraph.find("\n\n").unwrap_or(paragraph.len());
                for sentence in sentences(paragraph.get(..end).unwrap_or_default()) {
                    rule.sentence(&bare(&sentence.text), &mut found);
                }
            }
        }
    }
    found
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    (line.starts_with("```") || line.starts_with("~~~"))
        && !(line.len() > 6 && line.trim_end().ends_with("```"))
}

/// A line without list marks, the signs of a heading and those of emphasis.
fn bare(line: &str) -> String {
    let line = line.trim().trim_start_matches('#').trim_start();
    let line = list_item(line).unwrap_or(line);
    squash(&line.replace("**", "").replace("__", ""))
}

impl Shape {
    /// Whether the pattern may match a sentence that begins in a line.
    fn unanchored(&self, line: &str) -> bool {
        // A sentence begins with a capital or behind a full stop; its first words are the pattern's.
        self.pattern.is_match(&bare(line))
            || line.match_indices(['.', '!', '?', '。', ':', '：']).take(MOST_ENDS).any(|(at, stop)| {
                line.get(at + stop.len()..).is_some_and(|rest| self.pattern.is_match(rest.trim_start()))
            })
    }

    /// The items behind or below a label, and how many bytes below the line they take.
    fn labelled(&self, line: &str, below: &str) -> Option<(Vec<String>, usize)> {
        let trimmed = line.trim();
        let bare = bare(trimmed);
        let Some(caps) = self.pattern.captures(&bare) else {
            // A label may stand behind another sentence.
            let ends = bare.match_indices(['.', '!', '?', ';', '。', '；']).take(MOST_ENDS);
            let mut rests = ends.filter_map(|(at, end)| bare.get(at + end.len()..)).map(str::trim_start);
            return rests.find_map(|rest| {
                let caps = self.pattern.captures(rest).filter(|caps| caps.name("colon").is_some())?;
                let items = items_of(caps.name("text")?.as_str());
                (!items.is_empty()).then_some((items, 0))
            });
        };
        let has_colon = caps.name("colon").is_some();
        let is_heading = trimmed.starts_with('#') || trimmed.starts_with("**") && trimmed.ends_with("**");
        if !has_colon && !is_heading {
            return None;
        }
        let said = caps.name("text").map_or("", |m| m.as_str()).trim();
        // "Next steps: what is left is this:" has its list below.
        Some(if said.is_empty() || said.ends_with([':', '：']) {
            items_below(below)
        } else {
            (items_of(said), 0)
        })
    }

    fn sentence(&self, sentence: &str, found: &mut Vec<Statement>) {
        let Some(caps) = self.pattern.captures(sentence) else { return };
        if self.unless.as_ref().is_some_and(|unless| unless.is_match(sentence)) {
            return;
        }
        let text = caps.name("text").map_or(sentence, |m| m.as_str());
        let from = found.len();
        self.add(&[text.to_owned()], found);
        if let Some((one, reason)) = found.get_mut(from).zip(caps.name("reason")) {
            reason.as_str().clone_into(&mut one.reason);
        }
    }

    fn add(&self, items: &[String], found: &mut Vec<Statement>) {
        for item in items {
            let item = item.trim().trim_end_matches(['.', '。', ';', ',']).trim();
            let is_none = NONE.is_match(item);
            let section =
                if is_none && self.section == Stated::Blocker { Stated::Unblocked } else { self.section };
            if is_none && section != Stated::Unblocked || !item.chars().any(char::is_alphanumeric) {
                continue;
            }
            if section == Stated::Reason {
                let before =
                    found.last_mut().filter(|one| one.section == Stated::Decision && one.reason.is_empty());
                if let Some(before) = before {
                    before.reason = clip(&squash(item), LONGEST);
                }
                continue;
            }
            let is_decision = section == Stated::Decision;
            let (text, reason) = if is_decision { parted(item, &REASON) } else { (item, "") };
            let (text, rejected) = if is_decision { parted(text, &REJECTED) } else { (text, "") };
            let mut text = clip(&squash(text), LONGEST);
            if is_decision && !self.label {
                capitalise(&mut text);
            }
            found.push(Statement {
                section,
                text,
                reason: clip(&squash(reason), LONGEST),
                rejected: clip(&squash(rejected), LONGEST),
                by: None,
                seqs: Vec::new(),
            });
        }
    }
}

/// A text up to the first match of a pattern, and what stands behind it.
fn parted<'t>(text: &'t str, at: &Regex) -> (&'t str, &'t str) {
    let Some(found) = at.find(text).filter(|found| found.start() > 0) else { return (text, "") };
    let (before, behind) = (text.get(..found.start()), text.get(found.end()..));
    match (before.map(str::trim), behind.map(str::trim)) {
        (Some(before), Some(behind)) if !before.is_empty() && !behind.is_empty() => (before, behind),
        _ => (text, ""),
    }
}

fn capitalise(text: &mut str) {
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
}

/// The items of a list within a line, or the first sentence, with its reason if that has a label of its own.
fn items_of(said: &str) -> Vec<String> {
    if NUMBERS.find(said).is_some_and(|first| first.start() == 0) {
        return NUMBERS.split(said).filter(|item| !item.trim().is_empty()).map(str::to_owned).collect();
    }
    let mut all = sentences(said).into_iter().map(|sentence| sentence.text);
    let Some(mut first) = all.next() else { return vec![said.to_owned()] };
    if let Some(next) =
        all.next().filter(|next| REASON.find(&format!(" {next}")).is_some_and(|found| found.start() == 0))
    {
        first = format!("{first} {next}");
    }
    vec![first]
}

/// The items of the list or paragraph below a label, and its length in bytes.
fn items_below(below: &str) -> (Vec<String>, usize) {
    let mut items: Vec<String> = Vec::new();
    let (mut read, mut is_list, mut blank) = (0, None, false);
    let mut indent = 0;
    for line in below.split_inclusive('\n') {
        let bare_line = line.trim();
        if bare_line.is_empty() {
            // A paragraph ends here, a list may go on.
            if is_list == Some(false) {
                break;
            }
            blank = is_list.is_some();
            read += line.len();
            continue;
        }
        let item = list_item(bare_line);
        let depth = line.len() - line.trim_start().len();
        if bare_line.starts_with(['#', '>', '|']) || is_fence(bare_line) || items.len() >= MOST_ITEMS {
            break;
        }
        match (is_list, item) {
            (None, _) => {
                (is_list, indent) = (Some(item.is_some()), depth);
                items.extend(open_item(bare_line));
            }
            (Some(true), Some(_)) if depth <= indent => items.extend(open_item(bare_line)),
            // What stands below an item is detail.
            (Some(true), _) if depth > indent => {}
            (Some(true), _) if blank => break,
            (Some(_), _) => match items.last_mut() {
                Some(one) => {
                    one.push(' ');
                    one.push_str(bare_line);
                }
                None => break,
            },
        }
        blank = false;
        read += line.len();
    }
    (items, read)
}

/// An item of a list; `None` for one that is ticked off.
fn open_item(line: &str) -> Option<String> {
    let is_done = ["[x] ", "[X] ", "✅", "☑", "✔"].iter().any(|mark| line.contains(mark));
    (!is_done).then(|| bare(line))
}

#[cfg(test)]
mod samples {
    use super::*;

    /// A text, and what is stated in it.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Sample {
        text: String,
        says: Vec<String>,
    }

    fn said(text: &str) -> Vec<String> {
        let line = |one: &Statement| {
            let section = serde_json::to_value(one.section).unwrap();
            let told = [one.text.as_str(), one.reason.as_str(), one.rejected.as_str()].join(" | ");
            format!("{}: {}", section.as_str().unwrap(), told.trim_end_matches([' ', '|']))
                .replace(" |  | ", " | | ")
        };
        of_text(text, true).iter().map(line).collect()
    }

    impl Shape {
        fn problems(&self) -> Vec<String> {
            let mut problems = Vec::new();
            for sample in &self.samples {
                let read = said(&sample.text);
                if read != sample.says {
                    problems.push(format!("reads {read:?} in {}", sample.text));
                }
            }
            problems.extend(
                self.not
                    .iter()
                    .filter(|text| !said(text).is_empty())
                    .map(|text| format!("reads {:?} in {text}", said(text))),
            );
            if self.samples.is_empty() || self.not.is_empty() {
                problems.push("it has no samples of both kinds".to_owned());
            }
            problems.into_iter().map(|problem| format!("{}: {problem}", self.name())).collect()
        }
    }

    /// The faults of the rules.
    pub fn problems() -> Vec<String> {
        let rules = &RULES.statements;
        rules.problems().into_iter().chain(rules.iter().flat_map(Shape::problems)).collect()
    }
}

#[cfg(test)]
mod tests;
