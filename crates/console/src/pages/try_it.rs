//! A transcript is tried: record, context and cost are shown and nothing is stored, unless it is then kept as a session.

use std::fmt::Write as _;

use askama::Template;
use axum::Extension;
use axum::extract::{FromRequest as _, Multipart, Request, State};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{OnBranch, Place, html};
use crate::api::Call;
use crate::entry::{Section, sections};
use crate::fault::Fault;
use crate::message::{Part, parts};
use crate::view::{Look as _, Page, count, percent_or, shown};
use crate::visit::{OfTenant, require_own_page};
use anchord_http::AppState;
use anchord_http::admission::bodies::{Bodies, Reserved};
use anchord_http::admission::heavy::in_turn;
use anchord_messages::transcript::{self, Transcript};

/// The most messages of one append.
const BATCH: usize = 1_000;
/// The bytes of one, below what the API takes.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// The most messages of the context that are shown.
const SHOWN: usize = 200;

#[derive(Template)]
#[template(path = "try.html")]
struct Try {
    page: Page,
    most: String,
}

#[derive(Template)]
#[template(path = "try_result.html")]
struct Tried {
    read: String,
    before: String,
    after: String,
    reduction: String,
    probes: String,
    sections: Vec<Section>,
    rendering: String,
    messages: Vec<(String, Vec<Part>)>,
    warnings: Vec<String>,
    can_keep: bool,
    cost: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "try_kept.html")]
struct Kept {
    href: String,
    name: String,
    messages: String,
}

#[derive(Template)]
#[template(path = "try_wrong.html")]
struct Wrong {
    detail: String,
}

pub(super) async fn show(
    State(state): State<AppState>,
    OfTenant { visit, .. }: OfTenant,
) -> Result<Response, Fault> {
    let most = format!("{} MB", state.limits.body_bytes / (1024 * 1024));
    html(&Try { page: Page::of(&visit, "try", "Try it"), most })
}

/// What was dropped or pasted.
struct Dropped {
    text: String,
    _memory: Reserved,
    name: String,
    target: String,
}

/// Reads a form within the tenant's share of memory.
async fn dropped(
    state: &AppState,
    from: &OfTenant,
    request: Request,
    bodies: &Bodies,
) -> Result<Dropped, Fault> {
    require_own_page(request.headers())?;
    from.visit.writers_only()?;
    let memory = bodies.reserve(from.tenant, state.limits.body_bytes).ok_or_else(|| {
        let detail = "Another transcript of yours is being tried. Try again when it is done.";
        Fault::refused(StatusCode::TOO_MANY_REQUESTS, "One at a time", detail)
    })?;
    let unreadable = |detail: &dyn std::fmt::Display| {
        Fault::refused(StatusCode::BAD_REQUEST, "The form cannot be read", detail.to_string())
    };
    let mut form = Multipart::from_request(request, state).await.map_err(|error| unreadable(&error))?;
    let mut found =
        Dropped { text: String::new(), _memory: memory, name: String::new(), target: String::new() };
    let mut left = state.limits.body_bytes;
    while let Some(mut field) = form.next_field().await.map_err(|error| unreadable(&error))? {
        let name = field.name().unwrap_or_default().to_owned();
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|error| unreadable(&error))? {
            left = left.checked_sub(chunk.len()).ok_or_else(|| {
                Fault::refused(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "Too large",
                    "The transcript is larger than a request may be.",
                )
            })?;
            bytes.extend_from_slice(&chunk);
        }
        let text = String::from_utf8(bytes).map_err(|_| {
            Fault::refused(StatusCode::UNPROCESSABLE_ENTITY, "No text", "The file is no UTF-8 text.")
        })?;
        match name.as_str() {
            "file" | "text" if !text.trim().is_empty() => found.text = text,
            "session" => text.trim().clone_into(&mut found.name),
            "target" => text.trim().clone_into(&mut found.target),
            _ => {}
        }
    }
    Ok(found)
}

/// Reads a transcript in the tenant's turn.
async fn read(from: &OfTenant, text: &mut String) -> Result<Transcript, Fault> {
    if text.is_empty() {
        return Err(Fault::refused(
            StatusCode::UNPROCESSABLE_ENTITY,
            "Nothing to try",
            "Drop a file, or paste a transcript.",
        ));
    }
    let text = std::mem::take(text);
    let read =
        in_turn(from.tenant, move || transcript::read(&text, None, None).map_err(|error| error.to_string()));
    let read = read.await.map_err(|error| {
        Fault::refused(StatusCode::SERVICE_UNAVAILABLE, "Too much at once", error.to_string())
    })?;
    read.map_err(|detail| Fault::refused(StatusCode::UNPROCESSABLE_ENTITY, "No transcript", detail))
}

/// A refusal in the place of the result, because the page stays as it is.
fn told<T>(result: Result<T, Fault>) -> Result<Result<T, Response>, Fault> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(Fault::Refused { status, detail, title }) if status.is_client_error() => {
            let detail = if detail.is_empty() { title } else { detail };
            html(&Wrong { detail: shown(&detail, 500) }).map(Err)
        }
        Err(other) => Err(other),
    }
}

pub(super) async fn look(
    State(state): State<AppState>,
    Extension(bodies): Extension<Bodies>,
    from: OfTenant,
    request: Request,
) -> Result<Response, Fault> {
    match told(tried(&state, &from, (request, &bodies)).await)? {
        Ok(tried) => html(&tried),
        Err(wrong) => Ok(wrong),
    }
}

async fn tried(
    state: &AppState,
    from: &OfTenant,
    (request, bodies): (Request, &Bodies),
) -> Result<Tried, Fault> {
    let mut dropped = dropped(state, from, request, bodies).await?;
    let target = dropped.target.parse::<u32>().ok();
    let transcript = read(from, &mut dropped.text).await?;
    let mut body = body_of(&transcript, &transcript.messages)?;
    body.pop();
    if let Some(target) = target {
        let _ = write!(body, ",\"target_tokens\":{target}");
    }
    body.push('}');
    let reply = from.visit.call(Call::of(Method::POST, "/v1/compress", Some(body))).await?;
    let reply: Value = serde_json::from_slice(&reply).map_err(|error| Fault::internal(&error))?;
    let (before, after) = (reply.whole("tokens_before"), reply.whole("tokens_after"));
    let per_call = |calls: i64| {
        (
            format!("{calls} more calls"),
            format!("{} instead of {} tokens", count(after * calls), count(before * calls)),
        )
    };
    let role = |message: &Value| {
        let role = message.text("role");
        if role.is_empty() { message.text("type") } else { role }
    };
    Ok(Tried {
        read: format!(
            "{} messages of {}",
            count(i64::try_from(transcript.messages.len()).unwrap_or_default()),
            transcript.log.as_ref()
        ),
        before: count(before),
        after: count(after),
        reduction: percent_or(reply.share("reduction")),
        probes: percent_or(reply.share("probe_score")),
        sections: sections(reply.under("summary")),
        rendering: shown(&reply.text("rendering"), 100_000),
        messages: reply
            .list("messages")
            .iter()
            .take(SHOWN)
            .map(|message| (role(message), parts(message, 2_000)))
            .collect(),
        warnings: reply
            .list("warnings")
            .iter()
            .filter_map(Value::as_str)
            .map(|text| shown(text, 300))
            .collect(),
        can_keep: from.visit.who.can("write"),
        cost: [1, 10, 100].into_iter().map(per_call).collect(),
    })
}

/// A body with messages.
fn body_of(transcript: &Transcript, messages: &[transcript::Logged]) -> Result<String, Fault> {
    let mut all = Vec::with_capacity(messages.len());
    for message in messages {
        let raw: &RawValue = serde_json::from_str(&message.raw).map_err(|error| Fault::internal(&error))?;
        all.push(raw.get());
    }
    Ok(format!("{{\"format\":\"{}\",\"messages\":[{}]}}", transcript.format.as_ref(), all.join(",")))
}

pub(super) async fn keep(
    State(state): State<AppState>,
    Extension(bodies): Extension<Bodies>,
    from: OfTenant,
    request: Request,
) -> Result<Response, Fault> {
    match told(kept(&state, &from, (request, &bodies)).await)? {
        Ok(kept) => html(&kept),
        Err(wrong) => Ok(wrong),
    }
}

async fn kept(
    state: &AppState,
    from: &OfTenant,
    (request, bodies): (Request, &Bodies),
) -> Result<Kept, Fault> {
    let mut dropped = dropped(state, from, request, bodies).await?;
    let transcript = read(from, &mut dropped.text).await?;
    let name = if dropped.name.is_empty() {
        format!("tried-{}", state.clock.now().format("%Y%m%d-%H%M%S"))
    } else {
        dropped.name
    };
    let place = Place::new(name.clone(), OnBranch::default());
    if !from.visit.look(place.api("", &[])).await?.is_null() {
        let detail = format!("There is a session {} already. Choose another name.", shown(&name, 80));
        return Err(Fault::refused(StatusCode::CONFLICT, "The name is taken", detail));
    }
    let mut rest = transcript.messages.as_slice();
    while !rest.is_empty() {
        let mut bytes = 0;
        let fitting = rest.iter().take(BATCH).take_while(|message| {
            bytes += message.raw.len();
            bytes <= BATCH_BYTES
        });
        let (batch, later) = rest.split_at(fitting.count().max(1).min(rest.len()));
        let body = body_of(&transcript, batch)?;
        from.visit.call(Call::of(Method::POST, place.api("/messages", &[]), Some(body))).await?;
        rest = later;
    }
    Ok(Kept {
        href: place.to(""),
        name: shown(&name, 80),
        messages: count(i64::try_from(transcript.messages.len()).unwrap_or_default()),
    })
}
