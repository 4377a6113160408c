//! The gate of a merge: the merged version must contain everything that any other version must.
//!
//! It refuses and does not repair. A compression repairs from its span, and a merge has none: what its result
//! lacks, one of the two records lacks, and the caller can compress that session again. What the parent's
//! version did not contain before does not count against the merge, or a caller's probe that never passes
//! would block every merge.

use std::collections::BTreeSet;

use super::origin::Origin;
use crate::critical::{CRITICAL_ERRORS, CRITICAL_FILES};
use crate::file_history::path_key;
use crate::gate::{self, Candidate, Refusal};
use crate::merge;
use crate::probe::{self, Match, Probe, ProbeKind, ProbeReport, ProbeResult, Verdict};
use crate::render::{FACT_CHARS, Rendering};
use crate::section::Section;
use crate::strategy::Strategy;
use crate::summary::{ErrorStatus, ModifiedFile, Summary};
use anchord_facts::ledger::Facts;
use anchord_facts::wording::{clip_words, one_line};
use anchord_messages::message::Numbered;

/// The input of the check of a merge.
#[derive(Clone, Copy, Debug)]
pub struct MergeBackInput<'a> {
    /// The parent's summary before the merge, and its rendering. Without a version, its opening and no
    /// rendering.
    pub parent: (&'a Summary, Option<&'a Rendering>),
    /// The session that was merged.
    pub child: &'a Origin<'a>,
    /// The parent's messages that its opening was read from; empty when it has a version.
    pub span: &'a [Numbered],
    /// The strategy of the parent's versions.
    pub strategy: Strategy,
    /// The most tokens of the rendering.
    pub bound: u32,
    /// The parent's probes.
    pub probes: &'a [Probe],
}

/// The result of the check.
#[derive(Clone, Debug)]
pub struct CheckedMerge {
    /// The results of every probe.
    pub report: ProbeReport,
    /// The new probes about the merged session.
    pub new_probes: Vec<Probe>,
    /// Why the merge must not be published; empty when it may.
    pub refusals: Vec<String>,
}

/// Checks a merged summary and its rendering.
#[must_use]
pub fn check(merged: &Summary, rendering: &Rendering, asked: MergeBackInput<'_>) -> CheckedMerge {
    let MergeBackInput { parent: (parent, before), child, .. } = asked;
    let new_probes: Vec<Probe> =
        probes(child).into_iter().filter(|probe| !asked.probes.contains(probe)).collect();
    let all: Vec<Probe> = asked.probes.iter().chain(&new_probes).cloned().collect();
    let report = probe::score(&all, rendering, merged);
    let mut refusals = lost(parent, merged);
    let full = merge::full(merged).into_iter();
    refusals.extend(full.map(|section| {
        format!(
            "{} has no room for another session's; a compression of this session makes room",
            section.as_str()
        )
    }));
    // Texts that either session published are not judged again.
    let mut published = parent.clone();
    let theirs = child.summary;
    published.decisions_made.extend(theirs.decisions_made.iter().cloned());
    published.blockers.extend(theirs.blockers.iter().cloned());
    published.next_steps.extend(theirs.next_steps.iter().cloned());
    if before.is_none() && merged.session_intent_session_id.is_none() {
        published.session_intent.clear();
    }
    let candidate = Candidate {
        summary: merged,
        base: Some(&published),
        facts: &Facts::default(),
        span: asked.span,
        strategy: asked.strategy,
    };
    // A merge replaces no messages, so it may be larger than what it replaces, within the bound.
    let found = gate::check(&candidate, u32::MAX, rendering.tokens);
    refusals.extend(found.iter().filter(|refusal| !refusal.is_skip()).map(Refusal::to_string));
    if rendering.text.trim().is_empty() {
        refusals.push(Refusal::Empty.to_string());
    }
    if rendering.tokens > asked.bound {
        refusals.push(format!("{} tokens are more than the bound of {}", rendering.tokens, asked.bound));
    }
    if asked.strategy.is_verifiable() && !probe::accept(&held_against(&report, asked)) {
        let told = report.results.iter().filter(|result| result.verdict == Verdict::Fail).take(5);
        refusals.extend(told.map(|result| format!("a probe fails: {}", result.probe.question)));
    }
    CheckedMerge { report, new_probes, refusals }
}

/// The probes that count against a merge: not those of the parent that its version before did not pass
/// either.
fn held_against(report: &ProbeReport, asked: MergeBackInput<'_>) -> ProbeReport {
    let (parent, Some(before)) = asked.parent else { return ProbeReport::of(report.results.clone()) };
    let failed: Vec<Probe> =
        report.results.iter().filter(|r| r.verdict == Verdict::Fail).map(|r| r.probe.clone()).collect();
    let earlier = probe::score(&failed, before, parent);
    let unknown: Vec<&Probe> =
        earlier.results.iter().filter(|r| r.verdict == Verdict::Fail).map(|r| &r.probe).collect();
    let answers =
        |result: &&ProbeResult| !asked.probes.contains(&result.probe) || !unknown.contains(&&result.probe);
    ProbeReport::of(report.results.iter().filter(answers).cloned().collect())
}

/// What the parent's summary has and the merged one lacks.
fn lost(parent: &Summary, merged: &Summary) -> Vec<String> {
    fn missing<'a>(
        section: Section,
        before: impl Iterator<Item = String> + 'a,
        after: impl Iterator<Item = String>,
    ) -> impl Iterator<Item = String> + 'a {
        let after: BTreeSet<String> = after.collect();
        before
            .filter(move |entry| !after.contains(entry))
            .map(move |entry| format!("the merge lost an entry of {}: {entry}", section.as_str()))
    }
    let mut lost = Vec::new();
    if parent.session_intent != merged.session_intent || parent.current_state != merged.current_state {
        lost.push("the merge changed the session's intent or state".to_owned());
    }
    macro_rules! kept {
        ($section:ident, $field:ident, |$entry:ident| $key:expr) => {
            lost.extend(missing(
                Section::$section,
                parent.$field.iter().filter(|entry| entry.session_id.is_none()).map(|$entry| $key),
                merged.$field.iter().map(|$entry| $key),
            ));
        };
    }
    let paths = merged.files_modified.iter().flat_map(|f| [Some(&f.path), f.renamed_from.as_ref()]).flatten();
    lost.extend(missing(
        Section::FilesModified,
        parent
            .files_modified
            .iter()
            .filter(|file| file.session_id.is_none())
            .map(|file| path_key(&file.path)),
        paths.map(|path| path_key(path)),
    ));
    kept!(DecisionsMade, decisions_made, |entry| entry.decision.clone());
    kept!(Errors, errors, |entry| entry.message.clone());
    kept!(TestResults, test_results, |entry| entry.command.clone());
    kept!(Blockers, blockers, |entry| entry.text.clone());
    kept!(Requests, requests, |entry| entry.text.clone());
    kept!(Things, things, |entry| entry.key());
    kept!(Findings, findings, |entry| entry.text.clone());
    kept!(Notes, notes, |entry| entry.text.clone());
    kept!(Constraints, constraints, |entry| entry.id.clone());
    lost
}

/// The probes that later versions of the parent must pass about a merged session: its latest files and open
/// errors.
#[must_use]
pub fn probes(child: &Origin<'_>) -> Vec<Probe> {
    let probe = |kind, section, question: String, fact: String, exact| Probe {
        kind,
        question,
        expected: vec![fact],
        mode: Match::All,
        section: Some(section),
        exact,
        critical: true,
        seqs: Vec::new(),
        reference: None,
    };
    let mut probes = Vec::new();
    let mut files: Vec<&ModifiedFile> =
        child.summary.files_modified.iter().filter(|f| !f.transient).collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.seqs.last().copied()));
    for file in files.into_iter().take(CRITICAL_FILES) {
        let path = one_line(&file.path);
        if path.len() <= 300 && !path.is_empty() {
            let question = format!("What happened to {path} in session {}?", child.name);
            probes.push(probe(ProbeKind::Artifact, Section::FilesModified, question, path, true));
        }
    }
    let open = child.summary.errors.iter().rev().filter(|error| error.status != ErrorStatus::Resolved);
    for error in open.take(CRITICAL_ERRORS) {
        let line = one_line(&error.message);
        let message = clip_words(&line, FACT_CHARS);
        if !message.is_empty() {
            let question = format!("Which error did session {} leave open?", child.name);
            probes.push(probe(ProbeKind::Recall, Section::Errors, question, message.to_owned(), false));
        }
    }
    probes
}
