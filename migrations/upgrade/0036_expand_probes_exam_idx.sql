-- no-transaction
create index concurrently if not exists probes_exam_idx on probes (tenant_id, session_id, version) where is_exam;
