//! The subject of a todo item, and whether a clause names it.

use crate::phrases::Phrase;
use crate::wording::one_line;
use anchord_messages::script::is_spaceless;
use anchord_messages::stop_words::is_stop_word;

/// The most words of an item or a clause that are compared.
const MAX_WORDS: usize = 40;

/// The kind of work on the subject, which decides which words report it as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ActionKind {
    /// It is to be created: added, written, built; or the item does not say.
    Make,
    /// It is to be fixed.
    Mend,
    /// Anything else, which only its own verb reports: "the form is done" does not mean that it was tested.
    Other,
}

/// The subject of an item, as words to compare.
pub(super) struct Subject {
    words: Vec<String>,
    /// All of its words, the verb among them.
    own: Vec<String>,
    /// Words that a clause must contain to name the item: numbers and identifiers.
    fixed: Vec<String>,
    needed: usize,
    /// Its verb, whose past form reports the item as done.
    verb: Option<String>,
    action_kind: ActionKind,
    /// The whole text, for scripts without spaces.
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
        let own = all.clone();
        let (action_kind, rest) =
            if folded.is_some() { (spaceless_action_kind(&line), all) } else { action_kind(all) };
        let needed = if rest.len() <= 2 { rest.len() } else { (rest.len() * 3).div_ceil(5) };
        Self { words: rest, own, fixed, needed, verb, action_kind, folded }
    }

    pub(super) fn action_kind(&self) -> ActionKind {
        self.action_kind
    }

    /// Whether the item's text contains a word.
    pub(super) fn mentions(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let of_item = self.folded.as_ref().is_some_and(|item| item.contains(&fold(&word)));
        of_item || self.own.iter().any(|own| is_same_word(own, &word))
    }

    pub(super) fn is_named_in(&self, text: &str, said: &[String]) -> bool {
        if let Some(folded) = &self.folded {
            return folded.chars().count() >= 2 && shared_pairs(folded, &fold(text)) >= 0.6;
        }
        let has = |word: &&String| said.iter().any(|other| is_same_word(word, other));
        !self.words.is_empty()
            && self.fixed.iter().all(|word| said.contains(word))
            && self.words.iter().filter(has).count() >= self.needed
    }

    /// Whether a clause is about the whole item and nothing else: `added the tests of the login form` is not about the
    /// form itself.
    pub(super) fn is_all_of(&self, text: &str, said: &[String]) -> bool {
        if let Some(item) = &self.folded {
            let clause = fold(text);
            let is_other = |c: char| {
                is_spaceless(c) && !item.contains(c) && !Phrase::Filler.is_in(c.encode_utf8(&mut [0; 4]))
            };
            return shared_pairs(item, &clause) >= 0.65 && !clause.chars().any(is_other);
        }
        let told = words(&without_paths(text));
        let is_here = |word: &String| said.iter().any(|other| is_same_word(word, other));
        let is_of_item =
            |word: &String| self.own.iter().any(|own| is_same_word(own, word)) || Phrase::Filler.is_in(word);
        self.words.iter().all(is_here) && told.iter().all(is_of_item)
    }

    /// Whether a clause contains the past form of the item's verb (`Translate …`, `… translated`).
    pub(super) fn is_past_in(&self, said: &[String]) -> bool {
        let past = |word: &&String| word.ends_with("ed") && !word.ends_with("eed");
        self.verb.as_ref().is_some_and(|verb| {
            said.iter()
                .filter(past)
                .any(|word| word != verb && word.len() > verb.len() && is_same_word(verb, word))
        })
    }
}

/// Classifies an item by its verb, and removes the verb when other words may report it as done.
fn action_kind(all: Vec<String>) -> (ActionKind, Vec<String>) {
    let of = |word: &String| {
        let deeds = [(Phrase::ToMake, ActionKind::Make), (Phrase::ToMend, ActionKind::Mend)];
        deeds.into_iter().find(|(phrase, _)| phrase.is_in(word)).map(|(_, action_kind)| action_kind)
    };
    if all.len() >= 2 {
        if let Some((action_kind, rest)) =
            all.split_first().and_then(|(first, rest)| Some((of(first)?, rest)))
        {
            // One noun alone is too weak to name an item.
            return (action_kind, if rest.len() >= 2 { rest.to_vec() } else { all });
        }
        if let Some((action_kind, rest)) = all.split_last().and_then(|(last, rest)| Some((of(last)?, rest))) {
            return (action_kind, rest.to_vec());
        }
    }
    (ActionKind::Other, all)
}

fn spaceless_action_kind(line: &str) -> ActionKind {
    if Phrase::ToMend.is_in(line) {
        ActionKind::Mend
    } else if Phrase::ToDoOtherwise.is_in(line) {
        ActionKind::Other
    } else {
        ActionKind::Make
    }
}

/// A clause without its paths and code, which say where something was done, not what.
fn without_paths(text: &str) -> String {
    let is_path = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.starts_with('`') || bare.contains('/') || (bare.contains('.') && !bare.ends_with('.'))
    };
    text.split_whitespace().filter(|word| !is_path(word)).collect::<Vec<_>>().join(" ")
}

/// The share of an item's pairs of neighbouring characters that a clause contains, from 0 to 1.
fn shared_pairs(item: &str, clause: &str) -> f64 {
    let chars: Vec<char> = item.chars().take(60).collect();
    let pairs: Vec<String> = chars.windows(2).map(|pair| pair.iter().collect()).collect();
    let found = pairs.iter().filter(|pair| clause.contains(pair.as_str())).count();
    let count = |n: usize| u32::try_from(n).map_or(f64::MAX, f64::from);
    if pairs.is_empty() { 0.0 } else { count(found) / count(pairs.len()) }
}

fn fold(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !is_stop_word(word))
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
