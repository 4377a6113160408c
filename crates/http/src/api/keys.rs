//! API keys: an `admin` key manages those of its tenant, the operator those of every tenant.
//!
//! A key is shown once, in the reply that creates it. The reply that is kept for an `Idempotency-Key` is without it, so that
//! a repeated request makes no second key and shows none.

use chrono::TimeDelta;
use secrecy::{ExposeSecret as _, SecretString};
use strum::{AsRefStr, IntoStaticStr};

use crate::api::prelude::*;
use crate::api::tenants::{TenantPath, check_name};
use crate::extract::auth::{ADMIN, GATEWAY, READ, WRITE};
use crate::extract::idempotency::Claimed;
use crate::extract::params::is_writable;
use anchord_messages::id::KeyId;
use anchord_store::Tx;
use anchord_store::audit::Actor;
use anchord_store::keys::{self, ApiKey, NewKey, Rotation};

/// All scopes.
const SCOPES: [&str; 4] = [READ, WRITE, ADMIN, GATEWAY];
/// How long a rotated key stays valid when the caller does not say.
const DEFAULT_OVERLAP_SECONDS: u32 = 24 * 60 * 60;
/// The longest time that a rotated key may stay valid.
const MAX_OVERLAP_SECONDS: u32 = 30 * 24 * 60 * 60;

/// The scope of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsRefStr, IntoStaticStr, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[schema(as = ApiKeyScope)]
pub enum Scope {
    /// Every GET.
    Read,
    /// The other session routes, and the stateless calls.
    Write,
    /// Keys, webhooks, the tenant's settings.
    Admin,
    /// The gateway, for agents whose base URL it is; no other route.
    Gateway,
}

/// A key to create.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"name": "orchestrator", "scopes": ["read", "write"]})), as = CreateApiKey)]
pub struct NewApiKey {
    /// Its name for people.
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// Its scopes.
    #[schema(min_items = 1)]
    pub scopes: Vec<Scope>,
    /// When it ends; never, without it.
    pub expires_at: Option<DateTime<Utc>>,
}

/// How a key is replaced.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ApiKeyRotation)]
pub struct KeyRotation {
    /// How long the old key stays valid beside the new one, in seconds. Default 86,400 (a day).
    #[schema(maximum = 2_592_000)]
    pub overlap_seconds: Option<u32>,
}

/// A key that was just made; this is the only reply that shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CreatedApiKey {
    /// Its id.
    pub id: KeyId,
    /// Its name for people.
    #[schema(required = true)]
    pub name: Option<String>,
    /// The first characters of the key, by which keys can be told apart.
    pub prefix: String,
    /// The key. It is stored as a digest alone, so it cannot be shown again: null in the reply to a repeated request with
    /// the same `Idempotency-Key`. Revoke a key that was lost, and make another one.
    #[schema(required = true)]
    pub key: Option<String>,
    /// Its scopes: `read`, `write`, `admin`.
    pub scopes: Vec<String>,
    /// When it was created.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
    /// When it ends; null for never.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub expires_at: Option<DateTime<Utc>>,
    /// When the key that it replaces ends; only of a rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub replaced_ends_at: Option<DateTime<Utc>>,
}

/// The path of a key.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct KeyPath {
    /// The key's id.
    pub key_id: KeyId,
}

/// The path of a tenant's key.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct TenantKeyPath {
    /// The tenant's id.
    pub tenant_id: TenantId,
    /// The key's id.
    pub key_id: KeyId,
}

/// Lists the tenant's keys, oldest first.
#[utoipa::path(
    get, path = "/v1/keys", tag = "keys", operation_id = "keys.list", params(PageQuery),
    responses((status = 200, body = Page<ApiKey>, description = "A page of keys."))
)]
pub async fn list_keys(
    Admin { caller, state }: Admin,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<ApiKey>>> {
    let paging = Paging::<KeyId>::read(&caller, "keys", query.limit, query.cursor.as_deref())?;
    page(&state, caller.tenant, &paging).await
}

/// Tells what the key may do that this call is made with.
#[utoipa::path(
    get, path = "/v1/keys/current", tag = "keys", operation_id = "keys.get_current",
    responses((status = 200, body = ApiKey, description = "The key, without the key itself."))
)]
pub async fn find_current_key(Reader { caller, state }: Reader) -> Result<Reply<ApiKey>> {
    let found = state.store.find_key_by_id(caller.tenant, caller.key).await?;
    Ok(Reply(found.ok_or(ApiError::Unauthorized("this API key was revoked a moment ago"))?))
}

/// Makes a key of the tenant.
///
/// A key mints only what it may do itself. The key is shown in this reply and never again: the same call with the same
/// `Idempotency-Key` makes no second one, and its reply is without the key.
#[utoipa::path(
    post, path = "/v1/keys", tag = "keys", operation_id = "keys.create", request_body = NewApiKey,
    responses((status = 201, body = CreatedApiKey, description = "The key; it is shown once."))
)]
pub async fn create_key(
    Admin { caller, state }: Admin,
    key: IdempotencyKey,
    body: Json<NewApiKey>,
) -> Result<KeptReply> {
    let lacks = |scope: &&Scope| !caller.scopes.iter().any(|held| held == scope.as_ref());
    if let Some(scope) = body.value.scopes.iter().find(lacks) {
        return Err(ApiError::Forbidden(scope.into()));
    }
    create(&state, caller.tenant, (key, body), caller.actor()).await
}

/// Revokes a key of the tenant.
///
/// It is refused from now on, by every process of the installation.
#[utoipa::path(
    delete, path = "/v1/keys/{key_id}", tag = "keys", operation_id = "keys.revoke", params(KeyPath),
    responses((status = 204, description = "It is revoked."))
)]
pub async fn revoke_key(Admin { caller, state }: Admin, Path(path): Path<KeyPath>) -> Result<StatusCode> {
    revoke(&state, caller.tenant, path.key_id, caller.actor()).await
}

/// Replaces a key of the tenant by a new one with the same scopes; both work for a while.
///
/// The new key is shown to the caller, so the caller needs every scope of the key that it replaces: 403 otherwise.
#[utoipa::path(
    post, path = "/v1/keys/{key_id}/rotate", tag = "keys", operation_id = "keys.rotate", params(KeyPath), request_body = Option<KeyRotation>,
    responses((status = 201, body = CreatedApiKey, description = "The new key; it is shown once."))
)]
pub async fn rotate_key(
    Admin { caller, state }: Admin,
    Path(path): Path<KeyPath>,
    key: IdempotencyKey,
    body: OptionalJson<KeyRotation>,
) -> Result<KeptReply> {
    rotate(&state, (caller.tenant, path.key_id), (key, body), (caller.actor(), Some(&caller.scopes))).await
}

/// Lists a tenant's keys, oldest first.
#[utoipa::path(
    get, path = "/v1/admin/tenants/{tenant_id}/keys", tag = "tenants", operation_id = "tenants.list_keys", params(TenantPath, PageQuery),
    responses((status = 200, body = Page<ApiKey>, description = "A page of keys."))
)]
pub async fn list_tenant_keys(
    Operator { state }: Operator,
    Path(path): Path<TenantPath>,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<ApiKey>>> {
    let scope = format!("keys {}", path.tenant_id);
    let paging = Paging::<KeyId>::of_operator(&scope, query.limit, query.cursor.as_deref())?;
    require_tenant(&state, path.tenant_id).await?;
    page(&state, path.tenant_id, &paging).await
}

/// Makes a key of a tenant.
///
/// The key is shown in this reply and never again: the same call with the same `Idempotency-Key` makes no second one, and
/// its reply is without the key.
#[utoipa::path(
    post, path = "/v1/admin/tenants/{tenant_id}/keys", tag = "tenants", operation_id = "tenants.create_key", params(TenantPath), request_body = NewApiKey,
    responses((status = 201, body = CreatedApiKey, description = "The key; it is shown once."))
)]
pub async fn create_tenant_key(
    Operator { state }: Operator,
    Path(path): Path<TenantPath>,
    key: IdempotencyKey,
    body: Json<NewApiKey>,
) -> Result<KeptReply> {
    create(&state, path.tenant_id, (key, body), Actor::Operator).await
}

/// Revokes a key of a tenant.
#[utoipa::path(
    delete, path = "/v1/admin/tenants/{tenant_id}/keys/{key_id}", tag = "tenants", operation_id = "tenants.revoke_key", params(TenantKeyPath),
    responses((status = 204, description = "It is revoked."))
)]
pub async fn revoke_tenant_key(
    Operator { state }: Operator,
    Path(path): Path<TenantKeyPath>,
) -> Result<StatusCode> {
    revoke(&state, path.tenant_id, path.key_id, Actor::Operator).await
}

/// Replaces a key of a tenant by a new one with the same scopes; both work for a while.
#[utoipa::path(
    post, path = "/v1/admin/tenants/{tenant_id}/keys/{key_id}/rotate", tag = "tenants", operation_id = "tenants.rotate_key", params(TenantKeyPath),
    request_body = Option<KeyRotation>,
    responses((status = 201, body = CreatedApiKey, description = "The new key; it is shown once."))
)]
pub async fn rotate_tenant_key(
    Operator { state }: Operator,
    Path(path): Path<TenantKeyPath>,
    key: IdempotencyKey,
    body: OptionalJson<KeyRotation>,
) -> Result<KeptReply> {
    rotate(&state, (path.tenant_id, path.key_id), (key, body), (Actor::Operator, None)).await
}

async fn require_tenant(state: &AppState, tenant: TenantId) -> Result<()> {
    let found = state.store.find_tenant(tenant).await?;
    found.map(drop).or_missing(Kind::TenantNotFound)
}

async fn page(state: &AppState, tenant: TenantId, paging: &Paging<KeyId>) -> Result<Reply<Page<ApiKey>>> {
    let rows = state.store.list_keys(tenant, paging.after, paging.rows()).await?;
    Ok(Reply(paging.page(rows, |key| key.id)))
}

async fn create(
    state: &AppState,
    tenant: TenantId,
    (key, body): (IdempotencyKey, Json<NewApiKey>),
    actor: Actor,
) -> Result<KeptReply> {
    let new = body.value;
    if new.scopes.is_empty() {
        return Err(ApiError::invalid("/scopes", "must name at least one of read, write, admin"));
    }
    if let Some(name) = &new.name {
        check_name(name)?;
    }
    let mut tx = state.store.begin_as(actor, tenant).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, tenant, body.digest).await?);
    if new.expires_at.is_some_and(|end| end <= state.clock.now()) {
        return Err(ApiError::invalid("/expires_at", "must be in the future"));
    }
    if new.expires_at.is_some_and(|end| !is_writable(end)) {
        return Err(ApiError::invalid("/expires_at", "must be of the years 0000 to 9999"));
    }
    let held = |scope: &&&str| new.scopes.iter().any(|asked| asked.as_ref() == **scope);
    let scopes = SCOPES.iter().filter(held).map(|scope| (*scope).to_owned()).collect();
    let (secret, minted) = NewKey::minted(scopes);
    let minted = NewKey { name: new.name, expires_at: new.expires_at, ..minted };
    let made = keys::create(&mut tx, tenant, &minted, actor).await?.or_missing(Kind::TenantNotFound)?;
    finish((state, tenant), tx, claimed, created(made, None), &secret).await
}

/// Commits a new key with the reply that is kept, which is without the key; returns the one that shows it.
async fn finish(
    (state, tenant): (&AppState, TenantId),
    mut tx: Tx,
    claimed: Claimed,
    mut made: CreatedApiKey,
    secret: &SecretString,
) -> Result<KeptReply> {
    let kept = KeptReply::json(StatusCode::CREATED, &made)?;
    claimed.keep(&state.store, &mut tx, None, &kept).await?;
    tx.commit().await?;
    state.store.forget_keys(tenant);
    made.key = Some(secret.expose_secret().to_owned());
    KeptReply::json(StatusCode::CREATED, &made)
}

async fn revoke(state: &AppState, tenant: TenantId, key: KeyId, actor: Actor) -> Result<StatusCode> {
    let is_gone = state.store.revoke_key(tenant, key, actor).await?;
    is_gone.then_some(StatusCode::NO_CONTENT).or_missing(Kind::KeyNotFound)
}

async fn rotate(
    state: &AppState,
    (tenant, id): (TenantId, KeyId),
    (key, body): (IdempotencyKey, OptionalJson<KeyRotation>),
    by: (Actor, Option<&[String]>),
) -> Result<KeptReply> {
    let overlap = body.value.overlap_seconds.unwrap_or(DEFAULT_OVERLAP_SECONDS);
    if overlap > MAX_OVERLAP_SECONDS {
        return Err(ApiError::invalid("/overlap_seconds", format!("must be at most {MAX_OVERLAP_SECONDS}")));
    }
    let mut tx = state.store.begin_as(by.0, tenant).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, tenant, body.digest).await?);
    let until = state.clock.now() + TimeDelta::seconds(i64::from(overlap));
    match keys::rotate(&mut tx, tenant, id, until, by).await? {
        Rotation::NoKey => Err(ApiError::NotFound(Kind::KeyNotFound)),
        Rotation::Beyond(scope) => {
            let known = SCOPES.into_iter().find(|known| *known == scope);
            Err(ApiError::Forbidden(known.unwrap_or(ADMIN)))
        }
        Rotation::Done(made, secret, ends) => {
            finish((state, tenant), tx, claimed, created(*made, Some(ends)), &secret).await
        }
    }
}

fn created(made: ApiKey, replaced_ends_at: Option<DateTime<Utc>>) -> CreatedApiKey {
    let ApiKey { id, name, prefix, scopes, created_at, expires_at, .. } = made;
    CreatedApiKey { id, name, prefix, key: None, scopes, created_at, expires_at, replaced_ends_at }
}
