-- no-transaction
create index concurrently if not exists sessions_base_idx on sessions (base_id, tenant_id, base_seq) where base_id is not null;
