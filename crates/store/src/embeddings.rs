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
    ///
    /// # Errors
    /// When the database fails.
    pub async fn queue_marked(&self) -> Result<()> {
        let mut marked: HashMap<TenantId, Vec<Uuid>> = HashMap::new();
        for (tenant, session) in std::mem::take(&mut *self.unembedded.lock()) {
            marked.entry(tenant).or_default().push(session);
        }
        let mut failed = None;
        for (tenant, sessions) in marked {
            for some in sessions.chunks(MARKED_AT_ONCE) {
                let queued = async {
                    let queued = sqlx::query_scalar!("select mark_for_embedding($1, $2)", tenant.0, some);
                    queued.fetch_one(&mut self.pool.acquire().await?).await
                };
                if let Err(error) = queued.await {
                    for session in some {
                        self.mark_for_embedding(tenant, SessionId(*session));
                    }
                    failed = Some(error.into());
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Reads the next messages without vectors of a model; from the first one when `anew`. `None` when the session is
    /// gone or another worker has it.
    ///
    /// # Errors
    /// When the database fails.
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
        let Ok(encoded) = encoding.await else { return Err(sqlx::Error::WorkerCrashed.into()) };
        let (blocks, vectors): (Vec<Seq>, Vec<Vec<u8>>) = encoded.into_iter().unzip();
        let mut tx = self.begin(job.tenant).await?;
        let stored = sqlx::query!(
            r#"select bytes as "bytes!", task_id, more as "more!", stored_at as "stored_at!"
               from add_vectors($1, $2, $3, $4, $5, $6, $7, $8, $9)"#,
            job.tenant.0,
            job.session.0,
            job.attempt,
            model,
            i32::try_from(dimensions).unwrap_or(i32::MAX),
            after,
            through,
            &blocks,
            &vectors
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(stored) = stored else { return Ok(Stored::Lost) };
        if stored.bytes != 0 {
            let bytes = (stored.task_id, stored.bytes, stored.stored_at);
            add_vector_bytes(&mut tx, job.tenant, job.session, bytes).await?;
        }
        tx.commit().await?;
        Ok(Stored::Done { more: stored.more })
    }

    /// Ends an attempt that stored nothing; the next one is due after `wait`.
    ///
    /// # Errors
    /// When the database fails.
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
