//! Finds the database of a process: the configured one, or the embedded server, which is started here.

use anyhow::Result;
use secrecy::ExposeSecret as _;

use crate::config;
use anchord_postgres::Embedded;
use anchord_store::address::Target;

/// Connections of the embedded server beyond those of the pools: for statements across tenants, listeners,
/// presence and `psql`.
const SPARE_CONNECTIONS: u32 = 32;

/// Keeps the embedded server running; without one, does nothing. Does not end.
pub(super) async fn keep_running(embedded: Option<&Embedded>) {
    if let Some(embedded) = embedded {
        embedded.keep_running().await;
    }
    std::future::pending::<()>().await;
}

/// Where the database is, and the role that the service works as.
#[derive(Clone)]
pub(super) struct Located {
    url: String,
    role: String,
}

impl Located {
    pub(super) fn target(&self) -> Target<'_> {
        Target { url: &self.url, role: &self.role, schema: None }
    }
}

/// Locates the database: the configured one, or that of the embedded server, which is started for it.
pub(super) async fn locate(config: &config::Database) -> Result<(Option<Embedded>, Located)> {
    if let Some(located) = configured(config) {
        return Ok((None, located));
    }
    let embedded = Embedded::start(launch(config)).await?;
    // The server is this service's alone, and has made the role.
    let located = Located { url: embedded.url(), role: anchord_postgres::WORKING_ROLE.to_owned() };
    Ok((Some(embedded), located))
}

/// The database that is configured; `None` when the embedded server has it.
pub(super) fn configured(config: &config::Database) -> Option<Located> {
    let url = config.database_url.as_ref()?.expose_secret().to_owned();
    Some(Located { url, role: config.database_role.clone() })
}

/// The configuration of the embedded server.
fn launch(config: &config::Database) -> anchord_postgres::Config {
    let pools = config.pool_size.saturating_add(config.pool_size / 2);
    let connections = pools.saturating_add(SPARE_CONNECTIONS);
    anchord_postgres::Config {
        data_dir: config.data_dir.clone(),
        programs: config.pg_bin.clone(),
        path: config::Database::search_path(),
        max_connections: u16::try_from(connections).unwrap_or(u16::MAX),
        durability: anchord_postgres::Durability::Full,
    }
}
