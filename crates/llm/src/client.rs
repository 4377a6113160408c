//! The client: sends a call as one request within limits and deadline, and decides when to retry.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::DateTime;
use rand::Rng as _;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::breaker::Breakers;
use super::call::{Attempt, Call, Response, Usage};
use super::dialect::{Dialect, Dialects, Refusal};
use super::error::LlmError;
use super::options::{Options, Provider};
use super::{anthropic, openai};
use anchord_messages::id::TenantId;
use anchord_runtime::shares::Shares;

/// The most bytes that are read of a response.
const MAX_RESPONSE_BYTES: usize = 4 * 1024 * 1024;
/// The longest deadline, however long the input is.
const LONGEST_DEADLINE: Duration = Duration::from_mins(10);
/// How often a call is tried at most.
const MAX_TRIES: u32 = 4;

/// A client for one provider; cheap to clone.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    http: reqwest::Client,
    options: Options,
    limits: Shares<TenantId>,
    breakers: Breakers,
    dialects: Dialects,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("provider", &self.inner.options.provider).finish_non_exhaustive()
    }
}

impl Client {
    /// Builds the client.
    ///
    /// # Errors
    /// When the system's certificates cannot be read.
    pub fn new(options: Options) -> Result<Self, reqwest::Error> {
        let http = build(options.timeout)?;
        let limits = Shares::new(options.concurrency, options.tenant_concurrency);
        let inner = Inner { http, limits, breakers: Breakers::new(), dialects: Dialects::new(), options };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The configuration of this client.
    pub fn options(&self) -> &Options {
        &self.inner.options
    }

    /// Whether sessions may name this model.
    pub fn allows(&self, model: &str) -> bool {
        self.inner.options.models.allow(model)
    }

    /// Sends one request, within the limits and the deadline.
    pub async fn attempt(&self, tenant: TenantId, call: &Call) -> Attempt {
        let inner = &*self.inner;
        let deadline = self.deadline(call.input_tokens);
        let Ok(permit) = inner.limits.take(tenant, 1, deadline).await else {
            return Attempt { result: Err(LlmError::Busy), usage: Usage::default(), latency: deadline };
        };
        // After the wait, during which breakers may have opened or closed.
        if !inner.breakers.allows(tenant, &call.model) {
            return Attempt { result: Err(LlmError::Open), usage: Usage::default(), latency: Duration::ZERO };
        }
        let started = Instant::now();
        let answer = tokio::time::timeout(deadline, self.send(call)).await;
        drop(permit);
        let answer = answer.unwrap_or(Response { result: Err(LlmError::Timeout), usage: Usage::default() });
        let is_good = !answer.result.as_ref().is_err_and(LlmError::is_outage);
        inner.breakers.record(tenant, &call.model, is_good);
        Attempt { result: answer.result, usage: answer.usage, latency: started.elapsed() }
    }

    /// How long to wait before the next try, after `tries` tries; `None` when the call must not be repeated.
    pub fn wait_before_next(&self, error: &LlmError, tries: u32) -> Option<Duration> {
        let options = &self.inner.options;
        // The same call would time out again; a shorter one may not.
        if !error.is_retryable() || *error == LlmError::Timeout || tries >= MAX_TRIES {
            return None;
        }
        let jitter = rand::rng().random_range(0.5..1.0);
        let own = options.backoff.saturating_mul(1 << tries.min(6)).mul_f64(jitter);
        match error.retry_after() {
            Some(asked) if asked > options.longest_wait => None,
            // Never earlier than asked; with jitter, because other clients were asked to wait as long.
            Some(asked) => Some(asked + options.backoff.mul_f64(jitter)),
            None => Some(own.min(options.longest_wait)),
        }
    }

    /// The cost of an attempt, in millionths of the currency of the prices; 0 for a model without a price.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "token counts are far below 2^52, and prices are checked to be positive"
    )]
    pub fn cost_micros(&self, model: &str, usage: Usage) -> u64 {
        let price = self.inner.options.prices.get(model).copied().unwrap_or_default();
        (usage.input_tokens as f64 * price.input + usage.output_tokens as f64 * price.output).round() as u64
    }

    fn deadline(&self, input_tokens: u32) -> Duration {
        let reading =
            Duration::from_secs(u64::from(input_tokens / self.inner.options.tokens_per_second.max(1)));
        let base = self.inner.options.timeout;
        (base + reading).min(LONGEST_DEADLINE.max(base))
    }

    /// Sends a call. When the server rejects a parameter, sends it again in a dialect that the server accepts.
    async fn send(&self, call: &Call) -> Response {
        let dialects = &self.inner.dialects;
        let mut dialect = dialects.get(&call.model);
        loop {
            let refused = match self.send_once(call, dialect).await {
                Ok(answer) => {
                    if answer.result.is_ok() && dialect.without_cache_key {
                        dialects.go_without_cache_key(&call.model);
                    }
                    return answer;
                }
                Err(refused) => refused,
            };
            // A dialect has three flags, and each pass sets one at least, so the loop ends.
            dialect = match dialects.learn(&call.model, dialect, &refused.refusal) {
                Some(learnt) => learnt,
                // The error names no parameter: try this call without the schema and the key for the cache, which servers
                // reject most often.
                None if refused.refusal.names_nothing() && !dialect.without_schema => {
                    Dialect { without_schema: true, without_cache_key: true, ..dialect }
                }
                None => return failed(refused.error),
            };
        }
    }

    /// Sends one request. An `Err` is a response that may reject a parameter.
    async fn send_once(&self, call: &Call, dialect: Dialect) -> Result<Response, Refused> {
        let inner = &*self.inner;
        let base = inner.options.base_url.as_deref();
        let (address, body) = match inner.options.provider {
            Provider::Openai => {
                (openai::address(base.unwrap_or(openai::BASE_URL), &call.model), openai::body(call, dialect))
            }
            Provider::Anthropic => {
                (format!("{}{}", base.unwrap_or(anthropic::BASE_URL), anthropic::PATH), anthropic::body(call))
            }
        };
        let mut request = inner.http.post(address).header("content-type", "application/json");
        let key = inner.options.api_key.as_ref().map(SecretString::expose_secret);
        request = match inner.options.provider {
            Provider::Openai => openai::headers(request, key, inner.options.sends_api_key),
            Provider::Anthropic => anthropic::headers(request, key),
        };
        let Answer { status, retry_after, bytes } =
            match answer(request.body(body.to_string()), MAX_RESPONSE_BYTES).await {
                Ok(answer) => answer,
                Err(error) => return Ok(failed(error)),
            };
        if status == 200 {
            let value = serde_json::from_slice::<Value>(&bytes).ok();
            let parse = |value: Value| match inner.options.provider {
                Provider::Openai => openai::parse(&value),
                Provider::Anthropic => anthropic::parse(&value),
            };
            return Ok(value.map_or_else(|| failed(LlmError::Malformed), parse));
        }
        let refusal = Refusal::read(&bytes);
        let error =
            classify(status, retry_after, &refusal, &String::from_utf8_lossy(&bytes).to_ascii_lowercase());
        // Servers differ in the parameters of chat completions only.
        let may_concern_a_parameter = inner.options.provider == Provider::Openai
            && matches!(error, LlmError::Status { status: 400 | 422, .. });
        if may_concern_a_parameter { Err(Refused { refusal, error }) } else { Ok(failed(error)) }
    }
}

/// Builds the HTTP client of a server of models.
pub(super) fn build(timeout: Duration) -> Result<reqwest::Client, reqwest::Error> {
    // Fails when a TLS crypto provider is installed already; that is the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10).min(timeout))
        .user_agent(concat!("anchord/", env!("CARGO_PKG_VERSION")))
        .build()
}

/// A response, read up to a limit.
struct Answer {
    status: u16,
    retry_after: Option<Duration>,
    bytes: Vec<u8>,
}

async fn answer(request: reqwest::RequestBuilder, most_bytes: usize) -> Result<Answer, LlmError> {
    let mut response = request
        .send()
        .await
        .map_err(|error| if error.is_timeout() { LlmError::Timeout } else { LlmError::Connection })?;
    let status = response.status().as_u16();
    let retry_after = retry_after(response.headers());
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| LlmError::Connection)? {
        if bytes.len() + chunk.len() > most_bytes {
            return Err(LlmError::Malformed);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Answer { status, retry_after, bytes })
}

/// The body of a good response.
pub(super) async fn read(request: reqwest::RequestBuilder, most_bytes: usize) -> Result<Vec<u8>, LlmError> {
    let Answer { status, retry_after, bytes } = answer(request, most_bytes).await?;
    if status == 200 {
        return Ok(bytes);
    }
    let message = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    Err(classify(status, retry_after, &Refusal::read(&bytes), &message))
}

/// A response that may reject a parameter of the request.
struct Refused {
    refusal: Refusal,
    error: LlmError,
}

fn failed(error: LlmError) -> Response {
    Response { result: Err(error), usage: Usage::default() }
}

/// Classifies an error response. Its message is examined here only and is stored nowhere.
fn classify(status: u16, retry_after: Option<Duration>, refusal: &Refusal, message: &str) -> LlmError {
    let too_long = [
        "context_length", "context length", "maximum context", "prompt is too long", "too many tokens",
        "context window",
    ];
    if matches!(status, 400 | 413 | 422)
        && (status == 413 || too_long.iter().any(|words| message.contains(words)))
    {
        return LlmError::TooLong;
    }
    if status == 400 && refusal.is_about_content() {
        return LlmError::Refused;
    }
    if matches!(status, 400 | 403 | 404) && refusal.is_about_the_model()
        || status == 404 && message.contains("model")
    {
        return LlmError::NoModel;
    }
    LlmError::Status { status, retry_after }
}

/// The wait that a server asks for: seconds, milliseconds (in a header that some servers add), or a date. A date is
/// compared with the server's own `Date`, so that the clocks need not agree.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let date = |name: &str| DateTime::parse_from_rfc2822(text(name)?).ok();
    let between = || {
        let until = date(RETRY_AFTER.as_str())?.signed_duration_since(date(DATE.as_str())?);
        Some(until.as_seconds_f64().max(0.0))
    };
    let ms = number("retry-after-ms").map(|ms| ms / 1_000.0);
    let seconds = ms.or_else(|| number(RETRY_AFTER.as_str())).or_else(between)?;
    (seconds.is_finite() && (0.0..1e9).contains(&seconds)).then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_wait_is_given_in_seconds_in_milliseconds_or_as_a_date() {
        let wait = |pairs: &[(&'static str, &str)]| retry_after(&headers(pairs)).map(|wait| wait.as_millis());
        assert_eq!(wait(&[("retry-after", "2")]), Some(2_000));
        assert_eq!(wait(&[("retry-after", "0.5")]), Some(500));
        assert_eq!(wait(&[("retry-after", "9"), ("retry-after-ms", "20")]), Some(20));
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(wait(&[date, ("retry-after", "Sun, 06 Nov 1994 08:49:40 GMT")]), Some(3_000));
        assert_eq!(wait(&[date, ("retry-after", "Sun, 06 Nov 1994 08:49:30 GMT")]), Some(0));
        for bad in ["", "soon", "-1", "NaN", "inf", "1e99", "Sun, 06 Nov 1994 08:49:40 GMT"] {
            assert_eq!(wait(&[("retry-after", bad)]), None, "{bad}");
        }
    }

    #[test]
    fn a_deadline_grows_with_the_input_up_to_a_maximum() {
        let client = Client::new(Options::new(Provider::Openai, "m".to_owned())).expect("a client");
        assert_eq!(client.deadline(0), Duration::from_mins(1));
        assert_eq!(client.deadline(30_000), Duration::from_mins(2));
        assert_eq!(client.deadline(u32::MAX), LONGEST_DEADLINE);
    }

    #[test]
    fn the_cost_of_a_call_follows_the_prices() {
        let price = super::super::options::Price { input: 0.15, output: 0.6 };
        let options = Options {
            prices: [("m".to_owned(), price)].into(),
            ..Options::new(Provider::Openai, "m".to_owned())
        };
        let client = Client::new(options).expect("a client");
        let usage = Usage { input_tokens: 10_000, cached_tokens: 0, output_tokens: 500 };
        assert_eq!((client.cost_micros("m", usage), client.cost_micros("other", usage)), (1_800, 0));
    }
}
