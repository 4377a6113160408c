//! The limits that an operator sets.

use std::time::Duration;

use ipnet::IpNet;

/// Limits that an operator sets.
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
    /// The bytes of all bodies of requests that are received or worked on; replies, and contexts while they are
    /// assembled, may take as many again.
    pub bodies_bytes: usize,
    /// The proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 16 * 1024 * 1024,
            batch_messages: 1_000,
            message_bytes: 4 * 1024 * 1024,
            request_timeout: Duration::from_mins(1),
            body_timeout: Duration::from_secs(30),
            bodies_bytes: 80 * 1024 * 1024,
            trusted_proxies: Vec::new(),
        }
    }
}
