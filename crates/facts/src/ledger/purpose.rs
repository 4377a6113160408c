//! What an agent says that a change is for: the sentence with which it announces its call.

use super::line::{clip_bytes, squash};
use super::reading::Reading;
use crate::phrases::Phrase;

/// The longest purpose, in bytes.
const LONGEST: usize = 160;
/// The fewest words of one.
const FEWEST_WORDS: usize = 3;
/// A message with more sentences tells of more than the call behind it, unless one of them announces it.
const MOST_SENTENCES: usize = 2;

/// Words in front of what is announced.
const FRONT: [&str; 25] = [
    "now", "next", "then", "first", "finally", "ok", "okay", "good", "great", "perfect", "and", "so", "let",
    "me", "let's", "let’s", "i", "i'll", "i’ll", "will", "need", "should", "also", "just", "to",
];
/// First words of what changes nothing.
const LOOKING: [&str; 14] = [
    "check", "look", "read", "see", "find", "verify", "run", "search", "examine", "view", "understand",
    "test", "try", "have",
];

/// What the calls of a message are for; `None` where it says nothing of it.
pub(super) fn stated(reading: &Reading<'_>) -> Option<String> {
    let sentences = reading.sentences();
    let bare = |text: &str| squash(text.trim_matches(['*', '#', ' ']));
    let announced =
        sentences.iter().rev().map(|one| bare(&one.text)).find(|text| Phrase::Announced.is_in(text));
    let text = match announced {
        Some(text) => text,
        None => sentences.first().filter(|_| sentences.len() <= MOST_SENTENCES).map(|one| bare(&one.text))?,
    };
    let is_front = |word: &str| {
        let word = word.trim_end_matches([',', '.', '!', ':']).to_lowercase();
        FRONT.contains(&word.as_str())
    };
    let mut rest = text.as_str();
    while let Some((_, behind)) = rest.split_once(' ').filter(|(word, _)| is_front(word)) {
        rest = behind.trim_start();
    }
    let first = rest.split(' ').next().unwrap_or_default().to_lowercase();
    let rest = rest.trim_end_matches([':', '.', '*', '：', '。', ' ']);
    let is_change = !LOOKING.contains(&first.as_str()) && rest.split(' ').count() >= FEWEST_WORDS;
    (is_change && !rest.ends_with('?')).then(|| clip_bytes(rest, LONGEST))
}

/// A change with its purpose: the names stand behind the words that do not say them.
pub(super) fn with(purpose: &str, change: &str) -> String {
    let is_name =
        |word: &&str| word.len() > 3 && word.contains(|c: char| c.is_uppercase() || c == '_' || c == '.');
    let names = change.split([' ', ',', ':', ';', '(', ')']).filter(is_name);
    if names.clone().any(|name| purpose.contains(name)) {
        purpose.to_owned()
    } else {
        format!("{purpose} ({change})")
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::tests::Talk;
    use super::*;

    #[rstest]
    #[case("Now let me update `read_all` to close its file:", Some("update `read_all` to close its file"))]
    #[case("The file is named b.txt, not a.txt. Let me fix the test.", Some("fix the test"))]
    #[case("One-line fix: update the reference.", Some("One-line fix: update the reference"))]
    #[case("Now let me check the imports:", None)]
    #[case("Let me see.", None)]
    #[case("This is so. That is so. All of it is so.", None)]
    fn a_purpose_is_what_the_agent_announces(#[case] said: &str, #[case] purpose: Option<&str>) {
        let talk = Talk::new().assistant(said);
        assert_eq!(stated(&Reading::new(&talk.span()[0])).as_deref(), purpose);
    }

    #[test]
    fn names_stand_behind_words_that_do_not_say_them() {
        assert_eq!(with("close the file", "changed func read_all"), "close the file (changed func read_all)");
        assert_eq!(with("make `read_all` close it", "changed func read_all"), "make `read_all` close it");
    }
}
