//! A span told by a model: piece by piece, each asked, read, checked and kept before the next.
//!
//! The way down when something fails: the call again (as long as it may help), one repair call, smaller
//! pieces, and then the deterministic engine, which the caller of this file goes on with. Nothing of a
//! prompt or a reply is logged.

use std::sync::Arc;

use tracing::{info, warn};

use super::engine::Digest;
use super::exchange::{Exchange, INSTRUCTION_TOKENS, Question};
use super::{JobError, blocking};
use crate::domain::id::Seq;
use crate::domain::narrative::{self, Chunk, Frame, Narrative, Prompt};
use crate::llm::LlmError;
use crate::store::narratives::FinishedChunk;

/// How often the pieces may be made smaller in one compression.
const SMALLER: u32 = 2;
/// The least tokens of a piece.
const LEAST_CHUNK_TOKENS: u32 = 800;

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

/// What a candidate lost, and what is to be done about it.
#[derive(Clone, Debug)]
pub(super) struct Lost {
    /// What the failed probes asked about, in words.
    pub(super) categories: Vec<&'static str>,
    /// The messages that their facts came from.
    pub(super) seqs: Vec<Seq>,
    /// Whether the piece is to be asked in smaller ones.
    pub(super) smaller: bool,
}

/// Tells a span, or why that came to nothing.
pub(super) async fn tell(
    exchange: Exchange<'_>,
    digest: &Arc<Digest>,
) -> Result<Result<Narrative, Fallen>, JobError> {
    let told = Teller::new(exchange, digest).await?.tell(digest).await?;
    note(exchange, &told);
    Ok(told)
}

/// Tells the piece of a span that lost most once more.
pub(super) async fn retell(
    exchange: Exchange<'_>,
    digest: &Arc<Digest>,
    lost: &Lost,
) -> Result<Result<Narrative, Fallen>, JobError> {
    let told = Teller::new(exchange, digest).await?.retell(digest, lost).await?;
    note(exchange, &told);
    Ok(told)
}

fn note(exchange: Exchange<'_>, told: &Result<Narrative, Fallen>) {
    let (name, model) = (exchange.notebook.name(), exchange.model);
    match told {
        Ok(_) => info!(compression.id = name, llm.model = model, "llm.told"),
        Err(Fallen(reason)) => {
            warn!(compression.id = name, llm.model = model, reason, "llm.fallen");
        }
    }
    let ended = told.as_ref().map_or_else(|Fallen(reason)| *reason, |_| "told");
    metrics::counter!("anchord_llm_narratives_total", "ended" => ended).increment(1);
}

/// Where the telling of a span stands.
#[derive(Clone, Copy)]
struct Walk {
    /// Told through this message.
    after: Seq,
    /// To be told through this one.
    through: Seq,
    /// Tokens of the next piece.
    budget: u32,
}

fn bounds(digest: &Digest) -> Option<(Seq, Seq)> {
    let span = &digest.material.span;
    Some((span.first()?.seq, span.last()?.seq))
}

struct Teller<'a> {
    exchange: Exchange<'a>,
    frame: Arc<Frame>,
    /// Tokens of a piece.
    budget: u32,
}

impl<'a> Teller<'a> {
    async fn new(exchange: Exchange<'a>, digest: &Arc<Digest>) -> Result<Self, JobError> {
        let window = exchange.client.options().context_tokens;
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
        Ok(Self { exchange, frame, budget: room - frame_tokens })
    }

    /// The pieces of the digest's span that are finished; a history that is read afresh is told page by
    /// page, each page with pieces of its own.
    async fn finished(&self, (first, last): (Seq, Seq)) -> Result<Vec<FinishedChunk>, JobError> {
        let mut finished = self.exchange.notebook.finished().await?;
        finished.retain(|chunk| chunk.from_seq >= first && chunk.through_seq <= last);
        Ok(finished)
    }

    async fn tell(&self, digest: &Arc<Digest>) -> Result<Result<Narrative, Fallen>, JobError> {
        let Some(bounds) = bounds(digest) else { return Ok(Err(Fallen("nothing_to_tell"))) };
        let mut finished = self.finished(bounds).await?.into_iter().peekable();
        let mut told: Vec<Narrative> = Vec::new();
        let mut walk = Walk { after: bounds.0 - 1, through: bounds.1, budget: self.budget };
        let mut smaller = 0;
        loop {
            // Paid for by an earlier claim.
            if let Some(chunk) = finished.next_if(|chunk| chunk.from_seq > walk.after) {
                walk.after = chunk.through_seq;
                told.push(chunk.narrative);
                continue;
            }
            let Some((chunk, prompt)) = self.next(digest, walk, &told).await? else { break };
            match self.ask(&chunk, &prompt, digest, "summarise").await? {
                Ok(narrative) => {
                    let done =
                        FinishedChunk { from_seq: chunk.from_seq, through_seq: chunk.through_seq, narrative };
                    self.exchange.notebook.keep(&done).await?;
                    walk.after = chunk.through_seq;
                    told.push(done.narrative);
                }
                Err(Broken::Smaller(_)) if smaller < SMALLER && chunk.tokens > LEAST_CHUNK_TOKENS => {
                    smaller += 1;
                    walk.budget = (chunk.tokens.min(walk.budget) / 2).max(LEAST_CHUNK_TOKENS);
                }
                Err(Broken::Smaller(reason) | Broken::Whole(reason)) => return Ok(Err(Fallen(reason))),
            }
        }
        if told.is_empty() {
            return Ok(Err(Fallen("nothing_to_tell")));
        }
        Ok(Ok(narrative::together(told)))
    }

    /// Replaces the piece that the lost facts came from by a more detailed telling of it, or by tellings of
    /// its halves: a call or two, and their repairs.
    async fn retell(&self, digest: &Arc<Digest>, lost: &Lost) -> Result<Result<Narrative, Fallen>, JobError> {
        let Some(bounds) = bounds(digest) else { return Ok(Err(Fallen("nothing_to_tell"))) };
        let mut finished = self.finished(bounds).await?;
        let losses = |chunk: &FinishedChunk| {
            let within = |seq: &&Seq| (chunk.from_seq..=chunk.through_seq).contains(seq);
            lost.seqs.iter().filter(within).count()
        };
        // Of pieces that lost as much, the newest: what it tells replaces what the others do.
        let Some(most) = (0..finished.len()).max_by_key(|at| finished.get(*at).map_or(0, losses)) else {
            return Ok(Err(Fallen("nothing_to_tell")));
        };
        let rest = finished.split_off(most);
        let Some((piece, later)) = rest.split_first() else { return Ok(Err(Fallen("nothing_to_tell"))) };
        let mut told: Vec<Narrative> = finished.into_iter().map(|chunk| chunk.narrative).collect();
        let mut walk = Walk { after: piece.from_seq - 1, through: piece.through_seq, budget: self.budget };
        let mut halved = false;
        while let Some((chunk, prompt)) = self.next(digest, walk, &told).await? {
            if lost.smaller && !halved {
                halved = true;
                if chunk.tokens > LEAST_CHUNK_TOKENS {
                    walk.budget = (chunk.tokens / 2 + 1).max(LEAST_CHUNK_TOKENS);
                    continue;
                }
            }
            match self.ask(&chunk, &prompt.in_detail(&lost.categories), digest, "detail").await? {
                Ok(narrative) => told.push(narrative),
                Err(Broken::Smaller(reason) | Broken::Whole(reason)) => return Ok(Err(Fallen(reason))),
            }
            walk.after = chunk.through_seq;
        }
        told.extend(later.iter().map(|chunk| chunk.narrative.clone()));
        Ok(Ok(narrative::together(told)))
    }

    /// The next piece and its prompt; made apart, because long texts are searched for secrets.
    async fn next(
        &self,
        digest: &Arc<Digest>,
        walk: Walk,
        told: &[Narrative],
    ) -> Result<Option<(Chunk, Prompt)>, JobError> {
        let (digest, frame) = (Arc::clone(digest), Arc::clone(&self.frame));
        let earlier = (!told.is_empty()).then(|| narrative::together(told.to_vec()));
        blocking(move || {
            let (material, ends) = (&digest.material, &digest.ends);
            let upto = material.span.partition_point(|message| message.seq <= walk.through);
            let span = material.span.get(..upto)?;
            let chunk = narrative::next_chunk(span, ends, walk.after, walk.budget, material.counter)?;
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
        purpose: &'static str,
    ) -> Result<Result<Narrative, Broken>, JobError> {
        let reply = match self.call(chunk, prompt, purpose).await? {
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

    /// One call about a piece.
    async fn call(
        &self,
        chunk: &Chunk,
        prompt: &Prompt,
        purpose: &'static str,
    ) -> Result<Result<String, Broken>, JobError> {
        let question = Question {
            purpose,
            span: (chunk.from_seq, chunk.through_seq),
            prompt,
            schema: narrative::schema(),
            max_output_tokens: narrative::REPLY_TOKENS,
            // The piece and at most a fifth of the room for its frame.
            input_tokens: chunk.tokens / 4 * 5,
        };
        Ok(match self.exchange.ask(question).await? {
            Ok(reply) => Ok(reply.text),
            // Less to read and to tell may go through.
            Err(error @ (LlmError::TooLong | LlmError::Cut | LlmError::Timeout)) => {
                Err(Broken::Smaller(error.as_str()))
            }
            Err(
                error @ (LlmError::Status { .. }
                | LlmError::NoModel
                | LlmError::Connection
                | LlmError::Malformed
                | LlmError::Refused
                | LlmError::Open
                | LlmError::Busy),
            ) => Err(Broken::Whole(error.as_str())),
        })
    }
}
