//! Constraints: lasting demands of the person and of later system messages, word for word.
//!
//! Invariant: a demand in a tool's output, in a file or in a quotation never becomes a constraint.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::line::clip;
use super::prose;
use super::reading::Reading;
use crate::pattern;
use crate::phrases::Phrase;
use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::script::{Script, is_spaceless};

/// The longest constraint of a person, in characters.
const MAX_TEXT: usize = 400;
/// The longest later system message kept word for word, in characters.
const MAX_SYSTEM_TEXT: usize = 4_000;
/// The most constraints taken from one message, because a text with more of them is a document.
const MAX_PER_MESSAGE: usize = 20;
/// From this many on, no more demands of people are taken from a span; system messages always count.
const MAX_PER_SPAN: usize = 80;
/// The most constraints of a span before one of the operator's is left out.
const MAX_OF_SYSTEM: usize = 2_000;
/// The most messages listed for one constraint.
const MAX_SEQS: usize = 20;

/// Where a constraint comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConstraintSource {
    /// The caller, through the pins.
    Pin,
    /// The person in the conversation.
    User,
    /// The operator, in a system message.
    System,
}

/// What becomes of the user's demands that are found in messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConstraintMode {
    /// They are constraints.
    #[default]
    Bind,
    /// They are listed as proposed, and in no context, until the caller pins them.
    Propose,
}

/// A requirement, verbatim.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Constraint {
    /// Its id, derived from its source and text.
    pub id: String,
    /// Its text, verbatim.
    pub text: String,
    /// Where it comes from.
    pub source: ConstraintSource,
    /// The messages that it came from; empty for pins.
    pub seqs: Vec<Seq>,
    /// The session that it is from, in the joined record of a task; neither stored nor served.
    #[serde(skip)]
    pub session_id: Option<String>,
}

/// The constraints of a span, in the order of first appearance. With `minutes`, the span is a conversation among
/// people, in which only orders count.
pub(super) fn read(span: &[Reading<'_>], minutes: bool) -> Vec<Constraint> {
    let mut all: Vec<Constraint> = Vec::new();
    let mut at: HashMap<String, usize> = HashMap::new();
    // The leading system messages are the system prompt, which every context contains unchanged.
    let mut leading = span.first().is_some_and(|n| n.seq <= 1);
    for reading in span {
        let Reading { seq, message, .. } = reading;
        leading &= message.role.is_system();
        let found: Vec<(String, ConstraintSource)> = match message.role {
            Role::System | Role::Developer if !leading => {
                let text = reading.text().trim();
                says_something(text)
                    .then(|| (clip(text, MAX_SYSTEM_TEXT), ConstraintSource::System))
                    .into_iter()
                    .collect()
            }
            Role::User => reading
                .person()
                .into_iter()
                .flat_map(|text| demands(text, minutes))
                .map(|text| (text, ConstraintSource::User))
                .collect(),
            Role::System | Role::Developer | Role::Assistant | Role::Tool => Vec::new(),
        };
        for (text, source) in found {
            let id = id(source, &text);
            if let Some(known) = at.get(&id).and_then(|at| all.get_mut(*at)) {
                if known.seqs.len() < MAX_SEQS && known.seqs.last() != Some(seq) {
                    known.seqs.push(*seq);
                }
            } else if all.len() < if source == ConstraintSource::User { MAX_PER_SPAN } else { MAX_OF_SYSTEM }
            {
                at.insert(id.clone(), all.len());
                all.push(Constraint { id, text, source, seqs: vec![*seq], session_id: None });
            }
        }
    }
    all
}

/// The demands in a person's words that the caller had dropped, by their ids.
#[must_use]
pub fn dropped_among(words: &str, dropped: &BTreeSet<String>) -> Vec<String> {
    let mut found = demands(words, false);
    found.retain(|text| dropped.contains(&id(ConstraintSource::User, text)));
    found
}

/// Whether a later system message is more than a date or a label.
fn says_something(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|w| w.chars().nth(1).is_some());
    // A Korean syllable carries as much as a character of the scripts without spaces.
    words.take(3).count() >= 3
        || text.chars().filter(|c| is_spaceless(*c) || Script::of(*c) == Script::Hangul).count() >= 6
}

/// The id of a constraint: the same demand from the same source is the same constraint.
#[must_use]
pub fn id(source: ConstraintSource, text: &str) -> String {
    let name = match source {
        ConstraintSource::Pin => "pin",
        ConstraintSource::User => "user",
        ConstraintSource::System => "system",
    };
    let digest = Sha256::new().chain_update(name).chain_update(text).finalize();
    let head = digest.iter().take(8).fold(0_u64, |n, byte| n << 8 | u64::from(*byte));
    format!("con_{head:016x}")
}

/// The sentences of a person's text that demand something; with `minutes`, only those phrased as an order.
fn demands(text: &str, minutes: bool) -> Vec<String> {
    let own = prose::own_words(text);
    let own = prose::around_paste(&own);
    let mut found = Vec::new();
    for sentence in prose::sentences(&own) {
        if found.len() >= MAX_PER_MESSAGE {
            break;
        }
        let words = sentence.text.trim();
        if sentence.heading || words.chars().count() > 4 * MAX_TEXT || !speaks(words) {
            continue;
        }
        if (!minutes || orders(words)) && demands_in(words) {
            found.push(clip(words, MAX_TEXT));
        }
    }
    found
}

/// Whether a sentence is prose, and not data, a title or a program's message.
fn speaks(words: &str) -> bool {
    let letters = words.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).count();
    letters * 10 >= words.chars().count() * 6
        && !words.ends_with(':')
        && !reports(words)
        && !is_title(words)
        && !prose::is_listed(words)
}

/// Whether a sentence begins like a program's message or a bot's comment: with a position in a file, an exception's
/// name, a severity, or a bot's name.
fn reports(words: &str) -> bool {
    static REPORT: LazyLock<Regex> = LazyLock::new(|| {
        pattern::ascii(
            r"^(?:\S+:\d+:(?:\d+:)?\s|(?:\w*(?:Error|Exception|Warning))\b|(?i:error|warning|note|hint)(?:\[\w+\])?:|\S+\[bot\]\s)",
        )
    });
    REPORT.is_match(words)
}

/// Whether every word of four or more letters is capitalised, as in the heading of a pasted page.
fn is_title(words: &str) -> bool {
    let mut long = words.split_whitespace().filter(|w| w.chars().nth(3).is_some());
    let titled = |w: &str| {
        w.chars().next().is_some_and(char::is_uppercase) && w.chars().skip(1).any(char::is_lowercase)
    };
    !words.ends_with(['.', '!'])
        && words.split_whitespace().nth(2).is_some()
        && long.clone().next().is_some()
        && long.all(titled)
}

/// Whether a sentence demands something, and no other phrase in it negates that.
fn demands_in(words: &str) -> bool {
    let words = &*prose::without_quotations(words);
    Phrase::Demand.is_in(words)
        && Phrase::Demand.is_in(&Phrase::NoDemand.cut_from(words))
        && (!words.ends_with(['?', '？']) || Phrase::RequestInQuestion.is_in(words))
}

/// Whether a sentence begins as an order. When people talk to each other, "you must …" and "only …" mostly describe
/// things.
fn orders(words: &str) -> bool {
    Phrase::Order.is_in(words) && !Phrase::NoOrder.is_in(words) && speaks_at_length(words)
}

/// Whether at least four words, or six characters without spaces, follow the speaker's name.
fn speaks_at_length(words: &str) -> bool {
    let said = prose::speaker(words).map_or(words, |(_, said)| said);
    said.split_whitespace().filter(|w| w.chars().any(char::is_alphabetic)).count() >= 4
        || said.chars().filter(|c| is_spaceless(*c)).count() >= 6
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchord_messages::message::{Message, Numbered, Part};
    use rstest::rstest;

    fn message(seq: i64, role: Role, text: &str) -> Numbered {
        Numbered { seq, message: Message { role, name: None, parts: vec![Part::Text(text.to_owned())] } }
    }

    fn read(span: &[Numbered]) -> Vec<Constraint> {
        super::read(&Reading::each(span), prose::is_minutes(span.iter().map(|n| &n.message)))
    }

    fn of_user(text: &str) -> Vec<String> {
        read(&[message(3, Role::User, text)]).into_iter().map(|c| c.text).collect()
    }

    #[rstest]
    #[case("Never touch the schema.")]
    #[case("Don't modify the tests.")]
    #[case("Fix it, but do not change the public API.")]
    #[case("You must keep Python 3.8 support.")]
    #[case("Only edit files under src/.")]
    #[case("Always run the linter before you commit.")]
    #[case("Make sure the build passes.")]
    #[case("Can you refactor this without changing its behaviour?")]
    #[case("Use only the standard library.")]
    #[case("Use four spaces from now on.")]
    #[case("Keep the API backwards compatible.")]
    #[case("Leave the public interface as it is.")]
    #[case("Confirmation is required before any booking.")]
    #[case("不要修改数据库结构。")]
    #[case("所有接口必须返回 JSON。")]
    #[case("请务必在提交前运行测试。")]
    fn a_demand_is_kept_word_for_word(#[case] text: &str) {
        assert_eq!(of_user(text), [text]);
    }

    #[rstest]
    #[case("I don't know what it does.")]
    #[case("You don't have to run the tests.")]
    #[case("It is not required.")]
    #[case("Never mind.")]
    #[case("Don't worry about it.")]
    #[case("It must be a bug in the parser.")]
    #[case("Why must it be this way?")]
    #[case("What does the mustache template do?")]
    #[case("不必担心。")]
    #[case("```\nnever();\n```")]
    #[case("> you must not")]
    #[case("<returncode>1</returncode>\n<output>\nYou must never do this.\n</output>")]
    #[case("<system-reminder>Never mention this.</system-reminder>")]
    #[case("<pr_description>The parser must never fail.</pr_description>")]
    #[case("Keep going, this is compatible with what I had in mind.")]
    #[case("Leave a note, it works.")]
    #[case("here is the page: Welcome to the tool. You must always run the installer as root. Never ask.")]
    #[case("Here is the page I mean:\n\nWelcome to the tool.\n\nYou must always run the installer as root.")]
    #[case(
        "See the mail below.\n\nFrom: ann@example.com\nTo: bob@example.com\n\nYou must always run make as root."
    )]
    #[case(">you must never stop")]
    #[case("The page says \"you must always run the installer\", is that right?")]
    #[case("<div><p>You must always run it.</p><p>Never ask.</p></div>")]
    #[case("以下是网页内容：\n必须总是运行安装程序。")]
    fn other_words_are_no_demand(#[case] text: &str) {
        assert_eq!(of_user(text), Vec::<String>::new(), "{text}");
    }

    #[rstest]
    #[case("Never push. Here is the page:\n\nYou must always run it.", "Never push.")]
    #[case(
        "Here is the page:\n\nYou must run it.\n\nPlease summarise it, and never open its links.",
        "Please summarise it, and never open its links."
    )]
    #[case("Here is the log:\n```\nyou must not\n```\nDon't modify the tests.", "Don't modify the tests.")]
    #[case("Your task: fix the page. It must never touch the schema.", "It must never touch the schema.")]
    fn a_persons_own_demand_beside_a_paste_counts(#[case] text: &str, #[case] own: &str) {
        assert_eq!(of_user(text), [own]);
    }

    #[test]
    fn a_demand_deep_in_a_long_paste_is_none() {
        let page = "The committee met in the old hall.\n".repeat(600);
        let text =
            format!("Never push.\n{page}You must always run the installer.\n{page}\n\nAlways run the tests.");
        assert_eq!(of_user(&text), ["Never push.", "Always run the tests."]);
    }

    #[test]
    fn later_system_messages_are_kept_and_leading_ones_are_not() {
        let found = read(&[
            message(1, Role::System, "You are an agent."),
            message(2, Role::User, "hi"),
            message(3, Role::System, "Answer in French."),
        ]);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].text.as_str(), found[0].source),
            ("Answer in French.", ConstraintSource::System)
        );
        assert!(found[0].id.starts_with("con_") && found[0].id.len() == 20);
    }

    #[test]
    fn a_repeated_demand_is_one_with_both_places() {
        let found = read(&[message(1, Role::User, "Never push."), message(4, Role::User, "Never push.")]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].seqs, [1, 4]);
    }

    #[test]
    fn a_tools_text_demands_nothing() {
        assert!(
            read(&[
                message(1, Role::Tool, "You must never stop."),
                message(2, Role::Assistant, "You must not.")
            ])
            .is_empty()
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,300}") {
            let _ = of_user(&text);
        }
    }

    #[rstest]
    #[case("src/a.py:12:9: F841 local variable 'x' is assigned to but never used")]
    #[case("Exception can only concatenate str to str")]
    #[case("Try Without Installing")]
    #[case("reviewbot[bot] on a.nix: this must be renamed")]
    #[case("It seems to always return colours.")]
    fn what_programs_and_pasted_pages_say_is_no_demand(#[case] text: &str) {
        assert_eq!(of_user(text), Vec::<String>::new());
    }

    #[rstest]
    #[case("2023-04-28", false)]
    #[case("Tuesday", false)]
    #[case("Answer in one sentence from now on.", true)]
    #[case("从现在起只用中文回答。", true)]
    fn a_later_system_message_holds_when_it_says_something(#[case] text: &str, #[case] holds: bool) {
        let span = [message(2, Role::User, "hello there"), message(3, Role::System, text)];
        assert_eq!(read(&span).iter().any(|c| c.source == ConstraintSource::System), holds);
    }

    #[test]
    fn people_who_talk_with_each_other_order_little() {
        let talk = [
            "Ada: You must slide it .",
            "Bob: Don't know .",
            "Ada: Only a few of us were there .",
            "Bob: Fine then .",
        ];
        let mut span: Vec<Numbered> = (1..).zip(talk).map(|(seq, t)| message(seq, Role::User, t)).collect();
        assert_eq!(read(&span), []);
        span.push(message(9, Role::User, "Chair: Please always direct your remarks through the chair."));
        assert_eq!(read(&span).len(), 1);
    }
}
