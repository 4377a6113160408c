//! What of a message is shown: its parts, in any of the formats.

use serde_json::Value;

use crate::view::{Look as _, shown};

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its kind, for people.
    pub(crate) kind: String,
    /// Its text, at most so many characters.
    pub(crate) text: String,
    /// Characters that are not shown.
    pub(crate) hidden: usize,
}

/// The parts of a message, with so many characters of each.
pub(crate) fn parts(message: &Value, most: usize) -> Vec<Part> {
    let mut all = Vec::new();
    content(message.under("content"), "text", &mut all);
    for call in message.list("tool_calls") {
        let called = call.under("function");
        all.push((format!("calls {}", called.text("name")), called.text("arguments")));
    }
    match message.text("type").as_str() {
        "function_call" => all.push((format!("calls {}", message.text("name")), message.text("arguments"))),
        "function_call_output" => content(message.under("output"), "result", &mut all),
        "reasoning" => content(message.under("summary"), "thinking", &mut all),
        _ => {}
    }
    if all.is_empty() && message.under("role").is_null() {
        all.push(("other".to_owned(), message.to_string()));
    }
    let part = |(kind, text): (String, String)| {
        let hidden = text.chars().count().saturating_sub(most);
        Part { kind: shown(&kind, 80), text: shown(&text, most), hidden }
    };
    all.into_iter().map(part).collect()
}

fn content(value: &Value, plain: &str, all: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::String(text) => all.push((plain.to_owned(), text.clone())),
        Value::Array(blocks) => {
            for block in blocks {
                self::block(block, plain, all);
            }
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            all.push((plain.to_owned(), value.to_string()));
        }
    }
}

fn block(block: &Value, plain: &str, all: &mut Vec<(String, String)>) {
    match block.text("type").as_str() {
        "text" | "input_text" | "output_text" | "summary_text" => {
            all.push((plain.to_owned(), block.text("text")));
        }
        "thinking" => all.push(("thinking".to_owned(), block.text("thinking"))),
        "tool_use" => all.push((format!("calls {}", block.text("name")), block.under("input").to_string())),
        "tool_result" => content(block.under("content"), "result", all),
        "image" | "image_url" | "input_image" => all.push(("image".to_owned(), "an image".to_owned())),
        "" => all.push((plain.to_owned(), block.to_string())),
        kind => all.push((kind.replace('_', " "), block.to_string())),
    }
}

/// The system prompt of a context: a text, or blocks.
pub(crate) fn system(context: &Value) -> String {
    text(&serde_json::json!({ "content": context.under("system"), "role": "system" }))
}

/// All texts of a message, for a search in them.
pub(crate) fn text(message: &Value) -> String {
    let all = parts(message, usize::MAX);
    all.into_iter().map(|part| part.text).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case(json!({"role": "user", "content": "hi"}), &[("text", "hi")])]
    #[case(json!({"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "sh", "arguments": "{}"}}]}),
           &[("calls sh", "{}")])]
    #[case(json!({"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "ok"}]}]}),
           &[("result", "ok")])]
    #[case(json!({"type": "function_call_output", "output": "done"}), &[("result", "done")])]
    #[case(json!({"role": "user", "content": [{"type": "image"}]}), &[("image", "an image")])]
    fn each_format_has_its_parts(#[case] message: Value, #[case] expected: &[(&str, &str)]) {
        let found = parts(&message, 100);
        let found: Vec<_> = found.iter().map(|part| (part.kind.as_str(), part.text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        let found = parts(&json!({"content": "x".repeat(50)}), 10);
        assert_eq!((found[0].text.as_str(), found[0].hidden), ("xxxxxxxxxx…", 40));
    }
}
