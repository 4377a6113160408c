//! Configuration of the gateway.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use secrecy::SecretString;
use url::Url;

use super::value::{secret, socket_address, upstream};

/// Who answers compactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Answers {
    /// The service, where a model writes the summaries.
    Model,
    /// The service, also where code alone writes them.
    Code,
}

/// A request that cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Unkept {
    /// Goes to the provider all the same, and its answer says so.
    Pass,
    /// Is refused.
    Refuse,
}

/// The gateway for agents whose base URL it is.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Gateway")]
pub struct Gateway {
    /// Base URL of Anthropic's API, to which /gateway/anthropic passes requests on [default: no such route]
    #[arg(long, env = "ANCHORD_GATEWAY_ANTHROPIC", value_name = "ANCHORD_GATEWAY_ANTHROPIC")]
    #[arg(value_parser = upstream)]
    pub gateway_anthropic: Option<Url>,
    /// Base URL of OpenAI's API, to which /gateway/openai passes requests on [default: no such route]
    #[arg(long, env = "ANCHORD_GATEWAY_OPENAI", value_name = "ANCHORD_GATEWAY_OPENAI")]
    #[arg(value_parser = upstream)]
    pub gateway_openai: Option<Url>,
    /// Whether the gateway answers compactions only where a model writes the summaries, or also where code does
    #[arg(long, env = "ANCHORD_GATEWAY_ANSWERS", value_name = "ANCHORD_GATEWAY_ANSWERS")]
    #[arg(default_value = "model")]
    pub gateway_answers: Answers,
    /// Whether a request that cannot be kept goes to the provider all the same, or is refused: then each is stored first
    #[arg(long, env = "ANCHORD_GATEWAY_UNKEPT", value_name = "ANCHORD_GATEWAY_UNKEPT")]
    #[arg(default_value = "pass")]
    pub gateway_unkept: Unkept,
    /// Address and port of the gateway alone [default: the API's own address serves it]
    #[arg(long, env = "ANCHORD_GATEWAY_LISTEN", value_name = "ANCHORD_GATEWAY_LISTEN")]
    #[arg(value_parser = socket_address)]
    pub gateway_listen: Option<SocketAddr>,
}

/// Keys that sealed what the gateway gave to agents.
#[derive(Args, Clone, Debug)]
pub struct Sealing {
    /// Data folder of a service on this machine, which has its key
    #[arg(long, env = "ANCHORD_DATA_DIR", value_name = "FOLDER", default_value = "./data")]
    pub data_dir: PathBuf,
    /// Keys that encrypt secrets [default: that of the data folder]
    #[arg(long, env = "ANCHORD_SECRETS_KEY", value_name = "ANCHORD_SECRETS_KEY", hide_env_values = true)]
    #[arg(value_parser = secret)]
    pub secrets_key: Option<SecretString>,
}

/// The providers of an agent that is run on this machine, Anthropic's and OpenAI's: the upstreams that are set for the
/// gateway, else those that are set for the agent.
pub fn upstreams_of_agents() -> [Option<String>; 2] {
    #[expect(clippy::disallowed_methods, reason = "the configuration is the one reader of the environment")]
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    // An agent that runs under another one has a gateway as its provider already.
    let provider = |name: &str| set(name).filter(|url| !url.contains("/gateway"));
    let openai =
        provider("OPENAI_BASE_URL").map(|url| url.trim_end_matches('/').trim_end_matches("/v1").to_owned());
    [
        set("ANCHORD_GATEWAY_ANTHROPIC").or_else(|| provider("ANTHROPIC_BASE_URL")),
        set("ANCHORD_GATEWAY_OPENAI").or(openai),
    ]
}
