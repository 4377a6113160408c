//! The webhook dispatcher: claims due deliveries, sends them, and records each outcome until the delivery succeeds or is
//! given up.
//!
//! Invariant: no transaction is open during a request, and delivery is at least once: the settlement of an attempt
//! carries its fence, and an attempt that is not settled is repeated when its lease ends.

use std::time::{Duration, Instant};

use rand::Rng as _;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, debug, error, info_span, warn};

use super::batches::{self, Claimer};
use super::webhook_client::{SendResult, WebhookClient};
use anchord_runtime::clock::Clock;
use anchord_store::deliveries::queue::{Attempt, AttemptOutcome};
use anchord_store::{Store, StoreError};
use anchord_webhooks::DeliveryStatus;

/// The most concurrent attempts of a process. They mostly wait.
const MAX_CONCURRENT: usize = 64;
/// The most concurrent attempts of one webhook, and of all webhooks of a tenant, over all processes. Each webhook may
/// have one attempt in any case.
const SHARES: (i32, i32) = (4, 16);
/// The lease of an attempt: its timeout, and time to record the outcome.
const LEASE: Duration = Duration::from_secs(30);
/// The status of a receiver that wants no more messages.
const GONE: u16 = 410;

/// Delivers due messages.
#[derive(Clone, Debug)]
pub struct WebhookDispatcher {
    store: Store,
    clock: Clock,
    client: WebhookClient,
}

impl WebhookDispatcher {
    /// Creates a dispatcher; nothing is sent until [`WebhookDispatcher::run`].
    pub fn new(store: Store, clock: Clock, client: WebhookClient) -> Self {
        Self { store, clock, client }
    }

    /// Delivers until `stop`, then waits for the running attempts.
    pub async fn run(self, stop: CancellationToken) {
        let due = self.store.deliveries_due();
        batches::run(self, due, stop).await;
    }

    /// Delivers until nothing is due, on the caller's task; for tests. Returns the number of attempts.
    pub async fn drain(&self) -> Result<usize, StoreError> {
        batches::drain(self).await
    }

    async fn deliver_within(&self, attempt: &Attempt) {
        let begun = Instant::now();
        let answer = self.client.send(attempt, self.clock.now().timestamp()).await;
        let took = begun.elapsed();
        let outcome = answer.failure.map_or("succeeded", <&str>::from);
        metrics::counter!("anchord_webhook_attempts_total", "outcome" => outcome).increment(1);
        metrics::histogram!("anchord_webhook_attempt_seconds").record(took.as_secs_f64());
        let ended = ended(attempt.tries, &answer, took, rand::rng().random_range(0.0..1.0));
        match self.store.settle_delivery(attempt, &ended).await {
            Ok(settled) => {
                debug!(outcome, status = answer.status, took_ms = took.as_millis(), "webhook.attempted");
                if let Some(status) = settled.status.filter(|status| *status != DeliveryStatus::Pending) {
                    metrics::counter!("anchord_webhook_deliveries_total", "status" => <&str>::from(status))
                        .increment(1);
                }
                if let Some(reason) = settled.disabled {
                    metrics::counter!("anchord_webhooks_disabled_total", "reason" => <&str>::from(reason))
                        .increment(1);
                    warn!(reason = reason.as_ref(), "webhook.disabled");
                }
            }
            // When the lease ends, the message is sent again under the same id.
            Err(error) => error!(%error, "webhook.not_settled"),
        }
    }
}

impl Claimer for WebhookDispatcher {
    type Piece = Attempt;
    const MOST: usize = MAX_CONCURRENT;
    const NOT_CLAIMED: &'static str = "webhooks.not_claimed";

    async fn claim(&self, most: i32) -> Result<Vec<Attempt>, StoreError> {
        self.store.claim_deliveries(LEASE, most, SHARES).await
    }

    async fn work(&self, attempt: &Attempt) {
        let span = info_span!(
            "webhook",
            tenant.id = %attempt.tenant,
            webhook.id = %attempt.webhook,
            delivery.id = %attempt.id,
            delivery.attempt = attempt.attempt
        );
        self.deliver_within(attempt).instrument(span).await;
    }
}

/// How an attempt ends the delivery, or when it is tried again.
fn ended(tries: u32, answer: &SendResult, took: Duration, spread: f64) -> AttemptOutcome {
    let again_after =
        answer.failure.and_then(|_| anchord_webhooks::wait_after(tries, spread, answer.retry_after));
    AttemptOutcome {
        status_code: answer.status,
        failure: answer.failure,
        gone: answer.status == Some(GONE),
        took,
        again_after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchord_webhooks::Failure;

    #[test]
    fn an_answer_is_success_another_try_or_the_end() {
        let answer = |status, failure| SendResult { status, failure, retry_after: None };
        let end = |tries, answer| ended(tries, &answer, Duration::ZERO, 0.0);
        let good = end(1, answer(Some(204), None));
        assert_eq!((good.failure, good.gone, good.again_after), (None, false, None));
        let bad = end(1, answer(Some(500), Some(Failure::Status)));
        assert_eq!(bad.again_after, Some(Duration::from_secs(5)));
        let late = end(9, answer(None, Some(Failure::Timeout)));
        assert_eq!((late.gone, late.again_after), (false, None));
        assert!(end(1, answer(Some(410), Some(Failure::Status))).gone);
    }
}
