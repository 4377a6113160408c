use std::collections::BTreeSet;

use proptest::prelude::*;
use rstest::rstest;

use super::super::probe::{self, ProbeKind};
use super::super::proposal::ProposedIntent;
use super::super::summary::{Blocker, CurrentState, Decision, ErrorStatus, FileStatus, RequestState};
use super::*;
use crate::testing::{ctx, error_fact, file_fact, run_fact};
use anchord_facts::ledger::FileAction;
use anchord_facts::ledger::TestOutcome;
use anchord_facts::ledger::statements::{Stated, Statement};
use anchord_facts::ledger::{self, EarlierNames, LedgerState};
use anchord_facts::ledger::{CommandFact, ErrorFact, FileFact, TodoItem, TodoList, TodoStatus};
use anchord_facts::thing::{Property, Thing};
use anchord_messages::message::{Message, Numbered, Part, Role};

fn decision(text: &str, why: &str) -> Decision {
    Decision { decision: text.into(), rationale: why.into(), seqs: vec![1], ..Decision::default() }
}

fn error(message: &str, resolution: Option<&str>, seq: Seq) -> ErrorFact {
    ErrorFact { resolution: resolution.map(Into::into), ..error_fact(message, seq) }
}

fn constraint(id: &str, text: &str, source: ConstraintSource) -> Constraint {
    Constraint::new(id.into(), text.into(), source, Vec::new())
}

fn with_facts(current: Option<&Summary>, facts: &Facts, version: i64) -> Merged {
    merge(current.cloned(), facts, &Proposal::default(), ctx(version))
}

fn with_proposal(current: Option<&Summary>, proposal: &Proposal, version: i64) -> Merged {
    merge(current.cloned(), &Facts::default(), proposal, ctx(version))
}

#[test]
fn a_span_that_is_covered_changes_nothing() {
    let facts = Facts { files: vec![file_fact("a", Some(FileAction::Created), 1)], ..Facts::default() };
    let current = with_facts(None, &facts, 1).summary;
    let again = merge(
        Some(current.clone()),
        &facts,
        &Proposal::default(),
        MergeContext { through_seq: 50, ..ctx(2) },
    );
    assert_eq!(again.summary, current);
    assert!(again.warnings.is_empty());
}

#[test]
fn a_read_file_leaves_its_section_when_it_is_modified() {
    let first =
        with_facts(None, &Facts { files: vec![file_fact("a", None, 1)], ..Facts::default() }, 1).summary;
    assert_eq!(first.files_read.len(), 1);
    let write = FileFact { overwrite_possible: true, ..file_fact("./a", Some(FileAction::Created), 101) };
    let second = with_facts(Some(&first), &Facts { files: vec![write], ..Facts::default() }, 2).summary;
    assert!(second.files_read.is_empty());
    assert_eq!(second.files_modified[0].path, "a");
    assert_eq!(second.files_modified[0].action, FileAction::Modified);
}

#[test]
fn a_rename_in_a_later_span_carries_changes_and_status() {
    let facts = Facts {
        files: vec![file_fact("a", Some(FileAction::Modified), 1)],
        test_runs: vec![run_fact("t", TestOutcome::Pass, 2)],
        ..Facts::default()
    };
    let first = with_facts(None, &facts, 1).summary;
    assert_eq!(first.files_modified[0].status, FileStatus::Pass);
    let rename =
        FileFact { renamed_from: Some("a".into()), ..file_fact("b", Some(FileAction::Renamed), 101) };
    let gone = FileFact { changes: vec![], ..file_fact("a", Some(FileAction::Deleted), 101) };
    let second =
        with_facts(Some(&first), &Facts { files: vec![gone, rename], ..Facts::default() }, 2).summary;
    assert_eq!(second.files_modified.len(), 1, "{:?}", second.files_modified);
    let b = &second.files_modified[0];
    assert_eq!((b.path.as_str(), b.renamed_from.as_deref()), ("b", Some("a")));
    assert_eq!(b.changes, ["change 1", "change 101"]);
    let third = with_facts(Some(&second), &Facts::default(), 3).summary;
    assert_eq!(third.files_modified, second.files_modified);
}

#[rstest]
#[case(&[(TestOutcome::Pass, 20)], FileStatus::Pass)]
#[case(&[(TestOutcome::Pass, 20), (TestOutcome::Fail, 30)], FileStatus::Fail)]
#[case(&[(TestOutcome::Fail, 20), (TestOutcome::Unknown, 30)], FileStatus::Fail)]
#[case(&[(TestOutcome::Error, 20)], FileStatus::Fail)]
#[case(&[(TestOutcome::Pass, 5)], FileStatus::Unknown)]
#[case(&[], FileStatus::Unknown)]
fn a_file_has_the_status_of_the_latest_run_after_its_change(
    #[case] runs: &[(TestOutcome, Seq)],
    #[case] status: FileStatus,
) {
    let facts = Facts {
        files: vec![file_fact("a", Some(FileAction::Modified), 10)],
        test_runs: runs.iter().map(|(o, s)| run_fact("t", *o, *s)).collect(),
        ..Facts::default()
    };
    assert_eq!(with_facts(None, &facts, 1).summary.files_modified[0].status, status);
}

#[test]
fn a_change_after_the_last_run_makes_a_status_unknown_again() {
    let facts = Facts {
        files: vec![file_fact("a", Some(FileAction::Modified), 1)],
        test_runs: vec![run_fact("t", TestOutcome::Pass, 2)],
        ..Facts::default()
    };
    let first = with_facts(None, &facts, 1).summary;
    let facts = Facts { files: vec![file_fact("a", Some(FileAction::Modified), 101)], ..Facts::default() };
    let second = with_facts(Some(&first), &facts, 2).summary;
    assert_eq!(second.files_modified[0].status, FileStatus::Unknown);
}

#[rstest]
#[case("Use Redis for the cache", "Use memcached instead of Redis")]
#[case("Use Redis for the cache", "use memcached for the cache")]
#[case("Store sessions in Redis", "No longer store sessions in Redis")]
#[case("Going with Postgres", "Switching from Postgres to SQLite")]
fn a_decision_that_is_reversed_is_kept_and_marked(#[case] old: &str, #[case] new: &str) {
    let first =
        with_proposal(None, &Proposal { decisions: vec![decision(old, "")], ..Proposal::default() }, 1);
    let second = with_proposal(
        Some(&first.summary),
        &Proposal { decisions: vec![decision(new, "")], ..Proposal::default() },
        2,
    );
    let [a, b] = &second.summary.decisions_made[..] else { panic!("{second:?}") };
    assert_eq!(a.superseded_by.as_deref(), Some(new));
    assert_eq!(b.superseded_by, None);
}

#[rstest]
#[case("Use JWT instead of sessions", "Use httpOnly cookies for JWT")]
#[case("Add an index on users in Postgres", "Use SQLite instead of Postgres in unit tests")]
#[case("Use serde for JSON", "Use clap for arguments")]
fn a_decision_about_something_else_reverses_nothing(#[case] old: &str, #[case] new: &str) {
    let both = Proposal { decisions: vec![decision(old, ""), decision(new, "")], ..Proposal::default() };
    let merged = with_proposal(None, &both, 1).summary;
    assert!(merged.decisions_made.iter().all(|d| d.superseded_by.is_none()), "{merged:?}");
}

#[test]
fn a_decision_is_kept_once_and_gains_what_was_unsaid() {
    let two = Proposal {
        decisions: vec![
            decision("Use JWT.", ""),
            Decision { seqs: vec![9], ..decision("use  JWT", "stateless") },
        ],
        ..Proposal::default()
    };
    let merged = with_proposal(None, &two, 1).summary;
    assert_eq!(merged.decisions_made.len(), 1);
    assert_eq!(merged.decisions_made[0].rationale, "stateless");
    assert_eq!(merged.decisions_made[0].seqs, [1, 9]);
}

#[test]
fn a_decision_taken_up_again_stands() {
    let step = |current: Option<&Summary>, text: &str, v| {
        with_proposal(current, &Proposal { decisions: vec![decision(text, "")], ..Proposal::default() }, v)
            .summary
    };
    let a = step(None, "Use Redis for the cache", 1);
    let b = step(Some(&a), "Use memcached for the cache", 2);
    let c = step(Some(&b), "Use Redis for the cache", 3);
    assert_eq!(c.decisions_made[0].superseded_by, None);
    assert_eq!(c.decisions_made[1].superseded_by.as_deref(), Some("Use Redis for the cache"));
}

fn intent(text: &str, changes_scope: bool) -> Proposal {
    Proposal {
        intent: Some(ProposedIntent { text: text.into(), changes_scope, seqs: vec![1] }),
        ..Proposal::default()
    }
}

#[test]
fn an_intent_stays_unless_the_scope_changes() {
    let a = with_proposal(None, &intent("Fix the login", false), 1).summary;
    let b = with_proposal(Some(&a), &intent("Look at the log", false), 2).summary;
    assert_eq!(b.session_intent, "Fix the login");
    let c = with_proposal(Some(&b), &intent("Rewrite the login in Go", true), 3).summary;
    assert_eq!(c.session_intent, "Rewrite the login in Go");
    assert_eq!(c.requests.len(), 1);
    assert_eq!(c.requests[0].text, "Fix the login");
}

#[test]
fn an_empty_state_keeps_the_old_one_and_says_so() {
    let proposal = Proposal {
        current_state: CurrentState { text: "Tests pass".into(), ..CurrentState::default() },
        next_steps: vec!["Deploy".into()],
        ..Proposal::default()
    };
    let a = with_proposal(None, &proposal, 1).summary;
    let b = with_proposal(Some(&a), &Proposal::default(), 2);
    assert_eq!(b.summary.current_state.text, "Tests pass");
    assert_eq!(b.summary.next_steps, ["Deploy"]);
    assert_eq!(b.warnings.iter().filter(|w| w.contains("kept")).count(), 2, "{:?}", b.warnings);
}

#[test]
fn todos_feed_state_and_next_steps_that_the_proposal_leaves_open() {
    let item = |content: &str, status| TodoItem { content: content.into(), status };
    let list = |items| Facts { todos: Some(TodoList { items, seqs: vec![7] }), ..Facts::default() };
    let a = with_facts(
        None,
        &list(vec![
            item("write it", TodoStatus::Completed),
            item("test it", TodoStatus::InProgress),
            item("ship it", TodoStatus::Pending),
        ]),
        1,
    );
    assert_eq!(a.summary.current_state.task.as_deref(), Some("test it"));
    assert_eq!(a.summary.next_steps, ["ship it"]);
    assert_eq!(a.summary.next_steps_seqs, [7]);
    let b = with_facts(Some(&a.summary), &list(vec![item("ship it", TodoStatus::Completed)]), 2);
    assert!(b.summary.next_steps.is_empty());
}

#[test]
fn blockers_are_replaced_and_cleared_only_when_resolved() {
    let blocker = Blocker { text: "no key".into(), seqs: vec![1], session_id: None };
    let a = with_proposal(None, &Proposal { blockers: vec![blocker], ..Proposal::default() }, 1).summary;
    let b = with_proposal(Some(&a), &Proposal::default(), 2).summary;
    assert_eq!(b.blockers.len(), 1);
    let c = with_proposal(Some(&b), &Proposal { blockers_resolved: true, ..Proposal::default() }, 3).summary;
    assert!(c.blockers.is_empty());
}

#[test]
fn an_error_is_upserted_resolved_and_opened_again() {
    let facts = |e| Facts { errors: vec![e], ..Facts::default() };
    let a = with_facts(None, &facts(error("a.py:12: boom at 0x7f01", None, 5)), 1).summary;
    assert_eq!((a.errors[0].status, a.errors[0].count), (ErrorStatus::Open, 1));
    let b = with_facts(Some(&a), &facts(error("a.py:12: boom at 0x99", Some("guarded"), 105)), 2).summary;
    assert_eq!(b.errors.len(), 1);
    assert_eq!((b.errors[0].status, b.errors[0].count), (ErrorStatus::Resolved, 2));
    assert_eq!(b.errors[0].resolved_in_version, Some(2));
    assert_eq!(b.errors[0].resolution.as_deref(), Some("guarded"));
    assert_eq!(b.errors[0].seqs, [5, 105]);
    let c = with_facts(Some(&b), &facts(error("a.py:12: boom at 0x99", None, 205)), 3).summary;
    assert_eq!((c.errors[0].status, c.errors[0].resolved_in_version), (ErrorStatus::Open, None));
    assert_eq!(c.errors[0].resolution, None);
}

#[test]
fn an_error_that_moved_with_its_lines_leaves_its_old_place() {
    let facts = |errors| Facts { errors, ..Facts::default() };
    let at = |line: u32, seq| error(&format!("a.py:{line}: boom"), None, seq);
    let first = with_facts(None, &facts(vec![at(12, 5), at(40, 5)]), 1).summary;
    assert_eq!(first.errors.len(), 2, "two places are two errors");
    let second = with_facts(Some(&first), &facts(vec![at(14, 105), at(40, 105)]), 2).summary;
    let open: Vec<&str> =
        second.errors.iter().filter(|e| e.status == ErrorStatus::Open).map(|e| e.message.as_str()).collect();
    assert_eq!(open, ["a.py:40: boom", "a.py:14: boom"]);
}

#[test]
fn a_command_that_passes_later_resolves_the_error_it_showed() {
    let mut met = error("boom", None, 5);
    met.command = Some("make all".into());
    let a = with_facts(None, &Facts { errors: vec![met], ..Facts::default() }, 1).summary;
    let ok =
        CommandFact { command: "make all".into(), exit_code: Some(0), failed: None, seqs: vec![101, 102] };
    let b = with_facts(Some(&a), &Facts { commands: vec![ok], ..Facts::default() }, 2).summary;
    assert_eq!(b.errors[0].status, ErrorStatus::Resolved);
    assert_eq!(b.errors[0].resolution.as_deref(), Some("`make all` passed"));
}

#[test]
fn the_latest_run_of_a_command_replaces_the_earlier_one() {
    let facts = Facts {
        test_runs: vec![
            run_fact("cargo test", TestOutcome::Fail, 1),
            run_fact("npm test", TestOutcome::Pass, 2),
            run_fact("cargo  test", TestOutcome::Pass, 3),
        ],
        ..Facts::default()
    };
    let merged = with_facts(None, &facts, 1).summary;
    let shown: Vec<_> = merged.test_results.iter().map(|r| (r.command.as_str(), r.outcome)).collect();
    assert_eq!(shown, [("cargo  test", TestOutcome::Pass), ("npm test", TestOutcome::Pass)]);
}

#[test]
fn a_thing_has_what_was_last_shown_of_it_and_what_that_was_before() {
    let show = |id: &str, properties: &[(&str, &str)], seq| Thing {
        kind: "reservation".into(),
        id: id.into(),
        properties: properties.iter().map(|(name, value)| Property::new(*name, *value)).collect(),
        seqs: vec![seq],
        ..Thing::default()
    };
    let facts = |things: Vec<Thing>| Facts { things, ..Facts::default() };
    let first = facts(vec![
        show("A1", &[("cabin", "business"), ("price", "940")], 1),
        show("B2", &[("cabin", "economy")], 2),
    ]);
    let a = with_facts(None, &first, 1).summary;
    let second = Facts {
        named: vec![("B2".into(), vec![105, 106])],
        ..facts(vec![show("A1", &[("cabin", "economy")], 101)])
    };
    let b = with_facts(Some(&a), &second, 2).summary;
    let told: Vec<String> =
        b.things.iter().map(|thing| format!("{} {:?}", thing.id, thing.properties)).collect();
    assert_eq!(b.things.len(), 2, "{told:?}");
    let cabin = Property { was: Some("business".into()), ..Property::new("cabin", "economy") };
    assert_eq!(b.things[0].properties, [cabin, Property::new("price", "940")]);
    assert_eq!((b.things[0].seqs.as_slice(), b.things[0].named), (&[1, 101][..], 0));
    assert_eq!((b.things[1].seqs.as_slice(), b.things[1].named), (&[2, 105, 106][..], 2));
}

#[test]
fn pins_come_first_and_only_dropped_constraints_go() {
    let user = constraint("u1", "never touch main", ConstraintSource::User);
    let system = constraint("s1", "answer in French", ConstraintSource::System);
    let facts = Facts { constraints: vec![user.clone(), system], ..Facts::default() };
    let a = with_facts(None, &facts, 1).summary;
    let pins = [constraint("p1", "keep the API", ConstraintSource::Pin)];
    let b = merge(
        Some(a.clone()),
        &Facts::default(),
        &Proposal::default(),
        MergeContext { pins: &pins, ..ctx(2) },
    );
    let ids = |s: &Summary| s.constraints.iter().map(|c| c.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&b.summary), ["p1", "u1", "s1"]);
    let removed = BTreeSet::from(["u1".to_owned()]);
    let c = merge(
        Some(b.summary),
        &Facts { constraints: vec![user.clone()], ..Facts::default() },
        &Proposal::default(),
        MergeContext { dropped_entries: &removed, ..ctx(3) },
    );
    assert_eq!(ids(&c.summary), ["s1"], "a pin that the caller took away goes with it");
    assert_eq!(c.gone.constraints.iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["p1", "u1"]);
}

#[test]
fn a_demand_outlives_the_pin_that_repeated_it() {
    let user = constraint("u1", "never touch main", ConstraintSource::User);
    let a = with_facts(None, &Facts { constraints: vec![user], ..Facts::default() }, 1).summary;
    let pins = [constraint("p1", "Never touch main!", ConstraintSource::Pin)];
    let pinned = MergeContext { pins: &pins, ..ctx(2) };
    let b = merge(Some(a.clone()), &Facts::default(), &Proposal::default(), pinned).summary;
    let c = with_facts(Some(&b), &Facts::default(), 3).summary;
    assert_eq!(c.constraints.iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["u1"]);
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        Just("instead of ".repeat(50)),
        Just("`|\n## x\r\u{0}\u{202e}".to_owned()),
        "[a-z/.0-9 ]{0,40}",
    ]
}

proptest! {
    #[test]
    fn it_takes_any_text_and_the_same_input_gives_the_same_summary(
        texts in proptest::collection::vec(hostile(), 1..12),
    ) {
        let facts = Facts {
            files: texts.iter().enumerate().map(|(i, t)| file_fact(t, (i % 2 == 0).then_some(FileAction::Created), 1)).collect(),
            errors: texts.iter().map(|t| error(t, None, 1)).collect(),
            things: texts.iter().map(|t| Thing { id: t.clone(), properties: vec![Property::new(t.clone(), t.clone())], ..Thing::default() }).collect(),
            constraints: texts.iter().map(|t| constraint(t, t, ConstraintSource::User)).collect(),
            ..Facts::default()
        };
        let proposal = Proposal { decisions: texts.iter().map(|t| decision(t, t)).collect(), ..intent(&texts[0], true) };
        let a = merge(None, &facts, &proposal, ctx(1));
        prop_assert_eq!(&a, &merge(None, &facts, &proposal, ctx(1)));
        let b = merge(Some(a.summary.clone()), &Facts::default(), &Proposal::default(), ctx(2)).summary;
        prop_assert_eq!(a.summary.files_modified, b.files_modified);
        prop_assert_eq!(a.summary.decisions_made, b.decisions_made);
        prop_assert_eq!(a.summary.errors, b.errors);
        prop_assert_eq!(a.summary.constraints, b.constraints);
    }
}

#[test]
fn a_step_that_a_model_told_more_of_is_the_list_s_own() {
    let list = |items: &[(&str, TodoStatus)]| Facts {
        todos: Some(TodoList {
            items: items
                .iter()
                .map(|(content, status)| TodoItem { content: (*content).to_owned(), status: *status })
                .collect(),
            seqs: vec![7],
        }),
        ..Facts::default()
    };
    let record = Summary {
        next_steps: vec!["Write the test: quoted fields, by the agent.".to_owned(), "Ask Ines.".to_owned()],
        ..Summary::default()
    };
    let beside = Proposal { is_beside: true, ..Proposal::default() };
    let pending = list(&[("Write the test", TodoStatus::Pending), ("Ship it", TodoStatus::InProgress)]);
    let merged = merge(Some(record), &pending, &beside, ctx(2)).summary;
    assert_eq!(merged.next_steps, ["Write the test: quoted fields, by the agent.", "Ask Ines.", "Ship it"]);
    assert_eq!(merged.current_state.task.as_deref(), Some("Ship it"));
    let done = list(&[("Write the test", TodoStatus::Completed)]);
    let merged = merge(Some(merged), &done, &beside, ctx(3)).summary;
    assert_eq!(merged.next_steps, ["Ask Ines.", "Ship it"]);
    assert_eq!(merged.current_state.task, None, "nothing of the list is in hand");
}

#[test]
fn a_proposed_demand_binds_nobody_until_it_is_pinned_and_goes_when_it_is_removed() {
    let mut facts = Facts {
        constraints: vec![
            constraint("u1", "never touch main", ConstraintSource::User),
            constraint("u2", "always run make", ConstraintSource::User),
            constraint("s1", "answer in French", ConstraintSource::System),
        ],
        ..Facts::default()
    };
    facts.propose_constraints();
    let ids = |list: &[Constraint]| list.iter().map(|c| c.id.clone()).collect::<Vec<_>>();
    let a = with_facts(None, &facts, 1).summary;
    assert_eq!(ids(&a.constraints), ["s1"], "the operator's binds");
    assert_eq!(ids(&a.proposed_constraints), ["u1", "u2"]);
    let again = with_facts(Some(&a), &facts, 2).summary;
    assert_eq!(ids(&again.proposed_constraints), ["u1", "u2"], "once each");

    let pins = [constraint("p1", "Never touch main!", ConstraintSource::Pin)];
    let removed = BTreeSet::from(["u2".to_owned()]);
    let context = MergeContext { pins: &pins, dropped_entries: &removed, ..ctx(3) };
    let b = merge(Some(again), &facts, &Proposal::default(), context).summary;
    assert_eq!(ids(&b.constraints), ["p1", "s1"]);
    assert_eq!(b.proposed_constraints, []);
}

#[test]
fn the_oldest_of_very_many_proposals_go() {
    let proposed = (0..MOST_PROPOSED + 5)
        .map(|at| constraint(&format!("u{at}"), &format!("never do {at}"), ConstraintSource::User))
        .collect();
    let facts = Facts { proposed_constraints: proposed, ..Facts::default() };
    let kept = with_facts(None, &facts, 1).summary.proposed_constraints;
    assert_eq!((kept.len(), kept[0].id.as_str()), (MOST_PROPOSED, "u5"));
}

#[test]
fn no_next_steps_are_told_to_be_missing_only_where_none_is_stated() {
    let step = Statement {
        section: Stated::NextStep,
        text: "Deploy it".to_owned(),
        reason: String::new(),
        rejected: String::new(),
        by: None,
        seqs: vec![1],
    };
    let warned = |statements: Vec<Statement>| {
        let facts = Facts { statements, ..Facts::default() };
        let merged = merge(None, &facts, &Proposal::default(), ctx(1));
        merged.warnings.iter().any(|warning| warning.starts_with("the messages name no next steps"))
    };
    assert!(warned(Vec::new()));
    assert!(!warned(vec![step]));
}

#[test]
fn a_question_that_was_stated_as_open_outlives_what_a_person_says_of_other_things() {
    let stated = Remark { text: "who owns the key?".to_owned(), seqs: vec![3], session_id: None };
    let asked = Remark { text: "Shall I go on?".to_owned(), ..stated.clone() };
    let summary = Summary { open_questions: vec![stated.clone(), asked], ..Summary::default() };
    let mut facts = Facts { answered: true, ..Facts::default() };
    facts.carry.open_questions.push(stated.text.clone());
    let merged = merge(Some(summary.clone()), &facts, &Proposal::default(), ctx(2));
    assert_eq!(merged.summary.open_questions, [stated]);
    facts.carry.open_questions.clear();
    assert_eq!(merge(Some(summary), &facts, &Proposal::default(), ctx(2)).summary.open_questions, []);
}

fn read(messages: &[(Seq, Role, &str)]) -> Facts {
    let span: Vec<Numbered> = messages
        .iter()
        .map(|(seq, role, text)| Numbered {
            seq: *seq,
            message: Message { role: *role, name: None, parts: vec![Part::Text((*text).to_owned())] },
        })
        .collect();
    ledger::read(&span, &LedgerState::default(), &EarlierNames::default())
}

#[test]
fn a_withdrawn_constraint_ends_in_a_later_span_with_its_probe() {
    let never = read(&[(3, Role::User, "Never log email addresses.")]);
    let first = with_facts(None, &never, 1).summary;
    let asked = probe::generate(&never, &Proposal::default(), None, &first);
    assert!(asked.iter().any(|probe| probe.critical && probe.kind == ProbeKind::Constraint));
    let may = read(&[(103, Role::User, "You may log email addresses now.")]);
    let second = with_facts(Some(&first), &may, 2);
    assert_eq!(second.summary.constraints.len(), 1);
    assert_eq!(second.summary.constraints[0].replaces, ["Never log email addresses."]);
    let carried = probe::carry_over(&asked, &second.summary, &second.gone);
    assert!(carried.iter().all(|probe| probe.kind != ProbeKind::Constraint), "{carried:?}");
    let fresh = probe::generate(&may, &Proposal::default(), Some(&first), &second.summary);
    assert!(fresh.iter().all(|probe| probe.kind != ProbeKind::Constraint), "{fresh:?}");
}

#[test]
fn what_a_span_itself_withdrew_is_no_probe() {
    let facts = read(&[
        (1, Role::User, "The API must return XML."),
        (2, Role::User, "Actually, the API must return JSON, not XML."),
    ]);
    let summary = with_facts(None, &facts, 1).summary;
    let asked = probe::generate(&facts, &Proposal::default(), None, &summary);
    let asked: Vec<&str> = asked
        .iter()
        .filter(|p| p.kind == ProbeKind::Constraint)
        .flat_map(|p| &p.expected)
        .map(String::as_str)
        .collect();
    assert_eq!(asked, ["Actually, the API must return JSON, not XML."]);
}

#[test]
fn pins_and_operators_constraints_are_not_withdrawn() {
    let pins = [constraint("pin", "Never push to main.", ConstraintSource::Pin)];
    let mut summary = Summary::default();
    summary.constraints.push(constraint("sys", "Don't push to main.", ConstraintSource::System));
    let may = read(&[(103, Role::User, "You may push to main now.")]);
    let merged = merge(Some(summary), &may, &Proposal::default(), MergeContext { pins: &pins, ..ctx(2) });
    assert_eq!(merged.summary.constraints.len(), 2, "{:?}", merged.summary.constraints);
    assert_eq!(merged.gone.constraints, []);
}

#[test]
fn a_proposed_constraint_is_withdrawn_without_touching_those_that_bind() {
    let mut never = read(&[(3, Role::User, "Never log email addresses.")]);
    let bound = with_facts(None, &never, 1).summary;
    never.propose_constraints();
    let proposed = with_facts(None, &never, 1).summary;
    let mut may = read(&[(103, Role::User, "You may log email addresses now.")]);
    may.propose_constraints();
    let second = with_facts(Some(&proposed), &may, 2).summary;
    assert_eq!(second.proposed_constraints[0].replaces, ["Never log email addresses."]);
    assert_eq!(second.proposed_constraints.len(), 1);
    assert_eq!(with_facts(Some(&bound), &may, 2).summary.constraints, bound.constraints);
}

fn states(messages: &[(Seq, Role, &str)]) -> Vec<(String, RequestState)> {
    let facts = read(messages);
    requests::after(None, &facts.requests, &BTreeSet::new())
        .into_iter()
        .map(|one| (one.text, one.state))
        .collect()
}

#[test]
fn a_question_beside_the_work_closes_no_task_and_is_over_with_the_next_message() {
    let (task, why) = ("Build a REST API for invoices with chi.", "can you explain why?");
    let begun = [
        (1, Role::User, task),
        (2, Role::Assistant, "I built the API."),
        (3, Role::User, why),
        (4, Role::Assistant, "Because it is small."),
    ];
    assert_eq!(states(&begun), [(task.to_owned(), RequestState::Open), (why.to_owned(), RequestState::Open)]);
    let next = [&begun[..], &[(5, Role::User, "Now write the docs of every route.")]].concat();
    let told: Vec<RequestState> = states(&next).into_iter().map(|(_, state)| state).collect();
    assert_eq!(told, [RequestState::Done, RequestState::Done, RequestState::Open]);
}

#[test]
fn a_change_of_mind_about_a_sentence_leaves_the_task_beside_it() {
    let told = states(&[
        (1, Role::User, "Build a REST API for invoices. The API must return XML."),
        (2, Role::Assistant, "Which framework?"),
        (3, Role::User, "Actually, the API must return JSON, not XML."),
    ]);
    assert_eq!(told.first().map(|(_, state)| *state), Some(RequestState::Open), "{told:?}");
}

#[test]
fn a_change_of_mind_may_pass_over_the_latest_request() {
    let told = states(&[
        (1, Role::User, "Read the ledgers of all depots and write a report."),
        (2, Role::Assistant, "I begin."),
        (3, Role::User, "Nobody reads cents: give the total in whole euros, please."),
        (4, Role::Assistant, "I will."),
        (5, Role::User, "The code word of the report is HARBOUR-5033, by the way."),
        (6, Role::Assistant, "Noted."),
        (7, Role::User, "I changed my mind about the total: I want it in cents after all."),
    ]);
    let told: Vec<RequestState> = told.into_iter().map(|(_, state)| state).collect();
    assert_eq!(told.get(1), Some(&RequestState::Superseded), "{told:?}");
    assert_ne!(told.get(2), Some(&RequestState::Superseded), "{told:?}");
}

#[test]
fn a_change_of_mind_supersedes_the_request_that_it_speaks_of() {
    let told = states(&[
        (1, Role::User, "Build a REST API for invoices."),
        (2, Role::User, "Use chi for the routing."),
        (3, Role::User, "what is the status?"),
        (4, Role::Assistant, "The routes are in place."),
        (5, Role::User, "Actually, use gin instead of chi."),
    ]);
    let told: Vec<RequestState> = told.into_iter().map(|(_, state)| state).collect();
    assert_eq!(told, [RequestState::Open, RequestState::Superseded, RequestState::Done, RequestState::Open]);
    let told = states(&[
        (1, Role::User, "Build a REST API for invoices with chi."),
        (5, Role::User, "Actually, use gin instead of chi."),
    ]);
    assert!(told.iter().all(|(_, state)| *state == RequestState::Open), "{told:?}");
}
