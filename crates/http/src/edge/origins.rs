//! The origins that the operator allows ([`crate::edge::cors`] answers by them).

use axum::http::HeaderValue;

/// The origins whose pages may call the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origins {
    /// None: replies have no headers of CORS.
    #[default]
    None,
    /// Any.
    Any,
    /// These, such as `https://app.example.com`.
    These(Vec<HeaderValue>),
}
