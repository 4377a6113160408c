//! Where a compression's calls and finished pieces are noted: in the store, under the fence of the claim, or
//! on a page in memory for a compression that has no store.

use std::sync::{Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use super::job::JobError;
use anchord_messages::id::TenantId;
use anchord_session::compression::Cost;
use anchord_store::Store;
use anchord_store::compressions::Job;
use anchord_store::narratives::{AttemptEnd, FinishedChunk, NewAttempt};

/// The call_log of one compression.
#[derive(Clone, Copy)]
pub(super) enum CallLog<'a> {
    /// A job's, in the store.
    Database(&'a Store, &'a Job),
    /// Of one that nobody claims.
    Memory(&'a MemoryLog),
}

/// Notes in memory.
#[derive(Debug, Default)]
pub(super) struct MemoryLog {
    calls: Mutex<Vec<CallRecord>>,
    chunks: Mutex<Vec<FinishedChunk>>,
}

/// One call to a model, as it is told to whoever asked for the compression.
#[derive(Clone, Debug, serde::Serialize)]
pub struct CallRecord {
    /// `summarise`, `repair`, `detail`, `probe`, `examine`, `read` or `judge`.
    pub purpose: &'static str,
    /// The first message that it was about.
    pub from_seq: i64,
    /// The last one.
    pub through_seq: i64,
    /// The model.
    pub model: String,
    /// `ok`, or the error's word.
    pub outcome: &'static str,
    /// The server's status, when it answered with an error.
    pub http_status: Option<u16>,
    /// Tokens in.
    pub input_tokens: u64,
    /// Tokens out.
    pub output_tokens: u64,
    /// How long it took.
    pub latency_ms: u64,
    /// Millionths of the currency of the operator's prices.
    pub cost_micros: u64,
}

impl MemoryLog {
    fn lock<T>(notes: &Mutex<T>) -> MutexGuard<'_, T> {
        // Notes stay notes, whoever broke off.
        notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every call so far.
    pub(super) fn calls(&self) -> Vec<CallRecord> {
        Self::lock(&self.calls).clone()
    }

    /// What they used.
    pub(super) fn cost(&self) -> Cost {
        let mut cost = Cost::default();
        for call in Self::lock(&self.calls).iter() {
            cost.calls += 1;
            cost.failed_calls += u32::from(call.outcome != "ok");
            cost.input_tokens += call.input_tokens;
            cost.output_tokens += call.output_tokens;
            cost.latency_ms += call.latency_ms;
            cost.micros += call.cost_micros;
        }
        cost
    }
}

/// A call that is under way.
pub(super) struct PendingCall<'a> {
    id: Uuid,
    new: NewAttempt<'a>,
}

impl CallLog<'_> {
    /// Whose limits a call counts towards.
    pub(super) fn tenant(&self) -> TenantId {
        match self {
            Self::Database(_, job) => job.tenant,
            Self::Memory(_) => TenantId(Uuid::nil()),
        }
    }

    /// Whether nothing is published, so that a judge sees refused candidates too.
    pub(super) fn is_shadow(&self) -> bool {
        matches!(self, Self::Database(_, job) if job.request.shadow)
    }

    /// The compression's name in logs.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Database(_, job) => job.id.to_string(),
            Self::Memory(_) => "alone".to_owned(),
        }
    }

    /// Notes a call before it is sent.
    pub(super) async fn begin<'n>(&self, new: NewAttempt<'n>) -> Result<PendingCall<'n>, JobError> {
        let id = match self {
            Self::Database(store, job) => store.begin_llm_attempt(job, new).await?.ok_or(JobError::Fenced)?,
            Self::Memory(_) => Uuid::nil(),
        };
        Ok(PendingCall { id, new })
    }

    /// Notes how a call ended.
    pub(super) async fn end(&self, open: PendingCall<'_>, end: AttemptEnd) -> Result<(), JobError> {
        match self {
            Self::Database(store, job) => Ok(store.end_llm_attempt(job, open.id, end).await?),
            Self::Memory(page) => {
                MemoryLog::lock(&page.calls).push(CallRecord {
                    purpose: open.new.purpose,
                    from_seq: open.new.from_seq,
                    through_seq: open.new.through_seq,
                    model: open.new.model.to_owned(),
                    outcome: end.outcome,
                    http_status: end.http_status,
                    input_tokens: end.input_tokens,
                    output_tokens: end.output_tokens,
                    latency_ms: end.latency_ms,
                    cost_micros: end.cost_micros,
                });
                Ok(())
            }
        }
    }

    /// The finished pieces, in the order of the session.
    pub(super) async fn finished(&self) -> Result<Vec<FinishedChunk>, JobError> {
        match self {
            Self::Database(store, job) => Ok(store.finished_chunks(job).await?),
            Self::Memory(page) => Ok(MemoryLog::lock(&page.chunks).clone()),
        }
    }

    /// Keeps a finished piece.
    pub(super) async fn keep(&self, chunk: &FinishedChunk) -> Result<(), JobError> {
        match self {
            Self::Database(store, job) if store.keep_chunk(job, chunk).await? => Ok(()),
            Self::Database(..) => Err(JobError::Fenced),
            Self::Memory(page) => {
                MemoryLog::lock(&page.chunks).push(chunk.clone());
                Ok(())
            }
        }
    }
}
