//! A context that was served: built again as it was sent, with what of it was kept from the call before.

use askama::Template;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use super::session::call;
use super::{OfSession, Place, html};
use crate::api;
use crate::chart::{Call, PARTS};
use crate::compare::{self, Sent};
use crate::due;
use crate::entry::{mark_unsent, sections};
use crate::fault::Fault;
use crate::full::full;
use crate::message::{self, Part, parts};
use crate::served::{PLACEHOLDER, reason};
use crate::view::{Look as _, Page, count, shown, some, time, tokens, word};
use crate::visit::Visit;
use crate::whereabouts;

/// The most characters of a part.
const MOST: usize = 4_000;
/// The most messages that are shown.
const MESSAGES: usize = 600;

#[derive(Default, Template)]
#[template(path = "call.html")]
struct CallPage {
    page: Page,
    place: Place,
    at: String,
    call: Call,
    parameters: String,
    formats: Vec<(&'static str, String)>,
    format: String,
    is_own_format: bool,
    /// Whether what is shown is what was sent; `None` in another format.
    same: Option<bool>,
    /// Where it differs: the part, its tokens then, and now.
    differs: Vec<(&'static str, String, String)>,
    /// Of the context of now: whether the next call is compressed at once. Empty for a call.
    due: String,
    /// Entries of the record that it has no room for.
    unsent: usize,
    pieces: Vec<(&'static str, &'static str, String, i64)>,
    system: String,
    messages: Vec<Shown>,
    hidden: usize,
    masked: Vec<(i64, String)>,
    omitted: Vec<(i64, i64, &'static str)>,
    before: Option<Before>,
    next: String,
}

impl CallPage {
    /// The part of a page that a context and the call before it give.
    fn of(
        (visit, place, title): (&Visit, Place, &str),
        (call, context, sent): (Call, &Value, &Sent),
        before: Option<Before>,
    ) -> Self {
        let messages = messages(context, sent, before.as_ref().map_or(0, |before| before.kept_messages));
        Self {
            page: Page::of(visit, "sessions", &format!("{}: {title}", place.session)),
            system: sent
                .system
                .as_ref()
                .map(|_| shown(&message::system(context), MOST * 5))
                .unwrap_or_default(),
            hidden: context.list("messages").len().saturating_sub(messages.len()),
            messages,
            masked: masked(context),
            omitted: omitted(context),
            before,
            call,
            place,
            ..Self::default()
        }
    }
}

/// A message of the context.
struct Shown {
    role: String,
    parts: Vec<Part>,
    sources: Vec<i64>,
    /// Whether the call before began with it, too.
    kept: bool,
    /// Whether the service wrote it.
    ours: bool,
}

/// The call before.
struct Before {
    href: String,
    at: String,
    kept_messages: usize,
    kept: String,
    kept_share: i64,
    rewritten: String,
    new: String,
    gone: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    format: String,
}

/// The call that an address names.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Named {
    call: String,
}

pub(super) async fn show(
    OfSession { visit, place }: OfSession,
    Path(Named { call: id }): Path<Named>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Fault> {
    let (item, before, next) = find(&visit, &place, &id).await?;
    let of = call(&item);
    let own = item.text("format");
    let format = if wanted.format.is_empty() { own.clone() } else { wanted.format };
    let is_own_format = format == own;
    let body = built(&visit, &place, &item, &format).await?;
    let sent: Sent = serde_json::from_slice(&body).map_err(|error| Fault::internal(&error))?;
    let context: Value = serde_json::from_slice(&body).map_err(|error| Fault::internal(&error))?;
    let before = before.as_ref().filter(|_| is_own_format);
    let before = compared((&visit, &place), (before, &format), (&of, &sent)).await?;
    let total = of.total.max(1);
    let pieces = PARTS.iter().zip(of.tokens);
    html(&CallPage {
        at: time(&of.at),
        parameters: parameters(&item),
        formats: formats(&place, &format!("/calls/{id}")),
        same: is_own_format.then(|| sent.sha256() == item.text("sha256")),
        differs: if is_own_format { differs(&item, &context) } else { Vec::new() },
        is_own_format,
        format,
        pieces: pieces.map(|((key, name), n)| (*key, *name, count(n), n * 100 / total)).collect(),
        next: next.map(|next| place.page(&format!("/calls/{}", next.text("id")), &[])).unwrap_or_default(),
        ..CallPage::of((&visit, place, "call"), (of, &context, &sent), before)
    })
}

/// The context as it would be served now.
pub(super) async fn next(
    OfSession { visit, place }: OfSession,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Fault> {
    let asked = place.api("/context", &[("format", &wanted.format)]);
    let (session, body, served, versions) = futures::try_join!(
        visit.get(place.api("", &[])),
        visit.call(api::Call::get(asked)),
        visit.look(place.api("/served-contexts", &[("limit", "1")])),
        visit.look(place.api("/summaries", &[("limit", "1")])),
    )?;
    let sent: Sent = serde_json::from_slice(&body).map_err(|error| Fault::internal(&error))?;
    let context: Value = serde_json::from_slice(&body).map_err(|error| Fault::internal(&error))?;
    let of = context.under("tokens");
    let usage = context.under("usage");
    let part = |key: &str| of.whole(key);
    let now = Call {
        head_seq: context.whole("head_seq"),
        version: context.whole("summary_version"),
        total: part("total"),
        ..Call::default()
    };
    let format = context.text("format");
    let before = served.list("items").first().filter(|before| before.text("format") == format);
    let before = compared((&visit, &place), (before, &format), (&now, &sent)).await?;
    let mut unsent = 0;
    if now.version > 0 {
        let (record, plain) = futures::try_join!(
            visit.look(place.api("/summary", &[])),
            visit.look(whereabouts::Shown::path(&place, None)),
        )?;
        let mut entries = sections(&record);
        mark_unsent(&mut entries, &whereabouts::Shown::of(&plain));
        unsent = entries.iter().flat_map(|section| &section.entries).filter(|entry| entry.is_unsent).count();
    }
    let due = if session.under("compression").is_null() {
        let full = full(&visit, (&place, &session), Some(&served)).await?;
        let counted = session.under("usage").share("effective_utilization").unwrap_or_default();
        due::told(due::Fill {
            policy: session.under("policy"),
            share: full.share(),
            counted,
            uncovered: usage.whole("uncompressed_messages"),
            is_rolled_back: versions
                .list("items")
                .first()
                .is_some_and(|one| one.text("strategy") == "rollback"),
        })
    } else {
        "A compression waits or is at work: the context is another one when it ends.".to_owned()
    };
    let total = now.total.max(1);
    let pieces = [
        ("system", "System and pins", part("system")),
        ("digest", "Digest", part("digest")),
        ("summary", "Record", part("summary")),
        ("notes", "Notes", part("notes")),
        ("messages", "Messages and outputs", part("tail")),
    ];
    html(&CallPage {
        parameters: format!(
            "{format}, {} of at most {}",
            some(now.total, "token"),
            count(context.whole("max_input_tokens"))
        ),
        formats: formats(&place, "/next"),
        is_own_format: true,
        format,
        due,
        unsent,
        pieces: pieces.into_iter().map(|(key, name, n)| (key, name, count(n), n * 100 / total)).collect(),
        ..CallPage::of((&visit, place, "the next context"), (now, &context, &sent), before)
    })
}

fn formats(place: &Place, rest: &str) -> Vec<(&'static str, String)> {
    let all = ["openai-chat", "anthropic", "openai-responses"].into_iter();
    all.map(|format| (format, place.page(rest, &[("format", format)]))).collect()
}

/// The messages of a context, of which the first `kept` were in the call before.
fn messages(context: &Value, sent: &Sent, kept: usize) -> Vec<Shown> {
    let role = |message: &Value| {
        let role = message.text("role");
        if role.is_empty() { word(&message.text("type")) } else { role }
    };
    let messages = context.list("messages").iter().zip(&sent.sources).enumerate();
    messages
        .map(|(at, (message, sources))| Shown {
            role: shown(&role(message), 40),
            parts: parts(message, MOST),
            sources: sources.clone().unwrap_or_default(),
            ours: sources.is_none(),
            kept: at < kept,
        })
        .take(MESSAGES)
        .collect()
}

fn masked(context: &Value) -> Vec<(i64, String)> {
    context.list("masked").iter().map(|one| (one.whole("seq"), shown(&one.text("ref"), 40))).collect()
}

/// The messages that a context leaves out, or has in part, with the reason in words.
fn omitted(context: &Value) -> Vec<(i64, i64, &'static str)> {
    let told =
        |range: &Value| (range.whole("from_seq"), range.whole("to_seq"), reason(&range.text("reason")));
    context.list("omitted").iter().map(told).collect()
}

/// The parts that have other tokens than they had when they were served.
fn differs(item: &Value, built: &Value) -> Vec<(&'static str, String, String)> {
    let (then, now) = (item.under("tokens"), built.under("tokens"));
    // Outputs are among the messages of what is built.
    let messages = then.whole("messages") + then.whole("tool_outputs");
    let parts = [
        ("System and pins", then.whole("system"), now.whole("system")),
        ("Record", then.whole("summary"), now.whole("summary")),
        ("Digest", then.whole("digest"), now.whole("digest")),
        ("Notes", then.whole("notes"), now.whole("notes")),
        ("Messages and outputs", messages, now.whole("tail")),
    ];
    let other = parts.into_iter().filter(|(_, then, now)| then != now);
    other.map(|(name, then, now)| (name, count(then), count(now))).collect()
}

fn parameters(item: &Value) -> String {
    let mut told =
        vec![item.text("format"), format!("at most {} tokens", count(item.whole("max_input_tokens")))];
    if item.is("recap") {
        told.push("recap".to_owned());
    }
    if !item.text("cache_control").is_empty() {
        told.push(format!("marks for {}", item.text("cache_control")));
    }
    told.push(format!("revision {}", item.whole("context_revision")));
    told.join(", ")
}

/// A call of the list, with the one before and the one behind it.
async fn find(
    visit: &Visit,
    place: &Place,
    id: &str,
) -> Result<(Value, Option<Value>, Option<Value>), Fault> {
    let mut cursor = String::new();
    let mut behind: Option<Value> = None;
    loop {
        let page =
            visit.get(place.api("/served-contexts", &[("limit", "1000"), ("cursor", &cursor)])).await?;
        let items = page.list("items");
        cursor = page.text("next_cursor");
        if let Some(at) = items.iter().position(|item| item.text("id") == id) {
            let item = items.get(at).cloned().unwrap_or_default();
            let next = at.checked_sub(1).and_then(|at| items.get(at)).cloned().or(behind);
            let before = match items.get(at + 1) {
                None if !cursor.is_empty() => {
                    let more = visit
                        .get(place.api("/served-contexts", &[("limit", "1"), ("cursor", &cursor)]))
                        .await?;
                    more.list("items").first().cloned()
                }
                other => other.cloned(),
            };
            return Ok((item, before, next));
        }
        behind = items.last().cloned();
        if cursor.is_empty() {
            return Err(Fault::not_found(
                "The session has no such call, or no longer: about the newest 2,000 are kept.",
            ));
        }
    }
}

/// A context that was served, built again.
async fn built(visit: &Visit, place: &Place, item: &Value, format: &str) -> Result<axum::body::Bytes, Fault> {
    let number = |key: &str| item.whole(key).to_string();
    let (head, version, most) = (number("head_seq"), number("version"), number("max_input_tokens"));
    let cache = if format == "anthropic" { item.text("cache_control") } else { String::new() };
    if item.whole("head_seq") == 0 {
        return Err(Fault::refused(
            StatusCode::NOT_FOUND,
            "Nothing to show",
            "The session had no message then.",
        ));
    }
    let pairs = [
        ("through_seq", head.as_str()),
        ("version", &version),
        ("max_input_tokens", &most),
        ("format", format),
        ("recap", if item.is("recap") { "true" } else { "" }),
        ("cache_control", &cache),
        // What was pinned since was not sent.
        ("pinned_by", &item.text("served_at")),
    ];
    visit.call(api::Call::get(place.api("/context", &pairs))).await
}

/// Compares a context with the call before; `None` when there is none, or it was under a version that is gone.
async fn compared(
    (visit, place): (&Visit, &Place),
    (before, format): (Option<&Value>, &str),
    (of, sent): (&Call, &Sent),
) -> Result<Option<Before>, Fault> {
    let Some(before) = before else { return Ok(None) };
    match built(visit, place, before, format).await {
        Ok(earlier) => {
            let earlier = serde_json::from_slice(&earlier).map_err(|error| Fault::internal(&error))?;
            Ok(Some(beside(place, (before, &earlier), (of, sent))))
        }
        Err(Fault::Refused { status, .. }) if status.is_client_error() => Ok(None),
        Err(other) => Err(other),
    }
}

fn beside(place: &Place, (before, earlier): (&Value, &Sent), (of, sent): (&Call, &Sent)) -> Before {
    let common = compare::prefix(earlier, sent);
    let whole = i64::try_from(sent.bytes()).unwrap_or(i64::MAX).max(1);
    let bytes = i64::try_from(common.bytes).unwrap_or(i64::MAX);
    // Tokens are spread over the texts as their bytes are.
    let kept = of.total.saturating_mul(bytes) / whole;
    let grown = of.sent.new.min(of.total - kept);
    let gone = compare::gone(earlier, sent);
    let named = gone.iter().take(200).filter_map(|at| {
        let sources = earlier.sources.get(*at)?;
        Some(match sources {
            None => "a part that the service wrote".to_owned(),
            Some(seqs) => match (seqs.first(), seqs.last()) {
                (Some(first), Some(last)) if first != last => format!("messages {first} to {last}"),
                (Some(first), _) => format!("message {first}"),
                _ => "a message".to_owned(),
            },
        })
    });
    Before {
        href: place.page(&format!("/calls/{}", before.text("id")), &[]),
        at: time(&before.text("served_at")),
        kept_messages: common.messages,
        kept: tokens(kept),
        kept_share: kept * 100 / of.total.max(1),
        rewritten: tokens((of.total - kept - grown).max(0)),
        new: tokens(grown),
        gone: named.collect(),
    }
}
