//! Messages that tests fill their sessions with.

use serde_json::{Value, json};

/// So many messages by user and assistant in turn; `text` gives each its words.
pub fn turns(messages: usize, text: impl Fn(usize) -> String) -> Vec<Value> {
    let role = |i: usize| if i.is_multiple_of(2) { "user" } else { "assistant" };
    (0..messages).map(|i| json!({"role": role(i), "content": text(i)})).collect()
}

/// A call of a tool with its output.
pub fn called(id: &str, tool: &str, arguments: &Value, output: &str) -> [Value; 2] {
    let function = json!({"name": tool, "arguments": arguments.to_string()});
    let call = json!({"id": id, "type": "function", "function": function});
    [
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": id, "content": output}),
    ]
}
