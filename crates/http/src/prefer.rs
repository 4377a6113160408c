//! Parses `Prefer: wait=N` (RFC 7240): how long the caller waits for the result of a job that it starts.
//!
//! Waits are shared by tenant. One without a place is not honoured, as any preference need not be: the reply comes at
//! once, without `Preference-Applied`.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use utoipa::IntoParams;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};

use super::scope::Scope;
use super::shares::Permit;
use super::state::AppState;

/// The longest wait.
pub const MAX_WAIT: Duration = Duration::from_mins(1);

/// The header that says which preference was honoured.
pub const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// How long the caller would wait, if it said so and there is a place. A preference may be ignored, so what does not
/// parse is, and a longer wait is cut to [`MAX_WAIT`].
#[derive(Debug, Default)]
pub struct Wait(Option<(Duration, Option<Permit>)>);

impl Wait {
    /// How long the caller waits.
    pub(super) fn longest(&self) -> Option<Duration> {
        self.0.as_ref().map(|(longest, _)| *longest)
    }

    /// The value of `Preference-Applied`, when there was a preference.
    #[must_use]
    pub fn applied(&self) -> Option<String> {
        Some(format!("wait={}", self.longest()?.as_secs()))
    }
}

impl FromRequestParts<AppState> for Wait {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        let Some(longest) = requested_wait(&parts.headers) else { return Ok(Self(None)) };
        if longest.is_zero() {
            return Ok(Self(Some((longest, None))));
        }
        // The caller's extractor stands before this one.
        let tenant = parts.extensions.get::<Scope>().and_then(Scope::tenant);
        let place = tenant.and_then(|tenant| state.admission.waits.take(tenant));
        Ok(Self(place.map(|place| (longest, Some(place)))))
    }
}

impl IntoParams for Wait {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        // A value that does not parse is ignored, so the schema has no pattern that would reject it.
        let schema = ObjectBuilder::new().schema_type(Type::String);
        let description = "`wait=N` waits up to N seconds, at most 60, for the result of what the call starts. A wait beyond those that a \
             tenant may have at once is not honoured.";
        vec![
            ParameterBuilder::new()
                .name("Prefer")
                .parameter_in(ParameterIn::Header)
                .required(Required::False)
                .description(Some(description))
                .schema(Some(schema))
                .example(Some("wait=20".into()))
                .build(),
        ]
    }
}

/// Parses the wait from all `Prefer` headers.
pub(super) fn requested_wait(headers: &HeaderMap) -> Option<Duration> {
    headers
        .get_all("prefer")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split([',', ';']))
        .filter_map(|preference| preference.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("wait"))
        .and_then(|(_, seconds)| seconds.trim().trim_matches('"').parse::<u64>().ok())
        .map(|seconds| Duration::from_secs(seconds).min(MAX_WAIT))
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
        requested_wait(&headers).map(|wait| wait.as_secs())
    }

    #[test]
    fn a_wait_is_read_from_any_prefer_header_and_bounded() {
        assert_eq!(read(&["wait=20"]), Some(20));
        assert_eq!(read(&["respond-async, Wait=5"]), Some(5));
        assert_eq!(read(&["respond-async", "wait=\"7\""]), Some(7));
        assert_eq!(read(&["wait=600"]), Some(60));
    }

    #[test]
    fn a_preference_that_cannot_be_read_is_ignored() {
        for odd in ["wait", "wait=", "wait=-1", "wait=1.5", "waiting=3", "wait=99999999999999999999999"] {
            assert_eq!(read(&[odd]), None, "{odd}");
        }
    }
}
