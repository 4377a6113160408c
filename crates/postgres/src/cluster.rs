//! The cluster's folder: makes it, whole or not at all, and finds out whether a server runs on it.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::account::{self, Account};
use super::config::{DATABASE, Durability, OWNER, PORT, SUPERUSER, WORKING_ROLE};
use super::error::StartError;
use super::folder;
use super::programs::Programs;

/// How long a left-behind server has to stop after SIGINT, and then after SIGQUIT.
const FAST_STOP: Duration = Duration::from_mins(1);
const IMMEDIATE_STOP: Duration = Duration::from_secs(10);
/// How often a state is polled that cannot be waited for.
pub(super) const LOOK: Duration = Duration::from_millis(5);

/// The access rules: every process that can open the private socket may connect, and nobody else.
const HBA: &str = "# Written by anchord: the socket's folder has mode 0700 and no port is open.\n\
                   local all all trust\n";

/// A cluster's folder.
#[derive(Debug)]
pub(super) struct Cluster {
    folder: PathBuf,
}

/// The content of `postmaster.pid`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PidFile {
    pub(super) pid: i32,
    pub(super) ready: bool,
}

impl Cluster {
    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn exists(&self) -> bool {
        self.folder.join("PG_VERSION").exists()
    }

    /// The major version that made the cluster; `None` before it is made.
    pub(super) fn major(&self) -> Result<Option<u32>, StartError> {
        if !self.exists() {
            return Ok(None);
        }
        let path = self.folder.join("PG_VERSION");
        let text = fs::read_to_string(&path).map_err(|e| StartError::folder("read", &path, e))?;
        Ok(text.trim().parse().ok())
    }

    /// Makes the cluster with the service's role and database.
    ///
    /// It is made in a temporary place and moved last, so that a start that is killed half-way leaves nothing that
    /// looks like a cluster.
    pub(super) fn make(
        &self,
        programs: &Programs,
        account: Option<Account>,
        durability: Durability,
    ) -> Result<(), StartError> {
        let unfinished = self.folder.with_extension("unfinished");
        // Character classes beyond ASCII need a locale that has them. Sorting stays bytewise, so that a system update
        // cannot change the order that indexes were built in.
        let mut tried = Err(StartError::NoAccount);
        for ctype in ["C.UTF-8", "en_US.UTF-8", "C"] {
            if unfinished.exists() {
                fs::remove_dir_all(&unfinished).map_err(|e| StartError::folder("remove", &unfinished, e))?;
            }
            fs::create_dir(&unfinished).map_err(|e| StartError::folder("make the folder", &unfinished, e))?;
            folder::set_mode(&unfinished, 0o700)?;
            folder::give(&unfinished, account)?;
            tried = initdb(programs, account, &unfinished, (ctype, durability));
            if tried.is_ok() {
                break;
            }
        }
        tried?;
        let hba = unfinished.join("pg_hba.conf");
        fs::write(&hba, HBA).map_err(|e| StartError::folder("write", &hba, e))?;
        let roles = restricted_roles();
        let statements =
            format!("create role {OWNER} login;\ncreate database {DATABASE} owner {OWNER};\n{roles}");
        single_user(programs, account, &unfinished, &statements)?;
        fs::rename(&unfinished, &self.folder)
            .map_err(|e| StartError::folder("move into place", &unfinished, e))
    }

    /// Reads `postmaster.pid`; `None` when there is none, or it names no process.
    pub(super) fn pid_file(&self) -> Option<PidFile> {
        parse_pid_file(&fs::read_to_string(self.pid_path()).ok()?)
    }

    fn pid_path(&self) -> PathBuf {
        self.folder.join("postmaster.pid")
    }

    /// Stops a server that a killed service left behind. Removes a pid file whose process is not this server, because
    /// Postgres would refuse to start although only the process id was reused.
    ///
    /// The caller holds the data folder's lock, so that nobody else starts a server meanwhile.
    pub(super) fn stop_left_behind(&self) -> Result<(), StartError> {
        let Some(PidFile { pid, .. }) = self.pid_file() else { return Ok(()) };
        match self.is_served_by(pid) {
            Some(true) => stop(pid)?,
            Some(false) => {}
            // Unknown: leave it to the check of Postgres itself, which reports what it finds.
            None => return Ok(()),
        }
        remove(&self.pid_path())
    }

    /// Removes the lock file of the server's socket once no server is left; like the pid file, it names a process. In
    /// a container without an init, a killed server stays in the process list for ever, and Postgres would take it
    /// for a running one.
    pub(super) fn free_socket(&self, sockets: &Path) -> Result<(), StartError> {
        if self.pid_path().exists() {
            return Ok(());
        }
        remove(&sockets.join(format!(".s.PGSQL.{PORT}.lock")))
    }

    /// Whether the process is this cluster's server; `None` when the system does not show it.
    fn is_served_by(&self, pid: i32) -> Option<bool> {
        if !is_running(pid) {
            return Some(false);
        }
        let folder = self.folder.to_string_lossy();
        // Every user may read the command line; the working folder, in a container, may be closed.
        if let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) {
            let line = String::from_utf8_lossy(&line);
            return serves(&line, &folder);
        }
        let ps = std::process::Command::new("ps").args(["-o", "args=", "-p", &pid.to_string()]).output();
        let args = ps.ok().filter(|o| o.status.success())?.stdout;
        let args = String::from_utf8_lossy(&args);
        let program = args.split_whitespace().next().unwrap_or_default();
        (!is_postgres(program)).then_some(false).or_else(|| args.contains(&*folder).then_some(true))
    }
}

fn stop(pid: i32) -> Result<(), StartError> {
    tracing::info!(postgres.pid = pid, "stopping the server that an earlier service left behind");
    for (signal, patience) in [(Signal::SIGINT, FAST_STOP), (Signal::SIGQUIT, IMMEDIATE_STOP)] {
        // Ignore the result: the loop below checks whether the process is gone.
        let _ = kill(Pid::from_raw(pid), signal);
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            if !is_running(pid) {
                return Ok(());
            }
            std::thread::sleep(LOOK);
        }
    }
    Err(StartError::LeftBehind { pid })
}

/// Removes a file that may be gone already.
fn remove(path: &Path) -> Result<(), StartError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(StartError::folder("remove", path, e)),
        _ => Ok(()),
    }
}

/// Whether the command line (words that end with a zero byte) is that of the folder's server; `None` when it does not
/// show it.
fn serves(line: &str, folder: &str) -> Option<bool> {
    let mut words = line.split('\0');
    let program = words.next().unwrap_or_default();
    // Only processes that a server starts for its work replace their command line by a title.
    if !is_postgres(program) || program.starts_with("postgres: ") {
        return Some(false);
    }
    let mut named = words.skip_while(|word| *word != "-D").skip(1);
    match named.next() {
        Some(named) if named.starts_with('/') => is_same(Path::new(named), Path::new(folder)),
        // A relative folder, or none: PGDATA may name it.
        _ => None,
    }
}

/// Whether two paths lead to the same folder; `None` when one of them leads nowhere. A folder that was moved, or is
/// mounted elsewhere, must not count as another one, because its server would lose its pid file.
fn is_same(named: &Path, folder: &Path) -> Option<bool> {
    if named == folder {
        return Some(true);
    }
    let (named, folder) = (fs::metadata(named).ok()?, fs::metadata(folder).ok()?);
    Some((named.dev(), named.ino()) == (folder.dev(), folder.ino()))
}

fn is_postgres(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or_default();
    name.starts_with("postgres") || name.starts_with("postmaster")
}

/// Whether a process runs; a zombie does not.
fn is_running(pid: i32) -> bool {
    if matches!(kill(Pid::from_raw(pid), None), Err(nix::errno::Errno::ESRCH)) {
        return false;
    }
    // In a container without an init, an orphan stays a zombie. The state follows the name, which is in parentheses
    // and may contain parentheses.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['Z', 'X']))
}

fn parse_pid_file(text: &str) -> Option<PidFile> {
    // Lines: pid, folder, start time, port, socket folder, listen address, shared memory, status.
    let mut lines = text.lines();
    let pid: i32 = lines.next()?.trim().parse().ok().filter(|pid| *pid > 1)?;
    Some(PidFile { pid, ready: lines.nth(6).is_some_and(|status| status.trim() == "ready") })
}

fn initdb(
    programs: &Programs,
    account: Option<Account>,
    folder: &Path,
    (ctype, durability): (&str, Durability),
) -> Result<(), StartError> {
    let mut command = account::command(&programs.initdb, account);
    // Bytewise order, because collations of the C library change with system updates and then corrupt indexes on text
    // without an error. Nothing here is sorted for people.
    command.arg("-D").arg(folder).args(["-U", SUPERUSER, "--encoding=UTF8", "--locale=C"]);
    // A damaged page is an error when it is read, and not a wrong answer.
    command.arg("--data-checksums");
    command.arg(format!("--lc-ctype={ctype}")).args(["--auth-local=trust", "--auth-host=reject"]);
    // LC_ALL overrides these variables.
    command.env_remove("LC_ALL").env("LC_CTYPE", ctype).env("LC_MESSAGES", "C");
    if durability == Durability::OffForTests {
        command.arg("--no-sync");
    }
    let said = command.stderr(Stdio::piped()).output();
    check(&programs.initdb, said)
}

/// The statements that make the working role, and leave the owner no right over roles.
fn restricted_roles() -> String {
    format!(
        "create role {WORKING_ROLE} nologin;\n\
         grant {WORKING_ROLE} to {OWNER};\n\
         alter role {OWNER} nosuperuser nocreaterole nocreatedb nobypassrls noreplication;\n"
    )
}

/// Runs statements in single-user mode, so that no connection as the superuser is ever needed. That mode takes one
/// statement per line.
fn single_user(
    programs: &Programs,
    account: Option<Account>,
    folder: &Path,
    statements: &str,
) -> Result<(), StartError> {
    let run = |source| StartError::Run { program: programs.postgres.display().to_string(), source };
    let mut child = account::command(&programs.postgres, account)
        .args(["--single", "-c", "exit_on_error=on", "-D"])
        .arg(folder)
        .arg("postgres")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(run)?;
    let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(statements.as_bytes()));
    let said = child.wait_with_output();
    // Report the program's own error first: a program that ended early explains a broken pipe.
    check(&programs.postgres, said)?;
    written.map_err(run)
}

fn check(program: &Path, said: std::io::Result<Output>) -> Result<(), StartError> {
    let program = program.display().to_string();
    match said {
        Err(source) => Err(StartError::Run { program, source }),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(StartError::Failed {
            program,
            output: last_lines(&String::from_utf8_lossy(&output.stderr), &output.status.to_string()),
        }),
    }
}

/// The end of a program's output, on one line; its exit status when there is none.
pub(super) fn last_lines(said: &str, status: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.iter().skip(lines.len().saturating_sub(4)).copied().collect::<Vec<_>>();
    if last.is_empty() { status.to_owned() } else { last.join(" · ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pid_file_tells_the_process_and_whether_it_is_ready() {
        let ready = "4711\n/data/cluster\n1700000000\n5432\n/data/sockets\n\n  1 2\nready   \n";
        assert_eq!(parse_pid_file(ready), Some(PidFile { pid: 4711, ready: true }));
        let starting = ready.replace("ready   ", "starting");
        assert_eq!(parse_pid_file(&starting), Some(PidFile { pid: 4711, ready: false }));
        assert_eq!(parse_pid_file("4711\n"), Some(PidFile { pid: 4711, ready: false }));
        for broken in ["", "\n", "x\n", "0\n", "-1\n", "1\n"] {
            assert_eq!(parse_pid_file(broken), None, "{broken:?}");
        }
    }

    #[test]
    fn a_pid_file_that_names_a_stranger_is_removed_and_the_stranger_lives() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut stranger = std::process::Command::new("sleep").arg("60").spawn().expect("a process");
        let path = folder.path().join("postmaster.pid");
        fs::write(&path, format!("{}\n{}\n", stranger.id(), folder.path().display())).expect("a file");
        let cluster = Cluster::at(folder.path().canonicalize().expect("a folder"));
        cluster.stop_left_behind().expect("a stale file is no obstacle");
        assert!(!path.exists());
        assert!(stranger.try_wait().expect("a child").is_none(), "the stranger was stopped");
        stranger.kill().expect("a child of ours");
        stranger.wait().expect("a child of ours");
    }

    #[test]
    fn a_command_line_tells_whose_server_a_process_is() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| root.path().join(name).display().to_string();
        let (cluster, main, moved, link) = (at("cluster"), at("main"), at("moved"), at("link"));
        for folder in [&cluster, &main] {
            fs::create_dir(folder).expect("a folder");
        }
        std::os::unix::fs::symlink(&cluster, &link).expect("a link");
        let of = |words: &[&str]| serves(&words.join("\0"), &cluster);
        assert_eq!(of(&["/usr/bin/postgres", "-D", &cluster, "-k", "/data/sockets", ""]), Some(true));
        assert_eq!(of(&["/usr/bin/postgres", "-D", &link, ""]), Some(true));
        // A number that was used again, by the system's own server and by a client's process.
        assert_eq!(of(&["/usr/bin/postgres", "-D", &main, "-c", "port=1", ""]), Some(false));
        assert_eq!(of(&["postgres: anchord anchord [local] idle", "", ""]), Some(false));
        assert_eq!(of(&["/bin/sleep", &cluster, ""]), Some(false));
        for untold in [&["-D", moved.as_str()][..], &["-D", "cluster"], &["-D"], &[]] {
            assert_eq!(of(&[&["postgres"], untold].concat()), None, "{untold:?}");
        }
    }

    #[test]
    fn the_lock_of_a_socket_goes_with_the_server_that_left_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (pid, lock) = (folder.path().join("postmaster.pid"), folder.path().join(".s.PGSQL.5432.lock"));
        let cluster = Cluster::at(folder.path().to_owned());
        cluster.free_socket(folder.path()).expect("nothing to remove");
        for file in [&pid, &lock] {
            fs::write(file, "4711\n").expect("a file");
        }
        cluster.free_socket(folder.path()).expect("a server that may run");
        assert!(lock.exists(), "a server that may run lost its lock");
        fs::remove_file(&pid).expect("a file");
        cluster.free_socket(folder.path()).expect("a lock to remove");
        assert!(!lock.exists());
    }

    #[test]
    fn a_process_that_has_ended_does_not_run() {
        let mut child = std::process::Command::new("true").spawn().expect("a process");
        let pid = i32::try_from(child.id()).expect("a process id");
        child.wait().expect("a child of ours");
        assert!(!is_running(pid));
    }

    #[test]
    fn a_failure_is_told_by_the_last_words() {
        assert_eq!(last_lines("a\n\nb\nc\nd\ne\n", "exit 1"), "b · c · d · e");
        assert_eq!(last_lines("\n", "exit 1"), "exit 1");
    }
}
