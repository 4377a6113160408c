//! Why a database cannot be brought up to date by this build.

use sqlx::migrate::MigrateError;

/// The newest of those, and the oldest one that the steps upgrade from.
pub(super) const NEWEST_LANDED: i64 = 32;
pub(super) const OLDEST_LANDED: i64 = 25;

/// Why a database cannot be brought up to date by this build.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The database refused a statement of a file.
    #[error("the migrations failed: {0}")]
    Failed(#[from] MigrateError),
    /// The database is older than the oldest step.
    #[error(
        "the database is at migration {0:04}, and this build upgrades from {OLDEST_LANDED:04} on: first run \
         `anchord migrate` of a build whose newest migration is {OLDEST_LANDED:04} to {NEWEST_LANDED:04}"
    )]
    TooOld(i64),
    /// A newer build has changed it in a way that this build cannot work with.
    #[error("the database has migration {0:04}, which is newer than this build and does not work with it")]
    TooNew(i64),
    /// A file was changed after it was run.
    #[error("migration {0:04} of the database is not the one that this build has")]
    Changed(i64),
    /// The working role is another owner's, too.
    #[error(
        "the role {0} is also granted to {1}, who could read this database as that role: give each installation of a \
         server a role of its own (ANCHORD_DATABASE_ROLE)"
    )]
    SharedRole(String, String),
    /// Another transaction held a lock longer than the migration waits.
    #[error(
        "migration {0:04} did not get its lock in {1} tries; the database works as before: run it again when what \
         holds the lock (a dump, a long transaction) has ended"
    )]
    Locked(i64, u32),
}
