//! Authentication and authorisation. The extractor in a handler's signature is its authorisation: [`Reader`],
//! [`Writer`] and [`Admin`] require that scope of an API key, [`Operator`] requires the operator token.

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Request};
use chrono::{DateTime, Utc};

use crate::admission::guesses::Peer;
use crate::problem::{ApiError, Kind, OrMissing as _, Result};
use crate::request_scope::Scope;
use crate::state::AppState;
use anchord_messages::id::{KeyId, SessionRef, TenantId};
use anchord_session::quota::Quotas;
use anchord_store::Tx;
use anchord_store::audit::Actor;
use anchord_store::keys::{Grant, KeyDigest, Line, may_be_key};
use anchord_store::sessions::{self, Session};
use anchord_store::signins::Credential;

/// Reads what the tenant owns.
pub const READ: &str = "read";
/// Changes what the tenant owns, and calls what is stateless.
pub const WRITE: &str = "write";
/// Manages keys, webhooks and the tenant's settings.
pub const ADMIN: &str = "admin";

/// Passes on what agents send to their provider, and keeps it.
pub const GATEWAY: &str = "gateway";

/// Marks a request that comes through the gateway or the MCP server of this process. Extensions never come from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByGateway {
    /// The caller's own.
    Caller,
    /// One of those that are made for it, which its rate has counted with the caller's own.
    Made,
}

/// Marks a request that the console of this process makes for somebody who is signed in there, in the place of a key.
/// Extensions never come from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedIn {
    /// With the key of this digest.
    Key(KeyDigest),
    /// With the operator's token of this digest.
    Operator([u8; 32]),
}

/// The header that may have a key or the operator token in place of `Authorization`, as clients of some model providers
/// send it.
pub const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// The operator's paths of a tenant begin with this.
const TENANTS: &str = "/v1/admin/tenants/";
/// The most bytes of a key or token; a longer one is rejected without hashing it.
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
    /// The digest of the key, by which it is looked up again.
    pub digest: KeyDigest,
    /// State that the parts of the request share.
    pub scope: Scope,
    /// Whether somebody looks on in the console, which is no use of the session by its agent.
    pub looks_on: bool,
}

impl Caller {
    /// A caller without scopes and quotas.
    #[cfg(test)]
    pub(crate) fn of_test(tenant: u128) -> Self {
        Self {
            tenant: TenantId(uuid::Uuid::from_u128(tenant)),
            key: KeyId(uuid::Uuid::nil()),
            scopes: Vec::new(),
            quotas: Quotas::default(),
            digest: [0; 32],
            scope: Scope::default(),
            looks_on: false,
        }
    }

    /// Until when the key is good, by another look at it: `None` when it is good no longer, an inner `None` without an
    /// end.
    pub(crate) async fn still_good(&self, state: &AppState) -> Result<Option<Option<DateTime<Utc>>>> {
        let grant = state.store.find_key(self.digest, Line::InUse, state.clock.now()).await?;
        Ok(grant.filter(|grant| !grant.suspended).map(|grant| grant.expires_at))
    }

    /// The session of a path.
    pub(crate) async fn find_session(&self, tx: &mut Tx, name: &SessionRef) -> Result<Session> {
        sessions::find(tx, self.tenant, name).await?.or_missing(Kind::SessionNotFound)
    }

    /// The session of a path, which stays as it is until the transaction ends.
    pub(crate) async fn lock_session(&self, tx: &mut Tx, name: &SessionRef) -> Result<Session> {
        sessions::lock(tx, self.tenant, name).await?.or_missing(Kind::SessionNotFound)
    }

    /// The actor for the audit log.
    pub fn actor(&self) -> Actor {
        Actor::Key(self.key)
    }
}

/// Declares an extractor for each scope.
macro_rules! callers_with {
    ($($(#[$doc:meta])* $name:ident: $scope:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            /// Who calls.
            pub caller: Caller,
            /// The state, with the store of the caller's cell.
            pub state: AppState,
        }

        impl FromRequestParts<AppState> for $name {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self> {
                let (caller, state) = authenticate(parts, state, $scope).await?;
                Ok(Self { caller, state })
            }
        }
    )*};
}

callers_with! {
    /// A caller with the scope `read`.
    Reader: READ,
    /// A caller with the scope `write`.
    Writer: WRITE,
    /// A caller with the scope `admin`.
    Admin: ADMIN,
}

/// The operator of the installation.
#[derive(Clone, Debug)]
pub struct Operator {
    /// The state, with the store of the cell that has the tenant of the path.
    pub state: AppState,
}

/// The token of `Authorization: Bearer`; `None` without the header.
fn bearer(parts: &Parts) -> Result<Option<&str>> {
    let Some(header) = parts.headers.get(AUTHORIZATION) else { return Ok(None) };
    let token = header
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .and_then(|(_, token)| usable(token));
    match token {
        Some(token) => Ok(Some(token)),
        None => Err(ApiError::Unauthorized("use `Authorization: Bearer KEY`")),
    }
}

/// The key or token of a request: in `Authorization: Bearer` or in `x-api-key`, or the same in both. `missing` is the
/// detail without either.
fn credential<'p>(parts: &'p Parts, missing: &'static str) -> Result<&'p str> {
    for name in [&AUTHORIZATION, &X_API_KEY] {
        let mut all = parts.headers.get_all(name).iter();
        let first = all.next();
        if all.any(|other| Some(other) != first) {
            return Err(ApiError::Unauthorized(
                "a header with a key is there twice, with different keys; send one",
            ));
        }
    }
    let header = parts.headers.get(X_API_KEY);
    let in_header = header.map(|value| {
        let key = value.to_str().ok().and_then(usable);
        key.ok_or(ApiError::Unauthorized("the x-api-key header is empty"))
    });
    match (bearer(parts)?, in_header.transpose()?) {
        (Some(bearer), Some(key)) if bearer != key => {
            Err(ApiError::Unauthorized("Authorization and x-api-key have different keys; send one of them"))
        }
        (Some(key), _) | (None, Some(key)) => Ok(key),
        (None, None) => Err(ApiError::Unauthorized(missing)),
    }
}

fn usable(token: &str) -> Option<&str> {
    Some(token.trim()).filter(|token| !token.is_empty() && token.len() <= MAX_TOKEN_BYTES)
}

/// The caller of a request, when its key has a scope, and the state of its cell.
pub(crate) async fn authenticate(
    parts: &Parts,
    state: &AppState,
    scope: &'static str,
) -> Result<(Caller, AppState)> {
    let (digest, (cell, grant)) = match parts.extensions.get::<SignedIn>() {
        None => authenticate_token(parts, state).await?,
        Some(SignedIn::Key(digest)) => {
            let found = find_key(state, *digest, Line::InUse).await?;
            (*digest, found.ok_or(ApiError::Unauthorized("the key of this sign-in is expired or revoked"))?)
        }
        Some(SignedIn::Operator(_)) => {
            return Err(ApiError::Unauthorized("the operator reads no sessions; sign in with an API key"));
        }
    };
    let scope_of_request = parts.extensions.get::<Scope>().cloned().unwrap_or_default();
    scope_of_request.set_tenant(grant.tenant);
    scope_of_request.set_key(digest);
    scope_of_request.set_cell(grant.tenant, cell.clone());
    // The boundary's span, not the current one, which may be an inner one.
    if let Some(span) = parts.extensions.get::<tracing::Span>() {
        span.record("tenant.id", tracing::field::display(grant.tenant.0));
    }
    if grant.suspended {
        return Err(ApiError::Suspended);
    }
    let by_gateway = parts.extensions.get::<ByGateway>().copied();
    if by_gateway != Some(ByGateway::Made) {
        state.rate_limit.check(grant.key)?;
        if let Some(per_second) = grant.quotas.requests_per_second {
            state.tenant_rates.check(grant.tenant, per_second)?;
        }
    }
    let mut scopes = grant.scopes;
    let holds = |wanted: &str| scopes.iter().any(|held| held == wanted);
    if holds(GATEWAY) && by_gateway.is_some() {
        scopes.extend([READ, WRITE].map(str::to_owned));
    } else if holds(READ) && holds(WRITE) {
        // Who may do as much without it may also give it to a key.
        scopes.push(GATEWAY.to_owned());
    }
    if !scopes.iter().any(|held| held == scope) {
        return Err(ApiError::Forbidden(scope));
    }
    let caller = Caller {
        tenant: grant.tenant,
        key: grant.key,
        scopes,
        quotas: grant.quotas,
        digest,
        scope: scope_of_request,
        looks_on: parts.extensions.get::<SignedIn>().is_some(),
    };
    Ok((caller, cell))
}

/// The rights of a key, and the state of the cell that has it.
async fn find_key(state: &AppState, digest: KeyDigest, line: Line) -> Result<Option<(AppState, Grant)>> {
    let look = move |cell: AppState| async move { cell.store.find_key(digest, line, cell.clock.now()).await };
    state.find_by(digest, look, |grant| grant.is_arriving).await
}

/// The digest and the rights of the key that a request has.
async fn authenticate_token(parts: &Parts, state: &AppState) -> Result<(KeyDigest, (AppState, Grant))> {
    let token = credential(parts, "send an API key, as `Authorization: Bearer KEY` or `x-api-key: KEY`")?;
    let attempt = state.admission.guesses.begin(parts, token)?;
    let digest = attempt.digest();
    // A token that cannot be a key costs no look-up.
    let found = if may_be_key(token) { find_key(state, digest, attempt.line()).await? } else { None };
    let Some(grant) = found else {
        state.store.count_refused_key(digest);
        return Err(attempt.failed("this API key is unknown, expired or revoked"));
    };
    attempt.succeeded();
    Ok((digest, grant))
}

/// Checks what somebody signs in to the console with, as a call of the API with it would be checked; also returns the state of
/// its cell.
///
/// # Errors
/// When it is no key and not the operator's token, or too many have failed.
pub async fn sign_in(state: &AppState, parts: &Parts, as_operator: bool) -> Result<(Credential, AppState)> {
    if !as_operator {
        let (caller, cell) = authenticate(parts, state, READ).await?;
        return Ok((Credential::Key(caller.tenant, caller.digest), cell));
    }
    authenticate_operator(parts, state)?;
    let operator = state.operator.ok_or(ApiError::Unauthorized("this is not the operator token"))?;
    Ok((Credential::Operator(operator.digest()), state.clone()))
}

/// The caller of the gateway, and the state of its cell: its key needs the scope `gateway`, or `read` and `write`.
///
/// # Errors
/// When the key is unknown, lacks the scope, or is beyond its rate, or its tenant is suspended.
pub async fn authenticate_for_gateway(
    state: &AppState,
    (key, peer): (&str, Option<Peer>),
    scope: &Scope,
) -> Result<(Caller, AppState)> {
    let mut request = Request::new(());
    let key = HeaderValue::from_str(key).map_err(|_| ApiError::Unauthorized("the key is no text"))?;
    request.headers_mut().insert(X_API_KEY, key);
    let extensions = request.extensions_mut();
    extensions.insert(scope.clone());
    extensions.insert(ByGateway::Caller);
    if let Some(peer) = peer {
        extensions.insert(peer);
    }
    let (caller, cell) = authenticate(&request.into_parts().0, state, WRITE).await?;
    if caller.scopes.iter().any(|held| held == READ) {
        Ok((caller, cell))
    } else {
        Err(ApiError::Forbidden(READ))
    }
}

/// Refuses a request whose key was revoked, or whose tenant was suspended, since it began. An operator's token does not change.
pub(crate) async fn check_again(state: &AppState, scope: &Scope) -> Result<()> {
    let Some(key) = scope.key() else { return Ok(()) };
    let state = scope.cell().map_or(state, |(_, cell)| cell);
    match state.store.find_key(*key, Line::InUse, state.clock.now()).await? {
        Some(grant) if grant.suspended => Err(ApiError::Suspended),
        Some(_) => Ok(()),
        None => Err(ApiError::Unauthorized("this API key was revoked a moment ago")),
    }
}

impl FromRequestParts<AppState> for Operator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self> {
        match parts.extensions.get::<SignedIn>() {
            None => authenticate_operator(parts, state)?,
            // A token that was changed since ends the sign-ins with the one before.
            Some(SignedIn::Operator(digest))
                if state.operator.is_some_and(|operator| operator.is_digest(digest)) => {}
            Some(SignedIn::Operator(_) | SignedIn::Key(_)) => {
                return Err(ApiError::Unauthorized("sign in with the operator token"));
            }
        }
        Ok(Self { state: state_of_path(parts, state).await? })
    }
}

/// The state of the cell that has the tenant of a path; that of the home cell for any other path.
async fn state_of_path(parts: &Parts, state: &AppState) -> Result<AppState> {
    let tenant = parts.uri.path().strip_prefix(TENANTS).and_then(|rest| rest.split('/').next());
    let Some(tenant) = tenant.and_then(TenantId::parse) else { return Ok(state.clone()) };
    let Some(cell) = state.cell_of(tenant).await? else { return Ok(state.clone()) };
    if let Some(scope) = parts.extensions.get::<Scope>() {
        scope.set_cell(tenant, cell.clone());
    }
    Ok(cell)
}

/// Checks the operator token of a request.
fn authenticate_operator(parts: &Parts, state: &AppState) -> Result<()> {
    let token = credential(
        parts,
        "send the operator token, as `Authorization: Bearer OPERATOR_TOKEN` or `x-api-key: OPERATOR_TOKEN`",
    )?;
    let attempt = state.admission.guesses.begin(parts, token)?;
    if state.operator.is_some_and(|operator| operator.matches(token)) {
        attempt.succeeded();
        return Ok(());
    }
    state.store.count_refused_operator();
    Err(attempt.failed("this is not the operator token"))
}
