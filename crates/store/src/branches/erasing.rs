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
        if lock_main(&mut tx, tenant, name).await?.is_none() {
            return Ok(DropOutcome::NotFound);
        }
        let of = SessionRef { name: name.clone(), branch: Some(branch.clone()) };
        let Some(found) = find(&mut tx, tenant, &of).await? else { return Ok(DropOutcome::NotFound) };
        if found.is_current {
            return Ok(DropOutcome::IsCurrent);
        }
        erase(&mut tx, tenant, found.id).await?;
        audit::record(&mut tx, tenant, actor, "branch.deleted", found.id.0).await?;
        tx.commit().await?;
        self.erase_now(&Erasure { tenant, sessions: vec![found.id.0] }).await;
        Ok(DropOutcome::Dropped)
    }
}

/// Erases a branch in a transaction that holds the lock of main's row: hides it and ends its jobs. What others do not need of
/// it is deleted by the steps of its erasure, the first of which erases with it the branches that only it stood on.
pub(super) async fn erase(tx: &mut PgConnection, tenant: TenantId, branch: SessionId) -> Result<()> {
    let done = sqlx::query!(
        "update sessions set dropped_at = now(), revision = revision + 1
         where tenant_id = $1 and id = $2 and dropped_at is null",
        tenant.0,
        branch.0
    );
    if done.execute(&mut *tx).await?.rows_affected() == 0 {
        return Ok(());
    }
    // Its vectors may serve others, which ask for those that are missing.
    sqlx::query!(
        "update recall_embeddings set due_at = null, leased_until = null
         where tenant_id = $1 and session_id = $2 and due_at is not null",
        tenant.0,
        branch.0
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "update compressions set status = 'cancelled', finished_at = now(), lease_until = null
         where tenant_id = $1 and session_id = $2 and status in ('queued', 'running')",
        tenant.0,
        branch.0
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "insert into erasures (tenant_id, session_id) values ($1, $2)
         on conflict (tenant_id, session_id) do update set through_seq = 0, due_at = now()",
        tenant.0,
        branch.0
    )
    .execute(tx)
    .await?;
    Ok(())
}
