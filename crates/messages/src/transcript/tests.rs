//! Tests of each kind of log in its public form, and of its detection.

use serde_json::{Value, json};

use super::*;
use crate::message::Role;

fn transcript(text: &str) -> Transcript {
    read(text, None, None).unwrap()
}

fn raws(transcript: &Transcript) -> Vec<Value> {
    transcript.messages.iter().map(|logged| serde_json::from_str(&logged.raw).unwrap()).collect()
}

fn jsonl(lines: &[Value]) -> String {
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

#[test]
fn messages_come_in_an_array_an_object_or_lines() {
    let (user, answer) =
        (json!({"role": "user", "content": "a"}), json!({"role": "assistant", "content": "b"}));
    let array = json!([user, answer]).to_string();
    let object = json!({"model": "m", "id": 7, "messages": [user, answer]}).to_string();
    let input = json!({"input": [user, answer]}).to_string();
    let lines = jsonl(&[user.clone(), answer.clone()]);
    for text in [&array, &object, &input, &lines, &format!("\u{feff}{array}")] {
        let read = transcript(text);
        assert_eq!((read.log, read.format), (Log::Messages, Format::OpenaiChat), "{text}");
        assert_eq!(raws(&read), [user.clone(), answer.clone()]);
    }
    assert_eq!(transcript(&lines).messages[1].line, 2);
    let apart = r#"{"system": "be kind", "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1"}]}]}"#;
    let read = transcript(apart);
    assert_eq!((read.format, read.messages[0].message.role), (Format::Anthropic, Role::System));
    assert_eq!(read.messages[0].message.text(), "be kind");
}

#[test]
fn claude_code_joins_a_turns_lines_and_leaves_side_chains_out() {
    let text = jsonl(&[
        json!({"type": "summary", "summary": "Login", "leafUuid": "x"}),
        json!({"type": "user", "uuid": "1", "isSidechain": false, "message": {"role": "user", "content": "Fix it"}}),
        json!({"type": "assistant", "message": {"id": "m1", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "Looking."}]}}),
        json!({"type": "assistant", "message": {"id": "m1", "role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.rs"}}]}}),
        json!({"type": "user", "isSidechain": true, "message": {"role": "user", "content": "for another agent"}}),
        json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "fn a() {}"}]}, "toolUseResult": {"type": "text"}}),
        json!({"type": "system", "content": "hook ran", "level": "info"}),
        json!({"type": "assistant", "message": {"id": "m2", "role": "assistant", "content": "Done."}}),
    ]);
    let read = transcript(&text);
    assert_eq!((read.log, read.format), (Log::ClaudeCode, Format::Anthropic));
    let blocks = json!([{"type": "text", "text": "Looking."}, {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.rs"}}]);
    assert_eq!(
        raws(&read),
        [
            json!({"role": "user", "content": "Fix it"}),
            json!({"role": "assistant", "content": blocks}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "fn a() {}"}]}),
            json!({"role": "assistant", "content": "Done."}),
        ]
    );
    assert_eq!(read.messages.iter().map(|logged| logged.line).collect::<Vec<_>>(), [2, 3, 6, 8]);
}

#[test]
fn codex_rollouts_give_their_items() {
    let user =
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix it"}]});
    let call = json!({"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": "c1"});
    let output = json!({"type": "function_call_output", "call_id": "c1", "output": "a.rs"});
    let line = |payload: &Value| json!({"timestamp": "2026-01-02T03:04:05Z", "type": "response_item", "payload": payload});
    let text = jsonl(&[
        json!({"timestamp": "2026-01-02T03:04:05Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/w"}}),
        json!({"timestamp": "2026-01-02T03:04:05Z", "type": "event_msg", "payload": {"type": "user_message", "message": "Fix it"}}),
        line(&user),
        line(&json!({"type": "ghost_snapshot", "ghost_commit": {}})),
        line(&call),
        line(&output),
    ]);
    let read = transcript(&text);
    assert_eq!((read.log, read.format), (Log::Codex, Format::OpenaiResponses));
    assert_eq!(raws(&read), [user.clone(), call.clone(), output.clone()]);
    assert_eq!(read.messages[2].line, 6);
    let old = jsonl(&[
        json!({"id": "s", "timestamp": "2025-05-01T00:00:00Z", "instructions": null, "git": {}}),
        json!({"record_type": "state"}),
        user.clone(),
        call.clone(),
        output.clone(),
    ]);
    assert_eq!((transcript(&old).log, raws(&transcript(&old))), (Log::Codex, vec![user, call, output]));
}

#[test]
fn swe_agent_gives_its_history_without_demonstrations() {
    let call = json!([{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{\"command\": \"ls\"}"}}]);
    let text = json!({
        "environment": "e",
        "trajectory": [{"action": "ls", "observation": "a.py", "response": "Look", "thought": "Look"}],
        "history": [
            {"role": "system", "content": "You solve tasks.", "agent": "main", "message_type": "system_prompt"},
            {"role": "user", "content": "a demonstration", "agent": "main", "is_demo": true},
            {"role": "user", "content": [{"type": "text", "text": "Fix it"}], "agent": "main"},
            {"role": "assistant", "content": "Look", "thought": "Look", "action": "ls", "tool_calls": call, "agent": "main"},
            {"role": "tool", "content": [{"type": "text", "text": "a.py"}], "tool_call_ids": ["c1"], "agent": "main"},
            {"role": "assistant", "content": "Done", "tool_calls": null, "agent": "main"}
        ],
        "info": {"exit_status": "submitted"}
    });
    let read = transcript(&serde_json::to_string_pretty(&text).unwrap());
    assert_eq!((read.log, read.format), (Log::SweAgent, Format::OpenaiChat));
    assert_eq!(
        raws(&read),
        [
            json!({"role": "system", "content": "You solve tasks."}),
            json!({"role": "user", "content": [{"type": "text", "text": "Fix it"}]}),
            json!({"role": "assistant", "content": "Look", "tool_calls": call}),
            json!({"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "a.py"}]}),
            json!({"role": "assistant", "content": "Done"}),
        ]
    );
    assert!(read.messages[0].line > 10);
    let steps =
        json!({"trajectory": [{"action": "ls", "thought": "Look", "observation": "a.py", "response": ""}]});
    let steps = raws(&transcript(&steps.to_string()));
    assert_eq!(
        steps,
        [json!({"role": "assistant", "content": "Look\nls"}), json!({"role": "user", "content": "a.py"})]
    );
    let mini = json!({"trajectory_format": "mini", "messages": [{"role": "user", "content": "a", "extra": {}}], "info": {}});
    assert_eq!(transcript(&mini.to_string()).log, Log::Messages);
}

#[test]
fn openhands_events_are_calls_and_their_results() {
    let arguments = "{\"command\": \"ls\"}";
    let model_response = json!({"id": "r1", "choices": [{"message": {"role": "assistant", "tool_calls": [
        {"id": "t1", "type": "function", "function": {"name": "execute_bash", "arguments": arguments}}]}}]});
    let metadata =
        json!({"function_name": "execute_bash", "tool_call_id": "t1", "model_response": model_response});
    let events = [
        json!({"id": 0, "source": "agent", "action": "system", "args": {"content": "You are an agent."}}),
        json!({"id": 1, "source": "user", "action": "message", "args": {"content": "Fix it", "image_urls": null}}),
        json!({"id": 2, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}}),
        json!({"id": 3, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "Look."}, "tool_call_metadata": metadata}),
        json!({"id": 4, "source": "agent", "observation": "run", "cause": 3, "content": "a.py", "extras": {"metadata": {"exit_code": 0}}}),
        json!({"id": 5, "source": "agent", "action": "write", "args": {"path": "a.py", "content": "x", "thought": ""}}),
        json!({"id": 6, "source": "agent", "observation": "write", "cause": 5, "content": "written", "extras": {}}),
        json!({"id": 7, "source": "agent", "action": "finish", "args": {"final_thought": "Done."}}),
    ];
    let expected = [
        json!({"role": "system", "content": "You are an agent."}),
        json!({"role": "user", "content": "Fix it"}),
        json!({"role": "assistant", "content": "Look.", "tool_calls": [
            {"id": "t1", "type": "function", "function": {"name": "execute_bash", "arguments": arguments}}]}),
        json!({"role": "tool", "tool_call_id": "t1", "content": "a.py\n[Command finished with exit code 0]"}),
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": "event_5", "type": "function", "function":
            {"name": "str_replace_editor", "arguments": "{\"path\":\"a.py\",\"file_text\":\"x\",\"command\":\"create\"}"}}]}),
        json!({"role": "tool", "tool_call_id": "event_5", "content": "written"}),
        json!({"role": "assistant", "content": "Done."}),
    ];
    for text in [
        json!(events).to_string(),
        json!({"instance_id": "i", "history": events}).to_string(),
        jsonl(&events),
    ] {
        let read = transcript(&text);
        assert_eq!((read.log, read.format), (Log::Openhands, Format::OpenaiChat));
        assert_eq!(raws(&read), expected);
    }
}

#[test]
fn later_openhands_events_are_told_by_their_kind() {
    let action = |id: &str| {
        json!({"kind": "ActionEvent", "source": "agent", "thought": [{"type": "text", "text": "Look."}], "tool_name": "terminal",
            "tool_call_id": id, "llm_response_id": "r1", "tool_call": {"id": id, "name": "terminal", "arguments": "{\"command\":\"ls\"}"}})
    };
    let observation = |id: &str| {
        json!({"kind": "ObservationEvent", "source": "environment", "tool_name": "terminal", "tool_call_id": id,
            "observation": {"content": [{"type": "text", "text": "a.py"}]}})
    };
    let text = jsonl(&[
        json!({"kind": "SystemPromptEvent", "source": "agent", "system_prompt": {"type": "text", "text": "You are."}, "tools": []}),
        json!({"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "Fix it"}]}}),
        action("t1"),
        action("t2"),
        observation("t1"),
        observation("t2"),
    ]);
    let read = transcript(&text);
    assert_eq!(read.log, Log::Openhands);
    let roles: Vec<Role> = read.messages.iter().map(|logged| logged.message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::Tool, Role::Tool]);
    assert_eq!(raws(&read)[2]["tool_calls"].as_array().map(Vec::len), Some(2));
    assert_eq!(raws(&read)[3], json!({"role": "tool", "tool_call_id": "t1", "content": "a.py"}));
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    let good = r#"{"role":"user","content":"a"}"#;
    for (text, line, detail) in [
        (String::new(), 1, "not an object with messages"),
        ("{}".to_owned(), 1, "missing field `messages`"),
        ("[]".to_owned(), 1, "no messages"),
        (format!("[\n{good},\n{{\"role\":\"cook\"}}]"), 3, "not a message in the format openai-chat"),
        (format!("{good}\n{{\"role\":\n{good}"), 2, "not a message"),
        ("[\n{\"role\": \"user\"".to_owned(), 2, "not an array of messages"),
        ("{\"type\":\"user\",\"message\":{\"role\":\"user\"}}\n\n{\"type\"]".to_owned(), 3, "Claude Code"),
        ("{\"type\":\"user\",\"message\":{}}".to_owned(), 1, "missing field `role`"),
        ("{\"history\":[],\"trajectory\":[\n{}]}".to_owned(), 2, "a step without"),
        ("{\"type\":\"session_meta\",\"payload\":{}}\n".to_owned(), 1, "no messages"),
    ] {
        let error = read(&text, None, None).unwrap_err();
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.detail.contains(detail), "{text}: {error}");
    }
    let said = read("7", Some(Log::Codex), None).unwrap_err();
    assert!(said.detail.contains("a line of a Codex rollout"), "{said}");
}

#[test]
fn a_last_line_that_breaks_off_is_left_out_and_told() {
    let said = r#"{"type":"user","uuid":"1","message":{"role":"user","content":"a"}}"#;
    let read = transcript(&format!("{said}\r\n{{\"type\":\"assistant\",\"mess"));
    assert_eq!(
        (read.messages.len(), read.told_left_out().unwrap().as_str()),
        (1, "a last line that breaks off (1)")
    );
    let good = r#"{"role":"user","content":"a"}"#;
    let read = transcript(&format!("\u{feff}{good}\r\n{good}\r\n{{\"role\":\"us"));
    assert_eq!((read.messages.len(), read.left_out.len()), (2, 1));
    assert!(super::read("{\"type\":\"us", None, None).is_err(), "nothing was before it");
}

#[test]
fn claude_code_keeps_thinking_images_and_what_a_compaction_told() {
    let blocks = json!([
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
    ]);
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}});
    let text = jsonl(&[
        json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}),
        json!({"type": "user", "uuid": "1", "isCompactSummary": true, "message": {"role": "user", "content": "So far: a login."}}),
        json!({"type": "assistant", "uuid": "2", "message": {"id": "m", "role": "assistant", "content": blocks}}),
        json!({"type": "user", "uuid": "3", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]}}),
        json!({"type": "assistant", "uuid": "4", "message": {"id": "m", "role": "assistant", "content": [{"type": "tool_use", "id": "t2", "name": "Read", "input": {}}]}}),
        json!({"type": "user", "uuid": "5", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": [image]}]}}),
        json!({"type": "user", "uuid": "5", "message": {"role": "user", "content": "again"}}),
        json!({"type": "assistant", "isApiErrorMessage": true, "message": {"role": "assistant", "content": "API Error"}}),
        json!({"type": "user", "isSidechain": true, "message": {"role": "user", "content": "for another"}}),
        json!({"type": "a-kind-of-tomorrow", "data": 1}),
    ]);
    let read = transcript(&text);
    let raws = raws(&read);
    assert_eq!(raws.len(), 4, "{raws:?}");
    assert_eq!(raws[0]["content"], "So far: a login.");
    let kinds: Vec<&str> =
        raws[1]["content"].as_array().unwrap().iter().map(|b| b["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["thinking", "tool_use", "tool_use"], "parallel calls are one message");
    assert_eq!(raws[3]["content"][0]["content"][0]["type"], "image");
    let left: Vec<(&str, usize)> =
        read.left_out.iter().map(|(what, count)| (what.as_str(), *count)).collect();
    let expected = [
        ("a-kind-of-tomorrow", 1),
        ("errors of the API", 1),
        ("lines that are there twice", 1),
        ("side chains", 1),
        ("system", 1),
    ];
    assert_eq!(left, expected);
}

#[test]
fn codex_counts_what_is_no_item_and_knows_an_early_head() {
    let user =
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix it"}]});
    let text = jsonl(&[
        json!({"timestamp": "t", "type": "session_meta", "payload": {"id": "s"}}),
        json!({"timestamp": "t", "type": "response_item", "payload": user}),
        json!({"timestamp": "t", "type": "compacted", "payload": {"message": "So far."}}),
        json!({"timestamp": "t", "type": "event_msg", "payload": {"type": "token_count"}}),
        json!({"timestamp": "t", "type": "response_item", "payload": {"type": "ghost_snapshot"}}),
    ]);
    let read = transcript(&text);
    assert_eq!(
        read.told_left_out().unwrap(),
        "compacted (1), event_msg (1), ghost_snapshot (1), session_meta (1)"
    );
    let early = jsonl(&[json!({"id": "s", "timestamp": "t", "instructions": null}), user]);
    assert_eq!(transcript(&early).log, Log::Codex);
}

#[test]
fn a_request_keeps_its_instructions_and_a_single_input() {
    let text = json!({"model": "m", "instructions": "be kind", "input": "Hello"}).to_string();
    let read = transcript(&text);
    assert_eq!(
        raws(&read),
        [json!({"role": "system", "content": "be kind"}), json!({"role": "user", "content": "Hello"})]
    );
}

#[test]
fn openhands_keeps_images_and_rejections_and_answers_only_calls() {
    let call = json!({"id": "t1", "name": "terminal", "arguments": "{}"});
    let text = jsonl(&[
        json!({"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [
            {"type": "text", "text": "Look"}, {"type": "image", "image_urls": ["data:image/png;base64,aGk="]}]}}),
        json!({"kind": "ActionEvent", "source": "agent", "tool_name": "terminal", "tool_call_id": "t1", "tool_call": call}),
        json!({"kind": "UserRejectObservation", "tool_call_id": "t1", "rejection_reason": "Not now"}),
        json!({"kind": "ObservationEvent", "tool_call_id": "t9", "observation": {"content": [{"type": "text", "text": "stray"}]}}),
        json!({"kind": "Condensation", "summary": "So far"}),
        json!({"kind": "ConversationStateUpdateEvent", "key": "x"}),
    ]);
    let read = transcript(&text);
    let raws = raws(&read);
    assert_eq!(raws[0]["content"][1]["image_url"]["url"], "data:image/png;base64,aGk=");
    assert_eq!(raws[2], json!({"role": "tool", "tool_call_id": "t1", "content": "Not now"}));
    assert_eq!(raws[3], json!({"role": "user", "content": "stray"}));
    assert_eq!(read.told_left_out().unwrap(), "Condensation (1), ConversationStateUpdateEvent (1)");
}

/// One line of each log with a text that is nowhere else; whether it is a message is for the reader to say.
fn line(log: Log, kind: usize, mark: &str) -> Value {
    let call = json!({"type": "function_call", "call_id": mark, "name": "f", "arguments": "{}"});
    match (log, kind % 5) {
        (Log::ClaudeCode, 0) => json!({"type": "user", "message": {"role": "user", "content": mark}}),
        (Log::ClaudeCode, 1) => {
            json!({"type": "assistant", "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": mark}]}})
        }
        (Log::ClaudeCode, 2) => {
            json!({"type": "user", "isSidechain": true, "message": {"role": "user", "content": mark}})
        }
        (Log::ClaudeCode, 3) => json!({"type": "summary", "summary": mark}),
        (Log::ClaudeCode, _) => json!({"type": mark, "message": {"role": "user", "content": mark}}),
        (Log::Codex, 0) => {
            json!({"type": "response_item", "payload": {"type": "message", "role": "user", "content": mark}})
        }
        (Log::Codex, 1) => json!({"type": "response_item", "payload": call}),
        (Log::Codex, 2) => json!({"type": "compacted", "payload": {"message": mark}}),
        (Log::Codex, 3) => json!({"type": "response_item", "payload": {"type": mark}}),
        (Log::Codex, _) => {
            json!({"type": "event_msg", "payload": {"type": "agent_message", "message": mark}})
        }
        (_, 0) => json!({"source": "user", "action": "message", "args": {"content": mark}}),
        (_, 1) => json!({"source": "agent", "action": "run", "id": mark, "args": {"command": mark}}),
        (_, 2) => json!({"source": "agent", "observation": "run", "cause": 1, "content": mark}),
        (_, 3) => json!({"source": "agent", "observation": mark, "content": mark}),
        (_, _) => json!({"source": "agent", "action": "condensation", "args": {"summary": mark}}),
    }
}

proptest::proptest! {
    #[test]
    fn no_text_is_lost_silently(kinds in proptest::collection::vec(0..5usize, 1..40), cut in proptest::bool::ANY) {
        for log in [Log::ClaudeCode, Log::Codex, Log::Openhands] {
            let marks: Vec<String> = (0..=kinds.len()).map(|n| format!("mark_{n}_")).collect();
            let mut all = vec![line(log, 0, &marks[0])];
            all.extend(kinds.iter().zip(&marks[1..]).map(|(kind, mark)| line(log, *kind, mark)));
            let mut text = jsonl(&all);
            if cut {
                text.push_str("{\"type\":\"user");
            }
            let read = super::read(&text, Some(log), None).unwrap();
            let said: String = read.messages.iter().map(|logged| logged.raw.as_str()).collect();
            let unsaid = marks.iter().filter(|mark| !said.contains(mark.as_str())).count();
            let left: usize = read.left_out.values().sum();
            proptest::prop_assert_eq!(left, unsaid + usize::from(cut));
            proptest::prop_assert!(read.left_out.len() <= 21);
        }
    }
}
