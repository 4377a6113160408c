//! Messages over HTTP: what is taken comes back byte for byte, what cannot be taken says where.

use serde_json::json;

use crate::support::app::app;

const PATH: &str = "/v1/sessions/s/messages";

#[tokio::test]
async fn an_append_tells_where_the_session_stands() {
    let app = app().await;
    let body = json!({"messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What time is it in Lisbon?"},
        {"role": "assistant", "content": "Noon."}
    ]});
    let reply = app.call("POST", &format!("{PATH}?include=usage"), body.to_string()).await.json();
    assert_eq!(
        (&reply["first_seq"], &reply["last_seq"], &reply["next_seq"]),
        (&json!(1), &json!(3), &json!(4))
    );
    assert_eq!(reply["session_id"], "s");
    assert_eq!(reply["compression"], json!(null));
    assert_eq!(reply["decision"]["action"], "none");
    assert_eq!(reply["usage"]["effective_window"], 160_000);
    assert_eq!(reply["usage"]["uncompressed_messages"], 2);
    assert_eq!(reply["tokens_added"], reply["usage"]["context_tokens"]);
    let context = app.call("GET", "/v1/sessions/s/context", "").await.json();
    assert_eq!(context["tokens"]["total"], reply["usage"]["context_tokens"]);
}

#[tokio::test]
async fn the_same_key_replays_the_same_reply_before_any_precondition() {
    const OTHER: &str = r#"{"messages":[{"role":"user","content":"other"}]}"#;
    let app = app().await;
    let body = r#"{"messages":[{"role":"user","content":"x"}],"expected_next_seq":1}"#;
    let key = [("idempotency-key", "k1")];
    let first = app.call_with("POST", PATH, body, &key).await;
    let again = app.call_with("POST", PATH, body, &key).await;
    assert_eq!((again.status, &again.text), (first.status, &first.text));
    let other = app.call_with("POST", PATH, OTHER, &key).await;
    assert_eq!(other.refusal().1, "idempotency-mismatch");
    assert_eq!(app.call("GET", PATH, "").await.json()["items"].as_array().map(Vec::len), Some(1));
    app.call("DELETE", "/v1/sessions/s", "").await;
    assert_eq!(app.call_with("POST", PATH, OTHER, &key).await.status, 201);
}

#[tokio::test]
async fn a_request_with_two_keys_is_refused_and_does_nothing() {
    let app = app().await;
    let body = r#"{"messages":[{"role":"user","content":"x"}]}"#;
    for keys in [["k1", "k2"], ["k1", "k1"]] {
        let headers = keys.map(|key| ("idempotency-key", key));
        let refused = app.call_with("POST", PATH, body, &headers).await;
        refused.refused_as(400, "bad-request");
        assert!(refused.text.contains("Idempotency-Key"), "{}", refused.text);
    }
    app.call("GET", "/v1/sessions/s", "").await.refused_as(404, "session-not-found");
}

#[tokio::test]
async fn pages_go_on_where_the_last_one_ended_and_stay_in_their_range() {
    let app = app().await;
    let messages: Vec<_> = (1..=25).map(|i| json!({"role": "user", "content": format!("m{i}")})).collect();
    app.call("POST", PATH, json!({"messages": messages}).to_string()).await;
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = app.call("GET", &format!("{PATH}?from_seq=4&to_seq=20&limit=7{cursor}"), "").await.json();
        seen.extend(page["items"].as_array().expect("items").iter().filter_map(|item| item["seq"].as_i64()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, (4..=20).collect::<Vec<_>>());
    let others = app.call("GET", &format!("{PATH}?limit=7{cursor}"), "").await;
    assert_eq!(others.refusal().2, "/cursor", "a cursor of another query");
}

#[tokio::test]
async fn beyond_every_message_there_is_nothing() {
    let app = app().await;
    let one = json!({"messages": [{"role": "user", "content": "the only one"}]});
    app.call("POST", PATH, one.to_string()).await;
    for from in [2, 9_223_372_036_854_775_707_i64, i64::MAX - 1, i64::MAX] {
        let found = app.call("GET", &format!("{PATH}?from_seq={from}&limit=100"), "").await;
        assert_eq!(
            (found.status.as_u16(), found.json()["items"].clone()),
            (200, json!([])),
            "{from}: {}",
            found.text
        );
    }
}

#[tokio::test]
async fn a_tool_output_is_found_by_its_reference_whole_and_by_lines() {
    let app = app().await;
    let output: String =
        (1..=40).flat_map(|line| ["line ".to_owned(), line.to_string(), "\n".to_owned()]).collect();
    let call = json!({"id": "c1", "type": "function", "function": {"name": "sh", "arguments": "{}"}});
    let body = json!({"messages": [
        {"role": "user", "content": "run it"},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": output}
    ], "marks": [{"index": 2, "keep": "never"}]});
    assert_eq!(app.call("POST", PATH, body.to_string()).await.status, 201);
    let context = app.call("GET", "/v1/sessions/s/context", "").await.json();
    let reference = context["masked"][0]["ref"].as_str().expect("a masked output").to_owned();
    let path = format!("/v1/sessions/s/tool-outputs/{reference}");
    let whole = app.call("GET", &path, "").await.json();
    assert_eq!((&whole["content"], &whole["seq"], &whole["lines"]), (&json!(output), &json!(3), &json!(40)));
    let part = app.call("GET", &format!("{path}?from_line=2&to_line=3"), "").await.json();
    assert_eq!(part["content"], "line 2\nline 3\n");
    assert_eq!(app.call("GET", &format!("{path}?from_line=0"), "").await.refusal().2, "/from_line");
    let unknown = app.call("GET", "/v1/sessions/s/tool-outputs/0000000000000000", "").await;
    assert_eq!(unknown.refusal().1, "tool-output-not-found");
}
