-- The first schema. Conventions: every tenant-owned table begins its primary key with tenant_id and
-- has row-level security that fails closed; the service works as the role anchord_app, which does
-- not own the tables; what must cross tenants goes through the security definer functions below.

do $$
begin
  create role anchord_app nologin;
exception when duplicate_object or unique_violation then null;
end $$;
do $$
begin
  execute format('grant anchord_app to %I', current_user);
exception when others then raise notice 'anchord_app is granted to % already', current_user;
end $$;

-- The tenant of the transaction; null (so: no row at all) until the service has set it.
create function current_tenant() returns uuid language sql stable parallel safe
  return nullif(current_setting('app.tenant_id', true), '')::uuid;

create table tenants (
  id uuid primary key,
  name text not null constraint tenants_name_key unique,
  -- Policy defaults of the tenant, the same shape as a session's settings.
  settings json not null default '{}',
  created_at timestamptz not null default now()
);
comment on table tenants is 'Customers of the installation; each owns everything that carries its id.';

create table api_keys (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  prefix text not null,
  digest bytea not null constraint api_keys_digest_key unique,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, id)
);
comment on table api_keys is 'SHA-256 digests of API keys; the unique index on digest serves the look-up at every request.';

create table sessions (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id uuid not null,
  name text not null,
  settings json not null default '{}',
  task_id text,
  parent_session_id text,
  -- Position of the newest message; the next one gets head_seq + 1.
  head_seq bigint not null default 0,
  -- Through which message the current summary covers the session.
  anchor_seq bigint not null default 0,
  -- The current summary version, and the newest one ever made (a rollback makes a new one).
  version bigint,
  last_version bigint not null default 0,
  compression_count integer not null default 0,
  -- Grows with every change of pins or settings that changes the assembled context.
  context_revision bigint not null default 1,
  -- Through which message the recall index reaches.
  indexed_seq bigint not null default 0,
  -- Running token and message counts (domain::accounting), so that an append costs the same at any length.
  accounting json not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint sessions_name_key unique (tenant_id, name)
) with (fillfactor = 70);
comment on table sessions is 'One row per conversation: settings, positions and running counts. The unique name serves every request; updates touch no indexed column, so they stay on their page.';
create index sessions_task_idx on sessions (tenant_id, task_id) where task_id is not null;
comment on index sessions_task_idx is 'Sessions of one task.';
create index sessions_parent_idx on sessions (tenant_id, parent_session_id) where parent_session_id is not null;
comment on index sessions_parent_idx is 'Sessions under one parent.';

create table messages (
  tenant_id uuid not null,
  session_id uuid not null,
  seq bigint not null,
  role text not null,
  format text not null,
  tokens integer not null,
  -- Its tokens when every tool output in it is a placeholder; null when that is the same.
  least_tokens integer,
  -- What grouping and masking need without the body (domain::shape); null for a plain text message.
  shape text,
  -- The caller's mark: always or never keep.
  keep text,
  -- The caller's component, when it is not told by the role.
  component text,
  -- The JSON text as sent.
  body text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, session_id, seq),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table messages is 'Every message, verbatim, append-only. The primary key serves pages of originals, spans and tails.';
do $$
begin
  alter table messages alter column body set compression lz4;
exception when feature_not_supported then raise notice 'this server has no lz4; bodies use its default compression';
end $$;

create table tool_outputs (
  tenant_id uuid not null,
  session_id uuid not null,
  reference text not null,
  seq bigint not null,
  -- Which of the message's tool results it is, from 0.
  ordinal integer not null,
  primary key (tenant_id, session_id, reference),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table tool_outputs is 'Where an offloaded tool output is: a content hash and the first message that holds it.';

create table pins (
  tenant_id uuid not null,
  session_id uuid not null,
  position integer not null,
  id text not null,
  body text not null,
  primary key (tenant_id, session_id, position),
  constraint pins_id_key unique (tenant_id, session_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table pins is 'Constraints that every summary and context carry word for word.';

create table removed_constraints (
  tenant_id uuid not null,
  session_id uuid not null,
  constraint_id text not null,
  removed_at timestamptz not null default now(),
  primary key (tenant_id, session_id, constraint_id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table removed_constraints is 'Extracted constraints that the caller dropped; they are not extracted again.';

create table summaries (
  tenant_id uuid not null,
  session_id uuid not null,
  version bigint not null,
  parent_version bigint,
  -- The compression that made it; null for a rollback.
  compression_id uuid,
  from_seq bigint not null,
  through_seq bigint not null,
  -- The version's metadata (domain::summary::VersionMeta) and its complete record.
  meta json not null,
  document json not null,
  -- What the next span's ledger needs to know (domain::ledger::Carry).
  carry json not null,
  -- The text of the message that contexts serve (domain::context::summary_message_text), whole and at its
  -- smallest, each with that message's tokens.
  rendering text not null,
  rendering_tokens integer not null,
  least_rendering text not null,
  least_tokens integer not null,
  recap text not null default '',
  created_at timestamptz not null default now(),
  primary key (tenant_id, session_id, version),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table summaries is 'Immutable summary versions.';

create table ledger_entries (
  tenant_id uuid not null,
  session_id uuid not null,
  kind text not null constraint ledger_entries_kind_check check (kind in ('command', 'test_run')),
  first_seq bigint not null,
  ordinal integer not null,
  value json not null,
  primary key (tenant_id, session_id, kind, first_seq, ordinal),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table ledger_entries is 'Every command and test run of the summarised messages; files, errors, identifiers and constraints are in the document itself.';

create table probes (
  tenant_id uuid not null,
  session_id uuid not null,
  id uuid not null,
  source text not null constraint probes_source_check check (source in ('generated', 'caller')),
  -- The version whose span it came from; null for a caller's probe.
  version bigint,
  retired_in_version bigint,
  probe json not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, session_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table probes is 'Questions that must be answerable from the compressed context; ids are time-ordered, so the primary key serves pages.';

create table evaluations (
  tenant_id uuid not null,
  session_id uuid not null,
  id uuid not null,
  version bigint,
  compression_id uuid,
  -- Scores (domain::probe::Evaluation) and the verdicts, probe by probe.
  scores json not null,
  results json not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, session_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table evaluations is 'Runs of the probes against a version, or against a candidate that was refused.';

create table compressions (
  tenant_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  kind text not null constraint compressions_kind_check check (kind in ('compress', 'evaluate', 'index')),
  status text not null constraint compressions_status_check
    check (status in ('queued', 'running', 'prepared', 'succeeded', 'failed', 'rejected', 'skipped', 'superseded', 'cancelled')),
  -- What asked for it (manual, or the signal) and with which parameters (domain::compression::Request).
  trigger text not null,
  request json not null,
  shadow boolean not null default false,
  -- The span, fixed at the first claim.
  parent_version bigint,
  from_seq bigint,
  through_seq bigint,
  version bigint,
  -- The fence: grows with every claim; a worker's writes carry the number it claimed with.
  attempt integer not null default 0,
  crashes integer not null default 0,
  worker bigint,
  due_at timestamptz not null default now(),
  lease_until timestamptz,
  -- What came of it (domain::compression::Report).
  report json,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
) with (fillfactor = 70);
comment on table compressions is 'Compressions, evaluations and indexing: the resource is the job, there is no second record of it.';
create unique index compressions_live_key on compressions (tenant_id, session_id, kind)
  where status in ('queued', 'running') and not shadow and kind in ('compress', 'index');
comment on index compressions_live_key is 'At most one live compression (and one live indexing) per session; enqueue is on conflict do nothing.';
create index compressions_due_idx on compressions (due_at) where status = 'queued';
comment on index compressions_due_idx is 'Claiming: what is due, oldest first.';
create index compressions_running_idx on compressions (tenant_id, lease_until) where status = 'running';
comment on index compressions_running_idx is 'Claiming: how much each tenant runs; takeover: leases that ran out, workers that died.';
create index compressions_session_idx on compressions (tenant_id, session_id, id desc);
comment on index compressions_session_idx is 'The compressions of a session, newest first (ids are time-ordered).';

create table idempotency_keys (
  tenant_id uuid not null references tenants (id) on delete cascade,
  route text not null,
  key text not null,
  -- Erased with the session, when the route names one.
  session_id uuid,
  body_digest bytea not null,
  status smallint not null,
  reply text not null,
  headers json not null default '{}',
  created_at timestamptz not null default now(),
  primary key (tenant_id, route, key),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table idempotency_keys is 'Replies to replay for 24 hours; each commits with the effect that it reports.';
create index idempotency_keys_age_idx on idempotency_keys (created_at);
comment on index idempotency_keys_age_idx is 'Removal of replies older than a day.';

do $$
declare
  t text;
begin
  foreach t in array array['api_keys', 'sessions', 'messages', 'tool_outputs', 'pins', 'removed_constraints', 'summaries',
                           'ledger_entries', 'probes', 'evaluations', 'compressions', 'idempotency_keys']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('create policy tenant on %I using (tenant_id = (select current_tenant()))', t);
  end loop;
end $$;
alter table tenants enable row level security;
create policy tenant on tenants using (id = (select current_tenant()));

grant usage on schema public to anchord_app;
grant select, insert, update, delete on all tables in schema public to anchord_app;
revoke all on table _sqlx_migrations from anchord_app;

-- Everything that a context is made of, in one round trip and at one moment: the session, its current
-- summary, its pins, the leading system messages, the user message that the summary covers and that is
-- still served, and the messages after the anchor, newest first until the budget is surely filled.
-- It runs with the caller's rights: row-level security stays in force, under the tenant it sets for
-- its own statement.
create function read_context(p_tenant uuid, p_name text, p_budget bigint)
  returns table (
    session_id uuid, settings json, defaults json, accounting json, head_seq bigint, anchor_seq bigint,
    version bigint, context_revision bigint,
    rendering text, rendering_tokens integer, least_rendering text, least_tokens integer, recap text,
    pins text[],
    -- The first message after the anchor that was read; what lies between was left out.
    tail_from bigint,
    seqs bigint[], roles text[], formats text[], tokens integer[], shapes text[], keeps text[], bodies text[]
  )
  -- Planning anew at every call, which the planner takes to be worth it, would cost six times the reading.
  language plpgsql stable set search_path = public, pg_temp set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  s record;
  v_system bigint;
  v_carried bigint;
  v_floor bigint;
  v_from bigint;
  v_budget bigint;
  v_left bigint;
  v_page record;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  select x.id, x.settings, t.settings as defaults, x.accounting, x.head_seq, x.anchor_seq, x.version, x.context_revision,
         v.rendering, v.rendering_tokens, v.least_rendering, v.least_tokens, v.recap
  into s
  from sessions x
  join tenants t on t.id = x.tenant_id
  left join summaries v on v.tenant_id = x.tenant_id and v.session_id = x.id and v.version = x.version
  where x.tenant_id = p_tenant and x.name = p_name;
  if not found then
    return;
  end if;
  v_system := coalesce((s.accounting ->> 'system_through')::bigint, 0);
  v_carried := coalesce((s.accounting -> 'carried' ->> 'seq')::bigint, 0);
  v_floor := greatest(s.anchor_seq, v_system);
  v_from := v_floor + 1;
  -- The effective window is never larger than the context window.
  v_budget := coalesce(p_budget, (s.settings ->> 'context_window')::bigint,
                       (s.defaults ->> 'context_window')::bigint, 200000);
  if coalesce((s.accounting ->> 'tail_tokens')::bigint, 0) > v_budget then
    -- Backwards in pages, counting each message at the least that it can be served with: masked, and
    -- clipped to an eighth of the budget.
    v_from := s.head_seq + 1;
    v_left := v_budget;
    while v_left > 0 and v_from > v_floor + 1 loop
      select min(w.seq) as seq, sum(w.cost) as cost into v_page
      from (
        select p.seq, p.cost, sum(p.cost) over (order by p.seq desc) - p.cost as before
        from (
          select m.seq, greatest(least(coalesce(m.least_tokens, m.tokens), v_budget / 8), 1)::bigint as cost
          from messages m
          where m.tenant_id = p_tenant and m.session_id = s.id and m.seq > v_floor and m.seq < v_from
          order by m.seq desc limit 500
        ) p
      ) w
      where w.before < v_left;
      v_from := v_page.seq;
      v_left := v_left - v_page.cost;
    end loop;
  end if;
  return query
  select s.id, s.settings, s.defaults, s.accounting, s.head_seq, s.anchor_seq, s.version, s.context_revision,
         s.rendering, s.rendering_tokens, s.least_rendering, s.least_tokens, s.recap,
         array(select p.body from pins p where p.tenant_id = p_tenant and p.session_id = s.id order by p.position),
         v_from,
         array_agg(m.seq), array_agg(m.role), array_agg(m.format), array_agg(m.tokens), array_agg(m.shape),
         array_agg(m.keep), array_agg(m.body)
  from (
    select m.seq, m.role, m.format, m.tokens, m.shape, m.keep, m.body
    from messages m
    where m.tenant_id = p_tenant and m.session_id = s.id and m.seq >= v_from
    union all
    select m.seq, m.role, m.format, m.tokens, m.shape, m.keep, m.body
    from messages m
    where m.tenant_id = p_tenant and m.session_id = s.id and m.seq <= v_system
    union all
    select m.seq, m.role, m.format, m.tokens, m.shape, m.keep, m.body
    from messages m
    where m.tenant_id = p_tenant and m.session_id = s.id and m.seq = v_carried and m.seq > v_system
  ) m;
end;
$$;

-- Looking up a key is how the tenant becomes known, so it crosses tenants.
create function find_key(p_digest bytea)
  returns table (tenant_id uuid, id uuid, scopes text[], expires_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select k.tenant_id, k.id, k.scopes, k.expires_at from api_keys k
  where k.digest = p_digest and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
end;

-- The operator's list of tenants, oldest first.
create function list_tenants(p_after uuid, p_limit bigint)
  returns table (id uuid, name text, settings json, created_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select t.id, t.name, t.settings, t.created_at from tenants t
  where p_after is null or t.id > p_after order by t.id limit p_limit;
end;

-- Claims one job that is due: the tenant that runs least comes first, then the oldest. A running job
-- whose lease ran out is due again. Grows the fence; the caller commits before it works.
create function claim_compression(p_worker bigint, p_lease_seconds double precision, p_tenant_limit integer)
  returns setof compressions
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with due as (
    select c.tenant_id, c.id
    from compressions c
    left join lateral (
      select count(*) as running from compressions r
      where r.tenant_id = c.tenant_id and r.status = 'running' and r.lease_until >= now()
    ) load on true
    where ((c.status = 'queued' and c.due_at <= now()) or (c.status = 'running' and c.lease_until < now()))
      and load.running < p_tenant_limit
    order by load.running, c.due_at
    limit 1
    for update of c skip locked
  )
  update compressions c
  set status = 'running', attempt = c.attempt + 1, worker = p_worker,
      crashes = c.crashes + case when c.status = 'running' then 1 else 0 end,
      lease_until = now() + make_interval(secs => p_lease_seconds),
      started_at = coalesce(c.started_at, now())
  from due
  where c.tenant_id = due.tenant_id and c.id = due.id
  returning c.*;
end;

-- Makes the running jobs of dead workers due at once. A worker is alive while it holds its advisory
-- lock (class 1633772132, object = its number) on a connection of its own.
create function release_dead_workers() returns integer
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with freed as (
    update compressions c set lease_until = '-infinity'
    where c.status = 'running' and c.lease_until > now()
      and not exists (
        select from pg_locks l
        where l.locktype = 'advisory' and l.classid = 1633772132::oid and l.objid = c.worker::oid and l.objsubid = 2
          and l.database = (select oid from pg_database where datname = current_database()))
    returning 1)
  select count(*)::integer from freed;
end;

-- How many jobs wait and run, over all tenants, for metrics.
create function queue_depth() returns table (status text, jobs bigint)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select c.status, count(*) from compressions c where c.status in ('queued', 'running') group by c.status;
end;

-- Removes replies older than a day, over all tenants.
create function forget_old_replies() returns bigint
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with gone as (delete from idempotency_keys where created_at < now() - interval '24 hours' returning 1)
  select count(*) from gone;
end;

revoke all on function find_key, list_tenants, claim_compression, release_dead_workers, queue_depth, forget_old_replies from public;
grant execute on function find_key, list_tenants, claim_compression, release_dead_workers, queue_depth, forget_old_replies to anchord_app;
