//! Shared limits with a share for each party: bytes of bodies and replies, event streams, calls of a model.
//!
//! A party takes of its own share first, and then of the total. So at most one share of each party waits for the total,
//! and a newcomer queues behind at most one share of each other party.

use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::cache::{Cache, Expiry};

/// How long the share of an idle party is kept.
const FORGET_AFTER: Duration = Duration::from_hours(1);
/// The most parties whose shares are kept.
const MAX_PARTIES: u64 = 10_000;

/// A total, and the share of each party.
#[derive(Clone, Debug)]
pub struct Shares<K: Hash + Eq + Send + Sync + 'static> {
    total: Arc<Semaphore>,
    most: u32,
    share: u32,
    parties: Cache<K, Arc<Semaphore>>,
}

/// Units of a party; given back when it is dropped.
#[derive(Debug)]
pub struct Permit {
    _own: OwnedSemaphorePermit,
    _total: OwnedSemaphorePermit,
}

/// The limit that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The party's share, which is so large.
    Share(u32),
    /// The total, which is so large.
    Total(u32),
}

impl<K: Hash + Eq + Send + Sync + 'static> Shares<K> {
    /// A total of `most`, of which one party may have `share`.
    pub fn new(most: u32, share: u32) -> Self {
        let parties = Cache::new(MAX_PARTIES, Expiry::Idle(FORGET_AFTER));
        Self { total: Arc::new(Semaphore::new(units(most))), most, share: share.min(most), parties }
    }

    /// The share of one party.
    pub fn share(&self) -> u32 {
        self.share
    }

    fn of(&self, party: K) -> Arc<Semaphore> {
        self.parties.get_with(party, || Arc::new(Semaphore::new(units(self.share))))
    }

    /// Takes some at once, or nothing.
    pub fn try_take(&self, party: K, some: u32) -> Result<Permit, Full> {
        let own = self.of(party).try_acquire_many_owned(some).map_err(|_| Full::Share(self.share))?;
        let total =
            Arc::clone(&self.total).try_acquire_many_owned(some).map_err(|_| Full::Total(self.most))?;
        Ok(Permit { _own: own, _total: total })
    }

    /// Takes some as soon as it is there, within `wait`.
    pub async fn take(&self, party: K, some: u32, wait: Duration) -> Result<Permit, Full> {
        if some > self.share {
            return Err(Full::Share(self.share));
        }
        let deadline = tokio::time::Instant::now() + wait;
        let own = tokio::time::timeout_at(deadline, self.of(party).acquire_many_owned(some)).await;
        // The semaphores are never closed.
        let Ok(Ok(own)) = own else { return Err(Full::Share(self.share)) };
        let total = Arc::clone(&self.total).acquire_many_owned(some);
        let Ok(Ok(total)) = tokio::time::timeout_at(deadline, total).await else {
            return Err(Full::Total(self.most));
        };
        Ok(Permit { _own: own, _total: total })
    }
}

fn units(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_party_that_has_its_share_gets_no_more_and_the_others_get_theirs() {
        let shares = Shares::new(10, 4);
        let ours = [3, 1].map(|some| shares.try_take("us", some).expect("room"));
        assert_eq!(shares.try_take("us", 1).unwrap_err(), Full::Share(4));
        assert_eq!(
            shares.take("us", 5, Duration::MAX).await.unwrap_err(),
            Full::Share(4),
            "it would never come"
        );
        let theirs = [shares.try_take("them", 4), shares.try_take("others", 2)];
        assert!(theirs.iter().all(Result::is_ok));
        assert_eq!(shares.try_take("others", 1).unwrap_err(), Full::Total(10));
        drop(ours);
        assert!(shares.take("us", 4, Duration::ZERO).await.is_ok());
    }

    #[tokio::test]
    async fn what_is_given_back_goes_to_who_waits() {
        let shares = Shares::new(2, 2);
        let held = shares.try_take("us", 2).expect("room");
        let mut waiting = std::pin::pin!(shares.take("us", 1, Duration::from_secs(20)));
        assert!(futures::FutureExt::now_or_never(waiting.as_mut()).is_none());
        drop(held);
        assert!(waiting.await.is_ok());
    }
}
