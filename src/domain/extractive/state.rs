//! Where the work stands at the span's end, as far as the messages themselves tell.

use super::super::ledger::line::squash;
use super::super::ledger::requests::Ending;
use super::super::ledger::{Facts, TodoStatus};
use super::super::message::{Numbered, Role};
use super::super::summary::{CurrentState, RequestEntry, RequestState};
use super::clip;

/// The longest task, in characters.
const LONGEST_TASK: usize = 300;
/// The longest call, in characters.
const LONGEST_CALL: usize = 160;

/// The state at the span's end.
pub(super) fn current(span: &[Numbered], facts: &Facts, requests: &[RequestEntry]) -> CurrentState {
    let (text, mut seqs) = standing(span, facts);
    let items = facts.todos.iter().flat_map(|list| &list.items);
    let in_hand =
        items.filter(|item| item.status == TodoStatus::InProgress).map(|item| item.content.as_str()).next();
    // One open request is the intent, which is told already.
    let open: Vec<_> = requests.iter().filter(|request| request.state == RequestState::Open).collect();
    let asked = open.last().filter(|_| open.len() > 1);
    if let (None, Some(request)) = (in_hand, asked) {
        seqs.extend(&request.seqs);
    }
    let task = in_hand.or_else(|| asked.map(|request| request.text.as_str()));
    let task = task.map(|task| clip(&squash(task), LONGEST_TASK)).filter(|task| !task.is_empty());
    seqs.sort_unstable();
    seqs.dedup();
    CurrentState { phase: phase(facts), task, text, seqs }
}

/// Who is to move.
fn standing(span: &[Numbered], facts: &Facts) -> (String, Vec<i64>) {
    let Some(last) = span.iter().rev().find(|n| !n.message.role.is_system()) else {
        return Default::default();
    };
    let seq = last.seq;
    let text = match (last.message.role, facts.carry.ending) {
        (Role::Assistant, Some(Ending::Question)) => {
            format!("The agent asked and waits for an answer (message {seq}).")
        }
        (Role::Assistant, Some(Ending::Report)) => format!("The agent ended its turn with message {seq}."),
        (Role::User, _) if !facts.requests.iter().any(|request| request.seqs.contains(&seq)) => {
            at_work(span, seq)
        }
        (Role::User, _) => format!("Message {seq} of the person is not answered yet."),
        _ => at_work(span, seq),
    };
    (text, vec![seq])
}

fn at_work(span: &[Numbered], seq: i64) -> String {
    let call = span.iter().rev().find_map(|n| n.message.calls().last().map(|call| (n.seq, call)));
    match call {
        Some((at, call)) => {
            let told =
                squash(&format!("{} {}", call.name, super::clip_chars(&call.arguments, 4 * LONGEST_CALL)));
            let told = match super::clip_chars(&told, LONGEST_CALL) {
                whole if whole.len() == told.len() => told,
                head => format!("{head}…"),
            };
            format!("The agent is at work; its last call (message {at}): {told}")
        }
        None => format!("The agent is at work (message {seq})."),
    }
}

/// What the session was last doing, by what its tools touched last.
fn phase(facts: &Facts) -> Option<String> {
    let last = |seqs: &[i64]| seqs.last().copied().unwrap_or(0);
    let changed = facts.files.iter().filter(|f| f.action.is_some()).map(|f| last(&f.seqs)).max();
    let tested = facts.test_runs.iter().map(|t| last(&t.seqs)).max();
    let worked = !facts.commands.is_empty() || !facts.files.is_empty();
    let phase = match (changed, tested) {
        (Some(change), Some(test)) if test >= change => "testing",
        (None, Some(_)) => "testing",
        (Some(_), _) => "implementation",
        (None, None) if worked => "exploration",
        (None, None) => return None,
    };
    Some(phase.to_owned())
}
