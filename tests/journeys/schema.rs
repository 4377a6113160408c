//! The schema keeps its own rules: ready to be spread over machines by tenant, closed to strangers,
//! explained where it is defined.

use anchord_messages::id::TenantId;
use anchord_store::audit::Actor;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

use crate::appends::{append, name, stored};
use crate::support;

/// What a query finds as lines of text.
async fn lines(connection: &mut PgConnection, query: &'static str) -> Vec<String> {
    let rows = sqlx::raw_sql(query).fetch_all(connection).await.expect("a query");
    rows.iter().map(|row| row.get(0)).collect()
}

async fn owner() -> (support::TestDatabase, PgConnection) {
    let database = support::database().await;
    let connection = PgConnection::connect(&database.url).await.expect("a connection");
    (database, connection)
}

#[tokio::test]
async fn every_key_and_every_reference_between_tables_begins_with_the_tenant() {
    let (_database, mut owner) = owner().await;
    // Looking up a key is how the tenant becomes known, so that one index spans tenants.
    let keys = "select c.conrelid::regclass || ' ' || c.conname from pg_constraint c
                join pg_namespace n on n.oid = c.connamespace and n.nspname = 'public'
                join pg_attribute a on a.attrelid = c.conrelid and a.attname = 'tenant_id'
                where c.conname <> 'api_keys_digest_key'
                  and ((c.contype in ('p', 'f') and c.conkey[1] <> a.attnum)
                       or (c.contype = 'u' and not a.attnum = any(c.conkey)))";
    assert_eq!(lines(&mut owner, keys).await, [""; 0]);
    let unkeyed = "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
                   where n.nspname = 'public' and c.relkind in ('r', 'p')
                     and c.relname not in ('tenants', 'cells', '_sqlx_migrations')
                     and not exists (select from pg_constraint k join pg_attribute a on a.attrelid = c.oid
                                     where k.conrelid = c.oid and k.contype = 'p' and a.attname = 'tenant_id'
                                       and k.conkey[1] = a.attnum)";
    assert_eq!(lines(&mut owner, unkeyed).await, [""; 0]);
}

#[tokio::test]
async fn every_table_is_closed_by_row_security_that_binds_its_owner_too() {
    let (_database, mut owner) = owner().await;
    let open = "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
                where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname <> '_sqlx_migrations'
                  and not (c.relrowsecurity and c.relforcerowsecurity
                           and (exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant')
                                or (c.relname = 'cells' and not has_table_privilege('anchord_app', c.oid, 'select'))))";
    assert_eq!(lines(&mut owner, open).await, [""; 0]);
    let free = "select r.rolname::text from pg_roles r
                where r.rolname = 'anchord_app' and (r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcanlogin)";
    assert_eq!(lines(&mut owner, free).await, [""; 0], "the service's role can bypass");
    let possessions = "select c.relname from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname = 'anchord_app'";
    assert_eq!(lines(&mut owner, possessions).await, [""; 0], "the service's role owns something");
}

/// What crosses tenants is statements of the owner's connections; a function has the rights of whoever calls it, and works in
/// the schema that its connection names.
#[tokio::test]
async fn no_function_has_the_rights_of_the_owner_or_names_a_schema() {
    let (_database, mut owner) = owner().await;
    let powerful = "select p.proname::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                    where n.nspname = 'public'
                      and (p.prosecdef or exists (select from unnest(p.proconfig) c where c like 'search_path=%')
                           or p.prosrc like '%public.%')";
    assert_eq!(lines(&mut owner, powerful).await, [""; 0]);
    let types =
        "select t.typname::text from pg_type t join pg_class c on c.oid = t.typrelid and c.relkind = 'c'
                 join pg_namespace n on n.oid = t.typnamespace where n.nspname = 'public'";
    assert_eq!(lines(&mut owner, types).await, [""; 0]);
}

#[tokio::test]
async fn every_table_function_and_index_beside_a_key_has_a_comment() {
    let (_database, mut owner) = owner().await;
    let without = "select c.relname::text from pg_class c
                   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'i')
                     and c.relname not like '\\_sqlx%' and obj_description(c.oid, 'pg_class') is null
                     and not exists (select from pg_constraint k where k.conindid = c.oid)
                   union all
                   select p.oid::regprocedure::text from pg_proc p
                   where p.pronamespace = 'public'::regnamespace and obj_description(p.oid, 'pg_proc') is null";
    assert_eq!(lines(&mut owner, without).await, [""; 0]);
}

/// So that the planner sees a value beside the column: it uses the index, and a generic plan checks the tenant once.
#[tokio::test]
async fn a_policy_compares_the_tenant_without_a_subquery() {
    let (database, mut owner) = owner().await;
    let policies = "select distinct pg_get_expr(p.polqual, p.polrelid) from pg_policy p where p.polname = 'tenant' order by 1";
    assert_eq!(
        lines(&mut owner, policies).await,
        [
            "((id = current_tenant()) AND ((erased_at IS NULL) OR (moved_to IS NOT NULL)))",
            "((tenant_id = current_tenant()) AND (erased_at IS NULL))",
            "(tenant_id = current_tenant())"
        ]
    );
    let mut superuser = database.connect_as_superuser().await;
    let plan = "set enable_seqscan = off; set role anchord_app; set app.tenant_id = '00000000-0000-0000-0000-000000000001';
                explain (costs off) select name from sessions";
    let plan = lines(&mut superuser, plan).await.join("\n");
    assert!(plan.contains("Index Cond: (tenant_id = (NULLIF(current_setting("), "{plan}");
    assert!(!plan.contains("InitPlan"), "{plan}");
}

/// Sessions and tenants have more than foreign keys reach: whoever erases them does it by the code that knows.
#[tokio::test]
async fn the_role_of_the_service_can_delete_no_session_and_no_tenant() {
    let stored = stored().await;
    stored.appends.append(append(stored.ours, "s", &["one"])).await.expect("an append");
    for table in ["sessions", "tenants"] {
        let mut tx = stored.store.begin(stored.ours).await.expect("a transaction");
        let delete = format!("delete from {table}");
        let refused = sqlx::raw_sql(AssertSqlSafe(delete)).execute(&mut *tx).await.expect_err("a refusal");
        assert!(refused.to_string().contains("permission denied"), "{refused}");
    }
    assert!(stored.store.delete_session(stored.ours, &name("s").name, Actor::Cli).await.expect("a delete"));
}

/// A statement whose author forgot the tenant, for each table that a tenant owns.
#[tokio::test]
async fn a_statement_that_forgets_the_tenant_still_reads_and_changes_its_own_rows_alone() {
    let stored = stored().await;
    stored.appends.append(append(stored.ours, "s", &["one", "two"])).await.expect("an append");
    let tables = {
        let mut owner = PgConnection::connect(&stored.database.url).await.expect("a connection");
        let tables = "select c.table_name::text from information_schema.columns c
                      where c.table_schema = 'public' and c.column_name = 'tenant_id'";
        lines(&mut owner, tables).await
    };
    assert!(tables.len() > 15, "{tables:?}");
    let mut theirs = stored.store.begin(stored.theirs).await.expect("a transaction");
    for table in &tables {
        let read = format!("select count(*) from {table} where tenant_id <> '{}'", stored.theirs.0);
        let row = sqlx::raw_sql(AssertSqlSafe(read)).fetch_one(&mut *theirs).await.expect("a count");
        assert_eq!(row.get::<i64, _>(0), 0, "{table} shows another's rows");
        sqlx::raw_sql("savepoint forgetful").execute(&mut *theirs).await.expect("a savepoint");
        let delete = format!("delete from {table} where tenant_id <> '{}'", stored.theirs.0);
        // Refused where the role may not delete at all, else without effect.
        if let Ok(done) = sqlx::raw_sql(AssertSqlSafe(delete)).execute(&mut *theirs).await {
            assert_eq!(done.rows_affected(), 0, "{table} loses another's rows");
        }
        sqlx::raw_sql("rollback to forgetful").execute(&mut *theirs).await.expect("a rollback");
    }
    let planted = format!(
        "insert into sessions (tenant_id, id, name) values ('{}', gen_random_uuid(), 'planted')",
        stored.ours.0
    );
    let refused = sqlx::raw_sql(AssertSqlSafe(planted)).execute(&mut *theirs).await;
    assert!(refused.is_err(), "a row of another tenant was taken");
    drop(theirs);
    let still = stored.store.find_session(stored.ours, &name("s")).await.expect("a read").expect("a session");
    assert_eq!(still.head_seq, 2);
    let nobody = TenantId(uuid::Uuid::from_u128(9));
    assert!(stored.store.find_session(nobody, &name("s")).await.expect("a read").is_none());
}
