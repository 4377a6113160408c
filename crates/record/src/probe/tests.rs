use std::collections::BTreeSet;

use proptest::prelude::*;
use rstest::rstest;

use super::super::merge::{Gone, MergeContext, Merged, merge};
use super::super::proposal::{Proposal, ProposedIntent};
use super::super::render::{LEAST_BOUND_TOKENS, Rendering, Style, Subject, render};
use super::super::section::Section;
use super::super::summary::{Blocker, CurrentState, Decision, Summary};
use super::*;
use crate::testing::{ctx, error_fact, file_fact, meta, probe, run_fact};
use anchord_facts::ledger::FileAction;
use anchord_facts::ledger::constraints::{Constraint, ConstraintSource};
use anchord_facts::ledger::{
    ErrorFact, Facts, FileFact, TestOutcome, TestRunFact, TodoItem, TodoList, TodoStatus,
};
use anchord_facts::thing::{Property, Thing};
use anchord_messages::message::{Message, Numbered, Part, Role};

fn seq(i: usize) -> i64 {
    i64::try_from(i).unwrap()
}

fn tokens(text: &str) -> u32 {
    anchord_messages::tokens::TokenCounter::new(anchord_messages::tokens::Tokenizer::O200kBase)
        .count_text(text)
}

fn shown(summary: &Summary, version: i64, bound: u32) -> Rendering {
    let meta = meta(version);
    let at = meta.last_compressed_at;
    let subject =
        Subject { summary, meta: &meta, session_id: "s", task_id: None, started: at, last_activity: at };
    render(Style::Anchored, &subject, bound, tokens)
}

fn file(path: &str, action: Option<FileAction>, seq: i64) -> FileFact {
    let changes = vec![format!("edit number {seq} of the parser")];
    FileFact { changes, ..file_fact(path, action, seq) }
}

fn error(message: &str, seq: i64) -> ErrorFact {
    ErrorFact { kind: Some("TypeError".into()), ..error_fact(message, seq) }
}

fn user(text: &str, seq: i64) -> Constraint {
    Constraint::new(format!("u{seq}"), text.into(), ConstraintSource::User, vec![seq])
}

fn thing(kind: &str, id: &str, seq: i64) -> Thing {
    let properties = vec![Property::new("state", "open")];
    Thing { kind: kind.into(), id: id.into(), properties, seqs: vec![seq], ..Thing::default() }
}

fn span(version: i64) -> (Facts, Proposal) {
    let s = version * 100;
    let facts = Facts {
        files: vec![
            file(&format!("src/area{}/file_{version}.rs", version % 5), Some(FileAction::Created), s + 1),
            file("src/lib.rs", Some(FileAction::Modified), s + 2),
            file(&format!("docs/page_{version}.md"), None, s + 3),
        ],
        errors: vec![error(&format!("cannot read field{version}_x of undefined"), s + 4)],
        things: vec![thing("commit", &format!("abc{version:04}f"), s + 5)],
        named: vec![(format!("abc{version:04}f"), vec![s + 5])],
        constraints: vec![user(&format!("never touch table_{version}"), s + 6)],
        ..Facts::default()
    };
    let proposal = Proposal {
        is_beside: false,
        intent: Some(ProposedIntent {
            text: "Port the parser to Rust, with tests".into(),
            changes_scope: false,
            seqs: vec![1],
        }),
        things: vec![],
        decisions: vec![Decision {
            decision: format!("Use table driven parsing in stage {version}"),
            rationale: "it is simpler to test".into(),
            seqs: vec![s + 7],
            ..Decision::default()
        }],
        current_state: CurrentState {
            phase: None,
            task: Some(format!("port stage {version}")),
            text: format!("Stage {version} compiles and most of its tests pass."),
            seqs: vec![s + 8],
            ..CurrentState::default()
        },
        blockers: vec![Blocker {
            text: format!("The fixture of stage {version} is missing"),
            seqs: vec![s + 8],
            session_id: None,
        }],
        blockers_resolved: false,
        next_steps: vec![format!("Finish stage {version}"), "Run the whole suite".into()],
        open_questions: Vec::new(),
        next_steps_seqs: vec![s + 8],
        warnings: vec![],
    };
    (facts, proposal)
}

fn compress(current: Option<&Summary>, version: i64) -> (Merged, Facts, Proposal) {
    let (facts, proposal) = span(version);
    let pins =
        [Constraint::new("p".into(), "Keep the public API as it is.".into(), ConstraintSource::Pin, vec![])];
    let context = MergeContext { pins: &pins, ..ctx(version) };
    (merge(current.cloned(), &facts, &proposal, context), facts, proposal)
}

#[test]
fn a_sound_candidate_answers_every_probe() {
    let (merged, facts, proposal) = compress(None, 1);
    let probes = generate(&facts, &proposal, None, &merged.summary);
    for kind in [
        ProbeKind::Recall,
        ProbeKind::Artifact,
        ProbeKind::Continuation,
        ProbeKind::Decision,
        ProbeKind::Blocker,
        ProbeKind::Constraint,
    ] {
        assert!(probes.iter().any(|p| p.kind == kind), "no {kind:?}");
    }
    let report = score(&probes, &shown(&merged.summary, 1, 4000), &merged.summary);
    let wrong: Vec<_> = report.results.iter().filter(|r| r.verdict != Verdict::Pass).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(report.score, Some(1.0));
    assert!(accept(&report));
}

#[test]
fn without_probes_there_is_no_score_and_nothing_to_refuse() {
    let report = score(&[], &shown(&Summary::default(), 1, 4000), &Summary::default());
    assert_eq!((report.score, report.asked), (None, 0));
    assert!(accept(&report));
}

#[test]
fn a_lost_fact_fails_is_put_back_and_passes() {
    let (merged, facts, proposal) = compress(None, 1);
    let mut lossy = merged.summary.clone();
    let probes = generate(&facts, &proposal, None, &lossy);
    lossy.files_modified.remove(0);
    lossy.files_read.clear();
    lossy.errors.clear();
    lossy.things.clear();
    lossy.decisions_made.clear();
    lossy.constraints.retain(|c| c.source == ConstraintSource::Pin);
    lossy.current_state = CurrentState::default();
    lossy.next_steps.clear();
    lossy.blockers.clear();
    lossy.session_intent.clear();
    let before = score(&probes, &shown(&lossy, 1, 4000), &lossy);
    assert!(before.critical_failed > 0 && !accept(&before));
    assert_eq!(before.cut, 0);
    assert!(repair(&before, &facts, &proposal, &[], &mut lossy));
    let after = score(&probes, &shown(&lossy, 1, 4000), &lossy);
    assert_eq!(
        after.failed,
        0,
        "{:#?}",
        after.results.iter().filter(|r| r.verdict == Verdict::Fail).collect::<Vec<_>>()
    );
    assert!(!repair(&after, &facts, &proposal, &[], &mut lossy), "a second round finds nothing to do");
}

#[test]
fn no_question_holds_a_fact_that_it_asks_for() {
    let (mut facts, mut proposal) = span(1);
    let run = |command: &str, passed, failed, seq| TestRunFact {
        passed,
        failed,
        ..run_fact(command, TestOutcome::Fail, seq)
    };
    facts.test_runs =
        vec![run("cargo test -p parser", Some(11), Some(1), 108), run("make fail", None, None, 109)];
    facts.constraints.push(user("Use Rust", 110));
    facts.files.push(file("Cargo.toml", Some(FileAction::Modified), 111));
    let said =
        Decision { decision: "Use JWT because it is stateless".into(), ..proposal.decisions[0].clone() };
    proposal.decisions.push(Decision { rationale: "it is stateless".into(), ..said });
    let summary = merge(None, &facts, &proposal, ctx(1)).summary;
    let probes = generate(&facts, &proposal, None, &summary);
    for probe in &probes {
        let repeated = check_answer(&Probe { mode: Match::Any, ..probe.clone() }, &probe.question);
        assert_eq!(repeated.verdict, Verdict::Fail, "{probe:?}");
    }
    let expects = |question: &str| {
        let mut asked = probes.iter().filter(|probe| probe.question.contains(question));
        let expected = asked.next().map(|probe| probe.expected.clone());
        assert!(asked.next().is_none(), "{question} is asked once");
        expected
    };
    assert_eq!(expects("How did the tests go (cargo test -p parser)?").unwrap(), ["11 passed", "1 failed"]);
    assert_eq!(expects("make fail"), None, "its outcome is a word of its command");
    assert_eq!(expects("What is known of commit abc0001f?").unwrap(), ["open"]);
    assert_eq!(expects("Which decisions were made?").unwrap(), ["Use JWT because it is stateless"]);
    assert_eq!(expects("Which files in the root folder").unwrap(), ["Cargo.toml"]);
    let report = score(&probes, &shown(&summary, 1, 4_000), &summary);
    assert_eq!(report.failed, 0, "{report:#?}");
}

#[test]
fn a_fact_in_the_wrong_section_does_not_count() {
    let (merged, facts, proposal) = compress(None, 1);
    let mut summary = merged.summary;
    let probes = generate(&facts, &proposal, None, &summary);
    summary.blockers[0].text.clone_from(&summary.errors[0].message);
    summary.errors.clear();
    let report = score(&probes, &shown(&summary, 1, 4000), &summary);
    let failed = report.results.iter().find(|r| r.probe.section == Some(Section::Errors)).unwrap();
    assert_eq!(failed.verdict, Verdict::Fail);
    assert_eq!(failed.answer, "information not found");
}

#[test]
fn what_the_bound_cut_is_cut_and_critical_facts_are_not() {
    let (mut facts, proposal) = span(1);
    for i in 0..400_i64 {
        facts.files.push(file(
            &format!("src/generated/module_{}/file_{i}.rs", i % 17),
            Some(FileAction::Modified),
            i,
        ));
        facts
            .errors
            .push(ErrorFact { seqs: vec![i], ..error(&format!("module m{i}x has no member k{i}y"), i) });
        facts.things.push(thing(&format!("id{}", i % 9), &format!("v-{i}"), i));
        facts.named.push((format!("v-{i}"), vec![i]));
    }
    let summary = merge(None, &facts, &proposal, ctx(1)).summary;
    let probes = generate(&facts, &proposal, None, &summary);
    assert!(probes.len() <= MAX_PROBES);
    let rendering = shown(&summary, 1, LEAST_BOUND_TOKENS);
    assert!(rendering.tokens <= LEAST_BOUND_TOKENS);
    let report = score(&probes, &rendering, &summary);
    assert_eq!(report.failed, 0);
    assert!(report.cut > 0);
    let cut: Vec<_> =
        report.results.iter().filter(|r| r.probe.critical && r.verdict == Verdict::Cut).collect();
    assert!(cut.is_empty(), "{cut:#?}\n{}", rendering.text);
}

#[rstest]
#[case("see src/a.ts.", "src/a.ts", true)]
#[case("see src/a.tsx", "src/a.ts", false)]
#[case("see src/a.ts.bak", "src/a.ts", false)]
#[case("- `src/` (modified): a.ts: x; b.ts", "src/b.ts", true)]
#[case("- `lib/` (modified): a.ts; b.ts", "src/b.ts", false)]
#[case("order 1234", "123", false)]
#[case("order 123.", "123", true)]
fn a_path_or_an_identifier_matches_to_the_letter(
    #[case] answer: &str,
    #[case] wanted: &str,
    #[case] found: bool,
) {
    let probe = Probe { kind: ProbeKind::Artifact, exact: true, ..probe("?", wanted) };
    assert_eq!(check_answer(&probe, answer).verdict == Verdict::Pass, found);
}

#[rstest]
#[case(Match::All, 1, Verdict::Fail)]
#[case(Match::All, 2, Verdict::Pass)]
#[case(Match::Any, 0, Verdict::Fail)]
#[case(Match::Any, 1, Verdict::Pass)]
#[case(Match::Ratio(0.5), 1, Verdict::Pass)]
#[case(Match::Ratio(0.9), 1, Verdict::Fail)]
fn a_probe_says_how_many_of_its_facts_it_needs(
    #[case] mode: Match,
    #[case] told: usize,
    #[case] verdict: Verdict,
) {
    let facts = ["the first fact told", "the second fact told"];
    let expected = facts.iter().map(|f| (*f).to_owned()).collect();
    let probe = Probe { expected, mode, ..probe("?", "") };
    assert_eq!(check_answer(&probe, &facts[..told].join("\n")).verdict, verdict);
}

#[test]
fn a_callers_probe_that_fails_binds_only_when_it_is_critical() {
    let probe = probe("Why did the agent refuse?", "purple elephants dance");
    for (critical, accepted) in [(false, true), (true, false)] {
        let probe = Probe { critical, ..probe.clone() };
        let report = score(&[probe], &shown(&Summary::default(), 1, 4000), &Summary::default());
        assert_eq!((report.failed, report.score, report.callers_failed().count()), (1, Some(0.0), 1));
        assert_eq!(accept(&report), accepted);
    }
}

#[rstest]
#[case("How many rows were imported?", "23,553", Some("In all, 23,553 rows were imported."))]
#[case("How many rows were imported?", "23,553 rows", Some("In all, 23,553 rows were imported."))]
#[case("Which rows failed?", "rows 7 and 9", Some("rows 7 and 9 failed"))]
#[case("How many rows were imported?", "24,000", None)]
#[case("Which token is used?", "ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2", None)]
fn a_callers_probe_is_repaired_by_the_line_that_answers_it(
    #[case] question: &str,
    #[case] fact: &str,
    #[case] quoted: Option<&str>,
) {
    let said = |seq, role, text: &str| Numbered {
        seq,
        message: Message { role, name: None, parts: vec![Part::Text(text.into())] },
    };
    let token = "ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2";
    let span = [
        said(1, Role::User, "Import the table, 23,553 is the port."),
        said(2, Role::Assistant, "It ran.\nIn all, 23,553 rows were imported.\nrows 7 and 9 failed"),
        said(3, Role::Tool, &format!("rows: 23,553\ntoken {token}")),
    ];
    let mut summary = Summary::default();
    let report = score(&[probe(question, fact)], &shown(&summary, 1, 4000), &summary);
    let changed = repair(&report, &Facts::default(), &Proposal::default(), &span, &mut summary);
    let found: Vec<&str> = summary.findings.iter().map(|finding| finding.text.as_str()).collect();
    assert_eq!((changed, found), (quoted.is_some(), quoted.into_iter().collect()));
    let after = score(&[probe(question, fact)], &shown(&summary, 1, 4000), &summary);
    assert_eq!(after.failed, u32::from(quoted.is_none()));
}

#[test]
fn a_probe_is_kept_in_json_as_it_was() {
    let (merged, facts, proposal) = compress(None, 1);
    for probe in generate(&facts, &proposal, None, &merged.summary) {
        let json = serde_json::to_string(&probe).unwrap();
        assert_eq!(serde_json::from_str::<Probe>(&json).unwrap(), probe, "{json}");
    }
}

#[test]
fn critical_probes_are_asked_again_until_their_fact_is_replaced() {
    let (first, facts, proposal) = compress(None, 1);
    let probes = generate(&facts, &proposal, None, &first.summary);
    let again = carry_over(&probes, &first.summary, &Gone::default());
    let sections: BTreeSet<_> = again.iter().filter_map(|p| p.section).collect();
    assert!(sections.contains(&Section::FilesModified) && sections.contains(&Section::Constraints));
    assert!(!sections.contains(&Section::CurrentState), "a state is replaced by every span");
    let mut later = first.summary.clone();
    later.errors[0].status = super::super::summary::ErrorStatus::Resolved;
    let renamed = std::mem::replace(&mut later.files_modified[0].path, "src/moved.rs".into());
    let gone = Gone {
        constraints: vec![later.constraints.remove(1)],
        files: BTreeSet::from([renamed]),
        ..Gone::default()
    };
    let again = carry_over(&probes, &later, &gone);
    assert!(!again.iter().any(|p| p.section == Some(Section::Errors)));
    assert!(!again.iter().any(|p| p.expected == ["src/area1/file_1.rs"]));
    assert!(!again.iter().any(|p| p.expected[0].starts_with("never touch")));
    assert!(again.iter().any(|p| p.expected == ["src/lib.rs"]));
    later.files_modified.clear();
    let again = carry_over(&probes, &later, &gone);
    let report = score(&again, &shown(&later, 2, 4000), &later);
    assert!(report.critical_failed > 0, "a fact that is simply gone fails");
    let asks_of_errors = |gone: &Gone| {
        let again = carry_over(&probes, &Summary::default(), gone);
        again.iter().any(|probe| probe.section == Some(Section::Errors))
    };
    let errors = first.summary.errors.iter().map(|error| error.message.clone()).collect();
    assert!(asks_of_errors(&Gone::default()));
    assert!(!asks_of_errors(&Gone { errors, ..Gone::default() }), "it is above the bound");
}

#[test]
fn an_error_met_again_at_another_line_retires_the_probe_of_its_old_wording() {
    let step = |current: Option<&Summary>, version: i64| {
        let line = version * 11;
        let facts =
            Facts { errors: vec![error(&format!("a.py:{line}: boom"), version * 100)], ..Facts::default() };
        let merged = merge(current.cloned(), &facts, &Proposal::default(), ctx(version)).summary;
        let probes = generate(&facts, &Proposal::default(), current, &merged);
        (merged, probes)
    };
    let (first, probes) = step(None, 1);
    assert_eq!(carry_over(&probes, &first, &Gone::default()).len(), 1);
    let (second, _) = step(Some(&first), 2);
    assert!(carry_over(&probes, &second, &Gone::default()).is_empty());
}

/// The entries of each section in a heavy span.
const HEAVY: usize = 360;

/// A span with so much of everything that a few of them are above the bounds of a record.
fn heavy(version: i64) -> (Facts, Proposal) {
    let (mut facts, mut proposal) = span(version);
    let at = version * 100 + 9;
    let long =
        |what: &str, one: usize| format!("{what} {one} of span {version} {}", "and more of it ".repeat(90));
    let run = |one| TestRunFact {
        failed: Some(1),
        failing: vec!["a".into()],
        ..run_fact(&long("pytest", one), TestOutcome::Fail, at)
    };
    for one in 0..HEAVY {
        let path = format!("deep/{}/{version}_{one}.rs", "folder/".repeat(20));
        let change =
            FileFact { changes: vec![long("a change", one)], ..file(&path, Some(FileAction::Created), at) };
        let read = FileFact { reason: Some(long("reason", one)), ..file(&format!("{path}.md"), None, at) };
        facts.files.extend([change, read]);
        facts.errors.push(error(&long("cannot do", one), at));
        facts
            .constraints
            .push(Constraint { id: format!("u{version}-{one}"), ..user(&long("never", one), at) });
        facts.test_runs.push(run(one));
        let decision =
            Decision { decision: long("Use stage", one), seqs: vec![at], ..proposal.decisions[0].clone() };
        proposal.decisions.push(decision);
    }
    // One file is changed by every span, at length.
    facts.files[1].changes = (0..100).map(|one| long("an edit", one)).collect();
    (facts, proposal)
}

#[test]
fn a_record_at_its_bounds_forgets_the_oldest_and_every_version_holds() {
    const BOUNDS: usize = 11 << 20;
    let mut current: Option<Summary> = None;
    let mut asked: Vec<Probe> = Vec::new();
    let versions = 6;
    for version in 1..=versions {
        let (facts, proposal) = if version % 5 == 0 { span(version) } else { heavy(version) };
        let (anchor, through_seq) = ((version - 1) * 100 + 99, version * 100 + 99);
        let context = MergeContext { anchor, through_seq, ..ctx(version) };
        let merged = merge(current.clone(), &facts, &proposal, context);
        let mut probes = carry_over(&asked, &merged.summary, &merged.gone);
        let fresh = generate(&facts, &proposal, current.as_ref(), &merged.summary);
        probes.retain(|p| !fresh.contains(p));
        probes.extend(fresh);
        let report = score(&probes, &shown(&merged.summary, version, 8_000), &merged.summary);
        let failed: Vec<_> =
            report.results.iter().filter(|r| r.verdict == Verdict::Fail && r.probe.critical).collect();
        assert!(failed.is_empty(), "version {version}: {failed:#?}");
        let bytes = serde_json::to_string(&merged.summary).unwrap().len();
        assert!(bytes < BOUNDS, "version {version}: {bytes}");
        asked = probes;
        current = Some(merged.summary);
    }
    let record = current.unwrap();
    let heavy_spans = usize::try_from(versions - versions / 5).unwrap();
    let all = |of_span: usize, of_heavy: usize| {
        of_span * usize::try_from(versions).unwrap() + of_heavy * heavy_spans
    };
    for (section, kept, all) in [
        (Section::FilesModified, record.files_modified.len(), all(1, HEAVY) + 1),
        (Section::FilesRead, record.files_read.len(), all(1, HEAVY)),
        (Section::Errors, record.errors.len(), all(1, HEAVY)),
        (Section::DecisionsMade, record.decisions_made.len(), all(1, HEAVY)),
        (Section::TestResults, record.test_results.len(), all(0, HEAVY)),
        (Section::Constraints, record.constraints.len(), all(1, HEAVY)),
    ] {
        assert!(kept > HEAVY / 4 && record.left_out_of(section) > 0, "{section:?}: {kept}");
        assert_eq!(kept + record.left_out_of(section), all, "{section:?}");
    }
    let has = |path: &str| record.files_modified.iter().any(|file| file.path.contains(path));
    assert!(has("6_359.rs") && !has("/1_0.rs"), "the oldest went");
    let edited = record.files_modified.iter().find(|file| file.path == "src/lib.rs").unwrap();
    assert!(edited.changes.len() < 50 && edited.changes.last().unwrap().contains("99 of span 6"));
    let cut = |record: &Summary| {
        let cuts = shown(record, versions, 8_000).cut;
        cuts.iter().find(|cut| cut.section == Section::FilesModified).unwrap().omitted
    };
    let removed = record.left_out_of(Section::FilesModified);
    let silent = Summary { left_out: std::collections::BTreeMap::new(), ..record.clone() };
    assert_eq!(cut(&record), cut(&silent) + removed, "what was removed is counted as not shown");
}

#[test]
fn a_todo_list_is_asked_for_when_the_proposal_is_silent() {
    let item = |content: &str, status| TodoItem { content: content.into(), status };
    let facts = Facts {
        todos: Some(TodoList {
            items: vec![
                item("test the parser", TodoStatus::InProgress),
                item("ship the parser", TodoStatus::Pending),
            ],
            seqs: vec![3],
        }),
        ..Facts::default()
    };
    let summary = merge(None, &facts, &Proposal::default(), ctx(1)).summary;
    let probes = generate(&facts, &Proposal::default(), None, &summary);
    assert_eq!(probes.len(), 2);
    assert_eq!(score(&probes, &shown(&summary, 1, 4000), &summary).score, Some(1.0));
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        Just("``` \n# x\n| a | b |\n---\n\u{0}\u{202e}`".to_owned()),
        Just("长".repeat(300)),
        Just("x".repeat(3000)),
        "[a-z]{1,8}(/[a-z]{1,8}){0,4}\\.rs",
        "([a-zA-Z.,'\"`*_|\\\\-]{1,9} ){0,60}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_span_says_its_own_merge_fails_no_probe(
        texts in proptest::collection::vec(hostile(), 1..8), bound in 800..4000u32,
    ) {
        let facts = Facts {
            files: texts.iter().enumerate().filter(|(_, t)| !t.trim().is_empty())
                .map(|(i, t)| file(t, (i % 3 != 0).then_some(FileAction::Created), seq(i))).collect(),
            errors: texts.iter().enumerate().map(|(i, t)| error(t, seq(i))).collect(),
            things: texts.iter().map(|t| thing("id", t, 1)).collect(),
            named: texts.iter().map(|t| (t.clone(), vec![1])).collect(),
            constraints: texts.iter().enumerate().map(|(i, t)| user(t, seq(i))).collect(),
            ..Facts::default()
        };
        let proposal = Proposal {
            intent: Some(ProposedIntent { text: texts[0].clone(), changes_scope: false, seqs: vec![1] }),
            decisions: texts.iter().map(|t| Decision {
                decision: t.clone(), rationale: texts[0].clone(), alternatives: vec![], superseded_by: None,
                seqs: vec![], session_id: None,
                ..Decision::default()
            }).collect(),
            current_state: CurrentState { task: Some(texts[0].clone()), text: texts[0].clone(), ..CurrentState::default() },
            blockers: texts.iter().map(|t| Blocker { text: t.clone(), seqs: vec![], session_id: None  }).collect(),
            next_steps: texts.clone(),
            ..Proposal::default()
        };
        let summary = merge(None, &facts, &proposal, ctx(1)).summary;
        let probes = generate(&facts, &proposal, None, &summary);
        let report = score(&probes, &shown(&summary, 1, bound), &summary);
        let failed: Vec<_> = report.results.iter().filter(|r| r.verdict == Verdict::Fail).collect();
        prop_assert!(failed.is_empty(), "{failed:#?}");
        let mut repaired = summary.clone();
        let _ = repair(&report, &facts, &proposal, &[], &mut repaired);
    }
}
