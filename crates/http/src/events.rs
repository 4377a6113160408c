//! The events of a session as a stream of server-sent events.
//!
//! A stream reads stored events, so that it can be resumed at any of them. Between two reads it waits for a
//! notification from the listener of the process, and it also reads every few seconds in case one was missed.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event as Line, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use utoipa::IntoParams;

use super::auth::Reader;
use super::params::{Path, Query, SessionPath};
use super::problem::{ApiError, Resource};
use super::state::AppState;
use anchord_messages::id::{SessionId, TenantId};
use anchord_store::Store;
use anchord_store::events::{Event, Listening};

/// The events of one read.
const PAGE: i64 = 100;
/// How long a stream waits for a notification before it reads again.
const READ_AGAIN_AFTER: Duration = Duration::from_secs(15);
/// How often an idle stream sends a comment to keep its connection open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How long a stream lasts. Then the client has to authenticate again, because its key may be revoked by then.
const MAX_LIFETIME: Duration = Duration::from_mins(15);
/// How long a client waits before it reconnects.
const RECONNECT_AFTER: Duration = Duration::from_secs(2);

/// Where to go on.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Only events after this id; `Last-Event-ID` stands before it. Default: those that come from now on.
    #[param(minimum = 0)]
    pub after: Option<i64>,
}

/// Follows a session.
///
/// Server-sent events: `compression.started`, `compression.succeeded`, `compression.failed`,
/// `compression.skipped`, `summary.published` and `trigger.warned`, each with an `id` to resume after and
/// JSON as its `data`. They are kept for a week. A stream ends after fifteen minutes, when the session is erased and
/// when the service stops; clients come back with `Last-Event-ID` and miss nothing.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/events", tag = "sessions", params(SessionPath, EventsQuery,
        ("Last-Event-ID" = Option<i64>, Header, description = "The last event that was seen.", minimum = 0)),
    responses((status = 200, description = "The stream.", content((String = "text/event-stream"))))
)]
pub async fn follow_events(
    Reader(caller): Reader,
    State(state): State<AppState>,
    Path(path): Path<SessionPath>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let resume = last_event_id(&headers)?.or(query.after);
    if resume.is_some_and(|after| after < 0) {
        return Err(ApiError::parameter("after", "must be at least 0"));
    }
    let found = state.store.find_session(caller.tenant, &path.session_id).await?;
    let session = found.ok_or(ApiError::NotFound(Resource::Session))?.id;
    let permit = state.streams.acquire()?;
    let stop = state.streams.stop().clone();
    // Listen before the first read, so that no event is missed in between.
    let listening = state.store.listen_to(session);
    let after = match resume {
        Some(after) => after,
        None => state.store.newest_event(caller.tenant, session).await?,
    };
    let follower = Follower {
        store: state.store.clone(),
        tenant: caller.tenant,
        session,
        after,
        read: VecDeque::new(),
        listening,
        stop,
        until: Instant::now() + MAX_LIFETIME,
        is_first: true,
        _permit: permit,
    };
    let lines = stream::unfold(follower, Follower::next);
    Ok(Sse::new(lines).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<i64>, ApiError> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let id = value.to_str().ok().and_then(|text| text.trim().parse::<i64>().ok()).filter(|id| *id >= 0);
    id.map(Some).ok_or_else(|| ApiError::parameter("Last-Event-ID", "must be the id of an event"))
}

struct Follower {
    store: Store,
    tenant: TenantId,
    session: SessionId,
    after: i64,
    read: VecDeque<Event>,
    listening: Listening,
    stop: CancellationToken,
    until: Instant,
    is_first: bool,
    _permit: OwnedSemaphorePermit,
}

impl Follower {
    async fn next(mut self) -> Option<(Result<Line, Infallible>, Self)> {
        if std::mem::take(&mut self.is_first) {
            return Some((Ok(Line::default().comment("following").retry(RECONNECT_AFTER)), self));
        }
        loop {
            if let Some(event) = self.read.pop_front() {
                self.after = event.id;
                return Some((Ok(line(event)), self));
            }
            if self.stop.is_cancelled() {
                return None;
            }
            match self.store.list_events(self.tenant, self.session, self.after, PAGE).await {
                Ok(Some(events)) if events.is_empty() => {}
                Ok(Some(events)) => {
                    self.read = events.into();
                    continue;
                }
                Ok(None) => return None,
                Err(error) => {
                    tracing::warn!(%error, "events.not_read");
                    return None;
                }
            }
            tokio::select! {
                () = self.stop.cancelled() => return None,
                () = tokio::time::sleep_until(self.until) => return None,
                () = self.listening.rung() => {}
                () = tokio::time::sleep(READ_AGAIN_AFTER) => {}
            }
        }
    }
}

fn line(event: Event) -> Line {
    let data = json!({"created_at": event.created_at, "type": event.kind, "data": event.payload});
    Line::default().id(event.id.to_string()).event(event.kind).data(data.to_string())
}
