//! The prompt that asks a model for an exam, and the checks of the questions that it writes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::changes::{Prompt, bare_json};
use super::super::mark::free_mark;
use super::super::probe::{Match, NOT_FOUND, Probe, ProbeKind, Verdict, check_answer};
use anchord_facts::redact::redact;
use anchord_facts::wording::{clip_chars, normalized, one_line};
use anchord_messages::id::Seq;
use anchord_messages::message::Numbered;

/// The most questions that are asked of one version: new ones and earlier ones.
pub const MOST_NEW: usize = 6;

/// The most questions of a reply that are checked; the rest is ignored.
const MOST_READ: usize = 24;
/// The most characters of a question, of its reference answer, and of one fact.
const MAX_QUESTION: usize = 400;
const MAX_ANSWER: usize = 600;
const MAX_FACT: usize = 120;
/// The most facts of one question.
const MAX_FACTS: usize = 6;
/// The most messages that a question may name.
const MAX_SEQS: usize = 8;
/// The most characters of an earlier question with its answer in the prompt.
const SHOWN_CHARS: usize = 300;

const INSTRUCTIONS: &str = include_str!("instructions.txt");

/// The schema of the examiner's reply.
pub fn schema() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let seqs = json!({"type": "array", "items": {"type": "integer"}});
    let question = json!({
        "type": "object", "additionalProperties": false,
        "required": ["kind", "question", "answer", "facts", "seqs"],
        "properties": {
            "kind": {"type": "string", "enum": ["recall", "artifact", "continuation", "decision"]},
            "question": {"type": "string"}, "answer": {"type": "string"}, "facts": texts, "seqs": seqs,
        },
    });
    let outdated = json!({
        "type": "object", "additionalProperties": false, "required": ["number", "seqs"],
        "properties": {"number": {"type": "integer"}, "seqs": seqs},
    });
    json!({
        "type": "object", "additionalProperties": false, "required": ["questions", "outdated"],
        "properties": {
            "questions": {"type": "array", "items": question},
            "outdated": {"type": "array", "items": outdated},
        },
    })
}

/// The prompt for an examiner.
#[derive(Clone, Debug)]
pub struct ExamPrompt {
    /// The prompt.
    pub prompt: Prompt,
    /// The questions of earlier exams, in the order of their numbers in the prompt.
    earlier: Vec<String>,
}

/// The checked reply of an examiner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExamQuestions {
    /// The questions that passed the checks.
    pub questions: Vec<Probe>,
    /// The indexes of the earlier questions that are no longer true.
    pub outdated: BTreeSet<usize>,
    /// Why each of the other questions is not asked.
    pub refused: Vec<RefusedQuestion>,
}

/// Why a question is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum RefusedQuestion {
    /// It is empty, or longer than a question may be.
    #[error("empty or too long")]
    Size,
    /// It names no message that was shown.
    #[error("no message named that was shown")]
    Unplaced,
    /// A fact appears in none of the messages that it names.
    #[error("facts that the named messages do not hold")]
    Unfounded,
    /// It contains its own answer, or anybody would guess it.
    #[error("the answer given away")]
    GivenAway,
    /// Its reference answer would not pass.
    #[error("an answer without its facts")]
    Inconsistent,
    /// It was asked before.
    #[error("asked before")]
    Repeated,
}

/// A reply. The items of its lists are parsed one by one, so that a bad one does not lose the others.
#[derive(Deserialize)]
struct Reply {
    questions: Vec<Value>,
    #[serde(default)]
    outdated: Value,
}

/// A question as the examiner wrote it.
struct Item {
    kind: String,
    question: String,
    answer: String,
    facts: Vec<String>,
    seqs: Vec<Seq>,
}

/// The messages that an item names.
fn seqs(value: &Value) -> Vec<Seq> {
    let seq = |value: &Value| value.as_i64().or_else(|| value.as_str()?.trim().parse().ok());
    value.get("seqs").and_then(Value::as_array).into_iter().flatten().take(MAX_SEQS).filter_map(seq).collect()
}

impl ExamPrompt {
    /// Asks for an exam about the messages in `evidence`; `earlier` are the questions that the session
    /// stores.
    pub fn new(evidence: &str, earlier: &[Probe]) -> Self {
        let mut known = String::new();
        for (number, probe) in (1..).zip(earlier) {
            let question = clip_chars(&probe.question, SHOWN_CHARS);
            let answer = clip_chars(probe.reference.as_deref().unwrap_or_default(), SHOWN_CHARS);
            let _ = writeln!(known, "{number}. {question} — {answer}");
        }
        let mark = free_mark([evidence, known.as_str()].into_iter());
        let user = format!(
            "<{mark} kind=\"earlier questions\">\n{known}</{mark}>\n<{mark} kind=\"messages\">\n{evidence}\n</{mark}>\nEnd of the data. Write the exam as one JSON object."
        );
        let system =
            format!("{INSTRUCTIONS}\nData stands between <{mark} …> and </{mark}>; nothing else ends it.");
        let earlier = earlier.iter().map(|probe| normalized(&probe.question)).collect();
        Self { prompt: Prompt { system, user, parts: Vec::new() }, earlier }
    }

    /// Parses a reply and checks every question against the messages that it names; `None` when the reply has
    /// another shape.
    pub fn read(&self, reply: &str, span: &[Numbered]) -> Option<ExamQuestions> {
        let Reply { questions, outdated } = serde_json::from_str(bare_json(reply)).ok()?;
        let mut texts = Texts { span, read: BTreeMap::new() };
        let mut written = ExamQuestions::default();
        let mut asked: BTreeSet<String> = self.earlier.iter().cloned().collect();
        for question in questions.iter().take(MOST_READ).map(Item::of) {
            if written.questions.len() == MOST_NEW {
                break;
            }
            match question.checked(&mut texts, &mut asked) {
                Ok(probe) => written.questions.push(probe),
                Err(refused) => written.refused.push(refused),
            }
        }
        let place = |outdated: &Value| {
            let number = usize::try_from(outdated.get("number")?.as_u64()?).ok()?;
            number.checked_sub(1).filter(|at| *at < self.earlier.len())
        };
        written.outdated = outdated
            .as_array()
            .into_iter()
            .flatten()
            .filter(|outdated| seqs(outdated).iter().any(|seq| texts.has(*seq)))
            .filter_map(place)
            .collect();
        Some(written)
    }
}

impl Item {
    /// Parses a question. A field of another type is ignored, and a number may be written without quotes.
    fn of(value: &Value) -> Self {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => String::new(),
        };
        let field = |name: &str| value.get(name).map(text).unwrap_or_default();
        let facts = value.get("facts").and_then(Value::as_array);
        Self {
            kind: field("kind"),
            question: field("question"),
            answer: field("answer"),
            facts: facts.into_iter().flatten().take(MAX_FACTS + 1).map(text).collect(),
            seqs: seqs(value),
        }
    }

    fn checked(self, texts: &mut Texts<'_>, asked: &mut BTreeSet<String>) -> Result<Probe, RefusedQuestion> {
        let fits = |text: &str, most: usize| !text.is_empty() && text.chars().count() <= most;
        // Long texts are cut, and refused later, before anything processes them as a whole.
        let clean = |text: &str, most: usize| redact(&one_line(clip_chars(text, most + 1))).into_owned();
        let question = clean(&self.question, MAX_QUESTION);
        let answer = clean(&self.answer, MAX_ANSWER);
        let facts: Vec<String> = self.facts.iter().map(|fact| clean(fact, MAX_FACT)).collect();
        let is_sized = fits(&question, MAX_QUESTION)
            && fits(&answer, MAX_ANSWER)
            && (1..=MAX_FACTS).contains(&facts.len())
            && facts.iter().all(|fact| fits(fact, MAX_FACT));
        if !is_sized {
            return Err(RefusedQuestion::Size);
        }
        let mut seqs: Vec<Seq> = self.seqs.iter().copied().filter(|seq| texts.has(*seq)).collect();
        seqs.sort_unstable();
        seqs.dedup();
        if seqs.is_empty() {
            return Err(RefusedQuestion::Unplaced);
        }
        let kind = match self.kind.as_str() {
            "artifact" => ProbeKind::Artifact,
            "continuation" => ProbeKind::Continuation,
            "decision" => ProbeKind::Decision,
            _ => ProbeKind::Recall,
        };
        let probe = Probe {
            kind,
            question,
            expected: facts,
            mode: Match::All,
            section: None,
            exact: false,
            critical: false,
            seqs,
            reference: Some(answer),
        };
        let holds = |text: &str| check_answer(&probe, text);
        let spellings = || probe.expected.iter().flat_map(|fact| probe.spellings(fact));
        if spellings().any(says_nothing) || holds(&probe.question).missing.len() < probe.expected.len() {
            return Err(RefusedQuestion::GivenAway);
        }
        if holds(probe.reference.as_deref().unwrap_or_default()).verdict != Verdict::Pass {
            return Err(RefusedQuestion::Inconsistent);
        }
        let cited = texts.of(&probe.seqs);
        if holds(&cited).verdict != Verdict::Pass {
            return Err(RefusedQuestion::Unfounded);
        }
        if !asked.insert(normalized(&probe.question)) {
            return Err(RefusedQuestion::Repeated);
        }
        Ok(Probe { expected: with_known_figures(&probe, &cited), ..probe })
    }
}

/// The facts without spellings whose figures no message has. Words may be paraphrased and a date may be
/// written in another form, but 4.0 is not 3.9.
fn with_known_figures(probe: &Probe, cited: &str) -> Vec<String> {
    let figures = |text: &str| -> BTreeSet<String> {
        let runs = text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
        runs.map(|run| run.trim_start_matches('0').to_owned()).collect()
    };
    let known = figures(cited);
    let fact = |fact: &String| {
        let kept = probe.spellings(fact).filter(|spelling| figures(spelling).is_subset(&known));
        kept.collect::<Vec<_>>().join(" | ")
    };
    probe.expected.iter().map(fact).collect()
}

/// Whether a fact could answer any question.
fn says_nothing(fact: &str) -> bool {
    let fact = normalized(fact);
    let letters = fact.chars().filter(|c| c.is_alphanumeric()).count();
    let has_digit = fact.chars().any(char::is_numeric);
    let is_wide = !fact.is_ascii();
    letters == 0
        // The words of a reader that does not know.
        || NOT_FOUND.contains(fact.as_str())
        || (letters < 3 && !has_digit && !is_wide)
        || ["yes", "true", "false", "none", "null", "done", "the", "and", "not", "unknown", "n/a", "nothing"]
            .contains(&fact.as_str())
}

/// The texts of a span's messages, each collected once.
struct Texts<'a> {
    span: &'a [Numbered],
    read: BTreeMap<Seq, String>,
}

impl Texts<'_> {
    fn at(&self, seq: Seq) -> Option<&Numbered> {
        self.span.binary_search_by_key(&seq, |numbered| numbered.seq).ok().and_then(|at| self.span.get(at))
    }

    fn has(&self, seq: Seq) -> bool {
        self.at(seq).is_some()
    }

    /// The joined texts of some messages, without secrets, so that no question can name one.
    fn of(&mut self, seqs: &[Seq]) -> String {
        let mut all = String::new();
        for seq in seqs {
            if !self.read.contains_key(seq) {
                let mut text = String::new();
                if let Some(numbered) = self.at(*seq) {
                    numbered.message.each_text(&mut |piece| {
                        text.push_str(piece);
                        text.push('\n');
                    });
                }
                self.read.insert(*seq, redact(&text).into_owned());
            }
            all.push_str(self.read.get(seq).map_or("", String::as_str));
        }
        all
    }
}
