//! Recall by what messages mean: with an embeddings server, without one, and with one that fails.

use std::time::{Duration, Instant};

use anchord_messages::id::TenantId;
use anchord_worker::index::index;
use serde_json::{Value, json};

use crate::support::app::{App, THEIRS, app, app_with_embedder};
use crate::support::branches::{branch_of, fork, switch};
use crate::support::embeddings::{Answering, FakeEmbeddings};
use crate::support::{change, number, text};

/// A session in which one message is about a crane, in words that a question need not use.
const TALK: [&str; 5] = [
    "Let us begin with the list of open points for today",
    "The crane in the harbour gets a coat of orange before it is too late",
    "And the next point is the one about the parking lot behind the hall",
    "Nobody has looked at the parking lot since the last meeting, as far as we know",
    "Then we leave the parking lot as it is and go home",
];

async fn tell(app: &App, session: &str, texts: &[&str]) {
    let messages: Vec<Value> = texts.iter().map(|text| json!({"role": "user", "content": text})).collect();
    let path = format!("/v1/sessions/{session}/messages");
    app.call("POST", &path, json!({"messages": messages}).to_string()).await.with(201);
}

async fn ask(app: &App, session: &str, query: &str) -> Value {
    app.call("GET", &format!("/v1/sessions/{session}/recall?{query}"), "").await.with(200).json()
}

fn seqs(found: &Value) -> Vec<i64> {
    found["items"].as_array().expect("items").iter().map(|hit| hit["seq"].as_i64().expect("a seq")).collect()
}

/// How it was ranked, and why by words alone.
fn mode(found: &Value) -> (&str, &str) {
    (found["mode"].as_str().expect("a mode"), found["degraded"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn without_a_server_recall_is_by_words_and_nothing_is_queued() {
    let app = app().await;
    tell(&app, "s", &TALK).await;
    let found = ask(&app, "s", "q=crane").await;
    assert_eq!((seqs(&found), mode(&found)), (vec![2], ("lexical", "")));
    assert_eq!(found["degraded"], Value::Null);
    assert_eq!(seqs(&ask(&app, "s", "q=hoist+tangerine").await), [0; 0]);
    let refused = app.call("GET", "/v1/sessions/s/recall?q=crane&mode=hybrid", "").await;
    assert_eq!(refused.refusal(), (422, "invalid-parameter".into(), "/mode".into()), "{}", refused.text);
    app.store.queue_marked().await.expect("a database");
    let mut owner = app.database.connect().await;
    assert_eq!(number(&mut owner, "select count(*) from recall_embeddings").await, 0);
}

#[tokio::test]
async fn with_a_server_messages_are_found_by_what_they_mean() {
    let server = FakeEmbeddings::start().await;
    let app = app_with_embedder(server.client("small")).await;
    tell(&app, "s", &TALK).await;
    let found = ask(&app, "s", "q=hoist+tangerine").await;
    assert_eq!((seqs(&found), mode(&found)), (vec![], ("lexical", "no_vectors")));

    assert_eq!(app.make_vectors().await, 1);
    let found = ask(&app, "s", "q=hoist+tangerine&limit=1").await;
    assert_eq!((seqs(&found), mode(&found)), (vec![2], ("hybrid", "")));
    assert!(found["items"][0]["snippet"].as_str().expect("a snippet").starts_with("The crane"), "{found}");
    let words = ask(&app, "s", "q=hoist+tangerine&mode=lexical").await;
    assert_eq!((seqs(&words), mode(&words)), (vec![], ("lexical", "")));
    // What the words find stays first when it is as near.
    assert_eq!(seqs(&ask(&app, "s", "q=orange+crane&limit=1&mode=hybrid").await), [2]);

    let (uri, headers, body) = server.first();
    assert_eq!(
        (uri.path(), &headers["authorization"]),
        ("/v1/embeddings", &"Bearer embedding-key".parse().unwrap())
    );
    assert_eq!((&body["model"], &body["input"]), (&json!("small"), &json!(["hoist tangerine"])));
    // A question that was asked lately is not sent again.
    let sent = server.texts().len();
    ask(&app, "s", "q=hoist+tangerine").await;
    assert_eq!(server.texts().len(), sent);
}

#[tokio::test]
async fn a_server_that_is_away_slow_or_wrong_leaves_the_answer_to_words_and_says_so() {
    let server = FakeEmbeddings::start().await;
    let mut app = app_with_embedder(server.client("small")).await;
    tell(&app, "s", &TALK).await;
    app.make_vectors().await;
    let vector = |values: Value| json!({"data": [{"index": 0, "embedding": values}]});
    let one = |length: usize| json!(vec![0.5; length]);
    for (answering, expected) in [
        (Answering::Status(503), "server_unavailable"),
        (Answering::Status(401), "server_unavailable"),
        (Answering::Never, "server_slow"),
        (Answering::With(json!({"data": []})), "server_invalid"),
        (Answering::With(vector(json!([1, "NaN"]))), "server_invalid"),
        (Answering::With(json!({"data": [{"embedding": one(7)}, {"embedding": one(7)}]})), "server_invalid"),
        (Answering::With(json!("hello")), "server_invalid"),
    ] {
        // A client of its own each time: after some failures one does not ask for a while.
        app.set_embedder(Some(server.client("small")));
        server.answer(answering.clone());
        let begun = Instant::now();
        let found = ask(&app, "s", "q=crane").await;
        assert_eq!((seqs(&found), mode(&found)), (vec![2], ("lexical", expected)), "{answering:?}");
        assert!(begun.elapsed() < Duration::from_secs(3), "{answering:?} took {:?}", begun.elapsed());
    }
    // Vectors of other dimensions than before: the client that has seen the right ones knows.
    let client = server.client("small");
    app.set_embedder(Some(client));
    server.answer(Answering::Well(0));
    assert_eq!(mode(&ask(&app, "s", "q=crane").await), ("hybrid", ""));
    server.answer(Answering::Well(3));
    assert_eq!(mode(&ask(&app, "s", "q=crane+again").await), ("lexical", "server_invalid"));

    // A server that is gone: after five failures it is not even asked.
    let gone = server.moved_to("http://127.0.0.1:1");
    app.set_embedder(Some(gone.client("small")));
    for n in 0..6 {
        let found = ask(&app, "s", &format!("q=crane+{n}")).await;
        assert_eq!((seqs(&found), mode(&found)), (vec![2], ("lexical", "server_unavailable")));
    }
}

#[tokio::test]
async fn a_batch_that_fails_is_tried_again_and_takes_no_message_twice() {
    let server = FakeEmbeddings::start().await;
    let mut app = app_with_embedder(server.client("small")).await;
    tell(&app, "s", &TALK).await;
    server.answer(Answering::Status(503));
    assert_eq!(app.make_vectors().await, 1);
    let mut owner = app.database.connect().await;
    let state = "select failures || ' ' || through_seq || ' ' || coalesce(due_at > now() - interval '1 second', false)
                 || ' ' || (leased_until is null) from recall_embeddings";
    assert_eq!(text(&mut owner, state).await, "1 0 true true");

    // Another process goes on where this one was.
    server.answer(Answering::Well(0));
    app.set_embedder(Some(server.client("small")));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(app.make_vectors().await, 1);
    assert_eq!(text(&mut owner, state).await.split(' ').take(2).collect::<Vec<_>>(), ["0", "5"]);
    let sent = server.texts().len();
    tell(&app, "s", &["The winch was sold for a lot of money"]).await;
    app.make_vectors().await;
    assert_eq!(server.texts()[sent..], [["The winch was sold for a lot of money"]], "only what is new");
    assert_eq!(seqs(&ask(&app, "s", "q=vessel+costs&limit=1").await), [6]);
    assert_eq!(number(&mut owner, "select count(*) from recall_vectors").await, 1, "one block");

    // A worker that lost its lease changes nothing.
    tell(&app, "s", &["And the ship left the harbour in January"]).await;
    app.store.queue_marked().await.expect("a database");
    let late = app.store.claim_embeddings(Duration::ZERO, 8, 4).await.expect("a claim").remove(0);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(app.make_vectors().await, 1);
    let new = anchord_store::embeddings::NewVectors {
        model: "small",
        dimensions: 7,
        after: 6,
        messages: vec![vec![vec![1.0; 7]]],
    };
    let stored = app.store.store_vectors(&late, new).await.expect("an answer");
    assert_eq!(stored, anchord_store::embeddings::Stored::Lost);
}

#[tokio::test]
async fn with_another_model_all_vectors_are_made_anew() {
    let server = FakeEmbeddings::start().await;
    let mut app = app_with_embedder(server.client("small")).await;
    let many: Vec<String> =
        (0..150).map(|n| format!("Point {n} of the list is about something else")).collect();
    let mut texts: Vec<&str> = many.iter().map(String::as_str).collect();
    texts[100] = TALK[1];
    tell(&app, "s", &texts).await;
    assert_eq!(app.make_vectors().await, 3, "64 messages at a time");
    assert_eq!(seqs(&ask(&app, "s", "q=hoist+tangerine&limit=1").await), [101]);
    let bytes = "select sum(octet_length(vectors))::bigint from recall_vectors";
    let mut owner = app.database.connect().await;
    let before = number(&mut owner, bytes).await;

    app.set_embedder(Some(server.client("large")));
    server.answer(Answering::Well(5));
    let found = ask(&app, "s", "q=hoist+tangerine").await;
    assert_eq!(mode(&found), ("lexical", "no_vectors"), "vectors of another model are not compared");
    // The question has queued the session.
    assert_eq!(app.make_vectors().await, 3);
    assert_eq!(seqs(&ask(&app, "s", "q=hoist+tangerine&limit=1").await), [101]);
    assert_eq!(text(&mut owner, "select string_agg(distinct model, ' ') from recall_vectors").await, "large");
    assert_eq!(number(&mut owner, bytes).await, before + 150 * 5);

    // And back again in the middle of it: no message is there twice.
    app.set_embedder(Some(server.client("small")));
    server.answer(Answering::Well(0));
    ask(&app, "s", "q=hoist").await;
    app.make_vectors().await;
    assert_eq!(number(&mut owner, bytes).await, before);
    // The same name, and other dimensions than before.
    app.set_embedder(Some(server.client("small")));
    server.answer(Answering::Well(2));
    tell(&app, "s", &["One more point for the list of points"]).await;
    app.make_vectors().await;
    let found = ask(&app, "s", "q=hoist+tangerine&limit=1").await;
    assert_eq!((seqs(&found), mode(&found)), (vec![101], ("hybrid", "")));
    assert_eq!(
        text(&mut owner, "select string_agg(distinct dimensions::text, ' ') from recall_vectors").await,
        "9"
    );
}

#[tokio::test]
async fn no_secret_is_sent_and_a_long_message_has_a_few_passages() {
    let server = FakeEmbeddings::start().await;
    let app = app_with_embedder(server.client("small")).await;
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let long = "The hall has a roof and a door, and both of them are old. ".repeat(2_000);
    tell(&app, "s", &[&format!("The token of the crane is {secret}, keep it"), &long]).await;
    app.make_vectors().await;
    ask(&app, "s", &format!("q=crane+{secret}")).await;
    let texts: Vec<String> = server.texts().concat();
    assert!(texts.len() > 2 && texts.iter().all(|text| !text.contains("ghp_16C7")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("[REDACTED:")), "{texts:?}");
    assert_eq!(texts.iter().filter(|text| text.contains("roof")).count(), 8);
    assert!(texts.iter().all(|text| text.chars().count() <= 1_000));
}

#[tokio::test]
async fn a_text_that_the_server_refuses_holds_up_no_other() {
    let server = FakeEmbeddings::start().await;
    let app = app_with_embedder(server.client("small")).await;
    server.answer(Answering::Refusing("poison"));
    let mut texts = TALK.to_vec();
    texts.insert(1, "This text is poison to the model and is refused");
    tell(&app, "s", &texts).await;
    app.make_vectors().await;
    server.answer(Answering::Well(0));
    let found = ask(&app, "s", "q=hoist+tangerine&limit=1").await;
    assert_eq!((seqs(&found), mode(&found)), (vec![3], ("hybrid", "")));
    let mut owner = app.database.connect().await;
    assert_eq!(number(&mut owner, "select through_seq from recall_embeddings where due_at is null").await, 6);
}

#[tokio::test]
async fn vectors_count_as_bytes_and_go_with_their_session() {
    let server = FakeEmbeddings::start().await;
    let app = app_with_embedder(server.client("small")).await;
    tell(&app, "s", &TALK).await;
    let used = async || {
        app.store.flush_usage(None).await.expect("a database");
        app.call("GET", "/v1/usage", "").await.json()["total"]["stored_bytes"].as_i64()
    };
    let before = used().await.expect("a count");
    app.make_vectors().await;
    let mut owner = app.database.connect().await;
    let bytes = number(&mut owner, "select sum(octet_length(vectors))::bigint from recall_vectors").await;
    assert!(bytes > 0);
    assert_eq!(used().await, Some(before + bytes));
    assert_eq!(app.call("DELETE", "/v1/sessions/s", "").await.status, 204);
    for table in ["recall_vectors", "recall_embeddings", "session_metadata"] {
        let rows = number(&mut owner, &format!("select count(*) from {table}")).await;
        assert_eq!(rows, 0, "{table}");
    }
    assert_eq!(used().await, Some(0));
    // A session that takes the name has nothing of it.
    tell(&app, "s", &["Something else, about something else"]).await;
    assert_eq!(seqs(&ask(&app, "s", "q=hoist+tangerine").await), [0; 0]);
}

#[tokio::test]
async fn a_tenant_finds_nothing_of_another_and_takes_turns_with_it() {
    let server = FakeEmbeddings::start().await;
    let app = app_with_embedder(server.client("small")).await;
    let theirs = json!({"messages": [{"role": "user", "content": TALK[1]}]}).to_string();
    for session in ["s", "t", "u"] {
        let path = format!("/v1/sessions/{session}/messages");
        assert_eq!(app.call_as(THEIRS, "POST", &path, theirs.clone()).await.status, 201);
    }
    tell(&app, "s", &["The boat is not the point of this talk"]).await;
    app.store.queue_marked().await.expect("a database");
    let claimed = app.store.claim_embeddings(Duration::ZERO, 2, 4).await.expect("a claim");
    let tenants: Vec<TenantId> = claimed.iter().map(|job| job.tenant).collect();
    assert!(tenants.contains(&app.tenant) && tenants.iter().any(|other| *other != app.tenant), "{tenants:?}");
    let claimed = app.store.claim_embeddings(Duration::from_mins(1), 8, 2).await.expect("a claim");
    assert_eq!(claimed.iter().filter(|job| job.tenant != app.tenant).count(), 2, "no more than it may");
    let more = app.store.claim_embeddings(Duration::from_mins(1), 8, 2).await.expect("a claim");
    assert!(more.iter().all(|job| job.tenant == app.tenant), "{more:?}");
    let mut owner = app.database.connect().await;
    change(&mut owner, "update recall_embeddings set due_at = now(), leased_until = null").await;
    app.make_vectors().await;
    let found = ask(&app, "s", "q=hoist+tangerine").await;
    assert!(
        found["items"]
            .as_array()
            .expect("items")
            .iter()
            .all(|hit| !hit["snippet"].as_str().unwrap().contains("crane"))
    );
    let other = app.call_as(THEIRS, "GET", "/v1/sessions/s/recall?q=hoist&limit=1", "").await.json();
    assert_eq!(seqs(&other), [1]);
    let again = "update tenants set suspended_at = now() where name = 'theirs';
                 update recall_embeddings set due_at = now(), leased_until = null";
    change(&mut owner, again).await;
    let claimed = app.store.claim_embeddings(Duration::ZERO, 8, 4).await.expect("a claim");
    assert!(claimed.iter().all(|job| job.tenant == app.tenant), "nothing is sent of a suspended tenant");
}

/// Sessions of two users, one of a task.
async fn users(app: &App) {
    for (session, body) in [
        ("a1", json!({"user": "ada", "metadata": {"team": "support", "tries": 1}})),
        ("a2", json!({"user": "ada", "metadata": {"team": "support", "tries": 2}, "task_id": "t"})),
        ("b1", json!({"user": "ben", "metadata": {"team": "support", "is_vip": true}, "task_id": "t"})),
        ("c1", json!({"parent_session_id": "a1", "metadata": {"team": "sales"}})),
    ] {
        app.call("PUT", &format!("/v1/sessions/{session}"), body.to_string()).await.with(201);
    }
    tell(app, "a1", &["Hello there, I am allergic to peanuts and to nothing else", TALK[2], TALK[3]]).await;
    tell(app, "a2", &["Please book a table for two at seven", TALK[4], "No peanuts again, please"]).await;
    tell(app, "b1", &["I like peanuts very much, the more of them the better", TALK[3]]).await;
    tell(app, "c1", &["What the peanuts of this year cost is not known yet"]).await;
}

async fn names(app: &App, query: &str) -> Vec<String> {
    let page = app.call("GET", &format!("/v1/sessions?{query}"), "").await.with(200).json();
    let items = page["items"].as_array().expect("items");
    items.iter().map(|session| session["session_id"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn lists_filter_by_user_and_metadata() {
    let app = app().await;
    users(&app).await;
    for (query, expected) in [
        ("user=ada", &["a2", "a1"][..]),
        ("user=ada&task_id=t", &["a2"]),
        ("user=nobody", &[]),
        ("metadata=team:support", &["b1", "a2", "a1"]),
        ("metadata=team%3Asupport&metadata=tries%3A2", &["a2"]),
        ("metadata=team:support&user=ada", &["a2", "a1"]),
        ("metadata=is_vip:true", &["b1"]),
        ("metadata=team:sup", &[]),
        ("metadata=team:sales&parent_session_id=a1", &["c1"]),
    ] {
        assert_eq!(names(&app, query).await, expected, "{query}");
    }
    let first = app.call("GET", "/v1/sessions?metadata=team:support&limit=2", "").await.json();
    let cursor = first["next_cursor"].as_str().expect("a cursor");
    assert_eq!(names(&app, &format!("metadata=team:support&limit=2&cursor={cursor}")).await, ["a1"]);
    for other in ["metadata=team:sales", "metadata=team:support&user=ada", "limit=2"] {
        let refused = app.call("GET", &format!("/v1/sessions?{other}&cursor={cursor}"), "").await;
        assert_eq!(refused.refusal().2, "/cursor", "{other}");
    }
    for bad in [
        "metadata=team",
        "metadata=:x",
        "metadata=",
        "metadata=a:1&metadata=a:1&metadata=a:1&metadata=a:1&metadata=a:1",
    ] {
        let refused = app.call("GET", &format!("/v1/sessions?{bad}"), "").await;
        assert_eq!(refused.refusal(), (422, "invalid-parameter".into(), "/metadata".into()), "{bad}");
    }
    // What changes is found as it is now, and what is erased not at all.
    app.call("PUT", "/v1/sessions/a1", r#"{"metadata": {"team": "sales"}, "user": null}"#).await;
    assert_eq!(names(&app, "metadata=team:sales").await, ["c1", "a1"]);
    assert_eq!(names(&app, "user=ada").await, ["a2"]);
    app.call("DELETE", "/v1/sessions/c1", "").await;
    assert_eq!(names(&app, "metadata=team:sales").await, ["a1"]);
    let theirs = app.call_as(THEIRS, "GET", "/v1/sessions?metadata=team:sales", "").await.json();
    assert_eq!(theirs["items"], json!([]));
}

#[tokio::test]
async fn the_first_append_may_name_user_and_metadata() {
    let app = app().await;
    let batch = |more: Value| {
        let mut body = json!({"messages": [{"role": "user", "content": "hello"}]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body.to_string()
    };
    let path = "/v1/sessions/s/messages";
    for (more, pointer) in [
        (json!({"user": ""}), "/user"),
        (json!({"user": "x".repeat(201)}), "/user"),
        (json!({"metadata": {"": 1}}), "/metadata"),
        (json!({"metadata": {"a": "x".repeat(17_000)}}), "/metadata"),
    ] {
        app.call("POST", path, batch(more)).await.refused_at(422, pointer);
    }
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.status, 404, "nothing has changed");
    // A batch that is not the first makes no session either.
    app.call("POST", path, batch(json!({"user": "ada", "expected_next_seq": 7}))).await.with(409);
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.status, 404);
    let told = json!({"user": "ada", "metadata": {"team": "x"}});
    assert_eq!(app.call("POST", path, batch(told.clone())).await.status, 201);
    let other = json!({"user": "ben", "metadata": {"team": "y"}});
    assert_eq!(app.call("POST", path, batch(other)).await.status, 201, "it keeps its own");
    let session = app.call("GET", "/v1/sessions/s", "").await.json();
    assert_eq!((&session["settings"], &session["head_seq"]), (&told, &json!(2)));
    assert_eq!(names(&app, "user=ada&metadata=team:x").await, ["s"]);
    // They come along with an export.
    let export = app.call("GET", "/v1/sessions/s/export", "").await.with(200);
    let imported = app
        .call_with(
            "POST",
            "/v1/sessions/copy/import",
            export.text,
            &[("content-type", "application/x-ndjson")],
        )
        .await;
    assert_eq!(imported.status, 201, "{}", imported.text);
    assert_eq!(names(&app, "user=ada&metadata=team:x").await, ["copy", "s"]);
}

#[tokio::test]
async fn settings_that_are_put_while_the_first_append_names_some_stay() {
    let app = app().await;
    let rounds = (0..40).map(async |n| {
        let path = format!("/v1/sessions/s{n}");
        let body = json!({"user": "ada", "messages": [{"role": "user", "content": "Hi"}]}).to_string();
        let append = async || app.call("POST", &format!("{path}/messages"), body.clone()).await;
        let put = async || app.call("PUT", &path, r#"{"context_window": 9000}"#).await;
        let (appended, put) = futures::join!(append(), put());
        assert_eq!((appended.status.as_u16(), put.status.is_success()), (201, true), "{}", put.text);
        app.call("GET", &path, "").await.json()["settings"].clone()
    });
    for settings in futures::future::join_all(rounds).await {
        assert_eq!(settings, json!({"context_window": 9000}), "whichever came first");
    }
}

async fn ask_over(app: &App, query: &str) -> Value {
    app.call("GET", &format!("/v1/recall?{query}"), "").await.with(200).json()
}

fn places(found: &Value) -> Vec<String> {
    let place = |hit: &Value| format!("{}:{}", hit["session_id"].as_str().expect("a name"), hit["seq"]);
    found["items"].as_array().expect("items").iter().map(place).collect()
}

#[tokio::test]
async fn recall_looks_through_the_sessions_of_a_user_or_a_task() {
    let app = app().await;
    users(&app).await;
    let found = ask_over(&app, "q=peanuts&user=ada").await;
    let mut hits = places(&found);
    hits.sort();
    assert_eq!(hits, ["a1:1", "a2:3"]);
    assert_eq!((&found["sessions_searched"], &found["is_partial"]), (&json!(2), &json!(false)));
    assert_eq!(places(&ask_over(&app, "q=allergic+peanuts&user=ada&limit=1").await), ["a1:1"]);
    let mut of_task = places(&ask_over(&app, "q=peanuts&task_id=t").await);
    of_task.sort();
    assert_eq!(of_task, ["a2:3", "b1:1"]);
    assert_eq!(places(&ask_over(&app, "q=peanuts&task_id=t&user=ben").await), ["b1:1"]);
    assert_eq!(places(&ask_over(&app, "q=peanuts&parent_session_id=a1").await), ["c1:1"]);
    assert_eq!(places(&ask_over(&app, "q=peanuts&user=nobody").await), [""; 0]);
    for (bad, pointer) in [("q=peanuts", "/user"), ("user=ada", "/q"), ("q=a&user=ada&limit=0", "/limit")] {
        app.call("GET", &format!("/v1/recall?{bad}"), "").await.refused_at(422, pointer);
    }
    let theirs = app.call_as(THEIRS, "GET", "/v1/recall?q=peanuts&user=ada", "").await.json();
    assert_eq!((&theirs["items"], &theirs["sessions_searched"]), (&json!([]), &json!(0)));
    app.call("DELETE", "/v1/sessions/a1", "").await;
    assert_eq!(places(&ask_over(&app, "q=peanuts&user=ada").await), ["a2:3"]);
}

#[tokio::test]
async fn recall_over_sessions_understands_what_they_mean_and_is_bounded() {
    let server = FakeEmbeddings::start().await;
    let app = app_with_embedder(server.client("small")).await;
    users(&app).await;
    app.make_vectors().await;
    let found = ask_over(&app, "q=intolerant+of+what&user=ada&limit=1").await;
    assert_eq!((places(&found), mode(&found)), (vec!["a1:1".to_owned()], ("hybrid", "")));
    for n in 0..51 {
        let path = format!("/v1/sessions/many-{n}/messages");
        let body = json!({"messages": [{"role": "user", "content": format!("A note {n}")}], "user": "cy"});
        assert_eq!(app.call("POST", &path, body.to_string()).await.status, 201);
    }
    let found = ask_over(&app, "q=note&user=cy&limit=100").await;
    assert_eq!((&found["sessions_searched"], &found["is_partial"]), (&json!(50), &json!(true)));
    let hits = places(&found);
    assert_eq!(hits.len(), 50);
    assert!(hits.contains(&"many-50:1".to_owned()) && !hits.contains(&"many-0:1".to_owned()), "the newest");
}

#[tokio::test]
async fn a_branch_shares_the_vectors_of_what_it_shares_and_finds_nothing_of_another() {
    let server = FakeEmbeddings::start().await;
    let app = app_with_embedder(server.client("small")).await;
    for session in ["s", "p"] {
        app.call("PUT", &format!("/v1/sessions/{session}"), json!({"user": session}).to_string()).await;
    }
    // Longer than a block; the fork is in the middle of the second one.
    let mut talk: Vec<String> =
        (0..100).map(|i| format!("Item {i} of the parking lot is as it was before")).collect();
    talk[49] = "The crane in the harbour gets a coat of orange".to_owned();
    talk[89] = "Another crane, and this one is orange from top to bottom".to_owned();
    let mut own: Vec<String> = (0..10).map(|i| format!("Point {i} is about the hall, not the lot")).collect();
    own[4] = "On this way the crane stays without orange paint".to_owned();
    let texts = |some: &[String]| some.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    let all: Vec<&str> = talk.iter().map(String::as_str).collect();
    tell(&app, "s", &all).await;
    app.make_vectors().await;
    let main = app.store.find_session(app.tenant, &branch_of("s", "main")).await.unwrap().unwrap().id;
    index(&app.store, (app.tenant, main), None).await.expect("indexing");
    fork(&app.store, app.tenant, &branch_of("s", "main"), "b", 70).await;
    switch(&app.store, app.tenant, "s", "b").await;
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    tell(&app, "s", &own).await;
    let before = server.texts().len();
    app.make_vectors().await;
    let sent: Vec<String> = server.texts()[before..].concat();
    assert_eq!(sent.len(), 10, "what it shares has its vectors: {}", texts(&sent));

    let plain: Vec<&str> = all[..70].iter().chain(&own).copied().collect();
    tell(&app, "p", &plain).await;
    app.make_vectors().await;
    let over = async |user: &str| {
        let path = format!("/v1/recall?user={user}&q=hoist+tangerine&limit=5");
        let found = app.call("GET", &path, "").await.json();
        let hits = found["items"].as_array().expect("items").clone();
        let told = hits.iter().map(|hit| (hit["seq"].clone(), hit["score"].clone(), hit["snippet"].clone()));
        (mode(&found).0.to_owned(), hits[0].clone(), told.collect::<Vec<_>>())
    };
    let (of_branch, of_plain) = (over("s").await, over("p").await);
    assert_eq!((&of_branch.0, &of_branch.2), (&of_plain.0, &of_plain.2));
    assert_eq!((&of_branch.1["session_id"], &of_branch.1["branch"]), (&json!("s"), &json!("b")));
    assert_eq!((&of_plain.1["session_id"], &of_plain.1["branch"]), (&json!("p"), &Value::Null));
    let alone = ask(&app, "s", "q=hoist+tangerine&limit=5").await;
    assert_eq!((&alone["branch"], seqs(&alone).contains(&90)), (&json!("b"), false), "{alone}");
    let of_main = ask(&app, "s", "q=hoist+tangerine&limit=5&branch=main").await;
    assert_eq!((&of_main["branch"], seqs(&of_main).contains(&90)), (&Value::Null, true), "{of_main}");

    // Vectors of what it shares that are not there are asked for where they belong.
    let mut owner = app.database.connect().await;
    change(&mut owner, "delete from recall_embeddings; delete from recall_vectors").await;
    ask(&app, "s", "q=hoist+tangerine").await;
    app.make_vectors().await;
    assert_eq!(over("s").await.2, of_branch.2);
}
