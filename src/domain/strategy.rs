//! Who reads a span, and how a version is made of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How the next version is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Reads the new span only and merges it into the current version.
    #[default]
    Anchored,
    /// Reconstructs the session in one dense line; cannot be verified.
    Opaque,
    /// Reads the whole history afresh.
    Regenerative,
    /// Keeps the last messages in whole groups and the ledger's sections, without a narrative.
    SlidingWindow,
    /// Made by a rollback, never by a compression.
    Rollback,
}

impl Strategy {
    /// The strategy's word in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anchored => "anchored",
            Self::Opaque => "opaque",
            Self::Regenerative => "regenerative",
            Self::SlidingWindow => "sliding_window",
            Self::Rollback => "rollback",
        }
    }
}

/// Who reads the span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EngineChoice {
    /// The LLM when one is configured, else the deterministic engine.
    #[default]
    Auto,
    /// The deterministic engine.
    Extractive,
    /// The configured LLM.
    Llm,
}

/// Who read the span of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// The deterministic engine.
    Extractive,
    /// An LLM.
    Llm,
}

impl Engine {
    /// The engine's word in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Extractive => "extractive",
            Self::Llm => "llm",
        }
    }
}
