//! Sessions: creating, reading, listing, changing and erasing them, and locking their rows.

use serde_json::{Map, Value};

use super::bounds;
use super::bounds::Made;
use super::error::expect_rows;
use super::load::{self, Loaded, Tries, Which};
use super::metadata::{self, MetadataField};
use crate::prelude::*;
pub use anchord_session::session::{Live, Session};
use anchord_session::settings::{Settings, SettingsError};

/// Which sessions to list.
#[derive(Clone, Debug, Default)]
pub struct SessionFilter {
    /// Only sessions of this task.
    pub task_id: Option<String>,
    /// Only sessions that this one started.
    pub parent_session_id: Option<String>,
    /// Only sessions of this end user.
    pub user: Option<String>,
    /// Only sessions with all of these fields in their metadata.
    pub metadata: Vec<MetadataField>,
    /// Only sessions of which a branch was written to at or after this time.
    pub updated_since: Option<DateTime<Utc>>,
    /// Only sessions whose name has this in it.
    pub named: Option<String>,
}

/// The outcome of a change of settings.
#[derive(Clone, Debug)]
pub enum PutOutcome {
    /// The session was created.
    Created(Box<Session>),
    /// The session existed.
    Updated(Box<Session>),
    /// The settings were rejected; nothing has changed.
    Refused(SettingsError),
    /// The branch that is named does not exist.
    NoBranch,
}

impl Store {
    /// Finds a session.
    pub async fn find_session(&self, tenant: TenantId, name: &SessionRef) -> Result<Option<Session>> {
        Ok(self.load_session(tenant, name).await?.map(|loaded| loaded.session))
    }

    /// Reads a session for a decision; `None` when there is none.
    pub(super) async fn load_session(&self, tenant: TenantId, name: &SessionRef) -> Result<Option<Loaded>> {
        loop {
            let mut reading = self.reading(tenant).await?;
            let loaded = load::load(reading.connection(), tenant, Which::Named(name)).await;
            if let Some(loaded) = reading.finish(loaded)? {
                return Ok(loaded);
            }
        }
    }

    /// Lists a tenant's sessions, newest first, each with the state of its current branch; `before` is the id of main.
    pub async fn list_sessions(
        &self,
        tenant: TenantId,
        filter: &SessionFilter,
        before: Option<SessionId>,
        limit: i64,
    ) -> Result<Vec<Session>> {
        let mut tx = self.begin_planning(tenant).await?;
        let found = list(&mut tx, tenant, filter, before, limit).await?;
        let wanted: Vec<_> = found.into_iter().map(|id| (tenant, Which::WithId(SessionId(id)))).collect();
        let loaded = load::load_all(&mut tx, &wanted).await?;
        Ok(loaded.into_iter().map(|loaded| loaded.session).collect())
    }

    /// Creates a session or replaces its settings: an absent field has its default.
    pub async fn put_session(
        &self,
        tenant: TenantId,
        name: &SessionRef,
        settings: Map<String, Value>,
    ) -> Result<PutOutcome> {
        self.put_kept(tenant, name, settings, None).await
    }

    /// As [`Store::put_session`]; a session that is made expires after so many hours.
    pub(super) async fn put_kept(
        &self,
        tenant: TenantId,
        name: &SessionRef,
        settings: Map<String, Value>,
        hours: Option<i32>,
    ) -> Result<PutOutcome> {
        let mut tries = Tries::default();
        loop {
            let mut tx = self.begin(tenant).await?;
            match put(&mut tx, tenant, name, &settings).await? {
                Some(put @ (PutOutcome::Refused(_) | PutOutcome::NoBranch)) => return Ok(put),
                Some(put) => {
                    if let PutOutcome::Created(session) = &put {
                        self.require_session_room(&mut tx, tenant, Made::InTransaction).await?;
                        if let Some(hours) = hours {
                            sqlx::query!(
                                "update sessions set expires_at = now() + make_interval(hours => $3)
                                 where tenant_id = $1 and id = $2",
                                tenant.0,
                                session.id.0,
                                hours
                            )
                            .execute(&mut *tx)
                            .await?;
                        }
                    }
                    tx.commit().await?;
                    if matches!(put, PutOutcome::Created(_)) {
                        self.count_session(tenant);
                    }
                    return Ok(put);
                }
                None => tx.rollback().await?,
            }
            tries.again().await?;
        }
    }

    /// Changes a session's settings: an absent field keeps its value, null resets it. `None` when there is no such
    /// session.
    pub async fn patch_session(
        &self,
        tenant: TenantId,
        name: &SessionRef,
        change: Map<String, Value>,
    ) -> Result<Option<PutOutcome>> {
        let mut tries = Tries::default();
        loop {
            let mut tx = self.begin(tenant).await?;
            let Some(loaded) = load::load(&mut tx, tenant, Which::Named(name)).await? else {
                return Ok(None);
            };
            let Session { settings, defaults, .. } = &loaded.session;
            let settings = match settings.patched(change.clone(), defaults) {
                Ok(settings) => settings,
                Err(refused) => return Ok(Some(PutOutcome::Refused(refused))),
            };
            match set(&mut tx, loaded, settings, false).await? {
                Some(Ok(session)) => {
                    tx.commit().await?;
                    return Ok(Some(PutOutcome::Updated(session)));
                }
                Some(Err(refused)) => return Ok(Some(PutOutcome::Refused(refused))),
                None => tx.rollback().await?,
            }
            tries.again().await?;
        }
    }
}

/// Creates a session or replaces its settings in an open transaction. Returns `None` when the session has changed
/// since it was read. Then, and when the settings were rejected, the transaction must not be committed.
pub(super) async fn put(
    tx: &mut PgConnection,
    tenant: TenantId,
    of: &SessionRef,
    settings: &Map<String, Value>,
) -> Result<Option<PutOutcome>> {
    // A branch that is named and not there is made by nothing but a fork.
    let created = !of.is_of_other_branch() && create(&mut *tx, tenant, &of.name).await?;
    let Some(loaded) = load::load(&mut *tx, tenant, Which::Named(of)).await? else {
        return Ok(of.branch.is_some().then_some(PutOutcome::NoBranch));
    };
    let Session { settings: old, defaults, .. } = &loaded.session;
    let mut settings = settings.clone();
    // PUT cannot remove a fixed tokenizer.
    if loaded.session.has_fixed_tokenizer()
        && let Some(fixed) = old.tokenizer
    {
        let given = settings.entry("tokenizer").or_insert_with(|| fixed.as_ref().into());
        if given.is_null() {
            *given = fixed.as_ref().into();
        }
    }
    let settings = match old.replaced(settings, defaults) {
        Ok(settings) => settings,
        Err(refused) => return Ok(Some(PutOutcome::Refused(refused))),
    };
    let put = set(tx, loaded, settings, created).await?;
    Ok(put.map(|set| match set {
        Err(refused) => PutOutcome::Refused(refused),
        Ok(session) if created => PutOutcome::Created(session),
        Ok(session) => PutOutcome::Updated(session),
    }))
}

/// Sets the model of a session by the id of main; returns `false` when nothing is to be committed, because the session has
/// changed meanwhile or the model is refused.
pub(super) async fn set_model(tx: &mut PgConnection, main: SessionKey, model: &str) -> Result<bool> {
    let Some(loaded) = load::load(&mut *tx, main.tenant, Which::Main(main.id)).await? else {
        return Ok(false);
    };
    let Ok(settings) = loaded.session.settings.with_model(model, &loaded.session.defaults) else {
        return Ok(false);
    };
    Ok(matches!(set(tx, loaded, settings, false).await?, Some(Ok(_))))
}

/// Gives a session its settings, whichever branch of it was read; `None` when it has changed since. Returns the branch as
/// it is then.
async fn set(
    tx: &mut PgConnection,
    loaded: Loaded,
    settings: Settings,
    created: bool,
) -> Result<Option<Result<Box<Session>, SettingsError>>> {
    let (tenant, branch, read) = (loaded.tenant, loaded.session.id, loaded.session.settings_revision);
    let mut main = loaded;
    if !main.session.is_main() {
        // All branches read the settings in main's row.
        match load::load(&mut *tx, tenant, Which::Main(main.session.root)).await? {
            Some(of_main) if of_main.session.settings_revision == read => main = of_main,
            _ => return Ok(None),
        }
    }
    if !load::hold_as_read(&mut *tx, &main).await? {
        return Ok(None);
    }
    let session = &mut main.session;
    let revision = session.context_revision;
    let has_other_metadata = settings.metadata != session.settings.metadata;
    if settings.task_id.is_some() && settings.task_id != session.settings.task_id {
        bounds::require_task_room(&mut *tx, session.id.of(tenant)).await?;
    }
    let tail = if session.masks_otherwise(&settings) {
        load::tail(tx, session.id.of(tenant), session.floor()).await?
    } else {
        Vec::new()
    };
    match session.set(settings, &tail) {
        Err(refused) => return Ok(Some(Err(refused))),
        Ok(false) => {}
        Ok(true) => {
            if created {
                // A new session already has these settings in its first revision.
                session.context_revision = revision;
            }
            session.updated_at = update(&mut *tx, tenant, session).await?;
        }
    }
    if has_other_metadata {
        metadata::replace(&mut *tx, session.id.of(tenant), session.settings.metadata.as_ref()).await?;
    }
    if branch == main.session.id {
        return Ok(Some(Ok(Box::new(main.session))));
    }
    let branch = load::load(tx, tenant, Which::WithId(branch)).await?;
    Ok(branch.map(|loaded| Ok(Box::new(loaded.session))))
}

/// The ids of the current branches of a tenant's sessions, the newest session first.
pub(super) async fn list(
    tx: &mut PgConnection,
    tenant: TenantId,
    filter: &SessionFilter,
    before: Option<SessionId>,
    limit: i64,
) -> Result<Vec<Uuid>> {
    if let Some((first, others)) = filter.metadata.split_first() {
        return list_with(tx, tenant, (filter, first, others), before, limit).await;
    }
    let found = sqlx::query_scalar!(
        r#"select coalesce(s.current_id, s.id) as "id!" from sessions s
         where s.tenant_id = $1 and s.root_id is null
           and ($2::text is null or s.task_id = $2)
           and ($3::text is null or s.parent_session_id = $3)
           and ($4::timestamptz is null or s.updated_at >= $4
                or (s.branch_count > 0
                    and exists (select from sessions b
                                where b.root_id = s.id and b.tenant_id = $1 and b.dropped_at is null
                                  and b.updated_at >= $4)))
           and ($5::uuid is null or s.id < $5)
           and ($7::text is null or s.user_id = $7)
           and ($8::text is null or position($8 in s.name) > 0)
           and s.expires_at is null
         order by s.id desc limit $6"#,
        tenant.0,
        filter.task_id,
        filter.parent_session_id,
        filter.updated_since,
        before.map(|id| id.0),
        limit,
        filter.user,
        filter.named
    );
    Ok(found.fetch_all(tx).await?)
}

/// The ids of the current branches of the sessions with some fields in their metadata: those with the first one are read in the order of the
/// list until the page is full.
async fn list_with(
    tx: &mut PgConnection,
    tenant: TenantId,
    (filter, first, others): (&SessionFilter, &MetadataField, &[MetadataField]),
    before: Option<SessionId>,
    limit: i64,
) -> Result<Vec<Uuid>> {
    let (names, values): (Vec<&str>, Vec<&str>) =
        others.iter().map(|field| (field.name.as_str(), field.value.as_str())).unzip();
    let found = sqlx::query_scalar!(
        r#"select coalesce(s.current_id, s.id) as "id!" from (
             select m.session_id from session_metadata m
             where m.tenant_id = $1 and m.name = $8 and m.value = $9 and ($5::uuid is null or m.session_id < $5)
             order by m.session_id desc
           ) with_first
           cross join lateral (
             select x.id, x.current_id from sessions x
             where x.tenant_id = $1 and x.id = with_first.session_id and x.root_id is null
               and ($2::text is null or x.task_id = $2)
               and ($3::text is null or x.parent_session_id = $3)
               and ($4::timestamptz is null or x.updated_at >= $4
                    or (x.branch_count > 0
                        and exists (select from sessions b
                                    where b.root_id = x.id and b.tenant_id = $1 and b.dropped_at is null
                                      and b.updated_at >= $4)))
               and ($7::text is null or x.user_id = $7)
               and ($12::text is null or position($12 in x.name) > 0)
               and x.expires_at is null
             limit 1
           ) s
           where not exists (
             select from unnest($10::text[], $11::text[]) as wanted(name, value)
             where not exists (select from session_metadata o
                               where o.tenant_id = $1 and o.name = wanted.name and o.value = wanted.value
                                 and o.session_id = s.id)
           )
           order by with_first.session_id desc limit $6"#,
        tenant.0,
        filter.task_id,
        filter.parent_session_id,
        filter.updated_since,
        before.map(|id| id.0),
        limit,
        filter.user,
        first.name,
        first.value,
        &names as &[&str],
        &values as &[&str],
        filter.named
    );
    Ok(found.fetch_all(tx).await?)
}

/// Creates the session when it does not exist; returns whether it did.
pub(crate) async fn create(tx: &mut PgConnection, tenant: TenantId, name: &SessionName) -> Result<bool> {
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

/// Finds a session; may run in an open transaction.
pub async fn find(
    connection: &mut PgConnection,
    tenant: TenantId,
    name: &SessionRef,
) -> Result<Option<Session>> {
    Ok(load::load(connection, tenant, Which::Named(name)).await?.map(|loaded| loaded.session))
}

/// The id of a session's branch; `None` when there is no such session or branch.
pub(super) async fn find_id(
    connection: &mut PgConnection,
    tenant: TenantId,
    of: &SessionRef,
) -> Result<Option<SessionId>> {
    let found =
        sqlx::query_scalar!("select find_session($1, $2, $3)", tenant.0, of.name.as_str(), of.branch_str());
    Ok(found.fetch_one(connection).await?.map(SessionId))
}

/// Locks a session's row, and reads it then.
pub async fn lock(tx: &mut PgConnection, tenant: TenantId, name: &SessionRef) -> Result<Option<Session>> {
    let held = sqlx::query_scalar!(
        "select s.id from sessions s where s.tenant_id = $1 and s.id = find_session($1, $2, $3) for update",
        tenant.0,
        name.name.as_str(),
        name.branch_str()
    )
    .fetch_optional(&mut *tx)
    .await?;
    let Some(id) = held else { return Ok(None) };
    Ok(load::load(tx, tenant, Which::WithId(SessionId(id))).await?.map(|loaded| loaded.session))
}

/// Writes counts and revision of a locked session, and the settings in main; returns the time of the write.
pub(crate) async fn update(
    tx: &mut PgConnection,
    tenant: TenantId,
    session: &Session,
) -> Result<DateTime<Utc>> {
    let text = |column, value: serde_json::Result<String>| {
        value.map_err(|error| StoreError::corrupt("sessions", column, session.id.0, error))
    };
    // The settings of the session are in main's row.
    let of_session = session.is_main().then_some(&session.settings);
    let settings =
        of_session.map(|settings| text("settings", serde_json::to_string(settings))).transpose()?;
    let accounting = text("accounting", serde_json::to_string(&session.accounting))?;
    let written = sqlx::query_scalar!(
        "update sessions set settings = coalesce($3::text::json, settings), settings_revision = coalesce($9, settings_revision),
                accounting = $4::text::json, context_revision = $5, task_id = $6, parent_session_id = $7, user_id = $8,
                revision = revision + 1, updated_at = now()
         where tenant_id = $1 and id = $2 returning updated_at",
        tenant.0,
        session.id.0,
        settings,
        accounting,
        session.context_revision,
        of_session.and_then(|settings| settings.task_id.as_deref()),
        of_session.and_then(|settings| settings.parent_session_id.as_deref()),
        of_session.and_then(|settings| settings.user.as_deref()),
        of_session.map(|_| session.settings_revision)
    )
    .fetch_all(&mut *tx)
    .await?;
    expect_rows("the update of a session", 1, written.len() as u64)?;
    written.into_iter().next().ok_or_else(|| sqlx::Error::RowNotFound.into())
}

/// Writes the state of a locked session after a version that no compression made.
pub(super) async fn update_for_version(
    tx: &mut PgConnection,
    tenant: TenantId,
    session: &Session,
) -> Result<()> {
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
