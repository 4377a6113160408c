//! Choices: what people answered when the agent had asked, each with its question.
//!
//! Invariant: both halves are quoted; an answer that only says to go on, or asks back, chooses nothing.

use super::line::{clip, squash};
use super::prose::{self, list_item};
use super::reading::Reading;
use super::requests::{
    WORDS_OF_ANSWER, is_automatic, is_mark, is_pleasantry, is_slash_command, questions, substance, works,
};
use super::statements::{Stated, Statement};
use crate::matter::Matter;
use crate::phrases::Phrase;
use anchord_messages::id::Seq;
use anchord_messages::message::Role;

/// The most words of a message that begins with a choice and gives reasons, or asks for something beside it.
const WORDS_OF_CHOICE: usize = 40;
/// The longest question, option and answer, in characters.
const LONGEST_QUESTION: usize = 160;
const LONGEST_OPTION: usize = 120;
const LONGEST_ANSWER: usize = 300;
/// The most lines that are below a list of options, the question among them.
const LINES_TO_QUESTION: usize = 4;
/// The most answers of one message.
const MOST_ANSWERS: usize = 12;

/// The choices of a span. With `minutes`, people talk to each other.
pub(super) fn read(span: &[Reading<'_>], minutes: bool) -> Vec<Statement> {
    let mut found = Vec::new();
    if minutes {
        return found;
    }
    let mut asked: Option<&Reading<'_>> = None;
    for reading in span {
        match (reading.message.role, reading.person()) {
            (Role::User, Some(said)) => {
                if let Some(asked) = asked.take() {
                    found.extend(choices(asked, said, reading.seq));
                }
            }
            (Role::Assistant, _) => asked = Some(reading).filter(|one| !works(one.message, one.text())),
            (Role::Tool, _) => asked = None,
            (Role::User | Role::System | Role::Developer, _) => {}
        }
    }
    found
}

fn choices(asked: &Reading<'_>, said: &str, seq: Seq) -> Vec<Statement> {
    let said = prose::around_site(said);
    let own = prose::own_words(said.trim());
    let text = own.trim();
    let is_other = text.is_empty()
        || Phrase::GoOn.is_in(text)
        || is_mark(text)
        || is_slash_command(text)
        || is_automatic(text)
        || is_pleasantry(text)
        || Phrase::Greeting.is_in(text)
        // A command of the person's own terminal, or what somebody else said.
        || text.starts_with(['!', '>'])
        || text.starts_with("```");
    let Some(question) = questions(asked.sentences()).pop().filter(|_| !is_other) else { return Vec::new() };
    let seqs = vec![asked.seq, seq];
    let choice = |question: &str, answer: &str| Statement {
        section: Stated::Decision,
        text: format!(
            "{} → {}",
            clip(&squash(question), LONGEST_QUESTION),
            clip(&squash(answer), LONGEST_ANSWER)
        ),
        reason: String::new(),
        rejected: String::new(),
        by: None,
        seqs: seqs.clone(),
    };
    let answers = numbered(text);
    if answers.len() > 1 {
        let items = numbered(asked.text());
        let pairs = answers.iter().take(MOST_ANSWERS).filter_map(|(number, answer)| {
            // The last list of the agent's holds its questions.
            let (_, question) = items.iter().rev().find(|(other, _)| other == number)?;
            Some(choice(question, answer))
        });
        return pairs.collect();
    }
    // The agent offers what it could do next, and the person asks for something else.
    let is_about_it = || Phrase::Answer.is_in(text) || Matter::of(text).shared(&Matter::of(&question)) > 0;
    if Phrase::Offers.is_in(&question) && !is_about_it() {
        return Vec::new();
    }
    let words = substance(text);
    let is_one = words <= WORDS_OF_ANSWER || words <= WORDS_OF_CHOICE && Phrase::Answer.is_in(text);
    if !is_one || text.ends_with(['?', '？']) {
        return Vec::new();
    }
    let option = named_option(text).and_then(|number| {
        let (_, option) = options(asked.text(), &question).into_iter().find(|(other, _)| *other == number)?;
        Some(format!("{text} ({})", clip(&squash(&option), LONGEST_OPTION)))
    });
    vec![choice(&question, option.as_deref().unwrap_or(text))]
}

/// The items of numbered lists, each with the lines that belong to it.
fn numbered(text: &str) -> Vec<(u32, String)> {
    let mut items: Vec<(u32, String)> = Vec::new();
    let mut is_within = false;
    for line in text.lines().map(str::trim) {
        let bare = line.trim_start_matches(['*', '#', ' ']);
        let number = bare.split_once(['.', ')']).and_then(|(number, _)| number.parse().ok());
        let item = number.and_then(|number| Some((number, list_item(bare)?)));
        if let Some((number, item)) = item {
            items.push((number, item.replace("**", "")));
            is_within = true;
        } else if line.is_empty() {
            is_within = false;
        } else if let Some((_, last)) =
            items.last_mut().filter(|last| is_within && last.1.len() < LONGEST_ANSWER)
        {
            last.push(' ');
            last.push_str(line);
        }
    }
    items
}

/// The options of a question: the last list of the message, if the question is beside it and asks for no amount. A number is
/// not looked up in another list: what the agent did, or what a page says, is nothing that somebody chose.
fn options(asked: &str, question: &str) -> Vec<(u32, String)> {
    let (mut list, mut before, mut after) = (Vec::new(), "", Vec::new());
    let mut is_fenced = false;
    for raw in asked.lines().filter(|line| !line.trim().is_empty()) {
        let line = raw.trim();
        is_fenced ^= line.starts_with("```");
        let is_item = !is_fenced && matches!(numbered(line).as_slice(), [_]);
        if is_item && (!after.is_empty() || list.is_empty()) {
            before = after.last().copied().unwrap_or(before);
            list.clear();
            after.clear();
        }
        // An item goes on in the indented lines below it.
        if is_item || !list.is_empty() && after.is_empty() && raw.starts_with("  ") {
            list.push(line);
        } else {
            after.push(line);
        }
    }
    let asks = |line: &str| line.ends_with(['?', '？']) || Phrase::Asks.is_in(line);
    let is_near = after.len() <= LINES_TO_QUESTION && after.iter().any(|line| asks(line))
        || after.is_empty() && asks(before);
    if is_near && !Phrase::Amount.is_in(question) { numbered(&list.join("\n")) } else { Vec::new() }
}

/// The number of an option that is named by it alone: `2`, `option 2`, `the second one`.
fn named_option(text: &str) -> Option<u32> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(WORDS_OF_ANSWER)
        .map(str::to_lowercase)
        .collect();
    let ordinals = ["first", "second", "third", "fourth"];
    let is_label = |word: &str| matches!(word, "option" | "number" | "approach" | "variant" | "answer");
    words.iter().enumerate().find_map(|(at, word)| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let number =
            word.parse().ok().filter(|_| words.len() == 1 || before.is_some_and(|label| is_label(label)));
        let ordinal =
            || ordinals.iter().position(|one| one == word).and_then(|place| u32::try_from(place + 1).ok());
        number.or_else(|| {
            ordinal().filter(|_| words.get(at + 1).is_some_and(|next| next == "one" || is_label(next)))
        })
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::tests::Talk;
    use super::*;

    #[rstest]
    #[case::a_choice("Shall I take a queue or a lock?", "a queue, please", &["Shall I take a queue or a lock? → a queue, please"])]
    #[case::more_than_a_choice(
        "Ready to build it?",
        "no, write the plan first and put the reasons for each of its steps into a table of its own",
        &["Ready to build it? → no, write the plan first and put the reasons for each of its steps into a table of its own"]
    )]
    #[case::an_option(
        "Two ways:\n1. **A queue** - one writer\n2. **A lock** - many\n\nWhich approach?",
        "ok, option 2 for now",
        &["Which approach? → ok, option 2 for now (A lock - many)"]
    )]
    #[case::an_option_of_a_list_below(
        "Which approach?\n1. A queue\n   for one writer\n2. A lock",
        "2",
        &["Which approach? → 2 (A lock)"]
    )]
    #[case::an_amount(
        "I did:\n1. drop the table\n2. tests\n\nHow many retries do you want?",
        "1",
        &["How many retries do you want? → 1"]
    )]
    #[case::a_list_far_off(
        "Which way shall I take?\n\nThe page says:\n1. drop the table\n2. stop",
        "1",
        &["Which way shall I take? → 1"]
    )]
    #[case::a_list_in_a_fence(
        "```\n1. drop the table\n2. stop\n```\nShall I take 1 (keep) or 2 (skip)?",
        "1",
        &["Shall I take 1 (keep) or 2 (skip)? → 1"]
    )]
    #[case::each_of_several(
        "Before I begin:\n1. Which port?\n2. Are logs needed?\n\nCan you tell me?",
        "1. 8080, as in\nthe old service\n2. no",
        &["Which port? → 8080, as in the old service", "Are logs needed? → no"]
    )]
    #[case::going_on("Shall I go on?", "yes, please", &[])]
    #[case::a_question_back("Shall I take a queue or a lock?", "which one is faster?", &[])]
    #[case::another_task(
        "Shall I take a queue or a lock?",
        "First look at how the old importer reads its files and tell me which of its tests still matter to anybody",
        &[]
    )]
    #[case::a_report("I took a queue.", "a lock, please", &[])]
    #[case::a_greeting("Which project is it?", "hello there", &[])]
    #[case::a_quotation("Which way?\n1. a queue\n2. a lock", "> 2", &[])]
    #[case::a_command_of_a_terminal("Which project is it?", "!ls", &[])]
    #[case::an_offer_passed_over("Would you like me to change the file?", "translate the readme to French", &[])]
    #[case::an_offer_taken_up("Would you like me to change the file?", "only its second file", &["Would you like me to change the file? → only its second file"])]
    fn of_what_was_asked(#[case] asked: &str, #[case] answer: &str, #[case] expected: &[&str]) {
        let talk = Talk::new().user("Build the importer").assistant(asked).user(answer);
        let found = read(&Reading::each(talk.span()), false);
        let told: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(told, expected);
        assert!(found.iter().all(|one| one.seqs == [2, 3] && one.section == Stated::Decision));
    }
}
