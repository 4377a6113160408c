-- Exams: questions that a model wrote from the messages stand among the probes, and are asked apart from them. Whether a
-- probe is one, and whether it is critical, are columns, so that no query searches the text of all.
drop index probes_asked_idx;
alter table probes
  -- A text search once, when it is written: Postgres reads no field of a document that has an escaped NUL in any, and a
  -- quote in a fact is escaped, so that only the field itself is written so.
  add column is_exam boolean not null generated always as (probe::text like '%"reference":%') stored,
  add column is_critical boolean not null generated always as (probe::text like '%"critical":true%') stored;
comment on column probes.is_critical is 'Whether a version that fails it is refused; asked again of every later one.';
create index probes_asked_idx on probes (tenant_id, session_id, id)
  where retired_in_version is null and (source = 'caller' or is_critical);
comment on index probes_asked_idx is 'Compressing: the probes that the next version is asked.';
comment on column probes.is_exam is 'Whether a model wrote it for an exam (domain::exam), with the answer that it expects.';
create index probes_exam_idx on probes (tenant_id, session_id, version) where is_exam;
comment on index probes_exam_idx is 'Compressing: the questions of earlier exams that are still true.';

alter table llm_attempts drop constraint llm_attempts_purpose_check;
alter table llm_attempts add constraint llm_attempts_purpose_check
  check (purpose in ('summarise', 'repair', 'detail', 'probe', 'examine', 'read', 'judge'));
