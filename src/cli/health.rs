//! `anchord health`: asks a running service whether it is ready.

use clap::Args;

use crate::app;
use crate::config;

/// What `health` takes.
#[derive(Args, Debug)]
pub(super) struct HealthCommand {
    #[command(flatten)]
    health: config::Health,
}

impl HealthCommand {
    #[expect(clippy::print_stdout, reason = "the command's result")]
    pub(super) async fn run(self) -> anyhow::Result<()> {
        app::health(&self.health.address()).await?;
        println!("ready");
        Ok(())
    }
}
