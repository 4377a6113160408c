//! Phrases in people's and agents' words: demands, requests, reports that something is done.
//!
//! What lives here: the names of the phrases, and the search for them. Their patterns are data, in
//! `rules/phrases.*.toml`. English patterns are applied to every text, Chinese ones to texts in Chinese characters;
//! other languages have no patterns.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::Regex;
use serde::Deserialize;

use crate::pattern;
use crate::rules::{self, CHINESE, ENGLISH};
use anchord_messages::script::is_chinese;

/// Placeholder in a rule, replaced by a pattern for up to three opening words of a message (`ok`, `thanks`).
const OPENING: &str = "<opening>";

/// The meaning of a phrase; the comments in the rule files explain each one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the rule files explain each variant")]
pub enum Phrase {
    Demand,
    NoDemand,
    Order,
    OneWordOrder,
    NoOrder,
    RequestInQuestion,
    Task,
    OwnClause,
    TasksOwn,
    Permits,
    Releases,
    AsksLeave,
    NoPermission,
    Forbids,
    Rejected,
    Instead,
    Framing,
    Label,
    Asks,
    Unfinished,
    Courtesy,
    Amount,
    Offers,
    Greeting,
    GoOn,
    Continue,
    ThanksFirst,
    Thanks,
    AsksMore,
    Complaint,
    Dropped,
    Superseded,
    Revised,
    Aside,
    AsksFor,
    RefersBack,
    Answer,
    NextTask,
    Kept,
    Done,
    Made,
    Mended,
    Past,
    Regretted,
    Negated,
    NotDone,
    Unreal,
    Hedged,
    ClauseEnd,
    ToMake,
    ToMend,
    ToDoOtherwise,
    Filler,
    Abbreviation,
    TaskLost,
    Refusal,
    TurnedDown,
    Announced,
    Musing,
    Standing,
    PointsBack,
}

/// The rules of one language, as parsed from its file.
#[derive(Debug, Deserialize)]
struct Language {
    opening: String,
    #[serde(flatten)]
    phrases: BTreeMap<Phrase, Vec<Rule>>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
struct Rule {
    pattern: String,
    #[cfg(test)]
    matches: Vec<String>,
    #[cfg(test)]
    misses: Vec<String>,
}

/// A pattern that is compiled at its first use.
struct Pattern {
    text: String,
    compiled: OnceLock<Compiled>,
}

struct Compiled {
    regex: Regex,
    /// Finds the words of which every match has one, when there are such words.
    words: Option<AhoCorasick>,
}

impl Pattern {
    /// The pattern, if it may match in a text. Long patterns overrun the memory of their automaton on prose, and are then slow.
    fn regex(&self, text: &str) -> Option<&Regex> {
        let Compiled { regex, words } = self.compiled.get_or_init(|| Compiled {
            regex: pattern::ascii(&self.text),
            words: pattern::required_words(&pattern::narrowed(&self.text)),
        });
        words.as_ref().is_none_or(|words| words.is_match(text)).then_some(regex)
    }
}

/// The patterns of English and of Chinese, all rules of a phrase joined into one.
static PATTERNS: LazyLock<[BTreeMap<Phrase, Pattern>; 2]> = LazyLock::new(|| {
    let languages = [ENGLISH, CHINESE].map(rules::read::<Language>);
    let opening = opening(&languages);
    languages.map(|language| {
        let joined = |rules: Vec<Rule>| {
            let all: Vec<String> = rules.iter().map(|rule| rule.written(&opening)).collect();
            Pattern { text: format!("(?i){}", all.join("|")), compiled: OnceLock::new() }
        };
        language.phrases.into_iter().map(|(phrase, rules)| (phrase, joined(rules))).collect()
    })
});

/// The pattern for `<opening>`, from all languages, because people mix them there.
fn opening(languages: &[Language]) -> String {
    let all: Vec<&str> = languages.iter().map(|language| language.opening.as_str()).collect();
    format!(r"^\W*(?:(?:{})[\s,.!，。]+){{0,3}}", all.join("|"))
}

impl Rule {
    fn written(&self, opening: &str) -> String {
        format!("(?:{})", self.pattern.replace(OPENING, opening))
    }
}

impl Phrase {
    /// Whether a text contains the phrase.
    pub fn is_in(self, text: &str) -> bool {
        self.regexes(text).any(|regex| regex.is_match(text))
    }

    /// Every occurrence of the phrase in a text.
    pub(crate) fn find_in(self, text: &str) -> impl Iterator<Item = &str> {
        self.regexes(text).flat_map(move |regex| regex.find_iter(text).map(|found| found.as_str()))
    }

    /// A text with every occurrence of the phrase replaced by `…`.
    pub(crate) fn cut_from(self, text: &str) -> Cow<'_, str> {
        self.regexes(text).fold(Cow::Borrowed(text), |text, regex| {
            let cut = regex.replace_all(&text, " … ");
            if let Cow::Owned(cut) = cut { Cow::Owned(cut) } else { text }
        })
    }

    /// The parts of a text between occurrences of the phrase.
    pub(crate) fn split(self, text: &str) -> Vec<&str> {
        self.regexes(text)
            .fold(vec![text], |parts, regex| parts.into_iter().flat_map(|part| regex.split(part)).collect())
    }

    /// The phrase's patterns that apply to a text.
    fn regexes(self, text: &str) -> impl Iterator<Item = &'static Regex> + use<'_> {
        let [english, chinese] = &*PATTERNS;
        let chinese = chinese.get(&self).filter(|_| is_chinese(text));
        english.get(&self).into_iter().chain(chinese).filter_map(move |pattern| pattern.regex(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules that lack samples, and samples that contradict their rule, by file and phrase.
    fn faults(name: &str, language: &Language, opening: &str) -> Vec<String> {
        let mut faults = Vec::new();
        for (phrase, rule) in language.phrases.iter().flat_map(|(p, rules)| rules.iter().map(move |r| (p, r)))
        {
            let mut fault = |what: &str, sample: &str| {
                faults.push(format!("{name}, {phrase:?}, {}: {what} {sample:?}", rule.pattern));
            };
            if rule.matches.is_empty() || rule.misses.is_empty() {
                fault("has no samples of both kinds", "");
            }
            let regex = pattern::ascii(&format!("(?i){}", rule.written(opening)));
            rule.matches.iter().filter(|text| !regex.is_match(text)).for_each(|text| fault("misses", text));
            rule.misses.iter().filter(|text| regex.is_match(text)).for_each(|text| fault("matches", text));
        }
        faults
    }

    #[test]
    fn every_rule_matches_and_misses_its_samples() {
        let languages = [ENGLISH, CHINESE].map(rules::read::<Language>);
        let opening = opening(&languages);
        let [english, chinese] = &languages;
        let faults = [faults("en", english, &opening), faults("zh", chinese, &opening)].concat();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn a_rule_without_samples_or_with_a_wrong_one_is_found() {
        let rules = "opening = 'ok'\n[[demand]]\npattern = 'must'\nmatches = ['you may']\nmisses = ['you must']\n\
                     [[demand]]\npattern = 'never'\nmatches = ['never']\nmisses = []";
        assert_eq!(faults("x", &rules::read(rules), "").len(), 3);
    }

    #[test]
    fn chinese_rules_read_no_japanese() {
        assert!(Phrase::Demand.is_in("测试环境禁止访问"));
        assert!(!Phrase::Demand.is_in("このファイルは不要です"));
    }

    #[test]
    fn a_phrase_is_found_cut_out_and_split_at_in_both_languages() {
        let text = "It failed, 测试失败";
        assert_eq!(Phrase::Regretted.find_in(text).collect::<Vec<_>>(), ["failed", "失败"]);
        assert_eq!(Phrase::Regretted.cut_from(text), "It  … , 测试 … ");
        assert_eq!(Phrase::ClauseEnd.split("done，but 测试失败"), ["done", "but 测试失败"]);
    }
}
