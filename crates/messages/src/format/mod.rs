//! Conversation formats: parse the JSON that callers send into [`Message`], and write it back.
//!
//! What lives here: a parser and a writer for each of the three formats, the detection of a format (`detect`), what is
//! rewritten before a message is served (`normalize`), and the check that a request's JSON can be stored and returned
//! unchanged (`check`).
//! Invariant: a parser loses no text, calls, ids or media of what it accepts; a block of an unknown type becomes
//! [`Part::Other`](super::message::Part::Other) and keeps its JSON text.
//! Must not know: sessions, budgets, which messages belong together.

pub mod anthropic;
pub mod check;
pub mod detect;
mod error;
mod json;
pub mod normalize;
pub mod openai_chat;
pub mod openai_responses;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, EnumString, IntoStaticStr};

use super::message::{Message, Part, joined};

pub use check::{MAX_VALUES, check_json};
pub use error::FormatError;
pub(crate) use json::push_list;
pub use json::push_string;

/// A conversation format, in and out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(AsRefStr, IntoStaticStr, EnumString)]
#[strum(serialize_all = "kebab-case")]
#[schema(as = MessageFormat)]
pub enum Format {
    /// Chat-completions messages.
    #[default]
    OpenaiChat,
    /// Messages with content blocks, `system` apart.
    Anthropic,
    /// Items of the responses API; every item is one message.
    OpenaiResponses,
}

/// Parses the JSON text of one message.
///
/// # Errors
/// When the role is missing or unknown, or a field that the parser needs has the wrong type.
pub fn parse(format: Format, raw: &str) -> Result<Message, FormatError> {
    match format {
        Format::OpenaiChat => openai_chat::parse(raw),
        Format::Anthropic => anthropic::parse(raw),
        Format::OpenaiResponses => openai_responses::parse(raw),
    }
}

/// The text of a tool result: texts and the JSON of unknown blocks, joined by newlines, without media.
pub fn result_text(parts: &[Part]) -> String {
    let texts = parts
        .iter()
        .filter_map(|part| if let Part::Text(text) | Part::Other(text) = part { Some(text) } else { None });
    joined(texts).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_role_is_refused_with_those_that_are_known_and_each_of_them_is_read() {
        for format in [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses] {
            let refused = parse(format, r#"{"role":"robot","content":"x"}"#).unwrap_err();
            assert_eq!(refused.pointer, "/role");
            let (said, known) = refused.detail.split_once("; this format has ").unwrap();
            assert_eq!(said, r#"unknown role "robot""#);
            for role in known.split(", ").flat_map(|roles| roles.split(" or ")) {
                parse(format, &format!(r#"{{"role":"{role}","content":"x"}}"#)).unwrap();
            }
        }
    }

    #[test]
    fn a_format_has_one_name_everywhere() {
        for format in [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses] {
            assert_eq!(serde_json::to_string(&format).unwrap(), format!("\"{}\"", format.as_ref()));
            assert_eq!(format.as_ref().parse::<Format>().ok(), Some(format));
        }
    }
}
