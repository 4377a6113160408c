//! Pins: constraints that every summary and every context contain verbatim. A session has pins of its own, and those of
//! its tenant apply to all sessions.

use std::fmt;

use serde::Deserializer;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};

use crate::api::prelude::*;
use anchord_context::pin::{MAX_PINS, Pin};
use anchord_store::audit;
use anchord_store::load::Tries;
use anchord_store::pins::{self, PinEdit, PinEdited, Pinned};
use anchord_store::{Tx, tenants};

/// The pins that replace the ones there are. The reply of a GET can be sent back.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReplacePins, examples(json!({"pins": [{"text": "Never touch the production database."}]})))]
pub struct NewPins {
    /// The pins, in the order in which contexts show them. A text that comes twice counts once.
    #[schema(max_items = 200)]
    pub pins: Vec<NewPin>,
    /// The tenant's pins, as a GET returns them. Ignored: `PUT /v1/pins` sets them.
    #[serde(default, rename = "tenant_pins")]
    #[schema(value_type = Option<Vec<Pin>>, read_only)]
    _tenant_pins: ReadOnly,
}

/// A pin to set. Its text alone, as a JSON string, is accepted too.
#[derive(Clone, Debug, PartialEq, Eq, ToSchema)]
#[schema(examples(json!({"text": "Never touch the production database."})), as = PinInput)]
pub struct NewPin {
    /// Its text, which contexts show verbatim.
    #[schema(pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
    pub text: String,
    /// Its id, as a GET returns it. Ignored: it follows from the text.
    #[schema(rename = "id", value_type = Option<String>, read_only)]
    _id: ReadOnly,
}

impl From<String> for NewPin {
    fn from(text: String) -> Self {
        Self { text, _id: ReadOnly }
    }
}

impl<'de> Deserialize<'de> for NewPin {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            text: String,
            #[serde(default, rename = "id")]
            _id: ReadOnly,
        }
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = NewPin;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a pin: an object with `text`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<NewPin, E> {
                Ok(text.to_owned().into())
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NewPin, A::Error> {
                let fields = Fields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(fields.text.into())
            }
        }
        from.deserialize_any(Either)
    }
}

session_path! {
    /// The path of one of a session's pins.
    PinPath {
        /// The pin's id.
        #[param(example = "pin_9f2c4b7a1d3e5f60")]
        pin_id: String,
    }
}

/// The path of one of the tenant's pins.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct TenantPinPath {
    /// The pin's id.
    #[param(example = "pin_9f2c4b7a1d3e5f60")]
    pub pin_id: String,
}

/// The tenant's pins, in the order in which contexts show them.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = TenantPins)]
pub struct Pins {
    /// The pins.
    pub pins: Vec<Pin>,
}

/// A session's pins.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SessionPins {
    /// The session's own, in the order in which contexts show them.
    pub pins: Vec<Pin>,
    /// The tenant's, which contexts show before them.
    pub tenant_pins: Vec<Pin>,
}

/// Lists a session's pins, and the tenant's pins that apply to it.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/pins", tag = "pins", operation_id = "pins.list",
    params(SessionPath),
    responses((status = 200, body = SessionPins, description = "The pins."))
)]
pub async fn list_pins(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
) -> Result<Reply<SessionPins>> {
    let (own, wide) =
        state.store.list_pins(caller.tenant, &path.session_id).await?.or_missing(Kind::SessionNotFound)?;
    Ok(Reply(SessionPins { pins: own, tenant_pins: wide }))
}

/// Replaces a session's own pins.
///
/// Contexts show them from the next read on, under a new `context_revision`. Together with the tenant's
/// they may take a tenth of the effective window.
#[utoipa::path(
    put, path = "/v1/sessions/{session_id}/pins", tag = "pins", operation_id = "pins.replace",
    params(SessionPath), request_body = NewPins,
    responses((status = 200, body = SessionPins, description = "The pins as they are now."))
)]
pub async fn replace_pins(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    body: Json<NewPins>,
) -> Result<Reply<SessionPins>> {
    let pins = read_pins(body.value.pins.into_iter().map(|pin| pin.text).collect())?;
    let edited = state.store.replace_pins(caller.tenant, &path.session_id, &pins, caller.actor()).await?;
    let Pinned { tenant_pins, .. } = accepted(edited, Kind::SessionNotFound, "/pins")?.unwrap_or_default();
    Ok(Reply(SessionPins { pins, tenant_pins }))
}

/// Lists the pins that apply to every session of the tenant.
#[utoipa::path(
    get, path = "/v1/pins", tag = "pins", operation_id = "pins.list_shared",
    responses((status = 200, body = Pins, description = "The pins."))
)]
pub async fn list_tenant_pins(Reader { caller, state }: Reader) -> Result<Reply<Pins>> {
    let tenant = state.store.find_tenant(caller.tenant).await?.or_missing(Kind::TenantNotFound)?;
    Ok(Reply(Pins { pins: tenant.settings.wide_pins().to_vec() }))
}

/// Replaces the pins that apply to every session of the tenant.
///
/// Contexts show them before a session's own from the next read on, under a new `context_revision`, and
/// every later summary carries them. Together they may take a tenth of the effective window that the
/// tenant's settings give.
#[utoipa::path(
    put, path = "/v1/pins", tag = "pins", operation_id = "pins.replace_shared", request_body = NewPins,
    responses((status = 200, body = Pins, description = "The pins as they are now."))
)]
pub async fn replace_tenant_pins(Admin { caller, state }: Admin, body: Json<NewPins>) -> Result<Reply<Pins>> {
    let pins = read_pins(body.value.pins.into_iter().map(|pin| pin.text).collect())?;
    let edited = state.store.replace_wide_pins(caller.tenant, &pins, caller.actor()).await?;
    accepted(edited, Kind::TenantNotFound, "/pins").map(|_| Reply(Pins { pins }))
}

/// Adds a pin to a session's own, as the last.
///
/// A pin that is there already stays where it is.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/pins", tag = "pins", operation_id = "pins.add",
    params(SessionPath), request_body = NewPin,
    responses((status = 201, body = Pin, description = "The pin."))
)]
pub async fn add_pin(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    key: IdempotencyKey,
    body: Json<NewPin>,
) -> Result<KeptReply> {
    let mut tries = Tries::default();
    loop {
        let mut tx = state.store.begin(caller.tenant).await?;
        let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, body.digest).await?);
        let pin = read_pin(body.value.text.clone()).map_err(|detail| ApiError::invalid("/text", detail))?;
        let edited = pins::edit(&mut tx, caller.tenant, &path.session_id, PinEdit::Add(&pin)).await?;
        if let Some(Pinned { session, .. }) = accepted(edited, Kind::SessionNotFound, "/text")? {
            if let Some(session) = session {
                audit::record(&mut tx, caller.tenant, caller.actor(), "pin.added", session.0).await?;
            }
            let reply = KeptReply::json(StatusCode::CREATED, &pin)?;
            return claimed.commit(&state.store, tx, session, reply).await;
        }
        tx.rollback().await?;
        tries.again().await?;
    }
}

/// Removes a pin from a session's own.
#[utoipa::path(
    delete, path = "/v1/sessions/{session_id}/pins/{pin_id}", tag = "pins", operation_id = "pins.remove",
    params(PinPath),
    responses((status = 204, description = "The pin is removed."))
)]
pub async fn remove_pin(Writer { caller, state }: Writer, Path(path): Path<PinPath>) -> Result<StatusCode> {
    let mut tries = Tries::default();
    loop {
        let mut tx = state.store.begin(caller.tenant).await?;
        let edit = PinEdit::Remove(&path.pin_id);
        let edited = pins::edit(&mut tx, caller.tenant, &path.session_id, edit).await?;
        if let Some(Pinned { session, .. }) = accepted(edited, Kind::SessionNotFound, "")? {
            if let Some(session) = session {
                audit::record(&mut tx, caller.tenant, caller.actor(), "pin.removed", session.0).await?;
            }
            tx.commit().await?;
            return Ok(StatusCode::NO_CONTENT);
        }
        tx.rollback().await?;
        tries.again().await?;
    }
}

/// Adds a pin to those of every session of the tenant, as the last.
///
/// A pin that is there already stays where it is.
#[utoipa::path(
    post, path = "/v1/pins", tag = "pins", operation_id = "pins.add_shared", request_body = NewPin,
    responses((status = 201, body = Pin, description = "The pin."))
)]
pub async fn add_tenant_pin(
    Admin { caller, state }: Admin,
    key: IdempotencyKey,
    body: Json<NewPin>,
) -> Result<KeptReply> {
    let mut tx = state.store.begin_as(caller.actor(), caller.tenant).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, body.digest).await?);
    let pin = read_pin(body.value.text).map_err(|detail| ApiError::invalid("/text", detail))?;
    edit_wide(&mut tx, &caller, PinEdit::Add(&pin)).await?;
    let reply = KeptReply::json(StatusCode::CREATED, &pin)?;
    claimed.commit(&state.store, tx, None, reply).await
}

/// Removes a pin from those of every session of the tenant.
#[utoipa::path(
    delete, path = "/v1/pins/{pin_id}", tag = "pins", operation_id = "pins.remove_shared", params(TenantPinPath),
    responses((status = 204, description = "The pin is removed."))
)]
pub async fn remove_tenant_pin(
    Admin { caller, state }: Admin,
    Path(path): Path<TenantPinPath>,
) -> Result<StatusCode> {
    let mut tx = state.store.begin_as(caller.actor(), caller.tenant).await?;
    edit_wide(&mut tx, &caller, PinEdit::Remove(&path.pin_id)).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn edit_wide(tx: &mut Tx, caller: &Caller, edit: PinEdit<'_>) -> Result<()> {
    let edited = tenants::edit_wide_pins(tx, caller.tenant, edit, caller.actor()).await?;
    accepted(edited, Kind::TenantNotFound, "/text").map(|_| ())
}

/// The session of a change that is done, and the tenant's pins; `None` when the session has changed meanwhile, so that it
/// has to be tried again, and an error when the change is refused.
fn accepted(edited: PinEdited, owner: Kind, pointer: &str) -> Result<Option<Pinned>> {
    match edited {
        PinEdited::Done(pinned) => Ok(Some(pinned)),
        PinEdited::Changed => Ok(None),
        PinEdited::NoOwner => Err(ApiError::NotFound(owner)),
        PinEdited::NoPin if matches!(owner, Kind::SessionNotFound) => {
            let detail = "the session has no such pin of its own; one of the tenant's is removed with \
                          DELETE /v1/pins/{pin_id}";
            Err(ApiError::Elsewhere(Kind::PinNotFound, detail))
        }
        PinEdited::NoPin => Err(ApiError::NotFound(Kind::PinNotFound)),
        PinEdited::TooMany => Err(ApiError::refused(pointer, format!("there are {MAX_PINS} pins, the most"))),
        PinEdited::TooLarge { tokens, max_tokens } => Err(ApiError::refused(
            pointer,
            format!("the pins take {tokens} tokens; a tenth of the effective window is {max_tokens}"),
        )),
    }
}

/// Checks a text and gives it its id.
fn read_pin(text: String) -> Result<Pin, &'static str> {
    if text.trim().is_empty() {
        Err("must not be blank")
    } else if text.contains('\0') {
        // Postgres takes no NUL in text.
        Err("must not contain NUL")
    } else {
        Ok(Pin::new(text))
    }
}

/// Checks the texts and gives each its id.
pub(crate) fn read_pins(texts: Vec<String>) -> Result<Vec<Pin>> {
    if texts.len() > MAX_PINS {
        return Err(ApiError::invalid("/pins", format!("must hold at most {MAX_PINS} pins")));
    }
    let mut errors = Vec::new();
    let mut pins: Vec<Pin> = Vec::with_capacity(texts.len());
    for (index, text) in texts.into_iter().enumerate() {
        match read_pin(text) {
            Ok(pin) if pins.iter().any(|known| known.id == pin.id) => {}
            Ok(pin) => pins.push(pin),
            Err(detail) => {
                errors.push(FieldError { pointer: format!("/pins/{index}"), detail: detail.to_owned() });
            }
        }
    }
    if errors.is_empty() { Ok(pins) } else { Err(ApiError::Invalid(errors)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pins: &[&str]) -> Result<Vec<Pin>> {
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
