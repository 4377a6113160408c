//! Tokens by component.

use serde::Serialize;
use utoipa::ToSchema;

/// Tokens by component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ComponentTokens)]
pub struct Components {
    /// The system prompt, the pins, and the messages that are kept beside the summary.
    pub system: u64,
    /// Tokens that the caller sends beside the context, as set in `system_tokens`.
    pub tool_definitions: u64,
    /// Messages, tool outputs and retrieved documents aside.
    pub history: u64,
    /// Tool outputs, as they are served.
    pub tool_outputs: u64,
    /// Messages that the caller marked as retrieved documents.
    pub retrieved_documents: u64,
    /// The summary.
    pub summary: u64,
    /// The digest of the messages that it covers.
    pub digest: u64,
    /// The agent's notes.
    pub notes: u64,
}
