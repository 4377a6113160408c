//! Recall: what is appended is found, indexed or not, by its tenant alone.

use std::num::NonZeroU32;
use std::time::Duration;

use anchord_http::admission::Admission;
use anchord_http::admission::quotas::QuotaWatch;
use anchord_http::admission::rate_limit::{RateLimit, TenantRates};
use anchord_http::{AppState, Limits, Shared, router};
use anchord_http::{KnownBranches, ServedPrefixes};
use anchord_messages::id::{BranchName, Seq, SessionId, SessionRef, TenantId};
use anchord_messages::message::Role;
use anchord_recall::postings::CHUNK;
use anchord_recall::{Hit, Query, analyze};
use anchord_runtime::clock::Clock;
use anchord_runtime::fair;
use anchord_session::accounting::MessageCounts;
use anchord_store::audit::Actor;
use anchord_store::gather::{Append, NewMessage};
use anchord_store::keys::{NewKey, digest_key};
use anchord_store::recall::{Indexing, Search};
use anchord_worker::index::{Indexed, index};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use futures::FutureExt as _;
use futures::future::join_all;
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use crate::appends::{Stored, append, message, name, stored};
use crate::support::app::app;
use crate::support::branches::{branch_of, fork};
use crate::support::number;

impl Stored {
    /// Appends chat messages, a hundred at a time.
    async fn tell(&self, tenant: TenantId, session: &SessionRef, messages: &[Value]) {
        for batch in messages.chunks(100) {
            let messages = batch.iter().map(new_message).collect();
            let batch = Append { messages, ..append(tenant, session.name.as_str(), &[]) };
            self.appends.append(batch).await.expect("an append");
        }
    }

    async fn id(&self, tenant: TenantId, session: &SessionRef) -> SessionId {
        self.store.find_session(tenant, session).await.expect("a read").expect("a session").id
    }

    async fn index(&self, tenant: TenantId, session: &SessionRef) -> Indexed {
        let id = self.id(tenant, session).await;
        index(&self.store, (tenant, id), None).await.expect("indexing").expect("a session")
    }

    async fn ask(&self, tenant: TenantId, session: &SessionRef, question: &str) -> Vec<Hit> {
        let query = Query::parse(question).expect("a question");
        let search = Search { query, vector: None, limit: 10 };
        let found = self.store.recall(tenant, session, search).await.expect("an answer").expect("a session");
        found.hits.into_iter().map(|(_, hit)| hit).collect()
    }

    /// The answers to [`QUESTIONS`].
    async fn ask_all(&self, tenant: TenantId, session: &SessionRef) -> Vec<Vec<Hit>> {
        let mut answers = Vec::new();
        for question in QUESTIONS {
            answers.push(self.ask(tenant, session, question).await);
        }
        answers
    }

    /// Indexes at most so many of the next messages; tells through which the index reaches then.
    async fn index_some(&self, tenant: TenantId, session: &SessionRef, most: usize) -> Seq {
        let id = self.id(tenant, session).await;
        self.index_some_of(tenant, id, most).await
    }
}

fn new_message(value: &Value) -> NewMessage {
    let role = match value["role"].as_str() {
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        _ => Role::User,
    };
    NewMessage {
        counted: MessageCounts { role, ..message("").counted },
        body: RawValue::from_string(value.to_string()).expect("JSON"),
        ..message("")
    }
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// Talk with a few needles in it, longer than a chunk.
fn long_talk() -> Vec<Value> {
    let mut messages: Vec<Value> = (0..CHUNK + 300)
        .map(|i| match i % 4 {
            0 => user(&format!("Ada: let us look at item {i} of the list")),
            1 => json!({"role": "assistant", "content": format!("Looking at item {i}, it is fine.")}),
            2 => user(&format!("Ben: the budget for step {} is open", i / 7)),
            _ => json!({"role": "assistant", "content": "Noted, going on."}),
        })
        .collect();
    messages[40] = user("Ada: the harbour crane must be painted orange before winter");
    messages[777] = json!({"role": "assistant", "content": null, "tool_calls": [{
        "id": "c1", "type": "function",
        "function": {"name": "read_file", "arguments": "{\"path\": \"src/pump/valve_control.rs\"}"}}]});
    messages[778] =
        json!({"role": "tool", "tool_call_id": "c1", "content": "fn open_valve() {}\nfn close_valve() {}"});
    messages[1_300] = user("会议决定把码头的起重机漆成橙色");
    messages
}

const QUESTIONS: [&str; 5] = [
    "When is the crane painted?",
    "valve_control.rs",
    "open_valve",
    "起重机是什么颜色",
    "What did Ben say about the budget for step 40?",
];

#[tokio::test]
async fn an_answer_does_not_depend_on_how_far_the_index_is() {
    let service = stored().await;
    let (tenant, session) = (service.ours, name("long"));
    service.tell(tenant, &session, &long_talk()).await;

    let scanned = service.ask_all(tenant, &session).await;
    let firsts: Vec<_> = scanned.iter().map(|hits| hits.first().map(|hit| hit.seq)).collect();
    assert_eq!(firsts[0], Some(41));
    assert!(matches!(firsts[1], Some(778)), "{firsts:?}");
    assert!(matches!(firsts[2], Some(779)), "{firsts:?}");
    assert_eq!(firsts[3], Some(1_301));

    // A first part by hand, so that one segment is appended to another and a rest stays unindexed.
    assert_eq!(service.index_some(tenant, &session, 250).await, 250);
    assert_eq!(service.ask_all(tenant, &session).await, scanned, "partly indexed");

    let indexed = service.index(tenant, &session).await;
    assert_eq!(indexed, Indexed { through_seq: CHUNK + 300, more: false, is_ended: false });
    assert_eq!(service.ask_all(tenant, &session).await, scanned, "indexed");
}

/// All turns that a tenant may have.
async fn all_turns(tenant: TenantId) -> Vec<fair::Turn> {
    let turns = fair::requests();
    let mut held = vec![turns.take(tenant.0.as_u128()).await.expect("a turn")];
    while let Some(Ok(turn)) = turns.take(tenant.0.as_u128()).now_or_never() {
        held.push(turn);
    }
    held
}

/// Searches went on when their clients had hung up, and kept all places that their tenant has for searches.
#[tokio::test]
async fn a_search_that_nobody_waits_for_leaves_its_place() {
    let app = app().await;
    let message = json!({"messages": [{"role": "user", "content": "the harbour crane is orange"}]});
    assert_eq!(app.call("POST", "/v1/sessions/s/messages", message.to_string()).await.status, 201);
    let held = all_turns(app.tenant).await;
    let search = async || app.call("GET", "/v1/sessions/s/recall?q=crane", Body::empty()).await;
    let gone = join_all((0..8).map(|_| tokio::time::timeout(Duration::from_millis(300), search()))).await;
    assert!(gone.iter().all(Result::is_err), "{gone:?}");
    // Longer than a search waits for its place.
    let turns_again = async {
        tokio::time::sleep(Duration::from_secs(6)).await;
        drop(held);
    };
    let (found, ()) = futures::join!(search(), turns_again);
    assert_eq!(found.status, 200, "{}", found.text);
}

/// Searches kept their connections while they computed, and while they waited for their turn to, so that a tenant's other
/// requests were refused for as long.
#[tokio::test]
async fn searches_that_wait_for_their_turn_hold_no_connection() {
    let service = stored().await;
    let (tenant, session) = (service.ours, name("long"));
    service.tell(tenant, &session, &long_talk()).await;
    for is_indexed in [false, true] {
        if is_indexed {
            service.index(tenant, &session).await;
        }
        let expected = service.ask(tenant, &session, QUESTIONS[0]).await;
        let held = all_turns(tenant).await;
        let asks = join_all((0..10).map(|_| service.ask(tenant, &session, QUESTIONS[0])));
        let work = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let mut others = Vec::new();
            for _ in 0..3 {
                others.push(service.store.snapshot(tenant).await.expect("a connection"));
            }
            drop((others, held));
        };
        let (answers, ()) = futures::join!(asks, work);
        assert!(answers.iter().all(|hits| *hits == expected), "{is_indexed}: {answers:?}");
    }
}

#[tokio::test]
async fn postings_that_are_not_in_their_buckets_yet_answer_as_those_that_are() {
    let service = stored().await;
    let (tenant, session) = (service.ours, name("long"));
    service.tell(tenant, &session, &long_talk()).await;
    let scanned = service.ask_all(tenant, &session).await;
    let (mut after, mut waited, mut written) = (0, Vec::new(), Vec::new());
    while after < CHUNK + 300 {
        after = service.index_some(tenant, &session, 60).await;
        assert_eq!(service.ask_all(tenant, &session).await, scanned, "indexed through {after}");
        let mut owner = service.database.connect().await;
        waited.push(number(&mut owner, "select count(*) from recall_pending").await);
        written.push(number(&mut owner, "select count(*) from recall_postings where bucket = -1").await);
    }
    // Of eight indexings one writes the buckets, and of their chunks.
    assert_eq!(waited[..16], [1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0]);
    assert_eq!((written[6], written[7], written[15], written[22]), (0, 1, 1, 1));
    assert_eq!((after, waited.len(), waited[22]), (CHUNK + 300, 23, 7));
    // Many messages do not wait, and take along what does.
    let more: Vec<Value> = (0..130).map(|i| user(&format!("Cy: more of the crane, {i}"))).collect();
    service.tell(tenant, &session, &more).await;
    let hits = service.ask(tenant, &session, "What did Cy say of the crane?").await;
    service.index(tenant, &session).await;
    assert_eq!(service.ask(tenant, &session, "What did Cy say of the crane?").await, hits);
    let mut owner = service.database.connect().await;
    assert_eq!(number(&mut owner, "select count(*) from recall_pending").await, 0);
    assert_eq!(number(&mut owner, "select count(*) from recall_postings where bucket = -1").await, 2);
}

#[tokio::test]
async fn two_workers_index_a_message_once() {
    let service = stored().await;
    let (tenant, session) = (service.ours, name("s"));
    service.tell(tenant, &session, &[user("the crane is orange"), user("the boat is blue")]).await;
    let id = service.id(tenant, &session).await;
    let part = service.store.find_unindexed(tenant, id).await.expect("a read").expect("a session");
    let documents: Vec<_> = part.messages.iter().map(analyze).collect();
    // Nobody may index beyond the session's end either.
    for (after, expected) in [(0, Indexing::Indexed), (0, Indexing::Behind), (2, Indexing::Behind)] {
        let done = service.store.index_messages((tenant, id), after, documents.clone(), None).await;
        assert_eq!(done.expect("indexing"), expected, "after {after}");
    }
    assert_eq!(
        service.index(tenant, &session).await,
        Indexed { through_seq: 2, more: false, is_ended: false }
    );
}

#[tokio::test]
async fn a_tenant_finds_nothing_of_another() {
    let service = stored().await;
    let (one, two) = (service.ours, service.theirs);
    let session = name("same");
    service.tell(one, &session, &[user("the crane is orange")]).await;
    service.tell(two, &session, &[user("the boat is blue")]).await;
    service.index(one, &session).await;
    service.index(two, &session).await;
    assert_eq!(service.ask(two, &session, "orange crane").await, Vec::new());
    assert_eq!(service.ask(one, &session, "orange crane").await.len(), 1);
    // Not even by the other's internal id.
    let id = service.id(one, &session).await;
    assert!(service.store.find_unindexed(two, id).await.expect("a read").is_none());
    let done = service.store.index_messages((two, id), 1, Vec::new(), None).await.expect("indexing");
    assert_eq!(done, Indexing::Behind);
}

const KEY: &str = "test-key-of-a-tenant-that-recalls";

/// The API over a service, with a key of the tenant.
async fn api(service: &Stored, tenant: TenantId) -> Router {
    let key = NewKey {
        name: None,
        prefix: "ak_test".to_owned(),
        digest: digest_key(KEY),
        scopes: vec!["read".to_owned()],
        expires_at: None,
    };
    service.store.insert_key(tenant, &key, Actor::Cli).await.expect("an insert").expect("a tenant");
    let many = NonZeroU32::new(1_000).expect("not zero");
    router(AppState::new(Shared {
        store: service.store.clone(),
        appends: service.appends.clone(),
        clock: Clock::system(),
        tracker: TaskTracker::new(),
        limits: Limits::default(),
        rate_limit: RateLimit::new(many, many),
        tenant_rates: TenantRates::default(),
        quotas: QuotaWatch::default(),
        known_branches: KnownBranches::default(),
        served_prefixes: ServedPrefixes::default(),
        operator: None,
        admission: Admission::new(&Limits::default(), CancellationToken::new()),
        metrics: PrometheusBuilder::new().build_recorder().handle(),
        llm_models: None,
        embedder: None,
        webhook_reach: anchord_webhooks::target::Reach::Public,
        origins: anchord_http::edge::origins::Origins::default(),
    }))
}

async fn recall(api: &Router, query: &str) -> (StatusCode, Value) {
    let request = Request::get(format!("/v1/sessions/s/recall?{query}"))
        .header("authorization", format!("Bearer {KEY}"))
        .body(Body::empty())
        .expect("a request");
    let reply = api.clone().oneshot(request).await.expect("a reply");
    let status = reply.status();
    let bytes = to_bytes(reply.into_body(), 1 << 20).await.expect("a body");
    (status, serde_json::from_slice(&bytes).expect("JSON"))
}

#[tokio::test]
async fn the_api_answers_any_text_and_refuses_what_asks_nothing() {
    let service = stored().await;
    let tenant = service.ours;
    service.tell(tenant, &name("s"), &[user("it's \"C:\\\\temp\\\\crane.log\" 🏗️ %_ and a crane")]).await;
    let api = api(&service, tenant).await;

    let (status, reply) = recall(&api, "q=crane").await;
    assert_eq!(status, StatusCode::OK, "{reply}");
    let hit = &reply["items"][0];
    assert_eq!((&hit["seq"], &hit["role"]), (&json!(1), &json!("user")));
    assert!(hit["snippet"].as_str().expect("a snippet").contains("crane"));
    assert!(hit["score"].as_f64().expect("a score") > 0.0);

    // The bound is of characters, not of bytes.
    let wide = format!("q=crane%20{}", "%C3%A9".repeat(4_090));
    for (query, hits) in [
        (wide.as_str(), 1),
        ("q=C:%5Ctemp%5Ccrane.log", 1),
        ("q=it%27s%20%22crane%22%20%3B%20drop%20table%20messages%20--", 1),
        ("q=%F0%9F%8F%97%EF%B8%8F%20crane", 1),
        ("q=%25_%27%22%5C%20nothing&limit=100", 0),
    ] {
        let (status, reply) = recall(&api, query).await;
        assert_eq!(status, StatusCode::OK, "{query}: {reply}");
        assert_eq!(reply["items"].as_array().map(Vec::len), Some(hits), "{query}: {reply}");
    }
    let long = format!("q={}", "x".repeat(4_097));
    for query in
        ["", "q=", "q=%20", "q=%3F!", "q=a%00b", "q=crane&limit=0", "q=crane&limit=101", "q=crane&x=1", &long]
    {
        let (status, reply) = recall(&api, query).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{query}: {reply}");
    }
}

#[tokio::test]
async fn a_session_that_is_not_there_is_not_found() {
    let service = stored().await;
    let tenant = service.ours;
    let api = api(&service, tenant).await;
    let (status, reply) = recall(&api, "q=crane").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(reply["type"], "/problems/session-not-found");
}

impl Stored {
    /// Appends chat messages to a branch, a hundred at a time.
    async fn tell_branch(&self, tenant: TenantId, of: &SessionRef, messages: &[Value]) {
        for batch in messages.chunks(100) {
            let messages = batch.iter().map(new_message).collect();
            let batch = Append { messages, session: of.clone(), ..append(tenant, "s", &[]) };
            self.appends.append(batch).await.expect("an append");
        }
    }

    /// The answers of a branch to [`QUESTIONS`], and the branch that they name.
    async fn ask_branch(&self, tenant: TenantId, of: &SessionRef) -> (Vec<Vec<Hit>>, Option<BranchName>) {
        let (mut answers, mut branch) = (Vec::new(), None);
        for question in QUESTIONS {
            let query = Query::parse(question).expect("a question");
            let search = Search { query, vector: None, limit: 20 };
            let found = self.store.recall(tenant, of, search).await.expect("an answer").expect("a branch");
            answers.push(found.hits.into_iter().map(|(_, hit)| hit).collect());
            branch = found.sessions.into_iter().next().and_then(|session| session.branch);
        }
        (answers, branch)
    }

    /// Indexes at most so many of a branch's next messages.
    async fn index_some_of(&self, tenant: TenantId, id: SessionId, most: usize) -> Seq {
        let mut part = self.store.find_unindexed(tenant, id).await.expect("a read").expect("a branch");
        part.messages.truncate(most);
        let documents: Vec<_> = part.messages.iter().map(analyze).collect();
        let through = part.indexed_seq + Seq::try_from(documents.len()).expect("a count");
        let done = self.store.index_messages((tenant, id), part.indexed_seq, documents, None).await;
        assert_eq!(done.expect("indexing"), Indexing::Indexed);
        through
    }

    /// Requires that branches answer as sessions do that have the same messages.
    async fn require_same(&self, tenant: TenantId, pairs: &[(SessionRef, SessionRef)], when: &str) {
        for (branch, plain) in pairs {
            let (found, named) = self.ask_branch(tenant, branch).await;
            assert_eq!(named, branch.branch.clone().filter(|branch| !branch.is_main()), "{when}");
            assert_eq!(found, self.ask_branch(tenant, plain).await.0, "{branch} {when}");
        }
    }
}

#[tokio::test]
async fn a_branch_answers_as_a_session_with_its_messages_however_far_either_is_indexed() {
    let service = stored().await;
    let tenant = service.ours;
    let talk = long_talk();
    let mut own: Vec<Value> =
        (0..400).map(|i| user(&format!("Ben: the other way, step {i} of the budget"))).collect();
    own[200] = user("Ada: the crane in the harbour is painted green, says valve_control.rs");
    let more: Vec<Value> = (0..40).map(|i| user(&format!("Cy: open_valve was called {i} times"))).collect();
    for indexed in [0, 250, 900, 1_100] {
        let (main, plain) = (format!("main{indexed}"), format!("plain{indexed}"));
        service.tell(tenant, &name(&main), &talk).await;
        let id_of_main = service.id(tenant, &name(&main)).await;
        let mut reached = 0;
        while reached < indexed {
            let most = usize::try_from(indexed - reached).expect("a count");
            reached = service.index_some_of(tenant, id_of_main, most).await;
        }
        let first = branch_of(&main, "first");
        let id = fork(&service.store, tenant, &branch_of(&main, "main"), "first", 900).await;
        service.tell_branch(tenant, &first, &own).await;
        service.tell(tenant, &name(&plain), &[&talk[..900], &own[..]].concat()).await;
        service.tell(tenant, &name(&format!("{plain}-alone")), &talk).await;
        let mut pairs =
            vec![(first.clone(), name(&plain)), (branch_of(&main, "main"), name(&format!("{plain}-alone")))];
        service.require_same(tenant, &pairs, "after the fork").await;
        // What main is indexed further is not the branch's.
        index(&service.store, (tenant, id_of_main), None).await.expect("indexing");
        service.require_same(tenant, &pairs, "when main is indexed").await;
        assert_eq!(service.index_some_of(tenant, id, 60).await, indexed.min(900) + 60);
        service.require_same(tenant, &pairs, "when a part of its own is indexed").await;
        index(&service.store, (tenant, id), None).await.expect("indexing");
        service.require_same(tenant, &pairs, "when it is indexed").await;

        // A branch of the branch, in the middle of a chunk and of what its own index has.
        let second = branch_of(&main, "second");
        let id = fork(&service.store, tenant, &first, "second", 1_150).await;
        service.tell_branch(tenant, &second, &more).await;
        let all = [&talk[..900], &own[..250], &more[..]].concat();
        service.tell(tenant, &name(&format!("{plain}-second")), &all).await;
        pairs.push((second, name(&format!("{plain}-second"))));
        service.require_same(tenant, &pairs, "after the second fork").await;
        index(&service.store, (tenant, id), None).await.expect("indexing");
        service.require_same(tenant, &pairs, "when the second is indexed").await;
        // What is shared is indexed once.
        let mut owner = service.database.connect().await;
        let query = format!(
            "select count(*) from recall_postings p where p.session_id = '{}' and p.chunk = 0
             union all select 0 limit 1",
            id.0
        );
        assert_eq!(number(&mut owner, &query).await, 0);
    }
}
