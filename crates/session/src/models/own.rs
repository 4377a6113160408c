//! Models that a tenant adds.

use serde::{Deserialize, Serialize};

use anchord_messages::tokens::Tokenizer;

use super::limits::{KnownModel, ModelLimits, Origin};
use super::name::is_same;

/// The most models that a tenant may add. They are read with the tenant's settings at every append.
pub const MAX_OWN_MODELS: usize = 50;

/// A model that a tenant added. It is found by this name, provider and `:latest` aside, and not by variants of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnModel {
    /// Its name.
    pub name: String,
    /// The context window, in tokens.
    pub context_window: u32,
    /// The most tokens of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// The closest tokenizer.
    #[serde(default)]
    pub tokenizer: Tokenizer,
}

impl OwnModel {
    /// Whether it is the model of this name.
    pub fn is_named(&self, name: &str) -> bool {
        is_same(&self.name, name)
    }

    /// Its limits.
    pub fn limits(&self) -> ModelLimits {
        ModelLimits {
            context_window: self.context_window,
            max_input_tokens: None,
            max_output_tokens: self.max_output_tokens,
            tokenizer: self.tokenizer,
        }
    }
}

impl From<&OwnModel> for KnownModel {
    fn from(model: &OwnModel) -> Self {
        Self {
            names: vec![model.name.clone()],
            provider: None,
            limits: model.limits(),
            source: None,
            as_of: None,
            origin: Origin::Tenant,
        }
    }
}
