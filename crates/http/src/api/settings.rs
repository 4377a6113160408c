//! The tenant's settings, which are the defaults of its sessions.

use crate::api::prelude::*;
use anchord_session::settings::{Policy, Settings};
use anchord_store::audit::Actor;
use anchord_store::tenants::SettingsChange;

/// Settings that place a single session, which a tenant cannot set for all of its sessions.
const OF_A_SESSION: [&str; 4] = ["task_id", "parent_session_id", "user", "metadata"];

/// The defaults of the tenant's sessions, and what follows from them.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TenantSettings {
    /// The settings as they were made.
    pub settings: Settings,
    /// The settings with every default resolved.
    pub policy: Policy,
}

impl From<Settings> for TenantSettings {
    fn from(settings: Settings) -> Self {
        let policy = Settings::default().over(&settings).policy();
        // Pins, models and revisions are stored with the settings, but are none.
        Self { policy, settings: Settings { wide: None, ..settings } }
    }
}

/// Reads the defaults of the tenant's sessions.
#[utoipa::path(
    get, path = "/v1/settings", tag = "settings", operation_id = "settings.get",
    responses((status = 200, body = TenantSettings, description = "The defaults."))
)]
pub async fn find_settings(Reader { caller, state }: Reader) -> Result<Reply<TenantSettings>> {
    let tenant = state.store.find_tenant(caller.tenant).await?.or_missing(Kind::TenantNotFound)?;
    Ok(Reply(tenant.settings.into()))
}

/// Replaces the defaults of the tenant's sessions.
///
/// An absent or null field has the service's own default. Settings of a session, and those that follow from a `model`
/// that it names, take precedence. They apply from the next request on, and each session's `context_revision` grows.
#[utoipa::path(
    put, path = "/v1/settings", tag = "settings", operation_id = "settings.put", request_body = Settings,
    responses((status = 200, body = TenantSettings, description = "The defaults as they are now."))
)]
pub async fn put_settings(
    Admin { caller, state }: Admin,
    body: Json<Map<String, Value>>,
) -> Result<Reply<TenantSettings>> {
    change_of(&state, caller.tenant, SettingsChange::Replace(body.value), caller.actor()).await.map(Reply)
}

/// Changes the defaults of the tenant's sessions.
///
/// An absent field keeps its value and null resets it (JSON Merge Patch). A session's own settings take precedence. They
/// apply from the next request on, and each session's `context_revision` grows.
#[utoipa::path(
    patch, path = "/v1/settings", tag = "settings", operation_id = "settings.update", request_body = Settings,
    responses((status = 200, body = TenantSettings, description = "The defaults as they are now."))
)]
pub async fn patch_settings(
    Admin { caller, state }: Admin,
    body: Json<Map<String, Value>>,
) -> Result<Reply<TenantSettings>> {
    change_of(&state, caller.tenant, SettingsChange::Merge(body.value), caller.actor()).await.map(Reply)
}

/// Changes the defaults of a tenant's sessions.
pub(crate) async fn change_of(
    state: &AppState,
    tenant: TenantId,
    change: SettingsChange,
    actor: Actor,
) -> Result<TenantSettings> {
    let (SettingsChange::Replace(named) | SettingsChange::Merge(named)) = &change;
    if let Some(name) = OF_A_SESSION.iter().find(|name| named.contains_key(**name)) {
        return Err(ApiError::invalid(format!("/{name}"), "is a session's own and has no default"));
    }
    state.check_settings(named)?;
    let changed = state.store.change_tenant_settings(tenant, change, actor).await?;
    match changed.or_missing(Kind::TenantNotFound)? {
        Ok(settings) => Ok(settings.into()),
        Err(refused) => Err(ApiError::invalid(refused.pointer, refused.detail)),
    }
}
