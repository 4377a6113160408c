//! How a job ends: one transaction, fenced by the attempt, that publishes when there is something to
//! publish, counts the session afresh, re-evaluates the trigger and enqueues the follow-up, so that
//! messages that came meanwhile are never forgotten.

pub mod idle;
mod rows;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sqlx::PgConnection;

use self::rows::{insert_evaluation, insert_shadow, insert_version};
use super::base::settings_over;
use super::compressions::{self, Job, Kind, NewJob, Span};
use super::outlines::{Outline, marks, outlines_after};
use super::todos::TodoUpdate;
use super::{Store, StoreError, Tx, events, expect_rows, pins, prepared};
use crate::domain::accounting::{Accounting, Counted, Prepared, Usage};
use crate::domain::compression::{Failure, Report, Request, Status};
use crate::domain::id::{ProbeId, Seq, SessionId, TenantId};
use crate::domain::settings::{Policy, Settings};
use crate::domain::trigger::{Recent, SignalKind, Situation, Start, decide};

/// A version to be published.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewVersion {
    /// The number it must get; the publication fails when another version came between.
    pub version: i64,
    /// Its metadata, as JSON.
    pub meta: serde_json::Value,
    /// Its record, as it is stored: a record grows with its session, so it is written once.
    pub document: Box<RawValue>,
    /// What its ledger hands on, as it is stored.
    pub carry: Box<RawValue>,
    /// The rendering that contexts serve, and its tokens.
    pub rendering: (String, u32),
    /// The smallest rendering, and its tokens.
    pub least: (String, u32),
    /// Current task, open errors and next steps once more.
    pub recap: String,
    /// The caller's todo list after the span; written back when it is still the list that was read.
    #[serde(default)]
    pub todos: Option<TodoUpdate>,
    /// Commands and test runs of the span: kind, first seq, ordinal, value.
    pub ledger: Vec<(Cow<'static, str>, Seq, i32, serde_json::Value)>,
}

/// The probes' verdict on a candidate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewEvaluation {
    /// The scores, as JSON.
    pub scores: serde_json::Value,
    /// The verdicts, probe by probe.
    pub results: serde_json::Value,
    /// Probes that the span brought.
    pub new_probes: Vec<serde_json::Value>,
    /// Earlier probes that a merge rule retired.
    pub retired: Vec<ProbeId>,
}

/// How a compression ends.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// How it ends; `Succeeded` publishes `version`.
    pub status: Status,
    /// What came of it.
    pub report: Report,
    /// The version to publish.
    pub version: Option<NewVersion>,
    /// The probes' verdict, also on a candidate that was refused.
    pub evaluation: Option<NewEvaluation>,
    /// Tokens that the span must hold before it is tried again; for candidates that were not smaller.
    pub retry_tokens: u64,
    /// The context's revision that it was made under: pins and settings.
    pub revision: i64,
}

/// A version with all that is stored beside it.
pub(super) struct Candidate {
    pub(super) span: Span,
    pub(super) version: NewVersion,
    pub(super) evaluation: Option<NewEvaluation>,
    pub(super) report: Report,
}

/// What settling came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It ended as asked, or as superseded when another version came between.
    As(Status),
    /// The lease was lost, or the session is gone: nothing changed.
    Lost,
}

/// What of a session decides how its job ends.
#[derive(Clone, Debug)]
struct SessionState {
    settings: Settings,
    counts: Accounting,
    recent: Recent,
    head: Seq,
    anchor: Seq,
    version: Option<i64>,
    last_version: i64,
    revision: i64,
}

impl Store {
    /// Ends a compression.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn settle(
        &self,
        job: &Job,
        span: Option<Span>,
        settlement: Settlement,
    ) -> Result<Settled, StoreError> {
        let mut tx = self.begin(job.tenant).await?;
        let Some(mut session) = lock_session(&mut tx, job.tenant, job.session).await? else {
            return Ok(Settled::Lost);
        };
        let mut status = settlement.status;
        let mut report = settlement.report;
        let moved = span.is_some_and(|span| span.parent_version != session.version);
        if status == Status::Succeeded && moved && !job.request.shadow {
            status = Status::Superseded;
        }
        // The session may have become critical while the work was done.
        if status == Status::Succeeded && report.strategy_used.is_some_and(|s| session.settings.refuses(s)) {
            status = Status::Rejected;
            report.error = Some(Failure {
                kind: "critical-session".to_owned(),
                detail: "the session is critical and refuses what cannot be verified".to_owned(),
            });
        }
        if let Some(candidate) = settlement.version.as_ref().filter(|_| job.request.shadow) {
            insert_shadow(&mut tx, job, candidate).await?;
        }
        let publish = settlement.version.filter(|_| status == Status::Succeeded && !job.request.shadow);
        // What was made ahead of need waits, unless an append asks for it by now.
        let ahead = prepared::is_ahead(&mut tx, job).await? && start_now(&session).is_none();
        let publish = match (publish, span) {
            (Some(_), Some(_)) if ahead && settlement.revision != session.revision => {
                return end_stale(tx, job, &report).await;
            }
            (Some(version), Some(span)) if ahead => {
                let made = Candidate { span, version, evaluation: settlement.evaluation, report };
                return keep(tx, job, session, made).await;
            }
            (publish, _) => publish,
        };
        if let Some(version) = &publish {
            let span = span.ok_or(StoreError::RowCount { what: "the span", expected: 1, actual: 0 })?;
            insert_version(&mut tx, job, span, version, settlement.evaluation.as_ref()).await?;
            session.publish(span, version)?;
        } else if let Some(evaluation) = &settlement.evaluation {
            insert_evaluation(&mut tx, job, None, evaluation).await?;
        }
        let made = publish.as_ref().map(|version| version.version);
        if !job.request.shadow {
            count_afresh(&mut tx, job, &mut session, span, publish.as_ref()).await?;
            if ahead && status != Status::Superseded {
                // It is not tried ahead again; at the compress level it is tried as it would have been.
                let through = span.map_or(session.anchor, |span| span.through_seq);
                session.counts.prepared = Some(Prepared { through, revision: session.revision });
            } else {
                session.counts.retry_tokens = settlement.retry_tokens;
            }
            report.context_tokens_after =
                Some(u32::try_from(session.counts.context_tokens()).unwrap_or(u32::MAX));
            if status == Status::Succeeded {
                let policy = session.settings.policy().calibrated(session.counts.calibration);
                let target = job.request.target.unwrap_or(policy.target);
                let used = session.counts.usage(&policy, 0).effective_utilization;
                report.target_met = Some(used <= target);
            }
        }
        if !write_end(&mut tx, job, status, made, &report).await? {
            return Ok(Settled::Lost);
        }
        events::ended(&mut tx, job, (status, made), &report).await?;
        if !job.request.shadow {
            store_session(&mut tx, job, &session, publish.as_ref()).await?;
            if publish.is_some() {
                prepared::supersede(&mut tx, job.tenant, job.session).await?;
                enqueue_index(&mut tx, job.tenant, job.session).await?;
            }
            start_next(&mut tx, job.tenant, job.session, &session).await?;
        }
        tx.commit().await?;
        Ok(Settled::As(status))
    }

    /// Ends an evaluation that a caller asked for.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn settle_evaluation(
        &self,
        job: &Job,
        version: Option<i64>,
        report: &Report,
        evaluation: Result<NewEvaluation, Status>,
    ) -> Result<Settled, StoreError> {
        let mut tx = self.begin(job.tenant).await?;
        let status = match &evaluation {
            Ok(evaluation) => {
                insert_evaluation(&mut tx, job, version, evaluation).await?;
                Status::Succeeded
            }
            Err(status) => *status,
        };
        if !write_end(&mut tx, job, status, version, report).await? {
            return Ok(Settled::Lost);
        }
        tx.commit().await?;
        Ok(Settled::As(status))
    }

    /// Ends an indexing job; more work is enqueued by the next append that finds it due.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn settle_index(&self, job: &Job, status: Status, more: bool) -> Result<Settled, StoreError> {
        let report = Report::default();
        if !more {
            return self.end_job(job, status, &report).await;
        }
        let mut tx = self.begin(job.tenant).await?;
        if !write_end(&mut tx, job, status, None, &report).await? {
            return Ok(Settled::Lost);
        }
        let request = Request::default();
        let next = NewJob { kind: Kind::Index, trigger: "follow_up", request: &request };
        compressions::enqueue(&mut tx, job.tenant, job.session, next).await?;
        tx.commit().await?;
        Ok(Settled::As(status))
    }

    /// Ends a job that has nothing else to write, in one statement that commits by itself.
    async fn end_job(&self, job: &Job, status: Status, report: &Report) -> Result<Settled, StoreError> {
        let report = written(job, report)?;
        let is_ended = sqlx::query_scalar!(
            r#"select end_job($1, $2, $3, $4, $5) as "is_ended!""#,
            job.tenant.0,
            job.id.0,
            job.attempt,
            status.as_str(),
            report,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(if is_ended { Settled::As(status) } else { Settled::Lost })
    }
}

async fn lock_session(
    connection: &mut PgConnection,
    tenant: TenantId,
    id: SessionId,
) -> Result<Option<SessionState>, StoreError> {
    let Some(row) = sqlx::query!(
        "select s.settings, t.settings as defaults, s.accounting, s.recent, s.head_seq, s.anchor_seq, s.version,
                s.last_version, s.context_revision
         from sessions s join tenants t on t.id = s.tenant_id
         where s.tenant_id = $1 and s.id = $2 for update of s",
        tenant.0,
        id.0,
    )
    .fetch_optional(&mut *connection)
    .await?
    else {
        return Ok(None);
    };
    let corrupt = |column, reason: String| StoreError::corrupt("sessions", column, id.0, reason);
    let settings = settings_over(id, row.settings, row.defaults)?;
    let mut counts =
        serde_json::from_value(row.accounting).map_err(|e| corrupt("accounting", e.to_string()))?;
    pins::recount(connection, (tenant, id), &settings, &mut counts).await?;
    let revision = row.context_revision + settings.wide_revision();
    Ok(Some(SessionState {
        settings,
        counts,
        recent: Recent::read(row.recent.as_deref()).map_err(|e| corrupt("recent", e.to_string()))?,
        head: row.head_seq,
        anchor: row.anchor_seq,
        version: row.version,
        last_version: row.last_version,
        revision,
    }))
}

/// Counts the session afresh from what lies after its anchor.
async fn count_afresh(
    connection: &mut PgConnection,
    job: &Job,
    session: &mut SessionState,
    span: Option<Span>,
    publish: Option<&NewVersion>,
) -> Result<(), StoreError> {
    let tail = outlines_after(connection, job.tenant, job.session, session.floor()).await?;
    session.recount(job, span, publish, &tail);
    Ok(())
}

/// Masks every large output that may be masked when the context is still above the target.
pub(super) fn mask_for(counts: &mut Accounting, target: Option<f64>, policy: &Policy, tail: &[Outline]) {
    counts.mask_to(target.unwrap_or(policy.target), policy, tail, &marks(tail));
}

fn written(job: &Job, report: &Report) -> Result<String, StoreError> {
    serde_json::to_string(report).map_err(|e| StoreError::corrupt("compressions", "report", job.id, e))
}

async fn write_end(
    connection: &mut PgConnection,
    job: &Job,
    status: Status,
    version: Option<i64>,
    report: &Report,
) -> Result<bool, StoreError> {
    let report = written(job, report)?;
    let done = sqlx::query!(
        "update compressions set status = $4, version = $5, report = $6::text::json, finished_at = now(), lease_until = null
         where tenant_id = $1 and id = $2 and attempt = $3 and status = 'running'",
        job.tenant.0,
        job.id.0,
        job.attempt,
        status.as_str(),
        version,
        report,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn store_session(
    connection: &mut PgConnection,
    job: &Job,
    session: &SessionState,
    publish: Option<&NewVersion>,
) -> Result<(), StoreError> {
    let corrupt = |column, error| StoreError::corrupt("sessions", column, job.session.0, error);
    let counts = serde_json::to_string(&session.counts).map_err(|e| corrupt("accounting", e))?;
    // A publication alone changes what is kept of the history.
    let recent = publish.map(|_| session.recent.write()).transpose().map_err(|e| corrupt("recent", e))?;
    let done = sqlx::query!(
        "update sessions set accounting = $3::text::json, version = $4, last_version = $5, anchor_seq = $6,
                compression_count = compression_count + $7, recent = coalesce($8, recent), updated_at = now()
         where tenant_id = $1 and id = $2",
        job.tenant.0,
        job.session.0,
        counts,
        session.version,
        session.last_version,
        session.anchor,
        i32::from(publish.is_some()),
        recent,
    )
    .execute(connection)
    .await?;
    expect_rows("the session", 1, done.rows_affected())
}

/// What the messages that are there start, when a job ends.
fn next_start(session: &SessionState) -> Option<Start> {
    let situation = Situation {
        counts: &session.counts,
        recent: &session.recent,
        head: session.head,
        anchor: session.anchor,
        first: session.head + 1,
        boundary: None,
        versions: session.last_version,
        // Growth starts no work, so the time of the newest message will do.
        now: session.recent.newest(),
    };
    decide(&session.settings.policy().calibrated(session.counts.calibration), &situation).1
}

/// What must start at once, and not ahead of need.
fn start_now(session: &SessionState) -> Option<Start> {
    next_start(session).filter(|start| !start.is_ahead)
}

async fn enqueue_index(
    connection: &mut PgConnection,
    tenant: TenantId,
    session: SessionId,
) -> Result<(), StoreError> {
    let request = Request::default();
    let index = NewJob { kind: Kind::Index, trigger: "recall", request: &request };
    compressions::enqueue(connection, tenant, session, index).await?;
    Ok(())
}

/// Keeps what was made ahead of need; nothing that a caller is served changes.
async fn keep(
    mut tx: Tx,
    job: &Job,
    mut session: SessionState,
    made: Candidate,
) -> Result<Settled, StoreError> {
    let under = Prepared { through: made.span.through_seq, revision: session.revision };
    if !prepared::keep(&mut tx, job, made, under.revision).await? {
        return Ok(Settled::Lost);
    }
    session.counts.prepared = Some(under);
    store_session(&mut tx, job, &session, None).await?;
    tx.commit().await?;
    Ok(Settled::As(Status::Prepared))
}

/// Ends what was made ahead of need under pins or settings that have changed; the next append that finds the
/// session at the warn level has it made anew.
async fn end_stale(mut tx: Tx, job: &Job, report: &Report) -> Result<Settled, StoreError> {
    if !write_end(&mut tx, job, Status::Superseded, None, report).await? {
        return Ok(Settled::Lost);
    }
    events::ended(&mut tx, job, (Status::Superseded, None), report).await?;
    tx.commit().await?;
    Ok(Settled::As(Status::Superseded))
}

/// Publishes what was made ahead of need, for the append whose transaction this is; gives how full the context
/// is then. `None`, and nothing changed, when version, pins or settings are not those that it was made under, or it
/// leaves the context above the target: then a new compression does better.
pub(super) async fn publish_prepared(
    connection: &mut PgConnection,
    job: &Job,
    made: Candidate,
    revision: i64,
) -> Result<Option<Usage>, StoreError> {
    let Candidate { span, version, evaluation, mut report } = made;
    let Some(mut session) = lock_session(connection, job.tenant, job.session).await? else { return Ok(None) };
    let holds = revision == session.revision
        && span.parent_version == session.version
        && version.version == session.last_version + 1
        && !report.strategy_used.is_some_and(|strategy| session.settings.refuses(strategy));
    if !holds {
        return Ok(None);
    }
    let before = session.counts.context_tokens();
    session.publish(span, &version)?;
    count_afresh(connection, job, &mut session, Some(span), Some(&version)).await?;
    session.counts.retry_tokens = 0;
    let policy = session.settings.policy().calibrated(session.counts.calibration);
    let uncounted = session.settings.system_tokens.unwrap_or_default();
    let usage = session.counts.usage(&policy, uncounted);
    if usage.effective_utilization > policy.target {
        return Ok(None);
    }
    let tokens = |count: u64| Some(u32::try_from(count).unwrap_or(u32::MAX));
    report.context_tokens_before = tokens(before);
    report.context_tokens_after = tokens(usage.context_tokens);
    report.target_met = Some(true);
    let text = serde_json::to_string(&report)
        .map_err(|error| StoreError::corrupt("compressions", "report", job.id, error))?;
    insert_version(connection, job, span, &version, evaluation.as_ref()).await?;
    let done = sqlx::query!(
        "update compressions set status = 'succeeded', version = $3, report = $4::text::json, finished_at = now()
         where tenant_id = $1 and id = $2 and status = 'prepared'",
        job.tenant.0,
        job.id.0,
        version.version,
        text,
    )
    .execute(&mut *connection)
    .await?;
    expect_rows("the compression that was prepared", 1, done.rows_affected())?;
    events::ended(connection, job, (Status::Succeeded, Some(version.version)), &report).await?;
    prepared::discard(connection, job.tenant, job.id).await?;
    store_session(connection, job, &session, Some(&version)).await?;
    enqueue_index(connection, job.tenant, job.session).await?;
    start_next(connection, job.tenant, job.session, &session).await?;
    Ok(Some(usage))
}

impl SessionState {
    /// The last message before those that are counted one by one.
    fn floor(&self) -> Seq {
        self.anchor.max(self.counts.system_through)
    }

    /// Counts it afresh from what lies after its floor, and masks more when the target is still out of reach.
    fn recount(&mut self, job: &Job, span: Option<Span>, publish: Option<&NewVersion>, tail: &[Outline]) {
        let policy = self.settings.policy().calibrated(self.counts.calibration);
        if let Some(version) = publish {
            self.counts.summary_tokens = version.rendering.1;
        }
        let counted: Vec<Counted> = tail.iter().map(Outline::counted).collect();
        let mut counts = self.counts.rebuilt(self.anchor, &counted, policy.preserve_recent);
        counts.settled_head = self.head;
        counts.settled_tokens = counts.appended_tokens;
        counts.attempted_through = match span {
            Some(span) => span.through_seq,
            // Nothing could be covered: the same messages are not looked at again before there are more.
            None => counts.attempted_through.max(counts.span_end(self.head, policy.preserve_recent)),
        };
        if publish.is_some() {
            self.recent = self.recent.after_publication();
            counts.prepared = None;
        }
        if job.trigger == "manual" {
            counts.suspended = false;
        }
        mask_for(&mut counts, job.request.target, &policy, tail);
        if publish.is_some() {
            let by_window = job.trigger == SignalKind::Utilization.as_str();
            counts.publish(&policy, job.request.target.unwrap_or(policy.target), by_window);
        }
        self.counts = counts;
    }

    /// Stands on a new version.
    fn publish(&mut self, span: Span, version: &NewVersion) -> Result<(), StoreError> {
        if version.version != self.last_version + 1 {
            return Err(StoreError::RowCount { what: "the next version", expected: 1, actual: 0 });
        }
        self.version = Some(version.version);
        self.last_version = version.version;
        self.anchor = span.through_seq;
        Ok(())
    }
}

/// Enqueues the next compression when the messages that came meanwhile already call for it.
async fn start_next(
    connection: &mut PgConnection,
    tenant: TenantId,
    id: SessionId,
    session: &SessionState,
) -> Result<(), StoreError> {
    if let Some(start) = next_start(session) {
        let request = start.request();
        let next = NewJob { kind: Kind::Compress, trigger: start.kind.as_str(), request: &request };
        compressions::enqueue(connection, tenant, id, next).await?;
    }
    Ok(())
}

/// Looks at a session again after a version came that no compression has made: it is indexed, and a larger
/// summary may call for a compression.
pub(super) async fn reconsider(
    connection: &mut PgConnection,
    tenant: TenantId,
    id: SessionId,
) -> Result<(), StoreError> {
    let Some(session) = lock_session(connection, tenant, id).await? else { return Ok(()) };
    enqueue_index(connection, tenant, id).await?;
    start_next(connection, tenant, id, &session).await
}
