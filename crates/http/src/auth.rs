//! Authentication and authorisation. The extractor in a handler's signature is its authorisation: [`Reader`],
//! [`Writer`] and [`Admin`] require that scope of an API key, [`Operator`] requires the operator token.

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use super::problem::ApiError;
use super::state::AppState;
use anchord_messages::id::{KeyId, TenantId};
use anchord_session::quota::Quotas;
use anchord_store::audit::Actor;
use anchord_store::keys::digest_key;

/// Reads what the tenant owns.
pub const READ: &str = "read";
/// Changes what the tenant owns, and calls what is stateless.
pub const WRITE: &str = "write";
/// Manages keys, webhooks and the tenant's settings.
pub const ADMIN: &str = "admin";

/// The most bytes of a bearer token; a longer one is rejected without hashing it.
const MAX_TOKEN_BYTES: usize = 512;

/// An authenticated caller.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The tenant that the key belongs to.
    pub tenant: TenantId,
    /// The key.
    pub key: KeyId,
    /// The scopes of the key.
    pub scopes: Vec<String>,
    /// The quotas of the tenant.
    pub quotas: Quotas,
}

impl Caller {
    /// The actor for the audit log.
    #[must_use]
    pub fn actor(&self) -> Actor {
        Actor::Key(self.key)
    }
}

/// A caller with the scope `read`.
#[derive(Clone, Debug)]
pub struct Reader(pub Caller);

/// A caller with the scope `write`.
#[derive(Clone, Debug)]
pub struct Writer(pub Caller);

/// A caller with the scope `admin`.
#[derive(Clone, Debug)]
pub struct Admin(pub Caller);

/// The operator of the installation.
#[derive(Clone, Copy, Debug)]
pub struct Operator;

fn bearer(parts: &Parts) -> Result<&str, ApiError> {
    let header = parts
        .headers
        .get(AUTHORIZATION)
        .ok_or(ApiError::Unauthorized("send `Authorization: Bearer` and an API key"))?;
    let token = header
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .filter(|token| !token.is_empty() && token.len() <= MAX_TOKEN_BYTES);
    token.ok_or(ApiError::Unauthorized("the Authorization header is not `Bearer` and an API key"))
}

async fn authenticate(parts: &Parts, state: &AppState, scope: &'static str) -> Result<Caller, ApiError> {
    let digest = digest_key(bearer(parts)?);
    let grant = state
        .store
        .find_key(digest, state.clock.now())
        .await?
        .ok_or(ApiError::Unauthorized("this API key is unknown, expired or revoked"))?;
    // The boundary's span, not the current one, which may be an inner one.
    if let Some(span) = parts.extensions.get::<tracing::Span>() {
        span.record("tenant.id", tracing::field::display(grant.tenant.0));
    }
    if grant.suspended {
        return Err(ApiError::Suspended);
    }
    state.rate_limit.check(grant.key)?;
    if let Some(per_second) = grant.quotas.requests_per_second {
        state.tenant_rates.check(grant.tenant, per_second)?;
    }
    if !grant.scopes.iter().any(|held| held == scope) {
        return Err(ApiError::Forbidden(scope));
    }
    Ok(Caller { tenant: grant.tenant, key: grant.key, scopes: grant.scopes, quotas: grant.quotas })
}

impl FromRequestParts<AppState> for Reader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        authenticate(parts, state, READ).await.map(Self)
    }
}

impl FromRequestParts<AppState> for Writer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        authenticate(parts, state, WRITE).await.map(Self)
    }
}

impl FromRequestParts<AppState> for Admin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        authenticate(parts, state, ADMIN).await.map(Self)
    }
}

impl FromRequestParts<AppState> for Operator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let token = bearer(parts)?;
        match &state.operator {
            Some(operator) if operator.matches(token) => Ok(Self),
            _ => {
                state.store.count_refused_operator();
                Err(ApiError::Unauthorized("this is not the operator token"))
            }
        }
    }
}
