//! The next step of a session's mask position, decided as messages come, without the messages before them.
//!
//! Invariant: what is decided is what [`super::step`] decides on all messages after the anchor, and what
//! [`Moved`] counts is what `Accounting::mask_through` counts on them. What cannot be known so is told, and
//! the messages are read.
//! Must not know: how full the context is.

use std::collections::{BTreeSet, HashMap, VecDeque};

use sha2::{Digest as _, Sha256};

use super::{Level, MOST_OPEN_ERRORS, Marks, PROTECTED_MESSAGES, Thresholds};
use crate::domain::accounting::PLACEHOLDER_TOKENS;
use crate::domain::id::Seq;
use crate::domain::shape::{AsShape, ResultShape, Shape, shows_error};

/// Calls that are remembered; beyond them those that are answered are forgotten.
const MOST_CALLS: usize = 256;
/// Errors that are remembered; of older ones it is known that there were some.
const MOST_ERRORS: usize = 64;
/// Outputs that may wait for a step.
const MOST_WAITING: usize = 1_024;

/// A text that is only compared, so that a session's commands are not kept: 128 bits of its SHA-256.
type Fingerprint = u128;

/// What decides the next step.
#[derive(Clone, Debug)]
pub struct Steps {
    /// Where the mask position is.
    upto: Seq,
    /// Messages after the anchor, the system prompt aside.
    messages: usize,
    /// Their tool outputs.
    outputs: usize,
    /// What was asked, by the call's id.
    asked: HashMap<Fingerprint, Asked>,
    /// Whether calls were forgotten.
    forgot: bool,
    /// The errors up to the first message that waits.
    errors: Errors,
    /// What placeholders save up to there, open errors included.
    saved: u64,
    /// Messages with outputs after the mask position, from the first on at which a step may end.
    waiting: VecDeque<Waiting>,
    /// The outputs of those.
    waiting_outputs: usize,
    /// What came is more than is kept.
    is_lost: bool,
}

#[derive(Clone, Copy, Debug)]
struct Asked {
    what: Fingerprint,
    is_answered: bool,
}

#[derive(Clone, Debug)]
struct Waiting {
    seq: Seq,
    /// Its place among the messages.
    message: usize,
    /// Its first output's place among the outputs.
    first: usize,
    /// The caller marked it.
    is_marked: bool,
    outputs: Vec<Output>,
}

#[derive(Clone, Copy, Debug)]
struct Output {
    tokens: u32,
    is_large: bool,
    what: Fingerprint,
    failed: bool,
}

/// Where the mask position moves, and what is counted then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The new position.
    pub upto: Seq,
    /// Tokens that placeholders save.
    pub masked_tokens: u64,
    /// Tool results after the position.
    pub unmasked_results: u32,
}

/// More came than is kept: the messages have to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost;

impl Steps {
    /// Begins with every message after the anchor, the system prompt aside, ascending, and where the mask
    /// position is.
    pub fn of<T: AsShape>(upto: Seq, tail: &[T], marks: &Marks) -> Self {
        let mut steps = Self {
            upto,
            messages: 0,
            outputs: 0,
            asked: HashMap::new(),
            forgot: false,
            errors: Errors::default(),
            saved: 0,
            waiting: VecDeque::new(),
            waiting_outputs: 0,
            is_lost: false,
        };
        for item in tail {
            steps.push(item.seq(), item.shape(), marks.contains_key(&item.seq()));
        }
        steps
    }

    /// Takes in the next message.
    pub fn push(&mut self, seq: Seq, shape: Option<&Shape>, is_marked: bool) {
        let message = self.messages;
        self.messages += 1;
        let Some(shape) = shape.filter(|_| !self.is_lost) else { return };
        for call in &shape.calls {
            let asked = Asked { what: fingerprint(&call.what), is_answered: false };
            self.asked.insert(fingerprint(&call.id), asked);
        }
        self.forget_calls();
        if shape.results.is_empty() {
            return;
        }
        let mut outputs = Vec::with_capacity(shape.results.len());
        for result in &shape.results {
            let Some(output) = self.read(result) else {
                self.is_lost = true;
                return;
            };
            outputs.push(output);
        }
        let waiting = Waiting { seq, message, first: self.outputs, is_marked, outputs };
        self.outputs += waiting.outputs.len();
        if seq <= self.upto || (self.waiting.is_empty() && !waiting.may_end_a_step()) {
            self.pass(&waiting);
            return;
        }
        self.waiting_outputs += waiting.outputs.len();
        self.waiting.push_back(waiting);
        self.is_lost |= self.waiting_outputs > MOST_WAITING;
    }

    /// Takes the step that is due at a level, if there is one. `upto` is where the session has its mask position.
    ///
    /// # Errors
    /// When that cannot be told from what is kept.
    pub fn take(&mut self, upto: Seq, level: Level) -> Result<Option<Moved>, Lost> {
        if self.is_lost || upto != self.upto {
            return Err(Lost);
        }
        let Some(thresholds) = Thresholds::at(level) else { return Ok(None) };
        // Mostly there is too little to mask even if no error were open.
        if self.end_of_step(&thresholds, &BTreeSet::new()).is_none() {
            return Ok(None);
        }
        let open = self.errors_now().open()?;
        let open = open.into_iter().map(|(seq, _)| seq).collect();
        let Some(last) = self.end_of_step(&thresholds, &open) else { return Ok(None) };
        self.move_to(last).map(Some)
    }

    /// How many messages were taken in.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.messages
    }

    /// What it takes, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.asked.capacity() * size_of::<(Fingerprint, Asked)>()
            + self.errors.newest.capacity() * size_of::<OpenError>()
            + self.waiting.capacity() * size_of::<Waiting>()
            + self.waiting_outputs * size_of::<Output>()
    }

    fn read(&mut self, result: &ResultShape) -> Option<Output> {
        let what = match self.asked.get_mut(&fingerprint(&result.call_id)) {
            Some(asked) => {
                asked.is_answered = true;
                asked.what
            }
            // It may have been asked.
            None if self.forgot => return None,
            None => fingerprint(""),
        };
        let failed = result.key.as_deref().is_some_and(shows_error);
        Some(Output { tokens: result.tokens, is_large: result.is_large(), what, failed })
    }

    fn forget_calls(&mut self) {
        if self.asked.len() > MOST_CALLS {
            self.asked.retain(|_, asked| !asked.is_answered);
            self.asked.shrink_to(MOST_CALLS);
            self.forgot = true;
            self.is_lost |= self.asked.len() > MOST_CALLS;
        }
    }

    /// Where a step ends that passes over these messages; `None` when there is too little for one.
    fn end_of_step(&self, thresholds: &Thresholds, open: &BTreeSet<Seq>) -> Option<Seq> {
        let protected_from = self.messages.saturating_sub(PROTECTED_MESSAGES);
        let old_outputs = self.outputs.saturating_sub(thresholds.recent_results);
        let (mut count, mut tokens, mut last) = (0, 0u32, None);
        for waiting in self.waiting.iter().take_while(|waiting| waiting.message < protected_from) {
            if waiting.is_marked || open.contains(&waiting.seq) {
                continue;
            }
            let old = old_outputs.saturating_sub(waiting.first);
            for output in waiting.outputs.iter().take(old).filter(|output| output.is_large) {
                count += 1;
                tokens = tokens.saturating_add(output.tokens);
                last = Some(waiting.seq);
            }
        }
        last.filter(|_| count >= thresholds.outputs || tokens >= thresholds.tokens)
    }

    fn move_to(&mut self, upto: Seq) -> Result<Moved, Lost> {
        self.upto = upto;
        let mut passed = self.outputs - self.waiting_outputs;
        while let Some(waiting) = self.waiting.pop_front_if(|waiting| waiting.seq <= upto) {
            self.waiting_outputs -= waiting.outputs.len();
            passed = waiting.first + waiting.outputs.len();
            self.pass(&waiting);
        }
        let open: u64 = self.errors.open()?.into_iter().map(|(_, saved)| saved).sum();
        let unmasked = u32::try_from(self.outputs - passed).unwrap_or(u32::MAX);
        // Those at which no step may end wait for nothing, but they are after the position.
        while let Some(waiting) = self.waiting.pop_front_if(|waiting| !waiting.may_end_a_step()) {
            self.waiting_outputs -= waiting.outputs.len();
            self.pass(&waiting);
        }
        Ok(Moved { upto, masked_tokens: self.saved - open, unmasked_results: unmasked })
    }

    /// Counts a message that nothing waits before any more.
    fn pass(&mut self, waiting: &Waiting) {
        self.saved += waiting.saved();
        self.errors.pass(waiting);
    }

    /// The errors as they stand with everything that has come.
    fn errors_now(&self) -> Errors {
        let mut errors = self.errors.clone();
        for waiting in &self.waiting {
            errors.pass(waiting);
        }
        errors
    }
}

impl Waiting {
    /// Whether the mask position may ever stop here.
    fn may_end_a_step(&self) -> bool {
        !self.is_marked && self.outputs.iter().any(|output| output.is_large)
    }

    /// What placeholders save in it.
    fn saved(&self) -> u64 {
        if self.is_marked {
            return 0;
        }
        let large = self.outputs.iter().filter(|output| output.is_large);
        large.map(|output| u64::from(output.tokens.saturating_sub(PLACEHOLDER_TOKENS))).sum()
    }
}

/// What was run last and failed, the newest last.
#[derive(Clone, Debug, Default)]
struct Errors {
    newest: Vec<OpenError>,
    /// Whether there were older ones.
    is_cut: bool,
}

#[derive(Clone, Copy, Debug)]
struct OpenError {
    what: Fingerprint,
    seq: Seq,
    /// What placeholders would save in its message.
    saved: u64,
}

impl Errors {
    fn pass(&mut self, waiting: &Waiting) {
        for output in &waiting.outputs {
            self.newest.retain(|error| error.what != output.what);
            if output.failed {
                self.newest.push(OpenError { what: output.what, seq: waiting.seq, saved: waiting.saved() });
            }
            if self.newest.len() > MOST_ERRORS {
                self.newest.remove(0);
                self.is_cut = true;
            }
        }
    }

    /// The messages with the newest of them.
    fn open(&self) -> Result<Vec<(Seq, u64)>, Lost> {
        let mut open: Vec<(Seq, u64)> = Vec::with_capacity(MOST_OPEN_ERRORS);
        for error in self.newest.iter().rev() {
            if open.len() == MOST_OPEN_ERRORS {
                break;
            }
            if open.iter().all(|(seq, _)| *seq != error.seq) {
                open.push((error.seq, error.saved));
            }
        }
        if self.is_cut && open.len() < MOST_OPEN_ERRORS { Err(Lost) } else { Ok(open) }
    }
}

fn fingerprint(text: &str) -> Fingerprint {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(16).fold(0, |sum, byte| (sum << 8) | u128::from(*byte))
}

#[cfg(test)]
mod tests;
