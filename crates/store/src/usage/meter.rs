//! Counts uses in the memory of the process, until they are written.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::NaiveDate;

use crate::prelude::*;
use anchord_session::usage::{Kind, UsageDelta};

/// The most keys; beyond it, new sessions are counted by day only.
const MOST_KEYS: usize = 65_536;

/// The subject of a use, and its time.
#[derive(Clone, Copy, Debug)]
pub struct User<'a> {
    /// The tenant.
    pub tenant: TenantId,
    /// The session.
    pub session: SessionId,
    /// The session's task at this time.
    pub task_id: Option<&'a str>,
    /// The time.
    pub at: DateTime<Utc>,
}

/// Which messages the context of a session shows; for a reader of original messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextCoverage {
    /// The session.
    pub session: SessionId,
    /// Its task.
    pub task_id: Option<String>,
    /// Through which message the leading system messages reach.
    pub system_through: Seq,
    /// Through which message the summary covers it.
    pub anchor_seq: Seq,
    /// Through which message large tool outputs are placeholders.
    pub mask_upto: Seq,
}

impl ContextCoverage {
    /// Whether contexts no longer show a message as it is; `maskable` says that it has a large tool output.
    pub fn hides(&self, seq: Seq, maskable: bool) -> bool {
        seq > self.system_through && (seq <= self.anchor_seq || (maskable && seq <= self.mask_upto))
    }
}

/// Counts usage in the memory of the process; cheap to clone.
#[derive(Clone, Debug)]
pub struct Meter(pub(super) Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    pending: Mutex<Pending>,
    /// Flushes run one at a time, so that a caller that waits for one finds everything written.
    pub(super) flushing: tokio::sync::Mutex<()>,
}

type Pending = HashMap<Key, Counted>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) tenant: TenantId,
    /// `None` when there was no room left to count sessions separately.
    pub(super) session: Option<SessionId>,
    pub(super) task_id: Option<String>,
    pub(super) day: NaiveDate,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Counted {
    #[serde(flatten)]
    pub(super) figures: UsageDelta,
    pub(super) first_at: DateTime<Utc>,
    pub(super) last_at: DateTime<Utc>,
    pub(super) last_tokens: i64,
}

impl Counted {
    fn join(&mut self, other: Self) {
        self.figures += other.figures;
        self.first_at = self.first_at.min(other.first_at);
        if other.last_at >= self.last_at {
            self.last_at = other.last_at;
            self.last_tokens = other.last_tokens;
        }
    }
}

impl Meter {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inner { pending: Mutex::default(), flushing: tokio::sync::Mutex::new(()) }))
    }

    /// Counts a use. It locks the map for the length of an addition.
    pub fn count(&self, user: User<'_>, kind: Kind, figures: UsageDelta) {
        let key = Key {
            tenant: user.tenant,
            session: Some(user.session),
            task_id: user.task_id.map(str::to_owned),
            day: user.at.date_naive(),
            kind,
        };
        let counted =
            Counted { figures, first_at: user.at, last_at: user.at, last_tokens: figures.tokens_out };
        self.put(key, counted);
    }

    pub(super) fn put(&self, mut key: Key, counted: Counted) {
        let mut pending = self.pending();
        if pending.len() >= MOST_KEYS && !pending.contains_key(&key) {
            (key.session, key.task_id) = (None, None);
        }
        pending.entry(key).and_modify(|known| known.join(counted)).or_insert(counted);
    }

    /// Removes and returns the counts to write, of one tenant or of all.
    pub(super) fn take(&self, tenant: Option<TenantId>) -> Vec<(Key, Counted)> {
        self.pending().extract_if(|key, _| tenant.is_none_or(|tenant| key.tenant == tenant)).collect()
    }

    /// The tokens of the context that was served last to the session, when that is not stored yet.
    pub(super) fn last_served(&self, tenant: TenantId, session: SessionId) -> Option<(DateTime<Utc>, i64)> {
        let of =
            |key: &Key| key.tenant == tenant && key.session == Some(session) && key.kind == Kind::Context;
        let pending = self.pending();
        let found = pending.iter().filter(|(key, _)| of(key));
        found.map(|(_, counted)| (counted.last_at, counted.last_tokens)).max()
    }

    /// The counts. A poisoned lock is ignored: the sums are valid at every point.
    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.0.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn user(tenant: u128, session: u128) -> User<'static> {
        let at = DateTime::UNIX_EPOCH;
        User {
            tenant: TenantId(Uuid::from_u128(tenant)),
            session: SessionId(Uuid::from_u128(session)),
            task_id: None,
            at,
        }
    }

    fn served(tokens_out: i64) -> UsageDelta {
        UsageDelta { calls: 1, tokens_out, ..UsageDelta::default() }
    }

    #[test]
    fn uses_of_one_session_add_up_and_those_of_two_tenants_stay_apart() {
        let meter = Meter::new();
        for (tenant, session) in [(1, 1), (1, 1), (1, 2), (2, 1)] {
            meter.count(user(tenant, session), Kind::Context, served(10));
        }
        meter.count(user(1, 1), Kind::Recall, served(3));
        assert_eq!(meter.take(Some(user(2, 1).tenant)).len(), 1);
        let mut calls: Vec<i64> = meter.take(None).iter().map(|(_, counted)| counted.figures.calls).collect();
        calls.sort_unstable();
        assert_eq!(calls, [1, 1, 2]);
        assert!(meter.take(None).is_empty());
    }

    #[test]
    fn the_context_served_last_is_the_newest_and_no_recall() {
        let meter = Meter::new();
        let first = user(1, 1);
        let later = User { at: first.at + chrono::TimeDelta::days(1), ..first };
        meter.count(later, Kind::Context, served(20));
        meter.count(first, Kind::Context, served(10));
        meter.count(later, Kind::Recall, served(99));
        assert_eq!(meter.last_served(first.tenant, first.session), Some((later.at, 20)));
        assert_eq!(meter.last_served(first.tenant, user(1, 2).session), None);
    }

    #[test]
    fn without_room_a_new_session_is_counted_by_day_alone() {
        let meter = Meter::new();
        let sessions = u128::try_from(MOST_KEYS * 2).unwrap();
        for session in 0..sessions {
            meter.count(user(1, session), Kind::Append, served(1));
        }
        let taken = meter.take(None);
        assert!(taken.len() <= MOST_KEYS + 1);
        let calls: i64 = taken.iter().map(|(_, counted)| counted.figures.calls).sum();
        assert_eq!(u128::try_from(calls).unwrap(), sessions);
    }

    #[test]
    fn contexts_hide_what_a_summary_covers_and_masked_outputs() {
        let shown = ContextCoverage {
            session: user(1, 1).session,
            task_id: None,
            system_through: 1,
            anchor_seq: 5,
            mask_upto: 9,
        };
        assert!(!shown.hides(1, true));
        assert!(shown.hides(2, false) && shown.hides(5, false));
        assert!(!shown.hides(6, false) && shown.hides(9, true) && !shown.hides(10, true));
    }
}
