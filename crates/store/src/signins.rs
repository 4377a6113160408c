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
    ///
    /// # Errors
    /// When the database fails.
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

    /// The caller that a sign-in stands for; `None` when there is none, or it has ended.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find_signin(&self, digest: [u8; 32]) -> Result<Option<Credential>> {
        let row = sqlx::query!(
            r#"select tenant_id as "tenant_id!", credential as "credential!", is_operator as "is_operator!"
               from find_signin($1)"#,
            digest.as_slice()
        )
        .fetch_optional(&mut self.pool.acquire().await?)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let secret = KeyDigest::try_from(row.credential.as_slice())
            .map_err(|error| StoreError::corrupt("console_signins", "credential", row.tenant_id, error))?;
        let tenant = TenantId(row.tenant_id);
        Ok(Some(if row.is_operator { Credential::Operator(secret) } else { Credential::Key(tenant, secret) }))
    }

    /// Ends a sign-in.
    ///
    /// # Errors
    /// When the database fails.
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

    /// Removes sign-ins that have ended; returns how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_old_signins(&self) -> Result<i64> {
        let mut all = 0;
        loop {
            let some = sqlx::query_scalar!("select forget_old_signins()")
                .fetch_one(&mut self.pool.acquire().await?)
                .await?
                .unwrap_or_default();
            all += some;
            if some < 1_000 {
                return Ok(all);
            }
        }
    }
}
