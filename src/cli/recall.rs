//! `anchord recall`: searches the messages of a session.

use super::output::{count_at, figure_at, text_at};
use super::prelude::*;

/// Arguments of `recall`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  anchord recall planner why does parse_config fail
  anchord recall planner src/config.rs --limit 3
  anchord recall planner 'the staging password' --json")]
pub(super) struct RecallCommand {
    /// Session ID
    #[arg(value_parser = SessionName::parse)]
    session: SessionName,
    /// What to look for: a question, words, an identifier or a path
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// Maximum number of hits, 1 to 100
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = whole::<u32>(1..=100))]
    limit: u32,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    access: TenantAccess,
}

impl RecallCommand {
    pub(super) async fn run(self) -> Result<()> {
        let remote = Remote::of_tenant(&self.access)?;
        let query = [("q", self.query.join(" ")), ("limit", self.limit.to_string())];
        let found = remote.read(&["v1", "sessions", self.session.as_str(), "recall"], &query).await?;
        if self.output.json {
            return output::print_json(&found);
        }
        let mut table = Table::new(&["MESSAGE", "ROLE", "SCORE", "TEXT"]);
        for hit in found.get("items").and_then(Value::as_array).into_iter().flatten() {
            table.push(vec![
                Cell::count(count_at(hit, "/seq")),
                Cell::text(text_at(hit, "/role")),
                Cell::figure(figure_at(hit, "/score")),
                Cell::text(text_at(hit, "/snippet")),
            ]);
        }
        table.print("no message matches")
    }
}
