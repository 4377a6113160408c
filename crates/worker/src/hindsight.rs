//! Scores the hindsight of versions that have been followed by another one.

use tracing::warn;

use anchord_messages::id::{SessionId, TenantId};
use anchord_runtime::background;
use anchord_store::Store;

/// The most versions that one call scores; mostly there is one.
const MAX_VERSIONS: usize = 4;

/// Scores versions that have been followed by another one and are indexed.
///
/// Called after each compression and each indexing: the one that commits last finds both done. What a failure leaves
/// over is scored by the next call.
pub async fn look_back(store: &Store, (tenant, session): (TenantId, SessionId)) {
    for _ in 0..MAX_VERSIONS {
        match background::throttled(Box::pin(store.look_back(tenant, session))).await {
            Ok(Some(hindsight)) => {
                if let Some(score) = hindsight.score {
                    metrics::histogram!("anchord_hindsight_score").record(score);
                }
            }
            Ok(None) => return,
            Err(error) => {
                warn!(session.id = %session.0, %error, "worker.look_back_failed");
                return;
            }
        }
    }
}
