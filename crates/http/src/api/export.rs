//! Exports a session as JSON lines.
//!
//! An export has one line for the session, one for each message in order, one for each version, and an end line, without
//! which a file is incomplete. `import` reads it.

use std::collections::BTreeSet;

use axum::body::{Body, Bytes};
use futures::stream;
use serde_json::value::RawValue;

use crate::api::message::Message;
use crate::api::prelude::*;
use crate::api::todos::NewTodo;
use anchord_context::mask::Keep;
use anchord_context::note::Note;
use anchord_messages::format::Format;
use anchord_store::Store;
use anchord_store::export::{ExportHead, ExportedMessage};

/// The media type of JSON lines.
pub(crate) const JSON_LINES: &str = "application/x-ndjson";

/// A line of an export; which fields it has follows from its kind.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportLine {
    /// The kind of the line.
    pub kind: LineKind,
    /// Of the session: its id where it was exported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Of the session: its own settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Map<String, Value>>,
    /// Of the session: its own pins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pins: Option<Vec<String>>,
    /// Of the session: its agent's notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<Note>>,
    /// Of the session: its caller's todo list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub todos: Option<Vec<NewTodo>>,
    /// Of the session: ids of extracted constraints and of requests that its caller dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_entries: Option<Vec<String>>,
    /// Of the session: its caller's probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<Vec<Value>>,
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
    /// Of a version: its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// Of a version: what is known about its making.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub meta: Option<Box<RawValue>>,
    /// Of a version: its record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub document: Option<Box<RawValue>>,
    /// Of the end: how many messages the session has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<i64>,
    /// When the session, or the message, was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub created_at: Option<DateTime<Utc>>,
}

/// The kind of a line of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ExportLineKind)]
pub enum LineKind {
    /// The session: the first line.
    #[default]
    Session,
    /// A message.
    Message,
    /// A summary version.
    Version,
    /// The end: the last line.
    End,
}

/// Exports a session as JSON lines.
///
/// The session, then every message exactly as it was sent, then every version, then a line that ends it.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/export", tag = "sessions", operation_id = "sessions.export", params(SessionPath),
    responses((status = 200, body = ExportLine, content_type = "application/x-ndjson",
               description = "One line for each part; the last has the kind `end`."))
)]
pub async fn export_session(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
) -> Result<Response> {
    let found = state.store.export_head(caller.tenant, &path.session_id, caller.actor()).await?;
    let head = found.or_missing(Kind::SessionNotFound)?;
    let export = Export {
        store: state.store.clone(),
        tenant: caller.tenant,
        session: head.session.id,
        head_seq: head.session.head_seq,
        kept: head.session.accounting.kept.iter().map(|kept| kept.seq).collect(),
        last_version: head.session.last_version,
        at: At::Head(Box::new(head)),
    };
    let pages = stream::try_unfold(export, async |export| export.next().await);
    Ok(([(header::CONTENT_TYPE, JSON_LINES)], Body::from_stream(pages)).into_response())
}

/// The position of an export.
struct Export {
    store: Store,
    tenant: TenantId,
    session: SessionId,
    head_seq: Seq,
    kept: BTreeSet<Seq>,
    last_version: i64,
    at: At,
}

enum At {
    Head(Box<ExportHead>),
    Messages(Seq),
    Versions(i64),
    Over,
}

impl Export {
    /// Returns the next page, and the position after it. An error breaks the reply off, so that it lacks its end
    /// line.
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, StoreError> {
        let mut page = Vec::new();
        match self.at {
            At::Head(head) => {
                write(&mut page, &head_line(*head));
                self.at = At::Messages(0);
            }
            At::Messages(after) => {
                let range = (after, self.head_seq);
                let found = self.store.export_messages(self.session.of(self.tenant), range).await?;
                self.at = found.last().map_or(At::Versions(0), |last| At::Messages(last.seq));
                for message in found {
                    let is_kept = self.kept.contains(&message.seq);
                    write(&mut page, &message_line(message, is_kept));
                }
            }
            At::Versions(after) => {
                let found = self.store.export_versions(self.session.of(self.tenant), after).await?;
                self.at = found.last().map_or(At::Over, |last| At::Versions(last.0));
                for (version, meta, document) in found.into_iter().filter(|v| v.0 <= self.last_version) {
                    let meta = RawValue::from_string(meta).ok();
                    let document = RawValue::from_string(document).ok();
                    let (kind, version) = (LineKind::Version, Some(version));
                    write(&mut page, &ExportLine { kind, version, meta, document, ..ExportLine::default() });
                }
                if matches!(self.at, At::Over) {
                    let (kind, messages) = (LineKind::End, Some(self.head_seq));
                    write(&mut page, &ExportLine { kind, messages, ..ExportLine::default() });
                }
            }
            At::Over => return Ok(None),
        }
        Ok(Some((Bytes::from(page), self)))
    }
}

fn write(page: &mut Vec<u8>, line: &ExportLine) {
    // Serialising fails only for maps with keys that are not text.
    if serde_json::to_writer(&mut *page, line).is_ok() {
        page.push(b'\n');
    }
}

fn head_line(head: ExportHead) -> ExportLine {
    let settings = serde_json::to_value(&head.session.settings).ok();
    let probes = head.probes.iter().filter_map(|probe| serde_json::from_str(probe).ok()).collect();
    ExportLine {
        kind: LineKind::Session,
        session_id: Some(head.session.name.to_string()),
        settings: settings.and_then(|settings| settings.as_object().cloned()),
        pins: Some(head.pins.into_iter().map(|pin| pin.text).collect()),
        notes: Some(head.notes),
        todos: Some(head.todos.into_iter().map(NewTodo::from).collect()),
        dropped_entries: Some(head.dropped_entries),
        probes: Some(probes),
        created_at: Some(head.session.created_at),
        ..ExportLine::default()
    }
}

fn message_line(message: ExportedMessage, is_kept: bool) -> ExportLine {
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
        ..ExportLine::default()
    }
}
