//! Ends jobs that have nothing to do without claiming them: many in one statement and one commit.
//!
//! Invariant: a job ends so only if it still waits as it was looked at, and if its session's row and its tenant's are
//! those that the end was decided on. Everything else is left as it was, for whoever claims it: a look changes nothing.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{SessionState, next_start, written};
use crate::domain::compression::{Report, Status};
use crate::domain::id::{CompressionId, Seq};
use crate::domain::settings::Settings;
use crate::domain::trigger::Recent;
use crate::store::base::settings_over;
use crate::store::compressions::{IDLE_MESSAGES, Job};
use crate::store::outlines::{Outline, OutlineColumns};
use crate::store::sessions::RowProof;
use crate::store::{Store, StoreError, deliveries, events};

/// A session that has nothing to compress, it seems, as it was at a moment, with its proof.
#[derive(Clone, Debug)]
pub struct Resting {
    state: SessionState,
    /// Every message after the anchor and the system prompt.
    outlines: Vec<Outline>,
    proof: RowProof,
    tenant_proof: RowProof,
}

/// A job that may end, and how.
#[derive(Debug)]
pub struct IdleEnd {
    /// The job.
    pub job: Job,
    status: Status,
    report: String,
    session: Option<SessionEnd>,
}

/// What an end writes beside the job.
#[derive(Debug)]
struct SessionEnd {
    proof: RowProof,
    tenant_proof: RowProof,
    accounting: String,
    event: Option<(&'static str, String)>,
}

impl Resting {
    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// Every message after the anchor and the system prompt.
    #[must_use]
    pub fn outlines(&self) -> &[Outline] {
        &self.outlines
    }

    /// Ends a compression that finds nothing to cover, as [`Store::settle`] would. `None` when more follows from it
    /// than that: it is to be claimed.
    ///
    /// # Errors
    /// When what is written cannot be told as JSON.
    pub fn skip(mut self, job: Job, mut report: Report) -> Result<Option<IdleEnd>, StoreError> {
        self.state.recount(&job, None, None, &self.outlines);
        self.state.counts.retry_tokens = 0;
        if next_start(&self.state).is_some() {
            return Ok(None);
        }
        let tokens = self.state.counts.context_tokens();
        report.context_tokens_after = Some(u32::try_from(tokens).unwrap_or(u32::MAX));
        let accounting = serde_json::to_string(&self.state.counts)
            .map_err(|error| StoreError::corrupt("sessions", "accounting", job.session.0, error))?;
        let event = events::end_of(&job, (Status::Skipped, None), &report);
        let session = Some(SessionEnd {
            proof: self.proof,
            tenant_proof: self.tenant_proof,
            accounting,
            event: event.map(|(kind, payload)| (kind, payload.to_string())),
        });
        Ok(Some(IdleEnd { status: Status::Skipped, report: written(&job, &report)?, session, job }))
    }
}

impl IdleEnd {
    /// Ends an indexing whose session is indexed.
    ///
    /// # Errors
    /// When what is written cannot be told as JSON.
    pub fn indexed(job: Job) -> Result<Self, StoreError> {
        let report = written(&job, &Report::default())?;
        Ok(Self { status: Status::Succeeded, report, session: None, job })
    }
}

/// A session as the database has it.
struct Row {
    place: i32,
    settings: serde_json::Value,
    defaults: serde_json::Value,
    accounting: serde_json::Value,
    recent: Option<String>,
    head_seq: Seq,
    anchor_seq: Seq,
    version: Option<i64>,
    last_version: i64,
    context_revision: i64,
    proof: i64,
    tenant_proof: i64,
    seqs: Option<Vec<Seq>>,
    roles: Option<Vec<String>>,
    are_items: Option<Vec<bool>>,
    tokens: Option<Vec<i32>>,
    shapes: Option<Vec<Option<String>>>,
    keeps: Option<Vec<Option<String>>>,
    retrieved: Option<Vec<bool>>,
}

impl Row {
    /// `None` when there is more to it than was looked at.
    fn read(self, job: &Job) -> Result<Option<Resting>, StoreError> {
        let corrupt = |column, reason: String| StoreError::corrupt("sessions", column, job.session.0, reason);
        let settings = settings_over(job.session, self.settings, self.defaults)?;
        let counts = serde_json::from_value(self.accounting);
        let state = SessionState {
            counts: counts.map_err(|error| corrupt("accounting", error.to_string()))?,
            recent: Recent::read(self.recent.as_deref()).map_err(|e| corrupt("recent", e.to_string()))?,
            head: self.head_seq,
            anchor: self.anchor_seq,
            version: self.version,
            last_version: self.last_version,
            revision: self.context_revision + settings.wide_revision(),
            settings,
        };
        // The pins are to be read and counted anew.
        if state.counts.pins_revision != state.settings.wide_pins_revision() {
            return Ok(None);
        }
        let newest = self.seqs.as_ref().and_then(|seqs| seqs.last()).copied();
        if newest.unwrap_or(state.anchor) != state.head {
            return Ok(None);
        }
        let outlines = OutlineColumns {
            // Nothing is read of them here.
            bytes: self.seqs.as_ref().map(|seqs| vec![0; seqs.len()]),
            seqs: self.seqs,
            roles: self.roles,
            are_items: self.are_items,
            tokens: self.tokens,
            shapes: self.shapes,
            keeps: self.keeps,
            retrieved: self.retrieved,
        };
        let outlines = outlines.read_after(job.session, state.floor())?;
        let proofs = RowProof::read(self.proof).zip(RowProof::read(self.tenant_proof));
        Ok(proofs.map(|(proof, tenant_proof)| Resting { state, outlines, proof, tenant_proof }))
    }
}

impl Store {
    /// Looks at the sessions of jobs, over all tenants; `None` for those that are gone or must be claimed to tell.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn look_at(&self, jobs: &[Job]) -> Result<Vec<Option<Resting>>, StoreError> {
        let mut found: Vec<Option<Resting>> = jobs.iter().map(|_| None).collect();
        if jobs.is_empty() {
            return Ok(found);
        }
        let tenants: Vec<Uuid> = jobs.iter().map(|job| job.tenant.0).collect();
        let sessions: Vec<Uuid> = jobs.iter().map(|job| job.session.0).collect();
        let mut reading = self.queue.acquire(&self.pool).await?;
        let rows = sqlx::query_as!(
            Row,
            r#"select place as "place!", settings as "settings!", defaults as "defaults!", accounting as "accounting!",
                      recent, head_seq as "head_seq!", anchor_seq as "anchor_seq!", version,
                      last_version as "last_version!", context_revision as "context_revision!", proof as "proof!",
                      tenant_proof as "tenant_proof!", seqs, roles, are_items, tokens,
                      shapes as "shapes: Vec<Option<String>>", keeps as "keeps: Vec<Option<String>>", retrieved
               from look_at_sessions($1, $2, $3)"#,
            &tenants,
            &sessions,
            IDLE_MESSAGES,
        )
        .fetch_all(reading.connection())
        .await;
        for row in reading.end(rows)? {
            let place = usize::try_from(row.place).unwrap_or_default().wrapping_sub(1);
            let (Some(job), Some(at)) = (jobs.get(place), found.get_mut(place)) else { continue };
            // Whoever claims it meets the same row, and its job fails with the reason.
            *at = row.read(job).unwrap_or_default();
        }
        Ok(found)
    }

    /// Ends the jobs that still are as they were looked at, in one commit; gives which. It waits for no lock: what
    /// somebody has locked is left as it is.
    ///
    /// # Errors
    /// When the database fails; every job is as it was then, or all have ended.
    pub async fn end_idle(
        &self,
        seen_at: DateTime<Utc>,
        ends: &[IdleEnd],
    ) -> Result<Vec<CompressionId>, StoreError> {
        if ends.is_empty() {
            return Ok(Vec::new());
        }
        let columns = Columns::of(ends);
        let mut reading = self.queue.acquire(&self.pool).await?;
        let places = sqlx::query_scalar!(
            r#"select end_idle_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) as "places!""#,
            seen_at,
            &columns.tenants,
            &columns.jobs,
            &columns.attempts,
            &columns.statuses as &[&str],
            &columns.reports as &[&str],
            &columns.sessions as &[Option<Uuid>],
            &columns.proofs as &[Option<i32>],
            &columns.tenant_proofs as &[Option<i32>],
            &columns.accountings as &[Option<&str>],
            &columns.events as &[Option<&str>],
            &columns.payloads as &[Option<&str>],
            &columns.messages,
            events::CHANNEL,
            deliveries::CHANNEL,
        )
        .fetch_one(reading.connection())
        .await;
        let places = reading.end(places)?;
        let at = |place: i32| usize::try_from(place).unwrap_or_default().wrapping_sub(1);
        Ok(places.into_iter().filter_map(|place| ends.get(at(place))).map(|end| end.job.id).collect())
    }
}

/// The ends column by column.
#[derive(Default)]
struct Columns<'a> {
    tenants: Vec<Uuid>,
    jobs: Vec<Uuid>,
    attempts: Vec<i32>,
    statuses: Vec<&'a str>,
    reports: Vec<&'a str>,
    sessions: Vec<Option<Uuid>>,
    proofs: Vec<Option<i32>>,
    tenant_proofs: Vec<Option<i32>>,
    accountings: Vec<Option<&'a str>>,
    events: Vec<Option<&'a str>>,
    payloads: Vec<Option<&'a str>>,
    messages: Vec<Uuid>,
}

impl<'a> Columns<'a> {
    fn of(ends: &'a [IdleEnd]) -> Self {
        let mut columns = Self::default();
        for IdleEnd { job, status, report, session } in ends {
            columns.tenants.push(job.tenant.0);
            columns.jobs.push(job.id.0);
            columns.attempts.push(job.attempt);
            columns.statuses.push(status.as_str());
            columns.reports.push(report);
            let session = session.as_ref();
            columns.sessions.push(session.map(|_| job.session.0));
            columns.proofs.push(session.map(|session| session.proof.bits()));
            columns.tenant_proofs.push(session.map(|session| session.tenant_proof.bits()));
            columns.accountings.push(session.map(|session| session.accounting.as_str()));
            let event = session.and_then(|session| session.event.as_ref());
            columns.events.push(event.map(|event| event.0));
            columns.payloads.push(event.map(|event| event.1.as_str()));
            columns.messages.push(Uuid::now_v7());
        }
        columns
    }
}
