//! The calls to models that a compression made, and its finished chunks.

use serde::Deserialize;

use super::job::Job;
use super::usage::add_model_call;
use crate::prelude::*;
use anchord_record::changes::{Account, Changes};
use anchord_session::compression::Cost;
use anchord_session::usage::UsageDelta;

/// A call that is about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct NewAttempt<'a> {
    /// The purpose: `summarise`, `repair`, `detail`, `probe`, `examine`, `read` or `judge`.
    pub purpose: &'static str,
    /// The first message that it is about.
    pub from_seq: Seq,
    /// The last message that it is about.
    pub through_seq: Seq,
    /// The name of the provider.
    pub provider: &'static str,
    /// The model.
    pub model: &'a str,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct AttemptEnd {
    /// `ok`, or the name of the error.
    pub outcome: &'static str,
    /// The server's status, when it answered with an error.
    pub http_status: Option<u16>,
    /// Input tokens.
    pub input_tokens: u64,
    /// The part of them that the server read from its cache.
    pub cached_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// How long it took.
    pub latency_ms: u64,
    /// The cost, in millionths of the currency of the operator's prices.
    pub cost_micros: u64,
}

/// A chunk of a span that a model has finished.
#[derive(Clone, Debug)]
pub struct FinishedChunk {
    /// Its first message.
    pub from_seq: Seq,
    /// Its last message.
    pub through_seq: Seq,
    /// The changes that were accepted.
    pub changes: Changes,
    /// How many of the changes were accepted.
    pub account: Account,
}

/// A finished chunk as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredChunk {
    changes: Changes,
    account: Account,
}

/// One call to a model's server, a failed one too.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ModelCall {
    /// Its id.
    #[schema(value_type = String, format = Uuid)]
    pub id: Uuid,
    /// Which claim of the compression sent it, from 1.
    pub attempt: i32,
    /// `summarise`, `repair`, `detail`, `probe`, `examine`, `read` or `judge`.
    pub purpose: String,
    /// The first message that it was about.
    pub from_seq: Seq,
    /// The last message that it was about.
    pub through_seq: Seq,
    /// The wire format.
    pub provider: String,
    /// The model.
    pub model: String,
    /// `ok`, the error's word, or `sent` when its worker died over it.
    pub outcome: String,
    /// The server's status, when it answered with an error.
    #[schema(required = true)]
    pub http_status: Option<i16>,
    /// Tokens in, as the server counts them.
    pub input_tokens: i64,
    /// The part of them that the server read from its cache.
    pub cached_tokens: i64,
    /// Tokens out.
    pub output_tokens: i64,
    /// The duration, in milliseconds.
    pub latency_ms: i64,
    /// Its cost, in millionths of the currency of the operator's prices.
    pub cost_micros: i64,
    /// When it was sent.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
}

fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Store {
    /// Records a call before it is sent, so that it is on record even when the worker dies. Returns its id; `None`
    /// when the lease is lost.
    pub async fn begin_llm_attempt(&self, job: &Job, new: NewAttempt<'_>) -> Result<Option<Uuid>> {
        let mut tx = self.begin(job.tenant).await?;
        let id = Uuid::now_v7();
        let done = sqlx::query!(
            "insert into llm_attempts (tenant_id, compression_id, id, attempt, purpose, from_seq, through_seq, provider, model)
             select c.tenant_id, c.id, $4, c.attempt, $5, $6, $7, $8, $9 from compressions c
             where c.tenant_id = $1 and c.id = $2 and c.attempt = $3 and c.status = 'running' for share",
            job.tenant.0,
            job.id.0,
            job.attempt,
            id,
            new.purpose,
            new.from_seq,
            new.through_seq,
            new.provider,
            new.model,
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok((done.rows_affected() == 1).then_some(id))
    }

    /// Records how a call ended. The fence is not checked, because the call was paid even when another worker has the
    /// job now.
    pub async fn end_llm_attempt(&self, job: &Job, id: Uuid, end: AttemptEnd) -> Result<()> {
        let mut tx = self.begin(job.tenant).await?;
        let figures = UsageDelta {
            calls: 1,
            failures: i64::from(end.outcome != "ok"),
            tokens_in: whole(end.input_tokens),
            tokens_out: whole(end.output_tokens),
            tokens_cached: whole(end.cached_tokens),
            tokens_whole: 0,
            time_us: whole(end.latency_ms).saturating_mul(1_000),
            cost_micros: whole(end.cost_micros),
            ..UsageDelta::default()
        };
        // Boxed, because this future is large.
        Box::pin(add_model_call(&mut tx, job.tenant, job.id, figures)).await?;
        sqlx::query!(
            "update llm_attempts set outcome = $4, http_status = $5, input_tokens = $6, output_tokens = $7,
                    latency_ms = $8, cost_micros = $9, cached_tokens = $10
             where tenant_id = $1 and compression_id = $2 and id = $3",
            job.tenant.0,
            job.id.0,
            id,
            end.outcome,
            end.http_status.and_then(|status| i16::try_from(status).ok()),
            whole(end.input_tokens),
            whole(end.output_tokens),
            whole(end.latency_ms),
            whole(end.cost_micros),
            whole(end.cached_tokens),
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Lists a compression's calls, oldest first.
    pub async fn list_llm_attempts(
        &self,
        tenant: TenantId,
        compression: CompressionId,
        after: Option<Uuid>,
        limit: i64,
    ) -> Result<Vec<ModelCall>> {
        let mut tx = self.snapshot(tenant).await?;
        let rows = sqlx::query_as!(
            ModelCall,
            "select id, attempt, purpose, from_seq, through_seq, provider, model, outcome, http_status,
                    input_tokens, cached_tokens, output_tokens, latency_ms, cost_micros, created_at
             from llm_attempts
             where tenant_id = $1 and compression_id = $2 and ($3::uuid is null or id > $3) order by id limit $4",
            tenant.0,
            compression.0,
            after,
            limit,
        )
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(rows)
    }

    /// The tokens, time and money of a compression's calls so far, over all its claims.
    pub async fn llm_cost(&self, job: &Job) -> Result<Cost> {
        let mut tx = self.begin(job.tenant).await?;
        let row = sqlx::query!(
            r#"select count(*) as "calls!", count(*) filter (where outcome <> 'ok') as "failed!",
                      coalesce(sum(input_tokens), 0)::bigint as "input!", coalesce(sum(output_tokens), 0)::bigint as "output!",
                      coalesce(sum(latency_ms), 0)::bigint as "latency!", coalesce(sum(cost_micros), 0)::bigint as "micros!",
                      coalesce(sum(cached_tokens), 0)::bigint as "cached!"
               from llm_attempts where tenant_id = $1 and compression_id = $2"#,
            job.tenant.0,
            job.id.0,
        )
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        let number = |sum: i64| u64::try_from(sum).unwrap_or_default();
        let calls = |count: i64| u32::try_from(count).unwrap_or_default();
        Ok(Cost {
            input_tokens: number(row.input),
            cached_tokens: number(row.cached),
            output_tokens: number(row.output),
            calls: calls(row.calls),
            failed_calls: calls(row.failed),
            latency_ms: number(row.latency),
            micros: number(row.micros),
        })
    }

    /// Stores a finished chunk; returns `false` when the lease is lost.
    pub async fn keep_chunk(&self, job: &Job, chunk: &FinishedChunk) -> Result<bool> {
        let told = StoredChunk { changes: chunk.changes.clone(), account: chunk.account.clone() };
        let narrative = serde_json::to_string(&told)
            .map_err(|e| StoreError::corrupt("narrative_chunks", "narrative", job.id, e))?;
        let mut tx = self.begin(job.tenant).await?;
        let done = sqlx::query!(
            "insert into narrative_chunks (tenant_id, compression_id, from_seq, through_seq, narrative)
             select c.tenant_id, c.id, $4, $5, $6::text::json from compressions c
             where c.tenant_id = $1 and c.id = $2 and c.attempt = $3 and c.status = 'running' for share",
            job.tenant.0,
            job.id.0,
            job.attempt,
            chunk.from_seq,
            chunk.through_seq,
            narrative,
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(done.rows_affected() == 1)
    }

    /// The finished pieces of a compression, in the order of the session.
    pub async fn finished_chunks(&self, job: &Job) -> Result<Vec<FinishedChunk>> {
        let mut tx = self.begin(job.tenant).await?;
        let rows = sqlx::query!(
            "select from_seq, through_seq, narrative from narrative_chunks
             where tenant_id = $1 and compression_id = $2 order by from_seq",
            job.tenant.0,
            job.id.0,
        )
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        let mut chunks = Vec::with_capacity(rows.len());
        for row in rows {
            let StoredChunk { changes, account } = serde_json::from_value(row.narrative)
                .map_err(|e| StoreError::corrupt("narrative_chunks", "narrative", job.id, e))?;
            let (from_seq, through_seq) = (row.from_seq, row.through_seq);
            chunks.push(FinishedChunk { from_seq, through_seq, changes, account });
        }
        Ok(chunks)
    }

    /// Deletes the finished chunks of all ended compressions of the session, cancelled ones included, and those whose
    /// worker died at the end.
    pub async fn forget_chunks(&self, job: &Job) -> Result<()> {
        let mut tx = self.begin(job.tenant).await?;
        sqlx::query!(
            "delete from narrative_chunks n using compressions c
             where n.tenant_id = $1 and c.tenant_id = $1 and c.session_id = $2 and c.id = n.compression_id
               and c.status not in ('queued', 'running')",
            job.tenant.0,
            job.session.0,
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }
}
