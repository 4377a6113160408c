-- Jobs that have nothing to do end in the statement that finds it proved, many in one commit, and are never claimed:
-- until then they are as they were, so that a worker that dies in between has changed nothing.

-- Claims as claim_compressions does, and beside that shows at most p_looks jobs that seem to have nothing to do: an
-- indexing whose session is indexed, and a compression of a session with no more than p_idle_messages messages after its
-- anchor. Those are left as they are, and stand in the way of no other. Jobs that were tried before are claimed.
create function take_jobs(p_worker bigint, p_lease_seconds double precision, p_tenant_limit integer, p_jobs integer,
                          p_looks integer, p_idle_messages integer)
  returns table (
    tenant_id uuid, id uuid, session_id uuid, kind text, trigger text, request json, attempt integer, crashes integer,
    parent_version bigint, from_seq bigint, through_seq bigint, trace_context text, created_at timestamptz,
    is_claimed boolean
  )
  language plpgsql volatile security definer set search_path = public, pg_temp
  -- Planning it anew costs more than running it. Every look goes into an index, whatever the planner thinks of tables
  -- that were empty when the plan was made.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_left integer := p_jobs;
  v_taken integer;
begin
  return query
    with chosen as materialized (
      select c.tenant_id, c.id from compressions c
      where c.status = 'running' and c.lease_until < now()
      order by c.lease_until limit v_left for update skip locked
    )
    update compressions c
    set attempt = c.attempt + 1, worker = p_worker, crashes = c.crashes + 1,
        lease_until = now() + make_interval(secs => p_lease_seconds)
    from chosen where c.tenant_id = chosen.tenant_id and c.id = chosen.id
    returning c.tenant_id, c.id, c.session_id, c.kind, c.trigger, c.request, c.attempt, c.crashes, c.parent_version,
              c.from_seq, c.through_seq, c.trace_context, c.created_at, true;
  get diagnostics v_taken = row_count;
  v_left := v_left - v_taken;
  if v_left = 0 then
    return;
  end if;
  return query
    with recursive waiting (tenant_id) as (
      (select c.tenant_id from compressions c where c.status = 'queued' order by c.tenant_id limit 1)
      union all
      select (select c.tenant_id from compressions c
              where c.status = 'queued' and c.tenant_id > w.tenant_id order by c.tenant_id limit 1)
      from waiting w where w.tenant_id is not null
    ),
    ranked as materialized (
      select due.tenant_id, due.id, due.session_id, due.kind, due.is_fresh, due.due_at, running.jobs + due.place as place
      from waiting w
      join tenants t on t.id = w.tenant_id and t.suspended_at is null
      cross join lateral (
        select coalesce((t.quotas ->> 'concurrent_compressions')::integer, p_tenant_limit) as most, count(*) as jobs
        from compressions r
        where r.tenant_id = w.tenant_id and r.status = 'running' and r.lease_until >= now()
      ) running
      cross join lateral (
        select o.tenant_id, o.id, o.session_id, o.kind, o.is_fresh, o.due_at, row_number() over (order by o.due_at) as place
        from (
          select c.tenant_id, c.id, c.session_id, c.kind, c.attempt = 0 and not c.shadow as is_fresh, c.due_at
          from compressions c
          where c.tenant_id = w.tenant_id and c.status = 'queued' and c.due_at <= now()
          order by c.due_at limit least(v_left + p_looks, greatest(running.most - running.jobs, 0))
        ) o
      ) due
      order by place, due.due_at limit v_left + p_looks
    ),
    judged as materialized (
      select r.tenant_id, r.id, r.place, r.due_at,
             p_looks > 0 and r.is_fresh
             and coalesce((select case r.kind when 'index' then s.indexed_seq >= s.head_seq
                                              when 'compress' then s.head_seq - s.anchor_seq <= p_idle_messages
                                              else false end
                           from sessions s where s.tenant_id = r.tenant_id and s.id = r.session_id limit 1), false) as is_idle
      from ranked r
    ),
    counted as materialized (
      select j.tenant_id, j.id, j.is_idle, row_number() over (partition by j.is_idle order by j.place, j.due_at) as nth
      from judged j
    ),
    chosen as materialized (
      select c.tenant_id, c.id
      from counted j
      cross join lateral (
        select x.tenant_id, x.id from compressions x
        where x.tenant_id = j.tenant_id and x.id = j.id and x.status = 'queued' and x.due_at <= now()
        limit 1 for update skip locked
      ) c
      where not j.is_idle and j.nth <= v_left
    ),
    claimed as (
      update compressions c
      set status = 'running', attempt = c.attempt + 1, worker = p_worker,
          lease_until = now() + make_interval(secs => p_lease_seconds), started_at = coalesce(c.started_at, now())
      from chosen where c.tenant_id = chosen.tenant_id and c.id = chosen.id
      returning c.tenant_id, c.id, c.session_id, c.kind, c.trigger, c.request, c.attempt, c.crashes, c.parent_version,
                c.from_seq, c.through_seq, c.trace_context, c.created_at
    )
    select n.*, true from claimed n
    union all
    select c.tenant_id, c.id, c.session_id, c.kind, c.trigger, c.request, c.attempt, c.crashes, c.parent_version,
           c.from_seq, c.through_seq, c.trace_context, c.created_at, false
    from counted j
    cross join lateral (
      select x.* from compressions x where x.tenant_id = j.tenant_id and x.id = j.id limit 1
    ) c
    where j.is_idle and j.nth <= p_looks;
  get diagnostics v_taken = row_count;
  -- Others may hold all that were chosen, while more are due: who sleeps now is told of them by nobody.
  if v_taken = 0 and v_left = p_jobs then
    return query
      select c.tenant_id, c.id, c.session_id, c.kind, c.trigger, c.request, c.attempt, c.crashes, c.parent_version,
             c.from_seq, c.through_seq, c.trace_context, c.created_at, true
      from claim_compression(p_worker, p_lease_seconds, p_tenant_limit) c;
  end if;
end;
$$;
revoke all on function take_jobs from public;
grant execute on function take_jobs to anchord_app;

-- What is needed to end compressions of sessions in which nothing is to be covered: each session with the messages
-- after its anchor, without their bodies, at most p_idle_messages of them. Crosses tenants: every session is named with
-- its tenant. `place` is its place among them, from 1; what is gone is left out.
create function look_at_sessions(p_tenants uuid[], p_sessions uuid[], p_idle_messages integer)
  returns table (
    place integer, settings json, defaults json, accounting json, recent text, head_seq bigint, anchor_seq bigint,
    version bigint, last_version bigint, context_revision bigint,
    -- The transactions that wrote the session's row and its tenant's.
    proof bigint, tenant_proof bigint,
    seqs bigint[], roles text[], are_items boolean[], tokens integer[], shapes text[], keeps text[], retrieved boolean[]
  )
  language plpgsql stable security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  return query
  select w.place, s.settings, t.settings, s.accounting, s.recent, s.head_seq, s.anchor_seq, s.version, s.last_version,
         s.context_revision, s.xmin::text::bigint, t.xmin::text::bigint,
         tail.seqs, tail.roles, tail.are_items, tail.tokens, tail.shapes, tail.keeps, tail.retrieved
  from generate_subscripts(p_sessions, 1) as w(place)
  cross join lateral (
    select x.*, x.xmin from sessions x where x.tenant_id = p_tenants[w.place] and x.id = p_sessions[w.place] limit 1
  ) s
  cross join lateral (select x.settings, x.xmin from tenants x where x.id = p_tenants[w.place] limit 1) t
  cross join lateral (
    select array_agg(m.seq order by m.seq) as seqs, array_agg(m.role order by m.seq) as roles,
           array_agg(m.format = 'openai-responses' order by m.seq) as are_items,
           array_agg(m.tokens order by m.seq) as tokens, array_agg(m.shape order by m.seq) as shapes,
           array_agg(m.keep order by m.seq) as keeps,
           array_agg(coalesce(m.component = 'retrieved_documents', false) order by m.seq) as retrieved
    from (
      select y.seq, y.role, y.format, y.tokens, y.shape, y.keep, y.component from messages y
      where y.tenant_id = p_tenants[w.place] and y.session_id = p_sessions[w.place] and y.seq > s.anchor_seq
      order by y.seq limit p_idle_messages
    ) m
  ) tail;
end;
$$;
revoke all on function look_at_sessions from public;
grant execute on function look_at_sessions to anchord_app;

-- Ends jobs that wait and have nothing to do, in one commit; gives the places of those that ended, from 1. A job ends
-- only if it still waits as it was looked at (attempt) and, where it names a session, that session's row and its tenant's
-- are still those that were read (xmin). It waits for nobody: what somebody has locked is left as it is, as are all
-- others. Crosses tenants, so that every job is named with its tenant; a session is named with its job's.
create function end_idle_jobs(
  p_looked_at timestamptz, p_tenants uuid[], p_jobs uuid[], p_attempts integer[], p_statuses text[], p_reports text[],
  -- Null for jobs that end without their session.
  p_sessions uuid[], p_proofs integer[], p_tenant_proofs integer[], p_accountings text[],
  p_events text[], p_payloads text[], p_messages uuid[],
  -- The channels of events and of deliveries to webhooks.
  p_event_channel text, p_delivery_channel text
) returns integer[]
  language plpgsql volatile security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_ended integer[];
  v_told bigint;
begin
  with held as materialized (
    -- Sessions before queue rows, as everywhere.
    select w.place
    from generate_subscripts(p_jobs, 1) as w(place)
    left join lateral (
      select x.id from sessions x
      where x.tenant_id = p_tenants[w.place] and x.id = p_sessions[w.place] and x.xmin = p_proofs[w.place]
      limit 1 for update skip locked
    ) s on true
    where p_sessions[w.place] is null
       or (s.id is not null
           and (select t.xmin = p_tenant_proofs[w.place] from tenants t where t.id = p_tenants[w.place]))
  ),
  chosen as materialized (
    select h.place, c.id
    from held h
    cross join lateral (
      select x.id from compressions x
      where x.tenant_id = p_tenants[h.place] and x.id = p_jobs[h.place] and x.status = 'queued'
        and x.attempt = p_attempts[h.place] and (p_sessions[h.place] is null or x.session_id = p_sessions[h.place])
      limit 1 for update skip locked
    ) c
  ),
  ended as (
    update compressions c
    set status = p_statuses[n.place], report = p_reports[n.place]::json, attempt = c.attempt + 1,
        started_at = p_looked_at, finished_at = now()
    from chosen n where c.tenant_id = p_tenants[n.place] and c.id = n.id
    returning n.place
  )
  select array_agg(e.place order by e.place) into v_ended from ended e;
  if v_ended is null or p_sessions is null then
    return coalesce(v_ended, '{}');
  end if;
  update sessions s
  set accounting = p_accountings[e.place]::json, updated_at = now()
  from unnest(v_ended) as e(place)
  where s.tenant_id = p_tenants[e.place] and s.id = p_sessions[e.place] and p_accountings[e.place] is not null;
  -- As for an event that is written alone: a webhook that is being disabled or erased holds up none.
  with made as (
    insert into events (tenant_id, session_id, kind, payload)
    select p_tenants[e.place], p_sessions[e.place], p_events[e.place], p_payloads[e.place]::json
    from unnest(v_ended) as e(place) where p_events[e.place] is not null order by e.place
    returning tenant_id, session_id, id, kind, payload
  ),
  told as (
    insert into webhook_deliveries (tenant_id, webhook_id, id, session_id, event_id, event, payload)
    select m.tenant_id, webhook.id, p_messages[e.place], m.session_id, m.id, m.kind, m.payload
    from made m
    -- A session has one compression that waits.
    join unnest(v_ended) as e(place) on p_tenants[e.place] = m.tenant_id and p_sessions[e.place] = m.session_id
    cross join lateral (
      select k.id from webhooks k
      where k.tenant_id = m.tenant_id and k.disabled_reason is null and (k.events is null or m.kind = any(k.events))
      for key share skip locked
    ) webhook
    returning 1
  )
  select count(pg_notify(p_event_channel, m.session_id::text)) +
         (select count(pg_notify(p_delivery_channel, '')) from (select from told limit 1) one)
  into v_told from made m;
  return v_ended;
end;
$$;
revoke all on function end_idle_jobs from public;
grant execute on function end_idle_jobs to anchord_app;
