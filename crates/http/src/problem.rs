//! The error type of handlers, and its response as `application/problem+json` (RFC 9457).
//!
//! | status | `type` | when |
//! |---|---|---|
//! | 400 | `/problems/malformed-json` | the body is not JSON |
//! | 400 | `/problems/bad-request` | the request cannot be parsed at all |
//! | 401 | `/problems/unauthorized` | no key, an unknown, expired or revoked one |
//! | 403 | `/problems/forbidden` | the key lacks the scope |
//! | 403 | `/problems/tenant-suspended` | the operator has suspended the tenant |
//! | 404 | `/problems/{resource}-not-found` | no such resource, or another tenant's ([`Resource`]) |
//! | 404 | `/problems/no-summary` | the session has no summary version yet |
//! | 405 | `/problems/method-not-allowed` | the path exists, the method does not |
//! | 408 | `/problems/slow-body` | the body took too long to arrive |
//! | 409 | `/problems/sequence-mismatch` | `expected_next_seq` does not hold; `next_seq` is the actual one |
//! | 409 | `/problems/compression-live` | a compression with other parameters is live; `compression_id` |
//! | 409 | `/problems/idempotency-in-flight` | the first request with this key still runs |
//! | 409 | `/problems/conflict` | the state of the resource does not allow it |
//! | 413 | `/problems/too-large` | a size limit was exceeded; `limit` has the number |
//! | 415 | `/problems/unsupported-media-type` | the body is not `application/json`, not JSON lines where those are asked for, or compressed |
//! | 422 | `/problems/invalid-request` | the body is JSON, but not valid; `errors` point into it |
//! | 422 | `/problems/invalid-parameter` | a path or query parameter or a header is not valid |
//! | 422 | `/problems/idempotency-mismatch` | the key was used with another body |
//! | 422 | `/problems/refused` | valid in form, and rejected by a rule of the service |
//! | 422 | `/problems/budget-too-small` | system prompt, pins and the newest message do not fit; `min_tokens` |
//! | 429 | `/problems/rate-limited` | too many requests for this key |
//! | 429 | `/problems/quota-exceeded` | a quota of the tenant is used up; `quota`, `limit`, `used` |
//! | 429 | `/problems/too-many-streams` | a key, a tenant or the process has as many event streams as it may; `limit` |
//! | 429 | `/problems/too-many-failures` | too many failed authentications from this address |
//! | 500 | `/problems/internal` | a failure of the service; the log has the cause under the request id |
//! | 500 | `/problems/outcome-unknown` | the change may be stored or not; repeat it only with its `Idempotency-Key` or `expected_next_seq`, else read first |
//! | 503 | `/problems/unavailable` | the database cannot be reached in time |
//! | 503 | `/problems/locked` | another change of the same resource takes too long; nothing was stored |
//! | 503 | `/problems/tenant-busy` | the tenant's own requests hold all the connections, or wait for as much work, as a tenant's may |
//! | 503 | `/problems/bodies-in-flight` | the bodies that are received, worked on or sent take all the memory that they may; `limit` |
//! | 503 | `/problems/work-in-progress` | the tenant's calls that need much processor time are as many as may wait; `limit` |
//! | 504 | `/problems/timeout` | the request took too long |
//!
//! A body never contains an internal cause: causes are logged once, here. `instance` is the request id, which only
//! the boundary knows, so a problem is passed on as a response extension, and the boundary writes the body.

use std::borrow::Cow;
use std::time::Duration;

use anchord_messages::id::{CompressionId, Seq};
use anchord_session::quota::Bound;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The most characters of a detail: details quote the caller's input, which may be long.
const MAX_DETAIL_CHARS: usize = 400;

/// When a caller may retry after something is used up that has to be erased first.
pub(super) const FULL_RETRY: Duration = Duration::from_hours(1);
/// When a caller may retry after too much waits.
const SOON: Duration = Duration::from_secs(10);

/// The kind of resource that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// A path that no operation has.
    Route,
    /// A session.
    Session,
    /// A summary version.
    Version,
    /// A compression.
    Compression,
    /// A probe.
    Probe,
    /// An evaluation.
    Evaluation,
    /// A constraint of the current summary.
    Constraint,
    /// A pin.
    Pin,
    /// An offloaded tool output.
    ToolOutput,
    /// A task.
    Task,
    /// An API key.
    Key,
    /// A webhook.
    Webhook,
    /// A message to a webhook.
    Delivery,
    /// A tenant.
    Tenant,
}

impl Resource {
    fn slug_and_title(self) -> (&'static str, &'static str) {
        match self {
            Self::Route => ("route-not-found", "No such path"),
            Self::Session => ("session-not-found", "No such session"),
            Self::Version => ("version-not-found", "No such summary version"),
            Self::Compression => ("compression-not-found", "No such compression"),
            Self::Probe => ("probe-not-found", "No such probe"),
            Self::Evaluation => ("evaluation-not-found", "No such evaluation"),
            Self::Constraint => ("constraint-not-found", "No such constraint"),
            Self::Pin => ("pin-not-found", "No such pin"),
            Self::ToolOutput => ("tool-output-not-found", "No such tool output"),
            Self::Task => ("task-not-found", "No such task"),
            Self::Key => ("key-not-found", "No such API key"),
            Self::Webhook => ("webhook-not-found", "No such webhook"),
            Self::Delivery => ("delivery-not-found", "No such delivery"),
            Self::Tenant => ("tenant-not-found", "No such tenant"),
        }
    }
}

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
    /// No such resource, or one of another tenant.
    NotFound(Resource),
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
    /// A compression with other parameters is live.
    CompressionLive(CompressionId),
    /// The first request with this idempotency key still runs.
    IdempotencyInFlight,
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
    /// A context cannot be made as small as `max_tokens`.
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
    #[must_use]
    pub fn over(bound: Bound, limit: i64, used: i64) -> Self {
        let retry_after = if bound.passes() { SOON } else { FULL_RETRY };
        Self::QuotaExceeded { quota: bound.name(), limit, used, room: bound.advice(), retry_after }
    }

    /// A failure of the service, whatever its cause.
    pub fn internal(cause: impl Into<anyhow::Error>) -> Self {
        Self::Internal(cause.into())
    }

    /// The status, the slug of the type, the title and the detail.
    #[expect(clippy::too_many_lines, reason = "one table: a row for each problem")]
    fn describe(&self) -> (StatusCode, &'static str, &'static str, Cow<'static, str>) {
        use StatusCode as S;
        match self {
            Self::BadRequest(detail) => (S::BAD_REQUEST, "bad-request", "Bad request", owned(detail)),
            Self::MalformedJson(detail) => (S::BAD_REQUEST, "malformed-json", "Malformed JSON", owned(detail)),
            Self::Unauthorized(detail) => (S::UNAUTHORIZED, "unauthorized", "Unauthorized", (*detail).into()),
            Self::Forbidden(scope) => (
                S::FORBIDDEN,
                "forbidden",
                "Forbidden",
                format!("this key does not have the scope `{scope}`").into(),
            ),
            Self::Suspended => (
                S::FORBIDDEN,
                "tenant-suspended",
                "Tenant suspended",
                "the operator has suspended this tenant; nothing of it is lost".into(),
            ),
            Self::NotFound(resource) => {
                let (slug, title) = resource.slug_and_title();
                (S::NOT_FOUND, slug, title, "it does not exist, or it is not yours".into())
            }
            Self::NoSummary => (
                S::NOT_FOUND,
                "no-summary",
                "No summary yet",
                "the session has not been compressed, so it has no summary version".into(),
            ),
            Self::MethodNotAllowed => (
                S::METHOD_NOT_ALLOWED,
                "method-not-allowed",
                "Method not allowed",
                "the Allow header names the methods of this path".into(),
            ),
            Self::SequenceMismatch { expected, actual } => (
                S::CONFLICT,
                "sequence-mismatch",
                "Another message came first",
                format!("expected_next_seq is {expected}, but the next message would be {actual}; nothing was stored")
                    .into(),
            ),
            Self::CompressionLive(id) => (
                S::CONFLICT,
                "compression-live",
                "A compression is live",
                format!("{id} is queued or running with other parameters").into(),
            ),
            Self::IdempotencyInFlight => (
                S::CONFLICT,
                "idempotency-in-flight",
                "Still at work",
                "the first request with this Idempotency-Key still runs".into(),
            ),
            Self::Conflict(detail) => (S::CONFLICT, "conflict", "Conflict", owned(detail)),
            Self::TooLarge { what, limit, unit } => (
                S::PAYLOAD_TOO_LARGE,
                "too-large",
                "Too large",
                format!("{what} is larger than the limit of {limit} {unit}").into(),
            ),
            Self::UnsupportedMediaType(kind) => (
                S::UNSUPPORTED_MEDIA_TYPE,
                "unsupported-media-type",
                "Unsupported media type",
                format!("send the body as {kind}, in UTF-8").into(),
            ),
            Self::Encoded => (
                S::UNSUPPORTED_MEDIA_TYPE,
                "unsupported-media-type",
                "Unsupported media type",
                "send the body as it is: a Content-Encoding is not taken".into(),
            ),
            Self::SlowBody(longest) => (
                S::REQUEST_TIMEOUT,
                "slow-body",
                "The body did not come",
                format!("the body took longer than {} s to come; nothing was stored", longest.as_secs()).into(),
            ),
            Self::Invalid(errors) => (S::UNPROCESSABLE_ENTITY, "invalid-request", "Invalid request", join_details(errors)),
            Self::InvalidParameter(error) => (
                S::UNPROCESSABLE_ENTITY,
                "invalid-parameter",
                "Invalid parameter",
                join_details(std::slice::from_ref(error)),
            ),
            Self::IdempotencyMismatch => (
                S::UNPROCESSABLE_ENTITY,
                "idempotency-mismatch",
                "Key used with another body",
                "this Idempotency-Key was used with another body within the last 24 hours".into(),
            ),
            Self::Refused(error) => {
                (S::UNPROCESSABLE_ENTITY, "refused", "Refused", owned(&error.detail))
            }
            Self::BudgetTooSmall { min_tokens } => (
                S::UNPROCESSABLE_ENTITY,
                "budget-too-small",
                "Budget too small",
                format!("system prompt, pins and the newest message need at least {min_tokens} tokens").into(),
            ),
            Self::RateLimited { of, .. } => (
                S::TOO_MANY_REQUESTS,
                "rate-limited",
                "Too many requests",
                format!("this {of} makes requests faster than it may; Retry-After says when the next one passes")
                    .into(),
            ),
            Self::QuotaExceeded { quota, limit, used, room, .. } => (
                S::TOO_MANY_REQUESTS,
                "quota-exceeded",
                "Quota exceeded",
                format!("the tenant's quota {quota} is {limit}, of which {used} are used; nothing was stored; {room}")
                    .into(),
            ),
            Self::TooManyStreams { of, limit } => (
                S::TOO_MANY_REQUESTS,
                "too-many-streams",
                "Too many event streams",
                format!("this {of} has {limit} event streams open, as many as it may; close one").into(),
            ),
            Self::TooManyFailures { .. } => (
                S::TOO_MANY_REQUESTS,
                "too-many-failures",
                "Too many failed authentications",
                "too many requests from this address had no good key; check the key, and wait for Retry-After".into(),
            ),
            Self::BodiesInFlight { of, limit } => (
                S::SERVICE_UNAVAILABLE,
                "bodies-in-flight",
                "Too many bytes at once",
                format!("{of} take the {limit} bytes of memory that they may; send smaller ones, or fewer at once").into(),
            ),
            Self::WorkInProgress { limit } => (
                S::SERVICE_UNAVAILABLE,
                "work-in-progress",
                "Too much work at once",
                format!("{limit} of the tenant's calls that need much processor time wait already; send fewer at once")
                    .into(),
            ),
            Self::Internal(_) => (
                S::INTERNAL_SERVER_ERROR,
                "internal",
                "Internal error",
                "the failure is logged under this request id".into(),
            ),
            Self::Unavailable(_) => (
                S::SERVICE_UNAVAILABLE,
                "unavailable",
                "Unavailable",
                "the service cannot answer now; try again".into(),
            ),
            Self::OutcomeUnknown(_) => (
                S::INTERNAL_SERVER_ERROR,
                "outcome-unknown",
                "Outcome unknown",
                "the database did not say whether the change is stored; repeat the request only with the same \
                 Idempotency-Key or expected_next_seq, and otherwise read before you repeat it"
                    .into(),
            ),
            Self::Locked(_) => (
                S::SERVICE_UNAVAILABLE,
                "locked",
                "Locked",
                "another change of the same resource takes longer than two seconds; nothing was stored; try again"
                    .into(),
            ),
            Self::TenantBusy => (
                S::SERVICE_UNAVAILABLE,
                "tenant-busy",
                "Tenant busy",
                "the tenant's requests hold as many database connections, or wait for as much processor time, as one \
                 tenant's may; try again when some have ended"
                    .into(),
            ),
            Self::Timeout => (
                S::GATEWAY_TIMEOUT,
                "timeout",
                "Timeout",
                "the request took longer than it may; what it began may still be done".into(),
            ),
        }
    }

    /// Turns the error into the problem that the boundary writes, and logs its cause.
    fn into_problem(self) -> (Problem, HeaderMap) {
        let (status, slug, title, detail) = self.describe();
        let mut problem = Problem::new(status, slug, title, &detail);
        let mut headers = HeaderMap::new();
        match self {
            Self::Internal(cause) => tracing::error!(error = format!("{cause:#}"), "request.failed"),
            Self::TenantBusy => put(&mut headers, header::RETRY_AFTER, "1"),
            Self::TooManyStreams { limit, .. } => {
                put(&mut headers, header::RETRY_AFTER, "5");
                problem.extend("limit", limit.into());
            }
            Self::TooManyFailures { retry_after } => {
                let seconds = retry_after.as_secs_f64().ceil().max(1.0);
                put(&mut headers, header::RETRY_AFTER, &format!("{seconds}"));
            }
            Self::BodiesInFlight { limit, .. } => {
                put(&mut headers, header::RETRY_AFTER, "1");
                problem.extend("limit", limit.into());
            }
            Self::WorkInProgress { limit } => {
                put(&mut headers, header::RETRY_AFTER, "1");
                problem.extend("limit", limit.into());
            }
            Self::OutcomeUnknown(cause) => {
                tracing::error!(error = format!("{cause:#}"), "request.outcome_unknown");
            }
            Self::Unavailable(cause) | Self::Locked(cause) => {
                tracing::warn!(error = format!("{cause:#}"), "request.unavailable");
                put(&mut headers, header::RETRY_AFTER, "1");
            }
            Self::Unauthorized(_) => put(&mut headers, header::WWW_AUTHENTICATE, "Bearer realm=\"anchord\""),
            Self::SequenceMismatch { actual, .. } => problem.extend("next_seq", actual.into()),
            Self::CompressionLive(id) => problem.extend("compression_id", id.to_string().into()),
            Self::BudgetTooSmall { min_tokens } => problem.extend("min_tokens", min_tokens.into()),
            Self::TooLarge { limit, .. } => problem.extend("limit", limit.into()),
            Self::Invalid(errors) => problem.errors = errors,
            Self::InvalidParameter(error) | Self::Refused(error) => problem.errors = vec![error],
            Self::RateLimited { of, retry_after, per_second, burst } => {
                let seconds = retry_after.as_secs_f64().ceil().max(1.0);
                put(&mut headers, header::RETRY_AFTER, &format!("{seconds}"));
                let limit = format!("\"{of}\";r=0;t={seconds}");
                put(&mut headers, HeaderName::from_static("ratelimit"), &limit);
                let window = burst.div_ceil(per_second.max(1));
                let policy = format!("\"{of}\";q={burst};w={window}");
                put(&mut headers, HeaderName::from_static("ratelimit-policy"), &policy);
            }
            Self::QuotaExceeded { quota, limit, used, retry_after, .. } => {
                let seconds = retry_after.as_secs().max(1);
                put(&mut headers, header::RETRY_AFTER, &seconds.to_string());
                let left = (limit - used).max(0);
                put(
                    &mut headers,
                    HeaderName::from_static("ratelimit"),
                    &format!("\"{quota}\";r={left};t={seconds}"),
                );
                put(
                    &mut headers,
                    HeaderName::from_static("ratelimit-policy"),
                    &format!("\"{quota}\";q={limit}"),
                );
                problem.extend("quota", quota.into());
                problem.extend("limit", limit.into());
                problem.extend("used", used.into());
            }
            Self::Encoded => put(&mut headers, header::ACCEPT_ENCODING, "identity"),
            Self::BadRequest(_)
            | Self::MalformedJson(_)
            | Self::Forbidden(_)
            | Self::Suspended
            | Self::NotFound(_)
            | Self::NoSummary
            | Self::MethodNotAllowed
            | Self::IdempotencyInFlight
            | Self::Conflict(_)
            | Self::UnsupportedMediaType(_)
            | Self::SlowBody(_)
            | Self::IdempotencyMismatch
            | Self::Timeout => {}
        }
        for error in &mut problem.errors {
            error.detail = clipped(&error.detail);
        }
        (problem, headers)
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

/// Adds a header whose value the service makes, from ASCII; one that is not valid is left out.
fn put(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(MAX_DETAIL_CHARS) {
        Some((end, _)) => format!("{} …", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (problem, headers) = self.into_problem();
        let mut response = (problem.status_code(), headers).into_response();
        response.extensions_mut().insert(problem);
        response
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

/// A refusal or failure (RFC 9457). Members beyond these are documented with the operation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// What kind of problem it is; stable, relative to the server.
    #[serde(rename = "type")]
    #[schema(examples("/problems/session-not-found"))]
    pub kind: String,
    /// A short title; the same for every problem of the type.
    #[schema(examples("No such session"))]
    pub title: String,
    /// The reply's status.
    #[schema(examples(404), minimum = 400, maximum = 599)]
    pub status: u16,
    /// What happened this time.
    #[schema(examples("it does not exist, or it is not yours"))]
    pub detail: String,
    /// The request id, as in `X-Request-Id`.
    #[schema(examples("01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"))]
    pub instance: String,
    /// The invalid places in the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub errors: Vec<FieldError>,
    /// Members of this kind of problem (`next_seq`, `compression_id`, `limit`).
    #[serde(flatten)]
    #[schema(ignore)]
    pub members: Map<String, Value>,
}

impl Problem {
    fn new(status: StatusCode, slug: &str, title: &str, detail: &str) -> Self {
        Self {
            kind: format!("/problems/{slug}"),
            title: title.to_owned(),
            status: status.as_u16(),
            detail: clipped(detail),
            instance: String::new(),
            errors: Vec::new(),
            members: Map::new(),
        }
    }

    /// The problem of a rejection by a library: a status, and no detail that could be shown.
    #[must_use]
    pub fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::NOT_FOUND => ApiError::NotFound(Resource::Route),
            StatusCode::METHOD_NOT_ALLOWED => ApiError::MethodNotAllowed,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => ApiError::UnsupportedMediaType("application/json"),
            other if other.is_client_error() => {
                let reason = other.canonical_reason().unwrap_or("the request was refused");
                return Self::new(other, "bad-request", "Bad request", reason);
            }
            other => ApiError::Internal(anyhow::anyhow!("a library answered {other}")),
        }
        .into_problem()
        .0
    }

    fn extend(&mut self, name: &str, value: Value) {
        self.members.insert(name.to_owned(), value);
    }

    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}
