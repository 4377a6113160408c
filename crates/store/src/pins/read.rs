//! Reads pins, within whatever transaction is open.

use crate::prelude::*;
use anchord_context::pin::{self, Pin};
use anchord_messages::tokens::TokenCounter;
use anchord_session::session::Session;
use anchord_session::settings::Settings;

/// Lists a session's own pins, in a transaction of the tenant.
pub(crate) async fn list(connection: &mut PgConnection, key: SessionKey) -> Result<Vec<Pin>> {
    let pins = sqlx::query_as!(
        Pin,
        "select id, body as text from pins where tenant_id = $1 and session_id = $2 order by position",
        key.tenant.0,
        key.id.0
    )
    .fetch_all(connection)
    .await?;
    Ok(pins)
}

/// Lists the pins in force in a session: its tenant's and its own.
pub async fn list_all(tx: &mut PgConnection, tenant: TenantId, session: &Session) -> Result<Vec<Pin>> {
    let own = list(tx, session.id.of(tenant)).await?;
    Ok(pin::together(session.defaults.wide_pins(), own))
}

/// The tokens that the tenant's pins and a session's own take together in a context.
pub(crate) fn count(settings: &Settings, own: Vec<Pin>) -> u32 {
    let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
    pin::tokens(&pin::together(settings.wide_pins(), own), counter)
}
