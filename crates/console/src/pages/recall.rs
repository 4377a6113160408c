//! A search over the originals of all sessions, with each hit in its place.

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use super::{OnBranch, Place, html};
use crate::fault::Fault;
use crate::view::{Look as _, Page, meant, shown, typed, with_query, word};
use crate::visit::OfTenant;

#[derive(Template)]
#[template(path = "recall.html")]
struct Recall {
    page: Page,
    wanted: Wanted,
    is_asked: bool,
    /// A search over all sessions is of a task or of a user.
    is_of_nobody: bool,
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
    #[serde(default, deserialize_with = "typed")]
    q: String,
    #[serde(default, deserialize_with = "typed")]
    task: String,
    #[serde(default, deserialize_with = "typed")]
    user: String,
}

pub(super) async fn show(
    OfTenant { visit, .. }: OfTenant,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Fault> {
    let [q, task, user] = [&wanted.q, &wanted.task, &wanted.user].map(|text| meant(text.trim()));
    let is_of_nobody = task.is_empty() && user.is_empty();
    let found = if q.is_empty() || is_of_nobody {
        Value::Null
    } else {
        let pairs = [("q", q.as_str()), ("task_id", &task), ("user", &user), ("limit", "20")];
        visit.get(with_query("/v1/recall", &pairs)).await?
    };
    let place_of = |one: &Value| Place::new(one.text("session_id"), OnBranch { branch: one.text("branch") });
    let hits = found.list("items").iter().map(|one| hit(place_of(one), one)).collect();
    let about = about(&found);
    html(&Recall {
        page: Page::of(&visit, "recall", "Ask the past"),
        is_asked: !q.is_empty(),
        is_of_nobody,
        wanted,
        hits,
        about,
    })
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

pub(super) fn about(found: &Value) -> String {
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
