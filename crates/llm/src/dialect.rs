//! What a model turned out not to take.
//!
//! Learnt from the fields of a refusal that name a parameter, never from its words, which may repeat what a tenant
//! wrote; for one model, and forgotten after a while, because servers are mended.

use std::time::Duration;

use moka::sync::Cache;
use serde_json::Value;

/// How long it is remembered.
const REMEMBERED: Duration = Duration::from_hours(1);
const MOST_MODELS: u64 = 1_000;

/// How a model is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dialect {
    /// Without a JSON schema: the prompt's words must do.
    pub(super) plain: bool,
    /// The bound of the answer has its newer name.
    pub(super) newer_bound: bool,
}

impl Dialect {
    fn and(self, more: Self) -> Self {
        Self { plain: self.plain || more.plain, newer_bound: self.newer_bound || more.newer_bound }
    }
}

/// What has been learnt of the models of one server.
pub(super) struct Dialects(Cache<String, Dialect>);

impl Dialects {
    pub(super) fn new() -> Self {
        Self(Cache::builder().max_capacity(MOST_MODELS).time_to_live(REMEMBERED).build())
    }

    pub(super) fn of(&self, model: &str) -> Dialect {
        self.0.get(model).unwrap_or_default()
    }

    /// What a refusal teaches about its model, which was asked so; `None` when that is no news.
    pub(super) fn learn(&self, model: &str, asked: Dialect, refusal: &Refusal) -> Option<Dialect> {
        let named = Dialect {
            plain: refusal.names("response_format"),
            newer_bound: refusal.names("max_tokens") && refusal.is_about_support(),
        };
        let next = asked.and(named);
        (next != asked).then(|| {
            // What this call alone tried is nothing that was learnt.
            self.0.insert(model.to_owned(), self.of(model).and(named));
            next
        })
    }
}

/// The fields of an error that programs read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The parameters that it names.
    parameters: Vec<String>,
    /// Its code.
    code: Option<String>,
}

impl Refusal {
    /// Reads an error: OpenAI's shape, or that of servers that report where a body does not validate.
    pub(super) fn read(body: &[u8]) -> Self {
        let Ok(mut value) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        // Gemini's compatible endpoint puts its error into a list.
        if let Some(first) = value.as_array_mut().and_then(|list| list.first_mut()) {
            value = first.take();
        }
        let error = value.get("error").filter(|error| error.is_object()).unwrap_or(&value);
        let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
        let places = value.get("detail").and_then(Value::as_array).into_iter().flatten();
        // `["body", "response_format", …]`: what comes after the part of the request.
        let place = |detail: &Value| detail.pointer("/loc/1").and_then(Value::as_str).map(str::to_owned);
        let parameters = text("param").into_iter().chain(places.filter_map(place)).collect();
        Self { parameters, code: text("code") }
    }

    /// Whether it is about a parameter, or about a part of it.
    fn names(&self, parameter: &str) -> bool {
        let of = |named: &String| named.split(['.', '[']).next() == Some(parameter);
        self.parameters.iter().any(of)
    }

    /// Whether it is about a parameter as such, and not about its value.
    fn is_about_support(&self) -> bool {
        self.code.as_deref().is_none_or(|code| code == "unsupported_parameter")
    }

    /// Whether it says that the model is not offered.
    pub(super) fn is_about_the_model(&self) -> bool {
        self.names("model") || self.code.as_deref() == Some("model_not_found")
    }

    /// Whether it says that a rule forbids what was asked.
    pub(super) fn is_about_content(&self) -> bool {
        self.code.as_deref() == Some("content_filter")
    }

    /// Whether it names anything that programs read.
    pub(super) fn is_silent(&self) -> bool {
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
            dialects.learn(model, dialects.of(model), &Refusal::read(body.as_bytes())).is_some()
        };
        assert!(learn("small", SCHEMA));
        assert!(!learn("small", SCHEMA), "once");
        assert!(learn("small", BOUND));
        assert_eq!(dialects.of("small"), Dialect { plain: true, newer_bound: true });
        assert_eq!(dialects.of("large"), Dialect::default());
        let too_large = r#"{"error": {"param": "max_tokens", "code": "invalid_value"}}"#;
        assert!(!learn("large", too_large));
        // A call that was tried in words for itself teaches no more than what was named.
        let tried = Dialect { plain: true, ..Dialect::default() };
        assert!(dialects.learn("tried", tried, &Refusal::read(BOUND.as_bytes())).is_some());
        assert_eq!(dialects.of("tried"), Dialect { plain: false, newer_bound: true });
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
