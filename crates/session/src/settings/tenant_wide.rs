//! Settings of a tenant for all of its sessions, besides the defaults.

use serde::{Deserialize, Serialize};

use crate::models::OwnModel;
use anchord_context::pin::Pin;

/// Stored within the tenant's settings, so that every statement that reads a session's defaults has them
/// without another lookup. The cost: pins and models are parsed with the defaults at every append of a tenant that
/// has some.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TenantWide {
    /// Grows with every change of the tenant's settings or pins: each starts a new context revision.
    pub revision: i64,
    /// The revision that last changed the pins.
    pub pins_revision: i64,
    /// The pins of every session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// The models that it adds to those that are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<OwnModel>,
}
