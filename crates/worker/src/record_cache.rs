//! A cache of the records that this process published last, so that the next version of a session need not load the
//! current record from the database.
//!
//! A record grows with its session, so loading and parsing it for each span is expensive: the 320th compression of
//! one session takes 17 ms with this cache and took 38 without.
//! Invariant: an entry equals a committed version of its session, and versions never change. A caller uses an entry
//! only when the database still names that version as the current one.

use std::sync::{Arc, Mutex, PoisonError};

use hashlink::LinkedHashMap;

use anchord_facts::ledger::LedgerState;
use anchord_messages::id::SessionId;
use anchord_record::parts::Parts;
use anchord_record::summary::Summary;

/// The most bytes of JSON of several cached records together; in memory the values take more.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// The most bytes of JSON of a single record. A larger record than [`MAX_BYTES`] is cached alone, because loading a
/// large record is what costs most.
const MAX_RECORD_BYTES: usize = 8 * MAX_BYTES;

/// The record of a version, and the ledger state for the next span.
#[derive(Debug)]
pub(super) struct CachedVersion {
    pub(super) version: i64,
    pub(super) summary: Summary,
    pub(super) parts: Parts,
    pub(super) carry: LedgerState,
    /// The size as JSON.
    pub(super) bytes: usize,
}

/// The cache. The records that were published first are evicted first.
#[derive(Clone, Debug, Default)]
pub struct RecordCache(Arc<Mutex<CacheState>>);

#[derive(Debug, Default)]
struct CacheState {
    records: LinkedHashMap<SessionId, CachedVersion>,
    bytes: usize,
}

impl RecordCache {
    /// Removes and returns the record of a session.
    pub(super) fn take(&self, session: SessionId) -> Option<CachedVersion> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let record = state.records.remove(&session)?;
        state.bytes = state.bytes.saturating_sub(record.bytes);
        Some(record)
    }

    /// Caches the record of a published version.
    pub(super) fn insert(&self, session: SessionId, record: CachedVersion) {
        let mut gone = Vec::new();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.bytes += record.bytes;
        gone.extend(state.records.insert(session, record));
        let mut bytes = state.bytes.saturating_sub(gone.iter().map(|before| before.bytes).sum());
        while bytes > MAX_RECORD_BYTES || (bytes > MAX_BYTES && state.records.len() > 1) {
            let Some((_, oldest)) = state.records.pop_front() else { break };
            bytes = bytes.saturating_sub(oldest.bytes);
            gone.push(oldest);
        }
        state.bytes = bytes;
        // Dropping a large record takes a while, so release the lock first.
        drop(state);
        drop(gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(version: i64, bytes: usize) -> CachedVersion {
        CachedVersion {
            version,
            summary: Summary::default(),
            parts: Parts::default(),
            carry: LedgerState::default(),
            bytes,
        }
    }

    fn session(number: u128) -> SessionId {
        SessionId(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn what_is_kept_is_taken_once_and_is_the_last_of_its_session() {
        let records = RecordCache::default();
        records.insert(session(1), record(1, 10));
        records.insert(session(1), record(2, 20));
        records.insert(session(2), record(7, 30));
        assert_eq!(records.0.lock().unwrap().bytes, 50);
        assert_eq!(records.take(session(1)).map(|record| record.version), Some(2));
        assert!(records.take(session(1)).is_none());
        assert_eq!(records.take(session(2)).map(|record| record.version), Some(7));
        assert_eq!(records.0.lock().unwrap().bytes, 0);
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let records = RecordCache::default();
        for number in 0..5 {
            records.insert(session(number), record(1, MAX_BYTES / 4));
        }
        assert!(records.take(session(0)).is_none());
        assert!((1..5).all(|number| records.take(session(number)).is_some()));
        assert_eq!(records.0.lock().unwrap().bytes, 0);
    }

    #[test]
    fn a_large_one_is_kept_alone_and_one_that_is_too_large_is_not() {
        let records = RecordCache::default();
        records.insert(session(1), record(1, 10));
        records.insert(session(2), record(1, MAX_RECORD_BYTES));
        assert!(records.take(session(1)).is_none());
        assert!(records.take(session(2)).is_some());
        records.insert(session(2), record(2, MAX_BYTES + 1));
        records.insert(session(3), record(1, 10));
        assert!(records.take(session(2)).is_none(), "the next one takes its place");
        records.insert(session(4), record(1, MAX_RECORD_BYTES + 1));
        assert!((0..10).all(|number| records.take(session(number)).is_none()));
        assert_eq!(records.0.lock().unwrap().bytes, 0);
    }
}
