//! Which sessions are served in the slow lane.
//!
//! An append of some megabytes takes the database a tenth of a second and more, and one to a session whose row
//! somebody else keeps locked takes as long as that goes on. In the other lanes small appends, most of them to
//! other sessions, would wait for those. What comes for the same session meanwhile follows into the slow lane, so
//! that no other lane waits for that row.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use super::lane::Pending;
use super::{Append, AppendError};
use crate::domain::id::{SessionName, TenantId};

/// Bytes of bodies from which on an append is slow by itself.
const LARGE_BYTES: usize = 256 * 1024;

/// The way into the slow lane, and the sessions that have appends in it.
#[derive(Clone, Debug)]
pub(super) struct Slow {
    lane: mpsc::Sender<Pending>,
    sessions: Arc<Sessions>,
}

/// The sessions, with how many of their appends are in the slow lane.
#[derive(Debug, Default)]
struct Sessions {
    appends: AtomicUsize,
    by_session: Mutex<HashMap<(TenantId, SessionName), usize>>,
}

/// An append in the slow lane; it is under way until this is dropped.
#[derive(Debug)]
pub(super) struct UnderWay {
    sessions: Arc<Sessions>,
    session: (TenantId, SessionName),
}

impl Slow {
    pub(super) fn new(lane: mpsc::Sender<Pending>) -> Self {
        Self { lane, sessions: Arc::default() }
    }

    pub(super) fn lane(&self) -> &mpsc::Sender<Pending> {
        &self.lane
    }

    /// Takes in an append that is large or follows one of its session; `None` for every other.
    pub(super) fn enter(&self, append: &Append, bytes: usize) -> Option<UnderWay> {
        let is_large = bytes >= LARGE_BYTES;
        // The common case costs no lock and no key.
        if !is_large && self.sessions.appends.load(Ordering::Acquire) == 0 {
            return None;
        }
        let session = (append.tenant, append.session.clone());
        let mut by_session = self.sessions.by_session.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_large && !by_session.contains_key(&session) {
            return None;
        }
        *by_session.entry(session.clone()).or_default() += 1;
        self.sessions.appends.fetch_add(1, Ordering::AcqRel);
        Some(UnderWay { sessions: Arc::clone(&self.sessions), session })
    }

    /// Takes over an append that another lane has waited for long enough.
    pub(super) fn take_over(&self, mut pending: Pending) {
        pending.under_way = self.enter(&pending.append, usize::MAX);
        if let Err(refused) = self.lane.try_send(pending) {
            // The caller may have hung up.
            drop(refused.into_inner().reply.send(Err(AppendError::Busy)));
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Sessions { appends, by_session } = &*self.sessions;
        let mut by_session = by_session.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(under_way) = by_session.get_mut(&self.session) {
            *under_way -= 1;
            if *under_way == 0 {
                by_session.remove(&self.session);
            }
        }
        appends.fetch_sub(1, Ordering::AcqRel);
    }
}
