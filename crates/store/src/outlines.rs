//! Reads the outlines of messages, which are messages without their bodies: those of one branch. `load::tails` reads those of
//! several.

use crate::prelude::*;
use anchord_messages::message::Role;
use anchord_session::outline::Outline;

/// An outline before its role and shape are parsed.
pub(super) struct OutlineRow {
    pub(super) seq: Seq,
    pub(super) role: String,
    pub(super) is_item: bool,
    pub(super) tokens: i32,
    pub(super) shape: Option<String>,
    pub(super) keep: Option<String>,
    pub(super) retrieved: Option<bool>,
    pub(super) bytes: i32,
}

/// The outlines of the messages after one position and up to another, ascending, at most `limit`. The limit stands twice in the
/// statement: of each owner no more are read, and of all of them no more are returned.
pub(super) async fn outlines_within(
    connection: &mut PgConnection,
    key: SessionKey,
    (after, through): (Seq, Seq),
    limit: i64,
) -> Result<Vec<Outline>> {
    let rows = sqlx::query_as!(
        OutlineRow,
        r#"select m.seq, m.role, m.format = 'openai-responses' as "is_item!", m.tokens, m.shape, m.keep,
                  m.component = 'retrieved_documents' as retrieved, octet_length(m.body) as "bytes!"
           from lineage($1, $2, $3::bigint + 1, $4) owner
           cross join lateral (
             select x.* from messages x
             where x.tenant_id = $1 and x.session_id = owner.session_id
               and x.seq between owner.first_seq and owner.last_seq
             order by x.seq limit $5
           ) m
           order by m.seq limit $5"#,
        key.tenant.0,
        key.id.0,
        after,
        through,
        limit,
    )
    .fetch_all(connection)
    .await?;
    read_all(key.id, rows)
}

/// Parses rows into outlines.
pub(super) fn read_all(session: SessionId, rows: Vec<OutlineRow>) -> Result<Vec<Outline>> {
    let mut outlines = Vec::with_capacity(rows.len());
    for row in rows {
        let corrupt = |column, reason: String| {
            StoreError::corrupt("messages", column, format!("{} {}", session.0, row.seq), reason)
        };
        let shape = row.shape.as_deref().map(serde_json::from_str).transpose();
        outlines.push(Outline {
            seq: row.seq,
            role: row.role.parse::<Role>().map_err(|_| corrupt("role", "unknown word".to_owned()))?,
            is_item: row.is_item,
            tokens: u32::try_from(row.tokens).map_err(|error| corrupt("tokens", error.to_string()))?,
            shape: shape.map_err(|error| corrupt("shape", error.to_string()))?,
            // The column has only `never`; messages marked `always` are in the counts of the session.
            is_left_out: row.keep.is_some(),
            retrieved: row.retrieved.unwrap_or_default(),
            bytes: u64::try_from(row.bytes).unwrap_or_default(),
        });
    }
    Ok(outlines)
}
