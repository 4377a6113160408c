//! What a session that presses on its window does about it before anything is summarised: it masks.

use super::Accounting;
use crate::domain::mask::{self, Level, MaskMode, Marks};
use crate::domain::settings::Policy;
use crate::domain::shape::AsShape;

/// Below these many unmasked tool results the mask position cannot move at the warn level, so that the
/// messages are not even looked at.
const MANY_RESULTS: u32 = 14;

impl Accounting {
    /// How hard the session presses on its window, when there may be tool outputs to mask.
    #[must_use]
    pub fn mask_level(&self, policy: &Policy) -> Option<Level> {
        if policy.mask == MaskMode::Off || self.unmasked_results == 0 {
            return None;
        }
        let share = self.usage(policy, 0).effective_utilization;
        if share >= policy.force {
            Some(Level::Force)
        } else if share >= policy.warn && self.unmasked_results > MANY_RESULTS {
            Some(Level::Warn)
        } else {
            None
        }
    }

    /// Counts what placeholders save within a new tail, and masks every large output that may be masked
    /// when the context is still above the target. `tail` is as for [`Self::mask_through`].
    pub fn mask_to<T: AsShape>(&mut self, target: f64, policy: &Policy, tail: &[T], marks: &Marks) {
        if policy.mask == MaskMode::Off {
            return;
        }
        self.mask_through(self.mask_upto, tail, marks);
        if self.usage(policy, 0).effective_utilization > target {
            let upto = mask::step(self.mask_upto, tail, marks, Level::Force);
            self.mask_through(upto, tail, marks);
        }
    }
}
