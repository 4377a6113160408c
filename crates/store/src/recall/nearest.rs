//! Compares a question's vector with those of a session's messages.

use std::sync::Arc;

use futures::TryStreamExt as _;

use crate::compute::compute;
use crate::{StoreError, Tx};
use anchord_messages::id::{Seq, SessionId, TenantId};
use anchord_recall::postings::Corrupt;
use anchord_recall::vectors::{Near, Question};

/// How many bytes of vectors are compared in one turn.
const COMPARED_AT_ONCE: usize = 2 * 1024 * 1024;

/// How far the vectors of one model reach in a session; `None` without any.
pub(super) async fn reach(
    tx: &mut Tx,
    (tenant, session): (TenantId, SessionId),
    model: &str,
) -> Result<Option<Seq>, StoreError> {
    let reach = sqlx::query_scalar!(
        "select through_seq from recall_embeddings where tenant_id = $1 and session_id = $2 and model = $3",
        tenant.0,
        session.0,
        model
    );
    Ok(reach.fetch_optional(&mut **tx).await?)
}

/// Compares a question with a session's vectors, at most so many blocks, the newest ones; returns how near the messages
/// are, in the session's order, and takes the blocks off what is left.
pub(super) async fn compare(
    tx: &mut Tx,
    (tenant, session): (TenantId, SessionId),
    (model, question): (&str, &Arc<Question>),
    blocks_left: &mut i64,
) -> Result<Vec<Near>, StoreError> {
    let mut near = Vec::new();
    let mut waiting: Vec<(Seq, Vec<u8>)> = Vec::new();
    let mut bytes = 0;
    let dimensions = i32::try_from(question.dimensions()).unwrap_or(i32::MAX);
    let mut rows = sqlx::query!(
        "select block, vectors from recall_vectors
         where tenant_id = $1 and session_id = $2 and model = $3 and dimensions = $4
         order by block desc limit $5",
        tenant.0,
        session.0,
        model,
        dimensions,
        *blocks_left
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
                    format!("{} block {block}", session.0),
                    reason,
                )
            })?);
        }
        if is_last {
            break;
        }
    }
    drop(rows);
    near.sort_unstable_by_key(|near: &Near| near.seq);
    Ok(near)
}
