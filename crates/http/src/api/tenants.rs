//! Tenants: the operator creates, lists, changes, suspends and erases them.

use secrecy::ExposeSecret;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::api::prelude::*;
use crate::api::settings::{TenantSettings, change_of};
use crate::cells::Cell;
use anchord_session::quota::Quotas;
use anchord_session::settings::Settings;
use anchord_store::audit::Actor;
use anchord_store::provider_keys::ProviderKeys;
use anchord_store::tenants::{self, Changed, SettingsChange, Tenant, TenantChange};

/// The most characters of a tenant's or a key's name.
const MAX_NAME_CHARS: usize = 100;

/// Rule for a name.
const NAME_RULE: &str = "must have 1 to 100 characters, not blank, without control characters";
/// The most characters of a key of a model provider.
const MAX_PROVIDER_KEY: usize = 4_096;
/// The longest retention of sessions, in days.
const MAX_RETENTION_DAYS: i32 = 36_500;

/// The path of a tenant.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct TenantPath {
    /// The tenant's id.
    pub tenant_id: TenantId,
}

/// A tenant to create.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"name": "acme"})), as = CreateTenant)]
pub struct NewTenant {
    /// Its name, unique in the installation.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// Its quotas.
    pub quotas: Option<Quotas>,
    /// The cell to make it in, of an installation with several. Default: the one with the fewest tenants.
    #[schema(min_length = 1, max_length = 63)]
    pub cell: Option<String>,
}

/// Creates a tenant.
///
/// With an `Idempotency-Key` the same call makes the same tenant, forever.
#[utoipa::path(
    post, path = "/v1/admin/tenants", tag = "tenants", operation_id = "tenants.create", request_body = NewTenant,
    responses((status = 201, body = Tenant, description = "The tenant."))
)]
pub async fn create_tenant(
    Operator { state }: Operator,
    key: IdempotencyKey,
    body: Json<NewTenant>,
) -> Result<KeptReply> {
    let new = body.value;
    check_name(&new.name)?;
    check_quotas(new.quotas.as_ref())?;
    // The reply belongs to the tenant that it makes, so the tenant's id is derived from the key.
    let id = TenantId(key.as_str().map_or_else(Uuid::now_v7, id_of));
    let _held = state.hold_name(id, &new.name).await?;
    let state = state.cell_for(id, new.cell.as_deref()).await?;
    let mut tx = state.store.begin_as(Actor::Operator, id).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, id, body.digest).await?);
    let quotas = new.quotas.unwrap_or_default();
    let made = tenants::insert(&mut tx, id, (&new.name, &quotas), Actor::Operator).await?;
    let Some(tenant) = made.map(|tenant| placed(&state, tenant)) else {
        // The reply to an earlier call is kept for a day, the id forever.
        return match tenants::find(&mut tx, id).await? {
            Some(known) if known.name == new.name => {
                KeptReply::json(StatusCode::CREATED, &placed(&state, known))
            }
            Some(_) => Err(ApiError::IdempotencyMismatch),
            // Without a key the id is new, so that only the name can be taken.
            None if key.as_str().is_none() => {
                Err(ApiError::Conflict("another tenant has this name".to_owned()))
            }
            None => Err(ApiError::Conflict(
                "another tenant has this name, or the tenant that this Idempotency-Key made is being erased"
                    .to_owned(),
            )),
        };
    };
    let reply = KeptReply::json(StatusCode::CREATED, &tenant)?;
    claimed.commit(&state.store, tx, None, reply).await
}

/// The tenant with the cell that has it.
fn placed(state: &AppState, tenant: Tenant) -> Tenant {
    Tenant { cell: state.cell_name(), ..tenant }
}

/// An id that is always the same for the same key.
fn id_of(key: &str) -> Uuid {
    let digest: [u8; 32] = Sha256::digest(format!("anchord tenant 1\0{key}")).into();
    let bytes = digest.first_chunk::<16>().copied().unwrap_or_default();
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// Which tenants to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TenantsQuery {
    /// Only the tenant with this name.
    #[param(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// Items of the page.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    #[param(max_length = 1024)]
    pub cursor: Option<String>,
}

/// Lists the tenants, oldest first.
#[utoipa::path(
    get, path = "/v1/admin/tenants", tag = "tenants", operation_id = "tenants.list", params(TenantsQuery),
    responses((status = 200, body = Page<Tenant>, description = "A page of tenants."))
)]
pub async fn list_tenants(
    Operator { state }: Operator,
    Query(query): Query<TenantsQuery>,
) -> Result<Reply<Page<Tenant>>> {
    let scope = format!("tenants {:?}", query.name);
    let paging = Paging::<TenantId>::of_operator(&scope, query.limit, query.cursor.as_deref())?;
    if let Some(name) = &query.name {
        check_name(name).map_err(|_| ApiError::parameter("name", NAME_RULE))?;
    }
    let mut rows = Vec::new();
    for Cell { state, .. } in state.all_cells()? {
        let found = match &query.name {
            None => state.store.list_tenants(paging.after, paging.rows()).await?,
            Some(name) => match state.store.find_tenant_id(name).await? {
                // A copy that arrives has the name, too.
                Some(id) if state.store.find_arrival(id).await? == Some(false) => {
                    state.store.find_tenant(id).await?.into_iter().collect()
                }
                _ => Vec::new(),
            },
        };
        rows.extend(found.into_iter().map(|tenant| placed(&state, tenant)));
    }
    rows.sort_by_key(|tenant| tenant.id);
    Ok(Reply(paging.page(rows, |tenant| tenant.id)))
}

/// Reads a tenant.
#[utoipa::path(
    get, path = "/v1/admin/tenants/{tenant_id}", tag = "tenants", operation_id = "tenants.get", params(TenantPath),
    responses((status = 200, body = Tenant, description = "The tenant."))
)]
pub async fn find_tenant(
    Operator { state }: Operator,
    Path(path): Path<TenantPath>,
) -> Result<Reply<Tenant>> {
    let found = state.store.find_tenant(path.tenant_id).await?.or_missing(Kind::TenantNotFound)?;
    Ok(Reply(placed(&state, found)))
}

/// Changes a tenant: its name, its quotas, its retention, whether it is suspended.
///
/// An absent field keeps its value. A suspended tenant's keys are refused with 403 and its waiting jobs are paused; nothing
/// is lost. Keys of model providers need an installation with `ANCHORD_SECRETS_KEY`, and are never shown again.
#[utoipa::path(
    patch, path = "/v1/admin/tenants/{tenant_id}", tag = "tenants", operation_id = "tenants.update", params(TenantPath), request_body = TenantChange,
    responses(
        (status = 200, body = Tenant, description = "The tenant as it is now."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "Another tenant has the name.")
    )
)]
pub async fn patch_tenant(
    Operator { state }: Operator,
    Path(path): Path<TenantPath>,
    body: Json<TenantChange>,
) -> Result<Reply<Tenant>> {
    let change = body.value;
    if let Some(name) = &change.name {
        check_name(name)?;
    }
    check_quotas(change.quotas.as_ref())?;
    if let Some(Some(days)) = change.retention_days
        && !(1..=MAX_RETENTION_DAYS).contains(&days)
    {
        let detail = format!("must be from 1 to {MAX_RETENTION_DAYS}, or null");
        return Err(ApiError::invalid("/retention_days", detail));
    }
    check_provider_keys(&state, change.provider_keys.as_ref())?;
    let _held = match &change.name {
        Some(name) => state.hold_name(path.tenant_id, name).await?,
        None => None,
    };
    let changed = changed(state.store.change_tenant(path.tenant_id, &change, Actor::Operator).await?)?;
    Ok(Reply(placed(&state, changed)))
}

/// Erases a tenant with everything that it owns.
///
/// Its keys open nothing from then on, and nothing of it is shown; the rows are deleted in the background. Only the
/// audit log stays, which names things by their ids alone.
#[utoipa::path(
    delete, path = "/v1/admin/tenants/{tenant_id}", tag = "tenants", operation_id = "tenants.delete", params(TenantPath),
    responses((status = 204, description = "It is erased."))
)]
pub async fn delete_tenant(Operator { state }: Operator, Path(path): Path<TenantPath>) -> Result<StatusCode> {
    let is_gone = state.store.delete_tenant(path.tenant_id, Actor::Operator).await?;
    is_gone.then_some(StatusCode::NO_CONTENT).or_missing(Kind::TenantNotFound)
}

/// Reads the defaults of a tenant's sessions.
#[utoipa::path(
    get, path = "/v1/admin/tenants/{tenant_id}/settings", tag = "tenants", operation_id = "tenants.get_settings", params(TenantPath),
    responses((status = 200, body = TenantSettings, description = "The defaults."))
)]
pub async fn find_tenant_settings(
    Operator { state }: Operator,
    Path(path): Path<TenantPath>,
) -> Result<Reply<TenantSettings>> {
    let found = state.store.find_tenant(path.tenant_id).await?;
    found.map(|tenant| Reply(tenant.settings.into())).or_missing(Kind::TenantNotFound)
}

/// Replaces the defaults of a tenant's sessions.
///
/// An absent or null field has the service's own default.
#[utoipa::path(
    put, path = "/v1/admin/tenants/{tenant_id}/settings", tag = "tenants", operation_id = "tenants.put_settings", params(TenantPath), request_body = Settings,
    responses((status = 200, body = TenantSettings, description = "The defaults as they are now."))
)]
pub async fn put_tenant_settings(
    Operator { state }: Operator,
    Path(path): Path<TenantPath>,
    body: Json<Map<String, Value>>,
) -> Result<Reply<TenantSettings>> {
    let change = SettingsChange::Replace(body.value);
    change_of(&state, path.tenant_id, change, Actor::Operator).await.map(Reply)
}

/// Changes the defaults of a tenant's sessions.
///
/// An absent field keeps its value and null resets it (JSON Merge Patch).
#[utoipa::path(
    patch, path = "/v1/admin/tenants/{tenant_id}/settings", tag = "tenants", operation_id = "tenants.update_settings", params(TenantPath), request_body = Settings,
    responses((status = 200, body = TenantSettings, description = "The defaults as they are now."))
)]
pub async fn patch_tenant_settings(
    Operator { state }: Operator,
    Path(path): Path<TenantPath>,
    body: Json<Map<String, Value>>,
) -> Result<Reply<TenantSettings>> {
    let change = SettingsChange::Merge(body.value);
    change_of(&state, path.tenant_id, change, Actor::Operator).await.map(Reply)
}

fn changed(changed: Changed) -> Result<Tenant> {
    match changed {
        Changed::Done(tenant) => Ok(*tenant),
        Changed::NoTenant => Err(ApiError::NotFound(Kind::TenantNotFound)),
        Changed::NameTaken => Err(ApiError::Conflict("another tenant has this name".to_owned())),
    }
}

pub(crate) fn check_name(name: &str) -> Result<()> {
    let fits = (1..=MAX_NAME_CHARS).contains(&name.chars().count());
    if !fits || name.trim().is_empty() || name.chars().any(char::is_control) {
        return Err(ApiError::invalid("/name", NAME_RULE));
    }
    Ok(())
}

fn check_provider_keys(state: &AppState, keys: Option<&ProviderKeys>) -> Result<()> {
    let Some(keys) = keys else { return Ok(()) };
    for (provider, key) in keys.changes() {
        let Some(key) = key.map(ExposeSecret::expose_secret) else { continue };
        let is_key =
            (1..=MAX_PROVIDER_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_key {
            let detail = format!("must have 1 to {MAX_PROVIDER_KEY} visible ASCII characters, or be null");
            return Err(ApiError::invalid(format!("/provider_keys/{provider}"), detail));
        }
        if !state.store.keeps_provider_keys() {
            let detail = "this installation has no ANCHORD_SECRETS_KEY to encrypt it with";
            return Err(ApiError::refused(format!("/provider_keys/{provider}"), detail));
        }
    }
    Ok(())
}

fn check_quotas(quotas: Option<&Quotas>) -> Result<()> {
    match quotas.map(Quotas::validate) {
        Some(Err((field, detail))) => Err(ApiError::invalid(format!("/quotas/{field}"), detail)),
        Some(Ok(())) | None => Ok(()),
    }
}
