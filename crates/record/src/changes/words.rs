//! The names in a text, and the words that carry its meaning.

use anchord_facts::ledger::prose;
use anchord_messages::script::is_spaceless;

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

/// Paths, file names, figures and other names that cannot be paraphrased.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let edge = |c: char| c.is_whitespace() || "\"'`()[]<>{},;|=^≈，、。（）：“”’→".contains(c);
    text.split(edge)
        .map(|word| word.trim_matches(|c: char| ".:!?*…$€£~#+≥≤–−—".contains(c)))
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
