//! Why a call to a model fails, and whether it may be repeated.

use std::time::Duration;

/// Why a call failed. It never holds a text of the server, because that may repeat the prompt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::AsRefStr, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum LlmError {
    /// The server answered with an error.
    #[error("the model server answered {status}")]
    Status {
        /// The status of the response.
        status: u16,
        /// How long the server asks to wait before the next call.
        retry_after: Option<Duration>,
    },
    /// The input is too long for the model.
    #[error("the input is too long for the model")]
    TooLong,
    /// The server does not know the model, or it may not be used.
    #[error("the model server does not offer the model")]
    NoModel,
    /// There was no answer within the deadline.
    #[error("no answer within the deadline")]
    Timeout,
    /// The server cannot be reached, or closed the connection.
    #[error("the model server cannot be reached, or closed the connection")]
    Connection,
    /// The answer is not in the provider's wire format.
    #[error("the answer is not in the provider's wire format")]
    Malformed,
    /// The model refused to answer.
    #[error("the model refused to answer")]
    Refused,
    /// The answer reached the most tokens that it may have.
    #[error("the answer was cut at its token limit")]
    Cut,
    /// The circuit breaker is open, because the server failed too often.
    #[error("the model server failed too often; its circuit breaker is open")]
    Open,
    /// Too many calls are waiting already.
    #[error("too many calls are waiting already")]
    Busy,
}

impl LlmError {
    /// Whether the same call may succeed a little later.
    pub fn is_retryable(&self) -> bool {
        let may_pass = matches!(self, Self::Status { status: 408 | 409 | 425 | 429 | 500..=599, .. });
        may_pass || matches!(self, Self::Timeout | Self::Connection)
    }

    /// Whether the server as a whole is in trouble, rather than this call.
    pub fn is_outage(&self) -> bool {
        self.is_retryable() || matches!(self, Self::Status { status: 401..=404, .. } | Self::Malformed)
    }

    /// How long the server asks to wait before the next call.
    pub fn retry_after(&self) -> Option<Duration> {
        if let Self::Status { retry_after, .. } = self { *retry_after } else { None }
    }
}
