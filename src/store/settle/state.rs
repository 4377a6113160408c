//! A session as it decides how its job ends, and what becomes of it then.

use sqlx::PgConnection;

use super::{NewVersion, mask_for};
use crate::domain::accounting::{Accounting, Counted, Prepared};
use crate::domain::compression::{Failure, Report, Status};
use crate::domain::id::{Seq, SessionId, TenantId};
use crate::domain::room::Room;
use crate::domain::settings::{Policy, Settings};
use crate::domain::trigger::{Recent, SignalKind, Situation, Start, decide};
use crate::store::base::settings_over;
use crate::store::compressions::{Job, Span};
use crate::store::outlines::Outline;
use crate::store::{StoreError, pins};

/// What of a session decides how its job ends.
#[derive(Clone, Debug)]
pub(super) struct SessionState {
    pub(super) settings: Settings,
    pub(super) counts: Accounting,
    pub(super) recent: Recent,
    pub(super) head: Seq,
    pub(super) anchor: Seq,
    pub(super) version: Option<i64>,
    pub(super) last_version: i64,
    pub(super) revision: i64,
}

/// Locks a session and reads it; `None` when it is gone.
pub(super) async fn lock_session(
    connection: &mut PgConnection,
    tenant: TenantId,
    id: SessionId,
) -> Result<Option<SessionState>, StoreError> {
    let Some(row) = sqlx::query!(
        "select s.settings, t.settings as defaults, s.accounting, s.recent, s.head_seq, s.anchor_seq, s.version,
                s.last_version, s.context_revision
         from sessions s join tenants t on t.id = s.tenant_id
         where s.tenant_id = $1 and s.id = $2 for update of s",
        tenant.0,
        id.0,
    )
    .fetch_optional(&mut *connection)
    .await?
    else {
        return Ok(None);
    };
    let corrupt = |column, reason: String| StoreError::corrupt("sessions", column, id.0, reason);
    let settings = settings_over(id, row.settings, row.defaults)?;
    let mut counts =
        serde_json::from_value(row.accounting).map_err(|e| corrupt("accounting", e.to_string()))?;
    pins::recount(connection, (tenant, id), &settings, &mut counts).await?;
    let revision = row.context_revision + settings.wide_revision();
    Ok(Some(SessionState {
        settings,
        counts,
        recent: Recent::read(row.recent.as_deref()).map_err(|e| corrupt("recent", e.to_string()))?,
        head: row.head_seq,
        anchor: row.anchor_seq,
        version: row.version,
        last_version: row.last_version,
        revision,
    }))
}

/// What the messages that are there start, when a job ends.
pub(super) fn next_start(session: &SessionState) -> Option<Start> {
    let situation = Situation {
        counts: &session.counts,
        recent: &session.recent,
        head: session.head,
        anchor: session.anchor,
        first: session.head + 1,
        boundary: None,
        versions: session.last_version,
        // Growth starts no work, so the time of the newest message will do.
        now: session.recent.newest(),
    };
    decide(&session.policy(), &situation).1
}

/// What must start at once, and not ahead of need.
pub(super) fn start_now(session: &SessionState) -> Option<Start> {
    next_start(session).filter(|start| !start.is_ahead)
}

/// When a span is tried again that nothing came of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Retry {
    /// When it holds so many tokens.
    After(u64),
    /// Not ahead of need; at the compress level it is tried as it would have been.
    NotAhead,
}

impl SessionState {
    /// How a compression ends: not as published when another version came between, or the session has become critical
    /// while the work was done.
    pub(super) fn judge(&self, job: &Job, span: Option<Span>, status: Status, report: &mut Report) -> Status {
        let moved = span.is_some_and(|span| span.parent_version != self.version);
        if status != Status::Succeeded {
            status
        } else if moved && !job.request.shadow {
            Status::Superseded
        } else if report.strategy_used.is_some_and(|strategy| self.settings.refuses(strategy)) {
            report.error = Some(Failure {
                kind: "critical-session".to_owned(),
                detail: "the session is critical and refuses what cannot be verified".to_owned(),
            });
            Status::Rejected
        } else {
            status
        }
    }

    /// Follows the end of a compression: stands on its version, if there is one, is counted afresh from what lies after
    /// its floor, and tells what that comes to.
    pub(super) fn follow(
        &mut self,
        (job, span): (&Job, Option<Span>),
        (status, publish): (Status, Option<&NewVersion>),
        (retry, tail): (Retry, &[Outline]),
        report: &mut Report,
    ) {
        self.recount(job, span, publish, tail);
        match retry {
            Retry::After(tokens) => self.counts.retry_tokens = tokens,
            Retry::NotAhead => {
                let through = span.map_or(self.anchor, |span| span.through_seq);
                self.counts.prepared = Some(Prepared { through, revision: self.revision });
            }
        }
        let tokens = self.counts.context_tokens();
        report.context_tokens_after = Some(u32::try_from(tokens).unwrap_or(u32::MAX));
        if status == Status::Succeeded {
            let room = Room::of(&self.policy(), job.request.target, &self.counts);
            report.target_met = Some(room.is_met(tokens));
        }
    }

    /// The settings with every default resolved, the windows as the provider's reports correct them.
    pub(super) fn policy(&self) -> Policy {
        self.settings.policy().calibrated(self.counts.calibration)
    }

    /// The last message before those that are counted one by one.
    pub(super) fn floor(&self) -> Seq {
        self.anchor.max(self.counts.system_through)
    }

    /// Counts it afresh from what lies after its floor, and masks more when the goal is still out of reach.
    pub(super) fn recount(
        &mut self,
        job: &Job,
        span: Option<Span>,
        publish: Option<&NewVersion>,
        tail: &[Outline],
    ) {
        let policy = self.policy();
        if let Some(version) = publish {
            self.counts.summary_tokens = version.rendering.1;
            self.counts.digest_tokens = version.digest.as_ref().map_or(0, |digest| digest.1);
        }
        let counted: Vec<Counted> = tail.iter().map(Outline::counted).collect();
        let mut counts = self.counts.rebuilt(self.anchor, &counted, policy.preserve_recent);
        counts.settled_head = self.head;
        counts.settled_tokens = counts.appended_tokens;
        let end = counts.span_end(self.head, policy.preserve_recent);
        let room = Room::of(&policy, job.request.target, &counts);
        let stays = |span: Span| {
            let covered = tail.partition_point(|outline| outline.seq <= span.through_seq);
            let left = tail.get(covered..).unwrap_or_default();
            room.holds(&policy, (left, counted.get(covered..).unwrap_or_default()))
        };
        counts.attempted_through = match span {
            // More than stays is left of what was too long to be covered at once.
            Some(span) if !stays(span) => span.through_seq,
            // The same messages are not looked at again before there are more.
            Some(span) => span.through_seq.max(end),
            None => counts.attempted_through.max(end),
        };
        if publish.is_some() {
            self.recent = self.recent.after_publication();
            counts.prepared = None;
        }
        if job.trigger == "manual" {
            counts.suspended = false;
        }
        mask_for(&mut counts, job.request.target, &policy, tail);
        if publish.is_some() {
            let by_window = job.trigger == SignalKind::Utilization.as_str();
            counts.publish(&policy, by_window);
        }
        self.counts = counts;
    }

    /// Stands on a new version.
    pub(super) fn publish(&mut self, span: Span, version: &NewVersion) -> Result<(), StoreError> {
        if version.version != self.last_version + 1 {
            return Err(StoreError::RowCount { what: "the next version", expected: 1, actual: 0 });
        }
        self.version = Some(version.version);
        self.last_version = version.version;
        self.anchor = span.through_seq;
        Ok(())
    }
}
