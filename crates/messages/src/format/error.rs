//! Why a message or a body is refused, and where.

/// Why a message or a request body is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {detail}")]
pub struct FormatError {
    /// JSON pointer to the offending place, relative to the text that was parsed.
    pub pointer: String,
    /// The fault at this place, for the caller.
    pub detail: String,
}

impl FormatError {
    pub(super) fn at(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), detail: detail.into() }
    }

    /// The same error for the enclosing value: the pointer gets `prefix` in front.
    pub fn under(mut self, prefix: &str) -> Self {
        self.pointer.insert_str(0, prefix);
        self
    }
}
