//! `Idempotency-Key`: a request is done once, and a repeated one gets the same reply.
//!
//! A handler claims the key first in its transaction, and stores its reply last before the commit, so that effect and
//! reply commit together. Rejections are not stored: they have no effect that a retry could repeat, and their reason
//! may be gone by then.

use std::fmt::Write as _;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::extract::params::{BRANCH, branch_of};
use crate::problem::{ApiError, Result};
use anchord_messages::id::{SessionId, TenantId};
use anchord_store::idempotency::{ReplyKey, ReplyLookup, StoredReply};
use anchord_store::{Store, Tx};

/// The header's name.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The header of a reply that is the stored one of an earlier request.
pub const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// The most characters of a key.
pub const MAX_KEY_CHARS: usize = 255;

/// The caller's key, if it sent one, and the route of the request.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    route: String,
    key: Option<String>,
}

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let mut route = format!("{} {}", parts.method, parts.uri.path());
        // The same request to another branch is another one.
        if let Some(branch) = branch_of(parts.uri.query().unwrap_or_default())? {
            write!(route, "?{BRANCH}={branch}").map_err(ApiError::internal)?;
        }
        let mut values = parts.headers.get_all(IDEMPOTENCY_KEY).iter();
        let Some(value) = values.next() else { return Ok(Self { route, key: None }) };
        // Whoever takes the other one would do the request again.
        if values.next().is_some() {
            let detail = "the header Idempotency-Key is sent more than once; nothing was done";
            return Err(ApiError::BadRequest(detail.to_owned()));
        }
        let key = value.to_str().ok().filter(|key| is_key(key)).ok_or_else(|| {
            ApiError::parameter("Idempotency-Key", "must have 1 to 255 visible ASCII characters")
        })?;
        Ok(Self { route, key: Some(key.to_owned()) })
    }
}

fn is_key(text: &str) -> bool {
    (1..=MAX_KEY_CHARS).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
}

impl IdempotencyKey {
    /// Whether the caller sent a key.
    pub fn is_present(&self) -> bool {
        self.key.is_some()
    }

    /// The key itself, when the caller sent one.
    pub fn as_str(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// The key as the store identifies it; `None` when the caller sent none.
    pub fn reply_key(&self, tenant: TenantId, body_digest: [u8; 32]) -> Option<ReplyKey> {
        let key = self.key.clone()?;
        Some(ReplyKey { tenant, route: self.route.clone(), key, body_digest })
    }

    /// Finds the stored reply for the key without claiming it, so that a replay need not decide anything.
    ///
    /// # Errors
    /// When the key was used with another body.
    pub async fn find_reply(
        &self,
        store: &Store,
        tenant: TenantId,
        body_digest: [u8; 32],
    ) -> Result<Option<KeptReply>> {
        let Some(key) = self.reply_key(tenant, body_digest) else { return Ok(None) };
        match store.find_reply(&key).await? {
            None | Some(ReplyLookup::First | ReplyLookup::InFlight) => Ok(None),
            Some(ReplyLookup::OtherBody) => Err(ApiError::IdempotencyMismatch),
            Some(ReplyLookup::Reply(stored)) => Ok(Some(KeptReply { reply: stored, is_replay: true })),
        }
    }

    /// Claims the key of a request that concerns a tenant, for the length of the transaction.
    ///
    /// # Errors
    /// When the key was used with another body, or its first request still runs.
    pub async fn claim(
        &self,
        store: &Store,
        tx: &mut Tx,
        tenant: TenantId,
        body_digest: [u8; 32],
    ) -> Result<Claim> {
        let Some(key) = self.reply_key(tenant, body_digest) else { return Ok(Claim::First(Claimed(None))) };
        match store.claim_reply(tx, &key).await? {
            ReplyLookup::First => Ok(Claim::First(Claimed(Some(key)))),
            ReplyLookup::InFlight => Err(ApiError::IdempotencyInFlight),
            ReplyLookup::OtherBody => Err(ApiError::IdempotencyMismatch),
            ReplyLookup::Reply(stored) => Ok(Claim::Replay(KeptReply { reply: stored, is_replay: true })),
        }
    }
}

/// Whether the request is the first one with its key.
#[derive(Debug)]
pub enum Claim {
    /// It is the first, or has no key.
    First(Claimed),
    /// An earlier request was answered; send the same reply.
    Replay(KeptReply),
}

/// The claim of a first request; a repeated one ends the handler with the stored reply.
macro_rules! first_or_replay {
    ($claim:expr) => {
        match $claim {
            $crate::extract::idempotency::Claim::Replay(reply) => return Ok(reply),
            $crate::extract::idempotency::Claim::First(claimed) => claimed,
        }
    };
}

pub(crate) use first_or_replay;

/// A claimed key, whose reply is not stored yet.
#[derive(Debug)]
pub struct Claimed(Option<ReplyKey>);

impl Claimed {
    /// Stores the reply in the transaction of the effect. A second call, in a later transaction, replaces it.
    pub async fn keep(
        &self,
        store: &Store,
        tx: &mut Tx,
        session: Option<SessionId>,
        reply: &KeptReply,
    ) -> Result<()> {
        if let Some(key) = &self.0 {
            store.keep_reply(tx, key, session, &reply.reply).await?;
        }
        Ok(())
    }

    /// Stores the reply, commits the effect with it, and returns it.
    pub async fn commit(
        &self,
        store: &Store,
        mut tx: Tx,
        session: Option<SessionId>,
        reply: KeptReply,
    ) -> Result<KeptReply> {
        self.keep(store, &mut tx, session, &reply).await?;
        tx.commit().await?;
        Ok(reply)
    }

    /// Replaces the stored reply by the one that the caller waited for. It may fail, as when the session was erased
    /// meanwhile: then a retry gets the first reply, or starts anew.
    pub async fn keep_later(&self, store: &Store, session: SessionId, reply: &KeptReply) {
        let Some(key) = &self.0 else { return };
        let kept = async {
            let mut tx = store.begin(key.tenant).await?;
            store.keep_reply(&mut tx, key, Some(session), &reply.reply).await?;
            tx.commit().await
        };
        if let Err(error) = kept.await {
            tracing::warn!(%error, "idempotency.reply_not_replaced");
        }
    }
}

/// A reply that can be stored and sent again, byte for byte; a replay has the header [`IDEMPOTENT_REPLAYED`] beside it.
#[derive(Clone, Debug)]
pub struct KeptReply {
    reply: StoredReply,
    is_replay: bool,
}

impl KeptReply {
    /// Makes a JSON reply.
    pub fn json<T: Serialize>(status: StatusCode, value: &T) -> Result<Self> {
        let body = serde_json::to_string(value).map_err(ApiError::internal)?;
        let headers = vec![(header::CONTENT_TYPE.to_string(), "application/json".to_owned())];
        Ok(Self { reply: StoredReply { status: status.as_u16(), headers, body }, is_replay: false })
    }

    /// Replaces the status.
    pub fn at(mut self, status: StatusCode) -> Self {
        self.reply.status = status.as_u16();
        self
    }

    /// Adds a header.
    pub fn with(mut self, name: &HeaderName, value: impl Into<String>) -> Self {
        self.reply.headers.push((name.to_string(), value.into()));
        self
    }
}

impl IntoResponse for KeptReply {
    fn into_response(self) -> Response {
        let Self { reply, is_replay } = self;
        let mut response = Response::new(Body::from(reply.body));
        *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
        for (name, value) in reply.headers {
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(&value)) {
                response.headers_mut().insert(name, value);
            }
        }
        if is_replay {
            response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}
