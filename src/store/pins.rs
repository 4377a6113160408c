//! Pins, and the extracted constraints that a caller dropped.

use sqlx::PgConnection;

use super::sessions::{self, Session};
use super::{Store, StoreError};
use crate::domain::accounting::Accounting;
use crate::domain::id::{SessionId, SessionName, TenantId};
use crate::domain::pin::{self, PINS_SHARE, Pin};
use crate::domain::settings::{Settings, share_of};
use crate::domain::tokens::TokenCounter;

/// What became of new pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinsOutcome {
    /// They are stored; the context's revision that shows them.
    Replaced {
        /// The session's context revision.
        context_revision: i64,
    },
    /// They take more than their share of the window; nothing changed.
    TooLarge {
        /// What they would take, the tenant's included.
        tokens: u32,
        /// The most tokens that pins may take in this session.
        max_tokens: u32,
    },
}

impl Store {
    /// Lists a session's own pins in their order, and its tenant's; `None` when there is no such session.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_pins(
        &self,
        tenant: TenantId,
        session: &SessionName,
    ) -> Result<Option<(Vec<Pin>, Vec<Pin>)>, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let Some(session) = sessions::find(&mut tx, tenant, session).await? else { return Ok(None) };
        let own = list(&mut tx, tenant, session.id).await?;
        Ok(Some((own, session.defaults.wide_pins().to_vec())))
    }

    /// Replaces a session's own pins; `None` when there is no such session. The same pins again change
    /// nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn replace_pins(
        &self,
        tenant: TenantId,
        name: &SessionName,
        pins: &[Pin],
    ) -> Result<Option<PinsOutcome>, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let Some(mut session) = sessions::lock(&mut tx, tenant, name).await? else { return Ok(None) };
        let settings = session.effective_settings();
        let max_tokens = share_of(settings.policy().effective_window, PINS_SHARE);
        let tokens = count(&settings, pins.to_vec());
        // Nobody is kept from taking pins away because the tenant's alone are too large here.
        if tokens > max_tokens && !pins.is_empty() {
            return Ok(Some(PinsOutcome::TooLarge { tokens, max_tokens }));
        }
        if list(&mut tx, tenant, session.id).await? == pins {
            return Ok(Some(PinsOutcome::Replaced { context_revision: session.served_revision() }));
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
        sessions::update(&mut tx, tenant, &session).await?;
        tx.commit().await?;
        Ok(Some(PinsOutcome::Replaced { context_revision: session.served_revision() }))
    }
}

pub(crate) async fn list(
    tx: &mut PgConnection,
    tenant: TenantId,
    session: SessionId,
) -> Result<Vec<Pin>, StoreError> {
    let pins = sqlx::query_as!(
        Pin,
        "select id, body as text from pins where tenant_id = $1 and session_id = $2 order by position",
        tenant.0,
        session.0
    )
    .fetch_all(&mut *tx)
    .await?;
    Ok(pins)
}

/// Lists the pins that hold in a session: its tenant's and its own.
pub(crate) async fn list_all(
    tx: &mut PgConnection,
    tenant: TenantId,
    session: &Session,
) -> Result<Vec<Pin>, StoreError> {
    let own = list(tx, tenant, session.id).await?;
    Ok(pin::together(session.defaults.wide_pins(), own))
}

/// Counts the pins anew when the tenant's have changed since they were counted.
pub(super) async fn recount(
    tx: &mut PgConnection,
    (tenant, session): (TenantId, SessionId),
    settings: &Settings,
    counts: &mut Accounting,
) -> Result<(), StoreError> {
    let revision = settings.wide_pins_revision();
    if counts.pins_revision != revision {
        counts.pins_tokens = count(settings, list(tx, tenant, session).await?);
        counts.pins_revision = revision;
    }
    Ok(())
}

/// What the tenant's pins and a session's own take together in a context, in tokens.
pub(super) fn count(settings: &Settings, own: Vec<Pin>) -> u32 {
    let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
    pin::tokens(&pin::together(settings.wide_pins(), own), counter)
}
