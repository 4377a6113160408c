//! Everything that a context is made of, read in one round trip.
//!
//! What lives here: what a context is made of. `whole` reads all of it; `newest` reads what was appended
//! since, when this process still holds the rest from an earlier read; `past` reads what it was made of earlier.
//! Invariant: what is held is served only beside a session row of the same statement that says it is
//! still current, so replicas need not tell each other anything. Messages never change, so those that
//! are held stay right while the row still names the same session and anchor.
//! Must not know: how a context is put together.

mod newest;
mod past;
mod whole;

pub use past::Past;

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use moka::sync::Cache;

use super::{Store, StoreError};
use crate::domain::accounting::Accounting;
use crate::domain::context::Entry;
use crate::domain::format::Format;
use crate::domain::id::{Seq, SessionId, SessionName, TenantId};
use crate::domain::mask::{Keep, Marks};
use crate::domain::message::Role;
use crate::domain::settings::Settings;

/// Bytes that are held.
const HELD_BYTES: u64 = 48 * 1024 * 1024;
/// What a message takes beside its text, about.
const ENTRY_BYTES: usize = 200;
/// One session must not push out the others; a larger one is read again each time.
const LARGEST_HELD_BYTES: u32 = 4 * 1024 * 1024;

/// What a context is made of, as a read found it.
#[derive(Clone, Debug)]
pub struct Found {
    /// What it is made of. The same place in memory is the same content.
    pub source: Arc<ContextSource>,
    /// This process had read all of it before, and nothing has changed since.
    pub is_unchanged: bool,
}

impl Deref for Found {
    type Target = ContextSource;

    fn deref(&self) -> &ContextSource {
        &self.source
    }
}

/// What a context is made of, at one moment.
#[derive(Clone, Debug)]
pub struct ContextSource {
    /// What changes with versions, pins and settings alone.
    pub settled: Arc<Settled>,
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

/// The part of a context that stays while messages are appended.
#[derive(Clone, Debug)]
pub struct Settled {
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
    /// Through which message the leading system messages reach.
    system_through: Seq,
    /// The settings as they are stored, the session's and the tenant's.
    stored_settings: (String, String),
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

impl Settled {
    /// The version that it shows.
    fn version(&self) -> Option<i64> {
        self.summary.as_ref().map(|summary| summary.version)
    }

    fn bytes(&self) -> usize {
        let summary = self.summary.as_ref().map_or(0, |summary| {
            let digest = summary.digest.as_ref().map_or(0, |digest| digest.0.len());
            summary.rendering.0.len() + summary.least.0.len() + digest + summary.recap.len()
        });
        let pins = self.pins.as_ref().map_or(0, |pins| pins.0.len());
        let settings = self.stored_settings.0.len() + self.stored_settings.1.len();
        1_000 + summary + bytes(self.system.iter().chain(&self.carried)) + pins + settings
    }
}

fn bytes<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> usize {
    entries.into_iter().map(|entry| entry.raw.len() + ENTRY_BYTES).sum()
}

/// What is held of a session: a whole context, and the counts as they were stored with it.
#[derive(Debug)]
struct Held {
    source: Arc<ContextSource>,
    stored_accounting: String,
    bytes: u32,
    /// It was found unchanged before, so that it likely is again and the session's row alone is looked at
    /// first. Whoever appends between reads pays no second round trip for that.
    is_settled: AtomicBool,
}

impl Held {
    /// Of a read with nothing left out; `None` when that is too large.
    fn of(source: &Arc<ContextSource>, stored_accounting: String) -> Option<Self> {
        let bytes = source.settled.bytes() + bytes(&source.tail) + stored_accounting.len();
        let bytes = u32::try_from(bytes).ok().filter(|bytes| *bytes <= LARGEST_HELD_BYTES)?;
        source.tail_omitted.is_none().then(|| Self {
            source: Arc::clone(source),
            stored_accounting,
            bytes,
            is_settled: AtomicBool::new(false),
        })
    }
}

/// What is held by session, the least used dropped first.
#[derive(Clone, Debug)]
pub(super) struct HeldContexts(Cache<(TenantId, SessionName), Arc<Held>>);

impl HeldContexts {
    pub(super) fn new() -> Self {
        let weigh = |key: &(TenantId, SessionName), held: &Arc<Held>| {
            held.bytes.saturating_add(u32::try_from(key.1.as_str().len()).unwrap_or(u32::MAX))
        };
        Self(Cache::builder().max_capacity(HELD_BYTES).weigher(weigh).build())
    }
}

impl Store {
    /// Reads what a context within `budget` tokens is made of; `None` when there is no such session.
    /// The cost grows with the budget, not with the session.
    ///
    /// # Errors
    /// When the database fails, or a row does not read back.
    pub async fn find_context(
        &self,
        tenant: TenantId,
        session: &SessionName,
        budget: Option<u32>,
    ) -> Result<Option<Found>, StoreError> {
        let key = (tenant, session.clone());
        let mut found = None;
        if let Some(held) = self.held.0.get(&key) {
            found = self.read_newest((tenant, session), budget, &held).await?;
            if found.as_ref().is_some_and(|(found, _)| found.is_unchanged) {
                return Ok(found.map(|(found, _)| found));
            }
        }
        if found.is_none() {
            found = self.read_whole(tenant, session, budget).await?;
        }
        let Some((found, stored_accounting)) = found else {
            self.held.0.invalidate(&key);
            return Ok(None);
        };
        match Held::of(&found.source, stored_accounting) {
            Some(held) => self.held.0.insert(key, Arc::new(held)),
            None => self.held.0.invalidate(&key),
        }
        Ok(Some(found))
    }
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
