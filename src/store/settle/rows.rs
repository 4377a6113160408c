//! The rows of a version: itself with its ledger, what a shadow run made, its probes and their verdicts.

use sqlx::PgConnection;
use uuid::Uuid;

use super::{NewEvaluation, NewVersion};
use crate::domain::id::EvaluationId;
use crate::store::compressions::{Job, Span};
use crate::store::{StoreError, todos};

// Documents go to the database as text: a JSON value would travel as `jsonb`, which takes no escaped NUL.

/// Postgres takes no NUL in text; a space in its place costs no more tokens.
fn without_nul(text: &str) -> String {
    text.replace('\0', " ")
}

/// Writes a version with its part of the ledger, its verdict and its probes, in one statement.
pub(super) async fn insert_version(
    connection: &mut PgConnection,
    job: &Job,
    span: Span,
    version: &NewVersion,
    evaluation: Option<&NewEvaluation>,
) -> Result<(), StoreError> {
    let mut kinds = Vec::with_capacity(version.ledger.len());
    let mut seqs = Vec::with_capacity(version.ledger.len());
    let mut ordinals = Vec::with_capacity(version.ledger.len());
    let mut values = Vec::with_capacity(version.ledger.len());
    for (kind, seq, ordinal, value) in &version.ledger {
        kinds.push(kind.to_string());
        seqs.push(*seq);
        ordinals.push(*ordinal);
        values.push(value.to_string());
    }
    let new_probes = evaluation.map_or(&[][..], |evaluation| &evaluation.new_probes);
    let probes: Vec<String> = new_probes.iter().map(ToString::to_string).collect();
    let probe_ids: Vec<Uuid> = new_probes.iter().map(|_| Uuid::now_v7()).collect();
    let retired = evaluation.map_or(&[][..], |evaluation| &evaluation.retired);
    let retired: Vec<Uuid> = retired.iter().map(|id| id.0).collect();
    sqlx::query!(
        "with version as (
           insert into summaries (tenant_id, session_id, version, parent_version, compression_id, from_seq, through_seq,
                                  meta, document, carry, rendering, rendering_tokens, least_rendering, least_tokens, recap)
           values ($1, $2, $3, $4, $5, $6, $7, $8::text::json, $9::text::json, $10::text::json, $11, $12, $13, $14, $15)
         ),
         -- After a rollback the same span is read again and gives the same entries.
         entries as (
           insert into ledger_entries (tenant_id, session_id, kind, first_seq, ordinal, value)
           select $1, $2, e.kind, e.seq, e.ordinal, e.value
           from unnest($16::text[], $17::bigint[], $18::integer[], $19::text[]::json[]) as e (kind, seq, ordinal, value)
           on conflict do nothing
         ),
         verdict as (
           insert into evaluations (tenant_id, session_id, id, version, compression_id, scores, results)
           select $1, $2, $20, $3, $5, $21::text::json, $22::text::json where $21::text is not null
         ),
         brought as (
           insert into probes (tenant_id, session_id, id, source, version, probe)
           select $1, $2, p.id, 'generated', $3, p.probe from unnest($23::uuid[], $24::text[]::json[]) as p (id, probe)
         )
         -- One look into the primary key per probe: as a plain list, the planner reads all probes of the session.
         update probes p set retired_in_version = $3
         from unnest($25::uuid[]) as gone(id)
         cross join lateral (
           select x.ctid as place from probes x
           where x.tenant_id = $1 and x.session_id = $2 and x.id = gone.id limit 1
         ) at
         where p.tenant_id = $1 and p.ctid = at.place and p.retired_in_version is null",
        job.tenant.0,
        job.session.0,
        version.version,
        span.parent_version,
        job.id.0,
        span.from_seq,
        span.through_seq,
        version.meta.to_string(),
        version.document.get(),
        version.carry.get(),
        without_nul(&version.rendering.0),
        i32::try_from(version.rendering.1).unwrap_or(i32::MAX),
        without_nul(&version.least.0),
        i32::try_from(version.least.1).unwrap_or(i32::MAX),
        without_nul(&version.recap),
        &kinds,
        &seqs,
        &ordinals,
        &values,
        EvaluationId(Uuid::now_v7()).0,
        evaluation.map(|evaluation| evaluation.scores.to_string()),
        evaluation.map(|evaluation| evaluation.results.to_string()),
        &probe_ids,
        &probes,
        &retired,
    )
    .execute(&mut *connection)
    .await?;
    if let Some(todos) = &version.todos {
        todos::write_back(connection, (job.tenant, job.session), version.version, todos).await?;
    }
    Ok(())
}

/// Keeps what a shadow run made; it commits with the end of the run, so that there is one of each.
pub(super) async fn insert_shadow(
    connection: &mut PgConnection,
    job: &Job,
    candidate: &NewVersion,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into shadow_candidates (tenant_id, compression_id, session_id, meta, document, rendering, rendering_tokens)
         values ($1, $2, $3, $4::text::json, $5::text::json, $6, $7)",
        job.tenant.0,
        job.id.0,
        job.session.0,
        candidate.meta.to_string(),
        candidate.document.get(),
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
        evaluation.results.to_string(),
    )
    .execute(connection)
    .await?;
    Ok(())
}
