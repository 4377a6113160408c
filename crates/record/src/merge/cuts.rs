//! Tests that the same session gives the same summary, however it is cut into spans.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::extractive;
use crate::summary::RequestState;
use anchord_facts::ledger::{self, LedgerState};
use anchord_messages::message::{Message, Numbered, Part, Role, ToolCall, ToolResult};

/// A step of a session: messages that belong together.
#[derive(Clone, Debug)]
enum Step {
    Asks(&'static str),
    Reports(&'static str),
    Calls { tool: &'static str, arguments: String, output: String },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let asks = prop::sample::select(vec![
        "Please build the parser for the new format and never touch the old one.",
        "Actually, let's use a table for it",
        "Now add a test for ORD-2 too",
        "never mind",
        "It still fails, look again",
        "thanks, that's all",
        "the second option",
        "Rename the module to reader, please",
    ]);
    let reports = prop::sample::select(vec![
        "I have built it.", "Which of the two shall I take?", "ORD-1 is shipped. Anything else?",
    ]);
    let order = (1..4u8, prop::sample::select(vec!["open", "paid", "shipped"]), 1..9u8).prop_map(
        |(n, state, total)| Step::Calls {
            tool: "get_order",
            arguments: json!({"order_id": format!("ORD-{n}")}).to_string(),
            output: json!({"order_id": format!("ORD-{n}"), "state": state, "total": total}).to_string(),
        },
    );
    let tests =
        (prop::sample::select(vec!["cargo test", "cargo test parser", "cargo test --lib"]), any::<bool>())
            .prop_map(|(command, passes)| Step::Calls {
                tool: "Bash",
                arguments: json!({ "command": command }).to_string(),
                output: if passes {
                    "test result: ok. 3 passed; 0 failed; 0 ignored".to_owned()
                } else {
                    "test parser::reads ... FAILED\ntest result: FAILED. 2 passed; 1 failed; 0 ignored"
                        .to_owned()
                },
            });
    let write = prop::sample::select(vec!["/p/src/a.rs", "/p/src/b.rs"]).prop_map(|path| Step::Calls {
        tool: "Write",
        arguments: json!({"file_path": path, "content": "fn x() {}\n"}).to_string(),
        output: format!("File created successfully at: {path}"),
    });
    let read = prop::sample::select(vec!["/p/src/a.rs", "/p/docs/c.md"]).prop_map(|path| Step::Calls {
        tool: "Read",
        arguments: json!({ "file_path": path }).to_string(),
        output: "1\tfn x() {}".to_owned(),
    });
    let one = prop_oneof![
        3 => asks.prop_map(Step::Asks),
        2 => reports.prop_map(Step::Reports),
        3 => order,
        2 => tests,
        1 => write,
        1 => read,
    ];
    // Before a person asks, the agent's words serve as the intent, and they differ with the cut.
    let first = Step::Asks("Fix the reader of the shop, please.");
    prop::collection::vec(one, 1..24)
        .prop_map(move |rest| std::iter::once(first.clone()).chain(rest).collect())
}

/// The messages of a session, and the places where it may be cut: not between a call and its result.
fn session(steps: &[Step]) -> (Vec<Numbered>, Vec<usize>) {
    let mut all: Vec<Message> = Vec::new();
    let mut cuts = Vec::new();
    let message = |role, part| Message { role, name: None, parts: vec![part] };
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::Asks(text) => all.push(message(Role::User, Part::Text((*text).to_owned()))),
            Step::Reports(text) => all.push(message(Role::Assistant, Part::Text((*text).to_owned()))),
            Step::Calls { tool, arguments, output } => {
                let id = format!("c{at}");
                let (name, arguments) = ((*tool).to_owned(), arguments.clone());
                all.push(message(
                    Role::Assistant,
                    Part::ToolCall(ToolCall { id: id.clone(), name, arguments }),
                ));
                let parts = vec![Part::Text(output.clone())];
                all.push(message(
                    Role::Tool,
                    Part::ToolResult(ToolResult { call_id: id, parts, is_error: None }),
                ));
            }
        }
        cuts.push(all.len());
    }
    ((1..).zip(all).map(|(seq, message)| Numbered { seq, message }).collect(), cuts)
}

/// The summary of a session that is compressed span by span.
fn record(messages: &[Numbered], cuts: &BTreeSet<usize>) -> Summary {
    let (mut record, mut carry): (Option<Summary>, LedgerState) = (None, LedgerState::default());
    let mut from = 0;
    for (version, to) in (1..).zip(cuts) {
        let span = &messages[from..*to];
        let known = record.as_ref().map(Summary::known).unwrap_or_default();
        let facts = ledger::read(span, &carry, &known);
        let proposal = extractive::propose(
            span,
            &facts,
            record.as_ref(),
            &requests::after(record.as_ref(), &facts.requests, &BTreeSet::new()),
        );
        let context = MergeContext {
            version,
            anchor: i64::try_from(from).unwrap(),
            through_seq: i64::try_from(*to).unwrap(),
            pins: &[],
            dropped_entries: &BTreeSet::new(),
        };
        record = Some(merge(record, &facts, &proposal, context).summary);
        carry = facts.carry;
        from = *to;
    }
    record.unwrap()
}

/// What code finds, without the version numbers, and with files in the order of their paths.
fn found(record: &Summary) -> serde_json::Value {
    let files: BTreeMap<&str, _> = record.files_modified.iter().map(|f| (f.path.as_str(), f)).collect();
    let read: BTreeMap<&str, _> = record.files_read.iter().map(|f| (f.path.as_str(), f)).collect();
    let errors: BTreeMap<&str, _> = record.errors.iter().map(|e| (e.message.as_str(), e.status)).collect();
    json!({
        "intent": record.session_intent,
        "requests": record.requests,
        "things": record.things,
        "files": files,
        "read": read,
        "tests": record.test_results,
        "blockers": record.blockers,
        "questions": record.open_questions,
        "constraints": record.constraints,
        "errors": errors,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn the_record_is_the_same_wherever_the_session_is_cut(
        steps in steps(), places in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let (messages, cuts) = session(&steps);
        let whole = record(&messages, &BTreeSet::from([messages.len()]));
        let mut places: BTreeSet<usize> = places.iter().map(|place| cuts[place.index(cuts.len())]).collect();
        places.insert(messages.len());
        let cut = record(&messages, &places);
        for ((section, cut), whole) in found(&cut).as_object().unwrap().iter().zip(found(&whole).as_object().unwrap().values()) {
            prop_assert_eq!(cut, whole, "{} cut at {:?}", section, places);
        }
    }

    #[test]
    fn no_two_live_entries_have_one_key_and_what_went_was_superseded_or_closed(steps in steps()) {
        let (messages, cuts) = session(&steps);
        let mut before: Option<Summary> = None;
        for (at, _) in cuts.iter().enumerate() {
            let record = record(&messages, &cuts[..=at].iter().copied().collect());
            let live = record.requests.iter().filter(|r| r.state == RequestState::Open);
            let keys: Vec<String> = live.map(|r| wording::normalized(&r.text)).collect();
            prop_assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
            let things: BTreeSet<String> = record.things.iter().map(anchord_facts::thing::Thing::key).collect();
            prop_assert_eq!(things.len(), record.things.len());
            let commands: BTreeSet<&str> = record.test_results.iter().map(|run| run.command.as_str()).collect();
            prop_assert_eq!(commands.len(), record.test_results.len());
            for blocker in &record.blockers {
                let passes = |run: &&crate::summary::TestResult| {
                    blocker.text.contains(&format!("`{}`", run.command)) && run.outcome == anchord_facts::ledger::TestOutcome::Pass
                };
                prop_assert!(!record.test_results.iter().any(|run| passes(&run)), "{}", blocker.text);
            }
            if let Some(before) = before {
                let texts: BTreeSet<&str> = record.requests.iter().map(|r| r.text.as_str()).collect();
                prop_assert!(before.requests.iter().all(|request| texts.contains(request.text.as_str())));
                prop_assert!(before.things.iter().all(|thing| things.contains(&thing.key())));
                let runs: BTreeSet<&str> = record.test_results.iter().map(|run| run.command.as_str()).collect();
                prop_assert!(before.test_results.iter().all(|run| runs.contains(run.command.as_str())));
            }
            before = Some(record);
        }
    }
}
