-- Candidates of shadow runs. They are no versions: nothing builds on them and nothing serves them, so
-- they stand apart from the summaries and leave the numbers of those alone.
create table shadow_candidates (
  tenant_id uuid not null,
  compression_id uuid not null,
  session_id uuid not null,
  -- As in summaries: what is known about its making, its complete record, and the text that contexts would serve.
  meta json not null,
  document json not null,
  rendering text not null,
  rendering_tokens integer not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, compression_id),
  foreign key (tenant_id, compression_id) references compressions (tenant_id, id) on delete cascade,
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
comment on table shadow_candidates is 'What shadow runs made: stored and scored, never published.';
create index shadow_candidates_session_idx on shadow_candidates (tenant_id, session_id);
comment on index shadow_candidates_session_idx is 'Erasing a session.';

alter table shadow_candidates enable row level security;
create policy tenant on shadow_candidates using (tenant_id = (select current_tenant()));
grant select, insert, update, delete on shadow_candidates to anchord_app;
