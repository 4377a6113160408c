//! Writes rows that come without a new version: candidates of shadow runs, and evaluations.

use crate::connection::PgConnection;
use uuid::Uuid;

use crate::StoreError;
use crate::candidate::{NewEvaluation, NewVersion};
use crate::job::Job;
use anchord_messages::id::EvaluationId;

// Documents are sent as text, because a JSON value would be sent as `jsonb`, which rejects an escaped NUL.

/// Replaces NUL, which Postgres rejects in text, by a space, which costs no more tokens.
pub(super) fn without_nul(text: &str) -> String {
    text.replace('\0', " ")
}

/// Stores the candidate of a shadow run in the commit that ends the run, so that a run has at most one.
pub(super) async fn insert_shadow(
    connection: &mut PgConnection,
    job: &Job,
    candidate: &NewVersion,
) -> Result<(), StoreError> {
    // The candidate shares no parts with versions, so its record is stored whole.
    let document = candidate.record.whole().and_then(|summary| serde_json::to_string(&summary));
    sqlx::query!(
        "insert into shadow_candidates (tenant_id, compression_id, session_id, meta, document, rendering, rendering_tokens)
         values ($1, $2, $3, $4::text::json, $5::text::json, $6, $7)",
        job.tenant.0,
        job.id.0,
        job.session.0,
        candidate.meta.get(),
        document.map_err(|error| StoreError::corrupt("shadow_candidates", "document", job.id, error))?,
        without_nul(&candidate.rendering.0),
        i32::try_from(candidate.rendering.1).unwrap_or(i32::MAX),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes an evaluation without a new version. A rejected candidate stores no probes, because its span is read again.
pub(super) async fn insert_evaluation(
    connection: &mut PgConnection,
    job: &Job,
    version: Option<i64>,
    evaluation: &NewEvaluation,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into evaluations (tenant_id, session_id, id, version, compression_id, scores, results)
         values ($1, $2, $3, $4, $5, $6::text::json, $7::text::json)",
        job.tenant.0,
        job.session.0,
        EvaluationId(Uuid::now_v7()).0,
        version,
        job.id.0,
        evaluation.scores.to_string(),
        evaluation.results.get(),
    )
    .execute(connection)
    .await?;
    Ok(())
}
