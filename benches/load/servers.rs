//! What is measured: a Postgres server, and the service on it as a user starts it.

use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anchord_postgres::{Config, Durability, Embedded};
use anyhow::{Context as _, ensure};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::service::Service;

/// The ceiling's database, beside the service's on the same server.
const CEILING: &str = "ceiling";

/// Both servers; they end with it.
#[derive(Debug)]
pub struct Servers {
    // Fields drop in this order: the service ends before its database, and the folder goes last.
    service: Service,
    embedded: Embedded,
    home: tempfile::TempDir,
    /// The `pgbench` of the server's version.
    pub pgbench: PathBuf,
    /// The service's address.
    pub address: SocketAddr,
}

impl Servers {
    /// Starts both.
    pub fn start(binary: &Path, flags: &str) -> anyhow::Result<Self> {
        let home = tempfile::Builder::new().prefix("anchord-load-").tempdir()?;
        // The server's user must be able to pass through, when the bench runs as root.
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o711))?;
        let embedded = Embedded::start_blocking(&Config {
            data_dir: home.path().join("data"),
            programs: None,
            path: path(),
            // Room for the pools of more than one service.
            max_connections: 160,
            durability: Durability::Full,
        })?;
        let pgbench = pgbench_of(embedded.pid())?;
        let service = Service::start(binary, flags, Some(&embedded.url()), home.path())?;
        let address = service.address;
        Ok(Self { service, embedded, home, pgbench, address })
    }

    /// Ends both in order.
    pub fn stop(self) -> anyhow::Result<()> {
        self.service.stop()
    }

    /// The service's process id.
    pub fn service_pid(&self) -> u32 {
        self.service.pid()
    }

    /// The database server's process id.
    pub fn postgres_pid(&self) -> u32 {
        self.embedded.pid()
    }

    /// The address of the ceiling's database.
    pub fn ceiling_url(&self) -> String {
        self.embedded.url_of(anchord_postgres::SUPERUSER, CEILING)
    }

    /// The address of the service's database, as its owner.
    pub fn url(&self) -> String {
        self.embedded.url()
    }

    /// The folder for scripts.
    pub fn folder(&self) -> &Path {
        self.home.path()
    }

    /// Makes the ceiling's database.
    pub async fn make_ceiling(&self) -> anyhow::Result<()> {
        let postgres = self.embedded.url_of(anchord_postgres::SUPERUSER, "postgres");
        execute(&postgres, &format!("drop database if exists {CEILING}")).await?;
        execute(&postgres, &format!("create database {CEILING}")).await
    }

    /// Runs statements on the service's database as the superuser, whom row-level security lets see
    /// everything, and returns the last one's rows.
    pub async fn look(&self, sql: &str) -> anyhow::Result<Vec<PgRow>> {
        let mut connection = self.watch().await?;
        let rows = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_all(&mut connection).await?;
        connection.close().await?;
        Ok(rows)
    }

    /// A connection of the same superuser, to look more often.
    pub async fn watch(&self) -> anyhow::Result<PgConnection> {
        let url = self.embedded.url_of(anchord_postgres::SUPERUSER, anchord_postgres::DATABASE);
        Ok(PgConnection::connect(&url).await?)
    }

    /// Writes everything out, so that no measurement pays for the one before it.
    pub async fn settle(&self) -> anyhow::Result<()> {
        self.look("checkpoint").await.map(drop)
    }

    /// Waits until no background job waits or runs.
    pub async fn rest(&self, most: Duration) -> anyhow::Result<()> {
        let started = Instant::now();
        while !self
            .look("select from compressions where status in ('queued', 'running') limit 1")
            .await?
            .is_empty()
        {
            ensure!(started.elapsed() < most, "background jobs are not done after {} s", most.as_secs());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }
}

/// Runs statements.
pub async fn execute(url: &str, sql: &str) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

/// Finds `pgbench` beside the running server's program, then in `PATH`, where packages may put it.
fn pgbench_of(server: u32) -> anyhow::Result<PathBuf> {
    let program = fs::read_link(format!("/proc/{server}/exe")).ok();
    let beside = program.as_deref().and_then(Path::parent).map(Path::to_owned);
    let places = beside.into_iter().chain(path().iter().flat_map(std::env::split_paths).collect::<Vec<_>>());
    let found = places.map(|place| place.join("pgbench")).find(|file| file.is_file());
    found.context(
        "pgbench is not installed beside the Postgres server (Debian and Ubuntu have it in the package \
         postgresql, Fedora in postgresql-contrib): without it there is no ceiling to compare with",
    )
}

#[expect(
    clippy::disallowed_methods,
    reason = "the bench hands the launcher what config.rs reads in the service"
)]
fn path() -> Option<OsString> {
    std::env::var_os("PATH")
}
