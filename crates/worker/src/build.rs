//! Builds the candidate of a compression and takes it through the gate. Code checks it; a rejected candidate is built again
//! with the next measure: missing facts, more detail, smaller pieces, code, another strategy. When there is a model, it also answers
//! the probes of the accepted candidate.

use std::sync::Arc;
use std::time::Instant;

use super::call_log::CallLog;
use super::engine::Engine;
use super::exam::ExamChanges;
use super::grader::{Grader, ProbeTarget};
use super::input::CompressionInput;
use super::job::{JobError, elapsed, in_turn};
use super::narrate::MissingFacts;
use super::span_facts::SpanFacts;
use anchord_facts::ledger::Facts;
use anchord_messages::id::{ProbeId, Seq};
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, Base, CheckedDraft, Proposed};
use anchord_record::gate::{GateOutcome, GateRecord, RetryMeasure};
use anchord_record::parts::SplitSummary;
use anchord_record::probe::{self, Answerer, ProbeKind, ProbeReport, ProbeResult, Verdict};
use anchord_record::rubric::Rubric;
use anchord_record::{changes, strategy};
use anchord_session::compression::Timings;

/// The measures with a model, before code takes over.
const MODEL_MEASURES: [RetryMeasure; 2] = [RetryMeasure::Detail, RetryMeasure::SmallerPieces];

/// The most of the caller's failed probes that a version's warnings name.
const MOST_TOLD: usize = 5;

/// The last candidate, accepted or not.
pub(super) struct BuiltCandidate {
    pub(super) checked: CheckedDraft,
    pub(super) facts: Facts,
    /// The record as it is stored, when the candidate may be stored.
    pub(super) record: Option<SplitSummary>,
    pub(super) probe_ids: Vec<ProbeId>,
    pub(super) timings: Timings,
    pub(super) counter: TokenCounter,
    /// The revision of the caller's todo list that was read.
    pub(super) todos_revision: Option<i64>,
    /// The rubric of the judge, when there is one.
    pub(super) rubric: Option<Rubric>,
    /// How the exam changes the questions of the session.
    pub(super) exam: ExamChanges,
}

/// Builds a candidate. When the gate rejects it for good, builds one by code in place of the model, and then one with the
/// fallback of the strategy. `fresh` is the record that was built from the whole history, and its first message.
pub(super) async fn build(
    call_log: CallLog<'_>,
    grader: Grader,
    engine: &mut Engine,
    input: CompressionInput,
    fresh: Option<(Base, Seq)>,
) -> Result<BuiltCandidate, JobError> {
    let CompressionInput { mut material, probe_ids, mut ends, mut shorter } = input;
    let mut builder = CandidateBuilder::new(call_log, grader);
    let mut stored = fresh.map(|(mut base, from_seq)| {
        // Most of the fresh record is stored already, so reuse the stored parts.
        base.parts = material.base.as_ref().map(|base| base.parts.clone()).unwrap_or_default();
        (material.base.replace(base), std::mem::replace(&mut material.from_seq, from_seq))
    });
    loop {
        if engine.has_fallen_back()
            && let Some(shorter) = shorter.take()
        {
            ends = ends.iter().copied().filter(|end| *end <= shorter.through_seq).collect();
            shorter.apply(&mut material);
        }
        let begun = Instant::now();
        let span_facts = SpanFacts::read(material, Arc::clone(&ends)).await?;
        builder.timings.ledger_ms += elapsed(begun);
        let begun = Instant::now();
        let proposed = engine.propose(call_log, &span_facts).await?;
        builder.timings.engine_ms += elapsed(begun);
        if engine.has_fallen_back() && shorter.is_some() {
            (material, _) = span_facts.into_parts();
            continue;
        }
        let (span_facts, checked) = Box::pin(builder.check_and_retry(engine, span_facts, proposed)).await?;
        let (span_facts, checked) = Box::pin(builder.take_exam(engine, span_facts, checked)).await?;
        let by_model = is_by_model(&checked);
        // A candidate by code may still be smaller than one by a model.
        let refused = !checked.is_accepted() && (by_model || !checked.is_not_smaller());
        let strategy = span_facts.material.strategy;
        let next = if by_model { Some(strategy) } else { strategy.fallback() };
        let Some(next) = next.filter(|_| refused) else {
            return builder.finish(span_facts, checked, probe_ids).await;
        };
        builder.continue_with(
            GateOutcome::FallBack,
            if by_model { RetryMeasure::Code } else { RetryMeasure::Strategy },
        );
        (material, _) = span_facts.into_parts();
        if by_model {
            engine.fall_back(if checked.is_not_smaller() { "not_smaller" } else { "gate_refused" });
        } else {
            material.strategy = next;
            if let Some((base, from_seq)) = stored.take() {
                (material.base, material.from_seq) = (base, from_seq);
            }
        }
    }
}

fn is_by_model(checked: &CheckedDraft) -> bool {
    checked.meta.engine == strategy::Engine::Llm
}

/// Builds and checks the candidates of one compression.
struct CandidateBuilder<'a> {
    call_log: CallLog<'a>,
    grader: Grader,
    gate: Vec<GateRecord>,
    timings: Timings,
    /// The stored form of the last candidate, once it is final.
    record: Option<SplitSummary>,
}

impl<'a> CandidateBuilder<'a> {
    fn new(call_log: CallLog<'a>, grader: Grader) -> Self {
        Self { call_log, grader, gate: Vec::new(), timings: Timings::default(), record: None }
    }

    /// Checks a candidate, and those that the model makes of it when the gate rejects it.
    async fn check_and_retry(
        &mut self,
        engine: &mut Engine,
        span_facts: Arc<SpanFacts>,
        proposed: Proposed,
    ) -> Result<(Arc<SpanFacts>, CheckedDraft), JobError> {
        let (mut span_facts, mut checked) = Box::pin(self.check(span_facts, proposed)).await?;
        for measure in MODEL_MEASURES {
            if !is_by_model(&checked) || checked.is_accepted() || checked.is_not_smaller() {
                break;
            }
            let begun = Instant::now();
            let missing = missing_facts(&checked, measure);
            let again =
                engine.narrate_again(self.call_log, &span_facts, (&checked.proposed, &missing)).await?;
            self.timings.engine_ms += elapsed(begun);
            let Some(again) = again else { break };
            self.continue_with(GateOutcome::Repair, measure);
            (span_facts, checked) = Box::pin(self.check(span_facts, again)).await?;
        }
        Ok((span_facts, checked))
    }

    /// Lets a reader take the exam of an accepted candidate. When the result is low, asks the model again for what the
    /// reader did not know, and returns the better candidate.
    async fn take_exam(
        &mut self,
        engine: &mut Engine,
        span_facts: Arc<SpanFacts>,
        mut checked: CheckedDraft,
    ) -> Result<(Arc<SpanFacts>, CheckedDraft), JobError> {
        if !checked.is_accepted() {
            return Ok((span_facts, checked));
        }
        let begun = Instant::now();
        let is_examined = self.grader.take_exam(self.call_log, &span_facts, &mut checked).await?;
        self.timings.probe_ms += elapsed(begun);
        if !is_examined {
            return Ok((span_facts, checked));
        }
        self.rescore(&checked);
        // The span cannot supply what earlier messages said, so only its own questions count.
        let first = span_facts.material.span.first().map_or(Seq::MAX, |first| first.seq);
        let of_span = checked.report.results.iter().filter(|r| r.probe.seqs.iter().all(|seq| *seq >= first));
        let of_span: Vec<ProbeResult> = of_span.cloned().collect();
        if !is_by_model(&checked) || !self.grader.is_low(&of_span) {
            return Ok((span_facts, checked));
        }
        let before = checked.report.exam.map_or(0, |exam| exam.passed);
        let begun = Instant::now();
        let missing = missing_facts(&checked, RetryMeasure::Detail);
        let again = engine.narrate_again(self.call_log, &span_facts, (&checked.proposed, &missing)).await?;
        self.timings.engine_ms += elapsed(begun);
        let Some(again) = again else { return Ok((span_facts, checked)) };
        let (record, accepted) = (self.record.take(), self.gate.last().cloned());
        self.continue_with(GateOutcome::Repair, RetryMeasure::Detail);
        let (other_span_facts, mut other) = Box::pin(self.check(Arc::clone(&span_facts), again)).await?;
        if other.is_accepted() {
            let begun = Instant::now();
            let is_examined = self.grader.take_exam(self.call_log, &other_span_facts, &mut other).await?;
            self.timings.probe_ms += elapsed(begun);
            self.rescore(&other);
            let passed = |report: &ProbeReport| report.exam.map_or(0, |exam| exam.passed);
            if is_examined && passed(&other.report) > before {
                return Ok((other_span_facts, other));
            }
            if let Some(last) = self.gate.last_mut() {
                last.outcome = GateOutcome::Reject;
                let reason =
                    if is_examined { "its exam went no better" } else { "its exam was not answered" };
                last.reasons.push(reason.to_owned());
            }
        }
        // Return to the first candidate, which was accepted.
        self.record = record;
        self.gate.extend(accepted);
        Ok((span_facts, checked))
    }

    /// Updates the scores of the last gate record.
    fn rescore(&mut self, checked: &CheckedDraft) {
        if let Some(last) = self.gate.last_mut() {
            last.scores = checked.report.scores();
        }
    }

    /// Sets the outcome of the last gate record, and the measure that follows.
    fn continue_with(&mut self, outcome: GateOutcome, next: RetryMeasure) {
        if let Some(last) = self.gate.last_mut() {
            (last.outcome, last.next) = (outcome, Some(next));
        }
    }

    async fn check(
        &mut self,
        span_facts: Arc<SpanFacts>,
        proposed: Proposed,
    ) -> Result<(Arc<SpanFacts>, CheckedDraft), JobError> {
        let begun = Instant::now();
        let work = move || {
            let (span_facts, draft) = span_facts.merge(proposed);
            let checked = candidate::check(&span_facts.material, &span_facts.facts, draft);
            // Write the record here, while it is in the processor cache.
            let record = checked.is_accepted().then(|| write(&span_facts, &checked));
            (span_facts, checked, record)
        };
        let (span_facts, mut checked, record) = in_turn(work).await?;
        self.record = record.transpose()?;
        self.gate.append(&mut checked.gate);
        self.timings.probe_ms += elapsed(begun);
        Ok((span_facts, checked))
    }

    /// Lets a model answer the probes of an accepted candidate. Where it does not find what code finds word for word, code's
    /// verdict counts.
    async fn answer_probes_by_model(&mut self, checked: &mut CheckedDraft) -> Result<(), JobError> {
        let report = self.grader.answer(self.call_log, probe_target(checked), &checked.report).await?;
        let is_answered =
            |result: &ProbeResult| !result.probe.is_exam() && result.answered_by == Answerer::Model;
        if !report.results.iter().any(is_answered) {
            return Ok(());
        }
        let (report, disputed) = probe::settle_by_code(&report, &checked.report);
        if disputed > 0 {
            self.grader.note(format!(
                "probes: {disputed} that the model could not answer hold facts that code finds in the rendering; code's verdict counts"
            ));
        }
        // An exam is judged by the session's threshold, and was before.
        checked.answered(ProbeReport { exam: checked.report.exam, ..report });
        Ok(())
    }

    /// Lets the judge rate the last candidate, and returns it with all records.
    async fn finish(
        mut self,
        span_facts: Arc<SpanFacts>,
        mut checked: CheckedDraft,
        probe_ids: Vec<ProbeId>,
    ) -> Result<BuiltCandidate, JobError> {
        let begun = Instant::now();
        checked.gate = std::mem::take(&mut self.gate);
        // Only a candidate that may be published is worth the calls to a model.
        if self.grader.is_on() && checked.is_accepted() {
            self.answer_probes_by_model(&mut checked).await?;
        }
        let rubric = if checked.is_accepted() {
            let read = Arc::clone(&span_facts);
            let evidence = move |budget| {
                let SpanFacts { material, facts, ends } = &*read;
                changes::evidence(&material.span, (ends, facts), budget, material.counter)
            };
            let span =
                (span_facts.material.span.first().map_or(0, |first| first.seq), checked.meta.through_seq);
            self.grader.judge(self.call_log, (&checked.rendering.text, span), evidence).await?
        } else {
            None
        };
        self.timings.probe_ms += elapsed(begun);
        let (exam, notes) = self.grader.close();
        checked.meta.warnings.extend(notes);
        let open = checked.report.callers_failed().take(MOST_TOLD);
        let open = open.map(|probe| format!("the caller's own probe fails: {}", probe.question));
        checked.meta.warnings.extend(open);
        let mut record = self.record;
        if record.is_none() && checked.is_accepted() {
            record = Some(write(&span_facts, &checked)?);
        }
        let counter = span_facts.material.counter;
        let (_, facts) = span_facts.into_parts();
        let (timings, todos_revision) = (self.timings, None);
        Ok(BuiltCandidate {
            checked,
            facts,
            record,
            probe_ids,
            timings,
            counter,
            todos_revision,
            rubric,
            exam,
        })
    }
}

/// Serialises the record as it is stored, without the parts that its base has.
fn write(span_facts: &SpanFacts, checked: &CheckedDraft) -> Result<SplitSummary, JobError> {
    let base = span_facts.material.base.as_ref();
    let parts = base.map(|base| base.parts.clone()).unwrap_or_default();
    parts.write(&checked.summary, checked.meta.version).map_err(|error| JobError::Broken(error.to_string()))
}

fn probe_target(checked: &CheckedDraft) -> ProbeTarget<'_> {
    let span = (checked.meta.from_seq, checked.meta.through_seq);
    ProbeTarget { rendering: &checked.rendering.text, tokens: checked.rendering.tokens, span }
}

/// The facts that the failed probes of a candidate asked about.
fn missing_facts(checked: &CheckedDraft, measure: RetryMeasure) -> MissingFacts {
    let failed = || checked.report.results.iter().filter(|result| result.verdict == Verdict::Fail);
    let mut categories: Vec<&'static str> = failed().map(|result| category(result.probe.kind)).collect();
    categories.sort_unstable();
    categories.dedup();
    if categories.is_empty() {
        categories.push("the aim, the state of the work and the reasons of decisions");
    }
    let seqs = failed().flat_map(|result| result.probe.seqs.iter().copied()).collect();
    MissingFacts { categories, seqs, smaller: measure == RetryMeasure::SmallerPieces }
}

fn category(kind: ProbeKind) -> &'static str {
    match kind {
        ProbeKind::Recall => "errors, figures and identifiers",
        ProbeKind::Artifact => "what was done to which file",
        ProbeKind::Continuation => "the task, where it stands and what comes next",
        ProbeKind::Decision => "decisions and their reasons",
        ProbeKind::Blocker => "what stands in the way",
        ProbeKind::Constraint => "rules that a person set",
    }
}
