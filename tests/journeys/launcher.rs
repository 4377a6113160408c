//! The embedded server's life: first start, stop, restart, a killed parent, a folder in use.

use crate::support;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anchord_postgres::{Config, Durability, Embedded};
use sqlx::{Connection as _, PgConnection, Row as _};

/// A folder that the server's user can reach below, when the tests run as root.
fn open_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711)).expect("a mode");
    folder
}

fn config(data_dir: &Path) -> Config {
    Config {
        data_dir: data_dir.to_owned(),
        programs: None,
        path: support::path(),
        max_connections: 20,
        // Syncing a new cluster is most of a start on a busy disk; tests about durability ask for it.
        durability: Durability::OffForTests,
    }
}

fn durable(data_dir: &Path) -> Config {
    Config { durability: Durability::Full, ..config(data_dir) }
}

async fn ask(url: &str, sql: &'static str) -> String {
    let mut connection = PgConnection::connect(url).await.expect("a connection");
    let row = sqlx::raw_sql(sql).fetch_one(&mut connection).await.expect("a row");
    connection.close().await.expect("a clean end");
    row.get::<String, _>(0)
}

async fn run(url: &str, sql: &'static str) {
    let mut connection = PgConnection::connect(url).await.expect("a connection");
    sqlx::raw_sql(sql).execute(&mut connection).await.expect("a statement that runs");
    connection.close().await.expect("a clean end");
}

fn is_running(pid: u32) -> bool {
    if Path::new("/proc/self/cmdline").exists() {
        // A process that has ended and was not collected yet has no command line.
        return fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty());
    }
    let pid = i32::try_from(pid).expect("a process id");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None).is_ok()
}

#[tokio::test]
async fn what_was_written_is_there_after_a_stop_and_a_start() {
    let folder = open_folder();
    let data = folder.path().join("data");
    let first = Embedded::start(config(&data)).await.expect("a first start");
    run(&first.url(), "create table t as select 'kept'::text as v").await;
    let pid = first.pid();
    first.stop().await;
    assert!(!is_running(pid), "the server outlived its stop");
    let second = Embedded::start(config(&data)).await.expect("a second start");
    assert_eq!(ask(&second.url(), "select v from t").await, "kept");
    second.stop().await;
}

#[tokio::test]
async fn an_acknowledged_write_is_durable_and_the_owner_is_no_superuser() {
    let folder = open_folder();
    let server = Embedded::start(durable(folder.path())).await.expect("a start");
    let url = server.url();
    for (setting, value) in [("fsync", "on"), ("synchronous_commit", "on"), ("full_page_writes", "on")] {
        let shown = match setting {
            "fsync" => ask(&url, "show fsync").await,
            "synchronous_commit" => ask(&url, "show synchronous_commit").await,
            _ => ask(&url, "show full_page_writes").await,
        };
        assert_eq!(shown, value, "{setting}");
    }
    let rights = "select concat(rolsuper, rolbypassrls, rolreplication, rolcreaterole, rolcreatedb)
                  from pg_roles where rolname = current_user";
    assert_eq!(ask(&url, rights).await, "fffff");
    assert_eq!(ask(&url, "show data_checksums").await, "on");
    assert_eq!(ask(&url, "show listen_addresses").await, "");
    assert_eq!(ask(&url, "select lower('ÉTÉ')").await, "été");
    server.stop().await;
}

/// What the owner may not run, with the reason that the server gives.
async fn refused(url: &str, sql: &'static str) -> String {
    let mut connection = PgConnection::connect(url).await.expect("a connection");
    let refused = sqlx::raw_sql(sql).execute(&mut connection).await;
    refused.map_or_else(|error| error.to_string(), |_| format!("{sql} ran"))
}

#[tokio::test]
async fn the_owner_runs_no_program_and_makes_no_role() {
    let folder = open_folder();
    let server = Embedded::start(config(folder.path())).await.expect("a start");
    let attacks = [
        "create role helper",
        "grant pg_execute_server_program to anchord",
        "alter role anchord createrole",
        "copy (select 1) to program 'true'",
        "copy (select 1) to '/tmp/anchord-was-here'",
        "set role postgres",
    ];
    for attack in attacks {
        let refusal = refused(&server.url(), attack).await;
        assert!(refusal.contains("permission denied") || refusal.contains("must "), "{attack}: {refusal}");
    }
    run(&server.url(), "set role anchord_app").await;
    server.stop().await;
}

#[tokio::test]
async fn nobody_else_can_open_the_socket_or_the_files() {
    let folder = open_folder();
    let server = Embedded::start(config(folder.path())).await.expect("a start");
    let home = folder.path().join("postgres");
    for private in ["sockets", "cluster"] {
        let mode = fs::metadata(home.join(private)).expect("a folder").mode();
        assert_eq!(mode & 0o077, 0, "{private} is open to others: {mode:o}");
    }
    if nix::unistd::Uid::effective().is_root() {
        let owner = fs::metadata(home.join("cluster")).expect("a folder").uid();
        assert_ne!(owner, 0, "the server runs as root");
    }
    if nix::unistd::Uid::effective().is_root() && cfg!(target_os = "linux") {
        let owner = fs::metadata(home.join("cluster")).expect("a folder").uid();
        let status = fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("a process");
        assert!(status.contains(&format!("\nUid:\t{owner}\t{owner}\t")), "{status}");
        let groups = status.lines().find(|l| l.starts_with("Groups:")).expect("a line");
        assert!(!groups.split_whitespace().any(|group| group == "0"), "root's group was kept: {groups}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_first_start_that_was_killed_half_way_is_begun_again() {
    let folder = open_folder();
    let half = folder.path().join("postgres/cluster.unfinished");
    fs::create_dir_all(&half).expect("a folder");
    fs::write(half.join("PG_VERSION"), "15\n").expect("a file");
    fs::set_permissions(folder.path().join("postgres"), fs::Permissions::from_mode(0o711)).expect("a mode");
    let server = Embedded::start(config(folder.path())).await.expect("a start");
    assert_eq!(ask(&server.url(), "select 'up'").await, "up");
    server.stop().await;
}

/// Runs the service's part of a start in a process of its own, to be killed.
struct Service {
    process: Child,
    server: u32,
    url: String,
}

const CHILD: &str = "ANCHORD_LAUNCHER_CHILD";

impl Service {
    fn start(data_dir: &Path) -> Self {
        let mut process = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "launcher::the_service_that_is_killed", "--nocapture"])
            .env(CHILD, data_dir)
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts again");
        let lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        let told = lines.map_while(Result::ok).find_map(|line| {
            let (_, told) = line.split_once("started ")?;
            told.split_once(' ').map(|(pid, url)| (pid.to_owned(), url.to_owned()))
        });
        let (pid, url) = told.expect("the child tells what it started");
        Self { process, server: pid.parse().expect("a process id"), url }
    }

    fn kill(&mut self) {
        self.process.kill().expect("a child of ours");
        self.process.wait().expect("a child of ours");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test process and its child share one variable")]
fn the_service_that_is_killed() {
    // Only does something as the child of the tests below.
    let Some(data_dir) = std::env::var_os(CHILD) else { return };
    let server = Embedded::start_blocking(&config(&PathBuf::from(data_dir))).expect("a start");
    println!("started {} {}", server.pid(), server.url());
    // Until the end of standard input, which is this process's end.
    std::thread::park();
}

#[tokio::test]
async fn a_server_ends_when_its_service_is_killed_and_the_folder_starts_again() {
    let folder = open_folder();
    let mut service = Service::start(folder.path());
    run(&service.url, "create table t as select 'kept'::text as v").await;
    service.kill();
    // Starting waits for the server that is being stopped, so nothing else needs to.
    let again = Embedded::start(config(folder.path())).await.expect("a start after the kill");
    assert!(!is_running(service.server), "the first server still runs");
    assert_eq!(ask(&again.url(), "select v from t").await, "kept");
    again.stop().await;
}

#[tokio::test]
async fn the_guard_alone_ends_the_server_of_a_killed_service() {
    let folder = open_folder();
    let mut service = Service::start(folder.path());
    let mut client = PgConnection::connect(&service.url).await.expect("a connection");
    service.kill();
    let ended = sqlx::raw_sql("select pg_sleep(60)").execute(&mut client).await;
    assert!(ended.is_err(), "nobody stopped the server");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_whose_service_and_guard_were_killed_is_stopped_by_the_next_start() {
    let folder = open_folder();
    let mut service = Service::start(folder.path());
    run(&service.url, "create table t as select 'kept'::text as v").await;
    let guard = guard_of(service.server).expect("a guard");
    nix::sys::signal::kill(guard, nix::sys::signal::Signal::SIGKILL).expect("a guard to kill");
    service.kill();
    assert!(is_running(service.server), "somebody else stopped the server");
    let again = Embedded::start(config(folder.path())).await.expect("a start beside the old server");
    assert!(!is_running(service.server), "the first server still runs");
    assert_eq!(ask(&again.url(), "select v from t").await, "kept");
    again.stop().await;
}

/// More than a start that gives up after three seconds makes.
const MANY_ATTEMPTS: usize = 14;

#[tokio::test]
async fn a_start_waits_for_what_a_killed_server_left_and_keeps_that_server_s_log() {
    let folder = open_folder();
    let server = Embedded::start(config(folder.path())).await.expect("a start");
    let mut client = PgConnection::connect(&server.url()).await.expect("a connection");
    let backend = support::number(&mut client, "select pg_backend_pid()::int8").await;
    let backend = i32::try_from(backend).expect("a process id");
    let signal = |pid: i32, signal| {
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), signal).expect("a process");
    };
    // As one that waits for its disk: it does not notice that its server is gone.
    signal(backend, nix::sys::signal::Signal::SIGSTOP);
    signal(i32::try_from(server.pid()).expect("a process id"), nix::sys::signal::Signal::SIGKILL);
    server.ended().await;
    server.stop().await;
    let home = folder.path().join("postgres");
    let first = fs::read_to_string(home.join("server.log")).expect("the log of the killed server");
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(Embedded::start(config(folder.path())));
    let mut attempts = std::collections::BTreeSet::new();
    support::until("a start that goes on trying", async || {
        assert!(
            tasks.try_join_next().is_none(),
            "the start gave up, or began beside the old server's process"
        );
        // Each line has its process's number in brackets.
        let log = fs::read_to_string(home.join("server.log")).unwrap_or_default();
        attempts.extend(log.split(['[', ']']).nth(1).map(str::to_owned));
        (attempts.len() >= MANY_ATTEMPTS).then_some(())
    })
    .await;
    signal(backend, nix::sys::signal::Signal::SIGCONT);
    let again = tasks.join_next().await.expect("a start").expect("no panic");
    let again = again.expect("a start once the process is gone");
    assert_eq!(ask(&again.url(), "select 'up'").await, "up");
    let kept = fs::read_to_string(home.join("server.log.old")).expect("an old log");
    assert!(kept.starts_with(&first), "{kept}");
    again.stop().await;
}

#[tokio::test]
async fn root_below_a_closed_folder_keeps_the_files_elsewhere() {
    if !nix::unistd::Uid::effective().is_root() {
        return;
    }
    let folder = open_folder();
    // The server's user cannot pass through.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).expect("a mode");
    let server = Embedded::start(config(folder.path())).await.expect("a start");
    assert_eq!(ask(&server.url(), "select 'up'").await, "up");
    server.stop().await;
    let link = folder.path().join("postgres");
    let target = fs::read_link(&link).expect("a link");
    assert!(target.starts_with("/var/lib/anchord"), "{}", target.display());
    let again = Embedded::start(config(folder.path())).await.expect("a second start");
    again.stop().await;
    fs::remove_dir_all(target).expect("the files of this test");
}

#[cfg(target_os = "linux")]
/// The guard's process: the one whose command line ends with the server's process id.
fn guard_of(server: u32) -> Option<nix::unistd::Pid> {
    let wanted = format!("anchord-postgres-guard\0{server}\0");
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let pid = entry.file_name().to_str()?.parse().ok()?;
        String::from_utf8_lossy(&line).ends_with(&wanted).then(|| nix::unistd::Pid::from_raw(pid))
    })
}
