//! Adds messages to the recall index.
//!
//! The newest postings are stored beside the index (`recall_pending`): a version adds a few postings to nearly every
//! bucket of its chunk, and to append to a value, Postgres writes it whole. Up to seven indexings have a row each,
//! which searches read too; the eighth moves all of them into the buckets. Large indexings go into the buckets at
//! once.

use super::{DIRECTORY, in_turn, page, parsed};
use crate::job::Job;
use crate::prelude::*;
use crate::settle;
use anchord_messages::message::Message;
use anchord_recall::Document;
use anchord_recall::postings::{CHUNK, Segments, chunk_of, encode};
use anchord_session::compression::{Report, Status};

/// One of this many indexings writes the buckets of its chunk; a question reads the pending ones too, so they are few.
const MOST_PENDING: i64 = 8;
/// This many messages go into the buckets at once.
const AT_ONCE: Seq = 128;

/// Messages that are not indexed yet.
#[derive(Clone, Debug)]
pub struct Unindexed {
    /// The last indexed message.
    pub indexed_seq: Seq,
    /// The newest message of the session.
    pub head_seq: Seq,
    /// The next messages, in order: of one chunk, bounded in bytes.
    pub messages: Vec<Message>,
}

/// The outcome of indexing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexing {
    /// Another worker was faster, or the session is gone; nothing has changed.
    Behind,
    /// The documents are indexed.
    Indexed,
    /// The documents are indexed, no messages are left, and the job has ended.
    Ended,
}

impl Store {
    /// Finds the next messages to index; `None` when the session is gone.
    pub async fn find_unindexed(&self, tenant: TenantId, session: SessionId) -> Result<Option<Unindexed>> {
        let mut tx = self.snapshot(tenant).await?;
        let state = sqlx::query!(
            "select indexed_seq, head_seq from sessions where tenant_id = $1 and id = $2",
            tenant.0,
            session.0
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(state) = state else { return Ok(None) };
        let through = state.head_seq.min((state.indexed_seq / CHUNK + 1) * CHUNK);
        let rows = page(&mut tx, session.of(tenant), state.indexed_seq, through).await?;
        tx.commit().await?;
        let messages = if rows.is_empty() { Vec::new() } else { parsed(tenant, rows).await? };
        Ok(Some(Unindexed { indexed_seq: state.indexed_seq, head_seq: state.head_seq, messages }))
    }

    /// Adds documents to the index, if the last indexed message is `after`, and ends the job when no messages are
    /// left then. The commit does not wait for the disk: a crash that undoes it undoes the end of the job, too, and both are
    /// made again.
    ///
    /// The documents are those of the messages from `after + 1` on, of one chunk.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn index_messages(
        &self,
        of: impl Into<SessionKey>,
        after: Seq,
        documents: Vec<Document>,
        job: Option<&Job>,
    ) -> Result<Indexing> {
        let key = of.into();
        let through = after + Seq::try_from(documents.len()).unwrap_or(Seq::MAX);
        let Segments { directory, buckets } =
            in_turn(key.tenant, move || encode(after + 1, &documents)).await?;
        let mut numbers = vec![DIRECTORY];
        let mut segments = vec![directory];
        for (bucket, segment) in buckets {
            numbers.push(i16::from(bucket));
            segments.push(segment);
        }
        let mut tx = self.begin_unsynced(key.tenant).await?;
        // The session first, as everywhere; it is the fence, too.
        let is_all = sqlx::query_scalar!(
            r#"update sessions s set indexed_seq = $4
               where s.tenant_id = $1 and s.id = $2 and s.indexed_seq = $3 and s.head_seq >= $4 and s.dropped_at is null
               returning s.head_seq = $4 as "is_all!""#,
            key.tenant.0,
            key.id.0,
            after,
            through
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(is_all) = is_all else { return Ok(Indexing::Behind) };
        add_segments(&mut tx, key, (after, through), &numbers, &segments).await?;
        let mut outcome = Indexing::Indexed;
        if let Some(job) = job.filter(|_| is_all)
            && settle::write_end(&mut tx, job, Status::Succeeded, None, &Report::default()).await?
        {
            outcome = Indexing::Ended;
        }
        tx.commit().await?;
        Ok(outcome)
    }
}

/// Stores segments beside the index, or moves all that are stored there into their buckets with them.
async fn add_segments(
    tx: &mut PgConnection,
    key: SessionKey,
    (after, through): (Seq, Seq),
    buckets: &[i16],
    segments: &[Vec<u8>],
) -> Result<()> {
    let pending = sqlx::query_scalar!(
        r#"select count(*) as "pending!" from recall_pending where tenant_id = $1 and session_id = $2"#,
        key.tenant.0,
        key.id.0
    );
    if through - after < AT_ONCE && pending.fetch_one(&mut *tx).await? < MOST_PENDING - 1 {
        sqlx::query!(
            "insert into recall_pending (tenant_id, session_id, first_seq, chunk, buckets, segments)
             values ($1, $2, $3, $4, $5, $6)",
            key.tenant.0,
            key.id.0,
            after + 1,
            chunk_of(after + 1),
            buckets,
            segments
        )
        .execute(tx)
        .await?;
        return Ok(());
    }
    // The new segments are appended to those of the bucket, in the session's order, without reading those.
    sqlx::query!(
        "with pending as (
           delete from recall_pending x where x.tenant_id = $1 and x.session_id = $2
           returning x.first_seq, x.chunk, x.buckets, x.segments
         ),
         indexing as (
           select first_seq, chunk, buckets, segments from pending
           union all select $3::bigint, $4::bigint, $5::smallint[], $6::bytea[]
         )
         insert into recall_postings as old (tenant_id, session_id, bucket, chunk, segments)
         select $1, $2, new.bucket, i.chunk, string_agg(new.segment, ''::bytea order by i.first_seq)
         from indexing i cross join lateral unnest(i.buckets, i.segments) as new(bucket, segment)
         group by i.chunk, new.bucket
         on conflict (tenant_id, session_id, bucket, chunk) do update set segments = old.segments || excluded.segments",
        key.tenant.0,
        key.id.0,
        after + 1,
        chunk_of(after + 1),
        buckets,
        segments
    )
    .execute(tx)
    .await?;
    Ok(())
}
