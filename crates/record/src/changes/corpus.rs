//! The texts that an entry of a reply may have its names and its aims from: a piece of the span, and the summary.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::board::Board;
use super::chunk::{Chunk, Voice};
use super::words::{clauses, names, share, stems};
use anchord_facts::ledger::constraints::{Constraint, Later};
use anchord_facts::phrases::Phrase;
use anchord_facts::wording::{clip_words, one_line};
use anchord_messages::id::Seq;

/// The most places of one word, and of one name in a text, that are searched.
const MOST_PLACES: usize = 256;
/// The share of a wish's words that somebody must have said, unless no tool printed more of them.
const SPOKEN: f64 = 0.34;
/// The share of a wish's words in one place of a tool's output from which on it is a copy of that place, unless
/// somebody said about as much.
const COPIED: f64 = 0.5;
/// How much more than was said a tool must have printed.
const MARGIN: f64 = 0.2;
/// The share of a wish's words that its earlier words have when it cites no message.
const SAID_BEFORE: f64 = 0.7;
/// With fewer words it is not checked who said them.
const FEWEST_WORDS: usize = 3;
/// The most characters of a message that a proposal quotes.
const QUOTED_CHARS: usize = 200;
/// The shortest name that is searched without its signs.
const SHORTEST_BARE: usize = 5;
/// The fields of the summary whose numbers are figures and not positions of messages.
const COUNTS: [&str; 3] = ["count", "failed", "passed"];

/// Who must have said an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    /// A person, in a message that the entry cites.
    Person,
    /// A person or the agent, in a message that the entry cites.
    Anyone,
    /// A person or the agent; the entry may cite the output that it follows from.
    AnyoneUncited,
    /// Nobody: a tool's output may state it.
    Nobody,
}

/// The index.
pub(super) struct Corpus<'a> {
    chunk: &'a Chunk,
    /// The texts of the blocks, then that of the summary, then those of the messages after the span.
    texts: Vec<Searched>,
    /// The names in the summary that stood nowhere when they were written.
    unverified: BTreeSet<String>,
    /// The places of each word in what tools printed; a place is a line or a sentence.
    printed: HashMap<String, Vec<usize>>,
    /// Stems of the words of the summary.
    record: BTreeSet<String>,
}

/// Stems of the words of messages, each with those of the message before it.
struct Voices {
    /// Those in which something may be said.
    said: Vec<BTreeSet<String>>,
    /// The same with those in which the agent refuses something.
    turned_down: Vec<BTreeSet<String>>,
    /// Of the entry so far and of the summary.
    known: BTreeSet<String>,
}

/// A text in the spellings in which names are searched.
struct Searched {
    /// In lower case, without escapes, with slashes in one direction.
    text: String,
    /// The same without the commas within figures.
    plain: String,
    /// Letters and digits alone.
    bare: String,
}

impl Searched {
    fn of(text: &str) -> Self {
        let text = spelled(text);
        Self { plain: plain(&text), bare: bare(&text), text }
    }

    /// Whether the text has a name: as it is, as all figures of a range or a list, or with other signs.
    fn has(&self, name: &str) -> bool {
        let name = spelled(name);
        let is_here = |name: &str| holds(&self.text, name) || holds(&self.plain, &plain(name));
        if is_here(&name) || parts(&name).is_some_and(|mut parts| parts.all(is_here)) {
            return true;
        }
        // The part of an absolute path within the folder that the messages' paths begin in.
        let is_absolute = name.starts_with(['/', '~']) || name.get(1..3) == Some(":/");
        let mut ends = name.match_indices('/').filter_map(|(at, _)| name.get(at + 1..));
        if is_absolute && ends.any(|end| end.contains('/') && holds(&self.text, end)) {
            return true;
        }
        let letters = bare(&name);
        letters.len() >= SHORTEST_BARE
            && letters.chars().any(char::is_alphabetic)
            && self.bare.contains(letters.as_str())
    }
}

impl<'a> Corpus<'a> {
    pub(super) fn new(chunk: &'a Chunk, board: &Board) -> Self {
        let mut record = String::new();
        if let Ok(summary) = serde_json::to_value(board.summary()) {
            collect(&summary, "", &mut record);
        }
        let unverified: BTreeSet<String> = marked_names(&record).map(spelled).collect();
        let mut corpus = Self {
            chunk,
            texts: Vec::with_capacity(chunk.blocks.len() + 1),
            unverified,
            printed: HashMap::new(),
            record: stems(&record).collect(),
        };
        let mut place = 0;
        for block in &chunk.blocks {
            if block.voice == Voice::Tool {
                for piece in unescaped(&block.text).lines().flat_map(clauses) {
                    for word in stems(piece).collect::<BTreeSet<_>>() {
                        let places = corpus.printed.entry(word).or_default();
                        if places.len() < MOST_PLACES {
                            places.push(place);
                        }
                    }
                    place += 1;
                }
                // No two messages are one place.
                place += 1;
            }
            corpus.texts.push(Searched::of(&block.text));
        }
        corpus.texts.push(Searched::of(&record));
        corpus.texts.extend(chunk.later.iter().map(|block| Searched::of(&block.text)));
        corpus
    }

    /// The cited messages that are in the piece.
    pub(super) fn own(&self, seqs: &[Seq]) -> Vec<Seq> {
        let is_here = |seq: &Seq| self.chunk.blocks.iter().any(|block| block.seq == *seq);
        let mut own: Vec<Seq> = seqs.iter().copied().filter(is_here).collect();
        own.sort_unstable();
        own.dedup();
        own
    }

    /// Those of some cited messages that may say what this speaker must have said.
    pub(super) fn of_speaker(&self, speaker: Speaker, seqs: &[Seq]) -> Vec<Seq> {
        let is_persons =
            |seq: &Seq| self.chunk.blocks.iter().any(|b| b.seq == *seq && b.voice == Voice::Person);
        seqs.iter().copied().filter(|seq| speaker != Speaker::Person || is_persons(seq)).collect()
    }

    /// The first of some cited messages that ends a constraint, with its words.
    pub(super) fn ending(&self, constraint: &Constraint, seqs: &[Seq]) -> Option<(Seq, String)> {
        let blocks = &self.chunk.blocks;
        let cited = blocks.iter().enumerate().filter(|(_, block)| seqs.contains(&block.seq));
        let persons = cited.filter(|(_, block)| block.voice == Voice::Person && !block.is_cut());
        persons.into_iter().find_map(|(at, block)| {
            let before = at.checked_sub(1).and_then(|at| blocks.get(at));
            let asked =
                before.filter(|before| before.voice == Voice::Assistant).map(|before| before.words.as_str());
            let later =
                Later { seq: block.seq, speaker: block.speaker.as_deref(), words: &block.words, asked };
            constraint.end_by(&later).map(|words| (block.seq, words))
        })
    }

    /// The beginning of a message, quoted with who wrote it.
    pub(super) fn quoted(&self, seq: Seq) -> Option<String> {
        let block = self.chunk.blocks.iter().find(|block| block.seq == seq)?;
        let text = one_line(&block.text);
        Some(format!("\"{}\" (#{seq}, {})", clip_words(&text, QUOTED_CHARS), block.role))
    }

    /// The names of a text that stand in no message, no entry and no fact. Adds messages that have its other names to the
    /// cited ones.
    pub(super) fn unknown_names(&self, text: &str, seqs: &mut Vec<Seq>) -> Vec<String> {
        let mut unknown: Vec<String> = Vec::new();
        for name in names(&plain(text)) {
            let found: Vec<usize> = self
                .texts
                .iter()
                .enumerate()
                .filter(|(at, searched)| {
                    let is_known = *at < self.chunk.blocks.len() || !self.unverified.contains(&spelled(name));
                    is_known && searched.has(name)
                })
                .map(|(at, _)| at)
                .collect();
            let block = |at: &usize| self.chunk.blocks.get(*at);
            if found.is_empty() && !self.is_rounded(name) && !self.is_seq(name, text) {
                if !unknown.iter().any(|known| known == name) {
                    unknown.push(name.to_owned());
                }
                continue;
            }
            let is_cited = |at: &usize| block(at).is_none_or(|block| seqs.contains(&block.seq));
            if !found.iter().any(is_cited)
                && let Some(first) = found.first().and_then(block)
            {
                seqs.push(first.seq);
                seqs.sort_unstable();
            }
        }
        unknown
    }

    /// Whether a figure is the number of a message that a text refers to.
    fn is_seq(&self, name: &str, text: &str) -> bool {
        name.parse::<Seq>().is_ok_and(|seq| seq <= self.chunk.through_seq)
            && ["message ", "#"].iter().any(|before| holds(text, &format!("{before}{name}")))
    }

    /// Whether a figure is one of the data, rounded in thousands or millions: "2.4 s" for 2412 ms, "21.8k".
    fn is_rounded(&self, name: &str) -> bool {
        let digits = name.trim_end_matches(['k', 'K', 'M', '%']);
        let Ok(told) = digits.parse::<f64>() else { return false };
        if !digits.contains('.') && digits.len() == name.len() {
            return false;
        }
        let places = digits.split_once('.').map_or(0, |(_, after)| after.len());
        let half = 0.5 / 10_f64.powi(i32::try_from(places).unwrap_or(9));
        let is_near =
            |figure: f64| [1.0, 1e3, 1e6, 1e9].iter().any(|scale| (figure / scale - told).abs() <= half);
        self.texts.iter().any(|searched| {
            let figures = searched.plain.split(|c: char| !c.is_ascii_digit() && c != '.');
            figures.filter_map(|figure| figure.trim_matches('.').parse::<f64>().ok()).any(is_near)
        })
    }

    /// Checks that those said an entry who must have: `before` is the entry's text so far, `seqs` the messages that it cites.
    pub(super) fn require_said(
        &self,
        speaker: Speaker,
        (text, before): (&str, &str),
        seqs: &[Seq],
    ) -> Result<(), &'static str> {
        let cites = |voices: &[Voice]| {
            self.chunk.blocks.iter().any(|block| voices.contains(&block.voice) && seqs.contains(&block.seq))
        };
        match speaker {
            Speaker::Nobody => return Ok(()),
            // A change of an entry may only shorten it, and then cites nothing.
            Speaker::Person | Speaker::Anyone if seqs.is_empty() && !before.is_empty() => {}
            Speaker::Person if !cites(&[Voice::Person]) => return Err("no message of a person is cited"),
            Speaker::Anyone if !seqs.is_empty() && !cites(&[Voice::Person, Voice::Assistant]) => {
                return Err("no message of a person or the agent is cited");
            }
            Speaker::Person | Speaker::Anyone | Speaker::AnyoneUncited => {}
        }
        let voices = self.voices(speaker, seqs, before);
        // A wish may be worded freely, but one without a single word of the messages that it cites, or of what it was before,
        // is not out of them.
        let wanted: BTreeSet<String> = stems(text).collect();
        let known: BTreeSet<String> = stems(before).collect();
        let is_told =
            |word: &String| known.contains(word) || voices.said.iter().any(|said| said.contains(word));
        if speaker == Speaker::Person && wanted.len() >= FEWEST_WORDS && !wanted.iter().any(is_told) {
            return Err("no message of a person says so");
        }
        // What cites no message says only what was said before.
        let old = wanted.intersection(&known).count();
        if speaker == Speaker::Person
            && seqs.is_empty()
            && !wanted.is_empty()
            && share(old, wanted.len()) < SAID_BEFORE
        {
            return Err("no message of a person is cited");
        }
        let is_said = clauses(text).into_iter().all(|clause| self.is_said(&voices, clause));
        if is_said { Ok(()) } else { Err("a tool printed it; nobody said so") }
    }

    /// The words of those who may have said an entry: of the cited messages with the one before each, which may be what they
    /// answer; of all where none that is spoken is cited.
    fn voices(&self, speaker: Speaker, seqs: &[Seq], before: &str) -> Voices {
        let mut voices = Voices { turned_down: Vec::new(), said: Vec::new(), known: self.record.clone() };
        voices.known.extend(stems(before));
        let spoken: Vec<_> = self.chunk.blocks.iter().filter(|block| block.voice != Voice::Tool).collect();
        let is_cited = spoken.iter().any(|block| seqs.contains(&block.seq));
        let mut before: BTreeSet<String> = BTreeSet::new();
        for block in spoken {
            let is_refusal = block.voice == Voice::Assistant && Phrase::Refusal.is_in(&block.words);
            let own: BTreeSet<String> = stems(&block.words).collect();
            let both: BTreeSet<String> = own.union(&before).cloned().collect();
            let may_say = speaker != Speaker::Person || block.voice == Voice::Person;
            if may_say && (!is_cited || seqs.contains(&block.seq)) {
                // An agent that quotes an instruction to refuse it has not accepted it.
                if !is_refusal {
                    voices.said.push(both.clone());
                }
                voices.turned_down.push(both);
            }
            before = if is_refusal { BTreeSet::new() } else { own };
        }
        voices
    }

    /// Whether somebody said a clause, or at least no tool printed it. A paraphrase shares few words with what was said, so
    /// few are enough; but a wish that a tool printed has the tool's words.
    fn is_said(&self, voices: &Voices, clause: &str) -> bool {
        let wanted: BTreeSet<String> = stems(clause).collect();
        if wanted.len() < FEWEST_WORDS {
            return true;
        }
        // What an agent refused to follow supports that it was turned down.
        let said = if Phrase::TurnedDown.is_in(clause) { &voices.turned_down } else { &voices.said };
        let count = |has: &dyn Fn(&String) -> bool| {
            let held = wanted.iter().filter(|word| voices.known.contains(*word) || has(word));
            share(held.count(), wanted.len())
        };
        let anyone = count(&|word| said.iter().any(|words| words.contains(word)));
        let one = said.iter().map(|words| count(&|word| words.contains(word)));
        let most = one.fold(count(&|_| false), f64::max);
        let copied = self.copied(&wanted);
        let is_planted = anyone < SPOKEN && copied > anyone || copied >= COPIED && copied > most + MARGIN;
        !is_planted
    }

    /// The largest share of the words in one place of a tool's output together with the next one, because
    /// lines break anywhere. For a few words a single place counts, because two lines contain them by chance.
    fn copied(&self, wanted: &BTreeSet<String>) -> f64 {
        const FEW: usize = 6;
        let before = usize::from(wanted.len() >= FEW);
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for word in wanted {
            let at = self.printed.get(word).into_iter().flatten();
            let starts: BTreeSet<usize> = at.flat_map(|at| at.saturating_sub(before)..=*at).collect();
            for start in starts {
                *counts.entry(start).or_default() += 1;
            }
        }
        share(counts.into_values().max().unwrap_or_default(), wanted.len())
    }
}

/// Collects the texts of a document, and those of its numbers that are figures.
fn collect(value: &Value, field: &str, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Number(figure) if COUNTS.contains(&field) => {
            out.push_str(&figure.to_string());
            out.push('\n');
        }
        Value::Array(all) => all.iter().for_each(|value| collect(value, field, out)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| collect(value, name, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// How many names a text has.
pub(super) fn count_names(text: &str) -> u32 {
    u32::try_from(names(&plain(text)).count()).unwrap_or(u32::MAX)
}

/// The beginning and the end of the mark behind a text with names that stand nowhere.
const MARK: &str = " [unverified: ";
const MARK_END: char = ']';
/// The most names in a mark.
const MOST_MARKED: usize = 4;

/// A text with the mark that names what stands nowhere.
pub(super) fn marked(text: &str, unknown: &[String]) -> String {
    let names = unknown.get(..MOST_MARKED).unwrap_or(unknown);
    if names.is_empty() { text.to_owned() } else { format!("{text}{MARK}{}{MARK_END}", names.join(", ")) }
}

/// A text without such marks: a model that rewrites an entry repeats them.
pub(super) fn unmarked(text: &str) -> String {
    let mut rest = text;
    let mut out = String::new();
    while let Some((before, (_, after))) =
        rest.split_once(MARK).and_then(|(before, after)| Some((before, after.split_once(MARK_END)?)))
    {
        out.push_str(before);
        rest = after;
    }
    out + rest
}

/// The names in the marks of a text.
fn marked_names(text: &str) -> impl Iterator<Item = &str> {
    let marks = text.split(MARK).skip(1).filter_map(|rest| rest.split_once(MARK_END));
    marks.flat_map(|(names, _)| names.split(", "))
}

/// The figures of a range or a list (`90-140`, `5/10/20`), the words of one (`small/medium/large`), or a figure with a word
/// (`429/timeout`).
fn parts(name: &str) -> Option<impl Iterator<Item = &str>> {
    let is_number = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    let is_figures =
        name.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '–' | '/' | '×' | ':' | '%'));
    let is_words = name.matches('/').count() > 1
        && name.split('/').all(|part| part.len() > 1 && part.chars().all(char::is_alphabetic));
    let is_pair = name.split_once('/').is_some_and(|(one, other)| {
        is_number(one) != is_number(other)
            && one.chars().chain(other.chars()).all(char::is_alphanumeric)
            && one.len().min(other.len()) > 1
    });
    let all = name.split(['-', '–', '/', '×']).filter(|part| !part.is_empty());
    (is_figures || is_words || is_pair).then_some(all)
}

/// Whether a text has a name; a figure only if it is not part of a longer one.
fn holds(text: &str, name: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (begins, ends) = (digit(name.chars().next()), digit(name.chars().next_back()));
    text.match_indices(name).take(MOST_PLACES).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|tail| tail.chars().next());
        !(begins && digit(before) || ends && digit(after))
    })
}

/// A text or a name in one spelling: lower case, no escapes, slashes in one direction.
fn spelled(text: &str) -> String {
    unescaped(text).to_lowercase().replace('\\', "/")
}

/// A text without the commas within figures, so that "1,505" becomes "1505".
fn plain(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_group = |at: usize| {
        let ends = !bytes.get(at + 4).is_some_and(u8::is_ascii_alphanumeric);
        at > 0 && digit(at - 1) && digit(at + 1) && digit(at + 2) && digit(at + 3) && ends
    };
    text.char_indices().filter(|(at, c)| !(*c == ',' && is_group(*at))).map(|(_, c)| c).collect()
}

/// The letters and digits of a text.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// A text without the JSON escapes that would hide names.
fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n")
        .replace("\\t", "\t")
        .replace("\\\"", "\"")
        .replace("\\/", "/")
        .replace("\\\\", "\\")
}
