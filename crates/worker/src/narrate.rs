//! The narrative of a span, written by a model: chunk by chunk, each of which is asked, parsed, checked and stored before
//! the next.
//!
//! When something fails, the steps are: retry the call (as long as that may help), one repair call, smaller chunks, and
//! then the deterministic engine, which the caller continues with. No log holds any text of a prompt or a reply.

use std::sync::Arc;

use tracing::{info, warn};

use super::job::{JobError, in_turn};
use super::model_client::{INSTRUCTION_TOKENS, ModelClient, Question};
use super::span_facts::SpanFacts;
use anchord_llm::LlmError;
use anchord_messages::id::Seq;
use anchord_record::candidate::{self, Material};
use anchord_record::changes::{
    self, Account, Board, Changes, Chunk, Frame, MIN_CHUNK_TOKENS, Prompt, PromptRoom,
};
use anchord_record::phase::Phase;
use anchord_record::summary::Summary;
use anchord_store::narratives::FinishedChunk;

/// How often the chunks may be made smaller in one compression.
const MAX_SHRINKS: u32 = 2;

/// Why there is no narrative of a model, as a stable name for the warnings of the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NarrativeFailure(pub(super) &'static str);

/// Why one chunk failed.
enum PieceFailure {
    /// Smaller chunks may succeed.
    Smaller(&'static str),
    /// Smaller chunks would fail too.
    Final(&'static str),
}

/// The facts that a candidate misses, and how to ask for them again.
#[derive(Clone, Debug)]
pub(super) struct MissingFacts {
    /// The subjects of the failed probes, in words for the prompt.
    pub(super) categories: Vec<&'static str>,
    /// The messages that the facts came from.
    pub(super) seqs: Vec<Seq>,
    /// Whether to split the chunk.
    pub(super) smaller: bool,
}

/// The accepted changes that a model proposed for a span, chunk by chunk in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Narrative {
    pub(super) changes: Vec<Changes>,
    pub(super) account: Account,
}

impl Narrative {
    fn push(&mut self, changes: Changes, account: Account) {
        self.changes.push(changes);
        self.account.add(account);
    }
}

/// Lets the model write the narrative of a span.
pub(super) async fn narrate(
    model_client: ModelClient<'_>,
    span_facts: &Arc<SpanFacts>,
    phase: Option<Phase>,
) -> Result<Result<Narrative, NarrativeFailure>, JobError> {
    let narrative = Narrator::new(model_client, span_facts, phase).await?.narrate(span_facts).await?;
    note(model_client, &narrative);
    Ok(narrative)
}

/// Asks again about the chunk from which most facts are missing, on top of the narrative so far. A span may take a
/// hundred calls, so only one chunk is repeated; the failed probes name the messages of their facts, and so the
/// chunk. Unlike finished chunks the result is not stored: after a crash it is paid again.
pub(super) async fn narrate_again(
    model_client: ModelClient<'_>,
    span_facts: &Arc<SpanFacts>,
    phase: Option<Phase>,
    (before, missing): (Narrative, &MissingFacts),
) -> Result<Result<Narrative, NarrativeFailure>, JobError> {
    let narrative = Narrator::new(model_client, span_facts, phase)
        .await?
        .narrate_again(span_facts, before, missing)
        .await?;
    note(model_client, &narrative);
    Ok(narrative)
}

fn note(model_client: ModelClient<'_>, narrative: &Result<Narrative, NarrativeFailure>) {
    let (name, model) = (model_client.call_log.name(), model_client.model);
    match narrative {
        Ok(narrative) => {
            info!(compression.id = name, llm.model = model, "llm.told");
            let Account { told, unverified, dropped, .. } = narrative.account;
            for (outcome, count) in [
                ("published", told.saturating_sub(unverified + dropped)),
                ("unverified", unverified),
                ("dropped", dropped),
            ] {
                metrics::counter!("anchord_llm_entries_total", "outcome" => outcome)
                    .increment(u64::from(count));
            }
        }
        Err(NarrativeFailure(reason)) => {
            warn!(compression.id = name, llm.model = model, reason, "llm.fallen");
        }
    }
    let ended = narrative.as_ref().map_or_else(|NarrativeFailure(reason)| *reason, |_| "told");
    metrics::counter!("anchord_llm_narratives_total", "ended" => ended).increment(1);
}

/// The position within a span.
#[derive(Clone, Copy)]
struct Progress {
    /// The last message that is done.
    after: Seq,
    /// The last message to do.
    through: Seq,
    /// The most tokens of the next chunk.
    budget: u32,
}

fn bounds(span_facts: &SpanFacts) -> Option<(Seq, Seq)> {
    let span = &span_facts.material.span;
    Some((span.first()?.seq, span.last()?.seq))
}

/// One chunk of a span, with the record that its changes apply to.
struct Piece {
    chunk: Arc<Chunk>,
    board: Arc<Board>,
    prompt: Prompt,
}

struct Narrator<'a> {
    model_client: ModelClient<'a>,
    frame: Frame,
    /// The record as code merged the span into it.
    record: Arc<Summary>,
    /// The most tokens of a chunk.
    budget: u32,
}

impl<'a> Narrator<'a> {
    async fn new(
        model_client: ModelClient<'a>,
        span_facts: &Arc<SpanFacts>,
        phase: Option<Phase>,
    ) -> Result<Self, JobError> {
        let options = model_client.client.options();
        let input = options.context_tokens.saturating_sub(changes::REPLY_TOKENS);
        let input = input.min(options.input_tokens);
        let input = input.saturating_sub(INSTRUCTION_TOKENS);
        let PromptRoom { chunk_tokens, record_chars } = PromptRoom::of(input);
        let read = Arc::clone(span_facts);
        let record = in_turn(move || Arc::new(candidate::record_beside(&read.material, &read.facts))).await?;
        let Material { aim: bound, counter, .. } = span_facts.material;
        let session = span_facts.material.session_id.clone();
        let frame = Frame { session, max_chars: record_chars, bound, phase, counter };
        Ok(Self { model_client, frame, record, budget: chunk_tokens })
    }

    /// The finished chunks of the span. A history that is read again is processed page by page, and each page has its
    /// own chunks.
    async fn finished(&self, (first, last): (Seq, Seq)) -> Result<Vec<FinishedChunk>, JobError> {
        let mut finished = self.model_client.call_log.finished().await?;
        finished.retain(|chunk| chunk.from_seq >= first && chunk.through_seq <= last);
        Ok(finished)
    }

    async fn narrate(
        &self,
        span_facts: &Arc<SpanFacts>,
    ) -> Result<Result<Narrative, NarrativeFailure>, JobError> {
        let Some(bounds) = bounds(span_facts) else { return Ok(Err(NarrativeFailure("nothing_to_tell"))) };
        let mut finished = self.finished(bounds).await?.into_iter().peekable();
        let mut narrative = Narrative::default();
        let mut progress = Progress { after: bounds.0 - 1, through: bounds.1, budget: self.budget };
        let mut smaller = 0;
        loop {
            // An earlier claim has paid for this chunk.
            if let Some(chunk) = finished.next_if(|chunk| chunk.from_seq > progress.after) {
                progress.after = chunk.through_seq;
                narrative.push(chunk.changes, chunk.account);
                continue;
            }
            let Some(piece) = self.next(span_facts, progress, &narrative.changes).await? else { break };
            let chunk = Arc::clone(&piece.chunk);
            match self.ask(piece, "summarise").await? {
                Ok((changes, account)) => {
                    let (from_seq, through_seq) = (chunk.from_seq, chunk.through_seq);
                    let done = FinishedChunk { from_seq, through_seq, changes, account };
                    self.model_client.call_log.keep(&done).await?;
                    progress.after = through_seq;
                    narrative.push(done.changes, done.account);
                }
                Err(PieceFailure::Smaller(_)) if smaller < MAX_SHRINKS && chunk.tokens > MIN_CHUNK_TOKENS => {
                    smaller += 1;
                    progress.budget = (chunk.tokens.min(progress.budget) / 2).max(MIN_CHUNK_TOKENS);
                }
                Err(PieceFailure::Smaller(reason) | PieceFailure::Final(reason)) => {
                    return Ok(Err(NarrativeFailure(reason)));
                }
            }
        }
        if narrative.changes.is_empty() {
            return Ok(Err(NarrativeFailure("nothing_to_tell")));
        }
        Ok(Ok(narrative))
    }

    /// Asks again about the chunk that the missing facts came from, whole or in halves, on top of the narrative so far:
    /// one or two calls.
    async fn narrate_again(
        &self,
        span_facts: &Arc<SpanFacts>,
        mut narrative: Narrative,
        missing: &MissingFacts,
    ) -> Result<Result<Narrative, NarrativeFailure>, JobError> {
        let Some(bounds) = bounds(span_facts) else { return Ok(Err(NarrativeFailure("nothing_to_tell"))) };
        let finished = self.finished(bounds).await?;
        let losses = |chunk: &&FinishedChunk| {
            let within = |seq: &&Seq| (chunk.from_seq..=chunk.through_seq).contains(seq);
            missing.seqs.iter().filter(within).count()
        };
        // On a tie, `max_by_key` takes the newest chunk.
        let Some(piece) = finished.iter().max_by_key(losses) else {
            return Ok(Err(NarrativeFailure("nothing_to_tell")));
        };
        let mut progress =
            Progress { after: piece.from_seq - 1, through: piece.through_seq, budget: self.budget };
        let mut halved = false;
        while let Some(mut piece) = self.next(span_facts, progress, &narrative.changes).await? {
            if missing.smaller && !halved {
                halved = true;
                if piece.chunk.tokens > MIN_CHUNK_TOKENS {
                    progress.budget = (piece.chunk.tokens / 2 + 1).max(MIN_CHUNK_TOKENS);
                    continue;
                }
            }
            piece.prompt = piece.prompt.in_detail(&missing.categories);
            progress.after = piece.chunk.through_seq;
            match self.ask(piece, "detail").await? {
                Ok((changes, account)) => narrative.push(changes, account),
                Err(PieceFailure::Smaller(reason) | PieceFailure::Final(reason)) => {
                    return Ok(Err(NarrativeFailure(reason)));
                }
            }
        }
        Ok(Ok(narrative))
    }

    /// The next chunk and its prompt, built on a background thread because long texts are searched for secrets.
    async fn next(
        &self,
        span_facts: &Arc<SpanFacts>,
        progress: Progress,
        narrative: &[Changes],
    ) -> Result<Option<Piece>, JobError> {
        let (span_facts, frame, record) =
            (Arc::clone(span_facts), self.frame.clone(), Arc::clone(&self.record));
        let narrative = narrative.to_vec();
        in_turn(move || {
            let (material, ends) = (&span_facts.material, &span_facts.ends);
            let upto = material.span.partition_point(|message| message.seq <= progress.through);
            let span = material.span.get(..upto)?;
            let chunk = changes::next_chunk(span, ends, progress.after, progress.budget, material.counter)?;
            let ends_span = material.span.last().is_some_and(|last| last.seq == chunk.through_seq);
            let chunk = if ends_span { chunk.followed_by(&material.tail, material.counter) } else { chunk };
            let mut board = Board::new(Summary::clone(&record));
            for changes in &narrative {
                board.apply(changes);
            }
            let prompt = frame.prompt(&chunk, &board);
            Some(Piece { chunk: Arc::new(chunk), board: Arc::new(board), prompt })
        })
        .await
    }

    /// Asks about one chunk: one call, and one more when the answer cannot be read.
    async fn ask(
        &self,
        piece: Piece,
        purpose: &'static str,
    ) -> Result<Result<(Changes, Account), PieceFailure>, JobError> {
        let reply = match self.call(&piece, &piece.prompt, purpose).await? {
            Ok(reply) => reply,
            Err(broken) => return Ok(Err(broken)),
        };
        let read = match changes::read(&reply) {
            Ok(read) => read,
            Err(error) => {
                let reply = match self.call(&piece, &piece.prompt.repair(&error), "repair").await? {
                    Ok(reply) => reply,
                    Err(broken) => return Ok(Err(broken)),
                };
                match changes::read(&reply) {
                    Ok(read) => read,
                    Err(_) => return Ok(Err(PieceFailure::Smaller("unusable_reply"))),
                }
            }
        };
        let (chunk, board) = (Arc::clone(&piece.chunk), Arc::clone(&piece.board));
        let (changes, account) = in_turn(move || changes::check(read, &chunk, &board)).await?;
        Ok(if account.is_foreign() {
            Err(PieceFailure::Final("foreign_reply"))
        } else {
            Ok((changes, account))
        })
    }

    /// One call about a chunk.
    async fn call(
        &self,
        Piece { chunk, .. }: &Piece,
        prompt: &Prompt,
        purpose: &'static str,
    ) -> Result<Result<String, PieceFailure>, JobError> {
        let question = Question {
            purpose,
            span: (chunk.from_seq, chunk.through_seq),
            prompt,
            schema: changes::schema(),
            max_output_tokens: changes::REPLY_TOKENS,
            // The chunk, and at most half as much again for the record.
            input_tokens: chunk.tokens / 2 * 3,
        };
        Ok(match self.model_client.ask(question).await? {
            Ok(reply) => Ok(reply.text),
            // A smaller chunk may succeed.
            Err(error @ (LlmError::TooLong | LlmError::Cut | LlmError::Timeout)) => {
                Err(PieceFailure::Smaller(error.into()))
            }
            Err(error) => Err(PieceFailure::Final(error.into())),
        })
    }
}
