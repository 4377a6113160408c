//! The end of a job, written in one transaction: the version if there is one, the new counts of the session, and the
//! jobs that follow.
//!
//! What lives here: reading the session and deciding; `end` writes the decision.
//! Invariant: the write is fenced by the attempt, and changes nothing when the session has changed since it was
//! read; then it is read and decided again. So messages that arrive meanwhile always get their follow-up.

pub(crate) mod end;

use std::time::Duration;

use self::end::{End, Fence, WriteOutcome};
pub use super::candidate::{NewEvaluation, NewVersion};
use super::job::{Job, Kind, NewJob, report_text};
use super::load::{self, Which};
use super::{compressions, lock};
use crate::prelude::*;
use anchord_messages::id::EvaluationId;
use anchord_session::compression::{MANUAL, Report, Request, Span, Status};
use anchord_session::session::Ending;

/// How many tries are made without the session's lock; after them the lock is taken first.
const TRIES: u32 = 4;
/// The pause before the second try; it grows by this much before each later try.
const PAUSE: Duration = Duration::from_millis(5);

/// The most messages after the anchor that a request checks for something to cover; with more, a worker checks.
const MAX_TAIL_MESSAGES: Seq = 2_000;

/// How a worker ends a compression.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The final status; `Succeeded` publishes `version`.
    pub status: Status,
    /// The report that callers read.
    pub report: Report,
    /// The version to publish.
    pub version: Option<NewVersion>,
    /// The result of the probes, also for a rejected candidate.
    pub evaluation: Option<NewEvaluation>,
}

/// The arguments of a settlement.
#[derive(Clone, Copy)]
struct SettleArgs<'a> {
    job: &'a Job,
    span: Option<Span>,
    settlement: &'a Settlement,
    index_lease: Option<f64>,
}

/// The outcome of a settlement, with the indexing that was claimed.
type Settled = (SettleOutcome, Option<Box<Job>>);

/// The outcome of a settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettleOutcome {
    /// The job has this status now; it is `Superseded` when another version was published in between.
    As(Status),
    /// The lease was lost, or the session is gone: nothing has changed.
    Lost,
}

impl Store {
    /// Ends a compression; returns its final status. With `index_lease` (in seconds), the indexing that follows a published
    /// version is claimed in the same commit, for the same worker, and returned.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn settle_and_index(
        &self,
        job: &Job,
        span: Option<Span>,
        settlement: &Settlement,
        index_lease: Option<f64>,
    ) -> Result<Settled> {
        let asked = SettleArgs { job, span, settlement, index_lease };
        for tries in 0..TRIES {
            tokio::time::sleep(PAUSE * tries).await;
            let mut tx = self.begin(job.tenant).await?;
            if let Some(settled) = self.try_to_settle(&mut tx, asked).await? {
                return finish(tx, settled).await;
            }
        }
        // The session keeps changing, so lock it before the next try.
        let mut tx = self.begin(job.tenant).await?;
        lock::hold(&mut tx, job.tenant, job.session).await?;
        // The tenant's settings are not locked and may still change.
        for _ in 0..TRIES {
            if let Some(settled) = self.try_to_settle(&mut tx, asked).await? {
                return finish(tx, settled).await;
            }
        }
        Err(StoreError::RowCount { what: "the session that is locked", expected: 1, actual: 0 })
    }

    /// Reads, decides and writes once. Returns `None`, with nothing changed, when the session has changed since it
    /// was read.
    async fn try_to_settle(
        &self,
        connection: &mut PgConnection,
        asked: SettleArgs<'_>,
    ) -> Result<Option<Settled>> {
        let SettleArgs { job, span, settlement, index_lease } = asked;
        let Some(mut loaded) = load::load(connection, job.tenant, Which::WithId(job.session)).await? else {
            return Ok(Some((SettleOutcome::Lost, None)));
        };
        let session = &mut loaded.session;
        let mut report = settlement.report.clone();
        let ending = Ending {
            trigger: &job.trigger,
            request: &job.request,
            span,
            status: settlement.status,
            version: settlement.version.as_ref().map(NewVersion::served),
        };
        let status = session.final_status(ending, &mut report);
        let published = settlement.version.as_ref().filter(|_| status == Status::Succeeded).zip(span);
        if published.is_some_and(|(version, _)| version.version != session.last_version + 1) {
            return Err(StoreError::RowCount { what: "the next version", expected: 1, actual: 0 });
        }
        let floor = session.floor_after(status, ending);
        let tail = load::tail(connection, job.session.of(job.tenant), floor).await?;
        let next = session.end(status, ending, &tail, &mut report);
        let end = End {
            job,
            fence: Fence::Attempt,
            status,
            report: &report,
            published: published.map(|(version, span)| (span, version)),
            evaluation: settlement.evaluation.as_ref(),
            session: &loaded,
            next,
            index_lease,
        };
        Ok(match end.write(connection).await? {
            WriteOutcome::Ended(indexing) => Some((SettleOutcome::As(status), indexing)),
            WriteOutcome::Lost => Some((SettleOutcome::Lost, None)),
            WriteOutcome::Changed => None,
        })
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
    ) -> Result<SettleOutcome> {
        let mut tx = self.begin(job.tenant).await?;
        let status = match &evaluation {
            Ok(evaluation) => {
                insert_evaluation(&mut tx, job, version, evaluation).await?;
                Status::Succeeded
            }
            Err(status) => *status,
        };
        if !write_end(&mut tx, job, status, version, report).await? {
            return Ok(SettleOutcome::Lost);
        }
        tx.commit().await?;
        Ok(SettleOutcome::As(status))
    }

    /// Ends an indexing job. When `more` messages are left, queues the next job in the same transaction.
    ///
    /// # Errors
    /// When the database fails; nothing has changed then.
    pub async fn settle_index(&self, job: &Job, status: Status, more: bool) -> Result<SettleOutcome> {
        let mut tx = self.begin(job.tenant).await?;
        if !write_end(&mut tx, job, status, None, &Report::default()).await? {
            return Ok(SettleOutcome::Lost);
        }
        if more {
            let request = Request::default();
            let next = NewJob { kind: Kind::Index, trigger: "follow_up", request: &request };
            compressions::enqueue(&mut tx, job.session.of(job.tenant), next).await?;
        }
        tx.commit().await?;
        Ok(SettleOutcome::As(status))
    }
}

/// Commits a settlement; one that lost its lease leaves nothing.
async fn finish(tx: Tx, settled: Settled) -> Result<Settled> {
    match settled.0 {
        SettleOutcome::As(_) => tx.commit().await?,
        SettleOutcome::Lost => tx.rollback().await?,
    }
    Ok(settled)
}

/// Ends a running job that writes nothing else, under the fence of its attempt; `false` when the lease is lost.
pub(super) async fn write_end(
    connection: &mut PgConnection,
    job: &Job,
    status: Status,
    version: Option<i64>,
    report: &Report,
) -> Result<bool> {
    let report = report_text(job, report)?;
    let done = sqlx::query!(
        "update compressions set status = $4, version = $5, report = $6::text::json, finished_at = now(), lease_until = null
         where tenant_id = $1 and id = $2 and attempt = $3 and status = 'running'",
        job.tenant.0,
        job.id.0,
        job.attempt,
        status.as_ref(),
        version,
        report,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Writes an evaluation without a new version. A rejected candidate stores no probes, because its span is read again.
async fn insert_evaluation(
    connection: &mut PgConnection,
    job: &Job,
    version: Option<i64>,
    evaluation: &NewEvaluation,
) -> Result<()> {
    sqlx::query!(
        "insert into evaluations (tenant_id, session_id, id, version, compression_id, scores, results)
         values ($1, $2, $3, $4, $5, $6::text::json, $7::text::json)",
        job.tenant.0,
        job.session.0,
        EvaluationId(Uuid::now_v7()).0,
        version,
        job.id.0,
        evaluation.scores.to_string(),
        evaluation.results.get(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Ends a compression that this transaction has enqueued, when it has nothing to cover; returns whether it did. The
/// caller holds the session's lock. When more than [`MAX_TAIL_MESSAGES`] messages follow the anchor, a worker checks
/// instead.
pub async fn skip_if_idle(
    tx: &mut PgConnection,
    key: SessionKey,
    id: CompressionId,
    request: &Request,
) -> Result<bool> {
    let Some(mut loaded) = load::load(tx, key.tenant, Which::WithId(key.id)).await? else { return Ok(false) };
    let session = &mut loaded.session;
    if session.head_seq - session.floor() > MAX_TAIL_MESSAGES {
        return Ok(false);
    }
    let tail = load::tail(tx, key, session.floor()).await?;
    let Some(reason) = session.covers_nothing(MANUAL, request, &tail) else { return Ok(false) };
    let mut report = Report { error: Some(reason.into()), ..Report::default() };
    let ending = Ending { trigger: MANUAL, request, span: None, status: Status::Skipped, version: None };
    let next = session.end(Status::Skipped, ending, &tail, &mut report);
    let job = Job { request: request.clone(), ..Job::new(key, id, Kind::Compress, MANUAL) };
    let end = End {
        job: &job,
        fence: Fence::Queued,
        status: Status::Skipped,
        report: &report,
        published: None,
        evaluation: None,
        session: &loaded,
        next,
        index_lease: None,
    };
    // The tenant's settings may have changed since; then a worker checks instead.
    Ok(matches!(end.write(tx).await?, WriteOutcome::Ended(_)))
}
