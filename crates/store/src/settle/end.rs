//! Writes the end of a compression in an open transaction.

use crate::candidate::NewVersion;
use crate::compressions::enqueue;
use crate::job::{Job, Kind, NewJob, report_text};
use crate::load::Loaded;
use crate::prelude::*;
use crate::{candidate::NewEvaluation, events, summaries};
use anchord_runtime::trace;
use anchord_session::compression::{Report, Request, Span, Status};
use anchord_session::trigger::Start;

/// The trigger of the indexing that follows a version.
const INDEXING: &str = "recall";

/// The end of a compression, as decided.
pub(super) struct End<'a> {
    pub(super) job: &'a Job,
    pub(super) fence: Fence,
    pub(super) status: Status,
    pub(super) report: &'a Report,
    pub(super) published: Option<(Span, &'a NewVersion)>,
    /// The result of the probes; its new probes are stored only with a version.
    pub(super) evaluation: Option<&'a NewEvaluation>,
    /// The new state of the session, decided on its revision.
    pub(super) session: &'a Loaded,
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

impl Fence {
    fn status(self) -> &'static str {
        match self {
            Self::Attempt => Status::Running.into(),
            Self::Queued => Status::Queued.into(),
        }
    }
}

/// The outcome of the write.
#[derive(Debug)]
pub(super) enum WriteOutcome {
    /// Everything is written; with the indexing job, when it was claimed.
    Ended(Option<Box<Job>>),
    /// The job is no longer in that state; the transaction must not be committed.
    Lost,
    /// The session has changed since it was read, or is locked; nothing has changed.
    Changed,
}

impl End<'_> {
    /// Writes the job's end, its version with ledger, verdict and probes, the session, the events, and the jobs that
    /// follow.
    pub(super) async fn write(&self, tx: &mut PgConnection) -> Result<WriteOutcome> {
        let key = self.session.session.id.of(self.job.tenant);
        match self.hold(tx).await? {
            None => return Ok(WriteOutcome::Changed),
            Some(false) => return Ok(WriteOutcome::Lost),
            Some(true) => {}
        }
        if let Some((span, version)) = self.published {
            self.write_version(tx, span, version).await?;
        }
        let number = self.published.map(|(_, version)| version.version);
        if let Some(evaluation) = self.evaluation {
            super::insert_evaluation(tx, self.job, number, evaluation).await?;
        }
        let is_unindexed = self.write_session(tx).await?;
        // The job comes last: while this waits for anything above, its row is free for a worker that takes over from a dead
        // one.
        let Some(worker) = self.write_job(tx, number).await? else { return Ok(WriteOutcome::Lost) };
        let events = events::ends_of(self.job, (self.status, number), self.report);
        let events: Vec<_> = events.into_iter().map(|(kind, payload)| (kind, payload.to_string())).collect();
        let events: Vec<_> = events.iter().map(|(kind, payload)| (*kind, payload.as_str())).collect();
        if !events.is_empty() {
            events::write(tx, key, &events).await?;
        }
        if let Some(next) = &self.next {
            let (trigger, request) = (next.kind.into(), next.request());
            enqueue(tx, key, NewJob { kind: Kind::Compress, trigger, request: &request }).await?;
        }
        if number.is_none() || !is_unindexed {
            return Ok(WriteOutcome::Ended(None));
        }
        if let Some((worker, seconds)) = worker.zip(self.index_lease) {
            return Ok(WriteOutcome::Ended(self.claim_indexing(tx, worker, seconds).await?));
        }
        let request = Request::default();
        enqueue(tx, key, NewJob { kind: Kind::Index, trigger: INDEXING, request: &request }).await?;
        Ok(WriteOutcome::Ended(None))
    }

    /// Locks the session if it is as it was read, and nobody has it; returns whether the job still is in its state.
    async fn hold(&self, tx: &mut PgConnection) -> Result<Option<bool>> {
        let Self { job, session, .. } = self;
        let held = sqlx::query_scalar!(
            r#"select exists (select from compressions c
                              where c.tenant_id = $1 and c.id = $5 and c.status = $6 and c.attempt = $7) as "is_ours!"
               from sessions s
               where s.tenant_id = $1 and s.id = $2 and s.revision = $3
                 -- As `load` reads it.
                 and (select t.revision from tenants t where t.id = $1)
                   + coalesce((select r.settings_revision from sessions r
                               where r.tenant_id = $1 and r.id = s.root_id limit 1), 0) = $4
               for no key update of s skip locked"#,
            job.tenant.0,
            job.session.0,
            session.revision,
            session.above_revision,
            job.id.0,
            self.fence.status(),
            job.attempt
        )
        .fetch_optional(tx)
        .await?;
        Ok(held)
    }

    /// Writes a version with the parts of its record, its ledger and its probes in one statement, and what it changes of
    /// earlier probes and of the todo list.
    async fn write_version(&self, tx: &mut PgConnection, span: Span, version: &NewVersion) -> Result<()> {
        let Self { job, session, .. } = self;
        let (key, counts) = (job.session.of(job.tenant), &session.session.accounting);
        if let Some(parent) = span.parent_version {
            summaries::adopt_probes(tx, key, parent).await?;
        }
        let (part_ids, part_entries): (Vec<i64>, Vec<&str>) =
            version.record.new.iter().map(|(id, entries)| (*id, entries.as_str())).unzip();
        let probes = self.evaluation.map_or(&[][..], |evaluation| &evaluation.new_probes);
        let probe_ids: Vec<Uuid> = probes.iter().map(|_| Uuid::now_v7()).collect();
        let probes: Vec<&str> = probes.iter().map(|probe| probe.get()).collect();
        let ledger = &version.ledger;
        let kinds: Vec<&str> = ledger.iter().map(|(kind, ..)| kind.as_ref()).collect();
        let seqs: Vec<Seq> = ledger.iter().map(|(_, seq, ..)| *seq).collect();
        let ordinals: Vec<i32> = ledger.iter().map(|(_, _, ordinal, _)| *ordinal).collect();
        let values: Vec<&str> = ledger.iter().map(|(.., value)| value.get()).collect();
        let smaller: Vec<String> = version.smaller.iter().map(|(text, _)| without_nul(text)).collect();
        let smaller_tokens: Vec<i32> = version.smaller.iter().map(|(_, tokens)| bounded(*tokens)).collect();
        sqlx::query!(
            "with parts as (
               insert into record_parts (tenant_id, session_id, id, entries)
               select $1, $2, p.id, p.entries from unnest($23::bigint[], $24::text[]) as p(id, entries)
             ),
             ledger as (
               insert into ledger_entries (tenant_id, session_id, kind, first_seq, ordinal, value)
               select $1, $2, e.kind, e.seq, e.ordinal, e.value::json
               from unnest($25::text[], $26::bigint[], $27::integer[], $28::text[]) as e(kind, seq, ordinal, value)
               -- After a rollback the same span is read again and gives the same entries.
               on conflict do nothing
             ),
             asked as (
               insert into probes (tenant_id, session_id, id, source, version, probe)
               select $1, $2, p.id, 'generated', $3, p.probe::json from unnest($29::uuid[], $30::text[]) as p(id, probe)
             )
             insert into summaries (tenant_id, session_id, version, parent_version, compression_id, from_seq, through_seq, meta,
                                    document, parts, carry, rendering, rendering_tokens, smaller_renderings, smaller_tokens,
                                    recap, digest, digest_tokens, head_seq, mask_upto, mask_from, carried_seq)
             values ($1, $2, $3, $4, $5, $6, $7, $8::text::json, $9::text::json, $10, $11::text::json, $12, $13, $14, $15, $16,
                     $17, $18, $19, $20, $21, $22)",
            key.tenant.0,
            key.id.0,
            version.version,
            span.parent_version,
            job.id.0,
            span.from_seq,
            span.through_seq,
            version.meta.get(),
            version.record.head,
            &version.record.parts,
            version.carry.get(),
            without_nul(&version.rendering.0),
            bounded(version.rendering.1),
            &smaller,
            &smaller_tokens,
            without_nul(&version.recap),
            version.digest.as_ref().map(|digest| without_nul(&digest.0)),
            version.digest.as_ref().map(|digest| bounded(digest.1)),
            session.session.head_seq,
            counts.mask_upto,
            i64::from(counts.mask_from),
            counts.carried.map(|carried| carried.seq),
            &part_ids,
            &part_entries as &[&str],
            &kinds as &[&str],
            &seqs,
            &ordinals,
            &values as &[&str],
            &probe_ids,
            &probes as &[&str]
        )
        .execute(&mut *tx)
        .await?;
        if let Some(evaluation) = self.evaluation.filter(|evaluation| !evaluation.retired.is_empty()) {
            let retired: Vec<Uuid> = evaluation.retired.iter().map(|id| id.0).collect();
            // One search by the key for each probe: for a plain list, the planner reads all probes of the session.
            sqlx::query!(
                "update probes p set retired_in_version = $3
                 from unnest($4::uuid[]) as gone(id)
                 cross join lateral (
                   select x.ctid as place from probes x
                   where x.tenant_id = $1 and x.session_id = $2 and x.id = gone.id limit 1
                 ) at
                 where p.tenant_id = $1 and p.ctid = at.place and p.retired_in_version is null",
                key.tenant.0,
                key.id.0,
                version.version,
                &retired
            )
            .execute(&mut *tx)
            .await?;
        }
        match &version.todos {
            Some(todos) => todos.write(tx, key, version.version).await,
            None => Ok(()),
        }
    }

    /// Writes the session; returns whether messages are left that recall does not find.
    async fn write_session(&self, tx: &mut PgConnection) -> Result<bool> {
        let session = &self.session.session;
        let corrupt = |column, error| StoreError::corrupt("sessions", column, session.id.0, error);
        let accounting =
            serde_json::to_string(&session.accounting).map_err(|error| corrupt("accounting", error))?;
        // Only a publication changes the column `recent`.
        let recent = self.published.and_then(|_| session.recent.write().transpose()).transpose();
        let is_unindexed = sqlx::query_scalar!(
            r#"update sessions s
               set accounting = $3::text::json, recent = coalesce($4, s.recent), updated_at = now(), revision = s.revision + 1,
                   version = coalesce($5, s.version), last_version = coalesce($5, s.last_version),
                   anchor_seq = coalesce($6, s.anchor_seq),
                   compression_count = s.compression_count + case when $5::bigint is null then 0 else 1 end
               where s.tenant_id = $1 and s.id = $2
               returning s.indexed_seq < s.head_seq as "is_unindexed!""#,
            self.job.tenant.0,
            session.id.0,
            accounting,
            recent.map_err(|error| corrupt("recent", error))?,
            self.published.map(|(_, version)| version.version),
            self.published.map(|(span, _)| span.through_seq)
        )
        .fetch_one(tx)
        .await?;
        Ok(is_unindexed)
    }

    /// Ends the job; returns the worker that it ran on, if any. `None` when somebody has changed it meanwhile.
    async fn write_job(&self, tx: &mut PgConnection, version: Option<i64>) -> Result<Option<Option<i64>>> {
        let Self { job, status, .. } = self;
        let worker = sqlx::query_scalar!(
            "update compressions
             set status = $5, version = $6, report = $7::text::json, lease_until = null, finished_at = now()
             where tenant_id = $1 and id = $2 and status = $3 and attempt = $4
             returning worker",
            job.tenant.0,
            job.id.0,
            self.fence.status(),
            job.attempt,
            status.as_ref(),
            version,
            report_text(job, self.report)?
        )
        .fetch_optional(tx)
        .await?;
        Ok(worker)
    }

    /// Queues the indexing that follows as one that the same worker has claimed. `None` when one is live already, which will
    /// read everything that there is.
    async fn claim_indexing(
        &self,
        tx: &mut PgConnection,
        worker: i64,
        seconds: f64,
    ) -> Result<Option<Box<Job>>> {
        let (key, id, trace) = (self.job.session.of(self.job.tenant), Uuid::now_v7(), trace::current());
        let indexing = Job {
            attempt: 1,
            trace: trace.clone(),
            ..Job::new(key, CompressionId(id), Kind::Index, INDEXING)
        };
        let request = serde_json::to_value(&indexing.request)
            .map_err(|error| StoreError::corrupt("compressions", "request", id, error))?;
        let done = sqlx::query!(
            "insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, trace_context, attempt, worker,
                                       lease_until, started_at)
             values ($1, $2, $3, 'index', 'running', $4, $5, $6, $7, $8, now() + make_interval(secs => $9), now())
             on conflict (tenant_id, session_id, kind)
               where status in ('queued', 'running') and kind in ('compress', 'index') do nothing",
            key.tenant.0,
            id,
            key.id.0,
            INDEXING,
            request,
            trace,
            indexing.attempt,
            worker,
            seconds
        )
        .execute(tx)
        .await?;
        Ok((done.rows_affected() == 1).then(|| Box::new(indexing)))
    }
}

pub(crate) fn bounded(tokens: u32) -> i32 {
    i32::try_from(tokens).unwrap_or(i32::MAX)
}

/// Replaces NUL, which Postgres rejects in text, by a space, which costs no more tokens.
pub(crate) fn without_nul(text: &str) -> String {
    text.replace('\0', " ")
}
