//! `anchord worker`: runs workers without the API.

use anyhow::Result;
use clap::Args;

use crate::config::{self, Check as _, Role};
use crate::{app, telemetry};

/// Arguments of `worker`.
#[derive(Args, Debug)]
#[group(skip)]
pub(super) struct Worker {
    #[command(flatten)]
    database: config::Database,
    #[command(flatten)]
    pool: config::Worker,
    #[command(flatten)]
    llm: config::Llm,
    #[command(flatten)]
    embeddings: config::Embeddings,
    #[command(flatten)]
    metrics: config::Metrics,
    #[command(flatten)]
    webhooks: config::Webhooks,
}

impl Worker {
    pub(super) async fn run(self) -> Result<()> {
        self.database.check()?;
        // It would begin a database in which no service ever queues work.
        self.database.check_existing()?;
        self.webhooks.check()?;
        self.llm.check()?;
        self.embeddings.check()?;
        let Self { database, pool, llm, embeddings, metrics, webhooks } = self;
        let roles = vec![Role::Worker];
        let (api, worker) = (None, pool);
        let settings = app::Settings { roles, database, api, metrics, worker, llm, embeddings, webhooks };
        app::serve(settings, telemetry::install_metrics()?, greet).await
    }
}

#[expect(clippy::print_stdout, reason = "a user who starts a worker wants to see that it runs")]
fn greet(ready: &app::Ready) {
    if let Some(metrics) = ready.metrics {
        println!("Metrics:  http://{metrics}/metrics");
    }
    println!("anchord is ready; this process works and has no API");
}
