//! Reads what grows with every append, and the row that tells whether the rest is still as it was.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::{ContextSource, MessageRow, Settled};
use crate::domain::accounting::Accounting;
use crate::domain::id::{Seq, SessionId, SessionName, TenantId};
use crate::store::{Store, StoreError};

/// A message after the anchor, or none of it; one of the rows carries the session's own.
struct Row {
    session: Option<Vec<Option<String>>>,
    seq: Option<i64>,
    role: Option<String>,
    format: Option<String>,
    tokens: Option<i32>,
    shape: Option<String>,
    keep: Option<String>,
    body: Option<String>,
}

/// The session's row, as texts: one column for all of them costs the messages' rows least.
struct SessionRow {
    id: Uuid,
    head_seq: Seq,
    anchor_seq: Seq,
    version: Option<i64>,
    context_revision: i64,
    settings: String,
    defaults: String,
    accounting: String,
}

impl Store {
    /// Reads the messages after the anchor; `None` when what is settled has changed since, or the tail
    /// is more than the budget.
    pub(super) async fn read_newest(
        &self,
        tenant: TenantId,
        session: &SessionName,
        budget: Option<u32>,
        settled: Arc<Settled>,
    ) -> Result<Option<ContextSource>, StoreError> {
        // The effective window is never larger than the context window.
        let budget = i64::from(budget.unwrap_or_else(|| settled.settings.policy().context_window));
        let mut rows = loop {
            let mut reading = self.readers.acquire(&self.pool).await?;
            let read = sqlx::query_as!(
                    Row,
                    r#"with bound as materialized (
                         select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
                       )
                       select case when m.seq = s.head_seq or m.seq is null then array[
                                s.id::text, s.head_seq::text, s.anchor_seq::text, s.version::text,
                                s.context_revision::text, s.settings::text,
                                (select t.settings::text from tenants t where t.id = $1), s.accounting::text
                              ] end as "session: Vec<Option<String>>",
                              m.seq as "seq?", m.role as "role?", m.format as "format?", m.tokens as "tokens?",
                              m.shape as "shape?", m.keep as "keep?", m.body as "body?"
                       from bound
                       cross join lateral (
                         select x.id, x.head_seq, x.anchor_seq, x.version, x.context_revision, x.settings, x.accounting,
                                (x.accounting ->> 'tail_tokens')::bigint as tail_tokens
                         from sessions x where x.tenant_id = bound.tenant_id and x.name = $2 limit 1
                       ) s
                       left join lateral (
                         select m.seq, m.role, m.format, m.tokens, m.shape, m.keep, m.body from messages m
                         where m.tenant_id = $1 and m.session_id = s.id
                           -- In the index condition, so that a tail above the budget is not even looked at.
                           and m.seq > case when s.tail_tokens <= $3::bigint then greatest(s.anchor_seq, $4::bigint)
                                            else 9223372036854775807 end
                       ) m on true"#,
                    tenant.0,
                    session.as_str(),
                    budget,
                    settled.system_through
                )
            .fetch_all(reading.connection())
            .await;
            if let Some(rows) = reading.settle(read)? {
                break rows;
            }
        };
        let Some(row) = rows.iter_mut().find_map(|row| row.session.take()).and_then(SessionRow::read) else {
            return Ok(None);
        };
        let accounting: Accounting = serde_json::from_str(&row.accounting)
            .map_err(|error| StoreError::corrupt("sessions", "accounting", row.id, error))?;
        let (carried, held) =
            (accounting.carried.map(|carried| carried.seq), settled.carried.as_ref().map(|entry| entry.seq));
        let is_current = row.id == settled.session.0
            && row.version == settled.version()
            && row.anchor_seq == settled.anchor_seq
            && row.context_revision + settled.settings.wide_revision() == settled.context_revision
            && accounting.system_through == settled.system_through
            && carried == held
            && row.settings == settled.stored_settings.0
            && row.defaults == settled.stored_settings.1;
        let head_seq = row.head_seq;
        let is_whole = rows.first().is_some_and(|row| row.seq.is_some())
            || head_seq <= settled.anchor_seq.max(settled.system_through);
        if !is_current || !is_whole {
            return Ok(None);
        }
        self.complete(tenant, settled.session, &mut rows).await?;
        let mut marks = settled.marks.clone();
        let mut tail = Vec::with_capacity(rows.len());
        for row in rows {
            if row.seq.is_some() {
                tail.push(row.message().read(settled.session, &mut marks)?);
            }
        }
        tail.sort_unstable_by_key(|entry| entry.seq);
        Ok(Some(ContextSource { settled, accounting, head_seq, tail, tail_omitted: None, marks }))
    }

    /// Reads the messages that share a text with another one. They are few, and a tail without them pays
    /// nothing for them.
    async fn complete(
        &self,
        tenant: TenantId,
        session: SessionId,
        rows: &mut [Row],
    ) -> Result<(), StoreError> {
        let shared = |row: &&mut Row| row.seq.is_some() && row.body.is_none();
        let seqs: Vec<Seq> = rows.iter_mut().filter(shared).filter_map(|row| row.seq).collect();
        if seqs.is_empty() {
            return Ok(());
        }
        let mut tx = self.begin(tenant).await?;
        let found = sqlx::query!(
            r#"select m.seq, m.original as "body!" from messages m
               where m.tenant_id = $1 and m.session_id = $2 and m.seq = any($3)"#,
            tenant.0,
            session.0,
            &seqs
        )
        .fetch_all(&mut *tx)
        .await?;
        let mut bodies: HashMap<Seq, String> = found.into_iter().map(|row| (row.seq, row.body)).collect();
        for row in rows.iter_mut().filter(shared) {
            row.body = row.seq.and_then(|seq| bodies.remove(&seq));
        }
        Ok(())
    }
}

impl Row {
    fn message(self) -> MessageRow {
        let Self { seq, role, format, tokens, shape, keep, body, .. } = self;
        MessageRow { seq, role, format, tokens, shape, keep, body }
    }
}

impl SessionRow {
    /// Reads the texts in the order of the statement; `None` when the tenant is gone.
    fn read(texts: Vec<Option<String>>) -> Option<Self> {
        let [id, head, anchor, version, revision, settings, defaults, accounting] = texts.try_into().ok()?;
        Some(Self {
            id: id?.parse().ok()?,
            head_seq: head?.parse().ok()?,
            anchor_seq: anchor?.parse().ok()?,
            version: version.and_then(|version| version.parse().ok()),
            context_revision: revision?.parse().ok()?,
            settings: settings?,
            defaults: defaults?,
            accounting: accounting?,
        })
    }
}
