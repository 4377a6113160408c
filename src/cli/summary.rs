//! `anchord summary`: prints a session's summary.

use super::prelude::*;

/// Arguments of `summary`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  anchord summary planner
  anchord summary planner --style protocol > notes.md
  anchord summary planner --of-version 3 --json")]
pub(super) struct SummaryCommand {
    /// Session ID
    #[arg(value_parser = SessionName::parse)]
    session: SessionName,
    /// Layout of the text
    #[arg(long, value_name = "STYLE", default_value = "anchored", conflicts_with = "json")]
    style: Style,
    /// Maximum number of tokens of the text [default: the session's max_summary_tokens]
    #[arg(long, value_name = "TOKENS", conflicts_with = "json")]
    max_tokens: Option<u32>,
    /// Print an earlier version of the summary [default: the current one]
    #[arg(long, value_name = "NUMBER")]
    of_version: Option<u64>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    access: TenantAccess,
}

/// The layouts of a summary, by their names on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Style {
    /// Markdown, as the agent gets it
    Anchored,
    /// Markdown, with a sentence in every empty section
    Strict,
    /// Markdown with tables, under the task's name
    Protocol,
    /// Short Markdown for a scratch pad
    Scratch,
    /// JSON for a session state file
    State,
    /// Plain text in one dense line
    Opaque,
}

impl SummaryCommand {
    pub(super) async fn run(self) -> Result<()> {
        let remote = Remote::of_tenant(&self.access)?;
        let number = self.of_version.map(|number| number.to_string());
        let session = self.session.as_str();
        let path = match &number {
            Some(number) => vec!["v1", "sessions", session, "summaries", number],
            None => vec!["v1", "sessions", session, "summary"],
        };
        if self.output.json {
            return output::print_json(&remote.read(&path, &[]).await?);
        }
        let mut query = vec![("style", word(&self.style))];
        query.extend(self.max_tokens.map(|most| ("max_tokens", most.to_string())));
        let reply = remote.get(&path, &query, Some("text/markdown, text/plain, application/json")).await?;
        if !reply.status.is_success() {
            let version = self.of_version.map(|number| format!(", version {number}")).unwrap_or_default();
            return Err(remote.refusal(&reply).context(format!("session {session}{version}")));
        }
        output::print_foreign(&reply.text)
    }
}
