//! Transcript sync: the whole list of an agent's messages comes in, what is new of it is stored on the branch that holds it,
//! and the context comes back.
//!
//! What lives here: the operation and what it does to a session, one step after the other, each of which is safe to
//! repeat; `list` reads and compares the list, `known` keeps digests of branches, `reply` answers.
//! Invariant: a message is appended only to the branch that a list begins with, at the position that it has in the list, so
//! that lists of the same moment never mix. The branch is current at the end, when it holds the whole list.

mod known;
mod list;
mod reply;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::Response;
use serde_json::{Map, Value};
use uuid::Uuid;

pub use known::KnownBranches;
pub use list::Transcript;
pub use reply::{Outcome, SyncState, Synced, TranscriptQuery};

use super::auth::{Caller, Writer};
use super::heavy::in_steps;
use super::json::JsonBytes;
use super::messages::{self, Batch, load};
use super::params::{Path, SessionPath};
use super::problem::{ApiError, Resource};
use super::state::AppState;
use anchord_messages::content_digest::{ContentDigest, Digests};
use anchord_messages::format::Format;
use anchord_messages::format::detect::BatchFormat;
use anchord_messages::id::{BranchName, Seq, SessionId, SessionRef};
use anchord_messages::tokens::Tokenizer;
use anchord_store::StoreError;
use anchord_store::branches::{After, Branch, Continuation, Fork, ForkOutcome, MAX_BRANCHES};
use anchord_store::gather::{Append, AppendError, Included, NewMessage, Reply as StoredReply};
use anchord_store::messages::{SeqRange, StoredMessage};
use anchord_store::sessions::PutOutcome;
use list::List;
use reply::{SyncOptions, Told};

/// How often a sync begins anew when others change the session meanwhile. Each that loses leaves one that has won, so that
/// twenty at once need as many.
const TRIES: u32 = 48;
/// The pause before another try; each is longer by this much, up to the longest.
const PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// How often the tokens of the new messages are counted, when the session uses another tokenizer than expected.
const TOKENIZER_ATTEMPTS: usize = 3;
/// How many stored messages are read at once, when the digests of a branch are not known.
const PAGE_MESSAGES: i64 = 1_000;

/// Brings a session to a list of messages: stores what is new, on the branch that holds the list.
///
/// An agent's framework puts all messages that it has, before each call of the model. The list is compared with the current
/// branch by the content of the messages. What goes beyond it is appended; a list that is shorter goes back; one that parts
/// from it goes on where a branch of the session goes on with its next message, or on a new branch. The branch that holds the
/// list is the current one then. Nothing that is stored is deleted. The same list twice stores nothing the second time, so
/// that a request whose reply was lost is simply repeated.
#[utoipa::path(
    put, path = "/v1/sessions/{session_id}/transcript", tag = "transcript", operation_id = "transcript.sync",
    params(SessionPath, TranscriptQuery), request_body = Transcript,
    responses(
        (status = 200, body = Synced, description = "The branch holds exactly this list, and is the current one."),
        (status = 409, body = super::problem::Problem, content_type = "application/problem+json",
         description = "Others change the session all the time (`/problems/transcript-contended`, with `Retry-After`), or it has as many branches as it may (`/problems/too-many-branches`).")
    )
)]
pub async fn sync_transcript(
    Writer(caller): Writer,
    State(state): State<AppState>,
    Path(path): Path<SessionPath>,
    options: SyncOptions,
    body: JsonBytes,
) -> Result<Response, ApiError> {
    let started = Instant::now();
    reply::authorize(&caller)?;
    let (list, told) = list::read(&body, caller.tenant).await?;
    drop(body);
    let of_session = messages::of_session(told.user, told.metadata)?;
    let mut sync = Sync {
        state: &state,
        caller: &caller,
        session: path.session_id,
        list,
        model: told.model,
        task_boundary: told.task_boundary,
        stated: told.format,
        of_session,
        included: options.included(),
        is_admitted: false,
        stored: None,
    };
    let told = sync.run().await?;
    options.answer((&state, &caller), told, started).await
}

/// A sync that runs.
struct Sync<'a> {
    state: &'a AppState,
    caller: &'a Caller,
    session: SessionRef,
    list: List,
    model: Option<String>,
    task_boundary: bool,
    stated: Option<Format>,
    of_session: Map<String, Value>,
    included: Included,
    /// Whether quotas have admitted what is new.
    is_admitted: bool,
    /// What it has stored so far.
    stored: Option<Stored>,
}

/// What was stored of a list.
struct Stored {
    messages: usize,
    tokens: u64,
    first_seq: Seq,
    /// The reply to the last append.
    body: String,
}

/// A branch, and how far the list goes along it.
#[derive(Clone)]
struct Along {
    id: SessionId,
    name: BranchName,
    head: usize,
    /// Whether it has messages of its own.
    has_own: bool,
    digests: Arc<Vec<Digests>>,
    common: usize,
}

/// Messages of a list that are read.
struct New {
    messages: Vec<NewMessage>,
    digests: Vec<Digests>,
    format: BatchFormat,
    tokenizer: Tokenizer,
}

/// Whether a step found the session as it was read.
enum Step<T> {
    Done(T),
    /// Somebody else changed it; the sync begins anew.
    Overtaken,
}

impl Sync<'_> {
    async fn run(&mut self) -> Result<Told, ApiError> {
        for attempt in 1..=TRIES {
            if let Step::Done((branch, outcome)) = self.attempt().await? {
                return self.told(branch, outcome).await;
            }
            tokio::time::sleep((PAUSE * attempt).min(LONGEST_PAUSE)).await;
        }
        Err(ApiError::TranscriptContended)
    }

    /// Brings the session to the list, if nobody else changes it meanwhile.
    async fn attempt(&mut self) -> Result<Step<(BranchName, Outcome)>, ApiError> {
        let tenant = self.caller.tenant;
        let Some(named) = self.state.store.find_branch(tenant, &self.session).await? else {
            return self.begin().await;
        };
        let Step::Done(mut along) = self.compare(Along::of(&named, Arc::default(), 0)).await? else {
            return Ok(Step::Overtaken);
        };
        while along.parts(&self.list) || along.may_go_on_elsewhere(&self.list) {
            match self.find_continuation(&along).await? {
                Step::Done(Some(next)) if along.parts(&self.list) || next.common > along.common => {
                    along = next;
                }
                Step::Done(None) if along.parts(&self.list) => return self.branch_off(along).await,
                Step::Done(_) => break,
                Step::Overtaken => return Ok(Step::Overtaken),
            }
        }
        let is_other = along.id != named.id || !named.is_current;
        if along.common < along.head {
            let to = self.truncate(&along).await?;
            return Ok(to.map(|name| (name, Outcome::WentBack)));
        }
        let outcome = match (is_other, self.list.len() > along.common) {
            (true, _) => Outcome::Returned,
            (false, true) => Outcome::Appended,
            (false, false) => Outcome::Unchanged,
        };
        let name = along.name.clone();
        if let Step::Overtaken = self.append_rest(along, None).await? {
            return Ok(Step::Overtaken);
        }
        // Another list may have made another branch current meanwhile.
        let is_other = is_other || !self.is_current(&name).await?;
        let done = if is_other { self.switch(&name).await? } else { Step::Done(()) };
        Ok(done.map(|()| (name, outcome)))
    }

    /// Makes the session with the whole list.
    async fn begin(&mut self) -> Result<Step<(BranchName, Outcome)>, ApiError> {
        if self.session.branch.is_some() {
            let is_there = SessionRef::from(self.session.name.clone());
            let is_there = self.state.store.find_branch(self.caller.tenant, &is_there).await?.is_some();
            if is_there || self.session.is_of_other_branch() {
                return Err(ApiError::NotFound(if is_there { Resource::Branch } else { Resource::Session }));
            }
        }
        let new = self.read_new(0, &[], None).await?;
        if !self.of_session.is_empty() {
            let of_session = self.of_session.clone();
            messages::place(self.state, self.caller, &self.session, of_session).await?;
        }
        let along = Along {
            id: SessionId(Uuid::nil()),
            name: BranchName::main(),
            head: 0,
            has_own: false,
            digests: Arc::default(),
            common: 0,
        };
        let done = self.append_rest(along, Some(new)).await?;
        Ok(done.map(|()| (BranchName::main(), Outcome::Appended)))
    }

    /// Forks where the list parts from a branch, and appends the rest.
    async fn branch_off(&mut self, along: Along) -> Result<Step<(BranchName, Outcome)>, ApiError> {
        // What cannot be taken is refused before anything changes.
        let new = self.read_new(along.common, &along.digests, None).await?;
        self.admit(&new).await?;
        let digest = self.list.digest(along.common, along.format())?;
        let fork = Fork {
            seq: Some(seq_of(along.common)),
            first_digest: digest.map(|digest| digest.0),
            ..Fork::default()
        };
        let forked = match self.state.store.fork(self.caller.tenant, &self.of(&along.name), fork).await? {
            ForkOutcome::Forked(branch) | ForkOutcome::Reused(branch) => branch,
            ForkOutcome::TooMany => return Err(ApiError::TooManyBranches { limit: MAX_BRANCHES }),
            ForkOutcome::Unchanged(_)
            | ForkOutcome::NoSession
            | ForkOutcome::Exists(_)
            | ForkOutcome::BeyondHead { .. } => return Ok(Step::Overtaken),
        };
        let name = forked.name.clone();
        let forked = Along::of(&forked, along.shared(), along.common);
        // Another list that begins alike was faster; it is compared on.
        if forked.head > forked.common {
            return Ok(Step::Overtaken);
        }
        if let Step::Overtaken = self.append_rest(forked, Some(new)).await? {
            return Ok(Step::Overtaken);
        }
        Ok(self.switch(&name).await?.map(|()| (name, Outcome::Branched)))
    }

    /// Goes back to the list's last message.
    async fn truncate(&self, along: &Along) -> Result<Step<BranchName>, ApiError> {
        let to = seq_of(along.common);
        Ok(match self.state.store.truncate(self.caller.tenant, &self.of(&along.name), to).await? {
            ForkOutcome::Forked(branch) | ForkOutcome::Reused(branch) if branch.head_seq == to => {
                self.state.known_branches.keep(self.caller.tenant, branch.id, along.shared());
                Step::Done(branch.name)
            }
            ForkOutcome::TooMany => return Err(ApiError::TooManyBranches { limit: MAX_BRANCHES }),
            ForkOutcome::Forked(_)
            | ForkOutcome::Reused(_)
            | ForkOutcome::Unchanged(_)
            | ForkOutcome::NoSession
            | ForkOutcome::Exists(_)
            | ForkOutcome::BeyondHead { .. } => Step::Overtaken,
        })
    }

    /// Makes a branch the current one.
    async fn switch(&self, to: &BranchName) -> Result<Step<()>, ApiError> {
        let switched = self.state.store.switch_branch(self.caller.tenant, &self.session.name, to).await?;
        Ok(if switched.is_some() { Step::Done(()) } else { Step::Overtaken })
    }

    async fn is_current(&self, name: &BranchName) -> Result<bool, ApiError> {
        let found = self.state.store.find_branch(self.caller.tenant, &self.of(name)).await?;
        Ok(found.is_some_and(|branch| branch.is_current))
    }

    /// Compares the list with a branch, from where they are known to be the same.
    async fn compare(&self, mut along: Along) -> Result<Step<Along>, ApiError> {
        let wanted = along.head.min(self.list.len());
        let Step::Done(digests) = self.digests(&along, wanted).await? else { return Ok(Step::Overtaken) };
        let upto = if digests.len() > wanted {
            Arc::new(digests.get(..wanted).unwrap_or_default().to_vec())
        } else {
            Arc::clone(&digests)
        };
        along.common = self.list.common(self.caller.tenant, Arc::clone(&upto), along.common).await?;
        along.digests = upto;
        Ok(Step::Done(along))
    }

    /// The digests of a branch's first messages, at least as many as wanted.
    async fn digests(&self, along: &Along, wanted: usize) -> Result<Step<Arc<Vec<Digests>>>, ApiError> {
        let (tenant, known) = (self.caller.tenant, &self.state.known_branches);
        let mut digests = known.find(tenant, along.id);
        // What it shares with a branch that the list was compared with.
        if digests.len() < along.common {
            digests = along.shared();
        }
        if digests.len() >= wanted {
            return Ok(Step::Done(digests));
        }
        while digests.len() < wanted {
            let range = SeqRange { from: seq_of(digests.len() + 1), to: seq_of(wanted) };
            let page = self.state.store.list_messages_of(tenant, along.id, range, PAGE_MESSAGES).await?;
            // A branch that is erased meanwhile.
            if page.first().is_none_or(|first| first.seq != range.from) {
                return Ok(Step::Overtaken);
            }
            let more = self.digest(page).await?;
            Arc::make_mut(&mut digests).extend(more);
        }
        known.keep(tenant, along.id, Arc::clone(&digests));
        Ok(Step::Done(digests))
    }

    /// The digests of stored messages.
    async fn digest(&self, page: Vec<StoredMessage>) -> Result<Vec<Digests>, ApiError> {
        let bytes: usize = page.iter().map(|message| message.body.len()).sum();
        let mut digests = Vec::with_capacity(page.len());
        let mut page = page.into_iter();
        in_steps(self.caller.tenant, bytes > messages::LARGE_BODY_BYTES, move |until| {
            for message in page.by_ref() {
                digests.push(digests_of(&message.format, message.seq, &message.body)?);
                if Instant::now() > until {
                    return Ok(None);
                }
            }
            Ok(Some(std::mem::take(&mut digests)))
        })
        .await
    }

    /// Finds a branch that goes on with the list's next message where the list parts from another, and compares the list on.
    async fn find_continuation(&self, along: &Along) -> Result<Step<Option<Along>>, ApiError> {
        let (tenant, store) = (self.caller.tenant, &self.state.store);
        let after = After { branch: along.id, seq: seq_of(along.common) };
        let Some(digest) = self.list.digest(along.common, along.format())? else {
            return Ok(Step::Done(None));
        };
        while let Some(found) = store.find_continuation(tenant, after, &digest.0).await? {
            let id = found.id;
            let compared = self.compare_on(along, found).await?;
            if !matches!(compared, Step::Done(None)) {
                return Ok(compared);
            }
            // It was forked for the message, and somebody made another one its first.
            let digests = self.state.known_branches.find(tenant, id);
            let Some(first) = digests.get(along.common) else { return Ok(Step::Overtaken) };
            store.correct_first_digest(tenant, id, (&digest.0, &first.content.0)).await?;
        }
        let mut beyond = None;
        loop {
            let page = store.list_undigested(tenant, after, beyond).await?;
            let Some(last) = page.last() else { return Ok(Step::Done(None)) };
            beyond = Some(last.branch.id);
            for other in page {
                let first = digests_of(&other.format, after.seq + 1, &other.body)?;
                if other.is_first {
                    store.note_first_digest(tenant, other.branch.id, &first.content.0).await?;
                }
                if self.list.is(along.common, &first) {
                    return self.compare_on(along, other.branch).await;
                }
            }
        }
    }

    /// Compares the list with a branch that goes on where it parts from another.
    async fn compare_on(&self, along: &Along, found: Continuation) -> Result<Step<Option<Along>>, ApiError> {
        let head = usize::try_from(found.head_seq).unwrap_or_default();
        let next = Along {
            id: found.id,
            name: found.name,
            head,
            has_own: head > along.common,
            digests: along.shared(),
            common: along.common,
        };
        let Step::Done(next) = self.compare(next).await? else { return Ok(Step::Overtaken) };
        // One that was forked for the message, and got another one as its first.
        let leads_on = next.common > along.common || next.head == next.common;
        Ok(Step::Done(leads_on.then_some(next)))
    }

    /// Appends what the list has beyond a branch that it begins with.
    async fn append_rest(&mut self, mut along: Along, new: Option<New>) -> Result<Step<()>, ApiError> {
        if along.common == self.list.len() {
            return Ok(Step::Done(()));
        }
        let mut new = match new {
            Some(new) => new,
            None => self.read_new(along.common, &along.digests, None).await?,
        };
        self.admit(&new).await?;
        for _ in 0..TOKENIZER_ATTEMPTS {
            match self.append(&mut along, new).await {
                Ok(step) => return Ok(step),
                Err(Refused::Tokenizer(wanted)) => {
                    new = self.read_new(along.common, &along.digests, Some(wanted)).await?;
                }
                Err(Refused::Problem(problem)) => return Err(problem),
            }
        }
        Err(ApiError::Unavailable(anyhow::anyhow!("the session's tokenizer keeps changing")))
    }

    /// Appends messages in as many steps as their number takes.
    async fn append(&mut self, along: &mut Along, new: New) -> Result<Step<()>, Refused> {
        let mut left = new.messages.into_iter();
        let mut digests = new.digests.into_iter();
        loop {
            let messages: Vec<NewMessage> = left.by_ref().take(self.state.limits.batch_messages).collect();
            if messages.is_empty() {
                return Ok(Step::Done(()));
            }
            let (started, load, count) = (Instant::now(), load(&messages), messages.len());
            let append = Append {
                tenant: self.caller.tenant,
                session: self.of(&along.name),
                model: self.model.take(),
                messages,
                format: new.format,
                tokenizer: new.tokenizer,
                expected_next_seq: Some(seq_of(along.common + 1)),
                task_boundary: self.task_boundary && left.len() == 0,
                now: self.state.clock.now().timestamp(),
                reply_key: None,
                included: self.included,
            };
            let model = append.model.clone();
            match self.state.appends.append(append).await {
                Ok(reply) => {
                    self.state.count_append(self.caller, &reply, load, started);
                    self.take(along, reply, digests.by_ref().take(count));
                }
                Err(refused) => {
                    self.model = model;
                    return match refused {
                        AppendError::Precondition { .. } | AppendError::NoBranch => Ok(Step::Overtaken),
                        AppendError::Tokenizer(wanted) => Err(Refused::Tokenizer(wanted)),
                        refused @ (AppendError::GroupTooLarge
                        | AppendError::KeyReused
                        | AppendError::Model(_)
                        | AppendError::Full { .. }
                        | AppendError::Busy
                        | AppendError::Store(_)
                        | AppendError::Broken) => {
                            Err(Refused::Problem(messages::refuse(refused, seq_of(along.common + 1))))
                        }
                    };
                }
            }
        }
    }

    /// Notes what an append has stored.
    fn take(&mut self, along: &mut Along, reply: StoredReply, digests: impl Iterator<Item = Digests>) {
        let before = along.common;
        // A branch was compared to its end before anything is appended.
        Arc::make_mut(&mut along.digests).extend(digests);
        along.common = along.digests.len();
        if let Some(stored) = &reply.stored {
            along.id = stored.session;
            self.state.known_branches.keep(self.caller.tenant, along.id, Arc::clone(&along.digests));
        }
        let tokens = reply.stored.map_or(0, |stored| stored.tokens);
        let so_far = self.stored.take();
        let first_seq = so_far.as_ref().map_or(seq_of(before + 1), |stored| stored.first_seq);
        self.stored = Some(Stored {
            messages: so_far.as_ref().map_or(0, |stored| stored.messages) + along.common - before,
            tokens: so_far.map_or(0, |stored| stored.tokens) + tokens,
            first_seq,
            body: reply.body,
        });
    }

    /// Reads the messages of the list that a branch lacks, by the same rules as an append's.
    async fn read_new(
        &self,
        from: usize,
        before: &[Digests],
        tokenizer: Option<Tokenizer>,
    ) -> Result<New, ApiError> {
        let known = || self.state.appends.known_tokenizer(self.caller.tenant, &self.session);
        let tokenizer = tokenizer.or_else(known);
        let so_far = before.last().map(|before| before.format);
        let (list, limits) = (self.list.clone(), self.state.limits.clone());
        let (stated, model) = (self.stated, self.model.clone());
        let (mut begun, mut digests) = (None, Vec::with_capacity(list.len() - from));
        in_steps(self.caller.tenant, list.is_large, move |until| {
            let Some(mut batch) = begun.take() else {
                let raws = list.rest(from).map(|(_, raw)| raw.to_owned()).collect();
                begun = Some(Batch::begin((from, raws), (stated, model.as_deref(), tokenizer), &limits)?);
                return Ok(None);
            };
            let format = batch.format().resolve(so_far);
            while batch.read_next()? {
                if let Some((text, raw)) = list.rest(from + digests.len()).next() {
                    digests.push(Digests { format, text, content: ContentDigest::of(format, raw.get()) });
                }
                if Instant::now() > until {
                    begun = Some(batch);
                    return Ok(None);
                }
            }
            let (messages, format, tokenizer) = batch.finish();
            Ok(Some(New { messages, digests: std::mem::take(&mut digests), format, tokenizer }))
        })
        .await
    }

    /// Checks what is new against the tenant's quotas, once.
    async fn admit(&mut self, new: &New) -> Result<(), ApiError> {
        if !self.is_admitted {
            messages::admit(self.state, self.caller, None, load(&new.messages)).await?;
            self.is_admitted = true;
        }
        Ok(())
    }

    /// What is told at the end.
    async fn told(&mut self, branch: BranchName, outcome: Outcome) -> Result<Told, ApiError> {
        let of = self.of(&branch);
        let appended = self.stored.as_ref().map_or(0, |stored| stored.messages);
        let body = match self.stored.take() {
            Some(stored) => stored.into_body()?,
            None => self.body_of(&of).await?,
        };
        let state = SyncState { branch, outcome, common: self.list.len() - appended, appended };
        Ok(Told { of, newest: seq_of(self.list.len()), state, body })
    }

    /// The reply's body when nothing was appended.
    async fn body_of(&self, of: &SessionRef) -> Result<Map<String, Value>, ApiError> {
        let (tenant, store) = (self.caller.tenant, &self.state.store);
        let gone = || ApiError::NotFound(Resource::Session);
        let mut session = store.find_session(tenant, of).await?.ok_or_else(gone)?;
        // An append sets it by itself.
        if let Some(model) =
            self.model.as_ref().filter(|model| session.settings.model.as_ref() != Some(model))
        {
            let change = Map::from_iter([("model".to_owned(), Value::from(model.as_str()))]);
            session = match store.patch_session(tenant, of, change).await?.ok_or_else(gone)? {
                PutOutcome::Created(session) | PutOutcome::Updated(session) => *session,
                PutOutcome::Refused(refused) => {
                    return Err(ApiError::invalid(refused.pointer, refused.detail));
                }
                PutOutcome::NoBranch => return Err(ApiError::NotFound(Resource::Branch)),
            };
        }
        reply::unchanged(&session, self.included)
    }

    fn of(&self, branch: &BranchName) -> SessionRef {
        SessionRef { name: self.session.name.clone(), branch: Some(branch.clone()) }
    }
}

/// Why an append of new messages stored nothing.
enum Refused {
    /// The session counts with another tokenizer.
    Tokenizer(Tokenizer),
    Problem(ApiError),
}

impl<T> Step<T> {
    fn map<U>(self, of: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Self::Done(done) => Step::Done(of(done)),
            Self::Overtaken => Step::Overtaken,
        }
    }
}

impl Stored {
    /// The reply to the last append, as if it had appended all.
    fn into_body(self) -> Result<Map<String, Value>, ApiError> {
        let mut body: Map<String, Value> = serde_json::from_str(&self.body).map_err(ApiError::internal)?;
        body.insert("first_seq".to_owned(), self.first_seq.into());
        body.insert("tokens_added".to_owned(), self.tokens.into());
        Ok(body)
    }
}

impl Along {
    fn of(branch: &Branch, digests: Arc<Vec<Digests>>, common: usize) -> Self {
        let head = usize::try_from(branch.head_seq).unwrap_or_default();
        let has_own = branch.head_seq > branch.seq;
        Self { id: branch.id, name: branch.name.clone(), head, has_own, digests, common }
    }

    /// Whether list and branch both go on after what they have in common, and differently.
    fn parts(&self, list: &List) -> bool {
        self.common < self.head && self.common < list.len()
    }

    /// Whether another branch may have what the list adds: this one was left without a message of its own, as by going back.
    fn may_go_on_elsewhere(&self, list: &List) -> bool {
        self.common == self.head && self.common < list.len() && !self.has_own
    }

    /// The digests of what list and branch have in common.
    fn shared(&self) -> Arc<Vec<Digests>> {
        if self.digests.len() == self.common {
            return Arc::clone(&self.digests);
        }
        Arc::new(self.digests.get(..self.common).unwrap_or_default().to_vec())
    }

    /// The format of the last message that they have in common.
    fn format(&self) -> Option<Format> {
        let last = self.common.checked_sub(1)?;
        self.digests.get(last).map(|digests| digests.format)
    }
}

fn seq_of(count: usize) -> Seq {
    Seq::try_from(count).unwrap_or(Seq::MAX)
}

fn digests_of(format: &str, seq: Seq, body: &str) -> Result<Digests, ApiError> {
    let format = Format::from_name(format)
        .ok_or_else(|| StoreError::corrupt("messages", "format", seq, "unknown word"))?;
    Ok(Digests::of(format, body))
}
