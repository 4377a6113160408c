//! Language models that sessions talk to: the size of their windows, and the closest tokenizer.
//!
//! What lives here: the comparison of names (`name`); a known model with its limits (`limits`); the models that are known
//! everywhere, from `rules/models.toml` and tiktoken-rs (`table`); models that a tenant adds (`own`); the search in
//! both (`catalogue`).
//! Must not know: settings, and what follows from a model there.

mod catalogue;
mod limits;
mod name;
mod own;
mod table;

pub use catalogue::{find, known, limits_of};
pub use limits::{KnownModel, ModelLimits, Origin};
pub use name::is_name;
pub use own::{MAX_OWN_MODELS, OwnModel};
