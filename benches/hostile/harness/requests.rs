//! Requests as large as the OpenAPI document allows, one set for each of its operations.

use std::cell::Cell;
use std::fmt::Write as _;

use anyhow::Context as _;
use axum::body::Bytes;
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::table::{self, Entry};

/// What the service takes at most.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of a body.
    pub body: usize,
    /// Bytes of a message.
    pub message: usize,
    /// Messages of a batch.
    pub batch: usize,
}

/// An operation with the requests that drive it.
#[derive(Clone, Debug)]
pub struct Operation {
    pub id: String,
    pub method: Method,
    pub path: String,
    /// The group of the document that it belongs to.
    pub tag: String,
    pub is_operators: bool,
    pub variants: Vec<Variant>,
    pub entry: Entry,
}

/// A request but for the ids in its path and its idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    pub name: &'static str,
    /// With its question mark.
    pub query: String,
    pub headers: Vec<(String, String)>,
    pub media_type: Option<String>,
    pub body: Bytes,
}

/// Characters of a message in a list of the gateway's.
const MESSAGE: usize = 4_000;

/// Where agents' turns go.
pub const TURNS: &str = "/gateway/openai/v1/chat/completions";

/// Turns of agents through the gateway, which the document does not have: a list as large as a body may be, and many
/// conversations of their own.
pub fn turns(bounds: Bounds) -> Operation {
    let list = |bytes: usize, first: &str| {
        let parts = (bytes / MESSAGE).max(1);
        let mut messages = vec![json!({"role": "user", "content": first})];
        for part in 0..parts {
            let role = if part % 2 == 0 { "assistant" } else { "user" };
            messages.push(json!({"role": role, "content": text(MESSAGE, part)}));
        }
        json!({"model": "gpt-4o", "messages": messages, "stream": true}).to_string()
    };
    let variant = |name, body: String| Variant {
        name,
        query: String::new(),
        headers: Vec::new(),
        media_type: Some("application/json".to_owned()),
        body: body.into(),
    };
    let variants = vec![
        variant("largest list", list(bounds.body / 5 * 4, "Begin with everything.")),
        variant("conversation of its own", list(32 * 1024, "Begin with 7654321.")),
    ];
    Operation {
        id: "gateway.turn".to_owned(),
        method: Method::POST,
        path: TURNS.to_owned(),
        tag: "gateway".to_owned(),
        is_operators: false,
        variants,
        entry: table::entry("gateway.turn"),
    }
}

/// How a variant fills what a schema leaves open.
#[derive(Clone, Copy, Debug)]
struct Shape {
    name: &'static str,
    /// Bytes of the body.
    bytes: usize,
    /// Messages of a batch, and items of any other list that may have as many.
    messages: usize,
    /// Whether fields and parameters that are not required come along.
    has_optional: bool,
    arguments: Arguments,
}

/// What calls have as their arguments.
#[derive(Clone, Copy, Debug)]
enum Arguments {
    /// A command; the length is in what is said beside the call.
    Command,
    /// A list of as many values as there is room for.
    List,
    /// Objects in objects, as many as are just read into values, in as many calls as there is room for.
    Objects,
    /// Scripts of which little is written and much is read.
    Scripts,
}

/// Values that are just read: arguments with more are a text like any other.
const MOST_OBJECTS: usize = 24_000;
/// As deep as is read, nearly.
const DEPTH: usize = 100;

/// Reads the operations of a document.
pub fn operations(document: &Value, bounds: Bounds) -> anyhow::Result<Vec<Operation>> {
    let mut all = Vec::new();
    let paths = document.get("paths").and_then(Value::as_object).context("paths")?;
    for (path, item) in paths {
        for (method, declared) in item.as_object().context("a path's item")? {
            all.push(operation(document, (path, method, declared), bounds)?);
        }
    }
    Ok(all)
}

fn operation(
    document: &Value,
    (path, method, declared): (&str, &str, &Value),
    bounds: Bounds,
) -> anyhow::Result<Operation> {
    let id = declared.get("operationId").and_then(Value::as_str).context("an operationId")?;
    let entry = table::entry(id);
    let few = bounds.body.div_ceil(bounds.message);
    let many = Shape {
        name: "many",
        bytes: bounds.body,
        messages: bounds.batch,
        has_optional: true,
        arguments: Arguments::Command,
    };
    let modest = Shape { name: "modest", bytes: 16 * 1024, messages: 20, ..many };
    let shapes = [
        many,
        Shape { name: "large", messages: few, arguments: Arguments::List, ..many },
        Shape { name: "deep", messages: few, arguments: Arguments::Objects, ..many },
        Shape { name: "scripts", arguments: Arguments::Scripts, ..many },
        Shape { name: "least", has_optional: false, ..many },
        modest,
        Shape { name: "modest least", has_optional: false, ..modest },
    ];
    let mut variants: Vec<Variant> = Vec::new();
    for shape in shapes {
        let made = variant(document, declared, (shape, bounds, &entry))?;
        let is_like = |other: &Variant| Variant { name: other.name, ..made.clone() } == *other;
        if !variants.iter().any(is_like) {
            variants.push(made);
        }
    }
    let tag = declared.pointer("/tags/0").and_then(Value::as_str).unwrap_or_default();
    Ok(Operation {
        id: id.to_owned(),
        method: method.to_uppercase().parse()?,
        path: path.to_owned(),
        tag: tag.to_owned(),
        is_operators: path.starts_with("/v1/admin") || path == "/metrics",
        variants,
        entry,
    })
}

fn variant(
    document: &Value,
    declared: &Value,
    (shape, bounds, entry): (Shape, Bounds, &Entry),
) -> anyhow::Result<Variant> {
    let mut made = Variant {
        name: shape.name,
        query: String::new(),
        headers: Vec::new(),
        media_type: None,
        body: Bytes::new(),
    };
    let mut query = form_urlencoded::Serializer::new(String::new());
    for parameter in declared.get("parameters").and_then(Value::as_array).into_iter().flatten() {
        let name = parameter.get("name").and_then(Value::as_str).context("a name")?;
        let is_required = parameter.get("required") == Some(&Value::Bool(true));
        let given = entry.given(name);
        let is_open = given.is_some() || !entry.leaves_out(name);
        let is_wanted = is_required || entry.with.contains(&name) || (shape.has_optional && is_open);
        let place = parameter.get("in").and_then(Value::as_str).unwrap_or_default();
        // Names in a path are filled in for each request, and so is the idempotency key.
        if place == "path" || name == "Idempotency-Key" || !is_wanted {
            continue;
        }
        let maker =
            Maker { document, shape, bounds, entry, free: 0, open: Cell::new(0), strings: Cell::new(0) };
        let value = given.unwrap_or_else(|| maker.value(parameter.get("schema").unwrap_or(&Value::Null)));
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        // A list in a query is one value, separated by commas.
        let value = value
            .as_array()
            .map_or_else(|| text(&value), |items| items.iter().map(text).collect::<Vec<_>>().join(","));
        if place == "query" {
            query.append_pair(name, &value);
        } else {
            made.headers.push((name.to_owned(), value));
        }
    }
    let query = query.finish();
    if !query.is_empty() {
        made.query = format!("?{query}");
    }
    let content = declared.pointer("/requestBody/content").and_then(Value::as_object);
    if let Some((media_type, content)) = content.and_then(|content| content.iter().next()) {
        let schema = content.get("schema").unwrap_or(&Value::Null);
        // Strings without a bound share what the rest leaves of the body: first it is written without them.
        let empty =
            Maker { document, shape, bounds, entry, free: 0, open: Cell::new(0), strings: Cell::new(0) };
        let length = body(&empty, schema, media_type).len();
        let open = empty.open.get().max(1);
        // A part of it is for line ends, which JSON writes with two characters.
        let free = shape.bytes.saturating_sub(length) / open * 97 / 100;
        let full = Maker { free, ..empty };
        made.body = body(&full, schema, media_type).into();
        made.media_type = Some(media_type.clone());
    }
    Ok(made)
}

fn body(maker: &Maker<'_>, schema: &Value, media_type: &str) -> String {
    if media_type != "application/x-ndjson" {
        return maker.value(schema).to_string();
    }
    let messages = maker.messages(maker.shape.messages);
    let mut lines = String::from("{\"kind\":\"session\",\"format_version\":1}\n");
    for (seq, message) in (1..).zip(&messages) {
        let line = json!({"kind": "message", "seq": seq, "format": "openai-chat", "message": message});
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "{line}");
    }
    let _ = writeln!(lines, "{}", json!({"kind": "end", "messages": messages.len()}));
    lines
}

/// Writes values for schemas.
#[derive(Debug)]
struct Maker<'a> {
    document: &'a Value,
    shape: Shape,
    bounds: Bounds,
    entry: &'a Entry,
    /// The length of a string without a bound.
    free: usize,
    /// How many of them there were.
    open: Cell<usize>,
    /// How many strings there were, so that no two are the same.
    strings: Cell<usize>,
}

impl Maker<'_> {
    fn value(&self, schema: &Value) -> Value {
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let found = self.document.pointer(target.trim_start_matches('#'));
            return found.map_or(Value::Null, |schema| self.value(schema));
        }
        if let Some(choice) = schema.pointer("/oneOf/0").or_else(|| schema.pointer("/anyOf/0")) {
            return self.value(choice);
        }
        if let Some(word) = schema.pointer("/enum/0") {
            return word.clone();
        }
        let kind = schema.get("type");
        // Of a type or nothing, the type.
        let kind = kind.and_then(Value::as_str).or_else(|| kind?.get(0)?.as_str());
        match kind {
            Some("object") => self.object(schema),
            Some("array") => self.array(schema),
            Some("string") => self.string(schema),
            Some("integer") => most(schema).unwrap_or_else(|| json!(1)),
            Some("number") => most(schema).unwrap_or_else(|| json!(0.5)),
            Some("boolean") => Value::Bool(true),
            _ => Value::Null,
        }
    }

    fn object(&self, schema: &Value) -> Value {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut made = Map::new();
        for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let is_required = required.contains(&name.as_str());
            let given = self.entry.given(name);
            let is_open = given.is_some() || !self.entry.leaves_out(name);
            let is_wanted = is_required || self.entry.with.contains(&name.as_str());
            if is_wanted || (self.shape.has_optional && is_open) {
                made.insert(name.clone(), given.unwrap_or_else(|| self.value(field)));
            }
        }
        Value::Object(made)
    }

    fn array(&self, schema: &Value) -> Value {
        let items = schema.get("items").unwrap_or(&Value::Null);
        let most = schema.get("maxItems").and_then(Value::as_u64).and_then(|most| usize::try_from(most).ok());
        let target = items.get("$ref").and_then(Value::as_str).unwrap_or_default();
        if target.ends_with("/Message") {
            return self.messages(self.shape.messages.min(most.unwrap_or(usize::MAX))).into();
        }
        let words = self.document.pointer(target.trim_start_matches('#')).and_then(|named| named.get("enum"));
        if let Some(words) = words {
            return words.clone();
        }
        let count = most.unwrap_or(1).min(self.shape.messages);
        (0..count).map(|_| self.value(items)).collect()
    }

    fn string(&self, schema: &Value) -> Value {
        match schema.get("format").and_then(Value::as_str) {
            Some("date-time") => return json!("2035-01-01T00:00:00Z"),
            Some("date") => return json!("2035-01-01"),
            Some("uri") => return json!(format!("https://example.com/{}", "a".repeat(2_000))),
            _ => {}
        }
        let most =
            schema.get("maxLength").and_then(Value::as_u64).and_then(|most| usize::try_from(most).ok());
        let pattern = schema.get("pattern").and_then(Value::as_str).unwrap_or_default();
        // A pattern that forbids NUL alone takes any text; the others are names.
        if !pattern.is_empty() && !pattern.contains("\\u0000") {
            return Value::String("a".repeat(most.unwrap_or_else(|| self.one_open())));
        }
        let number = self.strings.replace(self.strings.get() + 1);
        let Some(most) = most else { return Value::String(text(self.one_open(), number * 1_000)) };
        // What has a bound is a name or a sentence.
        Value::String(text(most, number * 1_000).replace('\n', " "))
    }

    fn one_open(&self) -> usize {
        self.open.set(self.open.get() + 1);
        self.free
    }

    /// A conversation: questions, calls of a tool with what they gave, and answers.
    fn messages(&self, count: usize) -> Vec<Value> {
        // Of a message, the part that is not its text stays below this.
        let most = self.bounds.message * 97 / 100 - 300;
        let message = |place: usize| {
            let text = text(self.one_open().min(most), place * 1_000);
            match place % 4 {
                0 => json!({"role": "user", "content": text}),
                1 if place + 1 < count => {
                    let (said, arguments) = self.calls(place, text);
                    let call = |(number, arguments): (usize, String)| {
                        let id = if number == 0 {
                            format!("call_{place}")
                        } else {
                            format!("call_{place}_{number}")
                        };
                        json!({"id": id, "type": "function", "function": {"name": "bash", "arguments": arguments}})
                    };
                    let calls: Vec<Value> = (0..).zip(arguments).map(call).collect();
                    json!({"role": "assistant", "content": said, "tool_calls": calls})
                }
                2 => json!({"role": "tool", "tool_call_id": format!("call_{}", place - 1), "content": text}),
                _ => json!({"role": "assistant", "content": text}),
            }
        };
        (0..count).map(message).collect()
    }

    /// What is said in a message with calls, and the arguments of each call.
    fn calls(&self, place: usize, text: String) -> (String, Vec<String>) {
        let list = |one: &str, times: usize| format!(r#"{{"list":[{}0]}}"#, one.repeat(times));
        match self.shape.arguments {
            Arguments::Command => (text, vec![r#"{"command":"cargo test --workspace"}"#.to_owned()]),
            Arguments::List => (String::new(), vec![list("0,", text.len() / 2)]),
            Arguments::Objects => {
                let nest = format!("{}0{},", r#"{"":"#.repeat(DEPTH), "}".repeat(DEPTH));
                // Each sign is written with a second one before its quotes.
                let room = text.len() / (nest.len() + 2 * DEPTH);
                let each = room.clamp(1, MOST_OBJECTS / (DEPTH + 1));
                (String::new(), vec![list(&nest, each); (room / each).max(1)])
            }
            Arguments::Scripts => {
                let many = |one: &str, of: usize| one.repeat(text.len() / of / one.len());
                let script = match place / 4 % 4 {
                    0 => many("a;", 1),
                    1 => format!("rm {}", many("a.c ", 1)),
                    2 => format!("sh -c '{}' {}", many("a;", 2), many("|b", 2)),
                    _ => many("mv a.c b.c; mv b.c a.c; ", 1),
                };
                (String::new(), vec![json!({ "command": script }).to_string()])
            }
        }
    }
}

fn most(schema: &Value) -> Option<Value> {
    schema.get("maximum").or_else(|| schema.get("minimum")).cloned()
}

/// A text of exactly so many bytes, in lines like those of a tool's output, from some line on.
pub fn text(length: usize, from: usize) -> String {
    let mut text = String::with_capacity(length + 128);
    let mut line = from;
    while text.len() < length {
        let number = line.wrapping_mul(2_654_435_761) % 9_973;
        // Writing to a String cannot fail.
        let _ = match line % 5 {
            0 => writeln!(
                text,
                "src/part_{}/file_{number}.rs:{line}: error[E{number:04}]: expected a value",
                line % 97
            ),
            1 => writeln!(
                text,
                "You must always keep port {number} open; never push to main before the review."
            ),
            2 => writeln!(
                text,
                "test tests::case_{number} ... {}",
                if number.is_multiple_of(7) { "FAILED" } else { "ok" }
            ),
            3 => writeln!(text, "$ cd /srv/app_{number} && cargo test --lib case_{number} | tail -n 20"),
            _ => writeln!(
                text,
                "the worker {number:08x} keeps its lease until {line}, then https://example.com/{number}"
            ),
        };
        line += 1;
    }
    text.truncate(length);
    // No name may end in a space.
    if text.ends_with(char::is_whitespace) {
        text.pop();
        text.push('.');
    }
    text
}
