//! A candidate and the gate: proved by code, asked of a model when one answers probes, and when it does not
//! hold, made anew by the next measure: missing facts, more detail, smaller pieces, code, another strategy.

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
use anchord_record::candidate::{self, Base, Proof, Proposed};
use anchord_record::changes;
use anchord_record::gate::{GateOutcome, GateRecord, Measure};
use anchord_record::parts::{Parts, Written};
use anchord_record::probe::{self, Answerer, ProbeKind, ProbeReport, ProbeResult, Verdict};
use anchord_record::rubric::Rubric;
use anchord_record::strategy;
use anchord_session::compression::Timings;

/// A record as it is stored, and its parts.
pub(super) type WrittenRecord = (Written, Parts);

/// What is tried with a model before code takes over.
const MODEL_MEASURES: [Measure; 2] = [Measure::Detail, Measure::SmallerPieces];

/// The last candidate.
pub(super) struct BuiltCandidate {
    pub(super) proof: Proof,
    pub(super) facts: Facts,
    /// The record as it is stored, with its parts; of one that may be kept.
    pub(super) record: Option<WrittenRecord>,
    pub(super) probe_ids: Vec<ProbeId>,
    pub(super) timings: Timings,
    pub(super) counter: TokenCounter,
    /// The caller's todo list that it was made from.
    pub(super) todos_revision: Option<i64>,
    /// What a judge says of it.
    pub(super) rubric: Option<Rubric>,
    /// What the session keeps of its exam.
    pub(super) exam: ExamChanges,
}

/// Makes a candidate, and when the gate refuses it for good, the one that code makes in a model's place
/// and the one that its strategy falls back to. `fresh` is what the history was read into afresh, and from
/// where.
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
        // Most of what is read afresh is in the record already.
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
        let told = is_by_model(&proof);
        // What code words may still be smaller than what a model worded.
        let refused = !proof.is_accepted() && (told || !proof.is_not_smaller());
        let strategy = span_facts.material.strategy;
        let next = if told { Some(strategy) } else { strategy.fallback() };
        let Some(next) = next.filter(|_| refused) else {
            return builder.close(span_facts, proof, probe_ids).await;
        };
        builder.continue_with(GateOutcome::FallBack, if told { Measure::Code } else { Measure::Strategy });
        (material, _) = span_facts.into_parts();
        if told {
            engine.fall_back(if proof.is_not_smaller() { "not_smaller" } else { "gate_refused" });
        } else {
            material.strategy = next;
            if let Some((base, from_seq)) = stored.take() {
                (material.base, material.from_seq) = (base, from_seq);
            }
        }
    }
}

fn is_by_model(proof: &Proof) -> bool {
    proof.meta.engine == strategy::Engine::Llm
}

/// The gate of one compression.
struct CandidateBuilder<'a> {
    call_log: CallLog<'a>,
    grader: Grader,
    gate: Vec<GateRecord>,
    timings: Timings,
    /// Of the last candidate, when nothing changes that any more.
    record: Option<WrittenRecord>,
}

impl<'a> CandidateBuilder<'a> {
    fn new(call_log: CallLog<'a>, grader: Grader) -> Self {
        Self { call_log, grader, gate: Vec::new(), timings: Timings::default(), record: None }
    }

    /// Proves a candidate, and those that the model makes of it when it does not hold.
    async fn prove_with(
        &mut self,
        engine: &mut Engine,
        span_facts: Arc<SpanFacts>,
        proposed: Proposed,
    ) -> Result<(Arc<SpanFacts>, Proof), JobError> {
        let (mut span_facts, mut proof) = self.prove(span_facts, proposed).await?;
        for measure in MODEL_MEASURES {
            if !is_by_model(&proof) || proof.is_accepted() || proof.is_not_smaller() {
                break;
            }
            let begun = Instant::now();
            let missing = missing(&proof, measure);
            let again = engine.narrate_again(self.call_log, &span_facts, (&proof.proposed, &missing)).await?;
            self.timings.engine_ms += elapsed(begun);
            let Some(again) = again else { break };
            self.continue_with(GateOutcome::Repair, measure);
            (span_facts, proof) = self.prove(span_facts, again).await?;
        }
        Ok((span_facts, proof))
    }

    /// Lets a reader sit the exam of a candidate that holds; where that goes badly, lets the model tell once more what the
    /// reader did not know, and takes what is better.
    async fn sit(
        &mut self,
        engine: &mut Engine,
        span_facts: Arc<SpanFacts>,
        mut proof: Proof,
    ) -> Result<(Arc<SpanFacts>, Proof), JobError> {
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
        // What earlier messages said cannot be told again from these.
        let first = span_facts.material.span.first().map_or(Seq::MAX, |first| first.seq);
        let of_span = proof.report.results.iter().filter(|r| r.probe.seqs.iter().all(|seq| *seq >= first));
        let of_span: Vec<ProbeResult> = of_span.cloned().collect();
        if !is_by_model(&proof) || !self.grader.is_low(&of_span) {
            return Ok((span_facts, proof));
        }
        let before = proof.report.exam.map_or(0, |exam| exam.passed);
        let begun = Instant::now();
        let missing = missing(&proof, Measure::Detail);
        let again = engine.narrate_again(self.call_log, &span_facts, (&proof.proposed, &missing)).await?;
        self.timings.engine_ms += elapsed(begun);
        let Some(again) = again else { return Ok((span_facts, proof)) };
        let (record, accepted) = (self.record.take(), self.gate.last().cloned());
        self.continue_with(GateOutcome::Repair, Measure::Detail);
        let (other_span_facts, mut other) = self.prove(Arc::clone(&span_facts), again).await?;
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
        // What was good before is good still.
        self.record = record;
        self.gate.extend(accepted);
        Ok((span_facts, proof))
    }

    /// Tells the gate's record of the last candidate its figures.
    fn rescore(&mut self, proof: &Proof) {
        if let Some(last) = self.gate.last_mut() {
            last.scores = proof.report.scores();
        }
    }

    /// Says of the last candidate what was tried next.
    fn continue_with(&mut self, outcome: GateOutcome, next: Measure) {
        if let Some(last) = self.gate.last_mut() {
            (last.outcome, last.next) = (outcome, Some(next));
        }
    }

    async fn prove(
        &mut self,
        span_facts: Arc<SpanFacts>,
        proposed: Proposed,
    ) -> Result<(Arc<SpanFacts>, Proof), JobError> {
        let begun = Instant::now();
        let (is_shadow, is_asked) = (self.call_log.is_shadow(), self.grader.is_on());
        let prove = move || {
            let (span_facts, draft) = span_facts.merge(proposed);
            let proof = candidate::prove(&span_facts.material, &span_facts.facts, draft);
            // Here, where the record was gone through just now and is near the processor; but what a model does not
            // find may still be put into it.
            let is_kept = !is_asked && (is_shadow || proof.is_accepted());
            let record = is_kept.then(|| write(&span_facts, &proof, is_shadow));
            (span_facts, proof, record)
        };
        let (span_facts, mut proof, record) = blocking(prove).await?;
        self.record = record.transpose()?;
        // A model is asked about what may be published, and nothing else.
        if self.grader.is_on() && proof.is_accepted() {
            proof = self.question(&span_facts, proof).await?;
        }
        self.gate.append(&mut proof.gate);
        self.timings.probe_ms += elapsed(begun);
        Ok((span_facts, proof))
    }

    /// Lets a model answer the probes, puts back what it does not find, and asks that once more.
    async fn question(&mut self, span_facts: &Arc<SpanFacts>, mut proof: Proof) -> Result<Proof, JobError> {
        let mut by_code = proof.report.clone();
        let report = self.grader.answer(self.call_log, probe_target(&proof), &by_code).await?;
        if report.results.iter().all(|result| result.answered_by == Answerer::Code) {
            return Ok(proof);
        }
        proof.answered(report);
        if proof.is_accepted() {
            return Ok(proof);
        }
        let read = Arc::clone(span_facts);
        let expand = move || {
            let next = candidate::expand(&read.material, &read.facts, &proof);
            (proof, next)
        };
        let (mut proof, expanded) = blocking(expand).await?;
        if let Some(mut next) = expanded.filter(Proof::is_accepted) {
            by_code = next.report.clone();
            let open = probe::keep_passed(&next.report, &proof.report);
            let report = self.grader.answer(self.call_log, probe_target(&next), &open).await?;
            if let Some(last) = proof.gate.last_mut() {
                (last.outcome, last.next) = (GateOutcome::Repair, Some(Measure::Facts));
            }
            next.gate.splice(0..0, proof.gate);
            next.answered(report);
            proof = next;
        }
        if !is_by_model(&proof) && !proof.is_accepted() {
            // Nothing is left to try, and code has found in the rendering what the model has not: a weak
            // model must not keep a session from ever being compressed.
            let (report, disputed) = probe::settle_by_code(&proof.report, &by_code);
            proof.answered(report);
            self.grader.note(format!(
                "probes: {disputed} that the model could not answer hold facts that code finds in the rendering; code's verdict counts"
            ));
        }
        Ok(proof)
    }

    /// Lets a judge see what came out, and hands it over with its records.
    async fn close(
        mut self,
        span_facts: Arc<SpanFacts>,
        mut proof: Proof,
        probe_ids: Vec<ProbeId>,
    ) -> Result<BuiltCandidate, JobError> {
        let begun = Instant::now();
        let rubric = if proof.is_accepted() || self.call_log.is_shadow() {
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
        proof.gate = self.gate;
        let (exam, notes) = self.grader.close();
        proof.meta.warnings.extend(notes);
        let is_shadow = self.call_log.is_shadow();
        let mut record = self.record;
        if record.is_none() && (is_shadow || proof.is_accepted()) {
            record = Some(write(&span_facts, &proof, is_shadow)?);
        }
        let counter = span_facts.material.counter;
        let (_, facts) = span_facts.into_parts();
        let (timings, todos_revision) = (self.timings, None);
        Ok(BuiltCandidate { proof, facts, record, probe_ids, timings, counter, todos_revision, rubric, exam })
    }
}

/// Writes the record as it is stored. A shadow run's candidate is no version: nothing may name parts of it, and it
/// stands alone.
fn write(span_facts: &SpanFacts, proof: &Proof, is_shadow: bool) -> Result<WrittenRecord, JobError> {
    let base = span_facts.material.base.as_ref().filter(|_| !is_shadow);
    let parts = base.map(|base| base.parts.clone()).unwrap_or_default();
    parts.write(&proof.summary, proof.meta.version).map_err(|error| JobError::Broken(error.to_string()))
}

fn probe_target(proof: &Proof) -> ProbeTarget<'_> {
    let span = (proof.meta.from_seq, proof.meta.through_seq);
    ProbeTarget { rendering: &proof.rendering.text, tokens: proof.rendering.tokens, span }
}

/// What a candidate's failed probes asked about, and where that stood.
fn missing(proof: &Proof, measure: Measure) -> MissingFacts {
    let failed = || proof.report.results.iter().filter(|result| result.verdict == Verdict::Fail);
    let mut categories: Vec<&'static str> = failed().map(|result| category(result.probe.kind)).collect();
    categories.sort_unstable();
    categories.dedup();
    if categories.is_empty() {
        categories.push("the aim, the state of the work and the reasons of decisions");
    }
    let seqs = failed().flat_map(|result| result.probe.seqs.iter().copied()).collect();
    MissingFacts { categories, seqs, smaller: measure == Measure::SmallerPieces }
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
