//! Reads what is left of a request's body when its reply is there already, and throws it away.
//!
//! A connection that is closed while bytes are still coming is reset, and then a client that is about to send the rest of a
//! body learns that its pipe is broken, and not why the body was refused.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::runtime::Handle;

/// The most bytes that are read for nobody: four of the largest bodies that are taken by default.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// How long that may take.
pub(crate) const LONGEST: Duration = Duration::from_secs(5);

/// A request's body whose rest is read when it is dropped.
#[derive(Debug)]
pub(crate) struct Lingering {
    /// `None` when it was read to its end.
    body: Option<Incoming>,
    /// Whether the client sends the body only when somebody begins to read it (`Expect: 100-continue`).
    is_held_back: bool,
}

impl Lingering {
    pub(crate) fn new(body: Incoming, is_held_back: bool) -> Self {
        Self { body: Some(body), is_held_back }
    }
}

impl HttpBody for Lingering {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.is_held_back = false;
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = std::task::ready!(Pin::new(body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            self.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        let Some(mut body) = self.body.take().filter(|body| !body.is_end_stream()) else { return };
        if self.is_held_back || body.size_hint().lower() > MOST_BYTES {
            return;
        }
        // None when the process ends.
        let Ok(runtime) = Handle::try_current() else { return };
        let rest = async move {
            let mut read = 0;
            while let Some(Ok(frame)) = body.frame().await {
                read += frame.data_ref().map_or(0, |data| data.len() as u64);
                if read > MOST_BYTES {
                    break;
                }
            }
        };
        // It ends with its connection, for which a shutdown waits.
        runtime.spawn(tokio::time::timeout(LONGEST, rest));
    }
}
