//! Pins of a session and of its tenant: listing, replacing and counting them.

use sqlx::PgConnection;

use super::load::{self, Loaded, Tries};
use super::sessions::{self, Session};
use super::{Store, StoreError};
use anchord_context::pin::{self, PINS_SHARE, Pin};
use anchord_messages::id::{SessionId, SessionName, TenantId};
use anchord_messages::tokens::TokenCounter;
use anchord_record::fill::share_of;
use anchord_session::settings::Settings;

/// The outcome of replacing pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinsOutcome {
    /// They are stored.
    Replaced {
        /// The context revision that shows them.
        context_revision: i64,
    },
    /// They take more than their share of the window; nothing has changed.
    TooLarge {
        /// The tokens that they would take, the tenant's pins included.
        tokens: u32,
        /// The most tokens that pins may take in this session.
        max_tokens: u32,
    },
}

impl Store {
    /// Lists a session's own pins in order, and its tenant's; `None` when there is no such session.
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

    /// Replaces a session's own pins; `None` when there is no such session. The same pins again change nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn replace_pins(
        &self,
        tenant: TenantId,
        name: &SessionName,
        pins: &[Pin],
    ) -> Result<Option<PinsOutcome>, StoreError> {
        let mut tries = Tries::default();
        loop {
            let Some(loaded) = self.load_session(tenant, name).await? else { return Ok(None) };
            let settings = loaded.session.effective_settings();
            let max_tokens = share_of(settings.policy().effective_window, PINS_SHARE);
            let tokens = count(&settings, pins.to_vec());
            // Removing all pins is allowed even when the tenant's own are too large for this session.
            if tokens > max_tokens && !pins.is_empty() {
                return Ok(Some(PinsOutcome::TooLarge { tokens, max_tokens }));
            }
            if let Some(context_revision) = self.write_pins(loaded, pins, tokens).await? {
                return Ok(Some(PinsOutcome::Replaced { context_revision }));
            }
            tries.again().await?;
        }
    }

    /// Stores pins of this many tokens, unless they are there already. Returns the context revision that shows them;
    /// `None`, with nothing changed, when the session has changed since it was read.
    async fn write_pins(&self, loaded: Loaded, pins: &[Pin], tokens: u32) -> Result<Option<i64>, StoreError> {
        let tenant = loaded.tenant;
        let mut tx = self.begin(tenant).await?;
        if !load::hold_as_read(&mut tx, &loaded).await? {
            return Ok(None);
        }
        let mut session = loaded.session;
        if list(&mut tx, tenant, session.id).await? == pins {
            return Ok(Some(session.served_revision()));
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
        Ok(Some(session.served_revision()))
    }
}

/// Lists a session's own pins. The statement sets the tenant itself, so it needs no transaction.
pub(crate) async fn list(
    connection: &mut PgConnection,
    tenant: TenantId,
    session: SessionId,
) -> Result<Vec<Pin>, StoreError> {
    let pins = sqlx::query_as!(
        Pin,
        "with bound as materialized (
           select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
         )
         select p.id, p.body as text
         from bound
         cross join lateral (
           select x.id, x.body from pins x where x.tenant_id = bound.tenant_id and x.session_id = $2 order by x.position offset 0
         ) p",
        tenant.0,
        session.0
    )
    .fetch_all(connection)
    .await?;
    Ok(pins)
}

/// Lists the pins in force in a session: its tenant's and its own.
///
/// # Errors
/// When the database fails.
pub async fn list_all(
    tx: &mut PgConnection,
    tenant: TenantId,
    session: &Session,
) -> Result<Vec<Pin>, StoreError> {
    let own = list(tx, tenant, session.id).await?;
    Ok(pin::together(session.defaults.wide_pins(), own))
}

/// The tokens that the tenant's pins and a session's own take together in a context.
pub(super) fn count(settings: &Settings, own: Vec<Pin>) -> u32 {
    let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
    pin::tokens(&pin::together(settings.wide_pins(), own), counter)
}
