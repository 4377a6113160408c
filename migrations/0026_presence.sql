-- A worker is taken for dead when its lock is gone *and* it says nothing: a connection may be lost alone, while its
-- process goes on with its jobs.

-- Since when nobody has heard of the worker of a running job; null while nobody doubts it.
alter table compressions add column doubted_at timestamptz;

-- One look of the worker p_worker: what others doubt of its own jobs is settled, because it is looking. The jobs of
-- workers without their lock (class 1633772132, object = the worker's number) are doubted, and due at once when they
-- have been for p_patience seconds; gives how many are. A row that somebody holds is left to the next look.
create function look_after_workers(p_worker bigint, p_patience double precision) returns integer
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
    select c.tenant_id, c.id, c.doubted_at < now() - make_interval(secs => p_patience) as is_over
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
    set doubted_at = case when m.is_over then null else now() end,
        lease_until = case when m.is_over then '-infinity' else c.lease_until end
    from missing m where c.tenant_id = m.tenant_id and c.id = m.id
    returning m.is_over
  )
  select count(*) filter (where is_over)::integer into v_freed from changed;
  return v_freed;
end;
$$;
comment on function look_after_workers is
  'Says that a worker lives, and makes the jobs of workers that are gone due at once; gives how many.';
revoke all on function look_after_workers from public;
grant execute on function look_after_workers to anchord_app;

-- What it replaces; a process of the version before goes on without taking over, until it is replaced too.
create or replace function release_dead_workers() returns integer
  language sql volatile security definer set search_path = public, pg_temp
begin atomic
  select 0;
end;
