-- What a compression writes at its beginning and at its end, and an indexing at its end, is one statement each that is
-- its own transaction. They run with the caller's rights: row-level security stays in force, under the tenant that each
-- sets for itself.

-- Rows that come many at a time are stored only by transactions that hold their session's row lock, so that a foreign
-- key finds out what is known already: a look and a lock for each row, a third of what these inserts cost. What the key
-- did when a session goes is done by a trigger, under the same lock.
alter table ledger_entries drop constraint ledger_entries_tenant_id_session_id_fkey;
alter table probes drop constraint probes_tenant_id_session_id_fkey;
alter table recall_postings drop constraint recall_postings_tenant_id_session_id_fkey;
alter table tool_outputs drop constraint tool_outputs_tenant_id_session_id_fkey;

create function erase_rows_of_session() returns trigger language plpgsql set search_path = public, pg_temp
  -- As everywhere: no plan that was made while a table was empty reads all of it.
  set enable_seqscan = off
as $$
begin
  delete from ledger_entries x where x.tenant_id = old.tenant_id and x.session_id = old.id;
  delete from probes x where x.tenant_id = old.tenant_id and x.session_id = old.id;
  delete from recall_postings x where x.tenant_id = old.tenant_id and x.session_id = old.id;
  delete from tool_outputs x where x.tenant_id = old.tenant_id and x.session_id = old.id;
  return null;
end;
$$;
create trigger sessions_erase_rows after delete on sessions for each row execute function erase_rows_of_session();
comment on column ledger_entries.session_id is 'sessions.id; whoever inserts holds that row''s lock, and the trigger sessions_erase_rows erases with it.';
comment on column probes.session_id is 'sessions.id; whoever inserts holds that row''s lock, and the trigger sessions_erase_rows erases with it.';
comment on column recall_postings.session_id is 'sessions.id; whoever inserts holds that row''s lock, and the trigger sessions_erase_rows erases with it.';
comment on column tool_outputs.session_id is 'sessions.id; whoever inserts holds that row''s lock, and the trigger sessions_erase_rows erases with it.';

-- Writes events in their order, and a message for every webhook that wants one, and rings for both at the commit. The
-- session's lock is held and the tenant is set. p_messages are the ids of the messages, event by event.
create function write_events(p_tenant uuid, p_session uuid, p_kinds text[], p_payloads text[], p_messages uuid[],
                             p_event_channel text, p_delivery_channel text)
  returns void language plpgsql volatile set search_path = public, pg_temp
  -- Planning it anew costs more than running it. Every look goes into an index, whatever the planner thinks of tables
  -- that were empty when the plan was made.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_rung bigint;
begin
  -- Whoever disables or erases a webhook holds up no event: while its row is locked away it is passed over, and it is
  -- locked so only when it has been disabled before.
  with made as (
    insert into events (tenant_id, session_id, kind, payload)
    select p_tenant, p_session, p_kinds[e.place], p_payloads[e.place]::json
    from generate_subscripts(p_kinds, 1) as e(place) order by e.place
    returning id, kind, payload
  ),
  told as (
    insert into webhook_deliveries (tenant_id, webhook_id, id, session_id, event_id, event, payload)
    select p_tenant, webhook.id, p_messages[m.place], p_session, m.id, m.kind, m.payload
    from (select x.id, x.kind, x.payload, row_number() over (order by x.id) as place from made x) m
    cross join lateral (
      select k.id from webhooks k
      where k.tenant_id = p_tenant and k.disabled_reason is null and (k.events is null or m.kind = any(k.events))
      for key share skip locked
    ) webhook
    returning 1
  )
  select count(pg_notify(p_event_channel, p_session::text))
         + (select count(pg_notify(p_delivery_channel, '')) from (select from told limit 1) one)
  into v_rung from (select from made limit 1) m;
end;
$$;

-- Fixes the span of a running job under the fence of its attempt, and tells of the beginning once; false when the lease
-- is lost. Null, and nothing has changed, when somebody holds the session's lock and the caller does not wait for it.
create function fix_span(p_tenant uuid, p_session uuid, p_job uuid, p_attempt integer, p_waits boolean,
                         p_parent bigint, p_from bigint, p_through bigint,
                         p_event text, p_payload text, p_message uuid, p_event_channel text, p_delivery_channel text)
  returns boolean language plpgsql volatile set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_is_first boolean;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  -- Sessions are locked before queue rows; events are written under the session's lock.
  if p_waits then
    perform from sessions s where s.tenant_id = p_tenant and s.id = p_session for update;
  else
    perform from sessions s where s.tenant_id = p_tenant and s.id = p_session for update skip locked;
    if not found then
      return null;
    end if;
  end if;
  update compressions c set parent_version = p_parent, from_seq = p_from, through_seq = p_through
  from compressions before
  where c.tenant_id = p_tenant and c.id = p_job and c.attempt = p_attempt and c.status = 'running'
    and before.tenant_id = p_tenant and before.id = p_job
  returning before.from_seq is null into v_is_first;
  if not found then
    return false;
  end if;
  if v_is_first then
    perform write_events(p_tenant, p_session, array[p_event], array[p_payload], array[p_message], p_event_channel,
                         p_delivery_channel);
  end if;
  return true;
end;
$$;

-- Ends a compression: the job, its version with ledger, verdict and probes, the session, the events, and the jobs that
-- follow. Gives what came of it:
--   'ended'    all of it is written;
--   'indexing' all of it is written, and the indexing that follows is claimed for the worker whose job this was;
--   'lost'     the fence is broken (status, attempt): nothing has changed. When that comes to light late it is an error
--              (AN001) instead;
--   'changed'  the session's row or its tenant's is not the one that the end was decided on (xmin), or somebody holds
--              the session's lock: nothing has changed. Only when a proof is given; without one the caller holds the
--              session's lock.
create function end_compression(
  p_tenant uuid, p_session uuid, p_job uuid,
  -- The fence; no attempt for one that is prepared.
  p_from_status text, p_attempt integer,
  p_proof integer, p_tenant_proof integer,
  p_status text, p_report text,
  -- The version that is published; without its number nothing of it is read.
  p_version bigint, p_parent bigint, p_from bigint, p_through bigint, p_meta text, p_document text, p_carry text,
  p_rendering text, p_rendering_tokens integer, p_least text, p_least_tokens integer, p_recap text,
  p_kinds text[], p_seqs bigint[], p_ordinals integer[], p_values text[],
  -- The caller's todo list, if it is still at this revision; null when it stays.
  p_todo_revision bigint, p_todos text, p_todo_changes text,
  -- The verdict, also on what was refused; null when there is none. Its probes belong to the version.
  p_evaluation uuid, p_scores text, p_results text, p_probe_ids uuid[], p_probes text[], p_retired uuid[],
  -- What the session becomes; null when it stays.
  p_accounting text, p_recent text,
  p_events text[], p_payloads text[], p_messages uuid[], p_event_channel text, p_delivery_channel text,
  -- The next compression, and an indexing for a version when there is something to index; for how long the worker
  -- claims that at once, null when it waits as any other; the trace that asked.
  p_next uuid, p_next_trigger text, p_next_request text, p_index uuid, p_index_lease_seconds double precision,
  p_trace text, p_queue_channel text
) returns text language plpgsql volatile set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_worker bigint;
  v_is_unindexed boolean := false;
  v_is_new boolean := false;
  v_is_taken boolean := false;
  v_gone uuid;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  if p_proof is not null then
    perform from sessions s
    where s.tenant_id = p_tenant and s.id = p_session and s.xmin = p_proof
      and (select t.xmin = p_tenant_proof from tenants t where t.id = p_tenant)
    for update skip locked;
    if not found then
      return 'changed';
    end if;
  end if;
  perform from compressions c
  where c.tenant_id = p_tenant and c.id = p_job and c.status = p_from_status
    and (p_attempt is null or c.attempt = p_attempt);
  if not found then
    return 'lost';
  end if;
  if p_version is not null then
    insert into summaries (tenant_id, session_id, version, parent_version, compression_id, from_seq, through_seq, meta,
                           document, carry, rendering, rendering_tokens, least_rendering, least_tokens, recap)
    values (p_tenant, p_session, p_version, p_parent, p_job, p_from, p_through, p_meta::json, p_document::json,
            p_carry::json, p_rendering, p_rendering_tokens, p_least, p_least_tokens, p_recap);
    if cardinality(p_kinds) > 0 then
      -- After a rollback the same span is read again and gives the same entries.
      insert into ledger_entries (tenant_id, session_id, kind, first_seq, ordinal, value)
      select p_tenant, p_session, e.kind, e.seq, e.ordinal, e.value::json
      from unnest(p_kinds, p_seqs, p_ordinals, p_values) as e(kind, seq, ordinal, value)
      on conflict do nothing;
    end if;
    if cardinality(p_probe_ids) > 0 then
      insert into probes (tenant_id, session_id, id, source, version, probe)
      select p_tenant, p_session, p.id, 'generated', p_version, p.probe::json
      from unnest(p_probe_ids, p_probes) as p(id, probe);
    end if;
    if cardinality(p_retired) > 0 then
      -- One look into the primary key per probe: as a plain list, the planner reads all probes of the session.
      update probes p set retired_in_version = p_version
      from unnest(p_retired) as gone(id)
      cross join lateral (
        select x.ctid as place from probes x
        where x.tenant_id = p_tenant and x.session_id = p_session and x.id = gone.id limit 1
      ) at
      where p.tenant_id = p_tenant and p.ctid = at.place and p.retired_in_version is null;
    end if;
    if p_todo_revision is not null then
      update todo_lists l
      set revision = l.revision + 1, items = p_todos::json, changes = p_todo_changes::json, version = p_version,
          updated_at = now()
      where l.tenant_id = p_tenant and l.session_id = p_session and l.revision = p_todo_revision;
    end if;
    -- What was prepared is stale, or it is what is published.
    delete from prepared_versions x where x.tenant_id = p_tenant and x.session_id = p_session
    returning x.compression_id into v_gone;
    if v_gone is not null then
      update compressions c set status = 'superseded', finished_at = now()
      where c.tenant_id = p_tenant and c.id = v_gone and c.id <> p_job and c.status = 'prepared';
    end if;
  end if;
  if p_evaluation is not null then
    insert into evaluations (tenant_id, session_id, id, version, compression_id, scores, results)
    values (p_tenant, p_session, p_evaluation, p_version, p_job, p_scores::json, p_results::json);
  end if;
  if p_accounting is not null then
    update sessions s
    set accounting = p_accounting::json, recent = coalesce(p_recent, s.recent), updated_at = now(),
        version = coalesce(p_version, s.version), last_version = coalesce(p_version, s.last_version),
        anchor_seq = case when p_version is null then s.anchor_seq else p_through end,
        compression_count = s.compression_count + case when p_version is null then 0 else 1 end
    where s.tenant_id = p_tenant and s.id = p_session
    returning s.indexed_seq < s.head_seq into strict v_is_unindexed;
  end if;
  -- The job comes last: while this waits for anything above, its row is free for whoever takes over from a dead worker.
  update compressions c
  set status = p_status, version = p_version, report = p_report::json, finished_at = now(), lease_until = null
  where c.tenant_id = p_tenant and c.id = p_job and c.status = p_from_status
    and (p_attempt is null or c.attempt = p_attempt)
  returning c.worker into v_worker;
  if not found then
    -- Somebody has, since it was looked at; all of this is undone.
    raise exception 'the job is no longer what it was' using errcode = 'AN001';
  end if;
  if cardinality(p_events) > 0 then
    perform write_events(p_tenant, p_session, p_events, p_payloads, p_messages, p_event_channel, p_delivery_channel);
  end if;
  -- A live one of the kind will see all that there is, or was asked for by somebody else.
  if p_index is not null and v_is_unindexed then
    if v_worker is not null and p_index_lease_seconds is not null then
      insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, trace_context, attempt, worker,
                                lease_until, started_at)
      values (p_tenant, p_index, p_session, 'index', 'running', 'recall', '{}', p_trace, 1, v_worker,
              now() + make_interval(secs => p_index_lease_seconds), now())
      on conflict (tenant_id, session_id, kind)
        where status in ('queued', 'running') and not shadow and kind in ('compress', 'index') do nothing;
      v_is_taken := found;
    else
      insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, trace_context)
      values (p_tenant, p_index, p_session, 'index', 'queued', 'recall', '{}', p_trace)
      on conflict (tenant_id, session_id, kind)
        where status in ('queued', 'running') and not shadow and kind in ('compress', 'index') do nothing;
      v_is_new := found;
    end if;
  end if;
  if p_next is not null then
    insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, trace_context)
    values (p_tenant, p_next, p_session, 'compress', 'queued', p_next_trigger, p_next_request::json, p_trace)
    on conflict (tenant_id, session_id, kind)
      where status in ('queued', 'running') and not shadow and kind in ('compress', 'index') do nothing;
    v_is_new := v_is_new or found;
  end if;
  -- A notification costs every commit that carries one.
  if v_is_new then
    perform pg_notify(p_queue_channel, '');
  end if;
  return case when v_is_taken then 'indexing' else 'ended' end;
end;
$$;

-- Adds postings to a session's index if it still reaches through p_after, and ends the job that made them when nothing
-- is left to index then. Gives what came of it: 'behind' when somebody was first or the session is gone, 'indexed', or
-- 'ended'; null, and nothing has changed, when somebody holds the session's lock and the caller does not wait for it.
create function index_postings(p_tenant uuid, p_session uuid, p_after bigint, p_through bigint, p_waits boolean,
                               p_chunk bigint, p_buckets smallint[], p_segments bytea[],
                               p_job uuid, p_attempt integer, p_report text)
  returns text language plpgsql volatile set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_is_all boolean;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  -- Nobody is told of it, and what a crash undoes is done again: with the postings it undoes the end of their job.
  perform set_config('synchronous_commit', 'off', true);
  if not p_waits then
    perform from sessions s where s.tenant_id = p_tenant and s.id = p_session for update skip locked;
    if not found then
      return null;
    end if;
  end if;
  -- The session first, as everywhere; it is the fence too.
  update sessions s set indexed_seq = p_through
  where s.tenant_id = p_tenant and s.id = p_session and s.indexed_seq = p_after and s.head_seq >= p_through
  returning s.head_seq = p_through into v_is_all;
  if not found then
    return 'behind';
  end if;
  -- What a bucket holds already is not read: the new segment is appended to it.
  insert into recall_postings as old (tenant_id, session_id, bucket, chunk, segments)
  select p_tenant, p_session, new.bucket, p_chunk, new.segments
  from unnest(p_buckets, p_segments) as new(bucket, segments)
  on conflict (tenant_id, session_id, bucket, chunk) do update set segments = old.segments || excluded.segments;
  if v_is_all and p_job is not null then
    update compressions c
    set status = 'succeeded', report = p_report::json, finished_at = now(), lease_until = null
    where c.tenant_id = p_tenant and c.id = p_job and c.attempt = p_attempt and c.status = 'running';
    return case when found then 'ended' else 'indexed' end;
  end if;
  return 'indexed';
end;
$$;
