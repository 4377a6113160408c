//! A candidate and the gate: proved by code, asked of a model when one answers probes, and when it does not
//! hold, made anew by the next measure: missing facts, more detail, smaller pieces, code, another strategy.

use std::sync::Arc;
use std::time::Instant;

use super::desk::Desk;
use super::engine::{Digest, Engine};
use super::exam::Kept;
use super::examine::{Examiner, Paper};
use super::narrate::Lost;
use super::notebook::Notebook;
use super::{JobError, blocking, elapsed};
use anchord_facts::ledger::Facts;
use anchord_messages::id::{ProbeId, Seq};
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, Base, Proof, Proposed};
use anchord_record::changes;
use anchord_record::gate::{GateOutcome, GateRecord, Escalation};
use anchord_record::parts::{Parts, Written};
use anchord_record::probe::{self, Answerer, ProbeKind, ProbeReport, ProbeResult, Verdict};
use anchord_record::rubric::Rubric;
use anchord_record::strategy;
use anchord_session::compression::Timings;

/// A record as it is stored, and its parts.
pub(super) type WrittenRecord = (Written, Parts);

/// What is tried with a model before code takes over.
const MODEL_MEASURES: [Escalation; 2] = [Escalation::Detail, Escalation::SmallerPieces];

/// The last candidate.
pub(super) struct Made {
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
    pub(super) exam: Kept,
}

/// Makes a candidate, and when the gate refuses it for good, the one that code makes in a model's place
/// and the one that its strategy falls back to. `fresh` is what the history was read into afresh, and from
/// where.
pub(super) async fn make(
    notebook: Notebook<'_>,
    examiner: Examiner,
    engine: &mut Engine,
    desk: Desk,
    fresh: Option<(Base, Seq)>,
) -> Result<Made, JobError> {
    let Desk { mut material, probe_ids, mut ends, mut shorter } = desk;
    let mut maker = Maker::new(notebook, examiner);
    let mut stored = fresh.map(|(mut base, from_seq)| {
        // Most of what is read afresh is in the record already.
        base.parts = material.base.as_ref().map(|base| base.parts.clone()).unwrap_or_default();
        (material.base.replace(base), std::mem::replace(&mut material.from_seq, from_seq))
    });
    loop {
        if engine.has_fallen()
            && let Some(shorter) = shorter.take()
        {
            ends = ends.iter().copied().filter(|end| *end <= shorter.through_seq).collect();
            shorter.apply(&mut material);
        }
        let begun = Instant::now();
        let digest = Digest::read(material, Arc::clone(&ends)).await?;
        maker.timings.ledger_ms += elapsed(begun);
        let begun = Instant::now();
        let proposed = engine.propose(notebook, &digest).await?;
        maker.timings.engine_ms += elapsed(begun);
        if engine.has_fallen() && shorter.is_some() {
            (material, _) = digest.into_parts();
            continue;
        }
        let (digest, proof) = Box::pin(maker.prove_with(engine, digest, proposed)).await?;
        let (digest, proof) = Box::pin(maker.sit(engine, digest, proof)).await?;
        let told = is_told(&proof);
        // What code words may still be smaller than what a model worded.
        let refused = !proof.is_accepted() && (told || !proof.is_not_smaller());
        let strategy = digest.material.strategy;
        let next = if told { Some(strategy) } else { strategy.fallback() };
        let Some(next) = next.filter(|_| refused) else {
            return maker.close(digest, proof, probe_ids).await;
        };
        maker.goes_on(GateOutcome::FallBack, if told { Escalation::Code } else { Escalation::Strategy });
        (material, _) = digest.into_parts();
        if told {
            engine.fall(if proof.is_not_smaller() { "not_smaller" } else { "gate_refused" });
        } else {
            material.strategy = next;
            if let Some((base, from_seq)) = stored.take() {
                (material.base, material.from_seq) = (base, from_seq);
            }
        }
    }
}

fn is_told(proof: &Proof) -> bool {
    proof.meta.engine == strategy::Engine::Llm
}

/// The gate of one compression.
struct Maker<'a> {
    notebook: Notebook<'a>,
    examiner: Examiner,
    gate: Vec<GateRecord>,
    timings: Timings,
    /// Of the last candidate, when nothing changes that any more.
    record: Option<WrittenRecord>,
}

impl<'a> Maker<'a> {
    fn new(notebook: Notebook<'a>, examiner: Examiner) -> Self {
        Self { notebook, examiner, gate: Vec::new(), timings: Timings::default(), record: None }
    }

    /// Proves a candidate, and those that the model makes of it when it does not hold.
    async fn prove_with(
        &mut self,
        engine: &mut Engine,
        digest: Arc<Digest>,
        proposed: Proposed,
    ) -> Result<(Arc<Digest>, Proof), JobError> {
        let (mut digest, mut proof) = self.prove(digest, proposed).await?;
        for measure in MODEL_MEASURES {
            if !is_told(&proof) || proof.is_accepted() || proof.is_not_smaller() {
                break;
            }
            let begun = Instant::now();
            let lost = lost(&proof, measure);
            let again = engine.retell(self.notebook, &digest, (&proof.proposed, &lost)).await?;
            self.timings.engine_ms += elapsed(begun);
            let Some(again) = again else { break };
            self.goes_on(GateOutcome::Repair, measure);
            (digest, proof) = self.prove(digest, again).await?;
        }
        Ok((digest, proof))
    }

    /// Lets a reader sit the exam of a candidate that holds; where that goes badly, lets the model tell once more what the
    /// reader did not know, and takes what is better.
    async fn sit(
        &mut self,
        engine: &mut Engine,
        digest: Arc<Digest>,
        mut proof: Proof,
    ) -> Result<(Arc<Digest>, Proof), JobError> {
        if !proof.is_accepted() {
            return Ok((digest, proof));
        }
        let begun = Instant::now();
        let is_examined = self.examiner.sit(self.notebook, &digest, &mut proof).await?;
        self.timings.probe_ms += elapsed(begun);
        if !is_examined {
            return Ok((digest, proof));
        }
        self.rescore(&proof);
        // What earlier messages said cannot be told again from these.
        let first = digest.material.span.first().map_or(Seq::MAX, |first| first.seq);
        let of_span = proof.report.results.iter().filter(|r| r.probe.seqs.iter().all(|seq| *seq >= first));
        let of_span: Vec<ProbeResult> = of_span.cloned().collect();
        if !is_told(&proof) || !self.examiner.is_low(&of_span) {
            return Ok((digest, proof));
        }
        let before = proof.report.exam.map_or(0, |exam| exam.passed);
        let begun = Instant::now();
        let lost = lost(&proof, Escalation::Detail);
        let again = engine.retell(self.notebook, &digest, (&proof.proposed, &lost)).await?;
        self.timings.engine_ms += elapsed(begun);
        let Some(again) = again else { return Ok((digest, proof)) };
        let (record, accepted) = (self.record.take(), self.gate.last().cloned());
        self.goes_on(GateOutcome::Repair, Escalation::Detail);
        let (other_digest, mut other) = self.prove(Arc::clone(&digest), again).await?;
        if other.is_accepted() {
            let begun = Instant::now();
            let is_examined = self.examiner.sit(self.notebook, &other_digest, &mut other).await?;
            self.timings.probe_ms += elapsed(begun);
            self.rescore(&other);
            let passed = |report: &ProbeReport| report.exam.map_or(0, |exam| exam.passed);
            if is_examined && passed(&other.report) > before {
                return Ok((other_digest, other));
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
        Ok((digest, proof))
    }

    /// Tells the gate's record of the last candidate its figures.
    fn rescore(&mut self, proof: &Proof) {
        if let Some(last) = self.gate.last_mut() {
            last.scores = proof.report.scores();
        }
    }

    /// Says of the last candidate what was tried next.
    fn goes_on(&mut self, outcome: GateOutcome, next: Escalation) {
        if let Some(last) = self.gate.last_mut() {
            (last.outcome, last.next) = (outcome, Some(next));
        }
    }

    async fn prove(
        &mut self,
        digest: Arc<Digest>,
        proposed: Proposed,
    ) -> Result<(Arc<Digest>, Proof), JobError> {
        let begun = Instant::now();
        let (is_shadow, is_asked) = (self.notebook.is_shadow(), self.examiner.is_on());
        let prove = move || {
            let (digest, draft) = digest.merge(proposed);
            let proof = candidate::prove(&digest.material, &digest.facts, draft);
            // Here, where the record was gone through just now and is near the processor; but what a model does not
            // find may still be put into it.
            let is_kept = !is_asked && (is_shadow || proof.is_accepted());
            let record = is_kept.then(|| write(&digest, &proof, is_shadow));
            (digest, proof, record)
        };
        let (digest, mut proof, record) = blocking(prove).await?;
        self.record = record.transpose()?;
        // A model is asked about what may be published, and nothing else.
        if self.examiner.is_on() && proof.is_accepted() {
            proof = self.question(&digest, proof).await?;
        }
        self.gate.append(&mut proof.gate);
        self.timings.probe_ms += elapsed(begun);
        Ok((digest, proof))
    }

    /// Lets a model answer the probes, puts back what it does not find, and asks that once more.
    async fn question(&mut self, digest: &Arc<Digest>, mut proof: Proof) -> Result<Proof, JobError> {
        let mut by_code = proof.report.clone();
        let report = self.examiner.answer(self.notebook, paper(&proof), &by_code).await?;
        if report.results.iter().all(|result| result.answered_by == Answerer::Code) {
            return Ok(proof);
        }
        proof.answered(report);
        if proof.is_accepted() {
            return Ok(proof);
        }
        let read = Arc::clone(digest);
        let expand = move || {
            let next = candidate::expand(&read.material, &read.facts, &proof);
            (proof, next)
        };
        let (mut proof, expanded) = blocking(expand).await?;
        if let Some(mut next) = expanded.filter(Proof::is_accepted) {
            by_code = next.report.clone();
            let open = probe::keep_passed(&next.report, &proof.report);
            let report = self.examiner.answer(self.notebook, paper(&next), &open).await?;
            if let Some(last) = proof.gate.last_mut() {
                (last.outcome, last.next) = (GateOutcome::Repair, Some(Escalation::Facts));
            }
            next.gate.splice(0..0, proof.gate);
            next.answered(report);
            proof = next;
        }
        if !is_told(&proof) && !proof.is_accepted() {
            // Nothing is left to try, and code has found in the rendering what the model has not: a weak
            // model must not keep a session from ever being compressed.
            let (report, disputed) = probe::settle_by_code(&proof.report, &by_code);
            proof.answered(report);
            self.examiner.note(format!(
                "probes: {disputed} that the model could not answer hold facts that code finds in the rendering; code's verdict counts"
            ));
        }
        Ok(proof)
    }

    /// Lets a judge see what came out, and hands it over with its records.
    async fn close(
        mut self,
        digest: Arc<Digest>,
        mut proof: Proof,
        probe_ids: Vec<ProbeId>,
    ) -> Result<Made, JobError> {
        let begun = Instant::now();
        let rubric = if proof.is_accepted() || self.notebook.is_shadow() {
            let read = Arc::clone(&digest);
            let evidence = move |budget| {
                let Digest { material, facts, ends } = &*read;
                changes::evidence(&material.span, (ends, facts), budget, material.counter)
            };
            let span = (digest.material.span.first().map_or(0, |first| first.seq), proof.meta.through_seq);
            self.examiner.judge(self.notebook, (&proof.rendering.text, span), evidence).await?
        } else {
            None
        };
        self.timings.probe_ms += elapsed(begun);
        proof.gate = self.gate;
        let (exam, notes) = self.examiner.close();
        proof.meta.warnings.extend(notes);
        let is_shadow = self.notebook.is_shadow();
        let mut record = self.record;
        if record.is_none() && (is_shadow || proof.is_accepted()) {
            record = Some(write(&digest, &proof, is_shadow)?);
        }
        let counter = digest.material.counter;
        let (_, facts) = digest.into_parts();
        let (timings, todos_revision) = (self.timings, None);
        Ok(Made { proof, facts, record, probe_ids, timings, counter, todos_revision, rubric, exam })
    }
}

/// Writes the record as it is stored. A shadow run's candidate is no version: nothing may name parts of it, and it
/// stands alone.
fn write(digest: &Digest, proof: &Proof, is_shadow: bool) -> Result<WrittenRecord, JobError> {
    let base = digest.material.base.as_ref().filter(|_| !is_shadow);
    let parts = base.map(|base| base.parts.clone()).unwrap_or_default();
    parts.write(&proof.summary, proof.meta.version).map_err(|error| JobError::Broken(error.to_string()))
}

fn paper(proof: &Proof) -> Paper<'_> {
    let span = (proof.meta.from_seq, proof.meta.through_seq);
    Paper { rendering: &proof.rendering.text, tokens: proof.rendering.tokens, span }
}

/// What a candidate's failed probes asked about, and where that stood.
fn lost(proof: &Proof, measure: Escalation) -> Lost {
    let failed = || proof.report.results.iter().filter(|result| result.verdict == Verdict::Fail);
    let mut categories: Vec<&'static str> = failed().map(|result| category(result.probe.kind)).collect();
    categories.sort_unstable();
    categories.dedup();
    if categories.is_empty() {
        categories.push("the aim, the state of the work and the reasons of decisions");
    }
    let seqs = failed().flat_map(|result| result.probe.seqs.iter().copied()).collect();
    Lost { categories, seqs, smaller: measure == Escalation::SmallerPieces }
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
