//! The support check: what a reply says is kept when the span says it too.
//!
//! Code cannot tell whether a paraphrase is true. It can tell that a file, a command or a figure stands
//! nowhere, and that the words of a decision are in no message of somebody who could have decided. The
//! output of tools supports figures and states of things, never what somebody wants, decided or plans:
//! else a web page that an agent read could plant an aim.

use std::collections::BTreeSet;

use super::super::id::Seq;
use super::super::ledger::Facts;
use super::super::summary::Summary;
use super::chunk::{Chunk, Voice};
use super::reply::{Narrative, Told};

/// Share of a text's words that one message (or those it names) must have.
const SHARE_DECISION: f64 = 0.5;
/// Share of a text's words that all that was spoken must have; the rest may be paraphrase.
const SHARE_SPOKEN: f64 = 0.4;
/// Share of the intent's words that the person's must have.
const SHARE_INTENT: f64 = 0.34;

/// What a piece of the span says.
struct Corpus<'a> {
    chunk: &'a Chunk,
    /// Everything, in lower case: where names and figures are looked up.
    all: String,
    /// The words of each message that somebody spoke.
    spoken: Vec<(Seq, BTreeSet<String>)>,
    person: BTreeSet<String>,
    everybody: BTreeSet<String>,
}

impl<'a> Corpus<'a> {
    fn new(chunk: &'a Chunk, facts: &Facts, base: Option<&Summary>) -> Self {
        let mut all = String::new();
        let mut push = |text: &str| {
            all.push_str(&text.to_lowercase());
            all.push('\n');
        };
        chunk.blocks.iter().for_each(|block| push(&block.text));
        let mut everybody = BTreeSet::new();
        for file in &facts.files {
            push(&file.path);
            file.changes.iter().for_each(|change| push(change));
        }
        for text in facts.todos.iter().flat_map(|list| &list.items).map(|item| &item.content) {
            push(text);
            everybody.extend(words(text));
        }
        if let Some(base) = base {
            let files = base.files_modified.iter().map(|file| &file.path);
            files.chain(base.files_read.iter().map(|file| &file.path)).for_each(|path| push(path));
            let told = [&base.session_intent, &base.current_state.text].into_iter();
            for text in told.chain(&base.next_steps).chain(base.blockers.iter().map(|b| &b.text)) {
                push(text);
                everybody.extend(words(text));
            }
        }
        let mut person = BTreeSet::new();
        let mut spoken = Vec::new();
        for block in chunk.blocks.iter().filter(|block| block.voice != Voice::Tool) {
            let said: BTreeSet<String> = words(&block.words).collect();
            everybody.extend(said.iter().cloned());
            if block.voice == Voice::Person {
                person.extend(said.iter().cloned());
            }
            spoken.push((block.seq, said));
        }
        if let Some(base) = base {
            person.extend(words(&base.session_intent));
        }
        Self { chunk, all, spoken, person, everybody }
    }

    /// Whether every name, path and figure of a text stands in the data.
    fn knows_names(&self, text: &str) -> bool {
        names(text).all(|name| self.all.contains(&name.to_lowercase()))
    }

    fn own(&self, seqs: &[Seq]) -> Vec<Seq> {
        let mut own: Vec<Seq> = seqs
            .iter()
            .copied()
            .filter(|seq| self.chunk.blocks.iter().any(|block| block.seq == *seq))
            .collect();
        own.sort_unstable();
        own.dedup();
        own
    }

    /// The spoken messages that support a text: those it names, else the one that fits best.
    fn source(&self, text: &str, seqs: &[Seq]) -> Option<Vec<Seq>> {
        let wanted: BTreeSet<String> = words(text).collect();
        let named = self.own(seqs);
        let cited: BTreeSet<String> = self
            .spoken
            .iter()
            .filter(|(seq, _)| named.contains(seq))
            .flat_map(|(_, said)| said.iter().cloned())
            .collect();
        if share(&wanted, &cited) >= SHARE_DECISION {
            return Some(named);
        }
        let best = self
            .spoken
            .iter()
            .map(|(seq, said)| (share(&wanted, said), *seq))
            .fold((0.0, 0), |best, next| if next.0 > best.0 { next } else { best });
        (best.0 >= SHARE_DECISION).then(|| vec![best.1])
    }

    fn is_spoken(&self, text: &str) -> bool {
        let wanted: BTreeSet<String> = words(text).collect();
        share(&wanted, &self.everybody) >= SHARE_SPOKEN
    }

    fn seqs_or_end(&self, seqs: &[Seq]) -> Vec<Seq> {
        let own = self.own(seqs);
        if own.is_empty() { vec![self.chunk.through_seq] } else { own }
    }
}

/// Drops what the piece does not support, with a warning for each kind of thing that went.
#[must_use]
pub fn keep_supported(
    mut told: Narrative,
    chunk: &Chunk,
    facts: &Facts,
    base: Option<&Summary>,
) -> Narrative {
    let corpus = Corpus::new(chunk, facts, base);
    let mut dropped = Dropped::default();
    if !told.session_intent.is_empty() {
        let wanted: BTreeSet<String> = words(&told.session_intent).collect();
        let said = if corpus.person.is_empty() { &corpus.everybody } else { &corpus.person };
        if !corpus.knows_names(&told.session_intent) || share(&wanted, said) < SHARE_INTENT {
            told.session_intent.clear();
            dropped.count("session_intent", 1);
        }
        told.intent_seqs = corpus.own(&told.intent_seqs);
        if told.intent_seqs.is_empty() {
            told.intent_seqs = vec![chunk.from_seq];
        }
    }
    let before = told.decisions.len();
    told.decisions.retain_mut(|decision| {
        let Some(seqs) = corpus.source(&decision.decision, &decision.seqs) else { return false };
        decision.seqs = seqs;
        decision.alternatives.retain(|text| corpus.knows_names(text) && corpus.is_spoken(text));
        if !corpus.knows_names(&decision.rationale) || !corpus.is_spoken(&decision.rationale) {
            decision.rationale.clear();
        }
        corpus.knows_names(&decision.decision)
    });
    dropped.count("decisions", before - told.decisions.len());
    keep_state(&mut told, &corpus, &mut dropped);
    keep_told(&mut told.blockers, &corpus, &mut dropped, "blockers");
    keep_told(&mut told.next_steps, &corpus, &mut dropped, "next_steps");
    let before = told.technical_context.len();
    told.technical_context.retain_mut(|fact| {
        fact.seqs = corpus.seqs_or_end(&fact.seqs);
        let value: BTreeSet<String> = words(&fact.value).collect();
        corpus.all.contains(&fact.value.to_lowercase())
            || corpus.knows_names(&fact.value) && share(&value, &corpus.everybody) >= SHARE_DECISION
    });
    dropped.count("technical_context", before - told.technical_context.len());
    told.warnings.extend(dropped.0);
    told
}

fn keep_state(told: &mut Narrative, corpus: &Corpus<'_>, dropped: &mut Dropped) {
    let state = &mut told.current_state;
    let sentences = sentences(&state.text);
    let all = sentences.len();
    let kept: Vec<&str> =
        sentences.into_iter().filter(|text| corpus.knows_names(text) && corpus.is_spoken(text)).collect();
    dropped.count("current_state", all - kept.len());
    kept.concat().trim().clone_into(&mut state.text);
    if !corpus.knows_names(&state.task) || !corpus.is_spoken(&state.task) {
        state.task.clear();
        dropped.count("current_state", 1);
    }
    if !matches!(state.phase.as_str(), "research" | "planning" | "implementation") {
        state.phase.clear();
    }
    state.seqs = corpus.seqs_or_end(&state.seqs);
}

fn keep_told(list: &mut Vec<Told>, corpus: &Corpus<'_>, dropped: &mut Dropped, section: &'static str) {
    let before = list.len();
    list.retain_mut(|told| {
        told.seqs = corpus.seqs_or_end(&told.seqs);
        corpus.knows_names(&told.text) && corpus.is_spoken(&told.text)
    });
    dropped.count(section, before - list.len());
}

#[derive(Default)]
struct Dropped(Vec<String>);

impl Dropped {
    fn count(&mut self, section: &str, entries: usize) {
        if entries > 0 {
            self.0.push(format!(
                "{section}: {entries} of the model's entries have no support in the span; dropped"
            ));
        }
    }
}

/// How much of one text's words another has.
pub(super) fn overlap(text: &str, other: &str) -> f64 {
    share(&words(text).collect(), &words(other).collect())
}

#[expect(clippy::cast_precision_loss, reason = "a text has few words")]
fn share(wanted: &BTreeSet<String>, said: &BTreeSet<String>) -> f64 {
    if wanted.is_empty() {
        return 1.0;
    }
    wanted.intersection(said).count() as f64 / wanted.len() as f64
}

/// The words that carry a text's meaning: longer ones by their first letters, so that inflections agree;
/// pairs of signs in scripts without spaces.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    const STEM: usize = 5;
    text.split(|c: char| !c.is_alphanumeric()).flat_map(|word| {
        let signs: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
        let spaceless = signs.iter().any(|c| matches!(u32::from(*c), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF));
        if spaceless {
            signs.windows(2).map(|pair| pair.iter().collect()).collect::<Vec<String>>()
        } else if signs.len() >= 4 {
            vec![signs.into_iter().take(STEM).collect()]
        } else {
            Vec::new()
        }
    })
}

/// Paths, file names, figures and other names that nobody paraphrases.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let edge = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\''
                    | '`'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '<'
                    | '>'
                    | '{'
                    | '}'
                    | ','
                    | ';'
                    | '，'
                    | '、'
                    | '。'
                    | '（'
                    | '）'
                    | '：'
                    | '“'
                    | '”'
            )
    };
    text.split(edge)
        .map(|word| word.trim_matches(|c: char| matches!(c, '.' | ':' | '!' | '?' | '*' | '…' | '=')))
        .filter(|word| is_name(word))
}

fn is_name(word: &str) -> bool {
    let sign = |c: char| matches!(c, '/' | '\\' | '_' | '@') || c == ':' && word.contains("::");
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let extension = word.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=5).contains(&ending.len())
            && ending.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    let signed = word.len() > 2 && word.contains(sign) && word.bytes().any(|b| b.is_ascii_alphanumeric());
    signed || extension || digits >= 2
}

fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut signs = text.char_indices().peekable();
    while let Some((at, c)) = signs.next() {
        let next = signs.peek().map(|(_, next)| *next);
        let ends = matches!(c, '。' | '！' | '？')
            || matches!(c, '.' | '!' | '?') && next.is_some_and(char::is_whitespace);
        if ends {
            let end = at + c.len_utf8();
            found.extend(text.get(from..end));
            from = end;
        }
    }
    found.extend(text.get(from..).filter(|rest| !rest.trim().is_empty()));
    found
}
