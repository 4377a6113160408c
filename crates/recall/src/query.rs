//! Parses a question into the terms to search for.

use std::collections::HashMap;

use super::analyze::Term;
use super::asking::weight;
use super::stem::Stems;
use super::words::{Kind, scan};

/// The most groups of terms of one question; further words are ignored.
const MOST_GROUPS: usize = 64;

/// The terms for one word of the question; a match of any of them is a match of the group.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    /// The word's term; in [`Query::names`] also the term of the word as an identifier.
    pub terms: Vec<Term>,
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

/// The groups of a query that belong to one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needed {
    /// The group of the whole name, when it is one compound.
    pub(super) whole: Option<usize>,
    /// The groups of its words.
    pub(super) pieces: Vec<usize>,
}

impl Query {
    /// The longest question, in characters.
    pub const MAX_CHARS: usize = 4_096;

    /// Parses a question; `None` when it contains nothing to search for.
    #[must_use]
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
                terms: vec![term],
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

    /// Builds a query for names, and returns the groups of each one, with which [`Matches::holders`] finds the messages
    /// that contain it. The number of names is not limited here.
    ///
    /// [`Matches::holders`]: super::Matches::holders
    #[must_use]
    pub fn names(names: &[String]) -> (Self, Vec<Needed>) {
        let stems = Stems::default();
        let mut query = Self { groups: Vec::new(), by_term: HashMap::new() };
        let mut needed = Vec::with_capacity(names.len());
        for name in names {
            let mut own = Needed::default();
            let mut is_one = false;
            scan(name, |token| {
                is_one |= token.kind == Kind::Compound && token.end - token.start == name.len();
            });
            scan(name, |token| {
                if is_one && token.kind != Kind::Compound {
                    return;
                }
                let terms = match token.kind {
                    // In camel case the message has the word as a compound.
                    Kind::Word => {
                        vec![
                            Term::new(Kind::Word, &stems.stem(&token.text)),
                            Term::new(Kind::Compound, &token.text),
                        ]
                    }
                    Kind::Pair | Kind::Character | Kind::Compound => vec![Term::new(token.kind, &token.text)],
                    Kind::Tail => return,
                };
                // A term belongs to one group, so names that share a term also find each other's messages. That
                // costs the caller only an unnecessary check.
                let known = terms.iter().find_map(|term| query.by_term.get(term)).copied();
                let group = known.unwrap_or_else(|| {
                    query.by_term.extend(terms.iter().map(|term| (*term, query.groups.len())));
                    let (position, phrasal) = (token.position, false);
                    query.groups.push(Group { terms, weight: 1.0, position, phrasal });
                    query.groups.len() - 1
                });
                match token.kind {
                    Kind::Compound => own.whole = own.whole.or(Some(group)),
                    Kind::Word | Kind::Pair | Kind::Character | Kind::Tail => own.pieces.push(group),
                }
            });
            needed.push(own);
        }
        (query, needed)
    }

    /// Every term to look up, in order.
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        let mut terms: Vec<Term> =
            self.groups.iter().filter(|g| g.weight > 0.0).flat_map(|g| g.terms.iter().copied()).collect();
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
