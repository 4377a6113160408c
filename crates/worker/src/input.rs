//! The input of a compression: the span that it covers, as it is loaded from the store, and a shorter span for code when
//! the model fails.

use std::sync::Arc;

use super::span_facts::group_ends;
use anchord_context::pin::Pin;
use anchord_facts::ledger::constraints::{Constraint, ConstraintSource};
use anchord_messages::format::{self, Format};
use anchord_messages::group::{self, NoSpan};
use anchord_messages::id::{ProbeId, Seq};
use anchord_messages::message::Numbered;
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, Material};
use anchord_record::probe::Probe;
use anchord_record::render::{LEAST_BOUND_TOKENS, phase_bound};
use anchord_record::strategy::Strategy;
use anchord_session::compression::Request;
use anchord_session::compression::Span;
use anchord_session::outline::Outline;
use anchord_session::room::{MemoryRoom, ModelRoom, Room};
use anchord_session::settings::HYSTERESIS_SHARE;
use anchord_session::signal::SignalKind;
use anchord_session::span::{self, SpanRequest};
use anchord_store::base::{Base, Original};
use anchord_store::compressions::Job;
use anchord_store::summaries::UnreadVersion;

/// How many messages stay verbatim when code replaces a model. Code loses what is only implied, which hurts most in
/// the last messages.
const KEPT_BY_CODE: usize = 10;

/// The span of a job: fixed at the first claim, otherwise from the anchor to the last group that may be covered.
pub(super) fn choose_span(
    base: &Base,
    outlines: &[Outline],
    (job, strategy): (&Job, Strategy),
) -> Result<Span, NoSpan> {
    if let Some(span) = job.span {
        return Ok(span);
    }
    let asked = SpanRequest { trigger: &job.trigger, request: &job.request, strategy };
    let end = span::end(&base.settings, &base.session.accounting, outlines, asked)?;
    let through_seq = span::bounded(outlines, end);
    let from_seq = if strategy == Strategy::Regenerative && base.current.is_some() {
        base.session.accounting.system_through + 1
    } else {
        outlines.first().map_or(end, |first| first.seq)
    };
    Ok(Span { parent_version: base.current.as_ref().map(|current| current.version), from_seq, through_seq })
}

/// A warning when the thresholds of the session do not allow the requested target.
pub(super) fn lowered_target(base: &Base, request: &Request) -> Option<String> {
    let room = Room::of(
        &span::policy(&base.settings, &base.session.accounting, request),
        request.target,
        &base.session.accounting,
    );
    let warning = format!(
        "the target was lowered to {} tokens beside system prompt and pins: more would be above the compress level less {HYSTERESIS_SHARE:.2}",
        room.fill
    );
    room.is_lowered.then_some(warning)
}

/// The most tokens of messages after the span; of more, none is read.
const MOST_OF_TAIL: u32 = 200_000;

/// The last message to read: the newest, so that the version tells nothing that is over by now.
pub(super) fn read_through(base: &Base, outlines: &[Outline], span: Span) -> Seq {
    let tail = outlines.iter().filter(|outline| outline.seq > span.through_seq);
    let tokens = tail.fold(0u32, |sum, outline| sum.saturating_add(outline.tokens));
    if tokens > MOST_OF_TAIL { span.through_seq } else { base.session.head_seq }
}

/// Everything that was loaded for a compression.
pub(super) struct InputRows {
    pub(super) base: Base,
    pub(super) outlines: Vec<Outline>,
    pub(super) originals: Vec<Original>,
    pub(super) span: Span,
    pub(super) job: Job,
    pub(super) strategy: Strategy,
    pub(super) now: chrono::DateTime<chrono::Utc>,
}

/// The input of a compression.
pub(super) struct CompressionInput {
    pub(super) material: Material,
    pub(super) probe_ids: Vec<ProbeId>,
    /// The last message of each group of the span.
    pub(super) ends: Arc<[Seq]>,
    pub(super) shorter: Option<ShorterSpan>,
}

/// The same span with an earlier end, for code in place of a model: code loses more than a model, so more messages stay
/// verbatim.
pub(super) struct ShorterSpan {
    pub(super) through_seq: Seq,
    span_tokens: u32,
    left: MemoryRoom,
}

impl ShorterSpan {
    pub(super) fn apply(self, material: &mut Material) {
        let keep = material.span.partition_point(|message| message.seq <= self.through_seq);
        material.tail.splice(..0, material.span.split_off(keep));
        (material.through_seq, material.span_tokens) = (self.through_seq, self.span_tokens);
        // Code makes this candidate, so it has the bounds of code.
        (material.bound, material.room) = (self.left.record, self.left.together);
    }
}

impl InputRows {
    pub(super) fn input(self) -> Result<CompressionInput, String> {
        let shorter = self.shorter();
        let ends = group_ends(&self.outlines, self.span.through_seq);
        let (material, probe_ids) = self.material()?;
        Ok(CompressionInput { material, probe_ids, ends, shorter })
    }

    /// The span without the last [`KEPT_BY_CODE`] messages; `None` when the caller chose the end, or when too little
    /// would be left.
    fn shorter(&self) -> Option<ShorterSpan> {
        let request = &self.job.request;
        let is_asked = request.preserve_recent.is_some() || request.through_seq.is_some();
        let through_seq = group::span_end(&self.outlines, KEPT_BY_CODE, None).ok()?;
        let is_shorter = !is_asked && through_seq < self.span.through_seq;
        is_shorter.then(|| ShorterSpan {
            through_seq,
            span_tokens: self.tokens_until(through_seq),
            left: self.left(through_seq),
        })
    }

    /// Tokens of the messages through `through`, as they are served; without those that stay although they are covered.
    fn tokens_until(&self, through: Seq) -> u32 {
        let counts = &self.base.session.accounting;
        let covered =
            self.outlines.iter().filter(|outline| outline.seq <= through && !counts.keeps(outline.seq));
        let whole = covered.fold(0u32, |sum, outline| sum.saturating_add(outline.tokens));
        let marks = counts.marks(&self.outlines);
        let policy = span::policy(&self.base.settings, counts, &self.job.request);
        let saved = counts.saved_within(policy.mask, &self.outlines, &marks, through);
        whole.saturating_sub(u32::try_from(saved).unwrap_or(u32::MAX))
    }

    /// The room for the record, and for record and digest together, so that the context reaches its target size.
    fn left(&self, through: Seq) -> MemoryRoom {
        let policy = span::policy(&self.base.settings, &self.base.session.accounting, &self.job.request);
        let room = Room::of(&policy, self.job.request.target, &self.base.session.accounting);
        let left = room.beside(
            &policy,
            &span::served(&policy, &self.base.session.accounting, &self.outlines),
            through,
        );
        // Facts are rendered before prose, so half the room leaves out long talk; a digest would bring it back.
        let (record, together) = if self.trims() {
            ((left.record / 2).max(LEAST_BOUND_TOKENS).min(left.record), 0)
        } else {
            (left.record, left.together)
        };
        MemoryRoom { record: record.min(phase_bound(self.base.settings.phase)), together }
    }

    /// Whether the compression was triggered by verbose talk, which is then trimmed.
    fn trims(&self) -> bool {
        self.job.trigger == SignalKind::Verbosity.as_ref()
    }

    fn material(self) -> Result<(Material, Vec<ProbeId>), String> {
        let counter = TokenCounter::new(self.base.settings.tokenizer.unwrap_or_default());
        let span_tokens = self.tokens_until(self.span.through_seq);
        let left = self.left(self.span.through_seq);
        let policy = span::policy(&self.base.settings, &self.base.session.accounting, &self.job.request);
        let model = ModelRoom::of(&policy, left.record, self.base.settings.max_summary_tokens);
        let mut span = read_messages(self.originals)?;
        let tail = span.split_off(span.partition_point(|message| message.seq <= self.span.through_seq));
        let base = self.base.current.map(read_base).transpose()?;
        let mut probes: Vec<Probe> = Vec::new();
        let mut probe_ids = Vec::new();
        for (id, probe) in self.base.probes {
            probes.push(serde_json::from_value(probe).map_err(|error| format!("probe {id}: {error}"))?);
            probe_ids.push(id);
        }
        let pin = |pin: Pin| Constraint::new(pin.id, pin.text, ConstraintSource::Pin, Vec::new());
        let material = Material {
            strategy: self.strategy,
            session_id: self.base.session.name.to_string(),
            task_id: self.base.settings.task_id,
            from_seq: span.first().map_or(self.span.from_seq, |first| first.seq),
            span,
            tail,
            through_seq: self.span.through_seq,
            span_tokens,
            base,
            version: self.base.session.last_version + 1,
            compression_count: i64::from(self.base.session.compression_count),
            phase: self.base.settings.phase,
            todos: self.base.todos.map(|list| list.items).unwrap_or_default(),
            pins: self.base.pins.into_iter().map(pin).collect(),
            dropped_entries: self.base.dropped_entries,
            constraint_mode: self.base.settings.constraints.unwrap_or_default(),
            probes,
            bound: left.record,
            model_bound: model.bound,
            aim: model.aim,
            room: left.together,
            goes_on: true,
            now: self.now,
            counter,
        };
        Ok((material, probe_ids))
    }
}

/// Parses stored originals into messages.
pub(super) fn read_messages(originals: Vec<Original>) -> Result<Vec<Numbered>, String> {
    let mut messages = Vec::with_capacity(originals.len());
    for original in originals {
        let format = original.format.parse::<Format>().map_err(|_| "a message has an unknown format")?;
        let message = format::parse(format, &original.body)
            .map_err(|error| format!("message {} does not read back: {error}", original.seq))?;
        let message = if original.is_retrieved { message.as_documents() } else { message };
        messages.push(Numbered { seq: original.seq, message });
    }
    Ok(messages)
}

fn read_base(current: UnreadVersion) -> Result<candidate::Base, String> {
    let UnreadVersion { version, record, carry, served_tokens, .. } = current;
    let (summary, parts) = record.read().map_err(|error| format!("the current version: {error}"))?;
    let carry =
        serde_json::from_str(&carry).map_err(|error| format!("the current version's carry: {error}"))?;
    Ok(candidate::Base { version, summary, parts, carry, served_tokens })
}
