//! Configuration of the API.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderValue;
use clap::{Args, ValueEnum};
use ipnet::IpNet;
use secrecy::{ExposeSecret as _, SecretString};

use super::Database;
use super::gateway::Gateway;
use super::value::{BadValue, Check, refuse_unless, secret, socket_address, whole};
use anchord_http::edge::origins::Origins;

/// How many of the largest bodies the memory for bodies takes, unless it is set.
const LARGEST_BODIES: u64 = 5;

/// Whether there is a console.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Console {
    /// At `/console` on the API's address.
    On,
    /// No such route.
    Off,
}

/// The HTTP API.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "API")]
pub struct Api {
    /// Address and port of the API
    #[arg(long, env = "ANCHORD_LISTEN", value_name = "ANCHORD_LISTEN", default_value = "127.0.0.1:8080")]
    #[arg(value_parser = socket_address)]
    pub listen: SocketAddr,
    /// API key of the tenant "default", at least 32 characters [default: generated with an embedded Postgres, else none]
    #[arg(long, env = "ANCHORD_API_KEY", value_name = "ANCHORD_API_KEY", hide_env_values = true)]
    #[arg(value_parser = secret)]
    pub api_key: Option<SecretString>,
    /// Operator token for /v1/admin and /metrics, at least 32 characters [default: generated with an embedded Postgres,
    /// else none: both are closed]
    #[arg(long, env = "ANCHORD_ADMIN_TOKEN", value_name = "ANCHORD_ADMIN_TOKEN", hide_env_values = true)]
    #[arg(value_parser = secret)]
    pub admin_token: Option<SecretString>,
    /// Maximum size of a request body, in bytes
    #[arg(long, env = "ANCHORD_MAX_BODY_BYTES", value_name = "ANCHORD_MAX_BODY_BYTES")]
    #[arg(default_value = "16777216", value_parser = whole::<u64>(1_024..=1 << 30))]
    pub max_body_bytes: u64,
    /// Maximum number of messages in one append
    #[arg(long, env = "ANCHORD_MAX_BATCH_MESSAGES", value_name = "ANCHORD_MAX_BATCH_MESSAGES")]
    #[arg(default_value = "1000", value_parser = whole::<u64>(1..=100_000))]
    pub max_batch_messages: u64,
    /// Maximum size of a message, in bytes
    #[arg(long, env = "ANCHORD_MAX_MESSAGE_BYTES", value_name = "ANCHORD_MAX_MESSAGE_BYTES")]
    #[arg(default_value = "4194304", value_parser = whole::<u64>(1_024..=1 << 30))]
    pub max_message_bytes: u64,
    /// Maximum memory for all request bodies at once, in bytes; replies may take as much again [default: five bodies of
    /// the maximum size]
    #[arg(long, env = "ANCHORD_MAX_BODIES_BYTES", value_name = "ANCHORD_MAX_BODIES_BYTES")]
    #[arg(value_parser = whole::<u64>(1 << 20..=1 << 40))]
    max_bodies_bytes: Option<u64>,
    /// Maximum number of requests per second and API key; 0 for no limit
    #[arg(long, env = "ANCHORD_RATE_LIMIT", value_name = "ANCHORD_RATE_LIMIT", default_value = "1000")]
    pub rate_limit: u32,
    /// Time to receive the headers, including idle time before, in seconds
    #[arg(long, env = "ANCHORD_HEADER_TIMEOUT", value_name = "ANCHORD_HEADER_TIMEOUT", default_value = "65")]
    #[arg(value_parser = whole::<u32>(1..=3_600))]
    pub header_timeout: u32,
    /// Maximum time for the body of a request, in seconds
    #[arg(long, env = "ANCHORD_BODY_TIMEOUT", value_name = "ANCHORD_BODY_TIMEOUT", default_value = "30")]
    #[arg(value_parser = whole::<u32>(1..=60))]
    pub body_timeout: u32,
    /// Address and port for /v1/admin and /metrics [default: the API's own address serves both]
    #[arg(long, env = "ANCHORD_ADMIN_LISTEN", value_name = "ANCHORD_ADMIN_LISTEN")]
    #[arg(value_parser = socket_address)]
    pub admin_listen: Option<SocketAddr>,
    /// Addresses or networks of the proxies in front of the service, separated by commas; their X-Forwarded-For is
    /// trusted
    #[arg(long, env = "ANCHORD_TRUSTED_PROXIES", value_name = "ANCHORD_TRUSTED_PROXIES")]
    #[arg(value_parser = network, value_delimiter = ',')]
    pub trusted_proxies: Vec<IpNet>,
    /// Origins whose pages may call the API from a browser (CORS), separated by a comma, or * for any; none without it
    #[arg(long, env = "ANCHORD_CORS_ORIGINS", value_name = "ANCHORD_CORS_ORIGINS", value_parser = origins)]
    pub cors_origins: Option<Origins>,
    /// Whether there is a console for people at /console
    #[arg(long, env = "ANCHORD_CONSOLE", value_name = "ANCHORD_CONSOLE", default_value = "on")]
    pub console: Console,
    /// The gateway, at the API's address
    #[command(flatten)]
    pub gateway: Gateway,
}

impl Api {
    /// The bytes of all bodies that are received or worked on at once.
    pub fn bodies_bytes(&self) -> u64 {
        self.max_bodies_bytes.unwrap_or(self.max_body_bytes.saturating_mul(LARGEST_BODIES))
    }

    /// Checks that an address of the operator's API comes with a token. With an embedded database the service makes one.
    ///
    /// # Errors
    /// When the operator's API has an address and nothing opens it.
    pub fn check_operator(&self, database: &Database) -> Result<(), BadValue> {
        refuse_unless(
            self.admin_listen.is_none() || self.admin_token.is_some() || database.database_url.is_none(),
            "ANCHORD_ADMIN_LISTEN",
            "only with ANCHORD_ADMIN_TOKEN, without which the operator's API is closed",
        )
    }
}

impl Check for Api {
    fn check(&self) -> Result<(), BadValue> {
        let sendable = |secret: &SecretString| secret.expose_secret().bytes().all(|b| b.is_ascii_graphic());
        let long = |secret: &SecretString| secret.expose_secret().len() >= 32;
        refuse_unless(
            self.api_key.as_ref().is_none_or(|key| long(key) && sendable(key)),
            "ANCHORD_API_KEY",
            "at least 32 characters, printable ASCII without spaces",
        )?;
        refuse_unless(
            self.admin_token.as_ref().is_none_or(|token| long(token) && sendable(token)),
            "ANCHORD_ADMIN_TOKEN",
            "at least 32 characters, printable ASCII without spaces",
        )?;
        refuse_unless(
            self.max_message_bytes <= self.max_body_bytes,
            "ANCHORD_MAX_MESSAGE_BYTES",
            "at most ANCHORD_MAX_BODY_BYTES, because a message arrives in a body",
        )?;
        refuse_unless(
            self.bodies_bytes() >= self.max_body_bytes.saturating_mul(2),
            "ANCHORD_MAX_BODIES_BYTES",
            "at least twice ANCHORD_MAX_BODY_BYTES, because one tenant's largest body must leave room for others",
        )
    }
}

fn network(text: &str) -> Result<IpNet, &'static str> {
    let network = text.trim().parse().or_else(|_| text.trim().parse::<IpAddr>().map(IpNet::from));
    network.map_err(|_| "must be IP addresses or networks, separated by a comma, such as 10.0.0.0/8,::1")
}

fn origins(text: &str) -> Result<Origins, String> {
    let entries: Vec<&str> = text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).collect();
    match entries.as_slice() {
        [] => Ok(Origins::None),
        ["*"] => Ok(Origins::Any),
        entries => {
            let read = |entry: &&str| origin(entry).and_then(|origin| HeaderValue::from_str(&origin).ok());
            let read: Option<Vec<HeaderValue>> = entries.iter().map(read).collect();
            read.map(Origins::These).ok_or_else(|| {
                "must be origins, separated by a comma, such as https://app.example.com,http://localhost:5173, or * alone \
                 for any"
                    .to_owned()
            })
        }
    }
}

/// An origin as browsers write it: scheme, host in lower case, and the port unless it is the scheme's own.
fn origin(text: &str) -> Option<String> {
    let url = reqwest::Url::parse(text).ok()?;
    let is_origin = ["http", "https"].contains(&url.scheme())
        && url.path() == "/"
        && !text.ends_with('/')
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    is_origin.then(|| url.origin().ascii_serialization())
}
