//! Moves mask positions on, in the steps that keep served prefixes stable.
//!
//! A step is taken by the append after the one that passed the level: the messages that it masks are
//! then all stored, and the decision of every append is made on what a context would serve.

use sqlx::PgConnection;

use super::stage::Locked;
use crate::domain::id::TenantId;
use crate::domain::mask::{self, Steps};
use crate::store::StoreError;
use crate::store::outlines::{marks, outlines_after};

/// Moves the mask position of every session that is full enough for it.
pub(super) async fn step(
    connection: &mut PgConnection,
    tenant: TenantId,
    locked: &mut [Locked],
) -> Result<(), StoreError> {
    for locked in locked {
        let Some(level) = locked.mask_level() else { continue };
        let floor = locked.session.anchor_seq.max(locked.session.accounting.system_through);
        let tail = outlines_after(connection, tenant, locked.session.id, floor).await?;
        let marks = marks(&tail);
        let counts = &mut locked.session.accounting;
        let upto = mask::step(counts.mask_upto, &tail, &marks, level);
        if upto > counts.mask_upto {
            counts.mask_through(upto, &tail, &marks);
        }
        // Its next appends need not read them again.
        locked.steps = Some(Steps::of(counts.mask_upto, &tail, &marks));
    }
    Ok(())
}
