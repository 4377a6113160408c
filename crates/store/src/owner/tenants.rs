//! Tenants by their names and all of them, for operators.

use crate::prelude::*;
use crate::tenants::{Tenant, TenantRow};

impl Store {
    /// Finds a tenant's id by its name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find_tenant_id(&self, name: &str) -> Result<Option<TenantId>> {
        let id = sqlx::query_scalar!("select t.id from tenants t where t.name = $1", name)
            .fetch_optional(&mut self.owner.acquire().await?)
            .await?;
        Ok(id.map(TenantId))
    }

    /// Lists every tenant of the installation, oldest first; with `after`, only tenants newer than that one.
    ///
    /// # Errors
    /// When the database fails, or settings do not parse.
    pub async fn list_tenants(&self, after: Option<TenantId>, limit: i64) -> Result<Vec<Tenant>> {
        let rows = sqlx::query_as!(
            TenantRow,
            r#"select t.id, t.name, t.settings::text as "settings!", t.quotas::text as "quotas!", t.retention_days,
                      t.suspended_at, array(select json_object_keys(t.provider_keys) order by 1) as "provider_keys_for!",
                      t.created_at
               from tenants t
               where t.erased_at is null and ($1::uuid is null or t.id > $1) order by t.id limit $2"#,
            after.map(|id| id.0),
            limit
        )
        .fetch_all(&mut self.owner.acquire().await?)
        .await?;
        rows.into_iter().map(TenantRow::read).collect()
    }
}
