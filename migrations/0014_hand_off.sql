-- Todo lists that callers keep, merges of finished sub-agents, and what happened in a session for those who follow it.

create table todo_lists (
  tenant_id uuid not null,
  session_id uuid not null,
  -- Grows with every change; a compression writes back only to the list that it has read.
  revision bigint not null,
  -- domain::todo::Todo, in the caller's order.
  items json not null,
  -- What the last change was (domain::todo::TodoChange), and the version that brought it; null for the caller's own.
  changes json not null,
  version bigint,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, session_id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table todo_lists is 'The todo list of a session, as its caller keeps it, with what compressions changed and proposed.';

create table session_merges (
  tenant_id uuid not null,
  session_id uuid not null,
  -- The inner id of the session that was merged; it is never used again, so it may be gone.
  child_id uuid not null,
  child_version bigint not null,
  -- The version that the merge made.
  version bigint not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, session_id, child_id, child_version),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table session_merges is 'Which versions of which sessions were merged into a session, so that the same one twice changes nothing.';

create table events (
  tenant_id uuid not null,
  session_id uuid not null,
  -- Drawn while the session is locked, so that within a session the order of ids is the order of commits.
  id bigint generated always as identity,
  kind text not null,
  payload json not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, session_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table events is 'What happened in a session, written in the commit that it tells about; kept for some days.';
create index events_created_at_idx on events (created_at);
comment on index events_created_at_idx is 'Upkeep: events that are old enough to be forgotten.';

do $$
declare
  t text;
begin
  foreach t in array array['todo_lists', 'session_merges', 'events'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant on %I using (tenant_id = (select current_tenant()))', t);
    execute format('create policy owner on %I to current_user using (true)', t);
    execute format('grant select, insert, update, delete on %I to anchord_app', t);
  end loop;
end $$;

-- Forgets some of the events that are older than `p_days`, over all tenants; gives how many.
create function forget_old_events(p_days integer, p_limit integer) returns integer
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with old as (
    select e.tenant_id, e.session_id, e.id from events e
    where e.created_at < now() - make_interval(days => p_days)
    order by e.created_at limit p_limit for update skip locked
  ),
  gone as (
    delete from events e using old
    where e.tenant_id = old.tenant_id and e.session_id = old.session_id and e.id = old.id returning 1
  )
  select count(*)::integer from gone;
end;
revoke all on function forget_old_events from public;
grant execute on function forget_old_events to anchord_app;
