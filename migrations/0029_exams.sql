-- Exams: questions that a model wrote from the messages stand among the probes, and are asked apart from them.
alter table probes
  -- A text search, for Postgres reads no field of a document that has an escaped NUL in any; a quote in a fact is escaped,
  -- so only the field itself is written so.
  add column is_exam boolean not null generated always as (probe::text like '%"reference":%') stored;
comment on column probes.is_exam is 'Whether a model wrote it for an exam (domain::exam), with the answer that it expects.';
create index probes_exam_idx on probes (tenant_id, session_id, version) where is_exam;
comment on index probes_exam_idx is 'Compressing: the questions of earlier exams that are still true.';

alter table llm_attempts drop constraint llm_attempts_purpose_check;
alter table llm_attempts add constraint llm_attempts_purpose_check
  check (purpose in ('summarise', 'repair', 'detail', 'probe', 'examine', 'read', 'judge'));
