//! Signing in and out.

use askama::Template;
use axum::extract::{FromRequest as _, Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::html;
use crate::PATH;
use crate::fault::Fault;
use crate::view::Page;
use crate::visit::{self, Form, Visit, ours};
use anchord_http::AppState;

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignIn {
    page: Page,
    next: String,
    wrong: String,
    ended: bool,
}

/// Where to go behind it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    next: String,
    #[serde(default)]
    ended: String,
}

pub(super) async fn show(Query(wanted): Query<Wanted>) -> Result<Response, Fault> {
    html(&SignIn {
        page: Page::bare("Sign in"),
        next: ours(&wanted.next),
        wrong: String::new(),
        ended: !wanted.ended.is_empty(),
    })
}

pub(super) async fn take(State(state): State<AppState>, request: Request) -> Result<Response, Fault> {
    let (parts, body) = request.into_parts();
    let form = Form::from_request(Request::from_parts(parts.clone(), body), &state).await?;
    let next = ours(form.text("next"));
    match visit::sign_in(&state, &parts, (form.text("key"), form.text("as") == "operator")).await {
        Ok(cookie) => {
            let mut reply = Redirect::to(&next).into_response();
            reply.headers_mut().insert(header::SET_COOKIE, cookie);
            Ok(reply)
        }
        Err(Fault::Refused { status, detail, .. }) if status.is_client_error() => {
            let page = SignIn { page: Page::bare("Sign in"), next, wrong: detail, ended: false };
            let shown = html(&page)?;
            Ok((if status == StatusCode::FORBIDDEN { StatusCode::UNAUTHORIZED } else { status }, shown)
                .into_response())
        }
        Err(other) => Err(other),
    }
}

pub(super) async fn end(visit: Option<Visit>, _form: Form) -> Result<Response, Fault> {
    if let Some(visit) = visit {
        visit.sign_out().await.map_err(|error| Fault::internal(&error))?;
    }
    let mut reply = Redirect::to(&format!("{PATH}/sign-in")).into_response();
    reply.headers_mut().insert(header::SET_COOKIE, visit::no_cookie());
    Ok(reply)
}
