//! Settings as the caller sets them: every field is optional, and a stored document holds only what was set.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::policy_name::PolicyName;
use super::tenant_wide::TenantWide;
use super::thresholds::Thresholds;
use anchord_context::mask::MaskMode;
use anchord_context::pin::Pin;
use anchord_facts::ledger::constraints::ConstraintMode;
use anchord_messages::tokens::Tokenizer;
use anchord_record::exam::ExamMode;
use anchord_record::phase::Phase;
use anchord_record::strategy::{self, EngineChoice, Strategy};

/// Settings as the caller gave them; every field is optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The model's context window, in tokens. Default 200,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1_000, maximum = 10_000_000)]
    pub context_window: Option<u32>,
    /// Tokens that the model's answer needs.
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
    /// Whether a background compression starts early, at the warn level. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speculative: Option<bool>,
    /// Whether tool outputs may become placeholders. Default `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<MaskMode>,
    /// What record, digest and newest messages take after a compression, as a share of the effective window; system
    /// prompt and pins come on top. At most the compress level less 0.10. Default 0.40, and at most 24,000 tokens.
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
    /// The engine's model, when the operator allows the choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\u0000]*$")]
    pub model: Option<String>,
    /// Which sessions a model examines, where the operator named one for it. Default `sampled`: one in four.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exam: Option<ExamMode>,
    /// How tokens are counted. Default `o200k_base`.
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
    /// The caller's own data, kept as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// What the tenant sets beyond defaults; no caller sets it, and no session stores it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub wide: Option<Box<TenantWide>>,
}

impl Settings {
    /// These settings, with `defaults` for the fields that are not set.
    #[must_use]
    pub fn over(&self, defaults: &Self) -> Self {
        if *defaults == Self::default() {
            return self.clone();
        }
        let thresholds = match (&self.thresholds, &defaults.thresholds) {
            (Some(own), Some(below)) => Some(own.over(below)),
            (own, below) => own.clone().or_else(|| below.clone()),
        };
        Self {
            context_window: self.context_window.or(defaults.context_window),
            reserved_output_tokens: self.reserved_output_tokens.or(defaults.reserved_output_tokens),
            system_tokens: self.system_tokens.or(defaults.system_tokens),
            safety_buffer: self.safety_buffer.or(defaults.safety_buffer),
            policy: self.policy.or(defaults.policy),
            thresholds,
            speculative: self.speculative.or(defaults.speculative),
            mask: self.mask.or(defaults.mask),
            fill: self.fill.or(defaults.fill),
            preserve_recent: self.preserve_recent.or(defaults.preserve_recent),
            preserve_recent_tokens: self.preserve_recent_tokens.or(defaults.preserve_recent_tokens),
            min_messages: self.min_messages.or(defaults.min_messages),
            auto: self.auto.or(defaults.auto),
            strategy: self.strategy.or(defaults.strategy),
            engine: self.engine.or(defaults.engine),
            model: self.model.clone().or_else(|| defaults.model.clone()),
            exam: self.exam.or(defaults.exam),
            tokenizer: self.tokenizer.or(defaults.tokenizer),
            phase: self.phase.or(defaults.phase),
            task_id: self.task_id.clone(),
            parent_session_id: self.parent_session_id.clone(),
            critical: self.critical.or(defaults.critical),
            max_summary_tokens: self.max_summary_tokens.or(defaults.max_summary_tokens),
            constraints: self.constraints.or(defaults.constraints),
            metadata: self.metadata.clone(),
            wide: defaults.wide.clone(),
        }
    }

    /// The pins of every session of the tenant.
    #[must_use]
    pub fn wide_pins(&self) -> &[Pin] {
        self.wide.as_ref().map_or(&[], |wide| &wide.pins)
    }

    /// The tenant's part of a session's context revision.
    #[must_use]
    pub fn wide_revision(&self) -> i64 {
        self.wide.as_ref().map_or(0, |wide| wide.revision)
    }

    /// The tenant's revision that last changed its pins.
    #[must_use]
    pub fn wide_pins_revision(&self) -> i64 {
        self.wide.as_ref().map_or(0, |wide| wide.pins_revision)
    }

    /// The strategy when a compression names none. If the session is critical, a tenant's default that cannot
    /// be verified is replaced by one that can.
    #[must_use]
    pub fn strategy_in_force(&self) -> Strategy {
        let strategy = self.strategy.unwrap_or_default();
        if self.refuses(strategy) { Strategy::Anchored } else { strategy }
    }

    /// Whether the session refuses versions of a strategy.
    #[must_use]
    pub fn refuses(&self, strategy: Strategy) -> bool {
        self.critical == Some(true) && !strategy.is_verifiable()
    }

    /// How many messages stay verbatim under a strategy.
    #[must_use]
    pub fn preserved_by(&self, strategy: Strategy) -> u32 {
        self.preserve_recent.unwrap_or_else(|| strategy.preserves())
    }
}
