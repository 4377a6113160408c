//! The kinds of problems. `kinds.toml` has the status, the title and what the page of each says.
//!
//! `ApiError` names a kind, and a kind has a row here, so no problem can be sent whose `type` opens no page.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A kind of problem. Its word is the last part of the `type` of a problem: `/problems/{word}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, EnumString, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "`kinds.toml` describes each of them")]
pub enum Kind {
    MalformedJson,
    BadRequest,
    Unauthorized,
    Forbidden,
    TenantSuspended,
    RouteNotFound,
    SessionNotFound,
    BranchNotFound,
    VersionNotFound,
    CompressionNotFound,
    ProbeNotFound,
    EvaluationNotFound,
    ConstraintNotFound,
    RequestNotFound,
    ToolOutputNotFound,
    ModelNotFound,
    TaskNotFound,
    KeyNotFound,
    WebhookNotFound,
    PinNotFound,
    NoteNotFound,
    ToolNotFound,
    DeliveryNotFound,
    TenantNotFound,
    NoSummary,
    MethodNotAllowed,
    SlowBody,
    SequenceMismatch,
    BranchExists,
    BranchIsCurrent,
    TooManyBranches,
    CompressionLive,
    IdempotencyInFlight,
    TranscriptContended,
    Conflict,
    TooLarge,
    UnsupportedMediaType,
    InvalidRequest,
    InvalidParameter,
    IdempotencyMismatch,
    Refused,
    BudgetTooSmall,
    RateLimited,
    QuotaExceeded,
    TooManyStreams,
    TooManyFailures,
    Internal,
    OutcomeUnknown,
    Unavailable,
    Locked,
    TenantBusy,
    BodiesInFlight,
    WorkInProgress,
    Timeout,
}

/// Documentation of a kind; by default that of a resource that the tenant does not have.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct About {
    /// The status of the replies.
    pub status: u16,
    /// The kind in a few words, as `title` of the problem.
    pub title: String,
    /// Meaning of the problem.
    pub meaning: String,
    /// Remedy of the caller.
    pub remedy: String,
    /// Extra members and headers of the reply, each with its meaning.
    pub members: Vec<(String, String)>,
}

impl Default for About {
    fn default() -> Self {
        let meaning = "The path names something that the tenant of the key does not have: it was never made, it was erased, or \
                       it is another tenant's, which is answered in the same way.";
        let remedy = "Check the name or id in the path, and that the key is of the right tenant.";
        let (title, members) = (String::new(), Vec::new());
        Self { status: 404, title, meaning: meaning.to_owned(), remedy: remedy.to_owned(), members }
    }
}

/// The rows of `kinds.toml`, in the order of the kinds.
#[expect(clippy::expect_used, reason = "the file is a part of the program, and a test reads every row of it")]
static TABLE: LazyLock<Vec<About>> = LazyLock::new(|| {
    let mut rows: BTreeMap<String, About> =
        toml::from_str(include_str!("kinds.toml")).expect("the table is valid");
    Kind::ALL.iter().map(|kind| rows.remove(kind.slug()).expect("every kind has a row")).collect()
});

impl Kind {
    /// All of them, in the order of their declaration.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The last part of the `type`.
    pub fn slug(self) -> &'static str {
        self.into()
    }

    /// Its documentation.
    #[expect(clippy::indexing_slicing, reason = "the table has a row for every kind")]
    pub fn about(self) -> &'static About {
        &TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_word() {
        for kind in Kind::ALL {
            assert_eq!(kind.slug().parse(), Ok(*kind));
            assert!(kind.slug().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", kind.slug());
            assert!(kind.about().status >= 400 && !kind.about().title.is_empty());
        }
    }
}
