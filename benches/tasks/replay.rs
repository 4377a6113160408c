//! One session, played back in one way.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anchord_messages::format::{self, Format};
use anchord_messages::message::Role;
use anchord_messages::shape::Shape;
use anchord_messages::tokens::TokenCounter;
use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::client::{Connection, request};
use crate::sessions::Session;
use crate::tally::Tally;
use crate::ways::{WINDOW_MESSAGES, Way};

/// The share of the window that a prompt may fill, as the service takes it when nothing else is told.
const USABLE_PERCENT: u64 = 80;
/// A compression that takes longer than a model's answer is a fault of the bench's machine.
const PATIENCE: Duration = Duration::from_mins(1);
/// Messages of one append; what lies between two calls may be a whole transcript of console lines.
const BATCH: usize = 200;

/// Where sessions are played.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// The model's context window.
    pub window: u32,
    /// What a compression fills, when it is not the default.
    pub fill: Option<f64>,
    /// The service.
    pub address: SocketAddr,
}

impl Stage {
    /// Plays a session back: a prompt before each message of the agent.
    pub async fn play(
        &self,
        way: Way,
        number: usize,
        session: &Session,
        tally: &mut Tally,
    ) -> anyhow::Result<()> {
        let mut counts = Counts::default();
        let Some(mut settings) = way.settings(self.window) else {
            count_out(way, session, self.window, &mut counts, tally);
            return Ok(());
        };
        if let (Some(fill), Some(fields)) = (self.fill, settings.as_object_mut()) {
            fields.insert("fill".to_owned(), fill.into());
        }
        let name = format!("{}-{number}", way.name().replace([' ', '+'], "-"));
        let mut service = Service { connection: Connection::open(self.address).await?, name };
        service.put(&settings).await?;
        ask_service(&mut service, session, self.window, &mut counts, tally).await
    }
}

/// Tokens of messages by their JSON text, on one basis for all ways.
#[derive(Default)]
struct Counts {
    counter: TokenCounter,
    known: HashMap<String, u64>,
}

impl Counts {
    fn of(&mut self, raw: &str) -> u64 {
        if let Some(known) = self.known.get(raw) {
            return *known;
        }
        // What the service serves is valid; what a transcript holds was read before.
        let message = format::parse(Format::OpenaiChat, raw).ok();
        let tokens = message.map_or(0, |message| u64::from(Shape::measure(&message, &self.counter).0));
        self.known.insert(raw.to_owned(), tokens);
        tokens
    }
}

/// The ways that need no service: each prompt is a part of the transcript.
fn count_out(way: Way, session: &Session, window: u32, counts: &mut Counts, tally: &mut Tally) {
    let tokens: Vec<u64> = session.raw.iter().map(|raw| counts.of(raw)).collect();
    let roles: Vec<Role> = session.messages.iter().map(|message| message.message.role).collect();
    let system = roles.iter().take_while(|role| matches!(role, Role::System | Role::Developer)).count();
    let sum = |from: usize, to: usize| tokens.get(from..to).unwrap_or_default().iter().sum::<u64>();
    let usable = u64::from(window) * USABLE_PERCENT / 100;
    // Where the prompt before went on after the system prompt, and where it ended.
    let mut before: Option<(usize, usize)> = None;
    let mut start = system;
    for at in (0..roles.len()).filter(|at| roles.get(*at) == Some(&Role::Assistant)) {
        let end = at.max(system);
        start = match way {
            Way::Truncation => {
                while start < end && sum(0, system) + sum(start, end) > usable {
                    start += 1;
                }
                // A result without its call is refused.
                while start < end && roles.get(start) == Some(&Role::Tool) {
                    start += 1;
                }
                start
            }
            Way::Window => {
                let mut start = end.saturating_sub(WINDOW_MESSAGES).max(system);
                while start < end && roles.get(start) == Some(&Role::Tool) {
                    start += 1;
                }
                start
            }
            Way::Everything | Way::Masking | Way::Anchored | Way::AnchoredMasking => system,
        };
        let same = match before {
            Some((earlier, ended)) if earlier == start => sum(0, system) + sum(start, ended),
            Some(_) => sum(0, system),
            None => 0,
        };
        tally.add(sum(0, system) + sum(start, end), same, window);
        before = Some((start, end));
    }
}

/// The ways of the service: what it serves before each message of the agent.
async fn ask_service(
    service: &mut Service,
    session: &Session,
    window: u32,
    counts: &mut Counts,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let mut sent = 0;
    let mut before: Vec<String> = Vec::new();
    for at in 0..session.raw.len() {
        let role = session.messages.get(at).map(|message| message.message.role);
        if at == 0 || role != Some(Role::Assistant) {
            continue;
        }
        let due = session.raw.get(sent..at).unwrap_or_default();
        let mut works = false;
        for batch in due.chunks(BATCH) {
            works |= service.append(batch).await?;
        }
        sent = at;
        let prompt = service.context().await?;
        let same: u64 =
            prompt.iter().zip(&before).take_while(|(now, then)| now == then).map(|(m, _)| counts.of(m)).sum();
        tally.add(prompt.iter().map(|message| counts.of(message)).sum(), same, window);
        before = prompt;
        // While the model answers, the service compresses.
        if works {
            service.rest().await?;
        }
    }
    Ok(())
}

struct Service {
    connection: Connection,
    name: String,
}

#[derive(Deserialize)]
struct Context {
    messages: Vec<Box<RawValue>>,
}

impl Service {
    async fn put(&mut self, settings: &serde_json::Value) -> anyhow::Result<()> {
        let put = request("PUT", format_args!("/v1/sessions/{}", self.name), &settings.to_string());
        self.connection.json(&put).await.map(drop)
    }

    /// Appends messages; whether a compression has been asked for.
    async fn append(&mut self, messages: &[String]) -> anyhow::Result<bool> {
        let body = format!(r#"{{"format":"openai-chat","messages":[{}]}}"#, messages.join(","));
        let post = request("POST", format_args!("/v1/sessions/{}/messages", self.name), &body);
        let reply = self.connection.json(&post).await?;
        Ok(reply.get("compression").is_some_and(|live| !live.is_null()))
    }

    async fn context(&mut self) -> anyhow::Result<Vec<String>> {
        let get = request("GET", format_args!("/v1/sessions/{}/context?format=openai-chat", self.name), "");
        let reply = self.connection.call(&get).await?;
        ensure!(reply.status == 200, "the service answered {}", reply.status);
        let context: Context = serde_json::from_slice(reply.body).context("a context")?;
        Ok(context.messages.iter().map(|message| message.get().to_owned()).collect())
    }

    /// Waits until no compression of the session is alive.
    async fn rest(&mut self) -> anyhow::Result<()> {
        let get = request("GET", format_args!("/v1/sessions/{}", self.name), "");
        let started = Instant::now();
        while self.connection.json(&get).await?.get("compression").is_some_and(|live| !live.is_null()) {
            ensure!(started.elapsed() < PATIENCE, "a compression is not done after {PATIENCE:?}");
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
        Ok(())
    }
}
