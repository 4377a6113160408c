//! Comparing a list with the branches of its session.
//!
//! Invariant: a digest is made here, of a list's message or of a stored one; none is taken from a caller.

use std::sync::Arc;
use std::time::Instant;

use super::list::List;
use super::{Step, Sync, seq_of};
use crate::admission::heavy::in_steps;
use crate::api::batch::LARGE_BODY_BYTES;
use crate::api::prelude::*;
use anchord_messages::content_digest::Digests;
use anchord_messages::format::Format;
use anchord_messages::message::Role;
use anchord_store::branches::{After, Branch, Continuation};
use anchord_store::messages::SeqRange;

/// How many stored messages are read at once, when the digests of a branch are not known.
const PAGE_MESSAGES: i64 = 1_000;
/// How many are read at once to be compared with what may be less of them.
const TRIMMED_MESSAGES: i64 = 32;

/// A branch, and how far the list goes along it.
#[derive(Clone)]
pub(super) struct Along {
    pub(super) id: SessionId,
    pub(super) name: BranchName,
    /// How many messages it has.
    pub(super) head: usize,
    /// Whether it has messages of its own.
    pub(super) has_own: bool,
    pub(super) digests: Arc<Vec<Digests>>,
    /// How many messages list and branch have in common.
    pub(super) common: usize,
}

impl Along {
    pub(super) fn of(branch: &Branch, digests: Arc<Vec<Digests>>, common: usize) -> Self {
        let head = usize::try_from(branch.head_seq).unwrap_or_default();
        let has_own = branch.head_seq > branch.seq;
        Self { id: branch.id, name: branch.name.clone(), head, has_own, digests, common }
    }

    /// Whether list and branch both go on after what they have in common, and differently.
    pub(super) fn parts(&self, list: &List) -> bool {
        self.common < self.head && self.common < list.len()
    }

    /// Whether another branch may have what the list adds: this one was left without a message of its own, as by going back.
    pub(super) fn may_go_on_elsewhere(&self, list: &List) -> bool {
        self.common == self.head && self.common < list.len() && !self.has_own
    }

    /// The digests of what list and branch have in common.
    pub(super) fn shared(&self) -> Arc<Vec<Digests>> {
        if self.digests.len() == self.common {
            return Arc::clone(&self.digests);
        }
        Arc::new(self.digests.get(..self.common).unwrap_or_default().to_vec())
    }

    /// The format of the last message that they have in common.
    pub(super) fn format(&self) -> Option<Format> {
        let last = self.common.checked_sub(1)?;
        self.digests.get(last).map(|digests| digests.format)
    }
}

/// A stored message to be digested.
struct Stored {
    seq: Seq,
    format: String,
    body: String,
}

impl Sync<'_> {
    /// Compares the list with a branch, from where they are known to be the same.
    pub(super) async fn compare(&self, mut along: Along) -> Result<Step<Along>> {
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
    async fn digests(&self, along: &Along, wanted: usize) -> Result<Step<Arc<Vec<Digests>>>> {
        let (tenant, known) = (self.caller.tenant, &self.state.known_branches);
        let mut digests = known.find(tenant, along.id);
        // The messages that it shares with a branch that the list was compared with.
        if digests.len() < along.common {
            digests = along.shared();
        }
        if digests.len() >= wanted {
            return Ok(Step::Done(digests));
        }
        while digests.len() < wanted {
            let range = SeqRange { from: seq_of(digests.len() + 1), to: seq_of(wanted) };
            let page = self.state.store.list_messages_of(along.id.of(tenant), range, PAGE_MESSAGES).await?;
            // A branch that is erased meanwhile.
            if page.first().is_none_or(|first| first.seq != range.from) {
                return Ok(Step::Overtaken);
            }
            let page = page.into_iter();
            let stored =
                page.map(|stored| Stored { seq: stored.seq, format: stored.format, body: stored.body });
            let more = self.digest(stored.collect()).await?;
            Arc::make_mut(&mut digests).extend(more);
        }
        known.keep(tenant, along.id, Arc::clone(&digests));
        Ok(Step::Done(digests))
    }

    /// The digests of stored messages.
    async fn digest(&self, stored: Vec<Stored>) -> Result<Vec<Digests>> {
        let bytes: usize = stored.iter().map(|stored| stored.body.len()).sum();
        let mut digests = Vec::with_capacity(stored.len());
        let mut stored = stored.into_iter();
        in_steps(self.caller.tenant, bytes > LARGE_BODY_BYTES, move |until| {
            for Stored { seq, format, body } in stored.by_ref() {
                let format = format
                    .parse::<Format>()
                    .map_err(|_| StoreError::corrupt("messages", "format", seq, "unknown word"))?;
                digests.push(Digests::of(format, &body));
                if Instant::now() > until {
                    return Ok(None);
                }
            }
            Ok(Some(std::mem::take(&mut digests)))
        })
        .await
    }

    /// Compares a list on where it may have less of a message than was said; `None` when it has another one there. Such a
    /// message counts when one behind it is the same, or when it is the branch's newest answer and the list goes on.
    pub(super) async fn compare_trimmed(&self, along: &Along) -> Result<Option<Along>> {
        let (mut at, mut common, mut newest) = (along.common, along.common, None);
        let end = along.head.min(self.list.len());
        while self.may_be_trimmed && at < end {
            let range = SeqRange { from: seq_of(at + 1), to: seq_of(end) };
            let key = along.id.of(self.caller.tenant);
            let page = self.state.store.list_messages_of(key, range, TRIMMED_MESSAGES).await?;
            let bytes: usize = page.iter().map(|stored| stored.body.len()).sum();
            let (list, digests, from) = (self.list.clone(), Arc::clone(&along.digests), at);
            let compared = in_steps(self.caller.tenant, bytes > LARGE_BODY_BYTES, move |until| {
                while let Some(stored) = page.get(at - from) {
                    let is_same = digests.get(at).is_some_and(|known| list.is(at, known));
                    let format = stored.format.parse::<Format>().ok();
                    newest = format.and_then(|format| list.trimmed(at, (format, &stored.body)));
                    if !is_same && newest.is_none() {
                        return Ok(Some((at, common, newest, true)));
                    }
                    at += 1;
                    common = if is_same { at } else { common };
                    if Instant::now() > until {
                        return Ok(None);
                    }
                }
                Ok(Some((at, common, newest, page.is_empty())))
            });
            let has_ended;
            (at, common, newest, has_ended) = compared.await?;
            if has_ended {
                break;
            }
        }
        if at == along.head && at < self.list.len() && newest == Some(Role::Assistant) {
            common = at;
        }
        Ok((common > along.common).then(|| Along { common, ..along.clone() }))
    }

    /// Finds a branch that goes on with the list's next message where the list parts from another, and compares the list on.
    pub(super) async fn find_continuation(&self, along: &Along) -> Result<Step<Option<Along>>> {
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
            store.correct_first_digest(id.of(tenant), (&digest.0, &first.content.0)).await?;
        }
        let mut beyond = None;
        loop {
            let page = store.list_undigested(tenant, after, beyond).await?;
            let Some(last) = page.last() else { return Ok(Step::Done(None)) };
            beyond = Some(last.branch.id);
            let seq = after.seq + 1;
            let (others, first): (Vec<_>, Vec<_>) = page
                .into_iter()
                .map(|other| {
                    ((other.branch, other.is_first), Stored { seq, format: other.format, body: other.body })
                })
                .unzip();
            for ((branch, is_first), first) in others.into_iter().zip(self.digest(first).await?) {
                if is_first {
                    store.note_first_digest(branch.id.of(tenant), &first.content.0).await?;
                }
                if self.list.is(along.common, &first) {
                    return self.compare_on(along, branch).await;
                }
            }
        }
    }

    /// Compares the list with a branch that goes on where it parts from another.
    async fn compare_on(&self, along: &Along, found: Continuation) -> Result<Step<Option<Along>>> {
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
}
