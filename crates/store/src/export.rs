//! Reads a session for an export, branch by branch and page by page: each branch with what is its own.

use std::str::FromStr;

use serde_json::value::RawValue;

use super::audit::{self, Actor};
use super::branches::MAX_BRANCHES;
use super::compressions::Kind;
use super::dump::{
    BegunWithDump, CompressionDump, EvaluationDump, FactDump, FactKind, ForkDump, NoteDump, PartDump,
    ProbeDump, TextDump, TodosDump, VersionDump,
};
use super::load::{self, Which};
use super::pins::read as pins;
use super::sessions::{self, Session};
use super::{ledger, todos};
use crate::prelude::*;
use anchord_context::pin::Pin;
use anchord_messages::id::{EvaluationId, ProbeId};
use anchord_session::compression::Status;
use anchord_session::settings::Settings;

/// The most bytes of message bodies on one page; a page always has its first message, however large.
const PAGE_BYTES: i64 = 4 * 1024 * 1024;
/// The most messages, facts or probes on one page.
const PAGE_ROWS: i64 = 500;
/// The most versions, evaluations or compressions on one page.
const PAGE_DOCUMENTS: i64 = 20;

/// A session that is exported, with its branches at one moment: those that come later are not in the export.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The session's name.
    pub name: SessionName,
    /// Its settings.
    pub settings: Settings,
    /// Its branches, main first, each after those that it stands on; with the names that the export gives them.
    pub branches: Vec<(SessionId, BranchName)>,
    /// The current one.
    pub current: BranchName,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// A branch without its messages and versions.
#[derive(Clone, Debug)]
pub struct ExportedBranch {
    /// Its state, with its newest message and version in the same snapshot; `None` when it is erased, and what others stand
    /// on is left of it.
    pub session: Option<Session>,
    /// Its first own message is the next one.
    pub from: Option<ForkDump>,
    /// The version that it began with.
    pub begun_with: Option<BegunWithDump>,
    /// Its own pins.
    pub pins: Vec<Pin>,
    /// The agent's notes, with what they were before.
    pub notes: Vec<NoteDump>,
    /// The caller's todo list.
    pub todos: Option<TodosDump>,
    /// Extracted constraints that the caller dropped.
    pub dropped_entries: Vec<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

impl ExportedBranch {
    /// Through which message and which version it is exported.
    pub fn bounds(&self) -> (Seq, i64) {
        self.session.as_ref().map_or((Seq::MAX, i64::MAX), |session| (session.head_seq, session.last_version))
    }
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
    /// Finds what a session's export has, and records the export in the audit log; `None` when there is no such session.
    pub async fn export(
        &self,
        tenant: TenantId,
        name: &SessionName,
        actor: Actor,
    ) -> Result<Option<Exported>> {
        let mut tx = self.writable_snapshot(tenant).await?;
        let of = SessionRef { name: name.clone(), branch: None };
        let Some(current) = sessions::find(&mut tx, tenant, &of).await? else { return Ok(None) };
        let rows = sqlx::query!(
            r#"select b.id as "id!", b.branch as "branch!", b.is_erased as "is_erased!", b.created_at as "created_at!" from (
                 (select x.id, x.branch, x.dropped_at is not null as is_erased, x.created_at from sessions x
                  where x.tenant_id = $1 and x.id = $2)
                 union all
                 (select y.id, y.branch, y.dropped_at is not null, y.created_at from sessions y
                  where y.root_id = $2 and y.tenant_id = $1 order by y.id limit $3)
               ) b"#,
            tenant.0,
            current.root.0,
            i64::from(MAX_BRANCHES)
        )
        .fetch_all(&mut *tx)
        .await?;
        let created_at = rows.first().map(|main| main.created_at).unwrap_or_default();
        let named = |row: (Uuid, String, bool)| {
            let hex = row.0.simple().to_string();
            // The name of an erased one is free for another; main's is not.
            let is_free = row.2 && row.1 != BranchName::MAIN;
            let name = if is_free { format!("erased-{}", hex.split_at(20).1) } else { row.1 };
            let name = BranchName::parse(&name)
                .map_err(|error| StoreError::corrupt("sessions", "branch", row.0, error))?;
            Ok::<_, StoreError>((SessionId(row.0), name))
        };
        let branches = rows
            .into_iter()
            .map(|row| named((row.id, row.branch, row.is_erased)))
            .collect::<Result<_, _>>()?;
        audit::record(&mut tx, tenant, actor, "session.exported", current.id.0).await?;
        tx.commit().await?;
        Ok(Some(Exported {
            name: current.name,
            settings: current.settings,
            branches,
            current: current.branch,
            created_at,
        }))
    }

    /// Reads a branch without its messages and versions; `None` when it is gone.
    pub async fn export_branch(
        &self,
        key: SessionKey,
        exported: &Exported,
    ) -> Result<Option<ExportedBranch>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let row = sqlx::query!(
            "select base_id, base_seq, version_base_id, base_version, created_at from sessions where tenant_id = $1 and id = $2",
            key.tenant.0,
            key.id.0
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let name_of = |id: Uuid| {
            let found = exported.branches.iter().find(|(known, _)| known.0 == id);
            let name = found.map(|(_, name)| name.clone());
            name.ok_or_else(|| StoreError::corrupt("sessions", "base_id", key.id.0, "its base is gone"))
        };
        let from =
            row.base_id.map(|id| Ok::<_, StoreError>(ForkDump { branch: name_of(id)?, seq: row.base_seq }));
        let begun_with = row
            .version_base_id
            .map(|id| Ok::<_, StoreError>(BegunWithDump { branch: name_of(id)?, version: row.base_version }));
        let loaded = load::load(&mut tx, key.tenant, Which::WithId(key.id)).await?;
        let notes = sqlx::query_as!(
            NoteDump,
            "select id, seq, body as text, created_at from notes where tenant_id = $1 and session_id = $2 order by id, seq",
            key.tenant.0,
            key.id.0
        )
        .fetch_all(&mut *tx)
        .await?;
        let list = todos::find(&mut tx, key).await?;
        let todos = list.and_then(|list| {
            Some(TodosDump {
                items: list.items,
                changes: list.changes,
                version: list.version,
                revision: list.revision,
                updated_at: list.updated_at?,
            })
        });
        Ok(Some(ExportedBranch {
            session: loaded.map(|loaded| loaded.session),
            from: from.transpose()?,
            begun_with: begun_with.transpose()?,
            pins: pins::list(&mut tx, key).await?,
            notes,
            todos,
            dropped_entries: ledger::list_dropped_entries(&mut tx, key).await?.into_iter().collect(),
            created_at: row.created_at,
        }))
    }

    /// Reads the next page of a branch's own messages after one position and up to another; empty when there are no more,
    /// or the session is gone.
    pub async fn export_messages(
        &self,
        key: SessionKey,
        (after, to): (Seq, Seq),
    ) -> Result<Vec<ExportedMessage>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let rows = sqlx::query_as!(
            ExportedMessage,
            r#"select seq, format, role, tokens, keep, component, created_at, body
               from (
                 select m.seq, m.format, m.role, m.tokens, m.keep, m.component, m.created_at, m.body,
                        sum(octet_length(m.body)) over (order by m.seq) - octet_length(m.body) as bytes_before
                 from (
                   select x.* from messages x
                   where x.tenant_id = $1 and x.session_id = $2 and x.seq > $3 and x.seq <= $4
                     -- Of a session that was erased meanwhile there is none.
                     and exists (select from sessions s where s.tenant_id = $1 and s.id = $2)
                   order by x.seq limit $5
                 ) m
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

    /// Reads the next page of a branch's own versions, with their numbers.
    pub async fn export_versions(
        &self,
        key: SessionKey,
        (after, to): (i64, i64),
    ) -> Result<Vec<(i64, VersionDump)>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let rows = sqlx::query!(
            r#"select v.version, v.meta::text as "meta!", v.document::text as "document!", v.parts, v.carry::text as "carry!",
                      v.rendering, v.rendering_tokens, v.smaller_renderings, v.smaller_tokens, v.recap, v.digest,
                      v.digest_tokens, v.head_seq, v.mask_upto, v.mask_from, v.carried_seq, v.compression_id, v.created_at,
                      new.ids as "ids!", new.entries as "entries!"
               from summaries v
               cross join lateral (
                 select coalesce(array_agg(p.id order by p.id), '{}') as ids,
                        coalesce(array_agg(p.entries order by p.id), '{}') as entries
                 from record_parts p
                 where p.tenant_id = $1 and p.session_id = $2 and p.id >= v.version << 20 and p.id < (v.version + 1) << 20
               ) new
               where v.tenant_id = $1 and v.session_id = $2 and v.version > $3 and v.version <= $4
               order by v.version limit $5"#,
            key.tenant.0,
            key.id.0,
            after,
            to,
            PAGE_DOCUMENTS
        )
        .fetch_all(&mut *tx)
        .await?;
        let read = rows.into_iter().map(|row| {
            let raw = |column, text| raw(("summaries", column), key, text);
            let parts = row.ids.into_iter().zip(row.entries);
            let parts = parts.map(|(id, entries)| Ok(PartDump { id, entries: raw("parts", entries)? }));
            let smaller = row.smaller_renderings.into_iter().zip(row.smaller_tokens);
            let dump = VersionDump {
                meta: raw("meta", row.meta)?,
                document: raw("document", row.document)?,
                parts: row.parts,
                new_parts: parts.collect::<Result<_>>()?,
                carry: raw("carry", row.carry)?,
                rendering: TextDump { text: row.rendering, tokens: row.rendering_tokens },
                smaller: smaller.map(|(text, tokens)| TextDump { text, tokens }).collect(),
                recap: row.recap,
                digest: row
                    .digest
                    .map(|text| TextDump { text, tokens: row.digest_tokens.unwrap_or_default() }),
                head_seq: row.head_seq,
                mask_upto: row.mask_upto,
                mask_from: u32::try_from(row.mask_from).unwrap_or(u32::MAX),
                carried_seq: row.carried_seq,
                compression_id: row.compression_id.map(CompressionId),
                created_at: row.created_at,
            };
            Ok((row.version, dump))
        });
        read.collect()
    }

    /// Reads the next page of a branch's own commands and test runs.
    pub async fn export_facts(
        &self,
        key: SessionKey,
        (after, to): (Option<(FactKind, Seq, i32)>, Seq),
    ) -> Result<Vec<FactDump>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let (kind, seq, ordinal) = after.unwrap_or((FactKind::Command, 0, 0));
        let rows = sqlx::query_as!(
            FactDump,
            r#"select kind as "kind: FactKind", first_seq as seq, ordinal, value as "value: Box<RawValue>" from ledger_entries
               where tenant_id = $1 and session_id = $2 and (kind, first_seq, ordinal) > ($3, $4, $5) and first_seq <= $6
               order by kind, first_seq, ordinal limit $7"#,
            key.tenant.0,
            key.id.0,
            kind.as_ref(),
            seq,
            ordinal,
            to,
            PAGE_ROWS
        )
        .fetch_all(&mut *tx)
        .await?;
        Ok(rows)
    }

    /// Reads the next page of a branch's own probes, up to a version.
    pub async fn export_probes(
        &self,
        key: SessionKey,
        (after, version): (Option<ProbeId>, i64),
    ) -> Result<Vec<ProbeDump>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let rows = sqlx::query_as!(
            ProbeDump,
            r#"select id as "id: ProbeId", version,
                      case when retired_in_version <= $4 then retired_in_version end as retired_in_version,
                      probe as "probe: Box<RawValue>", created_at
               from probes
               where tenant_id = $1 and session_id = $2 and id > $3 and coalesce(version, 0) <= $4
               order by id limit $5"#,
            key.tenant.0,
            key.id.0,
            after.map_or(Uuid::nil(), |id| id.0),
            version,
            PAGE_ROWS
        )
        .fetch_all(&mut *tx)
        .await?;
        Ok(rows)
    }

    /// Reads the next page of a branch's own evaluations, up to a version.
    pub async fn export_evaluations(
        &self,
        key: SessionKey,
        (after, version): (Option<EvaluationId>, i64),
    ) -> Result<Vec<EvaluationDump>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let rows = sqlx::query_as!(
            EvaluationDump,
            r#"select id as "id: EvaluationId", version, compression_id as "compression_id: CompressionId",
                      scores as "scores: Box<RawValue>", results as "results: Box<RawValue>", created_at
               from evaluations
               where tenant_id = $1 and session_id = $2 and id > $3 and coalesce(version, 0) <= $4
               order by id limit $5"#,
            key.tenant.0,
            key.id.0,
            after.map_or(Uuid::nil(), |id| id.0),
            version,
            PAGE_DOCUMENTS
        )
        .fetch_all(&mut *tx)
        .await?;
        Ok(rows)
    }

    /// Reads the next page of a branch's ended compressions and evaluation jobs, up to a version.
    pub async fn export_compressions(
        &self,
        key: SessionKey,
        (after, version): (Option<CompressionId>, i64),
    ) -> Result<Vec<CompressionDump>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let rows = sqlx::query!(
            r#"select id, kind, status, trigger, request::text as "request!", parent_version, from_seq, through_seq, version,
                      attempt, report::text as report, created_at, started_at, finished_at
               from compressions
               where tenant_id = $1 and session_id = $2 and id > $3 and kind <> 'index'
                 and status not in ('queued', 'running') and coalesce(version, 0) <= $4
               order by id limit $5"#,
            key.tenant.0,
            key.id.0,
            after.map_or(Uuid::nil(), |id| id.0),
            version,
            PAGE_DOCUMENTS
        )
        .fetch_all(&mut *tx)
        .await?;
        let read = rows.into_iter().map(|row| {
            let raw = |column, text| raw(("compressions", column), key, text);
            Ok(CompressionDump {
                id: CompressionId(row.id),
                kind: word::<Kind>("compressions", "kind", key, &row.kind)?,
                status: word::<Status>("compressions", "status", key, &row.status)?,
                trigger: row.trigger,
                request: raw("request", row.request)?,
                parent_version: row.parent_version,
                from_seq: row.from_seq,
                through_seq: row.through_seq,
                version: row.version,
                attempts: row.attempt,
                report: row.report.map(|report| raw("report", report)).transpose()?,
                created_at: row.created_at,
                started_at: row.started_at,
                finished_at: row.finished_at,
            })
        });
        read.collect()
    }
}

fn raw(place: (&'static str, &'static str), key: SessionKey, text: String) -> Result<Box<RawValue>> {
    RawValue::from_string(text).map_err(|error| StoreError::corrupt(place.0, place.1, key.id.0, error))
}

fn word<T: FromStr>(table: &'static str, column: &'static str, key: SessionKey, word: &str) -> Result<T> {
    word.parse().map_err(|_| StoreError::corrupt(table, column, key.id.0, "unknown word"))
}
