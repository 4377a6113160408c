//! The one client: a call becomes one request, and its answer or failure one attempt.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::DateTime;
use rand::Rng as _;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::breaker::Breakers;
use super::dialect::{Dialect, Dialects, Refusal};
use super::limits::Limits;
use super::{LlmError, Options, Provider, anthropic, openai};
use anchord_messages::id::TenantId;

/// Most bytes that are read of an answer.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// The longest deadline, whatever the input.
const LONGEST_DEADLINE: Duration = Duration::from_mins(10);
/// How often a call is tried before it is given up.
const TRIES: u32 = 4;

/// What is asked.
#[derive(Clone)]
pub struct Call {
    /// The model.
    pub model: String,
    /// The instructions.
    pub system: String,
    /// The data.
    pub user: String,
    /// The schema of the answer.
    pub schema: Value,
    /// The most tokens of the answer.
    pub max_output_tokens: u32,
    /// Tokens of the input, about; scales the deadline.
    pub input_tokens: u32,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("model", &self.model)
            .field("input_tokens", &self.input_tokens)
            .finish_non_exhaustive()
    }
}

/// What one attempt used, as the server counts it; 0 where it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens in, cached ones included.
    pub input_tokens: u64,
    /// Those of them that the server read from its cache.
    pub cached_tokens: u64,
    /// Tokens out.
    pub output_tokens: u64,
}

/// One request and what came of it.
pub struct Attempt {
    /// The answer's text.
    pub result: Result<String, LlmError>,
    /// What it used.
    pub usage: Usage,
    /// How long it took.
    pub latency: Duration,
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = self.result.as_ref().err();
        f.debug_struct("Attempt").field("usage", &self.usage).field("error", &error).finish_non_exhaustive()
    }
}

/// The answer of a wire format, read.
pub(super) struct Answer {
    pub(super) result: Result<String, LlmError>,
    pub(super) usage: Usage,
}

/// A client for one provider; cheap to clone.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    http: reqwest::Client,
    options: Options,
    limits: Limits,
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
        // Of several in a process the first stays, and all are the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(Duration::from_secs(10).min(options.timeout))
            .user_agent(concat!("anchord/", env!("CARGO_PKG_VERSION")))
            .build()?;
        let limits = Limits::new(options.concurrency, options.tenant_concurrency);
        let inner = Inner { http, limits, breakers: Breakers::new(), dialects: Dialects::new(), options };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What the operator configured.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.inner.options
    }

    /// Whether sessions may name a model.
    #[must_use]
    pub fn allows(&self, model: &str) -> bool {
        self.inner.options.models.allow(model)
    }

    /// Sends one request, within the limits and the deadline.
    pub async fn attempt(&self, tenant: TenantId, call: &Call) -> Attempt {
        let inner = &*self.inner;
        let deadline = self.deadline(call.input_tokens);
        let Ok(permit) = tokio::time::timeout(deadline, inner.limits.acquire(tenant)).await else {
            return Attempt { result: Err(LlmError::Busy), usage: Usage::default(), latency: deadline };
        };
        // After the wait: what was open may be closed, and the other way round.
        if !inner.breakers.lets_through(tenant, &call.model) {
            return Attempt { result: Err(LlmError::Open), usage: Usage::default(), latency: Duration::ZERO };
        }
        let started = Instant::now();
        let answer = tokio::time::timeout(deadline, self.send(call)).await;
        drop(permit);
        let answer = answer.unwrap_or(Answer { result: Err(LlmError::Timeout), usage: Usage::default() });
        let is_good = !answer.result.as_ref().is_err_and(LlmError::is_outage);
        inner.breakers.note(tenant, &call.model, is_good);
        Attempt { result: answer.result, usage: answer.usage, latency: started.elapsed() }
    }

    /// How long to wait before the next try after `tries` of them; `None` when it is given up.
    #[must_use]
    pub fn wait_before_next(&self, error: &LlmError, tries: u32) -> Option<Duration> {
        let options = &self.inner.options;
        // What took too long once takes as long again; a shorter question may not.
        if !error.is_retryable() || *error == LlmError::Timeout || tries >= TRIES {
            return None;
        }
        let jitter = rand::rng().random_range(0.5..1.0);
        let own = options.backoff.saturating_mul(1 << tries.min(6)).mul_f64(jitter);
        match error.retry_after() {
            Some(asked) if asked > options.longest_wait => None,
            // Later than asked and never earlier; spread, because others were told the same.
            Some(asked) => Some(asked + options.backoff.mul_f64(jitter)),
            None => Some(own.min(options.longest_wait)),
        }
    }

    /// What an attempt cost, in millionths of the prices' currency.
    #[must_use]
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

    /// Sends, and again as the model's server takes it when it refuses how it was asked.
    async fn send(&self, call: &Call) -> Answer {
        let dialects = &self.inner.dialects;
        let mut dialect = dialects.of(&call.model);
        loop {
            let refused = match self.send_once(call, dialect).await {
                Ok(answer) => return answer,
                Err(refused) => refused,
            };
            // Two things can be learnt, so that this ends.
            dialect = match dialects.learn(&call.model, dialect, &refused.refusal) {
                Some(learnt) => learnt,
                // It names nothing: this call alone is tried without the schema, which servers refuse most.
                None if refused.refusal.is_silent() && !dialect.plain => Dialect { plain: true, ..dialect },
                None => return failed(refused.error),
            };
        }
    }

    /// One request; an error is one that may be about how it was asked.
    async fn send_once(&self, call: &Call, dialect: Dialect) -> Result<Answer, Refused> {
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
        let mut response = match request.body(body.to_string()).send().await {
            Ok(response) => response,
            Err(error) if error.is_timeout() => return Ok(failed(LlmError::Timeout)),
            Err(_) => return Ok(failed(LlmError::Connection)),
        };
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let mut bytes = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if bytes.len() + chunk.len() <= MAX_ANSWER_BYTES => {
                    bytes.extend_from_slice(&chunk);
                }
                Ok(Some(_)) => return Ok(failed(LlmError::Malformed)),
                Ok(None) => break,
                Err(_) => return Ok(failed(LlmError::Connection)),
            }
        }
        if status == 200 {
            let value = serde_json::from_slice::<Value>(&bytes).ok();
            let read = |value: Value| match inner.options.provider {
                Provider::Openai => openai::read(&value),
                Provider::Anthropic => anthropic::read(&value),
            };
            return Ok(value.map_or_else(|| failed(LlmError::Malformed), read));
        }
        let refusal = Refusal::read(&bytes);
        let error =
            meaning(status, retry_after, &refusal, &String::from_utf8_lossy(&bytes).to_ascii_lowercase());
        // Only this format has parameters that servers differ in, and what is understood already is not asked again.
        let may_teach = inner.options.provider == Provider::Openai
            && matches!(error, LlmError::Status { status: 400 | 422, .. });
        if may_teach { Err(Refused { refusal, error }) } else { Ok(failed(error)) }
    }
}

/// An answer that may be about how the server was asked.
struct Refused {
    refusal: Refusal,
    error: LlmError,
}

fn failed(error: LlmError) -> Answer {
    Answer { result: Err(error), usage: Usage::default() }
}

/// What an error means; its words are looked at for this call alone and go no further.
fn meaning(status: u16, retry_after: Option<Duration>, refusal: &Refusal, said: &str) -> LlmError {
    let too_long = [
        "context_length",
        "context length",
        "maximum context",
        "prompt is too long",
        "too many tokens",
        "context window",
    ];
    if matches!(status, 400 | 413 | 422)
        && (status == 413 || too_long.iter().any(|words| said.contains(words)))
    {
        return LlmError::TooLong;
    }
    if status == 400 && refusal.is_about_content() {
        return LlmError::Refused;
    }
    if matches!(status, 400 | 403 | 404) && refusal.is_about_the_model()
        || status == 404 && said.contains("model")
    {
        return LlmError::NoModel;
    }
    LlmError::Status { status, retry_after }
}

/// Seconds, or milliseconds under the header that some servers send besides, or a date. A date is held
/// against the server's own, so that its clock and ours need not agree.
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
    fn a_wait_is_told_in_seconds_in_milliseconds_or_by_a_date() {
        let told = |pairs: &[(&'static str, &str)]| retry_after(&headers(pairs)).map(|wait| wait.as_millis());
        assert_eq!(told(&[("retry-after", "2")]), Some(2_000));
        assert_eq!(told(&[("retry-after", "0.5")]), Some(500));
        assert_eq!(told(&[("retry-after", "9"), ("retry-after-ms", "20")]), Some(20));
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(told(&[date, ("retry-after", "Sun, 06 Nov 1994 08:49:40 GMT")]), Some(3_000));
        assert_eq!(told(&[date, ("retry-after", "Sun, 06 Nov 1994 08:49:30 GMT")]), Some(0));
        for bad in ["", "soon", "-1", "NaN", "inf", "1e99", "Sun, 06 Nov 1994 08:49:40 GMT"] {
            assert_eq!(told(&[("retry-after", bad)]), None, "{bad}");
        }
    }

    #[test]
    fn a_deadline_grows_with_the_input_and_has_an_end() {
        let client = Client::new(Options::new(Provider::Openai, "m".to_owned())).expect("a client");
        assert_eq!(client.deadline(0), Duration::from_mins(1));
        assert_eq!(client.deadline(30_000), Duration::from_mins(2));
        assert_eq!(client.deadline(u32::MAX), LONGEST_DEADLINE);
    }

    #[test]
    fn what_a_call_cost_follows_the_prices() {
        let price = super::super::Price { input: 0.15, output: 0.6 };
        let options = Options {
            prices: [("m".to_owned(), price)].into(),
            ..Options::new(Provider::Openai, "m".to_owned())
        };
        let client = Client::new(options).expect("a client");
        let usage = Usage { input_tokens: 10_000, cached_tokens: 0, output_tokens: 500 };
        assert_eq!((client.cost_micros("m", usage), client.cost_micros("other", usage)), (1_800, 0));
    }
}
