//! Rewrites what the provider of a message's own format refuses, or what belongs to one request alone. The stored
//! message keeps its bytes; what is served and counted is the rewritten text.
//!
//! - `cache_control` goes: such a mark says where one request's prefix ends. Marks of earlier requests would pile up
//!   beyond the four that a request may have, and every one moves the bytes of its message.
//! - A call's arguments get the type that the format asks for: text in `openai-chat` and `openai-responses`, an object
//!   in `anthropic`. They are repaired and not refused, because nothing is lost by it, and the message is the model's:
//!   an agent that is refused cannot send another.
//! - Parts of text get the name that the format has for them.

use memchr::memmem;

use super::Format;
use super::anthropic::{holds_blocks, input_object};
use super::json::{
    Fields, elements, is_array, is_object, is_string, push_key, push_list, push_string, string,
};

/// The field of a mark.
const MARK: &str = "cache_control";
/// The deepest level of blocks within blocks that is rewritten: results have content, and documents in it too.
const DEEPEST: u32 = 4;

/// A message's JSON text as it is served; `None` when it is served as it was sent.
pub fn normalized(format: Format, raw: &str) -> Option<String> {
    if !may_change(format, raw) {
        return None;
    }
    let role = Fields::read(raw).ok()?.lenient("role");
    let parts = Parts { format, is_assistant: role.as_deref() == Some("assistant") };
    match format {
        Format::OpenaiChat => object(raw, None, |key, value| match key {
            "content" => parts.list(value, 0),
            "tool_calls" => change(list(value, chat_call)),
            "function_call" => change(object(value, Some(NO_ARGUMENTS), chat_arguments)),
            _ => of_mark(key),
        }),
        Format::Anthropic => object(raw, None, |key, value| match key {
            "content" => parts.list(value, 0),
            _ => of_mark(key),
        }),
        Format::OpenaiResponses => {
            let kind = Fields::read(raw).ok()?.lenient("type");
            let (text, missing) = match kind.as_deref() {
                Some("function_call") => ("arguments", Some(NO_ARGUMENTS)),
                Some("custom_tool_call") => ("input", None),
                _ => ("", None),
            };
            // A message may have any field beside its own.
            let is_output = kind.as_deref().is_some_and(|kind| kind.ends_with("_output"));
            object(raw, missing, |key, value| match key {
                "content" => parts.list(value, 0),
                "output" if is_output => parts.list(value, 0),
                _ if key == text => change(arguments_text(value)),
                _ => of_mark(key),
            })
        }
    }
}

/// Whether there can be something to rewrite; most messages are told by this alone.
fn may_change(format: Format, raw: &str) -> bool {
    let has = |word: &str| memmem::find(raw.as_bytes(), word.as_bytes()).is_some();
    let words: &[&str] = match format {
        Format::OpenaiChat => &["\"function\"", "\"function_call\"", "input_text", "output_text"],
        Format::Anthropic => &["tool_use"],
        Format::OpenaiResponses => &["\"text\"", "_call\""],
    };
    // Keys may be spelled with escapes.
    has(MARK) || has("\\u00") || words.iter().any(|word| has(word))
}

/// Treatment of a field.
enum Change {
    Keep,
    Drop,
    With(String),
}

fn change(text: Option<String>) -> Change {
    text.map_or(Change::Keep, Change::With)
}

fn of_mark(key: &str) -> Change {
    if key == MARK { Change::Drop } else { Change::Keep }
}

/// The text of an object with changed fields, and with `missing` if it has no such field; `None` when nothing changes.
fn object(
    raw: &str,
    missing: Option<(&str, &str)>,
    mut of: impl FnMut(&str, &str) -> Change,
) -> Option<String> {
    let fields = Fields::read(raw).ok()?;
    let missing = missing.filter(|(key, _)| !fields.has(key));
    let changes: Vec<Change> = fields.entries().map(|(key, value)| of(key, value)).collect();
    if missing.is_none() && changes.iter().all(|change| matches!(change, Change::Keep)) {
        return None;
    }
    let mut out = String::with_capacity(raw.len());
    out.push('{');
    for ((key, value), change) in fields.entries().zip(&changes) {
        let value = match change {
            Change::Keep => value,
            Change::With(text) => text,
            Change::Drop => continue,
        };
        push_key(&mut out, key);
        out.push_str(value);
    }
    if let Some((key, value)) = missing {
        push_key(&mut out, key);
        out.push_str(value);
    }
    out.push('}');
    Some(out)
}

/// The text of an array with changed elements; `None` when none changes.
fn list(raw: &str, mut of: impl FnMut(&str) -> Option<String>) -> Option<String> {
    if !is_array(raw) {
        return None;
    }
    let elements = elements(raw).ok()?;
    let changed: Vec<Option<String>> = elements.iter().map(|element| of(element)).collect();
    if changed.iter().all(Option::is_none) {
        return None;
    }
    let mut out = String::with_capacity(raw.len());
    push_list(&mut out, elements.iter().zip(&changed), |out, (element, changed)| {
        out.push_str(changed.as_deref().unwrap_or(element));
    });
    Some(out)
}

/// Parts of a message's content.
#[derive(Clone, Copy)]
struct Parts {
    format: Format,
    is_assistant: bool,
}

impl Parts {
    fn list(self, raw: &str, depth: u32) -> Change {
        if depth == DEEPEST {
            return Change::Keep;
        }
        change(list(raw, |part| self.part(part, depth)))
    }

    fn part(self, raw: &str, depth: u32) -> Option<String> {
        let kind = Fields::read(raw).ok()?.lenient("type");
        let kind = kind.as_deref();
        let is_call = self.format == Format::Anthropic && kind == Some("tool_use");
        let holds_blocks = self.format == Format::Anthropic && kind.is_some_and(holds_blocks);
        object(raw, is_call.then_some(("input", "{}")), |key, value| match key {
            "input" if is_call => change(input(value)),
            "type" => change(kind.and_then(|kind| self.text_kind(kind)).map(|kind| format!("\"{kind}\""))),
            "content" if holds_blocks => self.list(value, depth + 1),
            _ => of_mark(key),
        })
    }

    /// The name of a text in the format, when the part has another one.
    fn text_kind(self, kind: &str) -> Option<&'static str> {
        match (self.format, kind) {
            (Format::OpenaiChat, "input_text" | "output_text") => Some("text"),
            (Format::OpenaiResponses, "text") if self.is_assistant => Some("output_text"),
            (Format::OpenaiResponses, "text") => Some("input_text"),
            _ => None,
        }
    }
}

/// The arguments of a call that has none.
const NO_ARGUMENTS: (&str, &str) = ("arguments", "\"{}\"");

fn chat_call(raw: &str) -> Option<String> {
    object(raw, None, |key, value| match key {
        "function" => change(object(value, Some(NO_ARGUMENTS), chat_arguments)),
        _ => of_mark(key),
    })
}

fn chat_arguments(key: &str, value: &str) -> Change {
    if key == "arguments" { change(arguments_text(value)) } else { of_mark(key) }
}

/// Arguments as a JSON string, where the format asks for text; `None` when they are one.
fn arguments_text(raw: &str) -> Option<String> {
    if is_string(raw) {
        return None;
    }
    let mut out = String::new();
    push_string(&mut out, if raw == "null" { "{}" } else { raw });
    Some(out)
}

/// Arguments as an object, where the format asks for one; `None` when they are one.
fn input(raw: &str) -> Option<String> {
    if is_object(raw) {
        return None;
    }
    let text = if is_string(raw) { string(raw).ok()? } else { raw.to_owned() };
    Some(input_object(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const CHAT: Format = Format::OpenaiChat;
    const BLOCKS: Format = Format::Anthropic;
    const ITEMS: Format = Format::OpenaiResponses;

    #[rstest]
    #[case::chat_object(CHAT,
        r#"{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":{"n":12345678901234567890123,"a":[ 1 ]}}}]}"#,
        r#"{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"n\":12345678901234567890123,\"a\":[ 1 ]}"}}]}"#)]
    #[case::chat_null(CHAT,
        r#"{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":null}},{"id":"2","function":{"name":"g"}}]}"#,
        r#"{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}},{"id":"2","function":{"name":"g","arguments":"{}"}}]}"#)]
    #[case::chat_list(
        CHAT,
        r#"{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":[1]}}]}"#,
        r#"{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"[1]"}}]}"#
    )]
    #[case::chat_parts(
        CHAT,
        r#"{"role":"tool","tool_call_id":"1","content":[{"type":"output_text","text":"a"}]}"#,
        r#"{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"a"}]}"#
    )]
    #[case::chat_mark(CHAT,
        r#"{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}],"cache_control":null}"#,
        r#"{"role":"user","content":[{"type":"text","text":"a"}]}"#)]
    #[case::items_object(
        ITEMS,
        r#"{"type":"function_call","call_id":"1","name":"f","arguments":{"a":"b"}}"#,
        r#"{"type":"function_call","call_id":"1","name":"f","arguments":"{\"a\":\"b\"}"}"#
    )]
    #[case::items_custom(
        ITEMS,
        r#"{"type":"custom_tool_call","call_id":"1","name":"f","input":{"a":1}}"#,
        r#"{"type":"custom_tool_call","call_id":"1","name":"f","input":"{\"a\":1}"}"#
    )]
    #[case::items_parts(
        ITEMS,
        r#"{"role":"assistant","content":[{"type":"text","text":"a"}]}"#,
        r#"{"role":"assistant","content":[{"type":"output_text","text":"a"}]}"#
    )]
    #[case::blocks_text_of_an_object(BLOCKS,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":"{\"path\": \"a\\n\"}","extra":1}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"path": "a\n"},"extra":1}]}"#)]
    #[case::blocks_text(BLOCKS,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":"ls -la"}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"arguments":"ls -la"}}]}"#)]
    #[case::blocks_number(BLOCKS,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":7}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"arguments":"7"}}]}"#)]
    #[case::blocks_none(
        BLOCKS,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f"}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}"#
    )]
    #[case::blocks_unreadable(BLOCKS,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":"{\"a\":\"\\ud800\"}"}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"arguments":"{\"a\":\"\\ud800\"}"}}]}"#)]
    #[case::blocks_marks(BLOCKS,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","cache_control":{"type":"ephemeral","ttl":"1h"},"content":[{"type":"text","text":"o","cache_control":{"type":"ephemeral"}}]},{"cache\u005fcontrol":{},"type":"hologram","beam":1e400}]}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"o"}]},{"type":"hologram","beam":1e400}]}"#)]
    fn what_a_provider_refuses_is_rewritten_and_all_else_stays(
        #[case] format: Format,
        #[case] raw: &str,
        #[case] expected: &str,
    ) {
        let text = normalized(format, raw).unwrap();
        assert_eq!(text, expected);
        assert_eq!(normalized(format, &text), None, "once is enough");
    }

    #[rstest]
    #[case(
        CHAT,
        r#"{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"no json"}}]}"#
    )]
    #[case(CHAT, r#"{"role":"user","content":"cache_control and \"function\" are words"}"#)]
    #[case(BLOCKS, r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"cache_control":1}}]}"#)]
    #[case(BLOCKS, r#"{"role":"user","content":[{"type":"text","text":"cache_control"}]}"#)]
    #[case(ITEMS, r#"{"type":"shell_call","call_id":"1","action":{"commands":["ls"]}}"#)]
    #[case(ITEMS, r#"{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}"#)]
    #[case(ITEMS, r#"{"role":"user","content":"text"}"#)]
    #[case(CHAT, "no message")]
    fn what_a_provider_takes_is_not_touched(#[case] format: Format, #[case] raw: &str) {
        assert_eq!(normalized(format, raw), None);
    }
}
