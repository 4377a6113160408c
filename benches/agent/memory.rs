//! The ways of managing the context that the agent works under: messages go in, prompts come out.

use std::time::Duration;

use anchord_economy::history::{History, SUMMARY_TOKENS, capped};
use anchord_economy::piece::{Piece, count};
use anchord_economy::tally::Sent;
use anchord_messages::format::Format;
use anyhow::Context as _;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::client::{Connection, request};
use crate::facts::{Depot, Facts};

/// How often a compression that runs is looked for.
const POLL: Duration = Duration::from_millis(5);

/// A way of managing the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Every message, in a window that holds them all.
    Uncompressed,
    /// The oldest half goes when the window is full.
    Truncate,
    /// One summary in place of everything but the last group.
    Compact,
    /// The service, with its defaults.
    Service,
    /// The service, with its tools offered to the agent.
    Tools,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Uncompressed, Self::Truncate, Self::Compact, Self::Service, Self::Tools];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uncompressed => "uncompressed",
            Self::Truncate => "truncate",
            Self::Compact => "compact",
            Self::Service => "service",
            Self::Tools => "service, tools",
        }
    }
}

/// The service's tools as they are offered.
#[derive(Clone, Deserialize)]
pub struct Offered {
    tools: Box<RawValue>,
    tokens: u32,
}

/// A session of the service.
pub struct Session<'a> {
    connection: &'a mut Connection,
    path: String,
    /// The definitions of the tools, which each prompt begins with.
    definitions: Option<Piece>,
}

/// The messages so far, as a way keeps them.
pub enum Memory<'a> {
    /// On this side.
    Here(Way, History, usize),
    /// In the service.
    There(Session<'a>),
}

impl<'a> Memory<'a> {
    /// A way without the service. Outputs above so many bytes are cut when they arrive.
    pub fn here(way: Way, cap: usize) -> Self {
        Self::Here(way, History { system: Vec::new(), messages: Vec::new() }, cap)
    }

    /// A session of the service.
    pub async fn there(
        connection: &'a mut Connection,
        name: &str,
        window: u32,
        has_tools: bool,
    ) -> anyhow::Result<Self> {
        let path = format!("/v1/sessions/{name}");
        let mut settings = json!({"context_window": window});
        let mut definitions = None;
        if has_tools {
            let ask = request("GET", format_args!("/v1/tools?format=openai-chat"), "");
            let offered: Offered = serde_json::from_slice(connection.done(&ask).await?.body)?;
            definitions = Some(Piece::system(offered.tools.get()));
            settings = json!({"context_window": window, "tools": "offered", "system_tokens": offered.tokens});
        }
        connection.done(&request("PUT", format_args!("{path}"), &settings.to_string())).await?;
        Ok(Self::There(Session { connection, path, definitions }))
    }

    /// Takes messages in and gives the prompt that follows; `None` where none fits the window.
    pub async fn prompt(
        &mut self,
        messages: &[Value],
        sent: &mut Sent,
    ) -> anyhow::Result<Option<Vec<Piece>>> {
        match self {
            Self::Here(way, history, cap) => {
                for message in messages {
                    let piece = Piece::read(Format::OpenaiChat, &message.to_string())?;
                    if piece.role.is_system() {
                        history.system.push(piece);
                    } else if piece.has_results && *way != Way::Uncompressed {
                        history.messages.push(capped(&piece, Format::OpenaiChat, *cap));
                    } else {
                        history.messages.push(piece);
                    }
                }
                match way {
                    Way::Truncate => history.truncate(sent),
                    Way::Compact => {
                        let room = sent.bytes(SUMMARY_TOKENS);
                        history.compact(sent, None, |old| summary(old, room));
                    }
                    Way::Uncompressed | Way::Service | Way::Tools => {}
                }
                Ok(Some(history.prompt()))
            }
            Self::There(session) => session.prompt(messages).await,
        }
    }

    /// Calls one of the service's tools.
    pub async fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<String> {
        let Self::There(session) = self else { anyhow::bail!("{tool} is the service's") };
        let body = json!({"arguments": arguments}).to_string();
        let call = request("POST", format_args!("{}/tools/{tool}", session.path), &body);
        let reply = session.connection.json(&call).await?;
        Ok(reply.get("content").and_then(Value::as_str).context("a result")?.to_owned())
    }

    /// The service's compressions.
    pub async fn compressions(&mut self) -> anyhow::Result<usize> {
        let Self::There(session) = self else { return Ok(0) };
        let items = session.compressions(200).await?;
        Ok(items.iter().filter(|status| *status == "succeeded").count())
    }
}

impl Session<'_> {
    /// Whether the agent is offered the service's tools.
    pub fn has_tools(&self) -> bool {
        self.definitions.is_some()
    }

    async fn prompt(&mut self, messages: &[Value]) -> anyhow::Result<Option<Vec<Piece>>> {
        let body = json!({"format": "openai-chat", "messages": messages}).to_string();
        let append = request("POST", format_args!("{}/messages?return=context", self.path), &body);
        let reply = self.connection.json(&append).await?;
        // A model takes longer to answer than a compression takes.
        while self.compressions(1).await?.iter().any(|status| status == "queued" || status == "running") {
            tokio::time::sleep(POLL).await;
        }
        let Some(served) = reply.pointer("/context/messages").and_then(Value::as_array) else {
            return Ok(None);
        };
        let served = served.iter().map(|message| Ok(Piece::read(Format::OpenaiChat, &message.to_string())?));
        let prompt = self.definitions.iter().cloned().map(Ok).chain(served);
        prompt.collect::<anyhow::Result<Vec<Piece>>>().map(Some)
    }

    async fn compressions(&mut self, limit: u32) -> anyhow::Result<Vec<String>> {
        let list = request("GET", format_args!("{}/compressions?limit={limit}", self.path), "");
        let reply = self.connection.json(&list).await?;
        let items = reply.get("items").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        Ok(items.iter().filter_map(|item| Some(item.get("status")?.as_str()?.to_owned())).collect())
    }
}

/// A summary as a good one would be: the depots, what the person wants, and every fact of a depot that somebody has asked for,
/// the depots that come last in the list first, as far as there is room.
fn summary(old: &[Piece], room: f64) -> Piece {
    let facts = Facts::read(old.iter().map(|piece| &*piece.text));
    let mut lines = vec!["Summary of the conversation so far.".to_owned()];
    if !facts.names.is_empty() {
        lines.push(format!("Depots, in order: {}", facts.names.join(", ")));
    }
    lines.extend(facts.wishes());
    let known = facts.names.iter().rev().filter_map(|name| {
        let mut depot = facts.depot(name);
        if !facts.added.contains(name) {
            depot.dispatcher = None;
        }
        (depot != Depot::default()).then(|| format!("{name}: {depot}."))
    });
    lines.extend(known);
    let mut text = String::new();
    for line in lines {
        if count(text.len() + line.len()) > room {
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    let json = json!({"role": "user", "content": text}).to_string();
    Piece::read(Format::OpenaiChat, &json).unwrap_or_else(|_| Piece::system(&text))
}
