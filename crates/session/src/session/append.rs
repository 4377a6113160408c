//! The change of a session by an append.

use serde_json::{Map, Value};

use super::outputs::Outputs;
use super::state::{INDEX_EVERY, Session};
use crate::accounting::{Accounting, MAX_GROUP_BYTES, MessageCounts, RetainedMessage, Usage};
use crate::settings::{Settings, SettingsError, TokenizerName};
use crate::signal::HistoryScope;
use crate::trigger::{Decision, MessageSignals, Start, TriggerInput, decide};
use crate::warning::{Warning, WarningCode};
use anchord_context::pin::PINS_SHARE;
use anchord_messages::format::Format;
use anchord_messages::format::detect::BatchFormat;
use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_record::fill::share_of;

/// A message to append.
#[derive(Clone, Copy, Debug)]
pub struct Incoming<'a> {
    /// The values for the counts; its position is set by the append.
    pub counted: &'a MessageCounts,
    /// The values for the signals about history; `None` where they have none.
    pub signals: Option<&'a MessageSignals>,
    /// Whether the caller marked it to be kept.
    pub is_kept: bool,
}

/// Settings of a session that its first batch names. A session that is there keeps its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstSettings {
    /// The end user whom the session is with.
    pub user: Option<String>,
    /// The caller's metadata.
    pub metadata: Option<Map<String, Value>>,
}

impl FirstSettings {
    /// Checks the settings by the rules of a session's; `None` when nothing is named.
    ///
    /// # Errors
    /// When one of them is refused.
    pub fn new(
        user: Option<String>,
        metadata: Option<Map<String, Value>>,
    ) -> Result<Option<Self>, SettingsError> {
        let user = user.map(|user| ("user".to_owned(), Value::String(user)));
        let metadata = metadata.map(|metadata| ("metadata".to_owned(), Value::Object(metadata)));
        let none = Settings::default();
        let Settings { user, metadata, .. } =
            none.patched(user.into_iter().chain(metadata).collect(), &none)?;
        Ok((user.is_some() || metadata.is_some()).then_some(Self { user, metadata }))
    }
}

/// The caller's options of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchOptions<'a> {
    /// The format of the messages.
    pub format: BatchFormat,
    /// The model that the session talks to from now on; `None` for no change.
    pub model: Option<&'a str>,
    /// Settings of the session that this batch makes; `None` for a session that is there.
    pub opening: Option<&'a FirstSettings>,
    /// The tokenizer that counted the messages.
    pub tokenizer: TokenizerName,
    /// The position that the caller expects the first message to get.
    pub expected_next_seq: Option<Seq>,
    /// Whether a task has just ended.
    pub task_boundary: bool,
    /// Whether the caller asks for every signal.
    pub every_signal: bool,
    /// The history that the messages have values for; at least [`Session::history_needed`].
    pub history: HistoryScope,
    /// When the batch arrived, in seconds since 1970.
    pub now: i64,
}

/// Why a batch is refused; the session is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendRefusal {
    /// The first message would get another position than the caller expects.
    #[error("the next seq is {next_seq}")]
    Precondition {
        /// The position that it would get.
        next_seq: Seq,
    },
    /// The session counts with this other tokenizer; count with it and append again.
    #[error("the session counts with another tokenizer")]
    Tokenizer(TokenizerName),
    /// A group would be larger than [`MAX_GROUP_BYTES`].
    #[error("a group of messages would be too large")]
    GroupTooLarge,
    /// The model cannot be the session's.
    #[error("the model cannot be the session's: {0}")]
    Model(SettingsError),
    /// More messages would be kept than may be.
    #[error(transparent)]
    KeptTooMuch(KeptTooMuch),
}

/// More than may be kept of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeptTooMuch {
    /// Too many messages.
    #[error("{messages} messages would be kept; at most {MAX_KEPT} may be")]
    Messages {
        /// How many they would be.
        messages: usize,
    },
    /// Too large a part of the window.
    #[error("the kept messages would take {tokens} tokens; a tenth of the effective window is {max_tokens}")]
    Tokens {
        /// The tokens that they would take.
        tokens: u32,
        /// The most that they may take.
        max_tokens: u32,
    },
}

/// The most messages that are kept of a session.
pub const MAX_KEPT: usize = 200;

/// The result of an append.
#[derive(Clone, Debug, PartialEq)]
pub struct Appended {
    /// Position of the first message.
    pub first_seq: Seq,
    /// Position of the last one.
    pub last_seq: Seq,
    /// The format of its messages, when they show none: the session's so far.
    pub format: Option<Format>,
    /// Tokens of the batch.
    pub tokens_added: u64,
    /// How full the context is after it.
    pub usage: Usage,
    /// The decision about a compression.
    pub decision: Decision,
    /// The compression that it starts.
    pub start: Option<Start>,
    /// Warnings about the window.
    pub warnings: Vec<Warning>,
    /// Warnings about the messages.
    pub of_messages: Vec<Warning>,
    /// Whether it brought the context to the warn level.
    pub warns: bool,
    /// Whether the recall index should be extended: once per [`INDEX_EVERY`] messages, so that a queued
    /// indexing does not cost a statement at every append.
    pub indexes: bool,
}

impl Session {
    /// Appends a batch of messages.
    ///
    /// # Errors
    /// When the batch is refused; the session is unchanged then.
    pub fn append(
        &mut self,
        messages: &[Incoming<'_>],
        options: BatchOptions<'_>,
    ) -> Result<Appended, AppendRefusal> {
        let first_seq = self.head_seq + 1;
        if options.expected_next_seq.is_some_and(|expected| expected != first_seq) {
            return Err(AppendRefusal::Precondition { next_seq: first_seq });
        }
        let named = match options.model.filter(|model| self.settings.model.as_deref() != Some(*model)) {
            Some(model) => {
                Some(self.settings.with_model(model, &self.defaults).map_err(AppendRefusal::Model)?)
            }
            None => None,
        };
        let settings = self.in_force(named.as_ref().unwrap_or(&self.settings));
        let tokenizer = settings.tokenizer.unwrap_or_default();
        if tokenizer != options.tokenizer {
            return Err(AppendRefusal::Tokenizer(tokenizer));
        }
        let format = options.format.resolve(self.accounting.format);
        let is_open = matches!(options.format, BatchFormat::Open { .. });
        let group = self.accounting.open_group.clone();
        if group.largest_with(messages.iter().map(|message| message.counted)) > MAX_GROUP_BYTES {
            return Err(AppendRefusal::GroupTooLarge);
        }
        let window = settings.policy().effective_window;
        self.accounting.require_room_to_keep(messages, window).map_err(AppendRefusal::KeptTooMuch)?;
        if let Some(named) = named {
            if self.name_model(named.model.as_deref()) && self.head_seq > 0 {
                self.accounting.model_revision += 1;
            }
            self.accounting.model.clone_from(&named.model);
            self.settings = named;
        }
        if let Some(FirstSettings { user, metadata }) = options.opening {
            self.settings.user.clone_from(user);
            self.settings.metadata.clone_from(metadata);
        }
        self.accounting.tokenizer = Some(tokenizer);

        let policy = settings.policy().calibrated(&self.accounting.calibration);
        let uncounted = settings.system_tokens.unwrap_or_default();
        let before = self.accounting.usage(&policy, uncounted).effective_utilization;
        let steps_before = (self.head_seq - self.indexed_seq) / INDEX_EVERY;
        let mut tokens_added = 0;
        let (mut orphans, mut empty) = (Vec::new(), Vec::new());
        let mut outputs = Outputs::default();
        let none = MessageSignals::default();
        let mut recent = std::mem::take(&mut self.recent).scoped(options.history);
        for message in messages {
            self.head_seq += 1;
            let is_item = if is_open { format == Format::OpenaiResponses } else { message.counted.is_item };
            let counted = MessageCounts { seq: self.head_seq, is_item, ..message.counted.clone() };
            if self.accounting.open_group.is_orphan(&counted) {
                orphans.push(self.head_seq);
            }
            if counted.empty && counted.role == Role::User {
                empty.push(self.head_seq);
            }
            outputs.push(&counted);
            self.accounting.push(&counted, policy.preserve_recent);
            // The system prompt is served whole anyway.
            if message.is_kept && self.head_seq > self.accounting.system_through {
                self.accounting.kept.push(RetainedMessage { seq: self.head_seq, tokens: counted.tokens });
            }
            if options.history > HistoryScope::Nothing {
                recent.push(self.head_seq, counted.tokens, message.signals.unwrap_or(&none), options.now);
            }
            tokens_added += u64::from(counted.tokens);
        }
        self.recent = recent;
        self.accounting.format = options.format.session_format(self.accounting.format);
        let situation = TriggerInput {
            counts: &self.accounting,
            recent: &self.recent,
            head: self.head_seq,
            anchor: self.anchor_seq,
            first: first_seq,
            boundary: options.task_boundary.then(|| task_end(messages, self.head_seq)),
            versions: self.last_version,
            now: options.now,
        };
        let (decision, start) = decide(&policy, &situation, options.every_signal);
        let usage = self.usage_under(&policy, uncounted);
        let after = usage.effective_utilization;
        Ok(Appended {
            first_seq,
            last_seq: self.head_seq,
            format: is_open.then_some(format),
            tokens_added,
            decision,
            start,
            warnings: self.warnings(),
            of_messages: [
                (WarningCode::ToolResultWithoutCall, orphans),
                (WarningCode::EmptyUserMessage, empty),
            ]
            .into_iter()
            .filter(|(_, seqs)| !seqs.is_empty())
            .map(|(code, seqs)| Warning::of_messages(code, seqs))
            .chain(outputs.warnings(self.accounting.room_for_outputs(&policy)))
            .collect(),
            warns: before < policy.warn && after >= policy.warn,
            indexes: (self.head_seq - self.indexed_seq) / INDEX_EVERY > steps_before,
            usage,
        })
    }
}

impl Accounting {
    /// Checks that the marked messages of a batch may be kept, beside those that are. As pins, they take a tenth of the
    /// window at most, because no compression removes them.
    fn require_room_to_keep(&self, messages: &[Incoming<'_>], window: u32) -> Result<(), KeptTooMuch> {
        // The system prompt is served whole anyway.
        let is_prompt = |message: &&Incoming<'_>| self.tail_messages == 0 && message.counted.role.is_system();
        let rest = || messages.iter().skip_while(is_prompt);
        let marked = || rest().filter(|message| message.is_kept).map(|message| message.counted.tokens);
        if marked().next().is_none() {
            return Ok(());
        }
        let all = || self.kept.iter().map(|kept| kept.tokens).chain(marked());
        let (messages, tokens) = (all().count(), all().fold(0, u32::saturating_add));
        let max_tokens = share_of(window, PINS_SHARE);
        if messages > MAX_KEPT {
            Err(KeptTooMuch::Messages { messages })
        } else if tokens > max_tokens {
            Err(KeptTooMuch::Tokens { tokens, max_tokens })
        } else {
            Ok(())
        }
    }
}

/// The last message of the task that a batch ends: the batch's last, without the unanswered user or system
/// messages at its end, which begin the next task.
fn task_end(messages: &[Incoming<'_>], head: Seq) -> Seq {
    let begins_next = |message: &&Incoming<'_>| {
        let counted = message.counted;
        counted.role.is_system() || (counted.role == Role::User && !counted.only_results)
    };
    let waiting = messages.iter().rev().take_while(begins_next).count();
    head - Seq::try_from(waiting).unwrap_or(head)
}
