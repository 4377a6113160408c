//! Reads the input of a job in one read-only snapshot: the session, its current version, pins, todo list, probes and the
//! outlines of the messages after the anchor. `load_span` reads the messages of the span afterwards, when it is known.

use std::collections::BTreeSet;

use super::ledger::list_dropped_entries;
use super::load::{self, Loaded, Which};
use super::outlines::outlines_within;
use super::pins::read as pins;
use super::summaries::{self, UnreadVersion};
use super::todos::{self, TodoList};
use crate::prelude::*;
use anchord_context::pin::Pin;
use anchord_messages::id::ProbeId;
use anchord_record::probe::Probe;
use anchord_record::version::Version;
use anchord_session::outline::Outline;
use anchord_session::session::Session;
use anchord_session::settings::Settings;

/// The input of a compression, read in one snapshot.
#[derive(Clone, Debug)]
pub struct Base {
    /// The session.
    pub session: Session,
    /// The settings of the session, completed by those of its tenant.
    pub settings: Settings,
    /// The current version; `None` before the first.
    pub current: Option<UnreadVersion>,
    /// The pins in force, in order.
    pub pins: Vec<Pin>,
    /// The caller's todo list.
    pub todos: Option<TodoList>,
    /// Extracted constraints that the caller dropped.
    pub dropped_entries: BTreeSet<String>,
    /// The probes that the next version is asked: the caller's, and those of earlier spans.
    pub probes: Vec<(ProbeId, serde_json::Value)>,
}

/// The input of an evaluation: a version, and the probes that it is asked.
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
    /// Whether the caller marked it as a retrieved document.
    pub is_retrieved: bool,
    /// The JSON text as sent.
    pub body: String,
}

impl Store {
    /// Reads the input of a compression, and the outlines of all messages after the anchor, in one snapshot; `None`
    /// when the session is gone.
    pub async fn load_base(&self, of: impl Into<SessionKey>) -> Result<Option<(Base, Vec<Outline>)>> {
        let key @ SessionKey { tenant, id } = of.into();
        let mut tx = self.snapshot(tenant).await?;
        let Some(Loaded { session, .. }) = load::load(&mut tx, tenant, Which::WithId(id)).await? else {
            return Ok(None);
        };
        let current = match session.version {
            Some(version) => summaries::find_unread(&mut tx, key, version).await?,
            None => None,
        };
        let base = Base {
            settings: session.effective_settings(),
            current,
            pins: pins::list_all(&mut tx, tenant, &session).await?,
            todos: todos::find(&mut tx, session.id.of(tenant)).await?,
            dropped_entries: list_dropped_entries(&mut tx, session.id.of(tenant)).await?,
            probes: asked(&mut tx, session.id.of(tenant)).await?,
            session,
        };
        // The system prompt lies after the anchor until there is a first version.
        let outlines = load::tail(&mut tx, key, base.session.floor()).await?;
        tx.commit().await?;
        Ok(Some((base, outlines)))
    }

    /// Reads the outlines of the messages after one position and up to another, at most `limit`.
    pub async fn load_outlines(
        &self,
        key: SessionKey,
        range: (Seq, Seq),
        limit: i64,
    ) -> Result<Vec<Outline>> {
        let mut tx = self.begin(key.tenant).await?;
        let outlines = outlines_within(&mut tx, key, range, limit).await?;
        tx.commit().await?;
        Ok(outlines)
    }

    /// Reads the input of an evaluation; `None` when there is no such version.
    pub async fn load_evaluation(&self, key: SessionKey, version: i64) -> Result<Option<Evaluated>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let Some(stored) = summaries::find(&mut tx, key, version).await? else {
            return Ok(None);
        };
        let Some(loaded) = load::load(&mut tx, key.tenant, Which::WithId(key.id)).await? else {
            return Ok(None);
        };
        // The probes that this version was asked, and those of earlier spans and the caller that are still asked.
        let probes = sqlx::query!(
            r#"select id as "id!", probe as "probe!" from (
                 select id, probe from probes
                 where tenant_id = $1 and session_id = $2 and source = 'caller'
                 union all
                 select id, probe from probes
                 where tenant_id = $1 and session_id = version_owner($1, $2, $3)
                   and (version = $3
                        or (version < $3 and (is_exam or is_critical)
                            and (retired_in_version is null or retired_in_version > $3)))
               ) asked
               order by id"#,
            key.tenant.0,
            key.id.0,
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
        Ok(Some(Evaluated {
            settings: loaded.session.effective_settings(),
            name: loaded.session.name,
            version: stored.version,
            digest: stored.digest,
            probes: read,
        }))
    }

    /// The originals of a span, ascending.
    pub async fn load_span(&self, key: SessionKey, from_seq: Seq, through_seq: Seq) -> Result<Vec<Original>> {
        let mut tx = self.snapshot(key.tenant).await?;
        let mut rows = sqlx::query_as!(
            Original,
            r#"select m.seq as "seq!", m.format as "format!", m.body as "body!",
                      coalesce(m.component = 'retrieved_documents', false) as "is_retrieved!"
               from lineage($1, $2, $3, $4) owner
               cross join lateral (
                 select x.seq, x.format, x.body, x.component from messages x
                 where x.tenant_id = $1 and x.session_id = owner.session_id
                   and x.seq between owner.first_seq and owner.last_seq
                 order by x.seq offset 0
               ) m"#,
            key.tenant.0,
            key.id.0,
            from_seq,
            through_seq,
        )
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        rows.sort_unstable_by_key(|original| original.seq);
        Ok(rows)
    }
}

/// Reads the probes that the next version is asked: the caller's, and the critical ones of earlier spans.
pub(super) async fn asked(
    connection: &mut PgConnection,
    key: SessionKey,
) -> Result<Vec<(ProbeId, serde_json::Value)>> {
    let rows = sqlx::query!(
        r#"select id as "id!", probe as "probe!" from probes_of($1, $2)
           where retired_in_version is null and (source = 'caller' or is_critical)
           order by id"#,
        key.tenant.0,
        key.id.0,
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (ProbeId(row.id), row.probe)).collect())
}
