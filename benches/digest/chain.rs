//! One session compressed again and again, as the service does while it grows.

use std::collections::HashMap;
use std::hash::Hasher as _;
use std::time::Duration;

use anchord_messages::group;
use anchord_messages::message::{Numbered, Role};
use anchord_messages::shape::{AsShape, Shape};
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, Base, Material};
use anchord_record::fill::share_of;
use anchord_record::parts::{Parts, SplitSummary, StoredSummary};
use anchord_record::probe::Probe;
use anchord_session::settings::{Policy, Settings};
use chrono::DateTime;

use crate::cpu;
use crate::sessions::Session;

/// What compressions cost, step by step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step {
    /// Bytes of the spans' messages as JSON.
    pub bytes: usize,
    /// Reading the facts, secrets taken out.
    pub ledger: Duration,
    /// The proposal and its merge.
    pub engine: Duration,
    /// Rendering, probes and the gate.
    pub checked: Duration,
    /// The record written as it is stored: what no part of the one before says.
    pub stored: Duration,
    /// Bytes of the record that it was merged into, as JSON.
    pub record: usize,
    /// Tokens of what was rendered of the new one.
    pub tokens: u32,
    /// A hash of all that came of it: two builds that agree made the same.
    pub fingerprint: u64,
}

impl Step {
    /// Ledger, engine and merge.
    pub fn digest(&self) -> Duration {
        self.ledger + self.engine
    }

    /// Everything.
    pub fn whole(&self) -> Duration {
        self.digest() + self.checked
    }

    /// Takes what another run was faster with, since other programs only add to it.
    pub fn keep_fastest(&mut self, other: &Self) {
        self.ledger = self.ledger.min(other.ledger);
        self.engine = self.engine.min(other.engine);
        self.checked = self.checked.min(other.checked);
        self.stored = self.stored.min(other.stored);
    }
}

/// Two costs as one.
pub fn add(a: Step, b: &Step) -> Step {
    Step {
        bytes: a.bytes + b.bytes,
        ledger: a.ledger + b.ledger,
        engine: a.engine + b.engine,
        checked: a.checked + b.checked,
        stored: a.stored + b.stored,
        record: a.record + b.record,
        tokens: a.tokens + b.tokens,
        fingerprint: a.fingerprint.rotate_left(7) ^ b.fingerprint,
    }
}

/// All costs as one.
pub fn sum(steps: &[Step]) -> Step {
    steps.iter().fold(Step::default(), add)
}

/// A compression by its number, from 1 on, and the ones before and after it, because one alone is at the mercy of the
/// machine and of its span.
pub fn near(steps: &[Step], number: usize) -> &[Step] {
    steps.get(number.saturating_sub(2)..(number + 1).min(steps.len())).unwrap_or_default()
}

/// A message as grouping sees it.
struct Item<'a> {
    numbered: &'a Numbered,
    bytes: usize,
    tokens: u32,
    shape: Option<Shape>,
}

impl AsShape for Item<'_> {
    fn seq(&self) -> i64 {
        self.numbered.seq
    }
    fn role(&self) -> Role {
        self.numbered.message.role
    }
    fn is_item(&self) -> bool {
        false
    }
    fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }
}

/// Feeds a session in, compresses whenever the service would, and at last what is left.
pub fn run(session: &Session, window: u32) -> Vec<Step> {
    feed(session, window, false).steps
}

/// What every compression of a session makes, as JSON.
pub fn made(session: &Session, window: u32) -> Vec<String> {
    feed(session, window, true).made
}

fn feed(session: &Session, window: u32, keeps: bool) -> Feed<'_> {
    let policy = Settings { context_window: Some(window), ..Settings::default() }.policy();
    let [_, most_messages, _] = policy.messages;
    let mut feed = Feed::new(policy);
    feed.keeps = keeps;
    let mut wait = 0;
    for (numbered, bytes) in session.messages.iter().zip(&session.sizes) {
        feed.take(numbered, *bytes);
        wait = u32::saturating_sub(wait, 1);
        let full = feed.tokens() >= u64::from(share_of(feed.policy.effective_window, feed.policy.compress));
        let many = feed.tail.len() >= usize::try_from(most_messages).unwrap_or(usize::MAX);
        if (full || many) && wait == 0 && !feed.compress(feed.policy.preserve_recent) {
            // What was refused is tried again when there is more.
            wait = 10;
        }
    }
    feed.compress(0);
    feed
}

/// A hash that stays the same from build to build.
pub fn fingerprint(text: &str) -> u64 {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

struct Feed<'a> {
    policy: Policy,
    counter: TokenCounter,
    tail: Vec<Item<'a>>,
    base: Option<Base>,
    probes: Vec<Probe>,
    version: i64,
    steps: Vec<Step>,
    keeps: bool,
    made: Vec<String>,
    /// The parts of the records that are stored, and the bytes of the last one.
    texts: HashMap<i64, String>,
    record: usize,
}

impl<'a> Feed<'a> {
    fn new(policy: Policy) -> Self {
        Self {
            policy,
            counter: TokenCounter::default(),
            tail: Vec::new(),
            base: None,
            probes: Vec::new(),
            version: 1,
            steps: Vec::new(),
            keeps: false,
            made: Vec::new(),
            texts: HashMap::new(),
            record: 0,
        }
    }

    /// Stores a record as a database does, and gives the parts that the next version names.
    fn store(&mut self, written: SplitSummary) -> Parts {
        self.texts.extend(written.new);
        let text = |id: &i64| self.texts.get(id).cloned().unwrap_or_default();
        let texts = written.parts.iter().map(text).collect();
        let stored = StoredSummary { document: written.head, parts: written.parts, texts };
        self.record = stored.bytes();
        stored.read().map(|(_, parts)| parts).unwrap_or_default()
    }

    fn take(&mut self, numbered: &'a Numbered, bytes: usize) {
        let (tokens, shape) = Shape::measure(&numbered.message, &self.counter);
        self.tail.push(Item { numbered, bytes, tokens, shape });
    }

    fn tokens(&self) -> u64 {
        let tail: u64 = self.tail.iter().map(|item| u64::from(item.tokens)).sum();
        tail + u64::from(self.base.as_ref().map_or(0, |base| base.served_tokens))
    }

    /// Compresses all but the last messages; tells whether a version came of it.
    fn compress(&mut self, preserve: u32) -> bool {
        let preserve = usize::try_from(preserve).unwrap_or(usize::MAX);
        let Ok(end) = group::span_end(&self.tail, preserve, None) else { return false };
        let cut = self.tail.partition_point(|item| item.seq() <= end);
        let covered = self.tail.get(..cut).unwrap_or_default();
        let bytes = covered.iter().map(|item| item.bytes).sum();
        let span = covered.iter().map(|item| item.numbered.clone()).collect();
        let span_tokens = covered.iter().fold(0_u32, |sum, item| sum.saturating_add(item.tokens));
        let mut material = Material {
            base: self.base.clone(),
            version: self.version,
            compression_count: self.version - 1,
            probes: self.probes.clone(),
            bound: self.policy.max_summary_tokens,
            ..Material::first(span, span_tokens, self.counter, DateTime::UNIX_EPOCH)
        };
        let (ledger, facts) = cpu::timed(|| candidate::read(&material));
        // As the worker does: code's own version of the default strategy is the last one that is tried.
        let (engine, draft) = cpu::timed(|| {
            let proposed = candidate::propose(&material, &facts);
            candidate::merge_last(&mut material, &facts, proposed)
        });
        let (proof_time, checked) = cpu::timed(|| candidate::check(&material, &facts, draft));
        let smaller: Vec<&str> = checked.smaller.iter().map(|form| form.text.as_str()).collect();
        let texts = (&checked.rendering.text, smaller, &checked.digest.text, &checked.recap);
        let asked = (&checked.report, &checked.new_probes, &checked.retired, &checked.refusals);
        let made = (&facts, &checked.summary, texts, asked, &checked.meta, &checked.gate);
        let written = serde_json::to_string(&made).unwrap_or_default();
        let base = self.base.as_ref().map(|base| base.parts.clone()).unwrap_or_default();
        let record = self.record;
        let (stored, record_written) = cpu::timed(|| base.write(&checked.summary, self.version));
        let step = Step {
            bytes,
            ledger,
            engine,
            checked: proof_time,
            stored,
            record,
            tokens: checked.rendering.tokens,
            fingerprint: fingerprint(&written),
        };
        self.steps.push(step);
        if self.keeps {
            self.made.push(written);
        }
        if !checked.is_accepted() {
            return false;
        }
        let mut at = 0;
        self.probes.retain(|_| {
            at += 1;
            !checked.retired.contains(&(at - 1))
        });
        self.probes.extend(checked.new_probes.into_iter().filter(|probe| probe.critical));
        let parts = record_written.map(|written| self.store(written)).unwrap_or_default();
        self.base = Some(Base {
            version: self.version,
            summary: checked.summary,
            parts,
            carry: facts.carry,
            served_tokens: checked.rendering.tokens + checked.digest.tokens,
        });
        self.version += 1;
        self.tail.drain(..cut);
        true
    }
}
