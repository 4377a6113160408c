//! A conversation written in one format, served in another, stored as that and served in the first one
//! again says the same.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::mask::{Clipping, Marks, MaskMode};
use super::testing::FORMATS;
use super::*;
use anchord_messages::format::Format;
use anchord_messages::format::detect::{BatchFormat, detect};

#[derive(Clone, Debug)]
enum Turn {
    User(Vec<Piece>),
    Assistant { thinking: bool, text: Option<String>, calls: Vec<Call> },
    Refusal(String),
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Picture(Picture),
    Document,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Picture {
    Inline(String),
    Address(String),
}

#[derive(Clone, Debug)]
struct Call {
    name: String,
    arguments: Value,
    result: String,
    pictures: Vec<Picture>,
    is_error: bool,
}

fn text() -> impl Strategy<Value = String> {
    "[a-zé漢🦀 \n\"\\\\]{0,30}".prop_map(|t| format!("t{t}."))
}

fn picture() -> impl Strategy<Value = Picture> {
    prop_oneof![
        "[A-Za-z0-9]{4,8}".prop_map(Picture::Inline),
        "[a-z]{1,6}".prop_map(|name| Picture::Address(format!("https://example.com/{name}.png"))),
    ]
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![4 => text().prop_map(Piece::Text), 2 => picture().prop_map(Piece::Picture), 1 => Just(Piece::Document)]
}

fn call() -> impl Strategy<Value = Call> {
    let arguments = prop_oneof![
        Just(json!({})),
        (text(), any::<i64>()).prop_map(|(t, n)| json!({"path": t, "n": n, "deep": {"list": [1, null, t]}})),
    ];
    let pictures = prop::collection::vec(picture(), 0..2);
    ("[a-zA-Z_-]{1,12}", arguments, text(), pictures, any::<bool>()).prop_map(
        |(name, arguments, result, pictures, is_error)| Call { name, arguments, result, pictures, is_error },
    )
}

fn turn() -> impl Strategy<Value = Turn> {
    let calls = prop::collection::vec(call(), 0..4);
    prop_oneof![
        3 => prop::collection::vec(piece(), 1..4).prop_map(Turn::User),
        5 => (any::<bool>(), proptest::option::of(text()), calls).prop_map(|(thinking, said, calls)| {
            let said = if calls.is_empty() { said.or_else(|| Some("yes.".to_owned())) } else { said };
            Turn::Assistant { thinking, text: said, calls }
        }),
        1 => text().prop_map(Turn::Refusal),
    ]
}

fn inline(data: &str) -> String {
    format!("data:image/png;base64,{data}")
}

/// Writes a conversation in a format, with nothing of the product's.
fn written(format: Format, turns: &[Turn]) -> Vec<Value> {
    let mut out = vec![json!({"role": "system", "content": "sys."})];
    for (n, turn) in turns.iter().enumerate() {
        match format {
            Format::OpenaiChat => chat(n, turn, &mut out),
            Format::Anthropic => anthropic(n, turn, &mut out),
            Format::OpenaiResponses => responses(n, turn, &mut out),
        }
    }
    out
}

fn id(turn: usize, call: usize) -> String {
    format!("call-{turn}_{call}")
}

fn chat(n: usize, turn: &Turn, out: &mut Vec<Value>) {
    let picture = |picture: &Picture| match picture {
        Picture::Inline(data) => json!({"type": "image_url", "image_url": {"url": inline(data)}}),
        Picture::Address(url) => json!({"type": "image_url", "image_url": {"url": url}}),
    };
    match turn {
        Turn::User(pieces) => {
            let part = |piece: &Piece| match piece {
                Piece::Text(text) => json!({"type": "text", "text": text}),
                Piece::Picture(shown) => picture(shown),
                Piece::Document => {
                    json!({"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,UERG"}})
                }
            };
            out.push(json!({"role": "user", "content": pieces.iter().map(part).collect::<Vec<_>>()}));
        }
        Turn::Refusal(text) => out.push(json!({"role": "assistant", "content": null, "refusal": text})),
        Turn::Assistant { thinking, text, calls } => {
            let mut message = json!({"role": "assistant", "content": text});
            if *thinking {
                message["reasoning_content"] = json!("hm");
            }
            if !calls.is_empty() {
                let call = |(i, call): (usize, &Call)| json!({"id": id(n, i), "type": "function", "function": {"name": call.name, "arguments": call.arguments.to_string()}});
                message["tool_calls"] = calls.iter().enumerate().map(call).collect();
            }
            out.push(message);
            for (i, call) in calls.iter().enumerate() {
                out.push(json!({"role": "tool", "tool_call_id": id(n, i), "content": call.result}));
            }
        }
    }
}

fn anthropic(n: usize, turn: &Turn, out: &mut Vec<Value>) {
    let picture = |picture: &Picture| match picture {
        Picture::Inline(data) => {
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}})
        }
        Picture::Address(url) => json!({"type": "image", "source": {"type": "url", "url": url}}),
    };
    match turn {
        Turn::User(pieces) => {
            let block = |piece: &Piece| match piece {
                Piece::Text(text) => json!({"type": "text", "text": text}),
                Piece::Picture(shown) => picture(shown),
                Piece::Document => {
                    json!({"type": "document", "title": "a.pdf", "source": {"type": "base64", "media_type": "application/pdf", "data": "UERG"}})
                }
            };
            out.push(json!({"role": "user", "content": pieces.iter().map(block).collect::<Vec<_>>()}));
        }
        Turn::Refusal(text) => out.push(json!({"role": "assistant", "content": text})),
        Turn::Assistant { thinking, text, calls } => {
            let mut blocks = Vec::new();
            if *thinking {
                blocks.push(json!({"type": "thinking", "thinking": "hm", "signature": "s"}));
            }
            blocks.extend(text.iter().map(|text| json!({"type": "text", "text": text})));
            let call = |(i, call): (usize, &Call)| json!({"type": "tool_use", "id": id(n, i), "name": call.name, "input": call.arguments});
            blocks.extend(calls.iter().enumerate().map(call));
            out.push(json!({"role": "assistant", "content": blocks}));
            let result = |(i, call): (usize, &Call)| {
                let mut content = vec![json!({"type": "text", "text": call.result})];
                content.extend(call.pictures.iter().map(picture));
                json!({"type": "tool_result", "tool_use_id": id(n, i), "content": content, "is_error": call.is_error})
            };
            if !calls.is_empty() {
                out.push(json!({"role": "user", "content": calls.iter().enumerate().map(result).collect::<Vec<_>>()}));
            }
        }
    }
}

fn responses(n: usize, turn: &Turn, out: &mut Vec<Value>) {
    let picture = |picture: &Picture| match picture {
        Picture::Inline(data) => json!({"type": "input_image", "image_url": inline(data), "detail": "auto"}),
        Picture::Address(url) => json!({"type": "input_image", "image_url": url, "detail": "auto"}),
    };
    match turn {
        Turn::User(pieces) => {
            let part = |piece: &Piece| match piece {
                Piece::Text(text) => json!({"type": "input_text", "text": text}),
                Piece::Picture(shown) => picture(shown),
                Piece::Document => {
                    json!({"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,UERG"})
                }
            };
            out.push(json!({"type": "message", "role": "user", "content": pieces.iter().map(part).collect::<Vec<_>>()}));
        }
        Turn::Refusal(text) => {
            out.push(json!({"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": text}]}));
        }
        Turn::Assistant { thinking, text, calls } => {
            if *thinking {
                out.push(json!({"type": "reasoning", "id": format!("rs_{n}"), "summary": [], "encrypted_content": "zz"}));
            }
            if let Some(text) = text {
                out.push(json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}));
            }
            for (i, call) in calls.iter().enumerate() {
                out.push(json!({"type": "function_call", "id": format!("fc_{n}_{i}"), "call_id": id(n, i), "name": call.name, "arguments": call.arguments.to_string()}));
            }
            for (i, call) in calls.iter().enumerate() {
                let mut output = vec![json!({"type": "input_text", "text": call.result})];
                output.extend(call.pictures.iter().map(picture));
                let output = if call.pictures.is_empty() { json!(call.result) } else { json!(output) };
                out.push(json!({"type": "function_call_output", "call_id": id(n, i), "output": output}));
            }
        }
    }
}

fn served(format: Format, stored: Format, messages: &[Value]) -> Value {
    let (entries, marks) = (testing::entries(stored, messages), Marks::new());
    testing::serve(&ContextInput {
        budget: 1_000_000,
        mask: MaskInput { mode: MaskMode::Off, clipping: Clipping::default(), marks: &marks },
        ..testing::input(format, &entries, &marks)
    })
}

/// A reply as messages of its format.
fn messages(reply: &Value) -> Vec<Value> {
    let mut all = reply["messages"].as_array().unwrap().clone();
    if let Some(system) = reply["system"].as_str() {
        all.insert(0, json!({"role": "system", "content": system}));
    }
    all
}

/// What a conversation says, read out of its JSON with nothing of the product's.
#[derive(Debug, Default, PartialEq)]
struct Said {
    texts: Vec<(String, String)>,
    calls: Vec<(String, String, Value)>,
    results: Vec<(String, String)>,
    media: Vec<String>,
}

impl Said {
    fn of(messages: &[Value]) -> Self {
        let mut said = Self::default();
        for message in messages {
            let role = message["role"].as_str().unwrap_or("assistant");
            match (role, message["type"].as_str()) {
                ("tool", _) => said.result(message["tool_call_id"].as_str(), &message["content"]),
                (_, Some("function_call")) => {
                    said.call(&message["call_id"], &message["name"], &message["arguments"]);
                }
                (_, Some("function_call_output")) => {
                    said.result(message["call_id"].as_str(), &message["output"]);
                }
                (_, Some("reasoning")) => {}
                _ => {
                    said.content(role, &message["content"]);
                    said.text(role, message["refusal"].as_str());
                    for call in message["tool_calls"].as_array().into_iter().flatten() {
                        said.call(&call["id"], &call["function"]["name"], &call["function"]["arguments"]);
                    }
                }
            }
        }
        said
    }

    fn text(&mut self, role: &str, text: Option<&str>) {
        // The service's own lines: where media came from, and what opens a conversation of the model's.
        let own = ["[media from the result of tool call ", "[The conversation begins with the assistant.]"];
        let text = text.filter(|text| !own.iter().any(|line| text.starts_with(line)));
        self.texts.extend(text.map(|text| (role.to_owned(), text.to_owned())));
    }

    fn call(&mut self, id: &Value, name: &Value, arguments: &Value) {
        let value =
            arguments.as_str().map_or_else(|| arguments.clone(), |text| serde_json::from_str(text).unwrap());
        self.calls.push((id.as_str().unwrap().to_owned(), name.as_str().unwrap().to_owned(), value));
    }

    fn result(&mut self, id: Option<&str>, content: &Value) {
        let mut inner = Self::default();
        inner.content("", content);
        let text: Vec<String> = inner.texts.into_iter().map(|(_, text)| text).collect();
        let text = text.join("\n");
        let text = text.strip_prefix("[error]\n").unwrap_or(&text).to_owned();
        self.results.push((id.unwrap().to_owned(), text));
        self.media.append(&mut inner.media);
    }

    fn content(&mut self, role: &str, content: &Value) {
        self.text(role, content.as_str());
        for part in content.as_array().into_iter().flatten() {
            match part["type"].as_str().unwrap() {
                "text" | "input_text" | "output_text" => self.text(role, part["text"].as_str()),
                "refusal" => self.text(role, part["refusal"].as_str()),
                "tool_use" => self.call(&part["id"], &part["name"], &part["input"]),
                "tool_result" => self.result(part["tool_use_id"].as_str(), &part["content"]),
                "thinking" => {}
                _ => {
                    let inner = [
                        &part["image_url"], &part["image_url"]["url"], &part["file_data"],
                        &part["file"]["file_data"],
                    ];
                    let source = &part["source"];
                    let given = inner.into_iter().find_map(Value::as_str).or_else(|| source["url"].as_str());
                    let inline = || {
                        format!(
                            "data:{};base64,{}",
                            source["media_type"].as_str().unwrap(),
                            source["data"].as_str().unwrap()
                        )
                    };
                    self.media.push(given.map_or_else(inline, str::to_owned));
                }
            }
        }
    }
}

fn omitted(reply: &Value) -> BTreeSet<&str> {
    reply["omitted"].as_array().unwrap().iter().map(|o| o["reason"].as_str().unwrap()).collect()
}

/// Whether a turn has content that only one format has.
fn is_telling(format: Format, turn: &Turn) -> bool {
    let is_media = |piece: &Piece| !matches!(piece, Piece::Text(_));
    match (format, turn) {
        (Format::OpenaiResponses, Turn::User(_)) => true,
        (_, Turn::User(pieces)) => pieces.iter().any(is_media),
        (_, Turn::Refusal(_)) => false,
        (format, Turn::Assistant { thinking, text, calls }) => {
            let thinks = *thinking && format != Format::OpenaiChat;
            thinks || !calls.is_empty() || (format == Format::OpenaiResponses && text.is_some())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_conversation_is_recognised_as_its_own_format_and_contradicts_every_other(
        turns in prop::collection::vec(turn(), 1..10),
    ) {
        for format in FORMATS {
            let sent: Vec<String> = written(format, &turns).iter().map(Value::to_string).collect();
            let messages = || sent.iter().map(String::as_str);
            let told = detect(None, messages());
            if turns.iter().any(|turn| is_telling(format, turn)) {
                prop_assert_eq!(told, Ok(BatchFormat::Shown(format)));
                for other in FORMATS.into_iter().filter(|other| *other != format) {
                    let refused = detect(Some(other), messages()).unwrap_err();
                    prop_assert!(refused.detail.contains(format.as_ref()), "{}", refused.detail);
                }
            } else {
                // What shows no format is taken in its own one when the session has it.
                prop_assert_eq!(told.unwrap().resolve(Some(format)), format);
            }
            prop_assert_eq!(detect(Some(format), messages()), Ok(BatchFormat::Stated(format)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_conversation_says_the_same_after_any_other_format(turns in prop::collection::vec(turn(), 1..10)) {
        let thinks = turns.iter().any(|turn| matches!(turn, Turn::Assistant { thinking: true, .. }));
        for first in FORMATS {
            let sent = written(first, &turns);
            let own = served(first, first, &sent);
            prop_assert_eq!(Said::of(&messages(&own)), Said::of(&sent), "{:?} to itself", first);
            prop_assert!(omitted(&own).iter().all(|reason| *reason == "in_system"));
            for second in FORMATS.into_iter().filter(|other| *other != first) {
                let there = served(second, first, &sent);
                let told = omitted(&there);
                prop_assert_eq!(told.contains("thinking"), thinks);
                prop_assert!(told.iter().all(|reason| ["thinking", "in_system"].contains(reason)), "{:?}", told);
                prop_assert_eq!(Said::of(&messages(&there)), Said::of(&sent), "{:?} to {:?}", first, second);
                let back = served(first, second, &messages(&there));
                prop_assert_eq!(Said::of(&messages(&back)), Said::of(&sent), "{:?} to {:?} and back", first, second);
            }
        }
    }
}
