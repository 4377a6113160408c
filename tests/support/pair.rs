//! A primary server and a standby that follows it synchronously, for tests of a failover.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anchord_postgres::{Config, DATABASE, Durability, Embedded, OWNER, SUPERUSER};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Uid, User};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use super::service::{data_folder, pid};
use super::{number, until};

/// The two servers; both end when it is dropped.
#[derive(Debug)]
pub struct Pair {
    primary: Option<Embedded>,
    standby: Child,
    sockets: [PathBuf; 2],
    _folder: tempfile::TempDir,
}

impl Pair {
    /// Starts both, and waits until every commit waits for the standby.
    pub async fn start() -> Self {
        let folder = data_folder();
        let data = folder.path().join("primary");
        let config = Config {
            data_dir: data.clone(),
            programs: None,
            path: super::path(),
            max_connections: 60,
            durability: Durability::Full,
        };
        let primary = Embedded::start(config).await.expect("a primary");
        let home = data.join("postgres").canonicalize().expect("a folder");
        let hba = home.join("cluster/pg_hba.conf");
        let rules = fs::read_to_string(&hba).expect("rules");
        fs::write(&hba, format!("{rules}local replication all trust\n")).expect("rules");
        let first = home.join("sockets");
        let mut admin =
            PgConnection::connect(&primary.url_of(SUPERUSER, "postgres")).await.expect("a connection");
        sqlx::raw_sql("select pg_reload_conf()").execute(&mut admin).await.expect("new rules");

        let second = folder.path().join("second");
        fs::create_dir(&second).expect("a folder");
        give(&second);
        let cluster = second.join("cluster");
        let copied = program("pg_basebackup")
            .args(["-U", SUPERUSER, "-X", "stream", "-c", "fast", "-R", "-h"])
            .arg(&first)
            .arg("-D")
            .arg(&cluster)
            .output()
            .expect("a program that runs");
        assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
        let standby = program("postgres")
            .arg("-D")
            .arg(&cluster)
            .arg("-k")
            .arg(&second)
            .args(["-p", "5432", "-c", "listen_addresses=", "-c", "max_connections=60"])
            .spawn()
            .expect("a standby");
        let pair = Self { primary: Some(primary), standby, sockets: [first, second], _folder: folder };
        until("a standby that streams", async || {
            let streams = "select count(*) from pg_stat_replication where state = 'streaming'";
            (number(&mut admin, streams).await == 1).then_some(())
        })
        .await;
        for change in ["alter system set synchronous_standby_names = '*'", "select pg_reload_conf()"] {
            sqlx::raw_sql(AssertSqlSafe(change)).execute(&mut admin).await.expect("a change");
        }
        until("a synchronous standby", async || {
            let synchronous = "select count(*) from pg_stat_replication where sync_state = 'sync'";
            (number(&mut admin, synchronous).await == 1).then_some(())
        })
        .await;
        pair
    }

    /// The address of both servers.
    pub fn url(&self) -> String {
        let [first, second] = self.sockets.each_ref().map(|folder| folder.display().to_string());
        format!(
            "postgres://{OWNER}@localhost:5432/{DATABASE}?host={first},{second}&sslmode=disable&target_session_attrs=read-write"
        )
    }

    /// A connection to the standby, as its superuser.
    pub async fn connect_to_standby(&self) -> PgConnection {
        let folder = self.sockets[1].display();
        let url = format!("postgres://{SUPERUSER}@localhost:5432/{DATABASE}?host={folder}&sslmode=disable");
        PgConnection::connect(&url).await.expect("a connection")
    }

    /// Kills the primary, so that it can tidy up nothing, and promotes the standby.
    pub async fn fail_over(&mut self) {
        let primary = self.primary.take().expect("it fails over once");
        kill(pid(primary.pid()), Signal::SIGKILL).expect("a process of ours");
        primary.stop().await;
        let mut standby = self.connect_to_standby().await;
        sqlx::raw_sql("select pg_promote()").execute(&mut standby).await.expect("a promotion");
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        let _ = kill(pid(self.standby.id()), Signal::SIGQUIT);
        let _ = self.standby.wait();
    }
}

/// The user that servers run as, when the tests run as root.
fn account() -> Option<User> {
    Uid::effective().is_root().then(|| User::from_name("postgres").ok().flatten()).flatten()
}

fn give(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).expect("a mode");
    if let Some(user) = account() {
        std::os::unix::fs::chown(folder, Some(user.uid.as_raw()), Some(user.gid.as_raw())).expect("an owner");
    }
}

/// A program of the server, from the newest folder that has it.
fn program(name: &str) -> Command {
    let folders = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut places: Vec<PathBuf> = folders.map(|entry| entry.path().join("bin").join(name)).collect();
    places.sort();
    let found = places.into_iter().rev().find(|place| place.exists());
    let mut command = Command::new(found.unwrap_or_else(|| PathBuf::from(name)));
    command.current_dir("/").env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    if let Some(user) = account() {
        command.uid(user.uid.as_raw()).gid(user.gid.as_raw());
    }
    command
}
