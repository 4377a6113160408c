//! The rows that one commit of appends or one settlement writes, each encoded as a composite type of the schema.

use sqlx::postgres::{PgHasArrayType, PgTypeInfo};
use sqlx::{Postgres, Type};

use super::channel;
use crate::prelude::*;

/// Names the composite type that a row is encoded as.
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

/// The new state of a session.
#[derive(Debug, sqlx::Encode)]
pub(super) struct ChangeRow<'a> {
    pub(super) tenant_id: Uuid,
    pub(super) id: Uuid,
    pub(super) name: &'a str,
    /// The revision that it was decided on; `None` for a new session.
    pub(super) revision: Option<i64>,
    pub(super) tenant_revision: i64,
    pub(super) head_seq: i64,
    pub(super) accounting: String,
    pub(super) recent: Option<String>,
    /// Settings of a new session, if it has any; what follows is taken from them.
    pub(super) settings: Option<String>,
    pub(super) user_id: Option<&'a str>,
    /// The fields of its metadata by which lists filter.
    pub(super) metadata_names: Vec<&'a str>,
    pub(super) metadata_values: Vec<String>,
}

/// A message. In this and the following rows, `place` is the index of the session in `changes`, from 1.
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

/// A reply that is stored under an idempotency key.
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
    pub(super) id: Uuid,
    pub(super) kind: &'a str,
    pub(super) trigger: &'a str,
    pub(super) request: String,
    pub(super) trace: Option<&'a str>,
}

/// An event.
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
    /// The status that the job must still have.
    pub(super) from_status: &'a str,
    /// The fence.
    pub(super) attempt: i32,
    pub(super) status: &'a str,
    pub(super) report: String,
    /// The revision that the end was decided on; `None`, as the fields below, when the session does not change.
    pub(super) revision: Option<i64>,
    pub(super) tenant_revision: Option<i64>,
    pub(super) accounting: Option<String>,
    /// `None` when it does not change.
    pub(super) recent: Option<String>,
}

/// A version with the texts that contexts serve of it.
#[derive(Debug, sqlx::Encode)]
pub(super) struct VersionRow<'a> {
    pub(super) version: i64,
    pub(super) parent_version: Option<i64>,
    pub(super) from_seq: i64,
    pub(super) through_seq: i64,
    pub(super) meta: &'a str,
    /// The record without its lists, and the parts of its lists.
    pub(super) document: &'a str,
    pub(super) parts: &'a [i64],
    pub(super) carry: &'a str,
    pub(super) rendering: String,
    pub(super) rendering_tokens: i32,
    pub(super) smaller_renderings: Vec<String>,
    pub(super) smaller_tokens: Vec<i32>,
    pub(super) recap: String,
    pub(super) digest: Option<String>,
    pub(super) digest_tokens: Option<i32>,
}

/// A new part of a record's lists.
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

/// The caller's todo list, written only when it still has this revision.
#[derive(Debug, sqlx::Encode)]
pub(super) struct TodosRow<'a> {
    pub(super) revision: i64,
    pub(super) items: &'a str,
    pub(super) changes: &'a str,
}

/// The result of the probes; with a version it also retires probes.
#[derive(Debug, sqlx::Encode)]
pub(super) struct VerdictRow<'a> {
    pub(super) id: Uuid,
    pub(super) scores: String,
    pub(super) results: &'a str,
    pub(super) retired: Vec<Uuid>,
}

/// A new probe of a version.
#[derive(Debug, sqlx::Encode)]
pub(super) struct ProbeRow<'a> {
    pub(super) id: Uuid,
    pub(super) probe: &'a str,
}

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

/// Rows that are written together. A row of a session has the index of that session in `changes`, from 1.
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
    /// Writes the rows of all sessions that have not changed since they were read, in one statement that commits by
    /// itself; returns the places of these sessions. Nothing of the others is written.
    pub(super) async fn commit(&self, connection: &mut PgConnection) -> Result<Vec<i32>> {
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
