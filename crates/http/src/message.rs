//! The shape of a message in the API's document.

use utoipa::ToSchema;

/// A message as its conversation format writes it: every field is kept, also those that are not listed here.
// For the document alone: messages stay the text that they came as.
#[derive(Debug, ToSchema)]
pub struct Message {
    /// Who speaks; items of `openai-responses` that are no messages have none.
    #[schema(required = false)]
    pub role: String,
    /// What kind of item it is, in `openai-responses`.
    #[schema(required = false)]
    pub r#type: serde_json::Value,
    /// Text, or parts or blocks of the format.
    #[schema(required = false)]
    pub content: serde_json::Value,
    /// Who it is among those of one role.
    #[schema(required = false)]
    pub name: serde_json::Value,
    /// Calls, in `openai-chat`.
    #[schema(required = false)]
    pub tool_calls: serde_json::Value,
    /// The call that it answers, in `openai-chat`.
    #[schema(required = false)]
    pub tool_call_id: serde_json::Value,
    /// The call that it is or answers, in `openai-responses`.
    #[schema(required = false)]
    pub call_id: serde_json::Value,
    /// What a call is given, in `openai-responses`.
    #[schema(required = false)]
    pub arguments: serde_json::Value,
    /// What a call gave, in `openai-responses`.
    #[schema(required = false)]
    pub output: serde_json::Value,
}
