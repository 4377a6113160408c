//! What a page says when it cannot be shown.

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use serde_json::Value;

use crate::PATH;
use crate::view::Page;

/// Why a page cannot be shown.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// Nobody is signed in, or no longer; the path to return to.
    SignedOut { next: String, is_part: bool, had_cookie: bool },
    /// The API's refusal, or our own.
    Refused { status: StatusCode, title: String, detail: String },
}

impl Fault {
    /// The API's own words about a refusal.
    pub(crate) fn of(status: StatusCode, body: &[u8]) -> Self {
        let problem: Value = serde_json::from_slice(body).unwrap_or_default();
        let word = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let title = word(&problem, "title");
        let mut detail = word(&problem, "detail");
        for place in problem.get("errors").and_then(Value::as_array).into_iter().flatten() {
            let (pointer, fault) = (word(place, "pointer"), word(place, "detail"));
            if !detail.contains(&fault) {
                detail = format!("{detail}; {pointer} {fault}");
            }
        }
        let title = if title.is_empty() { "The service did not answer".to_owned() } else { title };
        Self::Refused { status, title, detail }
    }

    pub(crate) fn refused(status: StatusCode, title: &str, detail: impl Into<String>) -> Self {
        Self::Refused { status, title: title.to_owned(), detail: detail.into() }
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::refused(StatusCode::NOT_FOUND, "Not found", detail)
    }

    pub(crate) fn internal(error: &dyn std::fmt::Display) -> Self {
        tracing::warn!(%error, "console.failed");
        Self::refused(StatusCode::INTERNAL_SERVER_ERROR, "The page cannot be shown", "")
    }
}

#[derive(Template)]
#[template(path = "fault.html")]
struct FaultPage {
    page: Page,
    detail: String,
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        match self {
            Self::SignedOut { next, is_part, had_cookie } => {
                let query = form_urlencoded::Serializer::new(String::new())
                    .append_pair("next", &next)
                    .extend_pairs(had_cookie.then_some(("ended", "1")))
                    .finish();
                let to = format!("{PATH}/sign-in?{query}");
                let mut reply = if is_part {
                    // A part of a page sends the whole page there.
                    let to = HeaderValue::from_str(&to).unwrap_or(HeaderValue::from_static(PATH));
                    ([("hx-redirect", to)], StatusCode::NO_CONTENT).into_response()
                } else {
                    Redirect::to(&to).into_response()
                };
                if had_cookie {
                    reply.headers_mut().insert(header::SET_COOKIE, crate::visit::no_cookie());
                }
                reply
            }
            Self::Refused { status, title, detail } => {
                let shown = FaultPage { page: Page::bare(&title), detail }.render();
                (status, Html(shown.unwrap_or(title))).into_response()
            }
        }
    }
}
