-- Compressions of messages without a session, when a model words them: they are queued like any other, in a session
-- of their own that nobody lists and that is erased some time after.

alter table sessions add column expires_at timestamptz;
comment on column sessions.expires_at is 'When a single call''s session is erased; null for a caller''s own sessions.';
create index sessions_expires_at_idx on sessions (expires_at) where expires_at is not null;
comment on index sessions_expires_at_idx is 'Upkeep: sessions of single calls that are old enough to be erased.';

-- Erases some of the sessions of single calls whose time is over, over all tenants; gives how many.
create function erase_single_calls(p_limit integer) returns integer
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  with expired as (
    select s.tenant_id, s.id from sessions s
    where s.expires_at < now()
    order by s.expires_at limit p_limit for update skip locked
  ),
  gone as (
    delete from sessions s using expired where s.tenant_id = expired.tenant_id and s.id = expired.id returning 1
  )
  select count(*)::integer from gone;
end;
revoke all on function erase_single_calls from public;
grant execute on function erase_single_calls to anchord_app;
