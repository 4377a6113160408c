//! `anchord wrap`: runs an agent whose model's base URL is the gateway, of a running service or of one that it starts and stops.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use secrecy::ExposeSecret as _;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::task::TaskTracker;

use super::credential::{Credential, is_local};
use super::failure::AgentEnded;
use super::prelude::*;
use crate::config;

/// The providers, when neither the service nor the agent is set to others.
const ANTHROPIC: &str = "https://api.anthropic.com";
const OPENAI: &str = "https://api.openai.com";
/// The log of a service that this command starts, in its data folder.
const LOG: &str = "wrap.log";
/// How its first line begins when it is ready.
const READY: &str = "anchord is ready on ";
/// How long a service may take to answer, to start, and to stop.
const ANSWER: Duration = Duration::from_secs(3);
const START: Duration = Duration::from_mins(2);
const STOP: Duration = Duration::from_secs(30);

/// Arguments of `wrap`.
#[derive(Args, Debug)]
#[command(after_help = "\
The agent keeps its own key of its provider. Without a service at --url, one is started for as long as the agent runs,
with the data folder of --data-dir; ANCHORD_LLM_PROVIDER and the other settings of `serve` are read from the environment.
No file of yours is changed. Without a model for summaries, the agent's own model writes them, and what code kept is
appended.

Examples:
  anchord wrap -- claude
  anchord wrap -- codex exec 'mend the tests'
  anchord wrap --assemble --session loop -- python agent.py")]
pub(super) struct Wrap {
    #[command(flatten)]
    access: config::TenantAccess,
    /// Session of all requests [default: the agent's own]
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Send the session's context in the place of lists that have grown too long, for agents that never compact
    #[arg(long)]
    assemble: bool,
    /// The agent with its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// A service that this command started.
struct Own(Child);

impl Wrap {
    pub(super) async fn run(self) -> Result<()> {
        let url: reqwest::Url = self.access.endpoint.url.parse().context("the URL of the service")?;
        let upstreams = config::upstreams_of_agents();
        let (base, own) = if answers(&url).await {
            let credential = Credential::of_tenant(&self.access, &url)?;
            (format!("{}gateway/key/{}", slashed(&url), credential.secret.expose_secret()), None)
        } else {
            anyhow::ensure!(is_local(&url), "{url} does not answer");
            let (address, own) = start(&url, &self.access.endpoint.data_dir, &upstreams).await?;
            (format!("{address}/gateway"), Some(own))
        };
        let session = self.session.as_ref().map(|name| format!("/session/{name}")).unwrap_or_default();
        let mode = if self.assemble { "/assemble" } else { "" };
        let ended = self.run_agent(&format!("{base}{session}{mode}")).await;
        if let Some(own) = own {
            own.stop().await;
        }
        let status = ended?;
        if status.success() { Ok(()) } else { Err(AgentEnded(code_of(status)).into()) }
    }

    /// Runs the agent to its end; signals reach it through the terminal's group, or from here.
    async fn run_agent(&self, base: &str) -> Result<ExitStatus> {
        let (program, arguments) = self.command.split_first().context("a command")?;
        let anthropic = format!("{base}/anthropic");
        let openai = format!("{base}/openai/v1");
        let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let mut command = Command::new(program);
        command.env("ANTHROPIC_BASE_URL", &anthropic);
        command.env("OPENAI_BASE_URL", &openai).env("OPENAI_API_BASE", &openai);
        match name {
            "codex" => {
                command.arg("-c").arg(format!("openai_base_url={openai:?}"));
            }
            "opencode" => {
                let of = |url: &str| json!({"options": {"baseURL": url}});
                let providers = json!({"anthropic": of(&format!("{anthropic}/v1")), "openai": of(&openai)});
                command.env("OPENCODE_CONFIG_CONTENT", json!({"provider": providers}).to_string());
            }
            _ => {}
        }
        let mut agent = command
            .args(arguments)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} cannot be started", program.display()))?;
        let (mut interrupted, mut ended) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        loop {
            tokio::select! {
                status = agent.wait() => return status.context("the agent"),
                // The terminal has sent it to the agent as well.
                _ = interrupted.recv() => {}
                _ = ended.recv() => terminate(&agent),
            }
        }
    }
}

impl Own {
    async fn stop(mut self) {
        terminate(&self.0);
        // One that does not end is killed when it is dropped.
        drop(tokio::time::timeout(STOP, self.0.wait()).await);
    }
}

fn terminate(child: &Child) {
    if let Some(id) = child.id().and_then(|id| i32::try_from(id).ok()) {
        // One that has ended needs none.
        let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
    }
}

/// Whether a service answers at an address.
async fn answers(url: &reqwest::Url) -> bool {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Ok(client) = reqwest::Client::builder().no_proxy().timeout(ANSWER).build() else { return false };
    let asked = client.get(format!("{}readyz", slashed(url))).send().await;
    asked.is_ok_and(|reply| reply.status().is_success())
}

fn slashed(url: &reqwest::Url) -> String {
    let text = url.as_str();
    if text.ends_with('/') { text.to_owned() } else { format!("{text}/") }
}

/// Starts a service with an embedded database, and returns its address.
async fn start(
    url: &reqwest::Url,
    data: &Path,
    [anthropic, openai]: &[Option<String>; 2],
) -> Result<(String, Own)> {
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
        .arg("--gateway-anthropic")
        .arg(anthropic.as_deref().unwrap_or(ANTHROPIC))
        .arg("--gateway-openai")
        .arg(openai.as_deref().unwrap_or(OPENAI))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(errors)
        // Ctrl-C in the terminal is for the agent.
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
    Ok((address.with_context(why)?, Own(service)))
}

/// The exit code of a command that ended like this.
fn code_of(status: ExitStatus) -> u8 {
    // As a shell tells it.
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
