use super::*;
use crate::message::Role;

const ENGLISH: &str = include_str!("samples/english.txt");
const RUST: &str = include_str!("samples/rust.txt");
const PYTHON: &str = include_str!("samples/python.txt");
const TYPESCRIPT: &str = include_str!("samples/typescript.txt");
const CHINESE: &str = include_str!("samples/chinese.txt");

const MIXED: &str = "Ошибка: файл не найден\n\tconst x = 0xDEADBEEF; // 日本語のコメント  \r\n\r\n한국어 텍스트 🦀🦀 café naïve\u{301} it's WE'LL 1234567 %%%%---- \n    \n\n  end";

#[test]
fn texts_count_as_the_reference_counts_them() {
    let o200k = tiktoken_rs::o200k_base().unwrap();
    let cl100k = tiktoken_rs::cl100k_base().unwrap();
    for text in [ENGLISH, RUST, PYTHON, TYPESCRIPT, CHINESE, MIXED, "", " ", "\n", "a"] {
        let ours = TokenCounter::new(Tokenizer::O200kBase).count_text(text);
        assert_eq!(ours as usize, o200k.encode_ordinary(text).len(), "o200k on {text:.40}");
        let ours = TokenCounter::new(Tokenizer::Cl100kBase).count_text(text);
        assert_eq!(ours as usize, cl100k.encode_ordinary(text).len(), "cl100k on {text:.40}");
    }
}

#[test]
fn an_image_never_counts_as_text() {
    let image = |data: String, detail: Option<&str>| {
        Part::Image(Image {
            media_type: Some("image/png".to_owned()),
            source: MediaSource::Base64(data),
            detail: detail.map(str::to_owned),
        })
    };
    let counter = TokenCounter::default();
    assert_eq!(counter.count_part(&image("A".repeat(4_000_000), None)), UNKNOWN_IMAGE_TOKENS);
    assert_eq!(counter.count_part(&image("A".repeat(4_000_000), Some("low"))), 85);
    // The first bytes of a PNG of 1,024 × 1,024: four tiles.
    assert_eq!(
        counter.count_part(&image("iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAYAAAB/HSuD".to_owned(), None)),
        85 + 4 * 170
    );
    let other = Part::Other(format!("{{\"type\":\"x\",\"data\":\"{}\"}}", "Ab9+".repeat(500_000)));
    assert!(counter.count_part(&other) < 60_000);
}

#[test]
fn tiles_follow_the_scaled_size() {
    assert_eq!(tiles(512, 512), 1);
    assert_eq!(tiles(1_024, 1_024), 4);
    assert_eq!(tiles(4_096, 8_192), 6);
    assert_eq!(tiles(1, u32::MAX), 4);
    assert_eq!(tiles(u32::MAX, u32::MAX), 4);
}

#[test]
fn sizes_are_read_from_the_headers_of_common_pictures() {
    use base64::Engine as _;
    let encode = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    let gif = [b"GIF89a".as_slice(), &[0x20, 0x03, 0x58, 0x02], &[0; 20]].concat();
    assert_eq!(picture::size(&encode(&gif)), Some((800, 600)));
    let jpeg = [
        [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x04, 0, 0].as_slice(),
        &[0xFF, 0xC0, 0x00, 0x11, 8, 0x02, 0x58, 0x03, 0x20, 3],
        &[0; 12],
    ]
    .concat();
    assert_eq!(picture::size(&encode(&jpeg)), Some((800, 600)));
    let webp =
        [b"RIFF\0\0\0\0WEBPVP8X".as_slice(), &[10, 0, 0, 0, 0, 0, 0, 0], &[0x1F, 0x03, 0, 0x57, 0x02, 0]]
            .concat();
    assert_eq!(picture::size(&encode(&webp)), Some((800, 600)));
    for broken in ["", "!!!!", "/9j/", "/9j/4AAQ", "iVBORw0KGgo="] {
        assert_eq!(picture::size(broken), None);
    }
    // Segments without a length, thousands of them, and none that says a size.
    assert_eq!(picture::size(&encode(&[0xFF, 0xD8].repeat(500_000))), None);
    assert_eq!(
        picture::size(&encode(&[[0xFF, 0xD8].as_slice(), &[0xFF, 0xE0, 0, 0].repeat(250_000)].concat())),
        None
    );
}

/// They are in the database and in the API.
#[test]
fn tokenizers_keep_their_words() {
    let all = [
        (Tokenizer::O200kBase, "o200k_base"),
        (Tokenizer::Cl100kBase, "cl100k_base"),
        (Tokenizer::Estimate, "estimate"),
    ];
    for (tokenizer, word) in all {
        assert_eq!(tokenizer.as_ref(), word);
        assert_eq!(word.parse::<Tokenizer>().ok(), Some(tokenizer));
        assert_eq!(serde_json::to_value(tokenizer).unwrap(), word);
    }
    assert_eq!("O200kBase".parse::<Tokenizer>().ok(), None);
}

#[test]
fn a_message_counts_as_the_sum_of_its_parts() {
    let counter = TokenCounter::default();
    let parts = vec![Part::Text(ENGLISH.to_owned()), Part::Text("two".to_owned())];
    let message = Message { role: Role::User, name: Some("ann".to_owned()), parts };
    let expected = MESSAGE_TOKENS
        + 1
        + counter.count_text("ann")
        + counter.count_text(ENGLISH)
        + counter.count_text("two");
    assert_eq!(counter.count_message(&message), expected);
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_a_picture_or_none(
        head in proptest::sample::select(vec![
            b"\x89PNG\r\n\x1a\n".as_slice(), b"GIF89a", b"RIFF\0\0\0\0WEBPVP8X", b"RIFF\0\0\0\0WEBPVP8L", b"\xff\xd8\xff", b"BM",
        ]),
        rest in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80),
    ) {
        use base64::Engine as _;
        let data = base64::engine::general_purpose::STANDARD.encode([head, &rest].concat());
        let size = picture::size(&data);
        proptest::prop_assert!(size.is_none_or(|(width, height)| width > 0 && height > 0));
        proptest::prop_assert!(head != b"BM" || size.is_none(), "no bitmaps");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 3_000, ..Default::default() })]

    #[test]
    fn any_text_counts_as_the_vocabulary_counts_it(
        text in proptest::string::string_regex(
            "([ \\t\\r\\n\\x0b\\x0c]{1,3}|[a-zA-Z]{1,6}|[0-9]{1,5}|'([sS]|ll|RE|ve|ſ|d|x)|[-/'%$(.,\\x00\\x1c\\x7f]{1,4}|[éßÉǅ中文日本ｱ\u{301}٣½€…“ \u{3000}\u{85}🦀K])*"
        ).unwrap()
    ) {
        let o200k = TokenCounter::new(Tokenizer::O200kBase).count_text(&text) as usize;
        proptest::prop_assert_eq!(o200k, bpe_openai::o200k_base().count(&text));
        let cl100k = TokenCounter::new(Tokenizer::Cl100kBase).count_text(&text) as usize;
        proptest::prop_assert_eq!(cl100k, bpe_openai::cl100k_base().count(&text));
    }
}

#[test]
fn a_very_long_piece_counts_as_its_parts_do() {
    for repeated in ["-", "-=+", "a"] {
        let text = repeated.repeat(64 * 1024 / repeated.len());
        let counter = TokenCounter::new(Tokenizer::O200kBase);
        let whole = pieces::o200k().count_whole(&text);
        let tokens = usize::try_from(counter.count_text(&text)).unwrap();
        assert!(tokens >= whole && tokens <= whole + text.len() / 1024, "{repeated}: {tokens} for {whole}");
    }
}

/// Texts whose pieces or runs are as long as the text. Counting one took time by the square of its length when a run was
/// read again for each of its pieces: 256 KiB of digits took minutes.
#[rstest::rstest]
#[case("1")]
#[case("-")]
#[case("-=")]
#[case("a")]
#[case("aB")]
#[case(" ")]
#[case("\n ")]
#[case("\u{3000}")]
#[case("é1")]
#[case("1é")]
#[case("漢")]
#[case("a\u{301}")]
#[case("'")]
#[case("'s'S'")]
#[case("\0")]
#[case("🦀")]
fn a_hostile_text_is_counted_in_time(#[case] repeated: &str) {
    let text = repeated.repeat(256 * 1024 / repeated.len());
    for tokenizer in [Tokenizer::O200kBase, Tokenizer::Cl100kBase, Tokenizer::Estimate] {
        let counter = TokenCounter::new(tokenizer);
        counter.load();
        let begun = std::time::Instant::now();
        assert!(counter.count_text(&text) > 0);
        assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{tokenizer:?}: {:?}", begun.elapsed());
    }
}
