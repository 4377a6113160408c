//! Where a transcript goes on: the branches that have a message of their own directly after one that they share with
//! another branch.

use crate::prelude::*;

/// The most branches of which the first message is read at once.
const MOST_AT_ONCE: i64 = 16;
/// No more are read at once behind so many bytes of messages.
const MOST_BYTES: i64 = 256 * 1024;

/// A place in a session: after a message of one of its branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After {
    /// The branch.
    pub branch: SessionId,
    /// The message; 0 for the beginning.
    pub seq: Seq,
}

/// A branch that goes on at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuation {
    /// The id of its row.
    pub id: SessionId,
    /// Its name.
    pub name: BranchName,
    /// The position of its newest message.
    pub head_seq: Seq,
}

/// A branch that goes on at a place with a message whose digest is not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undigested {
    /// The branch.
    pub branch: Continuation,
    /// Whether the message is the first of the branch's own, whose digest can be stored.
    pub is_first: bool,
    /// The format of the message.
    pub format: String,
    /// The JSON text of the message.
    pub body: String,
}

impl Store {
    /// Finds the branch that was forked at a place for a message with this digest.
    pub async fn find_continuation(
        &self,
        tenant: TenantId,
        after: After,
        digest: &[u8; 32],
    ) -> Result<Option<Continuation>> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(owner) = find_owner(&mut tx, tenant, after).await? else { return Ok(None) };
        let found = sqlx::query!(
            "select x.id, x.branch, x.head_seq from sessions x
             where x.base_id = $2 and x.tenant_id = $1 and x.base_seq = $3 and x.first_digest = $4 and x.dropped_at is null
             order by x.id limit 1",
            tenant.0,
            owner.0,
            after.seq,
            digest.as_slice()
        )
        .fetch_optional(&mut *tx)
        .await?;
        tx.commit().await?;
        found.map(|row| read(row.id, &row.branch, row.head_seq)).transpose()
    }

    /// Lists the branches that go on at a place with a message whose digest is not stored: that which owns the message
    /// before, and those that were forked there by hand. Some at once, oldest first; `beyond` is the last one that is known.
    pub async fn list_undigested(
        &self,
        tenant: TenantId,
        after: After,
        beyond: Option<SessionId>,
    ) -> Result<Vec<Undigested>> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(owner) = find_owner(&mut tx, tenant, after).await? else { return Ok(Vec::new()) };
        // The owner is older than all that stand on it.
        let rows = sqlx::query!(
            r#"select r.id as "id!", r.branch as "branch!", r.head_seq as "head_seq!", r.format as "format!", r.body as "body!"
               from (
                 select b.id, b.branch, b.head_seq, m.format, m.body,
                        sum(octet_length(m.body)) over (order by b.id) - octet_length(m.body) as bytes_before
                 from (
                   (select x.id, x.branch, x.head_seq from sessions x
                    where x.tenant_id = $1 and x.id = $2 and x.head_seq > $3 and x.dropped_at is null and x.id > $4)
                   union all
                   (select y.id, y.branch, y.head_seq from sessions y
                    where y.base_id = $2 and y.tenant_id = $1 and y.base_seq = $3 and y.first_digest is null
                      and y.head_seq > $3 and y.dropped_at is null and y.id > $4
                    order by y.id limit $5)
                   order by id limit $5
                 ) b
                 cross join lateral (
                   select z.format, z.body from messages z
                   where z.tenant_id = $1 and z.session_id = b.id and z.seq = $3 + 1
                 ) m
               ) r
               where r.bytes_before < $6
               order by r.id"#,
            tenant.0,
            owner.0,
            after.seq,
            beyond.map_or(Uuid::nil(), |id| id.0),
            MOST_AT_ONCE,
            MOST_BYTES
        )
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        let read = rows.into_iter().map(|row| {
            let branch = read(row.id, &row.branch, row.head_seq)?;
            Ok(Undigested { is_first: branch.id != owner, branch, format: row.format, body: row.body })
        });
        read.collect()
    }

    /// Stores the digest of a branch's first own message, unless there is one.
    pub async fn note_first_digest(&self, key: SessionKey, digest: &[u8; 32]) -> Result<()> {
        let mut tx = self.begin(key.tenant).await?;
        // No decision is made on it, so that the revision stays.
        sqlx::query!(
            "update sessions set first_digest = $3
             where tenant_id = $1 and id = $2 and base_id is not null and first_digest is null",
            key.tenant.0,
            key.id.0,
            digest.as_slice()
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await
    }
}

impl Store {
    /// Replaces the digest of a branch's first own message when it is still the wrong one.
    pub async fn correct_first_digest(
        &self,
        key: SessionKey,
        (wrong, right): (&[u8; 32], &[u8; 32]),
    ) -> Result<()> {
        let mut tx = self.begin(key.tenant).await?;
        sqlx::query!(
            "update sessions set first_digest = $4 where tenant_id = $1 and id = $2 and first_digest = $3",
            key.tenant.0,
            key.id.0,
            wrong.as_slice(),
            right.as_slice()
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await
    }
}

/// The branch that owns the message before a place; main at the beginning.
async fn find_owner(
    tx: &mut PgConnection,
    tenant: TenantId,
    After { branch, seq }: After,
) -> Result<Option<SessionId>> {
    let found = sqlx::query_scalar!(
        r#"select coalesce(
                    (select o.session_id from lineage($1, $2, $3, $3) o where $3 > 0),
                    (select coalesce(x.root_id, x.id) from sessions x where x.tenant_id = $1 and x.id = $2)
                  )"#,
        tenant.0,
        branch.0,
        seq
    );
    Ok(found.fetch_one(tx).await?.map(SessionId))
}

fn read(id: Uuid, branch: &str, head_seq: Seq) -> Result<Continuation> {
    let name =
        BranchName::parse(branch).map_err(|error| StoreError::corrupt("sessions", "branch", id, error))?;
    Ok(Continuation { id: SessionId(id), name, head_seq })
}
