//! Each log in its public shape, told by itself.

use serde_json::{Value, json};

use super::*;
use crate::domain::message::Role;

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
        (format!("{good}\n{good}\n{{\"role\":"), 3, "not a message"),
        ("[\n{\"role\": \"user\"".to_owned(), 2, "not an array of messages"),
        ("{\"type\":\"user\",\"message\":{\"role\":\"user\"}}\n\n{\"type\"".to_owned(), 3, "Claude Code"),
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
