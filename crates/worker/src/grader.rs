//! Models that grade a candidate: one answers its probes, a reader takes its exam, and a judge rates it. Each is optional;
//! when a model cannot be reached, the compression continues without it and a warning says so.

use std::sync::Arc;

use tracing::warn;

use super::call_log::CallLog;
use super::exam::{Exam, ExamChanges, ServedText};
use super::job::{JobError, in_turn};
use super::model_client::{INSTRUCTION_TOKENS, ModelClient, Question};
use super::span_facts::SpanFacts;
use anchord_llm::Client;
use anchord_messages::id::Seq;
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::CheckedDraft;
use anchord_record::exam;
use anchord_record::probe::{self, Answerer, Probe, ProbeReport, ProbeResult};
use anchord_record::rubric::{self, Rubric};

/// The most calls for the probes of one job, over all its candidates.
const MAX_CALLS: usize = 16;
/// The most tokens of the answers to one sheet.
const ANSWER_TOKENS: u32 = 4_096;
/// The most tokens of a judgement.
const JUDGEMENT_TOKENS: u32 = 1_024;

/// The text that probes are asked of.
#[derive(Clone, Copy)]
pub(super) struct ProbeTarget<'a> {
    pub(super) rendering: &'a str,
    pub(super) tokens: u32,
    /// The messages that the text summarises.
    pub(super) span: (Seq, Seq),
}

/// Grades the candidates of one job.
#[derive(Debug)]
pub(super) struct Grader {
    client: Option<Client>,
    exam: Option<Exam>,
    calls_left: usize,
    /// Whether the probe model failed; then it is not asked again for this job.
    is_down: bool,
    notes: Vec<String>,
}

impl Grader {
    pub(super) fn new(client: Option<&Client>, exam: Option<Exam>) -> Self {
        Self { client: client.cloned(), exam, calls_left: MAX_CALLS, is_down: false, notes: Vec::new() }
    }

    /// The changes to the session's questions, and the warnings for the reader of the version.
    pub(super) fn close(mut self) -> (ExamChanges, Vec<String>) {
        let (kept, notes) = self.exam.map(Exam::close).unwrap_or_default();
        self.notes.extend(notes);
        (kept, self.notes)
    }

    /// Adds a warning for the reader of the version.
    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Whether a model answers probes.
    pub(super) fn is_on(&self) -> bool {
        let named = self.client.as_ref().is_some_and(|client| client.options().probe_model.is_some());
        named && !self.is_down && self.calls_left > 0
    }

    /// The report with the verdicts of a model that answers from the rendering alone. Where its answers cannot be
    /// parsed, the verdicts of code remain.
    pub(super) async fn answer(
        &mut self,
        call_log: CallLog<'_>,
        target: ProbeTarget<'_>,
        report: &ProbeReport,
    ) -> Result<ProbeReport, JobError> {
        let mut report = report.clone();
        let Some(client) = self.client.clone().filter(|_| self.is_on()) else { return Ok(report) };
        let Some(model) = client.options().probe_model.clone() else { return Ok(report) };
        let model_client = ModelClient { call_log, client: &client, model: &model };
        let open = |result: &ProbeResult| result.answered_by == Answerer::Code;
        let sheets = probe::sheets(&report, target.rendering, open);
        for sheet in sheets {
            if self.calls_left == 0 {
                self.notes.push(
                    "probes: as many calls as a compression may make; code answered the rest".to_owned(),
                );
                break;
            }
            self.calls_left -= 1;
            let question = Question {
                purpose: "probe",
                span: target.span,
                prompt: &sheet.prompt,
                schema: probe::answer_schema(),
                max_output_tokens: ANSWER_TOKENS,
                input_tokens: target.tokens,
            };
            let (reason, answered) = match model_client.ask(question).await? {
                Ok(reply) => {
                    ("unusable_reply", sheet.read(&reply.text).map(|answered| (answered, reply.spent)))
                }
                Err(error) => (error.into(), None),
            };
            let Some((answered, spent)) = answered else {
                warn!(compression.id = call_log.name(), llm.model = model, reason, "llm.probes_unanswered");
                self.is_down = true;
                self.notes.push(format!("probes: the model did not answer ({reason}); code answered"));
                break;
            };
            report = probe::mark_answers(&report, &answered, spent);
        }
        Ok(report)
    }

    /// Lets a reader take the exam of a candidate; returns whether it did.
    pub(super) async fn take_exam(
        &mut self,
        call_log: CallLog<'_>,
        span_facts: &Arc<SpanFacts>,
        checked: &mut CheckedDraft,
    ) -> Result<bool, JobError> {
        let Some(exam) = &mut self.exam else { return Ok(false) };
        let Some(results) = exam.take_exam(call_log, span_facts, checked).await? else { return Ok(false) };
        checked.examined(results, exam.threshold());
        Ok(true)
    }

    /// Whether the reader passed too few of these questions.
    pub(super) fn is_low(&self, results: &[ProbeResult]) -> bool {
        self.exam.as_ref().is_some_and(|exam| exam.is_low(results))
    }

    /// The report with a reader's answers to the questions of earlier exams, from the context of a version. Only the
    /// latest questions are asked.
    pub(super) async fn retake_exam(
        &mut self,
        call_log: CallLog<'_>,
        served: &ServedText,
        mut questions: Vec<Probe>,
        mut report: ProbeReport,
    ) -> Result<ProbeReport, JobError> {
        let Some(exam) = &mut self.exam else { return Ok(report) };
        questions.drain(..questions.len().saturating_sub(exam::MOST_NEW + exam::MOST_EARLIER));
        if let Some(results) = exam.read(call_log, served, questions).await? {
            report = report.with_exam(results, exam.threshold());
        }
        Ok(report)
    }

    /// Whether a model judges summaries.
    pub(super) fn has_judge(&self) -> bool {
        self.client.as_ref().is_some_and(|client| client.options().judge_model.is_some())
    }

    /// The judge's rubric for a summary of a span; `None` without a judge. `evidence` describes the span in about the
    /// given number of tokens.
    pub(super) async fn judge(
        &mut self,
        call_log: CallLog<'_>,
        (summary, span): (&str, (Seq, Seq)),
        evidence: impl FnOnce(u32) -> String + Send + 'static,
    ) -> Result<Option<Rubric>, JobError> {
        let Some(client) = self.client.clone() else { return Ok(None) };
        let Some(model) = client.options().judge_model.clone() else { return Ok(None) };
        let room = client.options().context_tokens;
        let summary = summary.to_owned();
        let (prompt, tokens) = in_turn(move || {
            let counter = TokenCounter::default();
            let taken = JUDGEMENT_TOKENS + INSTRUCTION_TOKENS + counter.count_text(&summary);
            // The model's tokenizer may count a fifth more than ours.
            let budget = (room.saturating_sub(taken) / 5 * 4).max(1_000);
            let prompt = rubric::question(&summary, &evidence(budget));
            let tokens = counter.count_text(&prompt.user);
            (prompt, tokens)
        })
        .await?;
        let model_client = ModelClient { call_log, client: &client, model: &model };
        let question = Question {
            purpose: "judge",
            span,
            prompt: &prompt,
            schema: rubric::schema(),
            max_output_tokens: JUDGEMENT_TOKENS,
            input_tokens: tokens,
        };
        let (reason, rubric) = match model_client.ask(question).await? {
            Ok(reply) => ("unusable_reply", rubric::read(&reply.text, &model)),
            Err(error) => (error.into(), None),
        };
        if rubric.is_none() {
            warn!(compression.id = call_log.name(), llm.model = model, reason, "llm.judge_unusable");
            self.notes.push(format!("rubric: the judge did not answer ({reason}); there is none"));
        }
        Ok(rubric)
    }
}
