//! Which models sessions may name.

/// The models that sessions may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Models {
    /// Only these.
    Listed(Vec<String>),
    /// Any model that the provider offers.
    Any,
}

impl Models {
    /// Whether a session may name this model.
    #[must_use]
    pub fn allow(&self, model: &str) -> bool {
        match self {
            Self::Listed(names) => names.iter().any(|name| name == model),
            Self::Any => true,
        }
    }
}
