//! Concurrent appends share transactions, because a commit costs the same for one append as for sixty.
//!
//! What lives here: `queue` holds waiting appends and picks the next batch, `dispatch` starts transactions, `batch` reads
//! the sessions, lets `stage` decide, and commits; sessions that have changed meanwhile are read and decided again.
//! Invariant: an append is answered once, after its commit; a bad append, a lost connection or a panic affects no
//! other append. A caller that disconnects changes nothing, because the transaction is not its own.
//! Must not know: HTTP, how messages are parsed.
//!
//! A transaction has one tenant under row-level security, and with many small tenants there would be as many commits.
//! So what is gathered is written by a function of the schema that compares the tenant of every row with its
//! session's.

mod batch;
mod dispatch;
pub(super) mod queue;
mod stage;

use std::sync::Arc;
use std::time::Instant;

use futures::FutureExt as _;
use moka::sync::Cache;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

use super::idempotency::ReplyKey;
use super::{Store, StoreError};
use anchord_messages::id::{CompressionId, Seq, SessionId, SessionName, TenantId};
use anchord_runtime::trace;
use anchord_session::accounting::{MessageCounts, Usage};
use anchord_session::compression::Status;
use anchord_session::settings::TokenizerName;
use anchord_session::trigger::{Decision, MessageSignals};

/// Appends that are handed over and not yet in the queue; they are there for a moment.
const HANDED_OVER: usize = 1_024;
/// What storing a message costs beside its text, as bytes of it: a thousand small ones are as large as a large one.
const MESSAGE_BYTES: usize = 512;
/// Sessions whose tokenizer is remembered, when it is not the default.
const REMEMBERED_TOKENIZERS: u64 = 10_000;

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
    pub counted: MessageCounts,
    /// What the signals need.
    pub noticed: MessageSignals,
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
}

/// The reply to an append, as JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// [`AppendReply`] as JSON.
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
#[schema(as = Appended)]
pub struct AppendReply {
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
    /// A group would be larger than [`MAX_GROUP_BYTES`](anchord_session::accounting::MAX_GROUP_BYTES).
    #[error("a group of messages would be too large")]
    GroupTooLarge,
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

/// An append that waits.
#[derive(Debug)]
struct Pending {
    append: Append,
    bytes: usize,
    since: Instant,
    /// The trace of the request that it came with.
    trace: Option<String>,
    reply: oneshot::Sender<Result<Reply, AppendError>>,
}

impl Pending {
    fn answer(self, answer: Result<Reply, AppendError>) {
        // The caller may have hung up; what is stored stays stored.
        drop(self.reply.send(answer));
    }
}

impl queue::Waits for Pending {
    fn key(&self) -> queue::Key {
        (self.append.tenant, self.append.session.clone())
    }
    fn bytes(&self) -> usize {
        self.bytes
    }
    fn since(&self) -> Instant {
        self.since
    }
}

/// The way to append: cheap to clone. What serves it lives on the store's tracker until [`Gatherer::close`].
#[derive(Clone, Debug)]
pub struct Gatherer {
    inbox: mpsc::Sender<Pending>,
    closing: CancellationToken,
    /// It serves nobody any more.
    ended: CancellationToken,
    /// Sessions that do not count with the default tokenizer.
    tokenizers: Cache<(TenantId, SessionName), TokenizerName>,
}

impl Gatherer {
    /// Starts it on the store's tracker.
    #[must_use]
    pub fn start(store: &Store) -> Self {
        let (closing, ended) = (CancellationToken::new(), CancellationToken::new());
        let (inbox, handed_over) = mpsc::channel(HANDED_OVER);
        let serving = dispatch::run(store.of_appends(), handed_over, closing.clone());
        // Told also when it panics.
        let end = ended.clone().drop_guard();
        store.tracker().spawn(serving.map(|()| drop(end)));
        Self { inbox, closing, ended, tokenizers: Cache::new(REMEMBERED_TOKENIZERS) }
    }

    /// Waits until it serves nobody any more: when it was closed, or when it broke.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Takes no more appends; what waits is still served.
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
        let bytes =
            append.messages.iter().map(|message| message.body.get().len() + MESSAGE_BYTES).sum::<usize>();
        let (reply, answer) = oneshot::channel();
        let pending = Pending { append, bytes, since: Instant::now(), trace: trace::current(), reply };
        self.inbox.try_send(pending).map_err(|_| AppendError::Busy)?;
        let answer = answer.await.unwrap_or(Err(AppendError::Broken));
        if let Err(AppendError::Tokenizer(tokenizer)) = &answer {
            self.tokenizers.insert(asked, *tokenizer);
            self.tokenizers.run_pending_tasks();
        }
        answer
    }
}
