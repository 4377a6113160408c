//! The way of every request to its handler and of the reply back: connections, origins, routes, and the outermost layer.

pub mod boundary;
pub mod connections;
pub(crate) mod cors;
pub(crate) mod lingering;
pub mod origins;
pub(crate) mod unknown_paths;
