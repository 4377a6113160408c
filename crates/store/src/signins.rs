//! Sign-ins to the console: which key, or the operator's token, the random id of a cookie stands for.
//!
//! Invariant: neither the id nor the key is stored, only digests of both. That a sign-in is found says nothing of the key,
//! which is looked up for every call as any caller's is.

use super::bulkhead::Share;
use super::keys::KeyDigest;
use crate::prelude::*;

/// The most sign-ins of one key; the oldest end.
const MOST_OF_ONE: i64 = 50;

/// The caller that a sign-in stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// A key of this tenant.
    Key(TenantId, KeyDigest),
    /// The operator's token with this digest.
    Operator([u8; 32]),
}

impl Credential {
    fn tenant(self) -> TenantId {
        match self {
            Self::Key(tenant, _) => tenant,
            // The operator's own is nobody's, as in the audit log.
            Self::Operator(_) => TenantId(Uuid::nil()),
        }
    }
}

impl Store {
    /// Stores a sign-in under the digest of its id.
    pub async fn sign_in(
        &self,
        digest: [u8; 32],
        credential: Credential,
        expires_at: DateTime<Utc>,
    ) -> Result<()> {
        let tenant = credential.tenant();
        let (is_operator, secret) = match credential {
            Credential::Key(_, digest) => (false, digest),
            Credential::Operator(digest) => (true, digest),
        };
        let mut tx = self.begin_with(Share::default(), tenant, ["begin", ""]).await?;
        sqlx::query!(
            "insert into console_signins (tenant_id, digest, credential, is_operator, expires_at)
             values ($1, $2, $3, $4, $5)",
            tenant.0,
            digest.as_slice(),
            secret.as_slice(),
            is_operator,
            expires_at
        )
        .execute(&mut *tx)
        .await?;
        sqlx::query!(
            "delete from console_signins where tenant_id = $1 and credential = $2 and digest in (
               select digest from console_signins where tenant_id = $1 and credential = $2
               order by expires_at desc, digest offset $3)",
            tenant.0,
            secret.as_slice(),
            MOST_OF_ONE
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Ends a sign-in.
    pub async fn sign_out(&self, digest: [u8; 32], credential: Credential) -> Result<()> {
        let tenant = credential.tenant();
        let mut tx = self.begin_with(Share::default(), tenant, ["begin", ""]).await?;
        sqlx::query!(
            "delete from console_signins where tenant_id = $1 and digest = $2",
            tenant.0,
            digest.as_slice()
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }
}
