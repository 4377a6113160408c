-- What the signals keep of a session's history is read and written by appends alone, so it stands beside
-- the running counts and not among them: every read of a context would carry it.
alter table sessions add column recent text;
comment on column sessions.recent is 'What the signals about history keep (domain::trigger::Recent), as JSON text; only appends and settlements read it.';
update sessions
set recent = accounting ->> 'recent', accounting = (accounting::jsonb - 'recent')::json
where accounting -> 'recent' is not null;

-- Versions that were made ahead of need. They are no versions yet: nothing builds on them and nothing
-- serves them until the append that reaches the compress level publishes one in its own transaction.
create table prepared_versions (
  tenant_id uuid not null,
  session_id uuid not null,
  compression_id uuid not null,
  -- What it holds for: the version that it builds on and the pins and settings that it was made under.
  parent_version bigint,
  context_revision bigint not null,
  through_seq bigint not null,
  -- Everything that publishing needs (store::prepared), as JSON text.
  candidate text not null,
  created_at timestamptz not null default now(),
  -- At most one per session.
  primary key (tenant_id, session_id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade,
  foreign key (tenant_id, compression_id) references compressions (tenant_id, id) on delete cascade
);
comment on table prepared_versions is 'Speculative results that wait to be published; stale ones are removed, never published.';

alter table prepared_versions enable row level security;
create policy tenant on prepared_versions using (tenant_id = (select current_tenant()));
grant select, insert, update, delete on prepared_versions to anchord_app;
-- Where the later migration that binds the owner of every table has run already, it missed this one.
do $$
begin
  if exists (select from pg_policies where schemaname = 'public' and tablename = 'sessions' and policyname = 'owner') then
    alter table prepared_versions force row level security;
    execute 'create policy owner on prepared_versions to current_user using (true)';
  end if;
end $$;
