//! Limits of a process, so that one tenant, or a caller without a key, does not take what all share.

pub mod assemblies;
pub mod bodies;
pub mod guesses;
pub mod heavy;
mod memory;
pub mod quotas;
pub mod rate_limit;
pub mod replies;
pub mod streams;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::admission::assemblies::Assemblies;
use crate::admission::bodies::Bodies;
use crate::admission::guesses::Guesses;
use crate::admission::replies::Replies;
use crate::admission::streams::Streams;
use crate::limits::Limits;
use anchord_messages::id::TenantId;
use anchord_runtime::shares::Shares;
use anchord_store::Store;

/// How long an answer of the database to a readiness check is used.
const READY_FOR: Duration = Duration::from_secs(1);
/// The most waits for results of a process, and of one tenant.
const MAX_WAITS: u32 = 512;
const TENANT_WAITS: u32 = 64;

/// The limits of a process, with what is used of them.
#[derive(Clone, Debug)]
pub struct Admission {
    pub(crate) assemblies: Assemblies,
    /// The memory for bodies of requests.
    pub bodies: Bodies,
    pub(crate) replies: Replies,
    pub(crate) streams: Streams,
    /// Waits for results.
    pub(crate) waits: Shares<TenantId>,
    pub(crate) guesses: Guesses,
    pub(crate) readiness: Readiness,
}

impl Admission {
    /// Limits whose event streams end when `stop` is cancelled.
    pub fn new(limits: &Limits, stop: CancellationToken) -> Self {
        Self {
            assemblies: Assemblies::new(limits.bodies_bytes),
            bodies: Bodies::new(limits.bodies_bytes, limits.body_bytes),
            replies: Replies::new(limits.bodies_bytes),
            streams: Streams::new(stop),
            waits: Shares::new(MAX_WAITS, TENANT_WAITS),
            guesses: Guesses::new(&limits.trusted_proxies),
            readiness: Readiness::default(),
        }
    }
}

/// Whether the database answers. It is asked at most once a second, and once for all who want to know at the same time:
/// anybody may ask.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readiness(Arc<Mutex<Option<(Instant, bool)>>>);

impl Readiness {
    pub(crate) async fn look(&self, store: &Store) -> bool {
        self.look_by(async || store.ping().await.is_ok()).await
    }

    async fn look_by(&self, ask: impl AsyncFnOnce() -> bool) -> bool {
        let mut last = self.0.lock().await;
        if let Some((when, is_ready)) = *last
            && when.elapsed() < READY_FOR
        {
            return is_ready;
        }
        let is_ready = ask().await;
        *last = Some((Instant::now(), is_ready));
        is_ready
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn many_who_want_to_know_at_once_ask_the_database_once() {
        let (readiness, asked) = (Readiness::default(), AtomicUsize::new(0));
        let look = || {
            readiness.look_by(async || {
                tokio::task::yield_now().await;
                asked.fetch_add(1, Ordering::Relaxed);
                true
            })
        };
        assert!(futures::future::join_all((0..50).map(|_| look())).await.into_iter().all(|ready| ready));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }
}
