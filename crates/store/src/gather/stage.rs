//! Decides the appends of a session, between reading the session and writing it; pure, without I/O.

use std::collections::HashMap;

use super::{Append, AppendError, AppendReply, Included, LiveCompression, Pending, Reply, StoredAppend};

use crate::idempotency::ReplyKey;
use crate::load::Loaded;
use crate::metadata;
use crate::owner::appends::{
    ChangeRow, EventRow, JobRow, MessageRow, MetadataRow, OutputRow, ReplyRow, Rows,
};
use crate::prelude::*;
use anchord_context::mask::Keep;
use anchord_messages::format::Format;
use anchord_session::compression::{Request, Status};
use anchord_session::session::{Appended, BatchOptions, Incoming, Live};
use anchord_session::settings::Settings;
use anchord_session::signal::HistoryScope;
use anchord_session::trigger::{MessageSignals, REPLAYED_BYTES, REPLAYED_MESSAGES, Start};
use anchord_session::warning::Warning;

/// The approximate size of a reply as JSON.
const REPLY_BYTES: usize = 512;

/// The stored reply to an earlier request.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) digest: Vec<u8>,
    pub(super) reply: String,
}

/// Stored replies of a session by route and key.
pub(super) type Replays = HashMap<(String, String), Stored>;

/// The decisions on the appends of one session.
pub(super) struct Staged {
    pub(super) loaded: Loaded,
    /// An answer for each append.
    pub(super) answers: Vec<Result<Reply, AppendError>>,
    /// The appends that are stored, each with its first position and, when its messages show none, their format.
    stored: Vec<(usize, Seq, Option<Format>)>,
    job: Option<(CompressionId, Start)>,
    indexes: bool,
    /// The payload of the warning event, when an append has reached the warn level.
    warning: Option<String>,
}

/// The decisions on the appends of one session, or what they need first.
pub(super) enum Outcome {
    /// The decisions; where none stores anything, there is only to answer.
    Staged(Box<Staged>),
    /// The appends name a branch that does not exist.
    NoBranch,
    /// One of the appends may repeat an earlier request: load the stored replies.
    NeedsReplies,
    /// The appends name another model, and other branches have the settings, too: change them first.
    NeedsModel {
        /// Main's id.
        main: SessionId,
        /// The model.
        model: String,
    },
}

/// State beside the session.
#[derive(Clone, Copy, Default)]
pub(super) struct Known<'a> {
    /// The stored replies; `None` when they were not loaded.
    pub(super) replays: Option<&'a Replays>,
    /// Why the session cannot be made, when it does not exist.
    pub(super) no_session: Option<&'a AppendError>,
    /// Why no reply can be kept for an idempotency key.
    pub(super) no_reply: Option<&'a AppendError>,
}

/// Decides the appends of a session in order.
pub(super) fn stage(appends: &[Pending], loaded: Loaded, known: Known<'_>) -> Outcome {
    let asked = appends.iter().any(|pending| pending.append.included.signals);
    let mut staged = Stage {
        history: loaded.session.history_needed(asked),
        loaded,
        known,
        start: None,
        drafts: Vec::with_capacity(appends.len()),
        indexes: false,
        warning: None,
    };
    let named = staged.loaded.session.accounting.model.clone();
    let set = staged.loaded.session.settings.model.clone();
    let mut keys: HashMap<(&str, &str), usize> = HashMap::new();
    for (place, pending) in appends.iter().enumerate() {
        let key = pending.append.reply_key.as_ref();
        let earlier =
            key.and_then(|key| keys.get(&(key.route.as_str(), key.key.as_str())).copied().zip(Some(key)));
        let draft = match earlier {
            Some((earlier, key)) => repeat(earlier, key, appends),
            None => staged.append(&pending.append),
        };
        match (&draft, key) {
            // A retry is answered before any precondition fails, because its first try has moved the head.
            (Draft::Refused(_), Some(_)) if known.replays.is_none() => return Outcome::NeedsReplies,
            (Draft::Appended(_), Some(key)) => {
                keys.insert((&key.route, &key.key), place);
            }
            _ => {}
        }
        staged.drafts.push(draft);
    }
    let session = &mut staged.loaded.session;
    if session.has_branches {
        if let Some(model) = session.settings.model.clone().filter(|model| Some(model) != set.as_ref()) {
            // A retry names the model of its first try, which may be past.
            if known.replays.is_none() && appends.iter().any(|pending| pending.append.reply_key.is_some()) {
                return Outcome::NeedsReplies;
            }
            return Outcome::NeedsModel { main: session.root, model };
        }
        // The settings have it.
        session.accounting.model = named;
    }
    Outcome::Staged(Box::new(staged.finish(appends)))
}

/// The values for the signals of an append's newest messages: of as many as a history is made of.
fn signals(append: &Append, scope: HistoryScope) -> Vec<MessageSignals> {
    if scope == HistoryScope::Nothing {
        return Vec::new();
    }
    let mut bytes = 0;
    let newest = append.messages.iter().rev().take(REPLAYED_MESSAGES).take_while(|message| {
        bytes += message.body.get().len();
        bytes <= REPLAYED_BYTES
    });
    let read = newest.map(|message| {
        MessageSignals::read(message.format, message.body.get(), message.shape.as_deref(), scope)
    });
    let mut read: Vec<MessageSignals> = read.collect();
    read.reverse();
    read
}

fn repeat(earlier: usize, key: &ReplyKey, appends: &[Pending]) -> Draft {
    let first = appends.get(earlier).and_then(|pending| pending.append.reply_key.as_ref());
    if first.is_some_and(|first| first.body_digest == key.body_digest) {
        Draft::Repeats(earlier)
    } else {
        Draft::Refused(AppendError::KeyReused)
    }
}

/// The decision on one append.
enum Draft {
    Refused(AppendError),
    /// An earlier request has stored it; the reply to that.
    Replayed(String),
    /// It repeats the append with this index of the same transaction.
    Repeats(usize),
    Appended(Box<Appended>),
}

struct Stage<'a> {
    loaded: Loaded,
    /// The history that the appends need, taken together.
    history: HistoryScope,
    known: Known<'a>,
    start: Option<Start>,
    drafts: Vec<Draft>,
    indexes: bool,
    warning: Option<String>,
}

impl Stage<'_> {
    fn append(&mut self, append: &Append) -> Draft {
        let stored = append.reply_key.as_ref().and_then(|key| {
            let stored = self.known.replays?.get(&(key.route.clone(), key.key.clone()))?;
            Some((stored, key))
        });
        if let Some((stored, key)) = stored {
            return if stored.digest == key.body_digest {
                Draft::Replayed(stored.reply.clone())
            } else {
                Draft::Refused(AppendError::KeyReused)
            };
        }
        let no_reply = self.known.no_reply.filter(|_| append.reply_key.is_some());
        if let Some(full) = self.known.no_session.or(no_reply) {
            return Draft::Refused(full.clone());
        }
        let signals = signals(append, self.history);
        // Where there are fewer, they are those of the newest messages.
        let without = append.messages.len() - signals.len();
        let signals = std::iter::repeat_n(None, without).chain(signals.iter().map(Some));
        let incoming: Vec<Incoming<'_>> = append
            .messages
            .iter()
            .zip(signals)
            .map(|(message, signals)| Incoming {
                counted: &message.counted,
                signals,
                is_kept: message.keep == Some(Keep::Always),
            })
            .collect();
        let is_new = self.loaded.revision.is_none() && self.loaded.session.head_seq == 0;
        let said = BatchOptions {
            format: append.format,
            model: append.model.as_deref(),
            opening: append.opening.as_ref().filter(|_| is_new),
            tokenizer: append.tokenizer,
            expected_next_seq: append.expected_next_seq,
            task_boundary: append.task_boundary,
            every_signal: append.included.signals,
            history: self.history,
            now: append.now,
        };
        let session = &mut self.loaded.session;
        let appended = match session.append(&incoming, said) {
            Ok(appended) => appended,
            Err(refusal) => return Draft::Refused(refusal.into()),
        };
        if append.is_imported {
            return Draft::Appended(Box::new(appended));
        }
        if appended.warns {
            let usage = &appended.usage;
            let told = serde_json::json!({
                "action": appended.decision.action,
                "effective_utilization": usage.effective_utilization,
                "context_tokens": usage.context_tokens,
                "effective_window": usage.effective_window,
                "head_seq": session.head_seq,
            });
            self.warning = Some(told.to_string());
        }
        self.indexes |= appended.indexes;
        // A task boundary starts a compression once: a later append of the transaction must not withdraw it.
        self.start = appended.start.or(self.start);
        Draft::Appended(Box::new(appended))
    }

    fn finish(self, appends: &[Pending]) -> Staged {
        let Self { mut loaded, start, drafts, indexes, warning, .. } = self;
        let session = &mut loaded.session;
        // A live compression starts what these appends need when it ends.
        let job =
            start.filter(|_| session.live.is_none()).map(|start| (CompressionId(Uuid::now_v7()), start));
        if let Some((id, _)) = job {
            session.live = Some(Live { id, status: Status::Queued });
        }
        let live = session.live.map(|live| LiveCompression { id: live.id, status: live.status });
        let mut stored = Vec::new();
        let mut answers: Vec<Result<Reply, AppendError>> = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let answer = match draft {
                Draft::Refused(error) => Err(error),
                Draft::Replayed(body) => Ok(Reply { body, stored: None }),
                Draft::Repeats(earlier) => {
                    let first = answers.get(earlier).and_then(|answer| answer.as_ref().ok());
                    first
                        .map(|first| Reply { body: first.body.clone(), stored: None })
                        .ok_or(AppendError::Broken)
                }
                Draft::Appended(appended) => {
                    stored.push((answers.len(), appended.first_seq, appended.format));
                    let shown = appends.get(answers.len()).and_then(|pending| pending.append.format.shown());
                    let included = appends
                        .get(answers.len())
                        .map_or_else(Included::default, |append| append.append.included);
                    let mut decision = appended.decision;
                    decision.held_back.take_if(|_| live.is_some());
                    let reply = AppendReply {
                        session_id: session.name.clone(),
                        branch: session.other_branch().cloned(),
                        first_seq: appended.first_seq,
                        last_seq: appended.last_seq,
                        next_seq: appended.last_seq + 1,
                        format: shown.filter(|_| included.format),
                        tokens_added: appended.tokens_added,
                        usage: appended.usage.brief(included.usage),
                        decision,
                        compression: live,
                        warnings: told(appended.of_messages, appended.warnings, included),
                    };
                    let mut body = Vec::with_capacity(REPLY_BYTES);
                    serde_json::to_writer(&mut body, &reply)
                        .ok()
                        .and_then(|()| String::from_utf8(body).ok())
                        .map(|body| Reply {
                            body,
                            stored: Some(StoredAppend {
                                session: session.id,
                                task_id: session.settings.task_id.clone(),
                                tokens: reply.tokens_added,
                            }),
                        })
                        .ok_or(AppendError::Broken)
                }
            };
            answers.push(answer);
        }
        Staged { loaded, answers, stored, job, indexes, warning }
    }
}

/// The warnings of a reply: those of its messages always, those of the window when they are asked for.
fn told(of_messages: Vec<Warning>, of_window: Vec<Warning>, included: Included) -> Vec<Warning> {
    let of_window = of_window.into_iter().filter(|_| included.warnings);
    of_messages.into_iter().chain(of_window).map(Warning::in_full).collect()
}

impl Staged {
    /// Whether there is anything to write.
    pub(super) fn is_touched(&self) -> bool {
        !self.stored.is_empty()
    }

    /// Whether the session is made by these appends.
    pub(super) fn makes_session(&self) -> bool {
        self.loaded.revision.is_none()
    }

    /// The replies that are kept for the idempotency keys of its appends.
    pub(super) fn replies(&self, appends: &[Pending]) -> i64 {
        let keyed = |at: &usize| appends.get(*at).is_some_and(|pending| pending.append.reply_key.is_some());
        let kept = self.stored.iter().filter(|(at, ..)| keyed(at)).count();
        i64::try_from(kept).unwrap_or(i64::MAX)
    }

    /// Adds the rows of the session.
    pub(super) fn write<'a>(&'a self, appends: &'a [Pending], rows: &mut Rows<'a>) -> Result<()> {
        let Loaded { tenant, session, revision, above_revision } = &self.loaded;
        let corrupt = |column, error| StoreError::corrupt("sessions", column, session.id.0, error);
        let opening = Settings {
            user: session.settings.user.clone(),
            metadata: session.settings.metadata.clone(),
            ..Settings::default()
        };
        let is_opened = revision.is_none() && opening != Settings::default();
        let settings = is_opened.then(|| serde_json::to_string(&opening)).transpose();
        rows.changes.push(ChangeRow {
            tenant_id: tenant.0,
            id: session.id.0,
            name: session.name.as_str(),
            revision: *revision,
            above_revision: *above_revision,
            head_seq: session.head_seq,
            accounting: serde_json::to_string(&session.accounting)
                .map_err(|error| corrupt("accounting", error))?,
            recent: session.recent.write().map_err(|error| corrupt("recent", error))?,
            settings: settings.map_err(|error| corrupt("settings", error))?,
            user_id: session.settings.user.as_deref().filter(|_| is_opened),
        });
        let place = i64::try_from(rows.changes.len()).unwrap_or(i64::MAX);
        let metadata = metadata::fields(session.settings.metadata.as_ref().filter(|_| is_opened));
        rows.metadata.extend(metadata.map(|(name, value)| MetadataRow { place, name, value }));
        for (at, first_seq, format) in &self.stored {
            let (Some(pending), Some(Ok(answer))) = (appends.get(*at), self.answers.get(*at)) else {
                continue;
            };
            for (seq, message) in (*first_seq..).zip(&pending.append.messages) {
                rows.messages.push(MessageRow {
                    place,
                    seq,
                    role: message.counted.role.as_ref(),
                    format: format.map_or(message.format, <&str>::from),
                    tokens: i32::try_from(message.counted.tokens).unwrap_or(i32::MAX),
                    least_tokens: message.least_tokens.and_then(|tokens| i32::try_from(tokens).ok()),
                    shape: message.shape.as_deref(),
                    keep: (message.keep == Some(Keep::Never)).then_some("never"),
                    component: message.component,
                    body: message.body.get(),
                });
                rows.outputs.extend(message.tool_outputs.iter().map(|output| OutputRow {
                    place,
                    reference: &output.reference,
                    seq,
                    ordinal: output.ordinal,
                }));
            }
            rows.replies.extend(pending.append.reply_key.iter().map(|key| ReplyRow {
                place,
                route: &key.route,
                key: &key.key,
                body_digest: &key.body_digest,
                reply: &answer.body,
            }));
        }
        // The appends share their jobs, which have the trace of the newest append.
        let trace = appends.iter().rev().find_map(|pending| pending.trace.as_deref());
        let mut ask = |id, kind, trigger, request: &Request| {
            let request = serde_json::to_string(request)
                .map_err(|error| StoreError::corrupt("compressions", "request", session.id.0, error))?;
            rows.jobs.push(JobRow { place, id, kind, trigger, request, trace });
            Ok::<_, StoreError>(())
        };
        if let Some((id, start)) = &self.job {
            ask(id.0, "compress", start.kind.as_ref(), &start.request())?;
        }
        if self.indexes {
            ask(Uuid::now_v7(), "index", "recall", &Request::default())?;
        }
        rows.events.extend(self.warning.iter().map(|payload| EventRow {
            place,
            session: session.id.of(*tenant),
            kind: "trigger.warned",
            payload: payload.clone(),
        }));
        Ok(())
    }
}
