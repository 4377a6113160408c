//! Summary versions: reading them, and making an earlier one current again. Publishing is in `settle`.

use super::compressions::cancel_live;
use super::error::expect_rows;
use super::load::{self, Loaded, Which};
use super::{bounds, events, sessions};
use crate::prelude::*;
use anchord_facts::ledger::LedgerState;
use anchord_record::parts::StoredSummary;
use anchord_record::strategy::{Strategy, Verifiable};
use anchord_record::version::{Version, VersionMeta};
use anchord_session::accounting::Accounting;
use anchord_session::session::Session;

/// A version as it is stored.
#[derive(Clone, Debug)]
pub struct StoredVersion {
    /// Its metadata and record.
    pub version: Version,
    /// The ledger's carry for the next span.
    pub carry: LedgerState,
    /// Its digest, as contexts serve it.
    pub digest: Option<String>,
    /// When the row was written; for a rollback, later than its `last_compressed_at`.
    pub created_at: DateTime<Utc>,
}

/// The entry of a version in the history.
#[derive(Clone, Debug)]
pub struct VersionEntry {
    /// Its metadata.
    pub meta: VersionMeta,
    /// When the row was written.
    pub created_at: DateTime<Utc>,
}

/// The outcome of deciding a rollback.
#[derive(Clone, Debug)]
pub enum Rollback {
    /// There is no such session.
    NoSession,
    /// The session has no such version.
    NoVersion,
    /// The version cannot be verified, and the session is critical.
    Unverifiable,
    /// The rollback can be written.
    Ready(Box<RolledBack>),
}

/// A decided rollback.
#[derive(Clone, Debug)]
pub struct RolledBack {
    loaded: Loaded,
    to: i64,
    /// The new version.
    pub version: Version,
}

/// A version that is not parsed yet. A large record takes some hundredths of a second, which a request spends in its
/// tenant's turn.
#[derive(Clone, Debug)]
pub struct UnreadVersion {
    session: SessionId,
    /// Its number.
    pub version: i64,
    meta: String,
    /// Its record.
    pub record: StoredSummary,
    /// The ledger's carry for the next span.
    pub carry: String,
    digest: Option<String>,
    /// The tokens of its rendering and its digest, as contexts serve them.
    pub served_tokens: u32,
    created_at: DateTime<Utc>,
}

impl UnreadVersion {
    /// The bytes of its record as it is stored.
    pub fn bytes(&self) -> usize {
        self.record.bytes()
    }

    /// Parses it.
    pub fn read(self) -> Result<StoredVersion> {
        let meta = self.meta()?;
        let summary = self.record.summary().map_err(|e| self.corrupt("document", e))?;
        let carry: LedgerState = serde_json::from_str(&self.carry).map_err(|e| self.corrupt("carry", e))?;
        let version = Version::new(meta, summary);
        Ok(StoredVersion { version, carry, digest: self.digest, created_at: self.created_at })
    }

    /// Parses its metadata, which is small.
    pub fn meta(&self) -> Result<VersionMeta> {
        serde_json::from_str(&self.meta).map_err(|error| self.corrupt("meta", error))
    }

    fn corrupt(&self, column: &'static str, error: serde_json::Error) -> StoreError {
        StoreError::corrupt("summaries", column, format!("{} {}", self.session.0, self.version), error)
    }
}

/// Finds a version in an open transaction.
pub async fn find(
    connection: &mut PgConnection,
    key: SessionKey,
    version: i64,
) -> Result<Option<StoredVersion>> {
    find_unread(connection, key, version).await?.map(UnreadVersion::read).transpose()
}

/// Finds a version in an open transaction, to be parsed later.
pub async fn find_unread(
    connection: &mut PgConnection,
    of: SessionKey,
    version: i64,
) -> Result<Option<UnreadVersion>> {
    let row = sqlx::query!(
        r#"select meta::text as "meta!", document::text as "document!", parts,
                  read_parts(tenant_id, session_id, parts) as "texts!", carry::text as "carry!", digest,
                  rendering_tokens + coalesce(digest_tokens, 0) as "served_tokens!", created_at
           from summaries
           where tenant_id = $1 and session_id = version_owner($1, $2, $3) and version = $3"#,
        of.tenant.0,
        of.id.0,
        version
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| UnreadVersion {
        session: of.id,
        version,
        meta: row.meta,
        record: StoredSummary { document: row.document, parts: row.parts, texts: row.texts },
        carry: row.carry,
        digest: row.digest,
        served_tokens: u32::try_from(row.served_tokens).unwrap_or_default(),
        created_at: row.created_at,
    }))
}

/// Lists versions in an open transaction, newest first; with `before`, only versions older than that one.
pub async fn list(
    connection: &mut PgConnection,
    key: SessionKey,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<VersionEntry>> {
    let rows = sqlx::query!(
        r#"select v.version as "version!", v.meta::text as "meta!", v.created_at as "created_at!"
           from version_lineage($1, $2) owner
           cross join lateral (
             select x.version, x.meta, x.created_at from summaries x
             where x.tenant_id = $1 and x.session_id = owner.session_id and x.version > owner.after_version
               and x.version <= owner.through_version and ($3::bigint is null or x.version < $3)
             order by x.version desc limit $4
           ) v
           order by v.version desc limit $4"#,
        key.tenant.0,
        key.id.0,
        before,
        limit
    )
    .fetch_all(connection)
    .await?;
    rows.into_iter()
        .map(|row| {
            let corrupt = |column, error: serde_json::Error| {
                StoreError::corrupt("summaries", column, format!("{} {}", key.id.0, row.version), error)
            };
            let meta = serde_json::from_str(&row.meta).map_err(|e| corrupt("meta", e))?;
            Ok(VersionEntry { meta, created_at: row.created_at })
        })
        .collect()
}

impl Store {
    /// Decides how an earlier version becomes current again.
    pub async fn decide_rollback(&self, tenant: TenantId, name: &SessionRef, to: i64) -> Result<Rollback> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(loaded) = load::load(&mut tx, tenant, Which::Named(name)).await? else {
            return Ok(Rollback::NoSession);
        };
        let session = &loaded.session;
        let Some(target) = find(&mut tx, session.id.of(tenant), to).await? else {
            return Ok(Rollback::NoVersion);
        };
        let is_critical = session.effective_settings().critical == Some(true);
        if is_critical && target.version.meta.verifiable == Verifiable::No {
            return Ok(Rollback::Unverifiable);
        }
        let mut version = target.version;
        version.meta.version = session.last_version + 1;
        version.meta.parent_version = session.version;
        version.meta.strategy = Strategy::Rollback;
        version.meta.compression_count = i64::from(session.compression_count);
        Ok(Rollback::Ready(Box::new(RolledBack { loaded, to, version })))
    }

    /// Makes an earlier version current again, as a new version with its record and anchor. Cancels live work, keeps
    /// the count of compressions, and suspends automatic compression below the critical level, because the same
    /// signal would undo the rollback at once. Returns `false` when the session has changed since the decision; then
    /// the transaction must not be committed.
    pub async fn roll_back(&self, tx: &mut Tx, decided: &RolledBack) -> Result<bool> {
        let RolledBack { loaded, to, version } = decided;
        if !load::hold_as_read(tx, loaded).await? {
            return Ok(false);
        }
        let (tenant, to) = (loaded.tenant, *to);
        bounds::require_version_room(tx, tenant, loaded.session.last_version).await?;
        let mut session = loaded.session.clone();
        cancel_live(tx, session.id.of(tenant)).await?;
        let served = copy_version(tx, session.id.of(tenant), to, &version.meta).await?;
        adopt_probes(tx, session.id.of(tenant), to).await?;
        retire_probes(tx, session.id.of(tenant), to, version.meta.version).await?;

        let anchor = version.meta.through_seq;
        let tail = load::tail(tx, session.id.of(tenant), session.floor_at(anchor)).await?;
        session.roll_back(anchor, served, &tail);
        note_served(tx, session.id.of(tenant), version.meta.version, &session.accounting).await?;
        sessions::update_for_version(tx, tenant, &session).await?;
        events::published(tx, session.id.of(tenant), version.meta.version, None).await?;
        Ok(true)
    }
}

impl RolledBack {
    /// The session as it was.
    pub fn session(&self) -> &Session {
        &self.loaded.session
    }
}

/// The branch that made a version which a branch has.
pub(super) async fn owner(connection: &mut PgConnection, key: SessionKey, version: i64) -> Result<SessionId> {
    let owner = sqlx::query_scalar!(
        r#"select version_owner($1, $2, $3) as "owner!""#,
        key.tenant.0,
        key.id.0,
        version
    );
    Ok(SessionId(owner.fetch_one(connection).await?))
}

/// Copies the probes that a branch began with into it, before its first own version, so that they retire there alone: those
/// that were still asked after `version`. Later ones come with a rollback alone, which asks again what was retired after its
/// version.
pub(super) async fn adopt_probes(connection: &mut PgConnection, key: SessionKey, version: i64) -> Result<()> {
    sqlx::query!(
        "insert into probes (tenant_id, session_id, id, source, version, retired_in_version, probe, created_at)
         select $1, $2, p.id, p.source, p.version,
                case when p.retired_in_version <= s.base_version then p.retired_in_version end, p.probe, p.created_at
         from (
           select x.version_base_id, x.base_version from sessions x
           where x.tenant_id = $1 and x.id = $2 and (x.last_version = x.base_version or $3 < x.base_version) limit 1
         ) s
         cross join lateral (
           select x.* from probes x
           where x.tenant_id = $1 and x.session_id = s.version_base_id and x.source = 'generated'
             and (x.is_critical or x.is_exam) and x.version <= s.base_version
             and (x.retired_in_version is null or x.retired_in_version > least($3, s.base_version))
           offset 0
         ) p
         on conflict do nothing",
        key.tenant.0,
        key.id.0,
        version
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Copies a version under a new number and metadata; returns the tokens of its rendering and of its digest.
pub(super) async fn copy_version(
    connection: &mut PgConnection,
    key: SessionKey,
    from: i64,
    meta: &VersionMeta,
) -> Result<(u32, u32)> {
    let text = serde_json::to_string(meta).map_err(|error| {
        StoreError::corrupt("summaries", "meta", format!("{} {}", key.id.0, meta.version), error)
    })?;
    let copied = sqlx::query!(
        "insert into summaries (tenant_id, session_id, version, parent_version, compression_id, from_seq, through_seq,
                                meta, document, parts, carry, rendering, rendering_tokens, smaller_renderings,
                                smaller_tokens, recap, digest, digest_tokens, head_seq, mask_upto, mask_from)
         select tenant_id, $2, $4, $5, null, from_seq, through_seq,
                $6::text::json, document, parts, carry, rendering, rendering_tokens, smaller_renderings,
                smaller_tokens, recap,
                digest, digest_tokens, (select s.head_seq from sessions s where s.tenant_id = $1 and s.id = $2), mask_upto,
                mask_from
         from summaries where tenant_id = $1 and session_id = version_owner($1, $2, $3) and version = $3
         returning rendering_tokens, digest_tokens",
        key.tenant.0,
        key.id.0,
        from,
        meta.version,
        meta.parent_version,
        text
    )
    .fetch_all(connection)
    .await?;
    expect_rows("the copy of a version", 1, copied.len() as u64)?;
    let copy = copied.into_iter().next().ok_or(sqlx::Error::RowNotFound)?;
    let tokens = |count: Option<i32>| count.and_then(|count| u32::try_from(count).ok()).unwrap_or_default();
    Ok((tokens(Some(copy.rendering_tokens)), tokens(copy.digest_tokens)))
}

/// Records which messages a new version is served with: the mask position and the carried message.
pub(super) async fn note_served(
    connection: &mut PgConnection,
    key: SessionKey,
    version: i64,
    counts: &Accounting,
) -> Result<()> {
    sqlx::query!(
        "update summaries set mask_upto = $4, mask_from = $5, carried_seq = $6
         where tenant_id = $1 and session_id = $2 and version = $3",
        key.tenant.0,
        key.id.0,
        version,
        counts.mask_upto,
        i64::from(counts.mask_from),
        counts.carried.map(|carried| carried.seq)
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Resets the probes to those of a version: probes of later versions ask for facts that are no longer summarised, and
/// those that were retired later are asked again.
async fn retire_probes(connection: &mut PgConnection, key: SessionKey, to: i64, new: i64) -> Result<()> {
    sqlx::query!(
        "update probes
         set retired_in_version = case when coalesce(version, 0) > $3 then coalesce(retired_in_version, $4) end
         where tenant_id = $1 and session_id = $2
           and ((version > $3 and retired_in_version is null) or (coalesce(version, 0) <= $3 and retired_in_version > $3))",
        key.tenant.0,
        key.id.0,
        to,
        new
    )
    .execute(connection)
    .await?;
    Ok(())
}
