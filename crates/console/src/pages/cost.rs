//! What contexts cost: by day, by task and by session, beside what plain ways would have cost.

use anchord_economy::sizes::{Prices, Size, Tokens, WAYS, simulate};
use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use futures::future::join_all;
use serde::Deserialize;
use serde_json::Value;

use super::session::call;
use super::{OfSession, OnBranch, Place, html};
use crate::chart::Call;
use crate::fault::Fault;
use crate::view::{Look as _, Page, count, money, segment, shown, tokens, typed, with_query};
use crate::visit::{OfTenant, Visit};

/// Sessions whose calls are read for the table.
const SESSIONS: &str = "20";
/// Their calls, each.
const CALLS: &str = "200";
/// The tasks of the table.
const TASKS: usize = 12;

#[derive(Template)]
#[template(path = "cost.html")]
struct CostPage {
    page: Page,
    prices: Wanted,
    total: Day,
    days: Vec<Day>,
    tasks: Vec<Task>,
    sessions: Vec<Of>,
    /// Of these sessions.
    all: Line,
}

#[derive(Template)]
#[template(path = "cost_session.html")]
struct SessionCost {
    page: Page,
    place: Place,
    prices: Wanted,
    calls: usize,
    ours: Line,
    ways: Vec<Line>,
}

/// A day's figures.
#[derive(Default)]
struct Day {
    date: String,
    requests: String,
    served: String,
    whole: String,
    saved: String,
    saved_share: i64,
    reported: String,
    model_tokens: String,
    model_cost: String,
    /// Of the largest day, for its bar.
    share: i64,
    share_whole: i64,
}

struct Task {
    name: String,
    status: String,
    sessions: i64,
    requests: String,
    served: String,
    whole: String,
    model_cost: String,
}

struct Of {
    href: String,
    name: String,
    line: Line,
}

/// Tokens by what a provider charges for them, and what that costs.
struct Line {
    name: String,
    new: String,
    cached: String,
    rewritten: String,
    total: String,
    cost: String,
}

/// The prices of the agent's model, for a million tokens.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default, deserialize_with = "typed")]
    input: String,
    #[serde(default, deserialize_with = "typed")]
    cached: String,
}

impl Wanted {
    fn prices(&self) -> Option<Prices> {
        // Many write a comma.
        let number = |text: &str| {
            text.trim().replace(',', ".").parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0)
        };
        let input = number(&self.input)?;
        let cached = number(&self.cached).unwrap_or(input);
        Some(Prices { input, cached })
    }
}

fn line(name: &str, of: Tokens, prices: Option<Prices>) -> Line {
    Line {
        name: name.to_owned(),
        new: tokens(of.new),
        cached: tokens(of.cached),
        rewritten: tokens(of.rewritten),
        total: count(of.total()),
        cost: prices.map_or_else(|| "–".to_owned(), |prices| money(of.micros(prices))),
    }
}

/// Calls of a session, oldest first.
async fn calls(visit: &Visit, place: &Place, most: &str) -> Result<Vec<Call>, Fault> {
    let served = visit.look(place.api("/served-contexts", &[("limit", most)])).await?;
    let mut calls: Vec<Call> = served.list("items").iter().map(call).collect();
    calls.reverse();
    Ok(calls)
}

fn spent(calls: &[Call]) -> Tokens {
    let mut all = Tokens::default();
    for one in calls {
        all += one.sent;
    }
    all
}

pub(super) async fn show(
    OfTenant { visit, .. }: OfTenant,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Fault> {
    let prices = wanted.prices();
    let (usage, listed) = futures::try_join!(
        visit.get("/v1/usage"),
        visit.get(with_query("/v1/sessions", &[("limit", SESSIONS), ("include", "settings")])),
    )?;
    let most = usage
        .list("days")
        .iter()
        .map(|day| day.whole("uncompressed_tokens").max(day.whole("context_tokens")));
    let most = most.max().unwrap_or_default().max(1);
    let days = usage.list("days").iter().rev().map(|one| day(one, most)).collect();
    let mut names: Vec<String> = listed
        .list("items")
        .iter()
        .map(|item| item.under("settings").text("task_id"))
        .filter(|task| !task.is_empty())
        .collect();
    names.sort();
    names.dedup();
    names.truncate(TASKS);
    let read = names.iter().map(|name| visit.look(format!("/v1/tasks/{}", segment(name))));
    let mut tasks = Vec::new();
    for one in join_all(read).await {
        tasks.push(task(&one?));
    }
    let places: Vec<Place> = listed
        .list("items")
        .iter()
        .map(|item| Place::new(item.text("session_id"), OnBranch::default()))
        .collect();
    let read = join_all(places.iter().map(|place| calls(&visit, place, CALLS))).await;
    let mut sessions = Vec::new();
    let (mut all, mut served) = (Tokens::default(), 0);
    for (place, calls) in places.iter().zip(read) {
        let calls = calls?;
        if !calls.is_empty() {
            let pairs = [("input", wanted.input.as_str()), ("cached", &wanted.cached)];
            let of = spent(&calls);
            all += of;
            served += calls.len();
            let line = line(&format!("{} calls", calls.len()), of, prices);
            sessions.push(Of { href: place.page("/cost", &pairs), name: shown(&place.session, 80), line });
        }
    }
    html(&CostPage {
        page: Page::of(&visit, "cost", "Cost"),
        total: day(usage.under("total"), most),
        all: line(&format!("{served} calls"), all, prices),
        prices: wanted,
        days,
        tasks,
        sessions,
    })
}

fn day(one: &Value, most: i64) -> Day {
    let (served, whole) = (one.whole("context_tokens"), one.whole("uncompressed_tokens"));
    let reported = one.under("reported");
    Day {
        date: one.text("day"),
        requests: count(one.whole("requests")),
        served: tokens(served),
        whole: tokens(whole),
        saved: tokens(whole - served),
        saved_share: (whole - served).max(0) * 100 / whole.max(1),
        reported: if reported.whole("input_tokens") > 0 {
            let cached = reported.whole("cached_tokens") * 100 / reported.whole("input_tokens").max(1);
            format!("{} in, {cached} % cached", tokens(reported.whole("input_tokens")))
        } else {
            "–".to_owned()
        },
        model_tokens: tokens(
            one.under("llm").whole("input_tokens") + one.under("llm").whole("output_tokens"),
        ),
        model_cost: money(one.under("llm").whole("cost_micros")),
        share: served * 100 / most,
        share_whole: whole * 100 / most,
    }
}

fn task(one: &Value) -> Task {
    Task {
        name: shown(&one.text("task_id"), 80),
        status: one.text("status"),
        sessions: one.whole("sessions"),
        requests: count(one.whole("requests")),
        served: tokens(one.whole("context_tokens")),
        whole: tokens(one.whole("uncompressed_tokens")),
        model_cost: money(one.under("llm").whole("cost_micros")),
    }
}

pub(super) async fn of_session(
    OfSession { visit, place }: OfSession,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Fault> {
    visit.get(place.api("", &[])).await?;
    let calls = calls(&visit, &place, "1000").await?;
    let prices = wanted.prices();
    let sizes = || calls.iter().map(|call| Size { whole: call.whole, budget: call.budget });
    html(&SessionCost {
        page: Page::of(&visit, "sessions", &format!("{}: cost", place.session)),
        ours: line("As it was served", spent(&calls), prices),
        ways: WAYS.iter().map(|way| line(way.does(), simulate(sizes(), *way), prices)).collect(),
        calls: calls.len(),
        prices: wanted,
        place,
    })
}
