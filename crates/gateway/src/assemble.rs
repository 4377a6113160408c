//! The context of a session in the place of a list that has grown beyond the trigger.

use std::fmt;

use axum::body::Bytes;
use axum::http::Method;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::api::{Api, Call, Problem};
use crate::keep::{Said, Seen, path_of};
use crate::request::{Asked, Endpoint};

/// Marks for the cache that a request to Anthropic may have.
const MAX_MARKS: usize = 4;
/// Marks that a context sets.
const OWN_MARKS: usize = 2;
/// Bytes of a token, where an estimate is good enough.
const BYTES_OF_TOKEN: usize = 4;

#[derive(Deserialize)]
struct Synced<'a> {
    #[serde(borrow)]
    context: Option<Context<'a>>,
}

#[derive(Deserialize)]
struct Context<'a> {
    summary_version: Option<i64>,
    #[serde(borrow)]
    system: Option<&'a RawValue>,
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
    masked: Vec<IgnoredAny>,
    omitted: Vec<IgnoredAny>,
}

/// The body to send in the place of a request's; `None` when the request passes as it is: all of its messages are in the
/// context as they were said.
pub(crate) async fn assemble(
    (api, seen): (&Api, &Seen),
    (said, asked): (&Said, &Asked),
    body: &Bytes,
) -> Result<Option<Bytes>, Problem> {
    let marks = marks_of(asked);
    let cache = asked.endpoint == Endpoint::Messages && marks + OWN_MARKS <= MAX_MARKS;
    let query = if cache { "cache_control=5m" } else { "" };
    let system_tokens = system_tokens(asked);
    if seen.has_other_system(system_tokens) {
        // What is not stored takes room in the window too. A session that is not there yet gets it with the next request.
        let settings = json!({"system_tokens": system_tokens}).to_string();
        let patched = api.call(Call::with(Method::PATCH, path_of(&said.identity.session), settings)).await;
        if patched.is_ok() {
            seen.note_system(system_tokens);
        }
    }
    let reply = seen.sync(api, (said, &[]), Some(query)).await?;
    let synced: Synced<'_> = serde_json::from_slice(&reply).map_err(|_| Problem::unreadable())?;
    let Some(context) = synced.context else { return Ok(None) };
    if context.summary_version.is_none() && context.masked.is_empty() && context.omitted.is_empty() {
        return Ok(None);
    }
    replaced(body, asked, &context).map(Some).ok_or_else(Problem::unreadable)
}

/// Tokens of system prompt and tools, which a session does not store.
fn system_tokens(asked: &Asked) -> u32 {
    let head = asked.head.iter().chain(&asked.system).chain(&asked.tools);
    u32::try_from(head.map(Bytes::len).sum::<usize>() / BYTES_OF_TOKEN).unwrap_or(u32::MAX)
}

fn marks_of(asked: &Asked) -> usize {
    const MARK: &[u8] = b"\"cache_control\"";
    let of = |raw: &Bytes| raw.windows(MARK.len()).filter(|part| *part == MARK).count();
    asked.system.iter().chain(&asked.tools).map(of).sum()
}

/// The body with the context's messages; every other field stays as it was.
fn replaced(body: &[u8], asked: &Asked, context: &Context<'_>) -> Option<Bytes> {
    let Fields(fields) = serde_json::from_slice(body).ok()?;
    let head = asked.head.iter().filter_map(|raw| std::str::from_utf8(raw).ok());
    let list: Vec<&str> = head.chain(context.messages.iter().map(|raw| raw.get())).collect();
    let list = format!("[{}]", list.join(","));
    let system = context.system.and_then(|added| joined_system(asked.system.as_deref(), added.get()));
    let place = if asked.endpoint == Endpoint::Responses { "input" } else { "messages" };
    let mut has_system = false;
    let mut written: Vec<String> = Vec::with_capacity(fields.len() + 1);
    for (name, value) in &fields {
        let value = match name.as_str() {
            name if name == place => &list,
            "system" if system.is_some() => {
                has_system = true;
                system.as_deref().unwrap_or_default()
            }
            _ => value.get(),
        };
        written.push(format!("{}:{value}", Value::from(name.as_str())));
    }
    if let Some(system) = system.filter(|_| !has_system) {
        written.push(format!("\"system\":{system}"));
    }
    Some(Bytes::from(format!("{{{}}}", written.join(","))))
}

/// A system prompt with what the context has of one behind it.
fn joined_system(own: Option<&[u8]>, added: &str) -> Option<String> {
    let mut blocks = match own {
        Some(own) => blocks_of(own)?,
        None => Vec::new(),
    };
    blocks.extend(blocks_of(added.as_bytes())?);
    Some(format!("[{}]", blocks.join(",")))
}

fn blocks_of(raw: &[u8]) -> Option<Vec<String>> {
    if let Ok(text) = serde_json::from_slice::<String>(raw) {
        return Some(vec![json!({"type": "text", "text": text}).to_string()]);
    }
    let blocks: Vec<&RawValue> = serde_json::from_slice(raw).ok()?;
    Some(blocks.into_iter().map(|block| block.get().to_owned()).collect())
}

/// Fields of an object in their order, their values as they were written.
pub(crate) struct Fields(pub(crate) Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        from.deserialize_map(Read)
    }
}

/// The body with another list; every other field stays as it was.
pub(crate) fn with_list(body: &[u8], asked: &Asked) -> Option<Bytes> {
    let messages =
        asked.list.iter().map(|raw| serde_json::from_slice(raw)).collect::<Result<Vec<_>, _>>().ok()?;
    let context =
        Context { summary_version: None, system: None, messages, masked: Vec::new(), omitted: Vec::new() };
    replaced(body, asked, &context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_list_is_replaced_and_numbers_stay_as_they_were_written() {
        let body = Bytes::from_static(
            br#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"old"}],"seed":12345678901234567890123,"tools":[ {"a" : 1.50} ]}"#,
        );
        let asked = Asked::read(Endpoint::ChatCompletions, &body).unwrap();
        let context =
            r#"{"summary_version":1,"messages":[{"role":"user","content":"new"}],"masked":[],"omitted":[]}"#;
        let context: Context<'_> = serde_json::from_str(context).unwrap();
        let expected = r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"new"}],"seed":12345678901234567890123,"tools":[ {"a" : 1.50} ]}"#;
        assert_eq!(replaced(&body, &asked, &context).unwrap(), expected);
    }

    #[test]
    fn a_system_prompt_keeps_its_blocks_before_what_the_context_adds() {
        let body = Bytes::from_static(br#"{"system":"own","messages":[]}"#);
        let asked = Asked::read(Endpoint::Messages, &body).unwrap();
        let context = r#"{"summary_version":1,"system":"more","messages":[],"masked":[],"omitted":[]}"#;
        let context: Context<'_> = serde_json::from_str(context).unwrap();
        let expected =
            r#"{"system":[{"type":"text","text":"own"},{"type":"text","text":"more"}],"messages":[]}"#;
        assert_eq!(replaced(&body, &asked, &context).unwrap(), expected);
    }
}
