//! Why the embedded server does not start.

use std::path::Path;

/// Why the embedded server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The server's programs are not on this machine.
    #[error(
        "Postgres is not installed ({looked}): install it with `{install}`, or set DATABASE_URL to a server \
         of your own, or ANCHORD_PG_BIN to the folder of `initdb` and `postgres`"
    )]
    NotInstalled {
        /// The places that were searched, and what was wrong there.
        looked: String,
        /// The system's install command.
        install: &'static str,
    },
    /// The cluster was made by a major version that is not installed.
    #[error(
        "the data in {cluster} was made by Postgres {major}, whose programs are not installed ({looked}): \
         install that version, or name its folder in ANCHORD_PG_BIN"
    )]
    OtherVersion {
        /// The cluster's folder.
        cluster: String,
        /// The major version that made it.
        major: u32,
        /// The places that were searched, and what was found there.
        looked: String,
    },
    /// Another service holds the data folder.
    #[error("the data folder {folder} is in use by another anchord service (process {holder})")]
    InUse {
        /// The data folder.
        folder: String,
        /// The process id in the other service's lock file.
        holder: String,
    },
    /// A file or folder could not be read or written.
    #[error("cannot {what} {path}: {source}")]
    Folder {
        /// The action that failed.
        what: &'static str,
        /// On which path.
        path: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A program could not be run.
    #[error("cannot run {program}: {source}")]
    Run {
        /// The program.
        program: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A program ended with an error.
    #[error("{program} failed: {output}")]
    Failed {
        /// The program.
        program: String,
        /// The end of its output.
        output: String,
    },
    /// The server did not become ready in time.
    #[error("Postgres was not ready after {seconds} s; its log is {log}")]
    NotReady {
        /// How long the service waited for it, in seconds.
        seconds: u64,
        /// The server's log.
        log: String,
    },
    /// A server that a killed service left behind does not stop.
    #[error("a Postgres server (process {pid}) that an earlier service left behind does not stop")]
    LeftBehind {
        /// Its process id.
        pid: i32,
    },
    /// Started as root, and there is no user to run the server as.
    #[error(
        "Postgres refuses to run as root, and neither the user `postgres` nor `nobody` exists to run it as"
    )]
    NoAccount,
}

impl StartError {
    pub(super) fn folder(what: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Folder { what, path: path.display().to_string(), source }
    }
}
