//! The running server, and the guard that stops it when this process is killed.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::sync::watch;

use super::account::{self, Account};
use super::cluster::{Cluster, LOOK, last_lines};
use super::config::{Durability, PORT};
use super::error::StartError;

/// How much freed memory a server process may keep, where its C library has such a setting. A message of 4 MiB takes
/// some 16 MiB; returned to the system each time, they are 4,000 page faults for the next message, a quarter of its
/// time.
const KEPT_BYTES: u32 = 32 * 1024 * 1024;
/// How long a start may take; after a crash, the server first recovers from its log of writes.
const READY: Duration = Duration::from_mins(5);
/// How long each way of stopping may take.
const STOPS: [(Signal, Duration); 3] = [
    (Signal::SIGINT, Duration::from_mins(1)),
    (Signal::SIGQUIT, Duration::from_secs(10)),
    (Signal::SIGKILL, Duration::from_secs(10)),
];
/// How long the child processes of a killed server may hold its shared memory. They end by themselves, but one that
/// waits for a slow disk finishes that first.
const SHARED_MEMORY_TIMEOUT: Duration = Duration::from_mins(1);
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(300);

/// The guard: a shell that reads a pipe whose other end only this process holds. A line means that the server needs
/// no guard any more; the end without a line means that this process was killed, and the guard stops the server. A
/// parent-death signal would not do: it exists only on Linux, fires when the *thread* that spawned ends, and needs
/// unsafe code between `fork` and `exec`.
const GUARD: &str = "read -r _ || kill -INT \"$1\"";

/// How to start the server.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) program: PathBuf,
    pub(super) account: Option<Account>,
    pub(super) cluster: Cluster,
    pub(super) sockets: PathBuf,
    pub(super) log: PathBuf,
    pub(super) max_connections: u16,
    pub(super) durability: Durability,
}

/// A running server; dropping it stops it.
#[derive(Debug)]
pub(super) struct Server {
    pid: u32,
    exit: watch::Receiver<Option<ExitStatus>>,
    guard: Option<Child>,
    handed_over: bool,
}

impl Server {
    /// Starts the server and waits until it takes connections.
    pub(super) fn start(launch: &Launch) -> Result<Self, StartError> {
        launch.cluster.stop_left_behind()?;
        launch.cluster.free_socket(&launch.sockets)?;
        let deadline = Instant::now() + SHARED_MEMORY_TIMEOUT;
        let mut is_logged = false;
        loop {
            match Self::try_start(launch) {
                // The children of a killed server outlive it for a moment.
                Err(StartError::Failed { output, .. })
                    if Instant::now() < deadline && output.contains("shared memory block") =>
                {
                    if !std::mem::replace(&mut is_logged, true) {
                        tracing::info!("waiting for the processes of a Postgres server that was killed");
                    }
                    std::thread::sleep(BETWEEN_ATTEMPTS);
                }
                other => return other,
            }
        }
    }

    fn try_start(launch: &Launch) -> Result<Self, StartError> {
        let child = launch.spawn()?;
        let pid = child.id();
        let exit = collect(child)?;
        // From here on an early return stops the server through the drop.
        let mut server = Self { pid, exit, guard: None, handed_over: false };
        server.guard = Some(spawn_guard(pid, launch.account)?);
        let deadline = Instant::now() + READY;
        while Instant::now() < deadline {
            if let Some(status) = server.exit_status() {
                let said = fs::read_to_string(&launch.log).unwrap_or_default();
                let program = launch.program.display().to_string();
                return Err(StartError::Failed { program, output: last_lines(&said, &status.to_string()) });
            }
            // The server writes this file itself, before it accepts a connection.
            let ready = launch.cluster.pid_file();
            if ready.is_some_and(|file| file.ready && u32::try_from(file.pid) == Ok(pid)) {
                return Ok(server);
            }
            std::thread::sleep(LOOK);
        }
        Err(StartError::NotReady { seconds: READY.as_secs(), log: launch.log.display().to_string() })
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    fn exit_status(&self) -> Option<ExitStatus> {
        *self.exit.borrow()
    }

    /// Waits until the server has ended.
    pub(super) fn ended(&self) -> impl Future<Output = ()> + use<> {
        let mut exit = self.exit.clone();
        async move {
            // An error means that the thread that waits for the server is gone, and with it the server.
            let _ = exit.wait_for(Option::is_some).await;
        }
    }

    /// Leaves the server running; the caller takes over its process id.
    pub(super) fn hand_over(&mut self) {
        self.handed_over = true;
        self.release_guard();
    }

    /// Ends the guard without stopping the server.
    fn release_guard(&mut self) {
        if let Some(mut guard) = self.guard.take() {
            if let Some(mut stdin) = guard.stdin.take() {
                let _ = stdin.write_all(b"done\n");
            }
            let _ = guard.wait();
        }
    }

    fn stop(&mut self) {
        let Ok(pid) = i32::try_from(self.pid) else { return };
        for (signal, patience) in STOPS {
            if self.exit_status().is_some() {
                break;
            }
            let _ = kill(Pid::from_raw(pid), signal);
            let deadline = Instant::now() + patience;
            while self.exit_status().is_none() && Instant::now() < deadline {
                std::thread::sleep(LOOK);
            }
        }
        self.release_guard();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !self.handed_over {
            self.stop();
        }
    }
}

impl Launch {
    /// Keeps one earlier log, which explains a crash; with more, the logs would grow for ever.
    pub(super) fn put_log_aside(&self) -> Result<(), StartError> {
        if !self.log.exists() {
            return Ok(());
        }
        let old = self.log.with_extension("log.old");
        fs::rename(&self.log, &old).map_err(|e| StartError::folder("move", &self.log, e))
    }

    fn spawn(&self) -> Result<Child, StartError> {
        let log = File::create(&self.log).map_err(|e| StartError::folder("write", &self.log, e))?;
        let mut command = account::command(&self.program, self.account);
        command.arg("-D").arg(self.cluster.folder()).arg("-k").arg(&self.sockets);
        command.args(["-p", &PORT.to_string()]);
        let mut set = |name: &str, value: &str| {
            command.arg("-c").arg(format!("{name}={value}"));
        };
        set("listen_addresses", "");
        set("unix_socket_permissions", "0700");
        set("max_connections", &self.max_connections.to_string());
        set("timezone", "UTC");
        set("log_timezone", "UTC");
        set("lc_messages", "C");
        // The log never contains the callers' data: no failing statement, no row that violates a rule.
        set("log_min_error_statement", "panic");
        set("log_error_verbosity", "terse");
        if self.durability == Durability::OffForTests {
            set("fsync", "off");
            set("full_page_writes", "off");
            set("synchronous_commit", "off");
        }
        // A message of 4 MiB takes some 16 MiB of a server process for a moment. The C library returned them to the
        // system each time, and the next message paid 4,000 page faults. With both thresholds set, such a message
        // takes 33 ms instead of 42, and a process that had one stays 15 MB larger. Other C libraries ignore the
        // variables.
        for threshold in ["MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"] {
            command.env(threshold, KEPT_BYTES.to_string());
        }
        command.stderr(Stdio::from(log));
        command
            .spawn()
            .map_err(|source| StartError::Run { program: self.program.display().to_string(), source })
    }
}

/// Waits for the server's exit on a thread of its own, so that callers can wait with and without a runtime.
fn collect(mut child: Child) -> Result<watch::Receiver<Option<ExitStatus>>, StartError> {
    let (tell, exit) = watch::channel(None);
    std::thread::Builder::new()
        .name("postgres-exit".to_owned())
        .spawn(move || {
            let status = child.wait().unwrap_or_else(|_| ExitStatus::from_raw(-1));
            tell.send_replace(Some(status));
        })
        .map_err(|source| StartError::Run { program: "a thread".to_owned(), source })?;
    Ok(exit)
}

fn spawn_guard(server: u32, account: Option<Account>) -> Result<Child, StartError> {
    account::command(Path::new("/bin/sh"), account)
        .args(["-c", GUARD, "anchord-postgres-guard", &server.to_string()])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| StartError::Run { program: "/bin/sh".to_owned(), source })
}
