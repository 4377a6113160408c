//! The OpenAPI document: what handlers declare, completed with what every operation of its kind can
//! answer, so that a handler documents only what is its own.

use utoipa::OpenApi as _;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, HeaderBuilder, OpenApi, PathItem, Ref, RefOr, Required, Response, ResponseBuilder,
};

use super::problem::Problem;

/// The security scheme of API keys.
const API_KEY: &str = "api_key";
/// The security scheme of the operator token.
const OPERATOR: &str = "operator_token";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "anchord",
        description = "Keeps every message of an agent session and serves a small, provider-valid, summarised context.\n\n\
            Authenticate with `Authorization: Bearer` and an API key; `/v1/admin` takes the operator token. \
            Errors are `application/problem+json` (RFC 9457) with a stable `type`, relative to the server; every \
            reply has `X-Request-Id`. A POST with an `Idempotency-Key` is done once within 24 hours. Lists are \
            paged by `limit` and `cursor`. Within `/v1` there are only additions.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    servers((url = "/", description = "This server")),
    tags(
        (name = "sessions", description = "Sessions and their settings."),
        (name = "messages", description = "Append messages, read the originals."),
        (name = "context", description = "What to send to the model next."),
        (name = "compressions", description = "Attempts to make the next summary version."),
        (name = "summaries", description = "Summary versions: read, compare, roll back."),
        (name = "facts", description = "What code, not a model, took from the messages."),
        (name = "quality", description = "Probes and evaluations of summary versions."),
        (name = "steering", description = "Pins, constraints and todo lists."),
        (name = "stateless", description = "Calls that store nothing."),
        (name = "tenant", description = "The tenant's keys, webhooks and usage."),
        (name = "admin", description = "For the operator: tenants and their keys."),
        (name = "operations", description = "Health, metrics, this document.")
    ),
    components(schemas(Problem))
)]
struct Declared;

/// The document before any operation.
pub(super) fn declared() -> OpenApi {
    let mut document = Declared::openapi();
    let components = document.components.get_or_insert_default();
    let scheme = |description: &str| {
        let mut http = Http::new(HttpAuthScheme::Bearer);
        http.description = Some(description.to_owned());
        RefOr::T(SecurityScheme::Http(http))
    };
    components.security_schemes.insert(
        API_KEY.to_owned(),
        scheme(
            "An API key. Its scopes: `read` (every GET), `write` (the other session routes and the stateless \
             calls), `admin` (keys, webhooks, tenant settings).",
        ),
    );
    components.security_schemes.insert(
        OPERATOR.to_owned(),
        scheme("The operator token of the installation, for `/v1/admin` and `/metrics`."),
    );
    for (name, _, description) in SHARED {
        components.responses.insert(name.to_owned(), RefOr::T(problem(description, &[])));
    }
    components.responses.insert(
        "Unauthorized".to_owned(),
        RefOr::T(problem("No usable key: none, unknown, expired or revoked.", &["WWW-Authenticate"])),
    );
    components.responses.insert(
        "TooManyRequests".to_owned(),
        RefOr::T(problem(
            "Too many requests for this key, or a quota of the tenant is used up (`/problems/quota-exceeded`).",
            &["Retry-After"],
        )),
    );
    document
}

/// Problems that several operations share: component, status, description.
const SHARED: [(&str, &str, &str); 12] = [
    ("BadRequest", "400", "The request cannot be read, or its body is not JSON."),
    ("Unauthorized", "401", ""),
    ("Forbidden", "403", "The key does not have the scope."),
    ("NotFound", "404", "It does not exist, or it is another tenant's."),
    (
        "Conflict",
        "409",
        "The first request with this Idempotency-Key still runs, or the state does not allow it.",
    ),
    ("ContentTooLarge", "413", "The body is over its limit; `limit` says which number."),
    ("UnsupportedMediaType", "415", "The body is not `application/json`."),
    ("Unprocessable", "422", "Understood, and cannot be taken; `errors` says where and why."),
    ("TooManyRequests", "429", ""),
    ("Internal", "500", "Our fault; the log knows more under the request id."),
    ("Unavailable", "503", "The service cannot answer now; try again after `Retry-After`."),
    ("Timeout", "504", "The request took longer than it may."),
];

/// Completes every operation.
pub(super) fn complete(mut document: OpenApi) -> OpenApi {
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            complete_operation(path, method, operation);
        }
    }
    document
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
        let scheme = if operator { OPERATOR } else { API_KEY };
        operation.security = Some(vec![SecurityRequirement::new(scheme, Vec::<String>::new())]);
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
        statuses.extend(["400", "413", "415"]);
    }
    if keyed {
        operation.parameters.get_or_insert_default().push(RefOr::T(idempotency_key()));
        statuses.extend(["409", "422"]);
    }
    for (name, status, _) in SHARED.iter().filter(|(_, status, _)| statuses.contains(status)) {
        operation
            .responses
            .responses
            .entry((*status).to_owned())
            .or_insert_with(|| RefOr::Ref(Ref::from_response_name(*name)));
    }
}

/// `security(())` is one empty requirement: no key is wanted.
fn is_empty(requirement: &SecurityRequirement) -> bool {
    serde_json::to_value(requirement)
        .is_ok_and(|value| value.as_object().is_none_or(serde_json::Map::is_empty))
}

fn idempotency_key() -> Parameter {
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "The same key and body within 24 hours replays the same reply instead of doing it again.",
        ))
        .schema(Some(text(1, 255)))
        .build()
}

fn text(min: usize, max: usize) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(min))
        .max_length(Some(max))
        .pattern(Some("^[!-~]+$"))
}

fn problem(description: &str, headers: &[&str]) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    let mut response =
        ResponseBuilder::new().description(description).content("application/problem+json", content);
    for name in headers {
        let header =
            HeaderBuilder::new().schema(Some(ObjectBuilder::new().schema_type(Type::String))).build();
        response = response.header(*name, header);
    }
    response.build()
}
