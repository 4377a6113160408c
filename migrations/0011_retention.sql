-- How long a tenant keeps sessions that nobody writes to.

alter table tenants
  add column retention_days integer constraint tenants_retention_days_check check (retention_days between 1 and 36500);

drop function list_tenants(uuid, bigint);
create function list_tenants(p_after uuid, p_limit bigint)
  returns table (id uuid, name text, settings json, quotas json, retention_days integer, suspended_at timestamptz,
                 created_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
begin atomic
  select t.id, t.name, t.settings, t.quotas, t.retention_days, t.suspended_at, t.created_at from tenants t
  where p_after is null or t.id > p_after order by t.id limit p_limit;
end;

-- Erases some of the sessions that nobody has written to for as long as their tenant keeps them; gives how
-- many. Session ids are time-ordered, so that only sessions that are old enough are looked at. One that is
-- written to right now is locked, and passed over.
create function erase_expired_sessions(p_limit integer) returns integer
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with expired as (
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
  ),
  gone as (
    delete from sessions s using expired where s.tenant_id = expired.tenant_id and s.id = expired.id returning 1
  )
  select count(*)::integer from gone;
end;

revoke all on function list_tenants, erase_expired_sessions from public;
grant execute on function list_tenants, erase_expired_sessions to anchord_app;
