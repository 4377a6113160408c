//! One tenant's rows are no other's: by the statements' conditions, and by row-level security below.

use anchord_context::pin::Pin;
use anchord_messages::id::TenantId;
use anchord_session::usage::{Kind, TaskStatus, UsageDelta};
use anchord_store::audit::Actor;
use anchord_store::gather::ToolOutput;
use anchord_store::messages::SeqRange;
use anchord_store::pins::PinEdited;
use anchord_store::sessions::{PutOutcome, SessionFilter};
use anchord_store::usage::User;
use anchord_store::webhooks::NewWebhook;
use anchord_worker::index::index;
use serde_json::Map;
use sqlx::{AssertSqlSafe, Row as _};
use uuid::Uuid;

use crate::appends::{Stored, append, message, name, stored};

/// The planner may evaluate the parts of a statement in any order, so a policy may see the tenant of before: unless every row is
/// looked for by the tenant that setting it has returned, in a subquery of its own that is kept from being merged.
#[test]
fn a_statement_that_sets_its_tenant_looks_for_every_row_by_what_setting_it_returned() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(".sqlx");
    let files = std::fs::read_dir(folder).expect("the statements");
    let statement = |path: std::path::PathBuf| {
        let file: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).expect("a text")).expect("a statement");
        file["query"].as_str().expect("its text").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let texts = files.map(|file| statement(file.expect("a file").path()));
    let own: Vec<String> = texts.filter(|text| text.contains("set_config('app.tenant_id'")).collect();
    assert_eq!(own.len(), 3, "sessions, the outlines of their messages, and kept replies: {own:#?}");
    for text in own {
        let (_, after) = text.split_once(" from ( select u.*, ").expect("the subquery comes first");
        let rest = after.strip_prefix(
            "set_config('app.tenant_id', u.tenant::text, true)::uuid as tenant_id from unnest(",
        );
        let (_, rest) =
            rest.expect("the tenant is set").split_once(" offset 0 ) w ").expect("it is kept apart");
        for table in rest.split(" from ").skip(1).filter(|part| !part.starts_with("unnest")) {
            let (named, of) = table.split_once(" where ").expect("a search");
            let column = if named == "tenants x" { "x.id" } else { "x.tenant_id" };
            let is_of_another_row = named == "sessions s" && of.starts_with("s.tenant_id = x.tenant_id ");
            assert!(of.contains(&format!("{column} = w.tenant_id")) || is_of_another_row, "{table}");
        }
    }
}

const TABLES: [&str; 28] = [
    "tenants", "api_keys", "sessions", "messages", "tool_outputs", "pins", "dropped_entries", "summaries",
    "ledger_entries", "probes", "evaluations", "compressions", "idempotency_keys", "audit_events",
    "todo_lists", "events", "usage_by_session", "usage_by_day", "tasks", "webhooks", "webhook_deliveries",
    "recall_postings", "recall_pending", "recall_embeddings", "recall_vectors", "session_metadata",
    "record_parts", "erasures",
];

/// A session with something of everything in it.
async fn furnished() -> Stored {
    let stored = stored().await;
    let mut full = append(stored.ours, "s", &["one", "two"]);
    let mut output = message("three");
    output.tool_outputs.push(ToolOutput { ordinal: 0, reference: "00ff00ff00ff00ff".to_owned() });
    full.messages.push(output);
    stored.appends.append(full).await.expect("an append");
    let pins = [Pin::new("keep it".to_owned())];
    stored.store.replace_pins(stored.ours, &name("s"), &pins, Actor::Cli).await.expect("pins");
    let settings = Map::from_iter([("task_id".to_owned(), "t".into())]);
    stored.store.put_session(stored.ours, &name("s"), settings).await.expect("a put");
    count_use(&stored).await;
    told(&stored).await;
    let session =
        stored.store.find_session(stored.ours, &name("s")).await.expect("a read").expect("a session");
    index(&stored.store, (stored.ours, session.id), None).await.expect("indexing").expect("a session");
    let task = stored.store.put_task(stored.ours, "t", TaskStatus::Completed).await.expect("a put");
    assert!(task.is_some_and(|task| task.figures.requests == 1));
    stored
}

/// A webhook that was told of something in the session.
async fn told(stored: &Stored) {
    let url = "https://example.com/".to_owned();
    let new = NewWebhook { url, description: None, events: None, enabled: true };
    stored.store.insert_webhook(stored.ours, &new, Actor::Cli).await.expect("a webhook");
    let tell =
        "insert into webhook_deliveries (tenant_id, webhook_id, id, session_id, event_id, event, payload)
                select w.tenant_id, w.id, gen_random_uuid(), s.id, 1, 'summary.published', '{}'
                from webhooks w join sessions s using (tenant_id)";
    let mut tx = stored.store.begin(stored.ours).await.expect("a transaction");
    sqlx::raw_sql(tell).execute(&mut *tx).await.expect("a delivery");
    tx.commit().await.expect("a commit");
}

async fn count_use(stored: &Stored) {
    let session =
        stored.store.find_session(stored.ours, &name("s")).await.expect("a read").expect("a session");
    let user = User { tenant: stored.ours, session: session.id, task_id: Some("t"), at: session.created_at };
    let figures = UsageDelta { calls: 1, ..UsageDelta::default() };
    stored.store.meter().count(user, Kind::Context, figures);
}

async fn count(tx: &mut anchord_store::Tx, table: &str) -> i64 {
    let query = format!("select count(*) from {table}");
    let row = sqlx::raw_sql(AssertSqlSafe(query)).fetch_one(&mut **tx).await.expect("a count");
    row.get(0)
}

#[tokio::test]
async fn without_a_tenant_or_with_a_strange_one_no_row_is_there() {
    let stored = furnished().await;
    let mut ours = stored.store.begin(stored.ours).await.expect("a transaction");
    for (table, rows) in [
        ("tenants", 1),
        ("sessions", 1),
        ("messages", 3),
        ("pins", 1),
        ("tool_outputs", 1),
        ("usage_by_session", 1),
        ("usage_by_day", 1),
        ("tasks", 1),
        ("webhooks", 1),
        ("webhook_deliveries", 1),
        ("recall_pending", 1),
    ] {
        assert_eq!(count(&mut ours, table).await, rows, "{table}");
    }
    drop(ours);
    let mut nobody = stored.store.begin(TenantId(Uuid::from_u128(7))).await.expect("a transaction");
    for table in TABLES {
        assert_eq!(count(&mut nobody, table).await, 0, "{table} shows rows to a stranger");
    }
    sqlx::raw_sql("set local app.tenant_id = ''").execute(&mut *nobody).await.expect("a setting");
    for table in TABLES {
        assert_eq!(count(&mut nobody, table).await, 0, "{table} shows rows without a tenant");
    }
}

#[tokio::test]
async fn another_tenant_sees_nothing_through_any_method() {
    let stored = furnished().await;
    let (store, theirs, s) = (&stored.store, stored.theirs, name("s"));
    let all = SeqRange { from: 1, to: i64::MAX };
    assert_eq!(store.find_session(theirs, &s).await.expect("a read"), None);
    assert_eq!(store.list_sessions(theirs, &SessionFilter::default(), None, 50).await.expect("a read"), []);
    assert_eq!(store.list_messages(theirs, &s, all, 50).await.expect("a read"), None);
    assert_eq!(store.list_pins(theirs, &s).await.expect("a read"), None);
    assert_eq!(store.replace_pins(theirs, &s, &[], Actor::Cli).await.expect("a write"), PinEdited::NoOwner);
    assert_eq!(store.find_tool_output(theirs, &s, "00ff00ff00ff00ff").await.expect("a read"), None);
    assert!(store.find_tool_output(stored.ours, &s, "00ff00ff00ff00ff").await.expect("a read").is_some());
    let session = store.find_session(stored.ours, &s).await.expect("a read").expect("a session");
    assert!(store.find_context(theirs, session.clone(), None).await.expect("a read").is_none());
    assert!(store.find_context(stored.ours, session, None).await.expect("a read").is_some());
    assert!(!store.delete_session(theirs, &s.name, Actor::Cli).await.expect("a write"));
    assert!(store.find_task(theirs, "t").await.expect("a read").is_none());
    assert!(store.put_task(theirs, "t", TaskStatus::Failed).await.expect("a write").is_none());
    let day = chrono::DateTime::UNIX_EPOCH.date_naive();
    let always = (day, day + chrono::TimeDelta::days(100_000));
    assert!(store.report_tenant_usage(theirs, always).await.expect("a read").days.is_empty());
    assert_eq!(store.report_tenant_usage(stored.ours, always).await.expect("a read").days.len(), 1);
    // The same name is another session.
    let made = store.put_session(theirs, &s, Map::new()).await.expect("a put");
    assert!(matches!(made, PutOutcome::Created(_)));
    let theirs_now = store.list_messages(theirs, &s, all, 50).await.expect("a read").expect("a session");
    assert!(theirs_now.items.is_empty());
}

#[tokio::test]
async fn a_connection_keeps_no_tenant_after_a_read_in_one_statement() {
    let stored = furnished().await;
    let session = stored.store.find_session(stored.ours, &name("s")).await.expect("a read");
    let session = session.expect("a session");
    for _ in 0..32 {
        let read = stored.store.find_context(stored.ours, session.clone(), None).await.expect("a read");
        assert!(read.is_some());
        let mut nobody = stored.store.begin(TenantId(Uuid::from_u128(7))).await.expect("a transaction");
        assert_eq!(count(&mut nobody, "messages").await, 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_name_that_many_make_at_once_is_made_once() {
    let stored = stored().await;
    let s = name("s");
    let puts = (0..16).map(|_| stored.store.put_session(stored.ours, &s, Map::new()));
    let outcomes = futures::future::join_all(puts).await;
    let created = outcomes.iter().filter(|o| matches!(o, Ok(PutOutcome::Created(_)))).count();
    let updated = outcomes.iter().filter(|o| matches!(o, Ok(PutOutcome::Updated(_)))).count();
    assert_eq!((created, updated), (1, 15));
}
