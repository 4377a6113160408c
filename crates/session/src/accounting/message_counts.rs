//! The values of one message that a session's counts are made from.

use std::hash::Hasher as _;

use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::shape::{Feature, Shape, is_blank};
use fnv::FnvHasher;

/// The values of one message that a session's counts are made from.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one thing of a message, and none excludes another"
)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageCounts {
    /// Its position.
    pub seq: Seq,
    /// Who speaks.
    pub role: Role,
    /// Its tokens, as stored.
    pub tokens: u32,
    /// Its tokens that are tool output.
    pub tool_output_tokens: u32,
    /// Tool calls in it.
    pub calls: u32,
    /// Tool results in it.
    pub results: u32,
    /// Whether it has nothing but tool results.
    pub only_results: bool,
    /// Whether a program's instructions stand in it in the place of a person's words.
    pub instructions: bool,
    /// Whether the caller marked it as a retrieved document.
    pub retrieved: bool,
    /// Whether it is served also when a summary covers it.
    pub kept: bool,
    /// Bytes of its body.
    pub bytes: u32,
    /// Whether it is an item of the Responses API.
    pub is_item: bool,
    /// Whether it is thinking alone.
    pub thinks: bool,
    /// Whether one of its tool results has no id, nor a name as the results of the older functions have.
    pub unnamed_results: bool,
    /// Whether it has no content.
    pub empty: bool,
    /// Hashes of the ids of its tool calls.
    pub call_ids: Vec<u32>,
    /// Hashes of the call ids that its tool results name.
    pub answered_ids: Vec<u32>,
}

impl MessageCounts {
    /// Counts a message without its body and its mark: `bytes` is 0, `is_item` and `kept` are false.
    pub fn of(seq: Seq, role: Role, tokens: u32, shape: Option<&Shape>, retrieved: bool) -> Self {
        let results = shape.map_or(&[][..], |shape| &shape.results);
        let named = results.iter().filter(|result| !is_blank(&result.call_id));
        Self {
            seq,
            role,
            tokens,
            tool_output_tokens: results.iter().fold(0, |sum, result| sum.saturating_add(result.tokens)),
            calls: shape.map_or(0, |shape| u32::try_from(shape.calls.len()).unwrap_or(u32::MAX)),
            results: u32::try_from(results.len()).unwrap_or(u32::MAX),
            only_results: role == Role::Tool || shape.is_some_and(|shape| shape.has(Feature::OnlyResults)),
            instructions: shape.is_some_and(|shape| shape.has(Feature::Instructions)),
            retrieved,
            kept: false,
            bytes: 0,
            is_item: false,
            thinks: shape.is_some_and(|shape| shape.has(Feature::OnlyThinking)),
            unnamed_results: results.iter().any(|result| is_blank(&result.call_id) && result.name.is_none()),
            empty: shape.is_some_and(|shape| shape.has(Feature::Blank)),
            call_ids: shape.iter().flat_map(|shape| &shape.calls).map(|call| id_hash(&call.id)).collect(),
            answered_ids: named.map(|result| id_hash(&result.call_id)).collect(),
        }
    }
}

/// A short hash of a call's id: two different ids of one group with the same hash only cost a warning.
fn id_hash(id: &str) -> u32 {
    let mut hasher = FnvHasher::default();
    hasher.write(id.as_bytes());
    u32::try_from(hasher.finish() >> 32).unwrap_or_default()
}
