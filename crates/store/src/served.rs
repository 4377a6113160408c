//! Contexts that were served: noted in memory, and written once a second, so that no read waits for it.
//!
//! A note is what it takes to build the context again: the newest message, the version and the parameters, with a digest of
//! what was sent, by which it is known whether the one that is built again is the same. A crash loses the newest second.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;

use super::bulkhead::Share;
use super::sessions;
use crate::prelude::*;
use anchord_messages::shape::hex;

/// The most notes that wait to be written; beyond it new ones are lost, and counted as such.
const MOST_WAITING: usize = 20_000;
/// The most notes of one transaction.
const BATCH: usize = 256;
/// How many notes of a session are kept, the newest.
const KEPT: i64 = 2_000;
/// One note in so many has the older ones of its session removed.
const TRIMMED: u8 = 32;
/// How often a note is tried whose session is locked.
const TRIES: u8 = 5;

/// The parameters of a request for a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ServedParameters)]
pub struct Parameters {
    /// The conversation format.
    #[schema(value_type = anchord_messages::format::Format)]
    pub format: String,
    /// The budget.
    pub max_input_tokens: u32,
    /// Whether current task, open errors and next steps came once more at the end.
    pub recap: bool,
    /// The marks for Anthropic's cache, when it was asked with any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<String>,
    /// The revision of pins, notes and settings.
    pub context_revision: i64,
}

/// Tokens of a context that was served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServedTokens {
    /// All of them.
    pub total: u32,
    /// System prompt, pins and kept messages.
    pub system: u32,
    /// The summary.
    pub summary: u32,
    /// The digest.
    pub digest: u32,
    /// The agent's notes.
    pub notes: u32,
    /// Messages, tool outputs aside.
    pub messages: u32,
    /// Tool outputs.
    pub tool_outputs: u32,
    /// Tokens of all messages and pins, as if nothing had been left out.
    pub whole: u64,
    /// Tokens that the context before began with, too, which a provider's cache can have; as far as the process knew that context.
    pub cached: u32,
    /// Tokens behind them that came since. The rest was sent before, behind something that has changed.
    pub new: u32,
}

/// A context that was served.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ServedContext)]
pub struct Served {
    /// Its id.
    pub id: Uuid,
    /// When it was served.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub served_at: DateTime<Utc>,
    /// The newest message at that moment.
    pub head_seq: Seq,
    /// The summary version that it showed; null without one.
    #[schema(required = true)]
    pub version: Option<i64>,
    /// The parameters of its request, with defaults resolved.
    #[serde(flatten)]
    pub parameters: Parameters,
    /// Its tokens.
    pub tokens: ServedTokens,
    /// SHA-256 in hex over `system` as JSON, when there is one, and the JSON of each message, each with a line feed behind it.
    #[serde(serialize_with = "in_hex")]
    #[schema(value_type = String)]
    pub sha256: [u8; 32],
}

fn in_hex<S: serde::Serializer>(digest: &[u8; 32], to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_str(&hex(digest, digest.len()))
}

#[derive(Clone, Debug)]
struct Waiting {
    key: SessionKey,
    served: Served,
    tries: u8,
}

/// The notes that wait; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct ServedNotes {
    waiting: Arc<Mutex<Vec<Waiting>>>,
    flushing: Arc<tokio::sync::Mutex<()>>,
}

impl ServedNotes {
    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        // The list is valid at every point.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, notes: impl IntoIterator<Item = Waiting>) {
        let mut waiting = self.waiting();
        for note in notes {
            if waiting.len() < MOST_WAITING {
                waiting.push(note);
            } else {
                metrics::counter!("anchord_served_contexts_unnoted_total").increment(1);
            }
        }
    }
}

impl Store {
    /// Notes a context that was served, under a new id. It locks a list for the length of a push.
    pub fn note_served(&self, key: SessionKey, served: Served) {
        let served = Served { id: Uuid::now_v7(), ..served };
        self.served.put([Waiting { key, served, tries: 0 }]);
    }

    /// Writes the notes that wait. A note that cannot be written is tried again, a few times.
    pub async fn flush_served(&self) -> Result<()> {
        let _one = self.served.flushing.lock().await;
        let taken = std::mem::take(&mut *self.served.waiting());
        let mut by_tenant: BTreeMap<TenantId, Vec<Waiting>> = BTreeMap::new();
        for note in taken {
            by_tenant.entry(note.key.tenant).or_default().push(note);
        }
        let mut failed = None;
        for (tenant, notes) in by_tenant {
            for batch in notes.chunks(BATCH) {
                let left = match self.write_served(tenant, batch).await {
                    Ok(left) => left,
                    Err(error) => {
                        failed = Some(error);
                        batch.to_vec()
                    }
                };
                let again = left.into_iter().map(|note| Waiting { tries: note.tries + 1, ..note });
                self.served.put(again.filter(|note| note.tries < TRIES));
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Writes a batch; returns what has to wait, because a request has locked its session, or the session is gone.
    async fn write_served(&self, tenant: TenantId, batch: &[Waiting]) -> Result<Vec<Waiting>> {
        // Notes are not worth waiting for the disk, nor for a lock.
        let settings = "; set local synchronous_commit = off; set local lock_timeout = '200ms'";
        let mut tx = self.begin_with(Share::default(), tenant, ["begin", settings]).await?;
        let json = |value: std::result::Result<String, serde_json::Error>| {
            value.map_err(|error| StoreError::corrupt("served_contexts", "parameters", tenant.0, error))
        };
        let mut parameters = Vec::with_capacity(batch.len());
        let mut tokens = Vec::with_capacity(batch.len());
        for note in batch {
            parameters.push(json(serde_json::to_string(&note.served.parameters))?);
            tokens.push(json(serde_json::to_string(&note.served.tokens))?);
        }
        let column = |of: fn(&Waiting) -> Uuid| batch.iter().map(of).collect::<Vec<_>>();
        let (ids, sessions) = (column(|note| note.served.id), column(|note| note.key.id.0));
        let at: Vec<DateTime<Utc>> = batch.iter().map(|note| note.served.served_at).collect();
        let heads: Vec<i64> = batch.iter().map(|note| note.served.head_seq).collect();
        // A version is never 0.
        let versions: Vec<i64> = batch.iter().map(|note| note.served.version.unwrap_or_default()).collect();
        let digests: Vec<Vec<u8>> = batch.iter().map(|note| note.served.sha256.to_vec()).collect();
        let written = sqlx::query_scalar!(
            r#"with held as materialized (
                 select s.id from sessions s where s.tenant_id = $1 and s.id = any($3)
                 order by s.id for key share of s skip locked
               )
               insert into served_contexts (tenant_id, session_id, id, served_at, head_seq, version, parameters, tokens, sha256)
               select $1, n.session_id, n.id, n.served_at, n.head_seq, nullif(n.version, 0), n.parameters::json,
                      n.tokens::json, n.sha256
               from unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::text[], $8::text[],
                           $9::bytea[])
                 as n(id, session_id, served_at, head_seq, version, parameters, tokens, sha256)
               join held on held.id = n.session_id
               returning id"#,
            tenant.0,
            &ids,
            &sessions,
            &at,
            &heads,
            &versions,
            &parameters,
            &tokens,
            &digests
        )
        .fetch_all(&mut *tx)
        .await?;
        let trimmed =
            |note: &&Waiting| note.served.id.as_bytes().last().is_some_and(|last| last % TRIMMED == 0);
        let full: BTreeSet<Uuid> = batch.iter().filter(trimmed).map(|note| note.key.id.0).collect();
        for session in full {
            sqlx::query!(
                "delete from served_contexts where tenant_id = $1 and session_id = $2
                 and id <= (select id from served_contexts where tenant_id = $1 and session_id = $2
                            order by id desc offset $3 limit 1)",
                tenant.0,
                session,
                KEPT
            )
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(batch.iter().filter(|note| !written.contains(&note.served.id)).cloned().collect())
    }

    /// Lists the contexts that a session was served, newest first; `None` when there is no such session.
    pub async fn list_served(
        &self,
        tenant: TenantId,
        name: &SessionRef,
        (before, limit): (Option<Uuid>, i64),
    ) -> Result<Option<Vec<Served>>> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(session) = sessions::find(&mut tx, tenant, name).await? else { return Ok(None) };
        let rows = sqlx::query!(
            r#"select id, served_at, head_seq, version, parameters::text as "parameters!", tokens::text as "tokens!", sha256
               from served_contexts
               where tenant_id = $1 and session_id = $2 and ($3::uuid is null or id < $3)
               order by id desc limit $4"#,
            tenant.0,
            session.id.0,
            before,
            limit
        )
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        let mut read = Vec::with_capacity(rows.len());
        for row in rows {
            let corrupt =
                |column, error: String| StoreError::corrupt("served_contexts", column, row.id, error);
            read.push(Served {
                id: row.id,
                served_at: row.served_at,
                head_seq: row.head_seq,
                version: row.version,
                parameters: serde_json::from_str(&row.parameters)
                    .map_err(|error| corrupt("parameters", error.to_string()))?,
                tokens: serde_json::from_str(&row.tokens)
                    .map_err(|error| corrupt("tokens", error.to_string()))?,
                sha256: <[u8; 32]>::try_from(row.sha256.as_slice())
                    .map_err(|error| corrupt("sha256", error.to_string()))?,
            });
        }
        Ok(Some(read))
    }
}
