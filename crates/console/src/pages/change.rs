//! Every change of a session that a form asks for. One that cannot be taken back by a button says first what it brings and takes.

use askama::Template;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::{Value, json};

use super::{OfSession, Place, html};
use crate::api::Call;
use crate::due;
use crate::entry::{Entry, name_of};
use crate::fault::Fault;
use crate::full::{Full, full};
use crate::message;
use crate::served::{Has, Served, ranges};
use crate::view::{Look as _, Page, capitalized, count, line, meant, percent, segment, shown, some};
use crate::visit::{Form, Visit};

/// The most entries of a list that are named.
const NAMED: usize = 30;
/// The most characters of a text that is offered to be pinned: pins may take a tenth of the window.
const MOST_PIN: usize = 20_000;

#[derive(Template)]
#[template(path = "confirm.html")]
struct Confirm {
    page: Page,
    place: Place,
    asked: String,
    about: String,
    effects: Vec<String>,
    lists: Vec<List>,
    what: &'static str,
    id: String,
    back: String,
    /// Where one goes who leaves it as it is.
    left: String,
    button: &'static str,
}

#[derive(Template)]
#[template(path = "pin.html")]
struct AskPin {
    page: Page,
    place: Place,
    /// The message whose text it is; 0 for none.
    seq: i64,
    /// Characters of it that are left out.
    cut: usize,
    rows: usize,
    text: String,
    back: String,
    left: String,
}

/// Entries that come, or go.
struct List {
    name: &'static str,
    count: usize,
    /// Each with its section.
    entries: Vec<(String, String)>,
}

pub(super) async fn take(OfSession { visit, place }: OfSession, form: Form) -> Result<Response, Fault> {
    visit.writers_only()?;
    if form.text("sure").is_empty() && form.text("do") == "pin" {
        return html(&ask_pin(&visit, &place, &form).await?);
    }
    if form.text("sure").is_empty()
        && let Some(confirm) = confirm(&visit, &place, &form).await?
    {
        return html(&confirm);
    }
    let number = change(&visit, &place, &form).await?;
    Ok(Redirect::to(&form.done(number)).into_response())
}

/// The text that would be pinned, to be shortened first: that of a message as it is, or what the form has.
async fn ask_pin(visit: &Visit, place: &Place, form: &Form) -> Result<AskPin, Fault> {
    // Of a session that is not there nothing is asked.
    visit.get(place.api("", &[])).await?;
    let seq = form.text("seq").parse::<i64>().unwrap_or_default();
    let whole = if seq > 0 {
        let at = seq.to_string();
        let found = visit.get(place.api("/messages", &[("from_seq", &at), ("to_seq", &at)])).await?;
        let item = found.list("items").first();
        message::text(
            item.ok_or_else(|| Fault::not_found("The session has no such message."))?.under("message"),
        )
    } else {
        meant(form.text("text"))
    };
    let text: String = whole.chars().take(MOST_PIN).collect();
    Ok(AskPin {
        page: Page::of(visit, "sessions", "Pin this text?"),
        place: place.clone(),
        seq,
        cut: whole.chars().count().saturating_sub(MOST_PIN),
        rows: text.lines().count().clamp(3, 20),
        text: shown(&text, usize::MAX),
        back: form.back(),
        left: form.left(),
    })
}

/// Changes something, as a form says; a number that is told of it.
async fn change(visit: &Visit, place: &Place, form: &Form) -> Result<i64, Fault> {
    let one = segment(form.text("id"));
    let text = meant(form.text("text").trim());
    match form.text("do") {
        "pin" => {
            visit.send(Method::POST, place.api("/pins", &[]), Some(json!({ "text": text }))).await?;
            let session = visit.get(place.api("", &[])).await?;
            let asked = json!({ "text": text, "tokenizer": session.under("policy").under("tokenizer") });
            return Ok(visit.send(Method::POST, "/v1/tokens", Some(asked)).await?.whole("tokens"));
        }
        "unpin" => visit.send(Method::DELETE, place.api(&format!("/pins/{one}"), &[]), None).await?,
        "drop-constraint" => {
            visit.send(Method::DELETE, place.api(&format!("/constraints/{one}"), &[]), None).await?
        }
        "close-request" => {
            visit.send(Method::DELETE, place.api(&format!("/requests/{one}"), &[]), None).await?
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
            let path = place.api(&format!("/summaries/{one}/rollback"), &[]);
            let made = visit.send(Method::POST, path, Some(json!({}))).await?;
            return Ok(made.whole("version"));
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
    Ok(0)
}

/// What is asked before a change that takes something away.
async fn confirm(visit: &Visit, place: &Place, form: &Form) -> Result<Option<Confirm>, Fault> {
    let id = form.text("id");
    let confirm = |what, asked: &str, about: &str, effect: &str, button| Confirm {
        page: Page::of(visit, "sessions", asked),
        place: place.clone(),
        asked: asked.to_owned(),
        about: shown(about, 1_500),
        effects: vec![effect.to_owned()],
        lists: Vec::new(),
        what,
        id: id.to_owned(),
        back: form.back(),
        left: form.left(),
        button,
    };
    let of_ledger = async |kind| {
        let found = visit.get(place.api("/ledger", &[("kind", kind), ("limit", "500")])).await?;
        let one = found.list("items").iter().find(|one| one.text("id") == id).cloned();
        one.ok_or_else(|| Fault::not_found("The session has no such entry, or no longer."))
    };
    Ok(Some(match form.text("do") {
        "drop-constraint" => confirm(
            "drop-constraint",
            "Drop this constraint?",
            &of_ledger("constraint").await?.text("text"),
            "It takes away: contexts show it no longer from the next call on, neither in the record nor in the digest, and no later \
             version takes it up. To have it again, pin its text.",
            "Drop it",
        ),
        "close-request" => confirm(
            "close-request",
            "Close this request?",
            &of_ledger("request").await?.text("text"),
            "Contexts show it as dropped from the next call on, and so does the next version. It stays in the record; when somebody asks \
             for it again, it is open again.",
            "Close it",
        ),
        "remove-note" => {
            let notes = visit.get(place.api("/notes", &[])).await?;
            let note = notes.list("notes").iter().find(|note| note.text("id") == id);
            let text = note.map(|note| note.text("text")).unwrap_or_default();
            confirm(
                "remove-note",
                "Remove this note?",
                &text,
                "It takes away: contexts have the note no longer from the next call on. It is not kept.",
                "Remove it",
            )
        }
        "roll-back" => {
            let asked = format!("Roll back to version {id}?");
            let (effects, lists) = rolled_back(visit, place, id).await?;
            Confirm { effects, lists, ..confirm("roll-back", &asked, "", "", "Roll back") }
        }
        _ => return Ok(None),
    }))
}

/// What a roll back to a version brings and takes.
async fn rolled_back(visit: &Visit, place: &Place, id: &str) -> Result<(Vec<String>, Vec<List>), Fault> {
    let session = visit.get(place.api("", &[])).await?;
    let current = session.whole("summary_version");
    let head = session.whole("head_seq").to_string();
    let (target, diff, then, now) = futures::try_join!(
        visit.get(place.api(&format!("/summaries/{}", segment(id)), &[])),
        visit.get(place.api(&format!("/summaries/{current}/diff"), &[("from", id)])),
        // The context of now, as it would be under that version.
        visit.look(place.api("/context", &[("version", id), ("through_seq", &head)])),
        full(visit, (place, &session), None),
    )?;
    let mut effects = Vec::new();
    let (from, to) = (target.whole("through_seq") + 1, session.whole("anchor_seq"));
    if from <= to {
        effects.extend(returning((from, to), (session.under("usage"), &then)));
    }
    if !then.is_null() {
        let after = then.under("usage");
        let then = Full::of(after);
        let tokens = |full: Full| some(full.tokens, "token");
        effects.push(format!(
            "The window of {} tokens is {} full now, with {}; it would be {} full, with about {}.",
            count(now.window),
            percent(now.share()),
            tokens(now),
            percent(then.share()),
            tokens(then)
        ));
        // What its parts have before anything is cut; definitions of tools are beside the window.
        let components = after.under("components").as_object();
        let components = components.into_iter().flatten().filter(|(name, _)| *name != "tool_definitions");
        let counted = Full { tokens: components.filter_map(|(_, n)| n.as_i64()).sum(), window: then.window };
        effects.push(
            due::told(due::Fill {
                policy: session.under("policy"),
                share: then.share(),
                counted: counted.share(),
                uncovered: after.whole("uncompressed_messages"),
                is_rolled_back: true,
            })
            .replacen("The window is", "Then it is", 1),
        );
    }
    effects.push(format!(
        "The record of version {id} comes back as version {}; version {current} stays, so that this can be undone by a roll back to it.",
        current + 1
    ));
    let leaves = if from <= to {
        "Leaves the record, as its messages are in the window again"
    } else {
        "Leaves the record"
    };
    let lists = [list("Comes back into the record", "dropped", &diff), list(leaves, "added", &diff)];
    Ok((effects, lists.into_iter().filter(|list| list.count > 0).collect()))
}

/// How the messages of a range come back, in the context as it would be then.
fn returning((from, to): (i64, i64), (before, then): (&Value, &Value)) -> Vec<String> {
    let span = format!("Messages {} to {} are in the window again", count(from), count(to));
    let all = some(to - from + 1, "message");
    let Some(served) = Served::of(then) else {
        return vec![format!("{span}, as far as it has room: {all}.")];
    };
    let mut ways: Vec<(&'static str, Vec<i64>)> = Vec::new();
    let mut is_whole = true;
    for seq in from..=to {
        let has = served.has(seq, "");
        is_whole &= has.is_whole();
        let way = ways.iter_mut().find(|(words, _)| *words == has.words());
        match way {
            Some((_, seqs)) => seqs.push(seq),
            None => ways.push((has.words(), vec![seq])),
        }
    }
    if is_whole {
        let messages = |usage: &Value| {
            let of = usage.under("components");
            of.whole("history") + of.whole("tool_outputs") + of.whole("retrieved_documents")
        };
        let more = messages(then.under("usage")) - messages(before);
        let tokens = if more > 0 { format!(", {}", some(more, "token")) } else { String::new() };
        return vec![format!("{span}, each whole: {all}{tokens}.")];
    }
    ways.sort_by_key(|(words, _)| *words != Has::Whole.words());
    let way = |(words, seqs): &(&str, Vec<i64>)| {
        let n = some(i64::try_from(seqs.len()).unwrap_or(i64::MAX), "message");
        format!("{}: {} ({n}).", capitalized(words), ranges(seqs))
    };
    std::iter::once(format!("{span}, as far as it has room: {all}.")).chain(ways.iter().map(way)).collect()
}

/// The entries of a difference under a key.
fn list(name: &'static str, key: &str, diff: &Value) -> List {
    let sections = diff.list("sections").iter();
    let all: Vec<(String, String)> = sections
        .flat_map(|section| {
            let kind = name_of(&section.text("section")).to_lowercase();
            section.list(key).iter().map(move |one| (kind.clone(), line(&Entry::of(one).text, 200)))
        })
        .collect();
    List { name, count: all.len(), entries: all.into_iter().take(NAMED).collect() }
}
