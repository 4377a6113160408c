//! Probes: questions that must be answerable from the compressed context alone.
//!
//! What lives here: making them from a span, asking later versions again, scoring a rendering, and
//! putting back what a candidate lost.
//! Invariant: a probe comes from facts and the proposal, never from the candidate that it judges;
//! what the token bound cut is reported as cut and not as failed.
//! Must not know: engines, how a model is reached, where probes are stored.

mod carry;
mod generate;
mod repair;
mod score;
mod sheet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::exam::ExamScores;
use super::section::Section;
use anchord_messages::id::Seq;

pub use carry::carry_over;
pub use generate::generate;
pub use repair::repair;
pub use score::NOT_FOUND;
pub use score::{check_answer, score};
pub use sheet::{Answered, Sheet, Spent, answer_schema, keep_passed, mark_answers, settle_by_code, sheets};

/// The least share of probes that a version must pass.
pub const ACCEPT_AT: f64 = 0.90;
/// How often a candidate is repaired and asked again before the next measure is taken.
pub const MAX_REPAIR_ROUNDS: usize = 2;
/// The most probes of one span.
pub const MAX_PROBES: usize = 56;
/// The most probes that earlier spans hand on.
pub const MAX_CARRIED: usize = 32;
/// The most facts that one probe expects.
pub const MAX_EXPECTED: usize = 200;

/// The latest changed files are critical: together their paths take a tenth of the least bound.
pub const CRITICAL_FILES: usize = 8;
/// Open errors that are critical.
pub const CRITICAL_ERRORS: usize = 2;

/// What a probe asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProbeKind {
    /// The error, the figure, the identifier.
    Recall,
    /// Which files were created, modified, deleted, read; what changed in one.
    Artifact,
    /// What the task is, where it stands, what comes next.
    Continuation,
    /// What was decided, and why.
    Decision,
    /// What stands in the way.
    Blocker,
    /// What must or must not be done.
    Constraint,
}

impl ProbeKind {
    /// Whether it asks for what code found in the messages: files, errors, figures, demands. The other kinds ask for
    /// what an engine wrote.
    #[must_use]
    pub const fn is_of_facts(self) -> bool {
        matches!(self, Self::Recall | Self::Artifact | Self::Constraint)
    }
}

/// How many of the expected facts an answer needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Match {
    /// Every one.
    #[default]
    All,
    /// At least one.
    Any,
    /// At least this share, from 0 to 1.
    Ratio(f64),
}

/// A question with the facts that its answer must hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Probe {
    /// What it asks about.
    pub kind: ProbeKind,
    /// The question.
    pub question: String,
    /// The facts that the answer must hold; one of an exam's may name several spellings, with ` | ` between them.
    pub expected: Vec<String>,
    /// How many of them it needs.
    #[serde(default, rename = "match")]
    pub mode: Match,
    /// The section that must hold them; any when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<Section>,
    /// Whether the facts are paths or identifiers, which match to the letter.
    #[serde(default)]
    pub exact: bool,
    /// Whether a version that fails it is refused; asked again after every later compression.
    #[serde(default)]
    pub critical: bool,
    /// The messages that the facts came from.
    #[serde(default)]
    pub seqs: Vec<Seq>,
    /// The answer that an examiner wrote from the messages; a question with one is an exam's, which a reader answers and
    /// no code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

impl Probe {
    /// Whether a model wrote it for an exam.
    #[must_use]
    pub const fn is_exam(&self) -> bool {
        self.reference.is_some()
    }

    /// The ways to spell a fact, any of which will do: an exam's has ` | ` between them, any other is one.
    pub fn spellings<'a>(&self, fact: &'a str) -> impl Iterator<Item = &'a str> {
        let most = if self.is_exam() { usize::MAX } else { 1 };
        fact.splitn(most, " | ").map(str::trim)
    }
}

/// How a probe went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The rendering holds the facts in the right section.
    Pass,
    /// Neither the rendering nor the record holds them.
    Fail,
    /// The record holds them, and the token bound kept them out of the rendering.
    Cut,
}

/// Who answered a probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Answerer {
    /// Code, which looked the facts up in the rendering.
    #[default]
    Code,
    /// A model, which was given the rendering and the question; code checked its answer.
    Model,
}

/// One probe, asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProbeResult {
    /// The probe.
    pub probe: Probe,
    /// What was found, or that nothing was.
    pub answer: String,
    /// How it went.
    pub verdict: Verdict,
    /// The expected facts that were not found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Who answered.
    #[serde(default)]
    pub answered_by: Answerer,
    /// How long the call took that answered it among others, in milliseconds; 0 for code.
    #[serde(default)]
    pub latency_ms: u64,
    /// Its share of that call's cost, in millionths of the currency of the operator's prices.
    #[serde(default)]
    pub cost_micros: u64,
}

impl ProbeResult {
    /// Nobody has answered it yet.
    #[must_use]
    pub fn unanswered(probe: Probe) -> Self {
        let missing = probe.expected.clone();
        Self::by_code(probe, score::NOT_FOUND.to_owned(), Verdict::Fail, missing)
    }

    /// What code found.
    #[must_use]
    pub fn by_code(probe: Probe, answer: String, verdict: Verdict, missing: Vec<String>) -> Self {
        Self { probe, answer, verdict, missing, answered_by: Answerer::Code, latency_ms: 0, cost_micros: 0 }
    }
}

/// Every probe of one version, asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProbeReport {
    /// Probe by probe.
    pub results: Vec<ProbeResult>,
    /// Probes that were judged: passed or failed, not cut.
    pub asked: u32,
    /// Probes that failed.
    pub failed: u32,
    /// Probes whose facts the bound cut.
    pub cut: u32,
    /// Critical probes that failed.
    pub critical_failed: u32,
    /// Passed of asked; absent when none was asked.
    pub score: Option<f64>,
    /// The same of those that ask for the ledger's facts.
    pub facts_score: Option<f64>,
    /// How the exam went, whose questions count nowhere else; absent without one.
    pub exam: Option<ExamScores>,
}

/// Figures of one run of the probes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Scores {
    /// Passed of asked; null when none was asked.
    #[schema(required = true)]
    pub score: Option<f64>,
    /// The same of those that ask for facts which code found (files, errors, figures, demands); null when none did. They
    /// are made from what the record is made from: a high share says that nothing of it was dropped, not that a reader
    /// has what the work needs.
    #[schema(required = true)]
    pub facts_score: Option<f64>,
    /// Probes that were judged: passed or failed, not cut.
    pub asked: u32,
    /// Probes that failed.
    pub failed: u32,
    /// Probes whose facts the rendering's bound cut.
    pub cut: u32,
    /// Critical probes that failed.
    pub critical_failed: u32,
    /// How a reader did in an exam that was written from the messages; its questions count in none of the figures above.
    /// Null without one.
    #[schema(required = true)]
    pub exam: Option<ExamScores>,
}

impl ProbeReport {
    /// The figures, without the verdicts.
    #[must_use]
    pub fn scores(&self) -> Scores {
        let Self { asked, failed, cut, critical_failed, score, facts_score, exam, .. } = *self;
        Scores { score, facts_score, asked, failed, cut, critical_failed, exam }
    }

    /// The report with the results of an exam, held against a threshold, in place of those that it has.
    #[must_use]
    pub fn with_exam(&self, results: Vec<ProbeResult>, threshold: f64) -> Self {
        let others = self.results.iter().filter(|result| !result.probe.is_exam()).cloned();
        let report = Self::of(others.chain(results).collect());
        Self { exam: report.exam.map(|exam| exam.against(threshold)), ..report }
    }

    /// Sums up results.
    #[must_use]
    pub fn of(results: Vec<ProbeResult>) -> Self {
        let count = |keep: &dyn Fn(&ProbeResult) -> bool| {
            let asked = results.iter().filter(|r| !r.probe.is_exam());
            u32::try_from(asked.filter(|r| keep(r)).count()).unwrap_or(u32::MAX)
        };
        let cut = count(&|r| r.verdict == Verdict::Cut);
        let failed = count(&|r| r.verdict == Verdict::Fail);
        let asked = count(&|r| r.verdict != Verdict::Cut);
        let critical_failed = count(&|r| r.verdict == Verdict::Fail && r.probe.critical);
        let share =
            |asked: u32, failed: u32| (asked > 0).then(|| f64::from(asked - failed) / f64::from(asked));
        let of_facts =
            |verdict: &dyn Fn(Verdict) -> bool| count(&|r| r.probe.kind.is_of_facts() && verdict(r.verdict));
        let facts_score = share(of_facts(&|v| v != Verdict::Cut), of_facts(&|v| v == Verdict::Fail));
        let score = share(asked, failed);
        let exam = ExamScores::of(&results);
        Self { results, asked, failed, cut, critical_failed, score, facts_score, exam }
    }
}

/// Whether a version may be published: enough passed and nothing critical failed. Without probes
/// it may, with a warning.
#[must_use]
pub fn accept(report: &ProbeReport) -> bool {
    report.critical_failed == 0 && report.score.is_none_or(|score| score >= ACCEPT_AT)
}

#[cfg(test)]
mod tests;
