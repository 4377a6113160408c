-- What quotas are held against: messages and bytes beside the other figures of the usage ledger.

alter table usage_by_session
  add column messages bigint not null default 0,
  add column bytes bigint not null default 0;
alter table usage_by_day
  add column messages bigint not null default 0,
  -- Bytes of messages that came on that day, less those of sessions that were erased on it: the sum over
  -- all days is what is stored.
  add column bytes bigint not null default 0;

-- What an erased session had stored is stored no longer. A tenant that goes has no sums either.
create function subtract_erased_bytes() returns trigger language plpgsql set search_path = public, pg_temp
as $$
begin
  insert into usage_by_day as d (tenant_id, day, kind, bytes)
  select old.tenant_id, (now() at time zone 'UTC')::date, 'append', -old.bytes
  where exists (select from tenants t where t.id = old.tenant_id)
  on conflict (tenant_id, day, kind) do update set bytes = d.bytes + excluded.bytes;
  return null;
end;
$$;
create trigger usage_subtract_bytes after delete on usage_by_session
  for each row when (old.bytes <> 0) execute function subtract_erased_bytes();
