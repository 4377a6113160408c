//! The service's tools for the agent: the calls by which a model reads what its context leaves out, and notes.
//!
//! What lives here: the one source of names, descriptions and arguments; the definitions in each provider's form; how
//! arguments are read; how a context names a call; the text of a result.
//! Invariant: definitions and the parser of arguments use one table, so they agree. A context names a tool only when it is
//! offered.
//! Must not know: where anything is stored, who calls.

mod arguments;
mod definitions;
mod named;
mod page;
mod tool;
mod transcript;

use serde::{Deserialize, Serialize};

pub use arguments::{Call, NoteCall, Place, SearchScope, read};
pub use definitions::{Definitions, definitions};
pub use page::{Page, page};
pub use tool::{Tool, next_arguments};
pub use transcript::message_text;

pub(crate) use named::{digest_named, messages_named, output_named, record_named};

/// Whether the caller offers the service's tools to the session's model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolMode {
    /// Not offered: contexts say how much they leave out, and name no call.
    #[default]
    None,
    /// Offered: contexts name the call that returns what they leave out.
    Offered,
}
