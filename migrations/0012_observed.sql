-- What those who run the service want to see of the queue, and the trace that a job belongs to.

alter table compressions
  -- W3C traceparent of what asked for it, so that the worker's spans continue its trace.
  add column trace_context text constraint compressions_trace_context_check check (length(trace_context) = 55);

-- The live jobs by kind and status over all tenants, for metrics; and for how long the oldest that is due has
-- been due. queue_depth stays for processes of the version before.
create function queue_state() returns table (kind text, status text, jobs bigint, oldest_due_seconds double precision)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select c.kind, c.status, count(*),
         extract(epoch from now() - min(c.due_at) filter (where c.status = 'queued' and c.due_at <= now()))::double precision
  from compressions c where c.status in ('queued', 'running') group by c.kind, c.status;
end;

revoke all on function queue_state from public;
grant execute on function queue_state to anchord_app;
