//! Reads what was appended since the last read, and the row that tells whether the rest is still as it was.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use uuid::Uuid;

use super::{ContextSource, Found, Held, MessageRow, Settled};
use crate::domain::accounting::Accounting;
use crate::domain::id::{Seq, SessionName, TenantId};
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
    /// Reads what was appended since the last read; `None` when more has changed than that, or the tail
    /// is more than the budget. With it come the counts as they are stored.
    pub(super) async fn read_newest(
        &self,
        (tenant, session): (TenantId, &SessionName),
        budget: Option<u32>,
        held: &Held,
    ) -> Result<Option<(Found, String)>, StoreError> {
        let settled = &held.source.settled;
        // The effective window is never larger than the context window.
        let budget = i64::from(budget.unwrap_or_else(|| settled.settings.policy().context_window));
        if held.is_settled.load(Relaxed) {
            let row = self.read_row(tenant, session).await?;
            if let Some(row) = row.filter(|row| held.is_unchanged(row)) {
                return Ok(held.found_again(row, budget));
            }
            held.is_settled.store(false, Relaxed);
        }
        let mut rows = self.read_since((tenant, session), budget, held.source.head_seq).await?;
        let Some(row) = rows.iter_mut().find_map(|row| row.session.take()).and_then(SessionRow::read) else {
            return Ok(None);
        };
        if held.is_unchanged(&row) {
            held.is_settled.store(true, Relaxed);
            return Ok(held.found_again(row, budget));
        }
        if !row.is_beside(settled) {
            return Ok(None);
        }
        let accounting: Accounting = serde_json::from_str(&row.accounting)
            .map_err(|error| StoreError::corrupt("sessions", "accounting", row.id, error))?;
        let (carried, had) =
            (accounting.carried.map(|carried| carried.seq), settled.carried.as_ref().map(|entry| entry.seq));
        if accounting.system_through != settled.system_through
            || carried != had
            || !is_within(&accounting, budget)
        {
            return Ok(None);
        }
        let mut marks = held.source.marks.clone();
        let mut tail = Vec::with_capacity(held.source.tail.len() + rows.len());
        tail.extend_from_slice(&held.source.tail);
        let old = tail.len();
        for row in rows {
            if row.seq.is_some() {
                tail.push(row.message().read(settled.session, &mut marks)?);
            }
        }
        if let Some(new) = tail.get_mut(old..) {
            new.sort_unstable_by_key(|entry| entry.seq);
        }
        // Positions have no gaps, so this says that each of them has come.
        if i64::try_from(tail.len() - old).ok() != Some(row.head_seq - held.source.head_seq) {
            return Ok(None);
        }
        let source = ContextSource {
            settled: Arc::clone(settled),
            accounting,
            head_seq: row.head_seq,
            tail,
            tail_omitted: None,
            marks,
        };
        Ok(Some((Found { source: Arc::new(source), is_unchanged: false }, row.accounting)))
    }

    /// Reads the session's row alone.
    async fn read_row(
        &self,
        tenant: TenantId,
        session: &SessionName,
    ) -> Result<Option<SessionRow>, StoreError> {
        loop {
            let mut reading = self.reading(tenant).await?;
            let read = sqlx::query_as!(
                SessionRow,
                r#"with bound as materialized (
                     select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
                   )
                   select s.id as "id!", s.head_seq as "head_seq!", s.anchor_seq as "anchor_seq!", s.version,
                          s.context_revision as "context_revision!", s.settings::text as "settings!",
                          t.settings::text as "defaults!", s.accounting::text as "accounting!"
                   from bound
                   cross join lateral (
                     select x.id, x.head_seq, x.anchor_seq, x.version, x.context_revision, x.settings, x.accounting
                     from sessions x where x.tenant_id = bound.tenant_id and x.name = $2 limit 1
                   ) s
                   cross join lateral (select x.settings from tenants x where x.id = bound.tenant_id limit 1) t"#,
                tenant.0,
                session.as_str()
            )
            .fetch_all(reading.connection())
            .await;
            if let Some(mut rows) = reading.settle(read)? {
                return Ok(rows.pop());
            }
        }
    }

    /// Reads the session's row and the messages after `seq`, those only while the tail is within the budget.
    async fn read_since(
        &self,
        (tenant, session): (TenantId, &SessionName),
        budget: i64,
        seq: Seq,
    ) -> Result<Vec<Row>, StoreError> {
        loop {
            let mut reading = self.reading(tenant).await?;
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
                     select x.id, x.head_seq, x.anchor_seq, x.version, x.context_revision, x.settings, x.accounting
                     from sessions x where x.tenant_id = bound.tenant_id and x.name = $2 limit 1
                   ) s
                   left join lateral (
                     select m.seq, m.role, m.format, m.tokens, m.shape, m.keep, m.body from messages m
                     where m.tenant_id = $1 and m.session_id = s.id and m.seq > $4
                       -- Neither the counts nor the messages are looked at when nothing was appended.
                       and s.head_seq > $4 and (s.accounting ->> 'tail_tokens')::bigint <= $3::bigint
                     -- Apart from the rest, so that the session is always looked up in the index.
                     offset 0
                   ) m on true"#,
                tenant.0,
                session.as_str(),
                budget,
                seq
            )
            .fetch_all(reading.connection())
            .await;
            if let Some(rows) = reading.settle(read)? {
                return Ok(rows);
            }
        }
    }
}

/// Whether all of the tail may be read for a budget.
fn is_within(accounting: &Accounting, budget: i64) -> bool {
    i64::try_from(accounting.tail_tokens).is_ok_and(|tokens| tokens <= budget)
}

impl Held {
    /// Whether the row is still the one that it was read beside, in all that a context shows.
    fn is_unchanged(&self, row: &SessionRow) -> bool {
        row.is_beside(&self.source.settled)
            && row.head_seq == self.source.head_seq
            && row.accounting == self.stored_accounting
    }

    /// What is held, beside a row that says that it is unchanged; `None` when it is more than the budget.
    fn found_again(&self, row: SessionRow, budget: i64) -> Option<(Found, String)> {
        let found = Found { source: Arc::clone(&self.source), is_unchanged: true };
        is_within(&self.source.accounting, budget).then_some((found, row.accounting))
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

    /// Whether what is settled is still what the row says.
    fn is_beside(&self, settled: &Settled) -> bool {
        self.id == settled.session.0
            && self.version == settled.version()
            && self.anchor_seq == settled.anchor_seq
            && self.context_revision + settled.settings.wide_revision() == settled.context_revision
            && self.settings == settled.stored_settings.0
            && self.defaults == settled.stored_settings.1
    }
}
