//! The branches of a session: finding, listing, forking, switching, going back and erasing.
//!
//! What lives here: what a caller sees of a branch; `forking` makes one, `continuation` finds those that go on at a place,
//! `erasing` erases one.
//! Invariant: a branch is a row of `sessions` that reads what came before it where that is stored. Whoever makes, erases or
//! switches a branch holds the lock of main's row, and takes it before that of any other branch.
//! Must not know: how messages and versions are read through the lineage.

mod continuation;
mod erasing;
mod forking;

use super::{events, sessions};
use crate::prelude::*;
pub use continuation::{After, Continuation, Undigested};
pub use erasing::DropOutcome;
pub use forking::{Fork, ForkOutcome, fork, truncate};
pub(crate) use forking::{Graft, graft};

/// The most branches of a session beside main, erased ones that others stand on included.
pub const MAX_BRANCHES: i32 = 20_000;

/// A branch of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Branch {
    /// The id of its row.
    #[serde(skip)]
    pub id: SessionId,
    /// Its name, unique in the session.
    pub name: BranchName,
    /// The branch that owns the last message that it shares; null for `main`, and when that branch is erased.
    #[schema(required = true)]
    pub from: Option<BranchName>,
    /// The last message that it shares; 0 when it shares none.
    pub seq: Seq,
    /// Position of its newest message; 0 when there is none.
    pub head_seq: Seq,
    /// How many messages are its own.
    pub messages: Seq,
    /// Its current summary version; null when there is none.
    #[schema(required = true)]
    pub version: Option<i64>,
    /// Whether operations act on it that name no branch.
    pub is_current: bool,
    /// When it was made.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
    /// When it was last written to.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub updated_at: DateTime<Utc>,
}

impl Store {
    /// Finds a branch; `None` when there is no such session or branch.
    pub async fn find_branch(&self, tenant: TenantId, of: &SessionRef) -> Result<Option<Branch>> {
        let mut tx = self.snapshot(tenant).await?;
        let found = find(&mut tx, tenant, of).await?;
        tx.commit().await?;
        Ok(found)
    }

    /// Lists the branches of a session, oldest first; `after` is the last one of the page before. `None` when there is no
    /// such session.
    pub async fn list_branches(
        &self,
        tenant: TenantId,
        name: &SessionName,
        after: Option<SessionId>,
        limit: i64,
    ) -> Result<Option<Vec<Branch>>> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(main) = find_main(&mut tx, tenant, name).await? else { return Ok(None) };
        let mut listed = Vec::new();
        // Main is the oldest.
        if after.is_none() {
            listed.extend(read(&mut tx, tenant, main.id).await?);
        }
        let rows = sqlx::query_as!(
            Branch,
            r#"select b.id as "id: SessionId", b.branch as "name: BranchName", base.branch as "from?: BranchName",
                      b.base_seq as seq, b.head_seq, b.head_seq - b.base_seq as "messages!", b.version,
                      b.id = $5 as "is_current!", b.created_at, b.updated_at
               from (
                 select x.* from sessions x
                 where x.root_id = $2 and x.tenant_id = $1 and x.id > $3 and x.dropped_at is null
                 order by x.id limit $4
               ) b
               left join lateral (
                 select y.branch from sessions y
                 where y.tenant_id = $1 and y.id = b.base_id and y.dropped_at is null limit 1
               ) base on true
               order by b.id"#,
            tenant.0,
            main.id.0,
            after.map_or(Uuid::nil(), |id| id.0),
            limit,
            main.current.0
        )
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        listed.extend(rows);
        listed.truncate(usize::try_from(limit).unwrap_or_default());
        Ok(Some(listed))
    }

    /// Makes a branch the one that operations act on which name none; `None` when there is no such session or branch.
    pub async fn switch_branch(
        &self,
        tenant: TenantId,
        name: &SessionName,
        to: &BranchName,
    ) -> Result<Option<Branch>> {
        let mut tx = self.begin(tenant).await?;
        let Some(main) = lock_main(&mut tx, tenant, name).await? else { return Ok(None) };
        let of = SessionRef { name: name.clone(), branch: Some(to.clone()) };
        let Some(found) = find(&mut tx, tenant, &of).await? else { return Ok(None) };
        if found.is_current {
            return Ok(Some(found));
        }
        make_current(&mut tx, tenant, &main, found.id).await?;
        tx.commit().await?;
        Ok(Some(Branch { is_current: true, ..found }))
    }
}

/// Ends an import in an open transaction: erases the branches that were erased where it was exported, and makes another one
/// current; the error is the place of what does not fit.
pub(crate) async fn settle_import(
    tx: &mut Tx,
    tenant: TenantId,
    name: &SessionName,
    (current, erased): (&BranchName, &[BranchName]),
) -> Result<Result<(), String>> {
    let of = |branch: &BranchName| SessionRef { name: name.clone(), branch: Some(branch.clone()) };
    let Some(main) = lock_main(tx, tenant, name).await? else { return Ok(Err("/current".to_owned())) };
    let Some(to) = find(tx, tenant, &of(current)).await? else { return Ok(Err("/current".to_owned())) };
    if !to.is_current {
        make_current(tx, tenant, &main, to.id).await?;
    }
    for (at, branch) in erased.iter().enumerate() {
        let found = find(tx, tenant, &of(branch)).await?.filter(|found| found.id != to.id);
        let Some(found) = found else { return Ok(Err(format!("/erased/{at}"))) };
        erasing::erase(tx, tenant, found.id).await?;
    }
    Ok(Ok(()))
}

/// Main's row, as far as every operation on branches needs it.
#[derive(Clone, Copy, Debug)]
struct Main {
    id: SessionId,
    current: SessionId,
    branches: i32,
}

async fn find_main(tx: &mut PgConnection, tenant: TenantId, name: &SessionName) -> Result<Option<Main>> {
    let found = sqlx::query!(
        "select id, current_id, branch_count from sessions where tenant_id = $1 and name = $2",
        tenant.0,
        name.as_str()
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.map(|row| Main {
        id: SessionId(row.id),
        current: SessionId(row.current_id.unwrap_or(row.id)),
        branches: row.branch_count,
    }))
}

/// Locks main's row, and reads it then.
async fn lock_main(tx: &mut PgConnection, tenant: TenantId, name: &SessionName) -> Result<Option<Main>> {
    sqlx::query!(
        "select from sessions where tenant_id = $1 and name = $2 for update",
        tenant.0,
        name.as_str()
    )
    .fetch_optional(&mut *tx)
    .await?;
    find_main(tx, tenant, name).await
}

/// Makes a branch current. Main and the branch before get another revision: what was decided on either while it was
/// current is decided again.
async fn make_current(tx: &mut Tx, tenant: TenantId, main: &Main, to: SessionId) -> Result<()> {
    let names = sqlx::query!(
        r#"select (select x.branch from sessions x where x.tenant_id = $1 and x.id = $2) as "before!",
                  (select y.branch from sessions y where y.tenant_id = $1 and y.id = $3) as "after!""#,
        tenant.0,
        main.current.0,
        to.0
    )
    .fetch_one(&mut **tx)
    .await?;
    // A write to it by now comes before the event: one cursor follows both.
    sqlx::query!("select from sessions where tenant_id = $1 and id = $2 for no key update", tenant.0, to.0)
        .fetch_optional(&mut **tx)
        .await?;
    sqlx::query!(
        "update sessions
         set revision = revision + 1, current_id = case when id = $2 then nullif($4, id) else current_id end
         where tenant_id = $1 and id in ($2, $3)",
        tenant.0,
        main.id.0,
        main.current.0,
        to.0
    )
    .execute(&mut **tx)
    .await?;
    events::switched(tx, main.id.of(tenant), (&names.before, &names.after)).await
}

/// Finds a branch in an open transaction.
async fn find(tx: &mut PgConnection, tenant: TenantId, of: &SessionRef) -> Result<Option<Branch>> {
    match sessions::find_id(&mut *tx, tenant, of).await? {
        Some(id) => read(tx, tenant, id).await,
        None => Ok(None),
    }
}

/// Reads a branch by its id.
async fn read(tx: &mut PgConnection, tenant: TenantId, id: SessionId) -> Result<Option<Branch>> {
    let row = sqlx::query_as!(
        Branch,
        r#"select b.id as "id: SessionId", b.branch as "name: BranchName", base.branch as "from?: BranchName",
                  b.base_seq as seq, b.head_seq, b.head_seq - b.base_seq as "messages!", b.version,
                  b.id = main.current_id as "is_current!", b.created_at, b.updated_at
           from sessions b
           -- Apart, because under row security a search by an expression does not use the index.
           cross join lateral (select coalesce(b.root_id, b.id) as id offset 0) root
           cross join lateral (
             select coalesce(x.current_id, x.id) as current_id from sessions x
             where x.tenant_id = $1 and x.id = root.id limit 1
           ) main
           left join lateral (
             select y.branch from sessions y
             where y.tenant_id = $1 and y.id = b.base_id and y.dropped_at is null limit 1
           ) base on true
           where b.tenant_id = $1 and b.id = $2 and b.dropped_at is null"#,
        tenant.0,
        id.0
    )
    .fetch_optional(tx)
    .await?;
    Ok(row)
}
