-- What agents note for themselves. A table of its own: earlier programs read and write none of it.
do $$
begin
  if to_regclass('public.notes') is null then
    create table notes (
      tenant_id uuid not null,
      session_id uuid not null,
      id bigint not null,
      seq bigint not null,
      body text,
      created_at timestamptz not null default now(),
      primary key (tenant_id, session_id, id, seq),
      foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
    );
    alter table notes enable row level security;
    alter table notes force row level security;
    create policy tenant on notes using (tenant_id = current_tenant());
    create policy owner on notes to current_user using (true);
    grant select, insert, update, delete on notes to anchord_app;
  end if;
end $$;
