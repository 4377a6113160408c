//! Which parameters a model rejects, learnt from error responses.
//!
//! Only fields that name a parameter are used, never the message of an error, because that may repeat what a tenant
//! wrote. An entry concerns one model and expires, because servers change.

use anchord_runtime::cache::{Cache, Expiry};
use std::time::Duration;

use serde_json::Value;

/// How long an entry is kept.
const EXPIRES_AFTER: Duration = Duration::from_hours(1);
const MAX_MODELS: u64 = 1_000;

/// The variant of the wire format that a model accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dialect {
    /// Send no JSON schema; the prompt alone describes the answer.
    pub(super) without_schema: bool,
    /// Send the token limit as `max_completion_tokens`, its newer name.
    pub(super) max_completion_tokens: bool,
    /// Send no key for the server's cache; a server that does not know it may refuse it.
    pub(super) without_cache_key: bool,
}

impl Dialect {
    fn and(self, more: Self) -> Self {
        Self {
            without_schema: self.without_schema || more.without_schema,
            max_completion_tokens: self.max_completion_tokens || more.max_completion_tokens,
            without_cache_key: self.without_cache_key || more.without_cache_key,
        }
    }
}

/// The dialects of the models of one server.
pub(super) struct Dialects(Cache<String, Dialect>);

impl Dialects {
    pub(super) fn new() -> Self {
        Self(Cache::new(MAX_MODELS, Expiry::After(EXPIRES_AFTER)))
    }

    pub(super) fn get(&self, model: &str) -> Dialect {
        self.0.get(&model.to_owned()).unwrap_or_default()
    }

    /// The dialect to use after a refusal of a call in dialect `asked`; `None` when the refusal names nothing new.
    pub(super) fn learn(&self, model: &str, asked: Dialect, refusal: &Refusal) -> Option<Dialect> {
        let named = Dialect {
            without_schema: refusal.names("response_format"),
            max_completion_tokens: refusal.names("max_tokens") && refusal.is_about_support(),
            without_cache_key: refusal.names("prompt_cache_key"),
        };
        let next = asked.and(named);
        (next != asked).then(|| {
            // Store only what the refusal names; `asked` may contain a guess for this call alone.
            self.add(model, named);
            next
        })
    }

    /// Notes that a call without the key for the cache was answered, after a refusal that named nothing. The guess may be
    /// wrong, but going without the key changes no answer.
    pub(super) fn go_without_cache_key(&self, model: &str) {
        self.add(model, Dialect { without_cache_key: true, ..Dialect::default() });
    }

    fn add(&self, model: &str, more: Dialect) {
        self.0.insert(model.to_owned(), self.get(model).and(more));
    }
}

/// The machine-readable fields of an error response.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The parameters that the error names.
    parameters: Vec<String>,
    /// The error code.
    code: Option<String>,
}

impl Refusal {
    /// Parses an error response: OpenAI's format, or the list of validation errors that other servers send.
    pub(super) fn read(body: &[u8]) -> Self {
        let Ok(mut value) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        // Gemini's compatible endpoint puts its error into a list.
        if let Some(first) = value.as_array_mut().and_then(|list| list.first_mut()) {
            value = first.take();
        }
        let error = value.get("error").filter(|error| error.is_object()).unwrap_or(&value);
        let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
        let places = value.get("detail").and_then(Value::as_array).into_iter().flatten();
        // The location is `["body", "response_format", …]`: the parameter is the second element.
        let place = |detail: &Value| detail.pointer("/loc/1").and_then(Value::as_str).map(str::to_owned);
        let parameters = text("param").into_iter().chain(places.filter_map(place)).collect();
        Self { parameters, code: text("code") }
    }

    /// Whether the error names a parameter or a part of it.
    fn names(&self, parameter: &str) -> bool {
        let is_within = |named: &String| named.split(['.', '[']).next() == Some(parameter);
        self.parameters.iter().any(is_within)
    }

    /// Whether the parameter is unsupported, as opposed to having an invalid value.
    fn is_about_support(&self) -> bool {
        self.code.as_deref().is_none_or(|code| code == "unsupported_parameter")
    }

    /// Whether the model is not available.
    pub(super) fn is_about_the_model(&self) -> bool {
        self.names("model") || self.code.as_deref() == Some("model_not_found")
    }

    /// Whether a content filter rejected the input.
    pub(super) fn is_about_content(&self) -> bool {
        self.code.as_deref() == Some("content_filter")
    }

    /// Whether the error names no parameter.
    pub(super) fn names_nothing(&self) -> bool {
        self.parameters.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"error": {"message": "Invalid parameter", "type": "invalid_request_error", "param": "response_format", "code": null}}"#;
    const BOUND: &str = r#"{"error": {"message": "Unsupported parameter", "param": "max_tokens", "code": "unsupported_parameter"}}"#;

    #[test]
    fn a_refusal_teaches_by_its_fields_and_about_its_model_alone() {
        let dialects = Dialects::new();
        let learn = |model: &str, body: &str| {
            dialects.learn(model, dialects.get(model), &Refusal::read(body.as_bytes())).is_some()
        };
        assert!(learn("small", SCHEMA));
        assert!(!learn("small", SCHEMA), "once");
        assert!(learn("small", BOUND));
        let both = Dialect { without_schema: true, max_completion_tokens: true, ..Dialect::default() };
        assert_eq!(dialects.get("small"), both);
        assert_eq!(dialects.get("large"), Dialect::default());
        let too_large = r#"{"error": {"param": "max_tokens", "code": "invalid_value"}}"#;
        assert!(!learn("large", too_large));
        // A call that was sent without a schema on a guess stores only what the error names.
        let tried = Dialect { without_schema: true, ..Dialect::default() };
        assert!(dialects.learn("tried", tried, &Refusal::read(BOUND.as_bytes())).is_some());
        assert_eq!(dialects.get("tried"), Dialect { max_completion_tokens: true, ..Dialect::default() });
        assert!(learn(
            "strict",
            r#"{"detail": [{"type": "extra_forbidden", "loc": ["body", "prompt_cache_key"]}]}"#
        ));
        assert_eq!(dialects.get("strict"), Dialect { without_cache_key: true, ..Dialect::default() });
        for words in [
            r#"{"error": {"message": "The model `response_format` does not exist", "param": null, "code": "model_not_found"}}"#,
            r#"{"error": {"message": "json_schema: guided decoding of max_completion_tokens", "param": "messages"}}"#,
            r#"{"error": "response_format"}"#,
            "response_format max_completion_tokens",
            "",
        ] {
            assert!(!learn("large", words), "{words}");
        }
        assert!(learn(
            "large",
            r#"{"detail": [{"type": "extra_forbidden", "loc": ["body", "response_format", "json_schema"]}]}"#
        ));
        assert!(learn("huge", r#"{"object": "error", "param": "response_format.json_schema", "code": 400}"#));
    }
}
