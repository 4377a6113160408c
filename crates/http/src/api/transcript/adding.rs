//! Adding to a branch what a list has beyond it.
//!
//! Invariant: every append names its branch and the position that its first message has in the list.

use std::sync::Arc;
use std::time::Instant;

use super::along::Along;
use super::reply::{self, Ended, Outcome, SyncState};
use super::{Step, Sync, seq_of};
use crate::admission::heavy::in_steps;
use crate::admission::quotas::BatchSize;
use crate::api::batch::Batch;
use crate::api::messages::{self, batch_size};
use crate::api::prelude::*;
use anchord_messages::content_digest::{ContentDigest, Digests};
use anchord_messages::format::detect::BatchFormat;
use anchord_messages::tokens::Tokenizer;
use anchord_session::session::AppendRefusal;
use anchord_store::gather::{Append, AppendError, NewMessage, Reply};
use anchord_store::sessions::PutOutcome;

/// How often the tokens of the new messages are counted, when the session uses another tokenizer than expected.
const TOKENIZER_ATTEMPTS: usize = 3;

/// Stored messages of a list.
pub(super) struct Added {
    messages: usize,
    tokens: u64,
    first_seq: Seq,
    /// The reply to the last append.
    body: String,
}

/// Messages of a list that are read.
pub(super) struct New {
    messages: Vec<NewMessage>,
    digests: Vec<Digests>,
    format: BatchFormat,
    tokenizer: Tokenizer,
}

/// Why an append of new messages stored nothing.
enum Refused {
    /// The session counts with another tokenizer.
    Tokenizer(Tokenizer),
    Problem(ApiError),
}

impl Sync<'_> {
    /// Appends what the list has beyond a branch that it begins with.
    pub(super) async fn append_rest(&mut self, mut along: Along, new: Option<New>) -> Result<Step<()>> {
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
            let (started, size, count) = (Instant::now(), batch_size(&messages), messages.len());
            let append = Append {
                tenant: self.caller.tenant,
                session: self.of(&along.name),
                model: self.model.take(),
                opening: self.opening.clone(),
                messages,
                format: new.format,
                tokenizer: new.tokenizer,
                expected_next_seq: Some(seq_of(along.common + 1)),
                task_boundary: self.task_boundary && left.len() == 0,
                now: self.state.clock.now().timestamp(),
                reply_key: None,
                included: self.included,
                is_imported: false,
            };
            let model = append.model.clone();
            match self.state.appends.append(append).await {
                Ok(reply) => {
                    self.store(size);
                    self.state.count_append(self.caller, &reply, size, started);
                    self.take(along, reply, digests.by_ref().take(count));
                }
                Err(refused) => {
                    if refused.may_be_stored() {
                        self.store(size);
                    }
                    self.model = model;
                    return match refused {
                        AppendError::Refused(AppendRefusal::Precondition { .. }) | AppendError::NoBranch => {
                            Ok(Step::Overtaken)
                        }
                        AppendError::Refused(AppendRefusal::Tokenizer(wanted)) => {
                            Err(Refused::Tokenizer(wanted))
                        }
                        refused @ (AppendError::Refused(_)
                        | AppendError::KeyReused
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
    fn take(&mut self, along: &mut Along, reply: Reply, digests: impl Iterator<Item = Digests>) {
        let before = along.common;
        // A branch was compared to its end before anything is appended.
        Arc::make_mut(&mut along.digests).extend(digests);
        along.common = along.digests.len();
        if let Some(stored) = &reply.stored {
            along.id = stored.session;
            self.state.known_branches.keep(self.caller.tenant, along.id, Arc::clone(&along.digests));
        }
        let tokens = reply.stored.map_or(0, |stored| stored.tokens);
        let so_far = self.added.take();
        let first_seq = so_far.as_ref().map_or(seq_of(before + 1), |stored| stored.first_seq);
        self.added = Some(Added {
            messages: so_far.as_ref().map_or(0, |stored| stored.messages) + along.common - before,
            tokens: so_far.map_or(0, |stored| stored.tokens) + tokens,
            first_seq,
            body: reply.body,
        });
    }

    /// Reads the messages of the list that a branch lacks, by the same rules as an append's.
    pub(super) async fn read_new(
        &self,
        from: usize,
        before: &[Digests],
        tokenizer: Option<Tokenizer>,
    ) -> Result<New> {
        let known = || self.state.appends.known_tokenizer(self.caller.tenant, &self.session);
        let tokenizer = tokenizer.or_else(known);
        let so_far = before.last().map(|before| before.format);
        let (list, limits) = (self.list.clone(), self.state.limits.clone());
        let (stated, model) = (self.stated, self.model.clone());
        let (mut begun, mut digests) = (None, Vec::with_capacity(list.len() - from));
        in_steps(self.caller.tenant, list.is_large_from(from), move |until| {
            let Some(mut batch) = begun.take() else {
                let raws = list.rest(from).iter().map(|listed| serde_json::from_str(listed.raw()));
                let raws = raws.collect::<Result<_, _>>().map_err(ApiError::internal)?;
                begun = Some(Batch::begin(
                    (from - list.after(), raws),
                    (stated, model.as_deref(), tokenizer),
                    &limits,
                )?);
                return Ok(None);
            };
            let format = batch.format().resolve(so_far);
            while batch.read_next()? {
                if let Some(listed) = list.rest(from + digests.len()).first() {
                    let content = ContentDigest::of(format, listed.raw());
                    digests.push(Digests { format, text: listed.text, content });
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

    /// Takes the room of what is new from the tenant's quotas, unless an earlier step has taken as much.
    pub(super) async fn admit(&mut self, new: &New) -> Result<()> {
        let size = batch_size(&new.messages);
        if self.admitted.as_ref().is_none_or(|admitted| !admitted.covers(size)) {
            self.admitted = None;
            self.admitted = Some(messages::admit(self.state, self.caller, None, size).await?);
        }
        Ok(())
    }

    /// Keeps the room of what was stored.
    fn store(&mut self, size: BatchSize) {
        if let Some(admitted) = &mut self.admitted {
            admitted.store(size);
        }
    }

    /// Outcome of the sync on this branch.
    pub(super) async fn ended(&mut self, branch: BranchName, outcome: Outcome) -> Result<Ended> {
        let of = self.of(&branch);
        let appended = self.added.as_ref().map_or(0, |stored| stored.messages);
        let body = match self.added.take() {
            Some(added) => added.into_body()?,
            None => self.body_of(&of).await?,
        };
        let state = SyncState { branch, outcome, common: self.list.len() - appended, appended };
        Ok(Ended { of, newest: seq_of(self.list.len()), state, body })
    }

    /// The reply's body when nothing was appended.
    async fn body_of(&self, of: &SessionRef) -> Result<Map<String, Value>> {
        let (tenant, store) = (self.caller.tenant, &self.state.store);
        let gone = || ApiError::NotFound(Kind::SessionNotFound);
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
                PutOutcome::NoBranch => return Err(gone()),
            };
        }
        reply::unchanged(&session, self.included)
    }
}

impl Added {
    /// The reply to the last append, as if it had appended all.
    fn into_body(self) -> Result<Map<String, Value>> {
        let mut body: Map<String, Value> = serde_json::from_str(&self.body).map_err(ApiError::internal)?;
        body.insert("first_seq".to_owned(), self.first_seq.into());
        body.insert("tokens_added".to_owned(), self.tokens.into());
        Ok(body)
    }
}
