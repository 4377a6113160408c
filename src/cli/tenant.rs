//! `anchord tenant`: creates, lists, suspends and deletes tenants of a running service.

use clap::Subcommand;
use reqwest::Method;

use super::failure::Usage;
use super::output::{Fields, text_at};
use super::prelude::*;
use crate::config::OperatorAccess;
use anchord_messages::id::TenantId;

/// Arguments of `tenant`.
#[derive(Args, Debug)]
#[command(after_help = "\
These commands need the operator token of the service. A service with an embedded database keeps one in its data folder
(./data/operator-token), where they find it; any other service has the token that you configured (ANCHORD_ADMIN_TOKEN).

Examples:
  anchord tenant create acme
  anchord tenant list
  anchord tenant list --json | jq -r 'select(.status == \"suspended\") | .name'
  anchord tenant suspend acme
  anchord tenant delete acme --yes")]
pub(super) struct TenantCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    access: OperatorAccess,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a tenant
    Create {
        /// Name of the tenant; no other tenant may have it
        name: String,
    },
    /// List all tenants, oldest first
    List,
    /// Suspend a tenant: refuse its keys and pause its work. Nothing is lost
    Suspend {
        /// Name or ID of the tenant
        tenant: String,
    },
    /// Resume a suspended tenant
    Resume {
        /// Name or ID of the tenant
        tenant: String,
    },
    /// Delete a tenant with all of its sessions and keys; this cannot be undone
    Delete {
        /// Name or ID of the tenant
        tenant: String,
        /// Confirm the deletion
        #[arg(long, required = true)]
        yes: bool,
    },
}

impl TenantCommand {
    pub(super) async fn run(self) -> Result<()> {
        let remote = Remote::of_operator(&self.access)?;
        let json = self.output.json;
        match self.action {
            Action::Create { name } => {
                let body = json!({"name": name});
                let made = remote.write(Method::POST, &["v1", "admin", "tenants"], Some(&body)).await?;
                print(&made, json)
            }
            Action::List => list(&remote, json).await,
            Action::Suspend { tenant } => print(&set_status(&remote, &tenant, "suspended").await?, json),
            Action::Resume { tenant } => print(&set_status(&remote, &tenant, "active").await?, json),
            Action::Delete { tenant, .. } => {
                let id = find(&remote, &tenant).await?;
                remote.write(Method::DELETE, &["v1", "admin", "tenants", &id], None).await?;
                if json {
                    return output::print_json(&json!({"id": id, "deleted": true}));
                }
                output::print(&format!("deleted tenant {}\n", output::one_line(&tenant)))
            }
        }
    }
}

async fn list(remote: &Remote, json: bool) -> Result<()> {
    let table = Table::new(&["ID", "STATUS", "CREATED", "NAME"]);
    let row =
        |tenant: &Value| ["/id", "/status", "/created_at", "/name"].map(|place| cell(tenant, place)).into();
    let all = (["v1", "admin", "tenants"].as_slice(), [].as_slice(), usize::MAX);
    remote.print_list(all, json, (table, "no tenants"), row).await
}

fn cell(tenant: &Value, place: &str) -> Cell {
    let text = text_at(tenant, place);
    match place {
        "/created_at" => Cell::time(text),
        "/id" => Cell::id(text),
        _ => Cell::text(text),
    }
}

fn print(tenant: &Value, json: bool) -> Result<()> {
    if json {
        return output::print_json(tenant);
    }
    let mut fields = Fields::default();
    for (name, place) in [("id", "/id"), ("name", "/name"), ("status", "/status"), ("created", "/created_at")]
    {
        fields.push(name, cell(tenant, place));
    }
    fields.print()
}

async fn set_status(remote: &Remote, tenant: &str, status: &str) -> Result<Value> {
    let id = find(remote, tenant).await?;
    remote.write(Method::PATCH, &["v1", "admin", "tenants", &id], Some(&json!({"status": status}))).await
}

/// Finds a tenant's id by its id or its name.
pub(super) async fn find(remote: &Remote, tenant: &str) -> Result<String> {
    if let Some(id) = TenantId::parse(tenant) {
        return Ok(id.to_string());
    }
    if tenant.is_empty() {
        return Err(Usage("the name of a tenant is empty".to_owned()).into());
    }
    let page = remote.read(&["v1", "admin", "tenants"], &[("name", tenant.to_owned())]).await?;
    let id = text_at(&page, "/items/0/id").map(str::to_owned);
    id.ok_or_else(|| {
        anyhow::anyhow!("there is no tenant {}; `anchord tenant list` shows all", output::one_line(tenant))
    })
}
