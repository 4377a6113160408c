//! The log of the calls to models and of the finished chunks of one compression: in the database, under the fence of the
//! claim, or in memory for an offline compression.

use std::hash::Hasher as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use super::job::JobError;
use anchord_messages::id::{SessionId, TenantId};
use anchord_session::compression::Cost;
use anchord_store::Store;
use anchord_store::compressions::Job;
use anchord_store::narratives::{AttemptEnd, FinishedChunk, NewAttempt};

/// The call log of one compression.
#[derive(Clone, Copy)]
pub(super) enum CallLog<'a> {
    /// The log of a job, in the database.
    Database(&'a Store, &'a Job),
    /// The log of an offline compression.
    Memory(&'a MemoryLog),
}

/// A call log in memory.
#[derive(Debug, Default)]
pub(super) struct MemoryLog {
    calls: Mutex<Vec<CallRecord>>,
    chunks: Mutex<Vec<FinishedChunk>>,
}

/// One call to a model, as it is reported to the caller of an offline compression.
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
    /// How it ended.
    #[serde(flatten)]
    pub end: AttemptEnd,
}

impl MemoryLog {
    fn lock<T>(entries: &Mutex<T>) -> MutexGuard<'_, T> {
        // A poisoned lock is ignored: the entries are valid at every point.
        entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All calls so far.
    pub(super) fn calls(&self) -> Vec<CallRecord> {
        Self::lock(&self.calls).clone()
    }

    /// The tokens, time and money of all calls so far.
    pub(super) fn cost(&self) -> Cost {
        let mut cost = Cost::default();
        for CallRecord { end, .. } in Self::lock(&self.calls).iter() {
            cost.calls += 1;
            cost.failed_calls += u32::from(end.outcome != "ok");
            cost.input_tokens += end.input_tokens;
            cost.cached_tokens += end.cached_tokens;
            cost.output_tokens += end.output_tokens;
            cost.latency_ms += end.latency_ms;
            cost.micros += end.cost_micros;
        }
        cost
    }
}

/// A call that is under way.
pub(super) struct PendingCall<'a> {
    id: Uuid,
    new: NewAttempt<'a>,
}

/// A hash of the session's internal id, which says nothing of the session, its tenant or its user.
fn cache_key(session: SessionId) -> String {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(session.0.as_bytes());
    format!("anchord-{:016x}", hasher.finish())
}

impl CallLog<'_> {
    /// The tenant whose limits a call counts towards.
    pub(super) fn tenant(&self) -> TenantId {
        match self {
            Self::Database(_, job) => job.tenant,
            Self::Memory(_) => TenantId(Uuid::nil()),
        }
    }

    /// The name of the compression in logs.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Database(_, job) => job.id.to_string(),
            Self::Memory(_) => "offline".to_owned(),
        }
    }

    /// The name under which a server keeps together what the calls of one session cache; `None` for an offline compression.
    pub(super) fn cache_key(&self) -> Option<String> {
        match self {
            Self::Database(_, job) => Some(cache_key(job.session)),
            Self::Memory(_) => None,
        }
    }

    /// Records a call before it is sent.
    pub(super) async fn begin<'n>(&self, new: NewAttempt<'n>) -> Result<PendingCall<'n>, JobError> {
        let id = match self {
            Self::Database(store, job) => store.begin_llm_attempt(job, new).await?.ok_or(JobError::Fenced)?,
            Self::Memory(_) => Uuid::nil(),
        };
        Ok(PendingCall { id, new })
    }

    /// Records how a call ended.
    pub(super) async fn end(&self, open: PendingCall<'_>, end: AttemptEnd) -> Result<(), JobError> {
        match self {
            Self::Database(store, job) => Ok(store.end_llm_attempt(job, open.id, end).await?),
            Self::Memory(log) => {
                MemoryLog::lock(&log.calls).push(CallRecord {
                    purpose: open.new.purpose,
                    from_seq: open.new.from_seq,
                    through_seq: open.new.through_seq,
                    model: open.new.model.to_owned(),
                    end,
                });
                Ok(())
            }
        }
    }

    /// The finished chunks, in the order of the session.
    pub(super) async fn finished(&self) -> Result<Vec<FinishedChunk>, JobError> {
        match self {
            Self::Database(store, job) => Ok(store.finished_chunks(job).await?),
            Self::Memory(log) => Ok(MemoryLog::lock(&log.chunks).clone()),
        }
    }

    /// Stores a finished chunk.
    pub(super) async fn keep(&self, chunk: &FinishedChunk) -> Result<(), JobError> {
        match self {
            Self::Database(store, job) if store.keep_chunk(job, chunk).await? => Ok(()),
            Self::Database(..) => Err(JobError::Fenced),
            Self::Memory(log) => {
                MemoryLog::lock(&log.chunks).push(chunk.clone());
                Ok(())
            }
        }
    }
}
