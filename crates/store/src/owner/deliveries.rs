//! Webhooks and their deliveries over all tenants: for metrics, and for secrets that another key has encrypted.

use crate::prelude::*;
use crate::secrets::SEALED;
use anchord_messages::id::WebhookId;

/// A webhook's secrets as they are stored.
#[derive(Debug)]
pub(crate) struct StoredSecrets {
    pub(crate) tenant: TenantId,
    pub(crate) webhook: WebhookId,
    pub(crate) secret: Vec<u8>,
    pub(crate) previous: Option<Vec<u8>>,
}

impl Store {
    /// How long the oldest due delivery that could be tried has been due, in seconds; 0 when there is none.
    pub async fn oldest_due_delivery(&self) -> Result<f64> {
        let seconds = sqlx::query_scalar!(
            r#"select extract(epoch from now() - d.due_at)::double precision as "seconds!" from webhook_deliveries d
               where d.status = 'pending' and d.due_at <= now()
                 and exists (select from tenants t where t.id = d.tenant_id and t.suspended_at is null)
                 and exists (select from webhooks k
                             where k.tenant_id = d.tenant_id and k.id = d.webhook_id and k.disabled_reason is null)
               order by d.due_at limit 1"#
        );
        let oldest = seconds.fetch_optional(&mut self.owner.acquire().await?).await?;
        Ok(oldest.unwrap_or_default())
    }

    /// Removes secrets whose overlap has ended.
    pub(crate) async fn forget_old_secrets(&self) -> Result<()> {
        sqlx::query!(
            "update webhooks k set previous_secret = null, previous_secret_until = null
             where k.previous_secret_until < now()"
        )
        .execute(&mut self.owner.acquire().await?)
        .await?;
        Ok(())
    }

    /// A page of the webhooks with a secret that does not begin with `head`, in the order of their keys, and in the place of a
    /// last webhook, without a secret, each tenant that has such keys of providers.
    pub(crate) async fn secrets_of_other_keys(
        &self,
        head: &[u8],
        (tenant, webhook): (Uuid, Uuid),
        limit: i64,
    ) -> Result<Vec<StoredSecrets>> {
        let rows = sqlx::query!(
            r#"select s.tenant_id as "tenant_id!", s.id as "id!", s.secret as "secret!", s.previous_secret from (
                 select k.tenant_id, k.id, k.secret, k.previous_secret from webhooks k
                 where substring(k.secret for length($1::bytea)) <> $1
                    or substring(k.previous_secret for length($1)) <> $1
                 union all
                 select t.id, $5::uuid, '', null from tenants t
                 where t.erased_at is null and exists (select from json_each_text(t.provider_keys) p
                               where substring(decode(p.value, 'base64') for length($1)) <> $1)
               ) s (tenant_id, id, secret, previous_secret)
               where (s.tenant_id, s.id) > ($2, $3)
               order by s.tenant_id, s.id limit $4"#,
            head,
            tenant,
            webhook,
            limit,
            SEALED.0
        )
        .fetch_all(&mut self.owner.acquire().await?)
        .await?;
        let read = rows.into_iter().map(|row| StoredSecrets {
            tenant: TenantId(row.tenant_id),
            webhook: WebhookId(row.id),
            secret: row.secret,
            previous: row.previous_secret,
        });
        Ok(read.collect())
    }
}
