//! The state that all handlers share.

use std::ops::Deref;
use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusHandle;
use serde_json::{Map, Value};
use tokio_util::task::TaskTracker;

use crate::admission::Admission;
use crate::admission::quotas::QuotaWatch;
use crate::admission::rate_limit::{RateLimit, TenantRates};
use crate::cells::Cells;
use crate::edge::origins::Origins;
use crate::known_branches::KnownBranches;
use crate::limits::Limits;
use crate::operator_token::OperatorToken;
use crate::problem::{ApiError, Result};
use crate::served_prefixes::ServedPrefixes;
use anchord_llm::Embedder;
use anchord_record::strategy::EngineChoice;
use anchord_runtime::clock::Clock;
use anchord_session::summary_models::SummaryModels;
use anchord_store::Store;
use anchord_store::gather::Gatherer;
use anchord_webhooks::target::Reach;

/// State that all handlers share: of the whole process, and of the cell that a request is about. A clone is as cheap as two
/// pointers, because every layer of every request clones it.
#[derive(Clone, Debug)]
pub struct AppState {
    pub(crate) shared: Arc<Shared>,
    pub(crate) cells: Cells,
}

impl AppState {
    /// Wraps the parts; the store is that of the home cell.
    pub fn new(shared: Shared) -> Self {
        let shared = Arc::new(shared);
        Self { cells: Cells::of(Arc::clone(&shared)), shared }
    }
}

impl Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

/// The parts of [`AppState`].
#[derive(Clone, Debug)]
pub struct Shared {
    /// The database.
    pub store: Store,
    /// The queue of appends.
    pub appends: Gatherer,
    /// The clock.
    pub clock: Clock,
    /// Counts running requests; shutdown waits for them.
    pub tracker: TaskTracker,
    /// The limits of requests.
    pub limits: Limits,
    /// The rate limit of each key.
    pub rate_limit: RateLimit,
    /// The rate limits of tenants that have their own.
    pub tenant_rates: TenantRates,
    /// How much of their quotas tenants have used.
    pub quotas: QuotaWatch,
    /// The digests of branches that are in use.
    pub known_branches: KnownBranches,
    /// The contexts that were served last.
    pub served_prefixes: ServedPrefixes,
    /// The operator token, when there is one.
    pub operator: Option<OperatorToken>,
    /// Limits of this process.
    pub admission: Admission,
    /// Renders the metrics.
    pub metrics: PrometheusHandle,
    /// The models that sessions may name; `None` when no LLM provider is configured.
    pub llm_models: Option<SummaryModels>,
    /// The client of the embeddings server; `None` when none is configured.
    pub embedder: Option<Embedder>,
    /// The addresses that webhooks may have.
    pub webhook_reach: Reach,
    /// The origins whose pages may call the API.
    pub origins: Origins,
}

impl AppState {
    /// Rejects settings whose engine or model this installation does not offer. A value of another type is rejected later,
    /// with the other settings.
    pub(crate) fn check_settings(&self, settings: &Map<String, Value>) -> Result<()> {
        let engine = settings.get("engine").and_then(|engine| serde_json::from_value(engine.clone()).ok());
        self.check_engine(engine, settings.get("summary_model").and_then(Value::as_str))
    }

    /// Rejects an engine or a model that this installation does not offer.
    pub(crate) fn check_engine(&self, engine: Option<EngineChoice>, model: Option<&str>) -> Result<()> {
        if engine == Some(EngineChoice::Llm) && self.llm_models.is_none() {
            let detail =
                "no LLM provider is configured; use `auto` or `extractive`, or set ANCHORD_LLM_PROVIDER";
            return Err(ApiError::refused("/engine", detail));
        }
        let Some(model) = model else { return Ok(()) };
        match &self.llm_models {
            None => {
                let detail = "no LLM provider is configured; set ANCHORD_LLM_PROVIDER";
                Err(ApiError::refused("/summary_model", detail))
            }
            Some(SummaryModels::Listed(names)) if !names.iter().any(|name| name == model) => {
                let detail = format!("the operator allows these models: {}", names.join(", "));
                Err(ApiError::refused("/summary_model", detail))
            }
            Some(_) => Ok(()),
        }
    }
}
