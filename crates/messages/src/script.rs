//! The script (writing system) of a character, as far as it decides where words begin and end.

use unicode_script::{Script as Unicode, UnicodeScript as _};

/// The first character of any script but `Other`; characters below need no table lookup.
const FIRST: char = '\u{0E00}';

/// Unicode's scripts that matter here.
const SCRIPTS: [(Unicode, Script); 8] = [
    (Unicode::Han, Script::Han),
    (Unicode::Hiragana, Script::Kana),
    (Unicode::Katakana, Script::Kana),
    (Unicode::Thai, Script::Indochinese),
    (Unicode::Lao, Script::Indochinese),
    (Unicode::Khmer, Script::Indochinese),
    (Unicode::Myanmar, Script::Indochinese),
    (Unicode::Hangul, Script::Hangul),
];

/// The script of a letter or mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Chinese characters, which Japanese uses too, among kana.
    Han,
    /// The syllables that only Japanese uses.
    Kana,
    /// Thai, Lao, Khmer, Burmese.
    Indochinese,
    /// Korean, which has spaces, and particles at the ends of its words.
    Hangul,
    /// Any other script, and characters that are not letters.
    Other,
}

impl Script {
    /// The script of a character.
    pub fn of(c: char) -> Self {
        if c < FIRST {
            return Self::Other;
        }
        let script = c.script();
        if matches!(script, Unicode::Common | Unicode::Inherited) {
            return if is_of_kana(c) { Self::Kana } else { Self::Other };
        }
        SCRIPTS.iter().find(|(one, _)| *one == script).map_or(Self::Other, |(_, script)| *script)
    }
}

/// Whether a character that several scripts share is a letter or mark of kana, such as `ー`, and not punctuation.
fn is_of_kana(c: char) -> bool {
    let shared = c.script_extension();
    (c.script() == Unicode::Inherited || c.is_alphabetic())
        && !(shared.is_common() || shared.is_inherited())
        && shared.contains_script(Unicode::Katakana)
}

/// Whether a character is of a script without spaces between words, in which each character may be a word.
pub fn is_spaceless(c: char) -> bool {
    matches!(Script::of(c), Script::Han | Script::Kana | Script::Indochinese)
}

/// Whether a text is Chinese, judged by the first of its characters in scripts without spaces; Latin letters between
/// them do not count. Together with kana, Chinese characters are Japanese.
pub fn is_chinese(text: &str) -> bool {
    /// With this many Chinese characters to one kana, the kana is a quotation.
    const HAN_FOR_KANA: usize = 4;
    const READ: usize = 2_000;
    let (mut han, mut kana) = (0, 0);
    for script in text.chars().filter(|c| *c >= FIRST).take(READ).map(Script::of) {
        han += usize::from(script == Script::Han);
        kana += usize::from(script == Script::Kana);
    }
    han > kana * HAN_FOR_KANA
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::chinese("登录〇々㐀𠀀")]
    #[case::japanese("クレーンはのｶﾞ\u{3099}")]
    #[case::thai("สวัสดี")]
    #[case::lao("ສະບາຍດີ")]
    #[case::khmer("សួស្តី")]
    #[case::burmese("မင်္ဂလာပါ")]
    fn these_scripts_have_no_spaces(#[case] text: &str) {
        assert!(text.chars().all(is_spaceless), "{text}");
    }

    #[rstest]
    #[case::latin("aé1_")]
    #[case::cyrillic("я")]
    #[case::korean("회의록")]
    #[case::devanagari("हिन्दी")]
    #[case::punctuation("。，、！「」・ \u{3000}")]
    #[case::signs("→🏗…ⓐ𝐀")]
    fn others_have_them_and_signs_belong_to_none(#[case] text: &str) {
        assert!(!text.chars().any(is_spaceless), "{text}");
    }

    #[rstest]
    #[case("不要改 src/ledger/constraints.rs", true)]
    #[case("他的笔名叫“の”，请写进文档", true)]
    #[case("テストは必ず実行してください", false)]
    #[case("회의록", false)]
    #[case("Никогда", false)]
    #[case("plain", false)]
    #[case("“naïve”", false)]
    fn chinese_has_next_to_no_kana(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(is_chinese(text), expected, "{text}");
    }
}
