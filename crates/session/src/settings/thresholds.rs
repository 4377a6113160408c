//! The thresholds of the signals: those that a caller may set, and the resolved ones of the signals about
//! history.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::error::{SettingsError, refuse};

/// Overrides of thresholds; shares are of the effective window, from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// Share at which a warning is given. Default 0.60.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(exclusive_minimum = 0, maximum = 1)]
    pub warn: Option<f64>,
    /// Share at which a compression starts. Default 0.70.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(exclusive_minimum = 0, maximum = 1)]
    pub compress: Option<f64>,
    /// Share at which a compression is forced, and large tool outputs are clipped where none helps. Default 0.85.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(exclusive_minimum = 0, maximum = 1)]
    pub force: Option<f64>,
    /// Share at which a compression is immediate. Default 0.90.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(exclusive_minimum = 0, maximum = 1)]
    pub critical: Option<f64>,
    /// Share of right answers below which an exam is flagged as low and a model writes again what the reader missed.
    /// Default 0.50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1)]
    pub exam: Option<f64>,
    /// Message counts of the message-count signal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<MessageThresholds>,
    /// Turns since the anchor above which a compression is evaluated. Default 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// Share of the served tokens that a compression must save for `evaluate` to become `compress`. Default 0.20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, exclusive_maximum = 1)]
    pub savings: Option<f64>,
    /// Near-duplicate messages, or equal tool calls, among the last 12 that are called circular. Default 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 2, maximum = 12)]
    pub repeats: Option<u32>,
    /// Readings of the same, or files read again, among the last 20 tool calls that are called re-reading. Default 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 2, maximum = 20)]
    pub rereads: Option<u32>,
    /// Share of all readings above which readings of the same are called re-reading. Default 0.20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(exclusive_minimum = 0, maximum = 1)]
    pub reread_share: Option<f64>,
    /// How many times the session's median length the last messages must have to be verbose. Default 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(exclusive_minimum = 1, maximum = 100)]
    pub verbosity: Option<f64>,
    /// Share of the effective window within 5 minutes above which growth is warned of. Default 0.20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(exclusive_minimum = 0, maximum = 1)]
    pub growth: Option<f64>,
    /// Published versions from which on a new session is advised. Default 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub cycles: Option<u32>,
}

/// Uncompressed messages at which the message-count signal acts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageThresholds {
    /// Default 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub optional: Option<u32>,
    /// Default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub compress: Option<u32>,
    /// Default 70.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub force: Option<u32>,
}

impl Thresholds {
    /// These thresholds, with `defaults` for those that are not set.
    pub(super) fn over(&self, defaults: &Self) -> Self {
        let messages = match (&self.messages, &defaults.messages) {
            (Some(own), Some(below)) => Some(MessageThresholds {
                optional: own.optional.or(below.optional),
                compress: own.compress.or(below.compress),
                force: own.force.or(below.force),
            }),
            (own, below) => own.clone().or_else(|| below.clone()),
        };
        Self {
            warn: self.warn.or(defaults.warn),
            compress: self.compress.or(defaults.compress),
            force: self.force.or(defaults.force),
            critical: self.critical.or(defaults.critical),
            exam: self.exam.or(defaults.exam),
            messages,
            turns: self.turns.or(defaults.turns),
            savings: self.savings.or(defaults.savings),
            repeats: self.repeats.or(defaults.repeats),
            rereads: self.rereads.or(defaults.rereads),
            reread_share: self.reread_share.or(defaults.reread_share),
            verbosity: self.verbosity.or(defaults.verbosity),
            growth: self.growth.or(defaults.growth),
            cycles: self.cycles.or(defaults.cycles),
        }
    }
}

/// The thresholds of the signals about history, with every default resolved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = HistoryThresholds)]
pub struct HistoryRules {
    /// Share of the served tokens that a compression must save to be worth it.
    pub savings: f64,
    /// Repetitions among the last 12 messages or calls.
    pub repeats: u32,
    /// Readings of the same among the last 20 calls.
    pub rereads: u32,
    /// Readings of the same as a share of all.
    pub reread_share: f64,
    /// Length of the last messages, in medians of the session.
    pub verbosity: f64,
    /// Share of the effective window within 5 minutes.
    pub growth: f64,
    /// Published versions.
    pub cycles: u32,
}

impl HistoryRules {
    /// Resolves every default.
    pub(super) fn of(thresholds: &Thresholds) -> Self {
        Self {
            savings: thresholds.savings.unwrap_or(0.20),
            repeats: thresholds.repeats.unwrap_or(3),
            rereads: thresholds.rereads.unwrap_or(3),
            reread_share: thresholds.reread_share.unwrap_or(0.20),
            verbosity: thresholds.verbosity.unwrap_or(2.0),
            growth: thresholds.growth.unwrap_or(0.20),
            cycles: thresholds.cycles.unwrap_or(10),
        }
    }

    /// Checks limits.
    pub(super) fn validate(&self) -> Result<(), SettingsError> {
        let above_zero = |share: f64| share > 0.0 && share <= 1.0;
        // Written so that NaN, for which no comparison holds, is refused too.
        let rules = [
            ("savings", (0.0..1.0).contains(&self.savings), "must be at least 0 and below 1"),
            ("repeats", (2..=12).contains(&self.repeats), "must be from 2 to 12"),
            ("rereads", (2..=20).contains(&self.rereads), "must be from 2 to 20"),
            ("reread_share", above_zero(self.reread_share), "must be above 0 and at most 1"),
            ("verbosity", self.verbosity > 1.0 && self.verbosity <= 100.0, "must be above 1 and at most 100"),
            ("growth", above_zero(self.growth), "must be above 0 and at most 1"),
            ("cycles", self.cycles > 0, "must be at least 1"),
        ];
        for (name, holds, detail) in rules {
            if !holds {
                return refuse(&format!("/thresholds/{name}"), detail.to_owned());
            }
        }
        Ok(())
    }
}
