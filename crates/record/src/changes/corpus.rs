//! An index of the words in a chunk of messages and in the summary, against which the clauses of a reply are checked.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::board::Board;
use super::chunk::{Chunk, Voice};
use super::claim::{Claim, Entry, Fault, Support};
use super::lines::{all_lines, entry};
use super::list::Number;
use super::words::{Term, capitalised, clauses, is_figure, names, plain, shape, share, stems, terms};
use anchord_facts::phrases::Phrase;
use anchord_messages::id::Seq;

/// The most places of one term that are searched.
const MOST_PLACES: usize = 256;
/// A word with at most this many places is rare, and counts twice.
const RARE: usize = 4;
/// From this share of capitalised words within sentences on, the language capitalises its nouns.
const NOUNS: f64 = 0.15;
/// A word with at most this many places counts once; a more common one does not count.
const SELDOM: usize = 12;
/// What the words of a fragment must count together to identify it.
const ENOUGH: u32 = 4;
/// The share of a decision's words that somebody must have said, unless no tool printed more of them.
const SPOKEN: f64 = 0.34;
/// The share of a clause's words that the data must have when the clause has no name.
const SPOKEN_OF: f64 = 0.25;
/// The share of a clause's words in one place of a tool's output that makes it a copy of that place.
const COPIED: f64 = 0.8;
/// With fewer words it is not checked who said them.
const FEWEST_WORDS: usize = 3;

/// A place of the data: a line, a sentence, an object.
struct Place {
    block: usize,
}

/// A part of a sentence, or a row of data, and the names that it is about.
struct Fragment {
    block: usize,
    terms: BTreeSet<Term>,
    /// The ids and names in it; without any, those of the part before.
    owners: BTreeSet<Term>,
}

/// The index.
pub(super) struct Corpus<'a> {
    chunk: &'a Chunk,
    board: &'a Board,
    /// The texts of the blocks, then of the summary, in lower case.
    texts: Vec<String>,
    /// Words that are capitalised within sentences.
    proper_names: HashSet<String>,
    places: Vec<Place>,
    at: HashMap<Term, Vec<usize>>,
    fragments: Vec<Fragment>,
    within: HashMap<Term, Vec<usize>>,
    /// Stems of the words of people, of the agent, and of the summary.
    person: BTreeSet<String>,
    agent: BTreeSet<String>,
    record: BTreeSet<String>,
    /// Stems of the texts in which the agent refuses to follow something.
    refusals: BTreeSet<String>,
}

impl<'a> Corpus<'a> {
    pub(super) fn new(chunk: &'a Chunk, board: &'a Board) -> Self {
        let mut corpus = Self {
            chunk,
            board,
            texts: Vec::new(),
            proper_names: HashSet::new(),
            places: Vec::new(),
            at: HashMap::new(),
            fragments: Vec::new(),
            within: HashMap::new(),
            person: BTreeSet::new(),
            agent: BTreeSet::new(),
            record: BTreeSet::new(),
            refusals: BTreeSet::new(),
        };
        let record = all_lines(board).join("\n");
        corpus.find_proper_names(&record);
        for (number, block) in chunk.blocks.iter().enumerate() {
            corpus.read(number, &block.text);
            match block.voice {
                Voice::Person => corpus.person.extend(stems(&block.words)),
                // An agent that quotes an instruction to refuse it has not accepted it.
                Voice::Assistant if Phrase::Refusal.is_in(&block.words) => {
                    corpus.refusals.extend(stems(&block.words));
                }
                Voice::Assistant => corpus.agent.extend(stems(&block.words)),
                Voice::Tool => {}
            }
        }
        corpus.record.extend(stems(&record));
        corpus.read(chunk.blocks.len(), &record);
        corpus
    }

    /// Finds names of people and things: words that are capitalised within sentences, and more often than
    /// not.
    fn find_proper_names(&mut self, record: &str) {
        let texts = || self.chunk.blocks.iter().map(|block| block.text.as_str()).chain([record]);
        let mut counts: HashMap<String, (u32, u32)> = HashMap::new();
        let mut found: HashSet<String> = HashSet::new();
        let (mut inner, mut words) = (0, 0);
        for block in self.chunk.blocks.iter().filter(|block| block.voice != Voice::Tool) {
            inner += capitalised(&block.words).filter(|(_, opens)| !opens).count();
            words += block.words.split_whitespace().count();
        }
        // Only in what was said, because code, logs and headings capitalise freely.
        let is_heading =
            |line: &&str| line.trim_start().starts_with(['#', '*', '+', '|']) || line.contains("**");
        let spoken = self.chunk.blocks.iter().filter(|block| block.voice != Voice::Tool);
        for line in spoken.flat_map(|block| block.words.lines()).filter(|line| !is_heading(line)) {
            for (word, opens) in capitalised(line) {
                counts.entry(word.to_lowercase()).or_default().0 += 1;
                if !opens {
                    found.insert(word.to_lowercase());
                }
            }
        }
        let small = |word: &&str| word.starts_with(char::is_lowercase);
        for text in texts() {
            for word in text.split(|c: char| !c.is_alphanumeric()).filter(small) {
                if let Some((_, small)) = counts.get_mut(word) {
                    *small += 1;
                }
            }
        }
        // Where nouns are capitalised, capitals do not mark names.
        if words > 0 && share(inner, words) > NOUNS {
            found.clear();
        }
        // A figure does not belong to a currency.
        found.retain(|word| !matches!(word.as_str(), "eur" | "usd" | "gbp" | "chf" | "jpy" | "cny"));
        found.retain(|word| counts.get(word).is_none_or(|(capital, small)| capital > small));
        self.proper_names = found;
    }

    fn read(&mut self, block: usize, text: &str) {
        let text = plain(&unescaped(text));
        // A line of data without an id belongs to the last id above it.
        let mut above: BTreeSet<Term> = BTreeSet::new();
        for line in text.lines() {
            let is_data =
                line.contains(['{', '|', '\t']) || line.contains("\":") || line.trim().contains("   ");
            let pieces: Vec<&str> = if is_data { objects(line) } else { clauses(line) };
            for piece in pieces {
                let terms: BTreeSet<Term> = terms(piece, &self.proper_names).collect();
                if terms.is_empty() {
                    continue;
                }
                if is_data {
                    let mut owners: BTreeSet<Term> =
                        terms.iter().filter(|term| is_key(term)).cloned().collect();
                    if owners.is_empty() {
                        owners.clone_from(&above);
                    } else {
                        above.clone_from(&owners);
                    }
                    self.push(Fragment { block, terms: terms.clone(), owners });
                } else {
                    above.clear();
                    for (terms, owners) in fragments(piece, &BTreeSet::new(), &self.proper_names) {
                        self.push(Fragment { block, terms, owners });
                    }
                }
                for term in &terms {
                    note(&mut self.at, term, self.places.len());
                }
                self.places.push(Place { block });
            }
        }
        self.texts.push(text.to_lowercase());
    }

    fn push(&mut self, fragment: Fragment) {
        for term in &fragment.terms {
            note(&mut self.within, term, self.fragments.len());
        }
        self.fragments.push(fragment);
    }

    pub(super) fn own(&self, seqs: &[Seq]) -> Vec<Seq> {
        let mut own: Vec<Seq> = seqs
            .iter()
            .copied()
            .filter(|seq| self.chunk.blocks.iter().any(|block| block.seq == *seq))
            .collect();
        own.sort_unstable();
        own.dedup();
        own
    }

    /// Whether a person wrote one of the messages.
    pub(super) fn is_by_a_person(&self, seqs: &[Seq]) -> bool {
        self.chunk.blocks.iter().any(|block| block.voice == Voice::Person && seqs.contains(&block.seq))
    }

    /// An entry as a line: its text, and what code found about it.
    pub(super) fn before(&self, number: Number) -> String {
        entry(self.board, number)
    }

    /// The clauses of a text that the data supports. Adds messages that contain their names to the cited
    /// ones.
    pub(super) fn keep(
        &self,
        entry: &Entry<'_>,
        text: &str,
        seqs: &mut Vec<Seq>,
        faults: &mut Vec<Fault>,
    ) -> Support {
        let mut kept = String::new();
        let mut is_whole = true;
        for clause in clauses(text) {
            match self.fault(entry, clause, seqs) {
                None => kept.push_str(clause),
                Some(why) => {
                    is_whole = false;
                    faults.push(Fault { place: entry.place.clone(), clause: clause.trim().to_owned(), why });
                }
            }
        }
        let kept = kept.trim().trim_end_matches([';', '；']).trim_end().to_owned();
        match (is_whole, kept.is_empty()) {
            (_, true) => Support::Nothing,
            (true, false) => Support::Whole(kept),
            (false, false) => Support::Part(kept),
        }
    }

    /// What is wrong with a clause; `None` when the data supports it.
    fn fault(&self, entry: &Entry<'_>, clause: &str, seqs: &mut Vec<Seq>) -> Option<String> {
        let clause = plain(clause);
        let before = plain(entry.before).to_lowercase();
        for name in names(&clause) {
            let wanted = name.to_lowercase();
            if holds(&before, &wanted) {
                continue;
            }
            let is_cited =
                |at: usize| self.chunk.blocks.get(at).is_some_and(|block| seqs.contains(&block.seq));
            let found: Vec<usize> = (0..self.texts.len())
                .filter(|at| self.texts.get(*at).is_some_and(|text| holds_all(text, &wanted)))
                .collect();
            if found.is_empty() && self.is_rounded(name) {
                continue;
            }
            let Some(first) = found.first() else {
                return Some(format!("`{name}` stands in no message and no entry"));
            };
            if !found.iter().any(|at| is_cited(*at) || *at == self.chunk.blocks.len())
                && let Some(block) = self.chunk.blocks.get(*first)
            {
                seqs.push(block.seq);
                seqs.sort_unstable();
            }
        }
        self.misplaced(entry.named, &clause, &before).or_else(|| self.unsaid(entry.claim, &clause, &before))
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
        let known = self.at.keys().filter_map(|term| match term {
            Term::Name(name) => name.parse::<f64>().ok(),
            Term::Proper(_) | Term::Word(_) => None,
        });
        let scales = [1.0, 1e3, 1e6, 1e9];
        known.into_iter().any(|known| scales.iter().any(|scale| (known / scale - told).abs() <= half))
    }

    /// A fault if a figure, or rare words, appear only in places that are about another name than the clause.
    fn misplaced(&self, named: &str, clause: &str, before: &str) -> Option<String> {
        let subject: BTreeSet<Term> = terms(named, &self.proper_names).filter(is_key).collect();
        for (told, owners) in fragments(clause, &subject, &self.proper_names) {
            let told: BTreeSet<&Term> =
                told.iter().filter(|term| !owners.contains(term) && !holds(before, term.as_str())).collect();
            for figure in told.iter().filter(|term| matches!(term, Term::Name(name) if is_figure(name))) {
                let places = self.within.get(figure).map(Vec::as_slice).unwrap_or_default();
                if let Some(other) = self.others(places.iter().copied(), &owners) {
                    return Some(format!("`{}` is said of `{}`", figure.as_str(), other.as_str()));
                }
            }
            let mut sums: BTreeMap<usize, u32> = BTreeMap::new();
            for term in &told {
                let places = self.within.get(term).map(Vec::as_slice).unwrap_or_default();
                let weight = match places.len() {
                    0..=RARE => 2,
                    _ if places.len() <= SELDOM => 1,
                    _ => continue,
                };
                for at in places {
                    *sums.entry(*at).or_default() += weight;
                }
            }
            let most = sums.values().copied().max().unwrap_or_default();
            if most < ENOUGH {
                continue;
            }
            let best = sums.iter().filter(|(_, sum)| **sum == most).map(|(at, _)| *at);
            if let Some(other) = self.others(best, &owners) {
                return Some(format!("this is said of `{}`", other.as_str()));
            }
        }
        None
    }

    /// The name that all of these fragments are about, when it is another one of the same kind.
    fn others(&self, places: impl Iterator<Item = usize>, owners: &BTreeSet<Term>) -> Option<&Term> {
        let mut other = None;
        for at in places {
            let fragment = self.fragments.get(at)?;
            // The summary's texts come from messages that are not here.
            if fragment.block >= self.chunk.blocks.len() {
                return None;
            }
            let rival = owners.iter().find_map(|owner| {
                if fragment.owners.contains(owner) {
                    return None;
                }
                let mut peers = fragment.owners.iter().filter(|own| are_peers(owner, own));
                let first = peers.next()?;
                // The fragment is fine if it also has one of the clause's own names.
                let is_met = owners.contains(first) || peers.any(|peer| owners.contains(peer));
                (!is_met).then_some(first)
            });
            other = Some(rival?);
        }
        other
    }

    /// A fault if the clause says that somebody wants, decided or reached something, and nobody said so.
    fn unsaid(&self, claim: Claim, clause: &str, before: &str) -> Option<String> {
        let wanted: BTreeSet<String> = stems(clause).collect();
        if wanted.len() < FEWEST_WORDS {
            return None;
        }
        let known: BTreeSet<String> = stems(before).collect();
        let has = |set: &BTreeSet<String>, word: &String| set.contains(word) || known.contains(word);
        let share = |has: &dyn Fn(&String) -> bool| {
            share(wanted.iter().filter(|word| has(word)).count(), wanted.len())
        };
        if claim == Claim::Fact {
            return None;
        }
        // What an agent refused to follow supports only that it was turned down.
        let is_turned_down = claim == Claim::Will && Phrase::TurnedDown.is_in(clause);
        let data = share(&|word| has(&self.record, word) || self.at.contains_key(&Term::Word(word.clone())));
        if data < SPOKEN_OF && names(clause).next().is_none() {
            return Some("nothing in the data speaks of it".to_owned());
        }
        let union = share(&|word| {
            has(&self.record, word)
                || has(&self.person, word)
                || is_turned_down && has(&self.refusals, word)
                || claim != Claim::Aim && has(&self.agent, word)
                // Without a person's message the agent's words count.
                || self.person.is_empty() && has(&self.agent, word)
        });
        let copied = self.copied(&wanted);
        let said = union.min(self.said(&wanted, &known, is_turned_down));
        let fault = match claim {
            Claim::Standing => copied >= COPIED && said < COPIED - 0.2,
            Claim::Will | Claim::Aim => {
                union < SPOKEN && copied > union || copied >= 0.5 && copied > said + 0.2
            }
            Claim::Fact => false,
        };
        fault.then(|| match claim {
            Claim::Aim => "no person said so".to_owned(),
            Claim::Will | Claim::Standing | Claim::Fact => "a tool printed it; nobody said so".to_owned(),
        })
    }

    /// The largest share of the words in one spoken message together with the one before it, or in the
    /// summary.
    fn said(&self, wanted: &BTreeSet<String>, known: &BTreeSet<String>, is_turned_down: bool) -> f64 {
        let mut most =
            wanted.iter().filter(|word| known.contains(*word) || self.record.contains(*word)).count();
        let mut before: BTreeSet<String> = BTreeSet::new();
        let spoken = self.chunk.blocks.iter().filter(|block| block.voice != Voice::Tool);
        let counts = |words: &str, voice: Voice| {
            is_turned_down || voice == Voice::Person || !Phrase::Refusal.is_in(words)
        };
        for block in spoken.filter(|block| counts(&block.words, block.voice)) {
            let own: BTreeSet<String> = stems(&block.words).collect();
            let has = |word: &&String| own.contains(*word) || before.contains(*word) || known.contains(*word);
            most = most.max(wanted.iter().filter(has).count());
            before = own;
        }
        share(most, wanted.len())
    }

    /// The largest share of the words in one place of a tool's output together with the next one, because
    /// lines break anywhere. For a few words a single place counts, because two lines contain them by chance.
    fn copied(&self, wanted: &BTreeSet<String>) -> f64 {
        const FEW: usize = 6;
        let before = usize::from(wanted.len() >= FEW);
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for word in wanted {
            let at = self.at.get(&Term::Word(word.clone())).into_iter().flatten();
            let starts: BTreeSet<usize> = at.flat_map(|at| at.saturating_sub(before)..=*at).collect();
            for start in starts {
                *counts.entry(start).or_default() += 1;
            }
        }
        let is_tools = |at: usize| {
            let block = self.places.get(at).and_then(|place| self.chunk.blocks.get(place.block));
            block.is_some_and(|block| block.voice == Voice::Tool)
        };
        let most = counts.into_iter().filter(|(at, _)| is_tools(*at)).map(|(_, count)| count).max();
        share(most.unwrap_or_default(), wanted.len())
    }
}

/// Whether a term distinguishes one thing from others of its kind: an id, a person's name.
fn is_key(term: &Term) -> bool {
    match term {
        Term::Proper(_) => true,
        Term::Name(name) => {
            name.len() >= 4
                && name.chars().any(char::is_alphabetic)
                && name.chars().any(|c| c.is_ascii_digit())
                && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '#')
        }
        Term::Word(_) => false,
    }
}

/// Whether two terms are of one kind: both names of people, or ids of the same pattern.
fn are_peers(one: &Term, other: &Term) -> bool {
    match (one, other) {
        // An abbreviation is no person.
        (Term::Proper(one), Term::Proper(other)) => {
            one.chars().any(char::is_uppercase) == other.chars().any(char::is_uppercase)
        }
        (Term::Name(one), Term::Name(other)) => {
            is_key(&Term::Name(other.clone())) && one.len() == other.len() && shape(one) == shape(other)
        }
        _ => false,
    }
}

/// Whether a text has a name, or all figures of a range or a list (`90-140`, `5/10/20`).
fn holds_all(text: &str, name: &str) -> bool {
    let is_figures =
        name.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '–' | '/' | '×' | ':' | '%'));
    // "small/medium/large"
    let is_words = name.matches('/').count() > 1
        && name.split('/').all(|part| part.len() > 1 && part.chars().all(char::is_alphabetic));
    // "429/timeout"
    let is_number = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    let is_words = is_words
        || name.split_once('/').is_some_and(|(one, other)| {
            is_number(one) != is_number(other)
                && one.chars().chain(other.chars()).all(char::is_alphanumeric)
                && one.len().min(other.len()) > 1
        });
    holds(text, name)
        || (is_figures || is_words)
            && name.split(['-', '–', '/', '×']).filter(|part| !part.is_empty()).all(|part| holds(text, part))
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

/// A text without the JSON escapes that would hide names.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\\\", "\\");
    Cow::Owned(text)
}

fn note(index: &mut HashMap<Term, Vec<usize>>, term: &Term, at: usize) {
    let places = index.entry(term.clone()).or_default();
    if places.len() < MOST_PLACES {
        places.push(at);
    }
}

/// The parts of a sentence, each with what it says and whom it says it of: those that it names, else those of the part
/// before it.
fn fragments(
    sentence: &str,
    subject: &BTreeSet<Term>,
    proper_names: &HashSet<String>,
) -> Vec<(BTreeSet<Term>, BTreeSet<Term>)> {
    let mut found = Vec::new();
    let mut owners = BTreeSet::new();
    for part in parts(sentence) {
        let terms: BTreeSet<Term> = terms(part, proper_names).collect();
        let own: BTreeSet<Term> = terms.iter().filter(|term| is_key(term)).cloned().collect();
        if !own.is_empty() {
            owners = own;
        }
        if !terms.is_empty() {
            found.push((terms, owners.union(subject).cloned().collect()));
        }
    }
    found
}

/// A sentence split at its commas and conjunctions.
fn parts(sentence: &str) -> Vec<&str> {
    const JOINS: [&str; 9] = [", ", "; ", ": ", " and ", " but ", " while ", "，", "；", "、"];
    let mut found = Vec::new();
    let mut rest = sentence;
    while let Some((at, join)) = JOINS.iter().filter_map(|join| Some((rest.find(join)?, *join))).min() {
        let (part, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        found.push(part);
        rest = after.get(join.len()..).unwrap_or_default();
    }
    found.push(rest);
    found
}

/// The objects of a list that is written on one line.
fn objects(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, _) in line.match_indices('}') {
        let rest = line.get(at + 1..).unwrap_or_default();
        if rest.trim_start().strip_prefix(',').is_some_and(|rest| rest.trim_start().starts_with('{')) {
            found.extend(line.get(from..=at));
            from = at + 1;
        }
    }
    found.extend(line.get(from..));
    found
}
