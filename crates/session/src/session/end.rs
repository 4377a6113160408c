//! The effects on a session when a compression ends.

use super::state::Session;
use crate::accounting::{Accounting, MessageCounts, Prepared};
use crate::compression::{Failure, MANUAL, Report, Request, Span, Status};
use crate::outline::{Outline, marks};
use crate::room::Room;
use crate::settings::{HYSTERESIS_SHARE, Policy};
use crate::signal::SignalKind;
use crate::span::{self, SpanRequest};
use crate::trigger::{Start, TriggerInput, decide};
use anchord_messages::group::NoSpan;
use anchord_messages::id::Seq;
use anchord_record::fill::share_of;

/// How a compression ends, as its worker sees it.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    /// What asked for it.
    pub trigger: &'a str,
    /// What it was asked to do.
    pub request: &'a Request,
    /// What it has read, if there was anything.
    pub span: Option<Span>,
    /// How it ends.
    pub status: Status,
    /// The version that it has made.
    pub version: Option<Served>,
    /// What becomes of its span when nothing came of it.
    pub retry: Retry,
}

/// What contexts serve of a version.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    /// Its number.
    pub version: i64,
    /// Tokens of its record.
    pub summary_tokens: u32,
    /// Tokens of its digest.
    pub digest_tokens: u32,
}

/// When a span is tried again that nothing came of.
#[derive(Clone, Copy, Debug)]
pub enum Retry {
    /// When it holds so many tokens.
    After(u64),
    /// Not ahead of need; at the compress level it is tried as it would have been.
    NotAhead,
}

/// What an end comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How it ends.
    pub status: Status,
    /// Whether its version is published.
    pub publishes: bool,
    /// The compression that follows: the messages that came meanwhile call for it.
    pub next: Option<Start>,
}

impl Session {
    /// How a compression ends: not as published when another version came between, or the session has become critical
    /// while the work was done.
    #[must_use]
    pub fn judge(&self, ending: Ending<'_>, report: &mut Report) -> Status {
        let moved = ending.span.is_some_and(|span| span.parent_version != self.version);
        if ending.status != Status::Succeeded {
            return ending.status;
        }
        if moved && !ending.request.shadow {
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

    /// Why a compression that a caller asks for now would find nothing to cover; `None` when it finds something. `tail` is
    /// every message after [`Self::floor`], ascending.
    #[must_use]
    pub fn covers_nothing(&self, trigger: &str, request: &Request, tail: &[Outline]) -> Option<NoSpan> {
        let settings = self.effective_settings();
        let strategy = request.strategy.unwrap_or_else(|| settings.strategy_in_force());
        // What the session refuses is told of as that.
        if settings.refuses(strategy) {
            return None;
        }
        let asked = SpanRequest { trigger, request, strategy, through: None };
        span::end(&settings, &self.accounting, tail, asked).err()
    }

    /// Through which message the session is covered once a compression has ended so.
    #[must_use]
    pub fn floor_after(&self, status: Status, ending: Ending<'_>) -> Seq {
        let publishes = status == Status::Succeeded && ending.version.is_some();
        let anchor = ending.span.filter(|_| publishes).map_or(self.anchor_seq, |span| span.through_seq);
        self.floor_at(anchor)
    }

    /// Takes in the end of a compression, judged: stands on its version, if there is one, is counted afresh from what
    /// lies after its floor, and tells what follows. `tail` is every message after [`Self::floor_after`], ascending.
    pub fn end(
        &mut self,
        status: Status,
        ending: Ending<'_>,
        tail: &[Outline],
        report: &mut Report,
    ) -> Ended {
        let served = ending.version.filter(|_| status == Status::Succeeded);
        let published = ending.span.zip(served);
        if let Some((span, served)) = published {
            self.stand_on(span, served);
        }
        self.recount(ending, published.is_some(), tail);
        match ending.retry {
            Retry::After(tokens) => self.accounting.retry_tokens = tokens,
            Retry::NotAhead => {
                let through = ending.span.map_or(self.anchor_seq, |span| span.through_seq);
                self.accounting.prepared = Some(Prepared { through, revision: self.served_revision() });
            }
        }
        let tokens = self.accounting.context_tokens();
        report.context_tokens_after = Some(u32::try_from(tokens).unwrap_or(u32::MAX));
        if status == Status::Succeeded {
            let room = Room::of(&self.policy(), ending.request.target, &self.accounting);
            report.target_met = Some(room.is_met(tokens));
        }
        Ended { status, publishes: published.is_some(), next: self.next_start() }
    }

    /// Keeps a version that was made ahead of need; nothing that a caller is served changes.
    pub fn keep_prepared(&mut self, span: Span) {
        let revision = self.served_revision();
        self.accounting.prepared = Some(Prepared { through: span.through_seq, revision });
    }

    /// Publishes a version that was made ahead of need; `false`, and nothing has changed, when version, pins or settings are
    /// not those (`revision`) that it was made under, or it leaves the context, with what comes on top of it now, too
    /// near the next one: then a new compression does better.
    pub fn publish_prepared(
        &mut self,
        ending: Ending<'_>,
        (revision, coming_tokens): (i64, u64),
        tail: &[Outline],
        report: &mut Report,
    ) -> bool {
        let Some((span, served)) = ending.span.zip(ending.version) else { return false };
        let holds = revision == self.served_revision()
            && span.parent_version == self.version
            && served.version == self.last_version + 1
            && !report.strategy_used.is_some_and(|strategy| self.effective_settings().refuses(strategy));
        if !holds {
            return false;
        }
        let mut after = self.clone();
        after.stand_on(span, served);
        after.recount(ending, true, tail);
        after.accounting.retry_tokens = 0;
        let policy = after.policy();
        let enough = share_of(policy.effective_window, policy.compress - HYSTERESIS_SHARE);
        let tokens = after.accounting.context_tokens();
        if tokens + coming_tokens > u64::from(enough) {
            return false;
        }
        let count = |tokens: u64| Some(u32::try_from(tokens).unwrap_or(u32::MAX));
        report.context_tokens_before = count(self.accounting.context_tokens());
        report.context_tokens_after = count(tokens);
        report.target_met = Some(true);
        *self = after;
        true
    }

    /// What the messages that are there start.
    #[must_use]
    pub fn next_start(&self) -> Option<Start> {
        let situation = TriggerInput {
            counts: &self.accounting,
            recent: &self.recent,
            head: self.head_seq,
            anchor: self.anchor_seq,
            first: self.head_seq + 1,
            boundary: None,
            versions: self.last_version,
            // Growth starts no work, so the time of the newest message will do.
            now: self.recent.newest(),
        };
        decide(&self.policy(), &situation).1
    }

    /// Whether something must start at once, and not ahead of need.
    #[must_use]
    pub fn must_start(&self) -> bool {
        self.next_start().is_some_and(|start| !start.is_ahead)
    }

    fn stand_on(&mut self, span: Span, served: Served) {
        self.version = Some(served.version);
        self.last_version = served.version;
        self.anchor_seq = span.through_seq;
        self.compression_count += 1;
        self.accounting.summary_tokens = served.summary_tokens;
        self.accounting.digest_tokens = served.digest_tokens;
    }

    /// Counts it afresh from what lies after its floor, and masks more when the goal is still out of reach.
    fn recount(&mut self, ending: Ending<'_>, publishes: bool, tail: &[Outline]) {
        let policy = self.policy();
        let counted: Vec<MessageCounts> = tail.iter().map(Outline::counted).collect();
        let mut counts = self.accounting.rebuilt(self.anchor_seq, &counted, policy.preserve_recent);
        counts.settled_head = self.head_seq;
        counts.settled_tokens = counts.appended_tokens;
        let end = counts.span_end(self.head_seq, policy.preserve_recent);
        let room = Room::of(&policy, ending.request.target, &counts);
        let stays = |span: Span| {
            let covered = tail.partition_point(|outline| outline.seq <= span.through_seq);
            let left = tail.get(covered..).unwrap_or_default();
            room.holds(&policy, (left, counted.get(covered..).unwrap_or_default()))
        };
        counts.attempted_through = match ending.span {
            // More than stays is left of what was too long to be covered at once.
            Some(span) if !stays(span) => span.through_seq,
            // The same messages are not looked at again before there are more.
            Some(span) => span.through_seq.max(end),
            None => counts.attempted_through.max(end),
        };
        if publishes {
            self.recent = self.recent.after_publication();
            counts.prepared = None;
        }
        if ending.trigger == MANUAL {
            counts.suspended = false;
        }
        mask_for(&mut counts, ending.request.target, &policy, tail);
        if publishes {
            let by_window = ending.trigger == SignalKind::Utilization.as_str();
            counts.publish(&policy, by_window);
        }
        self.accounting = counts;
    }
}

/// Masks every large output that may be masked when the context has not met its goal.
pub(super) fn mask_for(counts: &mut Accounting, target: Option<f64>, policy: &Policy, tail: &[Outline]) {
    counts.mask_to(Room::of(policy, target, counts), policy.mask, tail, &marks(tail));
}
