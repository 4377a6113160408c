//! Moves a tenant from one cell to another.
//!
//! | | source | target | who counts | what a further call does |
//! |---|---|---|---|---|
//! | before | here | no row, or erased rows of an earlier stay | source | all |
//! | copied | here, locked | `arriving_from` | source | begins anew: the copy is deleted |
//! | handed over | `moved_to`, erased | `arriving_from` | target, as no other cell has the tenant | ends the arrival |
//! | arrived | erased, until its rows are deleted | here | target | nothing |
//!
//! One commit hands the tenant over, that of the source. A crash before it leaves a copy that does not count and on which nobody
//! works, because it is suspended; one after it leaves the end of the arrival undone, which changes nothing for callers but the
//! cost of a look-up.
//!
//! Invariant: from before the first row is copied until the tenant counts elsewhere, nobody writes to it. Transactions hold a
//! shared advisory lock of the tenant (`enter_tenant`), which a move waits for and then holds alone. What writes without one, appends
//! and the ends of jobs, writes only to a session whose lock and revision it has, or makes one under a lock of the tenant's row: the
//! move holds those locks, and the hand-over changes both rows. Reads go on until the hand-over.
//! Rows at the source are deleted by the erasing, as those of an erased tenant are.

use futures::TryStreamExt as _;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

use crate::prelude::*;

/// What every part of a move sets: it may take as long as it does, but not wait for others.
const SETTINGS: &str =
    "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = '15s'";
/// Tables whose rows others refer to, in the order in which they are copied; all other tables follow.
const FIRST: [&str; 4] = ["tenants", "sessions", "webhooks", "compressions"];

/// A cell that takes part in a move.
#[derive(Clone, Debug)]
pub struct Place {
    /// The cell's name.
    pub name: String,
    /// Its store.
    pub store: Store,
}

/// The end of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// It was moved, with so many rows.
    Now(u64),
    /// It was handed over before, and the arrival is ended now.
    Ended,
    /// It was there already.
    Before,
    /// No cell has it.
    NoTenant,
}

/// A tenant whose rows at the source are locked.
#[derive(Debug)]
pub struct Leaving {
    tenant: TenantId,
    from: Place,
    to: Place,
    connection: PgConnection,
}

/// Moves a tenant to the cell `to`, from whichever of the `cells` has it. A move that was interrupted is ended, or begun anew.
///
/// # Errors
/// When a database fails, or somebody holds a lock of the tenant for too long. The tenant is where it was then.
pub async fn move_tenant(tenant: TenantId, cells: &[Place], to: &str) -> Result<Moved> {
    let (mut here, mut arriving) = (None, None);
    for place in cells {
        match place.store.find_arrival(tenant).await? {
            Some(true) => arriving = Some(place),
            Some(false) => here = Some(place),
            None => {}
        }
    }
    let target = cells.iter().find(|place| place.name == to);
    let (Some(source), Some(target)) = (here.or(arriving), target) else { return Ok(Moved::NoTenant) };
    if here.is_none() {
        arrive(tenant, source).await?;
    }
    if source.name == target.name {
        return Ok(if here.is_none() { Moved::Ended } else { Moved::Before });
    }
    clear(tenant, target).await?;
    let mut leaving = leave(tenant, source, target).await?;
    let rows = leaving.copy().await?;
    leaving.hand_over().await?;
    arrive(tenant, target).await?;
    Ok(Moved::Now(rows))
}

/// Deletes what the target has of the tenant, from an earlier try or an earlier stay.
///
/// # Errors
/// When the database fails, or the tenant is there.
pub async fn clear(tenant: TenantId, target: &Place) -> Result<()> {
    let mut connection = target.connect().await?;
    let mut tables = tables(&mut connection).await?;
    run(&mut connection, "begin").await?;
    let is_here = format!(
        "select arriving_from is null and erased_at is null from tenants where id = '{}' for update",
        tenant.0
    );
    let found = sqlx::raw_sql(AssertSqlSafe(is_here)).fetch_optional(&mut connection).await?;
    if found.map(|row| row.try_get::<bool, _>(0)).transpose()?.unwrap_or_default() {
        return Err(StoreError::corrupt("tenants", "id", tenant.0, "two cells have it"));
    }
    tables.reverse();
    for Table { name, key, .. } in tables {
        run(&mut connection, &format!("delete from {name} where {key} = '{}'", tenant.0)).await?;
    }
    run(&mut connection, "commit").await
}

/// Waits for those who write to the tenant at the source, and keeps everybody from it.
///
/// # Errors
/// When the database fails, or somebody writes for too long.
pub async fn leave(tenant: TenantId, from: &Place, to: &Place) -> Result<Leaving> {
    let mut connection = from.connect().await?;
    let id = tenant.0;
    run(&mut connection, &format!("select pg_advisory_lock(1633772134, hashtext('{id}'))")).await?;
    run(&mut connection, "begin").await?;
    let here = format!(
        "select from tenants where id = '{id}' and erased_at is null and arriving_from is null for update"
    );
    if sqlx::raw_sql(AssertSqlSafe(here)).fetch_optional(&mut connection).await?.is_none() {
        // Somebody else has moved or erased it meanwhile.
        return Err(StoreError::Contended);
    }
    run(&mut connection, &format!("select from sessions where tenant_id = '{id}' order by id for update"))
        .await?;
    Ok(Leaving { tenant, from: from.clone(), to: to.clone(), connection })
}

/// Ends an arrival at the target.
///
/// # Errors
/// When the database fails.
pub async fn arrive(tenant: TenantId, target: &Place) -> Result<()> {
    let mut connection = target.connect().await?;
    let arrived = format!(
        "begin;
         insert into audit_events (tenant_id, id, actor, action, subject)
         select t.id, '{audit}', 'cli', 'tenant.moved', t.id::text from tenants t
         where t.id = '{id}' and t.arriving_from is not null;
         update tenants set arriving_from = null, suspended_at = nullif(suspended_at, 'infinity') where id = '{id}';
         select pg_notify('{keys}', ''), pg_notify('{jobs}', '');
         commit",
        audit = Uuid::now_v7(),
        id = tenant.0,
        keys = crate::channel::KEYS,
        jobs = crate::channel::JOBS,
    );
    run(&mut connection, &arrived).await
}

impl Leaving {
    /// Copies all rows to the target, where they do not count yet; returns how many.
    ///
    /// # Errors
    /// When a database fails.
    pub async fn copy(&mut self) -> Result<u64> {
        let mut target = self.to.connect().await?;
        let tables = tables(&mut self.connection).await?;
        run(&mut target, "begin").await?;
        let mut rows = 0;
        for table in &tables {
            rows += self.copy_table(&mut target, table).await?;
        }
        let marked = format!(
            "update tenants set arriving_from = '{}', suspended_at = coalesce(suspended_at, 'infinity') where id = '{id}';
             update compressions set lease_until = '-infinity', doubted_at = null
             where tenant_id = '{id}' and status = 'running';
             commit",
            self.from.name,
            id = self.tenant.0
        );
        run(&mut target, &marked).await?;
        Ok(rows)
    }

    /// By way of a table without row-level security, under which the server copies into none.
    async fn copy_table(&mut self, target: &mut PgConnection, table: &Table) -> Result<u64> {
        let Table { name, key, columns } = table;
        let made = format!(
            "create temporary table arriving on commit drop as select {columns} from {name} with no data"
        );
        run(target, &made).await?;
        let out = format!(
            "copy (select {columns} from {name} where {key} = '{}') to stdout (format binary)",
            self.tenant.0
        );
        let mut going = self.connection.copy_out_raw(&out).await?;
        let into = format!("copy arriving ({columns}) from stdin (format binary)");
        let mut coming = target.copy_in_raw(&into).await?;
        while let Some(piece) = going.try_next().await? {
            coming.send(piece).await?;
        }
        let rows = coming.finish().await?;
        let kept =
            format!("insert into {name} ({columns}) select {columns} from arriving; drop table arriving");
        run(target, &kept).await?;
        Ok(rows)
    }

    /// Commits that the tenant is at the target from now on, and erases it at the source.
    ///
    /// # Errors
    /// When the database fails; whether the tenant is handed over shows the next call.
    pub async fn hand_over(mut self) -> Result<()> {
        let handed = format!(
            "insert into erasures (tenant_id, session_id) select s.tenant_id, s.id from sessions s where s.tenant_id = '{id}'
             on conflict (tenant_id, session_id) do update set due_at = now(), through_seq = 0;
             update sessions set erased_at = coalesce(erased_at, now()), expires_at = null, revision = revision + 1
             where tenant_id = '{id}';
             update compressions set status = 'cancelled', finished_at = now(), lease_until = null
             where tenant_id = '{id}' and status in ('queued', 'running');
             delete from recall_embeddings where tenant_id = '{id}';
             delete from console_signins where tenant_id = '{id}';
             delete from api_keys where tenant_id = '{id}';
             update tenants
             set moved_to = '{to}', erased_at = now(), name = E'\\x01' || id,
                 suspended_at = coalesce(suspended_at, now()), revision = revision + 1
             where id = '{id}';
             select pg_notify('{keys}', '');
             commit",
            id = self.tenant.0,
            to = self.to.name,
            keys = crate::channel::KEYS,
        );
        run(&mut self.connection, &handed).await
    }
}

impl Place {
    async fn connect(&self) -> Result<PgConnection> {
        let mut connection = PgConnection::connect_with(&self.store.primary.options()).await?;
        run(&mut connection, SETTINGS).await?;
        Ok(connection)
    }
}

/// A table with rows of tenants.
struct Table {
    name: String,
    /// The column with the tenant.
    key: &'static str,
    /// Its columns but those that the server computes.
    columns: String,
}

/// Every table that has rows of tenants, those first that others refer to: the schema itself is the list.
async fn tables(connection: &mut PgConnection) -> Result<Vec<Table>> {
    let all = "select c.relname::text, string_agg(quote_ident(a.attname), ', ' order by a.attnum)
               from pg_class c
               join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
               where c.relnamespace = current_schema()::text::regnamespace and c.relkind = 'r'
                 and (c.relname = 'tenants' or exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id'))
               group by c.relname order by c.relname";
    let rows = sqlx::raw_sql(all).fetch_all(connection).await?;
    let mut tables = Vec::with_capacity(rows.len());
    for row in rows {
        let name: String = row.try_get(0)?;
        let key = if name == "tenants" { "id" } else { "tenant_id" };
        tables.push(Table { name, key, columns: row.try_get(1)? });
    }
    tables.sort_by_key(|table| FIRST.iter().position(|first| *first == table.name).unwrap_or(FIRST.len()));
    Ok(tables)
}

async fn run(connection: &mut PgConnection, statements: &str) -> Result<()> {
    sqlx::raw_sql(AssertSqlSafe(statements)).execute(connection).await?;
    Ok(())
}
