//! Writes the usage ledger: the counts of the meter, and the usage that commits with an effect of its own.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::meter::{Counted, Key, Meter};
use crate::bulkhead::Share;
use crate::prelude::*;
use crate::sessions::{self, Session};
use anchord_session::calibration::Verdict;
use anchord_session::usage::{Kind, UsageDelta};

/// The most rows of one transaction, which blocks the erasure of sessions with new rows for some milliseconds.
const BATCH: usize = 256;

/// A provider's own figures of the last call.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// The figures.
    pub figures: UsageDelta,
    /// The tokens of the context that was sent, when the caller names them; otherwise those of the context served
    /// last, or of what would be served now when none ever was.
    pub counted: Option<u64>,
    /// When the report arrived.
    pub at: DateTime<Utc>,
}

/// The result of a provider's report.
#[derive(Clone, Debug)]
pub struct Reported {
    /// The session as it is now.
    pub session: Session,
    /// Tokens that the service counted for the context of the report.
    pub counted: u64,
    /// Whether that context was served, as opposed to what would be served now.
    pub was_served: bool,
    /// How the report was used.
    pub verdict: Verdict,
}

impl Store {
    /// The meter, which counts usage.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Writes the counts of one tenant or of all. Counts that cannot be written are written the next time.
    pub async fn flush_usage(&self, tenant: Option<TenantId>) -> Result<()> {
        let _one = self.meter.0.flushing.lock().await;
        let mut taken = self.meter.take(tenant);
        // The same order everywhere, so that two processes cannot deadlock.
        taken.sort_unstable_by(|(a, _), (b, _)| order(a).cmp(&order(b)));
        let mut failed = None;
        let mut rest = taken.as_slice();
        while let Some((first, _)) = rest.first() {
            let same = rest.iter().take(BATCH).take_while(|(key, _)| key.tenant == first.tenant).count();
            let (batch, later) = rest.split_at(same);
            match self.write_batch(first.tenant, batch).await {
                Ok(left) => {
                    for (key, counted) in left {
                        self.meter.put(key, counted);
                    }
                }
                // The figures since its last ones were written are lost: they belong into another cell.
                Err(error) if error.is_moved() => {}
                Err(error) => {
                    for (key, counted) in batch {
                        self.meter.put(key.clone(), *counted);
                    }
                    failed = Some(error);
                }
            }
            rest = later;
        }
        failed.map_or(Ok(()), Err)
    }

    /// Writes one batch; returns what has to wait, because an append has locked its session.
    async fn write_batch(&self, tenant: TenantId, batch: &[(Key, Counted)]) -> Result<Vec<(Key, Counted)>> {
        // Counts are not worth waiting for the disk; a write that hangs on a lock is tried again. No limit of the
        // tenant applies.
        let settings = "; set local synchronous_commit = off; set local lock_timeout = '200ms'";
        let mut tx = self.begin_with(Share::default(), tenant, ["begin", settings]).await?;
        // Lock the tenant first, as its erasure does, so that it exists until the commit.
        let is_there = sqlx::query_scalar!(
            r#"select true as "is_there!" from tenants where id = $1 for key share"#,
            tenant.0
        )
        .fetch_optional(&mut *tx)
        .await?;
        if is_there.is_none() {
            // The tenant was erased with its ledger.
            return Ok(Vec::new());
        }
        let mut ids: Vec<Uuid> = batch.iter().filter_map(|(key, _)| key.session).map(|id| id.0).collect();
        ids.dedup();
        // A session that has a row for today needs no lock. A new row needs one against an erasure, but must not wait
        // for it, because an append that waits for our lock might hold it.
        let found = sqlx::query!(
            r#"with known as materialized (
                 select s.id, exists (select from usage_by_session u
                                      where u.tenant_id = s.tenant_id and u.session_id = s.id) as has_row
                 from sessions s where s.tenant_id = $1 and s.id = any($2)
               ),
               held as materialized (
                 select s.id from sessions s join known k on k.id = s.id
                 where s.tenant_id = $1 and not k.has_row order by s.id for key share of s skip locked
               )
               select k.id as "id!", (k.has_row or h.id is not null) as "writable!"
               from known k left join held h on h.id = k.id order by k.id"#,
            tenant.0,
            &ids
        )
        .fetch_all(&mut *tx)
        .await?;
        let mut left = Vec::new();
        let (mut of_sessions, mut of_days) = (Vec::new(), Vec::new());
        for (key, counted) in batch {
            let state = key
                .session
                .map(|id| found.binary_search_by(|row| row.id.cmp(&id.0)).ok().and_then(|i| found.get(i)));
            match state {
                Some(Some(row)) if !row.writable => {
                    left.push((key.clone(), *counted));
                    continue;
                }
                Some(Some(row)) => of_sessions.push(Row::of(SessionId(row.id), key, counted)),
                // The session was erased, or not counted separately; its use is the tenant's all the same.
                Some(None) | None => {}
            }
            let mut figures = counted.figures;
            if matches!(state, Some(None)) {
                // Bytes of an erased session would never be subtracted again.
                figures.bytes = 0;
            }
            of_days.push((key.day, key.kind, figures));
        }
        add_to_sessions(&mut tx, tenant, &of_sessions).await?;
        add_to_days(&mut tx, tenant, of_days).await?;
        tx.commit().await?;
        Ok(left)
    }

    /// Records a provider's own figures of the last call in an open transaction: they go to the ledger and correct
    /// the session's windows. `None` when there is no such session.
    pub async fn report_usage(
        &self,
        tx: &mut PgConnection,
        (tenant, name): (TenantId, &SessionRef),
        report: Report,
    ) -> Result<Option<Reported>> {
        let Report { figures, counted, at } = report;
        let Some(mut session) = sessions::lock(tx, tenant, name).await? else { return Ok(None) };
        let served = match counted {
            Some(tokens) => Some(tokens),
            None => self.find_last_served(tx, session.id.of(tenant)).await?,
        };
        let settings = session.effective_settings();
        let counted = served.unwrap_or_else(|| session.context_tokens().into());
        let before = session.accounting.calibration.clone();
        let reported = u64::try_from(figures.tokens_in).unwrap_or_default();
        let verdict = session.accounting.calibration.take(counted, reported);
        let after = &session.accounting.calibration;
        if *after != before {
            if after.corrects_otherwise(&before) {
                // The default budget changes with the windows.
                session.context_revision += 1;
            }
            session.updated_at = sessions::update(tx, tenant, &session).await?;
        }
        let task_id = settings.task_id.unwrap_or_default();
        let used = Used { session: session.id, task_id, kind: Kind::Reported, figures, at };
        add_one(tx, tenant, used).await?;
        Ok(Some(Reported { session, counted, was_served: served.is_some(), verdict }))
    }

    async fn find_last_served(&self, tx: &mut PgConnection, key: SessionKey) -> Result<Option<u64>> {
        let written = sqlx::query!(
            "select last_at, last_tokens from usage_by_session
             where tenant_id = $1 and session_id = $2 and kind = 'context' order by last_at desc limit 1",
            key.tenant.0,
            key.id.0
        )
        .fetch_optional(&mut *tx)
        .await?
        .map(|row| (row.last_at, row.last_tokens));
        let newest = written.max(self.meter.last_served(key.tenant, key.id));
        Ok(newest.and_then(|(_, tokens)| u64::try_from(tokens).ok()))
    }
}

/// Adds a call of a model to the ledger, in the transaction that records how it ended.
pub(crate) async fn add_model_call(
    tx: &mut PgConnection,
    tenant: TenantId,
    compression: CompressionId,
    figures: UsageDelta,
) -> Result<()> {
    // Lock the session first, as everywhere, so that no transaction that holds it waits for this one.
    let session = sqlx::query!(
        r#"select s.id, now() as "now!",
                  case when s.root_id is null then s.task_id
                       else (select r.task_id from sessions r where r.tenant_id = $1 and r.id = s.root_id limit 1)
                  end as task_id
           from compressions c
           join sessions s on s.tenant_id = c.tenant_id and s.id = c.session_id
           where c.tenant_id = $1 and c.id = $2 for key share of s"#,
        tenant.0,
        compression.0
    )
    .fetch_optional(&mut *tx)
    .await?;
    // The session was erased meanwhile, and its calls with it.
    let Some(session) = session else { return Ok(()) };
    let used = Used {
        session: SessionId(session.id),
        task_id: session.task_id.unwrap_or_default(),
        kind: Kind::Model,
        figures,
        at: session.now,
    };
    add_one(tx, tenant, used).await
}

/// Adds bytes of a session's vectors to those of its messages, in the transaction that stores them, so that they count
/// for the quota and are given back when the session is erased.
pub(crate) async fn add_vector_bytes(
    tx: &mut PgConnection,
    tenant: TenantId,
    session: SessionId,
    (task_id, bytes, at): (Option<String>, i64, DateTime<Utc>),
) -> Result<()> {
    let figures = UsageDelta { bytes, ..UsageDelta::default() };
    let task_id = task_id.unwrap_or_default();
    add_one(tx, tenant, Used { session, task_id, kind: Kind::Append, figures, at }).await
}

struct Used {
    session: SessionId,
    task_id: String,
    kind: Kind,
    figures: UsageDelta,
    at: DateTime<Utc>,
}

async fn add_one(tx: &mut PgConnection, tenant: TenantId, used: Used) -> Result<()> {
    let Used { session, task_id, kind, figures, at } = used;
    let day = at.date_naive();
    let counted = Counted { figures, first_at: at, last_at: at, last_tokens: figures.tokens_out };
    let row = Row { session_id: session.0, task_id: &task_id, day, kind: kind.into(), counted };
    add_to_sessions(tx, tenant, &[row]).await?;
    add_to_days(tx, tenant, vec![(day, kind, figures)]).await
}

/// An addition to a row of `usage_by_session`.
#[derive(Serialize)]
struct Row<'a> {
    session_id: Uuid,
    task_id: &'a str,
    day: NaiveDate,
    kind: &'static str,
    #[serde(flatten)]
    counted: Counted,
}

/// An addition to a row of `usage_by_day`.
#[derive(Serialize)]
struct DayRow {
    day: NaiveDate,
    kind: &'static str,
    #[serde(flatten)]
    figures: UsageDelta,
}

impl<'a> Row<'a> {
    fn of(session: SessionId, key: &'a Key, counted: &Counted) -> Self {
        let task_id = key.task_id.as_deref().unwrap_or_default();
        Self { session_id: session.0, task_id, day: key.day, kind: key.kind.into(), counted: *counted }
    }
}

fn order(key: &Key) -> (TenantId, Option<SessionId>, &str, NaiveDate, &'static str) {
    (key.tenant, key.session, key.task_id.as_deref().unwrap_or_default(), key.day, key.kind.into())
}

/// Rows as JSON, for `json_to_recordset`.
fn text(rows: &impl Serialize) -> Result<String> {
    serde_json::to_string(rows)
        .map_err(|error| StoreError::corrupt("usage_by_session", "figures", "new", error))
}

/// Adds to rows in the given order, which is that of the key.
async fn add_to_sessions(tx: &mut PgConnection, tenant: TenantId, rows: &[Row<'_>]) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "insert into usage_by_session as old (tenant_id, session_id, task_id, day, kind, calls, failures, tokens_in,
                                              tokens_out, tokens_cached, tokens_whole, time_us, cost_micros,
                                              last_tokens, first_at, last_at, messages, bytes)
         select $1, n.session_id, n.task_id, n.day, n.kind, n.calls, n.failures, n.tokens_in, n.tokens_out,
                n.tokens_cached, n.tokens_whole, n.time_us, n.cost_micros, n.last_tokens, n.first_at, n.last_at,
                n.messages, n.bytes
         from json_to_recordset($2::text::json)
           as n(session_id uuid, task_id text, day date, kind text, calls bigint, failures bigint, tokens_in bigint,
                tokens_out bigint, tokens_cached bigint, tokens_whole bigint, time_us bigint, cost_micros bigint,
                last_tokens bigint, first_at timestamptz, last_at timestamptz, messages bigint, bytes bigint)
         on conflict (tenant_id, session_id, task_id, day, kind) do update
         set calls = old.calls + excluded.calls, failures = old.failures + excluded.failures,
             tokens_in = old.tokens_in + excluded.tokens_in, tokens_out = old.tokens_out + excluded.tokens_out,
             tokens_cached = old.tokens_cached + excluded.tokens_cached,
             tokens_whole = old.tokens_whole + excluded.tokens_whole, time_us = old.time_us + excluded.time_us,
             cost_micros = old.cost_micros + excluded.cost_micros,
             messages = old.messages + excluded.messages, bytes = old.bytes + excluded.bytes,
             last_tokens = case when excluded.last_at >= old.last_at then excluded.last_tokens else old.last_tokens end,
             first_at = least(old.first_at, excluded.first_at), last_at = greatest(old.last_at, excluded.last_at)",
        tenant.0,
        text(&rows)?
    )
    .execute(&mut *tx)
    .await?;
    Ok(())
}

/// Adds to the sums by day, in the order of the key.
async fn add_to_days(
    tx: &mut PgConnection,
    tenant: TenantId,
    used: Vec<(NaiveDate, Kind, UsageDelta)>,
) -> Result<()> {
    let mut sums: BTreeMap<(NaiveDate, &'static str), UsageDelta> = BTreeMap::new();
    for (day, kind, figures) in used {
        *sums.entry((day, kind.into())).or_default() += figures;
    }
    if sums.is_empty() {
        return Ok(());
    }
    let rows: Vec<DayRow> =
        sums.into_iter().map(|((day, kind), figures)| DayRow { day, kind, figures }).collect();
    sqlx::query!(
        "insert into usage_by_day as old (tenant_id, day, kind, calls, failures, tokens_in, tokens_out, tokens_cached,
                                          tokens_whole, time_us, cost_micros, messages, bytes)
         select $1, n.*
         from json_to_recordset($2::text::json)
           as n(day date, kind text, calls bigint, failures bigint, tokens_in bigint, tokens_out bigint,
                tokens_cached bigint, tokens_whole bigint, time_us bigint, cost_micros bigint, messages bigint, bytes bigint)
         on conflict (tenant_id, day, kind) do update
         set calls = old.calls + excluded.calls, failures = old.failures + excluded.failures,
             tokens_in = old.tokens_in + excluded.tokens_in, tokens_out = old.tokens_out + excluded.tokens_out,
             tokens_cached = old.tokens_cached + excluded.tokens_cached,
             tokens_whole = old.tokens_whole + excluded.tokens_whole, time_us = old.time_us + excluded.time_us,
             cost_micros = old.cost_micros + excluded.cost_micros,
             messages = old.messages + excluded.messages, bytes = old.bytes + excluded.bytes",
        tenant.0,
        text(&rows)?
    )
    .execute(&mut *tx)
    .await?;
    Ok(())
}
