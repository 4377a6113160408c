//! A small sample session that is compressed once to warm caches up.

use chrono::DateTime;

use super::{Material, check, draft, read};
use anchord_messages::message::{Message, Numbered, Part, Role, ToolCall, ToolResult};
use anchord_messages::tokens::TokenCounter;

/// Runs every step on a small session, so that vocabularies and patterns are compiled and warm in the calling
/// thread.
pub fn warm_up() {
    let material = sample();
    let facts = read(&material);
    let draft = draft(&material, &facts);
    let _ = check(&material, &facts, draft);
}

/// A session with everything that the ledger reads: calls, a shell, tests, errors, figures, demands.
pub(super) fn sample() -> Material {
    let text = |role, text: &str| Message { role, name: None, parts: vec![Part::Text(text.to_owned())] };
    let call = |id: &str, name: &str, arguments: &str| Message {
        role: Role::Assistant,
        name: None,
        parts: vec![Part::ToolCall(ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        })],
    };
    let result = |id: &str, output: &str| Message {
        role: Role::Tool,
        name: None,
        parts: vec![Part::ToolResult(ToolResult {
            call_id: id.into(),
            parts: vec![Part::Text(output.to_owned())],
            is_error: None,
        })],
    };
    let messages = [
        text(
            Role::User,
            "Fix the login in src/auth.rs of v1.2.3. You must never touch https://example.com:8080.",
        ),
        call("a", "Read", r#"{"file_path": "/work/src/auth.rs"}"#),
        result("a", "fn login() {}\n"),
        call("b", "Bash", r#"{"command": "cd /work && cargo test 2>&1 | tail -20"}"#),
        result(
            "b",
            "error[E0308]: mismatched types\n --> src/auth.rs:3:5\ntest result: FAILED. 3 passed; 1 failed",
        ),
        call(
            "c",
            "Edit",
            r#"{"file_path": "/work/src/auth.rs", "old_string": "a", "new_string": "fn b() {}"}"#,
        ),
        result("c", "The file has been updated."),
        text(
            Role::Assistant,
            "I decided to use tokens because sessions need state. We’ll keep them – it’s simpler. Next, I will run the tests.\n\n```bash\npytest -q\n```",
        ),
        text(
            Role::User,
            "<returncode>1</returncode>\n<output>\nTypeError: x is not a function\n2 failed, 1 passed in 0.12s\n</output>",
        ),
    ];
    let span: Vec<Numbered> = (1..).zip(messages).map(|(seq, message)| Numbered { seq, message }).collect();
    Material::first(span, 10_000, TokenCounter::default(), DateTime::UNIX_EPOCH)
}
