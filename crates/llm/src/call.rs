//! A call to a model, and what one attempt at it returns.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::error::LlmError;

/// Request to a model.
#[derive(Clone)]
pub struct Call {
    /// The model.
    pub model: String,
    /// The instructions.
    pub system: String,
    /// The data that the instructions are about.
    pub user: String,
    /// Where in the data the parts end that later calls may begin with, ascending; a server is asked to cache up to them.
    pub parts: Vec<usize>,
    /// The name under which a server keeps together what calls with the same beginning cache; it identifies nobody.
    pub cache_key: Option<String>,
    /// The JSON schema of the answer.
    pub schema: Value,
    /// The most tokens that the answer may have.
    pub max_output_tokens: u32,
    /// An estimate of the tokens of the input; the deadline grows with it.
    pub input_tokens: u32,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("model", &self.model)
            .field("input_tokens", &self.input_tokens)
            .finish_non_exhaustive()
    }
}

/// The tokens that one attempt used, as the server counts them; 0 where it reports none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens in, cached ones included.
    pub input_tokens: u64,
    /// The part of them that the server read from its cache.
    pub cached_tokens: u64,
    /// Tokens out.
    pub output_tokens: u64,
}

/// One request and its outcome.
pub struct Attempt {
    /// The text of the answer.
    pub result: Result<String, LlmError>,
    /// The tokens that it used.
    pub usage: Usage,
    /// How long it took.
    pub latency: Duration,
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = self.result.as_ref().err();
        f.debug_struct("Attempt").field("usage", &self.usage).field("error", &error).finish_non_exhaustive()
    }
}

/// A response as it is parsed from a wire format.
pub(super) struct Response {
    pub(super) result: Result<String, LlmError>,
    pub(super) usage: Usage,
}
