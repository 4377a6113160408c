use std::collections::BTreeSet;

use super::super::summary::{RequestEntry, RequestState};
use super::*;
use crate::merge::requests;
use anchord_facts::ledger::{self, EarlierNames, LedgerState};
use anchord_messages::message::{Message, Part, Role, ToolCall, ToolResult};

fn say(seq: i64, role: Role, text: &str) -> Numbered {
    Numbered { seq, message: Message { role, name: None, parts: vec![Part::Text(text.to_owned())] } }
}

fn call(seq: i64, name: &str, arguments: &str, output: &str) -> [Numbered; 2] {
    let call = ToolCall { id: format!("c{seq}"), name: name.to_owned(), arguments: arguments.to_owned() };
    let result =
        ToolResult { call_id: format!("c{seq}"), parts: vec![Part::Text(output.to_owned())], is_error: None };
    [
        Numbered {
            seq,
            message: Message { role: Role::Assistant, name: None, parts: vec![Part::ToolCall(call)] },
        },
        Numbered {
            seq: seq + 1,
            message: Message { role: Role::Tool, name: None, parts: vec![Part::ToolResult(result)] },
        },
    ]
}

fn of(span: &[Numbered]) -> Proposal {
    after(span, None)
}

fn after(span: &[Numbered], base: Option<&Summary>) -> Proposal {
    let facts = ledger::read(span, &LedgerState::default(), &EarlierNames::default());
    propose(span, &facts, base, &requests::after(base, &facts.requests, &BTreeSet::new()))
}

#[test]
fn the_first_task_is_the_intent_and_greetings_are_not() {
    let p = of(&[
        say(1, Role::System, "You help."),
        say(2, Role::User, "<system-reminder>Be nice.</system-reminder>"),
        say(3, Role::User, "Hi there!"),
        say(4, Role::Assistant, "Hello! How can I help?"),
        say(5, Role::User, "Please add a login form to the start page."),
    ]);
    let intent = p.intent.unwrap();
    assert_eq!(intent.text, "Please add a login form to the start page.");
    assert_eq!(intent.seqs, [5]);
    assert!(!intent.changes_scope);
}

#[test]
fn the_intent_is_what_is_open_and_an_early_one_that_was_done_is_none() {
    let done = RequestEntry {
        text: "fix this".to_owned(),
        state: RequestState::Done,
        seqs: vec![1],
        ..RequestEntry::default()
    };
    let open = RequestEntry {
        text: "Write the plan".to_owned(),
        state: RequestState::Open,
        seqs: vec![5],
        ..done.clone()
    };
    let base =
        Summary { session_intent: "fix this".to_owned(), requests: vec![done, open], ..Summary::default() };
    let p = after(&[say(9, Role::User, "Use tabs in it, as in the rest.")], Some(&base));
    let intent = p.intent.unwrap();
    assert_eq!(intent.text, "Write the plan\nUse tabs in it, as in the rest.");
    assert_eq!(intent.seqs, [5, 9]);
    assert!(intent.changes_scope);
    assert_eq!(after(&[say(9, Role::Assistant, "On it.")], Some(&base)).intent, None);
}

#[test]
fn a_question_beside_the_work_does_not_take_the_place_of_the_task() {
    let task = "Build a REST API for invoices with pages and filters.";
    let asked = [
        say(1, Role::User, task),
        say(2, Role::Assistant, "I built the API."),
        say(3, Role::User, "can you explain why?"),
    ];
    assert_eq!(of(&asked).intent.unwrap().text, task);
    assert_eq!(of(&asked[2..]).intent.unwrap().text, "can you explain why?");
}

#[test]
fn a_task_that_is_done_is_no_part_of_the_intent_unless_the_next_one_refers_to_it() {
    let long = "Fix the login page of the shop so that umlauts work in names, and do not touch the schema of the database.";
    let span =
        |next| [say(1, Role::User, long), say(2, Role::Assistant, "I fixed it."), say(3, Role::User, next)];
    assert_eq!(
        of(&span("Now write the release notes.")).intent.unwrap().text,
        "Now write the release notes."
    );
    let intent = of(&span("Now add a test for it.")).intent.unwrap();
    assert_eq!(intent.text.lines().collect::<Vec<_>>(), [long, "Now add a test for it."]);
}

#[test]
fn what_a_harness_puts_in_a_persons_place_is_no_intent() {
    let skill = "# Plan\n<objective>\nMake a plan.\n</objective>\n<process>\nNever ask.\n</process>";
    let p = of(&[say(1, Role::User, skill), say(2, Role::Assistant, "I will read the docs first.")]);
    assert_eq!(p.intent.unwrap().text, "I will read the docs first.");
}

#[test]
fn what_is_stated_in_so_many_words_fills_its_section() {
    let p = of(&[
        say(1, Role::User, "Make it faster, please. Decision: the API stays."),
        say(
            2,
            Role::Assistant,
            "I decided to use Redis over files because it is fast. I am blocked by the CI.\n\n\
             Open question: who owns the key?\n\nNext steps: 1. run the tests 2. deploy",
        ),
    ]);
    let told: Vec<(&str, &str, usize)> = p
        .decisions
        .iter()
        .map(|d| (d.decision.as_str(), d.rationale.as_str(), d.alternatives.len()))
        .collect();
    assert_eq!(told, [("The user: the API stays", "", 0), ("Decided to use Redis", "it is fast", 1)]);
    assert_eq!(p.blockers.iter().map(|b| b.text.as_str()).collect::<Vec<_>>(), ["I am blocked by the CI"]);
    assert_eq!(p.open_questions.iter().map(|q| q.text.as_str()).collect::<Vec<_>>(), ["who owns the key?"]);
    assert_eq!(
        (p.next_steps, p.next_steps_seqs),
        (vec!["run the tests".to_owned(), "deploy".to_owned()], vec![2])
    );
}

#[test]
fn a_later_todo_list_counts_more_than_steps_that_were_stated() {
    let [call, result] =
        call(3, "TodoWrite", r#"{"todos":[{"content":"Write it","status":"pending"}]}"#, "ok");
    let said = say(2, Role::Assistant, "Next steps:\n- Think\n- Ask");
    assert_eq!(of(&[said.clone(), call.clone(), result.clone()]).next_steps, ["Write it"]);
    let said = Numbered { seq: 9, ..said };
    assert_eq!(of(&[call, result, said]).next_steps, ["Think", "Ask"]);
}

#[test]
fn the_state_says_who_is_to_move() {
    let task = say(1, Role::User, "Make it faster, please.");
    let state = |span: &[Numbered]| of(span).current_state.text;
    assert_eq!(
        state(std::slice::from_ref(&task)),
        "As of message 1; the conversation continues. The person had spoken and was not answered yet."
    );
    let asked = [task.clone(), say(2, Role::Assistant, "Shall I use Redis for it?")];
    assert_eq!(
        state(&asked),
        "As of message 2; the conversation continues. The agent had asked and waited for an answer."
    );
    let [call, result] = call(2, "bash", r#"{"command":"cargo bench"}"#, "ok");
    assert_eq!(
        state(&[task.clone(), call, result]),
        "As of message 3; the conversation continues. The agent was working; its call in message 2: bash cargo bench"
    );
    let command = say(2, Role::Assistant, "THOUGHT: measure it\n\n```bash\ncargo bench\n```");
    let output = say(3, Role::User, "<returncode>0</returncode>\n<output>\nok\n</output>");
    assert_eq!(
        state(&[task, command, output]),
        "As of message 3; the conversation continues. The agent was working; its command in message 2: cargo bench"
    );
}

#[test]
fn minutes_tell_who_talks() {
    let lines = [
        "A: Let us look at the budget of the coming year first.",
        "B: Fine with me, then.",
        "A: It is 20.",
        "C: Yes.",
    ];
    let span: Vec<Numbered> = (1..).zip(lines).map(|(seq, line)| say(seq, Role::User, line)).collect();
    let found = of(&span);
    assert_eq!(
        found.current_state.text,
        "As of message 4; the conversation continues. The last to speak: C."
    );
    let intent = found.intent.unwrap().text;
    assert!(intent.starts_with("Conversation between A, B, C. A: Let us look at the budget"), "{intent}");
}

#[test]
fn an_issue_in_the_first_message_stays_in_the_intent() {
    let p =
        of(&[say(1, Role::User, "<pr_description>\nDates are wrong on SQLite.\n</pr_description>\nFix it.")]);
    assert!(p.intent.unwrap().text.contains("Dates are wrong on SQLite."));
}

#[test]
fn a_long_task_keeps_its_head_and_its_tail() {
    let text = format!("Start here. {} End here.", "word ".repeat(2_000));
    let intent = of(&[say(1, Role::User, &text)]).intent.unwrap().text;
    assert!(intent.starts_with("Start here.") && intent.ends_with("End here."));
    assert!(intent.chars().count() <= 6_010);
}

#[test]
fn without_a_person_the_models_words_state_the_intent() {
    let p = of(&[say(1, Role::Assistant, "I am migrating the database to version 15. First the schema.")]);
    assert!(p.intent.unwrap().text.starts_with("I am migrating the database"));
}

#[test]
fn a_span_of_nothing_but_calls_has_an_intent() {
    let span = call(4, "get_reservation", r#"{"reservation_id": "FDZ0T5"}"#, r#"{"status":"open"}"#);
    assert_eq!(of(&span).intent.unwrap().text, r#"get_reservation {"reservation_id": "FDZ0T5"}"#);
    assert!(of(&span[1..]).intent.unwrap().text.contains("status"));
}

#[test]
fn answers_to_questions_are_decisions_with_the_options_not_chosen() {
    let arguments =
        r#"{"questions":[{"question":"Which store?","options":[{"label":"Redis"},{"label":"Files"}]}]}"#;
    let span = call(
        4,
        "AskUserQuestion",
        arguments,
        r#"User has answered your questions: "Which store?"="Redis". You can now continue."#,
    );
    let found = of(&span).decisions;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].decision, "Which store? → Redis");
    assert_eq!(found[0].alternatives, ["Files"]);
    assert_eq!(found[0].seqs, [4, 5]);
}

#[test]
fn plans_are_approved_or_rejected_with_the_persons_words() {
    let rejected = call(
        1,
        "ExitPlanMode",
        r##"{"plan":"# Export to CSV\n\nx"}"##,
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nkeep it smaller",
    );
    let found = of(&rejected).decisions;
    assert_eq!(found[0].decision, "Plan rejected by the user: Export to CSV");
    assert_eq!(found[0].rationale, "keep it smaller");
    let approved = call(
        1,
        "ExitPlanMode",
        r##"{"plan":"# Export to CSV"}"##,
        "User has approved your plan. You can now start coding.",
    );
    assert_eq!(of(&approved).decisions[0].decision, "Plan approved by the user: Export to CSV");
}

#[test]
fn answers_in_other_shapes_are_read() {
    let asked =
        r#"{"questions":[{"id":"db","question":"Which database?","options":[{"label":"A"},{"label":"B"}]}]}"#;
    let codex = call(1, "request_user_input", asked, r#"{"answers":{"db":{"answers":["A"]}}}"#);
    assert_eq!(of(&codex).decisions[0].decision, "Which database? → A");
    assert_eq!(of(&codex).decisions[0].alternatives, ["B"]);
    let cline = call(
        1, "ask_followup_question", r#"{"question":"Deploy now?"}"#, "<answer>\nyes, to staging\n</answer>",
    );
    assert_eq!(of(&cline).decisions[0].decision, "Deploy now? → yes, to staging");
}

proptest::proptest! {
    #[test]
    fn no_span_panics(texts in proptest::collection::vec("\\PC{0,80}", 0..8)) {
        let span: Vec<Numbered> = texts
            .iter()
            .zip(1_i64..)
            .map(|(t, seq)| say(seq, if seq % 2 == 1 { Role::User } else { Role::Assistant }, t))
            .collect();
        let _ = of(&span);
    }
}
