//! Checks the limits of settings, and whether they are consistent.

use serde_json::{Map, Value};

use super::document::Settings;
use super::error::{SettingsError, refuse};
use super::limits::{
    DEFAULT_CONTEXT_WINDOW, HYSTERESIS_SHARE, MAX_CONTEXT_WINDOW, MAX_METADATA_BYTES, MAX_METADATA_FIELDS,
    MAX_METADATA_LEVELS, MAX_METADATA_NAME_CHARS, MAX_PRESERVE_RECENT, limits_of,
};
use super::policy::Policy;
use anchord_messages::misread::escape;

impl Settings {
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
            ("user", &self.user),
            ("model", &self.model),
        ] {
            let fits =
                text.as_deref().is_none_or(|t| (1..=200).contains(&t.chars().count()) && !t.contains('\0'));
            if !fits {
                return refuse(&format!("/{name}"), "must have 1 to 200 characters and no NUL".to_owned());
            }
        }
        self.metadata.as_ref().map_or(Ok(()), validate_metadata)?;
        Ok(())
    }

    /// Checks the fill and its earlier name, `target`.
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

fn validate_metadata(metadata: &Map<String, Value>) -> Result<(), SettingsError> {
    let text = serde_json::to_string(metadata).unwrap_or_default();
    if text.len() > MAX_METADATA_BYTES {
        return refuse("/metadata", format!("must be at most {MAX_METADATA_BYTES} bytes as JSON"));
    }
    if metadata.len() > MAX_METADATA_FIELDS {
        return refuse("/metadata", format!("must have at most {MAX_METADATA_FIELDS} fields"));
    }
    for (name, value) in metadata {
        if !(1..=MAX_METADATA_NAME_CHARS).contains(&name.chars().count()) {
            let detail = format!("names of fields must have 1 to {MAX_METADATA_NAME_CHARS} characters");
            return refuse("/metadata", detail);
        }
        if levels(value) >= MAX_METADATA_LEVELS {
            let detail = format!("must be nested at most {MAX_METADATA_LEVELS} levels deep");
            return refuse(&format!("/metadata/{}", escape(name)), detail);
        }
        // The database reads single settings from the document, which fails if it contains NUL.
        if name.contains('\0') || has_nul(value) {
            return refuse("/metadata", "must not contain NUL".to_owned());
        }
    }
    Ok(())
}

/// How many objects and lists are around the innermost value. The parser refuses nesting deeper than 128.
fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(levels).max().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
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

/// Refuses a number outside its limits.
fn beyond<T>(name: &str) -> Result<T, SettingsError> {
    refuse(&format!("/{name}"), limits_of(name).unwrap_or_default())
}
