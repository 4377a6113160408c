//! Identifiers under the keys of JSON arguments and answers.

use serde_json::Value;

use super::Hit;

/// The largest JSON text that is parsed, in bytes.
const MAX_JSON: usize = 512 * 1024;
/// The most values taken from one JSON text.
const MAX_HITS: usize = 200;
/// The deepest nesting followed.
const MAX_DEPTH: u8 = 12;

/// Scalars whose keys say that they identify or measure something; `tool` names a bare `id`.
pub(super) fn scalars(text: &str, tool: Option<&str>) -> Vec<Hit> {
    if text.len() > MAX_JSON {
        return Vec::new();
    }
    let Ok(value) = serde_json::from_str::<Value>(text.trim()) else { return Vec::new() };
    let mut hits = Vec::new();
    walk(&value, "", tool, 0, &mut hits);
    hits
}

fn walk(value: &Value, key: &str, tool: Option<&str>, depth: u8, hits: &mut Vec<Hit>) {
    if depth > MAX_DEPTH || hits.len() >= MAX_HITS {
        return;
    }
    match value {
        Value::Object(object) => {
            for (name, inner) in object {
                // `{"order": {"id": 7}}` is an order's id.
                let path = if name == "id" && !key.is_empty() {
                    format!("{}_id", singular(key))
                } else {
                    name.clone()
                };
                walk(inner, &path, tool, depth + 1, hits);
            }
        }
        Value::Array(items) => {
            for item in items {
                walk(item, singular(key), tool, depth + 1, hits);
            }
        }
        Value::String(text) => push(key, text.trim(), tool, hits),
        Value::Number(number) => push(key, &number.to_string(), tool, hits),
        Value::Null | Value::Bool(_) => {}
    }
}

fn singular(key: &str) -> &str {
    key.strip_suffix('s').filter(|k| k.len() > 2 && !k.ends_with('s')).unwrap_or(key)
}

fn push(key: &str, value: &str, tool: Option<&str>, hits: &mut Vec<Hit>) {
    let Some(weight) = weight(key) else { return };
    if !is_identifier(value) || is_secret_name(key) {
        return;
    }
    let mut key = snake(key);
    if key == "id"
        && let Some(noun) = tool.and_then(|t| t.rsplit(['_', '.', '-']).next()).filter(|n| n.len() > 2)
    {
        key = format!("{}_id", singular(&snake(noun)));
    }
    hits.push(Hit { key, value: value.to_owned(), weight });
}

/// `orderId` as `order_id`.
fn snake(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 4);
    let mut before = '_';
    for c in key.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
        before = c;
    }
    out
}

/// How telling a key is; `None` when it names no identifier.
fn weight(key: &str) -> Option<u32> {
    let key = snake(key);
    if matches!(
        key.as_str(),
        "tool_use_id"
            | "call_id"
            | "tool_call_id"
            | "request_id"
            | "trace_id"
            | "span_id"
            | "message_id"
            | "parent_id"
            | "agent_id"
            | "shell_id"
            | "task_id"
            | "cell_id"
            | "line_number"
            | "total_lines"
            | "start_line"
            | "timeout"
            | "postal_code"
            | "zip"
            | "zip_code"
            | "status_code"
            | "error_code"
            | "exit_code"
            | "country_code"
            | "currency_code"
            | "language_code"
    ) {
        return None;
    }
    let last = key.rsplit(['_', '-', '.']).next().unwrap_or(&key);
    match last {
        "id" | "ids" | "uuid" | "guid" | "number" | "no" | "code" | "ref" | "reference" | "sku" | "pnr"
        | "iban" | "ticket" | "isbn" | "email" | "username" => Some(4),
        "amount" | "price" | "total" | "balance" | "cost" | "fee" | "refund" | "currency" | "quantity"
        | "url" | "uri" | "href" | "link" => Some(2),
        "branch" | "sha" | "commit" | "version" | "port" | "host" | "hostname" | "endpoint" | "model"
        | "region" | "bucket" | "database" | "identifier" | "slug" | "tag" => Some(3),
        "date" | "deadline" | "due" | "phone" | "time" => Some(1),
        _ => None,
    }
}

fn is_secret_name(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["token", "secret", "password", "passwd", "api_key", "apikey"].iter().any(|s| key.contains(s))
}

/// Whether a value is short enough to be named and holds more than a word.
fn is_identifier(value: &str) -> bool {
    let length = value.chars().count();
    (1..=160).contains(&length)
        && !value.contains(['\n', '\r'])
        && value.split_whitespace().count() <= 4
        && !matches!(value, "0" | "null" | "none" | "None" | "true" | "false" | "-1")
        && value.chars().any(char::is_alphanumeric)
}
