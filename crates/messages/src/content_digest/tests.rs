use rstest::rstest;

use super::*;

const CHAT: Format = Format::OpenaiChat;
const BLOCKS: Format = Format::Anthropic;
const ITEMS: Format = Format::OpenaiResponses;

#[rstest]
#[case::order_and_spaces(
    CHAT,
    r#"{"role":"user","content":"a"}"#,
    r#"{ "content" : "\u0061", "role":"user" }"#
)]
#[case::nulls(
    CHAT,
    r#"{"role":"assistant","content":"a"}"#,
    r#"{"role":"assistant","content":"a","refusal":null,"tool_calls":[],"annotations":[],"audio":null}"#
)]
#[case::one_block(
    CHAT,
    r#"{"role":"user","content":"a\n"}"#,
    r#"{"role":"user","content":[{"type":"text","text":"a\n"}]}"#
)]
#[case::marks(
    BLOCKS,
    r#"{"role":"user","content":"a"}"#,
    r#"{"role":"user","content":[{"type":"text","text":"a","citations":null,"cache_control":{"type":"ephemeral"}}]}"#
)]
#[case::marks_of_results(
    BLOCKS,
    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"o"}]}"#,
    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","cache_control":{"type":"ephemeral"},"content":[{"type":"text","text":"o","cache_control":{}}]}]}"#
)]
#[case::arguments(
    CHAT,
    r#"{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\": [1, null], \"b\":\"x\"}"}}]}"#,
    r#"{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":{"b":"x","a":[1,null]}}}]}"#
)]
#[case::input(
    BLOCKS,
    r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"a":1e400}}]}"#,
    r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":"{ \"a\" : 1e400 }"}]}"#
)]
#[case::ids_of_items(
    ITEMS,
    r#"{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}"#,
    r#"{"type":"function_call","id":"fc_1","status":"completed","call_id":"1","name":"f","arguments":"{ }"}"#
)]
#[case::nulls_of_items(
    ITEMS,
    r#"{"type":"reasoning","summary":[]}"#,
    r#"{"type":"reasoning","summary":[],"id":null,"status":null,"encrypted_content":null}"#
)]
#[case::the_status_of_items(
    ITEMS,
    r#"{"type":"function_call_output","call_id":"1","output":"a","status":"completed"}"#,
    r#"{"type":"function_call_output","call_id":"1","output":"a","status":null}"#
)]
#[case::texts_of_items(
    ITEMS,
    r#"{"role":"assistant","content":"a"}"#,
    r#"{"id":"m","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[],"logprobs":[]}]}"#
)]
#[case::items_with_their_default_type(
    ITEMS,
    r#"{"role":"user","content":"a"}"#,
    r#"{"type":"message","status":"completed","role":"user","content":[{"type":"input_text","text":"a"}]}"#
)]
#[case::outputs_of_items(
    ITEMS,
    r#"{"type":"function_call_output","call_id":"1","output":"a"}"#,
    r#"{"type":"function_call_output","call_id":"1","output":[{"type":"input_text","text":"a"}]}"#
)]
fn what_says_the_same_is_the_same(#[case] format: Format, #[case] one: &str, #[case] other: &str) {
    assert_eq!(canonical(format, one), canonical(format, other));
    assert_eq!(ContentDigest::of(format, one), ContentDigest::of(format, other));
    assert_ne!(TextDigest::of(one.as_bytes()), TextDigest::of(other.as_bytes()));
}

#[rstest]
#[case::a_letter(CHAT, r#"{"role":"user","content":"a"}"#, r#"{"role":"user","content":"b"}"#)]
#[case::a_space(CHAT, r#"{"role":"user","content":"a"}"#, r#"{"role":"user","content":"a "}"#)]
#[case::two_blocks(
    CHAT,
    r#"{"role":"user","content":"ab"}"#,
    r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#
)]
#[case::a_block_with_more(
    BLOCKS,
    r#"{"role":"user","content":"a"}"#,
    r#"{"role":"user","content":[{"type":"text","text":"a","mood":"fine"}]}"#
)]
#[case::text_of_a_block(
    CHAT,
    r#"{"role":"user","content":"{\"type\":\"text\",\"text\":\"a\"}"}"#,
    r#"{"role":"user","content":[{"type":"text","text":"a"}]}"#
)]
#[case::type_of_a_value(
    CHAT,
    r#"{"role":"assistant","function_call":{"name":"f","arguments":"{\"a\":1}"}}"#,
    r#"{"role":"assistant","function_call":{"name":"f","arguments":"{\"a\":\"1\"}"}}"#
)]
#[case::null_in_arguments(
    CHAT,
    r#"{"role":"assistant","function_call":{"name":"f","arguments":"{\"a\":null}"}}"#,
    r#"{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}"#
)]
#[case::mark_in_arguments(
    BLOCKS,
    r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","input":{"cache_control":1,"tool_calls":[]}}]}"#,
    r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","input":{}}]}"#
)]
#[case::a_key_twice_in_arguments(
    CHAT,
    r#"{"role":"assistant","function_call":{"name":"f","arguments":"{\"a\":1,\"a\":2}"}}"#,
    r#"{"role":"assistant","function_call":{"name":"f","arguments":"{\"a\":2}"}}"#
)]
#[case::number_or_its_text(
    CHAT,
    r#"{"role":"assistant","function_call":{"name":"f","arguments":"5"}}"#,
    r#"{"role":"assistant","function_call":{"name":"f","arguments":5}}"#
)]
#[case::how_a_number_is_written(
    CHAT,
    r#"{"role":"assistant","function_call":{"name":"f","arguments":{"a":1.0}}}"#,
    r#"{"role":"assistant","function_call":{"name":"f","arguments":{"a":1}}}"#
)]
#[case::input_of_a_custom_tool(
    ITEMS,
    r#"{"type":"custom_tool_call","call_id":"1","name":"f","input":"{\"a\":1}"}"#,
    r#"{"type":"custom_tool_call","call_id":"1","name":"f","input":"{ \"a\":1}"}"#
)]
#[case::ids_elsewhere(
    CHAT,
    r#"{"role":"assistant","content":"a","id":"1"}"#,
    r#"{"role":"assistant","content":"a","id":"2"}"#
)]
#[case::ids_of_items_that_refer(
    ITEMS,
    r#"{"type":"item_reference","id":"msg_1"}"#,
    r#"{"type":"item_reference","id":"msg_2"}"#
)]
#[case::ids_of_thoughts(
    ITEMS,
    r#"{"type":"reasoning","id":"rs_1","summary":[]}"#,
    r#"{"type":"reasoning","id":"rs_2","summary":[]}"#
)]
#[case::states_of_calls(
    ITEMS,
    r#"{"type":"function_call","status":"in_progress","call_id":"1","name":"f","arguments":"{}"}"#,
    r#"{"type":"function_call","status":"completed","call_id":"1","name":"f","arguments":"{}"}"#
)]
#[case::ids_within_items(
    ITEMS,
    r#"{"role":"user","content":[{"type":"input_file","id":"1"}]}"#,
    r#"{"role":"user","content":[{"type":"input_file","id":"2"}]}"#
)]
#[case::order_of_a_list(
    CHAT,
    r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
    r#"{"role":"user","content":[{"type":"text","text":"b"},{"type":"text","text":"a"}]}"#
)]
#[case::what_cannot_be_read(CHAT, r#"{"role":"user""#, r#"{"role":"user" "#)]
fn what_says_something_else_is_another(#[case] format: Format, #[case] one: &str, #[case] other: &str) {
    assert_ne!(ContentDigest::of(format, one), ContentDigest::of(format, other));
}

#[test]
fn a_plain_text_is_the_same_in_every_format() {
    let raw = r#"{"role":"user","content":"a"}"#;
    assert_eq!(ContentDigest::of(CHAT, raw), ContentDigest::of(BLOCKS, raw));
    assert_eq!(ContentDigest::of(CHAT, raw), ContentDigest::of(ITEMS, raw));
}

#[test]
fn nesting_without_an_end_is_no_stack_overflow() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(canonical(CHAT, &deep), deep);
    let text = serde_json::to_string(&"[".repeat(100_000)).unwrap();
    let _ = canonical(CHAT, &format!(r#"{{"arguments":{text}}}"#));
}

#[test]
fn the_common_beginning_ends_where_list_or_branch_does() {
    let texts: Vec<String> = (0..5).map(|n| format!(r#"{{"role":"user","content":"{n}"}}"#)).collect();
    let branch: Vec<Digests> = texts.iter().map(|raw| Digests::of(CHAT, raw)).collect();
    let spaced: Vec<String> = texts.iter().map(|raw| raw.replace(':', ": ")).collect();
    let of = |list: &[String], from: usize| {
        let list: Vec<_> = list.iter().map(|raw| (TextDigest::of(raw.as_bytes()), raw.as_str())).collect();
        common(list, &branch, &mut { from }, || false)
    };
    assert_eq!((of(&texts, 0), of(&texts, 3), of(&spaced, 0)), (Some(5), Some(5), Some(5)));
    assert_eq!((of(&texts[..3], 0), of(&texts[1..], 0), of(&[], 0)), (Some(3), Some(0), Some(0)));
    let parts = [&texts[..2], &texts[3..]].concat();
    assert_eq!((of(&parts, 0), of(&[texts.clone(), texts.clone()].concat(), 2)), (Some(2), Some(5)));
    let mut at = 0;
    let list = || texts.iter().map(|raw| (TextDigest::of(raw.as_bytes()), raw.as_str()));
    assert_eq!(common(list(), &branch, &mut at, || true), None);
    assert_eq!(at, 1);
    assert_eq!(common(list(), &branch, &mut at, || false), Some(5));
}
