//! `anchord export`: writes summaries of a running service's sessions to files.

use std::path::PathBuf;

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};

use super::failure;
use super::files::Files;
use super::prelude::*;
use super::summary::Style;

/// Arguments of `export`.
#[derive(Args, Debug)]
#[command(after_help = "\
A file is written whole or not at all. It replaces only an earlier export of the same session, unless --force is given.
A session without a summary has nothing to export: it is named on standard error and passed over.

Examples:
  anchord export --out notes planner cart-agent
  anchord sessions list --task release-42 | cut -f1 | xargs anchord export --out notes --style scratch")]
pub(super) struct Export {
    /// Session IDs
    #[arg(required = true, value_name = "SESSION", value_parser = SessionName::parse)]
    sessions: Vec<SessionName>,
    /// Layout of the files
    #[arg(long, value_name = "STYLE", default_value = "protocol")]
    style: Style,
    /// Folder for the files, one for each session; created when it does not exist
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Replace files that were not written by an export
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    access: TenantAccess,
}

impl Export {
    pub(super) async fn run(self) -> Result<()> {
        let remote = Remote::of_tenant(&self.access)?;
        let files = Files { folder: self.out, style: self.style, force: self.force };
        let total = self.sessions.len();
        // Only drawn on a terminal.
        let progress = ProgressBar::new(u64::try_from(total).unwrap_or(u64::MAX));
        progress.set_style(ProgressStyle::with_template("{bar:40} {pos} of {len} sessions")?);
        let mut failed = 0;
        for session in &self.sessions {
            let exported = export(&remote, &files, session).await;
            progress.inc(1);
            progress.suspend(|| match exported {
                Ok(None) => {
                    output::note(&format!(
                        "anchord: session {session} has no summary yet; nothing is written"
                    ));
                    Ok(())
                }
                Ok(Some(path)) if self.output.json => {
                    output::print_json_line(&json!({"session_id": session, "file": path}))
                }
                Ok(Some(path)) => output::print(&format!("{}\n", path.display())),
                Err(error) => {
                    failed += 1;
                    output::note(&format!("anchord: {}", failure::format_error(&error)));
                    Ok(())
                }
            })?;
        }
        progress.finish_and_clear();
        if failed > 0 {
            anyhow::bail!("{failed} of {total} sessions were not exported");
        }
        Ok(())
    }
}

/// Writes a session's summary; `None` when it has none.
async fn export(remote: &Remote, files: &Files, session: &SessionName) -> Result<Option<PathBuf>> {
    let path = ["v1", "sessions", session.as_str(), "summary"];
    let query = [("style", word(&files.style))];
    let reply = remote.get(&path, &query, Some("text/markdown, text/plain, application/json")).await?;
    if reply.is_of("no-summary") {
        return Ok(None);
    }
    let told = if reply.status.is_success() { Ok(reply.text) } else { Err(remote.refusal(&reply)) };
    told.and_then(|text| files.write(session, &text)).map(Some).with_context(|| format!("session {session}"))
}
