//! Pins: constraints that every summary and every context carry word for word.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::AppState;
use super::auth::{Reader, Writer};
use super::json::{JsonBytes, Reply};
use super::params::{Path, SessionPath};
use super::problem::{ApiError, FieldError, Thing};
use crate::domain::context::{Counted, pins_text};
use crate::domain::tokens::TokenCounter;
use crate::store::pins::{Pin, PinsOutcome};

/// The most pins of a session.
const MAX_PINS: usize = 200;

/// The pins that replace a session's pins.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"pins": ["Never touch the production database."]})))]
pub struct NewPins {
    /// Their texts, in the order in which contexts show them; a text that comes twice counts once.
    #[schema(max_items = 200)]
    pub pins: Vec<String>,
}

/// One pin.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PinView {
    /// Its id, derived from its text.
    #[schema(examples("pin_9f2c4b7a1d3e5f60"))]
    pub id: String,
    /// Its text, verbatim.
    pub text: String,
}

/// A session's pins.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Pins {
    /// The pins, in the order in which contexts show them.
    pub items: Vec<PinView>,
}

impl From<Vec<Pin>> for Pins {
    fn from(pins: Vec<Pin>) -> Self {
        Self { items: pins.into_iter().map(|pin| PinView { id: pin.id, text: pin.text }).collect() }
    }
}

/// Lists a session's pins.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/pins", tag = "steering",
    params(SessionPath),
    responses((status = 200, body = Pins, description = "The pins."))
)]
pub async fn list_pins(
    Reader(caller): Reader,
    State(state): State<AppState>,
    Path(path): Path<SessionPath>,
) -> Result<Reply<Pins>, ApiError> {
    let found = state.store.list_pins(caller.tenant, &path.session_id).await?;
    found.map(|pins| Reply(pins.into())).ok_or(ApiError::NotFound(Thing::Session))
}

/// Replaces a session's pins.
///
/// Contexts show them from the next read on, under a new `context_revision`. Together they may take a
/// tenth of the effective window.
#[utoipa::path(
    put, path = "/v1/sessions/{session_id}/pins", tag = "steering",
    params(SessionPath), request_body = NewPins,
    responses((status = 200, body = Pins, description = "The pins as they are now."))
)]
pub async fn replace_pins(
    Writer(caller): Writer,
    State(state): State<AppState>,
    Path(path): Path<SessionPath>,
    body: JsonBytes,
) -> Result<Reply<Pins>, ApiError> {
    let new: NewPins = body.parse_strictly()?;
    let pins = read_pins(new)?;
    let not_found = || ApiError::NotFound(Thing::Session);
    let session = state.store.find_session(caller.tenant, &path.session_id).await?.ok_or_else(not_found)?;
    let tokenizer = session.effective_settings().tokenizer.unwrap_or_default();
    let tokens = count(&pins, TokenCounter::new(tokenizer));
    let outcome = state.store.replace_pins(caller.tenant, &path.session_id, &pins, tokens).await?;
    match outcome.ok_or_else(not_found)? {
        PinsOutcome::Replaced { .. } => Ok(Reply(pins.into())),
        PinsOutcome::TooLarge { max_tokens } => Err(ApiError::refused(
            "/pins",
            format!("the pins take {tokens} tokens; a tenth of the effective window is {max_tokens}"),
        )),
    }
}

/// Checks the texts and gives each its id.
fn read_pins(new: NewPins) -> Result<Vec<Pin>, ApiError> {
    if new.pins.len() > MAX_PINS {
        return Err(ApiError::invalid("/pins", format!("must hold at most {MAX_PINS} pins")));
    }
    let mut errors = Vec::new();
    let mut pins: Vec<Pin> = Vec::with_capacity(new.pins.len());
    for (index, text) in new.pins.into_iter().enumerate() {
        let refused = if text.trim().is_empty() {
            Some("must not be blank")
        } else if text.contains('\0') {
            // Postgres takes no NUL in text.
            Some("must not contain NUL")
        } else {
            None
        };
        if let Some(detail) = refused {
            errors.push(FieldError { pointer: format!("/pins/{index}"), detail: detail.to_owned() });
        } else {
            let pin = Pin { id: pin_id(&text), text };
            if !pins.iter().any(|known| known.id == pin.id) {
                pins.push(pin);
            }
        }
    }
    if errors.is_empty() { Ok(pins) } else { Err(ApiError::Invalid(errors)) }
}

fn pin_id(text: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let head = digest.first_chunk::<8>().copied().unwrap_or_default();
    format!("pin_{:016x}", u64::from_be_bytes(head))
}

/// What the pins take in a context, as it serves them.
fn count(pins: &[Pin], counter: TokenCounter) -> u32 {
    if pins.is_empty() {
        return 0;
    }
    let texts: Vec<&str> = pins.iter().map(|pin| pin.text.as_str()).collect();
    Counted::new(&pins_text(&texts), &counter).tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pins: &[&str]) -> Result<Vec<Pin>, ApiError> {
        read_pins(NewPins { pins: pins.iter().map(|&text| text.to_owned()).collect() })
    }

    #[test]
    fn the_same_text_has_the_same_id_and_counts_once() {
        let pins = read(&["no deploys on friday", "use tabs", "no deploys on friday"]).unwrap();
        assert_eq!(pins.len(), 2);
        assert_eq!(pins[0].id, pin_id("no deploys on friday"));
        assert!(pins[0].id.starts_with("pin_") && pins[0].id.len() == 20);
    }

    #[test]
    fn blank_pins_and_nul_are_refused_at_their_place() {
        let Err(ApiError::Invalid(errors)) = read(&["fine", "  ", "a\0b"]) else { panic!("taken") };
        let pointers: Vec<&str> = errors.iter().map(|error| error.pointer.as_str()).collect();
        assert_eq!(pointers, ["/pins/1", "/pins/2"]);
    }
}
