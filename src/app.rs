//! The composition root: puts a process together, and starts and stops its parts in order.
//!
//! Start: bind the address first, because that fails fastest; then start the embedded Postgres, unless a database is
//! configured; then migrate, before any pool is open (changed tables break the plans that open connections cache);
//! then open the pool, create the key and start the roles. A graceful shutdown runs the same steps backwards.

mod bootstrap;
mod cells;
mod database;
mod health;
mod models;
mod shutdown;
mod tasks;

use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use metrics_exporter_prometheus::PrometheusHandle;
use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::{self, Role};
use anchord_http::Surface;
use anchord_http::admission::Admission;
use anchord_http::admission::rate_limit::{RateLimit, TenantRates};
use anchord_http::api::compress::request;
pub use anchord_http::api::compress::request::CompressedMessages;
use anchord_http::edge::connections::{self, Timeouts};
use anchord_http::operator_token::OperatorToken;
use anchord_llm::Embedder;
use anchord_messages::tokens::{TokenCounter, Tokenizer};
use anchord_postgres::Embedded;
use anchord_record::candidate::{self, CheckedDraft, Material};
use anchord_record::strategy::Strategy;
use anchord_runtime::background::{self, DedicatedRuntime};
use anchord_runtime::clock::Clock;
use anchord_session::stateless::{self, CompressOptions, Compressed, Conversation};
use anchord_store::Store;
use anchord_store::gather::Gatherer;
use anchord_store::secrets::SecretKeys;
use anchord_webhooks::target::Reach;
pub use anchord_worker::offline::{CallRecord, Examined, OfflineResult};

pub use bootstrap::{BootstrapKey, sealing_keys};
pub use cells::{Cells, Listed};
pub use health::health;
use shutdown::{Drained, Signals};
use tasks::CriticalTasks;

/// How often metrics are compacted and the rate limits of idle callers are dropped.
const HOUSEKEEPING: Duration = Duration::from_secs(5);
/// How often refused keys are recorded in the audit log.
const REFUSALS_RECORDED: Duration = Duration::from_mins(1);
/// How long the last write of usage counts may take.
const LAST_USAGE_FLUSH: Duration = Duration::from_secs(5);
/// How long a request may take, not counting a wait that it asked for.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
/// The configuration of a process.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The parts to run.
    pub roles: Vec<Role>,
    /// The database.
    pub database: config::Database,
    /// The HTTP API, when this process serves it.
    pub api: Option<config::Api>,
    /// The separate listener for metrics.
    pub metrics: config::Metrics,
    /// The workers.
    pub worker: config::Worker,
    /// The language model.
    pub llm: config::Llm,
    /// The embeddings server.
    pub embeddings: config::Embeddings,
    /// Webhooks.
    pub webhooks: config::Webhooks,
}

/// Report of a process that is ready.
#[derive(Debug)]
pub struct Ready {
    /// The API's address, when this process serves it.
    pub api: Option<SocketAddr>,
    /// The address of the operator's API, when it has one of its own.
    pub admin: Option<SocketAddr>,
    /// The address of the gateway, when it has one of its own.
    pub gateway: Option<SocketAddr>,
    /// The address of `/metrics`, when it has one of its own.
    pub metrics: Option<SocketAddr>,
    /// The key of the tenant `default`.
    pub key: BootstrapKey,
    /// The file of the operator token that the service made for itself.
    pub operator_token_file: Option<PathBuf>,
}

/// Runs the service until a signal ends it; calls `report` when it is ready.
///
/// # Errors
/// When something does not start, the embedded Postgres ends, or the graceful shutdown does not finish in time.
pub async fn serve(settings: Settings, metrics: PrometheusHandle, report: impl FnOnce(&Ready)) -> Result<()> {
    let mut signals = Signals::listen()?;
    tokio::select! {
        started = Process::start(&settings, metrics) => started?.run(&mut signals, report).await,
        // Dropping the future stops what has started.
        signal = signals.next() => anyhow::bail!("ended by {signal} before it was ready"),
    }
}

/// Creates the schema unless it is there.
///
/// # Errors
/// When the database does not start, cannot be reached, or holds a schema that this build does not know.
pub async fn migrate(config: &config::Database) -> Result<()> {
    let (embedded, located) = database::locate(config).await?;
    let migrated = Store::migrate(located.target()).await;
    if let Some(embedded) = embedded {
        embedded.stop().await;
    }
    migrated.context("the database cannot be migrated")
}

/// Compresses a transcript without server and database, by the configured model when there is one.
///
/// # Errors
/// When the configuration names no model, or the work breaks.
pub async fn compress(llm: &config::Llm, material: Material, is_items: bool) -> Result<OfflineResult> {
    let client = models::client(llm)?;
    // Boxed: what it holds over its waits is large.
    Box::pin(anchord_worker::offline::compress(client.as_ref(), material, is_items))
        .await
        .context("the compression")
}

/// Has the configured model ask for what the messages of `material` say, and answer from a context alone; `None` when no
/// model is configured.
///
/// # Errors
/// When the configuration names no model, or the work breaks.
pub async fn examine(
    llm: &config::Llm,
    material: Material,
    is_items: bool,
    context: String,
) -> Result<Option<Examined>> {
    let Some(client) = models::client(llm)? else { return Ok(None) };
    let examined = Box::pin(anchord_worker::offline::examine(&client, material, is_items, context)).await;
    examined.map(Some).context("the exam")
}

/// The reply of `POST /v1/compress` for a transcript, by code.
pub fn compress_by_code(conversation: &Conversation, options: CompressOptions) -> Result<CompressedMessages> {
    let made = stateless::compress(conversation, options)?;
    written(conversation, options.strategy, made)
}

/// The same for a candidate that is there.
pub fn reply(
    conversation: &Conversation,
    strategy: Strategy,
    checked: CheckedDraft,
) -> Result<CompressedMessages> {
    let made = stateless::finish(conversation, (Some(checked), Vec::new()), None)?;
    written(conversation, strategy, made)
}

fn written(conversation: &Conversation, strategy: Strategy, made: Compressed) -> Result<CompressedMessages> {
    let reply = request::view((conversation.format(), strategy), made);
    reply.map_err(|error| anyhow::anyhow!("the reply cannot be written: {error:?}"))
}

/// The OpenAPI document as JSON text.
pub fn openapi() -> Result<String> {
    serde_json::to_string_pretty(&anchord_http::openapi()).context("the OpenAPI document")
}

/// Loads the default vocabulary and the ledger's patterns while the database starts, so that neither the first request
/// nor the first compression waits for them. Other vocabularies, and the patterns of more threads, are loaded when they
/// are used, because the patterns of one thread take a tenth of the memory of an idle process.
fn warm_up(compresses: bool) {
    background::spawn(move || {
        // First, so that the patterns reuse the memory that unpacking frees.
        TokenCounter::new(Tokenizer::default()).load();
        if compresses {
            candidate::sample::warm_up();
        }
    });
}

/// The parts of a running process.
struct Process {
    embedded: Option<Embedded>,
    tracker: TaskTracker,
    stop: CancellationToken,
    tasks: CriticalTasks,
    ready: Ready,
    /// The state, by which all cells are found.
    state: anchord_http::AppState,
    /// The runtime of the workers.
    _workers: Option<DedicatedRuntime>,
}

impl Process {
    async fn start(settings: &Settings, metrics: PrometheusHandle) -> Result<Self> {
        let llm = models::client(&settings.llm)?;
        let embeddings = models::embedder(&settings.embeddings)?;
        let api = bind(settings.api.as_ref().map(|api| api.listen), "ANCHORD_LISTEN").await?;
        let admin_listen = settings.api.as_ref().and_then(|api| api.admin_listen);
        let admin = bind(admin_listen, "ANCHORD_ADMIN_LISTEN").await?;
        let scraped = bind(settings.metrics.metrics_listen, "ANCHORD_METRICS_LISTEN").await?;
        let gateway_listen = settings.api.as_ref().and_then(|api| api.gateway.gateway_listen);
        let of_agents = bind(gateway_listen, "ANCHORD_GATEWAY_LISTEN").await?;
        warm_up(settings.roles.contains(&Role::Worker));
        let (embedded, located) = database::locate(&settings.database).await?;
        Store::migrate(located.target()).await.context("the database cannot be migrated")?;
        let tracker = TaskTracker::new();
        let store = Store::connect(located.target(), settings.database.pool_size, tracker.clone())
            .await
            .context("the database cannot be reached")?;
        let clock = Clock::system();
        let own = embedded.is_some().then_some(settings.database.data_dir.as_path());
        let secrets = bootstrap::secret_keys(settings.webhooks.secrets_key.as_ref(), own)?;
        let store = store.with_secret_keys(secrets.clone());
        let (key, own_key) = match &settings.api {
            Some(api) => bootstrap::ensure_key(&store, clock, api.api_key.as_ref(), own).await?,
            None => (BootstrapKey::None, None),
        };
        let (operator, operator_token_file) = match &settings.api {
            Some(api) => bootstrap::operator_token(api.admin_token.as_ref(), own)?,
            None => (None, None),
        };
        let ready = Ready {
            api: local(api.as_ref())?,
            admin: local(admin.as_ref())?,
            gateway: local(of_agents.as_ref())?,
            metrics: local(scraped.as_ref())?,
            key,
            operator_token_file,
        };
        let one = || DedicatedRuntime::start("workers", NonZeroUsize::MIN);
        let workers = settings.roles.contains(&Role::Worker).then(one).transpose();
        let workers = workers.context("the thread of the workers")?;
        let stop = CancellationToken::new();
        let tasks = CriticalTasks::new(tracker.clone(), stop.clone());
        let of_process = (store, tracker.clone(), stop.clone());
        let state = http_state(settings, of_process, (metrics, embeddings.clone()), (clock, operator));
        let cells = cells::Runner {
            settings: settings.clone(),
            located,
            secrets: secrets.clone(),
            tasks: tasks.clone(),
            tracker: tracker.clone(),
            stop: stop.clone(),
            clock,
            llm,
            embeddings,
            workers: workers.as_ref().map(|workers| workers.handle().clone()),
        };
        let process = Self { embedded, tracker, stop, tasks, ready, state: state.clone(), _workers: workers };
        process.spawn_housekeeping();
        cells.run(anchord_store::cells::HOME, &state)?;
        let is_settled = cells.take_up(&state).await?;
        cells.watch(&state, is_settled);
        let timeouts = timeouts(settings.api.as_ref());
        let public = if admin.is_some() { Surface::Public } else { Surface::Whole };
        // Made once, because it takes tens of milliseconds; all clones share it.
        let public = anchord_http::router_of(public, state.clone());
        let gateway = settings.api.as_ref().map(|api| gateway(&api.gateway, own.and(own_key), secrets));
        let gateway = anchord_gateway::router(public.clone(), state.clone(), gateway.unwrap_or_default());
        let gateway = gateway.context("the client of the gateway")?;
        let (public_routes, gateway) = match of_agents {
            Some(listener) => (public.clone(), Some((listener, gateway))),
            None => (gateway.merge(public.clone()), None),
        };
        let public_routes = anchord_mcp::before(public_routes, public.clone(), state.clone());
        let console = settings.api.as_ref().is_some_and(|api| api.console == config::Console::On);
        let with_console = |rest: axum::Router, api: axum::Router| {
            if console { anchord_console::before(rest, api, state.clone()) } else { rest }
        };
        let public_routes = with_console(public_routes, public);
        let servers = [
            api.map(|listener| process.serve_http("the API", listener, public_routes, timeouts)),
            gateway.map(|(listener, gateway)| process.serve_http("the gateway", listener, gateway, timeouts)),
            admin.map(|listener| {
                let api = anchord_http::router_of(Surface::Operator, state.clone());
                let routes = with_console(api.clone(), api);
                process.serve_http("the operator's API", listener, routes, timeouts)
            }),
            scraped.map(|listener| {
                process.serve_http(
                    "the metrics",
                    listener,
                    anchord_http::api::ops::metrics_router(state.clone()),
                    timeouts,
                )
            }),
        ];
        process.close_appends(servers);
        Ok(process)
    }

    fn serve_http(
        &self,
        name: &'static str,
        listener: TcpListener,
        router: axum::Router,
        timeouts: Timeouts,
    ) -> JoinHandle<()> {
        let server = connections::serve(listener, router, timeouts, self.stop.clone());
        self.tasks.spawn(name, &Handle::current(), server)
    }

    /// Closes the queues of appends after the last connection, which may still append.
    fn close_appends(&self, servers: [Option<JoinHandle<()>>; 4]) {
        let (stop, state) = (self.stop.clone(), self.state.clone());
        self.tracker.spawn(async move {
            stop.cancelled().await;
            for server in servers.into_iter().flatten() {
                // A server that panicked has no connections either.
                let _ = server.await;
            }
            for cell in state.cells() {
                cell.state.appends.close();
            }
        });
    }

    /// Starts the task that compacts metrics, drops the rate limits of idle callers and records which keys are used and refused.
    fn spawn_housekeeping(&self) {
        let (state, stop) = (self.state.clone(), self.stop.clone());
        self.tasks.spawn("housekeeping", &Handle::current(), async move {
            let mut recorded = Instant::now();
            while stop.run_until_cancelled(tokio::time::sleep(HOUSEKEEPING)).await.is_some() {
                if recorded.elapsed() >= REFUSALS_RECORDED {
                    recorded = Instant::now();
                    let others: Vec<Store> =
                        state.cells().into_iter().skip(1).map(|cell| cell.state.store.clone()).collect();
                    if let Err(error) = state.store.record_refused_keys(&others).await {
                        tracing::warn!(%error, "keys.refusals_not_recorded");
                    }
                }
                state.metrics.run_upkeep();
                state.rate_limit.shrink();
                for cell in state.cells() {
                    if let Err(error) = cell.state.store.note_used_keys().await {
                        tracing::warn!(%error, cell = cell.name, "keys.use_not_noted");
                    }
                }
            }
        });
    }

    async fn run(self, signals: &mut Signals, report: impl FnOnce(&Ready)) -> Result<()> {
        report(&self.ready);
        let lost = tokio::select! {
            signal = signals.next() => {
                tracing::info!(signal, "process.draining");
                None
            }
            // Never ends.
            () = database::keep_running(self.embedded.as_ref()) => None,
            name = self.tasks.died() => Some(format!("{name} has died; what it was doing is in the log")),
        };
        self.stop.cancel();
        let drained = shutdown::drain(&self.tracker, signals).await;
        for cell in self.state.cells() {
            let store = &cell.state.store;
            let flush = async {
                let queued = store.queue_marked().await;
                let noted = store.flush_served().await;
                store.flush_usage(None).await.and(noted).and(queued)
            };
            let flushed = tokio::time::timeout(LAST_USAGE_FLUSH, flush).await;
            if !matches!(flushed, Ok(Ok(()))) {
                tracing::warn!(
                    cell = cell.name,
                    "usage.lost: the last figures of this process are not written"
                );
            }
            shutdown::close(store).await;
        }
        if let Some(embedded) = self.embedded {
            embedded.stop().await;
        }
        if let Some(lost) = lost {
            anyhow::bail!(lost);
        }
        match drained {
            Drained::Whole => Ok(()),
            Drained::CutShort { tasks, why } => anyhow::bail!("ended with {tasks} tasks undone: {why}"),
        }
    }
}

/// The state of the home cell.
fn http_state(
    settings: &Settings,
    (store, tracker, stop): (Store, TaskTracker, CancellationToken),
    (metrics, embedder): (PrometheusHandle, Option<Embedder>),
    (clock, operator): (Clock, Option<OperatorToken>),
) -> anchord_http::AppState {
    let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let api = settings.api.as_ref();
    let limits = api.map_or_else(anchord_http::Limits::default, |api| anchord_http::Limits {
        body_bytes: size(api.max_body_bytes),
        batch_messages: size(api.max_batch_messages),
        message_bytes: size(api.max_message_bytes),
        request_timeout: REQUEST_TIMEOUT,
        body_timeout: Duration::from_secs(api.body_timeout.into()),
        bodies_bytes: size(api.bodies_bytes()),
        trusted_proxies: api.trusted_proxies.clone(),
    });
    let rate = api.and_then(|api| NonZeroU32::new(api.rate_limit)).unwrap_or(NonZeroU32::MAX);
    anchord_http::AppState::new(anchord_http::Shared {
        appends: Gatherer::start(&store),
        store,
        clock,
        tracker,
        admission: Admission::new(&limits, stop),
        limits,
        rate_limit: RateLimit::new(rate, rate),
        tenant_rates: TenantRates::default(),
        quotas: anchord_http::admission::quotas::QuotaWatch::default(),
        known_branches: anchord_http::KnownBranches::default(),
        served_prefixes: anchord_http::ServedPrefixes::default(),
        operator,
        metrics,
        llm_models: models::allowed(&settings.llm),
        embedder,
        webhook_reach: webhook_reach(&settings.webhooks),
        origins: api.and_then(|api| api.cors_origins.clone()).unwrap_or_default(),
    })
}

/// The configuration of the gateway; `own` is the key of callers on this machine that send none.
fn gateway(
    config: &config::Gateway,
    own: Option<SecretString>,
    secrets: SecretKeys,
) -> anchord_gateway::Config {
    anchord_gateway::Config {
        anthropic: config.gateway_anthropic.clone(),
        openai: config.gateway_openai.clone(),
        answers_by_code: config.gateway_answers == config::Answers::Code,
        refuses_unkept: config.gateway_unkept == config::Unkept::Refuse,
        keyless: own,
        secrets,
    }
}

/// The addresses that the operator allows for webhooks.
fn webhook_reach(webhooks: &config::Webhooks) -> Reach {
    if webhooks.webhook_targets == config::WebhookTargets::Any { Reach::Any } else { Reach::Public }
}

/// The timeouts of connections.
fn timeouts(api: Option<&config::Api>) -> Timeouts {
    let usual = Timeouts::default();
    Timeouts { head: api.map_or(usual.head, |api| Duration::from_secs(api.header_timeout.into())), ..usual }
}

async fn bind(address: Option<SocketAddr>, variable: &'static str) -> Result<Option<TcpListener>> {
    let Some(address) = address else { return Ok(None) };
    let listener = TcpListener::bind(address).await;
    listener.map(Some).with_context(|| format!("{variable}: cannot listen on {address}"))
}

/// The actual address of a listener: for port 0 the system chooses one.
fn local(listener: Option<&TcpListener>) -> Result<Option<SocketAddr>> {
    listener.map(|listener| listener.local_addr().context("a listener without an address")).transpose()
}
