-- Several jobs are claimed in one commit, and a job of one statement ends in one.

-- Claims at most p_jobs jobs that are due, in the order in which claim_compression would, one after the other: those
-- whose leases ran out first; then of the tenants that wait each time the one that runs least, its oldest job, and no
-- tenant beyond its bound. Costs one look per waiting tenant, however many jobs it claims.
-- Grows the fence; the caller commits before it works.
create function claim_compressions(p_worker bigint, p_lease_seconds double precision, p_tenant_limit integer, p_jobs integer)
  returns setof compressions
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
as $$
declare
  v_left integer := p_jobs;
  v_taken integer;
begin
  return query
    with chosen as materialized (
      select c.tenant_id, c.id from compressions c
      where c.status = 'running' and c.lease_until < now()
      order by c.lease_until limit v_left for update skip locked
    )
    update compressions c
    set attempt = c.attempt + 1, worker = p_worker, crashes = c.crashes + 1,
        lease_until = now() + make_interval(secs => p_lease_seconds)
    from chosen where c.tenant_id = chosen.tenant_id and c.id = chosen.id
    returning c.*;
  get diagnostics v_taken = row_count;
  v_left := v_left - v_taken;
  if v_left = 0 then
    return;
  end if;
  return query
    with recursive waiting (tenant_id) as (
      (select c.tenant_id from compressions c where c.status = 'queued' order by c.tenant_id limit 1)
      union all
      select (select c.tenant_id from compressions c
              where c.status = 'queued' and c.tenant_id > w.tenant_id order by c.tenant_id limit 1)
      from waiting w where w.tenant_id is not null
    ),
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
          order by c.due_at limit v_left
        ) o
      ) due
      where running.jobs + due.place <= coalesce((t.quotas ->> 'concurrent_compressions')::integer, p_tenant_limit)
      order by place, due.due_at limit v_left
    ),
    chosen as materialized (
      select c.tenant_id, c.id
      from ranked r
      cross join lateral (
        select x.tenant_id, x.id from compressions x
        where x.tenant_id = r.tenant_id and x.id = r.id and x.status = 'queued' and x.due_at <= now()
        limit 1 for update skip locked
      ) c
    )
    update compressions c
    set status = 'running', attempt = c.attempt + 1, worker = p_worker,
        lease_until = now() + make_interval(secs => p_lease_seconds), started_at = coalesce(c.started_at, now())
    from chosen where c.tenant_id = chosen.tenant_id and c.id = chosen.id
    returning c.*;
  get diagnostics v_taken = row_count;
  -- Others may hold all that were chosen, while more are due: who sleeps now is told of them by nobody.
  if v_taken = 0 and v_left = p_jobs then
    return query select * from claim_compression(p_worker, p_lease_seconds, p_tenant_limit);
  end if;
end;
$$;
revoke all on function claim_compressions from public;
grant execute on function claim_compressions to anchord_app;

-- Ends a running job that has nothing else to write, under the fence of its attempt; false when the lease is lost.
-- It runs with the caller's rights: row-level security stays in force, under the tenant it sets for its own statement.
create function end_job(p_tenant uuid, p_id uuid, p_attempt integer, p_status text, p_report text)
  returns boolean language plpgsql volatile set search_path = public, pg_temp
as $$
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  update compressions c
  set status = p_status, report = p_report::json, finished_at = now(), lease_until = null
  where c.tenant_id = p_tenant and c.id = p_id and c.attempt = p_attempt and c.status = 'running';
  return found;
end;
$$;
