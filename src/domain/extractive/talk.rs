//! Sessions that are talk and no work: minutes of several people, and chats without tools.
//!
//! Minutes have no task and no reports: who talks, how it opens, what was agreed, the last words and
//! the most telling sentences over the whole span stand for them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::super::ledger::line::{any_of, clip_middle, squash};
use super::super::ledger::pattern::Rare;
use super::super::ledger::{Facts, pattern, prose};
use super::super::proposal::ProposedIntent;
use super::super::summary::TechnicalFact;
use super::intent::{MAX_INTENT, substance};
use super::phrases::Phrases;
use super::{Turn, Turns, Voice, clip, is_placeholder};

/// The longest state, in characters.
const MAX_STATE: usize = 600;
/// The longest step that people agreed on, in characters.
const MAX_STEP: usize = 260;
/// The longest note, in characters.
const MAX_NOTE: usize = 240;
/// The fewest and the most notes of one span, and how many sentences there are to a note.
const NOTES: (usize, usize) = (3, 20);
const SENTENCES_PER_NOTE: usize = 20;
/// The most sentences of one span that are weighed.
const MAX_SENTENCES: usize = 20_000;
/// Who a person is in a chat with a model.
const USER: &str = "user";
/// How many words of a sentence count: a long one is not more telling for its length.
const COUNTED_WORDS: usize = 12;

/// A turn's words as they are told: without the marks of transcribers and, in English, hesitation.
pub(super) fn tidy(text: &str) -> String {
    static MARKS: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"\{[a-z_ ]{3,20}\}|\[(?:laughter|inaudible|crosstalk|noise|music|applause|pause|unintelligible)[^\]]{0,20}\]",
        )
    });
    static IN_FILLERS: LazyLock<AhoCorasick> =
        LazyLock::new(|| any_of(["um", "uh", "erm", "eh", "hm", "mm"]));
    static FILLERS: LazyLock<Regex> =
        LazyLock::new(|| pattern::unicode(r"(?i)\b(?:u+m+|u+h+|uhm|erm|e+h+|m+hm+|mm+)\b(?:\s?,)?\s?"));
    let text = if text.contains(['{', '[']) { MARKS.replace_all(text, " ") } else { Cow::Borrowed(text) };
    let text = if IN_FILLERS.is_match(text.as_ref()) && prose::language_of(&text) == prose::Language::English
    {
        FILLERS.replace_all(&text, "").into_owned()
    } else {
        text.into_owned()
    };
    // What a filler leaves behind a name is no word either.
    squash(&without_gaps(&squash(&text))).replace(": , ", ": ").replace(":. ", ": ").replace(":, ", ": ")
}

/// A squashed text without the spaces that transcribers put in front of marks and clipped verbs
/// (`well , we 'll see .`).
fn without_gaps(text: &str) -> String {
    const CLIPPED: [&str; 7] = ["ll", "re", "ve", "m", "s", "d", "t"];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(' ') {
        out.push_str(before);
        let mut next = behind.chars();
        // What stays behind the space goes along with it, and opens no other gap.
        let closed = match next.next() {
            Some('.' | ',' | '!' | '?' | ';' | ':') => {
                matches!(next.next(), None | Some(' ')).then(|| behind.len().min(2))
            }
            Some(mark @ ('\'' | '’')) => {
                let ends = |clipped: &&&str| {
                    let after = next.as_str().strip_prefix(**clipped);
                    after.is_some_and(|after| !after.starts_with(regex_syntax::is_word_character))
                };
                CLIPPED.iter().find(ends).map(|clipped| mark.len_utf8() + clipped.len())
            }
            Some(_) | None => None,
        };
        rest = behind;
        if let Some((kept, behind)) = closed.and_then(|length| behind.split_at_checked(length)) {
            out.push_str(kept);
            rest = behind;
        } else {
            out.push(' ');
        }
    }
    out.push_str(rest);
    out
}

/// Minutes have no task; who talks, and how it opens, say what it is about.
pub(super) fn intent(turns: &Turns, phrases: &Phrases) -> ProposedIntent {
    static AGENDA: LazyLock<Rare> = LazyLock::new(|| {
        Rare::new(
            r"(?i)\b(?:agenda|today(?:['’]s)?|(?:this|our) meeting|we(?:['’]re| are) (?:going to|here to)|discuss|topic|purpose|goal|let['’]s (?:start|begin)|petition|question is|ordre du jour|aujourd['’]hui|réunion|tagesordnung|heute|besprechung|hoy|reunión|orden del día|повестк\w*|сегодня|обсуд\w*)\b|议程|今天|讨论|会议|本日|議題|会議",
        )
    });
    let mut names: Vec<&str> = Vec::new();
    let mut opening: Vec<&Turn> = Vec::new();
    for turn in turns.persons() {
        let Some((name, said)) = prose::speaker(&turn.text) else { continue };
        let name = bare_name(name);
        if !names.contains(&name) && names.len() < 12 {
            names.push(name);
        }
        if opening.len() < 3 && substance(said) >= 8 && AGENDA.is_match(said) {
            opening.push(turn);
        }
    }
    if opening.is_empty() {
        opening.extend(turns.persons().filter(|t| substance(&t.text) >= 10).take(3));
    }
    let said: Vec<String> = opening.iter().map(|t| clip(t.tidy(), MAX_INTENT / 4)).collect();
    let first = turns.all.first().map(|t| t.seq).filter(|_| opening.is_empty());
    let seqs: Vec<i64> = opening.iter().map(|t| t.seq).chain(first).collect();
    let text = format!("{} {}. {}", phrases.talk_of, names.join(", "), said.join(" "));
    ProposedIntent { text: clip(text.trim(), MAX_INTENT), changes_scope: false, seqs }
}

/// A speaker's name without the place or party behind it.
fn bare_name(name: &str) -> &str {
    name.split(" (").next().unwrap_or(name)
}

/// The last things said that say something.
pub(super) fn last_words(turns: &Turns) -> (String, Vec<i64>) {
    let tells = |t: &&Turn| substance(&t.text) >= 8 && substance(t.tidy()) >= 8;
    let mut kept: Vec<&Turn> = turns.all.iter().rev().filter(tells).take(4).collect();
    kept.reverse();
    let text = kept.iter().map(|t| clip(t.tidy(), MAX_STATE / 3)).collect::<Vec<_>>().join(" ");
    (clip_middle(&text, MAX_STATE), kept.iter().map(|t| t.seq).collect())
}

/// What people say they will do.
pub(super) fn agreed(turns: &Turns) -> (Vec<String>, Vec<i64>) {
    static COMMITS: LazyLock<Rare> = LazyLock::new(|| {
        Rare::new(
            r"(?ix)\b(?:(?:i|we|you|he|she|they|[A-Z]\w+)(?:['’]ll|\ will|['’]m\ going\ to|['’]re\ going\ to|['’]m\ gonna|['’]re\ gonna|\ (?:have|need|has|needs)\ to|['’]ve\ got\ to|\ should)\ (?:\w+\ )?(?:send|prepare|write|check|ask|email|mail|present|finish|bring|look\ into|follow\ up|update|contact|call|set\ up|arrange|draft|review|report|come\ back|meet|discuss|decide|design|test|try|collect|record|put\ together|work\ on|talk\ to|get\ back)\b
            | action\ items?\b | next\ (?:meeting|week|step)s?\b | by\ (?:monday|tuesday|wednesday|thursday|friday|tomorrow|next\ week|the\ end\ of)\b
            | (?:je\ vais|on\ va|nous\ allons|je\ m['’]en\ occupe|d['’]ici)\ \w+ | (?:ich\ werde|wir\ werden|ich\ (?:schicke|mache|prüfe|kümmere)|bis\ (?:montag|dienstag|mittwoch|donnerstag|freitag|morgen))\b
            | (?:voy\ a|vamos\ a|me\ encargo|para\ el\ (?:lunes|martes|miércoles|jueves|viernes))\b | я\ (?:сделаю|пришлю|отправлю|подготовлю|проверю|займусь|позвоню)\b | нужно\ будет\b)
            | 我(?:们)?(?:来|会|将|去)(?:发|做|写|准备|联系|整理|跟进|检查|安排|负责|提交|完成|更新|测试|确认|通知|预订|购买) | 我(?:们)?负责 | 由.{1,12}(?:负责|跟进|整理|准备|联系|提交|完成) | \p{Han}{2,4}负责
            | (?:(?:周|星期|礼拜)[一二三四五六日天末]|\d{1,2}月\d{1,2}[日号]|\d{1,2}[日号]|月底|年底|本周|这周)(?:之|以)?前 | 下(?:次|周|个月) | 明天 | 后天
            | (?:やり|送り|作り|書き|出し|調べ|直し|まとめ)ます | (?:担当|対応|確認|準備|送付|連絡|共有|作成|提出|手配|報告|調査|修正|用意|予約)(?:いた)?します | しておきます | 来週 | 来月 | 次回 | までに | (?:曜日?|\d日)まで | 明日",
        )
    });
    static DATED: LazyLock<Regex> = LazyLock::new(|| {
        pattern::unicode(
            r"(?i)\d|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|morgen|lundi|mardi|mercredi|jeudi|vendredi|demain|lunes|martes|miércoles|jueves|viernes|mañana|завтра)\b|[月火水木金土日]曜|(?:周|星期|礼拜)[一二三四五六日天末]|明天|后天|下周|月底|来週|来月|明日",
        )
    });
    static NOT: LazyLock<Rare> = LazyLock::new(|| {
        Rare::new(
            r"(?i)\b(?:don['’]?t|didn['’]?t|won['’]?t|wouldn['’]?t|would have|if (?:we|you|i)|what (?:do|should|will)|why|how do)\b|如果|要不要|是否|没能|不会|ません|もし",
        )
    });
    let mut steps = Vec::new();
    let mut seqs = Vec::new();
    for turn in turns.all.iter().rev().take(300) {
        if steps.len() >= 8 {
            break;
        }
        let name = prose::speaker(&turn.text).map_or("", |(name, _)| name);
        let mut committed = turn.tidy_sentences().iter().map(|s| &s.text).filter(|text| {
            substance(text) >= 5
                && !text.ends_with(['?', '？'])
                && COMMITS.is_match(text)
                && !NOT.is_match(text)
        });
        if let Some(mut told) = committed.next().cloned() {
            // Who does it is often said in one sentence, and by when in the next.
            if let Some(when) = committed.next().filter(|next| !DATED.is_match(&told) && DATED.is_match(next))
            {
                if !told.ends_with(|c: char| !c.is_ascii()) {
                    told.push(' ');
                }
                told.push_str(when);
            }
            let name = bare_name(name);
            let text = if name.is_empty() { told } else { format!("{name}: {told}") };
            steps.push(clip(&text, MAX_STEP));
            seqs.push(turn.seq);
        }
    }
    steps.reverse();
    seqs.reverse();
    (steps, seqs)
}

// ---- notes

/// One sentence that may be noted.
struct Candidate<'t> {
    turn: &'t Turn,
    key: &'t str,
    text: &'t str,
    words: Vec<u64>,
}

/// The most telling sentences of a span of talk, in its order: one of each stretch, so that the
/// whole of it is told, and each about something that the ones before it did not tell.
pub(super) fn notes(turns: &Turns, facts: &Facts) -> Vec<TechnicalFact> {
    let worked = turns.uses_tools || !facts.files.is_empty() || !facts.commands.is_empty();
    if !turns.conversation && (worked || turns.persons().take(4).count() < 4) {
        return Vec::new();
    }
    let candidates = candidates(turns);
    let weights = weights(&candidates);
    let wanted = (candidates.len() / SENTENCES_PER_NOTE).clamp(NOTES.0, NOTES.1);
    let stretch = candidates.len().div_ceil(wanted).max(1);
    let mut told: HashSet<u64> = HashSet::new();
    let mut found = Vec::new();
    for near in candidates.chunks(stretch) {
        let scored = near.iter().map(|c| (score(c, &weights, &told), c));
        let best = scored
            .filter(|(s, _)| *s > 0.0)
            .max_by(|(a, x), (b, y)| a.total_cmp(b).then_with(|| y.turn.seq.cmp(&x.turn.seq)));
        if let Some((_, best)) = best {
            told.extend(best.words.iter().copied());
            found.push(TechnicalFact {
                key: best.key.to_owned(),
                value: clip(best.text, MAX_NOTE),
                seqs: vec![best.turn.seq],
                session_id: None,
            });
        }
    }
    found
}

fn candidates(turns: &Turns) -> Vec<Candidate<'_>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for turn in &turns.all {
        let name = match prose::speaker(&turn.text) {
            Some((name, _)) if turns.conversation => bare_name(name),
            Some(_) | None if turns.conversation => "said",
            Some(_) | None if turn.voice == Voice::Person => USER,
            Some(_) | None => "assistant",
        };
        let sentences = if turns.conversation { turn.tidy_sentences() } else { turn.sentences() };
        for sentence in sentences {
            if found.len() >= MAX_SENTENCES {
                return found;
            }
            if substance(&sentence.text) >= 5
                && !is_placeholder(&sentence.text)
                && seen.insert(hash(&sentence.text))
            {
                let words = words(&sentence.text);
                found.push(Candidate { turn, key: name, text: &sentence.text, words });
            }
        }
    }
    found
}

/// The different words of a sentence by their hash; pairs of characters where no spaces tell words.
pub(super) fn words(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if word.chars().any(is_dense) {
            let chars: Vec<char> = word.chars().collect();
            found.extend(chars.windows(2).map(|pair| hash(&pair.iter().collect::<String>())));
        } else if word.chars().nth(3).is_some() {
            found.push(hash(&word.to_lowercase()));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn is_dense(c: char) -> bool {
    ('\u{3040}'..='\u{9fff}').contains(&c)
}

/// FNV-1a: the same in every run, as summaries must be.
fn hash(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// What a word tells: more the more often it comes up, less when every other sentence has it.
fn weights(candidates: &[Candidate<'_>]) -> HashMap<u64, f64> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for word in candidates.iter().flat_map(|c| &c.words) {
        *counts.entry(*word).or_default() += 1;
    }
    let all = f64::from(u32::try_from(candidates.len()).unwrap_or(u32::MAX)).max(1.0);
    let weight = |n: u32| {
        let n = f64::from(n);
        // A word that comes up once is what no other sentence is about.
        let topical = if n < 2.0 { 0.3 } else { 1.0 };
        topical * (1.0 + n).ln() * (all / n).ln().max(0.0)
    };
    counts.into_iter().map(|(word, n)| (word, weight(n))).collect()
}

fn score(candidate: &Candidate<'_>, weights: &HashMap<u64, f64>, told: &HashSet<u64>) -> f64 {
    static CUES: LazyLock<Rare> = LazyLock::new(|| {
        Rare::new(
            r"(?ix)\b(?:decid\w+|agree[ds]?|propos\w+|suggest\w*|recommend\w*|should|must|need(?:s|ed)?\ to|problem|issue|important|because|therefore|cost|price|budget|deadline|plan|prefer|decisión|acord\w+|problema|importante|porque|décid\w+|propos\w+|problème|parce|beschl\w+|vorschlag\w*|wichtig|weil|решил\w*|предлаг\w+|важно|потому)\b
            |决定|同意|建议|推荐|应该|必须|问题|重要|因为|喜欢|我叫|名字|打算|决めた|提案|問題|重要|ため|好き|名前",
        )
    });
    // What people tell a model of themselves is what it must know the next time.
    static SELF: LazyLock<Rare> = LazyLock::new(|| {
        Rare::new(
            r"(?ix)\b(?:my\ (?:name|wife|husband|son|daughter|birthday|job|favou?rite)|i\ (?:am|work|live|like|love|hate|prefer|moved|bought|study|play)|i['’]m|call\ me|je\ m['’]appelle|j['’](?:aime|habite)|je\ (?:suis|travaille|préfère)|ich\ (?:heiße|bin|mag|wohne|arbeite)|mein\ name|me\ (?:llamo|gusta)|(?:vivo|trabajo)\ en|soy|меня\ зовут|я\ (?:люблю|живу|работаю))\b
            |我叫|我是|我的(?:名字|爱好|生日|工作)|我(?:很|最|非常)?喜欢|喜欢|我住|我在.{1,12}(?:工作|做|看|学)|私は|名前は|好きです|住んで",
        )
    });
    let mut worth: Vec<f64> = candidate
        .words
        .iter()
        .map(|w| weights.get(w).copied().unwrap_or_default() * if told.contains(w) { 0.3 } else { 1.0 })
        .collect();
    worth.sort_by(|a, b| b.total_cmp(a));
    let said: f64 = worth.iter().take(COUNTED_WORDS).sum();
    let figures =
        candidate.text.contains(|c: char| c.is_ascii_digit() || matches!(c, '$' | '€' | '£' | '¥' | '《'));
    let voice = if candidate.turn.voice == Voice::Person { 1.4 } else { 1.0 };
    let question = if candidate.text.ends_with(['?', '？']) { 0.5 } else { 1.0 };
    said * voice
        * question
        * if figures { 1.25 } else { 1.0 }
        * if CUES.is_match(candidate.text) { 1.3 } else { 1.0 }
        * if candidate.key == USER && SELF.is_match(candidate.text) { 3.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn gaps_are_closed_as_a_pattern_tells_them(
            pieces in proptest::collection::vec(
                proptest::sample::select(vec![" ", " ", " ", ".", ",", "?", ":", "'", "’", "ll", "s", "m", "re", "é", "a", "_", "汉", "\u{301}"]),
                0..16,
            ),
        ) {
            let gaps = pattern::unicode(r"\s+([.,!?;:](?:\s|$))|\s+(['’](?:ll|re|ve|m|s|d|t)\b)");
            let text = squash(&pieces.concat());
            proptest::prop_assert_eq!(without_gaps(&text), gaps.replace_all(&text, "$1$2"));
        }
    }
}
