//! Examines the texts of the best matches: phrases of the question raise the score, a snippet is cut out, and
//! [`final_order`] spreads the hits over the session.

use serde::Serialize;

use super::analyze::{Field, Reader, each_text};
use super::hybrid::fuse;
use super::passages::{as_is, passages};
use super::query::Query;
use super::rank::Ranked;
use super::words::scan;
use anchord_messages::id::Seq;
use anchord_messages::message::{Message, Role};

/// The longest snippet, in characters.
const SNIPPET_CHARS: usize = 300;
/// The longest stretch of text from which a snippet's matches are taken, in bytes.
const WINDOW: usize = 240;
/// The most matches that are examined in one message.
const MOST_MARKS: usize = 5_000;
/// The relative gain of a score when all neighbouring words of the question are together in the text, too.
const PHRASE_GAIN: f64 = 0.5;
/// The factor for each better hit close by, so that the hits do not all come from one stretch of the session.
const CROWDED: f64 = 0.6;
/// Hits at least this many messages apart are not close.
const NEAR: u64 = 8;
/// In the last part of the list, the factor for a hit in a stretch that already has one.
const ELSEWHERE: f64 = 0.3;
/// Hits at least this many messages apart are in different stretches.
const STRETCH: u64 = 20;
/// The first part of the list, in tenths, which is filled by relevance alone. If it does not contain the answer,
/// more hits from the same stretches would not either.
const BY_RELEVANCE: usize = 6;

/// A message that matches.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = RecallHit)]
pub struct Hit {
    /// The message's position.
    pub seq: Seq,
    /// The role of its author.
    pub role: Role,
    /// The stretch of the message that matches best, at most 300 characters.
    pub snippet: String,
    /// How well it matches; comparable within one reply.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub score: f64,
}

/// The result of examining a match's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Examined {
    /// Who speaks.
    pub role: Role,
    /// The stretch that matches best.
    pub snippet: String,
    /// The share of the question's pairs of neighbouring words that are together in the text, from 0 to 1.
    pub together: f64,
}

/// An occurrence of a word of the question in a text.
struct Mark {
    start: usize,
    end: usize,
    position: u32,
    group: usize,
}

impl Query {
    /// Examines the text of a match. Of one that has no word of the question, the nearest passage is shown.
    pub fn examine(&self, message: &Message, passage: Option<usize>) -> Examined {
        let pairs = self.pairs();
        let mut found = vec![false; pairs.len()];
        let mut best: Option<(f64, String)> = None;
        let (mut head, mut speaker) = (String::new(), String::new());
        each_text(message, &mut |field, text| {
            if field == Field::Speaker {
                speaker = format!("{text}: ");
                return;
            }
            // What stands before a colon may be the subject as well as the speaker.
            let lead = std::mem::take(&mut speaker);
            let excerpt = |start, end| format!("{lead}{}", excerpt(text, start, end));
            if head.is_empty() {
                head = excerpt(0, 0);
            }
            let marks = self.marks(text);
            note_pairs(&pairs, &marks, &mut found);
            if let Some((value, start, end)) = self.densest(&marks)
                && best.as_ref().is_none_or(|(old, _)| value > *old)
            {
                best = Some((value, excerpt(start, end)));
            }
        });
        let hits = f64::from(u32::try_from(found.iter().filter(|f| **f).count()).unwrap_or(u32::MAX));
        let all = f64::from(u32::try_from(pairs.len()).unwrap_or(u32::MAX));
        Examined {
            role: message.role,
            snippet: match (best, passage) {
                (Some((_, snippet)), _) => snippet,
                (None, Some(at)) if at > 0 => nth_passage(message, at).unwrap_or(head),
                (None, _) => head,
            },
            together: if pairs.is_empty() { 0.0 } else { hits / all },
        }
    }

    /// The pairs of groups that are neighbours in the question, ignoring words without weight between them, with their
    /// distance.
    fn pairs(&self) -> Vec<(usize, usize, u32)> {
        let content: Vec<(usize, u32)> = self
            .groups
            .iter()
            .enumerate()
            .filter(|(_, g)| g.phrasal && g.weight >= 0.2)
            .map(|(i, g)| (i, g.position))
            .collect();
        content
            .windows(2)
            .filter_map(|two| {
                let [(a, at), (b, to)] = two else { return None };
                let gap = to.saturating_sub(*at);
                (1..=3).contains(&gap).then_some((*a, *b, gap))
            })
            .collect()
    }

    fn marks(&self, text: &str) -> Vec<Mark> {
        let mut reader = Reader::default();
        let mut marks = Vec::new();
        scan(text, |token| {
            if marks.len() >= MOST_MARKS {
                return;
            }
            let (start, end, position) = (token.start, token.end, token.position);
            let term = reader.term(token.kind, &token.text);
            if let Some(group) = self.by_term.get(&term) {
                marks.push(Mark { start, end, position, group: *group });
            }
        });
        marks
    }

    /// The stretch with the highest weight of different groups: its weight, start and end.
    fn densest(&self, marks: &[Mark]) -> Option<(f64, usize, usize)> {
        let weight = |m: &Mark| self.groups.get(m.group).map_or(0.0, |g| g.weight);
        let mut inside = vec![0_u32; self.groups.len()];
        let (mut value, mut first) = (0.0, 0);
        let mut best: Option<(f64, usize, usize)> = None;
        for mark in marks {
            if let Some(n) = inside.get_mut(mark.group) {
                *n += 1;
                // A repetition adds a little, never as much as another word.
                value += if *n == 1 { weight(mark) } else { 0.01 * weight(mark) };
            }
            while let Some(old) = marks.get(first)
                && mark.end.saturating_sub(old.start) > WINDOW
                && old.start < mark.start
            {
                if let Some(n) = inside.get_mut(old.group) {
                    *n = n.saturating_sub(1);
                    value -= if *n == 0 { weight(old) } else { 0.01 * weight(old) };
                }
                first += 1;
            }
            let start = marks.get(first).map_or(mark.start, |m| m.start);
            if best.is_none_or(|(b, ..)| value > b + 1e-9) {
                best = Some((value, start, mark.end.max(start)));
            }
        }
        best
    }
}

/// The beginning of a passage.
fn nth_passage(message: &Message, at: usize) -> Option<String> {
    passages(message, as_is).get(at).map(|passage| excerpt(passage, 0, 0))
}

/// Marks the pairs that are together in the text: at most one word further apart than in the question.
fn note_pairs(pairs: &[(usize, usize, u32)], marks: &[Mark], found: &mut [bool]) {
    for ((a, b, gap), found) in pairs.iter().zip(found) {
        if *found {
            continue;
        }
        let mut last: Option<u32> = None;
        for mark in marks {
            if mark.group == *a {
                last = Some(mark.position);
            } else if mark.group == *b
                && last.is_some_and(|l| (1..=gap + 1).contains(&mark.position.saturating_sub(l)))
            {
                *found = true;
                break;
            }
        }
    }
}

/// Cuts a stretch with its surroundings out of a text: whole words, in one line, at most as long as a snippet.
fn excerpt(text: &str, start: usize, end: usize) -> String {
    let (start, end) = if text.get(start..end).is_some() { (start, end) } else { (0, 0) };
    // Room for an ellipsis at each end.
    let room = SNIPPET_CHARS - 2;
    let middle = text.get(start..end).map_or(0, |m| m.chars().count());
    let spare = room.saturating_sub(middle);
    let before = text.get(..start).unwrap_or_default();
    let from = before.char_indices().rev().take(spare / 3).last().map_or(start, |(at, _)| at);
    let used = text.get(from..start).map_or(0, |b| b.chars().count());
    let after = text.get(start..).unwrap_or_default();
    let to = after.char_indices().nth(room - used).map_or(text.len(), |(at, _)| start + at);
    // Whole words, unless the stretch is one long word or a script without spaces.
    let from = if from > 0 {
        let lead = text.get(from..start).unwrap_or_default();
        lead.find(char::is_whitespace).map_or(from, |at| from + at)
    } else {
        0
    };
    let to = if to < text.len() {
        let tail_from = end.clamp(from, to);
        let tail = text.get(tail_from..to).unwrap_or_default();
        tail.rfind(char::is_whitespace).map_or(to, |at| tail_from + at)
    } else {
        to
    };
    let body = text.get(from..to).unwrap_or_default();
    let mut snippet = String::with_capacity(body.len() + 6);
    if from > 0 {
        snippet.push('…');
    }
    for (i, word) in body.split_whitespace().enumerate() {
        if i > 0 {
            snippet.push(' ');
        }
        snippet.push_str(word);
    }
    if to < text.len() {
        snippet.push('…');
    }
    snippet
}

/// The final order of matches: best first, spread over the session, at most `limit`. A match whose text was not
/// examined keeps its score.
pub fn final_order(
    matches: Vec<(Ranked, Option<Examined>)>,
    limit: usize,
) -> Vec<(Ranked, Option<Examined>)> {
    let mut rest = matches;
    for (ranked, examined) in &mut rest {
        ranked.score *= 1.0 + PHRASE_GAIN * examined.as_ref().map_or(0.0, |e| e.together);
    }
    fuse(rest.iter_mut().map(|(ranked, _)| ranked));
    // What has no word of the question and is no closer than most messages is no hit.
    rest.retain(|(ranked, _)| ranked.score > 0.0);
    let by_relevance = (limit * BY_RELEVANCE).div_ceil(10);
    let mut settled: Vec<(Ranked, Option<Examined>)> = Vec::new();
    while settled.len() < limit
        && let Some(at) = best_of(&rest)
    {
        let best = rest.swap_remove(at);
        let turns = settled.len() + 1 == by_relevance;
        let elsewhere = settled.len() + 1 >= by_relevance;
        for (other, _) in &mut rest {
            let apart = apart_of(other, &best.0);
            if apart <= NEAR {
                other.score *= CROWDED;
            }
            // The stretches of all earlier hits are marked when the last part begins, those of later hits one by one.
            let told = |(hit, _): &(Ranked, Option<Examined>)| apart_of(hit, other) <= STRETCH;
            let in_stretch = apart <= STRETCH && (turns || apart > NEAR);
            if elsewhere && (in_stretch || turns && settled.iter().any(told)) {
                other.score *= ELSEWHERE;
            }
        }
        settled.push(best);
    }
    settled
}

/// How many messages apart two are; those of different sessions are never close.
fn apart_of(one: &Ranked, other: &Ranked) -> u64 {
    if one.session == other.session { one.seq.abs_diff(other.seq) } else { u64::MAX }
}

fn best_of(matches: &[(Ranked, Option<Examined>)]) -> Option<usize> {
    matches
        .iter()
        .enumerate()
        .max_by(|(_, (a, _)), (_, (b, _))| {
            a.score.total_cmp(&b.score).then(b.session.cmp(&a.session)).then(a.seq.cmp(&b.seq))
        })
        .map(|(at, _)| at)
}

impl Hit {
    /// A hit from a match and its examined text.
    pub fn new(ranked: Ranked, examined: Examined) -> Self {
        Self {
            seq: ranked.seq,
            role: examined.role,
            snippet: examined.snippet,
            // Three decimals distinguish hits; more are noise.
            score: (ranked.score * 1_000.0).round() / 1_000.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use anchord_messages::message::{Part, ToolCall};

    fn said(text: &str) -> Message {
        Message { role: Role::User, name: None, parts: vec![Part::Text(text.to_owned())] }
    }

    fn examined(question: &str, text: &str) -> Examined {
        Query::parse(question).unwrap().examine(&said(text), None)
    }

    #[test]
    fn a_snippet_shows_the_stretch_with_the_most_of_the_question() {
        let filler = "and so on and so forth ".repeat(100);
        let text = format!("A crane. {filler} the crane was painted\n\norange in winter {filler} orange");
        let seen = examined("When was the crane painted orange?", &text);
        assert!(seen.snippet.contains("the crane was painted orange in winter"), "{}", seen.snippet);
        assert!(seen.snippet.starts_with('…') && seen.snippet.ends_with('…'));
        assert!(seen.snippet.chars().count() <= SNIPPET_CHARS);
        assert!(seen.snippet.split_whitespace().all(|w| text.contains(w.trim_matches('…'))), "whole words");
    }

    #[test]
    fn a_short_text_is_its_own_snippet() {
        assert_eq!(examined("crane", "the  crane\nis here").snippet, "the crane is here");
        assert_eq!(examined("boat", "no match here").snippet, "no match here");
    }

    #[test]
    fn a_call_shows_its_argument() {
        let call = ToolCall {
            id: String::new(),
            name: "run".to_owned(),
            arguments: r#"{"command": "paint --crane orange"}"#.to_owned(),
        };
        let message = Message { role: Role::Assistant, name: None, parts: vec![Part::ToolCall(call)] };
        assert_eq!(Query::parse("crane").unwrap().examine(&message, None).snippet, "paint --crane orange");
    }

    #[test]
    fn words_that_stand_together_as_asked_are_seen() {
        assert!(examined("oil and gas", "the oil and gas industry").together > 0.9);
        assert!(examined("oil and gas", "the gas is here, and later they have the oil").together < 0.1);
        assert!(examined("crane", "crane").together < 0.1, "one word is no phrase");
    }

    #[test]
    fn hits_are_spread_over_the_session() {
        let seen = || Some(examined("crane", "crane"));
        let run = (1..=20).map(|i| (Ranked { session: 0, seq: i, score: 10.0, meaning: None }, seen()));
        let far = (Ranked { session: 0, seq: 900, score: 5.0, meaning: None }, seen());
        let settled = final_order(run.chain([far]).collect(), 5);
        let seqs: Vec<Seq> = settled.iter().map(|(r, _)| r.seq).collect();
        assert_eq!(seqs.first(), Some(&20), "{seqs:?}");
        assert!(seqs.contains(&900), "{seqs:?}");
        assert_eq!(seqs.len(), 5);
    }

    #[test]
    fn the_end_of_the_list_looks_elsewhere() {
        let seen = || Some(examined("crane", "crane"));
        let near =
            (0..8).map(|i| (Ranked { session: 0, seq: 500 + 9 * i, score: 10.0, meaning: None }, seen()));
        let far = (1..=4).map(|i| (Ranked { session: 0, seq: i * 100, score: 4.0, meaning: None }, seen()));
        let seqs: Vec<Seq> =
            final_order(near.chain(far).collect(), 10).into_iter().map(|(r, _)| r.seq).collect();
        assert!(seqs.iter().take(6).all(|s| *s >= 500), "{seqs:?}");
        assert!(seqs.iter().skip(6).all(|s| *s < 500), "{seqs:?}");
    }

    proptest! {
        #[test]
        fn a_snippet_is_short_and_never_breaks_a_character(
            text in "(crane|起重机|é|\u{301}|🏗️|가|\n|[a-z ]{1,40}){0,60}",
            question in "crane|起重机|é|가 x",
        ) {
            if let Some(query) = Query::parse(&question) {
                let seen = query.examine(&said(&text), None);
                prop_assert!(seen.snippet.chars().count() <= SNIPPET_CHARS);
                prop_assert!((0.0..=1.0).contains(&seen.together));
            }
        }

        #[test]
        fn any_stretch_of_any_text_gives_an_excerpt(text in "\\PC{0,700}", start in 0_usize..800, end in 0_usize..800) {
            prop_assert!(excerpt(&text, start, end).chars().count() <= SNIPPET_CHARS);
        }
    }
}
