//! The append queue: concurrent appends share transactions, because a commit costs the same for one append as for
//! sixty.
//!
//! What lives here: `queue` holds waiting appends and picks the next batch, `dispatch` starts transactions, `batch`
//! reads the sessions, lets `stage` decide, and commits; sessions that have changed meanwhile are read and decided
//! again.
//! Invariant: an append is answered once, after its commit; a bad append, a lost connection or a panic affects no
//! other append. A caller that disconnects changes nothing, because the transaction is not its own.
//! Must not know: HTTP, how messages are parsed.
//!
//! Under row-level security a transaction has one tenant, so many small tenants would need as many commits. Therefore
//! sessions are read as the working role, and the owner commits the batch for all tenants (`owner::appends`).

mod batch;
mod dispatch;
pub(super) mod queue;
mod stage;

use std::sync::Arc;
use std::time::Instant;

use futures::FutureExt as _;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::idempotency::ReplyKey;
use crate::prelude::*;
use anchord_context::mask::Keep;
use anchord_messages::format::Format;
use anchord_messages::format::detect::BatchFormat;
use anchord_runtime::cache::{Cache, Expiry};
use anchord_runtime::trace;
use anchord_session::accounting::{BriefUsage, MessageCounts};
use anchord_session::compression::Status;
use anchord_session::session::{AppendRefusal, FirstSettings};
use anchord_session::settings::TokenizerName;
use anchord_session::trigger::Decision;
use anchord_session::warning::Warning;

/// The capacity of the channel to the dispatcher, where an append stays for a moment only.
const HANDED_OVER: usize = 1_024;
/// Cost of storing a message besides its text, in bytes of text: a thousand small messages cost as much as one
/// large.
const MESSAGE_BYTES: usize = 512;
/// The most sessions whose tokenizer is cached; only tokenizers other than the expected ones are.
const REMEMBERED_TOKENIZERS: u64 = 10_000;

/// A batch of messages to append, prepared as far as possible without a lock.
#[derive(Debug)]
pub struct Append {
    /// The tenant of the session.
    pub tenant: TenantId,
    /// The session; it is created when it does not exist, unless a branch is named that it would not begin with.
    pub session: SessionRef,
    /// The messages, in order; never empty.
    pub messages: Vec<NewMessage>,
    /// The format of the messages: one that they show, or of an import the last one's. Messages that show none, and
    /// read the same in any, get the session's so far in place of their own.
    pub format: BatchFormat,
    /// The model that the session talks to from now on; `None` for no change.
    pub model: Option<String>,
    /// Settings of the session, when this append makes it; committed with it.
    pub opening: Option<FirstSettings>,
    /// The tokenizer that counted the messages; a session with another one answers [`AppendRefusal::Tokenizer`].
    pub tokenizer: TokenizerName,
    /// The position that the caller expects for the first message.
    pub expected_next_seq: Option<Seq>,
    /// Whether the caller reports that a task has just ended.
    pub task_boundary: bool,
    /// When the request arrived, in seconds since 1970.
    pub now: i64,
    /// The idempotency key, so that a retry stores nothing twice.
    pub reply_key: Option<ReplyKey>,
    /// The parts of the reply beyond its short form.
    pub included: Included,
    /// Whether an import brings them: then they start no compression and are no news, because versions may follow.
    pub is_imported: bool,
}

/// Parts of a reply to an append beside its short form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each part may be asked for alone")]
pub struct Included {
    /// All figures of how full the context is.
    pub usage: bool,
    /// Every signal, also those that ask for nothing.
    pub signals: bool,
    /// The format that the messages were recognised as.
    pub format: bool,
    /// Warnings about the window.
    pub warnings: bool,
}

/// A message to store.
#[derive(Debug)]
pub struct NewMessage {
    /// The conversation format it came in.
    pub format: &'static str,
    /// Counts; the store sets its `seq`.
    pub counted: MessageCounts,
    /// Its tokens when every tool output in it is a placeholder; `None` when that makes no difference.
    pub least_tokens: Option<u32>,
    /// Shape, by which messages are grouped and masked without the body.
    pub shape: Option<String>,
    /// The caller's mark.
    pub keep: Option<Keep>,
    /// The caller's component.
    pub component: Option<&'static str>,
    /// The tool outputs that a placeholder may replace.
    pub tool_outputs: Vec<ToolOutput>,
    /// The JSON text as sent.
    pub body: Box<RawValue>,
}

/// A tool output of a message to store.
#[derive(Debug)]
pub struct ToolOutput {
    /// Its index among the tool results of the message.
    pub ordinal: i32,
    /// Its reference.
    pub reference: String,
}

/// The reply to an append, as JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// [`AppendReply`] as JSON.
    pub body: String,
    /// The stored append; `None` for the stored reply to an earlier request with the same key.
    pub stored: Option<StoredAppend>,
}

/// Figures of an append for the usage ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAppend {
    /// The session.
    pub session: SessionId,
    /// Its task.
    pub task_id: Option<String>,
    /// Tokens of the batch.
    pub tokens: u64,
}

/// The result of an append, and the session's state after it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = StoredAppendResult)]
pub struct AppendReply {
    /// The session.
    pub session_id: SessionName,
    /// The branch; absent when it is main.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchName>,
    /// Position of the batch's first message.
    pub first_seq: Seq,
    /// Position of the batch's last message.
    pub last_seq: Seq,
    /// Position that the next message will get.
    pub next_seq: Seq,
    /// The format that the messages were recognised as; only with `include=format`, and absent when the caller stated one, or they
    /// show none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Tokens of the batch.
    pub tokens_added: u64,
    /// How full the context is, and whether the window is assumed; with `include=usage` by component.
    pub usage: BriefUsage,
    /// The decision from the signals; with `include=signals` every signal.
    pub decision: Decision,
    /// The live compression; null when there is none.
    #[schema(required = true)]
    pub compression: Option<LiveCompression>,
    /// Warnings: about the batch's messages (`tool-result-without-call`, `empty-user-message`, `output-larger-than-window` for
    /// each output that contexts cannot serve whole); about an assumed window only with `include=warnings`, though
    /// `usage.assumed` is true without it. Absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
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

/// Why an append failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppendError {
    /// The session refuses it.
    #[error(transparent)]
    Refused(#[from] AppendRefusal),
    /// The idempotency key was used with another body.
    #[error("the idempotency key was used with another body")]
    KeyReused,
    /// The session has no such branch, or there is no such session to have it.
    #[error("there is no such branch")]
    NoBranch,
    /// Too many appends are waiting.
    #[error("too many appends wait")]
    Busy,
    /// The tenant has as many sessions, or kept replies, as it may; or the database failed. After a lost connection it is not
    /// certain that nothing was stored.
    #[error(transparent)]
    Store(Arc<StoreError>),
    /// The append broke off; it may have been stored.
    #[error("the append broke off")]
    Broken,
}

impl AppendError {
    /// Whether the append may have been stored all the same.
    pub fn may_be_stored(&self) -> bool {
        let is_unknown = matches!(self, Self::Store(error) if error.is_outcome_unknown());
        is_unknown || matches!(self, Self::Broken)
    }
}

/// Appends in an open transaction, without the queue: for an import, which is one transaction. The caller holds the session's
/// lock when the session exists.
///
/// # Errors
/// When the database fails, or the tenant has changed meanwhile.
pub async fn append_within(tx: &mut PgConnection, append: Append) -> Result<Result<Reply, AppendError>> {
    let bytes = append.messages.iter().map(|message| message.body.get().len()).sum();
    let (reply, _) = oneshot::channel();
    let pending = Pending { append, bytes, since: Instant::now(), trace: trace::current(), reply };
    batch::run_within(tx, pending).await
}

/// A waiting append.
#[derive(Debug)]
struct Pending {
    append: Append,
    bytes: usize,
    since: Instant,
    /// The trace of its request.
    trace: Option<String>,
    reply: oneshot::Sender<Result<Reply, AppendError>>,
}

impl Pending {
    fn answer(self, answer: Result<Reply, AppendError>) {
        // The caller may have disconnected; what is stored stays stored.
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

/// The handle for appending; cheap to clone. The dispatcher runs on the store's task tracker until
/// [`Gatherer::close`].
#[derive(Clone, Debug)]
pub struct Gatherer {
    inbox: mpsc::Sender<Pending>,
    closing: CancellationToken,
    /// Cancelled when the dispatcher has ended.
    ended: CancellationToken,
    /// The tokenizers of sessions that do not use the expected one.
    tokenizers: Cache<(TenantId, SessionRef), TokenizerName>,
}

impl Gatherer {
    /// Starts the dispatcher on the store's task tracker.
    pub fn start(store: &Store) -> Self {
        let (closing, ended) = (CancellationToken::new(), CancellationToken::new());
        let (inbox, handed_over) = mpsc::channel(HANDED_OVER);
        let serving = dispatch::run(store.of_appends(), handed_over, closing.clone());
        // The guard works also when the dispatcher panics.
        let end = ended.clone().drop_guard();
        store.tracker().spawn(serving.map(|()| drop(end)));
        Self { inbox, closing, ended, tokenizers: Cache::new(REMEMBERED_TOKENIZERS, Expiry::Never) }
    }

    /// Waits until the dispatcher has ended, after [`Gatherer::close`] or a panic.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Accepts no more appends; waiting ones are still stored.
    pub fn close(&self) {
        self.closing.cancel();
    }

    /// The tokenizer that the session used last, when it was not the expected one; [`AppendRefusal::Tokenizer`] reports a
    /// wrong guess.
    pub fn known_tokenizer(&self, tenant: TenantId, session: &SessionRef) -> Option<TokenizerName> {
        // The common case: every session uses the expected one, so no key is built.
        if self.tokenizers.entry_count() == 0 {
            return None;
        }
        self.tokenizers.get(&(tenant, session.clone()))
    }

    /// Appends a batch; returns after the commit.
    ///
    /// # Errors
    /// When it is not acknowledged: mostly nothing was stored, see [`AppendError::may_be_stored`].
    pub async fn append(&self, append: Append) -> Result<Reply, AppendError> {
        let asked = (append.tenant, append.session.clone());
        let bytes =
            append.messages.iter().map(|message| message.body.get().len() + MESSAGE_BYTES).sum::<usize>();
        let (reply, answer) = oneshot::channel();
        let pending = Pending { append, bytes, since: Instant::now(), trace: trace::current(), reply };
        self.inbox.try_send(pending).map_err(|_| AppendError::Busy)?;
        let answer = answer.await.unwrap_or(Err(AppendError::Broken));
        if let Err(AppendError::Refused(AppendRefusal::Tokenizer(tokenizer))) = &answer {
            self.tokenizers.insert(asked, *tokenizer);
            self.tokenizers.run_pending_tasks();
        }
        answer
    }
}
