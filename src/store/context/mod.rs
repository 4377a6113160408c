//! Everything that a context is made of, read in one round trip.
//!
//! What lives here: what a context is made of. `whole` reads it; `past` reads what it was made of earlier.
//! Invariant: all of it is as it was at one moment.
//! Must not know: how a context is put together.

mod past;
mod whole;

pub use past::Past;

use super::StoreError;
use crate::domain::accounting::Accounting;
use crate::domain::context::Entry;
use crate::domain::format::Format;
use crate::domain::id::{Seq, SessionId};
use crate::domain::mask::{Keep, Marks};
use crate::domain::message::Role;
use crate::domain::settings::Settings;

/// What a context is made of, at one moment.
#[derive(Clone, Debug)]
pub struct ContextSource {
    /// The session's internal id.
    pub session: SessionId,
    /// The settings, the tenant's defaults below them.
    pub settings: Settings,
    /// Through which message the summary covers the session.
    pub anchor_seq: Seq,
    /// Grows with every change of pins or settings, the tenant's included.
    pub context_revision: i64,
    /// The current summary.
    pub summary: Option<SummarySource>,
    /// The text of the message that serves the pins, and that message's tokens.
    pub pins: Option<(String, u32)>,
    /// The leading system and developer messages.
    pub system: Vec<Entry>,
    /// The user message that the summary covers and that is still served.
    pub carried: Option<Entry>,
    /// Running token and message counts.
    pub accounting: Accounting,
    /// The newest message.
    pub head_seq: Seq,
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

/// A message as it is stored.
struct MessageRow {
    seq: Option<i64>,
    role: Option<String>,
    format: Option<String>,
    tokens: Option<i32>,
    shape: Option<String>,
    keep: Option<String>,
    body: Option<String>,
}

impl MessageRow {
    /// The message, its mark noted.
    fn read(self, session: SessionId, marks: &mut Marks) -> Result<Entry, StoreError> {
        let seq = self.seq.unwrap_or_default();
        let corrupt = |column| {
            StoreError::corrupt("messages", column, format!("{} {seq}", session.0), "does not parse")
        };
        match self.keep.as_deref() {
            Some("always") => drop(marks.insert(seq, Keep::Always)),
            Some("never") => drop(marks.insert(seq, Keep::Never)),
            Some(_) => return Err(corrupt("keep")),
            None => {}
        }
        let shape = self.shape.as_deref().map(serde_json::from_str).transpose();
        Ok(Entry {
            seq,
            format: self.format.as_deref().and_then(Format::from_name).ok_or_else(|| corrupt("format"))?,
            role: self.role.as_deref().and_then(Role::parse).ok_or_else(|| corrupt("role"))?,
            tokens: self.tokens.and_then(|t| u32::try_from(t).ok()).ok_or_else(|| corrupt("tokens"))?,
            shape: shape.map_err(|_| corrupt("shape"))?,
            raw: self.body.ok_or_else(|| corrupt("body"))?.into(),
        })
    }
}
