//! Exports a session as JSON lines: all of its branches, with everything that a context, a compression or a page of its
//! history is made of.
//!
//! The first line is the session, with its branch main; each other branch begins with a line of its own, behind those that
//! it stands on. What is of a branch comes behind its line, in the order in which an import can store it: messages, versions,
//! facts, compressions, evaluations, probes, counts. An end line is the last, without which a file is incomplete.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use futures::stream;
use serde_json::value::RawValue;

use crate::api::message::Message;
use crate::api::prelude::*;
use anchord_context::mask::Keep;
use anchord_messages::format::Format;
use anchord_messages::id::{CompressionId, EvaluationId, ProbeId};
use anchord_session::session::CountState;
use anchord_store::Store;
use anchord_store::dump::{
    BegunWithDump, CompressionDump, EvaluationDump, FactDump, FactKind, ForkDump, NoteDump, ProbeDump,
    TodosDump, VersionDump,
};
use anchord_store::export::{Exported, ExportedBranch, ExportedMessage};

/// The media type of JSON lines.
pub(crate) const JSON_LINES: &str = "application/x-ndjson";
/// The format of what is written, and the only one that is read.
pub(crate) const FORMAT_VERSION: u32 = 1;

/// A line of an export; which fields it has follows from its kind.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportLine {
    /// The kind of the line.
    pub kind: LineKind,
    /// Of the session: the format of the file, which is 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format_version: Option<u32>,
    /// The branch that the line is of; absent for main.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchName>,
    /// Of the session: its id where it was exported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Of the session: its own settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Map<String, Value>>,
    /// Of another branch: the last message that it shares, and a branch that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ForkDump>,
    /// Of another branch: the version that it begins with; absent when it began without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_with: Option<BegunWithDump>,
    /// Of the session or a branch: its own pins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pins: Option<Vec<String>>,
    /// Of the session or a branch: its agent's notes, with what they were before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<NoteDump>>,
    /// Of the session or a branch: its caller's todo list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub todos: Option<TodosDump>,
    /// Of the session or a branch: ids of extracted constraints and of requests that its caller dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_entries: Option<Vec<String>>,
    /// Of a message: its position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<Seq>,
    /// Of a message: its conversation format. The messages of an import that have none are one batch, whose format is
    /// recognised as that of an append.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Of a message: its tokens where it was exported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<i32>,
    /// Of a message: the role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Of a message: its mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<Keep>,
    /// Of a message: what its tokens count as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Of a message: exactly as it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Message>)]
    pub message: Option<Box<RawValue>>,
    /// Of a version: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionDump>,
    /// Of facts: some commands and test runs of the summarised messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Vec<FactDump>>,
    /// Of probes: some probes, the service's and the caller's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<Vec<ProbeDump>>,
    /// Of an evaluation: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<EvaluationDump>,
    /// Of a compression that has ended: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compression: Option<CompressionDump>,
    /// Of counts: those of a branch that follow from nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<CountState>,
    /// Of the end: how many messages the file has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<i64>,
    /// Of the end: the current branch; absent when it is main.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<BranchName>,
    /// Of the end: branches that are erased, though others stand on them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased: Option<Vec<BranchName>>,
    /// When the session, the branch or the message was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "anchord_messages::time::serialize_exactly_option")]
    pub created_at: Option<DateTime<Utc>>,
}

/// The kind of a line of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ExportLineKind)]
pub enum LineKind {
    /// The session, with its branch main: the first line.
    #[default]
    Session,
    /// Another branch.
    Branch,
    /// A message.
    Message,
    /// A summary version.
    Version,
    /// Commands and test runs.
    Facts,
    /// A compression that has ended.
    Compression,
    /// An evaluation.
    Evaluation,
    /// Probes.
    Probes,
    /// Counts of a branch.
    Counts,
    /// The end: the last line.
    End,
}

/// Exports a session as JSON lines.
///
/// The session with all of its branches: each one's messages exactly as they were sent, its versions, probes, evaluations
/// and the compressions that have ended, then a line that ends the file. Usage, events and the contexts that were served stay.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/export", tag = "sessions", operation_id = "sessions.export", params(SessionPath),
    responses((status = 200, body = ExportLine, content_type = "application/x-ndjson",
               description = "One line for each part; the last has the kind `end`."))
)]
pub async fn export_session(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
) -> Result<Response> {
    let name = whole(path.session_id)?;
    let found = state.store.export(caller.tenant, &name, caller.actor()).await?;
    let exported = Arc::new(found.or_missing(Kind::SessionNotFound)?);
    let export = Export {
        store: state.store.clone(),
        tenant: caller.tenant,
        exported,
        place: 0,
        branch: None,
        messages: 0,
        erased: Vec::new(),
        is_over: false,
    };
    let pages = stream::try_unfold(export, async |export| export.next().await);
    Ok(([(header::CONTENT_TYPE, JSON_LINES)], Body::from_stream(pages)).into_response())
}

/// The name of a session of which no branch is named.
pub(crate) fn whole(of: SessionRef) -> Result<SessionName> {
    match of.branch {
        None => Ok(of.name),
        Some(_) => {
            Err(ApiError::parameter(params::BRANCH, "must be absent: all branches of a session go together"))
        }
    }
}

/// The position of an export.
struct Export {
    store: Store,
    tenant: TenantId,
    exported: Arc<Exported>,
    /// The branch that comes next.
    place: usize,
    /// The branch that is being written.
    branch: Option<Writing>,
    messages: i64,
    erased: Vec<BranchName>,
    is_over: bool,
}

/// A branch that is being written.
struct Writing {
    key: SessionKey,
    /// Its name, unless it is main.
    name: Option<BranchName>,
    kept: BTreeSet<Seq>,
    bounds: (Seq, i64),
    counts: Option<CountState>,
    at: At,
}

enum At {
    Messages(Seq),
    Versions(i64),
    Facts(Option<(FactKind, Seq, i32)>),
    Compressions(Option<CompressionId>),
    Evaluations(Option<EvaluationId>),
    Probes(Option<ProbeId>),
    Counts,
}

impl Export {
    /// Returns the next page, and the position after it. An error breaks the reply off, so that it lacks its end
    /// line.
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, StoreError> {
        if self.is_over {
            return Ok(None);
        }
        let mut page = Vec::new();
        while page.is_empty() {
            if let Some(branch) = &mut self.branch {
                self.messages += branch.write(&self.store, &mut page).await?;
                if page.is_empty() && matches!(branch.at, At::Counts) {
                    let (kind, counts) = (LineKind::Counts, branch.counts.take());
                    if counts.is_some() {
                        write(&mut page, &ExportLine { kind, counts, ..branch.line() });
                    }
                    self.branch = None;
                }
            } else if let Some((id, name)) = self.exported.branches.get(self.place) {
                self.place += 1;
                let key = id.of(self.tenant);
                // One that is erased meanwhile, and that no other stands on, is left out.
                if let Some(found) = self.store.export_branch(key, &self.exported).await? {
                    let name = (!name.is_main()).then(|| name.clone());
                    self.begin(&mut page, key, name, found);
                }
            } else {
                let current = Some(self.exported.current.clone()).filter(|current| !current.is_main());
                let erased = Some(std::mem::take(&mut self.erased)).filter(|erased| !erased.is_empty());
                let (kind, messages) = (LineKind::End, Some(self.messages));
                write(&mut page, &ExportLine { kind, messages, current, erased, ..ExportLine::default() });
                self.is_over = true;
            }
        }
        Ok(Some((Bytes::from(page), self)))
    }

    fn begin(
        &mut self,
        page: &mut Vec<u8>,
        key: SessionKey,
        name: Option<BranchName>,
        found: ExportedBranch,
    ) {
        if found.session.is_none() {
            self.erased.push(name.clone().unwrap_or_else(BranchName::main));
        }
        let bounds = found.bounds();
        let counts = found.session.as_ref().map(CountState::of);
        let line = ExportLine {
            branch: name.clone(),
            from: found.from,
            begun_with: found.begun_with,
            pins: Some(found.pins.into_iter().map(|pin| pin.text).collect()),
            notes: Some(found.notes),
            todos: found.todos,
            dropped_entries: Some(found.dropped_entries),
            created_at: Some(found.created_at),
            ..ExportLine::default()
        };
        let line = if name.is_some() {
            ExportLine { kind: LineKind::Branch, ..line }
        } else {
            let settings = serde_json::to_value(&self.exported.settings).ok();
            ExportLine {
                kind: LineKind::Session,
                format_version: Some(FORMAT_VERSION),
                session_id: Some(self.exported.name.to_string()),
                settings: settings.and_then(|settings| settings.as_object().cloned()),
                ..line
            }
        };
        write(page, &line);
        let kept = counts.iter().flat_map(|counts| counts.kept.iter().copied()).collect();
        self.branch = Some(Writing { key, name, kept, bounds, counts, at: At::Messages(0) });
    }
}

impl Writing {
    /// A line of this branch.
    fn line(&self) -> ExportLine {
        ExportLine { branch: self.name.clone(), ..ExportLine::default() }
    }

    /// Writes the next page of what is of the branch; goes on to the next kind when there is none. Returns how many messages
    /// it has.
    async fn write(&mut self, store: &Store, page: &mut Vec<u8>) -> Result<i64, StoreError> {
        let (key, (head, version)) = (self.key, self.bounds);
        let mut messages = 0;
        match self.at {
            At::Messages(after) => {
                let found = store.export_messages(key, (after, head)).await?;
                self.at = found.last().map_or(At::Versions(0), |last| At::Messages(last.seq));
                for message in found {
                    messages += 1;
                    let is_kept = self.kept.contains(&message.seq);
                    write(page, &message_line(message, is_kept, self.line()));
                }
            }
            At::Versions(after) => {
                let found = store.export_versions(key, (after, version)).await?;
                self.at = found.last().map_or(At::Facts(None), |last| At::Versions(last.0));
                for (_, version) in found {
                    let (kind, version) = (LineKind::Version, Some(version));
                    write(page, &ExportLine { kind, version, ..self.line() });
                }
            }
            At::Facts(after) => {
                let found = store.export_facts(key, (after, head)).await?;
                self.at = match found.last() {
                    Some(last) => At::Facts(Some((last.kind, last.seq, last.ordinal))),
                    None => At::Compressions(None),
                };
                if !found.is_empty() {
                    let (kind, facts) = (LineKind::Facts, Some(found));
                    write(page, &ExportLine { kind, facts, ..self.line() });
                }
            }
            At::Compressions(after) => {
                let found = store.export_compressions(key, (after, version)).await?;
                self.at = found.last().map_or(At::Evaluations(None), |last| At::Compressions(Some(last.id)));
                for compression in found {
                    let (kind, compression) = (LineKind::Compression, Some(compression));
                    write(page, &ExportLine { kind, compression, ..self.line() });
                }
            }
            At::Evaluations(after) => {
                let found = store.export_evaluations(key, (after, version)).await?;
                self.at = found.last().map_or(At::Probes(None), |last| At::Evaluations(Some(last.id)));
                for evaluation in found {
                    let (kind, evaluation) = (LineKind::Evaluation, Some(evaluation));
                    write(page, &ExportLine { kind, evaluation, ..self.line() });
                }
            }
            At::Probes(after) => {
                let found = store.export_probes(key, (after, version)).await?;
                self.at = found.last().map_or(At::Counts, |last| At::Probes(Some(last.id)));
                if !found.is_empty() {
                    let (kind, probes) = (LineKind::Probes, Some(found));
                    write(page, &ExportLine { kind, probes, ..self.line() });
                }
            }
            At::Counts => {}
        }
        Ok(messages)
    }
}

fn write(page: &mut Vec<u8>, line: &ExportLine) {
    let from = page.len();
    // Serialising fails only for maps with keys that are not text.
    if serde_json::to_writer(&mut *page, line).is_ok() {
        // A message that was sent in several lines stays one line: outside of its texts, a break is a blank.
        for byte in page.iter_mut().skip(from).filter(|byte| matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
        page.push(b'\n');
    }
}

fn message_line(message: ExportedMessage, is_kept: bool, line: ExportLine) -> ExportLine {
    let keep = if is_kept { Some(Keep::Always) } else { message.keep.map(|_| Keep::Never) };
    ExportLine {
        kind: LineKind::Message,
        seq: Some(message.seq),
        format: message.format.parse::<Format>().ok(),
        role: Some(message.role),
        tokens: Some(message.tokens),
        keep,
        component: message.component,
        message: RawValue::from_string(message.body).ok(),
        created_at: Some(message.created_at),
        ..line
    }
}
