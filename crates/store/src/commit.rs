//! What a commit writes, row by row: each is of a type of the schema.

use sqlx::postgres::{PgHasArrayType, PgTypeInfo};
use sqlx::{PgConnection, Postgres, Type};
use uuid::Uuid;

use super::{StoreError, channel};

/// The type of the schema that a row is of.
macro_rules! is_of {
    ($row:ident, $name:literal) => {
        impl Type<Postgres> for $row<'_> {
            fn type_info() -> PgTypeInfo {
                PgTypeInfo::with_name($name)
            }
        }

        impl PgHasArrayType for $row<'_> {
            fn array_type_info() -> PgTypeInfo {
                PgTypeInfo::array_of($name)
            }
        }
    };
}

/// What a session becomes.
#[derive(Debug, sqlx::Encode)]
pub(super) struct ChangeRow<'a> {
    pub(super) tenant_id: Uuid,
    pub(super) id: Uuid,
    pub(super) name: &'a str,
    /// What it was decided on; `None` for a session that is made.
    pub(super) revision: Option<i64>,
    pub(super) tenant_revision: i64,
    pub(super) head_seq: i64,
    pub(super) accounting: String,
    pub(super) recent: String,
}

/// A message. The place is that of its session among the changes, from 1, here and below.
#[derive(Debug, sqlx::Encode)]
pub(super) struct MessageRow<'a> {
    pub(super) place: i32,
    pub(super) seq: i64,
    pub(super) role: &'a str,
    pub(super) format: &'a str,
    pub(super) tokens: i32,
    pub(super) least_tokens: Option<i32>,
    pub(super) shape: Option<&'a str>,
    pub(super) keep: Option<&'a str>,
    pub(super) component: Option<&'a str>,
    pub(super) body: &'a str,
}

/// A tool output.
#[derive(Debug, sqlx::Encode)]
pub(super) struct OutputRow<'a> {
    pub(super) place: i32,
    pub(super) reference: &'a str,
    pub(super) seq: i64,
    pub(super) ordinal: i32,
}

/// A reply that is kept under a caller's key.
#[derive(Debug, sqlx::Encode)]
pub(super) struct ReplyRow<'a> {
    pub(super) place: i32,
    pub(super) route: &'a str,
    pub(super) key: &'a str,
    pub(super) body_digest: &'a [u8],
    pub(super) reply: &'a str,
}

/// A job to be queued.
#[derive(Debug, sqlx::Encode)]
pub(super) struct JobRow<'a> {
    pub(super) place: i32,
    /// `None` when the live compression, which works ahead of need, is needed now.
    pub(super) id: Option<Uuid>,
    pub(super) kind: &'a str,
    pub(super) trigger: &'a str,
    pub(super) request: String,
    pub(super) trace: Option<&'a str>,
}

/// An event to tell.
#[derive(Debug, sqlx::Encode)]
pub(super) struct EventRow<'a> {
    pub(super) place: i32,
    pub(super) kind: &'a str,
    pub(super) payload: String,
    pub(super) message_id: Uuid,
}

/// The end of a compression.
#[derive(Debug, sqlx::Encode)]
pub(super) struct EndRow<'a> {
    pub(super) tenant_id: Uuid,
    pub(super) session_id: Uuid,
    pub(super) id: Uuid,
    /// As what the job must still be there.
    pub(super) from_status: &'a str,
    /// The fence; `None` for one that is prepared.
    pub(super) attempt: Option<i32>,
    pub(super) status: &'a str,
    pub(super) report: String,
    /// What it was decided on; `None` when the session stays as it is, and below.
    pub(super) revision: Option<i64>,
    pub(super) tenant_revision: Option<i64>,
    pub(super) accounting: Option<String>,
    /// `None` when that stays.
    pub(super) recent: Option<String>,
}

/// A version with what contexts serve of it.
#[derive(Debug, sqlx::Encode)]
pub(super) struct VersionRow<'a> {
    pub(super) version: i64,
    pub(super) parent_version: Option<i64>,
    pub(super) from_seq: i64,
    pub(super) through_seq: i64,
    pub(super) meta: &'a str,
    /// What of its record stands in no list, and the parts of its lists.
    pub(super) document: &'a str,
    pub(super) parts: &'a [i64],
    pub(super) carry: &'a str,
    pub(super) rendering: String,
    pub(super) rendering_tokens: i32,
    pub(super) least_rendering: String,
    pub(super) least_tokens: i32,
    pub(super) recap: String,
    pub(super) digest: Option<String>,
    pub(super) digest_tokens: Option<i32>,
}

/// A part of a record's lists that is new.
#[derive(Debug, sqlx::Encode)]
pub(super) struct PartRow<'a> {
    pub(super) id: i64,
    pub(super) entries: &'a str,
}

/// A command or a test run of the span.
#[derive(Debug, sqlx::Encode)]
pub(super) struct LedgerRow<'a> {
    pub(super) kind: &'a str,
    pub(super) seq: i64,
    pub(super) ordinal: i32,
    pub(super) value: &'a str,
}

/// The caller's todo list, if it is still at this revision.
#[derive(Debug, sqlx::Encode)]
pub(super) struct TodosRow<'a> {
    pub(super) revision: i64,
    pub(super) items: &'a str,
    pub(super) changes: &'a str,
}

/// The probes' verdict; with a version it retires probes.
#[derive(Debug, sqlx::Encode)]
pub(super) struct VerdictRow<'a> {
    pub(super) id: Uuid,
    pub(super) scores: String,
    pub(super) results: &'a str,
    pub(super) retired: Vec<Uuid>,
}

/// A probe that a version brings.
#[derive(Debug, sqlx::Encode)]
pub(super) struct ProbeRow<'a> {
    pub(super) id: Uuid,
    pub(super) probe: &'a str,
}

/// A version that is kept for later, with what it was made on and under.
#[derive(Debug, sqlx::Encode)]
pub(super) struct KeptRow<'a> {
    pub(super) parent_version: Option<i64>,
    pub(super) context_revision: i64,
    pub(super) through_seq: i64,
    pub(super) candidate: &'a str,
}

is_of!(KeptRow, "new_prepared_version");
is_of!(EndRow, "compression_end");
is_of!(VersionRow, "new_version");
is_of!(PartRow, "new_part");
is_of!(LedgerRow, "new_ledger_entry");
is_of!(TodosRow, "new_todos");
is_of!(VerdictRow, "new_verdict");
is_of!(ProbeRow, "new_probe");
is_of!(ChangeRow, "session_change");
is_of!(MessageRow, "new_message");
is_of!(OutputRow, "new_output");
is_of!(ReplyRow, "new_reply");
is_of!(JobRow, "new_job");
is_of!(EventRow, "new_event");

/// What is written together: what belongs to a session names its place among the changes, from 1.
#[derive(Debug, Default)]
pub(super) struct Rows<'a> {
    pub(super) changes: Vec<ChangeRow<'a>>,
    pub(super) messages: Vec<MessageRow<'a>>,
    pub(super) outputs: Vec<OutputRow<'a>>,
    pub(super) replies: Vec<ReplyRow<'a>>,
    pub(super) jobs: Vec<JobRow<'a>>,
    pub(super) events: Vec<EventRow<'a>>,
}

impl Rows<'_> {
    /// Writes what belongs to sessions that are still as they were read, in one statement that commits by itself;
    /// gives the places of those. Nothing has changed in the others.
    pub(super) async fn commit(&self, connection: &mut PgConnection) -> Result<Vec<i32>, StoreError> {
        let done = sqlx::query_scalar!(
            r#"select commit_appends($1, $2, $3, $4, $5, $6, $7, $8, $9) as "done!""#,
            &self.changes as _,
            &self.messages as _,
            &self.outputs as _,
            &self.replies as _,
            &self.jobs as _,
            &self.events as _,
            channel::JOBS,
            channel::EVENTS,
            channel::DELIVERIES,
        )
        .fetch_one(connection)
        .await?;
        Ok(done)
    }
}
