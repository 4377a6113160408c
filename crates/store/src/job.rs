//! A job of the queue: what it does, for which session, and the attempt that it is.

use serde::Serialize;
use utoipa::ToSchema;

use super::StoreError;
use anchord_messages::id::{CompressionId, SessionId, TenantId};
use anchord_session::compression::{Report, Request, Span};

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Makes the next summary version.
    Compress,
    /// Evaluates a version.
    Evaluate,
    /// Indexes messages for recall.
    Index,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Compress, Self::Evaluate, Self::Index];

    /// The kind's word in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compress => "compress",
            Self::Evaluate => "evaluate",
            Self::Index => "index",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A job to be enqueued.
#[derive(Clone, Copy, Debug)]
pub struct NewJob<'a> {
    /// What it does.
    pub kind: Kind,
    /// What asked for it: `manual`, `follow_up`, or a signal's name.
    pub trigger: &'a str,
    /// What it was asked to do.
    pub request: &'a Request,
}

/// A claimed job.
#[derive(Clone, Debug)]
pub struct Job {
    /// Whose it is.
    pub tenant: TenantId,
    /// Which session it works on.
    pub session: SessionId,
    /// Its id.
    pub id: CompressionId,
    /// What it does.
    pub kind: Kind,
    /// What asked for it.
    pub trigger: String,
    /// What it was asked to do.
    pub request: Request,
    /// The fence.
    pub attempt: i32,
    /// How often a worker died or lost its lease over it.
    pub crashes: i32,
    /// The span, once a first claim has fixed it.
    pub span: Option<Span>,
    /// From the request to this claim, in milliseconds.
    pub queued_ms: i64,
    /// The trace that asked for it (W3C `traceparent`).
    pub trace: Option<String>,
}

/// The report of a job as it is stored.
pub(super) fn report_text(job: &Job, report: &Report) -> Result<String, StoreError> {
    serde_json::to_string(report).map_err(|e| StoreError::corrupt("compressions", "report", job.id, e))
}
