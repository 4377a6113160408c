//! Brings the schema of a database up to date.
//!
//! What lives here: finding the files that a database is missing, and running them. An empty database gets the
//! complete schema (`migrations/`). One with rows gets the upgrade steps (`migrations/upgrade/`), and then the
//! functions and the comments of the complete schema. Files that were run are in sqlx's own table, with their
//! checksums.
//! Invariant: no statement waits for a lock longer than [`LockWaits`] allows, because all later statements on the
//! table would wait behind it. A file that does not get its lock is tried again, so every step must be repeatable.
//! Must not know: what is in the tables.

mod error;

use std::time::Duration;

use sqlx::migrate::{Migrate as _, MigrateError, Migration, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _, SqlSafeStr as _};

pub use self::error::SchemaError;
use self::error::{NEWEST_LANDED, OLDEST_LANDED};
use super::address::{Address, DEFAULT_ROLE, Role, Target};
use super::error::{LOCK_NOT_AVAILABLE, StoreError, code_of};
use super::{Store, primary};

use anchord_messages::shape::hex;

/// The schema and its functions, for an empty database.
static SCHEMA: Migrator = sqlx::migrate!("../../migrations");
/// The steps that upgrade a database with rows.
static UPGRADE: Migrator = sqlx::migrate!("../../migrations/upgrade");
/// The checksums of the migrations from before the steps; their files are gone, their rows remain.
const LANDED: &str = include_str!("../../../migrations/upgrade/landed.sha384");
/// The length of a checksum, which is SHA-384.
const CHECKSUM_BYTES: usize = 48;
/// sqlx's table.
const TABLE: &str = "_sqlx_migrations";
/// The number of the advisory lock under which one process at a time migrates.
const LOCK: i64 = 1_633_772_134;
/// The pause between tries to get the lock when another process holds it.
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

impl Store {
    /// Brings the schema up to date, as the role that owns it; other processes may use the database meanwhile.
    ///
    /// # Errors
    /// When the database cannot be reached, has a schema that this build does not know, or a lock is held for too
    /// long.
    pub async fn migrate(database: impl Into<Target<'_>>, waits: LockWaits) -> Result<(), StoreError> {
        let Target { url, role } = database.into();
        let role = Role::parse(role)?;
        // Without a deadline: a step may take as long as the tables are large.
        let mut connection = primary::connect(&Address::parse(url)?).await?;
        run(&mut connection, &role, waits).await?;
        connection.close().await?;
        Ok(())
    }
}

/// How long a migration waits for locks.
#[derive(Clone, Copy, Debug)]
pub struct LockWaits {
    /// How long a statement waits for a lock, during which all other statements on the table wait too.
    pub timeout: Duration,
    /// How long other statements run before the next try.
    pub pause: Duration,
    /// The most tries of a file.
    pub tries: u32,
}

impl Default for LockWaits {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(2), pause: Duration::from_secs(5), tries: 24 }
    }
}

/// A row of sqlx's table.
#[derive(Debug)]
struct Applied {
    version: i64,
    description: String,
    checksum: Vec<u8>,
}

/// Brings the schema up to date; only one process at a time.
pub(super) async fn run(
    connection: &mut PgConnection,
    role: &Role,
    waits: LockWaits,
) -> Result<(), StoreError> {
    // Poll instead of waiting: a statement that waits holds a snapshot, and a concurrent build of an index waits for
    // that snapshot.
    while !sqlx::query_scalar!(r#"select pg_try_advisory_lock($1) as "is_ours!""#, LOCK)
        .fetch_one(&mut *connection)
        .await?
    {
        tokio::time::sleep(BETWEEN_TRIES).await;
    }
    // Also take sqlx's own lock, for builds that use only that. Both locks end with the connection.
    connection.lock().await.map_err(SchemaError::Failed)?;
    connection.ensure_migrations_table(TABLE).await.map_err(SchemaError::Failed)?;
    let applied = sqlx::query_as!(
        Applied,
        "select version, description, checksum from _sqlx_migrations where success order by version"
    )
    .fetch_all(&mut *connection)
    .await?;
    let missing = missing(&applied)?;
    if applied.is_empty() {
        refuse_shared(connection, role).await?;
    }
    for migration in missing {
        apply(connection, &with_role(migration, role), !applied.is_empty(), waits).await?;
    }
    Ok(())
}

/// Refuses to work as a role that the owner of another database may also become: that owner could then read the rows of
/// this one.
async fn refuse_shared(connection: &mut PgConnection, role: &Role) -> Result<(), StoreError> {
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

/// The files that a database is missing, in order.
fn missing(applied: &[Applied]) -> Result<Vec<&'static Migration>, SchemaError> {
    let Some(newest) = applied.iter().map(|row| row.version).max() else {
        return Ok(SCHEMA.iter().collect());
    };
    if newest < OLDEST_LANDED {
        return Err(SchemaError::TooOld(newest));
    }
    applied.iter().try_for_each(check)?;
    if newest > ours() {
        // A newer build has migrated the database, so nothing is missing.
        return Ok(Vec::new());
    }
    // The steps before the complete schema that the database was made with have no rows.
    let made_at = applied.iter().filter(|row| is_whole(&row.description)).map(|row| row.version).min();
    let is_missing = |migration: &&Migration| {
        migration.version > made_at.unwrap_or(0) && applied.iter().all(|row| row.version != migration.version)
    };
    let functions = SCHEMA.iter().filter(|file| file.version == ours());
    Ok(UPGRADE.iter().chain(functions).filter(is_missing).collect())
}

/// Checks that this build has or had the file of a row, or works beside it.
fn check(row: &Applied) -> Result<(), SchemaError> {
    let changed = || SchemaError::Changed(row.version);
    if row.version <= NEWEST_LANDED {
        let name = format!("{:04}_", row.version);
        let landed = LANDED.lines().filter_map(|line| line.split_once("  "));
        let checksum =
            landed.filter(|(_, file)| file.starts_with(&name)).map(|(checksum, _)| checksum).next();
        let is_same = checksum.is_some_and(|checksum| checksum == hex(&row.checksum, CHECKSUM_BYTES));
        return if is_same { Ok(()) } else { Err(changed()) };
    }
    if let Some(file) = SCHEMA.iter().chain(UPGRADE.iter()).find(|file| file.version == row.version) {
        return if *file.checksum == *row.checksum { Ok(()) } else { Err(changed()) };
    }
    let is_known =
        if row.version < ours() { is_whole(&row.description) } else { works_beside(&row.description) };
    if is_known {
        Ok(())
    } else if row.version < ours() {
        Err(changed())
    } else {
        Err(SchemaError::TooNew(row.version))
    }
}

/// Whether a file contains all earlier steps; its text changes, and its number with it.
fn is_whole(description: &str) -> bool {
    ["schema", "functions"].contains(&description)
}

/// Whether this build works with a database on which a newer one has run this file. It does when the file only adds,
/// replaces functions compatibly, or removes what builds from a named migration on no longer use.
fn works_beside(description: &str) -> bool {
    let since =
        description.strip_prefix("contract since ").and_then(|rest| rest.split(' ').next()?.parse().ok());
    description == "functions"
        || description.starts_with("expand ")
        || since.is_some_and(|since: i64| since <= ours())
}

/// The number of the newest file, which is the one with the functions.
fn ours() -> i64 {
    SCHEMA.iter().map(|file| file.version).max().unwrap_or(0)
}

/// Runs a file, and repeats it while a lock that it needs is held.
async fn apply(
    connection: &mut PgConnection,
    migration: &Migration,
    is_upgrade: bool,
    waits: LockWaits,
) -> Result<(), SchemaError> {
    for left in (0..waits.tries).rev() {
        match attempt(connection, migration, is_upgrade, waits.timeout).await {
            Ok(()) => {
                tracing::info!(migration.version, migration.description = %migration.description, "migrated");
                return Ok(());
            }
            Err(error) if !is_locked(&error) => return Err(error.into()),
            Err(error) => tracing::warn!(migration.version, left, "a lock was not to be had: {error}"),
        }
        if left > 0 {
            tokio::time::sleep(waits.pause).await;
        }
    }
    Err(SchemaError::Locked(migration.version, waits.tries))
}

async fn attempt(
    connection: &mut PgConnection,
    migration: &Migration,
    is_upgrade: bool,
    lock_timeout: Duration,
) -> Result<(), MigrateError> {
    let sql = migration.sql.as_str();
    // Building an index concurrently waits for transactions, but blocks none.
    let is_patient = sql.contains(" index concurrently ");
    let timeout = if is_patient { 0 } else { lock_timeout.as_millis() };
    let settings = format!("set lock_timeout = {timeout}; set statement_timeout = 0");
    sqlx::raw_sql(AssertSqlSafe(settings)).execute(&mut *connection).await?;
    if is_patient {
        drop_invalid(connection, sql).await?;
    }
    if is_upgrade && migration.version == ours() {
        sqlx::raw_sql(AssertSqlSafe(comments())).execute(&mut *connection).await?;
    }
    connection.apply(TABLE, migration).await?;
    Ok(())
}

/// Drops the invalid index that a failed concurrent build left: it serves no query and blocks the next try.
async fn drop_invalid(connection: &mut PgConnection, sql: &str) -> Result<(), sqlx::Error> {
    let invalid = sqlx::query_scalar!(
        r#"select c.relname::text as "name!" from pg_index i join pg_class c on c.oid = i.indexrelid
           where not i.indisvalid and c.relnamespace = 'public'::regnamespace and position(' ' || c.relname || ' ' in $1) > 0"#,
        sql
    )
    .fetch_all(&mut *connection)
    .await?;
    for name in invalid {
        let drop = format!("drop index concurrently {name}");
        sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut *connection).await?;
    }
    Ok(())
}

/// The comments of the schema, for a database that was upgraded by steps.
fn comments() -> String {
    let schema = SCHEMA.iter().filter(|file| file.version < ours());
    let statements = schema.flat_map(|file| file.sql.as_str().split_inclusive(";\n"));
    statements.filter(|statement| statement.trim_start().starts_with("comment on ")).collect()
}

/// Whether a lock was held: it was not available in time, or there was a deadlock.
fn is_locked(error: &MigrateError) -> bool {
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else {
        return false;
    };
    code_of(error).is_some_and(|code| code == LOCK_NOT_AVAILABLE || code == "40P01")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows as a database has them that came by these files.
    fn rows<'a>(files: impl IntoIterator<Item = &'a Migration>) -> Vec<Applied> {
        let row = |file: &Migration| Applied {
            version: file.version,
            description: file.description.to_string(),
            checksum: file.checksum.to_vec(),
        };
        files.into_iter().map(row).collect()
    }

    fn landed(through: i64) -> Vec<Applied> {
        let rows = LANDED.lines().zip(1..).map(|(line, version)| {
            let (checksum, _) = line.split_once("  ").expect("two columns");
            let digits = (0..checksum.len()).step_by(2).map(|at| &checksum[at..at + 2]);
            let checksum = digits.map(|byte| u8::from_str_radix(byte, 16).expect("a byte")).collect();
            Applied { version, description: "landed".to_owned(), checksum }
        });
        rows.filter(|row| row.version <= through).collect()
    }

    fn newer(description: &str) -> Vec<Applied> {
        let mut rows = rows(SCHEMA.iter());
        let unknown = Applied { version: ours() + 1, description: description.to_owned(), checksum: vec![1] };
        rows.push(unknown);
        rows
    }

    fn versions(missing: &Result<Vec<&'static Migration>, SchemaError>) -> Vec<i64> {
        missing.as_ref().expect("a way").iter().map(|file| file.version).collect()
    }

    #[test]
    fn an_empty_database_gets_the_schema_and_one_with_rows_the_steps_that_it_has_not() {
        let whole: Vec<i64> = SCHEMA.iter().map(|file| file.version).collect();
        assert_eq!(versions(&missing(&[])), whole);
        assert_eq!(versions(&missing(&rows(SCHEMA.iter()))), [0; 0]);
        let steps: Vec<i64> = UPGRADE.iter().map(|file| file.version).chain([ours()]).collect();
        for through in OLDEST_LANDED..=NEWEST_LANDED {
            assert_eq!(versions(&missing(&landed(through))), steps);
        }
        // One that was begun goes on.
        let mut begun = landed(30);
        begun.extend(rows(UPGRADE.iter().take(3)));
        assert_eq!(versions(&missing(&begun)), steps[3..]);
    }

    fn refusal(applied: &[Applied]) -> String {
        missing(applied).expect_err("a refusal").to_string()
    }

    #[test]
    fn what_is_older_than_the_steps_is_refused_with_the_way_to_go() {
        let refusal = refusal(&landed(24));
        assert!(refusal.contains("at migration 0024") && refusal.contains("is 0025 to 0032"), "{refusal}");
    }

    #[test]
    fn a_row_that_is_not_of_the_file_of_this_build_is_refused() {
        let whole = || rows(SCHEMA.iter());
        let upgraded = || landed(32).into_iter().chain(rows(UPGRADE.iter())).chain(whole().pop()).collect();
        for (mut changed, place) in
            [(landed(32), 0), (landed(32), 31), (whole(), 0), (whole(), 1), (upgraded(), 33)]
        {
            assert!(missing(&changed).is_ok());
            changed[place].checksum[0] ^= 1;
            let expected = format!("migration {:04} of the database is not", changed[place].version);
            assert!(refusal(&changed).contains(&expected), "{}", refusal(&changed));
        }
    }

    #[test]
    fn a_build_works_beside_a_newer_one_for_as_long_as_that_keeps_what_it_uses() {
        for beside in ["expand a column", "functions", "contract since 0032 a column"] {
            assert_eq!(versions(&missing(&newer(beside))), [0; 0], "{beside}");
        }
        for apart in ["schema", "contract since 9999 a column", "contract a column", "some change"] {
            assert!(refusal(&newer(apart)).contains("newer than this build"), "{apart}");
        }
    }

    #[test]
    fn the_functions_have_the_newest_number_the_schema_the_one_before_and_each_step_says_what_it_does() {
        let names: Vec<&str> = SCHEMA.iter().map(|file| &*file.description).collect();
        assert_eq!(names, ["schema", "functions"]);
        for step in UPGRADE.iter() {
            assert!(step.version < SCHEMA.iter().next().expect("the schema").version, "{}", step.description);
            assert!(works_beside(&step.description), "{}", step.description);
        }
    }

    #[test]
    fn the_comments_are_whole_statements() {
        let comments = comments();
        assert!(comments.lines().filter(|line| line.starts_with("comment on ")).count() > 150);
        assert!(!comments.contains("create ") && !comments.contains("on function load_"), "{comments}");
    }
}
