//! The digests of branches that are in use, in memory.
//!
//! Invariant: what is kept of a branch are the digests of its first messages. They never change, so what is kept is never
//! stale; the caller uses none beyond the branch's head in the database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlink::{LinkedHashMap, LinkedHashSet};

use anchord_messages::content_digest::{DIGESTS_BYTES, Digests};
use anchord_messages::id::{SessionId, TenantId};

/// The most bytes of all branches: those of a million messages.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// The most bytes of one tenant's, so that another's branches stay.
const MAX_TENANT_BYTES: usize = MAX_BYTES / 4;
/// Bytes of a branch beside its digests: its places in the maps.
const BRANCH_BYTES: usize = 256;

/// The digests of branches; the one that was used least recently leaves first.
#[derive(Clone, Debug)]
pub struct KnownBranches(Arc<Mutex<Kept>>);

impl Default for KnownBranches {
    fn default() -> Self {
        Self::new(MAX_BYTES, MAX_TENANT_BYTES)
    }
}

#[derive(Debug)]
struct Kept {
    /// In order of use, the latest last; so is the set of each tenant.
    branches: LinkedHashMap<SessionId, Known>,
    tenants: HashMap<TenantId, OfTenant>,
    bytes: usize,
    most: usize,
    most_of_tenant: usize,
}

#[derive(Debug)]
struct Known {
    tenant: TenantId,
    digests: Arc<Vec<Digests>>,
}

#[derive(Debug, Default)]
struct OfTenant {
    branches: LinkedHashSet<SessionId>,
    bytes: usize,
}

impl KnownBranches {
    fn new(most: usize, most_of_tenant: usize) -> Self {
        let (branches, tenants) = (LinkedHashMap::new(), HashMap::new());
        Self(Arc::new(Mutex::new(Kept { branches, tenants, bytes: 0, most, most_of_tenant })))
    }

    /// The digests of a branch's first messages, as far as they are known.
    pub(crate) fn find(&self, tenant: TenantId, branch: SessionId) -> Arc<Vec<Digests>> {
        self.lock().touch(tenant, branch).unwrap_or_default()
    }

    /// Keeps the digests of a branch's first messages, unless more of them are kept.
    pub(crate) fn keep(&self, tenant: TenantId, branch: SessionId, digests: Arc<Vec<Digests>>) {
        // Freeing a long list takes a while, so that the lock is released first.
        let gone = self.lock().keep(tenant, branch, digests);
        drop(gone);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // Nothing panics while it is locked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bytes_of(digests: &[Digests]) -> usize {
    BRANCH_BYTES + digests.len() * DIGESTS_BYTES
}

impl Kept {
    /// The digests of a branch, which has been used now.
    fn touch(&mut self, tenant: TenantId, branch: SessionId) -> Option<Arc<Vec<Digests>>> {
        let known = self.branches.get(&branch).filter(|known| known.tenant == tenant)?;
        let digests = Arc::clone(&known.digests);
        self.branches.to_back(&branch);
        if let Some(of_tenant) = self.tenants.get_mut(&tenant) {
            of_tenant.branches.to_back(&branch);
        }
        Some(digests)
    }

    fn keep(&mut self, tenant: TenantId, branch: SessionId, digests: Arc<Vec<Digests>>) -> Vec<Known> {
        let mut gone = Vec::new();
        let bytes = bytes_of(&digests);
        if self.touch(tenant, branch).is_some_and(|known| known.len() >= digests.len()) {
            return gone;
        }
        gone.extend(self.remove(branch));
        if bytes > self.most_of_tenant {
            return gone;
        }
        let of_tenant = self.tenants.entry(tenant).or_default();
        of_tenant.branches.insert(branch);
        of_tenant.bytes += bytes;
        self.bytes += bytes;
        self.branches.insert(branch, Known { tenant, digests });
        while let Some(oldest) = self.oldest_of(tenant).or_else(|| self.oldest()) {
            gone.extend(self.remove(oldest));
        }
        gone
    }

    /// The branch to leave next, when the tenant has too many bytes.
    fn oldest_of(&self, tenant: TenantId) -> Option<SessionId> {
        let of_tenant = self.tenants.get(&tenant).filter(|known| known.bytes > self.most_of_tenant)?;
        of_tenant.branches.front().copied()
    }

    /// The branch to leave next, when all have too many bytes.
    fn oldest(&self) -> Option<SessionId> {
        if self.bytes <= self.most {
            return None;
        }
        self.branches.front().map(|(branch, _)| *branch)
    }

    fn remove(&mut self, branch: SessionId) -> Option<Known> {
        let known = self.branches.remove(&branch)?;
        let bytes = bytes_of(&known.digests);
        self.bytes = self.bytes.saturating_sub(bytes);
        if let Some(of_tenant) = self.tenants.get_mut(&known.tenant) {
            of_tenant.branches.remove(&branch);
            of_tenant.bytes = of_tenant.bytes.saturating_sub(bytes);
            if of_tenant.branches.is_empty() {
                self.tenants.remove(&known.tenant);
            }
        }
        Some(known)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use anchord_messages::format::Format;

    fn digests(count: usize) -> Arc<Vec<Digests>> {
        Arc::new((0..count).map(|n| Digests::of(Format::OpenaiChat, &n.to_string())).collect())
    }

    fn tenant(number: u128) -> TenantId {
        TenantId(Uuid::from_u128(number))
    }

    fn branch(number: u128) -> SessionId {
        SessionId(Uuid::from_u128(number))
    }

    #[test]
    fn a_branch_is_known_as_far_as_it_was_ever_kept() {
        let known = KnownBranches::default();
        assert!(known.find(tenant(1), branch(1)).is_empty());
        for count in [2, 5, 3] {
            known.keep(tenant(1), branch(1), digests(count));
        }
        assert_eq!(*known.find(tenant(1), branch(1)), *digests(5));
        assert!(known.find(tenant(2), branch(1)).is_empty(), "it is another tenant's");
    }

    #[test]
    fn what_was_used_least_recently_leaves_first_and_of_the_tenant_that_has_too_much() {
        let one = bytes_of(&digests(10));
        let known = KnownBranches::new(6 * one, 3 * one);
        let lengths = |ids: [u128; 4], of: u128| ids.map(|id| known.find(tenant(of), branch(id)).len());
        known.keep(tenant(2), branch(9), digests(10));
        for id in 1..=3 {
            known.keep(tenant(1), branch(id), digests(10));
        }
        known.find(tenant(1), branch(1));
        known.keep(tenant(1), branch(4), digests(10));
        assert_eq!(lengths([1, 2, 3, 4], 1), [10, 0, 10, 10]);
        assert_eq!(lengths([9, 0, 0, 0], 2), [10, 0, 0, 0]);
        for id in 20..=22 {
            known.keep(tenant(3), branch(id), digests(10));
        }
        assert_eq!(lengths([1, 3, 4, 9], 1), [0, 10, 10, 0], "beyond the bound of all, the oldest leaves");
        known.keep(tenant(2), branch(9), digests(1_000));
        assert!(known.find(tenant(2), branch(9)).is_empty(), "too much for one tenant");
        let kept = known.lock();
        let counted: usize = kept.branches.values().map(|known| bytes_of(&known.digests)).sum();
        assert_eq!(kept.bytes, counted);
        assert_eq!(kept.tenants.values().map(|of| of.bytes).sum::<usize>(), counted);
        assert!(!kept.tenants.contains_key(&tenant(2)));
    }
}
