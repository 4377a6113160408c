//! A session: how full it is, its calls, its versions and its compressions.

use anchord_economy::sizes::Tokens;
use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::Value;

use super::sessions::{digest, hundredths, level};
use super::{OfSession, Place, html};
use crate::chart::{self, Call, Chart, PARTS};
use crate::fault::Fault;
use crate::full::{Full, full};
use crate::view::{
    Look as _, Page, ago, count, duration, line, money, percent_or, shown, time, tokens, word,
};
use crate::whereabouts::is_same;
use anchord_http::AppState;

/// The calls of the chart.
const CALLS: usize = 120;

#[derive(Template)]
#[template(path = "session.html")]
struct SessionPage {
    page: Page,
    place: Place,
    live: Live,
}

/// What changes while one looks.
#[derive(Template)]
#[template(path = "session_live.html")]
struct Live {
    place: Place,
    again: String,
    head: Head,
    chart: Chart,
    parts: [(&'static str, &'static str); 6],
    calls: Vec<CallRow>,
    compressions: Vec<Attempt>,
    versions: Vec<VersionRow>,
    branches: Vec<BranchRow>,
    can_write: bool,
    here: String,
    next: String,
}

#[derive(Clone, Debug)]
struct Head {
    filled: i64,
    level: &'static str,
    used: String,
    window: String,
    model: String,
    assumed: bool,
    messages: String,
    uncompressed: String,
    version: i64,
    active: String,
    created: String,
    task: String,
    user: String,
    compressing: String,
    warnings: Vec<String>,
    breaker: String,
    advice: Vec<String>,
}

#[derive(Clone, Debug)]
struct CallRow {
    href: String,
    at: String,
    head_seq: String,
    version: i64,
    total: String,
    whole: String,
    parts: Vec<String>,
}

#[derive(Clone, Debug)]
struct Attempt {
    status: String,
    why: String,
    version: i64,
    span: String,
    before: String,
    after: String,
    freed: String,
    score: String,
    cost: String,
    took: String,
    at: String,
    error: String,
    /// The version that an undoing goes back to; 0 when it cannot be undone.
    undo: i64,
    /// Whether it made the first version, before which there is none.
    is_first: bool,
}

#[derive(Clone, Debug)]
struct VersionRow {
    version: i64,
    is_current: bool,
    strategy: String,
    engine: String,
    span: String,
    tokens: String,
    reduction: String,
    probes: String,
    facts: String,
    exam: String,
    at: String,
    warnings: Vec<String>,
    record: String,
    dropped: String,
    back: String,
}

#[derive(Clone, Debug)]
struct BranchRow {
    name: String,
    href: String,
    is_current: bool,
    head_seq: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    seen: String,
}

pub(super) async fn show(
    State(state): State<AppState>,
    OfSession { visit, place }: OfSession,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Fault> {
    let (session, served, compressions, versions, branches) = futures::try_join!(
        visit.get(place.api("", &[])),
        visit.get(place.api("/served-contexts", &[("limit", "120")])),
        visit.get(place.api("/compressions", &[("limit", "40")])),
        visit.get(place.api("/summaries", &[("limit", "40")])),
        visit.get(Place { branch: String::new(), ..place.clone() }.api("/branches", &[("limit", "20")])),
    )?;
    let now = state.clock.now();
    let full = full(&visit, (&place, &session), Some(&served)).await?;
    let mut drawn: Vec<Call> = served.list("items").iter().take(CALLS).map(call).collect();
    let calls = drawn.iter().map(|call| row(&place, call)).collect();
    drawn.reverse();
    let live = Live {
        again: String::new(),
        head: head(&session, full, now),
        chart: chart::draw(&drawn),
        parts: PARTS,
        calls,
        next: place.to("/next"),
        compressions: compressions
            .list("items")
            .iter()
            .filter(|one| one.text("kind") == "compress")
            .map(|one| attempt(one, &versions, session.under("policy").whole("effective_window")))
            .collect(),
        versions: versions.list("items").iter().map(|one| version(&place, one, &versions)).collect(),
        branches: branches.list("items").iter().map(|one| branch(&place, one)).collect(),
        can_write: visit.who.can("write"),
        here: place.to(""),
        place: place.clone(),
    };
    let seen =
        digest(&format!("{:?} {:?} {:?} {:?}", live.head, live.calls, live.compressions, live.versions));
    if visit.is_part() && wanted.seen == seen {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let live = Live { again: place.page("", &[("seen", &seen)]), ..live };
    if visit.is_part() {
        return html(&live);
    }
    html(&SessionPage { page: Page::of(&visit, "sessions", &place.session), place, live })
}

/// A context that was served, of the API's list.
pub(super) fn call(item: &Value) -> Call {
    let of = item.under("tokens");
    let part = |key: &str| of.whole(key);
    let (cached, new) = (part("cached"), part("new"));
    Call {
        id: item.text("id"),
        at: item.text("served_at"),
        head_seq: item.whole("head_seq"),
        version: item.whole("version"),
        tokens: [
            part("system"),
            part("digest"),
            part("summary"),
            part("notes"),
            part("messages"),
            part("tool_outputs"),
        ],
        total: part("total"),
        whole: part("whole"),
        sent: Tokens { new, cached, rewritten: part("total") - cached - new, answers: 0 },
        budget: item.whole("max_input_tokens"),
    }
}

fn row(place: &Place, call: &Call) -> CallRow {
    CallRow {
        href: place.page(&format!("/calls/{}", call.id), &[]),
        at: time(&call.at),
        head_seq: count(call.head_seq),
        version: call.version,
        total: count(call.total),
        whole: count(call.whole),
        parts: call.tokens.iter().map(|n| count(*n)).collect(),
    }
}

fn head(session: &Value, full: Full, now: chrono::DateTime<chrono::Utc>) -> Head {
    let usage = session.under("usage");
    let settings = session.under("settings");
    let breaker = session.under("llm_breaker");
    let advice = usage.list("advice").iter().map(|one| word(&one.text("component"))).collect();
    Head {
        filled: hundredths(full.share()),
        level: level(full.share()),
        used: count(full.tokens),
        window: count(full.window),
        model: shown(&settings.text("model"), 60),
        assumed: usage.is("assumed"),
        messages: count(session.whole("head_seq")),
        uncompressed: count(usage.whole("uncompressed_messages")),
        version: session.whole("summary_version"),
        active: ago(&session.text("updated_at"), now),
        created: time(&session.text("created_at")),
        task: shown(&settings.text("task_id"), 80),
        user: shown(&settings.text("user"), 80),
        compressing: word(&session.under("compression").text("status")),
        warnings: session.list("warnings").iter().map(|one| shown(&one.text("detail"), 300)).collect(),
        breaker: if breaker.whole("failures") > 0 {
            format!("{} compressions without an answer of the model", breaker.whole("failures"))
        } else {
            String::new()
        },
        advice,
    }
}

/// Why a compression started, in words; the window is that of now.
pub(super) fn why(one: &Value, window: i64) -> String {
    let said = match one.text("trigger").as_str() {
        "utilization" => match one.whole("context_tokens_before") {
            0 => "the window was full enough".to_owned(),
            before => format!("the window was {} % full", before.saturating_mul(100) / window.max(1)),
        },
        "manual" => "somebody asked for it".to_owned(),
        "message_count" => "many messages had come since the summary".to_owned(),
        "turn_count" => "many turns had come since the summary".to_owned(),
        "task_boundary" => "a task had ended".to_owned(),
        other => format!("of the signal {}", word(other)),
    };
    let reason = one.text("reason");
    if reason.is_empty() { said } else { format!("{said} ({})", line(&reason, 120)) }
}

fn attempt(one: &Value, versions: &Value, window: i64) -> Attempt {
    let number = |key: &str| one.get(key).and_then(Value::as_i64);
    let (before, after) = match (number("context_tokens_before"), number("context_tokens_after")) {
        (Some(before), Some(after)) => (Some(before), Some(after)),
        _ => (number("tokens_before"), number("tokens_after")),
    };
    let shown_or = |n: Option<i64>| n.map_or_else(|| "–".to_owned(), count);
    let made = one.whole("version");
    let current = versions.list("items").iter().find(|one| one.is("current") && one.whole("version") == made);
    let error = one.under("error");
    let cost = one.under("cost").whole("micros");
    let now = versions.list("items").iter().find(|one| one.is("current"));
    let is_undone = made > 0 && now.is_some_and(|now| now.whole("through_seq") < one.whole("through_seq"));
    Attempt {
        status: if is_undone { "undone".to_owned() } else { word(&one.text("status")) },
        undo: current.map_or(0, |current| current.whole("parent_version")),
        is_first: current.is_some_and(|current| current.whole("parent_version") == 0),
        why: line(&why(one, window), 160),
        version: one.whole("version"),
        span: format!("{}–{}", one.whole("from_seq"), one.whole("through_seq")),
        before: shown_or(before),
        after: shown_or(after),
        freed: before.zip(after).map_or_else(|| "–".to_owned(), |(before, after)| count(before - after)),
        score: percent_or(one.share("probe_score")),
        cost: if cost == 0 { format!("{} calls", one.under("cost").whole("calls")) } else { money(cost) },
        took: duration(one.under("timings").whole("total_ms")),
        at: time(&one.text("finished_at")),
        error: shown(&error.text("detail"), 300),
    }
}

fn version(place: &Place, one: &Value, listed: &Value) -> VersionRow {
    let number = one.whole("version");
    let current = listed.list("items").iter().find(|one| one.is("current")).map(|one| one.whole("version"));
    let is_same = current.is_some_and(|current| is_same(listed, number, current));
    let parent = one.whole("parent_version");
    let n = number.to_string();
    VersionRow {
        version: number,
        is_current: one.is("current"),
        strategy: word(&one.text("strategy")),
        engine: {
            let (engine, model) = (word(&one.text("engine")), one.text("model"));
            if model.is_empty() { engine } else { format!("{engine}, {}", shown(&model, 60)) }
        },
        span: format!("{}–{}", one.whole("from_seq"), one.whole("through_seq")),
        tokens: format!("{} → {}", tokens(one.whole("tokens_before")), tokens(one.whole("tokens_after"))),
        reduction: percent_or(one.share("reduction")),
        probes: percent_or(one.share("probe_score")),
        facts: percent_or(one.share("facts_score")),
        exam: percent_or(one.under("exam").share("score")),
        at: time(&one.text("created_at")),
        warnings: one
            .list("warnings")
            .iter()
            .filter_map(Value::as_str)
            .map(|text| shown(text, 300))
            .collect(),
        record: place.page("/record", &[("version", &n)]),
        dropped: if parent > 0 {
            place.page("/dropped", &[("from", &parent.to_string()), ("to", &n)])
        } else {
            place.page("/dropped", &[("to", &n)])
        },
        back: if is_same {
            String::new()
        } else {
            format!("{}#between", place.page("/dropped", &[("from", &n)]))
        },
    }
}

fn branch(place: &Place, one: &Value) -> BranchRow {
    let name = one.text("name");
    let there = Place { branch: name.clone(), ..place.clone() };
    BranchRow {
        href: there.to(""),
        is_current: one.is("is_current"),
        head_seq: count(one.whole("head_seq")),
        name: shown(&name, 60),
    }
}
