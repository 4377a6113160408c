//! The named policies: which signals count.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A named set of signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicyName {
    /// The utilisation rows alone.
    #[default]
    Utilization,
    /// The number of uncompressed messages.
    MessageCount,
    /// Utilisation, turns and task boundaries.
    Protocol,
    /// Every signal.
    Combined,
}
