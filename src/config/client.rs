//! How commands reach a running service: its address, and the key or token that they send.

#![expect(clippy::doc_markdown, reason = "the docs of arguments are their help, which is plain text")]

use std::path::PathBuf;

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};

use super::value::{base_url, secret};

/// The default address of a service.
const DEFAULT_URL: &str = "http://127.0.0.1:8080";

/// The address of a running service.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Service")]
pub struct Endpoint {
    /// Base URL of the running service
    #[arg(long, env = "ANCHORD_URL", value_name = "URL", default_value = DEFAULT_URL, global = true)]
    #[arg(value_parser = base_url)]
    pub url: String,
    /// Data folder of a service on this machine: its key and its operator token are used when you name no other
    #[arg(long, env = "ANCHORD_DATA_DIR", value_name = "FOLDER", default_value = "./data", global = true)]
    pub data_dir: PathBuf,
}

/// Where a secret came from, for messages: its variable, or else its flag.
#[expect(clippy::disallowed_methods, reason = "the configuration is the one reader of the environment")]
fn source_of(secret: &SecretString, flag: &'static str, variable: &'static str) -> &'static str {
    let is_variable = std::env::var(variable).is_ok_and(|value| value == secret.expose_secret());
    if is_variable { variable } else { flag }
}

/// Access to one tenant's sessions.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Service")]
pub struct TenantAccess {
    /// The service.
    #[command(flatten)]
    pub endpoint: Endpoint,
    /// API key. Other users of the machine can see flags: prefer the variable or --key-file
    #[arg(long, env = "ANCHORD_API_KEY", value_name = "KEY", hide_env_values = true, global = true)]
    #[arg(value_parser = secret)]
    key: Option<SecretString>,
    /// File that contains the API key [default: api-key in the data folder]
    #[arg(long, value_name = "FILE", global = true)]
    pub key_file: Option<PathBuf>,
}

impl TenantAccess {
    /// The key and the flag or variable that it came from, unless it is in a file.
    pub fn key(&self) -> Option<(&SecretString, &'static str)> {
        self.key.as_ref().map(|key| (key, source_of(key, "--key", "ANCHORD_API_KEY")))
    }
}

/// Access to the operator's API.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Service")]
pub struct OperatorAccess {
    /// The service.
    #[command(flatten)]
    pub endpoint: Endpoint,
    /// Base URL of the operator's API, when the service runs with ANCHORD_ADMIN_LISTEN [default: the value of --url]
    #[arg(long, env = "ANCHORD_ADMIN_URL", value_name = "URL", global = true, value_parser = base_url)]
    admin_url: Option<String>,
    /// Operator token. Without it, ANCHORD_ADMIN_TOKEN is used. Other users of the machine can see flags: prefer a
    /// variable or --operator-token-file
    #[arg(long, env = "ANCHORD_OPERATOR_TOKEN", value_name = "TOKEN", hide_env_values = true, global = true)]
    #[arg(value_parser = secret)]
    operator_token: Option<SecretString>,
    /// File that contains the operator token [default: operator-token in the data folder]
    #[arg(long, value_name = "FILE", global = true)]
    pub operator_token_file: Option<PathBuf>,
    /// The token that the service was configured with, for commands in the service's own environment
    #[arg(long, env = "ANCHORD_ADMIN_TOKEN", hide = true, hide_env_values = true, global = true)]
    #[arg(value_parser = secret)]
    admin_token: Option<SecretString>,
}

impl OperatorAccess {
    /// The base URL of the operator's API.
    pub fn url(&self) -> &str {
        self.admin_url.as_deref().unwrap_or(&self.endpoint.url)
    }

    /// The token and the flag or variable that it came from, unless it is in a file.
    pub fn token(&self) -> Option<(&SecretString, &'static str)> {
        let ours = self.operator_token.as_ref();
        let ours = ours.map(|token| (token, source_of(token, "--operator-token", "ANCHORD_OPERATOR_TOKEN")));
        ours.or_else(|| self.admin_token.as_ref().map(|token| (token, "ANCHORD_ADMIN_TOKEN")))
    }
}
