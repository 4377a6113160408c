//! Sessions: settings, positions and running counts.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Store, StoreError, expect_rows, load, pins, prepared};
use crate::domain::compression::Status;
use crate::domain::id::{CompressionId, SessionId, SessionName, TenantId};
pub use crate::domain::session::{Live, Session};
use crate::domain::settings::{Settings, SettingsError};
use crate::domain::trigger::Recent;

/// The columns of [`Session`], in every statement that reads one.
pub(super) struct SessionRow {
    pub(super) id: Uuid,
    pub(super) name: String,
    pub(super) settings: String,
    pub(super) defaults: String,
    pub(super) head_seq: i64,
    pub(super) anchor_seq: i64,
    pub(super) indexed_seq: i64,
    pub(super) version: Option<i64>,
    pub(super) last_version: i64,
    pub(super) compression_count: i32,
    pub(super) context_revision: i64,
    pub(super) accounting: String,
    pub(super) recent: Option<String>,
    pub(super) created_at: DateTime<Utc>,
    pub(super) updated_at: DateTime<Utc>,
    pub(super) live_id: Option<Uuid>,
    pub(super) live_status: Option<String>,
    pub(super) is_live_ahead: Option<bool>,
}

impl SessionRow {
    pub(super) fn read(self) -> Result<Session, StoreError> {
        let corrupt = |column, reason: String| StoreError::corrupt("sessions", column, self.id, reason);
        let live = match (self.live_id, self.live_status.as_deref()) {
            (Some(id), Some(word)) => Some(Live {
                id: CompressionId(id),
                status: Status::parse(word)
                    .ok_or_else(|| StoreError::corrupt("compressions", "status", id, "unknown word"))?,
                is_ahead: self.is_live_ahead.unwrap_or_default(),
            }),
            _ => None,
        };
        let mut session = Session {
            id: SessionId(self.id),
            settings: read_settings(&self.settings).map_err(|e| corrupt("settings", e.to_string()))?,
            defaults: read_settings(&self.defaults)
                .map_err(|e| StoreError::corrupt("tenants", "settings", self.id, e))?,
            accounting: serde_json::from_str(&self.accounting)
                .map_err(|e| corrupt("accounting", e.to_string()))?,
            recent: Recent::read(self.recent.as_deref()).map_err(|e| corrupt("recent", e.to_string()))?,
            name: SessionName::parse(&self.name).map_err(|e| corrupt("name", e.to_string()))?,
            head_seq: self.head_seq,
            anchor_seq: self.anchor_seq,
            indexed_seq: self.indexed_seq,
            version: self.version,
            last_version: self.last_version,
            compression_count: self.compression_count,
            context_revision: self.context_revision,
            created_at: self.created_at,
            updated_at: self.updated_at,
            live,
        };
        session.forget_masks_that_are_off();
        Ok(session)
    }
}

/// Most sessions and tenants set nothing, and every append reads both.
pub(super) fn read_settings(text: &str) -> Result<Settings, serde_json::Error> {
    if text == "{}" { Ok(Settings::default()) } else { serde_json::from_str(text) }
}

/// Which sessions to list.
#[derive(Clone, Debug, Default)]
pub struct SessionFilter {
    /// Only sessions of this task.
    pub task_id: Option<String>,
    /// Only sessions that this one started.
    pub parent_session_id: Option<String>,
    /// Only sessions written to at or after this time.
    pub updated_since: Option<DateTime<Utc>>,
}

/// What became of a change of settings.
#[derive(Clone, Debug)]
pub enum PutOutcome {
    /// The session was made.
    Created(Box<Session>),
    /// The session was there.
    Updated(Box<Session>),
    /// The settings were refused; nothing changed.
    Refused(SettingsError),
}

impl Store {
    /// Finds a session.
    ///
    /// # Errors
    /// When the database fails, or the row does not read back.
    pub async fn find_session(
        &self,
        tenant: TenantId,
        name: &SessionName,
    ) -> Result<Option<Session>, StoreError> {
        let mut tx = self.begin(tenant).await?;
        find(&mut tx, tenant, name).await
    }

    /// Lists a tenant's sessions, newest first.
    ///
    /// # Errors
    /// When the database fails, or a row does not read back.
    pub async fn list_sessions(
        &self,
        tenant: TenantId,
        filter: &SessionFilter,
        before: Option<SessionId>,
        limit: i64,
    ) -> Result<Vec<Session>, StoreError> {
        let mut tx = self.begin_planning(tenant).await?;
        let rows = sqlx::query_as!(
            SessionRow,
            r#"select s.id, s.name, s.settings::text as "settings!", t.settings::text as "defaults!",
                      s.head_seq, s.anchor_seq, s.indexed_seq, s.version, s.last_version, s.compression_count,
                      s.context_revision, s.accounting::text as "accounting!", null::text as recent, s.created_at, s.updated_at,
                      live.id as "live_id?", live.status as "live_status?", live.is_ahead as "is_live_ahead?"
               from sessions s
               join tenants t on t.id = s.tenant_id
               left join lateral (
                 select c.id, c.status, coalesce((c.request ->> 'ahead')::boolean, false) as is_ahead from compressions c
                 where c.tenant_id = s.tenant_id and c.session_id = s.id and c.kind = 'compress'
                   and c.status in ('queued', 'running') and not c.shadow
               ) live on true
               where s.tenant_id = $1
                 and ($2::text is null or s.task_id = $2)
                 and ($3::text is null or s.parent_session_id = $3)
                 and ($4::timestamptz is null or s.updated_at >= $4)
                 and ($5::uuid is null or s.id < $5)
                 and s.expires_at is null
               order by s.id desc limit $6"#,
            tenant.0,
            filter.task_id,
            filter.parent_session_id,
            filter.updated_since,
            before.map(|id| id.0),
            limit
        )
        .fetch_all(&mut *tx)
        .await?;
        read_all(&mut tx, tenant, rows).await
    }

    /// Makes a session or changes its settings: an absent field keeps its value, null resets it.
    ///
    /// # Errors
    /// When the database fails, or the row does not read back.
    pub async fn put_session(
        &self,
        tenant: TenantId,
        name: &SessionName,
        change: Map<String, Value>,
    ) -> Result<PutOutcome, StoreError> {
        let mut tx = self.begin(tenant).await?;
        let put = put(&mut tx, tenant, name, change).await?;
        if !matches!(put, PutOutcome::Refused(_)) {
            tx.commit().await?;
        }
        Ok(put)
    }

    /// Erases a session with everything that it owns; its live work finds nothing to publish into.
    /// False when there is no such session.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_session(&self, tenant: TenantId, name: &SessionName) -> Result<bool, StoreError> {
        let mut tx = self.begin(tenant).await?;
        // It takes as long as the session is large; its request ends before.
        sqlx::query!("set local statement_timeout = '60s'").execute(&mut *tx).await?;
        let done =
            sqlx::query!("delete from sessions where tenant_id = $1 and name = $2", tenant.0, name.as_str())
                .execute(&mut *tx)
                .await?;
        tx.commit().await?;
        Ok(done.rows_affected() == 1)
    }
}

impl Store {
    /// Erases at most `limit` sessions that nobody has written to for as long as their tenant keeps them,
    /// over all tenants; gives how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn erase_expired_sessions(&self, limit: i32) -> Result<i32, StoreError> {
        let gone =
            sqlx::query_scalar!("select erase_expired_sessions($1)", limit).fetch_one(&self.pool).await?;
        Ok(gone.unwrap_or_default())
    }

    /// Erases at most `limit` sessions of single calls whose time is over, over all tenants; gives how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn erase_single_calls(&self, limit: i32) -> Result<i32, StoreError> {
        let gone = sqlx::query_scalar!("select erase_single_calls($1)", limit).fetch_one(&self.pool).await?;
        Ok(gone.unwrap_or_default())
    }
}

/// Makes a session or changes its settings in a transaction that is open, which must not be committed when
/// they were refused.
pub(super) async fn put(
    tx: &mut PgConnection,
    tenant: TenantId,
    name: &SessionName,
    change: Map<String, Value>,
) -> Result<PutOutcome, StoreError> {
    let created = create(&mut *tx, tenant, name).await?;
    let Some(mut session) = lock(&mut *tx, tenant, name).await? else {
        // Erased between the two statements; the caller's next try makes it.
        return Err(sqlx::Error::RowNotFound.into());
    };
    let settings = match session.settings.patched(change, &session.defaults) {
        Ok(settings) => settings,
        Err(refused) => return Ok(PutOutcome::Refused(refused)),
    };
    let revision = session.context_revision;
    let tail = if session.masks_otherwise(&settings) {
        load::tail(tx, (tenant, session.id), session.floor()).await?
    } else {
        Vec::new()
    };
    match session.set(settings, &tail) {
        Err(refused) => return Ok(PutOutcome::Refused(refused)),
        Ok(false) => {}
        Ok(true) => {
            if created {
                // It begins with them.
                session.context_revision = revision;
            }
            session.updated_at = update(&mut *tx, tenant, &session).await?;
        }
    }
    let session = Box::new(session);
    Ok(if created { PutOutcome::Created(session) } else { PutOutcome::Updated(session) })
}

/// Makes the session when it is not there; true when it was made.
pub(crate) async fn create(
    tx: &mut PgConnection,
    tenant: TenantId,
    name: &SessionName,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "insert into sessions (tenant_id, id, name) values ($1, $2, $3) on conflict on constraint sessions_name_key do nothing",
        tenant.0,
        Uuid::now_v7(),
        name.as_str()
    )
    .execute(&mut *tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Finds a session in a transaction that is open.
pub(crate) async fn find(
    tx: &mut PgConnection,
    tenant: TenantId,
    name: &SessionName,
) -> Result<Option<Session>, StoreError> {
    let row = sqlx::query_as!(
        SessionRow,
        r#"select s.id, s.name, s.settings::text as "settings!", t.settings::text as "defaults!",
                  s.head_seq, s.anchor_seq, s.indexed_seq, s.version, s.last_version, s.compression_count,
                  s.context_revision, s.accounting::text as "accounting!", null::text as recent, s.created_at, s.updated_at,
                  live.id as "live_id?", live.status as "live_status?", live.is_ahead as "is_live_ahead?"
           from sessions s
           join tenants t on t.id = s.tenant_id
           left join lateral (
             select c.id, c.status, coalesce((c.request ->> 'ahead')::boolean, false) as is_ahead from compressions c
             where c.tenant_id = s.tenant_id and c.session_id = s.id and c.kind = 'compress'
               and c.status in ('queued', 'running') and not c.shadow
           ) live on true
           where s.tenant_id = $1 and s.name = $2"#,
        tenant.0,
        name.as_str()
    )
    .fetch_optional(&mut *tx)
    .await?;
    Ok(read_all(tx, tenant, row).await?.pop())
}

/// Reads rows, and counts the pins of those whose tenant has changed its own since.
async fn read_all(
    tx: &mut PgConnection,
    tenant: TenantId,
    rows: impl IntoIterator<Item = SessionRow>,
) -> Result<Vec<Session>, StoreError> {
    let mut sessions = rows.into_iter().map(SessionRow::read).collect::<Result<Vec<_>, _>>()?;
    for session in &mut sessions {
        if session.accounting.pins_revision != session.defaults.wide_pins_revision() {
            let settings = session.effective_settings();
            pins::recount(tx, (tenant, session.id), &settings, &mut session.accounting).await?;
        }
    }
    Ok(sessions)
}

/// Takes a session's row lock. Whoever locks more than one session goes in the order of their names.
///
/// A session that was locked when it was asked for comes back as it is after the wait; its `live`
/// may be from before it.
pub(crate) async fn lock(
    tx: &mut PgConnection,
    tenant: TenantId,
    name: &SessionName,
) -> Result<Option<Session>, StoreError> {
    Ok(lock_all(tx, tenant, &[name.as_str()]).await?.pop())
}

/// Takes the row locks of the sessions that exist, in the order of the names, which come in the order
/// of their bytes.
pub(super) async fn lock_all(
    tx: &mut PgConnection,
    tenant: TenantId,
    names: &[&str],
) -> Result<Vec<Session>, StoreError> {
    // One look into the unique index per name: as a plain join, the planner reads all sessions of the
    // tenant for as long as it has no statistics.
    let rows = sqlx::query_as!(
        SessionRow,
        r#"select s.id as "id!", s.name as "name!", s.settings::text as "settings!", t.settings::text as "defaults!",
                  s.head_seq as "head_seq!", s.anchor_seq as "anchor_seq!", s.indexed_seq as "indexed_seq!",
                  s.version, s.last_version as "last_version!", s.compression_count as "compression_count!",
                  s.context_revision as "context_revision!", s.accounting::text as "accounting!",
                  s.recent, s.created_at as "created_at!", s.updated_at as "updated_at!",
                  live.id as "live_id?", live.status as "live_status?", live.is_ahead as "is_live_ahead?"
           from unnest($2::text[]) as wanted(name)
           cross join lateral (
             select x.* from sessions x where x.tenant_id = $1 and x.name = wanted.name limit 1 for update
           ) s
           join tenants t on t.id = $1
           left join lateral (
             select c.id, c.status, coalesce((c.request ->> 'ahead')::boolean, false) as is_ahead from compressions c
             where c.tenant_id = $1 and c.session_id = s.id and c.kind = 'compress'
               and c.status in ('queued', 'running') and not c.shadow
             limit 1
           ) live on true"#,
        tenant.0,
        names as &[&str]
    )
    .fetch_all(&mut *tx)
    .await?;
    read_all(tx, tenant, rows).await
}

/// Takes a session's row lock, whatever it is by now.
pub(super) async fn hold(tx: &mut PgConnection, tenant: TenantId, id: SessionId) -> Result<(), StoreError> {
    sqlx::query!("select from sessions where tenant_id = $1 and id = $2 for update", tenant.0, id.0)
        .fetch_optional(tx)
        .await?;
    Ok(())
}

/// Takes a session's row lock if nobody has it; `false` when somebody has, or the session is gone.
pub(super) async fn hold_if_free(
    tx: &mut PgConnection,
    tenant: TenantId,
    id: SessionId,
) -> Result<bool, StoreError> {
    let held = sqlx::query_scalar!(
        r#"select true as "held!" from sessions where tenant_id = $1 and id = $2 for update skip locked"#,
        tenant.0,
        id.0
    )
    .fetch_optional(tx)
    .await?;
    Ok(held.is_some())
}

/// Writes back settings, revision and counts of a session that is locked; gives the time of the write.
pub(crate) async fn update(
    tx: &mut PgConnection,
    tenant: TenantId,
    session: &Session,
) -> Result<DateTime<Utc>, StoreError> {
    let text = |column, value: serde_json::Result<String>| {
        value.map_err(|error| StoreError::corrupt("sessions", column, session.id.0, error))
    };
    let settings = text("settings", serde_json::to_string(&session.settings))?;
    let mut counts = Cow::Borrowed(&session.accounting);
    if counts.prepared.is_some_and(|prepared| prepared.revision != session.served_revision()) {
        // Pins or settings have changed under it.
        prepared::supersede(tx, tenant, session.id).await?;
        counts.to_mut().prepared = None;
    }
    let accounting = text("accounting", serde_json::to_string(&counts))?;
    let written = sqlx::query_scalar!(
        "update sessions set settings = $3::text::json, accounting = $4::text::json, context_revision = $5,
                task_id = $6, parent_session_id = $7, revision = revision + 1, updated_at = now()
         where tenant_id = $1 and id = $2 returning updated_at",
        tenant.0,
        session.id.0,
        settings,
        accounting,
        session.context_revision,
        session.settings.task_id,
        session.settings.parent_session_id
    )
    .fetch_all(&mut *tx)
    .await?;
    expect_rows("the update of a session", 1, written.len() as u64)?;
    written.into_iter().next().ok_or_else(|| sqlx::Error::RowNotFound.into())
}

/// Writes back what a session that is locked becomes with a version that no compression has made.
pub(super) async fn stand_on_version(
    tx: &mut PgConnection,
    tenant: TenantId,
    session: &Session,
) -> Result<(), StoreError> {
    let accounting = serde_json::to_string(&session.accounting)
        .map_err(|error| StoreError::corrupt("sessions", "accounting", session.id.0, error))?;
    let done = sqlx::query!(
        "update sessions set version = $3, last_version = $4, anchor_seq = $5, accounting = $6::text::json,
                context_revision = $7, revision = revision + 1, updated_at = now()
         where tenant_id = $1 and id = $2",
        tenant.0,
        session.id.0,
        session.version,
        session.last_version,
        session.anchor_seq,
        accounting,
        session.context_revision
    )
    .execute(tx)
    .await?;
    expect_rows("a session's new version", 1, done.rows_affected())
}

/// Tells whoever decides on a session that is locked that something of it has changed which its row does not hold.
pub(super) async fn touch(tx: &mut PgConnection, tenant: TenantId, id: SessionId) -> Result<(), StoreError> {
    sqlx::query!(
        "update sessions set revision = revision + 1 where tenant_id = $1 and id = $2",
        tenant.0,
        id.0
    )
    .execute(tx)
    .await?;
    Ok(())
}
