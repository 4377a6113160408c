//! Warnings for a caller whose request was served.

use serde::Serialize;
use utoipa::ToSchema;

use anchord_messages::id::Seq;

use crate::settings::{DEFAULT_CONTEXT_WINDOW, WindowSource};

/// The window that is assumed when nobody told one.
const ASSUMED: Option<u32> = Some(DEFAULT_CONTEXT_WINDOW);

/// Warnings for a caller whose request was served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Warning {
    /// Its subject.
    pub code: WarningCode,
    /// The model that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tokens of the context window that is assumed; absent when the session's own was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// The messages that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub seqs: Vec<Seq>,
    /// The tokens of the output that is too large to be served whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    /// The most tokens that an output may have here to be served whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Its meaning, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The subject of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarningCode {
    /// Neither `context_window` nor `model` is set, so that the default window is assumed.
    WindowAssumed,
    /// The model is not known and `context_window` is not set, so that the default window is assumed.
    ModelUnknown,
    /// The model that this context was asked for is not known, so that the session's window was used.
    RequestedModelUnknown,
    /// A tool result has no id, or no call is open that it could answer.
    ToolResultWithoutCall,
    /// A user message has no content.
    EmptyUserMessage,
    /// A tool's output is too large to be served whole beside system prompt, pins, summary and digest: contexts clip it.
    OutputLargerThanWindow,
}

impl Warning {
    /// The warning of a window that nobody told.
    pub fn of_window(source: WindowSource<'_>) -> Option<Self> {
        match source {
            WindowSource::Assumed => Some(Self { window: ASSUMED, ..Self::bare(WarningCode::WindowAssumed) }),
            WindowSource::UnknownModel(model) => {
                let model = Some(model.to_owned());
                Some(Self { model, window: ASSUMED, ..Self::bare(WarningCode::ModelUnknown) })
            }
            WindowSource::Session
            | WindowSource::Model(_)
            | WindowSource::Tenant
            | WindowSource::TenantModel(_) => None,
        }
    }

    /// The warning of a context that was asked for a model that is not known.
    pub fn of_requested_model(model: &str) -> Self {
        Self { model: Some(model.to_owned()), ..Self::bare(WarningCode::RequestedModelUnknown) }
    }

    /// The warning of stored messages.
    pub fn of_messages(code: WarningCode, seqs: Vec<Seq>) -> Self {
        Self { seqs, ..Self::bare(code) }
    }

    /// The warning of a tool output of `tokens` tokens where at most `max_tokens` are served whole.
    pub fn of_large_output(seq: Seq, tokens: u32, max_tokens: u32) -> Self {
        let (seqs, tokens, max_tokens) = (vec![seq], Some(tokens), Some(max_tokens));
        Self { seqs, tokens, max_tokens, ..Self::bare(WarningCode::OutputLargerThanWindow) }
    }

    fn bare(code: WarningCode) -> Self {
        Self {
            code,
            model: None,
            window: None,
            seqs: Vec::new(),
            tokens: None,
            max_tokens: None,
            detail: None,
        }
    }

    /// The warning with its detail.
    pub fn in_full(self) -> Self {
        let model = self.model.as_deref().unwrap_or_default();
        let detail = match self.code {
            WarningCode::WindowAssumed => format!(
                "Neither `model` nor `context_window` is set; {DEFAULT_CONTEXT_WINDOW} tokens are assumed. A smaller model would refuse such a context."
            ),
            WarningCode::ModelUnknown => format!(
                "The model {model} is not known; a context window of {DEFAULT_CONTEXT_WINDOW} tokens is assumed. Set `context_window`, or add the model with PUT /v1/models/{{name}}."
            ),
            WarningCode::RequestedModelUnknown => format!(
                "The model {model} is not known; the session's own window was used. Name `max_input_tokens`, or add the model with PUT /v1/models/{{name}}."
            ),
            WarningCode::ToolResultWithoutCall => {
                "No call is open that this tool result could answer, or it has no id. It is stored, and contexts serve it as quoted output of a tool. Append a result directly after its call, with the call's id.".to_owned()
            }
            WarningCode::EmptyUserMessage => {
                "This user message has no content. It is stored, and contexts serve it as `[empty message]`, because providers refuse empty ones.".to_owned()
            }
            WarningCode::OutputLargerThanWindow => format!(
                "This tool output has {} tokens; beside system prompt, pins, summary and digest at most {} of an output are served whole. It is stored, and contexts serve its head, its tail and its most telling lines. Read less at a time; GET …/messages?from_seq={seq}&to_seq={seq} has all of it.",
                self.tokens.unwrap_or_default(),
                self.max_tokens.unwrap_or_default(),
                seq = self.seqs.first().copied().unwrap_or_default(),
            ),
        };
        Self { detail: Some(detail), ..self }
    }
}
