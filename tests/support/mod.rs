//! What the integration tests stand on: one throw-away Postgres server for the whole test run, and
//! a fresh migrated database for each test.
//!
//! The test runner may put every test into a process of its own, so the server belongs to none of
//! them. The first process that needs it starts it, under a lock; each process that uses it leaves
//! a lease, a file named after its process id. A guard of a few lines of shell watches the leases:
//! once none of them belongs to a living process for [`LINGER_SECONDS`], it removes the folder of
//! leases, which only succeeds while that is empty, so that nobody can come in between, and ends
//! the server.
//!
//! One server serves all processes, because making one takes a second and a database from a template a twentieth of
//! that.

pub mod app;
pub mod branches;
pub mod browser;
pub mod corpus;
pub mod embeddings;
pub mod erasing;
pub mod pair;
pub mod plans;
pub mod provider;
pub mod receiver;
pub mod relay;
pub mod service;
pub mod talks;
#[path = "../../crates/context/src/context/validity.rs"]
pub mod validity;

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anchord_messages::id::TenantId;
use anchord_postgres::{Config, Durability, Embedded};
use anchord_store::Store;
use anchord_store::address::{DEFAULT_ROLE, Target};
use anchord_store::audit::Actor;
use sqlx::migrate::Migrator;
use sqlx::{Connection as _, PgConnection, Row as _};

/// How long the server waits for the next user: longer than the gap between two test binaries.
const LINGER_SECONDS: u32 = 5;

/// `$1` is the server's process id, `$2` its folder, `$3` the seconds to linger.
const GUARD: &str = r#"
idle=0
while kill -0 "$1" 2>/dev/null; do
  idle=$((idle + 1))
  for lease in "$2"/leases/*; do
    pid=${lease##*/}
    if [ "$pid" = '*' ]; then continue; fi
    if kill -0 "$pid" 2>/dev/null; then idle=0; else rm -f "$lease"; fi
  done
  if [ "$idle" -ge "$3" ] && rmdir "$2/leases" 2>/dev/null; then kill -INT "$1"; fi
  sleep 1
done
rm -rf "$2"
"#;

/// How long [`until`] waits, and how often it looks.
const PATIENCE: Duration = Duration::from_secs(20);
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// The schema as it is, which a new database gets.
static SCHEMA: Migrator = sqlx::migrate!();

/// The process's `PATH`, for the launcher.
#[expect(
    clippy::disallowed_methods,
    reason = "the tests hand the launcher what config.rs reads in the service"
)]
pub fn path() -> Option<OsString> {
    std::env::var_os("PATH")
}

/// How many cells the databases of the tests have: `ANCHORD_TEST_CELLS`, and one without it. Tests of the API then have their
/// first tenant in the cell `cell1` and the second one in the last; tests of the store, and of services, use the home cell.
/// These do not apply, twenty in all: of `cells` five (they make cells of their own); of `erasing`, `lifecycle`, `quotas`, `deliveries`, `meanings` and `tenants` those that
/// use the first tenant's store, or its tables, for a tenant made by the API; `schema::a_policy…`, `database::a_test_gets…` and
/// `rules::the_service_tells…`, which know of one schema.
#[expect(clippy::disallowed_methods, reason = "the tests' own setting, which the service does not have")]
pub fn cells() -> usize {
    std::env::var("ANCHORD_TEST_CELLS").ok().and_then(|count| count.parse().ok()).unwrap_or(1)
}

/// A database of one test's own, dropped with it.
#[derive(Debug)]
pub struct TestDatabase {
    /// The database's address, as its owner; of a test whose tenant is in a cell, with that cell's schema.
    pub url: String,
    /// The address of the home cell.
    pub home: String,
    name: String,
}

/// Makes a fresh migrated database on the test run's server.
pub async fn database() -> TestDatabase {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // The first caller may have to start the server and to migrate, which takes a second.
    let server = tokio::task::spawn_blocking(shared).await.expect("a server for the tests");
    let name = format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let create =
        format!("create database {name} template {} owner {}", server.template, anchord_postgres::OWNER);
    execute(&server.address.of(anchord_postgres::SUPERUSER, "postgres"), create).await;
    let url = server.address.of(anchord_postgres::OWNER, &name);
    TestDatabase { home: url.clone(), url, name }
}

/// Makes a fresh database with so many cells.
pub async fn database_with(cells: usize) -> TestDatabase {
    let database = database().await;
    add_cells(&database.home, cells).await;
    database
}

/// Makes cells until there are so many, old enough to take tenants.
async fn add_cells(url: &str, cells: usize) {
    let mut connection = PgConnection::connect(url).await.expect("a connection");
    for cell in 1..cells {
        let name = format!("cell{cell}");
        let target = Target { url, role: DEFAULT_ROLE, schema: Some(&name) };
        Store::migrate(target).await.expect("a schema");
        let listed = format!(
            "insert into cells (name, schema, created_at) values ('{name}', '{name}', now() - interval '1 day')
             on conflict do nothing"
        );
        change(&mut connection, &listed).await;
    }
}

/// The address with a schema.
pub fn in_schema(url: &str, schema: &str) -> String {
    let sign = if url.contains('?') { '&' } else { '?' };
    format!("{url}{sign}options[search_path]={schema}")
}

/// Makes an empty database on the test run's server.
pub async fn empty_database() -> TestDatabase {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let server = tokio::task::spawn_blocking(shared).await.expect("a server for the tests");
    let name = format!("empty_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let create = format!("create database {name} owner {}", anchord_postgres::OWNER);
    execute(&server.address.of(anchord_postgres::SUPERUSER, "postgres"), create).await;
    let url = server.address.of(anchord_postgres::OWNER, &name);
    TestDatabase { home: url.clone(), url, name }
}

/// Looks again and again until there is what is looked for; fails after twenty seconds, before the server itself ends what hangs.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let mut pace = tokio::time::interval(BETWEEN_LOOKS);
    let found = tokio::time::timeout(PATIENCE, async {
        loop {
            pace.tick().await;
            if let Some(found) = look().await {
                return found;
            }
        }
    });
    found.await.unwrap_or_else(|_| panic!("{what} did not come about"))
}

/// Looks, as other workers do, until jobs of workers that are gone are due again; gives how many.
pub async fn bury_dead_workers(store: &Store) -> i64 {
    let mut another = store.hold_presence(i64::from(i32::MAX)).await.expect("a connection");
    until("a job that is taken from the dead", async || {
        let freed = another.look_after_workers().await.expect("an answer");
        (freed > 0).then_some(freed)
    })
    .await
}

/// A new tenant.
pub async fn tenant(store: &Store, name: &str) -> TenantId {
    let id = TenantId(uuid::Uuid::now_v7());
    store.insert_tenant(id, name, Actor::Cli).await.expect("an insert").expect("a new name").id
}

/// Does what statements say.
pub async fn change(connection: &mut PgConnection, statements: &str) {
    let statements = sqlx::AssertSqlSafe(statements);
    sqlx::raw_sql(statements).execute(connection).await.expect("statements that run");
}

/// Does something, and changes what it has read once it waits for a table that it reads or writes later.
pub async fn changed_meanwhile<T>(
    database: &TestDatabase,
    table: &str,
    doing: impl Future<Output = T>,
    changing: impl Future,
) -> T {
    let (mut holder, mut looker) = (database.connect().await, database.connect().await);
    change(&mut holder, &format!("begin; lock table {table} in access exclusive mode")).await;
    let let_go = async {
        let waiting = "select count(*) from pg_stat_activity
                       where datname = current_database() and wait_event_type = 'Lock'";
        while number(&mut looker, waiting).await == 0 {}
        changing.await;
        change(&mut holder, "commit").await;
    };
    futures::join!(doing, let_go).0
}

/// The one number that a query gives.
pub async fn number(connection: &mut PgConnection, query: &str) -> i64 {
    let row = sqlx::raw_sql(sqlx::AssertSqlSafe(query)).fetch_one(connection).await.expect("a row");
    row.get(0)
}

/// The one text that a query gives.
pub async fn text(connection: &mut PgConnection, query: &str) -> String {
    let row = sqlx::raw_sql(sqlx::AssertSqlSafe(query)).fetch_one(connection).await.expect("a row");
    row.get(0)
}

impl TestDatabase {
    /// A connection of the test's own, as the owner: it sees the rows of every tenant.
    pub async fn connect(&self) -> PgConnection {
        PgConnection::connect(&self.url).await.expect("a connection")
    }

    /// A connection that may do everything, whoever owns it.
    pub async fn connect_as_superuser(&self) -> PgConnection {
        let server = SHARED.get().expect("the server of this database");
        let mut url = server.address.of(anchord_postgres::SUPERUSER, &self.name);
        if self.url != self.home {
            url = in_schema(&url, "cell1");
        }
        PgConnection::connect(&url).await.expect("a connection")
    }

    /// The database's name on the server.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Some(server) = SHARED.get() else { return };
        let url = server.address.of(anchord_postgres::SUPERUSER, "postgres");
        let drop = format!("drop database if exists {} with (force)", self.name);
        // On a thread of its own, because a drop may happen inside a runtime. Best effort: what
        // stays ends with the server, and a test whose database cannot be dropped ends all the same.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let dropped = async {
                let mut connection = PgConnection::connect(&url).await.map_err(std::io::Error::other)?;
                let dropped = sqlx::raw_sql(sqlx::AssertSqlSafe(drop)).execute(&mut connection).await;
                dropped.map(|_| ()).map_err(std::io::Error::other)
            };
            runtime.block_on(async { tokio::time::timeout(PATIENCE, dropped).await? })
        });
        let _ = dropping.join();
    }
}

/// The server, as this process sees it.
struct Shared {
    address: Address,
    template: String,
}

/// How databases of the server are reached: an address with places for role and database.
#[derive(Clone)]
struct Address(String);

impl Address {
    const ROLE: &str = "ROLE";
    const DATABASE: &str = "DATABASE";

    fn of(&self, role: &str, database: &str) -> String {
        self.0.replacen(Self::ROLE, role, 1).replacen(Self::DATABASE, database, 1)
    }
}

static SHARED: OnceLock<Shared> = OnceLock::new();

fn shared() -> &'static Shared {
    SHARED.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("postgres");
        fs::create_dir_all(&folder).expect("a folder below target");
        // One process at a time looks, starts and migrates; the kernel frees the lock of a killed one.
        let lock = File::create(folder.join("start.lock")).expect("a lock file");
        lock.lock().expect("the lock");
        let state = folder.join("server");
        let address = attach(&state).unwrap_or_else(|| start(&state));
        let template = block_on(template(address.clone()));
        Shared { address, template }
    })
}

/// Joins the server that another process started, when it is there.
fn attach(state: &Path) -> Option<Address> {
    let text = fs::read_to_string(state).ok()?;
    let (home, address) = text.trim().split_once('\n')?;
    // Fails when the guard has closed the server: it removed the folder of leases.
    lease(Path::new(home)).ok()?;
    let address = Address(address.to_owned());
    let url = address.of(anchord_postgres::SUPERUSER, "postgres");
    block_on(async move {
        let reached = PgConnection::connect(&url).await;
        reached.ok()?.close().await.ok()
    })?;
    Some(address)
}

fn lease(home: &Path) -> std::io::Result<()> {
    File::create(home.join("leases").join(std::process::id().to_string())).map(|_| ())
}

fn start(state: &Path) -> Address {
    let home = tempfile::Builder::new().prefix("anchord-tests-").tempdir().expect("a temporary folder");
    // The server's user must be able to pass through, when the tests run as root.
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o711)).expect("a mode");
    fs::create_dir(home.path().join("leases")).expect("a folder");
    lease(home.path()).expect("a lease");
    let server = Embedded::start_blocking(&Config {
        data_dir: home.path().join("data"),
        programs: None,
        path: path(),
        max_connections: 300,
        durability: Durability::OffForTests,
    })
    .expect("a server for the tests");
    let address = Address(server.url_of(Address::ROLE, Address::DATABASE));
    // The guard is there before the launcher's own lets go, so that no moment is without one.
    let home = guard(server.pid(), home);
    fs::write(state, format!("{}\n{}\n", home.display(), address.0)).expect("a state file");
    let _ = server.leave_running();
    address
}

fn guard(server: u32, home: tempfile::TempDir) -> PathBuf {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", GUARD, "anchord-tests-guard", &server.to_string()]).arg(home.path());
    command.arg(LINGER_SECONDS.to_string());
    // In a group of its own and without our pipes: neither Ctrl-C nor the test runner waits for it.
    command.process_group(0).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // It outlives this process, so nobody is left to wait for it.
    drop(command.spawn().expect("a guard"));
    home.keep()
}

/// Makes the migrated database that the tests' databases are copies of; named after the
/// migrations, so that a server that lingers from before an edit is no trap.
async fn template(address: Address) -> String {
    let name = format!("template_{}_{}", fingerprint(), cells());
    let admin = address.of(anchord_postgres::SUPERUSER, "postgres");
    let mut connection = PgConnection::connect(&admin).await.expect("a connection");
    let exists = format!("select 1 from pg_database where datname = '{name}'");
    let found = sqlx::raw_sql(sqlx::AssertSqlSafe(exists)).fetch_optional(&mut connection).await;
    connection.close().await.expect("a clean end");
    if found.expect("a list of databases").is_some() {
        return name;
    }
    // Renamed when it is done: a run that was killed half-way leaves no half-made template.
    execute(&admin, "drop database if exists template_unfinished".to_owned()).await;
    execute(&admin, format!("create database template_unfinished owner {}", anchord_postgres::OWNER)).await;
    let unfinished = address.of(anchord_postgres::OWNER, "template_unfinished");
    migrate(&unfinished).await;
    add_cells(&unfinished, cells()).await;
    execute(&admin, format!("alter database template_unfinished rename to {name}")).await;
    name
}

async fn execute(url: &str, sql: String) {
    let mut connection = PgConnection::connect(url).await.expect("a connection");
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.expect("a statement that runs");
    connection.close().await.expect("a clean end");
}

/// Tells the migrations apart by what they contain.
fn fingerprint() -> String {
    let sums = SCHEMA.iter().flat_map(|migration| migration.checksum.iter());
    // FNV-1a: a name for a database, not a protection.
    let hash = sums.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

async fn migrate(url: &str) {
    let mut connection = PgConnection::connect(url).await.expect("a connection");
    SCHEMA.run(&mut connection).await.expect("migrations that run");
    connection.close().await.expect("a clean end");
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(work)
}
