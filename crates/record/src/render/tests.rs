use chrono::{DateTime, TimeZone, Utc};
use proptest::prelude::*;

use super::super::section::Section;
use super::super::summary::Summary;
use super::super::summary::{
    Blocker, CurrentState, Decision, ErrorEntry, ErrorStatus, FileStatus, ModifiedFile, ReadFile, Remark,
    RequestEntry, RequestState, TestResult,
};
use super::super::version::VersionMeta;
use super::*;
use crate::testing::{self, error, modified};
use anchord_facts::ledger::FileAction;
use anchord_facts::ledger::TestOutcome;
use anchord_facts::ledger::constraints::{Constraint, ConstraintSource};
use anchord_facts::thing::{NOTE, Property, Thing};

/// Counts as the largest provider's tokenizer does.
fn real(text: &str) -> u32 {
    anchord_messages::tokens::TokenCounter::new(anchord_messages::tokens::Tokenizer::O200kBase)
        .count_text(text)
}

/// Counts four bytes as a token: quick, and its pieces add up to more than the whole.
fn quick(text: &str) -> u32 {
    u32::try_from(text.len().div_ceil(4)).unwrap()
}

fn seq(i: usize) -> i64 {
    i64::try_from(i).unwrap()
}

fn at() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 1, 2, 3, 4, 5).unwrap()
}

fn meta(version: i64) -> VersionMeta {
    VersionMeta {
        parent_version: (version > 1).then_some(version - 1),
        last_compressed_at: at(),
        through_seq: 40,
        tokens_before: 9000,
        tokens_after: 900,
        reduction: Some(0.9),
        probe_score: Some(1.0),
        ..testing::meta(version)
    }
}

fn subject<'a>(summary: &'a Summary, meta: &'a VersionMeta) -> Subject<'a> {
    Subject {
        summary,
        meta,
        session_id: "s-1",
        task_id: Some("auth-impl"),
        started: at(),
        last_activity: at(),
    }
}

fn small() -> Summary {
    Summary {
        session_intent: "Add OAuth login to the web client.\nKeep the password login.".into(),
        session_intent_seqs: vec![2],
        requests: vec![RequestEntry {
            state: RequestState::Done,
            text: "Fix the login page".into(),
            seqs: vec![1],
            ..RequestEntry::default()
        }],
        files_modified: vec![
            ModifiedFile {
                status: FileStatus::Pass,
                ..modified("src/auth.ts", FileAction::Modified, &["add `oauth()`", "use a|b"], 5)
            },
            modified("src/oauth.ts", FileAction::Created, &["new module"], 9),
            ModifiedFile {
                renamed_from: Some("src/util.ts".into()),
                ..modified("src/http.ts", FileAction::Renamed, &[], 7)
            },
            ModifiedFile { transient: true, ..modified("tmp/try.ts", FileAction::Deleted, &["scratch"], 8) },
        ],
        files_read: vec![ReadFile {
            path: "README.md".into(),
            reason: Some("how to run it".into()),
            seqs: vec![3],
            session_id: None,
        }],
        decisions_made: vec![
            Decision {
                decision: "Use server sessions".into(),
                superseded_by: Some("Use JWT".into()),
                seqs: vec![4],
                ..Decision::default()
            },
            Decision {
                decision: "Use JWT".into(),
                rationale: "stateless".into(),
                alternatives: vec!["sessions".into()],
                seqs: vec![6],
                ..Decision::default()
            },
        ],
        current_state: CurrentState {
            phase: Some("implementation".into()),
            task: Some("wire the callback".into()),
            text: "The redirect works; the callback is open.".into(),
            seqs: vec![10],
            ..CurrentState::default()
        },
        errors: vec![
            ErrorEntry {
                kind: Some("TypeError".into()),
                location: Some("src/auth.ts:12".into()),
                count: 2,
                ..error("TypeError: token is undefined", 10)
            },
            ErrorEntry {
                status: ErrorStatus::Resolved,
                resolution: Some("stopped the old server".into()),
                resolved_in_version: Some(1),
                ..error("port 3000 is in use", 4)
            },
        ],
        test_results: vec![TestResult {
            command: "npm test".into(),
            outcome: TestOutcome::Fail,
            passed: Some(11),
            failed: Some(1),
            failing: vec!["auth callback".into()],
            superseded_by: None,
            seqs: vec![9],
            session_id: None,
        }],
        blockers: vec![Blocker {
            text: "The client secret is missing".into(),
            seqs: vec![9],
            session_id: None,
        }],
        next_steps: vec!["Handle the callback".into(), "Write tests".into()],
        next_steps_seqs: vec![10],
        things: vec![Thing {
            id: "port".into(),
            properties: vec![Property::new("", "3000")],
            seqs: vec![2],
            ..Thing::default()
        }],
        constraints: vec![
            Constraint::new("p".into(), "Keep the public API.".into(), ConstraintSource::Pin, vec![]),
            Constraint::new("u".into(), "never log\n## tokens".into(), ConstraintSource::User, vec![2]),
        ],
        ..Summary::default()
    }
}

fn usual_bound(style: Style) -> u32 {
    if style == Style::State { STATE_TOKENS } else { 4_000 }
}

#[test]
fn an_error_that_was_not_met_for_long_is_not_called_open() {
    let summary = Summary { errors: vec![error("disk is full", 10), error("port is taken", 39)], ..small() };
    let text = render(Style::Anchored, &subject(&summary, &meta(2)), 4_000, real).text;
    assert!(text.contains("- [not met since message 10] disk is full"), "{text}");
    assert!(text.contains("- [open, last met in message 39] port is taken"), "{text}");
}

#[test]
fn every_style_keeps_its_shape_and_says_what_is_empty() {
    for style in STYLES {
        let name = format!("{style:?}").to_lowercase();
        for (summary, meta, name) in
            [(small(), meta(2), name.clone()), (Summary::default(), meta(1), format!("{name}_empty"))]
        {
            let rendering = render(style, &subject(&summary, &meta), usual_bound(style), real);
            assert!(rendering.cut.is_empty(), "{name}: {:?}", rendering.cut);
            assert_eq!(rendering.tokens, real(&rendering.text));
            insta::assert_snapshot!(name, rendering.text);
        }
    }
}

#[test]
fn a_state_file_is_within_the_budget_that_it_names() {
    let (mut summary, meta) = (large(200, 200), meta(2));
    summary.next_steps = (0..40).map(|i| format!("step {i} of the work that is left to do")).collect();
    for bound in [200, STATE_TOKENS, 2_000] {
        let rendering = render(Style::State, &subject(&summary, &meta), bound, real);
        let state: serde_json::Value = serde_json::from_str(&rendering.text).unwrap();
        assert_eq!(state["_meta"]["token_budget"], bound);
        assert!(rendering.tokens <= bound && rendering.tokens > bound / 3, "{} of {bound}", rendering.tokens);
    }
}

#[test]
fn an_opaque_line_holds_intent_state_and_errors_however_small() {
    let (summary, meta) = (large(200, 200), meta(2));
    for bound in [120, 200, 500] {
        let line = render(Style::Opaque, &subject(&summary, &meta), bound, real).text;
        for part in ["|I:Add OAuth login", "|T:wire the callback", "|E:Type 'A199' is not"] {
            assert!(line.contains(part), "{part} within {bound}: {line}");
        }
    }
}

#[test]
fn the_default_style_names_its_empty_sections_in_one_line_and_the_strict_one_in_place() {
    let (summary, meta) = (Summary { blockers: vec![], findings: vec![], ..small() }, meta(2));
    let shown = |style| render(style, &subject(&summary, &meta), 4_000, real).text;
    assert!(shown(Style::Anchored).ends_with("\n\n(nothing recorded: Blockers, Open Questions, Findings)\n"));
    assert!(!shown(Style::Strict).contains("(nothing recorded:"));
}

#[test]
fn a_resolved_error_is_told_for_one_more_version() {
    let summary = small();
    for (version, told) in [(1, true), (2, true), (3, false)] {
        let meta = meta(version);
        let text = render(Style::Anchored, &subject(&summary, &meta), 4000, real).text;
        assert_eq!(text.contains("port 3000 is in use"), told, "version {version}");
    }
}

#[test]
fn the_default_bound_is_a_share_of_the_window_between_its_limits() {
    assert_eq!(default_bound(1000), 800);
    assert_eq!(default_bound(20_000), 2000);
    assert_eq!(default_bound(200_000), 4000);
    assert_eq!(default_bound(u32::MAX), 4000);
}

#[test]
fn many_paths_are_told_folder_by_folder_with_their_verb() {
    let mut summary = small();
    for i in 0..20 {
        summary.files_modified.push(modified(
            &format!("src/api/f{i}.ts"),
            FileAction::Modified,
            &["edit"],
            20 + i,
        ));
    }
    let meta = meta(2);
    let text = render(Style::Anchored, &subject(&summary, &meta), 4000, real).text;
    insta::assert_snapshot!("grouped", text);
    let table = render(Style::Scratch, &subject(&summary, &meta), 4000, real).text;
    insta::assert_snapshot!("grouped_scratch", table);
}

#[test]
fn a_long_brief_has_what_the_other_sections_leave_and_names_its_message() {
    let brief = (0..4000).map(|i| format!("word{i}")).collect::<Vec<_>>().join(" ");
    let mut summary = Summary { session_intent: brief.clone(), ..small() };
    let meta = meta(2);
    let long = |summary: &Summary| render(Style::Anchored, &subject(summary, &meta), 1_600, real);
    let is_whole = |rendering: &Rendering, section| rendering.cut.iter().all(|cut| cut.section != section);
    let rendering = long(&summary);
    let intent = rendering.section(Section::SessionIntent);
    assert!(real(intent) > 800 && rendering.tokens <= 1_600, "{}", rendering.text);
    assert!(intent.contains("word0 ") && intent.contains("word3999") && intent.contains("message 2"));
    for section in [Section::FilesModified, Section::CurrentState, Section::NextSteps, Section::Constraints] {
        assert!(is_whole(&rendering, section), "{:?}\n{}", rendering.cut, rendering.text);
    }
    // A model's intent stands before the brief, which gives way to whatever the model wrote.
    summary.session_intent = "Sort the words.".to_owned();
    let seqs = vec![7];
    summary.requests.push(RequestEntry { text: brief, seqs, ..RequestEntry::default() });
    let rendering = long(&summary);
    let intent = rendering.section(Section::SessionIntent);
    assert!(intent.starts_with("\nSort the words.\nIn the person's words: word0 "), "{intent}");
    assert!(intent.contains("word3999") && intent.contains("message 7"), "{intent}");
    let told: Vec<String> =
        (0..80).map(|i| format!("Finding {i}: the cause of it is the pool of connections.")).collect();
    summary.findings =
        told.into_iter().map(|text| Remark { text, seqs: vec![9], session_id: None }).collect();
    let rendering = long(&summary);
    assert!(!rendering.text.contains("In the person's words"), "{}", rendering.text);
}

#[test]
fn many_read_files_are_told_folder_by_folder() {
    let mut summary = small();
    for i in 0..20 {
        let path = format!("src/{}/f{i}.ts", if i % 2 == 0 { "api" } else { "ui" });
        summary.files_read.push(ReadFile { path, reason: None, seqs: vec![i], session_id: None });
    }
    let meta = meta(2);
    let rendering = render(Style::Anchored, &subject(&summary, &meta), 4000, real);
    let read = rendering.section(Section::FilesRead);
    assert!(read.contains("- `src/ui/`: f19.ts; f17.ts"), "{read}");
    for f in &summary.files_read {
        assert!(is_told(&f.path, read), "{}\n{read}", f.path);
    }
}

/// As the evaluation looks for a path: as it is, or folder and name on one line.
fn is_told(path: &str, text: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    text.contains(path) || text.lines().any(|l| l.contains(folder) && l.contains(name))
}

fn large(files: usize, facts: usize) -> Summary {
    let mut summary = small();
    summary.files_modified = (0..files)
        .map(|i| {
            let path = format!("packages/module{}/src/component_{i}.ts", i % 40);
            modified(
                &path,
                FileAction::Modified,
                &["add a function that does something", "and a test"],
                seq(i),
            )
        })
        .collect();
    for i in 0..facts {
        summary.things.push(Thing {
            kind: "order".into(),
            id: format!("ord-{i:05}-{:x}", i * 7919),
            properties: vec![Property::new("state", "open")],
            seqs: vec![seq(i)],
            ..Thing::default()
        });
        summary.errors.push(ErrorEntry {
            kind: Some("TS2322".into()),
            ..error(&format!("Type 'A{i}' is not assignable to type 'B{i}'"), seq(i))
        });
    }
    summary
}

#[test]
fn what_the_rows_of_a_table_share_stands_once_in_its_head() {
    let (mut summary, meta) = (small(), meta(2));
    let flight = |id: &str, seats: &str| Thing {
        kind: "flight".into(),
        id: id.into(),
        properties: vec![
            Property::new("origin", "SEA"),
            Property::new("seats", seats),
            Property::new("gate", &id[2..]),
            Property::new("crew", format!("(name, age) Ana, {}; Bo, 40", &id[2..])),
        ],
        ..Thing::default()
    };
    summary.things = vec![
        flight("HA21", "economy: 10, business: 20"),
        flight("HA89", "economy: 5, business: 13"),
        flight("HA90", "economy: 7, business: 1"),
    ];
    let text = render(Style::Anchored, &subject(&summary, &meta), 2_000, real).text;
    let table = "| flight (all: origin SEA) | seats: economy/business | gate | crew (name, age) |\n|---|---|---|---|\n";
    assert!(text.contains(table) && text.contains("| HA89 | 5/13 | 89 | Ana, 89; Bo, 40 |"), "{text}");
    // Names that differ stand beside their values.
    summary.things[2].properties[1] = Property::new("seats", "first: 7, business: 1");
    let text = render(Style::Anchored, &subject(&summary, &meta), 2_000, real).text;
    assert!(text.contains("| seats | gate |") && text.contains("economy: 5, business: 13"), "{text}");
}

#[test]
fn a_models_note_stands_in_place_of_the_properties_but_for_those_that_changed() {
    let (mut summary, meta) = (small(), meta(2));
    let changed = Property { was: Some("Backlog".into()), ..Property::new("status", "Done") };
    summary.things = vec![Thing {
        kind: "issue".into(),
        id: "ENT-212".into(),
        properties: vec![
            Property::new("createdById", "45a00cf6"),
            changed,
            Property::new(NOTE, "Five requirements; two are built."),
        ],
        more: 3,
        ..Thing::default()
    }];
    let text = render(Style::Anchored, &subject(&summary, &meta), 2_000, real).text;
    let line = "- issue ENT-212: Five requirements; two are built.; status Done (was Backlog)\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn every_changed_path_is_told_before_any_description_at_a_small_bound() {
    let meta = meta(2);
    let mut summary = large(48, 300);
    for (i, f) in summary.files_modified.iter_mut().enumerate() {
        f.path = format!("src/domain/area{}/file_name_{i}.rs", i % 6);
    }
    let rendering = render(Style::Anchored, &subject(&summary, &meta), 960, real);
    let missing: Vec<_> =
        summary.files_modified.iter().filter(|f| !is_told(&f.path, &rendering.text)).collect();
    assert!(missing.is_empty(), "{missing:?}\n{}", rendering.text);
    assert!(rendering.tokens <= 960);
}

#[test]
fn a_cut_section_says_how_much_is_missing_and_no_path_is_halved() {
    let (summary, meta) = (large(2000, 2500), meta(2));
    let rendering = render(Style::Anchored, &subject(&summary, &meta), 960, real);
    assert!(rendering.tokens <= 960 && rendering.tokens > 700, "{}", rendering.tokens);
    let files = rendering.cut.iter().find(|c| c.section == Section::FilesModified).unwrap();
    let last = rendering.section(Section::FilesModified).lines().last().unwrap();
    assert!(
        last.starts_with(&format!("(+{} more", files.omitted)) && last.ends_with("stored-only)"),
        "{last}"
    );
    let told =
        summary.files_modified.iter().filter(|f| is_told(&f.path, rendering.section(Section::FilesModified)));
    assert_eq!(told.count(), 2000 - files.omitted);
    for section in [Section::SessionIntent, Section::CurrentState, Section::NextSteps, Section::Blockers] {
        assert!(rendering.cut.iter().all(|c| c.section != section), "{:?}", rendering.cut);
    }
    assert!(
        rendering.section(Section::FilesModified).contains("component_1999.ts"),
        "the latest comes first"
    );
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        Just("``` \n# x\n| a | b |\n---\n\u{0}\u{202e}`".to_owned()),
        Just("长".repeat(300)),
        Just("x".repeat(5000)),
        "[a-z]{1,8}(/[a-z]{1,8}){0,4}\\.rs",
        "([a-z]{1,9} ){0,60}",
    ]
}

fn any_summary() -> impl Strategy<Value = Summary> {
    let texts = || proptest::collection::vec(hostile(), 0..16);
    (hostile(), texts(), texts(), texts(), any::<bool>()).prop_map(|(intent, paths, texts, more, flag)| {
        Summary {
            session_intent: intent.clone(),
            session_intent_seqs: vec![1],
            files_modified: paths
                .iter()
                .enumerate()
                .map(|(i, p)| ModifiedFile {
                    renamed_from: (i % 5 == 0).then(|| intent.clone()),
                    transient: i % 7 == 0,
                    changes: texts.clone(),
                    ..modified(
                        p,
                        if i % 2 == 0 { FileAction::Created } else { FileAction::Deleted },
                        &[],
                        seq(i),
                    )
                })
                .collect(),
            files_read: more
                .iter()
                .map(|p| ReadFile {
                    path: p.clone(),
                    reason: Some(p.clone()),
                    seqs: vec![],
                    session_id: None,
                })
                .collect(),
            decisions_made: texts
                .iter()
                .map(|t| Decision {
                    decision: t.clone(),
                    rationale: intent.clone(),
                    alternatives: more.clone(),
                    superseded_by: flag.then(|| t.clone()),
                    ..Decision::default()
                })
                .collect(),
            current_state: CurrentState {
                phase: Some(intent.clone()),
                task: texts.first().cloned(),
                text: intent.clone(),
                ..CurrentState::default()
            },
            blockers: texts
                .iter()
                .map(|t| Blocker { text: t.clone(), seqs: vec![], session_id: None })
                .collect(),
            next_steps: more.clone(),
            things: texts
                .iter()
                .map(|t| Thing {
                    kind: t.clone(),
                    id: t.clone(),
                    properties: vec![Property::new(t.clone(), t.clone())],
                    ..Thing::default()
                })
                .collect(),
            constraints: more
                .iter()
                .map(|t| Constraint::new(t.clone(), t.clone(), ConstraintSource::Pin, vec![]))
                .collect(),
            ..Summary::default()
        }
    })
}

const STYLES: [Style; 6] =
    [Style::Anchored, Style::Strict, Style::Protocol, Style::Scratch, Style::State, Style::Opaque];

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn a_rendering_never_passes_its_bound_and_has_the_same_bytes_again(
        summary in any_summary(), bound in prop_oneof![0..60u32, 60..900u32, 900..5000u32], style in 0..6usize,
    ) {
        let meta = meta(2);
        let one = render(STYLES[style], &subject(&summary, &meta), bound, real);
        prop_assert!(one.tokens <= bound, "{} above {bound}", one.tokens);
        prop_assert_eq!(one.tokens, real(&one.text));
        prop_assert_eq!(&one, &render(STYLES[style], &subject(&summary, &meta), bound, real));
        if STYLES[style] == Style::State && !one.text.is_empty() {
            prop_assert!(serde_json::from_str::<serde_json::Value>(&one.text).is_ok());
        }
    }

    #[test]
    fn every_changed_path_is_told_when_the_bound_allows(
        paths in proptest::collection::btree_set("[a-z]{1,8}(/[a-z_]{1,8}){0,4}\\.rs", 0..60),
    ) {
        let files = paths.iter().enumerate().map(|(i, p)| modified(p, FileAction::Modified, &["an edit"], seq(i)));
        let summary = Summary { files_modified: files.collect(), ..small() };
        let meta = meta(2);
        let rendering = render(Style::Anchored, &subject(&summary, &meta), 4000, quick);
        for path in &paths {
            prop_assert!(is_told(path, rendering.section(Section::FilesModified)), "{path}\n{}", rendering.text);
        }
    }

    #[test]
    fn no_text_of_a_caller_opens_a_heading(text in hostile()) {
        let summary = Summary { session_intent: text.clone(), blockers: vec![Blocker { text: text.clone(), seqs: vec![], session_id: None  }], ..small() };
        let meta = meta(2);
        let subject = Subject { task_id: Some(&text), ..subject(&summary, &meta) };
        let known: Vec<String> = Section::ALL.iter().map(|s| format!("## {}", content::title(*s))).collect();
        let rendering = render(Style::Anchored, &subject, 4000, quick);
        for line in rendering.text.lines().filter(|l| l.starts_with('#')) {
            prop_assert!(known.iter().any(|k| k == line), "{line}");
        }
    }
}
