-- no-transaction
-- Sessions have branches. Every column is null or has a constant default, so that nothing is rewritten.
do $$
begin
  alter table sessions
    add column if not exists root_id uuid,
    add column if not exists branch text not null default 'main',
    add column if not exists current_id uuid,
    add column if not exists branch_count integer not null default 0,
    add column if not exists dropped_at timestamptz,
    add column if not exists depth integer not null default 0,
    add column if not exists base_id uuid,
    add column if not exists base_seq bigint not null default 0,
    add column if not exists jump_id uuid,
    add column if not exists jump_seq bigint not null default 0,
    add column if not exists version_base_id uuid,
    add column if not exists base_version bigint not null default 0,
    add column if not exists base_anchor_seq bigint not null default 0,
    add column if not exists index_base_id uuid,
    add column if not exists base_indexed_seq bigint not null default 0,
    add column if not exists first_digest bytea;
  commit;
end $$;
