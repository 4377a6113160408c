//! The events of a session as a stream of server-sent events.
//!
//! A stream reads stored events, so that it can be resumed at any of them. Between two reads it waits for a
//! notification from the listener of the process, and it also reads every few seconds in case one was missed.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::response::sse::{Event as Line, KeepAlive, Sse};
use futures::stream;
use tokio::time::Instant;

use crate::admission::streams::Place;
use crate::api::prelude::*;
use anchord_store::events::{Event as StoredEvent, Following, Listening};
use anchord_webhooks::event::Event;

/// The events of one read.
const PAGE: i64 = 100;
/// How long a stream waits for a notification before it reads again.
const READ_AGAIN_AFTER: Duration = Duration::from_secs(15);
/// How often an idle stream sends a comment to keep its connection open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How long a stream lasts. Then the client has to authenticate again, so that streams move to processes that have
/// started since.
const MAX_LIFETIME: Duration = Duration::from_mins(15);
/// How long a client waits before it reconnects.
const RECONNECT_AFTER: Duration = Duration::from_secs(2);

/// Where to go on.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Only events after this id; the header `Last-Event-ID` takes precedence. Default: only new events.
    #[param(minimum = 0)]
    pub after: Option<i64>,
}

/// Streams a session's events.
///
/// The events of its current branch, across switches (`session.branch_switched`), or of the branch that is named.
/// Server-sent events. The `data` line of each is an `Event` as JSON, the same that webhooks receive; the lines `id` and
/// `event` repeat its `id` and `type`. Events are kept for a week. A stream ends after fifteen minutes, when the session is erased, when
/// the key is good no longer and when the service stops; clients come back with `Last-Event-ID` and miss nothing, because
/// the stream begins with an `id` without data. A key
/// may have 128 streams of a process open, a tenant 256.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/events", tag = "events", operation_id = "events.stream", params(SessionPath, EventsQuery,
        ("Last-Event-ID" = Option<i64>, Header, description = "The last event that was seen.", minimum = 0)),
    responses(
        (status = 200, description = "The stream.", content((Event = "text/event-stream"))),
        (status = 429, body = Problem, content_type = "application/problem+json",
         description = "Too many requests (`/problems/rate-limited`), or as many event streams as the key, the tenant or the process may have (`/problems/too-many-streams`, with `limit`).",
         headers(("Retry-After" = String)))
    )
)]
pub async fn follow_events(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response> {
    let resume = last_event_id(&headers)?.or(query.after);
    if resume.is_some_and(|after| after < 0) {
        return Err(ApiError::parameter("after", "must be at least 0"));
    }
    let session =
        state.store.find_session(caller.tenant, &path.session_id).await?.or_missing(Kind::SessionNotFound)?;
    let following = match path.session_id.branch {
        Some(_) => Following::Branch(session.id),
        None => Following::Session(session.root),
    };
    let place = state.admission.streams.acquire(caller.tenant, caller.key)?;
    // Listen before the first read, so that no event is missed in between, and watch before the next look at the key.
    let listening = state.store.listen_to(following);
    let changes = state.store.watch_tenant(caller.tenant);
    let after = match resume {
        Some(after) => after,
        None => state.store.newest_event(caller.tenant, following).await?,
    };
    let mut follower = Follower {
        state,
        caller,
        following,
        name: path.session_id.name,
        after,
        read: VecDeque::new(),
        listening,
        changes,
        until: Instant::now() + MAX_LIFETIME,
        is_first: true,
        _place: place,
    };
    if !follower.may_go_on().await {
        return Err(ApiError::Unauthorized("this API key was revoked a moment ago"));
    }
    let lines = stream::unfold(follower, Follower::next);
    Ok(Sse::new(lines).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<i64>> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let id = value.to_str().ok().and_then(|text| text.trim().parse::<i64>().ok()).filter(|id| *id >= 0);
    id.map(Some).ok_or_else(|| ApiError::parameter("Last-Event-ID", "must be the id of an event"))
}

struct Follower {
    state: AppState,
    caller: Caller,
    following: Following,
    name: SessionName,
    after: i64,
    read: VecDeque<StoredEvent>,
    listening: Listening<SessionId>,
    changes: Listening<TenantId>,
    until: Instant,
    is_first: bool,
    _place: Place,
}

impl Follower {
    /// Whether the key is still good; the stream lasts no longer than the key.
    async fn may_go_on(&mut self) -> bool {
        match self.caller.still_good(&self.state).await {
            Ok(Some(None)) => true,
            Ok(Some(Some(end))) => {
                let left = (end - self.state.clock.now()).to_std().unwrap_or_default();
                self.until = self.until.min(Instant::now() + left.min(MAX_LIFETIME));
                true
            }
            Ok(None) | Err(_) => false,
        }
    }

    async fn next(mut self) -> Option<(Result<Line, Infallible>, Self)> {
        if std::mem::take(&mut self.is_first) {
            // With an id, but without data, so that a client that reconnects before its first event misses none.
            let first =
                Line::default().comment("following").retry(RECONNECT_AFTER).id(self.after.to_string());
            return Some((Ok(first), self));
        }
        let stop = self.state.admission.streams.stop().clone();
        loop {
            if let Some(event) = self.read.pop_front() {
                self.after = event.id;
                return Some((Ok(line(&self.name, event)), self));
            }
            if stop.is_cancelled() {
                return None;
            }
            match self.state.store.list_events(self.caller.tenant, self.following, self.after, PAGE).await {
                Ok(Some(page)) => {
                    self.listening.turn_to(page.branch);
                    if !page.events.is_empty() {
                        self.read = page.events.into();
                        continue;
                    }
                }
                Ok(None) => return None,
                Err(error) => {
                    tracing::warn!(%error, "events.not_read");
                    return None;
                }
            }
            tokio::select! {
                () = stop.cancelled() => return None,
                () = tokio::time::sleep_until(self.until) => return None,
                () = self.changes.rung() => {
                    if !self.may_go_on().await {
                        return None;
                    }
                }
                () = self.listening.rung() => {}
                () = tokio::time::sleep(READ_AGAIN_AFTER) => {}
            }
        }
    }
}

fn line(session_id: &SessionName, event: StoredEvent) -> Line {
    let StoredEvent { id, branch, kind, payload, created_at } = event;
    let data = if let Value::Object(data) = payload { data } else { Map::new() };
    let event = Event { id: Some(id), kind, session_id: Some(session_id.clone()), branch, created_at, data };
    Line::default().id(id.to_string()).event(&event.kind).data(event.text())
}
