//! The session that a hand-off comes from.

use super::super::summary::Summary;

/// A session with its current summary.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Its name, as the caller chose it.
    pub name: &'a str,
    /// Its summary.
    pub summary: &'a Summary,
}
