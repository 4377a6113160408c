//! Ends jobs that have nothing to do without claiming them: many in one statement and one commit.
//!
//! Invariant: a job ends so only if it still waits as it was looked at, and if its session's row and its tenant's are
//! those that the end was decided on. Everything else is left as it was, for whoever claims it: a look changes nothing.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::known::{Known, Row};
use super::state::{Retry, next_start};
use super::written;
use crate::domain::accounting::Accounting;
use crate::domain::compression::{Report, Status};
use crate::domain::id::CompressionId;
use crate::domain::settings::Settings;
use crate::store::bulkhead::Share;
use crate::store::compressions::{IDLE_MESSAGES, Job};
use crate::store::outlines::Outline;
use crate::store::sessions::RowProof;
use crate::store::{Store, StoreError, deliveries, events};

/// A session that has nothing to compress, it seems, with every message after its anchor and the system prompt.
#[derive(Clone, Debug)]
pub struct Resting(Known);

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
        &self.0.state.settings
    }

    /// The running counts.
    #[must_use]
    pub fn counts(&self) -> &Accounting {
        &self.0.state.counts
    }

    /// Every message after the anchor and the system prompt.
    #[must_use]
    pub fn outlines(&self) -> &[Outline] {
        &self.0.outlines
    }

    /// Ends a compression that finds nothing to cover, as [`Store::settle`] would. `None` when more follows from it
    /// than that: it is to be claimed.
    ///
    /// # Errors
    /// When what is written cannot be told as JSON.
    pub fn skip(self, job: Job, mut report: Report) -> Result<Option<IdleEnd>, StoreError> {
        let Known { mut state, outlines, proof, tenant_proof, .. } = self.0;
        state.follow((&job, None), (Status::Skipped, None), (Retry::After(0), &outlines), &mut report);
        if next_start(&state).is_some() {
            return Ok(None);
        }
        let accounting = serde_json::to_string(&state.counts)
            .map_err(|error| StoreError::corrupt("sessions", "accounting", job.session.0, error))?;
        let event = events::end_of(&job, (Status::Skipped, None), &report);
        let session = Some(SessionEnd {
            proof,
            tenant_proof,
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
        let mut reading = self.queue.acquire(&self.pool, Share::default()).await?;
        let rows = sqlx::query_as!(
            Row,
            r#"select place as "place!", settings as "settings!", defaults as "defaults!", accounting as "accounting!",
                      recent, head_seq as "head_seq!", anchor_seq as "anchor_seq!", anchor_seq as "after_seq!", version,
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
            *at = row.read(job.session).unwrap_or_default().map(Resting);
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
        let mut reading = self.queue.acquire(&self.pool, Share::default()).await?;
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
