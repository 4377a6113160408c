//! Where a shadow run starts: from the current version like any other, or, when that covers everything
//! already, from the one before, over the same messages, so that strategies can be compared at any time.

use super::{Env, JobError};
use crate::domain::id::Seq;
use crate::store::base::Base;
use crate::store::compressions::{Job, Span};
use crate::store::outlines::Outline;

/// A start further back.
pub(super) struct Earlier {
    /// What is covered once more.
    pub(super) span: Span,
    /// The messages after the earlier version's anchor.
    pub(super) outlines: Vec<Outline>,
}

/// Puts the base back to what the current version was made from; `None` when there is nothing to
/// repeat. A span that an earlier attempt has fixed stays.
pub(super) async fn step_back(env: &Env, job: &Job, base: &mut Base) -> Result<Option<Earlier>, JobError> {
    let Some(current) = base.current.as_ref() else { return Ok(None) };
    let span = match job.span {
        Some(span) => span,
        None => match env.store.load_version(job.tenant, job.session, current.version).await? {
            Some((_, meta)) if meta.from_seq <= meta.through_seq && !is_rollback(&meta) => Span {
                parent_version: meta.parent_version,
                from_seq: meta.from_seq,
                through_seq: meta.through_seq,
            },
            Some(_) | None => return Ok(None),
        },
    };
    let mut anchor = 0;
    base.current = None;
    if let Some(parent) = span.parent_version {
        let Some((stored, meta)) = env.store.load_version(job.tenant, job.session, parent).await? else {
            return Ok(None);
        };
        anchor = meta.through_seq;
        base.current = Some(stored);
    }
    base.anchor = anchor;
    let after = anchor.max(base.counts.system_through);
    let outlines = env.store.load_outlines(job.tenant, job.session, (after, base.head), Seq::MAX).await?;
    Ok(Some(Earlier { span, outlines }))
}

fn is_rollback(meta: &crate::domain::version::VersionMeta) -> bool {
    meta.strategy == crate::domain::strategy::Strategy::Rollback
}
