//! What those who run the service see: every metric, one trace from a request to the model, and logs that
//! hold no secret.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::{Value, json};

use crate::llm::stretch;
use crate::support::provider::{Act, Asks, FakeProvider, answers};
use crate::support::service::{Client, KEY, Service};
use crate::support::{TestDatabase, change, database, text, until};

/// A session's name and words of its messages, which are nobody else's business.
const NAME: &str = "a-session-of-a-customer";
const WORDS: [&str; 2] = ["importer", "quoted fields"];

pub fn work(rounds: usize) -> Vec<Value> {
    let mut messages = vec![
        json!({"role": "user", "content": "Make the importer in src/import.rs read CSV files. Never touch vendor/."}),
        json!({"role": "assistant", "content": "I decided to use the csv crate for the importer because quoted fields are hard to read by hand."}),
    ];
    messages.extend(stretch(rounds));
    messages
}

/// A service with a model.
fn service(database: &TestDatabase, fake: &FakeProvider, more: &[&str]) -> Service {
    let url = format!("{}/v1", fake.url);
    let model = ["--llm-provider", "openai", "--llm-base-url", &url, "--llm-model", "small"];
    Service::on(&database.url, &[model.as_slice(), more].concat())
}

fn post(client: &Client, path: &str, headers: &[(&str, &str)], body: &Value) -> Value {
    let reply = client.call("POST", path, headers, &body.to_string()).expect("a reply");
    assert!(reply.status < 300, "{}", reply.text);
    reply.json()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_documented_metric_is_told_and_none_tells_of_a_tenant() {
    let fake = FakeProvider::start([Act::Good]).await;
    let database = database().await;
    fake.play_for(Asks::Answers, [answers(&["csv crate", "vendor/", "src/import.rs"])]);
    let words = ["--metrics-listen", "127.0.0.1:0", "--webhook-targets", "any", "--exam-model", "examiner"];
    let words = [&words[..], &["--gateway-openai", "http://127.0.0.1:1"]].concat();
    let service = service(&database, &fake, &words);
    let client = service.client();
    // A request of an agent that is none of its conversation, for a provider that is not there.
    let title = json!({"messages": [{"role": "system", "content": "You are a title generator."}]});
    let to = format!("/gateway/key/{KEY}/openai/v1/chat/completions");
    let agent = client.with_key("sk-of-the-provider");
    assert_eq!(agent.call("POST", &to, &[], &title.to_string()).expect("a reply").status, 502);
    // Where nobody listens.
    let hook = post(&client, "/v1/webhooks", &[], &json!({"url": "http://127.0.0.1:1/a-path-of-a-customer"}));
    let hook = format!("/v1/webhooks/{}", hook["webhook"]["id"].as_str().expect("an id"));
    post(&client, &format!("{hook}/test"), &[], &json!({}));
    until("an attempt", async || {
        let log = client.get(&format!("{hook}/deliveries")).json();
        (log["items"][0]["last_error"] == "connection").then_some(())
    })
    .await;
    let path = format!("/v1/sessions/{NAME}");
    let settings = r#"{"auto": false, "exam": "always"}"#;
    assert_eq!(client.call("PUT", &path, &[], settings).expect("a reply").status, 201);
    post(&client, &format!("{path}/messages"), &[], &json!({"messages": work(30)}));
    let wait = [("prefer", "wait=30")];
    let ended = post(&client, &format!("{path}/compressions"), &wait, &json!({"target": 0.5}));
    assert_eq!((&ended["status"], &ended["engine"]), (&json!("succeeded"), &json!("llm")), "{ended}");
    assert_eq!(client.get(&format!("{path}/context")).status, 200);
    assert_eq!(client.get("/metrics").status, 401, "the API's metrics are the operator's");
    for open in ["/healthz", "/readyz"] {
        assert_eq!(service.metrics().get(open).status, 200, "{open}");
    }
    let told = service.metrics().get("/metrics").text;

    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/observability.md");
    let page = fs::read_to_string(page).expect("the documentation");
    let documented: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .filter(|n| n.starts_with("anchord_"))
        .collect();
    let types: BTreeSet<&str> =
        told.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    assert_eq!(types, documented, "{told}");
    for line in told.lines().filter_map(|line| line.strip_prefix("# HELP ")) {
        assert!(line.split_once(' ').is_some_and(|(_, help)| help.len() > 5), "{line}");
    }
    let value = |series: &str| -> f64 {
        let line =
            told.lines().find(|line| line.starts_with(series)).unwrap_or_else(|| panic!("{series}: {told}"));
        line.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    let appended = value("anchord_appended_messages_total");
    assert!((appended - 63.0).abs() < 0.5, "{appended}");
    assert!(value("anchord_compression_saved_tokens_total") > 1_000.0);
    assert!(value("anchord_context_tokens_served_total") > 100.0);
    assert!(value("anchord_context_tokens_saved_total") > 1_000.0);
    assert!(value("anchord_llm_tokens_total{direction=\"input\"}") >= 100.0);
    assert!((value("anchord_compression_reduction_ratio_count") - 1.0).abs() < 0.5);
    assert!((value("anchord_append_batch_appends_count") - 1.0).abs() < 0.5);
    assert!(value("anchord_webhook_attempts_total{outcome=\"connection\"}") >= 1.0);
    let most = value("anchord_db_connections_max");
    let (idle, used) =
        (value("anchord_db_connections{state=\"idle\"}"), value("anchord_db_connections{state=\"in_use\"}"));
    assert!(idle + used >= 1.0 && idle + used <= most, "{idle} {used} {most}");

    let mut look = database.connect().await;
    let tenant = text(&mut look, "select id::text from tenants").await;
    let key = text(&mut look, "select id::text from api_keys").await;
    let job = ended["id"].as_str().expect("an id");
    let hook = text(&mut look, "select id::text from webhooks").await;
    for secret in [
        tenant.as_str(),
        &key,
        &hook,
        "a-path-of-a-customer",
        job,
        NAME,
        WORDS[0],
        WORDS[1],
        "default",
        "small",
    ] {
        let line = told.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret}");
    }
    drop(service);
}

#[tokio::test]
async fn the_queue_tells_how_many_wait_and_for_how_long() {
    let database = database().await;
    let words = ["--roles", "api", "--metrics-listen", "127.0.0.1:0"];
    let service = Service::on(&database.url, &words);
    let client = service.client();
    post(&client, "/v1/sessions/s/messages", &[], &json!({"messages": work(3)}));
    post(&client, "/v1/sessions/s/compressions", &[], &json!({"target": 0.5}));
    let mut look = database.connect().await;
    change(&mut look, "update compressions set due_at = now() - interval '100 s'").await;
    let told = service.metrics().get("/metrics").text;
    assert!(told.contains("anchord_queue_jobs{kind=\"compress\",status=\"queued\"} 1\n"), "{told}");
    assert!(told.contains("anchord_queue_jobs{kind=\"index\",status=\"running\"} 0\n"), "{told}");
    let line = told.lines().find(|l| l.starts_with("anchord_queue_oldest_due_seconds{kind=\"compress\"}"));
    let age: f64 = line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).expect("a number");
    assert!((99.0..200.0).contains(&age), "{age}");
}

/// A server that takes traces and keeps them.
async fn collector() -> (String, Arc<Mutex<Vec<Bytes>>>) {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let take = async |State(kept): State<Arc<Mutex<Vec<Bytes>>>>, body: Bytes| {
        kept.lock().unwrap().push(body);
    };
    let router =
        axum::Router::new().route("/v1/traces", axum::routing::post(take)).with_state(Arc::clone(&kept));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    #[expect(clippy::disallowed_methods, reason = "the server lives as long as the test's runtime")]
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, kept)
}

fn spans(bodies: &[Bytes]) -> Vec<Span> {
    let requests = bodies.iter().map(|body| ExportTraceServiceRequest::decode(body.clone()).expect("OTLP"));
    let resources = requests.flat_map(|request| request.resource_spans);
    resources.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_trace_holds_the_request_the_job_and_the_call_to_the_model_and_no_text() {
    const TRACE: u128 = 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c;
    let (url, kept) = collector().await;
    let fake = FakeProvider::start([Act::Good]).await;
    let database = database().await;
    let traced = ["--otlp-endpoint", &url];
    // The API and the worker are two processes: the trace crosses in the queue.
    let api = service(&database, &fake, &[traced.as_slice(), &["--roles", "api"]].concat());
    let worker = service(&database, &fake, &[traced.as_slice(), &["--roles", "worker"]].concat());
    let client = api.client();
    let put = client.call("PUT", "/v1/sessions/s", &[], r#"{"context_window": 10000}"#).expect("a reply");
    assert_eq!(put.status, 201);
    let parent = format!("00-{TRACE:032x}-b7ad6b7169203331-01");
    let appended =
        post(&client, "/v1/sessions/s/messages", &[("traceparent", &parent)], &json!({"messages": work(30)}));
    assert!(appended["compression"].is_object(), "{appended}");
    until("a summary", async || (client.get("/v1/sessions/s/summary").status == 200).then_some(())).await;
    for process in [api, worker] {
        let ended = tokio::task::spawn_blocking(|| process.end(nix::sys::signal::Signal::SIGTERM)).await;
        assert_eq!(ended.expect("an end"), Some(0));
    }

    let spans = spans(&kept.lock().unwrap());
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    let call = spans.iter().find(|span| span.name == "llm.call").unwrap_or_else(|| panic!("{names:?}"));
    let of = |id: &[u8]| spans.iter().find(|span| span.span_id == id).expect("a parent that was sent");
    let job = of(&call.parent_span_id);
    let request = of(&job.parent_span_id);
    assert_eq!((job.name.as_str(), request.name.as_str()), ("job", "request"));
    let number_of = |id: &[u8]| id.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
    for span in [call, job, request] {
        assert_eq!(number_of(&span.trace_id), TRACE, "{}", span.name);
    }
    assert_eq!(
        number_of(&request.parent_span_id),
        0xb7ad_6b71_6920_3331,
        "the caller's own span is the parent"
    );
    let operation =
        request.attributes.iter().find(|pair| pair.key == "http.operation").expect("an operation");
    assert!(format!("{:?}", operation.value).contains("POST /v1/sessions/{session_id}/messages"));
    let all = format!("{spans:?}");
    for words in WORDS {
        assert!(!all.contains(words), "{words}");
    }
    assert!(
        fake.seen().iter().all(|seen| !seen.headers.contains_key("traceparent")),
        "a third party was told"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_requests_do_not_fill_the_log() {
    const REFUSED: usize = 300;
    let database = database().await;
    let service = Service::on(&database.url, &[]);
    let client = service.client();
    for _ in 0..REFUSED / 3 {
        assert_eq!(client.get("/v1/sessions/nobody").status, 404);
        assert_eq!(client.get("/v1/sessions?limit=0").status, 422);
        assert_eq!(client.get("/v1/nothing").status, 404);
    }
    let logged = tokio::task::spawn_blocking(|| service.end_with_log()).await.expect("a log");
    assert!(logged.contains("INFO"), "{logged}");
    assert!(logged.lines().count() < REFUSED, "{logged}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_processs_whole_output_holds_no_key_and_no_token() {
    let database = database().await;
    let token = "operator-operator-operator-operator";
    let words = ["--admin-token", token, "--log", "trace", "--webhook-targets", "any"];
    let service = Service::on(&database.url, &words);
    let client = service.client();
    let operator = client.with_key(token);
    let tenant = post(&operator, "/v1/admin/tenants", &[], &json!({"name": "customer"}));
    let keys = format!("/v1/admin/tenants/{}/keys", tenant["id"].as_str().expect("an id"));
    let scopes = json!({"scopes": ["read", "write", "admin"]});
    let made = post(&operator, &keys, &[], &scopes);
    let key = made["key"].as_str().expect("a key").to_owned();
    let tenant_client = client.with_key(&key);
    post(&tenant_client, "/v1/sessions/s/messages", &[], &json!({"messages": work(2)}));
    let own = post(&tenant_client, "/v1/keys", &[], &scopes);
    let rotated = post(
        &tenant_client,
        &format!("/v1/keys/{}/rotate", own["id"].as_str().expect("an id")),
        &[],
        &json!({}),
    );
    let hook = json!({"url": "http://127.0.0.1:1/a-path-that-is-a-token"});
    let hook = post(&tenant_client, "/v1/webhooks", &[], &hook);
    let hook_path = format!("/v1/webhooks/{}", hook["webhook"]["id"].as_str().expect("an id"));
    let hook_rotated = post(&tenant_client, &format!("{hook_path}/rotate"), &[], &json!({}));
    post(&tenant_client, &format!("{hook_path}/test"), &[], &json!({}));
    until("an attempt", async || {
        let log = tenant_client.get(&format!("{hook_path}/deliveries")).json();
        (log["items"][0]["last_error"] == "connection").then_some(())
    })
    .await;
    let signing = [&hook, &hook_rotated]
        .map(|made| made["secret"].as_str().and_then(|s| s.strip_prefix("whsec_")).expect("a secret"));
    let wrong = "a-key-that-was-mistyped-by-somebody";
    assert_eq!(client.with_key(wrong).get("/v1/sessions").status, 401);
    // Where no secret belongs, and where an error may quote what it refuses.
    assert_eq!(tenant_client.get(&format!("/v1/sessions?cursor={key}")).status, 422);
    assert_eq!(operator.get("/v1/admin/tenants").status, 200);
    assert_eq!(operator.get("/metrics").status, 200);
    let greeting = service.greeting.clone();
    let logged = tokio::task::spawn_blocking(|| service.end_with_log()).await.expect("a log");
    assert!(logged.contains("DEBUG") && logged.contains("request.done"), "{}", logged.len());
    let secrets =
        [token, &key, own["key"].as_str().expect("a key"), rotated["key"].as_str().expect("a key"), wrong];
    let url = database.url.as_str();
    for secret in
        secrets.into_iter().chain(signing).chain(["test-key-of-services-in-processes", url]).chain(WORDS)
    {
        assert!(!greeting.contains(secret), "{secret} was printed");
        let line = logged.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret}");
    }
}
