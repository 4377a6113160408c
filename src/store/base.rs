//! What a job starts from, read at one moment: the session, its current version, its pins and probes,
//! and the messages of its span.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use super::outlines::{OutlineColumns, outlines_within};
use super::todos::{StoredList, TodoList};
use super::{Store, StoreError, pins, summaries};
use crate::domain::accounting::Accounting;
use crate::domain::id::{ProbeId, Seq, SessionId, SessionName, TenantId};
use crate::domain::outline::Outline;
use crate::domain::parts::Stored;
use crate::domain::pin::{self, Pin};
use crate::domain::probe::Probe;
use crate::domain::settings::Settings;
use crate::domain::version::{Version, VersionMeta};

/// What a compression starts from, read in one snapshot.
#[derive(Clone, Debug)]
pub struct Base {
    /// The caller's name of the session.
    pub name: SessionName,
    /// The session's settings.
    pub settings: Settings,
    /// The running counts.
    pub counts: Accounting,
    /// The newest message.
    pub head: Seq,
    /// Through which message the session is indexed for recall.
    pub indexed: Seq,
    /// Through which message the current version covers the session.
    pub anchor: Seq,
    /// The revision of pins and settings, the tenant's included.
    pub context_revision: i64,
    /// Versions published by compressions so far.
    pub compression_count: i32,
    /// The number that the next version will have.
    pub next_version: i64,
    /// The current version's document, carry and rendering; `None` before the first.
    pub current: Option<Current>,
    /// The pins that hold, in order.
    pub pins: Vec<Pin>,
    /// The todo list that the caller keeps.
    pub todos: Option<TodoList>,
    /// Extracted constraints that the caller dropped.
    pub removed_constraints: BTreeSet<String>,
    /// Probes that are still asked: the caller's, and those of earlier spans.
    pub probes: Vec<(ProbeId, serde_json::Value)>,
}

/// The current version, as a compression needs it.
#[derive(Clone, Debug)]
pub struct Current {
    /// Its number.
    pub version: i64,
    /// Its record; `None` when it is the version that the reader has.
    pub written: Option<Written>,
    /// Tokens of its rendering and its digest as contexts serve them.
    pub served_tokens: u32,
}

/// A version's record as JSON: it grows with its session, so it is read once, by who needs it.
#[derive(Clone, Debug)]
pub struct Written {
    /// The record.
    pub record: Stored,
    /// What its ledger hands on.
    pub carry: String,
}

/// A version and the probes that are asked of it.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The caller's name of the session.
    pub name: SessionName,
    /// The session's settings.
    pub settings: Settings,
    /// The version.
    pub version: Version,
    /// Its digest, as contexts serve it.
    pub digest: Option<String>,
    /// The probes.
    pub probes: Vec<Probe>,
}

/// A message with its body.
#[derive(Clone, Debug)]
pub struct Original {
    /// Its position.
    pub seq: Seq,
    /// The format that it was sent in.
    pub format: String,
    /// The JSON text as sent.
    pub body: String,
}

impl Store {
    /// Reads what a compression starts from, and the outlines of every message after the anchor, in
    /// one snapshot; `None` when the session is gone. The record of the version `known` is not read.
    ///
    /// # Errors
    /// When the database fails or a row does not parse.
    pub async fn load_base(
        &self,
        (tenant, session): (TenantId, SessionId),
        known: Option<i64>,
    ) -> Result<Option<(Base, Vec<Outline>)>, StoreError> {
        self.find_base((tenant, session), known).await?.map(|row| row.read(session)).transpose()
    }

    /// Finds all of it in one statement, which sets the tenant for itself.
    async fn find_base(
        &self,
        (tenant, session): (TenantId, SessionId),
        known: Option<i64>,
    ) -> Result<Option<BaseRow>, StoreError> {
        loop {
            let mut reading = self.reading(tenant).await?;
            let read = sqlx::query_as!(
                BaseRow,
                r#"with bound as materialized (
                     select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
                   )
                   select s.name as "name!", s.settings as "settings!", t.settings as "defaults!",
                          s.accounting as "accounting!", s.head_seq as "head_seq!",
                          s.indexed_seq as "indexed_seq!", s.anchor_seq as "anchor_seq!",
                          s.last_version as "last_version!", s.context_revision as "context_revision!",
                          s.compression_count as "compression_count!",
                          v.version as "version?", v.document::text as "document?", v.parts, v.texts,
                          v.carry::text as "carry?",
                          v.served_tokens as "served_tokens?",
                          l.revision as "todos_revision?", l.items as "todos?", l.changes as "todo_changes?",
                          l.version as "todos_version?", l.updated_at as "todos_updated_at?",
                          pinned.ids as pin_ids, pinned.texts as pins, removed.ids as removed,
                          asked.ids as probe_ids, asked.probes,
                          tail.seqs, tail.roles, tail.are_items, tail.tokens, tail.shapes as "shapes: Vec<Option<String>>",
                          tail.keeps as "keeps: Vec<Option<String>>", tail.retrieved, tail.bytes
                   from bound
                   cross join lateral (
                     select x.id, x.name, x.settings, x.accounting, x.head_seq, x.indexed_seq, x.anchor_seq, x.version,
                            x.last_version, x.context_revision, x.compression_count
                     from sessions x where x.tenant_id = bound.tenant_id and x.id = $2 limit 1
                   ) s
                   cross join lateral (select x.settings from tenants x where x.id = bound.tenant_id limit 1) t
                   left join lateral (
                     select x.version, x.rendering_tokens + coalesce(x.digest_tokens, 0) as served_tokens, case when x.version = $3 then null else x.document end as document,
                            case when x.version = $3 then null else x.parts end as parts,
                            case when x.version = $3 then null else read_parts(x.tenant_id, x.session_id, x.parts) end as texts,
                            case when x.version = $3 then null else x.carry end as carry
                     from summaries x
                     where x.tenant_id = bound.tenant_id and x.session_id = s.id and x.version = s.version limit 1
                   ) v on true
                   left join lateral (
                     select x.revision, x.items::text as items, x.changes::text as changes, x.version, x.updated_at
                     from todo_lists x where x.tenant_id = bound.tenant_id and x.session_id = s.id limit 1
                   ) l on true
                   cross join lateral (
                     select array_agg(x.id order by x.position) as ids, array_agg(x.body order by x.position) as texts
                     from pins x where x.tenant_id = bound.tenant_id and x.session_id = s.id
                   ) pinned
                   cross join lateral (
                     select array_agg(x.constraint_id) as ids from removed_constraints x
                     where x.tenant_id = bound.tenant_id and x.session_id = s.id
                   ) removed
                   cross join lateral (
                     select array_agg(x.id order by x.id) as ids, array_agg(x.probe::text order by x.id) as probes
                     from probes x
                     where x.tenant_id = bound.tenant_id and x.session_id = s.id and x.retired_in_version is null
                       and (x.source = 'caller' or x.is_critical)
                   ) asked
                   cross join lateral (
                     select array_agg(m.seq order by m.seq) as seqs, array_agg(m.role order by m.seq) as roles,
                            array_agg(m.format = 'openai-responses' order by m.seq) as are_items,
                            array_agg(m.tokens order by m.seq) as tokens, array_agg(m.shape order by m.seq) as shapes,
                            array_agg(m.keep order by m.seq) as keeps,
                            array_agg(coalesce(m.component = 'retrieved_documents', false) order by m.seq) as retrieved,
                            array_agg(octet_length(m.body) order by m.seq) as bytes
                     from messages m
                     where m.tenant_id = bound.tenant_id and m.session_id = s.id and m.seq > s.anchor_seq
                   ) tail"#,
                tenant.0,
                session.0,
                known,
            )
            .fetch_all(reading.connection())
            .await;
            if let Some(mut rows) = reading.settle(read)? {
                return Ok(rows.pop());
            }
        }
    }

    /// Reads the outlines of at most `limit` messages after a position and up to another.
    ///
    /// # Errors
    /// When the database fails or a row does not parse.
    pub async fn load_outlines(
        &self,
        tenant: TenantId,
        session: SessionId,
        range: (Seq, Seq),
        limit: i64,
    ) -> Result<Vec<Outline>, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let outlines = outlines_within(&mut tx, (tenant, session), range, limit).await?;
        tx.commit().await?;
        Ok(outlines)
    }

    /// Reads the probes that the successor of a version was asked: the caller's, and the critical ones
    /// of spans up to that version; 0 stands for no version.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn load_probes_until(
        &self,
        tenant: TenantId,
        session: SessionId,
        version: i64,
    ) -> Result<Vec<(ProbeId, serde_json::Value)>, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let rows = sqlx::query!(
            r#"select id, probe from probes
             where tenant_id = $1 and session_id = $2
               and ((source = 'caller' and retired_in_version is null)
                    or (version <= $3 and is_critical
                        and (retired_in_version is null or retired_in_version > $3)))
             order by id"#,
            tenant.0,
            session.0,
            version,
        )
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(rows.into_iter().map(|row| (ProbeId(row.id), row.probe)).collect())
    }

    /// Reads a version as something to build on, with its metadata; `None` when there is no such one.
    ///
    /// # Errors
    /// When the database fails or a row does not parse.
    pub async fn load_version(
        &self,
        tenant: TenantId,
        session: SessionId,
        version: i64,
    ) -> Result<Option<(Current, VersionMeta)>, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let row = sqlx::query!(
            r#"select meta, document::text as "document!", parts, read_parts(tenant_id, session_id, parts) as texts,
                      carry::text as "carry!",
                      rendering_tokens + coalesce(digest_tokens, 0) as "served_tokens!"
               from summaries where tenant_id = $1 and session_id = $2 and version = $3"#,
            tenant.0,
            session.0,
            version,
        )
        .fetch_optional(&mut *tx)
        .await?;
        tx.commit().await?;
        let Some(row) = row else { return Ok(None) };
        let meta = serde_json::from_value(row.meta).map_err(|error| {
            StoreError::corrupt("summaries", "meta", format!("{} {version}", session.0), error)
        })?;
        let current = Current {
            version,
            written: Some(Written {
                record: Stored { document: row.document, parts: row.parts, texts: row.texts },
                carry: row.carry,
            }),
            served_tokens: u32::try_from(row.served_tokens).unwrap_or_default(),
        };
        Ok(Some((current, meta)))
    }

    /// Reads what an evaluation of a version asks, and of what; `None` when there is no such version.
    ///
    /// # Errors
    /// When the database fails or a row does not parse.
    pub async fn load_evaluation(
        &self,
        tenant: TenantId,
        session: SessionId,
        version: i64,
    ) -> Result<Option<Evaluated>, StoreError> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(stored) = summaries::find(&mut tx, tenant, session, version).await? else { return Ok(None) };
        let Some(row) = sqlx::query!(
            "select s.name, s.settings, t.settings as defaults,
                    (select v.digest from summaries v
                     where v.tenant_id = s.tenant_id and v.session_id = s.id and v.version = $3) as digest
             from sessions s join tenants t on t.id = s.tenant_id where s.tenant_id = $1 and s.id = $2",
            tenant.0,
            session.0,
            version,
        )
        .fetch_optional(&mut *tx)
        .await?
        else {
            return Ok(None);
        };
        // What that version was asked, and what earlier spans and the caller still ask.
        let probes = sqlx::query!(
            r#"select id, probe from probes
             where tenant_id = $1 and session_id = $2
               and (source = 'caller' or version = $3
                    or (version < $3 and (is_exam or is_critical)
                        and (retired_in_version is null or retired_in_version > $3)))
             order by id"#,
            tenant.0,
            session.0,
            version,
        )
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        let mut read = Vec::with_capacity(probes.len());
        for row in probes {
            let probe = serde_json::from_value(row.probe);
            read.push(probe.map_err(|error| StoreError::corrupt("probes", "probe", row.id, error))?);
        }
        let corrupt = |column, reason: String| StoreError::corrupt("sessions", column, session.0, reason);
        Ok(Some(Evaluated {
            name: SessionName::parse(&row.name).map_err(|e| corrupt("name", e.to_string()))?,
            settings: settings_over(session, row.settings, row.defaults)?,
            version: stored.version,
            digest: row.digest,
            probes: read,
        }))
    }

    /// The originals of a span, ascending.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn load_span(
        &self,
        tenant: TenantId,
        session: SessionId,
        from_seq: Seq,
        through_seq: Seq,
    ) -> Result<Vec<Original>, StoreError> {
        loop {
            let mut reading = self.reading(tenant).await?;
            let read = sqlx::query_as!(
                Original,
                r#"with bound as materialized (
                     select set_config('app.tenant_id', $1::uuid::text, true)::uuid as tenant_id
                   )
                   select m.seq as "seq!", m.format as "format!", m.body as "body!"
                   from bound
                   cross join lateral (
                     select x.seq, x.format, x.body from messages x
                     where x.tenant_id = bound.tenant_id and x.session_id = $2 and x.seq between $3 and $4
                     order by x.seq offset 0
                   ) m"#,
                tenant.0,
                session.0,
                from_seq,
                through_seq,
            )
            .fetch_all(reading.connection())
            .await;
            if let Some(mut rows) = reading.settle(read)? {
                rows.sort_unstable_by_key(|original| original.seq);
                return Ok(rows);
            }
        }
    }
}

/// What a compression starts from, as the database has it; lists come column by column.
struct BaseRow {
    name: String,
    settings: serde_json::Value,
    defaults: serde_json::Value,
    accounting: serde_json::Value,
    head_seq: Seq,
    indexed_seq: Seq,
    anchor_seq: Seq,
    last_version: i64,
    context_revision: i64,
    compression_count: i32,
    version: Option<i64>,
    document: Option<String>,
    parts: Option<Vec<i64>>,
    texts: Option<Vec<String>>,
    carry: Option<String>,
    served_tokens: Option<i32>,
    todos_revision: Option<i64>,
    todos: Option<String>,
    todo_changes: Option<String>,
    todos_version: Option<i64>,
    todos_updated_at: Option<DateTime<Utc>>,
    pin_ids: Option<Vec<String>>,
    pins: Option<Vec<String>>,
    removed: Option<Vec<String>>,
    probe_ids: Option<Vec<Uuid>>,
    probes: Option<Vec<String>>,
    seqs: Option<Vec<Seq>>,
    roles: Option<Vec<String>>,
    are_items: Option<Vec<bool>>,
    tokens: Option<Vec<i32>>,
    shapes: Option<Vec<Option<String>>>,
    keeps: Option<Vec<Option<String>>>,
    retrieved: Option<Vec<bool>>,
    bytes: Option<Vec<i32>>,
}

impl BaseRow {
    fn read(self, session: SessionId) -> Result<(Base, Vec<Outline>), StoreError> {
        let corrupt = |column, reason: String| StoreError::corrupt("sessions", column, session.0, reason);
        let mut counts: Accounting =
            serde_json::from_value(self.accounting).map_err(|e| corrupt("accounting", e.to_string()))?;
        let settings = settings_over(session, self.settings, self.defaults)?;
        let pins = self.pin_ids.unwrap_or_default().into_iter().zip(self.pins.unwrap_or_default());
        let own: Vec<Pin> = pins.map(|(id, text)| Pin { id, text }).collect();
        counts.pins_tokens = pins::count(&settings, own.clone());
        counts.pins_revision = settings.wide_pins_revision();
        let outlines = OutlineColumns {
            seqs: self.seqs,
            roles: self.roles,
            are_items: self.are_items,
            tokens: self.tokens,
            shapes: self.shapes,
            keeps: self.keeps,
            retrieved: self.retrieved,
            bytes: self.bytes,
        };
        // The system prompt lies after the anchor until there is a first version.
        let outlines = outlines.read_after(session, counts.system_through)?;
        let todos = match (self.todos_revision, self.todos, self.todo_changes) {
            (Some(revision), Some(items), Some(changes)) => {
                let list = StoredList {
                    revision,
                    items,
                    changes,
                    version: self.todos_version,
                    updated_at: self.todos_updated_at,
                };
                Some(list.read(session)?)
            }
            _ => None,
        };
        let probes = self.probe_ids.unwrap_or_default().into_iter().zip(self.probes.unwrap_or_default());
        let mut asked = Vec::with_capacity(probes.len());
        for (id, probe) in probes {
            let probe = serde_json::from_str(&probe);
            asked.push((ProbeId(id), probe.map_err(|e| StoreError::corrupt("probes", "probe", id, e))?));
        }
        let record = self.document.map(|document| Stored { document, parts: self.parts, texts: self.texts });
        let base = Base {
            name: SessionName::parse(&self.name).map_err(|e| corrupt("name", e.to_string()))?,
            pins: pin::together(settings.wide_pins(), own),
            context_revision: self.context_revision + settings.wide_revision(),
            settings,
            counts,
            head: self.head_seq,
            indexed: self.indexed_seq,
            anchor: self.anchor_seq,
            compression_count: self.compression_count,
            next_version: self.last_version + 1,
            current: self.version.zip(self.served_tokens).map(|(version, tokens)| Current {
                version,
                written: record.zip(self.carry).map(|(record, carry)| Written { record, carry }),
                served_tokens: u32::try_from(tokens).unwrap_or_default(),
            }),
            todos,
            removed_constraints: self.removed.unwrap_or_default().into_iter().collect(),
            probes: asked,
        };
        Ok((base, outlines))
    }
}

/// Reads the probes that the next version is asked: the caller's, and the critical ones of earlier spans.
pub(super) async fn asked(
    connection: &mut PgConnection,
    tenant: TenantId,
    session: SessionId,
) -> Result<Vec<(ProbeId, serde_json::Value)>, StoreError> {
    let rows = sqlx::query!(
        r#"select id, probe from probes
             where tenant_id = $1 and session_id = $2 and retired_in_version is null
               and (source = 'caller' or is_critical)
             order by id"#,
        tenant.0,
        session.0,
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (ProbeId(row.id), row.probe)).collect())
}

/// The session's settings with the tenant's below them.
pub(super) fn settings_over(
    session: SessionId,
    settings: serde_json::Value,
    defaults: serde_json::Value,
) -> Result<Settings, StoreError> {
    let corrupt =
        |table, reason: serde_json::Error| StoreError::corrupt(table, "settings", session.0, reason);
    let settings: Settings = serde_json::from_value(settings).map_err(|e| corrupt("sessions", e))?;
    let defaults: Settings = serde_json::from_value(defaults).map_err(|e| corrupt("tenants", e))?;
    Ok(settings.over(&defaults))
}
