//! Contexts over HTTP, and what reading one costs.

use anchord_messages::id::{SessionName, SessionRef};
use anchord_store::context::ContextSource;
use serde_json::{Value, json};

use crate::support::app::COMPRESS;
use crate::support::app::{App, app};

const PATH: &str = "/v1/sessions/s/context";

async fn fill(app: &App, messages: usize, words: usize) {
    for batch in 0..messages.div_ceil(500) {
        let batch: Vec<Value> = (batch * 500..messages.min(batch * 500 + 500))
            .map(|i| {
                let role = if i % 2 == 0 { "user" } else { "assistant" };
                json!({"role": role, "content": format!("{i} {}", "word ".repeat(words))})
            })
            .collect();
        let reply = app.call("POST", "/v1/sessions/s/messages", json!({"messages": batch}).to_string()).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
    }
}

#[tokio::test]
async fn a_context_is_served_in_every_format_with_a_tag_that_holds_until_something_changes() {
    let app = app().await;
    fill(&app, 4, 5).await;
    for format in ["openai-chat", "anthropic", "openai-responses"] {
        let path = format!("{PATH}?format={format}");
        let first = app.call("GET", &path, "").await;
        assert_eq!(first.status, 200, "{}", first.text);
        assert_eq!(first.json()["head_seq"], 4);
        let tag = first.headers["etag"].to_str().expect("a tag").to_owned();
        let again = app.call_with("GET", &path, "", &[("if-none-match", &tag)]).await;
        assert_eq!((again.status.as_u16(), again.text.as_str()), (304, ""));
        let other = app
            .call_with("GET", &format!("{path}&max_input_tokens=900"), "", &[("if-none-match", &tag)])
            .await;
        assert_eq!(other.status, 200, "another query");
        app.call("PUT", "/v1/sessions/s/pins", json!({"pins": [format]}).to_string()).await;
        let changed = app.call_with("GET", &path, "", &[("if-none-match", &tag)]).await;
        assert_eq!(changed.status, 200, "other pins");
    }
}

#[tokio::test]
async fn a_budget_is_kept_whatever_is_stored_and_names_what_it_needs_when_it_cannot() {
    let app = app().await;
    fill(&app, 1_200, 30).await;
    for max_tokens in [100, 1_000, 10_000, 100_000] {
        let context = app.call("GET", &format!("{PATH}?max_input_tokens={max_tokens}"), "").await.json();
        assert!(context["tokens"]["total"].as_u64().is_some_and(|total| total <= max_tokens), "{max_tokens}");
        assert_eq!(context["within_budget"], true);
        assert_eq!(context["head_seq"], 1_200);
    }
    let refused = app.call("GET", &format!("{PATH}?max_input_tokens=1"), "").await;
    assert_eq!(refused.refusal().1, "budget-too-small");
    let least = refused.json()["min_tokens"].as_u64().expect("the least budget");
    assert!(least > 1);
    let served = app.call("GET", &format!("{PATH}?max_input_tokens={least}"), "").await;
    assert_eq!(served.status, 200, "a budget that is named as enough is: {}", served.text);
    assert_eq!(
        app.call("GET", &format!("{PATH}?max_input_tokens=0"), "").await.refusal().2,
        "/max_input_tokens"
    );
}

#[tokio::test]
async fn no_more_is_read_than_the_budget_can_hold() {
    let app = app().await;
    fill(&app, 2_000, 20).await;
    let read = source(&app, 2_000).await;
    let tokens: u32 = read.tail.iter().map(|entry| entry.tokens).sum();
    assert!(tokens >= 2_000, "the budget could hold more than was read: {tokens}");
    assert!(read.tail.len() < 200, "{} messages were read", read.tail.len());
    assert_eq!(read.tail.last().map(|entry| entry.seq), Some(2_000));
    let first: Vec<i64> = read.tail.iter().take(4).map(|entry| entry.seq).collect();
    assert_eq!((&first[..3], read.tail_omitted), (&[1, 2, 3][..], None), "with what opened the session");
    assert!(first[3] > 1_800, "{first:?}");
    let all = source(&app, 1_000_000).await;
    assert_eq!((all.tail.len(), all.tail_omitted), (2_000, None));
}

#[tokio::test]
async fn leading_system_messages_are_read_apart_from_the_tail() {
    let app = app().await;
    let body =
        json!({"messages": [{"role": "system", "content": "one"}, {"role": "developer", "content": "two"}]});
    app.call("POST", "/v1/sessions/s/messages", body.to_string()).await;
    fill(&app, 1_000, 20).await;
    let read = source(&app, 1_000).await;
    assert_eq!(read.system.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(read.tail.first().map(|entry| entry.seq), Some(3));
    assert!(read.tail.get(3).is_some_and(|entry| entry.seq > 900));
    let context = app.call("GET", &format!("{PATH}?format=anthropic&max_input_tokens=1000"), "").await.json();
    assert!(context["system"].as_str().is_some_and(|system| system.starts_with("one")));
}

#[tokio::test]
async fn every_change_shows_in_the_next_context() {
    let app = app().await;
    fill(&app, 40, 30).await;
    let system = json!({"messages": [{"role": "system", "content": "be brief"}]}).to_string();
    let changes = [
        ("POST", "/v1/sessions/s/messages", system.as_str()),
        ("PUT", "/v1/sessions/s/pins", r#"{"pins": ["never push"]}"#),
        ("PATCH", "/v1/sessions/s", r#"{"context_window": 9000}"#),
        ("POST", "/v1/sessions/s/compressions", COMPRESS),
        ("POST", "/v1/sessions/s/messages", r#"{"messages": [{"role": "user", "content": "next"}]}"#),
        ("POST", "/v1/sessions/s/compressions", COMPRESS),
        ("POST", "/v1/sessions/s/summaries/1/rollback", "{}"),
        ("DELETE", "/v1/sessions/s", ""),
        ("POST", "/v1/sessions/s/messages", system.as_str()),
    ];
    let mut seen = Vec::new();
    for (method, path, body) in changes {
        let reply = app.call(method, path, body.to_owned()).await;
        assert!(reply.status.is_success(), "{method} {path}: {}", reply.text);
        app.work().await;
        let read = app.call("GET", PATH, "").await;
        seen.push((read.headers.get("etag").cloned(), read.text));
    }
    seen.dedup();
    assert_eq!(seen.len(), changes.len(), "each change shows");
    seen.dedup_by_key(|(tag, _)| tag.clone());
    assert_eq!(seen.len(), changes.len(), "each change has a tag of its own");
}

#[tokio::test]
async fn a_session_that_is_erased_while_its_context_is_read_is_gone_and_one_that_lacks_a_row_is_no_context() {
    let app = app().await;
    fill(&app, 3, 20).await;
    let session = app.store.find_session(app.tenant, &name()).await.expect("a read").expect("a session");
    let read = async || app.store.find_context(app.tenant, session.clone(), None).await;
    assert!(read().await.expect("a read").is_some());
    let mut owner = app.database.connect().await;
    sqlx::query!("delete from messages where seq = 2").execute(&mut owner).await.expect("a write");
    let refused = read().await.expect_err("a message is missing").to_string();
    assert!(refused.contains("is not there"), "{refused}");
    assert_eq!(app.call("DELETE", "/v1/sessions/s", "").await.status, 204);
    assert!(read().await.expect("a read").is_none());
    // The same name is another session, and nothing of it is served for the one that was read.
    fill(&app, 3, 20).await;
    assert!(read().await.expect("a read").is_none());
}

fn name() -> SessionRef {
    SessionRef::from(SessionName::parse("s").expect("a name"))
}

/// What a context of the session within a budget is made of.
async fn source(app: &App, budget: u32) -> ContextSource {
    let session = app.store.find_session(app.tenant, &name()).await.expect("a read").expect("a session");
    let source = app.store.find_context(app.tenant, session, Some(budget)).await.expect("a read");
    source.expect("a session")
}

#[tokio::test]
async fn what_changes_while_a_context_is_read_is_read_again() {
    let app = app().await;
    fill(&app, 30, 40).await;
    let session = app.store.find_session(app.tenant, &name()).await.expect("a read").expect("a session");
    let read =
        async |budget| app.store.find_context(app.tenant, session.clone(), budget).await.expect("a read");
    assert!(read(None).await.is_some());
    // Its tag would name the pins of before.
    assert_eq!(app.call("PUT", "/v1/sessions/s/pins", r#"{"pins": ["never push"]}"#).await.status, 200);
    assert!(read(None).await.is_none());
    let context = app.call("GET", PATH, "").await;
    assert!(context.text.contains("never push"), "{}", context.text);
    // Of a tail that the budget cannot hold nothing is found either.
    assert_eq!(app.call("DELETE", "/v1/sessions/s", "").await.status, 204);
    assert!(read(Some(100)).await.is_none());
}
