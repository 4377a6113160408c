//! The current state at the span's end, as the messages themselves state it.

use super::super::summary::CurrentState;
use super::text::clip;
use anchord_facts::ledger::line::squash;
use anchord_facts::ledger::requests::Ending;
use anchord_facts::ledger::{Facts, TodoStatus, prose};
use anchord_facts::wording::clip_chars;
use anchord_messages::id::Seq;
use anchord_messages::inner_json;
use anchord_messages::message::{Numbered, Role};
use serde_json::Value;

/// The longest task, in characters.
const LONGEST_TASK: usize = 300;
/// The longest call, in characters.
const LONGEST_CALL: usize = 160;
/// The longest argument that says what a call is about, in bytes.
const LONGEST_ARGUMENT: usize = 120;

/// The state at the span's end.
pub(super) fn current(span: &[Numbered], facts: &Facts) -> CurrentState {
    let (text, seqs) = standing(span, facts);
    let items = facts.todos.iter().flat_map(|list| &list.items);
    let in_hand =
        items.filter(|item| item.status == TodoStatus::InProgress).map(|item| item.content.as_str()).next();
    let task = in_hand.map(|task| clip(&squash(task), LONGEST_TASK)).filter(|task| !task.is_empty());
    CurrentState { task, text, seqs, ..CurrentState::default() }
}

/// Who has to act next, as a sentence, with the message that shows it.
fn standing(span: &[Numbered], facts: &Facts) -> (String, Vec<i64>) {
    let Some(last) = span.iter().rev().find(|n| !n.message.role.is_system()) else {
        return Default::default();
    };
    let seq = last.seq;
    // The served context continues after this message, so the sentence claims nothing about later ones.
    let up_to = format!("As of message {seq}; the conversation continues.");
    let text = match (last.message.role, facts.carry.ending) {
        (Role::Assistant, Some(Ending::Question)) => {
            format!("{up_to} The agent had asked and waited for an answer.")
        }
        (Role::Assistant, Some(Ending::Unfinished)) => {
            format!("{up_to} The agent had ended its turn, and told of something that is not done.")
        }
        (Role::Assistant, Some(Ending::Report)) => {
            let said = last.message.text();
            let first =
                prose::sentences(&said).into_iter().find(|sentence| !sentence.text.ends_with([':', '：']));
            let first = first.map_or_else(|| squash(&said), |sentence| squash(&sentence.text));
            format!(
                "{up_to} The agent had ended its turn and reported on the last request: {}",
                clip(&first, LONGEST_TASK)
            )
        }
        (Role::User, _) if prose::is_minutes(span.iter().map(|numbered| &numbered.message)) => {
            let said = last.message.text();
            let name = prose::speaker(&said).map_or("", |(name, _)| name);
            if name.is_empty() { up_to } else { format!("{up_to} The last to speak: {name}.") }
        }
        (Role::User, _) if !facts.requests.iter().any(|request| request.seqs.contains(&seq)) => {
            at_work(span, facts, &up_to)
        }
        (Role::User, _) => format!("{up_to} The person had spoken and was not answered yet."),
        _ => at_work(span, facts, &up_to),
    };
    (text, vec![seq])
}

fn at_work(span: &[Numbered], facts: &Facts, up_to: &str) -> String {
    let call = span.iter().rev().find_map(|n| n.message.calls().last().map(|call| (n.seq, call)));
    match call {
        Some((at, call)) => {
            let told = squash(&format!(
                "{} {}",
                call.name,
                in_words(clip_chars(&call.arguments, 16 * LONGEST_CALL))
            ));
            let told = match clip_chars(&told, LONGEST_CALL) {
                whole if whole.len() == told.len() => told,
                head => format!("{head}…"),
            };
            format!("{up_to} The agent was working; its call in message {at}: {told}{}", failure(span, facts))
        }
        // Some agents write their commands as text; the output of the last one may follow.
        None if let Some((at, command)) = pending(facts) => {
            format!(
                "{up_to} The agent was working; its command in message {at}, whose output follows: {command}"
            )
        }
        None => match facts.commands.last() {
            Some(last) => {
                let told = clip(&squash(&last.command), LONGEST_CALL);
                let at = last.seqs.first().map(|seq| format!(" in message {seq}")).unwrap_or_default();
                format!("{up_to} The agent was working; its command{at}: {told}{}", failure(span, facts))
            }
            None => format!("{up_to} The agent was working."),
        },
    }
}

/// The error that the span's last message shows.
fn failure(span: &[Numbered], facts: &Facts) -> String {
    let last = span.last().map(|numbered| numbered.seq);
    let mut errors = facts.errors.iter().rev();
    let error = errors.find(|error| error.resolution.is_none() && error.seqs.last().copied() == last);
    error
        .map(|error| format!("; it failed: {}", clip(&squash(&error.message), LONGEST_CALL)))
        .unwrap_or_default()
}

/// The command in the span's last message, with its number, when it is written as text and not answered yet.
fn pending(facts: &Facts) -> Option<(Seq, String)> {
    let (seq, text) = facts.carry.unanswered.as_ref()?;
    let (_, behind) = text.rsplit_once("```").and_then(|(text, _)| text.rsplit_once("```"))?;
    let (_, command) = behind.split_once('\n')?;
    let command = squash(command);
    (!command.is_empty()).then(|| (*seq, clip(&command, LONGEST_CALL)))
}

/// The arguments of a call without the signs of JSON, as far as they are an object of texts and figures.
fn in_words(arguments: &str) -> String {
    let Some(Value::Object(fields)) = inner_json::read::<Value>(arguments) else {
        return arguments.to_owned();
    };
    let is_command = |name: &str| matches!(name, "command" | "cmd");
    // A text to be written is no word about the call.
    let tells = |(name, value): &(&String, &Value)| match value {
        Value::String(text) => is_command(name) || text.len() <= LONGEST_ARGUMENT && !text.contains('\n'),
        Value::Number(_) => true,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    };
    let told = fields.iter().filter(tells).map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if is_command(name) { value } else { format!("{name}={value}") }
    });
    told.collect::<Vec<_>>().join(", ")
}
