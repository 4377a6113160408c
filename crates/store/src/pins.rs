//! Pins of a session and of its tenant: listing, replacing and counting them.

pub(crate) mod read;

use std::collections::HashMap;

pub use self::read::list_all;
use self::read::{count, list};
use super::audit::{self, Actor};
use super::load::{self, Loaded, Tries, Which};
use super::sessions::{self};
use crate::prelude::*;
use anchord_context::pin::{MAX_PINS, PINS_SHARE, Pin};
use anchord_record::fill::share_of;

/// A change of pins.
#[derive(Clone, Copy, Debug)]
pub enum PinEdit<'a> {
    /// This pin comes last; when it is there already, nothing changes.
    Add(&'a Pin),
    /// The pin with this id goes.
    Remove(&'a str),
    /// These take the place of all.
    Replace(&'a [Pin]),
}

/// Pins that are changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pinned {
    /// The session; `None` for the tenant's.
    pub session: Option<SessionId>,
    /// The tenant's pins, which contexts show before those of the session.
    pub tenant_pins: Vec<Pin>,
}

/// The outcome of a change of pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinEdited {
    /// The pins are as the change wants them: those of this session, or the tenant's.
    Done(Pinned),
    /// There is no such session or tenant.
    NoOwner,
    /// There is no such pin.
    NoPin,
    /// There are as many pins as there may be.
    TooMany,
    /// The pins would take more than their share of the window.
    TooLarge {
        /// The tokens that they would take, the tenant's pins included.
        tokens: u32,
        /// The most tokens that they may take.
        max_tokens: u32,
    },
    /// The session has changed since it was read.
    Changed,
}

impl PinEdit<'_> {
    /// The pins after the change; `Err` says why there are none.
    pub(crate) fn apply(self, mut pins: Vec<Pin>) -> Result<Vec<Pin>, PinEdited> {
        match self {
            Self::Add(pin) if pins.iter().any(|known| known.id == pin.id) => {}
            Self::Add(_) if pins.len() >= MAX_PINS => return Err(PinEdited::TooMany),
            Self::Add(pin) => pins.push(pin.clone()),
            Self::Replace(pins) => return Ok(pins.to_vec()),
            Self::Remove(id) => {
                let all = pins.len();
                pins.retain(|pin| pin.id != id);
                if pins.len() == all {
                    return Err(PinEdited::NoPin);
                }
            }
        }
        Ok(pins)
    }
}

/// Changes a session's own pins in an open transaction, which must not be committed unless it is done.
pub async fn edit(
    tx: &mut PgConnection,
    tenant: TenantId,
    name: &SessionRef,
    edit: PinEdit<'_>,
) -> Result<PinEdited> {
    let Some(loaded) = load::load(&mut *tx, tenant, Which::Named(name)).await? else {
        return Ok(PinEdited::NoOwner);
    };
    // Read after the session, whose revision every change of pins increases: `write` notices a change in between.
    let pins = match edit.apply(list(&mut *tx, loaded.session.id.of(tenant)).await?) {
        Ok(pins) => pins,
        Err(refused) => return Ok(refused),
    };
    let settings = loaded.session.effective_settings();
    let max_tokens = share_of(settings.policy().effective_window, PINS_SHARE);
    let tokens = count(&settings, pins.clone());
    // Removing is allowed even when those that stay, or the tenant's own, are too large for this session.
    if tokens > max_tokens && !pins.is_empty() && !matches!(edit, PinEdit::Remove(_)) {
        return Ok(PinEdited::TooLarge { tokens, max_tokens });
    }
    let session = Some(loaded.session.id);
    let tenant_pins = loaded.session.defaults.wide_pins().to_vec();
    let written = write(tx, loaded, &pins, tokens).await?;
    Ok(if written { PinEdited::Done(Pinned { session, tenant_pins }) } else { PinEdited::Changed })
}

impl Store {
    /// Lists a session's own pins in order, and its tenant's; `None` when there is no such session.
    pub async fn list_pins(
        &self,
        tenant: TenantId,
        session: &SessionRef,
    ) -> Result<Option<(Vec<Pin>, Vec<Pin>)>> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(session) = sessions::find(&mut tx, tenant, session).await? else { return Ok(None) };
        let own = list(&mut tx, session.id.of(tenant)).await?;
        Ok(Some((own, session.defaults.wide_pins().to_vec())))
    }

    /// Replaces a session's own pins. The same pins again change nothing.
    pub async fn replace_pins(
        &self,
        tenant: TenantId,
        name: &SessionRef,
        pins: &[Pin],
        actor: Actor,
    ) -> Result<PinEdited> {
        let mut tries = Tries::default();
        loop {
            let mut tx = self.begin(tenant).await?;
            let edited = edit(&mut tx, tenant, name, PinEdit::Replace(pins)).await?;
            if let PinEdited::Done(pinned) = &edited {
                if let Some(session) = pinned.session {
                    audit::record(&mut tx, tenant, actor, "pins.replaced", session.0).await?;
                }
                tx.commit().await?;
                return Ok(edited);
            }
            if edited != PinEdited::Changed {
                return Ok(edited);
            }
            drop(tx);
            tries.again().await?;
        }
    }
}

/// Stores pins of this many tokens, unless they are there already. Returns `false`, with nothing changed, when the session has
/// changed since it was read.
async fn write(tx: &mut PgConnection, loaded: Loaded, pins: &[Pin], tokens: u32) -> Result<bool> {
    let tenant = loaded.tenant;
    if !load::hold_as_read(&mut *tx, &loaded).await? {
        return Ok(false);
    }
    let mut session = loaded.session;
    if list(&mut *tx, session.id.of(tenant)).await? == pins {
        return Ok(true);
    }
    let gone = sqlx::query!(
        "delete from pins where tenant_id = $1 and session_id = $2 returning id, created_at",
        tenant.0,
        session.id.0
    )
    .fetch_all(&mut *tx)
    .await?;
    let since: HashMap<&str, DateTime<Utc>> = gone.iter().map(|pin| (&*pin.id, pin.created_at)).collect();
    let ids: Vec<&str> = pins.iter().map(|pin| pin.id.as_str()).collect();
    let texts: Vec<&str> = pins.iter().map(|pin| pin.text.as_str()).collect();
    // One that was there is as old as it was.
    let since: Vec<_> = pins.iter().map(|pin| since.get(&*pin.id).copied()).collect();
    sqlx::query!(
        "insert into pins (tenant_id, session_id, position, id, body, created_at)
             select $1, $2, p.position, p.id, p.body, coalesce(p.created_at, now())
             from unnest($3::text[], $4::text[], $5::timestamptz[]) with ordinality as p(id, body, created_at, position)",
        tenant.0,
        session.id.0,
        &ids as &[&str],
        &texts as &[&str],
        &since as &[Option<DateTime<Utc>>]
    )
    .execute(&mut *tx)
    .await?;
    session.pin(tokens);
    sessions::update(tx, tenant, &session).await?;
    Ok(true)
}
