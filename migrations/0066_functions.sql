-- Every function of the schema, as `create or replace`: an empty database gets this file after its tables, and a database
-- that is upgraded gets it after its steps. A change of it needs a new number in the file's name (README.md).
--
-- Two kinds. `security definer` functions cross tenants: they run as the owner of the tables, name the tenant for every
-- row, and nobody but the service may call them. All others run with the rights of the service, under row security, for
-- the tenant that they set themselves. The search path of both is fixed.
--
-- The planner settings that many of them carry: `force_generic_plan`, because planning takes longer than running; no
-- sequential scans, hash joins or merge joins, because a plan that was made while the tables were empty would read them
-- whole later. A `limit 1` around a search by a whole key stands there for the same reason.

-- Tenants and keys -----------------------------------------------------------------------------------------------------

create or replace function find_key(p_digest bytea)
  returns table (tenant_id uuid, id uuid, scopes text[], expires_at timestamptz, suspended boolean, quotas json)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select k.tenant_id, k.id, k.scopes, k.expires_at, t.suspended_at is not null, t.quotas
  from api_keys k join tenants t on t.id = k.tenant_id
  where k.digest = p_digest and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    and t.erased_at is null;
end;
comment on function find_key is
  'The key with this digest, with its tenant''s state, if it is neither revoked nor expired. It crosses tenants, because the key is how the tenant becomes known.';

create or replace function find_ended_keys(p_digests bytea[], p_refused bigint[])
  returns table (tenant_id uuid, id uuid, refused bigint)
  language sql stable security definer set search_path = public, pg_temp set enable_seqscan = off
begin atomic
  select t.id, k.id, d.refused
  from unnest(p_digests, p_refused) as d(digest, refused)
  left join api_keys k on k.digest = d.digest
  left join tenants t on t.id = k.tenant_id and t.erased_at is null;
end;
comment on function find_ended_keys is
  'Whose the refused keys with these digests were, each with the number of its refusals; no tenant for a key that never was one.';

create or replace function touch_keys(p_tenants uuid[], p_ids uuid[]) returns void
  language sql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
begin atomic
  update api_keys k set last_used_at = now()
  from unnest(p_tenants, p_ids) as used(tenant_id, id)
  where k.tenant_id = used.tenant_id and k.id = used.id
    and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute');
end;
comment on function touch_keys is
  'Writes down that keys were used, over all tenants; a key that was written down within the last minute stays as it is.';

create or replace function find_tenant_id(p_name text) returns uuid
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select t.id from tenants t where t.name = p_name;
end;
comment on function find_tenant_id is
  'The id of the tenant with this name, for operators: their commands take either.';

create or replace function list_tenants(p_after uuid, p_limit bigint)
  returns table (id uuid, name text, settings json, quotas json, retention_days integer, suspended_at timestamptz,
                 created_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select t.id, t.name, t.settings, t.quotas, t.retention_days, t.suspended_at, t.created_at from tenants t
  where t.erased_at is null and (p_after is null or t.id > p_after) order by t.id limit p_limit;
end;
comment on function list_tenants is
  'A page of all tenants, oldest first, for operators.';

create or replace function list_audit_events(p_before uuid, p_limit bigint)
  returns setof audit_events
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select * from audit_events a where p_before is null or a.id < p_before order by a.id desc limit p_limit;
end;
comment on function list_audit_events is
  'A page of the audit log over all tenants, newest first, for operators.';

-- Sessions -------------------------------------------------------------------------------------------------------------

-- The service reads a session with its revision, decides, and writes what it decided if the revision is still the same.

create or replace function load_branches(p_tenants uuid[], p_names text[], p_branches text[], p_ids uuid[])
  returns table (place integer, id uuid, root_id uuid, name text, branch text, has_branches boolean, settings text,
                 settings_revision bigint, defaults text, head_seq bigint, anchor_seq bigint, indexed_seq bigint, version bigint,
                 last_version bigint, compression_count integer, context_revision bigint, accounting text, recent text,
                 created_at timestamptz, updated_at timestamptz, live_id uuid, live_status text, is_live_ahead boolean,
                 revision bigint, above_revision bigint, is_named boolean)
  language plpgsql stable security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  return query
  select w.place::integer, s.id, coalesce(s.root_id, s.id), coalesce(root.name, s.name), s.branch,
         s.root_id is not null or s.branch_count > 0, coalesce(root.settings, s.settings)::text,
         coalesce(root.settings_revision, s.settings_revision), t.settings::text, s.head_seq, s.anchor_seq, s.indexed_seq,
         s.version, s.last_version, s.compression_count, s.context_revision, s.accounting::text, s.recent, s.created_at,
         s.updated_at, live.id, live.status, live.is_ahead, s.revision, t.revision + coalesce(root.settings_revision, 0),
         case when s.id is null then exists (select from sessions y where y.tenant_id = w.tenant_id and y.name = w.name) end
  from unnest(p_tenants, p_names, p_branches, p_ids) with ordinality as w(tenant_id, name, branch, id, place)
  cross join lateral (
    select x.settings, x.revision from tenants x where x.id = w.tenant_id and x.erased_at is null limit 1
  ) t
  left join lateral (
    select x.* from sessions x
    where x.tenant_id = w.tenant_id and x.erased_at is null
      -- Main's row has the settings, also when main is erased: who asks for it names both.
      and (x.dropped_at is null or (x.id = w.id and x.root_id is null and w.branch = x.branch))
      -- find_session, here without its call.
      and x.id = coalesce(w.id, (
        select case
                 when w.branch is null then coalesce(y.current_id, y.id)
                 when w.branch = y.branch then y.id
                 else (select b.id from sessions b
                       where b.root_id = y.id and b.tenant_id = w.tenant_id and b.branch = w.branch
                         and b.dropped_at is null limit 1)
               end
        from sessions y where y.tenant_id = w.tenant_id and y.name = w.name limit 1))
    limit 1
  ) s on true
  left join lateral (
    select r.name, r.settings, r.settings_revision from sessions r
    where s.root_id is not null and r.tenant_id = w.tenant_id and r.id = s.root_id limit 1
  ) root on true
  left join lateral (
    select c.id, c.status, coalesce((c.request ->> 'ahead')::boolean, false) as is_ahead from compressions c
    where c.tenant_id = w.tenant_id and c.session_id = s.id and c.kind = 'compress'
      and c.status in ('queued', 'running') and not c.shadow
    limit 1
  ) live on true;
end;
$$;
comment on function load_branches is
  'Sessions with everything that a change of them is decided on, each by its name and that of a branch (the current one when it is null), or by the branch''s id, with its place among the arguments from 1; by the id and the name of main also when main is erased. Name and settings are those in main''s row. above_revision is the revision of what stands above the row: the tenant''s, and for another branch than main that of the settings is added; neither ever falls, so that the sum is the same only when both are. For a session or a branch that does not exist, its tenant''s columns alone, and whether there is a session of the name. Locks nothing.';

create or replace function load_sessions(p_tenants uuid[], p_names text[], p_ids uuid[])
  returns table (place integer, id uuid, name text, settings text, defaults text, head_seq bigint, anchor_seq bigint,
                 indexed_seq bigint, version bigint, last_version bigint, compression_count integer,
                 context_revision bigint, accounting text, recent text, created_at timestamptz, updated_at timestamptz,
                 live_id uuid, live_status text, is_live_ahead boolean, revision bigint, tenant_revision bigint)
  language plpgsql stable security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  return query
  select w.place::integer, s.id, s.name, s.settings::text, t.settings::text, s.head_seq, s.anchor_seq, s.indexed_seq, s.version,
         s.last_version, s.compression_count, s.context_revision, s.accounting::text, s.recent, s.created_at,
         s.updated_at, live.id, live.status, live.is_ahead, s.revision, t.revision
  from unnest(p_tenants, p_names, p_ids) with ordinality as w(tenant_id, name, id, place)
  cross join lateral (
    select x.settings, x.revision from tenants x where x.id = w.tenant_id and x.erased_at is null limit 1
  ) t
  left join lateral (
    select x.* from sessions x
    where x.tenant_id = w.tenant_id and x.erased_at is null and x.root_id is null and x.dropped_at is null
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
comment on function load_sessions is
  'load_branches as the release before calls it, which knows no branches: it sees main alone, and a job of another branch ends there as one whose session is gone.';

create or replace function load_outlines(p_tenants uuid[], p_sessions uuid[], p_after bigint[])
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
  cross join lateral lineage(w.tenant_id, w.session_id, w.after + 1, 9223372036854775807) owner
  cross join lateral (
    select x.* from messages x
    where x.tenant_id = w.tenant_id and x.session_id = owner.session_id
      and x.seq between owner.first_seq and owner.last_seq
    order by x.seq
  ) m;
end;
$$;
comment on function load_outlines is
  'Messages without their bodies, of several branches, each from behind a position.';

create or replace function load_replies(p_tenants uuid[], p_routes text[], p_keys text[])
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
      and x.created_at > now() - interval '24 hours'
      -- Replies of an erased session are deleted in steps.
      and (x.session_id is null or (select s.erased_at is null and s.dropped_at is null from sessions s
                                    where s.tenant_id = x.tenant_id and s.id = x.session_id limit 1))
    limit 1
  ) i;
end;
$$;
comment on function load_replies is
  'The kept replies of these idempotency keys, each with its place among the arguments from 1.';

create or replace function commit_appends(p_changes session_change[], p_messages new_message[], p_outputs new_output[],
                               p_replies new_reply[], p_jobs new_job[], p_events new_event[],
                               p_queue_channel text, p_event_channel text, p_delivery_channel text)
  returns integer[]
  language plpgsql volatile security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  -- Sessions with a key that was used before. Who adds a key holds the session's lock and writes its row, so that
  -- a key that comes after this search breaks the revision.
  v_answered integer[] := '{}';
  -- Tenants that are being erased: rows made for them would wait for that.
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
             and x.created_at > now() - interval '24 hours'
             and (x.session_id is null or (select s.erased_at is null and s.dropped_at is null from sessions s
                                           where s.tenant_id = x.tenant_id and s.id = x.session_id limit 1))
           limit 1);
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
      select x.root_id from sessions x where x.tenant_id = w.tenant_id and x.id = w.id and x.revision = w.revision
      limit 1 for no key update skip locked
    ) s
    where w.revision is not null and w.place <> all (v_answered) and w.tenant_id <> all (v_locked)
      -- What load_branches calls above_revision.
      and w.tenant_revision = (select t.revision from tenants t where t.id = w.tenant_id)
        + coalesce((select r.settings_revision from sessions r where r.tenant_id = w.tenant_id and r.id = s.root_id limit 1), 0)
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
    -- The order in which everybody makes the same sessions, so that no two wait for each other.
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
    -- A conflict is a reply that has expired and is not removed yet.
    on conflict (tenant_id, route, key) do update
    set session_id = excluded.session_id, body_digest = excluded.body_digest, status = excluded.status,
        reply = excluded.reply, headers = excluded.headers, created_at = now()
  )
  select coalesce(array_agg(d.place), '{}') into v_done from done d;
  -- Few appends have jobs or events.
  for v_job in
    select j.*, (p_changes[j.place]).tenant_id, (p_changes[j.place]).id as session_id
    from unnest(p_jobs) as j where j.place = any (v_done)
  loop
    if v_job.id is null then
      update compressions c set request = v_job.request::json
      where c.tenant_id = v_job.tenant_id and c.session_id = v_job.session_id and c.kind = 'compress'
        and c.status in ('queued', 'running') and not c.shadow and c.request ->> 'ahead' = 'true';
      -- Not found: it has ended since the session was read.
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
comment on function commit_appends is
  'Appends to those sessions whose revision, and that of what stands above, is still the one that was read, and leaves all others as they are; returns the places of the former. Waits for no lock: a locked session counts as changed.';

create or replace function tail_within(p_tenant uuid, p_session uuid, p_floor bigint, p_head bigint, p_budget bigint)
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
        -- A page reads at most as far back as it has rows, so that it asks for no owner beyond.
        from lineage(p_tenant, p_session, greatest(p_floor + 1, v_from - 500), v_from - 1) owner
        cross join lateral (
          select x.seq, x.tokens, x.least_tokens, x.body from messages x
          where x.tenant_id = p_tenant and x.session_id = owner.session_id
            and x.seq between owner.first_seq and owner.last_seq
          order by x.seq desc offset 0
        ) m
      ) p
      window newest as (order by p.seq desc)
    ) w
    where w.before < v_left and w.bytes_before < v_bytes;
    -- No message: the session was erased.
    exit when v_page.seq is null;
    v_from := v_page.seq;
    v_left := v_left - v_page.cost;
    v_bytes := v_bytes - v_page.bytes;
  end loop;
  return v_from;
end;
$$;
comment on function tail_within is
  'Where the newest messages of a session begin that fit into a context of p_budget tokens. Each counts with its tool outputs as placeholders, and with an eighth of the budget at most. The bodies are bounded too, by 16 MiB or 8 bytes a token, whichever is more, because a placeholder may stand for megabytes.';

-- Branches -------------------------------------------------------------------------------------------------------------

create or replace function find_session(p_tenant uuid, p_name text, p_branch text) returns uuid
  language sql stable set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
begin atomic
  select case
           when p_branch is null then coalesce(m.current_id, m.id)
           when p_branch = m.branch and m.dropped_at is null then m.id
           else (select b.id from sessions b
                 where b.root_id = m.id and b.tenant_id = p_tenant and b.branch = p_branch and b.dropped_at is null limit 1)
         end
  from sessions m
  where m.tenant_id = p_tenant and m.name = p_name and m.erased_at is null limit 1;
end;
comment on function find_session is
  'The row of a session''s branch by the caller''s names; of the current branch when none is named. Null when there is no such session or branch.';

create or replace function own_of_branch(p_tenant uuid, p_session uuid, p_through bigint) returns text[]
  language sql stable set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
begin atomic
  select array(select p.body from pins p where p.tenant_id = p_tenant and p.session_id = p_session order by p.position)
      || array(select 'removed ' || r.constraint_id from removed_constraints r
               where r.tenant_id = p_tenant and r.session_id = p_session order by r.constraint_id)
      || array(select l.items::text from todo_lists l where l.tenant_id = p_tenant and l.session_id = p_session)
      || array(select q.id::text from probes q
               where q.tenant_id = p_tenant and q.session_id = p_session and q.source = 'caller' and q.retired_in_version is null
               order by q.id)
      || array(select n.id || ' ' || n.body
               from (select distinct on (y.id) y.id, y.body from notes y
                     where y.tenant_id = p_tenant and y.session_id = p_session and y.seq <= p_through
                     order by y.id, y.seq desc) n
               where n.body is not null order by n.id);
end;
comment on function own_of_branch is
  'What a fork copies of a branch, to compare two: pins, removed constraints, todo list, the caller''s probes, and the notes as they were through a message.';

create or replace function lineage(p_tenant uuid, p_session uuid, p_from bigint, p_through bigint)
  returns table (session_id uuid, first_seq bigint, last_seq bigint)
  language plpgsql stable rows 2 set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_id uuid := p_session;
  v_last bigint := p_through;
  v_of record;
begin
  while v_id is not null and v_last >= p_from loop
    select s.base_id, s.base_seq, s.jump_id, s.jump_seq into v_of
    from sessions s where s.tenant_id = p_tenant and s.id = v_id limit 1;
    exit when not found;
    if v_of.base_id is not null and v_last <= v_of.base_seq then
      -- None of this branch's own; as far down as the last one leads.
      if v_of.jump_id is not null and v_last <= v_of.jump_seq then
        v_id := v_of.jump_id;
      else
        v_id := v_of.base_id;
      end if;
      continue;
    end if;
    session_id := v_id;
    first_seq := greatest(v_of.base_seq + 1, p_from);
    last_seq := v_last;
    return next;
    v_id := v_of.base_id;
    v_last := least(v_last, v_of.base_seq);
  end loop;
end;
$$;
comment on function lineage is
  'Which rows of sessions own the messages of a branch between two positions, both included, newest first: each with the part of the range that it owns. One step for each owner, and a number of steps that grows with the logarithm of the branch''s depth to find the first.';

create or replace function version_lineage(p_tenant uuid, p_session uuid)
  returns table (session_id uuid, after_version bigint, through_version bigint, after_seq bigint, through_seq bigint)
  language plpgsql stable rows 1 set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_id uuid := p_session;
  v_of record;
begin
  through_version := 9223372036854775807;
  through_seq := 9223372036854775807;
  while v_id is not null loop
    select s.version_base_id, s.base_version, s.base_anchor_seq into v_of
    from sessions s where s.tenant_id = p_tenant and s.id = v_id limit 1;
    exit when not found;
    session_id := v_id;
    after_version := v_of.base_version;
    after_seq := v_of.base_anchor_seq;
    return next;
    v_id := v_of.version_base_id;
    through_version := v_of.base_version;
    through_seq := v_of.base_anchor_seq;
  end loop;
end;
$$;
comment on function version_lineage is
  'Which rows of sessions own the versions of a branch, newest first: those above after_version, through through_version, and the ledger of the messages after after_seq, through through_seq.';

create or replace function version_owner(p_tenant uuid, p_session uuid, p_version bigint) returns uuid
  language plpgsql stable strict set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_id uuid := p_session;
  v_of record;
begin
  loop
    select s.version_base_id, s.base_version into v_of
    from sessions s where s.tenant_id = p_tenant and s.id = v_id limit 1;
    if not found or v_of.version_base_id is null or p_version > v_of.base_version then
      return v_id;
    end if;
    v_id := v_of.version_base_id;
  end loop;
end;
$$;
comment on function version_owner is
  'Which row of sessions owns a version of a branch: the part of version_lineage that a search for one version needs.';

create or replace function probes_of(p_tenant uuid, p_session uuid)
  returns table (id uuid, source text, version bigint, retired_in_version bigint, probe json, created_at timestamptz,
                 is_exam boolean, is_critical boolean)
  language sql stable
begin atomic
  select p.id, p.source, p.version, p.retired_in_version, p.probe, p.created_at, p.is_exam, p.is_critical
  from probes p where p.tenant_id = p_tenant and p.session_id = p_session
  union all
  select p.id, p.source, p.version, null::bigint, p.probe, p.created_at, p.is_exam, p.is_critical
  from sessions s
  join probes p on p.tenant_id = s.tenant_id and p.session_id = s.version_base_id
  where s.tenant_id = p_tenant and s.id = p_session and s.last_version = s.base_version
    and p.source = 'generated' and (p.is_critical or p.is_exam) and p.version <= s.base_version
    and (p.retired_in_version is null or p.retired_in_version > s.base_version);
end;
comment on function probes_of is
  'The probes of a branch: its own, and until it has a version of its own those that the one it began with left to be asked. Without settings of its own, so that the planner sees through it.';

create or replace function adopt_probes(p_tenant uuid, p_session uuid, p_version bigint) returns void
  language plpgsql volatile set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_of record;
begin
  select s.version_base_id, s.base_version, s.last_version into v_of
  from sessions s where s.tenant_id = p_tenant and s.id = p_session limit 1;
  -- Later ones come with a rollback alone, which asks again what was retired after its version.
  if v_of.version_base_id is null or (v_of.last_version > v_of.base_version and p_version >= v_of.base_version) then
    return;
  end if;
  insert into probes (tenant_id, session_id, id, source, version, retired_in_version, probe, created_at)
  select p_tenant, p_session, p.id, p.source, p.version,
         case when p.retired_in_version <= v_of.base_version then p.retired_in_version end, p.probe, p.created_at
  from probes p
  where p.tenant_id = p_tenant and p.session_id = v_of.version_base_id and p.source = 'generated'
    and (p.is_critical or p.is_exam) and p.version <= v_of.base_version
    and (p.retired_in_version is null or p.retired_in_version > least(p_version, v_of.base_version))
  on conflict do nothing;
end;
$$;
comment on function adopt_probes is
  'Copies the probes that a branch began with into it, before its first own version, so that they retire there alone: those that were still asked after p_version.';

create or replace function index_lineage(p_tenant uuid, p_session uuid)
  returns table (session_id uuid, after_seq bigint, through_seq bigint)
  language plpgsql stable rows 1 set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_id uuid := p_session;
  v_of record;
begin
  through_seq := 9223372036854775807;
  while v_id is not null loop
    select s.index_base_id, s.base_indexed_seq, s.indexed_seq into v_of
    from sessions s where s.tenant_id = p_tenant and s.id = v_id limit 1;
    exit when not found;
    session_id := v_id;
    after_seq := v_of.base_indexed_seq;
    through_seq := least(through_seq, v_of.indexed_seq);
    return next;
    v_id := v_of.index_base_id;
    through_seq := v_of.base_indexed_seq;
  end loop;
end;
$$;
comment on function index_lineage is
  'In which rows'' recall index the messages of a branch are, newest first: those after after_seq, through through_seq.';

-- The queue ------------------------------------------------------------------------------------------------------------

create or replace function claim_compression(p_worker bigint, p_lease_seconds double precision, p_tenant_limit integer)
  returns setof compressions
  language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  t record;
  job record;
begin
  select c.tenant_id, c.id into job
  from compressions c where c.status = 'running' and c.lease_until < now() and p_tenant_limit <> 0
  order by c.lease_until limit 1 for update skip locked;
  if not found then
    for t in
      with recursive waiting (tenant_id) as (
        (select c.tenant_id from compressions c where c.status = 'queued' order by c.tenant_id limit 1)
        union all
        select (select c.tenant_id from compressions c
                where c.status = 'queued' and c.tenant_id > w.tenant_id order by c.tenant_id limit 1)
        from waiting w where w.tenant_id is not null
      )
      select w.tenant_id, running.jobs
      from waiting w
      join tenants on tenants.id = w.tenant_id
      cross join lateral (
        select count(*) as jobs from compressions r
        where r.tenant_id = w.tenant_id and r.status = 'running' and r.lease_until >= now()
      ) running
      cross join lateral (
        select c.due_at from compressions c
        where c.tenant_id = w.tenant_id and c.status = 'queued' and c.due_at <= now() order by c.due_at limit 1
      ) oldest
      where tenants.suspended_at is null
        and running.jobs < case p_tenant_limit when 0 then 1
                           else coalesce((tenants.quotas ->> 'concurrent_compressions')::integer, p_tenant_limit) end
      order by running.jobs, oldest.due_at
    loop
      select c.tenant_id, c.id into job
      from compressions c
      where c.tenant_id = t.tenant_id and c.status = 'queued' and c.due_at <= now()
      order by c.due_at limit 1 for update skip locked;
      exit when found;
    end loop;
  end if;
  if job.id is null then
    return;
  end if;
  return query
    update compressions c
    set status = 'running', attempt = c.attempt + 1, worker = p_worker,
        crashes = c.crashes + case when c.status = 'running' then 1 else 0 end,
        lease_until = now() + make_interval(secs => p_lease_seconds),
        started_at = coalesce(c.started_at, now())
    where c.tenant_id = job.tenant_id and c.id = job.id
    returning c.*;
end;
$$;
comment on function claim_compression is
  'Claims one due job and grows its fence: expired leases first, then the oldest job of the waiting tenant that runs least. Costs one index search per waiting tenant, however many jobs wait. The caller commits before it works.';

create or replace function claim_compressions(p_worker bigint, p_lease_seconds double precision, p_tenant_limit integer, p_jobs integer)
  returns setof compressions
  language plpgsql volatile security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_left integer := p_jobs;
  v_taken integer;
begin
  return query
    with chosen as materialized (
      select c.tenant_id, c.id from compressions c
      where c.status = 'running' and c.lease_until < now() and p_tenant_limit <> 0
      order by c.lease_until limit v_left for update skip locked
    )
    update compressions c
    set attempt = c.attempt + 1, worker = p_worker, crashes = c.crashes + 1,
        lease_until = now() + make_interval(secs => p_lease_seconds)
    from chosen where c.tenant_id = chosen.tenant_id and c.id = chosen.id
    returning c.*;
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
      select due.tenant_id, due.id, due.due_at, running.jobs + due.place as place
      from waiting w
      join tenants t on t.id = w.tenant_id and t.suspended_at is null
      cross join lateral (
        select count(*) as jobs from compressions r
        where r.tenant_id = w.tenant_id and r.status = 'running' and r.lease_until >= now()
      ) running
      cross join lateral (
        select o.tenant_id, o.id, o.due_at, row_number() over (order by o.due_at) as place
        from (
          select c.tenant_id, c.id, c.due_at from compressions c
          where c.tenant_id = w.tenant_id and c.status = 'queued' and c.due_at <= now()
          order by c.due_at limit v_left
        ) o
      ) due
      where running.jobs + due.place <= case p_tenant_limit when 0 then 1 else coalesce((t.quotas ->> 'concurrent_compressions')::integer, p_tenant_limit) end
      order by place, due.due_at limit v_left
    ),
    chosen as materialized (
      select c.tenant_id, c.id
      from ranked r
      cross join lateral (
        select x.tenant_id, x.id from compressions x
        where x.tenant_id = r.tenant_id and x.id = r.id and x.status = 'queued' and x.due_at <= now()
        limit 1 for update skip locked
      ) c
    )
    update compressions c
    set status = 'running', attempt = c.attempt + 1, worker = p_worker,
        lease_until = now() + make_interval(secs => p_lease_seconds), started_at = coalesce(c.started_at, now())
    from chosen where c.tenant_id = chosen.tenant_id and c.id = chosen.id
    returning c.*;
  get diagnostics v_taken = row_count;
  -- Other workers may have locked all that were chosen, while more are due: nothing would wake this worker for them.
  if v_taken = 0 and v_left = p_jobs then
    return query select * from claim_compression(p_worker, p_lease_seconds, p_tenant_limit);
  end if;
end;
$$;
comment on function claim_compressions is
  'Claims at most p_jobs due jobs and grows their fences: expired leases first, then, each time, the oldest job of the waiting tenant that runs least, and no tenant beyond its bound. The caller commits before it works. With a p_tenant_limit of 0 only tenants get one that run none, whatever their own limit.';

create or replace function look_after_workers(p_worker bigint, p_patience double precision) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_freed integer;
begin
  update compressions c set doubted_at = null
  from (select o.tenant_id, o.id from compressions o
        where o.status = 'running' and o.worker = p_worker and o.doubted_at is not null
        for update skip locked) own
  where c.tenant_id = own.tenant_id and c.id = own.id;
  with missing as materialized (
    select c.tenant_id, c.id, c.doubted_at < now() - make_interval(secs => p_patience) as is_dead
    from compressions c
    where c.status = 'running' and c.lease_until > now() and c.worker is distinct from p_worker
      and (c.doubted_at is null or c.doubted_at < now() - make_interval(secs => p_patience))
      and not exists (
        select from pg_locks l
        where l.locktype = 'advisory' and l.classid = 1633772132::oid and l.objid = c.worker::oid and l.objsubid = 2
          and l.granted and l.database = (select oid from pg_database where datname = current_database()))
    for update skip locked
  ),
  changed as (
    update compressions c
    set doubted_at = case when m.is_dead then null else now() end,
        lease_until = case when m.is_dead then '-infinity' else c.lease_until end
    from missing m where c.tenant_id = m.tenant_id and c.id = m.id
    returning m.is_dead
  )
  select count(*) filter (where is_dead)::integer into v_freed from changed;
  return v_freed;
end;
$$;
comment on function look_after_workers is
  'The heartbeat of worker p_worker. Clears what others doubt of its own jobs; doubts the jobs of workers that hold no presence lock (class 1633772132, object = the worker''s number); makes jobs due that were doubted for p_patience seconds, and returns how many. Skips locked rows.';

create or replace function fix_span(p_tenant uuid, p_session uuid, p_job uuid, p_attempt integer, p_waits boolean,
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
comment on function fix_span is
  'Fixes the span of a running job under the fence of its attempt, and writes the event of its start once. False when the lease is lost. Null, and nothing has changed, when the session is locked and the caller does not wait.';

create or replace function end_job(p_tenant uuid, p_id uuid, p_attempt integer, p_status text, p_report text)
  returns boolean language plpgsql volatile set search_path = public, pg_temp
as $$
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  update compressions c
  set status = p_status, report = p_report::json, finished_at = now(), lease_until = null
  where c.tenant_id = p_tenant and c.id = p_id and c.attempt = p_attempt and c.status = 'running';
  return found;
end;
$$;
comment on function end_job is
  'Ends a running job that writes nothing else, under the fence of its attempt; false when the lease is lost.';

create or replace function end_compression(
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
      -- What load_branches calls above_revision.
      and p_end.tenant_revision = (select t.revision from tenants t where t.id = v_tenant)
        + coalesce((select r.settings_revision from sessions r where r.tenant_id = v_tenant and r.id = s.root_id limit 1), 0)
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
    if p_version.parent_version is not null then
      perform adopt_probes(v_tenant, v_session, p_version.parent_version);
    end if;
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
      -- One primary key search per probe: for a plain list, the planner reads all probes of the session.
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
    -- The prepared version is stale now, or it is the one that is published.
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
  -- The job comes last: while this waits for anything above, its row is free for a worker that takes over from a dead one.
  update compressions c
  set status = p_end.status, version = v_version, report = p_end.report::json, lease_until = null,
      finished_at = case when p_kept.candidate is null then now() end
  where c.tenant_id = v_tenant and c.id = p_end.id and c.status = p_end.from_status
    and (p_end.attempt is null or c.attempt = p_end.attempt)
  returning c.worker into v_worker;
  if not found then
    -- Somebody has changed it since the check above; all of this is rolled back.
    raise exception 'the job is no longer what it was' using errcode = 'AN001';
  end if;
  if cardinality(p_events) > 0 then
    perform write_events(v_tenant, v_session, array_agg(e.kind order by e.place), array_agg(e.payload order by e.place),
                         array_agg(e.message_id order by e.place), p_event_channel, p_delivery_channel)
    from unnest(p_events) with ordinality as e(one, kind, payload, message_id, place);
  end if;
  foreach v_job in array p_jobs loop
    -- A live job of the kind will read everything that there is.
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
comment on function end_compression is
  'Ends a compression in one statement: the job, its version with ledger, verdict and probes, the session, events, and the jobs that follow. Returns ''ended''; ''indexing'': ended, and the indexing that follows is claimed for the same worker; ''lost'': the fence (status, attempt) is broken and nothing has changed, which is error AN001 when it shows late; ''changed'': the session or its tenant has another revision, or the session is locked, and nothing has changed.';

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
comment on function queue_state is
  'The live jobs by kind and status over all tenants, and for how long the oldest due one has been due; for metrics.';

-- Versions and recall --------------------------------------------------------------------------------------------------

create or replace function read_parts(p_tenant uuid, p_session uuid, p_parts bigint[])
  returns text[] language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_entries text[];
begin
  if p_parts is null then
    return null;
  end if;
  select coalesce(array_agg(x.entries order by named.place), '{}') into v_entries
  from unnest(p_parts) with ordinality as named(id, place)
  -- The number of its version is in its id (record::parts).
  join version_lineage(p_tenant, p_session) owner
    on named.id >> 20 > owner.after_version and named.id >> 20 <= owner.through_version
  cross join lateral (
    select p.entries from record_parts p
    where p.tenant_id = p_tenant and p.session_id = owner.session_id and p.id = named.id limit 1
  ) x;
  if cardinality(v_entries) <> cardinality(p_parts) then
    raise exception 'parts of a record are gone' using errcode = 'data_corrupted';
  end if;
  return v_entries;
end;
$$;
comment on function read_parts is
  'The parts of a summary record, in their order; null when p_parts is. A missing part is an error, never a shorter record.';

create or replace function add_postings(p_tenant uuid, p_session uuid, p_after bigint, p_through bigint,
                                        p_waits boolean, p_chunk bigint, p_buckets smallint[], p_segments bytea[],
                                        p_job uuid, p_attempt integer, p_report text)
  returns text language plpgsql volatile set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  -- One of this many indexings writes the buckets of its chunk; a question reads the pending ones too, so they are few.
  c_pending constant integer := 8;
  -- This many messages go into the buckets at once.
  c_large constant integer := 128;
  v_is_all boolean;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  -- No caller waits for it, and a crash undoes the end of the job with the postings, so that both are made again.
  perform set_config('synchronous_commit', 'off', true);
  if not p_waits then
    perform from sessions s where s.tenant_id = p_tenant and s.id = p_session for update skip locked;
    if not found then
      return null;
    end if;
  end if;
  -- The session first, as everywhere; it is the fence too.
  update sessions s set indexed_seq = p_through
  where s.tenant_id = p_tenant and s.id = p_session and s.indexed_seq = p_after and s.head_seq >= p_through and s.dropped_at is null
  returning s.head_seq = p_through into v_is_all;
  if not found then
    return 'behind';
  end if;
  if p_through - p_after < c_large
     and (select count(*) from recall_pending x where x.tenant_id = p_tenant and x.session_id = p_session) < c_pending - 1
  then
    insert into recall_pending (tenant_id, session_id, first_seq, chunk, buckets, segments)
    values (p_tenant, p_session, p_after + 1, p_chunk, p_buckets, p_segments);
  else
    -- The new segments are appended to those of the bucket, in the session's order, without reading those.
    with pending as (
      delete from recall_pending x where x.tenant_id = p_tenant and x.session_id = p_session
      returning x.first_seq, x.chunk, x.buckets, x.segments
    ),
    indexing as (
      select first_seq, chunk, buckets, segments from pending
      union all select p_after + 1, p_chunk, p_buckets, p_segments
    )
    insert into recall_postings as old (tenant_id, session_id, bucket, chunk, segments)
    select p_tenant, p_session, new.bucket, i.chunk, string_agg(new.segment, ''::bytea order by i.first_seq)
    from indexing i cross join lateral unnest(i.buckets, i.segments) as new(bucket, segment)
    group by i.chunk, new.bucket
    on conflict (tenant_id, session_id, bucket, chunk) do update set segments = old.segments || excluded.segments;
  end if;
  if v_is_all and p_job is not null then
    update compressions c
    set status = 'succeeded', report = p_report::json, finished_at = now(), lease_until = null
    where c.tenant_id = p_tenant and c.id = p_job and c.attempt = p_attempt and c.status = 'running';
    return case when found then 'ended' else 'indexed' end;
  end if;
  return 'indexed';
end;
$$;
comment on function add_postings is
  'Adds postings to a branch''s own recall index if that still reaches through p_after, and ends their job when nothing is left to index. Returns ''indexed'', ''ended'', or ''behind'' when the index reaches elsewhere or the branch is gone; null, and nothing has changed, when the branch is locked and the caller does not wait.';

create or replace function index_postings(p_tenant uuid, p_session uuid, p_after bigint, p_through bigint,
                                          p_waits boolean, p_chunk bigint, p_buckets smallint[], p_segments bytea[],
                                          p_job uuid, p_attempt integer, p_report text)
  returns text language plpgsql volatile set search_path = public, pg_temp
as $$
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  if exists (select from sessions s where s.tenant_id = p_tenant and s.id = p_session and s.root_id is not null) then
    return 'behind';
  end if;
  return add_postings(p_tenant, p_session, p_after, p_through, p_waits, p_chunk, p_buckets, p_segments, p_job, p_attempt,
                      p_report);
end;
$$;
comment on function index_postings is
  'add_postings as the release before calls it, which reads no message that a branch shares: main alone is indexed.';

create or replace function mark_for_embedding(p_tenant uuid, p_sessions uuid[]) returns integer
  language plpgsql volatile set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_marked integer;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  -- A crash loses a mark, which the next append or question makes again.
  perform set_config('synchronous_commit', 'off', true);
  insert into recall_embeddings as old (tenant_id, session_id)
  select p_tenant, s.id from sessions s
  where s.tenant_id = p_tenant and s.id = any(p_sessions) and s.expires_at is null
  order by s.id for key share of s skip locked
  on conflict (tenant_id, session_id) do update set due_at = now() where old.due_at is null;
  get diagnostics v_marked = row_count;
  return v_marked;
end;
$$;
comment on function mark_for_embedding is
  'Queues sessions whose newest messages may have no vectors yet; those that are queued already, single calls and locked ones stay as they are. Returns how many were queued.';

create or replace function claim_embeddings(p_lease_seconds double precision, p_limit integer, p_per_tenant integer)
  returns table (tenant_id uuid, session_id uuid, attempt integer, failures integer)
  language plpgsql volatile security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  -- One claim at a time, or two would both find room for the same tenant.
  perform pg_advisory_xact_lock(1633772133, 2);
  return query
    with recursive waiting (tenant_id) as (
      (select e.tenant_id from recall_embeddings e where e.due_at is not null order by e.tenant_id limit 1)
      union all
      select (select e.tenant_id from recall_embeddings e
              where e.due_at is not null and e.tenant_id > w.tenant_id order by e.tenant_id limit 1)
      from waiting w where w.tenant_id is not null
    ),
    running as materialized (
      select r.tenant_id, count(*) as attempts from recall_embeddings r
      where r.leased_until > now() group by r.tenant_id
    ),
    due as materialized (
      select w.tenant_id, oldest.session_id, oldest.due_at,
             coalesce((select r.attempts from running r where r.tenant_id = w.tenant_id), 0)
               + row_number() over (partition by w.tenant_id order by oldest.due_at) as place
      from waiting w
      join tenants t on t.id = w.tenant_id and t.suspended_at is null and t.erased_at is null
      cross join lateral (
        select e.session_id, e.due_at from recall_embeddings e
        where e.tenant_id = w.tenant_id and e.due_at <= now() and (e.leased_until is null or e.leased_until <= now())
        order by e.due_at limit p_per_tenant
      ) oldest
    ),
    chosen as materialized (
      select e.tenant_id, e.session_id
      from due
      join recall_embeddings e on e.tenant_id = due.tenant_id and e.session_id = due.session_id
      where due.place <= p_per_tenant
      order by due.place, due.due_at limit p_limit
      for update of e skip locked
    )
    update recall_embeddings e
    set attempt = e.attempt + 1, leased_until = now() + make_interval(secs => p_lease_seconds),
        due_at = now() + make_interval(secs => p_lease_seconds)
    from chosen where e.tenant_id = chosen.tenant_id and e.session_id = chosen.session_id
    returning e.tenant_id, e.session_id, e.attempt, e.failures;
end;
$$;
comment on function claim_embeddings is
  'Claims sessions whose messages are to get vectors, over all tenants, and grows their fences: the oldest of the tenant of which the fewest attempts run, and no tenant beyond p_per_tenant. An attempt whose lease ended is due again. Costs one index search per waiting tenant.';

create or replace function add_vectors(p_tenant uuid, p_session uuid, p_attempt integer, p_model text, p_dimensions integer,
                                       p_after bigint, p_through bigint, p_blocks bigint[], p_vectors bytea[])
  returns table (bytes bigint, task_id text, more boolean, stored_at timestamptz)
  language plpgsql volatile set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_head bigint;
  v_base bigint;
  v_task text;
  v_before bigint;
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  -- The session first, as everywhere: nobody erases it meanwhile.
  select s.head_seq, s.base_indexed_seq,
         case when s.root_id is null then s.task_id
              else (select r.task_id from sessions r where r.tenant_id = p_tenant and r.id = s.root_id limit 1) end
  into v_head, v_base, v_task from sessions s
  where s.tenant_id = p_tenant and s.id = p_session for key share of s;
  if not found then
    return;
  end if;
  update recall_embeddings e
  set model = p_model, dimensions = p_dimensions, through_seq = p_through, failures = 0, leased_until = null,
      -- A batch without a message found all there are: what an erased branch no longer has comes no more.
      due_at = case when p_through < v_head and p_through > p_after then now() end
  where e.tenant_id = p_tenant and e.session_id = p_session and e.attempt = p_attempt
    and (p_after = v_base
         -- Messages that say nothing have no dimensions.
         or (e.model = p_model and e.dimensions in (0, p_dimensions) and e.through_seq = p_after));
  if not found then
    return;
  end if;
  select coalesce(sum(octet_length(x.vectors)), 0) into v_before from recall_vectors x
  where x.tenant_id = p_tenant and x.session_id = p_session and x.block = any(p_blocks);
  insert into recall_vectors as old (tenant_id, session_id, block, model, dimensions, vectors)
  select p_tenant, p_session, new.block, p_model, p_dimensions, new.vectors
  from unnest(p_blocks, p_vectors) as new(block, vectors)
  on conflict (tenant_id, session_id, block) do update
  set model = excluded.model, dimensions = excluded.dimensions,
      -- What begins a block replaces what another model, or an earlier pass, left in it.
      vectors = case when p_after = v_base or excluded.block * 64 >= p_after or old.model <> excluded.model
                          or old.dimensions <> excluded.dimensions
                     then excluded.vectors else old.vectors || excluded.vectors end;
  return query
    select coalesce(sum(octet_length(x.vectors)), 0) - v_before, v_task, p_through < v_head and p_through > p_after, now()
    from recall_vectors x
    where x.tenant_id = p_tenant and x.session_id = p_session and x.block = any(p_blocks);
end;
$$;
comment on function add_vectors is
  'Stores the vectors of a branch''s messages after p_after through p_through under the fence of an attempt, and ends it: how many bytes more there are, the session''s task, whether messages are left, and when that was. Its first vectors are those behind base_indexed_seq. No row, and nothing has changed, when the fence is broken, the vectors reach elsewhere or the branch is gone.';

create or replace function store_vectors(p_tenant uuid, p_session uuid, p_attempt integer, p_model text, p_dimensions integer,
                                         p_after bigint, p_through bigint, p_blocks bigint[], p_vectors bytea[])
  returns table (bytes bigint, task_id text, more boolean, stored_at timestamptz)
  language plpgsql volatile set search_path = public, pg_temp
as $$
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  if exists (select from sessions s where s.tenant_id = p_tenant and s.id = p_session and s.root_id is not null) then
    return;
  end if;
  return query select * from add_vectors(p_tenant, p_session, p_attempt, p_model, p_dimensions, p_after, p_through, p_blocks,
                                         p_vectors);
end;
$$;
comment on function store_vectors is
  'add_vectors as the release before calls it, which reads no message that a branch shares: main alone gets vectors.';

-- Events and webhooks --------------------------------------------------------------------------------------------------

create or replace function write_events(p_tenant uuid, p_session uuid, p_kinds text[], p_payloads text[], p_messages uuid[],
                             p_event_channel text, p_delivery_channel text)
  returns void language plpgsql volatile set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_notified bigint;
  v_first bigint;
  -- A webhook with as many pending gets no more, or one that does not answer would grow without end.
  v_most bigint := coalesce((select (t.quotas ->> 'waiting_deliveries')::bigint from tenants t where t.id = p_tenant), 10000);
begin
  -- The time, and not a number of a sequence, which would tell each tenant how many events all others have. Behind the
  -- events before all the same when the clock was set back: those of the branch, the last switch, and for a switch those
  -- of the branches that it is between.
  v_first := greatest(
    (extract(epoch from clock_timestamp()) * 1000000)::bigint,
    1 + (select e.id from events e where e.tenant_id = p_tenant and e.session_id = p_session order by e.id desc limit 1),
    1 + (select e.id from sessions s
         join events e on e.tenant_id = s.tenant_id and e.session_id = coalesce(s.root_id, s.id)
         where s.tenant_id = p_tenant and s.id = p_session and e.kind = 'session.branch_switched'
         order by e.id desc limit 1));
  if 'session.branch_switched' = any(p_kinds) then
    v_first := greatest(
      v_first,
      1 + (select max(last.id)
           from unnest(p_kinds, p_payloads) as switch(kind, payload)
           join sessions s on s.tenant_id = p_tenant and s.root_id = p_session
             and s.branch in (switch.payload::json ->> 'from', switch.payload::json ->> 'to')
           cross join lateral (
             select e.id from events e where e.tenant_id = p_tenant and e.session_id = s.id order by e.id desc limit 1
           ) last
           where switch.kind = 'session.branch_switched'));
  end if;
  -- No event waits for the disabling or erasing of a webhook: a webhook whose row is locked is skipped, and its row is
  -- only locked that long after it was disabled.
  with made as (
    insert into events (tenant_id, session_id, id, kind, payload) overriding system value
    select p_tenant, p_session, v_first + e.place - 1, p_kinds[e.place], p_payloads[e.place]::json
    from generate_subscripts(p_kinds, 1) as e(place)
    returning id, kind, payload
  ),
  queued as (
    insert into webhook_deliveries (tenant_id, webhook_id, id, session_id, event_id, event, payload)
    select p_tenant, webhook.id, p_messages[m.place], p_session, m.id, m.kind, m.payload
    from (select x.id, x.kind, x.payload, row_number() over (order by x.id) as place from made x) m
    cross join lateral (
      select k.id from webhooks k
      where k.tenant_id = p_tenant and k.disabled_reason is null and (k.events is null or m.kind = any(k.events))
        and not exists (select from webhook_deliveries d
                        where d.tenant_id = p_tenant and d.webhook_id = k.id and d.status = 'pending'
                        offset greatest(v_most - 1, 0) limit 1)
      for key share skip locked
    ) webhook
    returning 1
  )
  select count(pg_notify(p_event_channel, p_session::text))
         + (select count(pg_notify(p_delivery_channel, '')) from (select from queued limit 1) one)
  into v_notified from (select from made limit 1) m;
end;
$$;
comment on function write_events is
  'Writes events in their order, whose ids are the time in microseconds, with a delivery for every webhook that wants one, and notifies listeners of both. The caller holds the session''s lock and has set the tenant; p_messages are the ids of the deliveries, event by event.';

create or replace function follow_events(p_tenant uuid, p_session uuid, p_after bigint, p_limit bigint)
  returns table (id bigint, kind text, payload json, created_at timestamptz, branch text)
  language plpgsql stable rows 1 set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_after bigint := p_after;
  v_left bigint := p_limit;
  v_found bigint;
  v_switch record;
  v_main record;
  v_id uuid;
  v_name text;
begin
  select coalesce(m.current_id, m.id) as current_id, m.branch into v_main from sessions m
  where m.tenant_id = p_tenant and m.id = p_session limit 1;
  while v_left > 0 loop
    -- Until the next switch the branch is current that it leads away from; behind the last one, that which still is.
    select e.id, e.kind, e.payload, e.created_at into v_switch from events e
    where e.tenant_id = p_tenant and e.session_id = p_session and e.kind = 'session.branch_switched' and e.id > v_after
    order by e.id limit 1;
    if v_switch.id is null then
      v_id := v_main.current_id;
      select x.branch into v_name from sessions x where x.tenant_id = p_tenant and x.id = v_id limit 1;
    else
      v_name := v_switch.payload ->> 'from';
      if v_name = v_main.branch then
        v_id := p_session;
      else
        -- None when it was erased since, with its events.
        select x.id into v_id from sessions x
        where x.root_id = p_session and x.tenant_id = p_tenant and x.branch = v_name and x.dropped_at is null limit 1;
      end if;
    end if;
    return query
      select e.id, e.kind, e.payload, e.created_at, v_name from events e
      where e.tenant_id = p_tenant and e.session_id = v_id and e.id > v_after
        and (v_switch.id is null or e.id < v_switch.id) and e.kind <> 'session.branch_switched'
      order by e.id limit v_left;
    get diagnostics v_found = row_count;
    v_left := v_left - v_found;
    exit when v_switch.id is null or v_left = 0;
    id := v_switch.id;
    kind := v_switch.kind;
    payload := v_switch.payload;
    created_at := v_switch.created_at;
    branch := null;
    return next;
    v_left := v_left - 1;
    v_after := v_switch.id;
  end loop;
end;
$$;
comment on function follow_events is
  'The next events of a session (main''s id) after an id: those of the branch that was current then, each with its name, and the switches between, which are no branch''s and kept with main.';

create or replace function newest_event(p_tenant uuid, p_session uuid) returns bigint
  language plpgsql stable set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_id uuid;
begin
  select coalesce(m.current_id, m.id) into v_id from sessions m where m.tenant_id = p_tenant and m.id = p_session limit 1;
  -- Behind the last switch too, or what happened before it would be told.
  return greatest(
    0,
    (select e.id from events e where e.tenant_id = p_tenant and e.session_id = v_id order by e.id desc limit 1),
    (select e.id from events e
     where e.tenant_id = p_tenant and e.session_id = p_session and e.kind = 'session.branch_switched'
     order by e.id desc limit 1));
end;
$$;
comment on function newest_event is
  'The id behind which follow_events has nothing to tell yet.';

create or replace function forget_old_events(p_days integer, p_limit integer) returns integer
  language sql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
begin atomic
  with old as (
    select e.tenant_id, e.session_id, e.id from events e
    where e.created_at < now() - make_interval(days => p_days)
    order by e.created_at limit p_limit for update skip locked
  ),
  gone as (
    delete from events e using old
    where e.tenant_id = old.tenant_id and e.session_id = old.session_id and e.id = old.id returning 1
  )
  select count(*)::integer from gone;
end;
comment on function forget_old_events is
  'Removes at most p_limit events older than p_days, over all tenants; returns how many.';

create or replace function claim_branch_deliveries(p_lease_seconds double precision, p_limit integer, p_per_webhook integer,
                                                   p_per_tenant integer)
  returns table (tenant_id uuid, webhook_id uuid, id uuid, attempts integer, tries integer, event text, payload json,
                 session_name text, branch text, event_id bigint, created_at timestamptz, url text, secret bytea, previous_secret bytea)
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  if not exists (select from webhook_deliveries d where d.status = 'pending' and d.due_at <= now()) then
    return;
  end if;
  -- One claim at a time, or two would both find room for the same webhook.
  perform pg_advisory_xact_lock(1633772133, 1);
  return query
    with recursive waiting (tenant_id, webhook_id) as (
      (select d.tenant_id, d.webhook_id from webhook_deliveries d
       where d.status = 'pending' order by d.tenant_id, d.webhook_id limit 1)
      union all
      select n.tenant_id, n.webhook_id
      from waiting w
      cross join lateral (
        select d.tenant_id, d.webhook_id from webhook_deliveries d
        where d.status = 'pending' and (d.tenant_id, d.webhook_id) > (w.tenant_id, w.webhook_id)
        order by d.tenant_id, d.webhook_id limit 1
      ) n
    ),
    running as (
      select r.tenant_id, r.webhook_id, count(*) as attempts from webhook_deliveries r
      where r.leased_until > now() group by r.tenant_id, r.webhook_id
    ),
    due as (
      select w.tenant_id, w.webhook_id, oldest.id, oldest.due_at,
             coalesce(r.attempts, 0) + row_number() over (partition by w.tenant_id, w.webhook_id order by oldest.due_at) as place
      from waiting w
      join tenants t on t.id = w.tenant_id and t.suspended_at is null
      join webhooks k on k.tenant_id = w.tenant_id and k.id = w.webhook_id and k.disabled_reason is null
      left join running r on r.tenant_id = w.tenant_id and r.webhook_id = w.webhook_id
      cross join lateral (
        select d.id, d.due_at from webhook_deliveries d
        where d.tenant_id = w.tenant_id and d.webhook_id = w.webhook_id and d.status = 'pending' and d.due_at <= now()
          -- Those of an erased session are deleted in steps.
          and (d.session_id is null or (select s.erased_at is null and s.dropped_at is null from sessions s
                                        where s.tenant_id = d.tenant_id and s.id = d.session_id limit 1))
        order by d.due_at limit p_per_webhook
      ) oldest
    ),
    ranked as (
      select due.tenant_id, due.webhook_id, due.id, due.due_at, due.place,
             coalesce(u.attempts, 0) + row_number() over (partition by due.tenant_id order by due.place, due.due_at) as tenant_place
      from due
      left join (select r.tenant_id, sum(r.attempts) as attempts from running r group by r.tenant_id) u
        on u.tenant_id = due.tenant_id
      where due.place <= p_per_webhook
    ),
    chosen as (
      select d.tenant_id, d.webhook_id, d.id, d.session_id
      from ranked
      join webhook_deliveries d
        on d.tenant_id = ranked.tenant_id and d.webhook_id = ranked.webhook_id and d.id = ranked.id
      where (ranked.place = 1 or ranked.tenant_place <= p_per_tenant) and d.status = 'pending' and d.due_at <= now()
      order by ranked.tenant_place, ranked.due_at
      limit p_limit
      for update of d skip locked
    )
    update webhook_deliveries d
    set attempts = d.attempts + 1, tries = d.tries + 1, last_attempt_at = now(),
        leased_until = now() + make_interval(secs => p_lease_seconds),
        due_at = now() + make_interval(secs => p_lease_seconds)
    from chosen
    join webhooks k on k.tenant_id = chosen.tenant_id and k.id = chosen.webhook_id
    left join sessions s on s.tenant_id = chosen.tenant_id and s.id = chosen.session_id
    left join sessions main on main.tenant_id = chosen.tenant_id and main.id = s.root_id
    where d.tenant_id = chosen.tenant_id and d.webhook_id = chosen.webhook_id and d.id = chosen.id
    returning d.tenant_id, d.webhook_id, d.id, d.attempts, d.tries, d.event, d.payload, coalesce(main.name, s.name),
              s.branch, d.event_id, d.created_at,
              k.url, k.secret, case when k.previous_secret_until > now() then k.previous_secret end;
end;
$$;
comment on function claim_branch_deliveries is
  'Claims due deliveries over all tenants and counts an attempt of each; a session is named as its caller does, with the branch. At most p_per_webhook attempts run at once for a webhook and p_per_tenant for a tenant, but one for each webhook in any case, so that a slow webhook holds up no other; the tenant with the fewest comes first. A delivery whose lease expired is due again, although its attempt may have arrived. Costs one index search per webhook that has something pending.';

create or replace function claim_deliveries(p_lease_seconds double precision, p_limit integer, p_per_webhook integer, p_per_tenant integer)
  returns table (tenant_id uuid, webhook_id uuid, id uuid, attempts integer, tries integer, event text, payload json,
                 session_name text, event_id bigint, created_at timestamptz, url text, secret bytea, previous_secret bytea)
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  select d.tenant_id, d.webhook_id, d.id, d.attempts, d.tries, d.event, d.payload, d.session_name, d.event_id, d.created_at,
         d.url, d.secret, d.previous_secret
  from claim_branch_deliveries(p_lease_seconds, p_limit, p_per_webhook, p_per_tenant) d;
end;
comment on function claim_deliveries is
  'claim_branch_deliveries as the release before calls it, which knows no branches.';

create or replace function cancel_stranded_deliveries(p_limit integer) returns integer
  language sql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
begin atomic
  update webhooks k set previous_secret = null, previous_secret_until = null where k.previous_secret_until < now();
  with stranded as (
    select d.tenant_id, d.webhook_id, d.id
    from webhooks k
    join webhook_deliveries d on d.tenant_id = k.tenant_id and d.webhook_id = k.id and d.status = 'pending'
    where k.disabled_reason is not null
    limit p_limit for update of d skip locked
  ),
  gone as (
    update webhook_deliveries d set status = 'cancelled', due_at = null, leased_until = null, finished_at = now()
    from stranded s where d.tenant_id = s.tenant_id and d.webhook_id = s.webhook_id and d.id = s.id
    returning 1
  )
  select count(*)::integer from gone;
end;
comment on function cancel_stranded_deliveries is
  'Cancels at most p_limit pending deliveries of disabled webhooks, which were written at the moment of the disabling, and removes secrets that no longer sign; returns how many it cancelled.';

create or replace function list_secrets_of_other_keys(p_head bytea, p_after_tenant uuid, p_after uuid, p_limit integer)
  returns table (tenant_id uuid, id uuid, secret bytea, previous_secret bytea)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select k.tenant_id, k.id, k.secret, k.previous_secret from webhooks k
  where (k.tenant_id, k.id) > (p_after_tenant, p_after)
    and (substring(k.secret for length(p_head)) <> p_head
         or substring(k.previous_secret for length(p_head)) <> p_head)
  order by k.tenant_id, k.id limit p_limit;
end;
comment on function list_secrets_of_other_keys is
  'Upkeep: webhooks over all tenants, in the order of their keys, with a secret that does not begin like those that the first key of ANCHORD_SECRETS_KEY has encrypted.';

create or replace function oldest_due_delivery() returns double precision
  language sql stable security definer set search_path = public, pg_temp set enable_seqscan = off
begin atomic
  select coalesce((
    select extract(epoch from now() - d.due_at) from webhook_deliveries d
    where d.status = 'pending' and d.due_at <= now()
      and exists (select from tenants t where t.id = d.tenant_id and t.suspended_at is null)
      and exists (select from webhooks k
                  where k.tenant_id = d.tenant_id and k.id = d.webhook_id and k.disabled_reason is null)
    order by d.due_at limit 1
  ), 0)::double precision;
end;
comment on function oldest_due_delivery is
  'For how many seconds the oldest delivery that could be tried has been due, over all tenants; 0 when there is none.';

create or replace function forget_old_deliveries(p_days integer, p_limit integer) returns integer
  language sql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
begin atomic
  with old as (
    select d.tenant_id, d.webhook_id, d.id from webhook_deliveries d
    where d.created_at < now() - make_interval(days => p_days)
    order by d.created_at limit p_limit for update skip locked
  ),
  gone as (
    delete from webhook_deliveries d using old
    where d.tenant_id = old.tenant_id and d.webhook_id = old.webhook_id and d.id = old.id returning 1
  )
  select count(*)::integer from gone;
end;
comment on function forget_old_deliveries is
  'Removes at most p_limit deliveries older than p_days, over all tenants; returns how many.';

-- Erasing --------------------------------------------------------------------------------------------------------------

-- Erasing hides: from its commit on, nothing of a session or a tenant is shown or worked on, and its name is free. Its
-- rows are deleted afterwards in steps, each short however large the whole is: a statement that deletes a million messages
-- takes longer than a statement may. Sessions own rows that have no foreign key, because checking it would cost an append
-- an eighth of its time; erase_some knows all of them, and the service may delete in no other way.

create or replace function erase_sessions(p_tenant uuid, p_sessions uuid[]) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
  set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_sessions uuid[];
  v_branches uuid[];
  v_tasks text[];
begin
  -- The tenant first, as erase_tenant does.
  perform from tenants t where t.id = p_tenant for key share;
  -- From here on nobody forks them.
  select array_agg(s.id), coalesce(array_agg(s.id) filter (where s.root_id is null), '{}'), array_agg(s.task_id)
  into v_branches, v_sessions, v_tasks
  from (select x.id, x.root_id, x.task_id from sessions x
        where x.tenant_id = p_tenant and x.id = any(p_sessions) and x.erased_at is null
        order by x.id for update) s;
  if v_branches is null then
    return 0;
  end if;
  -- From here on nobody appends to their branches or publishes; this waits for those who do now.
  select v_branches || coalesce(array_agg(s.id), '{}') into v_branches
  from (select x.id from sessions x
        where x.root_id = any(v_sessions) and x.tenant_id = p_tenant and x.erased_at is null and x.id <> all(v_branches)
        order by x.id for update) s;
  update sessions s
  set erased_at = now(), name = case when s.root_id is null then E'\x01' || s.id else s.name end, task_id = null,
      parent_session_id = null, user_id = null, expires_at = null, revision = s.revision + 1
  where s.tenant_id = p_tenant and s.id = any(v_branches);
  -- Few rows for each session, and what would still be found or queued.
  delete from session_metadata m where m.tenant_id = p_tenant and m.session_id = any(v_sessions);
  delete from recall_embeddings e where e.tenant_id = p_tenant and e.session_id = any(v_branches);
  -- What a branch keeps that was erased before is deleted from the beginning.
  insert into erasures (tenant_id, session_id) select p_tenant, id from unnest(v_branches) as id
  on conflict (tenant_id, session_id) do update set due_at = now(), through_seq = 0;
  update compressions c set status = 'cancelled', finished_at = now(), lease_until = null
  where c.tenant_id = p_tenant and c.session_id = any(v_branches) and c.status in ('queued', 'running', 'prepared');
  select v_tasks || array_agg(distinct u.task_id) into v_tasks from usage_by_session u
  where u.tenant_id = p_tenant and u.session_id = any(v_branches);
  -- Waits for those who erase other sessions of the task at the same moment, and sees what they did.
  perform from tasks t where t.tenant_id = p_tenant and t.task_id = any(v_tasks) order by t.task_id for update;
  delete from tasks t
  where t.tenant_id = p_tenant and t.task_id = any(v_tasks)
    and not exists (select from sessions s
                    where s.tenant_id = p_tenant and s.task_id = t.task_id and s.erased_at is null)
    and not exists (select from usage_by_session u
                    join sessions s on s.tenant_id = u.tenant_id and s.id = u.session_id and s.erased_at is null
                    where u.tenant_id = p_tenant and u.task_id = t.task_id and u.task_id <> '');
  return cardinality(v_sessions);
end;
$$;
comment on function erase_sessions is
  'Erases sessions of a tenant with all their branches: hides them, frees their names, ends their jobs, and erases tasks with the last of their sessions. Their rows are deleted by erase_some. The id of a branch other than main erases that one alone. Returns how many sessions there were.';

create or replace function some_sessions(p_tenant uuid, p_sessions uuid[]) returns uuid[]
  language sql stable set search_path = public, pg_temp set enable_seqscan = off
begin atomic
  select coalesce(array_agg(w.id), '{}') from (
    select s.id, sum(s.branch_count) over (order by s.id) - s.branch_count as branches_before from sessions s
    where s.tenant_id = p_tenant and s.id = any(p_sessions)
  ) w where w.branches_before < 1000;
end;
comment on function some_sessions is
  'The first of some sessions, so that one statement erases not too many branches: each may have thousands, and erasing a session hides all of them at once.';

create or replace function erase_session(p_tenant uuid, p_name text) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
as $$
begin
  return erase_sessions(p_tenant, array(select s.id from sessions s where s.tenant_id = p_tenant and s.name = p_name)) > 0;
end;
$$;
comment on function erase_session is
  'Erases a session by its name; false when there is none.';

create or replace function erase_tenant(p_tenant uuid) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
as $$
begin
  -- With the revision no append that was decided before is written.
  update tenants t
  set erased_at = now(), name = E'\x01' || t.id, suspended_at = coalesce(t.suspended_at, now()), revision = t.revision + 1
  where t.id = p_tenant and t.erased_at is null;
  if not found then
    return false;
  end if;
  delete from api_keys k where k.tenant_id = p_tenant;
  return true;
end;
$$;
comment on function erase_tenant is
  'Erases a tenant: hides it with all that it owns, frees its name and deletes its keys. Its rows are deleted by erase_some. False when there is none.';

create or replace function next_erasures(p_limit integer) returns table (tenant_id uuid, sessions uuid[])
  language sql stable security definer set search_path = public, pg_temp set enable_seqscan = off
begin atomic
  with recursive waiting (tenant_id) as (
    (select e.tenant_id from erasures e order by e.tenant_id limit 1)
    union all
    select (select e.tenant_id from erasures e where e.tenant_id > w.tenant_id order by e.tenant_id limit 1)
    from waiting w where w.tenant_id is not null
  ),
  owners as (
    select w.tenant_id from waiting w where w.tenant_id is not null
    union
    select t.id from tenants t where t.erased_at is not null
  )
  select o.tenant_id, array(
    select e.session_id from erasures e where e.tenant_id = o.tenant_id and e.due_at <= now() order by e.session_id limit p_limit
  )
  from owners o;
end;
comment on function next_erasures is
  'The tenants that have rows to be deleted, each with at most p_limit of its erased sessions that are due; with none when it is erased itself, or when they are not due.';

create or replace function erase_some(p_tenant uuid, p_sessions uuid[]) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
  -- Without statistics a bitmap looks cheaper than the first rows of an index, and reads all of a session.
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  c_rows constant integer := 500;
  c_bytes constant bigint := 67108864;
  v_sessions uuid[];
  v_places tid[];
  v_is_more boolean;
  v_bytes bigint;
  v_rows bigint;
  v_of record;
begin
  -- One process deletes at a time, and only what is erased.
  select array_agg(s.id) into v_sessions
  from (select x.id from sessions x
        where x.tenant_id = p_tenant and x.id = any(p_sessions) and x.erased_at is not null
        order by x.id for update skip locked) s;
  if v_sessions is null then
    return erase_some_of_tenant(p_tenant);
  end if;
  -- A message may be as large as 4 MiB, and deleting it reads where its pieces are.
  select array_agg(page.place) filter (where page.bytes_before < c_bytes),
         count(*) = c_rows or coalesce(bool_or(page.bytes_before >= c_bytes), false)
  into v_places, v_is_more
  from (
    select m.place, sum(m.bytes) over (order by m.session_id, m.seq) - m.bytes as bytes_before
    from (
      select x.place, x.session_id, x.seq, x.bytes
      from erasures e
      cross join lateral (
        select y.ctid as place, y.session_id, y.seq, octet_length(y.body)::bigint as bytes from messages y
        where y.tenant_id = p_tenant and y.session_id = e.session_id and y.seq > e.through_seq
        order by y.seq limit c_rows
      ) x
      where e.tenant_id = p_tenant and e.session_id = any(v_sessions)
      limit c_rows
    ) m
  ) page;
  with gone as (
    delete from messages x where x.ctid = any(v_places) returning x.session_id, x.seq
  )
  update erasures e set through_seq = g.seq
  from (select x.session_id, max(x.seq) as seq from gone x group by x.session_id) g
  where e.tenant_id = p_tenant and e.session_id = g.session_id;
  if v_is_more then
    return true;
  end if;
  for v_of in
    select t.name, t.rows from (values
      ('webhook_deliveries', 1000), ('idempotency_keys', 1000), ('tool_outputs', 5000), ('ledger_entries', 5000),
      ('probes', 1000), ('record_parts', 500), ('recall_postings', 500), ('recall_pending', 100), ('recall_vectors', 500), ('events', 2000),
      ('evaluations', 200), ('prepared_versions', 50), ('shadow_candidates', 100), ('compressions', 100),
      ('summaries', 100), ('removed_constraints', 5000), ('session_merges', 5000)
    ) as t(name, rows)
  loop
    execute format('delete from %1$I x where x.ctid = any (array(
                      select one.place from unnest($2) as erased(id)
                      cross join lateral (select y.ctid as place from %1$I y
                                          where y.tenant_id = $1 and y.session_id = erased.id limit $3) one
                      limit $3))', v_of.name)
    using p_tenant, v_sessions, v_of.rows;
    get diagnostics v_rows = row_count;
    if v_rows = v_of.rows then
      return true;
    end if;
  end loop;
  -- Last, because it gives the room back.
  with used as (
    delete from usage_by_session u
    where u.ctid = any (array(
      select one.place from unnest(v_sessions) as erased(id)
      cross join lateral (select y.ctid as place from usage_by_session y
                          where y.tenant_id = p_tenant and y.session_id = erased.id limit c_rows) one
      limit c_rows))
    returning u.bytes
  )
  select coalesce(sum(u.bytes), 0), count(*) into v_bytes, v_rows from used u;
  if v_bytes <> 0 then
    insert into usage_by_day as d (tenant_id, day, kind, bytes)
    values (p_tenant, (now() at time zone 'UTC')::date, 'append', -v_bytes)
    on conflict (tenant_id, day, kind) do update set bytes = d.bytes + excluded.bytes;
  end if;
  if v_rows = c_rows then
    return true;
  end if;
  -- The rest is small and has foreign keys.
  delete from sessions s where s.tenant_id = p_tenant and s.id = any(v_sessions);
  return false;
end;
$$;
comment on function erase_some is
  'Deletes rows of erased sessions, or of an erased tenant when there are no such sessions: at most so many that it takes a fraction of a second. True when more may be left. Sessions that another process deletes from are skipped.';

create or replace function drop_branch(p_tenant uuid, p_main uuid, p_branch uuid) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
as $$
begin
  update sessions s set dropped_at = now(), revision = s.revision + 1
  where s.tenant_id = p_tenant and s.id = p_branch and s.dropped_at is null and s.erased_at is null;
  if not found then
    return;
  end if;
  -- Its vectors may serve others, which ask for those that are missing.
  update recall_embeddings e set due_at = null, leased_until = null
  where e.tenant_id = p_tenant and e.session_id = p_branch and e.due_at is not null;
  update compressions c set status = 'cancelled', finished_at = now(), lease_until = null
  where c.tenant_id = p_tenant and c.session_id = p_branch and c.status in ('queued', 'running', 'prepared');
  perform erase_unneeded(p_tenant, p_main, p_branch);
end;
$$;
comment on function drop_branch is
  'Erases a branch: hides it and ends its jobs; with it go the erased branches that only it stood on. What others stand on stays, and the rest is deleted by erase_some_of_branch. The caller holds the lock of main''s row.';

create or replace function is_stood_on(p_tenant uuid, p_main uuid, p_branch uuid) returns boolean
  language sql stable set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
begin atomic
  select p_branch = p_main
      or exists (select from sessions d where d.base_id = p_branch and d.tenant_id = p_tenant and d.erased_at is null)
      or exists (select from sessions d
                 where d.root_id = p_main and d.tenant_id = p_tenant and d.version_base_id = p_branch and d.erased_at is null);
end;
comment on function is_stood_on is
  'Whether other branches share messages or versions of a branch, or it is main, which stays for them.';

create or replace function erase_unneeded(p_tenant uuid, p_main uuid, p_branch uuid) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
as $$
declare
  -- The branches that may be needed no more: this one, then those that it stood on.
  v_left uuid[] := array[p_branch];
  c_most constant integer := 20;
  v_id uuid;
  v_of record;
begin
  for i in 1..c_most loop
    exit when cardinality(v_left) = 0;
    v_id := v_left[1];
    v_left := v_left[2:];
    select s.base_id, s.version_base_id into v_of from sessions s
    where s.tenant_id = p_tenant and s.id = v_id and s.dropped_at is not null and s.erased_at is null;
    continue when not found;
    if is_stood_on(p_tenant, p_main, v_id) then
      -- How much stays is found by each step, because it may become less before the last one.
      insert into erasures (tenant_id, session_id) values (p_tenant, v_id)
      on conflict (tenant_id, session_id) do update set through_seq = 0, due_at = now();
    else
      perform erase_sessions(p_tenant, array[v_id]);
      update sessions s set branch_count = s.branch_count - 1 where s.tenant_id = p_tenant and s.id = p_main;
      v_left := v_left || array[v_of.base_id, v_of.version_base_id];
    end if;
  end loop;
  -- So many at once: erase_some_of_branch goes on with the rest.
  insert into erasures (tenant_id, session_id)
  select distinct p_tenant, s.id from sessions s
  where s.tenant_id = p_tenant and s.id = any (v_left) and s.dropped_at is not null and s.erased_at is null
  on conflict (tenant_id, session_id) do update set through_seq = 0, due_at = now();
end;
$$;
comment on function erase_unneeded is
  'Erases a dropped branch that no other stands on, and then those that only it stood on, some at once. The caller holds the lock of main''s row.';

create or replace function erase_some_of_branch(p_tenant uuid, p_session uuid) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  c_rows constant integer := 500;
  c_bytes constant bigint := 67108864;
  v_main uuid;
  v_seq bigint;
  v_version bigint;
  v_anchor bigint;
  v_is_indexed boolean;
  v_through bigint;
  v_rows bigint;
  v_bytes bigint;
  v_of record;
begin
  select coalesce(s.root_id, s.id) into v_main from sessions s
  where s.tenant_id = p_tenant and s.id = p_session and s.dropped_at is not null and s.erased_at is null
  for update skip locked;
  if not found then
    return false;
  end if;
  if not is_stood_on(p_tenant, v_main, p_session) then
    -- Since the last branch went that stood on it. When main is busy, the next round finds it again.
    perform from sessions s where s.tenant_id = p_tenant and s.id = v_main for update skip locked;
    if not found then
      return false;
    end if;
    perform erase_unneeded(p_tenant, v_main, p_session);
    return true;
  end if;
  select coalesce(max(d.base_seq), 0) into v_seq from sessions d
  where d.base_id = p_session and d.tenant_id = p_tenant and d.erased_at is null;
  select coalesce(max(d.base_version), 0), coalesce(max(d.base_anchor_seq), 0) into v_version, v_anchor from sessions d
  where d.root_id = v_main and d.tenant_id = p_tenant and d.version_base_id = p_session and d.erased_at is null;
  v_is_indexed := exists (select from sessions d where d.root_id = v_main and d.tenant_id = p_tenant
                          and d.index_base_id = p_session and d.erased_at is null);
  if not v_is_indexed then
    -- Before the postings go, so that no fork takes them for its own.
    update sessions s set indexed_seq = s.base_indexed_seq
    where s.tenant_id = p_tenant and s.id = p_session and s.indexed_seq > s.base_indexed_seq;
  end if;
  select greatest(e.through_seq, v_seq) into v_through from erasures e
  where e.tenant_id = p_tenant and e.session_id = p_session;
  if not found then
    return false;
  end if;
  with page as (
    select m.place, m.seq, m.bytes from (
      select x.place, x.seq, x.bytes, sum(x.bytes) over (order by x.seq) - x.bytes as bytes_before from (
        select y.ctid as place, y.seq, octet_length(y.body)::bigint as bytes from messages y
        where y.tenant_id = p_tenant and y.session_id = p_session and y.seq > v_through
        order by y.seq limit c_rows
      ) x
    ) m where m.bytes_before < c_bytes
  ),
  gone as (
    delete from messages x where x.ctid = any (array(select p.place from page p)) returning x.seq
  )
  select count(*), max(g.seq), (select sum(p.bytes) from page p) into v_rows, v_through, v_bytes from gone g;
  if v_rows > 0 then
    update erasures e set through_seq = v_through where e.tenant_id = p_tenant and e.session_id = p_session;
    perform give_back(p_tenant, p_session, v_bytes);
    return true;
  end if;
  for v_of in
    select t.name, t.rows, t.condition from (values
      ('webhook_deliveries', 1000, 'true'), ('idempotency_keys', 1000, 'true'),
      -- The switches are the session's, kept with main.
      ('events', 2000, 'y.kind <> ''session.branch_switched'''),
      ('evaluations', 200, 'true'), ('prepared_versions', 50, 'true'), ('shadow_candidates', 100, 'true'),
      ('compressions', 100, 'true'), ('pins', 1000, 'true'), ('notes', 1000, 'true'), ('removed_constraints', 5000, 'true'),
      ('todo_lists', 1, 'true'), ('recall_embeddings', 1, 'not $7'),
      ('tool_outputs', 5000, 'y.seq > $4'), ('ledger_entries', 5000, 'y.first_seq > $6'),
      ('probes', 1000, 'y.version is null or y.version > $5'), ('session_merges', 5000, 'y.version > $5'),
      ('record_parts', 500, 'y.id >> 20 > $5'), ('summaries', 100, 'y.version > $5'),
      ('recall_postings', 500, 'not $7'), ('recall_pending', 100, 'not $7'), ('recall_vectors', 500, 'not $7')
    ) as t(name, rows, condition)
  loop
    execute format('delete from %1$I x where x.ctid = any (array(
                      select y.ctid from %1$I y where y.tenant_id = $1 and y.session_id = $2 and (%2$s) limit $3))',
                   v_of.name, v_of.condition)
    using p_tenant, p_session, v_of.rows, v_seq, v_version, v_anchor, v_is_indexed;
    get diagnostics v_rows = row_count;
    if v_rows = v_of.rows and v_rows > 1 then
      return true;
    end if;
  end loop;
  delete from erasures e where e.tenant_id = p_tenant and e.session_id = p_session;
  return false;
end;
$$;
comment on function erase_some_of_branch is
  'Deletes rows of a dropped branch that no branch needs which stands on it: at most so many that it takes a fraction of a second. True when more may be left. Its messages through the last shared one stay, its versions through the last inherited one, and its index as long as it serves another.';

create or replace function give_back(p_tenant uuid, p_session uuid, p_bytes bigint) returns void
  language plpgsql volatile set search_path = public, pg_temp
as $$
declare
  v_day constant date := (now() at time zone 'UTC')::date;
begin
  insert into usage_by_session as u (tenant_id, session_id, day, kind, bytes, first_at, last_at)
  values (p_tenant, p_session, v_day, 'append', -p_bytes, now(), now())
  on conflict (tenant_id, session_id, task_id, day, kind) do update set bytes = u.bytes + excluded.bytes;
  insert into usage_by_day as d (tenant_id, day, kind, bytes) values (p_tenant, v_day, 'append', -p_bytes)
  on conflict (tenant_id, day, kind) do update set bytes = d.bytes + excluded.bytes;
end;
$$;
comment on function give_back is
  'Takes bytes of deleted messages from what a session and its tenant store.';

create or replace function erase_some_of_tenant(p_tenant uuid) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
as $$
declare
  v_of record;
  v_rows bigint;
begin
  perform from tenants t where t.id = p_tenant and t.erased_at is not null for update skip locked;
  if not found then
    return false;
  end if;
  if erase_sessions(p_tenant, some_sessions(p_tenant, array(
       select s.id from sessions s where s.tenant_id = p_tenant and s.root_id is null and s.erased_at is null
       order by s.id limit 100))) > 0 then
    return true;
  end if;
  if exists (select from sessions s where s.tenant_id = p_tenant) then
    -- Their rows come first.
    return false;
  end if;
  for v_of in
    select t.name, t.rows from (values
      ('webhook_deliveries', 1000), ('idempotency_keys', 1000), ('tasks', 5000), ('usage_by_day', 5000)
    ) as t(name, rows)
  loop
    execute format('delete from %1$I x where x.ctid = any (array(
                      select y.ctid from %1$I y where y.tenant_id = $1 limit $2))', v_of.name)
    using p_tenant, v_of.rows;
    get diagnostics v_rows = row_count;
    if v_rows = v_of.rows then
      return true;
    end if;
  end loop;
  -- The rest is small and has foreign keys.
  delete from tenants t where t.id = p_tenant;
  return false;
end;
$$;
comment on function erase_some_of_tenant is
  'The part of erase_some for what an erased tenant owns beside sessions.';

create or replace function put_off_erasure(p_tenant uuid, p_session uuid) returns void
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  update erasures e set due_at = now() + interval '10 minutes' where e.tenant_id = p_tenant and e.session_id = p_session;
end;
comment on function put_off_erasure is
  'Tries to delete the rows of an erased session again later, because a step has failed.';

create or replace function erase_expired_sessions(p_limit integer) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_gone integer := 0;
  v_of record;
begin
  for v_of in
    select e.tenant_id, array_agg(e.id) as sessions
    from (
      select s.tenant_id, s.id
      from tenants t
      cross join lateral (
        select x.tenant_id, x.id, row_number() over (order by x.id) as place from (
          select y.tenant_id, y.id from sessions y
          where y.tenant_id = t.id and y.root_id is null and y.erased_at is null
            and y.id < (lpad(to_hex((extract(epoch from now() - make_interval(days => t.retention_days)) * 1000)::bigint), 12, '0')
                        || '70008000000000000000')::uuid
            and y.updated_at < now() - make_interval(days => t.retention_days)
            and not (y.branch_count > 0
                     and exists (select from sessions b
                                 where b.root_id = y.id and b.tenant_id = t.id and b.dropped_at is null
                                   and b.updated_at >= now() - make_interval(days => t.retention_days)))
          order by y.id limit p_limit
        ) x
      ) s
      where t.retention_days is not null and t.erased_at is null
      -- Tenants take turns.
      order by s.place, s.tenant_id limit p_limit
    ) e
    group by e.tenant_id order by e.tenant_id
  loop
    v_gone := v_gone + erase_idle(v_of.tenant_id, v_of.sessions);
  end loop;
  return v_gone;
end;
$$;
comment on function erase_expired_sessions is
  'Erases at most p_limit sessions of which no branch was written to for as long as their tenant keeps them, of all tenants in turn; returns how many. Session ids are time-ordered, so that only old ones are read; of those the branches are looked at, so that an append to a branch writes nothing to main. Skips locked sessions, and those of a tenant with which it fails.';

create or replace function erase_single_calls(p_limit integer) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
as $$
declare
  v_gone integer := 0;
  v_of record;
begin
  for v_of in
    select e.tenant_id, array_agg(e.id) as sessions
    from (
      select s.tenant_id, s.id from sessions s
      where s.expires_at < now()
      order by s.expires_at limit p_limit
    ) e
    group by e.tenant_id order by e.tenant_id
  loop
    v_gone := v_gone + erase_idle(v_of.tenant_id, v_of.sessions);
  end loop;
  return v_gone;
end;
$$;
comment on function erase_single_calls is
  'Erases at most p_limit sessions of single calls that are over, over all tenants; returns how many. Skips locked sessions, and those of a tenant with which it fails.';

create or replace function erase_idle(p_tenant uuid, p_sessions uuid[]) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
as $$
begin
  return erase_sessions(p_tenant, some_sessions(p_tenant, array(
    select s.id from sessions s where s.tenant_id = p_tenant and s.id = any(p_sessions) and s.erased_at is null
    for update skip locked)));
exception when others then
  raise warning 'sessions of tenant % are not erased: %', p_tenant, sqlerrm;
  return 0;
end;
$$;
comment on function erase_idle is
  'Erases those of the sessions that nobody has locked, the others later when they have many branches; a failure is a warning, so that it stops no other tenant''s.';

create or replace function forget_old_replies() returns bigint
  language sql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
begin atomic
  with old as (
    select i.tenant_id, i.route, i.key from idempotency_keys i
    where i.created_at < now() - interval '24 hours'
    order by i.created_at limit 1000 for update skip locked
  ),
  gone as (
    delete from idempotency_keys i using old
    where i.tenant_id = old.tenant_id and i.route = old.route and i.key = old.key returning 1
  )
  select count(*) from gone;
end;
comment on function forget_old_replies is
  'Removes at most a thousand kept replies older than a day, over all tenants; returns how many.';

-- Who may call what crosses tenants ------------------------------------------------------------------------------------

revoke execute on function
  find_key, find_ended_keys, touch_keys, find_tenant_id, list_tenants, list_audit_events, load_branches, load_sessions, load_outlines, load_replies,
  commit_appends, claim_compression, claim_compressions, look_after_workers, queue_state, forget_old_events,
  claim_embeddings, claim_branch_deliveries, claim_deliveries, cancel_stranded_deliveries, list_secrets_of_other_keys, oldest_due_delivery, forget_old_deliveries,
  erase_sessions, some_sessions, erase_session, erase_tenant, next_erasures, erase_some, erase_some_of_tenant, drop_branch, erase_unneeded, erase_some_of_branch, put_off_erasure,
  erase_expired_sessions, erase_single_calls, erase_idle, forget_old_replies
  from public;
grant execute on function
  find_key, find_ended_keys, touch_keys, find_tenant_id, list_tenants, list_audit_events, load_branches, load_sessions, load_outlines, load_replies,
  commit_appends, claim_compression, claim_compressions, look_after_workers, queue_state, forget_old_events,
  claim_embeddings, claim_branch_deliveries, claim_deliveries, cancel_stranded_deliveries, list_secrets_of_other_keys, oldest_due_delivery, forget_old_deliveries,
  erase_sessions, some_sessions, erase_session, erase_tenant, next_erasures, erase_some, erase_some_of_tenant, drop_branch, erase_some_of_branch, put_off_erasure,
  erase_expired_sessions, erase_single_calls, erase_idle, forget_old_replies
  to anchord_app;
