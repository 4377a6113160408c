//! What a model's calls used goes to the task's ledger, failed ones too.

use anchord_llm::Provider;
use serde_json::json;

use super::{app_for, compressed, options};
use crate::support::app::OPERATOR;
use crate::support::number;
use crate::support::provider::{Act, FakeProvider};

#[tokio::test]
async fn every_call_counts_for_the_task_that_the_session_has() {
    let cached = json!({
        "choices": [{"message": {"content": "no record at all"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 64}},
    });
    let fake = FakeProvider::start([
        Act::Raw(500, vec![], String::new()),
        Act::Raw(200, vec![], cached.to_string()),
        Act::Good,
    ])
    .await;
    let app = app_for(options(&fake, Provider::Openai)).await;
    assert_eq!(app.call("PATCH", "/v1/sessions/s", r#"{"task_id": "t"}"#).await.status, 200);
    let done = compressed(&app, r#"{"engine": "llm"}"#).await;
    assert_eq!(done["cost"]["cached_tokens"], 64, "{done}");
    let task = app.call("GET", "/v1/tasks/t", "").await.json();
    let mut look = app.database.connect().await;
    let llm = &task["llm"];
    for (field, sum) in [
        ("calls", "count(*)"),
        ("failed_calls", "count(*) filter (where outcome <> 'ok')"),
        ("input_tokens", "sum(input_tokens)::bigint"),
        ("output_tokens", "sum(output_tokens)::bigint"),
        ("cached_tokens", "sum(cached_tokens)::bigint"),
        ("cost_micros", "sum(cost_micros)::bigint"),
    ] {
        let noted = number(&mut look, &format!("select {sum} from llm_attempts")).await;
        assert_eq!(llm[field], noted, "{field}: {llm}");
        assert!(noted > 0, "{field}");
    }
    assert_eq!(llm["cached_tokens"], 64);
    let day = app.call("GET", "/v1/usage", "").await.json();
    assert_eq!(&day["total"]["llm"], llm);
    let spent = llm["input_tokens"].as_i64().unwrap() + llm["output_tokens"].as_i64().unwrap();
    assert_eq!(task["total_tokens"], spent, "no context was served");
    // What is spent is spent: erasing a session gives no quota back.
    assert_eq!(app.call("DELETE", "/v1/sessions/s", "").await.status, 204);
    assert_eq!(&app.call("GET", "/v1/usage", "").await.json()["total"]["llm"], llm);
    assert_eq!(number(&mut look, "select count(*) from usage_by_session").await, 0);
}

#[tokio::test]
async fn a_tenant_whose_tokens_for_the_day_are_used_up_is_worded_by_code() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_for(options(&fake, Provider::Openai)).await;
    let path = format!("/v1/admin/tenants/{}", app.tenant);
    app.call_as(OPERATOR, "PATCH", &path, r#"{"quotas": {"llm_tokens_per_day": 100}}"#).await.with(200);
    let first = compressed(&app, "").await;
    assert_eq!(first["engine"], "llm", "{first}");
    let asked = fake.seen().len();
    super::append(&app, &super::stretch(20)).await;
    let done = compressed(&app, "").await;
    assert_eq!((&done["status"], &done["engine"]), (&json!("succeeded"), &json!("extractive")), "{done}");
    assert!(done["warnings"].to_string().contains("quota_used_up"), "{done}");
    assert_eq!(fake.seen().len(), asked, "no model was asked");
}
