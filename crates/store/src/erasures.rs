//! Deletes the rows of erased sessions and tenants, in steps.
//!
//! Erasing only hides, because a statement that deletes a million messages takes longer than a statement may. Each step
//! is a transaction of its own that takes a fraction of a second, whatever the size of a session.

use std::collections::VecDeque;

use crate::prelude::*;

/// The most steps of a request that erases; the rest is left to upkeep. A session of some hundred messages takes one.
const STEPS_AT_ONCE: usize = 4;

/// Rows of one tenant that are to be deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erasure {
    /// The tenant.
    pub tenant: TenantId,
    /// Its erased sessions; empty when the tenant itself is erased, or when its sessions are not due.
    pub(crate) sessions: Vec<Uuid>,
}

impl Erasure {
    /// Whether only what a tenant owns beside sessions is due, if it is erased itself.
    pub fn is_of_tenant(&self) -> bool {
        self.sessions.is_empty()
    }
}

impl Store {
    /// Deletes some rows; returns whether more of them may be left. When that fails for several sessions, each is tried
    /// alone, and one that fails is tried again some minutes later.
    ///
    /// # Errors
    /// When the database fails for each of the sessions.
    pub async fn erase_some(&self, erasure: &Erasure) -> Result<bool> {
        let mut waiting = VecDeque::from([erasure.sessions.clone()]);
        let (mut is_more, mut failed, mut has_worked) = (false, None, false);
        while let Some(sessions) = waiting.pop_front() {
            match self.erase_step(erasure.tenant, &sessions).await {
                Ok(more) => {
                    has_worked = true;
                    is_more |= more;
                }
                Err(error) if sessions.len() > 1 => {
                    tracing::warn!(%error, tenant = %erasure.tenant.0, "erasure.tried_apart");
                    waiting.extend(sessions.into_iter().map(|session| vec![session]));
                }
                Err(error) => {
                    if let Some(session) = sessions.first() {
                        tracing::warn!(%error, tenant = %erasure.tenant.0, %session, "erasure.put_off");
                        self.put_off(erasure.tenant, *session).await?;
                    }
                    failed = Some(error);
                }
            }
        }
        match failed {
            Some(error) if !has_worked => Err(error),
            _ => Ok(is_more),
        }
    }

    /// Takes the first steps of an erasure within the request that asked for it. It is hidden already, so that a failure
    /// only leaves more to upkeep.
    pub(crate) async fn erase_now(&self, erasure: &Erasure) {
        for _ in 0..STEPS_AT_ONCE {
            match self.erase_step(erasure.tenant, &erasure.sessions).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(%error, tenant = %erasure.tenant.0, "erasure.left_to_upkeep");
                    return;
                }
            }
        }
    }
}
