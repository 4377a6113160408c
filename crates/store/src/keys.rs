//! API keys: finding them by digest for every request, creating, rotating and revoking them.
//!
//! Invariant: a key itself is never stored. A cached look-up is dropped as soon as any process revokes or rotates a
//! key or suspends a tenant, because that process notifies the others.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use tokio_util::sync::CancellationToken;

use super::audit::{self, Actor};
use super::bulkhead::Share;
use super::key_cache::Refused;
pub use super::key_cache::{Grant, KeyDigest, Line, digest_key};
pub use super::key_format::{generate, is_generated, may_be_key};
use super::readers::ACQUIRE_TIMEOUT;
use super::{bounds, channel};
use crate::notifier::Listening;
use crate::prelude::*;
use anchord_messages::id::KeyId;

/// How long a process that cannot listen waits before it tries again.
const LISTEN_AGAIN: Duration = Duration::from_secs(1);
/// How many characters of a key stay readable, so that people can distinguish keys.
const PREFIX_CHARS: usize = 16;
/// How many revoked and expired keys of a tenant are kept, the newest ones.
const ENDED_KEYS: i64 = 1_000;

/// An API key, without the key itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ApiKey {
    /// Its id.
    pub id: KeyId,
    /// Its name for people.
    #[schema(required = true)]
    pub name: Option<String>,
    /// The first characters of the key, by which keys can be told apart.
    #[schema(examples("anchord_Zk3v0aBq"))]
    pub prefix: String,
    /// Its scopes: `read`, `write`, `admin`.
    pub scopes: Vec<String>,
    /// When it was created.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
    /// When it ends; null for never.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was last used, to the minute; null for never.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it was revoked; null when it was not.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub revoked_at: Option<DateTime<Utc>>,
}

/// A key to store.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Its name for people.
    pub name: Option<String>,
    /// Its digest.
    pub digest: KeyDigest,
    /// Its first characters.
    pub prefix: String,
    /// Its scopes.
    pub scopes: Vec<String>,
    /// When it ends.
    pub expires_at: Option<DateTime<Utc>>,
}

impl NewKey {
    /// A key that the operator chose.
    pub fn given(key: &SecretString, scopes: Vec<String>) -> Self {
        let key = key.expose_secret();
        // At most half of a short key.
        let shown = PREFIX_CHARS.min(key.chars().count() / 2);
        let prefix = key.chars().take(shown).collect();
        Self { name: None, digest: digest_key(key), prefix, scopes, expires_at: None }
    }

    /// Generates a key. It is returned once, and only its digest is stored.
    pub fn minted(scopes: Vec<String>) -> (SecretString, Self) {
        let key = generate();
        let new = Self::given(&key, scopes);
        (key, new)
    }
}

/// The outcome of a rotation.
#[derive(Clone, Debug)]
pub enum Rotation {
    /// There is no such key, or it is revoked or expired.
    NoKey,
    /// The key has this scope and the caller has not, so its successor would give the caller more rights. Nothing has
    /// changed.
    Beyond(String),
    /// The new key, and when the old one expires.
    Done(Box<ApiKey>, SecretString, DateTime<Utc>),
}

impl Store {
    /// Finds the rights of a key; `None` when it is unknown, revoked or expired.
    ///
    /// The look-up is by digest, so its time reveals nothing about the key. A cached result is checked against `now`,
    /// so that a key is never valid beyond its expiry.
    pub async fn find_key(&self, digest: KeyDigest, line: Line, now: DateTime<Utc>) -> Result<Option<Grant>> {
        let found = match self.keys.find(&digest) {
            Some(known) => known,
            None => self.look_up_in_turn(digest, line).await?,
        };
        Ok(found.filter(|grant| grant.expires_at.is_none_or(|end| end > now)))
    }

    /// Counts a refused key, or what was sent in place of one.
    pub fn count_refused_key(&self, digest: KeyDigest) {
        self.refused().count(digest);
    }

    /// Counts a refused operator token.
    pub fn count_refused_operator(&self) {
        self.refused().operators += 1;
    }

    fn refused(&self) -> MutexGuard<'_, Refused> {
        // The counts are valid at every point.
        self.keys.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the credentials that were refused since the last call: one entry for each key that was valid once, in the
    /// log of its tenant, and one each for all unknown keys and for operator tokens, in the operator's list alone. The
    /// subject is the number of refusals. A key is looked up in the `other` cells, too. Called once a minute, so that a flood fills no log.
    ///
    /// # Errors
    /// When a database fails; the counts of its keys are lost then.
    pub async fn record_refused_keys(&self, others: &[Self]) -> Result<()> {
        let Refused { keys, others: uncounted, operators } = std::mem::take(&mut *self.refused());
        let (mut unknown, mut failed) = (uncounted, None);
        if !keys.is_empty() {
            let (digests, counts): (Vec<Vec<u8>>, Vec<i64>) =
                keys.into_iter().map(|(digest, count)| (digest.to_vec(), count)).unzip();
            unknown += counts.iter().sum::<i64>();
            for store in std::iter::once(self).chain(others) {
                let found = match store.look_up_refused(&digests, &counts).await {
                    Ok(found) => found,
                    Err(error) => {
                        failed = Some(error);
                        continue;
                    }
                };
                for (owner, refused) in found {
                    let Some((tenant, key)) = owner else { continue };
                    unknown -= refused;
                    store.record_refusal(tenant, Actor::Key(key), "key.refused", refused).await?;
                }
            }
        }
        let nobody = TenantId(Uuid::nil());
        for (action, refused) in [("unknown_key.refused", unknown), ("operator_token.refused", operators)] {
            if refused > 0 {
                self.record_refusal(nobody, Actor::Unknown, action, refused).await?;
            }
        }
        failed.map_or(Ok(()), Err)
    }

    async fn record_refusal(&self, tenant: TenantId, actor: Actor, action: &str, refused: i64) -> Result<()> {
        let mut tx = self.begin_with(Share::default(), tenant, ["begin", ""]).await?;
        audit::record(&mut tx, tenant, actor, action, refused).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Waits for the look-ups before this one, which may be of the same key; no longer than one of them may take, so that
    /// callers of a cell that is away are told so however many wait.
    async fn look_up_in_turn(&self, digest: KeyDigest, line: Line) -> Result<Option<Grant>> {
        let turn = tokio::time::timeout(ACQUIRE_TIMEOUT, self.keys.turn(line)).await;
        // The semaphores are never closed.
        let _turn = turn.map_err(|_| sqlx::Error::PoolTimedOut)?.map_err(|_| sqlx::Error::PoolClosed)?;
        if let Some(known) = self.keys.find(&digest) {
            return Ok(known);
        }
        let moment = self.keys.moment();
        let found = self.look_up_key(&digest).await?;
        if let Some(grant) = &found {
            // A key in use is looked up every few seconds, so recording it here costs requests nothing.
            self.keys.used.insert(grant.key, grant.tenant);
        }
        self.keys.keep(digest, found.clone(), moment);
        Ok(found)
    }

    /// Hears of changes of a tenant and its keys from now on, whichever process makes them.
    pub fn watch_tenant(&self, tenant: TenantId) -> Listening<TenantId> {
        self.keys.changes.listen_to(tenant)
    }

    /// Stores when keys were last used, where that is not stored yet.
    pub async fn note_used_keys(&self) -> Result<()> {
        let (mut tenants, mut ids) = (Vec::new(), Vec::new());
        for (key, tenant) in self.keys.used.entries() {
            self.keys.used.invalidate(&key);
            tenants.push(tenant.0);
            ids.push(key.0);
        }
        if !ids.is_empty() {
            self.touch_keys(&tenants, &ids).await?;
        }
        Ok(())
    }

    /// Drops cached look-ups whenever a process reports a change of keys or tenants, until `stop`.
    pub async fn watch_keys(&self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            if let Err(error) = self.watch_keys_once(stop).await {
                tracing::warn!(%error, "keys.not_watched");
                let _ = stop.run_until_cancelled(tokio::time::sleep(LISTEN_AGAIN)).await;
            }
        }
    }

    async fn watch_keys_once(&self, stop: &CancellationToken) -> Result<()> {
        // One listener serves the whole process.
        let mut listener = self.listen(&[channel::KEYS, channel::EVENTS, channel::DELIVERIES]).await?;
        // Changes from before this process listened were missed.
        self.keys.forget(None);
        self.notifier.notify(None);
        self.due.notify_one();
        self.cells_changed.notify_one();
        while let Some(heard) = stop.run_until_cancelled(listener.next()).await {
            match heard? {
                told if told.channel() == channel::EVENTS => {
                    self.notifier.notify(told.payload().parse().ok().map(SessionId));
                }
                told if told.channel() == channel::DELIVERIES => self.due.notify_one(),
                told => {
                    let tenant = told.payload().parse().ok().map(TenantId);
                    self.keys.forget(tenant);
                    if tenant.is_none() {
                        self.cells_changed.notify_one();
                    }
                }
            }
        }
        Ok(())
    }

    /// Stores a key; `None` when the tenant does not exist, or the same key is stored already.
    pub async fn insert_key(&self, tenant: TenantId, key: &NewKey, actor: Actor) -> Result<Option<ApiKey>> {
        let mut tx = self.begin_as(actor, tenant).await?;
        let Some(made) = create(&mut tx, tenant, key, actor).await? else { return Ok(None) };
        tx.commit().await?;
        // The key may be cached as unknown, from a request before it was stored.
        self.keys.forget_key(&key.digest);
        Ok(Some(made))
    }

    /// Lists a tenant's keys, oldest first.
    pub async fn list_keys(&self, tenant: TenantId, after: Option<KeyId>, limit: i64) -> Result<Vec<ApiKey>> {
        let mut tx = self.snapshot(tenant).await?;
        let keys = sqlx::query_as!(
            ApiKey,
            r#"select id as "id: KeyId", name, prefix, scopes, created_at, expires_at, last_used_at, revoked_at from api_keys
               where tenant_id = $1 and ($2::uuid is null or id > $2) order by id limit $3"#,
            tenant.0,
            after.map(|id| id.0),
            limit
        )
        .fetch_all(&mut *tx)
        .await?;
        Ok(keys)
    }

    /// Finds a key of a tenant.
    pub async fn find_key_by_id(&self, tenant: TenantId, id: KeyId) -> Result<Option<ApiKey>> {
        let mut tx = self.snapshot(tenant).await?;
        let key = sqlx::query_as!(
            ApiKey,
            r#"select id as "id: KeyId", name, prefix, scopes, created_at, expires_at, last_used_at, revoked_at from api_keys
               where tenant_id = $1 and id = $2"#,
            tenant.0,
            id.0
        )
        .fetch_optional(&mut *tx)
        .await?;
        Ok(key)
    }

    /// Revokes a key; returns `false` when there is no such key, or it is revoked already.
    pub async fn revoke_key(&self, tenant: TenantId, id: KeyId, actor: Actor) -> Result<bool> {
        let mut tx = self.begin_as(actor, tenant).await?;
        let done = sqlx::query!(
            "update api_keys set revoked_at = now() where tenant_id = $1 and id = $2 and revoked_at is null",
            tenant.0,
            id.0
        )
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        audit::record(&mut tx, tenant, actor, "key.revoked", id).await?;
        tell(&mut tx, tenant).await?;
        tx.commit().await?;
        self.forget_keys(tenant);
        Ok(true)
    }

    /// Drops the cached look-up of one key.
    pub fn forget_key(&self, digest: &KeyDigest) {
        self.keys.forget_key(digest);
    }

    /// Drops the cached look-ups of a tenant's keys in this process: after a commit that makes or ends keys, because a new
    /// key may be cached as unknown.
    pub fn forget_keys(&self, tenant: TenantId) {
        self.keys.forget(Some(tenant));
    }
}

/// Stores a key in an open transaction; `None` when the tenant does not exist, or the same key is stored already. After
/// the commit, [`Store::forget_keys`].
pub async fn create(
    tx: &mut PgConnection,
    tenant: TenantId,
    key: &NewKey,
    actor: Actor,
) -> Result<Option<ApiKey>> {
    let Some(made) = insert(&mut *tx, tenant, key).await? else { return Ok(None) };
    audit::record(tx, tenant, actor, "key.created", made.id).await?;
    Ok(Some(made))
}

/// Creates a key with the scopes of another one, which expires at `until` or at its own expiry, whichever is earlier.
/// `held` are the scopes of the key that requests it; `None` for an operator. Only a rotation that is done may be
/// committed, with [`Store::forget_keys`] after it.
pub async fn rotate(
    tx: &mut PgConnection,
    tenant: TenantId,
    id: KeyId,
    until: DateTime<Utc>,
    (actor, held): (Actor, Option<&[String]>),
) -> Result<Rotation> {
    let old = sqlx::query!(
        r#"with old as (
             select id, expires_at from api_keys
             where tenant_id = $1 and id = $2 and revoked_at is null and (expires_at is null or expires_at > now())
             for update
           )
           update api_keys k set expires_at = least(k.expires_at, $3)
           from old where k.tenant_id = $1 and k.id = old.id
           returning k.name, k.scopes, k.expires_at as "ends!", old.expires_at as "expires_at?""#,
        tenant.0,
        id.0,
        until
    )
    .fetch_optional(&mut *tx)
    .await?;
    let Some(mut old) = old else { return Ok(Rotation::NoKey) };
    let beyond = |scope: &String| held.is_some_and(|held| !held.contains(scope));
    if let Some(place) = old.scopes.iter().position(beyond) {
        return Ok(Rotation::Beyond(old.scopes.swap_remove(place)));
    }
    let (key, new) = NewKey::minted(old.scopes);
    let new = NewKey { name: old.name, expires_at: old.expires_at, ..new };
    let Some(made) = insert(&mut *tx, tenant, &new).await? else { return Ok(Rotation::NoKey) };
    audit::record(&mut *tx, tenant, actor, "key.rotated", id).await?;
    audit::record(&mut *tx, tenant, actor, "key.created", made.id).await?;
    tell(tx, tenant).await?;
    Ok(Rotation::Done(Box::new(made), key, old.ends))
}

async fn insert(tx: &mut PgConnection, tenant: TenantId, key: &NewKey) -> Result<Option<ApiKey>> {
    let id = KeyId(Uuid::now_v7());
    let created_at = sqlx::query_scalar!(
        "insert into api_keys (tenant_id, id, name, prefix, digest, scopes, expires_at)
         select t.id, $2, $3, $4, $5, $6, $7 from tenants t where t.id = $1
         on conflict (digest) do nothing returning created_at",
        tenant.0,
        id.0,
        key.name,
        key.prefix,
        key.digest.as_slice(),
        &key.scopes,
        key.expires_at
    )
    .fetch_optional(&mut *tx)
    .await?;
    if created_at.is_some() {
        bounds::require_key_room(&mut *tx, tenant).await?;
        forget_ended(tx, tenant).await?;
    }
    Ok(created_at.map(|created_at| ApiKey {
        id,
        name: key.name.clone(),
        prefix: key.prefix.clone(),
        scopes: key.scopes.clone(),
        created_at,
        expires_at: key.expires_at,
        last_used_at: None,
        revoked_at: None,
    }))
}

/// Removes the oldest of the keys that have ended, so that rotations leave no endless list.
async fn forget_ended(tx: &mut PgConnection, tenant: TenantId) -> Result<()> {
    sqlx::query!(
        "delete from api_keys k
         where k.tenant_id = $1 and k.id = any (array(
           select x.id from api_keys x
           where x.tenant_id = $1 and (x.revoked_at is not null or x.expires_at <= now())
           order by least(x.revoked_at, x.expires_at) desc, x.id desc offset $2
         ))",
        tenant.0,
        ENDED_KEYS
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Notifies all processes, on commit, that a tenant or its keys have changed.
pub(super) async fn tell(tx: &mut PgConnection, tenant: TenantId) -> Result<()> {
    sqlx::query_scalar!(
        r#"select pg_notify($1, $2) is null as "told!""#,
        channel::KEYS,
        tenant.0.to_string()
    )
    .fetch_one(tx)
    .await?;
    Ok(())
}
