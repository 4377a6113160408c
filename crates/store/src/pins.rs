//! Pins of a session and of its tenant: listing, replacing and counting them.

pub(crate) mod read;

pub use self::read::list_all;
use self::read::{count, list};
use super::load::{self, Loaded, Tries, Which};
use super::sessions::{self};
use super::{Store, StoreError};
use crate::connection::PgConnection;
use anchord_context::pin::{MAX_PINS, PINS_SHARE, Pin};
use anchord_messages::id::{SessionId, SessionRef, TenantId};
use anchord_record::fill::share_of;

/// The outcome of replacing pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinsOutcome {
    /// They are stored.
    Replaced {
        /// The tenant's pins, which contexts show before them.
        tenant_pins: Vec<Pin>,
    },
    /// They take more than their share of the window; nothing has changed.
    TooLarge {
        /// The tokens that they would take, the tenant's pins included.
        tokens: u32,
        /// The most tokens that pins may take in this session.
        max_tokens: u32,
    },
}

/// A change of one pin.
#[derive(Clone, Copy, Debug)]
pub enum PinEdit<'a> {
    /// This pin comes last; when it is there already, nothing changes.
    Add(&'a Pin),
    /// The pin with this id goes.
    Remove(&'a str),
}

/// The outcome of a change of one pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PinEdited {
    /// The pins are as the change wants them: those of this session, or the tenant's.
    Done(Option<SessionId>),
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

/// Changes one of a session's own pins in an open transaction, which must not be committed unless it is done.
///
/// # Errors
/// When the database fails.
pub async fn edit(
    tx: &mut PgConnection,
    tenant: TenantId,
    name: &SessionRef,
    edit: PinEdit<'_>,
) -> Result<PinEdited, StoreError> {
    let Some(loaded) = load::load(&mut *tx, tenant, Which::Named(name)).await? else {
        return Ok(PinEdited::NoOwner);
    };
    // Read after the session, whose revision every change of pins increases: `write` notices a change in between.
    let pins = match edit.apply(list(&mut *tx, tenant, loaded.session.id).await?) {
        Ok(pins) => pins,
        Err(refused) => return Ok(refused),
    };
    let tokens = match (fit(&loaded, &pins), edit) {
        // Removing one is allowed even when those that stay are too large.
        (Ok(tokens), _) | (Err(TooLarge { tokens, .. }), PinEdit::Remove(_)) => tokens,
        (Err(TooLarge { tokens, max_tokens }), PinEdit::Add(_)) => {
            return Ok(PinEdited::TooLarge { tokens, max_tokens });
        }
    };
    let session = loaded.session.id;
    let written = write(tx, loaded, &pins, tokens).await?;
    Ok(if written { PinEdited::Done(Some(session)) } else { PinEdited::Changed })
}

impl Store {
    /// Lists a session's own pins in order, and its tenant's; `None` when there is no such session.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_pins(
        &self,
        tenant: TenantId,
        session: &SessionRef,
    ) -> Result<Option<(Vec<Pin>, Vec<Pin>)>, StoreError> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(session) = sessions::find(&mut tx, tenant, session).await? else { return Ok(None) };
        let own = list(&mut tx, tenant, session.id).await?;
        Ok(Some((own, session.defaults.wide_pins().to_vec())))
    }

    /// Replaces a session's own pins; `None` when there is no such session. The same pins again change nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn replace_pins(
        &self,
        tenant: TenantId,
        name: &SessionRef,
        pins: &[Pin],
    ) -> Result<Option<PinsOutcome>, StoreError> {
        let mut tries = Tries::default();
        loop {
            let Some(loaded) = self.load_session(tenant, name).await? else { return Ok(None) };
            let tokens = match fit(&loaded, pins) {
                Ok(tokens) => tokens,
                Err(too_large) => return Ok(Some(too_large.into())),
            };
            let tenant_pins = loaded.session.defaults.wide_pins().to_vec();
            let mut tx = self.begin(tenant).await?;
            if write(&mut tx, loaded, pins, tokens).await? {
                tx.commit().await?;
                return Ok(Some(PinsOutcome::Replaced { tenant_pins }));
            }
            drop(tx);
            tries.again().await?;
        }
    }
}

/// Stores a session's own pins in an open transaction; `None` when the session does not exist or has changed meanwhile.
pub(super) async fn replace(
    tx: &mut PgConnection,
    tenant: TenantId,
    name: &SessionRef,
    pins: &[Pin],
) -> Result<Option<PinsOutcome>, StoreError> {
    let Some(loaded) = load::load(tx, tenant, Which::Named(name)).await? else { return Ok(None) };
    match fit(&loaded, pins) {
        Err(too_large) => Ok(Some(too_large.into())),
        Ok(tokens) => {
            let tenant_pins = loaded.session.defaults.wide_pins().to_vec();
            let written = write(tx, loaded, pins, tokens).await?;
            Ok(written.then_some(PinsOutcome::Replaced { tenant_pins }))
        }
    }
}

/// Pins that take more than their share of the window.
#[derive(Clone, Copy, Debug)]
struct TooLarge {
    tokens: u32,
    max_tokens: u32,
}

impl From<TooLarge> for PinsOutcome {
    fn from(TooLarge { tokens, max_tokens }: TooLarge) -> Self {
        Self::TooLarge { tokens, max_tokens }
    }
}

/// The tokens that pins take in a session, or that they take too many.
fn fit(loaded: &Loaded, pins: &[Pin]) -> Result<u32, TooLarge> {
    let settings = loaded.session.effective_settings();
    let max_tokens = share_of(settings.policy().effective_window, PINS_SHARE);
    let tokens = count(&settings, pins.to_vec());
    // Removing all pins is allowed even when the tenant's own are too large for this session.
    if tokens > max_tokens && !pins.is_empty() {
        return Err(TooLarge { tokens, max_tokens });
    }
    Ok(tokens)
}

/// Stores pins of this many tokens, unless they are there already. Returns `false`, with nothing changed, when the session has
/// changed since it was read.
async fn write(tx: &mut PgConnection, loaded: Loaded, pins: &[Pin], tokens: u32) -> Result<bool, StoreError> {
    let tenant = loaded.tenant;
    if !load::hold_as_read(&mut *tx, &loaded).await? {
        return Ok(false);
    }
    let mut session = loaded.session;
    if list(&mut *tx, tenant, session.id).await? == pins {
        return Ok(true);
    }
    sqlx::query!("delete from pins where tenant_id = $1 and session_id = $2", tenant.0, session.id.0)
        .execute(&mut *tx)
        .await?;
    let ids: Vec<&str> = pins.iter().map(|pin| pin.id.as_str()).collect();
    let texts: Vec<&str> = pins.iter().map(|pin| pin.text.as_str()).collect();
    sqlx::query!(
        "insert into pins (tenant_id, session_id, position, id, body)
             select $1, $2, p.position, p.id, p.body
             from unnest($3::text[], $4::text[]) with ordinality as p(id, body, position)",
        tenant.0,
        session.id.0,
        &ids as &[&str],
        &texts as &[&str]
    )
    .execute(&mut *tx)
    .await?;
    session.pin(tokens);
    sessions::update(tx, tenant, &session).await?;
    Ok(true)
}
