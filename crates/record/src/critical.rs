//! How many files and errors a summary must not lose: probes ask for them, and renderings give them room first.

/// The latest changed files are critical: together their paths take a tenth of the least bound.
pub const CRITICAL_FILES: usize = 8;
/// Open errors that are critical.
pub const CRITICAL_ERRORS: usize = 2;
