//! The pages, one file for each.

mod call;
mod change;
mod cost;
mod dropped;
mod memory;
mod messages;
mod operate;
mod operator;
mod quality;
mod recall;
mod record;
mod search;
mod session;
mod sessions;
mod sign_in;
mod try_it;

use askama::Template;
use axum::Router;
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use axum::routing::{any, get, post};
use serde::Deserialize;

use crate::fault::Fault;
use crate::view::{segment, shown, with_query};
use crate::visit::{OfTenant, Visit};
use crate::{PATH, assets};
use anchord_http::AppState;

/// Every page.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/console", get(home))
        .route("/console/", get(home))
        .route("/console/assets/{stamp}/{name}", get(assets::file))
        .route("/console/sign-in", get(sign_in::show).post(sign_in::take))
        .route("/console/sign-out", post(sign_in::end))
        .route("/console/sessions", get(sessions::list))
        .route("/console/sessions/{session}", get(session::show))
        .route("/console/sessions/{session}/messages", get(messages::list))
        .route("/console/sessions/{session}/messages/{seq}", get(messages::show))
        .route("/console/sessions/{session}/messages/{seq}/original", get(messages::original))
        .route("/console/sessions/{session}/record", get(record::show))
        .route("/console/sessions/{session}/dropped", get(dropped::show))
        .route("/console/sessions/{session}/calls/{call}", get(call::show))
        .route("/console/sessions/{session}/next", get(call::next))
        .route("/console/sessions/{session}/memory", get(memory::show))
        .route("/console/sessions/{session}/quality", get(quality::show))
        .route("/console/sessions/{session}/search", get(search::show))
        .route("/console/sessions/{session}/cost", get(cost::of_session))
        .route("/console/sessions/{session}/change", post(change::take))
        .route("/console/recall", get(recall::show))
        .route("/console/cost", get(cost::show))
        .route("/console/operate", get(operate::show).post(operate::change))
        .route("/console/operate/webhooks/{webhook}", get(operate::deliveries))
        .route("/console/operator", get(operator::show))
        .route("/console/operator/tenants/{tenant}", get(operator::tenant))
        .route("/console/try", get(try_it::show).post(try_it::look))
        .route("/console/try/keep", post(try_it::keep))
        .route("/console/{*rest}", any(async || Fault::not_found("The console has no such page.")))
}

async fn home(visit: Visit) -> Response {
    let to = if visit.who.is_operator { "operator" } else { "sessions" };
    Redirect::to(&format!("{PATH}/{to}")).into_response()
}

/// Writes a page.
pub(crate) fn html(template: &impl Template) -> Result<Response, Fault> {
    let text = template.render().map_err(|error| Fault::internal(&error))?;
    Ok(Html(text).into_response())
}

/// A session, on one of its branches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub(crate) session: String,
    /// Empty for the current one.
    pub(crate) branch: String,
}

/// What every page of a session takes.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct OnBranch {
    #[serde(default)]
    branch: String,
}

/// Somebody at a page of a session: how each of them begins.
#[derive(Debug)]
pub(crate) struct OfSession {
    pub(crate) visit: Visit,
    pub(crate) place: Place,
}

impl FromRequestParts<AppState> for OfSession {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Fault> {
        #[derive(Deserialize)]
        struct Named {
            session: String,
        }
        let OfTenant { visit, .. } = OfTenant::from_request_parts(parts, state).await?;
        let named = Path::<Named>::from_request_parts(parts, state).await;
        let on = Query::<OnBranch>::from_request_parts(parts, state).await;
        let (Ok(Path(Named { session })), Ok(Query(on))) = (named, on) else {
            return Err(Fault::not_found("The address names no session."));
        };
        Ok(Self { visit, place: Place::new(session, on) })
    }
}

impl Place {
    /// The session's name, as it is shown.
    pub(crate) fn name(&self) -> String {
        shown(&self.session, 200)
    }

    pub(crate) fn new(session: String, on: OnBranch) -> Self {
        Self { session, branch: on.branch }
    }

    /// The path of an operation on the session.
    pub(crate) fn api(&self, rest: &str, pairs: &[(&str, &str)]) -> String {
        let mut all = pairs.to_vec();
        all.push(("branch", &self.branch));
        with_query(&format!("/v1/sessions/{}{rest}", segment(&self.session)), &all)
    }

    /// The path of a page of the session.
    pub(crate) fn page(&self, rest: &str, pairs: &[(&str, &str)]) -> String {
        let mut all = pairs.to_vec();
        all.push(("branch", &self.branch));
        with_query(&format!("{PATH}/sessions/{}{rest}", segment(&self.session)), &all)
    }

    /// The same for templates.
    pub(crate) fn to(&self, rest: &str) -> String {
        self.page(rest, &[])
    }

    /// The page of a message.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates hand on what they go over")]
    pub(crate) fn message(&self, seq: &i64) -> String {
        self.page(&format!("/messages/{seq}"), &[])
    }
}
