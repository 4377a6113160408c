//! Property tests: messages of every format, rewritten in every way that does not change what they say, and changed in
//! one value.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

/// A word that is no type, key or literal of a format.
fn word() -> impl Strategy<Value = String> {
    "[a-z é\"\\\\\n]{1,12}".prop_map(|text| format!("w{text}"))
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![word().prop_map(Value::String), any::<i32>().prop_map(Value::from), Just(json!(true))]
}

fn arguments() -> impl Strategy<Value = Value> {
    let field = prop_oneof![
        3 => leaf(),
        1 => prop::collection::vec(leaf(), 0..3).prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    let names =
        prop::sample::subsequence(vec!["path", "limit", "cache_control", "tool_calls", "content"], 0..5);
    (names, prop::collection::vec(field, 5))
        .prop_map(|(names, values)| Value::Object(names.into_iter().map(str::to_owned).zip(values).collect()))
}

fn message() -> impl Strategy<Value = (Format, Value)> {
    prop_oneof![
        (word(), any::<bool>()).prop_map(|(text, is_user)| {
            let role = if is_user { "user" } else { "assistant" };
            (Format::OpenaiChat, json!({"role": role, "content": text}))
        }),
        (word(), word(), arguments()).prop_map(|(id, text, arguments)| {
            let call =
                json!({"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}});
            (Format::OpenaiChat, json!({"role": "assistant", "content": text, "tool_calls": [call]}))
        }),
        (word(), word()).prop_map(|(id, text)| {
            (Format::OpenaiChat, json!({"role": "tool", "tool_call_id": id, "content": text}))
        }),
        (word(), word(), arguments()).prop_map(|(id, text, arguments)| {
            let blocks = json!([
                {"type": "text", "text": text},
                {"type": "tool_use", "id": id, "name": "f", "input": arguments},
            ]);
            (Format::Anthropic, json!({"role": "assistant", "content": blocks}))
        }),
        (word(), word()).prop_map(|(id, text)| {
            let block = json!({"type": "tool_result", "tool_use_id": id, "content": text});
            (Format::Anthropic, json!({"role": "user", "content": [block]}))
        }),
        (word(), arguments()).prop_map(|(id, arguments)| {
            let call = json!({"type": "function_call", "call_id": id, "name": "f", "arguments": arguments});
            (Format::OpenaiResponses, call)
        }),
        (word(), word()).prop_map(|(id, text)| {
            let output = json!({"type": "function_call_output", "call_id": id, "output": text});
            (Format::OpenaiResponses, output)
        }),
    ]
}

/// The same message in other words; `dice` decides how, and is used up.
fn reworded(format: Format, value: &Value, dice: &mut impl FnMut() -> bool) -> Value {
    let mut message = object(value, dice);
    if let (Value::Object(fields), Format::OpenaiResponses) = (&mut message, format) {
        fields.insert("id".to_owned(), json!("fc_1"));
        fields.insert("status".to_owned(), json!("completed"));
    }
    message
}

fn object(value: &Value, dice: &mut impl FnMut() -> bool) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| object(item, dice)).collect(),
        Value::Object(fields) => {
            let mut named: Vec<(String, Value)> =
                fields.iter().map(|(key, value)| (key.clone(), field(key, value, dice))).collect();
            if dice() {
                named.reverse();
            }
            for (key, value) in [
                ("refusal", Value::Null),
                ("annotations", json!([])),
                ("cache_control", json!({"type": "ephemeral"})),
            ] {
                if dice() {
                    named.push((key.to_owned(), value));
                }
            }
            Value::Object(Map::from_iter(named))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn field(key: &str, value: &Value, dice: &mut impl FnMut() -> bool) -> Value {
    match key {
        "arguments" | "input" if dice() => Value::String(serde_json::to_string_pretty(value).unwrap()),
        "arguments" | "input" => value.clone(),
        "content" | "output" if value.is_string() && dice() => {
            json!([object(&json!({"type": "text", "text": value}), dice)])
        }
        _ => object(value, dice),
    }
}

/// Changes the value with this number among all values that are no objects or lists; the type and the role stay.
fn change(value: &mut Value, at: &mut usize) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| change(item, at)),
        Value::Object(fields) => {
            for (_, value) in fields.iter_mut().filter(|(key, _)| *key != "type" && *key != "role") {
                change(value, at);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            if *at == 0 {
                *value = match &*value {
                    Value::String(text) => json!(format!("{text}!")),
                    Value::Number(number) => json!(number.as_i64().unwrap() + 1),
                    Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => json!("another"),
                };
            }
            *at = at.wrapping_sub(1);
        }
    }
}

proptest! {
    #[test]
    fn other_words_are_the_same_message((format, value) in message(), mut bits in any::<u64>()) {
        let mut dice = || { bits = bits.rotate_left(1); bits & 1 == 1 };
        let other = reworded(format, &value, &mut dice);
        for other in [serde_json::to_string(&other), serde_json::to_string_pretty(&other)] {
            prop_assert_eq!(canonical(format, &value.to_string()), canonical(format, &other.unwrap()));
        }
        // The canonical text is JSON, and its own.
        let once = canonical(format, &value.to_string());
        prop_assert_eq!(canonical(format, &once), once);
    }

    #[test]
    fn another_value_is_another_message((format, value) in message(), at in 0_usize..12) {
        let mut other = value.clone();
        change(&mut other, &mut { at });
        let (one, two) = (value.to_string(), other.to_string());
        prop_assert_eq!(ContentDigest::of(format, &one) == ContentDigest::of(format, &two), one == two);
    }

    #[test]
    fn any_text_is_digested(text in any::<String>(), json in "[\\[\\]{}:,\"\\\\a1u ]{0,40}") {
        for raw in [text, json] {
            let _ = canonical(Format::OpenaiChat, &raw);
        }
    }
}
