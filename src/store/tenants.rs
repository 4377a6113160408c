//! Tenants and their API keys.

use std::time::Duration;

use chrono::{DateTime, Utc};
use moka::future::Cache;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Store, StoreError, expect_rows};
use crate::domain::id::{KeyId, TenantId};
use crate::domain::pin::{self, PINS_SHARE, Pin};
use crate::domain::settings::{Settings, SettingsError, share_of};
use crate::domain::tokens::TokenCounter;

/// How long a key's look-up is remembered, hence how long a revoked key may still pass in another process.
const KEY_CACHE_TIME: Duration = Duration::from_secs(5);
/// Look-ups that are remembered, unknown keys included.
const KEY_CACHE_SIZE: u64 = 10_000;

/// SHA-256 of an API key; the key itself is never stored.
pub type KeyDigest = [u8; 32];

/// Digests an API key.
#[must_use]
pub fn digest_key(key: &str) -> KeyDigest {
    Sha256::digest(key.as_bytes()).into()
}

/// What a key that is good right now may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Whose key it is.
    pub tenant: TenantId,
    /// The key's id.
    pub key: KeyId,
    /// Its scopes.
    pub scopes: Vec<String>,
    /// When it ends.
    pub expires_at: Option<DateTime<Utc>>,
}

/// Remembered look-ups.
#[derive(Clone, Debug)]
pub(super) struct KeyCache(Cache<KeyDigest, Option<Grant>>);

impl KeyCache {
    pub(super) fn new() -> Self {
        Self(Cache::builder().max_capacity(KEY_CACHE_SIZE).time_to_live(KEY_CACHE_TIME).build())
    }
}

/// A tenant.
#[derive(Clone, Debug, PartialEq)]
pub struct Tenant {
    /// Its id.
    pub id: TenantId,
    /// Its name, unique in the installation.
    pub name: String,
    /// The defaults of its sessions' settings.
    pub settings: Settings,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// An API key, without the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id.
    pub id: KeyId,
    /// Its first characters, for people to tell keys apart.
    pub prefix: String,
    /// Its scopes.
    pub scopes: Vec<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it ends.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
}

/// A key to be stored.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Its digest.
    pub digest: KeyDigest,
    /// Its first characters.
    pub prefix: String,
    /// Its scopes.
    pub scopes: Vec<String>,
    /// When it ends.
    pub expires_at: Option<DateTime<Utc>>,
}

/// What became of new pins of a tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WidePins {
    /// They are stored.
    Replaced,
    /// They take more than their share of the window; nothing changed.
    TooLarge {
        /// What they would take.
        tokens: u32,
        /// The most tokens that they may take.
        max_tokens: u32,
    },
}

impl Store {
    /// Finds what a key may do; `None` when it is unknown, revoked or over.
    ///
    /// The look-up goes by digest, so its time tells nothing about the key; `now` judges a
    /// remembered one again, so that a key never outlives its end.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find_key(&self, digest: KeyDigest, now: DateTime<Utc>) -> Result<Option<Grant>, StoreError> {
        let found = if let Some(known) = self.keys.0.get(&digest).await {
            known
        } else {
            let found = self.look_up_key(&digest).await?;
            self.keys.0.insert(digest, found.clone()).await;
            found
        };
        Ok(found.filter(|grant| grant.expires_at.is_none_or(|end| end > now)))
    }

    async fn look_up_key(&self, digest: &KeyDigest) -> Result<Option<Grant>, StoreError> {
        let row = sqlx::query!(
            r#"select tenant_id as "tenant_id!", id as "id!", scopes as "scopes!", expires_at from find_key($1)"#,
            digest.as_slice()
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(|row| Grant {
            tenant: TenantId(row.tenant_id),
            key: KeyId(row.id),
            scopes: row.scopes,
            expires_at: row.expires_at,
        }))
    }

    /// Makes a tenant; `None` when the name is taken.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn insert_tenant(&self, name: &str) -> Result<Option<Tenant>, StoreError> {
        self.insert_tenant_as(TenantId(Uuid::now_v7()), name).await
    }

    /// Makes a tenant under an id that the installation knows beforehand; `None` when the id or the
    /// name is taken.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn insert_tenant_as(&self, id: TenantId, name: &str) -> Result<Option<Tenant>, StoreError> {
        let mut tx = self.begin(id).await?;
        let created_at = sqlx::query_scalar!(
            "insert into tenants (id, name) values ($1, $2) on conflict do nothing returning created_at",
            id.0,
            name
        )
        .fetch_optional(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(created_at.map(|created_at| Tenant {
            id,
            name: name.to_owned(),
            settings: Settings::default(),
            created_at,
        }))
    }

    /// Finds a tenant.
    ///
    /// # Errors
    /// When the database fails, or its settings do not read back.
    pub async fn find_tenant(&self, id: TenantId) -> Result<Option<Tenant>, StoreError> {
        let mut tx = self.begin(id).await?;
        let row = sqlx::query!(
            r#"select name, settings::text as "settings!", created_at from tenants where id = $1"#,
            id.0
        )
        .fetch_optional(&mut *tx)
        .await?;
        row.map(|row| {
            let settings = serde_json::from_str(&row.settings)
                .map_err(|error| StoreError::corrupt("tenants", "settings", id.0, error))?;
            Ok(Tenant { id, name: row.name, settings, created_at: row.created_at })
        })
        .transpose()
    }

    /// Lists every tenant of the installation, oldest first, after a given one.
    ///
    /// # Errors
    /// When the database fails, or settings do not read back.
    pub async fn list_tenants(&self, after: Option<TenantId>, limit: i64) -> Result<Vec<Tenant>, StoreError> {
        let rows = sqlx::query!(
            r#"select id as "id!", name as "name!", settings::text as "settings!", created_at as "created_at!"
               from list_tenants($1, $2)"#,
            after.map(|id| id.0),
            limit
        )
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter()
            .map(|row| {
                let settings = serde_json::from_str(&row.settings)
                    .map_err(|error| StoreError::corrupt("tenants", "settings", row.id, error))?;
                Ok(Tenant { id: TenantId(row.id), name: row.name, settings, created_at: row.created_at })
            })
            .collect()
    }

    /// Changes the defaults of a tenant's sessions: an absent field keeps its value, null resets it.
    /// `None` when there is no such tenant.
    ///
    /// # Errors
    /// When the database fails, or its settings do not read back.
    pub async fn change_tenant_settings(
        &self,
        id: TenantId,
        change: Map<String, Value>,
    ) -> Result<Option<Result<Settings, SettingsError>>, StoreError> {
        let mut tx = self.begin(id).await?;
        let Some(old) = lock_settings(&mut tx, id).await? else { return Ok(None) };
        let mut settings = match old.patched(change, &Settings::default()) {
            Ok(settings) => settings,
            Err(refused) => return Ok(Some(Err(refused))),
        };
        if settings != old {
            settings.wide.get_or_insert_default().revision += 1;
            store_settings(&mut tx, id, &settings).await?;
            tx.commit().await?;
        }
        Ok(Some(Ok(settings)))
    }

    /// Replaces the pins of every session of a tenant; `None` when there is no such tenant. The same
    /// pins again change nothing.
    ///
    /// # Errors
    /// When the database fails, or its settings do not read back.
    pub async fn replace_wide_pins(
        &self,
        id: TenantId,
        pins: &[Pin],
    ) -> Result<Option<WidePins>, StoreError> {
        let mut tx = self.begin(id).await?;
        let Some(mut settings) = lock_settings(&mut tx, id).await? else { return Ok(None) };
        let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
        let tokens = pin::tokens(pins, counter);
        let max_tokens = share_of(settings.policy().effective_window, PINS_SHARE);
        if tokens > max_tokens {
            return Ok(Some(WidePins::TooLarge { tokens, max_tokens }));
        }
        if settings.wide_pins() != pins {
            let wide = settings.wide.get_or_insert_default();
            wide.revision += 1;
            wide.pins_revision = wide.revision;
            wide.pins = pins.to_vec();
            store_settings(&mut tx, id, &settings).await?;
            tx.commit().await?;
        }
        Ok(Some(WidePins::Replaced))
    }

    /// Erases a tenant with everything that it owns; false when there is no such tenant.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_tenant(&self, id: TenantId) -> Result<bool, StoreError> {
        let mut tx = self.begin(id).await?;
        let done = sqlx::query!("delete from tenants where id = $1", id.0).execute(&mut *tx).await?;
        tx.commit().await?;
        self.keys.0.invalidate_all();
        Ok(done.rows_affected() == 1)
    }

    /// Stores a key; `None` when the tenant is not there, or the very same key is stored already.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn insert_key(&self, tenant: TenantId, key: &NewKey) -> Result<Option<ApiKey>, StoreError> {
        let id = KeyId(Uuid::now_v7());
        let mut tx = self.begin(tenant).await?;
        let created_at = sqlx::query_scalar!(
            "insert into api_keys (tenant_id, id, prefix, digest, scopes, expires_at)
             select t.id, $2, $3, $4, $5, $6 from tenants t where t.id = $1
             on conflict (digest) do nothing returning created_at",
            tenant.0,
            id.0,
            key.prefix,
            key.digest.as_slice(),
            &key.scopes,
            key.expires_at
        )
        .fetch_optional(&mut *tx)
        .await?;
        tx.commit().await?;
        // A key may have been tried, and found unknown, before it was stored.
        self.keys.0.invalidate(&key.digest).await;
        Ok(created_at.map(|created_at| ApiKey {
            id,
            prefix: key.prefix.clone(),
            scopes: key.scopes.clone(),
            created_at,
            expires_at: key.expires_at,
            revoked_at: None,
        }))
    }

    /// Lists a tenant's keys, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_keys(
        &self,
        tenant: TenantId,
        after: Option<KeyId>,
        limit: i64,
    ) -> Result<Vec<ApiKey>, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let rows = sqlx::query!(
            "select id, prefix, scopes, created_at, expires_at, revoked_at from api_keys
             where tenant_id = $1 and ($2::uuid is null or id > $2) order by id limit $3",
            tenant.0,
            after.map(|id| id.0),
            limit
        )
        .fetch_all(&mut *tx)
        .await?;
        Ok(rows
            .into_iter()
            .map(|row| ApiKey {
                id: KeyId(row.id),
                prefix: row.prefix,
                scopes: row.scopes,
                created_at: row.created_at,
                expires_at: row.expires_at,
                revoked_at: row.revoked_at,
            })
            .collect())
    }

    /// Revokes a key; false when there is no such key or it is revoked already.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_key(&self, tenant: TenantId, id: KeyId) -> Result<bool, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let digest = sqlx::query_scalar!(
            "update api_keys set revoked_at = now() where tenant_id = $1 and id = $2 and revoked_at is null
             returning digest",
            tenant.0,
            id.0
        )
        .fetch_optional(&mut *tx)
        .await?;
        tx.commit().await?;
        let Some(digest) = digest else { return Ok(false) };
        let digest = KeyDigest::try_from(digest.as_slice())
            .map_err(|error| StoreError::corrupt("api_keys", "digest", id, error))?;
        self.keys.0.invalidate(&digest).await;
        Ok(true)
    }
}

async fn lock_settings(tx: &mut PgConnection, id: TenantId) -> Result<Option<Settings>, StoreError> {
    let text = sqlx::query_scalar!(
        r#"select settings::text as "settings!" from tenants where id = $1 for update"#,
        id.0
    )
    .fetch_optional(&mut *tx)
    .await?;
    let read = |text: String| {
        serde_json::from_str(&text).map_err(|error| StoreError::corrupt("tenants", "settings", id.0, error))
    };
    text.map(read).transpose()
}

async fn store_settings(tx: &mut PgConnection, id: TenantId, settings: &Settings) -> Result<(), StoreError> {
    let text = serde_json::to_string(settings)
        .map_err(|error| StoreError::corrupt("tenants", "settings", id.0, error))?;
    let done = sqlx::query!("update tenants set settings = $2::text::json where id = $1", id.0, text)
        .execute(&mut *tx)
        .await?;
    expect_rows("the update of a tenant", 1, done.rows_affected())
}
