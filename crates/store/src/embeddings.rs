//! Vectors of messages: which sessions wait for some, and storing them.
//!
//! No append pays for vectors: a process marks the sessions that were appended to in its memory, and queues them once a
//! second. A crash loses the marks of that second; the session's next append, or a question about it, makes them again.
//! A row of the queue is a session and not a batch, so that a session that grows fast is queued once.
//! Invariant: the messages through `through_seq` have the vectors of one model, those of a branch from behind its
//! `base_indexed_seq` on. Every write carries the number of its
//! attempt, and ends it, so that sessions take turns batch by batch.

use std::collections::HashMap;
use std::time::Duration;

use super::recall::{page, parsed};
use super::usage::add_vector_bytes;
use crate::prelude::*;
use anchord_messages::message::Message;
use anchord_recall::vectors::{BLOCK, encode};
use anchord_runtime::fair;

/// The most sessions that a process marks between two writes; further ones are marked again by their next append.
const MOST_MARKED: usize = 100_000;
/// The most sessions of one statement.
const MARKED_AT_ONCE: usize = 500;

/// A session of which a worker makes vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddingJob {
    /// Its tenant.
    pub tenant: TenantId,
    /// The session.
    pub session: SessionId,
    /// The fence.
    pub attempt: i32,
    /// How often in a row it has failed.
    pub failures: u32,
}

/// Messages that have no vectors yet.
#[derive(Clone, Debug)]
pub struct Unembedded {
    /// The last message that has its vectors; when those that there are come from another model, the last one of which
    /// the branch has none of its own.
    pub after: Seq,
    /// The dimensions of the vectors that there are; 0 when there are none of the model.
    pub dimensions: usize,
    /// The next messages, of one block.
    pub messages: Vec<Message>,
}

/// New vectors of consecutive messages.
#[derive(Clone, Debug)]
pub struct NewVectors<'a> {
    /// The model that made them.
    pub model: &'a str,
    /// How many numbers each has.
    pub dimensions: usize,
    /// The message before the first one.
    pub after: Seq,
    /// The vectors of each message; none of one that says nothing.
    pub messages: Vec<Vec<Vec<f32>>>,
}

/// How a batch was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Another worker has the session, or it is gone; nothing has changed.
    Lost,
    /// It is stored.
    Done {
        /// Whether messages without vectors are left.
        more: bool,
    },
}

impl Store {
    /// Marks a session whose newest messages have no vectors.
    pub fn mark_for_embedding(&self, tenant: TenantId, session: SessionId) {
        let mut marks = self.unembedded.lock();
        if marks.len() < MOST_MARKED {
            marks.insert((tenant, session.0));
        }
    }

    /// Queues the marked sessions. A session that cannot be queued stays marked.
    pub async fn queue_marked(&self) -> Result<()> {
        let mut marked: HashMap<TenantId, Vec<Uuid>> = HashMap::new();
        for (tenant, session) in std::mem::take(&mut *self.unembedded.lock()) {
            marked.entry(tenant).or_default().push(session);
        }
        let mut failed = None;
        for (tenant, sessions) in marked {
            for some in sessions.chunks(MARKED_AT_ONCE) {
                let queued = async {
                    // A crash loses a mark, which the next append or question makes again.
                    let mut tx = self.begin_unsynced(tenant).await?;
                    queue(&mut tx, tenant, some).await?;
                    tx.commit().await
                };
                if let Err(error) = queued.await {
                    for session in some {
                        self.mark_for_embedding(tenant, SessionId(*session));
                    }
                    failed = Some(error);
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Reads the next messages without vectors of a model; from the first one when `anew`. `None` when the session is
    /// gone or another worker has it.
    pub async fn find_unembedded(
        &self,
        job: &EmbeddingJob,
        model: &str,
        anew: bool,
    ) -> Result<Option<Unembedded>> {
        let mut tx = self.snapshot(job.tenant).await?;
        let state = sqlx::query!(
            "select e.model, e.dimensions, e.through_seq, s.head_seq, s.base_indexed_seq
             from recall_embeddings e
             join sessions s on s.tenant_id = e.tenant_id and s.id = e.session_id
             where e.tenant_id = $1 and e.session_id = $2 and e.attempt = $3",
            job.tenant.0,
            job.session.0,
            job.attempt
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(state) = state else { return Ok(None) };
        let goes_on = state.model == model && !anew;
        let base = state.base_indexed_seq;
        let after = if goes_on { state.through_seq.max(base) } else { base };
        let dimensions = if goes_on { usize::try_from(state.dimensions).unwrap_or_default() } else { 0 };
        let through = state.head_seq.min((after / BLOCK + 1) * BLOCK);
        let rows = page(&mut tx, job.session.of(job.tenant), after, through).await?;
        tx.commit().await?;
        let messages = parsed(job.tenant, rows).await?;
        Ok(Some(Unembedded { after, dimensions, messages }))
    }

    /// Stores vectors, and ends the attempt.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn store_vectors(&self, job: &EmbeddingJob, new: NewVectors<'_>) -> Result<Stored> {
        let NewVectors { model, dimensions, after, messages } = new;
        let through = after + Seq::try_from(messages.len()).unwrap_or(Seq::MAX);
        let encoding = fair::jobs().run(job.tenant.0.as_u128(), move || encode(after + 1, &messages));
        let Ok(encoded) = encoding.await else { return Err(StoreError::Broken) };
        let (blocks, vectors): (Vec<Seq>, Vec<Vec<u8>>) = encoded.into_iter().unzip();
        let mut tx = self.begin(job.tenant).await?;
        // The session first, as everywhere: nobody erases it meanwhile.
        let session = sqlx::query!(
            "select s.head_seq, s.base_indexed_seq,
                    case when s.root_id is null then s.task_id
                         else (select r.task_id from sessions r where r.tenant_id = $1 and r.id = s.root_id limit 1) end as task_id
             from sessions s where s.tenant_id = $1 and s.id = $2 for key share of s",
            job.tenant.0,
            job.session.0
        );
        let Some(session) = session.fetch_optional(&mut *tx).await? else { return Ok(Stored::Lost) };
        let is_anew = after == session.base_indexed_seq;
        // A batch without a message found all there are: what an erased branch no longer has comes no more.
        let more = through < session.head_seq && through > after;
        let dimensions = i32::try_from(dimensions).unwrap_or(i32::MAX);
        let fenced = sqlx::query!(
            "update recall_embeddings
             set model = $4, dimensions = $5, through_seq = $7, failures = 0, leased_until = null,
                 due_at = case when $8 then now() end
             where tenant_id = $1 and session_id = $2 and attempt = $3
               -- Messages that say nothing have no dimensions.
               and ($9 or (model = $4 and dimensions in (0, $5) and through_seq = $6))",
            job.tenant.0,
            job.session.0,
            job.attempt,
            model,
            dimensions,
            after,
            through,
            more,
            is_anew
        );
        if fenced.execute(&mut *tx).await?.rows_affected() == 0 {
            return Ok(Stored::Lost);
        }
        let added = sqlx::query!(
            r#"with before as materialized (
                 select coalesce(sum(octet_length(x.vectors)), 0) as bytes from recall_vectors x
                 where x.tenant_id = $1 and x.session_id = $2 and x.block = any($3)
               ),
               stored as (
                 insert into recall_vectors as old (tenant_id, session_id, block, model, dimensions, vectors)
                 select $1, $2, new.block, $5, $6, new.vectors from unnest($3::bigint[], $4::bytea[]) as new(block, vectors)
                 on conflict (tenant_id, session_id, block) do update
                 set model = excluded.model, dimensions = excluded.dimensions,
                     -- What begins a block replaces what another model, or an earlier pass, left in it.
                     vectors = case when $8 or excluded.block * 64 >= $7 or old.model <> excluded.model
                                         or old.dimensions <> excluded.dimensions
                                    then excluded.vectors else old.vectors || excluded.vectors end
                 returning octet_length(vectors) as bytes
               )
               select coalesce((select sum(s.bytes) from stored s), 0) - b.bytes as "bytes!", now() as "at!" from before b"#,
            job.tenant.0,
            job.session.0,
            &blocks,
            &vectors,
            model,
            dimensions,
            after,
            is_anew
        )
        .fetch_one(&mut *tx)
        .await?;
        if added.bytes != 0 {
            add_vector_bytes(&mut tx, job.tenant, job.session, (session.task_id, added.bytes, added.at))
                .await?;
        }
        tx.commit().await?;
        Ok(Stored::Done { more })
    }

    /// Ends an attempt that stored nothing; the next one is due after `wait`.
    pub async fn put_off_embedding(&self, job: &EmbeddingJob, wait: Duration) -> Result<()> {
        let mut tx = self.begin(job.tenant).await?;
        sqlx::query!(
            "update recall_embeddings
             set failures = failures + 1, leased_until = null, due_at = now() + make_interval(secs => $4)
             where tenant_id = $1 and session_id = $2 and attempt = $3",
            job.tenant.0,
            job.session.0,
            job.attempt,
            wait.as_secs_f64()
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await
    }
}

/// Queues sessions whose newest messages may have no vectors yet; those that are queued already, single calls and locked ones
/// stay as they are.
async fn queue(tx: &mut PgConnection, tenant: TenantId, sessions: &[Uuid]) -> Result<()> {
    sqlx::query!(
        "insert into recall_embeddings as old (tenant_id, session_id)
         select $1, s.id from sessions s
         where s.tenant_id = $1 and s.id = any($2) and s.expires_at is null
         order by s.id for key share of s skip locked
         on conflict (tenant_id, session_id) do update set due_at = now() where old.due_at is null",
        tenant.0,
        sessions
    )
    .execute(tx)
    .await?;
    Ok(())
}
