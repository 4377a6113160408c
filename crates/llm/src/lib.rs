//! Model servers: how they are asked, and what comes back.
//!
//! What lives here: one client over two wire formats (chat completions and messages), its deadlines,
//! its limits and its circuit breakers.
//! Invariant: a key and the text of a prompt or a reply are in no log, no error and no `Debug`; a body
//! is read to a bound; no redirect is followed, so that a key goes to the operator's address alone.
//! Must not know: what is asked (the domain writes prompts and reads replies), jobs, the database.

mod anthropic;
mod breaker;
mod client;
mod dialect;
mod limits;
mod openai;

use std::collections::BTreeMap;
use std::time::Duration;

use secrecy::SecretString;

use anchord_session::models::Models;

pub use client::{Attempt, Call, Client, Usage};

/// Which wire format a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Chat completions.
    Openai,
    /// Messages.
    Anthropic,
}

impl Provider {
    /// The provider's word in configuration and records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
        }
    }
}

/// What a million tokens cost, in millionths of the currency (so that one token of a price of 1 costs 1).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Price {
    /// Per million tokens in.
    pub input: f64,
    /// Per million tokens out.
    pub output: f64,
}

/// What the operator configured.
#[derive(Clone, Debug)]
pub struct Options {
    /// The wire format.
    pub provider: Provider,
    /// The server's base URL; the provider's own without it.
    pub base_url: Option<String>,
    /// The key, for servers that want one.
    pub api_key: Option<SecretString>,
    /// Whether chat completions get the key as `api-key`, and not as a bearer's.
    pub sends_api_key: bool,
    /// The model of sessions that name none.
    pub model: String,
    /// The models that sessions may name.
    pub models: Models,
    /// The model that answers probes; code does without one.
    pub probe_model: Option<String>,
    /// The model that writes exams; there are none without one.
    pub exam_model: Option<String>,
    /// The model that judges summaries; there is no rubric without one.
    pub judge_model: Option<String>,
    /// Prices by model; a model without one costs nothing that is known.
    pub prices: BTreeMap<String, Price>,
    /// Tokens that the model reads and writes at most in one call.
    pub context_tokens: u32,
    /// Calls at the same time.
    pub concurrency: usize,
    /// Calls of one tenant at the same time.
    pub tenant_concurrency: usize,
    /// The deadline of a call without input; input adds to it.
    pub timeout: Duration,
    /// Tokens that the server is trusted to read in a second: what a deadline grows by.
    pub tokens_per_second: u32,
    /// The first wait before a try again, when the server names none; doubled and jittered after that.
    pub backoff: Duration,
    /// The longest wait that a server may ask for before the call is given up.
    pub longest_wait: Duration,
}

impl Options {
    /// The defaults around a provider and its model.
    #[must_use]
    pub fn new(provider: Provider, model: String) -> Self {
        Self {
            provider,
            base_url: None,
            api_key: None,
            sends_api_key: false,
            models: Models::Listed(vec![model.clone()]),
            model,
            probe_model: None,
            exam_model: None,
            judge_model: None,
            prices: BTreeMap::new(),
            context_tokens: 128_000,
            concurrency: 8,
            tenant_concurrency: 2,
            timeout: Duration::from_mins(1),
            tokens_per_second: 500,
            backoff: Duration::from_secs(1),
            longest_wait: Duration::from_mins(1),
        }
    }
}

/// Why a call failed. Never with a text of the server's, which may repeat the prompt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LlmError {
    /// The server answered with an error.
    #[error("the model server answered {status}")]
    Status {
        /// Its status.
        status: u16,
        /// How long it asks to be left alone.
        retry_after: Option<Duration>,
    },
    /// The input is too long for the model.
    #[error("the input is too long for the model")]
    TooLong,
    /// The server does not know the model, or it may not be used.
    #[error("the model server does not offer the model")]
    NoModel,
    /// No answer within the deadline.
    #[error("no answer within the deadline")]
    Timeout,
    /// The server cannot be reached, or hung up.
    #[error("the model server cannot be reached, or hung up")]
    Connection,
    /// The answer is not in the provider's wire format.
    #[error("the answer is not in the provider's wire format")]
    Malformed,
    /// The model refused to answer.
    #[error("the model refused to answer")]
    Refused,
    /// The answer was cut at the bound of its length.
    #[error("the answer was cut at its longest")]
    Cut,
    /// The server failed so often of late that it is left alone for a while.
    #[error("the model server failed too often of late")]
    Open,
    /// Too many calls wait already.
    #[error("too many calls wait already")]
    Busy,
}

impl LlmError {
    /// The error's stable word, for records and metrics.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Status { .. } => "status",
            Self::TooLong => "too_long",
            Self::NoModel => "no_model",
            Self::Timeout => "timeout",
            Self::Connection => "connection",
            Self::Malformed => "malformed",
            Self::Refused => "refused",
            Self::Cut => "cut",
            Self::Open => "open",
            Self::Busy => "busy",
        }
    }

    /// Whether the same call may succeed a little later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 408 | 409 | 425 | 429 | 500..=599),
            Self::Timeout | Self::Connection => true,
            Self::TooLong
            | Self::NoModel
            | Self::Malformed
            | Self::Refused
            | Self::Cut
            | Self::Open
            | Self::Busy => false,
        }
    }

    /// Whether the server as a whole is in trouble, rather than this call.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        self.is_retryable() || matches!(self, Self::Status { status: 401..=404, .. } | Self::Malformed)
    }

    /// How long the server asks to be left alone.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        if let Self::Status { retry_after, .. } = self { *retry_after } else { None }
    }
}
