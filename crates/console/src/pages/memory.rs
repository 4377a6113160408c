//! What is written beside the messages: pins, constraints, requests, notes, todo items and tools.

use askama::Template;
use axum::response::Response;
use serde_json::Value;

use super::operate::{Setting, sourced};
use super::{OfSession, Place, html};
use crate::entry::Entry;
use crate::fault::Fault;
use crate::view::{Look as _, Page, shown, time, word};

#[derive(Template)]
#[template(path = "memory.html")]
struct Memory {
    page: Page,
    place: Place,
    pins: Vec<(String, String)>,
    shared: Vec<String>,
    /// Each with whether it can be dropped: what no version has is in its message alone.
    constraints: Vec<(Entry, bool)>,
    /// Each with whether it can be closed.
    requests: Vec<(Entry, bool)>,
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

pub(super) async fn show(OfSession { visit, place }: OfSession) -> Result<Response, Fault> {
    let (session, pins, notes, todos, tools) = futures::try_join!(
        visit.get(place.api("", &[])),
        visit.get(place.api("/pins", &[])),
        visit.get(place.api("/notes", &[])),
        visit.look(place.api("/todos", &[])),
        visit.look("/v1/tools"),
    )?;
    let defaults = visit.look("/v1/settings").await?;
    let named = |one: &Value| {
        let of = if one.under("function").is_null() { one } else { one.under("function") };
        (of.text("name"), shown(&of.text("description"), 600))
    };
    // The record of a version stays as it is; what was dropped or closed since is told by the ledger.
    let (constraints, requests) = futures::try_join!(
        visit.look(place.api("/ledger", &[("kind", "constraint"), ("limit", "500")])),
        visit.look(place.api("/ledger", &[("kind", "request"), ("limit", "500")])),
    )?;
    let anchor = session.whole("anchor_seq");
    html(&Memory {
        page: Page::of(&visit, "sessions", &format!("{}: memory", place.session)),
        pins: pins.list("pins").iter().map(|pin| (pin.text("id"), shown(&pin.text("text"), 2_000))).collect(),
        shared: pins.list("tenant_pins").iter().map(|pin| shown(&pin.text("text"), 2_000)).collect(),
        constraints: constraints
            .list("items")
            .iter()
            .filter(|one| one.text("source") != "pin")
            .map(|one| (Entry::of(one), is_covered(one, anchor)))
            .collect(),
        requests: requests
            .list("items")
            .iter()
            .rev()
            .map(|one| (Entry::of(one), one.text("state") == "open" && is_covered(one, anchor)))
            .collect(),
        notes: notes
            .list("notes")
            .iter()
            .map(|note| Note {
                id: note.text("id"),
                text: shown(&note.text("text"), usize::MAX),
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

/// Whether a version has an entry.
fn is_covered(one: &Value, anchor: i64) -> bool {
    one.list("seqs").first().and_then(Value::as_i64).is_some_and(|seq| seq <= anchor)
}
