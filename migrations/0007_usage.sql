-- The usage ledger: what sessions, tasks and tenants used, by day.

create table usage_by_session (
  tenant_id uuid not null,
  session_id uuid not null,
  -- The session's task at the time of use; empty without one.
  task_id text not null default '',
  -- The day in UTC.
  day date not null,
  kind text not null constraint usage_by_session_kind_check
    check (kind in ('context', 'append', 'messages', 'tool_outputs', 'recall', 'reported', 'model')),
  -- What each column holds for each kind: domain::usage::Figures.
  calls bigint not null default 0,
  failures bigint not null default 0,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  tokens_cached bigint not null default 0,
  tokens_whole bigint not null default 0,
  time_us bigint not null default 0,
  cost_micros bigint not null default 0,
  -- The tokens of the newest of the calls: a report of the provider's is about the context last served.
  last_tokens bigint not null default 0,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (tenant_id, session_id, task_id, day, kind),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
) with (fillfactor = 70);
comment on table usage_by_session is 'What one session used for one task on one day; erased with the session. The primary key serves the upserts of the ledger and the context last served.';
create index usage_by_session_task_idx on usage_by_session (tenant_id, task_id) where task_id <> '';
comment on index usage_by_session_task_idx is 'The figures of a task, over all of its sessions.';

create table usage_by_day (
  tenant_id uuid not null references tenants (id) on delete cascade,
  day date not null,
  kind text not null constraint usage_by_day_kind_check
    check (kind in ('context', 'append', 'messages', 'tool_outputs', 'recall', 'reported', 'model')),
  calls bigint not null default 0,
  failures bigint not null default 0,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  tokens_cached bigint not null default 0,
  tokens_whole bigint not null default 0,
  time_us bigint not null default 0,
  cost_micros bigint not null default 0,
  primary key (tenant_id, day, kind)
) with (fillfactor = 70);
comment on table usage_by_day is 'What a tenant used on one day, sessions that are erased since included; it names none of them. The primary key serves the report and the upserts.';

create table tasks (
  tenant_id uuid not null references tenants (id) on delete cascade,
  task_id text not null,
  status text not null constraint tasks_status_check check (status in ('active', 'completed', 'failed', 'abandoned')),
  ended_at timestamptz,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, task_id),
  constraint tasks_ended_check check ((ended_at is null) = (status = 'active'))
);
comment on table tasks is 'How tasks ended, as callers say; a task without a row is active. Erased with its last session.';
create index tasks_ended_idx on tasks (tenant_id, ended_at) where ended_at is not null;
comment on index tasks_ended_idx is 'Tasks that ended within a time, for the report.';

-- However a session goes: asked for, after its retention, with its tenant. The rows that it used go before it
-- is looked for, because the triggers of foreign keys come first by name.
create function forget_task() returns trigger language plpgsql set search_path = public, pg_temp
as $$
begin
  delete from tasks t
  where t.tenant_id = old.tenant_id and t.task_id = old.task_id
    and not exists (select from sessions s where s.tenant_id = old.tenant_id and s.task_id = old.task_id)
    and not exists (select from usage_by_session u
                    where u.tenant_id = old.tenant_id and u.task_id = old.task_id and u.task_id <> '');
  return null;
end;
$$;
create trigger sessions_forget_task after delete on sessions
  for each row when (old.task_id is not null) execute function forget_task();
create trigger usage_forget_task after delete on usage_by_session
  for each row when (old.task_id <> '') execute function forget_task();

alter table llm_attempts add column cached_tokens bigint not null default 0;
comment on column llm_attempts.cached_tokens is 'Those of the tokens in that the server read from its cache.';

alter table usage_by_session enable row level security;
create policy tenant on usage_by_session using (tenant_id = (select current_tenant()));
alter table usage_by_day enable row level security;
create policy tenant on usage_by_day using (tenant_id = (select current_tenant()));
alter table tasks enable row level security;
create policy tenant on tasks using (tenant_id = (select current_tenant()));
grant select, insert, update, delete on usage_by_session, usage_by_day, tasks to anchord_app;
