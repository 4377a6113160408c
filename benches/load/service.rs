//! The service as a process, started as a user starts it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context as _, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::client::KEY;

/// The process, and the pipe that it greets into, which must stay open. It ends with it.
#[derive(Debug)]
pub struct Service {
    child: Child,
    _output: BufReader<ChildStdout>,
    log: PathBuf,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Drop for Service {
    fn drop(&mut self) {
        // Gone already after a stop in order; else nothing is left to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Service {
    /// Starts `anchord serve` and waits until it says that it is ready. It works on the database at
    /// `url`, or on one of its own in `folder`, where its log goes in any case.
    pub fn start(binary: &Path, flags: &str, url: Option<&str>, folder: &Path) -> anyhow::Result<Self> {
        let log = folder.join("service.log");
        let mut command = Command::new(binary);
        command.args(["serve", "--listen", "127.0.0.1:0", "--rate-limit", "0", "--data-dir"]);
        command.arg(folder.join("data")).args(flags.split_whitespace());
        command.env_remove("DATABASE_URL").env("ANCHORD_API_KEY", KEY);
        if let Some(url) = url {
            command.env("DATABASE_URL", url);
        }
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?)
            .spawn()
            .with_context(|| format!("{} does not run", binary.display()))?;
        let mut output = BufReader::new(child.stdout.take().context("a pipe")?);
        let address = greeting(&mut output);
        if address.is_err() {
            let _ = child.kill();
        }
        let address = address.with_context(|| fs::read_to_string(&log).unwrap_or_default())?;
        Ok(Self { child, _output: output, log, address })
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it in order.
    pub fn stop(mut self) -> anyhow::Result<()> {
        kill(Pid::from_raw(i32::try_from(self.child.id())?), Signal::SIGTERM)?;
        let status = self.child.wait()?;
        if !status.success() {
            let log = fs::read_to_string(&self.log).unwrap_or_default();
            bail!("the service ended with {status}: {}", log.lines().last().unwrap_or_default());
        }
        Ok(())
    }
}

/// Reads the address out of the first line that the service prints.
fn greeting(output: &mut impl BufRead) -> anyhow::Result<SocketAddr> {
    let mut line = String::new();
    output.read_line(&mut line)?;
    let address = line.split("http://").nth(1).and_then(|rest| rest.split_whitespace().next());
    address.and_then(|text| text.parse().ok()).context("the service did not become ready")
}
