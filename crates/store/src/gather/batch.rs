//! Stores one batch: appends of several sessions, of any tenants, are read, decided, committed and answered together.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::queue::Key;
use super::stage::{self, Known, Outcome, Replays, Staged, Stored};
use super::{AppendError, Pending, Reply};
use crate::bounds::Made;
use crate::owner::appends::{Committer, Rows};
use crate::prelude::*;
use crate::{load, lock, sessions};
use tokio::sync::oneshot;

/// How often a session that keeps changing is read and decided again before its appends return to the queue.
const TRIES: usize = 4;

/// A notification that is sent once.
#[derive(Debug, Default)]
pub(super) struct Notice(Mutex<Option<oneshot::Sender<()>>>);

impl Notice {
    pub(super) fn new(sender: oneshot::Sender<()>) -> Self {
        Self(Mutex::new(Some(sender)))
    }

    fn is_given(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    pub(super) fn give(&self) {
        if let Some(sender) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // The receiver may be gone already.
            let _ = sender.send(());
        }
    }
}

/// The appends of one session.
pub(super) struct Group {
    pub(super) key: Key,
    pub(super) appends: Vec<Pending>,
    /// Whether to look up stored replies before the decision. At first no group does, because mostly there are none;
    /// the commit reports when there are.
    loads_replies: bool,
    replays: Option<Replays>,
}

impl Group {
    pub(super) fn new(key: Key, appends: Vec<Pending>) -> Self {
        Self { key, appends, loads_replies: false, replays: None }
    }

    fn coming(&self) -> load::Coming<'_> {
        let messages = self.appends.iter().flat_map(|pending| &pending.append.messages);
        let messages = messages.map(|message| &message.counted).collect();
        let every_signal = self.appends.iter().any(|pending| pending.append.included.signals);
        load::Coming { tenant: self.key.0, name: &self.key.1, messages, every_signal }
    }

    pub(super) fn answer_all(self, error: &AppendError) {
        for pending in self.appends {
            pending.answer(Err(error.clone()));
        }
    }
}

/// The connections of one transaction. One that is kept idle is found lost by the read, before anything is committed.
#[derive(Debug)]
pub(super) struct Connections {
    pub(super) reader: PgConnection,
    pub(super) committer: Committer,
}

impl Connections {
    pub(super) fn is_usable(&self) -> bool {
        self.reader.is_usable() && self.committer.is_usable()
    }
}

/// Answers every append that can be answered; returns those of sessions that are locked or change too often. `Err`
/// means that the connection must not be used again. `commits` is notified once everything decided in the first try
/// is being committed.
pub(super) async fn run(
    store: &Store,
    connections: &mut Connections,
    groups: Vec<Group>,
    commits: &Notice,
) -> (Vec<Group>, Result<(), ()>) {
    let mut left = groups;
    for _ in 0..TRIES {
        match Box::pin(attempt(store, connections, left, commits)).await {
            Ok(changed) if changed.is_empty() => return (changed, Ok(())),
            Ok(changed) => left = changed,
            // Nothing was written, so try again on another connection.
            Err((groups, error)) if error.is_lost() && !commits.is_given() => return (groups, Err(())),
            Err((groups, error)) => return apart(store, connections, groups, error).await,
        }
    }
    (left, Ok(()))
}

/// Handles a failure. If nothing can have been committed, one of the appends is the cause, and each is tried in a
/// transaction of its own.
async fn apart(
    store: &Store,
    connections: &mut Connections,
    groups: Vec<Group>,
    error: StoreError,
) -> (Vec<Group>, Result<(), ()>) {
    let appends: usize = groups.iter().map(|group| group.appends.len()).sum();
    if !error.is_refusal() || appends <= 1 {
        tracing::error!(%error, appends, "an append transaction failed");
        let is_lost = !error.is_refusal();
        let error = AppendError::Store(Arc::new(error));
        for group in groups {
            group.answer_all(&error);
        }
        return (Vec::new(), if is_lost { Err(()) } else { Ok(()) });
    }
    tracing::info!(%error, appends, "append.tried_apart");
    let mut back = Vec::new();
    for Group { key, appends, .. } in groups {
        let mut rest = Vec::new();
        for pending in appends {
            // Keep the order: appends of the session behind one that waits also wait.
            if !rest.is_empty() {
                rest.push(pending);
                continue;
            }
            let (left, is_usable) = Box::pin(run(
                store,
                connections,
                vec![Group::new(key.clone(), vec![pending])],
                &Notice::default(),
            ))
            .await;
            rest.extend(left.into_iter().flat_map(|group| group.appends));
            if is_usable.is_err() {
                // The remaining appends are answered when they are dropped.
                return (back, Err(()));
            }
        }
        if !rest.is_empty() {
            back.push(Group::new(key, rest));
        }
    }
    (back, Ok(()))
}

/// Reads, decides and writes once. Returns the groups whose sessions have changed since, or whose decision needs more
/// data; all groups when the database failed.
async fn attempt(
    store: &Store,
    connections: &mut Connections,
    mut groups: Vec<Group>,
    commits: &Notice,
) -> Result<Vec<Group>, (Vec<Group>, StoreError)> {
    let begun = Instant::now();
    let mut left = Vec::new();
    let staged = match decide(store, &mut connections.reader, &mut groups).await {
        Ok(staged) => staged,
        Err(error) => return Err((groups, error)),
    };
    let (mut decided, mut outcomes, mut models) = (Vec::new(), Vec::new(), Vec::new());
    for (mut group, staged) in groups.into_iter().zip(staged) {
        match staged {
            Outcome::Staged(staged) if staged.is_touched() => {
                decided.push(group);
                outcomes.push(staged);
            }
            // There are only rejections and replays, so nothing to commit.
            Outcome::Staged(staged) => tell(group, *staged),
            Outcome::NoBranch => group.answer_all(&AppendError::NoBranch),
            Outcome::NeedsReplies => {
                group.loads_replies = true;
                left.push(group);
            }
            Outcome::NeedsModel { main, model } => {
                models.push((main.of(group.key.0), model));
                left.push(group);
            }
        }
    }
    if decided.is_empty() {
        set_models(store, models).await;
        return Ok(left);
    }
    commits.give();
    let done = async {
        connections.committer.commit(&rows(&decided, &outcomes)?).await.map_err(StoreError::of_a_commit)
    };
    let done = match done.await {
        Ok(done) => done,
        Err(error) => {
            decided.extend(left);
            return Err((decided, error));
        }
    };
    metrics::histogram!("anchord_append_transaction_seconds").record(begun.elapsed().as_secs_f64());
    let stored = decided.iter().zip(1..).filter(|(_, place)| done.contains(place));
    let appends = stored.map(|(group, _)| group.appends.len()).sum::<usize>();
    // Where every session had changed since it was read, nothing was stored.
    if appends > 0 {
        #[expect(clippy::cast_precision_loss, reason = "at most 64 appends")]
        metrics::histogram!("anchord_append_batch_appends").record(appends as f64);
    }
    for ((mut group, staged), place) in decided.into_iter().zip(outcomes).zip(1..) {
        if done.contains(&place) {
            if staged.makes_session() {
                store.count_session(group.key.0);
            }
            match staged.replies(&group.appends) {
                0 => {}
                replies => store.count_replies(group.key.0, replies),
            }
            tell(group, *staged);
        } else {
            group.loads_replies = true;
            left.push(group);
        }
    }
    set_models(store, models).await;
    Ok(left)
}

/// Decides every group on the current state of its session.
async fn decide(store: &Store, connection: &mut PgConnection, groups: &mut [Group]) -> Result<Vec<Outcome>> {
    find_replies(connection, groups).await?;
    let coming: Vec<_> = groups.iter().map(Group::coming).collect();
    let loaded = load::load_for_appends(connection, &coming).await?;
    let mut staged = Vec::with_capacity(groups.len());
    for (group, loaded) in groups.iter().zip(loaded) {
        let tenant = group.key.0;
        let Some(loaded) = loaded else {
            staged.push(Outcome::NoBranch);
            continue;
        };
        let no_session = match loaded.revision {
            None => full(store.require_session_room(connection, tenant, Made::Later).await)?,
            Some(_) => None,
        };
        let no_reply = if group.appends.iter().any(|pending| pending.append.reply_key.is_some()) {
            full(store.require_reply_room(connection, tenant).await)?
        } else {
            None
        };
        let known = Known {
            replays: group.replays.as_ref(),
            no_session: no_session.as_ref(),
            no_reply: no_reply.as_ref(),
        };
        staged.push(stage::stage(&group.appends, loaded, known));
    }
    Ok(staged)
}

/// Separates a bound that is reached from a failure.
fn full(room: Result<()>) -> Result<Option<AppendError>> {
    match room {
        Ok(()) => Ok(None),
        Err(full @ StoreError::OverQuota { .. }) => Ok(Some(AppendError::Store(Arc::new(full)))),
        Err(error) => Err(error),
    }
}

/// Decides and writes one append in an open transaction.
pub(super) async fn run_within(
    tx: &mut PgConnection,
    pending: Pending,
) -> Result<Result<Reply, AppendError>> {
    let key = (pending.append.tenant, pending.append.session.clone());
    let group = Group::new(key, vec![pending]);
    let loaded = load::load_for_appends(tx, &[group.coming()]).await?.pop().ok_or(StoreError::Contended)?;
    let Some(loaded) = loaded else { return Ok(Err(AppendError::NoBranch)) };
    let known = Known { replays: Some(&Replays::new()), ..Known::default() };
    let Outcome::Staged(staged) = stage::stage(&group.appends, loaded, known) else {
        return Err(StoreError::Contended);
    };
    if staged.is_touched()
        && rows(std::slice::from_ref(&group), std::slice::from_ref(&staged))?.write(tx).await?.is_empty()
    {
        return Err(StoreError::Contended);
    }
    staged.answers.into_iter().next().map_or(Ok(Err(AppendError::Broken)), Ok)
}

/// Sets the models of sessions with branches, of each the first that is named: an append that names another is decided again on
/// that, and sets its own then. It comes after the writes of what was decided with it, which stands on the settings as they were;
/// so two branches with different models take turns. A change that fails is tried again with the appends.
async fn set_models(store: &Store, models: Vec<(SessionKey, String)>) {
    let mut set = Vec::new();
    for (of, model) in models {
        if set.contains(&of) {
            continue;
        }
        if let Err(error) = set_model(store, of, &model).await {
            tracing::info!(%error, "append.model_not_set");
        }
        set.push(of);
    }
}

/// Sets the model of a session. A locked session is skipped.
async fn set_model(store: &Store, main: SessionKey, model: &str) -> Result<()> {
    let mut tx = store.begin(main.tenant).await?;
    if lock::try_acquire(&mut tx, main.tenant, main.id).await?
        && sessions::set_model(&mut tx, main, model).await?
    {
        tx.commit().await?;
    }
    Ok(())
}

/// Loads the stored replies to earlier requests with the same keys, for the groups that ask for them. The statement sets the
/// tenant of each as that of `load` does.
async fn find_replies(connection: &mut PgConnection, groups: &mut [Group]) -> Result<()> {
    let (mut places, mut tenants, mut routes, mut keys) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (place, group) in groups.iter_mut().enumerate().filter(|(_, group)| group.loads_replies) {
        group.replays = Some(Replays::new());
        for key in group.appends.iter().filter_map(|pending| pending.append.reply_key.as_ref()) {
            places.push(place);
            tenants.push(group.key.0.0);
            routes.push(key.route.clone());
            keys.push(key.key.clone());
        }
    }
    if places.is_empty() {
        return Ok(());
    }
    let rows = sqlx::query!(
        r#"select w.place as "place!", i.body_digest, i.reply
           from (
             select u.*, set_config('app.tenant_id', u.tenant::text, true)::uuid as tenant_id
             from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as u(tenant, route, key, place)
             offset 0
           ) w
           cross join lateral (
             select x.body_digest, x.reply from idempotency_keys x
             where x.tenant_id = w.tenant_id and x.route = w.route and x.key = w.key
               and x.created_at > now() - interval '24 hours'
               -- Replies of an erased session are deleted in steps.
               and (x.session_id is null or (select s.dropped_at is null from sessions s
                                             where s.tenant_id = x.tenant_id and s.id = x.session_id limit 1))
             limit 1
           ) i"#,
        &tenants,
        &routes,
        &keys
    )
    .fetch_all(connection)
    .await?;
    for row in rows {
        let at = usize::try_from(row.place - 1).unwrap_or(usize::MAX);
        let (Some(place), Some(route), Some(key)) = (places.get(at), routes.get(at), keys.get(at)) else {
            continue;
        };
        let replays = groups.get_mut(*place).and_then(|group| group.replays.as_mut());
        if let Some(replays) = replays {
            replays
                .insert((route.clone(), key.clone()), Stored { digest: row.body_digest, reply: row.reply });
        }
    }
    Ok(())
}

/// The rows of the decisions.
fn rows<'a>(groups: &'a [Group], staged: &'a [Box<Staged>]) -> Result<Rows<'a>> {
    let mut rows = Rows::default();
    for (group, staged) in groups.iter().zip(staged) {
        staged.write(&group.appends, &mut rows)?;
    }
    Ok(rows)
}

/// Answers the appends of a session, after the commit if there was one.
fn tell(group: Group, staged: Staged) {
    for (pending, answer) in group.appends.into_iter().zip(staged.answers) {
        if let Ok(Reply { stored: Some(stored), .. }) = &answer {
            metrics::counter!("anchord_appended_messages_total")
                .increment(pending.append.messages.len() as u64);
            metrics::counter!("anchord_appended_tokens_total").increment(stored.tokens);
        }
        pending.answer(answer);
    }
}
