//! The phase of the work, which decides what a summary keeps first.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The phase of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Finding out.
    Research,
    /// Working out what to do.
    Planning,
    /// Doing it.
    Implementation,
}
