//! The exam of a job: one model (the examiner) writes questions about the messages, and another (the reader) answers
//! them, and earlier questions that still hold, from the candidate alone.
//!
//! There is one call to the examiner per job and one to the reader per candidate, of which there are at most two. When a
//! call fails or its answer cannot be parsed, there is no exam, and a warning says so; the compression continues.

use std::sync::Arc;

use tracing::warn;

use super::call_log::CallLog;
use super::job::{Env, JobError, in_turn};
use super::model_client::{ModelClient, Question};
use super::span_facts::SpanFacts;
use anchord_facts::ledger::Facts;
use anchord_llm::Client;
use anchord_messages::id::{ProbeId, Seq};
use anchord_record::candidate::CheckedDraft;
use anchord_record::changes;
use anchord_record::exam::{self, ExamMode, ExamPrompt, ExamQuestions};
use anchord_record::probe::{self, Probe, ProbeReport, ProbeResult, Verdict, exam_scores};
use anchord_record::strategy::EngineChoice;
use anchord_session::settings::Settings;
use anchord_store::compressions::Job;

/// The most tokens of messages that the examiner sees.
const EVIDENCE_TOKENS: u32 = 16_000;
/// The most tokens of the questions, and of the answers.
const EXAM_TOKENS: u32 = 3_072;

/// Runs the exam of a job.
#[derive(Debug)]
pub(super) struct Exam {
    client: Client,
    /// The model that writes the questions.
    examiner: String,
    /// The share of passed questions below which an exam is low.
    threshold: f64,
    /// The questions of earlier exams.
    earlier: Vec<(ProbeId, Probe)>,
    /// The examiner's questions about this job's messages; `None` until it was asked.
    written: Option<ExamQuestions>,
    /// Whether a call failed, so that there is no exam.
    is_down: bool,
    /// Whether the reader has answered once.
    has_sat: bool,
    /// Whether the reader gave the same answer to every question, so that its answers mean nothing.
    is_parroted: bool,
    notes: Vec<String>,
}

/// How an exam changes the questions of a session.
#[derive(Debug, Default)]
pub(super) struct ExamChanges {
    /// The new questions.
    pub(super) questions: Vec<Probe>,
    /// Earlier questions that are no longer asked.
    pub(super) retired: Vec<ProbeId>,
}

/// The text that the reader answers from: the context that a version serves.
#[derive(Clone, Debug)]
pub(super) struct ServedText {
    pub(super) text: String,
    pub(super) tokens: u32,
    /// The messages that the text replaces.
    pub(super) span: (Seq, Seq),
}

impl ServedText {
    pub(super) fn of(checked: &CheckedDraft) -> Self {
        Self {
            text: format!("{}\n\n{}", checked.rendering.text, checked.digest.text),
            tokens: checked.rendering.tokens.saturating_add(checked.digest.tokens),
            span: (checked.meta.from_seq, checked.meta.through_seq),
        }
    }
}

impl Exam {
    /// The exam of a version that follows `parent`, when the operator configured an examiner and the session is sampled.
    /// A session whose messages go to no model has exams only when it asks for them.
    pub(super) async fn choose(
        env: &Env,
        job: &Job,
        settings: &Settings,
        parent: Option<i64>,
    ) -> Result<Option<Self>, JobError> {
        let by_code = job.request.engine.or(settings.engine) == Some(EngineChoice::Extractive);
        let mode = settings.exam.unwrap_or(if by_code { ExamMode::Off } else { ExamMode::default() });
        let threshold = settings.policy().exam;
        let exam = env.llm.as_ref().and_then(|client| Self::new(client, threshold));
        let Some(mut exam) = exam else { return Ok(None) };
        let is_left = async || env.store.llm_tokens_are_left(job.tenant, env.clock.now().date_naive()).await;
        if !mode.takes(job.session)
            || env.store.llm_is_resting(job.tenant, job.session).await?
            || !is_left().await?
        {
            return Ok(None);
        }
        if let Some(parent) = parent {
            exam.earlier = env.store.load_exam(job.session.of(job.tenant), parent).await?;
        }
        Ok(Some(exam))
    }

    /// An exam without earlier questions, when the operator configured an examiner.
    pub(super) fn new(client: &Client, threshold: f64) -> Option<Self> {
        client.options().exam_model.as_ref()?;
        Some(Self { threshold, ..Self::of(client) })
    }

    /// An exam without earlier questions, by the client's own model when the operator configured no examiner.
    pub(super) fn of(client: &Client) -> Self {
        let options = client.options();
        Self {
            client: client.clone(),
            examiner: options.exam_model.clone().unwrap_or_else(|| options.model.clone()),
            threshold: exam::LOW,
            earlier: Vec::new(),
            written: None,
            is_down: false,
            has_sat: false,
            is_parroted: false,
            notes: Vec::new(),
        }
    }

    /// Whether the reader passed too few of these questions.
    pub(super) fn is_low(&self, results: &[ProbeResult]) -> bool {
        let scores = exam_scores(results).map(|scores| scores.against(self.threshold));
        !self.is_parroted && scores.is_some_and(|scores| scores.low)
    }

    /// The share of passed questions below which an exam is low.
    pub(super) fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The reader's results for a candidate; `None` when there is no exam.
    pub(super) async fn take_exam(
        &mut self,
        call_log: CallLog<'_>,
        span_facts: &Arc<SpanFacts>,
        checked: &CheckedDraft,
    ) -> Result<Option<Vec<ProbeResult>>, JobError> {
        self.ask(call_log, span_facts, &ServedText::of(checked)).await
    }

    /// The reader's results for a context; `None` when there is no exam.
    pub(super) async fn ask(
        &mut self,
        call_log: CallLog<'_>,
        span_facts: &Arc<SpanFacts>,
        served: &ServedText,
    ) -> Result<Option<Vec<ProbeResult>>, JobError> {
        if self.written.is_none() && !self.is_down {
            self.written = self.write(call_log, span_facts).await?;
        }
        let Some(written) = self.written.as_ref().filter(|_| !self.is_down) else { return Ok(None) };
        let still_true = (0..).zip(&self.earlier).filter(|(at, _)| !written.outdated.contains(at));
        let still_true: Vec<&Probe> = still_true.map(|(_, (_, probe))| probe).collect();
        let again = exam::asked_again(still_true.len());
        let again = again.into_iter().filter_map(|at| still_true.get(at).copied());
        let questions: Vec<Probe> = written.questions.iter().chain(again).cloned().collect();
        self.read(call_log, served, questions).await
    }

    /// Lets the examiner write the questions.
    async fn write(
        &mut self,
        call_log: CallLog<'_>,
        span_facts: &Arc<SpanFacts>,
    ) -> Result<Option<ExamQuestions>, JobError> {
        let Some(span) =
            span_facts.material.span.first().map(|first| (first.seq, span_facts.material.through_seq))
        else {
            return Ok(None);
        };
        let shown = self.client.options().context_tokens / 2;
        let (read, earlier) = (Arc::clone(span_facts), self.earlier.clone());
        let (paper, tokens) = in_turn(move || {
            let SpanFacts { material, ends, .. } = &*read;
            // Omit the facts that code found, because the record is made from them.
            let shown = shown.min(EVIDENCE_TOKENS);
            let evidence =
                changes::evidence(&material.span, (ends, &Facts::default()), shown, material.counter);
            let earlier: Vec<Probe> = earlier.into_iter().map(|(_, probe)| probe).collect();
            let paper = ExamPrompt::new(&evidence, &earlier);
            let tokens = material.counter.count_text(&paper.prompt.user);
            (paper, tokens)
        })
        .await?;
        let model_client = ModelClient { call_log, client: &self.client, model: &self.examiner };
        let question = Question {
            purpose: "examine",
            span,
            prompt: &paper.prompt,
            schema: exam::schema(),
            max_output_tokens: EXAM_TOKENS,
            input_tokens: tokens,
        };
        let (reason, written) = match model_client.ask(question).await? {
            Ok(reply) => {
                let read = Arc::clone(span_facts);
                let written = in_turn(move || paper.read(&reply.text, &read.material.span)).await?;
                ("unusable_reply", written)
            }
            Err(error) => (error.into(), None),
        };
        let Some(written) = written else {
            self.give_up(call_log, "examiner", reason);
            return Ok(None);
        };
        if !written.refused.is_empty() {
            let mut reasons: Vec<String> = written.refused.iter().map(ToString::to_string).collect();
            reasons.sort_unstable();
            reasons.dedup();
            self.notes.push(format!(
                "exam: of {} questions of the examiner's {} were not asked: {}",
                written.questions.len() + written.refused.len(),
                written.refused.len(),
                reasons.join(", ")
            ));
        }
        Ok(Some(written))
    }

    /// Lets the reader answer questions from the context of a version.
    pub(super) async fn read(
        &mut self,
        call_log: CallLog<'_>,
        served: &ServedText,
        questions: Vec<Probe>,
    ) -> Result<Option<Vec<ProbeResult>>, JobError> {
        let report = ProbeReport::of(questions.into_iter().map(ProbeResult::unanswered).collect());
        // One sheet holds them all.
        let Some(sheet) = probe::sheets(&report, &served.text, |_| true).into_iter().next() else {
            return Ok(None);
        };
        let model = self.client.options().probe_model.clone().unwrap_or_else(|| self.examiner.clone());
        let model_client = ModelClient { call_log, client: &self.client, model: &model };
        let question = Question {
            purpose: "read",
            span: served.span,
            prompt: &sheet.prompt,
            schema: probe::answer_schema(),
            max_output_tokens: EXAM_TOKENS,
            input_tokens: served.tokens,
        };
        let (reason, answered) = match model_client.ask(question).await? {
            Ok(reply) => ("unusable_reply", sheet.read(&reply.text).map(|answered| (answered, reply.spent))),
            Err(error) => (error.into(), None),
        };
        let Some((answered, spent)) = answered else {
            self.give_up(call_log, "reader", reason);
            return Ok(None);
        };
        let results = probe::mark_answers(&report, &answered, spent).results;
        if exam::is_parroted(&results) {
            // An answer that is right by chance means nothing. If none is right, the reader may have meant that it knows
            // nothing.
            if results.iter().any(|result| result.verdict == Verdict::Pass) {
                self.give_up(call_log, "reader", "the same answer to every question");
                return Ok(None);
            }
            self.is_parroted = true;
            self.notes.push("exam: the reader gave the same answer to every question".to_owned());
        }
        self.has_sat = true;
        Ok(Some(results))
    }

    /// Records that there is no exam, and why.
    fn give_up(&mut self, call_log: CallLog<'_>, who: &str, reason: &str) {
        warn!(compression.id = call_log.name(), llm.reader = who, reason, "llm.exam_unusable");
        self.is_down = true;
        let left = if self.has_sat { "what was told once more was not examined" } else { "there is no exam" };
        self.notes.push(format!("exam: the {who} gave no usable answer ({reason}); {left}"));
    }

    /// The changes to the session's questions, and the warnings for the reader of the version.
    pub(super) fn close(self) -> (ExamChanges, Vec<String>) {
        let ExamQuestions { questions, outdated, .. } = self.written.unwrap_or_default();
        let (mut retired, mut open) = (Vec::new(), Vec::new());
        for (at, (id, _)) in self.earlier.into_iter().enumerate() {
            if outdated.contains(&at) { &mut retired } else { &mut open }.push(id);
        }
        let too_many = (open.len() + questions.len()).saturating_sub(exam::MOST_KEPT);
        retired.extend(open.into_iter().take(too_many));
        (ExamChanges { questions, retired }, self.notes)
    }
}
