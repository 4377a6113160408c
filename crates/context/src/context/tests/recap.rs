//! Where the recap stands: at the very end, whoever spoke last, and never where it breaks something.

use rstest::rstest;

use super::super::texts::recap_text;
use super::*;

const RECAP: &str = "Current task: paint the crane\nNext step 1: buy orange paint";

/// The reply with a summary and the recap, checked; everything after the third message is the tail.
fn with_recap(session: &Session, format: Format, budget: u32) -> (Value, Value) {
    let summary = summary_message_text("## Session Intent\npaint the crane");
    let mut input = with_summary(session, format, &summary, "least", 3);
    input.budget = budget;
    let plain = serve(&input);
    input.recap = Some(RECAP);
    (serve(&input), plain)
}

fn last(reply: &Value) -> String {
    reply["messages"].as_array().unwrap().last().unwrap().to_string()
}

fn base(tail: &[Value]) -> Session {
    let mut messages = vec![json!({"role": "system", "content": "sys"}), user("task"), assistant("y")];
    messages.extend_from_slice(tail);
    Session::new(Format::OpenaiChat, &messages)
}

#[rstest]
#[case::after_an_answer(&[user("go on"), assistant("done so far")])]
#[case::after_a_question(&[assistant("done so far"), user("which colour?")])]
#[case::after_a_result(&[user("go on"), calls(&["a"]), result("a", "A")])]
#[case::after_parallel_results(&[calls(&["a", "b"]), result("b", "B"), result("a", "A")])]
#[case::after_a_call_that_was_given_up(&[calls(&["a"]), user("leave it")])]
#[case::with_nothing_after_the_summary(&[])]
fn the_recap_ends_the_context_in_every_format(#[case] tail: &[Value]) {
    let session = base(tail);
    for format in FORMATS {
        let (reply, plain) = with_recap(&session, format, 100_000);
        let end = last(&reply);
        assert!(end.contains("buy orange paint"), "{format:?}: {reply:#}");
        assert!(end.contains("not a new request"), "a last user message is still what to answer");
        assert_eq!(texts(&reply).matches("buy orange paint").count(), 1);
        // It costs what it is told to cost, and nothing before it changes.
        let tokens = |reply: &Value| reply["tokens"]["tail"].as_u64().unwrap();
        let cost = Counted::new(&recap_text(RECAP), &COUNTER).tokens;
        assert_eq!(tokens(&reply), tokens(&plain) + u64::from(cost));
        assert_eq!(reply["stable_prefix"]["sha256"], plain["stable_prefix"]["sha256"], "{format:?}");
        assert_eq!(reply["stable_prefix"]["tokens"], plain["stable_prefix"]["tokens"]);
    }
}

#[test]
fn a_users_question_keeps_its_words_and_its_place_before_the_recap() {
    let session = base(&[assistant("done so far"), user("which colour?")]);
    let (chat, _) = with_recap(&session, Format::OpenaiChat, 100_000);
    let messages = chat["messages"].as_array().unwrap();
    assert_eq!(messages[messages.len() - 2], user("which colour?"));
    let sources = chat["sources"].as_array().unwrap();
    assert_eq!(sources[sources.len() - 2..], [json!([5]), Value::Null]);
    // Where roles alternate they share a turn, the question first.
    let (turns, _) = with_recap(&session, Format::Anthropic, 100_000);
    let end = last(&turns);
    assert!(end.find("which colour?").unwrap() < end.find("buy orange paint").unwrap(), "{end}");
    assert_eq!(turns["sources"].as_array().unwrap().last().unwrap(), &json!([5]));
}

#[rstest]
#[case::none_answered(&[user("go on"), calls(&["a", "b"])])]
#[case::one_answered(&[user("go on"), calls(&["a", "b"]), result("a", "A")])]
fn a_call_that_waits_keeps_the_recap_away(#[case] tail: &[Value]) {
    let session = base(tail);
    for format in FORMATS {
        let (reply, plain) = with_recap(&session, format, 100_000);
        assert_eq!(reply, plain, "{format:?}");
    }
}

#[test]
fn the_recap_goes_before_the_newest_message_does() {
    let session = base(&[user("go on"), assistant(&long(400)), user("which colour?")]);
    let (full, plain) = with_recap(&session, Format::OpenaiChat, 100_000);
    let total = |reply: &Value| u32::try_from(reply["tokens"]["total"].as_u64().unwrap()).unwrap();
    let mut seen = [false, false];
    for budget in (60..=total(&full)).step_by(7) {
        let summary = summary_message_text("## Session Intent\npaint the crane");
        let mut input = with_summary(&session, Format::OpenaiChat, &summary, "least", 3);
        input.budget = budget;
        input.recap = Some(RECAP);
        let Ok(context) = assemble(&input) else { continue };
        let json = context.to_json(|reply| reply).unwrap();
        let reply: Value = serde_json::from_str(&json).unwrap();
        assert!(total(&reply) <= budget && validity::problems(&reply).is_empty());
        let has_recap = texts(&reply).contains("buy orange paint");
        assert!(texts(&reply).contains("which colour?"), "{budget}: {reply:#}");
        seen[usize::from(has_recap)] = true;
    }
    assert_eq!(seen, [true, true], "at some budgets it fits, at others it gives way");
    assert!(total(&plain) < total(&full));
}
