-- no-transaction
-- What migrations 0026, 0028 and 0031 added to tables, where they have not run. Adding a column that is null or has a
-- constant default rewrites nothing; each table is locked for a moment and by itself.
do $$
declare
  v_landed bigint := (select max(version) from _sqlx_migrations where version <= 32);
begin
  if v_landed < 26 then
    alter table compressions add column if not exists doubted_at timestamptz;
    commit;
  end if;
  if v_landed < 28 then
    -- What was made ahead of need is kept as it would be published, so it is made anew.
    update compressions set status = 'superseded', finished_at = now() where status = 'prepared';
    delete from prepared_versions;
    commit;
    alter table summaries
      add column if not exists digest text, add column if not exists digest_tokens integer,
      add column if not exists head_seq bigint, add column if not exists mask_upto bigint,
      add column if not exists carried_seq bigint, add column if not exists hindsight json;
    commit;
    begin
      alter table summaries alter column digest set compression lz4;
    exception when feature_not_supported then raise notice 'this server has no lz4; digests use its default compression';
    end;
    commit;
  end if;
  if v_landed < 31 then
    alter table sessions add column if not exists revision bigint not null default 1;
    commit;
    alter table tenants add column if not exists revision bigint not null default 1;
  end if;
end $$;
