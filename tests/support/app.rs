//! The whole API in process, on a database of its own, with two tenants and their keys.

use std::num::NonZeroU32;

use anchord_http::admission::Admission;
use anchord_http::admission::quotas::QuotaWatch;
use anchord_http::admission::rate_limit::{RateLimit, TenantRates};
use anchord_http::edge::origins::Origins;
use anchord_http::operator_token::OperatorToken;
use anchord_http::{AppState, Limits, Shared};
use anchord_http::{KnownBranches, ServedPrefixes};
use anchord_llm::Embedder;
use anchord_messages::id::TenantId;
use anchord_runtime::clock::Clock;
use anchord_store::Store;
use anchord_store::audit::Actor;
use anchord_store::cells::HOME;
use anchord_store::gather::Gatherer;
use anchord_store::keys::{NewKey, digest_key};
use anchord_webhooks::target::Reach;
use anchord_worker::embedder::VectorMaker;
use anchord_worker::webhook_client::WebhookClient;
use anchord_worker::webhook_dispatcher::WebhookDispatcher;
use anchord_worker::{Env, Pool};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use super::TestDatabase;

/// A compression of all but the messages that stay, however little there is: without a target, a session that is within
/// its fill is left as it is.
pub const COMPRESS: &str = r#"{"target": 0.5}"#;

/// A compression as asked, of all but the messages that stay.
pub fn compress_all(request: &str) -> String {
    let mut request: serde_json::Value = if request.is_empty() {
        serde_json::json!({})
    } else {
        serde_json::from_str(request).expect("a request")
    };
    if let Some(fields) = request.as_object_mut() {
        fields.entry("target").or_insert_with(|| 0.5.into());
    }
    request.to_string()
}

/// The key of the first tenant, with every scope.
pub const OURS: &str = "test-key-of-the-first-tenant-0000";
/// The key of the second tenant, with every scope.
pub const THEIRS: &str = "test-key-of-the-second-tenant-000";

/// The operator token.
pub const OPERATOR: &str = "test-token-of-the-operator-000000";

/// A running API and what is behind it.
#[derive(Debug)]
pub struct App {
    /// The store of the cell of the first tenant.
    pub store: Store,
    /// The stores of all cells by their names, the home cell's first.
    pub stores: Vec<(String, Store)>,
    /// The tenant of [`OURS`].
    pub tenant: TenantId,
    /// Its database.
    pub database: TestDatabase,
    /// Ends event streams.
    pub stop: CancellationToken,
    router: Router,
    llm: Option<anchord_llm::Client>,
    embedder: Option<Embedder>,
    webhook_reach: Reach,
    clock: Clock,
}

/// A reply, read whole.
#[derive(Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body, as text.
    pub text: String,
    /// Method and path of the request, which failures tell.
    asked: String,
}

impl Answer {
    /// Its body as JSON; null when it has none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    /// The same, which has this status.
    #[track_caller]
    pub fn with(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}: {}", self.asked, self.text);
        self
    }

    /// The same, which is no refusal.
    #[track_caller]
    pub fn good(self) -> Self {
        assert!(self.status.is_success(), "{}: {} {}", self.asked, self.status, self.text);
        self
    }

    /// That it is a refusal with this status, of this kind.
    #[track_caller]
    pub fn refused_as(&self, status: u16, kind: &str) {
        let refusal = self.refusal();
        assert_eq!((refusal.0, refusal.1.as_str()), (status, kind), "{}: {}", self.asked, self.text);
    }

    /// That it is a refusal with this status, which points here.
    #[track_caller]
    pub fn refused_at(&self, status: u16, pointer: &str) {
        let refusal = self.refusal();
        assert_eq!((refusal.0, refusal.2.as_str()), (status, pointer), "{}: {}", self.asked, self.text);
    }

    /// Its status with the last word of a problem's type and the first pointer.
    pub fn refusal(&self) -> (u16, String, String) {
        let body = self.json();
        let kind = body["type"].as_str().unwrap_or_default().trim_start_matches("/problems/").to_owned();
        let pointer = body["errors"][0]["pointer"].as_str().unwrap_or_default().to_owned();
        (self.status.as_u16(), kind, pointer)
    }
}

/// Starts an API with so many cells: the first tenant is in `cell1`, the second in the last one.
pub async fn app_with_cells(cells: usize) -> App {
    start_on(super::database_with(cells).await, None, Reach::Public).await
}

/// The same, whose workers have a model.
pub async fn app_with_model_and_cells(llm: anchord_llm::Client, cells: usize) -> App {
    start_on(super::database_with(cells).await, Some(llm), Reach::Public).await
}

/// Starts an API.
pub async fn app() -> App {
    start(None, Reach::Public).await
}

/// Starts an API with a session named `s`, which has these settings.
pub async fn session(settings: Value) -> App {
    let app = app().await;
    app.call("PUT", "/v1/sessions/s", settings.to_string()).await.with(201);
    app
}

/// Starts an API whose webhooks may be anywhere.
pub async fn app_with_webhooks() -> App {
    start(None, Reach::Any).await
}

/// Starts an API whose workers have a model.
pub async fn app_with_model(llm: anchord_llm::Client) -> App {
    start(Some(llm), Reach::Public).await
}

/// Starts an API with an embeddings server.
pub async fn app_with_embedder(embedder: Embedder) -> App {
    let mut app = start(None, Reach::Public).await;
    app.set_embedder(Some(embedder));
    app
}

/// Starts an API on a database that was made ready for it; its webhooks may be anywhere.
pub async fn app_on(database: TestDatabase) -> App {
    start_on(database, None, Reach::Any).await
}

async fn start(llm: Option<anchord_llm::Client>, webhook_reach: Reach) -> App {
    start_on(super::database().await, llm, webhook_reach).await
}

async fn start_on(mut database: TestDatabase, llm: Option<anchord_llm::Client>, webhook_reach: Reach) -> App {
    // Some tests have three workers on it, and each keeps a connection to listen: what readers and queue keep besides
    // must not be all that there is.
    let home = Store::connect(&database.home, 12, TaskTracker::new()).await.expect("a pool");
    let listed = home.list_cells().await.expect("a list");
    let mut stores = vec![(HOME.to_owned(), home)];
    for cell in &listed {
        let target = cell.target((&database.home).into()).expect("an address");
        let store = Store::connect(target, 12, stores[0].1.tracker().clone()).await.expect("a pool");
        stores.push((cell.name.clone(), store));
    }
    let store = stores.get(1).unwrap_or(&stores[0]).1.clone();
    if let Some(cell) = listed.first() {
        database.url = super::in_schema(&database.home, &cell.schema);
    }
    let stop = CancellationToken::new();
    let ours = tenant(&store, "ours", OURS).await;
    tenant(&stores[stores.len() - 1].1, "theirs", THEIRS).await;
    let clock = Clock::system();
    let router = anchord_http::router(state(&stores, &stop, clock, (llm.as_ref(), None, webhook_reach)));
    App { store, stores, tenant: ours, router, database, llm, embedder: None, stop, webhook_reach, clock }
}

fn state(
    stores: &[(String, Store)],
    stop: &CancellationToken,
    clock: Clock,
    (llm, embedder, webhook_reach): (Option<&anchord_llm::Client>, Option<&Embedder>, Reach),
) -> AppState {
    let store = &stores[0].1;
    let state = AppState::new(Shared {
        appends: Gatherer::start(store),
        store: store.clone(),
        clock,
        tracker: store.tracker().clone(),
        limits: Limits::default(),
        rate_limit: RateLimit::new(NonZeroU32::MAX, NonZeroU32::MAX),
        tenant_rates: TenantRates::default(),
        quotas: QuotaWatch::default(),
        known_branches: KnownBranches::default(),
        served_prefixes: ServedPrefixes::default(),
        operator: Some(OperatorToken::new(OPERATOR)),
        admission: Admission::new(&Limits::default(), stop.clone()),
        metrics: PrometheusBuilder::new().build_recorder().handle(),
        llm_models: llm.map(|llm| llm.options().models.clone()),
        embedder: embedder.cloned(),
        webhook_reach,
        origins: Origins::default(),
    });
    for (name, store) in stores.iter().skip(1) {
        state.know_cell(name, true, Some((store.clone(), Gatherer::start(store))));
    }
    state
}

/// The tenant with its key; a database that was made ready may have both.
async fn tenant(store: &Store, name: &str, key: &str) -> TenantId {
    if let Some(tenant) = store.find_tenant_id(name).await.expect("a look") {
        return tenant;
    }
    let tenant = super::tenant(store, name).await;
    let scopes = ["read", "write", "admin"].map(str::to_owned).to_vec();
    let key =
        NewKey { digest: digest_key(key), prefix: name.to_owned(), scopes, expires_at: None, name: None };
    store.insert_key(tenant, &key, Actor::Cli).await.expect("an insert").expect("a new key");
    tenant
}

impl App {
    /// Sends a request as the first tenant.
    pub async fn call(&self, method: &str, path: &str, body: impl Into<Body>) -> Answer {
        self.call_with(method, path, body, &[]).await
    }

    /// Sends a request with a key or a token.
    pub async fn call_as(&self, token: &str, method: &str, path: &str, body: impl Into<Body>) -> Answer {
        self.call_with(method, path, body, &[("authorization", &format!("Bearer {token}"))]).await
    }

    /// Sets the clock of the API, and of the jobs that run here.
    pub fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
        self.renew();
    }

    /// Goes on with another embeddings server, or without one.
    pub fn set_embedder(&mut self, embedder: Option<Embedder>) {
        self.embedder = embedder;
        self.renew();
    }

    /// The stores, with the first tenant's as it is now.
    fn all_stores(&self) -> Vec<(String, Store)> {
        let mut stores = self.stores.clone();
        let own = stores.len().min(2) - 1;
        stores[own].1 = self.store.clone();
        stores
    }

    fn renew(&mut self) {
        let parts = (self.llm.as_ref(), self.embedder.as_ref(), self.webhook_reach);
        self.router = anchord_http::router(state(&self.all_stores(), &self.stop, self.clock, parts));
    }

    /// Puts a gateway before the API.
    pub fn put_gateway(&mut self, config: anchord_gateway::Config) {
        let parts = (self.llm.as_ref(), self.embedder.as_ref(), self.webhook_reach);
        let state = state(&self.all_stores(), &self.stop, self.clock, parts);
        let api = anchord_http::router(state.clone());
        let gateway = anchord_gateway::router(api.clone(), state, config).expect("a client");
        self.router = gateway.fallback_service(api);
    }

    /// Puts the MCP server before the API.
    pub fn put_mcp(&mut self) {
        let parts = (self.llm.as_ref(), self.embedder.as_ref(), self.webhook_reach);
        let state = state(&self.all_stores(), &self.stop, self.clock, parts);
        let api = anchord_http::router(state.clone());
        self.router = anchord_mcp::before(api.clone(), api, state);
    }

    /// Puts the console before the API.
    pub fn put_console(&mut self) {
        let parts = (self.llm.as_ref(), self.embedder.as_ref(), self.webhook_reach);
        let state = state(&self.all_stores(), &self.stop, self.clock, parts);
        let api = anchord_http::router(state.clone());
        self.router = anchord_console::before(api.clone(), api, state);
    }

    /// Makes the vectors of all messages that are due, as a worker would; gives how many batches that took.
    pub async fn make_vectors(&self) -> usize {
        self.store.queue_marked().await.expect("a database that answers");
        let embedder = self.embedder.clone().expect("an embeddings server");
        VectorMaker::new(self.store.clone(), embedder).drain().await.expect("a database that answers")
    }

    /// Asks for a compression of a session, does it, and gives what came of it, which is a version; `query` names a branch.
    pub async fn compress(&self, session: &str, query: &str) -> Value {
        let asked = self.call("POST", &format!("/v1/sessions/{session}/compressions{query}"), COMPRESS).await;
        assert_eq!(asked.status, 202, "{}", asked.text);
        self.work().await;
        let made = self.call("GET", asked.headers["location"].to_str().expect("a text"), "").await;
        assert_eq!(made.json()["status"], "succeeded", "{}", made.text);
        made.json()
    }

    /// Runs every job that is due, as a worker would.
    pub async fn work(&self) {
        for (_, store) in self.all_stores() {
            let env = Env { store, clock: self.clock, llm: self.llm.clone() };
            Pool::new(env, 1).drain().await.expect("a database that answers");
        }
    }

    /// Delivers what is due to webhooks, as a worker would; gives how many attempts that took.
    pub async fn deliver(&self) -> usize {
        let client = WebhookClient::new(self.webhook_reach).expect("a client");
        let dispatcher = WebhookDispatcher::new(self.store.clone(), Clock::system(), client);
        dispatcher.drain().await.expect("a database that answers")
    }

    /// Records refused keys, as a process does once a minute.
    pub async fn record_refusals(&self) {
        let others: Vec<Store> = self.stores.iter().skip(1).map(|(_, store)| store.clone()).collect();
        self.stores[0].1.record_refused_keys(&others).await.expect("a database that answers");
    }

    /// Serves the API on an address of its own until [`Self::stop`] is cancelled.
    pub async fn listen(&self) -> std::net::SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (router, stop) = (self.router.clone(), self.stop.clone());
        self.store.tracker().spawn(async move {
            axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned()).await
        });
        address
    }

    /// Sends a GET as the first tenant and gives the reply before its body has ended.
    pub async fn open(&self, path: &str, headers: &[(&str, &str)]) -> axum::response::Response {
        self.open_as(OURS, path, headers).await
    }

    /// Sends a GET with a key and gives the reply before its body has ended.
    pub async fn open_as(&self, key: &str, path: &str, headers: &[(&str, &str)]) -> axum::response::Response {
        let mut request = Request::builder().uri(path).header(header::AUTHORIZATION, format!("Bearer {key}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.router.clone().oneshot(request.body(Body::empty()).expect("a request")).await.expect("a reply")
    }

    /// Sends a request with further headers; `authorization` or `x-api-key` replaces the first tenant's, `content-type` JSON.
    pub async fn call_with(
        &self,
        method: &str,
        path: &str,
        body: impl Into<Body>,
        headers: &[(&str, &str)],
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| *name == "content-type") {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        if !headers.iter().any(|(name, _)| ["authorization", "x-api-key"].contains(name)) {
            request = request.header(header::AUTHORIZATION, format!("Bearer {OURS}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.into()).expect("a request");
        let response = self.router.clone().oneshot(request).await.expect("a reply");
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        Answer {
            status: head.status,
            headers: head.headers,
            text: String::from_utf8(bytes.to_vec()).expect("UTF-8"),
            asked: format!("{method} {path}"),
        }
    }
}
