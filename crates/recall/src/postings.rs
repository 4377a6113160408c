//! Postings: the binary format of the recall index, encoded and decoded.
//!
//! A session's messages are indexed in chunks of [`CHUNK`] messages. A chunk's terms are distributed over 256
//! buckets by their hash. A bucket is a sequence of segments, one for each run of the indexer, so that a run appends
//! without reading earlier segments. A query reads one bucket for each term and chunk. A chunk's directory (the
//! lengths of its messages) is a sequence of segments too.
//!
//! - Segment of a bucket: first seq, byte length, terms.
//! - Term: its 32 bits within the bucket (little-endian), byte length of its postings, postings.
//! - Posting: distance from the previous seq; a byte with two flags and the count of occurrences in speech (6 bits); if
//!   the flag `SHOWN` is set, a byte with the count of occurrences in tool calls and outputs.
//! - Segment of a directory: first seq, byte length, and for each message two word counts: of speech, and of tool calls
//!   and outputs.
//!
//! All other numbers are LEB128 varints.

use std::collections::{BTreeMap, HashMap};

use super::analyze::{Document, Frequencies, Term};
use super::rank::Matches;
use anchord_messages::id::Seq;

/// How many messages a chunk has.
pub const CHUNK: Seq = 1_024;

/// The chunk that a message is in, from 0.
pub fn chunk_of(seq: Seq) -> Seq {
    (seq - 1) / CHUNK
}

/// Flag of a posting: the term is in the speaker's name.
const SPEAKER: u8 = 0x80;
/// Flag of a posting: a byte follows with the occurrences in tool calls and outputs.
const SHOWN: u8 = 0x40;

/// The bytes were not written by [`encode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the postings do not parse")]
pub struct Corrupt;

/// The encoded segments of consecutive messages of one chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segments {
    /// The directory's segment: the lengths of the messages.
    pub directory: Vec<u8>,
    /// The segment of each bucket that has postings, in the order of the buckets.
    pub buckets: Vec<(u8, Vec<u8>)>,
}

/// Encodes consecutive messages of one chunk; `first` is the seq of the first one.
pub fn encode(first: Seq, documents: &[Document]) -> Segments {
    let mut lengths = Vec::with_capacity(documents.len() * 2);
    let mut all = Vec::with_capacity(documents.iter().map(|document| document.terms.len()).sum());
    for (at, document) in (0_u64..).zip(documents) {
        write(&mut lengths, document.said.into());
        write(&mut lengths, document.shown.into());
        all.extend(document.terms.iter().map(|(term, frequencies)| (*term, at, *frequencies)));
    }
    // Each document's terms are sorted already, which a stable sort uses; it keeps a term's documents in order.
    all.sort_by_key(|(term, ..)| *term);
    let (mut bodies, mut list): (Vec<(u8, Vec<u8>)>, Vec<u8>) = (Vec::new(), Vec::new());
    for of_term in all.chunk_by(|(one, ..), (next, ..)| one == next) {
        let Some((term, ..)) = of_term.first() else { continue };
        let mut before = 0;
        for (_, at, frequencies) in of_term {
            write(&mut list, at - before);
            before = *at;
            let mut head = frequencies.said.min(Frequencies::MOST_SAID);
            head |= if frequencies.speaker { SPEAKER } else { 0 };
            head |= if frequencies.shown > 0 { SHOWN } else { 0 };
            list.push(head);
            if frequencies.shown > 0 {
                list.push(frequencies.shown);
            }
        }
        // Terms sort by bucket first, so a new bucket follows the last one.
        if bodies.last().is_none_or(|(bucket, _)| *bucket != term.bucket()) {
            bodies.push((term.bucket(), Vec::new()));
        }
        if let Some((_, body)) = bodies.last_mut() {
            body.extend(term.rest().to_le_bytes());
            write(body, length(&list));
            body.append(&mut list);
        }
    }
    let segment = |body: Vec<u8>| {
        let mut segment = Vec::with_capacity(body.len() + 8);
        write(&mut segment, first.unsigned_abs());
        write(&mut segment, length(&body));
        segment.extend(body);
        segment
    };
    Segments {
        directory: segment(lengths),
        buckets: bodies.into_iter().map(|(bucket, body)| (bucket, segment(body))).collect(),
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// Adds a chunk's message lengths to the matches.
pub fn read_directory(bytes: &[u8], matches: &mut Matches) -> Result<(), Corrupt> {
    each_segment(bytes, |first, mut body| {
        let mut seq = first;
        while !body.is_empty() {
            let said = u32::try_from(read(&mut body)?).map_err(|_| Corrupt)?;
            let shown = u32::try_from(read(&mut body)?).map_err(|_| Corrupt)?;
            matches.length(seq, said, shown);
            seq += 1;
        }
        Ok(())
    })
}

/// Groups terms by bucket.
pub fn by_bucket(terms: &[Term]) -> BTreeMap<u8, Vec<Term>> {
    let mut buckets: BTreeMap<u8, Vec<Term>> = BTreeMap::new();
    for term in terms {
        buckets.entry(term.bucket()).or_default().push(*term);
    }
    buckets
}

/// Adds the postings of the wanted terms of a bucket to the matches.
pub fn read_bucket(bytes: &[u8], wanted: &[Term], matches: &mut Matches) -> Result<(), Corrupt> {
    let rests: HashMap<u32, Term> = wanted.iter().map(|t| (t.rest(), *t)).collect();
    each_segment(bytes, |first, mut body| {
        while !body.is_empty() {
            let rest = u32::from_le_bytes(take(&mut body, 4)?.try_into().map_err(|_| Corrupt)?);
            let length = usize::try_from(read(&mut body)?).map_err(|_| Corrupt)?;
            let mut list = take(&mut body, length)?;
            let Some(term) = rests.get(&rest) else { continue };
            let mut seq = first;
            while !list.is_empty() {
                let step = Seq::try_from(read(&mut list)?).map_err(|_| Corrupt)?;
                seq = seq.checked_add(step).ok_or(Corrupt)?;
                let head = byte(&mut list)?;
                let shown = if head & SHOWN == 0 { 0 } else { byte(&mut list)? };
                let said = head & Frequencies::MOST_SAID;
                matches.occurrence(*term, seq, Frequencies { said, shown, speaker: head & SPEAKER != 0 });
            }
        }
        Ok(())
    })
}

fn each_segment(
    mut bytes: &[u8],
    mut visit: impl FnMut(Seq, &[u8]) -> Result<(), Corrupt>,
) -> Result<(), Corrupt> {
    while !bytes.is_empty() {
        let first = Seq::try_from(read(&mut bytes)?).map_err(|_| Corrupt)?;
        let length = usize::try_from(read(&mut bytes)?).map_err(|_| Corrupt)?;
        visit(first, take(&mut bytes, length)?)?;
    }
    Ok(())
}

fn write(to: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = (number & 0x7F).to_le_bytes();
        number >>= 7;
        if number == 0 {
            to.push(low);
            return;
        }
        to.push(low | 0x80);
    }
}

fn read(from: &mut &[u8]) -> Result<u64, Corrupt> {
    let mut number = 0_u64;
    for shift in (0..63).step_by(7) {
        let next = byte(from)?;
        number |= u64::from(next & 0x7F) << shift;
        if next & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Corrupt)
}

fn byte(from: &mut &[u8]) -> Result<u8, Corrupt> {
    let (first, rest) = from.split_first().ok_or(Corrupt)?;
    *from = rest;
    Ok(*first)
}

fn take<'b>(from: &mut &'b [u8], length: usize) -> Result<&'b [u8], Corrupt> {
    let (taken, rest) = from.split_at_checked(length).ok_or(Corrupt)?;
    *from = rest;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::{Query, analyze};
    use anchord_messages::message::{Message, Part, Role};

    fn document(text: &str) -> Document {
        let parts = vec![Part::Text(text.to_owned()), Part::Thinking(thinking(text))];
        analyze(&Message { role: Role::User, name: Some("Ada".to_owned()), parts })
    }

    fn thinking(text: &str) -> anchord_messages::message::Thinking {
        anchord_messages::message::Thinking { text: text.to_owned(), signature: None, redacted: None }
    }

    fn read_all(query: &Arc<Query>, parts: &[Segments]) -> Matches {
        let mut matches = Matches::new(query.clone());
        let wanted = by_bucket(&query.terms());
        for part in parts {
            read_directory(&part.directory, &mut matches).unwrap();
        }
        for (bucket, terms) in &wanted {
            // The segments of one bucket are one value in the index.
            let joined: Vec<u8> = parts
                .iter()
                .flat_map(|p| &p.buckets)
                .filter(|b| b.0 == *bucket)
                .flat_map(|b| b.1.clone())
                .collect();
            read_bucket(&joined, terms, &mut matches).unwrap();
        }
        matches
    }

    proptest! {
        #[test]
        fn what_is_read_back_ranks_as_what_was_scanned(
            texts in prop::collection::vec("(crane|boat|red|blue|a/b_c\\.rs|起重机|x){0,12}( crane| boat){0,3}", 1..30),
            cut in 0_usize..30,
        ) {
            let query = Arc::new(Query::parse("the red crane in a/b_c.rs, 起重机, Ada").unwrap());
            let documents: Vec<Document> = texts.iter().map(|t| document(t)).collect();
            let mut scanned = Matches::new(query.clone());
            for (seq, document) in (1..).zip(&documents) {
                scanned.document(seq, document);
            }
            let (one, two) = documents.split_at(cut.min(documents.len()));
            let second = Seq::try_from(one.len()).unwrap() + 1;
            let indexed = read_all(&query, &[encode(1, one), encode(second, two)]);
            prop_assert_eq!(indexed.rank(100), scanned.rank(100));
        }

        #[test]
        fn broken_bytes_are_refused_or_read_but_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let query = Arc::new(Query::parse("crane").unwrap());
            let mut matches = Matches::new(query.clone());
            let _ = read_directory(&bytes, &mut matches);
            let _ = read_bucket(&bytes, &query.terms(), &mut matches);
            prop_assert!(matches.rank(10).len() <= 10);
        }
    }

    #[test]
    fn a_cut_segment_is_corrupt() {
        let Segments { directory, buckets } = encode(1, &[document("crane"), document("boat")]);
        let query = Arc::new(Query::parse("crane").unwrap());
        for bytes in std::iter::once(&directory).chain(buckets.iter().map(|b| &b.1)) {
            let cut = &bytes[..bytes.len() - 1];
            assert_eq!(read_bucket(cut, &query.terms(), &mut Matches::new(query.clone())), Err(Corrupt));
        }
    }

    #[test]
    fn chunks_are_numbered_from_the_first_message() {
        assert_eq!((chunk_of(1), chunk_of(CHUNK), chunk_of(CHUNK + 1)), (0, 0, 1));
    }
}
