//! A probe, its expected facts, and its result.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::section::Section;
use anchord_messages::id::Seq;

/// The answer when the context does not have the facts.
pub const NOT_FOUND: &str = "information not found";

/// The subject of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProbeKind {
    /// The error, the figure, the identifier.
    Recall,
    /// Which files were created, modified, deleted, read; what changed in one.
    Artifact,
    /// What the task is, where it stands, what comes next.
    Continuation,
    /// The decision and its reason.
    Decision,
    /// Obstacles to progress.
    Blocker,
    /// What must or must not be done.
    Constraint,
}

impl ProbeKind {
    /// Whether it asks for what code found in the messages: files, errors, figures, demands. The other kinds ask for
    /// what an engine wrote.
    pub const fn is_of_facts(self) -> bool {
        matches!(self, Self::Recall | Self::Artifact | Self::Constraint)
    }
}

/// How many of the expected facts an answer needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "MatchFields", try_from = "MatchFields")]
pub enum Match {
    /// Every one.
    #[default]
    All,
    /// At least one.
    Any,
    /// At least this share, from 0 to 1.
    Ratio(f64),
}

/// How many of the expected facts an answer needs.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ProbeMatch, examples(json!({"kind": "ratio", "ratio": 0.8})))]
pub struct MatchFields {
    /// How the answer is judged.
    pub kind: MatchKind,
    /// With `ratio`: the least share of the facts, above 0 and at most 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(exclusive_minimum = 0, maximum = 1)]
    pub ratio: Option<f64>,
}

/// How an answer is judged.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ProbeMatchKind)]
pub enum MatchKind {
    /// It needs every fact.
    All,
    /// It needs at least one fact.
    Any,
    /// It needs a share of the facts: `ratio`.
    Ratio,
}

impl From<Match> for MatchFields {
    fn from(mode: Match) -> Self {
        match mode {
            Match::All => Self { kind: MatchKind::All, ratio: None },
            Match::Any => Self { kind: MatchKind::Any, ratio: None },
            Match::Ratio(ratio) => Self { kind: MatchKind::Ratio, ratio: Some(ratio) },
        }
    }
}

impl TryFrom<MatchFields> for Match {
    type Error = &'static str;

    fn try_from(fields: MatchFields) -> Result<Self, &'static str> {
        match fields {
            MatchFields { kind: MatchKind::All, ratio: None } => Ok(Self::All),
            MatchFields { kind: MatchKind::Any, ratio: None } => Ok(Self::Any),
            MatchFields { kind: MatchKind::Ratio, ratio: Some(ratio) } => Ok(Self::Ratio(ratio)),
            MatchFields { kind: MatchKind::Ratio, ratio: None } => Err("must be set with the kind `ratio`"),
            MatchFields { .. } => Err("must be absent unless the kind is `ratio`"),
        }
    }
}

/// A question with the facts that its answer must hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Probe {
    /// The subject of the question.
    pub kind: ProbeKind,
    /// The question.
    pub question: String,
    /// The facts that the answer must hold; one of an exam's may name several spellings, with ` | ` between them.
    pub expected: Vec<String>,
    /// How many of them it needs.
    #[serde(default, rename = "match")]
    #[schema(value_type = MatchFields)]
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
    /// The answer that an examiner wrote from the messages. Only questions of an exam have one, and a model
    /// answers them, not code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

impl Probe {
    /// Whether a model wrote it for an exam.
    pub const fn is_exam(&self) -> bool {
        self.reference.is_some()
    }

    /// The section, question and facts by which a probe is the same as another. Several may share a question, such as one
    /// for each file of a folder.
    pub(super) fn asks(&self) -> (Option<Section>, &str, &[String]) {
        (self.section, &self.question, &self.expected)
    }

    /// Whether it is a caller's own, which names no section. It is asked until the caller removes it.
    pub const fn is_callers(&self) -> bool {
        self.section.is_none() && !self.is_exam()
    }

    /// The accepted spellings of an expected fact. An exam's fact lists them with ` | ` between them; any
    /// other fact has one.
    pub fn spellings<'a>(&self, fact: &'a str) -> impl Iterator<Item = &'a str> {
        let most = if self.is_exam() { usize::MAX } else { 1 };
        fact.splitn(most, " | ").map(str::trim)
    }
}

/// The verdict on a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ProbeVerdict)]
pub enum Verdict {
    /// The rendering holds the facts in the right section.
    Pass,
    /// Neither the rendering nor the record holds them.
    Fail,
    /// The record holds them, and the token bound kept them out of the rendering.
    Cut,
}

/// The reader that answered a probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = AnsweredBy)]
pub enum Answerer {
    /// Code, which looked the facts up in the rendering.
    #[default]
    Code,
    /// A model, which was given the rendering and the question; code checked its answer.
    Model,
}

/// The result of one probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProbeResult {
    /// The probe.
    pub probe: Probe,
    /// The answer; `information not found` when there is none.
    pub answer: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The expected facts that were not found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The reader that answered it.
    #[serde(default)]
    pub answered_by: Answerer,
    /// How long the model's call took, in milliseconds; one call answers several probes. 0 for code.
    #[serde(default)]
    pub latency_ms: u64,
    /// Its share of that call's cost, in millionths of the currency of the operator's prices.
    #[serde(default)]
    pub cost_micros: u64,
}

impl ProbeResult {
    /// The result of a probe that was not asked yet: failed, and every fact is missing.
    pub fn unanswered(probe: Probe) -> Self {
        let missing = probe.expected.clone();
        Self::by_code(probe, NOT_FOUND.to_owned(), Verdict::Fail, missing)
    }

    /// The result of a probe that code answered.
    pub fn by_code(probe: Probe, answer: String, verdict: Verdict, missing: Vec<String>) -> Self {
        Self { probe, answer, verdict, missing, answered_by: Answerer::Code, latency_ms: 0, cost_micros: 0 }
    }
}
