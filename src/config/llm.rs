//! The configuration of language models: server, models for each purpose, prices and limits.

use clap::{Args, ValueEnum};
use secrecy::{ExposeSecret as _, SecretString};

use super::value::{BadValue, Check, base_url, refuse_unless, secret, whole};
use anchord_llm::Price;

/// Which wire format the model server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LlmProvider {
    /// No model: code makes the summaries.
    None,
    /// A server that speaks OpenAI's chat completions.
    Openai,
    /// A server that speaks Anthropic's messages.
    Anthropic,
}

/// How the key is sent to a server that speaks chat completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KeyHeader {
    /// `Authorization: Bearer KEY`.
    Bearer,
    /// `api-key: KEY`, as Azure wants it.
    ApiKey,
}

/// The language model that words the summaries.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Language model")]
#[expect(clippy::struct_field_names, reason = "a field is named for its flag")]
pub struct Llm {
    /// API that the model's server speaks; with none, summaries are made by code alone
    #[arg(long, env = "ANCHORD_LLM_PROVIDER", value_name = "ANCHORD_LLM_PROVIDER", default_value = "none")]
    pub llm_provider: LlmProvider,
    /// Base URL of the model's server [default: the provider's own]
    #[arg(long, env = "ANCHORD_LLM_BASE_URL", value_name = "ANCHORD_LLM_BASE_URL", value_parser = base_url)]
    pub llm_base_url: Option<String>,
    /// API key for the model's server
    #[arg(long, env = "ANCHORD_LLM_API_KEY", value_name = "ANCHORD_LLM_API_KEY", hide_env_values = true)]
    #[arg(value_parser = secret)]
    pub llm_api_key: Option<SecretString>,
    /// How the API key is sent to a server that speaks chat completions
    #[arg(
        long,
        env = "ANCHORD_LLM_KEY_HEADER",
        value_name = "ANCHORD_LLM_KEY_HEADER",
        default_value = "bearer"
    )]
    pub llm_key_header: KeyHeader,
    /// Name of the model
    #[arg(long, env = "ANCHORD_LLM_MODEL", value_name = "ANCHORD_LLM_MODEL")]
    pub llm_model: Option<String>,
    /// Further models that sessions may name, separated by commas; * for any of the provider's
    #[arg(long, env = "ANCHORD_LLM_MODELS", value_name = "ANCHORD_LLM_MODELS", value_delimiter = ',')]
    llm_models: Vec<String>,
    /// Prices of a million input and output tokens, such as small=0.15/0.6,large=2.5/10; they are only recorded
    #[arg(long, env = "ANCHORD_LLM_PRICES", value_name = "ANCHORD_LLM_PRICES", value_delimiter = ',')]
    #[arg(value_parser = price)]
    pub llm_prices: Vec<(String, Price)>,
    /// Context window of the model in tokens, input and output together
    #[arg(long, env = "ANCHORD_LLM_CONTEXT_TOKENS", value_name = "ANCHORD_LLM_CONTEXT_TOKENS")]
    #[arg(default_value = "128000", value_parser = whole::<u32>(8_000..=10_000_000))]
    pub llm_context_tokens: u32,
    /// Most tokens of input of one call, where that should be less than the context window leaves beside the answer
    #[arg(long, env = "ANCHORD_LLM_INPUT_TOKENS", value_name = "ANCHORD_LLM_INPUT_TOKENS")]
    #[arg(default_value = "10000000", value_parser = whole::<u32>(4_000..=10_000_000))]
    pub llm_input_tokens: u32,
    /// Maximum number of concurrent calls to the model's server, 1 to 1000
    #[arg(
        long,
        env = "ANCHORD_LLM_CONCURRENCY",
        value_name = "ANCHORD_LLM_CONCURRENCY",
        default_value = "8"
    )]
    #[arg(value_parser = whole::<u16>(1..=1_000))]
    pub llm_concurrency: u16,
    /// Maximum number of concurrent calls of one tenant, 1 to 1000
    #[arg(long, env = "ANCHORD_LLM_TENANT_CONCURRENCY", value_name = "ANCHORD_LLM_TENANT_CONCURRENCY")]
    #[arg(default_value = "2", value_parser = whole::<u16>(1..=1_000))]
    pub llm_tenant_concurrency: u16,
    /// Timeout of a short call in seconds, 1 to 600; calls with long inputs get more
    #[arg(long, env = "ANCHORD_LLM_TIMEOUT", value_name = "ANCHORD_LLM_TIMEOUT", default_value = "60")]
    #[arg(value_parser = whole::<u16>(1..=600))]
    pub llm_timeout: u16,
    /// Model on the same server that answers the probes of every version [default: code answers them]
    #[arg(long, env = "ANCHORD_PROBE_MODEL", value_name = "ANCHORD_PROBE_MODEL")]
    pub probe_model: Option<String>,
    /// Model on the same server that writes exams from the messages, and answers them unless there is a probe model
    /// [default: no exams]
    #[arg(long, env = "ANCHORD_EXAM_MODEL", value_name = "ANCHORD_EXAM_MODEL")]
    pub exam_model: Option<String>,
    /// Model on the same server that judges summaries by a rubric [default: no rubric]
    #[arg(long, env = "ANCHORD_JUDGE_MODEL", value_name = "ANCHORD_JUDGE_MODEL")]
    pub judge_model: Option<String>,
}

/// The server that makes vectors of messages, by which recall finds what they mean.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Embeddings")]
pub struct Embeddings {
    /// Base URL of a server that speaks OpenAI's POST /embeddings; without it recall searches by words alone
    #[arg(long, env = "ANCHORD_EMBEDDINGS_URL", value_name = "ANCHORD_EMBEDDINGS_URL", value_parser = base_url)]
    pub embeddings_url: Option<String>,
    /// The model that makes the vectors; changing it recomputes all vectors
    #[arg(long, env = "ANCHORD_EMBEDDINGS_MODEL", value_name = "ANCHORD_EMBEDDINGS_MODEL")]
    pub embeddings_model: Option<String>,
    /// API key for the embeddings server
    #[arg(
        long,
        env = "ANCHORD_EMBEDDINGS_API_KEY",
        value_name = "ANCHORD_EMBEDDINGS_API_KEY",
        hide_env_values = true
    )]
    #[arg(value_parser = secret)]
    pub embeddings_api_key: Option<SecretString>,
    /// How the key is sent to the embeddings server
    #[arg(
        long,
        env = "ANCHORD_EMBEDDINGS_KEY_HEADER",
        value_name = "ANCHORD_EMBEDDINGS_KEY_HEADER",
        default_value = "bearer"
    )]
    pub embeddings_key_header: KeyHeader,
}

impl Check for Embeddings {
    fn check(&self) -> Result<(), BadValue> {
        let (url, model) = (self.embeddings_url.is_some(), self.embeddings_model.is_some());
        refuse_unless(
            model || !url,
            "ANCHORD_EMBEDDINGS_MODEL",
            "is required when ANCHORD_EMBEDDINGS_URL is set",
        )?;
        refuse_unless(
            url || !model,
            "ANCHORD_EMBEDDINGS_MODEL",
            "needs ANCHORD_EMBEDDINGS_URL; set both or neither",
        )?;
        check_sendable(self.embeddings_api_key.as_ref(), "ANCHORD_EMBEDDINGS_API_KEY")
    }
}

impl Llm {
    /// The models that sessions may name besides; `*` for any.
    pub fn models(&self) -> Vec<String> {
        self.llm_models.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    }

    /// Whether no model is configured.
    pub fn is_none(&self) -> bool {
        self.llm_provider == LlmProvider::None
    }
}

impl Check for Llm {
    fn check(&self) -> Result<(), BadValue> {
        if self.llm_provider == LlmProvider::None {
            // Reject it, because a model that is never called would be configured in vain.
            let allowed = "nothing, unless ANCHORD_LLM_PROVIDER is set";
            refuse_unless(self.probe_model.is_none(), "ANCHORD_PROBE_MODEL", allowed)?;
            refuse_unless(self.exam_model.is_none(), "ANCHORD_EXAM_MODEL", allowed)?;
            return refuse_unless(self.judge_model.is_none(), "ANCHORD_JUDGE_MODEL", allowed);
        }
        refuse_unless(
            self.llm_model.is_some(),
            "ANCHORD_LLM_MODEL",
            "is required when ANCHORD_LLM_PROVIDER is set",
        )?;
        check_sendable(self.llm_api_key.as_ref(), "ANCHORD_LLM_API_KEY")?;
        refuse_unless(
            self.llm_api_key.is_some() || self.llm_base_url.is_some(),
            "ANCHORD_LLM_API_KEY",
            "the provider's key, unless ANCHORD_LLM_BASE_URL names a server that needs none",
        )
    }
}

/// Checks that a header can carry a key.
fn check_sendable(key: Option<&SecretString>, variable: &'static str) -> Result<(), BadValue> {
    let sendable = |key: &SecretString| key.expose_secret().bytes().all(|b| b.is_ascii_graphic());
    refuse_unless(key.is_none_or(sendable), variable, "printable ASCII without spaces")
}

fn price(text: &str) -> Result<(String, Price), String> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|price| (0.0..=1e6).contains(price));
    let read = || {
        let (model, prices) = text.rsplit_once('=')?;
        let (input, output) = prices.split_once('/')?;
        let model = Some(model.trim().to_owned()).filter(|model| !model.is_empty())?;
        Some((model, Price { input: number(input)?, output: number(output)? }))
    };
    read().ok_or_else(|| "a model and its two prices are allowed, such as small=0.15/0.6".to_owned())
}
