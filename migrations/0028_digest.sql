-- Beside the record stands a digest: the words of what it covers. Its lines are parts of the record; the text as it is
-- served is stored with the version, so that a read makes nothing.

alter table summaries add column digest text, add column digest_tokens integer;
comment on column summaries.digest is 'The text of the message that serves the digest; null when there is none.';
comment on column summaries.digest_tokens is 'That message''s tokens; null when there is none.';

-- The newest message when a version was published: what came while it was served begins after that. And what a look
-- back from the next version found.
alter table summaries add column head_seq bigint, add column mask_upto bigint, add column carried_seq bigint,
  add column hindsight json;
comment on column summaries.head_seq is 'The newest message when it was published; null for versions from before this column.';
comment on column summaries.mask_upto is 'Through which message outputs were placeholders then; null where it is not known.';
comment on column summaries.carried_seq is 'The user message that it covers and that was served beside it; null when there was none.';
comment on column summaries.hindsight is 'How it stood the look back from the next version; null until then.';
create index summaries_unjudged on summaries (tenant_id, session_id, version)
  where hindsight is null and head_seq is not null;
comment on index summaries_unjudged is 'Versions that nobody looked back on yet.';

do $$
begin
  alter table summaries alter column digest set compression lz4;
exception when feature_not_supported then raise notice 'this server has no lz4; digests use its default compression';
end $$;

-- What was made ahead of need is kept as it would be published, so it is made anew.
update compressions set status = 'superseded', finished_at = now() where status = 'prepared';
delete from prepared_versions;

drop function end_compression;
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
  p_version bigint, p_parent bigint, p_from bigint, p_through bigint, p_meta text,
  -- Its record: what stands in no list, the parts of the lists, and those of them that are new.
  p_document text, p_parts bigint[], p_part_ids bigint[], p_entries text[],
  p_carry text, p_rendering text, p_rendering_tokens integer, p_least text, p_least_tokens integer, p_recap text,
  -- The digest and its tokens; null when there is none.
  p_digest text, p_digest_tokens integer,
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
                           document, parts, carry, rendering, rendering_tokens, least_rendering, least_tokens, recap, digest,
                           digest_tokens, head_seq, mask_upto, carried_seq)
    values (p_tenant, p_session, p_version, p_parent, p_job, p_from, p_through, p_meta::json, p_document::json, p_parts,
            p_carry::json, p_rendering, p_rendering_tokens, p_least, p_least_tokens, p_recap, p_digest,
            p_digest_tokens,
            (select s.head_seq from sessions s where s.tenant_id = p_tenant and s.id = p_session),
            (p_accounting::json ->> 'mask_upto')::bigint, (p_accounting::json -> 'carried' ->> 'seq')::bigint);
    if cardinality(p_part_ids) > 0 then
      insert into record_parts (tenant_id, session_id, id, entries)
      select p_tenant, p_session, p.id, p.entries from unnest(p_part_ids, p_entries) as p(id, entries);
    end if;
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
