-- no-transaction
-- What no program since migration 0032 uses: what 0026, 0030, 0031 and 0032 removed, where they have not run, and the
-- functions that those kept for the programs of their time.
do $$
declare
  v_landed bigint := (select max(version) from _sqlx_migrations where version <= 32);
  v_old record;
begin
  if v_landed < 32 then
    drop trigger if exists sessions_forget_task on sessions;
    drop trigger if exists sessions_erase_messages on sessions;
    drop trigger if exists sessions_erase_rows on sessions;
    -- Nobody erases but by the functions, which know what has no foreign key.
    revoke delete on sessions, tenants from anchord_app;
    commit;
    drop trigger if exists usage_forget_task on usage_by_session;
    drop trigger if exists usage_subtract_bytes on usage_by_session;
    commit;
  end if;
  for v_old in
    select p.oid::regprocedure as name from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and (p.proname in ('queue_depth', 'release_dead_workers',
                         'take_jobs', 'look_at_sessions', 'end_idle_jobs',
                         'append_gathered', 'original', 'original_bytes', 'shared_bytes', 'whole_body',
                         'forget_task', 'erase_messages', 'erase_rows_of_session', 'subtract_erased_bytes')
           or (p.proname = 'end_compression' and v_landed < 31))
  loop
    execute format('drop function %s', v_old.name);
  end loop;
  commit;
  if v_landed < 31 then
    alter table messages drop constraint if exists messages_body_check;
    alter table messages drop column if exists rest, drop column if exists shared;
    commit;
    alter table tool_outputs drop column if exists start, drop column if exists bytes;
  end if;
end $$;
