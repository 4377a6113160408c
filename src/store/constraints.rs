//! Dropping extracted constraints.
//!
//! A version's record is immutable and keeps what was dropped; what changes is its rendering, so that
//! contexts stop showing the constraint at once, and the next version, which does not take it up again.

use sqlx::PgConnection;

use super::sessions::{self, Session};
use super::{Store, StoreError, expect_rows, ledger, summaries};
use crate::domain::context::{Counted, summary_message_text};
use crate::domain::digest;
use crate::domain::id::{SessionName, TenantId};
use crate::domain::render::{self, Subject};
use crate::domain::summary::ConstraintSource;
use crate::domain::tokens::TokenCounter;
use crate::domain::version::Version;

/// What became of the wish to drop a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// There is no such session.
    NoSession,
    /// The current version has no such constraint.
    NoConstraint,
    /// It is a pin, which the caller sets as a whole.
    IsPin,
    /// It is dropped, now or before.
    Done,
}

impl Store {
    /// Drops an extracted constraint of the current version for good.
    ///
    /// # Errors
    /// When the database fails, or the version does not read back.
    pub async fn remove_constraint(
        &self,
        tenant: TenantId,
        name: &SessionName,
        constraint: &str,
    ) -> Result<Removal, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let Some(mut session) = sessions::lock(&mut tx, tenant, name).await? else {
            return Ok(Removal::NoSession);
        };
        let Some(number) = session.version else { return Ok(Removal::NoConstraint) };
        let current = summaries::find(&mut tx, tenant, session.id, number).await?;
        let mut version = current.ok_or(sqlx::Error::RowNotFound)?.version;
        let found = version.summary.constraints.iter().find(|known| known.id == constraint);
        match found.map(|found| found.source) {
            None => return Ok(Removal::NoConstraint),
            Some(ConstraintSource::Pin) => return Ok(Removal::IsPin),
            Some(ConstraintSource::User | ConstraintSource::System) => {}
        }
        let done = sqlx::query!(
            "insert into removed_constraints (tenant_id, session_id, constraint_id) values ($1, $2, $3)
             on conflict do nothing",
            tenant.0,
            session.id.0,
            constraint
        )
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(Removal::Done);
        }
        let removed = ledger::list_removed_constraints(&mut tx, tenant, session.id).await?;
        version.summary.constraints.retain(|known| !removed.contains(&known.id));
        let removed = removed.into_iter().collect();
        digest::forget(&mut version.summary.digest, &removed);
        let (summary_tokens, digest_tokens) = render_again(&mut tx, tenant, &session, &version).await?;
        session.show(summary_tokens, digest_tokens);
        sessions::update(&mut tx, tenant, &session).await?;
        tx.commit().await?;
        Ok(Removal::Done)
    }
}

/// Renders the version without what was dropped, its digest too; gives the tokens of the messages that serve them.
async fn render_again(
    connection: &mut PgConnection,
    tenant: TenantId,
    session: &Session,
    version: &Version,
) -> Result<(u32, u32), StoreError> {
    let settings = session.effective_settings();
    let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
    let subject = Subject {
        summary: &version.summary,
        meta: &version.meta,
        session_id: session.name.as_str(),
        task_id: settings.task_id.as_deref(),
        started: session.created_at,
        last_activity: version.meta.last_compressed_at,
    };
    let count = |text: &str| counter.count_text(text);
    let bound = if version.meta.max_tokens == 0 {
        settings.policy().max_summary_tokens
    } else {
        version.meta.max_tokens
    };
    let rendering = summary_message_text(&render::served(&subject, bound, count).text);
    let least = summary_message_text(&render::served_least(&subject, count).text);
    let tokens = |text: &str| Counted::new(text, &counter).tokens;
    // In the room that it had.
    let room = session.accounting.digest_tokens;
    let digest = digest::serve(&version.summary.digest, &rendering, room, &counter);
    let is_told = !digest.text.is_empty();
    let done = sqlx::query!(
        "update summaries set rendering = $4, rendering_tokens = $5, least_rendering = $6, least_tokens = $7,
                              digest = $8, digest_tokens = $9
         where tenant_id = $1 and session_id = $2 and version = $3",
        tenant.0,
        session.id.0,
        version.meta.version,
        rendering,
        i32::try_from(tokens(&rendering)).unwrap_or(i32::MAX),
        least,
        i32::try_from(tokens(&least)).unwrap_or(i32::MAX),
        is_told.then_some(&digest.text),
        is_told.then_some(i32::try_from(digest.tokens).unwrap_or(i32::MAX))
    )
    .execute(connection)
    .await?;
    expect_rows("the rendering of a version", 1, done.rows_affected())?;
    Ok((tokens(&rendering), digest.tokens))
}
