//! The recall index of a session, and questions to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::TryStreamExt as _;

use super::usage::Shown;
use super::{Store, StoreError, Tx, expect_rows};
use crate::background;
use crate::domain::format::{Format, parse};
use crate::domain::id::{Seq, SessionId, SessionName, TenantId};
use crate::domain::message::{Message, Part, Role};
use crate::domain::recall::postings::{
    CHUNK, Segments, by_bucket, chunk_of, encode, read_bucket, read_directory,
};
use crate::domain::recall::{Analyzer, Document, Examined, Hit, Matches, Query, Ranked, Term, settle};

/// The most bytes of bodies that are indexed in one transaction, or scanned at a time.
const PAGE_BYTES: i64 = 4 * 1024 * 1024;
/// The most bytes of matching messages that are looked at for their order; hits are looked at anyway.
const EXAMINED_BYTES: i64 = 8 * 1024 * 1024;
/// How many matches are looked at for their order, at least.
const EXAMINED: usize = 60;
/// The bucket number of a chunk's directory.
const DIRECTORY: i16 = -1;

/// Messages that the index does not have yet.
#[derive(Clone, Debug)]
pub struct Unindexed {
    /// Through which message the index reaches.
    pub indexed_seq: Seq,
    /// The newest message of the session.
    pub head_seq: Seq,
    /// The next messages, in order: of one chunk, bounded in bytes.
    pub messages: Vec<Message>,
}

/// What a question found.
#[derive(Clone, Debug)]
pub struct Recalled {
    /// The messages, best first.
    pub hits: Vec<Hit>,
    /// What the session's context shows of them.
    pub shown: Shown,
}

/// A stored message, as far as a search reads it.
struct Row {
    seq: i64,
    role: String,
    format: String,
    body: String,
}

impl Row {
    /// Reads the message. One that no longer reads as its format is searched as the JSON that it is.
    fn message(&self) -> Message {
        let format = Format::from_name(&self.format);
        if let Some(message) = format.and_then(|format| parse(format, &self.body).ok()) {
            return message;
        }
        let roles = [Role::System, Role::Developer, Role::Assistant, Role::Tool];
        Message {
            role: roles.into_iter().find(|r| r.as_str() == self.role).unwrap_or(Role::User),
            name: None,
            parts: vec![Part::Other(self.body.clone())],
        }
    }
}

impl Store {
    /// Finds the next messages to index; `None` when the session is gone.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find_unindexed(
        &self,
        tenant: TenantId,
        session: SessionId,
    ) -> Result<Option<Unindexed>, StoreError> {
        let Some((indexed_seq, head_seq)) = self.find_reach(tenant, session).await? else { return Ok(None) };
        if indexed_seq >= head_seq {
            return Ok(Some(Unindexed { indexed_seq, head_seq, messages: Vec::new() }));
        }
        let mut tx = self.snapshot(tenant).await?;
        let last_of_chunk = (chunk_of(indexed_seq + 1) + 1) * CHUNK;
        let rows = page(&mut tx, (tenant, session), indexed_seq, last_of_chunk).await?;
        let messages = on_blocking(move || rows.iter().map(Row::message).collect()).await?;
        Ok(Some(Unindexed { indexed_seq, head_seq, messages }))
    }

    /// Through which message the index reaches, and the session's newest. Messages are only ever added, so that
    /// what is read after it is there. One statement, which sets the tenant for itself.
    async fn find_reach(
        &self,
        tenant: TenantId,
        session: SessionId,
    ) -> Result<Option<(Seq, Seq)>, StoreError> {
        loop {
            let mut reading = self.readers.acquire(&self.pool).await?;
            let read = sqlx::query!(
                r#"with bound as materialized (
                     select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
                   )
                   select s.indexed_seq as "indexed_seq!", s.head_seq as "head_seq!"
                   from bound
                   cross join lateral (
                     select x.indexed_seq, x.head_seq from sessions x
                     where x.tenant_id = bound.tenant_id and x.id = $2 limit 1
                   ) s"#,
                tenant.0,
                session.0
            )
            .fetch_all(reading.connection())
            .await;
            if let Some(rows) = reading.settle(read)? {
                return Ok(rows.first().map(|row| (row.indexed_seq, row.head_seq)));
            }
        }
    }

    /// Adds documents to the index, if it still reaches through `after`; `false` when another worker
    /// was first, or the session is gone.
    ///
    /// The documents are of the messages `after + 1` and on, of one chunk.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn index_messages(
        &self,
        tenant: TenantId,
        session: SessionId,
        after: Seq,
        documents: Vec<Document>,
    ) -> Result<bool, StoreError> {
        let through = after + Seq::try_from(documents.len()).unwrap_or(Seq::MAX);
        let Segments { directory, buckets } = on_blocking(move || encode(after + 1, &documents)).await?;
        let mut numbers = vec![DIRECTORY];
        let mut segments = vec![directory];
        for (bucket, segment) in buckets {
            numbers.push(i16::from(bucket));
            segments.push(segment);
        }
        let mut tx = self.begin(tenant).await?;
        // The session first, as everywhere; it is the fence too.
        let moved = sqlx::query!(
            "update sessions set indexed_seq = $4
             where tenant_id = $1 and id = $2 and indexed_seq = $3 and head_seq >= $4",
            tenant.0,
            session.0,
            after,
            through
        )
        .execute(&mut *tx)
        .await?;
        if moved.rows_affected() == 0 {
            return Ok(false);
        }
        let written = sqlx::query!(
            // What a bucket holds already is not read: the new segment is appended to it.
            "insert into recall_postings as old (tenant_id, session_id, bucket, chunk, segments)
             select $1, $2, new.bucket, $3, new.segments
             from unnest($4::smallint[], $5::bytea[]) as new (bucket, segments)
             on conflict (tenant_id, session_id, bucket, chunk)
             do update set segments = old.segments || excluded.segments",
            tenant.0,
            session.0,
            chunk_of(after + 1),
            &numbers,
            &segments
        )
        .execute(&mut *tx)
        .await?;
        let expected = u64::try_from(numbers.len()).unwrap_or(u64::MAX);
        expect_rows("indexing messages", expected, written.rows_affected())?;
        tx.commit().await?;
        Ok(true)
    }

    /// Answers a question from all messages of a session, best first; `None` when there is no such
    /// session.
    ///
    /// # Errors
    /// When the database fails, or the index does not read back.
    pub async fn recall(
        &self,
        tenant: TenantId,
        session: &SessionName,
        query: Query,
        limit: usize,
    ) -> Result<Option<Recalled>, StoreError> {
        let query = Arc::new(query);
        // One moment: what is indexed and what is not must add up.
        let mut tx = self.snapshot(tenant).await?;
        let found = sqlx::query!(
            r#"select s.id, s.indexed_seq, s.anchor_seq, s.task_id, coalesce(a.system_through, 0) as "system_through!",
                      coalesce(a.mask_upto, 0) as "mask_upto!"
               from sessions s
               cross join lateral json_to_record(s.accounting) as a(system_through bigint, mask_upto bigint)
               where s.tenant_id = $1 and s.name = $2"#,
            tenant.0,
            session.as_str()
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(found) = found else { return Ok(None) };
        let key = (tenant, SessionId(found.id));
        let matches = from_index(&mut tx, key, &query).await?;
        let matches = from_scan(&mut tx, key, found.indexed_seq, matches).await?;
        let keep = EXAMINED.max(limit.saturating_mul(2));
        let ranked = on_blocking(move || matches.rank(keep)).await?;
        let hits = look_at(&mut tx, key, ranked, (&query, limit)).await?;
        let shown = Shown {
            session: key.1,
            task_id: found.task_id,
            system_through: found.system_through,
            anchor_seq: found.anchor_seq,
            mask_upto: found.mask_upto,
        };
        Ok(Some(Recalled { hits, shown }))
    }
}

/// Reads the query's buckets, all chunks of each in one range.
async fn from_index(
    tx: &mut Tx,
    (tenant, session): (TenantId, SessionId),
    query: &Arc<Query>,
) -> Result<Matches, StoreError> {
    let mut matches = Matches::new(query.clone());
    let wanted: BTreeMap<u8, Vec<Term>> = by_bucket(&query.terms());
    let mut numbers: Vec<i16> = wanted.keys().map(|bucket| i16::from(*bucket)).collect();
    numbers.push(DIRECTORY);
    // In the order of the primary key: first the directories, and the chunks in the session's order.
    let mut rows = sqlx::query!(
        "select bucket, chunk, segments from recall_postings
         where tenant_id = $1 and session_id = $2 and bucket = any($3)
         order by bucket, chunk",
        tenant.0,
        session.0,
        &numbers
    )
    .fetch(&mut **tx);
    while let Some(row) = rows.try_next().await? {
        let read = match u8::try_from(row.bucket).ok().and_then(|bucket| wanted.get(&bucket)) {
            Some(terms) => read_bucket(&row.segments, terms, &mut matches),
            None => read_directory(&row.segments, &mut matches),
        };
        read.map_err(|reason| {
            let key = format!("{} bucket {} chunk {}", session.0, row.bucket, row.chunk);
            StoreError::corrupt("recall_postings", "segments", key, reason)
        })?;
    }
    Ok(matches)
}

/// Adds what the index does not have yet, page by page, so that a worker that is behind costs time
/// and not memory.
async fn from_scan(
    tx: &mut Tx,
    key: (TenantId, SessionId),
    indexed_seq: Seq,
    mut matches: Matches,
) -> Result<Matches, StoreError> {
    let mut after = indexed_seq;
    loop {
        let rows = page(tx, key, after, Seq::MAX).await?;
        let Some(last) = rows.last() else { return Ok(matches) };
        after = last.seq;
        matches = on_blocking(move || {
            let mut analyzer = Analyzer::default();
            for row in rows {
                matches.document(row.seq, &analyzer.read(&row.message()));
            }
            matches
        })
        .await?;
    }
}

/// Looks at the texts of the best matches and settles their order.
async fn look_at(
    tx: &mut Tx,
    key: (TenantId, SessionId),
    ranked: Vec<Ranked>,
    (query, limit): (&Arc<Query>, usize),
) -> Result<Vec<Hit>, StoreError> {
    let seqs: Vec<Seq> = ranked.iter().map(|r| r.seq).collect();
    let mut examined = examine(tx, key, &seqs, query).await?;
    let best = ranked.into_iter().map(|r| (r, examined.remove(&r.seq))).collect();
    let mut hits = Vec::new();
    for (ranked, seen) in settle(best, limit) {
        let seen = match seen {
            Some(seen) => Some(seen),
            // It was beyond the bound.
            None => examine(tx, key, &[ranked.seq], query).await?.remove(&ranked.seq),
        };
        // Every match is a message of this snapshot; a number that is none would be a broken index.
        if let Some(seen) = seen {
            hits.push(Hit::new(ranked, seen));
        }
    }
    Ok(hits)
}

async fn examine(
    tx: &mut Tx,
    (tenant, session): (TenantId, SessionId),
    seqs: &[Seq],
    query: &Arc<Query>,
) -> Result<BTreeMap<Seq, Examined>, StoreError> {
    // The size is read from the row's header, so that bodies beyond the bound are not fetched.
    let rows = sqlx::query_as!(
        Row,
        r#"select seq, role, format, body as "body!"
           from (
             select m.seq, m.role, m.format, m.original as body,
                    sum(m.original_bytes) over (order by wanted.place) - m.original_bytes as bytes_before
             from unnest($3::bigint[]) with ordinality as wanted (seq, place)
             join messages m on m.tenant_id = $1 and m.session_id = $2 and m.seq = wanted.seq
           ) best
           where bytes_before < $4"#,
        tenant.0,
        session.0,
        seqs,
        EXAMINED_BYTES
    )
    .fetch_all(&mut **tx)
    .await?;
    let query = query.clone();
    on_blocking(move || rows.iter().map(|row| (row.seq, query.examine(&row.message()))).collect()).await
}

/// The messages after one, at most a chunk's count and a page of bytes; the first one however large.
async fn page(
    tx: &mut Tx,
    (tenant, session): (TenantId, SessionId),
    after: Seq,
    through: Seq,
) -> Result<Vec<Row>, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        r#"select seq, role, format, body as "body!"
           from (
             select m.seq, m.role, m.format, m.original as body,
                    sum(m.original_bytes) over (order by m.seq) - m.original_bytes as bytes_before
             from messages m
             where m.tenant_id = $1 and m.session_id = $2 and m.seq > $3 and m.seq <= $4
             order by m.seq limit $5
           ) page
           where bytes_before < $6
           order by seq"#,
        tenant.0,
        session.0,
        after,
        through,
        CHUNK,
        PAGE_BYTES
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows)
}

/// Runs work that keeps a core busy where it holds up no other request.
async fn on_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, StoreError> {
    background::spawn(work).await.map_err(|_| sqlx::Error::WorkerCrashed.into())
}
