//! The rules that every operation keeps: problems, keys, scopes, ids of requests, limits of rate.

use std::num::NonZeroU32;
use std::time::Duration;

use anchord_http::admission::Admission;
use anchord_http::admission::quotas::QuotaWatch;
use anchord_http::admission::rate_limit::{RateLimit, TenantRates};
use anchord_http::api::ops;
use anchord_http::edge::origins::Origins;
use anchord_http::operator_token::OperatorToken;
use anchord_http::{AppState, Limits, Shared, router};
use anchord_http::{KnownBranches, ServedPrefixes};
use anchord_runtime::clock::Clock;
use anchord_store::Store;
use anchord_store::audit::Actor;
use anchord_store::gather::Gatherer;
use anchord_store::keys::{NewKey, digest_key};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Request};
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use crate::support::app::app;
use crate::support::{self, TestDatabase};

const KEY: &str = "test-key-with-the-scope-read-only";
const TOKEN: &str = "test-token-of-the-operator";

/// An API with a key that may only read, an operator token, and four requests in a burst.
struct Strict {
    state: AppState,
    _database: TestDatabase,
}

async fn strict() -> Strict {
    let database = support::database().await;
    let tracker = TaskTracker::new();
    let store = Store::connect(&database.url, 4, tracker.clone()).await.expect("a pool");
    let tenant = support::tenant(&store, "reader").await;
    let scopes = vec!["read".to_owned()];
    let key =
        NewKey { digest: digest_key(KEY), prefix: "test".to_owned(), scopes, expires_at: None, name: None };
    store.insert_key(tenant, &key, Actor::Cli).await.expect("an insert").expect("a new key");
    let state = AppState::new(Shared {
        appends: Gatherer::start(&store),
        store,
        clock: Clock::system(),
        tracker,
        limits: Limits { body_bytes: 1_000, ..Limits::default() },
        rate_limit: RateLimit::new(NonZeroU32::MIN, NonZeroU32::new(4).expect("four")),
        tenant_rates: TenantRates::default(),
        quotas: QuotaWatch::default(),
        known_branches: KnownBranches::default(),
        served_prefixes: ServedPrefixes::default(),
        operator: Some(OperatorToken::new(TOKEN)),
        admission: Admission::new(&Limits::default(), CancellationToken::new()),
        metrics: PrometheusBuilder::new().build_recorder().handle(),
        llm_models: None,
        embedder: None,
        webhook_reach: anchord_webhooks::target::Reach::Public,
        origins: Origins::default(),
    });
    Strict { state, _database: database }
}

async fn ask(router: &Router, method: &str, path: &str, token: &str) -> (u16, axum::http::HeaderMap, Value) {
    let request =
        Request::builder().method(method).uri(path).header("authorization", format!("Bearer {token}"));
    let request = request.body(Body::empty()).expect("a request");
    let reply = router.clone().oneshot(request).await.expect("a reply");
    let (head, body) = reply.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.expect("a body");
    (head.status.as_u16(), head.headers, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

#[tokio::test]
async fn every_refusal_is_a_problem_with_the_requests_id() {
    let app = app().await;
    let json = "{\"engine\":";
    let unknown = r#"{"engin": "auto"}"#;
    let table: [(&str, &str, &str, u16, &str); 12] = [
        ("GET", "/nowhere", "", 404, "route-not-found"),
        ("GET", "/v1/sessions/s/nowhere", "", 404, "route-not-found"),
        ("PATCH", "/v1/sessions/s/messages", "", 405, "method-not-allowed"),
        ("GET", "/v1/sessions/a%20b", "", 422, "invalid-parameter"),
        ("GET", "/v1/sessions/%FF/summary", "", 422, "invalid-parameter"),
        ("GET", "/v1/sessions/s/compressions?limt=1", "", 422, "invalid-parameter"),
        ("GET", "/v1/sessions/s/compressions?limit=0", "", 422, "invalid-parameter"),
        ("GET", "/v1/sessions/s/compressions?cursor=AAAA", "", 422, "invalid-parameter"),
        ("GET", "/v1/sessions/s/compressions/cmp_1", "", 422, "invalid-parameter"),
        ("GET", "/v1/sessions/s/summary", "", 404, "session-not-found"),
        ("POST", "/v1/sessions/s/compressions", json, 400, "malformed-json"),
        ("POST", "/v1/sessions/s/compressions", unknown, 422, "invalid-request"),
    ];
    for (method, path, body, status, kind) in table {
        let reply = app.call_with(method, path, body, &[("x-request-id", "mine-7")]).await;
        let told = reply.refusal();
        assert_eq!((told.0, told.1.as_str()), (status, kind), "{method} {path}: {}", reply.text);
        assert_eq!(reply.headers["content-type"], "application/problem+json", "{method} {path}");
        assert_eq!(reply.headers["x-request-id"], "mine-7");
        let problem = reply.json();
        assert_eq!(problem["instance"], "mine-7");
        assert_eq!(problem["status"], status);
        assert!(problem["title"].is_string() && problem["detail"].is_string());
    }
}

#[tokio::test]
async fn a_refused_parameter_or_field_is_named() {
    let app = app().await;
    for (method, path, body, pointer) in [
        ("GET", "/v1/sessions/s/compressions?limt=1", "", "/limt"),
        ("GET", "/v1/sessions/s/compressions?limit=x", "", "/limit"),
        ("GET", "/v1/sessions/a%00b/summary", "", "/session_id"),
        ("GET", "/v1/sessions/s/summaries/x", "", "/version"),
        ("GET", "/v1/sessions/s/ledger?kind=nothing", "", "/kind"),
        ("POST", "/v1/sessions/s/compressions", r#"{"engin": 1}"#, "/engin"),
        ("POST", "/v1/sessions/s/compressions", r#"{"target": "x"}"#, "/target"),
        ("POST", "/v1/sessions/s/compressions", r#"{"reason": "\ud800"}"#, "/reason"),
        ("POST", "/v1/sessions/s/probes", r#"{"kind": "recall", "question": "?"}"#, "/expected"),
    ] {
        assert_eq!(app.call(method, path, body).await.refusal().2, pointer, "{method} {path}");
    }
}

#[tokio::test]
async fn a_method_that_a_path_does_not_have_is_refused_with_those_that_it_has() {
    let reply = app().await.call("PATCH", "/v1/sessions/s/compressions", "").await;
    let allow = reply.headers["allow"].to_str().expect("text").to_owned();
    assert!(allow.contains("GET") && allow.contains("POST"), "{allow}");
}

#[tokio::test]
async fn a_body_must_be_json_of_at_most_its_limit() {
    let app = app().await;
    let path = "/v1/sessions/s/compressions";
    let reply = app.call_with("POST", path, "reason=x", &[]).await;
    assert_eq!(reply.refusal().1, "malformed-json");
    let strict = strict().await;
    let post = |body: String, kind: &'static str| {
        let request = Request::builder().method("POST").uri(path).header("content-type", kind);
        request.header("authorization", format!("Bearer {KEY}")).body(Body::from(body)).expect("a request")
    };
    // The key may only read, and it is told so before its body is looked at.
    let reply =
        router(strict.state.clone()).oneshot(post("x".repeat(5_000), "text/plain")).await.expect("a reply");
    assert_eq!(reply.status(), 403);
}

#[tokio::test]
async fn without_a_good_key_nothing_is_told() {
    let app = app().await;
    for header in ["", "Bearer", "Bearer wrong", "Basic dTpw", "Bearer  "] {
        let reply = app.call_with("GET", "/v1/sessions/s/summary", "", &[("authorization", header)]).await;
        assert_eq!(reply.refusal().1, "unauthorized", "{header}");
        assert_eq!(reply.headers["www-authenticate"], "Bearer realm=\"anchord\"");
    }
}

#[tokio::test]
async fn a_key_does_what_its_scopes_say_and_the_operator_token_the_rest() {
    let strict = strict().await;
    let api = router(strict.state.clone());
    assert_eq!(ask(&api, "GET", "/v1/sessions/s/summary", KEY).await.0, 404);
    let (status, _, problem) = ask(&api, "POST", "/v1/sessions/s/compressions", KEY).await;
    assert_eq!((status, problem["type"].as_str()), (403, Some("/problems/forbidden")));
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("`write`")));
    assert_eq!(ask(&api, "GET", "/metrics", KEY).await.0, 401);
    assert_eq!(ask(&api, "GET", "/metrics", TOKEN).await.0, 200);
    assert_eq!(ask(&ops::metrics_router(strict.state.clone()), "GET", "/metrics", "").await.0, 200);
}

#[tokio::test]
async fn pages_of_other_origins_may_call_when_the_operator_names_them_and_a_preflight_needs_no_key() {
    let strict = strict().await;
    let app = HeaderValue::from_static("https://app.example.com");
    let with = |origins| router(AppState::new(Shared { origins, ..Shared::clone(&strict.state) }));
    let ask = async |api: &Router, method: &str, origin: &str| {
        let request = Request::builder().method(method).uri("/v1/sessions").header("origin", origin);
        let request = request
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "x-api-key,idempotency-key,content-type");
        let reply =
            api.clone().oneshot(request.body(Body::empty()).expect("a request")).await.expect("a reply");
        (reply.status().as_u16(), reply.headers().clone())
    };
    let allowed = |headers: &HeaderMap| {
        headers.get("access-control-allow-origin").map(|value| value.to_str().expect("text").to_owned())
    };
    let named = with(Origins::These(vec![app.clone()]));
    // More often than the key may call: a preflight counts against no rate.
    for _ in 0..10 {
        let (status, headers) = ask(&named, "OPTIONS", "https://app.example.com").await;
        assert_eq!((status, allowed(&headers).as_deref()), (200, Some("https://app.example.com")));
        let list = |name: &str| headers[name].to_str().expect("text").to_ascii_lowercase();
        assert!(list("access-control-allow-methods").contains("patch"));
        for header in ["authorization", "x-api-key", "idempotency-key", "prefer", "content-type"] {
            assert!(list("access-control-allow-headers").contains(header), "{header}");
        }
        assert!(headers.get("access-control-allow-credentials").is_none());
    }
    // A refusal is readable by the page, too.
    let (status, headers) = ask(&named, "GET", "https://app.example.com").await;
    assert_eq!((status, allowed(&headers).as_deref()), (401, Some("https://app.example.com")));
    let exposed = headers["access-control-expose-headers"].to_str().expect("text").to_ascii_lowercase();
    for header in ["x-request-id", "retry-after", "ratelimit", "location", "idempotent-replayed", "etag"] {
        assert!(exposed.split(',').any(|name| name == header), "{header} in {exposed}");
    }
    assert_eq!(allowed(&ask(&named, "GET", "https://evil.example").await.1), None);
    let any = with(Origins::Any);
    let (_, headers) = ask(&any, "GET", "https://evil.example").await;
    assert_eq!(allowed(&headers).as_deref(), Some("*"));
    assert!(headers.get("access-control-allow-credentials").is_none());
    let none = with(Origins::None);
    let (status, headers) = ask(&none, "OPTIONS", "https://app.example.com").await;
    assert_eq!((status, allowed(&headers)), (405, None), "off unless it is set");
}

#[tokio::test]
async fn a_key_that_calls_too_fast_is_told_when_to_come_back() {
    let strict = strict().await;
    let api = router(strict.state.clone());
    for _ in 0..4 {
        assert_eq!(ask(&api, "GET", "/v1/sessions/s/summary", KEY).await.0, 404);
    }
    let (status, headers, problem) = ask(&api, "GET", "/v1/sessions/s/summary", KEY).await;
    assert_eq!((status, problem["type"].as_str()), (429, Some("/problems/rate-limited")));
    assert_eq!(headers["retry-after"], "1");
    assert_eq!(headers["ratelimit-policy"], "\"key\";q=4;w=4");
    assert_eq!(headers["ratelimit"], "\"key\";r=0;t=1");
}

#[tokio::test]
async fn an_insane_request_id_is_replaced() {
    let app = app().await;
    for odd in ["", "a b", "<script>", &"x".repeat(200)] {
        let reply = app.call_with("GET", "/healthz", "", &[("x-request-id", odd)]).await;
        let id = reply.headers["x-request-id"].to_str().expect("text").to_owned();
        assert!(id != odd && id.len() == 36, "{id}");
    }
}

#[tokio::test]
async fn a_handler_that_panics_or_takes_too_long_is_a_problem() {
    use anchord_http::Limits;
    let strict = strict().await;
    let limits = Limits { request_timeout: Duration::from_millis(20), ..Limits::default() };
    let state = AppState::new(Shared { limits, ..Shared::clone(&strict.state) });
    let routes = Router::new()
        .route("/panics", axum::routing::get(async || -> &'static str { panic!("a secret cause") }))
        .route("/hangs", axum::routing::get(async || std::future::pending::<()>().await));
    let api = anchord_http::with_boundary(routes, &state).with_state(state);
    let (status, _, problem) = ask(&api, "GET", "/panics", "").await;
    assert_eq!((status, problem["type"].as_str()), (500, Some("/problems/internal")));
    assert!(!problem.to_string().contains("secret"), "{problem}");
    let (status, _, problem) = ask(&api, "GET", "/hangs", "").await;
    assert_eq!((status, problem["type"].as_str()), (504, Some("/problems/timeout")));
}

#[tokio::test]
async fn the_service_tells_how_it_is() {
    let app = app().await;
    for path in ["/healthz", "/readyz"] {
        let reply = app.call_with("GET", path, "", &[("authorization", "")]).await;
        assert_eq!((reply.status.as_u16(), reply.json()), (200, json!({"status": "ok"})), "{path}");
    }
    app.store.close().await;
    // An answer is used for a second.
    let reply = support::until("the end of readiness", async || {
        Some(app.call("GET", "/readyz", "").await).filter(|reply| reply.status != 200)
    })
    .await;
    assert_eq!((reply.status.as_u16(), reply.json()), (503, json!({"status": "unavailable"})));
    let reply = app.call("GET", "/v1/sessions/s/summary", "").await;
    assert_eq!(reply.refusal().1, "unavailable");
    assert_eq!(reply.headers["retry-after"], "1");
}
