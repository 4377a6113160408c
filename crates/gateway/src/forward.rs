//! One request of an agent, from its first byte to the last of its answer.
//!
//! Invariant: whatever cannot be read, recognised or kept passes to the provider as it came.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version, header};
use axum::response::Response;
use futures::StreamExt as _;
use futures::channel::mpsc;
use futures::stream::BoxStream;
use http_body_util::{BodyExt as _, Limited};
use moka::sync::Cache;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::io::AsyncReadExt as _;
use tracing::Instrument as _;
use url::Url;

use crate::answer::{self, Answer, Shape};
use crate::api::Api;
use crate::append;
use crate::assemble::{assemble, with_list};
use crate::compact::{self, without_instruction};
use crate::identity::{self, Identity, SESSION};
use crate::item;
use crate::keep::{Keeper, Said, Seen};
use crate::mark::Marks;
use crate::reply::{self, Content, PROBLEM};
use crate::request::{Asked, Endpoint};
use crate::route::{Mode, Provider, Route};
use crate::rules::{self, Form, Meaning, Rule};
use crate::upstream::{Answered, Sent, Upstream};
use crate::{Answers, Config};
use anchord_http::AppState;
use anchord_http::admission::bodies::{Bodies, Reserved};
use anchord_http::admission::guesses::Peer;
use anchord_http::admission::heavy::in_turn;
use anchord_http::extract::auth::{self, Caller};
use anchord_messages::id::TenantId;
use anchord_store::keys::{KeyDigest, digest_key, is_generated};
use anchord_store::secrets::SecretKeys;

/// The header of an anchord key.
const KEY: HeaderName = HeaderName::from_static("x-anchord-key");
/// The header that says why a request is not kept.
const NOT_KEPT: HeaderName = HeaderName::from_static("x-anchord-not-kept");
/// Headers of proxies and of browsers: a request with one of them does not come from a program on this machine, whatever
/// its address.
const OF_OTHERS: [&str; 6] =
    ["origin", "forwarded", "via", "x-real-ip", "true-client-ip", "cf-connecting-ip"];
const OF_OTHERS_BEGIN: [&str; 2] = ["x-forwarded-", "sec-fetch-"];

/// How often, and after which pause, room for a body is looked for.
const ROOM_TRIES: u32 = 10;
const ROOM_PAUSE: Duration = Duration::from_millis(100);
/// From so many bytes on a body is read in its tenant's turn.
const LARGE_BYTES: usize = 2 * 1024 * 1024;
/// How long a look at a key may take when it was good before.
const KEY_PATIENCE: Duration = Duration::from_millis(500);

/// Callers whose keys were good, for when the database does not answer.
pub(crate) fn known_callers() -> Cache<KeyDigest, Caller> {
    Cache::builder().max_capacity(10_000).time_to_live(Duration::from_mins(30)).build()
}

/// The gateway of a process.
pub(crate) struct Gateway {
    pub(crate) api: Router,
    pub(crate) state: AppState,
    pub(crate) config: Config,
    pub(crate) upstream: Upstream,
    pub(crate) keeper: Keeper,
    /// The keys of marks.
    pub(crate) marks: SecretKeys,
    pub(crate) bodies: Bodies,
    pub(crate) known: Cache<KeyDigest, Caller>,
}

/// A request that was read.
struct Read {
    body: Bytes,
    /// The same behind its encoding.
    plain: Bytes,
    asked: Asked,
    memory: Reserved,
}

/// A conversation to be kept.
struct Kept {
    api: Api,
    seen: Arc<Seen>,
    said: Said,
    memory: Reserved,
}

/// How a request's body was read.
enum Taken {
    Read(Box<Read>),
    /// It passes, because of this.
    Passes(Sent, &'static str),
    /// It did not come whole.
    CutOff,
}

impl Gateway {
    /// Answers a request.
    pub(crate) async fn handle(self: Arc<Self>, request: Request) -> Response {
        let Some(route) = Route::read(request.uri().path()) else {
            return reply::refuse(
                Provider::Openai,
                StatusCode::NOT_FOUND,
                "not-found",
                "no such path; the gateway has /gateway/anthropic/v1/… and /gateway/openai/v1/…",
            );
        };
        let provider: &str = route.provider.into();
        let span = tracing::info_span!("gateway", provider, tenant.id = tracing::field::Empty);
        let (response, outcome) = self.answer(route.clone(), request).instrument(span).await;
        metrics::counter!("anchord_gateway_requests_total", "provider" => provider.to_owned(), "outcome" => outcome)
            .increment(1);
        response
    }

    async fn answer(self: Arc<Self>, route: Route, request: Request) -> (Response, &'static str) {
        let (parts, body) = request.into_parts();
        let refuse =
            |status, kind, detail: &str| (reply::refuse(route.provider, status, kind, detail), "refused");
        let Some(base) = self.base(route.provider).cloned() else {
            let detail = "this installation has no upstream for the provider; set ANCHORD_GATEWAY_ANTHROPIC or ANCHORD_GATEWAY_OPENAI";
            return refuse(StatusCode::NOT_FOUND, "not-found", detail);
        };
        let (caller, key) = match self.authenticate(&route, &parts).await {
            Ok(found) => found,
            Err((status, kind, detail)) => return refuse(status, kind, &detail),
        };
        // Codex tries a socket first, and goes on without when it is told to.
        if parts.headers.contains_key(header::UPGRADE) {
            return refuse(StatusCode::UPGRADE_REQUIRED, "no-upgrade", "sockets are not passed on; use HTTP");
        }
        let api = Api::new(self.api.clone(), key);
        let endpoint = Endpoint::of(route.provider, &route.rest).filter(|_| parts.method == "POST");
        let Some(endpoint) = endpoint else {
            return self.pass((&base, &route, &parts), Sent::Passing(body), None).await;
        };
        match self.read(&caller, endpoint, &parts.headers, body).await {
            Taken::Read(read) => self.converse((base, route, parts), (caller, api), *read).await,
            Taken::Passes(sent, reason) => self.pass((&base, &route, &parts), sent, Some(reason)).await,
            Taken::CutOff => {
                refuse(StatusCode::REQUEST_TIMEOUT, "slow-body", "the body did not come whole in time")
            }
        }
    }

    /// A request with a conversation.
    async fn converse(
        self: Arc<Self>,
        (base, route, mut parts): (Url, Route, Parts),
        (caller, api): (Caller, Api),
        read: Read,
    ) -> (Response, &'static str) {
        let Read { mut body, mut plain, mut asked, memory } = read;
        if asked.endpoint == Endpoint::Responses
            && item::has_any(&plain)
            && item::open_all(&self.config.secrets, caller.tenant, &mut asked)
            && let Some(changed) = with_list(&plain, &asked)
        {
            (body, plain) = (changed.clone(), changed);
            parts.headers.remove(header::CONTENT_ENCODING);
        }
        let rule = rules::recognise(&asked, &parts.headers);
        let user_id = asked.user_id.as_deref().filter(|_| identity::names_user(route.provider));
        let identity = Identity::of((&route, &parts.headers), user_id, (caller.key, asked.list.first()));
        let not_kept = match (&identity, rule) {
            (_, Some(rule)) if rule.means == Meaning::Aside => Some("aside"),
            (None, _) => Some("no-session"),
            _ if asked.is_continued => Some("continued-at-the-provider"),
            _ => None,
        };
        let (Some(identity), None) = (identity, not_kept) else {
            return self.pass((&base, &route, &parts), Sent::Whole(body), not_kept).await;
        };
        let compaction = rule.filter(|rule| rule.means == Meaning::Compaction);
        let mut listed = asked.clone();
        if let Some(rule) = compaction {
            without_instruction(&mut listed.list, rule);
        }
        let seen = self.keeper.seen(caller.tenant, &identity.session);
        let marks = Marks::of(&self.marks, caller.tenant);
        let said = Said::of(identity, &listed, (route.mode, &marks), &seen);
        // A summary may have named the session of a list that names none.
        let seen = self.keeper.seen(caller.tenant, &said.identity.session);
        let kept = Kept { api, seen, said, memory };
        let (mut response, outcome) = match (compaction, route.mode) {
            (Some(rule), Mode::Compact) => {
                self.compact((&base, &route, &parts), (&caller, rule, &asked), (body, &kept)).await
            }
            (None, Mode::Assemble) => {
                self.assembled((&base, &route, parts), (&asked, [body, plain]), kept).await
            }
            _ => self.converse_on((&base, &route, &parts), body, kept).await,
        };
        if outcome == "answered" {
            response.headers_mut().insert("x-anchord-answered", HeaderValue::from_static("compaction"));
        }
        (response, outcome)
    }

    /// Passes a turn on, and keeps it with its answer.
    async fn converse_on(
        &self,
        (base, route, parts): (&Url, &Route, &Parts),
        body: Bytes,
        kept: Kept,
    ) -> (Response, &'static str) {
        let sent = self
            .upstream
            .send((base, route, parts.uri.query()), (parts.method.clone(), &parts.headers), Sent::Whole(body))
            .await;
        let Ok(answered) = sent else { return unreachable(route.provider) };
        let problem = kept.seen.problem();
        let session = kept.said.identity.session.clone();
        // What was refused was not said: the agent sends it again.
        let answered = if answered.status.is_success() { self.keep(answered, kept) } else { answered };
        let mut response = into_response(answered);
        if let Ok(name) = HeaderValue::from_str(session.as_str()) {
            response.headers_mut().insert(SESSION, name);
        }
        if let Some(problem) = problem.and_then(|problem| HeaderValue::from_str(&problem.to_string()).ok()) {
            response.headers_mut().insert(NOT_KEPT, problem);
        }
        (response, "passed")
    }

    /// Keeps what was said and what is answered, beside the answer.
    fn keep(&self, answered: Answered, kept: Kept) -> Answered {
        self.copy(answered, kept.said.endpoint, move |answer| async move {
            let Kept { api, seen, said, memory } = kept;
            seen.keep(&api, &said, &answer.messages).await;
            drop(memory);
        })
    }

    /// Reads a copy of an answer while it passes, and does something with it when it has ended.
    fn copy<F: Future<Output = ()> + Send>(
        &self,
        answered: Answered,
        endpoint: Endpoint,
        then: impl FnOnce(Answer) -> F + Send + 'static,
    ) -> Answered {
        let (copy, copies) = mpsc::unbounded::<Bytes>();
        let of = |name| {
            let value = answered.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let (content_type, encoding) = (of(header::CONTENT_TYPE), of(header::CONTENT_ENCODING));
        self.state.tracker.spawn(
            async move {
                let shape = Shape { endpoint, content_type: &content_type, encoding: &encoding };
                then(answer::read(shape, copies).await).await;
            }
            .in_current_span(),
        );
        let body = answered.body.inspect(move |chunk| {
            if let Ok(chunk) = chunk {
                // The reader may have given up.
                drop(copy.unbounded_send(chunk.clone()));
            }
        });
        Answered { body: body.boxed(), ..answered }
    }

    /// Answers a compaction, or appends to the answer of the provider.
    async fn compact(
        &self,
        (base, route, parts): (&Url, &Route, &Parts),
        (caller, rule, asked): (&Caller, &'static Rule, &Asked),
        (body, kept): (Bytes, &Kept),
    ) -> (Response, &'static str) {
        let (api, said) = (&kept.api, &kept.said);
        let session = said.identity.session.clone();
        let marks = Marks::of(&self.marks, caller.tenant);
        let may_answer = self.state.llm_models.is_some() || self.config.answers == Answers::Code;
        if may_answer {
            match compact::hold((api, &kept.seen), (said, rule), asked).await {
                Ok(held) => {
                    let text = compact::answer(&held, (&session, &marks), rule.form);
                    let sealed = match rule.form {
                        Form::Item => item::seal(&self.config.secrets, caller.tenant, &text),
                        Form::Text | Form::Tags => None,
                    };
                    let content = match (rule.form, &sealed) {
                        (Form::Item, Some(sealed)) => Some(Content::Item(sealed)),
                        (Form::Item, None) => None,
                        _ => Some(Content::Text(&text)),
                    };
                    if let Some(content) = content {
                        tracing::info!(%session, rule = rule.name, "gateway.compaction_answered");
                        let mut response = reply::answer(asked, content, body.len());
                        if let Ok(name) = HeaderValue::from_str(session.as_str()) {
                            response.headers_mut().insert(SESSION, name);
                        }
                        return (response, "answered");
                    }
                }
                Err(problem) => tracing::warn!(%session, %problem, "gateway.compaction_not_answered"),
            }
        }
        if rule.form == Form::Item {
            return self.pass_opaque((base, route, parts), (rule, asked), (body, kept)).await;
        }
        let mut headers = parts.headers.clone();
        // What is to be appended to must be readable.
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let (facts, pending) = tokio::sync::oneshot::channel();
        let (api, seen, said) = (api.clone(), Arc::clone(&kept.seen), said.clone());
        let asked_of = asked.clone();
        self.state.tracker.spawn(
            async move {
                let text = compact::facts((&api, &seen), (&said, rule), &asked_of, &marks).await;
                if let Err(problem) = &text {
                    tracing::warn!(%problem, "gateway.facts_not_appended");
                }
                drop(facts.send(text.ok()));
            }
            .in_current_span(),
        );
        let to = (base, route, parts.uri.query());
        let sent = self.upstream.send(to, (parts.method.clone(), &headers), Sent::Whole(body)).await;
        let Ok(mut answered) = sent else { return unreachable(route.provider) };
        let has = |name, value: &str| {
            answered
                .headers
                .get(name)
                .is_some_and(|found: &HeaderValue| found.as_bytes().starts_with(value.as_bytes()))
        };
        let is_plain = !answered.headers.contains_key(header::CONTENT_ENCODING)
            || has(header::CONTENT_ENCODING, "identity");
        if answered.status.is_success() && is_plain && has(header::CONTENT_TYPE, "text/event-stream") {
            let pending = Box::pin(async move { pending.await.ok().flatten() });
            answered.body = append::append(asked.endpoint, answered.body, pending);
            answered.headers.remove(header::CONTENT_LENGTH);
        }
        (into_response(answered), "passed")
    }

    /// Passes a request for an opaque item on, and remembers what the provider's own stands for.
    async fn pass_opaque(
        &self,
        (base, route, parts): (&Url, &Route, &Parts),
        (rule, asked): (&'static Rule, &Asked),
        (body, kept): (Bytes, &Kept),
    ) -> (Response, &'static str) {
        // Beside the provider's work, so that it is known before the agent goes on.
        let (api, of, said, list) =
            (kept.api.clone(), Arc::clone(&kept.seen), kept.said.clone(), asked.clone());
        let place = self
            .state
            .tracker
            .spawn(async move { compact::hold((&api, &of), (&said, rule), &list).await }.in_current_span());
        let to = (base, route, parts.uri.query());
        let sent = self.upstream.send(to, (parts.method.clone(), &parts.headers), Sent::Whole(body)).await;
        let Ok(answered) = sent else { return unreachable(route.provider) };
        if !answered.status.is_success() {
            return (into_response(answered), "passed");
        }
        let (seen, endpoint) = (Arc::clone(&kept.seen), asked.endpoint);
        let answered = self.copy(answered, endpoint, move |answer| async move {
            match place.await {
                Ok(Ok(held)) => seen.note_opaque(endpoint, &answer.messages, &held.position),
                Ok(Err(problem)) => tracing::warn!(%problem, "gateway.place_not_noted"),
                Err(_) => {}
            }
        });
        (into_response(answered), "passed")
    }

    /// Sends the context in the place of a list that has grown beyond the trigger.
    async fn assembled(
        &self,
        (base, route, mut parts): (&Url, &Route, Parts),
        (asked, [body, plain]): (&Asked, [Bytes; 2]),
        kept: Kept,
    ) -> (Response, &'static str) {
        match assemble((&kept.api, &kept.seen), (&kept.said, asked), &plain).await {
            Ok(Some(changed)) => {
                parts.headers.remove(header::CONTENT_ENCODING);
                let (response, _) = self.converse_on((base, route, &parts), changed, kept).await;
                (response, "assembled")
            }
            Ok(None) => self.converse_on((base, route, &parts), body, kept).await,
            Err(problem) => {
                tracing::warn!(session = %kept.said.identity.session, %problem, "gateway.not_assembled");
                self.converse_on((base, route, &parts), body, kept).await
            }
        }
    }

    /// Passes a request on that is not kept.
    async fn pass(
        &self,
        (base, route, parts): (&Url, &Route, &Parts),
        sent: Sent,
        reason: Option<&'static str>,
    ) -> (Response, &'static str) {
        if let Some(reason) = reason {
            metrics::counter!("anchord_gateway_not_kept_total", "reason" => reason).increment(1);
        }
        let query = parts.uri.query();
        let answered =
            self.upstream.send((base, route, query), (parts.method.clone(), &parts.headers), sent).await;
        let Ok(answered) = answered else { return unreachable(route.provider) };
        let mut response = into_response(answered);
        if let Some(reason) = reason {
            response.headers_mut().insert(NOT_KEPT, HeaderValue::from_static(reason));
        }
        (response, "passed")
    }

    /// Reads a body that has room, and passes any other.
    async fn read(&self, caller: &Caller, endpoint: Endpoint, headers: &HeaderMap, body: Body) -> Taken {
        let limit = self.state.limits.body_bytes;
        let of = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let announced = of(header::CONTENT_LENGTH).and_then(|length| length.parse::<usize>().ok());
        if announced.is_some_and(|length| length > limit) {
            return Taken::Passes(Sent::Passing(body), "too-large");
        }
        let encoding = of(header::CONTENT_ENCODING).unwrap_or_default().to_owned();
        // Nobody knows what is behind an encoding, or how long a body without a length is.
        let length = announced.filter(|_| encoding.is_empty()).unwrap_or(limit);
        let Some(memory) = self.room(caller.tenant, length).await else {
            return Taken::Passes(Sent::Passing(body), "busy");
        };
        let collecting = Limited::new(body, limit).collect();
        let Ok(Ok(collected)) = tokio::time::timeout(self.state.limits.body_timeout, collecting).await else {
            // The agent has left, or sends no more; what came of it is no request.
            return Taken::CutOff;
        };
        let body = collected.to_bytes();
        let Some(plain) = decode(&encoding, &body, limit).await else {
            return Taken::Passes(Sent::Whole(body), "encoded");
        };
        let reading = plain.clone();
        let asked = if plain.len() > LARGE_BYTES {
            in_turn(caller.tenant, move || Asked::read(endpoint, &reading)).await.ok().flatten()
        } else {
            Asked::read(endpoint, &reading)
        };
        match asked {
            Some(asked) => Taken::Read(Box::new(Read { body, plain, asked, memory })),
            None => Taken::Passes(Sent::Whole(body), "unreadable"),
        }
    }

    /// Memory for a body, waited for a moment.
    async fn room(&self, tenant: TenantId, length: usize) -> Option<Reserved> {
        for _ in 0..ROOM_TRIES {
            if let Some(memory) = self.bodies.reserve(tenant, length) {
                return Some(memory);
            }
            tokio::time::sleep(ROOM_PAUSE).await;
        }
        None
    }

    fn base(&self, provider: Provider) -> Option<&Url> {
        match provider {
            Provider::Anthropic => self.config.anthropic.as_ref(),
            Provider::Openai => self.config.openai.as_ref(),
        }
    }

    /// The caller, and the key that it is known by.
    async fn authenticate(
        &self,
        route: &Route,
        parts: &Parts,
    ) -> Result<(Caller, SecretString), (StatusCode, &'static str, String)> {
        let peer = parts.extensions.get::<Peer>().copied();
        let unauthorized = |detail: &str| (StatusCode::UNAUTHORIZED, "unauthorized", detail.to_owned());
        let given = match (parts.headers.get(KEY), &route.key) {
            (Some(header), _) => Some(header.to_str().map_err(|_| unauthorized("X-Anchord-Key is no text"))?),
            (None, key) => key.as_deref(),
        };
        if is_misplaced(route, parts) {
            let detail = "an anchord key stands where it would go to the provider; send it as `X-Anchord-Key` or as \
                          /gateway/key/KEY/… before the provider";
            return Err((StatusCode::BAD_REQUEST, "misplaced-key", detail.to_owned()));
        }
        let key = match (given, &self.config.keyless) {
            (Some(key), _) if !key.trim().is_empty() => SecretString::from(key.trim()),
            (None, Some(own)) if is_local(peer, parts) => own.clone(),
            _ => {
                return Err(unauthorized(
                    "send an anchord key, as `X-Anchord-Key: KEY` or as /gateway/key/KEY/… in the base URL",
                ));
            }
        };
        let digest = digest_key(key.expose_secret());
        let scope = anchord_http::Scope::default();
        let looking = auth::authenticate_for_gateway(&self.state, (key.expose_secret(), peer), &scope);
        let found = match self.known.get(&digest) {
            None => looking.await,
            // What only concerns keeping must not fail a request: a key that was good is good while nobody can look.
            Some(known) => match tokio::time::timeout(KEY_PATIENCE, looking).await {
                Ok(Err(refused)) if refused.status().is_server_error() => Ok(known),
                Ok(found) => found,
                Err(_) => Ok(known),
            },
        };
        match found {
            Ok(caller) => {
                tracing::Span::current().record("tenant.id", tracing::field::display(caller.tenant.0));
                self.known.insert(digest, caller.clone());
                Ok((caller, key))
            }
            Err(refused) => {
                self.known.invalidate(&digest);
                let status = refused.status();
                let kind = match status {
                    StatusCode::UNAUTHORIZED => "unauthorized",
                    StatusCode::FORBIDDEN => "forbidden",
                    StatusCode::TOO_MANY_REQUESTS => "rate-limited",
                    _ => "unavailable",
                };
                Err((status, kind, refused.to_string()))
            }
        }
    }
}

/// Whether a key of ours stands where it would go upstream.
fn is_misplaced(route: &Route, parts: &Parts) -> bool {
    let query = parts.uri.query().unwrap_or_default();
    let in_address = route.rest.split('/').chain(query.split(['&', '='])).any(is_generated);
    let in_headers = [header::AUTHORIZATION, HeaderName::from_static("x-api-key")].iter().any(|name| {
        let values = parts.headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split_whitespace()).any(is_generated)
    });
    in_address || in_headers
}

/// Whether a request comes from a program on this machine: over the loopback interface, to its name, through no proxy,
/// and from no page in a browser.
fn is_local(peer: Option<Peer>, parts: &Parts) -> bool {
    let headers = &parts.headers;
    let is_loopback = peer.is_some_and(|Peer(peer)| peer.ip().to_canonical().is_loopback());
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next().and_then(|value| value.to_str().ok()), hosts.next()) else {
        return false;
    };
    let name = host.rsplit_once(':').map_or(host, |(name, port)| {
        if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host }
    });
    let name = name.trim_start_matches('[').trim_end_matches(']');
    let is_named = name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    // Proxies speak HTTP/1.0 to what stands behind them, unless they are told otherwise.
    let is_direct = parts.version == Version::HTTP_11
        && parts.uri.authority().is_none()
        && !headers.keys().any(|name| {
            let name = name.as_str();
            OF_OTHERS.contains(&name) || OF_OTHERS_BEGIN.iter().any(|begin| name.starts_with(begin))
        });
    is_loopback && is_named && is_direct
}

/// A body as its sender wrote it before encoding it, of at most `limit` bytes.
async fn decode(encoding: &str, body: &Bytes, limit: usize) -> Option<Bytes> {
    if encoding.is_empty() || encoding.eq_ignore_ascii_case("identity") {
        return Some(body.clone());
    }
    let copy = body.clone();
    let reader = answer::decoded(encoding, futures::stream::iter([copy]))?;
    let mut plain = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    let read = reader.take(most.saturating_add(1)).read_to_end(&mut plain).await.ok()?;
    (read <= limit).then(|| plain.into())
}

fn unreachable(provider: Provider) -> (Response, &'static str) {
    let detail = "the provider cannot be reached";
    (reply::refuse(provider, StatusCode::BAD_GATEWAY, "upstream-unreachable", detail), "unreachable")
}

fn into_response(answered: Answered) -> Response {
    let body: BoxStream<'static, Result<Bytes, reqwest::Error>> = answered.body;
    let mut response = Response::new(Body::from_stream(body));
    *response.status_mut() = answered.status;
    *response.headers_mut() = answered.headers;
    response.headers_mut().remove(PROBLEM);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_program_on_this_machine_needs_no_key() {
        let local = |peer: &str, headers: &[(&'static str, &str)]| {
            let mut request = Request::get("/gateway/openai/v1/models");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let (parts, _) = request.body(Body::empty()).unwrap().into_parts();
            is_local(Some(Peer(peer.parse().unwrap())), &parts)
        };
        assert!(local("127.0.0.1:5", &[("host", "localhost:8080")]));
        assert!(local("[::1]:5", &[("host", "[::1]:8080")]));
        assert!(local("127.0.0.1:5", &[("host", "127.0.0.1")]));
        assert!(!local("10.0.0.1:5", &[("host", "localhost")]));
        assert!(
            !local("127.0.0.1:5", &[("host", "evil.example:8080")]),
            "a name that was bound to this address"
        );
        assert!(!local("127.0.0.1:5", &[("host", "localhost"), ("origin", "https://evil.example")]));
        assert!(!local("127.0.0.1:5", &[("host", "localhost"), ("x-forwarded-for", "10.0.0.1")]));
        assert!(!local("127.0.0.1:5", &[("host", "localhost"), ("sec-fetch-site", "cross-site")]));
        assert!(!local("127.0.0.1:5", &[("host", "localhost"), ("x-real-ip", "10.0.0.1")]));
        assert!(!local("127.0.0.1:5", &[("host", "localhost"), ("host", "evil.example")]));
        assert!(!local("127.0.0.1:5", &[]));
    }
}
