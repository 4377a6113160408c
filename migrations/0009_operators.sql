-- Tenants that can be suspended and bounded, keys that tell their last use, a record of what operators and
-- administrators did, and a claim that stays fair and cheap however many jobs one tenant has waiting.

alter table tenants
  add column suspended_at timestamptz,
  -- Bounds of this tenant (domain::quota::Quotas); what is absent is bounded by the installation alone.
  add column quotas json not null default '{}';

alter table api_keys
  add column name text,
  -- To the minute: the service notes it now and then, not at every request.
  add column last_used_at timestamptz;

create table audit_events (
  tenant_id uuid not null,
  id uuid not null,
  -- operator, cli, or the id of the API key that did it.
  actor text not null,
  action text not null,
  -- What it was done to: an id, never a name, a secret or a text.
  subject text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
comment on table audit_events is 'What operators and keys with the scope admin did; append-only for the service, and it outlives its tenant. Ids are time-ordered, so the primary key serves pages.';
create index audit_events_id_idx on audit_events (id desc);
comment on index audit_events_id_idx is 'The operator''s list over all tenants, newest first.';
alter table audit_events enable row level security;
create policy tenant on audit_events using (tenant_id = (select current_tenant()));
grant select, insert on audit_events to anchord_app;

create index compressions_waiting_idx on compressions (tenant_id, due_at) where status = 'queued';
comment on index compressions_waiting_idx is 'Claiming: which tenants wait, and the oldest job of each.';
drop index compressions_due_idx;

drop function find_key(bytea);
create function find_key(p_digest bytea)
  returns table (tenant_id uuid, id uuid, scopes text[], expires_at timestamptz, suspended boolean, quotas json)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select k.tenant_id, k.id, k.scopes, k.expires_at, t.suspended_at is not null, t.quotas
  from api_keys k join tenants t on t.id = k.tenant_id
  where k.digest = p_digest and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
end;

-- Notes that keys were used, over all tenants; one that was noted within a minute stays as it is.
create function touch_keys(p_tenants uuid[], p_ids uuid[]) returns void
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  update api_keys k set last_used_at = now()
  from unnest(p_tenants, p_ids) as used(tenant_id, id)
  where k.tenant_id = used.tenant_id and k.id = used.id
    and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute');
end;

drop function list_tenants(uuid, bigint);
create function list_tenants(p_after uuid, p_limit bigint)
  returns table (id uuid, name text, settings json, quotas json, suspended_at timestamptz, created_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select t.id, t.name, t.settings, t.quotas, t.suspended_at, t.created_at from tenants t
  where p_after is null or t.id > p_after order by t.id limit p_limit;
end;

-- The operator's look at a tenant by its name; the commands take either.
create function find_tenant_id(p_name text) returns uuid
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select t.id from tenants t where t.name = p_name;
end;

create function list_audit_events(p_before uuid, p_limit bigint)
  returns setof audit_events
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select * from audit_events a where p_before is null or a.id < p_before order by a.id desc limit p_limit;
end;

-- Claims one job that is due. A job whose lease ran out comes first. Of the tenants that wait, the one
-- that runs least comes next, its oldest job first: however many jobs a tenant has waiting, another's
-- single one is next but for what runs already. Costs one look per waiting tenant, not one per waiting job.
-- Grows the fence; the caller commits before it works.
create or replace function claim_compression(p_worker bigint, p_lease_seconds double precision, p_tenant_limit integer)
  returns setof compressions
  language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  t record;
  job record;
begin
  select c.tenant_id, c.id into job
  from compressions c where c.status = 'running' and c.lease_until < now()
  order by c.lease_until limit 1 for update skip locked;
  if not found then
    for t in
      with recursive waiting (tenant_id) as (
        (select c.tenant_id from compressions c where c.status = 'queued' order by c.tenant_id limit 1)
        union all
        select (select c.tenant_id from compressions c
                where c.status = 'queued' and c.tenant_id > w.tenant_id order by c.tenant_id limit 1)
        from waiting w where w.tenant_id is not null
      )
      select w.tenant_id, running.jobs
      from waiting w
      join tenants on tenants.id = w.tenant_id
      cross join lateral (
        select count(*) as jobs from compressions r
        where r.tenant_id = w.tenant_id and r.status = 'running' and r.lease_until >= now()
      ) running
      cross join lateral (
        select c.due_at from compressions c
        where c.tenant_id = w.tenant_id and c.status = 'queued' and c.due_at <= now() order by c.due_at limit 1
      ) oldest
      where tenants.suspended_at is null
        and running.jobs < coalesce((tenants.quotas ->> 'concurrent_compressions')::integer, p_tenant_limit)
      order by running.jobs, oldest.due_at
    loop
      select c.tenant_id, c.id into job
      from compressions c
      where c.tenant_id = t.tenant_id and c.status = 'queued' and c.due_at <= now()
      order by c.due_at limit 1 for update skip locked;
      exit when found;
    end loop;
  end if;
  if job.id is null then
    return;
  end if;
  return query
    update compressions c
    set status = 'running', attempt = c.attempt + 1, worker = p_worker,
        crashes = c.crashes + case when c.status = 'running' then 1 else 0 end,
        lease_until = now() + make_interval(secs => p_lease_seconds),
        started_at = coalesce(c.started_at, now())
    where c.tenant_id = job.tenant_id and c.id = job.id
    returning c.*;
end;
$$;

revoke all on function find_key, touch_keys, list_tenants, find_tenant_id, list_audit_events, claim_compression from public;
grant execute on function find_key, touch_keys, list_tenants, find_tenant_id, list_audit_events, claim_compression to anchord_app;
