//! How commands reach a running service: its address, and the key or token that they send.

#![expect(clippy::doc_markdown, reason = "the docs of arguments are their help, which is plain text")]

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, FromArgMatches};
use secrecy::SecretString;

use super::value::{base_url, given, given_secret, secret};

/// Where a service listens unless it is told otherwise.
const DEFAULT_URL: &str = "http://127.0.0.1:8080";

/// The address of a running service.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Service")]
pub struct Endpoint {
    /// Base URL of the running service
    #[arg(long, env = "ANCHORD_URL", value_name = "URL", default_value = DEFAULT_URL, global = true)]
    #[arg(value_parser = base_url)]
    url: String,
    /// Data folder of a service on this machine: its key and its operator token are used when you name no other
    #[arg(long, env = "ANCHORD_DATA_DIR", value_name = "FOLDER", default_value = "./data", global = true)]
    data_dir: PathBuf,
}

impl Endpoint {
    /// The base URL.
    pub fn url(&self) -> &str {
        given(Some(&self.url)).unwrap_or(DEFAULT_URL)
    }

    /// The folder in which a service on this machine keeps its key and its token.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }
}

/// A secret of a flag or of the flag's variable; which of the two it was, messages have to say.
macro_rules! secret_flag {
    ($name:ident, $args:ident, $field:ident, $($attribute:tt)*) => {
        #[derive(Args, Clone, Debug)]
        struct $args {
            $($attribute)*
            $field: Option<SecretString>,
        }

        /// The secret and where it came from.
        #[derive(Clone, Debug)]
        struct $name {
            secret: Option<SecretString>,
            is_flag: bool,
        }

        impl Args for $name {
            fn augment_args(command: clap::Command) -> clap::Command {
                $args::augment_args(command)
            }

            fn augment_args_for_update(command: clap::Command) -> clap::Command {
                $args::augment_args_for_update(command)
            }
        }

        impl FromArgMatches for $name {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                let source = matches.value_source(stringify!($field));
                let secret = $args::from_arg_matches(matches)?.$field;
                Ok(Self { secret, is_flag: source == Some(ValueSource::CommandLine) })
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }
    };
}

secret_flag! { KeyFlag, KeyArgs, key,
    /// API key. Other users of the machine can see flags: prefer the variable or --key-file
    #[arg(long, env = "ANCHORD_API_KEY", value_name = "KEY", hide_env_values = true, global = true)]
    #[arg(value_parser = secret)]
}

secret_flag! { TokenFlag, TokenArgs, operator_token,
    /// Operator token. Without it, ANCHORD_ADMIN_TOKEN is used. Other users of the machine can see flags: prefer a
    /// variable or --operator-token-file
    #[arg(long, env = "ANCHORD_OPERATOR_TOKEN", value_name = "TOKEN", hide_env_values = true, global = true)]
    #[arg(value_parser = secret)]
}

/// Access to one tenant's sessions.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Service")]
pub struct TenantAccess {
    /// The service.
    #[command(flatten)]
    pub endpoint: Endpoint,
    #[command(flatten)]
    key: KeyFlag,
    /// File that contains the API key [default: api-key in the data folder]
    #[arg(long, value_name = "FILE", global = true)]
    pub key_file: Option<PathBuf>,
}

impl TenantAccess {
    /// The key and the flag or variable that it came from, unless it is in a file.
    pub fn key(&self) -> Option<(&SecretString, &'static str)> {
        let source = if self.key.is_flag { "--key" } else { "ANCHORD_API_KEY" };
        given_secret(self.key.secret.as_ref()).map(|key| (key, source))
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
    #[command(flatten)]
    operator_token: TokenFlag,
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
        given(self.admin_url.as_deref()).unwrap_or_else(|| self.endpoint.url())
    }

    /// The token and the flag or variable that it came from, unless it is in a file.
    pub fn token(&self) -> Option<(&SecretString, &'static str)> {
        let source = if self.operator_token.is_flag { "--operator-token" } else { "ANCHORD_OPERATOR_TOKEN" };
        let ours = given_secret(self.operator_token.secret.as_ref()).map(|token| (token, source));
        ours.or_else(|| given_secret(self.admin_token.as_ref()).map(|token| (token, "ANCHORD_ADMIN_TOKEN")))
    }
}
