//! What export and import carry of a session beside messages: rows, as lines of JSON hold them.
//!
//! A document is carried as the text that is stored, so that what is read back is the same to the letter. Ids of probes and
//! evaluations are kept, because they are unique in their session alone; those of compressions are made anew from the old
//! one and the session.

use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::compressions::Kind;
use crate::prelude::*;
use anchord_facts::todo::{Todo, TodoChange};
use anchord_messages::id::{EvaluationId, ProbeId};
use anchord_messages::time::{serialize_exactly, serialize_exactly_option};
use anchord_session::compression::Status;

/// A text of a note, as the agent gave it at some message.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportLineNote)]
pub struct NoteDump {
    /// The note's number.
    pub id: i64,
    /// The newest message when it got this text.
    pub seq: Seq,
    /// Its text; null from where it was removed.
    pub text: Option<String>,
    /// When it got this text.
    #[serde(serialize_with = "serialize_exactly")]
    pub created_at: DateTime<Utc>,
}

/// A todo list, and what its last change was.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportLineTodos)]
pub struct TodosDump {
    /// The items, in order.
    pub items: Vec<Todo>,
    /// What the last change did.
    pub changes: Vec<TodoChange>,
    /// The version that brought it.
    pub version: Option<i64>,
    /// Grows with every change.
    pub revision: i64,
    /// When it was last changed.
    #[serde(serialize_with = "serialize_exactly")]
    pub updated_at: DateTime<Utc>,
}

/// A place in the session: a branch, and a message or a version of it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportLineFork)]
pub struct ForkDump {
    /// The branch.
    pub branch: BranchName,
    /// The last message that is shared with it.
    pub seq: Seq,
}

/// The version that a branch begins with.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportLineBegunWith)]
pub struct BegunWithDump {
    /// The branch that made it.
    pub branch: BranchName,
    /// Its number.
    pub version: i64,
}

/// A text of a version, with its tokens as contexts serve it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportLineText)]
pub struct TextDump {
    /// The text.
    pub text: String,
    /// Its tokens.
    pub tokens: i32,
}

/// A part of the lists of a record.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportLinePart)]
pub struct PartDump {
    /// Its id.
    pub id: i64,
    /// Its entries, as they are stored.
    #[schema(value_type = Object)]
    pub entries: Box<RawValue>,
}

/// A version, with what no version before it has.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportLineVersion)]
pub struct VersionDump {
    /// Figures of its making, as a `SummaryMetadata`.
    #[schema(value_type = Object)]
    pub meta: Box<RawValue>,
    /// What of its record stands in no list.
    #[schema(value_type = Object)]
    pub document: Box<RawValue>,
    /// The ids of the parts of its lists, in order.
    pub parts: Vec<i64>,
    /// Those of them that are new.
    pub new_parts: Vec<PartDump>,
    /// What reading the next span needs to know.
    #[schema(value_type = Object)]
    pub carry: Box<RawValue>,
    /// The text that contexts serve.
    pub rendering: TextDump,
    /// The same in smaller forms, the largest first.
    pub smaller: Vec<TextDump>,
    /// The part that is repeated behind the newest messages.
    pub recap: String,
    /// The digest.
    pub digest: Option<TextDump>,
    /// The newest message when it was published.
    pub head_seq: Seq,
    /// Through which message large outputs were clipped then.
    pub mask_upto: Seq,
    /// The tokens from which on they were.
    pub mask_from: u32,
    /// The user message that was served beside it.
    pub carried_seq: Option<Seq>,
    /// The compression that made it.
    pub compression_id: Option<CompressionId>,
    /// When it was stored.
    #[serde(serialize_with = "serialize_exactly")]
    pub created_at: DateTime<Utc>,
}

/// The kind of an entry of the ledger.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, strum::AsRefStr, sqlx::Type,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = ExportLineFactKind)]
pub enum FactKind {
    /// A command.
    Command,
    /// A run of tests.
    TestRun,
}

/// A command or a test run of the summarised messages.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportLineFact)]
pub struct FactDump {
    /// Its kind.
    pub kind: FactKind,
    /// Its first message.
    pub seq: Seq,
    /// Its place among the entries of that message.
    pub ordinal: i32,
    /// The fact.
    #[schema(value_type = Object)]
    pub value: Box<RawValue>,
}

/// A probe.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportLineProbe)]
pub struct ProbeDump {
    /// Its id.
    pub id: ProbeId,
    /// The version whose span it came from; null for a caller's.
    pub version: Option<i64>,
    /// The version from which on it is no longer asked.
    pub retired_in_version: Option<i64>,
    /// The probe, as a `Probe`.
    #[schema(value_type = Object)]
    pub probe: Box<RawValue>,
    /// When it was made.
    #[serde(serialize_with = "serialize_exactly")]
    pub created_at: DateTime<Utc>,
}

/// A run of the probes.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportLineEvaluation)]
pub struct EvaluationDump {
    /// Its id.
    pub id: EvaluationId,
    /// The version; null for a candidate that was refused.
    pub version: Option<i64>,
    /// The compression or evaluation job that made it.
    pub compression_id: Option<CompressionId>,
    /// The figures.
    #[schema(value_type = Object)]
    pub scores: Box<RawValue>,
    /// The verdicts, probe by probe.
    #[schema(value_type = Vec<Object>)]
    pub results: Box<RawValue>,
    /// When it was made.
    #[serde(serialize_with = "serialize_exactly")]
    pub created_at: DateTime<Utc>,
}

/// A compression or an evaluation job that has ended.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportLineCompression)]
pub struct CompressionDump {
    /// Its id.
    pub id: CompressionId,
    /// Its kind.
    pub kind: Kind,
    /// How it ended.
    pub status: Status,
    /// What asked for it.
    pub trigger: String,
    /// Its parameters.
    #[schema(value_type = Object)]
    pub request: Box<RawValue>,
    /// The version that it builds on.
    pub parent_version: Option<i64>,
    /// The first message of its span.
    pub from_seq: Option<Seq>,
    /// The last one.
    pub through_seq: Option<Seq>,
    /// The version that it published.
    pub version: Option<i64>,
    /// How often it was claimed.
    pub attempts: i32,
    /// What came of it, as a `CompressionReport`.
    #[schema(value_type = Option<Object>)]
    pub report: Option<Box<RawValue>>,
    /// When it was queued.
    #[serde(serialize_with = "serialize_exactly")]
    pub created_at: DateTime<Utc>,
    /// When a worker first claimed it.
    #[serde(serialize_with = "serialize_exactly_option")]
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    #[serde(serialize_with = "serialize_exactly_option")]
    pub finished_at: Option<DateTime<Utc>>,
}

/// The id of a compression that an import brings into a session: it begins with the same time, so that the order stays, and
/// is nobody else's.
pub(crate) fn imported_id(session: SessionId, old: CompressionId) -> Uuid {
    let digest = Sha256::new().chain_update(session.0.as_bytes()).chain_update(old.0.as_bytes()).finalize();
    let (time, _) = old.0.as_bytes().split_at(8);
    let mut bytes = [0; 16];
    for (byte, from) in bytes.iter_mut().zip(time.iter().chain(digest.iter())) {
        *byte = *from;
    }
    uuid::Builder::from_bytes(bytes)
        .with_version(uuid::Version::SortRand)
        .with_variant(uuid::Variant::RFC4122)
        .into_uuid()
}
