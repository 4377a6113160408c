//! Why settings are refused.

/// Why settings are refused: the field, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {detail}")]
pub struct SettingsError {
    /// JSON pointer to the field.
    pub pointer: String,
    /// The error, and the values that are allowed.
    pub detail: String,
}

pub(super) fn refuse<T>(pointer: &str, detail: String) -> Result<T, SettingsError> {
    Err(SettingsError { pointer: pointer.to_owned(), detail })
}
