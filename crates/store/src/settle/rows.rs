//! Rows that come without a version: what a shadow run made, and verdicts.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::StoreError;
use crate::candidate::{NewEvaluation, NewVersion};
use crate::job::Job;
use anchord_messages::id::EvaluationId;

// Documents go to the database as text: a JSON value would travel as `jsonb`, which takes no escaped NUL.

/// Postgres takes no NUL in text; a space in its place costs no more tokens.
pub(super) fn without_nul(text: &str) -> String {
    text.replace('\0', " ")
}

/// Keeps what a shadow run made; it commits with the end of the run, so that there is one of each.
pub(super) async fn insert_shadow(
    connection: &mut PgConnection,
    job: &Job,
    candidate: &NewVersion,
) -> Result<(), StoreError> {
    // It stands alone, so that all of its parts are its own.
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

/// Writes a verdict that comes without a new version. A refused candidate leaves no probes behind: its span is read
/// again.
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
