//! How fast messages are made ready to be found again.

use std::time::{Duration, Instant};

use anchord_recall::{Analyzer, postings};

use crate::chain::fingerprint;
use crate::sessions::Session;

/// Messages that are indexed at once.
const AT_ONCE: usize = 40;

/// What one session took.
#[derive(Clone, Copy, Debug)]
pub struct Indexed {
    /// Reading words.
    pub read: Duration,
    /// Writing them as the index keeps them.
    pub written: Duration,
    /// A hash of what was written: two builds that agree wrote the same.
    pub fingerprint: u64,
}

/// Indexes a session as the service does, in steps.
pub fn run(session: &Session) -> Indexed {
    let mut indexed = Indexed { read: Duration::ZERO, written: Duration::ZERO, fingerprint: 0 };
    for (first, messages) in (1..).step_by(AT_ONCE).zip(session.messages.chunks(AT_ONCE)) {
        let begun = Instant::now();
        let mut analyzer = Analyzer::default();
        let documents: Vec<_> = messages.iter().map(|numbered| analyzer.read(&numbered.message)).collect();
        indexed.read += begun.elapsed();
        let begun = Instant::now();
        let segments = postings::encode(first, &documents);
        indexed.written += begun.elapsed();
        indexed.fingerprint = indexed.fingerprint.rotate_left(7) ^ fingerprint(&format!("{segments:?}"));
    }
    indexed
}
