//! Weights of a question's tokens; words that occur in any question say little about where the answer is.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::words::Kind;
use anchord_messages::stop_words::is_stop_word;

/// Further words without weight: negations, and the second parts of words with an apostrophe (`don't`, `we'll`).
const REMAINS: [&str; 9] = ["ll", "m", "no", "nor", "not", "re", "s", "t", "ve"];

/// Words for asking about a conversation, and words of quantity and manner; they have little weight, because the answer
/// rarely contains them.
const REPORTING_WORDS: &str = "
    conclude conclusion conversation decide decided describe discuss discussed discussing discussion
    explain explained give given happen happened mean meant mention mentioned opinion overall propose
    proposed reason recommend recommended said say saying says session suggest suggested summarise
    summarize summary talk talked tell think thought told update updates whole according add doing else
    ever every exactly get including made make more most one other out over own thing things use used
    using each some such through after before during because all
";

/// Pairs of Chinese characters that occur in any question.
const ASKING_PAIRS: &str = "
    什么 怎么 哪些 哪个 哪里 多少 为什 多久 如何 是否 我们 你们 他们 这个 那个 一个 曾经 的是 它的 请问
";

static REPORTING: LazyLock<HashSet<&str>> = LazyLock::new(|| REPORTING_WORDS.split_whitespace().collect());
static PAIRS: LazyLock<HashSet<&str>> = LazyLock::new(|| ASKING_PAIRS.split_whitespace().collect());

/// The weight of a question's token by its form alone; 0 means that it is not searched for.
pub(super) fn weight(kind: Kind, text: &str) -> f64 {
    match kind {
        // A whole identifier or path is what the caller means; its parts help when the spelling differs.
        Kind::Compound => 2.0,
        Kind::Tail => 1.2,
        Kind::Word if is_stop_word(text) || REMAINS.contains(&text) => 0.0,
        Kind::Word if REPORTING.contains(text) => 0.25,
        Kind::Pair if PAIRS.contains(text) => 0.05,
        Kind::Word | Kind::Pair => 1.0,
        Kind::Character => 0.15,
    }
}
