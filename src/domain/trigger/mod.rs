//! When to compress: the running counts of a session in, one decision out.
//!
//! What lives here: the named policies, one function per signal, the decision.
//! Invariant: only declared rules run, and the same counts give the same decision.
//! Must not know: the queue, the clock (the worker and the API pass what they know).

mod policy;

pub use policy::PolicyName;
