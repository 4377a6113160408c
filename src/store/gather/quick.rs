//! Appends to sessions that the lane knows, of any tenants, in one statement and one round trip.
//!
//! Invariant: nothing is decided on what was not proved under the session's lock. What the statement finds
//! otherwise than it was known it leaves alone, and so does this whatever needs more than inserting: those
//! appends have not happened, and go the long way.

use std::ops::Range;

use sqlx::PgConnection;
use uuid::Uuid;

use super::batch::{OutputColumns, answer};
use super::held::{Held, Known};
use super::stage::{self, Draft, Locked, Replays, Rows};
use super::{AppendError, Reply, Traced, share};
use crate::store::StoreError;
use crate::store::idempotency::ReplyKey;
use crate::store::sessions::RowProof;

/// What becomes of each append: `None` when it has not happened.
pub(super) type Answers = Vec<Option<Result<Reply, AppendError>>>;

/// The appends of one session.
struct Piece<'a> {
    /// Which of the group's appends.
    appends: Range<usize>,
    /// Which of the rows, from 1.
    rows: (usize, usize),
    known: Known,
    answers: Vec<Result<Reply, AppendError>>,
    /// The keys under which replies are kept, each with its append's place in the piece.
    keys: Vec<(usize, &'a ReplyKey)>,
}

/// Stores what can be stored at once. The appends come in the order of tenants and sessions. An error means that
/// nothing was stored, unless the connection was lost.
pub(super) async fn run(
    connection: &mut PgConnection,
    appends: &[Traced],
    held: &mut Held,
) -> Result<Answers, StoreError> {
    let mut answers: Answers = appends.iter().map(|_| None).collect();
    let (pieces, mut rows) = pieces(appends, held);
    if pieces.is_empty() {
        return Ok(answers);
    }
    share::share_among(&mut rows);
    let done = write(connection, &pieces, &rows).await?;
    let Some((proof, places)) = done.split_first() else { return Ok(answers) };
    let proof = RowProof::read(*proof);
    let mut pieces: Vec<Option<Piece<'_>>> = pieces.into_iter().map(Some).collect();
    for place in places {
        let piece = usize::try_from(place - 1).ok().and_then(|place| pieces.get_mut(place)?.take());
        let Some(Piece { appends, known, answers: given, .. }) = piece else { continue };
        for (answer, given) in answers.iter_mut().skip(appends.start).zip(given) {
            *answer = Some(given);
        }
        if let Some(proof) = proof {
            held.put(known.locked, proof);
        }
    }
    Ok(answers)
}

/// Takes the sessions that are known out of the store, and stages what needs nothing but to be written.
fn pieces<'a>(appends: &'a [Traced], held: &mut Held) -> (Vec<Piece<'a>>, Rows<'a>) {
    let mut rows = Rows::default();
    let mut pieces = Vec::new();
    let mut next = 0;
    for same in appends.chunk_by(|a, b| a.tenant == b.tenant && a.session == b.session) {
        let range = next..next + same.len();
        next = range.end;
        let Some(mut known) = same.first().and_then(|append| held.take(append.tenant, &append.session))
        else {
            continue;
        };
        if !known.locked.masks_unread() {
            continue;
        }
        let before = rows.lengths();
        let one = std::slice::from_mut(&mut known.locked);
        let drafts = stage::stage(same, one, &Replays::default(), &mut rows);
        // A refusal rests on what is not proved yet.
        let is_refused = drafts.iter().any(|draft| matches!(draft, Draft::Answered(_)));
        if is_refused || !known.locked.is_plain() {
            rows.truncate(before);
            continue;
        }
        let keys = drafts.iter().zip(same).enumerate().filter_map(|(place, (draft, append))| {
            let is_staged = matches!(draft, Draft::Staged { .. });
            append.reply_key.as_ref().filter(|_| is_staged).map(|key| (place, key))
        });
        let keys = keys.collect();
        let answers = answer(drafts, std::slice::from_ref(&known.locked));
        let rows = (before.0 + 1, rows.lengths().0);
        pieces.push(Piece { appends: range, rows, known, answers, keys });
    }
    (pieces, rows)
}

/// Writes the pieces whose proofs hold; gives the transaction's id and their places, from 1, or nothing.
async fn write(
    connection: &mut PgConnection,
    pieces: &[Piece<'_>],
    rows: &Rows<'_>,
) -> Result<Vec<i64>, StoreError> {
    let sessions = Sessions::of(pieces)?;
    let (mut bodies, mut rests) = (Vec::with_capacity(rows.bodies.len()), Vec::new());
    let shares = any(&rows.shared);
    for (body, shared) in rows.bodies.iter().zip(&rows.shared) {
        bodies.push(shared.is_none().then_some(body.as_ref()));
        if shares.is_some() {
            rests.push(shared.is_some().then_some(body.as_ref()));
        }
    }
    let outputs = OutputColumns::of(&rows.outputs);
    let has_outputs = !rows.outputs.is_empty();
    let places = if has_outputs { places(pieces, rows) } else { Vec::new() };
    let keys = Keys::of(pieces);
    let has_keys = !keys.names.is_empty();
    let done = sqlx::query_scalar!(
        r#"select append_gathered($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                                  $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33) as "done!""#,
        &sessions.tenants,
        &sessions.ids,
        &sessions.proofs,
        &sessions.tenant_proofs,
        &sessions.lives as &[Option<Uuid>],
        &sessions.live_statuses as &[Option<&str>],
        &sessions.heads,
        &sessions.accountings,
        &sessions.recents,
        &sessions.first_rows,
        &sessions.last_rows,
        &rows.seqs,
        &rows.roles as &[&str],
        &rows.formats as &[&str],
        &rows.tokens,
        any(&rows.least_tokens) as Option<&[Option<i32>]>,
        any(&rows.shapes) as Option<&[Option<&str>]>,
        any(&rows.keeps) as Option<&[Option<&str>]>,
        any(&rows.components) as Option<&[Option<&str>]>,
        &bodies as &[Option<&str>],
        shares.map(|_| rests.as_slice()) as Option<&[Option<&str>]>,
        shares as Option<&[Option<String>]>,
        has_outputs.then_some(places.as_slice()) as Option<&[i32]>,
        has_outputs.then_some(outputs.references.as_slice()) as Option<&[&str]>,
        has_outputs.then_some(outputs.seqs.as_slice()) as Option<&[i64]>,
        has_outputs.then_some(outputs.ordinals.as_slice()) as Option<&[i32]>,
        any(&outputs.starts) as Option<&[Option<i32>]>,
        any(&outputs.bytes) as Option<&[Option<i32>]>,
        has_keys.then_some(keys.sessions.as_slice()) as Option<&[i32]>,
        has_keys.then_some(keys.routes.as_slice()) as Option<&[&str]>,
        has_keys.then_some(keys.names.as_slice()) as Option<&[&str]>,
        has_keys.then_some(keys.digests.as_slice()) as Option<&[&[u8]]>,
        has_keys.then_some(keys.replies.as_slice()) as Option<&[&str]>,
    )
    .fetch_one(&mut *connection)
    .await?;
    Ok(done)
}

/// A column, unless it is null in every row.
fn any<T>(column: &[Option<T>]) -> Option<&[Option<T>]> {
    column.iter().any(Option::is_some).then_some(column)
}

/// A place among the sessions or the rows, as the statement counts them.
fn place(place: usize) -> i32 {
    i32::try_from(place).unwrap_or(i32::MAX)
}

/// Which piece each tool output belongs to.
fn places(pieces: &[Piece<'_>], rows: &Rows<'_>) -> Vec<i32> {
    let of = |row: usize| pieces.partition_point(|piece| piece.rows.1 <= row) + 1;
    rows.outputs.iter().map(|output| place(of(output.row))).collect()
}

/// The sessions column by column.
#[derive(Default)]
struct Sessions<'a> {
    tenants: Vec<Uuid>,
    ids: Vec<Uuid>,
    proofs: Vec<i32>,
    tenant_proofs: Vec<i32>,
    lives: Vec<Option<Uuid>>,
    live_statuses: Vec<Option<&'a str>>,
    heads: Vec<i64>,
    accountings: Vec<String>,
    recents: Vec<String>,
    first_rows: Vec<i32>,
    last_rows: Vec<i32>,
}

impl<'a> Sessions<'a> {
    fn of(pieces: &'a [Piece<'_>]) -> Result<Self, StoreError> {
        let mut columns = Self::default();
        for Piece { known, rows, .. } in pieces {
            let Locked { tenant, session, .. } = &known.locked;
            let corrupt = |column, error| StoreError::corrupt("sessions", column, session.id.0, error);
            columns.tenants.push(tenant.0);
            columns.ids.push(session.id.0);
            columns.proofs.push(known.proof.bits());
            columns.tenant_proofs.push(known.tenant_proof.bits());
            columns.lives.push(session.live.map(|live| live.id.0));
            columns.live_statuses.push(session.live.map(|live| live.status.as_str()));
            columns.heads.push(session.head_seq);
            let accounting = serde_json::to_string(&session.accounting);
            columns.accountings.push(accounting.map_err(|error| corrupt("accounting", error))?);
            columns.recents.push(session.recent.write().map_err(|error| corrupt("recent", error))?);
            columns.first_rows.push(place(rows.0));
            columns.last_rows.push(place(rows.1));
        }
        Ok(columns)
    }
}

/// The replies to keep, column by column.
#[derive(Default)]
struct Keys<'a> {
    sessions: Vec<i32>,
    routes: Vec<&'a str>,
    names: Vec<&'a str>,
    digests: Vec<&'a [u8]>,
    replies: Vec<&'a str>,
}

impl<'a> Keys<'a> {
    fn of(pieces: &'a [Piece<'_>]) -> Self {
        let mut columns = Self::default();
        for (at, piece) in (1..).zip(pieces) {
            for (answer, key) in &piece.keys {
                let Some(Ok(reply)) = piece.answers.get(*answer) else { continue };
                columns.sessions.push(place(at));
                columns.routes.push(&key.route);
                columns.names.push(&key.key);
                columns.digests.push(&key.body_digest);
                columns.replies.push(&reply.body);
            }
        }
        columns
    }
}
