-- Webhooks: where a tenant wants to be told of events, and every message to them with what became of it.

create table webhooks (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  url text not null,
  description text,
  -- The events that it gets; null for all.
  events text[],
  -- Why it gets nothing, and since when; null while it is enabled.
  disabled_reason text constraint webhooks_disabled_reason_check check (disabled_reason in ('caller', 'gone', 'failing')),
  disabled_at timestamptz,
  -- As it is, because it must sign; told once, in no list and no log.
  secret bytea not null,
  -- The one before, which signs beside it until it ends.
  previous_secret bytea,
  previous_secret_until timestamptz,
  -- When the first of the attempts failed since which none has succeeded.
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint webhooks_disabled_check check ((disabled_reason is null) = (disabled_at is null))
);
comment on table webhooks is 'Addresses that are told of a tenant''s events, with the secrets that sign what they are told.';

create table webhook_deliveries (
  tenant_id uuid not null,
  webhook_id uuid not null,
  -- The id of the message: one event has the same for every webhook. Time-ordered.
  id uuid not null,
  -- Null for a message that tries the webhook; what is about a session goes with it.
  session_id uuid,
  -- The event's id in its session; it may be forgotten before this row.
  event_id bigint,
  event text not null,
  payload json not null,
  status text not null default 'pending'
    constraint webhook_deliveries_status_check check (status in ('pending', 'succeeded', 'failed', 'cancelled')),
  -- When a pending one is to be tried. While it is being tried: when it is taken for lost, and tried again.
  due_at timestamptz default now(),
  -- Until when an attempt may run; null when none does.
  leased_until timestamptz,
  -- All attempts so far, and the fence of the one that runs.
  attempts integer not null default 0,
  -- Attempts since it was made, or asked for again.
  tries integer not null default 0,
  last_status_code integer,
  last_error text,
  last_duration_ms bigint,
  last_attempt_at timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (tenant_id, webhook_id, id),
  foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id) on delete cascade,
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade,
  constraint webhook_deliveries_due_check check ((status = 'pending') = (due_at is not null))
);
comment on table webhook_deliveries is 'Messages to webhooks, written in the commit of their event; the queue of those who deliver, and the log of what came of it, kept for some weeks.';
create index webhook_deliveries_due_idx on webhook_deliveries (due_at) where status = 'pending';
comment on index webhook_deliveries_due_idx is 'Claiming: whether anything is due at all. Metrics: for how long the oldest has been.';
create index webhook_deliveries_waiting_idx on webhook_deliveries (tenant_id, webhook_id, due_at) where status = 'pending';
comment on index webhook_deliveries_waiting_idx is 'Claiming: which webhooks have something pending, and the oldest due of each. Disabling: what is pending.';
create index webhook_deliveries_leased_idx on webhook_deliveries (leased_until) where leased_until is not null;
comment on index webhook_deliveries_leased_idx is 'Claiming: how many attempts run for each webhook and tenant.';
create index webhook_deliveries_session_idx on webhook_deliveries (tenant_id, session_id);
comment on index webhook_deliveries_session_idx is 'Erasing a session with its messages to webhooks.';
create index webhook_deliveries_created_at_idx on webhook_deliveries (created_at);
comment on index webhook_deliveries_created_at_idx is 'Upkeep: deliveries that are old enough to be forgotten.';

do $$
declare
  t text;
begin
  foreach t in array array['webhooks', 'webhook_deliveries'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant on %I using (tenant_id = (select current_tenant()))', t);
    execute format('create policy owner on %I to current_user using (true)', t);
    execute format('grant select, insert, update, delete on %I to anchord_app', t);
  end loop;
end $$;

-- Claims deliveries that are due, over all tenants, and counts an attempt of each. A webhook has at most
-- `p_per_webhook` attempts at once and a tenant `p_per_tenant`, but one for each of its webhooks in any case,
-- so that a slow webhook holds up no other; of what is left, the tenant that has least under way comes first.
-- Whose lease has run out is due again: its attempt may have arrived, which is why receivers are told an id.
-- Costs one look per webhook with something pending, whatever is pending for it; nothing while nothing is due.
create function claim_deliveries(p_lease_seconds double precision, p_limit integer, p_per_webhook integer, p_per_tenant integer)
  returns table (tenant_id uuid, webhook_id uuid, id uuid, attempts integer, tries integer, event text, payload json,
                 session_name text, event_id bigint, created_at timestamptz, url text, secret bytea, previous_secret bytea)
  language plpgsql volatile security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  if not exists (select from webhook_deliveries d where d.status = 'pending' and d.due_at <= now()) then
    return;
  end if;
  -- One claims at a time, or two would both find room for the same webhook.
  perform pg_advisory_xact_lock(1633772133, 1);
  return query
    with recursive waiting (tenant_id, webhook_id) as (
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
    running as (
      select r.tenant_id, r.webhook_id, count(*) as attempts from webhook_deliveries r
      where r.leased_until > now() group by r.tenant_id, r.webhook_id
    ),
    due as (
      select w.tenant_id, w.webhook_id, oldest.id, oldest.due_at,
             coalesce(r.attempts, 0) + row_number() over (partition by w.tenant_id, w.webhook_id order by oldest.due_at) as place
      from waiting w
      join tenants t on t.id = w.tenant_id and t.suspended_at is null
      join webhooks k on k.tenant_id = w.tenant_id and k.id = w.webhook_id and k.disabled_reason is null
      left join running r on r.tenant_id = w.tenant_id and r.webhook_id = w.webhook_id
      cross join lateral (
        select d.id, d.due_at from webhook_deliveries d
        where d.tenant_id = w.tenant_id and d.webhook_id = w.webhook_id and d.status = 'pending' and d.due_at <= now()
        order by d.due_at limit p_per_webhook
      ) oldest
    ),
    ranked as (
      select due.tenant_id, due.webhook_id, due.id, due.due_at, due.place,
             coalesce(u.attempts, 0) + row_number() over (partition by due.tenant_id order by due.place, due.due_at) as tenant_place
      from due
      left join (select r.tenant_id, sum(r.attempts) as attempts from running r group by r.tenant_id) u
        on u.tenant_id = due.tenant_id
      where due.place <= p_per_webhook
    ),
    chosen as (
      select d.tenant_id, d.webhook_id, d.id, d.session_id
      from ranked
      join webhook_deliveries d
        on d.tenant_id = ranked.tenant_id and d.webhook_id = ranked.webhook_id and d.id = ranked.id
      where (ranked.place = 1 or ranked.tenant_place <= p_per_tenant) and d.status = 'pending' and d.due_at <= now()
      order by ranked.tenant_place, ranked.due_at
      limit p_limit
      for update of d skip locked
    )
    update webhook_deliveries d
    set attempts = d.attempts + 1, tries = d.tries + 1, last_attempt_at = now(),
        leased_until = now() + make_interval(secs => p_lease_seconds),
        due_at = now() + make_interval(secs => p_lease_seconds)
    from chosen
    join webhooks k on k.tenant_id = chosen.tenant_id and k.id = chosen.webhook_id
    left join sessions s on s.tenant_id = chosen.tenant_id and s.id = chosen.session_id
    where d.tenant_id = chosen.tenant_id and d.webhook_id = chosen.webhook_id and d.id = chosen.id
    returning d.tenant_id, d.webhook_id, d.id, d.attempts, d.tries, d.event, d.payload, s.name, d.event_id, d.created_at,
              k.url, k.secret, case when k.previous_secret_until > now() then k.previous_secret end;
end;
$$;

-- Takes back some of what is pending for webhooks that are disabled: written in the moment in which they were.
-- Old secrets that sign no more are forgotten on the way. Gives how many deliveries it took back.
create function cancel_stranded_deliveries(p_limit integer) returns integer
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  update webhooks k set previous_secret = null, previous_secret_until = null where k.previous_secret_until < now();
  with stranded as (
    select d.tenant_id, d.webhook_id, d.id
    from webhooks k
    join webhook_deliveries d on d.tenant_id = k.tenant_id and d.webhook_id = k.id and d.status = 'pending'
    where k.disabled_reason is not null
    limit p_limit for update of d skip locked
  ),
  gone as (
    update webhook_deliveries d set status = 'cancelled', due_at = null, leased_until = null, finished_at = now()
    from stranded s where d.tenant_id = s.tenant_id and d.webhook_id = s.webhook_id and d.id = s.id
    returning 1
  )
  select count(*)::integer from gone;
end;

-- Forgets some of the deliveries that are older than `p_days`, over all tenants; gives how many.
create function forget_old_deliveries(p_days integer, p_limit integer) returns integer
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with old as (
    select d.tenant_id, d.webhook_id, d.id from webhook_deliveries d
    where d.created_at < now() - make_interval(days => p_days)
    order by d.created_at limit p_limit for update skip locked
  ),
  gone as (
    delete from webhook_deliveries d using old
    where d.tenant_id = old.tenant_id and d.webhook_id = old.webhook_id and d.id = old.id returning 1
  )
  select count(*)::integer from gone;
end;

-- For how many seconds the oldest delivery that could be tried has been due, over all tenants; 0 when none is.
create function oldest_due_delivery() returns double precision
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select coalesce((
    select extract(epoch from now() - d.due_at) from webhook_deliveries d
    where d.status = 'pending' and d.due_at <= now()
      and exists (select from tenants t where t.id = d.tenant_id and t.suspended_at is null)
      and exists (select from webhooks k
                  where k.tenant_id = d.tenant_id and k.id = d.webhook_id and k.disabled_reason is null)
    order by d.due_at limit 1
  ), 0)::double precision;
end;

revoke all on function claim_deliveries, cancel_stranded_deliveries, forget_old_deliveries, oldest_due_delivery from public;
grant execute on function claim_deliveries, cancel_stranded_deliveries, forget_old_deliveries, oldest_due_delivery to anchord_app;
