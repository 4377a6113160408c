//! What an append transaction decides between reading the sessions and writing them; pure.

use std::borrow::Cow;
use std::collections::HashMap;

use uuid::Uuid;

use super::{Append, AppendError, Appended, LiveCompression, NewMessage, Reply, ToolOutput, Traced};
use crate::domain::accounting::{MAX_GROUP_BYTES, Usage};
use crate::domain::compression::Status;
use crate::domain::id::{Seq, SessionId, TenantId};
use crate::domain::mask::{Level, Lost, Steps};
use crate::domain::message::Role;
use crate::domain::settings::{Policy, Settings};
use crate::domain::trigger::{Decision, Situation, Start, decide};
use crate::store::idempotency::ReplyKey;
use crate::store::prepared::Published;
use crate::store::sessions::Session;

/// A session is indexed for recall when a version is published, and again when this many messages have
/// arrived: what no summary covers is in the context anyway, and recall reads it as it is.
const INDEX_EVERY: Seq = 1_000;

/// What a reply takes as JSON, about.
const REPLY_BYTES: usize = 2_048;

/// A session of the transaction, locked, or known to be as it is here once the transaction has its lock.
pub(super) struct Locked {
    pub(super) tenant: TenantId,
    pub(super) session: Session,
    /// Made by this transaction.
    pub(super) fresh: bool,
    settings: Settings,
    policy: Policy,
    head_before: Seq,
    /// The compression that the appends of this session start.
    pub(super) start: Option<Start>,
    /// The last message of the append that started it.
    started_at: Seq,
    /// What is told of it when an append has brought it to its warn level.
    pub(super) warned: Option<serde_json::Value>,
    /// What was made ahead of need and is published with the appends.
    pub(super) published: Option<Published>,
    /// The trace of its newest append.
    pub(super) trace: Option<String>,
    /// What decides the next step of its mask position, once its messages were read for one.
    pub(super) steps: Option<Steps>,
    /// Bytes of its settings and its tenant's as text, about.
    settings_bytes: usize,
}

impl Locked {
    pub(super) fn new(tenant: TenantId, mut session: Session, fresh: bool) -> Self {
        let settings = session.effective_settings();
        // What was made ahead of need under other pins or settings of the tenant is made anew.
        let revision = session.served_revision();
        session.accounting.prepared.take_if(|prepared| prepared.revision != revision);
        let policy = settings.policy().calibrated(session.accounting.calibration);
        let head_before = session.head_seq;
        let settings_bytes = if settings == Settings::default() {
            0
        } else {
            // Both the session's own and the tenant's are in it.
            serde_json::to_string(&settings).map_or(0, |text| text.len())
        };
        Self {
            tenant,
            settings_bytes,
            session,
            fresh,
            settings,
            policy,
            head_before,
            start: None,
            started_at: 0,
            warned: None,
            published: None,
            trace: None,
            steps: None,
        }
    }

    /// The same session for the next transaction, once this one is committed.
    pub(super) fn again(self) -> Self {
        Self {
            fresh: false,
            head_before: self.session.head_seq,
            start: None,
            started_at: 0,
            warned: None,
            published: None,
            trace: None,
            ..self
        }
    }

    /// Whether one statement can do all that its appends ask for: there is nothing to tell, to publish or to
    /// queue. A job that runs already takes up what these appends start, when it ends; one that may run ahead of
    /// need has to be told.
    pub(super) fn is_plain(&self) -> bool {
        let is_taken_up = |_| self.session.live.is_some() && !self.is_speculative();
        self.warned.is_none()
            && self.may_publish().is_none()
            && self.to_queue().is_none_or(is_taken_up)
            && !self.wants_index()
    }

    /// Whether compressions are made ahead of need here.
    pub(super) fn is_speculative(&self) -> bool {
        self.policy.speculative
    }

    /// How full the context is, as a share of the effective window.
    fn utilization(&self) -> f64 {
        let uncounted = self.settings.system_tokens.unwrap_or_default();
        self.session.accounting.usage(&self.policy, uncounted).effective_utilization
    }

    /// What it takes beyond its own size, about.
    pub(super) fn bytes(&self) -> usize {
        let groups = self.session.accounting.group_starts.len() * size_of::<Seq>();
        3 * self.settings_bytes + groups + self.steps.as_ref().map_or(0, Steps::bytes)
    }

    /// Where it stands among sessions: row locks are taken in this order.
    fn place(&self) -> (TenantId, &str) {
        (self.tenant, self.session.name.as_str())
    }

    /// Whether anything was appended to it.
    pub(super) fn is_touched(&self) -> bool {
        self.session.head_seq > self.head_before
    }

    /// How hard the session presses on its window, when there may be tool outputs to mask.
    pub(super) fn mask_level(&self) -> Option<Level> {
        self.session.accounting.mask_level(&self.policy)
    }

    /// Takes the step of the mask position that is due without reading its messages; `false` when they have to
    /// be read.
    pub(super) fn masks_unread(&mut self) -> bool {
        let Some(level) = self.mask_level() else { return true };
        let Some(steps) = &mut self.steps else { return false };
        let counts = &mut self.session.accounting;
        match steps.take(counts.mask_upto, level) {
            Ok(moved) => {
                if let Some(moved) = moved {
                    counts.mask_on(moved);
                }
                true
            }
            Err(Lost) => false,
        }
    }

    /// Has the next steps decided with a message that is counted.
    fn watch(&mut self, seq: Seq, message: &NewMessage) {
        let Some(steps) = &mut self.steps else { return };
        let shape = message.shape.as_deref().map(serde_json::from_str).transpose();
        let Ok(shape) = shape else {
            self.steps = None;
            return;
        };
        steps.push(seq, shape.as_ref(), message.keep.is_some());
    }

    /// The compression to be queued: none when a version was published instead, or when another one is live
    /// already and this one would only be ahead of need.
    pub(super) fn to_queue(&self) -> Option<Start> {
        let is_wanted = |start: &Start| !start.is_ahead || self.session.live.is_none();
        self.start.filter(|start| self.published.is_none() && is_wanted(start))
    }

    /// Whether something may be there that was made ahead of what starts now.
    pub(super) fn may_publish(&self) -> Option<Start> {
        let start = self.start.filter(|start| !start.is_ahead)?;
        self.session.accounting.prepared.map(|_| start)
    }

    /// Takes in what an append starts. A task boundary asks once: a later append of the transaction must not
    /// take that back, least of all with something that is not needed yet.
    fn starts(&mut self, start: Option<Start>) {
        let is_needed = self.start.is_some_and(|start| !start.is_ahead);
        let Some(start) = start.filter(|start| !(is_needed && start.is_ahead)) else { return };
        if !is_needed {
            self.started_at = self.session.head_seq;
        }
        self.start = Some(start);
    }

    /// Whether the recall index is due: asked once per [`INDEX_EVERY`] messages, so that a queued
    /// indexing does not cost a statement at every append.
    pub(super) fn wants_index(&self) -> bool {
        let steps = |head: Seq| (head - self.session.indexed_seq) / INDEX_EVERY;
        steps(self.session.head_seq) > steps(self.head_before)
    }
}

/// The rows to insert, column by column, as `unnest` takes them.
#[derive(Default)]
pub(super) struct Rows<'a> {
    pub(super) sessions: Vec<Uuid>,
    pub(super) seqs: Vec<i64>,
    pub(super) roles: Vec<&'static str>,
    pub(super) formats: Vec<&'static str>,
    pub(super) tokens: Vec<i32>,
    pub(super) least_tokens: Vec<Option<i32>>,
    pub(super) shapes: Vec<Option<&'a str>>,
    pub(super) keeps: Vec<Option<&'static str>>,
    pub(super) components: Vec<Option<&'static str>>,
    pub(super) bodies: Vec<Cow<'a, str>>,
    /// What was taken out of the bodies.
    pub(super) shared: Vec<Option<String>>,
    pub(super) outputs: Vec<OutputRow<'a>>,
}

impl Rows<'_> {
    /// How many messages and tool outputs there are.
    pub(super) fn lengths(&self) -> (usize, usize) {
        (self.seqs.len(), self.outputs.len())
    }

    /// Takes the newest rows out again.
    pub(super) fn truncate(&mut self, (messages, outputs): (usize, usize)) {
        self.sessions.truncate(messages);
        self.seqs.truncate(messages);
        self.roles.truncate(messages);
        self.formats.truncate(messages);
        self.tokens.truncate(messages);
        self.least_tokens.truncate(messages);
        self.shapes.truncate(messages);
        self.keeps.truncate(messages);
        self.components.truncate(messages);
        self.bodies.truncate(messages);
        self.shared.truncate(messages);
        self.outputs.truncate(outputs);
    }
}

/// A tool output of the rows.
pub(super) struct OutputRow<'a> {
    pub(super) session: Uuid,
    pub(super) seq: i64,
    pub(super) output: &'a ToolOutput,
    /// Its message's place among the rows.
    pub(super) row: usize,
    /// Where its text begins in the body as it will be stored; `None` when it is too short to be shared,
    /// or stands there no more.
    pub(super) start: Option<usize>,
}

/// A reply that was stored by an earlier request.
pub(super) struct Stored {
    pub(super) digest: Vec<u8>,
    pub(super) reply: String,
}

/// Stored replies by route and key.
pub(super) type Replays = HashMap<(String, String), Stored>;

/// What becomes of one append, before the jobs of the transaction are known.
pub(super) enum Draft {
    /// It is answered already.
    Answered(Result<Reply, AppendError>),
    /// It repeats an append of the same transaction.
    Repeats(usize),
    /// Its rows are staged.
    Staged {
        /// Which locked session.
        session: usize,
        /// Its first position.
        first_seq: Seq,
        /// Its last position.
        last_seq: Seq,
        /// Its tokens.
        tokens_added: u64,
        /// How full the context is after it.
        usage: Box<Usage>,
        /// What the signals come to after it.
        decision: Decision,
    },
}

/// Stages the appends in their order. The sessions come in the order of tenants and names.
pub(super) fn stage<'a>(
    appends: &'a [Traced],
    sessions: &mut [Locked],
    replays: &Replays,
    rows: &mut Rows<'a>,
) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::with_capacity(appends.len());
    let mut keys: HashMap<(&str, &str), usize> = HashMap::new();
    for (index, append) in appends.iter().enumerate() {
        let earlier = append.reply_key.as_ref().and_then(|key| {
            let earlier = keys.get(&(key.route.as_str(), key.key.as_str())).copied()?;
            Some((earlier, key))
        });
        let draft = match earlier {
            Some((earlier, key)) => repeat(earlier, key, appends),
            None => stage_one(append, sessions, replays, rows),
        };
        if let (Draft::Staged { .. }, Some(key)) = (&draft, &append.reply_key) {
            keys.insert((&key.route, &key.key), index);
        }
        drafts.push(draft);
    }
    drafts
}

fn repeat(earlier: usize, key: &ReplyKey, appends: &[Traced]) -> Draft {
    let same = appends
        .get(earlier)
        .and_then(|append| append.reply_key.as_ref())
        .is_some_and(|first| first.body_digest == key.body_digest);
    if same { Draft::Repeats(earlier) } else { Draft::Answered(Err(AppendError::KeyReused)) }
}

fn stage_one<'a>(
    append: &'a Append,
    sessions: &mut [Locked],
    replays: &Replays,
    rows: &mut Rows<'a>,
) -> Draft {
    // A retry is answered before any precondition: the first try has moved the head.
    if let Some(key) = &append.reply_key
        && let Some(stored) = replays.get(&(key.route.clone(), key.key.clone()))
    {
        return Draft::Answered(if stored.digest == key.body_digest {
            Ok(Reply { body: stored.reply.clone(), stored: None })
        } else {
            Err(AppendError::KeyReused)
        });
    }
    let found =
        sessions.binary_search_by(|locked| locked.place().cmp(&(append.tenant, append.session.as_str())));
    let Some((session, locked)) = found.ok().and_then(|i| Some((i, sessions.get_mut(i)?))) else {
        return Draft::Answered(Err(AppendError::Broken));
    };
    let next_seq = locked.session.head_seq + 1;
    if append.expected_next_seq.is_some_and(|expected| expected != next_seq) {
        return Draft::Answered(Err(AppendError::Precondition { next_seq }));
    }
    let tokenizer = locked.settings.tokenizer.unwrap_or_default();
    if tokenizer != append.tokenizer {
        return Draft::Answered(Err(AppendError::Tokenizer(tokenizer)));
    }
    let group = locked.session.accounting.open_group;
    if group.largest_with(append.messages.iter().map(|message| &message.counted)) > MAX_GROUP_BYTES {
        return Draft::Answered(Err(AppendError::GroupTooLarge));
    }
    let before = locked.utilization();
    let tokens_added = push_rows(append, locked, rows);
    let counts = &locked.session.accounting;
    let situation = Situation {
        counts,
        recent: &locked.session.recent,
        head: locked.session.head_seq,
        anchor: locked.session.anchor_seq,
        first: next_seq,
        boundary: append.task_boundary.then(|| task_end(&append.messages, locked.session.head_seq)),
        versions: locked.session.last_version,
        now: append.now,
    };
    let (decision, start) = decide(&locked.policy, &situation);
    let usage = Box::new(counts.usage(&locked.policy, locked.settings.system_tokens.unwrap_or_default()));
    let after = usage.effective_utilization;
    if before < locked.policy.warn && after >= locked.policy.warn {
        locked.warned = Some(serde_json::json!({
            "action": decision.action,
            "effective_utilization": after,
            "context_tokens": usage.context_tokens,
            "effective_window": usage.effective_window,
            "head_seq": locked.session.head_seq,
        }));
    }
    locked.starts(start);
    let last_seq = locked.session.head_seq;
    Draft::Staged { session, first_seq: next_seq, last_seq, tokens_added, usage, decision }
}

/// The last message of the task that a batch ends: its last, unless it closes with what nobody has answered
/// yet, which is the next task's beginning.
fn task_end(messages: &[NewMessage], head: Seq) -> Seq {
    let begins_next = |message: &&NewMessage| {
        let counted = &message.counted;
        counted.role.is_system() || (counted.role == Role::User && !counted.only_results)
    };
    let waiting = messages.iter().rev().take_while(begins_next).count();
    head - Seq::try_from(waiting).unwrap_or(head)
}

fn push_rows<'a>(append: &'a Append, locked: &mut Locked, rows: &mut Rows<'a>) -> u64 {
    let id = locked.session.id.0;
    let mut tokens_added = 0;
    for message in &append.messages {
        let seq = locked.session.head_seq + 1;
        locked.session.head_seq = seq;
        let mut counted = message.counted;
        counted.seq = seq;
        locked.session.accounting.push(&counted, locked.policy.preserve_recent);
        locked.session.recent.push(seq, counted.tokens, &message.noticed, append.now);
        locked.watch(seq, message);
        tokens_added += u64::from(counted.tokens);
        rows.sessions.push(id);
        rows.seqs.push(seq);
        rows.roles.push(counted.role.as_str());
        rows.formats.push(message.format);
        rows.tokens.push(i32::try_from(counted.tokens).unwrap_or(i32::MAX));
        rows.least_tokens.push(message.least_tokens.and_then(|tokens| i32::try_from(tokens).ok()));
        rows.shapes.push(message.shape.as_deref());
        rows.keeps.push(message.keep);
        rows.components.push(message.component);
        let row = rows.bodies.len();
        rows.bodies.push(Cow::Borrowed(message.body.get()));
        rows.shared.push(None);
        let outputs = message.tool_outputs.iter();
        rows.outputs.extend(outputs.map(|output| OutputRow { session: id, seq, output, row, start: None }));
    }
    tokens_added
}

impl Draft {
    /// The reply's JSON, once the session's live compression is known.
    pub(super) fn render(self, sessions: &[Locked]) -> Result<Reply, AppendError> {
        match self {
            Self::Answered(answer) => answer,
            Self::Repeats(_) => Err(AppendError::Broken),
            Self::Staged { session, first_seq, last_seq, tokens_added, usage, decision } => {
                let locked = sessions.get(session).ok_or(AppendError::Broken)?;
                let session = &locked.session;
                let published = locked.published.as_ref().filter(|_| last_seq >= locked.started_at);
                let live = session.live.map(|live| LiveCompression { id: live.id, status: live.status });
                let (usage, compression) = match published {
                    Some(published) => {
                        let ended = LiveCompression { id: published.id, status: Status::Succeeded };
                        (published.usage.clone(), Some(ended))
                    }
                    None => (*usage, live),
                };
                let appended = Appended {
                    session_id: session.name.as_str().to_owned(),
                    first_seq,
                    last_seq,
                    next_seq: last_seq + 1,
                    tokens_added,
                    usage,
                    decision,
                    compression,
                };
                let mut body = Vec::with_capacity(REPLY_BYTES);
                serde_json::to_writer(&mut body, &appended).map_err(|_| AppendError::Broken)?;
                let body = String::from_utf8(body).map_err(|_| AppendError::Broken)?;
                let task_id = session.settings.task_id.clone();
                Ok(Reply {
                    body,
                    stored: Some(super::StoredAppend { session: session.id, task_id, tokens: tokens_added }),
                })
            }
        }
    }
}

/// The ids of sessions that this transaction made and nothing was appended to: their appends were refused.
pub(super) fn unused(sessions: &[Locked]) -> Vec<SessionId> {
    sessions
        .iter()
        .filter(|locked| locked.fresh && !locked.is_touched())
        .map(|locked| locked.session.id)
        .collect()
}
