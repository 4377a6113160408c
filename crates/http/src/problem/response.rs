//! Turns an error into its reply: `application/problem+json` (RFC 9457).
//!
//! A body never contains an internal cause: causes are logged once, here. `instance` is the request id, which only
//! the boundary knows, so a problem is passed on as a response extension, and the boundary writes the body.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use anchord_messages::id::BranchName;

use super::error::{ApiError, FieldError};
use super::kind::Kind;

/// The most characters of a detail: details quote the caller's input, which may be long.
const MAX_DETAIL_CHARS: usize = 400;

impl ApiError {
    /// The status of its reply.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.kind().about().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The error as a problem that stands inside of a reply, under the request's id; logs its cause.
    pub(crate) fn problem(self, request_id: &str) -> Problem {
        Problem { instance: request_id.to_owned(), ..self.into_problem().0 }
    }

    /// Turns the error into the problem that the boundary writes, and logs its cause.
    fn into_problem(self) -> (Problem, HeaderMap) {
        let mut problem = Problem::new(self.kind(), &self.to_string());
        let mut headers = HeaderMap::new();
        match self {
            Self::Internal(cause) => tracing::error!(error = format!("{cause:#}"), "request.failed"),
            Self::TenantBusy | Self::TranscriptContended => put(&mut headers, header::RETRY_AFTER, "1"),
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
            Self::TooManyBranches { limit } => problem.extend("limit", limit.into()),
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
            | Self::UnknownRoute { .. }
            | Self::NotFound(_)
            | Self::BranchExists(_)
            | Self::BranchIsCurrent(_)
            | Self::Elsewhere(..)
            | Self::FormTyped
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

/// A refusal or failure (RFC 9457). Members beyond these are documented with the operation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// The kind of problem; stable, relative to the server, where it opens a page that explains it.
    #[serde(rename = "type")]
    #[schema(examples("/problems/session-not-found"))]
    pub kind: String,
    /// A short title; the same for every problem of the type.
    #[schema(examples("No such session"))]
    pub title: String,
    /// The reply's status.
    #[schema(examples(404), minimum = 400, maximum = 599)]
    pub status: u16,
    /// The explanation of this occurrence.
    #[schema(examples("it does not exist, or it is another tenant's"))]
    pub detail: String,
    /// The request id, as in `X-Request-Id`.
    #[schema(examples("01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10"))]
    pub instance: String,
    /// The invalid places in the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// Members of this kind of problem (`next_seq`, `compression_id`, `limit`).
    #[serde(flatten)]
    #[schema(ignore)]
    pub members: Map<String, Value>,
}

impl Problem {
    fn new(kind: Kind, detail: &str) -> Self {
        let about = kind.about();
        Self {
            kind: format!("/problems/{}", kind.slug()),
            title: about.title.clone(),
            status: about.status,
            detail: clipped(detail),
            instance: String::new(),
            errors: Vec::new(),
            members: Map::new(),
        }
    }

    /// The problem of a rejection by a library: a status, and no detail that could be shown.
    pub fn of_status(status: StatusCode, path: &str) -> Self {
        match status {
            StatusCode::NOT_FOUND => ApiError::UnknownRoute { path: path.to_owned(), meant: None },
            StatusCode::METHOD_NOT_ALLOWED => ApiError::MethodNotAllowed,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => ApiError::UnsupportedMediaType("application/json"),
            other if other.is_client_error() => {
                let reason = other.canonical_reason().unwrap_or("the request was refused");
                return Self { status: other.as_u16(), ..Self::new(Kind::BadRequest, reason) };
            }
            other => ApiError::Internal(anyhow::anyhow!("a library answered {other}")),
        }
        .into_problem()
        .0
    }

    /// Names the branch that a request for a session named, when nothing was found.
    pub(crate) fn name_branch(&mut self, branch: &BranchName) {
        if self.kind == format!("/problems/{}", Kind::SessionNotFound.slug()) {
            self.detail =
                format!("the session does not exist, is another tenant's, or has no branch {branch}");
        }
    }

    fn extend(&mut self, name: &str, value: Value) {
        self.members.insert(name.to_owned(), value);
    }

    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}
