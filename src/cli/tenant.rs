//! `anchord tenant`: creates, lists, suspends and erases tenants.

use clap::{Args, Subcommand};

use crate::app::{Operators, Tenant};
use crate::config::{self, Check as _};

/// What `tenant` takes.
#[derive(Args, Debug)]
pub(super) struct TenantCommand {
    #[command(flatten)]
    database: config::Database,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a tenant
    Create {
        /// Its name, unique in the installation
        name: String,
    },
    /// List every tenant
    List,
    /// Refuse a tenant's keys and rest its work; nothing of it is lost
    Suspend {
        /// Its id or name
        tenant: String,
    },
    /// Let a suspended tenant go on
    Resume {
        /// Its id or name
        tenant: String,
    },
    /// Erase a tenant with everything that it owns
    Delete {
        /// Its id or name
        tenant: String,
        /// Confirm the deletion
        #[arg(long, required = true)]
        yes: bool,
    },
}

impl TenantCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        self.database.check()?;
        let operators = Operators::open(&self.database).await?;
        let done = act(&operators, self.action).await;
        operators.close().await;
        done
    }
}

#[expect(clippy::print_stdout, reason = "the command's result")]
async fn act(operators: &Operators, action: Action) -> anyhow::Result<()> {
    match action {
        Action::Create { name } => println!("{}", line(&operators.create_tenant(&name).await?)),
        Action::List => {
            for tenant in operators.list_tenants().await? {
                println!("{}", line(&tenant));
            }
        }
        Action::Suspend { tenant } => println!("{}", line(&operators.suspend_tenant(&tenant, true).await?)),
        Action::Resume { tenant } => println!("{}", line(&operators.suspend_tenant(&tenant, false).await?)),
        Action::Delete { tenant, .. } => operators.delete_tenant(&tenant).await?,
    }
    Ok(())
}

/// Id, state, time and name, separated by tabs; the name is last because it may contain anything.
fn line(tenant: &Tenant) -> String {
    let state = if tenant.suspended_at.is_some() { "suspended" } else { "active" };
    format!("{}\t{state}\t{}\t{}", tenant.id, tenant.created_at.to_rfc3339(), tenant.name)
}
