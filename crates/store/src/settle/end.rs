//! Writes the end of a compression: one statement, in a transaction of its own or in the caller's.

use crate::candidate::{NewEvaluation, NewVersion};
use crate::commit::{
    EndRow, EventRow, JobRow, LedgerRow, PartRow, ProbeRow, TodosRow, VerdictRow, VersionRow,
};
use crate::job::{Job, Kind, report_text};
use crate::load::Loaded;
use crate::prelude::*;
use crate::{channel, events};
use anchord_messages::id::EvaluationId;
use anchord_runtime::trace;
use anchord_session::compression::{Report, Request, Span, Status};
use anchord_session::trigger::Start;

/// The SQLSTATE of the statement when the job was taken over during the write.
const TAKEN_OVER: &str = "AN001";

/// The end of a compression, as decided.
pub(super) struct End<'a> {
    pub(super) job: &'a Job,
    pub(super) fence: Fence,
    pub(super) status: Status,
    pub(super) report: &'a Report,
    pub(super) published: Option<(Span, &'a NewVersion)>,
    /// The result of the probes; its new probes are stored only with a version.
    pub(super) evaluation: Option<&'a NewEvaluation>,
    /// The new state of the session, decided on its revision; `None` when the session does not change.
    pub(super) session: Option<&'a Loaded>,
    /// The compression that follows.
    pub(super) next: Option<Start>,
    /// For how many seconds the indexing that follows a version is claimed at once; `None` when it is only queued.
    pub(super) index_lease: Option<f64>,
}

/// The state that the job must still be in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fence {
    /// Running, under the attempt number of the claim.
    Attempt,
    /// Queued in the same transaction, so that nobody can have claimed it.
    Queued,
}

/// The outcome of the write.
#[derive(Debug)]
pub(super) enum WriteOutcome {
    /// Everything is written; with the indexing job, when it was claimed.
    Ended(Option<Box<Job>>),
    /// The job is no longer in that state; nothing has changed.
    Lost,
    /// The session has changed since it was read, or is locked; nothing has changed.
    Changed,
}

impl End<'_> {
    /// Writes the job's end, its version with ledger, verdict and probes, the session, the events, and the jobs that
    /// follow.
    pub(super) async fn write(&self, connection: &mut PgConnection) -> Result<WriteOutcome> {
        let Self { job, .. } = self;
        let version = self.published.map(|(_, version)| version);
        let (probes, todos) = (self.probes(), self.todo_texts()?);
        let todos =
            todos.as_ref().map(|(revision, items, changes)| TodosRow { revision: *revision, items, changes });
        let parts = version.map_or(&[][..], |version| &version.record.new);
        let parts: Vec<PartRow<'_>> =
            parts.iter().map(|(id, entries)| PartRow { id: *id, entries }).collect();
        let ledger = version.map_or(&[][..], |version| &version.ledger);
        let ledger: Vec<LedgerRow<'_>> = ledger
            .iter()
            .map(|(kind, seq, ordinal, value)| LedgerRow {
                kind,
                seq: *seq,
                ordinal: *ordinal,
                value: value.get(),
            })
            .collect();
        let trace = trace::current();
        let index = version.map(|_| Uuid::now_v7());
        let word = sqlx::query_scalar!(
            r#"select end_compression($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
                 as "word!""#,
            self.end()? as _,
            self.version() as _,
            &parts as _,
            &ledger as _,
            todos as _,
            self.verdict() as _,
            &probes as _,
            &self.events() as _,
            &self.jobs(index, trace.as_deref())? as _,
            self.index_lease,
            channel::JOBS,
            channel::EVENTS,
            channel::DELIVERIES,
        )
        .fetch_one(connection)
        .await;
        let word = match word {
            Ok(word) => word,
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(TAKEN_OVER) => {
                return Ok(WriteOutcome::Lost);
            }
            Err(error) => return Err(error.into()),
        };
        Ok(match (word.as_str(), index) {
            ("indexing", Some(id)) => {
                WriteOutcome::Ended(Some(Box::new(indexing(job, CompressionId(id), trace))))
            }
            ("ended" | "indexing", _) => WriteOutcome::Ended(None),
            ("changed", _) => WriteOutcome::Changed,
            _ => WriteOutcome::Lost,
        })
    }

    fn end(&self) -> Result<EndRow<'static>> {
        let Self { job, fence, status, .. } = self;
        let from_status = match fence {
            Fence::Attempt => Status::Running,
            Fence::Queued => Status::Queued,
        };
        let corrupt = |column, error| StoreError::corrupt("sessions", column, job.session.0, error);
        let accounting =
            self.session.map(|loaded| serde_json::to_string(&loaded.session.accounting)).transpose();
        // Only a publication changes the column `recent`.
        let published = self.session.filter(|_| self.published.is_some());
        let recent = published.map(|loaded| loaded.session.recent.write()).transpose().map(Option::flatten);
        Ok(EndRow {
            tenant_id: job.tenant.0,
            session_id: job.session.0,
            id: job.id.0,
            from_status: from_status.into(),
            attempt: job.attempt,
            status: status.into(),
            report: report_text(job, self.report)?,
            revision: self.session.and_then(|loaded| loaded.revision),
            tenant_revision: self.session.map(|loaded| loaded.above_revision),
            accounting: accounting.map_err(|error| corrupt("accounting", error))?,
            recent: recent.map_err(|error| corrupt("recent", error))?,
        })
    }

    fn version(&self) -> Option<VersionRow<'_>> {
        let (span, version) = self.published?;
        let digest = version.digest.as_ref();
        Some(VersionRow {
            version: version.version,
            parent_version: span.parent_version,
            from_seq: span.from_seq,
            through_seq: span.through_seq,
            meta: version.meta.get(),
            document: &version.record.head,
            parts: &version.record.parts,
            carry: version.carry.get(),
            rendering: without_nul(&version.rendering.0),
            rendering_tokens: bounded(version.rendering.1),
            smaller_renderings: version.smaller.iter().map(|(text, _)| without_nul(text)).collect(),
            smaller_tokens: version.smaller.iter().map(|(_, tokens)| bounded(*tokens)).collect(),
            recap: without_nul(&version.recap),
            digest: digest.map(|digest| without_nul(&digest.0)),
            digest_tokens: digest.map(|digest| bounded(digest.1)),
        })
    }

    fn todo_texts(&self) -> Result<Option<(i64, String, String)>> {
        let todos = self.published.and_then(|(_, version)| version.todos.as_ref());
        let texts = todos.map(|todos| todos.texts(self.job.session)).transpose()?;
        Ok(todos.zip(texts).map(|(todos, (items, changes))| (todos.revision, items, changes)))
    }

    fn verdict(&self) -> Option<VerdictRow<'_>> {
        let evaluation = self.evaluation?;
        Some(VerdictRow {
            id: EvaluationId(Uuid::now_v7()).0,
            scores: evaluation.scores.to_string(),
            results: evaluation.results.get(),
            retired: evaluation.retired.iter().map(|id| id.0).collect(),
        })
    }

    fn probes(&self) -> Vec<ProbeRow<'_>> {
        let brought = self.evaluation.filter(|_| self.published.is_some());
        let probes = brought.map_or(&[][..], |evaluation| &evaluation.new_probes);
        probes.iter().map(|probe| ProbeRow { id: Uuid::now_v7(), probe: probe.get() }).collect()
    }

    /// The events of this end; each webhook gets a message of its own for each event.
    fn events(&self) -> Vec<EventRow<'static>> {
        let version = self.published.map(|(_, version)| version.version);
        events::ends_of(self.job, (self.status, version), self.report)
            .into_iter()
            .map(|(kind, payload)| EventRow {
                place: 1,
                kind,
                payload: payload.to_string(),
                message_id: Uuid::now_v7(),
            })
            .collect()
    }

    /// The jobs that follow: the next compression, and the indexing of a version.
    fn jobs<'a>(&self, index: Option<Uuid>, trace: Option<&'a str>) -> Result<Vec<JobRow<'a>>> {
        let text = |request: &Request| {
            serde_json::to_string(request)
                .map_err(|error| StoreError::corrupt("compressions", "request", self.job.session.0, error))
        };
        let mut jobs = Vec::new();
        if let Some(next) = &self.next {
            let request = text(&next.request())?;
            let (id, trigger) = (Uuid::now_v7(), next.kind.into());
            jobs.push(JobRow { place: 1, id, kind: Kind::Compress.into(), trigger, request, trace });
        }
        if let Some(id) = index {
            let request = text(&Request::default())?;
            jobs.push(JobRow { place: 1, id, kind: Kind::Index.into(), trigger: "recall", request, trace });
        }
        Ok(jobs)
    }
}

/// The indexing job that follows a compression, already claimed for the same worker.
fn indexing(job: &Job, id: CompressionId, trace: Option<String>) -> Job {
    Job { attempt: 1, trace, ..Job::new(job.session.of(job.tenant), id, Kind::Index, "recall") }
}

fn bounded(tokens: u32) -> i32 {
    i32::try_from(tokens).unwrap_or(i32::MAX)
}

/// Replaces NUL, which Postgres rejects in text, by a space, which costs no more tokens.
pub(crate) fn without_nul(text: &str) -> String {
    text.replace('\0', " ")
}
