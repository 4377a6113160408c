//! What comes between two appends, here and in other processes: each append is decided on what is stored then.

use anchord_context::pin::Pin;
use anchord_messages::id::TenantId;
use anchord_session::session::AppendRefusal;
use anchord_store::audit::Actor;
use anchord_store::gather::{Append, AppendError, Gatherer, NewMessage, ToolOutput};
use anchord_store::messages::SeqRange;
use anchord_store::tenants::SettingsChange;
use futures::future::join_all;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

use crate::appends::{Stored, append, keyed, name, stored};
use crate::erasing::erase_all;

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().expect("an object")
}

async fn reply(appends: &Gatherer, append: Append) -> Value {
    let reply = appends.append(append).await.expect("an append");
    serde_json::from_str(&reply.body).expect("JSON")
}

/// Appends twice, here.
async fn begun(stored: &Stored, session: &str) {
    for _ in 0..2 {
        reply(&stored.appends, append(stored.ours, session, &["known"])).await;
    }
}

async fn run(stored: &Stored, statement: impl Into<String>) {
    let mut owner = PgConnection::connect(&stored.database.url).await.expect("a connection");
    sqlx::raw_sql(AssertSqlSafe(statement.into())).execute(&mut owner).await.expect("a statement");
}

async fn texts(stored: &Stored, query: impl Into<String>) -> Vec<String> {
    let mut owner = PgConnection::connect(&stored.database.url).await.expect("a connection");
    let rows = sqlx::raw_sql(AssertSqlSafe(query.into())).fetch_all(&mut owner).await.expect("rows");
    rows.iter().map(|row| row.get::<Option<String>, _>(0).unwrap_or_default()).collect()
}

/// A message that holds one tool output.
fn with_output(tenant: TenantId, session: &str, text: &str) -> Append {
    let mut append = append(tenant, session, &["output"]);
    let body = json!({"role": "tool", "content": text}).to_string();
    let output = ToolOutput { ordinal: 0, reference: "ref".to_owned() };
    let message: &mut NewMessage = append.messages.first_mut().expect("a message");
    message.tool_outputs = vec![output];
    message.body = RawValue::from_string(body).expect("JSON");
    append
}

#[tokio::test]
async fn appends_of_several_tenants_share_a_transaction() {
    let stored = stored().await;
    let round = |text: &'static str| {
        let all = [stored.ours, stored.theirs]
            .into_iter()
            .flat_map(|tenant| (0..12).map(move |i| (tenant, format!("s{i}"))));
        all.map(|(tenant, session)| stored.appends.append(append(tenant, &session, &[text])))
            .collect::<Vec<_>>()
    };
    for text in ["first", "second"] {
        for reply in join_all(round(text)).await {
            reply.expect("an append");
        }
    }
    let shared = "select m.xmin::text from messages m where m.seq = 2
                  group by m.xmin::text having count(distinct m.tenant_id) = 2";
    assert!(!texts(&stored, shared).await.is_empty(), "no transaction holds appends of both tenants");
    let apart =
        "select s.name from sessions s join messages m on m.session_id = s.id and m.tenant_id <> s.tenant_id";
    assert_eq!(texts(&stored, apart).await, [""; 0]);
    assert_eq!(texts(&stored, "select name from sessions where head_seq <> 2").await, [""; 0]);
}

#[tokio::test]
async fn what_another_process_sets_holds_from_the_next_append_on() {
    let stored = stored().await;
    begun(&stored, "s").await;
    let window = async || {
        let reply = reply(&stored.appends, append(stored.ours, "s", &["x"])).await;
        reply["usage"]["effective_window"].as_u64().expect("a window")
    };
    let before = window().await;
    let change = object(&json!({"context_window": 50_000}));
    stored.store.put_session(stored.ours, &name("s"), change).await.expect("a put");
    let own = window().await;
    assert!(own < before, "{own} of {before}");
    let change = object(&json!({"reserved_output_tokens": 20_000}));
    let changed =
        stored.store.change_tenant_settings(stored.ours, SettingsChange::Merge(change), Actor::Cli).await;
    changed.expect("a change");
    let wide = window().await;
    assert!(wide < own, "{wide} of {own}");
    let tokenizer = object(&json!({"tokenizer": "estimate"}));
    let changed =
        stored.store.change_tenant_settings(stored.ours, SettingsChange::Merge(tokenizer), Actor::Cli).await;
    changed.expect("a change");
    // One that has messages keeps its tokenizer.
    assert_eq!(window().await, wide);
    let refused = stored.appends.append(append(stored.ours, "new", &["x"])).await;
    assert!(matches!(refused, Err(AppendError::Refused(AppendRefusal::Tokenizer(_)))), "{refused:?}");
}

#[tokio::test]
async fn pins_that_come_between_are_counted_by_the_next_append() {
    let stored = stored().await;
    begun(&stored, "s").await;
    let system = async || {
        let reply = reply(&stored.appends, append(stored.ours, "s", &["x"])).await;
        reply["usage"]["components"]["system"].as_u64().expect("tokens")
    };
    assert_eq!(system().await, 0);
    let pin = |text: &str| vec![Pin::new(text.to_owned())];
    let pins = pin("Never push to the main branch.");
    stored.store.replace_pins(stored.ours, &name("s"), &pins, Actor::Cli).await.expect("pins");
    let own = system().await;
    assert!(own > 0);
    let wide = pin("Everybody answers in English here.");
    stored.store.replace_wide_pins(stored.ours, &wide, Actor::Cli).await.expect("pins");
    assert!(system().await > own);
}

#[tokio::test]
async fn a_compression_that_comes_and_goes_between_appends_shows_in_the_next_reply() {
    let stored = stored().await;
    begun(&stored, "s").await;
    let live = async || reply(&stored.appends, append(stored.ours, "s", &["x"])).await["compression"].clone();
    assert_eq!(live().await, Value::Null);
    run(
        &stored,
        "insert into compressions (tenant_id, id, session_id, kind, status, trigger, request)
         select tenant_id, gen_random_uuid(), id, 'compress', 'queued', 'manual', '{}' from sessions",
    )
    .await;
    for status in ["queued", "queued", "running", "running"] {
        run(&stored, format!("update compressions set status = '{status}' where status <> '{status}'")).await;
        assert_eq!(live().await["status"], status);
    }
    run(&stored, "update compressions set status = 'failed'").await;
    assert_eq!(live().await, Value::Null);
    assert_eq!(texts(&stored, "select head_seq::text from sessions").await, ["8"]);
}

#[tokio::test]
async fn a_position_that_was_right_a_moment_ago_is_refused_with_the_one_that_is() {
    let stored = stored().await;
    begun(&stored, "s").await;
    let other = Gatherer::start(&stored.store);
    reply(&other, append(stored.ours, "s", &["theirs"])).await;
    for (expected, is_right) in [(3, false), (9, false), (4, true)] {
        let mut one = append(stored.ours, "s", &["mine"]);
        one.expected_next_seq = Some(expected);
        match stored.appends.append(one).await {
            Ok(_) => assert!(is_right, "{expected} was taken"),
            Err(refused) => {
                let names_next =
                    matches!(refused, AppendError::Refused(AppendRefusal::Precondition { next_seq: 4 }));
                assert!(!is_right && names_next, "{refused:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_session_that_is_erased_and_made_again_begins_anew() {
    let stored = stored().await;
    begun(&stored, "s").await;
    stored.store.delete_session(stored.ours, &name("s").name, Actor::Cli).await.expect("an erasure");
    assert_eq!(reply(&stored.appends, append(stored.ours, "s", &["new"])).await["first_seq"], 1);
    stored.store.delete_session(stored.ours, &name("s").name, Actor::Cli).await.expect("an erasure");
    let other = Gatherer::start(&stored.store);
    reply(&other, append(stored.ours, "s", &["theirs"])).await;
    assert_eq!(reply(&stored.appends, append(stored.ours, "s", &["mine"])).await["first_seq"], 2);
    assert_eq!(texts(&stored, "select count(*)::text from messages").await, ["2"]);
    stored.store.delete_tenant(stored.ours, Actor::Cli).await.expect("an erasure");
    let refused = stored.appends.append(append(stored.ours, "s", &["late"])).await;
    assert!(matches!(refused, Err(AppendError::Store(_))), "{refused:?}");
    erase_all(&stored.store).await;
    assert_eq!(texts(&stored, "select count(*)::text from messages").await, ["0"]);
}

#[tokio::test]
async fn a_key_is_answered_again_by_whichever_process_is_asked() {
    let stored = stored().await;
    let other = Gatherer::start(&stored.store);
    begun(&stored, "s").await;
    let with_key = |key: &str, body| keyed(append(stored.ours, "s", &["once"]), key, body);
    let first = stored.appends.append(with_key("a", 1)).await.expect("an append");
    assert!(first.stored.is_some());
    reply(&stored.appends, append(stored.ours, "s", &["between"])).await;
    for lanes in [&stored.appends, &other, &stored.appends] {
        let again = lanes.append(with_key("a", 1)).await.expect("a replay");
        assert_eq!((again.body, again.stored), (first.body.clone(), None));
    }
    begun(&stored, "s").await;
    let reused = stored.appends.append(with_key("a", 2)).await;
    assert!(matches!(reused, Err(AppendError::KeyReused)), "{reused:?}");
    let theirs = other.append(with_key("b", 1)).await.expect("an append");
    assert!(theirs.stored.is_some());
    let again = stored.appends.append(with_key("b", 1)).await.expect("a replay");
    assert_eq!(again.body, theirs.body);
    // Both at once, in one group.
    begun(&stored, "s").await;
    let pair = [with_key("c", 1), with_key("c", 1), with_key("c", 2)].map(|one| stored.appends.append(one));
    let [one, two, three] = join_all(pair).await.try_into().expect("three answers");
    assert_eq!(one.expect("an append").body, two.expect("a replay").body);
    assert!(matches!(three, Err(AppendError::KeyReused)), "{three:?}");
    assert_eq!(texts(&stored, "select count(*)::text from idempotency_keys").await, ["3"]);
}

#[tokio::test]
async fn an_output_that_comes_again_leads_to_its_first_message_and_is_stored_whole_each_time() {
    let stored = stored().await;
    begun(&stored, "s").await;
    let text = "line of an output ".repeat(60);
    for _ in 0..3 {
        reply(&stored.appends, with_output(stored.ours, "s", &text)).await;
        reply(&stored.appends, append(stored.ours, "s", &["between"])).await;
    }
    assert_eq!(texts(&stored, "select seq::text from tool_outputs").await, ["3"]);
    let range = SeqRange { from: 1, to: 100 };
    let page = stored.store.list_messages(stored.ours, &name("s"), range, 100).await.expect("a read");
    let bodies = page.expect("a session").items;
    assert_eq!(bodies.iter().filter(|item| item.body.contains(&text)).count(), 3);
}

#[tokio::test]
async fn a_session_that_has_changed_keeps_nobody_else_from_theirs() {
    let stored = stored().await;
    let other = Gatherer::start(&stored.store);
    let sessions: Vec<String> = (0..12).map(|i| format!("s{i}")).collect();
    for session in &sessions {
        begun(&stored, session).await;
    }
    for session in sessions.iter().step_by(3) {
        reply(&other, append(stored.ours, session, &["theirs"])).await;
    }
    let all = sessions.iter().map(|session| stored.appends.append(append(stored.ours, session, &["a", "b"])));
    for reply in join_all(all).await {
        reply.expect("an append");
    }
    let broken = "select s.name from sessions s where s.head_seq <> (select count(*) from messages m
                  where m.tenant_id = s.tenant_id and m.session_id = s.id)
                  or s.head_seq <> (s.accounting ->> 'tail_messages')::bigint";
    assert_eq!(texts(&stored, broken).await, [""; 0]);
    assert_eq!(texts(&stored, "select sum(head_seq)::text from sessions").await, ["52"]);
}
