//! How appends shared commits, as the service's own metrics tell it.

use anyhow::Context as _;

use crate::client::{Connection, OPERATOR};
use crate::servers::Servers;

/// Appends, commits, and the times they took, so far or in between.
#[derive(Clone, Copy, Debug)]
pub struct Gathered {
    commits: f64,
    appends: f64,
    waited: f64,
    committing: f64,
}

impl Gathered {
    /// Reads what is counted since the service started.
    pub async fn so_far(servers: &Servers) -> anyhow::Result<Self> {
        let mut connection = Connection::open(servers.address).await?;
        let ask = format!("GET /metrics HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {OPERATOR}\r\n\r\n");
        let reply = connection.done(ask.as_bytes()).await?;
        let text = std::str::from_utf8(reply.body).context("metrics are text")?;
        // What has not happened yet is not listed.
        let of = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().last());
            line.and_then(|value| value.parse().ok()).unwrap_or(0.0)
        };
        Ok(Self {
            commits: of("anchord_append_batch_appends_count"),
            appends: of("anchord_append_batch_appends_sum"),
            waited: of("anchord_append_wait_seconds_sum"),
            committing: of("anchord_append_transaction_seconds_sum"),
        })
    }

    /// What was counted since an earlier look.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            commits: self.commits - earlier.commits,
            appends: self.appends - earlier.appends,
            waited: self.waited - earlier.waited,
            committing: self.committing - earlier.committing,
        }
    }

    /// Appends in one commit, on average.
    pub fn size(&self) -> f64 {
        self.appends / self.commits
    }

    /// Milliseconds that an append waited for its transaction to begin, on average.
    pub fn wait_ms(&self) -> f64 {
        self.waited / self.appends * 1000.0
    }

    /// Milliseconds that a transaction took, on average.
    pub fn commit_ms(&self) -> f64 {
        self.committing / self.commits * 1000.0
    }
}
