//! Transcript sync: the whole list of an agent's messages comes in, what is new of it is stored on the branch that holds it,
//! and the context comes back.
//!
//! What lives here: the operation and what it does to a session, one step after the other, each of which is safe to
//! repeat; `list` reads the list, `along` compares it with branches, whose digests `known_branches` has, `adding` stores what is
//! new, `reply` answers.
//! Invariant: a message is appended only to the branch that a list begins with, at the position that it has in the list, so
//! that lists of the same moment never mix. The branch was current at a moment of the sync.

mod adding;
mod along;
mod list;
mod reply;

use std::sync::Arc;
use std::time::{Duration, Instant};

use uuid::Uuid;

pub use list::Transcript;
pub use reply::{Outcome, SyncState, Synced, TranscriptQuery};

use crate::admission::quotas::QuotaReservation;
use crate::api::messages;
use crate::api::prelude::*;
use crate::extract::prefer::Minimal;
use adding::Added;
use along::Along;
use anchord_messages::format::Format;
use anchord_session::session::FirstSettings;
use anchord_store::branches::{Fork, ForkOutcome, MAX_BRANCHES};
use anchord_store::gather::Included;
use list::List;
use reply::{Ended, SyncOptions};

/// How often a sync begins anew when others change the session meanwhile. Of those that
/// collide one goes on, so twenty at once may need as many tries.
const TRIES: u32 = 48;
/// The pause before another try; each is longer by this much, up to the longest.
const PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Brings a session to a list of messages: stores what is new, on the branch that holds the list.
///
/// A framework sends all messages of its agent before each call of the model. The list is compared with the current branch by
/// the content of the messages. Messages beyond the branch are appended; a shorter list takes the session back; a list that
/// differs is appended to the branch that has its next message, or to a new one. The branch that holds the list is the current
/// one then, unless another sync of that moment has switched since. Nothing that is stored is deleted. The same list twice stores nothing the second time, so
/// that a request whose reply was lost is simply repeated.
#[utoipa::path(
    put, path = "/v1/sessions/{session_id}/transcript", tag = "transcript", operation_id = "transcript.sync",
    params(SessionPath, TranscriptQuery, Minimal), request_body = Transcript,
    responses(
        (status = 200, body = Synced, description = "The branch holds exactly this list, and was current at a moment of the sync."),
        (status = 204, description = "The same, and `Prefer: return=minimal` wants no body."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "Others change the session all the time (`/problems/transcript-contended`, with `Retry-After`), or it has as many branches as it may (`/problems/too-many-branches`).")
    )
)]
pub async fn sync_transcript(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    options: SyncOptions,
    body: JsonBytes,
) -> Result<Response> {
    let started = Instant::now();
    reply::authorize(&caller)?;
    let (list, fields) = list::read(body, caller.tenant).await?;
    let opening = messages::opening(fields.user, fields.metadata)?;
    let mut sync = Sync {
        state: &state,
        caller: &caller,
        session: path.session_id,
        list,
        model: fields.model,
        may_be_longer: fields.may_be_longer,
        may_be_trimmed: fields.may_be_trimmed,
        task_boundary: fields.task_boundary,
        stated: fields.format,
        opening,
        included: options.included(),
        admitted: None,
        added: None,
    };
    let ended = sync.run().await?;
    // Its body is held no longer: the context has a memory of its own.
    drop(sync);
    options.answer((&state, &caller), ended, started).await
}

/// A sync that runs.
struct Sync<'a> {
    state: &'a AppState,
    caller: &'a Caller,
    session: SessionRef,
    list: List,
    model: Option<String>,
    may_be_longer: bool,
    may_be_trimmed: bool,
    task_boundary: bool,
    stated: Option<Format>,
    opening: Option<FirstSettings>,
    included: Included,
    /// The part of the tenant's quotas that what is new takes.
    admitted: Option<QuotaReservation>,
    /// Messages that are stored so far.
    added: Option<Added>,
}

/// Whether a step found the session as it was read.
enum Step<T> {
    Done(T),
    /// Somebody else changed it; the sync begins anew.
    Overtaken,
}

impl Sync<'_> {
    async fn run(&mut self) -> Result<Ended> {
        for attempt in 1..=TRIES {
            if let Step::Done((branch, outcome)) = self.attempt().await? {
                return self.ended(branch, outcome).await;
            }
            tokio::time::sleep((PAUSE * attempt).min(LONGEST_PAUSE)).await;
        }
        Err(ApiError::TranscriptContended)
    }

    /// Brings the session to the list, if nobody else changes it meanwhile.
    async fn attempt(&mut self) -> Result<Step<(BranchName, Outcome)>> {
        let tenant = self.caller.tenant;
        let Some(named) = self.state.store.find_branch(tenant, &self.session).await? else {
            return self.begin().await;
        };
        let after = self.list.after();
        if seq_of(after) > named.head_seq {
            let detail = format!("is beyond the newest message of the branch, {}", named.head_seq);
            return Err(ApiError::refused("/after", detail));
        }
        let Step::Done(mut along) = self.compare(Along::of(&named, Arc::default(), after)).await? else {
            return Ok(Step::Overtaken);
        };
        while along.parts(&self.list) || along.may_go_on_elsewhere(&self.list) {
            match self.find_continuation(&along).await? {
                Step::Done(Some(next)) if along.parts(&self.list) || next.common > along.common => {
                    along = next;
                }
                Step::Done(None) if along.parts(&self.list) => match self.compare_trimmed(&along).await? {
                    Some(next) => along = next,
                    None => return self.branch_off(along).await,
                },
                Step::Done(_) => break,
                Step::Overtaken => return Ok(Step::Overtaken),
            }
        }
        let is_other = along.id != named.id || !named.is_current;
        if along.common < along.head && self.may_be_longer {
            return Ok(Step::Done((along.name, Outcome::Unchanged)));
        }
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
        // When others switch from then on, they come after this sync.
        let done = if is_other { self.switch(&name).await? } else { Step::Done(()) };
        Ok(done.map(|()| (name, outcome)))
    }

    /// Makes the session with the whole list.
    async fn begin(&mut self) -> Result<Step<(BranchName, Outcome)>> {
        // An erased main is not made again, and nothing stands before a list of no session.
        if self.list.after() > 0
            || self.session.is_of_other_branch()
            || self.session.branch.is_some() && self.is_there().await?
        {
            return Err(ApiError::NotFound(Kind::SessionNotFound));
        }
        let along = Along {
            id: SessionId(Uuid::nil()),
            name: BranchName::main(),
            head: 0,
            has_own: false,
            digests: Arc::default(),
            common: 0,
        };
        let done = self.append_rest(along, None).await?;
        Ok(done.map(|()| (BranchName::main(), Outcome::Appended)))
    }

    /// Forks where the list parts from a branch, and appends the rest.
    async fn branch_off(&mut self, along: Along) -> Result<Step<(BranchName, Outcome)>> {
        // Invalid messages are refused before anything changes.
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
    async fn truncate(&self, along: &Along) -> Result<Step<BranchName>> {
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
    async fn switch(&self, to: &BranchName) -> Result<Step<()>> {
        let switched = self.state.store.switch_branch(self.caller.tenant, &self.session.name, to).await?;
        Ok(if switched.is_some() { Step::Done(()) } else { Step::Overtaken })
    }

    /// Whether the session is there, whatever branch is named.
    async fn is_there(&self) -> Result<bool> {
        let session = SessionRef::from(self.session.name.clone());
        Ok(self.state.store.find_branch(self.caller.tenant, &session).await?.is_some())
    }

    fn of(&self, branch: &BranchName) -> SessionRef {
        SessionRef { name: self.session.name.clone(), branch: Some(branch.clone()) }
    }
}

impl<T> Step<T> {
    fn map<U>(self, of: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Self::Done(done) => Step::Done(of(done)),
            Self::Overtaken => Step::Overtaken,
        }
    }
}

fn seq_of(count: usize) -> Seq {
    Seq::try_from(count).unwrap_or(Seq::MAX)
}
