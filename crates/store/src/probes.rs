//! Probes of a session, and the evaluations that asked them.

use super::error::expect_rows;
use super::lock;
use crate::prelude::*;
use anchord_messages::id::{EvaluationId, ProbeId};
use anchord_record::probe::Probe;

/// The source of a caller's probes.
pub const CALLER: &str = "caller";

/// The most probes that a caller may have in a session: each is asked after every compression.
pub const MAX_CALLERS: i64 = 100;

/// A probe as it is stored.
#[derive(Clone, Debug)]
pub struct ProbeRow {
    /// Its id.
    pub id: ProbeId,
    /// Its source: `generated`, `exam` or `caller`.
    pub source: String,
    /// The version whose span it came from; `None` for a caller's probe.
    pub version: Option<i64>,
    /// The version from which on it is no longer asked.
    pub retired_in_version: Option<i64>,
    /// The probe, as JSON text.
    pub probe: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// An evaluation as it is stored.
#[derive(Clone, Debug)]
pub struct EvaluationRow {
    /// Its id.
    pub id: EvaluationId,
    /// The version that it evaluated; `None` for a rejected candidate.
    pub version: Option<i64>,
    /// The job that made it.
    pub compression_id: Option<CompressionId>,
    /// The scores, as JSON text.
    pub scores: String,
    /// The results, as JSON text; empty in lists.
    pub results: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

impl Store {
    /// Reads the exam questions up to a version that were true for that version, oldest first.
    pub async fn load_exam(&self, key: SessionKey, version: i64) -> Result<Vec<(ProbeId, Probe)>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let rows = sqlx::query!(
            r#"select id, probe::text as "probe!" from probes
               where tenant_id = $1 and session_id = version_owner($1, $2, $3) and is_exam and version <= $3
                 and (retired_in_version is null or retired_in_version > $3)
               order by id"#,
            key.tenant.0,
            key.id.0,
            version,
        )
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        let read = |row: (Uuid, String)| match serde_json::from_str(&row.1) {
            Ok(probe) => Ok((ProbeId(row.0), probe)),
            Err(error) => Err(StoreError::corrupt("probes", "probe", row.0, error)),
        };
        rows.into_iter().map(|row| read((row.id, row.probe))).collect()
    }
}

/// Lists a session's probes in an open transaction, oldest first.
pub async fn list(
    connection: &mut PgConnection,
    key: SessionKey,
    after: Option<ProbeId>,
    limit: i64,
) -> Result<Vec<ProbeRow>> {
    let rows = sqlx::query_as!(
        ProbeRow,
        r#"select id as "id!: ProbeId", source as "source!", version, retired_in_version, probe::text as "probe!",
                  created_at as "created_at!"
           from probes_of($1, $2) where $3::uuid is null or id > $3 order by id limit $4"#,
        key.tenant.0,
        key.id.0,
        after.map(|id| id.0),
        limit
    )
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

/// Counts the probes of the caller that are still asked in a session.
pub async fn count_callers(connection: &mut PgConnection, key: SessionKey) -> Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from probes
           where tenant_id = $1 and session_id = $2 and source = 'caller' and retired_in_version is null"#,
        key.tenant.0,
        key.id.0
    )
    .fetch_one(connection)
    .await?)
}

/// Adds a probe of the caller. Pending decisions on the session are made again, because a version may have to answer
/// it.
pub async fn insert_callers(tx: &mut Tx, key: SessionKey, probe: String) -> Result<ProbeRow> {
    let id = ProbeId(Uuid::now_v7());
    let created_at = sqlx::query_scalar!(
        "insert into probes (tenant_id, session_id, id, source, probe) values ($1, $2, $3, 'caller', $4::text::json)
         returning created_at",
        key.tenant.0,
        key.id.0,
        id.0,
        probe
    )
    .fetch_one(&mut **tx)
    .await?;
    lock::touch(tx, key.tenant, key.id).await?;
    let source = CALLER.to_owned();
    Ok(ProbeRow { id, source, version: None, retired_in_version: None, probe, created_at })
}

/// Finds a probe of a session; `None` when it has no such probe.
pub async fn find(connection: &mut PgConnection, key: SessionKey, id: ProbeId) -> Result<Option<ProbeRow>> {
    let row = sqlx::query_as!(
        ProbeRow,
        r#"select id as "id!: ProbeId", source as "source!", version, retired_in_version, probe::text as "probe!",
                  created_at as "created_at!"
           from probes_of($1, $2) where id = $3"#,
        key.tenant.0,
        key.id.0,
        id.0
    )
    .fetch_optional(connection)
    .await?;
    Ok(row)
}

/// Replaces a probe of the caller's. Pending decisions on the session are made again, because a version may have to
/// answer it.
///
/// # Errors
/// When the database fails, or the caller has no such probe.
pub async fn replace_callers(tx: &mut Tx, key: SessionKey, id: ProbeId, probe: String) -> Result<()> {
    let done = sqlx::query!(
        "update probes set probe = $4::text::json
         where tenant_id = $1 and session_id = $2 and id = $3 and source = 'caller'",
        key.tenant.0,
        key.id.0,
        id.0,
        probe
    )
    .execute(&mut **tx)
    .await?;
    expect_rows("a caller's probe", 1, done.rows_affected())?;
    lock::touch(tx, key.tenant, key.id).await
}

/// Deletes a probe of the caller's. Pending decisions on the session are made again.
///
/// # Errors
/// When the database fails, or the caller has no such probe.
pub async fn delete_callers(tx: &mut Tx, key: SessionKey, id: ProbeId) -> Result<()> {
    let done = sqlx::query!(
        "delete from probes where tenant_id = $1 and session_id = $2 and id = $3 and source = 'caller'",
        key.tenant.0,
        key.id.0,
        id.0
    )
    .execute(&mut **tx)
    .await?;
    expect_rows("a caller's probe", 1, done.rows_affected())?;
    lock::touch(tx, key.tenant, key.id).await
}

/// Lists a session's evaluations in an open transaction, newest first, without their results.
pub async fn list_evaluations(
    connection: &mut PgConnection,
    key: SessionKey,
    before: Option<EvaluationId>,
    limit: i64,
) -> Result<Vec<EvaluationRow>> {
    let rows = sqlx::query_as!(
        EvaluationRow,
        r#"select id as "id: EvaluationId", version, compression_id as "compression_id: CompressionId",
                  scores::text as "scores!", '' as "results!", created_at
           from evaluations
           where tenant_id = $1 and session_id = $2 and ($3::uuid is null or id < $3) order by id desc limit $4"#,
        key.tenant.0,
        key.id.0,
        before.map(|id| id.0),
        limit
    )
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

/// Finds an evaluation in an open transaction, by its id or by the job that made it.
pub async fn find_evaluation(
    connection: &mut PgConnection,
    key: SessionKey,
    id: Option<EvaluationId>,
    made_by: Option<CompressionId>,
) -> Result<Option<EvaluationRow>> {
    let row = sqlx::query_as!(
        EvaluationRow,
        r#"select id as "id: EvaluationId", version, compression_id as "compression_id: CompressionId",
                  scores::text as "scores!", results::text as "results!", created_at
           from evaluations
           where tenant_id = $1 and session_id = $2
             and ($3::uuid is null or id = $3) and ($4::uuid is null or compression_id = $4)
             and ($3::uuid is not null or $4::uuid is not null)
           order by id desc limit 1"#,
        key.tenant.0,
        key.id.0,
        id.map(|id| id.0),
        made_by.map(|id| id.0)
    )
    .fetch_optional(connection)
    .await?;
    Ok(row)
}
