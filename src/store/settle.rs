//! How a job ends: one transaction, fenced by the attempt, that publishes when there is something to
//! publish, counts the session afresh, re-evaluates the trigger and enqueues the follow-up, so that
//! messages that came meanwhile are never forgotten.

use sqlx::PgConnection;
use uuid::Uuid;

use super::base::settings_over;
use super::compressions::{self, Job, Kind, NewJob, Span};
use super::outlines::{Outline, marks, outlines_after};
use super::{Store, StoreError, expect_rows, pins};
use crate::domain::accounting::{Accounting, Counted};
use crate::domain::compression::{Failure, Report, Request, Status};
use crate::domain::id::{EvaluationId, ProbeId, Seq};
use crate::domain::settings::{Policy, Settings};
use crate::domain::trigger::{SignalKind, Situation, decide};

/// A version to be published.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// The number it must get; the publication fails when another version came between.
    pub version: i64,
    /// Its metadata and record, as JSON.
    pub meta: serde_json::Value,
    /// Its record.
    pub document: serde_json::Value,
    /// What its ledger hands on.
    pub carry: serde_json::Value,
    /// The rendering that contexts serve, and its tokens.
    pub rendering: (String, u32),
    /// The smallest rendering, and its tokens.
    pub least: (String, u32),
    /// Current task, open errors and next steps once more.
    pub recap: String,
    /// Commands and test runs of the span: kind, first seq, ordinal, value.
    pub ledger: Vec<(&'static str, Seq, i32, serde_json::Value)>,
}

/// The probes' verdict on a candidate.
#[derive(Clone, Debug)]
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
}

/// What settling came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It ended as asked, or as superseded when another version came between.
    As(Status),
    /// The lease was lost, or the session is gone: nothing changed.
    Lost,
}

struct LockedSession {
    settings: Settings,
    counts: Accounting,
    head: Seq,
    anchor: Seq,
    version: Option<i64>,
    last_version: i64,
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
        let Some(mut session) = lock_session(&mut tx, job).await? else {
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
        if let Some(version) = &publish {
            if version.version != session.last_version + 1 {
                return Err(StoreError::RowCount { what: "the next version", expected: 1, actual: 0 });
            }
            let span = span.ok_or(StoreError::RowCount { what: "the span", expected: 1, actual: 0 })?;
            insert_version(&mut tx, job, span, version).await?;
            session.version = Some(version.version);
            session.last_version = version.version;
            session.anchor = span.through_seq;
        }
        let made = publish.as_ref().map(|version| version.version);
        if let Some(evaluation) = &settlement.evaluation {
            insert_evaluation(&mut tx, job, made, evaluation).await?;
        }
        if !job.request.shadow {
            count_afresh(&mut tx, job, &mut session, span, publish.as_ref()).await?;
            session.counts.retry_tokens = settlement.retry_tokens;
            report.context_tokens_after =
                Some(u32::try_from(session.counts.context_tokens()).unwrap_or(u32::MAX));
            if status == Status::Succeeded {
                let policy = session.settings.policy();
                let target = job.request.target.unwrap_or(policy.target);
                let used = session.counts.usage(&policy, 0).effective_utilization;
                report.target_met = Some(used <= target);
            }
        }
        if !write_end(&mut tx, job, status, made, &report).await? {
            return Ok(Settled::Lost);
        }
        if !job.request.shadow {
            store_session(&mut tx, job, &session, publish.as_ref()).await?;
            if publish.is_some() {
                let request = Request::default();
                let index = NewJob { kind: Kind::Index, trigger: "recall", request: &request };
                compressions::enqueue(&mut tx, job.tenant, job.session, index).await?;
            }
            follow_up(&mut tx, job, &session).await?;
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
        let mut tx = self.begin(job.tenant).await?;
        let report = Report::default();
        if !write_end(&mut tx, job, status, None, &report).await? {
            return Ok(Settled::Lost);
        }
        if more {
            let request = Request::default();
            let next = NewJob { kind: Kind::Index, trigger: "follow_up", request: &request };
            compressions::enqueue(&mut tx, job.tenant, job.session, next).await?;
        }
        tx.commit().await?;
        Ok(Settled::As(status))
    }
}

async fn lock_session(connection: &mut PgConnection, job: &Job) -> Result<Option<LockedSession>, StoreError> {
    let Some(row) = sqlx::query!(
        "select s.settings, t.settings as defaults, s.accounting, s.head_seq, s.anchor_seq, s.version, s.last_version
         from sessions s join tenants t on t.id = s.tenant_id
         where s.tenant_id = $1 and s.id = $2 for update of s",
        job.tenant.0,
        job.session.0,
    )
    .fetch_optional(&mut *connection)
    .await?
    else {
        return Ok(None);
    };
    let corrupt = |column, reason: String| StoreError::corrupt("sessions", column, job.session.0, reason);
    let settings = settings_over(job.session, row.settings, row.defaults)?;
    let mut counts =
        serde_json::from_value(row.accounting).map_err(|e| corrupt("accounting", e.to_string()))?;
    pins::recount(connection, (job.tenant, job.session), &settings, &mut counts).await?;
    Ok(Some(LockedSession {
        settings,
        counts,
        head: row.head_seq,
        anchor: row.anchor_seq,
        version: row.version,
        last_version: row.last_version,
    }))
}

// Documents go to the database as text: a JSON value would travel as `jsonb`, which takes no escaped NUL.

/// Postgres takes no NUL in text; a space in its place costs no more tokens.
fn without_nul(text: &str) -> String {
    text.replace('\0', " ")
}

async fn insert_version(
    connection: &mut PgConnection,
    job: &Job,
    span: Span,
    version: &NewVersion,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into summaries (tenant_id, session_id, version, parent_version, compression_id, from_seq, through_seq,
                                meta, document, carry, rendering, rendering_tokens, least_rendering, least_tokens, recap)
         values ($1, $2, $3, $4, $5, $6, $7, $8::text::json, $9::text::json, $10::text::json, $11, $12, $13, $14, $15)",
        job.tenant.0,
        job.session.0,
        version.version,
        span.parent_version,
        job.id.0,
        span.from_seq,
        span.through_seq,
        version.meta.to_string(),
        version.document.to_string(),
        version.carry.to_string(),
        without_nul(&version.rendering.0),
        i32::try_from(version.rendering.1).unwrap_or(i32::MAX),
        without_nul(&version.least.0),
        i32::try_from(version.least.1).unwrap_or(i32::MAX),
        without_nul(&version.recap),
    )
    .execute(&mut *connection)
    .await?;
    let mut kinds = Vec::with_capacity(version.ledger.len());
    let mut seqs = Vec::with_capacity(version.ledger.len());
    let mut ordinals = Vec::with_capacity(version.ledger.len());
    let mut values = Vec::with_capacity(version.ledger.len());
    for (kind, seq, ordinal, value) in &version.ledger {
        kinds.push((*kind).to_owned());
        seqs.push(*seq);
        ordinals.push(*ordinal);
        values.push(value.to_string());
    }
    // After a rollback the same span is read again and gives the same entries.
    sqlx::query!(
        "insert into ledger_entries (tenant_id, session_id, kind, first_seq, ordinal, value)
         select $1, $2, e.kind, e.seq, e.ordinal, e.value
         from unnest($3::text[], $4::bigint[], $5::integer[], $6::text[]::json[]) as e (kind, seq, ordinal, value)
         on conflict do nothing",
        job.tenant.0,
        job.session.0,
        &kinds,
        &seqs,
        &ordinals,
        &values,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Keeps what a shadow run made; it commits with the end of the run, so that there is one of each.
async fn insert_shadow(
    connection: &mut PgConnection,
    job: &Job,
    candidate: &NewVersion,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into shadow_candidates (tenant_id, compression_id, session_id, meta, document, rendering, rendering_tokens)
         values ($1, $2, $3, $4::text::json, $5::text::json, $6, $7)",
        job.tenant.0,
        job.id.0,
        job.session.0,
        candidate.meta.to_string(),
        candidate.document.to_string(),
        without_nul(&candidate.rendering.0),
        i32::try_from(candidate.rendering.1).unwrap_or(i32::MAX),
    )
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert_evaluation(
    connection: &mut PgConnection,
    job: &Job,
    version: Option<i64>,
    evaluation: &NewEvaluation,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into evaluations (tenant_id, session_id, id, version, compression_id, scores, results)
         values ($1, $2, $3, $4, $5, $6::text::json, $7::text::json)",
        job.tenant.0,
        job.session.0,
        EvaluationId(Uuid::now_v7()).0,
        version,
        job.id.0,
        evaluation.scores.to_string(),
        evaluation.results.to_string(),
    )
    .execute(&mut *connection)
    .await?;
    // A refused candidate leaves no probes behind: its span is read again.
    let Some(version) = version.filter(|_| !job.request.shadow && job.kind == Kind::Compress) else {
        return Ok(());
    };
    let probes: Vec<String> = evaluation.new_probes.iter().map(ToString::to_string).collect();
    let ids: Vec<Uuid> = evaluation.new_probes.iter().map(|_| Uuid::now_v7()).collect();
    sqlx::query!(
        "insert into probes (tenant_id, session_id, id, source, version, probe)
         select $1, $2, p.id, 'generated', $3, p.probe from unnest($4::uuid[], $5::text[]::json[]) as p (id, probe)",
        job.tenant.0,
        job.session.0,
        version,
        &ids,
        &probes,
    )
    .execute(&mut *connection)
    .await?;
    let retired: Vec<Uuid> = evaluation.retired.iter().map(|id| id.0).collect();
    sqlx::query!(
        "update probes set retired_in_version = $3
         where tenant_id = $1 and session_id = $2 and id = any($4) and retired_in_version is null",
        job.tenant.0,
        job.session.0,
        version,
        &retired,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Counts the session afresh from what lies after its anchor, and masks more when the target is
/// still out of reach.
async fn count_afresh(
    connection: &mut PgConnection,
    job: &Job,
    session: &mut LockedSession,
    span: Option<Span>,
    publish: Option<&NewVersion>,
) -> Result<(), StoreError> {
    let policy = session.settings.policy();
    if let Some(version) = publish {
        session.counts.summary_tokens = version.rendering.1;
    }
    let floor = session.anchor.max(session.counts.system_through);
    let tail = outlines_after(connection, job.tenant, job.session, floor).await?;
    let counted: Vec<Counted> = tail.iter().map(Outline::counted).collect();
    let mut counts = session.counts.rebuilt(session.anchor, &counted, policy.preserve_recent);
    counts.settled_head = session.head;
    counts.settled_tokens = counts.appended_tokens;
    counts.attempted_through = match span {
        Some(span) => span.through_seq,
        // Nothing could be covered: the same messages are not looked at again before there are more.
        None => counts.attempted_through.max(counts.span_end(session.head, policy.preserve_recent)),
    };
    if publish.is_some() {
        counts.recent = counts.recent.after_publication();
    }
    if job.trigger == "manual" {
        counts.suspended = false;
    }
    mask_for(&mut counts, job.request.target, &policy, &tail);
    if publish.is_some() {
        let by_window = job.trigger == SignalKind::Utilization.as_str();
        counts.publish(&policy, job.request.target.unwrap_or(policy.target), by_window);
    }
    session.counts = counts;
    Ok(())
}

/// Masks every large output that may be masked when the context is still above the target.
pub(super) fn mask_for(counts: &mut Accounting, target: Option<f64>, policy: &Policy, tail: &[Outline]) {
    counts.mask_to(target.unwrap_or(policy.target), policy, tail, &marks(tail));
}

async fn write_end(
    connection: &mut PgConnection,
    job: &Job,
    status: Status,
    version: Option<i64>,
    report: &Report,
) -> Result<bool, StoreError> {
    let report = serde_json::to_string(report)
        .map_err(|e| StoreError::corrupt("compressions", "report", job.id, e))?;
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
    session: &LockedSession,
    publish: Option<&NewVersion>,
) -> Result<(), StoreError> {
    let counts = serde_json::to_string(&session.counts)
        .map_err(|e| StoreError::corrupt("sessions", "accounting", job.session.0, e))?;
    let done = sqlx::query!(
        "update sessions set accounting = $3::text::json, version = $4, last_version = $5, anchor_seq = $6,
                compression_count = compression_count + $7, updated_at = now()
         where tenant_id = $1 and id = $2",
        job.tenant.0,
        job.session.0,
        counts,
        session.version,
        session.last_version,
        session.anchor,
        i32::from(publish.is_some()),
    )
    .execute(connection)
    .await?;
    expect_rows("the session", 1, done.rows_affected())
}

/// Enqueues the next compression when the messages that came meanwhile already call for it.
async fn follow_up(
    connection: &mut PgConnection,
    job: &Job,
    session: &LockedSession,
) -> Result<(), StoreError> {
    let policy = session.settings.policy();
    let situation = Situation {
        counts: &session.counts,
        head: session.head,
        anchor: session.anchor,
        first: session.head + 1,
        task_boundary: false,
        versions: session.last_version,
        // Growth starts no work, so the time of the newest message will do.
        now: session.counts.recent.newest(),
    };
    let request = Request::default();
    let (_, start) = decide(&policy, &situation);
    if let Some(start) = start {
        let next = NewJob { kind: Kind::Compress, trigger: start.kind.as_str(), request: &request };
        compressions::enqueue(connection, job.tenant, job.session, next).await?;
    }
    Ok(())
}
