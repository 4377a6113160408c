//! What is written beside the messages: pins, constraints, requests, notes, todo items and tools; and every change of a session.

use askama::Template;
use axum::extract::{Path, Query};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::{Value, json};

use super::operate::{Setting, sourced};
use super::{OnBranch, Place, html};
use crate::api::Call;
use crate::entry::Entry;
use crate::fault::Fault;
use crate::view::{Look as _, Page, segment, shown, time, word};
use crate::visit::{Form, Visit};

#[derive(Template)]
#[template(path = "memory.html")]
struct Memory {
    page: Page,
    place: Place,
    pins: Vec<(String, String)>,
    shared: Vec<String>,
    constraints: Vec<Entry>,
    requests: Vec<Entry>,
    notes: Vec<Note>,
    todos: Vec<(String, String)>,
    tools: Vec<(String, String)>,
    offered: String,
    settings: Vec<Setting>,
}

struct Note {
    id: String,
    text: String,
    seq: i64,
    at: String,
}

pub(super) async fn show(
    visit: Visit,
    Path(session): Path<String>,
    Query(on): Query<OnBranch>,
) -> Result<Response, Fault> {
    visit.tenant_only()?;
    let place = Place::new(session, on);
    let (session, pins, notes, todos, tools) = futures::try_join!(
        visit.get(place.api("", &[])),
        visit.get(place.api("/pins", &[])),
        visit.get(place.api("/notes", &[])),
        visit.look(place.api("/todos", &[])),
        visit.look("/v1/tools"),
    )?;
    let defaults = visit.look("/v1/settings").await?;
    let record = if session.whole("summary_version") > 0 {
        visit.get(place.api("/summary", &[])).await?
    } else {
        Value::Null
    };
    let named = |one: &Value| {
        let of = if one.under("function").is_null() { one } else { one.under("function") };
        (of.text("name"), shown(&of.text("description"), 600))
    };
    // The record of a version stays as it is; what was dropped since is in the ledger no longer.
    let ledger = visit.look(place.api("/ledger", &[("kind", "constraint"), ("limit", "500")])).await?;
    html(&Memory {
        page: Page::of(&visit, "sessions", &format!("{}: memory", place.session)),
        pins: pins.list("pins").iter().map(|pin| (pin.text("id"), shown(&pin.text("text"), 2_000))).collect(),
        shared: pins.list("tenant_pins").iter().map(|pin| shown(&pin.text("text"), 2_000)).collect(),
        constraints: ledger
            .list("items")
            .iter()
            .filter(|one| one.text("source") != "pin")
            .map(Entry::of)
            .collect(),
        requests: record.list("requests").iter().rev().map(Entry::of).collect(),
        notes: notes
            .list("notes")
            .iter()
            .map(|note| Note {
                id: note.text("id"),
                text: note.text("text"),
                seq: note.whole("seq"),
                at: time(&note.text("created_at")),
            })
            .collect(),
        todos: todos
            .list("items")
            .iter()
            .chain(todos.list("todos"))
            .map(|todo| (word(&todo.text("status")), shown(&todo.text("content"), 1_000)))
            .collect(),
        tools: tools.list("tools").iter().map(named).collect(),
        settings: sourced(
            session.under("policy"),
            &[(session.under("settings"), "the session"), (defaults.under("settings"), "the tenant")],
        ),
        offered: word(&session.under("settings").text("tools")),
        place,
    })
}

/// Changes something of a session, as a form says.
pub(super) async fn change(
    visit: Visit,
    Path(session): Path<String>,
    Query(on): Query<OnBranch>,
    form: Form,
) -> Result<Response, Fault> {
    visit.tenant_only()?;
    let place = Place::new(session, on);
    let one = segment(form.text("id"));
    let text = form.text("text").trim();
    match form.text("do") {
        "pin" => visit.send(Method::POST, place.api("/pins", &[]), Some(json!({ "text": text }))).await?,
        "unpin" => visit.send(Method::DELETE, place.api(&format!("/pins/{one}"), &[]), None).await?,
        "drop-constraint" => {
            visit.send(Method::DELETE, place.api(&format!("/constraints/{one}"), &[]), None).await?
        }
        "edit-note" => {
            let arguments = json!({ "arguments": { "id": form.text("id"), "text": text } });
            let told = visit.send(Method::POST, place.api("/tools/note", &[]), Some(arguments)).await?;
            if told.is("is_error") {
                let detail = shown(&told.text("content"), 400);
                return Err(Fault::refused(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "The note cannot be changed",
                    detail,
                ));
            }
            told
        }
        "remove-note" => visit.send(Method::DELETE, place.api(&format!("/notes/{one}"), &[]), None).await?,
        "roll-back" => {
            visit
                .send(Method::POST, place.api(&format!("/summaries/{one}/rollback"), &[]), Some(json!({})))
                .await?
        }
        "compress" => {
            let asked = Call {
                prefer: Some("wait=20"),
                ..Call::of(
                    Method::POST,
                    place.api("/compressions", &[]),
                    Some(json!({ "target": 0.5 }).to_string()),
                )
            };
            visit.call(asked).await?;
            Value::Null
        }
        _ => return Err(Fault::refused(StatusCode::BAD_REQUEST, "No such change", "The form names none.")),
    };
    Ok(Redirect::to(&form.back()).into_response())
}
