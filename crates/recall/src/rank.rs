//! Ranks matching messages with BM25, by their own words and those of their neighbours.

use std::ops::Range;
use std::sync::Arc;

use super::analyze::{Document, Frequencies, Term};
use super::query::Query;
use anchord_messages::id::Seq;

/// How soon further repetitions of a term stop counting (BM25's k1).
const SATURATION: f64 = 1.2;
/// How much a message's length lowers its score (BM25's b).
const LENGTH_NORM: f64 = 0.5;
/// The weight of a word in tool calls and outputs, relative to one in speech.
const SHOWN: f64 = 0.5;
/// The number of neighbours on each side.
const REACH: usize = 12;
/// The distance in words over which a neighbour's share falls to 1/e: a few turns of talk, or one long message.
const FADE_WORDS: f64 = 80.0;
/// The least share of the next message, however long both are, because an answer follows its question.
const NEXT_SHARE: f64 = 0.35;
/// The share of a score that is the message's own; the rest is its neighbourhood's.
const OWN: f64 = 0.4;
/// The relative gain of a turn whose speaker the question names.
const SPEAKER_GAIN: f64 = 0.6;
/// The relative gain of the newest message over the first, which decides between equals.
const RECENCY_GAIN: f64 = 0.05;
/// The number of messages that are scored with their neighbourhood: those with the best scores of their own.
const CENTRES: usize = 1_500;

/// A message with its score before its text is examined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Which of the searched sessions it is in, from 0.
    pub session: usize,
    /// Its position there.
    pub seq: Seq,
    /// Its score by its words, 0 when it has none of them; comparable only within one query.
    pub score: f64,
    /// How close it is to the question by what it means; `None` without a vector.
    pub meaning: Option<Meaning>,
}

/// How close a message is to a question by what it means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meaning {
    /// Which of its passages is closest, from 0.
    pub passage: usize,
    /// From 0, as close as most messages or less, to 1, the closest.
    pub closeness: f64,
}

/// Where the terms of a query occur in a session.
#[derive(Clone, Debug)]
pub struct Matches {
    query: Arc<Query>,
    /// The occurrences of each group, in the order in which they were added.
    groups: Vec<Vec<(usize, Frequencies)>>,
    /// The words in speech, and in tool calls and outputs, of each message from the first.
    lengths: Vec<(u32, u32)>,
    /// The messages that are added from here on; others are ignored.
    within: Range<usize>,
}

impl Matches {
    /// An empty set of matches for a query.
    pub fn new(query: Arc<Query>) -> Self {
        let groups = vec![Vec::new(); query.groups.len()];
        Self { query, groups, lengths: Vec::new(), within: 0..usize::MAX }
    }

    /// Ignores what is added from here on of messages through `after` or behind `through`: an index that several branches
    /// share holds messages that are not all of them.
    pub fn keep_within(&mut self, after: Seq, through: Seq) {
        let place = |seq| usize::try_from(seq).unwrap_or_default();
        self.within = place(after)..place(through);
    }

    /// The place of a message, if it is not to be ignored.
    fn place(&self, seq: Seq) -> Option<usize> {
        index(seq).filter(|at| self.within.contains(at))
    }

    /// Sets the length of a message in words. Messages must be added in the order of the session, but for those that
    /// [`Self::keep_within`] keeps: their number is known.
    pub fn length(&mut self, seq: Seq, said: u32, shown: u32) {
        if let Some(at) = self.place(seq) {
            // A seq beyond the next one is ignored, so that a wrong number cannot exhaust the memory.
            let is_next = at == self.lengths.len();
            if is_next || (at > self.lengths.len() && self.within.end < usize::MAX) {
                self.lengths.resize(at, (0, 0));
                self.lengths.push((said, shown));
            } else if let Some(old) = self.lengths.get_mut(at) {
                *old = (said, shown);
            }
        }
    }

    /// Adds the occurrences of a term in a message; terms outside of the query are ignored.
    pub fn occurrence(&mut self, term: Term, seq: Seq, frequencies: Frequencies) {
        if let Some(at) = self.place(seq)
            && let Some(group) = self.query.by_term.get(&term)
            && let Some(list) = self.groups.get_mut(*group)
        {
            list.push((at, frequencies));
        }
    }

    /// Adds the length and the occurrences of a scanned message.
    pub fn document(&mut self, seq: Seq, document: &Document) {
        self.length(seq, document.said, document.shown);
        for term in self.query.terms() {
            if let Some(frequencies) = document.frequencies(term) {
                self.occurrence(term, seq, frequencies);
            }
        }
    }

    /// Ranks the messages that match, best first, at most `keep`.
    pub fn rank(self, keep: usize) -> Vec<Ranked> {
        rank(vec![self], keep)
    }

    /// Puts the occurrences in order, one of each message.
    fn tidy(&mut self) {
        let count = self.lengths.len();
        for list in &mut self.groups {
            list.sort_by_key(|(at, _)| *at);
            list.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1.join(next.1);
                }
                same
            });
            list.retain(|(at, _)| *at < count);
        }
    }
}

/// Ranks the messages of several sessions that match one query, best first, at most `keep`. How rare a word is, and how
/// long a message, is judged over all of the sessions, so that scores are comparable between them.
pub fn rank(mut sessions: Vec<Matches>, keep: usize) -> Vec<Ranked> {
    sessions.iter_mut().for_each(Matches::tidy);
    let layouts: Vec<Layout> = sessions.iter().map(|matches| Layout::of(&matches.lengths)).collect();
    let corpus = Corpus::of(&sessions, &layouts);
    let mut ranked: Vec<Ranked> = Vec::new();
    for (session, (matches, layout)) in sessions.iter().zip(&layouts).enumerate() {
        let scoring = Scoring { groups: corpus.weigh(matches), layout, corpus: &corpus };
        let scored = scoring.centres().into_iter().map(|(at, own)| Ranked {
            session,
            seq: seq(at),
            score: scoring.score(at, own),
            meaning: None,
        });
        ranked.extend(scored);
    }
    ranked
        .sort_by(|a, b| b.score.total_cmp(&a.score).then(a.session.cmp(&b.session)).then(b.seq.cmp(&a.seq)));
    ranked.truncate(keep);
    ranked
}

fn index(seq: Seq) -> Option<usize> {
    usize::try_from(seq).ok()?.checked_sub(1)
}

fn seq(at: usize) -> Seq {
    Seq::try_from(at).unwrap_or(Seq::MAX - 1) + 1
}

#[expect(clippy::cast_precision_loss, reason = "counts of messages and words, far below 2^52")]
fn float(n: usize) -> f64 {
    n as f64
}

/// The lengths and places of a session's messages.
struct Layout {
    /// The weighted length of each message in words.
    words: Vec<f64>,
    /// The position of each message's middle, in weighted words from the start.
    middles: Vec<f64>,
}

impl Layout {
    fn of(lengths: &[(u32, u32)]) -> Self {
        let words: Vec<f64> =
            lengths.iter().map(|(said, shown)| f64::from(*said) + SHOWN * f64::from(*shown)).collect();
        let mut before = 0.0;
        let middles = words
            .iter()
            .map(|w| {
                let middle = before + w / 2.0;
                before += w;
                middle
            })
            .collect();
        Self { words, middles }
    }

    /// The shares with which the words of a message and its neighbours count for it.
    fn shares(&self, at: usize) -> Shares {
        let middle = self.middles.get(at).copied().unwrap_or_default();
        let from = at.saturating_sub(REACH);
        let near = self.middles.iter().enumerate().skip(from).take(at - from + REACH + 1);
        let shares = near.map(|(i, other)| {
            let steps = i32::try_from(at.abs_diff(i)).unwrap_or(i32::MAX);
            (-(middle - other).abs() / FADE_WORDS).exp().max(NEXT_SHARE.powi(steps))
        });
        Shares { from, shares: shares.collect() }
    }

    fn words_within(&self, shares: &Shares) -> f64 {
        self.words.iter().skip(shares.from).zip(&shares.shares).map(|(words, share)| words * share).sum()
    }
}

/// Statistics over all of the sessions.
struct Corpus {
    /// The messages of all sessions.
    messages: f64,
    /// For each group, in how many messages it occurs in the text, and as a speaker.
    with: Vec<(usize, usize)>,
    /// The mean length of a message.
    mean_words: f64,
    /// The mean length of a neighbourhood.
    mean_around: f64,
    all_speakers: f64,
}

impl Corpus {
    fn of(sessions: &[Matches], layouts: &[Layout]) -> Self {
        let count: usize = layouts.iter().map(|layout| layout.words.len()).sum();
        let groups = sessions.first().map_or(0, |matches| matches.groups.len());
        let mut with = vec![(0, 0); groups];
        for matches in sessions {
            for ((in_text, spoken), list) in with.iter_mut().zip(&matches.groups) {
                *in_text += list.iter().filter(|(_, f)| f.said > 0 || f.shown > 0).count();
                *spoken += list.iter().filter(|(_, f)| f.speaker).count();
            }
        }
        let messages = float(count);
        let words: f64 = layouts.iter().map(|layout| layout.words.iter().sum::<f64>()).sum();
        // A sample is enough for a mean.
        let step = (count / 500).max(1);
        let sample = layouts.iter().flat_map(|layout| {
            (0..layout.words.len()).step_by(step).map(move |at| layout.words_within(&layout.shares(at)))
        });
        let (sum, sampled) = sample.fold((0.0, 0), |(sum, sampled), words| (sum + words, sampled + 1));
        let all_speakers =
            with.iter().filter(|(_, spoken)| *spoken >= 2).map(|(_, spoken)| rarity(messages, *spoken)).sum();
        Self {
            mean_words: (words / messages.max(1.0)).max(1.0),
            mean_around: (sum / float(sampled).max(1.0)).max(1.0),
            messages,
            with,
            all_speakers,
        }
    }

    /// The groups of the query with their occurrences in one session.
    fn weigh<'m>(&self, matches: &'m Matches) -> Vec<Weighted<'m>> {
        let groups = matches.query.groups.iter().zip(&matches.groups).zip(&self.with);
        let weigh = groups.map(|((group, list), (in_text, spoken))| {
            // One turn may begin like a name by chance ("Note: …"); a speaker speaks more than once.
            let is_speaker = *spoken >= 2;
            let speaker = if is_speaker { rarity(self.messages, *spoken) } else { 0.0 };
            // A speaker's own turns are found by the name; the name in others' words counts less.
            let share = if is_speaker { 0.5 } else { 1.0 };
            Weighted { list, weight: group.weight * rarity(self.messages, *in_text) * share, speaker }
        });
        weigh.collect()
    }
}

/// One group of the query, with its occurrences in one session.
struct Weighted<'m> {
    list: &'m [(usize, Frequencies)],
    /// The group's weight times its rarity.
    weight: f64,
    /// The rarity of the speaker whom it names; 0 when it names none.
    speaker: f64,
}

/// Scores the messages of one session.
struct Scoring<'m> {
    groups: Vec<Weighted<'m>>,
    layout: &'m Layout,
    corpus: &'m Corpus,
}

impl Scoring<'_> {
    /// The matching messages with their own scores; only the best, when there are many.
    fn centres(&self) -> Vec<(usize, f64)> {
        let mut own = vec![0.0; self.layout.words.len()];
        for group in &self.groups {
            for (at, frequencies) in group.list {
                if let (Some(score), Some(words)) = (own.get_mut(*at), self.layout.words.get(*at)) {
                    *score += group.weight * saturated(count(*frequencies), words / self.corpus.mean_words);
                }
            }
        }
        let mut centres: Vec<(usize, f64)> =
            own.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
        if centres.len() > CENTRES {
            centres.select_nth_unstable_by(CENTRES, |a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
            centres.truncate(CENTRES);
        }
        centres
    }

    fn score(&self, at: usize, own: f64) -> f64 {
        let shares = self.layout.shares(at);
        let length = self.layout.words_within(&shares) / self.corpus.mean_around;
        let (mut around, mut speakers) = (0.0, 0.0);
        for group in &self.groups {
            let first = group.list.partition_point(|(i, _)| *i < shares.from);
            let mut heard = 0.0;
            for (i, frequencies) in group.list.iter().skip(first) {
                let Some(share) = shares.of(*i) else { break };
                heard += share * count(*frequencies);
                if *i == at && frequencies.speaker {
                    speakers += group.speaker;
                }
            }
            around += group.weight * saturated(heard, length);
        }
        let named = if self.corpus.all_speakers > 0.0 { speakers / self.corpus.all_speakers } else { 0.0 };
        let age = float(at) / float(self.layout.words.len()).max(1.0);
        (OWN * own + (1.0 - OWN) * around) * (1.0 + SPEAKER_GAIN * named) * (1.0 + RECENCY_GAIN * age)
    }
}

/// The shares of a message and its neighbours, from the first of them on.
struct Shares {
    from: usize,
    shares: Vec<f64>,
}

impl Shares {
    fn of(&self, at: usize) -> Option<f64> {
        self.shares.get(at.checked_sub(self.from)?).copied()
    }
}

fn count(frequencies: Frequencies) -> f64 {
    f64::from(frequencies.said) + SHOWN * f64::from(frequencies.shown)
}

fn saturated(count: f64, relative_length: f64) -> f64 {
    let norm = SATURATION * (1.0 - LENGTH_NORM + LENGTH_NORM * relative_length);
    if count > 0.0 { count * (SATURATION + 1.0) / (count + norm) } else { 0.0 }
}

/// BM25's inverse document frequency, never negative.
fn rarity(total: f64, with: usize) -> f64 {
    let with = float(with);
    (1.0 + (total - with + 0.5).max(0.0) / (with + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze;
    use anchord_messages::message::{Message, Part, Role};

    fn said(text: &str) -> Message {
        Message { role: Role::User, name: None, parts: vec![Part::Text(text.to_owned())] }
    }

    fn shown(text: &str) -> Message {
        Message { role: Role::Tool, ..said(text) }
    }

    fn ranked(question: &str, messages: &[Message]) -> Vec<Seq> {
        let mut matches = Matches::new(Arc::new(Query::parse(question).unwrap()));
        for (seq, message) in (1..).zip(messages) {
            matches.document(seq, &analyze(message));
        }
        matches.rank(100).into_iter().map(|r| r.seq).collect()
    }

    /// Talk about nothing in particular, with messages put in between.
    fn among_talk(needles: &[(usize, Message)]) -> Vec<Message> {
        let mut messages: Vec<Message> =
            (0..60).map(|i| said(&format!("So the next point is number {i} then, any more of it"))).collect();
        for (at, needle) in needles {
            messages[*at] = needle.clone();
        }
        messages
    }

    #[test]
    fn only_messages_that_match_are_ranked() {
        assert_eq!(ranked("crane", &among_talk(&[(10, said("the crane is orange"))])), [11]);
        assert_eq!(ranked("submarine", &among_talk(&[])), Vec::<Seq>::new());
        assert_eq!(ranked("crane", &[]), Vec::<Seq>::new());
    }

    #[test]
    fn rare_words_decide_over_frequent_ones() {
        let talk = among_talk(&[(10, said("one crane")), (30, said("next point, next point, next number"))]);
        assert_eq!(ranked("next point about the crane", &talk).first(), Some(&11));
    }

    #[test]
    fn a_whole_identifier_ranks_above_its_parts() {
        let talk = among_talk(&[
            (10, said("we parse the config of the file and parse it again, config by config")),
            (20, shown("fn parse_config() {}")),
        ]);
        assert_eq!(ranked("parse_config", &talk), [21, 11]);
    }

    #[test]
    fn a_path_is_found_by_its_end_and_in_either_spelling() {
        let talk = among_talk(&[
            (10, shown(r"opened C:\work\pump\src\valve.rs")),
            (30, said("valve or pump, whichever")),
        ]);
        for question in ["src/valve.rs", "valve.rs", "/home/ada/pump/src/valve.rs", r"src\valve.rs:14"] {
            assert_eq!(ranked(question, &talk).first(), Some(&11), "{question}");
        }
    }

    #[test]
    fn what_is_said_ranks_above_the_same_in_tool_output() {
        let talk = among_talk(&[(10, said("the crane is orange")), (40, shown("the crane is orange"))]);
        assert_eq!(ranked("orange crane", &talk), [11, 41]);
    }

    #[test]
    fn a_match_among_matches_ranks_above_one_alone() {
        let talk = among_talk(&[
            (10, said("the crane again")),
            (30, said("how about orange")),
            (31, said("the crane again")),
            (32, said("in orange, before winter")),
        ]);
        let order = ranked("orange crane winter", &talk);
        let place = |seq: Seq| order.iter().position(|s| *s == seq);
        assert!(place(32) < place(11), "{order:?}");
    }

    #[test]
    fn the_named_speakers_turn_comes_first() {
        let mut talk = among_talk(&[]);
        for (at, turn) in talk.iter_mut().enumerate() {
            let name = if at % 2 == 0 { "Ada Lind" } else { "Ben Roth" };
            *turn = said(&format!("{name}: {}", turn.text()));
        }
        talk[20] = said("Ada Lind: the crane should be orange");
        talk[41] = said("Ben Roth: the crane should be orange");
        assert_eq!(ranked("What did Ada Lind say about the orange crane?", &talk).first(), Some(&21));
        assert_eq!(ranked("What did Ben Roth say about the orange crane?", &talk).first(), Some(&42));
    }

    #[test]
    fn of_equals_the_newer_comes_first() {
        let talk = among_talk(&[(15, said("the crane is orange")), (45, said("the crane is orange"))]);
        assert_eq!(ranked("orange crane", &talk), [46, 16]);
    }

    #[test]
    fn questions_in_other_scripts_find_their_answers() {
        let talk = among_talk(&[
            (10, said("我们决定把起重机漆成橙色")),
            (20, said("クレーンをオレンジ色に塗ることにした")),
            (30, said("크레인을 주황색으로 칠하기로 했습니다")),
            (40, said("Мы решили покрасить кран в оранжевый цвет")),
            (50, said("Nous avons décidé de peindre les grues en orange")),
        ]);
        for (question, seq) in [
            ("起重机是什么颜色？", 11),
            ("クレーンは何色ですか", 21),
            ("크레인 색", 31),
            ("в какой ЦВЕТ покрасить", 41),
            ("peindre les grues", 51),
        ] {
            assert_eq!(ranked(question, &talk).first(), Some(&seq), "{question}");
        }
    }

    #[test]
    fn a_word_is_as_rare_as_it_is_over_all_sessions() {
        let query = Arc::new(Query::parse("crane budget").unwrap());
        let read = |messages: &[Message]| {
            let mut matches = Matches::new(query.clone());
            for (seq, message) in (1..).zip(messages) {
                matches.document(seq, &analyze(message));
            }
            matches
        };
        // In the first session every other message is about the crane; over both the budget is the rarer word.
        let mut first = among_talk(&[]);
        for turn in first.iter_mut().step_by(2) {
            *turn = said("the crane is here");
        }
        first[31] = said("the budget is here");
        let second = among_talk(&[(10, said("the crane is here"))]);
        let ranked = rank(vec![read(&first), read(&second)], 200);
        assert_eq!(ranked.first().map(|r| (r.session, r.seq)), Some((0, 32)));
        let of = |session, seq| {
            ranked.iter().find(|r| (r.session, r.seq) == (session, seq)).map(|r| r.score).unwrap()
        };
        // Alone it would be the rarest word of its session, and would score above the budget.
        assert!(of(1, 11) < of(0, 32) / 2.0, "{} {}", of(1, 11), of(0, 32));
        let alone = read(&second).rank(1)[0].score;
        assert!(alone > of(1, 11) * 2.0, "{alone}");
    }

    #[test]
    fn lengths_out_of_order_or_absurd_take_no_memory() {
        let mut matches = Matches::new(Arc::new(Query::parse("crane").unwrap()));
        matches.length(Seq::MAX, 1, 1);
        matches.length(0, 1, 1);
        matches.length(Seq::MIN, 1, 1);
        assert!(matches.lengths.is_empty());
        assert!(matches.rank(10).is_empty());
    }
}
