//! Claims over all tenants, in turns: a claim counts what runs of each tenant, and takes from the one that is served least.

use std::time::Duration;

use crate::compressions::claim::Claimed;
use crate::connection::PgConnection;
use crate::deliveries::queue::DueDelivery;
use crate::embeddings::EmbeddingJob;
use crate::prelude::*;

/// The class of the advisory locks that let one process claim at a time.
const CLAIM_CLASS: i32 = 1_633_772_133;
const DELIVERIES: i32 = 1;
const EMBEDDINGS: i32 = 2;
/// Candidates beyond those that are claimed, because other workers may lock some meanwhile: nothing would wake this worker for
/// the rest.
const SPARE: i64 = 16;

impl Store {
    /// Begins a claim that no other runs beside: two would both find room for the same tenant. The claim is a statement of
    /// its own, which sees what the claims before it have taken.
    async fn begin_claim(&self, of: i32) -> Result<PgConnection> {
        let mut connection = self.owner.acquire().await?;
        // A process that stalls inside of a claim holds up all others for so long, and no longer.
        let stalled = "set local idle_in_transaction_session_timeout = '2s'";
        connection
            .begin(&format!("begin; {stalled}; select pg_advisory_xact_lock({CLAIM_CLASS}, {of})"))
            .await?;
        Ok(connection)
    }

    /// Takes over jobs whose lease has ended, those that ended first, within the bound of each tenant: a takeover is bound
    /// by what a first claim is. The commit does not wait for the disk.
    pub(crate) async fn claim_expired(
        &self,
        (worker, lease_seconds): (i64, f64),
        (tenant_limit, jobs): (i32, i64),
    ) -> Result<Vec<Claimed>> {
        let mut reading = self.owner.read().await?;
        let rows = sqlx::query_as!(
            Claimed,
            r#"with unsynced as materialized (select set_config('synchronous_commit', 'off', true)),
               expired as materialized (
                 select o.tenant_id, o.id, o.lease_until,
                        row_number() over (partition by o.tenant_id order by o.lease_until) as place
                 from compressions o where o.status = 'running' and o.lease_until < now()
               ),
               allowed as materialized (
                 select e.tenant_id, e.id
                 from unsynced
                 cross join expired e
                 join tenants t on t.id = e.tenant_id and t.suspended_at is null
                 cross join lateral (
                   select count(*) as jobs from compressions r
                   where r.tenant_id = e.tenant_id and r.status = 'running' and r.lease_until >= now()
                 ) running
                 where running.jobs + e.place <= coalesce((t.quotas ->> 'concurrent_compressions')::integer, $3)
                 order by e.lease_until limit $4
               ),
               chosen as materialized (
                 select c.tenant_id, c.id
                 from allowed a
                 cross join lateral (
                   select x.tenant_id, x.id from compressions x
                   where x.tenant_id = a.tenant_id and x.id = a.id and x.status = 'running' and x.lease_until < now()
                   limit 1 for update skip locked
                 ) c
               )
               update compressions c
               set attempt = c.attempt + 1, worker = $1, crashes = c.crashes + 1,
                   lease_until = now() + make_interval(secs => $2)
               from chosen where c.tenant_id = chosen.tenant_id and c.id = chosen.id
               returning c.tenant_id, c.id, c.session_id, c.kind, c.trigger, c.request, c.attempt, c.crashes,
                         c.parent_version, c.from_seq as "from_seq: _", c.through_seq as "through_seq: _", c.trace_context,
                         (extract(epoch from now() - c.created_at) * 1000)::bigint as "queued_ms!""#,
            worker,
            lease_seconds,
            tenant_limit,
            jobs
        )
        .fetch_all(reading.connection())
        .await;
        reading.end(rows)
    }

    /// Claims due jobs, each time the oldest of the waiting tenant that runs least, and no tenant beyond its bound. With a
    /// `tenant_limit` of 0 only tenants get one that run none, whatever their own bound. The commit does not wait for the
    /// disk.
    pub(crate) async fn claim_queued(
        &self,
        (worker, lease_seconds): (i64, f64),
        (tenant_limit, jobs): (i32, i64),
    ) -> Result<Vec<Claimed>> {
        let mut reading = self.owner.read().await?;
        let rows = sqlx::query_as!(
            Claimed,
            r#"with recursive waiting (tenant_id) as (
                 (select c.tenant_id from compressions c where c.status = 'queued' order by c.tenant_id limit 1)
                 union all
                 select (select c.tenant_id from compressions c
                         where c.status = 'queued' and c.tenant_id > w.tenant_id order by c.tenant_id limit 1)
                 from waiting w where w.tenant_id is not null
               ),
               unsynced as materialized (select set_config('synchronous_commit', 'off', true)),
               ranked as materialized (
                 select due.tenant_id, due.id, due.due_at, running.jobs + due.place as place
                 from waiting w
                 join tenants t on t.id = w.tenant_id and t.suspended_at is null
                 cross join lateral (
                   select count(*) as jobs from compressions r
                   where r.tenant_id = w.tenant_id and r.status = 'running' and r.lease_until >= now()
                 ) running
                 cross join lateral (
                   select o.tenant_id, o.id, o.due_at, row_number() over (order by o.due_at) as place
                   from (
                     select c.tenant_id, c.id, c.due_at from compressions c
                     where c.tenant_id = w.tenant_id and c.status = 'queued' and c.due_at <= now()
                     order by c.due_at limit $4::bigint + $5::bigint
                   ) o
                 ) due
                 where running.jobs + due.place
                   <= case $3::integer when 0 then 1
                      else coalesce((t.quotas ->> 'concurrent_compressions')::integer, $3) end
                 order by place, due.due_at
               ),
               chosen as materialized (
                 select c.tenant_id, c.id
                 from unsynced
                 cross join ranked r
                 cross join lateral (
                   select x.tenant_id, x.id from compressions x
                   where x.tenant_id = r.tenant_id and x.id = r.id and x.status = 'queued' and x.due_at <= now()
                   limit 1 for update skip locked
                 ) c
                 limit $4
               )
               update compressions c
               set status = 'running', attempt = c.attempt + 1, worker = $1,
                   lease_until = now() + make_interval(secs => $2), started_at = coalesce(c.started_at, now())
               from chosen where c.tenant_id = chosen.tenant_id and c.id = chosen.id
               returning c.tenant_id, c.id, c.session_id, c.kind, c.trigger, c.request, c.attempt, c.crashes,
                         c.parent_version, c.from_seq as "from_seq: _", c.through_seq as "through_seq: _", c.trace_context,
                         (extract(epoch from now() - c.created_at) * 1000)::bigint as "queued_ms!""#,
            worker,
            lease_seconds,
            tenant_limit,
            jobs,
            SPARE
        )
        .fetch_all(reading.connection())
        .await;
        reading.end(rows)
    }

    /// Claims due deliveries and counts an attempt of each; a session is named as its caller does, with the branch. At most
    /// `per_webhook` attempts run at once for a webhook and `per_tenant` for a tenant, but one for each webhook in any case, so
    /// that a slow webhook holds up no other; the tenant with the fewest comes first. A delivery whose lease ended is due
    /// again, although its attempt may have arrived. Costs one index search for each webhook that has something pending.
    pub(crate) async fn claim_due_deliveries(
        &self,
        lease: Duration,
        limit: i32,
        (per_webhook, per_tenant): (i32, i32),
    ) -> Result<Vec<DueDelivery>> {
        let is_due = sqlx::query_scalar!(
            r#"select exists (select from webhook_deliveries d where d.status = 'pending' and d.due_at <= now()) as "due!""#
        );
        if !is_due.fetch_one(&mut self.owner.acquire().await?).await? {
            return Ok(Vec::new());
        }
        let mut connection = self.begin_claim(DELIVERIES).await?;
        let claimed = sqlx::query_as!(
            DueDelivery,
            r#"with recursive waiting (tenant_id, webhook_id) as (
                 (select d.tenant_id, d.webhook_id from webhook_deliveries d
                  where d.status = 'pending' order by d.tenant_id, d.webhook_id limit 1)
                 union all
                 select n.tenant_id, n.webhook_id
                 from waiting w
                 cross join lateral (
                   select d.tenant_id, d.webhook_id from webhook_deliveries d
                   where d.status = 'pending' and (d.tenant_id, d.webhook_id) > (w.tenant_id, w.webhook_id)
                   order by d.tenant_id, d.webhook_id limit 1
                 ) n
               ),
               running as materialized (
                 select r.tenant_id, r.webhook_id, count(*) as attempts from webhook_deliveries r
                 where r.leased_until > now() group by r.tenant_id, r.webhook_id
               ),
               due as (
                 select w.tenant_id, w.webhook_id, oldest.id, oldest.due_at,
                        coalesce(r.attempts, 0)
                          + row_number() over (partition by w.tenant_id, w.webhook_id order by oldest.due_at) as place
                 from waiting w
                 join tenants t on t.id = w.tenant_id and t.suspended_at is null
                 join webhooks k on k.tenant_id = w.tenant_id and k.id = w.webhook_id and k.disabled_reason is null
                 left join running r on r.tenant_id = w.tenant_id and r.webhook_id = w.webhook_id
                 cross join lateral (
                   select d.id, d.due_at from webhook_deliveries d
                   where d.tenant_id = w.tenant_id and d.webhook_id = w.webhook_id and d.status = 'pending'
                     and d.due_at <= now()
                     -- Those of an erased session are deleted in steps.
                     and (d.session_id is null
                          or (select s.erased_at is null and s.dropped_at is null from sessions s
                              where s.tenant_id = d.tenant_id and s.id = d.session_id limit 1))
                   order by d.due_at limit $3::integer
                 ) oldest
               ),
               ranked as (
                 select due.tenant_id, due.webhook_id, due.id, due.due_at, due.place,
                        coalesce(u.attempts, 0)
                          + row_number() over (partition by due.tenant_id order by due.place, due.due_at) as tenant_place
                 from due
                 left join (select r.tenant_id, sum(r.attempts) as attempts from running r group by r.tenant_id) u
                   on u.tenant_id = due.tenant_id
                 where due.place <= $3::integer
               ),
               chosen as materialized (
                 select d.tenant_id, d.webhook_id, d.id, d.session_id
                 from ranked
                 join webhook_deliveries d
                   on d.tenant_id = ranked.tenant_id and d.webhook_id = ranked.webhook_id and d.id = ranked.id
                 where (ranked.place = 1 or ranked.tenant_place <= $4::integer) and d.status = 'pending' and d.due_at <= now()
                 order by ranked.tenant_place, ranked.due_at
                 limit $2::integer
                 for update of d skip locked
               )
               update webhook_deliveries d
               set attempts = d.attempts + 1, tries = d.tries + 1, last_attempt_at = now(),
                   leased_until = now() + make_interval(secs => $1),
                   due_at = now() + make_interval(secs => $1)
               from chosen
               join webhooks k on k.tenant_id = chosen.tenant_id and k.id = chosen.webhook_id
               left join sessions s on s.tenant_id = chosen.tenant_id and s.id = chosen.session_id
               left join sessions main on main.tenant_id = chosen.tenant_id and main.id = s.root_id
               where d.tenant_id = chosen.tenant_id and d.webhook_id = chosen.webhook_id and d.id = chosen.id
               returning d.tenant_id, d.webhook_id, d.id, d.attempts, d.tries, d.event, d.payload,
                         coalesce(main.name, s.name) as session_name, s.branch as "branch?", d.event_id, d.created_at,
                         k.url, k.secret,
                         case when k.previous_secret_until > now() then k.previous_secret end as previous_secret"#,
            lease.as_secs_f64(),
            limit,
            per_webhook,
            per_tenant
        )
        .fetch_all(&mut connection)
        .await?;
        connection.end("commit").await.map_err(StoreError::from)?;
        Ok(claimed)
    }

    /// Claims at most `limit` sessions of all tenants whose messages are to get vectors, and commits: the oldest of the tenant
    /// of which the fewest attempts run, and no tenant beyond `per_tenant`. An attempt whose lease ended is due again. Costs
    /// one index search for each waiting tenant.
    pub async fn claim_embeddings(
        &self,
        lease: Duration,
        limit: i32,
        per_tenant: i32,
    ) -> Result<Vec<EmbeddingJob>> {
        let mut connection = self.begin_claim(EMBEDDINGS).await?;
        let rows = sqlx::query!(
            r#"with recursive waiting (tenant_id) as (
                 (select e.tenant_id from recall_embeddings e where e.due_at is not null order by e.tenant_id limit 1)
                 union all
                 select (select e.tenant_id from recall_embeddings e
                         where e.due_at is not null and e.tenant_id > w.tenant_id order by e.tenant_id limit 1)
                 from waiting w where w.tenant_id is not null
               ),
               running as materialized (
                 select r.tenant_id, count(*) as attempts from recall_embeddings r
                 where r.leased_until > now() group by r.tenant_id
               ),
               due as materialized (
                 select w.tenant_id, oldest.session_id, oldest.due_at,
                        coalesce((select r.attempts from running r where r.tenant_id = w.tenant_id), 0)
                          + row_number() over (partition by w.tenant_id order by oldest.due_at) as place
                 from waiting w
                 join tenants t on t.id = w.tenant_id and t.suspended_at is null and t.erased_at is null
                 cross join lateral (
                   select e.session_id, e.due_at from recall_embeddings e
                   where e.tenant_id = w.tenant_id and e.due_at <= now() and (e.leased_until is null or e.leased_until <= now())
                   order by e.due_at limit $3::integer
                 ) oldest
               ),
               chosen as materialized (
                 select e.tenant_id, e.session_id
                 from due
                 join recall_embeddings e on e.tenant_id = due.tenant_id and e.session_id = due.session_id
                 where due.place <= $3::integer
                 order by due.place, due.due_at limit $2::integer
                 for update of e skip locked
               )
               update recall_embeddings e
               set attempt = e.attempt + 1, leased_until = now() + make_interval(secs => $1),
                   due_at = now() + make_interval(secs => $1)
               from chosen where e.tenant_id = chosen.tenant_id and e.session_id = chosen.session_id
               returning e.tenant_id, e.session_id, e.attempt, e.failures"#,
            lease.as_secs_f64(),
            limit,
            per_tenant
        )
        .fetch_all(&mut connection)
        .await?;
        connection.end("commit").await.map_err(StoreError::from)?;
        let job = rows.into_iter().map(|row| EmbeddingJob {
            tenant: TenantId(row.tenant_id),
            session: SessionId(row.session_id),
            attempt: row.attempt,
            failures: u32::try_from(row.failures).unwrap_or_default(),
        });
        Ok(job.collect())
    }
}
