//! The recall index of a session: adds messages to it, and searches it, alone or with others.
//!
//! What lives here: searching; `indexing` adds to the index.
//! A search over several sessions ranks them as one, so that scores are comparable, and is bounded in sessions, in their
//! messages, and in the bytes of messages that are not indexed yet.
//!
//! Shared messages of branches are indexed once, where they were first: a branch's index is its own and, through a bound, those of
//! the branches below ([`stretch`]).

mod indexing;
mod nearest;
mod stretch;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::TryStreamExt as _;

pub use self::indexing::{Indexing, Unindexed};
use self::stretch::{Stretch, Stretches};
use super::bulkhead::Need;
use super::compute::compute;
use super::messages::{self, SeqRange, StoredMessage};
use super::sessions::{self, SessionFilter};
use super::usage::ContextCoverage;
use crate::prelude::*;
use anchord_messages::format::{Format, parse};
use anchord_messages::message::{Message, Part, Role};
use anchord_recall::postings::{CHUNK, by_bucket, read_bucket, read_directory};
use anchord_recall::vectors::{BLOCK, Near, Question};
use anchord_recall::{Analyzer, Examined, Hit, Matches, Query, Ranked, Term, final_order, join, rank};
use anchord_runtime::fair;

/// The most bytes of matching messages whose texts are examined for ranking; those of the hits always are.
const EXAMINED_BYTES: i64 = 4 * 1024 * 1024;
/// The least number of matches whose texts are examined for ranking.
const EXAMINED: usize = 60;
/// The most sessions of one search.
const SEARCHED_SESSIONS: usize = 50;
/// The most messages of several sessions; the first session is searched in any case.
const SEARCHED_MESSAGES: Seq = 200_000;
/// The most bytes of messages of several sessions that are not indexed yet.
const SCANNED_BYTES: i64 = 32 * 1024 * 1024;
/// The most blocks of vectors, the newest ones: of 100,000 messages.
const COMPARED_BLOCKS: i64 = 100_000 / BLOCK;
/// The bucket number of a chunk's directory.
const DIRECTORY: i16 = -1;

/// Query of a search.
#[derive(Clone, Debug)]
pub struct Search {
    /// The question's words.
    pub query: Query,
    /// The question's vector, with the model that made it; without one, the search is by words alone.
    pub vector: Option<(String, Arc<Question>)>,
    /// The most hits.
    pub limit: usize,
}

/// A session that was searched.
#[derive(Clone, Debug)]
pub struct SearchedSession {
    /// Its name.
    pub name: SessionName,
    /// The branch of it that was searched, unless that is main.
    pub branch: Option<BranchName>,
    /// Which messages its context shows.
    pub shown: ContextCoverage,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Recalled {
    /// The messages, best first, each with its session's place in `sessions`.
    pub hits: Vec<(usize, Hit)>,
    /// The sessions that were searched, newest first.
    pub sessions: Vec<SearchedSession>,
    /// Whether sessions were left out, or messages of them, because there are more than a search looks at.
    pub is_partial: bool,
    /// Whether vectors were compared.
    pub has_vectors: bool,
}

/// A session as a search reads it.
struct Searched {
    id: SessionId,
    index: Vec<Stretch>,
    indexed_seq: Seq,
    head_seq: Seq,
    session: SearchedSession,
}

/// Room that is left within the bounds of a search.
struct Bounds {
    /// Bytes of messages that are not indexed yet.
    scanned_bytes: i64,
    /// Blocks of vectors.
    blocks: i64,
    /// Whether a bound was reached.
    is_reached: bool,
}

/// A stored message, as far as a search reads it.
pub(super) struct Row {
    seq: i64,
    role: String,
    format: String,
    body: String,
}

impl Row {
    /// Parses the message. One that no longer parses in its format is searched as plain JSON.
    fn message(&self) -> Message {
        let format = self.format.parse::<Format>().ok();
        if let Some(message) = format.and_then(|format| parse(format, &self.body).ok()) {
            return message;
        }
        let roles = [Role::System, Role::Developer, Role::Assistant, Role::Tool];
        Message {
            role: roles.into_iter().find(|r| r.as_ref() == self.role).unwrap_or(Role::User),
            name: None,
            parts: vec![Part::Other(self.body.clone())],
        }
    }
}

impl Store {
    /// Searches all messages of a session, best hits first; `None` when there is no such session.
    pub async fn recall(
        &self,
        tenant: TenantId,
        session: &SessionRef,
        search: Search,
    ) -> Result<Option<Recalled>> {
        let _place = self.share(tenant, Need::Search).await?;
        let mut tx = self.snapshot(tenant).await?;
        let Some(id) = sessions::find_id(&mut tx, tenant, session).await? else { return Ok(None) };
        let Some(searched) = find_searched(&mut tx, id.of(tenant)).await? else { return Ok(None) };
        let bounds = Bounds { scanned_bytes: i64::MAX, blocks: COMPARED_BLOCKS, is_reached: false };
        Ok(Some(self.search(tx, tenant, vec![searched], (search, bounds)).await?))
    }

    /// Searches the messages of the newest sessions that a filter finds, best hits first.
    pub async fn recall_over(
        &self,
        tenant: TenantId,
        filter: &SessionFilter,
        search: Search,
    ) -> Result<Recalled> {
        let _place = self.share(tenant, Need::Search).await?;
        let one_more = i64::try_from(SEARCHED_SESSIONS).unwrap_or(i64::MAX).saturating_add(1);
        let mut planning = self.begin_planning(tenant).await?;
        let ids = sessions::list(&mut planning, tenant, filter, None, one_more).await?;
        planning.commit().await?;
        let mut tx = self.snapshot(tenant).await?;
        let mut bounds = Bounds {
            scanned_bytes: SCANNED_BYTES,
            blocks: COMPARED_BLOCKS,
            is_reached: ids.len() > SEARCHED_SESSIONS,
        };
        let (mut searched, mut messages): (Vec<Searched>, Seq) = (Vec::new(), 0);
        for id in ids.into_iter().take(SEARCHED_SESSIONS) {
            // It may have been erased meanwhile.
            let Some(session) = find_searched(&mut tx, SessionId(id).of(tenant)).await? else { continue };
            if !searched.is_empty() && messages.saturating_add(session.head_seq) > SEARCHED_MESSAGES {
                bounds.is_reached = true;
                continue;
            }
            messages = messages.saturating_add(session.head_seq);
            searched.push(session);
        }
        self.search(tx, tenant, searched, (search, bounds)).await
    }

    /// Searches sessions that were read in a snapshot. The index is read in the same one, so that what is indexed and what
    /// is not add up; messages never change, and are read later. After that no connection is held while the search computes, or
    /// waits for its turn to: the tenant's other requests would wait for it.
    async fn search(
        &self,
        mut tx: Tx,
        tenant: TenantId,
        searched: Vec<Searched>,
        (search, mut bounds): (Search, Bounds),
    ) -> Result<Recalled> {
        let Search { query, vector, limit } = search;
        let query = Arc::new(query);
        let mut indexed = Vec::with_capacity(searched.len());
        for Searched { index, head_seq, .. } in &searched {
            let matches = from_index(&mut tx, tenant, index, &query).await?;
            let mut parts = Vec::new();
            if let Some((model, _)) = &vector {
                parts = nearest::parts(index, *head_seq);
                let reaches = nearest::reach(&mut tx, tenant, &parts, model).await?;
                for (part, reach) in parts.iter().zip(&reaches) {
                    if reach.is_none_or(|reach| reach < part.through) {
                        self.mark_for_embedding(tenant, part.session);
                    }
                }
                parts =
                    parts.into_iter().zip(reaches).filter_map(|(part, reach)| reach.map(|_| part)).collect();
            }
            indexed.push((matches, parts));
        }
        tx.commit().await?;
        let mut all = Vec::with_capacity(searched.len());
        let mut near: Vec<Vec<Near>> = Vec::with_capacity(searched.len());
        for (Searched { id, indexed_seq, head_seq, .. }, (matches, parts)) in searched.iter().zip(indexed) {
            let unindexed = (*indexed_seq, *head_seq);
            all.push(self.scan((*id).of(tenant), unindexed, matches, &mut bounds).await?);
            let Some((model, question)) = &vector else { continue };
            let mut of_session = Vec::new();
            for part in parts {
                let asked = (model.as_str(), question);
                of_session.extend(nearest::compare(self, tenant, part, asked, &mut bounds.blocks).await?);
            }
            of_session.sort_unstable_by_key(|near| near.seq);
            near.push(of_session);
        }
        bounds.is_reached |= bounds.blocks <= 0;
        let has_vectors = near.iter().any(|near| !near.is_empty());
        let keep = EXAMINED.max(limit.saturating_mul(2));
        let ranked = compute(tenant, move || join(rank(all, keep), &near, keep)).await?;
        let ids: Vec<SessionId> = searched.iter().map(|searched| searched.id).collect();
        let hits = self.look_at((tenant, &ids), ranked, (&query, limit)).await?;
        Ok(Recalled {
            hits,
            sessions: searched.into_iter().map(|searched| searched.session).collect(),
            is_partial: bounds.is_reached,
            has_vectors,
        })
    }

    /// Searches the messages that are not indexed yet, page by page, so that a long backlog costs time and not memory.
    async fn scan(
        &self,
        key: SessionKey,
        (indexed_seq, head_seq): (Seq, Seq),
        mut matches: Matches,
        bounds: &mut Bounds,
    ) -> Result<Matches> {
        let mut after = indexed_seq;
        matches.keep_within(indexed_seq, head_seq);
        while after < head_seq {
            if bounds.scanned_bytes <= 0 {
                bounds.is_reached = true;
                break;
            }
            let mut tx = self.snapshot_for(key.tenant, Need::Page).await?;
            let rows = page(&mut tx, key, after, head_seq).await?;
            tx.commit().await?;
            // The session was erased a moment ago.
            let Some(last) = rows.last() else { break };
            after = last.seq;
            let bytes: usize = rows.iter().map(|row| row.body.len()).sum();
            bounds.scanned_bytes =
                bounds.scanned_bytes.saturating_sub(i64::try_from(bytes).unwrap_or(i64::MAX));
            matches = compute(key.tenant, move || {
                let mut analyzer = Analyzer::default();
                for row in rows {
                    matches.document(row.seq, &analyzer.read(&row.message()));
                }
                matches
            })
            .await?;
        }
        Ok(matches)
    }

    /// Examines the texts of the best matches and ranks them.
    async fn look_at(
        &self,
        (tenant, sessions): (TenantId, &[SessionId]),
        ranked: Vec<Ranked>,
        (query, limit): (&Arc<Query>, usize),
    ) -> Result<Vec<(usize, Hit)>> {
        let mut examined = self.examine((tenant, sessions), &ranked, query).await?;
        let best = ranked.into_iter().map(|r| (r, examined.remove(&(r.session, r.seq)))).collect();
        let mut hits = Vec::new();
        for (ranked, seen) in final_order(best, limit) {
            let seen = match seen {
                // Its text was beyond the byte limit.
                None => self
                    .examine((tenant, sessions), &[ranked], query)
                    .await?
                    .remove(&(ranked.session, ranked.seq)),
                seen => seen,
            };
            // Every match is a message of the session, unless that was erased meanwhile or the index is corrupt.
            if let Some(seen) = seen {
                hits.push((ranked.session, Hit::new(ranked, seen)));
            }
        }
        Ok(hits)
    }

    /// Examines the texts of matches, as many of each session as fit into a bound of bytes, by the session's place and the
    /// message.
    async fn examine(
        &self,
        (tenant, sessions): (TenantId, &[SessionId]),
        ranked: &[Ranked],
        query: &Arc<Query>,
    ) -> Result<BTreeMap<(usize, Seq), Examined>> {
        let mut found: Vec<(usize, Row)> = Vec::new();
        let mut bytes_left = EXAMINED_BYTES;
        let mut tx = self.snapshot_for(tenant, Need::Page).await?;
        for (at, session) in sessions.iter().enumerate() {
            let seqs: Vec<Seq> = ranked.iter().filter(|r| r.session == at).map(|r| r.seq).collect();
            if seqs.is_empty() || bytes_left <= 0 {
                continue;
            }
            let rows = texts(&mut tx, (*session).of(tenant), &seqs, bytes_left).await?;
            let bytes: usize = rows.iter().map(|row| row.body.len()).sum();
            bytes_left = bytes_left.saturating_sub(i64::try_from(bytes).unwrap_or(i64::MAX));
            found.extend(rows.into_iter().map(|row| (at, row)));
        }
        tx.commit().await?;
        let query = Arc::clone(query);
        let passages: BTreeMap<(usize, Seq), usize> = ranked
            .iter()
            .filter_map(|r| r.meaning.map(|meaning| ((r.session, r.seq), meaning.passage)))
            .collect();
        let examine = move |(at, row): &(usize, Row)| {
            let key = (*at, row.seq);
            (key, query.examine(&row.message(), passages.get(&key).copied()))
        };
        compute(tenant, move || found.iter().map(examine).collect()).await
    }
}

async fn find_searched(tx: &mut Tx, key: SessionKey) -> Result<Option<Searched>> {
    let found = sqlx::query!(
        r#"select coalesce(main.name, s.name) as "name!", s.branch, s.indexed_seq, s.head_seq, s.anchor_seq,
                  case when s.root_id is null then s.task_id else main.task_id end as task_id,
                  coalesce(a.system_through, 0) as "system_through!", coalesce(a.mask_upto, 0) as "mask_upto!"
           from sessions s
           cross join lateral json_to_record(s.accounting) as a(system_through bigint, mask_upto bigint)
           left join lateral (
             select x.name, x.task_id from sessions x where x.tenant_id = $1 and x.id = s.root_id limit 1
           ) main on true
           where s.tenant_id = $1 and s.id = $2"#,
        key.tenant.0,
        key.id.0
    )
    .fetch_optional(&mut **tx)
    .await?;
    let Some(found) = found else { return Ok(None) };
    let name = SessionName::parse(&found.name)
        .map_err(|error| StoreError::corrupt("sessions", "name", key.id.0, error))?;
    let branch = BranchName::parse(&found.branch)
        .map_err(|error| StoreError::corrupt("sessions", "branch", key.id.0, error))?;
    let shown = ContextCoverage {
        session: key.id,
        task_id: found.task_id,
        system_through: found.system_through,
        anchor_seq: found.anchor_seq,
        mask_upto: found.mask_upto,
    };
    Ok(Some(Searched {
        id: key.id,
        index: stretch::find(tx, key).await?,
        indexed_seq: found.indexed_seq,
        head_seq: found.head_seq,
        session: SearchedSession { name, branch: Some(branch).filter(|branch| !branch.is_main()), shown },
    }))
}

/// Reads the query's buckets, and then the postings that are not in a bucket yet; of
/// every part of a branch's index what the branch reads there.
async fn from_index(tx: &mut Tx, tenant: TenantId, index: &[Stretch], query: &Arc<Query>) -> Result<Matches> {
    let mut matches = Matches::new(query.clone());
    let wanted: BTreeMap<u8, Vec<Term>> = by_bucket(&query.terms());
    let mut numbers: Vec<i16> = wanted.keys().map(|bucket| i16::from(*bucket)).collect();
    numbers.push(DIRECTORY);
    let mut add = |place: i64, bucket: i16, segments: &[u8]| {
        let Some(stretch) = stretch::at(index, place) else { return Ok(()) };
        matches.keep_within(stretch.after, stretch.through);
        match u8::try_from(bucket).ok().and_then(|b| wanted.get(&b)) {
            Some(terms) => read_bucket(segments, terms, &mut matches),
            None => read_directory(segments, &mut matches),
        }
    };
    let Stretches { sessions, after, through } = Stretches::of(index);
    // One range of the primary key for each bucket; what is read may come in any order.
    let mut rows = sqlx::query!(
        r#"select part.place as "place!", p.bucket as "bucket!", p.chunk as "chunk!", p.segments as "segments!"
           from unnest($2::uuid[], $3::bigint[], $4::bigint[]) with ordinality
             as part(session_id, after_seq, through_seq, place)
           cross join lateral (
             select x.bucket, x.chunk, x.segments from recall_postings x
             where x.tenant_id = $1 and x.session_id = part.session_id and x.bucket = any($5)
               and x.chunk between part.after_seq / $6 and (part.through_seq - 1) / $6
             offset 0
           ) p"#,
        tenant.0,
        &sessions,
        &after,
        &through,
        &numbers,
        CHUNK
    )
    .fetch(&mut **tx);
    while let Some(row) = rows.try_next().await? {
        add(row.place, row.bucket, &row.segments).map_err(|reason| {
            let key =
                format!("{:?} bucket {} chunk {}", stretch::at(index, row.place), row.bucket, row.chunk);
            StoreError::corrupt("recall_postings", "segments", key, reason)
        })?;
    }
    drop(rows);
    let mut rows = sqlx::query!(
        r#"select part.place as "place!", p.first_seq as "first_seq!", waits.bucket as "bucket!",
                  waits.segment as "segment!"
           from unnest($2::uuid[], $3::bigint[]) with ordinality as part(session_id, through_seq, place)
           cross join lateral (
             select x.first_seq, x.buckets, x.segments from recall_pending x
             where x.tenant_id = $1 and x.session_id = part.session_id and x.first_seq <= part.through_seq
             offset 0
           ) p
           cross join lateral unnest(p.buckets, p.segments) as waits(bucket, segment)
           where waits.bucket = any($4)"#,
        tenant.0,
        &sessions,
        &through,
        &numbers
    )
    .fetch(&mut **tx);
    while let Some(row) = rows.try_next().await? {
        add(row.place, row.bucket, &row.segment).map_err(|reason| {
            let key =
                format!("{:?} bucket {} from {}", stretch::at(index, row.place), row.bucket, row.first_seq);
            StoreError::corrupt("recall_pending", "segments", key, reason)
        })?;
    }
    drop(rows);
    Ok(matches)
}

/// The messages at these positions, in their order as many as fit into so many bytes.
async fn texts(tx: &mut Tx, key: SessionKey, seqs: &[Seq], bytes: i64) -> Result<Vec<Row>> {
    // The size is read from the row's header, so that bodies beyond the bound are not fetched.
    let rows = sqlx::query_as!(
        Row,
        r#"select seq, role, format, body as "body!"
           from (
             select m.seq, m.role, m.format, m.body,
                    sum(octet_length(m.body)) over (order by wanted.place) - octet_length(m.body) as bytes_before
             from lineage($1, $2, $5, $6) owner
             join unnest($3::bigint[]) with ordinality as wanted (seq, place)
               on wanted.seq between owner.first_seq and owner.last_seq
             cross join lateral (
               select * from messages x
               where x.tenant_id = $1 and x.session_id = owner.session_id and x.seq = wanted.seq limit 1
             ) m
           ) best
           where bytes_before < $4"#,
        key.tenant.0,
        key.id.0,
        seqs,
        bytes,
        seqs.iter().min().copied().unwrap_or_default(),
        seqs.iter().max().copied().unwrap_or_default()
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows)
}

/// The messages after a position, at most a chunk's count and a page of bytes (`messages::list`); the first one however large.
pub(super) async fn page(tx: &mut Tx, key: SessionKey, after: Seq, through: Seq) -> Result<Vec<Row>> {
    let messages = messages::list(tx, key, SeqRange { from: after + 1, to: through }, CHUNK).await?;
    let row = |StoredMessage { seq, role, format, body, .. }| Row { seq, role, format, body };
    Ok(messages.into_iter().map(row).collect())
}

/// The messages of rows, parsed in the turn of the job's tenant.
pub(super) async fn parsed(tenant: TenantId, rows: Vec<Row>) -> Result<Vec<Message>> {
    in_turn(tenant, move || rows.iter().map(Row::message).collect()).await
}

/// Runs work of a job that keeps a processor busy, in its tenant's turn.
async fn in_turn<T: Send + 'static>(
    tenant: TenantId,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    fair::jobs().run(tenant.0.as_u128(), work).await.map_err(|_| StoreError::Broken)
}
