//! The configuration: everything that the operator can set. No other code reads the environment.
//!
//! There is one struct per concern, so that a command lists those that it needs. An invalid value is rejected at
//! start, with the name of its variable and what is allowed. Secrets are checked after parsing, by [`Check`], because
//! clap quotes a value that it rejects, and a secret must not be printed.

use std::ffi::{OsStr, OsString};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use clap::builder::Resettable;
use clap::{Args, ValueEnum};
use secrecy::{ExposeSecret as _, SecretString};
use tracing_subscriber::filter::Targets;

use anchord_store::address::{Address, DEFAULT_ROLE, Role as WorkingRole};
use anchord_store::secrets::SecretKeys;

mod api;
mod client;
mod gateway;
mod llm;
mod value;

pub use api::{Api, Console};
pub use client::{Endpoint, OperatorAccess, TenantAccess};
pub use gateway::{Answers, Gateway, Sealing, Unkept, upstreams_of_agents};
pub use llm::{Embeddings, KeyHeader, Llm, LlmProvider};
pub use value::{BadValue, Check, whole};
use value::{base_url, refuse_unless, secret, socket_address};

/// A command for which a variable that is set to nothing (`NAME=` in a file) is not set.
pub fn without_empty_variables(command: clap::Command) -> clap::Command {
    #[expect(clippy::disallowed_methods, reason = "this file is the one reader of the environment")]
    without_variables(command, |name| std::env::var_os(name).is_some_and(|value| value.is_empty()))
}

fn without_variables(command: clap::Command, left_out: fn(&OsStr) -> bool) -> clap::Command {
    let without = |arg: clap::Arg| match arg.get_env() {
        Some(name) if left_out(name) => arg.env(Resettable::Reset),
        _ => arg,
    };
    command.mut_args(without).mut_subcommands(|command| without_variables(command, left_out))
}

/// Which parts of the service a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// The HTTP API.
    Api,
    /// The workers that make summaries.
    Worker,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines: one JSON object a line.
    Json,
}

/// Logs and traces.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Logs and traces")]
pub struct Telemetry {
    /// Log filter: a level, or a list such as info,sqlx=warn
    #[arg(long = "log", env = "RUST_LOG", value_name = "RUST_LOG", default_value = "info", global = true)]
    #[arg(value_parser = log_filter)]
    pub filter: String,
    /// Format of log lines
    #[arg(long, env = "ANCHORD_LOG_FORMAT", value_name = "ANCHORD_LOG_FORMAT", default_value = "text")]
    #[arg(global = true)]
    pub log_format: LogFormat,
    /// Endpoint for traces (OTLP over HTTP) [default: no traces]
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    #[arg(value_parser = base_url, global = true)]
    pub otlp_endpoint: Option<String>,
}

/// The database: an address, or a server of our own.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Database")]
pub struct Database {
    /// URL of a Postgres database, as its owner [default: run an embedded Postgres]
    #[arg(long, env = "DATABASE_URL", value_name = "DATABASE_URL", hide_env_values = true)]
    #[arg(value_parser = secret)]
    pub database_url: Option<SecretString>,
    /// Role that the service works as in that database; each installation on a server needs its own
    #[arg(long, env = "ANCHORD_DATABASE_ROLE", value_name = "ANCHORD_DATABASE_ROLE")]
    #[arg(default_value = DEFAULT_ROLE, value_parser = role)]
    pub database_role: String,
    /// Folder of the embedded Postgres and of the keys that the service generates
    #[arg(long, env = "ANCHORD_DATA_DIR", value_name = "ANCHORD_DATA_DIR", default_value = "./data")]
    pub data_dir: PathBuf,
    /// Folder of the programs initdb and postgres [default: search the usual places]
    #[arg(long, env = "ANCHORD_PG_BIN", value_name = "ANCHORD_PG_BIN")]
    pub pg_bin: Option<PathBuf>,
    /// Maximum number of database connections, 2 to 1000
    #[arg(long, env = "ANCHORD_POOL_SIZE", value_name = "ANCHORD_POOL_SIZE", default_value = "16")]
    #[arg(value_parser = whole::<u32>(2..=1_000))]
    pub pool_size: u32,
}

/// Metrics apart from the API.
#[derive(Args, Clone, Debug)]
pub struct Metrics {
    /// Address and port for /metrics alone [default: the API serves it, for the operator token]
    #[arg(long, env = "ANCHORD_METRICS_LISTEN", value_name = "ANCHORD_METRICS_LISTEN")]
    #[arg(value_parser = socket_address)]
    pub metrics_listen: Option<SocketAddr>,
}

/// Whom a health check asks.
#[derive(Args, Clone, Debug)]
pub struct Health {
    /// URL to check instead: that of a service, or /readyz of a worker's metrics
    #[arg(long, env = "ANCHORD_URL", value_name = "URL", value_parser = base_url)]
    url: Option<String>,
    /// Address and port of the API on this machine
    #[arg(long, env = "ANCHORD_LISTEN", value_name = "ANCHORD_LISTEN", default_value = "127.0.0.1:8080")]
    #[arg(value_parser = socket_address)]
    listen: SocketAddr,
}

impl Health {
    /// The address to ask.
    pub fn address(&self) -> String {
        let Some(url) = &self.url else {
            let mut address = self.listen;
            // A service that listens on every address is asked on this machine's own.
            if address.ip().is_unspecified() {
                address.set_ip(match address {
                    SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                    SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
                });
            }
            return format!("http://{address}/readyz");
        };
        let is_check = url.ends_with("/readyz") || url.ends_with("/healthz");
        if is_check { url.clone() } else { format!("{url}/readyz") }
    }
}

/// The workers.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Workers")]
pub struct Worker {
    /// Maximum number of compressions at once, 1 to 256
    #[arg(long, env = "ANCHORD_WORKERS", value_name = "ANCHORD_WORKERS", default_value = "2")]
    #[arg(value_parser = whole::<u16>(1..=256))]
    pub workers: u16,
    /// Cells that the workers of this process serve, separated by commas, home among them [default: all]
    #[arg(long, env = "ANCHORD_CELLS", value_name = "ANCHORD_CELLS", value_delimiter = ',')]
    pub cells: Vec<String>,
}

/// Where webhooks may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WebhookTargets {
    /// At public addresses, over https.
    Public,
    /// At any address, also of a private network, also over http.
    Any,
}

/// Webhooks.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Webhooks")]
pub struct Webhooks {
    /// Allowed addresses of webhooks; with any, tenants can reach whatever this process can
    #[arg(
        long,
        env = "ANCHORD_WEBHOOK_TARGETS",
        value_name = "ANCHORD_WEBHOOK_TARGETS",
        default_value = "public"
    )]
    pub webhook_targets: WebhookTargets,
    /// Keys that encrypt the secrets of webhooks in the database: 32 bytes each in base64, separated by commas. The first
    /// encrypts, all decrypt
    #[arg(long, env = "ANCHORD_SECRETS_KEY", value_name = "ANCHORD_SECRETS_KEY", hide_env_values = true)]
    #[arg(value_parser = secret)]
    pub secrets_key: Option<SecretString>,
}

impl Check for Webhooks {
    fn check(&self) -> Result<(), BadValue> {
        let good = |keys: &SecretString| SecretKeys::parse(keys).is_ok();
        refuse_unless(
            self.secrets_key.as_ref().is_none_or(good),
            "ANCHORD_SECRETS_KEY",
            "keys of 32 bytes in base64, separated by commas; `openssl rand -base64 32` makes one",
        )
    }
}

/// The parts of the service that this process runs.
#[derive(Args, Clone, Debug)]
pub struct Roles {
    /// Parts that this process runs, separated by commas
    #[arg(long, env = "ANCHORD_ROLES", value_name = "ANCHORD_ROLES", default_value = "api,worker")]
    #[arg(value_delimiter = ',')]
    pub roles: Vec<Role>,
}

impl Database {
    /// Checks that there is a database already, for commands that work on one and do not begin one.
    ///
    /// # Errors
    /// When no database is named, and the data folder has none.
    pub fn check_existing(&self) -> Result<(), BadValue> {
        refuse_unless(
            self.database_url.is_some() || self.data_dir.is_dir(),
            "DATABASE_URL",
            "is required here, because there is no data folder of a service (ANCHORD_DATA_DIR)",
        )
    }

    /// The process's `PATH`, where the server's programs may be.
    #[expect(clippy::disallowed_methods, reason = "this file is the one reader of the environment")]
    pub fn search_path() -> Option<OsString> {
        std::env::var_os("PATH")
    }
}

impl Check for Database {
    fn check(&self) -> Result<(), BadValue> {
        let allowed = "a Postgres address, such as postgres://user:password@host:5432/database, or with several hosts \
                       postgres://user:password@a,b/database; target_session_attrs may be any, read-write or primary";
        let good = |url: &str| {
            let schemes = ["postgres://", "postgresql://"];
            schemes.iter().any(|s| url.starts_with(s)) && Address::parse(url).is_ok()
        };
        refuse_unless(
            self.database_url.as_ref().is_none_or(|url| good(url.expose_secret())),
            "DATABASE_URL",
            allowed,
        )
    }
}

fn role(text: &str) -> Result<String, String> {
    WorkingRole::parse(text).map(|_| text.to_owned()).map_err(|refused| refused.to_string())
}

fn log_filter(text: &str) -> Result<String, String> {
    text.parse::<Targets>().map(|_| text.to_owned()).map_err(|_| {
        "a level (error, warn, info, debug, trace, off) is allowed, or a list such as info,sqlx=warn"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchord_http::edge::origins::Origins;
    use axum::http::HeaderValue;
    use clap::{CommandFactory as _, FromArgMatches as _, Parser};

    #[derive(Debug, Parser)]
    struct All {
        #[command(flatten)]
        telemetry: Telemetry,
        #[command(flatten)]
        database: Database,
        #[command(flatten)]
        api: Api,
        #[command(flatten)]
        metrics: Metrics,
        #[command(flatten)]
        worker: Worker,
        #[command(flatten)]
        roles: Roles,
        #[command(flatten)]
        llm: Llm,
        #[command(flatten)]
        embeddings: Embeddings,
        #[command(flatten)]
        webhooks: Webhooks,
    }

    fn parse(flags: &[&str]) -> Result<All, String> {
        // Without the environment: what the machine has set must not decide a test.
        let command = All::command().mut_args(|arg| arg.env(clap::builder::Resettable::Reset));
        let matches = command.try_get_matches_from(std::iter::once(&"anchord").chain(flags));
        let all = matches.and_then(|m| All::from_arg_matches(&m)).map_err(|e| e.to_string())?;
        let checks: [&dyn Check; 5] = [&all.database, &all.api, &all.llm, &all.embeddings, &all.webhooks];
        checks.iter().try_for_each(|part| part.check()).map_err(|e| e.to_string())?;
        all.api.check_operator(&all.database).map_err(|e| e.to_string())?;
        Ok(all)
    }

    fn refusal(flags: &[&str]) -> String {
        parse(flags).expect_err(&format!("{flags:?} was taken"))
    }

    #[test]
    fn the_defaults_are_good() {
        let all = parse(&[]).expect("no flag is needed");
        assert_eq!(all.api.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(all.roles.roles, [Role::Api, Role::Worker]);
        assert_eq!(all.api.max_body_bytes, 16 * 1024 * 1024);
        assert_eq!(all.api.bodies_bytes(), 80 * 1024 * 1024);
        assert!(all.database.database_url.is_none() && all.api.api_key.is_none());
        assert_eq!(all.webhooks.webhook_targets, WebhookTargets::Public);
    }

    #[test]
    fn a_bad_value_is_refused_with_its_name_and_what_is_allowed() {
        for (flags, name, allowed) in [
            (&["--listen", "8080"][..], "ANCHORD_LISTEN", "127.0.0.1:8080"),
            (&["--metrics-listen", "x"], "ANCHORD_METRICS_LISTEN", "127.0.0.1:8080"),
            (&["--workers", "0"], "ANCHORD_WORKERS", "from 1 to 256"),
            (&["--workers", "many"], "ANCHORD_WORKERS", "must be a whole number from 1 to 256"),
            (&["--database-role", "Robert'); drop"], "ANCHORD_DATABASE_ROLE", "lower-case letters"),
            (&["--pool-size", "1"], "ANCHORD_POOL_SIZE", "from 2 to 1000"),
            (&["--roles", "api,cook"], "ANCHORD_ROLES", "api, worker"),
            (&["--log-format", "xml"], "ANCHORD_LOG_FORMAT", "text, json"),
            (&["--log", "a=b=c"], "RUST_LOG", "info,sqlx=warn"),
            (&["--otlp-endpoint", "ftp://x"], "OTEL_EXPORTER_OTLP_ENDPOINT", "https://"),
            (&["--llm-provider", "psychic"], "ANCHORD_LLM_PROVIDER", "none, openai, anthropic"),
            (&["--llm-base-url", "api.example.com"], "ANCHORD_LLM_BASE_URL", "https://"),
            (&["--max-body-bytes", "1"], "ANCHORD_MAX_BODY_BYTES", "from 1024 to"),
            (&["--max-message-bytes", "16777217"], "ANCHORD_MAX_MESSAGE_BYTES", "ANCHORD_MAX_BODY_BYTES"),
            (&["--max-bodies-bytes", "many"], "ANCHORD_MAX_BODIES_BYTES", "a whole number from 1048576"),
            (&["--max-bodies-bytes", "20000000"], "ANCHORD_MAX_BODIES_BYTES", "ANCHORD_MAX_BODY_BYTES"),
            (&["--admin-listen", "x"], "ANCHORD_ADMIN_LISTEN", "127.0.0.1:8080"),
            (
                &["--admin-listen", "127.0.0.1:1", "--database-url", "postgres://a@b/c"],
                "ANCHORD_ADMIN_LISTEN",
                "ANCHORD_ADMIN_TOKEN",
            ),
            (&["--trusted-proxies", "proxy"], "ANCHORD_TRUSTED_PROXIES", "10.0.0.0/8"),
            (&["--cors-origins", "app.example.com"], "ANCHORD_CORS_ORIGINS", "https://app.example.com"),
            (&["--cors-origins", "*,https://a.example"], "ANCHORD_CORS_ORIGINS", "* alone"),
            (&["--cors-origins", "https://a.example/app"], "ANCHORD_CORS_ORIGINS", "https://app.example.com"),
            (&["--cors-origins", "null"], "ANCHORD_CORS_ORIGINS", "https://app.example.com"),
            (&["--api-key", "short"], "ANCHORD_API_KEY", "at least 32 characters"),
            (&["--admin-token", "two words"], "ANCHORD_ADMIN_TOKEN", "without spaces"),
            (&["--database-url", "mysql://root:pw@host/db"], "DATABASE_URL", "postgres://"),
            (&["--secrets-key", "c2hvcnQ="], "ANCHORD_SECRETS_KEY", "32 bytes in base64"),
            (&["--llm-provider", "openai"], "ANCHORD_LLM_MODEL", "is required when"),
            (&["--llm-prices", "m=free"], "ANCHORD_LLM_PRICES", "small=0.15/0.6"),
            (&["--llm-context-tokens", "10"], "ANCHORD_LLM_CONTEXT_TOKENS", "from 8000 to"),
            (&["--llm-input-tokens", "10"], "ANCHORD_LLM_INPUT_TOKENS", "from 4000 to"),
            (
                &["--embeddings-url", "ftp://x", "--embeddings-model", "m"],
                "ANCHORD_EMBEDDINGS_URL",
                "https://",
            ),
            (&["--embeddings-url", "http://x/v1"], "ANCHORD_EMBEDDINGS_MODEL", "is required when"),
            (&["--embeddings-model", "m"], "ANCHORD_EMBEDDINGS_MODEL", "set both or neither"),
            (&["--judge-model", "j"], "ANCHORD_JUDGE_MODEL", "unless ANCHORD_LLM_PROVIDER"),
            (&["--probe-model", "j"], "ANCHORD_PROBE_MODEL", "unless ANCHORD_LLM_PROVIDER"),
            (
                &["--llm-provider", "openai", "--llm-model", "m"],
                "ANCHORD_LLM_API_KEY",
                "ANCHORD_LLM_BASE_URL",
            ),
        ] {
            let text = refusal(flags);
            assert!(text.contains(name) && text.contains(allowed), "{flags:?}: {text}");
        }
    }

    #[test]
    fn a_secret_is_never_printed_also_when_it_is_refused() {
        let bad = "hunter2 hunter2 hunter2 hunter2 hunter2";
        let url = "mysql://root:hunter2@host/db";
        let model = ["--llm-provider", "openai", "--llm-model", "m"];
        for flags in [
            &["--api-key", bad][..],
            &["--admin-token", bad],
            &["--database-url", url],
            &["--secrets-key", bad],
        ] {
            assert!(!refusal(flags).contains("hunter2"), "{flags:?}");
        }
        assert!(!refusal(&[&model[..], &["--llm-api-key", bad]].concat()).contains("hunter2"));
        assert!(!refusal(&["--embeddings-api-key", bad]).contains("hunter2"));
        let good = "hunter2-hunter2-hunter2-hunter2-hunter2";
        let all =
            parse(&["--api-key", good, "--admin-token", good, "--llm-api-key", good]).expect("good values");
        assert!(!format!("{all:?}").contains("hunter2"));
    }

    #[test]
    fn a_health_check_asks_this_machine() {
        #[derive(Debug, Parser)]
        struct Check {
            #[command(flatten)]
            health: Health,
        }
        for (flags, asked) in [
            (["--listen", "0.0.0.0:8080"], "http://127.0.0.1:8080/readyz"),
            (["--listen", "[::]:1"], "http://[::1]:1/readyz"),
            (["--listen", "10.0.0.7:80"], "http://10.0.0.7:80/readyz"),
            (["--url", "http://worker:9090/readyz"], "http://worker:9090/readyz"),
            (["--url", "http://service:8080/"], "http://service:8080/readyz"),
        ] {
            let check = Check::try_parse_from(["health"].into_iter().chain(flags)).expect("good flags");
            assert_eq!(check.health.address(), asked);
        }
    }

    #[test]
    fn a_variable_that_is_set_to_nothing_is_not_set() {
        // Any variable that every machine has stands for one that is set, and is left out by its name.
        let command = clap::Command::new("outer").subcommand(clap::Command::new("inner").args([
            clap::Arg::new("empty").long("empty").env("PATH"),
            clap::Arg::new("set").long("set").env("CARGO_MANIFEST_DIR"),
        ]));
        let matches =
            without_variables(command, |name| name == "PATH").try_get_matches_from(["outer", "inner"]);
        let (_, inner) = matches.expect("no flag is needed").remove_subcommand().expect("it was named");
        assert_eq!((inner.contains_id("empty"), inner.contains_id("set")), (false, true));
    }

    #[test]
    fn origins_are_read_as_browsers_write_them() {
        let read = |text| parse(&["--cors-origins", text]).expect("good values").api.cors_origins;
        assert_eq!(read("*"), Some(Origins::Any));
        let these = ["https://app.example.com", "http://localhost:5173"].map(HeaderValue::from_static);
        assert_eq!(
            read("https://App.example.com:443, http://localhost:5173"),
            Some(Origins::These(these.to_vec()))
        );
    }

    #[test]
    fn proxies_are_addresses_and_networks() {
        let api =
            parse(&["--trusted-proxies", "10.0.0.0/8, 192.0.2.7,2001:db8::/32"]).expect("good values").api;
        let shown: Vec<String> = api.trusted_proxies.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32"]);
    }

    #[test]
    fn a_model_server_is_taken_with_its_models_and_prices() {
        let flags = [
            "--llm-provider", "openai", "--llm-model", "m", "--llm-base-url", "http://localhost:1/v1/",
            "--llm-models", "m, n,", "--llm-prices", "m=0.15/0.6,org/n=2/10",
        ];
        let llm = parse(&flags).expect("good values").llm;
        assert_eq!(
            (llm.llm_base_url.as_deref(), llm.models()),
            (Some("http://localhost:1/v1"), vec!["m".into(), "n".into()])
        );
        let prices: Vec<_> =
            llm.llm_prices.iter().map(|(model, p)| (model.as_str(), p.input, p.output)).collect();
        assert_eq!(prices, [("m", 0.15, 0.6), ("org/n", 2.0, 10.0)]);
    }
}
