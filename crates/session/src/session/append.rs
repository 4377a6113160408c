//! The effects on a session when messages are appended.

use super::state::{INDEX_EVERY, Session};
use crate::accounting::{MAX_GROUP_BYTES, MessageCounts, Usage};
use crate::settings::TokenizerName;
use crate::trigger::{Decision, MessageSignals, Start, TriggerInput, decide};
use anchord_messages::id::Seq;
use anchord_messages::message::Role;

/// A message that comes.
#[derive(Clone, Copy, Debug)]
pub struct Incoming<'a> {
    /// What counting needs; its position is given here.
    pub counted: &'a MessageCounts,
    /// What the signals need.
    pub noticed: &'a MessageSignals,
}

/// What the caller says of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchOptions {
    /// How the tokens were counted.
    pub tokenizer: TokenizerName,
    /// The position that the caller expects the first message to get.
    pub expected_next_seq: Option<Seq>,
    /// A task has just ended.
    pub task_boundary: bool,
    /// When it came, in seconds since 1970.
    pub now: i64,
}

/// Why a batch is not appended; nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendRefusal {
    /// The next message gets another position than the caller expects.
    Precondition {
        /// The position that it will get.
        next_seq: Seq,
    },
    /// The session counts tokens in another way.
    Tokenizer(TokenizerName),
    /// A group would be larger than [`MAX_GROUP_BYTES`].
    GroupTooLarge,
}

/// What an append comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Appended {
    /// Position of the first message.
    pub first_seq: Seq,
    /// Position of the last one.
    pub last_seq: Seq,
    /// Tokens of the batch.
    pub tokens_added: u64,
    /// How full the context is after it.
    pub usage: Usage,
    /// What the signals come to.
    pub decision: Decision,
    /// The compression that it asks for.
    pub start: Option<Start>,
    /// It has brought the context to the warn level.
    pub warns: bool,
    /// It asks for the recall index to go on: once per [`INDEX_EVERY`] messages, so that a queued indexing does not
    /// cost a statement at every append.
    pub indexes: bool,
}

impl Session {
    /// Takes in a batch of messages.
    ///
    /// # Errors
    /// When it is refused; nothing has changed then.
    pub fn append(
        &mut self,
        messages: &[Incoming<'_>],
        said: BatchOptions,
    ) -> Result<Appended, AppendRefusal> {
        let first_seq = self.head_seq + 1;
        if said.expected_next_seq.is_some_and(|expected| expected != first_seq) {
            return Err(AppendRefusal::Precondition { next_seq: first_seq });
        }
        let settings = self.effective_settings();
        let tokenizer = settings.tokenizer.unwrap_or_default();
        if tokenizer != said.tokenizer {
            return Err(AppendRefusal::Tokenizer(tokenizer));
        }
        let group = self.accounting.open_group;
        if group.largest_with(messages.iter().map(|message| message.counted)) > MAX_GROUP_BYTES {
            return Err(AppendRefusal::GroupTooLarge);
        }
        // What was made ahead of need under other pins or settings is made anew.
        let revision = self.served_revision();
        self.accounting.prepared.take_if(|prepared| prepared.revision != revision);

        let policy = settings.policy().calibrated(self.accounting.calibration);
        let uncounted = settings.system_tokens.unwrap_or_default();
        let before = self.accounting.usage(&policy, uncounted).effective_utilization;
        let steps_before = (self.head_seq - self.indexed_seq) / INDEX_EVERY;
        let mut tokens_added = 0;
        for message in messages {
            self.head_seq += 1;
            let counted = MessageCounts { seq: self.head_seq, ..*message.counted };
            self.accounting.push(&counted, policy.preserve_recent);
            self.recent.push(self.head_seq, counted.tokens, message.noticed, said.now);
            tokens_added += u64::from(counted.tokens);
        }
        let situation = TriggerInput {
            counts: &self.accounting,
            recent: &self.recent,
            head: self.head_seq,
            anchor: self.anchor_seq,
            first: first_seq,
            boundary: said.task_boundary.then(|| task_end(messages, self.head_seq)),
            versions: self.last_version,
            now: said.now,
        };
        let (decision, start) = decide(&policy, &situation);
        let usage = self.accounting.usage(&policy, uncounted);
        let after = usage.effective_utilization;
        Ok(Appended {
            first_seq,
            last_seq: self.head_seq,
            tokens_added,
            decision,
            start,
            warns: before < policy.warn && after >= policy.warn,
            indexes: (self.head_seq - self.indexed_seq) / INDEX_EVERY > steps_before,
            usage,
        })
    }
}

/// The last message of the task that a batch ends: its last, unless it closes with what nobody has answered
/// yet, which is the next task's beginning.
fn task_end(messages: &[Incoming<'_>], head: Seq) -> Seq {
    let begins_next = |message: &&Incoming<'_>| {
        let counted = message.counted;
        counted.role.is_system() || (counted.role == Role::User && !counted.only_results)
    };
    let waiting = messages.iter().rev().take_while(begins_next).count();
    head - Seq::try_from(waiting).unwrap_or(head)
}
