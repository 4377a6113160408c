//! One compression's pure part, step by step: facts → proposal → candidate → proof.
//!
//! Each step takes the last one's value; who calls them measures the time between. The worker and
//! the command line call the same steps.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::file_history::path_key;
use super::gate::{self, Refusal};
use super::id::Seq;
use super::ledger::{self, Carry, Facts, KnownPaths, is_copy};
use super::merge::{MergeContext, Merged, merge};
use super::message::{Message, Numbered, Part, Role, ToolCall, ToolResult};
use super::probe::{self, Probe, ProbeReport};
use super::proposal::Proposal;
use super::render::{self, Rendering, Style, Subject};
use super::strategy::{Engine, Strategy};
use super::summary::{Constraint, FileAction, Summary};
use super::tokens::{Memo, TokenCounter};
use super::version::VersionMeta;
use super::{extractive, redact};

/// Rounds of repair before a candidate is refused.
const REPAIR_ROUNDS: usize = probe::MAX_REPAIR_ROUNDS;
/// A rendering takes at most this share of what it replaces, so that a compression compresses even
/// when the bound would leave room for more.
const SHARE_OF_BEFORE: f64 = 0.40;

/// What a compression is made from.
#[derive(Clone, Debug)]
pub struct Material {
    /// The caller's name of the session.
    pub session_id: String,
    /// The caller's name of the task.
    pub task_id: Option<String>,
    /// The span's messages, ascending.
    pub span: Vec<Numbered>,
    /// The span's first message.
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

/// A candidate: merged, not yet trusted.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The engine's proposal.
    pub proposal: Proposal,
    /// The record and its warnings.
    pub merged: Merged,
    /// The model that told the narrative; `None` when code did.
    pub model: Option<String>,
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
}

impl Proof {
    /// Whether the version may be published.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.refusals.is_empty() && probe::accept(&self.report)
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
    tell_copies(&mut facts, base);
    facts
}

/// Tells of removed files that they were copies, which the span that copied them knew.
fn tell_copies(facts: &mut Facts, base: Option<&Base>) {
    let Some(base) = base else { return };
    let copies: BTreeMap<String, &[String]> = base
        .summary
        .files_modified
        .iter()
        .filter(|file| file.overwrite_possible && is_copy(&file.changes))
        .map(|file| (path_key(&file.path), file.changes.as_slice()))
        .collect();
    for file in facts.files.iter_mut().filter(|file| file.action == Some(FileAction::Deleted)) {
        if let Some(changes) = copies.get(&path_key(&file.path)) {
            file.transient = true;
            file.changes = changes.to_vec();
        }
    }
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
    draft_of(material, facts, propose(material, facts), None)
}

/// The deterministic engine's proposal.
#[must_use]
pub fn propose(material: &Material, facts: &Facts) -> Proposal {
    extractive::propose(&material.span, facts, material.base.as_ref().map(|base| &base.summary))
}

/// Merges a proposal, of a model's or of code's, into the current record.
#[must_use]
pub fn draft_of(material: &Material, facts: &Facts, mut proposal: Proposal, model: Option<String>) -> Draft {
    let base = material.base.as_ref().map(|base| &base.summary);
    // What the record has and what the ledger read are without secrets already, so only what is new
    // is read for them: the cost of a compression follows its span and not the session.
    redact::redact_proposal(&mut proposal);
    let pins = redact::redacted_constraints(&material.pins);
    let context = MergeContext {
        version: material.version,
        anchor: material.from_seq - 1,
        through_seq: material.through_seq,
        pins: &pins,
        removed_constraints: &material.removed_constraints,
    };
    let merged = merge(base, facts, &proposal, context);
    Draft { proposal, merged, model }
}

/// Renders the candidate, asks the probes, and repairs what can be repaired from the ledger.
#[must_use]
pub fn prove(material: &Material, facts: &Facts, draft: Draft) -> Proof {
    let Draft { proposal, merged, model } = draft;
    let base = material.base.as_ref().map(|base| &base.summary);
    let mut summary = merged.summary;
    let tokens_before =
        material.span_tokens.saturating_add(material.base.as_ref().map_or(0, |base| base.rendering_tokens));
    let new_probes = probe::generate(facts, &proposal, base, &summary);
    let asked = probe::carry_over(&material.probes, &summary, &merged.dropped_constraints);
    let retired =
        (0..).zip(&material.probes).filter(|(_, probe)| !asked.contains(probe)).map(|(at, _)| at).collect();
    let all: Vec<Probe> = asked.into_iter().chain(new_probes.iter().cloned()).collect();
    let mut meta = meta(material, tokens_before, merged.warnings);
    if model.is_some() {
        (meta.engine, meta.model) = (Engine::Llm, model);
    }
    let mut round = 0;
    let memo = Memo::of(material.counter);
    loop {
        let rendering = show(material, &summary, &meta, &memo);
        let report = probe::score(&all, &rendering, &summary);
        let candidate =
            gate::Candidate { summary: &summary, base, facts, span: &material.span, strategy: meta.strategy };
        let refusals = gate::check(&candidate, tokens_before, rendering.tokens);
        let good = refusals.iter().all(Refusal::is_skip) && probe::accept(&report);
        let repaired = round < REPAIR_ROUNDS && !good && {
            let gated = gate::repair(&refusals, facts, &material.span, &mut summary);
            if gated {
                // It quotes the span, secrets and all.
                redact::redact_summary(&mut summary);
            }
            probe::repair(&report, facts, &proposal, &mut summary) || gated
        };
        if !repaired {
            meta.tokens_after = i64::from(rendering.tokens);
            meta.compression_ratio = VersionMeta::ratio(meta.tokens_before, meta.tokens_after);
            meta.probe_score = report.score;
            if report.score.is_none() {
                meta.warnings.push("no probe could be asked of this version".to_owned());
            }
            let least = least(material, &summary, &meta, &memo);
            let recap = recap(&summary);
            return Proof { meta, summary, rendering, least, recap, report, new_probes, retired, refusals };
        }
        round += 1;
    }
}

fn bound(most: u32, tokens_before: u32) -> u32 {
    let share = super::settings::share_of(tokens_before, SHARE_OF_BEFORE);
    most.min(share.max(render::LEAST_BOUND_TOKENS))
}

fn meta(material: &Material, tokens_before: u32, warnings: Vec<String>) -> VersionMeta {
    VersionMeta {
        version: material.version,
        parent_version: material.base.as_ref().map(|base| base.version),
        strategy: Strategy::Anchored,
        engine: Engine::Extractive,
        model: None,
        compression_count: material.compression_count + 1,
        last_compressed_at: material.now,
        from_seq: material.from_seq,
        through_seq: material.through_seq,
        tokens_before: i64::from(tokens_before),
        tokens_after: 0,
        max_tokens: bound(material.bound, tokens_before),
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
    let subject = subject(material, summary, meta);
    render::render(Style::Anchored, &subject, meta.max_tokens, |text| memo.count(text))
}

fn least(material: &Material, summary: &Summary, meta: &VersionMeta, memo: &Memo) -> Rendering {
    render::least(&subject(material, summary, meta), |text| memo.count(text))
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
    Material {
        session_id: "sample".to_owned(),
        task_id: None,
        from_seq: 1,
        through_seq: span.last().map_or(0, |last| last.seq),
        span,
        span_tokens: 10_000,
        base: None,
        version: 1,
        compression_count: 0,
        pins: Vec::new(),
        removed_constraints: BTreeSet::new(),
        probes: Vec::new(),
        bound: render::DEFAULT_BOUND_TOKENS,
        now: DateTime::UNIX_EPOCH,
        counter: TokenCounter::default(),
    }
}

#[cfg(test)]
mod tests;
