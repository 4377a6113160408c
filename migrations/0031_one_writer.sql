-- A message is stored whole, whatever the session has already: of real sessions' bytes fewer than two in a thousand
-- are tool outputs that came before, and every read of a message had to look for its parts.
update messages m set body = original(m), rest = null, shared = null where m.body is null;

-- One way to change a session: read it, decide, and write what was decided if the session still is as it was read.
-- What tells is its revision, which grows with every write to its row.
alter table sessions add column revision bigint not null default 1;
comment on column sessions.revision is 'Grows with every write: whoever decided on another one decides again.';
alter table tenants add column revision bigint not null default 1;
comment on column tenants.revision is 'Grows with every change of the settings, which sessions are decided on.';

drop function append_gathered(uuid[], uuid[], integer[], integer[], uuid[], text[], bigint[], text[], text[], integer[],
                              integer[], bigint[], text[], text[], integer[], integer[], text[], text[], text[], text[],
                              text[], text[], integer[], text[], bigint[], integer[], integer[], integer[], integer[],
                              text[], text[], bytea[], text[]);

drop function tail_within(uuid, uuid, bigint, bigint, bigint);
drop function original_bytes(messages);
drop function original(messages);
drop function shared_bytes(text);
drop function whole_body(uuid, uuid, text, text);
alter table messages drop constraint messages_body_check, drop column rest, drop column shared,
  alter column body set not null;
comment on column messages.body is 'The JSON text as sent.';
alter table tool_outputs drop column start, drop column bytes;

-- Where the newest messages of a session begin that a context of p_budget tokens can hold, each counted with its outputs as
-- placeholders and with an eighth of the budget at most; the bodies that are read are bounded too, because a placeholder
-- may stand for megabytes: by 16 MiB, or 8 bytes a token where that is more.
create function tail_within(p_tenant uuid, p_session uuid, p_floor bigint, p_head bigint, p_budget bigint)
  returns bigint language plpgsql stable set search_path = public, pg_temp
as $$
declare
  v_from bigint := p_head + 1;
  v_left bigint := p_budget;
  v_bytes bigint := greatest(16777216, p_budget * 8);
  v_page record;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  while v_left > 0 and v_bytes > 0 and v_from > p_floor + 1 loop
    select min(w.seq) as seq, sum(w.cost) as cost, sum(w.bytes) as bytes into v_page
    from (
      select p.seq, p.cost, p.bytes, sum(p.cost) over newest - p.cost as before, sum(p.bytes) over newest - p.bytes as bytes_before
      from (
        select m.seq, greatest(least(coalesce(m.least_tokens, m.tokens), p_budget / 8), 1)::bigint as cost,
               octet_length(m.body)::bigint as bytes
        from messages m
        where m.tenant_id = p_tenant and m.session_id = p_session and m.seq > p_floor and m.seq < v_from
        order by m.seq desc limit 500
      ) p
      window newest as (order by p.seq desc)
    ) w
    where w.before < v_left and w.bytes_before < v_bytes;
    -- Nothing there: the session was erased.
    exit when v_page.seq is null;
    v_from := v_page.seq;
    v_left := v_left - v_page.cost;
    v_bytes := v_bytes - v_page.bytes;
  end loop;
  return v_from;
end;
$$;

-- Sessions with what they are decided on, each by its name or its id and in its place, from 1; of one that does not
-- exist its tenant's part alone. It crosses tenants, so every row is named with its tenant. Nothing is locked.
create function load_sessions(p_tenants uuid[], p_names text[], p_ids uuid[])
  returns table (place integer, id uuid, name text, settings text, defaults text, head_seq bigint, anchor_seq bigint,
                 indexed_seq bigint, version bigint, last_version bigint, compression_count integer,
                 context_revision bigint, accounting text, recent text, created_at timestamptz, updated_at timestamptz,
                 live_id uuid, live_status text, is_live_ahead boolean, revision bigint, tenant_revision bigint)
  language plpgsql stable security definer set search_path = public, pg_temp
  -- Every look goes into a key, whatever the planner thinks of tables that were empty when the plan was made.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  return query
  select w.place::integer, s.id, s.name, s.settings::text, t.settings::text, s.head_seq, s.anchor_seq, s.indexed_seq, s.version,
         s.last_version, s.compression_count, s.context_revision, s.accounting::text, s.recent, s.created_at,
         s.updated_at, live.id, live.status, live.is_ahead, s.revision, t.revision
  from unnest(p_tenants, p_names, p_ids) with ordinality as w(tenant_id, name, id, place)
  cross join lateral (select x.settings, x.revision from tenants x where x.id = w.tenant_id limit 1) t
  left join lateral (
    select x.* from sessions x
    where x.tenant_id = w.tenant_id
      and x.id = coalesce(w.id, (select y.id from sessions y where y.tenant_id = w.tenant_id and y.name = w.name limit 1))
    limit 1
  ) s on true
  left join lateral (
    select c.id, c.status, coalesce((c.request ->> 'ahead')::boolean, false) as is_ahead from compressions c
    where c.tenant_id = w.tenant_id and c.session_id = s.id and c.kind = 'compress'
      and c.status in ('queued', 'running') and not c.shadow
    limit 1
  ) live on true;
end;
$$;
revoke all on function load_sessions from public;
grant execute on function load_sessions to anchord_app;

-- What is known of messages without their bodies, of several sessions from behind a position each.
create function load_outlines(p_tenants uuid[], p_sessions uuid[], p_after bigint[])
  returns table (place integer, seq bigint, role text, is_item boolean, tokens integer, shape text, keep text,
                 retrieved boolean, bytes integer)
  language plpgsql stable security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  return query
  select w.place::integer, m.seq, m.role, m.format = 'openai-responses', m.tokens, m.shape, m.keep,
         coalesce(m.component = 'retrieved_documents', false), octet_length(m.body)
  from unnest(p_tenants, p_sessions, p_after) with ordinality as w(tenant_id, session_id, after, place)
  cross join lateral (
    select x.* from messages x
    where x.tenant_id = w.tenant_id and x.session_id = w.session_id and x.seq > w.after order by x.seq
  ) m;
end;
$$;
revoke all on function load_outlines from public;
grant execute on function load_outlines to anchord_app;

-- Replies that are kept under these keys, each in its place, from 1.
create function load_replies(p_tenants uuid[], p_routes text[], p_keys text[])
  returns table (place integer, body_digest bytea, reply text)
  language plpgsql stable security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  return query
  select w.place::integer, i.body_digest, i.reply
  from unnest(p_tenants, p_routes, p_keys) with ordinality as w(tenant_id, route, key, place)
  cross join lateral (
    select x.body_digest, x.reply from idempotency_keys x
    where x.tenant_id = w.tenant_id and x.route = w.route and x.key = w.key
      and x.created_at > now() - interval '24 hours' limit 1
  ) i;
end;
$$;
revoke all on function load_replies from public;
grant execute on function load_replies to anchord_app;

-- What a commit writes. A place is that of the session among the changes, from 1.
create type session_change as (
  tenant_id uuid, id uuid, name text,
  -- What it was decided on; no revision for a session that is made.
  revision bigint, tenant_revision bigint,
  head_seq bigint, accounting text, recent text
);
create type new_message as (
  place integer, seq bigint, role text, format text, tokens integer, least_tokens integer, shape text, keep text,
  component text, body text
);
create type new_output as (place integer, reference text, seq bigint, ordinal integer);
create type new_reply as (place integer, route text, key text, body_digest bytea, reply text);
-- Without an id: the live compression that works ahead of need is needed now, as this request says.
create type new_job as (place integer, id uuid, kind text, trigger text, request text, trace text);
create type new_event as (place integer, kind text, payload text, message_id uuid);

-- Appends to those sessions that are still as they were read, and leaves every other one as it is; gives the places of
-- those that were appended to. It waits for nobody: a session that somebody has locked is one that changes. It
-- crosses tenants, so every row is named with its tenant.
create function commit_appends(p_changes session_change[], p_messages new_message[], p_outputs new_output[],
                               p_replies new_reply[], p_jobs new_job[], p_events new_event[],
                               p_queue_channel text, p_event_channel text, p_delivery_channel text)
  returns integer[]
  language plpgsql volatile security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  -- Sessions with a key that was used before: whoever adds one holds the session's lock and writes its row, so that
  -- what comes after this look breaks the revision.
  v_answered integer[] := '{}';
  -- Tenants that are being erased: what is made anew for them would wait for that.
  v_locked uuid[] := '{}';
  v_done integer[];
  v_job record;
  v_event record;
  v_is_new boolean := false;
begin
  if cardinality(p_replies) > 0 then
    select coalesce(array_agg(r.place), '{}') into v_answered from unnest(p_replies) as r
    where (select true from idempotency_keys x
           where x.tenant_id = (p_changes[r.place]).tenant_id and x.route = r.route and x.key = r.key
             and x.created_at > now() - interval '24 hours' limit 1);
  end if;
  with needed as materialized (
    select c.tenant_id from unnest(p_changes) as c where c.revision is null
    union
    select (p_changes[r.place]).tenant_id from unnest(p_replies) as r
  ),
  free as materialized (
    select n.tenant_id from needed n
    cross join lateral (select from tenants t where t.id = n.tenant_id limit 1 for key share skip locked) t
  )
  select coalesce(array_agg(n.tenant_id), '{}') into v_locked from needed n
  where n.tenant_id not in (select f.tenant_id from free f);
  with wanted as materialized (
    select c.tenant_id, c.id, c.name, c.revision, c.tenant_revision, c.head_seq, c.accounting, c.recent,
           c.place::integer as place
    from unnest(p_changes) with ordinality
      as c(tenant_id, id, name, revision, tenant_revision, head_seq, accounting, recent, place)
  ),
  held as materialized (
    select w.place from wanted w
    cross join lateral (
      select from sessions x where x.tenant_id = w.tenant_id and x.id = w.id and x.revision = w.revision
      limit 1 for no key update skip locked
    ) s
    where w.revision is not null and w.place <> all (v_answered) and w.tenant_id <> all (v_locked)
      and (select t.revision = w.tenant_revision from tenants t where t.id = w.tenant_id)
  ),
  updated as (
    update sessions s
    set head_seq = w.head_seq, accounting = w.accounting::json, recent = w.recent, revision = w.revision + 1,
        updated_at = now()
    from held h join wanted w on w.place = h.place
    where s.tenant_id = w.tenant_id and s.id = w.id
    returning w.place
  ),
  made as (
    insert into sessions (tenant_id, id, name, head_seq, accounting, recent)
    select w.tenant_id, w.id, w.name, w.head_seq, w.accounting::json, w.recent from wanted w
    where w.revision is null and w.place <> all (v_answered) and w.tenant_id <> all (v_locked)
      and (select t.revision = w.tenant_revision from tenants t where t.id = w.tenant_id)
    -- Whoever makes the same ones does so in the same order.
    order by w.tenant_id, w.name
    on conflict on constraint sessions_name_key do nothing
    returning id
  ),
  done as materialized (
    select u.place from updated u
    union all
    select w.place from made m join wanted w on w.id = m.id
  ),
  new_messages as (
    insert into messages (tenant_id, session_id, seq, role, format, tokens, least_tokens, shape, keep, component, body)
    select w.tenant_id, w.id, m.seq, m.role, m.format, m.tokens, m.least_tokens, m.shape, m.keep, m.component, m.body
    from unnest(p_messages) as m join done d on d.place = m.place join wanted w on w.place = m.place
  ),
  new_outputs as (
    -- The first message that holds an output is the one that a reference leads to.
    insert into tool_outputs (tenant_id, session_id, reference, seq, ordinal)
    select w.tenant_id, w.id, o.reference, o.seq, o.ordinal
    from unnest(p_outputs) as o join done d on d.place = o.place join wanted w on w.place = o.place
    on conflict do nothing
  ),
  new_replies as (
    insert into idempotency_keys (tenant_id, route, key, session_id, body_digest, status, reply)
    select w.tenant_id, r.route, r.key, w.id, r.body_digest, 201, r.reply
    from unnest(p_replies) as r join done d on d.place = r.place join wanted w on w.place = r.place
    -- Only a reply that is over and not yet removed is in the way.
    on conflict (tenant_id, route, key) do update
    set session_id = excluded.session_id, body_digest = excluded.body_digest, status = excluded.status,
        reply = excluded.reply, headers = excluded.headers, created_at = now()
  )
  select coalesce(array_agg(d.place), '{}') into v_done from done d;
  -- Few appends ask for anything of what follows.
  for v_job in
    select j.*, (p_changes[j.place]).tenant_id, (p_changes[j.place]).id as session_id
    from unnest(p_jobs) as j where j.place = any (v_done)
  loop
    if v_job.id is null then
      update compressions c set request = v_job.request::json
      where c.tenant_id = v_job.tenant_id and c.session_id = v_job.session_id and c.kind = 'compress'
        and c.status in ('queued', 'running') and not c.shadow and c.request ->> 'ahead' = 'true';
      -- It has ended without the session's knowing.
      continue when found;
    end if;
    insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, trace_context)
    values (v_job.tenant_id, coalesce(v_job.id, gen_random_uuid()), v_job.session_id, v_job.kind, 'queued', v_job.trigger,
            v_job.request::json, v_job.trace)
    on conflict (tenant_id, session_id, kind)
      where status in ('queued', 'running') and not shadow and kind in ('compress', 'index') do nothing;
    v_is_new := v_is_new or found;
  end loop;
  -- A notification costs every commit that carries one.
  if v_is_new then
    perform pg_notify(p_queue_channel, '');
  end if;
  for v_event in
    select e.*, (p_changes[e.place]).tenant_id, (p_changes[e.place]).id as session_id
    from unnest(p_events) as e where e.place = any (v_done)
  loop
    perform write_events(v_event.tenant_id, v_event.session_id, array[v_event.kind], array[v_event.payload],
                         array[v_event.message_id], p_event_channel, p_delivery_channel);
  end loop;
  return v_done;
end;
$$;
revoke all on function commit_appends from public;
grant execute on function commit_appends to anchord_app;

create type compression_end as (
  tenant_id uuid, session_id uuid, id uuid,
  -- The fence: as what the job must still be there; no attempt for one that is prepared.
  from_status text, attempt integer,
  status text, report text,
  -- What it was decided on, and what the session becomes; null when it stays as it is.
  revision bigint, tenant_revision bigint, accounting text, recent text
);
create type new_version as (
  version bigint, parent_version bigint, from_seq bigint, through_seq bigint, meta text, document text, parts bigint[],
  carry text, rendering text, rendering_tokens integer, least_rendering text, least_tokens integer, recap text,
  digest text, digest_tokens integer
);
create type new_part as (id bigint, entries text);
create type new_ledger_entry as (kind text, seq bigint, ordinal integer, value text);
create type new_todos as (revision bigint, items text, changes text);
create type new_verdict as (id uuid, scores text, results text, retired uuid[]);
create type new_probe as (id uuid, probe text);
create type new_prepared_version as (parent_version bigint, context_revision bigint, through_seq bigint, candidate text);

do $$
declare v_old record;
begin
  for v_old in select p.oid::regprocedure as name from pg_proc p
               where p.proname = 'end_compression' and p.pronamespace = 'public'::regnamespace
  loop
    execute format('drop function %s', v_old.name);
  end loop;
end $$;

-- Ends a compression: the job, its version with ledger, verdict and probes, the session, the events, and the jobs that
-- follow. Gives what came of it:
--   'ended'    all of it is written;
--   'indexing' all of it is written, and the indexing that follows is claimed for the worker whose job this was;
--   'lost'     the fence is broken (status, attempt): nothing has changed. When that comes to light late it is an error
--              (AN001) instead;
--   'changed'  the session or its tenant is not as the end was decided on (revision), or somebody holds the session's
--              lock: nothing has changed.
create function end_compression(
  p_end compression_end, p_version new_version, p_parts new_part[], p_ledger new_ledger_entry[], p_todos new_todos,
  p_verdict new_verdict, p_probes new_probe[], p_kept new_prepared_version, p_events new_event[], p_jobs new_job[],
  -- For how long the worker claims the indexing that follows at once; null when it waits as any other.
  p_index_lease_seconds double precision,
  p_queue_channel text, p_event_channel text, p_delivery_channel text
) returns text language plpgsql volatile set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_tenant uuid := p_end.tenant_id;
  v_session uuid := p_end.session_id;
  -- A row of nulls is null to `is null`, so that the key tells.
  v_version bigint := p_version.version;
  v_head bigint;
  v_worker bigint;
  v_is_unindexed boolean := false;
  v_is_new boolean := false;
  v_is_taken boolean := false;
  v_gone uuid;
  v_job new_job;
begin
  perform set_config('app.tenant_id', v_tenant::text, true);
  if p_end.revision is not null then
    perform from sessions s
    where s.tenant_id = v_tenant and s.id = v_session and s.revision = p_end.revision
      and (select t.revision = p_end.tenant_revision from tenants t where t.id = v_tenant)
    for no key update skip locked;
    if not found then
      return 'changed';
    end if;
  end if;
  perform from compressions c
  where c.tenant_id = v_tenant and c.id = p_end.id and c.status = p_end.from_status
    and (p_end.attempt is null or c.attempt = p_end.attempt);
  if not found then
    return 'lost';
  end if;
  if v_version is not null then
    select s.head_seq into v_head from sessions s where s.tenant_id = v_tenant and s.id = v_session;
    insert into summaries (tenant_id, session_id, version, parent_version, compression_id, from_seq, through_seq, meta,
                           document, parts, carry, rendering, rendering_tokens, least_rendering, least_tokens, recap, digest,
                           digest_tokens, head_seq, mask_upto, carried_seq)
    values (v_tenant, v_session, v_version, p_version.parent_version, p_end.id, p_version.from_seq, p_version.through_seq,
            p_version.meta::json, p_version.document::json, p_version.parts, p_version.carry::json, p_version.rendering,
            p_version.rendering_tokens, p_version.least_rendering, p_version.least_tokens, p_version.recap,
            p_version.digest, p_version.digest_tokens, v_head,
            (p_end.accounting::json ->> 'mask_upto')::bigint, (p_end.accounting::json -> 'carried' ->> 'seq')::bigint);
    insert into record_parts (tenant_id, session_id, id, entries)
    select v_tenant, v_session, p.id, p.entries from unnest(p_parts) as p;
    -- After a rollback the same span is read again and gives the same entries.
    insert into ledger_entries (tenant_id, session_id, kind, first_seq, ordinal, value)
    select v_tenant, v_session, e.kind, e.seq, e.ordinal, e.value::json from unnest(p_ledger) as e
    on conflict do nothing;
    insert into probes (tenant_id, session_id, id, source, version, probe)
    select v_tenant, v_session, p.id, 'generated', v_version, p.probe::json
    from unnest(p_probes) as p;
    if cardinality(p_verdict.retired) > 0 then
      -- One look into the primary key per probe: as a plain list, the planner reads all probes of the session.
      update probes p set retired_in_version = v_version
      from unnest(p_verdict.retired) as gone(id)
      cross join lateral (
        select x.ctid as place from probes x
        where x.tenant_id = v_tenant and x.session_id = v_session and x.id = gone.id limit 1
      ) at
      where p.tenant_id = v_tenant and p.ctid = at.place and p.retired_in_version is null;
    end if;
    if p_todos.revision is not null then
      update todo_lists l
      set revision = l.revision + 1, items = p_todos.items::json, changes = p_todos.changes::json, version = v_version,
          updated_at = now()
      where l.tenant_id = v_tenant and l.session_id = v_session and l.revision = p_todos.revision;
    end if;
  end if;
  if v_version is not null or p_kept.candidate is not null then
    -- What was prepared is stale, or it is what is published.
    delete from prepared_versions x where x.tenant_id = v_tenant and x.session_id = v_session
    returning x.compression_id into v_gone;
    if v_gone is not null then
      update compressions c set status = 'superseded', finished_at = now()
      where c.tenant_id = v_tenant and c.id = v_gone and c.id <> p_end.id and c.status = 'prepared';
    end if;
  end if;
  if p_kept.candidate is not null then
    insert into prepared_versions (tenant_id, session_id, compression_id, parent_version, context_revision, through_seq,
                                   candidate)
    values (v_tenant, v_session, p_end.id, p_kept.parent_version, p_kept.context_revision, p_kept.through_seq,
            p_kept.candidate);
  end if;
  if p_verdict.id is not null then
    insert into evaluations (tenant_id, session_id, id, version, compression_id, scores, results)
    values (v_tenant, v_session, p_verdict.id, v_version, p_end.id, p_verdict.scores::json, p_verdict.results::json);
  end if;
  if p_end.accounting is not null then
    update sessions s
    set accounting = p_end.accounting::json, recent = coalesce(p_end.recent, s.recent), updated_at = now(),
        revision = s.revision + 1,
        version = coalesce(v_version, s.version), last_version = coalesce(v_version, s.last_version),
        anchor_seq = case when v_version is null then s.anchor_seq else p_version.through_seq end,
        compression_count = s.compression_count + case when v_version is null then 0 else 1 end
    where s.tenant_id = v_tenant and s.id = v_session
    returning s.indexed_seq < s.head_seq into strict v_is_unindexed;
  end if;
  -- The job comes last: while this waits for anything above, its row is free for whoever takes over from a dead worker.
  update compressions c
  set status = p_end.status, version = v_version, report = p_end.report::json, lease_until = null,
      finished_at = case when p_kept.candidate is null then now() end
  where c.tenant_id = v_tenant and c.id = p_end.id and c.status = p_end.from_status
    and (p_end.attempt is null or c.attempt = p_end.attempt)
  returning c.worker into v_worker;
  if not found then
    -- Somebody has, since it was looked at; all of this is undone.
    raise exception 'the job is no longer what it was' using errcode = 'AN001';
  end if;
  if cardinality(p_events) > 0 then
    perform write_events(v_tenant, v_session, array_agg(e.kind order by e.place), array_agg(e.payload order by e.place),
                         array_agg(e.message_id order by e.place), p_event_channel, p_delivery_channel)
    from unnest(p_events) with ordinality as e(one, kind, payload, message_id, place);
  end if;
  foreach v_job in array p_jobs loop
    -- A live one of the kind will see all that there is, or was asked for by somebody else.
    continue when v_job.kind = 'index' and not v_is_unindexed;
    if v_job.kind = 'index' and v_worker is not null and p_index_lease_seconds is not null then
      insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, trace_context, attempt, worker,
                                lease_until, started_at)
      values (v_tenant, v_job.id, v_session, v_job.kind, 'running', v_job.trigger, v_job.request::json, v_job.trace, 1,
              v_worker, now() + make_interval(secs => p_index_lease_seconds), now())
      on conflict (tenant_id, session_id, kind)
        where status in ('queued', 'running') and not shadow and kind in ('compress', 'index') do nothing;
      v_is_taken := found;
    else
      insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, trace_context)
      values (v_tenant, v_job.id, v_session, v_job.kind, 'queued', v_job.trigger, v_job.request::json, v_job.trace)
      on conflict (tenant_id, session_id, kind)
        where status in ('queued', 'running') and not shadow and kind in ('compress', 'index') do nothing;
      v_is_new := v_is_new or found;
    end if;
  end loop;
  -- A notification costs every commit that carries one.
  if v_is_new then
    perform pg_notify(p_queue_channel, '');
  end if;
  return case when v_is_taken then 'indexing' else 'ended' end;
end;
$$;
