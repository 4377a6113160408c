//! Candidates of shadow runs: written when a run is settled, read here.
//!
//! They have a table of their own. Versions have consecutive numbers, parents and a current one; a candidate has none
//! of these, and in the same table every reader would have to leave it out.

use super::{Store, StoreError};
use anchord_messages::id::{CompressionId, SessionId, TenantId};
use anchord_record::version::Version;

/// The candidate of a shadow run.
#[derive(Clone, Debug)]
pub struct ShadowCandidate {
    /// Its metadata and record.
    pub version: Version,
    /// The text that contexts would serve.
    pub rendering: String,
    /// The tokens of that text as a message.
    pub rendering_tokens: u32,
}

impl Store {
    /// Finds the candidate of a shadow run; `None` when it made none.
    ///
    /// # Errors
    /// When the database fails or the row does not parse.
    pub async fn find_shadow_candidate(
        &self,
        tenant: TenantId,
        session: SessionId,
        id: CompressionId,
    ) -> Result<Option<ShadowCandidate>, StoreError> {
        let mut tx = self.snapshot(tenant).await?;
        let row = sqlx::query!(
            r#"select meta::text as "meta!", document::text as "document!", rendering, rendering_tokens
               from shadow_candidates where tenant_id = $1 and compression_id = $2 and session_id = $3"#,
            tenant.0,
            id.0,
            session.0,
        )
        .fetch_optional(&mut *tx)
        .await?;
        tx.commit().await?;
        let corrupt =
            |column, error: serde_json::Error| StoreError::corrupt("shadow_candidates", column, id, error);
        row.map(|row| {
            let meta = serde_json::from_str(&row.meta).map_err(|error| corrupt("meta", error))?;
            let summary = serde_json::from_str(&row.document).map_err(|error| corrupt("document", error))?;
            Ok(ShadowCandidate {
                version: Version::new(meta, summary),
                rendering: row.rendering,
                rendering_tokens: u32::try_from(row.rendering_tokens).unwrap_or_default(),
            })
        })
        .transpose()
    }
}
