//! A search over the originals, with each hit in its place.

use askama::Template;
use axum::extract::{Path, Query};
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use super::{OnBranch, Place, html};
use crate::fault::Fault;
use crate::view::{Look as _, Page, shown, with_query, word};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "recall.html")]
struct Recall {
    page: Page,
    place: Option<Place>,
    q: String,
    hits: Vec<Hit>,
    about: String,
}

struct Hit {
    place: Place,
    seq: i64,
    role: String,
    snippet: String,
    around: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    branch: String,
    #[serde(default)]
    q: String,
}

pub(super) async fn of_session(
    visit: Visit,
    Path(session): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Fault> {
    visit.tenant_only()?;
    let place = Place::new(session, OnBranch { branch: wanted.branch });
    let q = wanted.q.trim().to_owned();
    let found = if q.is_empty() {
        visit.get(place.api("", &[])).await?;
        Value::Null
    } else {
        visit.get(place.api("/recall", &[("q", &q), ("limit", "20")])).await?
    };
    let title = format!("{}: ask the past", place.session);
    let hits = found.list("items").iter().map(|one| hit(place.clone(), one)).collect();
    let about = about(&found);
    html(&Recall { page: Page::of(&visit, "sessions", &title), place: Some(place), q, hits, about })
}

pub(super) async fn of_all(visit: Visit, Query(wanted): Query<Wanted>) -> Result<Response, Fault> {
    visit.tenant_only()?;
    let q = wanted.q.trim().to_owned();
    let found = if q.is_empty() {
        Value::Null
    } else {
        visit.get(with_query("/v1/recall", &[("q", &q), ("limit", "20")])).await?
    };
    let place_of = |one: &Value| Place::new(one.text("session_id"), OnBranch { branch: one.text("branch") });
    let hits = found.list("items").iter().map(|one| hit(place_of(one), one)).collect();
    let about = about(&found);
    html(&Recall { page: Page::of(&visit, "recall", "Ask the past"), place: None, q, hits, about })
}

fn hit(place: Place, one: &Value) -> Hit {
    let seq = one.whole("seq");
    let from = (seq - 3).max(1).to_string();
    Hit {
        around: format!("{}#m{seq}", place.page("/messages", &[("from", &from)])),
        seq,
        role: one.text("role"),
        snippet: shown(&one.text("snippet"), 600),
        place,
    }
}

fn about(found: &Value) -> String {
    if found.is_null() {
        return String::new();
    }
    let mut told = vec![format!(
        "ranked {}",
        if found.text("mode") == "hybrid" { "by words and meaning" } else { "by words" }
    )];
    if !found.text("degraded").is_empty() {
        told.push(format!("without meaning: {}", word(&found.text("degraded"))));
    }
    if found.whole("sessions_searched") > 0 {
        told.push(format!("{} sessions searched", found.whole("sessions_searched")));
    }
    if found.is("is_partial") {
        told.push("the newest alone".to_owned());
    }
    told.join(", ")
}
