//! Ends the marks of messages that are kept. They are in the counts of the branch that was appended to, so that a branch has
//! its own.

use super::load::{self, Tries};
use super::sessions;
use crate::prelude::*;

impl Store {
    /// Ends the mark of a message that is kept, if it has one; returns `false` when there is no such session.
    pub async fn release_message(&self, tenant: TenantId, name: &SessionRef, seq: Seq) -> Result<bool> {
        let mut tries = Tries::default();
        loop {
            let Some(loaded) = self.load_session(tenant, name).await? else { return Ok(false) };
            if !loaded.session.accounting.keeps(seq) {
                return Ok(true);
            }
            let mut tx = self.begin(tenant).await?;
            if load::hold_as_read(&mut tx, &loaded).await? {
                let mut session = loaded.session;
                let tail = if session.masks_when_released(seq) {
                    load::tail(&mut tx, session.id.of(tenant), session.floor()).await?
                } else {
                    Vec::new()
                };
                session.release(seq, &tail);
                sessions::update(&mut tx, tenant, &session).await?;
                tx.commit().await?;
                return Ok(true);
            }
            drop(tx);
            tries.again().await?;
        }
    }
}
