//! Reads JSON request bodies: within the size limit, parsed strictly, and rejected with a pointer to the invalid place.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::de::{DeserializeOwned, IgnoredAny, Visitor};
use serde::{Deserialize, Deserializer, Serialize, forward_to_deserialize_any};
use serde_json::error::Category;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::admission::heavy::in_turn;
use crate::extract::auth;
use crate::problem::{ApiError, FieldError, Result};
use crate::request_scope::Scope;
use crate::state::AppState;
use anchord_messages::format::{MAX_VALUES, check_json};
use anchord_messages::id::TenantId;
use anchord_messages::misread::{must_be, place, pointer};
use anchord_runtime::shares::Permit;

/// Bodies up to this size are parsed on the thread of the request, which takes some tenths of a millisecond.
const INLINE_BYTES: usize = 128 * 1024;
/// The most bytes of a body that is parsed into values, which take up to twenty times its memory. Bodies with messages
/// and outputs stay text, and have the configured limit.
const MAX_VALUE_BYTES: usize = 1024 * 1024;

/// A JSON body. It is the last parameter of a handler, after the caller, so that an unauthenticated request is
/// rejected before its body is read.
#[derive(Debug)]
pub struct Json<T> {
    /// The parsed value.
    pub value: T,
    /// SHA-256 of the bytes that were sent, for [`crate::extract::idempotency`].
    pub digest: [u8; 32],
    /// Permit for the value's part of the tenant's memory.
    _memory: Option<Permit>,
}

/// A JSON body that may be absent; then it is the type's default.
#[derive(Debug)]
pub struct OptionalJson<T> {
    /// The parsed value.
    pub value: T,
    /// SHA-256 of the bytes that were sent.
    pub digest: [u8; 32],
    /// Permit for the value's part of the tenant's memory.
    _memory: Option<Permit>,
}

/// A field of a reply that a request may repeat, so that what was read can be sent back. It is ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOnly;

impl<'de> Deserialize<'de> for ReadOnly {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(from).map(|_| Self)
    }
}

/// A JSON reply.
#[derive(Clone, Debug)]
pub struct Reply<T>(pub T);

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            // A text that grows has up to twice the room that it needs, and a large one waits long for a slow client.
            Ok(text) => {
                let json = HeaderValue::from_static("application/json");
                ([(header::CONTENT_TYPE, json)], Bytes::from(text.into_boxed_slice())).into_response()
            }
            Err(error) => ApiError::internal(error).into_response(),
        }
    }
}

impl<T: DeserializeOwned + Send + 'static> FromRequest<AppState> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self> {
        require_json(request.headers())?;
        let tenant = tenant(&request);
        let bytes = read(request, state, state.limits.body_bytes.min(MAX_VALUE_BYTES)).await?;
        let memory = state.admission.bodies.take_for_values(tenant, &bytes).await?;
        let (value, digest) = parse_apart(tenant, bytes).await?;
        Ok(Self { value, digest, _memory: memory })
    }
}

impl<T: DeserializeOwned + Default + Send + 'static> FromRequest<AppState> for OptionalJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self> {
        let has_json = require_json(request.headers());
        let tenant = tenant(&request);
        let bytes = read(request, state, state.limits.body_bytes.min(MAX_VALUE_BYTES)).await?;
        if bytes.is_empty() {
            return Ok(Self { value: T::default(), digest: Sha256::digest(&bytes).into(), _memory: None });
        }
        has_json?;
        let memory = state.admission.bodies.take_for_values(tenant, &bytes).await?;
        let (value, digest) = parse_apart(tenant, bytes).await?;
        Ok(Self { value, digest, _memory: memory })
    }
}

/// A struct inside a body that is parsed from a JSON object only; serde would also accept a list, field by field.
#[derive(Clone, Copy, Debug)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(FromObject(from)).map(Self)
    }
}

/// Parses maps only, whatever type is requested.
struct FromObject<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for FromObject<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A JSON body as it was sent, for bodies with parts that are stored word for word.
#[derive(Clone, Debug)]
pub struct JsonBytes(pub axum::body::Bytes);

impl FromRequest<AppState> for JsonBytes {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self> {
        require_json(request.headers())?;
        read(request, state, state.limits.body_bytes).await.map(Self)
    }
}

/// A body of JSON lines as it was sent.
#[derive(Clone, Debug)]
pub struct Lines(pub Bytes);

impl FromRequest<AppState> for Lines {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
        let is_lines = ["application/x-ndjson", "application/jsonl", "application/x-jsonlines"]
            .iter()
            .any(|name| essence.eq_ignore_ascii_case(name));
        if !is_lines {
            return Err(ApiError::UnsupportedMediaType("application/x-ndjson"));
        }
        read(request, state, state.limits.body_bytes).await.map(Self)
    }
}

impl JsonBytes {
    /// SHA-256 of the bytes that were sent.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }

    /// Parses the body, and rejects what cannot be stored: lone surrogates, repeated keys, nesting beyond the limit.
    ///
    /// # Errors
    /// When it is not JSON, not of this type, or cannot be stored.
    pub fn parse_strictly<'a, T: Deserialize<'a>>(&'a self) -> Result<T> {
        parse(&self.0)
    }
}

fn require_json(headers: &HeaderMap) -> Result<()> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut parts = kind.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
    let is_json =
        essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
    let is_utf8 = parts.filter_map(|parameter| parameter.split_once('=')).all(|(name, value)| {
        !name.trim().eq_ignore_ascii_case("charset")
            || value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
    });
    if is_json && is_utf8 {
        Ok(())
    } else if essence == "application/x-www-form-urlencoded" {
        Err(ApiError::FormTyped)
    } else {
        Err(ApiError::UnsupportedMediaType("application/json"))
    }
}

async fn read(request: Request, state: &AppState, limit: usize) -> Result<Bytes> {
    let (head, body) = request.into_parts();
    // Compressed bodies are rejected, because a few kilobytes could expand to gigabytes. Agents are nearby, and a
    // proxy may decompress.
    let is_plain = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"identity");
    if !head.headers.get_all(header::CONTENT_ENCODING).iter().all(is_plain) {
        return Err(ApiError::Encoded);
    }
    let bytes =
        state.admission.bodies.read((&head.headers, &head.extensions), body, (&state.limits, limit)).await?;
    // A slow body may come long after its key was looked at.
    if let Some(scope) = head.extensions.get::<Scope>() {
        auth::check_again(state, scope).await?;
    }
    Ok(bytes)
}

/// The tenant of a request; the operator is nobody's.
fn tenant(request: &Request) -> Option<TenantId> {
    request.extensions().get::<Scope>().and_then(Scope::tenant)
}

/// Parses and hashes a body; a large one in its tenant's turn, so that other requests do not wait.
async fn parse_apart<T: DeserializeOwned + Send + 'static>(
    tenant: Option<TenantId>,
    bytes: Bytes,
) -> Result<(T, [u8; 32])> {
    let is_large = bytes.len() > INLINE_BYTES;
    let work = move || Ok((parse(&bytes)?, Sha256::digest(&bytes).into()));
    if !is_large {
        return work();
    }
    in_turn(tenant.unwrap_or(TenantId(Uuid::nil())), work).await?
}

/// Parses a body. One that is not JSON is a 400. JSON that is not of this type, or cannot be stored (lone surrogates,
/// repeated keys, nesting beyond the limit), is a 422 with the position.
///
/// # Errors
/// When it is not JSON, not of this type, or cannot be stored.
pub fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        ApiError::MalformedJson(format!("the body is not UTF-8 from byte {} on", error.valid_up_to()))
    })?;
    let check = || {
        check_json(text).map_err(|refused| {
            ApiError::Invalid(vec![FieldError { pointer: refused.pointer, detail: refused.detail }])
        })
    };
    // Too many values are refused before any of them takes memory.
    if text.bytes().filter(|sign| matches!(sign, b',' | b'[' | b'{')).count() > MAX_VALUES {
        check()?;
    }
    match parse_typed(text) {
        Ok(value) => check().map(|()| value),
        // serde calls some of what cannot be stored malformed; a check of the grammar alone shows the difference.
        Err(malformed @ ApiError::MalformedJson(_)) => {
            if serde_json::from_str::<IgnoredAny>(text).is_ok() {
                check()?;
            }
            Err(malformed)
        }
        Err(refused) => Err(refused),
    }
}

fn parse_typed<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T> {
    // serde would also accept a list for a struct, field by field.
    if !text.trim_ascii_start().starts_with('{') {
        serde_json::from_str::<IgnoredAny>(text).map_err(|error| refuse("", &error))?;
        return Err(ApiError::invalid("", "the body must be a JSON object"));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let pointer = pointer(error.path());
        refuse(&pointer, &error.into_inner())
    })?;
    json.end().map_err(|error| refuse("", &error))?;
    Ok(value)
}

fn refuse(pointer: &str, error: &serde_json::Error) -> ApiError {
    let message = error.to_string();
    match error.classify() {
        // serde's own limit on depth, which applies where a value is not stored as text.
        Category::Syntax if message.starts_with("recursion limit") => {
            ApiError::invalid(pointer, "nested too deep")
        }
        Category::Io | Category::Syntax | Category::Eof => ApiError::MalformedJson(message),
        Category::Data => {
            let detail = must_be(&message);
            ApiError::invalid(place(pointer.to_owned(), &detail), detail)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Batch {
        #[serde(default)]
        messages: Vec<Box<RawValue>>,
        #[serde(default)]
        marks: Vec<Object<Mark>>,
        #[serde(default, rename = "note")]
        _note: Option<String>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Mark {
        index: u32,
    }

    fn refusal(text: &str) -> (u16, String) {
        match parse::<Batch>(text.as_bytes()) {
            Err(ApiError::MalformedJson(_)) => (400, String::new()),
            Err(ApiError::Invalid(errors)) => (422, errors[0].pointer.clone()),
            other => panic!("{text} gave {other:?}"),
        }
    }

    #[test]
    fn raw_values_inside_a_body_keep_their_text() {
        let text = r#"{"messages": [{"b": 1e400, "a":"\u0000"}], "marks": [{"index": 0}]}"#;
        let batch: Batch = parse(text.as_bytes()).unwrap();
        assert_eq!(batch.messages[0].get(), r#"{"b": 1e400, "a":"\u0000"}"#);
        assert_eq!(batch.marks[0].0.index, 0);
    }

    #[test]
    fn what_is_not_json_is_malformed() {
        for text in ["", "{", "{\"messages\": [}", "nonsense", "{} {}", "\u{feff}{}"] {
            assert_eq!(refusal(text).0, 400, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_taken_is_refused_at_its_place() {
        for (text, pointer) in [
            (r"[]", ""),
            (r#"{"mesages": []}"#, "/mesages"),
            (r#"{"messages": {}}"#, "/messages"),
            (r#"{"marks": [{"index": 1}, {"index": "x"}]}"#, "/marks/1/index"),
            (r#"{"marks": [{"indx": 1}]}"#, "/marks/0/indx"),
            (r#"{"marks": [{}]}"#, "/marks/0/index"),
            (r#"{"marks": [[0]]}"#, "/marks/0"),
            (r#"{"a/b": 1}"#, "/a~1b"),
            (r#"{"note": "\ud800"}"#, "/note"),
            (r#"{"messages": [{"a": 1, "a": 2}]}"#, "/messages/0/a"),
            (r#"{"messages": ["\ud800"]}"#, "/messages/0"),
        ] {
            assert_eq!(refusal(text), (422, pointer.to_owned()), "{text}");
        }
    }

    #[test]
    fn only_json_in_utf8_is_a_body() {
        for (kind, taken) in [
            ("application/json", true),
            ("application/json; charset=UTF-8", true),
            ("application/vnd.x+json", true),
            ("text/plain", false),
            ("application/json; charset=latin1", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, kind.parse().unwrap());
            assert_eq!(require_json(&headers).is_ok(), taken, "{kind}");
        }
    }
}
