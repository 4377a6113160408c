//! The results of all probes of one version, their figures, and whether the version may be published.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::exam_scores::{ExamScores, LEAST_ASKED};
use super::question::{Probe, ProbeResult, Verdict};

/// The least share of probes that a version must pass.
pub const ACCEPT_AT: f64 = 0.90;

/// The results of every probe of one version.
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
#[schema(as = ProbeScores)]
pub struct Scores {
    /// The share of the probes that passed, from 0 to 1; null without probes.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub score: Option<f64>,
    /// The same of those that ask for facts which code found (files, errors, figures, demands); null when none did. They
    /// are made from what the record is made from: a high share says that nothing of it was dropped, not that a reader
    /// has what the work needs.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
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
    /// The figures without the results.
    pub fn scores(&self) -> Scores {
        let Self { asked, failed, cut, critical_failed, score, facts_score, exam, .. } = *self;
        Scores { score, facts_score, asked, failed, cut, critical_failed, exam }
    }

    /// The caller's own probes that failed.
    pub fn callers_failed(&self) -> impl Iterator<Item = &Probe> {
        let failed = self.results.iter().filter(|result| result.verdict == Verdict::Fail);
        failed.map(|result| &result.probe).filter(|probe| probe.is_callers())
    }

    /// The report with the results of an exam, judged by a threshold, in place of any exam's before.
    pub fn with_exam(&self, results: Vec<ProbeResult>, threshold: f64) -> Self {
        let others = self.results.iter().filter(|result| !result.probe.is_exam()).cloned();
        let report = Self::of(others.chain(results).collect());
        Self { exam: report.exam.map(|exam| exam.against(threshold)), ..report }
    }

    /// Counts results.
    pub fn of(results: Vec<ProbeResult>) -> Self {
        let count = |keep: &dyn Fn(&ProbeResult) -> bool| {
            let asked = results.iter().filter(|r| !r.probe.is_exam());
            u32::try_from(asked.filter(|r| keep(r)).count()).unwrap_or(u32::MAX)
        };
        let cut = count(&|r| r.verdict == Verdict::Cut);
        let failed = count(&|r| r.verdict == Verdict::Fail);
        let asked = count(&|r| r.verdict != Verdict::Cut);
        let critical_failed = count(&|r| r.verdict == Verdict::Fail && r.probe.critical);
        let of_facts =
            |verdict: &dyn Fn(Verdict) -> bool| count(&|r| r.probe.kind.is_of_facts() && verdict(r.verdict));
        let facts_score = share(of_facts(&|v| v != Verdict::Cut), of_facts(&|v| v == Verdict::Fail));
        let score = share(asked, failed);
        let exam = exam_scores(&results);
        Self { results, asked, failed, cut, critical_failed, score, facts_score, exam }
    }
}

/// Whether a version may be published: no critical probe failed, and a share of [`ACCEPT_AT`] of all that count passed. A caller's own
/// that are not critical count for nothing here: the messages may not answer them. Without probes it may be published,
/// with a warning.
pub fn accept(report: &ProbeReport) -> bool {
    let binds = |probe: &Probe| !probe.is_exam() && (probe.critical || !probe.is_callers());
    let count = |verdict| {
        let found = report.results.iter().filter(|r| binds(&r.probe) && r.verdict == verdict);
        u32::try_from(found.count()).unwrap_or(u32::MAX)
    };
    let (passed, failed) = (count(Verdict::Pass), count(Verdict::Fail));
    report.critical_failed == 0 && share(passed + failed, failed).is_none_or(|score| score >= ACCEPT_AT)
}

/// The share that passed of those asked; `None` when none was.
fn share(asked: u32, failed: u32) -> Option<f64> {
    (asked > 0).then(|| f64::from(asked - failed) / f64::from(asked))
}

/// The figures of the exam's questions among results; `None` without any.
pub fn exam_scores(results: &[ProbeResult]) -> Option<ExamScores> {
    let count = |results: &mut dyn Iterator<Item = &ProbeResult>| u32::try_from(results.count());
    let exam = || results.iter().filter(|result| result.probe.is_exam());
    let asked = count(&mut exam()).unwrap_or(u32::MAX);
    let passed = count(&mut exam().filter(|r| r.verdict == Verdict::Pass)).unwrap_or(u32::MAX);
    let score = (asked >= LEAST_ASKED).then(|| f64::from(passed) / f64::from(asked));
    (asked > 0).then_some(ExamScores { asked, passed, score, low: false })
}
