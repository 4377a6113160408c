//! What a rollback, a merge of another session, or a change of settings, pins or notes changes in a session.

use super::Session;
use super::end::mask_for;
use crate::accounting::MessageCounts;
use crate::calibration::Calibration;
use crate::models;
use crate::outline::{Outline, marks};
use crate::settings::{Settings, SettingsError};
use anchord_messages::id::Seq;

impl Session {
    /// The floor of a version with this anchor: the last message before the tail.
    #[must_use]
    pub fn floor_at(&self, anchor: Seq) -> Seq {
        anchor.max(self.accounting.system_through)
    }

    /// Makes an earlier version, which covers the session up to `anchor`, current again as a new one.
    /// Suspends automatic compression below the critical level, because the same signal would undo the
    /// rollback at once. `tail` is every message after [`Self::floor_at`], ascending.
    pub fn roll_back(&mut self, anchor: Seq, (summary_tokens, digest_tokens): (u32, u32), tail: &[Outline]) {
        let policy = self.policy();
        let counted: Vec<MessageCounts> = tail.iter().map(Outline::counted).collect();
        let mut counts = self.accounting.rebuilt(anchor, &counted, policy.preserve_recent);
        (counts.summary_tokens, counts.digest_tokens) = (summary_tokens, digest_tokens);
        (counts.suspended, counts.prepared) = (true, None);
        mask_for(&mut counts, None, &policy, tail);
        self.accounting = counts;
        self.anchor_seq = anchor;
        self.take_version();
    }

    /// Makes the version of a merge the current one; the anchor and the count of compressions stay.
    pub fn merge(&mut self, summary_tokens: u32) {
        self.accounting.summary_tokens = summary_tokens;
        self.accounting.prepared = None;
        self.take_version();
    }

    /// Whether new settings change the mode of masking; then [`Self::set`] needs the session's tail.
    #[must_use]
    pub fn masks_otherwise(&self, settings: &Settings) -> bool {
        settings.over(&self.defaults).mask.unwrap_or_default()
            != self.effective_settings().mask.unwrap_or_default()
    }

    /// Changes the settings; returns `false` when they are the same. If [`Self::masks_otherwise`], `tail` is
    /// every message after the floor, ascending.
    ///
    /// # Errors
    /// When they are refused; the session is unchanged then.
    pub fn set(&mut self, settings: Settings, tail: &[Outline]) -> Result<bool, SettingsError> {
        let counting = self.effective_settings().tokenizer;
        if settings.tokenizer.is_some() && settings.tokenizer != counting && self.head_seq > 0 {
            return Err(SettingsError {
                pointer: "/tokenizer".to_owned(),
                detail: format!(
                    "cannot change once messages are stored, because they are counted with it; this session counts with {}",
                    counting.unwrap_or_default().as_str()
                ),
            });
        }
        if settings == self.settings {
            return Ok(false);
        }
        self.context_revision += 1;
        // A rollback suspends automatic compression until the next change of settings.
        self.accounting.suspended = false;
        let masks_otherwise = self.masks_otherwise(&settings);
        self.name_model(settings.model.as_deref());
        self.settings = settings;
        // From here on the settings have it.
        self.accounting.model = None;
        if masks_otherwise {
            let upto = self.accounting.mask_upto;
            self.accounting.mask_through(upto, tail, &marks(tail));
        }
        self.forget_masks_that_are_off();
        Ok(true)
    }

    /// Forgets how the provider counts when the session goes on with a model that counts otherwise; returns whether
    /// it does.
    pub(super) fn name_model(&mut self, model: Option<&str>) -> bool {
        let limits = |model: Option<&str>| models::limits_of(model?, self.defaults.wide_models());
        let own = self.settings.model.as_deref();
        let is_another = own != model && (limits(own) != limits(model) || limits(model).is_none());
        if is_another {
            self.accounting.calibration = Calibration::default();
        }
        is_another
    }

    /// Changes the pins; `tokens` includes the tenant's.
    pub fn pin(&mut self, tokens: u32) {
        self.context_revision += 1;
        self.accounting.pins_tokens = tokens;
        self.accounting.pins_revision = self.defaults.wide_pins_revision();
    }

    /// Changes the agent's notes; `newest` is the id of the newest that was made.
    pub fn note(&mut self, tokens: u32, newest: i64) {
        self.context_revision += 1;
        self.accounting.notes_tokens = tokens;
        self.accounting.last_note = self.accounting.last_note.max(newest);
    }

    /// Changes the sizes of the current version, because a constraint was dropped from it.
    pub fn show(&mut self, summary_tokens: u32, digest_tokens: u32) {
        self.context_revision += 1;
        self.accounting.summary_tokens = summary_tokens;
        self.accounting.digest_tokens = digest_tokens;
    }

    fn take_version(&mut self) {
        self.last_version += 1;
        self.version = Some(self.last_version);
        self.context_revision += 1;
    }
}
