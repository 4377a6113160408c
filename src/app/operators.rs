//! The operator's changes on the database itself, without a running service: the same as under `/v1/admin`.

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use secrecy::SecretString;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::{database, shutdown};
use crate::config;
use anchord_messages::id::{KeyId, TenantId};
use anchord_store::Store;
use anchord_store::audit::Actor;
use anchord_store::keys::{self, ApiKey, NewKey, Rotation};
use anchord_store::migrate::LockWaits;
use anchord_store::tenants::{Changed, Tenant, TenantChange};

/// The most connections of a command.
const CONNECTIONS: u32 = 2;
/// How many rows one read returns.
const PAGE: i64 = 500;

/// The operator's connection to the database.
#[derive(Debug)]
pub struct Operators {
    store: Store,
    embedded: Option<anchord_postgres::Embedded>,
    tracker: TaskTracker,
}

impl Operators {
    /// Connects to the database and brings its schema up to date.
    ///
    /// # Errors
    /// When the database does not start or cannot be reached. An embedded database cannot be opened while its service
    /// runs.
    pub async fn open(config: &config::Database) -> anyhow::Result<Self> {
        let (embedded, located) = database::locate(config).await?;
        Store::migrate(located.target(), LockWaits::default())
            .await
            .context("the database cannot be migrated")?;
        let tracker = TaskTracker::new();
        let store = Store::connect(located.target(), CONNECTIONS, tracker.clone()).await;
        let store = store.context("the database cannot be reached")?;
        Ok(Self { store, embedded, tracker })
    }

    /// Closes the connections, and stops an embedded database.
    pub async fn close(self) {
        self.tracker.close();
        self.tracker.wait().await;
        shutdown::close(&self.store).await;
        if let Some(embedded) = self.embedded {
            embedded.stop().await;
        }
    }

    /// Creates a tenant.
    ///
    /// # Errors
    /// When its name is taken, or the database fails.
    pub async fn create_tenant(&self, name: &str) -> anyhow::Result<Tenant> {
        let made = self.store.insert_tenant(name, Actor::Cli).await?;
        made.with_context(|| format!("a tenant is called {name} already"))
    }

    /// Lists every tenant.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_tenants(&self) -> anyhow::Result<Vec<Tenant>> {
        let mut all: Vec<Tenant> = Vec::new();
        loop {
            let page = self.store.list_tenants(all.last().map(|last| last.id), PAGE).await?;
            if page.is_empty() {
                return Ok(all);
            }
            all.extend(page);
        }
    }

    /// Suspends a tenant, or resumes it.
    ///
    /// # Errors
    /// When there is no such tenant, or the database fails.
    pub async fn suspend_tenant(&self, tenant: &str, suspended: bool) -> anyhow::Result<Tenant> {
        let id = self.find(tenant).await?;
        let change = TenantChange { suspended: Some(suspended), ..TenantChange::default() };
        match self.store.change_tenant(id, &change, Actor::Cli).await? {
            Changed::Done(tenant) => Ok(*tenant),
            Changed::NoTenant | Changed::NameTaken => anyhow::bail!("there is no tenant {tenant}"),
        }
    }

    /// Erases a tenant with everything that it owns.
    ///
    /// # Errors
    /// When there is no such tenant, or the database fails.
    pub async fn delete_tenant(&self, tenant: &str) -> anyhow::Result<()> {
        let id = self.find(tenant).await?;
        let done = self.store.delete_tenant(id, Actor::Cli).await?;
        anyhow::ensure!(done, "there is no tenant {tenant}");
        Ok(())
    }

    /// Creates a key of a tenant.
    ///
    /// # Errors
    /// When there is no such tenant, or the database fails.
    pub async fn create_key(
        &self,
        tenant: &str,
        scopes: Vec<String>,
        name: Option<String>,
        expires_at: Option<DateTime<Utc>>,
    ) -> anyhow::Result<(ApiKey, SecretString)> {
        let id = self.find(tenant).await?;
        let (key, minted) = NewKey::minted(scopes);
        let minted = NewKey { name, expires_at, ..minted };
        let made = self.store.insert_key(id, &minted, Actor::Cli).await?;
        Ok((made.with_context(|| format!("there is no tenant {tenant}"))?, key))
    }

    /// Lists a tenant's keys.
    ///
    /// # Errors
    /// When there is no such tenant, or the database fails.
    pub async fn list_keys(&self, tenant: &str) -> anyhow::Result<Vec<ApiKey>> {
        let id = self.find(tenant).await?;
        let mut all: Vec<ApiKey> = Vec::new();
        loop {
            let page = self.store.list_keys(id, all.last().map(|last| last.id), PAGE).await?;
            if page.is_empty() {
                return Ok(all);
            }
            all.extend(page);
        }
    }

    /// Revokes a key.
    ///
    /// # Errors
    /// When there is no such key, or the database fails.
    pub async fn revoke_key(&self, tenant: &str, key: KeyId) -> anyhow::Result<()> {
        let id = self.find(tenant).await?;
        let done = self.store.revoke_key(id, key, Actor::Cli).await?;
        anyhow::ensure!(done, "there is no key {key}, or it is revoked already");
        Ok(())
    }

    /// Replaces a key by a new one; the old one is valid until `until`.
    ///
    /// # Errors
    /// When there is no such key, or the database fails.
    pub async fn rotate_key(
        &self,
        tenant: &str,
        key: KeyId,
        until: DateTime<Utc>,
    ) -> anyhow::Result<(ApiKey, SecretString)> {
        let id = self.find(tenant).await?;
        let mut tx = self.store.begin_as(Actor::Cli, id).await?;
        match keys::rotate(&mut tx, id, key, until, (Actor::Cli, None)).await? {
            Rotation::Done(made, key, _) => {
                tx.commit().await?;
                Ok((*made, key))
            }
            // Never `Beyond`, because an operator has every scope.
            Rotation::NoKey | Rotation::Beyond(_) => anyhow::bail!("there is no key {key}, or it is over"),
        }
    }

    /// Finds a tenant by its id or its name.
    async fn find(&self, tenant: &str) -> anyhow::Result<TenantId> {
        let id = TenantId::parse(tenant).or_else(|| Uuid::try_parse(tenant).ok().map(TenantId));
        if let Some(id) = id {
            return Ok(id);
        }
        let found = self.store.find_tenant_id(tenant).await?;
        found.with_context(|| format!("there is no tenant {tenant}"))
    }
}
