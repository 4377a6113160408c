//! The eraser: deletes the rows of erased sessions and tenants, a step of each tenant in turn.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use tracing::warn;

use anchord_store::{Store, StoreError};

/// The pause after everything is deleted.
const PAUSE: Duration = Duration::from_secs(5);
/// The least pause between two turns, while another process may hold what is left.
const LEAST_REST: Duration = Duration::from_millis(50);

/// Deletes until `stop`. After each turn it rests for as long as the turn took, because nobody waits for it.
pub async fn run(store: &Store, stop: &CancellationToken) {
    while !stop.is_cancelled() {
        let started = Instant::now();
        let rest = match turn(store, stop).await {
            Ok(true) => started.elapsed().max(LEAST_REST),
            Ok(false) => PAUSE,
            Err(error) => {
                warn!(%error, "erasing.failed");
                PAUSE
            }
        };
        let _ = stop.run_until_cancelled(tokio::time::sleep(rest)).await;
    }
}

/// Takes one step for every tenant with something to delete; returns whether more is left. A tenant whose step fails
/// stops no other.
///
/// # Errors
/// When the database cannot say what is to be deleted.
pub async fn turn(store: &Store, stop: &CancellationToken) -> Result<bool, StoreError> {
    let mut is_more = false;
    for erasure in store.next_erasures().await? {
        if stop.is_cancelled() {
            break;
        }
        match store.erase_some(&erasure).await {
            Ok(more) => {
                metrics::counter!("anchord_erasing_steps_total", "ended" => "done").increment(1);
                // Others of its sessions may be due.
                is_more |= more || !erasure.is_of_tenant();
            }
            Err(error) => {
                metrics::counter!("anchord_erasing_steps_total", "ended" => "failed").increment(1);
                warn!(%error, tenant = %erasure.tenant.0, "erasing.step_failed");
            }
        }
    }
    Ok(is_more)
}
