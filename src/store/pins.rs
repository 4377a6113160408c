//! Pins, and the extracted constraints that a caller dropped.

use sqlx::PgConnection;

use super::{Store, StoreError, sessions};
use crate::domain::id::{SessionId, SessionName, TenantId};

/// A constraint that the caller pinned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Its id, derived from its text.
    pub id: String,
    /// Its text, verbatim.
    pub text: String,
}

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
        /// The most tokens that pins may take in this session.
        max_tokens: u32,
    },
}

/// Share of the effective window that pins may take.
const PINS_SHARE: f64 = 0.10;

impl Store {
    /// Lists a session's pins in their order; `None` when there is no such session.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_pins(
        &self,
        tenant: TenantId,
        session: &SessionName,
    ) -> Result<Option<Vec<Pin>>, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let Some(session) = sessions::find(&mut tx, tenant, session).await? else { return Ok(None) };
        Ok(Some(list(&mut tx, tenant, session.id).await?))
    }

    /// Replaces a session's pins, which together take `tokens` in a context; `None` when there is no
    /// such session. The same pins again change nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn replace_pins(
        &self,
        tenant: TenantId,
        name: &SessionName,
        pins: &[Pin],
        tokens: u32,
    ) -> Result<Option<PinsOutcome>, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let Some(mut session) = sessions::lock(&mut tx, tenant, name).await? else { return Ok(None) };
        let window = session.effective_settings().policy().effective_window;
        let max_tokens = crate::domain::settings::share_of(window, PINS_SHARE);
        if tokens > max_tokens {
            return Ok(Some(PinsOutcome::TooLarge { max_tokens }));
        }
        if list(&mut tx, tenant, session.id).await? == pins {
            return Ok(Some(PinsOutcome::Replaced { context_revision: session.context_revision }));
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
        session.context_revision += 1;
        session.accounting.pins_tokens = tokens;
        sessions::update(&mut tx, tenant, &session).await?;
        tx.commit().await?;
        Ok(Some(PinsOutcome::Replaced { context_revision: session.context_revision }))
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
