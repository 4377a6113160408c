//! Configuration of a model server: provider, models, prices and limits.

use std::collections::BTreeMap;
use std::time::Duration;

use secrecy::SecretString;

use anchord_session::summary_models::SummaryModels;

/// Which wire format a server speaks; its text is the name of the provider in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Provider {
    /// Chat completions.
    Openai,
    /// Messages.
    Anthropic,
}

/// The price of a million tokens, in units of the currency; at a price of 1, one token costs a millionth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Price {
    /// Per million tokens in.
    pub input: f64,
    /// Per million tokens out.
    pub output: f64,
}

/// The configuration of a client.
#[derive(Clone, Debug)]
pub struct Options {
    /// The wire format.
    pub provider: Provider,
    /// The base URL of the server; without it, that of the provider.
    pub base_url: Option<String>,
    /// The API key, for servers that require one.
    pub api_key: Option<SecretString>,
    /// Whether chat completions send the key in the header `api-key` instead of as a bearer token.
    pub sends_api_key: bool,
    /// The model of sessions that name none.
    pub model: String,
    /// The models that sessions may name.
    pub models: SummaryModels,
    /// The model that answers probes; without one, code answers them.
    pub probe_model: Option<String>,
    /// The model that writes exams; without one, there are no exams.
    pub exam_model: Option<String>,
    /// The model that judges summaries; without one, there is no rubric.
    pub judge_model: Option<String>,
    /// Prices by model. The cost of a model without a price counts as 0.
    pub prices: BTreeMap<String, Price>,
    /// The context window: the most tokens that one call may read and write together.
    pub context_tokens: u32,
    /// The most tokens of one call's input, where that is less than the window leaves beside the answer.
    pub input_tokens: u32,
    /// The most concurrent calls.
    pub concurrency: u32,
    /// The most concurrent calls of one tenant.
    pub tenant_concurrency: u32,
    /// The deadline of a call without input; the input adds to it.
    pub timeout: Duration,
    /// The tokens that the server is expected to read in a second; a deadline grows by the input at this rate.
    pub tokens_per_second: u32,
    /// The first wait before a retry when the server names none; it doubles with each retry, with jitter.
    pub backoff: Duration,
    /// The longest wait that a server may ask for; beyond it the call fails.
    pub longest_wait: Duration,
}

impl Options {
    /// The defaults for a provider and a model.
    pub fn new(provider: Provider, model: String) -> Self {
        Self {
            provider,
            base_url: None,
            api_key: None,
            sends_api_key: false,
            models: SummaryModels::Listed(vec![model.clone()]),
            model,
            probe_model: None,
            exam_model: None,
            judge_model: None,
            prices: BTreeMap::new(),
            context_tokens: 128_000,
            input_tokens: u32::MAX,
            concurrency: 8,
            tenant_concurrency: 2,
            timeout: Duration::from_mins(1),
            tokens_per_second: 500,
            backoff: Duration::from_secs(1),
            longest_wait: Duration::from_mins(1),
        }
    }
}
