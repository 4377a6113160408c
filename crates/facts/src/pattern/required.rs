//! Required words of a pattern, derived from the pattern itself: every match contains one of them.
//!
//! Invariant: a text that the pattern matches contains one of its words, in any ASCII case, and no word contains white
//! space. So a fast search for words excludes most texts.
//!
//! Word lists written by hand beside the patterns had drifted and missed words. The cost of deriving them: every
//! pattern is parsed twice at its first use, and must have a word of two letters.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, BuildError};
use regex_syntax::hir::{Class, Hir, HirKind};

/// Letters outside of ASCII that a case-insensitive pattern treats as ASCII letters (`ſ`, the kelvin sign).
const FOLDED: [char; 2] = ['\u{17f}', '\u{212a}'];
/// A pattern with more words counts as one without.
const MAX_WORDS: usize = 500;
/// The length in bytes beyond which a longer word is not more selective.
const LONG: usize = 8;

/// Words, one of which every match contains. A letter with a case outside of ASCII is represented by its lead bytes.
pub(super) type Words = Vec<Vec<u8>>;

/// A searcher for words in any ASCII case.
pub(super) fn finder(words: Words) -> Result<AhoCorasick, BuildError> {
    AhoCorasickBuilder::new().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(words)
}

/// The required words of a pattern, in lower case; `None` when it has no selective ones.
pub(super) fn words(pattern: &str) -> Option<Words> {
    let pattern = regex_syntax::Parser::new().parse(pattern).ok()?;
    let mut reader = Reader::default();
    let mut words = reader.words_in(&pattern).filter(|words| worth(words) > (1, 0))?;
    if reader.folds {
        words.extend(FOLDED.map(|letter| letter.to_string().into_bytes()));
    }
    words.sort_unstable();
    words.dedup();
    (words.len() <= MAX_WORDS).then_some(words)
}

/// How selective words are: by the length of the shortest, then by how few they are.
fn worth(words: &Words) -> (usize, isize) {
    let letters = |word: &Vec<u8>| match word.as_slice() {
        [lead] if !lead.is_ascii() => 2,
        word => word.len().min(LONG),
    };
    (words.iter().map(letters).min().unwrap_or_default(), -words.len().cast_signed())
}

#[derive(Default)]
struct Reader {
    /// Whether a letter may also match one outside of ASCII.
    folds: bool,
}

/// What one position of a pattern matches.
enum Atom {
    /// One letter, in any ASCII case.
    Letter(char),
    /// Letters that begin with one of these bytes.
    Leads(Words),
    /// Too many characters to list.
    Many,
}

/// The words found in a sequence so far.
#[derive(Default)]
struct Sequence {
    run: Vec<u8>,
    best: Option<Words>,
}

impl Sequence {
    /// Adds one letter. White space ends a word, so that a text contains the word however it is broken into lines.
    fn letter(&mut self, letter: char) {
        if letter.is_whitespace() {
            return self.end_run();
        }
        self.run.extend(letter.to_ascii_lowercase().to_string().bytes());
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        if !run.is_empty() {
            self.offer(vec![run]);
        }
    }

    fn offer(&mut self, words: Words) {
        if self.best.as_ref().is_none_or(|best| worth(&words) > worth(best)) {
            self.best = Some(words);
        }
    }
}

impl Reader {
    fn words_in(&mut self, pattern: &Hir) -> Option<Words> {
        let mut sequence = Sequence::default();
        self.read(pattern, &mut sequence);
        sequence.end_run();
        sequence.best
    }

    fn read(&mut self, pattern: &Hir, sequence: &mut Sequence) {
        match pattern.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
                Ok(text) => text.chars().for_each(|c| sequence.letter(c)),
                Err(_) => sequence.end_run(),
            },
            HirKind::Class(class) => match self.taken(class) {
                Atom::Letter(letter) => sequence.letter(letter),
                Atom::Leads(words) => {
                    sequence.end_run();
                    sequence.offer(words);
                }
                Atom::Many => sequence.end_run(),
            },
            HirKind::Capture(group) => self.read(&group.sub, sequence),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.read(part, sequence)),
            HirKind::Repetition(one) => {
                sequence.end_run();
                if one.min > 0
                    && let Some(words) = self.words_in(&one.sub)
                {
                    sequence.offer(words);
                }
            }
            HirKind::Alternation(choices) => {
                sequence.end_run();
                let each: Option<Vec<Words>> = choices.iter().map(|choice| self.words_in(choice)).collect();
                if let Some(each) = each {
                    sequence.offer(each.concat());
                }
            }
        }
    }

    fn taken(&mut self, class: &Class) -> Atom {
        const FEW: usize = 8;
        let chars: Vec<char> = match class {
            Class::Unicode(class) => {
                class.ranges().iter().flat_map(|r| r.start()..=r.end()).take(FEW).collect()
            }
            Class::Bytes(class) if class.is_ascii() => {
                class.ranges().iter().flat_map(|r| r.start()..=r.end()).map(char::from).take(FEW).collect()
            }
            Class::Bytes(_) => return Atom::Many,
        };
        let (ascii, others): (Vec<char>, Vec<char>) = chars.iter().partition(|c| c.is_ascii());
        match (ascii.as_slice(), others.as_slice()) {
            ([], [only]) => Atom::Letter(*only),
            ([], [_, ..]) if chars.len() < FEW => {
                let lead = |c: &char| c.to_string().into_bytes().into_iter().take(1).collect();
                Atom::Leads(others.iter().map(lead).collect())
            }
            ([first, rest @ ..], others)
                if rest.iter().all(|c| c.eq_ignore_ascii_case(first))
                    && others.iter().all(|c| FOLDED.contains(c)) =>
            {
                self.folds |= !others.is_empty();
                Atom::Letter(*first)
            }
            _ => Atom::Many,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(pattern: &str) -> Option<Vec<String>> {
        let texts = words(pattern)?.into_iter().map(|word| String::from_utf8_lossy(&word).into_owned());
        Some(texts.filter(|word| !FOLDED.iter().any(|folded| word == &folded.to_string())).collect())
    }

    #[test]
    fn the_words_of_a_pattern_are_its_longest_that_no_match_is_without() {
        let some = |words: &[&str]| Some(words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>());
        assert_eq!(told(r"(?i)\bfor\s+the\b"), some(&["for"]));
        assert_eq!(told(r"\bdo(?:n['’]t)?\s+never\b"), some(&["never"]));
        assert_eq!(told(r"(?i)\b(?:always|never) do"), some(&["always", "never"]));
        assert_eq!(told(r"(?:ab|c)d+"), None);
        assert_eq!(told(r"\w+|never"), None);
        assert_eq!(told(r"决定|定了"), some(&["决定", "定了"]));
        assert_eq!(told(r"(?i)x{2,3}ok"), some(&["ok"]));
        assert_eq!(told(r"(?i)to\s+do: never\b"), some(&["never"]));
        let kelvin = "\u{212a}".as_bytes().to_vec();
        assert!(words(r"(?i)ok").is_some_and(|words| words.contains(&kelvin)));
        assert!(
            words(r"(?i)да").is_some_and(|w| w.iter().all(|lead| matches!(lead.as_slice(), [0xd0 | 0xe1])))
        );
    }

    proptest! {
        #[test]
        fn a_text_that_a_pattern_matches_has_one_of_its_words(
            (pattern, text) in prop::sample::select(vec![
                r"(?i)\b(?:do\s+not|never|make (?:sure|ok))\b",
                r"(?i)(?:ни|нет|за)когда|必ず|ab{0,3}cd?e",
                r"(?:a|be){2,3}(?:c|[de])+f?|x[yY]z",
                r"(?i)sk[a-c]+ſk",
            ])
            .prop_flat_map(|pattern| (Just(pattern), proptest::string::string_regex(&pattern.replace(r"\b", "")).unwrap()))
        ) {
            if regex::Regex::new(pattern).unwrap().is_match(&text)
                && let Some(Ok(finder)) = words(pattern).map(finder)
            {
                prop_assert!(finder.is_match(&text), "{pattern}: {text}");
            }
        }
    }
}
