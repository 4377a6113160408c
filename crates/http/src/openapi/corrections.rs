//! Corrects what the macros cannot express in the OpenAPI document, so that generators of clients take it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

use crate::api::probes::MAX_EXPECTED_CHARS;

/// Replies by operation and status, as a test recorded them.
const EXAMPLES: &str = include_str!("../../../../openapi/examples.json");

/// Corrects what the macros cannot express: positions have a schema of their own instead of one called `i64`, pages
/// refer to their items, numbers have the range that is accepted, and a body that may be absent is not one that may
/// be `null`.
pub(super) fn corrected(document: &OpenApi) -> Value {
    let mut json = serde_json::to_value(document).unwrap_or_default();
    name_positions(&mut json);
    widen_unsigned(&mut json);
    keep_plain_defaults(&mut json);
    name_pages(&mut json);
    bound_inner(&mut json);
    discriminate(&mut json, "LedgerItem", "kind");
    merge_parts(&mut json);
    open_objects(&mut json);
    describe_nullable(&mut json);
    separate_by_commas(&mut json);
    if let Some(schemas) = json.pointer_mut("/components/schemas").and_then(Value::as_object_mut)
        && schemas.remove("i64").is_some()
    {
        let description = "The position of a message in its session: 1, 2, 3 … without gaps.";
        let position =
            json!({"type": "integer", "format": "int64", "minimum": 0, "description": description});
        schemas.insert("Seq".to_owned(), position);
    }
    let paths =
        json.get_mut("paths").and_then(Value::as_object_mut).into_iter().flat_map(|paths| paths.values_mut());
    for operation in paths.filter_map(Value::as_object_mut).flat_map(|item| item.values_mut()) {
        let Some(body) = operation.get_mut("requestBody") else { continue };
        let Some(schema) = body.pointer_mut("/content/application~1json/schema") else { continue };
        let inner =
            schema.get("oneOf").and_then(Value::as_array).and_then(|either| match either.as_slice() {
                [inner, null] if null["type"] == "null" => Some(inner.clone()),
                _ => None,
            });
        if let Some(inner) = inner {
            *schema = inner;
            body["required"] = false.into();
        }
    }
    if let Some(problem) = json.pointer_mut("/components/schemas/Problem") {
        // Members beyond the declared ones are documented with the operation, and a client has to keep them.
        problem["additionalProperties"] = true.into();
    }
    show_examples(&mut json);
    json
}

/// Adds to each successful JSON reply an example: a reply that a test recorded (`tests/journeys/examples.rs`).
fn show_examples(document: &mut Value) {
    let Ok(Value::Object(mut examples)) = serde_json::from_str(EXAMPLES) else { return };
    for sections in ["paths", "webhooks"] {
        let Some(items) = document.get_mut(sections).and_then(Value::as_object_mut) else { continue };
        for operation in items.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
            let Some(id) = operation.get("operationId").and_then(Value::as_str) else { continue };
            let Some(Value::Object(recorded)) = examples.remove(id) else { continue };
            for (status, example) in recorded {
                let place = format!("/responses/{status}/content/application~1json");
                if let Some(content) = operation.pointer_mut(&place) {
                    content["example"] = example;
                }
            }
        }
    }
}

/// The macros declare a `u32` as `int32`, which has only half of its range.
fn widen_unsigned(document: &mut Value) {
    each_object(document, &mut |fields| {
        let unsigned = fields.get("minimum").and_then(Value::as_u64).is_some();
        if unsigned && fields.get("format").is_some_and(|format| format == "int32") {
            fields.insert("format".to_owned(), "int64".into());
            fields.entry("maximum").or_insert_with(|| u32::MAX.into());
        }
    });
}

/// The macros declare what a type's `Default` gives. That a list is empty or a field null says nothing, and of an object
/// openapi-generator writes Go that does not compile.
fn keep_plain_defaults(document: &mut Value) {
    let Some(schemas) = schemas_of(document) else { return };
    let fields = schemas.values_mut().filter_map(|schema| schema.get_mut("properties")?.as_object_mut());
    for properties in fields {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            if property.get("default").is_some_and(|it| it.is_null() || it.is_array() || it.is_object()) {
                property.remove("default");
            }
        }
    }
}

fn schemas_of(document: &mut Value) -> Option<&mut Map<String, Value>> {
    document.pointer_mut("/components/schemas").and_then(Value::as_object_mut)
}

fn reference(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

/// The macros call a page of sessions `Page_Session` and repeat its items instead of referring to their schema.
fn name_pages(document: &mut Value) {
    let Some(schemas) = schemas_of(document) else { return };
    let items: Vec<String> =
        schemas.keys().filter_map(|name| name.strip_prefix("Page_")).map(str::to_owned).collect();
    let mut renamed = BTreeMap::new();
    for item in items {
        // A list has rows of its own where they are shorter than the whole: `SessionItem` in a `SessionPage`.
        let noun = item.strip_suffix("Item").unwrap_or(&item);
        let (old, new) = (format!("Page_{item}"), format!("{noun}Page"));
        let Some(mut page) = schemas.remove(&old) else { continue };
        if let Some(items) = page.pointer_mut("/properties/items/items")
            && schemas.contains_key(&item)
        {
            *items = json!({"$ref": reference(&item)});
        }
        schemas.insert(new.clone(), page);
        renamed.insert(reference(&old), reference(&new));
    }
    each_object(document, &mut |fields| {
        let new = fields.get("$ref").and_then(Value::as_str).and_then(|target| renamed.get(target)).cloned();
        if let Some(new) = new {
            fields.insert("$ref".to_owned(), new.into());
        }
    });
}

/// Gives each variant of a union a schema of its own and says which field discriminates them: generators try one
/// variant after the other otherwise, or make a type with the fields of all.
fn discriminate(document: &mut Value, union: &str, field: &str) {
    let Some(schemas) = schemas_of(document) else { return };
    let Some(schema) = schemas.get_mut(union) else { return };
    let Some(variants) = schema.get_mut("oneOf").and_then(Value::as_array_mut) else { return };
    let (mut mapping, mut lifted) = (Map::new(), Vec::new());
    for variant in variants {
        let word = variant.pointer(&format!("/properties/{field}/enum/0")).and_then(Value::as_str);
        let title = variant.get("title").and_then(Value::as_str);
        let (Some(word), Some(title)) = (word, title) else { continue };
        mapping.insert(word.to_owned(), reference(title).into());
        lifted.push((title.to_owned(), variant.clone()));
        *variant = json!({"$ref": reference(title)});
    }
    schema["discriminator"] = json!({"propertyName": field, "mapping": mapping});
    schemas.extend(lifted);
}

/// Merges the parts of an object that the macros declare as `allOf`, because some generators make an inheritance of
/// it. Schemas that only stood for a part go.
fn merge_parts(document: &mut Value) {
    let Some(schemas) = schemas_of(document) else { return };
    let whole: Vec<(String, Value)> = schemas
        .iter()
        .filter(|(_, schema)| schema.get("allOf").is_some())
        .filter_map(|(name, schema)| Some((name.clone(), merged(schemas, schema)?)))
        .collect();
    schemas.extend(whole);
    let mut used = BTreeSet::new();
    each_object(document, &mut |fields| {
        used.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
        used.extend(fields.get("mapping").and_then(Value::as_object).into_iter().flat_map(|mapping| {
            mapping.values().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        }));
    });
    if let Some(schemas) = schemas_of(document) {
        schemas.retain(|name, _| used.contains(&reference(name)) || name == "i64");
    }
}

/// One object with the fields of all parts; `None` when a part is no object.
fn merged(schemas: &Map<String, Value>, schema: &Value) -> Option<Value> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for part in schema.get("allOf")?.as_array()? {
        let target = part.get("$ref").and_then(Value::as_str).and_then(|target| target.rsplit('/').next());
        let part = match target {
            Some(name) => schemas.get(name)?,
            None => part,
        };
        let nested = if part.get("allOf").is_some() { Some(merged(schemas, part)?) } else { None };
        let part = nested.as_ref().unwrap_or(part);
        properties.extend(part.get("properties")?.as_object()?.clone());
        required.extend(part.get("required").and_then(Value::as_array).into_iter().flatten().cloned());
    }
    let mut whole = schema.as_object()?.clone();
    whole.remove("allOf");
    whole.insert("type".to_owned(), "object".into());
    whole.insert("required".to_owned(), required.into());
    whole.insert("properties".to_owned(), properties.into());
    Some(whole.into())
}

/// The description of a field that may be null belongs to the field, not to one of its two alternatives.
fn describe_nullable(document: &mut Value) {
    each_object(document, &mut |fields| {
        let Some([inner, null]) =
            fields.get_mut("oneOf").and_then(Value::as_array_mut).map(Vec::as_mut_slice)
        else {
            return;
        };
        if null.get("type").is_none_or(|kind| kind != "null") {
            return;
        }
        let moved = inner.as_object_mut().and_then(|inner| inner.remove("description"));
        if let Some(description) = moved {
            fields.insert("description".to_owned(), description);
        }
    });
}

/// Calls a function for every object in a document, the outer ones first.
fn each_object(value: &mut Value, each: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(fields) => {
            each(fields);
            fields.values_mut().for_each(|inner| each_object(inner, each));
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| each_object(inner, each)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A bound that attributes cannot express: of the items of a list.
fn bound_inner(document: &mut Value) {
    let place = "/components/schemas/CreateProbe/properties/expected/items";
    let Some(Value::Object(fact)) = document.pointer_mut(place) else { return };
    fact.insert("pattern".to_owned(), r"^[^\u0000]*[^\s\u0000][^\u0000]*$".into());
    fact.insert("maxLength".to_owned(), MAX_EXPECTED_CHARS.into());
}

/// Generators take an object without fields for an empty one, unless it is declared open. Messages are open objects
/// and not the providers' types: a client that validates would reject what a provider has added since.
fn open_objects(document: &mut Value) {
    each_object(document, &mut |fields| {
        let is_object = fields.get("type").is_some_and(|kind| {
            kind == "object" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "object"))
        });
        if is_object && !fields.contains_key("properties") {
            fields.entry("additionalProperties").or_insert_with(|| true.into());
        }
    });
}

/// Lists of words in queries are one value, `include=a,b`; by default clients would repeat the name.
fn separate_by_commas(document: &mut Value) {
    each_object(document, &mut |fields| {
        let is_list = fields.get("in").is_some_and(|place| place == "query")
            && fields.get("name").is_some_and(|name| name == "include");
        if is_list {
            fields.insert("explode".to_owned(), false.into());
        }
    });
}

fn name_positions(document: &mut Value) {
    each_object(document, &mut |fields| {
        if fields.get("$ref").is_some_and(|target| *target == reference("i64")) {
            fields.insert("$ref".to_owned(), reference("Seq").into());
        }
    });
}
