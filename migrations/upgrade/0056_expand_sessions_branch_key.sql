-- no-transaction
create unique index concurrently if not exists sessions_branch_key on sessions (root_id, tenant_id, branch) where root_id is not null and dropped_at is null;
