//! The transaction that several appends of one tenant share.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use uuid::Uuid;

use super::held::Held;
use super::stage::{self, Draft, Locked, OutputRow, Replays, Rows, Stored};
use super::{AppendError, Reply, Traced};
use super::{masking, share};
use crate::domain::compression::{Request, Status};
use crate::domain::id::{CompressionId, TenantId};
use crate::store::idempotency::ReplyKey;
use crate::store::sessions::{self, Live, RowProof, Session};
use crate::store::{StoreError, events, expect_rows, prepared};

/// Prepares a connection that a lane keeps.
pub(super) async fn settle_in(
    connection: &mut PgConnection,
    lock_timeout: Duration,
) -> Result<(), StoreError> {
    // A row lock that someone else keeps must not hold up every tenant of the lane. The statements look
    // rows up by key, so a plan of their own for each call costs more than it finds.
    let settings =
        format!("set lock_timeout = {}; set plan_cache_mode = force_generic_plan", lock_timeout.as_millis());
    sqlx::raw_sql(AssertSqlSafe(settings)).execute(connection).await?;
    Ok(())
}

/// Stores the appends, all of one tenant, and answers each; an error means that nothing was stored,
/// unless the connection was lost at the commit. What it knows of the sessions then is held for the next appends.
pub(super) async fn run(
    connection: &mut PgConnection,
    appends: &[Traced],
    held: &mut Held,
) -> Result<Vec<Result<Reply, AppendError>>, StoreError> {
    let Some(tenant) = appends.first().map(|append| append.tenant) else { return Ok(Vec::new()) };
    let begin = format!("begin; set local app.tenant_id = '{}'", tenant.0);
    let mut tx = connection.begin_with(AssertSqlSafe(begin)).await?;
    let mut locked = lock(&mut tx, tenant, appends).await?;
    masking::step(&mut tx, tenant, &mut locked).await?;
    let replays = find_replays(&mut tx, tenant, appends).await?;
    let mut rows = Rows::default();
    let drafts = stage::stage(appends, &mut locked, &replays, &mut rows);
    for (draft, append) in drafts.iter().zip(appends) {
        // Of several appends of a session its newest one's: the jobs are one for all.
        if let Draft::Staged { session, .. } = draft
            && let (Some(locked), Some(trace)) = (locked.get_mut(*session), &append.trace)
        {
            locked.trace = Some(trace.clone());
        }
    }
    if rows.seqs.is_empty() {
        tx.rollback().await?;
        return Ok(answer(drafts, &locked));
    }
    share::share(&mut tx, tenant, &mut rows).await?;
    let proofs = write(&mut tx, tenant, &rows, &locked).await?;
    for locked in &locked {
        if let Some(payload) = &locked.warned {
            events::warned(&mut tx, (tenant, locked.session.id), payload).await?;
        }
    }
    publish(&mut tx, tenant, &mut locked).await?;
    enqueue(&mut tx, tenant, &mut locked).await?;
    let unused = stage::unused(&locked);
    if !unused.is_empty() {
        let ids: Vec<Uuid> = unused.iter().map(|id| id.0).collect();
        sqlx::query!("delete from sessions where tenant_id = $1 and id = any($2)", tenant.0, &ids)
            .execute(&mut *tx)
            .await?;
    }
    let keyed = keyed_sessions(appends, &drafts, &locked);
    let answers = answer(drafts, &locked);
    remember_replies(&mut tx, tenant, &keyed, &answers).await?;
    tx.commit().await?;
    for published in locked.iter().filter_map(|locked| locked.published.as_ref()) {
        published.figures.record(Status::Succeeded);
    }
    for locked in locked {
        let proof = proofs.get(&locked.session.id.0).copied();
        // A publication writes the row once more.
        if let Some(proof) = proof.filter(|_| locked.may_publish().is_none()) {
            held.put(locked, proof);
        }
    }
    Ok(answers)
}

/// Locks the sessions in the order of their names, making those that are new.
async fn lock(
    tx: &mut PgConnection,
    tenant: TenantId,
    appends: &[Traced],
) -> Result<Vec<Locked>, StoreError> {
    let names: Vec<&str> =
        appends.iter().map(|append| append.session.as_str()).collect::<BTreeSet<_>>().into_iter().collect();
    let mut found = sessions::lock_all(tx, tenant, &names).await?;
    if found.len() == names.len() {
        sort(&mut found);
        return Ok(found.into_iter().map(|session| Locked::new(tenant, session, false)).collect());
    }
    let missing: Vec<&str> =
        names.iter().copied().filter(|name| !found.iter().any(|s| s.name.as_str() == *name)).collect();
    let ids: Vec<Uuid> = missing.iter().map(|_| Uuid::now_v7()).collect();
    let made = sqlx::query_scalar!(
        "insert into sessions (tenant_id, id, name)
         select $1, n.id, n.name from unnest($2::uuid[], $3::text[]) as n(id, name) order by n.name
         on conflict on constraint sessions_name_key do nothing returning id",
        tenant.0,
        &ids,
        &missing as &[&str]
    )
    .fetch_all(&mut *tx)
    .await?;
    let mut found = sessions::lock_all(tx, tenant, &names).await?;
    // One that was erased since: the batch fails, and each append tries again by itself.
    expect_rows("locking the sessions of an append", names.len() as u64, found.len() as u64)?;
    sort(&mut found);
    Ok(found
        .into_iter()
        .map(|session| {
            let fresh = made.contains(&session.id.0);
            Locked::new(tenant, session, fresh)
        })
        .collect())
}

/// Puts sessions in the order of their names' bytes, which [`stage`] looks them up by.
fn sort(sessions: &mut [Session]) {
    sessions.sort_unstable_by(|a, b| a.name.as_str().cmp(b.name.as_str()));
}

/// Finds the replies that earlier requests with the same keys stored. The session's lock is held, so
/// none can be added meanwhile: a key's route names its session.
async fn find_replays(
    tx: &mut PgConnection,
    tenant: TenantId,
    appends: &[Traced],
) -> Result<Replays, StoreError> {
    let (routes, keys): (Vec<&str>, Vec<&str>) = appends
        .iter()
        .filter_map(|append| append.reply_key.as_ref())
        .map(|key| (key.route.as_str(), key.key.as_str()))
        .unzip();
    if routes.is_empty() {
        return Ok(Replays::default());
    }
    let rows = sqlx::query!(
        "select i.route, i.key, i.body_digest, i.reply
         from unnest($2::text[], $3::text[]) as asked(route, key)
         join idempotency_keys i on i.tenant_id = $1 and i.route = asked.route and i.key = asked.key
         where i.created_at > now() - interval '24 hours'",
        tenant.0,
        &routes as &[&str],
        &keys as &[&str]
    )
    .fetch_all(&mut *tx)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| ((row.route, row.key), Stored { digest: row.body_digest, reply: row.reply }))
        .collect())
}

/// Inserts every message and tool output and updates every session in one statement; gives what proves later
/// that a session is as it was written.
async fn write(
    tx: &mut PgConnection,
    tenant: TenantId,
    rows: &Rows<'_>,
    locked: &[Locked],
) -> Result<HashMap<Uuid, RowProof>, StoreError> {
    let mut ids = Vec::with_capacity(locked.len());
    let mut heads = Vec::with_capacity(locked.len());
    let mut accountings = Vec::with_capacity(locked.len());
    let mut recents = Vec::with_capacity(locked.len());
    for locked in locked.iter().filter(|locked| locked.is_touched()) {
        ids.push(locked.session.id.0);
        heads.push(locked.session.head_seq);
        let corrupt = |column, error| StoreError::corrupt("sessions", column, locked.session.id.0, error);
        let accounting = serde_json::to_string(&locked.session.accounting);
        accountings.push(accounting.map_err(|error| corrupt("accounting", error))?);
        recents.push(locked.session.recent.write().map_err(|error| corrupt("recent", error))?);
    }
    let (mut bodies, mut rests) = (Vec::new(), Vec::new());
    for (body, shared) in rows.bodies.iter().zip(&rows.shared) {
        let (body, rest) = if shared.is_none() { (Some(body), None) } else { (None, Some(body)) };
        bodies.push(body.map(AsRef::as_ref));
        rests.push(rest.map(AsRef::as_ref));
    }
    let outputs = OutputColumns::of(&rows.outputs);
    let done = sqlx::query!(
        r#"with new_messages as (
           insert into messages (tenant_id, session_id, seq, role, format, tokens, least_tokens, shape, keep, component,
                                 body, rest, shared)
           select $1, m.* from unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::integer[], $18::integer[],
                                      $7::text[], $8::text[], $9::text[], $10::text[], $22::text[], $19::text[]) as m
         ),
         -- The first message that holds an output stays its source.
         new_outputs as (
           insert into tool_outputs (tenant_id, session_id, reference, seq, ordinal, start, bytes)
           select $1, o.* from unnest($11::uuid[], $12::text[], $13::bigint[], $14::integer[], $20::integer[],
                                      $21::integer[]) as o
           on conflict do nothing
         )
         update sessions s set head_seq = u.head_seq, accounting = u.accounting::json, recent = u.recent,
                updated_at = now()
         from unnest($15::uuid[], $16::bigint[], $17::text[], $23::text[]) as u(id, head_seq, accounting, recent)
         -- One look into the primary key per session: as a plain join, the planner reads all sessions of
         -- the tenant for as long as it has no statistics. The rows are locked, so they stay in place.
         cross join lateral (
           select x.ctid as place from sessions x where x.tenant_id = $1 and x.id = u.id limit 1
         ) at
         where s.tenant_id = $1 and s.ctid = at.place
         returning s.id, s.xmin::text::bigint as "proof!""#,
        tenant.0,
        &rows.sessions,
        &rows.seqs,
        &rows.roles as &[&str],
        &rows.formats as &[&str],
        &rows.tokens,
        &rows.shapes as &[Option<&str>],
        &rows.keeps as &[Option<&str>],
        &rows.components as &[Option<&str>],
        &bodies as &[Option<&str>],
        &outputs.sessions,
        &outputs.references as &[&str],
        &outputs.seqs,
        &outputs.ordinals,
        &ids,
        &heads,
        &accountings,
        &rows.least_tokens as &[Option<i32>],
        &rows.shared as &[Option<String>],
        &outputs.starts as &[Option<i32>],
        &outputs.bytes as &[Option<i32>],
        &rests as &[Option<&str>],
        &recents
    )
    .fetch_all(&mut *tx)
    .await?;
    expect_rows("the update of appended sessions", ids.len() as u64, done.len() as u64)?;
    Ok(done.into_iter().filter_map(|row| Some((row.id, RowProof::read(row.proof)?))).collect())
}

/// The tool outputs column by column, as `unnest` takes them.
#[derive(Default)]
pub(super) struct OutputColumns<'a> {
    pub(super) sessions: Vec<Uuid>,
    pub(super) references: Vec<&'a str>,
    pub(super) seqs: Vec<i64>,
    pub(super) ordinals: Vec<i32>,
    pub(super) starts: Vec<Option<i32>>,
    pub(super) bytes: Vec<Option<i32>>,
}

impl<'a> OutputColumns<'a> {
    pub(super) fn of(outputs: &[OutputRow<'a>]) -> Self {
        let mut columns = Self::default();
        for row in outputs {
            let start = row.start.and_then(|start| i32::try_from(start).ok());
            columns.sessions.push(row.session);
            columns.references.push(&row.output.reference);
            columns.seqs.push(row.seq);
            columns.ordinals.push(row.output.ordinal);
            columns.starts.push(start);
            columns.bytes.push(start.and_then(|_| i32::try_from(row.output.place.len()).ok()));
        }
        columns
    }
}

/// Publishes what was made ahead of need for the sessions that need it now: their appends answer with the
/// context that it leaves. What fails is undone and left to a compression of its own, so that neither these
/// appends nor their neighbours are lost over it.
async fn publish(tx: &mut PgConnection, tenant: TenantId, locked: &mut [Locked]) -> Result<(), StoreError> {
    for locked in locked {
        let Some(start) = locked.may_publish() else { continue };
        let session = locked.session.id;
        let mut point = tx.begin().await?;
        match prepared::publish(&mut point, tenant, session, &start).await {
            Ok(published) => {
                point.commit().await?;
                locked.published = published;
            }
            Err(error) => {
                point.rollback().await?;
                tracing::error!(session.id = %session.0, %error, "a prepared version could not be published");
                prepared::supersede(tx, tenant, session).await?;
            }
        }
    }
    Ok(())
}

/// Queues the jobs that the appends ask for, and wakes the workers when there is a new one.
async fn enqueue(tx: &mut PgConnection, tenant: TenantId, locked: &mut [Locked]) -> Result<(), StoreError> {
    let mut ids = Vec::new();
    let mut sessions = Vec::new();
    let mut kinds: Vec<&str> = Vec::new();
    let mut triggers: Vec<&str> = Vec::new();
    let mut requests: Vec<String> = Vec::new();
    let mut traces: Vec<Option<&str>> = Vec::new();
    for locked in locked.iter().filter(|locked| locked.is_touched()) {
        let index = locked.wants_index().then_some(("index", "recall", Request::default()));
        let compress = locked.to_queue().map(|start| ("compress", start.kind.as_str(), start.request()));
        for (kind, trigger, request) in compress.into_iter().chain(index) {
            let text = serde_json::to_string(&request);
            requests.push(text.map_err(|error| {
                StoreError::corrupt("compressions", "request", locked.session.id.0, error)
            })?);
            ids.push(Uuid::now_v7());
            sessions.push(locked.session.id.0);
            kinds.push(kind);
            triggers.push(trigger);
            traces.push(locked.trace.as_deref());
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    // What `live` says may be from before the lock, so a live job is no reason not to try: the
    // unique index knows. Notifying costs commits, so it happens for new jobs alone.
    let made = sqlx::query!(
        r#"with made as (
             insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, trace_context)
             select $1, j.id, j.session_id, j.kind, 'queued', j.trigger, j.request::json, j.trace
             from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[])
               as j(id, session_id, kind, trigger, request, trace)
             on conflict do nothing returning id, session_id, kind
           )
           select id as "id!", session_id as "session_id!", kind as "kind!",
                  pg_notify('anchord_queue', '')::text as notified
           from made"#,
        tenant.0,
        &ids,
        &sessions,
        &kinds as &[&str],
        &triggers as &[&str],
        &requests,
        &traces as &[Option<&str>]
    )
    .fetch_all(&mut *tx)
    .await?;
    for locked in locked.iter_mut() {
        let Some(start) = locked.to_queue() else { continue };
        let id = locked.session.id.0;
        let is_made = made.iter().any(|job| job.session_id == id && job.kind == "compress");
        if !is_made && !start.is_ahead && locked.is_speculative() {
            // It may be at work ahead of need: what it makes is needed now.
            prepared::need_now(tx, tenant, locked.session.id, &start.request()).await?;
        }
        if let Some(job) = made.iter().find(|job| job.session_id == id && job.kind == "compress") {
            locked.session.live = Some(Live { id: CompressionId(job.id), status: Status::Queued });
        } else if locked.session.live.is_none() {
            locked.session.live = find_live(tx, tenant, id).await?;
        }
    }
    Ok(())
}

/// The live compression that kept a new one out, when the session was read before it began.
async fn find_live(
    tx: &mut PgConnection,
    tenant: TenantId,
    session: Uuid,
) -> Result<Option<Live>, StoreError> {
    let row = sqlx::query!(
        "select id, status from compressions where tenant_id = $1 and session_id = $2 and kind = 'compress'
           and status in ('queued', 'running') and not shadow",
        tenant.0,
        session
    )
    .fetch_optional(&mut *tx)
    .await?;
    Ok(row.and_then(|row| Some(Live { id: CompressionId(row.id), status: Status::parse(&row.status)? })))
}

/// An append with a key that was staged: its place, its key and its session.
struct Keyed<'a> {
    place: usize,
    key: &'a ReplyKey,
    session: Uuid,
}

fn keyed_sessions<'a>(appends: &'a [Traced], drafts: &[Draft], locked: &[Locked]) -> Vec<Keyed<'a>> {
    let mut keyed = Vec::new();
    for (place, (append, draft)) in appends.iter().zip(drafts).enumerate() {
        if let (Some(key), Draft::Staged { session, .. }) = (&append.reply_key, draft)
            && let Some(locked) = locked.get(*session)
        {
            keyed.push(Keyed { place, key, session: locked.session.id.0 });
        }
    }
    keyed
}

pub(super) fn answer(drafts: Vec<Draft>, locked: &[Locked]) -> Vec<Result<Reply, AppendError>> {
    let mut answers: Vec<Result<Reply, AppendError>> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let answer = if let Draft::Repeats(earlier) = draft {
            let first = answers.get(earlier).and_then(|answer| answer.as_ref().ok());
            first.map(|first| Reply { body: first.body.clone(), stored: None }).ok_or(AppendError::Broken)
        } else {
            draft.render(locked)
        };
        answers.push(answer);
    }
    answers
}

/// Stores the replies of keyed appends in the same commit, so that a crash leaves no key behind.
async fn remember_replies(
    tx: &mut PgConnection,
    tenant: TenantId,
    keyed: &[Keyed<'_>],
    answers: &[Result<Reply, AppendError>],
) -> Result<(), StoreError> {
    if keyed.is_empty() {
        return Ok(());
    }
    let mut routes = Vec::new();
    let mut keys = Vec::new();
    let mut sessions = Vec::new();
    let mut digests: Vec<&[u8]> = Vec::new();
    let mut replies = Vec::new();
    for entry in keyed {
        let Some(Ok(reply)) = answers.get(entry.place) else { continue };
        routes.push(entry.key.route.as_str());
        keys.push(entry.key.key.as_str());
        sessions.push(entry.session);
        digests.push(&entry.key.body_digest);
        replies.push(reply.body.as_str());
    }
    sqlx::query!(
        "insert into idempotency_keys (tenant_id, route, key, session_id, body_digest, status, reply)
         select $1, r.route, r.key, r.session_id, r.digest, 201, r.reply
         from unnest($2::text[], $3::text[], $4::uuid[], $5::bytea[], $6::text[])
           as r(route, key, session_id, digest, reply)
         -- Only a reply that is over and not yet removed is in the way.
         on conflict (tenant_id, route, key) do update
         set session_id = excluded.session_id, body_digest = excluded.body_digest, status = excluded.status,
             reply = excluded.reply, headers = excluded.headers, created_at = now()",
        tenant.0,
        &routes as &[&str],
        &keys as &[&str],
        &sessions,
        &digests as &[&[u8]],
        &replies as &[&str]
    )
    .execute(&mut *tx)
    .await?;
    Ok(())
}
