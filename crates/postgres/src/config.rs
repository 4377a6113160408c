//! Configuration of the embedded server's launcher, and the names that it uses in the cluster.

use std::ffi::OsString;
use std::path::PathBuf;

/// The role that owns the service's database. It is no superuser, so that row-level security holds, and makes no roles,
/// because before Postgres 16 who makes roles can become one that runs programs on the machine.
pub const OWNER: &str = "anchord";
/// The role of the service's connections; the launcher makes it, because the owner may make no roles.
pub const WORKING_ROLE: &str = "anchord_app";
/// The database of the service.
pub const DATABASE: &str = "anchord";
/// The cluster's superuser; the service never connects as it.
pub const SUPERUSER: &str = "postgres";

/// The port number in the name of the Unix socket; no TCP port is opened.
pub(super) const PORT: u16 = 5432;

/// Whether a commit survives a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// `fsync` is on, as by Postgres' own defaults.
    #[default]
    Full,
    /// No `fsync`: for a server that a test run throws away.
    OffForTests,
}

/// The configuration of the launcher.
#[derive(Clone, Debug)]
pub struct Config {
    /// The data folder; made when it does not exist.
    pub data_dir: PathBuf,
    /// The folder with `initdb` and `postgres`; `None` searches `path` and the usual places.
    pub programs: Option<PathBuf>,
    /// The value of `PATH`, which is searched for the programs.
    pub path: Option<OsString>,
    /// The maximum of the server's connections.
    pub max_connections: u16,
    /// Whether a commit survives a power cut.
    pub durability: Durability,
}
