//! Words of asking: they are in any question and say little about where the answer is.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::words::Kind;

/// Function words; those of the other languages only as far as they are no content words in English.
const FUNCTION_WORDS: [&str; 5] = [
    "
    a about also am an and any are as at be been being but by can could did do does don for from had has
    have he her him his how i if in into is it its just ll m may me might must my no nor not of on or
    our please re s shall she should so t than that the their them then there these they this those to
    too us ve very was we were what when where whether which while who whom whose why will with would
    you your
    ",
    "
    au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur nous ou où
    par pas pourquoi quand que quel quelle quelles quels qui quoi un une vous
    ",
    "
    aber als auch auf aus bei das dass den der durch ein eine einem einen einer er es für haben
    ich ihr im ist mit nach nicht sich sie sind und von wann warum welche welcher welches wer wie
    wir wird wo wurde zu zum zur
    ",
    "
    al como cual cuál cuando cuándo del donde dónde el ella los las lo más para pero por qué quién
    se su una y
    ",
    "
    а был была были было в во где для до и из как какая какие какой когда кто ли мы на не о об он она
    они от по почему с со то ты у что это я
    ",
];

/// Words with which one asks about a conversation, and words of quantity and manner: seldom where the
/// answer is, but sometimes.
const REPORTING_WORDS: &str = "
    conclude conclusion conversation decide decided describe discuss discussed discussing discussion
    explain explained give given happen happened mean meant mention mentioned opinion overall propose
    proposed reason recommend recommended said say saying says session suggest suggested summarise
    summarize summary talk talked tell think thought told update updates whole according add doing else
    ever every exactly get including made make more most one other out over own thing things use used
    using each some such through after before during because all
";

/// Chinese and Japanese pairs of asking.
const ASKING_PAIRS: &str = "
    什么 怎么 哪些 哪个 哪里 多少 为什 多久 如何 是否 我们 你们 他们 这个 那个 一个 曾经 的是 它的 请问 です ます した して から まで どの どう どこ なぜ なに
    ですか すか とは ので こと もの という いう
";

static FUNCTION: LazyLock<HashSet<&str>> =
    LazyLock::new(|| FUNCTION_WORDS.iter().flat_map(|words| words.split_whitespace()).collect());
static REPORTING: LazyLock<HashSet<&str>> = LazyLock::new(|| REPORTING_WORDS.split_whitespace().collect());
static PAIRS: LazyLock<HashSet<&str>> = LazyLock::new(|| ASKING_PAIRS.split_whitespace().collect());

/// How much a token of a question says by its form alone; 0 for what is not looked for.
pub(super) fn weight(kind: Kind, text: &str) -> f64 {
    match kind {
        // The whole of an identifier or path is what the caller means; its parts help when the
        // spelling differs.
        Kind::Compound => 2.0,
        Kind::Tail => 1.2,
        Kind::Word if FUNCTION.contains(text) => 0.0,
        Kind::Word if REPORTING.contains(text) => 0.25,
        Kind::Pair if PAIRS.contains(text) => 0.05,
        Kind::Word | Kind::Pair => 1.0,
        Kind::Character => 0.15,
    }
}
