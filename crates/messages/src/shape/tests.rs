use super::*;
use crate::format::{Format, parse};

fn shape(format: Format, raw: &str) -> Option<Shape> {
    Shape::of(&parse(format, raw).unwrap(), &TokenCounter::default())
}

#[test]
fn a_plain_message_has_no_shape() {
    assert_eq!(shape(Format::OpenaiChat, r#"{"role":"user","content":"hello"}"#), None);
    assert_eq!(
        shape(
            Format::Anthropic,
            r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#
        ),
        None
    );
}

#[test]
fn blank_content_is_told_from_blank_parts() {
    for raw in [
        r#"{"role":"user","content":""}"#,
        r#"{"role":"assistant"}"#,
        r#"{"role":"user","content":[{"type":"text","text":" \n"}]}"#,
    ] {
        assert!(shape(Format::OpenaiChat, raw).unwrap().has(Feature::Blank), "{raw}");
    }
    let beside = shape(
        Format::Anthropic,
        r#"{"role":"user","content":[{"type":"text","text":" "},{"type":"text","text":"x"}]}"#,
    )
    .unwrap();
    assert_eq!(beside.features, [Feature::BlankPart]);
    let thinking =
        shape(Format::OpenaiChat, r#"{"role":"assistant","content":null,"reasoning_content":"hm"}"#).unwrap();
    assert!(thinking.has(Feature::Blank) && thinking.has(Feature::OnlyThinking));
}

#[test]
fn results_in_a_user_message_are_told_by_what_stands_beside_them() {
    let of = |blocks: &str| {
        shape(Format::Anthropic, &format!(r#"{{"role":"user","content":[{blocks}]}}"#)).unwrap()
    };
    let result = r#"{"type":"tool_result","tool_use_id":"a","content":"x"}"#;
    let text = r#"{"type":"text","text":"t"}"#;
    assert_eq!(of(result).features, [Feature::OnlyResults]);
    assert!(of(&format!("{result},{text}")).features.is_empty());
    assert_eq!(of(&format!("{text},{result}")).features, [Feature::ResultsNotFirst]);
}

#[test]
fn a_call_says_what_it_runs() {
    let what = |name: &str, arguments: &str| {
        what(&ToolCall { id: String::new(), name: name.to_owned(), arguments: arguments.to_owned() })
    };
    assert_eq!(what("Bash", r#"{"command":"cargo  test\n --all"}"#), "cargo test --all");
    assert_eq!(what("shell", r#"{"command":["bash","-lc","ls \"a\""]}"#), "ls 'a'");
    assert_eq!(what("Read", r#"{"file_path":"/a/b.rs","limit":3}"#), "Read /a/b.rs");
    assert_eq!(what("odd", "not json"), "odd");
    assert!(
        what("Bash", &format!("{{\"command\":\"{}\"}}", "é".repeat(500))).chars().count() <= WHAT_CHARS + 1
    );
}

#[test]
fn the_key_line_is_the_totals_then_an_error_then_the_last_line() {
    let rows = "row\n".repeat(20);
    let find = |text: &str| key_line::find(text);
    assert_eq!(
        find(&format!("{rows}== 3 failed, 9 passed in 2s ==\nbye")).unwrap(),
        "== 3 failed, 9 passed in 2s =="
    );
    assert_eq!(find(&format!("error: it broke\n{rows}")).unwrap(), "error: it broke");
    assert_eq!(find(&format!("{rows}the end\n----\n")).unwrap(), "the end");
    assert_eq!(find("\n\n----"), None);
    assert!(find(&"é".repeat(1_000_000)).is_some());
}

#[test]
fn a_key_line_tells_of_an_error_unless_it_counts_none() {
    for line in [
        "error: it broke",
        "== 3 failed, 9 passed in 2s ==",
        "test result: FAILED. 3 passed; 1 failed; 0 ignored",
        "2 failing",
        "bash: x: command not found",
        "Traceback (most recent call last):",
    ] {
        assert!(key_line::shows_error(line), "{line}");
    }
    for line in
        ["12 passed, 0 failed", "test result: ok. 3 passed; 0 failed", "0 failing", "no failed runs", "done"]
    {
        assert!(!key_line::shows_error(line), "{line}");
    }
}

#[test]
fn a_reference_is_a_content_hash_of_64_bits() {
    let result =
        |text: &str| ToolResult { call_id: "a".into(), parts: vec![Part::Text(text.into())], is_error: None };
    assert_eq!(reference(&result("abc")), "ba7816bf8f01cfea");
    assert_ne!(reference(&result("abd")), reference(&result("abc")));
}

#[test]
fn a_shape_reads_back_from_its_own_json() {
    let raw = r#"{"role":"tool","tool_call_id":"\u0000x","name":"sh","content":"a\nb"}"#;
    let shape = shape(Format::OpenaiChat, raw).unwrap();
    let json = serde_json::to_string(&shape).unwrap();
    assert!(!json.contains('\0'));
    assert_eq!(serde_json::from_str::<Shape>(&json).unwrap(), shape);
    assert_eq!(serde_json::from_str::<Shape>("{}").unwrap(), Shape::default());
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    const TOKENS: &[&str] = &[
        "error: x", "3 passed", "1 failed", "Traceback", "\n", "\r\n", "----", "é", "汉字", "\u{1b}[31m",
        "a b c ", "/p/q.rs:3", "\t", "😀", "\u{0}",
    ];

    proptest! {
        #[test]
        fn a_key_line_is_one_short_line_that_stands_in_the_output(
            tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..400), cut in 0..8_usize,
        ) {
            let text = tokens.concat();
            let text = &text[..text.floor_char_boundary(text.len().saturating_sub(cut))];
            let key = key_line::find(text);
            if let Some(key) = &key {
                prop_assert!(key.chars().count() <= 121 && !key.contains('\n'), "{key:?}");
                let bare = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
                prop_assert!(bare(text).contains(&bare(key)), "{key:?}");
            }
            // What stands between the ends of a long output changes nothing.
            let ends = format!("{}\n{text}", "-\n".repeat(20_000));
            let filled = format!("{}\nmiddle of it\n{}\n{text}", "-\n".repeat(10_000), "-\n".repeat(10_000));
            prop_assert_eq!(key_line::find(&ends), key_line::find(&filled));
        }
    }
}
