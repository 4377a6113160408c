//! What a job starts from, read at one moment: the session, its current version, its pins and probes,
//! and the messages of its span.

use std::collections::BTreeSet;

use sqlx::PgConnection;

use super::outlines::{Outline, outlines_after, outlines_within};
use super::todos::{self, TodoList};
use super::{Store, StoreError, pins, summaries};
use crate::domain::accounting::Accounting;
use crate::domain::id::{ProbeId, Seq, SessionId, SessionName, TenantId};
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
    /// Its record.
    pub document: serde_json::Value,
    /// What its ledger hands on.
    pub carry: serde_json::Value,
    /// Tokens of its rendering as contexts serve it.
    pub rendering_tokens: u32,
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
    /// one snapshot; `None` when the session is gone.
    ///
    /// # Errors
    /// When the database fails or a row does not parse.
    pub async fn load_base(
        &self,
        tenant: TenantId,
        session: SessionId,
    ) -> Result<Option<(Base, Vec<Outline>)>, StoreError> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(row) = sqlx::query!(
            "select s.name, s.settings, t.settings as defaults, s.accounting, s.head_seq, s.anchor_seq, s.last_version,
                    s.context_revision, s.compression_count,
                    v.version as \"version?\", v.document as \"document?\", v.carry as \"carry?\",
                    v.rendering_tokens as \"rendering_tokens?\"
             from sessions s
             join tenants t on t.id = s.tenant_id
             -- One look into the primary key: as a plain join, the planner reads all versions of the session.
             left join lateral (
               select x.version, x.document, x.carry, x.rendering_tokens from summaries x
               where x.tenant_id = $1 and x.session_id = $2 and x.version = s.version limit 1
             ) v on true
             where s.tenant_id = $1 and s.id = $2",
            tenant.0,
            session.0,
        )
        .fetch_optional(&mut *tx)
        .await?
        else {
            return Ok(None);
        };
        let corrupt = |column, reason: String| StoreError::corrupt("sessions", column, session.0, reason);
        let mut counts: Accounting =
            serde_json::from_value(row.accounting).map_err(|e| corrupt("accounting", e.to_string()))?;
        let settings = settings_over(session, row.settings, row.defaults)?;
        let own = pins::list(&mut tx, tenant, session).await?;
        counts.pins_tokens = pins::count(&settings, own.clone());
        counts.pins_revision = settings.wide_pins_revision();
        let removed = sqlx::query_scalar!(
            "select constraint_id from removed_constraints where tenant_id = $1 and session_id = $2",
            tenant.0,
            session.0,
        )
        .fetch_all(&mut *tx)
        .await?;
        let todos = todos::find(&mut tx, tenant, session).await?;
        let probes = asked(&mut tx, tenant, session).await?;
        let floor = row.anchor_seq.max(counts.system_through);
        let outlines = outlines_after(&mut tx, tenant, session, floor).await?;
        tx.commit().await?;
        let base = Base {
            name: SessionName::parse(&row.name).map_err(|e| corrupt("name", e.to_string()))?,
            pins: pin::together(settings.wide_pins(), own),
            context_revision: row.context_revision + settings.wide_revision(),
            settings,
            counts,
            head: row.head_seq,
            anchor: row.anchor_seq,
            compression_count: row.compression_count,
            next_version: row.last_version + 1,
            current: match (row.version, row.document, row.carry, row.rendering_tokens) {
                (Some(version), Some(document), Some(carry), Some(tokens)) => Some(Current {
                    version,
                    document,
                    carry,
                    rendering_tokens: u32::try_from(tokens).unwrap_or_default(),
                }),
                _ => None,
            },
            todos,
            removed_constraints: removed.into_iter().collect(),
            probes,
        };
        Ok(Some((base, outlines)))
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
                    or (version <= $3 and probe::text like '%"critical":true%'
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
            "select meta, document, carry, rendering_tokens from summaries
             where tenant_id = $1 and session_id = $2 and version = $3",
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
            document: row.document,
            carry: row.carry,
            rendering_tokens: u32::try_from(row.rendering_tokens).unwrap_or_default(),
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
            "select s.name, s.settings, t.settings as defaults
             from sessions s join tenants t on t.id = s.tenant_id where s.tenant_id = $1 and s.id = $2",
            tenant.0,
            session.0,
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
                    or (version < $3 and probe::text like '%"critical":true%'
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
        let mut tx = self.begin(tenant).await?;
        let rows = sqlx::query_as!(
            Original,
            r#"select m.seq, m.format, m.original as "body!" from messages m
               where m.tenant_id = $1 and m.session_id = $2 and m.seq between $3 and $4 order by m.seq"#,
            tenant.0,
            session.0,
            from_seq,
            through_seq,
        )
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(rows)
    }
}

/// Reads the probes that the next version is asked: the caller's, and the critical ones of earlier spans.
pub(super) async fn asked(
    connection: &mut PgConnection,
    tenant: TenantId,
    session: SessionId,
) -> Result<Vec<(ProbeId, serde_json::Value)>, StoreError> {
    // A text search, for Postgres reads no field of a document that has an escaped NUL in any. A quote in
    // a fact is escaped, so only the field itself is written so.
    let rows = sqlx::query!(
        r#"select id, probe from probes
             where tenant_id = $1 and session_id = $2 and retired_in_version is null
               and (source = 'caller' or probe::text like '%"critical":true%')
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
