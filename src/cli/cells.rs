//! `anchord cells`: lists, adds and removes cells, and moves tenants between them, in the database itself.

use clap::Subcommand;
use secrecy::SecretString;

use super::prelude::*;
use crate::app;
use crate::config::{self, Check as _};
use anchord_store::cells;
use anchord_store::moving::Moved;

/// Arguments of `cells`.
#[derive(Args, Debug)]
#[command(after_help = "\
A cell is a schema with the tables of some tenants, on the server of DATABASE_URL or on another one. These commands work on
the databases themselves and need DATABASE_URL. Running processes take up a new cell by themselves.

Examples:
  anchord cells add second
  anchord cells list
  anchord cells move acme second
  anchord cells remove second")]
pub(super) struct CellsCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    database: config::Database,
    #[command(flatten)]
    webhooks: config::Webhooks,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the cells with their tenants and their size
    List,
    /// Make a cell: its schema, its tables and its entry in the list
    Add {
        /// Name of the cell
        name: String,
        /// URL of its server, as the owner; it is stored encrypted with ANCHORD_SECRETS_KEY [default: that of DATABASE_URL]
        #[arg(long, env = "ANCHORD_CELL_URL", value_name = "ANCHORD_CELL_URL", hide_env_values = true)]
        url: Option<SecretString>,
        /// Schema of its tables [default: the name]
        #[arg(long)]
        schema: Option<String>,
    },
    /// Change the address of a cell's server, where its tables are already
    Change {
        /// Name of the cell
        name: String,
        /// URL of its server, as the owner; it is stored encrypted with ANCHORD_SECRETS_KEY [default: that of DATABASE_URL]
        #[arg(long, env = "ANCHORD_CELL_URL", value_name = "ANCHORD_CELL_URL", hide_env_values = true)]
        url: Option<SecretString>,
    },
    /// Move a tenant to a cell; its writers wait meanwhile
    Move {
        /// Name or ID of the tenant
        tenant: String,
        /// Name of the cell; home for the first one
        cell: String,
    },
    /// Take a cell without tenants off the list; its schema stays
    Remove {
        /// Name of the cell
        name: String,
    },
}

impl CellsCommand {
    pub(super) async fn run(self) -> Result<()> {
        self.database.check()?;
        self.webhooks.check()?;
        let open = app::Cells::open(&self.database, &self.webhooks).await?;
        match self.action {
            Action::List => print(&open.list().await?, self.output.json),
            Action::Add { name, url, schema } => {
                let schema = schema.unwrap_or_else(|| name.clone());
                let server = url.map_or(cells::Server::Home, cells::Server::Own);
                open.add(&cells::Cell { name: name.clone(), schema, server, is_settled: false }).await?;
                let done = "running processes take it up now; it takes tenants when it is a minute old";
                output::print(&format!("added the cell {name}; {done}\n"))
            }
            Action::Change { name, url } => {
                open.change(&name, url.map_or(cells::Server::Home, cells::Server::Own)).await?;
                output::print(&format!("changed the address of the cell {name}; restart the processes\n"))
            }
            Action::Move { tenant, cell } => {
                let told = match Box::pin(open.move_tenant(&tenant, &cell)).await? {
                    Moved::Now(rows) => format!("moved to {cell}: {}", output::counted(rows, "row")),
                    Moved::Ended => format!("is in {cell}: a move that was interrupted has ended"),
                    Moved::Before => format!("is in {cell} already"),
                    Moved::NoTenant => anyhow::bail!("no cell has the tenant {tenant}"),
                };
                output::print(&format!("{} {told}\n", output::one_line(&tenant)))
            }
            Action::Remove { name } => {
                open.remove(&name).await?;
                let rest =
                    "its schema stays; processes keep their connections to it until they are restarted";
                output::print(&format!("removed the cell {name}; {rest}\n"))
            }
        }
    }
}

fn print(cells: &[app::Listed], json: bool) -> Result<()> {
    let mut table = Table::new(&["CELL", "SERVER", "SCHEMA", "TENANTS", "BYTES"]);
    for cell in cells {
        let server = if cell.is_elsewhere { "own" } else { "home" };
        let (tenants, bytes) = cell.measure.unzip();
        if json {
            let schema = &cell.schema;
            output::print_json_line(
                &json!({"cell": cell.name, "server": server, "schema": schema, "tenants": tenants, "bytes": bytes}),
            )?;
        }
        let count = |count: Option<i64>| Cell::count(count.and_then(|count| count.try_into().ok()));
        table.push(vec![
            Cell::id(Some(&cell.name)),
            Cell::text(Some(server)),
            Cell::text(cell.schema.as_deref()),
            count(tenants),
            count(bytes),
        ]);
    }
    if json { Ok(()) } else { table.print("no cells") }
}
