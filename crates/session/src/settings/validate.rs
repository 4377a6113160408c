//! Checks the limits of settings, and whether they are consistent.

use serde_json::{Map, Value};

use super::document::{Settings, WindowSource};
use super::error::{SettingsError, refuse};
use super::limits::{
    HYSTERESIS_SHARE, MAX_CONTEXT_WINDOW, MAX_METADATA_BYTES, MAX_METADATA_FIELDS, MAX_METADATA_LEVELS,
    MAX_METADATA_NAME_CHARS, MAX_PRESERVE_RECENT, limits_of,
};
use super::policy::Policy;
use super::thresholds::Thresholds;
use crate::models;
use anchord_messages::misread::escape;

/// The fields that decide how large the effective window is.
const OF_THE_WINDOW: [&str; 5] =
    ["/context_window", "/model", "/reserved_output_tokens", "/system_tokens", "/safety_buffer"];
/// The least effective window.
const LEAST_WINDOW: i64 = 800;

/// A rule that settings break: the places that could mend it, each with what is allowed there.
struct Conflict(Vec<(String, String)>);

impl Conflict {
    fn at(pointer: &str, detail: impl Into<String>) -> Self {
        Self(vec![(pointer.to_owned(), detail.into())])
    }

    fn or(mut self, pointer: &str, detail: impl Into<String>) -> Self {
        self.0.push((pointer.to_owned(), detail.into()));
        self
    }

    fn beyond(name: &str) -> Self {
        Self::at(&format!("/{name}"), limits_of(name).unwrap_or_default())
    }
}

/// Settings with those below them, as they are checked.
struct Checked<'a> {
    own: &'a Settings,
    below: &'a Settings,
    policy: Policy,
}

impl Settings {
    /// Checks limits, and whether the settings and those below them agree. Only a field that was sent is refused, so a
    /// contradiction that came about otherwise (the tenant has changed its settings since) is left to [`Settings::policy`],
    /// which resolves it.
    ///
    /// # Errors
    /// When a value that was sent is outside its limits or contradicts another. The error names the field that was sent,
    /// and in its detail the other value with where it comes from.
    pub(super) fn check(&self, below: &Self, is_sent: impl Fn(&str) -> bool) -> Result<(), SettingsError> {
        let checked = Checked { own: self, below, policy: self.over(below).resolved() };
        for Conflict(places) in checked.conflicts() {
            if let Some((pointer, detail)) = places.into_iter().find(|(pointer, _)| is_sent(pointer)) {
                return refuse(&pointer, detail);
            }
        }
        Ok(())
    }
}

impl Checked<'_> {
    fn conflicts(&self) -> Vec<Conflict> {
        let mut found = Vec::new();
        self.check_window(&mut found);
        self.check_levels(&mut found);
        self.check_fill(&mut found);
        self.check_history(&mut found);
        self.check_texts(&mut found);
        found
    }

    fn check_window(&self, found: &mut Vec<Conflict>) {
        let policy = &self.policy;
        if !(1_000..=MAX_CONTEXT_WINDOW).contains(&policy.context_window) {
            found.push(Conflict::beyond("context_window"));
        }
        let buffer = self.own.safety_buffer.or(self.below.safety_buffer).unwrap_or_default();
        let parts = [policy.reserved_output_tokens, policy.system_tokens, buffer];
        let left =
            parts.into_iter().fold(i64::from(policy.context_window), |left, part| left - i64::from(part));
        if left < LEAST_WINDOW {
            let detail = self.parts_of_the_window(left, parts);
            found.push(Conflict(OF_THE_WINDOW.map(|pointer| (pointer.to_owned(), detail.clone())).into()));
        }
        if policy.preserve_recent_tokens > policy.effective_window {
            let window = policy.effective_window;
            let most = format!("must be at most the effective window, {window} tokens");
            let mut conflict = Conflict::at("/preserve_recent_tokens", most);
            for pointer in OF_THE_WINDOW {
                let detail = format!(
                    "leaves an effective window of {window} tokens, and preserve_recent_tokens is {} ({})",
                    policy.preserve_recent_tokens,
                    whose(self.own.preserve_recent_tokens, self.below.preserve_recent_tokens)
                );
                conflict = conflict.or(pointer, detail);
            }
            found.push(conflict);
        }
        if policy.preserve_recent > MAX_PRESERVE_RECENT {
            found.push(Conflict::beyond("preserve_recent"));
        }
        if self.own.max_summary_tokens.is_some_and(|tokens| !(200..=100_000).contains(&tokens)) {
            found.push(Conflict::beyond("max_summary_tokens"));
        }
    }

    /// The parts of the window, and where each comes from.
    fn parts_of_the_window(&self, left: i64, [reserve, system, buffer]: [u32; 3]) -> String {
        let (own, below) = (self.own, self.below);
        let window = match own.window_source(below) {
            WindowSource::Session => "as set".to_owned(),
            WindowSource::Tenant => "the tenant's".to_owned(),
            WindowSource::Model(model) | WindowSource::TenantModel(model) => format!("that of {model}"),
            WindowSource::UnknownModel(_) | WindowSource::Assumed => "the default".to_owned(),
        };
        let told = [
            ("reserved_output_tokens", reserve, own.reserved_output_tokens, below.reserved_output_tokens),
            ("system_tokens", system, own.system_tokens, below.system_tokens),
            ("safety_buffer", buffer, own.safety_buffer, below.safety_buffer),
        ];
        let parts: Vec<String> = told
            .into_iter()
            .filter(|(_, tokens, ..)| *tokens > 0)
            .map(|(name, tokens, own, below)| format!("{name} {tokens} ({})", whose(own, below)))
            .collect();
        format!(
            "leaves {left} tokens, at least {LEAST_WINDOW} are needed: context_window {} ({window}) less {}",
            self.policy.context_window,
            parts.join(", ")
        )
    }

    fn check_levels(&self, found: &mut Vec<Conflict>) {
        let policy = &self.policy;
        let (own, below) = (self.own.thresholds.as_ref(), self.below.thresholds.as_ref());
        let level = |name: &'static str, share: f64, read: fn(&Thresholds) -> Option<f64>| {
            (name, share, whose(own.and_then(read), below.and_then(read)))
        };
        let levels = [
            level("warn", policy.warn, |t| t.warn),
            level("compress", policy.compress, |t| t.compress),
            level("force", policy.force, |t| t.force),
            level("critical", policy.critical, |t| t.critical),
        ];
        for (name, share, _) in levels {
            if !share.is_finite() || share <= 0.0 || share > 1.0 {
                let place = format!("/thresholds/{name}");
                found.push(Conflict::at(&place, "must be above 0 and at most 1"));
            }
        }
        for pair in levels.windows(2) {
            let [(low, least, of_low), (high, most, of_high)] = pair else { continue };
            if least > most {
                let at_most = format!("must be at most {high}, which is {most} ({of_high})");
                let at_least = format!("must be at least {low}, which is {least} ({of_low})");
                let conflict = Conflict::at(&format!("/thresholds/{low}"), at_most);
                found.push(conflict.or(&format!("/thresholds/{high}"), at_least));
            }
        }
        if !(0.0..=1.0).contains(&policy.exam) {
            found.push(Conflict::at("/thresholds/exam", "must be from 0 to 1"));
        }
        let [optional, compress, force] = policy.messages;
        if optional == 0 || optional > compress || compress > force {
            let detail = format!(
                "must hold 1 <= optional <= compress <= force, and these are {optional}, {compress} and {force} together with what is not set here"
            );
            found.push(Conflict::at("/thresholds/messages", detail));
        }
    }

    fn check_fill(&self, found: &mut Vec<Conflict>) {
        let compress = self.policy.compress;
        let (own, below) = (self.own.thresholds.as_ref(), self.below.thresholds.as_ref());
        let whose_compress = whose(own.and_then(|t| t.compress), below.and_then(|t| t.compress));
        let most = compress - HYSTERESIS_SHARE;
        let fill = self.own.fill.or(self.below.fill);
        if let Some(fill) = fill.filter(|fill| !(*fill > 0.0 && *fill <= most + f64::EPSILON)) {
            let detail = format!(
                "must be above 0 and at most {most:.2}, which is compress ({whose_compress}) less {HYSTERESIS_SHARE:.2}"
            );
            let other = format!(
                "must be {HYSTERESIS_SHARE:.2} above fill, which is {fill} ({})",
                whose(self.own.fill, self.below.fill)
            );
            found.push(Conflict::at("/fill", detail).or("/thresholds/compress", other));
        }
    }

    fn check_history(&self, found: &mut Vec<Conflict>) {
        if let Err(refused) = self.policy.history.validate() {
            found.push(Conflict::at(&refused.pointer, refused.detail));
        }
        let strategy = self.own.strategy;
        if strategy.is_some_and(|strategy| self.own.over(self.below).refuses(strategy)) {
            let detail = "opaque cannot be verified and is refused for critical sessions";
            let other = "must be false with strategy opaque (as set), which cannot be verified";
            found.push(Conflict::at("/strategy", detail).or("/critical", other));
        }
    }

    fn check_texts(&self, found: &mut Vec<Conflict>) {
        let own = self.own;
        for (name, text) in [
            ("task_id", &own.task_id),
            ("parent_session_id", &own.parent_session_id),
            ("user", &own.user),
            ("summary_model", &own.summary_model),
        ] {
            let fits =
                text.as_deref().is_none_or(|t| (1..=200).contains(&t.chars().count()) && !t.contains('\0'));
            if !fits {
                found.push(Conflict::at(&format!("/{name}"), "must have 1 to 200 characters and no NUL"));
            }
        }
        if own.model.as_deref().is_some_and(|model| !models::is_name(model)) {
            found.push(Conflict::at("/model", "must have 1 to 200 characters and no control characters"));
        }
        if let Some(metadata) = &own.metadata {
            check_metadata(metadata, found);
        }
    }
}

/// Where a value in force comes from.
fn whose<T>(own: Option<T>, below: Option<T>) -> &'static str {
    match (own, below) {
        (Some(_), _) => "as set",
        (None, Some(_)) => "the tenant's",
        (None, None) => "the default",
    }
}

fn check_metadata(metadata: &Map<String, Value>, found: &mut Vec<Conflict>) {
    let text = serde_json::to_string(metadata).unwrap_or_default();
    if text.len() > MAX_METADATA_BYTES {
        found.push(Conflict::at("/metadata", format!("must be at most {MAX_METADATA_BYTES} bytes as JSON")));
    }
    if metadata.len() > MAX_METADATA_FIELDS {
        found.push(Conflict::at("/metadata", format!("must have at most {MAX_METADATA_FIELDS} fields")));
    }
    for (name, value) in metadata {
        if !(1..=MAX_METADATA_NAME_CHARS).contains(&name.chars().count()) {
            let detail = format!("names of fields must have 1 to {MAX_METADATA_NAME_CHARS} characters");
            found.push(Conflict::at("/metadata", detail));
        }
        if levels(value) >= MAX_METADATA_LEVELS {
            let detail = format!("must be nested at most {MAX_METADATA_LEVELS} levels deep");
            found.push(Conflict::at(&format!("/metadata/{}", escape(name)), detail));
        }
        // The database reads single settings from the document, which fails if it contains NUL.
        if name.contains('\0') {
            found.push(Conflict::at("/metadata", "names of fields must not contain NUL"));
        }
        if has_nul(value) {
            found.push(Conflict::at(&format!("/metadata/{}", escape(name)), "must not contain NUL"));
        }
        if loses_digits(value) {
            let detail = "must not contain whole numbers of more than 64 bits; send them as text";
            found.push(Conflict::at(&format!("/metadata/{}", escape(name)), detail));
        }
    }
}

/// How many objects and lists are around the innermost value. The parser refuses nesting deeper than 128.
fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(levels).max().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Whether a number of it is so large that a parser has rounded it.
fn loses_digits(value: &Value) -> bool {
    /// The first whole number that has no neighbour among the numbers of 64 bits with a fraction.
    const INEXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) => number.is_f64() && number.as_f64().is_some_and(|is| is.abs() >= INEXACT),
        Value::Array(items) => items.iter().any(loses_digits),
        Value::Object(fields) => fields.values().any(loses_digits),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
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
