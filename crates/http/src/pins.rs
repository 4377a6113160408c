//! Pins: constraints that every summary and every context contain verbatim. A session has pins of its own, and those of
//! its tenant apply to all sessions.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::auth::{Admin, Reader, Writer};
use super::json::{Json, Reply};
use super::params::{Path, SessionPath};
use super::problem::{ApiError, FieldError, Resource};
use super::state::AppState;
use anchord_context::pin::{MAX_PINS, Pin};
use anchord_store::pins::PinsOutcome;
use anchord_store::tenants::WidePins;

/// The pins that replace the ones there are.
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

/// Pins, in the order in which contexts show them.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Pins {
    /// The pins.
    pub items: Vec<PinView>,
}

/// A session's pins.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SessionPins {
    /// The session's own, in the order in which contexts show them.
    pub items: Vec<PinView>,
    /// The tenant's, which contexts show before them.
    pub tenant_items: Vec<PinView>,
}

impl From<Pin> for PinView {
    fn from(pin: Pin) -> Self {
        Self { id: pin.id, text: pin.text }
    }
}

fn views(pins: Vec<Pin>) -> Vec<PinView> {
    pins.into_iter().map(Into::into).collect()
}

/// Lists a session's pins, and the tenant's that hold in it.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/pins", tag = "steering",
    params(SessionPath),
    responses((status = 200, body = SessionPins, description = "The pins."))
)]
pub async fn list_pins(
    Reader(caller): Reader,
    State(state): State<AppState>,
    Path(path): Path<SessionPath>,
) -> Result<Reply<SessionPins>, ApiError> {
    let found = state.store.list_pins(caller.tenant, &path.session_id).await?;
    let (own, wide) = found.ok_or(ApiError::NotFound(Resource::Session))?;
    Ok(Reply(SessionPins { items: views(own), tenant_items: views(wide) }))
}

/// Replaces a session's own pins.
///
/// Contexts show them from the next read on, under a new `context_revision`. Together with the tenant's
/// they may take a tenth of the effective window.
#[utoipa::path(
    put, path = "/v1/sessions/{session_id}/pins", tag = "steering",
    params(SessionPath), request_body = NewPins,
    responses((status = 200, body = Pins, description = "The pins as they are now."))
)]
pub async fn replace_pins(
    Writer(caller): Writer,
    State(state): State<AppState>,
    Path(path): Path<SessionPath>,
    body: Json<NewPins>,
) -> Result<Reply<Pins>, ApiError> {
    let pins = read_pins(body.value.pins)?;
    let outcome = state.store.replace_pins(caller.tenant, &path.session_id, &pins).await?;
    match outcome.ok_or(ApiError::NotFound(Resource::Session))? {
        PinsOutcome::Replaced { .. } => Ok(Reply(Pins { items: views(pins) })),
        PinsOutcome::TooLarge { tokens, max_tokens } => Err(too_large(tokens, max_tokens)),
    }
}

/// Lists the pins that hold in every session of the tenant.
#[utoipa::path(
    get, path = "/v1/pins", tag = "steering",
    responses((status = 200, body = Pins, description = "The pins."))
)]
pub async fn list_tenant_pins(
    Reader(caller): Reader,
    State(state): State<AppState>,
) -> Result<Reply<Pins>, ApiError> {
    let tenant = state.store.find_tenant(caller.tenant).await?.ok_or(ApiError::NotFound(Resource::Tenant))?;
    Ok(Reply(Pins { items: views(tenant.settings.wide_pins().to_vec()) }))
}

/// Replaces the pins that hold in every session of the tenant.
///
/// Contexts show them before a session's own from the next read on, under a new `context_revision`, and
/// every later summary carries them. Together they may take a tenth of the effective window that the
/// tenant's settings give.
#[utoipa::path(
    put, path = "/v1/pins", tag = "steering", request_body = NewPins,
    responses((status = 200, body = Pins, description = "The pins as they are now."))
)]
pub async fn replace_tenant_pins(
    Admin(caller): Admin,
    State(state): State<AppState>,
    body: Json<NewPins>,
) -> Result<Reply<Pins>, ApiError> {
    let pins = read_pins(body.value.pins)?;
    match state.store.replace_wide_pins(caller.tenant, &pins, caller.actor()).await? {
        None => Err(ApiError::NotFound(Resource::Tenant)),
        Some(WidePins::Replaced) => Ok(Reply(Pins { items: views(pins) })),
        Some(WidePins::TooLarge { tokens, max_tokens }) => Err(too_large(tokens, max_tokens)),
    }
}

fn too_large(tokens: u32, max_tokens: u32) -> ApiError {
    ApiError::refused(
        "/pins",
        format!("the pins take {tokens} tokens; a tenth of the effective window is {max_tokens}"),
    )
}

/// Checks the texts and gives each its id.
pub(super) fn read_pins(new: Vec<String>) -> Result<Vec<Pin>, ApiError> {
    if new.len() > MAX_PINS {
        return Err(ApiError::invalid("/pins", format!("must hold at most {MAX_PINS} pins")));
    }
    let mut errors = Vec::new();
    let mut pins: Vec<Pin> = Vec::with_capacity(new.len());
    for (index, text) in new.into_iter().enumerate() {
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
            let pin = Pin::new(text);
            if !pins.iter().any(|known| known.id == pin.id) {
                pins.push(pin);
            }
        }
    }
    if errors.is_empty() { Ok(pins) } else { Err(ApiError::Invalid(errors)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pins: &[&str]) -> Result<Vec<Pin>, ApiError> {
        read_pins(pins.iter().map(|&text| text.to_owned()).collect())
    }

    #[test]
    fn the_same_text_counts_once() {
        let pins = read(&["no deploys on friday", "use tabs", "no deploys on friday"]).unwrap();
        assert_eq!(pins.len(), 2);
        assert_eq!(pins[0].text, "no deploys on friday");
    }

    #[test]
    fn blank_pins_and_nul_are_refused_at_their_place() {
        let Err(ApiError::Invalid(errors)) = read(&["fine", "  ", "a\0b"]) else { panic!("taken") };
        let pointers: Vec<&str> = errors.iter().map(|error| error.pointer.as_str()).collect();
        assert_eq!(pointers, ["/pins/1", "/pins/2"]);
    }
}
