//! `anchord mcp`: the MCP server over standard input and output, as a client of a running service.

use anchord_mcp::Connection;
use anchord_mcp::api::{Api, Away, Call, Reply};
use anchord_messages::id::BranchName;

use super::failure::format_error;
use super::prelude::*;

/// Arguments of `mcp`.
#[derive(Args, Debug)]
#[command(after_help = "\
An agent starts this command itself, once it is told to:
  claude mcp add anchord -- anchord mcp --session planner

Examples:
  anchord mcp --session planner
  anchord mcp --url http://127.0.0.1:7801 --key-file key")]
pub(super) struct McpCommand {
    /// Session ID for calls that name none
    #[arg(long, value_name = "SESSION", value_parser = SessionName::parse)]
    session: Option<SessionName>,
    /// Branch of that session [default: its current one]
    #[arg(long, value_name = "BRANCH", requires = "session", value_parser = BranchName::parse)]
    branch: Option<BranchName>,
    #[command(flatten)]
    access: TenantAccess,
}

impl McpCommand {
    pub(super) async fn run(self) -> Result<()> {
        let remote = Remote::of_tenant(&self.access)?;
        // A wrong address or key is told where the agent's owner sees it, and not to the model at its first call.
        remote.read(&["v1", "tools"], &[]).await?;
        let connection = Connection { session: self.session, branch: self.branch };
        Ok(anchord_mcp::serve_stdio(Service(remote), connection).await?)
    }
}

/// The API of a running service.
struct Service(Remote);

impl Api for Service {
    async fn call(&self, call: Call) -> Result<Reply, Away> {
        let reply = self.0.pass(&call.path, call.accept, call.body.as_deref()).await;
        let reply = reply.map_err(|error| Away(format_error(&error)))?;
        Ok(Reply { status: reply.status.as_u16(), text: reply.text })
    }
}
