//! Tenants by their names and all of them, for operators.

use crate::prelude::*;
use crate::tenants::{Tenant, TenantRow};

impl Store {
    /// Finds a tenant's id by its name.
    pub async fn find_tenant_id(&self, name: &str) -> Result<Option<TenantId>> {
        let id = sqlx::query_scalar!("select t.id from tenants t where t.name = $1", name)
            .fetch_optional(&mut self.owner.acquire().await?)
            .await?;
        Ok(id.map(TenantId))
    }

    /// Whether a tenant is in this cell: `None` when it is not, or not any more, and otherwise whether it is a copy that counts
    /// only once no other cell has the tenant.
    pub async fn find_arrival(&self, id: TenantId) -> Result<Option<bool>> {
        let found = sqlx::query_scalar!(
            r#"select arriving_from is not null as "is_arriving!" from tenants where id = $1 and erased_at is null"#,
            id.0
        )
        .fetch_optional(&mut self.owner.acquire().await?)
        .await?;
        Ok(found)
    }

    /// How many tenants the cell has, those that arrive included, and the bytes of its tables on the disk.
    pub async fn measure_cell(&self) -> Result<(i64, i64)> {
        let row = sqlx::query!(
            r#"select (select count(*) from tenants t where t.erased_at is null) as "tenants!",
                      coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as "bytes!"
               from pg_class c where c.relnamespace = current_schema()::text::regnamespace and c.relkind = 'r'"#
        )
        .fetch_one(&mut self.owner.acquire().await?)
        .await?;
        Ok((row.tenants, row.bytes))
    }

    /// Lists every tenant of the installation, oldest first; with `after`, only tenants newer than that one.
    pub async fn list_tenants(&self, after: Option<TenantId>, limit: i64) -> Result<Vec<Tenant>> {
        let rows = sqlx::query_as!(
            TenantRow,
            r#"select t.id, t.name, t.settings::text as "settings!", t.quotas::text as "quotas!", t.retention_days,
                      t.suspended_at, array(select json_object_keys(t.provider_keys) order by 1) as "provider_keys_for!",
                      t.created_at
               from tenants t
               where t.erased_at is null and t.arriving_from is null and ($1::uuid is null or t.id > $1) order by t.id limit $2"#,
            after.map(|id| id.0),
            limit
        )
        .fetch_all(&mut self.owner.acquire().await?)
        .await?;
        rows.into_iter().map(TenantRow::read).collect()
    }
}
