//! Which models may write summaries.

/// The models that sessions may name as `summary_model`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SummaryModels {
    /// Only these.
    Listed(Vec<String>),
    /// Any model that the provider offers.
    Any,
}

impl SummaryModels {
    /// Whether a session may name this model.
    pub fn allow(&self, model: &str) -> bool {
        match self {
            Self::Listed(names) => names.iter().any(|name| name == model),
            Self::Any => true,
        }
    }
}
