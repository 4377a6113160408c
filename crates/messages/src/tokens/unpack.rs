//! Unpacks a vocabulary from the form that `build.rs` packs.
//!
//! The tokenizer crate can only deserialize a vocabulary. So this module is a deserializer that produces each part when
//! the crate asks for it. The unpacked bytes are in mapped memory and not on the heap: the heap would not shrink
//! afterwards, because long-lived allocations follow directly behind. That kept 4 MB in an idle process, 8 MB with
//! both vocabularies.

use std::io::Read as _;
use std::iter;

use bpe_openai::byte_pair_encoding::BytePairEncoding;
use flate2::bufread::ZlibDecoder;
use memmap2::MmapMut;
use serde::Deserialize as _;
use serde::de::value::{BytesDeserializer, Error, MapDeserializer, SeqAccessDeserializer, SeqDeserializer};
use serde::de::{DeserializeSeed, Error as _, IntoDeserializer as _, SeqAccess};

/// Bytes of one state of an automaton.
const STATE: usize = 12;

/// Unpacks a vocabulary.
///
/// # Errors
/// When the bytes do not have the packed form.
pub(super) fn vocabulary(packed: &[u8]) -> Result<BytePairEncoding, Error> {
    let mut packed = Bytes(packed);
    let mut unpacked = room(packed.size()?)?;
    ZlibDecoder::new(packed.0).read_exact(&mut unpacked).map_err(Error::custom)?;
    BytePairEncoding::deserialize(SeqAccessDeserializer::new(Parts::of(Bytes(&unpacked))?))
}

/// Mapped memory, which returns to the system when it is dropped.
fn room(size: usize) -> Result<MmapMut, Error> {
    MmapMut::map_anon(size).map_err(Error::custom)
}

/// The packed bytes that are not read yet.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, size: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(size).ok_or_else(|| Error::custom("it ends early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn take_array<const SIZE: usize>(&mut self) -> Result<[u8; SIZE], Error> {
        self.take(SIZE)?.try_into().map_err(Error::custom)
    }

    fn size(&mut self) -> Result<usize, Error> {
        usize::try_from(u32::from_le_bytes(self.take_array()?)).map_err(Error::custom)
    }

    fn numbers(&mut self, count: usize) -> Result<Numbers<'a>, Error> {
        Ok(Numbers([self.take(count)?, self.take(count)?, self.take(count)?, self.take(count)?]))
    }
}

/// Numbers stored by weight: the lowest bytes of all numbers, then the second ones, and so on.
#[derive(Clone, Copy)]
struct Numbers<'a>([&'a [u8]; 4]);

impl<'a> Numbers<'a> {
    fn iter(self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let [lowest, low, high, highest] = self.0;
        let bytes = lowest.iter().zip(low).zip(high).zip(highest);
        bytes.map(|(((lowest, low), high), highest)| u32::from_le_bytes([*lowest, *low, *high, *highest]))
    }
}

/// The parts of a vocabulary, in the order in which the tokenizer crate asks for them.
struct Parts<'a> {
    next: usize,
    lengths: &'a [u8],
    lefts: Numbers<'a>,
    rights: Numbers<'a>,
    prefixes: Numbers<'a>,
    /// The automata, the bytes of their states stored by weight.
    searchers: [&'a [u8]; 3],
    hash_factor: u64,
}

impl<'a> Parts<'a> {
    fn of(mut bytes: Bytes<'a>) -> Result<Self, Error> {
        let (count, searchers) = (bytes.size()?, [bytes.size()?, bytes.size()?, bytes.size()?]);
        let hash_factor = u64::from_le_bytes(bytes.take_array()?);
        let lengths = bytes.take(count)?;
        let (lefts, rights) = (bytes.numbers(count)?, bytes.numbers(count)?);
        let prefixes = bytes.numbers(count)?;
        let [first, second, third] = searchers;
        let searchers = [bytes.take(first)?, bytes.take(second)?, bytes.take(third)?];
        Ok(Self { next: 0, lengths, lefts, rights, prefixes, searchers, hash_factor })
    }

    /// The offset of each token in the text of all tokens, and the text's end.
    fn starts(&self) -> impl Iterator<Item = u32> {
        let ends = self.lengths.iter().scan(0, |end, length| {
            *end += u32::from(*length);
            Some(*end)
        });
        iter::once(0).chain(ends)
    }

    /// The two tokens of which each token consists; a token without parts refers to itself.
    fn splits(&self) -> impl Iterator<Item = (u32, u32)> {
        self.lefts.iter().zip(self.rights.iter())
    }

    /// The token that two tokens form.
    fn pairs(&self) -> impl Iterator<Item = (SeqDeserializer<std::array::IntoIter<u32, 2>, Error>, u32)> {
        let made = (0..).zip(self.splits()).filter(|(token, (left, _))| token != left);
        made.map(|(token, (left, right))| (SeqDeserializer::new([left, right].into_iter()), token))
    }
}

/// An automaton with consecutive states, from states stored by weight.
fn searcher(by_weight: &[u8]) -> Result<MmapMut, Error> {
    let mut states = room(by_weight.len())?;
    let mut bytes = by_weight.iter();
    for at in 0..STATE {
        for (to, from) in states.iter_mut().skip(at).step_by(STATE).zip(&mut bytes) {
            *to = *from;
        }
    }
    Ok(states)
}

impl<'de> SeqAccess<'de> for Parts<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let at = self.next;
        self.next += 1;
        let [longest, overlapping, backwards] = self.searchers;
        let part = match at {
            // The text of the tokens, which counting does not need.
            0 => seed.deserialize(SeqDeserializer::new(iter::empty::<u8>())),
            1 => seed.deserialize(SeqDeserializer::new(self.starts())),
            // The tokens by hash, which counting does not need either.
            2 => seed.deserialize(MapDeserializer::new(iter::empty::<(u32, u32)>())),
            3 => seed.deserialize(MapDeserializer::new(self.splits())),
            4 => seed.deserialize(MapDeserializer::new(self.pairs())),
            5 => seed.deserialize(BytesDeserializer::new(&searcher(longest)?)),
            6 => seed.deserialize(BytesDeserializer::new(&searcher(overlapping)?)),
            7 => seed.deserialize(BytesDeserializer::new(&searcher(backwards)?)),
            8 => seed.deserialize(SeqDeserializer::new(self.prefixes.iter())),
            9 => seed.deserialize(self.hash_factor.into_deserializer()),
            _ => return Ok(None),
        };
        part.map(Some)
    }
}
