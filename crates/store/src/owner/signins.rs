//! Sign-ins to the console by the digests of their cookies, which is how a tenant becomes known.

use crate::keys::KeyDigest;
use crate::prelude::*;
use crate::signins::Credential;

impl Store {
    /// The caller that a sign-in stands for; `None` when there is none, or it has ended.
    pub async fn find_signin(&self, digest: [u8; 32]) -> Result<Option<Credential>> {
        let row = sqlx::query!(
            "select tenant_id, credential, is_operator from console_signins where digest = $1 and expires_at > now()",
            digest.as_slice()
        )
        .fetch_optional(&mut self.owner.acquire().await?)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let secret = KeyDigest::try_from(row.credential.as_slice())
            .map_err(|error| StoreError::corrupt("console_signins", "credential", row.tenant_id, error))?;
        let tenant = TenantId(row.tenant_id);
        Ok(Some(if row.is_operator { Credential::Operator(secret) } else { Credential::Key(tenant, secret) }))
    }
}
