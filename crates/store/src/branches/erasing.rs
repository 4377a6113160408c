//! Erasing a branch: it is hidden at once, what others stand on stays, and the rest is deleted in steps.

use super::{find, lock_main};
use crate::audit::{self, Actor};
use crate::erasures::Erasure;
use crate::prelude::*;

/// The outcome of erasing a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropOutcome {
    /// It is erased.
    Dropped,
    /// There is no such session or branch.
    NotFound,
    /// It is the current branch; nothing has changed.
    IsCurrent,
}

impl Store {
    /// Erases a branch: nobody can name it when this returns. Messages that other branches share with it stay until the last of them
    /// is erased.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn drop_branch(
        &self,
        tenant: TenantId,
        name: &SessionName,
        branch: &BranchName,
        actor: Actor,
    ) -> Result<DropOutcome> {
        let mut tx = self.begin(tenant).await?;
        // The tenant first, as whoever erases does.
        sqlx::query!("select from tenants where id = $1 for key share", tenant.0)
            .fetch_optional(&mut *tx)
            .await?;
        let Some(main) = lock_main(&mut tx, tenant, name).await? else { return Ok(DropOutcome::NotFound) };
        let of = SessionRef { name: name.clone(), branch: Some(branch.clone()) };
        let Some(found) = find(&mut tx, tenant, &of).await? else { return Ok(DropOutcome::NotFound) };
        if found.is_current {
            return Ok(DropOutcome::IsCurrent);
        }
        erase(&mut tx, main.id.of(tenant), found.id).await?;
        audit::record(&mut tx, tenant, actor, "branch.deleted", found.id.0).await?;
        tx.commit().await?;
        self.erase_now(&Erasure { tenant, sessions: vec![found.id.0] }).await;
        Ok(DropOutcome::Dropped)
    }
}

/// Erases a branch in a transaction that holds the lock of main's row.
pub(super) async fn erase(tx: &mut PgConnection, main: SessionKey, branch: SessionId) -> Result<()> {
    sqlx::query!("select drop_branch($1, $2, $3)", main.tenant.0, main.id.0, branch.0).execute(tx).await?;
    Ok(())
}
