//! `anchord ledger`: lists the facts of a session.

use super::output::text_at;
use super::prelude::*;

/// Arguments of `ledger`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  anchord ledger planner
  anchord ledger planner --kind error
  anchord ledger planner --kind file --json | jq -r .path")]
pub(super) struct LedgerCommand {
    /// Session ID
    #[arg(value_parser = SessionName::parse)]
    session: SessionName,
    /// List only facts of this kind
    #[arg(long, value_name = "KIND")]
    kind: Option<FactKind>,
    /// Maximum number of facts to list
    #[arg(long, value_name = "COUNT", default_value_t = 200, value_parser = whole::<u32>(1..))]
    limit: u32,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    access: TenantAccess,
}

/// The kinds of facts, by their names in the API.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum FactKind {
    /// Files that were read or changed
    File,
    /// Commands that were run
    Command,
    /// Test runs
    TestRun,
    /// Errors
    Error,
    /// Versions, ports, URLs, IDs and figures
    Identifier,
    /// Constraints, word for word
    Constraint,
}

impl LedgerCommand {
    pub(super) async fn run(self) -> Result<()> {
        let remote = Remote::of_tenant(&self.access)?;
        let path = ["v1", "sessions", self.session.as_str(), "ledger"];
        let query: Vec<_> = self.kind.map(|kind| ("kind", word(&kind))).into_iter().collect();
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let table = Table::new(&["KIND", "FACT", "STATE", "MESSAGES"]);
        remote.print_list((&path, &query, limit), self.output.json, (table, "no facts"), row).await
    }
}

/// Kind, what the fact says, its state, and the messages that show it.
fn row(fact: &Value) -> Vec<Cell> {
    let text = |name: &str| fact.get(name).and_then(Value::as_str);
    let kind = text("kind").unwrap_or_default();
    let says = match kind {
        "file" => text("path").map(str::to_owned),
        "identifier" => text("key").zip(text("value")).map(|(key, value)| format!("{key}: {value}")),
        "error" => {
            let message = text("message").unwrap_or_default();
            // Many messages begin with the type.
            let named = text("type").filter(|named| !message.starts_with(named));
            Some(named.map_or_else(|| message.to_owned(), |named| format!("{named}: {message}")))
        }
        _ => text("command").or_else(|| text("text")).map(str::to_owned),
    };
    let state = match kind {
        "file" => text_at(fact, "/action").map(str::to_owned),
        "command" => match fact.get("exit_code").and_then(Value::as_i64) {
            Some(code) => Some(format!("exit code {code}")),
            None => fact
                .get("failed")
                .and_then(Value::as_bool)
                .filter(|failed| *failed)
                .map(|_| "failed".to_owned()),
        },
        "constraint" => text("source").map(str::to_owned),
        _ => text("status").or_else(|| text("outcome")).map(str::to_owned),
    };
    let seqs = fact.get("seqs").and_then(Value::as_array).into_iter().flatten();
    let seqs: Vec<String> = seqs.map(Value::to_string).collect();
    vec![
        Cell::text(Some(kind)),
        Cell::text(says.as_deref()),
        Cell::text(state.as_deref()),
        Cell::text(Some(&seqs.join(","))),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_of_fact_says_something() {
        for (fact, expected) in [
            (
                json!({"kind": "file", "path": "a.rs", "action": "modified", "seqs": [1, 2]}),
                ["a.rs", "modified", "1,2"],
            ),
            (
                json!({"kind": "command", "command": "ls", "exit_code": 2, "seqs": [3]}),
                ["ls", "exit code 2", "3"],
            ),
            (json!({"kind": "command", "command": "ls", "failed": false, "seqs": []}), ["ls", "", ""]),
            (
                json!({"kind": "test_run", "command": "cargo test", "outcome": "passed", "seqs": [4]}),
                ["cargo test", "passed", "4"],
            ),
            (
                json!({"kind": "error", "type": "E0308", "message": "mismatched types", "status": "open", "seqs": [5]}),
                ["E0308: mismatched types", "open", "5"],
            ),
            (
                json!({"kind": "identifier", "key": "port", "value": "8080", "seqs": [6]}),
                ["port: 8080", "", "6"],
            ),
            (
                json!({"kind": "constraint", "text": "Never push.", "source": "pin", "seqs": []}),
                ["Never push.", "pin", ""],
            ),
        ] {
            let row: Vec<String> = row(&fact).iter().skip(1).map(|cell| cell.program().to_owned()).collect();
            assert_eq!(row, expected, "{fact}");
        }
    }
}
