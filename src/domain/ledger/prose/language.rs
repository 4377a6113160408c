//! Which language a text is in, among those whose marker phrases are known.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use fnv::FnvHasher;

/// A language with marker tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// English, and every language without a table.
    English,
    /// Chinese.
    Chinese,
    /// Japanese.
    Japanese,
    /// Russian.
    Russian,
    /// French.
    French,
    /// German.
    German,
    /// Spanish.
    Spanish,
    /// Portuguese.
    Portuguese,
    /// Italian.
    Italian,
    /// Korean.
    Korean,
}

const FRENCH: &[&str] = &[
    "le",
    "la",
    "de",
    "les",
    "des",
    "une",
    "est",
    "et",
    "je",
    "tu",
    "nous",
    "vous",
    "pas",
    "ne",
    "que",
    "qui",
    "dans",
    "pour",
    "sur",
    "avec",
    "sans",
    "ce",
    "cette",
    "au",
    "aux",
    "du",
    "il",
    "faut",
    "doit",
    "sont",
    "mais",
    "plus",
    "fait",
    "être",
    "uniquement",
    "jamais",
    "toujours",
    "un",
    "à",
    "par",
    "ça",
    "c'est",
    "j'ai",
    "leur",
    "votre",
    "notre",
];
const GERMAN: &[&str] = &[
    "der", "die", "das", "und", "ist", "nicht", "ein", "eine", "einen", "wir", "ich", "sie", "mit", "für",
    "auf", "den", "dem", "zu", "bitte", "nur", "auch", "werden", "soll", "keine", "kein", "muss", "müssen",
    "immer", "niemals", "ohne", "bei", "von", "wird", "sind", "oder", "du",
];
const SPANISH: &[&str] = &[
    "el", "la", "de", "no", "los", "las", "una", "es", "y", "que", "en", "por", "para", "con", "del", "se",
    "lo", "su", "como", "pero", "más", "está", "debe", "nunca", "siempre", "sin", "al", "un", "hay", "este",
    "esta", "solo", "sólo", "vamos", "ningún", "ninguna", "porque", "usar", "una",
];
const PORTUGUESE: &[&str] = &[
    "o", "os", "um", "uma", "não", "é", "em", "na", "nas", "da", "das", "dos", "de", "do", "com", "para",
    "por", "que", "se", "ou", "mas", "você", "isso", "este", "esta", "deve", "nunca", "sempre", "sem",
    "apenas", "somente", "favor", "está", "são", "foi", "ser", "pelo", "pela", "ao", "já", "também",
    "arquivo", "vamos", "usar", "quando", "porque", "mais", "e",
];
const ITALIAN: &[&str] = &[
    "il",
    "lo",
    "la",
    "gli",
    "le",
    "di",
    "che",
    "è",
    "e",
    "un",
    "una",
    "con",
    "non",
    "del",
    "della",
    "dei",
    "delle",
    "nel",
    "nella",
    "si",
    "mai",
    "sempre",
    "solo",
    "deve",
    "devi",
    "questo",
    "questa",
    "sono",
    "ma",
    "più",
    "ho",
    "hai",
    "usa",
    "senza",
    "anche",
    "perché",
    "al",
    "alla",
    "da",
    "invece",
    "tutti",
    "tutte",
    "ogni",
    "quando",
    "modificare",
    "usare",
];
const ENGLISH: &[&str] = &[
    "the", "and", "is", "to", "of", "in", "it", "you", "that", "for", "with", "this", "do", "not", "must",
    "be", "we", "i", "are", "should", "never", "always", "only", "don't", "please", "can", "use", "make",
    "sure", "without", "any", "a", "on", "as", "will", "from", "have",
];

/// How many words tell.
const MAX_WORDS: usize = 400;
/// The longest of the common words, in bytes.
const MAX_WORD: usize = 14;

/// The languages that share the Latin script, each with its common words. The first of equals wins.
const LATIN: [(Language, &[&str]); 6] = [
    (Language::English, ENGLISH),
    (Language::French, FRENCH),
    (Language::German, GERMAN),
    (Language::Spanish, SPANISH),
    (Language::Portuguese, PORTUGUESE),
    (Language::Italian, ITALIAN),
];

/// The common words, each with a bit for every language that has it; only looked up, never walked.
static WORDS: LazyLock<HashMap<&[u8], u8, BuildHasherDefault<FnvHasher>>> = LazyLock::new(|| {
    let mut words = HashMap::default();
    for (at, (_, table)) in LATIN.iter().enumerate() {
        for word in *table {
            *words.entry(word.as_bytes()).or_default() |= 1_u8 << at;
        }
    }
    words
});

/// For each first letter, the lengths of the common words that begin with it, as bits: most words are
/// none of them by that alone.
static LENGTHS: LazyLock<[u16; 256]> = LazyLock::new(|| {
    let mut lengths = [0; 256];
    for word in WORDS.keys() {
        if let Some(of_letter) = word.first().and_then(|first| lengths.get_mut(usize::from(*first))) {
            *of_letter |= 1 << word.len();
        }
    }
    lengths
});

/// Tells the language of a text by its script, then by its commonest words; reads the first 2,000 characters.
pub(crate) fn of(text: &str) -> Language {
    let (mut han, mut kana, mut hangul, mut cyrillic, mut letters) = (0_u32, 0_u32, 0_u32, 0_u32, 0_u32);
    // Only other scripts are counted against Latin letters.
    let counted = if text.is_ascii() { 0 } else { 2_000 };
    for c in text.chars().take(counted) {
        match c {
            '\u{3040}'..='\u{30ff}' => kana += 1,
            '\u{4e00}'..='\u{9fff}' => han += 1,
            '\u{ac00}'..='\u{d7a3}' => hangul += 1,
            '\u{0400}'..='\u{04ff}' => cyrillic += 1,
            c if c.is_alphabetic() => letters += 1,
            _ => {}
        }
    }
    // A name or a path in Latin letters takes many characters where an ideograph takes one.
    if kana > 0 && (kana + han) * 6 > letters {
        return Language::Japanese;
    }
    if hangul * 4 > letters && hangul > han {
        return Language::Korean;
    }
    if han * 6 > letters && han > 0 {
        return Language::Chinese;
    }
    if cyrillic * 3 > letters && cyrillic > 0 {
        return Language::Russian;
    }
    let mut counts = LATIN.map(|(language, _)| (language, 0_u32));
    let mut count = |languages: u8| {
        for (at, (_, n)) in counts.iter_mut().enumerate() {
            *n += u32::from(languages >> at & 1);
        }
    };
    if text.is_ascii() {
        let words = text
            .as_bytes()
            .split(|b| !(b.is_ascii_alphabetic() || *b == b'\''))
            .filter(|w| !w.is_empty() && w.len() <= MAX_WORD);
        for word in words.take(MAX_WORDS) {
            let first = word.first().map_or(0, u8::to_ascii_lowercase);
            if LENGTHS.get(usize::from(first)).is_none_or(|lengths| lengths >> word.len() & 1 == 0) {
                continue;
            }
            let mut lower = [0; MAX_WORD];
            let lower = lower.get_mut(..word.len()).unwrap_or_default();
            lower.copy_from_slice(word);
            lower.make_ascii_lowercase();
            count(WORDS.get(&*lower).copied().unwrap_or_default());
        }
    } else {
        let words = text
            .split(|c: char| !(c.is_alphabetic() || c == '\''))
            .filter(|w| !w.is_empty() && w.len() <= MAX_WORD);
        for word in words.take(MAX_WORDS) {
            count(WORDS.get(word.to_lowercase().as_bytes()).copied().unwrap_or_default());
        }
    }
    // The first of equals wins, so that English keeps what nothing tells apart.
    counts.iter().rev().max_by_key(|(_, n)| *n).map_or(Language::English, |(l, _)| *l)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Never touch the database schema", Language::English)]
    #[case("请不要修改 src/main.rs 里的接口", Language::Chinese)]
    #[case("テストは必ず実行してください", Language::Japanese)]
    #[case("Никогда не меняй API", Language::Russian)]
    #[case("Ne modifie jamais les tests dans ce dossier", Language::French)]
    #[case("Ajoute un bouton de connexion à la page", Language::French)]
    #[case("Bitte ändere die Tests nicht", Language::German)]
    #[case("No cambies la base de datos sin preguntar", Language::Spanish)]
    #[case("Nunca altere o arquivo schema.sql", Language::Portuguese)]
    #[case("Por favor, não use a biblioteca antiga", Language::Portuguese)]
    #[case("Non modificare mai il file deploy.sh", Language::Italian)]
    #[case("Usa sempre la nuova funzione", Language::Italian)]
    #[case("config.yaml 파일은 절대 수정하지 마세요", Language::Korean)]
    #[case("Do not touch a file in the com folder", Language::English)]
    #[case("", Language::English)]
    fn the_language_is_told(#[case] text: &str, #[case] expected: Language) {
        assert_eq!(of(text), expected);
    }

    proptest::proptest! {
        #[test]
        fn plain_ascii_is_read_as_other_text_is(
            words in proptest::collection::vec(
                proptest::sample::select(vec!["the", "Le", "der", "EL", "don't", "x1", "la", "de", ",", "que", "and"]),
                0..12,
            ),
        ) {
            // A word in another script that no table has takes the other way to the same answer.
            let text = words.join(" ");
            proptest::prop_assert_eq!(of(&text), of(&format!("{text} ŵ")));
        }
    }
}
