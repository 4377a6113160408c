//! What an item of a list is about, and whether a clause names it.

use crate::wording::one_line;

/// Words of an item or a clause that are compared.
const MAX_WORDS: usize = 40;

/// What is to be done with the subject: which words tell that it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// It is to be there: added, written, built; or nobody says what is to be done.
    Make,
    /// It is to be right.
    Mend,
    /// Anything else, which its own verb tells: that a form is done is no word on its test.
    Other,
}

/// What an item is about, as words.
pub(super) struct Subject {
    words: Vec<String>,
    /// All of its words, the verb among them.
    own: Vec<String>,
    /// Words that an item cannot be meant without: numbers and identifiers.
    fixed: Vec<String>,
    needed: usize,
    /// What is to be done with it, whose past form says that it was.
    verb: Option<String>,
    deed: Deed,
    /// The whole wording, for scripts that write without spaces.
    folded: Option<String>,
}

impl Subject {
    pub(super) fn of(content: &str) -> Self {
        let line = one_line(content);
        let folded = line.chars().any(is_spaceless).then(|| fold(&line));
        let all = words(&line);
        let fixed: Vec<String> =
            all.iter().filter(|w| w.chars().any(|c| c.is_ascii_digit() || c == '_')).cloned().collect();
        let verb = all.first().filter(|word| word.len() > 2 && word.is_ascii()).cloned();
        let own = all.clone();
        let (deed, rest) = if folded.is_some() { (spaceless_deed(&line), all) } else { deed(all) };
        let needed = if rest.len() <= 2 { rest.len() } else { (rest.len() * 3).div_ceil(5) };
        Self { words: rest, own, fixed, needed, verb, deed, folded }
    }

    pub(super) fn deed(&self) -> Deed {
        self.deed
    }

    /// Whether the item's own wording has a word.
    pub(super) fn mentions(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let of_item = self.folded.as_ref().is_some_and(|item| item.contains(&fold(&word)));
        of_item || self.own.iter().any(|own| is_same_word(own, &word))
    }

    pub(super) fn is_named_in(&self, text: &str, said: &[String]) -> bool {
        if let Some(folded) = &self.folded {
            return folded.chars().count() >= 2 && shared_pairs(folded, &fold(text)) >= 0.6;
        }
        let has = |word: &&String| said.iter().any(|other| is_same_word(word, other));
        !self.words.is_empty()
            && self.fixed.iter().all(|word| said.contains(word))
            && self.words.iter().filter(has).count() >= self.needed
    }

    /// Whether a clause speaks of the whole item and of nothing else: `added the tests of the login form` says
    /// nothing of the form itself.
    pub(super) fn is_all_of(&self, text: &str, said: &[String]) -> bool {
        if let Some(item) = &self.folded {
            let clause = fold(text);
            let is_other = |c: &char| is_spaceless(*c) && !item.contains(*c) && !FILLERS.contains(*c);
            return shared_pairs(item, &clause) >= 0.65 && clause.chars().filter(is_other).count() == 0;
        }
        let told = words(&without_paths(text));
        let is_here = |word: &String| said.iter().any(|other| is_same_word(word, other));
        let is_of_item =
            |word: &String| self.own.iter().any(|own| is_same_word(own, word)) || is_filler(word);
        self.words.iter().all(is_here) && told.iter().all(is_of_item)
    }

    /// Whether the item's own verb stands in its past form (`Translate …`, `… translated`).
    pub(super) fn is_past_in(&self, said: &[String]) -> bool {
        let past = |word: &&String| word.ends_with("ed") && !word.ends_with("eed");
        self.verb.as_ref().is_some_and(|verb| {
            said.iter()
                .filter(past)
                .any(|word| word != verb && word.len() > verb.len() && is_same_word(verb, word))
        })
    }
}

/// Characters that add nothing to what a clause in a script without spaces speaks of: particles, and the words
/// that say that it is done.
const FILLERS: &str = "已经了我们你现在都也终于把被将完成毕搞定修复正好解决实现添加创建编写做写在是そのをがはにもでとしたまてい済み完了終わりっ実装追加作成対応直できる今すべて全部このれらました수정완료했습니다되었됐됨을를이가은는추가구현작성";

/// Takes the verb off an item when another word may tell that it was done.
fn deed(all: Vec<String>) -> (Deed, Vec<String>) {
    const MAKE: [&str; 30] = [
        "add",
        "implement",
        "write",
        "create",
        "build",
        "make",
        "finish",
        "complete",
        "introduce",
        "implementiere",
        "füge",
        "schreibe",
        "implementieren",
        "hinzufügen",
        "schreiben",
        "erstellen",
        "bauen",
        "einbauen",
        "anlegen",
        "ajouter",
        "écrire",
        "implémenter",
        "créer",
        "añadir",
        "escribir",
        "crear",
        "implementar",
        "добавить",
        "написать",
        "создать",
    ];
    const MEND: [&str; 14] = [
        "fix",
        "repair",
        "resolve",
        "correct",
        "solve",
        "behebe",
        "beheben",
        "korrigieren",
        "corriger",
        "réparer",
        "corregir",
        "arreglar",
        "исправить",
        "corrigir",
    ];
    let of = |word: &String| {
        let word = word.as_str();
        if MAKE.contains(&word) {
            Some(Deed::Make)
        } else if MEND.contains(&word) {
            Some(Deed::Mend)
        } else {
            None
        }
    };
    if all.len() >= 2 {
        if let Some((deed, rest)) = all.split_first().and_then(|(first, rest)| Some((of(first)?, rest))) {
            // Alone, one noun tells too little.
            return (deed, if rest.len() >= 2 { rest.to_vec() } else { all });
        }
        if let Some((deed, rest)) = all.split_last().and_then(|(last, rest)| Some((of(last)?, rest))) {
            return (deed, rest.to_vec());
        }
    }
    (Deed::Other, all)
}

fn spaceless_deed(line: &str) -> Deed {
    let has = |marks: &[&str]| marks.iter().any(|mark| line.contains(mark));
    if has(&["修复", "修正", "解决", "解決", "直す", "수정"]) {
        Deed::Mend
    } else if has(&["测试", "テスト", "部署", "デプロイ", "删除", "削除", "检查", "確認", "테스트"])
    {
        Deed::Other
    } else {
        Deed::Make
    }
}

/// Words that may stand beside an item and its completion without changing what was completed.
fn is_filler(word: &str) -> bool {
    const FILLERS: [&str; 96] = [
        "i",
        "ve",
        "have",
        "has",
        "had",
        "we",
        "was",
        "were",
        "been",
        "being",
        "all",
        "now",
        "already",
        "just",
        "finally",
        "fully",
        "completely",
        "successfully",
        "also",
        "that",
        "this",
        "done",
        "completed",
        "complete",
        "finished",
        "implemented",
        "added",
        "created",
        "written",
        "wrote",
        "built",
        "fixed",
        "resolved",
        "corrected",
        "solved",
        "x",
        "s",
        "new",
        "ich",
        "habe",
        "haben",
        "wir",
        "ist",
        "sind",
        "wurde",
        "wurden",
        "jetzt",
        "nun",
        "bereits",
        "schon",
        "erledigt",
        "fertig",
        "fertiggestellt",
        "abgeschlossen",
        "implementiert",
        "hinzugefügt",
        "umgesetzt",
        "geschrieben",
        "erstellt",
        "gebaut",
        "eingebaut",
        "angelegt",
        "behoben",
        "gelöst",
        "korrigiert",
        "dem",
        "j",
        "ai",
        "nous",
        "avons",
        "est",
        "sont",
        "été",
        "maintenant",
        "déjà",
        "enfin",
        "l",
        "d",
        "un",
        "une",
        "he",
        "hemos",
        "está",
        "están",
        "ha",
        "sido",
        "ya",
        "ahora",
        "por",
        "fin",
        "como",
        "está",
        "es",
        "mark",
        "marked",
        "task",
    ];
    FILLERS.contains(&word) || is_done_word(word)
}

/// Whether a word alone says that something is done.
fn is_done_word(word: &str) -> bool {
    const STEMS: [&str; 30] = [
        "terminé",
        "fini",
        "fait",
        "achevé",
        "implément",
        "ajouté",
        "créé",
        "écrit",
        "corrigé",
        "résolu",
        "réparé",
        "hech",
        "terminad",
        "completad",
        "list",
        "implementad",
        "añadid",
        "cread",
        "escrit",
        "corregid",
        "resuelt",
        "arreglad",
        "готов",
        "сделан",
        "завершен",
        "добавлен",
        "реализован",
        "создан",
        "написан",
        "исправлен",
    ];
    STEMS.iter().any(|stem| word.strip_prefix(stem).is_some_and(|ending| ending.chars().count() <= 2))
}

/// A clause without the paths and the code that it names: where something was done is not what was done.
fn without_paths(text: &str) -> String {
    let is_path = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.starts_with('`') || bare.contains('/') || (bare.contains('.') && !bare.ends_with('.'))
    };
    text.split_whitespace().filter(|word| !is_path(word)).collect::<Vec<_>>().join(" ")
}

/// The share of an item's pairs of neighbouring characters that stand in a clause.
fn shared_pairs(item: &str, clause: &str) -> f64 {
    let chars: Vec<char> = item.chars().take(60).collect();
    let pairs: Vec<String> = chars.windows(2).map(|pair| pair.iter().collect()).collect();
    let found = pairs.iter().filter(|pair| clause.contains(pair.as_str())).count();
    let count = |n: usize| u32::try_from(n).map_or(f64::MAX, f64::from);
    if pairs.is_empty() { 0.0 } else { count(found) / count(pairs.len()) }
}

fn fold(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn is_spaceless(c: char) -> bool {
    matches!(u32::from(c), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF)
}

pub(super) fn words(text: &str) -> Vec<String> {
    const SMALL: [&str; 48] = [
        "the", "a", "an", "to", "of", "for", "in", "on", "and", "with", "it", "is", "are", "be", "at", "by",
        "or", "der", "die", "das", "den", "und", "für", "im", "mit", "le", "la", "les", "de", "des", "du",
        "et", "pour", "el", "los", "las", "y", "para", "и", "в", "на", "для", "с", "по", "zum", "zur", "del",
        "al",
    ];
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !SMALL.contains(&word.as_str()))
        .take(MAX_WORDS)
        .collect()
}

/// Whether two words differ by an ending at most (`implement`, `implemented`).
fn is_same_word(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    if a.chars().chain(b.chars()).any(|c| c.is_ascii_digit() || c == '_') {
        return false;
    }
    let shared = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let longest = a.chars().count().max(b.chars().count());
    shared >= 3 && longest - shared <= 3
}
