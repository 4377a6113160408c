//! Compares a question's vector with those of a branch's messages.

use std::sync::Arc;

use super::stretch::{Stretch, Stretches};
use crate::bulkhead::Need;
use crate::compute::compute;
use crate::prelude::*;
use anchord_recall::postings::Corrupt;
use anchord_recall::vectors::{Near, Question, block_of};

/// How many bytes of vectors are read and compared at a time, and the most blocks.
const COMPARED_AT_ONCE: i64 = 2 * 1024 * 1024;
const BLOCKS_AT_ONCE: i64 = 64;

/// The parts of a branch's vectors: those of its index, but its own reach through its newest message, because vectors
/// are made apart from the index.
pub(super) fn parts(index: &[Stretch], head_seq: Seq) -> Vec<Stretch> {
    let mut parts = index.to_vec();
    if let Some(own) = parts.first_mut() {
        own.through = head_seq;
    }
    parts
}

/// How far the vectors of one model reach in each part; `None` without any.
pub(super) async fn reach(
    tx: &mut Tx,
    tenant: TenantId,
    parts: &[Stretch],
    model: &str,
) -> Result<Vec<Option<Seq>>> {
    let Stretches { sessions, .. } = Stretches::of(parts);
    let reaches = sqlx::query_scalar!(
        r#"select e.through_seq as "through_seq?"
           from unnest($2::uuid[]) with ordinality as part(session_id, place)
           left join lateral (
             select x.through_seq from recall_embeddings x
             where x.tenant_id = $1 and x.session_id = part.session_id and x.model = $3 limit 1
           ) e on true
           order by part.place"#,
        tenant.0,
        &sessions,
        model
    );
    Ok(reaches.fetch_all(&mut **tx).await?)
}

/// Compares a question with a part of a branch's vectors, at most so many blocks, the newest ones; returns how near the
/// messages are, and takes the blocks off what is left.
pub(super) async fn compare(
    store: &Store,
    tenant: TenantId,
    part: Stretch,
    (model, question): (&str, &Arc<Question>),
    blocks_left: &mut i64,
) -> Result<Vec<Near>> {
    let mut near = Vec::new();
    let (first, mut last) = (block_of(part.after + 1), block_of(part.through.max(1)));
    while first <= last && *blocks_left > 0 {
        let mut tx = store.snapshot_for(tenant, Need::Page).await?;
        let key = part.session.of(tenant);
        let blocks =
            newest_blocks(&mut tx, key, (model, question.dimensions()), (first, last, *blocks_left)).await?;
        tx.commit().await?;
        let Some((lowest, _)) = blocks.last() else { break };
        last = lowest - 1;
        *blocks_left -= i64::try_from(blocks.len()).unwrap_or(i64::MAX);
        let question = Arc::clone(question);
        let compared = compute(tenant, move || -> Result<Vec<Near>, (Seq, Corrupt)> {
            let mut near = Vec::new();
            for (block, vectors) in blocks {
                question.compare(block, &vectors, &mut near).map_err(|reason| (block, reason))?;
            }
            Ok(near)
        });
        near.extend(compared.await?.map_err(|(block, reason)| {
            let key = format!("{} block {block}", part.session.0);
            StoreError::corrupt("recall_vectors", "vectors", key, reason)
        })?);
    }
    // The first block and the last one may hold messages that the branch reads elsewhere, or not at all.
    near.retain(|near: &Near| near.seq > part.after && near.seq <= part.through);
    Ok(near)
}

/// The newest blocks of a range, at most so many, and a few megabytes of them; the first one however large.
async fn newest_blocks(
    tx: &mut Tx,
    key: SessionKey,
    (model, dimensions): (&str, usize),
    (first, last, most): (Seq, Seq, i64),
) -> Result<Vec<(Seq, Vec<u8>)>> {
    let rows = sqlx::query!(
        r#"select block as "block!", vectors as "vectors!"
           from (
             select newest.block, newest.vectors,
                    sum(octet_length(newest.vectors)) over (order by newest.block desc)
                      - octet_length(newest.vectors) as bytes_before
             from (
               select x.block, x.vectors from recall_vectors x
               where x.tenant_id = $1 and x.session_id = $2 and x.model = $3 and x.dimensions = $4
                 and x.block between $5 and $6
               order by x.block desc limit $7
             ) newest
           ) page
           where bytes_before < $8
           order by block desc"#,
        key.tenant.0,
        key.id.0,
        model,
        i32::try_from(dimensions).unwrap_or(i32::MAX),
        first,
        last,
        most.min(BLOCKS_AT_ONCE),
        COMPARED_AT_ONCE
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.block, row.vectors)).collect())
}
