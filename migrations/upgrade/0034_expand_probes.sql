-- What migration 0029 added to probes, where it has not run. Stored generated columns rewrite the table under a lock that
-- nobody reads beside; processes of a version that this upgrades from are stopped meanwhile (docs/production.md).
do $$
begin
  if exists (select from _sqlx_migrations where version = 29) then
    return;
  end if;
  -- Its condition is another one now; the next steps build it.
  drop index probes_asked_idx;
  alter table probes
    add column is_exam boolean not null generated always as (probe::text like '%"reference":%') stored,
    add column is_critical boolean not null generated always as (probe::text like '%"critical":true%') stored;
end $$;
