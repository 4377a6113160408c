//! `anchord wrap`: runs an agent whose model's base URL is the gateway, of a running service or of one that it starts and stops.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;

use anyhow::Context as _;
use secrecy::ExposeSecret as _;
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};

use super::credential::{Credential, is_local};
use super::failure::AgentEnded;
use super::own_service::{Joined, OwnService, answers, slashed, terminate};
use super::prelude::*;
use crate::config;

/// The providers, when neither the service nor the agent is set to others.
const ANTHROPIC: &str = "https://api.anthropic.com";
const OPENAI: &str = "https://api.openai.com";

/// Arguments of `wrap`.
#[derive(Args, Debug)]
#[command(after_help = "\
The agent keeps its own key of its provider. Without a service at --url, one is started for as long as agents run that
were wrapped with the data folder of --data-dir; ANCHORD_LLM_PROVIDER and the other settings of `serve` are read from the environment.
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

impl Wrap {
    pub(super) async fn run(self) -> Result<()> {
        let url: reqwest::Url = self.access.endpoint.url.parse().context("the URL of the service")?;
        let upstreams = config::upstreams_of_agents();
        let [anthropic, openai] = &upstreams;
        let flags = [
            "--gateway-anthropic",
            anthropic.as_deref().unwrap_or(ANTHROPIC),
            "--gateway-openai",
            openai.as_deref().unwrap_or(OPENAI),
        ];
        let Joined { started, own } = if is_local(&url) {
            OwnService::join(&url, &self.access.endpoint.data_dir, &flags).await?
        } else {
            anyhow::ensure!(answers(&url).await, "{url} does not answer");
            Joined { started: None, own: None }
        };
        let base = if let Some(address) = started {
            format!("{address}/gateway")
        } else {
            let credential = Credential::of_tenant(&self.access, &url)?;
            format!("{}gateway/key/{}", slashed(&url), credential.secret.expose_secret())
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

/// The exit code of a command that ended like this.
fn code_of(status: ExitStatus) -> u8 {
    // As a shell tells it.
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
