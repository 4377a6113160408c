//! Reads sessions without a lock, each row in one statement, with the revisions that later show whether they have changed. What
//! an append needs besides is read after it; the revisions at the commit cover both. The only file that reads the whole of a
//! session's row.
//!
//! The revision is a column and not the row's `xmin`: a column shows its purpose, survives a copy of the table, and
//! works on a distributed Postgres, where `xmin` changes when a shard moves. Queueing or cancelling a compression
//! increments it too, because an append decides on the live compression. Usage reports, todo lists and the queueing
//! of jobs lock the row first, because their decisions take no time.

use std::time::Duration;

use super::history;
use super::outlines::{OutlineRow, read_all};
use super::pins::read as pins;
use crate::prelude::*;
use anchord_session::accounting::MessageCounts;
use anchord_session::compression::Status;
use anchord_session::outline::Outline;
use anchord_session::session::{Live, Session};
use anchord_session::settings::Settings;
use anchord_session::trigger::Recent;

/// How many tries a change of a session has, which take some five seconds. Settings, pins, and rollbacks are
/// rare: each has a transaction of its own that locks the row only to write.
const TRIES: u32 = 64;
/// The pause before the second try; each later one is longer by this much, up to the longest.
const PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// A session, and the revisions that must be the same when a decision on it is written.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    pub(super) tenant: TenantId,
    pub(super) session: Session,
    /// `None` for a session that does not exist; the commit creates it.
    pub(super) revision: Option<i64>,
    /// Revision of the inherited settings: the tenant's, plus the session's for a branch beside main.
    pub(super) above_revision: i64,
}

/// How a session is identified.
#[derive(Clone, Copy, Debug)]
pub(super) enum Which<'a> {
    Named(&'a SessionRef),
    WithId(SessionId),
    /// Main, also when it is erased: its row has the settings of the session.
    Main(SessionId),
}

/// Messages that are appended to a session.
pub(super) struct Coming<'a> {
    pub(super) tenant: TenantId,
    pub(super) name: &'a SessionRef,
    pub(super) messages: Vec<&'a MessageCounts>,
    /// Whether one of the appends asks for every signal.
    pub(super) every_signal: bool,
}

/// Reads the sessions of appends, in the order of these. The mask positions are moved as the decision needs them; a session
/// that does not exist is returned in its initial state. `None` for a branch that does not exist: an append makes none.
pub(super) async fn load_for_appends(
    connection: &mut PgConnection,
    appends: &[Coming<'_>],
) -> Result<Vec<Option<Loaded>>> {
    let wanted: Vec<_> = appends.iter().map(|one| (one.tenant, Which::Named(one.name))).collect();
    let mut loaded = Vec::with_capacity(appends.len());
    for (row, Coming { tenant, name, every_signal, .. }) in
        read(connection, &wanted).await?.into_iter().zip(appends)
    {
        // The tenant is gone. The appends of other tenants are tried again without this one.
        let row = row.ok_or(StoreError::NoTenant)?;
        loaded.push(match row.id {
            Some(_) => {
                let mut one = refreshed(connection, row.read(*tenant)?).await?;
                history::complete(connection, &mut one, *every_signal).await?;
                Some(one)
            }
            // The session has no such branch; nobody but a fork makes one.
            None if name.is_of_other_branch() || row.is_named => None,
            None => Some(row.begun(*tenant, &name.name)?),
        });
    }
    let messages = appends.iter().map(|one| one.messages.as_slice());
    mask(connection, loaded.iter_mut().zip(messages)).await?;
    Ok(loaded)
}

/// Reads a session; `None` when there is none.
pub(super) async fn load(
    connection: &mut PgConnection,
    tenant: TenantId,
    which: Which<'_>,
) -> Result<Option<Loaded>> {
    // Boxed, because this future is large.
    Ok(Box::pin(load_all(connection, &[(tenant, which)])).await?.pop())
}

/// Reads those of the sessions that exist, in the given order.
pub(super) async fn load_all(
    connection: &mut PgConnection,
    wanted: &[(TenantId, Which<'_>)],
) -> Result<Vec<Loaded>> {
    let mut loaded = Vec::with_capacity(wanted.len());
    for (row, (tenant, _)) in read(connection, wanted).await?.into_iter().zip(wanted) {
        if let Some(row) = row.filter(|row| row.id.is_some()) {
            loaded.push(refreshed(connection, row.read(*tenant)?).await?);
        }
    }
    Ok(loaded)
}

/// Counts again what was counted before the session's settings or the tenant's pins have changed.
async fn refreshed(connection: &mut PgConnection, mut loaded: Loaded) -> Result<Loaded> {
    let session = &mut loaded.session;
    if session.has_stale_counts() {
        let tail = if session.has_uncounted_masks() {
            tail(connection, session.id.of(loaded.tenant), session.floor()).await?
        } else {
            Vec::new()
        };
        session.refresh_counts(&tail);
    }
    let revision = session.defaults.wide_pins_revision();
    if session.accounting.pins_revision != revision {
        let has_begun = connection.enter(loaded.tenant).await?;
        let own = pins::list(connection, session.id.of(loaded.tenant)).await;
        connection.leave(has_begun).await?;
        let own = own?;
        session.accounting.pins_tokens = pins::count(&session.effective_settings(), own);
        session.accounting.pins_revision = revision;
    }
    Ok(loaded)
}

/// Locks a session for the length of the transaction; returns `false` when it has changed since it was read, or is
/// gone. The settings that it inherits may change at any moment; it was unchanged when the lock was requested.
pub(super) async fn hold_as_read(tx: &mut PgConnection, loaded: &Loaded) -> Result<bool> {
    let held = sqlx::query_scalar!(
        r#"select true as "held!" from sessions s join tenants t on t.id = s.tenant_id
           where s.tenant_id = $1 and s.id = $2 and s.revision = $3
             and t.revision + coalesce((select r.settings_revision from sessions r
                                        where r.tenant_id = $1 and r.id = s.root_id limit 1), 0) = $4
           for update of s"#,
        loaded.tenant.0,
        loaded.session.id.0,
        loaded.revision,
        loaded.above_revision
    )
    .fetch_optional(tx)
    .await?;
    Ok(held.is_some())
}

/// Counts the tries of a decision whose session keeps changing.
#[derive(Debug, Default)]
pub struct Tries(u32);

impl Tries {
    /// Waits before the next try, so that the other change can finish.
    ///
    /// # Errors
    /// When no try is left.
    pub async fn again(&mut self) -> Result<()> {
        self.0 += 1;
        if self.0 == TRIES {
            return Err(StoreError::Contended);
        }
        tokio::time::sleep((PAUSE * self.0).min(LONGEST_PAUSE)).await;
        Ok(())
    }
}

/// The outlines of all messages of a session after a position, ascending.
pub(super) async fn tail(connection: &mut PgConnection, key: SessionKey, after: Seq) -> Result<Vec<Outline>> {
    let tails = tails(connection, &[(key.tenant, key.id, after)]).await?;
    Ok(tails.into_iter().next().unwrap_or_default())
}

/// Reads the rows of sessions with their tenants', each by its name and that of a branch (the current one when there is none), or
/// by the branch's id.
///
/// For each of them the statement sets its tenant, so that row-level security shows the rows of that one: one statement outside
/// of a transaction reads sessions of many tenants. All that follows is searched by what setting the tenant returned, so that
/// it cannot come before; `limit` and `offset 0` keep the planner from merging the parts.
async fn read(connection: &mut PgConnection, wanted: &[(TenantId, Which<'_>)]) -> Result<Vec<Option<Row>>> {
    let tenants: Vec<Uuid> = wanted.iter().map(|(tenant, _)| tenant.0).collect();
    let (mut names, mut branches, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    for (_, which) in wanted {
        let (name, branch, id) = match which {
            Which::Named(of) => (Some(of.name.as_str()), of.branch_str(), None),
            Which::WithId(id) => (None, None, Some(id.0)),
            Which::Main(id) => (None, Some(BranchName::MAIN), Some(id.0)),
        };
        names.push(name);
        branches.push(branch);
        ids.push(id);
    }
    let rows = sqlx::query_as!(
        Row,
        r#"select w.place as "place!", s.id as "id?", coalesce(s.root_id, s.id) as root_id, coalesce(root.name, s.name) as name,
                  s.branch as "branch?", s.root_id is not null or s.branch_count > 0 as has_branches,
                  coalesce(root.settings, s.settings)::text as settings,
                  coalesce(root.settings_revision, s.settings_revision) as settings_revision, t.settings::text as "defaults!",
                  s.head_seq as "head_seq?", s.anchor_seq as "anchor_seq?", s.indexed_seq as "indexed_seq?",
                  s.version as "version?", s.last_version as "last_version?", s.compression_count as "compression_count?",
                  s.context_revision as "context_revision?", s.accounting::text as accounting, s.recent as "recent?",
                  s.created_at as "created_at?", s.updated_at as "updated_at?", now() as "read_at!", live.id as "live_id?",
                  live.status as "live_status?", s.revision as "revision?",
                  t.revision + coalesce(root.settings_revision, 0) as "above_revision!", named.id is not null as "is_named!"
           from (
             select u.*, set_config('app.tenant_id', u.tenant::text, true)::uuid as tenant_id
             from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[]) with ordinality as u(tenant, name, branch, id, place)
             offset 0
           ) w
           cross join lateral (
             select x.settings, x.revision from tenants x where x.id = w.tenant_id and x.erased_at is null limit 1
           ) t
           left join lateral (
             select x.id, x.branch, x.current_id from sessions x where x.tenant_id = w.tenant_id and x.name = w.name limit 1
           ) named on true
           left join lateral (
             select x.id from sessions x
             where x.root_id = named.id and x.tenant_id = w.tenant_id and x.branch = w.branch and x.dropped_at is null limit 1
           ) other on true
           -- Apart, because under row security a search by an expression does not use the index.
           cross join lateral (
             select coalesce(w.id, case when w.branch is null then coalesce(named.current_id, named.id)
                                        when w.branch = named.branch then named.id else other.id end) as id
             offset 0
           ) chosen
           left join lateral (
             select x.* from sessions x
             where x.tenant_id = w.tenant_id and x.id = chosen.id and x.erased_at is null
               -- Main's row has the settings, also when main is erased: who asks for it names both.
               and (x.dropped_at is null or (x.id = w.id and x.root_id is null and x.branch = w.branch))
             limit 1
           ) s on true
           left join lateral (
             select x.name, x.settings, x.settings_revision from sessions x
             where x.tenant_id = w.tenant_id and x.id = s.root_id limit 1
           ) root on true
           left join lateral (
             select x.id, x.status from compressions x
             where x.tenant_id = w.tenant_id and x.session_id = s.id and x.kind = 'compress'
               and x.status in ('queued', 'running')
             limit 1
           ) live on true"#,
        &tenants,
        &names as &[Option<&str>],
        &branches as &[Option<&str>],
        &ids as &[Option<Uuid>]
    )
    .fetch_all(connection)
    .await?;
    let mut found: Vec<Option<Row>> = wanted.iter().map(|_| None).collect();
    for row in rows {
        let place = usize::try_from(row.place - 1).unwrap_or(usize::MAX);
        if let Some(found) = found.get_mut(place) {
            *found = Some(row);
        }
    }
    Ok(found)
}

/// Moves the mask positions of the sessions that are full enough.
async fn mask<'a>(
    connection: &mut PgConnection,
    loaded: impl Iterator<Item = (&'a mut Option<Loaded>, &'a [&'a MessageCounts])>,
) -> Result<()> {
    let mut pressed: Vec<_> = loaded
        .filter_map(|(one, coming)| {
            let one = one.as_mut()?;
            one.session.clip_boundary(coming.iter().copied()).map(|newest| (one, newest))
        })
        .collect();
    if pressed.is_empty() {
        return Ok(());
    }
    let wanted: Vec<_> =
        pressed.iter().map(|(one, _)| (one.tenant, one.session.id, one.session.floor())).collect();
    for ((one, newest), tail) in pressed.iter_mut().zip(tails(connection, &wanted).await?) {
        let marks = one.session.accounting.marks(&tail);
        one.session.clip_before(*newest, &tail, &marks);
    }
    Ok(())
}

/// The outlines of the messages of each session after a position, ascending, in the given order of sessions. The statement sets
/// the tenant as that of [`read`] does.
async fn tails(
    connection: &mut PgConnection,
    wanted: &[(TenantId, SessionId, Seq)],
) -> Result<Vec<Vec<Outline>>> {
    let tenants: Vec<Uuid> = wanted.iter().map(|(tenant, ..)| tenant.0).collect();
    let sessions: Vec<Uuid> = wanted.iter().map(|(_, session, _)| session.0).collect();
    let after: Vec<Seq> = wanted.iter().map(|(.., after)| *after).collect();
    let rows = sqlx::query!(
        r#"select w.place as "place!", m.seq, m.role, m.format = 'openai-responses' as "is_item!", m.tokens, m.shape, m.keep,
                  m.component = 'retrieved_documents' as retrieved, octet_length(m.body) as "bytes!"
           from (
             select u.*, set_config('app.tenant_id', u.tenant::text, true)::uuid as tenant_id
             from unnest($1::uuid[], $2::uuid[], $3::bigint[]) with ordinality as u(tenant, session_id, after, place)
             offset 0
           ) w
           cross join lateral lineage(w.tenant_id, w.session_id, w.after + 1, 9223372036854775807) owner
           cross join lateral (
             select x.* from messages x
             where x.tenant_id = w.tenant_id and x.session_id = owner.session_id
               and x.seq between owner.first_seq and owner.last_seq
             order by x.seq
           ) m"#,
        &tenants,
        &sessions,
        &after
    )
    .fetch_all(connection)
    .await?;
    let mut tails: Vec<Vec<OutlineRow>> = wanted.iter().map(|_| Vec::new()).collect();
    for row in rows {
        let place = usize::try_from(row.place - 1).unwrap_or(usize::MAX);
        let Some(tail) = tails.get_mut(place) else { continue };
        tail.push(OutlineRow {
            seq: row.seq,
            role: row.role,
            is_item: row.is_item,
            tokens: row.tokens,
            shape: row.shape,
            keep: row.keep,
            retrieved: row.retrieved,
            bytes: row.bytes,
        });
    }
    let mut outlines = Vec::with_capacity(tails.len());
    for (tail, (_, session, _)) in tails.into_iter().zip(wanted) {
        let mut tail = read_all(*session, tail)?;
        tail.sort_unstable_by_key(|outline| outline.seq);
        outlines.push(tail);
    }
    Ok(outlines)
}

/// A session's row with its tenant's; the session's columns are absent when it does not exist.
struct Row {
    place: i64,
    id: Option<Uuid>,
    root_id: Option<Uuid>,
    name: Option<String>,
    branch: Option<String>,
    has_branches: Option<bool>,
    settings: Option<String>,
    settings_revision: Option<i64>,
    defaults: String,
    head_seq: Option<i64>,
    anchor_seq: Option<i64>,
    indexed_seq: Option<i64>,
    version: Option<i64>,
    last_version: Option<i64>,
    compression_count: Option<i32>,
    context_revision: Option<i64>,
    accounting: Option<String>,
    recent: Option<String>,
    created_at: Option<DateTime<Utc>>,
    updated_at: Option<DateTime<Utc>>,
    read_at: DateTime<Utc>,
    live_id: Option<Uuid>,
    live_status: Option<String>,
    revision: Option<i64>,
    above_revision: i64,
    /// Whether there is a session of the name.
    is_named: bool,
}

impl Row {
    /// The initial state of a session with this name.
    fn begun(self, tenant: TenantId, name: &SessionName) -> Result<Loaded> {
        let defaults = self.defaults(tenant)?;
        let session = Session::new(SessionId(Uuid::now_v7()), name.clone(), defaults, self.read_at);
        Ok(Loaded { tenant, session, revision: None, above_revision: self.above_revision })
    }

    fn defaults(&self, tenant: TenantId) -> Result<Settings> {
        read_settings(&self.defaults)
            .map_err(|error| StoreError::corrupt("tenants", "settings", tenant.0, error))
    }

    fn read(self, tenant: TenantId) -> Result<Loaded> {
        let id = self.id.unwrap_or_default();
        let corrupt =
            |column, reason: &dyn std::fmt::Display| StoreError::corrupt("sessions", column, id, reason);
        let live = match (self.live_id, self.live_status.as_deref()) {
            (Some(id), Some(word)) => Some(Live {
                id: CompressionId(id),
                status: word
                    .parse::<Status>()
                    .map_err(|_| StoreError::corrupt("compressions", "status", id, "unknown word"))?,
            }),
            _ => None,
        };
        let accounting = self.accounting.as_deref().unwrap_or_default();
        let mut session = Session {
            id: SessionId(id),
            root: SessionId(self.root_id.unwrap_or(id)),
            defaults: self.defaults(tenant)?,
            settings: read_settings(self.settings.as_deref().unwrap_or_default())
                .map_err(|e| corrupt("settings", &e))?,
            settings_revision: self.settings_revision.unwrap_or_default(),
            has_branches: self.has_branches.unwrap_or_default(),
            accounting: serde_json::from_str(accounting).map_err(|e| corrupt("accounting", &e))?,
            recent: Recent::read(self.recent.as_deref()),
            name: SessionName::parse(self.name.as_deref().unwrap_or_default())
                .map_err(|e| corrupt("name", &e))?,
            branch: BranchName::parse(self.branch.as_deref().unwrap_or_default())
                .map_err(|e| corrupt("branch", &e))?,
            head_seq: self.head_seq.unwrap_or_default(),
            anchor_seq: self.anchor_seq.unwrap_or_default(),
            indexed_seq: self.indexed_seq.unwrap_or_default(),
            version: self.version,
            last_version: self.last_version.unwrap_or_default(),
            compression_count: self.compression_count.unwrap_or_default(),
            context_revision: self.context_revision.unwrap_or_default(),
            created_at: self.created_at.unwrap_or_default(),
            updated_at: self.updated_at.unwrap_or_default(),
            live,
        };
        session.take_named_model();
        session.forget_masks_that_are_off();
        let (revision, above_revision) = (self.revision, self.above_revision);
        Ok(Loaded { tenant, session, revision, above_revision })
    }
}

/// Parses settings. `{}` has a shortcut, because most sessions and tenants set nothing, and every append reads both.
fn read_settings(text: &str) -> Result<Settings, serde_json::Error> {
    if text == "{}" { Ok(Settings::default()) } else { serde_json::from_str(text) }
}
