//! Stored replies for idempotency keys: one row per tenant, route and key, committed with the effect of the request.

use std::time::Duration;

use serde_json::{Map, Value};

use super::error::expect_rows;
use crate::prelude::*;

/// A request with an idempotency key: the tenant, the route, the key, and a digest of the body.
#[derive(Clone, Debug)]
pub struct ReplyKey {
    /// The tenant of the caller.
    pub tenant: TenantId,
    /// Method and path as requested.
    pub route: String,
    /// The caller's key.
    pub key: String,
    /// SHA-256 of the body.
    pub body_digest: [u8; 32],
}

/// A stored reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReply {
    /// Its status.
    pub status: u16,
    /// The headers that are sent again, by lower-case name.
    pub headers: Vec<(String, String)>,
    /// Its body, as text.
    pub body: String,
}

/// The state of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyLookup {
    /// The key is new; this request holds it until its transaction ends.
    First,
    /// The first request is still running.
    InFlight,
    /// The key was used with another body.
    OtherBody,
    /// The stored reply to the same request.
    Reply(StoredReply),
}

impl Store {
    /// Takes a key for the length of the transaction, or finds how it was used before.
    ///
    /// An advisory lock prevents a second request from running at the same time; unlike a row, it does not outlive a
    /// crash. The primary key of the replies is the second guard.
    ///
    ///
    /// # Errors
    /// When the database fails, a stored reply does not parse, or no more replies of the tenant may be kept.
    pub async fn claim_reply(&self, tx: &mut Tx, key: &ReplyKey) -> Result<ReplyLookup> {
        // Look before taking the lock: a replay needs no lock.
        if let Some(known) = find(tx, key).await? {
            return Ok(known);
        }
        if !lock(tx, key).await? {
            return Ok(ReplyLookup::InFlight);
        }
        // Look again: this snapshot is newer than the lock.
        if let Some(known) = find(tx, key).await? {
            return Ok(known);
        }
        self.require_reply_room(tx, key.tenant).await?;
        Ok(ReplyLookup::First)
    }

    /// Finds how a key was used before, without taking it; `None` when it was not used.
    pub async fn find_reply(&self, key: &ReplyKey) -> Result<Option<ReplyLookup>> {
        let mut tx = self.begin(key.tenant).await?;
        find(&mut tx, key).await
    }

    /// Stores a reply; it commits with the transaction. It replaces an earlier reply for the same key: a call that
    /// waits for its result has already committed a first reply.
    pub async fn keep_reply(
        &self,
        tx: &mut Tx,
        key: &ReplyKey,
        session: Option<SessionId>,
        reply: &StoredReply,
    ) -> Result<()> {
        let headers: Map<String, Value> =
            reply.headers.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        let session: Option<Uuid> = session.map(|id| id.0);
        let status = i16::try_from(reply.status).unwrap_or(500);
        let done = sqlx::query!(
            "insert into idempotency_keys (tenant_id, route, key, session_id, body_digest, status, reply, headers)
             values ($1, $2, $3, $4, $5, $6, $7, $8::text::json)
             on conflict (tenant_id, route, key) do update
             set session_id = excluded.session_id, body_digest = excluded.body_digest, status = excluded.status,
                 reply = excluded.reply, headers = excluded.headers, created_at = now()",
            key.tenant.0,
            key.route,
            key.key,
            session,
            key.body_digest.as_slice(),
            status,
            reply.body,
            Value::Object(headers).to_string()
        )
        .execute(&mut **tx)
        .await?;
        self.count_replies(key.tenant, 1);
        expect_rows("keep_reply", 1, done.rows_affected())
    }
}

/// How a key was used within the last day.
async fn find(tx: &mut Tx, key: &ReplyKey) -> Result<Option<ReplyLookup>> {
    let row = sqlx::query!(
        r#"select body_digest, status, reply, headers::text as "headers!" from idempotency_keys i
           where tenant_id = $1 and route = $2 and key = $3 and created_at > now() - interval '24 hours'
             -- Replies of an erased session are deleted in steps.
             and (session_id is null
                  or exists (select from sessions s
                             where s.tenant_id = i.tenant_id and s.id = i.session_id and s.dropped_at is null))"#,
        key.tenant.0,
        key.route,
        key.key
    )
    .fetch_optional(&mut **tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    if row.body_digest != key.body_digest {
        return Ok(Some(ReplyLookup::OtherBody));
    }
    let corrupt = |column, reason: String| {
        StoreError::corrupt("idempotency_keys", column, format!("{} {}", key.tenant.0, key.route), reason)
    };
    let headers: Map<String, Value> =
        serde_json::from_str(&row.headers).map_err(|error| corrupt("headers", error.to_string()))?;
    let headers = headers
        .into_iter()
        .filter_map(|(name, value)| value.as_str().map(|value| (name, value.to_owned())))
        .collect();
    let status = u16::try_from(row.status).map_err(|error| corrupt("status", error.to_string()))?;
    Ok(Some(ReplyLookup::Reply(StoredReply { status, headers, body: row.reply })))
}

/// Takes the key's lock for the length of the transaction; returns `false` when another request holds it.
///
/// It tries several times: a rejected request releases the lock only after its rollback, a moment after its reply,
/// and a caller that retries at once must not get a conflict.
async fn lock(tx: &mut Tx, key: &ReplyKey) -> Result<bool> {
    let name = format!("{} {} {}", key.tenant.0, key.route, key.key);
    for pause_ms in [5, 20, 50, 0] {
        let locked = sqlx::query_scalar!(
            r#"select pg_try_advisory_xact_lock(hashtextextended($1, 7263)) as "locked!""#,
            name
        )
        .fetch_one(&mut **tx)
        .await?;
        if locked {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
    }
    Ok(false)
}
