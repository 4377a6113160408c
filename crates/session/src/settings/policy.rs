//! The policy that follows from settings.

use serde::Serialize;
use utoipa::ToSchema;

use super::document::Settings;
use super::limits::{DEFAULT_CONTEXT_WINDOW, HYSTERESIS_SHARE, usual_reserve};
use super::policy_name::PolicyName;
use super::thresholds::HistoryRules;
use crate::calibration::Calibration;
use anchord_context::mask::MaskMode;
use anchord_messages::tokens::Tokenizer;
use anchord_record::fill::default_fill;
use anchord_record::{exam, render};

/// Settings with every default resolved.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = ResolvedPolicy)]
pub struct Policy {
    /// The effective window, in tokens.
    pub effective_window: u32,
    /// The context window, in tokens.
    pub context_window: u32,
    /// Tokens of the window that are reserved for the answer.
    pub reserved_output_tokens: u32,
    /// Tokens that the service does not store, as they were set.
    pub system_tokens: u32,
    /// How tokens are counted.
    pub tokenizer: Tokenizer,
    /// Which signals count.
    pub name: PolicyName,
    /// Share at which a warning is given.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub warn: f64,
    /// Share at which a compression starts.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub compress: f64,
    /// Share of the effective window that record, digest and newest messages take after a compression.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub fill: f64,
    /// Share at which a compression is forced.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub force: f64,
    /// Share at which a compression is immediate.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub critical: f64,
    /// Share of right answers below which an exam is low.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub exam: f64,
    /// Uncompressed messages: optional, compress, force.
    pub messages: [u32; 3],
    /// Turns since the anchor.
    pub turns: u32,
    /// The thresholds of the signals about history.
    pub history: HistoryRules,
    /// Messages that always stay verbatim.
    pub preserve_recent: u32,
    /// Tokens of the newest messages that stay verbatim, as far as the fill has room.
    pub preserve_recent_tokens: u32,
    /// Uncompressed messages below which only force and above compress.
    pub min_messages: u32,
    /// Whether signals start compressions.
    pub auto: bool,
    /// Whether tool outputs may become placeholders.
    pub mask: MaskMode,
    /// Bound of a rendered summary, in tokens.
    pub max_summary_tokens: u32,
}

impl Settings {
    /// Resolves every default. A threshold that contradicts another is moved to the nearest value that does not:
    /// those of a session and those that its tenant set later may contradict, and the session must go on.
    pub fn policy(&self) -> Policy {
        let mut policy = self.resolved();
        policy.warn = policy.warn.min(policy.compress);
        policy.fill = policy.fill.min((policy.compress - HYSTERESIS_SHARE).max(policy.compress / 2.0));
        policy.force = policy.force.max(policy.compress);
        policy.critical = policy.critical.max(policy.force);
        let [optional, compress, force] = policy.messages;
        policy.messages = [optional.min(compress), compress, force.max(compress)];
        policy
    }

    /// Resolves every default, without a check for contradictions.
    pub(super) fn resolved(&self) -> Policy {
        let context_window = self.context_window.unwrap_or(DEFAULT_CONTEXT_WINDOW);
        let reserved_output_tokens =
            self.reserved_output_tokens.unwrap_or_else(|| usual_reserve(context_window));
        let system_tokens = self.system_tokens.unwrap_or_default();
        let effective_window =
            [reserved_output_tokens, system_tokens, self.safety_buffer.unwrap_or_default()]
                .into_iter()
                .fold(context_window, u32::saturating_sub);
        let thresholds = self.thresholds.clone().unwrap_or_default();
        let history = HistoryRules::of(&thresholds);
        let messages = thresholds.messages.unwrap_or_default();
        Policy {
            effective_window,
            context_window,
            reserved_output_tokens,
            system_tokens,
            tokenizer: self.tokenizer.unwrap_or_default(),
            name: self.policy.unwrap_or_default(),
            warn: thresholds.warn.unwrap_or(0.60),
            compress: thresholds.compress.unwrap_or(0.70),
            fill: self.fill.unwrap_or_else(|| default_fill(effective_window)),
            force: thresholds.force.unwrap_or(0.85),
            critical: thresholds.critical.unwrap_or(0.90),
            exam: thresholds.exam.unwrap_or(exam::LOW),
            messages: [
                messages.optional.unwrap_or(30),
                messages.compress.unwrap_or(50),
                messages.force.unwrap_or(70),
            ],
            turns: thresholds.turns.unwrap_or(20),
            history,
            preserve_recent: self.preserved_by(self.strategy_in_force()),
            preserve_recent_tokens: self.preserve_recent_tokens.unwrap_or_default(),
            min_messages: self.min_messages.unwrap_or(10),
            auto: self.auto.unwrap_or(true),
            mask: self.mask.unwrap_or_default(),
            max_summary_tokens: self
                .max_summary_tokens
                .unwrap_or_else(|| render::default_bound(effective_window)),
        }
    }
}

impl Policy {
    /// The policy with its windows in tokens as the session counts them. Tokens that only the provider sees leave the window
    /// smaller by as much as `system_tokens` does not say already, but never by more than half. The effective window
    /// never exceeds the context window that was set, because reads of a context rely on it.
    pub fn calibrated(mut self, calibration: &Calibration) -> Self {
        let unseen = calibration.offset().saturating_sub(self.system_tokens).min(self.effective_window / 2);
        let seen = self.effective_window - unseen;
        self.effective_window = calibration.window(seen).min(self.context_window);
        self.context_window = calibration.window(self.context_window);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{MessageThresholds, Thresholds};

    #[test]
    fn thresholds_that_contradict_those_below_them_give_way() {
        let own = Thresholds { compress: Some(0.40), ..Thresholds::default() };
        let own = Settings { thresholds: Some(own), ..Settings::default() };
        let messages = MessageThresholds { force: Some(20), ..MessageThresholds::default() };
        let later = Thresholds { messages: Some(messages), ..Thresholds::default() };
        let later = Settings { fill: Some(0.60), thresholds: Some(later), ..Settings::default() };
        let policy = own.over(&later).policy();
        assert!(policy.fill < policy.compress && policy.warn <= policy.compress, "{policy:?}");
        assert_eq!(policy.messages, [30, 50, 50]);
    }

    #[test]
    fn consistent_thresholds_stay_as_they_are() {
        let policy = Settings::default().policy();
        assert_eq!(policy, Settings::default().resolved());
        assert!((policy.fill - 24_000.0 / 160_000.0).abs() < f64::EPSILON, "bounded in tokens");
    }
}
