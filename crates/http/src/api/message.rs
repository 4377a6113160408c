//! The shape of a message in the API's document.

use crate::api::prelude::*;

/// A message as its conversation format writes it. Every field is stored and comes back as it was sent.
///
/// An open object without declared fields: generators of clients drop fields that they do not know of a type with declared
/// ones, and send null for those that are absent.
// For the document alone: messages stay the text that they came as.
#[derive(Debug, ToSchema)]
#[schema(value_type = Object, examples(json!({"role": "user", "content": "Fix the port in src/main.rs."})))]
pub struct Message(pub serde_json::Value);
