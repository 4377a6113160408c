//! How many files and errors a summary must not lose: probes ask for them, and renderings show them first.

/// The latest changed files that are critical; together their paths take a tenth of the least bound.
pub const CRITICAL_FILES: usize = 8;
/// The latest open errors that are critical.
pub const CRITICAL_ERRORS: usize = 2;
