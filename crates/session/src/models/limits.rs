//! A model that is known, and its limits.

use serde::Serialize;
use utoipa::ToSchema;

use anchord_messages::tokens::Tokenizer;

/// Who says what a model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = ModelOrigin)]
pub enum Origin {
    /// The service.
    BuiltIn,
    /// The tenant.
    Tenant,
}

/// A model that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownModel {
    /// Its names. The names of built-in models stand for their variants, too.
    pub names: Vec<String>,
    /// Who made it; `None` for a tenant's.
    pub provider: Option<String>,
    /// Its limits.
    pub limits: ModelLimits,
    /// Where the figures come from; `None` for a tenant's.
    pub source: Option<String>,
    /// The day on which they were read there.
    pub as_of: Option<String>,
    /// Who says so.
    pub origin: Origin,
}

/// The limits of a model, in its own tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelLimits {
    /// The context window: prompt and answer.
    pub context_window: u32,
    /// The most tokens of a prompt, where that is less than the window.
    pub max_input_tokens: Option<u32>,
    /// The most tokens of an answer, where it is known.
    pub max_output_tokens: Option<u32>,
    /// The closest tokenizer.
    pub tokenizer: Tokenizer,
}

impl ModelLimits {
    /// The reserve for the answer in a window of this size: the longest answer, but at most `usual`; and at least
    /// what a prompt may not take.
    pub fn reserve(&self, window: u32, usual: u32) -> u32 {
        let answer = self.max_output_tokens.map_or(usual, |most| most.min(usual));
        let beyond = self.max_input_tokens.map_or(0, |most| window.saturating_sub(most));
        answer.max(beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_is_the_longest_answer_within_the_usual_share_and_what_a_prompt_may_not_take() {
        let limits = ModelLimits {
            context_window: 128_000,
            max_input_tokens: None,
            max_output_tokens: Some(16_384),
            tokenizer: Tokenizer::O200kBase,
        };
        assert_eq!(limits.reserve(128_000, 25_600), 16_384);
        assert_eq!(limits.reserve(20_000, 4_000), 4_000, "in a smaller window");
        assert_eq!(ModelLimits { max_output_tokens: None, ..limits }.reserve(128_000, 25_600), 25_600);
        let split =
            ModelLimits { max_input_tokens: Some(272_000), max_output_tokens: Some(128_000), ..limits };
        assert_eq!(split.reserve(400_000, 80_000), 128_000);
        assert_eq!(split.reserve(8_000, 1_600), 1_600);
    }
}
