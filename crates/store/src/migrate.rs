//! Creates the tables of an empty database or schema, and refuses those that this build did not make.
//!
//! Invariant: a database with another schema, or with somebody else's tables, is left as it is.
//! Must not know: what is in the tables.

use sqlx::migrate::{AppliedMigration, Migrate as _, MigrateError, Migration, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _, SqlSafeStr as _};

use super::address::{DEFAULT_ROLE, Role, Target};
use super::primary;
use crate::prelude::*;

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");
/// sqlx's table.
const TABLE: &str = "_sqlx_migrations";

/// Why a database cannot be used by this build.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The database refused a statement of a file.
    #[error("the migrations failed: {0}")]
    Failed(#[from] MigrateError),
    /// Another build made it.
    #[error(
        "the database has the schema of another build, and before the first release none is carried over: use the \
         build that made it, or a new data folder or an empty database"
    )]
    OtherSchema,
    /// Somebody else's tables are in it.
    #[error("the database has tables that are not anchord's, such as {0}: use an empty database")]
    OtherTables(String),
    /// The working role is another owner's, too.
    #[error(
        "the role {0} is also granted to {1}, who could read this database as that role: give each installation of a \
         server a role of its own (ANCHORD_DATABASE_ROLE)"
    )]
    SharedRole(String, String),
}

impl Store {
    /// Creates the schema unless it is there, as the role that owns it; only one process at a time.
    ///
    /// # Errors
    /// When the database cannot be reached, or is not empty and has another schema.
    pub async fn migrate(database: impl Into<Target<'_>>) -> Result<()> {
        let target = database.into();
        let role = Role::parse(target.role)?;
        let mut connection = primary::connect(&target.address()?).await?;
        // sqlx's own lock, which ends with the connection: nobody changes the database between look and change.
        connection.lock().await.map_err(SchemaError::Failed)?;
        if let Some(schema) = target.schema {
            make_schema(&mut connection, schema).await?;
        }
        if is_empty(&mut connection).await? {
            refuse_shared(&mut connection, &role).await?;
        }
        let migrations = MIGRATIONS.iter().map(|migration| with_role(migration, &role)).collect();
        // `run` takes whatever gives a connection, by which the compiler no longer sees that a task may do this.
        let run = Migrator::with_migrations(migrations);
        run.run_direct(None, &mut connection, false).await.map_err(SchemaError::Failed)?;
        connection.close().await?;
        Ok(())
    }
}

/// Makes the schema that the connection leads to, unless it is there: who may use one may not always make one.
async fn make_schema(connection: &mut PgConnection, schema: &str) -> Result<()> {
    let found = sqlx::raw_sql("select current_schema() is not null").fetch_one(&mut *connection).await?;
    if !found.try_get::<bool, _>(0)? {
        let make = format!("create schema {schema}");
        sqlx::raw_sql(AssertSqlSafe(make)).execute(connection).await?;
    }
    Ok(())
}

/// Whether the database is new; an error when it is neither that nor made by this build.
async fn is_empty(connection: &mut PgConnection) -> Result<bool> {
    let tables = sqlx::query_scalar!(
        r#"select c.relname::text as "name!" from pg_class c
           where c.relnamespace = current_schema()::text::regnamespace and c.relkind in ('r', 'p') order by c.relname"#
    )
    .fetch_all(&mut *connection)
    .await?;
    let applied = if tables.iter().any(|table| table == TABLE) {
        connection.list_applied_migrations(TABLE).await.map_err(SchemaError::Failed)?
    } else {
        Vec::new()
    };
    if !is_ours(&applied) {
        return Err(SchemaError::OtherSchema.into());
    }
    match tables.into_iter().find(|table| table != TABLE) {
        Some(other) if applied.is_empty() => Err(SchemaError::OtherTables(other).into()),
        _ => Ok(applied.is_empty()),
    }
}

/// Whether what was run on a database are the first of this build's files.
fn is_ours(applied: &[AppliedMigration]) -> bool {
    let mut ours = MIGRATIONS.iter();
    applied.iter().all(|row| {
        ours.next().is_some_and(|ours| (ours.version, &ours.checksum) == (row.version, &row.checksum))
    })
}

/// Refuses to work as a role that the owner of another database may also become: that owner could then read the rows of
/// this one.
async fn refuse_shared(connection: &mut PgConnection, role: &Role) -> Result<()> {
    // Postgres has set_option from version 16 on; before, every member may become the role.
    let others = format!(
        "select m.rolname::text from pg_auth_members a
         join pg_roles g on g.oid = a.roleid join pg_roles m on m.oid = a.member
         where g.rolname = '{}' and m.rolname <> current_user and not m.rolsuper
           and coalesce((to_jsonb(a) ->> 'set_option')::boolean, true) limit 1",
        role.as_str()
    );
    match sqlx::raw_sql(AssertSqlSafe(others)).fetch_optional(connection).await? {
        Some(row) => {
            Err(SchemaError::SharedRole(role.as_str().to_owned(), row.try_get::<String, _>(0)?).into())
        }
        None => Ok(()),
    }
}

/// The same file for another role. Its checksum stays, because it is the same file.
fn with_role(migration: &'static Migration, role: &Role) -> Migration {
    let mut migration = migration.clone();
    if role.as_str() != DEFAULT_ROLE {
        let sql = migration.sql.as_str().replace(DEFAULT_ROLE, role.as_str());
        migration.sql = AssertSqlSafe(sql).into_sql_str();
    }
    migration
}
