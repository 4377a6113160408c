//! The messages of a session, which scroll without being loaded all, and one message: where it lives on.

use askama::Template;
use axum::extract::{Path, Query};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::Value;

use super::{OfSession, Place, html};
use crate::entry::{Section, mark_unsent, sections};
use crate::fault::Fault;
use crate::message::{self, Part, parts};
use crate::view::{Look as _, Page, line, some, time};
use crate::whereabouts::Shown;

/// Messages of a page, and as text for the query.
const ROWS: i64 = 40;
/// The most characters of a part in the list, and of one on its own page.
const IN_LIST: usize = 1_200;
const ALONE: usize = 100_000;

#[derive(Template)]
#[template(path = "messages.html")]
struct Messages {
    page: Page,
    place: Place,
    from: i64,
    head_seq: i64,
    newest: String,
    oldest: String,
    before: String,
    rows: Rows,
}

#[derive(Template)]
#[template(path = "messages_rows.html")]
struct Rows {
    place: Place,
    all: Vec<Row>,
    next: String,
}

#[derive(Clone, Debug)]
pub(super) struct Row {
    seq: i64,
    role: String,
    tokens: String,
    at: String,
    parts: Vec<Part>,
    covered: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Wanted {
    from: Option<i64>,
}

/// The message that an address names.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Numbered {
    seq: i64,
}

pub(super) async fn list(
    OfSession { visit, place }: OfSession,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Fault> {
    let session = visit.get(place.api("", &[])).await?;
    let (head, anchor) = (session.whole("head_seq"), session.whole("anchor_seq"));
    let newest = (head - ROWS + 1).max(1);
    let from = wanted.from.unwrap_or(newest).clamp(1, head.max(1));
    let found = visit
        .get(place.api("/messages", &[("from_seq", &from.to_string()), ("limit", &ROWS.to_string())]))
        .await?;
    let rows: Vec<Row> = found.list("items").iter().map(|item| row(item, anchor, IN_LIST)).collect();
    let last = rows.last().map_or(head, |row| row.seq);
    let at = |seq: i64| place.page("/messages", &[("from", &seq.to_string())]);
    let next = if last < head { at(last + 1) } else { String::new() };
    let rows = Rows { place: place.clone(), all: rows, next };
    if visit.is_part() {
        return html(&rows);
    }
    html(&Messages {
        page: Page::of(&visit, "sessions", &format!("{}: messages", place.session)),
        from,
        head_seq: head,
        newest: at(newest),
        oldest: at(1),
        before: if from > 1 { at((from - ROWS).max(1)) } else { String::new() },
        place,
        rows,
    })
}

fn row(item: &Value, anchor: i64, most: usize) -> Row {
    let seq = item.whole("seq");
    Row {
        seq,
        role: item.text("role"),
        tokens: some(item.whole("tokens"), "token"),
        at: time(&item.text("created_at")),
        parts: parts(item.under("message"), most),
        covered: seq <= anchor,
    }
}

#[derive(Template)]
#[template(path = "message.html")]
struct Message {
    page: Page,
    place: Place,
    row: Row,
    version: i64,
    /// The entries of the record that came from it.
    entries: Vec<Section>,
    /// How the context of now shows it.
    now: String,
    /// Its beginning, which names its button.
    text: String,
    original: String,
    before: String,
    after: String,
}

pub(super) async fn show(
    OfSession { visit, place }: OfSession,
    Path(Numbered { seq }): Path<Numbered>,
) -> Result<Response, Fault> {
    let at = seq.to_string();
    let (found, session, context) = futures::try_join!(
        visit.get(place.api("/messages", &[("from_seq", &at), ("to_seq", &at)])),
        visit.get(place.api("", &[])),
        visit.look(Shown::path(&place, None)),
    )?;
    let Some(item) = found.list("items").first() else {
        return Err(Fault::not_found(format!("The session has no message {seq}.")));
    };
    let anchor = session.whole("anchor_seq");
    let record = if session.whole("summary_version") > 0 {
        visit.look(place.api("/summary", &[])).await?
    } else {
        Value::Null
    };
    let shown = Shown::of(&context);
    let mut entries = sections(&record);
    mark_unsent(&mut entries, &shown);
    for section in &mut entries {
        section.entries.retain(|entry| entry.seqs.contains(&seq));
    }
    entries.retain(|section| !section.entries.is_empty());
    let head = session.whole("head_seq");
    let text = message::text(item.under("message"));
    html(&Message {
        page: Page::of(&visit, "sessions", &format!("{}: message {seq}", place.session)),
        row: row(item, anchor, ALONE),
        version: session.whole("summary_version"),
        entries,
        now: told((&context, &shown), (seq, anchor), &text),
        text: line(&text, 60),
        original: place.to(&format!("/messages/{seq}/original")),
        before: if seq > 1 { place.message(&(seq - 1)) } else { String::new() },
        after: if seq < head { place.message(&(seq + 1)) } else { String::new() },
        place,
    })
}

/// What is said of a message that a context has as it is.
pub(super) const WHOLE: &str = "The context of now has it, word for word.";

/// How the context of now has a message: as it is, or some of its lines in other parts.
fn told((context, shown): (&Value, &Shown), (seq, anchor): (i64, i64), text: &str) -> String {
    let said = in_context(context, seq, anchor);
    if said == WHOLE || context.is_null() {
        return said.to_owned();
    }
    match shown.lines_of(text) {
        (0, ..) => said.to_owned(),
        (here, all, places) if here == all => {
            format!("The context of now has all of its words, in: {places}.")
        }
        (here, all, places) if seq <= anchor => {
            format!(
                "The summary covers it; the context of now has {here} of its {all} sentences and lines, in: {places}."
            )
        }
        (here, all, places) => {
            format!("{said} Of its {all} sentences and lines {here} are there, in: {places}.")
        }
    }
}

/// How a context shows a message.
pub(super) fn in_context(context: &Value, seq: i64, anchor: i64) -> &'static str {
    let is_in = |range: &Value| (range.whole("from_seq")..=range.whole("to_seq")).contains(&seq);
    let masked = context.list("masked").iter().any(|masked| masked.whole("seq") == seq);
    let omitted = context.list("omitted").iter().find(|range| is_in(range));
    let shows =
        |source: &Value| source.as_array().is_some_and(|all| all.iter().any(|one| one.as_i64() == Some(seq)));
    let served = context.list("sources").iter().any(shows);
    match (served, masked, omitted.map(|range| range.text("reason"))) {
        _ if context.is_null() => "There is no context that could be built now.",
        (_, true, _) => "The context of now shows its output as a placeholder.",
        (_, _, Some(reason)) if reason == "clipped" => "The context of now shows its beginning and its end.",
        (_, _, Some(reason)) if reason == "budget" => {
            "The context of now leaves it out: the budget has no room."
        }
        (true, ..) if seq <= anchor => "The context of now quotes it in its digest, or carries it.",
        (true, ..) => WHOLE,
        _ if seq <= anchor => "The summary covers it; the context of now does not quote it.",
        _ => "The context of now does not have it.",
    }
}

/// A message as it was sent, to keep.
pub(super) async fn original(
    OfSession { visit, place }: OfSession,
    Path(Numbered { seq }): Path<Numbered>,
) -> Result<Response, Fault> {
    let at = seq.to_string();
    let found = visit.get(place.api("/messages", &[("from_seq", &at), ("to_seq", &at)])).await?;
    let Some(item) = found.list("items").first() else {
        return Err(Fault::not_found(format!("The session has no message {seq}.")));
    };
    let name = format!("attachment; filename=\"message-{seq}.json\"");
    let headers =
        [(header::CONTENT_TYPE, "application/json".to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, item.under("message").to_string()).into_response())
}
