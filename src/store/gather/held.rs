//! What a lane keeps of the sessions that it has appended to, so that their next appends need not read them.
//!
//! Invariant: what is kept is what a committed transaction of this lane wrote, over the connection that is still
//! open, with what proves in the database that nobody has written since. Whoever takes it out puts it back after
//! its own commit, or it is gone.

use std::time::{Duration, Instant};

use hashlink::LinkedHashMap;

use super::stage::Locked;
use crate::domain::id::{SessionName, TenantId};
use crate::store::sessions::RowProof;

/// Bytes that all lanes keep together, about.
const HELD_BYTES: usize = 24 * 1024 * 1024;
/// What a session takes with what its signals keep, about, its settings aside.
const SESSION_BYTES: usize = 3 * 1024;
/// How long a proof is trusted: far less than transactions need to use up their ids.
const TRUSTED: Duration = Duration::from_mins(10);

/// A session as the lane left it.
pub(super) struct Known {
    pub(super) locked: Locked,
    /// Its row.
    pub(super) proof: RowProof,
    /// Its tenant's row.
    pub(super) tenant_proof: RowProof,
    since: Instant,
    bytes: usize,
}

/// The sessions that a lane keeps; those that were appended to last are the last to go.
pub(super) struct Held {
    known: LinkedHashMap<(TenantId, SessionName), Known>,
    bytes: usize,
    most: usize,
}

impl Held {
    /// Keeps nothing yet, and never more than one of `lanes` may.
    pub(super) fn new(lanes: usize) -> Self {
        Self { known: LinkedHashMap::new(), bytes: 0, most: HELD_BYTES / lanes.max(1) }
    }

    /// Takes a session out.
    pub(super) fn take(&mut self, tenant: TenantId, session: &SessionName) -> Option<Known> {
        let known = self.known.remove(&(tenant, session.clone()))?;
        self.bytes = self.bytes.saturating_sub(known.bytes);
        (known.since.elapsed() < TRUSTED).then_some(known)
    }

    /// Keeps a session as a transaction wrote it that is committed now.
    pub(super) fn put(&mut self, locked: Locked, proof: RowProof) {
        let Some(tenant_proof) = locked.session.defaults_proof else { return };
        let bytes = SESSION_BYTES + locked.bytes();
        let key = (locked.tenant, locked.session.name.clone());
        let known = Known { locked: locked.again(), proof, tenant_proof, since: Instant::now(), bytes };
        self.bytes += bytes;
        if let Some(before) = self.known.insert(key, known) {
            self.bytes = self.bytes.saturating_sub(before.bytes);
        }
        while self.bytes > self.most {
            let Some((_, oldest)) = self.known.pop_front() else { break };
            self.bytes = self.bytes.saturating_sub(oldest.bytes);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.bytes = 0;
    }
}
