//! The errors that handlers and extractors return.

use std::borrow::Cow;
use std::time::Duration;

use anchord_messages::id::{BranchName, CompressionId, Seq};
use anchord_session::quota::Bound;
use serde::Serialize;
use utoipa::ToSchema;

use super::kind::Kind;

/// When a caller may retry after something is used up that has to be erased first.
pub(crate) const FULL_RETRY: Duration = Duration::from_hours(1);
/// When a caller may retry after too much waits.
const SOON: Duration = Duration::from_secs(10);

/// The result of a handler or an extractor.
pub type Result<T, E = ApiError> = std::result::Result<T, E>;

/// A lookup that may find nothing.
pub(crate) trait OrMissing<T> {
    /// The result, or the problem that there is none.
    fn or_missing(self, kind: Kind) -> Result<T>;
}

impl<T> OrMissing<T> for Option<T> {
    fn or_missing(self, kind: Kind) -> Result<T> {
        self.ok_or(ApiError::NotFound(kind))
    }
}

/// One invalid place in the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    /// JSON pointer into the body, or `/` and the name of the parameter or header.
    #[schema(examples("/messages/0/role"))]
    pub pointer: String,
    /// The fault there, and the values that are allowed.
    #[schema(examples("unknown role \"robot\"; this format has system, user or assistant"))]
    pub detail: String,
}

/// The errors that a handler or an extractor may return.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The request cannot be parsed at all.
    #[error("{0}")]
    BadRequest(String),
    /// The body is not JSON.
    #[error("{0}")]
    MalformedJson(String),
    /// No usable key.
    #[error("{0}")]
    Unauthorized(&'static str),
    /// The key lacks a scope.
    #[error("this key does not have the scope `{0}`")]
    Forbidden(&'static str),
    /// The operator has suspended the tenant.
    #[error("the operator has suspended this tenant; nothing of it is lost")]
    Suspended,
    /// A path that no operation has.
    #[error("no operation has the path {path}{}", route_hint(meant.as_deref()))]
    UnknownRoute {
        /// The path, as it was requested.
        path: String,
        /// The route that was probably meant.
        meant: Option<String>,
    },
    /// No such resource, or one of another tenant.
    #[error("{}", absence(*.0))]
    NotFound(Kind),
    /// No such resource under this path, though it is elsewhere: where, and what to do.
    #[error("{1}")]
    Elsewhere(Kind, &'static str),
    /// The session has no summary version yet.
    #[error("the session has not been compressed, so it has no summary version")]
    NoSummary,
    /// The path exists, the method does not.
    #[error("use one of the methods that the Allow header names")]
    MethodNotAllowed,
    /// `expected_next_seq` does not hold.
    #[error("expected_next_seq is {expected}, but the next message would be {actual}; nothing was stored")]
    SequenceMismatch {
        /// Position that the caller expected.
        expected: Seq,
        /// Position that the next message would get.
        actual: Seq,
    },
    /// The session has a branch of this name.
    #[error("the session has a branch {0}")]
    BranchExists(BranchName),
    /// The branch is the current one.
    #[error("{0} is the current branch; switch to another first")]
    BranchIsCurrent(BranchName),
    /// The session has as many branches as it may.
    #[error(
        "the session has {limit} branches beside main, erased ones that others stand on included; erase some"
    )]
    TooManyBranches {
        /// How many beside main.
        limit: i32,
    },
    /// A compression with other parameters is live.
    #[error("{0} is queued or running with other parameters")]
    CompressionLive(CompressionId),
    /// The first request with this idempotency key still runs.
    #[error("the first request with this Idempotency-Key still runs")]
    IdempotencyInFlight,
    /// Others have changed the session at every try of a sync.
    #[error("others changed the session at every try; what was stored of the list stays")]
    TranscriptContended,
    /// The state of the resource does not allow it.
    #[error("{0}")]
    Conflict(String),
    /// A size limit was exceeded.
    #[error("{what} is larger than the limit of {limit} {unit}")]
    TooLarge {
        /// Subject of the detail (`the body`, `message 3`, `the batch`).
        what: String,
        /// The limit.
        limit: usize,
        /// The unit of the limit (`bytes`, `messages`).
        unit: &'static str,
    },
    /// The body is not of this media type.
    #[error("send the body as {0}, in UTF-8")]
    UnsupportedMediaType(&'static str),
    /// The body is JSON by what is expected, and a form by its `Content-Type`.
    #[error(
        "the body is sent as a form (application/x-www-form-urlencoded), which is what curl's -d does by itself; \
         send it with -H 'Content-Type: application/json'"
    )]
    FormTyped,
    /// The body is compressed.
    #[error("send the body as it is: a Content-Encoding is not taken")]
    Encoded,
    /// The body took too long to arrive.
    #[error("the body took longer than {} s to come; nothing was stored", .0.as_secs())]
    SlowBody(Duration),
    /// The body is JSON, but not valid.
    #[error("{}", first_detail(.0))]
    Invalid(Vec<FieldError>),
    /// A path or query parameter or a header is not valid.
    #[error("{}", first_detail(std::slice::from_ref(.0)))]
    InvalidParameter(FieldError),
    /// The idempotency key was used with another body.
    #[error("this Idempotency-Key was used with another body within the last 24 hours")]
    IdempotencyMismatch,
    /// Valid in form, and rejected by a rule of the service.
    #[error("{}", .0.detail)]
    Refused(FieldError),
    /// A context cannot be made as small as `max_input_tokens`.
    #[error("system prompt, pins and the newest message need at least {min_tokens} tokens")]
    BudgetTooSmall {
        /// The smallest budget that can be met.
        min_tokens: u32,
    },
    /// Too many requests for this key.
    #[error("this {of} makes requests faster than it may; Retry-After says when the next one passes")]
    RateLimited {
        /// Owner of the exceeded rate: `key` or `tenant`.
        of: &'static str,
        /// How long to wait before the next request.
        retry_after: Duration,
        /// Requests per second that the key may make in the long run.
        per_second: u32,
        /// How many requests may come at once.
        burst: u32,
    },
    /// A quota of the tenant is used up.
    #[error("the tenant's quota {quota} is {limit}, of which {used} are used; nothing was stored; {room}")]
    QuotaExceeded {
        /// The quota's name.
        quota: &'static str,
        /// The limit of the quota.
        limit: i64,
        /// How much of it is used.
        used: i64,
        /// How to get room.
        room: &'static str,
        /// How long to wait before it may be different.
        retry_after: Duration,
    },
    /// As many event streams are open as may be.
    #[error("this {of} has {limit} event streams open, as many as it may; close one")]
    TooManyStreams {
        /// Owner of the limit: `key`, `tenant` or `process`.
        of: &'static str,
        /// The limit.
        limit: u32,
    },
    /// Too many failed authentications from the caller's address.
    #[error("too many requests from this address had no good key; check the key, and wait for Retry-After")]
    TooManyFailures {
        /// How long to wait before the next attempt.
        retry_after: Duration,
    },
    /// The bodies of requests or replies take all the memory that they may.
    #[error("{of} take the {limit} bytes of memory that they may; send smaller ones, or fewer at once")]
    BodiesInFlight {
        /// Subject of the detail, such as `the tenant's requests`.
        of: &'static str,
        /// The limit in bytes.
        limit: u64,
    },
    /// The tenant's calls that need much processor time are as many as may wait.
    #[error("{limit} of the tenant's calls that need much processor time wait already; send fewer at once")]
    WorkInProgress {
        /// How many may wait.
        limit: usize,
    },
    /// A failure of the service; the cause is logged.
    #[error("the failure is logged under this request id")]
    Internal(anyhow::Error),
    /// The connection was lost during a commit; the cause is logged.
    #[error(
        "the database did not say whether the change is stored; repeat the request only with the same Idempotency-Key or \
         expected_next_seq, and otherwise read first"
    )]
    OutcomeUnknown(anyhow::Error),
    /// The database cannot be reached in time; the cause is logged.
    #[error("the service cannot answer now; try again")]
    Unavailable(anyhow::Error),
    /// Another change holds the lock of what was to be changed; the cause is logged.
    #[error(
        "another change of the same resource takes longer than two seconds; nothing was stored; try again"
    )]
    Locked(anyhow::Error),
    /// The tenant's own requests hold all of its connections; other tenants are not affected.
    #[error(
        "the tenant's requests hold as many database connections, or wait for as much processor time, as one tenant's may; \
         try again when some have ended"
    )]
    TenantBusy,
    /// The request took too long.
    #[error("the request took longer than it may; what it began may still be done")]
    Timeout,
}

impl ApiError {
    /// A field of the body that is not valid.
    pub fn invalid(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError { pointer: pointer.into(), detail: detail.into() }])
    }

    /// A path or query parameter or a header that is not valid.
    pub fn parameter(name: &str, detail: impl Into<String>) -> Self {
        Self::InvalidParameter(FieldError { pointer: format!("/{name}"), detail: detail.into() })
    }

    /// A valid field that a rule of the service rejects.
    pub fn refused(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Refused(FieldError { pointer: pointer.into(), detail: detail.into() })
    }

    /// A bound of the tenant that is reached.
    pub fn over(bound: Bound, limit: i64, used: i64) -> Self {
        let retry_after = if bound.passes() { SOON } else { FULL_RETRY };
        Self::QuotaExceeded { quota: bound.name(), limit, used, room: bound.advice(), retry_after }
    }

    /// A failure of the service, whatever its cause.
    pub fn internal(cause: impl Into<anyhow::Error>) -> Self {
        Self::Internal(cause.into())
    }

    /// The kind of its problem.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::NotFound(kind) | Self::Elsewhere(kind, _) => *kind,
            Self::UnsupportedMediaType(_) | Self::FormTyped | Self::Encoded => Kind::UnsupportedMediaType,
            Self::BadRequest(_) => Kind::BadRequest,
            Self::MalformedJson(_) => Kind::MalformedJson,
            Self::Unauthorized(_) => Kind::Unauthorized,
            Self::Forbidden(_) => Kind::Forbidden,
            Self::Suspended => Kind::TenantSuspended,
            Self::UnknownRoute { .. } => Kind::RouteNotFound,
            Self::NoSummary => Kind::NoSummary,
            Self::MethodNotAllowed => Kind::MethodNotAllowed,
            Self::SequenceMismatch { .. } => Kind::SequenceMismatch,
            Self::BranchExists(_) => Kind::BranchExists,
            Self::BranchIsCurrent(_) => Kind::BranchIsCurrent,
            Self::TooManyBranches { .. } => Kind::TooManyBranches,
            Self::CompressionLive(_) => Kind::CompressionLive,
            Self::IdempotencyInFlight => Kind::IdempotencyInFlight,
            Self::TranscriptContended => Kind::TranscriptContended,
            Self::Conflict(_) => Kind::Conflict,
            Self::TooLarge { .. } => Kind::TooLarge,
            Self::SlowBody(_) => Kind::SlowBody,
            Self::Invalid(_) => Kind::InvalidRequest,
            Self::InvalidParameter(_) => Kind::InvalidParameter,
            Self::IdempotencyMismatch => Kind::IdempotencyMismatch,
            Self::Refused(_) => Kind::Refused,
            Self::BudgetTooSmall { .. } => Kind::BudgetTooSmall,
            Self::RateLimited { .. } => Kind::RateLimited,
            Self::QuotaExceeded { .. } => Kind::QuotaExceeded,
            Self::TooManyStreams { .. } => Kind::TooManyStreams,
            Self::TooManyFailures { .. } => Kind::TooManyFailures,
            Self::BodiesInFlight { .. } => Kind::BodiesInFlight,
            Self::WorkInProgress { .. } => Kind::WorkInProgress,
            Self::Internal(_) => Kind::Internal,
            Self::OutcomeUnknown(_) => Kind::OutcomeUnknown,
            Self::Unavailable(_) => Kind::Unavailable,
            Self::Locked(_) => Kind::Locked,
            Self::TenantBusy => Kind::TenantBusy,
            Self::Timeout => Kind::Timeout,
        }
    }
}

fn route_hint(meant: Option<&str>) -> Cow<'static, str> {
    meant.map_or_else(
        || "; /openapi.json lists all of them".into(),
        |meant| format!("; did you mean {meant}?").into(),
    )
}

fn absence(kind: Kind) -> &'static str {
    if kind == Kind::VersionNotFound {
        "the session has no summary version of this number"
    } else if kind == Kind::BranchNotFound {
        "the session has no branch of this name; GET …/branches lists those that it has"
    } else if kind == Kind::ToolNotFound {
        "there is no tool of this name; GET …/tools lists all of them"
    } else {
        "it does not exist, or it is another tenant's"
    }
}

fn first_detail(errors: &[FieldError]) -> Cow<'_, str> {
    match errors.first() {
        Some(first) if first.pointer.is_empty() => (&first.detail).into(),
        Some(first) => format!("{}: {}", first.pointer, first.detail).into(),
        None => "the request cannot be taken".into(),
    }
}

impl From<anchord_store::StoreError> for ApiError {
    fn from(error: anchord_store::StoreError) -> Self {
        if let anchord_store::StoreError::OverQuota { bound, limit, used } = error {
            Self::over(bound, limit, used)
        } else if matches!(error, anchord_store::StoreError::TenantBusy) {
            Self::TenantBusy
        } else if error.is_outcome_unknown() {
            Self::OutcomeUnknown(error.into())
        } else if error.is_locked() {
            Self::Locked(error.into())
        } else if error.is_unavailable() {
            Self::Unavailable(error.into())
        } else {
            Self::internal(error)
        }
    }
}
