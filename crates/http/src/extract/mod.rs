//! Extractors and replies that handlers share: who calls, parameters, bodies, pages, preferences, idempotency keys.

pub(crate) mod accept;
pub mod auth;
pub mod idempotency;
pub mod json;
pub mod paging;
pub mod params;
pub mod prefer;
