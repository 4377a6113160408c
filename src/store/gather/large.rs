//! Which sessions have large appends under way.
//!
//! A large append takes its database a tenth of a second and more, so it has a lane of its own: in the
//! others small appends, most of them to other sessions, would wait for it. What comes for the same
//! session meanwhile follows it, so that it keeps its place and no other lane waits for that session's row.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Append;
use crate::domain::id::{SessionName, TenantId};

/// Bytes of bodies from which on an append is large.
const LARGE_BYTES: usize = 256 * 1024;

/// The sessions, with how many of their appends are in the large lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Large(Arc<Sessions>);

#[derive(Debug, Default)]
struct Sessions {
    appends: AtomicUsize,
    by_session: Mutex<HashMap<(TenantId, SessionName), usize>>,
}

/// An append that goes into the large lane; it is under way until this is dropped.
#[derive(Debug)]
pub(super) struct UnderWay {
    large: Large,
    session: (TenantId, SessionName),
}

impl Large {
    /// Takes in an append that is large or follows a large one; `None` for every other.
    pub(super) fn enter(&self, append: &Append, bytes: usize) -> Option<UnderWay> {
        let is_large = bytes >= LARGE_BYTES;
        // The common case costs no lock and no key.
        if !is_large && self.0.appends.load(Ordering::Acquire) == 0 {
            return None;
        }
        let session = (append.tenant, append.session.clone());
        let mut sessions = self.0.by_session.lock().unwrap_or_else(PoisonError::into_inner);
        match sessions.entry(session.clone()) {
            Entry::Occupied(mut known) => *known.get_mut() += 1,
            Entry::Vacant(free) if is_large => {
                free.insert(1);
            }
            Entry::Vacant(_) => return None,
        }
        self.0.appends.fetch_add(1, Ordering::AcqRel);
        Some(UnderWay { large: self.clone(), session })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Sessions { appends, by_session } = &*self.large.0;
        let mut sessions = by_session.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(under_way) = sessions.get_mut(&self.session) {
            *under_way -= 1;
            if *under_way == 0 {
                sessions.remove(&self.session);
            }
        }
        appends.fetch_sub(1, Ordering::AcqRel);
    }
}
