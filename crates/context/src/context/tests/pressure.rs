//! Tests of what is removed when a budget is too small for everything, and what stays.

use rstest::rstest;

use super::*;

/// Outputs of so many tokens each, about.
fn outputs(tokens: &[usize]) -> Vec<String> {
    let of_thousand = usize::try_from(COUNTER.count_text(&long(1_000))).unwrap();
    let output = |(i, tokens): (usize, &usize)| format!("part {i} {}", long(tokens * 1_000 / of_thousand));
    tokens.iter().enumerate().map(output).collect()
}

/// Whether a text stands in a reply, as JSON writes it.
fn says(reply: &Value, text: &str) -> bool {
    texts(reply).contains(Value::from(text).to_string().trim_matches('"'))
}

/// The share of the budget that a context uses.
fn used(input: &ContextInput<'_>, reply: &Value) -> f64 {
    reply["tokens"]["total"].as_f64().unwrap() / f64::from(input.budget)
}

#[test]
fn of_outputs_one_after_the_other_the_newest_stay() {
    let mut messages = vec![user("read all parts")];
    for (i, output) in outputs(&[5_600; 6]).iter().enumerate() {
        messages.extend([calls(&[&format!("c{i}")]), result(&format!("c{i}"), output)]);
    }
    let session = Session::new(Format::OpenaiChat, &messages);
    for format in FORMATS {
        let mut input = session.input(format);
        input.budget = 16_000;
        let reply = serve(&input);
        assert!(used(&input, &reply) >= 0.5, "{format:?}: {}", reply["tokens"]);
        assert!(says(&reply, messages[12]["content"].as_str().unwrap()), "the newest is whole");
        assert!(says(&reply, "read all parts"), "so is what they are read for");
        assert_eq!(reply["masked"], json!([]), "{format:?}");
        let step = json!([{"from_seq": 2, "to_seq": 9, "reason": "budget"}]);
        assert_eq!(reply["omitted"], step, "{format:?}: the oldest go together");
    }
}

#[test]
fn parallel_outputs_that_the_model_has_not_seen_share_the_room() {
    let [a, b, c] = <[String; 3]>::try_from(outputs(&[9_900; 3])).unwrap();
    let messages =
        [user("read all parts"), calls(&["a", "b", "c"]), result("a", &a), result("b", &b), result("c", &c)];
    let session = Session::new(Format::OpenaiChat, &messages);
    for format in FORMATS {
        let mut input = session.input(format);
        input.budget = 25_600;
        let reply = serve(&input);
        assert!(used(&input, &reply) >= 0.85, "{format:?}: {}", reply["tokens"]);
        assert_eq!(reply["masked"], json!([]), "{format:?}: none is a bare placeholder");
        for output in ["part 0", "part 1", "part 2"] {
            assert!(texts(&reply).contains(output), "{format:?}: {output}");
        }
    }
}

#[rstest]
#[case::masked_as_a_rule(MaskMode::Auto)]
#[case::never_masked(MaskMode::Off)]
fn one_output_larger_than_the_budget_is_clipped_to_it(#[case] mode: MaskMode) {
    let output = outputs(&[20_600]).remove(0);
    let messages =
        [user("hello"), assistant("Good morning."), user("read it"), calls(&["a"]), result("a", &output)];
    let session = Session::new(Format::OpenaiChat, &messages);
    for format in FORMATS {
        let mut input = session.input(format);
        (input.budget, input.mask.mode) = (16_000, mode);
        let reply = serve(&input);
        assert!(used(&input, &reply) >= 0.85, "{format:?}: {}", reply["tokens"]);
        assert!(texts(&reply).contains("part 0") && texts(&reply).contains("tokens left out"));
        assert!(texts(&reply).contains("read it"), "with what it was read for");
    }
}

#[test]
fn what_the_caller_wants_kept_gives_way_last() {
    let [kept, other, newest] = <[String; 3]>::try_from(outputs(&[3_000, 3_000, 3_000])).unwrap();
    let messages = [
        user("read all parts"),
        calls(&["a"]),
        result("a", &kept),
        calls(&["b"]),
        result("b", &other),
        calls(&["c"]),
        result("c", &newest),
    ];
    let mut session = Session::new(Format::OpenaiChat, &messages);
    session.marks = Marks::from([(3, Keep::Always)]);
    let mut input = session.input(Format::OpenaiChat);
    for budget in [8_000, 7_000, 6_000, 5_000] {
        input.budget = budget;
        let reply = serve(&input);
        assert!(says(&reply, &kept), "{budget}: it is whole");
        assert!(texts(&reply).contains("part 2"), "{budget}: so is a part of the newest");
        assert!(used(&input, &reply) >= 0.7, "{budget}: {}", reply["tokens"]);
    }
    input.budget = 1_500;
    let reply = serve(&input);
    assert!(!says(&reply, &kept) && used(&input, &reply) >= 0.7, "{}", reply["tokens"]);
}

#[test]
fn the_summary_is_never_left_out() {
    let messages = [user("task"), assistant("y"), user(&long(400)), calls(&["a"]), result("a", &long(900))];
    let session = Session::new(Format::OpenaiChat, &messages);
    let (full, least) = (long(1_000), long(60));
    let mut input = with_summary(&session, Format::OpenaiChat, &full, &least, 2);
    for budget in (20..3_000).step_by(31) {
        input.budget = budget;
        match assemble(&input) {
            Ok(_) => assert_eq!(serve(&input)["summary_version"], 3, "{budget}"),
            Err(refused) => assert!(refused.min_tokens > budget && refused.min_tokens < 300, "{refused}"),
        }
    }
}

#[test]
fn the_budget_takes_in_its_order() {
    let mut messages = vec![user("task")];
    for i in 0..8 {
        messages.push(calls(&[&format!("c{i}")]));
        messages.push(result(&format!("c{i}"), &format!("{i} {}", long(500))));
    }
    messages.extend([assistant("a"), user("b"), assistant("c"), user("the question")]);
    let session = Session::new(Format::OpenaiChat, &messages);
    let mut input = session.input(Format::OpenaiChat);
    let whole = assemble(&input).unwrap().tokens.total();
    for budget in [whole - 200, whole - 1_200] {
        input.budget = budget;
        let reply = serve(&input);
        let omitted = reply["omitted"].as_array().unwrap();
        assert_eq!(
            (omitted.len(), &omitted[0]["from_seq"]),
            (1, &json!(2)),
            "the oldest go at once: {omitted:?}"
        );
        assert_eq!(reply["messages"][0], messages[0], "but the task stays");
        assert_eq!(reply["masked"], json!([]));
    }
    input.budget = 250;
    let reply = serve(&input);
    assert_eq!(reply["omitted"][0]["reason"], "budget", "{}", reply["tokens"]);
    assert!(texts(&reply).contains("left out here"));
    assert!(texts(&reply).contains("the question"));
    input.budget = 60;
    serve(&input);
    input.budget = 3;
    let error = assemble(&input).unwrap_err();
    input.budget = error.min_tokens;
    serve(&input);
}

#[test]
fn the_summary_shrinks_before_the_newest_message_is_clipped() {
    let messages = [user("task"), assistant("y"), user(&long(400))];
    let session = Session::new(Format::OpenaiChat, &messages);
    let (full, least) = (long(1_000), long(100));
    let mut input = with_summary(&session, Format::OpenaiChat, &full, &least, 2);
    input.budget = 800;
    let reply = serve(&input);
    assert_eq!(reply["messages"][0]["content"], least);
    assert_eq!(reply["messages"][1], messages[2]);
    input.budget = 300;
    let reply = serve(&input);
    assert!(reply["messages"][1]["content"].as_str().unwrap().contains("tokens left out · message 3"));
    assert_eq!(reply["omitted"], json!([{"from_seq": 3, "to_seq": 3, "reason": "clipped"}]));
}

#[test]
fn a_group_of_hundreds_is_served_by_its_newest_outputs() {
    let ids: Vec<String> = (0..500).map(|i| format!("c{i}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut messages = vec![user("read all parts"), calls(&ids)];
    messages.extend(ids.iter().zip(outputs(&[90; 500])).map(|(id, output)| result(id, &output)));
    messages.extend([assistant("done, next?"), user("go")]);
    let session = Session::new(Format::OpenaiChat, &messages);
    for format in FORMATS {
        let mut input = session.input(format);
        let whole = assemble(&input).unwrap().tokens.total();
        for budget in [whole * 2 / 5, whole / 2, whole * 3 / 4] {
            input.budget = budget;
            let reply = serve(&input);
            assert!(used(&input, &reply) >= 0.85, "{format:?} at {budget}: {}", reply["tokens"]);
            assert!(texts(&reply).contains("read all parts"), "{format:?} at {budget}: what it was read for");
            assert!(texts(&reply).contains("part 499"), "{format:?} at {budget}: the newest is there");
        }
    }
}

/// An agent's session of so many calls, each with an output of its own.
fn working(calls_made: usize) -> Vec<Value> {
    let mut messages = vec![user("the task"), assistant("I will."), user("the request in force")];
    for n in 0..calls_made {
        let id = format!("c{n}");
        messages.extend([calls(&[&id]), result(&id, &format!("part {n} {}", long(100 + n * 37 % 300)))]);
    }
    messages
}

#[test]
fn between_two_steps_a_context_without_a_summary_is_the_one_before_and_what_is_new() {
    for format in FORMATS {
        for budget in [4_000, 8_000] {
            let (mut before, mut crowded, mut kept): (Vec<Value>, usize, usize) = (Vec::new(), 0, 0);
            for n in 1..90 {
                let messages = working(n);
                let session = Session::new(Format::OpenaiChat, &messages);
                let mut input = session.input(format);
                input.budget = budget;
                let reply = serve(&input);
                let now = reply["messages"].as_array().unwrap().clone();
                if !reply["omitted"].as_array().unwrap().is_empty() {
                    crowded += 1;
                    kept += usize::from(now.starts_with(&before));
                    assert!(used(&input, &reply) > 0.4, "{format:?} {n}: {}", reply["tokens"]);
                    assert!(
                        says(&reply, "the task") && says(&reply, "the request in force"),
                        "{format:?} {n}"
                    );
                    assert_eq!(reply["masked"], json!([]), "{format:?} {n}");
                    for output in &messages[messages.len() - 6..] {
                        let text = output["content"].as_str().unwrap_or_default();
                        assert!(says(&reply, text), "{format:?} {n}: the newest outputs are whole");
                    }
                }
                before = now;
            }
            assert!(crowded > 40 && kept * 10 > crowded * 7, "{format:?} {budget}: {kept} of {crowded}");
        }
    }
}

#[test]
fn messages_that_were_not_read_change_nothing_of_a_context_without_a_summary() {
    let messages = working(80);
    let session = Session::new(Format::OpenaiChat, &messages);
    for format in FORMATS {
        let mut input = session.input(format);
        input.budget = 8_000;
        let whole = serve(&input);
        for read_from in [60, 71, 90] {
            let (first, last) = session.entries.split_at(read_from);
            let tail = [&first[..3], last].concat();
            let part = serve(&ContextInput { tail: &tail, ..input });
            assert_eq!(part["messages"], whole["messages"], "{format:?} {read_from}");
            assert_eq!(part["omitted"], whole["omitted"], "{format:?} {read_from}");
        }
    }
}

#[test]
fn an_output_larger_than_a_context_without_a_summary_leaves_the_task_in_it() {
    for (before, budget) in [(0, 3_000), (40, 3_000), (40, 8_000)] {
        let mut messages = working(before);
        messages.extend([calls(&["huge"]), result("huge", &long(9_000))]);
        for format in FORMATS {
            let session = Session::new(Format::OpenaiChat, &messages);
            let mut input = session.input(format);
            input.budget = budget;
            let reply = serve(&input);
            assert!(says(&reply, "the task") && says(&reply, "the request in force"), "{format:?} {before}");
            assert!(used(&input, &reply) > 0.8, "{format:?} {before}: {}", reply["tokens"]);
        }
    }
}

#[test]
fn what_is_taken_stays_the_same_while_little_comes() {
    let mut messages = vec![user("do it")];
    let (mut before, mut looks, mut kept): (Vec<Value>, usize, usize) = (Vec::new(), 0, 0);
    for n in 0..120 {
        messages.extend([user(&format!("step {n}")), assistant(&format!("done {n}: {}", long(60)))]);
        let session = Session::new(Format::OpenaiChat, &messages);
        let mut input = session.input(Format::OpenaiChat);
        input.budget = 8_000;
        let reply = serve(&input);
        let now = reply["messages"].as_array().unwrap().clone();
        if reply["omitted"].as_array().unwrap().is_empty() {
            before = now;
            continue;
        }
        looks += 1;
        // What was served before is served again in the same words, but for the newest of it.
        kept += usize::from(now.starts_with(&before[..before.len().saturating_sub(2)]));
        before = now;
    }
    assert!(looks > 20 && kept * 3 > looks * 2, "{kept} of {looks}");
}
