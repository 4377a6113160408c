//! The exam of one job: an examiner writes questions from the messages, and a reader answers them, and earlier ones
//! that are still true, from the candidate alone.
//!
//! A call to the examiner for a job, and one to the reader for a candidate, of which there are two at most. When either
//! cannot be reached or read there is no exam, which is said; nothing of a compression waits on its outcome.

use std::sync::Arc;

use tracing::warn;

use super::call_log::CallLog;
use super::job::{Env, JobError, blocking};
use super::model_client::{ModelClient, Question};
use super::span_facts::SpanFacts;
use anchord_facts::ledger::Facts;
use anchord_llm::Client;
use anchord_messages::id::{ProbeId, Seq};
use anchord_record::candidate::Proof;
use anchord_record::changes;
use anchord_record::exam::{self, ExamMode, ExamScores, Paper, Written};
use anchord_record::probe::{self, Probe, ProbeReport, ProbeResult, Verdict};
use anchord_record::strategy::EngineChoice;
use anchord_session::settings::Settings;
use anchord_store::compressions::Job;

/// Tokens of the messages that an examiner is shown, at most.
const EVIDENCE_TOKENS: u32 = 16_000;
/// Tokens of what it writes, and of a reader's answers.
const EXAM_TOKENS: u32 = 3_072;

/// Asks an examiner and a reader.
#[derive(Debug)]
pub(super) struct Exam {
    client: Client,
    /// Who writes the questions.
    examiner: String,
    /// Below which share it is low.
    threshold: f64,
    /// Questions of earlier exams.
    earlier: Vec<(ProbeId, Probe)>,
    /// What the examiner wrote of this job's messages; `None` until it was asked.
    written: Option<Written>,
    is_down: bool,
    /// A reader has answered once.
    has_sat: bool,
    /// It gave one answer to everything, so that nothing is to be learned from it.
    is_parroted: bool,
    notes: Vec<String>,
}

/// What a session keeps of an exam.
#[derive(Debug, Default)]
pub(super) struct ExamChanges {
    /// Its new questions.
    pub(super) questions: Vec<Probe>,
    /// Earlier ones that are asked no more.
    pub(super) retired: Vec<ProbeId>,
}

/// What a reader is given: a version's context.
#[derive(Clone, Debug)]
pub(super) struct ServedText {
    pub(super) text: String,
    pub(super) tokens: u32,
    /// The messages that it stands for.
    pub(super) span: (Seq, Seq),
}

impl ServedText {
    pub(super) fn of(proof: &Proof) -> Self {
        Self {
            text: format!("{}\n\n{}", proof.rendering.text, proof.digest.text),
            tokens: proof.rendering.tokens.saturating_add(proof.digest.tokens),
            span: (proof.meta.from_seq, proof.meta.through_seq),
        }
    }
}

impl Exam {
    /// The exam of a version that follows `parent`, when the operator named an examiner and the session is taken. One
    /// whose messages go to no model is examined only when it asks for that.
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
            exam.earlier = env.store.load_exam(job.tenant, job.session, parent).await?;
        }
        Ok(Some(exam))
    }

    /// An exam without earlier questions, when the operator named an examiner.
    pub(super) fn new(client: &Client, threshold: f64) -> Option<Self> {
        Some(Self {
            client: client.clone(),
            examiner: client.options().exam_model.clone()?,
            threshold,
            earlier: Vec::new(),
            written: None,
            is_down: false,
            has_sat: false,
            is_parroted: false,
            notes: Vec::new(),
        })
    }

    /// Whether a reader knew too little of what results are about.
    pub(super) fn is_low(&self, results: &[ProbeResult]) -> bool {
        let scores = ExamScores::of(results).map(|scores| scores.against(self.threshold));
        !self.is_parroted && scores.is_some_and(|scores| scores.low)
    }

    /// Below which share it is low.
    pub(super) fn threshold(&self) -> f64 {
        self.threshold
    }

    /// What the reader answered of a candidate; `None` when there is no exam.
    pub(super) async fn sit(
        &mut self,
        call_log: CallLog<'_>,
        span_facts: &Arc<SpanFacts>,
        proof: &Proof,
    ) -> Result<Option<Vec<ProbeResult>>, JobError> {
        if self.written.is_none() && !self.is_down {
            self.written = self.write(call_log, span_facts).await?;
        }
        let Some(written) = self.written.as_ref().filter(|_| !self.is_down) else { return Ok(None) };
        let true_still = (0..).zip(&self.earlier).filter(|(at, _)| !written.outdated.contains(at));
        let true_still: Vec<&Probe> = true_still.map(|(_, (_, probe))| probe).collect();
        let again = exam::asked_again(true_still.len());
        let again = again.into_iter().filter_map(|at| true_still.get(at).copied());
        let questions: Vec<Probe> = written.questions.iter().chain(again).cloned().collect();
        self.read(call_log, &ServedText::of(proof), questions).await
    }

    /// Asks the examiner.
    async fn write(
        &mut self,
        call_log: CallLog<'_>,
        span_facts: &Arc<SpanFacts>,
    ) -> Result<Option<Written>, JobError> {
        let Some(span) =
            span_facts.material.span.first().map(|first| (first.seq, span_facts.material.through_seq))
        else {
            return Ok(None);
        };
        let shown = self.client.options().context_tokens / 2;
        let (read, earlier) = (Arc::clone(span_facts), self.earlier.clone());
        let (paper, tokens) = blocking(move || {
            let SpanFacts { material, ends, .. } = &*read;
            // What code found is left out: the record is made from it.
            let shown = shown.min(EVIDENCE_TOKENS);
            let evidence =
                changes::evidence(&material.span, (ends, &Facts::default()), shown, material.counter);
            let earlier: Vec<Probe> = earlier.into_iter().map(|(_, probe)| probe).collect();
            let paper = Paper::new(&evidence, &earlier);
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
                let written = blocking(move || paper.read(&reply.text, &read.material.span)).await?;
                ("unusable_reply", written)
            }
            Err(error) => (error.as_str(), None),
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

    /// Lets the reader answer questions from a version's context.
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
            Err(error) => (error.as_str(), None),
        };
        let Some((answered, spent)) = answered else {
            self.give_up(call_log, "reader", reason);
            return Ok(None);
        };
        let results = probe::mark_answers(&report, &answered, spent).results;
        if exam::is_parroted(&results) {
            // What is right by chance is no answer; else it may have said in its words that it knows nothing.
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

    /// Notes that there is no exam, and why.
    fn give_up(&mut self, call_log: CallLog<'_>, who: &str, reason: &str) {
        warn!(compression.id = call_log.name(), llm.reader = who, reason, "llm.exam_unusable");
        self.is_down = true;
        let left = if self.has_sat { "what was told once more was not examined" } else { "there is no exam" };
        self.notes.push(format!("exam: the {who} gave no usable answer ({reason}); {left}"));
    }

    /// What the session keeps, and what a reader of the version should know.
    pub(super) fn close(self) -> (ExamChanges, Vec<String>) {
        let Written { questions, outdated, .. } = self.written.unwrap_or_default();
        let (mut retired, mut open) = (Vec::new(), Vec::new());
        for (at, (id, _)) in self.earlier.into_iter().enumerate() {
            if outdated.contains(&at) { &mut retired } else { &mut open }.push(id);
        }
        let too_many = (open.len() + questions.len()).saturating_sub(exam::MOST_KEPT);
        retired.extend(open.into_iter().take(too_many));
        (ExamChanges { questions, retired }, self.notes)
    }
}
