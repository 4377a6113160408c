//! Cells: tenants in several schemas behind one service, and moving them while they are used.

mod servers;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anchord_messages::id::TenantId;
use anchord_runtime::clock::Clock;
use anchord_store::Store;
use anchord_store::cells::Server;
use anchord_store::keys::{Line, digest_key};
use anchord_store::moving::{self, Leaving, Moved, Place};
use anchord_store::secrets::SecretKeys;
use anchord_store::tenants::TenantChange;
use axum::http::header;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection, Row as _};
use tokio_util::task::TaskTracker;

use crate::llm;
use crate::support::app::{App, COMPRESS, OPERATOR, OURS, THEIRS, app_with_cells, app_with_model_and_cells};
use crate::support::provider::{Act, FakeProvider};
use crate::support::service::{Service, anchord};
use crate::support::{self, in_schema, number, until};

/// An API whose first tenant is in `cell1` and whose second one is in `cell2`, and which hears of changes.
async fn app() -> App {
    listening(app_with_cells(3).await)
}

fn listening(app: App) -> App {
    for (_, store) in &app.stores {
        let (store, stop) = (store.clone(), app.stop.clone());
        app.store.tracker().spawn(async move { store.watch_keys(&stop).await });
    }
    app
}

fn places(app: &App) -> Vec<Place> {
    app.stores.iter().map(|(name, store)| Place { name: name.clone(), store: store.clone() }).collect()
}

fn place(app: &App, name: &str) -> Place {
    places(app).into_iter().find(|place| place.name == name).expect("a cell")
}

async fn moved(app: &App, to: &str) -> Moved {
    moving::move_tenant(app.tenant, &places(app), to).await.expect("a move")
}

/// A tenant on its way, which is locked and not copied.
async fn leaving(app: &App, from: &str, to: &str) -> Leaving {
    let mut leaving =
        Leaving::begin(app.tenant, &place(app, from), &place(app, to)).await.expect("an empty target");
    leaving.send_ahead().await.expect("a copy");
    leaving.lock().await.expect("a lock");
    leaving
}

/// Drops what the stores know of keys.
fn forget(app: &App) {
    for (_, store) in &app.stores {
        for key in [OURS, THEIRS] {
            store.forget_key(&digest_key(key));
        }
    }
}

/// A connection to a cell, as the owner.
async fn connect(app: &App, cell: &str) -> PgConnection {
    let schema = if cell == "home" { "public" } else { cell };
    PgConnection::connect(&in_schema(&app.database.home, schema)).await.expect("a connection")
}

fn said(text: &str) -> String {
    json!({"messages": [{"role": "user", "content": text}]}).to_string()
}

/// A text of some hundred tokens that is like no other.
fn long(n: i32) -> String {
    let sentence =
        |part| format!(" In step {n} part {part} the importer reads token {} too late.", part * 7 + n);
    format!("message {n}: read src/file_{n}.rs{}", (0..14).map(sentence).collect::<String>())
}

async fn texts(app: &App, key: &str) -> Vec<String> {
    let listed = app.call_as(key, "GET", "/v1/sessions/s/messages?limit=1000", "").await.with(200).json();
    let items = listed["items"].as_array().expect("a list");
    items.iter().map(|item| item["message"]["content"].as_str().expect("a text").to_owned()).collect()
}

#[tokio::test]
async fn each_key_leads_to_the_cell_of_its_tenant_and_to_no_other() {
    let app = app().await;
    app.call("POST", "/v1/sessions/s/messages", said("ours")).await.with(201);
    app.call_as(THEIRS, "POST", "/v1/sessions/s/messages", said("theirs")).await.with(201);
    assert_eq!(
        (texts(&app, OURS).await, texts(&app, THEIRS).await),
        (vec!["ours".into()], vec!["theirs".into()])
    );
    for (cell, sessions) in [("home", 0), ("cell1", 1), ("cell2", 1)] {
        let mut owner = connect(&app, cell).await;
        assert_eq!(number(&mut owner, "select count(*) from sessions").await, sessions, "{cell}");
    }
    app.call("DELETE", "/v1/sessions/s", "").await.with(204);
    app.call("GET", "/v1/sessions/s", "").await.with(404);
    assert_eq!(texts(&app, THEIRS).await, ["theirs"]);
}

#[tokio::test]
async fn the_operator_sees_all_cells_as_one() {
    let app = app().await;
    let operator = async |method: &str, path: &str, body: &str| {
        app.call_as(OPERATOR, method, path, body.to_owned()).await
    };
    let mut made = Vec::new();
    for n in 0..6 {
        let new = json!({"name": format!("tenant-{n}")}).to_string();
        made.push(operator("POST", "/v1/admin/tenants", &new).await.with(201).json());
    }
    for (cell, tenants) in [("home", 3), ("cell1", 3), ("cell2", 2)] {
        let mut owner = connect(&app, cell).await;
        assert_eq!(number(&mut owner, "select count(*) from tenants").await, tenants, "{cell}");
    }
    let named = json!({"name": "in-two", "cell": "cell2"}).to_string();
    made.push(operator("POST", "/v1/admin/tenants", &named).await.with(201).json());
    assert_eq!(made[6]["cell"], "cell2");
    let found = operator("GET", "/v1/admin/tenants?name=ours", "").await.with(200).json();
    assert_eq!((&found["items"][0]["cell"], &found["items"][1]), (&json!("cell1"), &Value::Null));
    let mut owner = connect(&app, "cell2").await;
    assert_eq!(number(&mut owner, "select count(*) from tenants where name = 'in-two'").await, 1);
    operator("POST", "/v1/admin/tenants", r#"{"name": "x", "cell": "nowhere"}"#)
        .await
        .refused_at(422, "/cell");
    // A name is unique over all of them.
    operator("POST", "/v1/admin/tenants", r#"{"name": "theirs"}"#).await.with(409);
    let path = format!("/v1/admin/tenants/{}", app.tenant);
    operator("PATCH", &path, r#"{"name": "in-two"}"#).await.with(409);
    operator("PATCH", &path, r#"{"name": "ours"}"#).await.with(200);

    let mut paged: Vec<Value> = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = operator("GET", &format!("/v1/admin/tenants?limit=2{cursor}"), "").await.with(200).json();
        paged.extend(page["items"].as_array().expect("a list").clone());
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    let ids: Vec<&str> = paged.iter().map(|tenant| tenant["id"].as_str().expect("an id")).collect();
    assert!(ids.len() == 9 && ids.is_sorted(), "{ids:?}");
    let audit = operator("GET", "/v1/admin/audit?limit=1000", "").await.with(200).json();
    let created = audit["items"].as_array().expect("a list");
    let created = created.iter().filter(|event| event["action"] == "tenant.created").count();
    assert_eq!(created, 9);

    for tenant in &made {
        let path = format!("/v1/admin/tenants/{}", tenant["id"].as_str().expect("an id"));
        let found = operator("GET", &path, "").await.with(200).json();
        assert_eq!((&found["name"], &found["cell"]), (&tenant["name"], &tenant["cell"]));
        let key =
            operator("POST", &format!("{path}/keys"), r#"{"scopes": ["read", "write"]}"#).await.with(201);
        let key = key.json()["key"].as_str().expect("a key").to_owned();
        app.call_as(&key, "POST", "/v1/sessions/s/messages", said("hello")).await.with(201);
        operator("PATCH", &path, r#"{"status": "suspended"}"#).await.with(200);
        until("a suspended tenant", async || {
            (app.call_as(&key, "GET", "/v1/sessions/s", "").await.status == 403).then_some(())
        })
        .await;
        operator("DELETE", &path, "").await.with(204);
        operator("GET", &path, "").await.with(404);
    }
    let metrics = operator("GET", "/metrics", "").await.with(200).text;
    assert!(metrics.is_empty() || !metrics.contains("tenant"), "{metrics}");
}

#[tokio::test]
async fn a_key_that_is_none_is_looked_up_once_in_each_cell() {
    // Nothing tells this one of changes.
    let app = app_with_cells(3).await;
    let key = "a-key-that-is-none-until-it-is-made-00";
    app.call_as(key, "GET", "/v1/sessions", "").await.with(401);
    // Made behind the service's back, it is found when what is known of it is old.
    let mut owner = connect(&app, "cell2").await;
    let digest = anchord_messages::shape::hex(&anchord_store::keys::digest_key(key), 32);
    let add = format!(
        "insert into api_keys (tenant_id, id, prefix, digest, scopes)
         select id, gen_random_uuid(), 'a', '\\x{digest}', '{{read}}' from tenants where name = 'theirs'"
    );
    support::change(&mut owner, &add).await;
    app.call_as(key, "GET", "/v1/sessions", "").await.with(401);
    for (_, store) in &app.stores {
        store.forget_key(&anchord_store::keys::digest_key(key));
    }
    app.call_as(key, "GET", "/v1/sessions", "").await.with(200);
}

#[tokio::test]
async fn a_cell_that_cannot_be_reached_fails_its_own_tenants_alone() {
    let app = app().await;
    app.call("GET", "/v1/sessions", "").await.with(200);
    app.call_as(THEIRS, "GET", "/v1/sessions", "").await.with(200);
    let (_, second) = &app.stores[2];
    second.close().await;
    forget(&app);
    app.call("GET", "/v1/sessions", "").await.with(200);
    app.call_as(THEIRS, "GET", "/v1/sessions", "").await.with(503);
    // Whether it is a key of that cell, nobody knows.
    app.call_as("a-key-that-is-none-in-the-others-000", "GET", "/v1/sessions", "").await.with(503);
    app.call_as(OPERATOR, "GET", "/v1/admin/tenants", "").await.with(503);
}

#[tokio::test]
async fn a_tenant_that_has_moved_is_found_when_the_cell_that_had_it_is_away() {
    let app = app().await;
    app.call("GET", "/v1/sessions", "").await.with(200);
    assert!(matches!(moved(&app, "home").await, Moved::Now(_)));
    let (_, first) = &app.stores[1];
    first.close().await;
    forget(&app);
    app.call("GET", "/v1/sessions", "").await.with(200);
}

#[tokio::test]
async fn the_address_of_a_cell_is_in_the_list_encrypted_and_again_when_the_key_is_changed() {
    const ADDRESS: &str = "postgres://owner:hunter2@far.example/anchord";
    let [old, new] = ["BwcH", "CAgI"].map(|three| three.repeat(10) + &three[..3] + "=");
    let database = support::database().await;
    let store = Store::connect(&database.home, 4, TaskTracker::new()).await.expect("a pool");
    let with = |keys: &str| {
        let keys = SecretKeys::parse(&SecretString::from(keys)).expect("keys");
        (store.clone().with_secret_keys(keys.clone()), keys)
    };
    let listed = async |keys: &str| with(keys).0.list_cells().await.expect("a list").remove(0).server;
    let nobody = TenantId(uuid::Uuid::nil());
    let sealed = with(&old).1.seal(nobody, ADDRESS.as_bytes());
    assert!(store.insert_cell("far", "far", sealed.as_deref()).await.expect("an insert"));
    let mut owner = database.connect().await;
    let clear = "select count(*) from cells where position(convert_to('hunter2', 'UTF8') in url) > 0";
    let both = format!("{new},{old}");
    for (keys, changed) in [(&old, (0, 0)), (&new, (1, 1)), (&both, (1, 0)), (&new, (0, 0))] {
        assert_eq!(with(keys).0.encrypt_secrets_again().await.expect("a change"), changed);
        assert_eq!(number(&mut owner, clear).await, 0);
    }
    assert!(matches!(listed(&old).await, Server::Unreadable));
    assert!(matches!(listed(&new).await, Server::Own(url) if url.expose_secret() == ADDRESS));
}

#[tokio::test]
async fn the_console_and_the_mcp_server_find_the_cell() {
    let mut app = app().await;
    app.put_console();
    app.call("POST", "/v1/sessions/a-session-of-ours/messages", said("hello")).await.with(201);
    let form = [("content-type", "application/x-www-form-urlencoded"), ("sec-fetch-site", "same-origin")];
    let signed = app.call_with("POST", "/console/sign-in", format!("key={OURS}"), &form).await;
    let cookie =
        signed.headers[header::SET_COOKIE].to_str().expect("a text").split(';').next().expect("a cookie");
    let mut owner = connect(&app, "cell1").await;
    assert_eq!(number(&mut owner, "select count(*) from console_signins").await, 1);
    let page = app.call_with("GET", "/console/sessions", "", &[("cookie", cookie)]).await.with(200);
    assert!(page.text.contains("a-session-of-ours"), "{}", page.text);
    assert_eq!(moved(&app, "cell2").await, Moved::Now(moved_rows(&app, "cell2").await));
    let page = app.call_with("GET", "/console/sessions", "", &[("cookie", cookie)]).await.with(200);
    assert!(page.text.contains("a-session-of-ours"), "{}", page.text);
    let out = [form[0], form[1], ("cookie", cookie)];
    app.call_with("POST", "/console/sign-out", "", &out).await;
    for cell in ["cell1", "cell2"] {
        let mut owner = connect(&app, cell).await;
        assert_eq!(number(&mut owner, "select count(*) from console_signins").await, 0, "{cell}");
    }
    app.put_mcp();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let accept = [("accept", "application/json, text/event-stream"), ("mcp-protocol-version", "2025-06-18")];
    let tools = app.call_with("POST", "/mcp", list, &accept).await.with(200);
    assert!(tools.text.contains("search_past"), "{}", tools.text);
}

/// The rows of the tenant in a cell, without the entry about the move.
async fn moved_rows(app: &App, cell: &str) -> u64 {
    let mut owner = connect(app, cell).await;
    let mut rows = 0;
    for (table, key) in tables(&mut owner).await {
        let count = format!("select count(*) from {table} where {key} = '{}'", app.tenant.0);
        rows += u64::try_from(number(&mut owner, &count).await).expect("a count");
    }
    rows - 1
}

/// Every table with rows of tenants, and the column that says whose.
async fn tables(owner: &mut PgConnection) -> Vec<(String, &'static str)> {
    let all = "select distinct c.table_name::text from information_schema.columns c
               where c.table_schema = current_schema() and (c.column_name = 'tenant_id' or c.table_name = 'tenants') order by 1";
    let rows = sqlx::raw_sql(all).fetch_all(owner).await.expect("a query");
    let key = |table: &str| if table == "tenants" { "id" } else { "tenant_id" };
    rows.iter().map(|row| row.get::<String, _>(0)).map(|table| (table.clone(), key(&table))).collect()
}

/// All rows of the tenant, table by table, as they are.
async fn contents(app: &App, cell: &str) -> Vec<(String, String)> {
    let mut owner = connect(app, cell).await;
    let mut all = Vec::new();
    for (table, key) in tables(&mut owner).await {
        let rows = format!(
            "select coalesce(string_agg(x::text, E'\\n' order by x::text), '') from {table} x
             where {key} = '{}' and not (x::text like '%tenant.moved%')",
            app.tenant.0
        );
        all.push((table, support::text(&mut owner, &rows).await));
    }
    all
}

#[tokio::test]
async fn a_move_takes_every_row_along_and_leaves_none() {
    let app = listening(app_with_cells(3).await);
    app.call("PUT", "/v1/settings", r#"{"context_window": 9000}"#).await.good();
    app.call("POST", "/v1/webhooks", r#"{"url": "https://example.com/hook"}"#).await.with(201);
    app.call("PUT", "/v1/sessions/s", r#"{"user": "u", "metadata": {"a": "b"}}"#).await.with(201);
    for n in 0..20 {
        let text = long(n);
        let key = format!("key-{n}");
        app.call_with("POST", "/v1/sessions/s/messages", said(&text), &[("idempotency-key", &key)])
            .await
            .with(201);
    }
    app.compress("s", "").await;
    app.call("GET", "/v1/sessions/s/context", "").await.with(200);
    app.store.flush_usage(None).await.expect("a write");
    app.store.flush_served().await.expect("a write");
    let (before, context) =
        (contents(&app, "cell1").await, app.call("GET", "/v1/sessions/s/context", "").await.json());
    assert!(before.iter().filter(|(_, rows)| !rows.is_empty()).count() > 15, "{before:?}");
    assert!(matches!(moved(&app, "home").await, Moved::Now(_)));
    assert_eq!(contents(&app, "home").await, before);
    assert_eq!(
        app.call("GET", "/v1/sessions/s/context", "").await.with(200).json()["messages"],
        context["messages"]
    );
    // A call that was answered there is answered again here.
    let again = said(&long(3));
    app.call_with("POST", "/v1/sessions/s/messages", again, &[("idempotency-key", "key-3")]).await.with(201);
    assert_eq!(texts(&app, OURS).await.len(), 20);
    let (_, source) = &app.stores[1];
    until("an empty source", async || {
        for erasure in source.next_erasures().await.expect("a list") {
            source.erase_some(&erasure).await.expect("a step");
        }
        let mut owner = connect(&app, "cell1").await;
        (number(&mut owner, "select count(*) from tenants").await == 0).then_some(())
    })
    .await;
    let left: Vec<_> =
        contents(&app, "cell1").await.into_iter().filter(|(_, rows)| !rows.is_empty()).collect();
    assert!(left.iter().all(|(table, _)| table == "audit_events"), "{left:?}");
    // And back, where the entries of the log still are.
    assert!(matches!(moved(&app, "cell1").await, Moved::Now(_)));
    assert_eq!(texts(&app, OURS).await.len(), 20);
    assert_eq!(moved(&app, "cell1").await, Moved::Before);
}

#[tokio::test]
async fn appends_go_on_while_their_tenant_is_moved() {
    let app = Arc::new(app().await);
    app.call("PUT", "/v1/sessions/s", "{}").await.with(201);
    let is_over = Arc::new(AtomicBool::new(false));
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..4 {
        let (app, is_over) = (Arc::clone(&app), Arc::clone(&is_over));
        writers.spawn(async move {
            let (mut acknowledged, mut refused) = (Vec::new(), 0);
            for n in 0.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let text = format!("{writer}:{n}");
                let key = [("idempotency-key", text.as_str())];
                loop {
                    let reply = app.call_with("POST", "/v1/sessions/s/messages", said(&text), &key).await;
                    if reply.status == 503 {
                        assert!(reply.headers.contains_key(header::RETRY_AFTER), "{}", reply.text);
                        refused += 1;
                        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                        continue;
                    }
                    reply.with(201);
                    break;
                }
                acknowledged.push(text);
            }
            (acknowledged, refused)
        });
    }
    // Another one makes sessions, and one reads.
    for makes in [true, false] {
        let (app, is_over) = (Arc::clone(&app), Arc::clone(&is_over));
        writers.spawn(async move {
            let mut made = Vec::new();
            for n in 0.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let name = format!("/v1/sessions/made-{n}");
                let reply = if makes {
                    app.call("PUT", &name, "{}").await
                } else {
                    app.call("GET", "/v1/sessions/s", "").await
                };
                assert!(
                    reply.status == 503 || reply.status.is_success() || (!makes && n < 5),
                    "{} {}",
                    reply.status,
                    reply.text
                );
                if makes && reply.status.is_success() {
                    made.push(name);
                }
            }
            for name in made {
                app.call("GET", &name, "").await.with(200);
            }
            (Vec::new(), 0)
        });
    }
    for to in ["cell2", "home", "cell1", "cell2"] {
        let so_far = texts(&app, OURS).await.len();
        until("some appends", async || (texts(&app, OURS).await.len() > so_far + 20).then_some(())).await;
        assert!(matches!(moved(&app, to).await, Moved::Now(_)));
    }
    is_over.store(true, Ordering::Relaxed);
    let (mut acknowledged, mut refused) = (Vec::new(), 0);
    while let Some(ended) = writers.join_next().await {
        let (of_one, refusals) = ended.expect("a writer");
        acknowledged.push(of_one);
        refused += refusals;
    }
    let mut stored = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = app
            .call("GET", &format!("/v1/sessions/s/messages?limit=1000{cursor}"), "")
            .await
            .with(200)
            .json();
        stored.extend(
            page["items"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|item| item["message"]["content"].as_str().expect("a text").to_owned()),
        );
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    for (writer, of_one) in
        acknowledged.iter().filter(|of_one| !of_one.is_empty()).map(|of_one| (&of_one[0][..2], of_one))
    {
        let found: Vec<&String> = stored.iter().filter(|text| text.starts_with(writer)).collect();
        assert_eq!(found, of_one.iter().collect::<Vec<_>>(), "after {refused} refusals");
    }
}

#[tokio::test]
async fn a_move_that_is_interrupted_is_ended_or_begun_anew_by_the_next() {
    let app = app().await;
    app.call("POST", "/v1/sessions/s/messages", said("one")).await.with(201);
    let tenants = async || {
        let listed = app.call_as(OPERATOR, "GET", "/v1/admin/tenants", "").await.with(200).json();
        listed["items"].as_array().expect("a list").len()
    };
    // Killed when the rows are locked.
    drop(leaving(&app, "cell1", "cell2").await);
    until("a free tenant", async || {
        (app.call("POST", "/v1/sessions/s/messages", said("two")).await.status == 201).then_some(())
    })
    .await;
    // Killed when they are copied: the copy does not count, and nothing works on it.
    let mut copied = leaving(&app, "cell1", "cell2").await;
    copied.copy().await.expect("a copy");
    app.call("POST", "/v1/sessions/other/messages", said("x")).await.with(503);
    app.call("GET", "/v1/sessions/s", "").await.with(200);
    drop(copied);
    until("a free tenant", async || {
        (app.call("POST", "/v1/sessions/s/messages", said("three")).await.status == 201).then_some(())
    })
    .await;
    assert_eq!(
        (texts(&app, OURS).await, tenants().await),
        (["one", "two", "three"].map(str::to_owned).into(), 2)
    );
    let mut owner = connect(&app, "cell2").await;
    let not_here = "select count(*) from tenants where arriving_from = 'cell1' and suspended_at = 'infinity'";
    assert_eq!(number(&mut owner, not_here).await, 1);
    // Killed behind the commit that hands it over.
    let mut copied = leaving(&app, "cell1", "cell2").await;
    copied.copy().await.expect("a copy");
    copied.hand_over().await.expect("a commit");
    until("a tenant elsewhere", async || {
        (app.call("POST", "/v1/sessions/s/messages", said("four")).await.status == 201).then_some(())
    })
    .await;
    assert_eq!(texts(&app, OURS).await, ["one", "two", "three", "four"]);
    assert_eq!(moved(&app, "cell2").await, Moved::Ended);
    assert_eq!((texts(&app, OURS).await.len(), tenants().await), (4, 2));
    // Of a tenant that was suspended before, it stays so.
    let (_, store) = &app.stores[2];
    let suspended = TenantChange {
        status: Some(anchord_store::tenants::TenantStatus::Suspended),
        ..TenantChange::default()
    };
    store.change_tenant(app.tenant, &suspended, anchord_store::audit::Actor::Cli).await.expect("a change");
    assert!(matches!(moved(&app, "home").await, Moved::Now(_)));
    app.call("GET", "/v1/sessions/s", "").await.with(403);
}

/// A session's row protects what is decided on it, and that of the tenant what is new. Everything else has but the lock of
/// `enter_tenant`.
#[tokio::test]
async fn nothing_is_written_between_the_copy_and_the_hand_over() {
    let app = app().await;
    app.call("POST", "/v1/sessions/s/messages", said("one")).await.with(201);
    let made = app.call("POST", "/v1/keys", r#"{"scopes": ["read"]}"#).await.with(201).json();
    let mut copied = leaving(&app, "cell1", "cell2").await;
    copied.copy().await.expect("a copy");
    let key = format!("/v1/keys/{}", made["id"].as_str().expect("an id"));
    for (method, path, body) in [
        ("DELETE", key.as_str(), String::new()),
        ("POST", "/v1/sessions/s/messages", said("two")),
        ("POST", "/v1/sessions/new/messages", said("two")),
        ("DELETE", "/v1/sessions/s", String::new()),
    ] {
        let refused = app.call(method, path, body).await.with(503);
        assert!(refused.headers.contains_key(header::RETRY_AFTER), "{method} {path}");
    }
    let tenant = format!("/v1/admin/tenants/{}", app.tenant);
    app.call_as(OPERATOR, "DELETE", &tenant, "").await.with(503);
    copied.hand_over().await.expect("a commit");
    assert_eq!(moved(&app, "cell2").await, Moved::Ended);
    assert_eq!(texts(&app, OURS).await, ["one"]);
    let readers = made["key"].as_str().expect("a key");
    app.call_as(readers, "GET", "/v1/sessions/s", "").await.with(200);
    app.call("DELETE", &key, "").await.with(204);
    app.call_as(readers, "GET", "/v1/sessions/s", "").await.with(401);
}

#[tokio::test]
async fn a_copy_does_not_count_even_when_its_cell_answers_first() {
    let app = Arc::new(app_with_cells(3).await);
    // Of a move that was interrupted: the source is in use.
    leaving(&app, "cell1", "cell2").await.copy().await.expect("a copy");
    // From now on the second cell answers at once.
    let (digest, now) = (digest_key(OURS), Clock::system().now());
    let copy = app.stores[2].1.find_key(digest, Line::InUse, now).await.expect("an answer");
    assert!(copy.expect("the key of the copy").is_arriving);
    let (mut holder, mut looker) = (connect(&app, "cell1").await, connect(&app, "cell1").await);
    support::change(&mut holder, "begin; lock table api_keys in access exclusive mode").await;
    let asked = app.store.tracker().spawn({
        let app = Arc::clone(&app);
        async move { app.call("PUT", "/v1/sessions/s", "{}").await }
    });
    let waiting = "select count(*) from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock'";
    until("a look-up that waits", async || {
        (number(&mut looker, waiting).await == 1 || asked.is_finished()).then_some(())
    })
    .await;
    support::change(&mut holder, "commit").await;
    asked.await.expect("a reply").with(201);
    for (cell, sessions) in [("cell1", 1), ("cell2", 0)] {
        let mut owner = connect(&app, cell).await;
        assert_eq!(number(&mut owner, "select count(*) from sessions").await, sessions, "{cell}");
    }
}

#[tokio::test]
async fn a_move_waits_for_the_one_that_is_on_its_way() {
    let app = app().await;
    app.call("POST", "/v1/sessions/s/messages", said("one")).await.with(201);
    let (from, to) = (place(&app, "cell1"), place(&app, "cell2"));
    let mut first = Leaving::begin(app.tenant, &from, &to).await.expect("an empty target");
    first.send_ahead().await.expect("a copy");
    let second = app.store.tracker().spawn({
        let (tenant, places) = (app.tenant, places(&app));
        async move { moving::move_tenant(tenant, &places, "cell2").await }
    });
    let mut looker = connect(&app, "cell1").await;
    let waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted
                   and database = (select oid from pg_database where datname = current_database())";
    until("a move that waits", async || (number(&mut looker, waiting).await == 1).then_some(())).await;
    first.lock().await.expect("a lock");
    first.copy().await.expect("a copy");
    first.hand_over().await.expect("a commit");
    second.await.expect("an end").expect_err("the tenant is there no more");
    assert_eq!(moved(&app, "cell2").await, Moved::Ended);
    assert_eq!(texts(&app, OURS).await, ["one"]);
}

/// Messages are sent ahead without a lock. What comes, is erased or is cut meanwhile is at the target as it is at the source.
#[tokio::test]
async fn what_changes_while_messages_are_sent_ahead_is_moved_as_it_is() {
    let app = app().await;
    let path = |session: &str| format!("/v1/sessions/{session}");
    let append = async |session: &str, from: i32, to: i32| {
        for n in from..to {
            app.call("POST", &format!("{}/messages", path(session)), said(&long(n))).await.with(201);
        }
    };
    for session in ["stays", "grows", "erased", "half-erased", "cut", "erased-and-made-again"] {
        append(session, 0, 6).await;
    }
    let fork = r#"{"name": "a", "seq": 4}"#;
    app.call("POST", "/v1/sessions/cut/branches", fork).await.with(201);
    app.call("POST", "/v1/sessions/cut/messages?branch=a", said("on a")).await.with(201);
    app.call("POST", "/v1/sessions/cut/messages?branch=a", said("more on a")).await.with(201);
    app.call("PUT", "/v1/sessions/cut/current-branch", r#"{"name": "a"}"#).await.good();
    let (from, to) = (place(&app, "cell1"), place(&app, "cell2"));
    let mut leaving = Leaving::begin(app.tenant, &from, &to).await.expect("an empty target");
    assert_eq!(leaving.send_ahead().await.expect("a copy"), 38);
    append("grows", 6, 9).await;
    append("new", 0, 3).await;
    for session in ["erased", "erased-and-made-again", "cut/branches/main"] {
        app.call("DELETE", &path(session), "").await.with(204);
    }
    append("erased-and-made-again", 0, 2).await;
    let (_, source) = &app.stores[1];
    let mut owner = connect(&app, "cell1").await;
    until("rows that are deleted", async || {
        for erasure in source.next_erasures().await.expect("a list") {
            source.erase_some(&erasure).await.expect("a step");
        }
        (number(&mut owner, "select count(*) from erasures").await == 0).then_some(())
    })
    .await;
    // As one step of many leaves it.
    let half = "update sessions set erased_at = now() where name = 'half-erased';
                insert into erasures (tenant_id, session_id, through_seq)
                select tenant_id, id, 3 from sessions where name = 'half-erased';
                delete from messages m using erasures e where m.session_id = e.session_id and m.seq <= 3";
    support::change(&mut owner, half).await;
    assert_eq!(number(&mut owner, "select count(*) from messages").await, 6 + 9 + 3 + 6 + 2 + 3);
    leaving.lock().await.expect("a lock");
    leaving.copy().await.expect("a copy");
    let of = async |cell: &str| {
        let mut all = contents(&app, cell).await;
        all.retain(|(table, _)| table != "tenants");
        all
    };
    assert_eq!(of("cell2").await, of("cell1").await);
    leaving.hand_over().await.expect("a commit");
    assert_eq!(moved(&app, "cell2").await, Moved::Ended);
    append("grows", 9, 10).await;
    let grown = app.call("GET", "/v1/sessions/grows/messages", "").await.with(200).json();
    assert_eq!(grown["items"].as_array().map(Vec::len), Some(10));
}

#[tokio::test]
async fn a_compression_that_runs_during_a_move_is_done_once_and_there() {
    let provider = FakeProvider::start([Act::Held]).await;
    let app = Arc::new(listening(app_with_model_and_cells(llm::client(&provider), 3).await));
    app.call("PUT", "/v1/sessions/s", r#"{"engine": "llm"}"#).await.with(201);
    for n in 0..20 {
        let text = long(n) + " It is in src/import.rs.";
        app.call("POST", "/v1/sessions/s/messages", said(&text)).await.with(201);
    }
    let asked = app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await.with(202);
    let path = asked.headers["location"].to_str().expect("a text").to_owned();
    let working = app.store.tracker().spawn({
        let app = Arc::clone(&app);
        async move { app.work().await }
    });
    provider.arrivals(1).await;
    assert!(matches!(moved(&app, "cell2").await, Moved::Now(_)));
    assert_eq!(app.call("GET", &path, "").await.with(200).json()["status"], "running");
    provider.play([Act::Good]);
    provider.release();
    working.await.expect("a worker that goes on");
    app.work().await;
    let done = app.call("GET", &path, "").await.with(200).json();
    assert_eq!(done["status"], "succeeded", "{done}");
    let mut source = connect(&app, "cell1").await;
    assert_eq!(
        number(&mut source, "select count(*) from summaries").await,
        0,
        "the late worker has published"
    );
}

#[tokio::test]
async fn the_gateway_finds_the_cell_of_a_key_wherever_it_stands() {
    let mut app = app().await;
    let nobody = "http://127.0.0.1:9".parse().expect("a URL");
    app.put_gateway(anchord_gateway::Config { openai: Some(nobody), ..anchord_gateway::Config::default() });
    for key in [OURS, THEIRS] {
        let path = format!("/gateway/key/{key}/openai/v1/models");
        app.call_with("GET", &path, "", &[("x-api-key", "sk-mine")]).await.with(502);
        app.call_with(
            "GET",
            "/gateway/openai/v1/models",
            "",
            &[("x-anchord-key", key), ("x-api-key", "sk-mine")],
        )
        .await
        .with(502);
    }
    app.call_with(
        "GET",
        "/gateway/openai/v1/models",
        "",
        &[("x-anchord-key", OPERATOR), ("x-api-key", "sk-mine")],
    )
    .await
    .with(401);
}

/// The commands beside a service that runs.
#[tokio::test(flavor = "multi_thread")]
async fn a_running_service_takes_up_a_cell_and_a_tenant_is_moved_there_and_back() {
    let database = support::database_with(1).await;
    let service = Service::on(&database.home, &["--admin-token", OPERATOR]);
    let client = service.client();
    let run = |words: &[&str]| {
        let words = [&["cells", "--database-url", &database.home], words].concat();
        let done = anchord(&words).output().expect("the program");
        let said = String::from_utf8_lossy(&done.stdout).into_owned()
            + String::from_utf8_lossy(&done.stderr).as_ref();
        (done.status.success(), said)
    };
    let append = |text: &str| {
        client.call("POST", "/v1/sessions/s/messages", &[], &said(text)).expect("a reply").status
    };
    assert_eq!(append("one"), 201);
    let (is_done, said_of_it) = run(&["add", "second"]);
    assert!(is_done, "{said_of_it}");
    for refused in [["second"], ["home"], ["Second"]] {
        assert!(!run(&["add", refused[0]]).0, "{refused:?}");
    }
    assert!(!run(&["add", "third", "--schema", "public"]).0, "the home cell, once more");
    let (_, why) = run(&["add", "third", "--url", "postgres://a:hunter2@b/c"]);
    assert!(why.contains("ANCHORD_SECRETS_KEY") && !why.contains("hunter2"), "{why}");
    let (is_done, why) = run(&["move", "default", "second"]);
    assert!(!is_done && why.contains("minute"), "{why}");
    let mut owner = PgConnection::connect(&database.home).await.expect("a connection");
    support::change(&mut owner, "update cells set created_at = now() - interval '1 day'").await;
    let (is_done, said) = run(&["move", "default", "second"]);
    assert!(is_done && said.contains("moved to second"), "{said}");
    assert_eq!(append("two"), 201);
    let (_, listed) = run(&["list"]);
    let of =
        |cell: &str| listed.lines().find(|line| line.starts_with(cell)).expect("a line").split('\t').nth(3);
    assert_eq!((of("home"), of("second")), (Some("0"), Some("1")), "{listed}");
    assert!(!run(&["remove", "second"]).0, "it has a tenant");
    let (is_done, said) = run(&["move", "default", "home"]);
    assert!(is_done && said.contains("moved to home"), "{said}");
    assert_eq!(append("three"), 201);
    let messages = client.get("/v1/sessions/s/messages").json();
    assert_eq!(messages["items"].as_array().map(Vec::len), Some(3), "{messages}");
    assert!(run(&["remove", "second"]).0);
    service.end_with_log();
}
