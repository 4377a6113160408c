//! Moves a tenant from one cell to another.
//!
//! | | source | target | who counts | what a further call does |
//! |---|---|---|---|---|
//! | before | here | no row, or erased rows of an earlier stay | source | all |
//! | sent ahead | here | messages, in a transaction that is open | source | begins anew: nothing was committed |
//! | copied | here, locked | `arriving_from` | source | begins anew: the copy is deleted |
//! | handed over | `moved_to`, erased | `arriving_from` | target, as no other cell has the tenant | ends the arrival |
//! | arrived | erased, until its rows are deleted | here | target | nothing |
//!
//! One commit hands the tenant over, that of the source. A crash before it leaves a copy that does not count and on which nobody
//! works, because it is suspended; one after it leaves the end of the arrival undone, which changes nothing for callers but the
//! cost of a look-up.
//!
//! Invariant: from before the first row is copied that can change until the tenant counts elsewhere, nobody writes to it.
//! Transactions hold a shared advisory lock of the tenant (`enter_tenant`), which a move waits for and then holds alone. What writes
//! without one, appends and the ends of jobs, writes only to a session whose lock and revision it has, or makes one under a lock of
//! the tenant's row: the move holds those locks, and the hand-over changes both rows. Reads go on until the hand-over.
//! Messages are only added and erased, and are most of what there is, so they are sent ahead; under the locks follow those that
//! came since, and all of a session that has lost some.
//! Invariant: one process at a time moves a tenant away from a cell, and deletes at the target only while the tenant is there.
//! Rows at the source are deleted by the erasing, as those of an erased tenant are.

use std::collections::HashMap;

use futures::TryStreamExt as _;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

use crate::prelude::*;

/// What every part of a move sets: it may take as long as it does, but not wait for others.
const SETTINGS: &str =
    "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = '15s'";
/// The classes of a tenant's advisory locks: that of who moves it, and the one of `enter_tenant`.
const MOVERS: i32 = 1_633_772_136;
const WRITERS: i32 = 1_633_772_134;
/// Tables whose rows others refer to, in the order in which they are copied; all other tables follow, and messages are last.
const FIRST: [&str; 4] = ["tenants", "sessions", "webhooks", "compressions"];
const LAST: &str = "messages";

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

/// A tenant that is being moved, by nobody else. What is not committed when this is dropped has not happened.
#[derive(Debug)]
pub struct Leaving {
    tenant: TenantId,
    from: String,
    to: String,
    source: PgConnection,
    target: PgConnection,
    tables: Vec<Table>,
    /// The messages of each session that were sent ahead.
    sent: HashMap<Uuid, Extent>,
}

/// Messages of a session.
#[derive(Clone, Copy, Debug)]
struct Extent {
    rows: i64,
    last: i64,
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
    let mut leaving = Leaving::begin(tenant, source, target).await?;
    let mut rows = leaving.send_ahead().await?;
    leaving.lock().await?;
    rows += leaving.copy().await?;
    leaving.hand_over().await?;
    arrive(tenant, target).await?;
    Ok(Moved::Now(rows))
}

/// Ends an arrival at the target.
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
    /// Waits for others who move the tenant, and then deletes what the target has of it, from an earlier try or an earlier stay.
    ///
    /// # Errors
    /// When a database fails, the tenant is not at the source, or it is at the target too.
    pub async fn begin(tenant: TenantId, from: &Place, to: &Place) -> Result<Self> {
        let mut source = from.connect().await?;
        run(&mut source, &format!("select pg_advisory_lock({MOVERS}, hashtext('{}'))", tenant.0)).await?;
        let mut leaving = Self {
            tenant,
            from: from.name.clone(),
            to: to.name.clone(),
            tables: tables(&mut source).await?,
            source,
            target: to.connect().await?,
            sent: HashMap::new(),
        };
        // Whoever held the lock before may have handed the tenant over, to a copy that counts now.
        leaving.find("").await?;
        leaving.clear().await?;
        Ok(leaving)
    }

    /// Makes sure that the tenant is at the source.
    async fn find(&mut self, locking: &str) -> Result<()> {
        let here = format!(
            "select from tenants where id = '{}' and erased_at is null and arriving_from is null {locking}",
            self.tenant.0
        );
        let found = sqlx::raw_sql(AssertSqlSafe(here)).fetch_optional(&mut self.source).await?;
        found.map(|_| ()).ok_or(StoreError::NoTenant)
    }

    async fn clear(&mut self) -> Result<()> {
        let id = self.tenant.0;
        run(&mut self.target, "begin").await?;
        let is_here = format!(
            "select arriving_from is null and erased_at is null from tenants where id = '{id}' for update"
        );
        let found = sqlx::raw_sql(AssertSqlSafe(is_here)).fetch_optional(&mut self.target).await?;
        if found.map(|row| row.try_get::<bool, _>(0)).transpose()?.unwrap_or_default() {
            return Err(StoreError::corrupt("tenants", "id", id, "two cells have it"));
        }
        for Table { name, key, .. } in self.tables.iter().rev() {
            run(&mut self.target, &format!("delete from {name} where {key} = '{id}'")).await?;
        }
        Ok(())
    }

    /// Copies the messages that there are, while others go on; returns how many.
    pub async fn send_ahead(&mut self) -> Result<u64> {
        let Some(messages) = self.tables.last() else { return Ok(0) };
        let of = format!("from messages where tenant_id = '{}'", self.tenant.0);
        let rows = copy(&mut self.source, &mut self.target, messages, &of).await?;
        self.sent = extents(&mut self.target, self.tenant).await?;
        Ok(rows)
    }

    /// Waits for those who write to the tenant at the source, and keeps everybody from it.
    ///
    /// # Errors
    /// When the database fails, or somebody writes for too long.
    pub async fn lock(&mut self) -> Result<()> {
        let id = self.tenant.0;
        run(&mut self.source, &format!("select pg_advisory_lock({WRITERS}, hashtext('{id}'))")).await?;
        run(&mut self.source, "begin").await?;
        self.find("for update").await?;
        let held = format!("select from sessions where tenant_id = '{id}' order by id for update");
        run(&mut self.source, &held).await
    }

    /// Copies all other rows to the target, where they do not count yet; returns how many.
    pub async fn copy(&mut self) -> Result<u64> {
        let id = self.tenant.0;
        let Some((messages, others)) = self.tables.split_last() else { return Ok(0) };
        let mut rows = 0;
        for table in others {
            let of = format!("from {} where {} = '{id}'", table.name, table.key);
            rows += copy(&mut self.source, &mut self.target, table, &of).await?;
        }
        let now = extents(&mut self.source, self.tenant).await?;
        // Through which of its messages a session is at the target as it is here: as many have come as its last position tells,
        // so that none was erased.
        let through = |session: &Uuid, now: Extent| {
            let sent = self.sent.get(session).filter(|sent| now.last >= sent.last);
            sent.filter(|sent| now.rows - sent.rows == now.last - sent.last).map_or(0, |sent| sent.last)
        };
        let (mut changed, mut behind) = (Vec::new(), Vec::new());
        for (session, now) in &now {
            let through = through(session, *now);
            if now.last > through {
                changed.push(session.to_string());
                behind.push(through.to_string());
            }
        }
        let is_stale = |session: &Uuid| now.get(session).is_none_or(|now| through(session, *now) == 0);
        let stale: Vec<String> =
            self.sent.keys().filter(|session| is_stale(session)).map(Uuid::to_string).collect();
        let deleted = format!(
            "delete from messages where tenant_id = '{id}' and session_id = any ('{{{}}}')",
            stale.join(",")
        );
        run(&mut self.target, &deleted).await?;
        let of = format!(
            "from unnest('{{{}}}'::uuid[], '{{{}}}'::bigint[]) as changed (session, behind)
             join messages on tenant_id = '{id}' and session_id = session and seq > behind",
            changed.join(","),
            behind.join(",")
        );
        rows += copy(&mut self.source, &mut self.target, messages, &of).await?;
        let marked = format!(
            "update tenants set arriving_from = '{}', suspended_at = coalesce(suspended_at, 'infinity') where id = '{id}';
             update compressions set lease_until = '-infinity', doubted_at = null
             where tenant_id = '{id}' and status = 'running';
             commit",
            self.from,
        );
        run(&mut self.target, &marked).await?;
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
            to = self.to,
            keys = crate::channel::KEYS,
        );
        run(&mut self.source, &handed).await
    }
}

/// Copies rows of a table by way of one without row-level security, under which the server copies into none.
async fn copy(source: &mut PgConnection, target: &mut PgConnection, table: &Table, of: &str) -> Result<u64> {
    let Table { name, columns, .. } = table;
    let made = format!(
        "create temporary table arriving on commit drop as select {columns} from {name} with no data"
    );
    run(target, &made).await?;
    let out = format!("copy (select {columns} {of}) to stdout (format binary)");
    let mut going = source.copy_out_raw(&out).await?;
    let into = format!("copy arriving ({columns}) from stdin (format binary)");
    let mut coming = target.copy_in_raw(&into).await?;
    while let Some(piece) = going.try_next().await? {
        coming.send(piece).await?;
    }
    let rows = coming.finish().await?;
    let kept = format!("insert into {name} ({columns}) select {columns} from arriving; drop table arriving");
    run(target, &kept).await?;
    Ok(rows)
}

/// How many messages each session has, and which is the last.
async fn extents(connection: &mut PgConnection, tenant: TenantId) -> Result<HashMap<Uuid, Extent>> {
    let all = format!(
        "select session_id, count(*), max(seq) from messages where tenant_id = '{}' group by session_id",
        tenant.0
    );
    let rows = sqlx::raw_sql(AssertSqlSafe(all)).fetch_all(connection).await?;
    let read = |row: sqlx::postgres::PgRow| {
        Ok((row.try_get(0)?, Extent { rows: row.try_get(1)?, last: row.try_get(2)? }))
    };
    rows.into_iter().map(read).collect()
}

impl Place {
    async fn connect(&self) -> Result<PgConnection> {
        let mut connection = PgConnection::connect_with(&self.store.primary.options()).await?;
        run(&mut connection, SETTINGS).await?;
        Ok(connection)
    }
}

/// A table with rows of tenants.
#[derive(Debug)]
struct Table {
    name: String,
    /// The column with the tenant.
    key: &'static str,
    /// Its columns but those that the server computes.
    columns: String,
}

/// Every table that has rows of tenants, those first that others refer to, and messages last: the schema itself is the list.
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
    let place = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
    tables.sort_by_key(|table| (table.name == LAST, place(&table.name)));
    Ok(tables)
}

async fn run(connection: &mut PgConnection, statements: &str) -> Result<()> {
    sqlx::raw_sql(AssertSqlSafe(statements)).execute(connection).await?;
    Ok(())
}
