//! Passages: the stretches of a message that get a vector each. A long message has several, cut between sentences, and
//! their number is limited.

use std::borrow::Cow;

use super::analyze::{Field, each_text};
use anchord_messages::message::Message;

/// The most passages of one message; what stands behind them is found by its words alone.
pub const MOST_PASSAGES: usize = 8;
/// The length of a passage in units, of which a letter of a Latin script is one: about 250 tokens, which is what small
/// models read.
const PASSAGE_UNITS: usize = 1_000;
/// The least length of a passage in units of letters and digits; "yes, of course" means nothing by itself.
const LEAST_UNITS: usize = 12;
/// How many bytes of a message are read at most.
const READ_BYTES: usize = 32 * 1024;
/// How many bytes are left out before the end of what is read of a longer message, because a secret that is cut there
/// may not be recognised. The longest are private keys.
const CUT_BYTES: usize = 4 * 1024;

/// A text as it is.
pub(super) fn as_is(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// The passages of a message, in order. `clean` takes secrets out of the text before it is cut.
pub fn passages(message: &Message, clean: impl Fn(&str) -> Cow<'_, str>) -> Vec<String> {
    let (text, is_whole) = text_of(message);
    let cleaned = clean(&text);
    let mut rest = cleaned.as_ref();
    if !is_whole {
        rest = rest.get(..rest.floor_char_boundary(rest.len().saturating_sub(CUT_BYTES))).unwrap_or_default();
    }
    let mut passages = Vec::new();
    // What is left out is counted too, so that a text of dots and dashes ends.
    for _ in 0..MOST_PASSAGES {
        if rest.is_empty() {
            break;
        }
        let (passage, others) = rest.split_at(end_of_passage(rest));
        rest = others;
        let said: usize = passage.chars().filter(|c| c.is_alphanumeric()).map(units).sum();
        if said >= LEAST_UNITS {
            passages.push(passage.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    passages
}

/// The searchable text of a message, and whether it is all of it.
fn text_of(message: &Message) -> (String, bool) {
    let mut text = String::new();
    let mut is_whole = true;
    each_text(message, &mut |field, piece| {
        if text.len() >= READ_BYTES {
            is_whole = false;
            return;
        }
        let room = READ_BYTES - text.len();
        let taken = piece.get(..piece.floor_char_boundary(room.min(piece.len()))).unwrap_or_default();
        is_whole &= taken.len() == piece.len();
        text.push_str(taken);
        text.push_str(if field == Field::Speaker { ": " } else { "\n" });
    });
    (text, is_whole)
}

/// About how many quarters of a token a character is: a letter of a Latin script one, of another alphabet two, a character
/// of a script without spaces four.
fn units(c: char) -> usize {
    match u32::from(c) {
        0..0x80 => 1,
        0x80..0x2e80 => 2,
        _ => 4,
    }
}

/// Where the first passage of a text ends: after the last sentence that fits, unless that is in its first half; else
/// after the last word, or in the middle of one.
fn end_of_passage(text: &str) -> usize {
    let (mut used, mut sentence, mut word) = (0, None, None);
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        used += units(c);
        if used > PASSAGE_UNITS {
            return sentence.or(word).unwrap_or(at).max(1);
        }
        let end = at + c.len_utf8();
        if used > PASSAGE_UNITS / 2 {
            let is_end = matches!(c, '\n' | '。' | '！' | '？')
                || c.is_whitespace() && matches!(before, '.' | '!' | '?' | ';');
            if is_end {
                sentence = Some(end);
            }
            if c.is_whitespace() {
                word = Some(end);
            }
        }
        before = c;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use anchord_messages::message::{Part, Role, ToolCall};

    fn said(text: &str) -> Message {
        Message { role: Role::User, name: None, parts: vec![Part::Text(text.to_owned())] }
    }

    fn of(text: &str) -> Vec<String> {
        passages(&said(text), as_is)
    }

    #[test]
    fn a_short_message_is_one_passage_with_its_speaker() {
        assert_eq!(of("Ada Lind: the crane\n must be  orange"), ["Ada Lind: the crane must be orange"]);
        assert_eq!(of("yes, sure"), [""; 0], "it means nothing by itself");
        assert_eq!(of("…———…"), [""; 0]);
        assert_eq!(of("我们漆橙色"), ["我们漆橙色"]);
    }

    #[test]
    fn a_long_message_is_cut_between_sentences_and_its_passages_are_limited() {
        let sentence = "The harbour crane must be painted orange before winter. ";
        let cut = of(&sentence.repeat(40));
        assert_eq!(cut.len(), 3);
        assert!(cut.iter().all(|p| p.starts_with("The harbour") && p.ends_with("winter.")), "{cut:?}");
        assert!(cut.iter().all(|p| p.len() <= PASSAGE_UNITS));
        assert_eq!(of(&sentence.repeat(100_000)).len(), MOST_PASSAGES);
        assert_eq!(of(&"x".repeat(3_000)).iter().map(String::len).collect::<Vec<_>>(), [1_000, 1_000, 1_000]);
    }

    #[test]
    fn calls_are_read_by_their_names_and_arguments() {
        let call = ToolCall {
            id: String::new(),
            name: "run".to_owned(),
            arguments: r#"{"command": "paint --crane orange"}"#.to_owned(),
        };
        let message = Message { role: Role::Assistant, name: None, parts: vec![Part::ToolCall(call)] };
        assert_eq!(passages(&message, as_is), ["run command paint --crane orange"]);
    }

    #[test]
    fn secrets_are_taken_out_before_the_cut_and_what_a_cut_may_hide_is_left_out() {
        let text = format!("{}hunter2 is the password of the crane", "x".repeat(990));
        let cut = passages(&said(&text), |text| Cow::Owned(text.replace("hunter2", "[REDACTED]")));
        assert!(cut.iter().all(|p| !p.contains("hunt")), "{cut:?}");
        // The clip at the end of what is read falls into the secret.
        let long = format!("{} {}", "hunter2 ".repeat(READ_BYTES / 8), "hunter2".repeat(10));
        let all = passages(&said(&long), |text| Cow::Owned(text.replace("hunter2", "")));
        assert!(all.iter().all(|p| !p.contains('h')), "{all:?}");
    }

    proptest! {
        #[test]
        fn any_text_gives_passages_in_bounds(text in "(\\PC{0,80}|[a-z ]{0,300}|[。一二三]{0,200}|\n){0,40}") {
            let cut = of(&text);
            prop_assert!(cut.len() <= MOST_PASSAGES);
            prop_assert!(cut.iter().all(|p| !p.is_empty() && p.chars().map(units).sum::<usize>() <= PASSAGE_UNITS));
        }
    }
}
