//! A published version: the summary and its metadata.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::exam_scores::ExamScores;
use super::strategy::{Engine, Strategy, Verifiable};
use super::summary::Summary;
use crate::phase::Phase;
use anchord_messages::id::Seq;

/// Figures of the making of one version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = SummaryMetadata)]
pub struct VersionMeta {
    /// Its number in the session: 1, 2, 3 …
    pub version: i64,
    /// The version that it was merged into.
    pub parent_version: Option<i64>,
    /// How it was made.
    pub strategy: Strategy,
    /// How far it can be verified against the originals; a rollback keeps the version's value.
    pub verifiable: Verifiable,
    /// Who read the span.
    pub engine: Engine,
    /// The model, when one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Versions published by a compression so far, this one included.
    pub compression_count: i64,
    /// When it was published.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub last_compressed_at: DateTime<Utc>,
    /// The first message of its span.
    pub from_seq: Seq,
    /// The last message that it covers: the anchor.
    pub through_seq: Seq,
    /// Record and digest of the version before plus the span, as contexts would serve them, in tokens.
    pub tokens_before: i64,
    /// Its record and digest when it was made, as contexts serve them, in tokens.
    pub tokens_after: i64,
    /// The most tokens that its rendering was given.
    pub max_tokens: u32,
    /// The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 % fewer, four to one.
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    #[schema(required = true)]
    pub reduction: Option<f64>,
    /// The share of the probes that passed, from 0 to 1; absent without probes.
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub probe_score: Option<f64>,
    /// The same of the probes that ask for facts which code found.
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub facts_score: Option<f64>,
    /// How a reader did in an exam that was written from the messages; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exam: Option<ExamScores>,
    /// The phase of the work that it was made in, which decides how it is rendered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Warnings about it.
    pub warnings: Vec<String>,
    /// It came from an import: what it says was checked where it was made, if it was, and not here. Absent for one that was
    /// made here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub imported: bool,
}

impl VersionMeta {
    /// The share of tokens that was saved; `None` when there was nothing before.
    pub fn ratio(tokens_before: i64, tokens_after: i64) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
        (tokens_before > 0).then(|| 1.0 - tokens_after as f64 / tokens_before as f64)
    }
}

/// A version as the API shows it: the document and its metadata in one object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = Summary)]
pub struct Version {
    /// Figures of its making.
    #[serde(flatten)]
    pub meta: VersionMeta,
    /// The document.
    #[serde(flatten)]
    pub summary: Summary,
}

impl Version {
    /// A version with its document.
    pub fn new(meta: VersionMeta, summary: Summary) -> Self {
        Self { meta, summary }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_share_that_was_saved() {
        assert_eq!(VersionMeta::ratio(1000, 250), Some(0.75));
        assert_eq!(VersionMeta::ratio(0, 10), None);
    }
}
