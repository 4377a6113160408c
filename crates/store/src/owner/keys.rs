//! Keys by their digests, which is how a tenant becomes known.

use crate::key_cache::{Grant, KeyDigest};
use crate::prelude::*;
use anchord_messages::id::KeyId;

impl Store {
    pub(crate) async fn look_up_key(&self, digest: &KeyDigest) -> Result<Option<Grant>> {
        let row = sqlx::query!(
            r#"select k.tenant_id, k.id, k.scopes, k.expires_at, coalesce(t.suspended_at < 'infinity', false) as "suspended!",
                      t.quotas::text as "quotas!", t.arriving_from is not null as "is_arriving!"
               from api_keys k join tenants t on t.id = k.tenant_id
               where k.digest = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
                 and t.erased_at is null"#,
            digest.as_slice()
        )
        .fetch_optional(&mut self.owner.acquire().await?)
        .await?;
        row.map(|row| {
            let quotas = serde_json::from_str(&row.quotas)
                .map_err(|error| StoreError::corrupt("tenants", "quotas", row.tenant_id, error))?;
            Ok(Grant {
                tenant: TenantId(row.tenant_id),
                key: KeyId(row.id),
                scopes: row.scopes,
                expires_at: row.expires_at,
                suspended: row.suspended,
                quotas,
                is_arriving: row.is_arriving,
            })
        })
        .transpose()
    }

    /// The owner of each refused key and the number of its refusals; no owner for a key that never was one.
    pub(crate) async fn look_up_refused(
        &self,
        digests: &[Vec<u8>],
        refused: &[i64],
    ) -> Result<Vec<(Option<(TenantId, KeyId)>, i64)>> {
        let rows = sqlx::query!(
            r#"select t.id as "tenant_id?", k.id as "id?", d.refused as "refused!"
               from unnest($1::bytea[], $2::bigint[]) as d(digest, refused)
               left join api_keys k on k.digest = d.digest
               left join tenants t on t.id = k.tenant_id and t.erased_at is null"#,
            digests,
            refused
        )
        .fetch_all(&mut self.owner.acquire().await?)
        .await?;
        let owner = |(tenant, id)| (TenantId(tenant), KeyId(id));
        Ok(rows.into_iter().map(|row| (row.tenant_id.zip(row.id).map(owner), row.refused)).collect())
    }

    /// Stores that keys were used; one that was stored within the last minute stays as it is.
    pub(crate) async fn touch_keys(&self, tenants: &[Uuid], ids: &[Uuid]) -> Result<()> {
        sqlx::query!(
            "update api_keys k set last_used_at = now()
             from unnest($1::uuid[], $2::uuid[]) as used(tenant_id, id)
             where k.tenant_id = used.tenant_id and k.id = used.id
               and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute')",
            tenants,
            ids
        )
        .execute(&mut self.owner.acquire().await?)
        .await?;
        Ok(())
    }
}
