//! The body of a request, read where there is room for it.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use http_body_util::{BodyExt as _, Limited};
use tokio::io::AsyncReadExt as _;

use crate::answer;
use crate::forward::Gateway;
use crate::request::{Asked, Endpoint};
use crate::upstream::Sent;
use anchord_http::admission::bodies::Reserved;
use anchord_http::admission::heavy::in_turn;
use anchord_messages::id::TenantId;

/// How often, and after which pause, room for a body is looked for.
const ROOM_TRIES: u32 = 10;
const ROOM_PAUSE: Duration = Duration::from_millis(100);
/// From so many bytes on a body is read in its tenant's turn.
const LARGE_BYTES: usize = 2 * 1024 * 1024;

/// A request that was read.
pub(crate) struct Read {
    pub(crate) body: Bytes,
    /// The same behind its encoding.
    pub(crate) plain: Bytes,
    pub(crate) asked: Asked,
    pub(crate) memory: Reserved,
}

/// How a request's body was read.
pub(crate) enum Taken {
    Read(Box<Read>),
    /// It passes, because of this.
    Passes(Sent, &'static str),
    /// It did not come whole.
    CutOff,
}

impl Gateway {
    /// Reads a body that has room, and passes any other.
    pub(crate) async fn read(
        &self,
        tenant: TenantId,
        endpoint: Endpoint,
        (headers, body): (&HeaderMap, Body),
    ) -> Taken {
        let limit = self.state.limits.body_bytes;
        let of = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let announced = of(header::CONTENT_LENGTH).and_then(|length| length.parse::<usize>().ok());
        if announced.is_some_and(|length| length > limit) {
            return Taken::Passes(Sent::Passing(body), "too-large");
        }
        let encoding = of(header::CONTENT_ENCODING).unwrap_or_default().to_owned();
        // Nobody knows what is behind an encoding, or how long a body without a length is.
        let length = announced.filter(|_| encoding.is_empty()).unwrap_or(limit);
        let Some(memory) = self.room(tenant, length).await else {
            return Taken::Passes(Sent::Passing(body), "busy");
        };
        let collecting = Limited::new(body, limit).collect();
        let Ok(Ok(collected)) = tokio::time::timeout(self.state.limits.body_timeout, collecting).await else {
            // The agent has left, or sends no more; what came of it is no request.
            return Taken::CutOff;
        };
        let body = collected.to_bytes();
        let Some(plain) = decode(&encoding, &body, limit).await else {
            return Taken::Passes(Sent::Whole(body), "encoded");
        };
        let reading = plain.clone();
        let asked = if plain.len() > LARGE_BYTES {
            in_turn(tenant, move || Asked::read(endpoint, &reading)).await.ok().flatten()
        } else {
            Asked::read(endpoint, &reading)
        };
        match asked {
            Some(asked) => Taken::Read(Box::new(Read { body, plain, asked, memory })),
            None => Taken::Passes(Sent::Whole(body), "unreadable"),
        }
    }

    /// Memory for a body, waited for a moment.
    async fn room(&self, tenant: TenantId, length: usize) -> Option<Reserved> {
        for _ in 0..ROOM_TRIES {
            if let Some(memory) = self.bodies.reserve(tenant, length) {
                return Some(memory);
            }
            tokio::time::sleep(ROOM_PAUSE).await;
        }
        None
    }
}

/// A body as its sender wrote it before encoding it, of at most `limit` bytes.
async fn decode(encoding: &str, body: &Bytes, limit: usize) -> Option<Bytes> {
    if encoding.is_empty() || encoding.eq_ignore_ascii_case("identity") {
        return Some(body.clone());
    }
    let copy = body.clone();
    let reader = answer::decoded(encoding, futures::stream::iter([copy]))?;
    let mut plain = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    let read = reader.take(most.saturating_add(1)).read_to_end(&mut plain).await.ok()?;
    (read <= limit).then(|| plain.into())
}
