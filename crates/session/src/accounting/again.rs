//! Counts an earlier moment again: from the version that was current then, and the messages after it.

use super::{Accounting, MessageCounts};
use crate::outline::Outline;
use crate::room::Room;
use crate::settings::Policy;
use anchord_messages::id::Seq;

/// The most steps of the mask position times messages that are examined; on a long tail it moves in fewer steps.
const MOST_LOOKS: usize = 1_000_000;

/// The version that was current at a moment, as positions in the session.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The last message that it covered; 0 when there was none.
    pub anchor: Seq,
    /// The newest message when it was published.
    pub published: Seq,
}

impl Accounting {
    /// Counts a tail as the publication and the later appends did; the mask position moves before each append. `self` has the
    /// counts when the version was published, without its tail; `starts` are the first messages of the appends after
    /// that.
    pub fn counted_again(
        &self,
        moment: Moment,
        (tail, starts): (&[Outline], &[Seq]),
        policy: &Policy,
    ) -> Self {
        let marks = self.marks(tail);
        let there = tail.partition_point(|outline| outline.seq <= moment.published);
        let (old, new) = tail.split_at(there);
        let counted: Vec<MessageCounts> = old.iter().map(Outline::counted).collect();
        let mut counts = self.rebuilt(moment.anchor, &counted, policy.preserve_recent);
        if self.mask_upto > 0 {
            counts.clip(self.clipping(), policy.mask, old, &marks);
        } else if moment.anchor > 0 {
            counts.clip_to(Room::of(policy, None, &counts), policy, old, &marks);
        }
        let stride = (tail.len() * starts.len()).div_ceil(MOST_LOOKS).max(1);
        let coming: Vec<MessageCounts> = new.iter().map(Outline::counted).collect();
        let mut looks = starts.iter().step_by(stride).peekable();
        for (place, message) in coming.iter().enumerate() {
            let mut begins = false;
            while looks.next_if(|start| **start <= message.seq).is_some() {
                begins = true;
            }
            let known = tail.get(..there + place).unwrap_or_default();
            let at = (message.seq - 1, moment.anchor.max(counts.system_through));
            let later = looks.peek().map_or(Seq::MAX, |start| **start);
            let batch = coming.get(place..).unwrap_or_default().iter().take_while(|one| one.seq < later);
            if begins && let Some(newest) = counts.clip_boundary(policy, at, batch) {
                counts.clip_before(policy, newest, known, &marks);
            }
            counts.push(message, policy.preserve_recent);
        }
        counts
    }
}
