//! Sums over the prompts of one way.

use crate::known::Known;
use crate::piece::{Part, Piece, count};

/// The price of a token that the prompt before had begun with as well; another costs 1.
const CACHED_PRICE: f64 = 0.1;
/// The price of a token of a model's answer.
pub const ANSWER_PRICE: f64 = 5.0;
/// Fewer tokens at the start of a prompt are not looked up in a provider's cache.
const LEAST_CACHED: f64 = 1_024.0;
/// Beyond them, what is cached grows in steps of so many tokens.
const CACHE_STEP: f64 = 128.0;
/// A prompt that shares less than this of the one before it is a break.
const BREAK_SHARE: f64 = 0.9;
/// A prompt may be so much larger than the effective window, because its tokens are estimated.
const TOLERANCE: f64 = 1.02;

/// What the calls of a model took that writes summaries, in tokens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Calls.
    pub calls: usize,
    /// Of all prompts.
    pub input: f64,
    /// Of them, those that were cached.
    pub cached: f64,
    /// Of them, the instructions.
    pub instructions: f64,
    /// Of them, the record so far.
    pub record: f64,
    /// Of them, messages that follow the span.
    pub later: f64,
    /// Of all answers.
    pub output: f64,
    /// Entries of the answers that did not pass the checks.
    pub unpublished: u32,
}

impl Spent {
    /// The cost of all calls, in tokens that are not cached.
    pub fn cost(&self) -> f64 {
        self.input - self.cached * (1.0 - CACHED_PRICE) + self.output * ANSWER_PRICE
    }

    /// Takes other calls in.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.input += other.input;
        self.cached += other.cached;
        self.instructions += other.instructions;
        self.record += other.record;
        self.later += other.later;
        self.output += other.output;
        self.unpublished += other.unpublished;
    }
}

/// The tokens that a provider finds in its cache of a shared beginning of so many.
pub fn cached_of(shared: f64) -> f64 {
    let cached = (shared / CACHE_STEP).floor() * CACHE_STEP;
    if cached >= LEAST_CACHED { cached } else { 0.0 }
}

/// Sums over prompts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Calls of the model.
    pub calls: usize,
    /// Calls for which the way had no prompt that fits.
    pub refused: usize,
    /// Tokens of all prompts.
    pub tokens: f64,
    /// Tokens of them that were cached.
    pub cached: f64,
    /// Tokens that were read to write summaries, and that no cache had.
    pub read: f64,
    /// Tokens that were read to write summaries from a cache.
    pub read_cached: f64,
    /// Tokens of the summaries.
    pub written: f64,
    /// What the model that writes them took, where one was asked.
    pub model: Spent,
    /// Prompts that do not go on where the one before ended.
    pub breaks: usize,
    /// Prompts above the effective window.
    pub over: usize,
    /// Tokens of the largest prompt.
    pub largest: f64,
    /// Compressions.
    pub compressions: usize,
    /// Compressions that freed less than a tenth of the context.
    pub idle: usize,
    /// The least number of compressions that the thresholds imply; for the service alone.
    pub least: usize,
    /// Compressions of a model whose record did not pass, so that code wrote it.
    pub by_code: usize,
    /// How much the prompts knew.
    pub known: Known,
}

impl Tally {
    /// The cost of all prompts, in tokens that are not cached.
    pub fn cost(&self) -> f64 {
        self.tokens - self.cached * (1.0 - CACHED_PRICE) + self.summaries() + self.model.cost()
    }

    /// The cost of writing summaries.
    pub fn summaries(&self) -> f64 {
        self.read + self.read_cached * CACHED_PRICE + self.written * ANSWER_PRICE
    }

    /// Takes another one in.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.refused += other.refused;
        self.tokens += other.tokens;
        self.cached += other.cached;
        self.read += other.read;
        self.read_cached += other.read_cached;
        self.written += other.written;
        self.model.add(&other.model);
        self.breaks += other.breaks;
        self.over += other.over;
        self.largest = self.largest.max(other.largest);
        self.compressions += other.compressions;
        self.idle += other.idle;
        self.least += other.least;
        self.by_code += other.by_code;
        self.known.add(&other.known);
    }
}

/// The prompts of one way in one session, one after another.
pub struct Sent<P = Piece> {
    /// The sums so far.
    pub tally: Tally,
    bytes_of_token: f64,
    /// The part of the window that prompts may fill, in tokens.
    pub effective: f64,
    last: Vec<P>,
}

impl<P: Part> Sent<P> {
    /// No prompt yet.
    pub fn new(bytes_of_token: f64, effective: f64) -> Self {
        Self { tally: Tally::default(), bytes_of_token, effective, last: Vec::new() }
    }

    /// Sends a prompt.
    pub fn send(&mut self, prompt: &[P]) {
        let tokens = self.tokens(prompt);
        let shared = self.shared(prompt);
        let cached = cached_of(self.tokens_of(shared));
        let before = bytes(&self.last);
        let tally = &mut self.tally;
        tally.calls += 1;
        tally.tokens += tokens;
        tally.cached += cached;
        tally.breaks += usize::from(count(shared) < BREAK_SHARE * count(before));
        tally.over += usize::from(tokens > self.effective * TOLERANCE);
        tally.largest = tally.largest.max(tokens);
        self.last = prompt.to_vec();
    }

    /// Has a model read all messages and write a summary of so many tokens.
    pub fn summarise(&mut self, whole: &[P], written: f64) {
        let old = self.tokens_of(self.shared(whole));
        self.tally.read += self.tokens(whole) - old;
        self.tally.read_cached += old;
        self.tally.written += written;
        self.tally.compressions += 1;
    }

    /// The prompt that was sent last.
    pub fn last(&self) -> &[P] {
        &self.last
    }

    /// Tokens of messages.
    pub fn tokens(&self, parts: &[P]) -> f64 {
        self.tokens_of(bytes(parts))
    }

    /// Bytes of so many tokens.
    pub fn bytes(&self, tokens: f64) -> f64 {
        tokens * self.bytes_of_token
    }

    /// Bytes of the last prompt, and those of them that a prompt begins with.
    pub fn shared_with(&self, prompt: &[P]) -> (usize, usize) {
        (bytes(&self.last), self.shared(prompt))
    }

    fn tokens_of(&self, bytes: usize) -> f64 {
        count(bytes) / self.bytes_of_token
    }

    /// Bytes of the prefix that a prompt shares with the last one that was sent.
    fn shared(&self, prompt: &[P]) -> usize {
        let mut shared = 0;
        for (before, now) in self.last.iter().zip(prompt) {
            let same = before.same_start(now);
            shared += same;
            if same < before.bytes().max(now.bytes()) {
                break;
            }
        }
        shared
    }
}

fn bytes<P: Part>(parts: &[P]) -> usize {
    parts.iter().map(Part::bytes).sum()
}
