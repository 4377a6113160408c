//! The state of a branch that is forked from another: as if that had ended there.

use chrono::{DateTime, Utc};

use super::Session;
use crate::accounting::{Accounting, BegunWith, Moment, RetainedMessage};
use crate::outline::Outline;
use crate::trigger::Recent;
use anchord_context::mask::Clipping;
use anchord_messages::id::{BranchName, Seq, SessionId};
use anchord_messages::message::Role;
use anchord_messages::shape::{AsShape as _, Feature};

/// The version that a branch begins with: the newest whose anchor is not beyond the last shared message.
#[derive(Clone, Copy, Debug)]
pub struct InheritedVersion {
    /// Its number.
    pub version: i64,
    /// The last message that it covers.
    pub anchor: Seq,
    /// The newest message when it was published.
    pub head: Seq,
    /// Which outputs were clipped then.
    pub clipping: Clipping,
    /// The user message that was served beside it.
    pub carried: Option<RetainedMessage>,
    /// Tokens of its record.
    pub summary_tokens: u32,
    /// Tokens of its digest.
    pub digest_tokens: u32,
}

/// Where a branch is forked, and what is read for it.
#[derive(Clone, Copy, Debug)]
pub struct ForkPoint<'a> {
    /// The last shared message; 0 when none is shared.
    pub seq: Seq,
    /// Tokens of all shared messages.
    pub tokens: u64,
    /// Tokens of the system prompt, as far as it is shared.
    pub system_tokens: u32,
    /// The version that the branch begins with.
    pub version: Option<InheritedVersion>,
    /// Every shared message after the floor, ascending.
    pub tail: &'a [Outline],
    /// The first messages of the appends after the version was published.
    pub starts: &'a [Seq],
    /// Tokens of the notes that were made by then.
    pub notes_tokens: u32,
    /// The newest shared message of a person before the tail.
    pub user_before: Option<RetainedMessage>,
}

impl ForkPoint<'_> {
    /// The newest message of a person through a shared one.
    fn newest_user(&self, through: Seq) -> Option<RetainedMessage> {
        let mut shared = self.tail.iter().rev().skip_while(|outline| outline.seq > through);
        shared.find_map(Outline::of_person).or(self.user_before)
    }

    /// The message that is served beside a version if it covers it. A message of a person that is not shared may have taken the
    /// place of the one that the branch still answers.
    fn user_beside(&self, version: &InheritedVersion, published: Seq) -> Option<RetainedMessage> {
        let is_of_all = version.head == published;
        if is_of_all { version.carried } else { self.newest_user(published) }
    }
}

impl Outline {
    /// The message as one of a person; `None` for any other, and for a tool's result or a program's instructions in the
    /// role of the user.
    pub fn of_person(&self) -> Option<RetainedMessage> {
        let speaks = self.role == Role::User
            && ![Feature::OnlyResults, Feature::Instructions].into_iter().any(|feature| self.has(feature));
        speaks.then_some(RetainedMessage { seq: self.seq, tokens: self.tokens })
    }
}

impl Session {
    /// The newest message when a version was published, among those that this branch shares with the one that it is of.
    /// The messages that an inherited version covers are this branch's own; the newest message then, `head`, may be of
    /// another.
    pub fn published_here(&self, version: i64, head: Seq) -> Seq {
        let begun_with = &self.accounting.begun_with;
        let inherited = begun_with.iter().find(|begun| version <= begun.version);
        inherited.map_or(head, |begun| begun.published.min(head))
    }

    /// The newest message when the version was published that a fork begins with, among those that the fork shares.
    pub fn published_of_fork(&self, seq: Seq, version: &InheritedVersion) -> Seq {
        self.published_here(version.version, version.head.min(seq))
    }

    /// The floor of a branch that shares the messages through `seq` and begins with a version of this anchor.
    pub fn floor_of_fork(&self, seq: Seq, anchor: Seq) -> Seq {
        anchor.max(self.accounting.system_through.min(seq))
    }

    /// The state of a branch that is forked from this one. It has no signals of what this one said after
    /// the fork; what the newest compression left behind counts for it only when it stands on the same version. What is
    /// masked at the newest message is known; at an earlier one it is counted again, with what appends alone have masked.
    pub fn fork(&self, (id, branch): (SessionId, BranchName), at: ForkPoint<'_>, now: DateTime<Utc>) -> Self {
        let version = at.version.as_ref();
        let stands_on_same = version.map(|version| version.version) == self.version;
        let is_same = stands_on_same && at.seq == self.head_seq;
        let mut forked = Self {
            root: self.root,
            branch,
            settings: self.settings.clone(),
            settings_revision: self.settings_revision,
            has_branches: true,
            head_seq: at.seq,
            anchor_seq: version.map_or(0, |version| version.anchor),
            version: version.map(|version| version.version),
            last_version: version.map_or(0, |version| version.version),
            context_revision: self.context_revision,
            ..Self::new(id, self.name.clone(), self.defaults.clone(), now)
        };
        let policy = forked.policy();
        let published = version.map_or(0, |version| self.published_of_fork(at.seq, version));
        forked.recent = if is_same { self.recent.clone() } else { Recent::forgotten(published) };
        let mut before = self.counts_at(at, published);
        let mut moment = Moment { anchor: forked.anchor_seq, published };
        if is_same {
            (before.mask_upto, before.mask_from) = (self.accounting.mask_upto, self.accounting.mask_from);
            moment.published = at.seq;
        }
        let mut counts = before.counted_again(moment, (at.tail, at.starts), &policy);
        counts.last_user = at.newest_user(at.seq);
        counts.appended_tokens = at.tokens;
        if version.is_some() {
            let since = at.tail.iter().filter(|outline| outline.seq > published);
            counts.settled_head = published;
            counts.settled_tokens = at.tokens - since.map(|outline| u64::from(outline.tokens)).sum::<u64>();
        }
        if stands_on_same {
            counts.suspended = self.accounting.suspended;
            if self.accounting.attempted_through <= at.seq {
                counts.attempted_through = self.accounting.attempted_through;
                counts.refused = self.accounting.refused;
                if counts.refused > 0 {
                    counts.settled_head = self.accounting.settled_head.min(at.seq);
                    counts.settled_tokens = self.accounting.settled_tokens.min(at.tokens);
                }
            }
        }
        forked.accounting = counts;
        forked.forget_masks_that_are_off();
        forked
    }

    /// The versions that branches on the way to a fork began with, when it begins with this one.
    fn begun_with(&self, newest: Option<BegunWith>) -> Vec<BegunWith> {
        let before = self.accounting.begun_with.iter().copied();
        let tells = |begun: &BegunWith| {
            newest.is_some_and(|newest| begun.version < newest.version && begun.published < newest.published)
        };
        before.filter(tells).chain(newest).collect()
    }

    /// The counts of a fork when its version was published, without its tail.
    fn counts_at(&self, at: ForkPoint<'_>, published: Seq) -> Accounting {
        let now = &self.accounting;
        let version = at.version.as_ref();
        let has_messages = at.seq > 0;
        let clipping = version.map_or_else(Clipping::default, |version| version.clipping);
        Accounting {
            system_through: now.system_through.min(at.seq),
            system_tokens: at.system_tokens,
            calibration: now.calibration.clone(),
            tokenizer: Some(self.effective_settings().tokenizer.unwrap_or_default()),
            format: now.format.filter(|_| has_messages),
            // The settings have the model, whether they or an append named it.
            model: None,
            model_revision: now.model_revision,
            under: self.counted_under(),
            begun_with: self
                .begun_with(version.map(|version| BegunWith { version: version.version, published })),
            pins_tokens: now.pins_tokens,
            pins_revision: now.pins_revision,
            notes_tokens: at.notes_tokens,
            // An id is never that of two notes.
            last_note: now.last_note,
            summary_tokens: version.map_or(0, |version| version.summary_tokens),
            digest_tokens: version.map_or(0, |version| version.digest_tokens),
            kept: now.kept.iter().copied().filter(|kept| kept.seq <= at.seq).collect(),
            last_user: version.and_then(|version| at.user_beside(version, published)),
            mask_upto: clipping.upto.min(published),
            mask_from: clipping.from,
            ..Accounting::default()
        }
    }
}
