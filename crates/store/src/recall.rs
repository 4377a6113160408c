//! The recall index of a session: adds messages to it, and searches it.
//!
//! What lives here: indexing and searching; `hindsight` scores a version by what later messages needed of it.
//!
//! The newest postings are stored beside the index (`recall_pending`): a version adds a few postings to nearly every
//! bucket of its chunk, and to append to a value, Postgres writes it whole. Up to seven indexings have a row each,
//! which searches read too; the eighth moves all of them into the buckets. Large indexings go into the buckets at
//! once.

mod hindsight;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::connection::PgConnection;
use futures::TryStreamExt as _;

use super::compute::compute;
use super::job::{Job, report_text};
use super::usage::ContextCoverage;
use super::{Store, StoreError, Tx};
use anchord_messages::format::{Format, parse};
use anchord_messages::id::{Seq, SessionId, SessionName, TenantId};
use anchord_messages::message::{Message, Part, Role};
use anchord_recall::postings::{CHUNK, Segments, by_bucket, chunk_of, encode, read_bucket, read_directory};
use anchord_recall::{Analyzer, Document, Examined, Hit, Matches, Query, Ranked, Term, settle};
use anchord_runtime::background;
use anchord_session::compression::Report;

/// The most bytes of message bodies that are indexed in one transaction, or scanned at a time.
const PAGE_BYTES: i64 = 4 * 1024 * 1024;
/// The most bytes of matching messages whose texts are examined for ranking; those of the hits always are.
const EXAMINED_BYTES: i64 = 8 * 1024 * 1024;
/// The least number of matches whose texts are examined for ranking.
const EXAMINED: usize = 60;
/// The bucket number of a chunk's directory.
const DIRECTORY: i16 = -1;

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

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Recalled {
    /// The messages, best first.
    pub hits: Vec<Hit>,
    /// Which messages the session's context shows.
    pub shown: ContextCoverage,
}

/// A stored message, as far as a search reads it.
struct Row {
    seq: i64,
    role: String,
    format: String,
    body: String,
}

impl Row {
    /// Parses the message. One that no longer parses in its format is searched as plain JSON.
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
        let Some((indexed_seq, head_seq, mut rows)) = self.find_page(tenant, session).await? else {
            return Ok(None);
        };
        rows.sort_unstable_by_key(|row| row.seq);
        let messages = if rows.is_empty() {
            Vec::new()
        } else {
            on_blocking(move || rows.iter().map(Row::message).collect()).await?
        };
        Ok(Some(Unindexed { indexed_seq, head_seq, messages }))
    }

    /// Reads the last indexed message, the session's newest one, and the next messages of one chunk, at most a page
    /// of bytes. One statement, which sets the tenant itself.
    async fn find_page(
        &self,
        tenant: TenantId,
        session: SessionId,
    ) -> Result<Option<(Seq, Seq, Vec<Row>)>, StoreError> {
        loop {
            let mut reading = self.reading(tenant).await?;
            let read = sqlx::query!(
                r#"with bound as materialized (
                     select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
                   )
                   select s.indexed_seq as "indexed_seq!", s.head_seq as "head_seq!",
                          page.seq as "seq?", page.role as "role?", page.format as "format?", page.body as "body?"
                   from bound
                   cross join lateral (
                     select x.id, x.indexed_seq, x.head_seq from sessions x
                     where x.tenant_id = bound.tenant_id and x.id = $2 limit 1
                   ) s
                   left join lateral (
                     select w.seq, w.role, w.format, w.body
                     from (
                       select m.seq, m.role, m.format, m.body,
                              sum(octet_length(m.body)) over (order by m.seq) - octet_length(m.body) as bytes_before
                       from messages m
                       where m.tenant_id = bound.tenant_id and m.session_id = s.id and m.seq > s.indexed_seq
                         and m.seq <= (s.indexed_seq / $3 + 1) * $3
                       order by m.seq limit $3
                     ) w
                     where w.bytes_before < $4
                   ) page on true"#,
                tenant.0,
                session.0,
                CHUNK,
                PAGE_BYTES
            )
            .fetch_all(reading.connection())
            .await;
            let Some(rows) = reading.settle(read)? else { continue };
            let Some((indexed_seq, head_seq)) = rows.first().map(|row| (row.indexed_seq, row.head_seq))
            else {
                return Ok(None);
            };
            let rows = rows.into_iter().filter_map(|row| {
                Some(Row { seq: row.seq?, role: row.role?, format: row.format?, body: row.body? })
            });
            return Ok(Some((indexed_seq, head_seq, rows.collect())));
        }
    }

    /// Adds documents to the index, if the last indexed message is `after`, and ends the job when no messages are
    /// left then: one statement, which commits by itself.
    ///
    /// The documents are those of the messages from `after + 1` on, of one chunk.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn index_messages(
        &self,
        (tenant, session): (TenantId, SessionId),
        after: Seq,
        documents: Vec<Document>,
        job: Option<&Job>,
    ) -> Result<Indexing, StoreError> {
        let through = after + Seq::try_from(documents.len()).unwrap_or(Seq::MAX);
        let Segments { directory, buckets } = on_blocking(move || encode(after + 1, &documents)).await?;
        let mut numbers = vec![DIRECTORY];
        let mut segments = vec![directory];
        for (bucket, segment) in buckets {
            numbers.push(i16::from(bucket));
            segments.push(segment);
        }
        let report = job.map(|job| report_text(job, &Report::default())).transpose()?;
        let write = async |connection: &mut PgConnection, waits: bool| {
            sqlx::query_scalar!(
                "select index_postings($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
                tenant.0,
                session.0,
                after,
                through,
                waits,
                chunk_of(after + 1),
                &numbers,
                &segments,
                job.map(|job| job.id.0),
                job.map(|job| job.attempt),
                report.as_deref(),
            )
            .fetch_one(connection)
            .await
        };
        // The session is rarely locked. Waiting for its lock must not occupy a reader's connection, so wait on
        // another one.
        let mut reading = self.reading(tenant).await?;
        let done = write(reading.connection(), false).await;
        let mut word = reading.end(done)?;
        if word.is_none() {
            let mut connection = self.pool.acquire().await?;
            word = write(&mut connection, true).await?;
        }
        Ok(match word.as_deref() {
            Some("ended") => Indexing::Ended,
            Some("indexed") => Indexing::Indexed,
            _ => Indexing::Behind,
        })
    }

    /// Searches all messages of a session, best hits first; `None` when there is no such session.
    ///
    /// # Errors
    /// When the database fails, or the index does not parse.
    pub async fn recall(
        &self,
        tenant: TenantId,
        session: &SessionName,
        query: Query,
        limit: usize,
    ) -> Result<Option<Recalled>, StoreError> {
        let query = Arc::new(query);
        // One snapshot, because the indexed and the unindexed messages must add up.
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
        let matches = from_index(&mut tx, key, &query, (0, i64::MAX)).await?;
        let matches = from_scan(&mut tx, key, found.indexed_seq, matches).await?;
        let keep = EXAMINED.max(limit.saturating_mul(2));
        let ranked = compute(tenant, move || matches.rank(keep)).await?;
        let hits = look_at(&mut tx, key, ranked, (&query, limit)).await?;
        let shown = ContextCoverage {
            session: key.1,
            task_id: found.task_id,
            system_through: found.system_through,
            anchor_seq: found.anchor_seq,
            mask_upto: found.mask_upto,
        };
        Ok(Some(Recalled { hits, shown }))
    }
}

/// Reads the query's buckets, some chunks of each in one range, and then the postings that are not in a bucket yet.
async fn from_index(
    tx: &mut Tx,
    (tenant, session): (TenantId, SessionId),
    query: &Arc<Query>,
    (first_chunk, last_chunk): (i64, i64),
) -> Result<Matches, StoreError> {
    let mut matches = Matches::new(query.clone());
    let wanted: BTreeMap<u8, Vec<Term>> = by_bucket(&query.terms());
    let mut numbers: Vec<i16> = wanted.keys().map(|bucket| i16::from(*bucket)).collect();
    numbers.push(DIRECTORY);
    let mut add = |bucket: i16, segments: &[u8]| match u8::try_from(bucket).ok().and_then(|b| wanted.get(&b))
    {
        Some(terms) => read_bucket(segments, terms, &mut matches),
        None => read_directory(segments, &mut matches),
    };
    // In the order of the primary key: first the directories, and the chunks in the session's order.
    let mut rows = sqlx::query!(
        "select bucket, chunk, segments from recall_postings
         where tenant_id = $1 and session_id = $2 and bucket = any($3) and chunk between $4 and $5
         order by bucket, chunk",
        tenant.0,
        session.0,
        &numbers,
        first_chunk,
        last_chunk
    )
    .fetch(&mut **tx);
    while let Some(row) = rows.try_next().await? {
        add(row.bucket, &row.segments).map_err(|reason| {
            let key = format!("{} bucket {} chunk {}", session.0, row.bucket, row.chunk);
            StoreError::corrupt("recall_postings", "segments", key, reason)
        })?;
    }
    drop(rows);
    // These postings come after all that are in buckets.
    let mut rows = sqlx::query!(
        r#"select p.first_seq, waits.bucket as "bucket!", waits.segment as "segment!"
           from recall_pending p cross join lateral unnest(p.buckets, p.segments) as waits(bucket, segment)
           where p.tenant_id = $1 and p.session_id = $2 and waits.bucket = any($3)
           order by p.first_seq"#,
        tenant.0,
        session.0,
        &numbers
    )
    .fetch(&mut **tx);
    while let Some(row) = rows.try_next().await? {
        add(row.bucket, &row.segment).map_err(|reason| {
            let key = format!("{} bucket {} from {}", session.0, row.bucket, row.first_seq);
            StoreError::corrupt("recall_pending", "segments", key, reason)
        })?;
    }
    drop(rows);
    Ok(matches)
}

/// Searches the messages that are not indexed yet, page by page, so that a long backlog costs time and not memory.
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
        matches = compute(key.0, move || {
            let mut analyzer = Analyzer::default();
            for row in rows {
                matches.document(row.seq, &analyzer.read(&row.message()));
            }
            matches
        })
        .await?;
    }
}

/// Examines the texts of the best matches and ranks them.
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
            // Its text was beyond the byte limit.
            None => examine(tx, key, &[ranked.seq], query).await?.remove(&ranked.seq),
        };
        // Every match is a message of this snapshot, unless the index is corrupt.
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
             select m.seq, m.role, m.format, m.body,
                    sum(octet_length(m.body)) over (order by wanted.place) - octet_length(m.body) as bytes_before
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
    compute(tenant, move || rows.iter().map(|row| (row.seq, query.examine(&row.message()))).collect()).await
}

/// The messages after a position, at most a chunk's count and a page of bytes; the first one however large.
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
             select m.seq, m.role, m.format, m.body,
                    sum(octet_length(m.body)) over (order by m.seq) - octet_length(m.body) as bytes_before
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

/// Runs CPU-bound work of a job on a blocking thread, where it delays no request.
async fn on_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, StoreError> {
    background::spawn(work).await.map_err(|_| sqlx::Error::WorkerCrashed.into())
}
