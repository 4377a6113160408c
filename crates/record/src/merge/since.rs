//! Takes in what the messages after the span show, so that a reader of both is told nothing that is over: a test that passes
//! by now, an error that is gone, a commit. A later version merges the same messages as its span, which changes nothing of it.

use super::super::summary::{ErrorStatus, Remark, Summary};
use super::{blockers, errors, runs};
use anchord_facts::ledger::{ActionFact, Facts, TestOutcome};
use anchord_facts::wording::{clip_words, join_seqs};

/// The most lines that tell what happened since.
const MOST: usize = 4;
/// The most actions of a record: the newest.
const MOST_STORED: usize = 32;
/// The most characters of a command.
const LONGEST_COMMAND: usize = 100;

/// Takes the facts of the later messages into a merged summary, as far as they close what it tells.
/// `is_beside` says that a model writes the record.
pub fn merge(summary: &mut Summary, later: &Facts, (version, is_beside): (i64, bool)) {
    summary.current_state.since = happened(later);
    // A model's questions are its own to close.
    if later.answered && !is_beside {
        let stated = &later.carry.open_questions;
        summary.open_questions.retain(|question| stated.contains(&question.text));
    }
    runs::merge(summary, &later.test_runs);
    for fact in &later.errors {
        let Some(resolution) = &fact.resolution else { continue };
        let open = summary.errors.iter_mut().find(|error| {
            error.status != ErrorStatus::Resolved && error.message.eq_ignore_ascii_case(&fact.message)
        });
        if let Some(error) = open {
            error.status = ErrorStatus::Resolved;
            error.resolution = Some(resolution.clone());
            error.resolved_in_version = Some(version);
            join_seqs(&mut error.seqs, &fact.seqs);
        }
    }
    errors::resolve_by_passing_command(&mut summary.errors, later, version);
    blockers::merge(&mut summary.blockers, &summary.test_results, &summary.ids);
}

/// What was done, and the last test run, in their order.
fn happened(later: &Facts) -> Vec<Remark> {
    let run = later.test_runs.iter().rev().find(|run| run.outcome != TestOutcome::Unknown);
    let run = run.map(|run| Remark {
        text: format!("`{}`: {}", clip_words(&run.command, LONGEST_COMMAND), run.outcome.as_str()),
        seqs: run.seqs.clone(),
        session_id: None,
    });
    let mut all: Vec<Remark> = later.actions.iter().map(remark).chain(run).collect();
    all.sort_by_key(|remark| remark.seqs.last().copied());
    all.split_off(all.len().saturating_sub(MOST))
}

/// Adds what the span did to what was done before.
pub(super) fn add_done(done: &mut Vec<Remark>, facts: &Facts) {
    for new in facts.actions.iter().map(remark) {
        if !done.contains(&new) {
            done.push(new);
        }
    }
    let surplus = done.len().saturating_sub(MOST_STORED);
    done.drain(..surplus);
}

fn remark(action: &ActionFact) -> Remark {
    let text = format!("{} {}", action.name, action.arguments);
    Remark { text: text.trim_end().to_owned(), seqs: action.seqs.clone(), session_id: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::{ErrorEntry, TestResult};
    use crate::testing::{error_fact, run_fact};
    use anchord_facts::ledger::{ErrorFact, TestRunFact};

    fn run(outcome: TestOutcome, seq: i64) -> TestRunFact {
        TestRunFact { seqs: vec![seq, seq + 1], ..run_fact("cargo test", outcome, seq) }
    }

    fn error(resolution: Option<&str>, seq: i64) -> ErrorFact {
        ErrorFact {
            resolution: resolution.map(str::to_owned),
            count: u32::from(resolution.is_none()),
            ..error_fact("it broke", seq)
        }
    }

    #[test]
    fn what_the_later_messages_show_is_told_and_closes_what_is_over() {
        let mut summary = Summary::default();
        let before = Facts {
            test_runs: vec![run(TestOutcome::Fail, 1)],
            errors: vec![error(None, 2)],
            ..Facts::default()
        };
        errors::merge(&mut summary.errors, &before, 1);
        runs::merge(&mut summary, &before.test_runs);
        blockers::merge(&mut summary.blockers, &summary.test_results, &summary.ids);
        assert_eq!(summary.blockers.len(), 1);
        let commit = |seq| ActionFact {
            name: "git commit".to_owned(),
            arguments: "-m fix".to_owned(),
            seqs: vec![seq],
        };
        let question = |text: &str| Remark { text: text.into(), seqs: vec![2], session_id: None };
        summary.open_questions = vec![question("Which port?"), question("Who owns it?")];
        let mut later = Facts {
            answered: true,
            test_runs: vec![run(TestOutcome::Pass, 8)],
            errors: vec![error(Some("`cargo test` succeeded"), 9)],
            actions: vec![commit(12)],
            ..Facts::default()
        };
        later.carry.open_questions = vec!["Who owns it?".to_owned()];
        let mut models = summary.clone();
        merge(&mut models, &later, (1, true));
        assert_eq!(models.open_questions, summary.open_questions, "a model closes its own");
        merge(&mut summary, &later, (1, false));
        assert_eq!(summary.open_questions, [question("Who owns it?")]);
        assert!(summary.blockers.is_empty());
        let resolved = |error: &ErrorEntry| error.status == ErrorStatus::Resolved;
        assert!(summary.errors.iter().all(resolved), "{:?}", summary.errors);
        let passed = |result: &TestResult| result.outcome == TestOutcome::Pass;
        assert!(summary.test_results.iter().all(passed));
        let told: Vec<&str> = summary.current_state.since.iter().map(|remark| remark.text.as_str()).collect();
        assert_eq!(told, ["`cargo test`: pass", "git commit -m fix"]);
        let once = summary.clone();
        runs::merge(&mut summary, &later.test_runs);
        errors::merge(&mut summary.errors, &later, 2);
        assert_eq!(summary.test_results, once.test_results, "the next version reads the same messages");
        assert!(summary.errors.iter().all(resolved));
        merge(&mut summary, &Facts::default(), (2, false));
        assert!(summary.current_state.since.is_empty());
    }

    #[test]
    fn what_was_done_stays_and_the_newest_count() {
        let action = |seq| ActionFact {
            name: "send_email".to_owned(),
            arguments: format!("to={seq}"),
            seqs: vec![seq, seq + 1],
        };
        let mut done = Vec::new();
        add_done(&mut done, &Facts { actions: (0..20).map(action).collect(), ..Facts::default() });
        add_done(&mut done, &Facts { actions: (19..40).map(action).collect(), ..Facts::default() });
        assert_eq!(done.len(), MOST_STORED);
        assert_eq!(done.first().map(|one| one.text.as_str()), Some("send_email to=8"));
        assert_eq!(done.last().map(|one| one.text.as_str()), Some("send_email to=39"));
    }
}
