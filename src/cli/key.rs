//! `anchord key`: creates, lists, rotates and revokes API keys.

use chrono::{DateTime, TimeDelta, Utc};
use clap::{Args, Subcommand, ValueEnum};
use secrecy::{ExposeSecret as _, SecretString};

use crate::app::{ApiKey, Operators};
use crate::config::{self, Check as _};
use anchord_messages::id::KeyId;
use anchord_runtime::clock::Clock;

/// What `key` takes.
#[derive(Args, Debug)]
pub(super) struct KeyCommand {
    #[command(flatten)]
    database: config::Database,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a key of a tenant; it is shown once
    Create {
        /// The tenant's id or name
        tenant: String,
        /// What it may do
        #[arg(long, value_delimiter = ',', default_value = "read,write")]
        scopes: Vec<Scope>,
        /// What people call it
        #[arg(long)]
        name: Option<String>,
        /// In how many days it ends; never without it
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=36_500))]
        days: Option<u32>,
    },
    /// List a tenant's keys
    List {
        /// The tenant's id or name
        tenant: String,
    },
    /// Revoke a key at once
    Revoke {
        /// The tenant's id or name
        tenant: String,
        /// The key's id
        #[arg(value_parser = key_id)]
        key: KeyId,
    },
    /// Replace a key by a new one with the same scopes; both work for a while
    Rotate {
        /// The tenant's id or name
        tenant: String,
        /// The key's id
        #[arg(value_parser = key_id)]
        key: KeyId,
        /// For how many hours the old one goes on
        #[arg(long, default_value = "24", value_parser = clap::value_parser!(u32).range(0..=720))]
        overlap_hours: u32,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Scope {
    Read,
    Write,
    Admin,
}

fn key_id(text: &str) -> Result<KeyId, &'static str> {
    KeyId::parse(text).ok_or("is no key's id; they start with key_")
}

impl KeyCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        self.database.check()?;
        let operators = Operators::open(&self.database).await?;
        let done = act(&operators, self.action, Clock::system().now()).await;
        operators.close().await;
        done
    }
}

#[expect(clippy::print_stdout, reason = "the command's result")]
async fn act(operators: &Operators, action: Action, now: DateTime<Utc>) -> anyhow::Result<()> {
    match action {
        Action::Create { tenant, scopes, name, days } => {
            let expires_at = days.map(|days| now + TimeDelta::days(days.into()));
            let scopes = words(&scopes);
            println!("{}", secret_line(&operators.create_key(&tenant, scopes, name, expires_at).await?));
        }
        Action::List { tenant } => {
            for key in operators.list_keys(&tenant).await? {
                println!("{}", line(&key));
            }
        }
        Action::Revoke { tenant, key } => operators.revoke_key(&tenant, key).await?,
        Action::Rotate { tenant, key, overlap_hours } => {
            let until = now + TimeDelta::hours(overlap_hours.into());
            println!("{}", secret_line(&operators.rotate_key(&tenant, key, until).await?));
        }
    }
    Ok(())
}

/// Every scope once, in ascending order of rights.
fn words(scopes: &[Scope]) -> Vec<String> {
    let held =
        |wanted: &str| scopes.iter().any(|s| s.to_possible_value().is_some_and(|v| v.get_name() == wanted));
    ["read", "write", "admin"].into_iter().filter(|word| held(word)).map(str::to_owned).collect()
}

/// Id and key, separated by a tab.
fn secret_line((made, key): &(ApiKey, SecretString)) -> String {
    format!("{}\t{}", made.id, key.expose_secret())
}

/// Id, prefix, scopes, state, last use and name, separated by tabs.
fn line(key: &ApiKey) -> String {
    let time = |at: Option<DateTime<Utc>>| at.map_or_else(|| "-".to_owned(), |at| at.to_rfc3339());
    let state = match (key.revoked_at, key.expires_at) {
        (Some(at), _) => format!("revoked {}", at.to_rfc3339()),
        (None, Some(end)) => format!("until {}", end.to_rfc3339()),
        (None, None) => "good".to_owned(),
    };
    let name = key.name.as_deref().unwrap_or("-");
    let (scopes, used) = (key.scopes.join(","), time(key.last_used_at));
    format!("{}\t{}\t{scopes}\t{state}\tused {used}\t{name}", key.id, key.prefix)
}
