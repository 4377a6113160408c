//! Who acts on a tenant: the operator, a command beside the database, or a key.

use std::fmt;

use anchord_messages::id::KeyId;

/// Who made a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// The holder of the operator token.
    Operator,
    /// A user of the command line, which connects to the database itself.
    Cli,
    /// A key.
    Key(KeyId),
    /// A caller without a valid credential.
    Unknown,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operator => f.write_str("operator"),
            Self::Cli => f.write_str("cli"),
            Self::Key(id) => id.fmt(f),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}
