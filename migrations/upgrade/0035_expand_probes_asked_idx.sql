-- no-transaction
create index concurrently if not exists probes_asked_idx on probes (tenant_id, session_id, id)
  where retired_in_version is null and (source = 'caller' or is_critical);
