//! Everything that a context is made of, read in one round trip; in three when more stands after the
//! anchor than the budget can hold.

use uuid::Uuid;

use super::sessions::read_settings;
use super::{Store, StoreError};
use crate::domain::accounting::Accounting;
use crate::domain::context::Entry;
use crate::domain::format::Format;
use crate::domain::id::{Seq, SessionId, SessionName, TenantId};
use crate::domain::mask::{Keep, Marks};
use crate::domain::message::Role;
use crate::domain::settings::Settings;

/// What a context is made of, at one moment.
#[derive(Clone, Debug)]
pub struct ContextSource {
    /// The session's internal id.
    pub session: SessionId,
    /// The settings, the tenant's defaults below them.
    pub settings: Settings,
    /// Running token and message counts.
    pub accounting: Accounting,
    /// The newest message.
    pub head_seq: Seq,
    /// Through which message the summary covers the session.
    pub anchor_seq: Seq,
    /// Grows with every change of pins or settings.
    pub context_revision: i64,
    /// The current summary.
    pub summary: Option<SummarySource>,
    /// The pins' texts, in order.
    pub pins: Vec<String>,
    /// The leading system and developer messages.
    pub system: Vec<Entry>,
    /// The user message that the summary covers and that is still served.
    pub carried: Option<Entry>,
    /// The messages after the anchor, ascending, as many of the newest as the budget can hold.
    pub tail: Vec<Entry>,
    /// Messages after the anchor that were not read.
    pub tail_omitted: Option<(Seq, Seq)>,
    /// The caller's marks of the tail's messages.
    pub marks: Marks,
}

/// A summary as contexts serve it.
#[derive(Clone, Debug)]
pub struct SummarySource {
    /// Its version.
    pub version: i64,
    /// The text of the message that serves it, and that message's tokens.
    pub rendering: (String, u32),
    /// The same at its smallest.
    pub least: (String, u32),
    /// Current task, open errors and next steps once more.
    pub recap: String,
}

impl Store {
    /// Reads what a context within `budget` tokens is made of; `None` when there is no such session.
    /// The cost grows with the budget, not with the session.
    ///
    /// # Errors
    /// When the database fails, or a row does not read back.
    pub async fn find_context(
        &self,
        tenant: TenantId,
        session: &SessionName,
        budget: Option<u32>,
    ) -> Result<Option<ContextSource>, StoreError> {
        let rows = self.read_rows(tenant, session, budget, None).await?;
        let Some((mut head, mut rows)) = split_found(rows) else { return Ok(None) };
        let mut tail_from = None;
        if head.crowded {
            // More stands after the anchor than a context can hold: only the end of it is read.
            tail_from = self.find_tail_within(tenant, &head).await?;
            let again = split_found(self.read_rows(tenant, session, budget, tail_from).await?);
            let Some(newer) = again else { return Ok(None) };
            (head, rows) = newer;
        }
        let corrupt = |table, column, reason: &dyn std::fmt::Display| {
            StoreError::corrupt(table, column, head.id, reason)
        };
        let own = read_settings(&head.settings).map_err(|e| corrupt("sessions", "settings", &e))?;
        let defaults = read_settings(&head.defaults).map_err(|e| corrupt("tenants", "settings", &e))?;
        let accounting: Accounting =
            serde_json::from_str(&head.accounting).map_err(|e| corrupt("sessions", "accounting", &e))?;
        let summary = match (head.version, head.rendering, head.least_rendering) {
            (Some(version), Some(rendering), Some(least)) => Some(SummarySource {
                version,
                rendering: (rendering, whole(head.rendering_tokens)),
                least: (least, whole(head.least_tokens)),
                recap: head.recap.unwrap_or_default(),
            }),
            (None, ..) => None,
            _ => return Err(corrupt("sessions", "version", &"there is no such version")),
        };
        let mut marks = Marks::new();
        let mut entries = Vec::with_capacity(rows.len());
        for row in rows {
            entries.push(row.read(&mut marks).map_err(|(column, seq)| {
                StoreError::corrupt("messages", column, format!("{} {seq}", head.id), "does not parse")
            })?);
        }
        entries.sort_unstable_by_key(|entry| entry.seq);
        let floor = head.anchor_seq.max(accounting.system_through);
        let mut tail = entries.split_off(entries.partition_point(|entry| entry.seq <= floor));
        tail.retain(|entry| entry.seq > floor);
        let covered = entries.split_off(entries.partition_point(|e| e.seq <= accounting.system_through));
        Ok(Some(ContextSource {
            session: SessionId(head.id),
            settings: own.over(&defaults),
            accounting,
            head_seq: head.head_seq,
            anchor_seq: head.anchor_seq,
            context_revision: head.context_revision,
            summary,
            pins: head.pins,
            system: entries,
            carried: covered.into_iter().next(),
            tail,
            tail_omitted: tail_from.filter(|from| *from > floor + 1).map(|from| (floor + 1, from - 1)),
            marks,
        }))
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
            let mut reading = self.readers.acquire(&self.pool).await?;
            let read = sqlx::query_as!(
                Row,
                r#"with bound as materialized (
                     select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
                   ),
                   s as materialized (
                     select x.*, t.settings as defaults, v.rendering, v.rendering_tokens, v.least_rendering,
                            v.least_tokens, v.recap, coalesce(a.system_through, 0) as system_through, a.carried,
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
                          s.least_tokens as "least_tokens?", s.recap as "recap?", s.floor as "floor?",
                          s.budget as "budget?", s.tail_tokens > s.budget as "crowded?",
                          array(select p.body from pins p where p.tenant_id = s.tenant_id and p.session_id = s.id
                                order by p.position) as "pins?",
                          null::bigint as "seq?", null::text as "role?", null::text as "format?",
                          null::integer as "tokens?", null::text as "shape?", null::text as "keep?",
                          null::text as "body?"
                   from s
                   union all
                   select null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                          null, null, m.*
                   from s
                   cross join lateral (
                     select m.seq, m.role, m.format, m.tokens, m.shape, m.keep, m.body from messages m
                     where m.tenant_id = s.tenant_id and m.session_id = s.id
                       and m.seq > greatest(s.floor, $4::bigint - 1)
                       and ($4::bigint is not null or s.tail_tokens <= s.budget)
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
            .fetch_all(&mut *reading)
            .await;
            match read {
                Ok(rows) => {
                    reading.keep();
                    return Ok(rows);
                }
                // The server may have restarted since; a connection that is new is not tried again.
                Err(error) if reading.was_kept && super::error::is_lost(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Finds where the newest messages begin that a context can hold.
    async fn find_tail_within(&self, tenant: TenantId, head: &Found) -> Result<Option<Seq>, StoreError> {
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
struct Found {
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
    /// What is not after it is no part of the tail.
    floor: Seq,
    budget: i64,
    /// The tail is more than the budget.
    crowded: bool,
    pins: Vec<String>,
}

/// The session's row, and those of the messages; `None` when there is no session.
fn split_found(mut rows: Vec<Row>) -> Option<(Found, Vec<Row>)> {
    let place = rows.iter().position(|row| row.id.is_some())?;
    let row = rows.swap_remove(place);
    let head = Found {
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
        floor: row.floor?,
        budget: row.budget?,
        crowded: row.crowded?,
        pins: row.pins.unwrap_or_default(),
    };
    Some((head, rows))
}

impl Row {
    /// The message, its mark noted; or the column and the seq that do not parse.
    fn read(self, marks: &mut Marks) -> Result<Entry, (&'static str, Seq)> {
        let seq = self.seq.ok_or(("seq", 0))?;
        match self.keep.as_deref() {
            Some("always") => drop(marks.insert(seq, Keep::Always)),
            Some("never") => drop(marks.insert(seq, Keep::Never)),
            Some(_) => return Err(("keep", seq)),
            None => {}
        }
        let shape = self.shape.as_deref().map(serde_json::from_str).transpose();
        Ok(Entry {
            seq,
            format: self.format.as_deref().and_then(Format::from_name).ok_or(("format", seq))?,
            role: self.role.as_deref().and_then(Role::parse).ok_or(("role", seq))?,
            tokens: self.tokens.and_then(|tokens| u32::try_from(tokens).ok()).ok_or(("tokens", seq))?,
            shape: shape.map_err(|_| ("shape", seq))?,
            raw: self.body.ok_or(("body", seq))?,
        })
    }
}
