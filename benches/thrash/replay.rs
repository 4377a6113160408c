//! A session fed to the domain message by message, as the service feeds it: masking, trigger, span,
//! extractive engine, gate and settlement, without store and server.

use anchord_context::context::{self, Entry};
use anchord_context::mask::{self, Marks};
use anchord_messages::format::{self, Format, detect::detect};
use anchord_messages::id::Seq;
use anchord_messages::message::Numbered;
use anchord_messages::shape::Shape;
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, Base, Material};
use anchord_record::digest;
use anchord_record::fill::share_of;
use anchord_record::parts::Parts;
use anchord_record::probe::Probe;
use anchord_session::accounting::{Accounting, MessageCounts};
use anchord_session::room::Room;
use anchord_session::settings::{HYSTERESIS_SHARE, Policy, Settings};
use anchord_session::trigger::{Recent, TriggerInput, decide};
use chrono::DateTime;

/// Nobody settles this often without a message between.
const MOST_IN_A_ROW: u32 = 20;

/// A session's messages, read and counted once.
pub struct Transcript {
    /// The format that they came in.
    pub format: Format,
    /// As contexts take them.
    pub entries: Vec<Entry>,
    /// As engines take them.
    pub numbered: Vec<Numbered>,
}

impl Transcript {
    /// Reads messages.
    pub fn read(raw: &[String], counter: TokenCounter) -> Result<Self, format::FormatError> {
        let format = detect(None, raw.iter().map(String::as_str))?.resolve(None);
        let (mut entries, mut numbered) = (Vec::new(), Vec::new());
        for (seq, raw) in (1..).zip(raw) {
            let message = format::parse(format, raw)?;
            let (tokens, shape) = Shape::measure(&message, &counter);
            entries.push(Entry { seq, format, role: message.role, tokens, shape, raw: raw.as_str().into() });
            numbered.push(Numbered { seq, message });
        }
        Ok(Self { format, entries, numbered })
    }
}

/// The summary that contexts serve.
#[derive(Clone, Debug)]
pub struct Served {
    /// Its version.
    pub version: i64,
    /// Its message and that message's tokens.
    pub full: (String, u32),
    /// The same at the least bound.
    pub least: (String, u32),
    /// The digest.
    pub digest: digest::ServedDigest,
    /// The recap.
    pub recap: String,
}

/// How attempts ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Versions published.
    pub published: u32,
    /// Attempts that could cover nothing.
    pub without_span: u32,
    /// Candidates that were not smaller.
    pub not_smaller: u32,
    /// Candidates that the gate refused.
    pub refused: u32,
    /// Published versions after which the context was above the target.
    pub above_target: u32,
}

/// A session on its way.
pub struct Replay<'a> {
    /// The messages.
    pub transcript: &'a Transcript,
    /// The thresholds.
    pub policy: Policy,
    /// The running counts.
    pub counts: Accounting,
    /// Through which message the summary covers the session.
    pub anchor: Seq,
    /// The newest message.
    pub head: Seq,
    /// The current summary.
    pub served: Option<Served>,
    /// How the attempts ended.
    pub outcomes: Outcomes,
    /// Whether the level that starts compressions was ever reached.
    pub triggered: bool,
    base: Option<Base>,
    probes: Vec<Probe>,
    counter: TokenCounter,
}

impl<'a> Replay<'a> {
    /// A session of no messages yet, in a window of so many tokens.
    pub fn new(transcript: &'a Transcript, window: u32, counter: TokenCounter) -> Self {
        let policy = Settings { context_window: Some(window), ..Settings::default() }.policy();
        Self {
            transcript,
            policy,
            counts: Accounting::default(),
            anchor: 0,
            head: 0,
            served: None,
            outcomes: Outcomes::default(),
            triggered: false,
            base: None,
            probes: Vec::new(),
            counter,
        }
    }

    /// Appends the next message, and compresses when the service would; `false` at the end.
    pub fn step(&mut self) -> bool {
        let Some(entry) = usize::try_from(self.head).ok().and_then(|at| self.transcript.entries.get(at))
        else {
            return false;
        };
        let counted = MessageCounts::of(entry.seq, entry.role, entry.tokens, entry.shape.as_ref(), false);
        let at = (self.head, self.anchor.max(self.counts.system_through));
        if let Some(press) = self.counts.press(&self.policy, at, std::iter::once(&counted)) {
            let upto = mask::step(self.counts.mask_upto, self.tail(), &Marks::new(), press);
            if upto > self.counts.mask_upto {
                let tail = self.tail();
                self.counts.mask_through(upto, tail, &Marks::new());
            }
        }
        self.head = entry.seq;
        self.counts.push(&counted, self.policy.preserve_recent);
        self.triggered |= self.counts.usage(&self.policy, 0).effective_utilization >= self.policy.compress;
        for _ in 0..MOST_IN_A_ROW {
            if !self.is_due() {
                return true;
            }
            self.compress();
        }
        true
    }

    /// Compresses once more, as a caller may at the end, when the context takes more than a compression would leave.
    pub fn finish(&mut self) {
        if !Room::of(&self.policy, None, &self.counts).has_room {
            self.compress();
        }
    }

    /// The messages after the anchor, the system prompt aside.
    pub fn tail(&self) -> &'a [Entry] {
        let at = |seq: Seq| usize::try_from(seq).unwrap_or(usize::MAX);
        self.transcript.entries.get(at(self.floor())..at(self.head)).unwrap_or_default()
    }

    fn floor(&self) -> Seq {
        self.anchor.max(self.counts.system_through)
    }

    fn is_due(&self) -> bool {
        // The policy lets the window alone count, so nothing of the history is kept.
        let situation = TriggerInput {
            counts: &self.counts,
            recent: &Recent::default(),
            head: self.head,
            anchor: self.anchor,
            first: self.head,
            boundary: None,
            versions: i64::from(self.outcomes.published),
            now: 0,
        };
        decide(&self.policy, &situation).1.is_some()
    }

    fn compress(&mut self) {
        let tail = self.tail();
        let preserve = usize::try_from(self.policy.preserve_recent).unwrap_or(usize::MAX);
        let served = self.counted();
        let room = Room::of(&self.policy, None, &self.counts);
        let Ok(through) = room.span_end(&self.policy, (tail, &served), preserve) else {
            self.outcomes.without_span += 1;
            self.settle(None, 0);
            return;
        };
        let span = tail.partition_point(|entry| entry.seq <= through);
        let from = usize::try_from(self.floor()).unwrap_or_default();
        let messages = self.transcript.numbered.get(from..from + span).unwrap_or_default().to_vec();
        let whole = tail.iter().take(span).fold(0u32, |sum, entry| sum.saturating_add(entry.tokens));
        let left = room.beside(&self.policy, &served, through);
        let span_tokens = whole.saturating_sub(self.counts.masked_within(tail, &Marks::new(), through));
        let material = Material {
            base: self.base.clone(),
            version: i64::from(self.outcomes.published) + 1,
            compression_count: i64::from(self.outcomes.published),
            probes: self.probes.clone(),
            bound: left.record,
            room: left.together,
            ..Material::first(messages, span_tokens, self.counter, DateTime::UNIX_EPOCH)
        };
        let facts = candidate::read(&material);
        let draft = candidate::draft(&material, &facts);
        let proof = candidate::check(&material, &facts, draft);
        if !proof.is_accepted() {
            let mut retry = 0;
            if proof.is_not_smaller() {
                self.outcomes.not_smaller += 1;
                retry = u64::try_from(proof.meta.tokens_before).unwrap_or_default() * 2;
            } else {
                self.outcomes.refused += 1;
            }
            self.settle(Some(through), retry);
            return;
        }
        let mut at = 0;
        self.probes.retain(|_| {
            at += 1;
            !proof.retired.contains(&(at - 1))
        });
        self.probes.extend(proof.new_probes.iter().filter(|probe| probe.critical).cloned());
        self.base = Some(Base {
            version: material.version,
            summary: proof.summary,
            parts: Parts::default(),
            carry: facts.carry,
            served_tokens: self.message(&proof.rendering.text).1 + proof.digest.tokens,
        });
        self.served = Some(Served {
            version: material.version,
            full: self.message(&proof.rendering.text),
            least: self.message(&proof.least.text),
            digest: proof.digest,
            recap: proof.recap,
        });
        self.outcomes.published += 1;
        self.anchor = through;
        self.settle(Some(through), 0);
        let room = Room::of(&self.policy, None, &self.counts);
        self.counts.publish(&self.policy, true);
        if !room.is_met(self.counts.unbounded_tokens()) {
            self.outcomes.above_target += 1;
        }
    }

    /// The tail as it is counted.
    fn counted(&self) -> Vec<MessageCounts> {
        let counted = |entry: &Entry| {
            MessageCounts::of(entry.seq, entry.role, entry.tokens, entry.shape.as_ref(), false)
        };
        self.tail().iter().map(counted).collect()
    }

    fn message(&self, rendering: &str) -> (String, u32) {
        let text = context::summary_message_text(rendering);
        let tokens = context::Counted::new(&text, &self.counter).tokens;
        (text, tokens)
    }

    /// Counts afresh, as the end of every attempt does.
    fn settle(&mut self, through: Option<Seq>, retry_tokens: u64) {
        self.counts.summary_tokens = self.served.as_ref().map_or(0, |served| served.full.1);
        self.counts.digest_tokens = self.served.as_ref().map_or(0, |served| served.digest.tokens);
        let tail = self.tail();
        let counted = self.counted();
        let mut counts = self.counts.rebuilt(self.anchor, &counted, self.policy.preserve_recent);
        counts.settled_head = self.head;
        counts.settled_tokens = counts.appended_tokens;
        counts.attempted_through = match through {
            Some(through) => through,
            None => counts.attempted_through.max(counts.span_end(self.head, self.policy.preserve_recent)),
        };
        let room = Room::of(&self.policy, None, &counts);
        counts.mask_to(room, self.policy.mask, tail, &Marks::new());
        counts.retry_tokens = retry_tokens;
        self.counts = counts;
    }
}

/// The least number of compressions that the thresholds imply for what was appended.
pub fn least(replay: &Replay<'_>) -> u64 {
    let trigger = u64::from(share_of(replay.policy.effective_window, replay.policy.compress));
    let target = Room::of(&replay.policy, None, &replay.counts).goal();
    let beyond = replay.counts.appended_tokens.saturating_sub(trigger);
    // Where system prompt and pins leave no room, so much has to come between two compressions nevertheless.
    let hysteresis = u64::from(share_of(replay.policy.effective_window, HYSTERESIS_SHARE));
    beyond.div_ceil(trigger.saturating_sub(target).max(hysteresis).max(1)).max(u64::from(replay.triggered))
}

/// Whether so many compressions are more than half as many again as the least.
pub fn is_thrash(published: u32, least: u64) -> bool {
    u64::from(published) * 2 > least * 3
}
