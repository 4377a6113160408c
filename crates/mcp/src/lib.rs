//! The MCP server: the agent's tools, and what a session has, for agents that speak the Model Context Protocol.
//!
//! | file | what it has |
//! |---|---|
//! | `api` | the API as this server calls it, and the API of this process |
//! | `http` | `/mcp` before the API |
//! | `server` | the protocol's requests |
//! | `target` | the session of a call |
//! | `tools`, `resources` | what is offered and what a call, a URI or a prompt reads |
//!
//! Invariant: everything is a call of the API under the caller's key, so that a caller sees and does what it could without
//! this server. No state is kept between two requests.
//! Must not know: SQL, the store, the environment, what the tools are (the API says it).

pub mod api;
mod http;
mod resources;
mod server;
mod target;
mod tools;

pub use http::before;
pub use server::{Error, serve_stdio};
pub use target::Connection;
