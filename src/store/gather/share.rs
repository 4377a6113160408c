//! Takes out of the bodies what the session has already: a tool output that is byte for byte the same
//! is stored once, and the message that repeats it keeps the place of the first one's text.
//!
//! Invariant: with what was taken out put back, a body is what was sent, byte for byte. A reference
//! that is equal is no proof of that, so the texts themselves are compared.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use sha2::{Digest as _, Sha256};
use sqlx::PgConnection;
use uuid::Uuid;

use super::stage::{OutputRow, Rows};
use crate::domain::id::{Seq, TenantId};
use crate::store::StoreError;

/// Below these bytes a text costs hardly more than its place.
const LEAST_BYTES: usize = 512;

/// A message that would lose more texts than these is stored whole: each of them is looked up when it is read.
const MOST_CUTS: usize = 64;

/// A session, and the reference of an output in it.
type Key<'a> = (Uuid, &'a str);

/// The first message of a session that holds an output.
struct Source {
    seq: Seq,
    start: usize,
    text: SourceText,
}

/// What is known of a source's text.
enum SourceText {
    /// It is stored; its digest.
    Stored(Vec<u8>),
    /// It stands in a body of the same transaction: the row and its place there.
    Staged(usize, Range<usize>),
}

/// What is taken out of one body, in order.
#[derive(Default)]
struct Cuts {
    /// Where it stood in the body as sent, and its source's position and first byte.
    places: Vec<(Range<usize>, Seq, usize)>,
    bytes: usize,
}

/// Takes the repeats out of the bodies, and says where the texts of the other outputs begin.
pub(super) async fn share(
    tx: &mut PgConnection,
    tenant: TenantId,
    rows: &mut Rows<'_>,
) -> Result<(), StoreError> {
    if !rows.outputs.iter().any(is_long) {
        return Ok(());
    }
    let sources = find_sources(tx, tenant, &rows.outputs).await?;
    cut(rows, sources);
    Ok(())
}

/// Takes out what the rows themselves repeat, as if no session had any output yet: whoever stores them so
/// makes sure that no session has one of those whose texts begin somewhere.
pub(super) fn share_among(rows: &mut Rows<'_>) {
    if rows.outputs.iter().any(is_long) {
        cut(rows, HashMap::new());
    }
}

fn cut<'a>(rows: &mut Rows<'a>, mut sources: HashMap<Key<'a>, Source>) {
    let Rows { outputs, bodies, shared, .. } = rows;
    let mut taken = Vec::new();
    for of_row in outputs.chunk_by_mut(|a, b| a.row == b.row) {
        let cuts = cuts_of(of_row, &mut sources, bodies);
        let row = of_row.first().map(|output| output.row);
        taken.extend(row.filter(|_| !cuts.places.is_empty()).map(|row| (row, cuts)));
    }
    // Not before: the texts are compared where they were sent.
    for (row, cuts) in taken {
        if let (Some(body), Some(shared)) = (bodies.get_mut(row), shared.get_mut(row)) {
            let (rest, places) = cuts.apply(body);
            *body = Cow::Owned(rest);
            *shared = Some(places);
        }
    }
}

/// What is taken out of one body: what repeats a source, or the body itself. Its other texts become sources.
fn cuts_of<'a>(
    outputs: &mut [OutputRow<'a>],
    sources: &mut HashMap<Key<'a>, Source>,
    bodies: &[Cow<'_, str>],
) -> Cuts {
    let mut own: HashMap<Key<'a>, (usize, Source)> = HashMap::new();
    let mut cuts = Cuts::default();
    for (index, output) in outputs.iter().enumerate().filter(|(_, output)| is_long(output)) {
        let place = output.output.place.clone();
        let Some(text) = text(bodies, output.row, &place) else { continue };
        let key = (output.session, output.output.reference.as_str());
        match sources.get(&key).or_else(|| own.get(&key).map(|(_, source)| source)) {
            Some(found) if found.is(text, bodies) => {
                cuts.bytes += place.len();
                cuts.places.push((place, found.seq, found.start));
            }
            Some(_) => {}
            None => {
                let start = place.start - cuts.bytes;
                let text = SourceText::Staged(output.row, place);
                own.insert(key, (index, Source { seq: output.seq, start, text }));
            }
        }
    }
    let is_whole = cuts.places.len() > MOST_CUTS;
    for (key, (index, mut source)) in own {
        let Some(output) = outputs.get_mut(index) else { continue };
        if is_whole {
            source.start = output.output.place.start;
        }
        output.start = Some(source.start);
        sources.insert(key, source);
    }
    if is_whole { Cuts::default() } else { cuts }
}

fn is_long(output: &OutputRow<'_>) -> bool {
    output.output.place.len() >= LEAST_BYTES
}

fn text<'b>(bodies: &'b [Cow<'_, str>], row: usize, place: &Range<usize>) -> Option<&'b str> {
    bodies.get(row)?.get(place.clone())
}

/// Finds the outputs that the sessions have, of the length that is asked for.
async fn find_sources<'a>(
    tx: &mut PgConnection,
    tenant: TenantId,
    outputs: &[OutputRow<'a>],
) -> Result<HashMap<Key<'a>, Source>, StoreError> {
    let asked: BTreeMap<Key<'a>, i32> = outputs
        .iter()
        .filter(|output| is_long(output))
        .filter_map(|output| {
            let bytes = i32::try_from(output.output.place.len()).ok()?;
            Some(((output.session, output.output.reference.as_str()), bytes))
        })
        .collect();
    let (keys, lengths): (Vec<Key<'a>>, Vec<i32>) = asked.into_iter().unzip();
    let (sessions, references): (Vec<Uuid>, Vec<&str>) = keys.iter().copied().unzip();
    // Each is looked up by itself: as plain joins, the planner reads all outputs of the tenant for as long as
    // it has no statistics.
    let rows = sqlx::query!(
        r#"select asked.place as "place!", o.seq, o.start as "start!",
                  sha256(substring(convert_to(m.text, 'UTF8') from o.start + 1 for o.bytes)) as "digest!"
           from unnest($2::uuid[], $3::text[], $4::integer[]) with ordinality
             as asked(session_id, reference, bytes, place)
           cross join lateral (
             select t.seq, t.start, t.bytes from tool_outputs t
             where t.tenant_id = $1 and t.session_id = asked.session_id and t.reference = asked.reference limit 1
           ) o
           cross join lateral (
             select coalesce(x.body, x.rest) as text from messages x
             where x.tenant_id = $1 and x.session_id = asked.session_id and x.seq = o.seq limit 1
           ) m
           where o.bytes = asked.bytes"#,
        tenant.0,
        &sessions,
        &references as &[&str],
        &lengths
    )
    .fetch_all(&mut *tx)
    .await?;
    let mut sources = HashMap::with_capacity(rows.len());
    for row in rows {
        let key = usize::try_from(row.place - 1).ok().and_then(|place| keys.get(place));
        if let (Some(key), Ok(start)) = (key, usize::try_from(row.start)) {
            sources.insert(*key, Source { seq: row.seq, start, text: SourceText::Stored(row.digest) });
        }
    }
    Ok(sources)
}

impl Source {
    /// Whether it is this text, byte for byte.
    fn is(&self, other: &str, bodies: &[Cow<'_, str>]) -> bool {
        match &self.text {
            SourceText::Stored(digest) => Sha256::digest(other).as_slice() == digest.as_slice(),
            SourceText::Staged(row, place) => text(bodies, *row, place) == Some(other),
        }
    }
}

impl Cuts {
    /// The body without what is taken out, and where to put it back: `[[at, seq, start, bytes], …]`.
    fn apply(&self, body: &str) -> (String, String) {
        let mut rest = String::with_capacity(body.len() - self.bytes);
        let mut shared = Vec::with_capacity(self.places.len());
        let mut from = 0;
        for (place, seq, start) in &self.places {
            rest.push_str(body.get(from..place.start).unwrap_or_default());
            shared.push(format!("[{},{seq},{start},{}]", rest.len(), place.len()));
            from = place.end;
        }
        rest.push_str(body.get(from..).unwrap_or_default());
        (rest, format!("[{}]", shared.join(",")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_can_be_put_back_where_it_stood() {
        let body = r#"{"a":"ééé","b":"two","c":3}"#;
        let (first, second) = (body.find("\"ééé\"").unwrap(), body.find("\"two\"").unwrap());
        let mut cuts = Cuts::default();
        for (place, seq, start) in [(first..first + 8, 4, 70), (second..second + 5, 2, 9)] {
            cuts.bytes += place.len();
            cuts.places.push((place, seq, start));
        }
        let (rest, shared) = cuts.apply(body);
        assert_eq!(rest, r#"{"a":,"b":,"c":3}"#);
        assert_eq!(shared, "[[5,4,70,8],[10,2,9,5]]");
    }
}
