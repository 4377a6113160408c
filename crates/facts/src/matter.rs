//! The matter of a sentence: the words that say what it is about, so that two sentences can be compared.

use crate::phrases::Phrase;
use anchord_messages::stop_words::is_stop_word;

/// The most words of a sentence that are compared.
const MAX_WORDS: usize = 40;

/// The distinct words of a sentence without those that only frame it (`please`, `must`, `now`), without endings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matter(Vec<String>);

impl Matter {
    /// The words of a text.
    pub fn of(text: &str) -> Self {
        let is_inner =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | '+' | '#' | '\'' | '’');
        let mut words: Vec<String> = Vec::new();
        for word in text.split(|c: char| !is_inner(c)).take(4 * MAX_WORDS) {
            let word = word.trim_matches(['.', '-', '/', '\'', '’']).to_lowercase();
            if words.len() >= MAX_WORDS
                || word.is_empty()
                || is_stop_word(&word)
                || Phrase::Framing.is_in(&word)
            {
                continue;
            }
            let word = stem(&word).to_owned();
            if !words.contains(&word) {
                words.push(word);
            }
        }
        Self(words)
    }

    /// Its words.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// How many words it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many of its words another one has too.
    pub fn shared(&self, other: &Self) -> usize {
        self.0.iter().filter(|word| other.0.contains(word)).count()
    }

    /// Its words that another one does not have.
    pub fn without(&self, other: &Self) -> Self {
        Self(self.0.iter().filter(|word| !other.0.contains(word)).cloned().collect())
    }

    /// Whether one of its words has a digit.
    pub fn has_figure(&self) -> bool {
        self.0.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()))
    }
}

/// A word without the ending of a plural or of a verb.
fn stem(word: &str) -> &str {
    if !word.is_ascii() || word.contains(|c: char| !c.is_ascii_alphabetic()) {
        return word;
    }
    let cut = ["ings", "ing", "ed", "es", "s"].iter().find_map(|ending| {
        let rest = word.strip_suffix(ending)?;
        (rest.len() >= 3 && !(*ending == "s" && rest.ends_with(['s', 'u', 'i']))).then_some(rest)
    });
    let Some(rest) = cut else {
        return word.strip_suffix('e').filter(|rest| rest.len() >= 3).unwrap_or(word);
    };
    let mut last = rest.bytes().rev();
    let doubled = last.next().is_some_and(|b| !matches!(b, b's' | b'l') && last.next() == Some(b));
    let rest = if doubled { rest.get(..rest.len() - 1).unwrap_or(rest) } else { rest };
    rest.strip_suffix('e').filter(|rest| rest.len() >= 3).unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matter_is_the_same_in_other_forms_of_its_words() {
        let matter = Matter::of("Never log e-mail addresses, please.");
        assert_eq!(matter, Matter::of("You may log the e-mail address now"));
        assert_eq!(matter, Matter::of("You may be logging e-mail addresses"));
        assert_eq!(matter.shared(&Matter::of("the login address")), 1);
    }

    #[test]
    fn figures_and_paths_are_kept_as_they_are() {
        let matter = Matter::of("Use port 9090 in src/main.rs.");
        assert!(matter.has_figure() && matter.len() == 3, "{matter:?}");
        assert_eq!(matter.without(&Matter::of("src/main.rs, port 8080")), Matter::of("9090"));
        assert!(Matter::of("must not, please").is_empty());
    }
}
