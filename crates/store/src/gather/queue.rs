//! The queue of waiting appends, and the choice of the next batch; pure, without I/O.
//!
//! Invariants: appends of a session keep their order, and a session has at most one transaction at a time. Tenants
//! take turns, so that none fills a transaction or the queue. Large appends have a transaction of their own.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Instant;

use crate::prelude::*;

/// The most appends in one transaction.
const BATCH_APPENDS: usize = 64;
/// The most appends of one session in a transaction; then its tenant's turn ends.
const SESSION_APPENDS: usize = 16;
/// From this many bytes of bodies, an append or the appends of one session have a transaction of their own. It takes
/// the database a tenth of a second, which must not delay other sessions.
const LARGE_BYTES: usize = 256 * 1024;
/// The most bytes of bodies in a transaction of several sessions.
const BATCH_BYTES: usize = 1024 * 1024;
/// The most concurrent transactions of small appends: one reads and decides while the other commits. With more, each
/// would only be smaller.
const SMALL_AT_ONCE: usize = 2;
/// The most concurrent transactions of large appends. Of one tenant there is one, so that its next one waits and not
/// that of another tenant.
const LARGE_AT_ONCE: usize = 2;
/// From this many bytes on, only one large transaction runs at a time: it takes half a second, and beside it there is
/// always a way for one that takes a tenth.
const HUGE_BYTES: usize = 2 * 1024 * 1024;
/// The most concurrent transactions; each uses a connection.
pub(crate) const MOST_AT_ONCE: usize = SMALL_AT_ONCE + LARGE_AT_ONCE;
/// How many of a tenant's ready sessions are checked for one that fits.
const MAX_EXAMINED: usize = 64;
/// The most bytes of waiting bodies, of all tenants and of one.
const WAITING_BYTES: usize = 256 * 1024 * 1024;
const TENANT_BYTES: usize = WAITING_BYTES / 2;
/// The most waiting appends, of all tenants and of one.
const WAITING_APPENDS: usize = 8_192;
const TENANT_APPENDS: usize = WAITING_APPENDS / 2;
/// The parts in which the loads of tenants are compared.
const APPENDS_PART: usize = WAITING_APPENDS / 1_024;
const BYTES_PART: usize = WAITING_BYTES / 1_024;

/// A session, as the key of its appends.
pub(super) type Key = (TenantId, SessionRef);

/// Facts that the queue needs of an append: its session, its size, and since when it waits.
pub(super) trait Waits {
    fn key(&self) -> Key;
    fn bytes(&self) -> usize;
    fn since(&self) -> Instant;
}

/// The appends of one transaction, session by session, those of a session in order.
#[derive(Debug)]
pub(super) struct Batch<T> {
    pub(super) sessions: Vec<(Key, Vec<T>)>,
    pub(super) is_large: bool,
}

/// A running transaction of large appends.
#[derive(Clone, Copy, Debug)]
struct Large {
    tenant: TenantId,
    is_huge: bool,
}

/// The queue.
#[derive(Debug)]
pub(super) struct Queue<T> {
    sessions: HashMap<Key, VecDeque<T>>,
    /// The sessions of each tenant that may go next; every tenant in it is once in `turns`.
    ready: HashMap<TenantId, VecDeque<Key>>,
    turns: VecDeque<TenantId>,
    in_flight: HashSet<Key>,
    /// Sessions that were locked, and until when they are left alone.
    resting: Vec<(Instant, Key)>,
    small_at_once: usize,
    large: Vec<Large>,
    /// Whether the newest transaction of small appends is not committing yet.
    is_deciding: bool,
    waiting: QueueLoad,
    /// How many of the waiting appends are large.
    large_waiting: usize,
    by_tenant: HashMap<TenantId, QueueLoad>,
}

#[derive(Clone, Copy, Debug, Default)]
struct QueueLoad {
    appends: usize,
    bytes: usize,
}

impl QueueLoad {
    fn with(self, bytes: usize) -> Self {
        Self { appends: self.appends + 1, bytes: self.bytes.saturating_add(bytes) }
    }
}

impl<T: Waits> Queue<T> {
    pub(super) fn new() -> Self {
        Self {
            sessions: HashMap::new(),
            ready: HashMap::new(),
            turns: VecDeque::new(),
            in_flight: HashSet::new(),
            resting: Vec::new(),
            small_at_once: 0,
            large: Vec::new(),
            is_deciding: false,
            waiting: QueueLoad::default(),
            large_waiting: 0,
            by_tenant: HashMap::new(),
        }
    }

    /// Whether no append waits and no transaction runs.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.appends == 0 && self.in_flight.is_empty()
    }

    /// Adds an append; returns those that have no place: it, or newer ones of the tenant that has the most waiting.
    pub(super) fn push(&mut self, item: T) -> Vec<T> {
        let (key, bytes) = (item.key(), item.bytes());
        let of_tenant = self.by_tenant.get(&key.0).copied().unwrap_or_default();
        let fits = |load: QueueLoad, appends, most| {
            load.appends < appends && load.bytes.saturating_add(bytes) <= most
        };
        // An append that is larger than a tenant's share is accepted when it is the tenant's only one.
        let is_alone = of_tenant.appends == 0;
        if !(is_alone || fits(of_tenant, TENANT_APPENDS, TENANT_BYTES)) {
            return vec![item];
        }
        let mut displaced = Vec::new();
        while !fits(self.waiting, WAITING_APPENDS, WAITING_BYTES) {
            // Two tenants fill the queue with their shares, and must not keep the others out.
            let Some(another) = self.displace(of_tenant.with(bytes)) else {
                displaced.push(item);
                return displaced;
            };
            displaced.push(another);
        }
        self.count(key.0, [bytes]);
        let waiting = self.sessions.entry(key.clone()).or_default();
        waiting.push_back(item);
        if waiting.len() == 1 && !self.in_flight.contains(&key) && !self.rests(&key) {
            self.make_ready(key);
        }
        displaced
    }

    /// Removes the newest append of the tenant that has the most waiting, if that is more than `least`.
    fn displace(&mut self, least: QueueLoad) -> Option<T> {
        let share = |load: &QueueLoad| (load.appends / APPENDS_PART).max(load.bytes / BYTES_PART);
        let (tenant, most) = self.by_tenant.iter().max_by_key(|(_, load)| share(load))?;
        if share(most) <= share(&least) {
            return None;
        }
        let tenant = *tenant;
        let of_tenant = self.sessions.iter_mut().filter(|(key, _)| key.0 == tenant);
        let (key, waiting) = of_tenant.max_by_key(|(_, waiting)| waiting.back().map(Waits::since))?;
        let key = key.clone();
        let item = waiting.pop_back()?;
        if waiting.is_empty() {
            self.sessions.remove(&key);
            self.forget_empty();
        }
        self.discount(tenant, [item.bytes()]);
        Some(item)
    }

    /// Takes the next batch, when a transaction may start.
    pub(super) fn next(&mut self) -> Option<Batch<T>> {
        let (mut sessions, mut appends, mut bytes) = (Vec::new(), 0, 0);
        let (small, large) = self.may_go();
        if !small && !large {
            return None;
        }
        // Go round the ready tenants until a whole round has nothing that fits.
        let mut passed = 0;
        while passed < self.turns.len() && appends < BATCH_APPENDS {
            let Some(tenant) = self.turns.pop_front() else { break };
            let found = self.find_fitting(tenant, BATCH_APPENDS - appends, bytes);
            let Some((key, count, size)) = found else {
                self.turns.push_back(tenant);
                passed += 1;
                continue;
            };
            passed = 0;
            if self.ready.get(&tenant).is_some_and(|ready| !ready.is_empty()) {
                self.turns.push_back(tenant);
            } else {
                self.ready.remove(&tenant);
            }
            sessions.push(self.take(key, count));
            (appends, bytes) = (appends + count, bytes + size);
            if size >= LARGE_BYTES {
                self.large.push(Large { tenant, is_huge: size >= HUGE_BYTES });
                return Some(Batch { sessions, is_large: true });
            }
        }
        if sessions.is_empty() {
            return None;
        }
        self.small_at_once += 1;
        self.is_deciding = true;
        Some(Batch { sessions, is_large: false })
    }

    /// The newest transaction of small appends is committing, so the next one may start.
    pub(super) fn commits(&mut self) {
        self.is_deciding = false;
    }

    /// Whether a transaction may start: of small appends, and of large ones.
    fn may_go(&self) -> (bool, bool) {
        let small = !self.is_deciding && self.small_at_once < SMALL_AT_ONCE;
        (small, self.large_waiting > 0 && self.large.len() < LARGE_AT_ONCE)
    }

    /// Whether a large transaction of this tenant and size may start beside those that run.
    fn may_go_large(&self, tenant: TenantId, size: usize) -> bool {
        let is_huge = size >= HUGE_BYTES;
        !self.large.iter().any(|running| running.tenant == tenant || (is_huge && running.is_huge))
    }

    /// Takes the first of a tenant's ready sessions whose appends fit beside `bytes`; returns it with the number of
    /// its appends that go, and their bytes.
    fn find_fitting(&mut self, tenant: TenantId, room: usize, bytes: usize) -> Option<(Key, usize, usize)> {
        let ready = self.ready.get(&tenant)?;
        let (small, large) = self.may_go();
        let (place, count, size) = ready.iter().take(MAX_EXAMINED).enumerate().find_map(|(place, key)| {
            let (count, size) = self.run_of(key, room);
            let fits = if size >= LARGE_BYTES {
                large && bytes == 0 && self.may_go_large(tenant, size)
            } else {
                small && bytes + size <= BATCH_BYTES
            };
            fits.then_some((place, count, size))
        })?;
        let key = self.ready.get_mut(&tenant)?.remove(place)?;
        Some((key, count, size))
    }

    /// Records the end of a transaction of small appends or, for a tenant, of large ones.
    pub(super) fn end(&mut self, large_of: Option<TenantId>) {
        match large_of {
            Some(tenant) => self.large.retain(|running| running.tenant != tenant),
            None => self.small_at_once = self.small_at_once.saturating_sub(1),
        }
    }

    /// Ends a session's part of a transaction. Appends that return because the session was locked go first again, but
    /// not before `until`.
    pub(super) fn release(&mut self, key: Key, back: Vec<T>, until: Instant) {
        self.in_flight.remove(&key);
        if back.is_empty() {
            if self.sessions.contains_key(&key) {
                self.make_ready(key);
            }
            return;
        }
        self.count(key.0, back.iter().map(Waits::bytes));
        let waiting = self.sessions.entry(key.clone()).or_default();
        for item in back.into_iter().rev() {
            waiting.push_front(item);
        }
        self.resting.push((until, key));
    }

    /// When the first of the locked sessions may be tried again.
    pub(super) fn wakes(&self) -> Option<Instant> {
        self.resting.iter().map(|(until, _)| *until).min()
    }

    /// Makes the sessions ready that may be tried again by now.
    pub(super) fn wake(&mut self, now: Instant) {
        let rested =
            self.resting.extract_if(.., |(until, _)| *until <= now).map(|(_, key)| key).collect::<Vec<_>>();
        for key in rested {
            self.make_ready(key);
        }
    }

    /// Removes and returns the appends that have waited since before `deadline`.
    pub(super) fn expire(&mut self, deadline: Instant) -> Vec<T> {
        let mut expired = Vec::new();
        for (key, waiting) in &mut self.sessions {
            while let Some(item) = waiting.pop_front_if(|item| item.since() < deadline) {
                expired.push((key.0, item));
            }
        }
        self.sessions.retain(|_, waiting| !waiting.is_empty());
        self.forget_empty();
        expired
            .into_iter()
            .map(|(tenant, item)| {
                self.discount(tenant, [item.bytes()]);
                item
            })
            .collect()
    }

    /// Forgets the turns of sessions in which nothing waits.
    fn forget_empty(&mut self) {
        let sessions = &self.sessions;
        self.resting.retain(|(_, key)| sessions.contains_key(key));
        for ready in self.ready.values_mut() {
            ready.retain(|key| sessions.contains_key(key));
        }
        self.ready.retain(|_, ready| !ready.is_empty());
        let ready = &self.ready;
        self.turns.retain(|tenant| ready.contains_key(tenant));
    }

    /// How many of a session's appends go together, and their bytes.
    fn run_of(&self, key: &Key, room: usize) -> (usize, usize) {
        let (mut count, mut bytes) = (0, 0);
        for item in self.sessions.get(key).into_iter().flatten().take(SESSION_APPENDS.min(room)) {
            if count > 0 && bytes + item.bytes() >= LARGE_BYTES {
                break;
            }
            (count, bytes) = (count + 1, bytes + item.bytes());
        }
        (count, bytes)
    }

    fn take(&mut self, key: Key, count: usize) -> (Key, Vec<T>) {
        let mut taken = Vec::with_capacity(count);
        if let Some(waiting) = self.sessions.get_mut(&key) {
            taken.extend(waiting.drain(..count.min(waiting.len())));
            if waiting.is_empty() {
                self.sessions.remove(&key);
            }
        }
        self.discount(key.0, taken.iter().map(Waits::bytes));
        self.in_flight.insert(key.clone());
        (key, taken)
    }

    fn rests(&self, key: &Key) -> bool {
        self.resting.iter().any(|(_, resting)| resting == key)
    }

    fn make_ready(&mut self, key: Key) {
        let ready = self.ready.entry(key.0).or_default();
        if ready.is_empty() {
            self.turns.push_back(key.0);
        }
        ready.push_back(key);
    }

    fn count(&mut self, tenant: TenantId, sizes: impl IntoIterator<Item = usize>) {
        let of_tenant = self.by_tenant.entry(tenant).or_default();
        for bytes in sizes {
            for load in [&mut self.waiting, &mut *of_tenant] {
                load.appends += 1;
                load.bytes += bytes;
            }
            self.large_waiting += usize::from(bytes >= LARGE_BYTES);
        }
    }

    fn discount(&mut self, tenant: TenantId, sizes: impl IntoIterator<Item = usize>) {
        let Some(of_tenant) = self.by_tenant.get_mut(&tenant) else { return };
        for bytes in sizes {
            for load in [&mut self.waiting, &mut *of_tenant] {
                load.appends = load.appends.saturating_sub(1);
                load.bytes = load.bytes.saturating_sub(bytes);
            }
            self.large_waiting = self.large_waiting.saturating_sub(usize::from(bytes >= LARGE_BYTES));
        }
        if of_tenant.appends == 0 {
            self.by_tenant.remove(&tenant);
        }
    }
}

#[cfg(test)]
mod tests;
