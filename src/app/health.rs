//! The health check of a running service, for containers without a shell.

use std::time::Duration;

use anyhow::{Context as _, Result};

/// How long an answer may take; orchestrators commonly give a check five seconds.
const TIMEOUT: Duration = Duration::from_secs(4);

/// Asks a service whether it is ready.
///
/// # Errors
/// When it cannot be reached, or is not ready.
pub async fn health(url: &str) -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        // The service runs on this machine, so a proxy would be wrong.
        .no_proxy()
        .timeout(TIMEOUT)
        .build()
        .context("the client")?;
    let reply = client.get(url).send().await.with_context(|| format!("{url} does not answer"))?;
    let status = reply.status();
    anyhow::ensure!(status.is_success(), "{url} answers {status}");
    Ok(())
}
