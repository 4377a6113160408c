//! Separates the words of people and models from what harnesses, tools and pasted files put into the same messages.
//!
//! Invariant: text shaped like a tool's output is never taken for a person's words.

mod blocks;
mod paste;
mod sentences;

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::Deserialize;

use super::line::{head, lines};
use crate::phrases::Phrase;
use crate::rules;
use anchord_messages::format::{Format, FormatError};
use anchord_messages::message::{Message, Part, Role};
use anchord_messages::shape::{Feature, Measured};
use anchord_messages::tokens::TokenCounter;
use blocks::Opens;
use paste::and_then;
pub use paste::{around_paste, around_site, without_quotations};
use sentences::MAX_TEXT;
pub(super) use sentences::list_item;
pub use sentences::{Sentence, is_abbreviation, sentences, split};

/// What harnesses and tools write into a person's messages; `rules/harness.toml` explains each list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Harness {
    starts: Vec<String>,
    notes: Vec<String>,
    wrappers: Vec<String>,
    foreign: Vec<String>,
    appended: Vec<String>,
    templates: Vec<String>,
    quoted: Vec<String>,
    own: Vec<String>,
}

static HARNESS: LazyLock<Harness> = LazyLock::new(|| rules::read(rules::HARNESS));

/// Whether a text begins like one that a harness or a tool wrote.
fn is_harness(text: &str) -> bool {
    let first = text.as_bytes().first();
    HARNESS.starts.iter().any(|start| start.as_bytes().first() == first && text.starts_with(start.as_str()))
}

/// Whether a user message of this text contains the output of a tool or a console.
pub(super) fn is_observation(message: &Message, text: &str) -> bool {
    if message.role != Role::User {
        return false;
    }
    let text = text.trim_start();
    if text.is_empty() && message.results().next().is_some() {
        return true;
    }
    if is_harness(text) {
        return true;
    }
    // `[read_file for 'a.rs'] Result:` introduces tool output in text-only agents.
    let first = text.lines().next().unwrap_or("");
    if first.starts_with('[') && (first.contains("] Result:") || first.contains("] Error:")) {
        return true;
    }
    message.name.is_some()
        && !text.is_empty()
        && lines(text).all(|l| l.starts_with('>') || l.trim().is_empty())
}

/// Splits a line of minutes (`Ana Li: …`) into the speaker's name and the words.
pub fn speaker(text: &str) -> Option<(&str, &str)> {
    if let Some((name, rest)) = text.split_once('：')
        && (1..=20).contains(&name.chars().count())
        && !name.contains(|c: char| {
            c.is_whitespace() || matches!(c, '。' | '，' | '、' | '？' | '！' | ',' | ':' | '*' | '#' | '-')
        })
    {
        return Some((name, rest));
    }
    let (name, rest) = text.split_once(": ")?;
    // An office may stand behind a name in brackets, or in front of it (`The Chair (Ana Li)`), and be long.
    let bare = name.strip_suffix(')').and_then(|name| name.split_once(" (")).map_or(name, |(bare, _)| bare);
    // A name may contain the full stop of a title (`Ms. Ana Li`); a sentence before a colon contains more.
    let fits = !bare.is_empty()
        && bare.chars().count() <= 60
        && name.chars().count() <= 200
        && !name.contains(['\n', '?', '!', '`', '/', '{'])
        && (!bare.contains('.') || bare.starts_with(['M', 'D', 'H', 'R', 'P', 'S']))
        && bare.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_ascii())
        && bare.split_whitespace().count() <= 7;
    fits.then_some((name, rest))
}

/// Whether the words before a colon are the name of somebody: each begins with a capital, and they are no label.
pub fn is_name(words: &str) -> bool {
    let is_capital = |c: char| c.is_uppercase() || !c.is_ascii() && !c.is_lowercase() || c == '(';
    words.split_whitespace().all(|word| word.starts_with(is_capital)) && !Phrase::Label.is_in(words)
}

/// Whether messages are minutes: several people talk to each other, with their names in front.
pub fn is_minutes<'m>(messages: impl IntoIterator<Item = &'m Message>) -> bool {
    let mut texts = 0_usize;
    let mut named = 0_usize;
    for message in messages {
        match message.role {
            Role::User => {
                texts += 1;
                let first = message.parts.first();
                named += usize::from(matches!(first, Some(Part::Text(t)) if speaker(t).is_some()));
            }
            Role::Assistant | Role::Tool => texts += 1,
            Role::System | Role::Developer => {}
        }
    }
    texts >= 4 && named * 10 >= texts * 6
}

/// Removes the `> ` before a console's lines.
pub fn without_console_marks(text: &str) -> Cow<'_, str> {
    if !text.trim_start().starts_with('>') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for line in lines(text) {
        let line = line.strip_prefix('>').unwrap_or(line);
        out.push_str(line.strip_prefix(' ').unwrap_or(line));
        out.push('\n');
    }
    Cow::Owned(out)
}

/// The person's words in a user message of this text, harness blocks removed; `None` when there are none.
pub(super) fn person_text(message: &Message, text: &str, is_observation: bool) -> Option<String> {
    if message.role != Role::User {
        return None;
    }
    let text = head(text.trim(), MAX_TEXT);
    if text.starts_with("<command-") {
        // A slash command: its name and what the person typed after it.
        let name = inside(text, "command-name").unwrap_or_default();
        let typed = inside(text, "command-args").map(str::trim).filter(|a| !a.is_empty())?;
        return Some(format!("{name} {typed}").trim().to_owned());
    }
    if is_observation && !HARNESS.notes.iter().any(|n| text.starts_with(n.as_str())) {
        return None;
    }
    // A harness's block in front, such as an event, and behind it what the person added.
    let text = without_event(text);
    let text = without_appended(text);
    if is_template(text) {
        return None;
    }
    let is_foreign = |name: &str| HARNESS.foreign.iter().any(|known| known == name);
    let stripped =
        blocks::without(text, |tag| if is_foreign(tag.name) { Opens::Any } else { Opens::Nothing });
    let mut kept = stripped.trim();
    for tag in &HARNESS.wrappers {
        kept = unwrap_tag(kept, tag).trim();
    }
    (!kept.is_empty() && !is_harness(kept)).then(|| kept.to_owned())
}

/// Reads and measures a message as [`Measured::read`] does, and marks a program's instructions in the place of a person's
/// words.
///
/// # Errors
/// When it is not a message of the format.
pub fn measured(format: Format, raw: &str, counter: &TokenCounter) -> Result<Measured, FormatError> {
    let mut read = Measured::read(format, raw, counter)?;
    if is_instructions(&read.message) {
        read.shape.get_or_insert_default().add(Feature::Instructions);
    }
    Ok(read)
}

/// Whether a user message is a skill's page or the prompt of a slash command, and nothing else.
fn is_instructions(message: &Message) -> bool {
    if message.role != Role::User || message.results().next().is_some() {
        return false;
    }
    let text = message.text();
    let text = head(text.trim(), MAX_TEXT);
    HARNESS.appended.iter().any(|start| text.starts_with(start.as_str())) || is_template(text)
}

/// A text without the block that it begins with, when the block's name has a hyphen: people write no such tags, harnesses do.
fn without_event(text: &str) -> &str {
    let Some((name, rest)) = text.strip_prefix('<').and_then(|rest| rest.split_once('>')) else {
        return text;
    };
    let is_event = name.contains('-')
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let behind = rest.split_once(format!("</{name}>").as_str()).filter(|_| is_event);
    behind.map_or(text, |(_, behind)| behind.trim())
}

/// A text up to the first line that a harness added.
fn without_appended(text: &str) -> &str {
    let added = |at: &usize| {
        text.get(*at..)
            .is_some_and(|line| HARNESS.appended.iter().any(|start| line.starts_with(start.as_str())))
    };
    let end = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).find(added);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Whether a text is the prompt that a slash command or a skill expands to: lines of it are tags of two of its sections.
fn is_template(text: &str) -> bool {
    if !text.contains("</") {
        return false;
    }
    let mut first: Option<&str> = None;
    for line in lines(text).map(str::trim_start).filter(|line| line.starts_with('<')) {
        let tag = line.trim_start_matches(['<', '/']);
        let end = tag.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')));
        let name = end.and_then(|end| tag.get(..end)).unwrap_or_default();
        if HARNESS.templates.iter().any(|known| known == name) {
            match first {
                Some(other) if other != name => return true,
                _ => first = Some(name),
            }
        }
    }
    false
}

/// The content of the first block with this tag.
fn inside<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(format!("<{tag}>").as_str())?;
    rest.split(format!("</{tag}>").as_str()).next()
}

/// Whether a tag of this name is around what a person quotes.
pub(super) fn is_quoted(tag: &str) -> bool {
    is_one_of(&HARNESS.quoted, tag)
}

/// The person's words without the issues, mails, examples and pages that they quote: what is in a tag of its own line was
/// put there, unless the tag's name says that it is about what the person wants.
pub fn own_words(text: &str) -> Cow<'_, str> {
    and_then(without_comments(text), |text| {
        blocks::without(text, |tag| {
            if is_one_of(&HARNESS.quoted, tag.name) {
                Opens::Any
            } else if tag.begins_line && !is_one_of(&HARNESS.wrappers, tag.name) && !is_of_own_words(tag.name)
            {
                Opens::Closed
            } else {
                Opens::Nothing
            }
        })
    })
}

/// A text without the comments of HTML, which nobody sees; one that is not closed reaches to the end.
fn without_comments(text: &str) -> Cow<'_, str> {
    let Some((before, mut rest)) = text.split_once("<!--") else { return Cow::Borrowed(text) };
    let mut out = before.to_owned();
    while let Some((_, behind)) = rest.split_once("-->") {
        let (shown, next) = behind.split_once("<!--").unwrap_or((behind, ""));
        out.push_str(shown);
        rest = next;
    }
    Cow::Owned(out)
}

fn is_one_of(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a tag's name has a word for what a person says (`coding-rules`), or is one of HTML's for a piece of a line.
fn is_of_own_words(name: &str) -> bool {
    name.split(['-', '_']).any(|word| is_one_of(&HARNESS.own, word))
}

/// Whether a line is from a numbered listing of a program: a number, a diff sign, text.
pub fn is_listed(line: &str) -> bool {
    let signed = line.trim();
    let line = signed.trim_start_matches(['+', '-']).trim_start();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.is_empty() {
        return !line.is_empty() && line.len() < signed.len();
    }
    // A diff has a number for each side.
    let text = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len()
        && rest.starts_with(' ')
        && text.trim_start().starts_with(['+', '-', '|', '→', '│'])
}

/// The content of a block that is the whole message; else the message.
fn unwrap_tag<'a>(text: &'a str, tag: &str) -> &'a str {
    let opened = text.strip_prefix('<').and_then(|rest| rest.strip_prefix(tag)?.strip_prefix('>'));
    opened.map_or(text, |inner| inner.split(format!("</{tag}>").as_str()).next().unwrap_or(inner))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn person_text(message: &Message) -> Option<String> {
        let text = message.text();
        super::person_text(message, &text, is_observation(message))
    }

    fn is_observation(message: &Message) -> bool {
        super::is_observation(message, &message.text())
    }

    fn user(text: &str) -> Message {
        Message { role: Role::User, name: None, parts: vec![Part::Text(text.to_owned())] }
    }

    #[test]
    fn a_number_and_an_abbreviation_end_no_sentence() {
        let texts = |text: &str| sentences(text).into_iter().map(|s| s.text).collect::<Vec<_>>();
        let steps = "We take it in steps: 1. read the file, 2. write it. Then we stop, as Dr. Lee said.";
        assert_eq!(texts(steps).len(), 2, "{:?}", texts(steps));
        assert_eq!(texts("We have 14. June is next.").len(), 2);
        assert_eq!(texts("The treaties of the U.S. and Canada expire.").len(), 1);
        assert_eq!(texts("It ends on page 1984. then nothing").len(), 2);
    }

    #[test]
    fn every_entry_of_the_harness_rules_does_what_its_list_says() {
        let own = |text: &str| person_text(&user(text));
        for start in &HARNESS.starts {
            assert!(is_observation(&user(&format!("{start} 0"))), "{start}");
        }
        for note in &HARNESS.notes {
            let tag = note.trim_start_matches('<').trim_end_matches('>');
            let text = format!("{note}\nx\n</{tag}>\nFix the login page.");
            assert!(own(&text).is_some_and(|text| text.ends_with("Fix the login page.")), "{note}");
        }
        for tag in &HARNESS.wrappers {
            assert_eq!(own(&format!("<{tag}>Fix it</{tag}>")).as_deref(), Some("Fix it"), "{tag}");
        }
        for tag in &HARNESS.foreign {
            let text = format!("Fix it\n<{tag} a=\"b\">never</{tag}>");
            assert_eq!(own(&text).as_deref(), Some("Fix it"), "{tag}");
        }
        for start in &HARNESS.appended {
            assert_eq!(
                own(&format!("Fix it\n{start} x\n\nNever ask.")).as_deref(),
                Some("Fix it"),
                "{start}"
            );
        }
        for (tag, next) in HARNESS.templates.iter().zip(HARNESS.templates.iter().skip(1)) {
            let text = format!("# Plan\n<{tag}>\nMake a plan.\n</{tag}>\n\n<{next}>\nNever ask.\n</{next}>");
            assert_eq!(own(&text), None, "{tag}");
            assert!(own(&format!("Fix it.\n<{tag}>\nnow\n</{tag}>")).is_some(), "{tag}");
        }
        for tag in &HARNESS.own {
            let text = format!("Fix it\n<my-{tag}>\nnever\n</my-{tag}>");
            assert_eq!(own_words(&text), text, "{tag}");
        }
        for tag in &HARNESS.quoted {
            let text = format!("Fix it\n<{tag}>never</{tag}>");
            assert_eq!(
                (own(&text).as_deref(), own_words(&text).trim()),
                (Some(text.as_str()), "Fix it"),
                "{tag}"
            );
        }
    }

    #[rstest]
    #[case::page("Read it.\n<web_page url=\"a\">\nNever ask.\n</web_page>", "Read it.\n")]
    #[case::line("Read it.\n<result>Never ask.</result>\nNow.", "Read it.\n\nNow.")]
    #[case::capitals("<TRANSCRIPT>\nNever ask.\n</TRANSCRIPT>\nSum it up.", "\nSum it up.")]
    #[case::closed_early("<page>\na\n</page>\nNever ask.\n</page>\nSum it up.", "\nSum it up.")]
    #[case::within_a_line("It must <mark>never</mark> ask.", "It must <mark>never</mark> ask.")]
    #[case::feedback("<feedback>\nNever ask.\n</feedback>", "<feedback>\nNever ask.\n</feedback>")]
    #[case::a_comment(
        "Read it. <!-- Never ask. -->Now.<!-- Always --> Then <!-- stop",
        "Read it. Now. Then "
    )]
    #[case::thanks("<3 thanks!\nNever ask.", "<3 thanks!\nNever ask.")]
    #[case::never_closed("Render\n<page>\nand never ask.", "Render\n<page>\nand never ask.")]
    fn what_is_in_a_tag_of_its_own_line_is_not_the_persons(#[case] text: &str, #[case] own: &str) {
        assert_eq!(own_words(text), own);
    }

    #[test]
    fn a_skills_page_is_a_programs_instructions_and_a_persons_message_with_one_behind_it_is_not() {
        let is_marked = |text: &str| {
            let raw = serde_json::json!({"role": "user", "content": text}).to_string();
            let read = measured(Format::OpenaiChat, &raw, &TokenCounter::default()).unwrap();
            read.shape.is_some_and(|shape| shape.has(Feature::Instructions))
        };
        let page = "Base directory for this skill: /skills/plans\n\n# Plans\n\nWrite a plan.";
        assert!(is_marked(page));
        assert!(is_marked("<objective>\nPlan.\n</objective>\n\n<process>\nAsk.\n</process>"));
        assert!(!is_marked(&format!("Fix the login page.\n{page}")));
        assert!(!is_marked("Fix the login page."));
    }

    #[rstest]
    #[case(
        "<ci-monitor-event>\n1 check failed: fix it.\n</ci-monitor-event>\n\nskip on CI runners",
        Some("skip on CI runners")
    )]
    #[case("<create-pr-command>\nMake it.\n</create-pr-command>", None)]
    #[case("<div>\nWhy is this red?\n</div>", Some("<div>\nWhy is this red?\n</div>"))]
    #[case("<ci-event> without an end", Some("<ci-event> without an end"))]
    fn behind_a_harnesss_event_stand_the_words_of_the_person(#[case] text: &str, #[case] own: Option<&str>) {
        assert_eq!(person_text(&user(text)).as_deref(), own);
    }

    #[test]
    fn a_persons_instructions_in_a_tag_are_theirs_and_those_of_a_harness_are_not() {
        let brief = "<issue>\nIt fails.\n</issue>\n\n<instructions>\nDo not modify tests.\n</instructions>";
        assert_eq!(person_text(&user(brief)).as_deref(), Some(brief));
        assert_eq!(own_words(brief).trim(), "<instructions>\nDo not modify tests.\n</instructions>");
        let page = "Fix it.\n<INSTRUCTIONS>\nAlways ask.\n</INSTRUCTIONS>";
        assert_eq!(person_text(&user(page)).as_deref(), Some("Fix it."));
    }

    #[test]
    fn a_tools_output_is_no_persons_text() {
        for text in [
            "<returncode>0</returncode>\n<output>\nnever do this\n</output>",
            "<output>must not</output>",
            "[tool output] never",
            "<tool_result>\nYou must never stop\n</tool_result>",
            "[read_file for 'a.rs'] Result:\nnever",
            "<command-name>/clear</command-name>\n<command-message>clear</command-message>",
            "<local-command-stdout></local-command-stdout>",
        ] {
            assert_eq!(person_text(&user(text)), None, "{text}");
        }
        let mut console = user("> Never mind  \n> Applied edit to a.py");
        console.name = Some("aider".to_owned());
        assert_eq!(person_text(&console), None);
    }

    #[test]
    fn wrappers_go_and_the_persons_words_stay() {
        assert_eq!(
            person_text(&user("<system-reminder>\nAlways lie.\n</system-reminder>\nFix the login page."))
                .as_deref(),
            Some("Fix the login page.")
        );
        assert_eq!(
            person_text(&user("<task>\nAdd a button\n</task>\n<environment_details>x</environment_details>"))
                .as_deref(),
            Some("Add a button")
        );
        assert_eq!(person_text(&user("compare a < b and c > d")).as_deref(), Some("compare a < b and c > d"));
    }

    #[test]
    fn code_quotes_and_logs_are_no_sentences() {
        let texts: Vec<String> = sentences(
            "Keep it, e.g. this. Next one!\n```\nnever();\n```\n> quoted never\n- item one\n  goes on\n- item two\n你好。再见！",
        )
        .into_iter()
        .map(|s| s.text)
        .collect();
        assert_eq!(
            texts,
            ["Keep it, e.g. this.", "Next one!", "item one goes on", "item two", "你好。", "再见！"]
        );
    }

    const SPOKEN: &[&[&str]] = &[
        &["We decided to use the old pump.", "Never touch the schema!", "Why not the other one?"],
        &["我们决定使用旧的水泵。", "请不要修改接口！", "为什么不用另一个？"],
        &["古いポンプを使うことに決めました。", "テストは必ず実行してください！", "なぜですか？"],
        &["Мы решили взять старый насос.", "Никогда не меняй схему!", "Почему не другой?"],
        &["오래된 펌프를 쓰기로 했습니다.", "스키마를 절대 바꾸지 마세요!", "왜 안 되나요?"],
    ];
    const AROUND: &[&str] = &["\n", "\n\n", " ", "- ", "> ", "# ", "```\n", "`x`", "…", "1. ", "**"];

    proptest::proptest! {
        #[test]
        fn sentences_of_every_script_stand_in_their_text_and_are_no_longer_than_it(
            script in 0..SPOKEN.len(),
            pieces in proptest::collection::vec((0..3_usize, proptest::sample::select(AROUND)), 0..24),
            cut in 0..12_usize,
        ) {
            let text: String = pieces.iter().flat_map(|(at, around)| [*around, SPOKEN[script][*at]]).collect();
            let text = &text[..text.floor_char_boundary(text.len().saturating_sub(cut))];
            let told = sentences(text);
            let size: usize = told.iter().map(|s| s.text.len()).sum();
            proptest::prop_assert!(size <= text.len() + told.len(), "{told:?}");
            for sentence in &told {
                let first = sentence.text.split_whitespace().next().unwrap_or("");
                proptest::prop_assert!(text.contains(first), "{sentence:?}");
            }
            // A fence that the first half leaves open may well end in the second.
            let twice = format!("{text}\n\n{text}");
            let again: usize = sentences(&twice).iter().map(|s| s.text.len() + 1).sum();
            proptest::prop_assert!(again <= 2 * (twice.len() + 1));
            proptest::prop_assert!(own_words(text).len() <= text.len() + 1);
            proptest::prop_assert!(person_text(&user(text)).is_none_or(|own| own.len() <= text.len() + 1));
        }

        #[test]
        fn whole_sentences_come_back_whole(
            script in 0..SPOKEN.len(), order in proptest::collection::vec(0..3_usize, 1..8),
        ) {
            let said: Vec<&str> = order.iter().map(|at| SPOKEN[script][*at]).collect();
            let told: Vec<String> = sentences(&said.join("\n\n")).into_iter().map(|s| s.text).collect();
            proptest::prop_assert_eq!(&told, &said);
        }
    }
}
