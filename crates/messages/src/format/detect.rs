//! Detects the format of messages when the caller does not state it.

use serde::Deserialize;

use super::Format;

/// The fields of a message that distinguish the formats; all others are ignored.
#[derive(Deserialize)]
struct Look<'a> {
    #[serde(borrow, default)]
    content: Option<&'a serde_json::value::RawValue>,
    #[serde(default)]
    role: Option<serde::de::IgnoredAny>,
    #[serde(default, rename = "type")]
    kind: Option<serde::de::IgnoredAny>,
}

/// The fields of a content block that distinguish the formats.
#[derive(Deserialize)]
struct Block {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    source: Option<serde::de::IgnoredAny>,
}

/// The format of messages, each given as JSON text; chat completions when nothing indicates another.
///
/// Messages with text alone are valid in two formats, with the same meaning.
pub fn detect<'a>(messages: impl IntoIterator<Item = &'a str>) -> Format {
    for raw in messages {
        let Ok(look) = serde_json::from_str::<Look<'_>>(raw) else { continue };
        // Only the responses API has items with a type and no role (a call, its output, reasoning).
        if look.kind.is_some() && look.role.is_none() {
            return Format::OpenaiResponses;
        }
        let blocks: Vec<Block> =
            look.content.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        for block in blocks {
            match (block.kind.as_deref(), block.source) {
                (Some("tool_use" | "tool_result" | "thinking" | "redacted_thinking"), _)
                | (Some("image" | "document"), Some(_)) => return Format::Anthropic,
                (Some("input_text" | "output_text" | "input_image" | "input_file"), _) => {
                    return Format::OpenaiResponses;
                }
                _ => {}
            }
        }
    }
    Format::OpenaiChat
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_is_told_by_what_only_it_has() {
        let chat = [
            r#"{"role": "system", "content": "s"}"#,
            r#"{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function"}]}"#,
            r#"{"role": "tool", "tool_call_id": "1", "content": "out"}"#,
            r#"{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url"}]}"#,
        ];
        assert_eq!(detect(chat), Format::OpenaiChat);
        for anthropic in [
            r#"{"role": "assistant", "content": [{"type": "text"}, {"type": "tool_use", "id": "1"}]}"#,
            r#"{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1"}]}"#,
            r#"{"role": "user", "content": [{"type": "image", "source": {"type": "url"}}]}"#,
        ] {
            assert_eq!(
                detect([r#"{"role": "user", "content": "a"}"#, anthropic]),
                Format::Anthropic,
                "{anthropic}"
            );
        }
        for responses in [
            r#"{"type": "function_call", "call_id": "1"}"#,
            r#"{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}"#,
        ] {
            assert_eq!(detect([responses]), Format::OpenaiResponses, "{responses}");
        }
    }

    #[test]
    fn what_is_no_message_decides_nothing() {
        assert_eq!(detect(["", "7", "[]", "{", r#"{"content": {"a": 1}}"#]), Format::OpenaiChat);
        assert_eq!(detect([]), Format::OpenaiChat);
    }
}
