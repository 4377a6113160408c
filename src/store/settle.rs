//! How a job ends: one transaction, fenced by the attempt, that publishes when there is something to
//! publish, counts the session afresh, re-evaluates the trigger and enqueues the follow-up, so that
//! messages that came meanwhile are never forgotten. Mostly that is one statement, which proves that the session is as
//! it was read just before; what it finds changed is ended under the session's lock.

mod end;
mod known;
mod rows;
mod state;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sqlx::PgConnection;

use self::end::{End, Fence, Written};
use self::known::Known;
use self::rows::{insert_evaluation, insert_shadow};
use self::state::{Retry, SessionState, lock_session, next_start, start_now};
use super::compressions::{self, Job, Kind, NewJob, Span};
use super::outlines::{Outline, marks, outlines_after};
use super::todos::TodoUpdate;
use super::{Store, StoreError, Tx, events, expect_rows, prepared};
use crate::domain::accounting::{Accounting, Prepared, Usage};
use crate::domain::compression::{Report, Request, Status};
use crate::domain::id::{ProbeId, Seq, SessionId, TenantId};
use crate::domain::parts;
use crate::domain::room::Room;
use crate::domain::settings::{HYSTERESIS_SHARE, Policy};

/// A version to be published.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewVersion {
    /// The number it must get; the publication fails when another version came between.
    pub version: i64,
    /// Its metadata, as JSON.
    pub meta: Box<RawValue>,
    /// Its record: what it has from its base is not written again.
    pub record: parts::Written,
    /// What its ledger hands on, as it is stored.
    pub carry: Box<RawValue>,
    /// The rendering that contexts serve, and its tokens.
    pub rendering: (String, u32),
    /// The smallest rendering, and its tokens.
    pub least: (String, u32),
    /// The digest that contexts serve, and its tokens; `None` when there is none.
    #[serde(default)]
    pub digest: Option<(String, u32)>,
    /// Current task, open errors and next steps once more.
    pub recap: String,
    /// The caller's todo list after the span; written back when it is still the list that was read.
    #[serde(default)]
    pub todos: Option<TodoUpdate>,
    /// Commands and test runs of the span: kind, first seq, ordinal, value.
    pub ledger: Vec<(Cow<'static, str>, Seq, i32, Box<RawValue>)>,
}

/// The probes' verdict on a candidate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewEvaluation {
    /// The scores, as JSON.
    pub scores: serde_json::Value,
    /// The verdicts, probe by probe.
    pub results: Box<RawValue>,
    /// Probes that the span brought.
    pub new_probes: Vec<Box<RawValue>>,
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
        Ok(self.settle_and_index(job, span, settlement, None).await?.0)
    }

    /// Ends a compression; the indexing that follows its version is claimed with it for so many seconds, if it is to be
    /// done by the same worker at once. That one is given too.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn settle_and_index(
        &self,
        job: &Job,
        span: Option<Span>,
        settlement: Settlement,
        index_lease: Option<f64>,
    ) -> Result<(Settled, Option<Box<Job>>), StoreError> {
        if let Some(settled) = self.settle_unlocked(job, span, &settlement, index_lease).await? {
            return Ok(settled);
        }
        self.settle_locked(job, span, settlement).await.map(|settled| (settled, None))
    }

    /// Ends it as a session decides that nobody has locked; what is written proves that the session still is as it was
    /// then. `None`, and nothing has changed, when it is not, or when there is more to it.
    async fn settle_unlocked(
        &self,
        job: &Job,
        span: Option<Span>,
        settlement: &Settlement,
        index_lease: Option<f64>,
    ) -> Result<Option<(Settled, Option<Box<Job>>)>, StoreError> {
        if job.request.shadow || job.request.ahead {
            return Ok(None);
        }
        let hoped = span.filter(|_| settlement.version.is_some());
        let Some(known) = self.find_known(job, hoped).await? else { return Ok(None) };
        let Known { state: mut session, outlines: mut tail, after, proof, tenant_proof } = known;
        let mut report = settlement.report.clone();
        let status = session.judge(job, span, settlement.status, &mut report);
        let publish = settlement.version.as_ref().filter(|_| status == Status::Succeeded);
        let published = span.zip(publish);
        if publish.is_some() && published.is_none() {
            return Ok(None);
        }
        if let Some((span, version)) = published {
            session.publish(span, version)?;
        }
        if session.floor() < after {
            return Ok(None);
        }
        tail.retain(|outline| outline.seq > session.floor());
        let retry = Retry::After(settlement.retry_tokens);
        session.follow((job, span), (status, publish), (retry, &tail), &mut report);
        let end = End {
            job,
            fence: Fence::Attempt,
            proofs: Some((proof, tenant_proof)),
            status,
            report: &report,
            published,
            evaluation: settlement.evaluation.as_ref(),
            session: Some(&session),
            index_lease,
        };
        let mut reading = self.reading(job.tenant).await?;
        let written = end.write(reading.connection()).await?;
        Ok(match reading.end(Ok(written))? {
            Written::Ended(indexing) => Some((Settled::As(status), indexing)),
            Written::Lost => Some((Settled::Lost, None)),
            Written::Changed => None,
        })
    }

    /// Ends it as its session decides under its lock.
    async fn settle_locked(
        &self,
        job: &Job,
        span: Option<Span>,
        settlement: Settlement,
    ) -> Result<Settled, StoreError> {
        let mut tx = self.begin(job.tenant).await?;
        let Some(mut session) = lock_session(&mut tx, job.tenant, job.session).await? else {
            return Ok(Settled::Lost);
        };
        let mut report = settlement.report;
        let status = session.judge(job, span, settlement.status, &mut report);
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
        let published = match &publish {
            Some(version) => {
                let span = span.ok_or(StoreError::RowCount { what: "the span", expected: 1, actual: 0 })?;
                session.publish(span, version)?;
                Some((span, version))
            }
            None => None,
        };
        if !job.request.shadow {
            let tail = outlines_after(&mut tx, job.tenant, job.session, session.floor()).await?;
            let retry = if ahead && status != Status::Superseded {
                Retry::NotAhead
            } else {
                Retry::After(settlement.retry_tokens)
            };
            session.follow((job, span), (status, publish.as_ref()), (retry, &tail), &mut report);
        }
        let end = End {
            job,
            fence: Fence::Attempt,
            proofs: None,
            status,
            report: &report,
            published,
            evaluation: settlement.evaluation.as_ref(),
            session: Some(&session).filter(|_| !job.request.shadow),
            index_lease: None,
        };
        match end.write(&mut tx).await? {
            Written::Ended(_) => {
                tx.commit().await?;
                Ok(Settled::As(status))
            }
            Written::Lost | Written::Changed => Ok(Settled::Lost),
        }
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

/// Masks every large output that may be masked when the context has not met its goal.
pub(super) fn mask_for(counts: &mut Accounting, target: Option<f64>, policy: &Policy, tail: &[Outline]) {
    counts.mask_to(Room::of(policy, target, counts), policy.mask, tail, &marks(tail));
}

pub(super) fn written(job: &Job, report: &Report) -> Result<String, StoreError> {
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
    let counts = serde_json::to_string(&session.counts)
        .map_err(|error| StoreError::corrupt("sessions", "accounting", job.session.0, error))?;
    let done = sqlx::query!(
        "update sessions set accounting = $3::text::json, updated_at = now() where tenant_id = $1 and id = $2",
        job.tenant.0,
        job.session.0,
        counts,
    )
    .execute(&mut *tx)
    .await?;
    expect_rows("the session", 1, done.rows_affected())?;
    tx.commit().await?;
    Ok(Settled::As(Status::Prepared))
}

/// Ends what was made ahead of need under pins or settings that have changed; the next append that finds the
/// session at the warn level has it made anew.
async fn end_stale(mut tx: Tx, job: &Job, report: &Report) -> Result<Settled, StoreError> {
    if !write_end(&mut tx, job, Status::Superseded, None, report).await? {
        return Ok(Settled::Lost);
    }
    events::ended(&mut tx, job, Status::Superseded, report).await?;
    tx.commit().await?;
    Ok(Settled::As(Status::Superseded))
}

/// Publishes what was made ahead of need, for the append whose transaction this is; gives how full the context
/// is then. `None`, and nothing changed, when version, pins or settings are not those that it was made under, or it
/// leaves the context too near the next one: then a new compression does better.
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
    let tail = outlines_after(connection, job.tenant, job.session, session.floor()).await?;
    session.recount(job, Some(span), Some(&version), &tail);
    session.counts.retry_tokens = 0;
    let policy = session.policy();
    let uncounted = session.settings.system_tokens.unwrap_or_default();
    let usage = session.counts.usage(&policy, uncounted);
    // What came since it was made comes on top of what it fills.
    if usage.effective_utilization > policy.compress - HYSTERESIS_SHARE {
        return Ok(None);
    }
    let tokens = |count: u64| Some(u32::try_from(count).unwrap_or(u32::MAX));
    report.context_tokens_before = tokens(before);
    report.context_tokens_after = tokens(usage.context_tokens);
    report.target_met = Some(true);
    let end = End {
        job,
        fence: Fence::Prepared,
        proofs: None,
        status: Status::Succeeded,
        report: &report,
        published: Some((span, &version)),
        evaluation: evaluation.as_ref(),
        session: Some(&session),
        index_lease: None,
    };
    let ended = matches!(end.write(connection).await?, Written::Ended(_));
    expect_rows("the compression that was prepared", 1, u64::from(ended))?;
    Ok(Some(usage))
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
