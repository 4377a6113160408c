//! A version that is not published yet, with its evaluation, as a worker made it.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::todos::TodoUpdate;
use anchord_messages::id::{ProbeId, Seq};
use anchord_record::parts;
use anchord_session::session::VersionSizes;

/// A version to be published.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// Its number, which must be the next one of the session.
    pub version: i64,
    /// Its metadata, as JSON.
    pub meta: Box<RawValue>,
    /// Its record; the parts that its base already has are not written again.
    pub record: parts::SplitSummary,
    /// The ledger's carry for the next span, as it is stored.
    pub carry: Box<RawValue>,
    /// The rendering that contexts serve, and its tokens.
    pub rendering: (String, u32),
    /// Smaller renderings with their tokens, the largest first.
    pub smaller: Vec<(String, u32)>,
    /// The digest that contexts serve, and its tokens; `None` when there is none.
    pub digest: Option<(String, u32)>,
    /// The recap: current task, open errors and next steps.
    pub recap: String,
    /// The caller's todo list after the span; written only when the list has not changed since it was read.
    pub todos: Option<TodoUpdate>,
    /// Commands and test runs of the span: kind, first seq, ordinal, value.
    pub ledger: Vec<(Cow<'static, str>, Seq, i32, Box<RawValue>)>,
}

/// The result of the probes for a candidate.
#[derive(Clone, Debug)]
pub struct NewEvaluation {
    /// The scores, as JSON.
    pub scores: serde_json::Value,
    /// The verdicts, probe by probe.
    pub results: Box<RawValue>,
    /// New probes from the span.
    pub new_probes: Vec<Box<RawValue>>,
    /// Earlier probes that a merge rule retired.
    pub retired: Vec<ProbeId>,
}

impl NewVersion {
    pub(super) fn served(&self) -> VersionSizes {
        VersionSizes {
            version: self.version,
            summary_tokens: self.rendering.1,
            digest_tokens: self.digest.as_ref().map_or(0, |digest| digest.1),
        }
    }
}
