//! The limits of requests.

use std::time::Duration;

/// Limits of requests.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most bytes of a body.
    pub body_bytes: usize,
    /// The most messages of a batch.
    pub batch_messages: usize,
    /// The most bytes of a message.
    pub message_bytes: usize,
    /// How long a request may take, not counting a wait that it asked for.
    pub request_timeout: Duration,
    /// How long its body may take to arrive.
    pub body_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 16 * 1024 * 1024,
            batch_messages: 1_000,
            message_bytes: 4 * 1024 * 1024,
            request_timeout: Duration::from_mins(1),
            body_timeout: Duration::from_secs(30),
        }
    }
}
