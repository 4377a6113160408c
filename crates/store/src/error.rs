//! The errors of the store.

use anchord_session::quota::Bound;

/// The result of a store method.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Why a store method failed. "Not found" is not a failure but `None`.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database rejected a statement, or could not be reached.
    #[error("the database failed: {0}")]
    Database(#[from] sqlx::Error),
    /// The address of the database cannot be used.
    #[error("the address of the database: {0}")]
    Address(#[from] super::address::AddressError),
    /// None of the servers of the address accepts writes.
    #[error("no server of the database's address accepts writes")]
    NoPrimary,
    /// The connection was lost while a change was being committed: it is stored, or it is not.
    #[error("the connection was lost during a commit, whose outcome is unknown: {0}")]
    OutcomeUnknown(sqlx::Error),
    /// The database cannot be used by this build.
    #[error(transparent)]
    Migrate(#[from] super::migrate::SchemaError),
    /// The session has changed in every try of a decision on it.
    #[error("the session changed each time that a change of it had been decided")]
    Contended,
    /// Work in the tenant's turn broke.
    #[error("work in the tenant's turn broke")]
    Broken,
    /// The tenant's requests hold all the connections that a tenant may have.
    #[error("the tenant's requests hold all the connections that a tenant's may")]
    TenantBusy,
    /// The tenant was erased since its key was looked up, or moved to another cell.
    #[error("the tenant was erased or moved a moment ago")]
    NoTenant,
    /// The tenant has as much of something as it may.
    #[error("the tenant has {used} of {limit} {}", bound.name())]
    OverQuota {
        /// The bound.
        bound: Bound,
        /// The most that it may have.
        limit: i64,
        /// Usage of the tenant.
        used: i64,
    },
    /// A statement changed an unexpected number of rows.
    #[error("{what} touched {actual} rows instead of {expected}")]
    RowCount {
        /// Change that the statement makes.
        what: &'static str,
        /// The expected number of rows.
        expected: u64,
        /// The actual number of rows.
        actual: u64,
    },
    /// A stored value does not parse.
    #[error("{table}.{column} of {key} does not read back: {reason}")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The key of the row, without its content.
        key: String,
        /// The error of the parser; never the content itself.
        reason: String,
    },
}

impl StoreError {
    /// Creates the error of a stored value that does not parse.
    pub fn corrupt(
        table: &'static str,
        column: &'static str,
        key: impl std::fmt::Display,
        reason: impl std::fmt::Display,
    ) -> Self {
        Self::Corrupt { table, column, key: key.to_string(), reason: reason.to_string() }
    }

    /// Whether the same call may succeed a moment later: there is no connection, a lock is held too long, or the
    /// server restarts.
    pub fn is_unavailable(&self) -> bool {
        // After an unknown outcome the same call may do its work a second time.
        let Self::Database(error) = self else {
            return matches!(self, Self::Contended | Self::NoPrimary | Self::NoTenant | Self::Broken);
        };
        // Connection, resources, operator intervention (shutdown, statement timeout), rollback
        // (deadlock, serialization), lock not available.
        let may_pass = |code: &str| {
            ["08", "53", "57", "40"].iter().any(|class| code.starts_with(class))
                || [LOCK_NOT_AVAILABLE, LEAVING, MOVED].contains(&code)
        };
        let no_connection =
            matches!(error, sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed);
        no_connection || is_lost(error) || code_of(error).is_some_and(|code| may_pass(&code))
    }

    /// The error of a statement that commits by itself: without an answer, it may have committed.
    pub(crate) fn of_a_commit(self) -> Self {
        if self.is_lost()
            && let Self::Database(error) = self
        {
            return Self::OutcomeUnknown(error);
        }
        self
    }

    /// Whether a change may have been committed although there was an error.
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::OutcomeUnknown(_))
    }

    /// Whether the server ended a statement because it waited too long for a lock.
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Database(error) if code_of(error).is_some_and(|code| code == LOCK_NOT_AVAILABLE))
    }

    /// Whether the tenant has left the cell.
    pub fn is_moved(&self) -> bool {
        matches!(self, Self::Database(error) if code_of(error).is_some_and(|code| code == MOVED))
    }

    /// Whether the connection itself is gone.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self, Self::Database(error) if is_lost(error))
    }

    /// Whether the server answered with a rejection, so that certainly nothing was committed.
    pub(crate) fn is_refusal(&self) -> bool {
        if let Self::Database(error) = self {
            // A server may shut down between a commit and its confirmation.
            return error.as_database_error().is_some() && !is_lost(error);
        }
        !matches!(self, Self::OutcomeUnknown(_) | Self::Address(_) | Self::Migrate(_))
    }
}

/// The SQLSTATE of a lock that was not available in time.
pub(super) const LOCK_NOT_AVAILABLE: &str = "55P03";
/// The SQLSTATEs of `enter_tenant` in the schema: a tenant is being moved to another cell, or was.
const LEAVING: &str = "AN002";
const MOVED: &str = "AN003";

/// Whether the server ended a statement because of its timeout.
pub(crate) fn is_timed_out(error: &sqlx::Error) -> bool {
    code_of(error).is_some_and(|code| code == "57014")
}

/// Whether the connection itself is gone.
pub(crate) fn is_lost(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_))
        || code_of(error).is_some_and(|code| ["57P01", "57P02", "57P03"].contains(&code.as_ref()))
}

pub(super) fn code_of(error: &sqlx::Error) -> Option<std::borrow::Cow<'_, str>> {
    error.as_database_error()?.code()
}

/// Fails unless a statement changed the expected number of rows.
pub(crate) fn expect_rows(what: &'static str, expected: u64, actual: u64) -> Result<()> {
    if actual == expected { Ok(()) } else { Err(StoreError::RowCount { what, expected, actual }) }
}
