//! Path and query parameters: parsed into types, refused as problems that name the parameter.

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use super::problem::ApiError;
use crate::domain::id::SessionName;

/// Path parameters as a struct of their names.
#[derive(Clone, Debug)]
pub struct Path<T>(pub T);

/// Query parameters as a struct of their names, with `deny_unknown_fields`.
#[derive(Clone, Debug)]
pub struct Query<T>(pub T);

/// The path of everything that belongs to a session.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct SessionPath {
    /// The session's id, chosen by the caller.
    #[param(inline)]
    pub session_id: SessionName,
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let raw = RawPathParams::from_request_parts(parts, state).await.map_err(|rejection| {
            if let RawPathParamsRejection::InvalidUtf8InPathParam(invalid) = rejection {
                return ApiError::parameter("path", format!("must be UTF-8, percent-encoded: {invalid}"));
            }
            ApiError::internal(anyhow::anyhow!("{rejection}"))
        })?;
        // Written as a query, so that both are read and refused in one way, by name: the framework's
        // own reader does not tell the name of a value that a type of ours refuses.
        let mut query = form_urlencoded::Serializer::new(String::new());
        read_query(&query.extend_pairs(raw.iter()).finish()).map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        read_query(parts.uri.query().unwrap_or_default()).map(Self)
    }
}

fn read_query<T: DeserializeOwned>(text: &str) -> Result<T, ApiError> {
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        if name.contains('\0') || value.contains('\0') {
            return Err(ApiError::parameter(&name.replace('\0', ""), "must not contain NUL"));
        }
    }
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(text.as_bytes()));
    serde_path_to_error::deserialize(pairs).map_err(|error| {
        let path = error.path().to_string();
        let detail = error.into_inner().to_string();
        let name =
            if path == "." || path == "?" { quoted(&detail).unwrap_or_default().to_owned() } else { path };
        ApiError::parameter(&name, detail)
    })
}

/// The first name in backquotes: serde names an unknown, missing or repeated field so.
pub(super) fn quoted(message: &str) -> Option<&str> {
    message.split('`').nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Filters {
        limit: Option<u32>,
        kind: Option<String>,
    }

    fn pointer(query: &str) -> String {
        match read_query::<Filters>(query) {
            Err(ApiError::InvalidParameter(error)) => error.pointer,
            other => panic!("{query} gave {other:?}"),
        }
    }

    #[test]
    fn a_query_is_read_into_its_struct() {
        let filters: Filters = read_query("limit=5&kind=a%20b").unwrap();
        assert_eq!((filters.limit, filters.kind.as_deref()), (Some(5), Some("a b")));
    }

    #[test]
    fn a_wrong_query_is_refused_with_the_parameters_name() {
        assert_eq!(pointer("limt=5"), "/limt");
        assert_eq!(pointer("limit=many"), "/limit");
        assert_eq!(pointer("limit=1&limit=2"), "/limit");
        assert_eq!(pointer("kind=%00"), "/kind");
    }
}
