//! What an agent asks of its provider, as far as the gateway reads it.

use std::borrow::Cow;

use axum::body::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::route::Provider;
use anchord_messages::format::{Format, MAX_VALUES};

/// The most messages of a list that is kept, as a sync takes them.
const MAX_MESSAGES: usize = 20_000;

/// The path of OpenAI's operation that compacts a list of items.
pub(crate) const COMPACT: &str = "/v1/responses/compact";

/// An operation of a provider whose requests have a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Endpoint {
    Messages,
    ChatCompletions,
    Responses,
}

impl Endpoint {
    /// The operation at a path of a provider.
    pub(crate) fn of(provider: Provider, path: &str) -> Option<Self> {
        match (provider, path) {
            (Provider::Anthropic, "/v1/messages") => Some(Self::Messages),
            (Provider::Openai, "/v1/chat/completions") => Some(Self::ChatCompletions),
            (Provider::Openai, "/v1/responses" | COMPACT) => Some(Self::Responses),
            _ => None,
        }
    }

    pub(crate) fn format(self) -> Format {
        match self {
            Self::Messages => Format::Anthropic,
            Self::ChatCompletions => Format::OpenaiChat,
            Self::Responses => Format::OpenaiResponses,
        }
    }
}

/// A request's body.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) endpoint: Endpoint,
    pub(crate) model: Option<String>,
    /// The list of messages or items, without the system prompt at its head.
    pub(crate) list: Vec<Bytes>,
    /// Messages of the system at the head of the list.
    pub(crate) head: Vec<Bytes>,
    /// The system prompt, where it has a field of its own.
    pub(crate) system: Option<Bytes>,
    pub(crate) tools: Option<Bytes>,
    pub(crate) is_streamed: bool,
    pub(crate) user_id: Option<String>,
    /// Whether a part of the conversation is with the provider alone.
    pub(crate) is_continued: bool,
}

#[derive(Deserialize)]
struct Body<'a> {
    model: Option<Cow<'a, str>>,
    #[serde(borrow)]
    messages: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    system: Option<&'a RawValue>,
    #[serde(borrow)]
    instructions: Option<&'a RawValue>,
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    stream: Option<bool>,
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
    #[serde(borrow)]
    previous_response_id: Option<&'a RawValue>,
}

impl Asked {
    /// Reads a body; `None` when it is no request of the operation.
    pub(crate) fn read(endpoint: Endpoint, body: &Bytes) -> Option<Self> {
        #[derive(Deserialize)]
        struct Metadata {
            user_id: Option<String>,
        }
        // Too many values take more memory than their text.
        let begun = body.iter().map(|&sign| usize::from(matches!(sign, b',' | b'[' | b'{'))).sum::<usize>();
        if begun > MAX_VALUES {
            return None;
        }
        let read: Body<'_> = serde_json::from_slice(body).ok()?;
        let slice = |raw: &RawValue| body.slice_ref(raw.get().as_bytes());
        let mut list: Vec<Bytes> = match (endpoint, read.messages, read.input) {
            (Endpoint::Messages | Endpoint::ChatCompletions, Some(messages), _) => {
                messages.into_iter().map(slice).collect()
            }
            (Endpoint::Responses, _, Some(input)) if input.get().starts_with('"') => {
                vec![Bytes::from(format!("{{\"role\":\"user\",\"content\":{}}}", input.get()))]
            }
            (Endpoint::Responses, _, Some(input)) => {
                let items: Vec<&RawValue> = serde_json::from_str(input.get()).ok()?;
                items.into_iter().map(slice).collect()
            }
            _ => return None,
        };
        if list.len() > MAX_MESSAGES {
            return None;
        }
        let of_system = list.iter().take_while(|message| is_of_system(message)).count();
        // Items of a developer stand among the others, and are sent again as they were.
        let head = if endpoint == Endpoint::ChatCompletions { of_system } else { 0 };
        let rest = list.split_off(head);
        let metadata = read.metadata.and_then(|raw| serde_json::from_str::<Metadata>(raw.get()).ok());
        Some(Self {
            endpoint,
            model: read.model.map(Cow::into_owned),
            list: rest,
            head: list,
            system: read.system.or(read.instructions).map(slice),
            tools: read.tools.map(slice),
            is_streamed: read.stream.unwrap_or_default(),
            user_id: metadata.and_then(|metadata| metadata.user_id),
            is_continued: read.previous_response_id.is_some_and(|id| id.get() != "null"),
        })
    }

    /// Whether the request offers tools.
    pub(crate) fn has_tools(&self) -> bool {
        self.tools.as_ref().is_some_and(|tools| tools.len() > "[]".len() && &tools[..] != b"null")
    }

    /// Texts of the last message.
    pub(crate) fn last_text(&self) -> String {
        let last = self.list.iter().rfind(|raw| !is_of_system(raw));
        last.map(|last| texts_of(last).join("\n")).unwrap_or_default()
    }

    /// Texts of the system prompt.
    pub(crate) fn system_text(&self) -> String {
        let mut texts: Vec<String> = self.system.iter().flat_map(|raw| content_texts(raw)).collect();
        // Items of a developer stand in the list.
        let of_list = self.list.iter().take_while(|message| is_of_system(message));
        texts.extend(self.head.iter().chain(of_list).flat_map(|message| texts_of(message)));
        texts.join("\n")
    }
}

/// Fields of a message or an item.
#[derive(Deserialize)]
pub(crate) struct Message<'a> {
    #[serde(default)]
    pub(crate) role: Option<Cow<'a, str>>,
    #[serde(default, rename = "type")]
    pub(crate) kind: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub(crate) content: Option<&'a RawValue>,
}

impl<'a> Message<'a> {
    pub(crate) fn read(raw: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(raw).ok()
    }

    pub(crate) fn is_of(&self, role: &str) -> bool {
        self.role.as_deref() == Some(role)
    }
}

pub(crate) fn is_of_system(raw: &[u8]) -> bool {
    // Most messages begin with their role; one with two is none.
    let begins = |start: &[u8]| raw.starts_with(start);
    let is_others = [
        &b"{\"role\":\"user\""[..],
        b"{\"role\": \"user\"",
        b"{\"role\":\"assistant\"",
        b"{\"role\": \"assistant\"",
    ]
    .into_iter()
    .any(begins);
    !is_others
        && Message::read(raw).is_some_and(|message| message.is_of("system") || message.is_of("developer"))
}

/// Texts that a message says, one for each block.
pub(crate) fn texts_of(raw: &[u8]) -> Vec<String> {
    let content = Message::read(raw).and_then(|message| message.content.map(RawValue::get));
    content.map(|content| content_texts(content.as_bytes())).unwrap_or_default()
}

/// Texts of a content: a string, or blocks of text.
pub(crate) fn content_texts(raw: &[u8]) -> Vec<String> {
    if let Ok(text) = serde_json::from_slice::<String>(raw) {
        return vec![text];
    }
    let blocks: Vec<&RawValue> = serde_json::from_slice(raw).unwrap_or_default();
    blocks.into_iter().filter_map(|block| block_text(block.get())).collect()
}

/// The text of a block of text.
pub(crate) fn block_text(raw: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Block<'a> {
        #[serde(rename = "type")]
        kind: Cow<'a, str>,
        text: String,
    }
    let block: Block<'_> = serde_json::from_str(raw).ok()?;
    ["text", "input_text", "output_text"].contains(&&*block.kind).then_some(block.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(endpoint: Endpoint, body: &'static str) -> Asked {
        Asked::read(endpoint, &Bytes::from_static(body.as_bytes())).unwrap()
    }

    #[test]
    fn the_list_is_read_without_the_system_prompt_and_byte_for_byte() {
        let asked = read(
            Endpoint::ChatCompletions,
            r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"developer","content":"d"},{ "role" : "user","content":"u", "n": 1e400 }],"stream":true,"max_completion_tokens":5}"#,
        );
        assert_eq!(asked.list, [Bytes::from_static(br#"{ "role" : "user","content":"u", "n": 1e400 }"#)]);
        assert_eq!((asked.system_text().as_str(), asked.is_streamed), ("s\nd", true));
        let asked = read(
            Endpoint::Messages,
            r#"{"system":[{"type":"text","text":"a"}],"messages":[{"role":"user","content":[{"type":"text","text":"u"}]}],"tools":[],"metadata":{"user_id":"x"}}"#,
        );
        assert_eq!((asked.system_text().as_str(), asked.list.len(), asked.has_tools()), ("a", 1, false));
        assert_eq!(asked.user_id.as_deref(), Some("x"));
    }

    #[test]
    fn an_input_of_text_is_one_message() {
        let asked = read(Endpoint::Responses, r#"{"input":"a \"b\"","previous_response_id":null}"#);
        assert_eq!(texts_of(&asked.list[0]), ["a \"b\""]);
        assert!(!asked.is_continued);
        assert!(read(Endpoint::Responses, r#"{"input":[],"previous_response_id":"r"}"#).is_continued);
    }

    #[test]
    fn what_is_no_request_is_not_read() {
        for body in
            ["", "[]", r#"{"messages": 7}"#, r#"{"input": []}"#, r#"{"messages": [], "stream": "yes"}"#]
        {
            assert!(
                Asked::read(Endpoint::Messages, &Bytes::from_static(body.as_bytes())).is_none(),
                "{body}"
            );
        }
    }
}
