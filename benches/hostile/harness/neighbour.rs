//! The tenant that works while another one is hostile: it appends, reads contexts, follows events and compresses.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use futures::future::{BoxFuture, join_all};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Caller, requests};

/// Sessions with an agent each.
const SESSIONS: usize = 4;
/// How long an agent thinks.
const PAUSE: Duration = Duration::from_millis(20);
/// Turns of a conversation through the gateway.
const TURNS: usize = 50;
/// What compressing takes is not measured: that it is begun is.
const BETWEEN_COMPRESSIONS: Duration = Duration::from_millis(250);

/// What the tenant does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Call {
    Append,
    Context,
    Compress,
    Follow,
    /// A turn of an agent, through the gateway.
    Turn,
}

/// A call with how it ended; no status when no reply came.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub call: Call,
    pub took: Duration,
    pub status: Option<u16>,
}

impl Sample {
    /// Whether it is what a tenant expects who does nothing wrong.
    pub fn is_fine(&self) -> bool {
        match self.status {
            Some(200..300) => true,
            // A compression that an append began is live already.
            Some(409) => self.call == Call::Compress,
            _ => false,
        }
    }
}

#[derive(Debug, Default)]
struct Shared {
    samples: Mutex<Vec<Sample>>,
    /// The acknowledged messages of each session, in order.
    acknowledged: Mutex<BTreeMap<String, Vec<(i64, String)>>>,
    events: AtomicU64,
    is_over: AtomicBool,
}

/// The tenant at work, on a thread of its own so that the hostile one's sending does not count as its waiting.
#[derive(Debug)]
pub struct Neighbour {
    caller: Caller,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<anyhow::Result<()>>>,
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
    }
}

impl Neighbour {
    /// Makes the sessions and sets to work, with an agent behind the gateway where it has a provider.
    pub async fn start(caller: Caller, has_provider: bool) -> anyhow::Result<Self> {
        let caller = caller.apart()?;
        for session in sessions() {
            caller.put(&format!("/v1/sessions/{session}"), &json!({"context_window": 16_000})).await?;
        }
        let shared = Arc::new(Shared::default());
        let (working, at_work) = (caller.clone(), Arc::clone(&shared));
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(work(working, &at_work, has_provider));
            anyhow::Ok(())
        });
        Ok(Self { caller, shared, thread: Some(thread) })
    }

    /// What was called since the last time.
    pub fn samples(&self) -> Vec<Sample> {
        std::mem::take(&mut self.shared.samples.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends the work.
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        self.shared.is_over.store(true, Ordering::Relaxed);
        let thread = self.thread.take().context("it is stopped once")?;
        tokio::task::spawn_blocking(|| thread.join()).await?.map_err(|_| anyhow::anyhow!("it panicked"))?
    }

    /// Fails unless every acknowledged message is stored in its place, and nothing else is; gives how many there are.
    pub async fn verify(&self) -> anyhow::Result<usize> {
        ensure!(self.shared.events.load(Ordering::Relaxed) > 0, "no event arrived");
        let all = self.shared.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut count = 0;
        for (session, acknowledged) in all {
            let stored = stored(&self.caller, &session).await?;
            let mut places = stored.iter().zip(&acknowledged);
            ensure!(
                stored.len() == acknowledged.len()
                    && places.all(|(stored, acknowledged)| stored == acknowledged),
                "{session}: {} messages were acknowledged, and {} are stored or not as they were sent",
                acknowledged.len(),
                stored.len()
            );
            count += stored.len();
        }
        Ok(count)
    }
}

fn sessions() -> impl Iterator<Item = String> + Clone {
    (0..SESSIONS).map(|number| format!("agent-{number}"))
}

/// Position and text of every message of a session.
async fn stored(caller: &Caller, session: &str) -> anyhow::Result<Vec<(i64, String)>> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = caller.get(&format!("/v1/sessions/{session}/messages?limit=1000{cursor}")).await?;
        for item in page.get("items").and_then(Value::as_array).context("items")? {
            let seq = item.get("seq").and_then(Value::as_i64).context("a position")?;
            let content = item.pointer("/message/content").and_then(Value::as_str).context("a text")?;
            all.push((seq, content.to_owned()));
        }
        match page.get("next_cursor").and_then(Value::as_str) {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(all),
        }
    }
}

async fn work(caller: Caller, shared: &Shared, has_provider: bool) {
    let mut workers: Vec<BoxFuture<'_, ()>> = Vec::new();
    for session in sessions() {
        workers.push(Box::pin(append(caller.clone(), shared, session.clone())));
        workers.push(Box::pin(read(caller.clone(), shared, session)));
    }
    workers.push(Box::pin(compress(caller.clone(), shared)));
    if has_provider {
        workers.push(Box::pin(turns(caller.clone(), shared)));
    }
    // Following has no end of its own.
    tokio::select! {
        _ = join_all(workers) => {}
        () = follow(caller, shared) => {}
    }
}

/// Sends a request, and writes down how it ended.
async fn measured(shared: &Shared, call: Call, request: reqwest::RequestBuilder) -> Option<Value> {
    let begun = Instant::now();
    let reply = match request.send().await {
        Ok(reply) => Ok((reply.status(), reply.bytes().await)),
        Err(error) => Err(error),
    };
    let (status, body) = match reply {
        Ok((status, Ok(body))) => (Some(status), body),
        Ok((_, Err(_))) | Err(_) => (None, axum::body::Bytes::new()),
    };
    let sample = Sample { call, took: begun.elapsed(), status: status.map(|status| status.as_u16()) };
    shared.samples.lock().unwrap_or_else(PoisonError::into_inner).push(sample);
    status.filter(reqwest::StatusCode::is_success).and_then(|_| serde_json::from_slice(&body).ok())
}

async fn append(caller: Caller, shared: &Shared, session: String) {
    let path = format!("/v1/sessions/{session}/messages");
    let mut turn = 0;
    while !shared.is_over.load(Ordering::Relaxed) {
        let texts = [0, 1].map(|part| format!("{session} {turn} {part}: {}", requests::text(400, turn)));
        let [asked, said] = &texts;
        let messages = json!([{"role": "user", "content": asked}, {"role": "assistant", "content": said}]);
        let request = caller.request(Method::POST, &path).header("content-type", "application/json");
        let request = request.body(json!({ "messages": messages }).to_string());
        if let Some(reply) = measured(shared, Call::Append, request).await
            && let Some(first) = reply.get("first_seq").and_then(Value::as_i64)
        {
            let mut acknowledged = shared.acknowledged.lock().unwrap_or_else(PoisonError::into_inner);
            acknowledged.entry(session.clone()).or_default().extend((first..).zip(texts));
        }
        turn += 1;
        tokio::time::sleep(PAUSE).await;
    }
}

async fn read(caller: Caller, shared: &Shared, session: String) {
    let path = format!("/v1/sessions/{session}/context");
    while !shared.is_over.load(Ordering::Relaxed) {
        measured(shared, Call::Context, caller.request(Method::GET, &path)).await;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Turns of an agent whose conversation begins anew after some.
async fn turns(caller: Caller, shared: &Shared) {
    let (mut list, mut turn) = (Vec::new(), 0);
    while !shared.is_over.load(Ordering::Relaxed) {
        list.push(json!({"role": "user", "content": format!("turn {turn}: {}", requests::text(400, turn))}));
        let request =
            caller.request(Method::POST, requests::TURNS).header("content-type", "application/json");
        let body = json!({"model": "gpt-4o", "messages": list, "stream": true}).to_string();
        measured(shared, Call::Turn, request.body(body)).await;
        turn += 1;
        if turn % TURNS == 0 {
            list.clear();
        } else {
            list.push(json!({"role": "assistant", "content": "Done."}));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn compress(caller: Caller, shared: &Shared) {
    for session in sessions().cycle() {
        if shared.is_over.load(Ordering::Relaxed) {
            return;
        }
        let path = format!("/v1/sessions/{session}/compressions");
        let request = caller.request(Method::POST, &path).header("content-type", "application/json");
        measured(shared, Call::Compress, request.body(r#"{"target": 0.5}"#)).await;
        tokio::time::sleep(BETWEEN_COMPRESSIONS).await;
    }
}

/// Follows a session's events for ever, and comes back when the stream ends.
async fn follow(caller: Caller, shared: &Shared) {
    let path = format!("/v1/sessions/{}/events", sessions().next().unwrap_or_default());
    loop {
        let begun = Instant::now();
        let reply = caller.request(Method::GET, &path).timeout(Duration::from_hours(1)).send().await;
        let status = reply.as_ref().ok().map(|reply| reply.status().as_u16());
        let sample = Sample { call: Call::Follow, took: begun.elapsed(), status };
        shared.samples.lock().unwrap_or_else(PoisonError::into_inner).push(sample);
        if let Ok(mut reply) = reply {
            while let Ok(Some(chunk)) = reply.chunk().await {
                let events = chunk.windows(5).filter(|bytes| bytes == b"data:").count();
                shared.events.fetch_add(u64::try_from(events).unwrap_or_default(), Ordering::Relaxed);
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}
