//! Fields of a merge patch.

use serde::{Deserialize, Deserializer};

/// Distinguishes null from an absent field.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}
