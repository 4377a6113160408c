//! The messages of a session, which scroll without being loaded all, and one message: where it lives on.

use std::collections::HashSet;

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
use crate::served::{Has, Served};
use crate::view::{Look as _, Page, line, some, time};
use crate::whereabouts::Shown;

/// Messages of a page, and as text for the query.
const ROWS: i64 = 40;
/// Said of a message that the summary covers without an entry that came from it.
const NO_ENTRY: &str = "left out, no entry of the record came from it";
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
    /// How the next context has it, and the class of that mark; empty when no context can be built.
    mark: (&'static str, &'static str),
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
    let head = session.whole("head_seq");
    let newest = (head - ROWS + 1).max(1);
    let from = wanted.from.unwrap_or(newest).clamp(1, head.max(1));
    let at = from.to_string();
    let (found, context, record) = futures::try_join!(
        visit.get(place.api("/messages", &[("from_seq", &at), ("limit", &ROWS.to_string())])),
        visit.look(place.api("/context", &[])),
        visit.look(place.api("/summary", &[])),
    )?;
    let served = Served::of(&context);
    let cited: HashSet<i64> = sections(&record)
        .into_iter()
        .flat_map(|section| section.entries)
        .flat_map(|entry| entry.seqs)
        .collect();
    let rows = found.list("items").iter().map(|item| {
        let mark = served.as_ref().map(|served| mark(item, served, &cited)).unwrap_or_default();
        Row { mark, ..row(item, IN_LIST) }
    });
    let rows: Vec<Row> = rows.collect();
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

/// How the next context has a message, and the class of that mark.
fn mark(item: &Value, served: &Served, cited: &HashSet<i64>) -> (&'static str, &'static str) {
    let seq = item.whole("seq");
    let has = served.has(seq, &item.text("role"));
    if has == Has::Covered && !cited.contains(&seq) {
        return (NO_ENTRY, "gone");
    }
    (has.words(), has.class())
}

fn row(item: &Value, most: usize) -> Row {
    Row {
        seq: item.whole("seq"),
        role: item.text("role"),
        tokens: some(item.whole("tokens"), "token"),
        at: time(&item.text("created_at")),
        parts: parts(item.under("message"), most),
        mark: ("", ""),
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
    let (found, session, next, context) = futures::try_join!(
        visit.get(place.api("/messages", &[("from_seq", &at), ("to_seq", &at)])),
        visit.get(place.api("", &[])),
        visit.look(place.api("/context", &[])),
        visit.look(Shown::path(&place, None)),
    )?;
    let Some(item) = found.list("items").first() else {
        return Err(Fault::not_found(format!("The session has no message {seq}.")));
    };
    let has = Served::of(&next).map(|served| served.has(seq, &item.text("role")));
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
        row: row(item, ALONE),
        version: session.whole("summary_version"),
        entries,
        now: told(has, &shown, &text),
        text: line(&text, 60),
        original: place.to(&format!("/messages/{seq}/original")),
        before: if seq > 1 { place.message(&(seq - 1)) } else { String::new() },
        after: if seq < head { place.message(&(seq + 1)) } else { String::new() },
        place,
    })
}

/// How the context of now has a message: as it is, or some of its lines in other parts.
fn told(has: Option<Has>, shown: &Shown, text: &str) -> String {
    let Some(has) = has else { return "There is no context that could be built now.".to_owned() };
    if has.is_whole() {
        return has.told().to_owned();
    }
    match shown.lines_of(text) {
        (0, ..) => has.told().to_owned(),
        (here, all, places) if here == all => {
            format!("The context of now has all of its words, in: {places}.")
        }
        (here, all, places) if [Has::Covered, Has::Quoted].contains(&has) => {
            format!(
                "The summary covers it; the context of now has {here} of its {all} sentences and lines, in: {places}."
            )
        }
        (here, all, places) => {
            format!("{} Of its {all} sentences and lines {here} are there, in: {places}.", has.told())
        }
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
