//! Hybrid ranking: one order from that by words and that by vectors.
//!
//! Both scores are brought to a scale from 0 to 1 and added with weights. By words, 1 is the best match. By vectors, 1 is the
//! nearest message and 0 one like most others: what a similarity says by itself differs from model to model, and from
//! question to question.

use std::collections::HashSet;

use super::rank::{Meaning, Ranked};
use super::vectors::Near;

/// The share of the score by vectors.
const BY_MEANING: f64 = 0.4;

/// Adds to the matches of the words how close they are to the question, and the closest messages of all sessions, at most
/// `keep`. `near` has for each session what was compared, in the session's order.
#[must_use]
pub fn join(mut ranked: Vec<Ranked>, near: &[Vec<Near>], keep: usize) -> Vec<Ranked> {
    let scale = Scale::of(near);
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

    #[test]
    fn what_is_found_by_both_comes_first_and_what_either_finds_is_there() {
        let ranked = vec![by_words(1, 9.0), by_words(2, 8.0), by_words(3, 1.0)];
        let near = [vec![near(1, 0.1), near(2, 0.7), near(3, 0.1), near(4, 0.8), near(5, 0.1), near(6, 0.1)]];
        assert_eq!(order(join(ranked, &near, 2)), [(0, 2), (0, 1), (0, 4), (0, 3)]);
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
