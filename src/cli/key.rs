//! `anchord key`: creates, lists, rotates and revokes API keys of a running service's tenants.

use chrono::TimeDelta;
use clap::Subcommand;
use reqwest::Method;

use super::output::text_at;
use super::prelude::*;
use super::tenant;
use crate::config::OperatorAccess;
use anchord_messages::id::KeyId;
use anchord_runtime::clock::Clock;

/// Arguments of `key`.
#[derive(Args, Debug)]
#[command(after_help = "\
These commands need the operator token of the service, as `anchord tenant` does: see `anchord tenant --help`.

Examples:
  anchord key create acme --scopes read,write --name orchestrator
  anchord key create acme --days 30 --json | jq -r .key
  anchord key list acme
  anchord key rotate acme key_0198f3c2a1b47c3d8e5f60718293a4b5 --overlap-hours 2
  anchord key revoke acme key_0198f3c2a1b47c3d8e5f60718293a4b5")]
pub(super) struct KeyCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    access: OperatorAccess,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a key and print its ID and the key. The key cannot be shown again
    Create {
        /// Name or ID of the tenant
        tenant: String,
        /// What the key may do
        #[arg(long, value_delimiter = ',', default_value = "read,write")]
        scopes: Vec<Scope>,
        /// Name for the key
        #[arg(long)]
        name: Option<String>,
        /// Number of days until the key expires [default: it does not expire]
        #[arg(long, value_parser = whole::<u32>(1..=36_500))]
        days: Option<u32>,
    },
    /// List a tenant's keys, oldest first
    List {
        /// Name or ID of the tenant
        tenant: String,
    },
    /// Revoke a key at once
    Revoke {
        /// Name or ID of the tenant
        tenant: String,
        /// ID of the key
        #[arg(value_parser = key_id)]
        key: KeyId,
    },
    /// Replace a key with a new one of the same scopes. Both are valid for a while
    Rotate {
        /// Name or ID of the tenant
        tenant: String,
        /// ID of the key to replace
        #[arg(value_parser = key_id)]
        key: KeyId,
        /// Number of hours for which the old key stays valid
        #[arg(long, default_value = "24", value_parser = whole::<u32>(0..=720))]
        overlap_hours: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// Read sessions
    Read,
    /// Append messages, change and delete sessions
    Write,
    /// Manage keys, webhooks and the tenant's settings
    Admin,
    /// Call the gateway alone
    Gateway,
}

fn key_id(text: &str) -> Result<KeyId, &'static str> {
    KeyId::parse(text).ok_or("the ID of a key begins with key_; `anchord key list TENANT` shows them")
}

impl KeyCommand {
    pub(super) async fn run(self) -> Result<()> {
        let remote = Remote::of_operator(&self.access)?;
        let json = self.output.json;
        match self.action {
            Action::Create { tenant, scopes, name, days } => {
                let id = tenant::find(&remote, &tenant).await?;
                let ends = days.map(|days| Clock::system().now() + TimeDelta::days(days.into()));
                let scopes: Vec<String> = scopes.iter().map(word).collect();
                let body = json!({"scopes": scopes, "name": name, "expires_at": ends.map(output::second)});
                let path = ["v1", "admin", "tenants", &id, "keys"];
                print_created(&remote.write(Method::POST, &path, Some(&body)).await?, json)
            }
            Action::List { tenant } => list(&remote, &tenant, json).await,
            Action::Revoke { tenant, key } => {
                let (id, key) = (tenant::find(&remote, &tenant).await?, key.to_string());
                let path = ["v1", "admin", "tenants", &id, "keys", &key];
                remote.write(Method::DELETE, &path, None).await?;
                if json {
                    return output::print_json(&json!({"id": key, "revoked": true}));
                }
                output::print(&format!("revoked key {key}\n"))
            }
            Action::Rotate { tenant, key, overlap_hours } => {
                let (id, key) = (tenant::find(&remote, &tenant).await?, key.to_string());
                let body = json!({"overlap_seconds": u64::from(overlap_hours) * 3_600});
                let path = ["v1", "admin", "tenants", &id, "keys", &key, "rotate"];
                print_created(&remote.write(Method::POST, &path, Some(&body)).await?, json)
            }
        }
    }
}

/// Prints a new key, which nobody can read again.
fn print_created(key: &Value, json: bool) -> Result<()> {
    if json {
        return output::print_json(key);
    }
    let mut table = Table::new(&["ID", "KEY"]);
    table.push(["/id", "/key"].map(|place| Cell::id(text_at(key, place))).into());
    table.print("")?;
    if output::is_terminal() {
        output::note("Store the key now: it cannot be shown again.");
    }
    Ok(())
}

async fn list(remote: &Remote, tenant: &str, json: bool) -> Result<()> {
    let id = tenant::find(remote, tenant).await?;
    let table = Table::new(&["ID", "PREFIX", "SCOPES", "STATUS", "EXPIRES", "LAST USED", "NAME"]);
    let path = ["v1", "admin", "tenants", &id, "keys"];
    remote.print_list((&path, &[], usize::MAX), json, (table, "no keys"), row).await
}

fn row(key: &Value) -> Vec<Cell> {
    let scopes = key.get("scopes").and_then(Value::as_array).into_iter().flatten();
    let scopes: Vec<&str> = scopes.filter_map(Value::as_str).collect();
    let expires = text_at(key, "/expires_at");
    let is_over = expires.and_then(output::read_time).is_some_and(|end| end <= Clock::system().now());
    let status = match text_at(key, "/revoked_at") {
        Some(_) => "revoked",
        None if is_over => "expired",
        None => "active",
    };
    vec![
        Cell::id(text_at(key, "/id")),
        Cell::id(text_at(key, "/prefix")),
        Cell::text(Some(&scopes.join(","))),
        Cell::text(Some(status)),
        Cell::time(expires),
        Cell::time(text_at(key, "/last_used_at")),
        Cell::text(text_at(key, "/name")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_a_status() {
        let status = |key: Value| row(&key).get(3).map(|cell| cell.program().to_owned());
        let past = "2020-01-01T00:00:00Z";
        assert_eq!(status(json!({"expires_at": null, "revoked_at": null})).as_deref(), Some("active"));
        assert_eq!(status(json!({"expires_at": past, "revoked_at": null})).as_deref(), Some("expired"));
        assert_eq!(status(json!({"expires_at": past, "revoked_at": past})).as_deref(), Some("revoked"));
    }
}
