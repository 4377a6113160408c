-- no-transaction
create index concurrently if not exists sessions_main_idx on sessions (tenant_id, id) where root_id is null;
