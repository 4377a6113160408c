//! A span told by a model: piece by piece, each asked, read, checked and kept before the next.
//!
//! The way down when something fails: the call again (as long as it may help), one repair call, smaller
//! pieces, and then the deterministic engine, which the caller of this file goes on with. Nothing of a
//! prompt or a reply is logged.

use std::sync::Arc;

use tracing::{info, warn};

use super::engine::Digest;
use super::{Env, JobError, blocking};
use crate::domain::id::Seq;
use crate::domain::narrative::{self, Chunk, Frame, Narrative, Prompt};
use crate::llm::{Attempt, Call, Client, LlmError};
use crate::store::compressions::Job;
use crate::store::narratives::{AttemptEnd, FinishedChunk, NewAttempt};

/// How often the pieces may be made smaller in one compression.
const SMALLER: u32 = 2;
/// The least tokens of a piece.
const LEAST_CHUNK_TOKENS: u32 = 800;
/// Tokens of the instructions and the schema, about.
const INSTRUCTION_TOKENS: u32 = 1_500;

/// Why the model's telling came to nothing, in a stable word for the version's warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fallen(pub(super) &'static str);

/// Why one piece came to nothing.
enum Broken {
    /// Smaller pieces may do.
    Smaller(&'static str),
    /// They would not.
    Whole(&'static str),
}

/// Tells a span by `model`, or why that came to nothing.
pub(super) async fn tell(
    env: &Env,
    client: &Client,
    job: &Job,
    digest: &Arc<Digest>,
    model: &str,
) -> Result<Result<Narrative, Fallen>, JobError> {
    let teller = Teller { env, client, job, model };
    let told = teller.tell(digest).await?;
    match &told {
        Ok(_) => info!(compression.id = %job.id, llm.model = model, "llm.told"),
        Err(Fallen(reason)) => {
            warn!(compression.id = %job.id, llm.model = model, reason, "llm.fallen");
        }
    }
    let ended = told.as_ref().map_or_else(|Fallen(reason)| *reason, |_| "told");
    metrics::counter!("anchord_llm_narratives_total", "ended" => ended).increment(1);
    Ok(told)
}

struct Teller<'a> {
    env: &'a Env,
    client: &'a Client,
    job: &'a Job,
    model: &'a str,
}

impl Teller<'_> {
    async fn tell(&self, digest: &Arc<Digest>) -> Result<Result<Narrative, Fallen>, JobError> {
        let window = self.client.options().context_tokens;
        // Another tokenizer may count a fifth more than ours.
        let room = (window.saturating_sub(narrative::REPLY_TOKENS + INSTRUCTION_TOKENS) / 5 * 4)
            .max(2 * LEAST_CHUNK_TOKENS);
        // A fifth of the room for facts and the current summary, at about three characters a token.
        let frame_tokens = room / 5;
        let frame_chars = usize::try_from(frame_tokens).unwrap_or_default().saturating_mul(3).min(60_000);
        let read = Arc::clone(digest);
        let frame = blocking(move || {
            let base = read.material.base.as_ref().map(|base| &base.summary);
            Arc::new(Frame::new(&read.facts, base, frame_chars))
        })
        .await?;
        let span = &digest.material.span;
        let (Some(first), Some(last)) = (span.first(), span.last()) else {
            return Ok(Err(Fallen("nothing_to_tell")));
        };
        // A history that is read afresh is told page by page, each page with pieces of its own.
        let own = |chunk: &FinishedChunk| chunk.from_seq >= first.seq && chunk.through_seq <= last.seq;
        let finished = self.env.store.finished_chunks(self.job).await?.into_iter().filter(own);
        let mut finished = finished.peekable();
        let mut budget = room - frame_tokens;
        let mut told: Vec<Narrative> = Vec::new();
        let mut after = first.seq - 1;
        let mut smaller = 0;
        loop {
            // Paid for by an earlier claim.
            if let Some(chunk) = finished.next_if(|chunk| chunk.from_seq > after) {
                after = chunk.through_seq;
                told.push(chunk.narrative);
                continue;
            }
            let earlier = (!told.is_empty()).then(|| narrative::together(told.clone()));
            let Some((chunk, prompt)) = Self::next(digest, &frame, (after, budget), earlier).await? else {
                break;
            };
            match self.ask(&chunk, &prompt, digest).await? {
                Ok(narrative) => {
                    let done =
                        FinishedChunk { from_seq: chunk.from_seq, through_seq: chunk.through_seq, narrative };
                    if !self.env.store.keep_chunk(self.job, &done).await? {
                        return Err(JobError::Lost);
                    }
                    after = chunk.through_seq;
                    told.push(done.narrative);
                }
                Err(Broken::Smaller(_)) if smaller < SMALLER && chunk.tokens > LEAST_CHUNK_TOKENS => {
                    smaller += 1;
                    budget = (chunk.tokens.min(budget) / 2).max(LEAST_CHUNK_TOKENS);
                }
                Err(Broken::Smaller(reason) | Broken::Whole(reason)) => return Ok(Err(Fallen(reason))),
            }
        }
        if told.is_empty() {
            return Ok(Err(Fallen("nothing_to_tell")));
        }
        Ok(Ok(narrative::together(told)))
    }

    /// The next piece and its prompt; made apart, because long texts are searched for secrets.
    async fn next(
        digest: &Arc<Digest>,
        frame: &Arc<Frame>,
        (after, budget): (Seq, u32),
        earlier: Option<Narrative>,
    ) -> Result<Option<(Chunk, Prompt)>, JobError> {
        let (digest, frame) = (Arc::clone(digest), Arc::clone(frame));
        blocking(move || {
            let (material, ends) = (&digest.material, &digest.ends);
            let chunk = narrative::next_chunk(&material.span, ends, after, budget, material.counter)?;
            let prompt = frame.prompt(&chunk, earlier.as_ref());
            Some((chunk, prompt))
        })
        .await
    }

    /// Asks about one piece: the question, and one repair.
    async fn ask(
        &self,
        chunk: &Chunk,
        prompt: &Prompt,
        digest: &Arc<Digest>,
    ) -> Result<Result<Narrative, Broken>, JobError> {
        let reply = match self.call(chunk, prompt, "summarise").await? {
            Ok(reply) => reply,
            Err(broken) => return Ok(Err(broken)),
        };
        let read = match narrative::read(&reply) {
            Ok(read) => read,
            Err(error) => {
                let reply = match self.call(chunk, &prompt.repair(&error), "repair").await? {
                    Ok(reply) => reply,
                    Err(broken) => return Ok(Err(broken)),
                };
                match narrative::read(&reply) {
                    Ok(read) => read,
                    Err(_) => return Ok(Err(Broken::Smaller("unusable_reply"))),
                }
            }
        };
        let (digest, chunk) = (Arc::clone(digest), chunk.clone());
        let checked = blocking(move || {
            let base = digest.material.base.as_ref().map(|base| &base.summary);
            narrative::keep_supported(read, &chunk, &digest.facts, base)
        });
        Ok(Ok(checked.await?))
    }

    /// One call, tried as often as it may help; every try is recorded.
    async fn call(
        &self,
        chunk: &Chunk,
        prompt: &Prompt,
        purpose: &'static str,
    ) -> Result<Result<String, Broken>, JobError> {
        let call = Call {
            model: self.model.to_owned(),
            system: prompt.system.clone(),
            user: prompt.user.clone(),
            schema: narrative::schema(),
            max_output_tokens: narrative::REPLY_TOKENS,
            input_tokens: chunk.tokens,
        };
        let new = NewAttempt {
            purpose,
            from_seq: chunk.from_seq,
            through_seq: chunk.through_seq,
            provider: self.client.options().provider.as_str(),
            model: self.model,
        };
        let mut tries = 0;
        loop {
            tries += 1;
            let Some(id) = self.env.store.begin_llm_attempt(self.job, new).await? else {
                return Err(JobError::Lost);
            };
            let attempt = self.client.attempt(self.job.tenant, &call).await;
            self.env.store.end_llm_attempt(self.job, id, self.end(&attempt)).await?;
            let error = match attempt.result {
                Ok(reply) => return Ok(Ok(reply)),
                Err(error) => error,
            };
            if let Some(wait) = self.client.wait_before_next(&error, tries) {
                tokio::time::sleep(wait).await;
                continue;
            }
            return Ok(Err(match error {
                // Less to read and to tell may go through.
                LlmError::TooLong | LlmError::Cut | LlmError::Timeout => Broken::Smaller(error.as_str()),
                LlmError::Status { .. }
                | LlmError::NoModel
                | LlmError::Connection
                | LlmError::Malformed
                | LlmError::Refused
                | LlmError::Open
                | LlmError::Busy => Broken::Whole(error.as_str()),
            }));
        }
    }

    fn end(&self, attempt: &Attempt) -> AttemptEnd {
        let outcome = attempt.result.as_ref().map_or_else(LlmError::as_str, |_| "ok");
        let http_status = match &attempt.result {
            Err(LlmError::Status { status, .. }) => Some(*status),
            _ => None,
        };
        let latency_ms = u64::try_from(attempt.latency.as_millis()).unwrap_or(u64::MAX);
        metrics::counter!("anchord_llm_calls_total", "outcome" => outcome).increment(1);
        metrics::counter!("anchord_llm_tokens_total", "direction" => "input")
            .increment(attempt.usage.input_tokens);
        metrics::counter!("anchord_llm_tokens_total", "direction" => "output")
            .increment(attempt.usage.output_tokens);
        metrics::histogram!("anchord_llm_call_seconds").record(attempt.latency.as_secs_f64());
        AttemptEnd {
            outcome,
            http_status,
            input_tokens: attempt.usage.input_tokens,
            output_tokens: attempt.usage.output_tokens,
            latency_ms,
            cost_micros: self.client.cost_micros(self.model, attempt.usage),
        }
    }
}
