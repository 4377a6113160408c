//! Completes the OpenAPI document: adds the responses that every operation of a kind shares, so that a handler declares
//! only its own; `corrections` changes what the macros cannot express.
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

mod corrections;

use serde_json::{Value, json};
use utoipa::openapi::path::{Operation, Parameter, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{
    ContentBuilder, HeaderBuilder, OpenApi, PathItem, Ref, RefOr, Response, ResponseBuilder,
};
use utoipa::{OpenApi as _, PartialSchema as _};

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
    corrections::corrected(&document)
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
