//! The vocabularies, as `build.rs` packs them.

use std::io::BufReader;
use std::sync::LazyLock;

use bpe_openai::Tokenizer;
use bpe_openai::byte_pair_encoding::BytePairEncoding;
use flate2::bufread::ZlibDecoder;

/// What is unpacked at a time.
const UNPACKED_BYTES: usize = 64 * 1024;

/// The vocabulary of newer models.
pub(super) static O200K: LazyLock<Tokenizer> = LazyLock::new(|| {
    load(
        include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base")),
        concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+$",
        ),
    )
});

/// The vocabulary of older models.
pub(super) static CL100K: LazyLock<Tokenizer> = LazyLock::new(|| {
    load(
        include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base")),
        concat!(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|",
            r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+$",
        ),
    )
});

/// The pattern is the published one but for its look-ahead, which linear time does not have: white space
/// that a word follows leaves its last sign to it, and a second pattern takes that sign in to see it.
#[expect(clippy::expect_used, reason = "both come from the build, and any test of counting reads them")]
fn load(packed: &[u8], pattern: &str) -> Tokenizer {
    // It is read number by number.
    let unpacked = BufReader::with_capacity(UNPACKED_BYTES, ZlibDecoder::new(packed));
    let bpe: BytePairEncoding = rmp_serde::from_read(unpacked).expect("the build packed the vocabulary");
    let patterns = [(pattern, false), (r"\s+\s", true), (r"\s+", false)];
    Tokenizer::new_lookahead(bpe, &patterns, false).expect("the vocabulary's pattern is one")
}
