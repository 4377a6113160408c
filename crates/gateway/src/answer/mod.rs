//! What a provider answered, read from a copy of its bytes while they pass, as the messages that an agent's next list has.
//!
//! Invariant: nothing here is in the way of the bytes; a copy that cannot be read keeps nothing.

mod anthropic;
mod chat;
mod responses;

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use axum::body::Bytes;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt as _, TryStreamExt as _};
use serde::Deserialize;
use serde_json::{Map, Value};
use sse_stream::SseStream;
use tokio::io::AsyncRead;
use tokio_util::io::{ReaderStream, StreamReader};

use crate::request::Endpoint;
use anchord_http::admission::bodies::{Bodies, Reserved};
use anchord_messages::id::TenantId;

/// The most bytes of an answer that are read, and for how many at a time memory is taken.
const MAX_BYTES: usize = 8 * 1024 * 1024;
const STEP_BYTES: usize = 16 * 1024;
/// What stands at the end of an answer that did not come to its own.
const CUT_OFF: &str = "[The answer was cut off here.]";

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Messages or items, as JSON.
    pub(crate) messages: Vec<String>,
    /// Whether it came to its end.
    pub(crate) is_whole: bool,
}

/// Collects the parts of a streamed answer.
trait Collect: Send {
    /// Takes an event's data. Returns whether the answer has come to its end.
    fn take(&mut self, data: &str) -> bool;
    /// The messages so far; of those that are not whole with a word about it.
    fn messages(self: Box<Self>, is_whole: bool) -> Vec<String>;
}

/// How an answer comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape<'h> {
    pub(crate) endpoint: Endpoint,
    pub(crate) content_type: &'h str,
    pub(crate) encoding: &'h str,
}

/// Memory for a copy of an answer, taken as it grows.
struct Room {
    tenant: TenantId,
    bodies: Bodies,
    held: Vec<Reserved>,
    left: usize,
    taken: usize,
}

impl Room {
    /// Takes room for so many bytes more. Returns whether there was.
    fn take(&mut self, bytes: usize) -> bool {
        self.taken += bytes;
        while self.left < bytes && self.taken <= MAX_BYTES {
            let Some(more) = self.bodies.reserve(self.tenant, STEP_BYTES) else { return false };
            self.held.push(more);
            self.left += STEP_BYTES;
        }
        self.left = self.left.saturating_sub(bytes);
        self.taken <= MAX_BYTES
    }
}

/// Reads an answer to its end, or as far as it comes. One for which there is no room is none: the agent's next list has it.
pub(crate) async fn read(
    shape: Shape<'_>,
    (tenant, bodies): (TenantId, Bodies),
    chunks: impl Stream<Item = Bytes> + Send + Unpin + 'static,
) -> Answer {
    let Some(plain) = decoded(shape.encoding, chunks) else { return Answer::default() };
    let mut room = Room { tenant, bodies, held: Vec::new(), left: 0, taken: 0 };
    let fits = Arc::new(AtomicBool::new(true));
    let still_fits = Arc::clone(&fits);
    let chunks = ReaderStream::new(plain).take_while(move |chunk| {
        let has = chunk.as_ref().is_ok_and(|chunk| room.take(chunk.len())) || chunk.is_err();
        still_fits.fetch_and(has, Ordering::Relaxed);
        std::future::ready(has)
    });
    let chunks = chunks.boxed();
    let answer = if shape.content_type.starts_with("text/event-stream") {
        read_events(shape.endpoint, chunks).await
    } else {
        read_whole(shape.endpoint, chunks).await
    };
    if !fits.load(Ordering::Relaxed) {
        return Answer::default();
    }
    Answer { messages: answer.messages.into_iter().filter_map(of_assistant).collect(), ..answer }
}

/// A message of an answer under the only role that an answer has: what a provider writes is no person's word and no rule of
/// the system's. `None` when it cannot be read.
fn of_assistant(message: String) -> Option<String> {
    #[derive(Deserialize)]
    struct Spoken<'m> {
        #[serde(borrow)]
        role: Option<Cow<'m, str>>,
    }
    if serde_json::from_str::<Spoken<'_>>(&message)
        .is_ok_and(|spoken| spoken.role.is_none_or(|role| role == "assistant"))
    {
        return Some(message);
    }
    let mut fields: Map<String, Value> = serde_json::from_str(&message).ok()?;
    fields.insert("role".to_owned(), "assistant".into());
    Some(Value::Object(fields).to_string())
}

type Chunks = BoxStream<'static, io::Result<Bytes>>;
type Reader = Box<dyn AsyncRead + Send + Unpin>;

/// The bytes behind an encoding; `None` for one that is not known.
pub(crate) fn decoded(
    encoding: &str,
    chunks: impl Stream<Item = Bytes> + Send + Unpin + 'static,
) -> Option<Reader> {
    let reader = StreamReader::new(chunks.map(Ok::<_, io::Error>));
    Some(match encoding.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Box::new(reader),
        "gzip" | "x-gzip" => Box::new(GzipDecoder::new(reader)),
        "deflate" => Box::new(ZlibDecoder::new(reader)),
        "br" => Box::new(BrotliDecoder::new(reader)),
        "zstd" => Box::new(ZstdDecoder::new(reader)),
        _ => return None,
    })
}

async fn read_events(endpoint: Endpoint, chunks: Chunks) -> Answer {
    let mut collected: Box<dyn Collect> = match endpoint {
        Endpoint::Messages => Box::<anthropic::Message>::default(),
        Endpoint::ChatCompletions => Box::<chat::Message>::default(),
        Endpoint::Responses => Box::<responses::Items>::default(),
    };
    let mut events = Box::pin(SseStream::from_bytes_stream(chunks));
    let mut is_whole = false;
    // What cannot be read ends the answer where it stands.
    while let Some(Ok(event)) = events.next().await {
        is_whole |= event.data.is_some_and(|data| collected.take(&data));
    }
    Answer { messages: collected.messages(is_whole), is_whole }
}

async fn read_whole(endpoint: Endpoint, chunks: Chunks) -> Answer {
    let Ok(body) = chunks.try_collect::<Vec<Bytes>>().await else { return Answer::default() };
    let body = body.concat();
    let messages = match endpoint {
        Endpoint::Messages => anthropic::whole(&body),
        Endpoint::ChatCompletions => chat::whole(&body),
        Endpoint::Responses => responses::whole(&body),
    };
    Answer { is_whole: !messages.is_empty(), messages }
}

#[cfg(test)]
mod tests;
