//! Appends a text to an answer while it passes: what code kept, behind the summary of an agent's own model.
//!
//! Invariant: every other event passes as it came.

use std::collections::VecDeque;
use std::time::Duration;

use axum::body::Bytes;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};

use crate::request::Endpoint;

/// How long an answer waits at its end for what is appended.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The most bytes of an event that is waited for.
const MAX_EVENT_BYTES: usize = 1024 * 1024;

/// A text that is being made.
pub(crate) type Pending = BoxFuture<'static, Option<String>>;

struct Appending<E> {
    endpoint: Endpoint,
    upstream: BoxStream<'static, Result<Bytes, E>>,
    /// The begin of an event.
    begun: Vec<u8>,
    out: VecDeque<Result<Bytes, E>>,
    /// `None` once it is appended.
    text: Option<Pending>,
    /// The block of text that is open.
    open: Option<u64>,
    has_ended: bool,
}

/// The events of an answer, with a text at the end of its own.
pub(crate) fn append<E: Send + 'static>(
    endpoint: Endpoint,
    upstream: BoxStream<'static, Result<Bytes, E>>,
    text: Pending,
) -> BoxStream<'static, Result<Bytes, E>> {
    let begun = Vec::new();
    let out = VecDeque::new();
    let appending =
        Appending { endpoint, upstream, begun, out, text: Some(text), open: None, has_ended: false };
    stream::unfold(appending, |mut appending| async move {
        let chunk = appending.next().await?;
        Some((chunk, appending))
    })
    .boxed()
}

impl<E> Appending<E> {
    async fn next(&mut self) -> Option<Result<Bytes, E>> {
        loop {
            if let Some(chunk) = self.out.pop_front() {
                return Some(chunk);
            }
            if self.has_ended {
                return None;
            }
            match self.upstream.next().await {
                Some(Ok(chunk)) => self.take(&chunk).await,
                Some(Err(error)) => {
                    self.finish();
                    self.out.push_back(Err(error));
                }
                None => self.finish(),
            }
        }
    }

    fn finish(&mut self) {
        self.has_ended = true;
        if !self.begun.is_empty() {
            self.out.push_back(Ok(std::mem::take(&mut self.begun).into()));
        }
    }

    async fn take(&mut self, chunk: &[u8]) {
        self.begun.extend_from_slice(chunk);
        while let Some(end) = end_of_event(&self.begun) {
            let rest = self.begun.split_off(end);
            let event = std::mem::replace(&mut self.begun, rest);
            let changed = if self.text.is_some() { self.change(&event).await } else { None };
            self.out.push_back(Ok(changed.unwrap_or_else(|| event.into())));
        }
        if self.begun.len() > MAX_EVENT_BYTES || self.text.is_none() {
            // There is nothing to be appended to, or nothing more to append.
            self.text = None;
            self.out.push_back(Ok(std::mem::take(&mut self.begun).into()));
        }
    }

    /// An event with the text, where it belongs to it.
    async fn change(&mut self, event: &[u8]) -> Option<Bytes> {
        let lines = std::str::from_utf8(event).ok()?;
        let data: String = lines.lines().filter_map(|line| line.strip_prefix("data:")).collect();
        let mut data: Value = serde_json::from_str(data.trim()).ok()?;
        let is =
            |data: &Value, place: &str, word: &str| data.pointer(place).is_some_and(|found| found == word);
        match self.endpoint {
            Endpoint::Messages => {
                let index = data.get("index").and_then(Value::as_u64);
                if is(&data, "/type", "content_block_start") && is(&data, "/content_block/type", "text") {
                    self.open = index;
                }
                if !is(&data, "/type", "content_block_stop") || self.open.is_none() || self.open != index {
                    return None;
                }
                let text = self.text().await?;
                let delta = json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}});
                Some(format!("event: content_block_delta\ndata: {delta}\n\n{lines}").into())
            }
            Endpoint::ChatCompletions => {
                data.pointer("/choices/0/finish_reason").filter(|reason| !reason.is_null())?;
                let text = self.text().await?;
                let chunk = data.as_object_mut()?;
                let choice = json!([{"index": 0, "delta": {"content": text}, "finish_reason": null}]);
                chunk.insert("choices".to_owned(), choice);
                chunk.remove("usage");
                Some(format!("data: {data}\n\n{lines}").into())
            }
            Endpoint::Responses => {
                if !is(&data, "/type", "response.output_item.done") || !is(&data, "/item/type", "message") {
                    return None;
                }
                let parts = data.pointer_mut("/item/content")?.as_array_mut()?;
                let last = parts.iter_mut().rfind(|part| is(part, "/type", "output_text"))?;
                let text = self.text().await?;
                let said = last.get_mut("text")?;
                *said = format!("{}{text}", said.as_str().unwrap_or_default()).into();
                Some(format!("event: response.output_item.done\ndata: {data}\n\n").into())
            }
        }
    }

    /// The text, once.
    async fn text(&mut self) -> Option<String> {
        let text = self.text.take()?;
        tokio::time::timeout(LONGEST_WAIT, text).await.ok().flatten()
    }
}

/// Where the first event ends, the empty line behind it included.
fn end_of_event(bytes: &[u8]) -> Option<usize> {
    let at = |end: &[u8]| bytes.windows(end.len()).position(|part| part == end).map(|at| at + end.len());
    match (at(b"\n\n"), at(b"\r\n\r\n")) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ANSWER: &str = concat!(
        "event: message_start\ndata: {\"type\":\"message_start\"}\n\n",
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"é\"}}\n\n",
        "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
        "data: {\"type\":\"message_stop\"}\n\ntail",
    );

    async fn through(chunks: Vec<Bytes>) -> String {
        let upstream = stream::iter(chunks.into_iter().map(Ok::<_, ()>)).boxed();
        let text = Box::pin(async { Some("FACTS".to_owned()) });
        let chunks: Vec<_> = append(Endpoint::Messages, upstream, text).collect().await;
        let bytes: Vec<u8> = chunks.into_iter().flat_map(Result::unwrap_or_default).collect();
        String::from_utf8(bytes).unwrap_or_default()
    }

    proptest! {
        #[test]
        fn wherever_chunks_are_cut_one_event_is_added_and_the_others_pass(mut cuts in prop::collection::vec(0..ANSWER.len(), 0..12)) {
            cuts.sort_unstable();
            cuts.push(ANSWER.len());
            let mut from = 0;
            let mut chunks = Vec::new();
            for cut in cuts {
                chunks.push(Bytes::copy_from_slice(&ANSWER.as_bytes()[from..cut]));
                from = cut;
            }
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let out = runtime.block_on(through(chunks));
            let added = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"FACTS\"}}\n\n";
            prop_assert_eq!(out.matches(added).count(), 1);
            prop_assert_eq!(out.replace(added, ""), ANSWER);
        }
    }
}
