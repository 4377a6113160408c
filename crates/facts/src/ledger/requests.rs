//! Requests: what people ask for, in their words, and what each message says about earlier requests.
//!
//! Invariant: a request is a person's own message; nothing that a tool printed, a harness wrote or a person pasted
//! is one.
//! The result does not depend on where a session is cut into spans, because messages are read in order and the state
//! passes from span to span.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::LedgerState;
use super::line::{clip, clip_middle, squash};
use super::prose::{self, Sentence};
use super::reading::Reading;
use super::tools::{self, Kind};
use crate::matter::Matter;
use crate::phrases::Phrase;
use anchord_messages::id::Seq;
use anchord_messages::message::{Message, Role};
use anchord_messages::script::is_spaceless;

/// The tools that present a plan to a person.
pub const PLAN_TOOLS: [&str; 4] = ["ExitPlanMode", "exit_plan_mode", "present_plan", "submit_plan"];
/// The longest request, in characters; of a longer one, the beginning and the end are kept.
pub const LONGEST_REQUEST: usize = 6_000;
/// A longer text may have a harness's instructions, with examples, in bytes.
const LONG_BRIEF: usize = 2_000;
/// A longer one is a paste.
const LONGEST_BRIEF: usize = 64 * 1024;
/// The longest message that may drop or replace an earlier request, in characters; a longer one is a new task.
const LONGEST_CHANGE: usize = 1_500;
/// The most words of a plain answer to the agent's question; a longer message also asks for something.
pub(super) const WORDS_OF_ANSWER: usize = 12;
/// A message with fewer words that asks to continue asks for nothing else.
const WORDS_OF_REQUEST: usize = 8;
/// A longer message asks for work, however it is put.
const WORDS_OF_ASIDE: usize = 20;
/// The most words of a slash command for the agent's program; a longer one is a request to the agent.
const WORDS_OF_SLASH_COMMAND: usize = 4;
/// The most questions that are kept at the end of a turn.
const MOST_QUESTIONS: usize = 4;
/// The longest question, in characters.
const LONGEST_QUESTION: usize = 300;

/// What one message of a person means for requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RequestFact {
    /// The request; empty when it is only about earlier ones.
    pub text: String,
    /// What it says about the open requests.
    pub earlier: Earlier,
    /// Whether it answers the agent's question, so that what was asked before it is not over.
    pub answers: bool,
    /// The message.
    pub seqs: Vec<Seq>,
}

/// What a message says about earlier requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Earlier {
    /// Nothing: they stay open.
    Stand,
    /// They are done: the agent had ended its turn, and the person continues with something else.
    Done,
    /// The latest is withdrawn.
    Dropped,
    /// The latest is replaced by this one.
    Superseded,
    /// The one that it speaks of is replaced by this one.
    Revised,
}

/// How the agent's last message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// With a report; it waits for the person.
    Report,
    /// With the report that something is not done; it waits for the person.
    Unfinished,
    /// With a question; it waits for the person.
    Question,
}

/// The requests and questions of a span.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Requests {
    /// The messages of people, in order.
    pub facts: Vec<RequestFact>,
    /// Whether a person wrote, which answers earlier questions.
    pub answered: bool,
    /// The agent's questions at the span's end.
    pub questions: Vec<(String, Seq)>,
    /// How the agent's last message ended; `None` while it is still working.
    pub ending: Option<Ending>,
    /// The question with which it ended.
    pub question: Option<String>,
}

/// The requests of a span that goes on after `before`. With `minutes`, people talk to each other.
pub(super) fn read(span: &[Reading<'_>], minutes: bool, before: &LedgerState) -> Requests {
    let mut all =
        Requests { ending: before.ending, question: before.question.clone(), ..Requests::default() };
    if minutes {
        return all;
    }
    // Calls whose results only the harness writes.
    let mut calls: HashSet<&str> = HashSet::new();
    for reading in span {
        let Reading { seq, message, .. } = reading;
        calls.extend(message.calls().filter(|call| is_up_to_a_person(&call.name)).map(|call| &*call.id));
        let results = message.results().filter(|result| calls.contains(&*result.call_id));
        for said in results.filter_map(|result| rejection(&result.text())) {
            all.facts.extend(fact(&said, (None, None), *seq));
            all.answered = true;
        }
        match (message.role, reading.person()) {
            (Role::User, Some(said)) => {
                all.facts.extend(fact(said, (all.ending, all.question.as_deref()), *seq));
                all.answered = true;
                all.questions.clear();
                all.ending = None;
            }
            (Role::Assistant, _) => {
                let words = reading.text();
                if works(message, words) {
                    all.ending = None;
                } else if !words.trim().is_empty() {
                    let asked = questions(reading.sentences());
                    let asks = !asked.is_empty();
                    // Earlier questions stay open until somebody answers or the agent asks others.
                    all.question = asked.last().cloned();
                    if asks {
                        all.questions = asked.into_iter().map(|text| (text, *seq)).collect();
                    }
                    all.ending = Some(match asks {
                        true => Ending::Question,
                        false if is_unfinished(words) => Ending::Unfinished,
                        false => Ending::Report,
                    });
                }
            }
            // After a tool's output the agent is working; a harness's message changes nothing.
            (Role::User | Role::Tool, _) => all.ending = all.ending.filter(|_| message.role == Role::User),
            (Role::System | Role::Developer, _) => {}
        }
    }
    all
}

/// Whether a call presents a plan or changes a file: its result is the harness's own, so that no page or program can write what
/// [`rejection`] reads.
fn is_up_to_a_person(tool: &str) -> bool {
    PLAN_TOOLS.contains(&tool)
        || matches!(tools::tool(tool).kind, Kind::Create | Kind::Write | Kind::Edit | Kind::Patch)
}

/// The words with which a person rejected a call.
fn rejection(result: &str) -> Option<String> {
    let (before, said) = result.split_once("the user said:")?;
    let is_rejected = before.starts_with("The user doesn't want to proceed with this tool use");
    // The harness may add a note of its own.
    let said = said.split("\n\nNote: ").next().unwrap_or(said).trim();
    (is_rejected && !said.is_empty()).then(|| said.to_owned())
}

/// Whether the agent is still working: it calls tools, or its text ends in a command for its harness.
pub(super) fn works(message: &Message, words: &str) -> bool {
    let fenced = || {
        let fences = ["```bash", "```sh", "```shell", "```tool_code", "```mswea_bash_command"];
        words.trim_end().ends_with("```") && fences.iter().any(|fence| words.contains(fence))
    };
    message.calls().next().is_some()
        || words.contains("<execute_bash>")
        || words.contains("</function>")
        || fenced()
}

/// The questions in the last sentences.
pub(super) fn questions(sentences: &[Sentence]) -> Vec<String> {
    // A list of options may follow the question.
    let last = sentences
        .iter()
        .filter(|sentence| !sentence.listed)
        .rev()
        .take(8)
        .collect::<Vec<_>>()
        .into_iter()
        .rev();
    let asks = |text: &str| {
        (text.ends_with(['?', '？']) || Phrase::Asks.is_in(text))
            && text.chars().count() >= 8
            && !Phrase::Courtesy.is_in(text)
            && !is_condition(text)
    };
    let mut found: Vec<String> = last
        .map(|s| s.text.trim())
        .filter(|text| asks(text))
        .map(|text| clip(&squash(text), LONGEST_QUESTION))
        .collect();
    let surplus = found.len().saturating_sub(MOST_QUESTIONS);
    found.drain(..surplus);
    found
}

/// Whether a text is the beginning of a conditional expression in code (`x = a ?`).
fn is_condition(text: &str) -> bool {
    text.ends_with(" ?") && text.contains(['=', '(', ';', '{', '`'])
}

/// Whether the agent says, at the beginning or the end of its message, that something is not done.
fn is_unfinished(words: &str) -> bool {
    let head: String = words.chars().take(300).collect();
    let from = words.char_indices().rev().nth(299).map_or(0, |(at, _)| at);
    Phrase::Unfinished.is_in(&head) || words.get(from..).is_some_and(|tail| Phrase::Unfinished.is_in(tail))
}

/// What a person's message asks for; `question` is the one with which the agent's turn ended.
fn fact(said: &str, (ending, question): (Option<Ending>, Option<&str>), seq: Seq) -> Option<RequestFact> {
    let said = prose::around_site(said);
    let said = said.trim();
    let own = prose::own_words(said);
    let own = own.trim();
    // A message that is pasted as a whole still asks for something.
    let is_pasted = own.is_empty();
    let text = if is_pasted { said } else { own };
    if text.is_empty() || is_mark(text) || is_slash_command(text) || is_automatic(text) {
        return None;
    }
    let said = template(said).unwrap_or(said);
    let seqs = vec![seq];
    // But it changes nothing: nobody says these words here.
    let (change, words) = (change(text).filter(|_| !is_pasted), substance(text));
    if is_pleasantry(text) && !is_pasted {
        let earlier = if ending == Some(Ending::Report) { Earlier::Done } else { Earlier::Stand };
        let answers = false;
        return (earlier != Earlier::Stand).then_some(RequestFact {
            text: String::new(),
            earlier,
            answers,
            seqs,
        });
    }
    let goes_on = Phrase::GoOn.is_in(text) || continues(text) && words < WORDS_OF_REQUEST;
    let question = question.filter(|_| ending == Some(Ending::Question));
    if change.is_none() && (goes_on || question.is_some() && words <= WORDS_OF_ANSWER) {
        // Who gives the leave that the agent asked for, asks for just that.
        let asked = question.filter(|asked| Phrase::AsksLeave.is_in(asked) && Phrase::GoOn.is_in(text))?;
        let text = format!("{} (asked: {asked})", squash(text));
        return Some(RequestFact { text, earlier: Earlier::Stand, answers: true, seqs });
    }
    let earlier = match (change, ending) {
        (Some(change), _) => change,
        (None, Some(Ending::Report)) if !complains(text) && !continues(text) && !is_aside(text) => {
            Earlier::Done
        }
        (None, _) => Earlier::Stand,
    };
    let asks = (words >= 2 || Phrase::OneWordOrder.is_in(text))
        && !Phrase::Greeting.is_in(text)
        && !(earlier == Earlier::Dropped && words < 5);
    let text =
        if asks { clip_middle(&paragraphs(&without_examples(said)), LONGEST_REQUEST) } else { String::new() };
    let answers = question.is_some_and(|question| !Phrase::Offers.is_in(question));
    (asks || earlier != Earlier::Stand).then_some(RequestFact { text, earlier, answers, seqs })
}

/// Whether a line is neither blank nor what a harness writes under every plan that it hands over.
fn tells(line: &str) -> bool {
    !line.is_empty() && !line.starts_with("If you need specific details from before exiting plan mode")
}

/// A text without lines that say nothing.
fn paragraphs(text: &str) -> String {
    let all: Vec<&str> = text.lines().map(str::trim_end).filter(|line| tells(line.trim())).collect();
    // A numbered listing that was pasted is no request; one line of it alone may be. Its long lines may be wrapped.
    let lines: Vec<&str> = text.lines().collect();
    let own: Vec<&str> = lines
        .split(|line| line.trim().is_empty())
        .filter(|block| block.iter().filter(|line| prose::is_listed(line)).count() * 4 <= block.len())
        .flatten()
        .map(|line| line.trim_end())
        .filter(|line| tells(line.trim()) && !prose::is_listed(line))
        .collect();
    if own.is_empty() || own.len() + 1 >= all.len() { all.join("\n") } else { own.join("\n") }
}

/// A long text without the examples of replies and commands that a harness's instructions have. An issue that it quotes stays
/// whole: its examples are what the task is about.
pub fn without_examples(text: &str) -> Cow<'_, str> {
    if !(LONG_BRIEF..LONGEST_BRIEF).contains(&text.len()) {
        return Cow::Borrowed(text);
    }
    let tag = |line: &str| {
        let name = line.trim().strip_prefix('<')?.strip_suffix('>')?;
        name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).then(|| name.to_owned())
    };
    let is_example = |words: &str| words.to_ascii_lowercase().contains("example");
    let of_harness = |title: &str| {
        let title = title.to_ascii_lowercase();
        ["command", "response", "action", "format"].iter().any(|word| title.contains(word))
    };
    let mut kept: Vec<&str> = Vec::new();
    let (mut quoted, mut within, mut below): (Option<String>, Option<String>, Option<usize>) =
        (None, None, None);
    let mut is_fenced = false;
    for line in text.lines() {
        let is_end = |name: &String| line.trim() == format!("</{name}>");
        if quoted.is_some() {
            quoted = quoted.filter(|name| !is_end(name));
            kept.push(line);
            continue;
        }
        if within.is_some() {
            within = within.filter(|name| !is_end(name));
            continue;
        }
        // A comment in a command is no heading.
        is_fenced ^= line.trim_start().starts_with("```");
        let level = if is_fenced { 0 } else { line.len() - line.trim_start_matches('#').len() };
        if below.is_some_and(|above| (1..=above).contains(&level) || line.starts_with("</")) {
            below = None;
        }
        if below.is_some() {
            continue;
        }
        let opened = tag(line)
            .filter(|name| is_example(name) || prose::is_quoted(name))
            .filter(|name| text.contains(&format!("</{name}>")));
        match opened {
            Some(name) if is_example(&name) => {
                // The line that introduces it.
                if kept.last().is_some_and(|line| is_example(line) && line.trim_end().ends_with(':')) {
                    kept.pop();
                }
                within = Some(name);
            }
            Some(name) => {
                quoted = Some(name);
                kept.push(line);
            }
            None if level > 0 && is_example(line) && of_harness(line) => below = Some(level),
            None => kept.push(line),
        }
    }
    Cow::Owned(kept.join("\n"))
}

/// The name of a slash command, when its template is the whole message.
fn template(said: &str) -> Option<&str> {
    let (name, rest) = said.trim().strip_prefix('<')?.split_once('>')?;
    let is_name = name.contains('-') && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    (is_name && rest.trim_end().ends_with(&format!("</{name}>"))).then_some(name)
}

/// Whether a program wrote the message: an event in a tag, or a notice in brackets.
pub(super) fn is_automatic(text: &str) -> bool {
    let is_event = |name: &str| {
        ["event", "notification", "reminder", "result", "output", "update", "status"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    let tag = text.strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(name, _)| name);
    tag.is_some_and(|name| name.contains('-') && !name.contains(' ') && is_event(name))
        || text.starts_with('[') && text.ends_with(']') && !text[1..].contains('[') && text.contains(' ')
}

/// The number of words; in scripts without spaces, two characters count as one.
pub fn substance(text: &str) -> usize {
    let spaceless = text.chars().filter(|c| is_spaceless(*c)).count();
    text.split_whitespace().take(50).count() + spaceless / 2
}

/// Whether a text is a mark for a program (`###STOP###`, `<END>`, `[DONE]`) or has only punctuation.
pub(super) fn is_mark(text: &str) -> bool {
    let word = text.trim_matches(|c: char| c.is_ascii_punctuation() && c != '_');
    let marked = |c: Option<char>| c.is_some_and(|c| matches!(c, '#' | '<' | '>' | '[' | ']' | '*' | '|'));
    let is_token = marked(text.chars().next())
        && marked(text.chars().next_back())
        && (2..=24).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    is_token || !text.chars().any(char::is_alphanumeric)
}

pub(super) fn is_slash_command(text: &str) -> bool {
    text.starts_with('/') && text.split_whitespace().count() <= WORDS_OF_SLASH_COMMAND && text.len() < 80
}

/// Whether a message asks to continue with an earlier request.
pub fn continues(text: &str) -> bool {
    let head: String = text.chars().take(200).collect();
    Phrase::Continue.is_in(&head)
}

/// Whether a request only wants an answer, beside the work that was asked for.
pub fn is_aside(text: &str) -> bool {
    if substance(text) > WORDS_OF_ASIDE {
        return false;
    }
    let sentences = prose::sentences(text);
    !sentences.is_empty() && sentences.iter().all(|sentence| Phrase::Aside.is_in(&sentence.text))
}

/// Whether a request only wants an answer, in whatever words.
pub fn only_asks(text: &str) -> bool {
    is_aside(text) || text.ends_with(['?', '？']) && !Phrase::AsksFor.is_in(text)
}

/// Whether a request is understood only together with one before it.
pub fn refers_back(text: &str) -> bool {
    continues(text) || Phrase::RefersBack.is_in(text)
}

/// Whether a request is about the same as an earlier one: it has half of that one's words.
pub fn is_about(earlier: &str, later: &str) -> bool {
    let (earlier, later) = (Matter::of(earlier), Matter::of(later));
    let shared = earlier.shared(&later);
    shared > 0 && 2 * shared >= earlier.len()
}

/// How many words of an earlier request another one has, too.
pub fn shared_words(earlier: &str, later: &str) -> usize {
    Matter::of(earlier).shared(&Matter::of(later))
}

/// Whether a person only says thanks or goodbye.
pub fn is_pleasantry(text: &str) -> bool {
    let thanks = || Phrase::Thanks.is_in(text) && substance(text) <= WORDS_OF_ANSWER;
    text.chars().count() <= 200
        && (Phrase::ThanksFirst.is_in(text) || thanks())
        && !Phrase::AsksMore.is_in(text)
        && !text.contains(['?', '？'])
}

/// Whether a message says that a request is not done.
fn complains(text: &str) -> bool {
    let head: String = text.chars().take(300).collect();
    Phrase::Complaint.is_in(&head)
}

/// How a message changes earlier requests; a new task is announced at its beginning, or at that of a line.
fn change(text: &str) -> Option<Earlier> {
    if text.chars().count() > LONGEST_CHANGE {
        return None;
    }
    // What stands in a fence or behind a `>` is quoted: somebody else may have said it.
    let mut is_fenced = false;
    let is_own = |(_, line): &(usize, &str)| {
        let line = line.trim_start();
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_fenced ^= is_fence;
        !is_fence && !is_fenced && !line.starts_with('>')
    };
    let lines = text.lines().enumerate().take(20).filter(is_own);
    for (_, line) in lines.filter(|(at, line)| *at == 0 || line.len() < 400) {
        let head: String = line.chars().take(300).collect();
        let found = [
            (Phrase::Dropped, Earlier::Dropped),
            (Phrase::Superseded, Earlier::Superseded),
            (Phrase::Revised, Earlier::Revised),
            (Phrase::NextTask, Earlier::Done),
        ];
        if let Some((_, earlier)) = found.into_iter().find(|(phrase, _)| phrase.is_in(&head)) {
            // A request that is dropped in part stays open, beside the message that changes it.
            let is_in_part = earlier == Earlier::Dropped && Phrase::Kept.is_in(&head);
            return Some(if is_in_part { Earlier::Stand } else { earlier });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::tests::Talk;
    use super::*;
    use serde_json::json;

    fn talk_of(messages: &[(Role, &str)]) -> Talk {
        messages.iter().fold(Talk::new(), |talk, (role, text)| talk.says(*role, text))
    }

    fn told(messages: &[(Role, &str)]) -> Vec<(String, Earlier)> {
        let facts = read(&Reading::each(talk_of(messages).span()), false, &LedgerState::default()).facts;
        facts.into_iter().map(|fact| (fact.text, fact.earlier)).collect()
    }

    #[test]
    fn a_listing_that_was_pasted_is_no_request() {
        let listing = "+ 8 - **Colours**: messages have a colour of  \n their own (besides their\n background).\n + 9\n + 10 ### Fixed\n";
        let all =
            told(&[(Role::User, &format!("{listing}\nremove that, we only say that there are themes"))]);
        assert_eq!(all, [("remove that, we only say that there are themes".to_owned(), Earlier::Stand)]);
        assert_eq!(told(&[(Role::User, "Fix these please:\n1 - the login\n2 - the logout")]).len(), 1);
    }

    #[test]
    fn a_person_who_rejects_a_plan_asks_for_what_they_say() {
        let rejected = |said: &str| {
            format!(
                "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n{said}\n\nNote: The user's next message may correct it."
            )
        };
        let of = |tool: &str, output: &str| {
            let talk =
                Talk::new().user("Plan the export please").tool(tool, json!({"plan": "# Export"}), output);
            let facts = talk.facts();
            facts.requests.into_iter().map(|one| (one.text, one.seqs)).collect::<Vec<_>>()
        };
        let first = ("Plan the export please".to_owned(), vec![1]);
        let comment = ("Look at what others use first, then add CSV".to_owned(), vec![3]);
        let result = rejected(&comment.0);
        assert_eq!(of("ExitPlanMode", &result), [first.clone(), comment.clone()]);
        assert_eq!(of("Edit", &result), [first.clone(), comment]);
        let only = std::slice::from_ref(&first);
        assert_eq!(of("ExitPlanMode", "User has approved your plan. the user said: go"), only);
        // A page or a program may write anything.
        assert_eq!(of("WebFetch", &result), only);
        assert_eq!(of("Bash", &result), only);
    }

    #[rstest]
    #[case::a_new_one_after_a_report(
        "I fixed it.", "Now add a test for it please", "Now add a test for it please", Earlier::Done
    )]
    #[case::a_complaint(
        "I fixed it.", "It still fails with the same error", "It still fails with the same error",
        Earlier::Stand
    )]
    #[case::an_answer("Which port shall I use?", "use 8080 please", "", Earlier::Stand)]
    #[case::thanks("I fixed it.", "great, thanks", "", Earlier::Done)]
    #[case::go_on("I fixed the first part.", "ok go on", "", Earlier::Stand)]
    #[case::taken_back("I fixed it.", "never mind", "", Earlier::Dropped)]
    #[case::taken_back_by_what_is_quoted(
        "I fixed it.",
        "Look at this log:\n```\nNever mind, drop that.\n```\n> never mind",
        "Look at this log:\n```\nNever mind, drop that.\n```\n> never mind",
        Earlier::Done
    )]
    #[case::taken_back_in_part(
        "I fixed it.",
        "Scrap that dark mode, but keep the login fix",
        "Scrap that dark mode, but keep the login fix",
        Earlier::Stand
    )]
    #[case::a_new_one_after_a_refusal(
        "I'm sorry, but I am not allowed to refund this ticket.",
        "Then change it to the 20th of May",
        "Then change it to the 20th of May",
        Earlier::Stand
    )]
    #[case::a_new_one_after_a_part(
        "The form is in place. The tests of it are not yet done.",
        "Now add a link to the form",
        "Now add a link to the form",
        Earlier::Stand
    )]
    #[case::another_mind(
        "I fixed it.", "Actually, let's use Postgres for it", "Actually, let's use Postgres for it",
        Earlier::Revised
    )]
    #[case::another_plan(
        "I fixed it.",
        "Change of plan: write a new shop instead",
        "Change of plan: write a new shop instead",
        Earlier::Superseded
    )]
    #[case::an_aside("I fixed it.", "can you explain why?", "can you explain why?", Earlier::Stand)]
    #[case::a_request_as_a_question(
        "I fixed it.", "can you add a test?", "can you add a test?", Earlier::Done
    )]
    fn a_message_tells_of_the_requests_before_it(
        #[case] report: &str,
        #[case] reply: &str,
        #[case] text: &str,
        #[case] earlier: Earlier,
    ) {
        let all = told(&[
            (Role::User, "Fix the login page of the shop"),
            (Role::Assistant, report),
            (Role::User, reply),
        ]);
        let mut expected = vec![("Fix the login page of the shop".to_owned(), Earlier::Stand)];
        if !text.is_empty() || earlier != Earlier::Stand {
            expected.push((text.to_owned(), earlier));
        }
        assert_eq!(all, expected);
    }

    #[rstest]
    #[case::a_skill("Base directory for this skill: /skills/plans\n\n# Plans\n\nWrite a plan. Never ask.")]
    #[case::a_command(
        "# Research\n<objective>\nResearch the phase.\n</objective>\n\n<process>\nNever ask.\n</process>\n"
    )]
    #[case::the_end_of_a_command(
        "and so on.\n</process>\n\n<anti_patterns>\n- Never guess.\n</anti_patterns>"
    )]
    fn what_a_harness_puts_in_a_persons_place_is_no_request(#[case] text: &str) {
        assert_eq!(told(&[(Role::User, text)]), []);
        let fix = ("Fix the login page of the shop".to_owned(), Earlier::Stand);
        assert_eq!(told(&[(Role::User, "Fix the login page of the shop"), (Role::User, text)]), [fix]);
    }

    #[test]
    fn a_harnesss_examples_are_no_part_of_a_brief_and_those_of_a_quoted_issue_are() {
        let rules = "Answer with one command at a time, and say why.\n".repeat(40);
        let issue = "<pr_description>\nFix the parser.\n## Command example\nparse a.txt\n</pr_description>";
        let reply = "Example of a CORRECT response:\n<example_response>\nls -la\n</example_response>";
        let page = "## Useful Command Examples\n### View a file\n```bash\n# All of it\ncat a.txt\n```\n## Submission\nSay DONE.";
        let [(asked, _)] =
            told(&[(Role::User, &format!("{issue}\n{rules}{reply}\n{page}"))]).try_into().unwrap();
        for kept in ["parse a.txt", "</pr_description>", "## Submission\nSay DONE."] {
            assert!(asked.contains(kept), "{kept}: {asked}");
        }
        for gone in ["CORRECT", "ls -la", "Useful", "cat a.txt"] {
            assert!(!asked.contains(gone), "{gone}: {asked}");
        }
    }

    #[test]
    fn a_word_alone_that_asks_for_work_is_a_request() {
        let all = told(&[
            (Role::User, "Fix the login page"),
            (Role::Assistant, "I fixed it."),
            (Role::User, "commit"),
        ]);
        assert_eq!(all.last(), Some(&("commit".to_owned(), Earlier::Done)));
    }

    #[test]
    fn of_a_copied_page_only_the_words_around_it_are_a_request() {
        let body = "* [Star](https://a.example/star) 12 people like this tool a lot\n".repeat(40);
        let frame = "Footer\n* [Terms](https://a.example/terms)\n* Manage cookies\n* Do not share my personal information\n";
        let page = format!("some-tool - does things\n\n{body}\n{frame}\n");
        assert_eq!(told(&[(Role::User, &page)]), []);
        let asked = told(&[(Role::User, &format!("{page}\nadd some-tool to our flake"))]);
        assert_eq!(asked, [("add some-tool to our flake".to_owned(), Earlier::Stand)]);
    }

    #[test]
    fn the_agents_last_question_is_open_until_somebody_speaks() {
        let ask = |messages: &[(Role, &str)]| {
            read(&Reading::each(talk_of(messages).span()), false, &LedgerState::default())
        };
        let asked =
            [(Role::User, "Build the shop"), (Role::Assistant, "Done so far. Which colour shall it be?")];
        assert_eq!(ask(&asked).questions, [("Which colour shall it be?".to_owned(), 2)]);
        let answered = [asked[0], asked[1], (Role::User, "blue")];
        let read = ask(&answered);
        assert!(read.questions.is_empty() && read.answered);
    }
}
