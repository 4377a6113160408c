//! Parses a question into the terms to search for.

use std::collections::HashMap;

use super::analyze::Term;
use super::asking::weight;
use super::stem::Stems;
use super::words::{Kind, scan};

/// The most groups of terms of one question; further words are ignored.
const MOST_GROUPS: usize = 64;

/// A word of the question.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    /// The word's term.
    pub term: Term,
    /// The weight of the word by its form alone.
    pub weight: f64,
    /// The index of the word in the question; neighbours differ by one.
    pub position: u32,
    /// Whether it is a word, or a pair of characters, that can form a phrase with the next one.
    pub phrasal: bool,
}

/// A parsed question.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub(super) groups: Vec<Group>,
    /// The index of the group of each term.
    pub(super) by_term: HashMap<Term, usize>,
}

impl Query {
    /// The longest question, in characters.
    pub const MAX_CHARS: usize = 4_096;

    /// Parses a question; `None` when it contains nothing to search for.
    pub fn parse(text: &str) -> Option<Self> {
        let stems = Stems::default();
        let mut groups: Vec<Group> = Vec::new();
        let mut by_term: HashMap<Term, usize> = HashMap::new();
        scan(text, |token| {
            let lower = token.text.as_ref();
            let term = match token.kind {
                Kind::Word => Term::new(Kind::Word, &stems.stem(lower)),
                Kind::Compound | Kind::Tail | Kind::Pair | Kind::Character => Term::new(token.kind, lower),
            };
            let weight = weight(token.kind, lower);
            if groups.len() >= MOST_GROUPS || by_term.contains_key(&term) {
                return;
            }
            by_term.insert(term, groups.len());
            groups.push(Group {
                term,
                weight,
                position: token.position,
                phrasal: matches!(token.kind, Kind::Word | Kind::Pair),
            });
        });
        // If no word has weight, all words count.
        if groups.iter().all(|g| g.weight <= 0.0) {
            for group in &mut groups {
                group.weight = 1.0;
            }
        }
        (!groups.is_empty()).then_some(Self { groups, by_term })
    }

    /// Every term to look up, in order.
    pub fn terms(&self) -> Vec<Term> {
        let mut terms: Vec<Term> = self.groups.iter().filter(|g| g.weight > 0.0).map(|g| g.term).collect();
        terms.sort_unstable();
        terms
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_query_without_words_is_none() {
        for text in ["", " \t\n", "?!", "…", "🏗️", "\"\\'", "//", "A".repeat(600).as_str()] {
            assert_eq!(Query::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn words_of_asking_are_left_out_unless_there_is_nothing_else() {
        let crane = Query::parse("crane").unwrap().terms();
        assert_eq!(Query::parse("What is the crane?").unwrap().terms(), crane);
        assert!(!Query::parse("What is it?").unwrap().terms().is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_read_in_bounds(text in "\\PC{0,400}|(\\w+[./_-]){0,100}") {
            if let Some(query) = Query::parse(&text) {
                prop_assert!((1..=MOST_GROUPS).contains(&query.groups.len()));
                prop_assert!(!query.terms().is_empty());
            }
        }
    }
}
