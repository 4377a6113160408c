//! `anchord export`: writes renderings of a running service's sessions to files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use secrecy::SecretString;

use super::failure;
use crate::app::Exporter;
use anchord_record::render;

/// What `export` takes.
#[derive(Args, Debug)]
pub(super) struct Export {
    /// The sessions
    #[arg(required = true, value_name = "SESSION")]
    sessions: Vec<String>,
    /// The shape of the files
    #[arg(long, default_value = "protocol")]
    style: Style,
    /// The folder that takes one file per session; it is made when it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Address of the running service
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    url: String,
    /// An API key with the scope read
    #[arg(long, env = "ANCHORD_API_KEY", value_name = "ANCHORD_API_KEY", hide_env_values = true)]
    key: Option<String>,
    /// Replace files that no export has written
    #[arg(long)]
    force: bool,
}

/// The styles of renderings.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Style {
    Protocol,
    Scratch,
    Anchored,
    Strict,
    State,
    Opaque,
}

impl From<Style> for render::Style {
    fn from(style: Style) -> Self {
        match style {
            Style::Protocol => Self::Protocol,
            Style::Scratch => Self::Scratch,
            Style::Anchored => Self::Anchored,
            Style::Strict => Self::Strict,
            Style::State => Self::State,
            Style::Opaque => Self::Opaque,
        }
    }
}

impl Export {
    #[expect(
        clippy::print_stdout,
        clippy::print_stderr,
        reason = "the command's result, and what went wrong"
    )]
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let key = self.key.filter(|key| !key.trim().is_empty());
        let Some(key) = key.map(SecretString::from) else {
            anyhow::bail!("an API key is wanted: set ANCHORD_API_KEY, or use --key");
        };
        let exporter = Exporter::new(&self.url, key, self.style.into(), self.out)?.forced(self.force);
        let mut failed = 0;
        for session in &self.sessions {
            match exporter.export(session).await {
                Ok(path) => println!("{}", path.display()),
                Err(error) => {
                    failed += 1;
                    eprintln!("anchord: {}", failure::format_error(&error));
                }
            }
        }
        if failed > 0 {
            anyhow::bail!("{failed} of {} sessions were not exported", self.sessions.len());
        }
        Ok(())
    }
}
