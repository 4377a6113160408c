//! Where the index of a branch is: in its own rows, and in those of the branches that it stands on.

use crate::prelude::*;

/// A part of a branch's index, or of its vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// Owner of the rows.
    pub(super) session: SessionId,
    /// The message before its first one.
    pub(super) after: Seq,
    /// Its last message. There may be rows of messages behind it, which are none of the branch's.
    pub(super) through: Seq,
}

/// Stretches by column, for `unnest`.
pub(super) struct Stretches {
    pub(super) sessions: Vec<Uuid>,
    pub(super) after: Vec<Seq>,
    pub(super) through: Vec<Seq>,
}

impl Stretches {
    pub(super) fn of(index: &[Stretch]) -> Self {
        Self {
            sessions: index.iter().map(|one| one.session.0).collect(),
            after: index.iter().map(|one| one.after).collect(),
            through: index.iter().map(|one| one.through).collect(),
        }
    }
}

/// The stretch of a row that `with ordinality` has numbered, from 1.
pub(super) fn at(index: &[Stretch], place: i64) -> Option<&Stretch> {
    index.get(usize::try_from(place.checked_sub(1)?).ok()?)
}

/// The parts of a branch's index, its own first.
pub(super) async fn find(tx: &mut Tx, key: SessionKey) -> Result<Vec<Stretch>> {
    let rows = sqlx::query!(
        r#"select session_id as "session_id!", after_seq as "after_seq!", through_seq as "through_seq!"
           from index_lineage($1, $2)"#,
        key.tenant.0,
        key.id.0
    )
    .fetch_all(&mut **tx)
    .await?;
    let stretch = |(session, after, through)| Stretch { session: SessionId(session), after, through };
    Ok(rows.into_iter().map(|row| stretch((row.session_id, row.after_seq, row.through_seq))).collect())
}
