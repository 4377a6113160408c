//! One compression's pure part, step by step: facts → proposal → candidate → proof.
//!
//! Each step takes the last one's value; who calls them measures the time between. The worker and
//! the command line call the same steps.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::compression::{GateOutcome, GateRecord, Measure};
use super::gate::{self, Refusal};
use super::id::Seq;
use super::ledger::{self, Carry, Facts, KnownPaths};
use super::merge::{MergeContext, Merged, merge};
use super::message::{Message, Numbered, Part, Role, ToolCall, ToolResult};
use super::probe::{self, Answerer, Probe, ProbeReport};
use super::proposal::Proposal;
use super::render::{self, Rendering, Subject};
use super::strategy::{Engine, Strategy};
use super::summary::{Constraint, Summary};
use super::tokens::{Memo, TokenCounter};
use super::version::VersionMeta;
use super::{extractive, redact};

/// Rounds of repair before a candidate is refused.
const REPAIR_ROUNDS: usize = probe::MAX_REPAIR_ROUNDS;
/// Reasons that the record of a refusal names.
const REASONS_TOLD: usize = 5;

/// What a compression is made from.
#[derive(Clone, Debug)]
pub struct Material {
    /// How the version is made.
    pub strategy: Strategy,
    /// The caller's name of the session.
    pub session_id: String,
    /// The caller's name of the task.
    pub task_id: Option<String>,
    /// The span's messages, ascending.
    pub span: Vec<Numbered>,
    /// The first message that the version was made from: the span's first, or the session's when its
    /// whole history was read afresh.
    pub from_seq: Seq,
    /// The span's last message.
    pub through_seq: Seq,
    /// Tokens of the span as it would be served.
    pub span_tokens: u32,
    /// The current version; `None` before the first.
    pub base: Option<Base>,
    /// The number that the new version gets.
    pub version: i64,
    /// Versions published by compressions so far.
    pub compression_count: i64,
    /// The pins, in order.
    pub pins: Vec<Constraint>,
    /// Ids of extracted constraints that the caller dropped.
    pub removed_constraints: BTreeSet<String>,
    /// Probes of earlier spans and of the caller that are still asked.
    pub probes: Vec<Probe>,
    /// The most tokens of the rendering.
    pub bound: u32,
    /// When the version is made.
    pub now: DateTime<Utc>,
    /// Counts tokens.
    pub counter: TokenCounter,
}

impl Material {
    /// What the first version of a session is made from, anchored and within the default bound; a
    /// caller names only where it differs.
    #[must_use]
    pub fn first(span: Vec<Numbered>, span_tokens: u32, counter: TokenCounter, now: DateTime<Utc>) -> Self {
        Self {
            strategy: Strategy::Anchored,
            session_id: "transcript".to_owned(),
            task_id: None,
            from_seq: span.first().map_or(1, |first| first.seq),
            through_seq: span.last().map_or(0, |last| last.seq),
            span,
            span_tokens,
            base: None,
            version: 1,
            compression_count: 0,
            pins: Vec::new(),
            removed_constraints: BTreeSet::new(),
            probes: Vec::new(),
            bound: render::DEFAULT_BOUND_TOKENS,
            now,
            counter,
        }
    }
}

/// The current version, as the next one builds on it.
#[derive(Clone, Debug)]
pub struct Base {
    /// Its number.
    pub version: i64,
    /// Its record.
    pub summary: Summary,
    /// What its ledger hands on.
    pub carry: Carry,
    /// Tokens of its rendering as contexts serve it.
    pub rendering_tokens: u32,
}

/// What an engine made of a span.
#[derive(Clone, Debug)]
pub struct Proposed {
    /// The narrative.
    pub proposal: Proposal,
    /// Who wrote it.
    pub engine: Engine,
    /// The model that wrote it.
    pub model: Option<String>,
}

/// A candidate: merged, not yet trusted.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What the engine proposed.
    pub proposed: Proposed,
    /// The record and its warnings.
    pub merged: Merged,
}

/// A candidate that was asked.
#[derive(Clone, Debug)]
pub struct Proof {
    /// What is known about the version.
    pub meta: VersionMeta,
    /// The record.
    pub summary: Summary,
    /// The text of the summary message that contexts serve, and its tokens.
    pub rendering: Rendering,
    /// The smallest rendering that carries the critical facts.
    pub least: Rendering,
    /// Current task, open errors and next steps once more.
    pub recap: String,
    /// The probes' verdict.
    pub report: ProbeReport,
    /// Probes that the span brought.
    pub new_probes: Vec<Probe>,
    /// Earlier probes that a merge rule retired, by their place in [`Material::probes`].
    pub retired: Vec<usize>,
    /// Why it must not be published; empty when it may.
    pub refusals: Vec<Refusal>,
    /// What the gate did, round by round.
    pub gate: Vec<GateRecord>,
    /// What the engine proposed.
    pub proposed: Proposed,
    merge_warnings: Vec<String>,
}

impl Proof {
    /// Takes what a model answered as the verdict, and notes what the gate makes of it.
    pub fn answered(&mut self, report: ProbeReport) {
        let strategy = self.meta.strategy;
        let good = holds(strategy, &report);
        // Of one candidate there is one last word.
        self.gate.pop_if(|last| matches!(last.outcome, GateOutcome::Accept | GateOutcome::Reject));
        self.gate.push(GateRecord {
            strategy,
            engine: self.meta.engine,
            outcome: if good { GateOutcome::Accept } else { GateOutcome::Reject },
            tokens_after: self.rendering.tokens,
            scores: report.scores(),
            answered_by: Answerer::Model,
            reasons: reasons(strategy, &self.refusals, &report),
            next: None,
        });
        self.meta.probe_score = report.score;
        self.report = report;
    }

    /// Whether the version may be published.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.refusals.is_empty() && holds(self.meta.strategy, &self.report)
    }

    /// Whether the version is refused only because it is not smaller than what it replaces.
    #[must_use]
    pub fn is_not_smaller(&self) -> bool {
        self.refusals.iter().any(Refusal::is_skip)
    }
}

/// Reads the facts out of the span, without its secrets.
#[must_use]
pub fn read(material: &Material) -> Facts {
    let base = material.base.as_ref();
    let carry = base.map(|base| base.carry.clone()).unwrap_or_default();
    let mut facts = ledger::read(&material.span, &carry, &known_paths(base));
    redact::redact_facts(&mut facts);
    facts
}

fn known_paths(base: Option<&Base>) -> KnownPaths {
    let mut known = KnownPaths::default();
    if let Some(base) = base {
        let modified = base.summary.files_modified.iter().map(|file| file.path.clone());
        let read = base.summary.files_read.iter().map(|file| file.path.clone());
        known.paths.extend(modified.chain(read));
    }
    known
}

/// Merges the deterministic engine's proposal into the current record.
#[must_use]
pub fn draft(material: &Material, facts: &Facts) -> Draft {
    merge_proposal(material, facts, propose(material, facts))
}

/// Asks the deterministic engine for the narrative of the span; a strategy without a narrative gets the
/// intent alone, because the task must stay reachable.
#[must_use]
pub fn propose(material: &Material, facts: &Facts) -> Proposed {
    let base = material.base.as_ref().map(|base| &base.summary);
    let whole = extractive::propose(&material.span, facts, base);
    let proposal = if material.strategy.asks_an_engine() {
        whole
    } else {
        Proposal { intent: whole.intent, ..Proposal::default() }
    };
    Proposed { proposal, engine: Engine::Extractive, model: None }
}

/// Merges an engine's proposal into the current record.
#[must_use]
pub fn merge_proposal(material: &Material, facts: &Facts, mut proposed: Proposed) -> Draft {
    let base = material.base.as_ref().map(|base| &base.summary);
    // What the record has and what the ledger read are without secrets already, so only what is new
    // is read for them: the cost of a compression follows its span and not the session.
    redact::redact_proposal(&mut proposed.proposal);
    let pins = redact::redacted_constraints(&material.pins);
    let context = MergeContext {
        version: material.version,
        anchor: material.span.first().map_or(material.from_seq, |first| first.seq) - 1,
        through_seq: material.through_seq,
        pins: &pins,
        removed_constraints: &material.removed_constraints,
    };
    let merged = merge(base, facts, &proposed.proposal, context);
    Draft { proposed, merged }
}

/// Renders the candidate, asks the probes, and repairs what can be repaired from the ledger.
#[must_use]
pub fn prove(material: &Material, facts: &Facts, draft: Draft) -> Proof {
    let Draft { proposed, merged } = draft;
    let base = material.base.as_ref().map(|base| &base.summary);
    let summary = merged.summary;
    let new_probes = probe::generate(facts, &proposed.proposal, base, &summary);
    let asked = probe::carry_over(&material.probes, &summary, &merged.gone);
    let retired =
        (0..).zip(&material.probes).filter(|(_, probe)| !asked.contains(probe)).map(|(at, _)| at).collect();
    // A span that is read once more, in the shadow, brings what is asked already.
    let news: Vec<Probe> = new_probes.iter().filter(|probe| !asked.contains(probe)).cloned().collect();
    let all: Vec<Probe> = asked.into_iter().chain(news).collect();
    let asking = Asking { proposed, new_probes, retired, all };
    examine(material, facts, summary, merged.warnings, asking)
}

/// Puts back what a model could not find in a candidate, and asks it anew; `None` when there is nothing to
/// put back.
#[must_use]
pub fn expand(material: &Material, facts: &Facts, proof: &Proof) -> Option<Proof> {
    let mut summary = proof.summary.clone();
    if !probe::repair(&proof.report, facts, &proof.proposed.proposal, &mut summary) {
        return None;
    }
    let asking = Asking {
        proposed: proof.proposed.clone(),
        new_probes: proof.new_probes.clone(),
        retired: proof.retired.clone(),
        all: proof.report.results.iter().map(|result| result.probe.clone()).collect(),
    };
    Some(examine(material, facts, summary, proof.merge_warnings.clone(), asking))
}

/// What a candidate is asked, and what it was made of.
struct Asking {
    proposed: Proposed,
    new_probes: Vec<Probe>,
    retired: Vec<usize>,
    all: Vec<Probe>,
}

fn examine(
    material: &Material,
    facts: &Facts,
    mut summary: Summary,
    merge_warnings: Vec<String>,
    asking: Asking,
) -> Proof {
    let Asking { proposed, new_probes, retired, all } = asking;
    let proposal = &proposed.proposal;
    let base = material.base.as_ref().map(|base| &base.summary);
    let tokens_before =
        material.span_tokens.saturating_add(material.base.as_ref().map_or(0, |base| base.rendering_tokens));
    let mut meta = meta(material, &proposed, tokens_before, merge_warnings.clone());
    let mut gate = Vec::new();
    let mut round = 0;
    let memo = Memo::of(material.counter);
    loop {
        let rendering = show(material, &summary, &meta, &memo);
        let report = probe::score(&all, &rendering, &summary);
        let candidate =
            gate::Candidate { summary: &summary, base, facts, span: &material.span, strategy: meta.strategy };
        let mut refusals = gate::check(&candidate, tokens_before, rendering.tokens);
        if rendering.text.trim().is_empty() && !refusals.contains(&Refusal::Empty) {
            refusals.push(Refusal::Empty);
        }
        let good = refusals.iter().all(Refusal::is_skip) && holds(meta.strategy, &report);
        let repaired = round < REPAIR_ROUNDS && !good && {
            let gated = gate::repair(&refusals, facts, &material.span, &mut summary);
            if gated {
                // It quotes the span, secrets and all.
                redact::redact_summary(&mut summary);
            }
            probe::repair(&report, facts, proposal, &mut summary) || gated
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
            tokens_after: rendering.tokens,
            scores: report.scores(),
            answered_by: Answerer::Code,
            reasons: reasons(meta.strategy, &refusals, &report),
            next: repaired.then_some(Measure::Facts),
        });
        if !repaired {
            meta.tokens_after = i64::from(rendering.tokens);
            meta.compression_ratio = VersionMeta::ratio(meta.tokens_before, meta.tokens_after);
            meta.probe_score = report.score;
            if report.score.is_none() {
                meta.warnings.push("no probe could be asked of this version".to_owned());
            }
            let least = least(material, &summary, &meta, &memo);
            let recap = recap(&summary);
            return Proof {
                meta,
                summary,
                rendering,
                least,
                recap,
                report,
                new_probes,
                retired,
                refusals,
                gate,
                proposed,
                merge_warnings,
            };
        }
        round += 1;
    }
}

/// Whether the probes let a version pass; what cannot be verified is scored and not judged.
fn holds(strategy: Strategy, report: &ProbeReport) -> bool {
    !strategy.is_verifiable() || probe::accept(report)
}

/// Why a candidate was not accepted as it is.
fn reasons(strategy: Strategy, refusals: &[Refusal], report: &ProbeReport) -> Vec<String> {
    let mut reasons: Vec<String> = refusals.iter().take(REASONS_TOLD).map(ToString::to_string).collect();
    if !holds(strategy, report) {
        reasons.push(format!(
            "{} of {} probes failed, {} of them critical",
            report.failed, report.asked, report.critical_failed
        ));
    }
    reasons
}

fn bound(material: &Material, tokens_before: u32) -> u32 {
    let share = super::settings::share_of(tokens_before, material.strategy.share_of_before());
    material.bound.min(share.max(render::LEAST_BOUND_TOKENS))
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
        max_tokens: bound(material, tokens_before),
        compression_ratio: None,
        probe_score: None,
        warnings,
    }
}

fn subject<'a>(material: &'a Material, summary: &'a Summary, meta: &'a VersionMeta) -> Subject<'a> {
    Subject {
        summary,
        meta,
        session_id: &material.session_id,
        task_id: material.task_id.as_deref(),
        started: material.now,
        last_activity: material.now,
    }
}

fn show(material: &Material, summary: &Summary, meta: &VersionMeta, memo: &Memo) -> Rendering {
    render::served(&subject(material, summary, meta), meta.max_tokens, |text| memo.count(text))
}

fn least(material: &Material, summary: &Summary, meta: &VersionMeta, memo: &Memo) -> Rendering {
    render::served_least(&subject(material, summary, meta), |text| memo.count(text))
}

/// Current task, open errors and next steps once more, for the end of a long context.
#[must_use]
pub fn recap(summary: &Summary) -> String {
    use super::summary::ErrorStatus;
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

/// Runs every step on a small session, so that the vocabularies and patterns are ready and warm in
/// the thread that calls it.
pub fn warm_up() {
    let material = sample();
    let facts = read(&material);
    let draft = draft(&material, &facts);
    let _ = prove(&material, &facts, draft);
}

/// A session that touches what the ledger knows: calls, a shell, tests, errors, figures, demands.
fn sample() -> Material {
    let text = |role, text: &str| Message { role, name: None, parts: vec![Part::Text(text.to_owned())] };
    let call = |id: &str, name: &str, arguments: &str| Message {
        role: Role::Assistant,
        name: None,
        parts: vec![Part::ToolCall(ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        })],
    };
    let result = |id: &str, output: &str| Message {
        role: Role::Tool,
        name: None,
        parts: vec![Part::ToolResult(ToolResult {
            call_id: id.into(),
            parts: vec![Part::Text(output.to_owned())],
            is_error: None,
        })],
    };
    let messages = [
        text(
            Role::User,
            "Fix the login in src/auth.rs of v1.2.3. You must never touch https://example.com:8080.",
        ),
        call("a", "Read", r#"{"file_path": "/work/src/auth.rs"}"#),
        result("a", "fn login() {}\n"),
        call("b", "Bash", r#"{"command": "cd /work && cargo test 2>&1 | tail -20"}"#),
        result(
            "b",
            "error[E0308]: mismatched types\n --> src/auth.rs:3:5\ntest result: FAILED. 3 passed; 1 failed",
        ),
        call(
            "c",
            "Edit",
            r#"{"file_path": "/work/src/auth.rs", "old_string": "a", "new_string": "fn b() {}"}"#,
        ),
        result("c", "The file has been updated."),
        text(
            Role::Assistant,
            "I decided to use tokens because sessions need state. We’ll keep them – it’s simpler. Next, I will run the tests.\n\n```bash\npytest -q\n```",
        ),
        text(
            Role::User,
            "<returncode>1</returncode>\n<output>\nTypeError: x is not a function\n2 failed, 1 passed in 0.12s\n</output>",
        ),
    ];
    let span: Vec<Numbered> = (1..).zip(messages).map(|(seq, message)| Numbered { seq, message }).collect();
    Material::first(span, 10_000, TokenCounter::default(), DateTime::UNIX_EPOCH)
}

#[cfg(test)]
mod chain;
#[cfg(test)]
mod tests;
