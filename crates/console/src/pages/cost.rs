//! What contexts cost: by day, by task and by session, beside what plain ways would have cost.

use anchord_economy::sizes::{Prices, Size, Tokens, WAYS, simulate};
use askama::Template;
use axum::extract::Query;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use futures::future::join_all;
use serde::Deserialize;
use serde_json::Value;

use super::session::call;
use super::{OfSession, OnBranch, Place, html};
use crate::PATH;
use crate::chart::Call;
use crate::fault::Fault;
use crate::view::{Look as _, Page, count, meant, money, segment, shown, some, tokens, with_query};
use crate::visit::{self, OfTenant, Visit};

/// Sessions whose calls are read for the table.
const SESSIONS: &str = "20";
/// Their calls, each.
const CALLS: &str = "200";
/// The most calls of a session that are read for its own page.
const PAGE: &str = "1000";
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
    /// Of all calls of the 30 days.
    every: Line,
    summaries: String,
    /// What is known of what the agent's own model wrote.
    model_writes: String,
    /// What the calls of these sessions would have cost in plain ways.
    ways: Vec<Line>,
}

#[derive(Template)]
#[template(path = "cost_session.html")]
struct SessionCost {
    page: Page,
    place: Place,
    prices: Wanted,
    calls: usize,
    told: String,
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

/// The prices that somebody typed, for a million tokens; none for a field that the address does not have.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Asked {
    input: Option<String>,
    cached: Option<String>,
    output: Option<String>,
}

/// The same, as the form shows them.
#[derive(Clone, Debug, Default)]
struct Wanted {
    input: String,
    cached: String,
    output: String,
    /// Fields that are no price.
    wrong: Vec<&'static str>,
    prices: Option<Prices>,
    /// Of what the summaries' model writes.
    written: Option<f64>,
}

/// The cookie that keeps the prices while one is signed in.
const COOKIE: &str = "anchord_prices";

/// A price as people type it: with the sign of a currency, and a comma or a point. `Err` for what is none; `None` for nothing.
fn price(text: &str) -> Result<Option<f64>, ()> {
    let plain =
        text.trim().trim_start_matches(['$', '€', '£', '¥']).trim_end_matches(['$', '€', '£', '¥']).trim();
    if plain.is_empty() && text.trim().is_empty() {
        return Ok(None);
    }
    let number = plain.replace(',', ".").parse::<f64>().map_err(|_| ())?;
    if number.is_finite() && (0.0..1e9).contains(&number) { Ok(Some(number)) } else { Err(()) }
}

impl Wanted {
    /// What the address has; what it does not have, as the cookie keeps it.
    fn of(asked: Asked, headers: &HeaderMap) -> Self {
        let kept: Vec<String> = if asked.input.is_none() && asked.cached.is_none() && asked.output.is_none() {
            let value = visit::cookie(headers, COOKIE).unwrap_or_default();
            value.split('|').map(str::to_owned).collect()
        } else {
            Vec::new()
        };
        let field = |given: Option<String>, at: usize| {
            let text = given.or_else(|| kept.get(at).cloned()).unwrap_or_default();
            shown(&meant(text.trim()), 12)
        };
        let (input, cached, output) = (field(asked.input, 0), field(asked.cached, 1), field(asked.output, 2));
        let mut wrong = Vec::new();
        let mut read = |name, text: &str| {
            price(text).unwrap_or_else(|()| {
                wrong.push(name);
                None
            })
        };
        let prices = (read("input", &input), read("cached input", &cached));
        let written = read("output", &output);
        let prices = match prices {
            (Some(input), cached) => Some(Prices { input, cached: cached.unwrap_or(input), output: written }),
            (None, _) => None,
        };
        Self { prices: prices.filter(|_| wrong.is_empty()), written, input, cached, output, wrong }
    }

    /// A page, with a cookie that keeps the prices; what is no price is not kept.
    fn keep(&self, mut page: Response) -> Response {
        let text = if self.wrong.is_empty() {
            [&*self.input, &self.cached, &self.output].join("|")
        } else {
            String::new()
        };
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || b".,|$".contains(&byte));
        let cookie = format!("{COOKIE}={text}; Path={PATH}; HttpOnly; SameSite=Strict");
        if is_plain
            && self.wrong.is_empty()
            && let Ok(cookie) = HeaderValue::from_str(&cookie.replace(',', "."))
        {
            page.headers_mut().append(header::SET_COOKIE, cookie);
        }
        page
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
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let wanted = Wanted::of(asked, &headers);
    let prices = wanted.prices;
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
    let mut ways = WAYS.map(|way| (way, Tokens::default()));
    for (place, calls) in places.iter().zip(read) {
        let calls = calls?;
        if !calls.is_empty() {
            let of = spent(&calls);
            all += of;
            served += calls.len();
            for (way, tokens) in &mut ways {
                *tokens += simulate(sizes(&calls), *way);
            }
            let is_part = calls.len().to_string() == CALLS;
            let name = if is_part { format!("the newest {CALLS}") } else { some_of(calls.len(), "call") };
            let line = line(&name, of, prices);
            sessions.push(Of { href: place.page("/cost", &[]), name: shown(&place.session, 80), line });
        }
    }
    let total = usage.under("total");
    let llm = total.under("llm");
    let prefix = total.under("prefix");
    let every = Tokens {
        new: prefix.whole("new_tokens"),
        cached: prefix.whole("cached_tokens"),
        rewritten: prefix.whole("rewritten_tokens"),
        ..Tokens::default()
    };
    let page = html(&CostPage {
        page: Page::of(&visit, "cost", "Cost"),
        every: line(&some(total.whole("requests"), "call"), every, prices),
        summaries: summaries(llm, &wanted),
        model_writes: reported(total.under("reported")),
        total: day(total, most),
        all: line(&some_of(served, "call"), all, prices),
        ways: ways.iter().map(|(way, tokens)| line(way.does(), *tokens, prices)).collect(),
        prices: wanted.clone(),
        days,
        tasks,
        sessions,
    })?;
    Ok(wanted.keep(page))
}

fn some_of(n: usize, name: &str) -> String {
    some(i64::try_from(n).unwrap_or(i64::MAX), name)
}

fn sizes(calls: &[Call]) -> impl Iterator<Item = Size> {
    calls.iter().map(|call| Size { whole: call.whole, budget: call.budget })
}

/// What summaries cost, in words: by the operator's prices where there are some, else by those that were typed.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "an estimate")]
fn summaries(llm: &Value, wanted: &Wanted) -> String {
    let (read, cached, written) =
        (llm.whole("input_tokens"), llm.whole("cached_tokens"), llm.whole("output_tokens"));
    if read + written == 0 {
        return "no model wrote any: code does, for nothing".to_owned();
    }
    let told = format!("{} read and {} written by their model", tokens(read), tokens(written));
    let cost = llm.whole("cost_micros");
    match (cost, wanted.prices, wanted.written) {
        (0, Some(prices), Some(price)) => {
            let input = Tokens { new: read - cached, cached, ..Tokens::default() }.micros(prices);
            let output = (written as f64 * price) as i64;
            format!("{told}: {} at the prices above, not in the money beside", money(input + output))
        }
        (0, ..) => format!("{told}; a price of input and of output says what that costs"),
        (cost, ..) => format!("{told}: {} at the operator's prices, not in the money beside", money(cost)),
    }
}

/// What is known of what the agent's own model wrote.
fn reported(of: &Value) -> String {
    match of.whole("output_tokens") {
        0 => "What the agent's own model writes is not counted: its tokens were not reported.".to_owned(),
        n => format!(
            "What the agent's own model writes is not in the money: {} were reported with {}.",
            some(n, "token"),
            some(of.whole("reports"), "call")
        ),
    }
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
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    visit.get(place.api("", &[])).await?;
    let wanted = Wanted::of(asked, &headers);
    let calls = calls(&visit, &place, PAGE).await?;
    let prices = wanted.prices;
    let page = html(&SessionCost {
        page: Page::of(&visit, "sessions", &format!("{}: cost", place.session)),
        ours: line("As it was served", spent(&calls), prices),
        ways: WAYS.iter().map(|way| line(way.does(), simulate(sizes(&calls), *way), prices)).collect(),
        told: match calls.len() {
            n if n.to_string() == PAGE => format!("The newest {n} calls; older ones are not counted here."),
            n => format!("{}: all that are kept.", some_of(n, "call")),
        },
        calls: calls.len(),
        prices: wanted.clone(),
        place,
    })?;
    Ok(wanted.keep(page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("3", Ok(Some(3.0)))]
    #[case(" $3 ", Ok(Some(3.0)))]
    #[case("0,30 €", Ok(Some(0.3)))]
    #[case("", Ok(None))]
    #[case("$", Err(()))]
    #[case("three", Err(()))]
    #[case("-1", Err(()))]
    #[case("inf", Err(()))]
    fn a_price_is_taken_as_people_type_it_or_refused(
        #[case] text: &str,
        #[case] read: Result<Option<f64>, ()>,
    ) {
        assert_eq!(price(text), read);
    }
}
