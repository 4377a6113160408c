-- A session is erased by one function, and a tenant by another, in place of triggers: what large and hot tables hold of a
-- session has no foreign key, because checking it costs an append an eighth of its time.

drop trigger sessions_forget_task on sessions;
drop trigger sessions_erase_messages on sessions;
drop trigger sessions_erase_rows on sessions;
drop trigger usage_forget_task on usage_by_session;
drop trigger usage_subtract_bytes on usage_by_session;
drop function forget_task();
drop function erase_messages();
drop function erase_rows_of_session();
drop function subtract_erased_bytes();

-- Erases some of a tenant's sessions with all that they own; gives how many there were. What they stored no longer counts,
-- and a task goes with the last of its sessions.
create function erase_sessions(p_tenant uuid, p_sessions uuid[]) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
as $$
declare
  v_sessions uuid[];
  v_tasks text[];
  v_bytes bigint;
begin
  -- The tenant first, as who erases that does: what is given back below refers to it.
  perform from tenants t where t.id = p_tenant for key share;
  -- Nobody appends to them, or publishes, from here on; whoever is at it now is waited for.
  select array_agg(s.id), array_agg(s.task_id) into v_sessions, v_tasks
  from (select x.id, x.task_id from sessions x where x.tenant_id = p_tenant and x.id = any(p_sessions)
        order by x.id for update) s;
  if v_sessions is null then
    return 0;
  end if;
  delete from messages x where x.tenant_id = p_tenant and x.session_id = any(v_sessions);
  delete from tool_outputs x where x.tenant_id = p_tenant and x.session_id = any(v_sessions);
  delete from ledger_entries x where x.tenant_id = p_tenant and x.session_id = any(v_sessions);
  delete from probes x where x.tenant_id = p_tenant and x.session_id = any(v_sessions);
  delete from record_parts x where x.tenant_id = p_tenant and x.session_id = any(v_sessions);
  delete from recall_postings x where x.tenant_id = p_tenant and x.session_id = any(v_sessions);
  delete from recall_pending x where x.tenant_id = p_tenant and x.session_id = any(v_sessions);
  with used as (
    delete from usage_by_session u where u.tenant_id = p_tenant and u.session_id = any(v_sessions)
    returning u.bytes, u.task_id
  )
  select coalesce(sum(u.bytes), 0), v_tasks || array_agg(u.task_id) into v_bytes, v_tasks from used u;
  if v_bytes <> 0 then
    insert into usage_by_day as d (tenant_id, day, kind, bytes)
    values (p_tenant, (now() at time zone 'UTC')::date, 'append', -v_bytes)
    on conflict (tenant_id, day, kind) do update set bytes = d.bytes + excluded.bytes;
  end if;
  -- The rest has foreign keys.
  delete from sessions s where s.tenant_id = p_tenant and s.id = any(v_sessions);
  -- Whoever erases the task's other sessions at the same moment is waited for, and then seen.
  perform from tasks t where t.tenant_id = p_tenant and t.task_id = any(v_tasks) order by t.task_id for update;
  delete from tasks t
  where t.tenant_id = p_tenant and t.task_id = any(v_tasks)
    and not exists (select from sessions s where s.tenant_id = p_tenant and s.task_id = t.task_id)
    and not exists (select from usage_by_session u
                    where u.tenant_id = p_tenant and u.task_id = t.task_id and u.task_id <> '');
  return cardinality(v_sessions);
end;
$$;

-- Erases a session by its name; false when there is none.
create function erase_session(p_tenant uuid, p_name text) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
as $$
begin
  return erase_sessions(p_tenant, array(select s.id from sessions s where s.tenant_id = p_tenant and s.name = p_name)) > 0;
end;
$$;

-- Erases a tenant with all that it owns; false when there is none.
create function erase_tenant(p_tenant uuid) returns boolean
  language plpgsql volatile security definer set search_path = public, pg_temp set enable_seqscan = off
as $$
begin
  perform from tenants t where t.id = p_tenant for update;
  if not found then
    return false;
  end if;
  -- Whoever appends to one of them now is waited for; a new one waits for the tenant.
  perform from sessions s where s.tenant_id = p_tenant order by s.id for update;
  delete from messages x where x.tenant_id = p_tenant;
  delete from tool_outputs x where x.tenant_id = p_tenant;
  delete from ledger_entries x where x.tenant_id = p_tenant;
  delete from probes x where x.tenant_id = p_tenant;
  delete from record_parts x where x.tenant_id = p_tenant;
  delete from recall_postings x where x.tenant_id = p_tenant;
  delete from recall_pending x where x.tenant_id = p_tenant;
  -- The rest has foreign keys.
  delete from tenants t where t.id = p_tenant;
  return true;
end;
$$;

-- Erases some of the sessions that nobody has written to for as long as their tenant keeps them; gives how
-- many. Session ids are time-ordered, so that only sessions that are old enough are looked at. One that is
-- written to right now is locked, and passed over.
drop function erase_expired_sessions(integer);
create function erase_expired_sessions(p_limit integer) returns integer
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
        select x.tenant_id, x.id from sessions x
        where x.tenant_id = t.id
          and x.id < (lpad(to_hex((extract(epoch from now() - make_interval(days => t.retention_days)) * 1000)::bigint), 12, '0')
                      || '70008000000000000000')::uuid
          and x.updated_at < now() - make_interval(days => t.retention_days)
        order by x.id limit p_limit for update skip locked
      ) s
      where t.retention_days is not null
      limit p_limit
    ) e
    group by e.tenant_id order by e.tenant_id
  loop
    v_gone := v_gone + erase_sessions(v_of.tenant_id, v_of.sessions);
  end loop;
  return v_gone;
end;
$$;

-- Erases some of the sessions of single calls whose time is over, over all tenants; gives how many.
drop function erase_single_calls(integer);
create function erase_single_calls(p_limit integer) returns integer
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
      order by s.expires_at limit p_limit for update skip locked
    ) e
    group by e.tenant_id order by e.tenant_id
  loop
    v_gone := v_gone + erase_sessions(v_of.tenant_id, v_of.sessions);
  end loop;
  return v_gone;
end;
$$;

revoke all on function erase_sessions, erase_session, erase_tenant, erase_expired_sessions, erase_single_calls from public;
grant execute on function erase_session, erase_tenant, erase_expired_sessions, erase_single_calls to anchord_app;

-- Nobody erases in another way, a process of the version before neither: it would leave what has no foreign key.
revoke delete on sessions, tenants from anchord_app;

comment on column messages.session_id is 'sessions.id; whoever inserts holds that row''s lock, and erase_sessions erases with it.';
comment on column tool_outputs.session_id is 'sessions.id; whoever inserts holds that row''s lock, and erase_sessions erases with it.';
comment on column ledger_entries.session_id is 'sessions.id; whoever inserts holds that row''s lock, and erase_sessions erases with it.';
comment on column probes.session_id is 'sessions.id; whoever inserts holds that row''s lock, and erase_sessions erases with it.';
comment on column recall_postings.session_id is 'sessions.id; whoever inserts holds that row''s lock, and erase_sessions erases with it.';
