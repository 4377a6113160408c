//! A service with an embedded database that a command starts and stops, when none answers at its address.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reqwest::Url;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio_util::task::TaskTracker;

/// The log of the service, in its data folder.
const LOG: &str = "wrap.log";
/// How its first line begins when it is ready.
const READY: &str = "anchord is ready on ";
/// How long a service may take to answer, to start, and to stop.
const ANSWER: Duration = Duration::from_secs(3);
const START: Duration = Duration::from_mins(2);
const STOP: Duration = Duration::from_secs(30);

/// A service that this command started.
pub(super) struct OwnService(Child);

impl OwnService {
    /// Starts a service with an embedded database, and returns its address.
    pub(super) async fn start(url: &Url, data: &Path, flags: &[&str]) -> Result<(String, Self)> {
        fs::create_dir_all(data).with_context(|| format!("the data folder {}", data.display()))?;
        let log = data.join(LOG);
        let errors = File::create(&log).with_context(|| format!("the log {}", log.display()))?;
        let host = url.host_str().unwrap_or("127.0.0.1").replace("localhost", "127.0.0.1");
        let port = url.port_or_known_default().unwrap_or(8080);
        let mut service = Command::new(std::env::current_exe().context("the path of this program")?)
            .arg("serve")
            .arg("--listen")
            .arg(format!("{host}:{port}"))
            .arg("--data-dir")
            .arg(data)
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            // Ctrl-C in the terminal is for the command.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .context("the service cannot be started")?;
        let lines = service.stdout.take().context("the service's output")?;
        let mut lines = BufReader::new(lines).lines();
        let ready = async {
            while let Ok(Some(line)) = lines.next_line().await {
                if let Some(rest) = line.strip_prefix(READY) {
                    return rest.split_whitespace().next().map(str::to_owned);
                }
            }
            None
        };
        let address = tokio::time::timeout(START, ready).await.ok().flatten();
        // What it prints behind that line must find a reader, or it ends.
        TaskTracker::new().spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let why = || format!("the service did not start; {} says why", log.display());
        Ok((address.with_context(why)?, Self(service)))
    }

    pub(super) async fn stop(mut self) {
        terminate(&self.0);
        // One that does not end is killed when it is dropped.
        drop(tokio::time::timeout(STOP, self.0.wait()).await);
    }
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
