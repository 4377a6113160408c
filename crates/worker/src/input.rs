//! What a compression is made from: the span that it covers, read out of the store, and a shorter one for
//! code when a model comes to nothing.

use std::sync::Arc;

use super::record_cache::Record;
use super::span_facts::group_ends;
use anchord_context::pin::Pin;
use anchord_facts::ledger::constraints::{Constraint, ConstraintSource};
use anchord_messages::format::{self, Format};
use anchord_messages::group::{self, NoSpan};
use anchord_messages::id::{ProbeId, Seq};
use anchord_messages::message::Numbered;
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, Material};
use anchord_record::fill::share_of;
use anchord_record::probe::Probe;
use anchord_record::render::{DEFAULT_BOUND_TOKENS, LEAST_BOUND_TOKENS, phase_bound};
use anchord_record::strategy::Strategy;
use anchord_session::compression::Request;
use anchord_session::compression::Span;
use anchord_session::outline::{Outline, marks};
use anchord_session::room::{Left, Room};
use anchord_session::settings::HYSTERESIS_SHARE;
use anchord_session::signal::SignalKind;
use anchord_session::span::{self, Asked};
use anchord_store::base::{Base, Current, Original};
use anchord_store::compressions::Job;

/// Messages that stay verbatim when code words what a model was to word: what is only meant is lost with code's words, and
/// the last messages are where that hurts most.
const KEPT_BY_CODE: usize = 10;

/// The span: fixed at the first claim, else from the anchor to the last group that may be covered.
pub(super) fn choose_span(
    base: &Base,
    outlines: &[Outline],
    (job, strategy): (&Job, Strategy),
    through: Option<Seq>,
) -> Result<Span, NoSpan> {
    if let Some(span) = job.span {
        return Ok(span);
    }
    let asked = Asked { trigger: &job.trigger, request: &job.request, strategy, through };
    let end = span::end(&base.settings, &base.session.accounting, outlines, asked)?;
    let through_seq = span::bounded(outlines, end);
    let from_seq = if strategy == Strategy::Regenerative && base.current.is_some() {
        base.session.accounting.system_through + 1
    } else {
        outlines.first().map_or(end, |first| first.seq)
    };
    Ok(Span { parent_version: base.current.as_ref().map(|current| current.version), from_seq, through_seq })
}

/// What is told of a target that the session's thresholds do not allow.
pub(super) fn lowered(base: &Base, request: &Request) -> Option<String> {
    let room = Room::of(
        &span::policy(&base.settings, &base.session.accounting, request),
        request.target,
        &base.session.accounting,
    );
    let told = format!(
        "the target was lowered to {} tokens beside system prompt and pins: more would be above the compress level less {HYSTERESIS_SHARE:.2}",
        room.fill
    );
    room.is_lowered.then_some(told)
}

/// Everything that the blocking part works on.
pub(super) struct InputRows {
    pub(super) base: Base,
    pub(super) outlines: Vec<Outline>,
    pub(super) originals: Vec<Original>,
    /// The record that this process published last for the session.
    pub(super) kept: Option<Record>,
    pub(super) span: Span,
    /// Tokens of the span as it was served, when it is read once more.
    pub(super) span_tokens: Option<u32>,
    pub(super) job: Job,
    pub(super) strategy: Strategy,
    pub(super) now: chrono::DateTime<chrono::Utc>,
}

/// What a candidate is made from, and what it is made from when code makes it in a model's place.
pub(super) struct CompressionInput {
    pub(super) material: Material,
    pub(super) probe_ids: Vec<ProbeId>,
    /// The last messages of the span's groups.
    pub(super) ends: Arc<[Seq]>,
    pub(super) shorter: Option<ShorterSpan>,
}

/// The same span, ending earlier: what code words loses more than what a model words, so that more
/// messages stay as they are.
pub(super) struct ShorterSpan {
    pub(super) through_seq: Seq,
    span_tokens: u32,
    left: Left,
}

/// Of the effective window, what a model is to aim at: two fifths of what a compression fills.
const AIM_SHARE: f64 = 0.16;
/// What a model worded takes at most so much of the room for record and digest.
const TOLD_SHARE: f64 = 0.6;

impl ShorterSpan {
    pub(super) fn apply(self, material: &mut Material) {
        let keep = material.span.partition_point(|message| message.seq <= self.through_seq);
        material.span.truncate(keep);
        (material.through_seq, material.span_tokens) = (self.through_seq, self.span_tokens);
        // What is shorter is what code words in a model's place.
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

    /// The span without the last [`KEPT_BY_CODE`] messages; nothing when the caller said where it ends, or
    /// when too little would be left of it.
    fn shorter(&self) -> Option<ShorterSpan> {
        let request = &self.job.request;
        let is_asked = request.preserve_recent.is_some() || request.through_seq.is_some() || request.shadow;
        let through_seq = group::span_end(&self.outlines, KEPT_BY_CODE, None).ok()?;
        let is_shorter = !is_asked && self.span_tokens.is_none() && through_seq < self.span.through_seq;
        is_shorter.then(|| ShorterSpan {
            through_seq,
            span_tokens: self.tokens_until(through_seq),
            left: self.left(through_seq),
        })
    }

    /// Tokens of the messages through `through`, as they are served.
    fn tokens_until(&self, through: Seq) -> u32 {
        let covered = self.outlines.iter().filter(|outline| outline.seq <= through);
        let whole = covered.fold(0u32, |sum, outline| sum.saturating_add(outline.tokens));
        let marks = marks(&self.outlines);
        whole.saturating_sub(self.base.session.accounting.masked_within(&self.outlines, &marks, through))
    }

    /// Room for the record, and for record and digest together, when the context is to be at its goal afterwards.
    fn left(&self, through: Seq) -> Left {
        let policy = span::policy(&self.base.settings, &self.base.session.accounting, &self.job.request);
        let room = Room::of(&policy, self.job.request.target, &self.base.session.accounting);
        let left =
            room.beside(&policy, &span::served(&self.base.session.accounting, &self.outlines), through);
        // Facts are told before prose, so that half the room leaves out what was said at length; a digest would tell it.
        let (record, together) = if self.trims() {
            ((left.record / 2).max(LEAST_BOUND_TOKENS).min(left.record), 0)
        } else {
            (left.record, left.together)
        };
        Left { record: record.min(phase_bound(self.base.settings.phase)), together }
    }

    /// Whether the agent's talk is what the compression is for: then noise is trimmed.
    fn trims(&self) -> bool {
        self.job.trigger == SignalKind::Verbosity.as_str()
    }

    fn material(self) -> Result<(Material, Vec<ProbeId>), String> {
        let counter = TokenCounter::new(self.base.settings.tokenizer.unwrap_or_default());
        let span_tokens = self.span_tokens.unwrap_or_else(|| self.tokens_until(self.span.through_seq));
        let left = self.left(self.span.through_seq);
        let policy = span::policy(&self.base.settings, &self.base.session.accounting, &self.job.request);
        let aim = match self.base.settings.max_summary_tokens {
            Some(bound) => bound,
            None => {
                share_of(policy.effective_window, AIM_SHARE).clamp(LEAST_BOUND_TOKENS, DEFAULT_BOUND_TOKENS)
            }
        };
        let told_bound = match self.base.settings.max_summary_tokens {
            Some(_) => left.record,
            None => left.record.max(share_of(left.together, TOLD_SHARE).min(DEFAULT_BOUND_TOKENS)),
        };
        let span = read_messages(self.originals)?;
        let base = self.base.current.map(|current| read_base(current, self.kept)).transpose()?;
        let mut probes: Vec<Probe> = Vec::new();
        let mut probe_ids = Vec::new();
        for (id, probe) in self.base.probes {
            probes.push(serde_json::from_value(probe).map_err(|error| format!("probe {id}: {error}"))?);
            probe_ids.push(id);
        }
        let pin = |pin: Pin| Constraint {
            id: pin.id,
            text: pin.text,
            source: ConstraintSource::Pin,
            seqs: Vec::new(),
            session_id: None,
        };
        let material = Material {
            strategy: self.strategy,
            session_id: self.base.session.name.to_string(),
            task_id: self.base.settings.task_id,
            from_seq: span.first().map_or(self.span.from_seq, |first| first.seq),
            span,
            through_seq: self.span.through_seq,
            span_tokens,
            base,
            version: self.base.session.last_version + 1,
            compression_count: i64::from(self.base.session.compression_count),
            phase: self.base.settings.phase,
            todos: self.base.todos.map(|list| list.items).unwrap_or_default(),
            pins: self.base.pins.into_iter().map(pin).collect(),
            removed_constraints: self.base.removed_constraints,
            probes,
            bound: left.record,
            told_bound,
            aim,
            room: left.together,
            now: self.now,
            counter,
        };
        Ok((material, probe_ids))
    }
}

/// Reads originals back into messages.
pub(super) fn read_messages(originals: Vec<Original>) -> Result<Vec<Numbered>, String> {
    let mut messages = Vec::with_capacity(originals.len());
    for original in originals {
        let format = Format::from_name(&original.format).ok_or("a message has an unknown format")?;
        let message = format::parse(format, &original.body)
            .map_err(|error| format!("message {} does not read back: {error}", original.seq))?;
        messages.push(Numbered { seq: original.seq, message });
    }
    Ok(messages)
}

fn read_base(current: Current, kept: Option<Record>) -> Result<candidate::Base, String> {
    let Current { version, written, served_tokens } = current;
    let (summary, parts, carry) = match (written, kept.filter(|kept| kept.version == version)) {
        (_, Some(kept)) => (kept.summary, kept.parts, kept.carry),
        (Some(written), None) => {
            let (summary, parts) =
                written.record.read().map_err(|error| format!("the current version: {error}"))?;
            let carry = serde_json::from_str(&written.carry);
            (summary, parts, carry.map_err(|error| format!("the current version's carry: {error}"))?)
        }
        (None, None) => return Err("the current version was not read".to_owned()),
    };
    Ok(candidate::Base { version, summary, parts, carry, served_tokens })
}
