//! Databases of earlier versions: each ends with the schema that a new one has and with its rows, whether an upgrade was
//! cut short or somebody was in its way, and while a service is at work on it.

use anchord_store::audit::Actor;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anchord_store::Store;
use anchord_store::migrate::LockWaits;
use futures::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};
use sqlx::migrate::Migrator;
use sqlx::{
    AssertSqlSafe, Column as _, Either, Executor as _, PgConnection, Row as _, Statement as _, TypeInfo as _,
};

use crate::support::app::{App, COMPRESS, app_on};
use crate::support::{TestDatabase, database, empty_database, number, text, until};

/// The migrations of the versions before the steps, which the product no longer has.
static LANDED: Migrator = sqlx::migrate!("tests/fixtures/schema/migrations");
/// The first schema that was made as a whole, with its functions.
static WHOLE: Migrator = sqlx::migrate!("tests/fixtures/schema/0044");
/// That of the last release.
static LAST: Migrator = sqlx::migrate!("tests/fixtures/schema/0054");
/// The schema of the version before this one.
const BEFORE: i64 = 32;
/// The statements of that version.
const STATEMENTS: &str = include_str!("../fixtures/schema/statements-0032.json");
/// The statements of the last release.
const LAST_STATEMENTS: &str = include_str!("../fixtures/schema/statements-0054.json");
/// The steps that lead to what the service of today reads and writes: users, metadata, branches, notes and settings of sessions.
const TO_TODAY: [&str; 5] = [
    include_str!("../../migrations/upgrade/0047_expand_erasures.sql"),
    include_str!("../../migrations/upgrade/0051_expand_recall.sql"),
    include_str!("../../migrations/upgrade/0055_expand_branches.sql"),
    include_str!("../../migrations/upgrade/0061_expand_notes.sql"),
    include_str!("../../migrations/upgrade/0064_expand_settings.sql"),
];
const FUNCTIONS: &str = include_str!("../../migrations/0066_functions.sql");
/// The functions that branches brought, and that the service of today calls in whatever it does.
const OF_BRANCHES: [&str; 9] = [
    "load_branches",
    "find_session",
    "lineage",
    "version_lineage",
    "version_owner",
    "probes_of",
    "adopt_probes",
    "index_lineage",
    "add_postings",
];
const CATALOG: &str = include_str!("../fixtures/schema/catalog.sql");
/// Short ones, so that a test sees the end of them.
const IMPATIENT: LockWaits =
    LockWaits { timeout: Duration::from_millis(100), pause: Duration::from_millis(100), tries: 3 };

const SESSION: &str = "/v1/sessions/s";
/// What is read before and after.
const READS: [&str; 7] = [
    "/v1/sessions/s",
    "/v1/sessions/s/messages?limit=1000",
    "/v1/sessions/s/context",
    "/v1/sessions/s/summaries?limit=100",
    "/v1/sessions/s/summaries/1",
    "/v1/sessions/s/probes?limit=1000",
    "/v1/sessions/s/todos",
];
/// Outputs of which later messages have a copy.
const OUTPUTS: [&str; 2] =
    ["seventy tests passed and none failed", "the list of files has four hundred lines"];

/// A database with the schema of an earlier version.
async fn database_at(version: i64) -> TestDatabase {
    let database = empty_database().await;
    LANDED.run_to(version, &mut database.connect().await).await.expect("migrations that run");
    database
}

/// A database of the version before for the service of today, which writes columns and calls functions that one of that
/// version does not know. The steps that lead to them change nothing the second time.
async fn database_before() -> TestDatabase {
    let database = database_at(BEFORE).await;
    let mut owner = database.connect().await;
    for step in TO_TODAY {
        run(&mut owner, step).await;
    }
    for function in OF_BRANCHES {
        let beginning = format!("create or replace function {function}(");
        let from = FUNCTIONS.find(&beginning).expect("a function");
        let (_, rest) = FUNCTIONS.split_at(from);
        let (made, _) = rest.split_once("\ncomment on ").expect("a comment");
        run(&mut owner, made).await;
    }
    database
}

async fn migrate(database: &TestDatabase) {
    Store::migrate(&database.url, LockWaits::default()).await.expect("a migrated database");
}

async fn run(connection: &mut PgConnection, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.expect("a statement that runs");
}

/// Everything that the schema of a database is.
async fn catalog(database: &TestDatabase) -> Vec<String> {
    let rows = sqlx::raw_sql(CATALOG).fetch_all(&mut database.connect().await).await.expect("a catalog");
    rows.iter().map(|row| row.get(0)).collect()
}

/// Compares a schema with that of a new database, and says what differs.
async fn assert_is_as_new(database: &TestDatabase) {
    let (new, upgraded) = (catalog(&self::database().await).await, catalog(database).await);
    let beside = |some: &[String], others: &[String]| {
        some.iter().filter(|line| !others.contains(line)).cloned().collect::<Vec<_>>()
    };
    assert_eq!(
        (beside(&new, &upgraded), beside(&upgraded, &new)),
        (Vec::new(), Vec::new()),
        "what is missing, and what is too much"
    );
    assert!(new.len() > 500, "{new:?}");
}

/// Fills a session by the service: messages of which some repeat outputs, a version, a todo list.
async fn fill(app: &App) {
    let talk = (0..40).map(|i| {
        let role = if i % 2 == 0 { "user" } else { "assistant" };
        let content = match i {
            0 => format!("First: {}", OUTPUTS[0]),
            1 => format!("Then {}, and: {}", OUTPUTS[0], OUTPUTS[1]),
            2 => format!("Again {}, {}", OUTPUTS[1], OUTPUTS[0]),
            _ => format!("Step {i}: {}", "we read src/main.rs once more. ".repeat(20)),
        };
        json!({"role": role, "content": content})
    });
    let talk: Vec<Value> = talk.collect();
    let calls = [
        ("PUT", SESSION.to_owned(), json!({"context_window": 20_000})),
        ("POST", format!("{SESSION}/messages"), json!({"messages": talk})),
        ("PUT", format!("{SESSION}/todos"), json!({"todos": [{"content": "Deploy", "status": "pending"}]})),
        ("POST", format!("{SESSION}/compressions"), serde_json::from_str(COMPRESS).expect("JSON")),
    ];
    for (method, path, body) in calls {
        let reply = app.call(method, &path, body.to_string()).await;
        assert!(reply.status.is_success(), "{path}: {}", reply.text);
    }
    app.work().await;
}

async fn read(app: &App) -> Vec<(&'static str, Value)> {
    let reads = READS.map(async |path| {
        let reply = app.call("GET", path, "").await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        (path, reply.json())
    });
    join_all(reads).await
}

/// Copies all rows that a database with the schema of an earlier version can have.
async fn copy(from: &TestDatabase, to: &TestDatabase) {
    let (mut from, mut to) = (from.connect_as_superuser().await, to.connect_as_superuser().await);
    let tables = "select c.relname::text,
                         string_agg(quote_ident(a.attname), ', ' order by a.attnum) filter (where a.attgenerated = '')
                  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> '_sqlx_migrations'
                  group by c.relname";
    // Columns that the earlier version does not have are left out.
    let rows = sqlx::raw_sql(tables).fetch_all(&mut to).await.expect("tables");
    run(&mut to, "set session_replication_role = replica").await;
    for row in rows {
        let (table, columns): (String, String) = (row.get(0), row.get(1));
        let taken = format!("select coalesce(json_agg(x), '[]')::text from {table} x");
        let taken = text(&mut from, &taken).await.replace('\'', "''");
        let put = format!(
            "insert into {table} ({columns}) overriding system value
             select {columns} from json_populate_recordset(null::{table}, '{taken}')"
        );
        // Columns that have gone since are null, where they may be.
        run(&mut to, &put).await;
    }
}

/// Takes copies of outputs out of messages, as versions before 0031 stored them: the third message's second part is taken
/// from what is left of the second message.
async fn take_out(database: &TestDatabase) {
    let mut owner = database.connect().await;
    for (seq, from, output) in [(2, 1, OUTPUTS[0]), (3, 2, OUTPUTS[1])] {
        let take = format!(
            "update messages m
             set body = null, rest = replace(m.body, '{output}', ''),
                 shared = json_build_array(json_build_array(position('{output}' in m.body) - 1, {from},
                                                            position('{output}' in coalesce(f.body, f.rest)) - 1,
                                                            length('{output}')))::text
             from messages f
             where m.seq = {seq} and f.tenant_id = m.tenant_id and f.session_id = m.session_id and f.seq = {from}"
        );
        run(&mut owner, &take).await;
    }
    assert_eq!(number(&mut owner, "select count(*) from messages where body is null").await, 2);
}

#[tokio::test]
async fn a_database_of_every_version_since_0025_ends_as_a_new_one_and_keeps_its_rows() {
    let source = app_on(database_before().await).await;
    fill(&source).await;
    let mut expected = read(&source).await;
    for version in (25..=BEFORE).rev() {
        if version == 27 {
            // What versions before 0028 did not store.
            let without =
                "update summaries set digest = null, digest_tokens = null, head_seq = null, mask_upto = null,
                                                carried_seq = null, hindsight = null";
            run(&mut source.database.connect().await, without).await;
            expected = read(&source).await;
        }
        let database = database_at(version).await;
        copy(&source.database, &database).await;
        if version < 31 {
            take_out(&database).await;
        }
        migrate(&database).await;
        assert_is_as_new(&database).await;
        let app = app_on(database).await;
        for (found, expected) in read(&app).await.iter().zip(&expected) {
            assert_eq!(found, expected, "from {version:04}");
        }
        // It goes on from there.
        let more = json!({"messages": [{"role": "user", "content": "go on"}]}).to_string();
        let reply = app.call("POST", &format!("{SESSION}/messages"), more).await;
        assert_eq!((reply.status.as_u16(), &reply.json()["first_seq"]), (201, &json!(41)), "{}", reply.text);
        assert!(
            app.store
                .delete_session(app.tenant, &crate::appends::name("s").name, Actor::Cli)
                .await
                .expect("a delete")
        );
    }
}

#[rstest]
#[case::the_first(&WHOLE)]
#[case::the_last_releases(&LAST)]
#[tokio::test]
async fn a_database_that_was_made_with_an_earlier_whole_schema_ends_as_a_new_one(#[case] whole: &Migrator) {
    let database = empty_database().await;
    whole.run(&mut database.connect().await).await.expect("a schema that runs");
    migrate(&database).await;
    assert_is_as_new(&database).await;
}

#[tokio::test]
async fn a_database_from_before_0025_is_refused_and_left_as_it_is() {
    let database = database_at(24).await;
    let before = catalog(&database).await;
    let refused = Store::migrate(&database.url, IMPATIENT).await.expect_err("a refusal");
    assert!(refused.to_string().contains("0025 to 0032"), "{refused}");
    assert_eq!(catalog(&database).await, before);
}

#[tokio::test]
async fn an_upgrade_that_gets_no_lock_gives_up_without_harm_and_can_be_run_again() {
    let app = app_on(database_before().await).await;
    fill(&app).await;
    let expected = read(&app).await;
    // As a dump does.
    let mut dump = app.database.connect().await;
    run(&mut dump, "begin; lock table messages, sessions in access share mode").await;
    let upgrade = Store::migrate(&app.database.url, IMPATIENT);
    let appends = async {
        for place in 0..20 {
            let body =
                json!({"messages": [{"role": "user", "content": format!("more {place}")}]}).to_string();
            let reply = app.call("POST", "/v1/sessions/other/messages", body).await;
            assert_eq!(reply.status, 201, "{}", reply.text);
        }
    };
    let (refused, ()) = tokio::join!(upgrade, appends);
    let refused = refused.expect_err("no lock");
    assert!(refused.to_string().contains("3 tries"), "{refused}");
    assert_eq!(read(&app).await, expected);
    run(&mut dump, "commit").await;
    migrate(&app.database).await;
    assert_is_as_new(&app.database).await;
    assert_eq!(read(&app).await, expected);
}

#[tokio::test]
async fn an_index_that_was_left_half_built_is_built_again() {
    let database = database_at(28).await;
    let mut superuser = database.connect_as_superuser().await;
    let half = "drop index summaries_unjudged;
                create index summaries_unjudged on summaries (version);
                update pg_index set indisvalid = false where indexrelid = 'summaries_unjudged'::regclass";
    run(&mut superuser, half).await;
    run(&mut superuser, &format!("alter index summaries_unjudged owner to {}", anchord_postgres::OWNER))
        .await;
    migrate(&database).await;
    assert_is_as_new(&database).await;
}

#[rstest]
#[case::small(25)]
#[case::before(BEFORE)]
#[tokio::test]
async fn several_processes_upgrade_one_database_at_once(#[case] version: i64) {
    let database = database_at(version).await;
    let starters = (0..4).map(|_| Store::migrate(&database.url, LockWaits::default()));
    for migrated in join_all(starters).await {
        migrated.expect("a migrated database");
    }
    assert_is_as_new(&database).await;
}

/// What a statement takes and gives, as the server sees it; the error when it does not know it.
async fn described(connection: &mut PgConnection, statement: &str) -> Result<Vec<String>, String> {
    let statement = AssertSqlSafe(statement.to_owned());
    let prepared = connection.prepare(sqlx::SqlSafeStr::into_sql_str(statement)).await;
    let prepared = prepared.map_err(|error| error.to_string())?;
    let columns =
        prepared.columns().iter().map(|column| format!("{} {}", column.name(), column.type_info().name()));
    let taken = match prepared.parameters() {
        Some(Either::Left(types)) => types.iter().map(|kind| kind.name().to_owned()).collect(),
        _ => Vec::new(),
    };
    Ok(columns.chain(taken).collect())
}

/// A process of an earlier version, beside the new schema: whatever it says to the database is understood as before, and it
/// may do what it could.
async fn assert_go_on_working(statements: &str, (old, new): (TestDatabase, TestDatabase), unused: &[&str]) {
    let statements: Vec<String> = serde_json::from_str(statements).expect("statements");
    assert!(statements.len() > 150);
    migrate(&new).await;
    let (mut before, mut after) = (old.connect().await, new.connect().await);
    for connection in [&mut before, &mut after] {
        run(connection, "set role anchord_app").await;
    }
    for statement in &statements {
        let expected = described(&mut before, statement).await;
        assert!(expected.is_ok(), "{statement}: {expected:?}");
        assert_eq!(described(&mut after, statement).await, expected, "{statement}");
    }
    let kept = catalog(&new).await;
    let lost =
        catalog(&old).await.into_iter().filter(|line| line.starts_with("grant ") && !kept.contains(line));
    let lost: Vec<String> = lost.filter(|line| line.contains("anchord_app")).collect();
    let unused: Vec<String> =
        unused.iter().map(|name| format!("grant on {name} to anchord_app: EXECUTE")).collect();
    assert_eq!(lost, unused);
}

#[tokio::test]
async fn the_statements_of_the_version_before_go_on_working() {
    let databases = (database_at(BEFORE).await, database_at(BEFORE).await);
    assert_go_on_working(STATEMENTS, databases, &["queue_depth()", "release_dead_workers()"]).await;
}

#[tokio::test]
async fn the_statements_of_the_last_release_go_on_working() {
    let made = async || {
        let database = empty_database().await;
        LAST.run(&mut database.connect().await).await.expect("a schema that runs");
        database
    };
    assert_go_on_working(LAST_STATEMENTS, (made().await, made().await), &[]).await;
}

/// What the messages of a session say, in their order.
async fn contents(app: &App, session: &str) -> Vec<String> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = app.call("GET", &format!("{session}/messages?limit=1000{cursor}"), "").await.json();
        let items = page["items"].as_array().expect("items").iter();
        all.extend(items.map(|item| item["message"]["content"].as_str().expect("text").to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

/// How long the service works: for a minute by `just upgrade-under-load`.
#[expect(clippy::disallowed_methods, reason = "a recipe makes the test longer")]
fn seconds() -> u64 {
    std::env::var("ANCHORD_UPGRADE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5)
}

/// The service begins on the schema of the version before and goes on while the database is upgraded beneath it, with its
/// connections open and its statements prepared: what a process of the version before goes through.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_beneath_a_service_at_work_fails_no_job_and_refuses_no_append() {
    const WRITERS: usize = 6;
    let app = app_on(database_before().await).await;
    let is_over = AtomicBool::new(false);
    let write = async |writer: usize| {
        let session = format!("/v1/sessions/s{writer}");
        let made = app.call("PUT", &session, json!({"context_window": 4000}).to_string()).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let (mut acknowledged, mut longest) = (Vec::new(), Duration::ZERO);
        while !is_over.load(Ordering::Relaxed) {
            let content =
                format!("{writer} {}: {}", acknowledged.len(), "went on with the work at hand ".repeat(12));
            let role = if acknowledged.len() % 2 == 0 { "user" } else { "assistant" };
            let body = json!({"messages": [{"role": role, "content": content}]}).to_string();
            let started = Instant::now();
            let reply = app.call("POST", &format!("{session}/messages"), body).await;
            longest = longest.max(started.elapsed());
            assert_eq!(reply.status, 201, "after {} appends: {}", acknowledged.len(), reply.text);
            acknowledged.push(content);
            let served = app.call("GET", &format!("{session}/context"), "").await;
            assert_eq!(served.status, 200, "{}", served.text);
        }
        (session, acknowledged, longest)
    };
    let work = async || {
        while !is_over.load(Ordering::Relaxed) {
            app.work().await;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        app.work().await;
    };
    let upgrade = async || {
        let half = Duration::from_millis(seconds() * 500);
        let mut owner = app.database.connect().await;
        let mut versions = async |more_than: i64| {
            until("a version", async || {
                let versions = number(&mut owner, "select count(*) from summaries").await;
                (versions > more_than).then_some(versions)
            })
            .await
        };
        tokio::time::sleep(half).await;
        let before = versions(0).await;
        migrate(&app.database).await;
        tokio::time::sleep(half).await;
        versions(before).await;
        is_over.store(true, Ordering::Relaxed);
        before
    };
    let (written, (), before) = tokio::join!(join_all((0..WRITERS).map(write)), work(), upgrade());
    assert_is_as_new(&app.database).await;

    for (session, acknowledged, _) in &written {
        assert_eq!(
            &contents(&app, session).await,
            acknowledged,
            "{session} has other messages than were acknowledged"
        );
    }
    let mut owner = app.database.connect().await;
    let unended = "select count(*) from compressions
                   where status not in ('succeeded', 'skipped', 'superseded') or crashes > 0 or attempt > 1";
    assert_eq!(number(&mut owner, unended).await, 0, "jobs failed or were begun again");
    let after = number(&mut owner, "select count(*) from summaries").await;
    let appends: usize = written.iter().map(|(_, acknowledged, _)| acknowledged.len()).sum();
    let longest = written.iter().map(|(_, _, longest)| *longest).max();
    println!(
        "{appends} appends, the longest {longest:?}; {after} versions, {before} of them before the upgrade"
    );
}
