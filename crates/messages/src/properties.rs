//! Property tests with messages of every format, made of meaningful pieces: parsing, measuring and counting do not
//! panic and give the same result each time.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::format::detect::{BatchFormat, detect};
use crate::format::normalize::normalized;
use crate::format::{Format, parse};
use crate::shape::{Measured, Shape};
use crate::tokens::TokenCounter;

/// The head of a PNG that says how large it is.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzkAAAA";

fn word() -> impl Strategy<Value = Value> {
    let known = vec![
        json!("user"),
        json!("assistant"),
        json!("tool"),
        json!("text"),
        json!("message"),
        json!("system"),
        json!("developer"),
        json!("refusal"),
        json!("input_text"),
        json!("output_text"),
        json!("summary_text"),
        json!("computer_screenshot"),
        json!("input_audio"),
        json!("document"),
        json!("image_url"),
        json!("input_image"),
        json!("image"),
        json!("base64"),
        json!("image/png"),
        json!("tool_use"),
        json!("tool_result"),
        json!("function_call"),
        json!("function_call_output"),
        json!("thinking"),
        json!("file"),
        json!("data:image/png;base64,"),
        json!(format!("data:image/png;base64,{PNG}")),
        json!(format!("data:,{}", "x".repeat(600))),
        json!("data:;;;,%%%"),
        json!(PNG),
        json!("{\"command\": [\"bash\", \"-lc\", \"ls\"]}"),
        json!("{\"path\": 7}"),
        json!("\u{0}\u{202e}汉"),
        json!(""),
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
    ];
    prop_oneof![4 => prop::sample::select(known), 1 => any::<String>().prop_map(Value::String)]
}

fn key() -> impl Strategy<Value = String> {
    let known = vec![
        "role", "content", "type", "text", "name", "tool_calls", "tool_call_id", "function", "arguments",
        "id", "call_id", "output", "image_url", "url", "detail", "source", "media_type", "data", "input",
        "tool_use_id", "is_error", "thinking", "signature", "file", "file_data", "filename", "summary",
        "alt", "cache_control", "refusal", "reasoning", "stdout",
    ];
    prop::sample::select(known).prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = Value> {
    word().prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((key(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn message() -> impl Strategy<Value = Value> {
    prop::collection::vec((key(), value()), 0..6).prop_map(|fields| {
        let mut object: Map<String, Value> = fields.into_iter().collect();
        object.entry("role").or_insert(json!("user"));
        Value::Object(object)
    })
}

proptest! {
    #[test]
    fn any_json_is_read_or_refused_and_alike_each_time(message in message(), end in 0..400_usize) {
        let raw = message.to_string();
        let cut = raw.floor_char_boundary(end);
        let _ = detect(None, [raw.as_str(), &raw[..cut]]);
        for format in [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses] {
            let _ = parse(format, &raw[..cut]);
            let read = parse(format, &raw);
            prop_assert_eq!(&read, &parse(format, &raw));
            let Ok(message) = read else { continue };
            let counter = TokenCounter::default();
            let (tokens, _) = Shape::measure(&message, &counter);
            prop_assert_eq!(tokens, counter.count_message(&message), "a shape counts what the counter counts");
        }
    }

    #[test]
    fn a_message_that_shows_no_format_reads_the_same_in_each_of_those_that_it_may_have(message in message()) {
        let raw = message.to_string();
        let Ok(BatchFormat::Open { formats, .. }) = detect(None, [raw.as_str()]) else { return Ok(()) };
        let read = |format| Measured::read(format, &raw, &TokenCounter::default()).ok();
        let all = [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses];
        let mut may = all.into_iter().filter(|format| formats.contains(*format));
        let Some(first) = may.next() else { return Ok(()) };
        for other in may {
            prop_assert_eq!(read(other), read(first), "{:?} and {:?}: {}", first, other, raw);
            prop_assert_eq!(normalized(other, &raw), normalized(first, &raw), "{}", raw);
        }
    }
}
