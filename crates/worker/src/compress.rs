//! A compression, step by step: base and span → ledger → proposal → merge → probes → publication.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::value::RawValue;

use super::build::{BuiltCandidate, build};
use super::call_log::CallLog;
use super::engine::Engine;
use super::exam::Exam;
use super::grader::Grader;
use super::input::{InputRows, choose_span, lowered_target, read_through};
use super::job::{Env, JobError, elapsed, in_turn};
use super::pool::LEASE;
use super::reread;
use anchord_context::context::summary_message;
use anchord_messages::group;
use anchord_messages::id::Seq;
use anchord_record::candidate::CheckedDraft;
use anchord_record::probe::ProbeReport;
use anchord_record::render::Rendering;
use anchord_record::rubric::Rubric;
use anchord_record::strategy::Strategy;
use anchord_runtime::background::throttled;
use anchord_session::compression::{Failure, Report, Span, Status, Timings};
use anchord_session::usage::{Kind, UsageDelta};
use anchord_store::compressions::Job;
use anchord_store::figures;
use anchord_store::settle::{NewEvaluation, NewVersion, SettleOutcome, Settlement};
use anchord_store::todos::TodoUpdate;
use anchord_store::usage::User;

/// The most messages that are indexed directly after a version; more wait in the queue. An indexing that is claimed
/// in the commit that ends the compression costs no notification, claim and second commit. With many messages behind,
/// as before a first version, it would delay others: 200 sessions of 480 messages had 15 compressions a second
/// instead of 23.
const INDEXED_AT_ONCE: Seq = 256;

/// Runs a claimed compression to its settlement. Returns the job that indexes the new messages when there are few of
/// them; that job is claimed with the settlement, under a lease of the same length.
pub(super) async fn run(env: &Env, job: &Job) -> Result<Option<Box<Job>>, JobError> {
    let started = Instant::now();
    // Boxed, because this future is far larger than the others.
    let load = Box::pin(env.store.load_base((job.tenant, job.session)));
    let Some((base, outlines)) = throttled(load).await? else {
        return Ok(None);
    };
    let strategy = job.request.strategy.unwrap_or_else(|| base.settings.strategy_in_force());
    if base.settings.refuses(strategy) {
        return refuse(env, job, strategy).await.map(|()| None);
    }
    let span = match choose_span(&base, &outlines, (job, strategy)) {
        Ok(span) => span,
        Err(reason) => return skip(env, job, started, reason).await.map(|()| None),
    };
    if span.parent_version != base.current.as_ref().map(|current| current.version) {
        // An earlier attempt fixed the span, and another version was published since.
        settle(env, job, Some(span), ended(Status::Superseded, Report::default())).await?;
        return Ok(None);
    }
    // `regenerative` reads the whole history, but the messages after the anchor are still read last, as the span.
    let from_seq = outlines.first().map_or(span.from_seq, |first| first.seq);
    let before = base.session.context_tokens();
    let task_id = base.settings.task_id.clone();
    let history = (base.session.accounting.system_through, from_seq - 1);
    let now = env.clock.now();
    let mut engine = Engine::choose(env, job, &base.settings, strategy).await?;
    // Indexing the whole history of a session would delay the compressions of others.
    let index_lease = (base.session.head_seq - base.session.indexed_seq <= INDEXED_AT_ONCE).then_some(LEASE);
    let exam = Exam::choose(env, job, &base.settings, span.parent_version).await?;
    let lowered = lowered_target(&base, &job.request);
    let todos_revision = base.todos.as_ref().map(|list| list.revision);
    let fixing = async { Ok(job.span.is_some() || env.store.fix_span(job, span).await?) };
    let reading = async {
        let through = read_through(&base, &outlines, span);
        let read = env.store.load_span(job.session.of(job.tenant), from_seq, through);
        let originals = throttled(read).await?;
        let job = job.clone();
        let work = InputRows { base, outlines, originals, span, job, strategy, now };
        in_turn(move || work.input()).await?.map_err(JobError::Broken)
    };
    // Wait for the commit before anything else: models are called, and chunks are stored, only for a fixed span.
    let (is_fixed, input) = futures::try_join!(fixing, reading)?;
    if !is_fixed {
        return Ok(None);
    }
    let reread_started = Instant::now();
    let fresh = match strategy {
        Strategy::Regenerative => reread::refresh(env, job, &mut engine, &input.material, history).await?,
        Strategy::Anchored | Strategy::Opaque | Strategy::SlidingWindow | Strategy::Rollback => None,
    };
    let reread_ms = elapsed(reread_started);
    let call_log = CallLog::Database(&env.store, job);
    let grader = Grader::new(env.llm.as_ref(), exam);
    // Boxed, because this future holds a whole record.
    let mut made = Box::pin(build(call_log, grader, &mut engine, input, fresh)).await?;
    made.timings.engine_ms += reread_ms;
    made.todos_revision = todos_revision;
    // A candidate that code made in place of a model covers fewer messages.
    let covered = Span { through_seq: made.checked.meta.through_seq, ..span };
    if covered != span && !env.store.fix_span(job, covered).await? {
        return Err(JobError::Fenced);
    }
    made.checked.meta.warnings.extend(lowered.into_iter().chain(engine.close(env, job).await?));
    let mut settlement = made.into_settlement(job, started, before)?;
    if env.llm.is_some() {
        settlement.report.cost = env.store.llm_cost(job).await?;
    }
    let figures = figures_of(&settlement.report);
    let (settled, indexing) = settle_and_index(env, job, Some(covered), settlement, index_lease).await?;
    if settled == SettleOutcome::As(Status::Succeeded) {
        let user = User {
            tenant: job.tenant,
            session: job.session,
            task_id: task_id.as_deref(),
            at: env.clock.now(),
        };
        env.store.meter().count(user, Kind::Version, figures);
    }
    // The job has ended. A failure here must not delay the job that was claimed with it.
    if env.llm.is_some()
        && let Err(error) = env.store.forget_chunks(job).await
    {
        tracing::warn!(compression.id = %job.id, %error, "worker.chunks_not_forgotten");
    }
    Ok(indexing)
}

/// Ends the job and records metrics.
async fn settle(env: &Env, job: &Job, span: Option<Span>, settlement: Settlement) -> Result<(), JobError> {
    settle_and_index(env, job, span, settlement, None).await.map(|_| ())
}

/// Ends the job and records metrics. Returns the outcome, and the indexing job that was claimed with it.
async fn settle_and_index(
    env: &Env,
    job: &Job,
    span: Option<Span>,
    settlement: Settlement,
    lease: Option<Duration>,
) -> Result<(SettleOutcome, Option<Box<Job>>), JobError> {
    let lease = lease.map(|lease| lease.as_secs_f64());
    // Boxed, because this future is large.
    let settling = Box::pin(env.store.settle_and_index(job, span, &settlement, lease));
    let (settled, indexing) = throttled(settling).await?;
    if let SettleOutcome::As(status) = settled {
        figures::record(&settlement.report, status);
    }
    Ok((settled, indexing))
}

/// Ends a compression whose strategy the session does not allow.
async fn refuse(env: &Env, job: &Job, strategy: Strategy) -> Result<(), JobError> {
    let error = Some(Failure {
        kind: "critical-session".to_owned(),
        detail: format!("{} cannot be verified and is refused for critical sessions", strategy.as_ref()),
    });
    let report = Report { strategy_used: Some(strategy), error, ..Report::default() };
    settle(env, job, job.span, ended(Status::Rejected, report)).await?;
    Ok(())
}

/// Ends a compression that cannot be done, and records the reason.
pub(super) async fn fail(env: &Env, job: &Job, kind: &str, detail: &str) -> Result<(), JobError> {
    let error = Some(Failure { kind: kind.to_owned(), detail: detail.to_owned() });
    let cost = env.store.llm_cost(job).await?;
    let report = Report { error, cost, ..Report::default() };
    settle(env, job, job.span, ended(Status::Failed, report)).await?;
    Ok(())
}

/// Ends a compression that finds nothing to cover.
async fn skip(env: &Env, job: &Job, started: Instant, reason: group::NoSpan) -> Result<(), JobError> {
    settle(env, job, None, ended(Status::Skipped, skipped(job, started, reason))).await
}

/// The report of a compression that finds nothing to cover.
pub(super) fn skipped(job: &Job, started: Instant, reason: group::NoSpan) -> Report {
    let error = Some(reason.into());
    let timings =
        Timings { queued_ms: millis(job.queued_ms), total_ms: elapsed(started), ..Timings::default() };
    Report { error, timings, ..Report::default() }
}

/// Tokens before and after a compression, for the usage figures.
fn figures_of(report: &Report) -> UsageDelta {
    let tokens = |count: Option<u32>| count.unwrap_or_default().into();
    UsageDelta {
        calls: 1,
        tokens_in: tokens(report.tokens_before),
        tokens_out: tokens(report.tokens_after),
        ..UsageDelta::default()
    }
}

fn ended(status: Status, report: Report) -> Settlement {
    Settlement { status, report, version: None, evaluation: None }
}

impl BuiltCandidate {
    /// The settlement of the candidate.
    fn into_settlement(
        self,
        job: &Job,
        started: Instant,
        context_before: u32,
    ) -> Result<Settlement, JobError> {
        let checked = &self.checked;
        let status = if checked.is_not_smaller() {
            Status::Skipped
        } else if checked.is_accepted() {
            Status::Succeeded
        } else {
            Status::Rejected
        };
        let error = (status != Status::Succeeded).then(|| Failure {
            kind: if status == Status::Skipped { "not-smaller" } else { "gate-refused" }.to_owned(),
            detail: refusal_text(checked),
        });
        let mut timings = self.timings;
        timings.queued_ms = millis(job.queued_ms);
        timings.total_ms = elapsed(started);
        let tokens = |count: i64| u32::try_from(count).ok();
        let report = Report {
            strategy_used: Some(checked.meta.strategy),
            engine: Some(checked.meta.engine),
            model: checked.meta.model.clone(),
            gate: checked.gate.clone(),
            tokens_before: tokens(checked.meta.tokens_before),
            tokens_after: tokens(checked.meta.tokens_after),
            reduction: checked.meta.reduction,
            context_tokens_before: Some(context_before),
            probe_score: checked.report.score,
            facts_score: checked.report.facts_score,
            exam: checked.report.exam,
            probes_asked: checked.report.asked,
            probes_failed: checked.report.failed,
            probes_cut: checked.report.cut,
            critical_failed: checked.report.critical_failed,
            callers_failed: u32::try_from(checked.report.callers_failed().count()).unwrap_or(u32::MAX),
            rubric: self.rubric.as_ref().map(|rubric| rubric.overall),
            entries: checked.proposed.model.is_some().then(|| checked.proposed.account.clone().closed()),
            warnings: checked.meta.warnings.clone(),
            error,
            timings,
            ..Report::default()
        };
        let evaluation = Some(NewEvaluation {
            scores: scores(&checked.report, self.rubric.as_ref())?,
            results: raw_json(&checked.report.results)?,
            new_probes: checked
                .new_probes
                .iter()
                .chain(&self.exam.questions)
                .map(raw_json)
                .collect::<Result<_, _>>()?,
            retired: checked
                .retired
                .iter()
                .filter_map(|at| self.probe_ids.get(*at))
                .chain(&self.exam.retired)
                .copied()
                .collect(),
        });
        let version = if status == Status::Succeeded { Some(self.version()?) } else { None };
        Ok(Settlement { status, report, version, evaluation })
    }

    fn version(self) -> Result<NewVersion, JobError> {
        let mut ledger = Vec::new();
        for command in &self.facts.commands {
            push_entry(&mut ledger, "command", &command.seqs, raw_json(command)?);
        }
        for run in &self.facts.test_runs {
            push_entry(&mut ledger, "test_run", &run.seqs, raw_json(run)?);
        }
        let checked = self.checked;
        let followed = self.facts.followed.filter(|followed| !followed.changes.is_empty());
        let todos =
            followed.zip(self.todos_revision).map(|(followed, revision)| TodoUpdate { revision, followed });
        let message = |form: &Rendering| summary_message(&form.text, self.counter);
        let record = self.record.ok_or_else(|| JobError::Broken("the record was not written".to_owned()))?;
        Ok(NewVersion {
            version: checked.meta.version,
            meta: raw_json(&checked.meta)?,
            record,
            carry: raw_json(&self.facts.carry)?,
            rendering: message(&checked.rendering),
            smaller: checked.smaller.iter().map(message).collect(),
            digest: Some(checked.digest).filter(|digest| !digest.text.is_empty()).map(|d| (d.text, d.tokens)),
            recap: checked.recap,
            todos,
            ledger,
        })
    }
}

fn refusal_text(checked: &CheckedDraft) -> String {
    if checked.refusals.is_empty() {
        return format!(
            "{} of {} probes failed, {} of them critical",
            checked.report.failed, checked.report.asked, checked.report.critical_failed
        );
    }
    let reasons: Vec<String> = checked.refusals.iter().take(5).map(ToString::to_string).collect();
    reasons.join("; ")
}

/// Numbers the entries of each message separately, so that the keys are the same when the messages are read again
/// within another span after a rollback.
fn push_entry(
    ledger: &mut Vec<(Cow<'static, str>, Seq, i32, Box<RawValue>)>,
    kind: &'static str,
    seqs: &[Seq],
    value: Box<RawValue>,
) {
    let seq = seqs.first().copied().unwrap_or_default();
    let same = |entry: &&(Cow<'static, str>, Seq, i32, Box<RawValue>)| entry.0 == kind && entry.1 == seq;
    let ordinal = ledger.last().filter(same).map_or(0, |entry| entry.2 + 1);
    ledger.push((Cow::Borrowed(kind), seq, ordinal, value));
}

/// The scores of an evaluation as they are stored, with the rubric when there is one.
pub(super) fn scores(report: &ProbeReport, rubric: Option<&Rubric>) -> Result<serde_json::Value, JobError> {
    let mut scores = json(&report.scores())?;
    if let (Some(fields), Some(rubric)) = (scores.as_object_mut(), rubric) {
        fields.insert("rubric".to_owned(), json(rubric)?);
    }
    Ok(scores)
}

fn json(value: &impl Serialize) -> Result<serde_json::Value, JobError> {
    serde_json::to_value(value).map_err(|error| JobError::Broken(error.to_string()))
}

pub(super) fn raw_json(value: &impl Serialize) -> Result<Box<RawValue>, JobError> {
    serde_json::value::to_raw_value(value).map_err(|error| JobError::Broken(error.to_string()))
}

fn millis(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or_default()
}
