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
use super::job::{JobError, blocking, elapsed};
use super::narrate::MissingFacts;
use super::span_facts::SpanFacts;
use anchord_facts::ledger::Facts;
use anchord_messages::id::{ProbeId, Seq};
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, Base, CheckedDraft, Proposed};
use anchord_record::gate::{Escalation, GateOutcome, GateRecord};
use anchord_record::parts::{Parts, SplitSummary};
use anchord_record::probe::{self, Answerer, ProbeKind, ProbeReport, ProbeResult, Verdict};
use anchord_record::rubric::Rubric;
use anchord_record::{changes, strategy};
use anchord_session::compression::Timings;

/// A record as it is stored, and its parts.
pub(super) type WrittenRecord = (SplitSummary, Parts);

/// The measures with a model, before code takes over.
const MODEL_MEASURES: [Escalation; 2] = [Escalation::Detail, Escalation::SmallerPieces];

/// The most of the caller's failed probes that a version's warnings name.
const MOST_TOLD: usize = 5;

/// The last candidate, accepted or not.
pub(super) struct BuiltCandidate {
    pub(super) proof: CheckedDraft,
    pub(super) facts: Facts,
    /// The record as it is stored, with its parts, when the candidate may be stored.
    pub(super) record: Option<WrittenRecord>,
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
        let (span_facts, proof) = Box::pin(builder.prove_with(engine, span_facts, proposed)).await?;
        let (span_facts, proof) = Box::pin(builder.sit(engine, span_facts, proof)).await?;
        let by_model = is_by_model(&proof);
        // A candidate by code may still be smaller than one by a model.
        let refused = !proof.is_accepted() && (by_model || !proof.is_not_smaller());
        let strategy = span_facts.material.strategy;
        let next = if by_model { Some(strategy) } else { strategy.fallback() };
        let Some(next) = next.filter(|_| refused) else {
            return builder.close(span_facts, proof, probe_ids).await;
        };
        builder.continue_with(
            GateOutcome::FallBack,
            if by_model { Escalation::Code } else { Escalation::Strategy },
        );
        (material, _) = span_facts.into_parts();
        if by_model {
            engine.fall_back(if proof.is_not_smaller() { "not_smaller" } else { "gate_refused" });
        } else {
            material.strategy = next;
            if let Some((base, from_seq)) = stored.take() {
                (material.base, material.from_seq) = (base, from_seq);
            }
        }
    }
}

fn is_by_model(proof: &CheckedDraft) -> bool {
    proof.meta.engine == strategy::Engine::Llm
}

/// Builds and checks the candidates of one compression.
struct CandidateBuilder<'a> {
    call_log: CallLog<'a>,
    grader: Grader,
    gate: Vec<GateRecord>,
    timings: Timings,
    /// The stored form of the last candidate, once it is final.
    record: Option<WrittenRecord>,
}

impl<'a> CandidateBuilder<'a> {
    fn new(call_log: CallLog<'a>, grader: Grader) -> Self {
        Self { call_log, grader, gate: Vec::new(), timings: Timings::default(), record: None }
    }

    /// Checks a candidate, and those that the model makes of it when the gate rejects it.
    async fn prove_with(
        &mut self,
        engine: &mut Engine,
        span_facts: Arc<SpanFacts>,
        proposed: Proposed,
    ) -> Result<(Arc<SpanFacts>, CheckedDraft), JobError> {
        let (mut span_facts, mut proof) = Box::pin(self.prove(span_facts, proposed)).await?;
        for measure in MODEL_MEASURES {
            if !is_by_model(&proof) || proof.is_accepted() || proof.is_not_smaller() {
                break;
            }
            let begun = Instant::now();
            let missing = missing_facts(&proof, measure);
            let again = engine.narrate_again(self.call_log, &span_facts, (&proof.proposed, &missing)).await?;
            self.timings.engine_ms += elapsed(begun);
            let Some(again) = again else { break };
            self.continue_with(GateOutcome::Repair, measure);
            (span_facts, proof) = Box::pin(self.prove(span_facts, again)).await?;
        }
        Ok((span_facts, proof))
    }

    /// Lets a reader take the exam of an accepted candidate. When the result is low, asks the model again for what the
    /// reader did not know, and returns the better candidate.
    async fn sit(
        &mut self,
        engine: &mut Engine,
        span_facts: Arc<SpanFacts>,
        mut proof: CheckedDraft,
    ) -> Result<(Arc<SpanFacts>, CheckedDraft), JobError> {
        if !proof.is_accepted() {
            return Ok((span_facts, proof));
        }
        let begun = Instant::now();
        let is_examined = self.grader.sit(self.call_log, &span_facts, &mut proof).await?;
        self.timings.probe_ms += elapsed(begun);
        if !is_examined {
            return Ok((span_facts, proof));
        }
        self.rescore(&proof);
        // The span cannot supply what earlier messages said, so only its own questions count.
        let first = span_facts.material.span.first().map_or(Seq::MAX, |first| first.seq);
        let of_span = proof.report.results.iter().filter(|r| r.probe.seqs.iter().all(|seq| *seq >= first));
        let of_span: Vec<ProbeResult> = of_span.cloned().collect();
        if !is_by_model(&proof) || !self.grader.is_low(&of_span) {
            return Ok((span_facts, proof));
        }
        let before = proof.report.exam.map_or(0, |exam| exam.passed);
        let begun = Instant::now();
        let missing = missing_facts(&proof, Escalation::Detail);
        let again = engine.narrate_again(self.call_log, &span_facts, (&proof.proposed, &missing)).await?;
        self.timings.engine_ms += elapsed(begun);
        let Some(again) = again else { return Ok((span_facts, proof)) };
        let (record, accepted) = (self.record.take(), self.gate.last().cloned());
        self.continue_with(GateOutcome::Repair, Escalation::Detail);
        let (other_span_facts, mut other) = Box::pin(self.prove(Arc::clone(&span_facts), again)).await?;
        if other.is_accepted() {
            let begun = Instant::now();
            let is_examined = self.grader.sit(self.call_log, &other_span_facts, &mut other).await?;
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
        Ok((span_facts, proof))
    }

    /// Updates the scores of the last gate record.
    fn rescore(&mut self, proof: &CheckedDraft) {
        if let Some(last) = self.gate.last_mut() {
            last.scores = proof.report.scores();
        }
    }

    /// Sets the outcome of the last gate record, and the measure that follows.
    fn continue_with(&mut self, outcome: GateOutcome, next: Escalation) {
        if let Some(last) = self.gate.last_mut() {
            (last.outcome, last.next) = (outcome, Some(next));
        }
    }

    async fn prove(
        &mut self,
        span_facts: Arc<SpanFacts>,
        proposed: Proposed,
    ) -> Result<(Arc<SpanFacts>, CheckedDraft), JobError> {
        let begun = Instant::now();
        let prove = move || {
            let (span_facts, draft) = span_facts.merge(proposed);
            let proof = candidate::check(&span_facts.material, &span_facts.facts, draft);
            // Write the record here, while it is in the processor cache.
            let record = proof.is_accepted().then(|| write(&span_facts, &proof));
            (span_facts, proof, record)
        };
        let (span_facts, mut proof, record) = blocking(prove).await?;
        self.record = record.transpose()?;
        self.gate.append(&mut proof.gate);
        self.timings.probe_ms += elapsed(begun);
        Ok((span_facts, proof))
    }

    /// Lets a model answer the probes of an accepted candidate. Where it does not find what code finds word for word, code's
    /// verdict counts.
    async fn question(&mut self, proof: &mut CheckedDraft) -> Result<(), JobError> {
        let report = self.grader.answer(self.call_log, probe_target(proof), &proof.report).await?;
        let is_answered =
            |result: &ProbeResult| !result.probe.is_exam() && result.answered_by == Answerer::Model;
        if !report.results.iter().any(is_answered) {
            return Ok(());
        }
        let (report, disputed) = probe::settle_by_code(&report, &proof.report);
        if disputed > 0 {
            self.grader.note(format!(
                "probes: {disputed} that the model could not answer hold facts that code finds in the rendering; code's verdict counts"
            ));
        }
        // An exam is judged by the session's threshold, and was before.
        proof.answered(ProbeReport { exam: proof.report.exam, ..report });
        Ok(())
    }

    /// Lets the judge rate the last candidate, and returns it with all records.
    async fn close(
        mut self,
        span_facts: Arc<SpanFacts>,
        mut proof: CheckedDraft,
        probe_ids: Vec<ProbeId>,
    ) -> Result<BuiltCandidate, JobError> {
        let begun = Instant::now();
        proof.gate = std::mem::take(&mut self.gate);
        // Only a candidate that may be published is worth the calls to a model.
        if self.grader.is_on() && proof.is_accepted() {
            self.question(&mut proof).await?;
        }
        let rubric = if proof.is_accepted() {
            let read = Arc::clone(&span_facts);
            let evidence = move |budget| {
                let SpanFacts { material, facts, ends } = &*read;
                changes::evidence(&material.span, (ends, facts), budget, material.counter)
            };
            let span =
                (span_facts.material.span.first().map_or(0, |first| first.seq), proof.meta.through_seq);
            self.grader.judge(self.call_log, (&proof.rendering.text, span), evidence).await?
        } else {
            None
        };
        self.timings.probe_ms += elapsed(begun);
        let (exam, notes) = self.grader.close();
        proof.meta.warnings.extend(notes);
        let open = proof.report.callers_failed().take(MOST_TOLD);
        let open = open.map(|probe| format!("the caller's own probe fails: {}", probe.question));
        proof.meta.warnings.extend(open);
        let mut record = self.record;
        if record.is_none() && proof.is_accepted() {
            record = Some(write(&span_facts, &proof)?);
        }
        let counter = span_facts.material.counter;
        let (_, facts) = span_facts.into_parts();
        let (timings, todos_revision) = (self.timings, None);
        Ok(BuiltCandidate { proof, facts, record, probe_ids, timings, counter, todos_revision, rubric, exam })
    }
}

/// Serialises the record as it is stored, without the parts that its base has.
fn write(span_facts: &SpanFacts, proof: &CheckedDraft) -> Result<WrittenRecord, JobError> {
    let base = span_facts.material.base.as_ref();
    let parts = base.map(|base| base.parts.clone()).unwrap_or_default();
    parts.write(&proof.summary, proof.meta.version).map_err(|error| JobError::Broken(error.to_string()))
}

fn probe_target(proof: &CheckedDraft) -> ProbeTarget<'_> {
    let span = (proof.meta.from_seq, proof.meta.through_seq);
    ProbeTarget { rendering: &proof.rendering.text, tokens: proof.rendering.tokens, span }
}

/// The facts that the failed probes of a candidate asked about.
fn missing_facts(proof: &CheckedDraft, measure: Escalation) -> MissingFacts {
    let failed = || proof.report.results.iter().filter(|result| result.verdict == Verdict::Fail);
    let mut categories: Vec<&'static str> = failed().map(|result| category(result.probe.kind)).collect();
    categories.sort_unstable();
    categories.dedup();
    if categories.is_empty() {
        categories.push("the aim, the state of the work and the reasons of decisions");
    }
    let seqs = failed().flat_map(|result| result.probe.seqs.iter().copied()).collect();
    MissingFacts { categories, seqs, smaller: measure == Escalation::SmallerPieces }
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
