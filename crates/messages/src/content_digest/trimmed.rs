//! Messages that an agent sends again with less than was said.
//!
//! Some agents keep of an answer what they used of it: without its thoughts, without white space at its ends, or only up to
//! the call that they ran. Others put a reminder behind the newest words of a person and take it off again.
//! Invariant: nothing is in the shorter one that is not in the longer one, at the same place.

use super::super::format::{Format, parse};
use super::super::inner_json;
use super::super::message::{Message, Part, Role};

/// Tags of thoughts within a text.
const THOUGHTS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// The role of a stored message, when `sent` is that message with less at its end, other white space or no thoughts.
pub fn trimmed(format: Format, stored: &str, sent: &str) -> Option<Role> {
    let (stored, sent) = (parse(format, stored).ok()?, parse(format, sent).ok()?);
    let may_lack = matches!(stored.role, Role::User | Role::Assistant);
    if !may_lack
        || stored.role != sent.role
        || stored.name != sent.name
        || !have_the_same_rest(&stored, &sent)
    {
        return None;
    }
    let (all, kept) = (signs(&stored), signs(&sent));
    let says_something = !kept.is_empty() || rest(&sent).next().is_some();
    (says_something && all.starts_with(&kept)).then_some(stored.role)
}

/// The characters of a message's texts, without thoughts and white space.
fn signs(message: &Message) -> String {
    let mut text = message.text();
    if message.role == Role::Assistant {
        for (begin, end) in THOUGHTS {
            while let Some(from) = text.find(begin)
                && let Some(length) = text.get(from..).and_then(|rest| rest.find(end))
            {
                text.replace_range(from..from + length + end.len(), "");
            }
        }
    }
    text.retain(|sign| !sign.is_whitespace());
    text
}

/// Parts that are neither text nor thought.
fn rest(message: &Message) -> impl Iterator<Item = &Part> {
    message.parts.iter().filter(|part| !matches!(part, Part::Text(_) | Part::Thinking(_)))
}

fn have_the_same_rest(stored: &Message, sent: &Message) -> bool {
    let same = |(stored, sent): (&Part, &Part)| match (stored, sent) {
        (Part::ToolCall(stored), Part::ToolCall(sent)) => {
            let arguments = |text: &str| inner_json::read::<serde_json::Value>(text);
            stored.id == sent.id
                && stored.name == sent.name
                && (stored.arguments == sent.arguments
                    || arguments(&stored.arguments)
                        .is_some_and(|read| Some(read) == arguments(&sent.arguments)))
        }
        (stored, sent) => stored == sent,
    };
    rest(stored).count() == rest(sent).count() && rest(stored).zip(rest(sent)).all(same)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::white_space("assistant", "Done. \n\n", "Done.", true)]
    #[case::thoughts("assistant", "<think>\nhm\n</think>\n\nDone.", "Done.", true)]
    #[case::cut("assistant", "Run it:\n```\nls\n```\nThen …", "Run it:\n```\nls\n```", true)]
    #[case::reminder("user", "Mend it.\n\nAlways answer in blocks.", "Mend it.", true)]
    #[case::longer("assistant", "Done.", "Done. And more.", false)]
    #[case::other("assistant", "Done.", "Gone.", false)]
    #[case::begin("assistant", "I have done it.", "done it.", false)]
    #[case::nothing("assistant", "Done.", "", false)]
    #[case::of_a_tool("tool", "one two", "one", false)]
    #[case::quoted_thought("user", "<think>a</think> b", "b", false)]
    fn a_message_with_less_of_the_same_is_told_from_another(
        #[case] role: &str,
        #[case] stored: &str,
        #[case] sent: &str,
        #[case] expected: bool,
    ) {
        let message = |text: &str| json!({"role": role, "content": text, "tool_call_id": "c"}).to_string();
        let found = trimmed(Format::OpenaiChat, &message(stored), &message(sent));
        assert_eq!(found.is_some(), expected, "{found:?}");
    }

    #[test]
    fn calls_stay_as_they_are() {
        let said = |text: &str, arguments: &str| {
            let call =
                json!({"id": "c", "type": "function", "function": {"name": "run", "arguments": arguments}});
            json!({"role": "assistant", "content": text, "reasoning_content": text, "tool_calls": [call]})
                .to_string()
        };
        let stored = said("I run it.", r#"{"a": 1}"#);
        let is = |sent: &str| trimmed(Format::OpenaiChat, &stored, sent).is_some();
        assert!(is(&said("", r#"{"a":1}"#)));
        assert!(!is(&said("I run it.", r#"{"a": 2}"#)));
        assert!(!is(&json!({"role": "assistant", "content": "I run it."}).to_string()), "without its call");
    }
}
