//! The events of sessions: writing them, reading them, and waiting for new ones.
//!
//! Invariant: an event is written in the commit of what it reports, under its branch's lock; a switch under that of main.
//! So within a branch ids follow the order of commits, and a reader that has seen an id has missed none below it.

use serde_json::{Value, json};

use super::channel;
use super::job::{Job, Kind};
pub use super::notifier::Listening;
use crate::prelude::*;
use anchord_facts::redact::redact;
use anchord_messages::rounded::four;
use anchord_session::compression::{Report, Status};
use anchord_session::quota::Bound;

/// The event that reports a new current version.
const PUBLISHED: &str = "summary.published";
/// The event that reports that another branch is current. It is kept with main, because it is no branch's.
const SWITCHED: &str = "session.branch_switched";

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id; ids ascend within a branch.
    pub id: i64,
    /// The branch, unless it is main or the event is no branch's.
    pub branch: Option<BranchName>,
    /// The kind of event, such as `compression.started`.
    pub kind: String,
    /// Its data, as JSON.
    pub payload: Value,
    /// When it was written.
    pub created_at: DateTime<Utc>,
}

/// Source of the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Following {
    /// Events of a session (main's id): of whichever branch is current, and the switches.
    Session(SessionId),
    /// Events of one branch.
    Branch(SessionId),
}

/// Events that were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPage {
    /// The events, ascending.
    pub events: Vec<Event>,
    /// The branch that new events may be of.
    pub branch: SessionId,
}

impl Store {
    /// Subscribes to the notifications about a session or a branch.
    pub fn listen_to(&self, following: Following) -> Listening<SessionId> {
        let (Following::Session(id) | Following::Branch(id)) = following;
        self.notifier.listen_to(id)
    }

    /// Reads the events after an id; `None` when the session or the branch is gone.
    ///
    /// With one id for all branches a session is followed across switches: behind an id those events come next that
    /// are of the branch that was current then.
    pub async fn list_events(
        &self,
        tenant: TenantId,
        following: Following,
        after: i64,
        limit: i64,
    ) -> Result<Option<EventPage>> {
        let mut tx = self.snapshot(tenant).await?;
        let rows = match following {
            Following::Session(session) => {
                let rows = sqlx::query_as!(
                    Row,
                    r#"select coalesce(s.current_id, s.id) as "current!", e.id as "id?", e.kind as "kind?",
                              e.payload as "payload?", e.created_at as "created_at?", e.branch as "branch?"
                       from sessions s
                       left join lateral follow_events(s.tenant_id, s.id, $3, $4) e on true
                       where s.tenant_id = $1 and s.id = $2 order by e.id"#,
                    tenant.0,
                    session.0,
                    after,
                    limit
                );
                rows.fetch_all(&mut *tx).await?
            }
            Following::Branch(branch) => {
                let rows = sqlx::query_as!(
                    Row,
                    r#"select s.id as "current!", e.id as "id?", e.kind as "kind?", e.payload as "payload?",
                              e.created_at as "created_at?", s.branch as "branch?"
                       from sessions s
                       left join lateral (
                         select x.id, x.kind, x.payload, x.created_at from events x
                         where x.tenant_id = s.tenant_id and x.session_id = s.id and x.id > $3 and x.kind <> $5
                         order by x.id limit $4
                       ) e on true
                       where s.tenant_id = $1 and s.id = $2 and s.dropped_at is null order by e.id"#,
                    tenant.0,
                    branch.0,
                    after,
                    limit,
                    SWITCHED
                );
                rows.fetch_all(&mut *tx).await?
            }
        };
        tx.commit().await?;
        let Some(current) = rows.first().map(|row| row.current) else { return Ok(None) };
        let events = rows.into_iter().filter_map(Row::read).collect::<Result<_, _>>()?;
        Ok(Some(EventPage { events, branch: SessionId(current) }))
    }

    /// The id behind which nothing has happened yet; 0 when nothing ever did.
    pub async fn newest_event(&self, tenant: TenantId, following: Following) -> Result<i64> {
        let mut tx = self.snapshot(tenant).await?;
        let newest = match following {
            Following::Session(session) => {
                sqlx::query_scalar!("select newest_event($1, $2)", tenant.0, session.0)
                    .fetch_optional(&mut *tx)
                    .await?
            }
            Following::Branch(branch) => {
                sqlx::query_scalar!(
                    "select max(id) from events where tenant_id = $1 and session_id = $2",
                    tenant.0,
                    branch.0
                )
                .fetch_optional(&mut *tx)
                .await?
            }
        };
        tx.commit().await?;
        Ok(newest.flatten().unwrap_or_default())
    }
}

/// An event with the branch that new ones may be of; no event where there is none.
struct Row {
    current: Uuid,
    id: Option<i64>,
    kind: Option<String>,
    payload: Option<Value>,
    created_at: Option<DateTime<Utc>>,
    branch: Option<String>,
}

impl Row {
    fn read(self) -> Option<Result<Event>> {
        let (id, kind, payload, created_at) = (self.id?, self.kind?, self.payload?, self.created_at?);
        let branch = match self.branch.map(|name| BranchName::parse(&name)).transpose() {
            Ok(branch) => branch.filter(|branch| !branch.is_main()),
            Err(error) => return Some(Err(StoreError::corrupt("sessions", "branch", self.current, error))),
        };
        Some(Ok(Event { id, branch, kind, payload, created_at }))
    }
}

/// Writes an event in the transaction of what it reports.
async fn record(connection: &mut PgConnection, key: SessionKey, kind: &str, payload: &Value) -> Result<()> {
    write(connection, key, &[(kind, &payload.to_string())]).await
}

/// Writes events in their order with a message for every subscribed webhook, and notifies both channels on commit. One
/// statement, which without a webhook costs few index lookups. The caller holds the session's lock.
pub(super) async fn write(
    connection: &mut PgConnection,
    key: SessionKey,
    events: &[(&str, &str)],
) -> Result<()> {
    write_after(connection, key, events, 0).await
}

/// Writes events with ids above `after`.
///
/// An id is the time, and not a number of a sequence, which would tell each tenant how many events all others have. It is
/// above those of the events before also when the clock was set back: those of the branch, and the session's last switch.
async fn write_after(
    connection: &mut PgConnection,
    key: SessionKey,
    events: &[(&str, &str)],
    after: i64,
) -> Result<()> {
    let (kinds, payloads): (Vec<&str>, Vec<&str>) = events.iter().copied().unzip();
    let messages: Vec<Uuid> = events.iter().map(|_| Uuid::now_v7()).collect();
    sqlx::query!(
        r#"with first as materialized (
             select greatest(
                      (extract(epoch from clock_timestamp()) * 1000000)::bigint,
                      1 + $3::bigint,
                      1 + (select e.id from events e where e.tenant_id = $1 and e.session_id = $2 order by e.id desc limit 1),
                      1 + (select last.id
                           from (select coalesce(s.root_id, s.id) as id from sessions s
                                 where s.tenant_id = $1 and s.id = $2 limit 1) main
                           cross join lateral (
                             select e.id from events e
                             where e.tenant_id = $1 and e.session_id = main.id and e.kind = 'session.branch_switched'
                             order by e.id desc limit 1
                           ) last)) as id
           ),
           made as (
             insert into events (tenant_id, session_id, id, kind, payload)
             select $1, $2, first.id + e.place - 1, e.kind, e.payload::json
             from first cross join unnest($4::text[], $5::text[]) with ordinality as e(kind, payload, place)
             returning id, kind, payload
           ),
           queued as (
             insert into webhook_deliveries (tenant_id, webhook_id, id, session_id, event_id, event, payload)
             select $1, webhook.id, ($6::uuid[])[m.place], $2, m.id, m.kind, m.payload
             from (select x.id, x.kind, x.payload, row_number() over (order by x.id) as place from made x) m
             -- No event waits for the disabling or erasing of a webhook: one whose row is locked is skipped, and its row is only
             -- locked that long after it was disabled.
             cross join lateral (
               select k.id from webhooks k
               where k.tenant_id = $1 and k.disabled_reason is null and (k.events is null or m.kind = any(k.events))
                 -- With as many pending it gets no more, or one that does not answer would grow without end.
                 and not exists (
                   select from webhook_deliveries d
                   where d.tenant_id = $1 and d.webhook_id = k.id and d.status = 'pending'
                   offset greatest(coalesce((select (t.quotas ->> 'waiting_deliveries')::bigint from tenants t where t.id = $1),
                                            $7::bigint) - 1, 0)
                   limit 1
                 )
               for key share skip locked
             ) webhook
             returning 1
           )
           select count(pg_notify($8, $2::text)) + (select count(pg_notify($9, '')) from (select from queued limit 1) one) as told
           from (select from made limit 1) m"#,
        key.tenant.0,
        key.id.0,
        after,
        &kinds as &[&str],
        &payloads as &[&str],
        &messages,
        Bound::WaitingDeliveries.default(),
        channel::EVENTS,
        channel::DELIVERIES
    )
    .fetch_one(connection)
    .await?;
    Ok(())
}

/// The event when a compression has started, which is when its span is fixed: its kind and its data.
pub(super) fn start_of(job: &Job, span: (i64, i64)) -> (&'static str, Value) {
    let payload = json!({
        "compression_id": job.id.to_string(),
        "trigger": job.trigger,
        "from_seq": span.0,
        "through_seq": span.1,
    });
    ("compression.started", payload)
}

/// The events when a compression has ended: its end, and the version that it published.
pub(super) fn ends_of(
    job: &Job,
    (status, version): (Status, Option<i64>),
    report: &Report,
) -> Vec<(&'static str, Value)> {
    let mut events = Vec::with_capacity(2);
    events.extend(end_of(job, (status, version), report));
    if let Some(version) = version.filter(|_| !events.is_empty()) {
        events.push((PUBLISHED, publication(version, Some(job.id))));
    }
    events
}

/// The event when a compression has ended: its kind and its data; `None` for jobs and statuses without an event.
pub(super) fn end_of(
    job: &Job,
    (status, version): (Status, Option<i64>),
    report: &Report,
) -> Option<(&'static str, Value)> {
    if job.kind != Kind::Compress {
        return None;
    }
    let kind = match status {
        Status::Succeeded => "compression.succeeded",
        Status::Failed | Status::Rejected => "compression.failed",
        Status::Skipped | Status::Superseded | Status::Cancelled => "compression.skipped",
        Status::Queued | Status::Running => return None,
    };
    let error = report.error.as_ref();
    let payload = json!({
        "compression_id": job.id.to_string(),
        "status": status.as_ref(),
        "version": version,
        "tokens_before": report.tokens_before,
        "tokens_after": report.tokens_after,
        "reduction": report.reduction.map(four),
        "probe_score": report.probe_score.map(four),
        "facts_score": report.facts_score.map(four),
        "exam_score": report.exam.and_then(|exam| exam.score).map(four),
        "error": error.map(|error| json!({"type": error.kind, "detail": redact(&error.detail)})),
    });
    Some((kind, payload))
}

/// Writes the event that a version is current: of a compression or a rollback.
pub(super) async fn published(
    connection: &mut PgConnection,
    session: SessionKey,
    version: i64,
    compression: Option<CompressionId>,
) -> Result<()> {
    record(connection, session, PUBLISHED, &publication(version, compression)).await
}

/// Writes the event that another branch of a session is current. `session` is the id of main, whose lock the caller holds.
pub(super) async fn switched(
    connection: &mut PgConnection,
    session: SessionKey,
    (from, to): (&str, &str),
) -> Result<()> {
    // Behind the events of both branches, whose followers it follows.
    let last = sqlx::query_scalar!(
        "select max(last.id) from sessions s
         cross join lateral (
           select e.id from events e where e.tenant_id = $1 and e.session_id = s.id order by e.id desc limit 1
         ) last
         where s.tenant_id = $1 and s.root_id = $2 and s.branch = any($3)",
        session.tenant.0,
        session.id.0,
        &[from, to] as &[&str]
    )
    .fetch_one(&mut *connection)
    .await?;
    let payload = json!({"from": from, "to": to}).to_string();
    write_after(connection, session, &[(SWITCHED, &payload)], last.unwrap_or_default()).await
}

fn publication(version: i64, compression: Option<CompressionId>) -> Value {
    json!({"version": version, "compression_id": compression.map(|id| id.to_string())})
}
