//! The ledger: extracts the facts of a span of messages, by code and never by an LLM.
//!
//! What lives here: first, tool calls are paired with their results (`pairing`), whether structured or written as text
//! (`spoken`, `aider`, `swe_agent`). From these, `events` and `files` extract changes to files, with parsers for shell
//! scripts and diffs (`shell`, `diff`); other modules extract test runs, errors, things, todo lists, requests,
//! constraints and what is stated in so many words (`statements`). `facts` has the types of the result.
//! Invariant: a fact has the `seqs` of the messages that show it; a failed call never counts as a change.
//! Must not know: summaries' wording, renderings, budgets.

mod actions;
mod aider;
mod answers;
pub mod asked;
mod choices;
pub mod constraints;
mod diff;
mod directories;
mod edits;
pub mod errors;
mod event;
mod events;
mod facts;
mod files;
pub mod invocation;
pub mod line;
mod outcome;
mod pairing;
mod paths;
mod presence;
pub mod prose;
mod purpose;
pub mod reading;
pub mod requests;
mod shell;
mod spoken;
pub mod statements;
mod swe_agent;
pub mod test_runs;
#[cfg(test)]
mod tests;
mod things;
mod todos;
mod tools;
mod vocabulary;
pub(crate) mod words;

pub use crate::todo_list::{TodoItem, TodoList, TodoStatus};
pub use actions::ActionFact;
pub use facts::{
    CommandFact, EarlierNames, ErrorFact, Facts, FileAction, FileFact, LedgerState, TestOutcome, TestRunFact,
};

pub use tools::is_about_files;

use anchord_messages::message::Numbered;
use invocation::Invocation;
use line::clip_bytes;
use reading::Reading;

/// Extracts the facts of a span. `carry` is the state after the previous span. `known` has the names in earlier
/// versions, which distinguish an overwrite from a creation and keep one spelling for each file.
pub fn read(span: &[Numbered], carry: &LedgerState, known: &EarlierNames<'_>) -> Facts {
    read_from(&Reading::each(span), carry, known)
}

/// Like [`read`], for a caller that has parsed the span's messages already.
pub fn read_from(span: &[Reading<'_>], carry: &LedgerState, known: &EarlierNames<'_>) -> Facts {
    let (uses, directories) = pairing::read(span, carry);
    let minutes = prose::is_minutes(span.iter().map(|one| one.message));
    let (events, open_file) = events::gather(&uses, carry.open_file.clone());
    let files::Folded { files, taken_back, copies, root } =
        files::fold(events, (known, &carry.copies), directories.stated.as_deref());
    let mut items = carry.todos.clone();
    let todos = todos::follow(&uses, &mut items);
    let runs = test_runs::read_each(&uses);
    let errors = errors::read(span, &uses, &runs, carry);
    let open_errors = errors::open(&errors, carry);
    let things = things::read(span, &uses, (&runs, &known.things));
    let mut requests = requests::read(span, minutes, carry);
    let mut statements = statements::read(span, minutes);
    let open_questions = statements::open_questions(span, &statements, &carry.open_questions);
    let choices = choices::read(span, minutes);
    // Who answers one numbered question after the other asks for nothing by it.
    requests
        .facts
        .retain(|fact| choices.iter().filter(|choice| choice.seqs.ends_with(&fact.seqs)).count() < 2);
    statements.extend(choices);
    let mut asked_leave = carry.asked_leave.clone();
    let constraints = constraints::read(span, minutes, &mut asked_leave);
    Facts {
        files,
        taken_back,
        commands: commands(&uses),
        actions: actions::read(&uses),
        test_runs: test_runs::facts(runs),
        errors,
        things: things.shown,
        things_left_out: things.left_out,
        named: things.named,
        requests: requests.facts,
        answered: requests.answered,
        questions: requests.questions,
        statements,
        constraints,
        proposed_constraints: Vec::new(),
        todos,
        followed: None,
        carry: LedgerState {
            cwd: root,
            named_cwd: directories.named,
            shell_cwd: directories.shell,
            open_file,
            copies,
            todos: items,
            open_errors,
            unanswered: spoken::unanswered(span),
            ending: requests.ending,
            question: requests.question,
            open_questions,
            asked_leave,
        },
    }
}

/// The longest command that is kept, in bytes.
const COMMAND_BYTES: usize = 300;

fn commands(uses: &[Invocation<'_>]) -> Vec<CommandFact> {
    let fact = |one: &Invocation<'_>| {
        let command = one.command.as_deref()?.trim();
        Some(CommandFact {
            command: clip_bytes(command, COMMAND_BYTES),
            exit_code: one.exit_code,
            failed: one.failed,
            seqs: one.seqs(),
        })
    };
    uses.iter().filter_map(fact).collect()
}

/// The faults in the rule files, for a test.
#[cfg(test)]
pub(crate) fn rule_problems() -> Vec<String> {
    [test_runs::rule_problems(), errors::rule_problems(), tools::rule_problems(), statements::rule_problems()]
        .concat()
}
