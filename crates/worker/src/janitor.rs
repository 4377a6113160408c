//! The janitor: every 5 to 15 minutes it deletes replies kept for idempotency keys, old events and deliveries, and erases
//! sessions beyond their retention, whose rows [`eraser`](super::eraser) deletes.

use std::time::Duration;

use rand::Rng as _;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use anchord_store::{Store, StoreError};

/// The mean pause between two rounds, with jitter, so that processes that started together do not run together.
const PAUSE: Duration = Duration::from_mins(10);
/// The most sessions that one transaction erases.
const SESSIONS: u32 = 50;

/// Runs rounds until `stop`. Secrets are encrypted again at the start too, which is when keys change.
pub async fn run(store: &Store, stop: &CancellationToken) {
    encrypt_secrets_again(store).await;
    loop {
        let pause = PAUSE.mul_f64(rand::rng().random_range(0.5..1.5));
        if stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            return;
        }
        encrypt_secrets_again(store).await;
        match round(store, stop).await {
            Ok((replies, sessions)) => {
                metrics::counter!("anchord_upkeep_rounds_total", "ended" => "done").increment(1);
                info!(replies, sessions, "upkeep.done");
            }
            Err(error) => {
                metrics::counter!("anchord_upkeep_rounds_total", "ended" => "failed").increment(1);
                warn!(%error, "upkeep.failed");
            }
        }
    }
}

/// Encrypts the secrets that the first key has not encrypted, so that an operator can remove the others.
async fn encrypt_secrets_again(store: &Store) {
    match store.encrypt_secrets_again().await {
        Ok((0, _)) => {}
        Ok((found, 0)) => info!(found, "secrets.encrypted"),
        Ok((found, unreadable)) => {
            warn!(found, unreadable, "secrets.encrypted: for some the key is missing");
        }
        Err(error) => warn!(%error, "secrets.not_encrypted"),
    }
}

/// Deletes everything that has expired; returns the number of replies and of sessions. What fails stops nothing else.
///
/// # Errors
/// The first failure, when everything else is done.
pub async fn round(store: &Store, stop: &CancellationToken) -> Result<(u64, u64), StoreError> {
    let replies = store.forget_old_replies().await;
    if let Ok(replies) = &replies {
        metrics::counter!("anchord_upkeep_forgotten_replies_total").increment(*replies);
    }
    let events = store.forget_old_events().await;
    let deliveries = store.tidy_deliveries().await;
    let signins = store.forget_old_signins().await;
    let sessions = erase(store, stop).await;
    events?;
    deliveries?;
    signins?;
    Ok((replies?, sessions?))
}

/// Erases sessions until fewer are found than one transaction erases.
async fn erase(store: &Store, stop: &CancellationToken) -> Result<u64, StoreError> {
    let mut sessions = 0;
    while !stop.is_cancelled() {
        let erased = store.erase_expired_sessions(SESSIONS).await?;
        sessions += erased;
        metrics::counter!("anchord_upkeep_erased_sessions_total").increment(erased);
        if erased < u64::from(SESSIONS) {
            break;
        }
    }
    Ok(sessions)
}
