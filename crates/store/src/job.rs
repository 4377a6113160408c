//! A job of the queue: what it does, for which session, and the attempt that it is.

use strum::{AsRefStr, EnumString, IntoStaticStr, VariantArray};

use crate::prelude::*;
use anchord_session::compression::{Report, Request, Span};

/// The work of a job.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    serde::Deserialize,
    ToSchema,
    EnumString,
    AsRefStr,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[schema(as = JobKind)]
pub enum Kind {
    /// Makes the next summary version.
    Compress,
    /// Evaluates a version.
    Evaluate,
    /// Indexes messages for recall.
    Index,
}

/// A job to enqueue.
#[derive(Clone, Copy, Debug)]
pub struct NewJob<'a> {
    /// Kind of the work.
    pub kind: Kind,
    /// Trigger: `manual`, `follow_up`, or a signal's name.
    pub trigger: &'a str,
    /// The parameters of the job.
    pub request: &'a Request,
}

/// A claimed job.
#[derive(Clone, Debug)]
pub struct Job {
    /// The tenant of the session.
    pub tenant: TenantId,
    /// The session that it works on.
    pub session: SessionId,
    /// Its id.
    pub id: CompressionId,
    /// Kind of the work.
    pub kind: Kind,
    /// Trigger of the job.
    pub trigger: String,
    /// The parameters of the job.
    pub request: Request,
    /// The number of this claim, which is the fence of the job's writes.
    pub attempt: i32,
    /// How often a worker died or lost its lease while it ran the job.
    pub crashes: i32,
    /// The span, once an attempt has fixed it.
    pub span: Option<Span>,
    /// From the request to this claim, in milliseconds.
    pub queued_ms: i64,
    /// The trace of the request that enqueued it (W3C `traceparent`).
    pub trace: Option<String>,
}

impl Job {
    /// A job that no worker has claimed.
    pub(super) fn new(key: SessionKey, id: CompressionId, kind: Kind, trigger: &str) -> Self {
        Self {
            tenant: key.tenant,
            session: key.id,
            id,
            kind,
            trigger: trigger.to_owned(),
            request: Request::default(),
            attempt: 0,
            crashes: 0,
            span: None,
            queued_ms: 0,
            trace: None,
        }
    }
}

/// The report of a job as it is stored.
pub(super) fn report_text(job: &Job, report: &Report) -> Result<String> {
    serde_json::to_string(report).map_err(|e| StoreError::corrupt("compressions", "report", job.id, e))
}
