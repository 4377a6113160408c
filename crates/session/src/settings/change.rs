//! Applies a caller's change of settings to the stored document, and parses the result.

use serde_json::{Map, Value};

use super::document::Settings;
use super::error::{SettingsError, refuse};
use super::limits::limits_of;
use anchord_messages::misread::{escape, must_be, place, pointer};

impl Settings {
    /// The settings that replace these: an absent field has its default. A tenant's pins, which are stored with its
    /// settings and are none, stay.
    ///
    /// # Errors
    /// As for [`Self::patched`].
    pub fn replaced(&self, settings: Map<String, Value>, defaults: &Self) -> Result<Self, SettingsError> {
        Self { wide: self.wide.clone(), ..Self::default() }.patched(settings, defaults)
    }

    /// The settings after a caller's change: an absent field keeps its value, null resets it. One of a pair
    /// of thresholds may be set in `defaults`, so the result is validated together with them.
    ///
    /// # Errors
    /// When a field is unknown, has a wrong type, or the result is not consistent.
    pub fn patched(&self, change: Map<String, Value>, defaults: &Self) -> Result<Self, SettingsError> {
        let mut document = match serde_json::to_value(self) {
            Ok(Value::Object(document)) => document,
            Ok(_) | Err(_) => Map::new(),
        };
        refuse_unknown(&change)?;
        let sent = Value::Object(change.clone());
        merge_patch(&mut document, change);
        // An empty object means that nothing is set; for any other field an object has the wrong type.
        for name in ["thresholds", "metadata"] {
            if document.get(name).and_then(Value::as_object).is_some_and(Map::is_empty) {
                document.remove(name);
            }
        }
        let settings: Self = read_settings(document)?;
        settings.check(defaults, |pointer| is_sent(&sent, pointer))?;
        Ok(settings)
    }

    /// The settings with another model.
    ///
    /// # Errors
    /// When that is no name, or the other settings leave nothing of its window.
    pub fn with_model(&self, model: &str, defaults: &Self) -> Result<Self, SettingsError> {
        let settings = Self { model: Some(model.to_owned()), ..self.clone() };
        settings.check(defaults, |pointer| pointer == "/model")?;
        Ok(settings)
    }
}

/// Whether a change names the field at a pointer, or resets an object around it.
fn is_sent(change: &Value, pointer: &str) -> bool {
    let mut at = change;
    for name in pointer.split('/').skip(1) {
        match at.get(name.replace("~1", "/").replace("~0", "~")) {
            Some(inner) => at = inner,
            None => return at.is_null(),
        }
    }
    true
}

/// Refuses unknown names before the patch: null removes a field, so a null of an unknown name would not be
/// noticed.
fn refuse_unknown(change: &Map<String, Value>) -> Result<(), SettingsError> {
    for name in change.keys() {
        let alone = Map::from_iter([(name.clone(), Value::Null)]);
        // A tenant's field beyond defaults is no setting of a caller.
        if name == "wide" || serde_json::from_value::<Settings>(Value::Object(alone)).is_err() {
            return refuse(&format!("/{}", escape(name)), "unknown field".to_owned());
        }
    }
    Ok(())
}

/// JSON merge patch; `metadata` belongs to the caller and is replaced as a whole.
fn merge_patch(document: &mut Map<String, Value>, change: Map<String, Value>) {
    for (name, value) in change {
        if value.is_null() {
            document.remove(&name);
            continue;
        }
        if name != "metadata"
            && let (Some(Value::Object(slot)), Value::Object(inner)) = (document.get_mut(&name), &value)
        {
            merge_patch(slot, inner.clone());
        } else {
            let value = if name == "metadata" { value } else { without_nulls(value) };
            document.insert(name, value);
        }
    }
}

/// A nested null resets a field that was never set.
fn without_nulls(value: Value) -> Value {
    if let Value::Object(inner) = value {
        let mut fresh = Map::new();
        merge_patch(&mut fresh, inner);
        return Value::Object(fresh);
    }
    value
}

/// Parses field by field, so that the error names the field.
fn read_settings(document: Map<String, Value>) -> Result<Settings, SettingsError> {
    // serde would accept an array for a struct.
    let thresholds = document.get("thresholds");
    let messages = thresholds.and_then(|thresholds| thresholds.get("messages"));
    for (pointer, value) in [("/thresholds", thresholds), ("/thresholds/messages", messages)] {
        if value.is_some_and(Value::is_array) {
            return refuse(pointer, "must be an object".to_owned());
        }
    }
    for (name, value) in &document {
        let mut one = Map::new();
        one.insert(name.clone(), value.clone());
        if let Err(error) = serde_path_to_error::deserialize::<_, Settings>(Value::Object(one)) {
            return Err(misread(name, &error));
        }
    }
    serde_json::from_value(Value::Object(document)).or_else(|error| refuse("", must_be(&error.to_string())))
}

/// Refuses a value that the field cannot have, with the field's limits.
fn misread(name: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> SettingsError {
    let detail = must_be(&error.inner().to_string());
    let pointer = match pointer(error.path()) {
        whole if whole.is_empty() => format!("/{}", escape(name)),
        inner => place(inner, &detail),
    };
    let detail = limits_of(name).unwrap_or(detail);
    SettingsError { pointer, detail }
}
