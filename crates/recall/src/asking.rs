//! Words of asking: they are in any question and say little about where the answer is.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::words::Kind;
use anchord_messages::stop_words::is_stop_word;

/// What a question has beside stop words: negations, and what an apostrophe leaves of a word.
const REMAINS: [&str; 9] = ["ll", "m", "no", "nor", "not", "re", "s", "t", "ve"];

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

/// Chinese pairs of asking.
const ASKING_PAIRS: &str = "
    什么 怎么 哪些 哪个 哪里 多少 为什 多久 如何 是否 我们 你们 他们 这个 那个 一个 曾经 的是 它的 请问
";

static REPORTING: LazyLock<HashSet<&str>> = LazyLock::new(|| REPORTING_WORDS.split_whitespace().collect());
static PAIRS: LazyLock<HashSet<&str>> = LazyLock::new(|| ASKING_PAIRS.split_whitespace().collect());

/// How much a token of a question says by its form alone; 0 for what is not looked for.
pub(super) fn weight(kind: Kind, text: &str) -> f64 {
    match kind {
        // The whole of an identifier or path is what the caller means; its parts help when the
        // spelling differs.
        Kind::Compound => 2.0,
        Kind::Tail => 1.2,
        Kind::Word if is_stop_word(text) || REMAINS.contains(&text) => 0.0,
        Kind::Word if REPORTING.contains(text) => 0.25,
        Kind::Pair if PAIRS.contains(text) => 0.05,
        Kind::Word | Kind::Pair => 1.0,
        Kind::Character => 0.15,
    }
}
