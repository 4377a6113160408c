-- no-transaction
-- Sessions have a user, metadata by which lists filter, and vectors for recall. The column is null, so that nothing is
-- rewritten. Metadata that is there already is written down, some hundred sessions at a time.
do $$
declare
  v_after record;
begin
  alter table sessions add column if not exists user_id text;
  commit;
  if to_regclass('public.session_metadata') is null then
    create table session_metadata (
      tenant_id uuid not null,
      name text not null,
      value text not null,
      session_id uuid not null,
      primary key (tenant_id, name, value, session_id),
      foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
    );
    create index session_metadata_session_idx on session_metadata (tenant_id, session_id);
    alter table session_metadata enable row level security;
    alter table session_metadata force row level security;
    create policy tenant on session_metadata using (tenant_id = current_tenant());
    create policy owner on session_metadata to current_user using (true);
    grant select, insert, update, delete on session_metadata to anchord_app;
  end if;
  commit;
  if to_regclass('public.recall_embeddings') is null then
    create table recall_embeddings (
      tenant_id uuid not null,
      session_id uuid not null,
      model text not null default '',
      dimensions integer not null default 0,
      through_seq bigint not null default 0,
      due_at timestamptz default now(),
      leased_until timestamptz,
      attempt integer not null default 0,
      failures integer not null default 0,
      primary key (tenant_id, session_id),
      foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
    ) with (fillfactor = 70);
    create index recall_embeddings_due_idx on recall_embeddings (tenant_id, due_at) where due_at is not null;
    create index recall_embeddings_leased_idx on recall_embeddings (leased_until) where leased_until is not null;
    alter table recall_embeddings enable row level security;
    alter table recall_embeddings force row level security;
    create policy tenant on recall_embeddings using (tenant_id = current_tenant());
    create policy owner on recall_embeddings to current_user using (true);
    grant select, insert, update, delete on recall_embeddings to anchord_app;
  end if;
  commit;
  if to_regclass('public.recall_vectors') is null then
    create table recall_vectors (
      tenant_id uuid not null,
      session_id uuid not null,
      block bigint not null,
      model text not null,
      dimensions integer not null,
      vectors bytea not null,
      primary key (tenant_id, session_id, block)
    );
    alter table recall_vectors alter column vectors set storage external;
    alter table recall_vectors enable row level security;
    alter table recall_vectors force row level security;
    create policy tenant on recall_vectors using (tenant_id = current_tenant());
    create policy owner on recall_vectors to current_user using (true);
    grant select, insert, update, delete on recall_vectors to anchord_app;
  end if;
  commit;
  select '00000000-0000-0000-0000-000000000000'::uuid as tenant_id, '00000000-0000-0000-0000-000000000000'::uuid as id
  into v_after;
  loop
    with page as materialized (
      select s.tenant_id, s.id, s.settings from sessions s
      where (s.tenant_id, s.id) > (v_after.tenant_id, v_after.id) and s.erased_at is null
      order by s.tenant_id, s.id limit 500
    ),
    written as (
      insert into session_metadata (tenant_id, name, value, session_id)
      select p.tenant_id, f.key, f.value #>> '{}', p.id
      from page p
      cross join lateral json_each(case when json_typeof(p.settings -> 'metadata') = 'object'
                                        then p.settings -> 'metadata' else '{}' end) as f
      where json_typeof(f.value) in ('string', 'number', 'boolean')
        and char_length(f.key) between 1 and 100 and char_length(f.value #>> '{}') between 1 and 200
      on conflict do nothing
    )
    select p.tenant_id, p.id into v_after
    from page p order by p.tenant_id desc, p.id desc limit 1;
    exit when not found;
    commit;
  end loop;
end $$;
