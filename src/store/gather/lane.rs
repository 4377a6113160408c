//! One queue of appends, and the connection that serves it.

use std::collections::VecDeque;
use std::ops::Deref;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use sqlx::Postgres;
use sqlx::pool::PoolConnection;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::held::Held;
use super::slow::{Slow, UnderWay};
use super::{Append, AppendError, LANE_QUEUE, Reply, batch, quick};
use crate::store::{Store, StoreError};

/// Appends in one transaction.
const BATCH_APPENDS: usize = 64;
/// Bytes of bodies in one transaction; a larger append goes alone.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// How long a row lock that somebody else keeps may hold up a lane, in which other sessions wait, and then the
/// slow lane.
const LOCK_TIMEOUTS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// A transaction that takes longer is given up with its connection.
const BATCH_TIMEOUT: Duration = Duration::from_secs(30);

/// An append that waits.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) append: Append,
    pub(super) bytes: usize,
    pub(super) since: Instant,
    /// The trace of the request that it came with.
    pub(super) trace: Option<String>,
    pub(super) reply: oneshot::Sender<Result<Reply, AppendError>>,
    /// Its share of the memory that may wait, given back with the answer.
    pub(super) room: OwnedSemaphorePermit,
    /// What has the later ones of its session follow it into the slow lane, given back with the answer too.
    pub(super) under_way: Option<UnderWay>,
}

/// One queue and the connection that serves it. A session has one lane in a process, so that its appends
/// keep their order and never wait for each other's locks; while it has some in the slow lane, what comes
/// goes there.
pub(super) struct Lane {
    store: Store,
    inbox: mpsc::Receiver<Pending>,
    waiting: VecDeque<Pending>,
    /// Kept between transactions: giving it back to the pool costs a round trip.
    connection: Option<PoolConnection<Postgres>>,
    held: Held,
    /// Where appends go that hold this lane up; none from the slow lane itself.
    slow: Option<Slow>,
}

impl Lane {
    /// Makes one of `lanes`.
    pub(super) fn new(
        store: Store,
        inbox: mpsc::Receiver<Pending>,
        lanes: usize,
        slow: Option<Slow>,
    ) -> Self {
        Self { store, inbox, waiting: VecDeque::new(), connection: None, held: Held::new(lanes), slow }
    }

    fn lock_timeout(&self) -> Duration {
        if self.slow.is_some() { LOCK_TIMEOUTS.0 } else { LOCK_TIMEOUTS.1 }
    }

    /// Serves until it is closed and nothing waits.
    pub(super) async fn run(mut self, closing: CancellationToken) {
        loop {
            if self.waiting.is_empty() {
                let received = tokio::select! {
                    received = self.inbox.recv() => received,
                    () = closing.cancelled(), if !self.inbox.is_closed() => {
                        self.inbox.close();
                        continue;
                    }
                };
                let Some(pending) = received else { return };
                self.waiting.push_back(pending);
            }
            while self.waiting.len() < LANE_QUEUE {
                let Ok(pending) = self.inbox.try_recv() else { break };
                self.waiting.push_back(pending);
            }
            let batch = self.next_batch();
            self.serve(batch).await;
        }
    }

    /// Takes what waits, oldest first, up to the bounds.
    fn next_batch(&mut self) -> Vec<Pending> {
        let mut bytes = 0;
        // The first that does not fit closes the batch, or a session's appends would swap places.
        let mut fits = |(place, pending): (usize, &Pending)| {
            bytes += pending.bytes;
            place == 0 || (place < BATCH_APPENDS && bytes <= BATCH_BYTES)
        };
        let taken = self.waiting.iter().enumerate().take_while(|entry| fits(*entry)).count();
        self.waiting.drain(..taken).collect()
    }

    /// Answers every append of the batch: what can be is stored in one statement, of all tenants together;
    /// the rest goes tenant by tenant.
    async fn serve(&mut self, mut batch: Vec<Pending>) {
        for pending in &batch {
            metrics::histogram!("anchord_append_wait_seconds").record(pending.since.elapsed().as_secs_f64());
        }
        // Row locks are taken in this order; the sort keeps a session's appends in theirs.
        batch.sort_by(|a, b| {
            let (a, b) = (&a.append, &b.append);
            (a.tenant, a.session.as_str()).cmp(&(b.tenant, b.session.as_str()))
        });
        let (appends, waiters): (Vec<Traced>, Vec<Waiter>) = batch
            .into_iter()
            .map(|Pending { append, bytes, since, trace, reply, room, under_way }| {
                (Traced { append, trace }, Waiter { reply, room, under_way, bytes, since })
            })
            .unzip();
        let answers = match self.attempt(&appends, Way::Quick).await {
            Ok(answers) => answers,
            Err(failure) => return self.recover(appends, waiters, failure).await,
        };
        let mut left = Vec::new();
        let mut left_waiters = Vec::new();
        for ((append, waiter), answer) in appends.into_iter().zip(waiters).zip(answers) {
            if let Some(answer) = answer {
                waiter.tell(answer);
            } else {
                left.push(append);
                left_waiters.push(waiter);
            }
        }
        let mut left = left.into_iter().zip(left_waiters).peekable();
        while let Some((append, waiter)) = left.next() {
            let tenant = append.tenant;
            let (mut appends, mut waiters) = (vec![append], vec![waiter]);
            while let Some((append, waiter)) = left.next_if(|(append, _)| append.tenant == tenant) {
                appends.push(append);
                waiters.push(waiter);
            }
            match self.attempt(&appends, Way::Long).await {
                Ok(answers) => tell_all(waiters, answers),
                Err(failure) => self.recover(appends, waiters, failure).await,
            }
        }
    }

    /// Answers appends whose transaction has failed.
    async fn recover(&mut self, appends: Vec<Traced>, waiters: Vec<Waiter>, failure: Failure) {
        if !failure.is_certain() {
            let answer = failure.into_answer();
            for waiter in waiters {
                waiter.tell(Err(answer.clone()));
            }
            return;
        }
        // Nothing is committed, and one of them is the cause: each gets a transaction of its own.
        let is_alone = appends.len() == 1;
        let mut known = Some(failure).filter(|_| is_alone);
        for (append, waiter) in appends.into_iter().zip(waiters) {
            let failure = match known.take() {
                Some(failure) => failure,
                None => match self.attempt(std::slice::from_ref(&append), Way::Long).await {
                    Ok(answers) => {
                        tell_all(vec![waiter], answers);
                        continue;
                    }
                    Err(failure) => failure,
                },
            };
            match &self.slow {
                Some(slow) if failure.is_locked_out() => slow.take_over(waiter.again(append)),
                _ => waiter.tell(Err(failure.into_answer())),
            }
        }
    }

    /// Runs one transaction; whatever happens in it, the lane lives on. An append without an answer has not
    /// happened.
    async fn attempt(&mut self, appends: &[Traced], way: Way) -> Result<quick::Answers, Failure> {
        let mut connection = if let Some(connection) = self.connection.take() {
            connection
        } else {
            // What was proved over the old connection may be another server's by now.
            self.held.clear();
            let mut connection = self.store.pool.acquire().await.map_err(StoreError::from)?;
            // What it is set to must not come to anyone else.
            connection.close_on_drop();
            let settled =
                tokio::time::timeout(BATCH_TIMEOUT, batch::settle_in(&mut connection, self.lock_timeout()))
                    .await;
            settled.map_err(|_| StoreError::from(sqlx::Error::PoolTimedOut))??;
            connection
        };
        let begun = Instant::now();
        let held = &mut self.held;
        let run = async {
            match way {
                Way::Quick => quick::run(&mut connection, appends, held).await,
                Way::Long => {
                    let answers = batch::run(&mut connection, appends, held).await?;
                    Ok(answers.into_iter().map(Some).collect())
                }
            }
        };
        let run = AssertUnwindSafe(run).catch_unwind();
        let failure = match tokio::time::timeout(BATCH_TIMEOUT, run).await {
            Ok(Ok(Ok(answers))) => {
                self.connection = Some(connection);
                note(appends, &answers, begun);
                return Ok(answers);
            }
            Ok(Ok(Err(error))) => Failure::Store(error),
            Ok(Err(_)) => Failure::Panicked,
            Err(_) => Failure::Store(sqlx::Error::PoolTimedOut.into()),
        };
        if failure.is_locked_out() && self.slow.is_some() {
            tracing::info!(appends = appends.len(), "append.locked_out");
        } else {
            tracing::error!(%failure, appends = appends.len(), "an append transaction failed");
        }
        // Its state is not worth guessing at; the server rolls back what a closed connection leaves.
        drop(connection);
        Err(failure)
    }
}

/// How a transaction is made.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// In one statement, as far as that goes.
    Quick,
    /// Step by step, for one tenant.
    Long,
}

/// Who waits for an answer, and what is given back with it.
struct Waiter {
    reply: oneshot::Sender<Result<Reply, AppendError>>,
    room: OwnedSemaphorePermit,
    under_way: Option<UnderWay>,
    bytes: usize,
    since: Instant,
}

impl Waiter {
    fn tell(self, answer: Result<Reply, AppendError>) {
        // The caller may have hung up; what is stored stays stored.
        drop(self.reply.send(answer));
    }

    /// The append as it came.
    fn again(self, Traced { append, trace }: Traced) -> Pending {
        let Self { reply, room, under_way, bytes, since } = self;
        Pending { append, bytes, since, trace, reply, room, under_way }
    }
}

fn tell_all(waiters: Vec<Waiter>, answers: quick::Answers) {
    for (waiter, answer) in waiters.into_iter().zip(answers) {
        waiter.tell(answer.unwrap_or(Err(AppendError::Broken)));
    }
}

/// An append with the trace of its request.
#[derive(Debug)]
pub(super) struct Traced {
    pub(super) append: Append,
    pub(super) trace: Option<String>,
}

impl Deref for Traced {
    type Target = Append;

    fn deref(&self) -> &Append {
        &self.append
    }
}

/// Counts what a transaction stored.
#[expect(clippy::cast_precision_loss, reason = "at most 64 appends")]
fn note(appends: &[Traced], answers: &quick::Answers, begun: Instant) {
    let answered = answers.iter().filter(|answer| answer.is_some()).count();
    if answered == 0 {
        return;
    }
    let is_stored = |answer: &Option<Result<Reply, AppendError>>| {
        matches!(answer, Some(Ok(Reply { stored: Some(_), .. })))
    };
    let stored = || appends.iter().zip(answers).filter(|(_, answer)| is_stored(answer));
    let messages = stored().flat_map(|(append, _)| &append.messages);
    let tokens: u64 = messages.clone().map(|message| u64::from(message.counted.tokens)).sum();
    metrics::histogram!("anchord_append_transaction_seconds").record(begun.elapsed().as_secs_f64());
    metrics::histogram!("anchord_append_batch_appends").record(answered as f64);
    metrics::counter!("anchord_appended_messages_total").increment(messages.count() as u64);
    metrics::counter!("anchord_appended_tokens_total").increment(tokens);
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a panic in an append transaction")]
    Panicked,
}

impl Failure {
    /// Whether it is certain that nothing was committed. A panic is: there is none after the commit.
    fn is_certain(&self) -> bool {
        match self {
            Self::Store(error) => error.is_refusal(),
            Self::Panicked => true,
        }
    }

    /// Whether somebody else kept a row locked.
    fn is_locked_out(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_locked_out())
    }

    fn into_answer(self) -> AppendError {
        match self {
            Self::Store(error) => AppendError::Store(Arc::new(error)),
            Self::Panicked => AppendError::Broken,
        }
    }
}
