//! A session's settings: what the caller set, and the policy that follows from it.
//!
//! An absent field keeps its value and null resets it, so a stored document holds only what was
//! set, and defaults are resolved when they are used.

mod change;
mod policy;
mod policy_name;
mod tenant_wide;
mod thresholds;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

pub use anchord_context::mask::MaskMode;
use anchord_context::pin::Pin;
pub use anchord_messages::tokens::Tokenizer as TokenizerName;
use anchord_record::exam::ExamMode;
use anchord_record::phase::Phase;
use anchord_record::strategy::{self, EngineChoice, Strategy};
use change::{limits_of, merge_patch, read_settings, refuse_unknown};
pub use policy::Policy;
pub use policy_name::PolicyName;
pub use tenant_wide::TenantWide;
pub use thresholds::{HistoryRules, MessageThresholds, Thresholds};

/// Tokens in a context window when the caller does not say.
pub const DEFAULT_CONTEXT_WINDOW: u32 = 200_000;
/// Share of the context window that is usable when the caller gives no parts.
pub const DEFAULT_EFFECTIVE_SHARE: f64 = 0.80;
/// Share of the effective window that must arrive before the next automatic compression, and that a compression stays
/// below the trigger.
pub const HYSTERESIS_SHARE: f64 = 0.10;
/// The largest context window that is taken, in tokens.
pub const MAX_CONTEXT_WINDOW: u32 = 10_000_000;
/// The most messages that `preserve_recent` may keep out of a span.
pub const MAX_PRESERVE_RECENT: u32 = 200;
/// The most bytes of `metadata`, as JSON.
pub const MAX_METADATA_BYTES: usize = 16 * 1024;

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
    /// Who reads the spans. Default `auto`.
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
    pub tokenizer: Option<TokenizerName>,
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
    /// The caller's own data, kept as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// What the tenant sets beyond defaults; no caller sets it, and no session stores it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub wide: Option<Box<TenantWide>>,
}

/// Why settings were refused: where, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {detail}")]
pub struct SettingsError {
    /// JSON pointer to the field.
    pub pointer: String,
    /// What is wrong and what is allowed.
    pub detail: String,
}

impl Settings {
    /// Applies a caller's change: an absent field keeps its value, null resets it. Half of a pair of
    /// thresholds may stand in `defaults`, so the result is judged above them.
    ///
    /// # Errors
    /// When a field is unknown, has a wrong type, or the result is not consistent.
    pub fn patched(&self, change: Map<String, Value>, defaults: &Self) -> Result<Self, SettingsError> {
        let mut document = match serde_json::to_value(self) {
            Ok(Value::Object(document)) => document,
            Ok(_) | Err(_) => Map::new(),
        };
        refuse_unknown(&change)?;
        merge_patch(&mut document, change);
        // Nothing in it is nothing set; of any other field, an object is a wrong type.
        for name in ["thresholds", "metadata"] {
            if document.get(name).and_then(Value::as_object).is_some_and(Map::is_empty) {
                document.remove(name);
            }
        }
        let settings: Self = read_settings(document)?;
        settings.over(defaults).validate()?;
        Ok(settings)
    }

    /// These settings where they are set, else the defaults below them.
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
            metadata: self.metadata.clone(),
            wide: defaults.wide.clone(),
        }
    }

    /// The pins of every session of the tenant.
    #[must_use]
    pub fn wide_pins(&self) -> &[Pin] {
        self.wide.as_ref().map_or(&[], |wide| &wide.pins)
    }

    /// What the tenant's changes add to a session's context revision.
    #[must_use]
    pub fn wide_revision(&self) -> i64 {
        self.wide.as_ref().map_or(0, |wide| wide.revision)
    }

    /// The tenant's revision that last changed its pins.
    #[must_use]
    pub fn wide_pins_revision(&self) -> i64 {
        self.wide.as_ref().map_or(0, |wide| wide.pins_revision)
    }

    /// How versions are made when a compression does not say. A tenant's default that a critical
    /// session cannot have gives way to the one that can be verified.
    #[must_use]
    pub fn strategy_in_force(&self) -> Strategy {
        let strategy = self.strategy.unwrap_or_default();
        if self.refuses(strategy) { Strategy::Anchored } else { strategy }
    }

    /// Whether a strategy's versions must not be published here.
    #[must_use]
    pub fn refuses(&self, strategy: Strategy) -> bool {
        self.critical == Some(true) && !strategy.is_verifiable()
    }

    /// Messages that stay verbatim under a strategy.
    #[must_use]
    pub fn preserved_by(&self, strategy: Strategy) -> u32 {
        self.preserve_recent.unwrap_or_else(|| strategy.preserves())
    }

    /// Checks limits and the order of thresholds.
    ///
    /// # Errors
    /// When a value is outside its limits or thresholds contradict each other.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let window = self.context_window.unwrap_or(DEFAULT_CONTEXT_WINDOW);
        if !(1_000..=MAX_CONTEXT_WINDOW).contains(&window) {
            return beyond("context_window");
        }
        let policy = self.resolved();
        if policy.effective_window < 800 {
            return refuse(
                "/reserved_output_tokens",
                format!(
                    "context_window less reserved_output_tokens, system_tokens and safety_buffer leaves {} tokens; at least 800 are needed",
                    policy.effective_window
                ),
            );
        }
        let shares = [
            ("warn", policy.warn),
            ("compress", policy.compress),
            ("force", policy.force),
            ("critical", policy.critical),
        ];
        for (name, share) in shares {
            if !share.is_finite() || share <= 0.0 || share > 1.0 {
                return refuse(&format!("/thresholds/{name}"), "must be above 0 and at most 1".to_owned());
            }
        }
        let ordered = [
            ("warn", policy.warn <= policy.compress, "must be at most compress"),
            ("force", policy.compress <= policy.force, "must be at least compress"),
            ("critical", policy.force <= policy.critical, "must be at least force"),
        ];
        for (name, holds, detail) in ordered {
            if !holds {
                return refuse(&format!("/thresholds/{name}"), detail.to_owned());
            }
        }
        for (name, share) in [("hindsight", policy.hindsight), ("exam", policy.exam)] {
            if !(0.0..=1.0).contains(&share) {
                return refuse(&format!("/thresholds/{name}"), "must be from 0 to 1".to_owned());
            }
        }
        self.validate_fill(&policy)?;
        let [optional, compress, force] = policy.messages;
        if optional == 0 || optional > compress || compress > force {
            return refuse("/thresholds/messages", "must hold 1 <= optional <= compress <= force".to_owned());
        }
        policy.history.validate()?;
        if policy.preserve_recent > MAX_PRESERVE_RECENT {
            return beyond("preserve_recent");
        }
        if self.max_summary_tokens.is_some_and(|t| !(200..=100_000).contains(&t)) {
            return beyond("max_summary_tokens");
        }
        if self.strategy.is_some_and(|strategy| self.refuses(strategy)) {
            return refuse(
                "/strategy",
                "opaque cannot be verified and is refused for critical sessions".to_owned(),
            );
        }
        for (name, text) in [
            ("task_id", &self.task_id),
            ("parent_session_id", &self.parent_session_id),
            ("model", &self.model),
        ] {
            let fits =
                text.as_deref().is_none_or(|t| (1..=200).contains(&t.chars().count()) && !t.contains('\0'));
            if !fits {
                return refuse(&format!("/{name}"), "must have 1 to 200 characters and no NUL".to_owned());
            }
        }
        if let Some(metadata) = &self.metadata {
            let text = serde_json::to_string(metadata).unwrap_or_default();
            if text.len() > MAX_METADATA_BYTES {
                return refuse("/metadata", format!("must be at most {MAX_METADATA_BYTES} bytes as JSON"));
            }
            // The database reads single settings out of the document, which it cannot where there is NUL.
            if metadata.iter().any(|(name, value)| name.contains('\0') || has_nul(value)) {
                return refuse("/metadata", "must not contain NUL".to_owned());
            }
        }
        Ok(())
    }
}

impl Settings {
    /// Checks how much is filled; `target` is what it was called before.
    fn validate_fill(&self, policy: &Policy) -> Result<(), SettingsError> {
        let target = self.thresholds.as_ref().and_then(|thresholds| thresholds.target);
        if target.is_some_and(|target| !(target > 0.0 && target < policy.compress)) {
            return refuse("/thresholds/target", "must be above 0 and below compress".to_owned());
        }
        let most = policy.compress - HYSTERESIS_SHARE;
        if self.fill.is_some_and(|fill| !(fill > 0.0 && fill <= most + f64::EPSILON)) {
            let detail = format!(
                "must be above 0 and at most {most:.2}, which is compress less {HYSTERESIS_SHARE:.2}"
            );
            return refuse("/fill", detail);
        }
        if policy.preserve_recent_tokens > policy.effective_window {
            let detail = format!("must be at most the effective window, {} tokens", policy.effective_window);
            return refuse("/preserve_recent_tokens", detail);
        }
        Ok(())
    }
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn refuse<T>(pointer: &str, detail: String) -> Result<T, SettingsError> {
    Err(SettingsError { pointer: pointer.to_owned(), detail })
}

/// Refuses a number that is beyond its limits.
fn beyond<T>(name: &str) -> Result<T, SettingsError> {
    refuse(&format!("/{name}"), limits_of(name).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn patch(settings: &Settings, change: &Value) -> Result<Settings, SettingsError> {
        settings.patched(change.as_object().cloned().unwrap_or_default(), &Settings::default())
    }

    #[test]
    fn an_absent_field_keeps_its_value_and_null_resets_it() {
        let first =
            patch(&Settings::default(), &json!({"context_window": 32000, "thresholds": {"warn": 0.5}}))
                .unwrap();
        let second = patch(&first, &json!({"thresholds": {"target": 0.4}})).unwrap();
        assert_eq!(second.context_window, Some(32000));
        let policy = second.policy();
        assert!((policy.warn - 0.5).abs() < 1e-9 && (policy.fill - 0.4).abs() < 1e-9);
        let third = patch(&second, &json!({"context_window": null, "thresholds": null})).unwrap();
        assert_eq!(third, Settings::default());
    }

    #[test]
    fn a_value_of_another_shape_is_refused_at_its_place() {
        for (change, pointer) in [
            (json!({"thresholds": [0.5]}), "/thresholds"),
            (json!({"phase": {}}), "/phase"),
            (json!({"metadata": {"a": [{"b": "x\u{0}"}]}}), "/metadata"),
            (json!({"metadata": {"\u{0}": 1}}), "/metadata"),
            (json!({"thresholds": {"messages": [30, 50, 70]}}), "/thresholds/messages"),
        ] {
            assert_eq!(patch(&Settings::default(), &change).unwrap_err().pointer, pointer);
        }
    }

    #[test]
    fn a_session_s_own_settings_lie_over_the_tenant_s() {
        let tenant = patch(
            &Settings::default(),
            &json!({"context_window": 32000, "mask": "off", "thresholds": {"warn": 0.5, "target": 0.3}}),
        )
        .unwrap();
        let own =
            patch(&Settings::default(), &json!({"context_window": 64000, "thresholds": {"warn": 0.55}}))
                .unwrap();
        let policy = own.over(&tenant).policy();
        assert_eq!((policy.context_window, policy.mask), (64_000, MaskMode::Off));
        assert!((policy.warn - 0.55).abs() < 1e-9 && (policy.fill - 0.3).abs() < 1e-9);
    }

    #[test]
    fn the_thresholds_of_the_signals_about_history_have_defaults_of_the_tenant_and_of_the_session() {
        let tenant =
            patch(&Settings::default(), &json!({"thresholds": {"repeats": 4, "growth": 0.3}})).unwrap();
        let own = patch(&Settings::default(), &json!({"thresholds": {"repeats": 5, "cycles": 3}})).unwrap();
        let history = own.over(&tenant).policy().history;
        assert_eq!((history.repeats, history.rereads, history.cycles), (5, 3, 3));
        assert!((history.growth - 0.3).abs() < 1e-9 && (history.savings - 0.2).abs() < 1e-9);
        assert!(patch(&tenant, &json!({"thresholds": {"growth": 0}})).is_err());
    }

    #[test]
    fn a_wrong_setting_is_refused_with_its_name() {
        for (change, pointer) in [
            (json!({"context_windw": 1}), "/context_windw"),
            (json!({"context_windw": null}), "/context_windw"),
            (json!({"context_window": "big"}), "/context_window"),
            (json!({"context_window": 10}), "/context_window"),
            (json!({"thresholds": {"target": 0.9}}), "/thresholds/target"),
            (json!({"thresholds": {"force": 0.5}}), "/thresholds/force"),
            (json!({"thresholds": {"wurn": 0.5}}), "/thresholds/wurn"),
            (json!({"thresholds": {"warn": "low"}}), "/thresholds/warn"),
            (json!({"thresholds": {"messages": {"force": -1}}}), "/thresholds/messages/force"),
            (json!({"reserved_output_tokens": 199_999}), "/reserved_output_tokens"),
            (json!({"strategy": "rollback"}), "/strategy"),
            (json!({"strategy": "opaque", "critical": true}), "/strategy"),
            (json!({"task_id": ""}), "/task_id"),
        ] {
            let refused = patch(&Settings::default(), &change).unwrap_err();
            assert_eq!(refused.pointer, pointer, "{change}");
        }
    }

    #[test]
    fn a_number_that_no_type_holds_is_refused_with_its_limits() {
        let most = format!("must be from 1000 to {MAX_CONTEXT_WINDOW} tokens");
        for (change, detail) in [
            (json!({"context_window": -5}), most.as_str()),
            (json!({"context_window": 999}), most.as_str()),
            (json!({"context_window": 1e20}), most.as_str()),
            (json!({"preserve_recent": -1}), "must be from 0 to 200"),
            (json!({"preserve_recent": 201}), "must be from 0 to 200"),
            (json!({"max_summary_tokens": -1}), "must be from 200 to 100000 tokens"),
            (json!({"system_tokens": -1}), "must be a whole number from 0 to 4294967295"),
            (json!({"context_window": "big"}), "must be a whole number from 0 to 4294967295"),
            (json!({"auto": "yes"}), "must be true or false"),
            (
                json!({"strategy": "rollback"}),
                "must be one of `anchored`, `opaque`, `regenerative`, `sliding_window`",
            ),
        ] {
            let refused = patch(&Settings::default(), &change).unwrap_err();
            assert_eq!(refused.detail, detail, "{change}");
        }
    }

    #[test]
    fn the_effective_window_is_the_rest_of_the_parts_or_four_fifths() {
        assert_eq!(Settings::default().policy().effective_window, 160_000);
        let parts = patch(
            &Settings::default(),
            &json!({"context_window": 32000, "system_tokens": 1000, "safety_buffer": 500}),
        )
        .unwrap();
        assert_eq!(parts.policy().effective_window, 30_500);
        assert_eq!(
            patch(&Settings::default(), &json!({"context_window": 8000}))
                .unwrap()
                .policy()
                .max_summary_tokens,
            800
        );
    }
}
