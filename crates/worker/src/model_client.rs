//! Asks a model a question, with retries. Each attempt is recorded in the call log before it is sent and after it ends.

use tracing::field::Empty;
use tracing::{Instrument as _, info_span};

use super::call_log::CallLog;
use super::job::JobError;
use anchord_llm::{Attempt, Call, Client, LlmError};
use anchord_messages::id::Seq;
use anchord_record::changes::Prompt;
use anchord_record::probe::Spent;
use anchord_store::narratives::{AttemptEnd, NewAttempt};

/// An estimate of the tokens of instructions and schema.
pub(super) const INSTRUCTION_TOKENS: u32 = 2_400;

/// A question to a model.
#[derive(Debug)]
pub(super) struct Question<'a> {
    /// The purpose in the call log: `summarise`, `repair`, `detail`, `probe`, `examine`, `read` or `judge`.
    pub(super) purpose: &'static str,
    /// The messages that the question is about.
    pub(super) span: (Seq, Seq),
    pub(super) prompt: &'a Prompt,
    pub(super) schema: serde_json::Value,
    pub(super) max_output_tokens: u32,
    /// An estimate of the tokens of the data; the deadline grows with it.
    pub(super) input_tokens: u32,
}

/// An answer, and the time and money that it took.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) spent: Spent,
}

/// A model, its client, and the log that its calls are recorded in.
#[derive(Clone, Copy)]
pub(super) struct ModelClient<'a> {
    pub(super) call_log: CallLog<'a>,
    pub(super) client: &'a Client,
    pub(super) model: &'a str,
}

impl ModelClient<'_> {
    /// Asks a question, and repeats it as long as that may help.
    pub(super) async fn ask(&self, question: Question<'_>) -> Result<Result<Reply, LlmError>, JobError> {
        let call = Call {
            model: self.model.to_owned(),
            system: question.prompt.system.clone(),
            user: question.prompt.user.clone(),
            parts: question.prompt.parts.clone(),
            cache_key: self.call_log.cache_key(),
            schema: question.schema,
            max_output_tokens: question.max_output_tokens,
            input_tokens: question.input_tokens.saturating_add(INSTRUCTION_TOKENS),
        };
        let new = NewAttempt {
            purpose: question.purpose,
            from_seq: question.span.0,
            through_seq: question.span.1,
            provider: self.client.options().provider.into(),
            model: self.model,
        };
        let mut tries = 0;
        loop {
            tries += 1;
            let open = self.call_log.begin(new).await?;
            let span = info_span!(
                "llm.call",
                llm.purpose = question.purpose,
                llm.provider = new.provider,
                llm.model = self.model,
                llm.outcome = Empty,
                llm.tokens.input = Empty,
                llm.tokens.output = Empty
            );
            // The trace context is not sent, because the server belongs to a third party.
            let attempt = self.client.attempt(self.call_log.tenant(), &call).instrument(span.clone()).await;
            let end = self.end(question.purpose, &attempt);
            span.record("llm.outcome", end.outcome);
            span.record("llm.tokens.input", end.input_tokens);
            span.record("llm.tokens.output", end.output_tokens);
            drop(span);
            self.call_log.end(open, end).await?;
            let error = match attempt.result {
                Ok(text) => {
                    let spent = Spent { latency_ms: end.latency_ms, micros: end.cost_micros };
                    return Ok(Ok(Reply { text, spent }));
                }
                Err(error) => error,
            };
            let Some(wait) = self.client.wait_before_next(&error, tries) else { return Ok(Err(error)) };
            tokio::time::sleep(wait).await;
        }
    }

    /// Records metrics of an attempt; returns its entry for the call log.
    fn end(&self, purpose: &'static str, attempt: &Attempt) -> AttemptEnd {
        let outcome = attempt.result.as_ref().map_or_else(<&str>::from, |_| "ok");
        let http_status = match &attempt.result {
            Err(LlmError::Status { status, .. }) => Some(*status),
            _ => None,
        };
        let latency_ms = u64::try_from(attempt.latency.as_millis()).unwrap_or(u64::MAX);
        let cost_micros = self.client.cost_micros(self.model, attempt.usage);
        metrics::counter!("anchord_llm_calls_total", "outcome" => outcome, "purpose" => purpose).increment(1);
        metrics::counter!("anchord_llm_tokens_total", "direction" => "input")
            .increment(attempt.usage.input_tokens);
        metrics::counter!("anchord_llm_tokens_total", "direction" => "output")
            .increment(attempt.usage.output_tokens);
        metrics::counter!("anchord_llm_cost_micros_total").increment(cost_micros);
        metrics::histogram!("anchord_llm_call_seconds", "purpose" => purpose)
            .record(attempt.latency.as_secs_f64());
        AttemptEnd {
            outcome,
            http_status,
            input_tokens: attempt.usage.input_tokens,
            cached_tokens: attempt.usage.cached_tokens,
            output_tokens: attempt.usage.output_tokens,
            latency_ms,
            cost_micros,
        }
    }
}
