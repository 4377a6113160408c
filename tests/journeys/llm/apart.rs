//! What one tenant's calls meet is no other tenant's business: refusals, failures, names of models.

use anchord_llm::{Options, Provider};
use anchord_session::summary_models::SummaryModels;
use serde_json::{Value, json};

use super::{options, raw, stretch};
use crate::support::app::COMPRESS;
use crate::support::app::{App, OURS, THEIRS, app_with_model};
use crate::support::provider::{Act, FakeProvider};

const NO_MODEL: &str = r#"{"error": {"message": "The model `response_format` does not exist", "param": null, "code": "model_not_found"}}"#;
const NO_SCHEMA: &str = r#"{"error": {"message": "Invalid parameter", "type": "invalid_request_error", "param": "response_format", "code": null}}"#;

/// Two tenants at one server, where any model may be named.
async fn shared(fake: &FakeProvider) -> App {
    let options = Options { models: SummaryModels::Any, ..options(fake, Provider::Openai) };
    app_with_model(anchord_llm::Client::new(options).expect("a client")).await
}

/// A tenant's new session, compressed once by a model.
async fn compressed(app: &App, key: &str, session: &str, model: &str) -> Value {
    let path = format!("/v1/sessions/{session}");
    let made =
        app.call_as(key, "PUT", &path, json!({"auto": false, "summary_model": model}).to_string()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let body = json!({"messages": stretch(12)}).to_string();
    assert_eq!(app.call_as(key, "POST", &format!("{path}/messages"), body).await.status, 201);
    let queued = app.call_as(key, "POST", &format!("{path}/compressions"), COMPRESS).await;
    app.work().await;
    app.call_as(key, "GET", queued.headers["location"].to_str().unwrap(), "").await.json()
}

fn with_schema(fake: &FakeProvider) -> Vec<bool> {
    fake.seen().iter().map(|seen| seen.body.get("response_format").is_some()).collect()
}

#[tokio::test]
async fn a_model_that_is_named_like_a_parameter_teaches_nothing() {
    let fake = FakeProvider::start([Act::Raw(400, vec![], NO_MODEL.to_owned())]).await;
    let app = shared(&fake).await;
    let refused = compressed(&app, OURS, "a", "response_format").await;
    assert!(refused["warnings"].to_string().contains("llm: no_model"), "{refused}");
    fake.play([Act::Good]);
    assert_eq!(compressed(&app, THEIRS, "a", "small").await["engine"], "llm");
    assert_eq!(compressed(&app, OURS, "b", "small").await["engine"], "llm");
    assert!(with_schema(&fake).into_iter().all(|has| has), "everybody's calls have the schema");
}

#[tokio::test]
async fn what_a_model_does_not_take_is_remembered_for_that_model() {
    let fake = FakeProvider::start([Act::Raw(400, vec![], NO_SCHEMA.to_owned()), Act::Good]).await;
    let app = shared(&fake).await;
    for (key, session, model) in [(OURS, "a", "old"), (THEIRS, "a", "old"), (OURS, "b", "new")] {
        assert_eq!(compressed(&app, key, session, model).await["engine"], "llm");
    }
    assert_eq!(with_schema(&fake), [true, false, false, true]);
}

#[tokio::test]
async fn a_refusal_in_words_alone_teaches_nothing_beyond_its_call() {
    let refuses = Act::Raw(400, vec![], "response_format is not supported".to_owned());
    let fake = FakeProvider::start([refuses.clone(), Act::Good, refuses, Act::Good]).await;
    let app = shared(&fake).await;
    for session in ["a", "b"] {
        assert_eq!(compressed(&app, OURS, session, "small").await["engine"], "llm");
    }
    assert_eq!(with_schema(&fake), [true, false, true, false]);
}

#[tokio::test]
async fn a_forbidden_model_is_kept_from_whoever_names_it_and_from_nobody_else() {
    let fake = FakeProvider::start([raw(403, &[])]).await;
    let app = shared(&fake).await;
    for session in ["a", "b", "c", "d", "e"] {
        let failed = compressed(&app, OURS, session, "forbidden").await;
        assert!(failed["warnings"].to_string().contains("llm: status"), "{failed}");
    }
    let resting = compressed(&app, OURS, "f", "forbidden").await;
    assert!(resting["warnings"].to_string().contains("llm: open"), "{resting}");
    fake.play([Act::Good]);
    assert_eq!(compressed(&app, THEIRS, "a", "small").await["engine"], "llm");
    assert_eq!(compressed(&app, THEIRS, "b", "forbidden").await["engine"], "llm");
    assert_eq!(compressed(&app, OURS, "g", "small").await["engine"], "llm");
}

#[tokio::test]
async fn what_one_tenant_sends_and_the_server_fails_at_leaves_the_model_to_the_others() {
    let fake = FakeProvider::start([raw(500, &[])]).await;
    let app = shared(&fake).await;
    compressed(&app, OURS, "a", "small").await;
    let resting = compressed(&app, OURS, "b", "small").await;
    assert!(resting["warnings"].to_string().contains("llm: open"), "{resting}");
    fake.play([Act::Good]);
    assert_eq!(compressed(&app, THEIRS, "a", "small").await["engine"], "llm");
}

#[tokio::test]
async fn only_the_configured_model_may_be_named_unless_others_are_listed() {
    let fake = FakeProvider::start([Act::Good]).await;
    let own = anchord_llm::Client::new(options(&fake, Provider::Openai)).expect("a client");
    let app = app_with_model(own).await;
    let refused = app.call("PUT", "/v1/sessions/s", r#"{"summary_model": "large"}"#).await;
    assert_eq!(
        refused.refusal(),
        (422, "refused".to_owned(), "/summary_model".to_owned()),
        "{}",
        refused.text
    );
    assert!(refused.text.contains("small"), "it names what is allowed: {}", refused.text);
    assert_eq!(app.call("PUT", "/v1/sessions/s", r#"{"summary_model": "small"}"#).await.status, 201);
}
