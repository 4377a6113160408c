//! Finds the database of a process: the configured one, or the embedded server, which is started here.

use secrecy::ExposeSecret as _;

use crate::config;
use anchord_postgres::Embedded;

/// Connections of the embedded server beyond those of the pools: for listeners, presence and `psql`.
const SPARE_CONNECTIONS: u32 = 20;

/// Waits until the embedded server has ended; without one, for ever.
pub(super) async fn ended(embedded: Option<&Embedded>) {
    match embedded {
        Some(embedded) => embedded.ended().await,
        None => std::future::pending().await,
    }
}

/// The URL of the database: the configured one, or that of the embedded server, which is started for it.
pub(super) async fn locate(config: &config::Database) -> anyhow::Result<(Option<Embedded>, String)> {
    if let Some(url) = config.url() {
        return Ok((None, url.expose_secret().to_owned()));
    }
    let embedded = Embedded::start(launch(config)).await?;
    let url = embedded.url();
    Ok((Some(embedded), url))
}

/// The configuration of the embedded server.
fn launch(config: &config::Database) -> anchord_postgres::Config {
    let pools = config.pool_size.saturating_add(config.pool_size / 2);
    let connections = pools.saturating_add(SPARE_CONNECTIONS);
    anchord_postgres::Config {
        data_dir: config.data_dir.clone(),
        programs: config.programs(),
        path: config::Database::search_path(),
        max_connections: u16::try_from(connections).unwrap_or(u16::MAX),
        durability: anchord_postgres::Durability::Full,
    }
}
