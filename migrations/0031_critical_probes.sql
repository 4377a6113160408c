-- Whether a probe is critical is a column, so that no query searches the text of all.
drop index probes_asked_idx;
alter table probes
  -- A text search once, when it is written: Postgres reads no field of a document that has an escaped NUL in any, and a
  -- quote in a fact is escaped, so that only the field itself is written so.
  add column is_critical boolean not null generated always as (probe::text like '%"critical":true%') stored;
comment on column probes.is_critical is 'Whether a version that fails it is refused; asked again of every later one.';
create index probes_asked_idx on probes (tenant_id, session_id, id)
  where retired_in_version is null and (source = 'caller' or is_critical);
comment on index probes_asked_idx is 'Compressing: the probes that the next version is asked.';
