-- no-transaction
create index concurrently if not exists summaries_unjudged on summaries (tenant_id, session_id, version)
  where hindsight is null and head_seq is not null;
