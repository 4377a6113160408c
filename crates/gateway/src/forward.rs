//! One request of an agent, from its first byte to the last of its answer.
//!
//! Invariant: whatever cannot be read, recognised or kept passes to the provider as it came, unless the operator wants it
//! refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use futures::channel::mpsc;
use http_body_util::BodyExt as _;
use tracing::Instrument as _;
use url::Url;

use crate::Config;
use crate::answer::{self, Answer, Shape};
use crate::api::Api;
use crate::assemble::{assemble, with_list};
use crate::body::{Read, Taken};
use crate::caller::{Lent, check_nothing_leaks};
use crate::held::without_instruction;
use crate::identity::{self, Identity, SESSION};
use crate::item;
use crate::keep::{Keeper, Said, Seen};
use crate::mark::Marks;
use crate::openings::Openings;
use crate::reply::{self, PROBLEM};
use crate::request::{Asked, Endpoint};
use crate::route::{Mode, Provider, Route};
use crate::rules::{self, History, Meaning};
use crate::upstream::{Answered, Head, NoAnswer, Sent, Upstream};
use anchord_http::AppState;
use anchord_http::admission::bodies::{Bodies, Reserved};
use anchord_http::extract::auth::Caller;
use anchord_messages::id::{SessionName, TenantId};
use anchord_runtime::cache::Cache;
use anchord_store::keys::KeyDigest;
use anchord_store::secrets::SecretKeys;

/// Headers that keep browsers from running or showing an answer.
const NO_PAGE: [(HeaderName, &str); 2] = [
    (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'; frame-ancestors 'none'"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
];

/// The header that says why a request is not kept.
const NOT_KEPT: HeaderName = HeaderName::from_static("x-anchord-not-kept");

/// The gateway of a process.
pub(crate) struct Gateway {
    pub(crate) api: Router,
    pub(crate) state: AppState,
    pub(crate) config: Config,
    pub(crate) upstream: Upstream,
    pub(crate) keeper: Keeper,
    pub(crate) openings: Openings,
    /// The keys of marks.
    pub(crate) marks: SecretKeys,
    pub(crate) bodies: Bodies,
    pub(crate) known: Cache<KeyDigest, (Caller, AppState)>,
    pub(crate) lent: Lent,
}

/// A response, and the outcome that is counted.
pub(crate) type Told = (Response, &'static str);

/// A conversation to be kept.
pub(crate) struct Kept {
    pub(crate) tenant: TenantId,
    pub(crate) api: Api,
    pub(crate) seen: Arc<Seen>,
    pub(crate) said: Said,
    memory: Reserved,
}

impl Kept {
    pub(crate) fn session(&self) -> &SessionName {
        &self.said.identity.session
    }
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
        let (response, outcome) = self.answer(route, request).instrument(span).await;
        metrics::counter!("anchord_gateway_requests_total", "provider" => provider.to_owned(), "outcome" => outcome)
            .increment(1);
        response
    }

    async fn answer(self: Arc<Self>, route: Route, request: Request) -> Told {
        let (parts, body) = request.into_parts();
        let provider = route.provider;
        let Some(base) = self.base(provider).cloned() else {
            let detail = "this installation has no upstream for the provider; its operator sets \
                          ANCHORD_GATEWAY_ANTHROPIC or ANCHORD_GATEWAY_OPENAI";
            return refused(provider, StatusCode::NOT_FOUND, "not-found", detail);
        };
        if is_page(&parts.headers) {
            let detail = "the gateway is for programs; a browser may not open it as a page, and a program's Accept does not name \
                          text/html";
            return refused(provider, StatusCode::FORBIDDEN, "no-page", detail);
        }
        let ((caller, cell), key) = match self.authenticate(&route, &parts).await {
            Ok(found) => found,
            Err((status, kind, detail)) => return refused(provider, status, kind, &detail),
        };
        // Codex tries a socket first, and goes on without when it is told to.
        if parts.headers.contains_key(header::UPGRADE) || parts.method == Method::CONNECT {
            let detail = "sockets and tunnels are not passed on; use HTTP";
            return refused(provider, StatusCode::UPGRADE_REQUIRED, "no-upgrade", detail);
        }
        let endpoint = Endpoint::of(provider, &route.rest).filter(|_| parts.method == "POST");
        let mut head = Head { base, route, parts };
        let lending = self.lend_key((caller.tenant, &cell), &mut head).await;
        if let Err((status, kind, detail)) = lending.and_then(|()| check_nothing_leaks(&head, &key)) {
            return refused(provider, status, kind, &detail);
        }
        let api = Api::new(self.api.clone(), key);
        let Some(endpoint) = endpoint else {
            return self.pass(&head, Sent::Passing(body), None).await;
        };
        match self.read(caller.tenant, endpoint, (&head.parts.headers, body)).await {
            Taken::Read(read) => self.converse(head, (caller, api), *read).await,
            Taken::Passes(sent, reason) => self.pass_unread(&head, endpoint, (sent, reason)).await,
            Taken::CutOff => {
                let detail = "the body did not come whole in time";
                refused(provider, StatusCode::REQUEST_TIMEOUT, "slow-body", detail)
            }
        }
    }

    /// A request with a conversation.
    async fn converse(self: Arc<Self>, mut head: Head, (caller, api): (Caller, Api), read: Read) -> Told {
        let Read { mut body, mut plain, mut asked, memory } = read;
        if asked.endpoint == Endpoint::Responses && item::has_any(&plain) {
            match item::open_all(&self.config.secrets, caller.tenant, &mut asked) {
                Ok(false) => {}
                Ok(true) if let Some(changed) = with_list(&plain, &asked) => {
                    (body, plain) = (changed.clone(), changed);
                    head.parts.headers.remove(header::CONTENT_ENCODING);
                }
                Ok(true) | Err(item::Closed) => {
                    let why = "this key's tenant has not got it here, or ANCHORD_SECRETS_KEY has lost the key that sealed it";
                    return sealed_refused(head.route.provider, StatusCode::BAD_REQUEST, why);
                }
            }
        }
        let rule = rules::recognise(&asked, (&head.route.rest, &head.parts.headers));
        let user_id = asked.user_id.as_deref().filter(|_| identity::names_user(head.route.provider));
        let of_path = (&head.route, &head.parts.headers);
        let first = rules::without_frames(&asked.list).next();
        let mut identity = Identity::of(of_path, user_id, (caller.key, first));
        let marks = Marks::of(&self.marks, caller.tenant);
        let of_key = (caller.tenant, caller.key);
        let is_chain = identity.as_ref().is_some_and(|identity| identity.is_chain);
        // A conversation that is pasted is not the one that its instruction begins.
        let is_pasted = is_chain && rule.is_some_and(|rule| rule.history == History::Pasted);
        if is_pasted {
            let text = asked.last_text();
            let found = self.openings.find(of_key, &text).or_else(|| Some(marks.read(&text)?.0));
            identity = found.map(|session| Identity { session, parent: None, is_chain: false });
        }
        let not_kept = match (&identity, rule) {
            (_, Some(rule)) if rule.means == Meaning::Aside => Some("aside"),
            (None, _) if is_pasted => Some("aside"),
            (None, _) => Some("no-session"),
            _ if asked.is_continued => Some("continued-at-the-provider"),
            _ => None,
        };
        let (Some(identity), None) = (identity, not_kept) else {
            return self.pass(&head, Sent::Whole(body), not_kept).await;
        };
        let compaction = rule.filter(|rule| rule.means == Meaning::Compaction);
        let mode = head.route.mode;
        let said = match compaction {
            Some(rule) => Said::of(identity, &without_instruction(&asked, rule), (mode, &marks)),
            None => Said::of(identity, &asked, (mode, &marks)),
        };
        if let Some(first) = rules::without_frames(&asked.list).next().filter(|_| is_chain && !is_pasted) {
            self.openings.note(of_key, first, &said.identity.session);
        }
        let seen = self.keeper.seen(caller.tenant, &said.identity.session);
        let kept = Kept { tenant: caller.tenant, api, seen, said, memory };
        if self.config.refuses_unkept
            && let Err(problem) = kept.seen.keep(&kept.api, &kept.said, &[]).await
        {
            return not_kept_refused(head.route.provider, &problem.to_string());
        }
        match (compaction, mode) {
            (Some(rule), Mode::Compact) => self.compact(head, (rule, &asked), (body, kept)).await,
            (None, Mode::Assemble) => self.assembled(head, (&asked, [body, plain]), kept).await,
            _ => self.converse_on(&head, body, kept).await,
        }
    }

    /// Passes a turn on, and keeps it with its answer.
    async fn converse_on(&self, head: &Head, body: Bytes, kept: Kept) -> Told {
        let answered = match self.upstream.send(head, Sent::Whole(body)).await {
            Ok(answered) => answered,
            Err(why) => return unreachable(head.route.provider, why),
        };
        let problem = kept.seen.problem();
        let session = kept.session().clone();
        // What was refused was not said: the agent sends it again.
        let answered = if answered.status.is_success() { self.keep(answered, kept) } else { answered };
        let mut response = into_response(answered);
        name_session(&mut response, &session);
        if let Some(problem) = problem.and_then(|problem| HeaderValue::from_str(&problem.to_string()).ok()) {
            response.headers_mut().insert(NOT_KEPT, problem);
        }
        (response, "passed")
    }

    /// Keeps what was said and what is answered, beside the answer.
    fn keep(&self, answered: Answered, kept: Kept) -> Answered {
        let (tenant, endpoint) = (kept.tenant, kept.said.endpoint);
        self.copy(answered, (tenant, endpoint), move |answer| async move {
            let Kept { api, seen, said, memory, .. } = kept;
            drop(seen.keep(&api, &said, &answer.messages).await);
            drop(memory);
        })
    }

    /// Reads a copy of an answer while it passes, and does something with it when it has ended.
    fn copy<F: Future<Output = ()> + Send>(
        &self,
        answered: Answered,
        (tenant, endpoint): (TenantId, Endpoint),
        then: impl FnOnce(Answer) -> F + Send + 'static,
    ) -> Answered {
        let (copy, copies) = mpsc::unbounded::<Bytes>();
        let of = |name| {
            let value = answered.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let (content_type, encoding) = (of(header::CONTENT_TYPE), of(header::CONTENT_ENCODING));
        let bodies = self.bodies.clone();
        self.state.tracker.spawn(
            async move {
                let shape = Shape { endpoint, content_type: &content_type, encoding: &encoding };
                then(answer::read(shape, (tenant, bodies), copies).await).await;
            }
            .in_current_span(),
        );
        let body = answered.body.map_frame(move |frame| {
            if let Some(chunk) = frame.data_ref() {
                // The reader may have given up.
                drop(copy.unbounded_send(chunk.clone()));
            }
            frame
        });
        Answered { body: Body::new(body), ..answered }
    }

    /// Sends the context in the place of a list that has grown beyond the trigger.
    async fn assembled(
        &self,
        mut head: Head,
        (asked, [body, plain]): (&Asked, [Bytes; 2]),
        kept: Kept,
    ) -> Told {
        match assemble((&kept.api, &kept.seen), (&kept.said, asked), &plain).await {
            Ok(Some(changed)) => {
                head.parts.headers.remove(header::CONTENT_ENCODING);
                let (response, _) = self.converse_on(&head, changed, kept).await;
                (response, "assembled")
            }
            Ok(None) => self.converse_on(&head, body, kept).await,
            Err(problem) => {
                tracing::warn!(session = %kept.session(), %problem, "gateway.not_assembled");
                self.converse_on(&head, body, kept).await
            }
        }
    }

    /// Passes a request on that is not kept.
    async fn pass(&self, head: &Head, sent: Sent, reason: Option<&'static str>) -> Told {
        let provider = head.route.provider;
        if let Some(reason) = reason {
            metrics::counter!("anchord_gateway_not_kept_total", "reason" => reason).increment(1);
            if self.config.refuses_unkept && reason != "aside" {
                return not_kept_refused(provider, reason);
            }
        }
        let answered = match self.upstream.send(head, sent).await {
            Ok(answered) => answered,
            Err(why) => return unreachable(provider, why),
        };
        let mut response = into_response(answered);
        if let Some(reason) = reason {
            response.headers_mut().insert(NOT_KEPT, HeaderValue::from_static(reason));
        }
        (response, "passed")
    }

    /// Passes a request on that was not read, unless it may have an item of ours: the provider knows none.
    async fn pass_unread(
        &self,
        head: &Head,
        endpoint: Endpoint,
        (sent, reason): (Sent, &'static str),
    ) -> Told {
        if endpoint != Endpoint::Responses {
            return self.pass(head, sent, Some(reason)).await;
        }
        let provider = head.route.provider;
        let refused = || match reason {
            "busy" => sealed_refused(provider, StatusCode::SERVICE_UNAVAILABLE, "no room for it; try again"),
            "too-large" => {
                sealed_refused(provider, StatusCode::PAYLOAD_TOO_LARGE, "the request is too large")
            }
            _ => sealed_refused(provider, StatusCode::BAD_REQUEST, "the request cannot be read"),
        };
        let found = Arc::new(AtomicBool::new(false));
        let sent = match sent {
            _ if head.parts.headers.contains_key(header::CONTENT_ENCODING) => return refused(),
            Sent::Whole(body) if item::begins_in(&body) => return refused(),
            Sent::Whole(body) => Sent::Whole(body),
            Sent::Passing(body) => Sent::Passing(item::without_any(body, Arc::clone(&found))),
        };
        let told = self.pass(head, sent, Some(reason)).await;
        if found.load(Ordering::Relaxed) { refused() } else { told }
    }

    fn base(&self, provider: Provider) -> Option<&Url> {
        match provider {
            Provider::Anthropic => self.config.anthropic.as_ref(),
            Provider::Openai => self.config.openai.as_ref(),
        }
    }
}

fn refused(provider: Provider, status: StatusCode, kind: &'static str, detail: &str) -> Told {
    (reply::refuse(provider, status, kind, detail), "refused")
}

/// The refusal of what cannot be kept, where the operator wants it.
fn not_kept_refused(provider: Provider, reason: &str) -> Told {
    let detail = format!("this installation passes on only what it can keep: {reason}");
    let (mut response, outcome) = refused(provider, StatusCode::SERVICE_UNAVAILABLE, "not-kept", &detail);
    if let Ok(reason) = HeaderValue::from_str(reason) {
        response.headers_mut().insert(NOT_KEPT, reason);
    }
    (response, outcome)
}

/// The refusal of an opaque item of ours that cannot be opened.
fn sealed_refused(provider: Provider, status: StatusCode, why: &str) -> Told {
    let detail = format!("the request may hold an opaque item of anchord, which cannot be opened: {why}");
    refused(provider, status, "sealed-item", &detail)
}

pub(crate) fn unreachable(provider: Provider, NoAnswer(why): NoAnswer) -> Told {
    (reply::refuse(provider, StatusCode::BAD_GATEWAY, "upstream-unreachable", why), "unreachable")
}

/// Names the session of a request in its response.
pub(crate) fn name_session(response: &mut Response, session: &SessionName) {
    if let Ok(name) = HeaderValue::from_str(session.as_str()) {
        response.headers_mut().insert(SESSION, name);
    }
}

pub(crate) fn into_response(answered: Answered) -> Response {
    let mut response = Response::new(answered.body);
    *response.status_mut() = answered.status;
    *response.headers_mut() = answered.headers;
    response.headers_mut().remove(PROBLEM);
    // A provider's answer is no page: opened by a browser it would be one of our address, beside the console.
    for (name, value) in NO_PAGE {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether a browser opens the path as a page, a script or a worker, and not a program as a call.
fn is_page(headers: &HeaderMap) -> bool {
    let is = |name: &str, wanted: &[&str]| {
        headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|value| wanted.contains(&value))
    };
    // A browser that takes the address for insecure, or is old, says no more than that it wants a page.
    let wants_page =
        headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).any(|value| {
            let kinds = value.split(',').filter_map(|kind| kind.split(';').next());
            kinds.map(str::trim).any(|kind| kind.eq_ignore_ascii_case("text/html"))
        });
    wants_page
        || headers.contains_key("service-worker")
        || is("sec-fetch-mode", &["navigate", "no-cors", "websocket"])
        || headers.get("sec-fetch-dest").is_some_and(|dest| dest != "empty")
}
