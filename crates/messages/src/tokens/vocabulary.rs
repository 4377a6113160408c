//! The vocabularies, unpacked once from the bytes that `build.rs` packs.

use std::sync::LazyLock;

use bpe_openai::Tokenizer;

use super::unpack;

/// The vocabulary of newer models.
pub(super) fn o200k() -> &'static Tokenizer {
    // In a debug build, unpacking takes two seconds in every process that a test starts.
    if cfg!(debug_assertions) { bpe_openai::o200k_base() } else { &O200K }
}

/// The vocabulary of older models.
pub(super) fn cl100k() -> &'static Tokenizer {
    if cfg!(debug_assertions) { bpe_openai::cl100k_base() } else { &CL100K }
}

static O200K: LazyLock<Tokenizer> = LazyLock::new(|| {
    load(
        include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base")),
        concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+$",
        ),
    )
});

static CL100K: LazyLock<Tokenizer> = LazyLock::new(|| {
    load(
        include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base")),
        concat!(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|",
            r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+$",
        ),
    )
});

/// The published pattern without its look-ahead, which linear-time patterns do not support. It makes white space before
/// a word leave its last character to the word; here a second pattern matches that character too.
#[expect(clippy::expect_used, reason = "both come from the build, and any test of counting reads them")]
fn load(packed: &[u8], pattern: &str) -> Tokenizer {
    let bpe = unpack::vocabulary(packed).expect("the build packed the vocabulary");
    let patterns = [(pattern, false), (r"\s+\s", true), (r"\s+", false)];
    Tokenizer::new_lookahead(bpe, &patterns, false).expect("the vocabulary's pattern is one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_cuts_and_counts_as_the_whole_vocabulary() {
        let texts = [
            include_str!("samples/typescript.txt"),
            include_str!("samples/chinese.txt"),
            include_str!("samples/arabic.txt"),
            "Ошибка: файл не найден\n\tconst x = 0xDEADBEEF; // 日本語のコメント  \r\n\r\n한국어 🦀🦀 café naïve\u{301} it's WE'LL",
            " 1234567 %%%%---- \n    \n\n  end \u{3000}\u{a0} ǅungla I'ſ don'T //\r\n/ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ];
        for (packed, whole) in [(&*O200K, bpe_openai::o200k_base()), (&*CL100K, bpe_openai::cl100k_base())] {
            assert_eq!(packed.bpe.num_tokens(), whole.bpe.num_tokens());
            for text in texts {
                assert!(packed.split(text).eq(whole.split(text)), "{text:.40}");
                assert_eq!(packed.encode(text), whole.encode(text), "{text:.40}");
            }
        }
    }
}
