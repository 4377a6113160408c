//! The memory for bodies of requests: a total for the process, and a share of it for each tenant.
//!
//! A body reserves memory in two steps: for its first 64 KiB, and then for all the rest of its announced length. A large
//! `Content-Length` reserves nothing until the first bytes arrive. The two steps have totals of their own: a body that waits
//! for its rest holds only its beginning, so that no number of large bodies can block each other. Without an announced length
//! the rest is reserved in steps that double. The memory is released when the last use of the body is dropped, also when the
//! caller is gone or the reply was a timeout. Values that a body is parsed into have a total of the same size, and hold their
//! part of it as long as the request has them.

use axum::body::{Body, Bytes};
use axum::http::{Extensions, HeaderMap, header};
use http_body_util::BodyExt as _;

use crate::admission::memory::{Memory, units};
use crate::limits::Limits;
use crate::problem::{ApiError, Result};
use crate::request_scope::Scope;
use anchord_messages::id::TenantId;
use anchord_runtime::shares::Permit;

/// The beginning of a body.
const BEGINNING: usize = 64 * 1_024;
/// Beginnings have this part of the total, an eighth.
const PART_OF_BEGINNINGS: u32 = 8;
/// The fewest beginnings that a tenant has room for.
const FEWEST_BEGINNINGS: usize = 4;
/// Bytes of a parsed value: a number 32, an object with one field 650, over the two or three signs that begin it.
const VALUE_BYTES: usize = 256;
/// Values that take less are not counted.
const SMALL_VALUES: usize = 1_024 * 1_024;
/// Subjects of a refusal.
const OF: [&str; 2] = ["the tenant's requests", "all requests"];

/// The memory for bodies of all tenants.
#[derive(Clone, Debug)]
pub struct Bodies {
    beginnings: Memory,
    rests: Memory,
    /// Apart, because a request that waits for it holds its body.
    values: Memory,
}

/// Memory for a body that its reader holds itself.
#[derive(Debug)]
pub struct Reserved(#[expect(dead_code, reason = "held until it is dropped")] Permit);

/// A body with the memory that was taken for it.
struct HeldBody {
    bytes: Vec<u8>,
    beginning: Option<Permit>,
    rest: Vec<Permit>,
}

impl AsRef<[u8]> for HeldBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Bodies {
    /// A total in bytes. A tenant has a quarter of it, and at least room for the largest body.
    pub fn new(total: usize, largest: usize) -> Self {
        let total = units(total);
        let of_beginnings = total / PART_OF_BEGINNINGS;
        Self {
            beginnings: Memory::new(of_beginnings, units(FEWEST_BEGINNINGS * BEGINNING), OF),
            rests: Memory::new(total - of_beginnings, units(largest), OF),
            values: Memory::new(total, units(largest), OF),
        }
    }

    /// Reads a body of at most `limit` bytes.
    pub(crate) async fn read(
        &self,
        (headers, extensions): (&HeaderMap, &Extensions),
        body: Body,
        (limits, limit): (&Limits, usize),
    ) -> Result<Bytes> {
        let announced =
            headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        // A body whose `Content-Length` is too large is not kept; `edge::lingering` reads the rest.
        if announced.is_some_and(|length| length > limit) {
            return Err(too_large(limit));
        }
        let party = extensions.get::<Scope>().and_then(Scope::tenant);
        let read = self.collect(party, body, (announced, limit));
        tokio::time::timeout(limits.body_timeout, read)
            .await
            .map_err(|_| ApiError::SlowBody(limits.body_timeout))?
    }

    /// Takes the memory for the values that a text is going to be parsed into, until it is dropped; `None` for few.
    pub(crate) async fn take_for_values(
        &self,
        party: Option<TenantId>,
        text: &[u8],
    ) -> Result<Option<Permit>> {
        // Signs within texts are counted too: what matters is that it is not less.
        let begun = text.iter().filter(|&&sign| matches!(sign, b',' | b'[' | b'{')).count();
        let bytes = begun.saturating_mul(VALUE_BYTES);
        if bytes < SMALL_VALUES {
            return Ok(None);
        }
        self.values.take(party, units(bytes)).await.map(Some)
    }

    /// Takes the memory for a body of so many bytes at once, until it is dropped; `None` when there is no room.
    pub fn reserve(&self, tenant: TenantId, bytes: usize) -> Option<Reserved> {
        self.rests.try_take(Some(tenant), units(bytes)).ok().map(Reserved)
    }

    async fn collect(
        &self,
        party: Option<TenantId>,
        mut body: Body,
        (announced, limit): (Option<usize>, usize),
    ) -> Result<Bytes> {
        let mut held = HeldBody { bytes: Vec::new(), beginning: None, rest: Vec::new() };
        let mut room = announced.unwrap_or(limit).min(BEGINNING);
        while let Some(frame) = body.frame().await {
            let frame = frame
                .map_err(|_| ApiError::BadRequest("the body ended before it was complete".to_owned()))?;
            let Ok(data) = frame.into_data() else { continue };
            let length = held.bytes.len().saturating_add(data.len());
            if length > limit {
                return Err(too_large(limit));
            }
            if held.beginning.is_none() {
                held.beginning = Some(self.beginnings.take(party, units(room)).await?);
                held.bytes.reserve_exact(room);
            }
            if length > room {
                let next = announced.unwrap_or_else(|| limit.min(room.saturating_mul(2))).max(length);
                held.rest.push(self.rests.take(party, units(next - room)).await?);
                held.bytes.reserve_exact(next - held.bytes.len());
                room = next;
            }
            held.bytes.extend_from_slice(&data);
        }
        Ok(Bytes::from_owner(held))
    }
}

fn too_large(limit: usize) -> ApiError {
    ApiError::TooLarge { what: "the body".to_owned(), limit, unit: "bytes" }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt as _, StreamExt as _, stream};

    use super::*;

    const KIB: usize = 1_024;

    fn bodies() -> Bodies {
        Bodies::new(1_024 * 1_024, 256 * KIB)
    }

    async fn read(bodies: &Bodies, body: Body, announced: Option<usize>) -> Result<Bytes> {
        let mut headers = HeaderMap::new();
        if let Some(length) = announced {
            headers.insert(header::CONTENT_LENGTH, length.into());
        }
        bodies.read((&headers, &Extensions::new()), body, (&Limits::default(), 256 * KIB)).await
    }

    fn free(bodies: &Bodies) -> bool {
        bodies.beginnings.try_take(None, 256).is_ok() && bodies.rests.try_take(None, 256).is_ok()
    }

    #[tokio::test]
    async fn memory_is_held_as_long_as_any_use_of_the_body() {
        let bodies = bodies();
        let whole = read(&bodies, Body::from(vec![b'x'; 200 * KIB]), Some(200 * KIB)).await.unwrap();
        assert_eq!(whole.len(), 200 * KIB);
        let part = whole.slice(5..6);
        drop(whole);
        assert!(!free(&bodies));
        drop(part);
        assert!(free(&bodies));
    }

    #[tokio::test]
    async fn a_body_that_announces_much_and_sends_little_holds_little() {
        let bodies = bodies();
        let slow = || {
            let first = stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"{"))]);
            Body::from_stream(first.chain(stream::pending()))
        };
        let mut reading: Vec<_> = (0..3).map(|_| Box::pin(read(&bodies, slow(), Some(256 * KIB)))).collect();
        for reading in &mut reading {
            assert!(reading.now_or_never().is_none());
        }
        let large = Body::from(vec![b'x'; 64 * KIB]);
        assert!(read(&bodies, large, None).await.is_ok());
        drop(reading);
        assert!(free(&bodies), "a dropped one holds nothing");
    }

    #[tokio::test]
    async fn large_bodies_that_have_no_room_together_arrive_one_after_the_other() {
        let bodies = bodies();
        // Each has half of its bytes already when the other half is still to come.
        let half = || async {
            tokio::task::yield_now().await;
            Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 100 * KIB]))
        };
        let body = || Body::from_stream(stream::iter([half(), half()]).then(std::convert::identity));
        let read = (0..20).map(|_| async { read(&bodies, body(), Some(200 * KIB)).await.map(drop) });
        let ended = futures::future::join_all(read).await;
        assert!(ended.iter().all(Result::is_ok), "{ended:?}");
    }

    #[tokio::test]
    async fn many_values_of_a_tenant_wait_for_each_other_and_not_for_bodies() {
        let bodies = bodies();
        let text = b"{},".repeat(4_000);
        let body = read(&bodies, Body::from(vec![b'x'; 256 * KIB]), None).await.unwrap();
        assert!(bodies.take_for_values(None, b"{\"a\": [1, 2, 3]}").await.unwrap().is_none());
        let many = bodies.take_for_values(None, &text).await.unwrap();
        assert!(many.is_some(), "alone, also beyond the share, and beside a body that takes all of its own");
        let refused = bodies.take_for_values(None, &text).await.unwrap_err();
        assert!(matches!(refused, ApiError::BodiesInFlight { limit: 262_144, .. }), "{refused:?}");
        drop((many, body));
        assert!(bodies.take_for_values(None, &text).await.is_ok());
    }

    #[tokio::test]
    async fn a_body_without_room_is_refused_with_the_limit_and_one_that_is_too_large_at_once() {
        let bodies = bodies();
        let _held = bodies.rests.try_take(None, 250).unwrap();
        let refused = read(&bodies, Body::from(vec![b'x'; 100 * KIB]), None).await.unwrap_err();
        assert!(matches!(refused, ApiError::BodiesInFlight { limit: 262_144, .. }), "{refused:?}");
        let refused = read(&bodies, Body::from(vec![b'x'; 257 * KIB]), None).await.unwrap_err();
        assert!(matches!(refused, ApiError::TooLarge { limit: 262_144, .. }), "{refused:?}");
    }
}
