-- Settings belong to a session and not to its branches. What other branches than main have of their own is not read any more.
alter table sessions add column if not exists settings_revision bigint not null default 0;
-- As it was before, it has another result. No released program calls that.
do $$
begin
  if exists (select from pg_proc p
             where p.oid = to_regprocedure('load_branches(uuid[], text[], text[], uuid[])')
               and 'above_revision' <> all (p.proargnames))
  then
    drop function load_branches(uuid[], text[], text[], uuid[]);
  end if;
end $$;
