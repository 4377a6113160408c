//! Compares a question's vector with those of a branch's messages.

use std::sync::Arc;

use futures::TryStreamExt as _;

use super::stretch::{Stretch, Stretches};
use crate::compute::compute;
use crate::{StoreError, Tx};
use anchord_messages::id::{Seq, TenantId};
use anchord_recall::postings::Corrupt;
use anchord_recall::vectors::{Near, Question, block_of};

/// How many bytes of vectors are compared in one turn.
const COMPARED_AT_ONCE: usize = 2 * 1024 * 1024;

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
) -> Result<Vec<Option<Seq>>, StoreError> {
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
    tx: &mut Tx,
    tenant: TenantId,
    part: Stretch,
    (model, question): (&str, &Arc<Question>),
    blocks_left: &mut i64,
) -> Result<Vec<Near>, StoreError> {
    let mut near = Vec::new();
    let mut waiting: Vec<(Seq, Vec<u8>)> = Vec::new();
    let mut bytes = 0;
    let dimensions = i32::try_from(question.dimensions()).unwrap_or(i32::MAX);
    let mut rows = sqlx::query!(
        "select block, vectors from recall_vectors
         where tenant_id = $1 and session_id = $2 and model = $3 and dimensions = $4 and block between $6 and $7
         order by block desc limit $5",
        tenant.0,
        part.session.0,
        model,
        dimensions,
        *blocks_left,
        block_of(part.after + 1),
        block_of(part.through.max(1))
    )
    .fetch(&mut **tx);
    loop {
        let row = rows.try_next().await?;
        let is_last = row.is_none();
        if let Some(row) = row {
            *blocks_left -= 1;
            bytes += row.vectors.len();
            waiting.push((row.block, row.vectors));
        }
        if bytes >= COMPARED_AT_ONCE || (is_last && !waiting.is_empty()) {
            let (question, blocks) = (Arc::clone(question), std::mem::take(&mut waiting));
            bytes = 0;
            let compared = compute(tenant, move || -> Result<Vec<Near>, (Seq, Corrupt)> {
                let mut near = Vec::new();
                for (block, vectors) in blocks {
                    question.compare(block, &vectors, &mut near).map_err(|reason| (block, reason))?;
                }
                Ok(near)
            });
            near.extend(compared.await?.map_err(|(block, reason)| {
                StoreError::corrupt(
                    "recall_vectors",
                    "vectors",
                    format!("{} block {block}", part.session.0),
                    reason,
                )
            })?);
        }
        if is_last {
            break;
        }
    }
    drop(rows);
    // The first block and the last one may hold messages that the branch reads elsewhere, or not at all.
    near.retain(|near: &Near| near.seq > part.after && near.seq <= part.through);
    Ok(near)
}
