-- no-transaction
create index concurrently if not exists events_switched_idx on events (tenant_id, session_id, id) where kind = 'session.branch_switched';
