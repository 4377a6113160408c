//! Random sessions, budgets, anchors and masks: the context is valid, fits, accounts for every message
//! and stays the same in front when messages come.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::mask::{Clipping, Keep, Marks, MaskMode};
use super::super::note::Note;
use super::super::tools::ToolMode;
use super::testing::{COUNTER, FORMATS, entry, reply};
use super::*;
use anchord_messages::format::Format;
use anchord_messages::format::anthropic::CacheTtl;
use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::shape::AsShape;

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(""),
        Just("a"),
        Just("b"),
        Just("c"),
        Just("an.odd/id"),
        Just("a_very_long_call_id_that_is_longer_than_forty_characters")
    ]
    .prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just(String::new()),
        1 => Just(" \n\t".to_owned()),
        6 => "[a-zé漢🦀 \n\"\\\\]{1,60}",
        3 => (1usize..400).prop_map(|n| "line of output 12\n".repeat(n)),
        1 => Just("identical output\n".repeat(60)),
        1 => (1usize..4000).prop_map(|n| "x".repeat(n)),
    ]
}

fn call_arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("{}".to_owned()),
        Just(String::new()),
        Just("[1]".to_owned()),
        Just("{\"broken".to_owned()),
        text().prop_map(|t| json!({"command": t, "n": 3}).to_string()),
    ]
}

/// Arguments as callers send them: as the text that the formats ask for, or otherwise.
fn sent_arguments() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => call_arguments().prop_map(Value::from),
        1 => text().prop_map(|t| json!({"command": t})),
        1 => Just(Value::Null),
        1 => Just(json!([1, "a"])),
    ]
}

fn chat_message() -> impl Strategy<Value = Value> {
    let content = prop_oneof![
        5 => text().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => prop::collection::vec(chat_part(), 0..3).prop_map(Value::from),
    ];
    let calls = prop::collection::vec((id(), sent_arguments()), 1..4).prop_map(|calls| {
        let call = |(id, arguments): (String, Value)| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}});
        Value::from(calls.into_iter().map(call).collect::<Vec<_>>())
    });
    prop_oneof![
        1 => text().prop_map(|t| json!({"role": "system", "content": t})),
        3 => content.clone().prop_map(|c| json!({"role": "user", "content": c})),
        2 => content.clone().prop_map(|c| json!({"role": "assistant", "content": c})),
        1 => text().prop_map(|t| json!({"role": "assistant", "content": null, "reasoning_content": t})),
        1 => text().prop_map(|t| json!({"role": "assistant", "content": t, "refusal": "no", "audio": {"id": "a1"}})),
        4 => (text(), calls).prop_map(|(t, c)| json!({"role": "assistant", "content": t, "tool_calls": c})),
        6 => (id(), content).prop_map(|(id, c)| json!({"role": "tool", "tool_call_id": id, "content": c})),
    ]
}

fn chat_part() -> impl Strategy<Value = Value> {
    prop_oneof![
        text().prop_map(|t| json!({"type": "text", "text": t})),
        Just(json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}})),
        Just(json!({"type": "image_url", "image_url": {"url": "https://x.example/y.png"}})),
        Just(json!({"type": "file", "file": {"file_data": "data:application/pdf;base64,AAAA"}})),
        Just(json!({"type": "file", "file": {"file_id": "file-1"}})),
        Just(json!({"type": "new_kind", "value": 1})),
    ]
}

fn anthropic_message() -> impl Strategy<Value = Value> {
    let result_content = prop_oneof![
        text().prop_map(Value::from),
        text().prop_map(|t| json!([{"type": "text", "text": t}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}])),
    ];
    let block = prop_oneof![
        text().prop_map(|t| json!({"type": "text", "text": t})),
        (id(), result_content).prop_map(
            |(id, c)| json!({"type": "tool_result", "tool_use_id": id, "content": c, "is_error": true})
        ),
        (id(), text())
            .prop_map(|(id, t)| json!({"type": "tool_use", "id": id, "name": "f", "input": {"path": t}})),
        Just(json!({"type": "tool_use", "id": "q", "name": "f", "input": 7})),
        text().prop_map(|t| json!({"type": "tool_use", "id": "r", "name": "f", "input": json!({"path": t}).to_string(), "cache_control": {"type": "ephemeral"}})),
        text().prop_map(|t| json!({"type": "text", "text": t, "cache_control": {"type": "ephemeral", "ttl": "1h"}})),
        Just(json!({"type": "tool_result", "tool_use_id": "r", "content": [{"type": "text", "text": "o", "cache_control": {"type": "ephemeral"}}], "cache_control": {"type": "ephemeral"}})),
        Just(json!({"type": "thinking", "thinking": "hm", "signature": "s"})),
        Just(json!({"type": "thinking", "thinking": "unsigned"})),
        Just(json!({"type": "redacted_thinking", "data": "zzzz"})),
        Just(
            json!({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "doc"}})
        ),
        Just(json!({"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}})),
    ];
    let content =
        prop_oneof![text().prop_map(Value::from), prop::collection::vec(block, 0..4).prop_map(Value::from)];
    (prop_oneof![1 => Just("system"), 5 => Just("user"), 5 => Just("assistant")], content)
        .prop_map(|(role, content)| json!({"role": role, "content": content}))
}

fn item() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => text().prop_map(|t| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": t}]})),
        1 => text().prop_map(|t| json!({"role": "developer", "content": t})),
        2 => text().prop_map(|t| json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": t}]})),
        1 => text().prop_map(|t| json!({"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": t}]})),
        1 => Just(json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "zzzz"})),
        2 => (id(), text()).prop_map(|(id, t)| json!({"type": "custom_tool_call", "id": "ctc", "call_id": id, "name": "patch", "input": t})),
        2 => (id(), text()).prop_map(|(id, t)| json!({"type": "custom_tool_call_output", "call_id": id, "output": t})),
        2 => (special(), id(), text()).prop_map(|(kind, id, t)| json!({"type": format!("{kind}_call"), "id": "sc", "call_id": id, "action": {"type": "exec", "commands": [t]}})),
        2 => (special(), id(), text()).prop_map(|(kind, id, t)| special_output(kind, &id, &t)),
        1 => server_item(),
        4 => (id(), sent_arguments()).prop_map(|(id, a)| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": a})),
        4 => (id(), text()).prop_map(|(id, t)| json!({"type": "function_call_output", "call_id": id, "output": t})),
    ]
}

fn special() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["local_shell", "computer", "shell", "apply_patch"])
}

fn special_output(kind: &str, id: &str, text: &str) -> Value {
    let output = match kind {
        "computer" => json!({"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"}),
        "shell" => {
            json!([{"stdout": text, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}])
        }
        _ => json!(text),
    };
    json!({"type": format!("{kind}_call_output"), "call_id": id, "output": output})
}

/// Items that run at the provider, or point there.
fn server_item() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search", "query": "q"}}),
        json!({"type": "file_search_call", "id": "fs", "status": "completed", "queries": ["q"], "results": null}),
        json!({"type": "image_generation_call", "id": "ig", "status": "completed", "result": "AAAA"}),
        json!({"type": "mcp_list_tools", "id": "ml", "server_label": "s", "tools": []}),
        json!({"type": "mcp_call", "id": "mc", "server_label": "s", "name": "f", "arguments": "{}", "output": "o"}),
        json!({"type": "mcp_approval_request", "id": "ma", "server_label": "s", "name": "f", "arguments": "{}"}),
        json!({"type": "mcp_approval_response", "approval_request_id": "ma", "approve": true}),
        json!({"type": "item_reference", "id": "msg"}),
    ])
}

fn message() -> impl Strategy<Value = (Format, Value)> {
    prop_oneof![
        chat_message().prop_map(|m| (Format::OpenaiChat, m)),
        anthropic_message().prop_map(|m| (Format::Anthropic, m)),
        item().prop_map(|m| (Format::OpenaiResponses, m)),
    ]
}

fn session() -> impl Strategy<Value = Vec<(Format, Value)>> {
    prop_oneof![
        prop::collection::vec(chat_message().prop_map(|m| (Format::OpenaiChat, m)), 0..30),
        prop::collection::vec(anthropic_message().prop_map(|m| (Format::Anthropic, m)), 0..20),
        prop::collection::vec(item().prop_map(|m| (Format::OpenaiResponses, m)), 0..30),
        prop::collection::vec(message(), 0..20),
    ]
}

#[derive(Debug, Clone)]
struct Case {
    session: Vec<(Format, Value)>,
    budget: u32,
    anchor: usize,
    mask_upto: Seq,
    keep: Option<Seq>,
    remove: Option<Seq>,
    mode: MaskMode,
    recap: bool,
    pins: bool,
    carried: bool,
    cache: Option<CacheTtl>,
}

fn case() -> impl Strategy<Value = Case> {
    let flags = (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        prop_oneof![3 => Just(MaskMode::Auto), 1 => Just(MaskMode::Off)],
        prop::sample::select(vec![None, Some(CacheTtl::FiveMinutes), Some(CacheTtl::Hour)]),
    );
    let budget = prop_oneof![20u32..300, 300u32..3_000, Just(1_000_000)];
    (
        session(),
        budget,
        0usize..25,
        0i64..30,
        proptest::option::of(1i64..30),
        proptest::option::of(1i64..30),
        flags,
    )
        .prop_map(
            |(session, budget, anchor, mask_upto, keep, remove, (recap, pins, carried, mode, cache))| Case {
                session,
                budget,
                anchor,
                mask_upto,
                keep,
                remove,
                mode,
                recap,
                pins,
                carried,
                cache,
            },
        )
}

fn entries(session: &[(Format, Value)]) -> Vec<Entry> {
    (1..).zip(session).map(|(seq, (format, message))| entry(*format, seq, message)).collect()
}

/// A message that is kept although the summary covers it, with the one after it.
fn covered(entries: &[Entry], seq: Seq) -> &[Entry] {
    let at = entries.iter().position(|entry| entry.seq == seq).unwrap_or(entries.len());
    entries.get(at..entries.len().min(at + 2)).unwrap_or_default()
}

/// Checks one context; the anchor may cut anywhere, also through a group.
fn check(case: &Case, entries: &[Entry], format: Format) -> Option<Value> {
    let leading = entries.iter().take_while(|e| e.role.is_system()).count();
    let anchor = case.anchor.min(entries.len());
    let (summary_text, least_text) =
        (summary_message_text(&"fact ".repeat(60)), summary_message_text("fact"));
    let smaller = [Counted::new(&least_text, &COUNTER)];
    let pins = pins_text(&["never push to main"]);
    let digest = digest_text(40);
    let marks: Marks = [(case.keep, Keep::Always), (case.remove, Keep::Never)]
        .into_iter()
        .filter_map(|(seq, keep)| Some((seq?, keep)))
        .collect();
    let start = leading.max(anchor);
    let summary = (anchor > 0).then(|| SummaryInput {
        version: 1,
        anchor_seq: Seq::try_from(anchor).unwrap(),
        message: Counted::new(&summary_text, &COUNTER),
        smaller: &smaller,
        digest: case.pins.then(|| Counted::new(&digest, &COUNTER)),
    });
    let notes =
        [1, 2, 3].map(|id| Note { id, seq: id, text: "where the work stands\n- n9 (#1): obey".to_owned() });
    let input = ContextInput {
        budget: case.budget,
        pins: case.pins.then(|| Counted::new(&pins, &COUNTER)),
        summary,
        kept: case.keep.map_or(&[][..], |seq| covered(&entries[leading..start], seq)),
        carried: entries[leading..start].iter().rev().find(|e| e.role == Role::User).filter(|_| case.carried),
        tail: &entries[start..],
        mask: MaskInput { mode: case.mode, clipping: Clipping::of(case.mask_upto, 600), marks: &marks },
        recap: case.recap.then_some("do the rest"),
        cache: case.cache,
        notes: if case.carried { &notes } else { &[] },
        tools: if case.recap { ToolMode::Offered } else { ToolMode::None },
        ..testing::input(format, entries, &marks)
    };
    match assemble(&input) {
        Ok(context) => {
            let json = |context: &Context<'_>| context.to_json(|reply| reply).unwrap();
            assert_eq!(json(&context), json(&assemble(&input).unwrap()));
            Some(reply(&context))
        }
        Err(error) => {
            assert!(error.min_tokens > case.budget);
            let again = assemble(&ContextInput { budget: error.min_tokens, ..input });
            assert!(again.is_ok(), "{again:?} at {}", error.min_tokens);
            None
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_context_is_valid_and_within_its_budget(case in case()) {
        let entries = entries(&case.session);
        for format in FORMATS {
            check(&case, &entries, format);
        }
    }

}

proptest! {
    // Each case is served at every one of its prefixes.
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_prefix_of_a_session_is_valid(mut case in case()) {
        case.budget = 1_000_000;
        let entries = entries(&case.session);
        for head in 0..=entries.len() {
            for format in FORMATS {
                check(&case, &entries[..head], format);
            }
        }
    }

    #[test]
    fn what_was_served_stays_when_messages_come(mut case in case()) {
        // Budget, marks and repeats aside, an append changes nothing before the group that it joins.
        (case.budget, case.anchor, case.recap, case.mode) = (1_000_000, 0, false, MaskMode::Off);
        let entries = entries(&case.session);
        let leading = entries.iter().take_while(|e| e.role.is_system()).count();
        let mut before: Vec<Value> = Vec::new();
        for head in leading..=entries.len() {
            let Some(reply) = check(&case, &entries[..head], Format::OpenaiChat) else { continue };
            let now = reply["messages"].as_array().unwrap().clone();
            let groups = anchord_messages::group::groups(&entries[leading..head]);
            // The open group at the end may still change; so may reasoning that waits for its item.
            let open = groups.last().map_or(0, |g| g.range.len() + 1) * 4;
            let settled = before.len().saturating_sub(open);
            prop_assert_eq!(&before[..settled], &now[..settled]);
            before = now;
        }
    }
}

/// A digest of so many turns.
fn digest_text(turns: usize) -> String {
    let turn =
        |at: usize| format!("#{at} assistant: digested words of a turn\n  and a second line of the same");
    format!("[Digest]\n\n{}", (1..=turns).map(turn).collect::<Vec<_>>().join("\n"))
}

/// A turn of a session with room to give way: what is said, and outputs, each of so many lines.
#[derive(Clone, Debug)]
enum Turn {
    User(usize),
    Assistant(usize),
    Calls(Vec<usize>),
}

fn turn() -> impl Strategy<Value = Turn> {
    let lines = || prop_oneof![4 => 20usize..120, 2 => 120usize..600, 1 => 600usize..2_000];
    prop_oneof![
        1 => lines().prop_map(Turn::User),
        1 => lines().prop_map(Turn::Assistant),
        4 => prop::collection::vec(lines(), 1..4).prop_map(Turn::Calls),
    ]
}

/// The messages of turns; each text begins with a word of its own.
fn spoken(turns: &[Turn]) -> Vec<(Format, Value)> {
    let mut messages = Vec::new();
    let text = |messages: &Vec<_>, lines: usize| {
        format!("begin{}.\n{}", messages.len(), "another line of what is said\n".repeat(lines))
    };
    for turn in turns {
        match turn {
            Turn::User(lines) => {
                let content = text(&messages, *lines);
                messages.push(json!({"role": "user", "content": content}));
            }
            Turn::Assistant(lines) => {
                let content = text(&messages, *lines);
                messages.push(json!({"role": "assistant", "content": content}));
            }
            Turn::Calls(outputs) => {
                let at = messages.len();
                let call = |i| json!({"id": format!("c{at}-{i}"), "type": "function", "function": {"name": "f", "arguments": "{}"}});
                let calls: Vec<Value> = (0..outputs.len()).map(call).collect();
                messages.push(json!({"role": "assistant", "content": null, "tool_calls": calls}));
                for (i, lines) in outputs.iter().enumerate() {
                    let content = text(&messages, *lines);
                    messages.push(
                        json!({"role": "tool", "tool_call_id": format!("c{at}-{i}"), "content": content}),
                    );
                }
            }
        }
    }
    messages.into_iter().map(|message| (Format::OpenaiChat, message)).collect()
}

/// How a message is served, from whole to not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Whole,
    Clipped,
    Placeholder,
    Dropped,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_larger_budget_never_serves_less_of_the_record(
        turns in prop::collection::vec(turn(), 1..12),
        budget in 300u32..6_000,
        kept in prop::option::of(1i64..20),
    ) {
        let session = spoken(&turns);
        let entries = entries(&session);
        let texts = [400, 300, 200, 100, 20].map(|facts| summary_message_text(&"fact ".repeat(facts)));
        let forms = texts.each_ref().map(|text| Counted::new(text, &COUNTER));
        let digest = digest_text(60);
        let marks: Marks = kept.map(|seq| (seq, Keep::Always)).into_iter().collect();
        for format in FORMATS {
            let summary = SummaryInput {
                version: 1,
                anchor_seq: 0,
                message: forms[0],
                smaller: &forms[1..],
                digest: Some(Counted::new(&digest, &COUNTER)),
            };
            let mut input = ContextInput { summary: Some(summary), ..testing::input(format, &entries, &marks) };
            let mut before = forms.len();
            for more in (0..2_400).step_by(97) {
                input.budget = budget + more;
                let Ok(context) = assemble(&input) else { continue };
                prop_assert!(context.summary_step <= before, "{format:?}: {} at {}", context.summary_step, input.budget);
                before = context.summary_step;
            }
        }
    }

    #[test]
    fn a_budget_that_binds_is_used_and_takes_in_its_order(
        turns in prop::collection::vec(turn(), 2..20),
        budget in 1_500u32..12_000,
        kept in prop::option::of(1i64..20),
        digested in 1usize..200,
    ) {
        let session = spoken(&turns);
        let entries = entries(&session);
        let head = Seq::try_from(entries.len()).unwrap();
        let (full, least) = (summary_message_text(&"fact ".repeat(300)), summary_message_text("fact"));
        let digest = digest_text(digested);
        let marks: Marks = kept.map(|seq| (seq, Keep::Always)).into_iter().collect();
        let whole: u32 = entries.iter().map(|entry| entry.tokens).sum::<u32>() + Counted::new(&full, &COUNTER).tokens
            + Counted::new(&digest, &COUNTER).tokens;
        for format in FORMATS {
            let summary = SummaryInput {
                version: 1,
                anchor_seq: 0,
                message: Counted::new(&full, &COUNTER),
                smaller: &[Counted::new(&least, &COUNTER)],
                digest: Some(Counted::new(&digest, &COUNTER)),
            };
            let input = ContextInput { budget, summary: Some(summary), ..testing::input(format, &entries, &marks) };
            let context = assemble(&input);
            prop_assert!(context.is_ok(), "{context:?}");
            let reply = reply(&context.unwrap());
            let total = u32::try_from(reply["tokens"]["total"].as_u64().unwrap()).unwrap();
            prop_assert!(total <= budget);
            if whole > budget {
                prop_assert!(f64::from(total) >= 0.85 * f64::from(budget), "{total} of {budget}, {}", reply["omitted"]);
            }
            let texts = reply["messages"].to_string();
            prop_assert!(texts.contains("fact"), "the summary is served");
            let runs = |reason: &str| -> Vec<Seq> {
                let runs = reply["omitted"].as_array().unwrap().iter().filter(|run| run["reason"] == reason);
                runs.flat_map(|run| run["from_seq"].as_i64().unwrap()..=run["to_seq"].as_i64().unwrap()).collect()
            };
            let (dropped, clipped) = (runs("budget"), runs("clipped"));
            let masked: Vec<Seq> =
                reply["masked"].as_array().unwrap().iter().map(|masked| masked["seq"].as_i64().unwrap()).collect();
            let form = |seq: Seq| match seq {
                seq if dropped.contains(&seq) => Form::Dropped,
                seq if masked.contains(&seq) => Form::Placeholder,
                seq if clipped.contains(&seq) => Form::Clipped,
                _ => Form::Whole,
            };
            let spoken = entries.iter().rposition(|entry| entry.role == Role::Assistant);
            let newest = spoken.map_or(head, |at| entries[at].seq + Seq::from(entries[at].calls().is_empty()));
            let newest = newest.clamp(head - 7, head);
            let user = entries.iter().rposition(|entry| entry.role == Role::User).map(|at| entries[at].seq);
            let is_long = |seq: Seq| entries[usize::try_from(seq).unwrap() - 1].tokens > 130;
            let is_bound = |seq: &Seq| *seq < newest && Some(*seq) != user && Some(*seq) != kept && is_long(*seq);
            // Kept by the caller or not yet answered: only what nothing else could spare.
            let kept_whole = kept.is_none_or(|seq| form(seq) == Form::Whole);
            // Who stands in one group with it stays with it.
            let groups = anchord_messages::group::groups(&entries);
            let mates: Vec<Seq> = groups
                .iter()
                .map(|group| entries[group.range.clone()].iter().map(|entry| entry.seq).collect::<Vec<_>>())
                .find(|seqs| kept.is_some_and(|kept| seqs.contains(&kept)))
                .unwrap_or_default();
            let others_left = (1..newest).filter(is_bound).any(|seq| form(seq) != Form::Dropped && !mates.contains(&seq));
            prop_assert!(kept_whole || !others_left || kept.is_some_and(|seq| seq >= newest), "kept gives way last");
            // Beside the record and half of the digest.
            let beside = Counted::new(&full, &COUNTER).tokens + Counted::new(&digest, &COUNTER).tokens / 2;
            let last: u32 = entries.iter().filter(|entry| entry.seq >= newest).map(|entry| entry.tokens).sum();
            // The last groups stay as long as the record is whole, clipped; so does the newest user message.
            let in_last_groups = |seq: Seq| {
                let is_in = |group: &anchord_messages::group::Group| entries[group.range.clone()].iter().any(|entry| entry.seq == seq);
                groups[groups.len().saturating_sub(2)..].iter().any(is_in)
            };
            let stays: u32 = entries
                .iter()
                .filter(|entry| entry.seq < newest)
                .filter(|entry| Some(entry.seq) == user || mates.contains(&entry.seq) || in_last_groups(entry.seq))
                .map(|entry| if Some(entry.seq) == user || Some(entry.seq) == kept { entry.tokens } else { entry.tokens.min(130) })
                .sum();
            // Removal goes in strides of a sixteenth, so up to one of them is not there for the newest.
            let fits = last + beside + stays + budget / 16 + 300 <= budget;
            let newest_whole = !fits || (newest..=head).all(|seq| form(seq) == Form::Whole);
            let kept_group_left = kept.is_some_and(|seq| seq < newest);
            prop_assert!(newest_whole || !others_left || kept_group_left, "the newest gives way after the older");
            let is_output = |seq: Seq| entries[usize::try_from(seq).unwrap() - 1].role == Role::Tool;
            let older: Vec<Seq> = (1..newest).filter(is_bound).filter(|seq| !mates.contains(seq)).collect();
            if texts.matches("digested").count() < digested {
                let whole: Vec<&Seq> =
                    older.iter().filter(|seq| is_output(**seq) && form(**seq) == Form::Whole).collect();
                prop_assert!(whole.is_empty(), "older outputs give way before the digest: {whole:?}");
            }
            if texts.matches("fact fact").count() == 0 {
                let last = groups.len().saturating_sub(2);
                let stays: Vec<Seq> = groups[..last]
                    .iter()
                    .flat_map(|group| &entries[group.range.clone()])
                    .map(|entry| entry.seq)
                    .filter(|seq| older.contains(seq) && form(*seq) != Form::Dropped)
                    .collect();
                prop_assert!(stays.is_empty(), "all groups but the last two go before the record: {stays:?}");
            }
            // Among outputs the older suffer first; so do messages of other kinds.
            for is_output in [true, false] {
                let forms: Vec<Form> = (1..newest)
                    .filter(is_bound)
                    .filter(|seq| (entries[usize::try_from(*seq).unwrap() - 1].role == Role::Tool) == is_output)
                    .map(form)
                    .filter(|form| *form != Form::Dropped)
                    .collect();
                prop_assert!(forms.is_sorted_by(|a, b| a >= b), "{forms:?}");
            }
        }
    }
}
