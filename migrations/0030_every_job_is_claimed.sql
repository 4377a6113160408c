-- A job that has nothing to do is claimed and ends as any other: one way from the queue to its end.
drop function take_jobs(bigint, double precision, integer, integer, integer, integer);
drop function look_at_sessions(uuid[], uuid[], integer);
drop function end_idle_jobs(timestamptz, uuid[], uuid[], integer[], text[], text[], uuid[], integer[], integer[], text[],
                            text[], text[], uuid[], text, text);
-- Planning it anew costs more than running it, and every look goes into an index, whatever the planner thinks of tables
-- that were empty when the plan was made.
alter function claim_compressions(bigint, double precision, integer, integer) set plan_cache_mode = force_generic_plan;
alter function claim_compressions(bigint, double precision, integer, integer) set enable_hashjoin = off;
alter function claim_compressions(bigint, double precision, integer, integer) set enable_mergejoin = off;
