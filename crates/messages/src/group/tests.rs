use super::*;
use crate::format::{Format, parse};
use crate::shape::Shape;
use crate::tokens::{TokenCounter, Tokenizer};

struct Item {
    seq: Seq,
    role: Role,
    of_responses: bool,
    shape: Option<Shape>,
}

impl AsShape for Item {
    fn seq(&self) -> Seq {
        self.seq
    }
    fn role(&self) -> Role {
        self.role
    }
    fn is_item(&self) -> bool {
        self.of_responses
    }
    fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }
}

fn items(format: Format, from: Seq, raws: &[String]) -> Vec<Item> {
    let counter = TokenCounter::new(Tokenizer::Estimate);
    let item = |(i, raw): (usize, &String)| {
        let message = parse(format, raw).unwrap();
        Item {
            seq: from + Seq::try_from(i).unwrap(),
            role: message.role,
            of_responses: format == Format::OpenaiResponses,
            shape: Shape::of(&message, &counter),
        }
    };
    raws.iter().enumerate().map(item).collect()
}

/// Chat messages in short: `s` system, `u` user, `a` assistant, `c:x,y` calls, `r:x` result.
fn chat(script: &str) -> Vec<Item> {
    let message = |word: &str| match word.split_once(':') {
        None => {
            let role = match word {
                "s" => "system",
                "u" => "user",
                _ => "assistant",
            };
            format!(r#"{{"role":"{role}","content":"x"}}"#)
        }
        Some(("c", ids)) => {
            let calls: Vec<String> = ids
                .split(',')
                .map(|id| {
                    format!(
                        r#"{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}"#
                    )
                })
                .collect();
            format!(r#"{{"role":"assistant","content":null,"tool_calls":[{}]}}"#, calls.join(","))
        }
        Some((_, id)) => format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"out"}}"#),
    };
    let raws: Vec<String> = script.split_whitespace().map(message).collect();
    items(Format::OpenaiChat, 1, &raws)
}

type Found = (Range<usize>, Option<CallState>);

fn ranges(items: &[Item]) -> Vec<Found> {
    let state = |g: &Group| match &g.kind {
        GroupKind::Plain => None,
        GroupKind::Calls(calls) => Some(calls.state),
    };
    groups(items).iter().map(|g| (g.range.clone(), state(g))).collect()
}

#[test]
fn calls_and_their_results_are_one_group() {
    use CallState::{Answered, Closed, Pending};
    let table: &[(&str, &[Found])] = &[
        ("u a", &[(0..1, None), (1..2, None)]),
        ("u c:x r:x a", &[(0..1, None), (1..3, Some(Answered)), (3..4, None)]),
        ("c:x,y r:y r:x u", &[(0..3, Some(Answered)), (3..4, None)]),
        ("c:x,y r:y u r:x", &[(0..2, Some(Closed)), (2..3, None), (3..4, None)]),
        ("c:x,y r:y", &[(0..2, Some(Pending))]),
        ("c:x c:y r:y", &[(0..1, Some(Closed)), (1..3, Some(Answered))]),
        ("c:x r:x c:x r:x", &[(0..2, Some(Answered)), (2..4, Some(Answered))]),
        ("c:x,x r:x r:x r:x", &[(0..3, Some(Answered)), (3..4, None)]),
        ("c:x r:late r:x u", &[(0..3, Some(Answered)), (3..4, None)]),
        ("c:x r:late u", &[(0..1, Some(Closed)), (1..2, None), (2..3, None)]),
        ("r:x u", &[(0..1, None), (1..2, None)]),
        ("c:x s r:x", &[(0..1, Some(Closed)), (1..2, None), (2..3, None)]),
    ];
    for (script, expected) in table {
        assert_eq!(ranges(&chat(script)), *expected, "{script}");
    }
}

#[test]
fn results_without_ids_answer_in_order() {
    assert_eq!(ranges(&chat("c:x,y r: r: u")).first().unwrap().1, Some(CallState::Answered));
}

#[test]
fn many_calls_pair_without_quadratic_time() {
    let ids: Vec<String> = (0..20_000).map(|i| format!("c{}", i % 15_000)).collect();
    let results: Vec<String> = ids.iter().rev().map(|id| format!("r:{id}")).collect();
    let items = chat(&format!("c:{} {}", ids.join(","), results.join(" ")));
    assert_eq!(ranges(&items), [(0..20_001, Some(CallState::Answered))]);
}

#[test]
fn a_user_message_with_results_and_text_ends_its_group() {
    let raw = |text: &str| text.to_owned();
    let call = r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]}"#;
    let mixed = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"},{"type":"text","text":"go on"}]}"#;
    let rest = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"x"}]}"#;
    let items = items(Format::Anthropic, 1, &[raw(call), raw(mixed), raw(rest)]);
    assert_eq!(ranges(&items), [(0..2, Some(CallState::Closed)), (2..3, None)]);
}

#[test]
fn parallel_calls_of_the_responses_api_are_items_in_a_row() {
    let raws: Vec<String> = [
        r#"{"type":"message","role":"user","content":"hi"}"#,
        r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"think"}]}"#,
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look"}]}"#,
        r#"{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}"#,
        r#"{"type":"function_call","call_id":"b","name":"f","arguments":"{}"}"#,
        r#"{"type":"function_call_output","call_id":"a","output":"x"}"#,
        r#"{"type":"function_call_output","call_id":"b","output":"x"}"#,
        r#"{"type":"message","role":"assistant","content":"one"}"#,
        r#"{"type":"message","role":"assistant","content":"two"}"#,
    ]
    .map(str::to_owned)
    .to_vec();
    let expected = [(0..1, None), (1..7, Some(CallState::Answered)), (7..8, None), (8..9, None)];
    assert_eq!(ranges(&items(Format::OpenaiResponses, 1, &raws)), expected);
}

#[test]
fn a_span_leaves_the_recent_messages_and_ends_between_groups() {
    type Row = (&'static str, usize, Option<Seq>, Result<Seq, NoSpan>);
    let table: &[Row] = &[
        ("s u a u a u a u a", 5, None, Ok(4)),
        ("u a u a u", 5, None, Err(NoSpan::TooFew)),
        ("s s", 5, None, Err(NoSpan::AllSystem)),
        ("s u a u a u", 5, None, Err(NoSpan::TooFew)),
        ("u a c:x,y,z r:x r:y r:z a u a", 5, None, Ok(2)),
        ("u c:1,2,3,4,5,6 r:1 r:2 r:3 r:4 r:5 r:6 a", 5, None, Ok(1)),
        ("c:1,2,3,4,5,6 r:1 r:2 r:3 r:4 r:5 r:6 a", 5, None, Err(NoSpan::OneHugeGroup)),
        ("u a u c:x,y r:x", 0, None, Ok(3)),
        ("u a u", 0, None, Ok(2)),
        ("u u u u", 0, None, Ok(3)),
        ("u", 0, None, Err(NoSpan::Unanswered)),
        ("c:x", 0, None, Err(NoSpan::Unanswered)),
        ("u a c:x r:x u a u a u a u", 5, Some(3), Ok(2)),
        ("u a c:x r:x u a u a u a u", 5, Some(4), Ok(4)),
        ("u a c:x r:x u a u a u a u", 5, Some(99), Ok(6)),
        ("u a u a u a u", 5, Some(0), Err(NoSpan::AlreadyCovered)),
        ("s u a u a u a u a", 5, Some(1), Err(NoSpan::AlreadyCovered)),
    ];
    for (script, preserve, through, expected) in table {
        assert_eq!(
            span_end(&chat(script), *preserve, *through),
            *expected,
            "{script} {preserve} {through:?}"
        );
    }
}

#[test]
fn a_later_span_may_cover_system_messages() {
    let raws = vec![r#"{"role":"system","content":"x"}"#.to_owned(); 9];
    assert_eq!(span_end(&items(Format::OpenaiChat, 20, &raws), 5, None), Ok(23));
}
