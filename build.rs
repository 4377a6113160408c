//! Packs the vocabularies that tokens are counted with.
//!
//! The crate that counts carries them as they lie in memory: 47 MB, of which two of three automata, the
//! tokens themselves and their hashes are for other ways to encode and never asked when tokens are counted.
//! What is left is a quarter of that when it is packed, and takes less than half the memory when it is loaded.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::path::PathBuf;

use bpe_openai::byte_pair_encoding::BytePairEncoding;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize, Serializer};

/// A vocabulary, as its crate writes and reads it.
#[derive(Serialize, Deserialize)]
struct Vocabulary {
    all_tokens: Vec<u8>,
    token_starts: Vec<u32>,
    #[serde(serialize_with = "by_token")]
    bytes_hash_to_token: BTreeMap<u32, u32>,
    split_table: Vec<(u32, u32)>,
    #[serde(serialize_with = "by_token")]
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

/// In the order of the tokens: numbers that ascend pack best.
fn by_token<K: Serialize, S: Serializer>(map: &BTreeMap<K, u32>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut entries: Vec<(&K, &u32)> = map.iter().collect();
    entries.sort_unstable_by_key(|(_, token)| **token);
    serializer.collect_map(entries)
}

fn read(encoding: &BytePairEncoding) -> Result<Vocabulary, Box<dyn Error>> {
    Ok(rmp_serde::from_slice(&rmp_serde::to_vec(encoding)?)?)
}

#[expect(clippy::disallowed_methods, reason = "a build script is told its folder by the environment")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo names the folder")?);
    let smallest = read(&BytePairEncoding::from_dictionary([vec![b'a']], None))?;
    let vocabularies = [("o200k_base", bpe_openai::o200k_base()), ("cl100k_base", bpe_openai::cl100k_base())];
    for (name, tokenizer) in vocabularies {
        let mut vocabulary = read(&tokenizer.bpe)?;
        vocabulary.overlapping_searcher.clone_from(&smallest.overlapping_searcher);
        vocabulary.overlapping_searcher_rev.clone_from(&smallest.overlapping_searcher_rev);
        vocabulary.all_tokens.clear();
        vocabulary.bytes_hash_to_token.clear();
        let mut packed = ZlibEncoder::new(File::create(folder.join(name))?, Compression::best());
        rmp_serde::encode::write(&mut packed, &vocabulary)?;
        packed.finish()?;
    }
    Ok(())
}
