//! Reads the commands and test runs of summarised messages; the rest of the ledger is in the versions' records.

use std::collections::BTreeSet;

use crate::prelude::*;

/// The position of an entry among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Its first message.
    pub seq: Seq,
    /// Its index among the entries that begin with that message.
    pub ordinal: i32,
}

/// An entry as it is stored.
#[derive(Clone, Debug)]
pub struct EntryRow {
    /// Its status.
    pub place: Place,
    /// The fact, as JSON text.
    pub value: String,
}

/// Lists the entries of a kind in an open transaction, in order, after a place and up to a message. After a rollback
/// there are entries beyond the anchor, whose messages are read again.
pub async fn list(
    connection: &mut PgConnection,
    key: SessionKey,
    kind: &str,
    (after, through): (Option<Place>, Seq),
    limit: i64,
) -> Result<Vec<EntryRow>> {
    let after = after.unwrap_or(Place { seq: 0, ordinal: 0 });
    let rows = sqlx::query!(
        r#"select e.first_seq as "first_seq!", e.ordinal as "ordinal!", e.value::text as "value!"
           from version_lineage($1, $2) owner
           cross join lateral (
             select x.first_seq, x.ordinal, x.value from ledger_entries x
             where x.tenant_id = $1 and x.session_id = owner.session_id and x.kind = $3
               and (x.first_seq, x.ordinal) > ($4, $5) and x.first_seq <= $6
               and x.first_seq > owner.after_seq and x.first_seq <= owner.through_seq
             order by x.first_seq, x.ordinal limit $7
           ) e
           order by e.first_seq, e.ordinal limit $7"#,
        key.tenant.0,
        key.id.0,
        kind,
        after.seq,
        after.ordinal,
        through,
        limit
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| EntryRow { place: Place { seq: row.first_seq, ordinal: row.ordinal }, value: row.value })
        .collect())
}

/// Lists the ids of a session's extracted constraints and requests that the caller dropped.
pub async fn list_dropped_entries(
    connection: &mut PgConnection,
    key: SessionKey,
) -> Result<BTreeSet<String>> {
    let ids = sqlx::query_scalar!(
        "select entry_id from dropped_entries where tenant_id = $1 and session_id = $2",
        key.tenant.0,
        key.id.0
    )
    .fetch_all(connection)
    .await?;
    Ok(ids.into_iter().collect())
}
