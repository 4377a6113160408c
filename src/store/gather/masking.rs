//! Moves mask positions on, in the steps that keep served prefixes stable.
//!
//! A step is taken by the append after the one that passed the level: the messages that it masks are
//! then all stored, and the decision of every append is made on what a context would serve.

use sqlx::PgConnection;

use super::stage::Locked;
use crate::domain::id::{Seq, TenantId};
use crate::domain::mask::{self, Keep, Marks};
use crate::domain::message::Role;
use crate::domain::shape::{AsShape, Shape};
use crate::store::StoreError;
use crate::store::sessions::Session;

/// What masking needs of a message.
struct Seen {
    seq: Seq,
    role: Role,
    shape: Option<Shape>,
}

impl AsShape for Seen {
    fn seq(&self) -> Seq {
        self.seq
    }
    fn role(&self) -> Role {
        self.role
    }
    fn is_item(&self) -> bool {
        false
    }
    fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }
}

/// Moves the mask position of every session that is full enough for it.
pub(super) async fn step(
    connection: &mut PgConnection,
    tenant: TenantId,
    locked: &mut [Locked],
) -> Result<(), StoreError> {
    for locked in locked {
        let Some(level) = locked.mask_level() else { continue };
        let (tail, marks) = load_tail(connection, tenant, &locked.session).await?;
        let counts = &mut locked.session.accounting;
        let upto = mask::step(counts.mask_upto, &tail, &marks, level);
        if upto > counts.mask_upto {
            counts.mask_through(upto, &tail, &marks);
        }
    }
    Ok(())
}

async fn load_tail(
    connection: &mut PgConnection,
    tenant: TenantId,
    session: &Session,
) -> Result<(Vec<Seen>, Marks), StoreError> {
    let floor = session.anchor_seq.max(session.accounting.system_through);
    let rows = sqlx::query!(
        "select seq, role, shape, keep from messages
         where tenant_id = $1 and session_id = $2 and seq > $3 order by seq",
        tenant.0,
        session.id.0,
        floor
    )
    .fetch_all(connection)
    .await?;
    let mut tail = Vec::with_capacity(rows.len());
    let mut marks = Marks::new();
    for row in rows {
        let corrupt = |column, reason: String| {
            StoreError::corrupt("messages", column, format!("{} {}", session.id.0, row.seq), reason)
        };
        let shape = row.shape.as_deref().map(serde_json::from_str).transpose();
        match row.keep.as_deref() {
            Some("always") => drop(marks.insert(row.seq, Keep::Always)),
            Some("never") => drop(marks.insert(row.seq, Keep::Never)),
            Some(_) => return Err(corrupt("keep", "unknown word".to_owned())),
            None => {}
        }
        tail.push(Seen {
            seq: row.seq,
            role: Role::parse(&row.role).ok_or_else(|| corrupt("role", "unknown word".to_owned()))?,
            shape: shape.map_err(|error| corrupt("shape", error.to_string()))?,
        });
    }
    Ok((tail, marks))
}
