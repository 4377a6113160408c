//! The databases that the tests get.

use anchord_store::Store;
use anchord_store::address::Target;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio_util::task::TaskTracker;

use crate::support;
use crate::support::service::anchord;

#[tokio::test]
async fn an_empty_database_is_migrated_by_several_processes_at_once() {
    let database = support::empty_database().await;
    let words = ["migrate", "--database-url", &database.url];
    let starters: Vec<_> = (0..4).map(|_| anchord(&words).spawn().expect("the program")).collect();
    for starter in starters {
        let done = starter.wait_with_output().expect("an end");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let mut owner = PgConnection::connect(&database.url).await.expect("a connection");
    let twice = "select count(*) - count(distinct version) from _sqlx_migrations where success";
    assert_eq!(support::number(&mut owner, twice).await, 0);
    let rows = "select string_agg(description, ', ' order by version) from _sqlx_migrations";
    assert_eq!(support::text(&mut owner, rows).await, "schema, functions");
}

/// Changes an empty database, and gives what a process says that is to work on it, and the tables that are then there.
async fn refused(change: &'static str) -> (String, String) {
    let database = support::empty_database().await;
    let mut owner = database.connect().await;
    sqlx::raw_sql(change).execute(&mut owner).await.expect("a change");
    let refused = anchord(&["migrate", "--database-url", &database.url]).output().expect("an end");
    assert_eq!(refused.status.code(), Some(1));
    let tables =
        "select string_agg(tablename, ', ' order by tablename) from pg_tables where schemaname = 'public'";
    (String::from_utf8(refused.stderr).expect("text"), support::text(&mut owner, tables).await)
}

#[tokio::test]
async fn a_database_that_another_build_made_is_refused_in_one_sentence_and_left_as_it_is() {
    let made = "create table sessions (id int);
                create table _sqlx_migrations (version bigint primary key, description text not null,
                  installed_on timestamptz not null default now(), success boolean not null, checksum bytea not null,
                  execution_time bigint not null);
                insert into _sqlx_migrations (version, description, success, checksum, execution_time)
                values (1, 'schema', true, 'another', 1)";
    let (said, tables) = refused(made).await;
    assert!(said.contains("the database has the schema of another build"), "{said}");
    assert!(said.contains("a new data folder or an empty database") && said.lines().count() == 1, "{said}");
    assert_eq!(tables, "_sqlx_migrations, sessions");
}

#[tokio::test]
async fn a_database_with_tables_of_others_is_refused_in_one_sentence_and_left_as_it_is() {
    let (said, tables) = refused("create table invoices (id int)").await;
    assert!(said.contains("such as invoices: use an empty database") && said.lines().count() == 1, "{said}");
    assert_eq!(tables, "invoices");
}

#[tokio::test]
async fn a_schema_that_was_begun_is_completed() {
    let database = support::empty_database().await;
    Store::migrate(&database.url).await.expect("a migrated database");
    let mut owner = database.connect().await;
    let undone = "delete from _sqlx_migrations where description = 'functions'";
    sqlx::raw_sql(undone).execute(&mut owner).await.expect("a change");
    Store::migrate(&database.url).await.expect("a migrated database");
    assert_eq!(support::number(&mut owner, "select count(*) from _sqlx_migrations").await, 2);
}

#[tokio::test]
async fn an_installation_works_as_the_role_that_is_configured_unless_another_owner_has_it_too() {
    let database = support::empty_database().await;
    let mut superuser = database.connect_as_superuser().await;
    let (role, other) = (format!("working_{}", std::process::id()), format!("other_{}", std::process::id()));
    let roles = format!(
        "create role {role} nologin; create role {other} login; grant {role} to {}, {other}",
        anchord_postgres::OWNER
    );
    sqlx::raw_sql(AssertSqlSafe(roles)).execute(&mut superuser).await.expect("roles");
    let target = Target { url: &database.url, role: &role, schema: None };
    let refused = Store::migrate(target).await.expect_err("a refusal").to_string();
    assert!(refused.contains(&other) && refused.contains("ANCHORD_DATABASE_ROLE"), "{refused}");

    let revoke = format!("revoke {role} from {other}");
    sqlx::raw_sql(AssertSqlSafe(revoke)).execute(&mut superuser).await.expect("a role taken away");
    Store::migrate(target).await.expect("a migrated database");
    let store = Store::connect(target, 4, TaskTracker::new()).await.expect("a pool");
    assert_eq!(store.find_tenant_id("nobody").await.expect("rows that it may read"), None);
    for (grantee, grants) in [(role.as_str(), true), ("anchord_app", false)] {
        let count =
            format!("select count(*) from information_schema.role_table_grants where grantee = '{grantee}'");
        assert_eq!(support::number(&mut superuser, &count).await > 0, grants, "{grantee}");
    }
    store.close().await;
}
