//! The form of requests and replies: short by default, more on request, and what a first try meets.

use std::io::Read as _;

use anchord_http::problem::Kind;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::support::app::{App, COMPRESS, OPERATOR, OURS, THEIRS, app};

const HELLO: &str = r#"{"messages": [{"role": "user", "content": "hello"}]}"#;
const MESSAGES: &str = "/v1/sessions/s/messages";

fn names(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[tokio::test]
async fn an_append_is_answered_shortly_and_with_more_on_request() {
    let app = app().await;
    let reply = app.call("POST", "/v1/sessions/01929f5b-e2c4-7c3f-b1c4-a6d24b4e1a10/messages", HELLO).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    assert!(reply.text.len() <= 300, "{} bytes: {}", reply.text.len(), reply.text);
    let short = reply.json();
    assert_eq!(
        (&short["first_seq"], &short["last_seq"], &short["next_seq"]),
        (&json!(1), &json!(1), &json!(2))
    );
    assert_eq!(
        names(&short["usage"]),
        ["effective_utilization", "context_tokens", "effective_window", "assumed"]
    );
    assert_eq!(short["decision"], json!({"action": "none", "signals": []}));
    assert_eq!(short["compression"], Value::Null);

    let usage = app.call("POST", &format!("{MESSAGES}?include=usage"), HELLO).await.json();
    assert_eq!(usage["usage"]["components"]["history"], usage["usage"]["context_tokens"]);
    assert_eq!(usage["decision"]["signals"], json!([]));
    assert_eq!(usage["session_id"], "s");
    let signals = app.call("POST", &format!("{MESSAGES}?include=signals"), HELLO).await.json();
    assert_eq!(signals["decision"]["signals"].as_array().map(Vec::len), Some(10));
    assert_eq!(signals["decision"]["reasons"], json!([]));
    assert!(signals["usage"].get("components").is_none());
    let all = app.call("POST", &format!("{MESSAGES}?include=usage,signals"), HELLO).await.json();
    assert_eq!(names(&all["usage"]), names(&usage["usage"]));
    assert_eq!(names(&all["decision"]), names(&signals["decision"]));
}

#[tokio::test]
async fn what_an_append_cannot_return_is_refused_and_stores_nothing() {
    let app = app().await;
    for (query, pointer) in [
        ("include=use", "/include"),
        ("include=", "/include"),
        ("return=everything", "/return"),
        ("format=anthropic", "/format"),
        ("max_input_tokens=100", "/max_input_tokens"),
        ("recap=true", "/recap"),
        ("return=context&max_input_tokens=0", "/max_input_tokens"),
        ("return=context&max_input_tokens=99999999", "/max_input_tokens"),
        ("return=context&max_tokens=5", "/max_tokens"),
        ("return=context&through_seq=1", "/through_seq"),
    ] {
        let refused = app.call("POST", &format!("{MESSAGES}?{query}"), HELLO).await;
        assert_eq!(refused.refusal(), (422, "invalid-parameter".to_owned(), pointer.to_owned()), "{query}");
    }
    assert_eq!(app.call("GET", MESSAGES, "").await.status, 404, "a refused append made the session");
    let key = app.call("POST", "/v1/keys", r#"{"scopes": ["write"]}"#).await.json();
    let key = key["key"].as_str().expect("a key");
    let refused = app.call_as(key, "POST", &format!("{MESSAGES}?return=context"), HELLO).await;
    assert_eq!(
        (refused.refusal().1.as_str(), refused.status.as_u16()),
        ("forbidden", 403),
        "it may not read"
    );
    assert_eq!(app.call_as(key, "POST", MESSAGES, HELLO).await.status, 201);
}

#[tokio::test]
async fn only_signals_that_act_are_told() {
    let app = app().await;
    app.call("PUT", "/v1/sessions/s", r#"{"context_window": 2000}"#).await;
    let long = json!({"messages": [{"role": "user", "content": "word ".repeat(1_500)}]}).to_string();
    let reply = app.call("POST", MESSAGES, long).await.json();
    let signals = reply["decision"]["signals"].as_array().expect("signals");
    assert_eq!(signals.len(), 1, "{reply}");
    assert_eq!(signals[0]["kind"], "utilization");
    assert!(signals[0]["detail"].as_str().is_some_and(|detail| detail.ends_with("% of effective window")));
    assert_eq!(signals[0]["action"], reply["decision"]["action"]);
}

#[tokio::test]
async fn a_replay_is_the_first_reply_and_says_so() {
    let app = app().await;
    let key = ("idempotency-key", "k");
    let post = async |query: &str| app.call_with("POST", &format!("{MESSAGES}{query}"), HELLO, &[key]).await;
    let first = post("?include=usage").await;
    assert!(first.headers.get("idempotent-replayed").is_none());
    for query in ["?include=usage", "", "?include=signals"] {
        let again = post(query).await;
        assert_eq!((again.status, &again.text), (first.status, &first.text), "{query}");
        assert_eq!(again.headers["idempotent-replayed"], "true");
    }
    let context = post("?return=context").await;
    assert_eq!(context.headers["idempotent-replayed"], "true");
    assert_eq!(context.json()["context"]["head_seq"], 1);
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.json()["head_seq"], 1, "it was stored once");
    // Every other kept reply says it in the same way.
    let (path, key) = ("/v1/sessions/s/compressions", [("idempotency-key", "c")]);
    let made = app.call_with("POST", path, COMPRESS, &key).await;
    let again = app.call_with("POST", path, COMPRESS, &key).await;
    assert_eq!((made.text, made.status), (again.text, again.status));
    assert!(made.headers.get("idempotent-replayed").is_none());
    assert_eq!(again.headers["idempotent-replayed"], "true");
}

#[tokio::test]
async fn an_append_returns_the_context_in_one_round_trip() {
    let app = app().await;
    let body = r#"{"format": "anthropic", "messages": [{"role": "user", "content": "hello"}]}"#;
    let reply = app.call("POST", &format!("{MESSAGES}?return=context"), body).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    let reply = reply.json();
    assert_eq!((&reply["first_seq"], &reply["next_seq"]), (&json!(1), &json!(2)));
    assert!(reply.get("context_problem").is_none());
    let context = app.call("GET", "/v1/sessions/s/context?format=anthropic", "").await.json();
    assert_eq!(reply["context"], context, "the batch's format is the default");
    let query = "return=context&format=openai-responses&max_input_tokens=500&recap=true&include=usage";
    let other = app.call("POST", &format!("{MESSAGES}?{query}"), body).await.json();
    let context = "/v1/sessions/s/context?format=openai-responses&max_input_tokens=500&recap=true";
    assert_eq!(other["context"], app.call("GET", context, "").await.json());
    assert!(other["usage"]["components"].is_object());
    let used = app.call("GET", "/v1/usage", "").await.status;
    assert_eq!(used, 200);
}

#[tokio::test]
async fn an_append_whose_context_cannot_be_assembled_is_acknowledged() {
    let app = app().await;
    let path = format!("{MESSAGES}?return=context&max_input_tokens=1");
    let headers = [("idempotency-key", "k"), ("x-request-id", "mine-7")];
    let reply = app.call_with("POST", &path, HELLO, &headers).await;
    assert_eq!(reply.status, 201, "the messages are stored: {}", reply.text);
    let reply = reply.json();
    assert_eq!((&reply["last_seq"], reply.get("context")), (&json!(1), None));
    let problem = &reply["context_problem"];
    assert_eq!((&problem["type"], &problem["status"]), (&json!("/problems/budget-too-small"), &json!(422)));
    assert_eq!(problem["instance"], "mine-7");
    let least = problem["min_tokens"].as_u64().expect("the least budget");
    // The same request with a budget that is large enough stores nothing again.
    let path = format!("{MESSAGES}?return=context&max_input_tokens={least}");
    let again = app.call_with("POST", &path, HELLO, &headers).await.json();
    assert_eq!((&again["last_seq"], &again["context"]["head_seq"]), (&json!(1), &json!(1)));
    // A refused append has no context to tell of.
    let refused = r#"{"messages": [{"role": "user", "content": "x"}], "expected_next_seq": 7}"#;
    assert_eq!(app.call("POST", &path, refused).await.refusal().1, "sequence-mismatch");
}

#[tokio::test]
async fn lists_of_sessions_have_short_rows() {
    let app = app().await;
    let settings = r#"{"task_id": "t", "parent_session_id": "root", "context_window": 9000}"#;
    app.call("PUT", "/v1/sessions/s", settings).await;
    app.call("POST", MESSAGES, HELLO).await;
    let list = async |query: &str| app.call("GET", &format!("/v1/sessions{query}"), "").await;
    let row = list("").await.json()["items"][0].clone();
    assert!(row.to_string().len() < 520, "{row}");
    assert_eq!(
        (&row["session_id"], &row["task_id"], &row["parent_session_id"]),
        (&json!("s"), &json!("t"), &json!("root"))
    );
    assert_eq!((&row["head_seq"], &row["usage"]["effective_window"]), (&json!(1), &json!(7_200)));
    assert!(row.get("policy").is_none() && row.get("settings").is_none());
    let whole = app.call("GET", "/v1/sessions/s", "").await.json();
    let both = list("?include=settings,policy").await.json()["items"][0].clone();
    assert_eq!((&both["settings"], &both["policy"]), (&whole["settings"], &whole["policy"]));
    let one = list("?include=policy").await.json()["items"][0].clone();
    assert!(one.get("policy").is_some() && one.get("settings").is_none());
    assert_eq!(list("?include=policies").await.refusal().2, "/include");
}

#[tokio::test]
async fn a_key_may_come_in_a_header_of_its_own() {
    let app = app().await;
    let ask = async |headers: &[(&str, &str)]| app.call_with("GET", "/v1/sessions", "", headers).await;
    let (ours, theirs) = (format!("Bearer {OURS}"), format!("Bearer {THEIRS}"));
    assert_eq!(ask(&[("x-api-key", OURS)]).await.status, 200);
    assert_eq!(ask(&[("x-api-key", OURS), ("authorization", &ours)]).await.status, 200, "the same in both");
    for headers in [
        &[("x-api-key", OURS), ("authorization", &theirs)][..],
        &[("x-api-key", "")],
        &[("x-api-key", "wrong-key-of-nobody-0000000000000000")],
        &[("x-api-key", OURS), ("authorization", "Basic dTpw")],
        &[("x-api-key", OURS), ("x-api-key", THEIRS)],
        &[("authorization", &ours), ("authorization", &theirs)],
    ] {
        let refused = ask(headers).await;
        assert_eq!(refused.refusal().1, "unauthorized", "{headers:?}");
    }
    let both = ask(&[("x-api-key", OURS), ("authorization", &theirs)]).await.json();
    assert!(both["detail"].as_str().is_some_and(|detail| detail.contains("different keys")), "{both}");
    let document = anchord_http::openapi();
    let schemes = &document["components"]["securitySchemes"];
    assert_eq!(
        schemes["api_key_header"],
        json!({"type": "apiKey", "in": "header", "name": "x-api-key", "description": schemes["api_key_header"]["description"]})
    );
    let security = &document["paths"]["/v1/sessions"]["get"]["security"];
    assert_eq!(security, &json!([{"api_key": []}, {"api_key_header": []}]));
    assert_eq!(
        document["paths"]["/v1/admin/tenants"]["get"]["security"],
        json!([{"operator_token": []}, {"operator_token_header": []}])
    );
    let operator =
        async |headers: &[(&str, &str)]| app.call_with("GET", "/v1/admin/tenants", "", headers).await;
    assert_eq!(operator(&[("x-api-key", OPERATOR)]).await.status, 200, "as every key");
    assert_eq!(operator(&[("x-api-key", OURS)]).await.refusal().1, "unauthorized");
}

#[tokio::test]
async fn a_slash_at_the_end_of_a_path_changes_nothing() {
    let app = app().await;
    let posted = app.call_with("POST", &format!("{MESSAGES}/"), HELLO, &[("idempotency-key", "k")]).await;
    assert_eq!(posted.status, 201, "{}", posted.text);
    let again = app.call_with("POST", MESSAGES, HELLO, &[("idempotency-key", "k")]).await;
    assert_eq!(again.text, posted.text, "it is the same route");
    for (path, status) in [
        ("/v1/sessions/?limit=1", 200),
        ("/v1/sessions/s/", 200),
        ("/v1/sessions/s/context//", 200),
        ("/healthz/", 200),
        ("/problems/", 200),
        ("/docs/", 200),
        ("/docs", 303),
        ("/nowhere/", 404),
        ("/", 307),
    ] {
        assert_eq!(app.call("GET", path, "").await.status, status, "{path}");
    }
}

#[tokio::test]
async fn the_bare_address_leads_to_the_documentation() {
    let app = app().await;
    let reply = app.call("GET", "/", "").await;
    assert_eq!((reply.status.as_u16(), reply.headers["location"].to_str().ok()), (307, Some("/docs")));
}

#[tokio::test]
async fn a_marked_context_comes_with_the_append() {
    let app = app().await;
    let path = format!("{MESSAGES}?return=context&cache_control=5m");
    let body =
        r#"{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello"}]}"#;
    let reply = app.call("POST", &path, body).await.json();
    let context = &reply["context"];
    assert_eq!(context["format"], "anthropic", "{reply}");
    assert_eq!(context["system"][0]["cache_control"]["type"], "ephemeral", "{reply}");
    let alone = app.call("POST", &format!("{MESSAGES}?cache_control=5m"), HELLO).await;
    assert_eq!(alone.refusal().1, "invalid-parameter");
    assert!(alone.text.contains("/cache_control"), "{}", alone.text);
}

#[tokio::test]
async fn the_field_of_a_providers_request_is_told_what_stands_for_it() {
    let app = app().await;
    for (field, value, hint) in [
        ("system", json!("Be brief."), "role `system`"),
        ("input", json!([]), "`messages`"),
        ("max_tokens", json!(100), "reserved_output_tokens"),
        ("tools", json!([]), "system_tokens"),
        ("temperature", json!(0.5), "your own request"),
    ] {
        let mut body: Value = serde_json::from_str(HELLO).unwrap();
        body[field] = value;
        let refused = app.call("POST", MESSAGES, body.to_string()).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        let error = &refused.json()["errors"][0];
        assert_eq!(error["pointer"], format!("/{field}"));
        let detail = error["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(hint) && !detail.contains("expected one of"), "{detail}");
    }
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.status, 404, "nothing was stored");
}

/// As the documentation says it: any format, any model, positions of seven digits, as long as no signal acts.
#[tokio::test]
async fn a_default_reply_to_an_append_has_at_most_300_bytes_with_a_sessions_id_of_36() {
    let app = app().await;
    let mut owner = app.database.connect().await;
    let chat = r#""format": "openai-chat", "messages": [{"role": "user", "content": "hello"}]"#;
    let recognised = r#""messages": [{"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}]"#;
    let blocks = r#""messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]}]"#;
    let items = r#""messages": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]"#;
    // As many tokens as fit below the first level that a signal tells.
    let much = format!(r#""messages": [{{"role": "user", "content": "{}"}}]"#, "word ".repeat(65_000));
    for (at, messages) in [chat, recognised, blocks, items, &much].into_iter().enumerate() {
        for (model, unknown) in
            [("", true), (r#""model": "house/nobody-knows-it-32k","#, true), (r#""model": "gpt-4o","#, false)]
        {
            for length in [1, 36, 60, 190] {
                let id = format!("{:s<length$}", format!("{at}{}", model.len() % 10));
                let path = format!("/v1/sessions/{id}/messages");
                let made = format!(r#"{{{model}"messages": [{{"role": "user", "content": "hello"}}]}}"#);
                let first = app.call("POST", &path, made).await;
                let far = format!("update sessions set head_seq = 1234567 where name = '{id}'");
                sqlx::raw_sql(AssertSqlSafe(far)).execute(&mut owner).await.expect("a database");
                let reply = app.call("POST", &path, format!("{{{messages}}}")).await;
                for reply in [first, reply] {
                    assert_eq!(reply.status, 201, "{}", reply.text);
                    assert_eq!(reply.json()["decision"]["signals"], json!([]));
                    assert_eq!(reply.json()["usage"]["assumed"] == true, unknown, "{}", reply.text);
                    assert!(reply.text.len() <= 264 + id.len(), "{} bytes: {}", reply.text.len(), reply.text);
                }
            }
        }
    }
}

#[tokio::test]
async fn the_format_that_was_recognised_and_the_windows_warning_are_told_on_request() {
    let app = app().await;
    let body = r#"{"model": "house-model-7b", "messages": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]}"#;
    let both = |reply: &Value| (reply["format"].clone(), reply["warnings"][0]["code"].clone());
    let (format, code) = (json!("openai-responses"), json!("model-unknown"));
    for (query, told) in [
        ("", (Value::Null, Value::Null)),
        ("?include=format", (format.clone(), Value::Null)),
        ("?include=warnings", (Value::Null, code.clone())),
        ("?include=usage,signals", (Value::Null, Value::Null)),
        ("?include=warnings,format", (format.clone(), code.clone())),
    ] {
        let reply = app.call("POST", &format!("{MESSAGES}{query}"), body).await.json();
        assert_eq!((both(&reply), &reply["usage"]["assumed"]), (told, &json!(true)), "{query}");
    }
    let every = format!("{MESSAGES}?include=usage,signals,format,warnings");
    let all = app.call("POST", &every, body).await.json();
    assert_eq!(both(&all), (format, code));
    let session = app.call("GET", "/v1/sessions/s", "").await.json();
    assert_eq!((&all["warnings"], &session["usage"]["assumed"]), (&session["warnings"], &json!(true)));
    app.call("PATCH", "/v1/sessions/s", r#"{"context_window": 32000}"#).await;
    let told = app.call("POST", &every, body).await.json();
    assert_eq!((told["usage"].get("assumed"), told.get("warnings")), (None, None));
}

#[tokio::test]
async fn an_unknown_route_is_told_as_one_with_the_route_that_was_meant() {
    let app = app().await;
    for (path, meant) in [
        ("/v1/sesions", Some("/v1/sessions")),
        ("/sessions/s/messages", Some("/v1/sessions/s/messages")),
        ("/v1/sessions/s/mesages/", Some("/v1/sessions/s/messages")),
        ("/v1/chat/completions", None),
        ("/docs/nothing.js", None),
    ] {
        let reply = app.call("GET", path, "").await;
        assert_eq!(reply.refusal().1, "route-not-found", "{path}");
        let detail = reply.json()["detail"].as_str().unwrap_or_default().to_owned();
        assert!(
            detail.starts_with("no operation has the path /") && !detail.contains("yours"),
            "{path}: {detail}"
        );
        match meant {
            Some(meant) => assert!(detail.ends_with(&format!("did you mean {meant}?")), "{path}: {detail}"),
            None => assert!(!detail.contains("did you mean"), "{path}: {detail}"),
        }
    }
    let long = app.call("GET", &format!("/{}", "x".repeat(20_000)), "").await;
    assert!(long.text.len() < 1_000, "a detail is clipped");
}

async fn page(app: &App, path: &str, encodings: Option<&str>) -> (Option<String>, Vec<u8>) {
    let headers: Vec<(&str, &str)> = encodings.iter().map(|value| ("accept-encoding", *value)).collect();
    let reply = app.open(path, &headers).await;
    assert_eq!(reply.status(), 200, "{path} {encodings:?}");
    let coding =
        reply.headers().get("content-encoding").map(|value| value.to_str().expect("text").to_owned());
    let vary = reply
        .headers()
        .get_all("vary")
        .iter()
        .any(|value| value.to_str().is_ok_and(|v| v.eq_ignore_ascii_case("accept-encoding")));
    assert!(vary, "{path} {encodings:?}");
    (coding, reply.into_body().collect().await.expect("a body").to_bytes().to_vec())
}

#[tokio::test]
async fn the_documentation_is_encoded_as_the_client_accepts() {
    let app = app().await;
    for path in ["/docs/", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js"] {
        let (coding, plain) = page(&app, path, None).await;
        assert_eq!(coding, None, "{path}");
        assert!(!plain.is_empty() && std::str::from_utf8(&plain).is_ok(), "{path} is text");
        for encodings in ["identity", "gzip;q=0", "identity, *;q=0", "br"] {
            assert_eq!(page(&app, path, Some(encodings)).await, (None, plain.clone()), "{path} {encodings}");
        }
        for encodings in ["gzip", "br, gzip;q=0.1", "*"] {
            let (coding, packed) = page(&app, path, Some(encodings)).await;
            assert_eq!(coding.as_deref(), Some("gzip"), "{path} {encodings}");
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut unpacked).expect("gzip");
            assert!(unpacked == plain, "{path} {encodings}");
        }
        assert_eq!(app.call("HEAD", path, "").await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn every_problem_opens_a_page_that_explains_it() {
    let app = app().await;
    let get = async |path: &str, accept: &str| {
        app.call_with("GET", path, "", &[("authorization", ""), ("accept", accept)]).await
    };
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for kind in Kind::ALL {
        let path = format!("/problems/{}", kind.slug());
        let page = get(&path, browser).await;
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
        assert!(page.headers["content-security-policy"].to_str().unwrap().contains("default-src 'none'"));
        assert!(page.text.contains(&path) && page.text.contains("What to do"), "{path}");
        let json = get(&path, "application/json").await.json();
        assert_eq!((&json["type"], &json["title"]), (&json!(path), &json!(kind.about().title)));
        assert!(json["meaning"].is_string() && json["remedy"].is_string() && json["members"].is_array());
        let markdown = get(&path, "text/markdown").await;
        assert!(markdown.text.starts_with(&format!("# {}\n", kind.about().title)), "{path}");
        assert!(markdown.text.contains("## What to do"), "{path}");
    }
    let all = get("/problems", "application/json").await.json();
    assert_eq!(all["items"].as_array().map(Vec::len), Some(Kind::ALL.len()));
    assert!(get("/problems", browser).await.text.contains("<a href=\"/problems/budget-too-small\">"));
    let unknown = get("/problems/session-not-fund", "application/json").await;
    assert_eq!(unknown.refusal().1, "route-not-found");
    assert!(unknown.json()["detail"].as_str().unwrap().contains("/problems/session-not-found"));
    // The type of a problem that was met is the address of its page.
    let met = app.call("GET", "/v1/sessions/none", "").await.json();
    assert_eq!(get(met["type"].as_str().unwrap(), browser).await.status, 200);
}

#[tokio::test]
async fn a_form_is_told_how_to_send_json() {
    let app = app().await;
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let refused = app.call_with("POST", MESSAGES, HELLO, &form).await;
    assert_eq!((refused.status.as_u16(), refused.refusal().1.as_str()), (415, "unsupported-media-type"));
    let detail = refused.json()["detail"].as_str().unwrap_or_default().to_owned();
    assert!(detail.contains("-H 'Content-Type: application/json'"), "{detail}");
    let plain = app.call_with("POST", MESSAGES, HELLO, &[("content-type", "text/plain")]).await;
    assert!(!plain.json()["detail"].as_str().unwrap_or_default().contains("curl"));
}

/// Every number of a reply that is no whole one, with its place.
fn fractions(value: &Value, place: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Number(number) if number.is_f64() => found.push((place.to_owned(), number.to_string())),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| fractions(item, &format!("{place}/{at}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| fractions(field, &format!("{place}/{name}"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn ratios_have_at_most_four_decimals_and_a_reduction_is_called_one() {
    let app = app().await;
    // Of a window that is no round number, so that shares of it are none either.
    app.call("PUT", "/v1/sessions/s", r#"{"model": "gpt-4o", "system_tokens": 1234}"#).await;
    let said = |turn: usize| json!({"role": if turn.is_multiple_of(2) { "user" } else { "assistant" }, "content": format!("{turn} {}", "a few words of it ".repeat(90 + turn))});
    let batch = json!({"messages": (0..30).map(said).collect::<Vec<_>>()}).to_string();
    let appended = app.call("POST", &format!("{MESSAGES}?include=usage,signals"), batch).await.json();
    let run = app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await.json();
    app.work().await;
    let run = app
        .call("GET", &format!("/v1/sessions/s/compressions/{}", run["id"].as_str().unwrap()), "")
        .await
        .json();
    assert_eq!(run["status"], "succeeded", "{run}");
    let share = 1.0 - run["tokens_after"].as_f64().unwrap() / run["tokens_before"].as_f64().unwrap();
    assert!((run["reduction"].as_f64().unwrap() - share).abs() < 0.000_06, "{run}");
    let get = async |path: &str| app.call("GET", &format!("/v1/sessions/s{path}"), "").await.json();
    let summary = get("/summary").await;
    let history = get("/summaries").await;
    for told in [&run, &summary, &history["items"][0]] {
        assert_eq!(told["reduction"], run["reduction"]);
    }
    let mut found = Vec::new();
    let replies =
        [appended, run, summary, history, get("").await, get("/context").await, get("/evaluations").await];
    for (at, reply) in replies.iter().enumerate() {
        fractions(reply, &at.to_string(), &mut found);
    }
    assert!(found.len() > 10, "{found:?}");
    let long: Vec<_> = found
        .iter()
        .filter(|(_, text)| text.split('.').nth(1).is_some_and(|decimals| decimals.len() > 4))
        .collect();
    assert!(long.is_empty(), "{long:?}");
}

#[tokio::test]
async fn what_a_request_gets_wrong_is_told_with_what_is_right() {
    let app = app().await;
    let made = app.call("PUT", "/v1/sessions/s", "{}").await;
    assert_eq!(made.status, 201);
    for (header, method, path, pointer) in [
        (("prefer", "wait=abc"), "POST", "/v1/sessions/s/compressions", "/Prefer"),
        (("if-match", "\"1\""), "PUT", "/v1/sessions/s", "/If-Match"),
        (("if-match", "*"), "DELETE", "/v1/sessions/s", "/If-Match"),
    ] {
        let refused = app.call_with(method, path, "{}", &[header]).await;
        assert_eq!(refused.refusal(), (422, "invalid-parameter".to_owned(), pointer.to_owned()), "{method}");
    }
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.status, 200, "nothing was changed");
    for next in [json!("two"), json!(1.5), json!(0), json!(-3)] {
        let body = json!({"messages": [{"role": "user", "content": "hello"}], "expected_next_seq": next});
        let refused = app.call("POST", MESSAGES, body.to_string()).await;
        assert_eq!(refused.refusal().2, "/expected_next_seq");
        assert!(refused.text.contains("must be a whole number, 1 or more"), "{}", refused.text);
    }
    for (path, meant) in [
        ("/v1/v1/sessions/s", "did you mean /v1/sessions/s?"),
        ("/v1/models/openai/gpt-4o", "did you mean /v1/models/openai%2Fgpt-4o?"),
    ] {
        let unknown = app.call("GET", path, "").await;
        assert_eq!(unknown.status, 404);
        assert!(unknown.text.contains(meant), "{}", unknown.text);
    }
    assert_eq!(app.call("GET", "/v1/models/openai%2Fgpt-4o", "").await.status, 200);
}
