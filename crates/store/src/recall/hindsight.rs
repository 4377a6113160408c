//! Scores a version once another one followed it: reads the messages in between, finds the messages that the names in
//! them came from, and stores the score.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{PAGE_BYTES, from_index, in_turn, page, parsed};
use crate::error::expect_rows;
use crate::load::{self, Which};
use crate::pins::read as pins;
use crate::{Store, StoreError, Tx};
use anchord_messages::id::{Seq, SessionId, TenantId};
use anchord_messages::message::{Message, Part, Role};
use anchord_recall::Query;
use anchord_recall::postings::{CHUNK, chunk_of};
use anchord_record::hindsight::{Hindsight, look_back, wanted};

/// How many pages of verbatim messages are read; a version with more of them is not scored.
const SERVED_PAGES: usize = 4;
/// How many chunks of the index before the anchor's are read, so that the cost does not grow with the session.
const CHUNKS_BEFORE: i64 = 3;
/// How many messages are read for one name.
const HOLDERS: usize = 2;

/// A version that was followed by another one.
struct Followed {
    version: i64,
    /// The last message that it covers.
    anchor_seq: Seq,
    /// The newest message when it was published.
    head_seq: Seq,
    /// The newest message when the next version was published.
    next_head_seq: Seq,
    system_through: Seq,
    /// The user message that it covers and that was served verbatim beside it.
    carried: Option<Seq>,
    /// Its record and digest, as contexts served them.
    told: String,
    pins: Vec<String>,
    /// The share below which it is flagged.
    threshold: f64,
}

impl Store {
    /// Scores the newest version of a session that another one followed and that has no score; `None` when there is
    /// none, or its messages are not indexed yet.
    ///
    /// The reads are bounded: the messages after the version, those that were served verbatim, and those that contain
    /// the names.
    ///
    /// # Errors
    /// When the database fails, or a row does not parse.
    pub async fn look_back(
        &self,
        tenant: TenantId,
        session: SessionId,
    ) -> Result<Option<Hindsight>, StoreError> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(followed) = find_followed(&mut tx, (tenant, session)).await? else { return Ok(None) };
        let hindsight = evaluate(tx, (tenant, session), &followed).await?.against(followed.threshold);
        let text = serde_json::to_string(&hindsight)
            .map_err(|e| StoreError::corrupt("summaries", "hindsight", followed.version, e))?;
        let mut tx = self.begin(tenant).await?;
        let done = sqlx::query!(
            "update summaries set hindsight = $4::text::json
             where tenant_id = $1 and session_id = $2 and version = $3",
            tenant.0,
            session.0,
            followed.version,
            text
        )
        .execute(&mut *tx)
        .await?;
        expect_rows("the version that was looked back on", 1, done.rows_affected())?;
        tx.commit().await?;
        Ok(Some(hindsight))
    }
}

async fn find_followed(
    tx: &mut Tx,
    (tenant, session): (TenantId, SessionId),
) -> Result<Option<Followed>, StoreError> {
    let loaded = load::load(tx, tenant, Which::WithId(session)).await?;
    let Some(loaded) = loaded else { return Ok(None) };
    let Some(row) = sqlx::query!(
        r#"select v.version, v.through_seq, v.head_seq as "head_seq!", v.rendering, v.digest,
                  next.head_seq as "next_head_seq!", v.carried_seq
           from summaries v
           cross join lateral (
             select n.head_seq from summaries n
             where n.tenant_id = v.tenant_id and n.session_id = v.session_id and n.version > v.version
               and n.head_seq is not null
             order by n.version limit 1
           ) next
           where v.tenant_id = $1 and v.session_id = $2 and v.hindsight is null and v.head_seq is not null
             and v.through_seq <= $3
           order by v.version desc limit 1"#,
        tenant.0,
        session.0,
        loaded.session.indexed_seq
    )
    .fetch_optional(&mut **tx)
    .await?
    else {
        return Ok(None);
    };
    let pins = pins::list_all(tx, tenant, &loaded.session).await?;
    Ok(Some(Followed {
        version: row.version,
        anchor_seq: row.through_seq,
        head_seq: row.head_seq,
        next_head_seq: row.next_head_seq,
        system_through: loaded.session.accounting.system_through,
        carried: row.carried_seq,
        told: format!("{}\n{}", row.rendering, row.digest.unwrap_or_default()),
        pins: pins.into_iter().map(|pin| pin.text).collect(),
        threshold: loaded.session.policy().hindsight,
    }))
}

async fn evaluate(
    mut tx: Tx,
    key: (TenantId, SessionId),
    followed: &Followed,
) -> Result<Hindsight, StoreError> {
    let Followed { anchor_seq, head_seq, next_head_seq, system_through, .. } = *followed;
    let after = messages(&mut tx, key, (head_seq, next_head_seq)).await?;
    let mut served: Vec<Message> = followed.pins.iter().map(|pin| said(pin)).collect();
    served.extend(messages(&mut tx, key, (0, system_through)).await?);
    if let Some(carried) = followed.carried {
        served.extend(messages(&mut tx, key, (carried - 1, carried)).await?);
    }
    let mut from = anchor_seq.max(system_through);
    for _ in 0..SERVED_PAGES {
        let read = messages(&mut tx, key, (from, head_seq)).await?;
        from += Seq::try_from(read.len()).unwrap_or(Seq::MAX);
        served.extend(read);
        if from >= head_seq {
            break;
        }
    }
    let is_read = from >= head_seq;
    let wanted = in_turn(key.0, move || if is_read { wanted(&after, &served) } else { Vec::new() }).await?;
    if wanted.is_empty() {
        tx.commit().await?;
        return Ok(look_back(&wanted, &BTreeMap::new(), &BTreeMap::new(), ""));
    }
    let (query, needed) = Query::names(&wanted);
    let last = chunk_of(anchor_seq);
    let chunks = (last.saturating_sub(CHUNKS_BEFORE), last);
    let matches = from_index(&mut tx, key, &Arc::new(query), chunks).await?;
    let names = wanted.clone();
    let find = move || {
        let holders = |needed| matches.holders(needed, anchor_seq, HOLDERS);
        names.into_iter().zip(needed.iter().map(holders)).collect::<BTreeMap<String, Vec<Seq>>>()
    };
    let holders = in_turn(key.0, find).await?;
    let originals = originals(&mut tx, key, &holders).await?;
    tx.commit().await?;
    let told = followed.told.clone();
    in_turn(key.0, move || look_back(&wanted, &holders, &originals, &told)).await
}

fn said(text: &str) -> Message {
    Message { role: Role::System, name: None, parts: vec![Part::Text(text.to_owned())] }
}

/// The messages after one position and up to another, at most a page.
async fn messages(
    tx: &mut Tx,
    key: (TenantId, SessionId),
    (after, through): (Seq, Seq),
) -> Result<Vec<Message>, StoreError> {
    if after >= through {
        return Ok(Vec::new());
    }
    let rows = page(tx, key, after, through).await?;
    parsed(key.0, rows).await
}

/// The messages that may contain the names, at most a page.
async fn originals(
    tx: &mut Tx,
    (tenant, session): (TenantId, SessionId),
    holders: &BTreeMap<String, Vec<Seq>>,
) -> Result<BTreeMap<Seq, Message>, StoreError> {
    let mut seqs: Vec<Seq> = holders.values().flatten().copied().collect();
    seqs.sort_unstable();
    seqs.dedup();
    let rows = sqlx::query_as!(
        super::Row,
        r#"select seq, role, format, body as "body!"
           from (
             select m.seq, m.role, m.format, m.body,
                    sum(octet_length(m.body)) over (order by octet_length(m.body), m.seq) as bytes
             from unnest($3::bigint[]) as wanted (seq)
             cross join lateral lineage($1, $2, wanted.seq, wanted.seq) owner
             cross join lateral (
               select * from messages x
               where x.tenant_id = $1 and x.session_id = owner.session_id and x.seq = wanted.seq limit 1
             ) m
             limit $5
           ) smallest
           where bytes <= $4"#,
        tenant.0,
        session.0,
        &seqs,
        PAGE_BYTES,
        CHUNK
    )
    .fetch_all(&mut **tx)
    .await?;
    in_turn(tenant, move || rows.iter().map(|row| (row.seq, row.message())).collect()).await
}
