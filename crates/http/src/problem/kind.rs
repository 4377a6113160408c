//! The kinds of problems: one table with the status, the title and what the page of each says.
//!
//! `ApiError` names a kind, and a kind has a row here, so no problem can be sent whose `type` opens no page.

use axum::http::StatusCode;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A kind of problem. Its word is the last part of the `type` of a problem: `/problems/{word}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, EnumString, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "`about` describes each of them")]
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

/// What is told of a kind.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The status of the replies.
    pub status: StatusCode,
    /// The kind in a few words, as `title` of the problem.
    pub title: &'static str,
    /// What has happened.
    pub meaning: &'static str,
    /// What the caller can do.
    pub remedy: &'static str,
    /// Members and headers of the reply beside those of every problem, each with what it says.
    pub extras: &'static [(&'static str, &'static str)],
}

/// Replies with `Retry-After`.
const RETRY_AFTER: (&str, &str) = ("Retry-After (header)", "seconds to wait before the next try");
/// Replies that point into the request.
const ERRORS: (&str, &str) = (
    "errors",
    "the places that cannot be taken: `pointer` (JSON pointer, or `/` and the parameter's name) and `detail`",
);

impl Kind {
    /// All of them, by status.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The last part of the `type`.
    pub fn slug(self) -> &'static str {
        self.into()
    }

    /// What is told of it.
    #[expect(clippy::too_many_lines, reason = "one table: a row for each kind")]
    pub const fn about(self) -> About {
        use StatusCode as S;
        match self {
            Self::MalformedJson => About {
                status: S::BAD_REQUEST,
                title: "Malformed JSON",
                meaning: "The body is not JSON, or not UTF-8. The detail has the line and column.",
                remedy: "Send valid JSON. A trailing comma, a missing quote or a body that was cut are the usual causes.",
                extras: &[],
            },
            Self::BadRequest => About {
                status: S::BAD_REQUEST,
                title: "Bad request",
                meaning: "The request cannot be read as HTTP that this service understands.",
                remedy: "See the detail. Check the request line, the headers and whether the body was sent completely.",
                extras: &[],
            },
            Self::Unauthorized => About {
                status: S::UNAUTHORIZED,
                title: "Unauthorized",
                meaning: "No usable key came with the request: none, one that is unknown, expired or revoked, or two \
                          different ones.",
                remedy: "Send an API key as `Authorization: Bearer KEY` or as `x-api-key: KEY`; /v1/admin and /metrics \
                         take the operator token as `Authorization: Bearer TOKEN`.",
                extras: &[("WWW-Authenticate (header)", "the scheme that is expected")],
            },
            Self::Forbidden => About {
                status: S::FORBIDDEN,
                title: "Forbidden",
                meaning: "The key is good, but does not have the scope that the operation requires.",
                remedy: "Use a key with the scope that the detail names: `read` for every GET, `write` for the other \
                         session routes and the stateless calls, `admin` for keys, webhooks and tenant settings.",
                extras: &[],
            },
            Self::TenantSuspended => About {
                status: S::FORBIDDEN,
                title: "Tenant suspended",
                meaning: "The operator of the installation has suspended the tenant. Nothing of it is lost.",
                remedy: "Ask the operator.",
                extras: &[],
            },
            Self::RouteNotFound => About {
                status: S::NOT_FOUND,
                title: "No such route",
                meaning: "No operation of this service has the path. The detail names the route that was probably meant, \
                          when one is close.",
                remedy: "Check the path: every route of the API begins with `/v1`, and /openapi.json lists all of them.",
                extras: &[],
            },
            Self::SessionNotFound => missing("No such session"),
            Self::BranchNotFound => missing("No such branch"),
            Self::VersionNotFound => missing("No such summary version"),
            Self::CompressionNotFound => missing("No such compression"),
            Self::ProbeNotFound => missing("No such probe"),
            Self::EvaluationNotFound => missing("No such evaluation"),
            Self::ConstraintNotFound => missing("No such constraint"),
            Self::ToolOutputNotFound => missing("No such tool output"),
            Self::ModelNotFound => missing("No such model"),
            Self::TaskNotFound => missing("No such task"),
            Self::KeyNotFound => missing("No such API key"),
            Self::WebhookNotFound => missing("No such webhook"),
            Self::PinNotFound => missing("No such pin"),
            Self::NoteNotFound => missing("No such note"),
            Self::ToolNotFound => missing("No such tool"),
            Self::DeliveryNotFound => missing("No such delivery"),
            Self::TenantNotFound => missing("No such tenant"),
            Self::NoSummary => About {
                status: S::NOT_FOUND,
                title: "No summary yet",
                meaning: "The session has not been compressed, so it has no summary version.",
                remedy: "Wait for a trigger, or compress now with `POST /v1/sessions/{session_id}/compressions`.",
                extras: &[],
            },
            Self::MethodNotAllowed => About {
                status: S::METHOD_NOT_ALLOWED,
                title: "Method not allowed",
                meaning: "The route exists, but not with this method.",
                remedy: "Use one of the methods that the header `Allow` names.",
                extras: &[("Allow (header)", "the methods of the route")],
            },
            Self::SlowBody => About {
                status: S::REQUEST_TIMEOUT,
                title: "The body did not come",
                meaning: "The body took longer to arrive than it may. Nothing was stored.",
                remedy: "Send it again, in smaller batches on a slow connection.",
                extras: &[],
            },
            Self::SequenceMismatch => About {
                status: S::CONFLICT,
                title: "Another message came first",
                meaning: "`expected_next_seq` is not the position that the next message would get: another append came \
                          first, or an earlier try was stored. Nothing was stored now.",
                remedy: "Read the messages from the position that you expected, then append what is missing at `next_seq`.",
                extras: &[("next_seq", "the position that the next message will get")],
            },
            Self::BranchExists => About {
                status: S::CONFLICT,
                title: "The branch exists",
                meaning: "The session has a branch of this name. Nothing was made.",
                remedy: "Choose another name, or send none for a generated one.",
                extras: &[],
            },
            Self::BranchIsCurrent => About {
                status: S::CONFLICT,
                title: "The branch is current",
                meaning: "The current branch cannot be erased.",
                remedy: "Switch to another branch first, with `PUT /v1/sessions/{session_id}/current-branch`.",
                extras: &[],
            },
            Self::TooManyBranches => About {
                status: S::CONFLICT,
                title: "Too many branches",
                meaning: "The session has as many branches as it may. Nothing was made.",
                remedy: "Erase branches that are not needed; one that others stand on counts until they are erased too.",
                extras: &[("limit", "how many branches there may be beside main")],
            },
            Self::CompressionLive => About {
                status: S::CONFLICT,
                title: "A compression is live",
                meaning: "A compression of the session with other parameters is queued or running.",
                remedy: "Wait for it or cancel it, then ask again. The same parameters would wait for it.",
                extras: &[("compression_id", "the compression that is live")],
            },
            Self::IdempotencyInFlight => About {
                status: S::CONFLICT,
                title: "Still at work",
                meaning: "The first request with this `Idempotency-Key` still runs.",
                remedy: "Repeat the request a little later with the same key: it is then answered with the first reply.",
                extras: &[],
            },
            Self::TranscriptContended => About {
                status: S::CONFLICT,
                title: "Others change the session",
                meaning: "Other requests changed the session's branches at every try of this sync. What was stored of the \
                          list stays, and is used again.",
                remedy: "Repeat the request after `Retry-After`. Agents that run at once want sessions of their own.",
                extras: &[RETRY_AFTER],
            },
            Self::Conflict => About {
                status: S::CONFLICT,
                title: "Conflict",
                meaning: "The state of the resource does not allow what was asked. The detail says why.",
                remedy: "Read the resource and decide again.",
                extras: &[],
            },
            Self::TooLarge => About {
                status: S::PAYLOAD_TOO_LARGE,
                title: "Too large",
                meaning: "The body, a batch, a message or a group of messages is larger than it may be. Nothing was stored.",
                remedy: "Send less at once. Operators can raise the limits of bodies, batches and messages.",
                extras: &[("limit", "the limit that was exceeded, in the unit that the detail names")],
            },
            Self::UnsupportedMediaType => About {
                status: S::UNSUPPORTED_MEDIA_TYPE,
                title: "Unsupported media type",
                meaning: "The body is not of the media type that the operation takes, not in UTF-8, or compressed.",
                remedy: "Send `Content-Type: application/json`, or what the detail names, without `Content-Encoding`. \
                         curl's `-d` sends a form unless you add `-H 'Content-Type: application/json'`.",
                extras: &[("Accept-Encoding (header)", "`identity`, when the body was compressed")],
            },
            Self::InvalidRequest => About {
                status: S::UNPROCESSABLE_ENTITY,
                title: "Invalid request",
                meaning: "The body is JSON, but a field of it cannot be taken: unknown, of another type or out of its \
                          bounds. Nothing was changed.",
                remedy: "Correct the fields that `errors` names.",
                extras: &[ERRORS],
            },
            Self::InvalidParameter => About {
                status: S::UNPROCESSABLE_ENTITY,
                title: "Invalid parameter",
                meaning: "A path or query parameter or a header cannot be taken. Nothing was changed.",
                remedy: "Correct the parameter that `errors` names.",
                extras: &[ERRORS],
            },
            Self::IdempotencyMismatch => About {
                status: S::UNPROCESSABLE_ENTITY,
                title: "Key used with another body",
                meaning: "The `Idempotency-Key` was used on this route with another body within the last 24 hours.",
                remedy: "Use a new key for a new request, and the same body for a repeated one.",
                extras: &[],
            },
            Self::Refused => About {
                status: S::UNPROCESSABLE_ENTITY,
                title: "Refused",
                meaning: "The request is valid in form, and a rule of this installation or of the session's state rejects it.",
                remedy: "Correct the field that `errors` names as the detail says.",
                extras: &[ERRORS],
            },
            Self::BudgetTooSmall => About {
                status: S::UNPROCESSABLE_ENTITY,
                title: "Budget too small",
                meaning: "System prompt, pins, summary and the newest message do not fit the budget of the context.",
                remedy: "Ask for at least `min_tokens`, or shorten the system prompt and the pins.",
                extras: &[("min_tokens", "the smallest budget that can be met now")],
            },
            Self::RateLimited => About {
                status: S::TOO_MANY_REQUESTS,
                title: "Too many requests",
                meaning: "The key or the tenant makes requests faster than it may.",
                remedy: "Wait for `Retry-After` and send fewer requests, such as one append for several messages.",
                extras: &[
                    RETRY_AFTER,
                    ("RateLimit, RateLimit-Policy (headers)", "what is left, and the rate that is allowed"),
                ],
            },
            Self::QuotaExceeded => About {
                status: S::TOO_MANY_REQUESTS,
                title: "Quota exceeded",
                meaning: "A quota of the tenant is used up. Nothing was stored.",
                remedy: "Erase what is not needed, wait for what the quota counts to end, or ask the operator for more; \
                         the detail says which helps.",
                extras: &[
                    ("quota", "the name of the quota"),
                    ("limit", "its limit"),
                    ("used", "how much of it is used"),
                    RETRY_AFTER,
                    ("RateLimit, RateLimit-Policy (headers)", "what is left, and the limit"),
                ],
            },
            Self::TooManyStreams => About {
                status: S::TOO_MANY_REQUESTS,
                title: "Too many event streams",
                meaning: "The key, the tenant or the process has as many event streams open as it may.",
                remedy: "Close a stream, or have a webhook deliver the events of all sessions.",
                extras: &[("limit", "the number of streams that may be open"), RETRY_AFTER],
            },
            Self::TooManyFailures => About {
                status: S::TOO_MANY_REQUESTS,
                title: "Too many failed authentications",
                meaning: "Too many requests from the caller's address had no good key.",
                remedy: "Check the key, and wait for `Retry-After`.",
                extras: &[RETRY_AFTER],
            },
            Self::Internal => About {
                status: S::INTERNAL_SERVER_ERROR,
                title: "Internal error",
                meaning: "The service failed. Its log has the cause under the request id, which is `instance`.",
                remedy: "Tell the operator the request id. Repeat a change only with its `Idempotency-Key` or \
                         `expected_next_seq`.",
                extras: &[],
            },
            Self::OutcomeUnknown => About {
                status: S::INTERNAL_SERVER_ERROR,
                title: "Outcome unknown",
                meaning: "The connection to the database was lost during the commit: the change may be stored or not.",
                remedy: "Repeat the request with the same `Idempotency-Key` or `expected_next_seq`. Without either, read \
                         before you repeat it.",
                extras: &[],
            },
            Self::Unavailable => About {
                status: S::SERVICE_UNAVAILABLE,
                title: "Unavailable",
                meaning: "The service cannot answer now: the database does not answer in time, or too much waits.",
                remedy: "Repeat the request after `Retry-After`. Nothing was stored.",
                extras: &[RETRY_AFTER],
            },
            Self::Locked => About {
                status: S::SERVICE_UNAVAILABLE,
                title: "Locked",
                meaning: "Another change of the same resource takes longer than two seconds. Nothing was stored.",
                remedy: "Repeat the request after `Retry-After`.",
                extras: &[RETRY_AFTER],
            },
            Self::TenantBusy => About {
                status: S::SERVICE_UNAVAILABLE,
                title: "Tenant busy",
                meaning: "The tenant's own requests hold as many database connections, or wait for as much processor time, \
                          as one tenant's may. Other tenants are not affected.",
                remedy: "Repeat the request after `Retry-After`, with fewer at once.",
                extras: &[RETRY_AFTER],
            },
            Self::BodiesInFlight => About {
                status: S::SERVICE_UNAVAILABLE,
                title: "Too many bytes at once",
                meaning: "The bodies that are received, worked on or sent take all the memory that they may.",
                remedy: "Repeat the request after `Retry-After`, with smaller bodies or fewer at once.",
                extras: &[("limit", "the bytes that they may take"), RETRY_AFTER],
            },
            Self::WorkInProgress => About {
                status: S::SERVICE_UNAVAILABLE,
                title: "Too much work at once",
                meaning: "As many of the tenant's calls that need much processor time wait as may wait.",
                remedy: "Repeat the request after `Retry-After`, with fewer at once.",
                extras: &[("limit", "how many may wait"), RETRY_AFTER],
            },
            Self::Timeout => About {
                status: S::GATEWAY_TIMEOUT,
                title: "Timeout",
                meaning: "The request took longer than it may. What it began may still be done.",
                remedy: "Read before you repeat a change, or repeat it with its `Idempotency-Key` or `expected_next_seq`.",
                extras: &[],
            },
        }
    }
}

/// A resource that the path names and the tenant does not have.
const fn missing(title: &'static str) -> About {
    About {
        status: StatusCode::NOT_FOUND,
        title,
        meaning: "The path names something that the tenant of the key does not have: it was never made, it was erased, or \
                  it is another tenant's, which is answered in the same way.",
        remedy: "Check the name or id in the path, and that the key is of the right tenant.",
        extras: &[],
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
            assert!(kind.about().status.as_u16() >= 400);
        }
    }
}
