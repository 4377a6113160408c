-- no-transaction
create index concurrently if not exists sessions_root_idx on sessions (root_id, tenant_id, id) where root_id is not null;
