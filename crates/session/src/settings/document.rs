//! Settings as the caller sets them: every field is optional, and a stored document holds only what was set.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::limits::{DEFAULT_CONTEXT_WINDOW, usual_reserve};
use super::policy_name::PolicyName;
use super::tenant_wide::TenantWide;
use super::thresholds::Thresholds;
use crate::models::{self, ModelLimits, OwnModel};
use anchord_context::mask::MaskMode;
use anchord_context::pin::Pin;
use anchord_context::tools::ToolMode;
use anchord_facts::ledger::constraints::ConstraintMode;
use anchord_messages::tokens::Tokenizer;
use anchord_record::exam::ExamMode;
use anchord_record::phase::Phase;
use anchord_record::strategy::{self, EngineChoice, Strategy};

/// Settings as the caller gave them; every field is optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The model that the session talks to, as its provider calls it (`gpt-4o`, `anthropic/claude-sonnet-4-5`, `qwen3:8b`). Context
    /// window, output reserve and tokenizer follow from it where the session does not set them; `GET /v1/models` lists what
    /// is known. An append that names another model changes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\u0000-\u001f\u007f]*$")]
    pub model: Option<String>,
    /// The model's context window, in tokens. Default: that of `model`, else the tenant's, else 200,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1_000, maximum = 10_000_000)]
    pub context_window: Option<u32>,
    /// Tokens that the model's answer needs. Default: the longest answer of `model`, at most a fifth of the window; a fifth
    /// of the window where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved_output_tokens: Option<u32>,
    /// Tokens that the service does not store: tool definitions, a system prompt kept by the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_tokens: Option<u32>,
    /// Tokens kept free for miscounting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety_buffer: Option<u32>,
    /// Which signals count. Default `utilization`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyName>,
    /// Overrides of the policy's thresholds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Thresholds>,
    /// Whether tool outputs may be clipped or become placeholders. Default `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<MaskMode>,
    /// The share of the effective window that record, digest and newest messages take after a compression; system
    /// prompt and pins come on top. At most the compress level less 0.10. Default 0.20; in small windows 5,000 tokens, up to
    /// 0.40; at most 24,000 tokens. About eight calls fit before the next compression; down to three quarters of it for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(exclusive_minimum = 0, maximum = 0.9)]
    pub fill: Option<f64>,
    /// Messages that always stay verbatim. Default 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 200)]
    pub preserve_recent: Option<u32>,
    /// Tokens of the newest messages that stay verbatim, as far as the fill has room. Default 0; at most the effective
    /// window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserve_recent_tokens: Option<u32>,
    /// Uncompressed messages below which only force and above compress. Default 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_messages: Option<u32>,
    /// Whether signals start compressions. Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto: Option<bool>,
    /// How versions are made. Default `anchored`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "strategy::asked_or_none")]
    pub strategy: Option<Strategy>,
    /// The engine that reads the spans. Default `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineChoice>,
    /// The model that writes the summaries, when the operator allows the choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\u0000]*$")]
    pub summary_model: Option<String>,
    /// Which sessions a model examines, where the operator named one for it. Default `sampled`: one in four.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exam: Option<ExamMode>,
    /// How tokens are counted. Default: the closest to that of `model`, else the tenant's, else `o200k_base`. The first
    /// message fixes it, or the first fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<Tokenizer>,
    /// The phase of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// The task that the session works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\u0000]*$")]
    pub task_id: Option<String>,
    /// The session that started this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\u0000]*$")]
    pub parent_session_id: Option<String>,
    /// The end user whom the session is with, as the caller names them: lists filter by it, and recall searches the
    /// sessions of a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\u0000]*$")]
    pub user: Option<String>,
    /// Refuses strategies that cannot be verified. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical: Option<bool>,
    /// Bound of a rendered summary, in tokens. Default 4,000 or a tenth of the effective window, whichever is less, at least 800.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 200, maximum = 100_000)]
    pub max_summary_tokens: Option<u32>,
    /// Whether a requirement that a person states in a message becomes a constraint (`bind`) or is only proposed
    /// until it is pinned (`propose`). Default `bind`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraints: Option<ConstraintMode>,
    /// The caller's own data, kept as it is and replaced as a whole: at most 16 KiB as JSON, 64 fields, 8 levels, and whole
    /// numbers of 64 bits. Lists filter by its fields that are texts of at most 200 characters, numbers or booleans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Whether the service's tools are offered to the model that gets the contexts (`offered`): then they name the call that
    /// gives what they leave out. Default `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolMode>,
    /// The tenant's own beyond defaults; no caller sets it, and no session stores it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub wide: Option<Box<TenantWide>>,
}

impl Settings {
    /// Whether they differ in the model at most.
    pub fn is_same_but_for_model(&self, other: &Self) -> bool {
        Self { model: other.model.clone(), ..self.clone() } == *other
    }

    /// These settings, with `defaults` for the fields that are not set, and with what follows from the models that both
    /// name: what is set here stands above what follows from the model here, then what is set in `defaults`, then what follows
    /// from the model there.
    pub fn over(&self, defaults: &Self) -> Self {
        if *defaults == Self::default() && self.model.is_none() {
            return self.clone();
        }
        let implied = Implied::of(self, defaults);
        let thresholds = match (&self.thresholds, &defaults.thresholds) {
            (Some(own), Some(below)) => Some(own.over(below)),
            (own, below) => own.clone().or_else(|| below.clone()),
        };
        Self {
            model: self.model.clone().or_else(|| defaults.model.clone()),
            context_window: implied.context_window,
            reserved_output_tokens: implied.reserved_output_tokens,
            system_tokens: self.system_tokens.or(defaults.system_tokens),
            safety_buffer: self.safety_buffer.or(defaults.safety_buffer),
            policy: self.policy.or(defaults.policy),
            thresholds,
            mask: self.mask.or(defaults.mask),
            tools: self.tools.or(defaults.tools),
            fill: self.fill.or(defaults.fill),
            preserve_recent: self.preserve_recent.or(defaults.preserve_recent),
            preserve_recent_tokens: self.preserve_recent_tokens.or(defaults.preserve_recent_tokens),
            min_messages: self.min_messages.or(defaults.min_messages),
            auto: self.auto.or(defaults.auto),
            strategy: self.strategy.or(defaults.strategy),
            engine: self.engine.or(defaults.engine),
            summary_model: self.summary_model.clone().or_else(|| defaults.summary_model.clone()),
            exam: self.exam.or(defaults.exam),
            tokenizer: implied.tokenizer,
            phase: self.phase.or(defaults.phase),
            task_id: self.task_id.clone(),
            parent_session_id: self.parent_session_id.clone(),
            user: self.user.clone(),
            critical: self.critical.or(defaults.critical),
            max_summary_tokens: self.max_summary_tokens.or(defaults.max_summary_tokens),
            constraints: self.constraints.or(defaults.constraints),
            metadata: self.metadata.clone(),
            wide: defaults.wide.clone(),
        }
    }

    /// The models that the tenant adds to those that are known.
    pub fn wide_models(&self) -> &[OwnModel] {
        self.wide.as_ref().map_or(&[], |wide| &wide.models)
    }

    /// The pins of every session of the tenant.
    pub fn wide_pins(&self) -> &[Pin] {
        self.wide.as_ref().map_or(&[], |wide| &wide.pins)
    }

    /// The tenant's part of a session's context revision.
    pub fn wide_revision(&self) -> i64 {
        self.wide.as_ref().map_or(0, |wide| wide.revision)
    }

    /// The tenant's revision that last changed its pins.
    pub fn wide_pins_revision(&self) -> i64 {
        self.wide.as_ref().map_or(0, |wide| wide.pins_revision)
    }

    /// The strategy when a compression names none. If the session is critical, a tenant's default that cannot
    /// be verified is replaced by one that can.
    pub fn strategy_in_force(&self) -> Strategy {
        let strategy = self.strategy.unwrap_or_default();
        if self.refuses(strategy) { Strategy::Anchored } else { strategy }
    }

    /// Whether the session refuses versions of a strategy.
    pub fn refuses(&self, strategy: Strategy) -> bool {
        self.critical == Some(true) && !strategy.is_verifiable()
    }

    /// How many messages stay verbatim under a strategy.
    pub fn preserved_by(&self, strategy: Strategy) -> u32 {
        self.preserve_recent.unwrap_or_else(|| strategy.preserves())
    }
}

/// Where the size of the window in force comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowSource<'a> {
    /// The session sets it.
    Session,
    /// It follows from the session's model.
    Model(&'a str),
    /// The tenant sets it.
    Tenant,
    /// It follows from the tenant's model.
    TenantModel(&'a str),
    /// Nobody told it: a model is named that is not known.
    UnknownModel(&'a str),
    /// Nobody told it, and no model is named.
    Assumed,
}

/// The fields that follow from a model, as they are in force.
struct Implied {
    context_window: Option<u32>,
    reserved_output_tokens: Option<u32>,
    tokenizer: Option<Tokenizer>,
}

impl Implied {
    fn of(own: &Settings, defaults: &Settings) -> Self {
        let limits = |settings: &Settings| -> Option<ModelLimits> {
            models::limits_of(settings.model.as_deref()?, defaults.wide_models())
        };
        let above = limits(own);
        // A session that names its model does not talk to the tenant's.
        let below = if own.model.is_none() { limits(defaults) } else { None };
        let window_of = |model: Option<ModelLimits>| model.map(|model| model.context_window);
        let context_window =
            own.context_window.or(window_of(above)).or(defaults.context_window).or(window_of(below));
        let window = context_window.unwrap_or(DEFAULT_CONTEXT_WINDOW);
        let reserve_of =
            |model: Option<ModelLimits>| model.map(|model| model.reserve(window, usual_reserve(window)));
        Self {
            context_window,
            reserved_output_tokens: own
                .reserved_output_tokens
                .or(reserve_of(above))
                .or(defaults.reserved_output_tokens)
                .or(reserve_of(below)),
            tokenizer: own
                .tokenizer
                .or(above.map(|model| model.tokenizer))
                .or(defaults.tokenizer)
                .or(below.map(|model| model.tokenizer)),
        }
    }
}

impl Settings {
    /// Where the window in force comes from, with `defaults` below these settings.
    pub fn window_source<'a>(&'a self, defaults: &'a Self) -> WindowSource<'a> {
        let is_known = |model: &str| models::limits_of(model, defaults.wide_models()).is_some();
        if self.context_window.is_some() {
            return WindowSource::Session;
        }
        let own = self.model.as_deref();
        if let Some(model) = own.filter(|model| is_known(model)) {
            return WindowSource::Model(model);
        }
        if defaults.context_window.is_some() {
            return WindowSource::Tenant;
        }
        match (own, defaults.model.as_deref()) {
            (None, Some(model)) if is_known(model) => WindowSource::TenantModel(model),
            (Some(unknown), _) | (None, Some(unknown)) => WindowSource::UnknownModel(unknown),
            (None, None) => WindowSource::Assumed,
        }
    }
}
