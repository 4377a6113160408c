//! `anchord sessions`: lists, shows and deletes sessions.

use chrono::{DateTime, FixedOffset, NaiveDate};
use clap::Subcommand;
use reqwest::Method;

use super::context::plain;
use super::output::{Fields, count_at, counted, figure_at, text_at};
use super::prelude::*;

/// Arguments of `sessions`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  anchord sessions list
  anchord sessions list --task release-42 --limit 10
  anchord sessions list --json | jq -r .session_id
  anchord sessions show planner
  anchord sessions delete planner --yes")]
pub(super) struct SessionsCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    access: TenantAccess,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List sessions, newest first
    List(Filter),
    /// Show one session
    Show {
        /// Session ID
        #[arg(value_parser = SessionName::parse)]
        session: SessionName,
    },
    /// Delete a session with its messages and summaries; this cannot be undone
    Delete {
        /// Session ID
        #[arg(value_parser = SessionName::parse)]
        session: SessionName,
        /// Confirm the deletion
        #[arg(long, required = true)]
        yes: bool,
    },
}

/// Which sessions to list.
#[derive(Args, Debug)]
struct Filter {
    /// List only sessions of this task
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// List only sessions that this session started
    #[arg(long, value_name = "SESSION", value_parser = SessionName::parse)]
    parent: Option<SessionName>,
    /// List only sessions written to at or after this time, such as 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    updated_since: Option<DateTime<FixedOffset>>,
    /// Maximum number of sessions to list
    #[arg(long, value_name = "COUNT", default_value_t = 50, value_parser = whole::<u32>(1..))]
    limit: u32,
}

/// Parses a time, or a date, which stands for its beginning in UTC.
fn time(text: &str) -> Result<DateTime<FixedOffset>, String> {
    let date = || text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0).map(|at| at.and_utc().fixed_offset());
    let at = DateTime::parse_from_rfc3339(text).ok().or_else(date);
    at.ok_or_else(|| "must be a time such as 2026-01-31T12:00:00Z, or a date such as 2026-01-31".to_owned())
}

impl Filter {
    fn query(&self) -> Vec<(&'static str, String)> {
        let mut query = Vec::new();
        query.extend(self.task.clone().map(|task| ("task_id", task)));
        query.extend(self.parent.as_ref().map(|parent| ("parent_session_id", parent.to_string())));
        query.extend(self.updated_since.map(|at| ("updated_since", output::second(at.to_utc()))));
        query
    }
}

impl SessionsCommand {
    pub(super) async fn run(self) -> Result<()> {
        let remote = Remote::of_tenant(&self.access)?;
        match self.action {
            Action::List(filter) => list(&remote, &filter, self.output.json).await,
            Action::Show { session } => {
                let shown = remote.read(&["v1", "sessions", session.as_str()], &[]).await?;
                if self.output.json { output::print_json(&shown) } else { show(&shown) }
            }
            Action::Delete { session, .. } => {
                remote.write(Method::DELETE, &["v1", "sessions", session.as_str()], None).await?;
                if self.output.json {
                    return output::print_json(&serde_json::json!({"session_id": session, "deleted": true}));
                }
                output::print(&format!("deleted session {session}\n"))
            }
        }
    }
}

async fn list(remote: &Remote, filter: &Filter, json: bool) -> Result<()> {
    let table = Table::new(&["SESSION", "MESSAGES", "TOKENS", "USED", "SUMMARY", "COMPRESSION", "UPDATED"]);
    let limit = usize::try_from(filter.limit).unwrap_or(usize::MAX);
    let asked: (&[&str], &[_], _) = (&["v1", "sessions"], &filter.query(), limit);
    let row = |session: &Value| {
        vec![
            Cell::id(text_at(session, "/session_id")),
            Cell::count(count_at(session, "/head_seq")),
            Cell::count(count_at(session, "/usage/context_tokens")),
            Cell::share(figure_at(session, "/usage/effective_utilization")),
            version(session),
            Cell::text(text_at(session, "/compression/status")),
            Cell::time(text_at(session, "/updated_at")),
        ]
    };
    remote.print_list(asked, json, (table, "no sessions"), row).await
}

/// The number of the summary version.
fn version(session: &Value) -> Cell {
    let version = count_at(session, "/summary_version");
    let spelled = version.map(|version| (format!("version {version}"), version.to_string()));
    spelled.map_or_else(|| Cell::text(None), |(person, program)| Cell::spelled(&person, &program))
}

fn show(session: &Value) -> Result<()> {
    let mut fields = Fields::default();
    let head = count_at(session, "/head_seq").unwrap_or_default();
    fields.push("session", Cell::text(text_at(session, "/session_id")));
    fields.push("messages", Cell::count(Some(head)));
    fields.push("tokens", Cell::count(count_at(session, "/usage/context_tokens")));
    fields.push("window", Cell::count(count_at(session, "/usage/effective_window")));
    fields.push("used", Cell::share(figure_at(session, "/usage/effective_utilization")));
    fields.push("summary", version(session));
    let anchor = count_at(session, "/anchor_seq").filter(|anchor| *anchor > 0);
    if let Some(anchor) = anchor {
        let person = format!("the first {}", counted(anchor, "message"));
        fields.push("covers", Cell::spelled(&person, &anchor.to_string()));
    }
    fields.push("compression", Cell::text(text_at(session, "/compression/status")));
    for (name, setting) in
        [("task", "task_id"), ("parent", "parent_session_id"), ("user", "user"), ("model", "model")]
    {
        let told = ["/settings", ""].iter().find_map(|base| text_at(session, &format!("{base}/{setting}")));
        if told.is_some() {
            fields.push(name, Cell::text(told));
        }
    }
    let metadata = ["/settings/metadata", "/metadata"].iter().find_map(|place| session.pointer(place));
    if let Some(metadata) = metadata.and_then(Value::as_object).filter(|metadata| !metadata.is_empty()) {
        let told: Vec<String> =
            metadata.iter().map(|(key, value)| format!("{key}={}", plain(value))).collect();
        fields.push("metadata", Cell::text(Some(&told.join(", "))));
    }
    fields.push("created", Cell::time(text_at(session, "/created_at")));
    fields.push("updated", Cell::time(text_at(session, "/updated_at")));
    fields.print()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_a_query() {
        let filter = Filter {
            task: Some("release 42".to_owned()),
            parent: None,
            updated_since: DateTime::parse_from_rfc3339("2026-01-31T13:00:00+01:00").ok(),
            limit: 5,
        };
        let query = filter.query();
        assert_eq!(
            query,
            [("task_id", "release 42".to_owned()), ("updated_since", "2026-01-31T12:00:00Z".to_owned())]
        );
    }
}
