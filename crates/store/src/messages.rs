//! Reads the original messages of a session, page by page.

use super::usage::ContextCoverage;
use crate::prelude::*;

/// The most bytes of message bodies on one page; a page always has its first message, however large.
const PAGE_BYTES: i64 = 2 * 1024 * 1024;

/// A message as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMessage {
    /// Its position.
    pub seq: Seq,
    /// The role of the speaker.
    pub role: String,
    /// The conversation format it came in.
    pub format: String,
    /// Its tokens.
    pub tokens: i32,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// Whether it has a tool output that a placeholder may replace.
    pub maskable: bool,
    /// Whether the caller marked it as a retrieved document.
    pub is_retrieved: bool,
    /// The JSON text as sent.
    pub body: String,
}

/// A range of positions, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeqRange {
    /// The first position.
    pub from: Seq,
    /// The last position.
    pub to: Seq,
}

impl Store {
    /// Lists the messages of a range in order, at most `limit` and fewer when the bodies are large; `None` when there
    /// is no such session.
    pub async fn list_messages(
        &self,
        tenant: TenantId,
        session: &SessionRef,
        range: SeqRange,
        limit: i64,
    ) -> Result<Option<MessagePage>> {
        let mut tx = self.snapshot(tenant).await?;
        let found = sqlx::query!(
            r#"select s.id, s.head_seq, s.anchor_seq, root.task_id, coalesce(a.system_through, 0) as "system_through!",
                      coalesce(a.mask_upto, 0) as "mask_upto!"
               from (select find_session($1, $2, $3) as id offset 0) named
               cross join lateral (
                 select x.* from sessions x where x.tenant_id = $1 and x.id = named.id limit 1
               ) s
               -- Apart, because under row security a search by an expression does not use the index.
               cross join lateral (select coalesce(s.root_id, s.id) as id offset 0) main
               cross join lateral (
                 select x.task_id from sessions x where x.tenant_id = $1 and x.id = main.id limit 1
               ) root
               cross join lateral json_to_record(s.accounting) as a(system_through bigint, mask_upto bigint)"#,
            tenant.0,
            session.name.as_str(),
            session.branch_str()
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(found) = found else { return Ok(None) };
        let items = list(&mut tx, SessionId(found.id).of(tenant), range, limit).await?;
        let shown = ContextCoverage {
            session: SessionId(found.id),
            task_id: found.task_id,
            system_through: found.system_through,
            anchor_seq: found.anchor_seq,
            mask_upto: found.mask_upto,
        };
        Ok(Some(MessagePage { items, head_seq: found.head_seq, shown }))
    }

    /// Lists messages of a branch that is known by its id, in order, at most `limit` and fewer when the bodies are large;
    /// none when it is gone.
    pub async fn list_messages_of(
        &self,
        key: SessionKey,
        range: SeqRange,
        limit: i64,
    ) -> Result<Vec<StoredMessage>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let items = list(&mut tx, key, range, limit).await?;
        tx.commit().await?;
        Ok(items)
    }
}

/// A page of originals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessagePage {
    /// The messages, ascending.
    pub items: Vec<StoredMessage>,
    /// The position of the session's newest message in the same snapshot.
    pub head_seq: Seq,
    /// Which messages the session's context shows.
    pub shown: ContextCoverage,
}

/// Lists the messages of a range in an open transaction, at most `limit` and fewer when the bodies are large.
pub async fn list(
    tx: &mut PgConnection,
    key: SessionKey,
    range: SeqRange,
    limit: i64,
) -> Result<Vec<StoredMessage>> {
    // No message is so late; the statement adds the limit to it.
    let from = range.from.min(Seq::MAX - limit);
    // The size is read from the row's header, so that bodies beyond the bound are not fetched.
    let rows = sqlx::query_as!(
        StoredMessage,
        r#"select seq, role, format, tokens, created_at, maskable as "maskable!", is_retrieved as "is_retrieved!",
                  body as "body!"
           from (
             select m.seq, m.role, m.format, m.tokens, m.created_at, m.least_tokens is not null as maskable,
                    coalesce(m.component = 'retrieved_documents', false) as is_retrieved, m.body,
                    sum(octet_length(m.body)) over (order by m.seq) - octet_length(m.body) as bytes_before
             -- Positions have no gaps.
             from lineage($1, $2, $3, least($4, $3::bigint + $5 - 1)) owner
             cross join lateral (
               select x.* from messages x
               where x.tenant_id = $1 and x.session_id = owner.session_id
                 and x.seq between owner.first_seq and owner.last_seq
               order by x.seq limit $5
             ) m
             order by m.seq limit $5
           ) page
           where bytes_before < $6
           order by seq"#,
        key.tenant.0,
        key.id.0,
        from,
        range.to,
        limit,
        PAGE_BYTES
    )
    .fetch_all(&mut *tx)
    .await?;
    Ok(rows)
}
