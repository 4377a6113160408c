//! What a session is, and what its state says without an event.

use chrono::{DateTime, Utc};

use crate::accounting::{Accounting, Usage};
use crate::compression::Status;
use crate::settings::{Policy, Settings};
use crate::trigger::Recent;
use anchord_context::mask::{self, Level, Marks, MaskMode};
use anchord_messages::id::{CompressionId, Seq, SessionId, SessionName};
use anchord_messages::shape::AsShape;

/// A session is indexed for recall when a version is published, and again when this many messages have
/// arrived: what no summary covers is in the context anyway, and recall reads it as it is. Indexing at every two hundred
/// took half of what an append cost, mostly for sessions that end before anything is forgotten.
pub(super) const INDEX_EVERY: Seq = 1_000;

/// A session.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its internal id, never used again.
    pub id: SessionId,
    /// The caller's name for it.
    pub name: SessionName,
    /// What the caller set.
    pub settings: Settings,
    /// The tenant's defaults below it.
    pub defaults: Settings,
    /// Position of the newest message.
    pub head_seq: Seq,
    /// Through which message the current summary covers it.
    pub anchor_seq: Seq,
    /// Through which message the recall index reaches.
    pub indexed_seq: Seq,
    /// The current summary version.
    pub version: Option<i64>,
    /// The newest version ever made.
    pub last_version: i64,
    /// Versions that compressions published.
    pub compression_count: i32,
    /// Grows with every change of its own pins or settings.
    pub context_revision: i64,
    /// Running token and message counts.
    pub accounting: Accounting,
    /// What the signals keep of its history; empty where nobody decides anything.
    pub recent: Recent,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was last written to.
    pub updated_at: DateTime<Utc>,
    /// The live compression, when there is one.
    pub live: Option<Live>,
}

/// A compression that waits or runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Live {
    /// Its id.
    pub id: CompressionId,
    /// How far it is.
    pub status: Status,
    /// It works ahead of need.
    pub is_ahead: bool,
}

impl Session {
    /// A session that nothing has happened to.
    #[must_use]
    pub fn new(id: SessionId, name: SessionName, defaults: Settings, now: DateTime<Utc>) -> Self {
        Self {
            id,
            name,
            settings: Settings::default(),
            defaults,
            head_seq: 0,
            anchor_seq: 0,
            indexed_seq: 0,
            version: None,
            last_version: 0,
            compression_count: 0,
            context_revision: 1,
            accounting: Accounting::default(),
            recent: Recent::default(),
            created_at: now,
            updated_at: now,
            live: None,
        }
    }

    /// The settings with the tenant's defaults below them.
    #[must_use]
    pub fn effective_settings(&self) -> Settings {
        self.settings.over(&self.defaults)
    }

    /// Grows with every change of pins or settings, the tenant's included.
    #[must_use]
    pub fn served_revision(&self) -> i64 {
        self.context_revision + self.defaults.wide_revision()
    }

    /// The settings with every default resolved, the windows as the provider's reports correct them.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.effective_settings().policy().calibrated(self.accounting.calibration)
    }

    /// How full the context is.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let settings = self.effective_settings();
        let policy = settings.policy().calibrated(self.accounting.calibration);
        self.accounting.usage(&policy, settings.system_tokens.unwrap_or_default())
    }

    /// The last message before those that are counted one by one.
    #[must_use]
    pub fn floor(&self) -> Seq {
        self.floor_at(self.anchor_seq)
    }

    /// Placeholders save nothing where nobody masks any more: its tenant may have said so since it was counted.
    pub fn forget_masks_that_are_off(&mut self) {
        if self.effective_settings().mask.unwrap_or_default() == MaskMode::Off {
            self.accounting.masked_tokens = 0;
        }
    }

    /// How hard it presses on its window, when there may be tool outputs to mask.
    #[must_use]
    pub fn mask_level(&self) -> Option<Level> {
        self.accounting.mask_level(&self.policy())
    }

    /// Moves its mask position on, in the steps that keep served prefixes stable. A step is taken by the append after
    /// the one that passed the level: the messages that it masks are then all stored, and the decision of every append
    /// is made on what a context would serve. `tail` is every message after the floor, ascending.
    pub fn mask<T: AsShape>(&mut self, level: Level, tail: &[T], marks: &Marks) {
        let upto = mask::step(self.accounting.mask_upto, tail, marks, level);
        if upto > self.accounting.mask_upto {
            self.accounting.mask_through(upto, tail, marks);
        }
    }
}
