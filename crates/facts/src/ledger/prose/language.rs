//! Which language a text is in, among those whose marker phrases are known.

use std::sync::LazyLock;

/// A language with marker tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
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

/// The common words, as numbers made of their bytes, each with a count of one in the lane of every
/// language that has it; only looked up, never walked.
static WORDS: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { slots: vec![(0, 0); SLOTS] };
    for (at, (_, words)) in LATIN.iter().enumerate() {
        for word in *words {
            let key = packed(word.as_bytes());
            let free =
                places(key).find(|slot| table.slots.get(*slot).is_some_and(|s| [0, key].contains(&s.0)));
            if let Some(slot) = free.and_then(|slot| table.slots.get_mut(slot)) {
                slot.0 = key;
                slot.1 |= 1 << (LANE * at);
            }
        }
    }
    table
});

/// The places of the table: a power of two, and several times as many as there are words.
const SLOTS: usize = 1 << 10;
/// The bits that one language's count takes; more than all words that are counted need.
const LANE: usize = 10;

/// Words by number, each in the first free place behind the one that its number tells.
struct Table {
    slots: Vec<(u128, u64)>,
}

impl Table {
    /// The counts of a word.
    fn counts(&self, key: u128) -> u64 {
        let mut slots = places(key).filter_map(|at| self.slots.get(at));
        slots.find(|slot| slot.0 == key || slot.0 == 0).map_or(0, |slot| slot.1)
    }
}

/// The places where a word may be, by its number.
#[expect(clippy::cast_possible_truncation, reason = "both halves of the number are mixed")]
fn places(key: u128) -> impl Iterator<Item = usize> {
    let mixed = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let first = (mixed >> 54) as usize;
    (first..first + SLOTS).map(|at| at % SLOTS)
}

/// A word as a number.
fn packed(word: &[u8]) -> u128 {
    word.iter().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

/// What each byte is in a word of ASCII: its lower case, or nothing where a word ends.
#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "done by the compiler, which would refuse what is out of bounds"
)]
const IN_WORD: [u8; 256] = {
    let mut letters = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let letter = byte as u8;
        if letter.is_ascii_alphabetic() || letter == b'\'' {
            letters[byte] = letter.to_ascii_lowercase();
        }
        byte += 1;
    }
    letters
};

/// The counts of a text in ASCII, in their lanes.
fn count_ascii(text: &str) -> u64 {
    let (mut counts, mut counted) = (0, 0);
    let (mut key, mut length) = (0_u128, 0_usize);
    for byte in text.bytes().chain([b' ']) {
        let letter = IN_WORD.get(usize::from(byte)).copied().unwrap_or_default();
        if letter != 0 {
            key = key << 8 | u128::from(letter);
            length += 1;
            continue;
        }
        if (1..=MAX_WORD).contains(&length) {
            counts += WORDS.counts(key);
            counted += 1;
            if counted == MAX_WORDS {
                break;
            }
        }
        (key, length) = (0, 0);
    }
    counts
}

/// The counts of any other text, in their lanes.
fn count_words(text: &str) -> u64 {
    let words = text
        .split(|c: char| !(c.is_alphabetic() || c == '\''))
        .filter(|w| !w.is_empty() && w.len() <= MAX_WORD);
    let key = |word: &str| {
        if word.is_ascii() {
            word.bytes().fold(0, |number, byte| number << 8 | u128::from(byte.to_ascii_lowercase()))
        } else {
            packed(word.to_lowercase().as_bytes())
        }
    };
    words.take(MAX_WORDS).map(|word| WORDS.counts(key(word))).sum()
}

/// Tells the language of a text by its script, then by its commonest words; reads the first 2,000 characters.
#[must_use]
pub fn of(text: &str) -> Language {
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
    let counts = if text.is_ascii() { count_ascii(text) } else { count_words(text) };
    let count = |at: usize| counts >> (LANE * at) & ((1 << LANE) - 1);
    // The first of equals wins, so that English keeps what nothing tells apart.
    let most = LATIN.iter().enumerate().rev().max_by_key(|(at, _)| count(*at));
    most.map_or(Language::English, |(_, (language, _))| *language)
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
