-- What the plans of statements showed: references without an index, and statements of functions that the planner
-- reads whole tables for as long as it has no statistics, or because it cannot know how few rows they are after.

create index idempotency_keys_session_idx on idempotency_keys (tenant_id, session_id) where session_id is not null;
comment on index idempotency_keys_session_idx is 'Erasing a session with the replies that are kept for it.';
create index prepared_versions_compression_idx on prepared_versions (tenant_id, compression_id);
comment on index prepared_versions_compression_idx is 'Erasing a session with its compressions; ending the compression whose version was published.';

-- Two looks into the partial indexes of what is live, and none at what has ended.
create or replace function queue_state()
  returns table (kind text, status text, jobs bigint, oldest_due_seconds double precision)
  language sql stable security definer set search_path = public, pg_temp set enable_seqscan = off
begin atomic
  select live.kind, live.status, count(*),
         extract(epoch from now() - min(live.due_at) filter (where live.status = 'queued' and live.due_at <= now()))::double precision
  from (
    select c.kind, c.status, c.due_at from compressions c where c.status = 'queued'
    union all
    select c.kind, c.status, c.due_at from compressions c where c.status = 'running'
  ) live
  group by live.kind, live.status;
end;

-- They look for a few rows of large tables, and an index leads to them.
alter function touch_keys(uuid[], uuid[]) set enable_seqscan = off;
alter function forget_old_events(integer, integer) set enable_seqscan = off;
alter function forget_old_deliveries(integer, integer) set enable_seqscan = off;
alter function erase_single_calls(integer) set enable_seqscan = off;
alter function oldest_due_delivery() set enable_seqscan = off;
alter function claim_deliveries(double precision, integer, integer, integer) set enable_seqscan = off;

-- Few of many webhooks are either, and the upkeep looks for them again and again.
create index webhooks_previous_secret_idx on webhooks (previous_secret_until) where previous_secret_until is not null;
comment on index webhooks_previous_secret_idx is 'Upkeep: old secrets that sign no more.';
create index webhooks_disabled_idx on webhooks (tenant_id, id) where disabled_reason is not null;
comment on index webhooks_disabled_idx is 'Upkeep: what is pending for webhooks that are disabled.';
alter function cancel_stranded_deliveries(integer) set enable_seqscan = off;

-- Of the probes of a long session most are asked no more; the condition is that of the query, word for word.
create index probes_asked_idx on probes (tenant_id, session_id, id)
  where retired_in_version is null and (source = 'caller' or probe::text like '%"critical":true%');
comment on index probes_asked_idx is 'Compressing: the probes that the next version is asked.';
create index probes_callers_idx on probes (tenant_id, session_id, created_at) where source = 'caller';
comment on index probes_callers_idx is 'The probes of the caller: how many there are, and whether any came after a version was prepared.';
