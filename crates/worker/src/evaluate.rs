//! Runs an evaluation that a caller asked for: asks the probes of a version again.

use std::time::Instant;

use super::call_log::CallLog;
use super::compress::{raw_json, scores};
use super::exam::{Exam, ServedText};
use super::grader::{Grader, ProbeTarget};
use super::input::read_messages;
use super::job::{Env, JobError, elapsed, in_turn};
use anchord_facts::ledger::Facts;
use anchord_messages::id::Seq;
use anchord_messages::tokens::TokenCounter;
use anchord_record::changes;
use anchord_record::probe::{self, Probe};
use anchord_record::render::{self, Subject};
use anchord_session::compression::{Failure, Report, Status, Timings};
use anchord_store::compressions::Job;
use anchord_store::settle::NewEvaluation;

/// How many of the last messages of a span the judge may see parts of.
const JUDGED_MESSAGES: Seq = 500;

/// Runs a claimed evaluation to its settlement.
pub(super) async fn run(env: &Env, job: &Job) -> Result<(), JobError> {
    let started = Instant::now();
    let Some(version) = job.request.version else {
        return fail(env, job, "no-version", "the evaluation names no version").await;
    };
    let Some(found) = env.store.load_evaluation(job.session.of(job.tenant), version).await? else {
        return fail(env, job, "no-version", "the version is gone").await;
    };
    let settings = found.settings.clone();
    let counter = TokenCounter::new(found.settings.tokenizer.unwrap_or_default());
    let (from_seq, through_seq) = (found.version.meta.from_seq, found.version.meta.through_seq);
    let span = (from_seq, through_seq);
    let work = move || {
        let stored = found.version;
        let subject = Subject {
            summary: &stored.summary,
            meta: &stored.meta,
            session_id: found.name.as_str(),
            task_id: found.settings.task_id.as_deref(),
            started: stored.meta.last_compressed_at,
            last_activity: stored.meta.last_compressed_at,
        };
        // Use the bound that the version was rendered with, so that the text is the one that contexts serve.
        let bound = stored.meta.max_tokens;
        let rendering = render::served(&subject, bound, |text| counter.count_text(text));
        let (questions, probes): (Vec<Probe>, Vec<Probe>) =
            found.probes.into_iter().partition(Probe::is_exam);
        let report = probe::score(&probes, &rendering, &stored.summary);
        let digest = found.digest.as_deref().unwrap_or_default();
        let served = ServedText {
            text: format!("{}\n\n{digest}", rendering.text),
            tokens: rendering.tokens.saturating_add(counter.count_text(digest)),
            span,
        };
        (rendering, report, served, questions)
    };
    let (rendering, report, served, questions) = in_turn(work).await?;
    let call_log = CallLog::Database(&env.store, job);
    let exam = Exam::choose(env, job, &settings, None).await?;
    let mut grader = Grader::new(env.llm.as_ref(), exam);
    let probe_target = ProbeTarget { rendering: &rendering.text, tokens: rendering.tokens, span };
    let report = grader.answer(call_log, probe_target, &report).await?;
    let report = grader.retake_exam(call_log, &served, questions, report).await?;
    let mut rubric = None;
    if grader.has_judge() {
        let from_seq = from_seq.max(through_seq - JUDGED_MESSAGES + 1);
        let originals = env.store.load_span(job.session.of(job.tenant), from_seq, through_seq).await?;
        let span = in_turn(move || read_messages(originals)).await?.map_err(JobError::Broken)?;
        let evidence = move |budget| {
            let ends: Vec<Seq> = span.iter().map(|message| message.seq).collect();
            changes::evidence(&span, (&ends, &Facts::default()), budget, counter)
        };
        let asked = (rendering.text.as_str(), (from_seq, through_seq));
        rubric = grader.judge(call_log, asked, evidence).await?;
    }
    let evaluation = NewEvaluation {
        scores: scores(&report, rubric.as_ref())?,
        results: raw_json(&report.results)?,
        new_probes: Vec::new(),
        retired: Vec::new(),
    };
    let total_ms = elapsed(started);
    let queued_ms = u64::try_from(job.queued_ms).unwrap_or_default();
    let report = Report {
        probe_score: report.score,
        facts_score: report.facts_score,
        exam: report.exam,
        probes_asked: report.asked,
        probes_failed: report.failed,
        probes_cut: report.cut,
        critical_failed: report.critical_failed,
        callers_failed: u32::try_from(report.callers_failed().count()).unwrap_or(u32::MAX),
        rubric: rubric.map(|rubric| rubric.overall),
        warnings: grader.close().1,
        cost: env.store.llm_cost(job).await?,
        timings: Timings { queued_ms, probe_ms: total_ms, total_ms, ..Timings::default() },
        ..Report::default()
    };
    env.store.settle_evaluation(job, Some(version), &report, Ok(evaluation)).await?;
    Ok(())
}

/// Ends an evaluation that cannot be done, and records the reason.
pub(super) async fn fail(env: &Env, job: &Job, kind: &str, detail: &str) -> Result<(), JobError> {
    let error = Some(Failure { kind: kind.to_owned(), detail: detail.to_owned() });
    let report = Report { error, ..Report::default() };
    env.store.settle_evaluation(job, job.request.version, &report, Err(Status::Failed)).await?;
    Ok(())
}
