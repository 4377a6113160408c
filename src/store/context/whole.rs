//! Reads all that a context is made of: in three round trips when more stands after the anchor than the
//! budget can hold, else in one.

use std::sync::Arc;

use uuid::Uuid;

use super::super::sessions::read_settings;
use super::{ContextSource, Found, MessageRow, Settled, SummarySource};
use crate::domain::accounting::Accounting;
use crate::domain::context::Counted;
use crate::domain::id::{Seq, SessionId, SessionName, TenantId};
use crate::domain::mask::Marks;
use crate::domain::pin::{self, Pin};
use crate::domain::tokens::TokenCounter;
use crate::store::{Store, StoreError};

impl Store {
    /// Reads everything; with it come the counts as they are stored.
    pub(super) async fn read_whole(
        &self,
        tenant: TenantId,
        session: &SessionName,
        budget: Option<u32>,
    ) -> Result<Option<(Found, String)>, StoreError> {
        let rows = self.read_rows(tenant, session, budget, None).await?;
        let Some((mut found, mut rows)) = split_found(rows) else { return Ok(None) };
        let mut tail_from = None;
        if found.crowded {
            // Only the end of the tail is read.
            tail_from = self.find_tail_within(tenant, &found).await?;
            let again = split_found(self.read_rows(tenant, session, budget, tail_from).await?);
            let Some(newer) = again else { return Ok(None) };
            (found, rows) = newer;
        }
        found.assemble(rows, tail_from).map(Some)
    }

    /// Reads the session's row and those of its messages from `tail_from` on; without it no message
    /// after the anchor when they are more than the budget. One statement, so one moment: it sets the
    /// tenant for itself, and the look into the sessions depends on that, so it comes after it.
    async fn read_rows(
        &self,
        tenant: TenantId,
        session: &SessionName,
        budget: Option<u32>,
        tail_from: Option<Seq>,
    ) -> Result<Vec<Row>, StoreError> {
        loop {
            let mut reading = self.reading(tenant).await?;
            let read = sqlx::query_as!(
                Row,
                r#"with bound as materialized (
                     select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
                   ),
                   s as materialized (
                     select x.*, t.settings as defaults, v.rendering, v.rendering_tokens, v.least_rendering,
                            v.least_tokens, v.recap, v.digest, v.digest_tokens, coalesce(a.system_through, 0) as system_through, a.carried,
                            greatest(x.anchor_seq, coalesce(a.system_through, 0)) as floor,
                            coalesce(a.tail_tokens, 0) as tail_tokens,
                            -- The effective window is never larger than the context window.
                            coalesce($3::bigint, (x.settings ->> 'context_window')::bigint,
                                     (t.settings ->> 'context_window')::bigint, 200000) as budget
                     from bound
                     cross join lateral (
                       select * from sessions x where x.tenant_id = bound.tenant_id and x.name = $2 limit 1
                     ) x
                     cross join lateral (select * from tenants t where t.id = bound.tenant_id limit 1) t
                     cross join lateral json_to_record(x.accounting)
                       as a(system_through bigint, tail_tokens bigint, carried json)
                     left join lateral (
                       select * from summaries v
                       where v.tenant_id = x.tenant_id and v.session_id = x.id and v.version = x.version limit 1
                     ) v on true
                   )
                   select s.id as "id?", s.settings::text as "settings?", s.defaults::text as "defaults?",
                          s.accounting::text as "accounting?", s.head_seq as "head_seq?",
                          s.anchor_seq as "anchor_seq?", s.version as "version?",
                          s.context_revision as "context_revision?", s.rendering as "rendering?",
                          s.rendering_tokens as "rendering_tokens?", s.least_rendering as "least_rendering?",
                          s.least_tokens as "least_tokens?", s.recap as "recap?",
                          s.digest as "digest?", s.digest_tokens as "digest_tokens?", s.floor as "floor?",
                          s.budget as "budget?", s.tail_tokens > s.budget as "crowded?",
                          array(select p.body from pins p where p.tenant_id = s.tenant_id and p.session_id = s.id
                                order by p.position) as "pins?",
                          null::bigint as "seq?", null::text as "role?", null::text as "format?",
                          null::integer as "tokens?", null::text as "shape?", null::text as "keep?",
                          null::text as "body?"
                   from s
                   union all
                   select null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                          null, null, null, null, m.*
                   from s
                   cross join lateral (
                     select m.seq, m.role, m.format, m.tokens, m.shape, m.keep, m.body from messages m
                     where m.tenant_id = s.tenant_id and m.session_id = s.id
                       -- In the index condition, so that a tail above the budget is not even looked at.
                       and m.seq > case when $4::bigint is not null or s.tail_tokens <= s.budget
                                        then greatest(s.floor, $4::bigint - 1) else 9223372036854775807 end
                     union all
                     select m.seq, m.role, m.format, m.tokens, m.shape, m.keep, m.body from messages m
                     where s.system_through > 0
                       and m.tenant_id = s.tenant_id and m.session_id = s.id and m.seq <= s.system_through
                     union all
                     select m.seq, m.role, m.format, m.tokens, m.shape, m.keep, m.body from messages m
                     where s.carried is not null and m.tenant_id = s.tenant_id and m.session_id = s.id
                       and m.seq = (s.carried ->> 'seq')::bigint and m.seq > s.system_through
                   ) m"#,
                tenant.0,
                session.as_str(),
                budget.map(i64::from),
                tail_from
            )
            .fetch_all(reading.connection())
            .await;
            if let Some(rows) = reading.settle(read)? {
                return Ok(rows);
            }
        }
    }

    /// Finds where the newest messages begin that a context can hold.
    async fn find_tail_within(&self, tenant: TenantId, head: &SessionRow) -> Result<Option<Seq>, StoreError> {
        let _share = self.share(tenant).await?;
        let from = sqlx::query_scalar!(
            "select tail_within($1, $2, $3, $4, $5)",
            tenant.0,
            head.id,
            head.floor,
            head.head_seq,
            head.budget
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(from)
    }
}

fn whole(tokens: Option<i32>) -> u32 {
    tokens.and_then(|tokens| u32::try_from(tokens).ok()).unwrap_or_default()
}

/// A row of the read: the session's own, or a message's.
struct Row {
    id: Option<Uuid>,
    settings: Option<String>,
    defaults: Option<String>,
    accounting: Option<String>,
    head_seq: Option<i64>,
    anchor_seq: Option<i64>,
    version: Option<i64>,
    context_revision: Option<i64>,
    rendering: Option<String>,
    rendering_tokens: Option<i32>,
    least_rendering: Option<String>,
    least_tokens: Option<i32>,
    recap: Option<String>,
    digest: Option<String>,
    digest_tokens: Option<i32>,
    floor: Option<i64>,
    budget: Option<i64>,
    crowded: Option<bool>,
    pins: Option<Vec<String>>,
    seq: Option<i64>,
    role: Option<String>,
    format: Option<String>,
    tokens: Option<i32>,
    shape: Option<String>,
    keep: Option<String>,
    body: Option<String>,
}

/// The session's own row.
struct SessionRow {
    id: Uuid,
    settings: String,
    defaults: String,
    accounting: String,
    head_seq: Seq,
    anchor_seq: Seq,
    version: Option<i64>,
    context_revision: i64,
    rendering: Option<String>,
    rendering_tokens: Option<i32>,
    least_rendering: Option<String>,
    least_tokens: Option<i32>,
    recap: Option<String>,
    digest: Option<String>,
    digest_tokens: Option<i32>,
    /// What is not after it is no part of the tail.
    floor: Seq,
    budget: i64,
    /// The tail is more than the budget.
    crowded: bool,
    pins: Vec<String>,
}

/// The session's row, and those of the messages; `None` when there is no session.
fn split_found(mut rows: Vec<Row>) -> Option<(SessionRow, Vec<Row>)> {
    let place = rows.iter().position(|row| row.id.is_some())?;
    let row = rows.swap_remove(place);
    let head = SessionRow {
        id: row.id?,
        settings: row.settings?,
        defaults: row.defaults?,
        accounting: row.accounting?,
        head_seq: row.head_seq?,
        anchor_seq: row.anchor_seq?,
        version: row.version,
        context_revision: row.context_revision?,
        rendering: row.rendering,
        rendering_tokens: row.rendering_tokens,
        least_rendering: row.least_rendering,
        least_tokens: row.least_tokens,
        recap: row.recap,
        digest: row.digest,
        digest_tokens: row.digest_tokens,
        floor: row.floor?,
        budget: row.budget?,
        crowded: row.crowded?,
        pins: row.pins.unwrap_or_default(),
    };
    Some((head, rows))
}

impl Row {
    fn message(self) -> MessageRow {
        let Self { seq, role, format, tokens, shape, keep, body, .. } = self;
        MessageRow { seq, role, format, tokens, shape, keep, body }
    }
}

impl SessionRow {
    fn assemble(self, rows: Vec<Row>, tail_from: Option<Seq>) -> Result<(Found, String), StoreError> {
        let corrupt = |table, column, reason: &dyn std::fmt::Display| {
            StoreError::corrupt(table, column, self.id, reason)
        };
        let own = read_settings(&self.settings).map_err(|e| corrupt("sessions", "settings", &e))?;
        let defaults = read_settings(&self.defaults).map_err(|e| corrupt("tenants", "settings", &e))?;
        let accounting: Accounting =
            serde_json::from_str(&self.accounting).map_err(|e| corrupt("sessions", "accounting", &e))?;
        let summary = match (self.version, self.rendering, self.least_rendering) {
            (Some(version), Some(rendering), Some(least)) => Some(SummarySource {
                version,
                rendering: (rendering, whole(self.rendering_tokens)),
                least: (least, whole(self.least_tokens)),
                digest: self.digest.map(|digest| (digest, whole(self.digest_tokens))),
                recap: self.recap.unwrap_or_default(),
            }),
            (None, ..) => None,
            _ => return Err(corrupt("sessions", "version", &"there is no such version")),
        };
        let session = SessionId(self.id);
        let mut marks = Marks::new();
        let read = |row: Row| row.message().read(session, &mut marks);
        let mut entries = rows.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        entries.sort_unstable_by_key(|entry| entry.seq);
        let tail = entries.split_off(entries.partition_point(|entry| entry.seq <= self.floor));
        let covered = entries.split_off(entries.partition_point(|e| e.seq <= accounting.system_through));
        let settings = own.over(&defaults);
        let own_pins = self.pins.into_iter().map(Pin::new).collect();
        let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
        let pins = pin::served(&pin::together(settings.wide_pins(), own_pins));
        let settled = Settled {
            session,
            anchor_seq: self.anchor_seq,
            context_revision: self.context_revision + settings.wide_revision(),
            summary,
            // Counted here, for the tenant's may have changed since the session counted them.
            pins: pins.map(|text| {
                let tokens = Counted::new(&text, &counter).tokens;
                (text, tokens)
            }),
            settings,
            system: entries,
            carried: covered.into_iter().next(),
            system_through: accounting.system_through,
            stored_settings: (self.settings, self.defaults),
        };
        let source = ContextSource {
            settled: Arc::new(settled),
            accounting,
            head_seq: self.head_seq,
            tail,
            tail_omitted: tail_from
                .filter(|from| *from > self.floor + 1)
                .map(|from| (self.floor + 1, from - 1)),
            marks,
        };
        Ok((Found { source: Arc::new(source), is_unchanged: false }, self.accounting))
    }
}
