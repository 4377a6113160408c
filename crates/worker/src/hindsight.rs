//! Looks back on the versions of a session that another one followed.

use tracing::warn;

use anchord_messages::id::{SessionId, TenantId};
use anchord_runtime::background;
use anchord_store::Store;

/// The most versions that are looked back on at once; mostly there is one.
const MOST_LOOKS: usize = 4;

/// Looks back on versions that another one followed, and that are indexed.
///
/// Called when a compression has ended, and when an indexing has: whichever commits last finds both done. What fails
/// here is found by the next call.
pub async fn look_back(store: &Store, (tenant, session): (TenantId, SessionId)) {
    for _ in 0..MOST_LOOKS {
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
