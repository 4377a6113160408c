//! A service with an embedded database that commands start when none answers at its address. Commands that run at the same time
//! share it, and the last one stops it, whichever started it.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reqwest::Url;
use tokio::process::{Child, Command};

/// The log of the service, in its data folder.
const LOG: &str = "wrap.log";
/// A file that every command which uses the service holds a shared lock on; it has the id of the process that they started.
const USED: &str = "wrap.used";
/// A file whose lock a command holds while it looks for the service, starts it or stops it.
const TURN: &str = "wrap.turn";
/// The file that a service locks, with its process id.
const SERVICE: &str = "anchord.lock";
/// How long a service may take to answer, to start, and to stop.
const ANSWER: Duration = Duration::from_secs(3);
const START: Duration = Duration::from_mins(2);
const STOP: Duration = Duration::from_secs(30);
/// The pause between two looks at it.
const LOOK: Duration = Duration::from_millis(50);

/// A service that this command uses with others, or alone.
pub(super) struct OwnService {
    data: PathBuf,
    used: File,
    /// What this command started, to be waited for.
    child: Option<Child>,
}

impl OwnService {
    /// Uses the service that answers at an address of this machine, or starts one with a data folder. A service that others
    /// run without this folder is used, and left alone.
    pub(super) async fn join(url: &Url, data: &Path, flags: &[&str]) -> Result<Joined> {
        let is_there = answers(url).await;
        if is_there && !data.exists() {
            return Ok(Joined { started: None, own: None });
        }
        let folder = || format!("the data folder {}", data.display());
        fs::create_dir_all(data).with_context(folder)?;
        let locked = in_turn(data).await.and_then(|turn| Ok((turn, open(&data.join(USED))?)));
        let (turn, used) = match locked {
            Ok(locked) => locked,
            // Somebody else's folder.
            Err(_) if is_there => return Ok(Joined { started: None, own: None }),
            Err(error) => return Err(error).with_context(folder),
        };
        // Whoever stops a service has the turn, so that this waits for nobody.
        used.lock_shared().with_context(folder)?;
        let mut own = Self { data: data.to_owned(), used, child: None };
        // It may have ended, or been started, since.
        let started = if answers(url).await { None } else { Some(own.start(url, flags).await?) };
        drop(turn);
        Ok(Joined { started, own: Some(own) })
    }

    /// Starts a service, and returns its address.
    async fn start(&mut self, url: &Url, flags: &[&str]) -> Result<String> {
        let log = self.data.join(LOG);
        let errors = File::create(&log).with_context(|| format!("the log {}", log.display()))?;
        let host = url.host_str().unwrap_or("127.0.0.1").replace("localhost", "127.0.0.1");
        let address = format!("{host}:{}", url.port_or_known_default().unwrap_or(8080));
        let mut service = Command::new(std::env::current_exe().context("the path of this program")?)
            .arg("serve")
            .arg("--listen")
            .arg(&address)
            .arg("--data-dir")
            .arg(&self.data)
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors)
            // Ctrl-C in the terminal is for the command, and the service may outlive it.
            .process_group(0)
            .spawn()
            .context("the service cannot be started")?;
        fs::write(self.data.join(USED), service.id().unwrap_or_default().to_string()).context("its id")?;
        let address = format!("http://{address}");
        let at: Url = address.parse().context("the address of the service")?;
        let deadline = Instant::now() + START;
        while service.try_wait().context("the service")?.is_none() {
            if answers(&at).await {
                self.child = Some(service);
                return Ok(address);
            }
            if Instant::now() > deadline {
                terminate(&service);
                break;
            }
            tokio::time::sleep(LOOK).await;
        }
        anyhow::bail!("the service did not start; {} says why", log.display())
    }

    /// Stops the service, unless another command uses it still or it was started apart from them.
    pub(super) async fn stop(self) {
        // Without the turn it stays: better one service too many than an agent without its own.
        let Ok(turn) = in_turn(&self.data).await else { return };
        let _ = self.used.unlock();
        let is_last = matches!(self.used.try_lock(), Ok(()));
        let id = |file: &str| fs::read_to_string(self.data.join(file)).ok()?.trim().parse::<i32>().ok();
        let started = id(USED).filter(|started| is_last && id(SERVICE) == Some(*started));
        if let Some(started) = started {
            // One that has ended needs none.
            let _ = kill(Pid::from_raw(started), Signal::SIGTERM);
            drop(tokio::time::timeout(STOP, self.ended()).await);
        }
        drop(turn);
    }

    /// Waits until the service has ended.
    async fn ended(self) {
        if let Some(mut child) = self.child {
            let _ = child.wait().await;
            return;
        }
        let is_held = || {
            let lock = File::open(self.data.join(SERVICE)).map(|file| file.try_lock());
            matches!(lock, Ok(Err(TryLockError::WouldBlock)))
        };
        while is_held() {
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// A service to be used.
pub(super) struct Joined {
    /// The address of one that this command started.
    pub(super) started: Option<String>,
    /// `None` for one that is none of the commands'.
    pub(super) own: Option<OwnService>,
}

/// The turn to look for a service, start it or stop it; held until the file is dropped.
async fn in_turn(data: &Path) -> io::Result<File> {
    let turn = open(&data.join(TURN))?;
    let locked = tokio::task::spawn_blocking(move || turn.lock().map(|()| turn)).await;
    locked.map_err(io::Error::other)?
}

fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

/// Asks a child to end.
pub(super) fn terminate(child: &Child) {
    if let Some(id) = child.id().and_then(|id| i32::try_from(id).ok()) {
        // One that has ended needs none.
        let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
    }
}

/// Whether a service answers at an address.
pub(super) async fn answers(url: &Url) -> bool {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Ok(client) = reqwest::Client::builder().no_proxy().timeout(ANSWER).build() else { return false };
    let asked = client.get(format!("{}readyz", slashed(url))).send().await;
    asked.is_ok_and(|reply| reply.status().is_success())
}

/// An address with a slash at its end.
pub(super) fn slashed(url: &Url) -> String {
    let text = url.as_str();
    if text.ends_with('/') { text.to_owned() } else { format!("{text}/") }
}
