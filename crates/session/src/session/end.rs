//! The change of a session by the end of a compression.

use super::state::Session;
use crate::accounting::{Accounting, MessageCounts};
use crate::compression::{Failure, MANUAL, Report, Request, Span, Status};
use crate::outline::Outline;
use crate::room::Room;
use crate::settings::Policy;
use crate::span::{self, SpanRequest};
use crate::trigger::{Start, TriggerInput, decide};
use anchord_messages::group::NoSpan;
use anchord_messages::id::Seq;

/// How a compression ends, as its worker reports it.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    /// The trigger of the compression.
    pub trigger: &'a str,
    /// The request of the compression.
    pub request: &'a Request,
    /// The span that it covers; `None` when there was nothing to cover.
    pub span: Option<Span>,
    /// The status as the worker reports it.
    pub status: Status,
    /// The version that it made.
    pub version: Option<VersionSizes>,
}

/// The sizes of a version in contexts.
#[derive(Clone, Copy, Debug)]
pub struct VersionSizes {
    /// Its number.
    pub version: i64,
    /// Tokens of its record.
    pub summary_tokens: u32,
    /// Tokens of its digest.
    pub digest_tokens: u32,
}

impl Session {
    /// The final status: not a success when another version was published meanwhile, or when the session has
    /// become critical and refuses the strategy.
    pub fn final_status(&self, ending: Ending<'_>, report: &mut Report) -> Status {
        let moved = ending.span.is_some_and(|span| span.parent_version != self.version);
        if ending.status != Status::Succeeded {
            return ending.status;
        }
        if moved {
            return Status::Superseded;
        }
        let settings = self.effective_settings();
        if report.strategy_used.is_some_and(|strategy| settings.refuses(strategy)) {
            report.error = Some(Failure {
                kind: "critical-session".to_owned(),
                detail: "the session is critical and refuses what cannot be verified".to_owned(),
            });
            return Status::Rejected;
        }
        ending.status
    }

    /// Why a compression that a caller asks for now would have nothing to cover; `None` when it has
    /// something. `tail` is every message after [`Self::floor`], ascending.
    pub fn covers_nothing(&self, trigger: &str, request: &Request, tail: &[Outline]) -> Option<NoSpan> {
        let settings = self.effective_settings();
        let strategy = request.strategy.unwrap_or_else(|| settings.strategy_in_force());
        // A refused strategy is reported as such, by another check.
        if settings.refuses(strategy) {
            return None;
        }
        let asked = SpanRequest { trigger, request, strategy };
        span::end(&settings, &self.accounting, tail, asked).err()
    }

    /// The floor after a compression has ended with this status.
    pub fn floor_after(&self, status: Status, ending: Ending<'_>) -> Seq {
        let publishes = status == Status::Succeeded && ending.version.is_some();
        let anchor = ending.span.filter(|_| publishes).map_or(self.anchor_seq, |span| span.through_seq);
        self.floor_at(anchor)
    }

    /// Applies the end of a compression, after [`Self::final_status`]: makes its version current, if there is one,
    /// counts the messages after the floor again, and decides what follows. `tail` is every message after
    /// [`Self::floor_after`], ascending.
    pub fn end(
        &mut self,
        status: Status,
        ending: Ending<'_>,
        tail: &[Outline],
        report: &mut Report,
    ) -> Option<Start> {
        let served = ending.version.filter(|_| status == Status::Succeeded);
        let published = ending.span.zip(served);
        if let Some((span, served)) = published {
            self.adopt_version(span, served);
        }
        self.recount(ending, (status, published.is_some()), tail);
        let tokens = self.accounting.unbounded_tokens();
        report.context_tokens_after = Some(self.context_tokens());
        if status == Status::Succeeded {
            let room = Room::of(&self.policy(), ending.request.target, &self.accounting);
            report.target_met = Some(room.is_met(tokens));
        }
        self.next_start()
    }

    /// The compression that the present messages start, if any.
    pub fn next_start(&self) -> Option<Start> {
        let situation = TriggerInput {
            counts: &self.accounting,
            recent: &self.recent,
            head: self.head_seq,
            anchor: self.anchor_seq,
            first: self.head_seq + 1,
            boundary: None,
            versions: self.last_version,
            // The growth signal starts no compression, so the time of the newest message is good enough.
            now: self.recent.newest(),
        };
        decide(&self.policy(), &situation, false).1
    }

    fn adopt_version(&mut self, span: Span, served: VersionSizes) {
        self.version = Some(served.version);
        self.last_version = served.version;
        self.anchor_seq = span.through_seq;
        self.compression_count += 1;
        self.accounting.summary_tokens = served.summary_tokens;
        self.accounting.digest_tokens = served.digest_tokens;
    }

    /// Counts the messages after the floor again, and clips large outputs.
    fn recount(&mut self, ending: Ending<'_>, (status, publishes): (Status, bool), tail: &[Outline]) {
        let is_refused = matches!(status, Status::Failed | Status::Rejected | Status::Skipped);
        let policy = self.policy();
        let counted: Vec<MessageCounts> = tail.iter().map(Outline::counted).collect();
        let mut counts = self.accounting.rebuilt(self.anchor_seq, &counted, policy.preserve_recent);
        if !publishes {
            // The prefix that contexts serve stays until the next version.
            counts.carried = self.accounting.carried;
        }
        // A caller who asks again and again does not put off the next automatic try.
        if ending.trigger != MANUAL || !is_refused {
            counts.settled_head = self.head_seq;
            counts.settled_tokens = counts.appended_tokens;
        }
        let end = counts.span_end(self.head_seq, policy.preserve_recent);
        let room = Room::of(&policy, ending.request.target, &counts);
        let stays = |span: Span| {
            let covered = tail.partition_point(|outline| outline.seq <= span.through_seq);
            let left = tail.get(covered..).unwrap_or_default();
            room.holds(&policy, (left, counted.get(covered..).unwrap_or_default()))
        };
        counts.attempted_through = match ending.span {
            // The span was limited in size, and a follow-up has messages to cover.
            Some(span) if !is_refused && !stays(span) => span.through_seq,
            // No new attempt until more messages arrive. The same messages would be refused again.
            Some(span) => span.through_seq.max(end),
            None => counts.attempted_through.max(end),
        };
        if publishes {
            self.recent = self.recent.after_publication(self.head_seq);
            counts.refused = 0;
        }
        let room = Room::of(&policy, ending.request.target, &counts);
        let marks = counts.marks(tail);
        counts.clip(counts.clipping(), policy.mask, tail, &marks);
        // Only in the same break as a version, or in place of one.
        let is_clipped = counts.is_clipping_enough(room, &policy, tail, &marks);
        if ending.trigger == MANUAL {
            counts.suspended = false;
        } else if is_refused && !is_clipped {
            counts.refused = counts.refused.saturating_add(1);
        }
        if publishes || is_clipped {
            counts.clip_to(room, &policy, tail, &marks);
        }
        self.accounting = counts;
    }
}

/// Clips large outputs, more of them when the context exceeds its goal.
pub(super) fn clip_for(counts: &mut Accounting, target: Option<f64>, policy: &Policy, tail: &[Outline]) {
    let marks = counts.marks(tail);
    counts.clip_to(Room::of(policy, target, counts), policy, tail, &marks);
}
