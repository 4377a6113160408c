//! `anchord health`: asks a running service whether it is ready.

use super::prelude::*;
use crate::{app, config};

/// Arguments of `health`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  anchord health
  anchord health --url http://127.0.0.1:9090/readyz")]
pub(super) struct HealthCommand {
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    health: config::Health,
}

impl HealthCommand {
    pub(super) async fn run(self) -> Result<()> {
        app::health(&self.health.address()).await?;
        if self.output.json { output::print_json(&json!({"status": "ok"})) } else { output::print("ready\n") }
    }
}
