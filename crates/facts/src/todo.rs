//! Follows the todo list that a caller keeps: finds the items that a span reports as done.
//!
//! An item is marked as completed only when a clause of the agent names it and says that it is done, without a negation
//! or a condition. A less clear clause only proposes completion to the caller. A negated clause ("the form is not done
//! yet") is evidence against it. A person's words only propose, because people give orders in the same form ("the
//! form is done by tonight"). The rules are strict because a wrongly marked item is never checked again, while a
//! proposed one is only checked by the caller.

mod claim;
mod said;
mod subject;

use std::collections::BTreeMap;

pub use crate::todo_list::{Followed, Todo, TodoChange};

use crate::ledger::reading::Reading;
use crate::redact::redact;
use crate::todo_list::{TodoList, TodoStatus};
use crate::wording::{self, clip_words};
use anchord_messages::id::Seq;
use claim::{Certainty, Claim};
use said::DoneSentences;
use subject::Subject;

/// The most items of a list.
pub const MAX_TODOS: usize = 200;
/// The most characters of one item.
pub const MAX_TODO_CHARS: usize = 1_000;

/// The most items in progress that are followed in one span.
const MAX_FOLLOWED: usize = 50;
/// The longest quoted clause, in characters.
const MAX_EVIDENCE: usize = 200;

/// Evidence from a span's tool uses.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolEvidence<'a> {
    /// The latest list that a tool wrote.
    pub written: Option<&'a TodoList>,
    /// The message of the latest test run, when it failed; items reported as done before it are only proposed.
    pub failed_at: Option<Seq>,
}

/// Applies a span to a list: returns the list after it and the changes.
pub fn follow(list: &[Todo], span: &[Reading<'_>], shown: ToolEvidence<'_>) -> Followed {
    let mut followed = Followed { items: list.to_vec(), changes: Vec::new() };
    let doing = || list.iter().filter(|todo| todo.status == TodoStatus::InProgress);
    if doing().next().is_none() {
        return followed;
    }
    let said = DoneSentences::read(span);
    let mut looked = 0;
    for todo in &mut followed.items {
        if todo.status != TodoStatus::InProgress || looked == MAX_FOLLOWED {
            continue;
        }
        looked += 1;
        let said =
            || said.claim_about(&Subject::of(&todo.content)).map(|claim| claim.doubted(shown.failed_at));
        let Some(claim) = by_tool(todo, shown.written).or_else(said) else { continue };
        let proposed = claim.certainty == Certainty::Maybe;
        if proposed {
            todo.proposed_status = Some(TodoStatus::Completed);
        } else {
            (todo.status, todo.proposed_status) = (TodoStatus::Completed, None);
        }
        todo.seqs.clone_from(&claim.seqs);
        followed.changes.push(TodoChange {
            content: todo.content.clone(),
            from: Some(TodoStatus::InProgress),
            to: Some(TodoStatus::Completed),
            proposed,
            evidence: claim.clause.map(|clause| redact(clip_words(&clause, MAX_EVIDENCE)).into_owned()),
            seqs: claim.seqs,
        });
    }
    followed
}

/// The differences between two lists; items with the same normalized text are the same item.
pub fn changes(before: &[Todo], after: &[Todo]) -> Vec<TodoChange> {
    let mut known: BTreeMap<String, Vec<&Todo>> = BTreeMap::new();
    for todo in before.iter().rev() {
        known.entry(wording::normalized(&todo.content)).or_default().push(todo);
    }
    let change = |todo: &Todo, from, to| TodoChange {
        content: todo.content.clone(),
        from,
        to,
        proposed: false,
        evidence: None,
        seqs: Vec::new(),
    };
    let mut changes = Vec::new();
    for todo in after {
        let earlier = known.get_mut(&wording::normalized(&todo.content)).and_then(Vec::pop);
        let from = earlier.map(|earlier| earlier.status);
        if from != Some(todo.status) {
            changes.push(change(todo, from, Some(todo.status)));
        }
    }
    let is_left = |todo: &&Todo| {
        known
            .get(&wording::normalized(&todo.content))
            .is_some_and(|left| left.iter().any(|one| std::ptr::eq(*one, *todo)))
    };
    changes.extend(before.iter().filter(is_left).map(|todo| change(todo, Some(todo.status), None)));
    changes
}

/// A claim from the tool's list, when it has the same item as completed.
fn by_tool(todo: &Todo, written: Option<&TodoList>) -> Option<Claim> {
    let list = written?;
    let key = wording::normalized(&todo.content);
    let item = list.items.iter().find(|item| wording::normalized(&item.content) == key)?;
    (item.status == TodoStatus::Completed).then(|| Claim {
        certainty: Certainty::Done,
        clause: None,
        seqs: list.seqs.clone(),
    })
}

#[cfg(test)]
mod tests;
