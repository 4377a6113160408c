//! The memory for replies that are being sent: a total for the process, a share of it for each tenant, and the least
//! pace at which a client takes one.
//!
//! A small reply is not counted: it takes no more than its connection does. A reply without a known length is made page
//! by page, so it counts as one page; event streams have a limit of their own ([`crate::admission::streams`]).

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use hyper::body::{Frame, SizeHint};

use crate::admission::memory::{Memory, units};
use crate::problem::ApiError;
use anchord_messages::id::TenantId;
use anchord_runtime::shares::Permit;

/// Replies up to this size are not counted, and larger ones are handed over in pieces of it.
const PIECE: usize = 64 * 1_024;
/// Size of a reply without a known length.
const PAGE: usize = 4 * 1_024 * 1_024;
/// How long a client may let a reply wait, besides the time that it needs at the least pace.
const GRACE: Duration = Duration::from_secs(30);
/// The least pace in bytes per second.
const LEAST_PACE: u32 = 32 * 1_024;
/// Subjects of a refusal.
const OF_TENANT: &str = "the replies that the tenant has not taken yet";
const OF_ALL: &str = "the replies that are being sent";

/// The memory for replies of all tenants.
#[derive(Clone, Debug)]
pub struct Replies {
    sent: Memory,
    /// Replies that wait for others to be taken are in memory too, and have limits of the same size.
    waiting: Memory,
}

impl Replies {
    /// A total in bytes, of which a tenant has a quarter.
    pub fn new(total: usize) -> Self {
        let [sent, waiting] = [(); 2].map(|()| Memory::new(units(total), 0, [OF_TENANT, OF_ALL]));
        Self { sent, waiting }
    }

    pub(crate) async fn admit(&self, tenant: Option<TenantId>, response: Response) -> Response {
        let size = response.body().size_hint().exact();
        let bytes = match size.map(|size| usize::try_from(size).unwrap_or(usize::MAX)) {
            Some(small) if small <= PIECE => return response,
            Some(large) => large,
            None if is_event_stream(&response) => return response,
            None => PAGE,
        };
        match self.take(tenant, units(bytes)).await {
            Ok(memory) => response.map(|body| Body::new(Paced::new(body, memory))),
            Err(refused) => refused.into_response(),
        }
    }

    async fn take(&self, tenant: Option<TenantId>, units: u32) -> Result<Permit, ApiError> {
        if let Ok(memory) = self.sent.try_take(tenant, units) {
            return Ok(memory);
        }
        let _waiting = self.waiting.try_take(tenant, units)?;
        self.sent.take(tenant, units).await
    }
}

fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// A reply that is handed over in pieces, and broken off when the client takes it too slowly.
struct Paced {
    body: Body,
    rest: Bytes,
    handed_over: u64,
    /// When the last piece was handed over, until the next one is asked for.
    since: Option<Instant>,
    waited: Duration,
    _memory: Permit,
}

impl Paced {
    fn new(body: Body, memory: Permit) -> Self {
        Self {
            body,
            rest: Bytes::new(),
            handed_over: 0,
            since: None,
            waited: Duration::ZERO,
            _memory: memory,
        }
    }

    fn hand_over(&mut self) -> Frame<Bytes> {
        let piece = self.rest.split_to(self.rest.len().min(PIECE));
        self.handed_over += u64::try_from(piece.len()).unwrap_or_default();
        self.since = Some(Instant::now());
        Frame::data(piece)
    }

    fn is_too_slow(&self) -> bool {
        let needed = Duration::from_secs(self.handed_over / u64::from(LEAST_PACE));
        self.waited > GRACE + needed
    }
}

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(since) = self.since.take() {
            self.waited += since.elapsed();
        }
        if self.is_too_slow() {
            let error = io::Error::new(io::ErrorKind::TimedOut, "the client takes the reply too slowly");
            return Poll::Ready(Some(Err(axum::Error::new(error))));
        }
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.hand_over())));
        }
        match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => {
                    self.rest = data;
                    Poll::Ready(Some(Ok(self.hand_over())))
                }
                Err(trailers) => Poll::Ready(Some(Ok(trailers))),
            },
            ended => Poll::Ready(ended),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        let rest = u64::try_from(self.rest.len()).unwrap_or(u64::MAX);
        let lower = hint.lower().saturating_add(rest);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint.set_lower(lower);
        hint
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;
    use http_body_util::BodyExt as _;

    use super::*;

    fn large(bytes: usize) -> Response {
        Body::from(vec![b'x'; bytes]).into_response()
    }

    #[tokio::test]
    async fn a_large_reply_comes_whole_in_pieces_and_counts_until_it_is_taken() {
        let replies = Replies::new(4 * 1_024 * 1_024);
        let admit = async |bytes| replies.admit(None, large(bytes)).await;
        let first = admit(1_000_000).await;
        assert_eq!(first.body().size_hint().exact(), Some(1_000_000));
        let (waited, refused) = tokio::join!(admit(1_000_000), admit(1_000_000));
        assert_eq!(
            (waited.status().as_u16(), refused.status().as_u16()),
            (503, 503),
            "nobody takes the first"
        );
        assert_eq!(admit(PIECE).await.status(), 200, "a small one is not counted");
        let mut pieces = first.into_body().into_data_stream();
        assert_eq!(pieces.next().await.unwrap().unwrap().len(), PIECE);
        let take = async {
            let mut rest = 0;
            while let Some(piece) = pieces.next().await {
                rest += piece.unwrap().len();
            }
            drop(pieces);
            rest
        };
        let (waited, rest) = tokio::join!(admit(1_000_000), take);
        assert_eq!((waited.status().as_u16(), rest), (200, 1_000_000 - PIECE));
        drop(waited);
        assert_eq!(admit(3_000_000).await.status(), 200, "alone, also beyond the share");
    }

    #[tokio::test]
    async fn a_reply_that_is_taken_too_slowly_is_broken_off() {
        let memory = Memory::new(4, 0, [OF_TENANT, OF_ALL]);
        let mut body = Paced::new(Body::from(vec![b'x'; 4 * PIECE]), memory.try_take(None, 1).unwrap());
        assert!(body.frame().await.unwrap().is_ok());
        body.waited = GRACE + Duration::from_secs(1);
        assert!(body.frame().await.unwrap().is_ok(), "it needs two seconds for a piece");
        body.waited = GRACE + Duration::from_secs(5);
        assert!(body.frame().await.unwrap().is_err());
    }
}
