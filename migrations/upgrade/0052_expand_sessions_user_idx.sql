-- no-transaction
create index concurrently if not exists sessions_user_idx on sessions (tenant_id, user_id, id) where user_id is not null;
