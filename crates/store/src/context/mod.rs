//! Reads what a context is made of: the session's row, and the texts that it refers to.
//!
//! What lives here: reading the present state; `past` finds an earlier one; `texts` reads the texts of either.
//! Invariant: everything belongs to one moment, that at which the session's row was read.
//! Must not know: how a context is put together.
//!
//! No process caches contexts. It would have to ask whether anything changed, and agents append between their reads.
//! Cached contexts and replies reached 1.20 of the read ceiling at 64 connections where this reaches about 0.3
//! (docs/performance.md), but only for unchanged contexts, and they needed three ways to read. A request that names
//! the current `ETag` is answered from the session's row.

mod past;
mod texts;

pub use past::Past;

use super::{Store, StoreError};
use anchord_context::context::{Counted, Entry};
use anchord_context::mask::Marks;
use anchord_context::pin;
use anchord_messages::id::{Seq, TenantId};
use anchord_messages::tokens::TokenCounter;
use anchord_session::session::Session;
use anchord_session::settings::Settings;
use texts::{Texts, Wanted};

/// What a context is made of, at one moment.
#[derive(Clone, Debug)]
pub struct ContextSource {
    /// The session, with the version that the context shows.
    pub session: Session,
    /// The settings, the tenant's defaults below them.
    pub settings: Settings,
    /// The version.
    pub summary: Option<SummarySource>,
    /// The text of the message that serves the pins, and that message's tokens.
    pub pins: Option<(String, u32)>,
    /// The leading system and developer messages.
    pub system: Vec<Entry>,
    /// The user message that the summary covers and that is still served.
    pub carried: Option<Entry>,
    /// The messages after the anchor, ascending, as many of the newest as the budget can hold.
    pub tail: Vec<Entry>,
    /// Messages after the anchor that were not read.
    pub tail_omitted: Option<(Seq, Seq)>,
    /// The caller's marks of the messages.
    pub marks: Marks,
}

/// A summary as contexts serve it.
#[derive(Clone, Debug)]
pub struct SummarySource {
    /// Its version.
    pub version: i64,
    /// The text of the message that serves it, and that message's tokens.
    pub rendering: (String, u32),
    /// The same at its smallest.
    pub least: (String, u32),
    /// The text of the message that serves the digest, and that message's tokens.
    pub digest: Option<(String, u32)>,
    /// Current task, open errors and next steps once more.
    pub recap: String,
}

impl ContextSource {
    /// Of a session, and the texts that were read for it.
    fn new(session: Session, wanted: Wanted, texts: Texts) -> Self {
        let settings = session.effective_settings();
        let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
        let pins = pin::served(&pin::together(settings.wide_pins(), texts.pins));
        let (floor, (from, _)) = (session.floor(), wanted.tail);
        Self {
            // Counted here, for the tenant's may have changed since the session counted them.
            pins: pins.map(|text| {
                let tokens = Counted::new(&text, &counter).tokens;
                (text, tokens)
            }),
            summary: texts.summary,
            system: texts.system,
            carried: texts.carried,
            tail: texts.tail,
            tail_omitted: (from > floor + 1).then_some((floor + 1, from - 1)),
            marks: texts.marks,
            settings,
            session,
        }
    }
}

impl Store {
    /// Reads what a context within `budget` tokens is made of, for a session as it was read; `None` when it has been erased
    /// since, or shows something else by now. The cost grows with the budget, not with the session.
    ///
    /// # Errors
    /// When the database fails, or a row does not read back.
    pub async fn find_context(
        &self,
        tenant: TenantId,
        session: Session,
        budget: Option<u32>,
    ) -> Result<Option<ContextSource>, StoreError> {
        let key = (tenant, session.id);
        // The effective window is never larger than the context window.
        let budget = budget.unwrap_or_else(|| session.effective_settings().policy().context_window);
        let counts = &session.accounting;
        let is_crowded = counts.tail_tokens > u64::from(budget);
        let (wanted, texts) = loop {
            let mut reading = self.reading(tenant).await?;
            let read = async {
                let connection = reading.connection();
                let mut from = session.floor() + 1;
                if is_crowded {
                    // Only the end of the tail is read.
                    from = texts::find_tail(connection, key, (from, session.head_seq), budget).await?;
                }
                let wanted = Wanted {
                    version: session.version,
                    system_through: counts.system_through,
                    carried: counts.carried.map(|carried| carried.seq),
                    tail: (from, session.head_seq),
                };
                Ok::<_, StoreError>((wanted, texts::read(connection, key, wanted).await?))
            };
            let read = read.await;
            if let Some(read) = reading.settle(read)? {
                break read;
            }
        };
        if texts.context_revision != Some(session.context_revision) {
            return Ok(None);
        }
        if !texts.are_all_of(wanted) {
            let reason = "a version or a message of it is not there";
            return Err(StoreError::corrupt("sessions", "head_seq", session.id.0, reason));
        }
        Ok(Some(ContextSource::new(session, wanted, texts)))
    }
}
