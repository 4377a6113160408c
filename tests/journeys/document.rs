//! The OpenAPI document: it is the committed one, it is complete, and what it lists keeps tenants apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::compressions::app_with_session;
use crate::support::app::COMPRESS;
use crate::support::app::{THEIRS, app};

fn document() -> Value {
    anchord_http::openapi()
}

/// The Rust files of a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// The names under which a source's types stand in the document.
fn schema_names(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for derived in code.split("#[derive(").skip(1) {
        let Some((traits, after)) = derived.split_once(")]") else { continue };
        let declared = ["struct ", "enum "].into_iter().filter_map(|kind| after.split_once(kind));
        let Some((attributes, name)) = declared.min_by_key(|(before, _)| before.len()) else { continue };
        let (_, name) = attributes.split_once("schema(as = ").unwrap_or(("", name));
        if traits.contains("ToSchema") {
            names.push(name.chars().take_while(|c| c.is_alphanumeric()).collect());
        }
    }
    names
}

/// Of two types with one name the document would silently hold the later one alone.
#[test]
fn no_two_types_have_one_name_in_the_document() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("crates"), &mut files);
    let mut seen = BTreeMap::new();
    for file in files {
        let code = fs::read_to_string(&file).expect("a source");
        // The tests are the end of a file, by convention.
        let code = code.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for name in schema_names(code) {
            if let Some(other) = seen.insert(name.clone(), file.clone()) {
                panic!("{name}: {} and {}", other.display(), file.display());
            }
        }
    }
    assert!(seen.len() > 100, "{}", seen.len());
}

/// Path, method and declaration of every operation.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let methods = |(path, item): (&String, &Value)| -> Vec<(String, String, Value)> {
        let item = item.as_object().expect("a path");
        item.iter()
            .map(|(method, operation)| (path.clone(), method.to_uppercase(), operation.clone()))
            .collect()
    };
    paths.iter().flat_map(methods).collect()
}

#[test]
fn the_committed_document_is_the_generated_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/anchord.json");
    let committed: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("openapi/anchord.json")).expect("JSON");
    assert!(committed == document(), "renew it with: cargo run -- openapi > openapi/anchord.json");
}

#[test]
fn every_operation_has_a_name_a_summary_a_tag_and_described_replies() {
    let document = document();
    let tags: BTreeSet<&str> =
        document["tags"].as_array().expect("tags").iter().filter_map(|tag| tag["name"].as_str()).collect();
    let mut names = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let name = operation["operationId"].as_str().expect("an operationId").to_owned();
        assert!(names.insert(name.clone()), "two operations are called {name}");
        assert!(operation["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{method} {path}");
        let tag = operation["tags"][0].as_str().expect("a tag");
        assert!(tags.contains(tag), "{method} {path}: {tag} is no tag of the document");
        for (status, reply) in operation["responses"].as_object().expect("replies") {
            let described = reply["description"].as_str().is_some_and(|text| !text.is_empty());
            assert!(described || reply["$ref"].is_string(), "{method} {path} {status}");
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(parameter["description"].is_string(), "{method} {path}: {parameter} has no description");
        }
    }
}

/// A name as it remains of it in a file name or an identifier, whatever a generator makes of case and punctuation.
fn folded(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

/// Generators write a file for each group of operations and for each schema: of two of one name one would be lost.
#[test]
fn no_two_groups_operations_or_schemas_have_one_name_in_a_client() {
    let document = document();
    let mut groups: BTreeMap<String, (&str, String)> = BTreeMap::new();
    let mut names = BTreeMap::new();
    for section in ["paths", "webhooks"] {
        for (path, method, operation) in operations(&json!({"paths": document[section]})) {
            let [tag] = operation["tags"].as_array().expect("tags").as_slice() else {
                panic!("{method} {path} has not one tag")
            };
            let tag = tag.as_str().expect("a tag").to_owned();
            let id = operation["operationId"].as_str().expect("an operationId").to_owned();
            let group = groups.entry(folded(&tag)).or_insert_with(|| (section, tag.clone()));
            assert_eq!((group.0, &group.1), (section, &tag), "{method} {path}: two groups of one name");
            let verb = id.strip_prefix(&tag).and_then(|rest| rest.strip_prefix('.'));
            let is_verb = |verb: &str| verb.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            assert!(verb.is_some_and(is_verb), "{id} is not {tag}. and a verb");
            if let Some(other) = names.insert(folded(&id), id.clone()) {
                panic!("{id} and {other} are one name");
            }
        }
    }
    let mut schemas = BTreeMap::new();
    for name in document["components"]["schemas"].as_object().expect("schemas").keys() {
        if let Some(other) = schemas.insert(folded(name), name.clone()) {
            panic!("{name} and {other} are one name");
        }
        let made = name.strip_prefix("New").filter(|noun| !noun.is_empty());
        assert!(made.is_none(), "{name} is the name of a constructor in Go");
        let api = folded(name).strip_suffix("api").is_some_and(|group| groups.contains_key(group));
        assert!(!api, "{name} is the name of a group's class");
        assert!(!name.contains('_') && !name.ends_with("View"), "{name} is no name for users");
    }
}

/// A union that cannot be told apart makes generators try one variant after the other, or compiles in none.
#[test]
fn unions_are_told_apart_by_a_field() {
    fn walk(value: &Value, place: &str, found: &mut Vec<String>) {
        if let Value::Object(fields) = value {
            for kind in ["oneOf", "anyOf", "allOf"] {
                let variants = fields.get(kind).and_then(Value::as_array).map(Vec::as_slice);
                let is_nullable = matches!(variants, Some([_, null]) if null["type"] == "null");
                if variants.is_some() && !is_nullable && fields.get("discriminator").is_none() {
                    found.push(place.to_owned());
                }
            }
            for (name, inner) in fields.iter().filter(|(name, _)| *name != "example") {
                walk(inner, &format!("{place}/{name}"), found);
            }
        } else if let Value::Array(items) = value {
            for (at, inner) in items.iter().enumerate() {
                walk(inner, &format!("{place}/{at}"), found);
            }
        }
    }
    let document = document();
    let mut found = Vec::new();
    walk(&document, "", &mut found);
    assert_eq!(found, [""; 0]);
    for variant in document["components"]["schemas"]["LedgerItem"]["oneOf"].as_array().expect("variants") {
        assert!(variant["$ref"].is_string(), "{variant} has no name of its own");
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_schema_is_described() {
    fn walk(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
                fields.values().for_each(|inner| walk(inner, found));
            }
            Value::Array(items) => items.iter().for_each(|inner| walk(inner, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let document = document();
    let mut references = BTreeSet::new();
    walk(&document, &mut references);
    for reference in references {
        let pointer = reference.trim_start_matches('#');
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
    for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
        assert!(schema["description"].is_string(), "the schema {name} has no description");
    }
}

/// Generators take such an object for an empty one: nothing could be put into it.
#[test]
fn an_object_without_listed_fields_says_that_it_is_open() {
    fn closed(value: &Value, place: &str, found: &mut Vec<String>) {
        if value["type"] == "object"
            && value["properties"].is_null()
            && value["additionalProperties"].is_null()
        {
            found.push(place.to_owned());
        }
        let inner: Vec<(String, &Value)> = match value {
            Value::Object(fields) => fields.iter().map(|(name, inner)| (name.clone(), inner)).collect(),
            Value::Array(items) => {
                (0..).zip(items).map(|(at, inner): (usize, _)| (at.to_string(), inner)).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        };
        for (name, inner) in inner {
            closed(inner, &format!("{place}/{name}"), found);
        }
    }
    let document = document();
    let mut found = Vec::new();
    closed(&document, "", &mut found);
    assert_eq!(found, [""; 0]);
    // With declared fields, openapi-generator drops all others.
    let opaque = &document["components"]["schemas"]["Message"];
    assert_eq!((&opaque["properties"], &opaque["additionalProperties"]), (&Value::Null, &json!(true)));
    let message = json!("#/components/schemas/Message");
    for place in ["AppendRequest/properties/messages/items", "Context/properties/messages/items"] {
        assert_eq!(document.pointer(&format!("/components/schemas/{place}/$ref")), Some(&message), "{place}");
    }
}

/// openapi-generator writes the fields of an object as a Go literal that does not compile.
#[test]
fn no_default_is_an_object() {
    let document = document();
    for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
        for (field, property) in schema["properties"].as_object().into_iter().flatten() {
            let default = &property["default"];
            assert!(!default.is_object() && !default.is_array(), "{name}.{field}: {default}");
        }
    }
}

/// A path with the ids of the first tenant's things.
fn filled(path: &str, ids: &Map<String, Value>) -> String {
    let mut filled = path.to_owned();
    for (name, id) in ids {
        filled = filled.replace(&format!("{{{name}}}"), id.as_str().expect("text"));
    }
    filled
}

/// A body that the operation takes, so that a refusal is about the session and not about the body.
fn body(method: &str, path: &str) -> String {
    let last = path.rsplit('/').next().unwrap_or_default();
    if last == "import" {
        return "{\"kind\": \"session\", \"format_version\": 1}\n{\"kind\": \"end\", \"messages\": 0}"
            .to_owned();
    }
    match last {
        "pins" if method == "POST" => json!({"text": "x"}),
        "messages" => json!({"messages": [{"role": "user", "content": "x"}]}),
        "probes" => json!({"kind": "recall", "question": "?", "expected": ["x"]}),
        "pins" => json!({"pins": []}),
        "todos" => json!({"todos": []}),
        "truncate" => json!({"seq": 1}),
        "current-branch" => json!({"name": "main"}),
        "usage" => json!({"input_tokens": 1, "output_tokens": 1}),
        "{task_id}" => json!({"status": "completed"}),
        _ => json!({}),
    }
    .to_string()
}

/// Whether it makes the session when it is not there: the caller's own, under that name.
fn makes_the_session(method: &str, path: &str) -> bool {
    (method == "PUT" && (path.ends_with("{session_id}") || path.ends_with("/transcript")))
        || (method == "POST" && (path.ends_with("/messages") || path.ends_with("/import")))
}

fn media_type(path: &str) -> (&'static str, &'static str) {
    let kind = if path.ends_with("/import") { "application/x-ndjson" } else { "application/json" };
    ("content-type", kind)
}

fn required_query(path: &str) -> &'static str {
    if path.ends_with("/recall") { "?q=message" } else { "" }
}

#[tokio::test]
async fn another_tenants_ids_are_not_found_by_any_operation() {
    let app = app_with_session(4).await;
    let compression = app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await.json();
    let probe = app.call("POST", "/v1/sessions/s/probes", body("POST", "probes")).await.json();
    app.call("PATCH", "/v1/sessions/s", r#"{"task_id": "t"}"#).await;
    let webhook = app.call("POST", "/v1/webhooks", r#"{"url": "https://example.com/"}"#).await.json();
    let webhook = webhook["webhook"]["id"].as_str().expect("an id");
    let delivery = app.call("POST", &format!("/v1/webhooks/{webhook}/test"), "").await.json();
    let ids = json!({
        "webhook_id": webhook, "delivery_id": delivery["id"],
        "session_id": "s", "compression_id": compression["id"], "probe_id": probe["id"], "version": "1",
        "evaluation_id": "evl_00000000000000000000000000000007", "constraint_id": "c", "request_id": "r", "id": "x",
        "ref": "0000000000000000", "task_id": "t", "seq": "1", "pin_id": "pin_0000000000000000", "note_id": "n1", "tool": "note",
        "branch": "main",
    });
    let ids = ids.as_object().expect("an object");
    let theirs = format!("Bearer {THEIRS}");
    let mut called = 0;
    for (path, method, _) in operations(&document()) {
        let is_owned = ["{session_id}", "{task_id}", "{webhook_id}"].iter().any(|id| path.contains(id));
        if !is_owned || makes_the_session(&method, &path) {
            continue;
        }
        let url = filled(&path, ids) + required_query(&path);
        let reply = app
            .call_with(&method, &url, body(&method, &path), &[("authorization", &theirs), media_type(&path)])
            .await;
        // To whoever has no session of a task, the task is a fresh one, whatever others call by that name.
        let nothing = if path == "/v1/tasks/{task_id}/handoff" { 204 } else { 404 };
        assert_eq!(reply.status, nothing, "{method} {url}: {}", reply.text);
        called += 1;
    }
    assert!(called > 15, "only {called} operations were called");
    let still = app.call("GET", "/v1/sessions/s", "").await;
    assert_eq!(still.status, 200, "nothing of the first tenant's is gone");
}

#[tokio::test]
async fn an_unknown_session_is_not_found_by_any_operation_that_does_not_make_it() {
    let app = app().await;
    let ids = json!({
        "session_id": "nowhere", "compression_id": "cmp_00000000000000000000000000000007", "version": "1", "seq": "1",
        "probe_id": "prb_00000000000000000000000000000007",
        "evaluation_id": "evl_00000000000000000000000000000007", "constraint_id": "c", "request_id": "r",
        "ref": "0000000000000000", "pin_id": "pin_0000000000000000", "note_id": "n1", "tool": "search_past",
        "branch": "main",
    });
    for (path, method, _) in operations(&document()) {
        if !path.contains("{session_id}") || makes_the_session(&method, &path) {
            continue;
        }
        let url = filled(&path, ids.as_object().expect("an object")) + required_query(&path);
        let reply = app.call_with(&method, &url, body(&method, &path), &[media_type(&path)]).await;
        assert_eq!(reply.refusal().1, "session-not-found", "{method} {url}: {}", reply.text);
    }
    assert_eq!(app.call("GET", "/v1/sessions", "").await.json()["items"], json!([]));
}

#[tokio::test]
async fn a_wrong_key_is_refused_by_every_operation_that_wants_one() {
    let app = app_with_session(1).await;
    let ids = json!({
        "session_id": "s", "compression_id": "cmp_00000000000000000000000000000007", "version": "1",
        "evaluation_id": "evl_00000000000000000000000000000007",
        "webhook_id": "whk_00000000000000000000000000000007",
        "delivery_id": "dlv_00000000000000000000000000000007",
    });
    for (path, method, operation) in operations(&document()) {
        let open = operation["security"] == json!([{}]) || operation["security"] == json!([]);
        let url = filled(&path, ids.as_object().expect("an object"));
        let reply =
            app.call_with(&method, &url, body(&method, &path), &[("authorization", "Bearer wrong")]).await;
        assert_eq!(reply.status == 401, !open, "{method} {url}: {}", reply.text);
        let declared = operation["responses"].as_object().expect("replies");
        assert!(
            declared.contains_key(reply.status.as_str()),
            "{method} {path} does not declare {}",
            reply.status
        );
    }
}
