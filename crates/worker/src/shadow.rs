//! The start of a shadow run: the current version, or, when that covers everything already, its parent with the same
//! messages, so that strategies can be compared at any time. Most comparisons are requested after a compression.
//!
//! From the parent, the candidate is asked the probes that the current version was asked.

use super::job::{Env, JobError};
use anchord_messages::id::Seq;
use anchord_record::strategy::Strategy;
use anchord_session::outline::Outline;
use anchord_store::base::Base;
use anchord_store::compressions::Job;

/// A start at the parent of the current version.
pub(super) struct EarlierStart {
    /// The messages after the anchor of the parent.
    pub(super) outlines: Vec<Outline>,
    /// What the current version replaced.
    pub(super) replaced: Replaced,
}

/// What the current version replaced when it was made. Masks have moved since, so these numbers cannot be computed
/// again.
#[derive(Clone, Copy)]
pub(super) struct Replaced {
    /// Its last message.
    pub(super) through_seq: Seq,
    /// The tokens of its span as they were served then.
    pub(super) span_tokens: u32,
    /// The tokens of the whole context without the current version.
    pub(super) context_tokens: u32,
}

impl Replaced {
    /// The tokens of the span with an earlier end. Masks begin with the oldest messages, so the newest count in full.
    pub(super) fn until(self, outlines: &[Outline], through_seq: Seq) -> u32 {
        let is_left_out = |o: &&Outline| o.seq > through_seq && o.seq <= self.through_seq;
        let left_out = outlines.iter().filter(is_left_out).map(|o| o.tokens);
        left_out.fold(self.span_tokens, u32::saturating_sub)
    }
}

/// Resets the base to the parent of the current version; `None` when there is nothing to repeat.
pub(super) async fn step_back(
    env: &Env,
    job: &Job,
    base: &mut Base,
) -> Result<Option<EarlierStart>, JobError> {
    let Some(number) = base.current.as_ref().map(|current| current.version) else { return Ok(None) };
    let load = |version| env.store.load_version(job.tenant, job.session, version);
    let Some((current, meta)) = load(number).await? else { return Ok(None) };
    // A rollback read no messages. And a span that an earlier attempt fixed must belong to the last version.
    let is_the_last = job.span.is_none_or(|span| span.parent_version == meta.parent_version);
    if meta.strategy == Strategy::Rollback || !is_the_last {
        return Ok(None);
    }
    let (mut anchor, mut parent_tokens) = (0, 0);
    base.current = None;
    if let Some(parent) = meta.parent_version {
        let Some((stored, parent)) = load(parent).await? else { return Ok(None) };
        (anchor, parent_tokens) = (parent.through_seq, stored.served_tokens);
        base.current = Some(stored);
    }
    base.session.anchor_seq = anchor;
    let parent = meta.parent_version.unwrap_or_default();
    base.probes = env.store.load_probes_until(job.tenant, job.session, parent).await?;
    let tokens_before = u32::try_from(meta.tokens_before).unwrap_or(u32::MAX);
    let now = u32::try_from(base.session.accounting.context_tokens()).unwrap_or(u32::MAX);
    let replaced = Replaced {
        through_seq: meta.through_seq,
        span_tokens: tokens_before.saturating_sub(parent_tokens),
        context_tokens: now.saturating_sub(current.served_tokens).saturating_add(tokens_before),
    };
    let after = anchor.max(base.session.accounting.system_through);
    let outlines =
        env.store.load_outlines(job.tenant, job.session, (after, base.session.head_seq), Seq::MAX).await?;
    Ok(Some(EarlierStart { outlines, replaced }))
}
