-- no-transaction
-- Erasing hides at once and deletes in steps. The columns are null, so that nothing is rewritten; each table is locked for a
-- moment and by itself. The index is one of tenants, which are few.
do $$
begin
  alter table tenants add column if not exists erased_at timestamptz;
  create index if not exists tenants_erased_idx on tenants (erased_at) where erased_at is not null;
  alter policy tenant on tenants using (id = current_tenant() and erased_at is null);
  commit;
  alter table sessions add column if not exists erased_at timestamptz;
  alter policy tenant on sessions using (tenant_id = current_tenant() and erased_at is null);
  commit;
  if to_regclass('public.erasures') is null then
    create table erasures (
      tenant_id uuid not null,
      session_id uuid not null,
      due_at timestamptz not null default now(),
      through_seq bigint not null default 0,
      primary key (tenant_id, session_id),
      foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
    );
    alter table erasures enable row level security;
    alter table erasures force row level security;
    create policy tenant on erasures using (tenant_id = current_tenant());
    create policy owner on erasures to current_user using (true);
    grant select on erasures to anchord_app;
    commit;
  end if;
end $$;
