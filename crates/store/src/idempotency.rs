//! Replies that are replayed: one row per tenant, route and key, committed with the effect.

use std::time::Duration;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::error::expect_rows;
use super::{Store, StoreError, Tx};
use anchord_messages::id::{SessionId, TenantId};

/// What a caller's key names: a route of its tenant, the key, and the body that came with it.
#[derive(Clone, Debug)]
pub struct ReplyKey {
    /// Whose key it is.
    pub tenant: TenantId,
    /// Method and path as requested.
    pub route: String,
    /// The caller's key.
    pub key: String,
    /// SHA-256 of the body.
    pub body_digest: [u8; 32],
}

/// A reply as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReply {
    /// Its status.
    pub status: u16,
    /// Its headers that matter, by lower-case name.
    pub headers: Vec<(String, String)>,
    /// Its body, as text.
    pub body: String,
}

/// What is known of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyLookup {
    /// Nothing: the request is the first one, and holds the key until its transaction ends.
    First,
    /// The first request still runs.
    InFlight,
    /// The key was used with another body.
    OtherBody,
    /// The reply to the same request.
    Reply(StoredReply),
}

impl Store {
    /// Takes a key for the length of the transaction, or finds what came of it.
    ///
    /// The advisory lock keeps a second request from running beside the first without a row that a
    /// crash would leave behind; the primary key is the guard behind it.
    ///
    /// # Errors
    /// When the database fails, or a stored reply does not read back.
    pub async fn claim_reply(&self, tx: &mut Tx, key: &ReplyKey) -> Result<ReplyLookup, StoreError> {
        // Looked up before the lock: a replay needs none.
        if let Some(known) = find(tx, key).await? {
            return Ok(known);
        }
        if !lock(tx, key).await? {
            return Ok(ReplyLookup::InFlight);
        }
        // Again, in a snapshot that is younger than the lock.
        Ok(find(tx, key).await?.unwrap_or(ReplyLookup::First))
    }

    /// Finds what came of a key, without taking it; `None` when nothing is known.
    ///
    /// # Errors
    /// When the database fails, or a stored reply does not read back.
    pub async fn find_reply(&self, key: &ReplyKey) -> Result<Option<ReplyLookup>, StoreError> {
        let mut tx = self.begin(key.tenant).await?;
        find(&mut tx, key).await
    }

    /// Keeps a reply; it commits with the transaction. A later one for the same key replaces it, which
    /// a call does that waited for its result after it had committed its start.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keep_reply(
        &self,
        tx: &mut Tx,
        key: &ReplyKey,
        session: Option<SessionId>,
        reply: &StoredReply,
    ) -> Result<(), StoreError> {
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
        expect_rows("keep_reply", 1, done.rows_affected())
    }
}

/// What is known of a key that was used within the last day.
async fn find(tx: &mut Tx, key: &ReplyKey) -> Result<Option<ReplyLookup>, StoreError> {
    let row = sqlx::query!(
        r#"select body_digest, status, reply, headers::text as "headers!" from idempotency_keys
           where tenant_id = $1 and route = $2 and key = $3 and created_at > now() - interval '24 hours'"#,
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

impl Store {
    /// Removes the replies that are too old to be replayed, over all tenants; gives how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_old_replies(&self) -> Result<i64, StoreError> {
        let gone = sqlx::query_scalar!("select forget_old_replies()").fetch_one(&self.pool).await?;
        Ok(gone.unwrap_or_default())
    }
}

/// Takes the key's lock for the length of the transaction; false when another request holds it.
///
/// A request that was refused lets go only once its connection has rolled back, which is a moment
/// after its reply, so a caller that comes back at once is not told that it still runs.
async fn lock(tx: &mut Tx, key: &ReplyKey) -> Result<bool, StoreError> {
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
