//! Adds new messages of a session to its recall index.

use anchord_messages::id::{Seq, SessionId, TenantId};
use anchord_recall::Analyzer;
use anchord_runtime::{background, fair};
use anchord_store::compressions::Job;
use anchord_store::recall::Indexing;
use anchord_store::{Store, StoreError};

/// The most transactions of one job, so that a large imported session does not occupy a permit for long.
const MAX_STEPS: usize = 16;

/// The progress of an indexing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexed {
    /// The last indexed message.
    pub through_seq: Seq,
    /// Whether messages are left for another job.
    pub more: bool,
    /// Whether the job was settled together with the last messages.
    pub is_ended: bool,
}

/// Indexes the next messages of a session, for a job if there is one; `None` when the session is gone.
///
/// Concurrent runs are safe: each step is fenced by the last indexed message, so the later one changes nothing.
///
/// # Errors
/// When the database fails; earlier steps are committed.
pub async fn index(
    store: &Store,
    (tenant, session): (TenantId, SessionId),
    job: Option<&Job>,
) -> Result<Option<Indexed>, StoreError> {
    let mut through_seq = 0;
    for _ in 0..MAX_STEPS {
        // Boxed, because this future holds a page of messages.
        match background::throttled(Box::pin(step(store, (tenant, session), job))).await? {
            Some(indexed) if indexed.more => through_seq = indexed.through_seq,
            last => return Ok(last),
        }
    }
    Ok(Some(Indexed { through_seq, more: true, is_ended: false }))
}

/// Indexes the messages of one transaction.
async fn step(
    store: &Store,
    (tenant, session): (TenantId, SessionId),
    job: Option<&Job>,
) -> Result<Option<Indexed>, StoreError> {
    let Some(next) = store.find_unindexed(tenant, session).await? else { return Ok(None) };
    let through_seq = next.indexed_seq;
    if next.messages.is_empty() {
        return Ok(Some(Indexed { through_seq, more: false, is_ended: false }));
    }
    let documents = fair::jobs().run(tenant.0.as_u128(), move || {
        let mut analyzer = Analyzer::default();
        next.messages.iter().map(|message| analyzer.read(message)).collect::<Vec<_>>()
    });
    let Ok(documents) = documents.await else { return Err(StoreError::Broken) };
    let count = Seq::try_from(documents.len()).unwrap_or(Seq::MAX);
    let indexed = store.index_messages((tenant, session), through_seq, documents, job).await?;
    let reached = through_seq + count;
    Ok(Some(match indexed {
        Indexing::Behind => Indexed { through_seq, more: true, is_ended: false },
        Indexing::Indexed => Indexed { through_seq: reached, more: reached < next.head_seq, is_ended: false },
        Indexing::Ended => Indexed { through_seq: reached, more: false, is_ended: true },
    }))
}
