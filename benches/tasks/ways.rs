//! The ways of keeping a context that are compared.

use serde_json::{Value, json};

/// A way of keeping the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Every message in every prompt, whatever the window is.
    Everything,
    /// System prompt and the newest messages that fit the usable part of the window.
    Truncation,
    /// System prompt and the last twenty messages.
    Window,
    /// The service, with old tool outputs as placeholders and without summaries.
    Masking,
    /// The service, with summaries and whole tool outputs.
    Anchored,
    /// The service as it comes.
    AnchoredMasking,
}

/// Messages that a sliding window keeps.
pub const WINDOW_MESSAGES: usize = 20;

impl Way {
    /// All of them; what the others are compared with comes first.
    pub const ALL: [Self; 6] = [
        Self::Everything,
        Self::Truncation,
        Self::Window,
        Self::Masking,
        Self::Anchored,
        Self::AnchoredMasking,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Everything => "no compression",
            Self::Truncation => "truncation",
            Self::Window => "sliding window",
            Self::Masking => "masking only",
            Self::Anchored => "anchored",
            Self::AnchoredMasking => "anchored + masking",
        }
    }

    /// The session's settings, when the service keeps the context.
    pub fn settings(self, window: u32) -> Option<Value> {
        match self {
            Self::Everything | Self::Truncation | Self::Window => None,
            Self::Masking => Some(json!({"context_window": window, "auto": false})),
            Self::Anchored => Some(json!({"context_window": window, "mask": "off"})),
            Self::AnchoredMasking => Some(json!({"context_window": window})),
        }
    }
}
