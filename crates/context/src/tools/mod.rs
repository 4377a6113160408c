//! The service's tools for the agent: the calls by which a model reads what its context leaves out, and notes.
//!
//! What lives here: the one source of names, descriptions and arguments; the definitions in each provider's form; how
//! arguments are read; how a context names a call; the text of a result.
//! Invariant: what is defined is what is read, because both come from one table. What the context says does not depend
//! on a tool that is not offered.
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
    /// No. What contexts leave out is counted, and nothing more.
    #[default]
    None,
    /// Yes. Contexts name the call that gives what they leave out.
    Offered,
}
