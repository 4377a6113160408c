//! What happens in a session, as server-sent events.
//!
//! A stream reads the events that are stored, so that it can be resumed anywhere; between two reads it
//! waits for the bell of the process's one listener, and looks again now and then in case that was missed.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event as Line, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use utoipa::IntoParams;

use super::AppState;
use super::auth::Reader;
use super::params::{Path, Query, SessionPath};
use super::problem::{ApiError, Resource};
use anchord_messages::id::{SessionId, TenantId};
use anchord_store::Store;
use anchord_store::events::{Event, Listening};

/// Streams of one process at a time.
const STREAMS: usize = 1_024;
/// Events that are read at once.
const PAGE: i64 = 100;
/// When a stream looks again although nobody rang.
const LOOK_AGAIN: Duration = Duration::from_secs(15);
/// When a silent stream says that it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// When a stream ends, so that its follower authenticates again: a key may be revoked meanwhile.
const LONGEST: Duration = Duration::from_mins(15);
/// How long a follower waits before it comes back.
const COME_BACK: Duration = Duration::from_secs(2);

/// What every stream of a process shares.
#[derive(Clone, Debug)]
pub struct Streams {
    /// Ends them, so that nobody who follows holds up a stop.
    stop: CancellationToken,
    permits: Arc<Semaphore>,
}

impl Streams {
    /// Streams that end when `stop` is cancelled.
    #[must_use]
    pub fn new(stop: CancellationToken) -> Self {
        Self { stop, permits: Arc::new(Semaphore::new(STREAMS)) }
    }
}

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
    let Streams { stop, permits } = state.streams.clone();
    let permit = permits
        .try_acquire_owned()
        .map_err(|_| ApiError::Unavailable(anyhow::anyhow!("{STREAMS} event streams are open")))?;
    // Before the first look, so that nothing falls between both.
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
        until: Instant::now() + LONGEST,
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
            return Some((Ok(Line::default().comment("following").retry(COME_BACK)), self));
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
                () = tokio::time::sleep(LOOK_AGAIN) => {}
            }
        }
    }
}

fn line(event: Event) -> Line {
    let data = json!({"created_at": event.created_at, "type": event.kind, "data": event.payload});
    Line::default().id(event.id.to_string()).event(event.kind).data(data.to_string())
}
