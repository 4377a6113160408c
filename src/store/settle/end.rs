//! How the end of a compression is written: one statement, in a transaction of its own or in another's.

use sqlx::PgConnection;
use uuid::Uuid;

use super::state::{SessionState, next_start};
use super::{NewEvaluation, NewVersion, rows, written};
use crate::domain::compression::{Report, Request, Status};
use crate::domain::id::{CompressionId, EvaluationId};
use crate::store::compressions::{CHANNEL, Job, Kind, Span};
use crate::store::sessions::RowProof;
use crate::store::{StoreError, deliveries, events};
use crate::trace;

/// What the statement fails with when the job was taken over while it wrote.
const TAKEN_OVER: &str = "AN001";

/// An end that is decided.
pub(super) struct End<'a> {
    pub(super) job: &'a Job,
    pub(super) fence: Fence,
    /// The session's and its tenant's; `None` when the session is locked.
    pub(super) proofs: Option<(RowProof, RowProof)>,
    pub(super) status: Status,
    pub(super) report: &'a Report,
    pub(super) published: Option<(Span, &'a NewVersion)>,
    /// The probes' verdict; probes that it brings are stored with a version alone.
    pub(super) evaluation: Option<&'a NewEvaluation>,
    /// What the session becomes; `None` when it stays as it is.
    pub(super) session: Option<&'a SessionState>,
    /// For how many seconds the indexing that follows a version is claimed at once; `None` when it waits.
    pub(super) index_lease: Option<f64>,
}

/// As what the job must still be there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fence {
    /// As running, in the attempt that it was claimed with.
    Attempt,
    /// As prepared.
    Prepared,
}

/// What writing came to.
#[derive(Debug)]
pub(super) enum Written {
    /// All of it stands; with the indexing that is claimed.
    Ended(Option<Box<Job>>),
    /// The job is no longer what it must be: nothing has changed.
    Lost,
    /// A proof does not hold, or somebody has the session locked: nothing has changed.
    Changed,
}

impl End<'_> {
    /// Writes the job's end, its version with ledger, verdict and probes, the session, the events, and the jobs that
    /// follow.
    pub(super) async fn write(&self, connection: &mut PgConnection) -> Result<Written, StoreError> {
        let Self { job, status, .. } = self;
        let version = self.published.map(|(_, version)| version);
        let span = self.published.map(|(span, _)| span);
        let digest = version.and_then(|version| version.digest.as_ref());
        let rows = VersionRows::of(version, self.evaluation);
        let corrupt = |column, error| StoreError::corrupt("sessions", column, job.session.0, error);
        let accounting = self.session.map(|session| serde_json::to_string(&session.counts)).transpose();
        // A publication alone changes what is kept of the history.
        let recent =
            self.session.filter(|_| version.is_some()).map(|session| session.recent.write()).transpose();
        let (kinds, (payloads, messages)) = self.events();
        let index = version.map(|_| Uuid::now_v7());
        let next = self.session.and_then(next_start);
        let request = next.as_ref().map(|next| serde_json::to_string(&next.request())).transpose();
        let todos = version.and_then(|version| version.todos.as_ref());
        let todo_texts = todos.map(|todos| todos.texts(job.session)).transpose()?;
        let trace = trace::current();
        let word = sqlx::query_scalar!(
            r#"select end_compression($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                                      $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35,
                                      $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49,
                                      $50, $51, $52, $53) as "word!""#,
            job.tenant.0,
            job.session.0,
            job.id.0,
            match self.fence {
                Fence::Attempt => Status::Running,
                Fence::Prepared => Status::Prepared,
            }
            .as_str(),
            match self.fence {
                Fence::Attempt => Some(job.attempt),
                Fence::Prepared => None,
            },
            self.proofs.map(|proofs| proofs.0.bits()),
            self.proofs.map(|proofs| proofs.1.bits()),
            status.as_str(),
            written(job, self.report)?,
            version.map(|version| version.version),
            span.and_then(|span| span.parent_version),
            span.map(|span| span.from_seq),
            span.map(|span| span.through_seq),
            version.map(|version| version.meta.get()),
            version.map(|version| version.record.head.as_str()),
            version.map(|version| version.record.parts.as_slice()),
            &rows.part_ids,
            &rows.parts as &[&str],
            version.map(|version| version.carry.get()),
            version.map(|version| rows::without_nul(&version.rendering.0)),
            version.map(|version| bounded(version.rendering.1)),
            version.map(|version| rows::without_nul(&version.least.0)),
            version.map(|version| bounded(version.least.1)),
            version.map(|version| rows::without_nul(&version.recap)),
            digest.map(|digest| rows::without_nul(&digest.0)),
            digest.map(|digest| bounded(digest.1)),
            &rows.kinds as &[&str],
            &rows.seqs,
            &rows.ordinals,
            &rows.values as &[&str],
            todos.map(|todos| todos.revision),
            todo_texts.as_ref().map(|texts| texts.0.as_str()),
            todo_texts.as_ref().map(|texts| texts.1.as_str()),
            self.evaluation.map(|_| EvaluationId(Uuid::now_v7()).0),
            self.evaluation.map(|evaluation| evaluation.scores.to_string()),
            self.evaluation.map(|evaluation| evaluation.results.get()),
            &rows.probe_ids,
            &rows.probes as &[&str],
            &rows.retired,
            accounting.map_err(|error| corrupt("accounting", error))?,
            recent.map_err(|error| corrupt("recent", error))?,
            &kinds as &[&str],
            &payloads,
            &messages,
            events::CHANNEL,
            deliveries::CHANNEL,
            next.as_ref().map(|_| Uuid::now_v7()),
            next.as_ref().map(|next| next.kind.as_str()),
            request.map_err(|error| StoreError::corrupt("compressions", "request", job.session.0, error))?,
            index,
            self.index_lease,
            trace.as_deref(),
            CHANNEL,
        )
        .fetch_one(connection)
        .await;
        let word = match word {
            Ok(word) => word,
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(TAKEN_OVER) => {
                return Ok(Written::Lost);
            }
            Err(error) => return Err(error.into()),
        };
        Ok(match (word.as_str(), index) {
            ("indexing", Some(id)) => Written::Ended(Some(Box::new(indexing(job, CompressionId(id), trace)))),
            ("ended" | "indexing", _) => Written::Ended(None),
            ("changed", _) => Written::Changed,
            _ => Written::Lost,
        })
    }
}

impl End<'_> {
    /// The events that tell of it: kinds, payloads, and ids for the messages that webhooks get of them.
    fn events(&self) -> (Vec<&'static str>, (Vec<String>, Vec<Uuid>)) {
        let version = self.published.map(|(_, version)| version.version);
        let told = events::ends_of(self.job, (self.status, version), self.report);
        told.into_iter().map(|(kind, payload)| (kind, (payload.to_string(), Uuid::now_v7()))).unzip()
    }
}

/// The indexing that follows a compression, as its worker has claimed it.
fn indexing(job: &Job, id: CompressionId, trace: Option<String>) -> Job {
    Job {
        tenant: job.tenant,
        session: job.session,
        id,
        kind: Kind::Index,
        trigger: "recall".to_owned(),
        request: Request::default(),
        attempt: 1,
        crashes: 0,
        span: None,
        queued_ms: 0,
        trace,
    }
}

fn bounded(tokens: u32) -> i32 {
    i32::try_from(tokens).unwrap_or(i32::MAX)
}

/// What a version has many of, column by column.
#[derive(Default)]
struct VersionRows<'a> {
    part_ids: Vec<i64>,
    parts: Vec<&'a str>,
    kinds: Vec<&'a str>,
    seqs: Vec<i64>,
    ordinals: Vec<i32>,
    values: Vec<&'a str>,
    probe_ids: Vec<Uuid>,
    probes: Vec<&'a str>,
    retired: Vec<Uuid>,
}

impl<'a> VersionRows<'a> {
    fn of(version: Option<&'a NewVersion>, evaluation: Option<&'a NewEvaluation>) -> Self {
        let mut rows = Self::default();
        let Some(version) = version else { return rows };
        for (id, text) in &version.record.new {
            rows.part_ids.push(*id);
            rows.parts.push(text);
        }
        for (kind, seq, ordinal, value) in &version.ledger {
            rows.kinds.push(kind.as_ref());
            rows.seqs.push(*seq);
            rows.ordinals.push(*ordinal);
            rows.values.push(value.get());
        }
        if let Some(evaluation) = evaluation {
            rows.probe_ids = evaluation.new_probes.iter().map(|_| Uuid::now_v7()).collect();
            rows.probes = evaluation.new_probes.iter().map(|probe| probe.get()).collect();
            rows.retired = evaluation.retired.iter().map(|id| id.0).collect();
        }
        rows
    }
}
