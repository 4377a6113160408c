//! Forking a branch, and going back, which is a fork that becomes the current branch.

use super::{Branch, MAX_BRANCHES, Main, find, lock_main, make_current, read};
use crate::context::{CARRIED_WITHIN, find_appends, find_user};
use crate::load::{self, Which};
use crate::outlines::outlines_within;
use crate::pins::read as pins;
use crate::prelude::*;
use crate::{lock, notes, sessions};
use anchord_context::mask::Clipping;
use anchord_session::session::{ForkPoint, InheritedVersion, Session};

/// A fork as it is asked for.
#[derive(Clone, Debug, Default)]
pub struct Fork {
    /// The name of the new branch; `None` for a generated one.
    pub name: Option<BranchName>,
    /// The last message that it shares; `None` for the newest.
    pub seq: Option<Seq>,
    /// Whether it becomes the current branch.
    pub switch: bool,
    /// The digest of the message that it will begin with, by which a transcript that goes on there finds it. A branch that was
    /// forked at the same place for the same one is used again, also when it has the message already.
    pub first_digest: Option<[u8; 32]>,
}

/// The outcome of a fork, and of going back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForkOutcome {
    /// The branch is there.
    Forked(Branch),
    /// A branch at the same place is used again.
    Reused(Branch),
    /// The branch ends there already; it is current.
    Unchanged(Branch),
    /// There is no such session or branch.
    NoSession,
    /// The session has a branch of this name.
    Exists(BranchName),
    /// The session has as many branches as it may.
    TooMany,
    /// The branch does not reach there.
    BeyondHead {
        /// Its newest message.
        head_seq: Seq,
    },
}

impl Reuse<'_> {
    /// Prefix of the names of branches whose caller gives none.
    const fn prefix(self) -> &'static str {
        match self {
            Self::Never | Self::ToBeginWith(_) => "branch-",
            Self::MadeByTruncation => "back-",
        }
    }
}

/// Which branch at the same place is used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reuse<'a> {
    /// None.
    Never,
    /// One that begins with this message, or will.
    ToBeginWith(&'a [u8; 32]),
    /// An empty one that going back has made.
    MadeByTruncation,
}

impl Store {
    /// Forks a branch.
    pub async fn fork(&self, tenant: TenantId, of: &SessionRef, fork: Fork) -> Result<ForkOutcome> {
        let mut tx = self.begin(tenant).await?;
        let outcome = self::fork(&mut tx, tenant, of, fork).await?;
        tx.commit().await?;
        Ok(outcome)
    }

    /// Goes back to a message: forks there, and makes the fork the current branch.
    pub async fn truncate(&self, tenant: TenantId, of: &SessionRef, seq: Seq) -> Result<ForkOutcome> {
        let mut tx = self.begin(tenant).await?;
        let outcome = self::truncate(&mut tx, tenant, of, seq).await?;
        tx.commit().await?;
        Ok(outcome)
    }
}

/// Forks a branch in an open transaction.
pub async fn fork(tx: &mut Tx, tenant: TenantId, of: &SessionRef, fork: Fork) -> Result<ForkOutcome> {
    let Some(main) = lock_main(tx, tenant, &of.name).await? else { return Ok(ForkOutcome::NoSession) };
    let Some(parent) = hold(tx, tenant, of).await? else { return Ok(ForkOutcome::NoSession) };
    let reuse = fork.first_digest.as_ref().map_or(Reuse::Never, Reuse::ToBeginWith);
    fork_within(tx, tenant, (&main, &parent), (&fork, reuse)).await
}

/// Goes back to a message in an open transaction.
pub async fn truncate(tx: &mut Tx, tenant: TenantId, of: &SessionRef, seq: Seq) -> Result<ForkOutcome> {
    let Some(main) = lock_main(tx, tenant, &of.name).await? else { return Ok(ForkOutcome::NoSession) };
    let Some(parent) = hold(tx, tenant, of).await? else { return Ok(ForkOutcome::NoSession) };
    if seq != parent.head_seq {
        let fork = Fork { seq: Some(seq), switch: true, ..Fork::default() };
        return fork_within(tx, tenant, (&main, &parent), (&fork, Reuse::MadeByTruncation)).await;
    }
    if parent.id != main.current {
        make_current(tx, tenant, &main, parent.id).await?;
    }
    Ok(read(tx, tenant, parent.id).await?.map_or(ForkOutcome::NoSession, ForkOutcome::Unchanged))
}

/// Locks a branch and reads it then: appends to it wait for a moment, so that a fork of a busy one needs no second try.
async fn hold(tx: &mut Tx, tenant: TenantId, of: &SessionRef) -> Result<Option<Session>> {
    let Some(id) = sessions::find_id(&mut *tx, tenant, of).await? else { return Ok(None) };
    lock::hold(&mut *tx, tenant, id).await?;
    Ok(load::load(tx, tenant, Which::WithId(id)).await?.map(|loaded| loaded.session))
}

async fn fork_within(
    tx: &mut Tx,
    tenant: TenantId,
    (main, parent): (&Main, &Session),
    (fork, reuse): (&Fork, Reuse<'_>),
) -> Result<ForkOutcome> {
    let seq = fork.seq.unwrap_or(parent.head_seq);
    if seq > parent.head_seq {
        return Ok(ForkOutcome::BeyondHead { head_seq: parent.head_seq });
    }
    let base = find_base(tx, (tenant, parent), seq).await?;
    if let Some(id) = find_again(tx, (tenant, parent), (main, base.id), seq, reuse).await? {
        if fork.switch && id != main.current {
            make_current(tx, tenant, main, id).await?;
        }
        return Ok(read(tx, tenant, id).await?.map_or(ForkOutcome::NoSession, ForkOutcome::Reused));
    }
    if main.branches >= MAX_BRANCHES {
        return Ok(ForkOutcome::TooMany);
    }
    if let Some(name) = &fork.name {
        let of = SessionRef { name: parent.name.clone(), branch: Some(name.clone()) };
        // The name of main stays its own when it is erased.
        if name.is_main() || find(tx, tenant, &of).await?.is_some() {
            return Ok(ForkOutcome::Exists(name.clone()));
        }
    }
    let id = SessionId(Uuid::now_v7());
    let name = match &fork.name {
        Some(name) => name.clone(),
        None => generated(id, reuse.prefix())?,
    };
    let now = now(tx).await?;
    let mut parent = parent.clone();
    if parent.is_main() && parent.share_settings() {
        sessions::update(tx, tenant, &parent).await?;
    }
    let version = find_version(tx, parent.id.of(tenant), seq, i64::MAX).await?;
    let forked = prepare(tx, (tenant, &parent), (id, name), (seq, version), now).await?;
    insert(tx, parent.id.of(tenant), &forked, &base, fork.first_digest.as_ref()).await?;
    copy_own(tx, tenant, (parent.id, id), notes::through(&parent, seq)).await?;
    count_one_more(tx, main.id.of(tenant)).await?;
    if fork.switch {
        make_current(tx, tenant, main, id).await?;
    }
    Ok(read(tx, tenant, id).await?.map_or(ForkOutcome::NoSession, ForkOutcome::Forked))
}

/// A branch as an import tells it.
#[derive(Clone, Debug)]
pub(crate) struct Graft<'a> {
    /// Its name.
    pub(crate) name: &'a BranchName,
    /// A branch that has the last shared message, and its position.
    pub(crate) from: (&'a BranchName, Seq),
    /// The version that it begins with, and a branch that has it.
    pub(crate) version: Option<(&'a BranchName, i64)>,
    /// When it was made.
    pub(crate) created_at: DateTime<Utc>,
}

/// Makes a branch again as it began, without what it has of its own, in an open transaction; the error is the field that
/// does not fit.
pub(crate) async fn graft(
    tx: &mut Tx,
    tenant: TenantId,
    name: &SessionName,
    told: &Graft<'_>,
) -> Result<Result<(), &'static str>> {
    let of = |branch: &BranchName| SessionRef { name: name.clone(), branch: Some(branch.clone()) };
    let Some(main) = lock_main(tx, tenant, name).await? else { return Ok(Err("")) };
    if main.branches >= MAX_BRANCHES
        || told.name.is_main()
        || find(tx, tenant, &of(told.name)).await?.is_some()
    {
        return Ok(Err("/branch"));
    }
    let (from, seq) = told.from;
    let Some(mut parent) = hold(tx, tenant, &of(from)).await? else { return Ok(Err("/from/branch")) };
    if !(0..=parent.head_seq).contains(&seq) {
        return Ok(Err("/from/seq"));
    }
    let (mut owner, mut version) = (parent.id, None);
    if let Some((from, number)) = told.version {
        let Some(id) = sessions::find_id(&mut *tx, tenant, &of(from)).await? else {
            return Ok(Err("/begun_with/branch"));
        };
        let found = find_version(tx, id.of(tenant), seq, number).await?;
        let Some(found) = found.filter(|(found, _)| found.version == number) else {
            return Ok(Err("/begun_with/version"));
        };
        // It tells of messages that the branch has.
        let anchor = found.0.anchor;
        if owner_of(tx, id.of(tenant), anchor).await? != owner_of(tx, parent.id.of(tenant), anchor).await? {
            return Ok(Err("/begun_with/version"));
        }
        (owner, version) = (id, Some(found));
    }
    let base = find_base(tx, (tenant, &parent), seq).await?;
    if parent.is_main() && parent.share_settings() {
        sessions::update(tx, tenant, &parent).await?;
    }
    let id = SessionId(Uuid::now_v7());
    let at = (seq, version);
    let mut forked = prepare(tx, (tenant, &parent), (id, told.name.clone()), at, told.created_at).await?;
    forked.accounting.notes_tokens = 0;
    forked.accounting.pins_tokens = pins::count(&forked.effective_settings(), Vec::new());
    insert(tx, owner.of(tenant), &forked, &base, None).await?;
    count_one_more(tx, main.id.of(tenant)).await?;
    Ok(Ok(()))
}

async fn owner_of(tx: &mut PgConnection, key: SessionKey, seq: Seq) -> Result<Option<Uuid>> {
    let owner = sqlx::query_scalar!(
        r#"select session_id as "session_id!" from lineage($1, $2, $3, $3)"#,
        key.tenant.0,
        key.id.0,
        seq
    );
    Ok(owner.fetch_optional(tx).await?)
}

async fn count_one_more(tx: &mut PgConnection, main: SessionKey) -> Result<()> {
    sqlx::query!(
        "update sessions set branch_count = branch_count + 1, revision = revision + 1 where tenant_id = $1 and id = $2",
        main.tenant.0,
        main.id.0
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The name of a branch that its caller gave none: the random part of its id.
fn generated(id: SessionId, prefix: &str) -> Result<BranchName> {
    let hex = id.0.simple().to_string();
    let (_, random) = hex.split_at(hex.len() - 12);
    BranchName::parse(&format!("{prefix}{random}"))
        .map_err(|error| StoreError::corrupt("sessions", "branch", id.0, error))
}

async fn now(tx: &mut PgConnection) -> Result<DateTime<Utc>> {
    Ok(sqlx::query_scalar!(r#"select now() as "now!""#).fetch_one(tx).await?)
}

/// The branch that owns the last shared message, and what a branch that stands on it begins with.
struct Base {
    id: SessionId,
    depth: i32,
    /// A branch further below, and the last message that is shared with it.
    jump: (SessionId, Seq),
    /// In whose recall index messages through `indexed_seq` are.
    indexed_by: Option<SessionId>,
    indexed_seq: Seq,
}

/// Finds the owner of the last shared message. The jump pointer is that of a skew-binary list: two of equal length are
/// followed at once, so that any owner is found in a number of steps that grows with the logarithm of the depth.
async fn find_base(tx: &mut PgConnection, (tenant, parent): (TenantId, &Session), seq: Seq) -> Result<Base> {
    let row = sqlx::query!(
        r#"select b.id, b.depth, b.jump_id, b.jump_seq, j.depth as "jump_depth?", j.jump_id as "second_id?",
                  j.jump_seq as "second_seq?", k.depth as "second_depth?"
           from sessions b
           left join lateral (
             select x.* from sessions x where x.tenant_id = $1 and x.id = b.jump_id limit 1
           ) j on true
           left join lateral (
             select y.depth from sessions y where y.tenant_id = $1 and y.id = j.jump_id limit 1
           ) k on true
           where b.tenant_id = $1
             and b.id = coalesce((select o.session_id from lineage($1, $2, $3, $3) o where $3 > 0), $4)"#,
        tenant.0,
        parent.id.0,
        seq,
        parent.root.0
    )
    .fetch_one(&mut *tx)
    .await?;
    let jump = match (row.jump_depth, row.second_id, row.second_seq, row.second_depth) {
        (Some(first), Some(second_id), Some(second_seq), Some(second))
            if row.depth - first == first - second =>
        {
            (SessionId(second_id), second_seq)
        }
        _ => (SessionId(row.id), seq),
    };
    let index = sqlx::query!(
        r#"select session_id as "session_id!", least(through_seq, $3) as "through_seq!"
           from index_lineage($1, $2) where least(through_seq, $3) > after_seq limit 1"#,
        tenant.0,
        row.id,
        seq
    )
    .fetch_optional(tx)
    .await?;
    Ok(Base {
        id: SessionId(row.id),
        depth: row.depth,
        jump,
        indexed_by: index.as_ref().map(|index| SessionId(index.session_id)),
        indexed_seq: index.map_or(0, |index| index.through_seq),
    })
}

/// Finds a branch at the same place that may be used again. Going back takes an empty one that has what a new one would copy.
async fn find_again(
    tx: &mut PgConnection,
    (tenant, parent): (TenantId, &Session),
    (main, base): (&Main, SessionId),
    seq: Seq,
    reuse: Reuse<'_>,
) -> Result<Option<SessionId>> {
    let digest = match reuse {
        Reuse::Never => return Ok(None),
        Reuse::ToBeginWith(digest) => Some(digest.as_slice()),
        Reuse::MadeByTruncation => None,
    };
    let found = sqlx::query_scalar!(
        "select x.id from sessions x
         where x.base_id = $3 and x.tenant_id = $1 and x.base_seq = $4 and x.root_id = $2 and x.dropped_at is null
           and case when $5::bytea is null
                 then x.first_digest is null and x.head_seq = x.base_seq and x.last_version = x.base_version
                      and x.branch = $6 || right(x.id::text, 12)
                      and own_of_branch($1, $7, $8) = own_of_branch($1, x.id, 9223372036854775807)
                 else x.first_digest = $5 end
         order by x.id desc limit 1",
        tenant.0,
        main.id.0,
        base.0,
        seq,
        digest,
        reuse.prefix(),
        parent.id.0,
        notes::through(parent, seq)
    );
    Ok(found.fetch_optional(tx).await?.map(SessionId))
}

/// Reads what the state of the fork follows from, and decides it.
async fn prepare(
    tx: &mut Tx,
    (tenant, parent): (TenantId, &Session),
    (id, name): (SessionId, BranchName),
    (seq, mut version): (Seq, Option<(InheritedVersion, Option<Seq>)>),
    now: DateTime<Utc>,
) -> Result<Session> {
    let key = parent.id.of(tenant);
    let anchor = version.as_ref().map_or(0, |(version, _)| version.anchor);
    let floor = parent.floor_of_fork(seq, anchor);
    let tail = outlines_within(tx, key, (floor, seq), i64::MAX).await?;
    let published = version.as_ref().map_or(0, |(version, _)| parent.published_of_fork(seq, version));
    let starts = find_appends(tx, key, (published, seq)).await?;
    let user_before = find_user(tx, key, ((floor - CARRIED_WITHIN).max(0), floor)).await?;
    if let Some((version, carried)) = &mut version {
        version.carried = match carried {
            Some(carried) => find_user(tx, key, (*carried - 1, *carried)).await?,
            None => None,
        };
    }
    let counts = &parent.accounting;
    let system_tokens = if seq < counts.system_through {
        u32::try_from(sum(tx, key, (0, seq)).await?).unwrap_or(u32::MAX)
    } else {
        counts.system_tokens
    };
    // The shorter side is summed.
    let tokens = if parent.head_seq - seq < seq {
        counts.appended_tokens.saturating_sub(sum(tx, key, (seq, parent.head_seq)).await?)
    } else {
        sum(tx, key, (0, seq)).await?
    };
    let at = ForkPoint {
        seq,
        tokens,
        system_tokens,
        version: version.map(|(version, _)| version),
        tail: &tail,
        starts: &starts,
        notes_tokens: notes::tokens_at(tx, key, parent, seq).await?,
        user_before,
    };
    Ok(parent.fork((id, name), at, now))
}

/// Finds the version that a fork at a message begins with, and the message that was served beside it: the newest before the
/// first one that tells what comes later. Behind that one there may be others that do not, after a rollback; but a branch has
/// all versions before the one that it begins with. None is newer than `newest`.
async fn find_version(
    tx: &mut PgConnection,
    key: SessionKey,
    seq: Seq,
    newest: i64,
) -> Result<Option<(InheritedVersion, Option<Seq>)>> {
    let found = sqlx::query!(
        r#"select v.version as "version!", v.through_seq as "through_seq!", v.head_seq as "head_seq!",
                  v.mask_upto as "mask_upto!", v.mask_from as "mask_from!", v.carried_seq,
                  v.rendering_tokens as "rendering_tokens!", v.digest_tokens
           from version_lineage($1, $2) owner
           cross join lateral (
             select x.version, x.through_seq, x.head_seq, x.mask_upto, x.mask_from, x.carried_seq, x.rendering_tokens,
                    x.digest_tokens
             from summaries x
             where x.tenant_id = $1 and x.session_id = owner.session_id and x.version > owner.after_version
               and x.version <= least(owner.through_version, $4)
               and x.version < coalesce(
                 (select min(first.version)
                  from version_lineage($1, $2) other
                  cross join lateral (
                    select y.version from summaries y
                    where y.tenant_id = $1 and y.session_id = other.session_id and y.version > other.after_version
                      and y.version <= other.through_version
                      and y.through_seq > $3
                    order by y.version limit 1
                  ) first),
                 9223372036854775807
               )
             order by x.version desc limit 1
           ) v
           order by v.version desc limit 1"#,
        key.tenant.0,
        key.id.0,
        seq,
        newest,
    )
    .fetch_optional(tx)
    .await?;
    let tokens = |count: i32| u32::try_from(count).unwrap_or_default();
    Ok(found.map(|row| {
        let version = InheritedVersion {
            version: row.version,
            anchor: row.through_seq,
            head: row.head_seq,
            clipping: Clipping::of(row.mask_upto, u32::try_from(row.mask_from).unwrap_or(u32::MAX)),
            carried: None,
            summary_tokens: tokens(row.rendering_tokens),
            digest_tokens: row.digest_tokens.map_or(0, tokens),
        };
        (version, row.carried_seq)
    }))
}

/// Tokens of the messages after one position and up to another.
async fn sum(tx: &mut PgConnection, key: SessionKey, (after, through): (Seq, Seq)) -> Result<u64> {
    let sum = sqlx::query_scalar!(
        r#"select coalesce(sum(m.tokens), 0)::bigint as "sum!"
           from lineage($1, $2, $3::bigint + 1, $4) owner
           cross join lateral (
             select x.tokens from messages x
             where x.tenant_id = $1 and x.session_id = owner.session_id
               and x.seq between owner.first_seq and owner.last_seq
             offset 0
           ) m"#,
        key.tenant.0,
        key.id.0,
        after,
        through
    );
    Ok(u64::try_from(sum.fetch_one(tx).await?).unwrap_or_default())
}

/// Stores a branch; `parent` is one that has the version that it begins with.
async fn insert(
    tx: &mut PgConnection,
    parent: SessionKey,
    session: &Session,
    base: &Base,
    first_digest: Option<&[u8; 32]>,
) -> Result<()> {
    let corrupt = |column, error| StoreError::corrupt("sessions", column, session.id.0, error);
    // No caller can write such a name, so that it takes none of theirs.
    let name = format!("\u{2}{}", session.id.0);
    sqlx::query!(
        "insert into sessions (tenant_id, id, name, head_seq, anchor_seq, version, last_version, context_revision,
                               accounting, recent, created_at, updated_at, root_id, branch, depth, base_id, base_seq,
                               jump_id, jump_seq, version_base_id, base_version, base_anchor_seq, index_base_id,
                               base_indexed_seq, indexed_seq, first_digest)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9::text::json, $10, $11, $11, $12, $13, $14, $15, $4, $16, $17,
                 version_owner($1, $18, $6), $7, $5, $19, $20, $20, $21)",
        parent.tenant.0,
        session.id.0,
        name,
        session.head_seq,
        session.anchor_seq,
        session.version,
        session.last_version,
        session.context_revision,
        serde_json::to_string(&session.accounting).map_err(|e| corrupt("accounting", e))?,
        session.recent.write().map_err(|e| corrupt("recent", e))?,
        session.created_at,
        session.root.0,
        session.branch.as_str(),
        base.depth + 1,
        base.id.0,
        base.jump.0.0,
        base.jump.1,
        parent.id.0,
        base.indexed_by.map(|id| id.0),
        base.indexed_seq,
        first_digest.map(<[u8; 32]>::as_slice)
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Copies what a branch has of its own from the start: pins, dropped entries, todo list, the caller's probes, and the
/// notes as they were `through` a message.
async fn copy_own(
    tx: &mut PgConnection,
    tenant: TenantId,
    (from, to): (SessionId, SessionId),
    through: Seq,
) -> Result<()> {
    sqlx::query!(
        "with pinned as (
           insert into pins (tenant_id, session_id, position, id, body, created_at)
           select x.tenant_id, $3, x.position, x.id, x.body, x.created_at from pins x where x.tenant_id = $1 and x.session_id = $2
         ),
         removed as (
           insert into dropped_entries (tenant_id, session_id, entry_id, dropped_at)
           select x.tenant_id, $3, x.entry_id, x.dropped_at from dropped_entries x
           where x.tenant_id = $1 and x.session_id = $2
         ),
         listed as (
           insert into todo_lists (tenant_id, session_id, revision, items, changes, version, updated_at)
           select x.tenant_id, $3, x.revision, x.items, x.changes, x.version, x.updated_at from todo_lists x
           where x.tenant_id = $1 and x.session_id = $2
         ),
         noted as (
           insert into notes (tenant_id, session_id, id, seq, body, created_at)
           select x.tenant_id, $3, x.id, x.seq, x.body, x.created_at
           from (
             select distinct on (y.id) y.* from notes y
             where y.tenant_id = $1 and y.session_id = $2 and y.seq <= $4 order by y.id, y.seq desc
           ) x
           where x.body is not null
         )
         insert into probes (tenant_id, session_id, id, source, probe, created_at)
         select x.tenant_id, $3, x.id, x.source, x.probe, x.created_at from probes x
         where x.tenant_id = $1 and x.session_id = $2 and x.source = 'caller' and x.retired_in_version is null",
        tenant.0,
        from.0,
        to.0,
        through
    )
    .execute(tx)
    .await?;
    Ok(())
}
