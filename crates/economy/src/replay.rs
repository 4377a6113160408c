//! Replay of a session in memory, by the functions and in the order of the service: clipping, trigger, span, extractive engine, gate
//! and end. Code writes the summaries, or a `Writer` in its place.

use anchord_context::context::{self, Entry};
use anchord_facts::ledger::{Facts, LedgerState};
use anchord_messages::format::{self, Format, detect::BatchFormat, detect::detect};
use anchord_messages::group::{self, Group, NoSpan};
use anchord_messages::id::{Seq, SessionId, SessionName};
use anchord_messages::message::Numbered;
use anchord_messages::shape::{Measured, Shape};
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, Base, CheckedDraft, Material, Proposed};
use anchord_record::digest;
use anchord_record::fill::share_of;
use anchord_record::parts::Parts;
use anchord_record::probe::Probe;
use anchord_record::render::{LEAST_BOUND_TOKENS, Rendering};
use anchord_session::accounting::MessageCounts;
use anchord_session::compression::{MANUAL, Report, Request, Span, Status};
use anchord_session::outline::Outline;
use anchord_session::room::{ModelRoom, Room};
use anchord_session::session::{self, BatchOptions, Ending, Incoming, Session};
use anchord_session::settings::{HYSTERESIS_SHARE, Policy, Settings};
use anchord_session::signal::HistoryScope;
use anchord_session::span::{self, SpanRequest};
use anchord_session::trigger::Start;
use chrono::DateTime;
use uuid::Uuid;

/// Limit on consecutive compressions without a new message.
const MOST_IN_A_ROW: u32 = 20;
/// Approximate messages of a call: the agent's and one result.
const CALL_MESSAGES: u64 = 2;
/// A compression that leaves more than this share of the context counts as idle.
const IDLE_SHARE: f64 = 0.9;

/// A session's messages, read and counted once.
pub struct Transcript {
    /// The format that they came in.
    pub format: Format,
    /// The messages in the form that contexts read.
    pub entries: Vec<Entry>,
    /// The messages in the form that engines read.
    pub numbered: Vec<Numbered>,
    outlines: Vec<Outline>,
    counted: Vec<MessageCounts>,
}

impl Transcript {
    /// Reads messages, whose format is recognised.
    ///
    /// # Errors
    /// When one is no message, or they are of several formats.
    pub fn read(raw: &[String], counter: TokenCounter) -> Result<Self, format::FormatError> {
        let format = detect(None, raw.iter().map(String::as_str))?.resolve(None);
        Self::of(format, raw, counter)
    }

    /// Reads messages of a format.
    ///
    /// # Errors
    /// When one is no message of that format.
    pub fn of(format: Format, raw: &[String], counter: TokenCounter) -> Result<Self, format::FormatError> {
        let mut read = Self {
            format,
            entries: Vec::new(),
            numbered: Vec::new(),
            outlines: Vec::new(),
            counted: Vec::new(),
        };
        for (seq, raw) in (1..).zip(raw) {
            let Measured { message, tokens, shape } = Measured::read(format, raw, &counter)?;
            let role = message.role;
            let outline = Outline {
                seq,
                role,
                is_item: format == Format::OpenaiResponses,
                tokens,
                shape: shape.clone(),
                is_left_out: false,
                retrieved: false,
                bytes: u64::try_from(raw.len()).unwrap_or(u64::MAX),
            };
            read.counted.push(outline.counted());
            read.outlines.push(outline);
            let raw = Shape::served(shape.as_ref(), format, raw.clone()).into();
            read.entries.push(Entry { seq, format, role, tokens, shape, raw });
            read.numbered.push(Numbered { seq, message });
        }
        Ok(read)
    }
}

/// The summary that contexts serve.
#[derive(Clone, Debug)]
pub struct Served {
    /// Its version.
    pub version: i64,
    /// Its message and that message's tokens.
    pub full: (String, u32),
    /// The same in smaller forms.
    pub smaller: Vec<(String, u32)>,
    /// The digest.
    pub digest: digest::ServedDigest,
    /// The recap.
    pub recap: String,
}

/// Counts of compression attempts by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Versions published.
    pub published: u32,
    /// Published versions that freed less than a tenth of the context.
    pub idle: u32,
    /// Published versions after which the context was above the target.
    pub above_target: u32,
    /// Attempts that were not needed because large outputs were clipped.
    pub clipped: u32,
    /// Attempts that would have freed too little.
    pub too_little: u32,
    /// Attempts that could cover nothing for another reason.
    pub without_span: u32,
    /// Candidates that were no smaller than what they replace.
    pub not_smaller: u32,
    /// Candidates that the gate refused.
    pub refused: u32,
    /// A model's candidates that were replaced by one of code.
    pub by_code: u32,
    /// Whether the session refused a batch, which ends the replay.
    pub is_broken_off: bool,
}

/// State of one replay.
pub struct Replay<'a> {
    /// The messages.
    pub transcript: &'a Transcript,
    /// The session.
    pub session: Session,
    /// The current summary.
    pub served: Option<Served>,
    /// How the attempts ended.
    pub outcomes: Outcomes,
    /// Whether the context ever reached the compress level.
    pub triggered: bool,
    /// The next compression, started by an append or by the end of another compression.
    start: Option<Start>,
    base: Option<Base>,
    probes: Vec<Probe>,
    counter: TokenCounter,
    /// A model in place of the deterministic engine.
    pub writer: Option<Writer<'a>>,
}

/// Writes what a span adds to the record, as a model does; the last argument are the ends of the span's groups.
pub type Writer<'a> = Box<dyn FnMut(&Material, &Facts, &[Seq]) -> Proposed + 'a>;

impl<'a> Replay<'a> {
    /// A session of no messages yet, in a window of so many tokens.
    pub fn new(transcript: &'a Transcript, window: u32, counter: TokenCounter) -> Self {
        Self::under(transcript, Settings { context_window: Some(window), ..Settings::default() }, counter)
    }

    /// A session of no messages yet, with these settings.
    pub fn under(transcript: &'a Transcript, settings: Settings, counter: TokenCounter) -> Self {
        let (name, id) = (SessionName::parse("a-session"), SessionId(Uuid::nil()));
        let name = name.unwrap_or_else(|_| unreachable!("the name has letters alone"));
        let mut session = Session::new(id, name, Settings::default(), DateTime::UNIX_EPOCH);
        session.settings = Settings { tokenizer: Some(counter.tokenizer()), ..settings };
        Self {
            transcript,
            session,
            served: None,
            outcomes: Outcomes::default(),
            triggered: false,
            start: None,
            base: None,
            probes: Vec::new(),
            counter,
            writer: None,
        }
    }

    /// The thresholds.
    pub fn policy(&self) -> Policy {
        self.session.policy()
    }

    /// Appends the next message, and compresses when the service would; `false` at the end.
    pub fn step(&mut self) -> bool {
        let is_there = self.append(1);
        self.work();
        is_there
    }

    /// Appends the next messages as one batch; `false` when there are none, or when the service would refuse them.
    pub fn append(&mut self, messages: usize) -> bool {
        let from = place(self.session.head_seq);
        let batch: Vec<Incoming<'_>> = (self.transcript.counted.iter().skip(from).take(messages))
            .map(|counted| Incoming { counted, signals: None, is_kept: false })
            .collect();
        if batch.is_empty() || self.outcomes.is_broken_off {
            return false;
        }
        if let Some(newest) = self.session.clip_boundary(batch.iter().map(|message| message.counted)) {
            let tail = self.outlines(self.session.floor());
            let marks = self.session.accounting.marks(tail);
            self.session.clip_before(newest, tail, &marks);
        }
        let options = BatchOptions {
            format: BatchFormat::Stated(self.transcript.format),
            model: None,
            opening: None,
            tokenizer: self.counter.tokenizer(),
            expected_next_seq: None,
            task_boundary: false,
            every_signal: false,
            history: HistoryScope::Nothing,
            now: 0,
        };
        let Ok(appended) = self.session.append(&batch, options) else {
            self.outcomes.is_broken_off = true;
            return false;
        };
        self.triggered |= appended.usage.effective_utilization >= self.policy().compress;
        self.start = appended.start;
        true
    }

    /// Does the compression that an append has started, and those that follow from it.
    pub fn work(&mut self) {
        for _ in 0..MOST_IN_A_ROW {
            let Some(start) = self.start.take() else { return };
            self.start = self.compress(start.kind.as_ref(), &start.request());
        }
    }

    /// Compresses once more, as a caller may at the end, when the context takes more than a compression would leave.
    pub fn finish(&mut self) {
        if !Room::of(&self.policy(), None, &self.session.accounting).has_room {
            self.start = self.compress(MANUAL, &Request::default());
        }
    }

    /// The messages after the anchor, the system prompt aside.
    pub fn tail(&self) -> &'a [Entry] {
        self.transcript
            .entries
            .get(place(self.session.floor())..place(self.session.head_seq))
            .unwrap_or_default()
    }

    /// The messages after a position, without their bodies.
    fn outlines(&self, after: Seq) -> &'a [Outline] {
        self.transcript.outlines.get(place(after)..place(self.session.head_seq)).unwrap_or_default()
    }

    fn compress(&mut self, trigger: &str, request: &Request) -> Option<Start> {
        let settings = self.session.effective_settings();
        let strategy = settings.strategy_in_force();
        let before = self.session.context_tokens();
        let tail = self.outlines(self.session.floor());
        let asked = SpanRequest { trigger, request, strategy };
        let ending = Ending { trigger, request, span: None, status: Status::Skipped, version: None };
        let through_seq = match span::end(&settings, &self.session.accounting, tail, asked) {
            Ok(end) => span::bounded(tail, end),
            Err(reason) => {
                let count = match reason {
                    NoSpan::Clips => &mut self.outcomes.clipped,
                    NoSpan::TooLittle => &mut self.outcomes.too_little,
                    NoSpan::TooFew
                    | NoSpan::AllSystem
                    | NoSpan::OneHugeGroup
                    | NoSpan::Unanswered
                    | NoSpan::Fits
                    | NoSpan::AlreadyCovered => &mut self.outcomes.without_span,
                };
                *count += 1;
                return self.end(ending, before);
            }
        };
        let span = Span {
            parent_version: self.session.version,
            from_seq: tail.first().map_or(through_seq, |first| first.seq),
            through_seq,
        };
        let ending = Ending { span: Some(span), ..ending };
        let material = self.material(request, tail, through_seq);
        let written = self.write(&material, tail);
        let (checked, carry) = written.unwrap_or_else(|| candidate::check_by_code(material));
        if checked.is_not_smaller() {
            self.outcomes.not_smaller += 1;
            return self.end(ending, before);
        }
        if !checked.is_accepted() {
            self.outcomes.refused += 1;
            return self.end(Ending { status: Status::Rejected, ..ending }, before);
        }
        let version = self.publish(checked, carry);
        self.end(Ending { status: Status::Succeeded, version: Some(version), ..ending }, before)
    }

    /// The candidate of the model, when there is one and it may be published.
    fn write(&mut self, material: &Material, tail: &[Outline]) -> Option<(CheckedDraft, LedgerState)> {
        let writer = self.writer.as_mut()?;
        let covered = tail.get(..tail.partition_point(|outline| outline.seq <= material.through_seq))?;
        let last = |group: &Group| covered.get(group.range.clone())?.last().map(|outline| outline.seq);
        let ends: Vec<Seq> = group::groups(covered).iter().filter_map(last).collect();
        let facts = candidate::read(material);
        let proposed = writer(material, &facts, &ends);
        let draft = candidate::merge_proposal(material, &facts, proposed);
        let checked = candidate::check(material, &facts, draft);
        self.outcomes.by_code += u32::from(!checked.is_accepted());
        checked.is_accepted().then_some((checked, facts.carry))
    }

    fn material(&self, request: &Request, tail: &[Outline], through: Seq) -> Material {
        let counts = &self.session.accounting;
        let policy = span::policy(&self.session.effective_settings(), counts, request);
        let room = Room::of(&policy, request.target, counts);
        let left = room.beside(&policy, &span::served(&policy, counts, tail), through);
        let covered = tail.iter().filter(|outline| outline.seq <= through);
        let whole = covered.fold(0u32, |sum, outline| sum.saturating_add(outline.tokens));
        let saved = counts.saved_within(policy.mask, tail, &counts.marks(tail), through);
        let span_tokens = whole.saturating_sub(u32::try_from(saved).unwrap_or(u32::MAX));
        let from = place(self.session.floor());
        let messages = self.transcript.numbered.get(from..place(through)).unwrap_or_default().to_vec();
        let model = ModelRoom::of(&policy, left.record, None);
        let after = self.transcript.numbered.get(place(through)..place(self.session.head_seq));
        let after = after.filter(|_| self.writer.is_some()).unwrap_or_default().to_vec();
        Material {
            session_id: self.session.name.to_string(),
            base: self.base.clone(),
            version: self.session.last_version + 1,
            compression_count: i64::from(self.session.compression_count),
            probes: self.probes.clone(),
            bound: left.record,
            model_bound: model.bound,
            aim: model.aim,
            room: left.together,
            tail: after,
            ..Material::first(messages, span_tokens, self.counter, DateTime::UNIX_EPOCH)
        }
    }

    /// Makes a candidate the current version.
    fn publish(&mut self, checked: CheckedDraft, carry: LedgerState) -> session::VersionSizes {
        let mut at = 0;
        self.probes.retain(|_| {
            at += 1;
            !checked.retired.contains(&(at - 1))
        });
        self.probes.extend(checked.new_probes.iter().filter(|probe| probe.critical).cloned());
        let version = checked.meta.version;
        let message = |form: &Rendering| context::summary_message(&form.text, self.counter);
        let full = message(&checked.rendering);
        let smaller = checked.smaller.iter().map(message).collect();
        let sizes =
            session::VersionSizes { version, summary_tokens: full.1, digest_tokens: checked.digest.tokens };
        self.base = Some(Base {
            version,
            summary: checked.summary,
            parts: Parts::default(),
            carry,
            served_tokens: full.1 + checked.digest.tokens,
        });
        self.served = Some(Served { version, full, smaller, digest: checked.digest, recap: checked.recap });
        self.outcomes.published += 1;
        sizes
    }

    /// Ends an attempt; returns the compression that follows.
    fn end(&mut self, ending: Ending<'_>, before: u32) -> Option<Start> {
        let mut report = Report { context_tokens_before: Some(before), ..Report::default() };
        let status = self.session.final_status(ending, &mut report);
        let tail = self.outlines(self.session.floor_after(status, ending));
        let start = self.session.end(status, ending, tail, &mut report);
        if status == Status::Succeeded {
            let after = f64::from(report.context_tokens_after.unwrap_or_default());
            self.outcomes.idle += u32::from(after > IDLE_SHARE * f64::from(before));
            self.outcomes.above_target += u32::from(report.target_met == Some(false));
        }
        start
    }
}

/// Converts a seq to the number of messages up to it.
fn place(seq: Seq) -> usize {
    usize::try_from(seq).unwrap_or_default()
}

/// The least number of compressions that the thresholds imply for what was appended.
pub fn least(replay: &Replay<'_>) -> u64 {
    let (policy, counts) = (replay.policy(), &replay.session.accounting);
    let trigger = u64::from(share_of(policy.effective_window, policy.compress));
    let room = Room::of(&policy, None, counts);
    // A small window has no room for the newest messages, which stay all the same, and for the least record.
    let newest = u64::from(counts.growth_of_a_call()) * u64::from(policy.preserve_recent) / CALL_MESSAGES;
    let stays = u64::from(room.fixed) + u64::from(LEAST_BOUND_TOKENS) + newest;
    let beyond = counts.appended_tokens.saturating_sub(trigger);
    // Where these leave no room, so much has to come between two compressions nevertheless.
    let hysteresis = u64::from(share_of(policy.effective_window, HYSTERESIS_SHARE));
    let between = trigger.saturating_sub(room.goal().max(stays)).max(hysteresis).max(1);
    beyond.div_ceil(between).max(u64::from(replay.triggered))
}

/// Whether so many compressions are more than half as many again as the least.
pub fn is_thrash(published: u32, least: u64) -> bool {
    u64::from(published) * 2 > least * 3
}
