-- Appends of many sessions and tenants in one statement and one round trip, for sessions whose rows the service
-- knows: it has them from its own last append, and the row's xmin proves that nobody has written to it since.

-- Appends to those sessions that are still as the service knows them, and leaves every other session as it is.
-- Gives the transaction's id, which is the xmin of what was written, and then the places of the sessions that
-- were appended to; nothing at all when there are none.
--
-- It crosses tenants, so every row is named with its tenant. Sessions come in the order in which row locks are
-- taken (tenant, then name); what belongs to a session names its place among them, from 1; messages come session
-- by session. A column that is null for all may be null as a whole.
create function append_gathered(
  p_tenants uuid[], p_sessions uuid[],
  -- What must hold: the xmin of the session's row and of its tenant's, and its live compression, null for none.
  p_proofs integer[], p_tenant_proofs integer[], p_lives uuid[], p_live_statuses text[],
  -- What the session becomes, and which of the messages are its own.
  p_heads bigint[], p_accountings text[], p_recents text[], p_first_rows integer[], p_last_rows integer[],
  p_seqs bigint[], p_roles text[], p_formats text[], p_tokens integer[], p_least_tokens integer[], p_shapes text[],
  p_keeps text[], p_components text[], p_bodies text[], p_rests text[], p_shared text[],
  p_output_sessions integer[], p_references text[], p_output_seqs bigint[], p_ordinals integer[], p_starts integer[],
  p_bytes integer[],
  p_key_sessions integer[], p_routes text[], p_keys text[], p_digests bytea[], p_replies text[]
) returns bigint[]
  language plpgsql volatile security definer set search_path = public, pg_temp
  -- Every look goes into a key, whatever the planner thinks of tables that were empty when the plan was made. For
  -- the same reason there is no `exists` below: it may be answered by reading everybody's rows once.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  -- Sessions with a key that was used before, or with an output that the session may have already: what becomes of
  -- those takes more than one look. Whoever adds either holds the session's lock and writes its row, so that what
  -- comes after these looks breaks the proof.
  v_not_here integer[] := '{}';
  v_more integer[];
  v_done bigint[];
begin
  if p_keys is not null then
    select array_agg(p_key_sessions[k.i]) into v_more from generate_subscripts(p_keys, 1) as k(i)
    where (select true from idempotency_keys x
           where x.tenant_id = p_tenants[p_key_sessions[k.i]] and x.route = p_routes[k.i] and x.key = p_keys[k.i] limit 1);
    v_not_here := v_not_here || v_more;
  end if;
  if p_starts is not null then
    select array_agg(p_output_sessions[o.i]) into v_more from generate_subscripts(p_references, 1) as o(i)
    where p_starts[o.i] is not null
      and (select true from tool_outputs x
           where x.tenant_id = p_tenants[p_output_sessions[o.i]]
             and x.session_id = p_sessions[p_output_sessions[o.i]] and x.reference = p_references[o.i] limit 1);
    v_not_here := v_not_here || v_more;
  end if;
  with done as (
    update sessions s
    set head_seq = p_heads[w.place], accounting = p_accountings[w.place]::json, recent = p_recents[w.place],
        updated_at = now()
    from generate_series(1, cardinality(p_sessions)) as w(place)
    where s.tenant_id = p_tenants[w.place] and s.id = p_sessions[w.place]
      -- Looked at again with the lock: a row that somebody has written to meanwhile has another xmin.
      and s.xmin = p_proofs[w.place]
      and w.place <> all (v_not_here)
      and (select t.xmin = p_tenant_proofs[w.place] from tenants t where t.id = p_tenants[w.place])
      and case when p_lives[w.place] is null then
            (select true from compressions c
             where c.tenant_id = p_tenants[w.place] and c.session_id = p_sessions[w.place]
               and c.kind = 'compress' and c.status in ('queued', 'running') and not c.shadow limit 1) is null
          else
            (select c.id = p_lives[w.place] and c.status = p_live_statuses[w.place] from compressions c
             where c.tenant_id = p_tenants[w.place] and c.session_id = p_sessions[w.place]
               and c.kind = 'compress' and c.status in ('queued', 'running') and not c.shadow limit 1)
          end
    returning w.place
  ),
  new_messages as (
    insert into messages (tenant_id, session_id, seq, role, format, tokens, least_tokens, shape, keep, component, body,
                          rest, shared)
    select p_tenants[d.place], p_sessions[d.place], p_seqs[m.i], p_roles[m.i], p_formats[m.i], p_tokens[m.i],
           p_least_tokens[m.i], p_shapes[m.i], p_keeps[m.i], p_components[m.i], p_bodies[m.i], p_rests[m.i], p_shared[m.i]
    from done d
    cross join lateral generate_series(p_first_rows[d.place], p_last_rows[d.place]) as m(i)
  )
  select array_agg(d.place) into v_done from done d;
  if v_done is null then
    return '{}';
  end if;
  if p_references is not null then
    -- The first message that holds an output stays its source.
    insert into tool_outputs (tenant_id, session_id, reference, seq, ordinal, start, bytes)
    select p_tenants[p_output_sessions[o.i]], p_sessions[p_output_sessions[o.i]], p_references[o.i], p_output_seqs[o.i],
           p_ordinals[o.i], p_starts[o.i], p_bytes[o.i]
    from generate_subscripts(p_references, 1) as o(i)
    where p_output_sessions[o.i] = any (v_done)
    on conflict do nothing;
  end if;
  if p_keys is not null then
    insert into idempotency_keys (tenant_id, route, key, session_id, body_digest, status, reply)
    select p_tenants[p_key_sessions[k.i]], p_routes[k.i], p_keys[k.i], p_sessions[p_key_sessions[k.i]], p_digests[k.i],
           201, p_replies[k.i]
    from generate_subscripts(p_keys, 1) as k(i)
    where p_key_sessions[k.i] = any (v_done);
  end if;
  return (pg_current_xact_id()::xid)::text::bigint || v_done;
end;
$$;
revoke all on function append_gathered from public;
grant execute on function append_gathered to anchord_app;
