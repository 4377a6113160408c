//! The names in a text, and the words that carry its meaning.

use std::collections::HashSet;

use anchord_facts::ledger::prose;
use anchord_messages::script::is_spaceless;

/// A part of a clause that can be searched for in the data.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Term {
    /// A path, an id, a figure, an identifier; in lower case.
    Name(String),
    /// A word with a capital inside of a sentence; in lower case.
    Proper(String),
    /// A stem.
    Word(String),
}

impl Term {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Name(text) | Self::Proper(text) | Self::Word(text) => text,
        }
    }
}

/// Every term of a text. A capitalised word at the beginning of a sentence is a name only if it is one
/// elsewhere.
pub(super) fn terms<'t>(text: &'t str, proper_names: &'t HashSet<String>) -> impl Iterator<Item = Term> + 't {
    let names = names(text).map(|name| Term::Name(name.to_lowercase()));
    let proper = capitalised(text)
        .filter(|(word, _)| proper_names.contains(&word.to_lowercase()))
        // A word all in capitals is no person.
        .map(|(word, _)| {
            let is_person = word.chars().any(char::is_lowercase);
            Term::Proper(if is_person { word.to_lowercase() } else { word.to_owned() })
        });
    names.chain(proper).chain(stems(text).map(Term::Word))
}

/// The pattern of an id: its letters, digits and signs, each run as one.
pub(super) fn shape(name: &str) -> String {
    let mut shape = String::new();
    for c in name.chars() {
        let sign = match c {
            c if c.is_ascii_digit() => '9',
            c if c.is_alphabetic() => 'a',
            c => c,
        };
        if !shape.ends_with(sign) {
            shape.push(sign);
        }
    }
    // Ids mix letters and digits in any order.
    if shape.chars().all(|c| matches!(c, 'a' | '9')) { "id".to_owned() } else { shape }
}

/// Whether a name is a figure: an amount, a count, a percentage.
pub(super) fn is_figure(name: &str) -> bool {
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    digits > 0
        && name.chars().all(|c| {
            c.is_ascii_digit() || matches!(c, '.' | ',' | '%' | '$' | '€' | '£' | '-' | '+' | '×' | ':' | '/')
        })
}

/// A text without the commas within figures, so that "1,505" becomes "1505".
pub(super) fn plain(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_group = |at: usize| {
        at > 0 && digit(at - 1) && digit(at + 1) && digit(at + 2) && digit(at + 3) && !digit(at + 4)
    };
    text.char_indices().filter(|(at, c)| !(*c == ',' && is_group(*at))).map(|(_, c)| c).collect()
}

/// The words that carry a text's meaning, longer ones by their first letters, so that inflections match; in
/// scripts without spaces, pairs of characters.
pub(super) fn stems(text: &str) -> impl Iterator<Item = String> + '_ {
    const STEM: usize = 5;
    text.split(|c: char| !c.is_alphanumeric()).flat_map(|word| {
        let signs: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
        if signs.iter().any(|c| is_spaceless(*c)) {
            signs.windows(2).map(|pair| pair.iter().collect()).collect::<Vec<String>>()
        } else if signs.len() >= 4 && signs.iter().any(|c| c.is_alphabetic()) {
            vec![signs.into_iter().take(STEM).collect()]
        } else {
            Vec::new()
        }
    })
}

/// The capitalised words (names of people, products, places), each with whether it begins a sentence.
pub(super) fn capitalised(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut opens = true;
    text.split_whitespace().filter_map(move |piece| {
        let word = piece.trim_matches(|c: char| !c.is_alphanumeric());
        let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
        let is_first = std::mem::replace(
            &mut opens,
            piece.ends_with(['.', '!', '?', ':', ';', '-', '*', '#', '|', '"']) || piece.len() <= 1,
        );
        let mut signs = word.chars();
        let is_capitalised = signs.next().is_some_and(char::is_uppercase)
            && signs.clone().count() >= 2
            && (signs.clone().all(char::is_lowercase) || signs.all(char::is_uppercase));
        is_capitalised.then_some((word, is_first))
    })
}

/// Paths, file names, figures and other names that cannot be paraphrased.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let edge = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\''
                    | '`'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '<'
                    | '>'
                    | '{'
                    | '}'
                    | ','
                    | ';'
                    | '|'
                    | '='
                    | '，'
                    | '、'
                    | '。'
                    | '（'
                    | '）'
                    | '：'
                    | '“'
                    | '”'
                    | '’'
                    | '→'
            )
    };
    text.split(edge)
        .map(|word| {
            word.trim_matches(|c: char| {
                matches!(
                    c,
                    '.' | ':'
                        | '!'
                        | '?'
                        | '*'
                        | '…'
                        | '$'
                        | '€'
                        | '£'
                        | '~'
                        | '#'
                        | '+'
                        | '≥'
                        | '≤'
                        | '–'
                        | '−'
                        | '—'
                )
            })
        })
        .filter(|word| is_name(word))
}

fn is_name(word: &str) -> bool {
    if matches!(word, "e.g" | "i.e" | "a.m" | "p.m") {
        return false;
    }
    let sign = |c: char| matches!(c, '/' | '\\' | '_' | '@') || c == ':' && word.contains("::");
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let extension = word.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=5).contains(&ending.len())
            && ending.bytes().all(|b| b.is_ascii_alphanumeric())
            && ending.bytes().any(|b| b.is_ascii_alphabetic())
    });
    let signed = word.len() > 2 && word.contains(sign) && word.bytes().any(|b| b.is_ascii_alphanumeric());
    // "and/or", "read/write": words joined by a slash.
    let joined = word.split('/').all(|part| part.len() > 1 && part.chars().all(char::is_alphabetic))
        && word.matches('/').count() == 1;
    // `getHeadHash`, `MongoDB`.
    let mut before = ' ';
    let is_compound = word.chars().all(char::is_alphanumeric)
        && word.chars().any(|c| std::mem::replace(&mut before, c).is_lowercase() && c.is_uppercase());
    // `EHGLP3`, `node-b2`
    let is_id = word.len() >= 5
        && digits > 0
        && (word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
            || word.contains('-') && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
    (signed && !joined) || extension || digits >= 2 || is_compound || is_id
}

/// The clauses of a text, with their punctuation: sentences, and the parts between semicolons.
pub(super) fn clauses(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut signs = text.char_indices().peekable();
    while let Some((at, c)) = signs.next() {
        let next = signs.peek().map(|(_, next)| *next);
        let is_stop = matches!(c, '.' | '!' | '?' | ';') && next.is_some_and(char::is_whitespace);
        if matches!(c, '。' | '！' | '？' | '；') || is_stop && !(c == '.' && goes_on(text.get(from..at)))
        {
            let end = at + c.len_utf8();
            found.extend(text.get(from..end));
            from = end;
        }
    }
    found.extend(text.get(from..).filter(|rest| !rest.trim().is_empty()));
    found
}

/// Whether the period does not end a sentence: "e.g. this", "1. that".
fn goes_on(before: Option<&str>) -> bool {
    let before = before.unwrap_or_default().trim();
    prose::is_abbreviation(before) || before.len() <= 2 && before.bytes().all(|b| b.is_ascii_digit())
}

#[expect(clippy::cast_precision_loss, reason = "a text has few words")]
pub(super) fn share(of: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { of as f64 / all as f64 }
}
