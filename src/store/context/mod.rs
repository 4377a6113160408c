//! Everything that a context is made of, read in one round trip.
//!
//! What lives here: what a context is made of. `whole` reads all of it; `newest` reads what grows with
//! every append, when this process still holds the rest from an earlier read.
//! Invariant: what is held is served only beside a session row of the same statement that says it is
//! still current, so replicas need not tell each other anything.
//! Must not know: how a context is put together.

mod newest;
mod whole;

use std::sync::Arc;

use moka::sync::Cache;

use super::{Store, StoreError};
use crate::domain::accounting::Accounting;
use crate::domain::context::Entry;
use crate::domain::format::Format;
use crate::domain::id::{Seq, SessionId, SessionName, TenantId};
use crate::domain::mask::{Keep, Marks};
use crate::domain::message::Role;
use crate::domain::settings::Settings;

/// Bytes of settled parts that are held.
const HELD_BYTES: u64 = 32 * 1024 * 1024;

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
    /// The marks of `system` and `carried`.
    marks: Marks,
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
    /// Current task, open errors and next steps once more.
    pub recap: String,
}

impl Settled {
    /// The version that it shows.
    fn version(&self) -> Option<i64> {
        self.summary.as_ref().map(|summary| summary.version)
    }

    fn bytes(&self) -> u32 {
        let summary = self
            .summary
            .as_ref()
            .map_or(0, |summary| summary.rendering.0.len() + summary.least.0.len() + summary.recap.len());
        let entries = self.system.iter().chain(&self.carried).map(|entry| entry.raw.len() + 200);
        let pins = self.pins.as_ref().map_or(0, |pins| pins.0.len());
        let settings = self.stored_settings.0.len() + self.stored_settings.1.len();
        u32::try_from(1_000 + summary + entries.sum::<usize>() + pins + settings).unwrap_or(u32::MAX)
    }
}

/// Settled parts by session, the least used dropped first.
#[derive(Clone, Debug)]
pub(super) struct SettledCache(Cache<(TenantId, SessionName), Arc<Settled>>);

impl SettledCache {
    pub(super) fn new() -> Self {
        let weigh = |key: &(TenantId, SessionName), settled: &Arc<Settled>| {
            settled.bytes().saturating_add(u32::try_from(key.1.as_str().len()).unwrap_or(u32::MAX))
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
    ) -> Result<Option<ContextSource>, StoreError> {
        let key = (tenant, session.clone());
        if let Some(settled) = self.settled.0.get(&key)
            && let Some(source) = self.read_newest(tenant, session, budget, settled).await?
        {
            return Ok(Some(source));
        }
        let source = self.read_whole(tenant, session, budget).await?;
        match &source {
            Some(source) => self.settled.0.insert(key, Arc::clone(&source.settled)),
            None => self.settled.0.invalidate(&key),
        }
        Ok(source)
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
            raw: self.body.ok_or_else(|| corrupt("body"))?,
        })
    }
}
