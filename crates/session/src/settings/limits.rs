//! Defaults and limits of single settings.

use anchord_record::fill::share_of;

/// Tokens of the context window when the caller sets none.
pub const DEFAULT_CONTEXT_WINDOW: u32 = 200_000;
/// The share of the context window that is left when nobody says what the answer needs.
const DEFAULT_EFFECTIVE_SHARE: f64 = 0.80;
/// The share of the effective window that must arrive before the next automatic compression, and the least
/// distance between the trigger and what a compression leaves.
pub const HYSTERESIS_SHARE: f64 = 0.10;
/// The largest context window that is accepted, in tokens.
pub const MAX_CONTEXT_WINDOW: u32 = 10_000_000;
/// The most messages that `preserve_recent` may keep out of a span.
pub const MAX_PRESERVE_RECENT: u32 = 200;
/// The most bytes of `metadata`, as JSON.
pub const MAX_METADATA_BYTES: usize = 16 * 1024;
/// The most fields of `metadata`, at its top.
pub const MAX_METADATA_FIELDS: usize = 64;
/// The most characters of a field's name.
pub const MAX_METADATA_NAME_CHARS: usize = 100;
/// The most levels of `metadata`, itself included.
pub const MAX_METADATA_LEVELS: usize = 8;
/// The most characters of a value that lists filter by.
pub const MAX_METADATA_VALUE_CHARS: usize = 200;

/// The tokens that are reserved for the answer when nobody says how many: what the usable share leaves of the window.
pub fn usual_reserve(window: u32) -> u32 {
    window - share_of(window, DEFAULT_EFFECTIVE_SHARE).min(window)
}

/// The limits of a number, where they are narrower than its type.
pub(super) fn limits_of(name: &str) -> Option<String> {
    Some(match name {
        "context_window" => format!("must be a whole number from 1000 to {MAX_CONTEXT_WINDOW} tokens"),
        "preserve_recent" => format!("must be a whole number from 0 to {MAX_PRESERVE_RECENT}"),
        "max_summary_tokens" => "must be a whole number from 200 to 100000 tokens".to_owned(),
        _ => return None,
    })
}
