//! Who calls, and what they may do. The extractor in a handler's signature is its authorisation:
//! [`Reader`], [`Writer`] and [`Admin`] want that scope of an API key, [`Operator`] the operator token.

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use governor::clock::Clock as _;
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use sha2::{Digest, Sha256};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use subtle::ConstantTimeEq;

use super::AppState;
use super::problem::ApiError;
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

/// The most characters of a bearer token; digesting more would be work for nothing.
const MAX_TOKEN_BYTES: usize = 512;

/// Tenants with a bound of their own that are remembered, and for how long after their last request.
const TENANT_RATES: u64 = 10_000;
const TENANT_RATE_IDLE: Duration = Duration::from_mins(1);

/// An authenticated caller.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Whose key was used.
    pub tenant: TenantId,
    /// Which key was used.
    pub key: KeyId,
    /// What the key may do.
    pub scopes: Vec<String>,
    /// The bounds of its tenant.
    pub quotas: Quotas,
}

impl Caller {
    /// Whoever holds this key, for the audit log.
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

/// SHA-256 of the operator token.
#[derive(Clone, Copy)]
pub struct OperatorToken([u8; 32]);

impl OperatorToken {
    /// Digests the token.
    #[must_use]
    pub fn new(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    fn is(&self, token: &str) -> bool {
        self.0.ct_eq(&Self::new(token).0).into()
    }
}

impl std::fmt::Debug for OperatorToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OperatorToken(…)")
    }
}

/// How fast each key may call.
#[derive(Clone, Debug)]
pub struct RateLimit {
    limiter: Arc<DefaultKeyedRateLimiter<KeyId>>,
    per_second: NonZeroU32,
    burst: NonZeroU32,
}

impl RateLimit {
    /// Allows a burst, refilled at a rate.
    #[must_use]
    pub fn new(per_second: NonZeroU32, burst: NonZeroU32) -> Self {
        let quota = Quota::per_second(per_second).allow_burst(burst);
        Self { limiter: Arc::new(RateLimiter::keyed(quota)), per_second, burst }
    }

    fn check(&self, key: KeyId) -> Result<(), ApiError> {
        self.limiter.check_key(&key).map_err(|refused| ApiError::RateLimited {
            of: "key",
            retry_after: refused.wait_time_from(self.limiter.clock().now()),
            per_second: self.per_second.get(),
            burst: self.burst.get(),
        })
    }

    /// Forgets keys whose burst is whole again.
    pub fn shrink(&self) {
        self.limiter.retain_recent();
    }
}

/// How fast tenants with a bound of their own may call, over all their keys.
#[derive(Clone, Debug)]
pub struct TenantRates(moka::sync::Cache<(TenantId, u32), Arc<DefaultDirectRateLimiter>>);

impl Default for TenantRates {
    fn default() -> Self {
        Self(moka::sync::Cache::builder().max_capacity(TENANT_RATES).time_to_idle(TENANT_RATE_IDLE).build())
    }
}

impl TenantRates {
    fn check(&self, tenant: TenantId, per_second: u32) -> Result<(), ApiError> {
        let rate = NonZeroU32::new(per_second).unwrap_or(NonZeroU32::MIN);
        // Another bound is another limiter, which starts with a whole burst.
        let limiter =
            self.0.get_with((tenant, per_second), || Arc::new(RateLimiter::direct(Quota::per_second(rate))));
        limiter.check().map_err(|refused| ApiError::RateLimited {
            of: "tenant",
            retry_after: refused.wait_time_from(limiter.clock().now()),
            per_second,
            burst: per_second,
        })
    }
}

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
            Some(operator) if operator.is(token) => Ok(Self),
            _ => Err(ApiError::Unauthorized("this is not the operator token")),
        }
    }
}
