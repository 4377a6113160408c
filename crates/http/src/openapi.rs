//! Completes the OpenAPI document: adds the responses that every operation of a kind shares, so that a handler declares
//! only its own.
//!
//! Names, as generators of clients show them:
//!
//! - A tag is a noun and is the group of a client: `SessionsApi`, `client.sessions`. No two differ by case or
//!   punctuation alone, and `webhooks` and `paths` share none: a generator would write both groups into one file.
//! - An `operationId` is `tag.verb`, such as `pins.list`. Generators write it as `pins_list`, `pinsList` or `PinsList`, nest
//!   it as `pins.list()` where they know the dot (hey-api), or drop the tag (openapi-generator with
//!   `removeOperationIdPrefix`). The verbs are `list`, `get`, `create`, `put`, `update` (PATCH), `delete`;
//!   of a list that is written as a whole `list`, `replace` (PUT), `add` (POST) and `remove` (one); else what is done.
//! - A schema is called by the field's noun: `Session`, `SessionPage`; bodies of requests `Create…`, `Replace…`, `…Patch`,
//!   `…Input` or `…Request`. None is `New…`: generators for Go call the constructor of `Pin` `NewPin`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use utoipa::openapi::path::{Operation, Parameter, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{
    ContentBuilder, HeaderBuilder, OpenApi, PathItem, Ref, RefOr, Response, ResponseBuilder,
};
use utoipa::{OpenApi as _, PartialSchema as _};

use crate::api::probes::MAX_EXPECTED_CHARS;
use crate::extract::auth::X_API_KEY;
use crate::extract::params::BRANCH;
use crate::extract::prefer::optional;
use crate::problem::Problem;
use anchord_messages::id::BranchName;

/// The security scheme of API keys.
const API_KEY: &str = "api_key";
/// The same keys in a header of their own.
const API_KEY_HEADER: &str = "api_key_header";
/// The security scheme of the operator token.
const OPERATOR: &str = "operator_token";
/// The same token in the header of its own.
const OPERATOR_HEADER: &str = "operator_token_header";

/// Replies by operation and status, as a test recorded them.
const EXAMPLES: &str = include_str!("../../../openapi/examples.json");

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "anchord",
        description = "Keeps every message of an agent session and serves a small, provider-valid, summarised context.\n\n\
            Authenticate with an API key, as `Authorization: Bearer` or `x-api-key`; `/v1/admin` takes the operator \
            token in the same ways. Errors are `application/problem+json` (RFC 9457) with a stable `type`, \
            relative to the server, which opens a page that explains it; every reply has `X-Request-Id`. A POST with an \
            `Idempotency-Key` is done once within 24 hours; a repeated one gets the first reply with \
            `Idempotent-Replayed: true`. PUT replaces a resource as a whole; PATCH changes the fields that it names, and \
            null resets one. What a GET returns can be sent back: read-only fields \
            are ignored. Lists are paged by `limit` and `cursor`. Times are RFC 3339 in UTC with milliseconds. A slash at \
            the end of a path changes nothing. Within `/v1` there are only additions.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    servers((url = "/", description = "This server")),
    tags(
        (name = "sessions", description = "Sessions: settings, state, hand-off to other agents, export and import."),
        (name = "branches", description = "Branches of a session: fork, switch, go back."),
        (name = "messages", description = "Append messages and read the originals."),
        (name = "context", description = "The context to send to the model next."),
        (name = "transcript", description = "All messages of an agent at once: what is new is stored, and the context comes back."),
        (name = "models", description = "The models that sessions talk to: windows, tokenizers; a tenant's own."),
        (name = "compressions", description = "Compressions: jobs that each try to make the next summary version."),
        (name = "summaries", description = "Summary versions: read, compare, roll back."),
        (name = "ledger", description = "Facts that code extracted from the messages: files, commands, test runs, errors."),
        (name = "recall", description = "Full-text search over the original messages."),
        (name = "tool_outputs", description = "Tool outputs that a context replaces by placeholders."),
        (name = "tools", description = "Tools for the agent: by them its model reads what a context leaves out, and makes notes."),
        (name = "notes", description = "Notes that the agent made by its tool."),
        (name = "pins", description = "Pins: text that every summary and every context carries verbatim."),
        (name = "constraints", description = "Constraints that were extracted from the messages."),
        (name = "requests", description = "Requests of people, as the record has them."),
        (name = "todos", description = "The caller's todo list of a session."),
        (name = "probes", description = "Probes: questions that each summary version must be able to answer."),
        (name = "evaluations", description = "Evaluations: runs of the probes against a summary version."),
        (name = "tasks", description = "Tasks: what their sessions used and how they ended."),
        (name = "events", description = "A session's events as a stream."),
        (name = "webhooks", description = "Webhooks: where events are sent, and what became of each delivery."),
        (name = "webhook_messages", description = "The requests that a webhook receives. Nothing to call: a server implements it."),
        (name = "stateless", description = "Calls without a session."),
        (name = "settings", description = "The defaults of the tenant's sessions."),
        (name = "usage", description = "Token figures: what the provider reports, what the tenant used; its quotas."),
        (name = "keys", description = "The tenant's API keys."),
        (name = "audit", description = "The audit log."),
        (name = "tenants", description = "For the operator: tenants, their settings and their keys."),
        (name = "health", description = "Health and metrics.")
    ),
    components(schemas(Problem))
)]
struct Declared;

/// Requests to webhooks, declared as operations are.
#[derive(utoipa::OpenApi)]
#[openapi(paths(crate::api::webhook_messages::event))]
struct Sent;

/// The document before any operation.
pub(crate) fn declared() -> OpenApi {
    let mut document = Declared::openapi();
    document.webhooks = Some(Sent::openapi().paths);
    let components = document.components.get_or_insert_default();
    let scheme = |description: &str| {
        let mut http = Http::new(HttpAuthScheme::Bearer);
        http.description = Some(description.to_owned());
        RefOr::T(SecurityScheme::Http(http))
    };
    components.security_schemes.insert(
        API_KEY.to_owned(),
        scheme(
            "An API key. Its scopes: `read` (every GET, and the reading tools), `write` (the other session routes and the stateless \
             calls), `admin` (keys, webhooks, tenant settings).",
        ),
    );
    for (name, description) in [
        (API_KEY_HEADER, "An API key in a header of its own, for clients that send one so."),
        (OPERATOR_HEADER, "The operator token in the header that takes an API key elsewhere."),
    ] {
        let header = ApiKey::Header(ApiKeyValue::with_description(X_API_KEY.as_str(), description));
        components.security_schemes.insert(name.to_owned(), RefOr::T(SecurityScheme::ApiKey(header)));
    }
    components.security_schemes.insert(
        OPERATOR.to_owned(),
        scheme("The operator token of the installation, for `/v1/admin` and `/metrics`."),
    );
    for (name, status, slug, description) in SHARED {
        let headers: &[&str] = match status {
            "401" => &["WWW-Authenticate"],
            "429" | "503" => &["Retry-After"],
            _ => &[],
        };
        components.responses.insert(name.to_owned(), RefOr::T(problem((slug, status), description, headers)));
    }
    document
}

/// Problems that several operations share: component, status, the slug of an example, description.
const SHARED: [(&str, &str, &str, &str); 13] = [
    ("BadRequest", "400", "malformed-json", "The request cannot be read, or its body is not JSON."),
    ("Unauthorized", "401", "unauthorized", "No usable key: none, unknown, expired or revoked."),
    (
        "Forbidden",
        "403",
        "forbidden",
        "The key does not have the scope, or the operator has suspended the tenant (`/problems/tenant-suspended`).",
    ),
    ("NotFound", "404", "session-not-found", "The resource does not exist, or it belongs to another tenant."),
    ("SlowBody", "408", "slow-body", "The body took too long to arrive; nothing was done."),
    (
        "Conflict",
        "409",
        "idempotency-in-flight",
        "The first request with this Idempotency-Key still runs, or the state does not allow it.",
    ),
    ("ContentTooLarge", "413", "too-large", "A size limit is exceeded; `limit` is the limit."),
    (
        "UnsupportedMediaType",
        "415",
        "unsupported-media-type",
        "The body is not `application/json` (a form, as curl's `-d` sends it, is named), or it is compressed.",
    ),
    (
        "Unprocessable",
        "422",
        "invalid-request",
        "The request is invalid; `errors` names the places and reasons.",
    ),
    (
        "TooManyRequests",
        "429",
        "rate-limited",
        "Too many requests for this key, a quota of the tenant is used up (`/problems/quota-exceeded`), or too many \
         failed authentications came from this address (`/problems/too-many-failures`).",
    ),
    (
        "Internal",
        "500",
        "internal",
        "The service failed. Its log has the request id. With `/problems/outcome-unknown` a change may be stored or \
         not: repeat it only with the same `Idempotency-Key` or `expected_next_seq`, and otherwise read first.",
    ),
    (
        "Unavailable",
        "503",
        "unavailable",
        "The service cannot answer now; or the tenant's own requests hold all the database connections that a tenant's \
         may (`/problems/tenant-busy`), all the memory for bodies (`/problems/bodies-in-flight`), or wait for as much \
         processor time as they may (`/problems/work-in-progress`); or another change of the resource takes too long \
         (`/problems/locked`). Nothing was stored; try again after `Retry-After`.",
    ),
    ("Timeout", "504", "timeout", "The request took too long."),
];

/// Completes all operations.
pub(crate) fn complete(mut document: OpenApi) -> Value {
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            complete_operation(path, method, operation);
        }
    }
    tidied(&document)
}

/// Corrects what the macros cannot express: positions have a schema of their own instead of one called `i64`, pages
/// refer to their items, numbers have the range that is accepted, and a body that may be absent is not one that may
/// be `null`.
fn tidied(document: &OpenApi) -> Value {
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

/// Bounds that attributes cannot express: of items of lists, and of contents of variants.
fn bound_inner(document: &mut Value) {
    let not_blank = r"^[^\u0000]*[^\s\u0000][^\u0000]*$";
    let bounds = [(
        "CreateProbe/properties/expected/items",
        json!({"pattern": not_blank, "maxLength": MAX_EXPECTED_CHARS}),
    )];
    for (place, bound) in bounds {
        let schema = document.pointer_mut(&format!("/components/schemas/{place}"));
        if let (Some(Value::Object(schema)), Value::Object(bound)) = (schema, bound) {
            schema.extend(bound);
        }
    }
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

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    [
        ("get", item.get.as_mut()),
        ("put", item.put.as_mut()),
        ("post", item.post.as_mut()),
        ("delete", item.delete.as_mut()),
        ("patch", item.patch.as_mut()),
    ]
    .into_iter()
    .filter_map(|(method, operation)| operation.map(|operation| (method, operation)))
}

fn complete_operation(path: &str, method: &str, operation: &mut Operation) {
    let open = operation.security.as_ref().is_some_and(|wanted| wanted.iter().all(is_empty));
    let operator = path.starts_with("/v1/admin") || path == "/metrics";
    let has_parameters = operation.parameters.as_ref().is_some_and(|parameters| !parameters.is_empty());
    let has_body = operation.request_body.is_some();
    let keyed = method == "post" && !open;

    let mut statuses = vec!["500"];
    if !open {
        let schemes: &[&str] =
            if operator { &[OPERATOR, OPERATOR_HEADER] } else { &[API_KEY, API_KEY_HEADER] };
        let requirement = |scheme: &&str| SecurityRequirement::new(*scheme, Vec::<String>::new());
        operation.security = Some(schemes.iter().map(requirement).collect());
        statuses.extend(["401", "429", "503", "504"]);
        if !operator {
            statuses.push("403");
        }
    }
    if path.contains('{') {
        statuses.push("404");
    }
    if has_parameters || has_body {
        statuses.push("422");
    }
    if has_body {
        statuses.extend(["400", "408", "413", "415"]);
    }
    if takes_branch(path, method) {
        operation.parameters.get_or_insert_default().push(RefOr::T(branch()));
    }
    if keyed {
        let successes =
            operation.responses.responses.iter_mut().filter(|(status, _)| status.starts_with('2'));
        for response in successes
            .filter_map(|(_, response)| if let RefOr::T(response) = response { Some(response) } else { None })
        {
            let replayed = HeaderBuilder::new()
                .description(Some(
                    "`true` when this is the stored reply of an earlier request with the same key.",
                ))
                .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
                .build();
            response.headers.insert("Idempotent-Replayed".to_owned(), replayed.into());
        }
        operation.parameters.get_or_insert_default().push(RefOr::T(idempotency_key()));
        statuses.extend(["400", "409", "422"]);
    }
    for (name, status, ..) in SHARED.iter().filter(|(_, status, ..)| statuses.contains(status)) {
        operation
            .responses
            .responses
            .entry((*status).to_owned())
            .or_insert_with(|| RefOr::Ref(Ref::from_response_name(*name)));
    }
}

/// Whether an operation acts on a branch that `?branch=` names: every one of a session but those that concern all of its
/// branches, or name one themselves.
fn takes_branch(path: &str, method: &str) -> bool {
    let Some(rest) = path.strip_prefix("/v1/sessions/{session_id}") else { return false };
    match rest {
        "" => method != "delete",
        "/branches" => method == "post",
        "/current-branch" | "/export" | "/import" => false,
        rest => !rest.contains("{branch}"),
    }
}

/// The query parameter of every operation of a session.
fn branch() -> Parameter {
    let place = ParameterIn::Query;
    optional(place, BRANCH, "The branch. Default: the current one.", BranchName::schema()).build()
}

/// `security(())` is one empty requirement: no key is required.
fn is_empty(requirement: &SecurityRequirement) -> bool {
    serde_json::to_value(requirement)
        .is_ok_and(|value| value.as_object().is_none_or(serde_json::Map::is_empty))
}

/// The header of every POST.
fn idempotency_key() -> Parameter {
    let description =
        "The same key and body within 24 hours replays the same reply instead of doing it again.";
    let key = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(255));
    optional(ParameterIn::Header, "Idempotency-Key", description, key.pattern(Some("^[!-~]+$"))).build()
}

fn problem((slug, status): (&str, &str), description: &str, headers: &[&str]) -> Response {
    let example = json!({
        "type": format!("/problems/{slug}"),
        "title": slug.replace('-', " "),
        "status": status.parse::<u16>().unwrap_or_default(),
        "detail": description,
        "instance": "01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10",
    });
    let schema = Ref::from_schema_name("Problem");
    let content = ContentBuilder::new().schema(Some(schema)).example(Some(example)).build();
    let mut response =
        ResponseBuilder::new().description(description).content("application/problem+json", content);
    for name in headers {
        let header =
            HeaderBuilder::new().schema(Some(ObjectBuilder::new().schema_type(Type::String))).build();
        response = response.header(*name, header);
    }
    response.build()
}
