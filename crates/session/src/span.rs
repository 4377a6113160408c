//! Which messages a compression covers.

use super::accounting::{Accounting, MessageCounts};
use super::compression::{MANUAL, Request};
use super::outline::Outline;
use super::room::Room;
use super::settings::{Policy, Settings};
use super::signal::SignalKind;
use anchord_messages::group::{self, NoSpan};
use anchord_messages::id::Seq;
use anchord_record::strategy::Strategy;

/// About how many bytes of message bodies one compression reads; a follow-up covers the rest. This limits the
/// memory of a worker, whatever the session's length. A group is never split; its size is limited when it is
/// appended.
const SPAN_BYTES: u64 = 8 * 1024 * 1024;
/// A span below this takes one more group, however large: a summary of less would hardly be smaller than it.
const LEAST_SPAN_BYTES: u64 = SPAN_BYTES / 2;

/// The input of the choice of a span.
#[derive(Clone, Copy, Debug)]
pub struct SpanRequest<'a> {
    /// The trigger of the compression.
    pub trigger: &'a str,
    /// The request of the compression.
    pub request: &'a Request,
    /// Its strategy.
    pub strategy: Strategy,
}

/// The last message that a new span may cover, before its size is limited: what the caller asked for, else so
/// far that the newest messages fit into their part of the fill.
///
/// # Errors
/// The reason, when no message may be covered.
pub fn end(
    settings: &Settings,
    counts: &Accounting,
    outlines: &[Outline],
    asked: SpanRequest<'_>,
) -> Result<Seq, NoSpan> {
    let request = asked.request;
    let preserve = request.preserve_recent.unwrap_or_else(|| settings.preserved_by(asked.strategy));
    let preserve = usize::try_from(preserve).unwrap_or(usize::MAX);
    if request.through_seq.is_some() {
        return group::span_end(outlines, preserve, request.through_seq);
    }
    let policy = policy(settings, counts, request);
    let room = Room::of(&policy, request.target, counts);
    let is_free = asked.trigger == MANUAL && request.target.is_none();
    if is_free && room.has_room && !outlines.is_empty() {
        return Err(NoSpan::Fits);
    }
    let tail = served(&policy, counts, outlines);
    let end = room.span_end(&policy, (outlines, &tail), preserve)?;
    if asked.trigger == SignalKind::Utilization.as_ref() {
        if counts.is_clipping_enough(room, &policy, outlines, &counts.marks(outlines)) {
            return Err(NoSpan::Clips);
        }
        if !room.frees_enough(&policy, counts, &tail, end) {
            return Err(NoSpan::TooLittle);
        }
    }
    Ok(end)
}

/// The policy with the request's own values for the newest messages.
pub fn policy(settings: &Settings, counts: &Accounting, request: &Request) -> Policy {
    let mut policy = settings.policy().calibrated(&counts.calibration);
    if let Some(tokens) = request.preserve_recent_tokens {
        policy.preserve_recent_tokens = tokens;
    }
    policy
}

/// The messages with their tokens as they are served.
pub fn served(policy: &Policy, counts: &Accounting, outlines: &[Outline]) -> Vec<MessageCounts> {
    let marks = counts.marks(outlines);
    let mut tail: Vec<MessageCounts> = outlines.iter().map(Outline::counted).collect();
    for (message, outline) in tail.iter_mut().zip(outlines) {
        message.kept = counts.keeps(message.seq);
        if message.seq <= counts.mask_upto && message.results > 0 {
            let saved = counts.saved_within(policy.mask, std::slice::from_ref(outline), &marks, message.seq);
            message.tokens = message.tokens.saturating_sub(u32::try_from(saved).unwrap_or(u32::MAX));
        }
    }
    tail
}

/// The end of the last group within [`SPAN_BYTES`]; at least one group, and at least [`LEAST_SPAN_BYTES`].
pub fn bounded(outlines: &[Outline], end: Seq) -> Seq {
    let groups = group::groups(outlines);
    let (mut bytes, mut through) = (0, 0);
    for group in groups {
        let members = outlines.get(group.range).unwrap_or_default();
        let more = members.iter().map(|member| member.bytes).sum::<u64>();
        let Some(last) = members.last().map(|member| member.seq).filter(|last| *last <= end) else { break };
        if through > 0 && bytes >= LEAST_SPAN_BYTES && bytes + more > SPAN_BYTES {
            break;
        }
        bytes += more;
        through = last;
    }
    if through == 0 { end } else { through }
}
