//! Preferences of the caller (RFC 7240): `wait=N` says how long it waits for the result of a job that it starts,
//! `return=minimal` that a sync needs no reply.
//!
//! Waits are shared by tenant. One without a place is not honoured, as any preference need not be: the reply comes at
//! once, without `Preference-Applied`.

use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Required, Schema};

use crate::extract::idempotency::KeptReply;
use crate::problem::{ApiError, Result};
use crate::request_scope::Scope;
use crate::state::AppState;
use anchord_runtime::shares::Permit;

/// The longest wait.
pub const MAX_WAIT: Duration = Duration::from_mins(1);

/// The header that says which preference was honoured.
pub const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// How long the caller would wait, if it said so and there is a place. A longer wait is cut to [`MAX_WAIT`]. Preferences may
/// be ignored, but a wait that cannot be read is a mistake that its caller would take for a slow job.
#[derive(Debug, Default)]
pub struct Wait(Option<(Duration, Option<Permit>)>);

impl Wait {
    /// How long the caller waits.
    pub(crate) fn longest(&self) -> Option<Duration> {
        self.0.as_ref().map(|(longest, _)| *longest)
    }

    /// A reply with `Preference-Applied`, when there was a preference.
    pub(crate) fn on(&self, reply: KeptReply) -> KeptReply {
        match self.longest() {
            Some(longest) => reply.with(&PREFERENCE_APPLIED, format!("wait={}", longest.as_secs())),
            None => reply,
        }
    }
}

impl FromRequestParts<AppState> for Wait {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self> {
        let Some(longest) = requested_wait(&parts.headers)? else { return Ok(Self(None)) };
        if longest.is_zero() {
            return Ok(Self(Some((longest, None))));
        }
        // The caller's extractor stands before this one.
        let tenant = parts.extensions.get::<Scope>().and_then(Scope::tenant);
        let place = tenant.and_then(|tenant| state.admission.waits.try_take(tenant, 1).ok());
        Ok(Self(place.map(|place| (longest, Some(place)))))
    }
}

impl IntoParams for Wait {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        // The header may have other preferences, so the schema has no pattern.
        let schema = ObjectBuilder::new().schema_type(Type::String);
        let description = "`wait=N` waits up to N seconds, at most 60, for the result of what the call starts; another value is an error. A wait beyond those that a \
             tenant may have at once is not honoured.";
        vec![parameter(description, "wait=20", schema)]
    }
}

/// The preference of a sync's caller for no body, as a parameter of the OpenAPI document.
#[derive(Clone, Copy, Debug)]
pub struct Minimal;

impl Minimal {
    /// The preference as callers write it.
    pub(crate) const WRITTEN: &str = "return=minimal";

    /// Whether the caller wants no body.
    pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
        preference(headers, "return") == Some("minimal")
    }
}

impl IntoParams for Minimal {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let schema = ObjectBuilder::new().schema_type(Type::String);
        let description =
            "`return=minimal` leaves the body of the reply out, so that no context is assembled.";
        vec![parameter(description, Self::WRITTEN, schema)]
    }
}

fn parameter(description: &str, example: &str, schema: ObjectBuilder) -> Parameter {
    optional(ParameterIn::Header, "Prefer", description, schema).example(Some(example.into())).build()
}

/// A parameter that may be absent, for the OpenAPI document.
pub(crate) fn optional(
    place: ParameterIn,
    name: &str,
    description: &str,
    schema: impl Into<RefOr<Schema>>,
) -> ParameterBuilder {
    let parameter = ParameterBuilder::new().name(name).parameter_in(place).required(Required::False);
    parameter.description(Some(description)).schema(Some(schema))
}

/// Parses the wait from all `Prefer` headers.
pub(crate) fn requested_wait(headers: &HeaderMap) -> Result<Option<Duration>> {
    let Some(seconds) = preference(headers, "wait") else { return Ok(None) };
    let seconds: u64 = seconds.parse().map_err(|_| {
        ApiError::parameter("Prefer", "wait must be a whole number of seconds, as in wait=20")
    })?;
    Ok(Some(Duration::from_secs(seconds).min(MAX_WAIT)))
}

/// The value of a preference, from all `Prefer` headers.
fn preference<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    headers
        .get_all("prefer")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split([',', ';']))
        .filter_map(|preference| preference.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted))
        .map(|(_, value)| value.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn read(values: &[&'static str]) -> Option<u64> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("prefer", HeaderValue::from_static(value));
        }
        requested_wait(&headers).ok().flatten().map(|wait| wait.as_secs())
    }

    #[test]
    fn a_wait_is_read_from_any_prefer_header_and_bounded() {
        assert_eq!(read(&["wait=20"]), Some(20));
        assert_eq!(read(&["respond-async, Wait=5"]), Some(5));
        assert_eq!(read(&["respond-async", "wait=\"7\""]), Some(7));
        assert_eq!(read(&["wait=600"]), Some(60));
    }

    #[test]
    fn a_reply_without_a_body_is_wanted_beside_a_wait() {
        for (value, is_wanted) in [
            ("return=minimal", true),
            ("Return=\"minimal\"; wait=5", true),
            ("wait=5, return=representation", false),
            ("return", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("prefer", HeaderValue::from_static(value));
            assert_eq!(Minimal::is_wanted(&headers), is_wanted, "{value}");
        }
    }

    #[test]
    fn a_wait_that_cannot_be_read_is_refused_and_what_is_none_is_ignored() {
        let wait = |odd: &'static str| {
            let headers =
                HeaderMap::from_iter([(HeaderName::from_static("prefer"), HeaderValue::from_static(odd))]);
            requested_wait(&headers)
        };
        for odd in ["wait=abc", "wait=", "wait=-1", "wait=1.5", "wait=99999999999999999999999"] {
            assert!(matches!(wait(odd), Err(ApiError::InvalidParameter(_))), "{odd}");
        }
        for odd in ["wait", "waiting=abc", "respond-async"] {
            assert!(matches!(wait(odd), Ok(None)), "{odd}");
        }
    }
}
