//! Reads what a context is made of: the session's row, and the texts that it refers to.
//!
//! What lives here: reading the current state; `past` finds an earlier one; `texts` reads the texts of either.
//! Invariant: everything is as of the moment at which the session's row was read.
//! Must not know: how a context is assembled.
//!
//! No process caches contexts. It would have to ask whether anything has changed, and agents append between their
//! reads. Cached contexts and replies reached 1.20 of the read ceiling at 64 connections, where this reaches about
//! 0.3 (docs/performance.md), but only for unchanged contexts, and they needed three ways to read. A request that
//! names the current `ETag` is answered from the session's row.

mod past;
mod source;
mod texts;

pub(super) use past::{CARRIED_WITHIN, find_appends, find_user};
pub use past::{FoundPast, Past};
pub use source::ContextSource;
pub use texts::SummarySource;

use crate::prelude::*;
use anchord_session::session::Session;
use texts::TextSelection;

impl Store {
    /// Reads the parts of a context within `budget` tokens, for a session as it was read; `None` when the session has
    /// been erased since, or shows something else by now. The cost grows with the budget, not with the session.
    pub async fn find_context(
        &self,
        tenant: TenantId,
        session: Session,
        budget: Option<u32>,
    ) -> Result<Option<ContextSource>> {
        let key = session.id.of(tenant);
        // The effective window is never larger than the context window.
        let budget = budget.unwrap_or_else(|| session.effective_settings().policy().context_window);
        let counts = &session.accounting;
        let carried = counts.carried.map(|carried| carried.seq);
        let is_crowded = counts.tail_tokens > u64::from(budget);
        let (wanted, texts) = loop {
            let mut reading = self.reading(tenant).await?;
            let read = async {
                let connection = reading.connection();
                let has_begun = connection.enter(tenant).await?;
                let mut from = session.floor() + 1;
                if is_crowded {
                    // Only the end of the tail is read.
                    from = texts::find_tail(connection, key, (from, session.head_seq), budget).await?;
                }
                // Also those that the budget leaves out of the tail.
                let kept = counts.kept_beside(session.anchor_seq.max(from - 1), carried);
                let kept: Vec<Seq> = kept.map(|kept| kept.seq).collect();
                let asked = counts.last_user.map(|user| user.seq);
                let wanted = TextSelection {
                    version: session.version,
                    system_through: counts.system_through,
                    carried,
                    requests: match session.version {
                        Some(_) => Vec::new(),
                        None => texts::requests_before(from, session.floor(), asked, &kept),
                    },
                    kept,
                    tail: (from, session.head_seq),
                    notes_through: Seq::MAX,
                    pinned_by: None,
                };
                let texts = texts::read(connection, key, &wanted).await?;
                connection.leave(has_begun).await?;
                Ok::<_, StoreError>((wanted, texts))
            };
            let read = read.await;
            if let Ok((_, texts)) = &read {
                reading.carried(
                    texts.tail.iter().chain(&texts.system).chain(&texts.kept).map(|entry| entry.raw.len()),
                );
            }
            if let Some(read) = reading.finish(read)? {
                break read;
            }
        };
        if texts.context_revision != Some(session.context_revision) {
            return Ok(None);
        }
        if !texts.are_all_of(&wanted) {
            let reason = "a version or a message of it is not there";
            return Err(StoreError::corrupt("sessions", "head_seq", session.id.0, reason));
        }
        Ok(Some(ContextSource::new(session, &wanted, texts)))
    }
}
