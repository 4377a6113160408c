//! What an engine proposes for the narrative sections of the next version. Requests, files, tests and errors
//! come from the ledger, and no engine changes them.

use super::summary::{Blocker, CurrentState, Decision, Remark};
use anchord_facts::ledger::TodoStatus;
use anchord_facts::thing::Thing;
use anchord_facts::todo::Followed;
use anchord_facts::wording::one_line;
use anchord_messages::id::Seq;

/// An engine's narrative of one span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// The intent that the span states, when it states one.
    pub intent: Option<ProposedIntent>,
    /// Decisions made in the span, oldest first.
    pub decisions: Vec<Decision>,
    /// Where the work stands at the span's end; an empty text keeps the old state.
    pub current_state: CurrentState,
    /// What stands in the way at the span's end.
    pub blockers: Vec<Blocker>,
    /// Whether the span resolves the earlier blockers, so that an empty list replaces them.
    pub blockers_resolved: bool,
    /// The next steps; empty keeps the old ones.
    pub next_steps: Vec<String>,
    /// The messages that the next steps came from.
    pub next_steps_seqs: Vec<Seq>,
    /// Questions that were stated as open.
    pub open_questions: Vec<Remark>,
    /// What later work needs and the ledger does not have: what a model learnt; pictures and files, in words.
    pub things: Vec<Thing>,
    /// Whether a model writes the narrative and this is only what code adds. Then the model ends the
    /// questions and steps that it wrote.
    pub is_beside: bool,
    /// Failures of the engine, for the version's warnings.
    pub warnings: Vec<String>,
}

impl Proposal {
    /// Adds a caller's todo list: completed items become decisions, the one in progress the task, open ones
    /// the next steps.
    pub fn follow(&mut self, todos: &Followed) {
        const MAX_STEPS: usize = 12;
        let of = |status| todos.items.iter().filter(move |todo| todo.status == status);
        for todo in of(TodoStatus::Completed) {
            let change = todos.changes.iter().find(|c| !c.proposed && c.content == todo.content);
            let rationale = match change.and_then(|change| change.evidence.as_ref()) {
                Some(said) => format!("the session says: {said}"),
                None => "marked as completed in the todo list".to_owned(),
            };
            self.decisions.push(Decision {
                decision: format!("Done: {}", one_line(&todo.content)),
                rationale,
                seqs: todo.seqs.clone(),
                ..Decision::default()
            });
        }
        if let Some(doing) = of(TodoStatus::InProgress).next() {
            self.current_state.task = Some(one_line(&doing.content));
        }
        let open = of(TodoStatus::InProgress).chain(of(TodoStatus::Pending));
        let steps: Vec<String> = open.map(|todo| one_line(&todo.content)).take(MAX_STEPS).collect();
        if !steps.is_empty() {
            self.next_steps = steps;
            self.next_steps_seqs = todos.list().seqs;
        }
    }
}

/// An intent found in a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedIntent {
    /// The intent's text.
    pub text: String,
    /// Whether it changes the scope of a session that already has an intent.
    pub changes_scope: bool,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchord_facts::todo::{Todo, ToolEvidence, follow};

    #[test]
    fn a_todo_list_becomes_decisions_the_task_and_next_steps() {
        let todo = |content: &str, status| Todo::new(content.to_owned(), status);
        let list = [
            todo("Write tests", TodoStatus::InProgress),
            todo("Add login form", TodoStatus::Completed),
            todo("Deploy", TodoStatus::Pending),
        ];
        let mut proposal = Proposal { next_steps: vec!["something else".into()], ..Proposal::default() };
        proposal.follow(&follow(&list, &[], ToolEvidence::default()));
        assert_eq!(proposal.decisions[0].decision, "Done: Add login form");
        assert_eq!(proposal.current_state.task.as_deref(), Some("Write tests"));
        assert_eq!(proposal.next_steps, ["Write tests", "Deploy"]);
    }
}
