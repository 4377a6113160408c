//! A span told by a model: piece by piece, each asked, read, checked and kept before the next.
//!
//! The way down when something fails: the call again (as long as it may help), one repair call, smaller
//! pieces, and then the deterministic engine, which the caller of this file goes on with. Nothing of a
//! prompt or a reply is logged.

use std::sync::Arc;

use tracing::{info, warn};

use super::{Env, JobError};
use crate::domain::candidate::Material;
use crate::domain::id::Seq;
use crate::domain::ledger::Facts;
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

/// What the model is asked about.
#[derive(Clone)]
pub(super) struct Desk {
    /// The span and what it follows.
    pub(super) material: Arc<Material>,
    /// Its facts.
    pub(super) facts: Arc<Facts>,
    /// The last messages of its groups.
    pub(super) ends: Arc<[Seq]>,
}

/// Why the model's telling came to nothing, in a stable word for the version's warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fallen(pub(super) &'static str);

/// Why one piece came to nothing.
enum Broken {
    /// Smaller pieces may do.
    Smaller(&'static str),
    /// They would not.
    Whole(&'static str),
    /// The lease is lost: everything that would follow is another worker's.
    Lost,
}

/// What telling a span came to.
pub(super) enum Told {
    /// A narrative.
    Narrative(Box<Narrative>),
    /// Nothing that can be used.
    Fallen(Fallen),
    /// The lease is lost.
    Lost,
}

/// Tells a span by `model`.
pub(super) async fn tell(
    env: &Env,
    client: &Client,
    job: &Job,
    desk: &Desk,
    model: &str,
) -> Result<Told, JobError> {
    if !client.is_worth_trying(job.session) {
        return Ok(Told::Fallen(Fallen("session_resting")));
    }
    let teller = Teller { env, client, job, model };
    let told = teller.tell(desk).await?;
    match &told {
        Told::Narrative(_) => info!(compression.id = %job.id, llm.model = model, "llm.told"),
        Told::Fallen(Fallen(reason)) => {
            warn!(compression.id = %job.id, llm.model = model, reason, "llm.fallen");
        }
        Told::Lost => {}
    }
    metrics::counter!("anchord_llm_narratives_total", "ended" => match &told {
        Told::Narrative(_) => "told",
        Told::Fallen(Fallen(reason)) => reason,
        Told::Lost => "lost",
    })
    .increment(1);
    Ok(told)
}

struct Teller<'a> {
    env: &'a Env,
    client: &'a Client,
    job: &'a Job,
    model: &'a str,
}

impl Teller<'_> {
    async fn tell(&self, desk: &Desk) -> Result<Told, JobError> {
        let window = self.client.options().context_tokens;
        // Another tokenizer may count a fifth more than ours.
        let room = (window.saturating_sub(narrative::REPLY_TOKENS + INSTRUCTION_TOKENS) / 5 * 4)
            .max(2 * LEAST_CHUNK_TOKENS);
        // A fifth of the room for facts and the current summary, at about three characters a token.
        let frame_tokens = room / 5;
        let frame_chars = usize::try_from(frame_tokens).unwrap_or_default().saturating_mul(3).min(60_000);
        let base = desk.material.base.as_ref().map(|base| &base.summary);
        let frame = Arc::new(Frame::new(&desk.facts, base, frame_chars));
        let mut budget = room - frame_tokens;
        let mut finished = self.env.store.finished_chunks(self.job).await?.into_iter().peekable();
        let mut told: Vec<Narrative> = Vec::new();
        let mut after = desk.material.from_seq - 1;
        let mut smaller = 0;
        loop {
            // Paid for by an earlier claim.
            if let Some(chunk) = finished.next_if(|chunk| chunk.from_seq > after) {
                after = chunk.through_seq;
                told.push(chunk.narrative);
                continue;
            }
            let earlier = (!told.is_empty()).then(|| narrative::together(told.clone()));
            let Some((chunk, prompt)) = self.next(desk, &frame, (after, budget), earlier).await? else {
                break;
            };
            match self.ask(&chunk, &prompt, desk).await? {
                Ok(narrative) => {
                    let done =
                        FinishedChunk { from_seq: chunk.from_seq, through_seq: chunk.through_seq, narrative };
                    if !self.env.store.keep_chunk(self.job, &done).await? {
                        return Ok(Told::Lost);
                    }
                    after = chunk.through_seq;
                    told.push(done.narrative);
                }
                Err(Broken::Lost) => return Ok(Told::Lost),
                Err(Broken::Smaller(_)) if smaller < SMALLER && chunk.tokens > LEAST_CHUNK_TOKENS => {
                    smaller += 1;
                    budget = (chunk.tokens.min(budget) / 2).max(LEAST_CHUNK_TOKENS);
                }
                Err(Broken::Smaller(reason) | Broken::Whole(reason)) => {
                    self.client.note_session(self.job.session, false);
                    return Ok(Told::Fallen(Fallen(reason)));
                }
            }
        }
        if told.is_empty() {
            return Ok(Told::Fallen(Fallen("nothing_to_tell")));
        }
        Ok(Told::Narrative(Box::new(narrative::together(told))))
    }

    /// The next piece and its prompt; made apart, because long texts are searched for secrets.
    async fn next(
        &self,
        desk: &Desk,
        frame: &Arc<Frame>,
        (after, budget): (Seq, u32),
        earlier: Option<Narrative>,
    ) -> Result<Option<(Chunk, Prompt)>, JobError> {
        let (desk, frame) = (desk.clone(), Arc::clone(frame));
        let made = tokio::task::spawn_blocking(move || {
            let material = &desk.material;
            let chunk = narrative::next_chunk(&material.span, &desk.ends, after, budget, material.counter)?;
            let prompt = frame.prompt(&chunk, earlier.as_ref());
            Some((chunk, prompt))
        });
        made.await.map_err(|error| JobError::Broken(error.to_string()))
    }

    /// Asks about one piece: the question, and one repair.
    async fn ask(
        &self,
        chunk: &Chunk,
        prompt: &Prompt,
        desk: &Desk,
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
        let (desk, chunk) = (desk.clone(), chunk.clone());
        let checked = tokio::task::spawn_blocking(move || {
            let base = desk.material.base.as_ref().map(|base| &base.summary);
            narrative::keep_supported(read, &chunk, &desk.facts, base)
        });
        Ok(Ok(checked.await.map_err(|error| JobError::Broken(error.to_string()))?))
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
                return Ok(Err(Broken::Lost));
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
