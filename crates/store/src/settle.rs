//! How a job ends: read the session, decide what follows, and write it in one statement, fenced by the attempt, if the
//! session is unchanged: the version if there is one, the new counts of the session, and the follow-up, so that messages
//! that arrived meanwhile are never forgotten. If the session has changed, it is read and decided again.

mod end;
mod rows;

use std::time::Duration;

use sqlx::PgConnection;

use self::end::{End, Fence, Kept, Written};
use self::rows::{insert_evaluation, insert_shadow};
use super::candidate::{Candidate, text};
pub use super::candidate::{NewEvaluation, NewVersion};
use super::compressions;
use super::error::expect_rows;
use super::job::{Job, Kind, NewJob, report_text};
use super::load::{self, Which};
use super::{Store, StoreError, lock};
use anchord_messages::id::{CompressionId, Seq, SessionId, TenantId};
use anchord_session::compression::{MANUAL, Report, Request, Span, Status};
use anchord_session::session::{Ending, Retry};

/// How often a session that changes meanwhile is read and decided again before its lock is taken first.
const TRIES: u32 = 4;
/// The pause before the second try, and so many times as long before each of the later ones.
const PAUSE: Duration = Duration::from_millis(5);

/// Messages after the anchor that a request looks at to find out whether there is something to cover.
const MOST_LOOKED_AT: Seq = 2_000;

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

/// What a worker asks for.
#[derive(Clone, Copy)]
struct Asked<'a> {
    job: &'a Job,
    span: Option<Span>,
    settlement: &'a Settlement,
    index_lease: Option<f64>,
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
        if job.request.shadow {
            return Ok((self.settle_shadow(job, span, &settlement).await?, None));
        }
        let asked = Asked { job, span, settlement: &settlement, index_lease };
        for tries in 0..TRIES {
            tokio::time::sleep(PAUSE * tries).await;
            let mut reading = self.reading(job.tenant).await?;
            let settled = self.try_to_settle(reading.connection(), asked).await;
            if let Some(settled) = reading.settle(settled)?.flatten() {
                return Ok(settled);
            }
        }
        // Somebody appends all the time.
        let mut tx = self.begin(job.tenant).await?;
        lock::hold(&mut tx, job.tenant, job.session).await?;
        // Its tenant may still change.
        for _ in 0..TRIES {
            if let Some(settled) = self.try_to_settle(&mut tx, asked).await? {
                tx.commit().await?;
                return Ok(settled);
            }
        }
        Err(StoreError::RowCount { what: "the session that is locked", expected: 1, actual: 0 })
    }

    /// Reads, decides and writes once; `None`, and nothing has changed, when the session is not as it was read.
    async fn try_to_settle(
        &self,
        connection: &mut PgConnection,
        asked: Asked<'_>,
    ) -> Result<Option<(Settled, Option<Box<Job>>)>, StoreError> {
        let Asked { job, span, settlement, index_lease } = asked;
        let Some(mut loaded) = load::load(connection, job.tenant, Which::WithId(job.session)).await? else {
            return Ok(Some((Settled::Lost, None)));
        };
        let session = &mut loaded.session;
        let mut report = settlement.report.clone();
        // What was made ahead of need waits, unless somebody asks for it by now.
        let is_ahead = job.request.ahead
            && session.live.is_some_and(|live| live.id == job.id && live.is_ahead)
            && !session.must_start();
        let ending = Ending {
            trigger: &job.trigger,
            request: &job.request,
            span,
            status: settlement.status,
            version: settlement.version.as_ref().map(NewVersion::served),
            retry: Retry::After(settlement.retry_tokens),
        };
        let status = session.judge(ending, &mut report);
        let mut end = End {
            job,
            fence: Fence::Attempt,
            status,
            report: &report.clone(),
            published: None,
            kept: None,
            evaluation: settlement.evaluation.as_ref(),
            session: None,
            next: None,
            index_lease,
        };
        let made = settlement.version.as_ref().filter(|_| status == Status::Succeeded).zip(span);
        let written = match made {
            // Made under pins or settings that have changed; the next append that finds the session at the warn level
            // has it made anew.
            Some(_) if is_ahead && settlement.revision != session.served_revision() => {
                (end.status, end.evaluation, end.session) = (Status::Superseded, None, Some(&loaded));
                end.write(connection).await?
            }
            Some((version, span)) if is_ahead => {
                let revision = session.served_revision();
                session.keep_prepared(span);
                let made =
                    Candidate { span, version, evaluation: settlement.evaluation.as_ref(), report: &report };
                end.kept = Some(Kept { span, revision, candidate: text(job, made)? });
                (end.status, end.evaluation, end.session) = (Status::Prepared, None, Some(&loaded));
                end.write(connection).await?
            }
            made => {
                if made.is_some_and(|(version, _)| version.version != session.last_version + 1) {
                    return Err(StoreError::RowCount { what: "the next version", expected: 1, actual: 0 });
                }
                let retry =
                    if is_ahead && status != Status::Superseded { Retry::NotAhead } else { ending.retry };
                let ending = Ending { retry, ..ending };
                let floor = session.floor_after(status, ending);
                let tail = load::tail(connection, (job.tenant, job.session), floor).await?;
                let ended = session.end(status, ending, &tail, &mut report);
                (end.report, end.next, end.session) = (&report, ended.next, Some(&loaded));
                end.published = made.map(|(version, span)| (span, version));
                end.write(connection).await?
            }
        };
        let status = end.status;
        Ok(match written {
            Written::Ended(indexing) => Some((Settled::As(status), indexing)),
            Written::Lost => Some((Settled::Lost, None)),
            Written::Changed => None,
        })
    }

    /// Ends a shadow run: what it made is kept beside the session, which stays as it is.
    async fn settle_shadow(
        &self,
        job: &Job,
        span: Option<Span>,
        settlement: &Settlement,
    ) -> Result<Settled, StoreError> {
        let mut tx = self.begin(job.tenant).await?;
        // Events are written under the session's lock, so that their ids come in the order of their commits.
        lock::hold(&mut tx, job.tenant, job.session).await?;
        let Some(loaded) = load::load(&mut tx, job.tenant, Which::WithId(job.session)).await? else {
            return Ok(Settled::Lost);
        };
        let mut report = settlement.report.clone();
        let ending = Ending {
            trigger: &job.trigger,
            request: &job.request,
            span,
            status: settlement.status,
            version: None,
            retry: Retry::After(settlement.retry_tokens),
        };
        let status = loaded.session.judge(ending, &mut report);
        if let Some(candidate) = &settlement.version {
            insert_shadow(&mut tx, job, candidate).await?;
        }
        let end = End {
            job,
            fence: Fence::Attempt,
            status,
            report: &report,
            published: None,
            kept: None,
            evaluation: settlement.evaluation.as_ref(),
            session: None,
            next: None,
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
        let report = report_text(job, report)?;
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

async fn write_end(
    connection: &mut PgConnection,
    job: &Job,
    status: Status,
    version: Option<i64>,
    report: &Report,
) -> Result<bool, StoreError> {
    let report = report_text(job, report)?;
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

/// What was made ahead of need: by which job, on what, and how much comes on top of it now.
#[derive(Clone, Copy)]
pub(super) struct Prepared<'a> {
    pub(super) job: &'a Job,
    pub(super) span: Span,
    pub(super) revision: i64,
    pub(super) coming_tokens: u64,
}

/// Publishes what was made ahead of need, in a transaction that holds the session's lock. `false`, and nothing has
/// changed, when it does not hold any more.
pub(super) async fn publish_prepared(
    connection: &mut PgConnection,
    prepared: Prepared<'_>,
    (version, evaluation, mut report): (NewVersion, Option<NewEvaluation>, Report),
) -> Result<bool, StoreError> {
    let Prepared { job, span, revision, coming_tokens } = prepared;
    let loaded = load::load(connection, job.tenant, Which::WithId(job.session)).await?;
    let Some(mut loaded) = loaded else { return Ok(false) };
    let ending = Ending {
        trigger: &job.trigger,
        request: &job.request,
        span: Some(span),
        status: Status::Succeeded,
        version: Some(version.served()),
        retry: Retry::After(0),
    };
    let floor = loaded.session.floor_after(Status::Succeeded, ending);
    let tail = load::tail(connection, (job.tenant, job.session), floor).await?;
    let under = (revision, coming_tokens);
    if !loaded.session.publish_prepared(ending, under, &tail, &mut report) {
        return Ok(false);
    }
    let end = End {
        job,
        fence: Fence::Prepared,
        status: Status::Succeeded,
        report: &report,
        published: Some((span, &version)),
        kept: None,
        evaluation: evaluation.as_ref(),
        session: Some(&loaded),
        next: loaded.session.next_start(),
        index_lease: None,
    };
    let ended = matches!(end.write(connection).await?, Written::Ended(_));
    expect_rows("the compression that was prepared", 1, u64::from(ended))?;
    Ok(true)
}

/// Ends a compression that was enqueued in this very transaction, when it would find nothing to cover; `true` when it
/// has ended. The session's lock is held. Of a tail of more than [`MOST_LOOKED_AT`] messages a worker finds out.
///
/// # Errors
/// When the database fails.
pub async fn answer_if_idle(
    tx: &mut PgConnection,
    (tenant, session): (TenantId, SessionId),
    id: CompressionId,
    request: &Request,
) -> Result<bool, StoreError> {
    if request.shadow {
        return Ok(false);
    }
    let Some(mut loaded) = load::load(tx, tenant, Which::WithId(session)).await? else { return Ok(false) };
    let session = &mut loaded.session;
    if session.head_seq - session.floor() > MOST_LOOKED_AT {
        return Ok(false);
    }
    let tail = load::tail(tx, (tenant, session.id), session.floor()).await?;
    let Some(reason) = session.covers_nothing(MANUAL, request, &tail) else { return Ok(false) };
    let mut report = Report { error: Some(reason.into()), ..Report::default() };
    let ending = Ending {
        trigger: MANUAL,
        request,
        span: None,
        status: Status::Skipped,
        version: None,
        retry: Retry::After(0),
    };
    let ended = session.end(Status::Skipped, ending, &tail, &mut report);
    let job = Job {
        tenant,
        session: session.id,
        id,
        kind: Kind::Compress,
        trigger: MANUAL.to_owned(),
        request: request.clone(),
        attempt: 0,
        crashes: 0,
        span: None,
        queued_ms: 0,
        trace: None,
    };
    let end = End {
        job: &job,
        fence: Fence::Queued,
        status: Status::Skipped,
        report: &report,
        published: None,
        kept: None,
        evaluation: None,
        session: Some(&loaded),
        next: ended.next,
        index_lease: None,
    };
    // Its tenant may have changed meanwhile; a worker then finds out.
    Ok(matches!(end.write(tx).await?, Written::Ended(_)))
}

/// Looks at a session again after a version came that no compression has made, in a transaction that holds its lock: it
/// is indexed, and a larger summary may call for a compression.
pub(super) async fn reconsider(
    connection: &mut PgConnection,
    (tenant, id): (TenantId, SessionId),
) -> Result<(), StoreError> {
    let Some(loaded) = load::load(connection, tenant, Which::WithId(id)).await? else { return Ok(()) };
    let request = Request::default();
    let index = NewJob { kind: Kind::Index, trigger: "recall", request: &request };
    compressions::enqueue(connection, tenant, id, index).await?;
    if let Some(start) = loaded.session.next_start() {
        let request = start.request();
        let next = NewJob { kind: Kind::Compress, trigger: start.kind.as_str(), request: &request };
        compressions::enqueue(connection, tenant, id, next).await?;
    }
    Ok(())
}
