//! Reads a session for an export, page by page: everything that its caller stored, and every version.

use super::audit::{self, Actor};
use super::pins::read as pins;
use super::sessions::{self, Session};
use super::{ledger, notes, probes, todos};
use crate::prelude::*;
use anchord_context::note::Note;
use anchord_context::pin::Pin;
use anchord_facts::todo::Todo;
use anchord_record::parts::StoredSummary;

/// The most bytes of message bodies on one page; a page always has its first message, however large.
const PAGE_BYTES: i64 = 4 * 1024 * 1024;
/// The most messages on one page.
const PAGE_ROWS: i64 = 500;
/// The most versions on one page.
const PAGE_VERSIONS: i64 = 20;

/// A session without its messages and versions.
#[derive(Clone, Debug)]
pub struct ExportHead {
    /// The session, with its newest message and version in the same snapshot.
    pub session: Session,
    /// Its own pins.
    pub pins: Vec<Pin>,
    /// The agent's notes.
    pub notes: Vec<Note>,
    /// The caller's todo list.
    pub todos: Vec<Todo>,
    /// Extracted constraints that the caller dropped.
    pub dropped_entries: Vec<String>,
    /// The caller's own probes, as JSON texts.
    pub probes: Vec<String>,
}

/// A message with the caller's marks.
#[derive(Clone, Debug)]
pub struct ExportedMessage {
    /// Its position.
    pub seq: Seq,
    /// The conversation format it came in.
    pub format: String,
    /// The role of the speaker.
    pub role: String,
    /// Its tokens.
    pub tokens: i32,
    /// The caller's mark: `never`. Messages to keep are named in the session.
    pub keep: Option<String>,
    /// The caller's component.
    pub component: Option<String>,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// The JSON text as sent.
    pub body: String,
}

impl Store {
    /// Reads a session without its messages and versions, and records the export in the audit log; `None` when there is
    /// no such session.
    ///
    /// # Errors
    /// When the database fails or a row does not parse.
    pub async fn export_head(
        &self,
        tenant: TenantId,
        name: &SessionRef,
        actor: Actor,
    ) -> Result<Option<ExportHead>> {
        let mut tx = self.writable_snapshot(tenant).await?;
        let Some(session) = sessions::find(&mut tx, tenant, name).await? else { return Ok(None) };
        let pins = pins::list(&mut tx, session.id.of(tenant)).await?;
        let notes = notes::list(&mut tx, session.id.of(tenant)).await?;
        let todos = todos::find(&mut tx, session.id.of(tenant)).await?.unwrap_or_default().items;
        let removed = ledger::list_dropped_entries(&mut tx, session.id.of(tenant)).await?;
        let probes = probes::list_callers(&mut tx, session.id.of(tenant)).await?;
        audit::record(&mut tx, tenant, actor, "session.exported", session.id.0).await?;
        tx.commit().await?;
        Ok(Some(ExportHead {
            session,
            pins,
            notes: notes.into_iter().map(|stored| stored.note).collect(),
            todos,
            dropped_entries: removed.into_iter().collect(),
            probes,
        }))
    }

    /// Reads the next page of messages after one position and up to another; empty when there are no more, or the
    /// session is gone.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn export_messages(
        &self,
        key: SessionKey,
        (after, to): (Seq, Seq),
    ) -> Result<Vec<ExportedMessage>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let rows = sqlx::query_as!(
            ExportedMessage,
            r#"select seq, format, role, tokens, keep, component, created_at, body as "body!"
               from (
                 select m.seq, m.format, m.role, m.tokens, m.keep, m.component, m.created_at, m.body,
                        sum(octet_length(m.body)) over (order by m.seq) - octet_length(m.body) as bytes_before
                 -- Of a session that was erased meanwhile there is none.
                 from lineage($1, $2, $3::bigint + 1, least($4, $3 + $5)) owner
                 cross join lateral (
                   select x.* from messages x
                   where x.tenant_id = $1 and x.session_id = owner.session_id
                     and x.seq between owner.first_seq and owner.last_seq
                   order by x.seq limit $5
                 ) m
                 order by m.seq limit $5
               ) page
               where bytes_before < $6
               order by seq"#,
            key.tenant.0,
            key.id.0,
            after,
            to,
            PAGE_ROWS,
            PAGE_BYTES
        )
        .fetch_all(&mut *tx)
        .await?;
        Ok(rows)
    }

    /// Reads the next page of versions after a number: number, metadata and record, as JSON texts.
    ///
    /// # Errors
    /// When the database fails or a record does not parse.
    pub async fn export_versions(&self, key: SessionKey, after: i64) -> Result<Vec<(i64, String, String)>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let rows = sqlx::query!(
            r#"select v.version as "version!", v.meta::text as "meta!", v.document::text as "document!", v.parts as "parts!",
                      read_parts(v.tenant_id, v.session_id, v.parts) as "texts!"
               -- Of a session that was erased meanwhile there is none.
               from version_lineage($1, $2) owner
               cross join lateral (
                 select x.* from summaries x
                 where x.tenant_id = $1 and x.session_id = owner.session_id
                   and x.version > greatest($3, owner.after_version) and x.version <= owner.through_version
                 order by x.version limit $4
               ) v
               order by v.version limit $4"#,
            key.tenant.0,
            key.id.0,
            after,
            PAGE_VERSIONS
        )
        .fetch_all(&mut *tx)
        .await?;
        let corrupt = |version, error: serde_json::Error| {
            StoreError::corrupt("summaries", "document", format!("{} {version}", key.id.0), error)
        };
        rows.into_iter()
            .map(|row| {
                let record = StoredSummary { document: row.document, parts: row.parts, texts: row.texts };
                let whole = record.summary().and_then(|summary| serde_json::to_string(&summary));
                Ok((row.version, row.meta, whole.map_err(|error| corrupt(row.version, error))?))
            })
            .collect()
    }
}
