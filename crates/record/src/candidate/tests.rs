//! Tests of whole compressions without I/O: agents' logs (`agents`) and random sessions (`sessions`).

mod agents;
mod sessions;

use chrono::DateTime;

use super::super::changes::List;
use super::chain::Chain;
use super::*;
use crate::fill::share_of;
use crate::{probe, render};
use anchord_facts::ledger::constraints::{Constraint, ConstraintSource};
use anchord_messages::message::{Message, Numbered, Part, Role, ToolCall, ToolResult};
use anchord_messages::tokens::TokenCounter;

#[test]
fn the_sample_goes_through_every_step_and_is_accepted() {
    let material = sample::sample();
    let facts = read(&material);
    assert_eq!(facts.files.len(), 1);
    assert_eq!(facts.test_runs.len(), 2);
    assert!(!facts.errors.is_empty() && !facts.constraints.is_empty());
    let draft = draft(&material, &facts);
    let checked = check(&material, &facts, draft);
    assert!(checked.is_accepted(), "{:?} {:?}", checked.refusals, checked.report);
    assert!(checked.rendering.text.contains("src/auth.rs"));
}

#[test]
fn what_a_model_sees_ended_is_no_critical_probe_of_its_span_or_of_a_later_one() {
    let mut material = sample::sample();
    let words = "Ok, it's fine to push to main now that Ana has read it.";
    for text in ["Never push to main.", words] {
        let seq = material.through_seq + 1;
        material.span.push(Numbered { seq, message: said(Role::User, text.to_owned()) });
        material.through_seq = seq;
    }
    let facts = read(&material);
    let shown = Board::new(record_beside(&material, &facts));
    let id = |list: List, at: usize| {
        let held = shown.summary().ids.held.iter().filter(|held| held.list == list).nth(at);
        format!("{}{}", list.letter(), held.expect("an entry").id)
    };
    let at = shown.summary().constraints.iter().position(|one| one.text == "Never push to main.").unwrap();
    let changes = serde_json::json!({"close": [
        {"id": id(List::Constraints, at), "as": "withdrawn", "note": words, "seqs": [material.through_seq]},
        {"id": id(List::Errors, 0), "as": "resolved", "note": "mended", "seqs": [2]},
    ]});
    let proposed = Proposed {
        proposal: propose_beside(&material, &facts),
        changes: vec![serde_json::from_value(changes).unwrap()],
        account: crate::changes::Account::default(),
        engine: crate::strategy::Engine::Llm,
        model: None,
    };
    let Draft { merged, proposed, .. } = merge_proposal(&material, &facts, proposed);
    assert_eq!(merged.gone.constraints.len(), 1, "{:?}", merged.summary.constraints);
    assert_eq!(merged.summary.errors[0].resolved_in_version, Some(material.version));
    let asked = probe::generate(&facts, &proposed.proposal, None, &merged.summary);
    let over = [merged.gone.constraints[0].text.as_str(), merged.summary.errors[0].message.as_str()];
    let about = |probe: &&probe::Probe| {
        probe.expected.iter().any(|text| over.iter().any(|one| one.starts_with(text.as_str())))
    };
    assert!(!asked.iter().filter(about).any(|probe| probe.critical), "{asked:?}");
    let before = probe::generate(&facts, &proposed.proposal, None, shown.summary());
    assert!(before.iter().filter(about).any(|probe| probe.critical), "{before:?}");
    let carried = probe::carry_over(&before, &merged.summary, &merged.gone);
    assert!(!carried.iter().any(|probe| about(&probe)), "{carried:?}");
}

fn said(role: Role, text: String) -> Message {
    Message { role, name: None, parts: vec![Part::Text(text)] }
}

fn called(id: &str, name: &str, arguments: &serde_json::Value, output: String) -> [Message; 2] {
    let call = ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_string() };
    let result = ToolResult { call_id: id.to_owned(), parts: vec![Part::Text(output)], is_error: None };
    let message = |role, part| Message { role, name: None, parts: vec![part] };
    [message(Role::Assistant, Part::ToolCall(call)), message(Role::Tool, Part::ToolResult(result))]
}

/// One stretch of work: a request, twelve files, an error, a test run, a choice.
fn stretch(number: usize) -> Vec<Message> {
    let mut all = vec![said(
        Role::User,
        format!("Now port stage {number} of the parser, and never touch table_{number} while you do it."),
    )];
    for i in 0..12 {
        let path = format!("/work/src/area{}/stage{number}/file_name_{i}.rs", i % 3);
        let arguments = serde_json::json!({"file_path": path, "content": format!("fn f{i}() {{}}\n")});
        all.extend(called(
            &format!("w{number}_{i}"),
            "Write",
            &arguments,
            format!("File created successfully at: {path}"),
        ));
    }
    let run = serde_json::json!({"command": format!("cargo test stage_{number}")});
    let output = format!(
        "{}\nerror[E0{number:03}]: mismatched types in stage {number}\n --> src/area0/stage{number}/file_name_0.rs:3:5\ntest result: FAILED. 3 passed; 1 failed",
        "   Compiling parser v0.1.0\n".repeat(120)
    );
    all.extend(called(&format!("t{number}"), "Bash", &run, output));
    all.push(said(
        Role::Assistant,
        format!("I decided to keep stage {number} table driven because it is simpler to test."),
    ));
    all
}

/// A window of 8,000 tokens has a bound of 1,200.
const BOUND: u32 = 1_200;

#[test]
fn twenty_five_compressions_stay_in_the_bound_and_the_record_stays_whole() {
    const STRETCHES: usize = 25;
    let mut chain = Chain::within(BOUND);
    for number in 0..STRETCHES {
        let material = chain.material(stretch(number));
        let facts = read(&material);
        let checked = check(&material, &facts, draft(&material, &facts));
        assert!(checked.is_accepted(), "{number}: {:?} {:?}", checked.refusals, failed(&checked));
        assert!(checked.rendering.tokens <= BOUND, "{number}: {}", checked.rendering.tokens);
        let sizes: Vec<u32> = checked.smaller.iter().map(|form| form.tokens).collect();
        let whole = checked.rendering.tokens;
        let steps = sizes.split_last().map_or(&[][..], |(_, steps)| steps);
        assert!(steps.iter().zip([0.75, 0.5, 0.25]).all(|(tokens, share)| *tokens <= share_of(whole, share)));
        assert!(sizes.is_sorted_by(|larger, smaller| larger > smaller), "{sizes:?}");
        assert!(sizes.last().is_some_and(|least| *least <= render::LEAST_FORM_TOKENS), "{sizes:?}");
        let wanted =
            [0.75, 0.5, 0.25].iter().filter(|share| share_of(whole, **share) > render::LEAST_FORM_TOKENS);
        assert!(number == 0 || sizes.len() > wanted.count(), "{sizes:?}");
        let again = check(&material, &facts, draft(&material, &facts));
        assert_eq!(checked.rendering, again.rendering, "the same bytes again");
        chain.publish(&material, facts, checked);
    }
    let record = chain.record();
    assert_eq!(record.files_modified.len(), STRETCHES * 12);
    assert_eq!(record.requests.len(), STRETCHES);
    assert_eq!(record.errors.len(), STRETCHES);
    assert_eq!(record.constraints.len(), STRETCHES);
    assert_eq!(record.test_results.len(), STRETCHES);
}

fn failed(checked: &CheckedDraft) -> Vec<&str> {
    let failed = checked.report.results.iter().filter(|r| r.verdict == probe::Verdict::Fail);
    failed.map(|r| r.probe.question.as_str()).collect()
}

#[test]
fn what_critical_probes_ask_for_is_told_at_the_least_bound() {
    let messages = (0..4).flat_map(stretch);
    let span: Vec<Numbered> = (1..).zip(messages).map(|(seq, message)| Numbered { seq, message }).collect();
    let material = Material {
        bound: render::LEAST_BOUND_TOKENS,
        ..Material::first(span, 20_000, TokenCounter::default(), DateTime::UNIX_EPOCH)
    };
    let facts = read(&material);
    let checked = check(&material, &facts, draft(&material, &facts));
    let critical = checked.report.results.iter().filter(|r| r.probe.critical);
    for result in critical {
        assert_eq!(
            result.verdict,
            probe::Verdict::Pass,
            "{}\n{}",
            result.probe.question,
            checked.rendering.text
        );
    }
}

#[test]
fn a_secret_that_is_said_reaches_neither_record_nor_rendering_nor_probes() {
    // Assembled at run time, so that no scanner takes a test for a leak.
    let secret = ["hunter", "22X", "qq"].concat();
    let said_so = format!("password={secret}");
    let span: Vec<Numbered> = (1..)
        .zip([
            said(Role::User, format!("Fix the login, {said_so} is what it takes.")),
            said(Role::Assistant, format!("I decided to use {said_so} because the store needs it.")),
            said(Role::User, format!("You must never change {said_so} in the store.")),
            said(Role::Assistant, format!("Next, I will try {said_so} again. I am blocked by {said_so}.")),
        ])
        .map(|(seq, message)| Numbered { seq, message })
        .collect();
    let pins = vec![Constraint::new(
        "pin".to_owned(),
        format!("Keep {said_so} as it is."),
        ConstraintSource::Pin,
        Vec::new(),
    )];
    let material =
        Material { pins, ..Material::first(span, 10_000, TokenCounter::default(), DateTime::UNIX_EPOCH) };
    let facts = read(&material);
    let draft = draft(&material, &facts);
    let checked = check(&material, &facts, draft);
    let told =
        serde_json::to_string(&(&facts, &checked.summary, &checked.new_probes, &checked.report)).unwrap();
    assert!(!told.contains(&secret), "{told}");
    assert!(!checked.rendering.text.contains(&secret) && !checked.recap.contains(&secret));
    assert!(checked.summary.constraints.iter().any(|c| c.text.contains("[REDACTED:password]")));
}
