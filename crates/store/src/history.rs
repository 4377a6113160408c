//! Reads the newest messages of a session for its signals, when its row lacks the history that an append needs: the
//! policy has changed, or counts none of the signals that a caller asks for.

use super::load::Loaded;
use crate::prelude::*;
use anchord_session::trigger::{MessageSignals, PastMessage, REPLAYED_BYTES, REPLAYED_MESSAGES};

/// Makes the history that an append needs, one that asks for every signal or not.
pub(super) async fn complete(
    connection: &mut PgConnection,
    loaded: &mut Loaded,
    every_signal: bool,
) -> Result<()> {
    let Loaded { tenant, session, .. } = loaded;
    let scope = session.history_needed(every_signal);
    if !session.lacks_history(scope) {
        return Ok(());
    }
    let has_begun = connection.enter(*tenant).await?;
    let rows = newest(connection, session.id.of(*tenant), session.head_seq).await;
    connection.leave(has_begun).await?;
    let messages = rows?.into_iter().map(|row| PastMessage {
        seq: row.seq,
        tokens: u32::try_from(row.tokens).unwrap_or_default(),
        now: row.created_at.timestamp(),
        signals: MessageSignals::read(&row.format, &row.body, row.shape.as_deref(), scope),
    });
    session.recent = std::mem::take(&mut session.recent).replayed(scope, messages);
    Ok(())
}

struct Row {
    seq: Seq,
    format: String,
    tokens: i32,
    created_at: DateTime<Utc>,
    shape: Option<String>,
    body: String,
}

/// The newest messages through `head`, ascending: at most as many, and as large together, as a history is made of.
async fn newest(connection: &mut PgConnection, key: SessionKey, head: Seq) -> Result<Vec<Row>> {
    let rows = sqlx::query_as!(
        Row,
        r#"select seq, format, tokens, created_at, shape, body as "body!"
           from (
             select m.seq, m.format, m.tokens, m.created_at, m.shape, m.body,
                    sum(octet_length(m.body)) over (order by m.seq desc) as bytes
             -- Positions have no gaps.
             from lineage($1, $2, $3::bigint - $4::bigint + 1, $3) owner
             cross join lateral (
               select x.* from messages x
               where x.tenant_id = $1 and x.session_id = owner.session_id
                 and x.seq between owner.first_seq and owner.last_seq
               -- Apart from the rest, so that they are always looked up in the index.
               offset 0
             ) m
           ) newest
           where bytes <= $5
           order by seq"#,
        key.tenant.0,
        key.id.0,
        head,
        i64::try_from(REPLAYED_MESSAGES).unwrap_or_default(),
        i64::try_from(REPLAYED_BYTES).unwrap_or_default(),
    )
    .fetch_all(connection)
    .await?;
    Ok(rows)
}
