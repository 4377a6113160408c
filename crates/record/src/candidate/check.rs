//! Checks a draft: renders it within its bound, scores its probes, applies the gate, and repairs it from the
//! ledger, round by round.

use super::super::digest;
use super::super::gate::{self, Refusal};
use super::super::probe::{self, Answerer, Probe, ProbeReport, ProbeResult};
use super::super::render::{self, Rendering, ServedSummary, Subject, summary_message_text};
use super::super::strategy::{Engine, Strategy};
use super::super::summary::Summary;
use super::super::version::VersionMeta;
use super::material::{Draft, Material, Proposed};
use crate::fill::share_of;
use crate::gate::{GateOutcome, GateRecord, RetryMeasure};
use crate::redacted;
use anchord_facts::ledger::{Facts, LedgerState};
use anchord_messages::tokens::MESSAGE_TOKENS;
use anchord_messages::tokens::memo::Memo;

/// Rounds of repair before a candidate is refused.
const REPAIR_ROUNDS: usize = probe::MAX_REPAIR_ROUNDS;
/// The largest share that rendering and digest may take of the tokens that they replace.
const MOST_OF_BEFORE: f64 = 0.8;
/// How many reasons a gate record names.
const REASONS_TOLD: usize = 5;

/// A draft that was rendered, probed and checked by the gate.
#[derive(Clone, Debug)]
pub struct CheckedDraft {
    /// The version's metadata.
    pub meta: VersionMeta,
    /// The summary.
    pub summary: Summary,
    /// The text of the summary message that contexts serve, and its tokens.
    pub rendering: Rendering,
    /// Smaller renderings, the largest first; the last one carries the critical facts.
    pub smaller: Vec<Rendering>,
    /// The digest of what it covers, as far as there is room.
    pub digest: digest::ServedDigest,
    /// The recap: current task, open errors and next steps once more.
    pub recap: String,
    /// The results of the probes.
    pub report: ProbeReport,
    /// The new probes of the span.
    pub new_probes: Vec<Probe>,
    /// Earlier probes that a merge rule retired, as indexes into [`Material::probes`].
    pub retired: Vec<usize>,
    /// The refusals of the gate; [`Self::is_accepted`] also asks the probes.
    pub refusals: Vec<Refusal>,
    /// The gate's decisions, round by round.
    pub gate: Vec<GateRecord>,
    /// The engine's proposal.
    pub proposed: Proposed,
}

impl CheckedDraft {
    /// Replaces the probes' results by those that a model answered, and adds the gate's outcome.
    pub fn answered(&mut self, report: ProbeReport) {
        let strategy = self.meta.strategy;
        let good = holds(strategy, &report);
        // It replaces the earlier outcome: a candidate is accepted or rejected once.
        self.gate.pop_if(|last| matches!(last.outcome, GateOutcome::Accept | GateOutcome::Reject));
        self.gate.push(GateRecord {
            strategy,
            engine: self.meta.engine,
            outcome: if good { GateOutcome::Accept } else { GateOutcome::Reject },
            rendering_tokens: self.rendering.tokens,
            scores: report.scores(),
            answered_by: Answerer::Model,
            reasons: reasons(strategy, &self.refusals, &report),
            next: None,
        });
        self.meta.probe_score = report.score;
        self.meta.facts_score = report.facts_score;
        self.report = report;
    }

    /// Adds the results of its exam, judged by the session's threshold. They do not decide whether it is
    /// published.
    pub fn examined(&mut self, results: Vec<ProbeResult>, threshold: f64) {
        self.report = self.report.with_exam(results, threshold);
        self.meta.exam = self.report.exam;
    }

    /// Whether the version may be published.
    pub fn is_accepted(&self) -> bool {
        self.refusals.is_empty() && holds(self.meta.strategy, &self.report)
    }

    /// Whether the version is refused only because it is not smaller than what it replaces.
    pub fn is_not_smaller(&self) -> bool {
        !self.refusals.is_empty() && self.refusals.iter().all(Refusal::is_skip)
    }
}

/// Builds candidates by code, with the strategy and then its fallbacks, until the gate accepts one or finds it not smaller;
/// with what the facts carry on.
pub fn check_by_code(mut material: Material) -> (CheckedDraft, LedgerState) {
    loop {
        let facts = super::read(&material);
        let draft = super::draft(&material, &facts);
        let checked = check(&material, &facts, draft);
        let is_refused = !checked.is_accepted() && !checked.is_not_smaller();
        match material.strategy.fallback().filter(|_| is_refused) {
            Some(next) => material.strategy = next,
            None => return (checked, facts.carry),
        }
    }
}

/// Renders the candidate, scores the probes, and repairs what can be repaired from the ledger.
pub fn check(material: &Material, facts: &Facts, draft: Draft) -> CheckedDraft {
    let Draft { proposed, merged, before } = draft;
    let mut summary = merged.summary;
    let new_probes = probe::generate(facts, &proposed.told(&summary), before.as_ref(), &summary);
    let asked = probe::carry_over(&material.probes, &summary, &merged.gone);
    let retired =
        (0..).zip(&material.probes).filter(|(_, probe)| !asked.contains(probe)).map(|(at, _)| at).collect();
    // A new probe may be one that the caller asks already.
    let news: Vec<Probe> = new_probes.iter().filter(|probe| !asked.contains(probe)).cloned().collect();
    let all: Vec<Probe> = asked.into_iter().chain(news).collect();
    let (proposal, base) = (proposed.told(&summary).into_owned(), before.as_ref());
    let tokens_before =
        material.span_tokens.saturating_add(material.base.as_ref().map_or(0, |base| base.served_tokens));
    let mut meta = meta(material, &proposed, tokens_before, merged.warnings);
    let mut gate = Vec::new();
    let mut round = 0;
    let memo = Memo::of(material.counter);
    loop {
        let count = |text: &str| memo.count(text);
        let subject = subject_of(material, &summary, &meta);
        let served = ServedSummary::of(&subject, &count);
        let rendering = served.within(meta.max_tokens);
        let message_tokens = count(&summary_message_text(&rendering.text)).saturating_add(MESSAGE_TOKENS);
        let report = probe::score(&all, &rendering, &summary);
        let candidate = gate::Candidate {
            summary: &summary,
            base,
            facts,
            span: &material.span,
            strategy: meta.strategy,
            is_codes: meta.engine == Engine::Extractive,
        };
        let mut refusals = gate::check(&candidate, tokens_before, message_tokens);
        if rendering.text.trim().is_empty() && !refusals.contains(&Refusal::Empty) {
            refusals.push(Refusal::Empty);
        }
        let good = refusals.iter().all(Refusal::is_skip) && holds(meta.strategy, &report);
        // A caller's probe refuses nothing unless it is critical, but what the messages answer is put in.
        let is_answered = report.callers_failed().next().is_none();
        let is_last = (good && is_answered) || round >= REPAIR_ROUNDS;
        // Without a repair `served` is still valid, so the smaller forms come from it.
        let smaller = is_last.then(|| served.smaller(rendering.tokens));
        drop(served);
        let repaired = !is_last && {
            let gated = gate::repair(&refusals, facts, &material.span, &mut summary);
            if gated {
                // A repair quotes the span, which may have secrets.
                redacted::redact_summary(&mut summary);
            }
            probe::repair(&report, facts, &proposal, &material.span, &mut summary) || gated
        };
        let outcome = match (good, repaired) {
            (_, true) => GateOutcome::Repair,
            (true, false) if refusals.is_empty() => GateOutcome::Accept,
            (true, false) => GateOutcome::Skip,
            (false, false) => GateOutcome::Reject,
        };
        gate.push(GateRecord {
            strategy: meta.strategy,
            engine: meta.engine,
            outcome,
            rendering_tokens: rendering.tokens,
            scores: report.scores(),
            answered_by: Answerer::Code,
            reasons: reasons(meta.strategy, &refusals, &report),
            next: repaired.then_some(RetryMeasure::Facts),
        });
        if !repaired {
            let digest = digest_of(material, &mut summary, (&rendering, message_tokens), tokens_before);
            meta.tokens_after = i64::from(message_tokens) + i64::from(digest.tokens);
            meta.reduction = VersionMeta::ratio(meta.tokens_before, meta.tokens_after);
            meta.probe_score = report.score;
            meta.facts_score = report.facts_score;
            if report.score.is_none() {
                meta.warnings.push("no probe could be asked of this version".to_owned());
            }
            let smaller = smaller.unwrap_or_else(|| {
                let subject = subject_of(material, &summary, &meta);
                ServedSummary::of(&subject, &count).smaller(rendering.tokens)
            });
            let recap = recap(&summary);
            return CheckedDraft {
                meta,
                summary,
                rendering,
                smaller,
                digest,
                recap,
                report,
                new_probes,
                retired,
                refusals,
                gate,
                proposed,
            };
        }
        round += 1;
    }
}

/// The digest in the room that the rendering leaves; both together are smaller than what they replace.
fn digest_of(
    material: &Material,
    summary: &mut Summary,
    (rendering, message_tokens): (&Rendering, u32),
    tokens_before: u32,
) -> digest::ServedDigest {
    // The opaque style is chosen for being small, so it has no digest.
    if !material.strategy.is_verifiable() {
        return digest::ServedDigest::default();
    }
    let most = share_of(tokens_before, MOST_OF_BEFORE).min(material.room);
    let room = most.saturating_sub(message_tokens);
    if !material.goes_on {
        return digest::serve(&summary.digest, &rendering.text, room, &material.counter);
    }
    let first = material.span.first().map_or(material.from_seq, |first| first.seq);
    digest::go_on(&mut summary.digest, first, &rendering.text, room, &material.counter)
}

/// Whether the probes allow a version. A strategy that cannot be verified is scored, and always allowed.
fn holds(strategy: Strategy, report: &ProbeReport) -> bool {
    !strategy.is_verifiable() || probe::accept(report)
}

/// Why a candidate was not accepted.
fn reasons(strategy: Strategy, refusals: &[Refusal], report: &ProbeReport) -> Vec<String> {
    let mut reasons: Vec<String> = refusals.iter().take(REASONS_TOLD).map(ToString::to_string).collect();
    let of_callers = report.callers_failed().count();
    if of_callers > 0 {
        reasons.push(format!("of the caller's own probes {of_callers} failed"));
    }
    if !holds(strategy, report) {
        reasons.push(format!(
            "{} of {} probes failed, {} of them critical",
            report.failed, report.asked, report.critical_failed
        ));
    }
    reasons
}

fn bound(material: &Material, engine: Engine, tokens_before: u32) -> u32 {
    let share = share_of(tokens_before, material.strategy.share_of_before());
    let bound = if engine == Engine::Llm { material.model_bound } else { material.bound };
    bound.min(share.max(render::LEAST_BOUND_TOKENS))
}

fn meta(
    material: &Material,
    proposed: &Proposed,
    tokens_before: u32,
    mut warnings: Vec<String>,
) -> VersionMeta {
    if !material.strategy.is_verifiable() {
        warnings.push("a dense reconstruction, not verified: nothing holds its text to account".to_owned());
    }
    VersionMeta {
        phase: material.phase,
        version: material.version,
        parent_version: material.base.as_ref().map(|base| base.version),
        strategy: material.strategy,
        verifiable: material.strategy.verifiable(),
        engine: proposed.engine,
        model: proposed.model.clone(),
        compression_count: material.compression_count + 1,
        last_compressed_at: material.now,
        from_seq: material.from_seq,
        through_seq: material.through_seq,
        tokens_before: i64::from(tokens_before),
        tokens_after: 0,
        max_tokens: bound(material, proposed.engine, tokens_before),
        reduction: None,
        probe_score: None,
        facts_score: None,
        exam: None,
        warnings,
        imported: false,
    }
}

fn subject_of<'a>(material: &'a Material, summary: &'a Summary, meta: &'a VersionMeta) -> Subject<'a> {
    Subject {
        summary,
        meta,
        session_id: &material.session_id,
        task_id: material.task_id.as_deref(),
        started: material.now,
        last_activity: material.now,
    }
}

/// The recap: current task, open errors and next steps once more, for the end of a long context.
pub fn recap(summary: &Summary) -> String {
    use super::super::summary::ErrorStatus;
    let mut lines = Vec::new();
    let state = &summary.current_state;
    if let Some(task) = state.task.as_deref().filter(|task| !task.is_empty()) {
        lines.push(format!("Current task: {task}"));
    } else if !state.text.is_empty() {
        lines.push(format!("Current state: {}", state.text));
    }
    for error in summary.errors.iter().rev().filter(|error| error.status != ErrorStatus::Resolved).take(3) {
        lines.push(format!("Open error: {}", error.message));
    }
    for (number, step) in summary.next_steps.iter().enumerate().take(5) {
        lines.push(format!("Next step {}: {step}", number + 1));
    }
    lines.join("\n")
}
