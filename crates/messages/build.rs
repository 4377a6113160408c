//! Packs the vocabularies of the tokenizers into the binary, from 47 MB to 4.5 MB.
//!
//! The tokenizer crate embeds them in their memory layout. Counting does not need the tokens' text, their hashes and
//! two of the three automata, so these are dropped; the table of pairs follows from the two parts of each token. The
//! rest is stored by weight (the lowest bytes of all numbers, then the second ones, and so on), which compresses best.
//! `src/tokens/unpack.rs` unpacks it. The cost: loading has to unpack, and a version of the crate with other parts
//! fails the build. Rebuilding everything from the tokens alone would need 2 MB, but more than a second at each start.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

use bpe_openai::byte_pair_encoding::BytePairEncoding;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Deserialize;

/// The serialized form of a vocabulary in the tokenizer crate.
#[derive(Deserialize)]
struct Vocabulary {
    #[expect(dead_code, reason = "never asked when tokens are counted")]
    all_tokens: Vec<u8>,
    token_starts: Vec<u32>,
    #[expect(dead_code, reason = "never asked when tokens are counted")]
    bytes_hash_to_token: BTreeMap<u32, u32>,
    split_table: Vec<(u32, u32)>,
    pair_lookup: BTreeMap<(u32, u32), u32>,
    #[serde(with = "serde_bytes")]
    longest_searcher: Vec<u8>,
    #[serde(with = "serde_bytes")]
    overlapping_searcher: Vec<u8>,
    #[serde(with = "serde_bytes")]
    overlapping_searcher_rev: Vec<u8>,
    next_prefix_match: Vec<u32>,
    hash_factor: u64,
}

/// Bytes of a number.
const NUMBER: usize = 4;
/// Bytes of one state of an automaton.
const STATE: usize = 12;

fn read(encoding: &BytePairEncoding) -> Result<Vocabulary, Box<dyn Error>> {
    Ok(rmp_serde::from_slice(&rmp_serde::to_vec(encoding)?)?)
}

/// The packed form before compression: the sizes, then one part after the other.
fn parts(whole: &Vocabulary, smallest: &Vocabulary) -> Result<Vec<u8>, Box<dyn Error>> {
    let searchers =
        [&whole.longest_searcher, &smallest.overlapping_searcher, &smallest.overlapping_searcher_rev];
    let lengths = whole.token_starts.windows(2).map(|ends| match ends {
        [start, end] => u8::try_from(end - start),
        _ => Ok(0),
    });
    let lengths = lengths.collect::<Result<Vec<u8>, _>>()?;
    let pairs = (0..).zip(&whole.split_table).filter(|(token, (left, _))| token != left);
    let told = pairs.map(|(token, pair)| (*pair, token)).collect::<BTreeMap<_, u32>>();
    if told != whole.pair_lookup {
        return Err("a pair makes another token than the one that is made of it".into());
    }
    if whole.token_starts.first() != Some(&0) {
        return Err("the first token does not begin where the text does".into());
    }
    if [whole.split_table.len(), whole.next_prefix_match.len()] != [lengths.len(); 2] {
        return Err("the parts are of different numbers of tokens".into());
    }
    let mut parts = Vec::new();
    for size in [lengths.len(), searchers[0].len(), searchers[1].len(), searchers[2].len()] {
        parts.extend(u32::try_from(size)?.to_le_bytes());
    }
    parts.extend(whole.hash_factor.to_le_bytes());
    parts.extend(lengths);
    by_weight(&mut parts, &bytes(whole.split_table.iter().map(|(left, _)| left)), NUMBER);
    by_weight(&mut parts, &bytes(whole.split_table.iter().map(|(_, right)| right)), NUMBER);
    by_weight(&mut parts, &bytes(whole.next_prefix_match.iter()), NUMBER);
    for searcher in searchers {
        by_weight(&mut parts, searcher, STATE);
    }
    Ok(parts)
}

fn bytes<'a>(numbers: impl Iterator<Item = &'a u32>) -> Vec<u8> {
    numbers.flat_map(|number| number.to_le_bytes()).collect()
}

/// Appends the first byte of each piece, then the second ones, and so on.
fn by_weight(parts: &mut Vec<u8>, pieces: &[u8], size: usize) {
    for weight in 0..size {
        parts.extend(pieces.iter().skip(weight).step_by(size));
    }
}

#[expect(clippy::disallowed_methods, reason = "a build script is told its folder by the environment")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo names the folder")?);
    let smallest = read(&BytePairEncoding::from_dictionary([vec![b'a']], None))?;
    let vocabularies = [("o200k_base", bpe_openai::o200k_base()), ("cl100k_base", bpe_openai::cl100k_base())];
    for (name, tokenizer) in vocabularies {
        let parts = parts(&read(&tokenizer.bpe)?, &smallest)?;
        let mut file = File::create(folder.join(name))?;
        file.write_all(&u32::try_from(parts.len())?.to_le_bytes())?;
        let mut packed = ZlibEncoder::new(file, Compression::best());
        packed.write_all(&parts)?;
        packed.finish()?;
    }
    Ok(())
}
