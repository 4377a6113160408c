//! What a caller should know, although its request was served.

use serde::Serialize;
use utoipa::ToSchema;

use anchord_messages::id::Seq;

use crate::settings::{DEFAULT_CONTEXT_WINDOW, WindowSource};

/// The window that is assumed when nobody told one.
const ASSUMED: Option<u32> = Some(DEFAULT_CONTEXT_WINDOW);

/// What a caller should know, although its request was served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Warning {
    /// What it is about.
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
    /// What it means and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What a warning is about.
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
}

impl Warning {
    /// The warning of a window that nobody told.
    #[must_use]
    pub fn of_window(source: WindowSource<'_>) -> Option<Self> {
        match source {
            WindowSource::Assumed => Some(Self {
                code: WarningCode::WindowAssumed,
                model: None,
                window: ASSUMED,
                seqs: Vec::new(),
                detail: None,
            }),
            WindowSource::UnknownModel(model) => {
                let model = Some(model.to_owned());
                Some(Self {
                    code: WarningCode::ModelUnknown,
                    model,
                    window: ASSUMED,
                    seqs: Vec::new(),
                    detail: None,
                })
            }
            WindowSource::Session
            | WindowSource::Model(_)
            | WindowSource::Tenant
            | WindowSource::TenantModel(_) => None,
        }
    }

    /// The warning of a context that was asked for a model that is not known.
    #[must_use]
    pub fn of_requested_model(model: &str) -> Self {
        let model = Some(model.to_owned());
        Self { code: WarningCode::RequestedModelUnknown, model, window: None, seqs: Vec::new(), detail: None }
    }

    /// The warning of stored messages.
    #[must_use]
    pub fn of_messages(code: WarningCode, seqs: Vec<Seq>) -> Self {
        Self { code, model: None, window: None, seqs, detail: None }
    }

    /// The warning with its detail.
    #[must_use]
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
        };
        Self { detail: Some(detail), ..self }
    }
}
