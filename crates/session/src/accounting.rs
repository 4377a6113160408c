//! The running counts of a session, stored in its row so that an append costs the same at any length.
//!
//! All of them are counted by [`Accounting::push`], message by message, both for appended messages and for
//! those that are counted again after a publication.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::outline::Outline;
use super::settings::{Policy, TokenizerName};
use anchord_context::mask::{Clipping, Keep, Marks, MaskMode};
use anchord_messages::format::Format;
use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::shape::AsShape;

mod advice;
mod again;
mod components;
mod message_counts;
mod open_group;

use crate::calibration::{Calibration, CalibrationView};
pub use advice::{Advice, Component, Remedy, Shares};
pub use again::Moment;
pub use components::Components;
pub use message_counts::MessageCounts;
pub use open_group::{MAX_GROUP_BYTES, OpenGroup};

/// The tokens of the line above a kept message, about.
pub(super) const KEPT_LINE_TOKENS: u32 = 24;
/// How many of the last calls say how fast a session grows.
const GROWTH_CALLS: usize = 8;

/// A message that is served word for word also where the summary covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetainedMessage {
    /// Its position.
    pub seq: Seq,
    /// Its tokens, as stored.
    pub tokens: u32,
}

/// Running token and message counts of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Accounting {
    /// The last message of the system prompt (leading system and developer messages); 0 when there is none.
    pub system_through: Seq,
    /// Tokens of the system prompt.
    pub system_tokens: u32,
    /// The correction of the windows by the provider's reports.
    #[serde(skip_serializing_if = "Calibration::is_none")]
    pub calibration: Calibration,
    /// The tokenizer of the counts, which the first message fixes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<TokenizerName>,
    /// The model that an append named since the settings were last written: appends write no settings. It is the setting
    /// `model` of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How often an append changed the model.
    #[serde(skip_serializing_if = "is_default")]
    pub model_revision: i64,
    /// The settings that they were made under, in another branch than main.
    #[serde(skip_serializing_if = "is_default")]
    pub under: CountedUnder,
    /// The versions that branches on the way to this one began with, as far as they tell when a version was published for it;
    /// ascending in both. Empty in main.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub begun_with: Vec<BegunWith>,
    /// Tokens of the summary message that contexts serve.
    pub summary_tokens: u32,
    /// Tokens of the digest's message.
    #[serde(skip_serializing_if = "is_default")]
    pub digest_tokens: u32,
    /// Tokens of the pins, the tenant's included.
    pub pins_tokens: u32,
    /// The tenant's settings revision that `pins_tokens` was counted under.
    #[serde(skip_serializing_if = "is_default")]
    pub pins_revision: i64,
    /// Tokens of the message that serves the agent's notes.
    #[serde(skip_serializing_if = "is_default")]
    pub notes_tokens: u32,
    /// The id of the newest note that was ever made.
    #[serde(skip_serializing_if = "is_default")]
    pub last_note: i64,
    /// Messages after the anchor, the system prompt aside.
    pub tail_messages: u32,
    /// Their tokens, with nothing masked.
    pub tail_tokens: u64,
    /// Tokens of the tail that are tool output.
    pub tool_output_tokens: u64,
    /// Tokens of the tail that the caller marked as retrieved documents.
    pub retrieved_tokens: u64,
    /// User messages after the anchor.
    pub turns: u32,
    /// The mask position: large tool outputs up to here are served clipped.
    pub mask_upto: Seq,
    /// The tokens from which on they are large.
    #[serde(skip_serializing_if = "is_default")]
    pub mask_from: u32,
    /// Tokens that clipping saves.
    pub masked_tokens: u64,
    /// Tool results after `mask_upto`.
    pub unmasked_results: u32,
    /// The current turn's user message, when the summary covers it. It stays until the next version: if it
    /// went with the next user message, everything after it would move, and the provider's cache of the
    /// prefix would be lost each turn.
    pub carried: Option<RetainedMessage>,
    /// The messages that the caller marked to be kept, ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<RetainedMessage>,
    /// The last message that the summary covers: kept ones up to here are served beside it.
    #[serde(skip_serializing_if = "is_default")]
    pub covered_through: Seq,
    /// The newest user message.
    pub last_user: Option<RetainedMessage>,
    /// First messages of the newest groups, ascending: enough of them to compute where a span may end.
    pub group_starts: Vec<Seq>,
    /// Calls of the newest group that wait for their results.
    pub open_calls: u32,
    /// The newest group, while messages may join it.
    #[serde(skip_serializing_if = "OpenGroup::is_closed")]
    pub open_group: OpenGroup,
    /// The tokens that each of the last calls of the model added, with those of its results; the last one is still growing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub growth: Vec<u32>,
    /// Whether the newest message is the model's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_model_speaking: bool,
    /// All tokens that were ever appended.
    pub appended_tokens: u64,
    /// `appended_tokens` when the last compression ended.
    pub settled_tokens: u64,
    /// The newest message when the last compression ended.
    pub settled_head: Seq,
    /// The last message of the last attempt's span.
    pub attempted_through: Seq,
    /// How many automatic compressions in a row published nothing.
    #[serde(skip_serializing_if = "is_default")]
    pub refused: u32,
    /// The format of the newest messages that show or state one; a batch that shows none gets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Whether a rollback suspended automatic compression below the critical level.
    pub suspended: bool,
}

/// The settings that counts were made under, as far as it matters when they have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CountedUnder {
    /// Their revision.
    pub revision: i64,
    /// The model, whose reports the calibration is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A version that a branch began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BegunWith {
    /// Its number.
    pub version: i64,
    /// The newest message when it was published, among those that the branch shares: after them it has its own.
    pub published: Seq,
}

/// How full the context is, as every append and read of a session reports it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = ContextUsage)]
pub struct Usage {
    /// `context_tokens` as a share of the context window.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub static_utilization: f64,
    /// `context_tokens` as a share of the effective window; at most 1.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub effective_utilization: f64,
    /// The tokens of a default context now: beside a context its own, elsewhere as the session counts it, with
    /// placeholders about, and the effective window where something has to be cut to fit.
    pub context_tokens: u64,
    /// Usable tokens: the window minus what anchord does not store, divided by the factor of `calibration`.
    pub effective_window: u32,
    /// The window is assumed, because nobody told it; absent when somebody did. `warnings` has the reason.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub assumed: bool,
    /// Messages after the anchor, the system prompt aside.
    pub uncompressed_messages: u32,
    /// How the provider counts otherwise; absent until its figures are reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<CalibrationView>,
    /// The tokens by component, before anything is cut to fit.
    pub components: Components,
    /// The components as shares.
    pub shares: Shares,
    /// Advice about dominant components, the largest first; nothing acts on it.
    pub advice: Vec<Advice>,
}

/// How full the context is: the figures that decide, and the rest when it is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct BriefUsage {
    /// `context_tokens` as a share of the effective window; at most 1.
    #[serde(serialize_with = "anchord_messages::rounded::ratio")]
    pub effective_utilization: f64,
    /// The tokens of a default context now: beside a context its own, elsewhere as the session counts it, with
    /// placeholders about, and the effective window where something has to be cut to fit.
    pub context_tokens: u64,
    /// Usable tokens: the window minus what anchord does not store.
    pub effective_window: u32,
    /// The window is assumed, because nobody told it; absent when somebody did. `warnings` has the reason.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub assumed: bool,
    /// `context_tokens` as a share of the context window.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub static_utilization: Option<f64>,
    /// Messages after the anchor, the system prompt aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncompressed_messages: Option<u32>,
    /// How the provider counts otherwise; absent until its figures are reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<CalibrationView>,
    /// The tokens by component, before anything is cut to fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub components: Option<Components>,
    /// The components as shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<Shares>,
    /// Advice about dominant components, the largest first; nothing acts on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Vec<Advice>>,
}

impl Usage {
    /// The same of a context that was served.
    pub fn serving(self, tokens: u32, context_window: u32) -> Self {
        let tokens = u64::from(tokens);
        Self {
            static_utilization: share(tokens, context_window),
            effective_utilization: share(tokens, self.effective_window),
            context_tokens: tokens,
            ..self
        }
    }

    /// The figures that decide; with `whole` all of them.
    pub fn brief(self, whole: bool) -> BriefUsage {
        BriefUsage {
            effective_utilization: self.effective_utilization,
            context_tokens: self.context_tokens,
            effective_window: self.effective_window,
            assumed: self.assumed,
            static_utilization: whole.then_some(self.static_utilization),
            uncompressed_messages: whole.then_some(self.uncompressed_messages),
            calibration: self.calibration.filter(|_| whole),
            components: whole.then_some(self.components),
            shares: whole.then_some(self.shares),
            advice: whole.then_some(self.advice),
        }
    }
}

impl Accounting {
    /// Counts one more message at the head of the session.
    pub fn push(&mut self, message: &MessageCounts, preserve_recent: u32) {
        self.appended_tokens += u64::from(message.tokens);
        self.grow(message);
        let leads = self.tail_messages == 0 && message.seq == self.system_through + 1;
        if leads && message.role.is_system() {
            self.system_through = message.seq;
            self.system_tokens = self.system_tokens.saturating_add(message.tokens);
            return;
        }
        self.push_tail(message, preserve_recent);
    }

    /// Counts a message to the call that it belongs to. A call begins with the model's first message after another's.
    fn grow(&mut self, message: &MessageCounts) {
        let begins = message.role == Role::Assistant && !self.is_model_speaking;
        self.is_model_speaking = message.role == Role::Assistant;
        if begins {
            let surplus = (self.growth.len() + 1).saturating_sub(GROWTH_CALLS + 1);
            self.growth.drain(..surplus);
            self.growth.push(0);
        }
        if let Some(last) = self.growth.last_mut() {
            *last = last.saturating_add(message.tokens);
        }
    }

    /// The tokens that a call adds: the median of the last ones.
    pub fn growth_of_a_call(&self) -> u32 {
        let (_, ended) = self.growth.split_last().unwrap_or((&0, &[]));
        let mut ended = ended.to_vec();
        ended.sort_unstable();
        ended.get(ended.len() / 2).copied().unwrap_or_default()
    }

    fn push_tail(&mut self, message: &MessageCounts, preserve_recent: u32) {
        self.tail_messages += 1;
        self.tail_tokens += u64::from(message.tokens);
        self.tool_output_tokens += u64::from(message.tool_output_tokens);
        if message.retrieved {
            self.retrieved_tokens += u64::from(message.tokens);
        }
        if message.seq > self.mask_upto {
            self.unmasked_results += message.results;
        }
        if message.role == Role::User && !message.only_results {
            self.turns += 1;
        }
        if message.role == Role::User && !message.only_results && !message.instructions {
            self.last_user = Some(RetainedMessage { seq: message.seq, tokens: message.tokens });
        }
        self.open_group = std::mem::take(&mut self.open_group).with(message);
        let continues = message.results > 0 && self.open_calls > 0;
        if continues {
            self.open_calls = self.open_calls.saturating_sub(message.results);
        } else {
            self.open_calls = message.calls;
            self.group_starts.push(message.seq);
            self.forget_old_groups(message.seq, preserve_recent);
        }
    }

    /// Keeps the newest group that starts at or before the preserved messages, and all after it.
    fn forget_old_groups(&mut self, head: Seq, preserve_recent: u32) {
        let first_preserved = head - i64::from(preserve_recent) + 1;
        let keep_from =
            self.group_starts.partition_point(|start| *start <= first_preserved).saturating_sub(1);
        self.group_starts.drain(..keep_from);
    }

    /// The last message that a span may cover now; at most the anchor when there is none.
    pub fn span_end(&self, head: Seq, preserve_recent: u32) -> Seq {
        let first_preserved = head - i64::from(preserve_recent) + 1;
        let before = self.group_starts.partition_point(|start| *start <= first_preserved);
        let edge = before.checked_sub(1).and_then(|i| self.group_starts.get(i)).copied();
        let mut end = match edge {
            // The oldest group that is stored starts after the edge, so everything is preserved.
            None => self.group_starts.first().map_or(head, |start| start - 1),
            Some(start) if first_preserved <= head => start - 1,
            Some(_) => head,
        };
        if self.open_calls > 0 {
            end = end.min(self.group_starts.last().map_or(end, |start| start - 1));
        }
        if let Some(user) = self.last_user.filter(|user| user.seq == head) {
            end = end.min(user.seq - 1);
        }
        end
    }

    /// The last message of the group that contains `seq`. Groups before the preserved messages are not
    /// stored; for a message of one of them, its own position.
    pub fn group_end(&self, seq: Seq, head: Seq) -> Seq {
        let next = self.group_starts.partition_point(|start| *start <= seq);
        if next == 0 { seq } else { self.group_starts.get(next).map_or(head, |start| start - 1) }
    }

    /// The tokens that a default context would have now if it had no budget: how much presses on the window.
    pub fn unbounded_tokens(&self) -> u64 {
        let told = u64::from(self.summary_tokens) + u64::from(self.digest_tokens);
        u64::from(self.fixed_tokens()) + told + self.tail_tokens.saturating_sub(self.masked_tokens)
    }

    /// The tokens that no compression removes: system prompt, pins, kept messages, notes, and the carried user message.
    pub fn fixed_tokens(&self) -> u32 {
        let carried = self.carried.map_or(0, |carried| carried.tokens);
        [self.pins_tokens, self.kept_tokens(), self.notes_tokens, carried]
            .into_iter()
            .fold(self.system_tokens, u32::saturating_add)
    }

    /// The most tokens of outputs that are served whole: what system prompt, pins and everything else that no compression
    /// removes, the record and half of the digest leave of the window.
    pub fn room_for_outputs(&self, policy: &Policy) -> u32 {
        let memory = self.summary_tokens.saturating_add(self.digest_tokens / 2);
        policy.effective_window.saturating_sub(self.fixed_tokens()).saturating_sub(memory)
    }

    /// The kept messages that are served beside a summary that covers the messages through `anchor`. The carried message
    /// is served as what it is.
    pub fn kept_beside(&self, anchor: Seq, carried: Option<Seq>) -> impl Iterator<Item = RetainedMessage> {
        let covered = self.kept.iter().copied().take_while(move |kept| kept.seq <= anchor);
        covered.filter(move |kept| Some(kept.seq) != carried)
    }

    /// The tokens of the kept messages that are served beside the summary, each with the line that says what it is.
    fn kept_tokens(&self) -> u32 {
        let beside = self.kept_beside(self.covered_through, self.carried.map(|carried| carried.seq));
        beside.fold(0, |sum, kept| sum.saturating_add(kept.tokens).saturating_add(KEPT_LINE_TOKENS))
    }

    /// Whether the caller marked a message to be kept.
    pub fn keeps(&self, seq: Seq) -> bool {
        self.kept.binary_search_by_key(&seq, |kept| kept.seq).is_ok()
    }

    /// The callers' marks of a run of messages.
    pub fn marks(&self, outlines: &[Outline]) -> Marks {
        let kept = outlines.iter().filter(|outline| self.keeps(outline.seq));
        let left_out = outlines.iter().filter(|outline| outline.is_left_out);
        let never = left_out.map(|outline| (outline.seq, Keep::Never));
        never.chain(kept.map(|outline| (outline.seq, Keep::Always))).collect()
    }

    /// How full the context is, with a window that somebody told.
    pub fn usage(&self, policy: &Policy, uncounted_tokens: u32) -> Usage {
        // A context that would be larger is cut until it fits.
        let used = self.unbounded_tokens().min(policy.effective_window.into());
        let outputs = self.tool_output_tokens.saturating_sub(self.masked_tokens);
        let tail = self.tail_tokens.saturating_sub(self.masked_tokens);
        let components = Components {
            system: u64::from(self.system_tokens)
                + u64::from(self.pins_tokens)
                + u64::from(self.kept_tokens()),
            tool_definitions: u64::from(uncounted_tokens),
            history: tail.saturating_sub(outputs).saturating_sub(self.retrieved_tokens)
                + self.carried.map_or(0, |carried| u64::from(carried.tokens)),
            tool_outputs: outputs,
            retrieved_documents: self.retrieved_tokens,
            summary: u64::from(self.summary_tokens),
            digest: u64::from(self.digest_tokens),
            notes: u64::from(self.notes_tokens),
        };
        Usage {
            static_utilization: share(used, policy.context_window),
            effective_utilization: share(used, policy.effective_window),
            context_tokens: used,
            effective_window: policy.effective_window,
            assumed: false,
            uncompressed_messages: self.tail_messages,
            calibration: self.calibration.view(),
            components,
            shares: components.shares(),
            advice: components.advice(),
        }
    }

    /// Which outputs are clipped.
    pub fn clipping(&self) -> Clipping {
        Clipping::of(self.mask_upto, self.mask_from)
    }

    /// Clips what `clipping` takes, and counts the tokens that this saves. `tail` is every message after
    /// the anchor except the system prompt, ascending.
    pub fn clip<T: AsShape>(&mut self, clipping: Clipping, mode: MaskMode, tail: &[T], marks: &Marks) {
        (self.mask_upto, self.mask_from) = (clipping.upto, clipping.from);
        let after = tail.iter().filter(|item| item.seq() > self.mask_upto);
        self.unmasked_results =
            after.map(|item| u32::try_from(item.results().len()).unwrap_or(u32::MAX)).sum();
        self.masked_tokens = self.saved_within(mode, tail, marks, self.mask_upto);
    }

    /// The tokens that clipping saves within the messages up to `through`.
    pub fn saved_within<T: AsShape>(&self, mode: MaskMode, items: &[T], marks: &Marks, through: Seq) -> u64 {
        if mode == MaskMode::Off {
            return 0;
        }
        let clipping = Clipping::of(self.mask_upto.min(through), self.mask_from);
        items.iter().map(|item| clipping.saves(item, marks)).sum()
    }

    /// The counts after a publication or a rollback, counted again from `tail`: every message after `anchor`
    /// except the system prompt, ascending.
    pub fn rebuilt(&self, anchor: Seq, tail: &[MessageCounts], preserve_recent: u32) -> Self {
        let mut fresh = Self {
            tail_messages: 0,
            tail_tokens: 0,
            tool_output_tokens: 0,
            retrieved_tokens: 0,
            turns: 0,
            masked_tokens: 0,
            unmasked_results: 0,
            group_starts: Vec::new(),
            open_calls: 0,
            open_group: OpenGroup::default(),
            mask_upto: self.mask_upto.max(anchor),
            carried: self.last_user.filter(|user| user.seq <= anchor && user.seq > self.system_through),
            covered_through: anchor,
            ..self.clone()
        };
        for message in tail {
            fresh.push_tail(message, preserve_recent);
        }
        fresh
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Tokens as a share of a window.
#[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
pub(crate) fn share(tokens: u64, window: u32) -> f64 {
    if window == 0 { 0.0 } else { tokens as f64 / f64::from(window) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(seq: Seq, role: Role) -> MessageCounts {
        MessageCounts {
            tool_output_tokens: if role == Role::Tool { 8 } else { 0 },
            results: u32::from(role == Role::Tool),
            bytes: 100,
            ..MessageCounts::of(seq, role, 10, None, false)
        }
    }

    fn calling(seq: Seq, calls: u32) -> MessageCounts {
        MessageCounts { calls, ..message(seq, Role::Assistant) }
    }

    fn count(messages: &[MessageCounts]) -> Accounting {
        let mut counts = Accounting::default();
        for message in messages {
            counts.push(message, 2);
        }
        counts
    }

    #[test]
    fn only_leading_system_messages_are_the_system_prompt() {
        let counts = count(&[
            message(1, Role::System),
            message(2, Role::Developer),
            message(3, Role::User),
            message(4, Role::System),
        ]);
        assert_eq!((counts.system_through, counts.system_tokens), (2, 20));
        assert_eq!(counts.tail_messages, 2);
        assert_eq!(counts.unbounded_tokens(), 40);
    }

    #[test]
    fn a_span_ends_before_the_group_that_holds_a_preserved_message() {
        let session = [
            message(1, Role::User),
            calling(2, 2),
            message(3, Role::Tool),
            message(4, Role::Tool),
            message(5, Role::Assistant),
        ];
        assert_eq!(count(&session).span_end(5, 2), 1, "message 4 is preserved, so its group stays whole");
        assert_eq!(count(&session).span_end(5, 1), 4);
    }

    #[test]
    fn a_pending_call_and_an_unanswered_user_message_stay_out_of_a_span() {
        let pending =
            [message(1, Role::User), message(2, Role::Assistant), message(3, Role::User), calling(4, 1)];
        let mut counts = Accounting::default();
        for message in &pending {
            counts.push(message, 0);
        }
        assert_eq!(counts.span_end(4, 0), 3);
        let mut unanswered = Accounting::default();
        for message in pending.iter().take(3) {
            unanswered.push(message, 0);
        }
        assert_eq!(unanswered.span_end(3, 0), 2);
    }

    #[test]
    fn a_session_that_is_all_preserved_has_no_span() {
        let counts = count(&[message(1, Role::User), message(2, Role::Assistant)]);
        assert_eq!(counts.span_end(2, 2), 0);
        assert_eq!(count(&[message(1, Role::System)]).span_end(1, 2), 1, "nothing after the system prompt");
    }

    #[test]
    fn counting_afresh_after_the_anchor_gives_what_counting_on_would() {
        let session = [
            message(1, Role::System),
            message(2, Role::User),
            calling(3, 1),
            message(4, Role::Tool),
            message(5, Role::Assistant),
            message(6, Role::Assistant),
        ];
        let counts = count(&session);
        let rebuilt = counts.rebuilt(4, &session[4..], 2);
        assert_eq!(rebuilt.tail_messages, 2);
        assert_eq!(rebuilt.tail_tokens, 20);
        assert_eq!(rebuilt.carried, Some(RetainedMessage { seq: 2, tokens: 10 }));
        assert_eq!(rebuilt.unbounded_tokens(), 10 + 10 + 20);
        assert_eq!(counts.rebuilt(0, &session[1..], 2).tail_tokens, counts.tail_tokens);
    }

    #[test]
    fn the_carried_user_message_stays_until_the_next_version_so_that_the_prefix_does() {
        let session = [message(1, Role::User), message(2, Role::Assistant), message(3, Role::Assistant)];
        let mut counts = count(&session).rebuilt(2, &session[2..], 1);
        assert!(counts.carried.is_some());
        counts.push(&message(4, Role::User), 1);
        assert!(counts.carried.is_some());
        let session: Vec<_> = session.into_iter().chain([message(4, Role::User)]).collect();
        assert_eq!(count(&session).rebuilt(3, &session[3..], 1).carried, None);
    }
}
