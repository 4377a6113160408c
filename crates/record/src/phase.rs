//! The phase of the work, as the caller sets it. It orders and bounds renderings (`render::phases`), and says what a model
//! describes in detail (`changes::prompt`). The record is the same in every phase.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The phase of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Research: the problem and the findings come first, in at most 1,300 tokens.
    Research,
    /// Planning: signatures, contracts and findings come first, in at most 2,600 tokens.
    Planning,
    /// Implementation: the default order, without a bound of its own.
    Implementation,
}
