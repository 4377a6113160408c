//! Hybrid ranking: one order from that by words and that by vectors.
//!
//! Both scores are brought to a scale from 0 to 1 and added with weights. By words, 1 is the best match. By vectors, 1 is the
//! nearest message and 0 one like most others: what a similarity says by itself differs from model to model, and from
//! question to question. A message counts as near when those around it are, too: an utterance of three words says little
//! by itself, and what a question asks for mostly stands in several.
//!
//! Shares and reach were chosen on 19 meetings of a public set (139 questions with their evidence) and a small open model:
//! evidence is among the first ten hits for 0.90 of the questions, by words alone for 0.86, and without the neighbourhood
//! for 0.87.

use std::collections::HashSet;

use super::rank::{Meaning, Ranked};
use super::vectors::Near;

/// The share of the score by vectors.
const BY_MEANING: f64 = 0.2;
/// The share of a message's own similarity; the rest is that of its neighbourhood.
const OWN: f64 = 0.3;
/// The number of neighbours on each side.
const REACH: i64 = 8;
/// How much less a neighbour counts for each message between.
const FADE: f64 = 0.8;

/// Adds to the matches of the words how close they are to the question, and the closest messages of all sessions, at most
/// `keep`. `near` has for each session what was compared, in the session's order.
pub fn join(mut ranked: Vec<Ranked>, near: &[Vec<Near>], keep: usize) -> Vec<Ranked> {
    let near: Vec<Vec<Near>> = near.iter().map(|of_session| with_neighbours(of_session)).collect();
    let scale = Scale::of(&near);
    for match_ in &mut ranked {
        let of_session = near.get(match_.session).map_or(&[][..], Vec::as_slice);
        let found = of_session.binary_search_by_key(&match_.seq, |near| near.seq).ok();
        match_.meaning = found.and_then(|at| of_session.get(at)).map(|near| scale.meaning(near));
    }
    let known: HashSet<_> = ranked.iter().map(|r| (r.session, r.seq)).collect();
    let all =
        near.iter().enumerate().flat_map(|(session, near)| near.iter().map(move |near| (session, near)));
    let mut closest: Vec<(usize, &Near)> = all.collect();
    if closest.len() > keep {
        closest.select_nth_unstable_by(keep, |a, b| b.1.similarity.total_cmp(&a.1.similarity));
        closest.truncate(keep);
    }
    closest.retain(|(session, near)| !known.contains(&(*session, near.seq)));
    ranked.extend(closest.into_iter().map(|(session, near)| Ranked {
        session,
        seq: near.seq,
        score: 0.0,
        meaning: Some(scale.meaning(near)),
    }));
    ranked
}

/// The messages of a session with the similarities of their neighbourhoods.
fn with_neighbours(near: &[Near]) -> Vec<Near> {
    let one_side: f64 = (1..=i32::try_from(REACH).unwrap_or(i32::MAX)).map(|steps| FADE.powi(steps)).sum();
    let mut from = 0;
    let mut smoothed = Vec::with_capacity(near.len());
    for (at, one) in near.iter().enumerate() {
        while near.get(from).is_some_and(|other| other.seq < one.seq - REACH) {
            from += 1;
        }
        let (mut weights, mut sum) = (0.0, 0.0);
        for (place, other) in near.iter().enumerate().skip(from) {
            if other.seq > one.seq + REACH {
                break;
            }
            if place != at {
                let steps = i32::try_from(other.seq.abs_diff(one.seq)).unwrap_or(i32::MAX);
                let weight = FADE.powi(steps);
                weights += weight;
                sum += weight * f64::from(other.similarity);
            }
        }
        let own = f64::from(one.similarity);
        // With fewer neighbours than on one side, the message's own similarity stands for those that are missing: in a
        // session of two messages, the neighbour of a match would otherwise be as near as the match.
        let around = (sum + (one_side - weights).max(0.0) * own) / weights.max(one_side);
        #[expect(clippy::cast_possible_truncation, reason = "a cosine needs no more digits")]
        let similarity = (OWN * own + (1.0 - OWN) * around) as f32;
        smoothed.push(Near { similarity, ..*one });
    }
    smoothed
}

/// The similarities of one question.
struct Scale {
    usual: f64,
    most: f64,
}

impl Scale {
    fn of(near: &[Vec<Near>]) -> Self {
        let mut all: Vec<f32> = near.iter().flatten().map(|near| near.similarity).collect();
        // Of two messages, one is close and the other usual.
        let middle = all.len().saturating_sub(1) / 2;
        let most = all.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let usual = if all.is_empty() { 0.0 } else { *all.select_nth_unstable_by(middle, f32::total_cmp).1 };
        Self { usual: usual.into(), most: most.into() }
    }

    fn meaning(&self, near: &Near) -> Meaning {
        let above = f64::from(near.similarity) - self.usual;
        let range = self.most - self.usual;
        // Of messages that are all alike, or of a single one, only the similarity itself says something.
        let closeness = if range > f64::from(f32::EPSILON) { above / range } else { near.similarity.into() };
        let closeness = closeness.clamp(0.0, 1.0);
        Meaning { passage: near.passage, closeness }
    }
}

/// Gives each message one score of both, on the scale of the score by words; leaves that as it is where nothing was
/// compared.
pub(super) fn fuse<'r>(ranked: impl Iterator<Item = &'r mut Ranked>) {
    let ranked: Vec<&mut Ranked> = ranked.collect();
    if ranked.iter().all(|ranked| ranked.meaning.is_none()) {
        return;
    }
    let best = ranked.iter().map(|ranked| ranked.score).fold(0.0, f64::max);
    let scale = if best > 0.0 { best } else { 1.0 };
    for ranked in ranked {
        let closeness = ranked.meaning.map_or(0.0, |meaning| meaning.closeness);
        ranked.score = (1.0 - BY_MEANING) * ranked.score + BY_MEANING * scale * closeness;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_words(seq: i64, score: f64) -> Ranked {
        Ranked { session: 0, seq, score, meaning: None }
    }

    fn near(seq: i64, similarity: f32) -> Near {
        Near { seq, passage: 0, similarity }
    }

    fn order(mut ranked: Vec<Ranked>) -> Vec<(usize, i64)> {
        fuse(ranked.iter_mut());
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
        ranked.into_iter().map(|r| (r.session, r.seq)).collect()
    }

    /// Far enough from each other to be no neighbours.
    fn apart(similarities: &[f32]) -> Vec<Near> {
        (1..).zip(similarities).map(|(at, similarity)| near(100 * at, *similarity)).collect()
    }

    #[test]
    fn what_is_found_by_both_comes_first_and_what_either_finds_is_there() {
        let ranked = vec![by_words(100, 9.0), by_words(200, 8.5), by_words(300, 1.0)];
        let near = [apart(&[0.1, 0.7, 0.1, 0.8, 0.1, 0.1])];
        assert_eq!(order(join(ranked, &near, 2)), [(0, 200), (0, 100), (0, 400), (0, 300)]);
    }

    #[test]
    fn a_message_among_near_ones_is_nearer_than_one_that_stands_alone() {
        let mut around: Vec<Near> = (1..=9).map(|seq| near(seq, 0.5)).collect();
        around.extend(
            apart(&[0.6, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
                .iter()
                .map(|one| Near { seq: one.seq + 100, ..*one }),
        );
        around.push(near(3_000, 0.52));
        for at in 2_992..3_000 {
            around.insert(around.len() - 1, near(at, 0.0));
        }
        let smoothed = with_neighbours(&around);
        let of = |seq: i64| smoothed.iter().find(|one| one.seq == seq).unwrap().similarity;
        assert!(of(5) > of(3_000), "{} and {}", of(5), of(3_000));
        assert!((of(200) - 0.6).abs() < 1e-6, "without neighbours it is as near as it is itself");
        assert!(of(3_000) < 0.4 && of(2_992) > 0.0);
    }

    #[test]
    fn without_vectors_the_scores_by_words_stay() {
        let mut ranked = join(vec![by_words(1, 9.0), by_words(2, 3.0)], &[vec![], vec![]], 10);
        fuse(ranked.iter_mut());
        assert_eq!(ranked, [by_words(1, 9.0), by_words(2, 3.0)]);
    }

    #[test]
    fn without_a_word_that_matches_the_closest_come_in_their_order_over_all_sessions() {
        let near = [vec![near(1, 0.2), near(2, 0.6)], vec![near(1, 0.9), near(2, 0.1), near(3, 0.1)]];
        assert_eq!(order(join(vec![], &near, 2)), [(1, 1), (0, 2)]);
    }

    #[test]
    fn messages_that_are_all_alike_change_nothing() {
        let near = [(1..9).map(|seq| near(seq, 0.5)).collect::<Vec<_>>()];
        let ranked = join(vec![by_words(4, 2.0), by_words(2, 1.0)], &near, 3);
        assert_eq!(order(ranked)[..2], [(0, 4), (0, 2)]);
    }
}
