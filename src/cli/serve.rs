//! `anchord serve`: runs the service.

use std::io::IsTerminal as _;

use anyhow::Result;
use clap::Args;
use secrecy::ExposeSecret as _;

use crate::app::{self, BootstrapKey, Ready, Settings};
use crate::config::{self, Check as _, Role};
use crate::telemetry;

/// Arguments of `serve`.
#[derive(Args, Debug)]
pub(super) struct Serve {
    #[command(flatten)]
    roles: config::Roles,
    #[command(flatten)]
    api: config::Api,
    #[command(flatten)]
    metrics: config::Metrics,
    #[command(flatten)]
    database: config::Database,
    #[command(flatten)]
    worker: config::Worker,
    #[command(flatten)]
    llm: config::Llm,
    #[command(flatten)]
    embeddings: config::Embeddings,
    #[command(flatten)]
    webhooks: config::Webhooks,
}

impl Serve {
    /// Checks what clap cannot check.
    pub(super) fn check(&self) -> Result<(), config::BadValue> {
        self.api.check()?;
        self.database.check()?;
        self.api.check_operator(&self.database)?;
        self.webhooks.check()?;
        self.embeddings.check()?;
        self.llm.check()
    }

    pub(super) async fn run(self) -> Result<()> {
        self.check()?;
        let Self { roles, api, metrics, database, worker, llm, embeddings, webhooks } = self;
        let api = roles.roles.contains(&Role::Api).then_some(api);
        let settings =
            Settings { roles: roles.roles, database, api, worker, llm, embeddings, webhooks, metrics };
        app::serve(settings, telemetry::install_metrics()?, greet).await
    }
}

/// Prints the address, where the key is, and a first call to try. The key itself is printed once, on a terminal only,
/// because other output ends up in logs.
#[expect(clippy::print_stdout, reason = "the first lines that someone who starts the service looks for")]
fn greet(ready: &Ready) {
    let metrics =
        ready.metrics.map(|metrics| format!("Metrics:  http://{metrics}/metrics\n")).unwrap_or_default();
    let gateway =
        ready.gateway.map(|gateway| format!("Gateway:  http://{gateway}/gateway\n")).unwrap_or_default();
    let admin = ready.admin.map(|admin| format!("Operator: http://{admin}/v1/admin\n")).unwrap_or_default();
    let token = ready.operator_token_file.as_ref();
    let token = token.map(|file| format!("Operator token: in {}\n", file.display())).unwrap_or_default();
    let Some(address) = ready.api else {
        println!("{metrics}anchord is ready; this process has no API");
        return;
    };
    print!(
        "anchord is ready on http://{address} (documentation: http://{address}/docs)\n{gateway}{admin}{metrics}"
    );
    let key = match &ready.key {
        BootstrapKey::Generated { made_now, file } => {
            let file = file.display();
            match made_now.as_ref().filter(|_| std::io::stdout().is_terminal()) {
                Some(key) => println!("API key:  {} (shown this once, kept in {file})", key.expose_secret()),
                None => println!("API key:  in {file}"),
            }
            format!("$(cat {file})")
        }
        BootstrapKey::Given => {
            println!("API key:  the one in ANCHORD_API_KEY");
            "$ANCHORD_API_KEY".to_owned()
        }
        BootstrapKey::None => {
            println!("API key:  none from the start; `anchord key create` makes one");
            "$KEY".to_owned()
        }
    };
    print!("{token}");
    println!(
        "Try:      curl -s http://{address}/v1/sessions/first/messages -H \"x-api-key: {key}\" \
         -H 'Content-Type: application/json' -d '{{\"messages\": [{{\"role\": \"user\", \"content\": \"hello\"}}]}}'"
    );
}
