//! The change of a session by a rollback, and by new settings, pins or notes.

use super::Session;
use super::end::clip_for;
use crate::accounting::{CountedUnder, MessageCounts};
use crate::calibration::Calibration;
use crate::models;
use crate::outline::Outline;
use crate::settings::{Settings, SettingsError};
use anchord_context::mask::MaskMode;
use anchord_messages::id::Seq;

impl Session {
    /// The floor of a version with this anchor: the last message before the tail.
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
        counts.suspended = true;
        clip_for(&mut counts, None, &policy, tail);
        self.accounting = counts;
        self.anchor_seq = anchor;
        self.take_version();
    }

    /// Whether new settings change the mode of masking; then [`Self::set`] needs the session's tail.
    pub fn masks_otherwise(&self, settings: &Settings) -> bool {
        settings.over(&self.defaults).mask.unwrap_or_default()
            != self.effective_settings().mask.unwrap_or_default()
    }

    /// Changes the settings, in the state of main; returns `false` when they are the same. If [`Self::masks_otherwise`],
    /// `tail` is every message after the floor, ascending.
    ///
    /// # Errors
    /// When they are refused; the session is unchanged then.
    pub fn set(&mut self, settings: Settings, tail: &[Outline]) -> Result<bool, SettingsError> {
        let counting = self.effective_settings().tokenizer;
        if settings.tokenizer.is_some() && settings.tokenizer != counting && self.has_fixed_tokenizer() {
            return Err(SettingsError {
                pointer: "/tokenizer".to_owned(),
                detail: format!(
                    "cannot change once messages are stored or a branch is forked, because all messages are counted with it; this session counts with {}",
                    counting.unwrap_or_default().as_ref()
                ),
            });
        }
        if settings == self.settings {
            return Ok(false);
        }
        self.context_revision += 1;
        self.settings_revision += 1;
        // A rollback suspends automatic compression until the next change of settings. The model is an agent's word.
        self.accounting.suspended &= self.settings.is_same_but_for_model(&settings);
        let masks_otherwise = self.masks_otherwise(&settings);
        self.name_model(settings.model.as_deref());
        self.settings = settings;
        // From here on the settings have it.
        self.accounting.model = None;
        if masks_otherwise {
            self.count_masks(tail);
        }
        self.forget_masks_that_are_off();
        Ok(true)
    }

    /// Whether the settings have changed since this branch was counted. A change writes main's row alone, so that every
    /// other branch finds it when it is read.
    pub fn has_stale_counts(&self) -> bool {
        !self.is_main() && self.accounting.under.revision != self.settings_revision
    }

    /// Whether [`Self::refresh_counts`] needs the tail: placeholders are served that do not count, as after masking was off.
    pub fn has_uncounted_masks(&self) -> bool {
        let counts = &self.accounting;
        counts.masked_tokens == 0
            && counts.mask_upto > self.floor()
            && self.effective_settings().mask.unwrap_or_default() != MaskMode::Off
    }

    /// Does what [`Self::set`] does in main, when [`Self::has_stale_counts`]. If [`Self::has_uncounted_masks`], `tail` is every
    /// message after the floor, ascending.
    pub fn refresh_counts(&mut self, tail: &[Outline]) {
        let now = self.counted_under();
        let before = std::mem::replace(&mut self.accounting.under, now);
        // It is not known which other settings have changed with the model; then the suspension stays.
        self.accounting.suspended &= before.model != self.accounting.under.model;
        self.change_model(before.model.as_deref(), self.accounting.under.model.clone().as_deref());
        if self.has_uncounted_masks() {
            self.count_masks(tail);
        }
    }

    /// The settings as they are now, for the counts that are made under them.
    pub(super) fn counted_under(&self) -> CountedUnder {
        CountedUnder { revision: self.settings_revision, model: self.settings.model.clone() }
    }

    /// Prepares main for a branch, which reads its settings and counts as it does: the model that an append named is moved to
    /// the settings, and the tokenizer is fixed. Returns `false` when nothing had to be changed.
    pub fn share_settings(&mut self) -> bool {
        let tokenizer = self.effective_settings().tokenizer.unwrap_or_default();
        let is_named = self.accounting.model.take().is_some();
        let is_fixed = self.accounting.tokenizer.replace(tokenizer).is_some();
        self.settings_revision += i64::from(is_named);
        is_named || !is_fixed
    }

    /// Forgets how the provider counts when the session goes on with a model that counts otherwise; returns whether
    /// it does.
    pub(super) fn name_model(&mut self, model: Option<&str>) -> bool {
        let own = self.settings.model.clone();
        self.change_model(own.as_deref(), model)
    }

    fn change_model(&mut self, own: Option<&str>, model: Option<&str>) -> bool {
        let limits = |model: Option<&str>| models::limits_of(model?, self.defaults.wide_models());
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

    /// Ends the mark of a message that is kept; returns `false` when it has none. If [`Self::masks_when_released`], `tail`
    /// is every message after the floor, ascending.
    pub fn release(&mut self, seq: Seq, tail: &[Outline]) -> bool {
        if !self.accounting.keeps(seq) {
            return false;
        }
        self.context_revision += 1;
        self.accounting.kept.retain(|kept| kept.seq != seq);
        if self.masks_when_released(seq) {
            self.count_masks(tail);
        }
        true
    }

    /// Whether a message of the tail becomes a placeholder when it is no longer kept.
    pub fn masks_when_released(&self, seq: Seq) -> bool {
        seq > self.floor() && seq <= self.accounting.mask_upto
    }

    fn count_masks(&mut self, tail: &[Outline]) {
        let marks = self.accounting.marks(tail);
        let (clipping, mode) = (self.clipping(), self.policy().mask);
        self.accounting.clip(clipping, mode, tail, &marks);
        self.forget_masks_that_are_off();
    }

    fn take_version(&mut self) {
        self.last_version += 1;
        self.version = Some(self.last_version);
        self.context_revision += 1;
    }
}
