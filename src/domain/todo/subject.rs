//! What an item of a list is about, and whether a clause names it.

use crate::domain::wording::one_line;

/// Words of an item or a clause that are compared.
const MAX_WORDS: usize = 40;

/// What an item is about, as words.
pub(super) struct Subject {
    words: Vec<String>,
    /// Words that an item cannot be meant without: numbers and identifiers.
    fixed: Vec<String>,
    needed: usize,
    /// What is to be done with it, whose past form says that it was.
    verb: Option<String>,
    /// The whole wording, for scripts that write without spaces.
    folded: Option<String>,
}

impl Subject {
    pub(super) fn of(content: &str) -> Self {
        let line = one_line(content);
        let folded = line.chars().any(is_spaceless).then(|| fold(&line));
        let all = words(&line);
        let fixed: Vec<String> =
            all.iter().filter(|w| w.chars().any(|c| c.is_ascii_digit() || c == '_')).cloned().collect();
        let verb = all.first().filter(|word| word.len() > 2 && word.is_ascii()).cloned();
        // Another verb may tell of the same thing; alone, a noun tells too little.
        let rest = match all.split_first() {
            Some((first, rest)) if rest.len() >= 2 && is_verb(first) => rest.to_vec(),
            _ => all,
        };
        let needed = if rest.len() <= 2 { rest.len() } else { (rest.len() * 3).div_ceil(5) };
        Self { words: rest, fixed, needed, verb, folded }
    }

    pub(super) fn is_named_in(&self, text: &str, said: &[String]) -> bool {
        if let Some(folded) = &self.folded {
            return folded.chars().count() >= 2 && shares(folded, &fold(text));
        }
        let has = |word: &&String| said.iter().any(|other| is_same_word(word, other));
        !self.words.is_empty()
            && self.fixed.iter().all(|word| said.contains(word))
            && self.words.iter().filter(has).count() >= self.needed
    }

    /// Whether the item's own verb stands in its past form (`Translate …`, `… translated`).
    pub(super) fn is_past_in(&self, said: &[String]) -> bool {
        let past = |word: &&String| word.ends_with("ed") && !word.ends_with("eed");
        self.verb.as_ref().is_some_and(|verb| {
            said.iter()
                .filter(past)
                .any(|word| word != verb && word.len() > verb.len() && is_same_word(verb, word))
        })
    }
}

/// Whether most pairs of neighbouring characters of an item stand in a clause.
fn shares(item: &str, clause: &str) -> bool {
    let chars: Vec<char> = item.chars().take(60).collect();
    let pairs: Vec<String> = chars.windows(2).map(|pair| pair.iter().collect()).collect();
    let found = pairs.iter().filter(|pair| clause.contains(pair.as_str())).count();
    found * 5 >= pairs.len() * 3 && found > 0
}

fn fold(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn is_spaceless(c: char) -> bool {
    matches!(u32::from(c), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF)
}

pub(super) fn words(text: &str) -> Vec<String> {
    const SMALL: [&str; 44] = [
        "the", "a", "an", "to", "of", "for", "in", "on", "and", "with", "it", "is", "are", "be", "at", "by",
        "or", "der", "die", "das", "den", "und", "für", "im", "mit", "le", "la", "les", "de", "des", "du",
        "et", "pour", "el", "los", "las", "y", "para", "и", "в", "на", "для", "с", "по",
    ];
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !SMALL.contains(&word.as_str()))
        .take(MAX_WORDS)
        .collect()
}

/// Whether two words differ by an ending at most (`implement`, `implemented`).
fn is_same_word(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    if a.chars().chain(b.chars()).any(|c| c.is_ascii_digit() || c == '_') {
        return false;
    }
    let shared = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let longest = a.chars().count().max(b.chars().count());
    shared >= 3 && longest - shared <= 3
}

fn is_verb(word: &str) -> bool {
    const VERBS: [&str; 40] = [
        "add",
        "implement",
        "fix",
        "write",
        "create",
        "update",
        "build",
        "make",
        "refactor",
        "remove",
        "delete",
        "move",
        "rename",
        "change",
        "check",
        "test",
        "review",
        "document",
        "deploy",
        "set",
        "finish",
        "complete",
        "investigate",
        "migrate",
        "clean",
        "run",
        "verify",
        "implementiere",
        "füge",
        "behebe",
        "schreibe",
        "ajouter",
        "corriger",
        "écrire",
        "implémenter",
        "añadir",
        "corregir",
        "escribir",
        "добавить",
        "исправить",
    ];
    VERBS.contains(&word)
}
