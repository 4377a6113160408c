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

/// One invalid place in the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    /// JSON pointer into the body, or `/` and the name of the parameter or header.
    #[schema(examples("/messages/0/role"))]
    pub pointer: String,
    /// What is wrong there and what is allowed.
    #[schema(examples("unknown role \"robot\"; this format has system, user or assistant"))]
    pub detail: String,
}

/// The errors that a handler or an extractor may return.
#[derive(Debug)]
pub enum ApiError {
    /// The request cannot be parsed at all.
    BadRequest(String),
    /// The body is not JSON.
    MalformedJson(String),
    /// No usable key.
    Unauthorized(&'static str),
    /// The key lacks a scope.
    Forbidden(&'static str),
    /// The operator has suspended the tenant.
    Suspended,
    /// A path that no operation has.
    UnknownRoute {
        /// The path, as it was requested.
        path: String,
        /// The route that was probably meant.
        meant: Option<String>,
    },
    /// No such resource, or one of another tenant.
    NotFound(Kind),
    /// No such resource under this path, though it is elsewhere: where, and what to do.
    Elsewhere(Kind, &'static str),
    /// The session has no summary version yet.
    NoSummary,
    /// The path exists, the method does not.
    MethodNotAllowed,
    /// `expected_next_seq` does not hold.
    SequenceMismatch {
        /// What the caller expected.
        expected: Seq,
        /// What the next message would get.
        actual: Seq,
    },
    /// The session has a branch of this name.
    BranchExists(BranchName),
    /// The branch is the current one.
    BranchIsCurrent(BranchName),
    /// The session has as many branches as it may.
    TooManyBranches {
        /// How many beside main.
        limit: i32,
    },
    /// A compression with other parameters is live.
    CompressionLive(CompressionId),
    /// The first request with this idempotency key still runs.
    IdempotencyInFlight,
    /// Others have changed the session at every try of a sync.
    TranscriptContended,
    /// The state of the resource does not allow it.
    Conflict(String),
    /// A size limit was exceeded.
    TooLarge {
        /// What is too large, as the subject of the detail (`the body`, `message 3`, `the batch`).
        what: String,
        /// The limit.
        limit: usize,
        /// The unit of the limit (`bytes`, `messages`).
        unit: &'static str,
    },
    /// The body is not of this media type.
    UnsupportedMediaType(&'static str),
    /// The body is JSON by what is expected, and a form by its `Content-Type`.
    FormTyped,
    /// The body is compressed.
    Encoded,
    /// The body took too long to arrive.
    SlowBody(Duration),
    /// The body is JSON, but not valid.
    Invalid(Vec<FieldError>),
    /// A path or query parameter or a header is not valid.
    InvalidParameter(FieldError),
    /// The idempotency key was used with another body.
    IdempotencyMismatch,
    /// Valid in form, and rejected by a rule of the service.
    Refused(FieldError),
    /// A context cannot be made as small as `max_input_tokens`.
    BudgetTooSmall {
        /// The smallest budget that can be met.
        min_tokens: u32,
    },
    /// Too many requests for this key.
    RateLimited {
        /// Whose rate was exceeded: `key` or `tenant`.
        of: &'static str,
        /// How long to wait before the next request.
        retry_after: Duration,
        /// Requests per second that the key may make in the long run.
        per_second: u32,
        /// How many requests may come at once.
        burst: u32,
    },
    /// A quota of the tenant is used up.
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
    TooManyStreams {
        /// Whose limit it is: `key`, `tenant` or `process`.
        of: &'static str,
        /// The limit.
        limit: u32,
    },
    /// Too many failed authentications from the caller's address.
    TooManyFailures {
        /// How long to wait before the next attempt.
        retry_after: Duration,
    },
    /// The bodies of requests or replies take all the memory that they may.
    BodiesInFlight {
        /// Whose bodies, as the subject of the detail.
        of: &'static str,
        /// The limit in bytes.
        limit: u64,
    },
    /// The tenant's calls that need much processor time are as many as may wait.
    WorkInProgress {
        /// How many may wait.
        limit: usize,
    },
    /// A failure of the service; the cause is logged.
    Internal(anyhow::Error),
    /// The connection was lost during a commit; the cause is logged.
    OutcomeUnknown(anyhow::Error),
    /// The database cannot be reached in time; the cause is logged.
    Unavailable(anyhow::Error),
    /// Another change holds the lock of what was to be changed; the cause is logged.
    Locked(anyhow::Error),
    /// The tenant's own requests hold all of its connections; other tenants are not affected.
    TenantBusy,
    /// The request took too long.
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

    /// The kind, and the detail: what happened this time.
    #[expect(clippy::too_many_lines, reason = "one table")]
    pub(super) fn describe(&self) -> (Kind, Cow<'static, str>) {
        match self {
            Self::BadRequest(detail) => (Kind::BadRequest, owned(detail)),
            Self::MalformedJson(detail) => (Kind::MalformedJson, owned(detail)),
            Self::Unauthorized(detail) => (Kind::Unauthorized, (*detail).into()),
            Self::Forbidden(scope) => (
                Kind::Forbidden, format!("this key does not have the scope `{scope}`").into(),
            ),
            Self::Suspended => (
                Kind::TenantSuspended, "the operator has suspended this tenant; nothing of it is lost".into(),
            ),
            Self::UnknownRoute { path, meant } => {
                let detail = match meant {
                    Some(meant) => format!("no operation has the path {path}; did you mean {meant}?"),
                    None => format!("no operation has the path {path}; /openapi.json lists all of them"),
                };
                (Kind::RouteNotFound, detail.into())
            }
            Self::NotFound(kind) => {
                let detail = if *kind == Kind::VersionNotFound {
                    "the session has no summary version of this number"
                } else if *kind == Kind::BranchNotFound {
                    "the session has no branch of this name; GET …/branches lists those that it has"
                } else if *kind == Kind::ToolNotFound {
                    "there is no tool of this name; GET …/tools lists all of them"
                } else {
                    "it does not exist, or it is another tenant's"
                };
                (*kind, detail.into())
            }
            Self::Elsewhere(kind, detail) => (*kind, (*detail).into()),
            Self::NoSummary => (
                Kind::NoSummary, "the session has not been compressed, so it has no summary version".into(),
            ),
            Self::MethodNotAllowed => (
                Kind::MethodNotAllowed, "use one of the methods that the Allow header names".into(),
            ),
            Self::SequenceMismatch { expected, actual } => (
                Kind::SequenceMismatch, format!("expected_next_seq is {expected}, but the next message would be {actual}; nothing was stored")
                    .into(),
            ),
            Self::BranchExists(name) => (
                Kind::BranchExists, format!("the session has a branch {name}").into(),
            ),
            Self::BranchIsCurrent(name) => (
                Kind::BranchIsCurrent, format!("{name} is the current branch; switch to another first").into(),
            ),
            Self::TooManyBranches { limit } => (
                Kind::TooManyBranches,
                format!("the session has {limit} branches beside main, erased ones that others stand on included; erase some")
                    .into(),
            ),
            Self::CompressionLive(id) => (
                Kind::CompressionLive, format!("{id} is queued or running with other parameters").into(),
            ),
            Self::IdempotencyInFlight => (
                Kind::IdempotencyInFlight, "the first request with this Idempotency-Key still runs".into(),
            ),
            Self::TranscriptContended => (
                Kind::TranscriptContended, "others changed the session at every try; what was stored of the list stays".into(),
            ),
            Self::Conflict(detail) => (Kind::Conflict, owned(detail)),
            Self::TooLarge { what, limit, unit } => (
                Kind::TooLarge, format!("{what} is larger than the limit of {limit} {unit}").into(),
            ),
            Self::UnsupportedMediaType(kind) => (
                Kind::UnsupportedMediaType, format!("send the body as {kind}, in UTF-8").into(),
            ),
            Self::FormTyped => (
                Kind::UnsupportedMediaType,
                "the body is sent as a form (application/x-www-form-urlencoded), which is what curl's -d does by itself; \
                 send it with -H 'Content-Type: application/json'"
                    .into(),
            ),
            Self::Encoded => (
                Kind::UnsupportedMediaType, "send the body as it is: a Content-Encoding is not taken".into(),
            ),
            Self::SlowBody(longest) => (
                Kind::SlowBody, format!("the body took longer than {} s to come; nothing was stored", longest.as_secs()).into(),
            ),
            Self::Invalid(errors) => (Kind::InvalidRequest, join_details(errors)),
            Self::InvalidParameter(error) => (
                Kind::InvalidParameter, join_details(std::slice::from_ref(error)),
            ),
            Self::IdempotencyMismatch => (
                Kind::IdempotencyMismatch, "this Idempotency-Key was used with another body within the last 24 hours".into(),
            ),
            Self::Refused(error) => {
                (Kind::Refused, owned(&error.detail))
            }
            Self::BudgetTooSmall { min_tokens } => (
                Kind::BudgetTooSmall, format!("system prompt, pins and the newest message need at least {min_tokens} tokens").into(),
            ),
            Self::RateLimited { of, .. } => (
                Kind::RateLimited, format!("this {of} makes requests faster than it may; Retry-After says when the next one passes")
                    .into(),
            ),
            Self::QuotaExceeded { quota, limit, used, room, .. } => (
                Kind::QuotaExceeded, format!("the tenant's quota {quota} is {limit}, of which {used} are used; nothing was stored; {room}")
                    .into(),
            ),
            Self::TooManyStreams { of, limit } => (
                Kind::TooManyStreams, format!("this {of} has {limit} event streams open, as many as it may; close one").into(),
            ),
            Self::TooManyFailures { .. } => (
                Kind::TooManyFailures, "too many requests from this address had no good key; check the key, and wait for Retry-After".into(),
            ),
            Self::BodiesInFlight { of, limit } => (
                Kind::BodiesInFlight, format!("{of} take the {limit} bytes of memory that they may; send smaller ones, or fewer at once").into(),
            ),
            Self::WorkInProgress { limit } => (
                Kind::WorkInProgress, format!("{limit} of the tenant's calls that need much processor time wait already; send fewer at once")
                    .into(),
            ),
            Self::Internal(_) => (
                Kind::Internal, "the failure is logged under this request id".into(),
            ),
            Self::Unavailable(_) => (
                Kind::Unavailable, "the service cannot answer now; try again".into(),
            ),
            Self::OutcomeUnknown(_) => (
                Kind::OutcomeUnknown, "the database did not say whether the change is stored; repeat the request only with the same \
                 Idempotency-Key or expected_next_seq, and otherwise read first"
                    .into(),
            ),
            Self::Locked(_) => (
                Kind::Locked, "another change of the same resource takes longer than two seconds; nothing was stored; try again"
                    .into(),
            ),
            Self::TenantBusy => (
                Kind::TenantBusy, "the tenant's requests hold as many database connections, or wait for as much processor time, as one \
                 tenant's may; try again when some have ended"
                    .into(),
            ),
            Self::Timeout => (
                Kind::Timeout, "the request took longer than it may; what it began may still be done".into(),
            ),
        }
    }
}

fn owned(detail: &str) -> Cow<'static, str> {
    Cow::Owned(detail.to_owned())
}

fn join_details(errors: &[FieldError]) -> Cow<'static, str> {
    match errors.first() {
        Some(first) if first.pointer.is_empty() => owned(&first.detail),
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
