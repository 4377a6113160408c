//! Who acts on a tenant: the operator, a command beside the database, or a key.

use std::fmt;

use anchord_messages::id::KeyId;

/// Who did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// Whoever holds the operator token.
    Operator,
    /// Whoever runs commands beside the database.
    Cli,
    /// A key with the scope `admin`.
    Key(KeyId),
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operator => f.write_str("operator"),
            Self::Cli => f.write_str("cli"),
            Self::Key(id) => id.fmt(f),
        }
    }
}
