//! Merges a finished session's record into its parent's, as a new version of the parent.
//!
//! A merge cancels the parent's live compression, which would end as superseded, and queues the same request again
//! for the new version. A rejection of the merge (409) would make its caller wait for the queue instead. Which child
//! was merged is stored with the version that the merge made: a rollback past that version undoes the merge, and the
//! child can be merged again.

use crate::connection::PgConnection;
use uuid::Uuid;

use super::compressions::{self, cancel_live};
use super::compute::compute;
use super::job::{Kind, NewJob};
use super::load::{self, Loaded, Which};
use super::summaries::{self, StoredVersion};
use super::{Store, StoreError, Tx, base, bounds, events, prepared, sessions, settle};
use anchord_context::context::{Counted, summary_message_text};
use anchord_facts::ledger::LedgerState;
use anchord_messages::format::{self, Format};
use anchord_messages::id::{EvaluationId, ProbeId, SessionId, SessionRef, TenantId};
use anchord_messages::message::Numbered;
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate;
use anchord_record::handoff::{self, CheckedMerge, LeftOut, MergeBackInput, MergedBack, Origin};
use anchord_record::parts::Parts;
use anchord_record::probe::{Probe, Scores};
use anchord_record::render::{self, Rendering, Subject, phase_bound};
use anchord_record::strategy::{Engine, Strategy, Verifiable};
use anchord_record::summary::Summary;
use anchord_record::version::{Version, VersionMeta};
use anchord_session::compression::Request;
use anchord_session::session::Session;
use anchord_session::settings::Settings;

/// How many first messages of a parent without a version are searched for its intent.
pub(crate) const OPENING: i64 = 12;

/// Which version of which session is merged into which session.
#[derive(Clone, Copy, Debug)]
pub struct MergeRequest<'a> {
    /// The session that takes it.
    pub parent: &'a SessionRef,
    /// The session that is merged.
    pub child: &'a SessionRef,
    /// Its version; `None` for the current one.
    pub version: Option<i64>,
    /// The current time.
    pub now: chrono::DateTime<chrono::Utc>,
}

/// The outcome of deciding a merge.
#[derive(Clone, Debug)]
pub enum Merge {
    /// One of the two sessions does not exist.
    NoSession,
    /// Both are the same session.
    Itself,
    /// The session to be merged has no version yet.
    NoSummary,
    /// It has no such version.
    NoVersion,
    /// The parent is critical, and the version to be merged cannot be verified.
    Unverifiable,
    /// The merged version does not pass the gate, for these reasons; nothing has changed.
    Rejected(Vec<String>),
    /// The same version or a later one was merged before; nothing has changed.
    Unchanged {
        /// The version of the parent that the merge made.
        version: i64,
        /// The version that was merged then.
        merged: i64,
        /// The parent as it was when this was found.
        stands: LoadedSession,
    },
    /// The merge can be written.
    Ready(Box<Merging>),
}

/// A session as it was read for a decision.
#[derive(Clone, Debug)]
pub struct LoadedSession(Box<Loaded>);

impl LoadedSession {
    /// The session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.0.session
    }

    /// Whether the session is unchanged; then it is locked for the length of the transaction.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn holds(&self, tx: &mut Tx) -> Result<bool, StoreError> {
        load::hold_as_read(tx, &self.0).await
    }
}

/// A decided merge.
#[derive(Clone, Debug)]
pub struct Merging {
    parent: Loaded,
    child: SessionId,
    made: MergedVersion,
    /// The version that is merged.
    pub merged: i64,
}

impl Merging {
    /// The parent as it was.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.parent.session
    }

    /// The number of its new version.
    #[must_use]
    pub fn version(&self) -> i64 {
        self.made.version.meta.version
    }

    /// What is left out of the version that is merged.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.made.left_out
    }

    /// The result of the probes: those of the parent, and those about what was merged.
    #[must_use]
    pub fn scores(&self) -> Scores {
        self.made.checked.report.scores()
    }
}

impl Store {
    /// Decides how a version of one session is merged into the current version of another.
    ///
    /// # Errors
    /// When the database fails, or a row does not parse.
    pub async fn decide_merge(
        &self,
        tenant: TenantId,
        wanted: MergeRequest<'_>,
    ) -> Result<Merge, StoreError> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(parent) = load::load(&mut tx, tenant, Which::Named(wanted.parent)).await? else {
            return Ok(Merge::NoSession);
        };
        let Some(child) = sessions::find(&mut tx, tenant, wanted.child).await? else {
            return Ok(Merge::NoSession);
        };
        let into = &parent.session;
        if into.root == child.root {
            return Ok(Merge::Itself);
        }
        let Some(merged) = wanted.version.or(child.version) else { return Ok(Merge::NoSummary) };
        let Some(theirs) = summaries::find(&mut tx, tenant, child.id, merged).await? else {
            return Ok(Merge::NoVersion);
        };
        let keys = (tenant, into.id, child.id);
        if let Some((version, merged)) = find_merge(&mut tx, keys, merged).await? {
            return Ok(Merge::Unchanged { version, merged, stands: LoadedSession(Box::new(parent)) });
        }
        let is_critical = into.effective_settings().critical == Some(true);
        if is_critical && theirs.version.meta.verifiable == Verifiable::No {
            return Ok(Merge::Unverifiable);
        }
        let asked = base::asked(&mut tx, tenant, into.id).await?;
        let current = match into.version {
            Some(number) => summaries::find(&mut tx, tenant, into.id, number).await?,
            None => None,
        };
        let opening = if current.is_none() { opening(&mut tx, tenant, into.id).await? } else { Vec::new() };
        tx.commit().await?;
        let (into, name, now) = (into.clone(), child.name, wanted.now);
        let making = move || {
            let theirs = handoff::without(theirs.version.summary, into.name.as_str());
            let origin = Origin { name: name.as_str(), summary: &theirs };
            let (summary, span) = if let Some(current) = &current {
                (current.version.summary.clone(), Vec::new())
            } else {
                let span: Vec<Numbered> = opening.into_iter().filter_map(read_opening).collect();
                (handoff::opening(&span, &origin), span)
            };
            MergedVersion::new(&into, Own { summary, span, current, asked }, &origin, now)
        };
        let made = compute(tenant, making).await??;
        if !made.checked.refusals.is_empty() {
            return Ok(Merge::Rejected(made.checked.refusals));
        }
        Ok(Merge::Ready(Box::new(Merging { parent, child: child.id, made, merged })))
    }

    /// Publishes the merged version; a live compression starts again on it. Anchor, strategy and the count of
    /// compressions stay. Returns `false` when the parent has changed since the decision; then the transaction must
    /// not be committed.
    ///
    /// # Errors
    /// When the database fails, or a row does not parse.
    pub async fn merge_session(&self, tx: &mut Tx, merging: &Merging) -> Result<bool, StoreError> {
        let Merging { parent, child, made, merged } = merging;
        if !load::hold_as_read(tx, parent).await? {
            return Ok(false);
        }
        let (tenant, mut session) = (parent.tenant, parent.session.clone());
        bounds::require_version_room(tx, tenant, session.last_version).await?;
        let live = find_live(tx, tenant, session.id).await?;
        cancel_live(tx, tenant, session.id).await?;
        prepared::supersede(tx, tenant, session.id).await?;
        if let Some(current) = session.version {
            summaries::adopt_probes(tx, (tenant, session.id), current).await?;
        }
        made.insert(tx, tenant, session.id).await?;
        let number = merging.version();
        session.merge(made.tokens);
        sessions::update_for_version(tx, tenant, &session).await?;
        events::published(tx, (tenant, session.id), number, None).await?;
        if let Some((trigger, request)) = live {
            let job = NewJob { kind: Kind::Compress, trigger: &trigger, request: &request };
            compressions::enqueue(tx, tenant, session.id, job).await?;
        }
        Box::pin(settle::reconsider(tx, (tenant, session.id))).await?;
        sqlx::query!(
            "insert into session_merges (tenant_id, session_id, child_id, child_version, version) values ($1, $2, $3, $4, $5)",
            tenant.0,
            session.id.0,
            child.0,
            merged,
            number
        )
        .execute(&mut **tx)
        .await?;
        Ok(true)
    }
}

/// The parent's record before the merge, and the messages that it was read from when there is no version.
struct Own {
    summary: Summary,
    span: Vec<Numbered>,
    current: Option<StoredVersion>,
    /// The probes that the parent is asked already.
    asked: Vec<(ProbeId, serde_json::Value)>,
}

/// A version of the parent, ready to be stored.
#[derive(Clone, Debug)]
struct MergedVersion {
    version: Version,
    carry: LedgerState,
    rendering: String,
    least: String,
    tokens: u32,
    least_tokens: u32,
    left_out: Vec<LeftOut>,
    checked: CheckedMerge,
}

impl MergedVersion {
    fn new(
        parent: &sessions::Session,
        own: Own,
        child: &Origin<'_>,
        now: chrono::DateTime<chrono::Utc>,
    ) -> Result<Self, StoreError> {
        let Own { summary: own, span, current, asked } = own;
        let probes: Vec<Probe> = asked
            .into_iter()
            .map(|(id, probe)| {
                serde_json::from_value(probe)
                    .map_err(|error| StoreError::corrupt("probes", "probe", id.0, error))
            })
            .collect::<Result<_, _>>()?;
        let settings = parent.effective_settings();
        let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
        let bound = settings.policy().max_summary_tokens.min(phase_bound(settings.phase));
        let before = current.as_ref().map(|current| current.version.meta.clone());
        let mut meta = before.clone().unwrap_or_else(|| first(&settings, bound, now));
        meta.version = parent.last_version + 1;
        meta.parent_version = parent.version;
        meta.compression_count = i64::from(parent.compression_count);
        meta.tokens_before = meta.tokens_after;
        (meta.max_tokens, meta.compression_ratio) = (bound, None);
        if meta.strategy == Strategy::Rollback {
            meta.strategy = settings.strategy_in_force();
        }
        meta.warnings = vec![format!("merged from session {}", child.name)];
        let MergedBack { summary, left_out } = handoff::merge(&own, child, meta.version);
        let shown = |meta: &VersionMeta, summary: &Summary, least: bool| -> Rendering {
            let subject = Subject {
                summary,
                meta,
                session_id: parent.name.as_str(),
                task_id: settings.task_id.as_deref(),
                started: parent.created_at,
                last_activity: meta.last_compressed_at,
            };
            let count = |text: &str| counter.count_text(text);
            if least { render::served_least(&subject, count) } else { render::served(&subject, bound, count) }
        };
        let rendering = shown(&meta, &summary, false);
        let before = before.map(|before| shown(&before, &own, false));
        let held = MergeBackInput {
            parent: (&own, before.as_ref()),
            child,
            span: &span,
            strategy: meta.strategy,
            bound,
            probes: &probes,
        };
        let checked = handoff::check(&summary, &rendering, held);
        meta.tokens_after = i64::from(rendering.tokens);
        meta.probe_score = checked.report.score;
        meta.facts_score = checked.report.facts_score;
        if checked.report.score.is_none() {
            meta.warnings.push("no probe could be asked of this version".to_owned());
        }
        let (text, least) =
            (summary_message_text(&rendering.text), summary_message_text(&shown(&meta, &summary, true).text));
        let tokens = |text: &str| Counted::new(text, &counter).tokens;
        Ok(Self {
            tokens: tokens(&text),
            least_tokens: tokens(&least),
            rendering: text,
            least,
            left_out,
            checked,
            carry: current.map(|current| current.carry).unwrap_or_default(),
            version: Version::new(meta, summary),
        })
    }

    async fn insert(
        &self,
        tx: &mut PgConnection,
        tenant: TenantId,
        session: SessionId,
    ) -> Result<(), StoreError> {
        let Version { meta, summary, .. } = &self.version;
        let corrupt = |column, error| {
            StoreError::corrupt("summaries", column, format!("{} {}", session.0, meta.version), error)
        };
        let plain = |text: &str| text.replace('\0', " ");
        let (record, _) =
            Parts::default().write(summary, meta.version).map_err(|error| corrupt("document", error))?;
        let (ids, texts): (Vec<i64>, Vec<String>) = record.new.into_iter().unzip();
        sqlx::query!(
            "insert into record_parts (tenant_id, session_id, id, entries)
             select $1, $2, p.id, p.entries from unnest($3::bigint[], $4::text[]) as p (id, entries)",
            tenant.0,
            session.0,
            &ids,
            &texts,
        )
        .execute(&mut *tx)
        .await?;
        sqlx::query!(
            "insert into summaries (tenant_id, session_id, version, parent_version, compression_id, from_seq, through_seq,
                                    meta, document, parts, carry, rendering, rendering_tokens, least_rendering,
                                    least_tokens, recap, digest, digest_tokens, head_seq, mask_upto,
                                    carried_seq)
             select $1, $2, $3, $4, null, $5, $6, $7::text::json, $8::text::json, $15, $9::text::json, $10, $11, $12, $13, $14,
                    -- The words are still those of the parent's own messages.
                    own.digest, own.digest_tokens, s.head_seq, (s.accounting ->> 'mask_upto')::bigint,
                    (s.accounting -> 'carried' ->> 'seq')::bigint
             from (select * from sessions s where s.tenant_id = $1 and s.id = $2) s
             left join summaries own on own.tenant_id = $1 and own.session_id = version_owner($1, $2, $4) and own.version = $4",
            tenant.0,
            session.0,
            meta.version,
            meta.parent_version,
            meta.from_seq,
            meta.through_seq,
            serde_json::to_string(meta).map_err(|error| corrupt("meta", error))?,
            record.head,
            serde_json::to_string(&self.carry).map_err(|error| corrupt("carry", error))?,
            plain(&self.rendering),
            i32::try_from(self.tokens).unwrap_or(i32::MAX),
            plain(&self.least),
            i32::try_from(self.least_tokens).unwrap_or(i32::MAX),
            plain(&candidate::recap(summary)),
            &record.parts,
        )
        .execute(&mut *tx)
        .await?;
        let CheckedMerge { report, new_probes, .. } = &self.checked;
        sqlx::query!(
            "insert into evaluations (tenant_id, session_id, id, version, compression_id, scores, results)
             values ($1, $2, $3, $4, null, $5::text::json, $6::text::json)",
            tenant.0,
            session.0,
            EvaluationId(Uuid::now_v7()).0,
            meta.version,
            serde_json::to_string(&report.scores()).map_err(|e| corrupt("scores", e))?,
            serde_json::to_string(&report.results).map_err(|e| corrupt("results", e))?,
        )
        .execute(&mut *tx)
        .await?;
        let ids: Vec<Uuid> = new_probes.iter().map(|_| Uuid::now_v7()).collect();
        let probes: Vec<String> = new_probes
            .iter()
            .map(serde_json::to_string)
            .collect::<Result<_, _>>()
            .map_err(|e| corrupt("probes", e))?;
        sqlx::query!(
            "insert into probes (tenant_id, session_id, id, source, version, probe)
             select $1, $2, p.id, 'generated', $3, p.probe from unnest($4::uuid[], $5::text[]::json[]) as p (id, probe)",
            tenant.0,
            session.0,
            meta.version,
            &ids,
            &probes,
        )
        .execute(tx)
        .await?;
        Ok(())
    }
}

/// The metadata of a first version that no compression made.
fn first(settings: &Settings, bound: u32, now: chrono::DateTime<chrono::Utc>) -> VersionMeta {
    VersionMeta {
        version: 0,
        parent_version: None,
        strategy: settings.strategy_in_force(),
        verifiable: settings.strategy_in_force().verifiable(),
        engine: Engine::Extractive,
        model: None,
        compression_count: 0,
        last_compressed_at: now,
        from_seq: 1,
        through_seq: 0,
        tokens_before: 0,
        tokens_after: 0,
        max_tokens: bound,
        compression_ratio: None,
        probe_score: None,
        facts_score: None,
        exam: None,
        phase: settings.phase,
        warnings: Vec::new(),
    }
}

/// Finds an earlier merge of the same version of the child, or of a later one: a late call must not replace newer
/// entries by older ones. Returns the parent's version and the child's.
async fn find_merge(
    tx: &mut PgConnection,
    (tenant, parent, child): (TenantId, SessionId, SessionId),
    version: i64,
) -> Result<Option<(i64, i64)>, StoreError> {
    let found = sqlx::query!(
        r#"select m.version as "version!", m.child_version as "child_version!"
           from version_lineage($1, $2) owner
           cross join lateral (
             select x.version, x.child_version from session_merges x
             where x.tenant_id = $1 and x.session_id = owner.session_id and x.child_id = $3 and x.child_version >= $4
               and x.version > owner.after_version and x.version <= owner.through_version
             order by x.child_version limit 1
           ) m
           order by m.child_version limit 1"#,
        tenant.0,
        parent.0,
        child.0,
        version
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.map(|row| (row.version, row.child_version)))
}

/// The trigger and the request of the live compression, to queue it again.
async fn find_live(
    tx: &mut PgConnection,
    tenant: TenantId,
    session: SessionId,
) -> Result<Option<(String, Request)>, StoreError> {
    let row = sqlx::query!(
        "select id, trigger, request from compressions
         where tenant_id = $1 and session_id = $2 and kind = 'compress' and status in ('queued', 'running') and not shadow",
        tenant.0,
        session.0
    )
    .fetch_optional(tx)
    .await?;
    row.map(|row| {
        let request = serde_json::from_value(row.request);
        let request =
            request.map_err(|error| StoreError::corrupt("compressions", "request", row.id, error))?;
        Ok((row.trigger, request))
    })
    .transpose()
}

/// The first messages of a parent without a version, which are searched for its intent.
async fn opening(
    tx: &mut PgConnection,
    tenant: TenantId,
    session: SessionId,
) -> Result<Vec<(i64, String, String)>, StoreError> {
    let rows = sqlx::query!(
        r#"select m.seq as "seq!", m.format as "format!", m.body as "body!"
           from lineage($1, $2, 1, $3) owner
           cross join lateral (
             select x.seq, x.format, x.body from messages x
             where x.tenant_id = $1 and x.session_id = owner.session_id
               and x.seq between owner.first_seq and owner.last_seq
             offset 0
           ) m
           order by m.seq"#,
        tenant.0,
        session.0,
        OPENING
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.seq, row.format, row.body)).collect())
}

fn read_opening((seq, format, body): (i64, String, String)) -> Option<Numbered> {
    let message = format::parse(Format::from_name(&format)?, &body).ok()?;
    Some(Numbered { seq, message })
}
