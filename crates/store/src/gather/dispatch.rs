//! The dispatcher of the append queue: receives appends, starts their transactions, and rejects those that wait too
//! long.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::batch::{self, Connections, Group, Notice};
use super::queue::{Batch, Key, Queue};
use super::{AppendError, Pending};
use crate::prelude::*;

/// How long an append may wait before it is answered with [`AppendError::Busy`].
const WAIT: Duration = Duration::from_secs(5);
/// How often waiting appends are checked for that.
const EXPIRE_EVERY: Duration = Duration::from_millis(500);
/// How long a session that was locked is left alone.
const REST: Duration = Duration::from_millis(20);
/// A transaction that takes longer is aborted by closing its connection.
const BATCH_TIMEOUT: Duration = Duration::from_secs(30);

/// The outcome of a transaction.
struct BatchOutcome {
    keys: Vec<Key>,
    /// The tenant of a transaction of large appends.
    large_of: Option<TenantId>,
    back: Vec<Group>,
    /// Reused by the next transaction, because a return to the pool costs a round trip. Those of a large one are returned: they
    /// would keep the space of what was sent.
    connections: Option<Connections>,
}

/// Runs until it is closed and no append waits.
pub(super) async fn run(store: Store, mut inbox: mpsc::Receiver<Pending>, closing: CancellationToken) {
    let mut queue = Queue::new();
    let mut running = JoinSet::new();
    // Is notified when the newest transaction of small appends commits.
    let mut deciding: Option<oneshot::Receiver<()>> = None;
    let mut idle: Vec<Connections> = Vec::new();
    let mut expiry = tokio::time::interval(EXPIRE_EVERY);
    loop {
        while let Ok(pending) = inbox.try_recv() {
            take_in(&mut queue, pending);
        }
        while let Some(batch) = queue.next() {
            let (sender, commits) = oneshot::channel();
            if !batch.is_large {
                deciding = Some(commits);
            }
            running.spawn(serve(store.clone(), idle.pop(), batch, Notice::new(sender)));
        }
        if inbox.is_closed() && inbox.is_empty() && queue.is_empty() && running.is_empty() {
            return;
        }
        let wakes = queue.wakes();
        tokio::select! {
            Some(pending) = inbox.recv() => take_in(&mut queue, pending),
            Some(ended) = running.join_next() => match ended {
                Ok(ended) => {
                    idle.extend(ended.connections);
                    release(&mut queue, ended.keys, ended.large_of, ended.back);
                }
                // `serve` catches the panics of a transaction, so this one is of `serve` itself.
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
            () = notified(&mut deciding) => queue.commits(),
            () = sleep_until(wakes) => queue.wake(Instant::now()),
            _ = expiry.tick() => {
                for pending in queue.expire(Instant::now().checked_sub(WAIT).unwrap_or_else(Instant::now)) {
                    pending.answer(Err(AppendError::Busy));
                }
            }
            () = closing.cancelled(), if !inbox.is_closed() => inbox.close(),
        }
    }
}

fn take_in(queue: &mut Queue<Pending>, pending: Pending) {
    for pending in queue.push(pending) {
        pending.answer(Err(AppendError::Busy));
    }
}

/// Waits for the notification, or until its sender is gone.
async fn notified(notice: &mut Option<oneshot::Receiver<()>>) {
    match notice {
        Some(receiver) => drop(receiver.await),
        None => std::future::pending().await,
    }
    *notice = None;
}

async fn sleep_until(wakes: Option<Instant>) {
    match wakes {
        Some(wakes) => tokio::time::sleep_until(wakes.into()).await,
        None => std::future::pending().await,
    }
}

fn release(queue: &mut Queue<Pending>, keys: Vec<Key>, large_of: Option<TenantId>, back: Vec<Group>) {
    queue.end(large_of);
    let until = Instant::now() + REST;
    let mut back: Vec<(Key, Vec<Pending>)> =
        back.into_iter().map(|group| (group.key, group.appends)).collect();
    for key in keys {
        let place = back.iter().position(|(of, _)| *of == key);
        let appends = place.map(|place| back.swap_remove(place).1).unwrap_or_default();
        queue.release(key, appends, until);
    }
}

/// Runs one transaction. A failure in it does not affect other transactions; an append that is dropped in it is
/// answered with [`AppendError::Broken`].
async fn serve(
    store: Store,
    idle: Option<Connections>,
    batch: Batch<Pending>,
    commits: Notice,
) -> BatchOutcome {
    let large_of = batch.sessions.first().filter(|_| batch.is_large).map(|(key, _)| key.0);
    let keys: Vec<Key> = batch.sessions.iter().map(|(key, _)| key.clone()).collect();
    let groups: Vec<Group> =
        batch.sessions.into_iter().map(|(key, appends)| Group::new(key, appends)).collect();
    for pending in groups.iter().flat_map(|group| &group.appends) {
        metrics::histogram!("anchord_append_wait_seconds").record(pending.since.elapsed().as_secs_f64());
    }
    let connections = match idle.filter(Connections::is_usable) {
        Some(connections) => Ok(connections),
        None => connect(&store).await,
    };
    let mut connections = match connections {
        Ok(connections) => connections,
        Err(error) => {
            let error = AppendError::Store(error.into());
            for group in groups {
                group.answer_all(&error);
            }
            return BatchOutcome { keys, large_of, back: Vec::new(), connections: None };
        }
    };
    let run =
        AssertUnwindSafe(Box::pin(batch::run(&store, &mut connections, groups, &commits))).catch_unwind();
    let (back, connections) = match tokio::time::timeout(BATCH_TIMEOUT, run).await {
        Ok(Ok((back, Ok(())))) => (back, Some(connections).filter(|_| large_of.is_none())),
        Ok(Ok((back, Err(())))) => (back, None),
        Ok(Err(_)) => {
            tracing::error!("a panic in an append transaction");
            (Vec::new(), None)
        }
        Err(_) => {
            tracing::error!("an append transaction took too long");
            (Vec::new(), None)
        }
    };
    BatchOutcome { keys, large_of, back, connections }
}

async fn connect(store: &Store) -> Result<Connections> {
    Ok(Connections { reader: store.appends.acquire().await?, committer: store.committers.committer().await? })
}
