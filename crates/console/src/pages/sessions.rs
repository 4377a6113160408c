//! The list of sessions.

use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use chrono::{DateTime, Utc};
use futures::future::try_join_all;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{OnBranch, Place, html};
use crate::PATH;
use crate::fault::Fault;
use crate::full::{Full, full};
use crate::view::{
    Look as _, Page, ago, count, line, meant, percent, percent_or, shown, tokens, typed, with_query, word,
};
use crate::visit::{OfTenant, Visit};
use anchord_http::AppState;

/// Sessions of a page.
const ROWS: &str = "25";
/// How many of them are asked at once how full they are.
const AT_ONCE: usize = 4;

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default, deserialize_with = "typed")]
    q: String,
    #[serde(default, deserialize_with = "typed")]
    task: String,
    #[serde(default, deserialize_with = "typed")]
    user: String,
    #[serde(default)]
    cursor: String,
    /// What the rows look like that the page has.
    #[serde(default)]
    seen: String,
}

#[derive(Template)]
#[template(path = "sessions.html")]
struct Sessions {
    page: Page,
    wanted: Wanted,
    rows: Rows,
}

#[derive(Template)]
#[template(path = "sessions_rows.html")]
struct Rows {
    all: Vec<Row>,
    /// Where the rows are asked for again.
    again: String,
    next: String,
    is_first: bool,
}

#[derive(Clone, Debug)]
struct Row {
    place: Place,
    name: String,
    task: String,
    branch: String,
    /// How full, from 0 to 100.
    filled: i64,
    level: &'static str,
    used: String,
    window: String,
    assumed: bool,
    messages: String,
    version: i64,
    probes: String,
    exam: String,
    flags: Vec<String>,
    compressing: String,
    active: String,
}

pub(super) async fn list(
    State(state): State<AppState>,
    OfTenant { visit, .. }: OfTenant,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Fault> {
    let path = with_query(
        "/v1/sessions",
        &[
            ("limit", ROWS),
            ("named", meant(wanted.q.trim()).as_str()),
            ("task_id", &meant(wanted.task.trim())),
            ("user", &meant(wanted.user.trim())),
            ("cursor", &wanted.cursor),
            ("include", "settings"),
        ],
    );
    let found = visit.get(path).await?;
    let now = state.clock.now();
    let items = found.list("items");
    let scores = try_join_all(items.iter().map(|item| scores(&visit, item))).await?;
    // A few at a time: some are built.
    let full: Vec<_> = items.iter().map(|item| full_of(&visit, item)).collect();
    let full: Vec<Full> = stream::iter(full).buffered(AT_ONCE).try_collect().await?;
    let rows = items.iter().zip(scores).zip(full);
    let rows = rows.map(|((item, scores), full)| row(item, (&scores, full), now)).collect();
    let filters = [("q", wanted.q.as_str()), ("task", &wanted.task), ("user", &wanted.user)];
    let page_at = |cursor: &str, seen: &str| {
        let mut pairs = filters.to_vec();
        pairs.extend([("cursor", cursor), ("seen", seen)]);
        with_query(&format!("{PATH}/sessions"), &pairs)
    };
    let cursor = found.text("next_cursor");
    let next = if cursor.is_empty() { String::new() } else { page_at(&cursor, "") };
    let mut rows = Rows { all: rows, again: String::new(), next, is_first: wanted.cursor.is_empty() };
    let seen = digest(&format!("{:?}", rows.all));
    if visit.is_part() && wanted.seen == seen {
        // Nothing to swap.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    rows.again = page_at(&wanted.cursor, &seen);
    if visit.is_part() {
        return html(&rows);
    }
    html(&Sessions { page: Page::of(&visit, "sessions", "Sessions"), wanted, rows })
}

/// A mark of what is shown.
pub(super) fn digest(text: &str) -> String {
    anchord_messages::shape::hex(&Sha256::digest(text.as_bytes()), 8)
}

/// How full a session's window is.
async fn full_of(visit: &Visit, item: &Value) -> Result<Full, Fault> {
    full(visit, (&place_of(item), item), None).await
}

fn place_of(item: &Value) -> Place {
    Place::new(item.text("session_id"), OnBranch::default())
}

/// The newest version of a session, with its scores.
async fn scores(visit: &Visit, item: &Value) -> Result<Value, Fault> {
    if item.whole("summary_version") == 0 {
        return Ok(Value::Null);
    }
    let place = Place::new(item.text("session_id"), OnBranch { branch: item.text("branch") });
    let versions = visit.look(place.api("/summaries", &[("limit", "1")])).await?;
    Ok(versions.list("items").first().cloned().unwrap_or_default())
}

fn row(item: &Value, (version, full): (&Value, Full), now: DateTime<Utc>) -> Row {
    let exam = version.under("exam");
    let mut flags: Vec<String> = Vec::new();
    if exam.is("low") {
        flags.push("low exam".to_owned());
    }
    if version.share("probe_score").is_some_and(|score| score < 0.9) {
        flags.push("probes failed".to_owned());
    }
    let warned = version.list("warnings").first().and_then(Value::as_str);
    flags.extend(warned.map(|text| format!("warning: {}", line(text, 60))));
    let live = item.under("compression");
    Row {
        place: place_of(item),
        name: shown(&item.text("session_id"), 80),
        task: shown(&item.under("settings").text("task_id"), 40),
        branch: shown(&item.text("branch"), 40),
        filled: hundredths(full.share()),
        level: level(full.share()),
        used: tokens(full.tokens),
        window: tokens(full.window),
        assumed: item.under("usage").is("assumed"),
        messages: count(item.whole("head_seq")),
        version: item.whole("summary_version"),
        probes: percent_or(version.share("probe_score")),
        exam: exam.share("score").map(percent).unwrap_or_default(),
        flags,
        compressing: word(&live.text("status")),
        active: ago(&item.text("updated_at"), now),
    }
}

/// A share as a whole number from 0 to 100.
#[expect(clippy::cast_possible_truncation, reason = "from 0 to 100")]
pub(super) fn hundredths(share: f64) -> i64 {
    (share * 100.0).round().clamp(0.0, 100.0) as i64
}

/// How close to full: the word that a bar's colour follows.
pub(super) fn level(share: f64) -> &'static str {
    match share {
        share if share >= 0.9 => "critical",
        share if share >= 0.7 => "high",
        _ => "calm",
    }
}
