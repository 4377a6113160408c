//! Concurrent appends of one tenant share a transaction, because a commit costs the same for one
//! append as for sixty.
//!
//! What lives here: the lanes and their queues; `batch` is the transaction, `stage` what it decides
//! between its two statements, `masking` moves mask positions, `share` takes out what the session has.
//! Invariant: an append is answered once, after its commit; a bad append, a lost connection or a
//! panic harms no neighbour and stops no lane. A caller that hangs up changes nothing, because the
//! lane owns the transaction.
//! Must not know: HTTP, how messages are parsed.

mod batch;
mod held;
mod masking;
mod quick;
mod share;
mod stage;

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::ops::{Deref, Range};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use moka::sync::Cache;
use serde::Serialize;
use serde_json::value::RawValue;
use sqlx::Postgres;
use sqlx::pool::PoolConnection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

use held::Held;

use super::idempotency::ReplyKey;
use super::{Store, StoreError};
use crate::domain::accounting::{Counted, Usage};
use crate::domain::compression::Status;
use crate::domain::id::{CompressionId, Seq, SessionId, SessionName, TenantId};
use crate::domain::settings::TokenizerName;
use crate::domain::trigger::{Decision, Noticed};
use crate::trace;

/// The most lanes: enough that one tenant's slow commit does not hold up the others.
pub(super) const MOST_LANES: u32 = 4;
/// Appends that wait in one lane; more are told to come back.
const LANE_QUEUE: usize = 1024;
/// Appends in one transaction.
const BATCH_APPENDS: usize = 64;
/// Bytes of bodies in one transaction; a larger append goes alone.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of bodies that wait in all lanes together, in KiB.
const WAITING_KIB: usize = 256 * 1024;
/// Sessions whose tokenizer is remembered, when it is not the default.
const REMEMBERED_TOKENIZERS: u64 = 10_000;
/// A transaction that takes longer is given up with its connection.
const BATCH_TIMEOUT: Duration = Duration::from_secs(30);

/// One caller's batch, prepared: everything that needs no lock is done.
#[derive(Debug)]
pub struct Append {
    /// Whose session it is.
    pub tenant: TenantId,
    /// The session; made when it is new.
    pub session: SessionName,
    /// The messages, in order; never empty.
    pub messages: Vec<NewMessage>,
    /// How the tokens were counted; a session that counts otherwise answers [`AppendError::Tokenizer`].
    pub tokenizer: TokenizerName,
    /// The position that the caller expects the first message to get.
    pub expected_next_seq: Option<Seq>,
    /// The caller says that a task has just ended.
    pub task_boundary: bool,
    /// When it came, in seconds since 1970.
    pub now: i64,
    /// The caller's key, so that a retry stores nothing twice.
    pub reply_key: Option<ReplyKey>,
}

/// A message to be stored.
#[derive(Debug)]
pub struct NewMessage {
    /// The conversation format it came in.
    pub format: &'static str,
    /// What counting needs; its `seq` is given by the store.
    pub counted: Counted,
    /// What the signals need.
    pub noticed: Noticed,
    /// Its tokens when every tool output in it is a placeholder; `None` when that is the same.
    pub least_tokens: Option<u32>,
    /// What grouping and masking need without the body.
    pub shape: Option<String>,
    /// The caller's mark: `always` or `never` keep.
    pub keep: Option<&'static str>,
    /// The caller's component.
    pub component: Option<&'static str>,
    /// The tool outputs that a placeholder may stand for.
    pub tool_outputs: Vec<ToolOutput>,
    /// The JSON text as sent.
    pub body: Box<RawValue>,
}

/// A tool output of a message to be stored.
#[derive(Debug)]
pub struct ToolOutput {
    /// Its place among the message's results.
    pub ordinal: i32,
    /// Its reference.
    pub reference: String,
    /// Where its JSON text stands in the body.
    pub place: Range<usize>,
}

/// The reply to an append, as JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// [`Appended`] as JSON.
    pub body: String,
    /// What was stored; `None` when an earlier request with the same key had stored it.
    pub stored: Option<StoredAppend>,
}

/// What the usage ledger needs of an append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAppend {
    /// The session.
    pub session: SessionId,
    /// Its task.
    pub task_id: Option<String>,
    /// Tokens of the batch.
    pub tokens: u64,
}

/// What an append did, and where the session stands after it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Appended {
    /// The session.
    pub session_id: String,
    /// Position of the batch's first message.
    pub first_seq: Seq,
    /// Position of the batch's last message.
    pub last_seq: Seq,
    /// Position that the next message will get.
    pub next_seq: Seq,
    /// Tokens of the batch.
    pub tokens_added: u64,
    /// How full the context is.
    pub usage: Usage,
    /// What the signals come to.
    pub decision: Decision,
    /// The live compression; null when there is none.
    pub compression: Option<LiveCompression>,
}

/// A compression that waits or runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LiveCompression {
    /// Its id.
    #[schema(value_type = String)]
    pub id: CompressionId,
    /// How far it is.
    pub status: Status,
}

/// Why an append stored nothing.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppendError {
    /// `expected_next_seq` does not hold.
    #[error("the next seq is {next_seq}")]
    Precondition {
        /// The position that the next message will get.
        next_seq: Seq,
    },
    /// The idempotency key was used with another body.
    #[error("the idempotency key was used with another body")]
    KeyReused,
    /// The session counts tokens in another way; count again and come back.
    #[error("the session counts with another tokenizer")]
    Tokenizer(TokenizerName),
    /// Too much waits already.
    #[error("too many appends wait")]
    Busy,
    /// The database failed; nothing is known to be stored.
    #[error(transparent)]
    Store(Arc<StoreError>),
    /// The transaction broke off inside the service.
    #[error("the append broke off")]
    Broken,
}

/// The way to append: cheap to clone. The lanes live on the store's tracker until [`Gatherer::close`].
#[derive(Clone, Debug)]
pub struct Gatherer {
    lanes: Arc<[mpsc::Sender<Pending>]>,
    room: Arc<Semaphore>,
    closing: CancellationToken,
    /// Sessions that do not count with the default tokenizer.
    tokenizers: Cache<(TenantId, SessionName), TokenizerName>,
}

/// As many lanes as processors can serve: the fewer, the more appends meet in one transaction.
fn lanes() -> u32 {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    u32::try_from(processors).unwrap_or(MOST_LANES).clamp(2, MOST_LANES)
}

#[derive(Debug)]
struct Pending {
    append: Append,
    bytes: usize,
    since: Instant,
    /// The trace of the request that it came with.
    trace: Option<String>,
    reply: oneshot::Sender<Result<Reply, AppendError>>,
    /// Its share of the memory that may wait, given back with the answer.
    room: OwnedSemaphorePermit,
}

impl Gatherer {
    /// Starts the lanes on the store's tracker.
    #[must_use]
    pub fn start(store: &Store) -> Self {
        let closing = CancellationToken::new();
        let lanes = lanes();
        let lanes = (0..lanes)
            .map(|_| {
                let (sender, inbox) = mpsc::channel(LANE_QUEUE);
                let lane = Lane {
                    store: store.clone(),
                    inbox,
                    waiting: VecDeque::new(),
                    connection: None,
                    held: Held::new(lanes),
                };
                store.tracker().spawn(lane.run(closing.clone()));
                sender
            })
            .collect();
        let room = Arc::new(Semaphore::new(WAITING_KIB));
        Self { lanes, room, closing, tokenizers: Cache::new(REMEMBERED_TOKENIZERS) }
    }

    /// Takes no more appends; what waits is still served, and then the lanes end.
    pub fn close(&self) {
        self.closing.cancel();
    }

    /// How the session most likely counts tokens; [`AppendError::Tokenizer`] tells when that is wrong.
    #[must_use]
    pub fn likely_tokenizer(&self, tenant: TenantId, session: &SessionName) -> TokenizerName {
        // The common case, no session with another tokenizer, costs no key.
        if self.tokenizers.entry_count() == 0 {
            return TokenizerName::default();
        }
        self.tokenizers.get(&(tenant, session.clone())).unwrap_or_default()
    }

    /// Appends a batch; answers after the commit.
    ///
    /// # Errors
    /// When nothing was stored; after [`AppendError::Store`] with a lost connection that is not known.
    pub async fn append(&self, append: Append) -> Result<Reply, AppendError> {
        let asked = (append.tenant, append.session.clone());
        let bytes = append.messages.iter().map(|message| message.body.get().len()).sum::<usize>();
        let kib = u32::try_from(bytes / 1024 + 1).map_err(|_| AppendError::Busy)?;
        let room = Arc::clone(&self.room).try_acquire_many_owned(kib).map_err(|_| AppendError::Busy)?;
        let mut hasher = DefaultHasher::new();
        (append.tenant, &append.session).hash(&mut hasher);
        let lane = usize::try_from(hasher.finish()).unwrap_or_default() % self.lanes.len().max(1);
        let (reply, answer) = oneshot::channel();
        let lane = self.lanes.get(lane).ok_or(AppendError::Broken)?;
        let (since, trace) = (Instant::now(), trace::current());
        lane.try_send(Pending { append, bytes, since, trace, reply, room }).map_err(|_| AppendError::Busy)?;
        let answer = answer.await.unwrap_or(Err(AppendError::Broken));
        if let Err(AppendError::Tokenizer(tokenizer)) = &answer {
            self.tokenizers.insert(asked, *tokenizer);
            self.tokenizers.run_pending_tasks();
        }
        answer
    }
}

/// One queue and the connection that serves it. A session is always in the same lane of a process, so
/// that its appends keep their order and never wait for each other's locks.
struct Lane {
    store: Store,
    inbox: mpsc::Receiver<Pending>,
    waiting: VecDeque<Pending>,
    /// Kept between transactions: giving it back to the pool costs a round trip.
    connection: Option<PoolConnection<Postgres>>,
    held: Held,
}

impl Lane {
    async fn run(mut self, closing: CancellationToken) {
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
            .map(|Pending { append, trace, reply, room, .. }| {
                (Traced { append, trace }, Waiter { reply, _room: room })
            })
            .unzip();
        let answers = match self.attempt(&appends, Way::Quick).await {
            Ok(answers) => answers,
            Err(failure) => return self.recover(&appends, waiters, failure).await,
        };
        let mut left = Vec::new();
        let mut left_waiters = Vec::new();
        for ((append, waiter), answer) in appends.into_iter().zip(waiters).zip(answers) {
            match answer {
                Some(answer) => waiter.tell(answer),
                None => {
                    left.push(append);
                    left_waiters.push(waiter);
                }
            }
        }
        let mut left_waiters = left_waiters.into_iter();
        for appends in left.chunk_by(|a, b| a.tenant == b.tenant) {
            let waiters: Vec<Waiter> = left_waiters.by_ref().take(appends.len()).collect();
            match self.attempt(appends, Way::Long).await {
                Ok(answers) => tell_all(waiters, answers),
                Err(failure) => self.recover(appends, waiters, failure).await,
            }
        }
    }

    /// Answers appends whose transaction has failed.
    async fn recover(&mut self, appends: &[Traced], waiters: Vec<Waiter>, failure: Failure) {
        if appends.len() > 1 && failure.is_certain() {
            // Nothing is committed, and one of them is the cause: each gets a transaction of its own.
            for (waiter, append) in waiters.into_iter().zip(appends) {
                match self.attempt(std::slice::from_ref(append), Way::Long).await {
                    Ok(answers) => tell_all(vec![waiter], answers),
                    Err(failure) => waiter.tell(Err(failure.into_answer())),
                }
            }
        } else {
            let answer = failure.into_answer();
            for waiter in waiters {
                waiter.tell(Err(answer.clone()));
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
            let settled = tokio::time::timeout(BATCH_TIMEOUT, batch::settle_in(&mut connection)).await;
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
        tracing::error!(%failure, appends = appends.len(), "an append transaction failed");
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

/// Who waits for an answer, and its share of the memory that may wait.
struct Waiter {
    reply: oneshot::Sender<Result<Reply, AppendError>>,
    _room: OwnedSemaphorePermit,
}

impl Waiter {
    fn tell(self, answer: Result<Reply, AppendError>) {
        // The caller may have hung up; what is stored stays stored.
        drop(self.reply.send(answer));
    }
}

fn tell_all(waiters: Vec<Waiter>, answers: quick::Answers) {
    for (waiter, answer) in waiters.into_iter().zip(answers) {
        waiter.tell(answer.unwrap_or(Err(AppendError::Broken)));
    }
}

/// An append with the trace of its request.
#[derive(Debug)]
struct Traced {
    append: Append,
    trace: Option<String>,
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

    fn into_answer(self) -> AppendError {
        match self {
            Self::Store(error) => AppendError::Store(Arc::new(error)),
            Self::Panicked => AppendError::Broken,
        }
    }
}
