//! Tenants: created, changed, suspended and erased by the operator, each change with an entry in the audit log.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::audit::{self, Actor};
use super::error::expect_rows;
use super::keys;
use super::pins::{PinEdit, PinEdited, Pinned};
use super::provider_keys::ProviderKeys;
use crate::prelude::*;
use anchord_context::pin::{self, PINS_SHARE, Pin};
use anchord_messages::tokens::TokenCounter;
use anchord_record::fill::share_of;
use anchord_session::models::{MAX_OWN_MODELS, OwnModel};
use anchord_session::quota::Quotas;
use anchord_session::settings::{Settings, SettingsError};

/// Whether a tenant's keys are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TenantStatus {
    /// They are accepted.
    Active,
    /// They are refused and its jobs are paused; nothing is lost.
    Suspended,
}

/// A tenant.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Tenant {
    /// Its id.
    pub id: TenantId,
    /// Its name, unique in the installation.
    pub name: String,
    /// Whether its keys are accepted.
    pub status: TenantStatus,
    /// The defaults of its sessions' settings.
    #[serde(skip)]
    pub settings: Settings,
    /// Its bounds; what is absent is bounded by the installation alone.
    pub quotas: Quotas,
    /// How many days it keeps sessions without a write; null means forever.
    #[schema(required = true)]
    pub retention_days: Option<i32>,
    /// Providers for which the gateway has a key of the tenant's.
    pub provider_keys_for: Vec<String>,
    /// When it was created.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
    /// The cell that has it, of an installation with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
}

/// A change of a tenant; an absent field keeps its value.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"status": "suspended"})), as = TenantPatch)]
pub struct TenantChange {
    /// Its name.
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// Whether its keys are accepted.
    pub status: Option<TenantStatus>,
    /// Its quotas; they replace the ones there are.
    pub quotas: Option<Quotas>,
    /// How many days it keeps sessions without a write; null means forever.
    #[serde(default, deserialize_with = "anchord_messages::patch::present")]
    #[schema(value_type = Option<i32>, minimum = 1, maximum = 36500)]
    pub retention_days: Option<Option<i32>>,
    /// Keys of model providers, which the gateway sends upstream for the tenant's agents.
    pub provider_keys: Option<ProviderKeys>,
}

/// The outcome of a change of a tenant.
#[derive(Clone, Debug)]
pub enum Changed {
    /// It is changed.
    Done(Box<Tenant>),
    /// There is no such tenant.
    NoTenant,
    /// Another tenant has the name.
    NameTaken,
}

/// Change of settings.
#[derive(Clone, Debug)]
pub enum SettingsChange {
    /// These and no others: an absent field has its default.
    Replace(Map<String, Value>),
    /// These: an absent field keeps its value, and null resets it.
    Merge(Map<String, Value>),
}

/// The outcome of adding a model of a tenant's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WideModels {
    /// It is added.
    Added,
    /// One of the name was there and is replaced.
    Replaced,
    /// The tenant has as many as it may; nothing has changed.
    Full,
}

impl Store {
    /// Creates a tenant with a given id; `None` when the id or the name is taken.
    pub async fn insert_tenant(&self, id: TenantId, name: &str, actor: Actor) -> Result<Option<Tenant>> {
        let mut tx = self.begin_as(actor, id).await?;
        let made = insert(&mut tx, id, (name, &Quotas::default()), actor).await?;
        if made.is_some() {
            tx.commit().await?;
        }
        Ok(made)
    }

    /// Finds a tenant.
    pub async fn find_tenant(&self, id: TenantId) -> Result<Option<Tenant>> {
        let mut tx = self.snapshot(id).await?;
        find(&mut tx, id).await
    }

    /// Changes a tenant's name, quotas and retention, and suspends or resumes it.
    pub async fn change_tenant(&self, id: TenantId, change: &TenantChange, actor: Actor) -> Result<Changed> {
        let mut tx = self.begin_as(actor, id).await?;
        let suspended = change.status.map(|status| status == TenantStatus::Suspended);
        let quotas = change.quotas.as_ref().map(|quotas| serde_json::to_string(quotas).unwrap_or_default());
        let done = sqlx::query!(
            "update tenants set name = coalesce($2, name), quotas = coalesce($3::text::json, quotas),
                    suspended_at = case when $4::boolean then coalesce(suspended_at, now())
                                        when not $4 then null else suspended_at end,
                    retention_days = case when $5::boolean then $6 else retention_days end
             where id = $1",
            id.0,
            change.name,
            quotas,
            suspended,
            change.retention_days.is_some(),
            change.retention_days.flatten()
        )
        .execute(&mut *tx)
        .await;
        match done {
            Err(sqlx::Error::Database(error)) if error.constraint() == Some("tenants_name_key") => {
                return Ok(Changed::NameTaken);
            }
            done => {
                if done?.rows_affected() == 0 {
                    return Ok(Changed::NoTenant);
                }
            }
        }
        if let Some(keys) = &change.provider_keys {
            self.store_provider_keys(&mut tx, id, keys).await?;
        }
        let action = match suspended {
            Some(true) => "tenant.suspended",
            Some(false) => "tenant.resumed",
            None => "tenant.changed",
        };
        audit::record(&mut tx, id, actor, action, id).await?;
        keys::tell(&mut tx, id).await?;
        let Some(tenant) = find(&mut tx, id).await? else { return Ok(Changed::NoTenant) };
        tx.commit().await?;
        self.forget_keys(id);
        self.forget_counts(id);
        Ok(Changed::Done(Box::new(tenant)))
    }

    /// Replaces the defaults of a tenant's sessions, or changes them: then an absent field keeps its value, and null
    /// resets it. `None` when there is no such tenant.
    pub async fn change_tenant_settings(
        &self,
        id: TenantId,
        change: SettingsChange,
        actor: Actor,
    ) -> Result<Option<Result<Settings, SettingsError>>> {
        let mut tx = self.begin_as(actor, id).await?;
        let Some(old) = lock_settings(&mut tx, id).await? else { return Ok(None) };
        // The tenant's own models are known to its settings, too.
        let below = Settings { wide: old.wide.clone(), ..Settings::default() };
        let changed = match change {
            SettingsChange::Replace(settings) => old.replaced(settings, &below),
            SettingsChange::Merge(change) => old.patched(change, &below),
        };
        let mut settings = match changed {
            Ok(settings) => settings,
            Err(refused) => return Ok(Some(Err(refused))),
        };
        if settings != old {
            settings.wide.get_or_insert_default().revision += 1;
            store_settings(&mut tx, id, &settings).await?;
            audit::record(&mut tx, id, actor, "settings.changed", id).await?;
            tx.commit().await?;
        }
        Ok(Some(Ok(settings)))
    }

    /// Replaces a tenant's pins. The same pins again change nothing.
    pub async fn replace_wide_pins(&self, id: TenantId, pins: &[Pin], actor: Actor) -> Result<PinEdited> {
        let mut tx = self.begin_as(actor, id).await?;
        let edited = edit_wide_pins(&mut tx, id, PinEdit::Replace(pins), actor).await?;
        if matches!(edited, PinEdited::Done(_)) {
            tx.commit().await?;
        }
        Ok(edited)
    }

    /// Adds a model to a tenant's, or replaces the one of its name; `None` when there is no such tenant. The same model
    /// again changes nothing.
    pub async fn put_wide_model(
        &self,
        id: TenantId,
        model: OwnModel,
        actor: Actor,
    ) -> Result<Option<WideModels>> {
        let mut tx = self.begin_as(actor, id).await?;
        let Some(mut settings) = lock_settings(&mut tx, id).await? else { return Ok(None) };
        let wide = settings.wide.get_or_insert_default();
        let is_full = wide.models.len() >= MAX_OWN_MODELS;
        let outcome = match wide.models.iter_mut().find(|own| own.is_named(&model.name)) {
            Some(own) if *own == model => return Ok(Some(WideModels::Replaced)),
            Some(own) => {
                *own = model;
                WideModels::Replaced
            }
            None if is_full => return Ok(Some(WideModels::Full)),
            None => {
                wide.models.push(model);
                WideModels::Added
            }
        };
        wide.revision += 1;
        store_settings(&mut tx, id, &settings).await?;
        audit::record(&mut tx, id, actor, "models.changed", id).await?;
        tx.commit().await?;
        Ok(Some(outcome))
    }

    /// Removes a model of a tenant's; returns `false` when it has none of the name.
    pub async fn delete_wide_model(&self, id: TenantId, name: &str, actor: Actor) -> Result<bool> {
        let mut tx = self.begin_as(actor, id).await?;
        let Some(mut settings) = lock_settings(&mut tx, id).await? else { return Ok(false) };
        let wide = settings.wide.get_or_insert_default();
        let before = wide.models.len();
        wide.models.retain(|own| !own.is_named(name));
        if wide.models.len() == before {
            return Ok(false);
        }
        wide.revision += 1;
        store_settings(&mut tx, id, &settings).await?;
        audit::record(&mut tx, id, actor, "models.changed", id).await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Changes one of a tenant's pins in an open transaction, which must not be committed unless it is done.
pub async fn edit_wide_pins(
    tx: &mut PgConnection,
    id: TenantId,
    edit: PinEdit<'_>,
    actor: Actor,
) -> Result<PinEdited> {
    let Some(mut settings) = lock_settings(&mut *tx, id).await? else { return Ok(PinEdited::NoOwner) };
    let pins = match edit.apply(settings.wide_pins().to_vec()) {
        Ok(pins) => pins,
        Err(refused) => return Ok(refused),
    };
    let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
    let tokens = pin::tokens(&pins, counter);
    // A list is measured by the window that the tenant's model implies, one more pin by the settings as they are written.
    let policy = match edit {
        PinEdit::Replace(_) => Settings::default().over(&settings).policy(),
        PinEdit::Add(_) | PinEdit::Remove(_) => settings.policy(),
    };
    let max_tokens = share_of(policy.effective_window, PINS_SHARE);
    if tokens > max_tokens && !matches!(edit, PinEdit::Remove(_)) {
        return Ok(PinEdited::TooLarge { tokens, max_tokens });
    }
    if settings.wide_pins() != pins {
        let wide = settings.wide.get_or_insert_default();
        wide.revision += 1;
        wide.pins_revision = wide.revision;
        wide.pins = pins;
        store_settings(&mut *tx, id, &settings).await?;
        audit::record(tx, id, actor, "pins.replaced", id).await?;
    }
    Ok(PinEdited::Done(Pinned::default()))
}

pub(crate) struct TenantRow {
    pub(crate) id: Uuid,
    pub(crate) name: String,
    pub(crate) settings: String,
    pub(crate) quotas: String,
    pub(crate) retention_days: Option<i32>,
    pub(crate) suspended_at: Option<DateTime<Utc>>,
    pub(crate) provider_keys_for: Vec<String>,
    pub(crate) created_at: DateTime<Utc>,
}

impl TenantRow {
    pub(crate) fn read(self) -> Result<Tenant> {
        let corrupt = |column, error| StoreError::corrupt("tenants", column, self.id, error);
        Ok(Tenant {
            id: TenantId(self.id),
            settings: serde_json::from_str(&self.settings).map_err(|e| corrupt("settings", e))?,
            quotas: serde_json::from_str(&self.quotas).map_err(|e| corrupt("quotas", e))?,
            name: self.name,
            retention_days: self.retention_days,
            status: if self.suspended_at.is_some() { TenantStatus::Suspended } else { TenantStatus::Active },
            provider_keys_for: self.provider_keys_for,
            created_at: self.created_at,
            cell: None,
        })
    }
}

/// Creates a tenant with its name and quotas in its own open transaction; `None` when the id or the name is taken.
pub async fn insert(
    tx: &mut PgConnection,
    id: TenantId,
    (name, quotas): (&str, &Quotas),
    actor: Actor,
) -> Result<Option<Tenant>> {
    let quotas = serde_json::to_string(quotas)
        .map_err(|error| StoreError::corrupt("tenants", "quotas", id.0, error))?;
    let done = sqlx::query!(
        "insert into tenants (id, name, quotas) values ($1, $2, $3::text::json) on conflict do nothing",
        id.0,
        name,
        quotas
    )
    .execute(&mut *tx)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(None);
    }
    audit::record(&mut *tx, id, actor, "tenant.created", id).await?;
    find(tx, id).await
}

/// Finds a tenant in its own open transaction.
pub async fn find(tx: &mut PgConnection, id: TenantId) -> Result<Option<Tenant>> {
    sqlx::query_as!(
        TenantRow,
        r#"select id, name, settings::text as "settings!", quotas::text as "quotas!", retention_days,
                  nullif(suspended_at, 'infinity') as suspended_at,
                  array(select json_object_keys(provider_keys) order by 1) as "provider_keys_for!", created_at
           from tenants where id = $1"#,
        id.0
    )
    .fetch_optional(tx)
    .await?
    .map(TenantRow::read)
    .transpose()
}

async fn lock_settings(tx: &mut PgConnection, id: TenantId) -> Result<Option<Settings>> {
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

async fn store_settings(tx: &mut PgConnection, id: TenantId, settings: &Settings) -> Result<()> {
    let text = serde_json::to_string(settings)
        .map_err(|error| StoreError::corrupt("tenants", "settings", id.0, error))?;
    let done = sqlx::query!(
        "update tenants set settings = $2::text::json, revision = revision + 1 where id = $1",
        id.0,
        text
    )
    .execute(&mut *tx)
    .await?;
    expect_rows("the update of a tenant", 1, done.rows_affected())
}
