//! The worker: what is done for a session outside its requests.

pub mod index;
